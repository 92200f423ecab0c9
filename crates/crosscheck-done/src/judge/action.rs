//! What was said to be done with other tools: answered by the calls of the
//! session.

use crosscheck_core::Verdict;

use crate::kind::Claim;
use crate::opinion::{Opinion, Source, Trace};
use crate::read::session::Session;
use crate::reasons::DoneReason;
use crate::redact::redacted;

/// Words of sentences, each with the words that tools and commands have for
/// the same.
const SAME: &str = include_str!("../../patterns/actions.txt");

/// A successful call of such a tool, with what the statement names.
pub(super) fn judge(claim: &Claim, session: &Session) -> Opinion {
    let quote = claim.quote.to_lowercase();
    let wanted: Vec<&str> = SAME
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .filter(|(verb, _)| {
            quote
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == *verb)
        })
        .flat_map(|(_, tools)| tools.split_whitespace())
        .collect();
    let is_such = |name: &str| {
        let name = name.to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words.any(|word| wanted.iter().any(|wanted| word.starts_with(wanted)))
    };
    let subject = claim.subject.to_lowercase();
    let names_it = |text: &str| subject.is_empty() || text.to_lowercase().contains(&subject);
    let call = session.tools.iter().rfind(|(_, tool)| {
        !tool.failed && is_such(&tool.name) && tool.input.as_deref().is_none_or(names_it)
    });
    if let Some((order, tool)) = call {
        return Opinion::new(Verdict::Confirmed, DoneReason::CallOk, Source::Transcript).with(
            Trace::Run {
                step: order.line,
                command: redacted(&tool.name),
                status: None,
                summary: String::new(),
                output_sha256: None,
            },
        );
    }
    let commands = session
        .runs
        .iter()
        .map(|run| (run.order, &run.command, run.status));
    let others = session
        .others
        .iter()
        .map(|(order, command)| (*order, command, Some(0)));
    let mut all = commands.chain(others);
    match all.find(|(_, command, status)| *status == Some(0) && is_such(command)) {
        Some((order, command, status)) => {
            Opinion::new(Verdict::Confirmed, DoneReason::CallOk, Source::Transcript).with(
                Trace::Run {
                    step: order.line,
                    command: redacted(command),
                    status,
                    summary: String::new(),
                    output_sha256: None,
                },
            )
        }
        None if session.facts.begins_midway || session.is_cut => {
            Opinion::undecided(DoneReason::HistoryIncomplete, Source::Transcript)
        }
        None => Opinion::undecided(DoneReason::NoCall, Source::Transcript),
    }
}
