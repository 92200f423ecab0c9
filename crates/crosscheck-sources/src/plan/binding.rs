//! Which sentences a source is cited for.
//!
//! Contract: sources 4.

use crosscheck_judge::builtin::stems;
use serde::{Deserialize, Serialize};

use crate::read::cited::{Cited, site_label};
use crate::read::entry::Source;
use crate::read::sentence::Sentence;

/// How firmly a sentence is tied to a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// By the source's own claim, its URL or its number.
    Strong,
    /// It is the only source.
    Single,
    /// By the name of the site.
    Named,
    /// By words of the title.
    Title,
    /// Not at all.
    Unbound,
}

impl Strength {
    /// The word of the contract.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Single => "single",
            Self::Named => "named",
            Self::Title => "title",
            Self::Unbound => "unbound",
        }
    }

    /// Whether a failure can be held against the source.
    pub const fn can_accuse(self) -> bool {
        matches!(self, Self::Strong | Self::Single | Self::Named)
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Strong | Self::Single => 0,
            Self::Named => 1,
            Self::Title => 2,
            Self::Unbound => 3,
        }
    }
}

/// The sentences a source must support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// How firmly they are tied to it.
    pub strength: Strength,
    /// What is judged; empty when everything is conjecture.
    pub sentences: Vec<Sentence>,
}

/// Where a source is in the order of its entry: the central claim first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Centrality {
    rank: u8,
    without_figure: bool,
    position: usize,
    index: usize,
}

impl Binding {
    /// Binds a source of an entry; the first rule that yields anything wins. `site` is what the
    /// page calls its site.
    pub fn of(source: &Source, only: bool, text: &[Sentence], site: Option<&str>) -> Self {
        if let Some(claim) = &source.claim {
            return Self::strong(Sentence::all(claim));
        }
        let cited = literal(source, text);
        if !cited.is_empty() {
            return Self::strong(cited);
        }
        if only {
            return Self {
                strength: Strength::Single,
                sentences: concrete_or(text, 3),
            };
        }
        let named = pick(text, |sentence| names_site(sentence, &source.cited, site));
        if !named.is_empty() {
            return Self {
                strength: Strength::Named,
                sentences: named,
            };
        }
        let titled = by_title(source.title.as_deref(), text);
        if !titled.is_empty() {
            return Self {
                strength: Strength::Title,
                sentences: titled,
            };
        }
        Self::unbound(text)
    }

    /// Sentences of which none is tied to the source.
    pub fn unbound(text: &[Sentence]) -> Self {
        Self {
            strength: Strength::Unbound,
            sentences: concrete_or(text, usize::MAX),
        }
    }

    /// These sentences, tied to the source by the author.
    pub fn strong(sentences: Vec<Sentence>) -> Self {
        let sentences = sentences.into_iter().filter(Sentence::is_claim).collect();
        Self {
            strength: Strength::Strong,
            sentences,
        }
    }

    /// The sentence that matters most: with a figure, else with a quotation, else the first.
    pub fn central(&self) -> Option<&Sentence> {
        if let [only] = self.sentences.as_slice() {
            return Some(only); // as nearly always in documents
        }
        let with =
            |wanted: fn(&Sentence) -> bool| self.sentences.iter().find(|sentence| wanted(sentence));
        with(Sentence::has_figure)
            .or_else(|| with(|sentence| !sentence.quotations.is_empty()))
            .or_else(|| self.sentences.first())
    }

    /// Its place in the order of the entry.
    pub fn centrality(&self, index: usize) -> Centrality {
        Centrality {
            rank: self.strength.rank(),
            without_figure: !self.sentences.iter().any(Sentence::has_figure),
            position: self
                .sentences
                .first()
                .map_or(usize::MAX, |sentence| sentence.position),
            index,
        }
    }
}

fn pick(text: &[Sentence], wanted: impl Fn(&Sentence) -> bool) -> Vec<Sentence> {
    text.iter()
        .filter(|sentence| sentence.is_claim() && wanted(sentence))
        .cloned()
        .collect()
}

fn concrete_or(text: &[Sentence], most: usize) -> Vec<Sentence> {
    let concrete = pick(text, Sentence::is_concrete);
    if concrete.is_empty() {
        pick(text, |_| true).into_iter().take(most).collect()
    } else {
        concrete
    }
}

/// Sentences with the URL or the number of the source; where a sentence only
/// points to the source, the one before it in the paragraph.
fn literal(source: &Source, text: &[Sentence]) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    let is_own = |sentence: &Sentence| {
        let mut marks = sentence.marks.iter();
        sentence.contains_literally(&source.cited) || marks.any(|mark| source.places.contains(mark))
    };
    // A source is never judged on a sentence that cites another one.
    let is_free = |sentence: &Sentence| {
        is_own(sentence) || (sentence.marks.is_empty() && sentence.urls.is_empty())
    };
    for (at, sentence) in text.iter().enumerate().filter(|(_, one)| !one.formal) {
        if !is_own(sentence) {
            continue;
        }
        let bare = sentence.without(&source.cited);
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        let before =
            before.filter(|before| before.paragraph == sentence.paragraph && !before.formal);
        let chosen = match before {
            _ if !bare.only_points() => bare,
            Some(before) if !before.only_points() && is_free(before) => {
                before.without(&source.cited)
            }
            // "Source: URL" in a paragraph of its own says nothing; another rule binds.
            _ => continue,
        };
        if !found.iter().any(|known| known.position == chosen.position) {
            found.push(chosen);
        }
    }
    found
}

/// Whether the sentence names the site, with a capital letter.
fn names_site(sentence: &Sentence, cited: &Cited, site: Option<&str>) -> bool {
    let label = cited
        .host()
        .and_then(|host| site_label(&host))
        .filter(|label| label.chars().count() >= 4);
    let site = site.map(|site| {
        site.trim()
            .strip_prefix("The ")
            .unwrap_or(site.trim())
            .to_owned()
    });
    let names = [label, site];
    names
        .iter()
        .flatten()
        .any(|name| occurs(&squeeze(name), &sentence.text))
}

fn squeeze(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_whitespace() && !is_hyphen(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}')
}

/// Compares without spaces and hyphens; the occurrence starts a word with a
/// capital letter and ends one.
fn occurs(name: &str, text: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let chars: Vec<char> = text.chars().collect();
    chars.iter().enumerate().any(|(start, first)| {
        let fresh = start
            .checked_sub(1)
            .and_then(|at| chars.get(at))
            .is_none_or(|before| !before.is_alphanumeric());
        first.is_uppercase() && fresh && matches_at(name, chars.get(start..).unwrap_or_default())
    })
}

fn matches_at(name: &str, chars: &[char]) -> bool {
    let mut wanted = name.chars().peekable();
    for c in chars {
        let Some(next) = wanted.peek() else {
            return !c.is_alphanumeric();
        };
        if c.is_whitespace() || is_hyphen(*c) {
            continue;
        }
        if c.to_lowercase().next() != Some(*next) {
            return false;
        }
        wanted.next();
    }
    wanted.peek().is_none()
}

/// Sentences with two title words that are rare in the entry.
fn by_title(title: Option<&str>, text: &[Sentence]) -> Vec<Sentence> {
    let mut wanted = stems(title.unwrap_or_default());
    wanted.sort();
    wanted.dedup();
    let words: Vec<Vec<String>> = text.iter().map(|sentence| stems(&sentence.text)).collect();
    wanted.retain(|stem| {
        let uses = words.iter().filter(|words| words.contains(stem)).count();
        (1..=2).contains(&uses)
    });
    let rare = |words: &Vec<String>| wanted.iter().filter(|stem| words.contains(stem)).count() >= 2;
    text.iter()
        .zip(&words)
        .filter(|(sentence, words)| sentence.is_claim() && rare(words))
        .map(|(sentence, _)| sentence.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(url: &str, title: &str, place: usize) -> Source {
        Source {
            cited: Cited::new(url).into(),
            title: Some(title.to_owned()),
            claim: None,
            places: vec![place],
            at: None,
        }
    }

    fn bound(
        source: &Source,
        only: bool,
        text: &str,
        site: Option<&str>,
    ) -> (Strength, Vec<String>) {
        let binding = Binding::of(source, only, &Sentence::all(text), site);
        (
            binding.strength,
            binding
                .sentences
                .into_iter()
                .map(|sentence| sentence.text)
                .collect(),
        )
    }

    #[test]
    fn a_url_or_number_that_is_alone_binds_nothing_by_itself() {
        let source = source("http://a.example/x", "T", 1);
        let claim = "A survey counted 41,000 trees.";
        for tail in [
            "http://a.example/x",
            "Source: http://a.example/x",
            "Sources:\n- http://a.example/x",
            "[1] http://a.example/x",
            "[1]",
        ] {
            let text = format!("{claim}\n\n{tail}");
            assert_eq!(
                bound(&source, true, &text, None),
                (Strength::Single, vec![claim.to_owned()]),
                "{text}"
            );
        }
        let marked = format!(
            "{} [1].\n\n[1] http://a.example/x",
            "A survey counted 41,000 trees"
        );
        assert_eq!(
            bound(&source, true, &marked, None),
            (Strength::Strong, vec![claim.to_owned()])
        );
    }

    #[test]
    fn the_first_rule_that_yields_anything_wins() {
        let other = "http://other.example/";
        for (url, title, only, text, site, strength, first) in [
            (
                "http://a.example/x",
                "T",
                true,
                "Intro. Trees cool streets (http://a.example/x).",
                None,
                Strength::Strong,
                "Trees cool streets.",
            ),
            (
                "http://a.example/x",
                "T",
                false,
                "Trees cool streets. (http://a.example/x)",
                None,
                Strength::Strong,
                "Trees cool streets.",
            ),
            (
                "http://a.example/x",
                "T",
                false,
                "Intro. Trees cool streets [2].",
                None,
                Strength::Strong,
                "Trees cool streets.",
            ),
            (
                "http://a.example/x",
                "T",
                false,
                "A survey counted street trees. It was 58,000 [2].",
                None,
                Strength::Strong,
                "It was 58,000.",
            ),
            (
                other,
                "T",
                true,
                "Intro here. It counted 5 trees.",
                None,
                Strength::Single,
                "It counted 5 trees.",
            ),
            (
                "https://www.nature.com/x",
                "T",
                false,
                "Intro here. As Nature wrote, trees cool.",
                None,
                Strength::Named,
                "As Nature wrote, trees cool.",
            ),
            (
                "https://www.nature.com/x",
                "T",
                false,
                "Intro here. By nature, trees cool.",
                None,
                Strength::Unbound,
                "Intro here.",
            ),
            (
                "http://127.0.0.1/x",
                "T",
                false,
                "Intro here. The Urban-Forest Review wrote so.",
                Some("The Urban Forest Review"),
                Strength::Named,
                "The Urban-Forest Review wrote so.",
            ),
            (
                other,
                "Asthma admissions report",
                false,
                "Intro here. Asthma admissions fell.",
                None,
                Strength::Title,
                "Asthma admissions fell.",
            ),
            (
                other,
                "Nothing shared",
                false,
                "Intro here. It has 7 branches.",
                None,
                Strength::Unbound,
                "It has 7 branches.",
            ),
        ] {
            let (seen, texts) = bound(&source(url, title, 2), only, text, site);
            assert_eq!(
                (seen, texts.first().map(String::as_str)),
                (strength, Some(first)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_site_is_named_in_the_script_of_its_readers() {
        let text = "Intro here. As Bäume wrote, trees cool.";
        let seen = bound(&source("https://www.bäume.de/x", "T", 2), false, text, None);
        let named = vec!["As Bäume wrote, trees cool.".to_owned()];
        assert_eq!(seen, (Strength::Named, named));
    }

    #[test]
    fn a_source_without_a_title_is_bound_by_no_title() {
        let text = "The mayor visited the harbour. It counted 5 trees.";
        for title in [None, Some(String::new())] {
            let untitled = Source {
                title,
                ..source("http://other.example/", "T", 2)
            };
            let (strength, _) = bound(&untitled, false, text, None);
            assert_eq!(strength, Strength::Unbound);
        }
    }

    #[test]
    fn a_sources_own_claim_comes_first() {
        let own = Source {
            claim: Some("Trees cool.".into()),
            ..source("http://a.example/", "T", 1)
        };
        assert_eq!(
            bound(&own, true, "Text (http://a.example/) here.", None),
            (Strength::Strong, vec!["Trees cool.".to_owned()])
        );
    }

    #[test]
    fn conjecture_is_never_judged() {
        let one = source("http://a.example/x", "T", 1);
        assert_eq!(
            bound(
                &one,
                true,
                "[CONJECTURE] Rents may fall by 5% (http://a.example/x).",
                None
            ),
            (Strength::Strong, vec![])
        );
        assert_eq!(
            bound(&one, true, "[CONJECTURE] Rents may fall by 5%.", None),
            (Strength::Single, vec![])
        );
    }

    #[test]
    fn the_central_sentence_has_a_figure_else_a_quotation() {
        let all = Sentence::all(
            "Plain words here. It says \"every street deserves a tree\" too. It has 5 trees.",
        );
        let binding = |sentences: &[Sentence]| Binding {
            strength: Strength::Single,
            sentences: sentences.to_vec(),
        };
        assert_eq!(binding(&all).central().unwrap().position, 2);
        assert_eq!(binding(&all[..2]).central().unwrap().position, 1);
        assert_eq!(binding(&all[..1]).central().unwrap().position, 0);
    }

    #[test]
    fn the_central_claim_of_an_entry_comes_first() {
        let text =
            Sentence::all("Plain point [1]. It counted 5 trees [2]. It counted 6 trees [3].");
        let order = |place: usize| {
            Binding::of(&source("http://x.example/", "", place), false, &text, None)
                .centrality(place - 1)
        };
        let mut places = [(order(1), 1), (order(2), 2), (order(3), 3)];
        places.sort();
        assert_eq!(
            places.iter().map(|(_, place)| *place).collect::<Vec<_>>(),
            [2, 3, 1]
        );
    }
}
