//! The report for people. Prefixes and their order are contract.
//!
//! Contract: check 13.

use std::fmt::Write as _;

use crosscheck_core::JsString;
use crosscheck_core::text::unit_len;

use super::evidence::meaning;
use super::result::Explanation;
use super::{Collector, Head, Judged, findings, status_word, texts};
use crate::certificate::{BOUNDARY, Doc, EVIDENCE_BEGIN, EVIDENCE_END, Evidence, Spine, word};
use crate::check::error::ContractError;
use crate::check::judge::{Ground, StepStatus};
use crate::check::plan::Request;
use crate::check::read::Log;

/// The certificate takes 1,048,576 characters; the rest is for what surrounds the steps.
const STEPS_MAX: usize = 900_000;
const FINDINGS_SHOWN: usize = 50;

/// The steps as the report shows them: failing steps first. Verified steps get
/// what room is left.
#[derive(Default)]
pub(super) struct Blocks {
    failing: Vec<String>,
    verified: Vec<String>,
    size: usize,
    /// How many steps are not shown.
    omitted: usize,
    /// How many verified steps only found a row, with no value to compare.
    existence_only: usize,
}

impl Blocks {
    /// Whether no verified step is shown any more.
    pub(super) const fn is_full(&self) -> bool {
        self.omitted > 0
    }

    /// A verified step that is not shown.
    pub(super) fn omit(&mut self, step: &Judged) {
        self.omitted += 1;
        self.count(step);
    }

    pub(super) fn push(
        &mut self,
        step: &Judged,
        lines: &[u8],
        expected: &JsString,
        observed: &str,
    ) {
        let is_verified = step.outcome.status == StepStatus::Verified;
        if is_verified && self.is_full() {
            return self.omit(step);
        }
        let block = block(step, &step.params(lines), expected, observed);
        let len = unit_len(&block);
        while !is_verified && self.size + len > STEPS_MAX {
            let Some(dropped) = self.verified.pop() else {
                break;
            };
            self.size -= unit_len(&dropped);
            self.omitted += 1;
        }
        if is_verified {
            self.count(step);
        }
        if self.size + len > STEPS_MAX {
            self.omitted += 1;
            return;
        }
        self.size += len;
        if is_verified {
            self.verified.push(block);
        } else {
            self.failing.push(block);
        }
    }

    fn count(&mut self, step: &Judged) {
        self.existence_only += usize::from(step.request.as_ref().is_some_and(compares_no_value));
    }
}

/// Whether all that is asked for is a row with this key.
fn compares_no_value(request: &Request) -> bool {
    match request {
        Request::Row(row) => row.values.is_empty(),
        Request::Effects(rows) => rows.iter().all(|(_, row)| row.values.is_empty()),
        Request::Absent(_) | Request::Relational(_) | Request::Witness(_) => false,
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
        step.request
            .as_ref()
            .map_or(phrase(outcome.status), |request| {
                phrase_for(outcome.status, compares_no_value(request))
            }),
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
            phrase_for(
                effect.outcome.status,
                effect_compares_no_value(step, &effect.id)
            )
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
pub(crate) const fn phrase(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Verified => "the database shows what was declared",
        StepStatus::Missing => "the database does not show what was declared",
        StepStatus::Inconsistent => "the database shows something else than was declared",
        StepStatus::Incomplete => "this could not be checked",
        StepStatus::Partial => "the database shows only a part of what was declared",
        StepStatus::Uncertain => "the database did not show it before the window closed",
    }
}

/// A status in words; a row that was only found is not said to agree.
const fn phrase_for(status: StepStatus, compares_no_value: bool) -> &'static str {
    match status {
        StepStatus::Verified if compares_no_value => texts::NO_VALUE_COMPARED,
        _ => phrase(status),
    }
}

fn effect_compares_no_value(step: &Judged, id: &JsString) -> bool {
    let Some(Request::Effects(rows)) = &step.request else {
        return false;
    };
    rows.iter()
        .any(|(known, row)| known == id && row.values.is_empty())
}

pub(super) fn report(
    collected: &Collector,
    log: &Log,
    head: &Head,
    trust: &str,
    completeness: &Evidence,
    spine: &Spine,
    definition: Option<&Doc>,
) -> Result<String, ContractError> {
    let mut out = format!(
        "workflow_id: {}\nworkflow_status: {}\ntrust: {trust}\nexecution_path: {}\n",
        super::line(&head.workflow_id),
        status_word(head.status),
        findings::summary(&head.findings)
    );
    path(&mut out, head);
    diagnosis(&mut out, collected, head);
    if let Some(definition) = definition {
        correctness(&mut out, definition);
    }
    issues(&mut out, log, head);
    steps(&mut out, collected);
    evidence(&mut out, collected, completeness);
    spine_lines(&mut out, spine)?;
    out.push_str(texts::SEE_ALSO);
    Ok(out)
}

fn steps(out: &mut String, collected: &Collector) {
    let blocks = &collected.human;
    let (verified, failing) = collected.totals();
    let _ = writeln!(
        out,
        "steps:\n  counted: {failing} not verified, {verified} verified"
    );
    if blocks.existence_only > 0 {
        let _ = writeln!(
            out,
            "  no_value_compared: {} of the verified steps; give their entries requiredFields to compare values",
            blocks.existence_only
        );
    }
    for block in blocks.failing.iter().chain(&blocks.verified) {
        out.push_str(block);
    }
    if blocks.omitted > 0 {
        let _ = writeln!(
            out,
            "  steps_omitted: {} (see certificate.steps)",
            blocks.omitted
        );
    }
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
        failure.category,
        failure.severity,
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
    for (origin, why) in analysis.alternatives {
        let _ = writeln!(out, "  alternative_origin: {origin}\n    rationale: {why}");
    }
    let explained = Explanation::new(head, analysis, collected.driver.as_ref());
    let _ = writeln!(
        out,
        "failure_explanation:\n  expected: {}\n  observed: {}\n  divergence: {}",
        explained.expected, explained.observed, explained.divergence
    );
    for (title, rows) in [
        ("known_facts", &explained.facts),
        ("unknowns", &explained.unknowns),
    ] {
        let _ = writeln!(out, "  {title}:");
        for (id, value) in rows {
            let _ = writeln!(out, "    - {id}: {value}");
        }
    }
}

fn correctness(out: &mut String, definition: &Doc) {
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
    if head.run_level.len() > FINDINGS_SHOWN {
        let more = head.run_level.len() - FINDINGS_SHOWN;
        let _ = writeln!(out, "  run_level_omitted: {more}");
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

/// At most 48 lines: 8 around the lists, and 40 in them.
fn evidence(out: &mut String, collected: &Collector, completeness: &Evidence) {
    let _ = writeln!(
        out,
        "\n{}\nBlocker: {}\nQuick signal: na",
        EVIDENCE_BEGIN,
        word(&completeness.blocker)
    );
    let (verified, failing) = collected.totals();
    let lines = texts_of(&completeness.verified);
    list(out, "Verified", &lines, 3, verified);
    let lines = texts_of(&completeness.unverified);
    list(out, "Not verified", &lines, 18, failing);
    let lines = completeness.missing.iter();
    let lines: Vec<_> = lines
        .map(|(code, hint)| format!("{code}: {hint}"))
        .collect();
    list_all(out, "Missing input", &lines);
    let lines = completeness.actions.iter();
    let lines: Vec<_> = lines
        .map(|(action, text)| format!("{}: {text}", word(action)))
        .collect();
    list_all(out, "Next", &lines);
    let items = completeness.items.as_deref();
    let items = items.unwrap_or_default().iter().map(|item| {
        let (id, action) = (super::line(&item.id), word(&item.action));
        format!("{id}: {action} ({})", item.codes.join(","))
    });
    let lines: Vec<_> = items.collect();
    list(out, "Remediation items", &lines, 6, lines.len());
    let _ = writeln!(
        out,
        "Trust boundary: {}\n{}",
        texts::TRUST_BOUNDARY,
        EVIDENCE_END
    );
}

fn texts_of(claims: &[JsString]) -> Vec<String> {
    claims.iter().map(ToString::to_string).collect()
}

fn list_all(out: &mut String, title: &str, lines: &[String]) {
    list(out, title, lines, lines.len(), lines.len());
}

/// The first lines, and how many there are beyond them.
fn list(out: &mut String, title: &str, lines: &[String], most: usize, total: usize) {
    let none = if lines.is_empty() { " (none)" } else { "" };
    let _ = writeln!(out, "{title}:{none}");
    let shown = lines.len().min(most);
    for line in lines.iter().take(shown) {
        let _ = writeln!(out, "  - {line}");
    }
    if total > shown {
        let _ = writeln!(out, "  - and {} more, see steps", total - shown);
    }
}

fn spine_lines(out: &mut String, spine: &Spine) -> Result<(), ContractError> {
    let failure = spine.failure;
    writeln!(
        out,
        "\nfailure_spine:\n  trust_decision: {}\n  summary: {}\n  actionable_failure: category={} severity={} recommended_action={} automation_safe={}\n  primary_codes: {}\n  rerun_guidance: {}\n  automation_boundary: {}\n  source: {}",
        spine.trust_decision,
        spine.summary,
        failure.category,
        failure.severity,
        word(&failure.recommended_action),
        failure.automation_safe,
        spine.codes.join(","),
        spine.guidance,
        BOUNDARY,
        spine.source
    )
    .map_err(|error| ContractError::internal(error.to_string()))
}
