//! From the place of a citation to the sentence that carries it.
//!
//! The sentences of a block are cut once for all its citations. A citation has
//! its place among the letters of the text, so that neither blanks nor what is
//! taken out moves it.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use crosscheck_core::rules::Rule;
use crosscheck_judge::builtin::{normalise, stems};

use super::bind::{By, Claim, Spot};
use super::doc::{Block, Doc, Kind};
use super::labels::{self, Cut};
use super::{Firm, Part, tables};
use crate::pattern::pattern;
use crate::read::sentence::Sentence;
use crate::read::urls::plain;

const LEAD: Rule = Rule::new(
    "sources.lead",
    "a block that only names its source is cited for the one beside it, or for nothing",
);
const PART: Rule = Rule::new(
    "sources.part",
    "of several sources of a sentence each answers for the words around it",
);
const TITLE: Rule = Rule::new(
    "sources.title",
    "a linked title behind a sentence is cited for the sentence",
);

/// Words of blocks beside a citation are not longer, in bytes.
const BESIDE_MAX: usize = 1200;
/// A block that is farther away is not beside a citation.
const NEAR_MAX: usize = 64;
/// Of more sources of one sentence it is not known what each is cited for.
const SOURCES_MAX: usize = 64;

pattern! {
    /// Words that name where the block before is from.
    SOURCE,
    r"(?i)^\W*(?:(?:(?:data|original|primary|image|photo|figure|table) )?(?:sources?|credits?|evidence)|references?|refs?|citations?|cited from|via|from|per|according to|as reported (?:by|in)|reported (?:by|in)|adapted from|quellen?|belege?|fontes?|fuentes?|来源|资料来源|出典)\W*$"
}
pattern! {
    /// Words by which a source says what follows.
    SAYS,
    r"(?i)^\W*(?:according to|as|per|in)\b|\b(?:says|said|states?|stated|reports?|reported|notes?|noted|writes|wrote|finds|found|shows?|showed|argues|explains|puts it|describes)\b"
}
pattern! {
    /// Words before a page that claim nothing: they lead to it, or define it.
    MORE,
    r"(?i)^\[[^\]]+\]:\s*$|^\W*(?:read (?:more|on|the (?:full )?\w+)|(?:learn|find out) more|more(?: info(?:rmation)?| details| here)?|full (?:story|article|text|report)|continue reading|available at|accessed|retrieved|mehr(?: dazu)?|lire la suite)\b[^.!?]{0,40}$"
}
pattern! {
    /// Signs before the name of a person who is quoted.
    DASH, r"^[\s>*_]*(?:—|–|―|--)[\s\w.,]{0,40}$"
}
pattern! {
    /// A label before a value: `Repository:`, `License:`.
    FIELD, r"^\W*\p{Lu}[\w/&’'-]*(?: [\w/&’'-]+){0,3}\s?:\W*$"
}

/// Where the words of a block are that only names its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lead {
    Nowhere,
    Before,
}

/// What each source of a block is cited for.
pub(super) fn of_block(doc: &Doc, all: &[Vec<Spot>], number: usize) -> Vec<Claim> {
    let (Some(block), Some(spots)) = (doc.blocks.get(number), all.get(number)) else {
        return Vec::new();
    };
    let is_silent = matches!(block.kind, Kind::Heading(_)) || block.text.starts_with("[ ] ");
    if is_silent {
        return vec![Claim::default(); spots.len()];
    }
    let row = tables::Row::of(doc, all, number);
    let lead = lead(block, spots);
    let read = Read::of(block, spots);
    let claims = spots.iter().enumerate().map(|(at, spot)| {
        let claim = row.as_ref().and_then(|row| row.claim(spot));
        claim.unwrap_or_else(|| match lead {
            Some(Lead::Nowhere) if spot.by != By::Mark => Claim::default(),
            Some(Lead::Before) if spot.by != By::Mark => said(beside(doc, all, number)),
            _ => read.claim(at),
        })
    });
    claims.collect()
}

/// The words of a quotation whose markup names its source.
pub(super) fn quoted(doc: &Doc, all: &[Vec<Spot>], number: usize) -> Claim {
    said(words_in(doc, all, number))
}

fn said(words: Option<String>) -> Claim {
    words
        .map(|words| Claim::of(words.into()))
        .unwrap_or_default()
}

/// Whether a source is in round brackets.
pub(super) fn in_brackets(text: &str, spot: &Spot) -> bool {
    let start = text.floor_char_boundary(spot.span.start.saturating_sub(200));
    let head = text.get(start..spot.span.start).unwrap_or_default();
    let tail = text.get(spot.span.end..).unwrap_or_default();
    let is_open = head.matches('(').count() > head.matches(')').count();
    let rest = tail.split_once(')').map_or(tail, |(_, rest)| rest);
    let end = rest.lines().next().unwrap_or_default();
    is_open && head.split_whitespace().nth(2).is_some() && !end.contains(char::is_alphanumeric)
}

/// A piece of a text without its URLs and without the number in front of it.
pub(super) fn entry_words(text: &str, range: &Range<usize>, spots: &[Spot]) -> String {
    let own = text.get(..range.end).unwrap_or_default();
    let urls = spots.iter().filter(|spot| spot.by == By::Url);
    let urls = urls.map(|spot| spot.span.clone());
    let mut cuts: Vec<Range<usize>> = urls.filter(|cut| range.contains(&cut.start)).collect();
    cuts.push(0..range.start);
    Cleaned::of(own, &labels::widened(own, cuts), &[]).text()
}

/// What a cell says without what it cites.
pub(super) fn cell_words(block: &Block, spots: &[Spot]) -> String {
    let cuts = labels::cuts(&block.text, spots);
    let cuts = cuts.into_iter().map(|(range, _)| range).collect();
    let clean = Cleaned::of(&block.text, &labels::widened(&block.text, cuts), &[]);
    clean.text()
}

/// How a block names its sources, if it does nothing else.
fn lead(block: &Block, spots: &[Spot]) -> Option<Lead> {
    const WORDS_MAX: usize = 8;
    if block.cell.is_some() || !LEAD.is_on() {
        return None;
    }
    let text = &block.text;
    let spots: Vec<&Spot> = spots.iter().filter(|spot| spot.by != By::Mark).collect();
    let first = spots.first()?;
    // the last lines of a block can name the source of the others
    let head = text.get(..first.span.start)?;
    let line = head.rfind('\n').map_or(0, |at| at + 1);
    let before = head.get(line..)?;
    let is_behind_lines = !head.get(..line)?.trim().is_empty();
    let mut behind = String::new();
    let mut cursor = first.span.end;
    for spot in spots.iter().skip(1) {
        behind.push_str(text.get(cursor..spot.span.start).unwrap_or_default());
        cursor = spot.span.end.max(cursor);
    }
    behind.push_str(text.get(cursor..).unwrap_or_default());
    let has_words = |words: &str| words.contains(char::is_alphanumeric);
    let ends = text.trim_end();
    let is_short = behind.split_whitespace().count() <= WORDS_MAX && !behind.contains(". ");
    let has_title = spots
        .iter()
        .any(|spot| spot.by == By::Link && spot.title.is_some());
    if is_behind_lines {
        let names = DASH.is_match(before) || SOURCE.is_match(before);
        let is_source = names && has_title && is_short;
        return is_source.then_some(Lead::Before);
    }
    if !has_words(before) && !has_words(&behind) {
        let is_sentence = behind.trim_start().starts_with(['.', '!', '?']);
        let title = first.title.as_deref().unwrap_or_default();
        let is_said = is_sentence || title.ends_with(['.', '!', '?']);
        return match () {
            () if ends.ends_with(':') => Some(Lead::Nowhere),
            () if is_said && has_title => None,
            () if DASH.is_match(before) && has_words(title) => Some(Lead::Before),
            () if block.parent.is_some() && has_title => Some(Lead::Before),
            () => Some(Lead::Nowhere),
        };
    }
    match () {
        () if !is_short => None,
        () if ends.ends_with([':', ',']) && SAYS.is_match(before) => Some(Lead::Nowhere),
        () if DASH.is_match(before) => Some(Lead::Before),
        () if SOURCE.is_match(before) && has_title => Some(Lead::Before),
        () if SOURCE.is_match(before) || MORE.is_match(before) => Some(Lead::Nowhere),
        () if FIELD.is_match(before) && !has_words(&behind) => Some(Lead::Nowhere),
        () => None,
    }
}

/// What the lines or the block before say, where a block only names its sources.
fn beside(doc: &Doc, all: &[Vec<Spot>], number: usize) -> Option<String> {
    let block = doc.blocks.get(number)?;
    if let Some((lines, _)) = block.text.rsplit_once('\n') {
        return Some(Cleaned::of(lines, &[], &[]).text());
    }
    let is_near = |at: &usize| {
        let one = doc.blocks.get(*at);
        block.parent == Some(*at) || one.is_some_and(|one| one.parent == block.parent)
    };
    let before = (0..number).rev().take(NEAR_MAX).find(is_near);
    let other = before.or(block.parent)?;
    let is_parent = block.parent == Some(other);
    match doc.blocks.get(other)?.kind {
        Kind::Paragraph | Kind::Quote | Kind::Item(_) if is_parent => own_words(doc, all, other),
        Kind::Paragraph | Kind::Quote => words_in(doc, all, other),
        _ => None,
    }
}

/// The words of one block, where it names no source itself.
fn own_words(doc: &Doc, all: &[Vec<Spot>], number: usize) -> Option<String> {
    let block = doc.blocks.get(number)?;
    let is_free = all.get(number).is_some_and(Vec::is_empty) && block.kind != Kind::Code;
    let words = Cleaned::of(&block.text, &[], &[]).text();
    let words = words.trim_matches('"').to_owned();
    (is_free && !words.is_empty() && words.len() <= BESIDE_MAX).then_some(words)
}

/// The words of a block and of those in it.
fn words_in(doc: &Doc, all: &[Vec<Spot>], number: usize) -> Option<String> {
    let mut found = Vec::new();
    for at in doc.inside(number) {
        let block = doc.blocks.get(at)?;
        if !block.text.trim().is_empty() {
            found.push(own_words(doc, all, at)?);
        }
    }
    let words = found.join(" ");
    let is_sentence = words.split_whitespace().nth(2).is_some() && !words.ends_with([':', '?']);
    (is_sentence && words.len() <= 2 * BESIDE_MAX).then_some(words)
}

/// A text that is cut into sentences, with places among its letters.
struct Cleaned {
    sentences: Vec<Sentence>,
    /// Their texts, for all who cite them.
    texts: Vec<Arc<str>>,
    /// Whether each says nothing by itself: asked once, however many cite it.
    empty: Vec<OnceCell<bool>>,
    /// How many letters there are up to the end of each sentence.
    ends: Vec<usize>,
    /// How many there are before each place.
    places: Vec<usize>,
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// A text without some of it, and how many letters there are before each place of it.
fn without(text: &str, cuts: &[Range<usize>], places: &[usize]) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut count = 0;
    let mut found = Vec::with_capacity(places.len());
    let mut places = places.iter().peekable();
    let mut cursor = 0;
    let end = text.len()..text.len();
    let all = cuts.iter().chain(std::iter::once(&end));
    for cut in all {
        while let Some(place) = places.next_if(|place| **place <= cut.end.max(cut.start)) {
            // a place inside what is taken out is where that was
            let end = (*place).clamp(cursor, cut.start.max(cursor));
            count += push(&mut out, text.get(cursor..end).unwrap_or_default());
            cursor = end;
            found.push(count);
        }
        count += push(&mut out, text.get(cursor..cut.start).unwrap_or_default());
        cursor = cut.end.max(cursor);
        let tail = text.get(cursor..).unwrap_or_default().trim_start();
        if tail.is_empty() || tail.starts_with(['.', ',', ';', ':', '!', '?', ')', ']']) {
            out.truncate(out.trim_end().len());
            cursor = text.len() - tail.len();
        }
    }
    found.extend(places.map(|_| count));
    (out, found)
}

impl Cleaned {
    fn of(text: &str, cuts: &[Range<usize>], places: &[usize]) -> Self {
        let (out, places) = without(text, cuts, places);
        let sentences = Sentence::all(&out);
        let mut end = 0;
        let ends = sentences.iter().map(|one| {
            end += letters(&one.written);
            end
        });
        let ends = ends.collect();
        let texts = sentences.iter().map(|one| Arc::from(one.text.as_str()));
        Self {
            ends,
            texts: texts.collect(),
            empty: vec![OnceCell::new(); sentences.len()],
            sentences,
            places,
        }
    }

    fn text(&self) -> String {
        self.texts.join(" ")
    }

    /// Whether a sentence only leads to its source.
    fn is_empty(&self, number: usize) -> bool {
        let (Some(sentence), Some(known)) = (self.sentences.get(number), self.empty.get(number))
        else {
            return true;
        };
        *known.get_or_init(|| {
            sentence.only_points() || !sentence.has_words() && !sentence.has_figure()
        })
    }

    /// The sentence around a place; between two of them the first one.
    fn at(&self, place: usize) -> usize {
        let behind = self.ends.partition_point(|end| *end < place);
        behind.min(self.sentences.len().saturating_sub(1))
    }
}

/// Adds words as they are judged; says how many letters they have.
fn push(out: &mut String, words: &str) -> usize {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte) && !matches!(byte, b'*' | b'_');
    if words.bytes().all(is_plain) {
        out.push_str(words); // most words, and none of them changes
        return words.bytes().filter(|byte| *byte != b' ').count();
    }
    let words = normalise(&plain(&words.replace(char::is_control, " ")));
    out.push_str(&words);
    letters(&words)
}

/// A block that is read for its citations.
struct Read<'s> {
    spots: &'s [Spot],
    clean: Cleaned,
    /// Places of words that may only describe the source.
    doubts: Vec<usize>,
    /// Whether the sources of each sentence may be accused: asked once, however many cite it.
    firm: Vec<OnceCell<Firm>>,
}

impl<'s> Read<'s> {
    fn of(block: &Block, spots: &'s [Spot]) -> Self {
        let text = &block.text;
        let (sure, doubtful): (Vec<_>, Vec<_>) = labels::cuts(text, spots)
            .into_iter()
            .partition(|(_, cut)| *cut == Cut::Sure);
        let ranges = sure.into_iter().map(|(range, _)| range);
        let cuts = labels::widened(text, ranges.collect());
        let places: Vec<usize> = spots.iter().map(|spot| spot.span.end).collect();
        let mut clean = Cleaned::of(text, &cuts, &places);
        let mut doubtful: Vec<usize> = doubtful.iter().map(|(range, _)| range.end).collect();
        doubtful.sort_unstable();
        let doubts = if doubtful.is_empty() {
            Vec::new()
        } else {
            without(text, &cuts, &doubtful).1
        };
        let begins = spots.first().is_some_and(|first| {
            let head = text.get(..first.span.start).unwrap_or_default();
            first.by == By::Mark && head.trim().is_empty()
        });
        for (place, spot) in clean.places.iter_mut().zip(spots) {
            let tail = text.get(spot.span.end..).unwrap_or_default();
            let goes_on = tail
                .trim_start_matches([']', ')', ' '])
                .starts_with(char::is_lowercase);
            let is_title = spot.by == By::Link;
            *place += usize::from(begins || goes_on && !is_title);
        }
        Self {
            spots,
            firm: vec![OnceCell::new(); clean.sentences.len()],
            clean,
            doubts,
        }
    }

    /// What the source at this place is cited for.
    fn claim(&self, at: usize) -> Claim {
        let (Some(spot), Some(place)) = (self.spots.get(at), self.clean.places.get(at)) else {
            return Claim::default();
        };
        let number = self.clean.at(*place);
        let Some(sentence) = self.clean.sentences.get(number) else {
            return Claim::default();
        };
        let before = || {
            let before = number.checked_sub(1)?;
            let text = self.clean.texts.get(before);
            text.filter(|_| self.is_free(before, at))
        };
        let title = spot.title.as_deref().unwrap_or_default();
        let bare = |words: &str| {
            words
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_owned()
        };
        let is_title = TITLE.is_on()
            && spot.by == By::Link
            && !title.ends_with(['.', '!', '?'])
            && bare(&normalise(title)) == bare(&sentence.text);
        if is_title && let Some(before) = before() {
            return if labels::is_name(title) {
                Claim::of(Arc::clone(before))
            } else {
                // a title may say something of the world as well
                Claim::loose(format!("{before} {title}.").into())
            };
        }
        if is_title && number == 0 && self.clean.sentences.len() > 1 {
            let next = self.clean.texts.get(1).filter(|_| self.is_free(1, at));
            return next.cloned().map(Claim::loose).unwrap_or_default();
        }
        if self.clean.is_empty(number) {
            // what only points, with nothing before it, is all there is
            let own = self.clean.texts.get(number);
            let own = own.filter(|_| number == 0 && sentence.has_words());
            // `Published 1935.` may say something of the world as well
            let may_say = sentence.text.starts_with("Published");
            return match before() {
                Some(before) if may_say => {
                    Claim::loose(format!("{before} {}", sentence.text).into())
                }
                before => before.or(own).cloned().map(Claim::of).unwrap_or_default(),
            };
        }
        let firm = self.firm.get(number);
        Claim {
            text: self.clean.texts.get(number).cloned(),
            firm: firm.map_or(Firm::No, |firm| *firm.get_or_init(|| self.firm(number))),
            part: self.part(number, *place).map(Arc::new),
        }
    }

    /// The sources of a sentence, each with its place in it.
    fn cited_in(&self, number: usize) -> Vec<(usize, &str)> {
        let (start, end) = self.span(number);
        let is_before = |one: &usize| number > 0 && *one <= start;
        let own = self.spots_from(self.clean.places.partition_point(is_before));
        let own = own.take_while(|(one, _)| **one <= end);
        own.take(SOURCES_MAX + 1)
            .map(|(one, spot)| (one - start, spot.url.as_str()))
            .collect()
    }

    /// What of a sentence with several sources is the words around one of them:
    /// whoever cites one source for each half of a sentence says no more of them.
    fn part(&self, number: usize, place: usize) -> Option<Part> {
        let own = self.cited_in(number);
        let (_, first) = own.first()?;
        let is_one = own.iter().all(|(_, url)| url == first);
        if is_one || own.len() > SOURCES_MAX || self.is_doubtful(number) || !PART.is_on() {
            return None;
        }
        let place = place.saturating_sub(self.span(number).0);
        let text = self.clean.sentences.get(number)?.written.as_str();
        // citations with hardly a word between them are at one place
        let mut places = own.iter().map(|(one, _)| *one);
        let mut known = places.clone();
        let before = known.rfind(|one| *one < place && says_something(between(text, *one, place)));
        let behind = places.find(|one| *one > place && says_something(between(text, place, *one)));
        let (from, to) = (before.unwrap_or(0), behind.unwrap_or(usize::MAX));
        let mut same = own.iter().filter(|(one, _)| (from + 1..to).contains(one));
        let (_, first) = same.next()?;
        Some(Part {
            before: between(text, from, place).to_owned(),
            after: between(text, place, to).to_owned(),
            is_alone: same.all(|(_, url)| url == first),
        })
    }

    /// The sources from one on, each with its place.
    fn spots_from(&self, start: usize) -> impl Iterator<Item = (&usize, &'s Spot)> {
        let places = self.clean.places.get(start..).unwrap_or_default();
        places
            .iter()
            .zip(self.spots.get(start..).unwrap_or_default())
    }

    /// Whether a sentence cites nothing, or the same as this place.
    fn is_free(&self, sentence: usize, at: usize) -> bool {
        let url = self.spots.get(at).map(|spot| &spot.url);
        let sentences = &self.clean.sentences;
        let has_marks = sentences
            .get(sentence)
            .is_some_and(|one| !one.marks.is_empty());
        let first = sentence
            .checked_sub(1)
            .and_then(|last| self.clean.ends.get(last));
        let first = first.map_or(0, |end| end + 1);
        let end = self.clean.ends.get(sentence).copied().unwrap_or(0);
        let start = self.clean.places.partition_point(|place| *place < first);
        let inside = self.spots_from(start);
        let mut inside = inside.take_while(|(place, _)| **place <= end);
        let mut cites = false;
        let is_same = inside.all(|(_, spot)| {
            cites = true;
            Some(&spot.url) == url
        });
        is_same && (cites || !has_marks)
    }

    /// Where a sentence begins and ends.
    fn span(&self, number: usize) -> (usize, usize) {
        let ends = &self.clean.ends;
        let start = number.checked_sub(1).and_then(|last| ends.get(last));
        let end = ends.get(number).copied().unwrap_or(0);
        (start.copied().unwrap_or(0), end)
    }

    /// Whether words of a sentence may only describe the source: they accuse no one.
    fn is_doubtful(&self, number: usize) -> bool {
        let (start, end) = self.span(number);
        let doubt = self.doubts.partition_point(|doubt| *doubt < start);
        self.doubts.get(doubt).is_some_and(|doubt| *doubt <= end)
    }

    /// Whether the sources of a sentence answer for all of it: whoever cites one source for each
    /// half of a sentence says no more of them.
    fn firm(&self, number: usize) -> Firm {
        if self.is_doubtful(number) {
            return Firm::No;
        }
        let own = self.cited_in(number);
        let is_one = own.windows(2).all(|pair| match pair {
            [(_, one), (_, next)] => one == next,
            _ => true,
        });
        let Some(sentence) = self.clean.sentences.get(number).filter(|_| !is_one) else {
            return Firm::Yes;
        };
        // citations with hardly a word between them are at one place
        let is_apart = own.windows(2).any(|pair| match pair {
            [(from, _), (to, _)] => says_something(between(&sentence.written, *from, *to)),
            _ => false,
        });
        if PART.is_on() && (is_apart || own.len() > SOURCES_MAX) {
            Firm::No
        } else {
            Firm::Shared
        }
    }
}

/// The words between two places among the letters of a text.
fn between(text: &str, from: usize, to: usize) -> &str {
    let mut letters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut offset = |count: usize| letters.nth(count).map_or(text.len(), |(at, _)| at);
    let start = offset(from);
    let end = if to > from {
        offset(to - from - 1)
    } else {
        start
    };
    text.get(start..end).unwrap_or_default()
}

/// Whether words between two citations are more than `and` or a comma.
fn says_something(words: &str) -> bool {
    stems(words).len() > 1 || words.bytes().any(|byte| byte.is_ascii_digit())
}
