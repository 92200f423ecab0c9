//! The content of all formats, in the same words and the same order.

pub(crate) use crosscheck_core::foreign::line;
use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Outcome, Place, Reason, Report, Verdict};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The program and its version.
pub(crate) const TOOL: &str = concat!("crosscheck ", env!("CARGO_PKG_VERSION"));

/// The number of outcomes for each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Counts {
    pub(crate) refuted: usize,
    pub(crate) undecided: usize,
    pub(crate) confirmed: usize,
    /// Those of the others that fail nothing.
    #[serde(skip)]
    accepted: usize,
}

impl Counts {
    pub(crate) fn of(reports: &[&Report]) -> Self {
        let count = |verdict| reports.iter().map(|report| report.count(verdict)).sum();
        let accepted = reports.iter().flat_map(|report| &report.outcomes);
        Self {
            refuted: count(Verdict::Refuted),
            undecided: count(Verdict::Undecided),
            confirmed: count(Verdict::Confirmed),
            accepted: accepted.filter(|one| acceptance(one).is_some()).count(),
        }
    }

    /// The closing line: `1 refuted, 0 undecided, 4 confirmed`.
    pub(crate) fn line(self) -> String {
        let Self {
            refuted,
            undecided,
            confirmed,
            accepted,
        } = self;
        let accepted = match accepted {
            0 => String::new(),
            _ => format!(" ({accepted} accepted)"),
        };
        format!("{refuted} refuted, {undecided} undecided, {confirmed} confirmed{accepted}")
    }
}

/// The code of a unit whose verdict is accepted by the check that made it.
const ACCEPTED: &str = "ACCEPTED_BY_POLICY";

/// Why the verdict of an outcome fails nothing, if that was decided.
pub(crate) fn acceptance(outcome: &Outcome) -> Option<&Grounds> {
    let mut reasons = outcome.reasons.iter();
    reasons.find(|grounds| grounds.reason.code == ACCEPTED)
}

/// Whether everything that is not confirmed is accepted.
fn is_accepted(report: &Report) -> bool {
    let open = |outcome: &&Outcome| outcome.verdict != Verdict::Confirmed;
    let mut open = report.outcomes.iter().filter(open).peekable();
    open.peek().is_some() && open.all(|outcome| acceptance(outcome).is_some())
}

/// The verdict over all reports, as the exit code has it.
pub(crate) fn verdict(reports: &[&Report]) -> Verdict {
    Verdict::roll_up(reports.iter().map(|report| {
        if is_accepted(report) {
            Verdict::Confirmed
        } else {
            report.verdict
        }
    }))
}

/// The heading when nothing was checked.
const NOTHING: &str = "nothing to check";

/// Whether a run is confirmed only because there was nothing to check.
pub(crate) fn is_idle(report: &Report) -> bool {
    report.verdict == Verdict::Confirmed && report.outcomes.is_empty()
}

/// The heading of a run: its verdict, or that there was nothing to check.
pub(crate) fn heading(report: &Report) -> &'static str {
    if is_idle(report) {
        NOTHING
    } else if is_accepted(report) {
        "accepted"
    } else {
        report.verdict.word()
    }
}

/// The heading of all reports together.
pub(crate) fn heading_of_all(reports: &[&Report]) -> &'static str {
    if !reports.is_empty() && reports.iter().all(|report| is_idle(report)) {
        NOTHING
    } else {
        verdict(reports).word()
    }
}

/// The sentence below the heading, unless it repeats it.
pub(crate) fn summary(report: &Report) -> Option<Cow<'_, str>> {
    let summary = line(&report.summary);
    Some(summary).filter(|summary| !summary.is_empty() && summary != heading(report))
}

/// The outcomes, refuted first and confirmed last, else in report order.
pub(crate) fn worst_first(report: &Report) -> Vec<&Outcome> {
    let mut outcomes: Vec<&Outcome> = report.outcomes.iter().collect();
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.verdict));
    outcomes
}

/// The most severe reason of an outcome, the first of equals.
pub(crate) fn main_reason(outcome: &Outcome) -> Option<&Grounds> {
    let level = outcome.reasons.iter().map(|grounds| grounds.reason.level);
    let heaviest = level.max()?;
    outcome
        .reasons
        .iter()
        .find(|grounds| grounds.reason.level == heaviest)
}

/// What to do next: the help of each reason of outcomes that are not confirmed,
/// each code once; those of refuted outcomes first, then by severity.
pub(crate) fn next_steps(reports: &[&Report]) -> Vec<&'static Reason> {
    let mut steps: Vec<&'static Reason> = Vec::new();
    for verdict in [Verdict::Refuted, Verdict::Undecided] {
        let before = steps.len();
        let outcomes = reports.iter().flat_map(|report| &report.outcomes);
        for outcome in
            outcomes.filter(|outcome| outcome.verdict == verdict && acceptance(outcome).is_none())
        {
            for grounds in &outcome.reasons {
                if !steps.iter().any(|known| known.code == grounds.reason.code) {
                    steps.push(grounds.reason);
                }
            }
        }
        if let Some(added) = steps.get_mut(before..) {
            added.sort_by_key(|reason| std::cmp::Reverse(reason.level));
        }
    }
    steps
}

/// A location in the form of editors, `path:line:column`; a web address stays
/// whole, so that it can be opened.
pub(crate) fn place(place: &Place) -> String {
    const NUMBERS: usize = 24;
    let mut text = String::with_capacity(place.path.len() + NUMBERS);
    text.push_str(&place.path);
    let is_web = is_web(&place.path);
    for (number, label) in [(place.line, ", line "), (place.column, ", column ")] {
        let Some(number) = number else { break };
        let between = if is_web { label } else { ":" };
        let _ = write!(text, "{between}{number}");
    }
    match line(&text) {
        Cow::Owned(safe) => safe,
        Cow::Borrowed(_) => text,
    }
}

/// Whether a path is a web address and not a file.
pub(crate) fn is_web(path: &str) -> bool {
    // parsing is dear, and almost every path names a file
    let may_be = path.contains(':');
    may_be && url::Url::parse(path).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// The web address an outcome is about: its own, else that of its place.
/// One that cannot be shown whole is none.
pub(crate) fn link(outcome: &Outcome) -> Option<&str> {
    let place = outcome.place.as_ref().map(|place| &place.path);
    let mut known = outcome.link.iter().chain(place);
    let whole = |path: &&String| is_web(path) && line(path) == **path;
    known.find(whole).map(String::as_str)
}

/// The facts of an outcome below its claim, each with a label.
pub(crate) fn facts(outcome: &Outcome) -> Vec<(&str, Cow<'_, str>)> {
    let mut facts = Vec::new();
    if let Some(expected) = &outcome.expected {
        facts.push(("expected", seen(expected)));
    }
    if let Some(observed) = &outcome.observed {
        facts.push(("observed", seen(observed)));
    }
    for grounds in &outcome.reasons {
        facts.push((grounds.reason.code, line(&grounds.message)));
    }
    if let Some(at) = &outcome.place {
        facts.push(("place", place(at).into()));
    }
    facts
}

/// An empty observation is shown, too.
fn seen(text: &str) -> Cow<'_, str> {
    let text = line(text);
    if text.is_empty() {
        "(empty)".into()
    } else {
        text
    }
}
