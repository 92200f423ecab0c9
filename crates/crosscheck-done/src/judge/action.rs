//! What was said to be done with other tools: answered by the calls of the
//! session.

use super::{confirmed, unproven};
use crate::kind::{Claim, ClaimKind};
use crate::opinion::{Opinion, Trace};
use crate::read::session::Session;
use crate::reasons::DoneReason;

/// Words of sentences, each with the words that tools and commands have for
/// the same.
const SAME: &str = include_str!("../../patterns/actions.txt");

/// A successful call of such a tool, with what the statement names.
pub(super) fn judge(claim: &Claim, session: &Session) -> Opinion {
    let is_tried = claim.kind == ClaimKind::Verified;
    let quote = format!("{} {}", claim.quote, claim.subject).to_lowercase();
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
    let names_it =
        |text: &str| is_tried || subject.is_empty() || text.to_lowercase().contains(&subject);
    let call = session.tools.iter().rfind(|(_, tool)| {
        !tool.failed && is_such(&tool.name) && tool.input.as_deref().is_none_or(names_it)
    });
    let called = call.map(|(order, tool)| (*order, tool.name.as_str(), None));
    let commands = session.runs.iter();
    let commands = commands.filter(|run| run.status == Some(0));
    let commands = commands.map(|run| (run.order, &*run.command, run.status));
    let others = session.others.iter();
    let others = others.map(|(order, command, _)| (*order, &**command, Some(0)));
    let mut all = commands.chain(others);
    let done = called.or_else(|| all.find(|(_, command, _)| is_such(command)));
    match done {
        Some((order, command, status)) => {
            confirmed(DoneReason::CallOk).with(Trace::ran(order.line, command, status))
        }
        None if session.facts.begins_midway || session.is_cut => {
            unproven(DoneReason::HistoryIncomplete)
        }
        None => unproven(DoneReason::NoCall),
    }
}
