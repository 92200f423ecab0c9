//! The report for people: the first failure in full, then the rest.

use std::fmt::Write as _;

use crosscheck_core::text::terminal_safe;

use super::{CheckState, TraceReport};
use crate::finding::{Failure, flat};

/// At most this many further failures are shown, one line each.
const FURTHER: usize = 20;

impl TraceReport {
    /// One sentence.
    pub fn summary(&self) -> String {
        let metrics = &self.metrics;
        if self.is_accepted() {
            return format!(
                "accepted: all {} checks hold for {} events, {} evidence and {} of {} citations",
                self.checks.len(),
                metrics.events,
                metrics.evidence,
                metrics.supports_verified,
                metrics.supports - metrics.supports_unverifiable,
            );
        }
        let count = |wanted| self.checks().filter(|(_, state)| *state == wanted).count();
        let (failed, not_run) = (count(CheckState::Failed), count(CheckState::NotRun));
        let mut text = format!(
            "rejected: {failed} of {} checks failed with {} failure{}",
            self.checks.len(),
            self.failure_count(),
            if self.failure_count() == 1 { "" } else { "s" },
        );
        if not_run > 0 {
            let _ = write!(text, "; {not_run} could not run");
        }
        text
    }

    /// The whole report, safe for a terminal.
    pub fn human(&self) -> String {
        let mut text = format!("{}\n  {}\n", self.summary(), self.subject);
        if let Some(first) = self.failures.first() {
            self.write_first(first, &mut text);
        }
        if self.failures.len() > 1 {
            text.push_str("\nalso\n");
        }
        for failure in self.failures.iter().skip(1).take(FURTHER) {
            let _ = writeln!(
                text,
                "  {:<24} {:<28} {}",
                failure.check.name(),
                failure.reason.wire(),
                self.whereabouts(failure)
            );
        }
        let shown = self.failures.len().min(FURTHER + 1) as u64;
        if self.failure_count() > shown {
            let _ = writeln!(
                text,
                "  and {} more; --json lists them",
                self.failure_count() - shown
            );
        }
        terminal_safe(&text).into_owned()
    }

    fn write_first(&self, failure: &Failure, text: &mut String) {
        let check = failure.check;
        let _ = writeln!(
            text,
            "\n{} in {} ({})\n  {}",
            failure.reason.wire(),
            check.name(),
            check.invariant(failure.reason),
            failure.message
        );
        let mut line = |label: &str, value: &str| {
            let _ = writeln!(text, "  {label:<9} {}", flat(value));
        };
        line("where", &self.whereabouts(failure));
        let location = &failure.location;
        for (label, value) in [
            ("step", &location.step_id),
            ("claim", &location.claim_id),
            ("names", &location.reference),
            ("field", &location.field),
            ("expected", &failure.expected),
            ("found", &failure.found),
        ] {
            if let Some(value) = value {
                line(label, value);
            }
        }
        line("means", check.guards());
        line("help", failure.reason.reason().help);
    }

    fn whereabouts(&self, failure: &Failure) -> String {
        let place = self.place(failure);
        let mut text = place.path;
        if let Some(line) = place.line {
            let _ = write!(text, ":{line}");
        }
        if let Some(idx) = failure.location.idx {
            let _ = write!(text, ", event {idx}");
        }
        if let (Some(_), Some(path)) = (&failure.location.file, &failure.location.path) {
            let _ = write!(text, ", {path}");
        }
        flat(&text)
    }
}
