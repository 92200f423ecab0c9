//! What a certificate says about a run, beyond its verdict.

use crosscheck_testkit::{Desk, Seen};
use serde_json::{Value, json};

use crate::check::{FLAGS, desk, event};

const ROW: &str = r#"{"id":"g1","fields":{"room":204}}"#;

fn check(desk: &Desk) -> (Seen, Value) {
    let words = ["check"].iter().chain(&FLAGS);
    let seen = desk.crosscheck(words.chain(&["--no-human-report"]));
    let certificate = serde_json::from_str(&seen.stdout).unwrap_or_default();
    (seen, certificate)
}

#[test]
fn any_skipped_control_is_the_context_of_a_run() {
    for kind in ["branch", "gate", "loop", "interrupt", "run_completed"] {
        let desk = desk();
        let control = format!(
            r#"{{"schemaVersion":2,"workflowId":"wf","runEventId":"r","type":"control","controlKind":"{kind}","decision":"skipped"}}"#
        );
        desk.file(
            "events.ndjson",
            format!("{control}\n{}", event(0, "guest.save", ROW)),
        );

        let (seen, certificate) = check(&desk);

        assert_eq!(seen.code, 0, "{kind}: {}", seen.summary());
        assert_eq!(
            certificate["evidenceCompleteness"]["blockerCategory"], "control_flow_context",
            "{kind}"
        );
    }
}

#[test]
fn a_declared_action_keeps_its_tabs_and_is_cut_only_at_its_own_cap() {
    for (template, declared) in [
        ("a\\tb\\n\\n c", "a\tb c".to_owned()),
        (&"x".repeat(3000), "x".repeat(3000)),
        (&"x".repeat(4097), format!("{}...", "x".repeat(4093))),
    ] {
        let desk = desk();
        let registry = desk.read("registry.json").replace("save {/id}", template);
        desk.file("registry.json", registry);
        desk.file(
            "events.ndjson",
            event(0, "guest.save", ROW) + &event(1, "no\\ttool", "{}"),
        );

        let (_, certificate) = check(&desk);

        let step = &certificate["steps"][0];
        assert_eq!(step["declaredAction"], declared.as_str());
        let unknown = &certificate["steps"][1];
        for text in ["declaredAction", "expectedOutcome"] {
            assert_eq!(unknown[text], "Unknown tool: no\ttool");
        }
    }
}

#[test]
fn what_is_outside_the_database_is_resolved_and_named() {
    let missing = "KEY_VALUE_POINTER_MISSING";
    for (verification, code, expected) in [
        (
            r#"{"kind":"vector_document","provider":"chroma","documentId":{"pointer":"/id"},"indexName":{"const":"i"}}"#,
            "",
            "vector_document provider=chroma index=i id=g1",
        ),
        (
            r#"{"kind":"object_storage_object","bucket":{"const":"b"},"key":{"const":"k"}}"#,
            "",
            "object_storage bucket=b key=k",
        ),
        (
            r#"{"kind":"mongo_document","collection":{"const":"c"},"filterPointer":{"pointer":"/fields"},"requiredFields":{"pointer":"/fields"}}"#,
            "",
            "mongo_document collection=c",
        ),
        (
            r#"{"kind":"http_witness","url":{"const":"http://x/"},"method":"POST","expectedStatus":{"const":201}}"#,
            "",
            "http_witness POST http://x/ expect=201",
        ),
        (
            r#"{"kind":"mongo_document","collection":{"const":"c"},"filterPointer":{"pointer":"/no"},"requiredFields":{"pointer":"/fields"}}"#,
            "REQUIRED_FIELDS_POINTER_MISSING",
            "x",
        ),
        (
            r#"{"kind":"mongo_document","collection":{"const":"c"},"filterPointer":{"pointer":"/fields"},"requiredFields":{"pointer":"/id"}}"#,
            "REQUIRED_FIELDS_NOT_OBJECT",
            "x",
        ),
        (
            r#"{"kind":"http_witness","url":{"const":"u"},"expectedStatus":{"pointer":"/no"}}"#,
            missing,
            "x",
        ),
        (
            r#"{"kind":"http_witness","url":{"const":"u"},"expectedStatus":{"pointer":"/id"}}"#,
            "KEY_VALUE_NOT_SCALAR",
            "x",
        ),
        (
            r#"{"kind":"http_witness","url":{"const":"u"},"expectedStatus":{"const":99}}"#,
            "KEY_VALUE_SPEC_INVALID",
            "x",
        ),
    ] {
        let desk = desk();
        let entry = format!(
            r#"[{{"toolId":"t","effectDescriptionTemplate":"x","verification":{verification}}}]"#
        );
        desk.file("registry.json", entry);
        desk.file("events.ndjson", event(0, "t", ROW));

        let (seen, certificate) = check(&desk);

        assert_eq!(seen.code, 2, "{verification}: {}", seen.summary());
        let code = if code.is_empty() {
            "STATE_WITNESS_UNAVAILABLE_IN_SQLITE_FILE_MODE"
        } else {
            code
        };
        assert_eq!(
            certificate["explanation"]["details"][0]["code"], code,
            "{verification}"
        );
        assert_eq!(
            certificate["steps"][0]["expectedOutcome"], expected,
            "{verification}"
        );
    }
}

#[test]
fn timestamps_that_run_backwards_are_seen_up_to_the_end_of_9999() {
    let stamped = |seq: usize, time: &str| {
        event(seq, "guest.save", ROW).replace(
            "\"params\"",
            &format!("\"timestamp\":\"{time}\",\"params\""),
        )
    };
    for (first, second, blocker) in [
        (
            "9999-12-31T23:59:59Z",
            "2024-01-01T00:00:00Z",
            "event_sequence",
        ),
        ("2025", "2024-01", "event_sequence"),
        (
            "Tue, 02 Jan 2024 00:00:00 GMT",
            "2024-01-01T24:00:00Z",
            "none",
        ),
        ("2024-01-02T00:00:00Z", "20240101T000000Z", "none"),
    ] {
        let desk = desk();
        desk.file("events.ndjson", stamped(0, first) + &stamped(1, second));
        let (_, certificate) = check(&desk);
        assert_eq!(
            certificate["evidenceCompleteness"]["blockerCategory"], blocker,
            "{first} {second}"
        );
    }
}

#[test]
fn values_of_both_filters_come_before_a_column_that_comes_twice() {
    let desk = desk();
    let name = |text: &str| json!({ "const": text });
    let pair = |value: Value| json!({ "column": name("id"), "value": value });
    let check_of_two = json!({
        "checkKind": "anti_join", "id": "a", "anchorTable": name("guests"), "lookupTable": name("guests"),
        "anchorColumn": name("id"), "lookupColumn": name("id"), "lookupPresenceColumn": name("id"),
        "filterEqAnchor": [pair(name("1")), pair(name("2"))],
        "filterEqLookup": [pair(json!({ "pointer": "/nope" }))],
    });
    let entry = json!([{ "toolId": "t", "effectDescriptionTemplate": "x",
        "verification": { "kind": "sql_relational", "checks": [check_of_two] } }]);
    desk.file("registry.json", entry.to_string());
    desk.file("events.ndjson", event(0, "t", ROW));

    let (_, certificate) = check(&desk);

    assert_eq!(
        certificate["explanation"]["details"][0]["code"],
        "KEY_VALUE_POINTER_MISSING"
    );
}

#[test]
fn repeated_ids_are_listed_effects_first_and_each_time() {
    let desk = desk();
    let name = |text: &str| json!({ "const": text });
    let pairs = json!([{ "column": name("id"), "value": { "pointer": "/id" } }]);
    let check = json!({ "checkKind": "related_exists", "id": "x", "childTable": name("guests"), "matchEq": pairs });
    let effect = json!({ "id": "b", "table": name("guests"), "identityEq": pairs, "requiredFields": { "pointer": "/f" } });
    let entry = |tool: &str, verification: Value| json!({ "toolId": tool, "effectDescriptionTemplate": "x", "verification": verification });
    let checks = json!({ "kind": "sql_relational", "checks": [check, check] });
    let effects = json!({ "kind": "sql_effects", "effects": [effect, effect, effect] });
    let entries = json!([
        entry("r", checks.clone()),
        entry("e", effects),
        entry("r", checks)
    ]);
    desk.file("registry.json", entries.to_string());

    let seen = desk.crosscheck(["validate-registry", "--registry", "registry.json"]);

    let result: Value = serde_json::from_str(&seen.stdout).unwrap();
    let issues = result["structuralIssues"].as_array().unwrap();
    let kinds: Vec<&str> = issues
        .iter()
        .map(|issue| issue["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "sql_effects_duplicate_effect_id",
            "sql_effects_duplicate_effect_id",
            "sql_relational_duplicate_check_id",
            "sql_relational_duplicate_check_id",
            "duplicate_tool_id",
        ]
    );
}

#[test]
fn a_manifest_that_calls_its_bundle_invalid_is_believed() {
    let desk = desk();
    desk.file("events.ndjson", event(0, "guest.save", ROW));
    let words = ["check"].iter().chain(&FLAGS);
    desk.crosscheck(words.chain(&["--proof", "d"]));
    let mut manifest: Value = serde_json::from_str(&desk.read("d/manifest.json")).unwrap();
    let object = manifest.as_object_mut().unwrap();
    object.remove("certificate");
    object.remove("materialTruth");
    manifest["schemaVersion"] = 1.into();
    let judged = |manifest: &Value| {
        desk.file("d/manifest.json", manifest.to_string());
        let seen = desk.crosscheck(["decision-bundle", "validate", "d"]);
        let answer: Value = serde_json::from_str(&seen.stdout).unwrap();
        (seen.code, answer)
    };

    assert_eq!(judged(&manifest).0, 0);
    manifest["completeness"]["status"] = "invalid".into();
    let (code, answer) = judged(&manifest);
    assert_eq!((code, answer["status"].as_str()), (2, Some("invalid")));

    // what cannot be read as a manifest still says which files are there
    manifest["more"] = 1.into();
    desk.file("d/next-action.json", "{}");
    let (code, answer) = judged(&manifest);
    assert_eq!(code, 2);
    assert_eq!(answer["integrity"]["manifestVersion"], 1);
    assert_eq!(answer["completeness"]["artifacts"]["a5Present"], true);
}

#[test]
fn findings_about_controls_are_in_the_order_of_the_events() {
    let desk = desk();
    let control = |kind: &str| {
        format!(
            "{{\"schemaVersion\":2,\"workflowId\":\"wf\",\"runEventId\":\"{kind}\",\"type\":\"control\",\"controlKind\":\"{kind}\",\"decision\":\"skipped\"}}\n"
        )
    };
    let events = control("gate") + &control("interrupt") + &control("branch");
    desk.file("events.ndjson", events + &event(0, "guest.save", ROW));
    let words = ["check"].iter().chain(&FLAGS);
    desk.crosscheck(words.chain(&["--write-run-bundle", "r"]));

    let result: Value = serde_json::from_str(&desk.read("r/workflow-result.json")).unwrap();
    let findings = &result["workflowTruthReport"]["executionPathFindings"];
    let codes: Vec<&str> = findings
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["concernCategory"] == "decision_execution")
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes,
        [
            "BRANCH_OR_GATE_SKIPPED",
            "CONTROL_INTERRUPT",
            "BRANCH_OR_GATE_SKIPPED"
        ]
    );
}

#[test]
fn a_version_3_line_without_its_checkpoint_is_malformed_like_any_other() {
    let desk = desk();
    let bare = event(0, "guest.save", ROW).replace("\"schemaVersion\":1", "\"schemaVersion\":3");
    desk.file("events.ndjson", bare.clone() + &event(1, "guest.save", ROW));
    let (seen, certificate) = check(&desk);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    let codes = &certificate["explanation"]["details"];
    assert_eq!(codes[0]["code"], "MALFORMED_EVENT_LINE");

    let whole = bare.replace(
        "\"params\"",
        r#""runEventId":"r","langgraphCheckpoint":{"threadId":"t","checkpointNs":"","checkpointId":"c"},"params""#,
    );
    desk.file("events.ndjson", whole);
    let (seen, _) = check(&desk);
    assert_eq!(
        seen.refusal(),
        "3 LANGGRAPH_CHECKPOINT_TRUST_GENERIC_MODE_CONFLICT"
    );
}
