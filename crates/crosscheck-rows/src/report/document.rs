//! The document `crosscheck.rows/1`, written call by call.

use std::borrow::Cow;
use std::io::{self, Write};

use crosscheck_core::text::terminal_safe;

use super::closing::Told;
use super::{Report, outcome};
use crate::wire::rows_v1::{CallsV1, ClaimV1, CountsV1, CoverageV1, RowsHeadV1};

const TOOL: &str = concat!("crosscheck ", env!("CARGO_PKG_VERSION"));

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let head = serde_json::to_string_pretty(&head(report))?;
    // the outcomes go where the object would end
    let head = head.strip_suffix("\n}").unwrap_or(&head);
    write!(out, "{},\n  \"outcomes\": [", terminal_safe(head))?;
    let mut text = String::new();
    for (at, (step, call, verdict)) in report.steps().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        text.clear();
        outcome::write(&mut text, report, &step, &call, &verdict);
        write!(out, "{comma}\n    {}", safe(&text))?;
    }
    let end = if report.states.is_empty() { "" } else { "\n  " };
    writeln!(out, "{end}]\n}}")
}

/// A text whose strings are those of JSON, which hold no sign below the blank:
/// most have no other foreign sign, either.
fn safe(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && memchr::memchr(0x7f, text.as_bytes()).is_none() {
        return text.into();
    }
    terminal_safe(text)
}

fn claim(report: &Report, at: usize, told: &Told) -> ClaimV1 {
    let step = super::neutral::said(report, at, told);
    ClaimV1 {
        unit: step.unit.as_str().to_owned(),
        claim: step.claim,
        verdict: step.verdict.word(),
        reason: told.ground.0.code(),
        message: told.ground.1.clone(),
    }
}

fn head(report: &Report) -> RowsHeadV1 {
    let tally = report.tally();
    RowsHeadV1 {
        schema: "crosscheck.rows/1",
        tool: TOOL,
        verifier: "rows",
        subject: report.subject.clone(),
        verdict: report.verdict().word(),
        exit_code: report.verdict().exit_code(),
        summary: report.summary(),
        counts: CountsV1 {
            refuted: tally.refuted,
            undecided: tally.unproven,
            confirmed: tally.proven + tally.superseded,
        },
        calls: CallsV1 {
            total: tally.total,
            writes: tally.writes,
            proven: tally.proven,
            refuted: tally.refuted,
            unproven: tally.unproven,
            superseded: tally.superseded,
            reads: tally.reads,
            failed: tally.failed,
            ignored: tally.ignored,
        },
        coverage: CoverageV1 {
            checked: tally.proven + tally.refuted,
            writes: tally.writes - tally.superseded,
        },
        contract: report.contract.clone(),
        redacted: report.redacts,
        claims: report
            .told
            .iter()
            .enumerate()
            .map(|(at, told)| claim(report, at, told))
            .collect(),
        warnings: report.warnings(),
    }
}
