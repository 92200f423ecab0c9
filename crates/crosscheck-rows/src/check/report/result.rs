//! `workflow-result.json` of the run bundle: every fact of every step.

use std::io::{self, Write};

use crosscheck_core::text::one_line;
use crosscheck_core::{JsString, Verdict};
use serde_json::{Map, Value, json};

use super::analysis::Analysis;
use super::resolved::{self, set};
use super::spool::Spool;
use super::{Driver, Head, Judged, correctness, findings, status_word};
use crate::certificate::{Doc, object};
use crate::check::error::ContractError;
use crate::check::judge::{Ground, Outcome};
use crate::check::plan::show;
use crate::check::read::{Log, Noted};

/// The steps of the engine and of the truth report, as they come.
#[derive(Default)]
pub(crate) struct Steps {
    engine: Spool,
    truth: Spool,
}

/// The whole document, ready to be written.
pub(crate) struct Result {
    steps: Steps,
    head: Value,
    truth_head: Value,
    ingest: Spool,
}

impl Steps {
    pub(super) fn push(
        &mut self,
        step: &Judged,
        lines: &[u8],
        expected: &JsString,
        observed: &str,
    ) -> io::Result<()> {
        let outcome = &step.outcome;
        let params = step.params(lines);
        let mut engine = json!({
            "seq": step.seq,
            "toolId": step.tool_id.to_string(),
            "releaseCritical": step.release_critical,
            "intendedEffect": { "narrative": step.narrative.to_string() },
            "observedExecution": { "paramsCanonical": params },
            "verificationRequest": step.request.as_ref().map(resolved::request),
            "status": outcome.status.word(),
            "reasons": reasons(outcome),
            "evidenceSummary": evidence(outcome),
            "repeatObservationCount": step.repeats,
            "evaluatedObservationOrdinal": step.repeats,
        });
        let mut truth = json!({
            "seq": step.seq,
            "toolId": step.tool_id.to_string(),
            "releaseCritical": step.release_critical,
            "outcomeLabel": outcome.status.label(),
            "observations": { "evaluatedOrdinal": step.repeats, "repeatCount": step.repeats },
            "reasons": reasons(outcome),
            "intendedEffect": { "narrative": step.narrative.to_string() },
            "observedExecution": { "paramsCanonical": params },
            "verifyTarget": step.request.as_ref().map(|_| expected.to_string()),
            "observedStateSummary": observed,
        });
        if let Some(category) = outcome.category() {
            set(&mut engine, "failureDiagnostic", json!(category));
            set(&mut truth, "failureCategory", json!(category));
        }
        if !outcome.effects.is_empty() {
            let effects = outcome.effects.iter().map(|effect| {
                json!({
                    "id": effect.id.to_string(), "outcomeLabel": effect.outcome.status.label(),
                    "reasons": reasons(&effect.outcome),
                })
            });
            set(&mut truth, "effects", effects.collect());
        }
        self.engine.push(engine.to_string().as_bytes())?;
        self.truth.push(truth.to_string().as_bytes())
    }
}

fn reasons(outcome: &Outcome) -> Vec<Value> {
    outcome.ground.iter().map(reason).collect()
}

fn reason(ground: &Ground) -> Value {
    let mut object = json!({ "code": ground.code(), "message": ground.message });
    if let Some(field) = &ground.field {
        set(&mut object, "field", json!(field));
    }
    object
}

fn evidence(outcome: &Outcome) -> Map<String, Value> {
    let mut summary = outcome.evidence.facts();
    if !outcome.effects.is_empty() {
        let effects = outcome.effects.iter().map(|effect| {
            json!({
                "id": effect.id.to_string(), "status": effect.outcome.status.word(),
                "reasons": reasons(&effect.outcome), "evidenceSummary": effect.outcome.evidence.facts(),
            })
        });
        summary.insert("effectCount".to_owned(), json!(outcome.effects.len()));
        summary.insert("effects".to_owned(), effects.collect());
    }
    summary
}

impl Result {
    pub(super) fn new(
        steps: Steps,
        log: &Log,
        head: &Head,
        driver: Option<&Driver>,
    ) -> std::result::Result<Self, ContractError> {
        let issue = |code: &str, message: &str| json!({ "code": code, "message": message });
        let categorised = |code: &str, message: &str| json!({ "code": code, "message": message, "category": "verification_setup" });
        let run_level: Vec<Value> = head
            .run_level
            .iter()
            .map(|(code, message)| issue(code, message))
            .collect();
        let sequence = |kind: &dyn Fn(&str, &str) -> Value, list: &str| {
            if log.sequence.is_empty() {
                return json!({ "kind": "normal" });
            }
            let reasons: Vec<Value> = log
                .sequence
                .iter()
                .map(|reason| kind(reason.code(), reason.reason().meaning))
                .collect();
            json!({ "kind": "irregular", list: reasons })
        };
        let (mode, window, poll) = head.policy.parts();
        let analysis = head.analysis.as_ref();
        let truth_head = json!({
            "schemaVersion": 9,
            "workflowId": head.workflow_id,
            "workflowStatus": status_word(head.status),
            "trustSummary": trust(head.status),
            "runLevelIssues": head.run_level.iter().map(|(code, message)| categorised(code, message)).collect::<Vec<_>>(),
            "eventSequence": sequence(&categorised, "issues"),
            "failureAnalysis": analysis.map(Analysis::wire),
            "failureExplanation": analysis.map(|analysis| Explanation::new(head, analysis, driver).wire()),
            "correctnessDefinition": analysis.map(|analysis| correctness::definition(head, analysis, driver)),
            "executionPathFindings": head.findings.iter().map(findings::Finding::wire).collect::<Vec<_>>(),
            "executionPathSummary": findings::summary(&head.findings),
        });
        let mut ingest = Spool::default();
        for (seq, at) in log.ingest_by_seq() {
            ingest.push(format!("\"{seq}\":{at}").as_bytes())?;
        }
        let head = json!({
            "schemaVersion": 15,
            "workflowId": head.workflow_id,
            "status": status_word(head.status),
            "runLevelReasons": run_level,
            "verificationPolicy": { "consistencyMode": mode, "verificationWindowMs": window_number(window), "pollIntervalMs": window_number(poll) },
            "eventSequenceIntegrity": sequence(&issue, "reasons"),
            "verificationRunContext": context(log),
        });
        Ok(Self {
            steps,
            head,
            truth_head,
            ingest,
        })
    }

    /// Writes the document.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{")?;
        for (name, value) in self.head.as_object().into_iter().flatten() {
            if name == "verificationRunContext" {
                let text = value.to_string();
                let open = text.strip_suffix('}').unwrap_or(&text);
                write!(out, "\"{name}\":{open},\"toolObservedIngestIndexBySeq\":{{")?;
                self.ingest.copy_to(out)?;
                out.write_all(b"}},")?;
            } else {
                write!(out, "\"{name}\":{value},")?;
            }
        }
        out.write_all(b"\"steps\":[")?;
        self.steps.engine.copy_to(out)?;
        let truth = self.truth_head.to_string();
        let open = truth.strip_suffix('}').unwrap_or(&truth);
        write!(out, "],\"workflowTruthReport\":{open},\"steps\":[")?;
        self.steps.truth.copy_to(out)?;
        out.write_all(b"]}}")
    }
}

fn window_number(millis: u128) -> Value {
    json!(u64::try_from(millis).unwrap_or(u64::MAX))
}

const fn trust(status: Verdict) -> &'static str {
    match status {
        Verdict::Confirmed => super::texts::TRUSTED,
        Verdict::Refuted => super::texts::NOT_TRUSTED_MISMATCH,
        Verdict::Undecided => super::texts::NOT_TRUSTED_INCOMPLETE,
    }
}

/// Which members of the events of each kind are shown, and under which name.
const NOTED: [(&str, &str, &[&str]); 4] = [
    (
        "retrieval",
        "retrievalEvents",
        &["runEventId", "status", "source", "hitCount"],
    ),
    (
        "control",
        "controlEvents",
        &["runEventId", "controlKind", "decision", "label"],
    ),
    ("model_turn", "modelTurnEvents", &["runEventId", "status"]),
    ("tool_skipped", "toolSkippedEvents", &["toolId", "reason"]),
];

fn context(log: &Log) -> Value {
    let context = &log.context;
    let mut shown = json!({
        "maxWireSchemaVersion": context.max_version.max(1),
        "firstToolObservedIngestIndex": context.first_tool,
        "hasRunCompletedControl": context.run_completed(),
        "lastRunEvent": context.last.map(|ingest| {
            let noted = context.last_noted();
            let kind = noted.map_or("tool_observed", |one| one.text("type"));
            let turn = noted.filter(|one| one.is("model_turn"));
            object! {
                "ingestIndex": ingest, "type": kind,
                "modelTurnStatus": turn.map(|one| one.text("status")),
            }
        }),
    });
    for (kind, name, members) in NOTED {
        let one = |one: &Noted| {
            let mut shown = json!({ "ingestIndex": one.ingest });
            for member in members {
                match one.get(member) {
                    Some(Value::Number(hits)) => {
                        let hits = hits.as_f64().unwrap_or_default();
                        set(&mut shown, member, show::number(hits));
                    }
                    Some(value) => set(&mut shown, member, value.clone()),
                    None => {}
                }
            }
            shown
        };
        let noted = context.noted.iter().filter(|one| one.is(kind));
        set(&mut shown, name, noted.map(one).collect());
    }
    shown
}

/// `failureExplanation`: what was expected, seen, and is known.
pub(super) struct Explanation {
    pub(super) expected: String,
    pub(super) observed: String,
    pub(super) divergence: String,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) unknowns: Vec<(&'static str, String)>,
}

impl Explanation {
    pub(super) fn new(head: &Head, analysis: &Analysis, driver: Option<&Driver>) -> Self {
        let first = analysis.evidence.first().cloned().unwrap_or_default();
        let codes = first.codes.join(", ");
        let step = driver.filter(|driver| analysis.points_to_step(driver.seq));
        let (expected, observed) = match step {
            Some(driver) => (driver.expected.to_string(), driver.observed.clone()),
            None => (
                "a workflow whose events are whole, in order and undisturbed".to_owned(),
                format!("{}: {codes}", first.scope),
            ),
        };
        let ground = step.and_then(|driver| driver.outcome.ground.as_ref());
        let divergence = ground.map_or(&analysis.summary, |ground| &ground.message);
        let mut facts = vec![
            ("workflow_status", status_word(head.status).to_owned()),
            ("verification_policy", head.policy.fragment()),
            ("primary_origin", analysis.origin.to_owned()),
            ("classification_confidence", analysis.confidence.to_owned()),
            ("primary_scope", first.scope.to_owned()),
            ("primary_codes", codes),
        ];
        if let Some(driver) = step {
            facts.push(("primary_seq", driver.seq.to_string()));
            facts.push(("primary_tool_id", driver.tool_id.to_string()));
            facts.push(("intended_effect_narrative", driver.narrative.to_string()));
        }
        let unknowns = analysis.alternatives.iter();
        let line = |(id, value): (&'static str, String)| (id, one_line(&value));
        Self {
            expected: one_line(&expected),
            observed: one_line(&observed),
            divergence: one_line(divergence),
            facts: facts.into_iter().map(line).collect(),
            unknowns: unknowns
                .map(|(_, why)| ("competing_hypothesis", one_line(why)))
                .collect(),
        }
    }

    fn wire(&self) -> Doc {
        let rows = |rows: &[(&str, String)]| -> Vec<Doc> {
            let row = |(id, value): &(&str, String)| object! { "id": id, "value": value };
            rows.iter().map(row).collect()
        };
        object! {
            "schemaVersion": 1, "expected": self.expected, "observed": self.observed,
            "divergence": self.divergence, "knownFacts": rows(&self.facts),
            "unknowns": rows(&self.unknowns),
        }
    }
}
