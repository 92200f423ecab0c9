//! Lines and pages that a message points to, which `done` hands to `claims`
//! and `sources`.

use std::fs::File;
use std::time::{Duration, SystemTime};

use crosscheck::NoListener;
use crosscheck::core::Verdict;
use crosscheck::done::handover::Verifier;
use crosscheck::done::{self, Report};
use crosscheck::fetch::{DnsFixture, NameService};
use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Reply, Seen, Site};
use serde_json::Value;

use crate::desk;
use crate::done::session;

/// A project with one file of three lines, older than its session.
fn project() -> Desk {
    let desk = desk();
    desk.file(
        "src/tok.py",
        "def parse_row(row):\n    return row\nDONE = 1\n",
    );
    for name in ["src/tok.py", "src"] {
        let file = File::open(desk.path().join(name)).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        file.set_modified(old).unwrap();
    }
    desk.file("s1.jsonl", session(&desk, "12 passed in 0.30s", 0));
    desk
}

fn check(desk: &Desk, message: &str, more: &[&str]) -> Seen {
    desk.file("message.md", message);
    let words = ["done", "check", "--message", "message.md"];
    desk.crosscheck(words.iter().chain(more))
}

/// Verifier and verdict of each reference.
fn answers(seen: &Seen) -> Vec<(String, String)> {
    let receipt: Value = serde_json::from_str(&seen.stdout).unwrap_or_default();
    let all = receipt["handovers"].as_array().cloned().unwrap_or_default();
    let word = |one: &Value, key: &str| one[key].as_str().unwrap_or("none").to_owned();
    all.iter()
        .map(|one| (word(one, "verifier"), word(one, "verdict")))
        .collect()
}

#[test]
fn claims_looks_up_the_lines_that_a_message_points_to() {
    let desk = project();
    for (message, verdict, code) in [
        ("The parser is in `src/tok.py:1`.", "verified", 0),
        ("The parser is in `src/tok.py:1-3`.", "verified", 0),
        (
            "`parse_row` (`src/tok.py:1`) returns the row.",
            "verified",
            0,
        ),
        ("`src/tok.py:2` contains `return row`.", "verified", 0),
        // beyond the end, a text that the file does not have, a file that is not there
        ("The parser is in `src/tok.py:40`.", "refuted", 1),
        ("`src/tok.py:2` contains `return None`.", "refuted", 1),
        ("The parser is in `src/parser.py:4`.", "refuted", 1),
        // a text elsewhere in the file, or beside the reference
        ("`src/tok.py:2` contains `DONE = 1`.", "unproven", 0),
        ("`src/tok.py:2`: `checked_add`.", "unproven", 0),
        // other times and places
        ("The check at `src/tok.py:40` was removed.", "unproven", 0),
        ("See lib/other.py:3 for the reason.", "unproven", 0),
        ("See /etc/hosts.conf:3 for the reason.", "unproven", 0),
    ] {
        for more in [
            &["--format", "json"][..],
            &["--transcript", "s1.jsonl", "--format", "json"],
        ] {
            let seen = check(&desk, message, more);
            let expected = vec![("claims".to_owned(), verdict.to_owned())];
            assert_eq!(
                (answers(&seen), seen.code),
                (expected, code),
                "{message} {more:?} {}",
                seen.stdout
            );
        }
    }
}

#[test]
fn lines_of_a_file_that_the_session_changed_are_not_held_against_it() {
    let desk = project();
    desk.file("src/tok.py", "DONE = 1\n");
    let more = ["--transcript", "s1.jsonl", "--format", "json"];
    let seen = check(&desk, "The parser is in `src/tok.py:3`.", &more);
    assert_eq!(
        answers(&seen),
        [("claims".to_owned(), "unproven".to_owned())]
    );
    assert_eq!(seen.code, 0);
}

#[test]
fn handing_on_is_switched_per_verifier() {
    let desk = project();
    let message = "The parser is in `src/tok.py:40`, see http://10.0.0.1/x.";
    let of = |more: &[&str]| {
        let more = [more, &["--format", "json"]].concat();
        answers(&check(&desk, message, &more))
            .into_iter()
            .map(|one| one.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&[]), ["claims"]);
    assert_eq!(of(&["--handover", "none"]), [""; 0]);
    // the project cannot have the web asked
    desk.file("crosscheck.toml", "[done]\nhandover = [\"sources\"]\n");
    assert_eq!(of(&[]), ["claims"]);
    desk.user_config("[done]\nhandover = [\"sources\"]\n");
    assert_eq!(of(&[]), ["sources"]);
    assert_eq!(of(&["--handover", "claims,sources"]), ["claims", "sources"]);
}

#[test]
fn the_hook_warns_of_lines_that_are_not_there_and_does_not_send_the_agent_back() {
    let desk = project();
    let event = |message: &str| {
        serde_json::json!({"session_id": "s1", "prompt_id": "p1", "transcript_path": desk.at("s1.jsonl"),
            "cwd": desk.path(), "hook_event_name": "Stop", "last_assistant_message": message})
    };
    for (message, word) in [
        (
            "All 12 tests pass. The parser is in `src/tok.py:40`.",
            "the file has 3 lines",
        ),
        ("All 12 tests pass. The parser is in `src/tok.py:1`.", ""),
    ] {
        let seen =
            desk.crosscheck_with_input(["done", "hook"], event(message).to_string().as_bytes());
        let said: Value = serde_json::from_str(&seen.stdout).unwrap_or_default();
        assert_eq!(
            (seen.code, &said["decision"]),
            (0, &Value::Null),
            "{}",
            seen.stdout
        );
        let shown = said["systemMessage"].as_str().unwrap_or_default();
        assert_eq!(shown.is_empty(), word.is_empty(), "{shown}");
        assert!(shown.contains(word), "{shown}");
    }
}

/// What is found about a page of this site.
fn cited(site: &Site, message: &str) -> crosscheck::Report<Report> {
    let desk = desk();
    let mut task = done::Task::message(
        message.replace("PORT", &site.port().to_string()),
        desk.path(),
    );
    task.check.layers.flags.handover = Some(vec![Verifier::Sources]);
    let fetch = &mut task.others.sources.fetch;
    fetch.names =
        NameService::Fixture(DnsFixture::parse(br#"{"docs.fixture":"LOOPBACK"}"#).unwrap());
    fetch.guard.allow_private = true;
    fetch.politeness.interval = Duration::ZERO;
    fetch.retry_wait = Duration::ZERO;
    task.run(&mut NoListener).unwrap()
}

#[test]
fn sources_looks_at_the_pages_that_a_message_cites_once_it_is_asked_to() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/gone" => Reply::new(404),
        "/broken" => Reply::new(500),
        _ => {
            Reply::html("<html><title>Retries</title><p>The client retries three times.</p></html>")
        }
    });
    for (message, verdict) in [
        (
            "The client retries three times (http://docs.fixture:PORT/retries).",
            Some(Verdict::Confirmed),
        ),
        (
            "The client retries three times (http://docs.fixture:PORT/gone).",
            Some(Verdict::Refuted),
        ),
        (
            "The client retries three times (http://docs.fixture:PORT/broken).",
            Some(Verdict::Undecided),
        ),
        ("The server at http://127.0.0.1:PORT/gone is stopped.", None),
    ] {
        let report = cited(&site, message);
        let answer = report.handovers.first().and_then(|one| one.answer.clone());
        assert_eq!(
            answer.as_ref().map(|answer| answer.verdict),
            verdict,
            "{message} {answer:?}"
        );
        let refuted = verdict == Some(Verdict::Refuted);
        assert_eq!(report.verdict() == Verdict::Refuted, refuted, "{message}");
        assert_eq!(
            report.units().is_empty(),
            verdict.is_none_or(|it| it == Verdict::Undecided),
            "{message}"
        );
    }
    assert_eq!(site.count("/gone"), 1);
}

#[test]
fn every_format_shows_which_verifier_answered() {
    let desk = project();
    let message =
        "The parser is in `src/tok.py:40`, the tokens in `src/tok.py:1`, the rest in `lib/x.py:3`.";
    for format in Format::NAMES {
        let seen = check(&desk, message, &["--format", format]);
        assert_eq!(seen.code, 1, "{format}");
        assert!(seen.stdout.contains("claims"), "{format}: {}", seen.stdout);
        assert!(
            seen.stdout.contains("src/tok.py:40"),
            "{format}: {}",
            seen.stdout
        );
    }
}
