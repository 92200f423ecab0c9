//! Sentences as rows of tagged cells, and the frames that are looked for in
//! them. The frames themselves are data: `patterns/grammar.toml`.
//!
//! Contract: done 4.2.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use super::Commands;
use super::blocks::Shape;
use super::pack::{List, Pack, RUN_KINDS, entries};
use super::tokens::{Token, What};
use super::units::Unit;
use crate::kind::ClaimKind;

const BUILT_IN: &str = include_str!("../../patterns/grammar.toml");

/// A set of tags: one bit for each letter and sign.
pub(super) type Tags = u128;

pub(super) const fn tag(letter: char) -> Tags {
    1 << (letter as u32 & 127)
}

pub(super) fn tags(letters: &str) -> Tags {
    letters.chars().fold(0, |all, letter| all | tag(letter))
}

/// What the tags of a check that runs stand for: the letter and the lists.
const RUN_PARTS: [(char, &str); 9] = [
    ('S', "subject"),
    ('P', "predicate"),
    ('P', "adjective"),
    ('E', "last"),
    ('V', "value"),
    ('X', "problem"),
    ('Y', "failure"),
    ('J', "itself"),
    ('Z', "whole"),
];

/// A word, a phrase, a sign or a piece of code.
#[derive(Debug, Clone, Default)]
pub(super) struct Cell {
    pub(super) tags: Tags,
    /// The tokens of the unit that it is made of.
    pub(super) place: Range<usize>,
    /// The checks that each of its run tags speaks of, as bits of [`RUN_KINDS`].
    kinds: [(char, u8); RUN_PARTS.len()],
}

impl Cell {
    pub(super) const fn is(&self, tags: Tags) -> bool {
        self.tags & tags != 0
    }

    /// The checks that a tag of this cell speaks of.
    pub(super) fn kinds(&self, letter: char) -> u8 {
        let known = self.kinds.iter().find(|(of, _)| *of == letter);
        known.map_or(0, |(_, kinds)| *kinds)
    }

    fn add(&mut self, letter: char, kinds: u8) {
        self.tags |= tag(letter);
        let mut slots = self.kinds.iter_mut();
        let known = slots.find(|(of, _)| *of == letter || *of == '\0');
        if let Some(known) = known.filter(|_| kinds != 0) {
            *known = (letter, known.1 | kinds);
        }
    }
}

/// The kinds of a set of bits.
pub(super) fn of_bits(bits: u8) -> impl Iterator<Item = ClaimKind> {
    let all = RUN_KINDS.into_iter().enumerate();
    all.filter(move |(at, _)| bits & (1 << at) != 0)
        .map(|(_, kind)| kind)
}

pub(super) fn bit(kind: ClaimKind) -> u8 {
    let at = RUN_KINDS.iter().position(|known| *known == kind);
    at.map_or(0, |at| 1 << at)
}

/// Which tags the lists of a language stand for.
#[derive(Debug)]
pub(super) struct Tagger {
    /// By the number of the list: the letter, and the checks it speaks of.
    lists: rustc_hash::FxHashMap<List, (char, u8)>,
}

impl Tagger {
    pub(super) fn new(pack: &Pack) -> Self {
        let mut lists = rustc_hash::FxHashMap::default();
        for (letter, names) in &GRAMMAR.tags {
            for name in names {
                let all = if *letter == 'P' { 0b1_1111 } else { 0 };
                lists.insert(pack.list(name), (*letter, all));
            }
        }
        for kind in RUN_KINDS {
            for (letter, name) in RUN_PARTS {
                lists.insert(pack.part(kind, name), (letter, bit(kind)));
            }
        }
        for kind in ClaimKind::ALL {
            lists.insert(pack.part(kind, "verbed"), ('v', 0));
        }
        lists.remove(&List::MAX);
        Self { lists }
    }

    /// The cells of a unit; `hits` are the phrases of each token.
    pub(super) fn cells(&self, sentence: &Sentence<'_>, commands: &dyn Commands) -> Vec<Cell> {
        let mut cells = Vec::new();
        let mut at = 0;
        while let Some(token) = sentence.tokens.get(at) {
            if let Some(end) = aside(sentence.tokens, at) {
                at = end;
                continue;
            }
            let mut cell = self.phrase(sentence, at, &cells);
            if cell.place.is_empty() {
                cell.place = at..at + 1;
                plain(token, commands, &mut cell);
            }
            at = cell.place.end;
            if cell.tags != 0 {
                cells.push(cell);
            }
        }
        cells
    }

    /// The longest phrase that begins here, with the tags of all lists it is in.
    fn phrase(&self, sentence: &Sentence<'_>, at: usize, before: &[Cell]) -> Cell {
        let near = before
            .get(before.len().saturating_sub(3)..)
            .unwrap_or_default();
        let is_labelled = near.iter().any(|cell| cell.is(tag(':')));
        let hits = sentence.hits(at);
        let known = hits.iter().filter_map(|(list, length)| {
            let (letter, kinds) = self.lists.get(list)?;
            let counts = *letter != 'V' || is_labelled;
            counts.then_some((*letter, *kinds, usize::from(*length)))
        });
        let longest = known.clone().map(|(_, _, length)| length).max();
        let mut cell = Cell::default();
        let Some(longest) = longest else {
            return cell;
        };
        for (letter, kinds, _) in known.filter(|(_, _, length)| *length == longest) {
            cell.add(letter, kinds);
        }
        cell.place = at..at + longest;
        match sentence.word(at) {
            _ if longest > 1 => {}
            word if JOINS.contains(&word) => cell.add(',', 0),
            "of" => cell.add('/', 0),
            _ => {}
        }
        if let Some(What::Number(value)) = sentence.tokens.get(at).map(|token| token.what) {
            cell.add(if value == 0 { 'n' } else { '#' }, 0);
            cell.add('#', 0);
        }
        cell
    }
}

/// What is in parentheses between a label and its value: "Lint (ruff): clean".
fn aside(tokens: &[Token], open: usize) -> Option<usize> {
    let inside = tokens.get(open..)?;
    inside.first().filter(|first| first.is_sign('('))?;
    let close = inside.iter().take(8).position(|token| token.is_sign(')'))?;
    let next = inside.get(close + 1)?;
    (next.is_sign(':') || next.is_sign('|')).then_some(open + close + 1)
}

/// Words that join two of a kind.
const JOINS: [&str; 8] = ["and", "or", "plus", "und", "et", "y", "e", "oder"];

/// The tag of what is in no list.
fn plain(token: &Token, commands: &dyn Commands, cell: &mut Cell) {
    let letter = match token.what {
        What::Word => match token.text.as_str() {
            word if JOINS.contains(&word) => ',',
            "of" => '/',
            _ => 'w',
        },
        What::Number(value) => {
            if value == 0 {
                cell.add('n', 0);
            }
            '#'
        }
        What::Path => 'D',
        What::Id => 'I',
        What::Key => 'K',
        What::Sha => 'H',
        What::Url => 'U',
        What::Code => 'R',
        What::Good => 'g',
        What::Bad => 'b',
        What::Sign('/') => '/',
        What::Sign(':' | '|' | '=' | '→' | '-' | '–' | '—' | '>' | '：') => ':',
        What::Sign(',' | '&' | '+' | '，' | '、') => ',',
        What::Sign('#' | '[' | ']' | '*') | What::NewLine => return,
        What::Sign(_) | What::Masked => '.',
    };
    cell.add(letter, 0);
    if matches!(token.what, What::Code | What::Id) {
        let kinds = commands.claims(&token.text);
        let bits = kinds.iter().fold(0, |bits, kind| bits | bit(*kind));
        if bits != 0 {
            cell.add('S', bits);
        }
    }
}

/// A unit with the phrases that begin at each of its tokens.
pub(super) struct Sentence<'u> {
    pub(super) pack: &'u Pack,
    pub(super) unit: &'u Unit,
    pub(super) tokens: &'u [Token],
    hits: Vec<(List, u8)>,
    starts: Vec<usize>,
}

impl<'u> Sentence<'u> {
    pub(super) fn new(pack: &'u Pack, unit: &'u Unit) -> Self {
        let mut hits = Vec::new();
        let mut starts = Vec::with_capacity(unit.tokens.len() + 1);
        for at in 0..unit.tokens.len() {
            starts.push(hits.len());
            pack.hits(&unit.tokens, at, &mut hits);
        }
        starts.push(hits.len());
        Self {
            pack,
            unit,
            tokens: &unit.tokens,
            hits,
            starts,
        }
    }

    /// The phrases that begin at a token.
    pub(super) fn hits(&self, at: usize) -> &[(List, u8)] {
        let from = self.starts.get(at).copied().unwrap_or_default();
        let to = at.checked_add(1).and_then(|next| self.starts.get(next));
        let to = to.copied().unwrap_or(from);
        self.hits.get(from..to).unwrap_or_default()
    }

    /// How many tokens the longest phrase of a list takes that begins here.
    pub(super) fn at(&self, list: &str, at: usize) -> usize {
        self.longest(self.pack.list(list), at)
    }

    /// The same for a list of a kind of statement.
    pub(super) fn part(&self, kind: ClaimKind, list: &str, at: usize) -> usize {
        self.longest(self.pack.part(kind, list), at)
    }

    fn longest(&self, list: List, at: usize) -> usize {
        let hits = self.hits(at).iter().filter(|(of, _)| *of == list);
        hits.map(|(_, length)| usize::from(*length))
            .max()
            .unwrap_or(0)
    }

    /// Whether a phrase of a list begins here.
    pub(super) fn is(&self, list: &str, at: usize) -> bool {
        self.at(list, at) > 0
    }

    /// Whether a phrase of a list begins in some of the tokens.
    pub(super) fn has(&self, list: &str, mut places: Range<usize>) -> bool {
        let list = self.pack.list(list);
        places.any(|at| self.longest(list, at) > 0)
    }

    /// Whether a phrase of one of the lists of a group begins here.
    pub(super) fn is_of(&self, group: &str, at: usize) -> bool {
        let mut groups = GRAMMAR.groups.iter().filter(|(name, _)| name == group);
        !self.hits(at).is_empty()
            && groups.any(|(_, lists)| lists.iter().any(|name| self.is(name, at)))
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", Token::word)
    }

    /// The text of a token, as it is written.
    pub(super) fn text(&self, at: usize) -> String {
        self.tokens
            .get(at)
            .map_or(String::new(), |token| token.text.clone())
    }

    pub(super) fn what(&self, at: usize) -> Option<What> {
        self.tokens.get(at).map(|token| token.what)
    }

    /// The number that a token is, in digits or as a word of the list.
    pub(super) fn number(&self, at: usize) -> Option<u64> {
        if let Some(What::Number(value)) = self.what(at) {
            return Some(value);
        }
        let mut words = self.pack.all(self.pack.list("numbers"));
        let nth = words.position(|word| word == self.word(at))?;
        Some(nth as u64 % 12 + 1)
    }
}

/// One item of a frame.
#[derive(Debug, Clone, Copy)]
enum Item {
    /// Cells with one of these tags, at least and at most so many.
    Take(Tags, usize, usize, Option<char>),
    /// The beginning of the clause, or behind one of these.
    Begin(Tags),
    /// The end of the clause, or before one of these.
    End(Tags),
}

/// Where a frame was found: the cells of the checks and of what is said.
#[derive(Debug, Clone, Default)]
pub(super) struct Match {
    pub(super) whole: Range<usize>,
    pub(super) checks: Range<usize>,
    pub(super) said: Range<usize>,
}

type Word = Cow<'static, str>;

struct Grammar {
    tags: Vec<(char, Vec<Word>)>,
    groups: Vec<(Word, Vec<Word>)>,
    frames: Vec<(Word, Vec<Item>)>,
}

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let mut grammar = Grammar {
        tags: Vec::new(),
        groups: Vec::new(),
        frames: Vec::new(),
    };
    for entry in entries(BUILT_IN).into_iter().flatten() {
        if entry.section == "tags" {
            let letter = entry.key.chars().next().unwrap_or_default();
            grammar.tags.push((letter, entry.values));
        } else if entry.section == "groups" {
            grammar.groups.push((entry.key, entry.values));
        } else {
            let frames = entry.values.iter().map(|text| items(text));
            let named = frames.map(|items| (entry.key.clone(), items));
            grammar.frames.extend(named);
        }
    }
    grammar
});

/// Reads a frame: items between blanks.
fn items(text: &str) -> Vec<Item> {
    let read = |item: &str| {
        let letters = |text: &str| tags(text.trim_matches(['[', ']']));
        if let Some(rest) = item.strip_prefix('^') {
            return Item::Begin(letters(rest));
        }
        if let Some(rest) = item.strip_prefix('$') {
            return Item::End(letters(rest));
        }
        let (group, rest) = match item.split_once('=') {
            Some((group, rest)) => (group.chars().next(), rest),
            None => (None, item),
        };
        let (rest, least, most) = match rest.split_once('{') {
            Some((rest, counts)) => {
                let mut counts = counts.trim_end_matches('}').split(',');
                let mut count = || counts.next().and_then(|count| count.parse().ok());
                let least = count().unwrap_or(1);
                (rest, least, count().unwrap_or(least))
            }
            None => match rest.strip_suffix('?') {
                Some(rest) => (rest, 0, 1),
                None => (rest, 1, 1),
            },
        };
        Item::Take(letters(rest), least, most, group)
    };
    text.split(' ').map(read).collect()
}

/// Every place of a clause where a frame fits: the name of the frame and the
/// cells.
pub(super) fn frames(cells: &[Cell], clause: &Range<usize>) -> Vec<(&'static str, Match)> {
    let mut all = Vec::new();
    let there = cells.get(clause.clone()).unwrap_or_default();
    let there = there.iter().fold(0, |all, cell| all | cell.tags);
    let is_there = |item: &Item| match item {
        Item::Take(tags, least, ..) => *least == 0 || there & tags != 0,
        Item::Begin(_) | Item::End(_) => true,
    };
    let possible = GRAMMAR.frames.iter();
    for (name, items) in possible.filter(|(_, items)| items.iter().all(is_there)) {
        let mut at = clause.start;
        while at < clause.end {
            let mut found = Match::default();
            match fits(items, cells, clause, at, &mut found) {
                Some(end) => {
                    found.whole = at..end;
                    all.push((&**name, found));
                    at = end.max(at + 1);
                }
                None => at += 1,
            }
        }
    }
    all
}

fn fits(
    items: &[Item],
    cells: &[Cell],
    clause: &Range<usize>,
    at: usize,
    found: &mut Match,
) -> Option<usize> {
    let Some((item, rest)) = items.split_first() else {
        return Some(at);
    };
    match *item {
        Item::Begin(tags) => {
            let before = at.checked_sub(1).and_then(|before| cells.get(before));
            let begins = at == clause.start || before.is_some_and(|before| before.is(tags));
            begins.then(|| fits(rest, cells, clause, at, found))?
        }
        Item::End(tags) => {
            let ends = at >= clause.end || cells.get(at).is_some_and(|next| next.is(tags));
            ends.then(|| fits(rest, cells, clause, at, found))?
        }
        Item::Take(tags, least, most, group) => {
            let inside = cells.get(at..clause.end).unwrap_or_default();
            let count = inside.iter().take(most).take_while(|cell| cell.is(tags));
            let count = count.count();
            for count in (least..=count).rev() {
                let kept = found.clone();
                let place = at..at + count;
                match group {
                    Some('s') => join(&mut found.checks, &place),
                    Some('p') => join(&mut found.said, &place),
                    _ => {}
                }
                if let Some(end) = fits(rest, cells, clause, at + count, found) {
                    return Some(end);
                }
                *found = kept;
            }
            None
        }
    }
}

fn join(range: &mut Range<usize>, more: &Range<usize>) {
    if range.start == range.end {
        *range = more.clone();
    } else if more.start < more.end {
        *range = range.start.min(more.start)..range.end.max(more.end);
    }
}

/// Cuts the cells of a unit into clauses: at signs and words that part two
/// thoughts; at a comma or "and" only behind something that was said.
pub(super) fn clauses(sentence: &Sentence<'_>, cells: &[Cell]) -> Vec<Range<usize>> {
    let end = cells.len();
    if sentence.unit.shape == Shape::Row {
        return std::iter::once(0..end).collect();
    }
    let said = tags("PXvJZE");
    let mut all = Vec::new();
    let (mut start, mut has_said) = (0, false);
    let (mut deed, mut is_contrast) = (Deed::None, false);
    for (at, cell) in cells.iter().enumerate() {
        let token = cell.place.start;
        let is_dash = matches!(sentence.what(token), Some(What::Sign('—' | '–')));
        let is_apart = match sentence.what(token) {
            Some(What::Sign(';' | '；' | '(' | ')')) => true,
            Some(What::Sign('—' | '–')) => at > start,
            Some(What::Good | What::Bad) => {
                let before = at.checked_sub(1).and_then(|before| cells.get(before));
                at > start && !before.is_some_and(|before| before.is(tags(":S")))
            }
            Some(What::Word) if sentence.is("clause_breaks", token) => at > start,
            _ if cell.is(tag(',')) && has_said => begins_clause(cells, at),
            _ if cell.is(tag(',')) => deed.goes_on(cells, at),
            _ => false,
        };
        let before = at.checked_sub(1).and_then(|before| cells.get(before));
        is_contrast |= cell.is(tag('W')) && before.is_some_and(|before| before.is(tag('Y')));
        if is_apart && !is_contrast {
            all.push(start..at);
            let is_sign = matches!(sentence.what(token), Some(What::Sign(_)));
            start = if is_sign || is_dash { at + 1 } else { at };
            has_said = false;
            deed = Deed::None;
        }
        has_said |= cell.is(said);
        deed.read(sentence, cell);
    }
    all.push(start..end);
    all.retain(|clause| !clause.is_empty());
    all
}

/// What the words of a clause so far tell about who did something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// Nothing that is known.
    None,
    /// It begins with a verb, or with "I" and a verb: "I bumped the version".
    Begun,
    /// A word was in it after which nothing is stated.
    Vetoed,
}

impl Deed {
    fn read(&mut self, sentence: &Sentence<'_>, cell: &Cell) {
        let at = cell.place.start;
        let vetoes = ["N1", "N2", "N4", "N5", "N8", "not_deeds"];
        if vetoes.iter().any(|name| sentence.is(name, at)) {
            *self = Self::Vetoed;
        } else if *self == Self::None && !cell.is(tags("oagu#,.:")) {
            let word = sentence.word(at);
            let mut endings = sentence.pack.all(sentence.pack.list("past_endings"));
            let is_past = sentence.is("verbs", at) || endings.any(|ending| word.ends_with(ending));
            *self = if is_past { Self::Begun } else { Self::Vetoed };
        }
    }

    /// Whether a deed follows a comma: of the same person, or of one who is
    /// named anew: "nothing used it, so I removed it".
    fn goes_on(self, cells: &[Cell], comma: usize) -> bool {
        let rest = cells.get(comma + 1..).unwrap_or_default();
        let skipped = rest.iter().take_while(|cell| cell.is(tags(",oac")));
        let skipped = skipped.count();
        let names_who = rest.iter().take(skipped).any(|cell| cell.is(tag('i')));
        rest.get(skipped).is_some_and(|next| next.is(tag('v')))
            && (names_who || self == Self::Begun)
    }
}

/// Whether what follows a comma is a statement of its own, and not one more
/// object of the same deed.
fn begins_clause(cells: &[Cell], comma: usize) -> bool {
    let rest = cells.get(comma + 1..).unwrap_or_default();
    let skipped = rest.iter().take_while(|cell| cell.is(tags(",m"))).count();
    let Some(next) = rest.get(skipped) else {
        return false;
    };
    let behind = rest.get(skipped + 1);
    let is_object = next.is(tags("DIK"));
    !is_object || behind.is_some_and(|behind| behind.is(tags("cv")))
}
