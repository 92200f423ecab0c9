//! Whole conversations with `check`, `compare`, `validate-registry` and the bundle commands.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
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

fn check(desk: &Desk, extra: &[&str]) -> Seen {
    desk.crosscheck(["check"].iter().chain(&FLAGS).chain(extra))
}

fn part<'s>(seen: &'s Seen, key: &str) -> &'s str {
    let from = seen
        .stdout
        .find(key)
        .unwrap_or_else(|| panic!("{key} in {}", seen.stdout));
    &seen.stdout[from..(from + key.len() + 60).min(seen.stdout.len())]
}

#[test]
fn a_row_as_declared_completes_the_run() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(
            0,
            "guest.save",
            r#"{"id":"g1","fields":{"room":204,"name":"Mira"}}"#,
        ),
    );
    let seen = check(&desk, &["--no-human-report"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert_eq!(
        seen.stderr,
        "truth_check_verdict: trusted\nrelease_critical_truth_check_verdict: trusted\n"
    );
    assert!(part(&seen, "\"observedOutcome\":").contains("rowCount=1"));
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
    assert_eq!(
        seen.stdout
            .matches("\"observedOutcome\":\"rowCount=1\"")
            .count(),
        599
    );
    assert!(part(&seen, "\"details\":").contains("CONNECTOR_ERROR"));
}

#[test]
fn a_row_that_should_be_gone_is_found() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.gone", r#"{"id":"g9"}"#) + &event(1, "guest.gone", r#"{"id":"g2"}"#),
    );
    let seen = check(&desk, &[]);
    assert_eq!(seen.code, 1);
    assert!(
        seen.stderr
            .contains("reference_code: ROW_PRESENT_WHEN_FORBIDDEN")
    );
    assert!(seen.stderr.contains("  - seq=0 tool=guest.gone"));
}

#[test]
fn command_lines_that_cannot_be_used_are_refused_with_one_envelope() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{}}"#),
    );
    let table: [(&[&str], &str); 9] = [
        (&["--no-such-flag"], "CLI_USAGE"),
        (&["--db", "other.db"], "CLI_USAGE"),
        (&["--postgres-url", "postgres://x/y"], "CLI_USAGE"),
        (&["--consistency", "weak"], "CLI_USAGE"),
        (&["--poll-interval-ms", "5"], "CLI_USAGE"),
        (&["--consistency", "eventual"], "CLI_USAGE"),
        (
            &[
                "--consistency",
                "eventual",
                "--verification-window-ms",
                "5",
                "--poll-interval-ms",
                "9",
            ],
            "VERIFICATION_POLICY_INVALID",
        ),
        (&["--enforce-coverage-budget"], "CLI_USAGE"),
        (&["--expect-lock", "x"], "ENFORCE_USAGE"),
    ];
    for (extra, code) in table {
        let seen = check(&desk, extra);
        assert_eq!(
            (seen.code, seen.stdout.as_str(), seen.stderr.lines().count()),
            (3, "", 1),
            "{extra:?}"
        );
        assert!(
            seen.stderr.contains(&format!("\"code\":\"{code}\"")),
            "{extra:?}: {}",
            seen.stderr
        );
    }
}

#[test]
fn a_server_that_does_not_answer_is_named_without_its_password() {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{}}"#),
    );
    let args = [
        "check",
        "--workflow-id",
        "wf",
        "--events",
        "events.ndjson",
        "--registry",
        "registry.json",
        "--db",
    ];
    let seen = desk.crosscheck(
        args.iter()
            .chain(&["postgres://app:hunter22@127.0.0.1:9/x"]),
    );
    assert_eq!(seen.code, 3);
    assert!(
        seen.stderr.contains("POSTGRES_CLIENT_SETUP_FAILED") && !seen.stderr.contains("hunter22"),
        "{}",
        seen.stderr
    );
    let seen = desk.crosscheck(args.iter().chain(&["BigQuery://x"]));
    assert!(
        seen.stderr.contains("VERIFICATION_CONNECTOR_NOT_SHIPPED"),
        "{}",
        seen.stderr
    );
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
    assert!(
        seen.stderr.contains("steps_omitted: "),
        "the human report keeps its budget"
    );
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
    let steps: Vec<&str> = seen
        .stderr
        .lines()
        .filter(|line| line.starts_with("  - seq="))
        .collect();
    assert_eq!(steps.len(), 58);
    assert!(
        steps[..28]
            .iter()
            .all(|line| line.contains("tool=guest.save"))
    );
    assert_eq!(steps[0], "  - seq=30 tool=guest.save");
    assert_eq!(steps[28], "  - seq=0 tool=guest.save");
    assert!(
        seen.stderr
            .contains("counted: 28 not verified, 30 verified")
    );
    let block: Vec<&str> = seen
        .stderr
        .lines()
        .skip_while(|line| *line != "=== evidence_completeness ===")
        .take_while(|line| *line != "=== end evidence_completeness ===")
        .collect();
    assert!(block.len() - 1 <= 48, "{}", block.len());
    assert!(block.contains(&"  - and 10 more, see steps"), "{block:#?}");
    assert!(block.contains(&"  - and 27 more, see steps"), "{block:#?}");
}

#[test]
fn failing_steps_beyond_the_report_get_a_line_each_in_front_of_it() {
    let desk = desk();
    let seen = failing_last(&desk, 10, 7000);
    assert_eq!(seen.code, 1);
    let shown: std::collections::HashSet<&str> = seen
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("  - seq=")?.split(' ').next())
        .collect();
    let missing = (10..7010).find(|seq: &i32| !shown.contains(seq.to_string().as_str()));
    assert_eq!(missing, None);
    assert!(seen.stderr.contains("  failing_steps_above_this_report: "));
    assert!(seen.stderr.contains("  steps_omitted: 10 "));
    let certificate: serde_json::Value = serde_json::from_str(&seen.stdout).expect("one line");
    let human = certificate["humanReport"].as_str().expect("a text");
    assert!(human.len() <= 1_048_576 && seen.stderr.trim_end().ends_with(human));
}

#[test]
fn a_step_without_fields_says_that_no_value_was_compared() {
    let desk = desk();
    let with = event(0, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#);
    let without = event(1, "guest.save", r#"{"id":"g1","fields":{}}"#);
    desk.file("events.ndjson", with + &without);
    let seen = check(&desk, &[]);
    assert_eq!(seen.code, 0);
    let verdicts: Vec<&str> = seen
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("    verification_verdict: "))
        .collect();
    assert_eq!(
        verdicts,
        [
            "outcome=VERIFIED; the database shows what was declared",
            "outcome=VERIFIED; row exists; no value compared"
        ]
    );
    assert!(seen.stderr.contains("no_value_compared: 1 of the verified"));
    assert!(seen.stderr.contains("`crosscheck rows LOG`"));
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
    let args = [
        "compare",
        "certificates",
        "--before",
        "before.json",
        "--after",
        "after.json",
    ];
    let seen = desk.crosscheck(args.iter().chain(&["--steps", "--fail-on", "weakened"]));
    assert_eq!(seen.code, 1, "{}", seen.summary());
    assert!(
        seen.stdout.contains("\"postureMovement\":\"weakened\"")
            && seen.stdout.contains("\"changed_steps\":[{")
    );
    assert_eq!(desk.crosscheck(args).code, 0);
    assert!(
        desk.crosscheck(["compare", "certificates"])
            .stderr
            .contains("COMPARE_USAGE")
    );
}

#[test]
fn a_registry_is_validated_without_a_database() {
    let desk = desk();
    desk.file("events.ndjson", event(0, "nope", "{}"));
    let seen = desk.crosscheck([
        "validate-registry",
        "--registry",
        "registry.json",
        "--events",
        "events.ndjson",
        "--workflow-id",
        "wf",
    ]);
    assert_eq!(seen.code, 1);
    assert!(
        seen.stdout.contains("UNKNOWN_TOOL")
            && seen.stderr.starts_with("Registry validation failed:\n- "),
        "{}",
        seen.summary()
    );
    assert_eq!(
        desk.crosscheck(["validate-registry", "--registry", "registry.json"])
            .code,
        0
    );
    assert!(
        desk.crosscheck(["validate-registry", "--wrong"])
            .stderr
            .contains("VALIDATE_REGISTRY_USAGE")
    );
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
