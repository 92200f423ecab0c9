//! Who does it, to whom, and what is compared with what: sentences that have all words of the claim
//! and say it of another person (judge R1).

use super::super::phrase::Phrase;
use super::Case;
use super::order::PRONOUNS;
use super::overlap::Overlap;
use super::roles::{is_capital, is_sentence};
use super::unit::UnitSeen;

/// `by the engineer A B`, `than that of the A`: how many words behind are looked at.
const REACH: usize = 6;

/// Verbs that do not end in `ed` and are the same beside `by`: `built by`.
const VERBS: [&str; 20] = [
    "built", "won", "led", "made", "told", "taught", "found", "sold", "paid", "bought", "sent",
    "held", "hit", "cut", "read", "set", "run", "spent", "lost", "brought",
];
/// Before the name of a person who did not do it.
const BESIDE: [&str; 9] = [
    "with", "to", "from", "for", "against", "of", "than", "after", "before",
];

impl Case<'_> {
    /// Whether a sentence of the window has another one in the place of one of the claim's names.
    pub(super) fn is_done_by_another(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        let units = overlap.units.clone().map(|unit| self.unit(unit));
        let units: Vec<UnitSeen<'_>> = units.filter(is_sentence).collect();
        self.has_other_agent(&units)
            || is_sentence(best)
                && (self.compares_with_another(best)
                    || self.is_of_another_clause(best)
                    || self.begins_with_another_name(best))
    }

    /// `reported by A` / `reported by B, fixed by A`; `A fixed` / `fixed by B`; `taught A` / `taught
    /// by A`
    fn has_other_agent(&self, units: &[UnitSeen<'_>]) -> bool {
        (0..self.claim.count()).any(|verb| {
            let word = self.claim.text.get(self.claim.range(verb));
            let is_verb = |word: &&str| word.ends_with("ed") || VERBS.contains(word);
            let Some(word) = word.filter(is_verb) else {
                return false;
            };
            let named: Vec<Vec<u32>> = units.iter().flat_map(|unit| agents(unit, word)).collect();
            if named.is_empty() {
                return false;
            }
            let is_there = |stem: u32| named.iter().any(|agent| agent.contains(&stem));
            let is_strange =
                |names: &[u32]| !names.is_empty() && !names.iter().any(|name| is_there(*name));
            let own = agents_behind(self.claim, verb, word);
            let object = self.name_from(verb + 1);
            match own {
                Some(own) => is_strange(&own),
                None => {
                    is_strange(&self.name_before(verb)) || object.iter().any(|name| is_there(*name))
                }
            }
        })
    }

    /// The stems of the name that begins at a word.
    fn name_from(&self, word: usize) -> Vec<u32> {
        let names = (word..self.claim.count()).take_while(|word| is_capital(self.claim, *word));
        names.filter_map(|word| self.claim.stem(word)).collect()
    }

    /// The stems of the name that ends before a word.
    fn name_before(&self, word: usize) -> Vec<u32> {
        let names = (0..word).rev();
        let names = names.take_while(|word| is_capital(self.claim, *word));
        names.filter_map(|word| self.claim.stem(word)).collect()
    }

    /// `A lasted longer than B` / `longer than that of A`
    pub(super) fn compares_with_another(&self, best: &UnitSeen<'_>) -> bool {
        let own = compared(self.claim);
        let its = compared(best);
        !own.is_empty() && !own.iter().any(|stem| its.contains(stem))
    }

    /// `A was advised by D` / `A was advised by C; B was advised by D`: no clause of the sentence
    /// has all names of the claim.
    fn is_of_another_clause(&self, best: &UnitSeen<'_>) -> bool {
        let names = (0..self.claim.count()).filter(|word| is_capital(self.claim, *word));
        let names = names.filter_map(|word| self.claim.stem(word));
        let names: Vec<u32> = names
            .filter(|stem| self.holds(best.number, *stem))
            .collect();
        let mut clauses: Vec<Vec<u32>> = Vec::new();
        let mut end = None;
        for word in 0..best.count() {
            let range = best.range(word);
            let between = end.and_then(|end| best.source().get(end..range.start));
            // `A sold it; it was old`
            let goes_on = || PRONOUNS.iter().any(|one| best.is_word(word, one));
            if between.is_none_or(|between| between.contains(';') && !goes_on()) {
                clauses.push(Vec::new());
            }
            end = Some(range.end);
            if let (Some(stem), Some(clause)) = (best.stem(word), clauses.last_mut()) {
                clause.push(stem);
            }
        }
        let is_repeated = |stem: u32| {
            let with = clauses.iter().filter(|clause| clause.contains(&stem));
            !names.contains(&stem) && with.count() > 1
        };
        let plain = u32::try_from(self.claim.plain).unwrap_or(u32::MAX);
        let has_all = |clause: &Vec<u32>| names.iter().all(|name| clause.contains(name));
        clauses.len() > 1
            && names.len() > 1
            && (0..plain).any(is_repeated)
            && !clauses.iter().any(has_all)
    }

    /// `A, a surveyor, climbed it` / `B, a surveyor, climbed it with A`
    fn begins_with_another_name(&self, best: &UnitSeen<'_>) -> bool {
        let first = self.name_from(0);
        let place = (0..best.count()).find(|word| {
            let stem = best.stem(*word);
            stem.is_some_and(|stem| first.contains(&stem))
        });
        self.begins_with_another(best)
            && place.is_some_and(|place| is_beside(best, place))
            && (1..self.claim.count()).all(|word| !self.claim.is_word(word, "by"))
    }
}

/// Whether a preposition is before a name, perhaps with other words between: `with his guide A`.
fn is_beside(phrase: &impl Phrase, word: usize) -> bool {
    let mut before = word.saturating_sub(REACH / 2)..word;
    before.any(|before| BESIDE.iter().any(|one| phrase.is_word(before, one)))
}

/// The names behind `<verb> by`, one list for each place.
fn agents(unit: &UnitSeen<'_>, verb: &str) -> Vec<Vec<u32>> {
    let places = (0..unit.count()).filter(|word| unit.is_word(*word, verb));
    let named = places.filter_map(|word| agents_behind(unit, word, verb));
    named.collect()
}

/// The stems of the name behind a verb and `by`; none where no name follows.
fn agents_behind(phrase: &impl Phrase, verb: usize, word: &str) -> Option<Vec<u32>> {
    // `founded in 1742 by A`
    let near = verb + 1..phrase.count().min(verb + 1 + REACH / 2);
    let near = || near.clone();
    let by = near().find(|next| phrase.is_word(*next, "by"))?;
    let is_other = |next: usize| phrase.is_content(next) || is_capital(phrase, next);
    if !phrase.is_word(verb, word) || near().take_while(|next| *next < by).any(is_other) {
        return None;
    }
    let mut has_name = false;
    let mut found = Vec::new();
    let mut end = phrase.range(by).end;
    for next in by + 1..phrase.count().min(by + 1 + REACH) {
        let range = phrase.range(next);
        let between = phrase.text().get(end..range.start).unwrap_or_default();
        // `signed by A and written by B`
        let goes_on = next + 1 < phrase.count() && is_capital(phrase, next + 1);
        let is_next = phrase.is_word(next, "by") || phrase.is_word(next, "and") && !goes_on;
        if is_next || between.contains([',', ';', '.', ':', '(']) {
            break;
        }
        end = range.end;
        if is_capital(phrase, next) {
            has_name = true;
            found.extend(phrase.stem(next));
        }
    }
    has_name.then_some(found)
}

/// The stems behind `than` that are not part of an amount.
fn compared(phrase: &impl Phrase) -> Vec<u32> {
    let places = (0..phrase.count()).filter(|word| phrase.is_word(*word, "than"));
    let mut found = Vec::new();
    for than in places {
        let tail = phrase.tail(than).trim_start();
        if tail.starts_with(|c: char| !c.is_alphabetic()) {
            continue;
        }
        let last = phrase.count().min(than + 1 + REACH);
        found.extend((than + 1..last).filter_map(|word| phrase.stem(word)));
    }
    found
}
