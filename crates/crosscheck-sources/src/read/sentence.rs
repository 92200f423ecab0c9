//! The sentences of an entry or paragraph, made ready for judging.

mod tidy;

use std::ops::Range;

use crosscheck_judge::builtin::{collapse, has_figure, has_quantity, normalise, sentences, stems};

use self::tidy::{GONE, tidy, with_early_marks, without_list_mark, without_marks};
use crate::lists::list;
use crate::pattern::pattern;
use crate::read::cited::Cited;
use crate::read::identifier::identifiers_in;
use crate::read::names::{with_capitals, without_capitals};
use crate::read::urls::{plain, urls_in};

const LABEL: &str = "[CONJECTURE]";
const QUOTE_WORDS: usize = 4;
const QUOTE_CHARS: usize = 12;

list! {
    /// First words of a sentence that says where something is.
    POINTING, "pointing"
}
list! {
    /// Parts of a source.
    PARTS, "parts"
}
list! {
    MONTHS, "months"
}
/// Whether a word is a month, in English or German.
pub(crate) fn is_month(word: &str) -> bool {
    MONTHS.contains(word)
}

list! {
    /// Words that are beside the name of a source.
    SMALL, "small"
}

pattern! {
    /// What a formal source challenge (rule 15) says before its own words.
    CHALLENGE, r"^\s*SOURCE CHALLENGE: seq \d+\s*[-:.,]*\s*"
}

pattern! {
    /// What a formal source correction (rule 17) says before its own words.
    CORRECTION, r"^\s*SOURCE CORRECTION for seq \d+: replacing \S+ with \S+ -+\s*"
}

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// As it is judged: without URLs and citation marks.
    pub text: String,
    /// Normalised and collapsed, with everything in it.
    pub written: String,
    /// Its paragraph.
    pub paragraph: usize,
    /// Its place in the text.
    pub position: usize,
    /// The keys of the URLs in it.
    pub urls: Vec<String>,
    /// Numbers of the citation marks in it.
    pub marks: Vec<usize>,
    /// What it quotes: at least four words and twelve characters.
    pub quotations: Vec<String>,
    /// Labelled as conjecture, itself or by its paragraph: never judged.
    pub conjecture: bool,
    /// Says which source replaces which, and nothing about the world: never
    /// judged, and no citation of what it names.
    pub formal: bool,
}

impl Sentence {
    fn of(written: &str, paragraph: usize, position: usize) -> Self {
        let written = collapse(written).into_owned();
        let found = citations(&written);
        let mut plain = written.clone();
        for (range, _) in found.iter().rev() {
            plain.replace_range(range.clone(), GONE);
        }
        let urls = found.iter().map(|(_, url)| Cited::key_of(url)).collect();
        let (plain, marks) = without_marks(&plain);
        let text = tidy(without_list_mark(&plain));
        Self {
            quotations: quotations(&text),
            text,
            written,
            paragraph,
            position,
            urls,
            marks,
            conjecture: false,
            formal: false,
        }
    }

    /// The sentences of a debate entry. The prescribed words of a source
    /// challenge or correction are not a claim; what follows those of a
    /// correction is one where it gives a figure or a quotation.
    pub fn of_entry(content: &str) -> Vec<Self> {
        if !content.trim_start().starts_with("SOURCE C") {
            return Self::all(content);
        }
        let content = normalise(&plain(content));
        if let Some(form) = CHALLENGE.find(&content) {
            return Self::all(content.get(form.end()..).unwrap_or_default());
        }
        if !content.trim_start().starts_with("SOURCE CORRECTION") {
            return Self::all(&content);
        }
        let corrected = CORRECTION
            .find(&content)
            .and_then(|form| content.get(form.end()..));
        let mut found = Self::all(corrected.unwrap_or(&content));
        if let Some(first) = found.first_mut() {
            first.formal = corrected.is_none() || !first.is_concrete();
        }
        found
    }

    /// Whether it can be judged.
    pub fn is_claim(&self) -> bool {
        !self.conjecture && !self.formal
    }

    /// The sentences of a text, with conjecture marked. One may begin with a name that is
    /// written small.
    pub fn all(text: &str) -> Vec<Self> {
        let text = normalise(&plain(text));
        let mut found: Vec<Self> = Vec::new();
        for (number, paragraph) in paragraphs(&text).into_iter().enumerate() {
            let mut after_label = false;
            for long in sentences(&with_early_marks(&with_capitals(&paragraph))) {
                for piece in bounded(&without_capitals(&long)) {
                    let mut sentence = Self::of(piece, number, found.len());
                    let starts = sentence
                        .written
                        .trim_start_matches(['-', '*', '+', '#', '>', ' '])
                        .starts_with(LABEL);
                    after_label |= sentence.written.contains(LABEL);
                    let cites = !sentence.urls.is_empty() || !sentence.marks.is_empty();
                    sentence.conjecture = starts || (after_label && !cites);
                    found.push(sentence);
                }
            }
        }
        found
    }

    /// Whether it holds a number, date or version written with digits.
    pub fn has_figure(&self) -> bool {
        has_figure(&self.text)
    }

    /// Whether it holds a word that says something by itself.
    pub fn has_words(&self) -> bool {
        !stems(&self.text).is_empty()
    }

    /// Whether it only points to a source: `See.`, `Reuters, 2021.`, `Page 12.`
    /// In however few words, what has a figure or a verb claims something.
    pub fn only_points(&self) -> bool {
        let text = self.text.to_lowercase();
        let stems = stems(&text);
        if stems.len() >= 2 || !self.quotations.is_empty() {
            return false;
        }
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let (numbers, words): (Vec<&str>, Vec<&str>) = words
            .into_iter()
            .partition(|word| word.starts_with(|c: char| c.is_numeric()));
        let is_fact = matches!(
            words.get(..2),
            Some(["published" | "updated", "in" | "at" | "under" | "as"])
        );
        if is_fact {
            return false; // "Published in 1999", not "Published 3 May 2021"
        }
        if words.first().is_some_and(|first| POINTING.contains(*first)) {
            return true;
        }
        if stems.is_empty() && numbers.is_empty() && !has_quantity(&text) {
            return true;
        }
        let is_part = words.iter().any(|word| PARTS.contains(*word));
        let has_month = words.iter().any(|word| MONTHS.contains(*word));
        let is_date = |number: &&str| {
            let is_year = number.len() == 4 && number.starts_with(['1', '2']);
            is_year || (has_month && number.len() <= 2)
        };
        let counts = if numbers.is_empty() {
            has_quantity(&text)
        } else {
            !is_part && !numbers.iter().all(is_date)
        };
        let is_small = |word: &&&str| {
            [&SMALL, &PARTS, &MONTHS]
                .iter()
                .any(|words| words.contains(**word))
        };
        let mut others = words.iter().filter(|word| !is_small(word));
        let name = others.next();
        let is_verb = name.is_some_and(|word| word.ends_with("ed"));
        !counts && !is_verb && others.next().is_none() && (name.is_none() || !stems.is_empty())
    }

    /// Whether it holds a figure or a quotation.
    pub fn is_concrete(&self) -> bool {
        self.has_figure() || !self.quotations.is_empty()
    }

    /// Whether the cited text is in it literally.
    pub fn contains_literally(&self, cited: &Cited) -> bool {
        if self.urls.contains(&cited.key) {
            return true;
        }
        let text = as_written(cited);
        !text.is_empty()
            && self.written.match_indices(&text).any(|(at, _)| {
                let after = self.written.get(at + text.len()..).unwrap_or_default();
                !continues(after)
            })
    }

    /// The sentence without this cited text in it.
    #[must_use]
    pub fn without(&self, cited: &Cited) -> Self {
        let text = as_written(cited);
        if text.is_empty() || !self.text.contains(&text) {
            return self.clone();
        }
        self.with_words(&self.text.replace(&text, GONE))
    }

    /// The sentence with other words.
    #[must_use]
    pub fn with_words(&self, words: &str) -> Self {
        let text = tidy(words);
        Self {
            quotations: quotations(&text),
            text,
            ..self.clone()
        }
    }
}

/// URLs and identifiers of a sentence: they say where, not what.
fn citations(written: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = urls_in(written)
        .into_iter()
        .filter_map(|range| Some((range.clone(), written.get(range)?.to_owned())))
        .collect();
    let urls = found.len();
    for (range, url) in identifiers_in(written) {
        let known = found.get(..urls).unwrap_or_default();
        let before = known.partition_point(|(known, _)| known.start <= range.start);
        let last = before.checked_sub(1).and_then(|at| known.get(at));
        if !last.is_some_and(|(known, _)| known.contains(&range.start)) {
            found.push((range, url));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

/// A cited text as it stands in a sentence that holds it.
fn as_written(cited: &Cited) -> String {
    normalise(&plain(cited.text.trim()))
}

/// Whether a URL goes on here: `http://a/x` is not in `http://a/xy`.
fn continues(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        Some(c) if c.is_alphanumeric() || "-_~%=&+#@".contains(c) => true,
        Some('.' | '?' | ':' | '/') => chars.next().is_some_and(char::is_alphanumeric),
        _ => false,
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if line.trim().is_empty() {
            open = false;
        } else if let Some(last) = found.last_mut().filter(|_| open) {
            last.push('\n');
            last.push_str(line);
        } else {
            found.push(line.to_owned());
            open = true;
        }
    }
    found
}

/// A text without an end of a sentence for this long is none, in bytes.
const SENTENCE_MAX: usize = 2048;

/// The pieces of a sentence that is too long to be one, cut between words.
fn bounded(sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = sentence;
    while rest.len() > SENTENCE_MAX {
        let most = rest.floor_char_boundary(SENTENCE_MAX);
        let (head, _) = rest.split_at(most);
        let end = head
            .rfind(char::is_whitespace)
            .filter(|at| *at > 0)
            .unwrap_or(most);
        let (piece, others) = rest.split_at(end);
        pieces.push(piece);
        rest = others;
    }
    pieces.push(rest);
    pieces
}

/// Text between double quotes that is long enough to be found again. A title
/// is not a quotation, nor is what is between two inches.
fn quotations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    for (at, _) in text.match_indices('"') {
        let head = text.get(..at).unwrap_or_default();
        match start.take() {
            Some(start) => found.extend(text.get(start..at).map(str::trim)),
            None if head.ends_with(|c: char| c.is_ascii_digit()) => {}
            None => start = Some(at + 1),
        }
    }
    let is_long = |quote: &&str| {
        quote.split_whitespace().count() >= QUOTE_WORDS && quote.chars().count() >= QUOTE_CHARS
    };
    let found = found.into_iter().filter(is_long);
    found
        .filter(|quote| !is_title(quote))
        .map(str::to_owned)
        .collect()
}

/// Whether every word but the small ones has a capital letter: `Songs of the Western Sea`.
pub(crate) fn is_title(quote: &str) -> bool {
    const SMALL_MAX: usize = 4;
    let mut words = quote.split_whitespace();
    words.all(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_small = word.chars().count() <= SMALL_MAX && word.starts_with(char::is_lowercase);
        is_small || word.starts_with(char::is_uppercase)
    }) && quote.starts_with(char::is_uppercase)
        && quote
            .split_whitespace()
            .filter(|word| word.starts_with(char::is_uppercase))
            .count()
            > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_marks_are_no_part_of_what_is_judged() {
        for (text, judged) in [
            (
                "Trees cool by 3.2 degrees (http://a.example/x).",
                "Trees cool by 3.2 degrees.",
            ),
            (
                "Trees cool by 3.2 degrees (doi:10.1038/nature12373).",
                "Trees cool by 3.2 degrees.",
            ),
            ("Trees cool (arXiv:2101.00001; PMID: 12345).", "Trees cool."),
            ("Trees cool [1]. ", "Trees cool."),
            ("Trees cool ([notes](http://a.example/x)).", "Trees cool."),
            (
                "Trees cool ([the full report](http://a.example/x)) streets.",
                "Trees cool streets.",
            ),
            (
                "Trees cool ([in Madrid](http://a.example/x)).",
                "Trees cool (in Madrid).",
            ),
            ("Trees **cool** [1, 2][4] streets.", "Trees cool streets."),
            (
                "As [the review](http://a.example/x) says, trees cool.",
                "As the review says, trees cool.",
            ),
            (
                "See http://a.example/x, http://b.example/y: trees cool.",
                "See, : trees cool.",
            ),
        ] {
            assert_eq!(Sentence::all(text)[0].text, judged, "{text}");
        }
        assert_eq!(Sentence::all("A [1, 3-5].")[0].marks, [1, 3, 4, 5]);
        let late = Sentence::all("Trees cool streets.[1][2] Oaks are old.");
        assert_eq!((late.len(), late[0].marks.as_slice()), (2, &[1, 2][..]));
    }

    #[test]
    fn a_text_without_any_end_is_cut_into_pieces() {
        let all = Sentence::all(&"see [1]. ".repeat(2_000));
        assert!(all.len() > 3);
        assert!(all.iter().all(|one| one.written.len() <= SENTENCE_MAX));
        let marks: usize = all.iter().map(|one| one.marks.len()).sum();
        assert_eq!(marks, 2_000);
    }

    #[test]
    fn a_mark_behind_a_full_stop_belongs_to_the_sentence_before() {
        let marks = |text: &str| -> Vec<Vec<usize>> {
            let all = Sentence::all(text).into_iter();
            all.map(|sentence| sentence.marks).collect()
        };
        for text in [
            "It grew by 42 %. [1] Streets were cooler. [2]",
            "It grew by 42 %.[1] Streets were cooler.[2]",
            "It grew \"by 42 %.\"[1] Streets were cooler [2].",
            "It grew by 42 %. [1]\nStreets were cooler. [2]",
            "[CONJECTURE] It grew by 42 %. [1] Streets were cooler. [2]",
        ] {
            assert_eq!(marks(text), [[1], [2]], "{text}");
        }
        let text = "It grew by 42 %. [1] [3] Streets were cooler. Oaks are old.";
        assert_eq!(marks(text), [vec![1, 3], vec![], vec![]]);
        assert_eq!(
            Sentence::all(text)[0].text,
            "It grew by 42 %.",
            "the words stay as they are"
        );
        // here the mark is a word of the sentence that follows
        for text in [
            "Trees grow. [1] shows that streets were cooler.",
            "See below.\n[1] Streets were cooler.",
        ] {
            assert_eq!(marks(text), [vec![], vec![1]], "{text}");
        }
        let text = "[1] Oaks are old. [2] Streets were cooler.";
        assert_eq!(marks(text), [[1], [2]], "{text}");
    }

    #[test]
    fn a_url_in_brackets_behind_a_full_stop_belongs_to_the_sentence_before() {
        let all =
            Sentence::all("Oaks are old. (http://a.example/x) Streets cool. (http://b.example/y)");
        let cites = |nth: usize, url: &str| all[nth].contains_literally(&Cited::new(url));
        assert_eq!(all.len(), 2);
        assert!(cites(0, "http://a.example/x") && !cites(0, "http://b.example/y"));
        assert!(cites(1, "http://b.example/y") && !cites(1, "http://a.example/x"));
        assert_eq!(all[0].text, "Oaks are old.");
    }

    #[test]
    fn only_the_place_of_a_url_is_tidied() {
        for (text, judged) in [
            (
                "It says \"trees were ... cooler on summer days\" [1].",
                "It says \"trees were ... cooler on summer days\".",
            ),
            (
                "Use the .NET version ( and more ) of foo() ( http://a.example/x ).",
                "Use the .NET version ( and more ) of foo().",
            ),
            ("Why ? Nobody knows", "Why ? Nobody knows"),
        ] {
            let all = Sentence::all(text);
            let whole: Vec<&str> = all.iter().map(|sentence| sentence.text.as_str()).collect();
            assert_eq!(whole.join(" "), judged, "{text}");
        }
        let quoting = Sentence::all("It says \"trees were ... cooler on summer days\" [1].");
        assert_eq!(
            quoting[0].quotations,
            ["trees were ... cooler on summer days"]
        );
    }

    #[test]
    fn the_form_of_a_source_challenge_is_no_claim() {
        for form in ["SOURCE CHALLENGE: seq 9 — ", "SOURCE CHALLENGE: seq 9. "] {
            let all = Sentence::of_entry(&format!("{form}Trees cool streets."));
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].text, "Trees cool streets.");
            assert!(all[0].is_claim() && !all[0].has_figure());
        }
    }

    #[test]
    fn the_form_of_a_source_correction_is_no_claim() {
        let form =
            "SOURCE CORRECTION for seq 3: replacing http://o.example/x with http://a.example/t —";
        let claims = |text: &str| -> Vec<String> {
            let all = Sentence::of_entry(text).into_iter();
            all.filter(Sentence::is_claim)
                .map(|sentence| sentence.text)
                .collect()
        };
        let claim = "It counted 41,000 trees.";
        for corrected in ["moved.", "the link was mistyped."] {
            assert_eq!(claims(&format!("{form} {corrected}\n\n{claim}")), [claim]);
            assert_eq!(claims(&format!("{form} {corrected} {claim}")), [claim]);
        }
        assert_eq!(claims(&format!("{form} {claim}")), [claim]);
        assert!(claims(&format!("{form} moved")).is_empty());
        assert_eq!(
            claims(&format!(
                "SOURCE CORRECTION: seq 3 had a wrong link. {claim}"
            )),
            [claim]
        );
    }

    #[test]
    fn figures_are_written_with_digits_and_years_are_none() {
        for (text, expected) in [
            ("It counted 41,000 trees.", true),
            ("It was in 2024.", false),
            ("On 3 May 2024 it rained.", true),
            ("Version v1.2.3 is out.", true),
            ("Two thousand trees grow.", false),
            ("See [7].", false),
            ("1. Trees grow.", false),
            ("- 12) Trees grow.", false),
            ("-5 degrees is cold.", true),
        ] {
            assert_eq!(Sentence::all(text)[0].has_figure(), expected, "{text}");
        }
    }

    #[test]
    fn quotations_need_four_words_and_twelve_characters() {
        for (text, count) in [
            ("It says “every street deserves a tree” there.", 1),
            ("It says \"a b c d\".", 0),
            ("It says \"only three words\".", 0),
            ("An inch is 2\" and no quotation follows here.", 0),
            ("A 12\" monitor and the 15\" screen were sold.", 0),
            ("The album \"Songs of the Western Sea\" sold well.", 0),
            ("She said \"We in Rome will plant\" there.", 1),
            ("Er sagte \"Die Stadt Rom hat jetzt Bäume\" dazu.", 1),
        ] {
            assert_eq!(Sentence::all(text)[0].quotations.len(), count, "{text}");
        }
    }

    #[test]
    fn a_label_holds_to_the_end_of_its_paragraph_unless_a_sentence_cites() {
        let text = "Facts first. [CONJECTURE] Perhaps so. And thus. But this is known [1]. Or not.\n\nA new paragraph.";
        let labelled: Vec<bool> = Sentence::all(text)
            .iter()
            .map(|sentence| sentence.conjecture)
            .collect();
        assert_eq!(labelled, [false, true, true, false, true, false]);
        assert!(Sentence::all("[CONJECTURE] It may be [1].")[0].conjecture);
    }

    #[test]
    fn a_url_with_signs_of_emphasis_in_it_is_in_its_sentence() {
        for url in [
            "http://a.example/t__x",
            "http://a.example/a**b",
            "a.com/t__x",
        ] {
            let all = Sentence::all(&format!("**Oaks** cost 99 euros ({url}). Elms."));
            let cited = Cited::new(url);
            assert!(all[0].contains_literally(&cited), "{url}");
            assert_eq!(all[0].without(&cited).text, "Oaks cost 99 euros.");
        }
    }

    #[test]
    fn a_url_is_in_its_sentence_whatever_is_glued_to_it() {
        let cited = Cited::new("http://a.example/x");
        for glued in [
            "—as they say",
            "–as they say",
            "\u{2010}as they say",
            "−5 of them",
            "/",
            "~~",
            "&gt;",
            "’s page",
            "\u{200b}now",
            "，too",
            "[9]",
            "…",
            "«",
            "。",
        ] {
            let all = Sentence::all(&format!(
                "Oaks cost 99 euros here http://a.example/x{glued} now."
            ));
            assert!(all[0].contains_literally(&cited), "{glued}");
            assert!(
                all[0].text.starts_with("Oaks cost 99 euros here"),
                "{glued}"
            );
        }
        let dashed = Cited::new("http://a.example/cost–benefit");
        let all = Sentence::all("Oaks cost 99 euros (http://a.example/cost–benefit).");
        assert!(all[0].contains_literally(&dashed));
        let minus = Sentence::all("Oaks grow http://a.example/x—5 metres high.");
        assert_eq!(minus[0].text, "Oaks grow - 5 metres high.");
    }

    #[test]
    fn a_url_is_not_found_inside_a_longer_one() {
        let cited = Cited::new("http://a.example/x");
        for (text, expected) in [
            ("See http://a.example/x.", true),
            ("See (http://a.example/x#part).", true),
            ("See http://a.example/xy.", false),
            ("See http://a.example/x/y.", false),
            ("See http://a.example/x/ now.", true),
        ] {
            assert_eq!(
                Sentence::all(text)[0].contains_literally(&cited),
                expected,
                "{text}"
            );
        }
    }
}
