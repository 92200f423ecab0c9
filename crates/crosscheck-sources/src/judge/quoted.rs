//! What is beside a quotation. A quotation that is on the page proves only
//! itself: who said it, when, what else is quoted, and what else the sentence
//! says must be there as well.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crosscheck_core::rules::Rule;
use crosscheck_judge::builtin::{quantities, stems};
use crosscheck_judge::{Answer, Basis, Opinion, Text};

use crate::lists::list;
use crate::observe::PageSeen;
use crate::read::sentence::{Sentence, is_month, is_title};

const BESIDE_QUOTES: Rule = Rule::new(
    "sources.quoted",
    "a quotation on the page confirms nothing else of its sentence",
);

list! {
    /// Words that lead to a quotation, and say nothing of what it says.
    LEADING, "leading"
}
list! {
    /// What begins a sentence and names no person.
    NOBODY, "nobody"
}
/// The stems of words that only lead to a quotation.
static LEADS: LazyLock<HashSet<String>> =
    LazyLock::new(|| LEADING.iter().flat_map(|word| stems(word)).collect());
/// More words beside a quotation are a statement of their own.
const BESIDE_MAX: usize = 4;
/// What is not farther from a quotation is beside it, in bytes.
const BESIDE: usize = 240;

/// What a sentence says beside its quotations and the page does not have there.
pub(super) fn not_beside(
    sentence: &Sentence,
    page: &PageSeen,
    answer: Option<&Answer>,
    holds: impl Fn(&str) -> bool,
) -> Option<String> {
    let is_verbatim = answer.is_some_and(|answer| answer.basis == Basis::Verbatim);
    if sentence.quotations.is_empty() || is_verbatim || !BESIDE_QUOTES.is_on() {
        return None;
    }
    let text = &sentence.text;
    let quotes = quotes(text);
    let words = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().trim();
    let is_missing = |quote: &&str| {
        quote.split_whitespace().nth(1).is_some() && !is_title(quote) && !page.quotes(quote)
    };
    if let Some(quote) = quotes.iter().map(words).find(is_missing) {
        return Some(format!("“{quote}”"));
    }
    let rest = without_quotes(text, &quotes);
    let said: Vec<&str> = rest
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| stems(word).iter().any(|stem| !LEADS.contains(stem)))
        .collect();
    let shown = |words: &[&str]| {
        words
            .iter()
            .take(BESIDE_MAX)
            .copied()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let names = last_names(&rest);
    // of several people and several quotations it is not known which is whose
    if quotes.len() > 1 && names.len() > 1 {
        return Some(shown(&names));
    }
    let beside: String = quotes
        .iter()
        .map(|quote| beside(page, words(quote)))
        .collect();
    let near = format!("{beside}{}", page.header());
    // a page that names another person beside it says who it was
    let place = if last_names(&beside).is_empty() {
        &near
    } else {
        &beside
    };
    if let Some(name) = names.iter().find(|name| !has_word(place, name)) {
        return Some((*name).to_owned());
    }
    let there = Text::new(beside.clone());
    let figures = quantities(&rest);
    if let Some(one) = figures.iter().find(|one| !there.has(one)) {
        return rest.get(one.range.clone()).map(str::to_owned);
    }
    // more than a lead is another statement, which the quotation does not prove
    let known: HashSet<String> = stems(&near).into_iter().collect();
    let is_strange = |word: &&&str| !stems(word).iter().any(|stem| known.contains(stem));
    let strange: Vec<&str> = said.iter().filter(is_strange).copied().collect();
    let is_lead = strange.is_empty() && said.len() <= BESIDE_MAX;
    let is_supported = || answer.is_some_and(|answer| answer.verdict == Opinion::Supports);
    if is_lead || is_supported() || holds(&rest) {
        return None;
    }
    Some(shown(if strange.is_empty() { &said } else { &strange }))
}

/// The sentence of a page around a quotation, without it.
fn beside(page: &PageSeen, quote: &str) -> String {
    let source = page.text.source();
    let Some(at) = page.text.place_of(quote) else {
        return String::new();
    };
    let end = source.floor_char_boundary((at + quote.len()).min(source.len()));
    let head = last_part(source.get(..at).unwrap_or_default());
    let tail = first_part(source.get(end..).unwrap_or_default(), quote);
    format!("{head} … {tail} … ")
}

/// The words of a sentence outside its quotations.
fn without_quotes(text: &str, quotes: &[Range<usize>]) -> String {
    let mut rest = String::new();
    let mut start = 0;
    for quote in quotes {
        rest.push_str(text.get(start..quote.start).unwrap_or_default());
        start = quote.end;
    }
    rest.push_str(text.get(start..).unwrap_or_default());
    rest.replace('"', " ")
}

/// What is between double quotes, without them.
fn quotes(text: &str) -> Vec<Range<usize>> {
    let mut signs = text.match_indices('"').map(|(at, _)| at);
    let mut found = Vec::new();
    while let (Some(start), Some(end)) = (signs.next(), signs.next()) {
        found.push(start + 1..end);
    }
    found
}

/// The last word of each name.
fn last_names<'t>(text: &'t str) -> Vec<&'t str> {
    let mut found: Vec<&'t str> = Vec::new();
    let mut goes_on = false;
    for token in text.split_whitespace() {
        let word = token.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.strip_suffix("'s").unwrap_or(word);
        let is_name = word.starts_with(char::is_uppercase)
            && word.chars().nth(2).is_some()
            && !NOBODY.contains(word);
        if is_name && goes_on {
            found.pop();
        }
        found.extend(is_name.then_some(word));
        goes_on = is_name && !token.ends_with([',', ';', ':']);
    }
    found.retain(|name| !is_month(&name.to_lowercase()));
    found
}

/// The end of a text, from the last sentence on.
fn last_part(head: &str) -> &str {
    let start = head.ceil_char_boundary(head.len().saturating_sub(BESIDE));
    let near = head.get(start..).unwrap_or_default();
    let end = [". ", "! ", "? ", "\n"];
    let cut = end
        .iter()
        .filter_map(|end| Some(near.rfind(end)? + end.len()))
        .max();
    near.get(cut.unwrap_or(0)..).unwrap_or_default()
}

/// The start of a text behind a quotation, to the end of its first sentence; nothing
/// where another sentence begins.
fn first_part<'t>(tail: &'t str, quote: &str) -> &'t str {
    const STOPS: [char; 3] = ['.', '!', '?'];
    let near = tail.get(..tail.floor_char_boundary(BESIDE.min(tail.len())));
    let near = near.unwrap_or_default();
    let is_close = |c: char| STOPS.contains(&c) || matches!(c, ',' | '"' | '”' | '’' | '\'' | ' ');
    let rest = near.trim_start_matches(is_close);
    let (close, _) = near.split_at(near.len() - rest.len());
    let is_over = close.contains(STOPS) || quote.ends_with(STOPS);
    if is_over && rest.starts_with(char::is_uppercase) {
        return "";
    }
    let end = [". ", "! ", "? ", "\n"];
    let cut = end.iter().filter_map(|end| rest.find(end)).min();
    rest.get(..cut.unwrap_or(rest.len())).unwrap_or_default()
}

/// Whether all parts of a word are in a text, in any letter case.
fn has_word(text: &str, word: &str) -> bool {
    let lower = |word: &str| word.to_lowercase();
    let is_same = |one: &str, part: &str| one.len() == part.len() && lower(one) == lower(part);
    let mut parts = word.split(|c: char| !c.is_alphanumeric());
    parts.all(|part| {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|one| is_same(one, part))
    })
}

#[cfg(test)]
mod tests {
    use crosscheck_fetch::text::Page;

    use super::*;

    const PAGE: &str = "By Carla Ruiz, 12 March 2025\n\nThe minister, Anna Meyer, said on 4 June 2024: \"We will plant two thousand \
        oaks every year.\" Paul Brandt disagreed. \"The plan costs far too much money,\" said Brandt, who leads the council.\n\n\
        \"Nobody asked the people of the town,\" the mayor added.\n\nTrees cool streets, the survey of 2019 says, \
        and many people like them.";

    #[test]
    fn words_next_to_a_quotation_must_be_on_the_page() {
        let page = PageSeen::new(
            Page {
                text: PAGE.to_owned(),
                ..Page::default()
            },
            false,
            None,
        );
        for (claim, missing) in [
            (
                "Anna Meyer said \"We will plant two thousand oaks every year\".",
                None,
            ),
            (
                "\"We will plant two thousand oaks every year\", said Meyer.",
                None,
            ),
            (
                "According to Meyer, \"we will plant two thousand oaks every year\".",
                None,
            ),
            (
                "On 4 June 2024 Meyer said \"We will plant two thousand oaks every year\".",
                None,
            ),
            (
                "In 2024 Meyer said \"We will plant two thousand oaks every year\".",
                None,
            ),
            (
                "It says \"We will plant two thousand oaks every year\".",
                None,
            ),
            (
                "Officials said \"We will plant two thousand oaks every year\".",
                None,
            ),
            (
                "Ruiz writes that \"nobody asked the people of the town\".",
                Some("Ruiz"),
            ),
            (
                "Paul Brandt said \"The plan costs far too much money\".",
                Some("Paul"),
            ),
            (
                "Paul Brandt said \"We will plant two thousand oaks every year\".",
                Some("Brandt"),
            ),
            (
                "Meyer: \"The plan costs far too much money\".",
                Some("Meyer"),
            ),
            (
                "Olaf Schmidt said \"We will plant two thousand oaks every year\".",
                Some("Schmidt"),
            ),
            (
                "\"We will plant two thousand oaks every year\", said Olaf Schmidt.",
                Some("Schmidt"),
            ),
            (
                "According to Schmidt, \"we will plant two thousand oaks every year\".",
                Some("Schmidt"),
            ),
            (
                "In 2019 Meyer said \"We will plant two thousand oaks every year\".",
                Some("2019"),
            ),
            (
                "On 5 June 2024 Meyer said \"We will plant two thousand oaks every year\".",
                Some("5 June 2024"),
            ),
            (
                "Meyer said \"we love trees\" and \"We will plant two thousand oaks every year\".",
                Some("“we love trees”"),
            ),
            (
                "Smith was convicted of fraud (\"We will plant two thousand oaks every year\").",
                Some("Smith"),
            ),
            (
                "The firm lied to its investors, concealing that \"the plan costs far too much money\".",
                Some("firm lied investors concealing"),
            ),
            (
                "The minister will plant oaks, but the council leads the town and its people (\"The plan costs far too much money\").",
                Some("minister plant oaks town"),
            ),
        ] {
            let sentences = Sentence::all(claim);
            let seen = not_beside(&sentences[0], &page, None, |_| false);
            assert_eq!(seen.as_deref(), missing, "{claim}");
        }
    }
}
