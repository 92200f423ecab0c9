//! The units of a text, their words, and the positions of each stem.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;
use smol_str::SmolStr;

use super::super::lexicon::{Entry, LEXICON, List};
use super::super::text::{
    Rewritten, Style, blocks, cut_sentences, each_word, is_content, is_negation, lines, stem_into,
};

/// Number of a distinct word of the text.
type WordId = u32;
/// Number of a distinct stem of the text.
type StemId = u32;

/// Everything about a text that does not depend on a claim.
#[derive(Debug, Default)]
pub(in crate::builtin) struct Index {
    pub(in crate::builtin) prose: bool,
    /// The collapsed text, if it differs from the normal text.
    pub(in crate::builtin) flat: Option<Rewritten>,
    pub(in crate::builtin) units: Vec<Unit>,
    words: Vec<UnitWord>,
    known: Vec<Known>,
    /// The known words. The text chooses the keys, so the hash is keyed with a
    /// secret.
    word_ids: HashMap<SmolStr, WordId, RandomState>,
    stem_ids: HashMap<SmolStr, StemId, RandomState>,
    /// For each stem, where its units begin in `postings`.
    starts: Vec<u32>,
    postings: Vec<u32>,
}

/// A sentence of prose, or a line of any other text.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::builtin) struct Unit {
    start: u32,
    end: u32,
    /// Where its words begin.
    words: u32,
    /// It ends in a question mark.
    pub(in crate::builtin) question: bool,
    /// It has a word that matters for polarity.
    pub(in crate::builtin) turns: bool,
}

/// A word of a unit.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct UnitWord {
    pub(in crate::builtin) id: WordId,
    /// Its position in the unit.
    start: u32,
    len: u32,
}

/// An entry of the word table.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Known {
    pub(in crate::builtin) entry: Option<&'static Entry>,
    /// Its stem, if it is a content word.
    pub(in crate::builtin) stem: Option<StemId>,
    pub(in crate::builtin) negation: bool,
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
    /// Indexes a text in normal form.
    pub(super) fn of(normal: &str, prose: bool) -> Self {
        let mut index = Self {
            prose,
            ..Self::default()
        };
        let ranges = if prose {
            let (flat, blocks) = blocks(normal);
            index.flat = flat;
            let text = index.flat.as_ref().map_or(normal, |flat| &flat.text);
            let mut found = Vec::new();
            for block in blocks {
                cut_sentences(text, block, &mut found);
            }
            found
        } else {
            lines(normal).collect()
        };
        let flat = index.flat.take();
        let text = flat.as_ref().map_or(normal, |flat| &flat.text);
        index.read(text, ranges);
        index.flat = flat;
        index
    }

    fn read(&mut self, text: &str, ranges: Vec<Range<usize>>) {
        let mut reader = Reader {
            stem: String::new(),
            last_unit: Vec::new(),
            pairs: Vec::new(),
        };
        self.units.reserve_exact(ranges.len());
        // A word takes about six characters, and a long text repeats its words.
        let words = text.len() / 6 + 1;
        self.words.reserve(words);
        self.word_ids.reserve(words.min(256));
        self.stem_ids.reserve(words.min(256));
        for (number, range) in ranges.into_iter().enumerate() {
            let number = small(number);
            let piece = text.get(range.clone()).unwrap_or_default();
            let words = small(self.words.len());
            let mut turns = false;
            each_word(piece, Style::Text, &mut |word, place| {
                let id = reader.word(self, word);
                let known = self.known(id);
                turns |= known.negation
                    || known.entry.is_some_and(|entry| {
                        let turning = [List::Distancing, List::SoftNegation, List::SoftBeforeTo];
                        turning.iter().any(|list| entry.is(*list))
                    });
                reader.at(known.stem, number);
                self.words.push(UnitWord {
                    id,
                    start: small(place.start),
                    len: small(place.len()),
                });
            });
            self.units.push(Unit {
                start: small(range.start),
                end: small(range.end),
                words,
                question: self.prose && is_question(piece),
                turns,
            });
        }
        self.words.shrink_to_fit();
        self.sort_postings(&reader.pairs);
    }

    /// From pairs of stem and unit, ordered by unit, to the units of each stem.
    fn sort_postings(&mut self, pairs: &[(StemId, u32)]) {
        let mut starts = vec![0; self.stem_ids.len() + 1];
        for (stem, _) in pairs {
            if let Some(count) = starts.get_mut(*stem as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        self.postings = vec![0; pairs.len()];
        for (stem, unit) in pairs {
            if let Some(at) = next.get_mut(*stem as usize) {
                if let Some(place) = self.postings.get_mut(*at as usize) {
                    *place = *unit;
                }
                *at += 1;
            }
        }
        self.starts = starts;
    }

    /// The words of a unit.
    pub(in crate::builtin) fn words(&self, unit: usize) -> &[UnitWord] {
        let start = |unit: usize| self.units.get(unit).map(|unit| unit.words as usize);
        let from = start(unit).unwrap_or(self.words.len());
        let to = start(unit + 1).unwrap_or(self.words.len());
        self.words.get(from..to).unwrap_or_default()
    }

    /// The entry of a word.
    pub(in crate::builtin) fn known(&self, word: WordId) -> Known {
        self.known.get(word as usize).copied().unwrap_or(Known {
            entry: None,
            stem: None,
            negation: false,
        })
    }

    /// The number of a stem, if the text has it.
    pub(in crate::builtin) fn stem(&self, stem: &str) -> Option<StemId> {
        self.stem_ids.get(stem).copied()
    }

    /// The units that contain a stem, in order.
    pub(in crate::builtin) fn units_of(&self, stem: StemId) -> &[u32] {
        let start = |stem: usize| self.starts.get(stem).map_or(0, |start| *start as usize);
        let range = start(stem as usize)..start(stem as usize + 1);
        self.postings.get(range).unwrap_or_default()
    }

    /// The distinct stems, in any order.
    pub(super) fn stems(&self) -> impl Iterator<Item = &str> {
        let mut all: Vec<(StemId, &str)> = self
            .stem_ids
            .iter()
            .map(|(stem, id)| (*id, stem.as_str()))
            .collect();
        all.sort_unstable();
        all.into_iter().map(|(_, stem)| stem)
    }
}

/// State that is only needed while the text is read.
struct Reader {
    stem: String,
    /// For each stem the last unit that contained it, plus one.
    last_unit: Vec<u32>,
    pairs: Vec<(StemId, u32)>,
}

impl Reader {
    fn word(&mut self, index: &mut Index, word: &str) -> WordId {
        if let Some(known) = index.word_ids.get(word) {
            return *known;
        }
        let entry = LEXICON.word(word);
        let stem = is_content(word, entry).then(|| {
            stem_into(word, entry, &mut self.stem);
            let next = small(index.stem_ids.len());
            if let Some(known) = index.stem_ids.get(self.stem.as_str()) {
                return *known;
            }
            index.stem_ids.insert(self.stem.as_str().into(), next);
            self.last_unit.push(0);
            next
        });
        let id = small(index.known.len());
        index.known.push(Known {
            entry,
            stem,
            negation: is_negation(word, entry),
        });
        index.word_ids.insert(word.into(), id);
        id
    }

    fn at(&mut self, stem: Option<StemId>, unit: u32) {
        if let Some(stem) = stem
            && let Some(last) = self.last_unit.get_mut(stem as usize)
            && *last != unit + 1
        {
            *last = unit + 1;
            self.pairs.push((stem, unit));
        }
    }
}

/// Judge T8: whether a sentence ends in a question mark, possibly with closing
/// marks.
fn is_question(unit: &str) -> bool {
    unit.trim_end_matches(['"', '\'', ')', ']', '}'])
        .ends_with('?')
}

/// Texts that do not fit into 32 bits are not judged.
fn small(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stem_knows_its_units() {
        let text = "The cats sat. A cat ran home. Dogs sat there, sitting still.";
        let index = Index::of(text, true);
        let units = |stem: &str| index.units_of(index.stem(stem).unwrap()).to_vec();
        assert_eq!(units("cat"), [0, 1]);
        assert_eq!(units("sat"), [0, 2]);
        assert_eq!(units("sit"), [2]);
        assert_eq!(index.stem("the"), None);
        assert_eq!(index.words(0).len(), 3);
        assert_eq!(index.words(2).len(), 5);
    }

    #[test]
    fn questions_and_turning_words_are_marked() {
        let text = "Is it so (really?) It is not. They failed to do it \"now?\" Yes it is here.";
        let index = Index::of(text, true);
        let seen: Vec<_> = index
            .units
            .iter()
            .map(|unit| (unit.question, unit.turns))
            .collect();
        assert_eq!(
            seen,
            [(true, false), (false, true), (true, true), (false, false)]
        );
        assert!(!Index::of("Is it so?", false).units[0].question);
    }
}
