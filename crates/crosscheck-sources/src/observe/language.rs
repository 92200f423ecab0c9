//! In which language a text is written: by its script, or by its most common
//! words. What is compared word by word must be written in one language.

use std::collections::HashMap;
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;

/// No more of a page is read for this.
const READ_MAX: usize = 8 * 1024;
/// Fewer known words do not tell the language of a page.
const WORDS_MIN: usize = 4;
/// A language with at least this part of the known words of a page is one of the page's.
const PART: usize = 8;

/// Languages that are recognised by their words come first.
const LATIN: usize = 7;
const GERMAN: usize = 1;
const KANA: usize = LATIN + 1;
const ALL: usize = LATIN + 9;

/// The most common words of each language that mean nothing in another one, and those that
/// several of them share.
const WORDS: [&str; LATIN] = [
    "the of and to is was are were for with that by on as at from this it which be been has have had not or its \
     their they he she but more than into after over will would can also who when you your we our an these those",
    "der die das und ist waren den dem des ein eine einen einem einer mit von zu auf für im am nicht auch sich bei \
     nach aus wie werden wurde wurden wird sind hat als um über zum zur haben noch nur durch oder dass es an er vom",
    "le la les des du et est une un dans pour que qui sur par avec au aux pas ne sont été ont cette ce il elle en \
     de d l se selon étaient était leur on fut",
    "el la los las de del y es una un en por para con que se su más fue son lo como ha han sus según",
    "os as da das é um uma em na nas por para com que se mais foi são ao sua seu não de segundo",
    "il lo la gli le di del della dei delle è un una con che si sono nel nella più alla dal ha da secondo",
    "de het een en van op te dat die voor zijn aan niet ook er naar om uit bij worden werd",
];

/// The longest of them has this many bytes.
const LONGEST: usize = 8;

static KNOWN: LazyLock<HashMap<&[u8], u8, FxBuildHasher>> = LazyLock::new(|| {
    let mut known = HashMap::default();
    for (language, words) in WORDS.iter().enumerate() {
        for word in words.split_whitespace() {
            *known.entry(word.as_bytes()).or_default() |= 1 << language;
        }
    }
    known
});

/// How much of a text is in each language.
#[derive(Debug, Clone, Copy, Default)]
pub struct Languages([usize; ALL]);

impl Languages {
    /// The languages of a page, paragraph by paragraph.
    pub fn of_page(text: &str) -> Self {
        let mut end = text.len().min(READ_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut all = Self::default();
        for paragraph in text.get(..end).unwrap_or_default().split("\n\n") {
            let seen = Self::of(paragraph);
            if let Some((language, count)) = seen.most()
                && let Some(sum) = all.0.get_mut(language)
            {
                *sum += count;
            }
        }
        all
    }

    /// Known words of a text; a few signs of another script count as one.
    fn of(text: &str) -> Self {
        const SIGNS: usize = 3;
        let mut counts = [0; ALL];
        let mut letters = 0;
        // ASCII letters are those of no other script.
        let signs = if text.is_ascii() { "" } else { text };
        for c in signs.chars().filter(|c| c.is_alphabetic()) {
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
        if signs * SIGNS >= letters && signs > 0 {
            return Self(counts.map(|count| count.div_ceil(SIGNS)));
        }
        counts = [0; ALL];
        let mut count = |word: &[u8]| {
            let languages = KNOWN.get(word).copied().unwrap_or_default();
            for (language, count) in counts.iter_mut().take(LATIN).enumerate() {
                *count += usize::from(languages & (1 << language) != 0);
            }
        };
        each_word(text, &mut count);
        Self(counts)
    }

    /// The language with most words, and how many; none where two have as many.
    fn most(&self) -> Option<(usize, usize)> {
        let (language, most) = self.0.iter().enumerate().max_by_key(|(_, count)| **count)?;
        let ties = self.0.iter().filter(|count| *count == most).count();
        (*most > 0 && ties == 1).then_some((language, *most))
    }

    fn is_mostly(&self, language: usize) -> bool {
        let all: usize = self.0.iter().sum();
        let own = self.0.get(language).copied().unwrap_or_default();
        all >= WORDS_MIN && own * PART >= all
    }

    /// Whether a claim is written in another language than a good part of this page.
    pub fn differ_from(&self, claim: &str) -> bool {
        let claimed = Self::of(claim);
        let Some((own, count)) = claimed.most() else {
            return false;
        };
        (0..ALL).any(|other| {
            let shared = claimed.0.get(other).copied().unwrap_or_default();
            other != own && self.is_mostly(other) && (count > 1 || shared == 0)
        })
    }

    /// Whether a good part is German, where capital letters say nothing about names.
    pub fn are_german(&self) -> bool {
        self.is_mostly(GERMAN)
    }
}

/// Calls `take` with each word that may be a known one, in lower case.
fn each_word(text: &str, take: &mut dyn FnMut(&[u8])) {
    if !text.is_ascii() {
        let words = text.split(|c: char| !c.is_alphabetic());
        words.for_each(|word| take(word.to_lowercase().as_bytes()));
        return;
    }
    for word in text.as_bytes().split(|byte| !byte.is_ascii_alphabetic()) {
        let mut space = [0; LONGEST];
        if let Some(lower) = space
            .get_mut(..word.len())
            .filter(|lower| !lower.is_empty())
        {
            lower.copy_from_slice(word);
            lower.make_ascii_lowercase();
            take(lower);
        }
    }
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
    use super::*;

    const ENGLISH: &str = "Germany added much of its solar capacity in the last year, and most of it was built on roofs.";
    const GERMAN_PAGE: &str = "In Deutschland sind im Jahr 2024 Anlagen mit einer Leistung von 16,2 Gigawatt neu ans Netz gegangen.";
    const FRENCH: &str =
        "Les toits des particuliers ont représenté la plus grande part de la hausse dans le pays.";

    #[test]
    fn a_claim_in_another_language_than_its_page_is_noticed() {
        for (page, claim, expected) in [
            (ENGLISH, "Der Zubau lag im Jahr bei 16 Gigawatt.", true),
            (ENGLISH, "La hausse est de 10 %.", true),
            (ENGLISH, "德国去年新增光伏约16吉瓦。", true),
            (ENGLISH, "Германия добавила 16,2 ГВт в 2024 году.", true),
            (ENGLISH, "Growth was strong in the south.", false),
            (ENGLISH, "Photovoltaik-Zubau: 16,2 GW.", false),
            (GERMAN_PAGE, "Turnover was 1.5 billion euros.", true),
            (
                GERMAN_PAGE,
                "Germany connected 16.2 GW of new solar power.",
                true,
            ),
            (GERMAN_PAGE, "Eigenheime dominierten den Markt.", false),
            (FRENCH, "Home owners drove most of the growth.", true),
            (FRENCH, "Le chiffre d'affaires est de 1,5 milliard.", false),
            ("16.2 GW", "Der Zubau lag bei 16 Gigawatt.", false),
        ] {
            let seen = Languages::of_page(page).differ_from(claim);
            assert_eq!(seen, expected, "{page} / {claim}");
        }
    }

    #[test]
    fn the_known_words_are_found_in_any_letter_case() {
        assert!(KNOWN.keys().all(|word| word.len() <= LONGEST));
        let words = |text: &str| {
            let mut all = Vec::new();
            each_word(text, &mut |word| all.extend(KNOWN.get_key_value(word)));
            all
        };
        let plain = "The unbelievable WERE of 3 its, their-which? been_has";
        assert_eq!(words(plain).len(), 8);
        assert_eq!(words(plain), words(&format!("{plain} Ä")));
    }

    #[test]
    fn a_page_in_two_languages_has_both() {
        let both = format!("{ENGLISH}\n\n{GERMAN_PAGE}");
        let both = Languages::of_page(&both);
        assert!(both.are_german() && !Languages::of_page(ENGLISH).are_german());
        assert!(both.differ_from("The turnover was one of the best."));
        assert!(both.differ_from("Der Umsatz war einer der besten."));
    }

    #[test]
    fn only_the_first_part_of_a_page_is_read() {
        let page = format!("{}\n\n{GERMAN_PAGE}", "é ".repeat(READ_MAX));
        assert!(!Languages::of_page(&page).are_german());
    }
}
