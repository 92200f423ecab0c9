//! The document `crosscheck.rows/1`, written call by call.

use std::borrow::Cow;
use std::io::{self, Write};

use crosscheck_core::text::terminal_safe;
use serde::Serialize;

use super::closing::Told;
use super::{Report, Tally, Used, outcome};

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

/// Everything but the outcomes, in this order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    schema: &'static str,
    tool: &'static str,
    verifier: &'static str,
    subject: String,
    verdict: &'static str,
    exit_code: u8,
    summary: String,
    counts: Counts,
    calls: Tally,
    coverage: Coverage,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<Used>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<Claim>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Counts {
    refuted: usize,
    undecided: usize,
    confirmed: usize,
}

#[derive(Serialize)]
struct Coverage {
    checked: usize,
    writes: usize,
}

/// Something that the agent only says.
#[derive(Serialize)]
struct Claim {
    unit: String,
    claim: String,
    verdict: &'static str,
    reason: &'static str,
    message: String,
}

fn claim(report: &Report, at: usize, told: &Told) -> Claim {
    let step = super::neutral::said(report, at, told);
    Claim {
        unit: step.unit.as_str().to_owned(),
        claim: step.claim,
        verdict: step.verdict.word(),
        reason: told.ground.0.code(),
        message: told.ground.1.clone(),
    }
}

fn head(report: &Report) -> Head {
    let tally = report.tally();
    let claims = report.told.iter().enumerate();
    Head {
        schema: "crosscheck.rows/1",
        tool: TOOL,
        verifier: "rows",
        subject: report.subject.clone(),
        verdict: report.verdict().word(),
        exit_code: report.verdict().exit_code(),
        summary: report.summary(),
        counts: Counts {
            refuted: tally.refuted,
            undecided: tally.unproven,
            confirmed: tally.proven + tally.superseded,
        },
        calls: tally,
        coverage: Coverage {
            checked: tally.proven + tally.refuted,
            writes: tally.writes - tally.superseded,
        },
        contract: report.contract.clone(),
        redacted: report.redacts,
        claims: claims.map(|(at, told)| claim(report, at, told)).collect(),
        warnings: report.warnings(),
    }
}
