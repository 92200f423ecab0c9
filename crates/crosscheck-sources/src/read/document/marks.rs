//! The numbers by which a text points to its list of sources.
//!
//! `[1]`, `[1, 3-5]`, `\[1\]`, `【1】`, `【1†source】`, raised `¹`, `^1^`, and the bare
//! number that office programs leave behind a full stop (`streets.1 Oaks`).

use std::ops::Range;

use crate::lists::list;
use crate::pattern::{Pattern, pattern};

list! {
    SHORT, "shortened"
}

list! {
    OTHERS, "no_marks"
}

/// A range in a mark counts so many sources at most.
const RANGE_MAX: usize = 100;

/// `1, 3-5`
const NUMBERS: &str = r"[0-9]{1,3}(?:\s*[,;–-]\s*\^?[0-9]{1,3})*";
/// A longer list of numbers is data, not marks.
const LIST_MAX: usize = 100;

pattern! {
    /// `[1, 3-5]`, `\[1\]`, `[^1^]`, `[1†source]` and `[6, Sec. 2]`; `[S1, S2]`, `[source 1]` and `[#1]`,
    /// which count only with an entry.
    BRACKETED,
    {
        let part = "sec(?:tions?|ts?)?|§+|pp?|pages?|ch(?:ap(?:ters?)?)?|figs?|figures?|tab(?:les?)?|eqs?|eqn|th(?:m|eorem)|lemma|prop(?:osition)?|def(?:inition)?|cor(?:ollary)?|app(?:endix)?|alg(?:orithm)?|vol|art|lines?|para|ex(?:ample)?|part";
        let own = r"#?[A-Z]?[0-9]{1,3}";
        format!(
            r"\\?\[(?:\^?{NUMBERS}\^?(?:†[^\]\n]{{0,80}}|,\s*(?i:{part})\.?\s?[0-9A-Z][^\[\]\n]{{0,40}})?|(?i:sources?|references?|refs?\.?)?\s*{own}(?:\s*[,;]\s*{own})*)\\?\]"
        )
    }
}
pattern! {
    /// `(1)`, `(1,2)` and what may follow them.
    ROUND, format!(r"\(({NUMBERS})\)(?:[.,;:\s]|$)")
}
pattern! {
    /// A number behind the end of a sentence or a comma.
    GLUED, format!(r#"(?:[.!?"),]|[^\x00-\x7F])({NUMBERS})(?:\s|$)"#)
}
pattern! {
    /// A word and a comma; a word or a year that ends a sentence or a quotation: `trees.`, `“trees.”`,
    /// `“trees”.`, `2019.`
    ENDED, r#"(?:\p{L}{2},|[\p{L}%)\]][.!?]["”»)’]?|\p{L}["”»)][.!?]?|[0-9]{4}\.["”»)]?)$"#
}
pattern! {
    LENTICULAR, r"【([0-9]{1,3}(?:\s*[,;–-]\s*[0-9]{1,3})*)?[^】\n]{0,80}】"
}
pattern! {
    /// The brackets of wide scripts.
    WIDE, r"［([0-9]{1,3}(?:\s*[,，;–-]\s*[0-9]{1,3})*)］"
}
pattern! {
    RAISED, r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[,˒‚⁻][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})*"
}
pattern! {
    CARET, r"\^(?:\(|\{)?([0-9]{1,3}(?:\s?[,;–-]\s?[0-9]{1,3})*)(?:\)|\})?\^?"
}
pattern! {
    REFERENCE, r":contentReference\[[^\]\n]*\](?:\{[^}\n]*\})?"
}
pattern! {
    /// What chat products leave behind where a source was shown.
    EMPTY, "\u{e200}[^\u{e201}\\n]{0,200}\u{e201}"
}

/// A mark in the text.
#[derive(Debug, Clone)]
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
    let mut add = |(range, numbers)| {
        found.push(Mark {
            range,
            numbers,
            is_faint: false,
        });
    };
    if text.contains('【') {
        let read = |inner: Option<&str>| inner.map(numbers).unwrap_or_default();
        of(&LENTICULAR, text, |inner| Some(read(inner))).for_each(&mut add);
    }
    if text.contains('［') {
        let read = |inner: Option<&str>| inner.map(|inner| numbers(&inner.replace('，', ",")));
        of(&WIDE, text, read).for_each(&mut add);
    }
    if text.contains(":contentReference[") {
        of(&REFERENCE, text, |_| Some(Vec::new())).for_each(&mut add);
    }
    if text.contains('\u{e200}') {
        of(&EMPTY, text, |_| Some(Vec::new())).for_each(&mut add);
    }
    faint(text, &mut found);
    for mark in &mut found {
        mark.range = framed(text, &mark.range);
    }
    found
}

/// A mark with the frame around it: `[[1]]`, `^[1]^`, `⁽¹⁾`.
fn framed(text: &str, mark: &Range<usize>) -> Range<usize> {
    const FRAMES: [(char, char); 3] = [('[', ']'), ('^', '^'), ('⁽', '⁾')];
    let around = |(open, close): &(char, char)| {
        let head = text.get(..mark.start)?.strip_suffix(*open)?;
        let tail = text.get(mark.end..)?.strip_prefix(*close)?;
        Some(head.len()..text.len() - tail.len())
    };
    let framed = FRAMES.iter().find_map(around);
    framed.unwrap_or_else(|| mark.clone())
}

/// A unit is not longer than this, in characters.
const UNIT_MAX: usize = 16;

/// Whether a raised number belongs to what comes before it: `10<sup>6</sup>`, `km<sup>2</sup>`.
pub(super) fn is_exponent(text: &str, at: usize, number: &str) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let word = head
        .chars()
        .rev()
        .take(UNIT_MAX)
        .take_while(|c| c.is_alphanumeric());
    let length: usize = word.map(char::len_utf8).sum();
    let before = head.get(at - length..).unwrap_or_default();
    let unit = before.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = matches!(unit, "m" | "cm" | "mm" | "km" | "ft" | "in" | "mi" | "s");
    before == "10" || (is_unit && matches!(number, "2" | "3"))
}

/// Matches of a pattern with the numbers a function reads in them.
fn of<'t>(
    pattern: &'static Pattern,
    text: &'t str,
    read: impl Fn(Option<&'t str>) -> Option<Vec<usize>> + 't,
) -> impl Iterator<Item = (Range<usize>, Vec<usize>)> + 't {
    pattern.captures_iter(text).filter_map(move |mark| {
        let whole = mark.get(0)?.range();
        let inner = mark.get(1).map(|inner| inner.as_str());
        Some((whole, read(inner)?))
    })
}

fn bracketed(text: &str, found: &mut Vec<Mark>) {
    if !text.contains('[') {
        return;
    }
    for form in BRACKETED.find_iter(text) {
        let range = form.range();
        let after = text.get(range.end..).unwrap_or_default();
        // a link or a definition
        let is_other =
            after.starts_with('(') || (after.starts_with(':') && begins_line(text, range.start));
        let inner = form.as_str().trim_matches(['\\', '[', ']', '^']);
        if is_other || inner.split([',', ';']).count() > LIST_MAX {
            continue;
        }
        let is_faint = !inner.starts_with(|c: char| c.is_ascii_digit());
        let numbers = if is_faint {
            let last = |one: &str| number(one.rsplit([' ', '#', '.']).next()?);
            inner
                .split([',', ';'])
                .filter_map(|one| last(one.trim()))
                .collect()
        } else {
            let is_of_list =
                |c: char| c.is_ascii_digit() || c.is_whitespace() || ",;–-^".contains(c);
            let end = inner.find(|c| !is_of_list(c)).unwrap_or(inner.len());
            let list = inner.get(..end).unwrap_or(inner);
            numbers(list.trim_end_matches([',', ';', ' ', '^']))
        };
        // `[3]–[5]` points to all from the third to the fifth
        let before = found.last_mut().filter(|last| {
            let between = text.get(last.range.end..range.start).unwrap_or_default();
            let is_dash = matches!(between.trim(), "–" | "-" | "—" | "\u{2010}" | "\u{2011}");
            !last.is_faint && !is_faint && is_dash
        });
        let ends = before.and_then(|last| {
            let (from, to) = (*last.numbers.last()?, *numbers.first()?);
            (from < to && to - from <= RANGE_MAX).then_some((last, from + 1..to))
        });
        if let Some((last, between)) = ends {
            last.numbers.extend(between);
            last.numbers.extend(numbers);
            last.range.end = range.end;
        } else {
            found.push(Mark {
                range,
                numbers,
                is_faint,
            });
        }
    }
}

/// `(1)`, `(1,2)` behind a word, as medical journals write them. They look like
/// the numbers of a list in a sentence, so they count only with an entry.
pub(super) fn in_round_brackets(text: &str) -> Vec<Mark> {
    if !text.contains('(') {
        return Vec::new();
    }
    let marks = ROUND.captures_iter(text).filter_map(|form| {
        let list = form.get(1)?;
        let open = list.start() - 1;
        let head = text.get(..open)?.trim_end_matches([' ', '.']);
        let is_behind =
            head.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '%' | '"' | '”'));
        let word = head.rsplit(|c: char| !c.is_alphanumeric()).next();
        let is_other = OTHERS.contains(word?.to_ascii_lowercase().as_str());
        (is_behind && open - head.len() <= 2 && !is_other).then(|| Mark {
            range: open..list.end() + 1,
            numbers: numbers(list.as_str()),
            is_faint: true,
        })
    });
    marks.collect()
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
        for (range, _) in of(&RAISED, text, |_| Some(Vec::new())) {
            let plain = lowered(text.get(range.clone()).unwrap_or_default());
            if is_free(text, range.start, &plain) {
                add(range, numbers(&plain));
            }
        }
    }
    if text.contains('^') {
        for (range, numbers) in of(&CARET, text, |inner| inner.map(numbers)) {
            let plain = text.get(range.start + 1..range.end).unwrap_or_default();
            let is_note = text
                .get(..range.start)
                .is_some_and(|head| head.ends_with('['));
            // behind a year it is a mark, `10^6^` is a power
            let head = text.get(..range.start).unwrap_or_default();
            let digits = head.bytes().rev().take_while(u8::is_ascii_digit).count();
            let is_raised = plain.ends_with('^') && digits == 4;
            if !is_note && (is_raised || is_free(text, range.start, plain)) {
                add(range, numbers);
            }
        }
    }
    for number in glued(text) {
        if is_end_of_sentence(text, &number) {
            let numbers = numbers(text.get(number.clone()).unwrap_or_default());
            add(number, numbers);
        }
    }
}

/// Numbers glued to the end of a sentence, or to a comma inside one.
fn glued(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    const NEAR: usize = 16;
    let all = GLUED.captures_iter(text);
    all.filter_map(|form| {
        let number = form.get(1)?.range();
        let start = text.floor_char_boundary(number.start.saturating_sub(NEAR));
        let head = text.get(start..number.start)?;
        ENDED.is_match(head).then_some(number)
    })
}

/// Whether a raised number is behind a word or a full stop, and is not an exponent of it.
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
    goes_on && !SHORT.contains(word.to_lowercase().as_str())
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

/// A number, also a raised one. A letter before it makes it another number.
pub(super) fn number(written: &str) -> Option<usize> {
    const LETTER: usize = 1000;
    const LONGEST: usize = 12; // three raised digits
    if written.len() > LONGEST {
        return None;
    }
    let plain = |digits: &str| {
        let is_number =
            (1..=3).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_digit());
        digits.parse::<usize>().ok().filter(|_| is_number)
    };
    let with_letter = || {
        let letter = written.chars().next().filter(char::is_ascii_uppercase)?;
        let number = plain(written.get(1..)?)?;
        Some(usize::try_from(u32::from(letter)).ok()? * LETTER + number)
    };
    plain(written)
        .or_else(with_letter)
        .or_else(|| plain(&lowered(written)))
}

/// The numbers of `1, 3-5`; none where the text is anything else.
pub(crate) fn numbers(inner: &str) -> Vec<usize> {
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
            ("Trees cool [^2^].", "[^2^]", vec![2]),
            ("Trees cool［2］.", "［2］", vec![2]),
            ("Trees cool.[[2]] Oaks", "[[2]]", vec![2]),
            ("Trees cool.^[2]^ Oaks", "^[2]^", vec![2]),
            ("Trees cool.⁽²⁾ Oaks", "⁽²⁾", vec![2]),
            ("Trees cool [source 2].", "[source 2]", vec![2]),
            ("Trees cool [Refs. 2, #3].", "[Refs. 2, #3]", vec![2, 3]),
            ("Trees cool [#2].", "[#2]", vec![2]),
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
            "The [source 2](https://a.example/x) of [references], [source code] and [ref a].",
            "[1]: https://a.example/x",
        ] {
            assert_eq!(seen(text), [], "{text}");
        }
    }
}
