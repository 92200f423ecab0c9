//! Whether a quote is in a text, at one of four levels (claims 7.2).

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::request::QuoteLevel;

/// The longest text that an ellipsis may replace, in characters.
const ELLIPSIS_MAX: usize = 200;
/// A quote with more ellipses is not accepted.
const ELLIPSES_MAX: usize = 32;

/// The first level, up to the given one, at which the quote is in the snippet.
pub(crate) fn find(quote: &str, snippet: &str, up_to: QuoteLevel) -> Option<QuoteLevel> {
    [
        QuoteLevel::Exact,
        QuoteLevel::Eol,
        QuoteLevel::Whitespace,
        QuoteLevel::Loose,
    ]
    .into_iter()
    .take_while(|level| *level <= up_to)
    .find(|level| is_in(quote, snippet, *level))
}

/// The first level beyond the given one at which the quote would be found.
pub(super) fn found_beyond(quote: &str, snippet: &str, level: QuoteLevel) -> Option<QuoteLevel> {
    [QuoteLevel::Whitespace, QuoteLevel::Loose]
        .into_iter()
        .filter(|next| *next > level)
        .find(|next| is_in(quote, snippet, *next))
}

fn is_in(quote: &str, snippet: &str, level: QuoteLevel) -> bool {
    let needle = needle(quote, level);
    if needle.is_empty() {
        return false;
    }
    match level {
        QuoteLevel::Exact => contains(snippet, &needle),
        QuoteLevel::Eol => contains(&tidy_ends(snippet), &needle),
        QuoteLevel::Whitespace => contains(&one_spaced(snippet), &needle),
        QuoteLevel::Loose => {
            let text = folded(&one_spaced(snippet));
            !where_parts_are(&text, &needle).is_empty()
        }
    }
}

/// The quote as it is searched for at a level.
fn needle(quote: &str, level: QuoteLevel) -> Cow<'_, str> {
    match level {
        QuoteLevel::Exact => Cow::Borrowed(quote),
        QuoteLevel::Eol => match tidy_ends(quote) {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches('\n')),
            Cow::Owned(text) => Cow::Owned(text.trim_matches('\n').to_owned()),
        },
        QuoteLevel::Whitespace => one_spaced(quote),
        QuoteLevel::Loose => Cow::Owned(folded(&one_spaced(&plain(quote)))),
    }
}

fn contains(text: &str, part: &str) -> bool {
    memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

/// CRLF as LF, no blanks at line ends, NFC.
fn tidy_ends(text: &str) -> Cow<'_, str> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\r');
    let tidy = text.split('\n').all(|line| !line.ends_with(blank));
    let text = if tidy {
        Cow::Borrowed(text)
    } else {
        let lines: Vec<&str> = text
            .split('\n')
            .map(|line| line.trim_end_matches(blank))
            .collect();
        Cow::Owned(lines.join("\n"))
    };
    nfc(text)
}

/// NFC, every run of white space as one space, none at the ends.
fn one_spaced(text: &str) -> Cow<'_, str> {
    nfc(crosscheck_judge::builtin::collapse(text))
}

fn nfc(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_nfc(&text) {
        text
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Plain quotes and dashes, lower case, an ellipsis as one character.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '‘' | '’' | 'ʼ' | '‛' | '′' => out.push('\''),
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => out.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            // Upper case first, so that `ß` matches `SS` and `ς` matches `σ`.
            c => out.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    out.replace("...", "…")
}

/// Without line numbers in front and without Markdown emphasis.
fn plain(quote: &str) -> String {
    let lines: Vec<&str> = quote.split('\n').map(without_number).collect();
    let text = lines.join("\n").replace("**", "").replace("__", "");
    let chars: Vec<char> = text.chars().collect();
    let is_word = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(|c| c.is_alphanumeric())
    };
    let is_blank = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_none_or(|c| c.is_whitespace())
    };
    chars
        .iter()
        .enumerate()
        .filter(|(at, c)| {
            let (before, after) = (at.checked_sub(1), Some(at + 1));
            let emphasis = matches!(c, '*' | '_')
                && is_word(before) != is_word(after)
                && !(is_blank(before) && is_blank(after));
            !emphasis
        })
        .map(|(_, c)| *c)
        .collect()
}

/// A line without a prefix such as `  12: `, `12|` or `12→`.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = rest.get(digits..).unwrap_or_default();
    match after.strip_prefix([':', '|', '→']) {
        Some(text) if digits > 0 => text.strip_prefix(char::is_whitespace).unwrap_or(text),
        _ => line,
    }
}

/// Where the parts of a quote between its ellipses occur in order.
fn where_parts_are(text: &str, quote: &str) -> Vec<Range<usize>> {
    let parts: Vec<&str> = quote
        .split('…')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let Some((first, rest)) = parts.split_first() else {
        return Vec::new();
    };
    if rest.len() > ELLIPSES_MAX {
        return Vec::new();
    }
    // Every place where the parts so far can end, with the place where they begin.
    let mut ends: Vec<(usize, usize)> = memmem::find_iter(text.as_bytes(), first.as_bytes())
        .map(|at| (at + first.len(), at))
        .collect();
    for part in rest {
        let mut next = Vec::new();
        let mut reachable = ends.iter().peekable();
        let mut open: std::collections::VecDeque<(usize, usize)> =
            std::collections::VecDeque::new();
        for at in memmem::find_iter(text.as_bytes(), part.as_bytes()) {
            while let Some(end) = reachable.next_if(|(end, _)| *end <= at) {
                open.push_back(*end);
            }
            while open
                .front()
                .is_some_and(|(end, _)| is_too_far(text, *end, at))
            {
                open.pop_front();
            }
            if let Some((_, begin)) = open.front() {
                next.push((at + part.len(), *begin));
            }
        }
        ends = next;
    }
    ends.into_iter().map(|(end, begin)| begin..end).collect()
}

fn is_too_far(text: &str, from: usize, to: usize) -> bool {
    to - from > ELLIPSIS_MAX
        && text
            .get(from..to)
            .is_none_or(|gap| gap.chars().nth(ELLIPSIS_MAX).is_some())
}

/// The lines (from 1) of a text in which the quote occurs at this level. Of several places,
/// the one nearest to the lines `near`, where it was expected.
pub(crate) fn lines_of(
    quote: &str,
    text: &str,
    level: QuoteLevel,
    near: (u64, u64),
) -> Option<(u64, u64)> {
    let needle = needle(quote, level);
    if needle.is_empty() {
        return None;
    }
    let (joined, starts) = joined_lines(text, level);
    let found = match level {
        QuoteLevel::Exact | QuoteLevel::Eol | QuoteLevel::Whitespace => {
            memmem::find_iter(joined.as_bytes(), needle.as_bytes())
                .map(|at| at..at + needle.len())
                .collect()
        }
        QuoteLevel::Loose => where_parts_are(&joined, &needle),
    };
    let line = |at: usize| starts.partition_point(|start| *start <= at) as u64;
    let gap = |(first, last): &(u64, u64)| {
        let before = near.0.saturating_sub(*last);
        before.max(first.saturating_sub(near.1))
    };
    found
        .into_iter()
        .map(|place| (line(place.start), line(place.end - 1)))
        .min_by_key(gap)
}

/// The lines of a text in the form of a level, and where each begins.
fn joined_lines(text: &str, level: QuoteLevel) -> (String, Vec<usize>) {
    let mut joined = String::with_capacity(text.len());
    let mut starts = Vec::new();
    let spaced = level >= QuoteLevel::Whitespace;
    for (number, line) in text.split('\n').enumerate() {
        let line = match level {
            QuoteLevel::Exact => Cow::Borrowed(line),
            QuoteLevel::Eol => tidy_ends(line),
            QuoteLevel::Whitespace => one_spaced(line),
            QuoteLevel::Loose => Cow::Owned(folded(&one_spaced(line))),
        };
        if number > 0 && !spaced {
            joined.push('\n');
        } else if number > 0 && !line.is_empty() && !joined.is_empty() {
            joined.push(' ');
        }
        starts.push(joined.len());
        joined.push_str(&line);
    }
    (joined, starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use QuoteLevel::{Eol, Exact, Loose, Whitespace};

    #[test]
    fn each_level_ignores_its_differences() {
        let table = [
            ("b", "a b c", Some(Exact)),
            ("a\nb", "a\r\nb\r", Some(Eol)),
            ("a  \nb\n", "x\na\nb", Some(Eol)),
            ("e\u{301}", "é", Some(Eol)),
            ("\n\nb\n", "a b", Some(Eol)),
            ("a b", "a  b", Some(Whitespace)),
            ("a b", "a\n\tb", Some(Whitespace)),
            ("“It’s” — OK", "\"it's\" - ok", Some(Loose)),
            ("first ... last", "First, then more, then LAST", Some(Loose)),
            (
                "12: let x = 1;\n13: let y",
                "let x = 1;\n  let y",
                Some(Loose),
            ),
            (
                "**bold** and *soft* snake_case 2 * 3",
                "bold and soft snake_case 2 * 3",
                Some(Loose),
            ),
            ("…tail", "the tail", Some(Loose)),
            ("STRASSE ΟΔΟΣ", "Straße οδος", Some(Loose)),
            ("nothing", "a b", None),
            ("...", "a b", None),
        ];
        for (quote, snippet, expected) in table {
            assert_eq!(
                find(quote, snippet, Loose),
                expected,
                "{quote:?} in {snippet:?}"
            );
        }
        assert_eq!(find("a b", "a  b", Eol), None);
        assert_eq!(found_beyond("a b", "a  b", Eol), Some(Whitespace));
        assert_eq!(found_beyond("A b", "a  b", Whitespace), Some(Loose));
        assert_eq!(found_beyond("x", "a  b", Eol), None);
    }

    #[test]
    fn an_ellipsis_replaces_at_most_200_characters() {
        let near = format!("start {} end", "é".repeat(190));
        let far = format!("start {} end", "x".repeat(220));
        assert_eq!(find("start ... end", &near, Loose), Some(Loose));
        assert_eq!(find("start ... end", &far, Loose), None);
        let again = format!("start {} start {} end", "x".repeat(300), "x".repeat(20));
        assert_eq!(find("start … end", &again, Loose), Some(Loose));
        let many = "a...".repeat(100);
        assert_eq!(find(&many, "a", Loose), None);
    }

    #[test]
    fn a_quote_elsewhere_is_found_with_its_lines() {
        let text = "one\ntwo  \nthree\nfour\n";
        let lines_of = |quote, level| lines_of(quote, text, level, (1, 1));
        assert_eq!(lines_of("two\nthree", Eol), Some((2, 3)));
        assert_eq!(lines_of("two\nthree", Exact), None);
        assert_eq!(lines_of("two three four", Whitespace), Some((2, 4)));
        assert_eq!(lines_of("ONE ... FOUR", Loose), Some((1, 4)));
        assert_eq!(lines_of("five", Loose), None);
    }

    #[test]
    fn of_several_places_the_nearest_one_is_reported() {
        let mut all = vec!["-"; 100];
        for line in [3, 40, 90] {
            all[line - 1] = "port = 8080";
        }
        let text = all.join("\n");
        for level in [Exact, Eol, Whitespace, Loose] {
            let nearest = |near| lines_of("port = 8080", &text, level, near);
            assert_eq!(nearest((1, 2)), Some((3, 3)), "{level:?}");
            assert_eq!(nearest((20, 30)), Some((40, 40)), "{level:?}");
            assert_eq!(nearest((50, 80)), Some((40, 40)), "the first of equals");
            assert_eq!(nearest((80, 80)), Some((90, 90)), "{level:?}");
            assert_eq!(nearest((100, 100)), Some((90, 90)), "{level:?}");
        }
    }
}
