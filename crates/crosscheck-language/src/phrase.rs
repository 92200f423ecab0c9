//! Words in order, of a claim or of a unit of a text: negations and their
//! scope.

use std::ops::Range;

use crate::lexicon::{LEXICON, List, WordEntry};

/// Words in order, numbered from 0.
pub trait Phrase {
    /// The text that the ranges refer to.
    fn text(&self) -> &str;
    /// How many words there are.
    fn count(&self) -> usize;
    /// Where a word is.
    fn range(&self, word: usize) -> Range<usize>;
    /// What the lists say about it.
    fn entry(&self, word: usize) -> Option<&'static WordEntry>;
    /// Whether the word alone is a negation.
    fn negates(&self, word: usize) -> bool;
    /// Whether the word is a content word.
    fn is_content(&self, word: usize) -> bool;
    /// Its stem, if the claim has it.
    fn stem(&self, word: usize) -> Option<u32>;

    /// Whether a tab, the border of a column, is before the word.
    fn begins_cell(&self, _word: usize) -> bool {
        false
    }

    /// Whether this is the word.
    fn is_word(&self, word: usize, wanted: &str) -> bool {
        let text = self.text().get(self.range(word));
        text.is_some_and(|text| text.eq_ignore_ascii_case(wanted))
    }

    /// Whether the word is on a list.
    fn is_on(&self, word: usize, list: List) -> bool {
        self.entry(word).is_some_and(|entry| entry.is(list))
    }

    /// The text behind a word.
    fn tail(&self, word: usize) -> &str {
        let end = self.range(word).end;
        self.text().get(end..).unwrap_or_default()
    }
}

/// The negations of a phrase, without idioms and parts of names (judge P7).
pub fn negations<P: Phrase>(phrase: &P) -> impl Iterator<Item = usize> {
    (0..phrase.count()).filter(|word| {
        phrase.negates(*word) && !is_in_name(phrase, *word) && !is_idiom(phrase, *word)
    })
}

/// `no_cache`, `--no-verify`, `NoSQL`, `Fe(II)-NO`, the song `I'll Never Love Again`; not `_no_`.
fn is_in_name(phrase: &impl Phrase, word: usize) -> bool {
    let range = phrase.range(word);
    let before = phrase.text().get(..range.start).unwrap_or_default();
    let joins = |c: char| matches!(c, '_' | '-');
    let head = before.trim_end_matches(joins);
    let tail = phrase.tail(word);
    let is_title = |one: usize| {
        let text = phrase.text().get(phrase.range(one)).unwrap_or_default();
        let mut chars = text.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.next().is_some_and(char::is_lowercase)
    };
    let in_title = word > 0
        && is_title(word)
        && (is_title(word - 1) || word + 1 < phrase.count() && is_title(word + 1))
        && !before.trim_end().ends_with(['.', '!', '?', ':']);
    in_title
        || before.ends_with("--")
        || head.len() < before.len() && head.ends_with(')')
        || head.ends_with(char::is_alphanumeric)
        || tail
            .trim_start_matches(joins)
            .starts_with(char::is_alphanumeric)
}

/// `not only`, `wasn't uncommon`, `no doubt`, `whether or not`, `No. 5`, `No, it is`, `Without it, we go`,
/// `A (not B) is`
fn is_idiom(phrase: &impl Phrase, word: usize) -> bool {
    let follows = |back: usize, wanted: &str| {
        let before = word.checked_sub(back);
        before.is_some_and(|before| phrase.is_word(before, wanted))
    };
    let is_short = phrase
        .text()
        .get(phrase.range(word))
        .is_some_and(|text| text.ends_with("n't"));
    let entry = if is_short {
        LEXICON.word("not")
    } else {
        phrase.entry(word)
    };
    let listed = entry.is_some_and(|entry| {
        let mut idiom = entry.idiom.iter();
        word + 1 < phrase.count() && idiom.any(|next| phrase.is_word(word + 1, next))
    });
    let before = phrase.text().get(..phrase.range(word).start);
    let (before, tail) = (before.unwrap_or_default(), phrase.tail(word));
    let is = |wanted: &str| phrase.is_word(word, wanted);
    listed
        || is("not") && (follows(1, "or") && follows(2, "whether") || before.ends_with('('))
        || is("no") && (is_numbered(tail) || is_answer(before, tail))
        || is("without") && word == 0 && has_comma_soon(phrase)
}

/// `No. 5`, `no 5`; not `no 3D printer`
fn is_numbered(tail: &str) -> bool {
    let tail = tail.strip_prefix('.').unwrap_or(tail);
    let tail = tail.strip_prefix(' ').unwrap_or(tail);
    let behind = tail.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < tail.len() && !behind.starts_with(char::is_alphabetic)
}

/// Whether a word between these is an answer: `No, …`, `…? No. …`
pub fn is_answer(before: &str, tail: &str) -> bool {
    let tail = tail.strip_prefix(char::is_whitespace).unwrap_or(tail);
    let before = before.trim_end_matches([' ', '*', '_', '"', '\'']);
    tail.trim_start_matches(['*', '_'])
        .starts_with([',', '.', '!'])
        && (before.ends_with(['?', ':', '.', '!', '|']) || !before.contains(char::is_alphanumeric))
}

/// A comma within 80 characters of the start of the first word.
fn has_comma_soon(phrase: &impl Phrase) -> bool {
    let start = phrase.range(0).start;
    let head = phrase.text().get(start..).unwrap_or_default();
    head.chars().take(80).any(|c| c == ',')
}

/// Judge P3, P4: the words in the scope of a negation, by their stems if the
/// claim has them: content words and number words behind it, up to a mark, a
/// border or another negation.
pub fn reached(phrase: &impl Phrase, negation: usize) -> Vec<Option<u32>> {
    let thresholds = &LEXICON.thresholds;
    let mut found = Vec::new();
    let last = phrase.count().min(negation + 1 + thresholds.negation_words);
    // `Photography without flash is allowed`
    let is_verb = |word: usize| {
        let verbs = [
            "is", "are", "was", "were", "has", "have", "can", "will", "must", "may",
        ];
        phrase.is_word(negation, "without") && verbs.iter().any(|one| phrase.is_word(word, one))
    };
    for word in negation + 1..last {
        if ends_reach(phrase, word) || is_verb(word) {
            break;
        }
        let is_number = phrase
            .entry(word)
            .is_some_and(|entry| entry.number.is_some());
        if is_number || phrase.is_content(word) {
            found.push(phrase.stem(word).filter(|_| !is_number));
            if found.len() == thresholds.negation_reach {
                break;
            }
        }
    }
    found
}

/// The words behind a negation that limit it: `not all`, `not until`.
pub fn qualifiers(phrase: &impl Phrase, negation: usize) -> Vec<&'static WordEntry> {
    let last = phrase
        .count()
        .min(negation + 1 + LEXICON.thresholds.negation_words);
    (negation + 1..last)
        .take_while(|word| !ends_reach(phrase, *word))
        .filter_map(|word| phrase.entry(word))
        .filter(|entry| entry.is(List::Qualifier))
        .collect()
}

/// Whether a word negates without being a negation word: `failed`,
/// `declined to`, `rather than`.
pub fn is_soft(phrase: &impl Phrase, word: usize) -> bool {
    let next = word + 1;
    let before = phrase.entry(word).map(|entry| entry.soft_before.iter());
    // `three out of five` is a share.
    let head = phrase.text().get(..phrase.range(word).start);
    let counts = || {
        let number = word.checked_sub(1).and_then(|word| phrase.entry(word));
        let digits =
            head.is_some_and(|head| head.trim_end().ends_with(|c: char| c.is_ascii_digit()));
        digits || number.is_some_and(|entry| entry.number.is_some())
    };
    phrase.is_on(word, List::SoftNegation)
        || next < phrase.count()
            && !(phrase.is_word(word, "out") && counts())
            && before.is_some_and(|mut before| before.any(|one| phrase.is_word(next, one)))
}

/// Whether this word is outside the scope of a negation before it.
fn ends_reach(phrase: &impl Phrase, word: usize) -> bool {
    let between = phrase.range(word - 1).end..phrase.range(word).start;
    let between = phrase.text().get(between).unwrap_or_default();
    phrase.is_on(word, List::ClauseBorder)
        || is_border(between)
        || phrase.negates(word)
        || phrase.begins_cell(word)
}

/// Whether a mark between two words ends a part of a sentence.
pub fn is_border(between: &str) -> bool {
    between.contains([',', ';', ':', '(', ')', '[', ']', '|'])
        || between.contains(" - ")
        || between.contains(" -- ")
}

/// Judge P11: whether a pole word is part of a bound: `less than 12`.
pub fn is_bounded(phrase: &impl Phrase, word: usize) -> bool {
    let Some(tail) = phrase.tail(word).strip_prefix(" than ") else {
        return false;
    };
    let articles = ["a ", "an ", "the "];
    let article = articles
        .iter()
        .find_map(|article| tail.strip_prefix(article));
    let tail = article.unwrap_or(tail);
    let tail = tail.strip_prefix(['$', '€', '£', '¥']).unwrap_or(tail);
    tail.starts_with(|c: char| c.is_ascii_digit())
}
