//! Reports in every output format.

pub use crosscheck_render::{Format, RunFacts, Style, UnknownFormat, render, render_all, tell_run};

use crate::report::{Findings, Report};

/// A report as text in one of the formats, without colours.
pub fn text<F: Findings>(report: &Report<F>, format: Format) -> String {
    let mut text = Vec::new();
    // writing to memory does not fail
    let _ = render(report.neutral(), format, &Style::default(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A report as one HTML page.
pub fn html<F: Findings>(report: &Report<F>) -> String {
    text(report, Format::Html)
}
