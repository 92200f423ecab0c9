//! The verifier contract, demand by demand: every hard failure trigger, every
//! row of the guarantees matrix, every non-negotiable invariant, the rule on
//! insufficient evidence and the misuse examples each have a test of that
//! name.

use std::fs;
use std::io;

use crosscheck_core::Verdict;
use crosscheck_testkit::Schema;
use crosscheck_trace::report::{CheckState, VerificationReportV1};
use crosscheck_trace::{Check, Insufficient, Policy, TraceRequest, verify};
use serde_json::{Value, json};

use crate::support::{Run, failures, set, sha256};

const BASE: &str = "valid-sealed-bm25";

fn rejected(run: &mut Run, expected: &[&str]) {
    run.reseal();
    assert_eq!(run.failures(), set(expected));
    assert_eq!(run.verify().verdict(), Verdict::Refuted);
}

#[test]
fn the_unchanged_run_is_accepted() {
    let mut run = Run::of(BASE);
    run.reseal();
    assert_eq!(run.failures(), set(&[]));
    assert_eq!(run.verify().verdict(), Verdict::Confirmed);
}

mod hard_failure_trigger {
    use super::*;

    #[test]
    fn missing_or_malformed_events_or_fields() {
        let mut run = Run::of(BASE);
        run.first("step_started")
            .as_object_mut()
            .unwrap()
            .remove("step_id");
        assert_eq!(run.failures(), set(&["input_schema:missing_field"]));
        let mut run = Run::of(BASE);
        run.first("step_started")["idx"] = json!("0");
        assert_eq!(run.failures(), set(&["input_schema:bad_field"]));
        let mut run = Run::of(BASE);
        run.first("step_started")["idx"] = json!(null);
        run.reseal_trace();
        assert_eq!(run.failures(), set(&["core_invariants:idx_missing"]));
        let mut run = Run::of(BASE);
        run.first("step_started")["kind"] = json!("step_begun");
        assert_eq!(run.failures(), set(&["input_schema:unknown_event_kind"]));
    }

    #[test]
    fn citation_marker_missing_or_malformed() {
        let mut run = Run::of(BASE);
        let claim = &mut run.first("claim_emitted")["claim"];
        let statement = claim["statement"].as_str().unwrap().to_owned();
        let from = statement.find("[evidence:").unwrap();
        let to = from + statement[from..].find(']').unwrap() + 1;
        claim["structured"]["reasoner"]["reasoner"] = json!("other");
        claim["statement"] = json!(format!("{}{}", &statement[..from], &statement[to..]));
        run.output("finalize")["final_answer"] = json!(null);
        rejected(&mut run, &["derived_claim_grounding:marker_missing"]);

        let mut run = Run::of(BASE);
        let claim = &mut run.first("claim_emitted")["claim"];
        claim["structured"]["reasoner"]["reasoner"] = json!("other");
        claim["statement"] = json!(format!("{statement} [evidence:somewhere]"));
        rejected(&mut run, &["derived_claim_grounding:marker_malformed"]);
    }

    #[test]
    fn span_out_of_bounds_or_hash_mismatch() {
        for (span, code) in [
            (json!([0, 5000]), "support_spans:span_out_of_bounds"),
            (json!([1, 3]), "support_spans:snippet_hash_mismatch"),
        ] {
            let mut run = Run::of(BASE);
            let claim = &mut run.first("claim_emitted")["claim"];
            let (old, new) = (claim["supports"][0]["span"].clone(), span);
            let spelled = |span: &Value| format!(":{}-{}:", span[0], span[1]);
            let hash = claim["supports"][0]["snippet_sha256"]
                .as_str()
                .unwrap()
                .to_owned();
            let marker = |span: &Value| format!("{}{hash}", spelled(span));
            let statement = claim["statement"]
                .as_str()
                .unwrap()
                .replace(&marker(&old), &marker(&new));
            claim["statement"] = json!(statement);
            claim["supports"][0]["span"] = new;
            claim["structured"]["reasoner"]["reasoner"] = json!("other");
            run.output("finalize")["final_answer"] = json!(null);
            rejected(&mut run, &[code]);
        }
    }

    #[test]
    fn evidence_file_missing_or_hash_mismatch() {
        let mut run = Run::of(BASE);
        let uncited = run.nth("evidence_registered", 2);
        let path = run.events[uncited]["evidence"]["content_path"]
            .as_str()
            .unwrap()
            .to_owned();
        let path = run.path().join(path);
        let mut bytes = fs::read(&path).unwrap();
        bytes[0] ^= 1;
        fs::write(&path, bytes).unwrap();
        let expected = set(&[
            "evidence_hashes:evidence_hash_mismatch",
            "support_spans:chunk_hash_mismatch",
        ]);
        assert_eq!(run.reseal().failures(), expected);
        fs::remove_file(path).unwrap();
        assert_eq!(run.failures(), set(&["evidence_hashes:evidence_missing"]));
    }

    #[test]
    fn tool_call_and_result_mismatch() {
        let mut run = Run::of(BASE);
        run.first("tool_returned")["result"]["call_id"] = json!("another");
        rejected(
            &mut run,
            &[
                "core_invariants:missing_tool_result",
                "core_invariants:result_unknown_call",
                "tool_linkage:missing_tool_result",
                "tool_linkage:orphan_tool_result",
            ],
        );
    }

    #[test]
    fn required_steps_absent() {
        let mut run = Run::of(BASE);
        let verify = run
            .events
            .iter()
            .position(|event| event["output"]["type"] == "verify")
            .unwrap();
        run.events.drain(verify - 1..=verify);
        rejected(
            &mut run,
            &[
                "required_steps:plan_step_absent",
                "required_steps:required_step_missing",
                "step_order:dependency_not_finished",
            ],
        );
    }

    #[test]
    fn plan_and_trace_schema_version_mismatch() {
        let mut run = Run::of(BASE);
        run.plan["schema_version"] = json!(2);
        assert_eq!(
            run.failures(),
            set(&["core_invariants:plan_version_mismatch"])
        );
        run.plan["schema_version"] = json!(1);
        assert_eq!(
            run.failures(),
            set(&[]),
            "the version is not part of the plan's id"
        );
        run.plan["schema_version"] = json!(3);
        assert_eq!(
            run.failures(),
            set(&["core_invariants:plan_version_mismatch"])
        );
        let mut run = Run::of(BASE);
        run.header["schema_version"] = json!(3);
        assert_eq!(
            run.failures(),
            set(&["core_invariants:unsupported_schema_version"])
        );
    }
}

mod guarantees_matrix {
    use super::*;

    #[test]
    fn span_hash_integrity_is_a_hard_fail() {
        let mut run = Run::of(BASE);
        let claim = &mut run.first("claim_emitted")["claim"];
        let old = claim["supports"][0]["snippet_sha256"]
            .as_str()
            .unwrap()
            .to_owned();
        let new = sha256("something else");
        run.events = run
            .events
            .iter()
            .map(|event| serde_json::from_str(&event.to_string().replace(&old, &new)).unwrap())
            .collect();
        let at = run.nth("claim_emitted", 0);
        if run.events[at]["claim"]["structured"]["reasoner"].is_object() {
            run.events[at]["claim"]["structured"]["reasoner"]["reasoner"] = json!("other");
        }
        let failures = run.reseal().failures();
        assert!(
            failures.contains("support_spans:snippet_hash_mismatch"),
            "{failures:?}"
        );
        assert!(!run.verify().is_accepted());
    }

    #[test]
    fn event_ordering_rejects_the_trace() {
        let mut run = Run::of(BASE);
        run.events.swap(0, 1);
        rejected(&mut run, &["step_order:step_not_started"]);
        let mut run = Run::of(BASE);
        run.events[3]["idx"] = json!(7);
        assert!(
            run.failures()
                .contains("core_invariants:idx_not_sequential")
        );
    }

    #[test]
    fn missing_evidence_is_an_invalid_run() {
        let mut run = Run::of(BASE);
        fs::remove_dir_all(run.path().join("evidence")).unwrap();
        rejected(
            &mut run,
            &[
                "evidence_hashes:evidence_missing",
                "support_spans:evidence_bytes_missing",
            ],
        );
    }

    #[test]
    fn tool_call_and_result_linkage_is_an_invalid_run() {
        let mut run = Run::of(BASE);
        let at = run.nth("tool_returned", 0);
        let again = run.events[at].clone();
        run.events.insert(at + 1, again);
        rejected(&mut run, &["tool_linkage:duplicate_tool_result"]);
    }

    #[test]
    fn schema_version_support_rejects_the_trace() {
        for (field, value, code) in [
            ("schema_version", json!(0), "unsupported_schema_version"),
            (
                "runtime_protocol_version",
                json!(2),
                "unsupported_runtime_protocol_version",
            ),
            (
                "canonicalization_version",
                json!(2),
                "unsupported_canonicalization_version",
            ),
            (
                "fingerprint_algo",
                json!("sha512"),
                "unsupported_fingerprint_algo",
            ),
        ] {
            let mut run = Run::of(BASE);
            run.header[field] = value;
            run.events[0] = json!("the rest means nothing");
            assert_eq!(
                run.failures(),
                set(&[&format!("core_invariants:{code}")]),
                "{field}"
            );
        }
    }
}

mod non_negotiable_invariant {
    use super::*;

    #[test]
    fn verification_is_fail_closed_on_any_invariant_violation() {
        let mut run = Run::of(BASE);
        run.events[0]["more"] = json!(1);
        let report = run.write().verify();
        assert_eq!(report.verdict(), Verdict::Refuted);
        for (check, state) in report.checks() {
            let expected = if check == Check::InputSchema {
                CheckState::Failed
            } else {
                CheckState::NotRun
            };
            assert_eq!(
                state, expected,
                "{check:?}: a check that did not run did not pass"
            );
        }
        let document = serde_json::to_value(VerificationReportV1::from(&report)).unwrap();
        assert_eq!(document["checks"][5]["passed"], json!(false));
        assert_eq!(document["checks"][5]["details"], json!("not_run"));
    }

    #[test]
    fn the_cap_on_listed_failures_never_makes_a_check_pass() {
        let run = Run::of(BASE);
        let mut broken = Run::of(BASE);
        broken.events = run.events.iter().rev().cloned().collect();
        broken.write();
        let request = TraceRequest {
            max_failures: 1,
            ..TraceRequest::run_dir(broken.path())
        };
        let capped = verify(&request, &mut io::empty()).unwrap();
        let all = broken.verify();
        assert_eq!(
            capped.checks().collect::<Vec<_>>(),
            all.checks().collect::<Vec<_>>(),
            "the same checks fail"
        );
        assert!(capped.failures().len() < all.failures().len());
        assert_eq!(capped.failure_count(), all.failure_count());
    }

    #[test]
    fn no_policy_changes_the_verdict() {
        let mut run = Run::of(BASE);
        run.events.swap(0, 1);
        run.reseal().write();
        for policy in [Policy::Strict, Policy::Audit] {
            let request = TraceRequest {
                policy,
                ..TraceRequest::run_dir(run.path())
            };
            assert!(!verify(&request, &mut io::empty()).unwrap().is_accepted());
        }
    }

    #[test]
    fn span_and_hash_grounding_is_mandatory() {
        let mut run = Run::of(BASE);
        let claim = &mut run.first("claim_emitted")["claim"];
        claim["supports"] = json!([]);
        claim["statement"] = json!("The gale reached 41 metres per second.");
        claim["structured"]["reasoner"]["reasoner"] = json!("other");
        run.output("finalize")["final_answer"] = json!(null);
        rejected(&mut run, &["derived_claim_grounding:no_evidence_support"]);
    }

    #[test]
    fn tool_linkage_is_mandatory() {
        let mut run = Run::of(BASE);
        let at = run.nth("tool_returned", 0);
        run.events.remove(at);
        rejected(
            &mut run,
            &[
                "core_invariants:missing_tool_result",
                "tool_linkage:missing_tool_result",
            ],
        );
    }

    #[test]
    fn schema_validation_is_mandatory() {
        let run = Run::of(BASE);
        let path = run.path().join("trace.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("\"idx\":0", "\"idx\":0.0", 1)).unwrap();
        assert_eq!(failures(&run.verify()), set(&["input_schema:bad_field"]));
    }
}

mod insufficient_evidence {
    use super::*;

    const MARKED: &str = "valid-insufficient-with-marked-claim";

    #[test]
    fn it_passes_without_derived_claims() {
        assert!(
            Run::of("valid-insufficient-no-retrieval")
                .verify()
                .is_accepted()
        );
    }

    #[test]
    fn it_passes_when_all_derived_claims_are_clearly_marked() {
        assert!(Run::of(MARKED).verify().is_accepted());
    }

    #[test]
    fn it_fails_when_a_claim_is_validated_or_stated_without_uncertainty() {
        let mut run = Run::of(MARKED);
        run.first("claim_emitted")["claim"]["status"] = json!("validated");
        rejected(
            &mut run,
            &["insufficient_reasoning:ambiguous_insufficiency"],
        );

        let mut run = Run::of(MARKED);
        let id = run.first("claim_emitted")["claim"]["id"].clone();
        run.output("finalize")["final_claim_ids"] = json!([id]);
        run.output("finalize")["uncertainty"] = json!("");
        rejected(
            &mut run,
            &["insufficient_reasoning:ambiguous_insufficiency"],
        );
        run.output("finalize")["uncertainty"] = json!("one source only");
        run.reseal();
        assert_eq!(run.failures(), set(&[]));
    }

    #[test]
    fn the_policy_may_forbid_claims_altogether() {
        let run = Run::of(MARKED);
        let request = TraceRequest {
            insufficient: Insufficient::Forbid,
            ..TraceRequest::run_dir(run.path())
        };
        let report = verify(&request, &mut io::empty()).unwrap();
        assert_eq!(
            failures(&report),
            set(&["insufficient_reasoning:ambiguous_insufficiency"])
        );
    }
}

mod misuse {
    use super::*;

    #[test]
    fn skipping_plan_validation_is_rejected() {
        let run = Run::of(BASE);
        fs::remove_file(run.path().join("plan.json")).unwrap();
        assert_eq!(
            failures(&run.verify()),
            set(&["core_invariants:plan_missing"])
        );
        let mut run = Run::of(BASE);
        run.plan["nodes"] = json!([]);
        run.reseal();
        let expected = set(&["core_invariants:plan_empty", "core_invariants:unknown_step"]);
        assert_eq!(run.failures(), expected);
    }

    #[test]
    fn omitting_span_and_hash_supports_is_rejected() {
        for field in ["span", "snippet_sha256"] {
            let mut run = Run::of(BASE);
            let support = &mut run.first("claim_emitted")["claim"]["supports"][0];
            support.as_object_mut().unwrap().remove(field);
            assert_eq!(
                run.failures(),
                set(&["input_schema:missing_field"]),
                "{field}"
            );
        }
    }
}

mod outputs {
    use super::*;

    #[test]
    fn the_report_has_checks_failures_and_summary_metrics_and_fits_its_schema() {
        let mut run = Run::of(BASE);
        run.events.swap(0, 1);
        run.reseal();
        let report = run.write().verify();
        let document = serde_json::to_value(VerificationReportV1::from(&report)).unwrap();
        assert_eq!(document["checks"].as_array().unwrap().len(), 16);
        assert_eq!(document["failures"][0]["code"], "step_not_started");
        assert_eq!(document["failures"][0]["invariant_id"], "INV-ORD-001");
        assert_eq!(document["failures"][0]["location"]["line"], 2);
        assert_eq!(document["failures"][0]["location"]["idx"], 0);
        assert_eq!(document["summary_metrics"]["checks_failed"], 1);
        assert_eq!(document["summary_metrics"]["supports_verified"], 2);
        let schema = serde_json::to_value(schemars::schema_for!(VerificationReportV1)).unwrap();
        let problems = Schema::new(schema).problems(&document);
        assert!(problems.is_empty(), "{problems:#?}");
    }

    #[test]
    fn the_neutral_report_agrees() {
        let mut run = Run::of(BASE);
        run.events.swap(0, 1);
        run.reseal();
        let report = run.write().verify();
        let neutral = report.neutral();
        assert_eq!(neutral.verdict, Verdict::Refuted);
        assert_eq!(neutral.count(Verdict::Confirmed), 15);
        assert_eq!(neutral.count(Verdict::Refuted), 1);
        let human = report.human();
        assert!(
            human.contains("step_not_started in step_order (INV-ORD-001)"),
            "{human}"
        );
        assert!(human.contains("trace.jsonl:2, event 0"), "{human}");
        assert!(human.contains("means"), "{human}");
    }
}
