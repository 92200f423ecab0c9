//! How the Chair, proxies, search programs and people at a terminal reach
//! `crosscheck sources`, each with the real thing on loopback.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crosscheck_testkit::{Authority, Desk, Reply, Site, TlsSite};
use serde_json::{Value, json};

use crate::desk;

const CLAIM: &str = "A city survey counted 41,000 street trees in 2024.";

fn trees() -> Site {
    Site::start(|asked| match asked.target.as_str() {
        "/wall" => Reply::new(403),
        "/gone" => Reply::new(404),
        "/slow" => Reply::html(page()).after(Duration::from_millis(700)),
        _ => Reply::html(page()),
    })
}

fn page() -> String {
    format!(
        "<!doctype html><html lang=en><title>City trees</title><p>{CLAIM}</p><p>{}</p>",
        "Oaks, elms and limes grow along many quiet roads of the town. ".repeat(5)
    )
}

fn entry(seq: u64, url: &str) -> String {
    let line = json!({"seq": seq, "timestamp": "2026-02-21T15:00:00Z", "phase": "rebuttal", "speaker": "promoter",
        "type": "new_point", "content": format!("{CLAIM} ({url})"), "sources": [{"url": url, "title": "City trees"}]});
    format!("{line}\n")
}

const POLITE: [&str; 5] = [
    "--allow-private",
    "--retry-wait",
    "0",
    "--host-request-interval",
    "0",
];

/// A program that follows the log of this desk; entries wait long, so that only the Chair's word starts a check.
fn watch(desk: &Desk, more: &[&str]) -> Child {
    let args = [
        &[
            "sources", "--log", ".", "--watch", "--grace", "60", "--outbox", "out",
        ],
        &POLITE[..],
        more,
    ];
    desk.command(args.concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the outbox tells this.
fn wait_for(desk: &Desk, words: &str) {
    let until = Instant::now() + Duration::from_mins(1);
    let path = desk.path().join("out");
    while Instant::now() < until {
        if std::fs::read_to_string(&path).is_ok_and(|printed| printed.contains(words)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{words} was never told");
}

fn ended(child: Child) -> i32 {
    let output = child.wait_with_output().unwrap();
    output
        .status
        .code()
        .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_chair_speaks_on_standard_input() {
    let (desk, site) = (desk(), trees());
    desk.file("debate-log.jsonl", entry(0, &format!("{}/a", site.base())));
    let mut child = watch(&desk, &["--inbox", "-"]);
    wait_for(&desk, "Verifier ready.");
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}", json!({"type": "notify", "seq": 0})).unwrap();
    wait_for(&desk, "VERIFIED: seq 0");
    writeln!(stdin, "{}", json!({"type": "stop"})).unwrap();
    assert_eq!(ended(child), 0);
}

#[test]
fn a_fifo_takes_one_writer_after_the_other() {
    let (desk, site) = (desk(), trees());
    let base = site.base();
    let log = entry(0, &format!("{base}/a")) + &entry(1, &format!("{base}/gone"));
    desk.file("debate-log.jsonl", log);
    let fifo = desk.path().join("inbox");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let child = watch(&desk, &["--inbox", "inbox"]);
    wait_for(&desk, "Verifier ready.");
    let say = |text: &str| {
        let mut writer = OpenOptions::new().write(true).open(&fifo).unwrap();
        writeln!(writer, "{}", json!({"text": text})).unwrap();
    };
    say("New entry at seq 0 from promoter (new_point). Sources: none. Please verify any sources.");
    wait_for(&desk, "VERIFIED: seq 0");
    say(&format!(
        "URGENT: Please verify seq 1, URL: {base}/gone. Report back immediately."
    ));
    wait_for(&desk, "FABRICATED SOURCE: seq 1");
    let mut writer = OpenOptions::new().write(true).open(&fifo).unwrap();
    writeln!(writer, "{}", json!({"type": "stop"})).unwrap();
    drop(writer);
    assert_eq!(ended(child), 1);
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Sends raw bytes to the door and gives the first line of its answer.
fn knock(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.lines().next().unwrap_or_default().to_owned()
}

fn post(port: u16, body: &str, token: &str) -> String {
    knock(
        port,
        &format!(
            "POST /messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

/// The number of an answer.
fn status_of(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or(answer)
}

#[test]
fn the_door_on_loopback_takes_messages_with_the_token_and_nothing_else() {
    let (desk, site) = (desk().variable("DOOR", "s3cret"), trees());
    desk.file("debate-log.jsonl", entry(0, &format!("{}/a", site.base())));
    let port = free_port();
    let address = format!("127.0.0.1:{port}");
    let child = watch(&desk, &["--listen", &address, "--listen-token-env", "DOOR"]);
    wait_for(&desk, "Verifier ready.");
    // Somebody who says nothing keeps nobody waiting.
    let idle = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let started = Instant::now();
    let notify = json!({"type": "notify", "seq": 0}).to_string();
    for (request, status) in [
        (post(port, &notify, "wrong"), "401"),
        (
            knock(
                port,
                "GET /messages HTTP/1.1\r\nAuthorization: Bearer s3cret\r\n\r\n",
            ),
            "405",
        ),
        (
            knock(
                port,
                "POST /other HTTP/1.1\r\nAuthorization: Bearer s3cret\r\n\r\n",
            ),
            "404",
        ),
        (
            knock(
                port,
                "POST /messages HTTP/1.1\r\nAuthorization: Bearer s3cret\r\nTransfer-Encoding: chunked\r\n\r\n",
            ),
            "411",
        ),
        (
            knock(
                port,
                "POST /messages HTTP/1.1\r\nAuthorization: Bearer s3cret\r\nContent-Length: 99999999\r\n\r\n",
            ),
            "413",
        ),
        (post(port, &notify, "s3cret"), "202"),
    ] {
        assert_eq!(status_of(&request), status, "{request}");
    }
    wait_for(&desk, "VERIFIED: seq 0");
    assert!(started.elapsed() < Duration::from_secs(9), "{started:?}");
    drop(idle);
    let stopped = post(port, "{\"type\":\"stop\"}", "s3cret");
    assert_eq!(status_of(&stopped), "202");
    assert_eq!(ended(child), 0);
}

#[test]
fn the_door_without_a_token_refuses_pages_and_names_of_other_sites() {
    let (desk, site) = (desk(), trees());
    desk.file("debate-log.jsonl", entry(0, &format!("{}/a", site.base())));
    let port = free_port();
    let child = watch(&desk, &["--listen", &format!("127.0.0.1:{port}")]);
    wait_for(&desk, "Verifier ready.");
    let say = |body: &str, headers: &str| {
        let length = body.len();
        let request =
            format!("POST /messages HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        knock(port, &request)
    };
    let stop = r#"{"type":"stop"}"#;
    let ours = format!("Host: 127.0.0.1:{port}\r\n");
    for foreign in [
        "Host: rebound.example\r\n".to_owned(),
        format!("Host: rebound.example:{port}\r\n"),
        format!("Host: localhost.rebound.example:{port}\r\n"),
        format!("Host: 192.0.2.1:{port}\r\n"),
        "Host: \r\n".to_owned(),
        format!("{ours}host: rebound.example\r\n"),
        format!("{ours}Origin: https://site.example\r\n"),
        format!("{ours}Origin: null\r\n"),
        format!("{ours}Origin: http://127.0.0.1:1\r\n"),
        format!("{ours}Origin: https://127.0.0.1:{port}\r\n"),
        "Origin: http://127.0.0.1\r\n".to_owned(),
    ] {
        let answer = say(stop, &foreign);
        assert_eq!(status_of(&answer), "403", "{foreign}: {answer}");
    }
    let notify = json!({"type": "notify", "seq": 0}).to_string();
    for own in [
        format!("Host: LOCALHOST:{port}\r\n"),
        "Host: [::1]\r\n".to_owned(),
        format!("{ours}Origin: http://127.0.0.1:{port}\r\n"),
        String::new(),
    ] {
        let answer = say(&notify, &own);
        assert_eq!(status_of(&answer), "202", "{own}: {answer}");
    }
    wait_for(&desk, "VERIFIED: seq 0");
    assert_eq!(status_of(&say(stop, &ours)), "202");
    assert_eq!(ended(child), 0);
}

#[test]
fn a_program_and_an_endpoint_get_each_message_before_it_is_logged() {
    let (desk, site) = (desk(), trees());
    let chair = Site::start(|_| Reply::new(204));
    let endpoint = format!("{}/chair", chair.base());
    for (outbox, count) in [("cmd:sh -c 'cat >> told'", 1), (endpoint.as_str(), 1)] {
        desk.file("debate-log.jsonl", entry(0, &format!("{}/a", site.base())));
        let seen =
            desk.crosscheck([&["sources", "--log", ".", "--outbox", outbox], &POLITE[..]].concat());
        assert_eq!(
            (seen.code, seen.stdout.as_str()),
            (0, ""),
            "{}",
            seen.stderr
        );
        assert_eq!(desk.read("debate-log.jsonl").lines().count(), 1 + count);
    }
    let printed: Value = serde_json::from_str(desk.read("told").trim()).unwrap();
    assert!(
        printed["text"]
            .as_str()
            .unwrap()
            .starts_with("VERIFIED: seq 0")
    );
    assert_eq!(chair.count("/chair"), 1);
}

#[test]
fn what_the_chair_did_not_get_is_not_in_the_log() {
    let (desk, site) = (desk(), trees());
    desk.file(
        "debate-log.jsonl",
        entry(0, &format!("{}/gone", site.base())),
    );
    let closed = format!("http://127.0.0.1:{}/x", free_port());
    for outbox in ["cmd:false", closed.as_str()] {
        let seen =
            desk.crosscheck([&["sources", "--log", ".", "--outbox", outbox], &POLITE[..]].concat());
        assert_eq!(seen.code, 3, "{}", seen.stderr);
        assert_eq!(desk.read("debate-log.jsonl").lines().count(), 1, "{outbox}");
    }
    let seen =
        desk.crosscheck([&["sources", "--log", ".", "--outbox", "out"], &POLITE[..]].concat());
    assert_eq!(seen.code, 1);
    assert!(desk.read("out").contains("FABRICATED SOURCE: seq 0"));
}

#[test]
fn proxies_of_the_environment_are_used_only_when_asked_for() {
    let (site, proxy) = (trees(), Site::start(|_| Reply::html(page())));
    let desk = desk()
        .variable("HTTP_PROXY", proxy.base())
        .variable("http_proxy", proxy.base());
    desk.file("a.md", format!("{CLAIM} ({}/a)\n", site.base()));
    let run = |more: &[&str]| desk.crosscheck([&["sources", "a.md"], &POLITE[..], more].concat());
    assert_eq!(run(&[]).code, 0);
    assert_eq!((site.asked().len(), proxy.asked().len()), (1, 0));
    assert_eq!(run(&["--use-proxy-env"]).code, 0);
    assert_eq!((site.asked().len(), proxy.asked().len()), (1, 1));
    assert_eq!(proxy.asked()[0].target, format!("{}/a", site.base()));
    // The guard looks at the name and its address before the proxy is asked.
    let refused = desk.crosscheck(["sources", "a.md", "--use-proxy-env"]);
    assert_eq!(
        (refused.code, proxy.asked().len()),
        (2, 1),
        "{}",
        refused.stdout
    );
}

#[test]
fn search_results_are_judged_on_their_snippet_or_on_their_page() {
    let (desk, site) = (desk(), trees());
    let hit = format!("http://other.fixture:{}/hit", site.port());
    let own = format!("{}/a", site.base());
    let hits = json!([{"title": "no url"}, {"url": own, "snippet": CLAIM}, {"url": own, "snippet": CLAIM},
        {"url": own, "snippet": CLAIM}, {"url": own, "snippet": CLAIM}, {"url": own, "snippet": CLAIM},
        {"url": hit, "title": "Trees", "snippet": "Something about trees."}]);
    desk.file("hits.json", hits.to_string());
    desk.file("dns.json", "{\"other.fixture\":\"LOOPBACK\"}");
    desk.file(
        "c.toml",
        "[sources]\nsearch_command = [\"sh\", \"-c\", \"cat > asked.json; cat hits.json\"]\n",
    );
    desk.file(
        "a.md",
        format!(
            "{CLAIM} (http://bob:s3cret@127.0.0.1:{}/wall)\n",
            site.port()
        ),
    );
    let run = |more: &[&str]| {
        let args = [
            &[
                "sources",
                "a.md",
                "--format",
                "json",
                "--config",
                "c.toml",
                "--dns-fixture",
                "dns.json",
            ],
            &POLITE[..],
            more,
        ];
        let seen = desk.crosscheck(args.concat());
        let report: Value =
            serde_json::from_str(&seen.stdout).unwrap_or_else(|_| panic!("{}", seen.stderr));
        let row = &report["results"][0];
        format!(
            "{} {}",
            row["code"].as_str().unwrap(),
            row["confidence"].as_str().unwrap()
        )
    };
    assert_eq!(run(&[]), "blocked_unconfirmed low");
    assert_eq!(site.count("/hit"), 0);
    assert!(!desk.read("asked.json").contains("s3cret"));
    assert_eq!(run(&["--search-fetch"]), "supported_indirect medium");
    assert_eq!(site.count("/hit"), 1);
}

/// Runs the program with a terminal as its standard error.
fn on_a_terminal(desk: &Desk, args: &str) -> String {
    let command = format!("{} {args} > result", env!("CARGO_BIN_EXE_crosscheck"));
    let output = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(desk.path())
        .stdin(Stdio::null())
        .env("HOME", desk.home())
        .env("TERM", "xterm")
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_terminal_shows_what_is_pending_in_progress_and_found() {
    let (desk, site) = (desk(), trees());
    let base = site.base();
    desk.file(
        "a.md",
        format!("{CLAIM} ({base}/a)\n\n{CLAIM} ({base}/gone)\n\n{CLAIM} ({base}/slow)\n\n{CLAIM} ({base}/slow?2)\n"),
    );
    let live = on_a_terminal(
        &desk,
        &format!("sources a.md --jobs 1 {}", POLITE.join(" ")),
    );
    assert!(
        live.contains(" pending, 1 in progress, found: 1 confirmed, 1 refuted, 0 undecided"),
        "{live}"
    );
    assert!(live.contains("\u{1b}[K"), "{live}");
    assert!(live.contains(&format!("fabricated {base}/gone")), "{live}");

    let plain = desk.crosscheck([&["sources", "a.md"], &POLITE[..]].concat());
    assert!(
        !plain.stderr.contains('\u{1b}') && !plain.stdout.contains('\u{1b}'),
        "{}",
        plain.stderr
    );
    let printed = desk.crosscheck([&["sources", "a.md", "--verbose"], &POLITE[..]].concat());
    assert!(
        printed
            .stderr
            .lines()
            .any(|line| line.starts_with(&format!("verified {base}/a "))),
        "{}",
        printed.stderr
    );
}

#[test]
fn the_progress_line_is_never_wider_than_the_terminal() {
    let (desk, site) = (desk(), trees());
    let base = site.base();
    desk.file(
        "a.md",
        format!("{CLAIM} ({base}/slow)\n\n{CLAIM} ({base}/slow?2)\n"),
    );
    let command = format!(
        "stty rows 24 cols 30; {} sources a.md --jobs 1 {} > result",
        env!("CARGO_BIN_EXE_crosscheck"),
        POLITE.join(" ")
    );
    let output = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(desk.path())
        .stdin(Stdio::null())
        .env("HOME", desk.home())
        .env("TERM", "xterm")
        .output()
        .unwrap();
    let live = String::from_utf8_lossy(&output.stdout).into_owned();
    let drawn: Vec<&str> = live
        .split("\r\u{1b}[K")
        .filter(|line| line.contains("pending"))
        .collect();
    assert!(!drawn.is_empty(), "{live}");
    for shown in drawn {
        let shown = shown.split(['\r', '\n']).next().unwrap_or_default();
        assert!(shown.chars().count() < 30, "{shown}");
    }
}

/// The report's only row, for a page behind TLS of somebody nobody else knows.
fn over_tls(desk: &Desk, url: &str) -> Value {
    desk.file("a.md", format!("{CLAIM} ({url})\n"));
    desk.file(
        "dns.json",
        "{\"trees.fixture\":\"LOOPBACK\",\"other.fixture\":\"LOOPBACK\"}",
    );
    let args = [
        "sources",
        "a.md",
        "--format",
        "json",
        "--dns-fixture",
        "dns.json",
    ];
    let seen = desk.crosscheck([&args[..], &POLITE[..]].concat());
    let report: Value =
        serde_json::from_str(&seen.stdout).unwrap_or_else(|_| panic!("{}", seen.stderr));
    report["results"][0].clone()
}

#[test]
fn tls_is_believed_by_the_systems_certificates_and_http_2_is_spoken_where_it_is_offered() {
    let authority = Authority::new("crosscheck test");
    let (certificate, key) = authority.issue(&["trees.fixture"]);
    let desk = desk();
    let trusted = desk.file("ca.pem", authority.pem());
    let desk = desk.variable("SSL_CERT_FILE", trusted);
    for (http2, protocol) in [(true, "h2"), (false, "http/1.1")] {
        let site = TlsSite::start(&certificate, &key, http2, &page());
        let row = over_tls(&desk, &format!("https://trees.fixture:{}/a", site.port()));
        assert_eq!(
            (&row["code"], &row["http_status"]),
            (&json!("supported"), &json!(200)),
            "{row}"
        );
        assert_eq!(site.spoken(), [protocol]);
        let wrong_name = over_tls(&desk, &format!("https://other.fixture:{}/a", site.port()));
        assert_eq!(wrong_name["code"], "tls_error", "{wrong_name}");
        assert_eq!(site.spoken().len(), 1);
    }
    let site = TlsSite::start(&certificate, &key, true, &page());
    let stranger = crate::desk();
    let untrusted = over_tls(
        &stranger,
        &format!("https://trees.fixture:{}/a", site.port()),
    );
    assert_eq!(
        (&untrusted["status"], &untrusted["code"]),
        (&json!("suspect"), &json!("tls_error"))
    );
    assert!(site.spoken().is_empty());
}

#[test]
fn dump_lists_what_a_log_cites_and_contacts_no_server() {
    let (desk, site) = (desk(), trees());
    let url = format!("{}/a", site.base());
    let struck = json!({"seq": 2, "speaker": "chair", "type": "redaction", "content": "REDACTED: seq 1", "sources": null});
    desk.file(
        "debate-log.jsonl",
        entry(0, &url) + &entry(1, &url) + &format!("{struck}\n"),
    );
    let seen = desk.crosscheck(["sources", "--log", ".", "--dump"]);
    assert_eq!(
        (seen.code, seen.stdout),
        (0, format!("seq 0\t{url}\t{CLAIM}\n"))
    );
    let json = desk.crosscheck(["sources", "--log", ".", "--dump", "--format", "json"]);
    let row: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        row,
        json!({"input": ".", "seq": 0, "url": url, "claim": CLAIM})
    );
    assert!(site.asked().is_empty());
    assert_eq!(desk.read("debate-log.jsonl").lines().count(), 3);
}
