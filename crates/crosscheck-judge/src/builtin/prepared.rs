//! A text prepared for judging: what does not depend on a claim is computed
//! once, when it is first needed, and shared by all claims on the text.

mod figures;
mod index;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxBuildHasher;

pub(super) use figures::{Figures, Mark};
pub(super) use index::{Index, Unit, UnitWord, UnitWords};

use crosscheck_language::lexicon::LEXICON;
use crosscheck_language::quantity::{Origin, Quantity};
use crosscheck_language::text::normal::{lowered, normal};
use crosscheck_language::text::{
    Beginnings, Rewritten, collapse, is_content, is_prose, normalise, stem_into,
};

/// Longer texts are not judged; offsets have 32 bits.
pub const MAX_TEXT_BYTES: usize = 1 << 31;

/// A text that claims are compared with.
///
/// Memory: about ten bytes for each byte of English prose whose words are all
/// read; single letters take 25.
#[derive(Debug, Default)]
pub struct Text<'t> {
    source: Cow<'t, str>,
    normal: OnceLock<Option<Rewritten>>,
    lower: OnceLock<Rewritten>,
    index: OnceLock<Index>,
    /// Whether each unit may have a word that begins a quantity or stands for one.
    number_words: OnceLock<Vec<bool>>,
    collapsed: OnceLock<Option<String>>,
}

impl<'t> Text<'t> {
    /// A text; nothing is computed yet.
    pub fn new(source: impl Into<Cow<'t, str>>) -> Self {
        Self {
            source: source.into(),
            ..Self::default()
        }
    }

    /// The original text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether a quotation is in the text, ignoring letter case, white space,
    /// typographic quotes, back-quotes and a final `.`, `,` or `;`.
    pub fn quotes(&self, quotation: &str) -> bool {
        self.find(quotation).is_some()
    }

    /// Where in the text a quotation first begins.
    pub fn place_of(&self, quotation: &str) -> Option<usize> {
        let at = self.find(quotation)?;
        Some(self.source_before_lower(at).len())
    }

    fn find(&self, quotation: &str) -> Option<usize> {
        let wanted = lowered(&normalise(quotation)).text;
        let wanted = wanted.trim_end_matches(['.', ',', ';']).trim_end();
        memchr::memmem::find(self.lower().text.as_bytes(), wanted.as_bytes())
    }

    /// Whether these quotations are in the text, one after the other.
    pub fn quotes_in_order(&self, quotations: &[String]) -> bool {
        let mut rest = self.lower().text.as_str();
        quotations.iter().all(|quotation| {
            let wanted = lowered(&normalise(quotation)).text;
            let wanted = wanted.trim_end_matches(['.', ',', ';']).trim();
            let found = rest.split_once(wanted);
            rest = found.map_or(rest, |(_, behind)| behind);
            found.is_some()
        })
    }

    /// The piece of the text with these words, ignoring letter case and white space.
    pub fn locate(&self, words: &str) -> Option<&str> {
        let wanted = lowered(&normalise(words)).text;
        let lower = self.lower().text.as_bytes();
        let at = memchr::memmem::find(lower, wanted.as_bytes())?;
        (!wanted.is_empty()).then(|| self.source_of_lower(at..at + wanted.len()))
    }

    /// Whether the quantity occurs in the text.
    pub fn has(&self, wanted: &Quantity) -> bool {
        self.figures().has(wanted)
    }

    /// How the quantity comes from figures that the text has close together: `$1,299` and `$200 more`.
    pub fn origin(&self, wanted: &Quantity) -> Option<Origin> {
        self.figures().origin(wanted)
    }

    /// Whether the quantity comes from figures that the text has close together.
    pub fn makes(&self, wanted: &Quantity) -> bool {
        self.origin(wanted).is_some()
    }

    /// The distinct stems of the text, in order; no more is read than is asked for.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        // The text chooses the keys, so the hash is keyed with a secret.
        let mut seen: HashSet<&str, foldhash::fast::RandomState> = HashSet::default();
        let units = (0..self.index().units.len()).filter_map(|unit| self.words(unit));
        let stems = units.flat_map(UnitWords::stems).map(AsRef::as_ref);
        stems.filter(move |stem| seen.insert(stem))
    }

    /// Whether a word with this stem is in the text.
    pub fn has_stem(&self, stem: &str) -> bool {
        let wanted = HashMap::from_iter([(stem, 0u32)]);
        self.units_with(&wanted).next().is_some()
    }

    /// The units with a word that has one of these stems, and what belongs to the stems, in order and with
    /// repetitions. Other words are not read.
    pub(super) fn units_with<T: Copy>(
        &self,
        stems: &HashMap<&str, T, FxBuildHasher>,
    ) -> impl Iterator<Item = (usize, Vec<T>)> {
        let beginnings = Beginnings::of_stems(stems.keys().copied());
        let mut stem = String::new();
        let units = self.index().units.iter().enumerate();
        units.filter_map(move |(number, unit)| {
            let mut found = Vec::new();
            let seen = beginnings.look(self.unit(unit), &mut |word| {
                let entry = LEXICON.word(word);
                if is_content(word, entry) {
                    stem_into(word, entry, &mut stem);
                    found.extend(stems.get(stem.as_str()));
                }
                false
            });
            if seen.is_none() {
                let all = self.words(number).into_iter().flat_map(UnitWords::stems);
                found = all
                    .filter_map(|stem| stems.get(stem.as_str()).copied())
                    .collect();
            }
            (!found.is_empty()).then_some((number, found))
        })
    }

    /// The words of a unit.
    pub(super) fn words(&self, unit: usize) -> Option<&UnitWords> {
        self.index().words(unit, self.flat())
    }

    fn normal(&self) -> Option<&Rewritten> {
        self.normal.get_or_init(|| normal(&self.source)).as_ref()
    }

    /// The text in normal form.
    pub(super) fn normal_text(&self) -> &str {
        self.normal().map_or(&self.source, |normal| &normal.text)
    }

    /// Lower-case, collapsed, without back-quotes.
    pub(super) fn lower(&self) -> &Rewritten {
        self.lower.get_or_init(|| lowered(self.normal_text()))
    }

    /// Its units and words.
    pub(super) fn index(&self) -> &Index {
        let text = self.normal_text();
        self.index.get_or_init(|| Index::of(text, is_prose(text)))
    }

    /// Its quantities.
    pub(super) const fn figures(&self) -> Figures<'_> {
        Figures::of(self)
    }

    /// The text that units refer to: normal, and collapsed if it is prose.
    pub(super) fn flat(&self) -> &str {
        let flat = self.index().flat.as_ref();
        flat.map_or_else(|| self.normal_text(), |flat| &flat.text)
    }

    /// The text of a unit.
    pub(super) fn unit(&self, unit: &Unit) -> &str {
        self.flat().get(unit.range()).unwrap_or_default()
    }

    /// The normal text with single blanks and no line feeds.
    pub(super) fn collapsed(&self) -> &str {
        let text = self.normal_text();
        let made = self.collapsed.get_or_init(|| match collapse(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(collapsed) => Some(collapsed),
        });
        made.as_deref().unwrap_or(text)
    }

    /// The piece of the source that corresponds to this part of the flat text.
    pub(super) fn source_of(&self, flat: Range<usize>) -> &str {
        let range = self.source_range(flat);
        self.source.get(range).unwrap_or_default().trim()
    }

    /// Where this part of the flat text is in the source.
    pub(super) fn source_range(&self, flat: Range<usize>) -> Range<usize> {
        let range = match &self.index().flat {
            Some(made) => made.start(flat.start)..made.end(flat.end, self.normal_text().len()),
            None => flat,
        };
        self.normal_range(range)
    }

    /// The piece of the source that corresponds to this part of the lower-case
    /// text.
    pub(super) fn source_of_lower(&self, lower: Range<usize>) -> &str {
        let made = self.lower();
        let end = made.end(lower.end, self.normal_text().len());
        let range = self.normal_range(made.start(lower.start)..end);
        self.source.get(range).unwrap_or_default().trim()
    }

    /// The source before this position of the lower-case text.
    pub(super) fn source_before_lower(&self, at: usize) -> &str {
        let start = self.lower().start(at);
        let start = self.normal().map_or(start, |made| made.start(start));
        self.source.get(..start).unwrap_or_default()
    }

    /// Whether a tab, the border of a column, is in this part of the flat text.
    pub(super) fn has_tab(&self, flat: Range<usize>) -> bool {
        let piece = self.source.get(self.source_range(flat.clone()));
        !flat.is_empty() && piece.is_some_and(|piece| piece.contains('\t'))
    }

    fn normal_range(&self, range: Range<usize>) -> Range<usize> {
        match self.normal() {
            Some(made) => made.start(range.start)..made.end(range.end, self.source.len()),
            None => range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscheck_language::quantity::quantities;

    #[test]
    fn a_quotation_is_found_whatever_its_marks() {
        let text = Text::new("It uses\n“one  common” `cache` for ALL tenants.");
        assert!(text.quotes("uses \"one common\" cache for all"));
        assert!(text.quotes("One common” `cache`,"));
        assert!(!text.quotes("one common store"));
    }

    #[test]
    fn figures_and_stems_of_the_whole_text_are_found() {
        let text = Text::new("Does it take 30 s? It took 41,000 trees.\n\nIn May 2020 it ended.");
        let one = |text: &str| quantities(text).remove(0);
        assert!(text.has(&one("30000 ms")) && text.has(&one("41000")) && text.has(&one("2020")));
        assert!(!text.has(&one("42,000")));
        assert!(text.has_stem("tre") && text.has_stem("end") && !text.has_stem("the"));
        assert_eq!(
            text.stems().collect::<Vec<_>>(),
            ["tak", "took", "tre", "end"]
        );
    }

    proptest::proptest! {
        #[test]
        fn a_look_at_the_beginnings_finds_the_stems_of_every_unit(
            text in "([a-zA-Z0-9_' .,+#é-]{0,9}|([a-z]{1,7}(ies|ied|s|es|ed|ing|ly|e|y)?[ .]?){1,4}|The server stopped\\. )*",
            other in "[a-z]{1,3}",
        ) {
            let text = Text::new(text);
            let units = 0..text.index().units.len();
            let all: HashSet<&str> = text.stems().chain([other.as_str()]).collect();
            // All stems, and each alone.
            for wanted in all.iter().map(|stem| vec![*stem]).chain([all.iter().copied().collect()]) {
                let wanted: HashMap<&str, usize, FxBuildHasher> = wanted.into_iter().zip(0..).collect();
                let plain: Vec<(usize, Vec<usize>)> = units
                    .clone()
                    .map(|unit| {
                        let stems = text.words(unit).into_iter().flat_map(UnitWords::stems);
                        (unit, stems.filter_map(|stem| wanted.get(stem.as_str()).copied()).collect())
                    })
                    .filter(|(_, found): &(usize, Vec<usize>)| !found.is_empty())
                    .collect();
                proptest::prop_assert_eq!(text.units_with(&wanted).collect::<Vec<_>>(), plain);
            }
        }
    }

    #[test]
    fn a_part_leads_back_to_the_source() {
        let source = "intro\r\n\r\nOne ﬁne\r\n  day. Two.";
        let text = Text::new(source);
        let unit = text.index().units[0];
        assert_eq!(text.source_of(unit.range()), "intro");
        let long = Text::new("This is a longer “line”\r\nof text. It goes on here and there.");
        let unit = long.index().units[0];
        assert_eq!(long.unit(&unit), "This is a longer \"line\" of text.");
        assert_eq!(
            long.source_of(unit.range()),
            "This is a longer “line”\r\nof text."
        );
    }
}
