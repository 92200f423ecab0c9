//! `crosscheck pr`: formats, inputs and refusals.

use crosscheck_testkit::Desk;
use serde_json::{Value, json};

use crate::desk;
use crate::workspace_hostile::git;

const LIE: &str = "Created `cache.rs`. Updated `main.rs`.\u{1b}[31m\n";

/// Two commits: the second adds `cache.rs`, and its message claims more.
fn shop() -> Desk {
    let desk = desk();
    git(&desk, &["init", "-q", "-b", "main"]);
    desk.file("main.rs", "fn main() {}\n");
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", "start"]);
    desk.file("cache.rs", "pub struct Cache;\n");
    git(&desk, &["add", "."]);
    git(&desk, &["commit", "-qm", LIE]);
    desk
}

#[test]
fn every_format_shows_both_claims_and_no_control_sign() {
    let desk = shop();
    for format in [
        "human", "json", "ndjson", "junit", "sarif", "markdown", "html", "github", "csv",
    ] {
        let seen = desk.crosscheck(["pr", "--base", "HEAD^", "--format", format]);
        assert_eq!(seen.code, 1, "{format}: {}", seen.summary());
        for part in ["cache.rs", "main.rs", "PR_FILE_NOT_CHANGED"] {
            assert!(seen.stdout.contains(part), "{format}: {}", seen.stdout);
        }
        assert!(!seen.stdout.contains('\u{1b}'), "{format}");
    }
    let seen = desk.crosscheck(["pr", "--base", "HEAD^", "--format", "json"]);
    let report: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(
        report["counts"],
        json!({"refuted": 1, "undecided": 0, "confirmed": 1})
    );
    assert_eq!(report["outcomes"][0]["place"]["path"], "cache.rs");
}

#[test]
fn a_branch_comes_before_a_tag_of_its_name() {
    let desk = shop();
    // compared with the tag nothing would have changed
    git(&desk, &["branch", "-q", "base", "HEAD^"]);
    git(&desk, &["tag", "base", "HEAD"]);
    let seen = desk.crosscheck(["pr", "--base", "base"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
    assert!(
        seen.stdout.contains("PR_FILE_NOT_CHANGED"),
        "{}",
        seen.stdout
    );
}

#[test]
fn an_event_brings_its_texts_and_commits() {
    let desk = shop();
    let id = |name: &str| {
        let output = std::process::Command::new("git")
            .args(["rev-parse", name])
            .current_dir(desk.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let event = json!({"pull_request": {
        "title": "Add cache.rs", "body": "CI is green.",
        "base": {"sha": id("HEAD^")}, "head": {"sha": id("HEAD")},
    }});
    desk.file("event.json", event.to_string());
    let checks = json!({"check_runs": [{"name": "build", "conclusion": "success"}]});
    desk.file("checks.json", checks.to_string());
    let words = "pr --event event.json --checks checks.json --output report.md --format markdown";
    let seen = desk.crosscheck(words.split(' '));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert!(
        desk.read("report.md").contains("2 confirmed"),
        "{}",
        desk.read("report.md")
    );
    let seen = desk.crosscheck("pr --event event.json --commits".split(' '));
    assert_eq!(seen.code, 1, "{}", seen.summary());
}

#[test]
fn what_says_nothing_is_undecided_unless_that_is_allowed() {
    let desk = shop();
    let words = ["pr", "--base", "HEAD^", "--text", "-"];
    let seen = desk.crosscheck_with_input(words, b"Thanks to all!");
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert!(
        seen.stdout.contains("says nothing that can be checked"),
        "{}",
        seen.stdout
    );
    let words = ["pr", "--base", "HEAD^", "--text", "-", "--allow-empty"];
    let seen = desk.crosscheck_with_input(words, b"Thanks to all!");
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn what_cannot_be_looked_at_ends_with_3_and_a_code() {
    let desk = shop();
    desk.file("bad.json", "{");
    desk.file("push.json", r#"{"ref":"x"}"#);
    for (words, code) in [
        ("pr", "CLI_USAGE"),
        ("pr --base nowhere", "PR_NO_COMMIT"),
        ("pr --base=--help", "PR_NO_COMMIT"),
        ("pr --base HEAD^ --text missing.md", "CLI_USAGE"),
        ("pr --base HEAD^ --checks bad.json", "PR_INPUT_UNREADABLE"),
        ("pr --event push.json", "PR_INPUT_UNREADABLE"),
        ("pr --base HEAD^ --root /proc", "PR_NO_REPOSITORY"),
    ] {
        let seen = desk.crosscheck(format!("{words} --format json").split(' '));
        assert_eq!(seen.code, 3, "{words}: {}", seen.summary());
        assert!(seen.stderr.contains(code), "{words}: {}", seen.stderr);
        assert_eq!(seen.stdout, "", "{words}");
    }
}
