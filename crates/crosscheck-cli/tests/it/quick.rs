//! Conversations with `quick`: what it refuses, what it survives, and that the
//! database stays as it was.

mod databases;
mod formats;
mod grammar;
mod hostile;
mod outputs;
mod texts;

use crosscheck_testkit::{Desk, Seen};
use serde_json::Value;

use crate::desk;

const CALL: &str = r#"{"tool":"contacts.upsert","params":{"id":"c1","name":"Ada"}}"#;
const CONTACTS: &str = "CREATE TABLE contacts(id TEXT PRIMARY KEY, name TEXT);
                        INSERT INTO contacts VALUES('c1', 'Ada');";
const RUN: [&str; 7] = [
    "quick",
    "--input",
    "log",
    "--db",
    "data/app.db",
    "--export-registry",
    "out/registry.json",
];

/// A desk with a database in `data`, a log that it confirms, and an empty `out`.
fn stage() -> Desk {
    let desk = desk();
    desk.file("log", CALL);
    for folder in ["data", "out"] {
        std::fs::create_dir(desk.path().join(folder)).unwrap();
    }
    database(&desk, CONTACTS).close().unwrap();
    desk
}

/// The database of the desk, open for writing.
fn database(desk: &Desk, statements: &str) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(desk.path().join("data/app.db")).unwrap();
    connection.execute_batch(statements).unwrap();
    connection
}

/// The arguments of [`RUN`] and some more.
fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RUN.iter().copied().chain(more.iter().copied()).collect()
}

/// Asserts a refusal: nothing on standard output, one envelope with this code
/// on standard error, nothing in `out`. Returns the message.
#[track_caller]
fn assert_refused(desk: &Desk, seen: &Seen, code: &str, what: &str) -> String {
    let message = assert_envelope(seen, code, what);
    assert!(
        desk.names("out").is_empty(),
        "{what}: {:?}",
        desk.names("out")
    );
    message
}

#[track_caller]
fn assert_envelope(seen: &Seen, code: &str, what: &str) -> String {
    assert_eq!(
        (seen.code, seen.stdout.as_str()),
        (3, ""),
        "{what}: {}",
        seen.stderr
    );
    assert_eq!(seen.stderr.lines().count(), 1, "{what}: {}", seen.stderr);
    assert!(seen.stderr.ends_with('\n'), "{what}");
    let envelope: Value = serde_json::from_str(&seen.stderr).unwrap();
    let (origin, category, severity, action) = match code {
        "INTERNAL_ERROR" => (
            "workflow_flow",
            "control_flow_problem",
            "high",
            "manual_review",
        ),
        _ => ("inputs", "bad_input", "low", "fix_cli_usage"),
    };
    let diagnosis = &envelope["failureDiagnosis"];
    let failure = &diagnosis["actionableFailure"];
    for (found, expected) in [
        (&envelope["schemaVersion"], &Value::from(2)),
        (&envelope["kind"], &"execution_truth_layer_error".into()),
        (&envelope["code"], &code.into()),
        (&diagnosis["primaryOrigin"], &origin.into()),
        (&diagnosis["confidence"], &"high".into()),
        (&diagnosis["evidence"][0]["referenceCode"], &code.into()),
        (&failure["category"], &category.into()),
        (&failure["severity"], &severity.into()),
        (&failure["recommendedAction"], &action.into()),
        (&failure["automationSafe"], &false.into()),
    ] {
        assert_eq!(found, expected, "{what}: {}", seen.stderr);
    }
    envelope["message"].as_str().unwrap().to_owned()
}

/// Runs `quick` on this log and returns exit code and report.
#[track_caller]
fn report_on(desk: &Desk, log: &[u8]) -> (i32, Value) {
    desk.file("log", log);
    let seen = desk.crosscheck(with(&[
        "--write-report",
        "report.json",
        "--no-human-report",
    ]));
    assert_ne!(seen.code, 3, "{}", seen.stderr);
    assert_eq!(seen.stderr, "");
    let certificate: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(certificate["runKind"], "quick_preview");
    (
        seen.code,
        serde_json::from_str(&desk.read("report.json")).unwrap(),
    )
}
