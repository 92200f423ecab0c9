//! The published schemas of trace and plan agree with the reader.

use std::fs;

use crosscheck_testkit::Schema;
use crosscheck_trace::read::schema::{plan, trace_line};
use serde_json::{Value, json};

use crate::support::{Run, vectors};

const BASE: &str = "valid-sealed-bm25";

fn validators() -> [Schema; 2] {
    [trace_line(), plan()].map(|schema| Schema::new(schema.to_value()))
}

#[test]
fn every_valid_run_fits_the_schemas() {
    let [line, plan] = validators();
    let mut seen = 0;
    for entry in fs::read_dir(vectors()).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(case) = fs::read_to_string(folder.join("case.json")) else {
            continue;
        };
        let case: Value = serde_json::from_str(&case).unwrap();
        if case["expected"]["verdict"] != "accepted" {
            continue;
        }
        seen += 1;
        for text in fs::read_to_string(folder.join("trace.jsonl"))
            .unwrap()
            .lines()
            .filter(|text| !text.is_empty())
        {
            let value: Value = serde_json::from_str(text).unwrap();
            assert!(line.fits(&value), "{}: {text}", folder.display());
        }
        let text = fs::read_to_string(folder.join("plan.json")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(plan.fits(&value), "{}", folder.display());
    }
    assert!(seen > 10, "{seen} valid runs");
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let [line, plan] = validators();
    let table: [(&str, fn(&mut Run)); 9] = [
        ("unknown header field", |run| run.header["zz"] = json!(1)),
        ("version as text", |run| {
            run.header["schema_version"] = json!("1")
        }),
        ("unknown kind", |run| {
            run.first("step_started")["kind"] = json!("begun")
        }),
        ("bad hash", |run| {
            run.first("evidence_registered")["evidence"]["sha256"] = json!("AB")
        }),
        ("missing name", |run| {
            let call = &mut run.first("tool_called")["call"];
            call.as_object_mut().unwrap().remove("tool_name");
        }),
        ("both spellings", |run| {
            let event = run.first("tool_returned");
            event["tool_result"] = event["result"].clone();
        }),
        ("bad support", |run| {
            run.first("claim_emitted")["claim"]["supports"][0]["kind"] = json!("rumour")
        }),
        ("unknown output", |run| {
            run.output("gather")["type"] = json!("gathered")
        }),
        ("bad node", |run| run.plan["nodes"][0]["kind"] = json!("x")),
    ];
    for (name, change) in table {
        let mut run = Run::of(BASE);
        change(&mut run);
        let events = run
            .events
            .iter()
            .map(|event| json!({"record": "trace_event", "event": event}));
        let fits = line.fits(&run.header)
            && events.into_iter().all(|event| line.fits(&event))
            && plan.fits(&run.plan);
        assert!(!fits, "{name}");
        assert!(
            run.failures()
                .iter()
                .all(|one| one.starts_with("input_schema:")),
            "{name}"
        );
    }
}
