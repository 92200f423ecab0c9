//! Lists of sources: where they are, their entries, and which mark points to
//! which entry.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::bind::{By, Spot};
use super::claims::{entry_words, in_brackets};
use super::doc::{Block, Doc, Kind};
use super::marks::{self, Mark};
use super::shape::{behind_title, is_entry, is_title, names_source};
use crate::pattern::pattern;

pattern! {
    /// The number in front of an entry: `[1]` and its kin, a word with a number, `1.`
    NUMBERED,
    concat!(
            r"^[\s*_-]*(?:\[\[?\^?([0-9]{1,3}|[A-Z][0-9]{1,3})\]?\]:?|【([0-9]{1,3})】|\^([0-9]{1,3})\^?|<sup>\[?([0-9]{1,3})\]?</sup>|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})[:.)]?",
            r"|(?i:\[?(?:source|reference|ref\.?|citation|footnote|endnote|quelle)\s+(?:no\.?\s*|#)?)\[?([0-9]{1,3})\]?\s?[:.)\]–—-]?",
            r"|\(?([0-9]{1,3})(?:[.)]|:)|#?([0-9]{1,3})\s*[-–—=]?\s+(?:https?://|www\.))"
        )
}
/// The group of [`NUMBERED`] with the form that is no mark by itself.
const ORDINAL: usize = 7;
/// The group with a number before a URL.
const BARE: usize = 8;
pattern! {
    /// `1 Title`, as plain text has it.
    COUNTED, r#"^\s*([0-9]{1,3})\s+[\p{L}"“\[<]"#
}
pattern! {
    /// Another entry on the same line.
    NEXT, r"(?:\[\^?([0-9]{1,3})\]|\s([0-9]{1,3})[.)])(?::|\s)"
}

/// One entry of a list of sources.
pub(super) struct Entry {
    number: Option<usize>,
    /// Where it begins in the file.
    at: usize,
    /// The block that it is in.
    pub(super) block: usize,
    pub(super) urls: Vec<(usize, String)>,
    pub(super) title: Option<String>,
    /// What it says, without its number and its URL.
    pub(super) words: Arc<str>,
    /// Heading or form leave no doubt that it is one.
    pub(super) is_certain: bool,
}

/// The lists of a document.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) entries: Vec<Entry>,
    by_number: HashMap<usize, Vec<usize>>,
    /// Numbers of all entries, also of those without a URL.
    known: HashSet<usize>,
    /// For each block what of it is entries.
    listed: HashMap<usize, Vec<Range<usize>>>,
}

/// A piece of a block that may be an entry.
struct Piece {
    block: usize,
    range: Range<usize>,
    number: Option<usize>,
    /// It begins with `[1]` or the like, the mark of a source wherever it is.
    is_mark: bool,
}

impl Lists {
    /// Reads the lists of a document.
    pub(super) fn of(doc: &Doc, spots: &[Vec<Spot>], marks: &[Vec<Mark>]) -> Self {
        let mut lists = Self::default();
        let cited = cited(doc, marks);
        let mut section: Option<u8> = None;
        let title = document_title(doc);
        let mut uncounted = 0;
        for (number, block) in doc.blocks.iter().enumerate() {
            let own = spots.get(number).map(Vec::as_slice).unwrap_or_default();
            if let Kind::Heading(level) = block.kind {
                if is_title(&block.text) && title != Some(number) {
                    section = Some(level);
                } else if section.is_some_and(|list| level <= list) {
                    section = None;
                }
                continue;
            }
            if own.is_empty() && is_title(summary(&block.text)) {
                section = section.or(Some(7));
                continue;
            }
            if matches!(block.kind, Kind::Note | Kind::Code) || block.cell.is_some() {
                continue;
            }
            let is_listed = section.is_some() || is_title(first_line(block));
            for piece in pieces(block, number, own, is_listed) {
                let urls: Vec<&Spot> = spots_in(doc, spots, &piece);
                let is_cited = piece.number.is_some_and(|number| {
                    let first = cited.get(&number);
                    first.is_some_and(|at| *at < block.at(piece.range.start))
                });
                lists.add(block, &piece, &urls, is_listed, is_cited);
                uncounted += usize::from(is_listed && urls.is_empty());
            }
        }
        lists.rows(doc, spots, &cited);
        let defined = doc.defined.iter();
        for (number, at, url) in defined {
            lists.known.insert(*number);
            lists.push(Entry {
                number: Some(*number),
                at: *at,
                block: usize::MAX,
                urls: vec![(*at, url.clone())],
                title: None,
                words: "".into(),
                is_certain: true,
            });
        }
        // exports of documents lose the numbers of their only list
        if lists.known.is_empty() && uncounted == 0 && section.is_some() {
            lists.by_number = (0..lists.entries.len())
                .map(|at| (at + 1, vec![at]))
                .collect();
        }
        lists
    }

    /// Adds a piece, if it is an entry of a list.
    fn add(
        &mut self,
        block: &Block,
        piece: &Piece,
        urls: &[&Spot],
        is_listed: bool,
        is_cited: bool,
    ) {
        if urls.is_empty() {
            let is_known = is_listed || piece.is_mark;
            self.known.extend(piece.number.filter(|_| is_known));
            return;
        }
        let text = block.text.get(piece.range.clone()).unwrap_or_default();
        let own: Vec<Spot> = urls.iter().map(|spot| (*spot).clone()).collect();
        let start = piece.range.start + NUMBERED.find(text).map_or(0, |sign| sign.len());
        let words = entry_words(&block.text, &(start..piece.range.end), &own);
        let first = own.first();
        let is_behind = first.is_some_and(|spot| in_brackets(&block.text, spot));
        let names = is_entry(&words, is_behind);
        let is_stated = is_behind && !names;
        let is_entry = match () {
            () if is_listed => !is_stated || piece.is_mark,
            () if piece.is_mark => true,
            () => names || is_cited && !is_stated && piece.number.is_some(),
        };
        if !is_entry {
            return;
        }
        self.known.extend(piece.number);
        self.listed
            .entry(piece.block)
            .or_default()
            .push(piece.range.clone());
        let title = own.iter().find_map(|spot| spot.title.clone());
        self.push(Entry {
            number: piece.number,
            at: block.at(piece.range.start),
            block: piece.block,
            urls: own.iter().map(|spot| (spot.at, spot.url.clone())).collect(),
            title: title.filter(|title| marks::number(title).is_none()),
            is_certain: (is_listed || names) && names_source(&words),
            words: words.into(),
        });
    }

    /// Rows of tables whose first cell is a number that the text cites.
    fn rows(&mut self, doc: &Doc, spots: &[Vec<Spot>], cited: &HashMap<usize, usize>) {
        for table in &doc.tables {
            for row in table.rows.iter().skip(table.heads) {
                let cells: Vec<(usize, &Block)> = row
                    .iter()
                    .filter_map(|at| Some((*at, doc.blocks.get(*at)?)))
                    .collect();
                let Some((own, first)) = cells.first() else {
                    continue;
                };
                let number = first.text.trim().trim_matches(['[', ']', '.']);
                let number = marks::number(number).filter(|number| cited.contains_key(number));
                let urls: Vec<(usize, String)> = row
                    .iter()
                    .filter_map(|at| spots.get(*at))
                    .flatten()
                    .map(|spot| (spot.at, spot.url.clone()))
                    .collect();
                if number.is_none() || urls.is_empty() {
                    continue;
                }
                self.known.extend(number);
                let words: Vec<&str> = cells.iter().map(|(_, cell)| cell.text.trim()).collect();
                for (at, cell) in &cells {
                    self.listed.entry(*at).or_default().push(0..cell.text.len());
                }
                self.push(Entry {
                    number,
                    at: first.at(0),
                    block: *own,
                    urls,
                    title: None,
                    words: words.join(" ").into(),
                    is_certain: true,
                });
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        if let Some(number) = entry.number {
            let own = self.entries.len();
            self.by_number.entry(number).or_default().push(own);
        }
        self.entries.push(entry);
    }

    /// Whether a place of a block is in an entry.
    pub(super) fn covers(&self, block: usize, place: usize) -> bool {
        let own = self.listed.get(&block).map(Vec::as_slice);
        let own = own.unwrap_or_default();
        let next = own.partition_point(|range| range.start <= place);
        let last = next.checked_sub(1).and_then(|last| own.get(last));
        last.is_some_and(|range| place <= range.end)
    }

    pub(super) fn is_numbered(&self) -> bool {
        !self.by_number.is_empty()
    }

    pub(super) fn knows(&self, number: usize) -> bool {
        self.known.contains(&number) || self.by_number.contains_key(&number)
    }

    /// Entries with a URL.
    pub(super) fn with_url<'l>(&'l self, url: &'l str) -> impl Iterator<Item = usize> + 'l {
        let all = self.entries.iter().enumerate();
        let own = all.filter(move |(_, entry)| entry.urls.iter().any(|(_, known)| known == url));
        own.map(|(at, _)| at)
    }

    /// The entry that a number at this place points to: in the next list that
    /// has it, else in the last one before.
    pub(super) fn entry(&self, number: usize, at: usize) -> Option<usize> {
        let same = self.by_number.get(&number)?;
        let start = |place: &&usize| self.entries.get(**place).map_or(0, |entry| entry.at);
        let next = same
            .iter()
            .filter(|place| start(place) >= at)
            .min_by_key(start);
        next.or_else(|| same.iter().max_by_key(start)).copied()
    }

    /// What a mark cites: each URL of the entries that it points to.
    pub(super) fn cited(&self, entries: &[usize], span: &Range<usize>, at: usize) -> Vec<Spot> {
        let entries = entries.iter().filter_map(|one| self.entries.get(*one));
        let urls = entries.flat_map(|entry| entry.urls.iter().map(move |(_, url)| (entry, url)));
        let spot = |(entry, url): (&Entry, &String)| Spot {
            span: span.clone(),
            at,
            url: url.clone(),
            title: entry.title.clone(),
            by: By::Mark,
        };
        urls.map(spot).collect()
    }
}

/// Where each number first occurs as a mark that begins no line.
fn cited(doc: &Doc, marks: &[Vec<Mark>]) -> HashMap<usize, usize> {
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (block, marks) in doc.blocks.iter().zip(marks) {
        let round = marks::in_round_brackets(&block.text);
        for mark in marks.iter().chain(&round) {
            let head = block.text.get(..mark.range.start).unwrap_or_default();
            let begins = head.is_empty() || head.ends_with('\n');
            for number in mark.numbers.iter().filter(|_| !begins) {
                let at = block.at(mark.range.start);
                let own = first.entry(*number).or_insert(at);
                *own = at.min(*own);
            }
        }
        for pointer in &block.pointers {
            for number in pointer.numbers.iter().filter(|_| pointer.place > 0) {
                first.entry(*number).or_insert(pointer.at);
            }
        }
    }
    first
}

/// The title of the whole document: nothing comes before it, and all other
/// headings lie below it.
fn document_title(doc: &Doc) -> Option<usize> {
    let level = |block: &Block| match block.kind {
        Kind::Heading(level) => Some(level),
        _ => None,
    };
    let own = doc.blocks.first().and_then(level)?;
    let mut others = doc.blocks.iter().skip(1).filter_map(level);
    others.all(|other| other > own).then_some(0)
}

fn first_line(block: &Block) -> &str {
    let (first, rest) = block.text.split_once('\n').unwrap_or_default();
    if rest.is_empty() { "" } else { first }
}

/// The words of a title without its colon.
fn summary(words: &str) -> &str {
    words.trim().trim_end_matches([':', '：'])
}

/// Cuts a block into what may be entries.
fn pieces(block: &Block, number: usize, spots: &[Spot], is_listed: bool) -> Vec<Piece> {
    let text = &block.text;
    let mut found: Vec<Piece> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.trim_end_matches('\n').len());
        at += line.len();
        if found.is_empty() && start == 0 && is_title(first_line(block)) {
            continue;
        }
        let start = start + behind_title(line).unwrap_or(0);
        let own = text.get(start..end).unwrap_or_default();
        let pointer = block.pointers.partition_point(|one| one.place < start);
        let pointer = block.pointers.get(pointer);
        let pointer = pointer.filter(|one| one.place == start);
        let pointer = pointer.and_then(|one| one.numbers.first().copied());
        let item = match block.kind {
            Kind::Item(item) if start == 0 => item,
            _ => None,
        };
        let marked = number_of(own, is_listed);
        let named = pointer.map(|number| (number, true)).or(marked);
        let named = named.or(item.map(|number| (number, false)));
        // under a title each line with a source of its own is an entry
        let has_url = found
            .last()
            .is_some_and(|last| last.range.start < start && !within(spots, &last.range).is_empty());
        let is_item = matches!(block.kind, Kind::Item(_));
        let is_new = found.is_empty() || named.is_some() || is_listed && has_url && !is_item;
        if let Some(last) = found.last_mut().filter(|_| !is_new) {
            last.range.end = end;
            continue;
        }
        let piece = Piece {
            block: number,
            range: start..end,
            number: named.map(|(number, _)| number),
            is_mark: named.is_some_and(|(_, is_mark)| is_mark),
        };
        found.extend(on_line(text, spots, piece));
    }
    found
}

/// The entries that are on one line, each behind a source of the one before.
fn on_line(text: &str, spots: &[Spot], mut piece: Piece) -> Vec<Piece> {
    let mut found = Vec::new();
    while let Some(next) = next_on_line(text, spots, &piece) {
        let behind = Piece {
            number: piece.number.map(|number| number + 1),
            range: next..piece.range.end,
            ..piece
        };
        piece.range.end = next;
        found.push(piece);
        piece = behind;
    }
    found.push(piece);
    found
}

fn next_on_line(text: &str, spots: &[Spot], piece: &Piece) -> Option<usize> {
    let wanted = piece.number? + 1;
    let own = text.get(piece.range.clone())?;
    let mut found = NEXT.captures_iter(own).filter_map(|form| {
        let number = form.get(1).or(form.get(2))?;
        let start = piece.range.start + form.get(0)?.start();
        (number.as_str().parse() == Ok(wanted)).then_some(start)
    });
    let inside = within(spots, &piece.range);
    let first = inside.first()?.span.end;
    let last = inside.last()?.span.start;
    found.find(|at| (first..last).contains(at))
}

/// The sources that begin in a range.
fn within<'s>(spots: &'s [Spot], range: &Range<usize>) -> &'s [Spot] {
    let start = spots.partition_point(|spot| spot.span.start < range.start);
    let end = spots.partition_point(|spot| spot.span.start < range.end);
    spots.get(start..end.max(start)).unwrap_or_default()
}

/// The number in front of an entry, and whether it is a mark wherever it is.
fn number_of(line: &str, is_listed: bool) -> Option<(usize, bool)> {
    if let Some(form) = NUMBERED.captures(line) {
        let group = (1..=BARE).find_map(|group| Some((group, form.get(group)?)));
        let (group, number) = group?;
        return Some((marks::number(number.as_str())?, group != ORDINAL));
    }
    let counted = COUNTED.captures(line).filter(|_| is_listed)?;
    Some((counted.get(1)?.as_str().parse().ok()?, false))
}

/// The sources of a piece, with those of paragraphs that an item holds besides.
fn spots_in<'s>(doc: &Doc, spots: &'s [Vec<Spot>], piece: &Piece) -> Vec<&'s Spot> {
    let own = spots.get(piece.block).map(Vec::as_slice);
    let range = piece.range.start..piece.range.end + 1;
    let mut found: Vec<&Spot> = within(own.unwrap_or_default(), &range).iter().collect();
    found.dedup_by(|next, one| next.url == one.url && next.span == one.span);
    if found.is_empty() {
        let inside = doc.inside(piece.block).skip(1);
        let paragraphs = inside.filter(|at| {
            let block = doc.blocks.get(*at);
            block.is_some_and(|block| block.kind == Kind::Paragraph)
        });
        found.extend(paragraphs.filter_map(|at| spots.get(at)).flatten());
    }
    found
}
