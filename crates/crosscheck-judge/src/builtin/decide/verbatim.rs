//! Whether the claim itself is in the text (judge D1).

use std::ops::Range;

use super::qualified::{is_cut, is_otherwise};
use super::spared::Figure;
use crate::builtin::prepared::Text;
use crosscheck_language::lexicon::{LEXICON, List};
use crosscheck_language::phrase::is_answer;
use crosscheck_language::quantity::quantities;
use crosscheck_language::text::normal::lowered;
use crosscheck_language::text::{Style, each_word, is_negation, is_whole};

/// Where a claim is in a text word for word.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WordForWord {
    /// Here, in the lower-case text, and nothing retracts it.
    Said(Range<usize>),
    /// Only in sentences that deny it, or that say more: `"…" is a myth`, `less than half of …`.
    Denied,
    Nowhere,
}

/// Three words rarely take more than this; a longer search would make many matches expensive.
const LOOK_BACK: usize = 240;

/// Searches for a claim in normal form.
pub(super) fn find(claim: &str, text: &Text<'_>) -> WordForWord {
    let prepared = lowered(claim).text;
    let wanted = prepared.trim_end_matches(['.', '!', '?']).trim_end();
    if wanted.chars().count() < LEXICON.thresholds.verbatim_chars {
        return WordForWord::Nowhere;
    }
    let asks = claim.trim_end().ends_with('?');
    let lower = text.lower().text.as_str();
    let mut ends = Ends::of(lower);
    let figures = quantities(wanted);
    let is_otherwise = |at: usize| {
        let figure = |text, range: &Range<usize>, kind| Figure {
            text,
            range: range.clone(),
            kind,
        };
        figures.iter().any(|one| {
            let (own, its) = (&one.range, at + one.range.start..at + one.range.end);
            let found = figure(lower, &its, &one.kind);
            is_otherwise(&figure(wanted, own, &one.kind), &found)
        })
    };
    let mut seen = WordForWord::Nowhere;
    let mut from = 0;
    while let Some(at) = next(lower, wanted, from) {
        let range = at..at + wanted.len();
        from = at + wanted.chars().next().map_or(1, char::len_utf8);
        let head = lower.get(..at).unwrap_or_default();
        let tail = lower.get(range.end..).unwrap_or_default();
        // `half a million` is not a million
        let halved = wanted.starts_with("a ")
            && ["half ", "quarter of "]
                .iter()
                .any(|part| head.ends_with(part));
        if halved || !is_whole(head, wanted, tail) {
            continue;
        }
        let is_denied = is_denied_quotation(head) || is_open_behind(tail);
        if is_denied || is_cut(lower, &range) || is_otherwise(at) {
            seen = WordForWord::Denied;
        } else if !is_open_before(head, begins_cell(text, at))
            && (asks || !ends.is_question(range.end))
        {
            return WordForWord::Said(range);
        }
    }
    seen
}

fn next(text: &str, wanted: &str, from: usize) -> Option<usize> {
    let tail = text.as_bytes().get(from..)?;
    memchr::memmem::find(tail, wanted.as_bytes()).map(|at| from + at)
}

/// Whether the words of a claim are in the text one after the other, whatever marks and markup
/// are between them. Such a text does not contradict the claim, unless it only says something about
/// it: `it is not true that …`.
pub(super) fn has_words(claim: &str, text: &Text<'_>) -> bool {
    let wanted = bare(claim);
    if wanted.trim().chars().count() < LEXICON.thresholds.verbatim_chars {
        return false;
    }
    if !has_each_word(&wanted, text) {
        return false;
    }
    let text = bare(text.normal_text());
    memchr::memmem::find_iter(text.as_bytes(), wanted.as_bytes())
        .any(|at| !text.get(..at).unwrap_or_default().ends_with(" that"))
}

/// Whether every run of letters and digits is somewhere in the text, which is quickly seen.
fn has_each_word(bare: &str, text: &Text<'_>) -> bool {
    let lower = text.lower().text.as_bytes();
    let mut words = bare.split(|c: char| !c.is_alphanumeric());
    words.all(|word| memchr::memmem::find(lower, word.as_bytes()).is_some())
}

/// The words and numbers of a text in lower case with a blank around each; a mark inside a number
/// stays, targets of Markdown links are left out.
fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let target = rest.strip_prefix(']').and_then(target);
        let is_inside_number = || {
            let next = rest.chars().nth(1);
            out.ends_with(|before: char| before.is_numeric()) && next.is_some_and(char::is_numeric)
        };
        if c.is_alphanumeric() || is_inside_number() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
        rest = target
            .or_else(|| rest.get(c.len_utf8()..))
            .unwrap_or_default();
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// What follows the target of a Markdown link, if one begins here.
fn target(tail: &str) -> Option<&str> {
    let end = match tail.bytes().next()? {
        b'(' => ')',
        b'[' => ']',
        _ => return None,
    };
    let line = tail.get(..tail.find('\n').unwrap_or(tail.len()))?;
    tail.get(line.find(end)? + 1..)
}

/// The end of a text, in which the words that matter are.
fn last_part(head: &str) -> &str {
    let mut from = head.len().saturating_sub(LOOK_BACK);
    while !head.is_char_boundary(from) {
        from += 1;
    }
    head.get(from..).unwrap_or_default()
}

/// Where the last sentence of a text begins.
fn last_sentence(head: &str) -> usize {
    let last_end = [". ", "! ", "? ", "\u{3002}"];
    let end = last_end.iter().filter_map(|mark| head.rfind(mark)).max();
    end.map_or(0, |end| end + 1)
}

/// Whether what is before the claim in its sentence leaves it open: a negation among the three words
/// before, or anywhere a word for what is doubted, supposed, only said or not so. A negation in the table cell
/// before is no such word, nor is an answer: `No.`
fn is_open_before(head: &str, cell: bool) -> bool {
    const OPEN: [List; 5] = [
        List::Distancing,
        List::Supposing,
        List::Opinion,
        List::ForeignNegation,
        List::Wrong,
    ];
    let head = last_part(head);
    let sentence = last_sentence(head);
    let mut last = [false; 3];
    let mut open = false;
    each_word(head, Style::Text, &mut |word, range| {
        let entry = LEXICON.word(word);
        let before = head.get(..range.start).unwrap_or_default();
        let tail = head.get(range.end..).unwrap_or_default();
        let negates = is_negation(word, entry) && !(word == "no" && is_answer(before, tail));
        last.rotate_left(1);
        last[2] = negates && !cell;
        open |= range.start >= sentence
            && OPEN
                .iter()
                .any(|list| entry.is_some_and(|entry| entry.is(*list)));
    });
    open || last.contains(&true)
}

/// Whether the sentence denies the quotation that begins behind it: `nobody said "…"`.
fn is_denied_quotation(head: &str) -> bool {
    let head = last_part(head);
    let is_quotation = head
        .trim_end_matches(['(', '*', '_'])
        .ends_with(['"', '\'']);
    is_quotation && has_denial(head.get(last_sentence(head)..).unwrap_or_default())
}

/// Whether this place in the lower-case text begins a cell of a table that is not the first of
/// its row.
fn begins_cell(text: &Text<'_>, at: usize) -> bool {
    let head = last_part(text.source_before_lower(at));
    let row = head.rsplit('\n').next().unwrap_or_default();
    let row = row.trim_end_matches([' ', '`', '*', '_', '"']);
    row.ends_with(['\t', '|']) && row.chars().any(char::is_alphanumeric)
}

/// Whether what is behind the claim in its sentence leaves it open: `is not true`, `is a myth`, `; the firm
/// denies this`, `if the council agrees`.
fn is_open_behind(tail: &str) -> bool {
    const OPEN: [List; 2] = [List::Distancing, List::Wrong];
    let tail = tail
        .get(..tail.floor_char_boundary(LOOK_BACK))
        .unwrap_or_default();
    let end = tail.find(['.', '!', '?', '\n']).unwrap_or(tail.len());
    let (mut open, mut denies) = (false, false);
    let words = tail.get(..end).unwrap_or_default();
    each_word(words, Style::Text, &mut |word, range| {
        let entry = LEXICON.word(word);
        let is_on = |list: &List| entry.is_some_and(|entry| entry.is(*list));
        // directly behind it, or behind its comma
        let depends = range.start <= 2 && is_on(&List::Condition);
        let is_denied = denies && matches!(word, "this" | "it" | "that");
        open |= depends || is_denied || OPEN.iter().any(is_on);
        denies = is_on(&List::Denying);
    });
    open || is_denied_behind(tail)
}

/// Whether the words behind a statement deny it: `is not true`.
fn is_denied_behind(tail: &str) -> bool {
    const IS: [&str; 8] = ["is", "was", "are", "were", "ist", "war", "est", "es"];
    const REACH: usize = 40;
    let behind = tail.trim_start_matches(['"', '\'', ')', ']', '*', '_', ' ']);
    // The full stop may be inside the quotation.
    let inside = tail
        .strip_prefix(['.', ',', '!'])
        .and_then(|tail| tail.strip_prefix('"'));
    let behind = inside.unwrap_or(behind).trim_start();
    let withdrawn = behind.trim_start_matches(['-', '(', '[', ',', ' ']);
    if withdrawn.starts_with("retracted") || withdrawn.starts_with("withdrawn") {
        return true;
    }
    let is_end = |c: &char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '(');
    let near = behind.chars().take(REACH).take_while(|c| !is_end(c));
    let near: String = near.collect();
    let word = near.split(|c: char| !c.is_alphabetic()).next();
    word.is_some_and(|word| IS.contains(&word)) && has_denial(&near)
}

fn has_denial(text: &str) -> bool {
    let mut found = false;
    each_word(text, Style::Text, &mut |word, _| {
        let entry = LEXICON.word(word);
        let is_on = |list| entry.is_some_and(|entry| entry.is(list));
        found |= is_negation(word, entry)
            || is_on(List::Distancing)
            || is_on(List::ForeignNegation)
            || entry.is_some_and(|entry| entry.is(List::Wrong));
    });
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(claim: &str, text: &str) -> Option<String> {
        let text = Text::new(text);
        match find(claim, &text) {
            WordForWord::Said(range) => Some(text.source_of_lower(range).to_owned()),
            WordForWord::Denied | WordForWord::Nowhere => None,
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
    fn a_sentence_about_the_claim_does_not_say_it() {
        let claim = "The door is open.";
        for text in [
            "\"The door is open\" is a myth.",
            "\"The door is open.\" was never true.",
            "The door is open is simply wrong.",
            "Nobody here believes the sentence \"The door is open\".",
            "**The door is open** is false",
        ] {
            assert_eq!(find(claim, &Text::new(text)), WordForWord::Denied, "{text}");
        }
        for text in [
            "It is not true that the door is open.",
            "Es ist nicht wahr, dass the door is open.",
            "Il n'est pas vrai que the door is open.",
            "The door was shut.",
        ] {
            assert_eq!(
                find(claim, &Text::new(text)),
                WordForWord::Nowhere,
                "{text}"
            );
        }
        for text in [
            "The door is open. That is not news.",
            "The door is open, not shut.",
            "It was \"The door is open\" that he said.",
        ] {
            assert!(is_said(claim, text), "{text}");
        }
    }

    #[test]
    fn a_cell_or_an_answer_before_it_retracts_nothing() {
        let claim = "The door is open.";
        for (text, expected) in [
            ("hall\tno\tThe door is open", true),
            ("| hall | none | The door is open |", true),
            ("| hall | no | **The door is open** |", true),
            ("hall no The door is open", false),
            ("hall\tmyth\tThe door is open", false),
            ("It is not\n\tThe door is open", false),
            ("Do I need a key? No. The door is open.", true),
            ("Do I need a key? no, the door is open.", true),
            ("Key: No. The door is open.", true),
            ("There is no, the door is open", false),
        ] {
            assert_eq!(is_said(claim, text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_found_whatever_marks_are_between_them() {
        let claim = "Maps without `Keys` are _not_ read (see the list).";
        for (text, expected) in [
            (
                "- **Maps** without [`Keys`][k] are not\n\nread, see the [list](x y)!",
                true,
            ),
            ("Maps without Keys are *not* read - see the list 5", true),
            (
                "It is not so that maps without keys are not read, see the list",
                false,
            ),
            ("Maps with Keys are not read see the list", false),
            ("bitmaps without keys are not read see the list", false),
            ("Maps without keys are not read see the lists", false),
        ] {
            assert_eq!(has_words(claim, &Text::new(text)), expected, "{text}");
        }
        assert!(!has_words("It is.", &Text::new("It is.")), "too short");
        assert_eq!(bare("a](b"), " a b ");
    }

    #[test]
    fn many_matches_in_one_endless_question_take_linear_time() {
        let text = format!("{} ?", "the door is open ".repeat(50_000));
        assert!(!is_said("the door is open", &text));
    }

    proptest::proptest! {
        #[test]
        fn a_quick_look_at_the_words_misses_no_claim(
            text in "[a-c1-3 .,`\\]\\(\\)\\[\nÉİK]{0,24}",
            from in 0usize..12,
            len in 1usize..12,
        ) {
            let text = Text::new(text);
            let made = bare(text.normal_text());
            let claim: String = made.chars().skip(from).take(len).collect();
            proptest::prop_assert!(has_each_word(&claim, &text), "{:?}", claim);
        }
    }
}
