//! Words that negate or limit a verdict, or count only a part of the work
//! (workspace 10).

use super::parse::VERIFIED;
use super::verdict_line::is_label;

/// Shortly before a pass marker.
const NEGATIONS: [&str; 13] = [
    "not", "cannot", "can't", "isn't", "never", "unless", "until", "would", "should", "could",
    "might", "hardly", "barely",
];
/// The first word of a sentence that says when a verdict would hold.
const CONDITIONS: [&str; 6] = ["if", "once", "before", "unless", "until", "were"];
/// A subject that denies its predicate.
const DENIALS: [&str; 5] = ["nothing", "none", "no", "neither", "only"];
/// The first word behind a pass marker that takes it back.
const LIMITS: [&str; 24] = [
    "except",
    "but",
    "partially",
    "partly",
    "pending",
    "however",
    "incomplete",
    "if",
    "when",
    "once",
    "unless",
    "until",
    "provided",
    "would",
    "could",
    "cannot",
    "can't",
    "says",
    "said",
    "rejected",
    "planted",
    "withheld",
    "isn't",
    "wasn't",
];
/// Behind `only`.
const PARTS: [&str; 7] = ["if", "when", "for", "after", "once", "part", "partly"];
/// Behind `not`, these deny that the work is complete.
const GOALS: [&str; 20] = [
    "complete",
    "completed",
    "done",
    "met",
    "verified",
    "ready",
    "finished",
    "fulfilled",
    "satisfied",
    "implemented",
    "passed",
    "passing",
    "approved",
    "accepted",
    "ok",
    "warranted",
    "justified",
    "yet",
    "my",
    "what",
];
/// May are between `not` and such a word.
const BETWEEN: [&str; 13] = [
    "be",
    "been",
    "being",
    "fully",
    "all",
    "really",
    "entirely",
    "considered",
    "called",
    "regarded",
    "as",
    "a",
    "currently",
];
const ABSENT: [&str; 3] = ["missing", "absent", "lacking"];
const REQUIREMENTS: [&str; 5] = [
    "requirement",
    "requirements",
    "criteria",
    "instructions",
    "task",
];
const NUMBERS: [&str; 11] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Whether the words around the first pass marker of a line limit it.
pub(super) fn is_qualified(line: &str) -> bool {
    let Some((before, after)) = line.split_once(VERIFIED) else {
        return false;
    };
    negates(before) || takes_back_marker(after)
}

/// Whether the words before a pass marker deny it.
fn negates(before: &str) -> bool {
    let sentence = before
        .rsplit_once(['.', '!', '?', ':', '：', ';', '—', '–', '→', '='])
        .map_or(before, |(_, sentence)| sentence);
    let sentence = sentence.rsplit_once(" - ").map_or(sentence, |(_, it)| it);
    let clause = sentence
        .rsplit_once(',')
        .map_or(sentence, |(_, clause)| clause);
    let first_of = |text: &str, words: &[&str]| {
        words_of(text)
            .next()
            .is_some_and(|first| first.is_one_of(words))
    };
    let all = before.split(|c: char| !(c.is_ascii_alphabetic() || c == '\''));
    let mut last = all.filter(|word| !word.is_empty()).rev().take(3);
    last.any(|word| is_one_of(word, &NEGATIONS))
        || first_of(sentence, &CONDITIONS)
        || first_of(clause, &DENIALS)
        || counts_part(before.trim_end_matches([' ', ':', '*', '_']))
}

/// Whether the words behind a pass marker take it back.
fn takes_back_marker(after: &str) -> bool {
    let after = after.strip_prefix(" COMPLETE").unwrap_or(after);
    let start = after.trim_start_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ':' | ';' | '.' | '(' | ')' | '*' | '_' | '-' | '–' | '—' | '=' | '"' | '”'
            )
    });
    if start.starts_with(['?', '←']) || start.starts_with("<-") {
        return true;
    }
    let mut words = words_of(start);
    let (Some(first), second, third) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let second_is = |words: &[&str]| second.as_ref().is_some_and(|it| it.is_one_of(words));
    let names_verdict = || {
        [second.as_ref(), third.as_ref()]
            .into_iter()
            .flatten()
            .any(|word| is_label(word.text))
    };
    first.is_one_of(&LIMITS)
        || first.is("with") && second_is(&["issues"])
        || first.is("only") && second_is(&PARTS)
        || (first.is("is") || first.is("was")) && !names_verdict()
        || denies(start)
}

/// Whether the first sentence of a text says that the work is not complete.
pub(super) fn denies(text: &str) -> bool {
    let words: Vec<Word<'_>> = words_of(first_sentence(text)).collect();
    counts_part(text) || (0..words.len()).any(|at| denies_at(&words, at))
}

fn denies_at(words: &[Word<'_>], at: usize) -> bool {
    let (before, rest) = words.split_at(at);
    let Some((word, rest)) = rest.split_first() else {
        return false;
    };
    if word.is("not") || word.is("cannot") || word.text.ends_with("n't") {
        let mut rest = rest.iter().skip_while(|it| it.is_one_of(&BETWEEN));
        let goal = rest.next();
        return goal.is_some_and(|goal| {
            goal.is_one_of(&GOALS)
                || goal.is("pass") && goal.ends
                || (goal.is("meet") || goal.is("satisfy"))
                    && rest.any(|it| it.is_one_of(&REQUIREMENTS))
        });
    }
    let is_absent = word.is_one_of(&ABSENT);
    if !is_absent && !word.is("incomplete") {
        return false;
    }
    let is_denied = before.iter().any(|it| {
        it.is_one_of(&DENIALS)
            || it.is_one_of(&["not", "0", "zero", "without", "if", "when", "where"])
    });
    let is_counted = rest
        .first()
        .is_some_and(|it| it.is_one_of(&["0", "none", "nothing"]));
    let begins = is_absent && before.is_empty();
    (word.ends || begins) && !is_denied && !is_counted
}

/// `1 of 3`, `1/3`, `only one of three`: a part of all.
fn counts_part(text: &str) -> bool {
    let words: Vec<Word<'_>> = words_of(text).take(8).collect();
    let skip = words
        .iter()
        .take_while(|word| word.is_one_of(&["only", "just", "but", "is", "are"]))
        .count();
    fraction(words.get(skip..).unwrap_or_default()).is_some_and(|(part, all)| part < all)
}

/// Whether a summary says that a part of the requirements is met, and nowhere
/// that all are.
pub(super) fn counts_open(summary: &str) -> bool {
    const MET: [&str; 14] = [
        "met",
        "complete",
        "completed",
        "done",
        "verified",
        "fulfilled",
        "satisfied",
        "implemented",
        "present",
        "exist",
        "exists",
        "finished",
        "pass",
        "passed",
    ];
    const COUNTED: [&str; 10] = [
        "requirements",
        "requirement",
        "deliverables",
        "items",
        "tasks",
        "criteria",
        "files",
        "endpoints",
        "tests",
        "features",
    ];
    let words: Vec<Word<'_>> = words_of(summary).collect();
    let mut is_part = false;
    for at in 0..words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let Some((part, all)) = fraction(rest) else {
            continue;
        };
        if part >= all {
            return false;
        }
        let behind = rest.get(1..).unwrap_or_default().iter().take(7);
        let sentence: Vec<&Word<'_>> = behind.collect();
        let has = |words: &[&str]| sentence.iter().any(|it| it.is_one_of(words));
        let is_named = at > 0 && words.get(at - 1).is_some_and(|it| it.is_one_of(&COUNTED));
        is_part |= !is_named && has(&COUNTED[..5]) && has(&MET);
    }
    is_part
}

/// The count at the beginning of a text.
fn fraction(words: &[Word<'_>]) -> Option<(u64, u64)> {
    let first = words.first()?;
    if let Some((part, all)) = first.text.split_once('/') {
        return Some((part.parse().ok()?, all.parse().ok()?));
    }
    let mut behind = words.get(1..)?.iter().skip_while(|word| word.is("out"));
    behind.next().filter(|word| word.is("of"))?;
    let mut behind = behind.skip_while(|word| word.is("the") || word.is("all"));
    Some((first.number()?, behind.next()?.number()?))
}

struct Word<'t> {
    text: &'t str,
    /// Whether punctuation or the end of the text follows.
    ends: bool,
}

impl Word<'_> {
    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        is_one_of(self.text, words)
    }

    fn number(&self) -> Option<u64> {
        let named = || NUMBERS.iter().position(|it| self.is(it));
        self.text.parse().ok().or_else(|| named()?.try_into().ok())
    }
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// The words of a text, without emphasis and punctuation.
fn words_of(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut parts = text.split_whitespace().peekable();
    std::iter::from_fn(move || {
        loop {
            let part = parts.next()?.trim_matches(['*', '_']);
            let word = part.trim_matches(|c: char| !c.is_alphanumeric());
            if !word.is_empty() {
                let ends = parts.peek().is_none_or(|next| is_sign(next))
                    || part.ends_with(|c: char| !c.is_alphanumeric());
                return Some(Word { text: word, ends });
            }
        }
    })
}

fn is_sign(part: &str) -> bool {
    !part.contains(char::is_alphanumeric)
}

fn first_sentence(text: &str) -> &str {
    let ends = [". ", "! ", "? "];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests;
