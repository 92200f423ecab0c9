//! The units of a text and their words. Words and figures are read unit by unit, when they are first needed:
//! a claim needs those of the few units that may have one of its stems or figures.

use std::ops::Range;
use std::sync::OnceLock;

use smol_str::SmolStr;

use super::figures::UnitFigures;
use crosscheck_language::lexicon::{LEXICON, List, WordEntry};
use crosscheck_language::text::{
    Rewritten, Style, blocks, cut_sentences, each_word, is_content, is_negation, lines, stem_into,
};

/// Everything about a text that does not depend on a claim.
#[derive(Debug, Default)]
pub(in crate::builtin) struct Index {
    pub(in crate::builtin) prose: bool,
    /// The collapsed text, if it differs from the normal text.
    pub(in crate::builtin) flat: Option<Rewritten>,
    pub(in crate::builtin) units: Vec<Unit>,
    /// The words of each unit, where they were read.
    words: Vec<OnceLock<UnitWords>>,
    /// The quantities of each unit, where they were read.
    pub(super) figures: Vec<OnceLock<Option<Box<UnitFigures>>>>,
}

/// A sentence of prose, or a line of any other text.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::builtin) struct Unit {
    start: u32,
    end: u32,
    /// It ends in a question mark.
    pub(in crate::builtin) question: bool,
}

/// The words of a unit.
#[derive(Debug, Default)]
pub(in crate::builtin) struct UnitWords {
    pub(in crate::builtin) all: Box<[UnitWord]>,
    /// It has a word that matters for polarity.
    pub(in crate::builtin) turns: bool,
}

/// A word of a unit.
#[derive(Debug)]
pub(in crate::builtin) struct UnitWord {
    pub(in crate::builtin) entry: Option<&'static WordEntry>,
    /// Its stem, if it is a content word.
    pub(in crate::builtin) stem: Option<SmolStr>,
    pub(in crate::builtin) negation: bool,
    /// Its position in the unit.
    start: u32,
    len: u32,
}

impl Unit {
    pub(in crate::builtin) const fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl UnitWord {
    pub(in crate::builtin) const fn range(&self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl Index {
    /// Cuts a text in normal form.
    pub(super) fn of(normal: &str, prose: bool) -> Self {
        let (flat, ranges) = if prose {
            let (flat, blocks) = blocks(normal);
            let text = flat.as_ref().map_or(normal, |flat| &flat.text);
            let mut found = Vec::new();
            for block in blocks {
                cut_sentences(text, block, &mut found);
            }
            (flat, found)
        } else {
            (None, lines(normal).collect())
        };
        let text = flat.as_ref().map_or(normal, |flat| &flat.text);
        let units: Vec<Unit> = ranges
            .into_iter()
            .map(|range| Unit {
                start: small(range.start),
                end: small(range.end),
                question: prose && is_question(text.get(range).unwrap_or_default()),
            })
            .collect();
        Self {
            prose,
            words: units.iter().map(|_| OnceLock::new()).collect(),
            figures: units.iter().map(|_| OnceLock::new()).collect(),
            units,
            flat,
        }
    }

    /// The words of a unit of the flat text.
    pub(super) fn words(&self, unit: usize, flat: &str) -> Option<&UnitWords> {
        let range = self.units.get(unit)?.range();
        let read = || UnitWords::of(flat.get(range).unwrap_or_default());
        Some(self.words.get(unit)?.get_or_init(read))
    }
}

impl UnitWords {
    fn of(unit: &str) -> Self {
        // Most words and the blank behind them are longer.
        let mut all = Vec::with_capacity(unit.len() / 5 + 1);
        let (mut turns, mut stem) = (false, String::new());
        each_word(unit, Style::Text, &mut |word, place| {
            let entry = LEXICON.word(word);
            let negation = is_negation(word, entry);
            turns |= negation
                || entry.is_some_and(|entry| {
                    let turning = [List::Distancing, List::SoftNegation];
                    turning.iter().any(|list| entry.is(*list)) || !entry.soft_before.is_empty()
                });
            let has_stem = is_content(word, entry);
            if has_stem {
                stem_into(word, entry, &mut stem);
            }
            all.push(UnitWord {
                entry,
                stem: has_stem.then(|| stem.as_str().into()),
                negation,
                start: small(place.start),
                len: small(place.len()),
            });
        });
        Self {
            all: all.into_boxed_slice(),
            turns,
        }
    }

    /// The stems of its content words, in order.
    pub(in crate::builtin) fn stems(&self) -> impl Iterator<Item = &SmolStr> {
        self.all.iter().filter_map(|word| word.stem.as_ref())
    }
}

/// Judge T8: whether a sentence ends in a question mark, possibly with closing
/// marks.
fn is_question(unit: &str) -> bool {
    unit.trim_end_matches(['"', '\'', ')', ']', '}'])
        .ends_with('?')
}

/// Texts that do not fit into 32 bits are not judged.
pub(super) fn small(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Text;

    #[test]
    fn each_unit_knows_its_stems() {
        let text = Text::new("The cats sat. A cat ran home. Dogs sat there, sitting still.");
        let stems = |unit: usize| -> Vec<_> { text.words(unit).unwrap().stems().collect() };
        assert_eq!(stems(0), ["cat", "sat"]);
        assert_eq!(stems(2), ["dog", "sat", "sit", "still"]);
        assert_eq!(text.words(0).unwrap().all.len(), 3);
        assert!(text.words(3).is_none());
    }

    #[test]
    fn questions_and_turning_words_are_marked() {
        let text = "Is it so (really?) It is not. They failed to do it \"now?\" Yes it is here.";
        let text = Text::new(text);
        let units = text.index().units.iter().enumerate();
        let seen: Vec<_> = units
            .map(|(number, unit)| (unit.question, text.words(number).unwrap().turns))
            .collect();
        assert_eq!(
            seen,
            [(true, false), (false, true), (true, true), (false, false)]
        );
        assert!(!Text::new("Is it so?").index().units[0].question);
    }
}
