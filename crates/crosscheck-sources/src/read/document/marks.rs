//! The numbers by which a text points to its list of sources.
//!
//! `[1]`, `[1, 3-5]`, `\[1\]`, `【1】`, `【1†source】`, raised `¹`, `^1^`, and the bare
//! number that office programs leave behind a full stop (`streets.1 Oaks`).

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::markup::is_exponent;

/// A range in a mark counts so many sources at most.
const RANGE_MAX: usize = 100;

static BRACKETED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let part = r"sec(?:tions?|ts?)?|§+|pp?|pages?|ch(?:ap(?:ters?)?)?|figs?|figures?|tab(?:les?)?|eqs?|eqn|th(?:m|eorem)|lemma|prop(?:osition)?|def(?:inition)?|cor(?:ollary)?|app(?:endix)?|alg(?:orithm)?|vol|art|lines?|para|ex(?:ample)?|part";
    Regex::new(&format!(
        r"\\?\[\^?(\d{{1,3}}(?:\s*[,;–-]\s*\^?\d{{1,3}})*)(?:†[^\]\n]{{0,80}}|,\s*(?i:{part})\.?\s?[\dA-Z][^\[\]\n]{{0,40}})?\\?\]"
    ))
    .ok()
});
static LENTICULAR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"【(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)?[^】\n]{0,80}】").ok());
static RAISED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[,˒‚⁻][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})*").ok());
static CARET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\^(?:\(|\{)?(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)(?:\)|\})?\^?").ok()
});
/// A number glued to the end of a sentence, or to a comma inside one.
static GLUED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:[\p{L}%)\]][.!?]["”’»)]?|\p{L}["”»)][.!?]?|\p{L}\p{L},|\d{4}\.["”»)]?)(\d{1,3}(?:[,–-] ?\d{1,3})*)(?:\s|$)"#).ok()
});
/// What chat products leave behind where a source was shown.
static EMPTY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("\u{e200}[^\u{e201}\\n]{0,200}\u{e201}").ok());

/// A mark in the text.
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    /// The sources it points to; empty where only a product knows them.
    pub(super) numbers: Vec<usize>,
    /// It counts only where a list has an entry with its number.
    pub(super) is_faint: bool,
}

/// The marks of a text, in no order. Of two that overlap the first kind counts.
pub(super) fn find(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    bracketed(text, &mut found);
    of(&LENTICULAR, text, |_, inner| {
        Some(inner.map(numbers).unwrap_or_default())
    })
    .for_each(|(range, numbers)| {
        found.push(Mark {
            range,
            numbers,
            is_faint: false,
        });
    });
    of(&EMPTY, text, |_, _| Some(Vec::new())).for_each(|(range, numbers)| {
        found.push(Mark {
            range,
            numbers,
            is_faint: false,
        });
    });
    faint(text, &mut found);
    found
}

/// Matches of a pattern with the numbers a function reads in them.
fn of<'t>(
    pattern: &'static LazyLock<Option<Regex>>,
    text: &'t str,
    read: impl Fn(Range<usize>, Option<&'t str>) -> Option<Vec<usize>> + 't,
) -> impl Iterator<Item = (Range<usize>, Vec<usize>)> + 't {
    let all = pattern.as_ref().into_iter();
    all.flat_map(move |pattern| pattern.captures_iter(text))
        .filter_map(move |mark| {
            let whole = mark.get(0)?.range();
            let inner = mark.get(1).map(|inner| inner.as_str());
            Some((whole.clone(), read(whole, inner)?))
        })
}

fn bracketed(text: &str, found: &mut Vec<Mark>) {
    let is_mark = |range: Range<usize>, inner: Option<&str>| {
        let after = text.get(range.end..).unwrap_or_default();
        // a link or a definition
        let is_other =
            after.starts_with('(') || (after.starts_with(':') && begins_line(text, range.start));
        (!is_other).then(|| inner.map(numbers).unwrap_or_default())
    };
    for (range, numbers) in of(&BRACKETED, text, is_mark) {
        // `[3]–[5]` points to all from the third to the fifth
        let before = found.last_mut().filter(|last| {
            let between = text.get(last.range.end..range.start).unwrap_or_default();
            matches!(between.trim(), "–" | "-" | "—" | "\u{2010}" | "\u{2011}")
        });
        let ends = before.and_then(|last| {
            let (from, to) = (*last.numbers.last()?, *numbers.first()?);
            (from < to && to - from <= RANGE_MAX).then_some((last, from))
        });
        if let Some((last, from)) = ends {
            last.numbers
                .extend(from + 1..*numbers.first().unwrap_or(&from));
            last.numbers.extend(numbers);
            last.range.end = range.end;
        } else {
            found.push(Mark {
                range,
                numbers,
                is_faint: false,
            });
        }
    }
}

/// Marks that look like something else as well: an exponent, a figure.
fn faint(text: &str, found: &mut Vec<Mark>) {
    let mut add = |range: Range<usize>, numbers: Vec<usize>| {
        if !numbers.is_empty() {
            found.push(Mark {
                range,
                numbers,
                is_faint: true,
            });
        }
    };
    if text.contains(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c)) {
        for (range, _) in of(&RAISED, text, |_, _| Some(Vec::new())) {
            let plain = lowered(text.get(range.clone()).unwrap_or_default());
            if is_free(text, range.start, &plain) {
                add(range, numbers(&plain));
            }
        }
    }
    if text.contains('^') {
        for (range, numbers) in of(&CARET, text, |_, inner| inner.map(numbers)) {
            let plain = text.get(range.start + 1..range.end).unwrap_or_default();
            let is_note = text
                .get(..range.start)
                .is_some_and(|head| head.ends_with('['));
            if !is_note && is_free(text, range.start, plain) {
                add(range, numbers);
            }
        }
    }
    let Some(pattern) = GLUED.as_ref() else {
        return;
    };
    for mark in pattern.captures_iter(text) {
        if let Some(inner) = mark.get(1)
            && is_end_of_sentence(text, &inner.range())
        {
            add(inner.range(), numbers(inner.as_str()));
        }
    }
}

/// Whether a raised number stands behind a word or a full stop, and is no exponent of it.
fn is_free(text: &str, at: usize, number: &str) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let mut before = head.chars().rev();
    let letters = before.by_ref().take_while(|c| c.is_alphabetic()).count();
    let is_mark = match head.chars().next_back() {
        Some(c) if c.is_alphabetic() => letters >= 2,
        Some(c) => {
            !c.is_numeric() && !c.is_whitespace() && !matches!(c, '+' | '-' | '*' | '/' | '=' | '^')
        }
        None => false,
    };
    is_mark && !is_exponent(text, at, number)
}

/// Whether a number glued to punctuation ends there: `spring.1 Next`, not `No.1 choice` or `v.2 is`.
fn is_end_of_sentence(text: &str, number: &Range<usize>) -> bool {
    const SHORT: [&str; 14] = [
        "no", "nr", "v", "vol", "p", "pp", "fig", "sec", "ch", "art", "ver", "eq", "tab", "st",
    ];
    let head = text.get(..number.start).unwrap_or_default();
    let is_comma = head.ends_with(',');
    let words = head.trim_end_matches(['.', ',', '!', '?', '"', '”', '’', '»', ')', '%', ']']);
    let length: usize = words
        .chars()
        .rev()
        .take(20)
        .take_while(|c| c.is_alphanumeric())
        .map(char::len_utf8)
        .sum();
    let word = words.get(words.len() - length..).unwrap_or_default();
    let after = text
        .get(number.end..)
        .unwrap_or_default()
        .trim_start_matches([' ', '\t']);
    let next = after.chars().next();
    // behind a comma the sentence goes on, behind a full stop another one begins
    let goes_on = match next {
        None => true,
        Some(c) if is_comma => c.is_lowercase(),
        Some(c) => !c.is_lowercase() && !c.is_numeric() && c != '%',
    };
    goes_on && !SHORT.contains(&word.to_lowercase().as_str())
}

fn begins_line(text: &str, at: usize) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let head = head.trim_end_matches([' ', '\t']);
    head.is_empty() || head.ends_with('\n')
}

fn lowered(raised: &str) -> String {
    const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let digit = |c: char| {
        let place = DIGITS.chars().position(|digit| digit == c);
        place.and_then(|place| char::from_digit(u32::try_from(place).ok()?, 10))
    };
    let plain = raised.chars().map(|c| match c {
        '⁻' => '-',
        _ => digit(c).unwrap_or(','),
    });
    plain.collect()
}

/// The numbers of `1, 3-5`; none where the text is anything else.
pub(super) fn numbers(inner: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    let inner = inner.trim_matches(['[', ']', ' ', '(', ')', '\\']);
    for part in inner.split([',', ';']) {
        let mut ends = part.split(['-', '–']).map(|end| {
            let digits = end.trim().trim_start_matches('^');
            digits.parse::<usize>().ok().filter(|_| digits.len() <= 3)
        });
        let Some(first) = ends.next().flatten() else {
            return Vec::new();
        };
        let last = match ends.next() {
            None => first,
            Some(Some(last)) => last.min(first + RANGE_MAX),
            Some(None) => return Vec::new(),
        };
        numbers.extend(first..=last.max(first));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(&str, Vec<usize>)> {
        let mut found = find(text);
        found.sort_by_key(|mark| mark.range.start);
        let mark = |mark: Mark| Some((text.get(mark.range)?, mark.numbers));
        found.into_iter().filter_map(mark).collect()
    }

    #[test]
    fn marks_of_every_spelling_are_found() {
        for (text, mark, numbers) in [
            ("Trees cool [1].", "[1]", vec![1]),
            ("Trees cool [1, 3–5].", "[1, 3–5]", vec![1, 3, 4, 5]),
            ("Trees cool [3]–[5].", "[3]–[5]", vec![3, 4, 5]),
            ("Trees cool [3] - [5].", "[3] - [5]", vec![3, 4, 5]),
            ("Trees cool [6, Sec. 2].", "[6, Sec. 2]", vec![6]),
            ("Trees cool [6, pp. 12–15].", "[6, pp. 12–15]", vec![6]),
            ("Trees cool [6, §4].", "[6, §4]", vec![6]),
            (r"Trees cool \[12\].", r"\[12\]", vec![12]),
            ("Trees cool【2】.", "【2】", vec![2]),
            ("Trees cool【3†source】.", "【3†source】", vec![3]),
            ("Trees cool【turn0search1】.", "【turn0search1】", vec![]),
            ("Trees cool.³ Oaks", "³", vec![3]),
            ("Trees cool.¹² Oaks", "¹²", vec![12]),
            ("Trees cool¹,² and", "¹,²", vec![1, 2]),
            ("Trees cool.^4 Oaks", "^4", vec![4]),
            ("Trees cool^4^ and", "^4^", vec![4]),
            ("Trees cool in spring.5 Oaks", "5", vec![5]),
            ("Trees cool in spring.5,6 Oaks", "5,6", vec![5, 6]),
            ("Trees cool “in spring.”7 Oaks", "7", vec![7]),
            ("Trees cool in spring.8\n", "8", vec![8]),
            ("Trees, it says,9 cool", "9", vec![9]),
        ] {
            assert_eq!(seen(text), [(mark, numbers)], "{text}");
        }
    }

    #[test]
    fn exponents_figures_and_short_words_are_no_marks() {
        for text in [
            "It covers 5 km² of land.",
            "It holds 10⁶ trees and x² of them.",
            "About 10^6 trees.",
            "The x^2 of it.",
            "Version 3.1 is out.",
            "It has 4.5 Metres.",
            "See No.1 Street and v.2 Beta.",
            "In spring.1st of May",
            "A[1](https://a.example/x)",
            "[1]: https://a.example/x",
        ] {
            assert_eq!(seen(text), [], "{text}");
        }
    }
}
