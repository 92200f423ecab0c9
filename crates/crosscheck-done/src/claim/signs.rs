//! Languages that are searched without word boundaries: Chinese, Japanese,
//! Korean. A subject and its predicate are in one clause, with a bounded
//! gap between them; a filter anywhere in the clause drops the statement, and
//! a condition, a doubt or the past in an earlier clause of the sentence too.

use super::normalise::Text;
use super::pack::{Pack, part};
use super::tokens::{Token, What};
use super::units::Unit;
use crate::kind::{ClaimKind, Scope};

/// At most this many characters may be between a subject and its predicate.
const GAP: usize = 24;
/// At most this many characters of an exception are kept with each statement.
const MAX_EXCEPTION: usize = 200;

/// A statement, and the rule that drops it.
pub(super) struct Sign {
    pub(super) kind: ClaimKind,
    pub(super) rule: Option<&'static str>,
    /// Its first and last byte.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) subject: String,
    pub(super) scope: Scope,
}

impl Sign {
    fn new(kind: ClaimKind, rule: Option<&'static str>, start: usize, end: usize) -> Self {
        Self {
            kind,
            rule,
            start,
            end,
            subject: String::new(),
            scope: Scope::Plain,
        }
    }
}

pub(super) fn read(
    pack: &Pack,
    text: &Text,
    unit: &Unit,
    next: Option<&Unit>,
    is_titled: bool,
) -> Vec<Sign> {
    let whole = Whole::of(pack, text, unit, next);
    let mut all = Vec::new();
    let mut governed = whole.is_required().then_some("N10");
    for clause in clauses(pack, &unit.tokens) {
        let (Some(first), Some(last)) = (clause.first(), clause.last()) else {
            continue;
        };
        let view = View::of(text, &clause, first.span.start, last.span.end);
        let is_now = view.has(pack, "now");
        let before = governed.filter(|rule| !(is_now && *rule == "N9"));
        let rule = |view: &View| before.or_else(|| rule(pack, unit, is_titled, view));
        governed = governed.or_else(|| {
            let mut rules = ["N3", "N5", "N9"].into_iter();
            rules.find(|rule| view.has(pack, rule))
        });
        for kind in ClaimKind::ALL {
            wholes(pack, kind, &view, rule, &mut all);
            runs(pack, kind, &view, rule, &mut all);
            deeds(pack, kind, &view, &clause, rule, &mut all);
        }
    }
    let is_of_tests =
        |sign: &&mut Sign| matches!(sign.kind, ClaimKind::TestsPass | ClaimKind::ChecksPass);
    let mut of_tests = all.iter_mut().filter(is_of_tests).peekable();
    if of_tests.peek().is_some() {
        // once for a sentence, however many statements it has
        let fails = whole.fails().then_some("N12");
        let scope = whole.exception().map_or(Scope::Plain, Scope::Except);
        for sign in of_tests {
            sign.rule = sign.rule.or(fails);
            sign.scope = scope.clone();
        }
    }
    all
}

/// A sentence as a whole, and the one behind it.
struct Whole<'p> {
    pack: &'p Pack,
    view: View,
    /// What it says, with what it quotes.
    words: &'p str,
    next: Option<View>,
}

impl<'p> Whole<'p> {
    fn of(pack: &'p Pack, text: &'p Text, unit: &Unit, next: Option<&Unit>) -> Self {
        let view = |unit: &Unit| {
            let tokens: Vec<&Token> = unit.tokens.iter().collect();
            let start = tokens.first().map_or(0, |first| first.span.start);
            let end = tokens.last().map_or(start, |last| last.span.end);
            View::of(text, &tokens, start, end)
        };
        let own = view(unit);
        let end = own.start + own.text.len();
        Self {
            pack,
            words: text.norm.get(own.start..end).unwrap_or_default(),
            view: own,
            next: next.map(view),
        }
    }

    /// "Requirement: all tests pass", unless it is said to be met.
    fn is_required(&self) -> bool {
        let label = self.view.text.split([':', '：']).next().unwrap_or_default();
        let named = self
            .pack
            .all(self.pack.list("required"))
            .any(|word| label.contains(word));
        let is_met = |view: &View| view.has(self.pack, "met") && !view.has(self.pack, "N1");
        named && !is_met(&self.view) && !self.next.as_ref().is_some_and(is_met)
    }

    /// "10 pass, 2 fail", "10 of 12 pass", "one passes. The other fails."
    fn fails(&self) -> bool {
        let text = &self.view.text;
        let is_part = self.pack.all(self.pack.list("parts")).any(|word| {
            let parts = text.split_once(word);
            let part = parts.map(|(whole, part)| (last_number(whole), first_number(part)));
            matches!(part, Some((Some(whole), Some(part))) if part < whole)
        });
        let failures: Vec<&str> = self.pack.all(self.pack.list("failures")).collect();
        let counts = |word: &str| {
            let parts = text.split_once(word);
            let count = parts.map(|(before, behind)| {
                let near = before.chars().rev().take(6).collect::<Vec<_>>();
                let near: String = near.into_iter().rev().collect();
                last_number(&near).or_else(|| first_number(behind))
            });
            matches!(count, Some(Some(count)) if count > 0)
        };
        let rest_fails = |next: &View| {
            let begins = |word: &str| next.text.trim_start().starts_with(word);
            self.pack.all(self.pack.list("rest")).any(begins) && next.has(self.pack, "failures")
        };
        is_part
            || failures.iter().any(|word| counts(word))
            || !self.view.has(self.pack, "all_words") && self.next.as_ref().is_some_and(rest_fails)
    }

    /// "all tests pass except two": what is excepted, a count as a figure.
    fn exception(&self) -> Option<String> {
        let text = &self.view.text;
        let mut words = self.pack.all(self.pack.list("exceptions"));
        let at = words.find_map(|word| Some((text.find(word)?, word.len())))?;
        let rest = text.get(at.0 + at.1..)?;
        let near: Vec<char> = text.get(..at.0)?.chars().rev().take(6).collect();
        let before: String = near.into_iter().rev().collect();
        let count = first_number(rest.get(..rest.len().min(24)).unwrap_or(rest));
        let count = count.or_else(|| last_number(&before));
        let words = || {
            let words = self.words.trim().trim_end_matches(['.', '。']);
            words.chars().take(MAX_EXCEPTION).collect()
        };
        Some(count.map_or_else(words, |count| count.to_string()))
    }
}

/// The figures of a text; signs of the languages for small ones count, too.
fn numbers(text: &str) -> Vec<u64> {
    const SIGNS: [(&str, u64); 18] = [
        ("一", 1),
        ("二", 2),
        ("两", 2),
        ("兩", 2),
        ("三", 3),
        ("四", 4),
        ("五", 5),
        ("六", 6),
        ("七", 7),
        ("八", 8),
        ("九", 9),
        ("十", 10),
        ("한 ", 1),
        ("하나", 1),
        ("두 ", 2),
        ("세 ", 3),
        ("네 ", 4),
        ("다섯", 5),
    ];
    let mut all = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        // Korean parts words: the end of one is not a number
        let is_end = is_hangul(before);
        let mut signs = SIGNS.iter().filter(|_| !is_end);
        let sign = signs.find(|(sign, _)| rest.starts_with(sign));
        let (value, length) = match sign {
            _ if digits > 0 => (
                rest.get(..digits).and_then(|digits| digits.parse().ok()),
                digits,
            ),
            Some((sign, value)) => (Some(*value), sign.len()),
            None => (None, first.len_utf8()),
        };
        all.extend(value);
        before = first;
        rest = rest.get(length..).unwrap_or_default();
    }
    all
}

/// The first one behind a word, whose own end does not count.
fn first_number(text: &str) -> Option<u64> {
    let text = text.trim_start_matches(is_hangul);
    numbers(text).first().copied()
}

fn is_hangul(letter: char) -> bool {
    ('가'..='힣').contains(&letter)
}

fn last_number(text: &str) -> Option<u64> {
    numbers(text).last().copied()
}

/// Splits at the signs that part clauses.
fn clauses<'u>(pack: &Pack, tokens: &'u [Token]) -> Vec<Vec<&'u Token>> {
    let breaks: Vec<&str> = pack.all(pack.list("clause_breaks")).collect();
    let mut all = vec![Vec::new()];
    for token in tokens {
        let parts = matches!(
            token.what,
            What::Sign(
                '。' | '、' | '，' | ',' | ';' | '；' | '！' | '？' | '.' | '!' | '?' | '(' | ')'
            )
        ) || token.is_sign(':')
            && !all.last().is_some_and(|label| is_label(pack, label))
            || breaks.iter().any(|word| token.word() == *word);
        if parts {
            all.push(Vec::new());
        } else if let Some(last) = all.last_mut() {
            last.push(token);
        }
    }
    all.retain(|clause| !clause.is_empty());
    all
}

/// "Test results: passed" is one thing.
fn is_label(pack: &Pack, clause: &[&Token]) -> bool {
    let named = |kind: ClaimKind| {
        let mut words = pack.all(part(kind, "subject"));
        words.any(|word| clause.iter().any(|token| token.text.contains(word)))
    };
    clause.len() <= 3 && super::pack::RUN_KINDS.into_iter().any(named)
}

/// The text of a clause without what is quoted.
struct View {
    text: String,
    start: usize,
}

impl View {
    fn of(text: &Text, clause: &[&Token], start: usize, end: usize) -> Self {
        let mut shown = text.norm.get(start..end).unwrap_or_default().to_lowercase();
        if shown.len() != end - start {
            // a letter changed its length: search the text as it is
            text.norm
                .get(start..end)
                .unwrap_or_default()
                .clone_into(&mut shown);
        }
        for token in clause {
            let keep = matches!(
                token.what,
                What::Word
                    | What::Sign(_)
                    | What::Number(_)
                    | What::Good
                    | What::Bad
                    | What::NewLine
            );
            if !keep {
                let from = token.span.start - start;
                let blank = " ".repeat(token.span.len());
                if shown.is_char_boundary(from) && shown.is_char_boundary(from + blank.len()) {
                    shown.replace_range(from..from + blank.len(), &blank);
                }
            }
        }
        Self { text: shown, start }
    }

    fn find(&self, word: &str, from: usize) -> Option<usize> {
        let rest = self.text.get(from..)?;
        rest.find(word).map(|at| from + at)
    }

    fn has(&self, pack: &Pack, list: &str) -> bool {
        pack.all(pack.list(list))
            .any(|word| self.text.contains(word))
    }
}

fn rule(pack: &Pack, unit: &Unit, is_titled: bool, view: &View) -> Option<&'static str> {
    if unit.is_question || unit.is_open_task {
        return Some("N6");
    }
    if is_titled {
        return Some("N10");
    }
    ["N1", "N2", "N3", "N4", "N5", "N7", "N8", "N9"]
        .into_iter()
        .find(|rule| view.has(pack, rule))
}

/// Phrases that are a statement, such as "no test failed": what they deny
/// is part of them.
fn wholes(
    pack: &Pack,
    kind: ClaimKind,
    view: &View,
    rule: impl Fn(&View) -> Option<&'static str>,
    all: &mut Vec<Sign>,
) {
    for phrase in pack.all(part(kind, "whole")) {
        let Some(at) = view.find(phrase, 0) else {
            continue;
        };
        let before = view.text.get(..at).unwrap_or_default();
        if phrase.starts_with('0') && before.ends_with(|c: char| c.is_ascii_digit()) {
            continue; // "10 failed"
        }
        let end = at + phrase.len();
        let after = view.text.get(end..).unwrap_or_default();
        if phrase.ends_with('0') && after.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            continue;
        }
        let rest = View {
            text: format!("{before} {after}"),
            start: view.start,
        };
        let (start, end) = (view.start + at, view.start + end);
        all.push(Sign::new(kind, rule(&rest), start, end));
        return;
    }
}

fn runs(
    pack: &Pack,
    kind: ClaimKind,
    view: &View,
    rule: impl Fn(&View) -> Option<&'static str>,
    all: &mut Vec<Sign>,
) {
    for subject in pack.all(part(kind, "subject")) {
        let Some(start) = view.find(subject, 0) else {
            continue;
        };
        let behind = start + subject.len();
        let predicates = pack.all(part(kind, "predicate"));
        let ends = predicates.filter_map(|predicate| {
            let at = view.find(predicate, behind)?;
            let gap = view.text.get(behind..at)?;
            (gap.chars().count() <= GAP).then_some(at + predicate.len())
        });
        let last = |predicate: &str| {
            let said = view.text.trim_end();
            let at = said.strip_suffix(predicate)?.len();
            let gap = view.text.get(behind..at)?;
            (gap.chars().count() <= GAP).then_some(said.len())
        };
        let lasts = pack.all(part(kind, "last")).filter_map(last);
        if let Some(end) = ends.chain(lasts).max() {
            let (start, end) = (view.start + start, view.start + end);
            all.push(Sign::new(kind, rule(view), start, end));
            return;
        }
    }
}

/// A file or commit with a verb on either side of it.
fn deeds(
    pack: &Pack,
    kind: ClaimKind,
    view: &View,
    clause: &[&Token],
    rule: impl Fn(&View) -> Option<&'static str>,
    all: &mut Vec<Sign>,
) {
    for verb in pack.all(part(kind, "verbed")) {
        let Some(at) = view.find(verb, 0) else {
            continue;
        };
        let place = (view.start + at, view.start + at + verb.len());
        let rule = rule(view);
        if kind == ClaimKind::Committed {
            all.push(Sign::new(kind, rule, place.0, place.1));
            return;
        }
        if kind == ClaimKind::Fixed {
            let mut problems = pack.all(part(kind, "object"));
            if let Some(object) = problems.find(|word| view.text.contains(*word)) {
                all.push(Sign {
                    subject: object.to_owned(),
                    ..Sign::new(kind, rule, place.0, place.1)
                });
            }
            return;
        }
        let near = |token: &&&Token| {
            let distance = if token.span.start >= place.1 {
                token.span.start - place.1
            } else {
                place.0.saturating_sub(token.span.end)
            };
            token.what == What::Path && distance <= GAP * 3
        };
        for token in clause.iter().filter(near) {
            let (start, end) = (token.span.start, token.span.end);
            all.push(Sign {
                subject: token.text.clone(),
                ..Sign::new(kind, rule, start.min(place.0), end.max(place.1))
            });
        }
        return;
    }
}
