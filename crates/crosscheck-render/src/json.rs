//! JSON: the report as it is, with what a reader needs to interpret it.

use std::io::{self, Write};

use crosscheck_core::text::{is_plain, terminal_safe};
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
    serde_json::to_writer_pretty(Harmless(out), document)?;
    writeln!(out)
}

/// Writes a document on one line.
pub(crate) fn compact(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(Harmless(out), document)?;
    writeln!(out)
}

/// JSON allows some control characters unescaped. They can only occur inside
/// strings, where the escapes of the terminal filter are valid JSON.
struct Harmless<'w>(&'w mut dyn Write);

impl Write for Harmless<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    /// The serializer writes whole characters.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if is_plain(bytes) {
            return self.0.write_all(bytes);
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_all(terminal_safe(text).as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
