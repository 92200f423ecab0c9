//! The neutral report in every output format.
//!
//! Every outcome appears in every format. Checked text is untrusted, so each
//! format escapes it in its own way, and none lets a control character through.
#![warn(missing_docs)]

mod csv;
mod format;
mod github;
mod html;
mod human;
mod json;
mod junit;
mod markdown;
mod ndjson;
mod run;
mod sarif;
mod story;

use std::io::{self, Write};

use crosscheck_core::Report;
pub use format::{Format, UnknownFormat};
pub use run::{RunFacts, tell_run};

/// The appearance of the report; only [`Format::Human`] uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
}

/// Writes one report.
///
/// [`Format::Json`] is one object; every other format is as in [`render_all`]
/// with a single report.
pub fn render(
    report: &Report,
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => json::one(report, out),
        other => render_all(&[report], other, style, out),
    }
}

/// Writes several reports as one document, with the worst verdict on top.
pub fn render_all(
    reports: &[&Report],
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human => human::write(reports, *style, out),
        Format::Json => json::all(reports, out),
        Format::Ndjson => ndjson::write(reports, out),
        Format::Junit => junit::write(reports, out),
        Format::Sarif => sarif::write(reports, out),
        Format::Markdown => markdown::write(reports, out),
        Format::Html => html::write(reports, out),
        Format::Github => github::write(reports, out),
        Format::Csv => csv::write(reports, out),
    }
}
