//! `crosscheck sources` on documents and debates, against a loopback site.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Reply, Seen, Site};
use serde_json::{Value, json};

use crate::desk;

const PAGE: &str = "<!doctype html><html lang=\"en\"><head><title>City trees study</title></head><body><h1>City trees study</h1>\
    <p>A city survey counted 41,000 street trees in 2024.</p><p>Researchers found that shaded streets were 3.2 degrees \
    cooler on summer afternoons than streets without trees.</p><p>The report recommends planting two thousand trees every \
    year.</p></body></html>";

fn trees() -> Site {
    Site::start(|asked| {
        if asked.target.starts_with("/gone") {
            Reply::new(404)
        } else {
            Reply::html(PAGE)
        }
    })
}

fn polite() -> [&'static str; 6] {
    [
        "--allow-private",
        "--retry-wait",
        "0",
        "--host-request-interval",
        "0",
        "--quiet",
    ]
}

fn sources(desk: &Desk, args: &[&str]) -> Seen {
    desk.crosscheck([&["sources"], &polite()[..], args].concat())
}

fn entry(seq: u64, content: &str, url: &str) -> String {
    let line = json!({"seq": seq, "timestamp": "2026-02-21T15:00:00Z", "phase": "rebuttal", "speaker": "promoter",
        "type": "new_point", "content": content, "sources": [{"url": url, "title": "City trees study"}]});
    format!("{line}\n")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

/// (`verified_seq`, url) of every result in a log, and a check that each line's number is its seq.
fn results(log: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    for (number, line) in lines(log).iter().enumerate() {
        assert_eq!(line["seq"], json!(number), "{line}");
        if line["type"] == "verification_result" {
            let content: Value = serde_json::from_str(line["content"].as_str().unwrap()).unwrap();
            found.push((
                content["verified_seq"].as_u64().unwrap(),
                content["url"].as_str().unwrap().to_owned(),
            ));
        }
    }
    found
}

#[test]
fn a_document_is_checked_sentence_by_sentence() {
    let (desk, site) = (desk(), trees());
    let base = site.base();
    desk.file(
        "answer.md",
        format!(
            "# Trees\n\nA city survey counted [41,000 street trees]({base}/a) in 2024.\n\n- Shaded streets were 6.5 degrees cooler on \
             summer afternoons ({base}/a).\n- This one is lost: {base}/gone\n\n```\ncurl {base}/code\n```\n"
        ),
    );
    let seen = sources(&desk, &["--format", "json", "answer.md"]);

    let report: Value = serde_json::from_str(&seen.stdout).unwrap();
    let rows: Vec<(u64, &str)> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["line"].as_u64().unwrap(), row["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        rows,
        [(3, "supported"), (5, "contradicted"), (6, "http_404")]
    );
    assert_eq!(report["summary"]["unique"], 2);
    assert_eq!(
        (seen.code, site.count("/a"), site.count("/code")),
        (1, 1, 0)
    );
}

/// A PDF with one line of text.
fn pdf(text: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>".to_owned(),
        format!("<</Length {}>>\nstream\n{stream}\nendstream", stream.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        let _ = writeln!(file, "{} 0 obj\n{object}\nendobj", number + 1);
    }
    let table = file.len();
    let _ = writeln!(file, "xref\n0 {}\n0000000000 65535 f ", objects.len() + 1);
    for place in places {
        let _ = writeln!(file, "{place:010} 00000 n ");
    }
    let _ = writeln!(
        file,
        "trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF",
        objects.len() + 1
    );
    file.into_bytes()
}

#[test]
fn a_cited_pdf_is_read_and_a_broken_one_is_only_unreadable() {
    let site = Site::start(|asked| {
        let whole = pdf("A city survey counted 41,000 street trees in 2024.");
        let body = match asked.target.as_str() {
            "/whole.pdf" => whole,
            "/cut.pdf" => whole[..200].to_vec(),
            _ => b"%PDF-1.7 and then nothing but noise \xff\xfe <<<<<< [[[[ stream".to_vec(),
        };
        Reply::new(200)
            .header("content-type", "application/pdf")
            .body(body)
    });
    let desk = desk();
    let cite = |name: &str| {
        format!(
            "A city survey counted 41,000 street trees in 2024 ({}/{name}.pdf).\n\n",
            site.base()
        )
    };
    desk.file("a.md", cite("whole") + &cite("cut") + &cite("noise"));
    let seen = sources(&desk, &["--format", "json", "a.md"]);
    let report: Value = serde_json::from_str(&seen.stdout).unwrap();
    let codes: Vec<&str> = (0..3)
        .map(|at| report["results"][at]["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes,
        ["supported", "unsupported_content", "unsupported_content"]
    );
}

#[test]
fn the_child_that_reads_a_pdf_limits_its_memory() {
    let desk = desk();
    let mut child = desk
        .command(["pdf-text"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let begin = Instant::now();
    while !desk.read(&limits).contains("402653184") {
        assert!(begin.elapsed() < Duration::from_mins(1), "no limit is set");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn every_format_tells_every_citation() {
    let (desk, site) = (desk(), trees());
    desk.file(
        "a.md",
        format!(
            "A city survey counted 41,000 street trees in 2024 ({}/a).\n",
            site.base()
        ),
    );
    for format in Format::NAMES {
        let seen = sources(&desk, &["--format", format, "--output", "out", "a.md"]);
        assert_eq!(
            (seen.code, seen.stdout.as_str()),
            (0, ""),
            "{format}: {}",
            seen.stderr
        );
        let shown = desk.read("out");
        assert!(
            format == "github" || shown.contains("/a") || shown.contains("&#x2F;a"),
            "{format}: {shown}"
        );
    }
}

#[test]
fn every_format_shows_what_the_page_says_instead_and_where() {
    let (desk, site) = (desk(), trees());
    let base = site.base();
    desk.file(
        "a.md",
        format!(
            "Shaded streets were 6.5 degrees cooler on summer afternoons ({base}/a).\n\nThe report recommends planting hedges \
             everywhere ({base}/a?2).\n\nIt says \"two thousand shrubs every single year\" ({base}/a?3).\n"
        ),
    );
    for format in Format::NAMES {
        let seen = sources(&desk, &["--format", format, "a.md"]);
        for (words, paragraph) in [
            ("streets were 3.2 degrees cooler", "3"),
            ("recommends planting two thousand trees", "4"),
        ] {
            let place = match format {
                "json" => format!("\"paragraph\": {paragraph}"),
                _ => format!("paragraph {paragraph}"),
            };
            let shown = seen.stdout.replace("\\(", "(");
            let shown = shown.replace("<mark>", "").replace("</mark>", "");
            assert!(shown.contains(words), "{format} lacks {words}: {shown}");
            assert!(shown.contains(&place), "{format} lacks {place}: {shown}");
        }
        if format == "html" {
            assert!(seen.stdout.contains("<a href=\"http"), "{}", seen.stdout);
        }
    }
}

#[test]
fn a_document_without_citations_has_nothing_to_check() {
    let desk = desk();
    desk.file("a.md", "No links here.\n");
    assert_eq!(sources(&desk, &["a.md"]).code, 2);
    assert_eq!(sources(&desk, &["--allow-empty", "a.md"]).code, 0);
    assert_eq!(sources(&desk, &["missing.md"]).code, 3);
    assert_eq!(desk.crosscheck(["sources"]).code, 3);
}

#[test]
fn dump_lists_and_contacts_no_server() {
    let (desk, site) = (desk(), trees());
    desk.file(
        "a.md",
        format!(
            "Oaks are old ({0}/a). See {0}/b?token=s3cret too.\n",
            site.base()
        ),
    );
    desk.file(".crosscheckignore", "# none\n/b\\?\n");
    let seen = sources(&desk, &["--dump", "a.md"]);
    assert_eq!(
        seen.stdout,
        format!("a.md:1:15\t{}/a\tOaks are old.\n", site.base())
    );
    assert_eq!((seen.code, site.connections()), (0, 0));
}

#[test]
fn offline_leaves_everything_undecided_and_lints_all_the_same() {
    let (desk, site) = (desk(), trees());
    let log = entry(
        0,
        "A city survey counted 41,000 street trees in 2024.",
        &format!("{}/a", site.base()),
    ) + "{\"seq\":1,\"speaker\":\"a\",\"type\":\"conjecture\",\"content\":\"Perhaps.\",\"sources\":null}\n";
    desk.file("debate-log.jsonl", log);
    let seen = sources(&desk, &["--log", ".", "--offline", "--report", "r.json"]);
    let report: Value = serde_json::from_str(&desk.read("r.json")).unwrap();
    assert_eq!(report["results"][0]["code"], "offline");
    assert!(
        report["lint"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| finding["rule"] == "R9" && finding["seq"] == 1)
    );
    assert_eq!((seen.code, site.connections()), (2, 0));
}

#[test]
fn a_second_run_adds_nothing() {
    let (desk, site) = (desk(), trees());
    desk.file(
        "debate-log.jsonl",
        entry(
            0,
            "A city survey counted 41,000 street trees in 2024.",
            &format!("{}/a", site.base()),
        ),
    );
    assert_eq!(sources(&desk, &["--log", "."]).code, 0);
    let once = desk.read("debate-log.jsonl");
    assert_eq!(sources(&desk, &["--log", "."]).code, 0);
    assert_eq!(desk.read("debate-log.jsonl"), once);
    assert_eq!(results(&once).len(), 1);
}

#[test]
fn readers_of_three_words_get_marked_results_in_four_keys() {
    let (desk, site) = (desk(), Site::start(|_| Reply::new(500)));
    desk.file(
        "debate-log.jsonl",
        entry(
            0,
            "A city survey counted 41,000 street trees.",
            &format!("{}/a", site.base()),
        ),
    );
    sources(
        &desk,
        &[
            "--log",
            ".",
            "--suspect-as",
            "unreliable",
            "--minimal-content",
        ],
    );
    let log = desk.read("debate-log.jsonl");
    let content: Value = serde_json::from_str(lines(&log)[1]["content"].as_str().unwrap()).unwrap();
    assert_eq!(content["status"], "unreliable");
    assert!(
        content["explanation"]
            .as_str()
            .unwrap()
            .starts_with("SUSPECT: ")
    );
    assert_eq!(content.as_object().unwrap().len(), 4);
}

/// Appends one entry as the shell writer does: the lock, the line count, one line.
fn write_log(folder: &Path, content: &str, url: &str) {
    let lock = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("debate-log.lock"))
        .unwrap();
    lock.lock().unwrap();
    let log = folder.join("debate-log.jsonl");
    let seq = std::fs::read_to_string(&log).map_or(0, |text| text.matches('\n').count());
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log)
        .unwrap();
    file.write_all(entry(seq as u64, content, url).as_bytes())
        .unwrap();
}

#[test]
fn nothing_is_lost_beside_four_other_writers() {
    let (desk, site) = (desk(), trees());
    desk.file("debate-log.jsonl", "");
    desk.file("inbox", "");
    let mut args = vec![
        "sources", "--log", ".", "--watch", "--inbox", "inbox", "--outbox", "out", "--grace", "0",
        "--jobs", "4",
    ];
    args.extend(["--host-concurrency", "8", "--spot-check-rate", "1"]);
    args.extend(polite());
    let mut child = desk
        .command(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (folder, base) = (desk.path(), site.base());
            scope.spawn(move || {
                for number in 0..500 {
                    // One in ten brings work; the rest only contends for the lock.
                    let path = if number % 10 == 0 {
                        format!("{writer}-{number}")
                    } else {
                        "same".to_owned()
                    };
                    write_log(
                        folder,
                        "A city survey counted 41,000 street trees in 2024.",
                        &format!("{base}/{path}"),
                    );
                }
            });
        }
    });
    // The Chair stops when enough is there; what is missing is found by the next run.
    std::thread::sleep(Duration::from_secs(1));
    OpenOptions::new()
        .append(true)
        .open(desk.path().join("inbox"))
        .unwrap()
        .write_all(b"{\"type\":\"stop\"}\n")
        .unwrap();
    child.wait().unwrap();
    sources(
        &desk,
        &[
            "--log",
            ".",
            "--outbox",
            "out",
            "--jobs",
            "4",
            "--host-concurrency",
            "8",
        ],
    );

    let log = desk.read("debate-log.jsonl");
    let found = results(&log);
    let unique: HashSet<&(u64, String)> = found.iter().collect();
    assert_eq!(
        lines(&log)
            .iter()
            .filter(|line| line["speaker"] == "promoter")
            .count(),
        2000
    );
    assert_eq!((found.len(), unique.len()), (2000, 2000));
}

#[test]
fn a_kill_at_any_moment_loses_nothing_and_repeats_nothing() {
    let (desk, site) = (
        desk(),
        Site::start(|_| Reply::html(PAGE).after(Duration::from_millis(2))),
    );
    let log: String = (0..120)
        .map(|number| {
            entry(
                number,
                "A city survey counted 41,000 street trees in 2024.",
                &format!("{}/{number}", site.base()),
            )
        })
        .collect();
    desk.file("debate-log.jsonl", &log);
    let mut random: u64 = 0x9e37_79b9;
    for _ in 0..100 {
        let mut args = vec![
            "sources",
            "--log",
            ".",
            "--outbox",
            "out",
            "--jobs",
            "2",
            "--host-concurrency",
            "4",
        ];
        args.extend(polite());
        let mut child = desk
            .command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let until = Instant::now() + Duration::from_micros((random >> 33) % 120_000);
        while Instant::now() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(300));
        }
        let _ = child.kill();
        child.wait().unwrap();
        let now = desk.read("debate-log.jsonl");
        assert!(now.starts_with(&log), "what was there is unchanged");
        let whole = now.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for line in whole.lines().filter(|line| line.ends_with('}')) {
            serde_json::from_str::<Value>(line).unwrap();
        }
    }
    let seen = sources(
        &desk,
        &[
            "--log",
            ".",
            "--outbox",
            "out",
            "--jobs",
            "4",
            "--host-concurrency",
            "8",
        ],
    );
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let log = desk.read("debate-log.jsonl");
    let complete: Vec<&str> = log.lines().filter(|line| line.ends_with('}')).collect();
    let whole = complete.join("\n");
    let found: Vec<(Value, Value)> = lines(&whole)
        .iter()
        .filter(|line| line["type"] == "verification_result")
        .map(|line| {
            let content: Value = serde_json::from_str(line["content"].as_str().unwrap()).unwrap();
            (content["verified_seq"].clone(), content["url"].clone())
        })
        .collect();
    let unique: HashSet<String> = found.iter().map(|pair| format!("{pair:?}")).collect();
    assert_eq!((found.len(), unique.len()), (120, 120));
}

#[test]
fn a_lock_that_is_never_given_back_ends_in_a_clear_error() {
    let (desk, site) = (desk(), trees());
    desk.file(
        "debate-log.jsonl",
        entry(
            0,
            "A city survey counted 41,000 street trees.",
            &format!("{}/a", site.base()),
        ),
    );
    let lock = File::create(desk.path().join("debate-log.lock")).unwrap();
    lock.lock().unwrap();
    let seen = sources(&desk, &["--log", ".", "--lock-timeout", "0.1"]);
    insta::assert_snapshot!(seen.summary());
    assert_eq!(desk.read("debate-log.jsonl").lines().count(), 1);
}
