//! One change to a valid run for each rule, with exactly the expected failures.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Run, failures, set, sha256, stable};

const BASE: &str = "valid-sealed-bm25";

type Change = fn(&mut Run);

fn hold(table: &[(&str, Change, &[&str])]) {
    for (name, change, expected) in table {
        let mut run = Run::of(BASE);
        change(&mut run);
        run.reseal();
        assert_eq!(run.failures(), set(expected), "{name}");
    }
}

fn claim(run: &mut Run) -> &mut Value {
    &mut run.first("claim_emitted")["claim"]
}

/// A claim whose result hash cannot be recomputed.
fn foreign_claim(run: &mut Run) -> &mut Value {
    let claim = claim(run);
    claim["structured"]["reasoner"]["reasoner"] = json!("other");
    claim
}

fn observed(run: &mut Run, id: &str, statement: &str, supports: Value) {
    let at = run.nth("claim_emitted", 0);
    let event = json!({"idx": 0, "kind": "claim_emitted", "step_id": run.events[at]["step_id"],
        "claim": {"id": id, "statement": statement, "status": "proposed", "confidence": 0.5,
                  "supports": supports, "claim_type": "observed", "structured": null}});
    run.events.insert(at + 1, event);
}

fn step_of(run: &Run, kind: &str) -> Value {
    let nodes = run.plan["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["kind"] == kind).unwrap()["id"].clone()
}

#[test]
fn core_invariants_of_the_plan() {
    hold(&[
        (
            "edge to nowhere",
            |run| run.plan["edges"] = json!([["nowhere", step_of(run, "derive")]]),
            &["core_invariants:plan_bad_edge"],
        ),
        (
            "edge that closes a circle",
            |run| run.plan["edges"] = json!([[step_of(run, "finalize"), step_of(run, "derive")]]),
            &[
                "core_invariants:plan_cycle",
                "step_order:dependency_not_finished",
            ],
        ),
        (
            "edge in the order of the run",
            |run| run.plan["edges"] = json!([[step_of(run, "gather"), step_of(run, "finalize")]]),
            &[],
        ),
        (
            "step of another kind",
            |run| run.plan["nodes"][0]["step"]["kind"] = json!("gather"),
            &["core_invariants:plan_step_kind_mismatch"],
        ),
    ]);
}

#[test]
fn core_invariants_of_events() {
    hold(&[
        (
            "evidence without a step",
            |run| run.first("evidence_registered")["step_id"] = json!(""),
            &["core_invariants:event_missing_step"],
        ),
        (
            "claim without a step",
            |run| run.first("claim_emitted")["step_id"] = json!(""),
            &["core_invariants:event_missing_step"],
        ),
        (
            "evidence of an unknown step",
            |run| run.first("evidence_registered")["step_id"] = json!("elsewhere"),
            &["core_invariants:unknown_step"],
        ),
        (
            "evidence registered twice",
            |run| {
                let at = run.nth("evidence_registered", 0);
                let again = run.events[at].clone();
                run.events.insert(at + 1, again);
            },
            &["core_invariants:duplicate_evidence_id"],
        ),
        (
            "claim emitted twice",
            |run| {
                let at = run.nth("claim_emitted", 0);
                let again = run.events[at].clone();
                run.events.insert(at + 1, again);
            },
            &["core_invariants:duplicate_claim_id"],
        ),
        (
            "an unknown step that never finishes",
            |run| {
                let event = json!({"idx": 0, "kind": "step_started", "step_id": "elsewhere"});
                run.events.insert(0, event);
            },
            &[
                "core_invariants:unfinished_step",
                "core_invariants:unknown_step",
            ],
        ),
    ]);
}

#[test]
fn run_binding() {
    let table: &[(&str, Change, &[&str])] = &[
        (
            "no plan named",
            |run| run.header["plan_id"] = json!(null),
            &["run_binding:plan_unbound"],
        ),
        (
            "empty plan named",
            |run| run.header["plan_id"] = json!(""),
            &["run_binding:plan_unbound"],
        ),
        (
            "another plan named",
            |run| run.header["plan_id"] = json!("other"),
            &["run_binding:plan_id_mismatch"],
        ),
        (
            "another spec named",
            |run| run.header["spec_id"] = json!("other"),
            &["run_binding:spec_id_mismatch"],
        ),
        (
            "empty spec named",
            |run| run.header["spec_id"] = json!(""),
            &["run_binding:spec_id_mismatch"],
        ),
        (
            "no spec named",
            |run| run.header["spec_id"] = json!(null),
            &[],
        ),
    ];
    for (name, change, expected) in table {
        let mut run = Run::of(BASE);
        change(&mut run);
        run.reseal_trace();
        assert_eq!(run.failures(), set(expected), "{name}");
    }
}

#[test]
fn the_spec_file_is_read_if_it_exists() {
    let table: &[(&str, &[&str])] = &[
        (r#"{"description":"x"}"#, &["run_binding:spec_id_mismatch"]),
        (
            r#"{"description":"x","id":"spec_v1_0000000000000000000000000000000000000000000000000000000000000000"}"#,
            &["content_ids:id_mismatch", "run_binding:spec_id_mismatch"],
        ),
        (r#"{"description":1}"#, &["run_binding:spec_malformed"]),
        (
            r#"{"description":"x","extra":1}"#,
            &["run_binding:spec_malformed"],
        ),
        (
            r#"{"description":"x","version":1.0}"#,
            &["run_binding:spec_malformed"],
        ),
        ("nope", &["run_binding:spec_malformed"]),
    ];
    for (text, expected) in table {
        let run = Run::of(BASE);
        fs::write(run.path().join("spec.json"), text).unwrap();
        assert_eq!(run.failures(), set(expected), "{text}");
    }
    let run = Run::of(BASE);
    let spec = fs::read_to_string(run.path().join("spec.json")).unwrap();
    let mut spec: Value = serde_json::from_str(&spec).unwrap();
    spec["id"] = json!("");
    let wrapped = json!({"canonical_version": 1, "data": spec}).to_string();
    fs::write(run.path().join("spec.json"), wrapped).unwrap();
    assert_eq!(
        run.failures(),
        set(&[]),
        "the id is computed when it is absent"
    );
}

#[test]
fn step_order() {
    hold(&[
        (
            "finished twice",
            |run| {
                let at = run.nth("step_finished", 0);
                let again = run.events[at].clone();
                run.events.insert(at + 1, again);
            },
            &["step_order:step_finished_twice"],
        ),
        (
            "evidence before the start of its step",
            |run| {
                let at = run.nth("evidence_registered", 2);
                let event = run.events.remove(at);
                run.events.insert(0, event);
            },
            &["step_order:step_not_started"],
        ),
        (
            "output of another kind",
            |run| {
                run.output("understand")["type"] = json!("derive");
                let output = run.output("derive").as_object_mut().unwrap();
                output.retain(|key, _| key == "type");
                output.insert("claim_ids".to_owned(), json!([]));
            },
            &[
                "required_steps:required_step_missing",
                "step_order:step_kind_mismatch",
            ],
        ),
    ]);
}

#[test]
fn tool_linkage() {
    hold(&[
        (
            "two calls and two results out of order",
            |run| {
                let at = run.nth("tool_returned", 0);
                let result = run.events.remove(at);
                let call = run.nth("tool_called", 0);
                run.events.insert(call, result.clone());
                run.events.insert(call + 2, result);
            },
            &[
                "core_invariants:result_unknown_call",
                "tool_linkage:duplicate_tool_result",
                "tool_linkage:orphan_tool_result",
            ],
        ),
        (
            "a call id used again in a later step does not reach back to the answered call",
            |run| {
                let step = step_of(run, "derive");
                run.first("tool_called")["call"]["id"] = json!("K");
                run.first("tool_returned")["result"]["call_id"] = json!("K");
                let mut again = run.events[run.nth("tool_called", 0)].clone();
                again["step_id"] = step.clone();
                again["call"]["step_id"] = step;
                let at = run.nth("claim_emitted", 0);
                run.events.insert(at, again);
            },
            &["core_invariants:duplicate_call_id"],
        ),
        (
            "a failed call is a legal outcome",
            |run| {
                let result = &mut run.first("tool_returned")["result"];
                result["success"] = json!(false);
                result["error"] = json!("timeout");
            },
            &[],
        ),
    ]);
}

#[test]
fn claim_justifications() {
    let hash = "0".repeat(64);
    for (kind, id, expected) in [
        (
            "claim",
            "self",
            &["claim_justifications:unknown_claim_ref"][..],
        ),
        (
            "claim",
            "nobody",
            &["claim_justifications:unknown_claim_ref"],
        ),
        (
            "tool_call",
            "nobody",
            &["claim_justifications:unknown_tool_ref"],
        ),
    ] {
        let mut run = Run::of(BASE);
        observed(
            &mut run,
            "self",
            "seen",
            json!([{"kind": kind, "ref_id": id, "span": [0, 1],
            "snippet_sha256": hash, "hash_algo": "sha256"}]),
        );
        run.reseal();
        assert_eq!(run.failures(), set(expected), "{kind} {id}");
    }
    let mut run = Run::of(BASE);
    let call = run.first("tool_called")["call"]["id"].clone();
    let earlier = run.first("claim_emitted")["claim"]["id"].clone();
    let support = |kind: &str, id: &Value| json!({"kind": kind, "ref_id": id, "span": [0, 1], "snippet_sha256": hash, "hash_algo": "sha256"});
    observed(
        &mut run,
        "seen",
        "seen",
        json!([support("tool_call", &call), support("claim", &earlier)]),
    );
    run.reseal();
    assert_eq!(
        run.failures(),
        set(&[]),
        "linkage only: these supports have no bytes"
    );
}

#[test]
fn grounding_of_claims_that_are_not_derived() {
    let hash = "0".repeat(64);
    let mut run = Run::of(BASE);
    observed(&mut run, "o", "plain", json!([]));
    run.reseal();
    assert_eq!(
        run.failures(),
        set(&[]),
        "the demand for supports is waived"
    );
    for (statement, expected) in [
        (
            "[evidence:]".to_owned(),
            "derived_claim_grounding:marker_malformed",
        ),
        (
            format!("[evidence:x:0-1:{hash}]"),
            "derived_claim_grounding:marker_without_support",
        ),
    ] {
        let mut run = Run::of(BASE);
        observed(&mut run, "o", &statement, json!([]));
        run.reseal();
        assert_eq!(run.failures(), set(&[expected]), "{statement}");
    }
    let mut run = Run::of(BASE);
    let support = claim(&mut run)["supports"][0].clone();
    observed(&mut run, "o", "no marker", json!([support]));
    run.reseal();
    assert_eq!(
        run.failures(),
        set(&["derived_claim_grounding:marker_missing"])
    );
}

#[test]
fn the_support_policy() {
    for (policy, expected) in [
        (json!({"min_supports_per_claim": 1}), &[][..]),
        (json!({}), &[]),
        (
            json!({"min_supports_per_claim": 3}),
            &["derived_claim_grounding:too_few_supports"],
        ),
        (
            json!({"min_supports_per_claim": 0}),
            &["derived_claim_grounding:bad_support_policy"],
        ),
        (
            json!({"min_supports_per_claim": -1}),
            &["derived_claim_grounding:bad_support_policy"],
        ),
        (
            json!({"min_supports_per_claim": 1.0}),
            &["derived_claim_grounding:bad_support_policy"],
        ),
        (
            json!({"min_supports_per_claim": null}),
            &["derived_claim_grounding:bad_support_policy"],
        ),
        (
            json!({"min_supports_per_claim": true}),
            &["derived_claim_grounding:bad_support_policy"],
        ),
        (
            json!("strict"),
            &["derived_claim_grounding:bad_support_policy"],
        ),
        (json!(null), &["derived_claim_grounding:bad_support_policy"]),
    ] {
        let mut run = Run::of(BASE);
        run.header["metadata"]["reasoning_policy"] = policy.clone();
        run.reseal();
        assert_eq!(run.failures(), set(expected), "{policy}");
    }
}

#[test]
fn a_marked_claim_with_one_citation_is_excused_only_beside_a_declaration() {
    let mut run = Run::of("valid-insufficient-with-marked-claim");
    run.header["metadata"]["reasoning_policy"]["min_supports_per_claim"] = json!(9);
    run.reseal();
    assert_eq!(run.failures(), set(&[]), "excused");
    run.output("insufficient_evidence")["type"] = json!("derive");
    let output = run.output("derive").as_object_mut().unwrap();
    output.retain(|key, _| key == "type");
    output.insert("claim_ids".to_owned(), json!([]));
    run.reseal();
    assert!(
        run.failures()
            .contains("derived_claim_grounding:too_few_supports")
    );
}

#[test]
fn reasoning_trace() {
    let hash = "0".repeat(64);
    hold(&[
        (
            "no hash in the header",
            |run| run.header["metadata"]["reasoning_trace"]["reasoning_trace_sha256"] = json!("AB"),
            &["reasoning_trace:reasoning_hash_missing"],
        ),
        (
            "no hash in the claim",
            |run| claim(run)["structured"]["result_sha256"] = json!(null),
            &["reasoning_trace:claim_result_hash_missing"],
        ),
        (
            "no structured part",
            |run| claim(run)["structured"] = json!(null),
            &["reasoning_trace:claim_result_hash_missing"],
        ),
    ]);
    let mut run = Run::of(BASE);
    foreign_claim(&mut run)["structured"]["result_sha256"] = json!(hash);
    run.reseal();
    assert_eq!(
        run.failures(),
        set(&["reasoning_trace:reasoning_hash_mismatch"])
    );
    run.header["metadata"]["reasoning_trace"]["reasoning_trace_sha256"] = json!(hash);
    run.reseal();
    assert_eq!(
        run.failures(),
        set(&[]),
        "only the baseline's hash can be made again"
    );
}

#[test]
fn output_linkage() {
    hold(&[
        (
            "unknown evidence",
            |run| run.output("gather")["evidence_ids"] = json!(["x"]),
            &["output_linkage:unknown_output_ref"],
        ),
        (
            "unknown derived claim",
            |run| run.output("derive")["claim_ids"] = json!(["x"]),
            &["output_linkage:unknown_output_ref"],
        ),
        (
            "unknown validated claim",
            |run| run.output("verify")["validated_claim_ids"] = json!(["x"]),
            &["output_linkage:unknown_output_ref"],
        ),
        (
            "unknown rejected claim",
            |run| run.output("verify")["rejected_claim_ids"] = json!(["x"]),
            &["output_linkage:unknown_output_ref"],
        ),
        (
            "unknown claim without support",
            |run| run.output("verify")["missing_support_claim_ids"] = json!(["x"]),
            &["output_linkage:unknown_output_ref"],
        ),
        (
            "validated and rejected",
            |run| {
                let id = claim(run)["id"].clone();
                run.output("finalize")["final_claim_ids"] = json!([]);
                run.output("verify")["validated_claim_ids"] = json!([id]);
                run.output("verify")["rejected_claim_ids"] = json!([id]);
            },
            &["output_linkage:claim_validated_and_rejected"],
        ),
        (
            "final without support",
            |run| {
                let id = claim(run)["id"].clone();
                run.output("verify")["validated_claim_ids"] = json!([]);
                run.output("verify")["missing_support_claim_ids"] = json!([id]);
                run.output("finalize")["final_claim_ids"] = json!([id]);
            },
            &["output_linkage:rejected_claim_final"],
        ),
        (
            "final and rejected from the start",
            |run| {
                claim(run)["status"] = json!("rejected");
                let id = claim(run)["id"].clone();
                run.output("finalize")["final_claim_ids"] = json!([id]);
            },
            &["output_linkage:rejected_claim_final"],
        ),
    ]);
}

#[test]
fn the_chunk_manifest() {
    let row = |run: &mut Run| {
        let evidence = &run.first("evidence_registered")["evidence"];
        json!({"chunk_id": evidence["chunk_id"], "start_byte": evidence["span"][0], "end_byte": evidence["span"][1]})
    };
    let rows = |run: &Run, change: &dyn Fn(&mut Value), id: &Value| {
        let path = run.path().join("provenance/chunks.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let changed: String = text
            .lines()
            .map(|line| {
                let mut row: Value = serde_json::from_str(line).unwrap();
                if row["chunk_id"] == *id {
                    change(&mut row);
                }
                format!("{row}\n")
            })
            .collect();
        fs::write(path, changed).unwrap();
    };
    let table: [(&dyn Fn(&mut Value), &[&str]); 6] = [
        (&|_| {}, &[]),
        (
            &|row| row["chunk_id"] = json!("a".repeat(64)),
            &["support_spans:chunk_unknown"],
        ),
        (
            &|row| row["end_byte"] = json!(1),
            &["support_spans:chunk_span_mismatch"],
        ),
        (
            &|row| row["chunk_sha256"] = json!("a".repeat(64)),
            &["support_spans:chunk_hash_mismatch"],
        ),
        (
            &|row| row["start_byte"] = json!("0"),
            &["support_spans:chunk_manifest_malformed"],
        ),
        (
            &|row| {
                row.as_object_mut().unwrap().remove("chunk_sha256");
            },
            &[],
        ),
    ];
    for (nth, (change, expected)) in table.iter().enumerate() {
        let mut run = Run::of(BASE);
        let id = row(&mut run)["chunk_id"].clone();
        rows(&run, change, &id);
        assert_eq!(run.failures(), set(expected), "change {nth}");
    }
    let mut run = Run::of(BASE);
    let mut other = row(&mut run);
    other["start_byte"] = json!(7000);
    other["end_byte"] = json!(7001);
    let path = run.path().join("provenance/chunks.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{text}{other}\n")).unwrap();
    assert_eq!(run.failures(), set(&[]), "one text may lie in two places");
}

#[test]
fn a_document_as_evidence_may_be_cited_only_inside_the_registered_span() {
    let run = Run::of("valid-whole-document-evidence");
    assert!(run.verify().is_accepted());
}

#[test]
fn absent_ids_are_computed_and_used() {
    let mut run = Run::of(BASE);
    run.reseal();
    let event = run.first("evidence_registered");
    let old = event["evidence"]["id"].as_str().unwrap().to_owned();
    let mut recipe = event["evidence"].clone();
    recipe.as_object_mut().unwrap().remove("id");
    let new = stable("evidence", &recipe);
    for event in &mut run.events {
        *event = serde_json::from_str(&event.to_string().replace(&old, &new).replace(
            &format!("evidence/{new}.txt"),
            &format!("evidence/{old}.txt"),
        ))
        .unwrap();
    }
    let claim = foreign_claim(&mut run);
    claim["structured"]["result_sha256"] = json!("0".repeat(64));
    run.header["metadata"]["reasoning_trace"]["reasoning_trace_sha256"] = json!("0".repeat(64));
    let at = run.nth("claim_emitted", 0);
    let made = {
        let claim = &run.events[at]["claim"];
        let keys = [
            "statement",
            "status",
            "confidence",
            "supports",
            "claim_type",
            "structured",
        ];
        let object: Value = keys
            .iter()
            .map(|key| ((*key).to_owned(), claim[*key].clone()))
            .collect();
        stable("claim", &object)
    };
    let old_claim = run.events[at]["claim"]["id"].as_str().unwrap().to_owned();
    for event in &mut run.events {
        *event = serde_json::from_str(&event.to_string().replace(&old_claim, &made)).unwrap();
    }
    run.reseal_trace(); // over the computed ids
    run.first("evidence_registered")["evidence"]
        .as_object_mut()
        .unwrap()
        .remove("id");
    run.first("claim_emitted")["claim"]["id"] = json!("");
    assert_eq!(run.failures(), set(&[]));
}

#[test]
fn content_ids_catch_edits() {
    let zeros = "0".repeat(64);
    let table: [(&str, &dyn Fn(&mut Run)); 5] = [
        ("trace", &|run| {
            run.header["metadata"]["note"] = json!("edited")
        }),
        ("call", &|run| {
            run.first("tool_called")["call"]["arguments"]["top_k"] = json!(4)
        }),
        ("evidence", &|run| {
            run.first("evidence_registered")["evidence"]["uri"] = json!("corpus://other")
        }),
        ("claim", &|run| claim(run)["confidence"] = json!(0.123)),
        ("node", &|run| {
            run.plan["nodes"][0]["parameters"]["preset"] = json!("other")
        }),
    ];
    for (name, change) in table {
        let mut run = Run::of(BASE);
        change(&mut run);
        let failures = run.failures();
        assert!(
            failures.contains("content_ids:id_mismatch"),
            "{name}: {failures:?}"
        );
    }
    for (id, expected) in [
        (json!(""), &["content_ids:trace_id_missing"][..]),
        (json!("my trace"), &[]),
        (
            json!(format!("trace_v2_{zeros}")),
            &["content_ids:id_mismatch"],
        ),
    ] {
        let mut run = Run::of(BASE);
        run.header["id"] = id.clone();
        assert_eq!(run.failures(), set(expected), "{id}");
    }
}

#[test]
fn one_failure_per_object_and_its_contents_are_not_checked() {
    let mut run = Run::of(BASE);
    run.first("claim_emitted")["claim"]["supports"][0]["span"] = json!([0, 0]);
    run.first("claim_emitted")["claim"]["supports"][1]["extra"] = json!(1);
    assert_eq!(
        run.write().verify().failures().len(),
        2,
        "each support is an object of its own"
    );
    run.first("claim_emitted")["claim"]["extra"] = json!(1);
    let report = run.write().verify();
    assert_eq!(failures(&report), set(&["input_schema:unknown_field"]));
    assert_eq!(report.failures().len(), 1);
    assert_eq!(
        report.failures()[0].location.field.as_deref(),
        Some("event.claim.extra")
    );
    run.plan["nodes"][1]["kind"] = json!("dream");
    let report = run.write().verify();
    assert_eq!(
        failures(&report),
        set(&["input_schema:bad_field", "input_schema:unknown_field"])
    );
    assert_eq!(
        report.failures()[0].location.file.as_deref(),
        Some("plan"),
        "the plan comes first"
    );
}

#[test]
fn a_header_that_cannot_be_read_stops_the_trace_but_not_the_plan() {
    let mut run = Run::of(BASE);
    run.header["plan_id"] = json!(1);
    run.events[0] = json!(1);
    run.plan["more"] = json!(1);
    let report = run.write().verify();
    assert_eq!(
        failures(&report),
        set(&["input_schema:bad_field", "input_schema:unknown_field"])
    );
}

#[test]
fn records_that_are_not_events() {
    for (line, code) in [
        ("[]", "bad_record"),
        (
            "{\"record\":\"trace_header\",\"id\":\"\",\"schema_version\":1}",
            "bad_record",
        ),
        ("{\"record\":\"trace_event\"}", "bad_record"),
        ("{\"event\":{}}", "bad_record"),
        ("{\"record\":\"trace_event\",\"event\":[]}", "bad_field"),
        (
            "{\"record\":\"trace_event\",\"event\":{},\"more\":1}",
            "unknown_field",
        ),
        ("{\"record\":\"trace_event\",\"event\":{}}", "missing_field"),
        (
            "{\"record\":\"trace_event\",\"event\":{\"kind\":7}}",
            "bad_field",
        ),
        (" ", "bad_json"),
    ] {
        let run = Run::of(BASE);
        let path = run.path().join("trace.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}{line}\n")).unwrap();
        assert_eq!(
            failures(&run.verify()),
            set(&[&format!("input_schema:{code}")]),
            "{line}"
        );
    }
}

#[test]
fn plans_that_are_not_valid() {
    for (text, code) in [
        ("[]", "input_schema:bad_field"),
        ("{}", "input_schema:missing_field"),
        (
            "{\"spec_id\":\"\",\"edges\":[[\"a\"]]}",
            "input_schema:bad_field",
        ),
        (
            "{\"spec_id\":\"\",\"schema_version\":\"1\"}",
            "input_schema:bad_field",
        ),
        (
            "{\"spec_id\":\"\",\"spec_id\":\"\"}",
            "input_schema:duplicate_key",
        ),
        ("", "input_schema:bad_json"),
        ("\u{feff}{}", "input_schema:bad_json"),
        (
            "{\"canonical_version\":true,\"data\":{}}",
            "core_invariants:plan_version_mismatch",
        ),
        (
            "{\"canonical_version\":1,\"data\":[]}",
            "input_schema:bad_field",
        ),
    ] {
        let run = Run::of(BASE);
        fs::write(run.path().join("plan.json"), text).unwrap();
        assert_eq!(failures(&run.verify()), set(&[code]), "{text}");
    }
}

#[test]
fn a_wrapped_plan_is_unwrapped() {
    let run = Run::of(BASE);
    let wrapped = json!({"canonical_version": 1, "data": run.plan});
    fs::write(run.path().join("plan.json"), wrapped.to_string()).unwrap();
    assert!(run.verify().is_accepted());
}

#[test]
fn a_citation_in_the_final_answer_needs_a_derived_claim() {
    let hash = sha256("x");
    let mut run = Run::of(BASE);
    run.output("finalize")["final_answer"] =
        json!(format!("It blew. [evidence:x:0-1:{hash}] [evidence:"));
    run.reseal();
    let expected = set(&[
        "derived_claim_grounding:marker_malformed",
        "derived_claim_grounding:marker_without_support",
    ]);
    assert_eq!(run.failures(), expected);
}

#[test]
fn an_unknown_field_of_the_header_does_not_end_the_reading() {
    let mut run = Run::of(BASE);
    run.header["zz"] = json!(1);
    run.write();
    let path = run.path().join("trace.jsonl");
    let mut lines: Vec<String> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    "{bad".clone_into(&mut lines[3]);
    fs::write(&path, lines.join("\n")).unwrap();
    assert_eq!(
        failures(&run.verify()),
        set(&["input_schema:unknown_field", "input_schema:bad_json"])
    );
}

/// The version of the plan ends the checks; lines of the trace that cannot be
/// read are still reported, since the trace itself has a known version.
#[test]
fn a_plan_of_another_version_does_not_hide_unreadable_lines() {
    let mut run = Run::of(BASE);
    let plan = json!({"canonical_version": 9, "data": run.plan});
    run.plan = plan;
    run.write();
    let mismatch = "core_invariants:plan_version_mismatch";
    assert_eq!(failures(&run.verify()), set(&[mismatch]));
    let path = run.path().join("trace.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "{bad\n").unwrap();
    assert_eq!(
        failures(&run.verify()),
        set(&[mismatch, "input_schema:bad_json"])
    );
}

#[test]
fn a_citation_of_unregistered_evidence_names_the_id() {
    let run = Run::of("evidence-cited-but-never-registered");
    let report = run.verify();
    let missing = report
        .failures()
        .iter()
        .find(|failure| failure.reason.wire() == "evidence_bytes_missing")
        .unwrap();
    let cited = run.events[run.nth("claim_emitted", 0)]["claim"]["supports"]
        .as_array()
        .unwrap()
        .iter()
        .any(|support| support["ref_id"].as_str() == missing.location.reference.as_deref());
    assert!(cited, "{:?}", missing.location);
}

#[test]
fn a_claim_that_is_validated_and_rejected_is_named_once() {
    let mut run = Run::of(BASE);
    let id = claim(&mut run)["id"].clone();
    run.output("finalize")["final_claim_ids"] = json!([]);
    run.output("verify")["validated_claim_ids"] = json!([id, id]);
    run.output("verify")["rejected_claim_ids"] = json!([id]);
    run.reseal();
    assert_eq!(run.write().verify().failures().len(), 1);
}
