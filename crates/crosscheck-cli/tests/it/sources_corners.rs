//! What `crosscheck sources` says about slips and odd files, seen from outside.

use crosscheck_testkit::{Desk, Seen};
use serde_json::json;

use crate::desk;

fn sources(desk: &Desk, args: &[&str]) -> Seen {
    desk.crosscheck([&["sources", "--offline"][..], args].concat())
}

fn conjecture() -> String {
    let line = json!({"seq": 0, "timestamp": "2026-02-21T15:00:00Z", "phase": "rebuttal", "speaker": "promoter",
        "type": "conjecture", "content": "Oaks may grow.", "sources": null});
    format!("{line}\n")
}

#[test]
fn a_run_that_lint_findings_fail_says_so_in_every_format() {
    let desk = desk();
    desk.file("debate-log.jsonl", conjecture());
    for format in [
        "human", "json", "ndjson", "junit", "sarif", "markdown", "html", "github",
    ] {
        let args = [
            "--log",
            ".",
            "--outbox",
            "told",
            "--fail-on",
            "lint",
            "--format",
            format,
        ];
        let seen = sources(&desk, &args);
        assert_eq!(seen.code, 1, "{format}: {}", seen.summary());
        assert!(seen.stdout.contains("R9"), "{format}: {}", seen.stdout);
        let is_red = match format {
            "json" => seen.stdout.contains("\"lint\""),
            "junit" => seen.stdout.contains("failures=\"1\""),
            "github" => seen.stdout.contains("::error "),
            "sarif" => seen.stdout.contains("\"kind\": \"fail\""),
            _ => seen.stdout.contains("refuted"),
        };
        assert!(is_red, "{format}: {}", seen.stdout);
    }
}

#[test]
fn a_log_with_nothing_to_check_still_names_its_lint_findings() {
    let desk = desk();
    desk.file("debate-log.jsonl", "{\"seq\":0,\n");
    let seen = sources(&desk, &["--log", ".", "--outbox", "told"]);
    assert_eq!(seen.code, 0);
    let told = "nothing to check, 1 lint finding (bad_line line 1)";
    assert!(seen.stderr.contains(told), "{}", seen.stderr);
}

#[test]
fn a_document_that_is_no_text_is_refused_and_one_in_another_encoding_read() {
    let desk = desk();
    let text = "[1]: https://a.example/1\n\nTrees grow tall [1].\n";
    let bytes: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    desk.file("wide.md", &bytes);
    desk.file("picture.md", b"\x89PNG\x00\x01");
    desk.file("marked.md", format!("\u{feff}{text}"));
    for name in ["wide.md", "marked.md"] {
        let seen = sources(&desk, &["--dump", name]);
        assert!(
            seen.stdout
                .contains("https://a.example/1\tTrees grow tall."),
            "{}",
            seen.summary()
        );
    }
    assert_eq!(sources(&desk, &["picture.md"]).code, 3);
}

#[test]
fn a_folder_that_does_not_exist_is_not_waited_for() {
    let desk = desk();
    for log in ["typo", "typo/debate-log.jsonl"] {
        for watch in [&["--watch"][..], &[]] {
            let args = [&["--log", log, "--outbox", "told"][..], watch].concat();
            let seen = sources(&desk, &args);
            assert_eq!(seen.code, 3, "{}", seen.summary());
            assert!(!seen.stderr.contains("nothing to check"), "{}", seen.stderr);
        }
    }
}

#[test]
fn options_that_could_have_no_effect_are_refused() {
    let desk = desk();
    desk.file("debate-log.jsonl", conjecture());
    desk.file(
        "stars.toml",
        "[sources]\nunreliable_domains = [\"*.bad.example\"]\n",
    );
    desk.file(
        "nowhere.toml",
        "[sources]\narchive = \"http://a.example/\"\n",
    );
    for (options, named) in [
        (&["--exclude", "x"][..], "--exclude"),
        (&["--include", "x"], "--include"),
        (&["--inbox", "in"], "--inbox"),
        (&["--listen", "127.0.0.1:0"], "--listen"),
        (&["--format", "json", "--outbox", "-"], "--format"),
        (&["--jobs", "0"], "jobs"),
        (&["--host-concurrency", "0"], "--host-concurrency"),
        (&["--lang", ""], "language"),
        (&["--config", "stars.toml"], "*.bad.example"),
        (&["--config", "nowhere.toml"], "archive"),
    ] {
        let outbox: &[&str] = if options.contains(&"--outbox") {
            &[]
        } else {
            &["--outbox", "told"]
        };
        let seen = sources(&desk, &[&["--log", "."], outbox, options].concat());
        assert_eq!(seen.code, 3, "{options:?}: {}", seen.summary());
        assert!(seen.stderr.contains(named), "{options:?}: {}", seen.stderr);
    }
}

#[test]
fn a_report_in_a_file_is_for_people_unless_a_format_is_named() {
    let desk = desk();
    desk.file("debate-log.jsonl", conjecture());
    let seen = sources(&desk, &["--log", ".", "--output", "report.txt"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(desk.read("report.txt").contains("nothing to check"));
}

#[test]
fn a_file_names_the_documents() {
    let desk = desk();
    desk.file("a b.md", "Oaks grow [here](https://a.example/).\n");
    desk.file("c.md", "Elms grow [here](https://c.example/).\n");
    desk.file("list", "c.md\r\n\na b.md\n");
    let seen = sources(&desk, &["--files-from", "list", "--dump"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let (c, a) = (seen.stdout.find("c.example"), seen.stdout.find("a.example"));
    assert!(c.is_some() && c < a, "{}", seen.summary());
    for (list, told) in [
        ("c.md\nmissing.md\n", "missing.md"),
        ("\n", "nothing to check"),
    ] {
        desk.file("list", list);
        let seen = sources(&desk, &["--files-from", "list"]);
        assert_eq!(seen.code, 3, "{}", seen.summary());
        assert!(seen.stderr.contains(told), "{}", seen.summary());
    }
    for args in [
        ["--files-from", "-", "-"],
        ["--files-from", "list", "--output=list"],
    ] {
        assert_eq!(sources(&desk, &args).code, 3, "{args:?}");
    }
}
