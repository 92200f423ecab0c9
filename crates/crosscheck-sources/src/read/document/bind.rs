//! What cites what: from the blocks of a document to its citations.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crosscheck_fetch::Url;

use super::doc::{Block, Doc, Kind};
use super::json::Placed;
use super::keys::Keys;
use super::lists::{Entry, Lists};
use super::marks::{self, Mark};
use super::plain::places;
use super::shape::names_source;
use super::spans::Spans;
use super::{Firm, Mention, Part, ReadOptions, SourceEntry, authors, claims};
use crate::read::cited::unwrapped;
use crate::read::identifier::identifiers_in;

/// How a source is cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A link with words.
    Link,
    /// A URL or identifier that is there by itself.
    Url,
    /// A mark, the use of a note, or a link whose words are a number.
    Mark,
}

/// A place that cites a source.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    /// Where it is in the text of its block.
    pub(super) span: Range<usize>,
    /// Where it is in the file.
    pub(super) at: usize,
    pub(super) url: String,
    pub(super) title: Option<String>,
    pub(super) by: By,
}

/// What a source is cited for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Claim {
    /// The sentence; empty where too little is said.
    pub(super) text: Option<Arc<str>>,
    pub(super) firm: Firm,
    /// The words around it, where others are cited for the rest.
    pub(super) part: Option<Arc<Part>>,
}

impl Claim {
    pub(super) fn of(text: Arc<str>) -> Self {
        Self {
            text: Some(text),
            ..Self::default()
        }
    }

    /// The page can confirm these words, and accuses no one of them.
    pub(super) fn loose(text: Arc<str>) -> Self {
        Self {
            firm: Firm::No,
            ..Self::of(text)
        }
    }
}

/// The citations of a document, with their places; marks and keys that lead nowhere are noted.
pub(super) fn mentions(
    doc: &Doc,
    options: ReadOptions,
    keys: &mut Keys,
    dangling: &mut Vec<(usize, String)>,
) -> Placed {
    let all = doc.blocks.iter();
    let mut spots: Vec<Vec<Spot>> = all.map(|one| own_spots(one, options)).collect();
    let marks: Vec<Vec<Mark>> = doc.blocks.iter().map(marks_of).collect();
    let lists = Lists::of(doc, &spots, &marks);
    let mut binder = Binder {
        doc,
        notes: Notes::of(doc),
        index: authors::Index::of(&lists),
        has_marks: marks.iter().flatten().any(|mark| !mark.is_faint),
        lists: &lists,
        used: HashSet::new(),
        lost: Vec::new(),
    };
    for (number, marks) in marks.into_iter().enumerate() {
        let own = binder.pointing(number, marks, &spots, keys);
        if let Some(all) = spots.get_mut(number) {
            all.retain(|spot| binder.is_free(number, spot.span.start));
            all.extend(own);
            all.sort_by_key(|spot| (spot.span.start, spot.at));
        }
    }
    let mut found = Found::default();
    for (number, block) in doc.blocks.iter().enumerate() {
        if binder.notes.is_note(number) {
            continue;
        }
        if let Some(url) = block.cite.as_ref().filter(|url| is_web(url)) {
            let spot = Spot {
                span: Range::default(),
                at: block.at(0),
                url: url.clone(),
                title: None,
                by: By::Link,
            };
            found.add(&spot, claims::quoted(doc, &spots, number));
        }
        let own = spots.get(number).map(Vec::as_slice).unwrap_or_default();
        if !own.is_empty() {
            let claims = claims::of_block(doc, &spots, number);
            let cited = own.iter().zip(claims);
            cited.for_each(|(spot, claim)| found.add(spot, claim));
        }
    }
    let cited: HashSet<String> = found.0.iter().map(|(_, one)| one.url.clone()).collect();
    // the definition of a link says nothing beside the link
    let is_said = |entry: &Entry| {
        let mut urls = entry.urls.iter();
        entry.words.is_empty() && urls.all(|(_, url)| cited.contains(url))
    };
    let unused = lists.entries.iter().enumerate();
    let unused = unused.filter(|(at, entry)| {
        let is_used = binder.used.contains(at) || binder.notes.is_note(entry.block);
        !is_used && !is_said(entry)
    });
    unused.for_each(|(_, entry)| found.entry(entry));
    found.unused_notes(doc, &binder.notes, options);
    dangling.append(&mut binder.lost);
    found.0
}

/// Finds what marks, uses of notes and keys point to.
struct Binder<'d> {
    doc: &'d Doc,
    notes: Notes<'d>,
    lists: &'d Lists,
    index: authors::Index,
    /// The document has marks that are nothing else.
    has_marks: bool,
    /// Entries that something points to.
    used: HashSet<usize>,
    /// Marks that point to no entry, and where they are.
    lost: Vec<(usize, String)>,
}

impl Binder<'_> {
    /// Whether a place of a block is neither in a note nor in an entry.
    fn is_free(&self, block: usize, place: usize) -> bool {
        !self.notes.is_note(block) && !self.lists.covers(block, place)
    }

    /// The places of a block that point to a source which is given elsewhere.
    fn pointing(
        &mut self,
        number: usize,
        marks: Vec<Mark>,
        spots: &[Vec<Spot>],
        keys: &mut Keys,
    ) -> Vec<Spot> {
        let Some(block) = self.doc.blocks.get(number) else {
            return Vec::new();
        };
        let mut found = self.marked(number, block, marks);
        for pointer in &block.pointers {
            let span = pointer.place..pointer.place;
            let name = pointer.name.as_ref();
            if let Some(note) = name.and_then(|name| self.notes.get(name, number)) {
                let cited = self.doc.inside(note).filter_map(|one| spots.get(one));
                found.extend(cited.flatten().map(|spot| Spot {
                    span: span.clone(),
                    at: pointer.at,
                    by: By::Mark,
                    ..spot.clone()
                }));
            } else if self.is_free(number, pointer.place) {
                found.extend(self.numbered(&pointer.numbers, &span, pointer.at));
            }
        }
        for named in authors::find(&block.text, &self.index) {
            let place = named.range.start;
            if self.is_free(number, place) && !block.is_code(place) {
                self.used.extend(&named.items);
                found.extend(
                    self.lists
                        .cited(&named.items, &named.range, block.at(place)),
                );
            }
        }
        let lists = self.lists;
        found.extend(keys.uses(block, &self.doc.notes, |place| {
            block.is_code(place) || lists.covers(number, place)
        }));
        // a link with the number of an entry is a use of it
        for spot in spots.get(number).into_iter().flatten() {
            if spot.by == By::Mark && self.is_free(number, spot.span.start) {
                self.used.extend(lists.with_url(&spot.url));
            }
        }
        found
    }

    /// What the marks in the words of a block cite.
    fn marked(&mut self, number: usize, block: &Block, mut marks: Vec<Mark>) -> Vec<Spot> {
        if !self.has_marks && self.lists.is_numbered() {
            marks.extend(marks::in_round_brackets(&block.text));
        }
        let mut found = Vec::new();
        let linked = linked(block);
        for mark in marks {
            let place = mark.range.start;
            if !self.is_free(number, place) || block.is_code(place) || linked.covers(place) {
                continue;
            }
            let written = block.text.get(mark.range.clone()).unwrap_or_default();
            let has_notes = !self.doc.notes.is_empty();
            if is_lost(self.lists, &mark, written, &block.text, has_notes) {
                self.lost.push((block.at(place), written.to_owned()));
            }
            found.extend(self.numbered(&mark.numbers, &mark.range, block.at(place)));
        }
        found
    }

    /// What the entries with these numbers cite.
    fn numbered(&mut self, numbers: &[usize], span: &Range<usize>, at: usize) -> Vec<Spot> {
        let entries = numbers.iter().filter_map(|one| self.lists.entry(*one, at));
        let entries: Vec<usize> = entries.collect();
        self.used.extend(&entries);
        self.lists.cited(&entries, span, at)
    }
}

/// The words of the links of a block.
fn linked(block: &Block) -> Spans {
    Spans::new(block.links.iter().map(|link| link.words.clone()).collect())
}

/// Links and URLs of a block.
fn own_spots(block: &Block, options: ReadOptions) -> Vec<Spot> {
    let mut found: Vec<Spot> = Vec::new();
    for link in &block.links {
        let words = block.text.get(link.words.clone()).unwrap_or_default();
        let is_bare = words == link.url || is_web(words) && !words.contains(' ');
        let Some(url) = target(&link.url, options) else {
            continue;
        };
        if block.is_code(link.words.start) && !options.include_code && !words.is_empty() && is_bare
        {
            continue;
        }
        found.push(Spot {
            span: link.words.clone(),
            at: link.at,
            url,
            title: Some(words.trim().to_owned()).filter(|words| !words.is_empty() && !is_bare),
            by: match () {
                () if link.is_number => By::Mark,
                () if is_bare => By::Url,
                () => By::Link,
            },
        });
    }
    let linked = linked(block);
    for (range, url) in places(&block.text, options) {
        let is_read = options.include_code || !block.is_code(range.start);
        if is_read && !linked.covers(range.start) {
            found.push(Spot {
                at: block.at(range.start),
                span: range,
                url: target(&url, options).unwrap_or(url),
                title: None,
                by: By::Url,
            });
        }
    }
    found.sort_by_key(|spot| spot.span.start);
    found
}

/// Where a link leads, if that is the web or an identifier.
pub(super) fn target(url: &str, options: ReadOptions) -> Option<String> {
    let url = as_browsed(url);
    if is_web(&url) {
        // `<…>` around a target allows blanks in it, as browsers do.
        let url = url.replace(' ', "%20");
        return Some(unwrapped(&url).unwrap_or(url));
    }
    let (place, found) = identifiers_in(&url).into_iter().next()?;
    (options.identifiers && place.start == 0).then_some(found)
}

/// A web address as a browser reads it: without tabs and ends of lines, and with a scheme and
/// slashes where it lacks them (`//host/path`, `http:\\host`).
fn as_browsed(url: &str) -> String {
    let url = url.trim().replace(['\t', '\n', '\r'], "");
    let slashed = url.replace('\\', "/");
    let is_hosted = slashed
        .strip_prefix("//")
        .is_some_and(|host| host.contains('.'));
    let is_http = slashed
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("http"));
    match () {
        () if is_hosted => format!("https:{slashed}"),
        () if slashed != url && is_http => Url::parse(&slashed).map_or(url, String::from),
        () => url,
    }
}

fn is_web(url: &str) -> bool {
    let start = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    ["http://", "https://", "www."]
        .iter()
        .any(|scheme| start.starts_with(scheme))
}

fn marks_of(block: &Block) -> Vec<Mark> {
    if block.kind == Kind::Code {
        return Vec::new();
    }
    marks::find(&block.text)
}

/// Which blocks are notes that something uses.
struct Notes<'d> {
    doc: &'d Doc,
    /// The blocks of notes, with those in them.
    inside: HashSet<usize>,
}

impl<'d> Notes<'d> {
    fn of(doc: &'d Doc) -> Self {
        let mut notes = Self {
            doc,
            inside: HashSet::new(),
        };
        let mut own: HashSet<usize> = HashSet::new();
        for (number, block) in doc.blocks.iter().enumerate() {
            let names = block
                .pointers
                .iter()
                .filter_map(|pointer| pointer.name.as_ref());
            own.extend(names.filter_map(|name| notes.get(name, number)));
            own.extend((block.kind == Kind::Note).then_some(number));
        }
        notes.inside = own.iter().flat_map(|at| doc.inside(*at)).collect();
        notes
    }

    /// The note of a name; an element that comes before its use is where the use came from.
    fn get(&self, name: &str, user: usize) -> Option<usize> {
        let own = *self.doc.notes.get(name)?;
        let is_note = self.doc.blocks.get(own)?.kind == Kind::Note;
        (is_note || own > user).then_some(own)
    }

    fn is_note(&self, block: usize) -> bool {
        self.inside.contains(&block)
    }
}

/// Whether a mark has a number that no entry of the document's lists has.
/// An index (`a_b[7]`) and a range from zero are not marks.
fn is_lost(lists: &Lists, mark: &Mark, written: &str, text: &str, has_notes: bool) -> bool {
    let is_known = mark.numbers.iter().all(|number| lists.knows(*number));
    if mark.is_faint || is_known || mark.numbers.contains(&0) {
        return false;
    }
    let is_note = written.contains('^') && has_notes;
    (lists.is_numbered() || is_note) && !is_index(text, mark.range.start)
}

/// Whether the brackets that begin here are glued to a name: `a_b[7]`.
fn is_index(text: &str, at: usize) -> bool {
    const NAME_MAX: usize = 64;
    let start = text.floor_char_boundary(at.saturating_sub(NAME_MAX));
    let head = text.get(start..at).unwrap_or_default();
    let glued = head
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .trim_start_matches(['(', '"']);
    glued.contains(['_', '=', '$']) || glued.chars().count() == 1
}

/// The citations that were found, each with its place in the file.
#[derive(Default)]
struct Found(Placed);

impl Found {
    fn add(&mut self, spot: &Spot, claim: Claim) {
        let is_little = claim.text.as_deref().is_some_and(str::is_empty);
        let text = claim.text.filter(|_| !is_little);
        let title = spot.title.as_deref().filter(|_| !is_little);
        let entry = text.is_none().then(|| SourceEntry {
            words: title.unwrap_or_default().into(),
            is_certain: !is_little,
        });
        self.push(spot.at, &spot.url, spot.title.clone(), entry);
        if let Some((_, last)) = self.0.last_mut() {
            last.claim = text;
            last.firm = claim.firm;
            last.part = claim.part;
        }
    }

    /// An entry that nothing points to, placed where it is.
    fn entry(&mut self, entry: &Entry) {
        for (at, url) in &entry.urls {
            let own = SourceEntry {
                words: Arc::clone(&entry.words),
                is_certain: entry.is_certain,
            };
            self.push(*at, url, entry.title.clone(), Some(own));
        }
    }

    /// A note that is not used is bound to nothing.
    fn unused_notes(&mut self, doc: &Doc, notes: &Notes<'_>, options: ReadOptions) {
        let names = doc.blocks.iter().flat_map(|block| &block.pointers);
        let names: HashSet<&str> = names
            .filter_map(|pointer| pointer.name.as_deref())
            .collect();
        let used = doc
            .notes
            .iter()
            .filter(|(name, _)| names.contains(name.as_str()));
        let used: HashSet<usize> = used.flat_map(|(_, own)| doc.inside(*own)).collect();
        for (number, block) in doc.blocks.iter().enumerate() {
            if used.contains(&number) || !notes.is_note(number) {
                continue;
            }
            let spots = own_spots(block, options);
            let whole = 0..block.text.len();
            let words: Arc<str> = claims::entry_words(&block.text, &whole, &spots).into();
            for spot in spots {
                let own = SourceEntry {
                    is_certain: names_source(&words),
                    words: Arc::clone(&words),
                };
                self.push(spot.at, &spot.url, None, Some(own));
            }
        }
    }

    fn push(&mut self, at: usize, url: &str, title: Option<String>, entry: Option<SourceEntry>) {
        let mention = Mention {
            title,
            entry,
            ..Mention::of(url.to_owned())
        };
        self.0.push((at, mention));
    }
}
