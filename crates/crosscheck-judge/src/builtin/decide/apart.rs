//! Passages that have all words of the claim in different statements: the figure, the verb or the
//! subject belongs to something else (judge R1).

use std::ops::Range;

use super::super::phrase::Phrase as _;
use super::super::prepared::Mark;
use super::super::quantity::{Quantity, QuantityKind};
use super::Case;
use super::order::PRONOUNS;
use super::overlap::Overlap;
use super::qualified::is_otherwise;
use super::reasons::differs_in_ending;
use super::roles::{is_capital, is_sentence};
use super::spared::Figure;
use super::unit::UnitSeen;

/// Words that begin another statement.
const BORDERS: [&str; 5] = ["and", "but", "or", "while", "whereas"];
/// Words that begin the subject of another statement.
const SUBJECTS: [&str; 17] = [
    "the", "a", "an", "its", "his", "her", "their", "our", "my", "this", "these", "those",
    "another", "some", "many", "most", "every",
];
/// Words that begin another clause.
const CLAUSES: [&str; 4] = ["and", "but", "while", "whereas"];
/// The verb is at most this many words behind the beginning of its subject.
const VERB_REACH: usize = 3;
/// Verbs that do not end in `ed`.
const VERBS: [&str; 79] = [
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "will",
    "would", "can", "could", "may", "must", "shall", "should", "might", "ate", "became", "began",
    "bought", "broke", "brought", "built", "came", "chose", "cut", "drew", "drove", "fell", "felt",
    "flew", "fought", "found", "gave", "got", "grew", "held", "hit", "kept", "knew", "laid", "led",
    "left", "lost", "made", "met", "paid", "put", "ran", "read", "rode", "rose", "said", "sang",
    "saw", "says", "sent", "set", "shot", "sold", "spent", "spoke", "stole", "stood", "swam",
    "taught", "thought", "threw", "told", "took", "went", "won", "wore", "wrote",
];
/// Words between two statements that are set against each other.
const AGAINST: [&str; 2] = ["while", "whereas"];

impl Case<'_> {
    /// Whether the passage has a figure of the claim only where it is a figure of something else.
    pub(super) fn has_figure_of_another(&self, overlap: &Overlap) -> bool {
        self.has_figure_only(overlap, |unit, quantity, mark| {
            is_sentence(unit)
                && unit.count() <= self.thresholds.unit_words
                && (self.is_other_end(unit, quantity, mark)
                    || self.is_of_another(unit, quantity, mark))
        })
    }

    /// Whether the passage has a figure of the claim only with another bound or for each of
    /// something else.
    pub(super) fn has_figure_otherwise(&self, overlap: &Overlap) -> bool {
        self.has_figure_only(overlap, |unit, quantity, mark| {
            let claimed = Figure {
                text: self.claim.text,
                range: quantity.range.clone(),
                kind: &quantity.kind,
            };
            let found = self.figure(unit, mark);
            found.is_some_and(|found| is_otherwise(&claimed, &found))
        })
    }

    /// Whether some figure of the claim is in the passage, and only at such places.
    fn has_figure_only(
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

    /// `fell to 940` / `fell from 940 to 705`
    fn is_other_end(&self, unit: &UnitSeen<'_>, quantity: &Quantity, mark: &Mark) -> bool {
        let own = word_before(self.claim.text, quantity.range.start);
        let its = word_before(unit.source(), mark.range().start);
        matches!((own, its), ("to", "from") | ("from", "to"))
    }

    /// `A has 5 %` / `A has 3 %, B 5 %`: the statement that has the figure is not about the words of
    /// the claim, which are in one that has another figure.
    fn is_of_another(&self, unit: &UnitSeen<'_>, quantity: &Quantity, mark: &Mark) -> bool {
        let figures = self.text.figures();
        let is_clock = |kind: &QuantityKind| matches!(kind, QuantityKind::Clock { .. });
        let rivals = |value: &QuantityKind| {
            is_clock(&quantity.kind) && is_clock(value)
                || quantity.kind.has_dimension_of(value)
                || quantity.kind.is_comparable(value, false)
                || value.is_comparable(&quantity.kind, false)
        };
        let is_claimed =
            |value: &QuantityKind| self.claim.quantities.iter().any(|one| one.means(value));
        let alike = figures.marks(unit.number).iter().filter_map(|mark| {
            let value = figures.value(mark)?;
            let own = is_claimed(value);
            (own || rivals(value)).then(|| (mark.range().start, own))
        });
        let alike: Vec<(usize, bool)> = alike.collect();
        let parts = statements(unit, &alike);
        let at = mark.range().start;
        let Some(home) = parts.iter().position(|part| part.place.contains(&at)) else {
            return false;
        };
        let Some(own) = parts.get(home) else {
            return false;
        };
        let is_there = |part: &Statement, stem: u32| {
            part.words.clone().any(|word| unit.stem(word) == Some(stem))
        };
        parts.iter().enumerate().any(|(number, part)| {
            if !part.rivals || number == home {
                return false;
            }
            let mut lent = self.stems_in(unit, &part.words).into_iter();
            let mut alone = lent
                .by_ref()
                .filter(|stem| !is_there(own, *stem))
                .peekable();
            if number > home {
                return alone.any(|stem| {
                    let others = parts.iter().enumerate();
                    let mut others = others.filter(|(other, _)| *other != number);
                    !others.any(|(_, other)| is_there(other, stem)) && !self.is_titled(stem)
                });
            }
            let its = self.stems_in(unit, &own.words);
            alone.peek().is_some()
                && own.words.clone().any(|word| is_foreign(unit, word))
                && (its.into_iter().all(|stem| is_there(part, stem))
                    || self.has_other_kind(unit, &own.words))
        })
    }

    /// `summer traffic` / `winter traffic`: these words have another one before a word of the claim.
    fn has_other_kind(&self, unit: &UnitSeen<'_>, words: &Range<usize>) -> bool {
        let stems = self.stems_in(unit, words);
        (1..self.claim.count()).any(|word| {
            let pair = self.claim.stem(word - 1).zip(self.claim.stem(word));
            pair.is_some_and(|(kind, noun)| {
                let is_noun = |one: usize| unit.stem(one) == Some(noun);
                let mut places = words.clone().filter(|one| is_noun(*one)).peekable();
                let is_other = |one: usize| {
                    one > words.start && between(unit, one) == " " && is_foreign(unit, one - 1)
                };
                !stems.contains(&kind) && places.peek().is_some() && places.all(is_other)
            })
        })
    }

    /// Whether the words of the claim are in two statements that are set against each other, or its
    /// subject is only in a sentence beside the one that says the rest of something else.
    pub(super) fn is_said_of_another(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        self.is_across(best) || self.has_subject_beside(overlap, best) || self.borrows(best)
    }

    /// `B fell` / `A fell, while B rose`
    fn is_across(&self, best: &UnitSeen<'_>) -> bool {
        let joins = |word: usize| BORDERS.iter().any(|one| self.claim.is_word(word, one));
        if !self.claim.quantities.is_empty()
            || self.claim.text.contains([',', ';', ':'])
            || (0..self.claim.count()).any(joins)
            || !is_sentence(best)
        {
            return false;
        }
        let all = self.stems_in(best, &(0..best.count())).len();
        let is_whole = |half: &Range<usize>| self.stems_in(best, half).len() == all;
        let subject = (0..self.claim.count()).find_map(|word| self.claim.stem(word));
        // `rents increased in the north; rents rose`
        let lacks_subject = |half: &Range<usize>| {
            let stems = self.stems_in(best, half);
            !stems.is_empty() && subject.is_none_or(|subject| !stems.contains(&subject))
        };
        let halves = halves(best);
        halves.len() > 1 && !halves.iter().any(is_whole) && halves.iter().any(lacks_subject)
    }

    /// `The mayor praised the budget` / `The mayor praised the plan and the council rejected the
    /// budget`: no clause has all words of the claim, and one about something else lends some.
    fn borrows(&self, best: &UnitSeen<'_>) -> bool {
        let subject = (0..self.claim.count()).find_map(|word| self.claim.stem(word));
        let Some(subject) = subject.filter(|_| is_sentence(best)) else {
            return false;
        };
        let clauses = clauses(best);
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

    /// `The managers wanted it` / `The staff wanted it. Managers were sceptical.`
    fn has_subject_beside(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        let first = (0..self.claim.count()).find_map(|word| self.claim.stem(word));
        let Some(subject) = first.filter(|stem| !self.is_titled(*stem)) else {
            return false;
        };
        let has_figure = |unit: &usize| {
            let mut values = self.text.figures().values(*unit);
            values.any(|value| self.claim.quantities.iter().any(|one| one.means(value)))
        };
        let with_figure = overlap.units.clone().find(has_figure);
        let said = with_figure.map_or(best.number, |unit| {
            if has_figure(&best.number) {
                best.number
            } else {
                unit
            }
        });
        let unit = self.unit(said);
        let name = self.claim.stems.get(subject as usize);
        let is_form = || {
            let words = self.text.words(said);
            words.zip(name).is_some_and(|(words, name)| {
                let mut stems = words.stems();
                stems.any(|stem| differs_in_ending(&name.text, stem))
            })
        };
        let begin = (0..unit.count()).find(|word| {
            unit.is_content(*word) || PRONOUNS.iter().any(|one| unit.is_word(*word, one))
        });
        let mut beside = overlap.units.clone().filter(|other| *other != said);
        is_sentence(&unit)
            && unit.count() <= self.thresholds.unit_words
            && !self.holds(said, subject)
            && beside.any(|other| self.holds(other, subject))
            && begin.is_some_and(|word| is_foreign(&unit, word))
            && !is_form()
    }

    fn is_titled(&self, stem: u32) -> bool {
        self.held.header.binary_search(&stem).is_ok()
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

/// A part of a sentence with a figure of its own.
struct Statement {
    words: Range<usize>,
    /// From the end of the statement before it to its own end.
    place: Range<usize>,
    /// Whether it has a figure that the claim lacks, and none that the claim has.
    rivals: bool,
}

/// The statements of a sentence, by its figures and whether the claim has them. A part without a
/// figure belongs to the next one.
fn statements(unit: &UnitSeen<'_>, figures: &[(usize, bool)]) -> Vec<Statement> {
    let borders = (1..unit.count()).filter(|word| {
        let between = between(unit, *word);
        let marks = [", ", "; ", ": ", " ("];
        BORDERS.iter().any(|one| unit.is_word(*word, one))
            || marks.iter().any(|mark| between.contains(mark))
    });
    // a mark is before what is behind it, a word begins its part
    let place = |word: usize| {
        let last = unit.range(word - 1).end;
        let mark = between(unit, word).find([',', ';', ':', '(']);
        mark.map_or(unit.range(word).start, |at| last + at)
    };
    let mut found: Vec<Statement> = Vec::new();
    let mut from = (0, 0);
    let ends: Vec<(usize, usize)> = borders.map(|word| (word, place(word))).collect();
    for (word, at) in ends
        .into_iter()
        .chain([(unit.count(), unit.source().len())])
    {
        let mut own = figures
            .iter()
            .filter(|(figure, _)| (from.1..at).contains(figure));
        let own: Vec<bool> = own.by_ref().map(|(_, claimed)| *claimed).collect();
        if own.is_empty() {
            if word == unit.count()
                && let Some(last) = found.last_mut()
            {
                last.words.end = word;
                last.place.end = at;
            }
            continue;
        }
        found.push(Statement {
            words: from.0..word,
            place: from.1..at,
            rivals: !own.contains(&true),
        });
        from = (word, at);
    }
    found
}

/// The parts of a sentence that are set against each other.
fn halves(unit: &UnitSeen<'_>) -> Vec<Range<usize>> {
    let against = |word: usize| {
        let next = unit.source().get(unit.range(word + 1)).unwrap_or_default();
        // `but the cranes` has a subject of its own, `but has` has none
        let but = || unit.is_word(word, "but") && matches!(next, "the" | "a" | "an");
        AGAINST.iter().any(|one| unit.is_word(word, one)) && !next.ends_with("ing") || but()
    };
    let begins = unit.count() > 0 && against(0);
    let comma = (1..unit.count()).find(|word| between(unit, *word).contains(", "));
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for word in 1..unit.count() {
        let between = between(unit, word);
        depth = depth_behind(depth, between);
        if depth > 0 {
            continue;
        }
        if against(word) || between.contains(';') || begins && comma == Some(word) {
            found.push(start..word);
            start = word;
        }
    }
    found.push(start..unit.count());
    found
}

/// The clauses of a sentence that each have a subject and soon a verb.
fn clauses(unit: &UnitSeen<'_>) -> Vec<Range<usize>> {
    let text = |word: usize| (word < unit.count()).then(|| unit.source().get(unit.range(word)))?;
    let is_verb = |word: usize| {
        text(word).is_some_and(|text| {
            VERBS.contains(&text) || text.len() > 4 && text.ends_with("ed") && unit.is_content(word)
        })
    };
    let has_verb = |start: usize, reach: usize| (start + 1..=start + reach).any(is_verb);
    // `A leads …, and B leads …`
    let has_same_verb = |one: usize, other: usize| {
        let near = |start: usize| (start + 1..=start + VERB_REACH).filter(|w| *w < unit.count());
        near(one).any(|word| {
            unit.is_content(word)
                && !is_capital(unit, word)
                && near(other).any(|other| text(other) == text(word))
        })
    };
    let begins_subject = |word: usize, joined: bool| {
        let names = || !joined && is_capital(unit, word);
        SUBJECTS.iter().any(|one| unit.is_word(word, one))
            || names()
            || unit.is_content(word) && !is_capital(unit, word) && !is_verb(word)
    };
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for word in 1..unit.count() {
        depth = depth_behind(depth, between(unit, word));
        let joins = CLAUSES.iter().any(|one| unit.is_word(word, one));
        let mark = between(unit, word);
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

/// How many brackets are open behind a text.
fn depth_behind(depth: usize, text: &str) -> usize {
    let open = depth + text.matches('(').count();
    open.saturating_sub(text.matches(')').count())
}

/// The text between a word and the one before it.
fn between<'u>(unit: &'u UnitSeen<'_>, word: usize) -> &'u str {
    let between = unit.range(word - 1).end..unit.range(word).start;
    unit.source().get(between).unwrap_or_default()
}

/// Whether a word is a content word that the claim lacks, and no unit.
fn is_foreign(unit: &UnitSeen<'_>, word: usize) -> bool {
    unit.is_content(word)
        && unit.stem(word).is_none()
        && unit.entry(word).is_none_or(|entry| entry.unit.is_none())
}

/// The word before a place.
fn word_before(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default().trim_end();
    head.rsplit(' ').next().unwrap_or_default()
}
