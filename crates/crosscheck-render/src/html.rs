//! One self-contained HTML file: no script, no request.

use std::borrow::Cow;
use std::io::{self, Write};

use askama::Template;
use crosscheck_core::{Outcome, Report, foreign};

use crate::run::RunFacts;
use crate::story::{self, Counts, TOOL, facts, is_web, line, link, next_steps, worst_first};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    tool: &'static str,
    verdict: &'static str,
    heading: &'static str,
    counts: String,
    sections: Vec<Section<'r>>,
    /// Code and help.
    next: Vec<(&'static str, String)>,
    /// What a reader needs who gets the page from somebody else.
    run: Option<RunFacts>,
}

struct Section<'r> {
    subject: Cow<'r, str>,
    heading: &'static str,
    summary: Option<String>,
    notices: Vec<String>,
    report: &'r Report,
}

struct Card<'r> {
    verdict: &'static str,
    unit: Cow<'r, str>,
    /// The web address it is about, apart from the rest of the claim.
    link: Option<&'r str>,
    claim: String,
    facts: Vec<(&'r str, String)>,
}

/// One row of the overview: unit, verdict, codes and place.
type Row<'r> = (Cow<'r, str>, &'static str, String, String);

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let page = Page {
        tool: TOOL,
        verdict: story::verdict(reports).word(),
        heading: story::heading_of_all(reports),
        counts: Counts::of(reports).line(),
        sections: reports.iter().map(|report| section(report)).collect(),
        next: next_steps(reports)
            .into_iter()
            .map(|reason| (reason.code, ticked(reason.help)))
            .collect(),
        run: crate::run::facts(),
    };
    page.write_into(out)?;
    writeln!(out)
}

fn section(report: &Report) -> Section<'_> {
    Section {
        subject: line(&report.subject),
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
    Card {
        verdict: outcome.verdict.word(),
        unit: line(outcome.unit.as_str()),
        claim: ticked(claim),
        link,
        facts: facts(outcome)
            .into_iter()
            .map(|(label, fact)| (label, ticked(&fact)))
            .collect(),
    }
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
    use super::ticked;

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
