//! Lists of sources: where they are, their entries, and which mark points to
//! which entry.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crosscheck_judge::builtin;

use super::asides::without_description;
use super::lines::physical;
use super::marks;
use super::shape::{Shape, behind_title, has_author, is_title, is_title_of_links, shape};
use super::spans::Spans;
use super::structure::{DocumentParts, LINE_HEADING, Line};
use super::telling::{Telling, document_title, telling};
use crate::pattern::pattern;

pattern! {
    /// The number in front of an entry. 1 to 8: `[1]` and its kin, 9: `1.`, 10: a bullet, 11: the rest.
    NUMBERED,
    concat!(
            r"^\s*(?:>\s*)*(?:<a\s[^>]*>\s*(?:</a>)?\s*)?(?:[-*+•]\s+|<li[^>]*>\s*)?(?:\*\*|__)?",
            r"(?:\\?\[\^?([0-9]{1,3})\\?\](?:\*\*|__)?:?|【([0-9]{1,3})】|<sup>\[?([0-9]{1,3})\]?</sup>|\^([0-9]{1,3})\^?",
            r"|([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})[:.)]?|\[\\?\[([0-9]{1,3})\\?\]\]\(#[^)\s]*\)|\\?\[([A-Z][0-9]{1,3})\\?\]:?",
            r"|(?i:\[?(?:source|reference|ref\.?|citation|footnote|endnote|quelle)\s+(?:no\.?\s*|#)?)\\?\[?([0-9]{1,3})\\?\]?(?:\*\*|__)?\s?[:.)\]–—-]?(?:\*\*|__)?",
            r"|\(?([0-9]{1,3})(?:\\?[.)]|:)(?:\*\*|__)?|([-*+•]|<li[^>]*>))(\s.*|[\[<].*|https?://.*|)$"
        )
}
/// The groups of [`NUMBERED`].
const BRACKETS: [usize; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
const ORDINAL: usize = 9;
const REST: usize = 11;
pattern! {
    /// A number with nothing but a URL behind it.
    BARE, r"^\s*#?([0-9]{1,3})\s*[-–—=]?\s+<?(?:https?://|www\.)"
}
pattern! {
    /// `1 Title`, as plain text has it.
    COUNTED, r#"^\s*([0-9]{1,3})\s+[\p{L}"“\[<]"#
}
pattern! {
    /// Another entry on the same line.
    NEXT, r"\\?\[\^?([0-9]{1,3})\\?\](?::|\s)"
}
pattern! {
    /// The same behind a URL: `1. https://… 2. https://…`.
    NEXT_ORDINAL, r"://\S+[;,]?\s+(([0-9]{1,3})[.)])\s"
}

/// Of entries with the same number so many are looked at on either side of a mark.
const NEAR: usize = 16;

/// A heading and what it heads.
struct Section {
    heading: Range<usize>,
    level: u8,
    /// It is the title of a list of sources.
    is_list: bool,
    /// It is the title of a list of links.
    is_links: bool,
    /// The section that it lies in.
    parent: Option<usize>,
    /// Where the next section of its level or above begins.
    end: usize,
}

/// One entry of a list of sources.
#[derive(Debug)]
pub(super) struct Item {
    /// Entries without a number are never cited.
    pub(super) number: Option<usize>,
    /// Where its lines are in the text.
    pub(super) range: Range<usize>,
    pub(super) urls: Vec<(usize, String)>,
    pub(super) title: Option<String>,
    /// Which list it belongs to, from 0.
    list: usize,
    /// Heading or form leave no doubt that it is an entry of a list of sources.
    pub(super) is_certain: bool,
}

/// The lists of a document.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) items: Vec<Item>,
    /// The part of the document that each list serves, and whether it counts from one.
    scopes: Vec<(Range<usize>, bool)>,
    by_number: HashMap<usize, Vec<usize>>,
    /// Numbers of all entries, also of those without a URL.
    known: HashSet<usize>,
    /// Below the title of a list, and perhaps no entries.
    pub(super) doubtful: Spans,
    /// The numbers are the places of the entries; the list itself has none.
    is_counted: bool,
}

/// How an entry begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// `[1]` and the like: the mark of a source wherever it is.
    Bracket,
    /// `1.`
    Ordinal,
    Bullet,
    /// A paragraph.
    Plain,
}

/// A piece that may be an entry.
struct Piece {
    start: Start,
    number: Option<usize>,
    range: Range<usize>,
    /// The heading above it, if that is the title of a list.
    heading: Option<usize>,
    /// Counts up where pieces do not belong together.
    run: usize,
}

/// A piece with its URLs and their places.
type Found<'p> = (&'p Piece, Vec<(usize, String)>);

fn with_urls<'p>(
    run: &'p [Piece],
    urls: &impl Fn(&Range<usize>) -> Vec<(usize, String)>,
) -> Vec<Found<'p>> {
    let found = run.iter().map(|piece| (piece, urls(&piece.range)));
    found.collect()
}

/// Reads the lists of a document. `urls` gives the URLs of a range; ranges
/// that `skip` covers hold no list.
/// `cited` says where a number first occurs as a mark.
pub(super) fn lists(
    text: &str,
    seen: &DocumentParts,
    cited: &HashMap<usize, usize>,
    skip: impl Fn(usize) -> bool,
    urls: impl Fn(&Range<usize>) -> Vec<(usize, String)>,
) -> Lists {
    let sections = sections(text, seen, &skip);
    let pieces = pieces(text, seen, &sections, &skip);
    let mut lists = Lists::default();
    let same = |one: &Piece, next: &Piece| one.run == next.run && one.heading == next.heading;
    let mut others: Vec<&[Piece]> = Vec::new();
    let titled = Titled::of(text, seen, &sections, cited);
    for run in pieces.chunk_by(same) {
        if !lists.add(text, run, &sections, &titled, &urls) {
            others.push(run);
        }
    }
    for run in others {
        // an author in front makes an entry, whatever is beside it
        let entries = run.iter().filter(|piece| {
            let own = text.get(piece.range.clone()).unwrap_or_default();
            own.contains("://") && shape(own, false) == Shape::Entry && has_author(own)
        });
        let entries = entries.map(|piece| piece.range.clone());
        lists.doubtful.0.extend(entries);
        lists.add_cited(text, run, &sections, cited, &urls);
    }
    for (at, item) in lists.items.iter().enumerate() {
        if let Some(number) = item.number {
            lists.by_number.entry(number).or_default().push(at);
        }
    }
    lists.doubtful = Spans::new(std::mem::take(&mut lists.doubtful.0));
    lists.count(&pieces);
    lists
}

/// Real headings, and lines that name a list of sources.
fn sections(text: &str, seen: &DocumentParts, skip: &impl Fn(usize) -> bool) -> Vec<Section> {
    let section = |heading: Range<usize>, level: u8| {
        let words = seen.read(text, &heading);
        Section {
            is_list: is_title(summary(&words)),
            is_links: is_title_of_links(summary(&words)),
            heading,
            level,
            parent: None,
            end: text.len(),
        }
    };
    let real = seen.headings.iter();
    let mut all: Vec<Section> = real
        .map(|one| section(one.range.clone(), one.level))
        .collect();
    let known = Spans::new(all.iter().map(|one| one.heading.clone()).collect());
    for line in physical(text) {
        let words = text.get(line.clone()).unwrap_or_default();
        let is_bold = || {
            let words = words.trim().trim_end_matches(':');
            let frame = words.starts_with("**") && words.ends_with("**");
            frame && words.len() < 100 && words.matches("**").count() == 2
        };
        let is_new = || !known.covers(line.start) && !skip(line.start);
        if (is_title(summary(words)) || is_bold()) && is_new() {
            all.push(section(line, LINE_HEADING));
        }
    }
    all.sort_by_key(|one| one.heading.start);
    let mut open: Vec<usize> = Vec::new();
    for at in 0..all.len() {
        let Some((level, start)) = all.get(at).map(|one| (one.level, one.heading.start)) else {
            continue;
        };
        while let Some(last) =
            open.pop_if(|last| all.get(*last).is_some_and(|one| one.level >= level))
        {
            if let Some(one) = all.get_mut(last) {
                one.end = start;
            }
        }
        if let Some(one) = all.get_mut(at) {
            one.parent = open.last().copied();
        }
        open.push(at);
    }
    all
}

/// The words of a heading that can be folded: `<summary>Sources</summary>`.
fn summary(words: &str) -> &str {
    words.split_once("<summary>").map_or(words, |(_, title)| {
        title.split_once('<').map_or(title, |(title, _)| title)
    })
}

/// Cuts a text into what may be entries.
fn pieces(
    text: &str,
    seen: &DocumentParts,
    sections: &[Section],
    skip: &impl Fn(usize) -> bool,
) -> Vec<Piece> {
    let lines: Vec<Line> = match &seen.lines {
        Some(lines) => lines
            .iter()
            .map(|line| Line {
                range: line.range.clone(),
                number: line.number,
            })
            .collect(),
        None => physical(text)
            .map(|range| Line {
                range,
                number: None,
            })
            .collect(),
    };
    let mut cutter = Cutter {
        text,
        own_lines: seen.lines.is_some(),
        found: Vec::new(),
        run: 0,
        open: false,
        blank: true,
        has_url: false,
    };
    let mut next = 0;
    let mut own: Option<usize> = None;
    for line in lines {
        while let Some(section) = sections
            .get(next)
            .filter(|one| one.heading.start <= line.range.start)
        {
            own = Some(next);
            next += 1;
            cutter.stop();
            if section.heading.contains(&line.range.start) {
                break;
            }
        }
        let above = own.and_then(|own| sections.get(own));
        if above.is_some_and(|above| above.heading.contains(&line.range.start)) {
            continue;
        }
        let heading = list_above(sections, own);
        let words = text.get(line.range.clone()).unwrap_or_default();
        let first = line.range.start + words.len() - words.trim_start().len();
        if skip(first) {
            cutter.stop();
        } else {
            cutter.line(&line, words, heading);
        }
    }
    cutter.found
}

/// The title of a list of sources that a section lies under.
fn list_above(sections: &[Section], mut own: Option<usize>) -> Option<usize> {
    while let Some(section) = own.and_then(|own| sections.get(own)) {
        if section.is_list {
            return own;
        }
        own = section.parent;
    }
    None
}

/// Joins lines to pieces.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing known about the line before"
)]
struct Cutter<'t> {
    text: &'t str,
    /// The format says where a line ends.
    own_lines: bool,
    found: Vec<Piece>,
    run: usize,
    /// The last piece may go on.
    open: bool,
    /// The line before was blank.
    blank: bool,
    /// The last piece holds a URL.
    has_url: bool,
}

impl Cutter<'_> {
    /// What follows belongs to another run.
    fn stop(&mut self) {
        self.open = false;
        self.blank = true;
        self.run += 1;
    }

    fn line(&mut self, line: &Line, words: &str, heading: Option<usize>) {
        if words.trim().is_empty() {
            self.open = false;
            self.blank = true;
            return;
        }
        let is_rule = words
            .trim()
            .chars()
            .all(|c| matches!(c, '-' | '*' | '_' | '='));
        if is_rule {
            return self.stop();
        }
        if let Some(at) = behind_title(words) {
            let range = line.range.start + at..line.range.end;
            let number = line.number;
            let words = words.get(at..).unwrap_or_default();
            return self.line(&Line { range, number }, words, heading);
        }
        let is_indented = words.starts_with([' ', '\t']);
        let has_url = words.contains("://") || words.contains("www.") || words.contains("10.");
        let marked = start_of(words, heading.is_some())
            .or(line.number.map(|number| (Start::Ordinal, Some(number))));
        match marked {
            Some((start, number)) => {
                let is_other = self.found.last().is_some_and(|last| {
                    last.start != start && !(is_list(last.start) && is_list(start))
                });
                self.run += usize::from(is_other && heading.is_none());
                let number = line.number.or(number);
                self.push(line.range.clone(), start, number, heading);
                self.has_url = has_url;
            }
            // The entry goes on: in a list of sources, or where the line is set in.
            None if self.open && !self.own_lines && self.continues(heading, is_indented) => {
                if let Some(last) = self.found.last_mut() {
                    last.range.end = line.range.end;
                }
                self.has_url |= has_url;
            }
            None => {
                let after_list = self
                    .found
                    .last()
                    .is_some_and(|last| last.start != Start::Plain);
                self.run += usize::from((after_list || !self.blank) && heading.is_none());
                self.push(line.range.clone(), Start::Plain, None, heading);
                self.has_url = has_url;
            }
        }
        self.open = true;
        self.blank = false;
    }

    fn continues(&self, heading: Option<usize>, is_indented: bool) -> bool {
        let Some(last) = self.found.last() else {
            return false;
        };
        match last.start {
            Start::Plain => heading.is_none() || !self.has_url || is_indented,
            _ => heading.is_some() || is_indented,
        }
    }

    /// Adds a piece; several entries on one line are several pieces.
    fn push(
        &mut self,
        range: Range<usize>,
        start: Start,
        number: Option<usize>,
        heading: Option<usize>,
    ) {
        // `1.` in front of every entry counts up by itself.
        let before = self
            .found
            .last()
            .filter(|last| last.run == self.run && last.start == start);
        let number = match (number, before.and_then(|last| last.number)) {
            (Some(1), Some(last)) if start == Start::Ordinal => Some(last + 1),
            _ => number,
        };
        let mut piece = Piece {
            start,
            number,
            range,
            heading,
            run: self.run,
        };
        if start == Start::Bracket || start == Start::Ordinal && heading.is_some() {
            while let Some(at) = self.next_on_line(&piece) {
                let next = Piece {
                    number: piece.number.map(|number| number + 1),
                    range: at..piece.range.end,
                    ..piece
                };
                piece.range.end = at;
                self.found.push(piece);
                piece = next;
            }
        }
        self.found.push(piece);
    }

    /// Where the entry with the next number begins, behind a URL of this one.
    fn next_on_line(&self, piece: &Piece) -> Option<usize> {
        let own = self.text.get(piece.range.clone())?;
        if piece.start == Start::Ordinal {
            let next = NEXT_ORDINAL.captures(own)?;
            let at = next.get(1)?.start();
            let is_next = next.get(2)?.as_str().parse().ok() == piece.number.map(|last| last + 1);
            let has_url = own.get(at..)?.contains("://");
            return (is_next && has_url).then_some(piece.range.start + at);
        }
        let url = own.find("://")?;
        let marks = NEXT.captures_iter(own);
        let mut behind =
            marks.filter_map(|mark| Some((mark.get(0)?.start(), mark.get(1)?.as_str())));
        let (at, _) = behind.find(|(at, number)| {
            *at > url && number.parse().ok() == piece.number.map(|number| number + 1)
        })?;
        Some(piece.range.start + at)
    }
}

const fn is_list(start: Start) -> bool {
    matches!(start, Start::Ordinal | Start::Bullet)
}

fn start_of(words: &str, under_heading: bool) -> Option<(Start, Option<usize>)> {
    if let Some(parts) = NUMBERED.captures(words) {
        let number = |group: usize| marks::number(parts.get(group)?.as_str());
        let bracket = BRACKETS.into_iter().find_map(number);
        return match (bracket, number(ORDINAL)) {
            (Some(number), _) => Some((Start::Bracket, Some(number))),
            (None, Some(number)) => Some((Start::Ordinal, Some(number))),
            (None, None) => Some((Start::Bullet, None)),
        };
    }
    if !under_heading {
        if words.contains("://")
            && let Some(number) = number_of_row(words)
        {
            return Some((Start::Ordinal, Some(number)));
        }
        let bare = BARE.captures(words)?;
        return Some((Start::Ordinal, marks::number(bare.get(1)?.as_str())));
    }
    // the row of a table
    if words.trim_start().starts_with('|') {
        return Some((Start::Bracket, Some(number_of_row(words)?)));
    }
    let counted = COUNTED.captures(words)?;
    let number = counted.get(1)?.as_str().parse().ok()?;
    Some((Start::Ordinal, Some(number)))
}

/// The number in the first cell of the row of a table.
fn number_of_row(words: &str) -> Option<usize> {
    let cell = words.trim_start().strip_prefix('|')?;
    let (number, _) = cell.split_once('|')?;
    let number = number.trim().trim_matches(['[', ']', '.', '\\']);
    let is_short = number.len() <= 3 && number.starts_with(|c: char| c.is_ascii_digit());
    number.parse().ok().filter(|_| is_short)
}

/// Looks at what is below titles of lists.
struct Titled<'t> {
    text: &'t str,
    seen: &'t DocumentParts,
    cited: &'t HashMap<usize, usize>,
    /// The place among the sections of the title of the document.
    document: Option<usize>,
}

impl<'t> Titled<'t> {
    fn of(
        text: &'t str,
        seen: &'t DocumentParts,
        sections: &[Section],
        cited: &'t HashMap<usize, usize>,
    ) -> Self {
        let title = document_title(text, seen).map(|title| &title.range);
        Self {
            text,
            seen,
            cited,
            document: sections.iter().position(|one| Some(&one.heading) == title),
        }
    }

    /// Leaves out what tells something; returns what may do so.
    fn without_sentences(&self, found: &mut Vec<Found<'_>>) -> Vec<Range<usize>> {
        let mut doubtful = Vec::new();
        // where a sentence is left out, and what it was
        let mut last: Option<(usize, Telling)> = None;
        found.retain(|(piece, urls)| {
            let kind_of = match last.filter(|(end, _)| self.goes_on(*end, piece)) {
                Some((_, kind_of)) => kind_of,
                None if urls.is_empty() => Telling::Entry,
                None => self.kind_of(piece),
            };
            last = (kind_of != Telling::Entry).then_some((piece.range.end, kind_of));
            if kind_of == Telling::Doubtful {
                doubtful.push(piece.range.clone());
            }
            kind_of == Telling::Entry
        });
        doubtful
    }

    fn kind_of(&self, piece: &Piece) -> Telling {
        let first = piece.number.and_then(|number| self.cited.get(&number));
        let is_cited = first.is_some_and(|at| !piece.range.contains(at));
        let is_prose = piece.heading == self.document;
        let is_bracket = piece.start == Start::Bracket;
        if piece.heading.is_none() || is_cited || is_bracket && !is_prose {
            return Telling::Entry;
        }
        match telling(self.text, self.seen, &piece.range, is_prose) {
            Telling::Sentence if is_bracket => Telling::Doubtful,
            kind_of => kind_of,
        }
    }

    /// Whether a piece goes on with the sentence of the line before it.
    fn goes_on(&self, end: usize, piece: &Piece) -> bool {
        let between = self.text.get(end..piece.range.start).unwrap_or_default();
        let own = self.text.get(piece.range.clone()).unwrap_or_default();
        let is_new = own.trim_start().starts_with(char::is_uppercase);
        piece.start == Start::Plain && between.matches('\n').count() < 2 && !is_new
    }
}

impl Lists {
    /// Adds a run of pieces, if it is a list of sources.
    fn add(
        &mut self,
        text: &str,
        run: &[Piece],
        sections: &[Section],
        titled: &Titled<'_>,
        urls: &impl Fn(&Range<usize>) -> Vec<(usize, String)>,
    ) -> bool {
        let mut found = with_urls(run, urls);
        let brackets = run.iter().filter(|piece| piece.start == Start::Bracket);
        self.known.extend(brackets.filter_map(|piece| piece.number));
        let Some(is_certain) = certainty(text, &found, sections) else {
            return false;
        };
        self.known
            .extend(run.iter().filter_map(|piece| piece.number));
        let doubtful = titled.without_sentences(&mut found);
        self.doubtful.0.extend(doubtful);
        self.push(text, found, sections, is_certain);
        true
    }

    /// Adds a run of numbered pieces whose numbers come before it as marks, and
    /// that no list has.
    fn add_cited(
        &mut self,
        text: &str,
        run: &[Piece],
        sections: &[Section],
        cited: &HashMap<usize, usize>,
        urls: &impl Fn(&Range<usize>) -> Vec<(usize, String)>,
    ) {
        let start = run.first().map_or(0, |first| first.range.start);
        let is_row = |piece: &Piece| {
            let own = text.get(piece.range.clone()).unwrap_or_default();
            own.trim_start().starts_with('|')
        };
        let is_cited = |piece: &Piece| {
            let at = piece.number.and_then(|number| cited.get(&number));
            at.is_some_and(|at| *at < start)
        };
        let is_free = |piece: &Piece| {
            let number = piece.number.filter(|_| piece.start == Start::Ordinal);
            number.is_some_and(|number| !self.known.contains(&number))
        };
        // of a table some rows may be cited, of a list all entries are
        let are_cited =
            run.iter().all(is_cited) || run.iter().any(is_cited) && run.iter().all(is_row);
        if !are_cited || !run.iter().all(is_free) {
            return;
        }
        let found = with_urls(run, urls);
        let is_entry = |(piece, urls): &Found<'_>| {
            let own = text.get(piece.range.clone()).unwrap_or_default();
            distinct(urls) == 1 && (is_row(piece) || shape(own, false) != Shape::Claim)
        };
        if found.iter().all(is_entry) {
            self.known
                .extend(run.iter().filter_map(|piece| piece.number));
            self.push(text, found, sections, Some(true));
        }
    }

    /// Adds the entries of a list; without a certainty only those with `[1]`.
    fn push(
        &mut self,
        text: &str,
        found: Vec<Found<'_>>,
        sections: &[Section],
        is_certain: Option<bool>,
    ) {
        let heading = found.first().and_then(|(piece, _)| piece.heading);
        let list = self.scopes.len();
        let before = self.items.len();
        for (piece, urls) in found {
            let is_entry = piece.start == Start::Bracket || is_certain.is_some();
            if urls.is_empty() || !is_entry {
                continue;
            }
            let own = text.get(piece.range.clone()).unwrap_or_default();
            self.items.push(Item {
                number: piece.number,
                range: piece.range.clone(),
                title: title(own),
                urls,
                list,
                is_certain: is_certain.unwrap_or(true),
            });
        }
        if self.items.len() > before {
            let is_first = |item: &Item| item.number == Some(1);
            let counts = self
                .items
                .get(before..)
                .is_some_and(|own| own.iter().any(is_first));
            self.scopes.push((scope(text, sections, heading), counts));
        }
    }

    /// Counts the entries of the only list, where it has a title and no number
    /// and each of them has a URL: exports of documents lose the numbers.
    fn count(&mut self, pieces: &[Piece]) {
        let listed = pieces.iter().filter(|piece| piece.heading.is_some());
        let is_whole = self.scopes.len() == 1 && listed.count() == self.items.len();
        if is_whole && self.by_number.is_empty() && self.known.is_empty() {
            self.is_counted = true;
            self.by_number = (0..self.items.len()).map(|at| (at + 1, vec![at])).collect();
        }
    }

    /// The places of all entries.
    pub(super) fn spans(&self) -> Spans {
        Spans::new(self.items.iter().map(|item| item.range.clone()).collect())
    }

    /// The entry that a number at this place points to: in the list of its
    /// section, else in the next list, else in the one before.
    pub(super) fn entry(&self, number: usize, at: usize) -> Option<usize> {
        let same = self.by_number.get(&number)?;
        let start = |place: &usize| self.items.get(*place).map_or(0, |item| item.range.start);
        let behind = same.partition_point(|place| start(place) < at);
        let near = same.get(behind.saturating_sub(NEAR)..same.len().min(behind + NEAR))?;
        let serves = |item: &Item| {
            self.scopes
                .get(item.list)
                .filter(|(scope, _)| scope.contains(&at))
        };
        let distance = |place: &&usize| {
            let item = self.items.get(**place);
            let size = item
                .and_then(serves)
                .map_or(usize::MAX, |(scope, _)| scope.len());
            (size, start(place) < at, start(place).abs_diff(at))
        };
        let nearest = *near.iter().min_by_key(distance)?;
        let item = self.items.get(nearest)?;
        if serves(item).is_none() {
            // A list of this section that counts from one without this number: the mark points nowhere.
            let restarts = self
                .scopes
                .get(item.list)
                .is_some_and(|(_, counts)| *counts);
            let near = self
                .scopes
                .iter()
                .skip(item.list.saturating_sub(NEAR))
                .take(2 * NEAR);
            let has_own = || {
                near.clone()
                    .any(|(scope, counts)| *counts && scope.contains(&at))
            };
            if restarts && has_own() {
                return None;
            }
        }
        Some(nearest)
    }

    /// Whether an entry has this number, be it without a URL.
    pub(super) fn knows(&self, number: usize) -> bool {
        self.known.contains(&number)
    }

    /// Whether there is an entry that a mark can point to.
    pub(super) fn is_numbered(&self) -> bool {
        !self.is_counted && !self.by_number.is_empty()
    }

    /// Whether any entry has this number.
    pub(super) fn has(&self, number: &str) -> bool {
        let number = number.trim_matches(['[', ']', '^', ' ']).parse().ok();
        !self.is_counted && number.is_some_and(|number| self.by_number.contains_key(&number))
    }
}

/// What a run of pieces is: none when it holds no entry at all; an inner none
/// when only its pieces that begin with `[1]` are entries; else whether there
/// is no doubt about it.
#[expect(clippy::option_option, reason = "three answers, read in one place")]
fn certainty(text: &str, found: &[Found<'_>], sections: &[Section]) -> Option<Option<bool>> {
    let first = found.first()?.0;
    let behind = sections.partition_point(|one| one.heading.start <= first.range.start);
    let above = behind.checked_sub(1).and_then(|at| sections.get(at));
    // there a figure describes what is linked
    let is_links = above.is_some_and(|above| above.is_links);
    let shapes = || {
        found.iter().map(|(piece, urls)| {
            let own = text.get(piece.range.clone()).unwrap_or_default();
            if urls.is_empty() {
                Shape::Claim
            } else {
                shape(own, !is_links && has_figure(own))
            }
        })
    };
    let heading = first.heading.and_then(|at| sections.get(at));
    if let Some(heading) = heading {
        // Below a line that only looks like a heading, prose is prose again.
        let is_real = heading.level < LINE_HEADING;
        let is_list = first.start != Start::Plain;
        if is_real || is_list || shapes().all(|shape| shape != Shape::Claim) {
            return Some(Some(true));
        }
        return None;
    }
    let brackets = found
        .iter()
        .any(|(piece, urls)| piece.start == Start::Bracket && !urls.is_empty());
    if brackets {
        return Some(None);
    }
    if found.iter().any(|(_, urls)| distinct(urls) != 1) {
        return None;
    }
    let is_numbered = first.start == Start::Ordinal;
    if is_numbered && found.iter().all(|(piece, _)| is_bare(text, piece)) {
        return Some(Some(true));
    }
    let is_alone = found.len() < 2;
    match (shapes().min()?, first.start) {
        (Shape::Entry, Start::Ordinal) => Some(Some(true)),
        _ if is_alone => None,
        (Shape::Entry, _) => Some(Some(true)),
        (Shape::Title, Start::Ordinal | Start::Bullet) => Some(Some(false)),
        _ => None,
    }
}

/// Whether nothing but a URL is behind the number of a piece.
fn is_bare(text: &str, piece: &Piece) -> bool {
    let own = text.get(piece.range.clone()).unwrap_or_default();
    BARE.is_match(own) || title(own).is_none() && own.split_whitespace().count() <= 2
}

fn distinct(urls: &[(usize, String)]) -> usize {
    let mut all: Vec<&str> = urls.iter().map(|(_, url)| url.as_str()).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

pattern! {
    /// What is around the words of a piece: its number, and URLs.
    AROUND,
    r"^\s*(?:[-*+•]\s+)?(?:\\?\[\^?[0-9]{1,3}\\?\]:?|\(?[0-9]{1,3}[.)])|\]\([^)\s]*\)|<?https?://[^\s)>\]]+>?"
}

/// Whether the words of a piece hold a figure that is not a year.
fn has_figure(written: &str) -> bool {
    let says = |words: &str| builtin::has_figure(&AROUND.replace_all(words, " "));
    // behind a link is what describes it
    let (link, rest) = written.split_at(written.find("](").unwrap_or(0));
    says(link) || says(&without_description(rest))
}

/// The part of the document a list serves: the section that its heading lies
/// in; without a heading everything.
fn scope(text: &str, sections: &[Section], heading: Option<usize>) -> Range<usize> {
    let own = heading.and_then(|at| sections.get(at));
    let parent = own.and_then(|own| sections.get(own.parent?));
    parent.map_or(0..text.len(), |parent| parent.heading.start..parent.end)
}

/// What is between the number of an entry and its URL.
fn title(own: &str) -> Option<String> {
    let line = own.lines().next().unwrap_or_default();
    let rest = match NUMBERED.captures(line) {
        Some(parts) => parts
            .get(REST)
            .map(|rest| rest.as_str())
            .unwrap_or_default(),
        None => line,
    };
    let cut = rest.find("](").or_else(|| {
        rest.find("://").map(|at| {
            rest.get(..at)
                .unwrap_or_default()
                .rfind("http")
                .unwrap_or(at)
        })
    });
    let head = rest.get(..cut.unwrap_or(rest.len())).unwrap_or_default();
    let title = head.trim_matches([
        ' ', '\t', '-', '—', '–', ':', '<', '(', '[', ']', '.', '"', '*', '_', '|', ',',
    ]);
    Some(title.to_owned()).filter(|title| !title.is_empty())
}
