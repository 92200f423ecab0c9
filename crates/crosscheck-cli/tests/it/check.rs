//! Whole conversations with `check`, `compare`, `validate-registry` and the bundle commands.
#![expect(
    clippy::expect_used,
    reason = "a test that cannot set its stage must stop at once"
)]

use crosscheck_testkit::{Desk, Seen};

const REGISTRY: &str = r#"[
 {"toolId":"guest.save","effectDescriptionTemplate":"save {/id}","releaseCritical":true,
  "verification":{"kind":"sql_row","table":{"const":"guests"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}},
 {"toolId":"bad.column","effectDescriptionTemplate":"x",
  "verification":{"kind":"sql_row","table":{"const":"guests"},
   "identityEq":[{"column":{"const":"nope"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}},
 {"toolId":"guest.gone","effectDescriptionTemplate":"delete {/id}",
  "verification":{"kind":"sql_row_absent","table":{"const":"guests"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}]}}]"#;

pub(crate) const KEY: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pem");
pub(crate) const PUBLIC: &str =
    include_str!("../../../../vectors/rows-check/signing-key.test.pub.pem");

pub(crate) fn desk() -> Desk {
    let desk = Desk::new(env!("CARGO_BIN_EXE_crosscheck"));
    desk.file("registry.json", REGISTRY);
    execute(
        &desk,
        "CREATE TABLE guests (id TEXT PRIMARY KEY, name TEXT, room INTEGER);
         INSERT INTO guests VALUES ('g1', 'Mira', 204), ('g2', 'Otto', 117);",
    );
    desk
}

pub(crate) fn execute(desk: &Desk, sql: &str) {
    rusqlite::Connection::open(desk.path().join("app.db"))
        .expect("the database opens")
        .execute_batch(sql)
        .expect("the statements run");
}

pub(crate) fn event(seq: usize, tool: &str, params: &str) -> String {
    format!(
        "{{\"schemaVersion\":1,\"workflowId\":\"wf\",\"seq\":{seq},\"type\":\"tool_observed\",\"toolId\":\"{tool}\",\"params\":{params}}}\n"
    )
}

/// The events and the registry that a check reads.
pub(crate) const INPUTS: [&str; 6] = [
    "--workflow-id",
    "wf",
    "--events",
    "events.ndjson",
    "--registry",
    "registry.json",
];

pub(crate) const FLAGS: [&str; 8] = [
    "--workflow-id",
    "wf",
    "--events",
    "events.ndjson",
    "--registry",
    "registry.json",
    "--db",
    "app.db",
];

/// The command line of `check` with these words at its end.
pub(crate) fn line(extra: &str) -> String {
    format!("check {} {extra}", FLAGS.join(" "))
        .trim_end()
        .to_owned()
}

fn check(desk: &Desk, extra: &[&str]) -> Seen {
    desk.crosscheck(["check"].iter().chain(&FLAGS).chain(extra))
}

#[test]
fn a_row_as_declared_completes_the_run() {
    let desk = desk();
    let params = r#"{"id":"g1","fields":{"room":204,"name":"Mira"}}"#;
    desk.file("events.ndjson", event(0, "guest.save", params));
    insta::assert_snapshot!(desk.talk([line("--no-human-report")]));
    assert_eq!(
        desk.names("."),
        ["app.db", "events.ndjson", "registry.json"],
        "nothing is left behind"
    );
}

#[test]
fn one_bad_step_changes_the_verdict_of_no_other() {
    let desk = desk();
    let mut events = String::new();
    for seq in 0..600 {
        let tool = if seq == 300 {
            "bad.column"
        } else {
            "guest.save"
        };
        events += &event(seq, tool, r#"{"id":"g1","fields":{"room":204}}"#);
    }
    desk.file("events.ndjson", events);
    let seen = check(&desk, &["--no-human-report"]);
    assert_eq!(seen.code, 2);
    let certificate = seen.json();
    let steps = certificate["steps"].as_array().unwrap();
    let odd: Vec<_> = steps
        .iter()
        .filter(|step| step["observedOutcome"] != "rowCount=1")
        .collect();
    assert_eq!((steps.len(), odd.len()), (600, 1));
    insta::assert_snapshot!(format!("{:#}\n{:#}", odd[0], certificate["explanation"]));
}

#[test]
fn a_row_that_should_be_gone_is_found() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.gone", r#"{"id":"g9"}"#) + &event(1, "guest.gone", r#"{"id":"g2"}"#),
    );
    insta::assert_snapshot!(desk.talk([line("")]));
}

#[test]
fn command_lines_that_cannot_be_used_are_refused_with_one_envelope() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{}}"#),
    );
    let extra = [
        "--no-such-flag",
        "--db other.db",
        "--postgres-url postgres://x/y",
        "--consistency weak",
        "--poll-interval-ms 5",
        "--consistency eventual",
        "--consistency eventual --verification-window-ms 5 --poll-interval-ms 9",
        "--enforce-coverage-budget",
        "--expect-lock x",
    ];
    insta::assert_snapshot!(desk.talk(extra.map(line)));
}

#[test]
fn a_server_that_does_not_answer_is_named_without_its_password() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{}}"#),
    );
    let check = "check --workflow-id wf --events events.ndjson --registry registry.json --db";
    let silent = "postgres://app:hunter22@127.0.0.1:9/x";
    let seen = desk.crosscheck(check.split(' ').chain([silent]));
    assert!(!seen.stderr.contains("hunter22"), "{}", seen.stderr);
    let unknown = desk.talk([format!("{check} BigQuery://x")]);
    insta::assert_snapshot!(seen.after(&format!("{check} [URL]")) + &unknown);
}

#[test]
fn a_large_certificate_goes_whole_through_a_pipe() {
    let desk = desk();
    let count = 6000;
    let events: String = (0..count)
        .map(|seq| event(seq, "guest.save", r#"{"id":"g2","fields":{"room":117}}"#))
        .collect();
    desk.file("events.ndjson", events);
    let seen = check(&desk, &[]);
    assert_eq!(seen.code, 0);
    assert_eq!(seen.stdout.matches("\"seq\":").count(), count);
    assert!(seen.stdout.ends_with("\"workflowId\":\"wf\"}\n"));
    let omitted = seen.stderr.matches("steps_omitted: ").count();
    assert_eq!(omitted, 1, "the human report keeps its budget");
}

/// Many verified steps, and failing ones at the very end.
fn failing_last(desk: &Desk, verified: usize, failing: usize) -> Seen {
    let save = |seq, room: usize| {
        let params = format!(r#"{{"id":"g2","fields":{{"room":{room}}}}}"#);
        event(seq, "guest.save", &params)
    };
    let events: String = (0..verified + failing)
        .map(|seq| save(seq, if seq < verified { 117 } else { 1000 + seq }))
        .collect();
    desk.file("events.ndjson", events);
    check(desk, &[])
}

#[test]
fn every_failing_step_is_shown_before_the_verified_ones() {
    let desk = desk();
    let seen = failing_last(&desk, 30, 28);
    assert_eq!(seen.code, 1);
    insta::assert_snapshot!(seen.neutral(&seen.stderr));
    let lines = seen.stderr.lines();
    let block = lines
        .skip_while(|line| *line != "=== evidence_completeness ===")
        .take_while(|line| *line != "=== end evidence_completeness ===");
    assert!(block.count() <= 49);
}

#[test]
fn failing_steps_beyond_the_report_are_counted_and_in_the_certificate() {
    let desk = desk();
    let seen = failing_last(&desk, 10, 7000);
    assert_eq!(seen.code, 1);
    let certificate = seen.json();
    let human = certificate["humanReport"].as_str().expect("a text");
    assert!(human.len() <= 1_048_576 && seen.stderr.trim_end().ends_with(human));
    let shown = human.matches("\n  - seq=").count();
    let omitted = format!(
        "  steps_omitted: {} (see certificate.steps)\n",
        7010 - shown
    );
    assert!(human.contains(&omitted), "{shown} shown");
    assert!(human.contains("- seq=10 tool=") && !human.contains("- seq=9 tool="));
    assert_eq!(certificate["steps"].as_array().map(Vec::len), Some(7010));
}

#[test]
fn a_step_without_fields_says_that_no_value_was_compared() {
    let desk = desk();
    let with = event(0, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#);
    let without = event(1, "guest.save", r#"{"id":"g1","fields":{}}"#);
    desk.file("events.ndjson", with + &without);
    insta::assert_snapshot!(desk.talk([line("")]));
}

#[test]
fn a_single_changed_byte_anywhere_in_a_bundle_is_found_and_named() {
    let desk = desk();
    desk.file("key.pem", KEY);
    desk.file("pub.pem", PUBLIC);
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{"room":1}}"#),
    );
    let extra = [
        "--write-decision-bundle",
        "d",
        "--write-run-bundle",
        "r",
        "--sign-ed25519-private-key",
        "key.pem",
    ];
    assert_eq!(check(&desk, &extra).code, 1);
    let validate = |desk: &Desk| {
        desk.crosscheck([
            "decision-bundle",
            "validate",
            "d",
            "--public-key",
            "pub.pem",
        ])
    };
    let verify = |desk: &Desk| {
        desk.crosscheck([
            "verify-bundle-signature",
            "--run-dir",
            "r",
            "--public-key",
            "pub.pem",
        ])
    };
    assert_eq!(validate(&desk).code, 1, "{}", validate(&desk).summary());
    assert_eq!(verify(&desk).code, 0, "{}", verify(&desk).summary());
    for folder in ["d", "r"] {
        for name in desk.names(folder) {
            let path = format!("{folder}/{name}");
            let whole = desk.read(&path);
            let changed = whole.replacen('a', "b", 1);
            assert_ne!(whole, changed, "{path}");
            desk.file(&path, changed);
            let seen = if folder == "d" {
                validate(&desk)
            } else {
                verify(&desk)
            };
            assert_eq!(
                seen.code,
                if folder == "d" { 2 } else { 3 },
                "{path}: {}",
                seen.summary()
            );
            desk.file(&path, whole);
        }
    }
    assert_eq!((validate(&desk).code, verify(&desk).code), (1, 0));
}

#[test]
fn certificates_of_two_runs_are_compared() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#),
    );
    desk.file("before.json", check(&desk, &[]).stdout);
    execute(&desk, "UPDATE guests SET room = 5 WHERE id = 'g1'");
    desk.file("after.json", check(&desk, &[]).stdout);
    let compare = "compare certificates --before before.json --after after.json";
    insta::assert_snapshot!(desk.talk([
        &format!("{compare} --steps --fail-on weakened"),
        compare,
        "compare certificates",
    ]));
}

#[test]
fn a_registry_is_validated_without_a_database() {
    let desk = desk();
    desk.file("events.ndjson", event(0, "nope", "{}"));
    insta::assert_snapshot!(desk.talk([
        "validate-registry --registry registry.json --events events.ndjson --workflow-id wf",
        "validate-registry --registry registry.json",
        "validate-registry --wrong",
    ]));
}

#[test]
fn a_row_that_comes_late_is_waited_for_without_keeping_its_writer_out() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"late","fields":{"room":7}}"#),
    );
    let extra = [
        "--consistency",
        "eventual",
        "--verification-window-ms",
        "20000",
        "--poll-interval-ms",
        "300",
        "--no-human-report",
    ];
    let child = desk
        .command(["check"].iter().chain(&FLAGS).chain(&extra))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    execute(
        &desk,
        "PRAGMA busy_timeout = 10000; INSERT INTO guests VALUES ('late', 'Ada', 7);",
    );
    let seen = desk.seen(&child.wait_with_output().expect("the program ends"));
    assert_eq!(seen.code, 0, "{}", seen.summary());
}
