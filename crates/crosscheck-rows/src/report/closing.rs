//! What the agent says at the end of a log (`--claims`): a sentence that tells of
//! a deed, and that no proven call bears out, was perhaps only said.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::Report;
use crate::compare::value::Value;
use crate::judge::seen::SeenCall;
use crate::judge::subject::State;
use crate::plan::means::{means, participle};
use crate::plan::words::{List, words};
use crate::reasons::CallReason as Reason;

/// At most this many deeds are looked at.
const MOST: usize = 200;

/// A deed that the agent tells of.
#[derive(Debug)]
pub(crate) struct Told {
    /// The words that tell of it.
    pub(crate) text: String,
    pub(crate) state: State,
    pub(crate) ground: (Reason, String),
}

/// A part of a sentence with one deed.
struct Clause<'t> {
    /// What was done: `refunded`.
    deed: String,
    words: Vec<&'t str>,
    /// What may be the ids of rows.
    ids: Vec<String>,
}

/// The deeds of a message that are not borne out, in their order.
pub(super) fn unborne(report: &Report, message: &str) -> Vec<Told> {
    let deeds = deeds();
    let sentences = message.split_inclusive(['.', '!', '?', '\n', ';']);
    let mut sentence = String::new();
    let mut told = Vec::new();
    let mut parts = sentences.peekable();
    while let Some(part) = parts.next() {
        sentence.push_str(part);
        // a point inside an amount ends nothing
        let goes_on = part.ends_with('.')
            && parts
                .peek()
                .is_some_and(|next| !next.starts_with(char::is_whitespace));
        if goes_on {
            continue;
        }
        for clause in clauses(report, &deeds, &sentence) {
            told.extend(judged(report, &clause));
        }
        sentence.clear();
    }
    told.truncate(MOST);
    told
}

/// What is done, by the word for it when it is done.
fn deeds() -> HashMap<SmolStr, SmolStr> {
    let lists = words();
    let all = [
        &lists.create,
        &lists.write,
        &lists.delete,
        &lists.weak_write,
    ];
    let verbs = all.into_iter().flat_map(List::iter);
    let verbs = verbs.chain(means().writes.iter());
    verbs
        .map(|verb| (folded(&participle(verb)).into(), verb.into()))
        .collect()
}

/// `cancelled` is what others write `canceled`.
fn folded(word: &str) -> String {
    word.to_lowercase().replace("ll", "l")
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The deeds of a sentence that tells what the agent did.
fn clauses<'t>(
    report: &Report,
    deeds: &HashMap<SmolStr, SmolStr>,
    sentence: &'t str,
) -> Vec<Clause<'t>> {
    if sentence.trim_end().ends_with('?') {
        return Vec::new();
    }
    let all: Vec<&str> = sentence.split_whitespace().collect();
    let lower = |word: &&str| word.to_lowercase().replace('\u{2019}', "'");
    if all
        .iter()
        .any(|word| means().unsaid.has(bare(&lower(word))))
    {
        return Vec::new();
    }
    let is_deed = |word: &&str| deeds.contains_key(folded(bare(word)).as_str());
    let tells = |word: &&str| means().told.has(&lower(word));
    if !all.iter().any(tells) && !all.first().is_some_and(&is_deed) {
        return Vec::new();
    }
    let mut clauses: Vec<Clause<'t>> = Vec::new();
    for word in all {
        if is_deed(&word) {
            clauses.push(Clause {
                deed: folded(bare(word)),
                words: Vec::new(),
                ids: Vec::new(),
            });
        }
        let Some(clause) = clauses.last_mut() else {
            continue;
        };
        clause.words.push(word);
        let id = bare(word);
        let has_digit = id.contains(|c: char| c.is_ascii_digit());
        let before = clause
            .words
            .len()
            .checked_sub(2)
            .and_then(|at| clause.words.get(at));
        let is_named =
            before.is_some_and(|before| report.known.model().is_noun(&bare(before).to_lowercase()));
        let is_id = id.contains(|c: char| c.is_alphabetic()) || word.contains('#') || is_named;
        if has_digit && is_id {
            clause.ids.push(id.to_lowercase());
        }
    }
    // `updated you` is about no row
    let is_noun = |word: &&str| report.known.model().is_noun(&bare(word).to_lowercase());
    clauses.retain(|clause| !clause.ids.is_empty() || clause.words.iter().any(is_noun));
    clauses
}

fn judged(report: &Report, clause: &Clause<'_>) -> Option<Told> {
    let mut nearest: Option<(State, u32, SmolStr)> = None;
    for (call, verdict) in report.calls_in_time() {
        if !does(&call, &clause.deed) || !holds(&call, &clause.ids) {
            continue;
        }
        if matches!(verdict.state, State::Proven | State::Superseded) {
            return None;
        }
        let is_nearer = nearest
            .as_ref()
            .is_none_or(|(state, ..)| verdict.state < *state);
        if is_nearer {
            nearest = Some((verdict.state, call.index, call.tool.name.clone()));
        }
    }
    let (state, ground) = match nearest {
        Some((State::Refuted, index, tool)) => {
            let message = format!("call {index} ({tool}) is refuted");
            (State::Refuted, (Reason::SaidAgainst, message))
        }
        Some((_, index, tool)) => {
            let message = format!("call {index} ({tool}) is unproven");
            (State::Unproven, (Reason::SaidOnly, message))
        }
        None => {
            let message = "no call of the log does that".to_owned();
            (State::Unproven, (Reason::SaidOnly, message))
        }
    };
    Some(Told {
        text: clause.words.join(" "),
        state,
        ground,
    })
}

/// Whether a call is about such a deed: by its name, or by a state that it claims.
fn does(call: &SeenCall, deed: &str) -> bool {
    let facts = || call.subjects.iter().flat_map(|subject| &subject.facts);
    let mut words = call.tool.words.iter();
    words.any(|word| folded(&participle(word)) == deed)
        || facts()
            .any(|fact| matches!(fact.value(), Some(Value::Text(text)) if folded(text) == deed))
}

/// Whether a call holds one of the ids; where none is told, any call may be meant.
fn holds(call: &SeenCall, ids: &[String]) -> bool {
    let said = call.said.to_lowercase();
    let keys = || call.subjects.iter().flat_map(|subject| &subject.key);
    let is_held = |id: &String| {
        said.contains(id.as_str()) || keys().any(|(_, key)| key.to_lowercase() == *id)
    };
    ids.is_empty() || ids.iter().any(is_held)
}
