//! `crosscheck batch`: many jobs, and what one of them cannot do to the others.

use std::io::Write as _;
use std::process::Stdio;

use crosscheck_testkit::{Desk, Schema, Seen};
use serde_json::{Value, json};

use crate::desk;

fn shop() -> Desk {
    let desk = desk();
    desk.crosscheck(["demo", "tour"]);
    desk.file("notes.txt", "The limit is 40 requests.\n");
    desk
}

fn batch(desk: &Desk, options: &[&str], jobs: &[Value]) -> Seen {
    let lines: Vec<String> = jobs.iter().map(|job| format!("{job}\n")).collect();
    let words = ["batch"].iter().chain(options);
    desk.crosscheck_with_input(words, lines.concat().as_bytes())
}

fn answers(seen: &Seen) -> Vec<Value> {
    let lines = seen.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The verdict of an answer, or the code of its error.
fn ends(answer: &Value) -> String {
    let word = answer.get("verdict").or_else(|| answer.get("text"));
    let word = word.or_else(|| answer["error"].get("code"));
    word.and_then(Value::as_str).unwrap_or("nothing").to_owned()
}

fn judge(id: impl Into<Value>, claim: &str) -> Value {
    json!({"id": id.into(), "task": "judge", "claim": claim, "text": "The limit is 40 requests."})
}

/// One job of every task, what it ends with, and whether the program itself agrees.
fn every_task() -> Vec<(Value, &'static str)> {
    let claim = |quote: &str| {
        json!({"version": "SubResult.v1", "task_id": "t", "status": "ok",
            "coverage": {"inputs_scanned": [{"source": "notes.txt", "method": "read", "scope": "all"}]},
            "answers": [{"question": "q", "summary": "s", "claims": [{"claim_id": "c1", "claim": quote, "confidence": 0.9,
                "evidence": [{"source": "notes.txt", "quote": quote,
                    "locator": {"type": "line_range", "path": "notes.txt", "start": 1, "end": 1}}]}]}]})
        .to_string()
    };
    let log =
        r#"{"tool":"orders.update","params":{"id":"o_1002","status":"refunded"},"result":"ok"}"#;
    vec![
        (
            json!({"id": 0, "task": "rows", "log": {"path": "tour/calls.ndjson"}, "db": "tour/shop.db"}),
            "refuted",
        ),
        (
            json!({"id": 1, "task": "rows", "log": {"text": log}, "db": "tour/shop.db"}),
            "refuted",
        ),
        (
            json!({"id": 2, "task": "rows", "log": {"path": "tour/trusted.ndjson"}, "db": "shop"}),
            "confirmed",
        ),
        (
            json!({"id": 3, "task": "quick", "log": {"text": log}, "db": "tour/shop.db"}),
            "refuted",
        ),
        (
            json!({"id": 4, "task": "claims", "document": {"text": claim("The limit is 40 requests.")}}),
            "confirmed",
        ),
        (
            json!({"id": 5, "task": "claims", "document": {"text": claim("The limit is 50 requests.")}}),
            "refuted",
        ),
        (
            json!({"id": 6, "task": "sources", "document": {"text": "It is so [1](https://example.org/)."}}),
            "undecided",
        ),
        (
            json!({"id": 7, "task": "trace", "trace": {"text": ""}, "plan": {"text": "{}"}}),
            "refuted",
        ),
        (judge(8, "The limit is 50 requests."), "refuted"),
        (
            json!({"id": 9, "task": "done", "message": "I created `missing.py`."}),
            "refuted",
        ),
        (
            json!({"id": 10, "task": "verify", "workspace": "w"}),
            "CLI_USAGE",
        ),
        (
            json!({"id": 11, "task": "check", "workflow_id": "w", "events": {"text": ""}, "registry": {"text": "[]"}, "db": "shop"}),
            "any",
        ),
        (
            json!({"id": "twelve", "task": "rows", "log": {"path": "missing"}, "db": "shop"}),
            "CLI_USAGE",
        ),
        (json!({"id": 13, "task": "unknown"}), "CLI_USAGE"),
        (
            json!({"id": 14, "task": "judge", "claim": "a", "text": "b", "program": "sh"}),
            "CLI_USAGE",
        ),
        (json!([1, 2]), "CLI_USAGE"),
    ]
}

#[test]
fn every_task_is_answered_in_order_and_by_the_schema() {
    let desk = shop();
    let table = every_task();
    let jobs: Vec<Value> = table.iter().map(|(job, _)| job.clone()).collect();
    let schema = |name: &str| Schema::new(desk.crosscheck(["schema", name]).json());
    let (asked, answered) = (schema("batch-job"), schema("batch-answer"));
    for options in [&["--jobs", "1"][..], &["--jobs", "3"]] {
        let options = [options, &["--offline", "--db", "shop=tour/shop.db"]].concat();
        let seen = batch(&desk, &options, &jobs);
        assert_eq!(seen.code, 3, "{}", seen.stderr);
        let answers = answers(&seen);
        assert_eq!(answers.len(), table.len());
        for ((job, wanted), answer) in table.iter().zip(&answers) {
            assert_eq!(job.get("id").unwrap_or(&Value::Null), &answer["id"]);
            assert!(
                *wanted == "any" || ends(answer) == *wanted,
                "{job} {answer}"
            );
            assert_eq!(answered.problems(answer), Vec::<String>::new());
            let is_read =
                *wanted != "CLI_USAGE" || job["task"] == "verify" || job["id"] == "twelve";
            assert_eq!(asked.fits(job), is_read, "{job}");
        }
    }
}

#[test]
fn units_are_those_of_the_ndjson_format() {
    let desk = shop();
    let words = [
        "rows",
        "tour/calls.ndjson",
        "--db",
        "tour/shop.db",
        "--format",
        "ndjson",
    ];
    let alone = desk.crosscheck(words);
    let (job, _) = every_task().swap_remove(0);
    let answer = answers(&batch(&desk, &[], &[job])).swap_remove(0);
    let units: Vec<Value> = answers(&alone)
        .into_iter()
        .filter(|line| line["type"] == "outcome")
        .map(|mut line| {
            let line = line.as_object_mut().unwrap();
            line.retain(|key, _| !["type", "verifier", "subject"].contains(&key.as_str()));
            json!(line)
        })
        .collect();
    assert_eq!(answer["units"], json!(units));
}

#[test]
fn an_answer_and_an_ndjson_report_are_rendered_in_every_format() {
    let desk = shop();
    let (job, _) = every_task().swap_remove(0);
    let answer = answers(&batch(&desk, &[], &[job])).swap_remove(0);
    let words = [
        "rows",
        "tour/calls.ndjson",
        "--db",
        "tour/shop.db",
        "--format",
    ];
    let report = desk.crosscheck(words.iter().chain(&["ndjson"])).stdout;
    desk.file("report.ndjson", &report);
    // a page also names its inputs and the day, which the lines of a report do not hold
    let page = desk.crosscheck(["render", "report.ndjson", "--format", "html"]);
    assert!(page.stdout.contains("VALUE_MISMATCH"), "{}", page.stdout);
    for format in ["junit", "sarif", "markdown", "github", "csv", "ndjson"] {
        let direct = desk.crosscheck(words.iter().chain(&[format])).stdout;
        let again = desk.crosscheck(["render", "report.ndjson", "--format", format]);
        assert_eq!((again.code, &again.stdout), (0, &direct), "{format}");
        let job = json!({"id": 1, "task": "render", "format": format, "report": answer});
        let seen = answers(&batch(&desk, &[], &[job])).swap_remove(0);
        assert_eq!(seen["text"], direct, "{format}");
    }
    desk.file("half.ndjson", report.lines().next().unwrap());
    assert_eq!(desk.crosscheck(["render", "half.ndjson"]).code, 3);
    desk.file("twice.ndjson", format!("{report}{report}"));
    let twice = desk.crosscheck(["render", "twice.ndjson"]);
    assert_eq!(twice.code, 3, "{}", twice.summary());
    assert!(
        twice.stderr.contains("stands there twice"),
        "{}",
        twice.stderr
    );
}

#[test]
fn the_worst_job_decides_the_exit_code() {
    let desk = shop();
    let (truth, open, lie) = (
        "The limit is 40 requests.",
        "Cats purr.",
        "The limit is 50 requests.",
    );
    for (claims, code) in [
        (&[truth][..], 0),
        (&[truth, open], 2),
        (&[open, lie, truth], 1),
        (&[], 0),
    ] {
        let jobs: Vec<Value> = claims.iter().map(|claim| judge(1, claim)).collect();
        assert_eq!(batch(&desk, &[], &jobs).code, code, "{claims:?}");
    }
}

#[test]
fn jobs_read_nothing_outside_the_root_and_name_no_server() {
    let desk = shop();
    desk.file("root/in.jsonl", "{}\n");
    std::os::unix::fs::symlink(desk.at("notes.txt"), desk.at("root/link")).unwrap();
    std::os::unix::fs::symlink(desk.at("tour"), desk.at("root/tour")).unwrap();
    let rows = |log: &str, db: &str| json!({"task": "rows", "log": {"path": log}, "db": db});
    let jobs = [
        rows("../notes.txt", "tour/shop.db"),
        rows("link", "tour/shop.db"),
        rows(&desk.at("notes.txt"), "x.db"),
        rows("in.jsonl", "tour/shop.db"),
        rows("in.jsonl", "postgres://127.0.0.1:1/x"),
        rows("in.jsonl", "sqlite:///etc/passwd"),
        json!({"task": "claims", "document": {"text": "{}"}, "root": ".."}),
        json!({"task": "claims", "document": {"text": "{}"}, "root": "tour"}),
        json!({"task": "done", "message": "x", "root": "/"}),
        json!({"task": "done", "transcript": {"path": "../notes.txt"}}),
        json!({"task": "trace", "run_dir": "../tour"}),
    ];
    for answer in answers(&batch(&desk, &["--root", "root"], &jobs)) {
        assert_eq!(ends(&answer), "CLI_USAGE", "{answer}");
    }
    // what is there and what is not, outside of the root, have one answer
    for (there, missing) in [
        (
            rows("in.jsonl", "../notes.txt"),
            rows("in.jsonl", "../no.db"),
        ),
        (rows("../notes.txt", "x.db"), rows("../tour", "x.db")),
        (rows("link", "x.db"), rows("tour/none", "x.db")),
        (
            json!({"task": "trace", "run_dir": "../tour"}),
            json!({"task": "trace", "run_dir": "../none"}),
        ),
    ] {
        let both = answers(&batch(&desk, &["--root", "root"], &[there, missing]));
        assert_eq!(both[0]["error"], both[1]["error"], "{both:?}");
    }
}

#[test]
fn an_id_that_reorders_a_line_is_the_same_id_and_reorders_nothing() {
    let id = "a\u{202e}b\u{9b}";
    let seen = batch(
        &shop(),
        &[],
        &[judge(id, "Cats purr."), json!({"id": id, "task": 7})],
    );
    assert!(
        !seen.stdout.contains(['\u{202e}', '\u{9b}']),
        "{}",
        seen.stdout
    );
    assert!(answers(&seen).iter().all(|answer| answer["id"] == id));
}

#[test]
fn a_job_that_takes_too_long_or_ends_its_process_harms_no_other() {
    let desk = shop();
    let jobs: Vec<Value> = (0..9)
        .map(|number| match number {
            3 => judge(number, "sleep"),
            5 => judge(number, "die"),
            _ => judge(number, "The limit is 40 requests."),
        })
        .collect();
    let script = r#"case "$1" in *sleep*) sleep 60;; *die*) kill -9 $PPID;; esac; echo '{"verdict":"supports","span":"The limit is 40 requests."}'"#;
    let script = desk.file("judge.sh", script);
    let script = script.to_str().unwrap();
    let options = [
        "--limit",
        "3",
        "--jobs",
        "1",
        "--no-judge-cache",
        "--judge",
        "command",
        "--judge-command",
        "sh",
        script,
        "{prompt}",
    ];
    let answers = answers(&batch(&desk, &options, &jobs));
    let ended: Vec<String> = answers.iter().map(ends).collect();
    for (number, end) in ended.iter().enumerate() {
        let wanted = match number {
            3 => "BATCH_JOB_TIMED_OUT",
            5 => "BATCH_WORKER_LOST",
            _ => "confirmed",
        };
        assert_eq!(end, wanted, "{ended:?}");
    }
}

#[test]
fn a_process_that_needs_too_much_memory_ends_alone() {
    let desk = shop();
    let large = "x ".repeat(8 << 20);
    let jobs = [
        judge(0, "The limit is 40 requests."),
        json!({"id": 1, "task": "judge", "claim": large, "text": large}),
        judge(2, "The limit is 40 requests."),
    ];
    let answers = answers(&batch(&desk, &["--memory", "160", "--jobs", "1"], &jobs));
    let ended: Vec<String> = answers.iter().map(ends).collect();
    assert_eq!(ended, ["confirmed", "BATCH_WORKER_LOST", "confirmed"]);
    // a file that does not fit is said to be too large, and not to be missing
    let log = std::fs::File::create(desk.at("large.jsonl")).unwrap();
    log.set_len(200 << 20).unwrap();
    let job =
        json!({"id": 3, "task": "rows", "log": {"path": "large.jsonl"}, "db": "tour/shop.db"});
    let ended = self::answers(&batch(&desk, &["--memory", "160"], &[job])).swap_remove(0);
    assert_eq!(ends(&ended), "INPUT_TOO_LARGE", "{ended}");
}

#[test]
fn answers_in_a_file_are_kept_and_not_asked_again() {
    let desk = shop();
    let jobs: Vec<Value> = (0..50)
        .map(|id| judge(id, "The limit is 40 requests."))
        .collect();
    let first = batch(&desk, &["--output", "answers.ndjson"], &jobs[..20]);
    assert_eq!((first.code, first.stdout.as_str()), (0, ""));
    let mut half = desk.read("answers.ndjson");
    assert_eq!(half.lines().count(), 20);
    half.push_str(r#"{"id":20,"task":"jud"#); // what a killed process leaves
    desk.file("answers.ndjson", &half);
    let second = batch(&desk, &["--output", "answers.ndjson"], &jobs);
    assert!(second.stderr.starts_with("30 jobs: "), "{}", second.stderr);
    let ids: Vec<Value> = desk
        .read("answers.ndjson")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, (0..50).map(Value::from).collect::<Vec<_>>());
    desk.file("other.txt", "a file of mine\n");
    assert_eq!(batch(&desk, &["--output", "other.txt"], &jobs).code, 3);
    assert_eq!(desk.read("other.txt"), "a file of mine\n");
}

#[test]
fn a_job_that_cannot_be_read_is_answered_by_its_id_or_its_line_and_once() {
    let desk = shop();
    let mut lines = vec![b"[1, 2]".to_vec(), Vec::new()];
    lines.extend([
        br#"{"id": 7, "task": "judge", "claim": NaN}"#.to_vec(),
        br#"{"id":1.5,"task":"judge","claim":"a","text":"a"}"#.to_vec(),
        [
            &br#"{"id":"long","task":"judge","text":""#[..],
            &b"x".repeat(64 << 20),
        ]
        .concat(),
        b"x".repeat((64 << 20) + 1),
    ]);
    let input = lines.join(&b'\n');
    let words = ["batch", "--jobs", "1", "--output", "answers.ndjson"];
    for jobs in ["5 jobs: ", "0 jobs: "] {
        let seen = desk.crosscheck_with_input(words, &input);
        assert!(seen.stderr.starts_with(jobs), "{}", seen.summary());
    }
    let text = desk.read("answers.ndjson");
    let seen: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let who: Value = seen
        .iter()
        .map(|one| json!([one["id"], one["line"]]))
        .collect();
    let wanted = json!([[null, 1], [7, null], [null, 4], ["long", null], [null, 6]]);
    assert_eq!(who, wanted, "{text}");
    let codes: Vec<String> = seen.iter().map(ends).collect();
    assert_eq!(codes[3..], ["INPUT_TOO_LARGE", "INPUT_TOO_LARGE"]);
    let said = seen[2]["error"]["message"].as_str().unwrap();
    assert!(said.contains("a whole number of 64 bits"), "{said}");
}

/// Kills the processes that another one started.
#[cfg(target_os = "linux")]
fn kill_children(parent: u32) {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).unwrap();
    let of = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children"));
    let children: String = tasks.map(|task| of(task.unwrap()).unwrap()).collect();
    assert!(!children.trim().is_empty());
    for child in children.split_whitespace() {
        let killed = std::process::Command::new("kill")
            .args(["-9", child])
            .status();
        assert!(killed.unwrap().success());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_ends_while_it_is_idle_takes_no_job_with_it() {
    use std::io::{BufRead as _, BufReader};
    let desk = shop();
    let mut child = desk
        .command(["batch", "--jobs", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in 0..3 {
        writeln!(input, "{}", judge(id, "The limit is 40 requests.")).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(
            ends(&serde_json::from_str(&line).unwrap()),
            "confirmed",
            "{line}"
        );
        kill_children(child.id());
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    drop(input);
    child.wait().unwrap();
}

#[test]
fn an_answer_comes_before_the_next_job_is_sent() {
    use std::io::{BufRead as _, BufReader};
    let desk = shop();
    let mut child = desk
        .command(["batch", "--unordered"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in 0..5 {
        writeln!(input, "{}", judge(id, "The limit is 40 requests.")).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
