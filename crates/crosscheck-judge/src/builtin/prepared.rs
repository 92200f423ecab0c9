//! A text prepared for judging: what does not depend on a claim is computed
//! once, when it is first needed, and shared by all claims on the text.

mod figures;
mod index;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

pub(super) use figures::{Figures, Mark};
pub(super) use index::{Index, Unit, UnitWord, UnitWords};

use super::quantity::Quantity;
use super::text::normal::{lowered, normal};
use super::text::{Beginnings, Rewritten, collapse, is_prose, normalise};

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
    figures: OnceLock<Figures>,
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
        let wanted = lowered(&normalise(quotation)).text;
        let wanted = wanted.trim_end_matches(['.', ',', ';']).trim_end();
        memchr::memmem::find(self.lower().text.as_bytes(), wanted.as_bytes()).is_some()
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
        let mut values = self.figures().values.iter();
        values.any(|value| wanted.means(value) || wanted.allows(value))
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
        let beginnings = Beginnings::of_stems([stem]);
        let mut units = self.units_with(&beginnings);
        units.any(|(_, words)| words.stems().any(|own| own == stem))
    }

    /// The units that may have a word with one of these beginnings, and their words.
    pub(super) fn units_with(
        &self,
        beginnings: &Beginnings,
    ) -> impl Iterator<Item = (usize, &UnitWords)> {
        let units = self.index().units.iter().enumerate();
        let units = units.filter(|(_, unit)| beginnings.may_be_in(self.unit(unit)));
        units.filter_map(|(number, _)| Some((number, self.words(number)?)))
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
    pub(super) fn figures(&self) -> &Figures {
        self.figures.get_or_init(|| Figures::of(self))
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
    use super::super::quantity::quantities;
    use super::*;

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
