//! What a run did not check, in plain words. A pass says nothing about it.

use std::collections::BTreeSet;

use crosscheck_core::Verdict;

use super::Finding;
use super::texts::{self, listed};
use crate::observe::Catalog;
use crate::quick::plan::MAX_UNITS;
use crate::quick::read::{Action, Log, MAX_ACTIONS};
use crate::reasons::RowReason;

/// One sentence for each kind of thing that was not checked.
pub(crate) fn sentences(
    log: &Log,
    catalog: &Catalog,
    findings: &[Finding],
    capped: bool,
) -> Vec<String> {
    let mut said = Vec::new();
    if catalog.tables.is_empty() {
        said.push(texts::NO_TABLE_VISIBLE.to_owned());
    }
    if !catalog.closed.is_empty() {
        let closed = catalog.closed.len();
        said.push(format!(
            "tables that this user may not read: {}",
            listed(&catalog.closed, closed)
        ));
    }
    calls(&mut said, log, findings, capped);
    parameters(&mut said, log, findings);
    values(&mut said, findings);
    verbs(&mut said, log, findings);
    said.push(texts::ANSWERS_UNREAD.to_owned());
    said
}

/// Tool calls that nothing was looked up for.
fn calls(said: &mut Vec<String>, log: &Log, findings: &[Finding], capped: bool) {
    if log.ingest.has(RowReason::IngestActionCap) {
        said.push(format!("tool calls after the first {MAX_ACTIONS}"));
    }
    let planned = findings.last().map_or(0, |last| last.unit.action + 1);
    if capped {
        let after = log.actions.len().saturating_sub(planned);
        said.push(format!(
            "what comes after the first {MAX_UNITS} units, among it {after} whole tool calls"
        ));
    }
    if !log.repeated.is_empty() {
        said.push(format!(
            "{} tool calls with the same parameters as an earlier one",
            log.repeated.len()
        ));
    }
    let looked: BTreeSet<usize> = findings.iter().map(|one| one.unit.action).collect();
    let skipped = log.actions.iter().enumerate().take(planned);
    let skipped = names(skipped.filter(|(at, _)| !looked.contains(at)));
    if !skipped.is_empty() {
        said.push(format!(
            "tool calls without parameters: {}",
            listed(&skipped, skipped.len())
        ));
    }
}

/// Parameters that were compared with nothing.
fn parameters(said: &mut Vec<String>, log: &Log, findings: &[Finding]) {
    let arrays: BTreeSet<String> = log
        .actions
        .iter()
        .flat_map(|action| action.flat.arrays())
        .map(ToString::to_string)
        .collect();
    let arrays: Vec<String> = arrays.into_iter().collect();
    if !arrays.is_empty() {
        said.push(format!(
            "arrays, whose plain values are ignored: {}",
            listed(&arrays, arrays.len())
        ));
    }
    if log.actions.iter().any(|action| action.flat.is_cut()) {
        said.push("parameters below depth 6, or after the first 500 of a tool call".to_owned());
    }
    let unused = findings.iter().map(|one| &one.unit.unused);
    let count: usize = unused.clone().map(|unused| unused.count).sum();
    if count > 0 {
        let first = unused.flat_map(|unused| &unused.first);
        let first: Vec<String> = first.map(ToString::to_string).collect();
        said.push(format!(
            "{count} parameters without a column: {}",
            listed(&first, count)
        ));
    }
}

/// Rows that were found, and whose values were not compared.
fn values(said: &mut Vec<String>, findings: &[Finding]) {
    let only_found = |one: &&Finding| {
        let looked_up = one.unit.expectation.looked_up();
        one.judgement.verdict == Verdict::Confirmed
            && looked_up.is_some_and(|(_, _, fields)| fields.is_empty())
    };
    let units = findings.iter().filter(only_found);
    let units: Vec<String> = units.map(|one| one.unit.id.to_string()).collect();
    if !units.is_empty() {
        said.push(format!(
            "the values of rows of which only the existence was looked at: {}",
            listed(&units, units.len())
        ));
    }
}

/// Few words, here: the lists of `rows` take longer to read than a small run.
const READS: [&str; 12] = [
    "get", "list", "read", "find", "search", "fetch", "show", "view", "lookup", "query", "count",
    "describe",
];
const DELETES: [&str; 6] = ["delete", "remove", "drop", "destroy", "purge", "erase"];

/// Tools that read or delete, by a word of their names. The contract takes
/// every call for a written row.
fn verbs(said: &mut Vec<String>, log: &Log, findings: &[Finding]) {
    let looked: BTreeSet<usize> = findings.iter().map(|one| one.unit.action).collect();
    for (verbs, text) in [
        (&READS[..], texts::READS_TAKEN_AS_WRITES),
        (&DELETES[..], texts::DELETES_TAKEN_AS_WRITES),
    ] {
        let calls = log.actions.iter().enumerate();
        let tools = names(calls.filter(|(at, action)| {
            looked.contains(at) && has_word(&action.tool.to_str_lossy(), verbs)
        }));
        if !tools.is_empty() {
            said.push(format!("{text}: {}", listed(&tools, tools.len())));
        }
    }
}

/// Whether one of the words of a name, also of `deleteOrder`, is among these.
fn has_word(name: &str, words: &[&str]) -> bool {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() && spaced.ends_with(char::is_lowercase) {
            spaced.push(' ');
        }
        spaced.push(c);
    }
    let mut parts = spaced.split(|c: char| !c.is_alphanumeric());
    parts.any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

/// The names of the tools, each once.
fn names<'a>(calls: impl Iterator<Item = (usize, &'a Action)>) -> Vec<String> {
    let names: BTreeSet<String> = calls
        .map(|(_, action)| action.tool.to_str_lossy().into_owned())
        .collect();
    names.into_iter().collect()
}
