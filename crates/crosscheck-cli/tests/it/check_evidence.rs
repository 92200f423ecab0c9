//! What a certificate says about a run, beyond its verdict.

use crosscheck_testkit::{Desk, Seen};
use serde_json::Value;

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
fn what_stands_outside_the_database_is_resolved_and_named() {
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
