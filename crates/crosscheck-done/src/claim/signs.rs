//! Languages that are searched without word boundaries: Chinese, Japanese,
//! Korean. A subject and its predicate stand close together; a word of a veto
//! list anywhere in the sentence takes the statement away.
//!
//! Contract: done 4.7.

use super::blocks::Shape;
use super::checks::Found;
use super::normalise::Text;
use super::pack::Pack;
use super::tokens::{Token, What};
use super::units::Unit;
use crate::kind::{ClaimKind, Scope};

/// At most this many characters may be between a subject and its predicate.
const GAP: usize = 24;

/// Statements, each with its first byte and the one behind its last.
type Placed = Vec<((usize, usize), Found)>;

/// The statements of a sentence, each with its first byte and the one behind
/// its last, and the rule that drops them all.
pub(super) fn read(pack: &Pack, text: &Text, unit: &Unit) -> (Option<&'static str>, Placed) {
    let view = View::of(text, &unit.tokens);
    let scope = if view.has(pack, "exceptions") {
        let end = view.start + view.text.len();
        let words = text.norm.get(view.start..end).unwrap_or_default();
        Scope::Except(words.trim().trim_end_matches(['.', '。']).to_owned())
    } else {
        Scope::Plain
    };
    // what a whole phrase denies is part of it: "no test failed"
    let wholes = ClaimKind::ALL.map(|kind| pack.all(pack.part(kind, "whole")));
    let plain = wholes
        .into_iter()
        .flatten()
        .fold(view.text.clone(), |text, whole| {
            match place_of(&text, whole) {
                Some(_) => text.replace(whole, " "),
                None => text,
            }
        });
    let plain = View {
        text: plain,
        start: view.start,
    };
    let rule = rule(pack, unit, &plain);
    let mut all = Vec::new();
    for kind in ClaimKind::ALL {
        let mut add = |(start, end): (usize, usize), subject: &str| {
            let found = Found {
                subject: subject.to_owned(),
                scope: scope.clone(),
                ..Found::new(kind, 0..0, 0)
            };
            all.push(((view.start + start, view.start + end), found));
        };
        let whole = pack.all(pack.part(kind, "whole")).find_map(|phrase| {
            let at = place_of(&view.text, phrase)?;
            Some((at, at + phrase.len()))
        });
        if let Some(place) = whole.or_else(|| run(pack, kind, &view)) {
            add(place, "");
        }
        for (place, subject) in deeds(pack, kind, &view, &unit.tokens) {
            add(place, subject);
        }
    }
    (rule, all)
}

/// Where a phrase is; "10 failed" does not hold "0 failed".
fn place_of(text: &str, phrase: &str) -> Option<usize> {
    let is_digit = |c: char| c.is_ascii_digit();
    let at = text.find(phrase)?;
    let is_cut = phrase.starts_with('0') && text.get(..at)?.ends_with(is_digit)
        || phrase.ends_with('0') && text.get(at + phrase.len()..)?.starts_with(is_digit);
    (!is_cut).then_some(at)
}

/// Why a sentence holds no claim.
fn rule(pack: &Pack, unit: &Unit, view: &View) -> Option<&'static str> {
    if unit.is_question || unit.shape == Shape::OpenTask {
        return Some("N6");
    }
    if unit.is_planned(pack) {
        return Some("N10");
    }
    let is_now = view.has(pack, "now");
    ["N1", "N2", "N3", "N4", "N5", "N7", "N8", "N9"]
        .into_iter()
        .find(|rule| view.has(pack, rule) && !(is_now && *rule == "N9"))
}

/// The text of a sentence in small letters, without what it quotes.
struct View {
    text: String,
    start: usize,
}

impl View {
    fn of(text: &Text, tokens: &[Token]) -> Self {
        let start = tokens.first().map_or(0, |first| first.span.start);
        let end = tokens.last().map_or(start, |last| last.span.end);
        let shown = text.norm.get(start..end).unwrap_or_default();
        let mut bytes = shown.to_ascii_lowercase().into_bytes();
        let is_quoted = |token: &&Token| {
            matches!(
                token.what,
                What::Path
                    | What::Id
                    | What::Key
                    | What::Sha
                    | What::Code
                    | What::Url
                    | What::Masked
            )
        };
        for token in tokens.iter().filter(is_quoted) {
            let place = token.span.start - start..token.span.end - start;
            if let Some(quoted) = bytes.get_mut(place) {
                quoted.fill(b' ');
            }
        }
        Self {
            text: String::from_utf8(bytes).unwrap_or_default(),
            start,
        }
    }

    fn has(&self, pack: &Pack, list: &str) -> bool {
        let mut words = pack.all(pack.list(list));
        words.any(|word| self.text.contains(word))
    }
}

/// A check and what is said of it, in one clause.
fn run(pack: &Pack, kind: ClaimKind, view: &View) -> Option<(usize, usize)> {
    let is_break = |c: char| "。，,;；.".contains(c);
    pack.all(pack.part(kind, "subject")).find_map(|subject| {
        let start = view.text.find(subject)?;
        let behind = start + subject.len();
        let rest = view.text.get(behind..)?;
        let near: String = rest.chars().take_while(|c| !is_break(*c)).collect();
        let close = |at: &usize| {
            near.get(..*at)
                .is_some_and(|gap| gap.chars().count() <= GAP)
        };
        let said = pack.all(pack.part(kind, "predicate"));
        let said = said.filter_map(|word| Some(near.find(word).filter(close)? + word.len()));
        let last = pack.all(pack.part(kind, "last"));
        let last =
            last.filter_map(|word| Some(near.trim_end().strip_suffix(word)?.len() + word.len()));
        Some((start, behind + said.chain(last).max()?))
    })
}

/// A file, a commit or a defect with a verb on either side of it.
fn deeds<'u>(
    pack: &Pack,
    kind: ClaimKind,
    view: &View,
    tokens: &'u [Token],
) -> Vec<((usize, usize), &'u str)> {
    let verb = pack
        .all(pack.part(kind, "verbed"))
        .find_map(|verb| Some((view.text.find(verb)?, verb.len())));
    let Some((at, length)) = verb else {
        return Vec::new();
    };
    let place = (at, at + length);
    let has_object = |kind| {
        let mut objects = pack.all(pack.part(kind, "object"));
        objects.any(|word| view.text.contains(word))
    };
    match kind {
        ClaimKind::Committed => return vec![(place, "")],
        ClaimKind::Fixed => {
            let all = has_object(kind).then_some((place, ""));
            return all.into_iter().collect();
        }
        _ => {}
    }
    let paths = tokens.iter().filter(|token| token.what == What::Path);
    let places = paths.map(|token| {
        let (start, end) = (token.span.start - view.start, token.span.end - view.start);
        ((start.min(place.0), end.max(place.1)), token.text.as_str())
    });
    places
        .filter(|((start, end), _)| end - start <= GAP * 9)
        .collect()
}
