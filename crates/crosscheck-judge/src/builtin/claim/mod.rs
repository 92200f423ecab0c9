//! A parsed claim: its names, figures, words, stems and clauses.

mod clause;
mod name;

use std::collections::HashMap;
use std::ops::Range;

pub(super) use clause::{Clause, Poles};
pub(super) use name::{Name, names};
use rustc_hash::FxBuildHasher;

use crosscheck_language::lexicon::{LEXICON, WordEntry};

use super::decide::codes;
use crosscheck_language::phrase::Phrase;
use crosscheck_language::quantity::{Quantity, QuantityKind, quantities};
use crosscheck_language::text::{Style, each_word, is_content, is_negation, stem_into};

/// A claim in normal form. Stems are numbered; those outside names come first.
pub(super) struct Claim<'c> {
    pub(super) text: &'c str,
    pub(super) names: Vec<Name<'c>>,
    /// Words with letters and digits that are no quantities: `x86`.
    pub(super) codes: Vec<Range<usize>>,
    /// Those outside names.
    pub(super) quantities: Vec<Quantity>,
    pub(super) words: Vec<Word>,
    pub(super) stems: Vec<Stem>,
    /// How many stems are outside names (C); with the others they are C+.
    pub(super) plain: usize,
    /// Every stem with its position for distances.
    pub(super) places: Vec<Place>,
    /// The columns of the quantities.
    pub(super) columns: Vec<usize>,
    pub(super) clauses: Vec<Clause>,
    /// Whether it ends in a question mark.
    pub(super) question: bool,
}

/// A place of a stem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) stem: u32,
    at: usize,
    /// Distances are measured in characters.
    pub(super) column: usize,
}

/// A word of a claim.
pub(super) struct Word {
    pub(super) range: Range<usize>,
    pub(super) entry: Option<&'static WordEntry>,
    /// Its stem, if that is one of the claim's.
    pub(super) stem: Option<u32>,
    pub(super) negation: bool,
    content: bool,
    /// Outside names.
    pub(super) free: bool,
}

/// A stem of a claim.
pub(super) struct Stem {
    pub(super) text: Box<str>,
    /// The first word with this stem, by the rules judge T2 to T4.
    pub(super) said: Box<str>,
    /// Whether one of its words is at a pole of an axis.
    on_axis: bool,
}

/// The names of a claim, and its quantities outside them. A unit directly
/// behind its number (`64 kB`, `100 MB/s`) looks like a name but is not:
/// otherwise its quantity would not be checked.
pub(super) fn names_and_quantities(claim: &str) -> (Vec<Name<'_>>, Vec<Quantity>) {
    let mut names = names(claim);
    let mut quantities = quantities(claim);
    names.retain(|name| {
        let is_unit = |quantity: &Quantity| {
            let words = quantity.unit_words.as_ref();
            words.is_some_and(|words| words.start == name.range.start)
        };
        name.is_quoted(claim) || !quantities.iter().any(is_unit)
    });
    quantities.retain(|quantity| !names.iter().any(|name| name.overlaps(quantity)));
    (names, quantities)
}

impl<'c> Claim<'c> {
    /// Parses a claim in normal form.
    pub(super) fn of(text: &'c str) -> Self {
        let (names, quantities) = names_and_quantities(text);
        let is_free = |code: &Range<usize>| {
            let mut figures = quantities.iter().map(|one| &one.range);
            !figures.any(|one| one.start < code.end && code.start < one.end)
        };
        let mut claim = Self {
            text,
            codes: codes(text).filter(is_free).collect(),
            names,
            quantities,
            words: Vec::new(),
            stems: Vec::new(),
            plain: 0,
            places: Vec::new(),
            columns: Vec::new(),
            clauses: Vec::new(),
            question: text.trim_end().ends_with('?'),
        };
        claim.read();
        let mut ruler = Ruler::of(text);
        let quantities = claim.quantities.iter();
        claim.columns = quantities
            .map(|one| ruler.column(one.range.start))
            .collect();
        claim.clauses = clause::clauses(&claim);
        claim
    }

    fn read(&mut self) {
        let mut reader = Reader {
            left_out: left_out(self.text, &self.quantities),
            ids: HashMap::default(),
            stem: String::new(),
        };
        let hidden: Vec<Range<usize>> = self
            .quantities
            .iter()
            .filter(|quantity| {
                let kind = &quantity.kind;
                !matches!(kind, QuantityKind::Year(_) | QuantityKind::Version(_)) && !kind.is_soft()
            })
            .map(|quantity| quantity.range.clone())
            .collect();
        let mut own_stems: Vec<Option<Box<str>>> = Vec::new();
        let (mut at_name, mut at_hidden) = (0, 0);
        let text = self.text;
        let mut ruler = Ruler::of(text);
        each_word(text, Style::Claim, &mut |word, range| {
            let names = self.names.iter().map(|name| &name.range);
            let free = !is_within(names, &mut at_name, range.start);
            let shown = !is_within(hidden.iter(), &mut at_hidden, range.start);
            let entry = LEXICON.word(word);
            let content = is_content(word, entry);
            if content {
                stem_into(word, entry, &mut reader.stem);
            }
            own_stems.push(content.then(|| reader.stem.as_str().into()));
            let id = (content && free && shown).then(|| reader.plain(self, word, entry));
            if let Some(stem) = id.flatten() {
                let (at, column) = (range.start, ruler.column(range.start));
                self.places.push(Place { stem, at, column });
            }
            self.words.push(Word {
                range,
                entry,
                stem: None,
                negation: is_negation(word, entry),
                content,
                free,
            });
        });
        self.plain = self.stems.len();
        self.read_names(&mut reader);
        for (word, stem) in self.words.iter_mut().zip(own_stems) {
            word.stem = stem.and_then(|stem| reader.ids.get(&stem).copied());
        }
    }

    /// The words of a name count at the position where it begins.
    fn read_names(&mut self, reader: &mut Reader) {
        let names = std::mem::take(&mut self.names);
        let mut ruler = Ruler::of(self.text);
        for name in &names {
            let at = name.range.start;
            let column = ruler.column(at);
            each_word(name.text, Style::Text, &mut |word, _| {
                let entry = LEXICON.word(word);
                if is_content(word, entry) {
                    stem_into(word, entry, &mut reader.stem);
                    let stem = reader.number(self, word, entry);
                    self.places.push(Place { stem, at, column });
                }
            });
        }
        self.names = names;
    }

    /// Whether a stem counts when polarity is compared: words at a pole do not.
    pub(super) fn weighs(&self, stem: u32) -> bool {
        self.stems
            .get(stem as usize)
            .is_some_and(|stem| !stem.on_axis)
    }

    /// The stems that occur only in names of the text's origin.
    pub(super) fn stems_of_place(&self, reference: Option<&str>) -> Vec<u32> {
        let places: Vec<usize> = self
            .names
            .iter()
            .filter(|name| name.is_place(reference))
            .map(|name| name.range.start)
            .collect();
        let is_own = |place: &&Place| {
            place.stem as usize >= self.plain && places.binary_search(&place.at).is_ok()
        };
        let mut stems: Vec<u32> = self
            .places
            .iter()
            .filter(is_own)
            .map(|one| one.stem)
            .collect();
        stems.sort_unstable();
        stems.dedup();
        stems
    }

    /// Which clause this place of the claim belongs to.
    pub(super) fn clause_at(&self, at: usize) -> Option<&Clause> {
        let mut clauses = self.clauses.iter();
        clauses
            .find(|clause| clause.range.contains(&at))
            .or(self.clauses.last())
    }

    /// Whether the claim has this word of the lists.
    pub(super) fn has(&self, entry: &WordEntry) -> bool {
        let same = |own: &WordEntry| std::ptr::eq(own, entry);
        self.words.iter().any(|word| word.entry.is_some_and(same))
    }
}

impl Phrase for Claim<'_> {
    fn text(&self) -> &str {
        self.text
    }

    fn count(&self) -> usize {
        self.words.len()
    }

    fn range(&self, word: usize) -> Range<usize> {
        self.words.get(word).map_or(0..0, |word| word.range.clone())
    }

    fn entry(&self, word: usize) -> Option<&'static WordEntry> {
        self.words.get(word)?.entry
    }

    fn negates(&self, word: usize) -> bool {
        self.words.get(word).is_some_and(|word| word.negation)
    }

    fn is_content(&self, word: usize) -> bool {
        self.words.get(word).is_some_and(|word| word.content)
    }

    fn stem(&self, word: usize) -> Option<u32> {
        self.words.get(word)?.stem
    }
}

struct Reader {
    left_out: Vec<Box<str>>,
    ids: HashMap<Box<str>, u32, FxBuildHasher>,
    stem: String,
}

impl Reader {
    /// The number of the new stem, unless such words are left out.
    fn plain(
        &mut self,
        claim: &mut Claim<'_>,
        word: &str,
        entry: Option<&WordEntry>,
    ) -> Option<u32> {
        let is_left_out = self.left_out.iter().any(|stem| **stem == *self.stem);
        (!is_left_out).then(|| self.number(claim, word, entry))
    }

    /// The number of the new stem.
    fn number(&mut self, claim: &mut Claim<'_>, word: &str, entry: Option<&WordEntry>) -> u32 {
        let id = self.ids.get(self.stem.as_str()).copied();
        let id = id.unwrap_or_else(|| {
            let id = u32::try_from(claim.stems.len()).unwrap_or(u32::MAX);
            self.ids.insert(self.stem.as_str().into(), id);
            claim.stems.push(Stem {
                text: self.stem.as_str().into(),
                said: word.into(),
                on_axis: false,
            });
            id
        });
        if let Some(stem) = claim.stems.get_mut(id as usize) {
            stem.on_axis |= entry.is_some_and(|entry| entry.pole.is_some());
        }
        id
    }
}

/// Whether a position is in one of the ranges; both are queried in order.
fn is_within<'r>(
    mut ranges: impl Iterator<Item = &'r Range<usize>>,
    next: &mut usize,
    at: usize,
) -> bool {
    let mut range = ranges.nth(*next);
    while range.is_some_and(|range| range.end <= at) {
        *next += 1;
        range = ranges.next();
    }
    range.is_some_and(|range| range.contains(&at))
}

/// Counts characters up to positions that are queried in order.
pub(super) struct Ruler<'t> {
    text: &'t str,
    at: usize,
    column: usize,
}

impl<'t> Ruler<'t> {
    pub(super) const fn of(text: &'t str) -> Self {
        let (at, column) = (0, 0);
        Self { text, at, column }
    }

    pub(super) fn column(&mut self, at: usize) -> usize {
        let between = self.text.get(self.at..at).unwrap_or_default();
        self.column += between.chars().count();
        self.at = at;
        self.column
    }
}

/// Stems of unit words, and of month names if there is a date.
fn left_out(claim: &str, quantities: &[Quantity]) -> Vec<Box<str>> {
    let mut stems = Vec::new();
    let mut stem = String::new();
    let mut leave_out = |text: &str, which: &dyn Fn(Option<&WordEntry>) -> bool| {
        each_word(text, Style::Text, &mut |word, _| {
            let entry = LEXICON.word(word);
            if is_content(word, entry) && which(entry) {
                stem_into(word, entry, &mut stem);
                stems.push(stem.as_str().into());
            }
        });
    };
    let hard = quantities.iter().filter(|one| !one.kind.is_soft());
    for words in hard.filter_map(|one| one.unit_words.clone()) {
        leave_out(claim.get(words).unwrap_or_default(), &|_| true);
    }
    let is_date = |quantity: &Quantity| matches!(quantity.kind, QuantityKind::Date { .. });
    if quantities.iter().any(is_date) {
        leave_out(claim, &|entry| {
            entry.is_some_and(|entry| entry.month.is_some())
        });
    }
    stems
}

#[cfg(test)]
mod tests {
    use crosscheck_language::phrase::{is_bounded, negations, reached};

    use super::*;

    fn stems(claim: &str) -> (Vec<String>, usize) {
        let claim = Claim::of(claim);
        let texts = claim.stems.iter().map(|stem| stem.text.to_string());
        (texts.collect(), claim.plain)
    }

    #[test]
    fn stems_of_units_dates_and_names_do_not_count_as_words() {
        for (claim, expected, plain) in [
            ("The tower has 84 metres", vec!["tower", "metr"], 2),
            ("It waits 30 seconds for a second", vec!["wait"], 1),
            ("Signed on 4 May 1990 in May", vec!["sign"], 1),
            ("Signed in May by March", vec!["sign", "march"], 2),
            ("It left at 2:30 PM in the 1980s", vec!["left"], 1),
            (
                "`load_user` opens the cache",
                vec!["open", "cach", "load", "user"],
                2,
            ),
            ("The cache of `cache_one`", vec!["cach"], 1),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(stems(claim), (expected, plain), "{claim}");
        }
    }

    #[test]
    fn a_unit_behind_its_number_is_not_a_name() {
        let (names, quantities) = names_and_quantities("It has 64 kB at 100 MB/s, `5 kB` and aB");
        let names: Vec<&str> = names.iter().map(|name| name.text).collect();
        assert_eq!(names, ["5 kB", "aB"]);
        assert_eq!(quantities.len(), 2);
    }

    #[test]
    fn idioms_and_names_are_not_negations() {
        for (text, count) in [
            ("It is not only good", 0),
            ("There is no doubt and no longer a question", 1),
            ("They go whether or not it rains", 0),
            ("See No. 5 and no 7", 0),
            ("There is no 3D printer", 1),
            ("No, it rains", 0),
            ("It rains, no, snows", 1),
            ("Without rain, nothing grows", 1),
            ("Without rain nothing grows", 2),
            ("Use `x` --no-verify, no_cache and not-so", 0),
            ("Is it dry? no. Rain falls", 0),
            ("Dry: **No.** Rain falls", 0),
            ("NoSQL and NotEmpty keys are read", 0),
            ("It is _not_ dry, it does _not rain_, -not-", 3),
            ("It doesn't rain and cannot snow", 2),
            ("Nothing but rain", 0),
        ] {
            assert_eq!(negations(&Claim::of(text)).count(), count, "{text}");
        }
    }

    #[test]
    fn a_negation_reaches_two_words_up_to_a_border() {
        for (text, expected) in [
            ("not the old red door", 2),
            ("not, the door", 0),
            ("not | the door", 0),
            ("not old and red", 1),
            ("not old nor red", 1),
            ("not at all in any of these or those or such doors", 0),
            ("not three doors", 2),
        ] {
            assert_eq!(reached(&Claim::of(text), 0).len(), expected, "{text}");
        }
    }

    #[test]
    fn a_comparison_with_a_figure_is_a_bound() {
        for (text, expected) in [
            ("less than 12", true),
            ("less than the $12", true),
            ("less than others", false),
            ("less, than 12", false),
        ] {
            assert_eq!(is_bounded(&Claim::of(text), 0), expected, "{text}");
        }
    }
}
