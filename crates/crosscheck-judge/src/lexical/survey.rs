//! What a claim asks for, and which of it each unit of a snippet holds.

use std::collections::HashMap;
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::identifier::{Identifier, identifiers};
use super::lexicon::LEXICON;
use super::pairs::{self, QUANTITIES, each_likely_word};
use super::plain::has_digit;
use super::quantity::{Quantity, scan};
use super::text::{each_stem, each_word, is_content, is_negation, stem_into};

/// A claim taken apart. Stems are numbered; those outside names come first.
pub(super) struct Asked<'c> {
    text: &'c str,
    pub(super) names: Vec<Identifier<'c>>,
    pub(super) quantities: Vec<Quantity>,
    ids: HashMap<Box<str>, u32, FxBuildHasher>,
    /// How many stems stand outside names.
    pub(super) plain: usize,
    /// Every stem with the place it counts for in distances.
    pub(super) places: Vec<(u32, usize)>,
    /// By number: whether it speaks about polarity only.
    pub(super) on_axis: Vec<bool>,
    pub(super) poles: Poles,
    /// Whether the number of negations is odd.
    pub(super) negated: bool,
}

/// Which poles of which axes the words of a text name, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Poles {
    pub(super) first: u32,
    pub(super) second: u32,
}

impl Poles {
    pub(super) fn add(&mut self, axis: u8, second: bool) {
        let bit = 1u32.checked_shl(axis.into()).unwrap_or(0);
        if second {
            self.second |= bit;
        } else {
            self.first |= bit;
        }
    }

    /// The axes on which exactly one pole is named.
    pub(super) const fn decided(self) -> u32 {
        self.first ^ self.second
    }
}

/// The names of a claim, and its quantities outside them. A unit directly
/// behind its number (`64 kB`, `100 MB/s`) has the shape of a name and is
/// none: what it measures would go unchecked.
pub(super) fn names_and_quantities(claim: &str) -> (Vec<Identifier<'_>>, Vec<Quantity>) {
    let mut names = identifiers(claim);
    if !may_hold_quantity(claim) {
        return (names, Vec::new());
    }
    let mut quantities = scan(claim, false);
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

/// Every quantity has a digit or a number word.
fn may_hold_quantity(claim: &str) -> bool {
    let mut found = claim.bytes().any(|byte| byte.is_ascii_digit());
    if !found {
        each_word(claim, &mut |word, _| {
            found |= LEXICON
                .word(word)
                .is_some_and(|entry| entry.number.is_some());
        });
    }
    found
}

impl<'c> Asked<'c> {
    /// Takes a claim in normal form apart.
    pub(super) fn by(claim: &'c str) -> Self {
        let (names, quantities) = names_and_quantities(claim);
        let left_out = left_out(claim, &quantities);
        let mut asked = Self {
            text: claim,
            names,
            quantities,
            ids: HashMap::default(),
            plain: 0,
            places: Vec::new(),
            on_axis: Vec::new(),
            poles: Poles::default(),
            negated: false,
        };
        asked.read_plain(claim, &left_out);
        asked.plain = asked.ids.len();
        asked.read_names();
        asked
    }

    fn read_plain(&mut self, claim: &str, left_out: &[String]) {
        let mut stem = String::new();
        let mut at_name = 0;
        each_word(claim, &mut |word, at| {
            let entry = LEXICON.word(word);
            self.negated ^= is_negation(word, entry);
            let pole = entry.and_then(|entry| entry.pole);
            if let Some((axis, second)) = pole {
                self.poles.add(axis, second);
            }
            while self
                .names
                .get(at_name)
                .is_some_and(|name| name.range.end <= at)
            {
                at_name += 1;
            }
            let in_name = self
                .names
                .get(at_name)
                .is_some_and(|name| name.range.contains(&at));
            if in_name || !is_content(word, entry) {
                return;
            }
            stem_into(word, entry, &mut stem);
            if !left_out.contains(&stem) {
                let id = self.number(&stem, pole.is_some());
                self.places.push((id, at));
            }
        });
    }

    fn read_names(&mut self) {
        let names = std::mem::take(&mut self.names);
        let mut stem = String::new();
        for name in &names {
            each_word(name.name, &mut |word, _| {
                let entry = LEXICON.word(word);
                if is_content(word, entry) {
                    stem_into(word, entry, &mut stem);
                    let on_axis = entry.is_some_and(|entry| entry.pole.is_some());
                    let id = self.number(&stem, on_axis);
                    self.places.push((id, name.range.start));
                }
            });
        }
        self.names = names;
    }

    fn number(&mut self, stem: &str, on_axis: bool) -> u32 {
        if let Some(id) = self.ids.get(stem) {
            let id = *id;
            if let Some(known) = self.on_axis.get_mut(id as usize) {
                *known |= on_axis;
            }
            return id;
        }
        let id = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        self.ids.insert(stem.into(), id);
        self.on_axis.push(on_axis);
        id
    }

    /// How many characters come before a byte of the claim.
    pub(super) fn characters_before(&self, byte: usize) -> usize {
        let before = self.text.get(..byte);
        before.map_or(byte, |before| before.chars().count())
    }

    /// The number of a stem, if the claim has it.
    pub(super) fn id(&self, stem: &str) -> Option<u32> {
        self.ids.get(stem).copied()
    }

    /// How many stems there are, those of names included.
    pub(super) fn all(&self) -> usize {
        self.ids.len()
    }

    /// Whether a stem counts when units are compared for polarity.
    pub(super) fn weighs(&self, id: u32) -> bool {
        !self.on_axis.get(id as usize).copied().unwrap_or(true)
    }
}

/// Stems of unit words, and of month names if there is a date.
fn left_out(claim: &str, quantities: &[Quantity]) -> Vec<String> {
    let mut stems = Vec::new();
    let has_date = quantities.iter().any(Quantity::is_date);
    for quantity in quantities {
        let words = quantity
            .unit_words
            .clone()
            .and_then(|range| claim.get(range));
        each_stem(words.unwrap_or_default(), &mut |stem, _| {
            stems.push(stem.to_owned());
        });
    }
    if has_date {
        let mut stem = String::new();
        each_word(claim, &mut |word, _| {
            let entry = LEXICON.word(word);
            if entry.is_some_and(|entry| entry.month.is_some()) {
                stem_into(word, entry, &mut stem);
                stems.push(stem.clone());
            }
        });
    }
    stems
}

/// One unit of a snippet.
#[derive(Debug)]
pub(super) struct UnitSeen {
    pub(super) range: Range<usize>,
    ids: Range<usize>,
    pub(super) poles: Poles,
    /// Whether `true` or `false` stands in it.
    pub(super) has_truth: bool,
    /// Whether a quantity may stand in it.
    pub(super) may_count: bool,
}

/// What one word of a snippet means for a claim.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    id: Option<u32>,
    pole: Option<(u8, bool)>,
    truth: bool,
    may_count: bool,
}

/// The words looked up so far: texts say the same words over and over.
struct Known<'k> {
    asked: &'k Asked<'k>,
    words: HashMap<Box<str>, Meaning, FxBuildHasher>,
    stem: String,
}

/// More words are not remembered.
const KNOWN_MAX: usize = 4096;

impl Known<'_> {
    fn meaning(&mut self, word: &str) -> Meaning {
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let entry = LEXICON.word(word);
        let pole = entry.and_then(|entry| entry.pole);
        let id = is_content(word, entry)
            .then(|| {
                stem_into(word, entry, &mut self.stem);
                self.asked.id(&self.stem)
            })
            .flatten();
        let meaning = Meaning {
            id,
            pole,
            truth: pole.is_some() && matches!(word, "true" | "false"),
            may_count: QUANTITIES.hold(word.as_bytes()),
        };
        if self.words.len() < KNOWN_MAX {
            self.words.insert(word.into(), meaning);
        }
        meaning
    }
}

/// A snippet seen through the eyes of one claim.
pub(super) struct Survey {
    pub(super) units: Vec<UnitSeen>,
    /// The claim's stems of all units, one unit after the other, distinct in each.
    ids: Vec<u32>,
}

impl Survey {
    /// Looks through the units of a snippet in normal form.
    pub(super) fn of(snippet: &str, ranges: Vec<Range<usize>>, asked: &Asked<'_>) -> Self {
        let mut survey = Self {
            units: Vec::with_capacity(ranges.len()),
            ids: Vec::new(),
        };
        // Other poles than the claim's own are asked for by nobody.
        let stems = asked.ids.keys().map(AsRef::as_ref);
        let mut likely = pairs::of_claim(stems, asked.poles.decided());
        if !asked.quantities.is_empty() {
            likely.join(&QUANTITIES);
        }
        let mut known = Known {
            asked,
            words: HashMap::default(),
            stem: String::new(),
        };
        let mut last_seen = vec![usize::MAX; asked.all()];
        for (number, range) in ranges.into_iter().enumerate() {
            let start = survey.ids.len();
            let text = snippet.get(range.clone()).unwrap_or_default();
            let (mut poles, mut has_truth) = (Poles::default(), false);
            let mut may_count = has_digit(text);
            let simple = each_likely_word(text, &likely, &mut |word, _| {
                let meaning = known.meaning(word);
                may_count |= meaning.may_count;
                has_truth |= meaning.truth;
                if let Some((axis, second)) = meaning.pole {
                    poles.add(axis, second);
                }
                if let Some(id) = meaning.id
                    && let Some(seen) = last_seen.get_mut(id as usize)
                    && *seen != number
                {
                    *seen = number;
                    survey.ids.push(id);
                }
            });
            survey.units.push(UnitSeen {
                range,
                ids: start..survey.ids.len(),
                poles,
                has_truth,
                may_count: may_count || !simple,
            });
        }
        survey
    }

    /// The claim's stems in this unit.
    pub(super) fn ids(&self, unit: &UnitSeen) -> &[u32] {
        self.ids.get(unit.ids.clone()).unwrap_or_default()
    }

    /// The claim's stems in the whole snippet, with repetitions.
    pub(super) fn all_ids(&self) -> &[u32] {
        &self.ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_quantity_stands_where_none_may_be(
            words in proptest::collection::vec("(two|tWo|Ninety|may|MAY 2020|v2|V|ten's|_ten|x_7|eleven|é|a|in|the)[ .-]", 0..6)
        ) {
            let text = words.concat();
            let asked = Asked::by("It took 3 tries");
            let ranges = std::iter::once(0..text.len()).collect();
            let survey = Survey::of(&text, ranges, &asked);
            for code in [false, true] {
                let may_count = survey.units.iter().all(|unit| unit.may_count);
                proptest::prop_assert!(may_count || scan(&text, code).is_empty(), "{}", text);
            }
        }
    }
}
