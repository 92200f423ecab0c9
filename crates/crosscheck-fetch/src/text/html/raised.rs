//! Raised marks of notes: they are not words of the page, and joined to a
//! figure they would change it. Exponents stay.

use super::{Names, names};

/// A longer text is raised for another reason.
const LABEL_MAX: usize = 24;
/// At most this many characters of a word are examined.
const WORD_MAX: usize = 64;
/// Units that are squared and cubed.
static RAISED_WORDS: Names = Names::new(|| names("raised"));

/// Whether a class or role says that an element is the mark of a note.
pub(super) fn names_a_note(value: &[u8]) -> bool {
    let value = String::from_utf8_lossy(value).to_ascii_lowercase();
    value.split_ascii_whitespace().any(|word| {
        ["reference", "footnote", "endnote", "noteref", "citation"]
            .iter()
            .any(|name| word.contains(name))
            || matches!(word, "fn" | "fnref" | "ref" | "cite")
    })
}

/// Whether a raised text is the mark of a note. `before` is the text in front
/// of it; `told` means that its markup declares it as one.
pub(super) fn is_mark(raised: &str, before: &str, declared: bool) -> bool {
    let raised = raised.trim();
    let inner = raised
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let label = inner.unwrap_or(raised).trim();
    if label.is_empty() || label.chars().count() > LABEL_MAX || label.contains('\n') {
        return false;
    }
    match (is_number(label), inner.is_some()) {
        (true, true) => true,
        (true, false) => declared || carries_notes(before),
        (false, true) => declared || is_letter(label),
        (false, false) => declared && is_letter(label),
    }
}

/// `3`, `3,4`, `3-5`.
fn is_number(label: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | ';' | '-' | '–' | ' ');
    label.starts_with(|c: char| c.is_ascii_digit())
        && label.ends_with(|c: char| c.is_ascii_digit())
        && label.chars().all(is_part)
        && label
            .split(|c: char| !c.is_ascii_digit())
            .all(|number| number.len() <= 3)
}

fn is_letter(label: &str) -> bool {
    let is_sign =
        |c: char| c.is_ascii_lowercase() || matches!(c, '*' | '†' | '‡' | '§' | '¶' | '#');
    let mut chars = label.chars();
    chars.next().is_some_and(is_sign) && chars.next().is_none()
}

/// Whether a number raised behind this text can only be the mark of a note.
/// `10` and `km` are raised to a power; `41,000`, `2024` and `trees` are not.
fn carries_notes(before: &str) -> bool {
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    if matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '”' | '%') {
        return true;
    }
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, ',' | '.');
    let own = before.chars().rev().take(WORD_MAX).take_while(is_part);
    let length: usize = own.map(char::len_utf8).sum();
    let word = before.get(before.len() - length..).unwrap_or_default();
    if last.is_ascii_digit() {
        return is_grouped(word) || is_year(word);
    }
    let word = word.rsplit([',', '.']).next().unwrap_or_default();
    word.chars().count() > 3
        && word.chars().all(char::is_alphabetic)
        && !RAISED_WORDS.contains(word.to_lowercase().as_bytes())
}

/// A figure with separated thousands.
fn is_grouped(figure: &str) -> bool {
    let whole = figure.split_once('.').map_or(figure, |(whole, _)| whole);
    let mut groups = whole.split(',');
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    (1..=3).contains(&first.len())
        && is_digits(first)
        && !rest.is_empty()
        && rest
            .iter()
            .all(|group| group.len() == 3 && is_digits(group))
}

/// A plausible year; larger numbers such as 2048 are raised to powers.
fn is_year(figure: &str) -> bool {
    let year = figure.parse::<u16>();
    figure.len() == 4 && year.is_ok_and(|year| (1900..2040).contains(&year))
}
