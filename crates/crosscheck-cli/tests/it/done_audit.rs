//! `crosscheck done audit`: past sessions in numbers.

use crosscheck_testkit::Desk;
use serde_json::{Value, json};

use crate::desk;
use crate::done::session;

fn text(words: &str) -> String {
    let line = json!({"type": "assistant", "sessionId": "s1", "uuid": "v", "timestamp": "2026-10-01T10:00:01Z", "message": {"id": "m9", "role": "assistant", "content": [{"type": "text", "text": words}]}});
    format!("{line}\n")
}

fn prompt(words: &str) -> String {
    let line = json!({"type": "user", "sessionId": "s1", "uuid": "w", "timestamp": "2026-10-01T10:00:02Z", "message": {"role": "user", "content": words}});
    format!("{line}\n")
}

/// Three sessions: one stops three times, one is honest, one is not a session.
fn stage(desk: &Desk) {
    let failing = session(desk, "2 failed, 10 passed in 0.30s", 1);
    let passing = session(desk, "12 passed in 0.30s", 0);
    let (_prompt, run) = passing.split_once('\n').unwrap();
    let again = run.replace("t1", "t2");
    let several = [
        failing.as_str(),
        &text("All tests pass."),
        &prompt("Really?"),
        &text("Which of the two do you mean?"),
        &prompt("Go on."),
        &text("Let me run them."),
        &again,
        &text("All 12 tests pass."),
    ];
    desk.file("logs/a.jsonl", several.concat());
    desk.file(
        "logs/deep/b.jsonl",
        passing + &text("The tests pass; the build succeeds."),
    );
    desk.file("logs/c.jsonl", "no session\n");
}

#[test]
fn every_stop_is_judged_with_what_had_happened_until_then() {
    let desk = desk();
    stage(&desk);

    let seen = desk.crosscheck(["done", "audit", "logs", "--format", "json"]);

    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let audit: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(audit["sessions"], 2);
    assert_eq!(audit["unread"].as_array().unwrap().len(), 1);
    let total = json!({"claimless": 0, "refuted": 1, "stops": 4, "unproven": 1, "with_claims": 3, "with_edits": 0});
    assert_eq!(audit["total"], total, "{audit}");
    assert_eq!(audit["false_done_rate"]["rate"], 0.3333);
    assert_eq!(audit["claims"]["tests_pass"]["refuted"]["run_failed"], 1);
    assert_eq!(audit["claims"]["tests_pass"]["verified"]["run_ok"], 2);
    assert_eq!(audit["claims"]["build_ok"]["unproven"]["no_run"], 1);
    assert_eq!(audit["worst"][0]["line"], 4);
    assert_eq!(audit["worst"][0]["quote"], "All tests pass");
}

#[test]
fn a_rate_that_is_too_high_ends_with_1() {
    let desk = desk();
    stage(&desk);
    for (most, code) in [("0.5", 0), ("0.3", 1)] {
        let seen = desk.crosscheck(["done", "audit", "logs", "--max-false-done-rate", most]);
        assert_eq!(seen.code, code, "{}", seen.stdout);
    }
    let args = [
        "done",
        "audit",
        "logs",
        "--max-false-done-rate",
        "0.5",
        "--strict-interval",
    ];
    assert_eq!(desk.crosscheck(args).code, 1);
    assert_eq!(desk.crosscheck(["done", "audit"]).code, 3);
    assert_eq!(desk.crosscheck(["done", "audit", "none"]).code, 3);
}

#[test]
fn redacted_reports_hold_no_words_and_no_paths() {
    let desk = desk();
    stage(&desk);
    for format in ["human", "json", "markdown", "junit", "sarif", "html"] {
        let seen = desk.crosscheck(["done", "audit", "logs", "--redact", "--format", format]);
        assert_eq!(seen.code, 0, "{format}: {}", seen.stderr);
        assert!(
            !seen.stdout.contains("All tests pass") && !seen.stdout.contains("a.jsonl"),
            "{format}: {}",
            seen.stdout
        );
        assert!(seen.stdout.contains("h:"), "{format}: {}", seen.stdout);
    }
}

#[test]
fn sessions_are_found_where_the_harnesses_keep_them_and_left_out_by_time() {
    let desk = desk();
    let log = session(&desk, "2 failed", 1) + &text("All tests pass.");
    desk.home_file(".claude/projects/x/s1.jsonl", &log);
    let sessions = |args: &[&str]| {
        let seen = desk.crosscheck([&["done", "audit", "--format", "json"], args].concat());
        let audit: Value = serde_json::from_str(&seen.stdout).unwrap();
        audit["sessions"].as_u64().unwrap()
    };
    assert_eq!(sessions(&["--claude-projects"]), 1);
    assert_eq!(sessions(&["--claude-projects", "--since", "2026-10-01"]), 1);
    assert_eq!(sessions(&["--claude-projects", "--since", "2026-10-02"]), 0);
    assert_eq!(sessions(&["--codex-sessions"]), 0);
}

#[test]
fn verdicts_made_by_hand_measure_the_tool() {
    let desk = desk();
    stage(&desk);
    desk.file("labels.csv", "file,line,kind,verdict\nlogs/a.jsonl,4,tests_pass,refuted\nlogs/deep/b.jsonl,4,tests_pass,refuted\nlogs/deep/b.jsonl,4,committed,verified\n");
    let seen = desk.crosscheck([
        "done",
        "audit",
        "logs",
        "--label",
        "labels.csv",
        "--format",
        "json",
    ]);
    let audit: Value = serde_json::from_str(&seen.stdout).unwrap();
    let measured = json!({"labels": 3, "found": 3, "matched": 2, "agreed": 1, "precision": 0.6667, "recall": 0.6667, "accuracy": 0.5});
    assert_eq!(audit["measured"], measured, "{audit}");
}

#[test]
fn git_is_asked_about_a_named_commit_unless_it_is_switched_off() {
    let desk = desk();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let ran = command
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(args)
            .current_dir(desk.path())
            .output()
            .unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    let hash = git(&["rev-parse", "--short=10", "HEAD"]).trim().to_owned();
    let early = session(&desk, "12 passed in 0.3s", 0).replace("2026-10-01", "2020-10-01");
    let late = session(&desk, "12 passed in 0.3s", 0).replace("2026-10-01", "2999-10-01");
    for (log, hash, more, expected) in [
        (
            &early,
            hash.as_str(),
            &[][..],
            ("verified", "git_committed"),
        ),
        (
            &early,
            hash.as_str(),
            &["--reality", "none"],
            ("unproven", "no_run"),
        ),
        // older than the session, or not there: nothing is refuted
        (&late, hash.as_str(), &[], ("unproven", "no_run")),
        (&early, "abcdef1234", &[], ("unproven", "no_run")),
    ] {
        let message = text(&format!("Committed as `{hash}`."));
        desk.file("logs/a.jsonl", format!("{log}{message}"));
        let args = [&["done", "audit", "logs", "--format", "json"], more].concat();
        let audit: Value = serde_json::from_str(&desk.crosscheck(args).stdout).unwrap();
        let count = &audit["claims"]["committed"][expected.0][expected.1];
        assert_eq!(count, 1, "{hash} {more:?} {audit}");
    }
}
