//! In which language a text is written: by its script, or by its most common
//! words. What is compared word by word must be written in one language.

use std::collections::HashMap;
use std::sync::LazyLock;

use crosscheck_core::rules::Rule;

use crate::lists::words;

const LANGUAGE: Rule = Rule::new(
    "sources.language",
    "a page in another language refutes nothing",
);

/// No more of a page is read for this.
const READ_MAX: usize = 8 * 1024;
/// Fewer known words do not tell the language of a page.
const WORDS_MIN: usize = 4;
/// A few signs of another script count as one word.
const SIGNS: usize = 3;

/// Languages that are recognised by their words come first.
const LATIN: usize = 7;
const KANA: usize = LATIN + 1;
const ALL: usize = LATIN + 9;
/// Their names, as pages give them.
const NAMES: [&str; LATIN] = ["en", "de", "fr", "es", "pt", "it", "nl"];

/// The most common words of each language that mean nothing in another one, and those that several of
/// them share.
static KNOWN: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for (language, name) in NAMES.iter().enumerate() {
        for word in words(&format!("language_{name}")) {
            *known.entry(word).or_default() |= 1 << language;
        }
    }
    known
});

/// Whether a claim is written in another language than a page, which may name its own.
pub(super) fn differ(page: &str, named: Option<&str>, claim: &str) -> bool {
    let Some((own, count)) = language(claim) else {
        return false;
    };
    let name = NAMES.get(own).copied().unwrap_or_default();
    let is_named = named.is_some_and(|named| named.to_lowercase().starts_with(name));
    if !name.is_empty() && is_named || !LANGUAGE.is_on() {
        return false;
    }
    let page = page.get(..page.floor_char_boundary(READ_MAX.min(page.len())));
    let other = language(page.unwrap_or_default()).filter(|(_, count)| *count >= WORDS_MIN);
    other.is_some_and(|(other, _)| other != own && (count > 1 || other >= LATIN))
}

/// The language with most known words, and how many; none where two have as many.
fn language(text: &str) -> Option<(usize, usize)> {
    let mut counts = [0; ALL];
    let mut letters = 0;
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        match script(c).and_then(|script| counts.get_mut(script)) {
            Some(count) => *count += 1,
            None => letters += 1,
        }
    }
    // Japanese is written with Han, too.
    if counts[KANA] > 0 {
        counts[KANA] += std::mem::take(&mut counts[LATIN]);
    }
    let signs: usize = counts.iter().sum();
    if signs * SIGNS < letters || signs == 0 {
        counts = [0; ALL];
        for word in text.split(|c: char| !c.is_alphabetic()) {
            let languages = KNOWN.get(word.to_lowercase().as_str()).copied();
            for (language, count) in counts.iter_mut().take(LATIN).enumerate() {
                *count += usize::from(languages.unwrap_or_default() & (1 << language) != 0);
            }
        }
    }
    let (language, most) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let ties = counts.iter().filter(|count| *count == most).count();
    (*most > 0 && ties == 1).then_some((language, *most))
}

/// The number of a script that is not the Latin one.
const fn script(c: char) -> Option<usize> {
    let number = match c {
        '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{2fa1f}' => 0,
        '\u{3040}'..='\u{30ff}' => 1,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => 2,
        '\u{400}'..='\u{52f}' => 3,
        '\u{600}'..='\u{77f}' => 4,
        '\u{590}'..='\u{5ff}' => 5,
        '\u{370}'..='\u{3ff}' => 6,
        '\u{900}'..='\u{dff}' => 7,
        '\u{e00}'..='\u{e7f}' => 8,
        _ => return None,
    };
    Some(LATIN + number)
}

#[cfg(test)]
mod tests {
    use super::differ;

    #[test]
    fn every_language_has_words() {
        for name in super::NAMES {
            assert!(
                !crate::lists::words(&format!("language_{name}")).is_empty(),
                "{name}"
            );
        }
    }

    #[test]
    fn a_claim_is_compared_with_pages_of_its_language_only() {
        let english =
            "The bridge was opened in 1901 and it is still in use by the people of the town.";
        let german = "Die Brücke wurde 1901 eröffnet und ist noch heute für die Stadt in Gebrauch.";
        let authors = "M. de la Cruz, J. van der Berg, L. de Vries, P. de Jong, A. van den Brink and others. ";
        let russian = "Мост был открыт в 1901 году и используется до сих пор жителями города.";
        for (page, named, claim, expected) in [
            (english, None, "The bridge was opened in 1901.", false),
            (german, None, "The bridge was opened in 1901.", true),
            (english, None, "Die Brücke wurde 1901 eröffnet.", true),
            (russian, None, "The bridge was opened in 1901.", true),
            (
                german,
                Some("en-GB"),
                "The bridge was opened in 1901.",
                false,
            ),
            // names of authors do not make another language of a page
            (
                &format!("{authors}{english}"),
                None,
                "The bridge was opened in 1901.",
                false,
            ),
            (english, None, "Leiden 1901", false),
        ] {
            assert_eq!(differ(page, named, claim), expected, "{page} / {claim}");
        }
    }
}
