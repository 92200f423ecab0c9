//! The Outcome Certificate of a quick run.

use crosscheck_core::{JsString, Verdict};

use super::{QuickReport, UnitReport, correctness, evidence, texts};
use crate::wire::certificate_v3::{
    CertificateV3, Detail, Explanation, Reliance, RunKind, Step, Trust,
};

const ACTION_MAX: usize = 4096;

pub(super) fn certificate(report: &QuickReport, workflow_id: &str, human: &str) -> CertificateV3 {
    CertificateV3 {
        schema_version: 3,
        workflow_id: workflow_id.to_owned(),
        run_kind: RunKind::QuickPreview,
        state_relation: report.verdict.into(),
        high_stakes_reliance: Reliance::Prohibited,
        release_critical_verdict: Trust::Trusted,
        reliance_rationale: texts::RELIANCE_RATIONALE.to_owned(),
        intent_summary: report.summary.clone(),
        explanation: Explanation {
            headline: report.summary.clone(),
            details: details(&report.units),
        },
        steps: report
            .units
            .iter()
            .enumerate()
            .map(|(seq, unit)| step(seq, unit))
            .collect(),
        human_report: human.to_owned(),
        evidence_completeness: evidence::completeness(report),
        failure_spine: evidence::failure_spine(report),
        correctness_definition: report
            .units
            .iter()
            .find_map(correctness::definition)
            .map(Into::into),
    }
}

fn details(units: &[UnitReport]) -> Vec<Detail> {
    units
        .iter()
        .filter(|unit| unit.verdict() != Verdict::Confirmed)
        .map(|unit| Detail {
            code: format!("quick_unit_{}", texts::unit_word(unit.verdict())),
            message: unit.reconciliation.verdict.clone(),
        })
        .collect()
}

fn step(seq: usize, unit: &UnitReport) -> Step {
    Step {
        seq,
        tool_id: None,
        release_critical: false,
        declared_action: declared_action(unit),
        expected_outcome: unit.reconciliation.expected.clone(),
        observed_outcome: unit.reconciliation.observed.clone(),
    }
}

/// A long tool name is cut; the unit it belongs to stays readable.
fn declared_action(unit: &UnitReport) -> JsString {
    let tail = format!(" (unit {})", unit.id());
    let room = ACTION_MAX - tail.len();
    let mut text = if unit.tool.as_js().unit_len() <= room {
        unit.tool.clone()
    } else {
        JsString::from_units(unit.tool.as_js().units().take(room))
    };
    text.push_str(&tail);
    text
}
