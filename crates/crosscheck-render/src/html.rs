//! One self-contained HTML file: no script, no request.

use std::io::{self, Write};

use askama::Template;
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{self, Counts, TOOL, facts, line, link, next_steps, worst_first};

#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    tool: &'static str,
    verdict: &'static str,
    heading: &'static str,
    counts: String,
    sections: Vec<Section>,
    /// Code and help.
    next: Vec<(&'static str, &'static str)>,
}

struct Section {
    verifier: &'static str,
    subject: String,
    verdict: &'static str,
    heading: &'static str,
    summary: Option<String>,
    notices: Vec<String>,
    outcomes: Vec<Card>,
}

struct Card {
    verdict: &'static str,
    unit: String,
    /// The web address it is about, apart from the rest of the claim.
    link: Option<String>,
    claim: String,
    facts: Vec<(String, String)>,
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
    let text = page.render().map_err(io::Error::other)?;
    writeln!(out, "{text}")
}

fn section(report: &Report) -> Section {
    Section {
        verifier: report.verifier,
        subject: line(&report.subject),
        verdict: report.verdict.word(),
        heading: story::heading(report),
        summary: story::summary(report),
        notices: report.notices.iter().map(|notice| line(notice)).collect(),
        outcomes: worst_first(report).into_iter().map(card).collect(),
    }
}

fn card(outcome: &Outcome) -> Card {
    // an address with a hidden secret leads nowhere
    let link = link(outcome).filter(|link| !link.contains("***"));
    let claim = line(&outcome.claim);
    // the address is not written twice where the claim begins with it
    let rest = link.and_then(|link| claim.strip_prefix(link));
    Card {
        verdict: outcome.verdict.word(),
        unit: line(outcome.unit.as_str()),
        claim: rest.unwrap_or(&claim).to_owned(),
        link: link.map(str::to_owned),
        facts: facts(outcome)
            .into_iter()
            .map(|(label, fact)| (label.to_owned(), fact))
            .collect(),
        open: outcome.verdict != Verdict::Confirmed,
    }
}
