//! The Outcome Certificate of a quick run.

use crosscheck_core::{JsString, Verdict};

use super::{QuickReport, UnitReport, correctness, evidence, texts};
use crate::certificate::{Certificate, Doc, Trust, object};

const ACTION_MAX: usize = 4096;

pub(super) fn certificate(report: &QuickReport, workflow_id: &str, human: &str) -> Doc {
    let units = || report.units.iter();
    let steps = units().enumerate().map(|(seq, unit)| step(seq, unit));
    let certificate = Certificate {
        workflow_id,
        run_kind: "quick_preview",
        verdict: report.verdict,
        is_permitted: false,
        critical: Trust::Trusted,
        rationale: texts::RELIANCE_RATIONALE,
        intent: report.summary.clone(),
        details: details(&report.units),
        steps: steps.collect(),
        human,
        evidence: &evidence::completeness(report),
        spine: &evidence::failure_spine(report),
        definition: units().find_map(correctness::definition),
    };
    certificate.doc()
}

fn details(units: &[UnitReport]) -> Vec<Doc> {
    let open = units
        .iter()
        .filter(|unit| unit.verdict() != Verdict::Confirmed);
    open.map(|unit| {
        let code = format!("quick_unit_{}", texts::unit_word(unit.verdict()));
        object! { "code": code, "message": unit.reconciliation.verdict }
    })
    .collect()
}

fn step(seq: usize, unit: &UnitReport) -> Doc {
    object! {
        "seq": seq, "releaseCritical": false, "declaredAction": declared_action(unit),
        "expectedOutcome": unit.reconciliation.expected,
        "observedOutcome": unit.reconciliation.observed,
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
