//! The first question about a sentence with all words of the claim: does it have them in the claim's
//! order (judge R1)? Two parts can have changed places, two names their roles, and a preposition can
//! govern something else.

use std::ops::Range;

use crosscheck_language::lexicon::List;
use crosscheck_language::phrase::Phrase;

use super::Case;
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
/// At most this many names of a claim are compared in pairs.
const NAMES_MAX: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    /// A stem of the claim.
    Stem(u32),
    /// A figure of the claim, by number.
    Figure(usize),
    /// A name with a digit, by number: `x86`.
    Name(usize),
    /// A preposition, or `and`, `but`, `while`.
    Small(&'t str),
    /// `;`
    Stop,
    Pronoun,
    /// Something that the claim lacks.
    Other,
}

impl Token<'_> {
    const fn is_content(self) -> bool {
        matches!(self, Self::Stem(_) | Self::Figure(_) | Self::Name(_))
    }

    fn is_list(self) -> bool {
        matches!(self, Self::Small("and" | "or"))
    }

    fn joins_clauses(self) -> bool {
        matches!(self, Self::Stop | Self::Small("while" | "whereas" | "but"))
    }
}

impl Case<'_> {
    /// Whether the best sentence has the words of the claim in another order or in other roles.
    pub(super) fn has_other_order(&self, best: &UnitSeen<'_>) -> bool {
        let own = self.own_tokens();
        if own.len() > TOKENS_MAX {
            return false;
        }
        let its = self.tokens_of(best);
        self.is_exchanged(&own, &its)
            || governs_another(&own, &its)
            || begins_elsewhere(&own, &its)
            || self.has_exchanged_names(best)
    }

    fn own_tokens(&self) -> Vec<Token<'_>> {
        let figures = self.claim.quantities.iter().enumerate();
        let figures = figures.map(|(number, one)| (one.range.clone(), Token::Figure(number)));
        let codes = self.claim.codes.iter().enumerate();
        let codes = codes.map(|(number, place)| (place.clone(), Token::Name(number)));
        tokens(self.claim, figures.chain(codes).collect())
    }

    fn tokens_of<'u>(&self, unit: &'u UnitSeen<'_>) -> Vec<Token<'u>> {
        let figures = self.text.figures();
        let own = |mark| {
            let value = figures.value(mark)?;
            let mut own = self.claim.quantities.iter();
            own.position(|one| one.means(value))
        };
        let marks = figures.marks(unit.number).iter();
        let marks = marks.map(|mark| (mark.range(), own(mark).map_or(Token::Other, Token::Figure)));
        let codes = self.claim.codes.iter().enumerate();
        let codes = codes.flat_map(|(number, place)| {
            let code = self.claim.text.get(place.clone()).unwrap_or_default();
            let places = unit.source().match_indices(code);
            places.map(move |(at, text)| (at..at + text.len(), Token::Name(number)))
        });
        tokens(unit, marks.chain(codes).collect())
    }

    /// `A trained B` / `B trained A`; `from A to B` / `from B to A`: the claim follows the sentence
    /// more closely once two of its parts change places.
    fn is_exchanged(&self, own: &[Token<'_>], its: &[Token<'_>]) -> bool {
        let lost = |token: &Token<'_>| self.is_lost_name(*token, its);
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
    fn is_lost_name(&self, token: Token<'_>, its: &[Token<'_>]) -> bool {
        let Token::Stem(stem) = token else {
            return false;
        };
        let is_name =
            |word: usize| self.claim.stem(word) == Some(stem) && is_capital(self.claim, word);
        its.contains(&Token::Pronoun)
            && !its.contains(&token)
            && (0..self.claim.count()).any(is_name)
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
        let mut found: Vec<(u32, usize)> = Vec::new();
        let mut twice: Vec<u32> = Vec::new();
        for word in 0..phrase.count() {
            let Some(stem) = phrase
                .stem(word)
                .filter(|stem| (*stem as usize) < self.claim.plain)
            else {
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
}

/// `rebuilt from plans` / `The plans were lost, so it was rebuilt from photographs`
fn governs_another(own: &[Token<'_>], its: &[Token<'_>]) -> bool {
    own.windows(3).any(|three| {
        let &[verb @ Token::Stem(_), small @ Token::Small(_), object] = three else {
            return false;
        };
        if small.is_list() || small.joins_clauses() || !its.contains(&object) {
            return false;
        }
        let ends = |token: &Token<'_>| {
            // `from a height of 385 km`
            *token != Token::Small("of") && matches!(token, Token::Small(_) | Token::Stop)
        };
        let places = its.windows(2).enumerate();
        let governed = places
            .filter(|(_, two)| *two == [verb, small])
            .map(|(at, _)| {
                let behind = its.get(at + 2..).unwrap_or_default();
                let end = behind.iter().position(ends).unwrap_or(behind.len());
                behind.get(..end.min(GOVERNED)).unwrap_or_default()
            });
        let governed: Vec<&[Token<'_>]> = governed.collect();
        object.is_content()
            && !governed.is_empty()
            && governed.iter().all(|behind| {
                !behind.is_empty() && !behind.contains(&object) && !behind.contains(&Token::Pronoun)
            })
    })
}

/// `The county sold it` / `The town sold it after the county had hesitated`: the sentence has words of
/// the claim's beginning behind a subject that the claim lacks, and the claim's own subject later.
fn begins_elsewhere(own: &[Token<'_>], its: &[Token<'_>]) -> bool {
    const BEGINNING: usize = 4;
    let Some(subject @ Token::Stem(_)) = own.iter().find(|token| **token != Token::Pronoun) else {
        return false;
    };
    let Some(place) = its.iter().position(|one| one == subject) else {
        return false;
    };
    let is_agent = its
        .get(place.saturating_sub(BY)..place)
        .is_some_and(|before| before.contains(&Token::Small("by")));
    let beginning = own
        .iter()
        .filter(|token| token.is_content())
        .skip(1)
        .take(BEGINNING - 1);
    let mut beginning = beginning.filter(|token| *token != subject);
    !is_agent
        && beginning.any(|token| {
            let at = its.iter().position(|one| one == token);
            at.is_some_and(|at| at < place && at > 0 && its.get(at - 1) == Some(&Token::Other))
        })
}

/// The tokens of a phrase; the words inside its figures do not count.
fn tokens<'p>(phrase: &'p impl Phrase, figures: Vec<(Range<usize>, Token<'p>)>) -> Vec<Token<'p>> {
    let mut found: Vec<(usize, Token<'_>)> = Vec::new();
    for word in 0..phrase.count() {
        let range = phrase.range(word);
        let mut inside = figures.iter();
        if inside.any(|(figure, _)| figure.contains(&range.start)) {
            continue;
        }
        let is_on = |list| phrase.is_on(word, list);
        let text = phrase.text().get(range.clone()).unwrap_or_default();
        let token = match phrase.stem(word) {
            Some(stem) => Token::Stem(stem),
            None if is_on(List::Preposition) || is_on(List::Joining) => Token::Small(small(text)),
            None if is_on(List::Pronoun) => Token::Pronoun,
            None if phrase.is_content(word) => Token::Other,
            None => continue,
        };
        found.push((range.start, token));
    }
    let stops = phrase.text().match_indices(';');
    found.extend(stops.map(|(at, _)| (at, Token::Stop)));
    let figures = figures.into_iter();
    found.extend(figures.map(|(range, token)| (range.start, token)));
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, token)| token).collect()
}

/// `In` at the beginning of a sentence is `in`.
fn small(text: &str) -> &str {
    const WORDS: [&str; 12] = [
        "in", "on", "at", "by", "for", "from", "after", "before", "with", "as", "while", "but",
    ];
    let known = WORDS.iter().find(|word| word.eq_ignore_ascii_case(text));
    known.map_or(text, |word| word)
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
    fn of(own: &[Token<'_>], [a, b, c, d]: [usize; 4]) -> Self {
        let whole = a == 0 && d == own.len();
        let kinds = |from: usize, to: usize| own.get(from..to).unwrap_or_default().iter();
        let same = |(a, b)| std::mem::discriminant::<Token<'_>>(a) == std::mem::discriminant(b);
        let is_list = b - a == d - c && kinds(a, b).zip(kinds(c, d)).all(same);
        let stems = |from, to| kinds(from, to).all(|one| matches!(one, Token::Stem(_)));
        let has_figure = kinds(a, d).any(|one| matches!(one, Token::Figure(_)));
        let are_single = b - a == 1 && d - c == 1;
        match own.get(b..c).unwrap_or_default() {
            [] => Self::None,
            // `vegetarians and blood donors`, `16 GB of memory`
            [one] if one.is_list() && (is_list || a == 0 && stems(a, b) && stems(c, d)) => {
                Self::Free
            }
            [Token::Small("of")] if has_figure && are_single => Self::Free,
            [one] if one.is_list() && are_single => Self::None,
            [one] if one.joins_clauses() && whole => Self::Free,
            _ => Self::Tells,
        }
    }
}

/// The parts of a claim that can change places: they are in the sentence, and begin and end with
/// what they say.
fn blocks(own: &[Token<'_>], there: &[bool]) -> Vec<(usize, usize)> {
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
    fn of(own: &[Token<'_>], its: &[Token<'_>], is_lost: impl Fn(&Token<'_>) -> bool) -> Self {
        let bits = |is_one: &dyn Fn(&Token<'_>) -> bool| {
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
fn is_turned_passive(own: &[Token<'_>], its: &[Token<'_>], starts: [usize; 2]) -> bool {
    let is_behind = |tokens: &[Token<'_>], at: usize| {
        let before = tokens.get(at.saturating_sub(BY)..at);
        before.is_some_and(|before| before.contains(&Token::Small("by")))
    };
    let in_claim = starts.iter().any(|at| is_behind(own, *at));
    let in_text = starts.iter().any(|at| {
        let token = own.get(*at);
        let place = token.and_then(|token| its.iter().position(|one| one == token));
        place.is_some_and(|place| is_behind(its, place))
    });
    in_claim != in_text
}

/// What a name is in its sentence, beside another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role<'t> {
    /// Who does it.
    Subject,
    Object,
    /// Beside a name with a preposition.
    Bare,
    Behind(&'t str),
}

/// The roles of two names; none where they are listed, in different parts, or one is the other.
fn roles(phrase: &impl Phrase, a: usize, b: usize) -> Option<(Role<'_>, Role<'_>)> {
    let (first, second) = (a.min(b), a.max(b));
    let start = run(phrase, second);
    let between = phrase.range(first).end..phrase.range(start).start;
    let between = phrase.text().get(between)?;
    let is_superlative = between.contains("est ");
    let between = between.trim();
    let is_the_other = |word: usize| {
        let be = ["is", "was", "are", "were"];
        be.iter().any(|one| phrase.is_word(word, one)) && phrase.is_on(word + 1, List::Determiner)
    };
    if start <= first
        || matches!(between, "and" | "or" | "&" | "/" | "-")
        || between.contains([',', ';', ':', '"']) && !is_superlative
        || !is_superlative && (first + 1..start).any(is_the_other)
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
    let joins = |word: usize| between(phrase, word) == " " && is_capital(phrase, word - 1);
    let mut start = word;
    while start > 0 && joins(start) {
        start -= 1;
    }
    start
}

/// The preposition before a name; an article and one word may be between: `from its rival A`.
fn preposition(phrase: &impl Phrase, start: usize) -> Option<&str> {
    let is_article = |word: usize| phrase.is_on(word, List::Determiner);
    let before = |word: usize| {
        let last = word.checked_sub(1)?;
        (between(phrase, word) == " ").then_some(last)
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
    // `In the final A beat B`
    let fits = phrase.is_on(at, List::Preposition) && (is_near || at > 0);
    let text = phrase.text().get(phrase.range(at));
    text.filter(|_| fits).map(small)
}

/// Whether a word begins with a capital and goes on.
pub(super) fn is_capital(phrase: &impl Phrase, word: usize) -> bool {
    let text = phrase.text().get(phrase.range(word)).unwrap_or_default();
    text.starts_with(char::is_uppercase) && text.chars().nth(1).is_some()
}

/// The text between a word and the one before it.
pub(super) fn between(phrase: &impl Phrase, word: usize) -> &str {
    let last = word.checked_sub(1).map_or(0, |last| phrase.range(last).end);
    let between = last..phrase.range(word).start;
    phrase.text().get(between).unwrap_or_default()
}
