//! The lifecycle of `enforce`.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    reason = "a test that cannot set its stage must stop at once"
)]

use crosscheck_testkit::{Desk, Seen};

use crate::check::{FLAGS, desk, event, execute};

fn enforce(desk: &Desk, extra: &[&str]) -> Seen {
    desk.crosscheck(
        ["enforce"]
            .iter()
            .chain(&FLAGS)
            .chain(&["--state-dir", "state"])
            .chain(extra),
    )
}

fn staged() -> Desk {
    let desk = desk();
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g1","fields":{"room":204}}"#),
    );
    desk
}

fn field(seen: &Seen, key: &str) -> String {
    let text = &seen.stdout;
    let from = text
        .find(&format!("\"{key}\":"))
        .unwrap_or_else(|| panic!("{key} in {}", seen.summary()))
        + key.len()
        + 3;
    let end = text[from..].find([',', '}']).unwrap();
    text[from..from + end].trim_matches('"').to_owned()
}

#[test]
fn drift_blocks_until_it_is_accepted_and_seen_again() {
    let desk = staged();
    let seen = enforce(&desk, &[]);
    assert_eq!(seen.refusal(), "3 ENFORCE_BASELINE_REQUIRED");
    assert_eq!(enforce(&desk, &["--create-baseline"]).code, 0);
    assert_eq!(
        enforce(&desk, &["--create-baseline"]).refusal(),
        "3 ENFORCE_INVALID_TRANSITION"
    );
    assert_eq!(
        field(&enforce(&desk, &[]), "decision_reason_code"),
        "CHECK_MATCH"
    );

    execute(&desk, "UPDATE guests SET room = 999 WHERE id = 'g1'");
    let drift = enforce(&desk, &[]);
    assert_eq!(
        (drift.code, field(&drift, "lifecycle_state").as_str()),
        (4, "action_required")
    );
    insta::assert_snapshot!(drift.summary());

    let (hash, version) = (
        field(&drift, "expected_projection_hash_for_accept"),
        field(&drift, "lifecycle_state_version"),
    );
    let accept = |hash: &str, version: &str| {
        enforce(
            &desk,
            &[
                "--accept-drift",
                "--expected-projection-hash",
                hash,
                "--lifecycle-state-version",
                version,
                "--reason",
                "planned",
                "--owner",
                "ops",
            ],
        )
    };
    assert_eq!(
        accept(&hash, "1").refusal(),
        "3 ENFORCE_STALE_STATE_VERSION"
    );
    assert_eq!(
        accept(&"0".repeat(64), &version).refusal(),
        "3 ENFORCE_EXPECTED_HASH_MISMATCH"
    );
    assert_eq!(
        field(&accept(&hash, &version), "lifecycle_state"),
        "rerun_required"
    );
    assert_eq!(
        field(&enforce(&desk, &[]), "pass_kind"),
        "governed_acceptance_active"
    );
    assert_eq!(field(&enforce(&desk, &[]), "pass_kind"), "baseline_match");
}

#[test]
fn an_accepted_run_that_fails_is_reported_as_one_that_needs_repair() {
    let desk = staged();
    enforce(&desk, &["--create-baseline"]);
    execute(&desk, "UPDATE guests SET room = 999 WHERE id = 'g1'");
    let drift = enforce(&desk, &[]);
    let hash = field(&drift, "expected_projection_hash_for_accept");
    let version = field(&drift, "lifecycle_state_version");
    let accept = |hash: &str| {
        let words = format!(
            "--accept-drift --expected-projection-hash {hash} --lifecycle-state-version {version} --reason planned --owner ops"
        );
        enforce(&desk, &words.split(' ').collect::<Vec<_>>())
    };

    let wrong = accept(&field(&drift, "actual_projection_hash"));
    // the refusal says where the right hash is
    insta::assert_snapshot!(wrong.summary());
    assert_eq!(
        accept(&format!("{hash} --review-by 9999-12-31T23:59:59Z")).code,
        1
    );

    // the decision is about the comparison, as the contract has it
    let mut advice = String::new();
    for reason in ["RERUN_PASS", "CHECK_MATCH"] {
        let seen = enforce(&desk, &[]);
        assert_eq!(
            (seen.code, field(&seen, "decision_reason_code").as_str()),
            (1, reason)
        );
        advice.push_str(seen.json()["enforce"]["next_action"].as_str().unwrap());
        advice.push('\n');
    }
    insta::assert_snapshot!(advice);
}

#[test]
fn nothing_is_stored_when_nothing_may_be() {
    let desk = staged();
    enforce(&desk, &["--create-baseline"]);
    let before = desk.names("state");
    let state = desk.read(&format!("state/{}", before[0]));
    execute(&desk, "UPDATE guests SET room = 1");
    assert_eq!(enforce(&desk, &["--no-state-write"]).code, 4);
    assert_eq!(desk.read(&format!("state/{}", before[0])), state);
    assert_eq!(enforce(&desk, &["--replace-baseline"]).code, 1);
    assert_eq!(
        field(&enforce(&desk, &[]), "decision_reason_code"),
        "CHECK_MATCH"
    );
}

fn make_fifo(desk: &Desk, name: &str) {
    let made = std::process::Command::new("mkfifo")
        .arg(desk.path().join(name))
        .status();
    assert!(made.unwrap().success());
}

#[test]
fn a_fifo_does_not_block_the_run() {
    let desk = staged();
    enforce(&desk, &["--create-baseline"]);
    let path = format!("state/{}", desk.names("state")[0]);
    make_fifo(&desk, &format!("{path}.lock"));
    let locked = enforce(&desk, &[]);
    assert_eq!(locked.refusal(), "3 ENFORCE_STATE_LOCKED");
    for name in [path.clone(), format!("{path}.lock")] {
        std::fs::remove_file(desk.path().join(name)).unwrap();
    }
    make_fifo(&desk, &path);
    let seen = enforce(&desk, &[]);
    assert_eq!(seen.refusal(), "3 ENFORCE_STATE_CORRUPT");
}

#[test]
fn a_broken_state_file_is_left_as_it_is() {
    let desk = staged();
    enforce(&desk, &["--create-baseline"]);
    let path = format!("state/{}", desk.names("state")[0]);
    for broken in [
        desk.read(&path).replace("g1", "g2"),
        desk.read(&path).replace(
            "\"lifecycle_state_version\":1",
            "\"lifecycle_state_version\":18446744073709551615",
        ),
        desk.read(&path).replace("\"active_acceptance\":null,", ""),
        desk.read(&path)
            .replace(",\"pending_accept_projection_hash\":null", ""),
        desk.read(&path)
            .replace("baseline_active", "action_required"),
        "{".to_owned(),
        String::new(),
    ] {
        desk.file(&path, &broken);
        let seen = enforce(&desk, &[]);
        assert_eq!(seen.refusal(), "3 ENFORCE_STATE_CORRUPT");
        assert_eq!(desk.read(&path), broken);
    }
}

#[test]
fn runs_at_the_same_time_count_every_transition() {
    let desk = staged();
    enforce(&desk, &["--create-baseline"]);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(enforce(&desk, &["--no-human-report"]).code, 0));
        }
    });
    assert_eq!(field(&enforce(&desk, &[]), "lifecycle_state_version"), "8");
    assert_eq!(desk.names("state").len(), 1, "no lock is left");
}

#[test]
fn modes_and_values_that_do_not_fit_are_refused() {
    let desk = staged();
    let table: [&[&str]; 6] = [
        &["--create-baseline", "--accept-drift"],
        &["--accept-drift"],
        &["--input", "x"],
        &["--export-registry", "x"],
        &["--output-lock", "x"],
        &[
            "--accept-drift",
            "--expected-projection-hash",
            "a",
            "--lifecycle-state-version",
            "1",
            "--reason",
            "r",
            "--owner",
            "o",
            "--review-by",
            "2001-01-01T00:00:00Z",
        ],
    ];
    for extra in table {
        let seen = enforce(&desk, extra);
        assert_eq!(seen.refusal(), "3 ENFORCE_USAGE", "{extra:?}");
    }
}

#[test]
fn a_step_that_could_not_be_read_is_no_drift_and_leaves_the_state_alone() {
    let desk = staged();
    enforce(&desk, &["--create-baseline"]);
    let path = format!("state/{}", desk.names("state")[0]);
    let before = desk.read(&path);
    execute(&desk, "ALTER TABLE guests RENAME TO moved");

    let seen = enforce(&desk, &[]);
    insta::assert_snapshot!(seen.summary());
    assert_eq!(desk.read(&path), before);

    execute(&desk, "ALTER TABLE moved RENAME TO guests");
    let healthy = enforce(&desk, &[]);
    assert_eq!(
        (healthy.code, field(&healthy, "pass_kind").as_str()),
        (0, "baseline_match")
    );
}

#[test]
fn a_baseline_with_a_refused_look_up_still_finds_drift() {
    let desk = staged();
    execute(&desk, "ALTER TABLE guests RENAME TO moved");
    assert_eq!(enforce(&desk, &["--create-baseline"]).code, 2);
    assert_eq!(field(&enforce(&desk, &[]), "pass_kind"), "baseline_match");
    desk.file(
        "events.ndjson",
        event(0, "guest.save", r#"{"id":"g2","fields":{"room":204}}"#),
    );
    assert_eq!(enforce(&desk, &[]).code, 4);
}

#[test]
fn a_state_folder_that_leads_out_of_the_project_is_refused() {
    let desk = staged();
    let run = |extra: &[&str]| desk.crosscheck(["enforce"].iter().chain(&FLAGS).chain(extra));
    let elsewhere = desk.home().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let link = desk.path().join(".crosscheck");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    let seen = run(&["--create-baseline"]);
    assert_eq!(seen.refusal(), "3 ENFORCE_STATE_CORRUPT");
    assert!(seen.stderr.contains("a link out of the project"));
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    std::fs::remove_file(&link).unwrap();
    std::fs::create_dir(desk.path().join("inside")).unwrap();
    std::os::unix::fs::symlink("inside", &link).unwrap();
    assert_eq!(run(&["--create-baseline"]).code, 0);
}
