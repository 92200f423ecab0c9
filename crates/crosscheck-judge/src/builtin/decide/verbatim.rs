//! Whether the claim itself is in the text (judge D1).

use std::ops::Range;

use super::super::lexicon::{LEXICON, List};
use super::super::prepared::Text;
use super::super::text::normal::lowered;
use super::super::text::{Style, each_word, is_negation, is_whole};

/// Where a claim is in a text word for word.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Here, in the lower-case text, and nothing retracts it.
    Said(Range<usize>),
    /// As a whole sentence, but words around it may retract it.
    Sentence,
    Nowhere,
}

/// Three words rarely take more than this; a longer search would make many matches expensive.
const LOOK_BACK: usize = 240;

/// Searches for a claim in normal form.
pub(super) fn find(claim: &str, text: &Text<'_>) -> Seen {
    let prepared = lowered(claim).text;
    let wanted = prepared.trim_end_matches(['.', '!', '?']).trim_end();
    if wanted.chars().count() < LEXICON.thresholds.verbatim_chars {
        return Seen::Nowhere;
    }
    let asks = claim.trim_end().ends_with('?');
    let lower = text.lower().text.as_str();
    let mut ends = Ends::of(lower);
    let mut seen = Seen::Nowhere;
    let mut from = 0;
    while let Some(at) = next(lower, wanted, from) {
        let range = at..at + wanted.len();
        from = at + wanted.chars().next().map_or(1, char::len_utf8);
        let head = lower.get(..at).unwrap_or_default();
        let tail = lower.get(range.end..).unwrap_or_default();
        if !is_whole(head, wanted, tail) {
            continue;
        }
        if !is_taken_back(head) && (asks || !ends.is_question(range.end)) {
            return Seen::Said(range);
        }
        if is_sentence(text, &range) {
            seen = Seen::Sentence;
        }
    }
    seen
}

fn next(text: &str, wanted: &str, from: usize) -> Option<usize> {
    let tail = text.as_bytes().get(from..)?;
    memchr::memmem::find(tail, wanted.as_bytes()).map(|at| from + at)
}

/// Whether one of the three words before is a negation, or a word of the same
/// sentence retracts what follows.
fn is_taken_back(head: &str) -> bool {
    let mut from = head.len().saturating_sub(LOOK_BACK);
    while !head.is_char_boundary(from) {
        from += 1;
    }
    let head = head.get(from..).unwrap_or_default();
    let last_end = [". ", "! ", "? ", "\u{3002}"];
    let sentence = last_end.iter().filter_map(|mark| head.rfind(mark)).max();
    let mut last = [false; 3];
    let mut supposed = false;
    each_word(head, Style::Text, &mut |word, range| {
        let entry = LEXICON.word(word);
        let is_on = |list| entry.is_some_and(|entry| entry.is(list));
        let same = sentence.is_none_or(|end| range.start > end);
        let distant = is_on(List::Distancing) && same;
        supposed = is_on(List::Supposing) && same;
        last.rotate_left(1);
        last[2] = distant || is_negation(word, entry);
    });
    last.contains(&true) || supposed
}

/// The ends of sentences, searched from left to right.
struct Ends<'t> {
    text: &'t str,
    /// The end of the last one found, and whether it is a question.
    found: Option<(usize, bool)>,
}

impl<'t> Ends<'t> {
    const fn of(text: &'t str) -> Self {
        Self { text, found: None }
    }

    /// Whether the sentence at this position is a question. Positions are
    /// queried from left to right, so that the text is read once.
    fn is_question(&mut self, from: usize) -> bool {
        if let Some((end, asks)) = self.found
            && from < end
        {
            return asks;
        }
        let mut at = from;
        self.found = loop {
            let tail = self.text.get(at..).unwrap_or_default();
            let Some(mark) = tail.find(['.', '!', '?']) else {
                break Some((usize::MAX, false));
            };
            let tail = tail.get(mark..).unwrap_or_default();
            let rest = tail.trim_start_matches(['.', '!', '?']);
            at += mark + tail.len() - rest.len();
            let asks = tail
                .get(..tail.len() - rest.len())
                .is_some_and(|marks| marks.ends_with('?'));
            let open = rest.trim_start_matches(['"', '\'', ')', ']', '}']);
            if open.chars().next().is_none_or(char::is_whitespace) {
                break Some((at, asks));
            }
        };
        self.found.is_some_and(|(_, asks)| asks)
    }
}

/// Whether a place in the lower-case text is a whole sentence or line.
fn is_sentence(text: &Text<'_>, range: &Range<usize>) -> bool {
    let made = text.lower();
    let normal = text.normal_text();
    let head = normal.get(..made.start(range.start)).unwrap_or_default();
    let tail = normal.get(made.end(range.end, normal.len())..);
    let is_mark = |c: char| {
        matches!(
            c,
            ' ' | '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '*' | '#' | '>' | '|' | '-'
        )
    };
    let head = head.trim_end_matches(is_mark);
    let tail = tail.unwrap_or_default().trim_start_matches(is_mark);
    (head.is_empty() || head.ends_with(['\n', '.', '!', '?', ':', ';', '。']))
        && (tail.is_empty() || tail.starts_with(['\n', '.', '!', '?', '。']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(claim: &str, text: &str) -> Option<String> {
        let text = Text::new(text);
        match find(claim, &text) {
            Seen::Said(range) => Some(text.source_of_lower(range).to_owned()),
            Seen::Sentence | Seen::Nowhere => None,
        }
    }

    fn is_said(claim: &str, text: &str) -> bool {
        found(claim, text).is_some()
    }

    #[test]
    fn the_claim_is_found_whatever_its_marks_case_and_blanks() {
        let seen = found("The `cache` is  warm!", "x: THE\n  cache is warm. y");
        assert_eq!(seen.as_deref(), Some("THE\n  cache is warm"));
        let seen = found("Straße im Ort", "die STRAßE IM ORT hier");
        assert_eq!(seen.as_deref(), Some("STRAßE IM ORT"));
        assert!(is_said("cache is", "the cache is warm"));
        assert!(!is_said("is warm", "the cache is warm"), "too short");
    }

    #[test]
    fn a_claim_that_ends_inside_a_number_is_not_there() {
        for (claim, text) in [
            ("The default port is 80", "The default port is 8080."),
            ("The limit is 30", "The limit is 300 MB."),
            ("The retry count is 3", "the retry count is 3.5"),
            ("The price is $1", "The price is $1,500"),
            ("The limit is 30", "The limit is 30MB"),
        ] {
            assert!(!is_said(claim, text), "{claim} / {text}");
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
            assert!(is_said(claim, text), "{claim} / {text}");
        }
    }

    #[test]
    fn a_claim_that_begins_inside_a_number_is_not_there() {
        for text in [
            "850 retries are made",
            "1.50 retries are made",
            "1,50 retries are made",
        ] {
            assert!(!is_said("50 retries are made", text), "{text}");
        }
        for text in [
            "x: 50 retries are made",
            "so.50 retries are made",
            "at 8, 50 retries are made",
        ] {
            assert!(is_said("50 retries are made", text), "{text}");
        }
    }

    #[test]
    fn a_claim_that_begins_or_ends_inside_a_word_is_not_there() {
        assert!(!is_said("is the cache", "this the cached one"));
        assert!(!is_said("the cache is on", "the cache is only read"));
        assert!(!is_said("able to write", "unable to write"));
        let later = "the cache is only (the cache is on) read";
        assert!(is_said("the cache is on", later), "a later place counts");
    }

    #[test]
    fn scripts_without_blanks_have_no_words_to_cut() {
        assert!(is_said("服务器端口是固定的", "这个服务器端口是固定的吗"));
        assert!(is_said("服务器的默认端口80", "服务器的默认端口80号"));
        assert!(!is_said("服务器的默认端口80", "服务器的默认端口8080"));
    }

    #[test]
    fn words_just_before_it_can_change_its_meaning() {
        let claim = "the bridge is safe for trucks";
        for (text, expected) in [
            ("It is not so that the bridge is safe for trucks.", false),
            (
                "He did not say whether the bridge is safe for trucks.",
                false,
            ),
            (
                "The mayor denied that the bridge is safe for trucks.",
                false,
            ),
            ("The mayor denied it. The bridge is safe for trucks.", true),
            ("It is not. The bridge is safe for trucks.", false),
            (
                "It is not so here. But they know the bridge is safe for trucks.",
                true,
            ),
        ] {
            assert_eq!(is_said(claim, text), expected, "{text}");
        }
    }

    #[test]
    fn a_question_does_not_say_it() {
        for (claim, text, expected) in [
            (
                "Green tea cures insomnia",
                "Green tea cures insomnia? A report asks.",
                false,
            ),
            (
                "Green tea cures insomnia",
                "Green tea cures insomnia in e.g. adults?!",
                true,
            ),
            (
                "Green tea cures insomnia",
                "Green tea cures insomnia (really?) now.",
                false,
            ),
            (
                "Green tea cures insomnia",
                "Green tea cures insomnia. Really?",
                true,
            ),
            (
                "Green tea cures insomnia?",
                "Green tea cures insomnia?",
                true,
            ),
            ("Green tea cures insomnia", "Green tea cures insomnia", true),
        ] {
            assert_eq!(is_said(claim, text), expected, "{claim} / {text}");
        }
    }

    #[test]
    fn a_sentence_that_may_be_retracted_is_still_there() {
        let claim = "The door is open.";
        for (text, expected) in [
            ("The door is not open. The door is open.", Seen::Sentence),
            ("- It is not\n- The door is open\n- So", Seen::Sentence),
            ("It is not true that the door is open.", Seen::Nowhere),
            ("The door was shut.", Seen::Nowhere),
        ] {
            assert_eq!(find(claim, &Text::new(text)), expected, "{text}");
        }
    }

    #[test]
    fn many_matches_in_one_endless_question_take_linear_time() {
        let text = format!("{} ?", "the door is open ".repeat(50_000));
        assert!(!is_said("the door is open", &text));
    }
}
