//! JSON: the report as it is, with what a reader needs to interpret it.

use std::io::{self, Write};

use crosscheck_core::foreign::JsonWriter;
use crosscheck_core::{Report, Verdict};
use serde::Serialize;

use crate::story::{self, Counts, TOOL};

#[derive(Serialize)]
struct One<'r> {
    schema: &'static str,
    tool: &'static str,
    #[serde(flatten)]
    report: &'r Report,
    counts: Counts,
}

#[derive(Serialize)]
struct All<'r> {
    schema: &'static str,
    tool: &'static str,
    verdict: Verdict,
    counts: Counts,
    reports: &'r [&'r Report],
}

pub(crate) fn one(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    pretty(
        &One {
            schema: "crosscheck.report/1",
            tool: TOOL,
            report,
            counts: Counts::of(&[report]),
        },
        out,
    )
}

pub(crate) fn all(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    pretty(
        &All {
            schema: "crosscheck.reports/1",
            tool: TOOL,
            verdict: story::verdict(reports),
            counts: Counts::of(reports),
            reports,
        },
        out,
    )
}

/// Writes an indented document.
pub(crate) fn pretty(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(JsonWriter(out), document)?;
    writeln!(out)
}

/// Writes a document on one line.
pub(crate) fn compact(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(JsonWriter(out), document)?;
    writeln!(out)
}
