//! Whether a sentence has the words of the claim in the claim's order (judge R1): all words can be
//! there although two of them changed places, or one of them belongs to another person.

use std::ops::Range;

use super::super::phrase::{Phrase, negations, reached};
use super::super::quantity::Quantity;
use super::Case;
use super::overlap::Overlap;
use super::roles::{is_capital, is_sentence, parts};
use super::unit::UnitSeen;

/// A claim with more tokens is not compared.
const TOKENS_MAX: usize = 48;
/// Longest part of a claim that can have changed places with another one.
const BLOCK: usize = 4;
/// How many more tokens are in order once two parts have changed places.
const GAIN: usize = 2;
/// `by the firm A`: how far `by` can be from the name.
const BY: usize = 2;
/// How many words a preposition can govern.
const GOVERNED: usize = 5;

const JOINING: [&str; 22] = [
    "from", "to", "by", "with", "than", "of", "in", "on", "at", "for", "after", "before", "until",
    "into", "over", "under", "as", "while", "whereas", "but", "and", "or",
];
pub(super) const PRONOUNS: [&str; 7] = ["he", "she", "him", "her", "they", "them", "it"];
const AUXILIARIES: [&str; 6] = ["had", "has", "have", "will", "the", "a"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A stem of the claim.
    Stem(u32),
    /// A figure of the claim, by number.
    Figure(usize),
    /// A name with a digit, by number: `x86`.
    Name(usize),
    Joining(&'static str),
    /// `;`
    Stop,
    Pronoun,
    /// Something that the claim lacks.
    Other,
}

impl Token {
    const fn is_content(self) -> bool {
        matches!(self, Self::Stem(_) | Self::Figure(_) | Self::Name(_))
    }
}

impl Case<'_> {
    /// Whether the best sentence has the words of the claim in another order.
    pub(super) fn has_other_order(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        if !is_sentence(best) || best.count() > self.thresholds.unit_words {
            return false;
        }
        let own = self.own_tokens();
        let its = self.tokens_of(best);
        own.len() <= TOKENS_MAX
            && (self.is_exchanged(&own, &its)
                || governs_another(&own, &its)
                || self.begins_elsewhere(&own, &its)
                || self.is_about_another(overlap, best))
    }

    fn own_tokens(&self) -> Vec<Token> {
        let figures = self.claim.quantities.iter().enumerate();
        let figures = figures.map(|(number, one)| (one.range.clone(), Token::Figure(number)));
        let names = self.bare_names().into_iter();
        let names = names.map(|(number, place)| (place, Token::Name(number)));
        tokens(self.claim, figures.chain(names).collect())
    }

    fn tokens_of(&self, unit: &UnitSeen<'_>) -> Vec<Token> {
        let figures = self.text.figures();
        let own = |mark| {
            let value = figures.value(mark)?;
            let mut own = self.claim.quantities.iter();
            own.position(|one| one.means(value))
        };
        let marks = figures.marks(unit.number).iter();
        let marks = marks.map(|mark| (mark.range(), own(mark).map_or(Token::Other, Token::Figure)));
        let names = self.bare_names().into_iter().flat_map(|(number, place)| {
            let name = self.claim.text.get(place).unwrap_or_default();
            let places = unit.source().match_indices(name);
            places.map(move |(at, text)| (at..at + text.len(), Token::Name(number)))
        });
        tokens(unit, marks.chain(names).collect())
    }

    /// The words with a digit that are not figures and have no stem: `x86`.
    fn bare_names(&self) -> Vec<(usize, Range<usize>)> {
        let text = self.claim.text;
        let words = text.split_whitespace().map(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            at..at + word.len()
        });
        let is_bare = |range: &Range<usize>| {
            let word = text.get(range.clone()).unwrap_or_default();
            let mut figures = self.claim.quantities.iter();
            let mut inside = self.claim.words.iter();
            word.contains(|c: char| c.is_ascii_digit())
                && word.contains(char::is_alphabetic)
                && !figures.any(|one| one.range.start < range.end && range.start < one.range.end)
                && !inside.any(|one| range.contains(&one.range.start) && one.stem.is_some())
        };
        words.filter(is_bare).enumerate().collect()
    }

    /// `A trained B` / `B trained A`; `from A to B` / `from B to A`: the claim follows the sentence
    /// more closely once two of its parts change places.
    fn is_exchanged(&self, own: &[Token], its: &[Token]) -> bool {
        let lost = |token: &Token| self.is_lost_name(*token, its);
        let there: Vec<bool> = own
            .iter()
            .map(|token| its.contains(token) || lost(token))
            .collect();
        let most = there.iter().filter(|one| **one).count();
        let followed = Followed::of(own, its, lost);
        let least = followed.common([0; 4]);
        // `though B, A` for `A, though B` is not an exchange; `A: B` is not `B: A`
        let is_turned_round = || {
            let mut cuts = 1..own.len();
            !self.claim.text.contains(':')
                && cuts.any(|at| followed.common([0, at, at, own.len()]) == most)
        };
        if least + GAIN > most || is_turned_round() {
            return false;
        }
        let blocks = blocks(own, &there);
        let pairs = || {
            blocks.iter().flat_map(|(a, b)| {
                let later = blocks.iter().filter(move |(c, _)| c >= b);
                later.map(move |(c, d)| [*a, *b, *c, *d])
            })
        };
        let free = pairs().filter(|places| Change::of(own, *places) == Change::Free);
        let free = free.map(|places| followed.common(places)).max();
        let least = least.max(free.unwrap_or(0));
        // the first exchange that tells is enough
        least + GAIN <= most
            && pairs().any(|places| {
                let [a, _, c, _] = places;
                followed.common(places) >= least + GAIN
                    && Change::of(own, places) == Change::Tells
                    && !is_turned_passive(own, its, [a, c])
            })
    }

    /// Whether a token is a name that the sentence has only as a pronoun.
    fn is_lost_name(&self, token: Token, its: &[Token]) -> bool {
        let Token::Stem(stem) = token else {
            return false;
        };
        let is_name =
            |word: usize| self.claim.stem(word) == Some(stem) && is_capital(self.claim, word);
        its.contains(&Token::Pronoun)
            && !its.contains(&token)
            && (0..self.claim.count()).any(is_name)
    }

    /// `The state bought it` / `The town bought it after the state had refused`
    fn begins_elsewhere(&self, own: &[Token], its: &[Token]) -> bool {
        let mut content = own.iter().filter(|token| token.is_content());
        let (Some(first @ Token::Stem(_)), Some(second @ Token::Stem(_))) =
            (content.next(), content.next())
        else {
            return false;
        };
        let place = |token: &Token| its.iter().position(|one| one == token);
        let (Some(at), Some(verb)) = (place(first), place(second)) else {
            return false;
        };
        let by = Token::Joining("by");
        let is_agent = its
            .get(at.saturating_sub(BY)..at)
            .is_some_and(|before| before.contains(&by));
        let begin = own.iter().find(|token| **token != Token::Pronoun);
        begin == Some(first)
            && self.is_active()
            && at > verb
            && verb > 0
            && !is_agent
            && own.iter().filter(|token| token.is_content()).count() > 2
    }

    /// Whether only an auxiliary or an article is between the first two content words.
    fn is_active(&self) -> bool {
        let mut content = (0..self.claim.count()).filter(|word| self.claim.stem(*word).is_some());
        let (Some(first), Some(second)) = (content.next(), content.next()) else {
            return false;
        };
        let is_one = |word: usize| {
            self.claim.is_word(word, "to")
                || AUXILIARIES.iter().any(|one| self.claim.is_word(word, one))
        };
        let between = self.claim.range(first).end..self.claim.range(second).start;
        let between = self.claim.text.get(between).unwrap_or_default();
        (first + 1..second).all(is_one) && !between.contains([',', ';', ':', '-', '\''])
    }

    /// Whether a name of the claim is not in the sentence, which has another one in its place or
    /// comes before the first place of the name.
    fn is_about_another(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        let held = |unit: usize, stem: u32| self.holds(unit, stem);
        let is_titled = |stem: u32| self.held.header.binary_search(&stem).is_ok();
        let begins = self.begins_with_another(best);
        let another = begins
            || (1..best.count()).any(|word| {
                best.stem(word).is_none() && best.is_content(word) && is_capital(best, word)
            });
        (0..self.claim.count())
            .filter(|word| is_capital(self.claim, *word) && self.is_named(*word))
            .filter(|word| !self.is_aside(*word))
            .filter_map(|word| self.claim.stem(word))
            .filter(|stem| !held(best.number, *stem))
            .any(|stem| {
                let before = (overlap.units.start..best.number).any(|unit| held(unit, stem));
                let behind = (best.number + 1..overlap.units.end).any(|unit| held(unit, stem));
                begins || another && !is_titled(stem) || behind && !before && !is_titled(stem)
            })
    }

    /// Whether a word of the claim is in brackets, as a source is.
    fn is_aside(&self, word: usize) -> bool {
        let head = self.claim.text.get(..self.claim.range(word).start);
        head.is_some_and(|head| head.rfind('(') > head.rfind(')'))
    }

    /// Whether the sentence begins with a name that the claim lacks.
    pub(super) fn begins_with_another(&self, best: &UnitSeen<'_>) -> bool {
        best.count() > 1
            && best.stem(0).is_none()
            && best.is_content(0)
            && is_capital(best, 0)
            && best
                .source()
                .get(best.range(0))
                .is_some_and(|word| self.is_capital_inside(word))
    }

    /// Whether a capitalised word of the claim is a name: it is not the first one, or the text
    /// has it only with a capital.
    fn is_named(&self, word: usize) -> bool {
        let text = self.claim.text.get(self.claim.range(word));
        let small = text.unwrap_or_default().to_lowercase();
        let at = self.claim.range(word).start;
        let measures = |one: &Quantity| {
            one.unit_words
                .as_ref()
                .is_some_and(|unit| unit.contains(&at))
        };
        !self.claim.quantities.iter().any(measures)
            && (word > 0 || !self.text.normal_text().contains(&*small))
    }

    /// Whether the text has a word behind a small letter, as it is written here.
    fn is_capital_inside(&self, word: &str) -> bool {
        let text = self.text.normal_text();
        text.match_indices(word).any(|(at, _)| {
            let head = text.get(..at).unwrap_or_default();
            let before = head
                .strip_suffix(' ')
                .and_then(|head| head.chars().next_back());
            before.is_some_and(|c| c.is_lowercase() || c == ',')
        })
    }

    /// Whether a part of a sentence has words of the claim that nothing else of the window has: two
    /// of them, or one that is negated.
    fn has_alone(
        &self,
        overlap: &Overlap,
        unit: &UnitSeen<'_>,
        part: &Range<usize>,
        negation: usize,
    ) -> bool {
        let plain = u32::try_from(self.claim.plain).unwrap_or(u32::MAX);
        let elsewhere = |stem: u32| {
            let mut rest = (0..unit.count()).filter(|word| !part.contains(word));
            let mut others = overlap.units.clone().filter(|other| *other != unit.number);
            rest.any(|word| unit.stem(word) == Some(stem))
                || others.any(|other| self.holds(other, stem))
        };
        let mut alone: Vec<u32> = part.clone().filter_map(|word| unit.stem(word)).collect();
        alone.retain(|stem| *stem < plain && !elsewhere(*stem));
        alone.sort_unstable();
        alone.dedup();
        let mut negated = reached(unit, negation).into_iter().flatten();
        alone.len() > 1 || negated.any(|stem| alone.contains(&stem))
    }

    /// Whether a part of the window that holds words of the claim is negated, and the claim is not.
    pub(super) fn loses_a_negation(&self, overlap: &Overlap) -> bool {
        if negations(self.claim).next().is_some() {
            return false;
        }
        overlap.units.clone().any(|number| {
            let unit = self.unit(number);
            let negations: Vec<usize> = negations(&unit).collect();
            !negations.is_empty()
                && is_sentence(&unit)
                && parts(&unit).into_iter().any(|part| {
                    let negation = negations.iter().find(|word| part.contains(word));
                    let mut stems: Vec<u32> =
                        part.clone().filter_map(|word| unit.stem(word)).collect();
                    stems.sort_unstable();
                    stems.dedup();
                    negation.is_some_and(|negation| {
                        let mut behind = negation + 1..part.end;
                        let many = 2 * stems.len() >= self.claim.plain
                            || self.has_alone(overlap, &unit, &part, *negation);
                        let ends = negation + 1 == part.end;
                        many && behind.any(|word| unit.stem(word).is_some())
                            || ends && !stems.is_empty()
                    })
                })
        })
    }
}

/// `rebuilt from plans` / `The plans were lost, so it was rebuilt from photographs`
fn governs_another(own: &[Token], its: &[Token]) -> bool {
    own.windows(3).any(|three| {
        let &[
            verb @ Token::Stem(_),
            joining @ Token::Joining(word),
            object,
        ] = three
        else {
            return false;
        };
        if matches!(word, "and" | "or" | "but" | "while" | "whereas") || !its.contains(&object) {
            return false;
        }
        let governed: Vec<&[Token]> = its
            .windows(2)
            .enumerate()
            .filter(|(_, two)| *two == [verb, joining])
            .map(|(at, _)| {
                let behind = its.get(at + 2..).unwrap_or_default();
                // `from a height of 385 km`
                let ends = |token: &Token| {
                    *token != Token::Joining("of")
                        && matches!(token, Token::Joining(_) | Token::Stop)
                };
                let end = behind.iter().position(ends).unwrap_or(behind.len());
                behind.get(..end.min(GOVERNED)).unwrap_or_default()
            })
            .collect();
        object.is_content()
            && !governed.is_empty()
            && governed.iter().all(|behind| {
                !behind.is_empty() && !behind.contains(&object) && !behind.contains(&Token::Pronoun)
            })
    })
}

/// The tokens of a phrase; the words inside its figures do not count.
fn tokens(phrase: &impl Phrase, figures: Vec<(Range<usize>, Token)>) -> Vec<Token> {
    let mut found: Vec<(usize, Token)> = Vec::new();
    for word in 0..phrase.count() {
        let range = phrase.range(word);
        if figures
            .iter()
            .any(|(figure, _)| figure.contains(&range.start))
        {
            continue;
        }
        let text = phrase.text().get(range.clone()).unwrap_or_default();
        let is = |wanted: &&&str| text.eq_ignore_ascii_case(wanted);
        let token = phrase.stem(word).map(Token::Stem);
        let token = token.or_else(|| JOINING.iter().find(is).map(|one| Token::Joining(one)));
        let token = token.or_else(|| PRONOUNS.iter().find(is).map(|_| Token::Pronoun));
        let token = token.or_else(|| phrase.is_content(word).then_some(Token::Other));
        if let Some(token) = token {
            found.push((range.start, token));
        }
    }
    let stops = phrase.text().match_indices(';');
    found.extend(stops.map(|(at, _)| (at, Token::Stop)));
    found.extend(
        figures
            .into_iter()
            .map(|(range, token)| (range.start, token)),
    );
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, token)| token).collect()
}

/// What it means that two parts of a claim change places.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// They are side by side, which is not an exchange.
    None,
    /// A list or two whole clauses, which say the same in both orders.
    Free,
    Tells,
}

impl Change {
    fn of(own: &[Token], [a, b, c, d]: [usize; 4]) -> Self {
        let whole = a == 0 && d == own.len();
        let kinds = |from: usize, to: usize| own.get(from..to).unwrap_or_default().iter();
        let same = |(a, b)| std::mem::discriminant::<Token>(a) == std::mem::discriminant(b);
        let is_list = b - a == d - c && kinds(a, b).zip(kinds(c, d)).all(same);
        let begins = a == 0;
        let stems = |from, to| kinds(from, to).all(|one| matches!(one, Token::Stem(_)));
        let has_figure = kinds(a, d).any(|one| matches!(one, Token::Figure(_)));
        match own.get(b..c).unwrap_or_default() {
            [] => Self::None,
            // `vegetarians and blood donors`, `16 GB of memory`
            [Token::Joining("and" | "or")] if is_list || begins && stems(a, b) && stems(c, d) => {
                Self::Free
            }
            [Token::Joining("of")] if has_figure && b - a == 1 && d - c == 1 => Self::Free,
            [Token::Joining("and" | "or")] if b - a == 1 && d - c == 1 => Self::None,
            [Token::Stop | Token::Joining("while" | "whereas" | "but")] if whole => Self::Free,
            _ => Self::Tells,
        }
    }
}

/// The parts of a claim that can change places: they are in the sentence, and begin and end with
/// what they say.
fn blocks(own: &[Token], there: &[bool]) -> Vec<(usize, usize)> {
    let is_content = |at: usize| own.get(at).is_some_and(|token| token.is_content());
    let is_there = |from, to| {
        let tokens = there.get(from..to);
        tokens.is_some_and(|tokens| tokens.iter().all(|one| *one))
    };
    (0..own.len())
        .flat_map(|from| (from + 1..=own.len().min(from + BLOCK)).map(move |to| (from, to)))
        .filter(|(from, to)| is_content(*from) && is_content(to - 1) && is_there(*from, *to))
        .collect()
}

/// Where a claim has the tokens of a sentence: for each of them, in its order, a bit for every
/// place in the claim.
struct Followed(Vec<u64>);

impl Followed {
    fn of(own: &[Token], its: &[Token], is_lost: impl Fn(&Token) -> bool) -> Self {
        let bits = |is_one: &dyn Fn(&Token) -> bool| {
            let places = own.iter().enumerate().filter(|(_, token)| is_one(token));
            places.fold(0_u64, |bits, (at, _)| bits | 1 << at)
        };
        let lost = bits(&is_lost);
        let places = its.iter().map(|token| match token {
            Token::Other => 0,
            Token::Pronoun => lost | bits(&|one| one == token),
            _ => bits(&|one| one == token),
        });
        Self(places.filter(|bits| *bits != 0).collect())
    }

    /// The longest run of tokens that both have in the same order, once the parts `a..b` and
    /// `c..d` of the claim have changed places. One word of bits holds a row of the usual table:
    /// a zero where the run grows.
    fn common(&self, [a, b, c, d]: [usize; 4]) -> usize {
        let ones = |len: usize| (1_u64 << len) - 1;
        let part = |bits: u64, from: usize, to: usize| (bits >> from) & ones(to - from);
        let stays = !(ones(d) ^ ones(a));
        let row = self.0.iter().fold(u64::MAX, |row, bits| {
            let moved = part(*bits, c, d) | part(*bits, b, c) << (d - c);
            let moved = moved | part(*bits, a, b) << (d - b);
            let same = row & (bits & stays | moved << a);
            row.wrapping_add(same) | (row - same)
        });
        row.count_zeros() as usize
    }
}

/// Whether one of the two has `by` before one of the parts, and the other has it not: `A fined B`,
/// `B was fined by A`.
fn is_turned_passive(own: &[Token], its: &[Token], starts: [usize; 2]) -> bool {
    let by = Token::Joining("by");
    let is_behind = |tokens: &[Token], at: usize| {
        tokens
            .get(at.saturating_sub(BY)..at)
            .is_some_and(|before| before.contains(&by))
    };
    let in_claim = starts.iter().any(|at| is_behind(own, *at));
    let in_text = starts.iter().any(|at| {
        let place = own
            .get(*at)
            .and_then(|token| its.iter().position(|one| one == token));
        place.is_some_and(|place| is_behind(its, place))
    });
    in_claim != in_text
}
