//! The schemas of traces and plans, for producers.

use schemars::Schema;
use serde_json::{Value, json};

use super::object::schema::object;
use super::{claim, event, header, output, plan};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// One line of `trace.jsonl`: the header, or an event.
pub fn trace_line() -> Schema {
    document(json!({
        "$schema": DIALECT,
        "title": "TraceLine",
        "description": "One line of trace.jsonl. The first line is the header, every other one an event.",
        "oneOf": [{"$ref": "#/$defs/header"}, {"$ref": "#/$defs/record"}],
        "$defs": {
            "header": object(&header::HEADER, &[
                ("schema_version", json!({"enum": [1, 2]})),
                ("runtime_protocol_version", json!({"const": 1})),
                ("canonicalization_version", json!({"const": 1})),
                ("fingerprint_algo", json!({"const": "sha256"})),
            ]),
            "record": object(&event::RECORD, &[("event", refer("event"))]),
            "event": {"oneOf": events()},
            "call": object(&event::CALL, &[]),
            "result": object(&event::RESULT, &[]),
            "evidence": object(&event::EVIDENCE, &[]),
            "claim": object(&claim::CLAIM, &[("supports", refer("support"))]),
            "support": object(&claim::SUPPORT, &[]),
            "output": {"oneOf": output::TABLES.map(|(_, table)| object(table, &[]))},
        },
    }))
}

/// `plan.json`, plain or wrapped.
pub fn plan() -> Schema {
    let mut bare = object(&plan::PLAN, &[("nodes", refer("node"))]);
    if let Some(version) = bare.pointer_mut("/properties/schema_version") {
        // an absent version is not checked
        *version = json!({"enum": [1, 2], "description": "if present, the version of the trace"});
    }
    document(json!({
        "$schema": DIALECT,
        "title": "Plan",
        "description": "plan.json: the steps of a run and what each of them waits for.",
        "anyOf": [
            {"$ref": "#/$defs/plan"},
            {"type": "object", "required": ["canonical_version", "data"], "additionalProperties": false,
                "properties": {"canonical_version": {"const": 1}, "data": refer("plan")}},
        ],
        "$defs": {
            "plan": bare,
            "node": object(&plan::NODE, &[("step", refer("step"))]),
            "step": object(&plan::STEP, &[("tool_requests", refer("request"))]),
            "request": object(&plan::REQUEST, &[]),
        },
    }))
}

fn events() -> [Value; 6] {
    let kind = |word: &str| ("kind", json!({"const": word}));
    [
        object(&event::STARTED, &[kind("step_started")]),
        object(
            &event::FINISHED,
            &[kind("step_finished"), ("output", refer("output"))],
        ),
        object(
            &event::CALLED,
            &[kind("tool_called"), ("call", refer("call"))],
        ),
        object(
            &event::RETURNED,
            &[kind("tool_returned"), ("result", refer("result"))],
        ),
        object(
            &event::REGISTERED,
            &[kind("evidence_registered"), ("evidence", refer("evidence"))],
        ),
        object(
            &event::CLAIMED,
            &[kind("claim_emitted"), ("claim", refer("claim"))],
        ),
    ]
}

fn refer(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn document(schema: Value) -> Schema {
    Schema::try_from(schema).unwrap_or_default()
}
