//! Not a claim: what is denied, hoped for, planned, asked or told by others.
//! One rule: a word of such a list before what is said, in its clause, takes
//! the statement away; some lists count anywhere in the clause, some in the
//! whole sentence.
//!
//! Contract: done 4.4.

use std::ops::Range;

use super::blocks::Shape;
use super::checks::{Clause, Found};
use super::grammar::Sentence;
use super::pack::RUN_KINDS;
use super::tokens::What;
use crate::kind::ClaimKind;

/// Lists that count before what is said, and those that count anywhere in
/// its clause.
const BEFORE: [&str; 2] = ["N4", "N8"];
const ANYWHERE: [&str; 2] = ["N2", "N5"];

/// Why a sentence as a whole holds no claim.
pub(super) fn of_unit(sentence: &Sentence<'_>, is_planned: bool) -> Option<&'static str> {
    let unit = sentence.unit;
    let all = 0..sentence.tokens.len();
    let first = (all.clone())
        .find(|at| sentence.what(*at) == Some(What::Word))
        .unwrap_or(0);
    let is_open = matches!(
        sentence.what(0),
        Some(What::Bad | What::Sign('⏳' | '⌛' | '🚧' | '🔜' | '⬜' | '🔲' | '🔄'))
    );
    if is_planned || unit.shape == Shape::OpenTask || is_open || is_label(sentence) {
        return Some("N10");
    }
    if unit.is_question || sentence.is("N6_own", first) && ends_with(sentence, '?') {
        return Some("N6");
    }
    if sentence.has("N3", all.clone()) {
        return Some("N3");
    }
    if sentence.has("N9", all.clone()) && !sentence.has("now", all) {
        return Some("N9");
    }
    (sentence.is("N5", first)).then_some("N5")
}

fn ends_with(sentence: &Sentence<'_>, sign: char) -> bool {
    sentence
        .tokens
        .last()
        .is_some_and(|last| last.is_sign(sign))
}

/// "Requirement: all tests pass."
fn is_label(sentence: &Sentence<'_>) -> bool {
    let colon = sentence
        .tokens
        .iter()
        .take(6)
        .position(|token| token.is_sign(':'));
    let Some(colon) = colon.filter(|colon| *colon > 0) else {
        return false;
    };
    let ends_at = |list: &str, at: usize| sentence.at(list, at) == colon - at;
    (0..colon).any(|at| ["N10", "N10_label"].iter().any(|list| ends_at(list, at)))
}

/// Why a statement is none.
pub(super) fn of_clause(clause: &Clause<'_>, found: &Found) -> Option<&'static str> {
    let sentence = clause.sentence;
    let tokens = clause.tokens();
    let is_run = RUN_KINDS.contains(&found.kind);
    if orders(sentence, &tokens) {
        return Some("N7");
    }
    let is_neutral = |at: usize| is_neutral(clause, found, at);
    let before = tokens.start..found.said;
    let denied = if sentence.pack.verb_last {
        tokens.clone()
    } else {
        before.clone()
    };
    let hit = |name: &'static str, mut places: Range<usize>| {
        places
            .any(|at| sentence.is(name, at) && !is_neutral(at))
            .then_some(name)
    };
    let found_before = hit("N1", denied).or_else(|| {
        BEFORE
            .into_iter()
            .find_map(|name| hit(name, before.clone()))
    });
    let anywhere = || {
        ANYWHERE
            .into_iter()
            .find_map(|name| hit(name, tokens.clone()))
    };
    if let Some(rule) = found_before.or_else(anywhere) {
        return Some(rule);
    }
    let mut words = before
        .clone()
        .filter(|at| !is_neutral(*at))
        .map(|at| sentence.word(at));
    if words.any(|word| word.ends_with("n't") || word.ends_with("'ll")) {
        return Some("N1");
    }
    let is_now = sentence.has("now", tokens.clone());
    let is_past = ["N9_habit", "N9_clause"]
        .iter()
        .any(|name| sentence.has(name, before.clone()));
    if is_past && !is_now {
        return Some("N9");
    }
    if !is_run && !found.negative && sentence.has("N1", found.said..found.quote.end + 1) {
        return Some("N1");
    }
    // "to make the tests pass"
    let verb = before
        .clone()
        .rev()
        .find(|at| sentence.at("adv", *at) == 0 && sentence.word(*at) != "be");
    if verb.is_some_and(|at| sentence.word(at) == "to") {
        return Some("N4");
    }
    behind(clause, found)
}

/// What comes right behind a statement can take it back, too.
fn behind(clause: &Clause<'_>, found: &Found) -> Option<&'static str> {
    let sentence = clause.sentence;
    let mut at = found.quote.end;
    while sentence.is("adv", at) {
        at += 1;
    }
    let is_run = RUN_KINDS.contains(&found.kind);
    if is_run && !found.negative && sentence.is("N11_spoken", at) {
        return Some("N11");
    }
    // "the tests pass a mock object to it"
    let is_pass = is_run
        && sentence.word(found.said).starts_with("pass")
        && found.quote.end == found.said + 1;
    let is_code = matches!(sentence.what(at), Some(What::Code | What::Id | What::Path));
    let hands_on = || {
        let to = (at + 1..at + 6).find(|to| sentence.is("passes_to", *to));
        let between = at..to.unwrap_or(at);
        let is_object = |at: usize| {
            let is_named = !matches!(sentence.what(at), Some(What::Sign(_)) | None);
            is_named
                && !["adv", "into", "narrows", "to_unless"]
                    .iter()
                    .any(|name| sentence.is(name, at))
        };
        !between.is_empty() && between.into_iter().all(is_object)
    };
    if is_pass && (is_code || sentence.is("passes_on", at) || hands_on()) {
        return Some("N11");
    }
    // "was added in 2019", "in v1.2"
    let is_dated = if let Some(What::Number(year)) = sentence.what(at + 1) {
        (1970..2100).contains(&year)
    } else {
        let word = sentence.word(at + 1);
        word == "version" || word.starts_with('v') && word.bytes().any(|byte| byte.is_ascii_digit())
    };
    if !is_run && matches!(sentence.word(at), "in" | "since") && is_dated {
        return Some("N9");
    }
    // "tests passing: 12/14"
    let ratio = [at + 1, at + 3].map(|at| match sentence.what(at) {
        Some(What::Number(value)) => Some(value),
        _ => None,
    });
    if let [Some(some), Some(of)] = ratio
        && some < of
        && is_run
    {
        return Some("N12");
    }
    match sentence.what(at) {
        Some(What::Sign(':' | '=' | '|' | '→' | '-')) => {
            let value = sentence.is("N1_value", at + 1) || sentence.what(at + 1) == Some(What::Bad);
            if value {
                return Some("N1");
            }
        }
        Some(What::Sign(',' | '—' | '–' | '(')) => at += 1,
        _ => {}
    }
    if sentence.word(at) == "or" {
        return Some("N2");
    }
    let lists = ["N2", "N5", "N9_habit"];
    let rule = lists.into_iter().find(|name| sentence.is(name, at));
    let passive = found
        .said
        .checked_sub(1)
        .map_or("", |before| sentence.word(before));
    let is_habit = !is_run
        && matches!(passive, "is" | "are" | "gets")
        && sentence.is("habits", found.quote.end);
    rule.or_else(|| is_habit.then_some("N9"))
}

/// Whether a clause asks somebody to do something.
fn orders(sentence: &Sentence<'_>, tokens: &Range<usize>) -> bool {
    let mut places = tokens.clone();
    let first = places.find(|at| {
        !matches!(sentence.what(*at), Some(What::Sign(_)))
            && !matches!(sentence.word(*at), "and" | "then" | "so" | "now" | "just")
    });
    let Some(first) = first else {
        return false;
    };
    let length = sentence.at("N7", first);
    length > 0 && !matches!(sentence.what(first + length), Some(What::Sign(':')))
}

/// A negation that is part of a good statement: "no errors", "no longer".
fn is_neutral(clause: &Clause<'_>, found: &Found, at: usize) -> bool {
    let sentence = clause.sentence;
    if found.negative && (found.said..found.quote.end).contains(&at) {
        return true;
    }
    if sentence.word(at + 1) == "longer" {
        return true;
    }
    // "fails without the fix and passes with it"
    let before = at.checked_sub(1).unwrap_or(at);
    let is_contrast = sentence.is("contrasts", at);
    if is_contrast && sentence.part(ClaimKind::TestsPass, "failure", before) > 0 {
        return true;
    }
    let length = sentence.at("problems.no", at);
    if length == 0 {
        return false;
    }
    let is_problem = |at: usize| {
        sentence.is("problems.words", at)
            || RUN_KINDS
                .iter()
                .any(|kind| sentence.part(*kind, "problem", at) > 0)
    };
    let mut next = at + length;
    while !is_problem(next) && sentence.is("problems.modifiers", next) {
        next += 1;
    }
    is_problem(next)
}
