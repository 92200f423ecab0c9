//! Statements about checks that run: tests, build, lint, types.
//!
//! Contract: done 4.2, done 4.5.

use std::ops::Range;

use super::grammar::{Cell, Match, Sentence, bit, frames, of_bits, tag, tags};
use super::tokens::{Token, What};
use crate::kind::{ClaimKind, Scope};

/// A statement and where it is, in tokens of its unit.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) kind: ClaimKind,
    pub(super) quote: Range<usize>,
    /// The first word of what is said.
    pub(super) said: usize,
    pub(super) subject: String,
    pub(super) scope: Scope,
    pub(super) count: Option<u64>,
    /// Whether it says that something is absent.
    pub(super) negative: bool,
    /// The program that it names.
    pub(super) tool: String,
}

impl Found {
    pub(super) const fn new(kind: ClaimKind, quote: Range<usize>, said: usize) -> Self {
        Self {
            kind,
            quote,
            said,
            subject: String::new(),
            scope: Scope::Plain,
            count: None,
            negative: false,
            tool: String::new(),
        }
    }
}

/// One clause, and what was spoken of before it.
pub(super) struct Clause<'c> {
    pub(super) sentence: &'c Sentence<'c>,
    pub(super) cells: &'c [Cell],
    pub(super) place: Range<usize>,
    /// The checks that were named last, as bits.
    pub(super) topic: u8,
}

impl Clause<'_> {
    /// The tokens of the clause.
    pub(super) fn tokens(&self) -> Range<usize> {
        self.tokens_of(&self.place)
    }

    fn tokens_of(&self, cells: &Range<usize>) -> Range<usize> {
        let start = self
            .cells
            .get(cells.start)
            .map_or(0, |cell| cell.place.start);
        let last = cells
            .end
            .checked_sub(1)
            .and_then(|last| self.cells.get(last));
        start..last.map_or(start, |cell| cell.place.end)
    }

    /// What the clause says of checks.
    pub(super) fn checks(&self) -> Vec<Found> {
        let mut all = Vec::new();
        for (name, found) in frames(self.cells, &self.place) {
            match name {
                "check" | "none" => self.check(name == "none", &found, &mut all),
                "problem" => self.problem(&found, &mut all),
                "single" => all.extend(self.single(&found)),
                "count" => all.extend(self.count(&found)),
                "carried" => self.carried(&found, &mut all),
                "itself" => self.said(&found, 'J', &Scope::Plain, &mut all),
                "whole" => self.said(&found, 'Z', &Scope::All, &mut all),
                _ => {}
            }
        }
        all
    }

    /// A check, or several of them, and what is said of it.
    fn check(&self, negative: bool, found: &Match, all: &mut Vec<Found>) {
        let said = self.tokens_of(&found.said);
        let clause = self.tokens();
        let Some(first) = self.cells.get(found.said.start) else {
            return;
        };
        // "passing tests are required" is not said of them
        let is_before = found.said.start < found.checks.start;
        let is_pass = matches!(self.sentence.word(said.start), "passes" | "passed" | "pass");
        if is_before && !negative && !first.is(tag('g')) && !is_pass {
            return;
        }
        let fitting = if negative || first.is(tag('g')) {
            u8::MAX
        } else {
            ['P', 'E', 'V']
                .iter()
                .fold(0, |bits, letter| bits | first.kinds(*letter))
        };
        let cells = self.cells.get(found.checks.clone()).unwrap_or_default();
        for cell in cells.iter().filter(|cell| cell.is(tags("SX"))) {
            let check = cell.place.clone();
            let left = self.phrase_start(check.start, clause.start);
            let Some((scope, count)) = self.scope(&check, left, &clause) else {
                continue;
            };
            let except = self.exception(check.end, &said, &clause);
            let start = if is_before {
                said.start
            } else {
                left.min(self.tokens_of(&found.checks).start)
            };
            let end = if is_before {
                check.end
            } else {
                self.tokens_of(&found.whole).end.max(said.end)
            };
            for kind in of_bits((cell.kinds('S') | cell.kinds('X')) & fitting) {
                let is_code =
                    matches!(self.sentence.what(check.start), Some(What::Code | What::Id));
                if !is_code && !self.is_own(kind, &check) {
                    continue;
                }
                let is_tests = kind == ClaimKind::TestsPass;
                let scope = match &except {
                    Some(except) => Scope::Except(except.clone()),
                    None if is_tests && !is_code => scope.clone(),
                    None => only_path(&scope),
                };
                let name = self.sentence.text(check.start);
                let name = name.split(' ').next().unwrap_or_default();
                let is_tool = self
                    .sentence
                    .pack
                    .has(self.sentence.pack.part(kind, "tools"), name);
                all.push(Found {
                    scope,
                    count: count.filter(|_| is_tests),
                    negative,
                    tool: if is_tool { name } else { "" }.to_owned(),
                    ..Found::new(kind, start..end, said.start)
                });
            }
        }
    }

    /// Whether a subject is the check itself, and not any thing that works.
    fn is_own(&self, kind: ClaimKind, check: &Range<usize>) -> bool {
        let pack = self.sentence.pack;
        let has_own = pack.all(pack.part(kind, "own")).next().is_some();
        !has_own || self.sentence.part(kind, "own", check.start) == check.len()
    }

    /// "no type errors"
    fn problem(&self, found: &Match, all: &mut Vec<Found>) {
        let Some(cell) = self.cells.get(found.checks.start) else {
            return;
        };
        let said = self.tokens_of(&found.said);
        // "no failures": of what was named before
        let is_vague = cell.place.len() == 1;
        for kind in of_bits(cell.kinds('X')) {
            if is_vague && kind == ClaimKind::TestsPass && self.topic & bit(kind) == 0 {
                continue;
            }
            all.push(Found {
                negative: true,
                ..Found::new(kind, said.start..cell.place.end, said.start)
            });
        }
    }

    /// "`test_slow` passes now": one test by its name.
    fn single(&self, found: &Match) -> Option<Found> {
        let test = self.tokens_of(&found.checks);
        let said = self.tokens_of(&found.said);
        let name = self.sentence.text(test.start);
        let mut parts = name.split(['_', ':', '.', '/']);
        let is_test = parts.any(|part| part.to_lowercase().starts_with("test"));
        is_test.then(|| Found {
            subject: name.clone(),
            scope: Scope::Name(name),
            ..Found::new(ClaimKind::TestsPass, test.start..said.end, said.start)
        })
    }

    /// "12 passed", "42/42 tests pass"
    fn count(&self, found: &Match) -> Option<Found> {
        let whole = self.tokens_of(&found.whole);
        let numbers: Vec<u64> = whole
            .clone()
            .filter_map(|at| match self.sentence.what(at) {
                Some(What::Number(value)) => Some(value),
                _ => None,
            })
            .collect();
        let cells = self.cells.get(found.whole.clone()).unwrap_or_default();
        let is_ratio = cells.iter().any(|cell| cell.is(tag('/')));
        let first = *numbers.first()?;
        let same = !is_ratio || numbers.get(1).is_none_or(|of| *of == first);
        let before = whole.start.checked_sub(1);
        let is_part = before.is_some_and(|before| {
            self.sentence.what(before) == Some(What::Sign('/'))
                || matches!(self.sentence.what(before), Some(What::Sign('#')))
                || self.sentence.is("less_than_all", before)
                || self.sentence.is("parts", before)
        });
        (first > 0 && same && !is_part).then(|| Found {
            count: Some(first),
            ..Found::new(
                ClaimKind::TestsPass,
                whole.clone(),
                whole.end.saturating_sub(1),
            )
        })
    }

    /// "they all pass": of the checks that were named before.
    fn carried(&self, found: &Match, all: &mut Vec<Found>) {
        let whole = self.tokens_of(&found.whole);
        let said = self.tokens_of(&found.said);
        let Some(cell) = self.cells.get(found.said.start) else {
            return;
        };
        let kinds = cell.kinds('P');
        let count = whole.clone().find_map(|at| match self.sentence.what(at) {
            Some(What::Number(value)) => Some(value),
            _ => None,
        });
        let everything = self.sentence.word(whole.start).starts_with("everything");
        let mut bits = kinds & self.topic;
        if everything {
            bits = kinds & bit(ClaimKind::ChecksPass);
        } else if bits == 0 && count.is_some() {
            bits = kinds & bit(ClaimKind::TestsPass);
        }
        for kind in of_bits(bits) {
            all.push(Found {
                count: count.filter(|_| kind == ClaimKind::TestsPass),
                ..Found::new(kind, whole.clone(), said.start)
            });
        }
    }

    fn said(&self, found: &Match, letter: char, scope: &Scope, all: &mut Vec<Found>) {
        let said = self.tokens_of(&found.said);
        let kinds = self
            .cells
            .get(found.said.start)
            .map_or(0, |cell| cell.kinds(letter));
        for kind in of_bits(kinds) {
            all.push(Found {
                scope: scope.clone(),
                ..Found::new(kind, said.clone(), said.start)
            });
        }
    }

    /// Where the words begin that belong to a check: "all 12 unit tests".
    fn phrase_start(&self, check: usize, least: usize) -> usize {
        const STOPS: &str = " to with for on at by from as in of make made keep run ran running than and or not never no ";
        let mut start = check;
        while start > least && check - start < 6 {
            let before = start - 1;
            let goes_on = match self.sentence.what(before) {
                Some(What::Number(_) | What::Sign('/')) => true,
                Some(What::Word) => {
                    let is_plain = self.sentence.is_of("plain", before);
                    let stops = self.sentence.is_of("stops", before);
                    let is_verb = ClaimKind::ALL
                        .iter()
                        .any(|kind| self.sentence.part(*kind, "verbed", before) > 0);
                    is_plain
                        || start == check
                            && !stops
                            && !is_verb
                            && !STOPS.contains(&format!(" {} ", self.sentence.word(before)))
                }
                Some(What::Id | What::Code) => start == check,
                _ => false,
            };
            if !goes_on {
                break;
            }
            start = before;
        }
        start
    }

    /// Which part of the tests is meant; nothing when it says itself that it
    /// is not all of them: "10 of 12 tests".
    fn scope(
        &self,
        check: &Range<usize>,
        left: usize,
        clause: &Range<usize>,
    ) -> Option<(Scope, Option<u64>)> {
        let list = |name: &str, at: usize| self.sentence.is(name, at);
        let has = |name: &str, mut places: Range<usize>| places.any(|at| list(name, at));
        let wide = left.saturating_sub(2).max(clause.start)..check.start;
        let numbers: Vec<u64> = (left..check.start)
            .filter_map(|at| self.sentence.number(at))
            .collect();
        if has("less_than_all", wide.clone()) || has("shares", wide.clone()) {
            return None;
        }
        let is_share = wide
            .clone()
            .any(|at| list("parts", at) || self.sentence.what(at) == Some(What::Sign('/')));
        let is_all = has("all_words", wide);
        // "75 % of tests"
        let share = left.checked_sub(2).and_then(|at| self.sentence.what(at));
        let is_whole = is_all || share == Some(What::Number(100));
        if numbers.is_empty() && list("parts", left) && !is_whole {
            return None;
        }
        match numbers.as_slice() {
            [some, of, ..] if is_share && some < of => return None,
            [_] if is_share && !is_all => return None,
            _ => {}
        }
        let behind = self.sentence.number(check.end + 1);
        if list("parts", check.end) && behind.is_some() && behind > numbers.last().copied() {
            return None;
        }
        let named = self.sentence.tokens.get(check.end);
        if let Some(name) = named.filter(|token| matches!(token.what, What::Id)) {
            return Some((Scope::Name(name.text.clone()), numbers.last().copied()));
        }
        if list("narrows", check.end) && check.end < clause.end {
            let mut at = check.end + 1;
            while list("articles", at) {
                at += 1;
            }
            let token = self.sentence.tokens.get(at).filter(|_| at < clause.end);
            let named = token.and_then(|token| match token.what {
                What::Path => Some(Scope::Path(token.text.clone())),
                What::Id | What::Code | What::Key => Some(Scope::Name(token.text.clone())),
                What::Word if !list("narrows_unless", at) && !list("all_words", at) => {
                    Some(Scope::Name(token.text.clone()))
                }
                _ => None,
            });
            if let Some(scope) = named {
                return Some((scope, numbers.last().copied()));
            }
        }
        let is_name = |token: &&Token, at: usize| match token.what {
            What::Id | What::Code => true,
            What::Word => !self.sentence.is_of("unnamed", at),
            _ => false,
        };
        let words =
            || (left..check.start).filter_map(|at| Some((at, self.sentence.tokens.get(at)?)));
        if let Some((_, name)) = words().rfind(|(at, token)| is_name(token, *at)) {
            return Some((Scope::Name(name.text.clone()), numbers.last().copied()));
        }
        if words().any(|(_, token)| token.word() == "both") {
            return Some((Scope::Count(2), None));
        }
        if has("new_modifiers", left..check.start) {
            let scope = numbers.first().map_or_else(
                || Scope::Name("new".to_owned()),
                |count| Scope::Count(*count),
            );
            return Some((scope, None));
        }
        let scope = if has("all_words", left..check.start) {
            Scope::All
        } else {
            Scope::Plain
        };
        Some((scope, numbers.last().copied()))
    }

    /// What a statement leaves out: "except `test_slow`".
    fn exception(&self, from: usize, said: &Range<usize>, clause: &Range<usize>) -> Option<String> {
        let end = self.sentence.tokens.len().min(said.end + 4);
        let places = (from..said.start)
            .chain(said.end..end)
            .chain(std::iter::once(clause.start));
        let (at, length) = places
            .map(|at| (at, self.sentence.at("exceptions", at)))
            .find(|(_, length)| *length > 0)?;
        let words = self.sentence.tokens.get(at + length..).unwrap_or_default();
        let kept: Vec<String> = words
            .iter()
            .take(6)
            .take_while(|token| !matches!(token.what, What::Sign('.' | ';' | ')')))
            .filter_map(|token| match token.what {
                What::Sign(_) | What::Masked | What::NewLine | What::Good | What::Bad => None,
                What::Number(value) => Some(value.to_string()),
                _ => Some(token.text.clone()),
            })
            .collect();
        Some(kept.join(" "))
    }
}

/// Of a linter only the file it looked at is a part.
fn only_path(scope: &Scope) -> Scope {
    match scope {
        Scope::Path(path) => Scope::Path(path.clone()),
        _ => Scope::Plain,
    }
}

/// The checks that a unit names last, as bits; nothing when it names none.
pub(super) fn topic(cells: &[Cell]) -> u8 {
    let named = cells.iter().rev().find(|cell| cell.is(tag('S')));
    named.map_or(0, |cell| cell.kinds('S'))
}

fn is_rest(clause: &Clause<'_>, cell: &Cell) -> bool {
    clause.sentence.is("less_than_all", cell.place.start)
        || matches!(clause.sentence.word(cell.place.start), "second" | "one")
}

/// The checks that a clause says have failed, as bits.
pub(super) fn failing(clause: &Clause<'_>) -> u8 {
    let sentence = clause.sentence;
    let mut bits = 0;
    let cells = clause.cells.get(clause.place.clone()).unwrap_or_default();
    // "the second does not"
    let tokens = clause.tokens();
    let words: Vec<&str> = tokens
        .clone()
        .rev()
        .map(|at| sentence.word(at))
        .filter(|word| !word.is_empty())
        .take(2)
        .collect();
    let denies = match words.as_slice() {
        ["not", verb, ..] => matches!(*verb, "does" | "do" | "did"),
        [verb, ..] => matches!(*verb, "doesn't" | "don't" | "didn't"),
        [] => false,
    };
    if denies && tokens.len() <= 6 {
        bits |= clause.topic;
    }
    for (nth, cell) in cells.iter().enumerate() {
        let before = cells.get(nth.saturating_sub(5)..nth).unwrap_or_default();
        if cell.is(tag('b')) {
            let named = cells.iter().filter(|cell| cell.is(tag('S')));
            bits |= named.fold(0, |bits, cell| bits | cell.kinds('S'));
        }
        if !cell.is(tags("XY")) {
            continue;
        }
        let near = before
            .get(before.len().saturating_sub(4)..)
            .unwrap_or_default();
        let is_denied = near
            .iter()
            .any(|cell| cell.is(tags("nL")) || sentence.is("N1", cell.place.start));
        // "failed: 0"
        let is_zero = cells.get(nth + 1).is_some_and(|next| next.is(tag(':')))
            && cells.get(nth + 2).is_some_and(|value| value.is(tag('n')));
        let tokens = clause.tokens();
        let is_over = sentence.has("over", tokens);
        // "the failing test now passes"
        let is_name = cells.get(nth + 1).is_some_and(|next| next.is(tag('S')));
        // "fails without the fix"
        let is_elsewhere = cells.get(nth + 1).is_some_and(|next| next.is(tag('W')));
        if is_denied || is_zero || is_over || is_name || is_elsewhere {
            continue;
        }
        let counted = near
            .iter()
            .any(|cell| cell.is(tag('#')) || sentence.number(cell.place.start).is_some());
        let named = before.iter().filter(|cell| cell.is(tag('S')));
        let mut named = named.fold(0, |bits, cell| bits | cell.kinds('S'));
        // "2 tests fail", "`test_slow` fails"
        let is_test = before.last().is_some_and(|cell| cell.is(tags("IRD"))) && cell.is(tag('Y'));
        let is_mended = before.iter().any(|cell| cell.is(tag('v')));
        if counted && cell.is(tag('X')) && !is_mended {
            bits |= cell.kinds('X') | bit(ClaimKind::ChecksPass);
        }
        if is_test {
            bits |= bit(ClaimKind::TestsPass);
        }
        if !cell.is(tag('Y')) {
            continue;
        }
        if named == 0 && cells.iter().take(nth).any(|cell| is_rest(clause, cell)) {
            named = clause.topic; // "the others fail"
        }
        bits |= named & cell.kinds('Y');
        if cell.kinds('Y') == 0 {
            bits |= named;
        }
        if counted || named != 0 {
            bits |= bit(ClaimKind::ChecksPass);
        }
        if counted {
            bits |= bit(ClaimKind::TestsPass);
        }
    }
    bits
}
