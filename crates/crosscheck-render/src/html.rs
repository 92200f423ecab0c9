//! One self-contained HTML file: no request, and one script of ours that filters what is
//! shown. The page allows this script alone, by its hash, and is whole without it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use askama::Template;
use crosscheck_core::{Outcome, Report, Verdict, foreign};

use crate::run::RunFacts;
use crate::story::{
    self, Counts, TOOL, facts, is_web, line, link, main_reason, next_steps, worst_first,
};

/// The width of one run in the history of a check.
const BAR: usize = 5;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    tool: &'static str,
    verdict: &'static str,
    heading: &'static str,
    counts: String,
    /// Whether there is enough to filter.
    is_long: bool,
    /// Whether earlier runs of a check are known.
    has_history: bool,
    sections: Vec<Section<'r>>,
    /// Code and help.
    next: Vec<(&'static str, String)>,
    /// What a reader needs who gets the page from somebody else.
    run: Option<RunFacts>,
}

struct Section<'r> {
    /// Counts from 1, for links of the overview.
    number: usize,
    counts: String,
    /// Verdicts of earlier runs and this one: where each is drawn, and its word.
    history: Vec<(usize, &'static str)>,
    subject: Cow<'r, str>,
    verdict: &'static str,
    heading: &'static str,
    summary: Option<String>,
    notices: Vec<String>,
    report: &'r Report,
}

struct Card<'r> {
    verdict: &'static str,
    /// The verdict, or that it is accepted.
    word: &'static str,
    unit: Cow<'r, str>,
    /// The web address it is about, apart from the rest of the claim.
    link: Option<&'r str>,
    claim: String,
    /// What was claimed and what was found, with what differs marked.
    pair: Option<(String, String)>,
    facts: Vec<(&'r str, String)>,
}

/// One row of the overview: unit, verdict, codes and place.
type Row<'r> = (Cow<'r, str>, &'static str, String, String);

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let run = crate::run::facts();
    let sections: Vec<Section<'_>> = (1..)
        .zip(reports)
        .map(|(number, report)| section(number, report, reports, run.as_ref()))
        .collect();
    let page = Page {
        tool: TOOL,
        verdict: story::verdict(reports).word(),
        heading: story::heading_of_all(reports),
        counts: Counts::of(reports).line(),
        is_long: reports
            .iter()
            .map(|report| report.outcomes.len())
            .sum::<usize>()
            > 1,
        has_history: sections.iter().any(|one| !one.history.is_empty()),
        sections,
        next: next_steps(reports)
            .into_iter()
            .map(|reason| (reason.code, ticked(reason.help)))
            .collect(),
        run,
    };
    page.write_into(out)?;
    writeln!(out)
}

fn section<'r>(
    number: usize,
    report: &'r Report,
    all: &[&Report],
    run: Option<&RunFacts>,
) -> Section<'r> {
    fn check(report: &Report) -> Option<&str> {
        report.subject.split_once(": ").map(|(name, _)| name)
    }
    let name = check(report);
    // what is known of a check with several inputs is the worst of them, which is of no single one
    let is_alone = all.iter().filter(|other| check(other) == name).count() == 1;
    let history = name.and_then(|name| run?.history.get(name));
    let history = history.filter(|_| is_alone);
    Section {
        number,
        counts: Counts::of(&[report]).line(),
        history: history
            .into_iter()
            .flat_map(|earlier| earlier.iter().chain([&report.verdict]))
            .enumerate()
            .map(|(at, verdict)| (at * BAR, verdict.word()))
            .collect(),
        subject: line(&report.subject),
        verdict: story::verdict(&[report]).word(),
        heading: story::heading(report),
        summary: story::summary(report).map(|summary| ticked(&summary)),
        notices: report.notices.iter().map(|notice| ticked(notice)).collect(),
        report,
    }
}

impl<'r> Section<'r> {
    /// One after the other: a report may be large.
    fn cards(&self) -> impl Iterator<Item = Card<'r>> + use<'r> {
        worst_first(self.report).into_iter().map(card)
    }

    /// In the order of the report, which most often is that of the document.
    fn rows(&self) -> impl Iterator<Item = Row<'r>> + use<'r> {
        self.report.outcomes.iter().map(|outcome| {
            let codes = outcome.reasons.iter().map(|grounds| grounds.reason.code);
            let place = outcome.place.as_ref().filter(|place| !is_web(&place.path));
            (
                line(outcome.unit.as_str()),
                outcome.verdict.word(),
                codes.collect::<Vec<_>>().join(" "),
                place.map(story::place).unwrap_or_default(),
            )
        })
    }
}

fn card(outcome: &Outcome) -> Card<'_> {
    // an address with a hidden secret leads nowhere
    let link = link(outcome).filter(|link| !link.contains("***"));
    let claim = line(&outcome.claim);
    let mut claim = claim.as_ref();
    // the address is not written twice where the claim begins with it
    if let Some(rest) = link.and_then(|link| claim.strip_prefix(link)) {
        claim = rest;
    }
    let facts = facts(outcome);
    let said = |label: &str| {
        let mut facts = facts.iter().filter(|(known, _)| *known == label);
        facts.next().map(|(_, fact)| fact.as_ref())
    };
    let (expected, observed) = (said("expected"), said("observed"));
    let is_compared = expected.is_some() || observed.is_some();
    let message = main_reason(outcome).map(|grounds| line(&grounds.message));
    let pair = is_compared.then(|| {
        let found = observed.or(message.as_deref()).unwrap_or_default();
        pair(expected.unwrap_or(claim), found, outcome.verdict)
    });
    let word = outcome.verdict.word();
    Card {
        verdict: word,
        word: story::acceptance(outcome).map_or(word, |_| "accepted"),
        unit: line(outcome.unit.as_str()),
        claim: ticked(claim),
        link,
        pair,
        facts: facts
            .iter()
            .filter(|(label, _)| !matches!(*label, "expected" | "observed"))
            .map(|(label, fact)| (*label, ticked(fact)))
            .collect(),
    }
}

/// Two texts beside each other. Where they do not agree, the words that only one of them
/// has are marked, unless that is all of them.
fn pair(claimed: &str, found: &str, verdict: Verdict) -> (String, String) {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<HashSet<_>>();
    let (of_claimed, of_found) = (words(claimed), words(found));
    let is_plain = verdict == Verdict::Confirmed || of_claimed.is_disjoint(&of_found);
    let marked = |text: &str, other: &HashSet<String>| {
        let word = |word: &str| match foreign::html(word) {
            escaped if is_plain || other.contains(word) => escaped,
            escaped => format!("<mark>{escaped}</mark>"),
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    };
    (marked(claimed, &of_found), marked(found, &of_claimed))
}

/// Escaped text in which what stood between backticks is code.
fn ticked(text: &str) -> String {
    let escaped = foreign::html(text);
    let parts: Vec<&str> = escaped.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped; // one has no partner
    }
    let mut shown = String::with_capacity(escaped.len() + 13 * (parts.len() / 2));
    for (at, part) in parts.into_iter().enumerate() {
        let (start, end) = if at % 2 == 1 {
            ("<code>", "</code>")
        } else {
            ("", "")
        };
        shown.extend([start, part, end]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{pair, ticked};
    use crosscheck_core::Verdict::{Confirmed, Refuted};

    #[test]
    fn what_differs_is_marked_and_escaped() {
        for (claimed, found, verdict, expected) in [
            (
                "status <b>",
                "status <i>",
                Refuted,
                "status <mark>&#60;b&#62;</mark>",
            ),
            ("12 rows", "1 rows", Refuted, "<mark>12</mark> rows"),
            ("yes", "no", Refuted, "yes"),
            ("a 1", "a 2", Confirmed, "a 1"),
            ("", "(empty)", Refuted, ""),
        ] {
            assert_eq!(pair(claimed, found, verdict).0, expected);
        }
    }

    #[test]
    fn backticks_become_code_and_nothing_becomes_markup() {
        for (text, expected) in [
            (
                "run `a < b`, then `c`",
                "run <code>a &#60; b</code>, then <code>c</code>",
            ),
            ("one ` alone <b>", "one ` alone &#60;b&#62;"),
            ("plain", "plain"),
        ] {
            assert_eq!(ticked(text), expected);
        }
    }
}
