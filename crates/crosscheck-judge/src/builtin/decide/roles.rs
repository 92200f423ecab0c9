//! Passages that have all words of the claim in other roles: another one does it, says it or has
//! it; a person only claims it (judge R1).

use super::super::lexicon::List;
use super::super::phrase::Phrase;
use super::super::quantity::Quantity;
use super::super::text::is_plain;
use super::Case;
use super::governed::{is_compared, is_not_reached};
use super::overlap::Overlap;
use super::unit::UnitSeen;
use super::verbatim::is_denying;

/// At most this many names of a claim are compared in pairs.
const NAMES_MAX: usize = 8;
/// `denied reports on Monday that`: the longest distance at which `that` belongs to the verb.
const THAT: usize = 8;

const BEFORE_NAMES: [&str; 7] = ["a", "an", "the", "its", "his", "her", "their"];
const PREPOSITIONS: [&str; 17] = [
    "by", "from", "to", "of", "in", "at", "on", "against", "with", "for", "over", "than", "after",
    "before", "under", "into", "through",
];

/// What a name is in its sentence, beside another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Who does it.
    Subject,
    Object,
    /// Beside a name with a preposition.
    Bare,
    Behind(&'static str),
}

impl Case<'_> {
    /// Whether the best sentence has the words of the claim in other roles.
    pub(super) fn has_other_roles(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        self.is_of_another_row()
            || self.has_other_amount(overlap)
            || self.has_other_neighbour(overlap)
            || is_sentence(best)
                && best.count() <= self.thresholds.unit_words
                && (self.has_exchanged_names(best)
                    || self.has_pole_elsewhere(best)
                    || self.turns_round(best)
                    || self.is_only_claimed(best)
                    || self.would_have(best))
    }

    /// `A sued B` / `B sued A`; `bought it from A` / `A bought it from`
    fn has_exchanged_names(&self, best: &UnitSeen<'_>) -> bool {
        let own = self.names(self.claim);
        let its = self.names(best);
        let place = |stem: u32| its.iter().find(|(its, _)| *its == stem).map(|(_, at)| *at);
        own.iter().enumerate().any(|(at, (first, a))| {
            own.iter().skip(at + 1).any(|(second, b)| {
                let Some((x, y)) = place(*first).zip(place(*second)) else {
                    return false;
                };
                let roles = roles(self.claim, *a, *b).zip(roles(best, x, y));
                roles.is_some_and(|((a, b), (x, y))| a != b && a == y && b == x)
            })
        })
    }

    /// The capitalised words that occur once, with their stems.
    fn names(&self, phrase: &impl Phrase) -> Vec<(u32, usize)> {
        let plain = u32::try_from(self.claim.plain).unwrap_or(u32::MAX);
        let mut found: Vec<(u32, usize)> = Vec::new();
        let mut twice: Vec<u32> = Vec::new();
        for word in 0..phrase.count() {
            let Some(stem) = phrase.stem(word).filter(|stem| *stem < plain) else {
                continue;
            };
            if found.iter().any(|(one, _)| *one == stem) {
                twice.push(stem);
            } else if is_capital(phrase, word) && found.len() < NAMES_MAX {
                found.push((stem, word));
            }
        }
        found.retain(|(stem, _)| !twice.contains(stem));
        found
    }

    /// `the harbour office said` / `the weather office said`, `granted A's request` / `granted
    /// B's request`: a sentence with a part of the claim that no other has, and another word beside
    /// one of the claim's.
    fn has_other_neighbour(&self, overlap: &Overlap) -> bool {
        let units: Vec<UnitSeen<'_>> = overlap.units.clone().map(|unit| self.unit(unit)).collect();
        units.iter().any(|unit| {
            is_sentence(unit)
                && unit.count() <= self.thresholds.unit_words
                && self.says_more(unit, &units)
                && (1..self.claim.count()).any(|word| self.has_another_beside(unit, word))
        })
    }

    /// Whether a unit has a word or a figure of the claim that the others lack.
    fn says_more(&self, unit: &UnitSeen<'_>, units: &[UnitSeen<'_>]) -> bool {
        let others = || units.iter().filter(|other| other.number != unit.number);
        let plain = u32::try_from(self.claim.plain).unwrap_or(u32::MAX);
        let mut stems = self.held.of_unit(unit.number).iter();
        let figures = self.text.figures();
        let has = |unit: usize, one: &Quantity| figures.values(unit).any(|kind| one.means(kind));
        stems.any(|stem| *stem < plain && !others().any(|other| self.holds(other.number, *stem)))
            || self
                .claim
                .quantities
                .iter()
                .any(|one| has(unit.number, one) && !others().any(|other| has(other.number, one)))
    }

    /// Whether a unit has another word than the claim beside this word of the claim.
    fn has_another_beside(&self, unit: &UnitSeen<'_>, word: usize) -> bool {
        let before = beside(self.claim, word);
        let stems = before.and_then(|one| self.claim.stem(one).zip(self.claim.stem(word)));
        let (Some(before), Some((x, y))) = (before, stems) else {
            return false;
        };
        let is_free = |one: usize| {
            let word = self.claim.words.get(one);
            let at = self.claim.range(one).start;
            let measures = |words: &std::ops::Range<usize>| words.contains(&at);
            let mut units = self.claim.quantities.iter();
            word.is_some_and(|word| word.free)
                && !units.any(|one| one.unit_words.as_ref().is_some_and(measures))
        };
        let of = self.claim.is_word(word - 1, "of");
        let names = (is_capital(self.claim, before), is_capital(self.claim, word));
        is_free(before)
            && is_free(word)
            && match names {
                (is_name, false) => is_replaced(unit, x, y, is_name),
                (is_name, true) => (of || !is_name) && is_replaced_behind(unit, x, y),
            }
    }

    /// `Rents fell` / `Rents rose while wages fell`: the part of the sentence that is about the
    /// claim has the opposite of its word.
    fn has_pole_elsewhere(&self, best: &UnitSeen<'_>) -> bool {
        let mut own = super::super::claim::Poles::default();
        for clause in &self.claim.clauses {
            own.first |= clause.poles.first;
            own.second |= clause.poles.second;
        }
        let its = best.poles();
        let axes = own.decided() & its.first & its.second;
        if axes == 0 {
            return false;
        }
        let figures = self.text.figures();
        let marks = figures.marks(best.number);
        let mut most = (0, false);
        for part in parts(best) {
            let mut stems: Vec<u32> = part
                .clone()
                .filter_map(|word| best.stem(word))
                .filter(|stem| self.claim.weighs(*stem))
                .collect();
            stems.sort_unstable();
            stems.dedup();
            let place = best.range(part.start).start..best.range(part.end.saturating_sub(1)).end;
            let counts = marks.iter().filter(|mark| {
                let value = figures.value(mark);
                place.contains(&mark.range().start)
                    && value.is_some_and(|value| {
                        self.claim.quantities.iter().any(|one| one.means(value))
                    })
            });
            let held = stems.len() + counts.count();
            let poles: Vec<(u8, bool)> = part
                .filter_map(|word| best.entry(word).and_then(|entry| entry.pole))
                .filter(|(axis, _)| axes.checked_shr((*axis).into()).unwrap_or(0) & 1 == 1)
                .collect();
            let is_own = |(axis, second): &(u8, bool)| {
                let side = if *second { own.second } else { own.first };
                side.checked_shr((*axis).into()).unwrap_or(0) & 1 == 1
            };
            let turned = !poles.is_empty() && !poles.iter().any(is_own);
            if held > most.0 {
                most = (held, turned);
            } else if held == most.0 {
                most.1 &= turned;
            }
        }
        most.1
    }

    /// `from growth of 1 % to a decline of 1 %` / the reverse
    fn turns_round(&self, best: &UnitSeen<'_>) -> bool {
        let order = |phrase: &dyn Fn(bool, u32) -> Option<usize>, axis: u32| {
            let (first, second) = phrase(false, axis).zip(phrase(true, axis))?;
            Some(first < second)
        };
        let spans = |text: &str| text.contains("from ") && text.contains(" to ");
        spans(self.claim.text)
            && spans(best.source())
            && (0..u32::BITS).any(|axis| {
                let own = order(
                    &|second, axis| super::opposite::pole_at(self.claim, axis, second),
                    axis,
                );
                let its = order(
                    &|second, axis| super::opposite::pole_at(best, axis, second),
                    axis,
                );
                own.is_some() && its.is_some() && own != its
            })
    }

    /// `Posts claim that …`, `denied reports that …`, `…; the firm denies this`
    fn is_only_claimed(&self, best: &UnitSeen<'_>) -> bool {
        let shared =
            |range: std::ops::Range<usize>| range.filter(|word| best.stem(*word).is_some()).count();
        let all = shared(0..best.count());
        let reports = |word: usize| {
            let listed = best.is_on(word, List::Opinion) || best.is_on(word, List::Distancing);
            let is_own = best.entry(word).is_some_and(|entry| self.claim.has(entry));
            let last = best.count().min(word + 1 + THAT);
            let that = (word + 1..last).find(|next| best.is_word(*next, "that"));
            let fits = |that: usize| {
                let between = best.range(word).end..best.range(that).start;
                let between = best.source().get(between).unwrap_or_default();
                !between.contains([';', ':']) && 2 * shared(that + 1..best.count()) >= all
            };
            let denied = word > 0 && best.negates(word - 1);
            listed && !is_own && !denied && that.is_some_and(fits)
        };
        let denies = |word: usize| {
            let text = best.source().get(best.range(word)).unwrap_or_default();
            let is_own = (0..self.claim.count()).any(|own| self.claim.is_word(own, text));
            let it = ["this", "it", "that"];
            is_denying(&text.to_lowercase())
                && !is_own
                && word + 1 < best.count()
                && it.iter().any(|it| best.is_word(word + 1, it))
                && ends(best, word + 1)
        };
        (0..best.count()).any(|word| reports(word) || denies(word))
    }

    /// `would have lost 4 million` does not say that it did.
    fn would_have(&self, best: &UnitSeen<'_>) -> bool {
        let own = |wanted: &str| (0..self.claim.count()).any(|at| self.claim.is_word(at, wanted));
        let mut words = 1..best.count();
        let is_one = |word: usize| best.is_word(word - 1, "would") && best.is_word(word, "have");
        words.any(is_one) && !own("would") && !own("could")
    }

    /// `40 litres` / `40 litres more than`, `half of` / `less than half of`, `15 % above` / `15 %
    /// below`: every such amount of the passage is another one.
    fn has_other_amount(&self, overlap: &Overlap) -> bool {
        let figures = self.text.figures();
        self.claim.quantities.iter().any(|quantity| {
            let of = |text: &str, range: &std::ops::Range<usize>| {
                let behind = word_behind(text, range.end).to_lowercase();
                (
                    is_compared(text, range),
                    is_not_reached(text, range),
                    behind,
                )
            };
            let own = of(self.claim.text, &quantity.range);
            let mut its = Vec::new();
            for unit in overlap.units.clone() {
                let seen = self.unit(unit);
                let marks = figures.marks(unit).iter().filter(|mark| {
                    let value = figures.value(mark);
                    value.is_some_and(|value| quantity.means(value))
                });
                its.extend(marks.map(|mark| of(seen.source(), &mark.range())));
            }
            let is_turned = |other: &str| {
                let entry = super::super::lexicon::LEXICON.word(&own.2);
                entry.is_some_and(|entry| entry.opposites.iter().any(|one| **one == *other))
            };
            !its.is_empty()
                && (!own.0 && its.iter().all(|its| its.0)
                    || !own.1 && its.iter().all(|its| its.1)
                    || its.iter().all(|its| is_turned(&its.2)))
        })
    }
}

/// Prose, or a short line without marks of code.
pub(super) fn is_sentence(unit: &UnitSeen<'_>) -> bool {
    unit.is_prose() || is_plain(unit.source())
}

/// The roles of two names; none where they are listed, in different parts, or one is the other.
fn roles(phrase: &impl Phrase, a: usize, b: usize) -> Option<(Role, Role)> {
    let (first, second) = (a.min(b), a.max(b));
    let start = run(phrase, second);
    let between = phrase.range(first).end..phrase.range(start).start;
    let between = phrase.text().get(between)?;
    let is_superlative = between.contains("est ");
    let between = between.trim();
    let mut words = first + 1..start;
    let is = |word: usize| {
        let be = ["is", "was", "are", "were"];
        let article = BEFORE_NAMES.iter().any(|one| phrase.is_word(word + 1, one));
        be.iter().any(|one| phrase.is_word(word, one)) && article
    };
    if start <= first
        || matches!(between, "and" | "or" | "&" | "/" | "-")
        || between.contains([',', ';', ':', '"']) && !is_superlative
        || !is_superlative && words.any(is)
    {
        return None;
    }
    let by = (first + 1..start).any(|word| phrase.is_word(word, "by"));
    let own = |word: usize| preposition(phrase, run(phrase, word));
    let of_second = own(second).or(Some("by").filter(|_| by));
    let (one, two) = match (own(first), of_second) {
        (None | Some("by"), None) => (Role::Subject, Role::Object),
        (None, Some("by")) => (Role::Object, Role::Subject),
        (None, Some(two)) => (Role::Bare, Role::Behind(two)),
        (Some(one), None) => (Role::Behind(one), Role::Bare),
        (Some(one), Some(two)) => (Role::Behind(one), Role::Behind(two)),
    };
    Some(if a < b { (one, two) } else { (two, one) })
}

/// The first of the capitalised words that are one after the other here.
fn run(phrase: &impl Phrase, word: usize) -> usize {
    let joins = |word: &usize| {
        let between = phrase.range(word - 1).end..phrase.range(*word).start;
        phrase.text().get(between) == Some(" ") && is_capital(phrase, word - 1)
    };
    let mut start = word;
    while start > 0 && joins(&start) {
        start -= 1;
    }
    start
}

/// The preposition before a name; an article and one word may be between: `from its rival A`.
fn preposition(phrase: &impl Phrase, start: usize) -> Option<&'static str> {
    let is_article = |word: usize| BEFORE_NAMES.iter().any(|one| phrase.is_word(word, one));
    let before = |word: usize| {
        let last = word.checked_sub(1)?;
        let between = phrase.range(last).end..phrase.range(word).start;
        (phrase.text().get(between) == Some(" ")).then_some(last)
    };
    let mut at = before(start)?;
    let mut is_near = true;
    if !is_article(at)
        && phrase.is_content(at)
        && let Some(article) = before(at).filter(|word| is_article(*word))
    {
        at = article;
        is_near = false;
    }
    if is_article(at) {
        at = before(at)?;
    }
    let found = PREPOSITIONS.iter().find(|one| phrase.is_word(at, one));
    // `In the final A beat B`
    found.copied().filter(|_| is_near || at > 0)
}

/// Whether a word begins with a capital and goes on with small letters.
pub(super) fn is_capital(phrase: &impl Phrase, word: usize) -> bool {
    let text = phrase.text().get(phrase.range(word)).unwrap_or_default();
    text.starts_with(char::is_uppercase) && text.chars().nth(1).is_some()
}

/// The content word directly before this one; `of` may be between.
fn beside(phrase: &impl Phrase, word: usize) -> Option<usize> {
    let mut at = word.checked_sub(1)?;
    if phrase.is_word(at, "of") {
        at = at.checked_sub(1)?;
    }
    let between = phrase.range(at).end..phrase.range(word).start;
    let between = phrase.text().get(between)?;
    let joined = matches!(between, " " | " of " | "'s " | ", ");
    (joined && phrase.is_content(at)).then_some(at)
}

/// Whether every `y` of a unit has another word before it than `x`, which the unit lacks or has in
/// another part.
fn is_replaced(unit: &UnitSeen<'_>, x: u32, y: u32, is_name: bool) -> bool {
    let is_at = |word: usize, stem: u32| unit.stem(word) == Some(stem);
    let apart = |x: usize, y: usize| {
        let between = unit.range(x.min(y)).end..unit.range(x.max(y)).start;
        let between = unit.source().get(between);
        between.is_some_and(|between| between.contains(';'))
    };
    let is_other = |word: usize| {
        let another = beside(unit, word).is_some_and(|before| {
            unit.stem(before).is_none()
                && is_capital(unit, before) == is_name
                && unit.entry(before).is_none_or(|entry| entry.unit.is_none())
        });
        another && (0..unit.count()).all(|own| !is_at(own, x) || apart(own, word))
    };
    let mut places = (0..unit.count()).filter(|word| is_at(*word, y)).peekable();
    places.peek().is_some() && places.all(is_other)
}

/// Whether every `x` of a unit has another name behind it than `y`.
fn is_replaced_behind(unit: &UnitSeen<'_>, x: u32, y: u32) -> bool {
    let is_x = |word: &usize| unit.stem(*word) == Some(x);
    let mut places = (0..unit.count()).filter(is_x).peekable();
    let is_other = |word: usize| {
        let mut reach = word + 1..unit.count().min(word + 3);
        let next = reach.find(|next| unit.is_content(*next) && beside(unit, *next) == Some(word));
        next.is_some_and(|next| {
            let mut names = (next..unit.count()).take_while(|one| run(unit, *one) <= next);
            unit.stem(next).is_none()
                && is_capital(unit, next)
                && !names.any(|one| unit.stem(one) == Some(y))
        })
    };
    places.peek().is_some() && places.all(is_other)
}

/// The parts of a sentence between commas, semicolons, and words such as `while`.
pub(super) fn parts(unit: &UnitSeen<'_>) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for word in 1..unit.count() {
        let between = unit.range(word - 1).end..unit.range(word).start;
        let between = unit.source().get(between).unwrap_or_default();
        if unit.is_on(word, List::ClauseBorder) || between.contains([',', ';', ':', '(']) {
            found.push(start..word);
            start = word;
        }
    }
    found.push(start..unit.count());
    found
}

/// Whether a mark or the end of the unit is behind a word.
fn ends(unit: &UnitSeen<'_>, word: usize) -> bool {
    let tail = unit.tail(word).trim_start();
    tail.is_empty() || tail.starts_with([',', '.', ';', ')'])
}

/// The word behind a place.
fn word_behind(text: &str, at: usize) -> &str {
    let tail = text.get(at..).unwrap_or_default();
    let tail = tail.strip_prefix(' ').unwrap_or_default();
    let end = tail
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(tail.len());
    tail.get(..end).unwrap_or_default()
}
