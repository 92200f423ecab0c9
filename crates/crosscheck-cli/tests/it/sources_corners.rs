//! What `crosscheck sources` says about slips and odd files, seen from outside.

use crosscheck::render::Format;
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
    let formats = Format::NAMES;
    let line = |format| {
        format!("sources --offline --log . --outbox told --fail-on lint --format {format}")
    };
    insta::assert_snapshot!(desk.talk(formats.map(line)));
}

#[test]
fn a_log_with_nothing_to_check_still_names_its_lint_findings() {
    let desk = desk();
    desk.file("debate-log.jsonl", "{\"seq\":0,\n");
    insta::assert_snapshot!(desk.talk(["sources --offline --log . --outbox told"]));
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
    insta::assert_snapshot!(desk.talk([
        "sources --offline --dump wide.md",
        "sources --offline --dump marked.md",
        "sources --offline picture.md",
    ]));
}

#[test]
fn a_folder_that_does_not_exist_is_not_waited_for() {
    let desk = desk();
    let logs = [
        "typo",
        "typo --watch",
        "typo/debate-log.jsonl",
        "typo/debate-log.jsonl --watch",
    ];
    let line = |log| format!("sources --offline --outbox told --log {log}");
    insta::assert_snapshot!(desk.talk(logs.map(line)));
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
    let options = [
        "--outbox told --exclude x",
        "--outbox told --include x",
        "--outbox told --inbox in",
        "--outbox told --listen 127.0.0.1:0",
        "--format json --outbox -",
        "--outbox told --jobs 0",
        "--outbox told --host-concurrency 0",
        "--outbox told --lang ''",
        "--outbox told --config stars.toml",
        "--outbox told --config nowhere.toml",
    ];
    let line = |options| format!("sources --offline --log . {options}");
    insta::assert_snapshot!(desk.talk(options.map(line)));
}

#[test]
fn a_report_in_a_file_is_for_people_unless_a_format_is_named() {
    let desk = desk();
    desk.file("debate-log.jsonl", conjecture());
    let shown = desk.talk(["sources --offline --log . --output report.txt"]);
    insta::assert_snapshot!(shown + &desk.neutral("report.txt"));
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
    let mut shown = String::new();
    for list in ["c.md\nmissing.md\n", "\n"] {
        desk.file("list", list);
        shown += &desk.talk(["sources --offline --files-from list"]);
    }
    insta::assert_snapshot!(shown);
    for args in [
        ["--files-from", "-", "-"],
        ["--files-from", "list", "--output=list"],
    ] {
        assert_eq!(sources(&desk, &args).code, 3, "{args:?}");
    }
}

#[test]
fn a_slip_is_named_with_its_place_and_a_refusal_with_its_remedy() {
    let desk = desk();
    desk.file(
        "a.md",
        "Oaks grow (http://127.0.0.1:8080/x). Elms grow (http://169.254.169.254/x). Ash grows (http://wiki/x).\n",
    );
    desk.file("hidden.md", "Oaks grow (h\u{200b}ttp://a.example/x).\n");
    insta::assert_snapshot!(desk.talk([
        "sources a.md",
        "sources hidden.md",
        "sources --timeout 0 a.md",
        "sources --exclude ( a.md",
    ]));
    desk.file(".crosscheckignore", "fine\n[bad\n");
    let seen = sources(&desk, &["a.md"]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    let expected = ".crosscheckignore: a pattern is not a regular expression";
    assert!(seen.stderr.contains(expected), "{}", seen.summary());
}

#[test]
fn secrets_in_the_prose_of_a_claim_are_masked_in_every_format() {
    let desk = desk();
    desk.file(
        "a.md",
        "Oaks grow (token=Zq7abc, password: Zq7hunter) in the valley (https://a.example/x?assertion=Zq7&t%D0%BEken=Zq7).\n",
    );
    for format in Format::NAMES {
        let seen = sources(&desk, &["--format", format, "a.md"]);
        assert_eq!(seen.code, 2, "{}", seen.summary());
        assert!(seen.stdout.contains("in the valley"), "{}", seen.summary());
        assert!(!seen.stdout.contains("Zq7"), "{}", seen.summary());
    }
}
