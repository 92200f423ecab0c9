//! `crosscheck claims` on documents and files that are made to hurt.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;

use crosscheck_testkit::{Desk, Seen};
use serde_json::json;

use crate::claims::{document, with_file};

const LIMIT: usize = 64 * 1024 * 1024;

/// Runs with an address space that cannot grow far beyond what is stated.
fn bounded(desk: &Desk, mebibytes: u64, args: &[&str]) -> Seen {
    let limit = format!("ulimit -v {} && exec \"$0\" \"$@\"", mebibytes * 1024);
    let command = desk.command(args);
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", &limit])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(desk.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", desk.home());
    desk.seen(&shell.output().unwrap())
}

#[test]
fn a_document_of_64_mib_is_read_and_one_byte_more_is_refused() {
    let desk = with_file();
    let text = document("big", "The default port is 8080", "port = 8080");
    let mut text = text.into_bytes();
    text.resize(LIMIT, b' ');
    desk.file("big.json", &text);
    let args = ["claims", "--result", "big.json", "--no-persist"];
    let args = [&args[..], &["--jobs", "2"]].concat();
    let seen = bounded(&desk, 1024, &args);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    text.push(b' ');
    desk.file("big.json", &text);
    insta::assert_snapshot!(bounded(&desk, 1024, &args).summary());
}

#[test]
fn many_claims_with_one_id_take_bounded_memory() {
    let desk = with_file();
    let claim = json!({
        "claim_id": "same", "claim": "c", "confidence": 1,
        "evidence": [{"source": "s", "locator": {"type": "unheard_of"}}],
    })
    .to_string();
    let mut text = String::from(
        r#"{"version":"SubResult.v1","task_id":"many","status":"ok","coverage":{"inputs_scanned":[]},"answers":[{"question":"q","summary":"","claims":["#,
    );
    let count = 50_000;
    for number in 0..count {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(text, "{comma}{claim}");
    }
    text.push_str("]}]}");
    desk.file("many.json", &text);
    let seen = bounded(
        &desk,
        1024,
        &[
            "claims",
            "--result",
            "many.json",
            "--select",
            "all",
            "--details",
            "details.json",
            "--jobs",
            "2",
        ],
    );
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert_eq!(seen.json()["checked"], count);
    let details: serde_json::Value = serde_json::from_str(&desk.read("details.json")).unwrap();
    assert_eq!(
        details["warnings"].as_array().unwrap().len(),
        1001,
        "1000 warnings, and one that says how many were left out"
    );
}

#[test]
fn nesting_is_read_to_128_levels_and_refused_beyond() {
    let desk = with_file();
    for (depth, code) in [(120, 0), (200, 1), (5_000_000, 1)] {
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        let text = document("deep", "The default port is 8080", "port = 8080")
            .replace("\"quote\"", &format!("\"extra\":{deep},\"quote\""));
        desk.file("deep.json", text);
        let seen = desk.crosscheck(["claims", "--result", "deep.json", "--no-persist"]);
        assert_eq!(seen.code, code, "{depth}: {}", seen.summary());
        assert!(seen.stdout.starts_with('{'), "{depth}");
    }
}

#[test]
fn what_is_no_regular_file_is_never_waited_for() {
    let desk = with_file();
    let pipe = desk.path().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    symlink("loop", desk.path().join("loop")).unwrap();
    std::fs::create_dir(desk.path().join("folder")).unwrap();
    symlink("..", desk.path().join("folder/up")).unwrap();
    for (path, code, result) in [
        ("pipe", 1, "not_a_file"),
        ("/dev/zero", 1, "not_a_file"),
        ("/dev/tty", 1, "not_a_file"),
        ("folder", 1, "not_a_file"),
        ("loop", 2, "unreadable"),
        ("folder/up/a.conf", 0, "supported"),
        ("folder/up/folder/up/a.conf", 0, "supported"),
    ] {
        let text = document("t", "The default port is 8080", "port = 8080")
            .replace("\"a.conf\"", &format!("{path:?}"));
        desk.file("odd.json", text);
        let args = ["claims", "--result", "odd.json", "--no-persist"];
        let seen = desk.crosscheck([&args[..], &["--details", "details.json"]].concat());
        assert_eq!(seen.code, code, "{path}: {}", seen.summary());
        let evidence = &desk.json("details.json")["claims"][0]["evidence"][0];
        assert_eq!(evidence["code"], result, "{path}: {evidence}");
    }
}

#[test]
fn a_query_that_selects_the_same_over_and_over_is_not_run() {
    let desk = with_file();
    desk.file("nest.json", "[".repeat(60) + "1" + &"]".repeat(60));
    for query in [
        format!("${}", "[0,0]".repeat(40)),
        format!("${}", "..*".repeat(6)),
    ] {
        let text = document("q", "The default port is 8080", "1").replace(
            r#"{"end":2,"path":"a.conf","start":2,"type":"line_range"}"#,
            &json!({"type": "json_path", "source": "nest.json", "path": query}).to_string(),
        );
        desk.file("q.json", text);
        let args = ["claims", "--result", "q.json", "--extended", "--no-persist"];
        let seen = desk.crosscheck([&args[..], &["--details", "details.json"]].concat());
        assert_eq!(seen.code, 2, "{}", seen.summary());
        let evidence = &desk.json("details.json")["claims"][0]["evidence"][0];
        assert_eq!(evidence["code"], "file_too_large");
    }
}
