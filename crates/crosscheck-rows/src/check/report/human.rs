//! The report for people. Prefixes and their order are contract.

use std::fmt::Write as _;

use crosscheck_core::JsString;
use crosscheck_core::text::unit_len;
use serde::Serialize;
use serde_json::Value;

use super::evidence::meaning;
use super::{Collector, Head, Judged, findings, texts};
use crate::check::error::ContractError;
use crate::check::judge::{Ground, Status};
use crate::check::read::Log;
use crate::wire::certificate_v3::{
    CorrectnessDefinition, EnforceableProjection, EvidenceCompleteness, FailureSpine,
};

/// The certificate takes 1,048,576 characters; the rest is for what stands around the steps.
const STEPS_MAX: usize = 900_000;
const SHOWN: usize = 5;
const FINDINGS_SHOWN: usize = 50;

/// The blocks of the steps, within their budget: failing steps first.
#[derive(Default)]
pub(super) struct Blocks {
    texts: Vec<Option<String>>,
    verified: Vec<usize>,
    size: usize,
    omitted: usize,
}

impl Blocks {
    /// Whether no verified step is shown any more.
    pub(super) const fn is_full(&self) -> bool {
        self.omitted > 0
    }

    /// A verified step that is not shown.
    pub(super) const fn omit(&mut self) {
        self.omitted += 1;
    }

    pub(super) fn push(
        &mut self,
        step: &Judged,
        lines: &[u8],
        expected: &JsString,
        observed: &str,
    ) {
        let failing = step.outcome.status != Status::Verified;
        if !failing && self.is_full() {
            return self.omit();
        }
        let block = block(step, &step.params(lines), expected, observed);
        let len = unit_len(&block);
        while failing && self.size + len > STEPS_MAX {
            let Some(at) = self.verified.pop() else { break };
            if let Some(dropped) = self.texts.get_mut(at).and_then(Option::take) {
                self.size -= unit_len(&dropped);
                self.omitted += 1;
            }
        }
        if self.size + len > STEPS_MAX {
            self.omitted += 1;
            return;
        }
        if !failing {
            self.verified.push(self.texts.len());
        }
        self.size += len;
        self.texts.push(Some(block));
    }
}

fn block(step: &Judged, params: &str, expected: &JsString, observed: &str) -> String {
    let tool = super::line(&step.tool_id.to_str_lossy());
    let digest = super::line(params);
    let shown = if step.request.is_some() {
        expected.to_string()
    } else {
        texts::EXPECTED_NONE.to_owned()
    };
    let outcome = &step.outcome;
    let category = outcome
        .category()
        .map(|category| format!("; failure_category={category}"))
        .unwrap_or_default();
    let mut out = format!(
        "  - seq={} tool={tool}\n    declared: tool={tool}; intent={}; parameters_digest={digest}\n    expected: {shown}\n    observed_database: {observed}\n    verification_verdict: outcome={}; {}{category}\n    observations: evaluated={} of {} in_capture_order\n",
        step.seq,
        step.narrative,
        outcome.status.label(),
        phrase(outcome.status),
        step.repeats,
        step.repeats,
    );
    if let Some(ground) = &outcome.ground {
        ground_lines(&mut out, ground, "    ");
    }
    for effect in &outcome.effects {
        let id = super::line(&effect.id.to_str_lossy());
        let _ = writeln!(
            out,
            "    effect: id={id} result={}",
            phrase(effect.outcome.status)
        );
        if let Some(ground) = &effect.outcome.ground {
            ground_lines(&mut out, ground, "      ");
        }
    }
    out
}

fn ground_lines(out: &mut String, ground: &Ground, indent: &str) {
    let field = ground
        .field
        .as_ref()
        .map(|field| format!(" field={field}"))
        .unwrap_or_default();
    let _ = writeln!(out, "{indent}detail: {}{field}", ground.message);
    let _ = writeln!(out, "{indent}reference_code: {}", ground.code());
    let _ = writeln!(out, "{indent}user_meaning: {}", ground.reason.meaning);
}

/// A status in words.
pub(crate) const fn phrase(status: Status) -> &'static str {
    match status {
        Status::Verified => "the database shows what was declared",
        Status::Missing => "the database does not show what was declared",
        Status::Inconsistent => "the database shows something else than was declared",
        Status::Incomplete => "this could not be checked",
        Status::Partial => "the database shows only a part of what was declared",
        Status::Uncertain => "the database did not show it before the window closed",
    }
}

pub(super) fn report(
    collected: &Collector,
    log: &Log,
    head: &Head,
    trust: &str,
    completeness: &EvidenceCompleteness,
    spine: &FailureSpine,
    definition: Option<&CorrectnessDefinition<EnforceableProjection>>,
) -> Result<String, ContractError> {
    let mut out = format!(
        "workflow_id: {}\nworkflow_status: {}\ntrust: {trust}\nexecution_path: {}\n",
        super::line(&head.workflow_id),
        head.status.word(),
        findings::summary(&head.findings)
    );
    path(&mut out, head);
    diagnosis(&mut out, collected, head);
    if let Some(definition) = definition {
        correctness(&mut out, definition);
    }
    issues(&mut out, log, head);
    out.push_str("steps:\n");
    for block in collected.human.texts.iter().flatten() {
        out.push_str(block);
    }
    if collected.human.omitted > 0 {
        let _ = writeln!(
            out,
            "  steps_omitted: {} (see certificate.steps)",
            collected.human.omitted
        );
    }
    evidence(&mut out, completeness);
    spine_lines(&mut out, spine)?;
    Ok(out.trim_end().to_owned())
}

fn path(out: &mut String, head: &Head) {
    for one in head.findings.iter().take(FINDINGS_SHOWN) {
        let ingest = one
            .ingest
            .map(|at| format!(" ingest_index={at}"))
            .unwrap_or_default();
        let seq = one.seq.map(|seq| format!(" seq={seq}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  - path_finding: code={} severity={} concern={} scope={}{ingest}{seq}\n    detail: {}",
            one.reason.code(),
            one.severity,
            one.concern,
            one.scope,
            one.reason.reason().meaning
        );
    }
    if head.findings.len() > FINDINGS_SHOWN {
        let _ = writeln!(
            out,
            "  path_findings_omitted: {}",
            head.findings.len() - FINDINGS_SHOWN
        );
    }
}

fn word(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    text.trim_matches('"').to_owned()
}

fn diagnosis(out: &mut String, collected: &Collector, head: &Head) {
    let Some(analysis) = &head.analysis else {
        return;
    };
    let failure = analysis.failure;
    let _ = writeln!(
        out,
        "diagnosis:\n  summary: {}\n  primary_origin: {}\n  confidence: {}\n  actionable_failure: category={} severity={} recommended_action={} automation_safe={}",
        super::line(&analysis.summary),
        analysis.origin,
        analysis.confidence,
        word(&failure.category),
        word(&failure.severity),
        word(&failure.recommended_action),
        failure.automation_safe
    );
    for one in &analysis.evidence {
        let _ = write!(out, "  - evidence: scope={}", one.scope);
        if !one.codes.is_empty() {
            let _ = write!(out, " codes={}", one.codes.join(","));
        }
        for (name, value) in [
            ("ingest_index", one.ingest.map(|at| at.to_string())),
            ("seq", one.seq.map(|seq| seq.to_string())),
            ("tool", one.tool_id.as_ref().map(ToString::to_string)),
            ("effect_id", one.effect_id.as_ref().map(ToString::to_string)),
            ("source", one.source.as_ref().map(ToString::to_string)),
        ] {
            if let Some(value) = value {
                let _ = write!(out, " {name}={}", super::line(&value));
            }
        }
        out.push('\n');
    }
    for (origin, why) in &analysis.alternatives {
        let _ = writeln!(out, "  alternative_origin: {origin}\n    rationale: {why}");
    }
    let explained = super::result::explanation(head, collected.driver.as_ref());
    let text = |key: &str| {
        explained
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let _ = writeln!(
        out,
        "failure_explanation:\n  expected: {}\n  observed: {}\n  divergence: {}\n  known_facts:",
        text("expected"),
        text("observed"),
        text("divergence")
    );
    for (list, indent) in [("knownFacts", "    - "), ("unknowns", "    - ")] {
        if list == "unknowns" {
            out.push_str("  unknowns:\n");
        }
        for row in explained
            .get(list)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let part = |key: &str| {
                row.get(key)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            let _ = writeln!(out, "{indent}{}: {}", part("id"), part("value"));
        }
    }
}

fn correctness(out: &mut String, definition: &CorrectnessDefinition<EnforceableProjection>) {
    let definition = serde_json::to_value(definition).unwrap_or_default();
    let text = |key: &str| {
        definition.get(key).map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
    };
    let _ = writeln!(
        out,
        "correctness_definition:\n  enforcement_kind: {}\n  must_always_hold: {}\n  enforce_as: {}\n  enforceable_projection: {}\n  remediation_alignment: {}",
        text("enforcementKind").unwrap_or_default(),
        text("mustAlwaysHold").unwrap_or_default(),
        text("enforceAs").unwrap_or_default(),
        super::line(&text("enforceableProjection").unwrap_or_default()),
        text("remediationAlignment").unwrap_or_default()
    );
}

fn issues(out: &mut String, log: &Log, head: &Head) {
    out.push_str(if head.run_level.is_empty() {
        "run_level: (none)\n"
    } else {
        "run_level:\n"
    });
    for (code, message) in head.run_level.iter().take(FINDINGS_SHOWN) {
        issue(out, code, message, "verification_setup");
    }
    out.push_str(if log.sequence.is_empty() {
        "event_sequence: normal\n"
    } else {
        "event_sequence: irregular\n"
    });
    for reason in &log.sequence {
        issue(
            out,
            reason.code(),
            reason.reason().meaning,
            "verification_setup",
        );
    }
}

fn issue(out: &mut String, code: &str, message: &str, category: &str) {
    let _ = writeln!(
        out,
        "  - detail: {message}\n    category: {category}\n    reference_code: {code}\n    user_meaning: {}",
        meaning(code)
    );
}

/// At most 48 lines.
fn evidence(out: &mut String, completeness: &EvidenceCompleteness) {
    let _ = writeln!(out, "\n{}", texts::EVIDENCE_BEGIN);
    let _ = writeln!(
        out,
        "Blocker: {}\nQuick signal: na",
        word(&completeness.blocker_category)
    );
    let mut list = |title: &str, lines: Vec<String>| {
        let _ = writeln!(
            out,
            "{title}:{}",
            if lines.is_empty() { " (none)" } else { "" }
        );
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "  - {line}");
        }
        if lines.len() > SHOWN {
            let _ = writeln!(out, "  - and {} more", lines.len() - SHOWN);
        }
    };
    list(
        "Verified",
        completeness
            .verified_claims
            .iter()
            .map(ToString::to_string)
            .collect(),
    );
    list(
        "Not verified",
        completeness
            .unverified_claims
            .iter()
            .map(ToString::to_string)
            .collect(),
    );
    list(
        "Missing input",
        completeness
            .missing_inputs
            .iter()
            .map(|one| format!("{}: {}", one.code, one.hint))
            .collect(),
    );
    list(
        "Next",
        completeness
            .next_actions
            .iter()
            .map(|one| format!("{}: {}", word(&one.id), one.text))
            .collect(),
    );
    let items = completeness
        .remediation_items
        .as_deref()
        .unwrap_or_default();
    list(
        "Remediation items",
        items
            .iter()
            .map(|item| {
                format!(
                    "{}: {} ({})",
                    super::line(&item.id),
                    word(&item.recommended_action),
                    item.reason_codes.join(",")
                )
            })
            .collect(),
    );
    let _ = writeln!(
        out,
        "Trust boundary: {}\n{}",
        texts::TRUST_BOUNDARY,
        texts::EVIDENCE_END
    );
}

fn spine_lines(out: &mut String, spine: &FailureSpine) -> Result<(), ContractError> {
    let failure = spine.actionable_failure;
    writeln!(
        out,
        "\nfailure_spine:\n  trust_decision: {}\n  summary: {}\n  actionable_failure: category={} severity={} recommended_action={} automation_safe={}\n  primary_codes: {}\n  rerun_guidance: {}\n  automation_boundary: {}\n  source: {}",
        spine.trust_decision,
        spine.summary,
        word(&failure.category),
        word(&failure.severity),
        word(&failure.recommended_action),
        failure.automation_safe,
        spine.primary_codes.join(","),
        spine.rerun_guidance,
        texts::BOUNDARY,
        spine.source
    )
    .map_err(|error| ContractError::internal(error.to_string()))
}
