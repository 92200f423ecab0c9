//! From the place of a citation to the sentence that carries it.
//!
//! The sentences of a block are cut once for all its citations: each of them
//! leaves a mark in the text, and the sentence with the mark is its sentence.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crosscheck_judge::builtin::stems;

use super::asides::{DAY_MARK, with_whole_days, without_asides};
use super::doubt;
use super::shape::{Shape, shape};
use super::spans::{Spans, Walk};
use super::tables::Said;
use super::{Mention, Part, SourceEntry};
use crate::pattern::pattern;
pub(super) use crate::read::sentence::PLACE;
use crate::read::sentence::{GONE, Sentence, tidy};

/// What is cited at a place in a block, and for which sentence.
struct Place<'f> {
    at: usize,
    urls: Vec<&'f str>,
    cited_for: CitedFor,
}

/// What the sentence around a place says.
#[derive(Default)]
struct CitedFor {
    claim: Option<Arc<str>>,
    whole: Option<Arc<str>>,
    part: Option<Part>,
}

pattern! {
    /// The beginning of a line that says where something is.
    LABEL, r"(?i)^\W*(?:sources?|references?|citations?|links?|via|url)\s*:"
}

pattern! {
    /// A line that says what a page or a program was made with.
    CREDIT,
    r"(?i)^(?:(?:©|\(c\)|copyright)([^!?]*?))?\W*(?:created (?:using|with|by)|powered by|(?:built|made) (?:with|using)|(?:generated|rendered) (?:by|with|using)|hosted (?:by|on)|themes? (?:by|from))\s+[\w\x01]([^,;:!?]*)$"
}

/// A citation whose sentence is not known yet.
pub(super) struct Found {
    /// Where it is, for people.
    pub(super) at: usize,
    /// Inside it: before its last character, so that it hides neither the
    /// beginning nor the end of a sentence. None when no sentence carries it.
    pub(super) place: Option<usize>,
    pub(super) url: String,
    pub(super) title: Option<String>,
    /// What is claimed, where that is not the sentence around it.
    pub(super) claim: Option<String>,
    /// The same with the words that may be beside it, see [`doubt`].
    pub(super) whole: Option<String>,
    /// What of the claim is its own.
    pub(super) part: Option<Part>,
    /// It may be cited for something else.
    pub(super) is_loose: bool,
    /// The words of an entry of a list of sources, where it is one.
    pub(super) entry: Option<SourceEntry>,
}

impl Found {
    /// A citation that is in the text as it is read.
    pub(super) fn new(text: &str, range: &Range<usize>, url: String) -> Self {
        let written = text.get(range.clone()).unwrap_or_default();
        // An identifier with something inside it would not be known as one any more.
        let is_identifier = !written.starts_with('[') && !written.contains("//") && written != url;
        let place = if is_identifier {
            range.end
        } else {
            // dots that say that it goes on stay together
            let length = written.trim_end_matches(['.', '…']).len();
            last_char(text, &(range.start..range.start + length))
        };
        Self {
            at: range.start,
            place: Some(place),
            url,
            title: None,
            claim: None,
            whole: None,
            part: None,
            is_loose: false,
            entry: None,
        }
    }

    /// The same for what a row of a table or another block says.
    pub(super) fn said(self, said: Option<Said>) -> Self {
        let Some(Said {
            claim,
            whole,
            is_named,
            is_loose,
        }) = said
        else {
            return self;
        };
        if claim.is_empty() {
            return self.undecided();
        }
        // what is missing on the page of a name may be on others
        let part = is_named.then(|| Part {
            before: claim.as_str().into(),
            after: "".into(),
            is_alone: false,
        });
        Self {
            claim: Some(claim),
            whole,
            part,
            is_loose,
            ..self
        }
    }

    /// The same without a claim; its page may bear these words.
    pub(super) fn without_claim(self, words: Option<Arc<str>>) -> Self {
        let entry = |words| SourceEntry {
            words,
            is_certain: true,
        };
        Self {
            place: None,
            entry: words.map(entry),
            ..self
        }
    }

    /// The same where it is doubtful that it is cited for its sentence.
    pub(super) fn loose_if(self, is_loose: bool) -> Self {
        Self {
            is_loose: self.is_loose || is_loose,
            ..self
        }
    }

    /// The same for words that are too few to judge.
    fn undecided(self) -> Self {
        let entry = SourceEntry {
            words: "".into(),
            is_certain: false,
        };
        Self {
            place: None,
            entry: Some(entry),
            ..self
        }
    }

    /// A citation by a mark, which reads as one sign.
    pub(super) fn mark(text: &str, range: &Range<usize>, url: String) -> Self {
        Self {
            place: Some(last_char(text, range)),
            ..Self::unbound(range.start, url, None)
        }
    }

    /// An entry of a list that nothing cites.
    pub(super) fn unbound(at: usize, url: String, title: Option<String>) -> Self {
        Self {
            at,
            place: None,
            url,
            title,
            claim: None,
            whole: None,
            part: None,
            is_loose: false,
            entry: None,
        }
    }
}

/// Where the last character of a range begins.
pub(super) fn last_char(text: &str, range: &Range<usize>) -> usize {
    let last = text
        .get(range.clone())
        .and_then(|piece| piece.char_indices().next_back());
    range.start + last.map_or(0, |(at, _)| at)
}

/// A piece of the text that reads otherwise in a claim.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: Reads,
}

/// What a reader reads there.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Reads {
    Nothing,
    Blank,
    /// A mark such as `[1]`.
    Mark,
    /// These characters, which the author had to write otherwise.
    Chars(String),
    /// These words, which may only say where something is from.
    Doubtful(String),
}

/// A piece of the text with its characters as they are read; all other markup stays.
pub(super) fn spelled(text: &str, range: &Range<usize>, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut cursor = range.start;
    let first = edits.partition_point(|edit| edit.range.start < range.start);
    let inside = edits.get(first..).unwrap_or_default().iter();
    for edit in inside.take_while(|edit| edit.range.end <= range.end) {
        if let Reads::Chars(chars) = &edit.with {
            out.push_str(text.get(cursor..edit.range.start).unwrap_or_default());
            out.push_str(chars);
            cursor = edit.range.end;
        }
    }
    out.push_str(text.get(cursor..range.end).unwrap_or_default());
    out
}

/// A piece of the text as it is read, on one line, without URLs and marks.
pub(super) fn read(text: &str, range: Range<usize>, edits: &[Edit]) -> String {
    let words = marked(text, range, edits, std::iter::empty());
    let all = Sentence::all(&tidy(&doubt::without(&words)));
    let parts: Vec<&str> = all.iter().map(|sentence| sentence.text.as_str()).collect();
    parts.join(" ")
}

/// Puts edits into the order of the text, the outer ones first.
pub(super) fn sort(edits: &mut [Edit]) {
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
}

/// Gives every citation its sentence, line and column.
pub(super) fn mentions(
    text: &str,
    blocks: &Spans,
    edits: &[Edit],
    mut found: Vec<Found>,
) -> Vec<Mention> {
    found.sort_by_key(|one| one.at);
    let cited = found.iter().filter(|one| one.claim.is_none());
    let mut cited: Vec<((usize, usize), usize, &str)> = cited
        .filter_map(|one| {
            let block = blocks.own(&(one.at..one.at + 1))?;
            Some(((block.start, block.end), one.place?, one.url.as_str()))
        })
        .collect();
    cited.sort_by_key(|(block, place, _)| (*block, *place));
    let mut cited_for: Vec<(usize, CitedFor)> = Vec::with_capacity(cited.len());
    for same_block in cited.chunk_by(|one, next| one.0 == next.0) {
        let places = same_block.chunk_by(|one, next| one.1 == next.1);
        let mut places: Vec<Place<'_>> = places
            .map(|same| Place {
                at: same.first().map_or(0, |(_, at, _)| *at),
                urls: same.iter().map(|(.., url)| *url).collect(),
                cited_for: CitedFor::default(),
            })
            .collect();
        let (start, end) = same_block.first().map_or((0, 0), |(block, ..)| *block);
        fill(text, start..end, edits, &mut places);
        cited_for.extend(places.into_iter().map(|place| (place.at, place.cited_for)));
    }
    cited_for.sort_by_key(|(at, _)| *at);
    // where blocks share a place, the last one counts
    let cited_for_at = |at: usize| {
        let known = cited_for.partition_point(|(known, _)| *known <= at);
        let (place, last) = cited_for.get(known.checked_sub(1)?)?;
        (*place == at && last.claim.is_some()).then_some(last)
    };
    let mut walk = Walk::new(text);
    let mention = |one: Found| {
        let (line, column) = walk.place(one.at);
        let cited_for = match one.claim {
            Some(_) => None,
            None => one.place.and_then(cited_for_at),
        };
        let own = |words: Option<String>| words.map(Arc::from);
        let claim = own(one.claim).or_else(|| cited_for?.claim.clone());
        // a source that nothing cites is an entry, wherever it is
        let uncited = || {
            claim.is_none().then(|| SourceEntry {
                words: one.title.as_deref().unwrap_or_default().into(),
                is_certain: true,
            })
        };
        Mention {
            entry: one.entry.or_else(uncited),
            claim,
            whole: own(one.whole).or_else(|| cited_for?.whole.clone()),
            part: one
                .part
                .or_else(|| cited_for.and_then(|cited_for| cited_for.part.clone())),
            is_loose: one.is_loose,
            url: one.url,
            line,
            column,
            title: one.title,
            context: None,
        }
    };
    found.into_iter().map(mention).collect()
}

/// The sentences around the places of one block.
fn fill(text: &str, block: Range<usize>, edits: &[Edit], places: &mut [Place<'_>]) {
    let marked = marked(text, block, edits, places.iter().map(|place| place.at));
    let all = Sentence::all(&with_whole_days(&marked));
    let mut rest = places;
    // What the sentence before cites.
    let mut before: Vec<&str> = Vec::new();
    for (number, sentence) in all.iter().enumerate() {
        let count = sentence.written.matches(PLACE).count().min(rest.len());
        let (own, others) = std::mem::take(&mut rest).split_at_mut(count);
        rest = others;
        let Some(claim) = (count > 0).then(|| claim_of(&all, number)) else {
            before.clear();
            continue;
        };
        let is_borrowed = claim.is_borrowed;
        let whole: Option<Arc<str>> = claim.whole.map(Into::into);
        let claim: Option<Arc<str>> = claim.text.map(Into::into);
        // A source is never judged on a sentence that cites another one.
        let is_free = all.get(number.wrapping_sub(1)).is_some_and(|before| {
            !before.written.contains(PLACE) && before.marks.is_empty() && before.urls.is_empty()
        });
        if !is_borrowed {
            divide(&sentence.written.replace(doubt::ENDS, ""), own);
        }
        for place in own.iter_mut() {
            let is_same = || place.urls.iter().all(|url| before.contains(url));
            if !is_borrowed || is_free || is_same() {
                place.cited_for.claim.clone_from(&claim);
                place.cited_for.whole.clone_from(&whole);
            }
        }
        before = own.iter().flat_map(|place| &place.urls).copied().collect();
    }
}

/// Gives each of several sources of a sentence the words around its place:
/// whoever cites one source for each half of a sentence says no more of them.
fn divide(written: &str, places: &mut [Place<'_>]) {
    let first = places.first().and_then(|place| place.urls.first().copied());
    let mut urls = places.iter().flat_map(|place| &place.urls);
    if urls.all(|url| Some(*url) == first) {
        return;
    }
    // the words between the places; a place may be inside the last word of a link
    let mut words: Vec<String> = Vec::new();
    for (number, piece) in written.split(PLACE).enumerate() {
        let piece = if number == 0 {
            piece
        } else {
            let end = piece.find(|c: char| !c.is_alphanumeric());
            let (rest, piece) = piece.split_at(end.unwrap_or(piece.len()));
            words
                .last_mut()
                .into_iter()
                .for_each(|last| last.push_str(rest));
            piece.strip_prefix(']').unwrap_or(piece)
        };
        words.push(piece.strip_suffix("[1").unwrap_or(piece).to_owned());
    }
    let mut start = 0;
    while start < places.len() {
        // citations with hardly a word between them are at one place
        let next = (start + 1..places.len())
            .find(|at| words.get(*at).is_some_and(|words| says_something(words)));
        let end = next.unwrap_or(places.len());
        let [before, after] =
            [start, end].map(|at| Arc::from(words.get(at).map_or("", String::as_str)));
        let same = places.get_mut(start..end).unwrap_or_default();
        let urls: HashSet<&str> = same.iter().flat_map(|place| &place.urls).copied().collect();
        for place in same {
            place.cited_for.part = Some(Part {
                before: Arc::clone(&before),
                after: Arc::clone(&after),
                is_alone: urls.len() == 1,
            });
        }
        start = end;
    }
}

/// Whether words between two citations are more than `and` or a comma.
fn says_something(words: &str) -> bool {
    stems(words).len() > 1 || words.bytes().any(|byte| byte.is_ascii_digit())
}

/// The text of a block as it is read, with a mark at every place.
fn marked(
    text: &str,
    block: Range<usize>,
    edits: &[Edit],
    places: impl Iterator<Item = usize>,
) -> String {
    let mut places = places.peekable();
    let mut out = String::with_capacity(block.len() + 16);
    let mut cursor = block.start;
    let first = edits.partition_point(|edit| edit.range.start < block.start);
    let inside = edits.get(first..).unwrap_or_default().iter();
    for edit in inside.take_while(|edit| edit.range.start < block.end) {
        if edit.range.start < cursor {
            continue; // inside another one
        }
        while let Some(place) = places.next_if(|place| *place < edit.range.start) {
            push(text, cursor..place, &mut out);
            out.push(PLACE);
            cursor = place;
        }
        push(text, cursor..edit.range.start, &mut out);
        let mut count = 0;
        while places.next_if(|place| *place < edit.range.end).is_some() {
            count += 1;
        }
        match &edit.with {
            Reads::Nothing => {}
            Reads::Blank => out.push(' '),
            Reads::Mark => out.push_str("[1"),
            Reads::Chars(chars) => out.push_str(chars),
            Reads::Doubtful(words) => out.push_str(&doubt::wrapped(words)),
        }
        out.extend(std::iter::repeat_n(PLACE, count));
        out.push_str(if edit.with == Reads::Mark { "]" } else { "" });
        cursor = edit.range.end;
    }
    for place in places {
        push(text, cursor..place, &mut out);
        out.push(PLACE);
        cursor = place;
    }
    push(text, cursor..block.end.max(cursor), &mut out);
    out
}

/// Our own marks.
const OWN: [char; 6] = [
    PLACE,
    '\u{2}',
    doubt::ENDS[0],
    doubt::ENDS[1],
    DAY_MARK,
    '\u{e010}',
];

/// Text of the author; a character that looks like one of our own marks is none.
fn push(text: &str, range: Range<usize>, out: &mut String) {
    let piece = text.get(range).unwrap_or_default();
    for (number, part) in piece.split(OWN).enumerate() {
        out.push_str(if number == 0 { "" } else { " " });
        out.push_str(part);
    }
}

/// What a sentence with a citation claims.
struct Claim {
    text: Option<String>,
    /// The same with the words that may be beside it, where it has some.
    whole: Option<String>,
    /// They are the words of the sentence before it.
    is_borrowed: bool,
}

/// A sentence as it is judged, and with the words that may be beside its claim.
struct Read<'s> {
    claim: Cow<'s, Sentence>,
    whole: Option<String>,
}

impl<'s> Read<'s> {
    fn of(sentence: &'s Sentence) -> Self {
        let text = without_asides(&sentence.text);
        let whole = doubt::with(&text);
        let claim = match doubt::without(&text) {
            claim if *claim == *sentence.text => Cow::Borrowed(sentence),
            claim => Cow::Owned(sentence.with_words(&claim)),
        };
        Self { claim, whole }
    }

    fn whole(&self) -> &str {
        self.whole.as_deref().unwrap_or(&self.claim.text)
    }
}

/// Whether a sentence says where something is, and nothing else: `Source: the study`.
fn is_label_of_source(sentence: &Sentence) -> bool {
    let is_label = || LABEL.is_match(&sentence.text);
    sentence.text.contains(':') && is_label() && (!sentence.is_concrete() || is_title(sentence))
}

/// Whether what follows a label has the form of an entry: `report no. 17, https://…`.
fn is_title(sentence: &Sentence) -> bool {
    let (_, rest) = sentence.text.split_once(':').unwrap_or_default();
    let rest = rest.replace(PLACE, " https://a");
    rest.trim_start().starts_with(char::is_uppercase) && shape(&rest, false) != Shape::Claim
}

/// Whether a line says what something was made with, in few words.
fn is_credit(line: &str) -> bool {
    const OWNER_MAX: usize = 120;
    const TOOL_MAX: usize = 60;
    let form = CREDIT.captures(line);
    form.is_some_and(|form| {
        let length = |group| {
            form.get(group)
                .map_or(0, |part| part.as_str().chars().count())
        };
        length(1) <= OWNER_MAX && length(2) <= TOOL_MAX
    })
}

/// Whether nothing but the number of an entry comes before a URL: `1.`, `#1 -`.
fn is_number_of_entry(text: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '%' | '$' | '€' | '£');
    let number = text.trim_matches(is_sign);
    text.chars().all(|c| is_sign(c) || c.is_numeric())
        && (1..=3).contains(&number.chars().count())
        && number.chars().all(char::is_numeric)
}

/// The sentence; where it only points to a source, the one before it.
fn claim_of(all: &[Sentence], number: usize) -> Claim {
    let nothing = Claim {
        text: None,
        whole: None,
        is_borrowed: false,
    };
    let Some(read) = all.get(number).map(Read::of) else {
        return nothing;
    };
    let own = &*read.claim;
    if is_credit(&own.text) || is_number_of_entry(&own.text) {
        return nothing;
    }
    let before = number
        .checked_sub(1)
        .and_then(|before| all.get(before))
        .filter(|before| before.paragraph == own.paragraph)
        .map(Read::of);
    // "Source: the study" after the text claims nothing by itself.
    let named = is_label_of_source(own);
    let is_label = || named || own.text.ends_with(':') || !(own.has_figure || own.has_words());
    let points = named || own.only_points();
    let (chosen, whole) = match &before {
        _ if !points => (own, read.whole.clone()),
        Some(before) if is_label_of_source(&before.claim) => return nothing,
        Some(before)
            if !named
                && (Sentence::may_say_more(read.whole()) || before.claim.text.ends_with('?')) =>
        {
            let both = format!("{} {}", before.whole(), read.whole());
            (&*before.claim, Some(both))
        }
        Some(before) => (&*before.claim, before.whole.clone()),
        None if is_label() => return nothing,
        None => (own, read.whole.clone()),
    };
    let text = shown(&chosen.text);
    let whole = whole.map(|whole| shown(&whole));
    Claim {
        whole: whole.filter(|whole| *whole != text),
        text: Some(text).filter(|text| !text.is_empty()),
        is_borrowed: points && before.is_some(),
    }
}

/// The words of a claim alone.
fn shown(words: &str) -> String {
    let text = tidy(&words.replace(PLACE, GONE));
    let text = text.trim_start_matches(['|', '-', '*', '+', ' ']);
    text.trim_end_matches(['|', ' ']).to_owned()
}
