//! One self-contained HTML file: no script, no request.

use std::borrow::Cow;
use std::io::{self, Write};

use askama::Template;
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{self, Counts, TOOL, facts, line, link, next_steps, worst_first};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    tool: &'static str,
    verdict: &'static str,
    heading: &'static str,
    counts: String,
    sections: Vec<Section<'r>>,
    /// Code and help.
    next: Vec<(&'static str, &'static str)>,
}

struct Section<'r> {
    subject: Cow<'r, str>,
    heading: &'static str,
    summary: Option<Cow<'r, str>>,
    notices: Vec<Cow<'r, str>>,
    report: &'r Report,
}

struct Card<'r> {
    verdict: &'static str,
    unit: Cow<'r, str>,
    /// The web address it is about, apart from the rest of the claim.
    link: Option<&'r str>,
    claim: Cow<'r, str>,
    facts: Vec<(&'r str, Cow<'r, str>)>,
    /// Whether its facts are shown without a click.
    open: bool,
}

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let page = Page {
        tool: TOOL,
        verdict: story::verdict(reports).word(),
        heading: story::heading_of_all(reports),
        counts: Counts::of(reports).line(),
        sections: reports.iter().map(|report| section(report)).collect(),
        next: next_steps(reports)
            .into_iter()
            .map(|reason| (reason.code, reason.help))
            .collect(),
    };
    page.write_into(out)?;
    writeln!(out)
}

fn section(report: &Report) -> Section<'_> {
    Section {
        subject: line(&report.subject),
        heading: story::heading(report),
        summary: story::summary(report),
        notices: report.notices.iter().map(|notice| line(notice)).collect(),
        report,
    }
}

impl<'r> Section<'r> {
    /// One after the other: a report may be large.
    fn cards(&self) -> impl Iterator<Item = Card<'r>> + use<'r> {
        worst_first(self.report).into_iter().map(card)
    }
}

fn card(outcome: &Outcome) -> Card<'_> {
    // an address with a hidden secret leads nowhere
    let link = link(outcome).filter(|link| !link.contains("***"));
    let mut claim = line(&outcome.claim);
    // the address is not written twice where the claim begins with it
    if let Some(rest) = link.and_then(|link| claim.strip_prefix(link)) {
        claim = rest.to_owned().into();
    }
    Card {
        verdict: outcome.verdict.word(),
        unit: line(outcome.unit.as_str()),
        claim,
        link,
        facts: facts(outcome),
        open: outcome.verdict != Verdict::Confirmed,
    }
}
