//! Lines that give a verdict: a marker or one of a few words, alone or behind a
//! label such as `Final Status:` (workspace 10).

use std::sync::LazyLock;

use regex::Regex;

use super::limits::denies;
use super::parse::{
    INCOMPLETE, Marker, leading_marker, means_none, strip_prefix_any_case, strip_word,
};
use super::plain::{is_quote, is_sign, plain, unquoted};

/// The last word of a label that announces a verdict.
const LABELS: [&str; 18] = [
    "final",
    "verdict",
    "status",
    "result",
    "outcome",
    "conclusion",
    "decision",
    "assessment",
    "judgement",
    "judgment",
    "determination",
    "finding",
    "overall",
    "verification",
    "state",
    "answer",
    "completion",
    "completeness",
];
/// Labels whose whole sentence is about the verdict.
const STRONG: [&str; 9] = [
    "final",
    "overall",
    "verdict",
    "conclusion",
    "decision",
    "determination",
    "judgement",
    "judgment",
    "outcome",
];
/// Labels that ask a question.
const QUESTIONS: [&str; 6] = [
    "verified",
    "complete",
    "completed",
    "passed",
    "pass",
    "done",
];
/// A refusal without a word, behind a label.
const CROSSES: [char; 10] = ['✗', '✘', '✖', '☒', '❎', '🚫', '⛔', '👎', '🔴', '🟥'];
/// Longer ones first, so that they are removed as a whole.
const CONTRARY: [&str; 12] = [
    "not verified complete",
    "verification incomplete",
    "verification not passed",
    "verification failed",
    "not passed",
    "not completed",
    "not complete",
    "not verified",
    "unverified",
    "incomplete",
    "failed",
    "fail",
];
/// Contrary only behind a label.
const CONTRARY_VALUES: [&str; 19] = [
    "not approved",
    "not accepted",
    "not ok",
    "did not pass",
    "partially complete",
    "not fully complete",
    "not fully verified",
    "not yet complete",
    "not done",
    "not met",
    "not ready",
    "does not pass",
    "cannot verify",
    "rejected",
    "reject",
    "failure",
    "partial",
    "fails",
    "failing",
];
/// Words of a heading or label about something earlier.
const BEFORE: [&str; 6] = [
    "previous",
    "previously",
    "prior",
    "earlier",
    "former",
    "history",
];
/// Behind one of these, a word in capitals is the subject of a sentence.
const PREDICATES: [&str; 10] = [
    "appears", "appear", "appeared", "occurs", "occur", "does", "do", "never", "nowhere", "means",
];
/// What a good work rejects or refuses on purpose.
const ON_PURPOSE: [&str; 5] = [
    "as required",
    "as expected",
    "as intended",
    "as specified",
    "as designed",
];
/// What is absent in a good work, and what may follow it.
const FAULTS: [&str; 9] = [
    "failing", "failed", "failures", "todo", "todos", "issues", "errors", "problems", "gaps",
];
const FAULT_ENDS: [&str; 6] = ["tests", "checks", "found", "left", "remain", "remaining"];
/// The whole work, as the subject of a sentence.
const SUBJECTS: [&str; 5] = ["work", "task", "project", "workspace", "verification"];
/// What may be between a label and its word.
const FILLERS: [&str; 18] = [
    "the",
    "this",
    "that",
    "work",
    "task",
    "project",
    "workspace",
    "deliverables",
    "it",
    "is",
    "are",
    "was",
    "were",
    "remains",
    "still",
    "currently",
    "marked",
    "as",
];
/// Followed by one of these, a word names a section or counts something.
const COUNTED: [&str; 10] = [
    "requirements",
    "requirement",
    "items",
    "tasks",
    "tests",
    "cases",
    "checks",
    "criteria",
    "deliverables",
    "steps",
];

/// The meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// This verdict.
    Verdict(Marker),
    /// A verdict, or the name of a section whose text says which.
    Section(Marker),
    /// Only that the verdict comes next.
    Label,
}

/// A part of every label and of every contrary phrase, and the signs of markers.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "(?i)not|verif|complet|fail|pass|done|reject|partial|final|verdict|status|result|outcome|conclusion|decision\
        |assessment|judg|determination|finding|overall|state|answer|:x:|❌|⚠";
    Regex::new(words).ok()
});

/// Whether a line could be a verdict or a label at all; most are neither. Only
/// for a line that is not below a label.
fn may_say(line: &str) -> bool {
    let has_word = WORDS.as_ref().is_none_or(|words| words.is_match(line));
    has_word || hides_words(line)
}

/// Whether words could come together when signs between letters are taken away.
fn hides_words(line: &str) -> bool {
    let (mut was_letter, mut is_between) = (false, false);
    line.chars().any(|c| {
        if is_sign(c) {
            is_between = was_letter;
            return matches!(c, '~' | '&' | '\u{1B}') || !c.is_ascii() && !is_quote(c);
        }
        let joins = is_between && c.is_alphanumeric();
        (was_letter, is_between) = (c.is_alphanumeric(), false);
        joins
    })
}

/// What a line states about the whole work. `labelled` means that the line
/// before it was a label.
pub(super) fn said(line: &str, labelled: bool) -> Option<Said> {
    if !labelled && !may_say(line) {
        debug_assert_eq!(said_by(line, labelled), None, "{line}");
        return None;
    }
    said_by(line, labelled)
}

fn said_by(line: &str, labelled: bool) -> Option<Said> {
    let line = plain(line);
    let start = undecorated(&line);
    if let Some(said) = of_value(start, labelled) {
        // a heading may be the name of a section that says that there is nothing
        let is_heading = line.trim_start().starts_with('#') && !line.contains(INCOMPLETE);
        return Some(match said {
            Said::Verdict(Marker::Incomplete) if is_heading && !labelled => {
                Said::Section(Marker::Incomplete)
            }
            said => said,
        });
    }
    if is_label(start.trim_end_matches(is_decoration)) {
        return Some(Said::Label);
    }
    if is_denied_subject(start) {
        return Some(Said::Verdict(Marker::Incomplete));
    }
    let (label, value) = behind_label(start)?;
    let is_denied = || has_only_cross(value) || is_strong(label) && denies(value);
    of_value(undecorated(value), true)
        .or_else(|| is_denied().then_some(Said::Verdict(Marker::Incomplete)))
}

/// `The work is INCOMPLETE.`, `This task is not complete`, `Verified: no`
fn is_denied_subject(start: &str) -> bool {
    if let Some((label, value)) = start.split_once([':', '：', '?']) {
        let label = label.trim_end_matches(is_decoration);
        if QUESTIONS.iter().any(|it| label.eq_ignore_ascii_case(it)) {
            let value = undecorated(value);
            return ["no", "false"].iter().any(|no| {
                strip_word(value, no)
                    .is_some_and(|rest| !rest.trim_start().starts_with(char::is_alphanumeric))
            });
        }
    }
    let subject = ["the", "this"].iter().find_map(|it| strip_word(start, it));
    let subject = subject.map(str::trim_start);
    let predicate = subject.and_then(|it| SUBJECTS.iter().find_map(|word| strip_word(it, word)));
    let predicate = predicate.map(str::trim_start);
    let value = predicate.and_then(|it| {
        let verbs = ["is", "remains", "has"];
        verbs.iter().find_map(|verb| strip_word(it, verb))
    });
    let (Some(value), true) = (value, start.len() < 100) else {
        return false;
    };
    let value = without_fillers(undecorated(value));
    phrase(value, false).is_some_and(|(_, rest)| {
        let rest = rest.trim_start();
        !rest.starts_with(char::is_alphanumeric) || strip_word(rest, "because").is_some()
    })
}

fn is_strong(label: &str) -> bool {
    let mut words = label.split(|c: char| !c.is_alphanumeric());
    words.any(|word| STRONG.iter().any(|it| word.eq_ignore_ascii_case(it)))
}

fn has_only_cross(value: &str) -> bool {
    let value = value.trim_matches(|c: char| is_end(c) || c == '\u{FE0F}');
    value.starts_with(CROSSES) && undecorated(value).is_empty()
}

/// A contrary verdict in a code span or quotation that is the whole line, or
/// the whole value behind a label.
pub(super) fn said_in_quotes(line: &str, labelled: bool) -> Option<Marker> {
    if !labelled && !may_say(line) {
        debug_assert_eq!(quoted_by(line, labelled), None, "{line}");
        return None;
    }
    quoted_by(line, labelled)
}

fn quoted_by(line: &str, labelled: bool) -> Option<Marker> {
    let plain = plain(line);
    let text = unquoted(&plain)?;
    let start = undecorated(&text);
    let value = behind_label(start);
    let is_labelled = labelled || value.is_some();
    let value = undecorated(value.map_or(start, |(_, value)| value));
    let value = value.trim_start_matches(['❌', ' ']);
    let (_, rest) = phrase(value, is_labelled)?;
    let is_whole = rest.trim_matches(is_end).is_empty();
    is_whole.then_some(Marker::Incomplete)
}

/// Whether a line is a contrary verdict in any context.
/// Words that test programs print do not count.
pub(super) fn is_contrary_anywhere(line: &str) -> bool {
    const SHORTEST: usize = "incomplete".len();
    if line.len() < SHORTEST {
        return false;
    }
    let plain = plain(line.trim_start().trim_start_matches('>'));
    let text = unquoted(&plain);
    let start = undecorated(text.as_deref().unwrap_or(&plain));
    let value = behind_label(start).map_or(start, |(_, value)| undecorated(value));
    let value = value.trim_start_matches(['❌', ' ']);
    phrase(value, false).is_some_and(|(word, rest)| {
        !matches!(word, "fail" | "failed" | "unverified")
            && rest.trim_matches(is_end).is_empty()
            && (word != "incomplete" || is_shouted(value, word))
    })
}

fn is_end(c: char) -> bool {
    is_decoration(c) || matches!(c, '.' | '!' | ':' | '#' | '|' | ')' | ']')
}

/// Whether a heading or label is about something earlier.
pub(super) fn is_about_before(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| BEFORE.iter().any(|it| word.eq_ignore_ascii_case(it)))
}

/// `None`, `- nothing.`, `No failures`
pub(super) fn says_nothing(text: &str) -> bool {
    let text = undecorated(text);
    means_none(text) || is_none_alone(text) || lacks_faults(text)
}

/// `none`, `Nothing.`, `N/A, see above`, but not `None of them`.
fn is_none_alone(text: &str) -> bool {
    ["none", "nothing", "n/a"].iter().any(|word| {
        let rest = strip_word(text, word).map(|rest| rest.trim_start_matches(is_decoration));
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// `0` as a whole count, but not `0 of 3` or `0.5`.
fn is_zero_alone(text: &str) -> bool {
    let rest = undecorated(text).strip_prefix('0').map(str::trim_start);
    rest.is_some_and(|rest| {
        let after = rest.trim_start_matches(['.', ',', ';', '|', ')', '/']);
        rest.is_empty()
            || after.len() < rest.len() && !after.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// `No failing tests`
fn lacks_faults(text: &str) -> bool {
    let rest = strip_word(text, "no").map(str::trim_start);
    let rest = rest.and_then(|rest| FAULTS.iter().find_map(|word| strip_word(rest, word)));
    rest.is_some_and(|rest| {
        let rest = rest.trim_matches(is_end);
        rest.is_empty()
            || FAULT_ENDS
                .iter()
                .any(|word| strip_word(rest, word).is_some())
    })
}

/// `FAIL → PASS`, `❌ x → rejected, as required`, `❌ (fixed)`
fn is_settled(line: &str) -> bool {
    let lower = line.to_lowercase();
    let lower = lower.trim_end_matches(is_decoration);
    let mut targets = ["→", "->", "=>"]
        .iter()
        .filter_map(|arrow| Some(undecorated(lower.split_once(arrow)?.1)));
    let is_good = |target: &str| {
        let words = ["pass", "passed", "fixed", "resolved"];
        target.starts_with('✅')
            || words.iter().any(|word| strip_word(target, word).is_some())
            || ON_PURPOSE.iter().any(|words| target.contains(words))
    };
    lower.ends_with("(fixed)") || lower.ends_with("(resolved)") || targets.any(is_good)
}

fn of_value(value: &str, labelled: bool) -> Option<Said> {
    if let Some(rest) = value.strip_prefix('❌') {
        let rest = undecorated(rest.trim_start_matches('\u{FE0F}'));
        let is_section = ["incomplete requirements", "requirements not met"]
            .iter()
            .any(|name| strip_prefix_any_case(rest, name).is_some());
        let behind = rest.split_once(':').map_or("", |(_, behind)| behind);
        let is_nothing = is_section
            || [rest, behind]
                .iter()
                .any(|text| is_zero_alone(text) || says_nothing(text))
            || strip_prefix_any_case(rest, "not applicable").is_some()
            || !labelled && is_settled(value);
        return (!is_nothing).then_some(Said::Verdict(Marker::Incomplete));
    }
    if let Some(marker) = leading_marker(value) {
        return is_alone(value, marker, labelled).then_some(Said::Verdict(marker));
    }
    let value = undecorated(value.trim_start_matches('⚠'));
    if labelled {
        return contrary(without_fillers(value), true);
    }
    contrary(value, false)
}

/// A pass or review marker is a verdict behind a label, or alone on its line.
fn is_alone(value: &str, marker: Marker, labelled: bool) -> bool {
    let bare = value.trim_end_matches(|c: char| is_decoration(c) || matches!(c, '.' | '!'));
    let is_whole = match marker {
        Marker::Verified => bare.ends_with("VERIFIED") || bare.ends_with("VERIFIED COMPLETE"),
        Marker::NeedsReview => bare.ends_with("NEEDS REVIEW"),
        Marker::Incomplete => true,
    };
    labelled || (is_whole && bare.chars().count() < 24)
}

fn contrary(value: &str, labelled: bool) -> Option<Said> {
    let (word, rest) = phrase(value, labelled)?;
    let is_compound = rest
        .strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    let is_subject = PREDICATES
        .iter()
        .any(|it| strip_word(rest.trim_start(), it).is_some());
    let is_sentence =
        CONTRARY_VALUES.contains(&word) && rest.trim_start().starts_with(char::is_alphanumeric);
    let is_honest = is_subject || is_sentence || counts_nothing(rest);
    if is_compound || is_honest || !labelled && is_settled(value) {
        return None;
    }
    let verdict = Said::Verdict(Marker::Incomplete);
    let bare = rest.trim_matches(|c: char| is_decoration(c) || matches!(c, '.' | '!' | ':' | '#'));
    let is_one_word = !word.contains(' ');
    if bare.is_empty() {
        let is_section = is_one_word && !labelled;
        return Some(if is_section {
            Said::Section(Marker::Incomplete)
        } else {
            verdict
        });
    }
    if labelled {
        return Some(verdict);
    }
    let names_section = is_one_word
        && COUNTED
            .iter()
            .any(|it| strip_word(rest.trim_start(), it).is_some());
    (is_shouted(value, word) && !names_section).then_some(verdict)
}

fn is_shouted(value: &str, word: &str) -> bool {
    value
        .get(..word.len())
        .is_some_and(|said| !said.contains(|c: char| c.is_ascii_lowercase()))
}

/// The contrary words at the beginning, and what follows them.
fn phrase(value: &str, labelled: bool) -> Option<(&'static str, &str)> {
    let more = CONTRARY_VALUES.iter().filter(|_| labelled);
    let mut words = more.chain(&CONTRARY);
    words.find_map(|words| Some((*words, strip_said(value, words)?)))
}

/// What follows whole words; `_` and `-` can join them.
fn strip_said<'l>(text: &'l str, words: &str) -> Option<&'l str> {
    let (head, rest) = text.split_at_checked(words.len())?;
    let is_same = head.bytes().zip(words.bytes()).all(|(said, word)| {
        said.eq_ignore_ascii_case(&word) || word == b' ' && matches!(said, b'_' | b'-')
    });
    let behind = rest.trim_start_matches('_');
    (is_same && !behind.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// `: 0`, ` 0 of 3`, `: none`
fn counts_nothing(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| {
        is_decoration(c) || matches!(c, ':' | '：' | '=' | '-' | '–' | '—' | '(' | '|')
    });
    let rest = COUNTED
        .iter()
        .find_map(|it| strip_word(rest, it))
        .unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| is_decoration(c) || matches!(c, ':' | '=' | '|'));
    let is_part = |rest: &str| {
        rest.strip_prefix(['.', ','])
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    strip_word(rest, "0").is_some_and(|rest| !is_part(rest)) || is_none_alone(rest)
}

fn without_fillers(mut value: &str) -> &str {
    for _ in 0..5 {
        let Some(rest) = FILLERS.iter().find_map(|word| strip_word(value, word)) else {
            break;
        };
        value = undecorated(rest);
    }
    value
}

/// A label, and the text behind it.
fn behind_label(line: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 60;
    const IS: &[u8] = b" is ";
    let label_at = |at: usize| {
        let label = line.get(..at)?.trim_end_matches(is_decoration);
        is_label(label).then_some(label)
    };
    let mut signs = line
        .char_indices()
        .take(LONGEST)
        .filter(|(_, c)| matches!(c, ':' | '：' | '=' | '–' | '—' | '-' | '→' | '|' | ';'));
    let by_sign = signs.find_map(|(at, c)| Some((label_at(at)?, line.get(at + c.len_utf8()..)?)));
    let by_verb = || {
        let mut places = line.as_bytes().windows(IS.len()).take(LONGEST);
        let at = places.position(|it| it.eq_ignore_ascii_case(IS))?;
        Some((label_at(at)?, line.get(at + IS.len()..)?))
    };
    // `Verdict INCOMPLETE`
    let by_capitals = || {
        let mut blanks = line.char_indices().take(LONGEST).filter(|(_, c)| *c == ' ');
        blanks.find_map(|(at, _)| {
            let label = label_at(at).filter(|label| is_strong(label))?;
            let value = undecorated(line.get(at..)?);
            let (word, _) = phrase(value, false)?;
            is_shouted(value, word).then_some((label, value))
        })
    };
    by_sign.or_else(by_verb).or_else(by_capitals)
}

/// `Verdict`, `Final Status`, `The overall result`
pub(super) fn is_label(text: &str) -> bool {
    const MOST_WORDS: usize = 5;
    const LONGEST: usize = 60;
    let text = text.trim_end_matches([':', '：', '#', ' ', '*', '_']);
    // `Verdict (final)`
    let text = text
        .strip_suffix([')', ']'])
        .and_then(|text| Some(text.rsplit_once(['(', '['])?.0.trim_end()))
        .unwrap_or(text);
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let last = last.trim_start_matches(['*', '_']);
    text.len() <= LONGEST
        && LABELS.iter().any(|label| last.eq_ignore_ascii_case(label))
        && text.split_whitespace().count() <= MOST_WORDS
        && !is_about_before(text)
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '~')
}

/// Without the text before the first word: list signs, emphasis, heading marks,
/// tags, emojis other than those of markers.
fn undecorated(line: &str) -> &str {
    let mut rest = line;
    loop {
        let before = rest;
        rest = rest.trim_start_matches(|c: char| {
            is_decoration(c)
                || matches!(
                    c,
                    '#' | '+' | '-' | '•' | '|' | '>' | '→' | '–' | '—' | ':' | '('
                )
                || is_picture(c)
        });
        rest = without_number(rest);
        for sign in ["[ ]", "[x]", "[X]", "["] {
            rest = rest.strip_prefix(sign).unwrap_or(rest);
        }
        if let Some((tag, behind)) = rest.strip_prefix('<').and_then(|it| it.split_once('>'))
            && tag.len() < 40
        {
            rest = behind;
        }
        if rest.len() == before.len() {
            return rest;
        }
    }
}

/// Without `1.` or `2)`.
pub(super) fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() || text.len() - rest.len() > 9 {
        return text;
    }
    rest.strip_prefix(['.', ')'])
        .filter(|rest| rest.starts_with(char::is_whitespace))
        .unwrap_or(text)
}

/// An emoji or sign without a meaning here.
pub(super) fn is_picture(c: char) -> bool {
    !c.is_alphanumeric()
        && !matches!(c, '✅' | '❌' | '⚠')
        && matches!(u32::from(c), 0x2190..=0x2BFF | 0xFE0F | 0x200D | 0x1F000..=0x1FAFF)
}

#[cfg(test)]
mod tests;
