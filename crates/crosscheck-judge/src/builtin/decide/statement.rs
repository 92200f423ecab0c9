//! Whether a passage that has every word, name and figure of the claim states the claim (judge R1).
//! Four questions: are they in the claim's order, does the sentence have the claim's subject, is it
//! one clause that says it, and does no word around it qualify it?

use std::ops::Range;

use crosscheck_core::rules::Rule;
use crosscheck_language::lexicon::List;
use crosscheck_language::phrase::Phrase;
use crosscheck_language::quantity::{Quantity, QuantityKind};
use crosscheck_language::text::is_plain;

use super::Case;
use super::align::{between, is_capital};
use super::overlap::Overlap;
use super::unit::UnitSeen;
use crate::builtin::claim::names;
use crate::builtin::prepared::Mark;

/// The verb is at most this many words behind the beginning of its subject.
const VERB_REACH: usize = 3;

const CELL: Rule = Rule::new(
    "judge.cell",
    "a figure of another row or column of a table does not support",
);
const PREDICATE: Rule = Rule::new(
    "judge.predicate",
    "a sentence without the word that the claim says of its subject does not support",
);
const QUALIFIED: Rule = Rule::new(
    "judge.qualified",
    "a word around the passage that the claim lacks leaves it open",
);
const NAME: Rule = Rule::new(
    "judge.name",
    "a sentence with another name does not support",
);
const SCATTERED: Rule = Rule::new(
    "judge.scattered",
    "words and figures that only several sentences have together do not support",
);
const ORDER: Rule = Rule::new(
    "judge.order",
    "the words of the claim in another order do not support",
);
const CLAUSE: Rule = Rule::new(
    "judge.clause",
    "a word or figure of another clause does not support",
);

/// A sentence refers back with one of its first words.
const BEGIN: usize = 6;

/// Why the passage may not state the claim.
pub(super) struct Doubt {
    /// The code.
    pub(super) reason: &'static str,
    /// In words, behind "the page".
    pub(super) says: String,
}

impl Doubt {
    pub(super) fn new(reason: &'static str, says: impl Into<String>) -> Self {
        Self {
            reason,
            says: says.into(),
        }
    }
}

impl Case<'_> {
    /// The first question to which the answer is no.
    pub(super) fn doubt(&self, overlap: &Overlap) -> Option<Doubt> {
        let best = self.unit(self.best_unit(overlap)?);
        if let Some(word) = self.lacks_predicate(&best) {
            let says = format!("does not have the “{word}” that the claim says of it");
            return Some(Doubt::new("lexical_partial", says));
        }
        if CELL.is_on() && self.is_of_another_cell() {
            let says = "has the figure in another row or column of a table";
            return Some(Doubt::new("quantity_swapped", says));
        }
        if SCATTERED.is_on() && self.is_scattered(overlap) {
            let says = "has the words of the claim in several sentences, but not in one";
            return Some(Doubt::new("scattered", says));
        }
        let qualified = || self.qualified(overlap, &best);
        let name = || self.other_name(overlap, &best);
        let order = || {
            let says = "has the words of the claim in another order";
            let is_other = self.is_read(&best) && self.has_other_order(&best);
            is_other.then(|| Doubt::new("polarity_unsure", says))
        };
        let clause = || self.other_clause(overlap, &best);
        let qualified = QUALIFIED.is_on().then(qualified).flatten();
        qualified
            .or_else(|| NAME.is_on().then(name).flatten())
            .or_else(|| ORDER.is_on().then(order).flatten())
            .or_else(|| CLAUSE.is_on().then(clause).flatten())
    }

    /// `The delay is constant` / `The delay doubles`: what the claim says of its subject is a word that
    /// does not count elsewhere, and the sentence does not have it.
    fn lacks_predicate(&self, best: &UnitSeen<'_>) -> Option<&str> {
        const BE: [&str; 4] = ["is", "are", "was", "were"];
        let last = self.claim.count().checked_sub(1)?;
        let word = self.claim.text.get(self.claim.range(last))?;
        let is_said = BE
            .iter()
            .any(|be| self.claim.is_word(last.saturating_sub(1), be));
        let is_free = self.claim.words.get(last)?.free && between(self.claim, last) == " ";
        let is_uncounted = is_free && self.claim.is_on(last, List::Stop);
        let is_there = (0..best.count()).any(|at| best.is_word(at, word));
        (PREDICATE.is_on() && is_said && is_uncounted && !is_there).then_some(word)
    }

    /// Whether the sentence that says most of a clause of the claim lacks a word or figure of it that
    /// only one beside it has. What it begins with as `it` may be named there.
    fn is_scattered(&self, overlap: &Overlap) -> bool {
        let figures = self.text.figures();
        let has = |unit: usize, quantity: &Quantity| {
            figures.values(unit).any(|value| quantity.means(value))
        };
        let mut units = overlap.units.clone().map(|unit| self.unit(unit));
        let is_row = |unit: UnitSeen<'_>| (0..unit.count()).any(|word| unit.begins_cell(word));
        if units.any(is_row) {
            return false;
        }
        self.claim.clauses.iter().any(|clause| {
            let held = |unit: &usize| {
                let own = clause.stems.iter().filter(|stem| self.holds(*unit, **stem));
                (own.count(), begins_with_reference(&self.unit(*unit)))
            };
            let Some(best) = overlap.units.clone().rev().max_by_key(held) else {
                return false;
            };
            let others = || overlap.units.clone().filter(|unit| *unit != best);
            let is_beside = |stem: &u32| {
                !self.holds(best, *stem)
                    && !self.is_titled(*stem)
                    && !self.is_derived(*stem, overlap)
                    && others().any(|unit| self.holds(unit, *stem))
            };
            let is_apart = |quantity: &Quantity| {
                clause.range.contains(&quantity.range.start)
                    && !has(best, quantity)
                    && others().any(|unit| has(unit, quantity))
            };
            let unit = self.unit(best);
            let is_said = begins_with_reference(&unit) || !clause.stems.iter().any(is_beside);
            self.is_read(&unit) && (!is_said || self.claim.quantities.iter().any(is_apart))
        })
    }

    /// Whether a unit is a sentence that is not too long to be understood.
    pub(super) fn is_read(&self, unit: &UnitSeen<'_>) -> bool {
        (unit.is_prose() || is_plain(unit.source())) && unit.count() <= self.thresholds.unit_words
    }

    /// The second question: whether the sentence that says it lacks one of the claim's names, and has
    /// another one.
    fn other_name(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> Option<Doubt> {
        let name = self.name_elsewhere(overlap, best);
        let name = name.filter(|_| self.is_read(best))?;
        let says = format!("does not say it of {name}");
        Some(Doubt::new("identifier_missing", says))
    }

    /// A name of the claim that the passage lacks, or that is beside a sentence with a name of its own.
    fn name_elsewhere(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> Option<&str> {
        let source = best.source();
        let others = codes(source)
            .filter_map(|place| source.get(place))
            .map(str::to_owned);
        let others = others.chain(names(source).into_iter().map(|name| name.text.to_owned()));
        let has_other = others
            .into_iter()
            .any(|code| !has_name(self.claim.text, &code));
        let names = self.claim.names.iter().map(|name| name.text);
        let codes = self.claim.codes.iter();
        let mut all = names.chain(codes.filter_map(|place| self.claim.text.get(place.clone())));
        all.find(|name| {
            let is_in = |unit: usize| has_name(self.unit(unit).source(), name);
            let is_titled = || {
                self.question
                    .header
                    .is_some_and(|header| has_name(header, name))
            };
            let is_place = || {
                self.claim
                    .names
                    .iter()
                    .any(|one| one.text == *name && one.is_place(self.question.reference))
            };
            let has_beside = || overlap.units.clone().any(is_in) || is_titled();
            !is_in(best.number) && !is_place() && (has_other || !has_beside())
        })
    }

    /// The third question: whether a figure of the claim belongs to another clause, or a clause with
    /// another subject lends it a word.
    fn other_clause(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> Option<Doubt> {
        let is_of_another = |unit: &UnitSeen<'_>, quantity: &Quantity, mark: &Mark| {
            self.is_read(unit) && self.is_of_another(unit, quantity, mark)
        };
        if self.has_figure_only(overlap, is_of_another)
            || self.is_read(best) && self.are_mispaired_clauses(best)
        {
            return Some(Doubt::new(
                "quantity_swapped",
                "gives the figure for something else",
            ));
        }
        let lends = self.is_read(best) && self.borrows(best);
        lends.then(|| {
            Doubt::new(
                "polarity_unsure",
                "has the words of the claim, but says them of something else",
            )
        })
    }

    /// Whether some figure of the claim is in the passage, and only at such places.
    pub(super) fn has_figure_only(
        &self,
        overlap: &Overlap,
        is_other: impl Fn(&UnitSeen<'_>, &Quantity, &Mark) -> bool,
    ) -> bool {
        let figures = self.text.figures();
        self.claim.quantities.iter().any(|quantity| {
            let mut places = overlap.units.clone().flat_map(|number| {
                let marks = figures.marks(number).iter();
                let same = marks.filter(|mark| {
                    let value = figures.value(mark);
                    value.is_some_and(|value| quantity.means(value))
                });
                same.map(move |mark| (number, mark))
            });
            let is_other =
                |(number, mark): (usize, &Mark)| is_other(&self.unit(number), quantity, mark);
            places.next().is_some_and(is_other) && places.all(is_other)
        })
    }

    /// `A has 5 %` / `A has 3 %, B 5 %`: the clause that has the figure is not about the words of the
    /// claim, which are in one that has another such figure.
    fn is_of_another(&self, unit: &UnitSeen<'_>, quantity: &Quantity, mark: &Mark) -> bool {
        let clauses = self.figure_clauses(unit);
        let at = mark.range().start;
        let Some(home) = clauses.iter().position(|one| one.place.contains(&at)) else {
            return false;
        };
        let Some(own) = clauses.get(home) else {
            return false;
        };
        let own_stems = self.stems_in(unit, &own.words);
        let own_figures = own
            .figures
            .iter()
            .filter(|one| self.is_claimed(one))
            .count();
        clauses.iter().enumerate().any(|(number, other)| {
            let rivals = |value: &&QuantityKind| is_rival(&quantity.kind, value);
            let is_rival = !other.figures.iter().any(|one| self.is_claimed(one))
                && other.figures.iter().any(rivals);
            if number == home || !is_rival {
                return false;
            }
            let stems = self.stems_in(unit, &other.words);
            let mut alone = stems.iter().filter(|stem| !own_stems.contains(stem));
            if number > home {
                return alone.any(|stem| {
                    let mut others = clauses.iter().enumerate().filter(|(one, _)| *one != number);
                    !others.any(|(_, one)| self.stems_in(unit, &one.words).contains(stem))
                        && !self.is_titled(*stem)
                });
            }
            // a clause without words of its own is about something else if it has a verb
            let has_verb = own
                .words
                .clone()
                .any(|word| is_foreign(unit, word) || is_verb(unit, word));
            alone.next().is_some()
                && has_verb
                && own_figures == 1
                && own_stems.iter().all(|stem| stems.contains(stem))
        })
    }

    /// `40 in 2019` / `40 in 2021, and it was 20 in 2019`: two figures of one clause of the claim are
    /// in two clauses, each with another figure in the place of the other one.
    fn are_mispaired_clauses(&self, unit: &UnitSeen<'_>) -> bool {
        let clauses = self.figure_clauses(unit);
        let own = &self.claim.quantities;
        let home = |quantity: &Quantity| {
            let mut with = clauses
                .iter()
                .enumerate()
                .filter(|(_, one)| one.figures.iter().any(|kind| quantity.means(kind)));
            let first = with.next();
            first.filter(|_| with.next().is_none())
        };
        let has_rival = |clause: &FigureClause<'_>, quantity: &Quantity| {
            clause
                .figures
                .iter()
                .any(|kind| is_rival(&quantity.kind, kind) && !self.is_claimed(kind))
        };
        own.iter().enumerate().any(|(number, a)| {
            own.iter().skip(number + 1).any(|b| {
                let same = self
                    .claim
                    .clause_at(a.range.start)
                    .zip(self.claim.clause_at(b.range.start));
                let homes = home(a).zip(home(b));
                same.is_some_and(|(x, y)| std::ptr::eq(x, y))
                    && homes.is_some_and(|((x, one), (y, two))| {
                        x != y && has_rival(one, b) && has_rival(two, a)
                    })
            })
        })
    }

    /// The clauses of a sentence with the figures of each. A part without a figure belongs to the next
    /// one.
    fn figure_clauses(&self, unit: &UnitSeen<'_>) -> Vec<FigureClause<'_>> {
        let marks = [", ", "; ", ": ", " ("];
        let is_border = |word: &usize| {
            unit.is_on(*word, List::Joining)
                || marks.iter().any(|mark| between(unit, *word).contains(mark))
        };
        // a mark is before what is behind it, a word begins its part
        let place = |word: usize| {
            let last = unit.range(word - 1).end;
            let mark = between(unit, word).find([',', ';', ':', '(']);
            mark.map_or(unit.range(word).start, |at| last + at)
        };
        let figures = self.text.figures();
        let all: Vec<_> = figures
            .marks(unit.number)
            .iter()
            .filter_map(|mark| Some((mark.range().start, figures.value(mark)?)))
            .collect();
        let ends = (1..unit.count())
            .filter(is_border)
            .map(|word| (word, place(word)));
        let mut found: Vec<FigureClause<'_>> = Vec::new();
        let mut from = (0, 0);
        for (word, at) in ends.chain([(unit.count(), unit.source().len())]) {
            let own = all
                .iter()
                .filter(|(figure, _)| (from.1..at).contains(figure));
            let own: Vec<&QuantityKind> = own.map(|(_, kind)| *kind).collect();
            if own.is_empty() {
                if word == unit.count()
                    && let Some(last) = found.last_mut()
                {
                    last.words.end = word;
                    last.place.end = at;
                }
                continue;
            }
            found.push(FigureClause {
                words: from.0..word,
                place: from.1..at,
                figures: own,
            });
            from = (word, at);
        }
        found
    }

    /// `The mayor praised the budget` / `The mayor praised the plan and the council rejected the
    /// budget`: no clause has all words of the claim, and one about something else lends some.
    fn borrows(&self, best: &UnitSeen<'_>) -> bool {
        let subject = (0..self.claim.count()).find_map(|word| self.claim.stem(word));
        let Some(subject) = subject else {
            return false;
        };
        let clauses = subject_clauses(best);
        let stems: Vec<Vec<u32>> = clauses
            .iter()
            .map(|clause| self.stems_in(best, clause))
            .collect();
        let all = self.stems_in(best, &(0..best.count()));
        let has = |stem: u32| stems.iter().filter(|own| own.contains(&stem)).count();
        let is_lent = |(clause, own): (&Range<usize>, &Vec<u32>)| {
            let begin = clause.clone().find(|word| best.is_content(*word));
            begin.is_some_and(|word| best.stem(word).is_none())
                && !own.contains(&subject)
                && own.iter().any(|stem| has(*stem) == 1)
        };
        clauses.len() > 1
            && has(subject) > 0
            && !stems.contains(&all)
            && clauses.iter().zip(&stems).any(is_lent)
    }

    pub(super) fn is_titled(&self, stem: u32) -> bool {
        self.held.header.binary_search(&stem).is_ok()
    }

    pub(super) fn is_claimed(&self, value: &QuantityKind) -> bool {
        self.claim.quantities.iter().any(|one| one.means(value))
    }

    /// The claim's stems outside names among these words, sorted.
    fn stems_in(&self, unit: &UnitSeen<'_>, words: &Range<usize>) -> Vec<u32> {
        let counts = |word: &usize| unit.entry(*word).is_none_or(|entry| entry.unit.is_none());
        let words = words.clone().filter(counts);
        let stems = words.filter_map(|word| unit.stem(word));
        let mut stems: Vec<u32> = stems
            .filter(|stem| (*stem as usize) < self.claim.plain)
            .collect();
        stems.sort_unstable();
        stems.dedup();
        stems
    }
}

/// Whether a text has a name as a whole, in any letter case; `Q2` is the second quarter.
fn has_name(text: &str, name: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['-', '\u{a0}', '`'], "");
    let (text, name) = (plain(text), plain(name));
    let quarter = match name.as_str() {
        "q1" => "first quarter",
        "q2" => "second quarter",
        "q3" => "third quarter",
        "q4" => "fourth quarter",
        _ => name.as_str(),
    };
    let is_whole = |wanted: &str| {
        text.match_indices(wanted).any(|(at, _)| {
            let joins = |c: char| c.is_alphanumeric() || c == '_';
            let before = text.get(..at).is_some_and(|head| head.ends_with(joins));
            let behind = text.get(at + wanted.len()..).unwrap_or_default();
            !before && !behind.starts_with(joins)
        })
    };
    let last = name.rsplit(['.', ':', '/']).next().unwrap_or_default();
    is_whole(&name) || is_whole(quarter) || last.len() > 2 && is_whole(last)
}

/// A clause of a sentence with figures of its own.
struct FigureClause<'t> {
    words: Range<usize>,
    /// From the end of the clause before it to its own end.
    place: Range<usize>,
    figures: Vec<&'t QuantityKind>,
}

/// Whether a sentence has a word for what another one names before it names something else: `it`,
/// `their`, `this`.
fn begins_with_reference(unit: &UnitSeen<'_>) -> bool {
    const MORE: [&str; 6] = ["its", "his", "their", "this", "these", "those"];
    let is_one = |word: usize| {
        unit.is_on(word, List::Pronoun) || MORE.iter().any(|one| unit.is_word(word, one))
    };
    let mut words = 0..unit.count().min(BEGIN);
    let first = words.find(|word| is_one(*word) || is_foreign(unit, *word));
    first.is_some_and(is_one)
}

/// Whether one of two figures could be in the place of the other.
fn is_rival(a: &QuantityKind, b: &QuantityKind) -> bool {
    let are_clocks = matches!(
        (a, b),
        (QuantityKind::Clock { .. }, QuantityKind::Clock { .. })
    );
    are_clocks || a.has_dimension_of(b) || a.is_comparable(b, false) || b.is_comparable(a, false)
}

/// The clauses of a sentence that each have a subject and soon a verb.
fn subject_clauses(unit: &UnitSeen<'_>) -> Vec<Range<usize>> {
    let text = |word: usize| (word < unit.count()).then(|| unit.source().get(unit.range(word)))?;
    let has_verb =
        |start: usize, reach: usize| (start + 1..=start + reach).any(|word| is_verb(unit, word));
    // `A leads …, and B leads …`
    let has_same_verb = |one: usize, other: usize| {
        let near =
            |start: usize| (start + 1..=start + VERB_REACH).filter(|word| *word < unit.count());
        near(one).any(|word| {
            unit.is_content(word)
                && !is_capital(unit, word)
                && near(other).any(|other| text(other) == text(word))
        })
    };
    let begins_subject = |word: usize, joined: bool| {
        let is_name = is_capital(unit, word);
        unit.is_on(word, List::Determiner)
            || !joined && is_name
            || unit.is_content(word) && !is_name && !is_verb(unit, word)
    };
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for word in 1..unit.count() {
        let mark = between(unit, word);
        depth = (depth + mark.matches('(').count()).saturating_sub(mark.matches(')').count());
        let joins = unit.is_on(word, List::Joining) && !unit.is_word(word, "or");
        let next = word + usize::from(joins);
        // `Anna Holm and Erik Dahl`
        let joined = joins && is_capital(unit, word - 1) && !mark.contains([',', ';']);
        if depth == 0
            && (joins || mark.contains(';'))
            && next < unit.count()
            && begins_subject(next, joined)
            && (has_verb(start, VERB_REACH + 2) && has_verb(next, VERB_REACH)
                || has_same_verb(start, next))
        {
            found.push(start..word);
            start = next;
        }
    }
    found.push(start..unit.count());
    found
}

fn is_verb(unit: &UnitSeen<'_>, word: usize) -> bool {
    let text = unit.source().get(unit.range(word)).unwrap_or_default();
    unit.is_on(word, List::Verb) || text.len() > 4 && text.ends_with("ed")
}

/// Whether a word is a content word that the claim lacks, and no unit.
fn is_foreign(unit: &UnitSeen<'_>, word: usize) -> bool {
    unit.is_content(word)
        && unit.stem(word).is_none()
        && unit.entry(word).is_none_or(|entry| entry.unit.is_none())
}

/// The words of a text with letters and digits (`x86`, `GPT-4`, `BRCA1`), and a letter or roman number
/// with the word before it (`World War II`, `class A`).
pub(in crate::builtin) fn codes(text: &str) -> impl Iterator<Item = Range<usize>> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    let mut before: &str = "";
    words.filter_map(move |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let last = std::mem::replace(&mut before, word);
        let name = word.trim_matches('-');
        let start = at + (word.len() - word.trim_start_matches('-').len());
        let has_digit = name.contains(|c: char| c.is_ascii_digit());
        if has_digit && name.starts_with(char::is_alphabetic) {
            return Some(start..start + name.len());
        }
        let is_roman =
            !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'));
        let is_numbered = is_roman && last.starts_with(char::is_uppercase)
            || word == "A" && last.starts_with(char::is_lowercase);
        let is_beside = text.get(..at).is_some_and(|head| head.ends_with(' '));
        let noun = at
            .checked_sub(1 + last.len())
            .filter(|_| last.len() > 2 && is_beside);
        noun.filter(|_| is_numbered)
            .map(|noun| noun..at + word.len())
    })
}
