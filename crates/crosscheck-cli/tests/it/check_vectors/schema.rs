//! What `check` prints against the schema that the program prints for it.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crosscheck_testkit::Schema;
use serde_json::{Value, json};

use super::{Store, run_check, walk};
use crate::desk;

/// Everything a certificate can say must hold, and every request in it.
const KINDS: [&str; 17] = [
    "aggregate",
    "anti_join",
    "event_capture_integrity",
    "http_witness",
    "join_count",
    "matches_expectations",
    "mongo_document",
    "object_storage_object",
    "related_exists",
    "run_context_fairness",
    "run_ingest_integrity",
    "sql_effects",
    "sql_relational",
    "sql_row",
    "sql_row_absent",
    "step_registry_expectation",
    "vector_document",
];

#[test]
fn every_certificate_of_check_fits_the_schema_that_the_program_prints() {
    let schema = desk().crosscheck(["schema", "outcome-certificate"]);
    let schema = Schema::new(serde_json::from_str(&schema.stdout).unwrap());
    let kinds = RefCell::new(BTreeSet::new());

    walk(&["check"], 100, |case| {
        let setup = case["setup_sql"].get("sqlite")?;
        let desk = desk();
        let store = Store::new("sqlite", None, setup, &desk);
        let seen = run_check(case, &store, &desk);
        if seen.code == 3 {
            return Some(Vec::new());
        }
        let certificate: Value = serde_json::from_str(&seen.stdout).unwrap();
        kinds.borrow_mut().extend(said(&certificate));
        Some(schema.problems(&certificate))
    });

    let mut kinds = kinds.into_inner();
    for (events, verification) in further() {
        let certificate = printed(events, &verification);
        let errors = schema.problems(&certificate);
        assert!(errors.is_empty(), "{verification}: {}", errors.join("\n"));
        kinds.extend(said(&certificate));
    }
    let missing: Vec<&str> = KINDS
        .into_iter()
        .filter(|kind| !kinds.contains(*kind))
        .collect();
    assert!(missing.is_empty(), "no case prints {missing:?}");
}

/// What no case has: events and what they are held against.
fn further() -> Vec<(&'static str, Value)> {
    let backwards = r#"{"schemaVersion":1,"workflowId":"w","seq":1,"type":"tool_observed","toolId":"t","params":{"f":{}}}
{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{"f":{}}}
"#;
    let once = r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{"f":{}}}
"#;
    let name = |text: &str| json!({ "const": text });
    let fields = json!({ "pointer": "/f" });
    vec![
        (
            backwards,
            json!({ "kind": "sql_row", "table": name("a"), "requiredFields": fields,
                    "identityEq": [{ "column": name("id"), "value": name("1") }] }),
        ),
        (
            once,
            json!({ "kind": "sql_relational", "checks": [{
                "checkKind": "join_count", "id": "j", "leftTable": name("a"), "rightTable": name("b"),
                "join": { "leftColumn": name("id"), "rightColumn": name("id") },
                "whereEq": [{ "tableSide": "left", "column": name("id"), "value": name("1") }],
                "expect": { "op": "eq", "value": { "const": 2.5 } },
            }] }),
        ),
        (
            once,
            json!({ "kind": "mongo_document", "collection": name("c"), "filterPointer": fields,
                    "requiredFields": fields }),
        ),
        (
            once,
            json!({ "kind": "object_storage_object", "bucket": name("b"), "key": name("k") }),
        ),
        (
            once,
            json!({ "kind": "vector_document", "provider": "chroma", "documentId": name("d"),
                    "indexName": name("i") }),
        ),
    ]
}

fn printed(events: &str, verification: &Value) -> Value {
    let desk = desk();
    let store = desk.path().join("db.sqlite");
    let connection = rusqlite::Connection::open(store).unwrap();
    connection
        .execute_batch("CREATE TABLE a(id TEXT); CREATE TABLE b(id TEXT);")
        .unwrap();
    desk.file("events.ndjson", events);
    let entry =
        json!({ "toolId": "t", "effectDescriptionTemplate": "x", "verification": verification });
    desk.file("registry.json", json!([entry]).to_string());
    let command =
        "check --workflow-id w --events events.ndjson --registry registry.json --db db.sqlite";
    let seen = desk.crosscheck(command.split(' '));
    assert!([1, 2].contains(&seen.code), "{}", seen.summary());
    serde_json::from_str(&seen.stdout).unwrap()
}

fn said(certificate: &Value) -> Vec<String> {
    let projection = &certificate["correctnessDefinition"]["enforceableProjection"];
    let request = &projection["verificationRequest"];
    let checks = request["checks"].as_array().into_iter().flatten();
    [
        &certificate["stateRelation"],
        &projection["projectionKind"],
        &request["kind"],
    ]
    .into_iter()
    .chain(checks.map(|check| &check["checkKind"]))
    .filter_map(Value::as_str)
    .map(str::to_owned)
    .collect()
}
