//! NDJSON: each outcome on a line of its own, then one line for its run.

use std::io::{self, Write};

use crosscheck_core::{Outcome, Report, Verdict};
use serde::Serialize;

use crate::json::compact;
use crate::story::{Counts, TOOL};

#[derive(Serialize)]
struct OutcomeLine<'r> {
    r#type: &'static str,
    verifier: &'static str,
    subject: &'r str,
    #[serde(flatten)]
    outcome: &'r Outcome,
}

#[derive(Serialize)]
struct RunLine<'r> {
    r#type: &'static str,
    tool: &'static str,
    verifier: &'static str,
    subject: &'r str,
    verdict: Verdict,
    summary: &'r str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notices: &'r [String],
    counts: Counts,
}

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        for outcome in &report.outcomes {
            compact(
                &OutcomeLine {
                    r#type: "outcome",
                    verifier: report.verifier,
                    subject: &report.subject,
                    outcome,
                },
                out,
            )?;
        }
        compact(
            &RunLine {
                r#type: "run",
                tool: TOOL,
                verifier: report.verifier,
                subject: &report.subject,
                verdict: report.verdict,
                summary: &report.summary,
                notices: &report.notices,
                counts: Counts::of(&[report]),
            },
            out,
        )?;
    }
    Ok(())
}
