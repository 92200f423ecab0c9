//! Whether the claim itself stands in the snippet.

use super::lexicon::LEXICON;
use super::plain::{self, holds};
use super::text::{Normal, each_word, is_letter, is_negation, is_unspaced};

/// The place where the claim stands word for word and is not negated.
pub(super) fn find<'t>(claim: &str, snippet: &Normal<'t>) -> Option<&'t str> {
    let wanted = prepare(claim, None);
    if wanted.chars().count() < LEXICON.thresholds.verbatim_min_chars {
        return None;
    }
    if wanted.is_ascii() && snippet.text.is_ascii() && wanted.len() > snippet.text.len() {
        return None;
    }
    let text = prepare(&snippet.text, None);
    if !holds(&text, &wanted) {
        return None;
    }
    let (at, _) = text.match_indices(wanted.as_str()).find(|(at, _)| {
        let head = text.get(..*at).unwrap_or_default();
        let tail = text.get(*at + wanted.len()..).unwrap_or_default();
        is_whole(head, &wanted, tail) && !is_negated(head)
    })?;
    let (start, last) = offsets_of(&snippet.text, at, at + wanted.len() - 1)?;
    let end = last + snippet.text.get(last..)?.chars().next()?.len_utf8();
    Some(snippet.source_of(start, end))
}

/// Without back-quotes, collapsed, lower-case, without final marks. `offsets`
/// receives, for each byte, where its character stands in `text`.
fn prepare(text: &str, mut offsets: Option<&mut Vec<usize>>) -> String {
    if offsets.is_none() && text.is_ascii() {
        return prepare_ascii(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut blank = None;
    for (at, c) in text.char_indices().filter(|(_, c)| *c != '`') {
        if c.is_whitespace() {
            blank.get_or_insert(at);
            continue;
        }
        let before = out.len();
        if let Some(blank_at) = blank.take()
            && !out.is_empty()
        {
            out.push(' ');
            if let Some(offsets) = offsets.as_deref_mut() {
                offsets.push(blank_at);
            }
        }
        let start = out.len().max(before);
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
        if let Some(offsets) = offsets.as_deref_mut() {
            offsets.extend(std::iter::repeat_n(at, out.len() - start));
        }
    }
    let len = out.trim_end_matches(['.', '!', '?']).trim_end().len();
    out.truncate(len);
    out
}

fn prepare_ascii(text: &str) -> String {
    let mut out = if text.contains('`') {
        plain::lower(&text.replace('`', ""))
    } else {
        plain::lower(text)
    };
    let len = out.trim_end_matches(['.', '!', '?']).trim_end().len();
    out.truncate(len);
    out
}

/// Where the characters at these two places of the prepared text stand in `text`.
fn offsets_of(text: &str, first: usize, last: usize) -> Option<(usize, usize)> {
    let (mut out, mut blank, mut start) = (0, false, None);
    for (at, c) in text.char_indices().filter(|(_, c)| *c != '`') {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        out += usize::from(std::mem::take(&mut blank) && out > 0);
        out += if c.is_ascii() {
            1
        } else {
            c.to_lowercase().map(char::len_utf8).sum()
        };
        if start.is_none() && first < out {
            start = Some(at);
        }
        if last < out {
            return start.map(|start| (start, at));
        }
    }
    None
}

/// Whether the claim neither begins nor ends inside a word or a number: port
/// 80 is not there because port 8080 is.
fn is_whole(head: &str, wanted: &str, tail: &str) -> bool {
    let mut before = head.chars().rev();
    let mut behind = tail.chars();
    let (Some(first), Some(last)) = (wanted.chars().next(), wanted.chars().next_back()) else {
        return false;
    };
    !is_one(last, &mut behind) && !is_one(first, &mut before)
}

/// Whether a word or number goes on from `edge` into what follows.
fn is_one(edge: char, beyond: &mut impl Iterator<Item = char>) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    match beyond.next() {
        Some('.' | ',') => is_digit(edge) && beyond.next().is_some_and(is_digit),
        Some(next) => {
            let is_word = |c: char| is_letter(c) || c.is_numeric();
            is_word(edge)
                && is_word(next)
                // Han, Kana and Hangul stand beside anything; that cuts nothing.
                && !is_unspaced(edge)
                && !is_unspaced(next)
        }
        None => false,
    }
}

/// Whether one of the three words that end this text is a negation.
fn is_negated(head: &str) -> bool {
    // Three words rarely take more than this; a longer look back would make many hits expensive.
    let mut from = head.len().saturating_sub(240);
    while !head.is_char_boundary(from) {
        from += 1;
    }
    let mut last = [false; 3];
    each_word(head.get(from..).unwrap_or_default(), &mut |word, _| {
        last.rotate_left(1);
        last[2] = is_negation(word, LEXICON.word(word));
    });
    last.contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn ascii_text_is_prepared_the_same_by_both_ways(text in "[ -~\\t\\n]{0,40}") {
            let mut offsets = Vec::new();
            let slow = prepare(&text, Some(&mut offsets));
            proptest::prop_assert_eq!(prepare(&text, None), slow);
        }
    }

    fn found<'t>(claim: &str, snippet: &'t str) -> Option<&'t str> {
        find(claim, &Normal::of(snippet))
    }

    #[test]
    fn the_claim_is_found_whatever_its_marks_case_and_blanks() {
        assert_eq!(
            found("The `cache` is  warm!", "x: THE\n  cache is warm. y"),
            Some("THE\n  cache is warm")
        );
        assert_eq!(
            found("Straße im Ort", "die STRAßE IM ORT hier"),
            Some("STRAßE IM ORT")
        );
        assert_eq!(found("cache is", "the cache is warm"), Some("cache is"));
        assert_eq!(found("is warm", "the cache is warm"), None, "too short");
    }

    #[test]
    fn a_claim_that_ends_inside_a_number_does_not_stand_there() {
        for (claim, text) in [
            ("The default port is 80", "The default port is 8080."),
            ("The limit is 30", "The limit is 300 MB."),
            ("The retry count is 3", "the retry count is 3.5"),
            ("The price is $1", "The price is $1,500"),
            ("The limit is 30", "The limit is 30MB"),
        ] {
            assert_eq!(found(claim, text), None, "{claim} / {text}");
        }
        for (claim, text) in [
            ("The default port is 80", "The default port is 80."),
            ("The default port is 80", "The default port is 80, always"),
            (
                "The default port is 80.",
                "The default port is 80.\nOr 8080.",
            ),
            ("The default port is 80", "The default port is 80 (http)"),
        ] {
            assert!(found(claim, text).is_some(), "{claim} / {text}");
        }
    }

    #[test]
    fn a_claim_that_begins_inside_a_number_does_not_stand_there() {
        for text in [
            "850 retries are made",
            "1.50 retries are made",
            "1,50 retries are made",
        ] {
            assert_eq!(found("50 retries are made", text), None, "{text}");
        }
        for text in [
            "x: 50 retries are made",
            "so.50 retries are made",
            "at 8, 50 retries are made",
        ] {
            assert!(found("50 retries are made", text).is_some(), "{text}");
        }
    }

    #[test]
    fn a_claim_that_begins_or_ends_inside_a_word_does_not_stand_there() {
        assert_eq!(found("is the cache", "this the cached one"), None);
        assert_eq!(found("the cache is on", "the cache is only read"), None);
        assert_eq!(found("able to write", "unable to write"), None);
        assert_eq!(
            found(
                "the cache is on",
                "the cache is only (the cache is on) read"
            ),
            Some("the cache is on"),
            "a later place counts"
        );
    }

    #[test]
    fn scripts_without_blanks_have_no_words_to_cut() {
        assert!(found("服务器端口是固定的", "这个服务器端口是固定的吗").is_some());
        assert!(found("服务器的默认端口80", "服务器的默认端口80号").is_some());
        assert_eq!(found("服务器的默认端口80", "服务器的默认端口8080"), None);
    }

    #[test]
    fn a_negation_just_before_it_makes_another_sentence_of_it() {
        assert_eq!(
            found(
                "retry failed requests",
                "It does not ever retry failed requests"
            ),
            None
        );
        assert_eq!(
            found(
                "retry failed requests",
                "It does not do it. But they do retry failed requests"
            ),
            Some("retry failed requests")
        );
    }
}
