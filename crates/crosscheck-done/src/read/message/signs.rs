//! Languages that are searched without word boundaries: Chinese, Japanese,
//! Korean. A subject and its predicate stand in one clause, with a bounded
//! gap between them; a filter anywhere in the clause drops the statement, and
//! a condition, a doubt or the past in an earlier clause of the sentence too.

use super::normalise::Text;
use super::pack::Pack;
use super::tokens::{Token, What};
use super::units::Unit;
use crate::kind::ClaimKind;

/// So many characters may stand between a subject and its predicate.
const GAP: usize = 24;

/// A statement: kind, the rule that drops it, first and last byte, subject.
pub(super) type Sign = (ClaimKind, Option<&'static str>, usize, usize, String);

pub(super) fn read(pack: &Pack, text: &Text, unit: &Unit, is_titled: bool) -> Vec<Sign> {
    let mut all = Vec::new();
    let mut governed = None;
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
    all
}

/// Splits at the signs that part clauses.
fn clauses<'u>(pack: &Pack, tokens: &'u [Token]) -> Vec<Vec<&'u Token>> {
    let breaks: Vec<&str> = pack.list("clause_breaks").all().collect();
    let mut all = vec![Vec::new()];
    for token in tokens {
        let parts = matches!(
            token.what,
            What::Sign(
                '。' | '、'
                    | '，'
                    | ','
                    | ';'
                    | '；'
                    | '！'
                    | '？'
                    | '.'
                    | '!'
                    | '?'
                    | '('
                    | ')'
                    | ':'
            )
        ) || breaks.iter().any(|word| token.word() == *word);
        if parts {
            all.push(Vec::new());
        } else if let Some(last) = all.last_mut() {
            last.push(token);
        }
    }
    all.retain(|clause| !clause.is_empty());
    all
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
        pack.list(list).all().any(|word| self.text.contains(word))
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
    for phrase in pack.of(kind, "whole").all() {
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
        all.push((
            kind,
            rule(&rest),
            view.start + at,
            view.start + end,
            String::new(),
        ));
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
    for subject in pack.of(kind, "subject").all() {
        let Some(start) = view.find(subject, 0) else {
            continue;
        };
        let behind = start + subject.len();
        let predicates = pack.of(kind, "predicate");
        let ends = predicates.all().filter_map(|predicate| {
            let at = view.find(predicate, behind)?;
            let gap = view.text.get(behind..at)?;
            (gap.chars().count() <= GAP).then_some(at + predicate.len())
        });
        if let Some(end) = ends.max() {
            all.push((
                kind,
                rule(view),
                view.start + start,
                view.start + end,
                String::new(),
            ));
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
    let verbs = pack.of(kind, "verbed");
    for verb in verbs.all() {
        let Some(at) = view.find(verb, 0) else {
            continue;
        };
        let place = (view.start + at, view.start + at + verb.len());
        let rule = rule(view);
        if kind == ClaimKind::Committed {
            all.push((kind, rule, place.0, place.1, String::new()));
            return;
        }
        if kind == ClaimKind::Fixed {
            let problems = pack.of(kind, "object");
            if let Some(object) = problems.all().find(|word| view.text.contains(*word)) {
                all.push((kind, rule, place.0, place.1, object.to_owned()));
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
            all.push((
                kind,
                rule,
                token.span.start.min(place.0),
                token.span.end.max(place.1),
                token.text.clone(),
            ));
        }
        return;
    }
}
