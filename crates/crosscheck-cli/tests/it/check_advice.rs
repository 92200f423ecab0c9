//! What `check`, `enforce` and the bundle commands say leads somewhere.

use crosscheck_testkit::{Desk, Seen};

use crate::check::{FLAGS, event, execute, line};

const KEY: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pem");
const PUBLIC: &str = include_str!("../../../../vectors/rows-check/signing-key.test.pub.pem");
const OTHER: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA9KlPzNGZsKf8DSp8A4xz6oUe7YoGgZLe1Ay6bco9Yq4=\n-----END PUBLIC KEY-----\n";
const ROW: &str = r#"{"id":"g1","fields":{"room":204}}"#;

fn desk() -> Desk {
    let desk = crate::check::desk();
    desk.file("events.ndjson", event(0, "guest.save", ROW));
    desk
}

fn enforce(desk: &Desk, extra: &str) -> (Seen, serde_json::Value) {
    let flags = ["--state-dir", "state"];
    let words = extra.split_whitespace();
    let seen = desk.crosscheck(
        ["enforce"]
            .into_iter()
            .chain(FLAGS)
            .chain(flags)
            .chain(words),
    );
    let body = serde_json::from_str::<serde_json::Value>(&seen.stdout).unwrap_or_default();
    (seen, body["enforce"].clone())
}

#[test]
fn a_drift_that_was_not_stored_is_accepted_by_what_the_answer_advises() {
    let desk = desk();
    enforce(&desk, "--create-baseline");
    execute(&desk, "UPDATE guests SET room = 999 WHERE id = 'g1'");
    let accept = |body: &serde_json::Value| {
        format!(
            "--accept-drift --expected-projection-hash {} --lifecycle-state-version {} --reason r --owner o",
            body["expected_projection_hash_for_accept"]
                .as_str()
                .unwrap(),
            body["lifecycle_state_version"]
        )
    };
    let (seen, body) = enforce(&desk, "--no-state-write");
    assert_eq!(seen.code, 4);
    let (refused, _) = enforce(&desk, &accept(&body));
    let (_, stored) = enforce(&desk, "");
    insta::assert_snapshot!(format!(
        "not stored: {}\nrefused: {}\nstored: {}",
        body["next_action"],
        refused.summary(),
        stored["next_action"]
    ));
    let (accepted, body) = enforce(&desk, &accept(&stored));
    assert_eq!(
        body["lifecycle_state"],
        "rerun_required",
        "{}",
        accepted.summary()
    );
}

#[test]
fn an_acceptance_that_is_not_stored_says_so() {
    let desk = desk();
    let (_, body) = enforce(&desk, "--create-baseline --no-state-write");
    assert!(
        body["next_action"]
            .as_str()
            .unwrap()
            .starts_with("nothing was stored"),
        "{body}"
    );
}

#[test]
fn a_drift_without_human_report_leaves_one_line_on_standard_error() {
    let desk = desk();
    enforce(&desk, "--create-baseline");
    execute(&desk, "UPDATE guests SET room = 999 WHERE id = 'g1'");
    let (seen, _) = enforce(&desk, "--no-human-report");
    insta::assert_snapshot!(format!("exit {}\n{}", seen.code, seen.stderr));
}

fn signed() -> Desk {
    let desk = desk();
    desk.file("key.pem", KEY);
    desk.file("pub.pem", PUBLIC);
    desk.file("other.pem", OTHER);
    let bundles = ["--proof", "d", "--write-run-bundle", "r"];
    let key = ["--sign-ed25519-private-key", "key.pem"];
    let words = ["check"].into_iter().chain(FLAGS);
    let seen = desk.crosscheck(words.chain(bundles).chain(key));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    desk
}

fn validate(desk: &Desk, key: &str) -> Seen {
    desk.crosscheck(["decision-bundle", "validate", "d", "--public-key", key])
}

#[test]
fn a_wrong_key_is_named_as_the_only_fault_of_an_intact_bundle() {
    let desk = signed();
    assert_eq!(validate(&desk, "pub.pem").code, 0);
    let line = "decision-bundle validate d --public-key other.pem";
    let intact = desk.talk([line]);
    let text = desk.read("d/human-layer.json");
    desk.file("d/human-layer.json", text + " ");
    insta::assert_snapshot!(intact + "\nwith a changed file\n" + &desk.talk([line]));
}

#[test]
fn what_is_no_public_key_says_nothing_about_a_bundle() {
    insta::assert_snapshot!(signed().talk([
        "decision-bundle validate d --public-key registry.json",
        "decision-bundle validate d --public-key key.pem",
        "verify-bundle-signature --run-dir r --public-key registry.json",
        "verify-bundle-signature --run-dir r --public-key key.pem",
    ]));
}

#[test]
fn a_signature_that_was_not_looked_at_is_not_called_missing() {
    let desk = signed();
    desk.file("d/manifest.json", "{");
    insta::assert_snapshot!(desk.talk([
        "decision-bundle validate d --public-key pub.pem",
        "decision-bundle validate r --public-key pub.pem",
    ]));
}

#[test]
fn malformed_lines_are_named_by_their_number() {
    let desk = desk();
    let good = event(0, "guest.save", ROW);
    let typo = good.replace("params", "parms");
    desk.file(
        "events.ndjson",
        format!("{}\n\nnot json\n{}\n", good.trim(), typo.trim()),
    );
    let validate = "validate-registry --registry registry.json --events events.ndjson";
    insta::assert_snapshot!(desk.talk([line(""), format!("{validate} --workflow-id wf")]));
}

#[test]
fn a_broken_registry_is_named_with_line_and_column() {
    let desk = desk();
    desk.file("registry.json", "[{\"toolId\":\"t\",\n \"é\": }]");
    let validate = "validate-registry --registry registry.json";
    insta::assert_snapshot!(desk.talk([&line(""), validate]));
}

#[test]
fn a_project_without_files_gets_advice_on_where_they_belong() {
    insta::assert_snapshot!(desk().talk(["check --workflow-id wf --project . --db app.db"]));
}

#[test]
fn a_file_in_place_of_a_run_gets_advice_on_what_to_do() {
    insta::assert_snapshot!(desk().talk(["trace events.ndjson"]));
}
