//! Passages that have all words of the claim and turn it around with a small
//! one: another bound, `not only`, `Q2` for `Q1` (judge R1).

use super::super::lexicon::{LEXICON, WordEntry};
use super::super::phrase::Phrase;
use super::super::quantity::{Bound, Hedge, QuantityKind, time_side};
use super::super::text::is_word_char;
use super::Case;
use super::overlap::Overlap;
use super::unit::UnitSeen;

impl Case<'_> {
    /// Whether a small word of the passage says the opposite of the claim's.
    pub(super) fn is_turned(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        self.has_opposite_bound(overlap)
            || self.has_other_code(overlap)
            || self.has_other_letter(overlap, best)
            || self.has_other_partner(best)
            || self.has_other_idiom(overlap)
            || self.has_other_contrast(best)
            || self.has_swapped_poles(best)
    }

    /// A figure of the claim with the opposite bound: `up to 40` / `at least 40`,
    /// `until 2025` / `from 2025`.
    fn has_opposite_bound(&self, overlap: &Overlap) -> bool {
        let figures = self.text.figures();
        self.claim.quantities.iter().any(|quantity| {
            let Some(own) = side(self.claim.text, &quantity.range, &quantity.kind) else {
                return false;
            };
            let mut sides = Vec::new();
            for unit in overlap.units.clone() {
                let seen = self.unit(unit);
                for mark in figures.marks(unit) {
                    if let Some(kind) = figures.value(mark)
                        && quantity.means(kind)
                    {
                        sides.push(side(seen.source(), &mark.range(), kind));
                    }
                }
            }
            !sides.contains(&Some(own)) && sides.iter().any(Option::is_some)
        })
    }

    /// `Q1` / `Q2`
    fn has_other_code(&self, overlap: &Overlap) -> bool {
        let mut own = codes(self.claim.text)
            .chain(quarters(self.claim.text))
            .peekable();
        if own.peek().is_none() {
            return false;
        }
        let units: Vec<UnitSeen<'_>> = overlap.units.clone().map(|unit| self.unit(unit)).collect();
        let sources = || units.iter().map(UnitSeen::source);
        let its: Vec<_> = sources()
            .flat_map(codes)
            .chain(sources().flat_map(quarters))
            .collect();
        own.any(|(letters, digits)| {
            let alike = || {
                its.iter()
                    .filter(|(its, _)| its.eq_ignore_ascii_case(letters))
            };
            alike().next().is_some() && alike().all(|(_, its)| *its != digits)
        })
    }

    /// `Hepatitis B` / `Hepatitis A`, `World War I` / `World War II`
    fn has_other_letter(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        let own = lettered(self.claim.text);
        if own.is_empty() {
            return false;
        }
        let units: Vec<UnitSeen<'_>> = overlap.units.clone().map(|unit| self.unit(unit)).collect();
        let its: Vec<_> = units
            .iter()
            .flat_map(|unit| lettered(unit.source()))
            .collect();
        let nearest = lettered(best.source());
        own.iter().any(|(noun, letter)| {
            let others = |all: &[(&str, &str)]| {
                let mut same = all.iter().filter(|(its, _)| its.eq_ignore_ascii_case(noun));
                same.any(|(_, its)| its != letter)
            };
            let same = |all: &[(&str, &str)]| {
                let mut all = all.iter().filter(|(its, _)| its.eq_ignore_ascii_case(noun));
                all.any(|(_, its)| its == letter)
            };
            others(&nearest) || others(&its) && !same(&nearest) || others(&its) && !same(&its)
        })
    }

    /// `renovated in 1989` / `opened in 1989 and was renovated in 1998`: the word before the
    /// figure has another such figure behind it, and the claim's belongs to what is before.
    fn has_other_partner(&self, best: &UnitSeen<'_>) -> bool {
        if best.count() > self.thresholds.unit_words {
            return false;
        }
        let figures = self.text.figures();
        let marks = figures.marks(best.number);
        let text = best.source();
        let is_cut = |from: usize, to: usize| {
            let between = text.get(from..to).unwrap_or_default();
            between.contains([',', ';']) || between.contains(" and ") || between.contains(" but ")
        };
        self.claim.quantities.iter().any(|quantity| {
            let words = self.claim.words.iter();
            let before = words.filter(|word| word.range.end <= quantity.range.start);
            let Some(stem) = before.filter_map(|word| word.stem).next_back() else {
                return false;
            };
            let own = |mark: &&super::super::prepared::Mark| {
                figures.value(mark).is_some_and(|kind| quantity.means(kind))
            };
            (0..best.count()).any(|word| {
                let place = best.range(word);
                let mut matching = marks.iter().filter(own);
                let next = marks.iter().find(|mark| mark.range().start >= place.end);
                let is_other = next.is_some_and(|mark| {
                    let kind = figures.value(mark);
                    kind.is_some_and(|kind| {
                        !quantity.means(kind) && quantity.kind.is_comparable(kind, false)
                    }) && !is_cut(place.end, mark.range().start)
                });
                let earlier = marks.iter().filter(own).any(|mark| {
                    mark.range().end <= place.start && is_cut(mark.range().end, place.start)
                });
                best.stem(word) == Some(stem)
                    && (0..best.count())
                        .filter(|one| best.stem(*one) == Some(stem))
                        .count()
                        == 1
                    && is_other
                    && earlier
                    && !matching.any(|mark| mark.range().start >= place.end)
            })
        })
    }

    /// `only` / `not only`, `can simply` / `can not simply`
    fn has_other_idiom(&self, overlap: &Overlap) -> bool {
        let own = idioms(self.claim);
        let units = overlap.units.clone().map(|unit| self.unit(unit));
        let its: Vec<(&WordEntry, bool)> = units.flat_map(|unit| idioms(&unit)).collect();
        own.iter().any(|(entry, negated)| {
            let same = |one: &&(&WordEntry, bool)| std::ptr::eq(one.0, *entry);
            let mut found = its.iter().filter(same).peekable();
            own.iter().filter(same).all(|(_, own)| own == negated)
                && found.peek().is_some()
                && found.all(|(_, its)| its != negated)
        })
    }

    /// `steel rather than wood` / `wood rather than steel`
    fn has_other_contrast(&self, best: &UnitSeen<'_>) -> bool {
        let (own, its) = (contrasts(self.claim), contrasts(best));
        !own.is_empty() && !its.is_empty() && !own.iter().any(|stem| its.contains(stem))
    }

    /// `rose in 2019 and fell in 2020` / `fell in 2019 and rose in 2020`
    fn has_swapped_poles(&self, best: &UnitSeen<'_>) -> bool {
        let clauses = self.claim.clauses.iter();
        let (first, second) = clauses.fold((0, 0), |(first, second), clause| {
            (first | clause.poles.first, second | clause.poles.second)
        });
        let its = best.poles();
        let mut shared = first & second & its.first & its.second;
        let figures = self.text.figures();
        let marks = figures.marks(best.number).iter();
        let found: Vec<(usize, &QuantityKind)> = marks
            .filter_map(|mark| Some((mark.range().start, figures.value(mark)?)))
            .collect();
        let own: Vec<(usize, &super::super::quantity::Quantity)> = self
            .claim
            .quantities
            .iter()
            .map(|one| (one.range.start, one))
            .collect();
        while shared != 0 {
            let axis = shared.trailing_zeros();
            shared &= shared - 1;
            let pair = |phrase: &dyn Fn(bool) -> Option<usize>| phrase(false).zip(phrase(true));
            let claimed = pair(&|second| pole_at(self.claim, axis, second));
            let seen = pair(&|second| pole_at(best, axis, second));
            let Some(((a, b), (x, y))) = claimed.zip(seen) else {
                continue;
            };
            let four = nearest(&own, a)
                .zip(nearest(&own, b))
                .zip(nearest(&found, x).zip(nearest(&found, y)));
            if let Some(((a, b), (x, y))) = four
                && a.means(y)
                && b.means(x)
                && !a.means(x)
            {
                return true;
            }
        }
        false
    }

    /// `does not necessarily`, `can not simply`: no plain negation, but no plain yes either.
    pub(super) fn is_denied_idiom(&self, unit: &UnitSeen<'_>, word: usize) -> bool {
        let Some(entry) = unit.entry(word).filter(|entry| !self.claim.has(entry)) else {
            return false;
        };
        let Some(before) = &entry.denied_behind else {
            return false;
        };
        let follows = || {
            let wanted = word.checked_sub(2);
            wanted.is_some_and(|at| before.iter().any(|one| unit.is_word(at, one)))
        };
        word > 0 && unit.negates(word - 1) && (before.is_empty() || follows())
    }
}

/// The side on which the figure lies of what it bounds.
fn side(text: &str, range: &std::ops::Range<usize>, kind: &QuantityKind) -> Option<Bound> {
    match kind {
        QuantityKind::Number { .. } | QuantityKind::Long(_) => Hedge::of(text, range).bound,
        QuantityKind::Version(_) => None,
        _ => time_side(text, range),
    }
}

/// Words with a single capital letter or a roman numeral behind them.
fn lettered(text: &str) -> Vec<(&str, &str)> {
    let is_letter = |word: &str| {
        let roman = word.len() <= 4 && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'));
        roman || word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    // `Bert V. Royal` has an initial.
    let words: Vec<&str> = text.split(' ').collect();
    let pairs = words.windows(2).filter_map(|two| {
        let &[noun, letter] = two else { return None };
        let letter = letter.trim_end_matches([',', ';', ':', ')', '"']);
        let noun_fits = noun.len() > 2 && noun.chars().all(char::is_alphabetic);
        (noun_fits && !letter.is_empty() && is_letter(letter)).then_some((noun, letter))
    });
    pairs.collect()
}

/// Words of one to three letters, the first a capital, with one to eight digits directly behind
/// them.
pub(super) fn codes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(|c| !is_word_char(c)).filter_map(|word| {
        let letters = word.find(|c: char| !c.is_ascii_alphabetic())?;
        let (letters, digits) = word.split_at_checked(letters)?;
        let fits = (1..=3).contains(&letters.len())
            && letters.starts_with(|c: char| c.is_ascii_uppercase())
            && (1..=8).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        fits.then_some((letters, digits))
    })
}

/// The quarters of a year in words, as codes: `second quarter` is `Q2`.
fn quarters(text: &str) -> impl Iterator<Item = (&str, &str)> {
    const NUMBERS: [(&str, &str); 4] = [
        ("first", "1"),
        ("second", "2"),
        ("third", "3"),
        ("fourth", "4"),
    ];
    let words = text.split([' ', '-']);
    let next = text.split([' ', '-']).skip(1);
    words.zip(next).filter_map(|(number, quarter)| {
        let known = |one: &&(&str, &str)| one.0.eq_ignore_ascii_case(number);
        let quarter = quarter.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_one = quarter.eq_ignore_ascii_case("quarter");
        let found = NUMBERS.iter().find(known).filter(|_| is_one)?;
        Some(("Q", found.1))
    })
}

/// The words that form an idiom behind `not`, and whether it is there.
fn idioms(phrase: &impl Phrase) -> Vec<(&'static WordEntry, bool)> {
    let Some(not) = LEXICON.word("not") else {
        return Vec::new();
    };
    let is_one = |word: &usize| not.idiom.iter().any(|one| phrase.is_word(*word, one));
    let words = (0..phrase.count()).filter(is_one);
    let negated = |word: usize| word > 0 && phrase.negates(word - 1);
    words
        .filter_map(|word| Some((phrase.entry(word)?, negated(word))))
        .collect()
}

/// The first words of the claim behind `rather than` and the like.
fn contrasts(phrase: &impl Phrase) -> Vec<u32> {
    const REACH: usize = 4;
    let count = phrase.count();
    let is_one = |word: &usize| {
        let before = phrase.entry(*word).map(|entry| entry.soft_before.iter());
        let contrasts = |mut next: std::slice::Iter<'_, Box<str>>| {
            next.any(|next| &**next != "to" && phrase.is_word(word + 1, next))
        };
        word + 1 < count && !phrase.is_word(*word, "out") && before.is_some_and(contrasts)
    };
    let words = (0..count).filter(is_one);
    let behind =
        |word: usize| (word + 2..count.min(word + 2 + REACH)).find_map(|at| phrase.stem(at));
    words.filter_map(behind).collect()
}

/// Where the only word at this pole of an axis begins.
pub(super) fn pole_at(phrase: &impl Phrase, axis: u32, second: bool) -> Option<usize> {
    let is_one = |word: &usize| {
        let pole = phrase.entry(*word).and_then(|entry| entry.pole);
        pole.is_some_and(|(at, pole)| u32::from(at) == axis && pole == second)
    };
    let mut words = (0..phrase.count()).filter(is_one);
    let found = words.next()?;
    words.next().is_none().then(|| phrase.range(found).start)
}

fn nearest<'f, T>(figures: &[(usize, &'f T)], at: usize) -> Option<&'f T> {
    let nearest = figures.iter().min_by_key(|(place, _)| place.abs_diff(at));
    nearest.map(|(_, figure)| *figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_capitals_with_digits() {
        let found: Vec<_> =
            codes("Sales of Q1 2024, FY24 and A4; utf8, 5G, x1, ABCD1, B1234").collect();
        assert_eq!(found, [("Q", "1"), ("FY", "24"), ("A", "4"), ("B", "1234")]);
    }
}
