//! HTML: documents, and pieces of it in Markdown.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crosscheck_fetch::text::tokens::{Token, tokens, unescape};

use super::claims::{Reads, last_char};
use super::grid::Layout;
use super::marks;
use super::markup::is_exponent;
use super::structure::{DocumentParts, Heading, Line, Link, Table, is_number};
use super::tree::BlockKind;

/// Their content is not read.
const DROPPED: &[&str] = &[
    "script", "style", "template", "svg", "title", "textarea", "select", "iframe", "object",
];
/// Their content is code.
const CODE: &[&str] = &["pre", "code", "kbd", "samp", "tt"];
/// They are inside a line of text; every other element ends a block.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i",
    "img", "ins", "kbd", "label", "mark", "noscript", "picture", "q", "ruby", "s", "samp", "small",
    "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "br",
    "input", "button", "svg",
];

/// Reads the structure of a document.
pub(super) fn parse(text: &str) -> DocumentParts {
    let mut seen = DocumentParts {
        lines: Some(Vec::new()),
        ..DocumentParts::default()
    };
    add(text, 0..text.len(), &mut seen);
    seen.sort();
    seen
}

/// Where the link of an opening tag leads.
pub(super) fn target(tag: &str) -> Option<String> {
    let (_, token) = tokens(tag).into_iter().next()?;
    match token {
        Token::Open { name, attributes } if name == "a" => value(&attributes, "href"),
        _ => None,
    }
}

fn value(attributes: &[(String, String)], wanted: &str) -> Option<String> {
    let found = attributes.iter().find(|(name, _)| name == wanted);
    found
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// Adds what a piece of HTML holds.
pub(super) fn add(text: &str, piece: Range<usize>, seen: &mut DocumentParts) {
    let html = text.get(piece.clone()).unwrap_or_default();
    let mut reader = Reader {
        text,
        seen,
        cursor: piece.start,
        tag: piece.start,
        block: None,
        line: None,
        lists: Vec::new(),
        holders: Vec::new(),
        number: None,
        dropped: None,
        code: None,
        link: None,
        raised: None,
        heading: None,
        table: None,
        ids: Vec::new(),
        uses: Vec::new(),
        notes: HashMap::new(),
    };
    for (range, token) in tokens(html) {
        reader.token(piece.start + range.start..piece.start + range.end, token);
    }
    reader.words(piece.end);
    reader.tag = piece.end;
    reader.end_block(piece.end);
    while !reader.holders.is_empty() {
        reader.let_go(piece.end);
    }
    reader.finish();
}

/// A link whose end was not seen yet.
struct Open {
    start: usize,
    words: usize,
    url: String,
}

/// A table whose end was not seen yet.
#[derive(Default)]
struct OpenTable {
    layout: Layout,
    /// How many rows the head has.
    heads: usize,
    /// The row has cells, and all of them head their columns.
    is_head: bool,
    /// Where the cell begins that is open, and how many columns and rows it spans.
    cell: Option<(usize, usize, usize)>,
}

impl OpenTable {
    fn end_cell(&mut self, end: usize) {
        if let Some((start, wide, high)) = self.cell.take() {
            self.layout.cell(start..end, wide, high);
        }
    }

    fn end_row(&mut self, end: usize) {
        self.end_cell(end);
        let is_next = self.heads == self.layout.rows.len();
        if self.layout.end_row() && self.is_head && is_next {
            self.heads += 1;
        }
        self.is_head = true;
    }

    fn end(mut self, end: usize) -> Table {
        self.end_row(end);
        let rows = self.layout.rows.split_off(self.heads);
        Table {
            head: self.layout.rows,
            rows,
        }
    }
}

struct Reader<'t, 's> {
    text: &'t str,
    seen: &'s mut DocumentParts,
    /// Behind the last tag.
    cursor: usize,
    /// Where the tag begins that is being read.
    tag: usize,
    /// Where the block that is being read begins.
    block: Option<usize>,
    /// Where its last line begins.
    line: Option<usize>,
    /// The next number of each list that is open; none where it does not count.
    lists: Vec<Option<usize>>,
    /// Items and quotations that are open, and where they begin.
    holders: Vec<(String, usize)>,
    /// The number of the item that is being read.
    number: Option<usize>,
    /// The element that is not read, and how often it was opened.
    dropped: Option<(String, usize, usize)>,
    code: Option<(String, usize)>,
    link: Option<Open>,
    raised: Option<usize>,
    heading: Option<u8>,
    table: Option<OpenTable>,
    /// Names of elements that began since the last words.
    ids: Vec<String>,
    /// Marks that lead to an element of this text.
    uses: Vec<(Range<usize>, String)>,
    /// Blocks by the names of elements that begin in them.
    notes: HashMap<String, Range<usize>>,
}

impl Reader<'_, '_> {
    fn token(&mut self, range: Range<usize>, token: Token) {
        if let Some((name, depth, start)) = &mut self.dropped {
            let start = *start;
            match &token {
                Token::Open { name: own, .. } if own == name => *depth += 1,
                Token::Close { name: own } if own == name => *depth -= 1,
                _ => {}
            }
            if *depth == 0 {
                self.dropped = None;
                self.hide(start..range.end);
            }
            self.cursor = range.end;
            return;
        }
        self.words(range.start);
        self.tag = range.start;
        self.cursor = range.end;
        match token {
            Token::Hidden => self.hide(range),
            Token::Open { name, attributes } => self.open(&name, &attributes, range),
            Token::Close { name } => self.close(&name, range),
        }
    }

    /// Words up to here.
    fn words(&mut self, end: usize) {
        let range = self.cursor..end;
        let words = self.text.get(range.clone()).unwrap_or_default();
        if self.dropped.is_some() || (words.trim().is_empty() && self.block.is_none()) {
            return;
        }
        let start = range.start + words.len() - words.trim_start().len();
        self.block.get_or_insert(start);
        self.line.get_or_insert(start);
        self.references(range.start, words);
        let mut at = range.start;
        for gap in words.split_inclusive(|c: char| !c.is_whitespace()) {
            let blanks = gap.len() - gap.trim_start().len();
            if gap
                .get(..blanks)
                .is_some_and(|blanks| blanks.contains('\n'))
            {
                self.seen.edit(at..at + blanks, Reads::Blank);
            }
            at += gap.len();
        }
    }

    /// Characters that are written as references.
    fn references(&mut self, start: usize, words: &str) {
        for (at, _) in words.match_indices('&') {
            let rest = words.get(at..).unwrap_or_default();
            let end = rest.bytes().take(40).position(|byte| byte == b';');
            let Some(written) = end.and_then(|end| rest.get(..=end)) else {
                continue;
            };
            let reads = unescape(written);
            if reads != written {
                self.seen
                    .edit(start + at..start + at + written.len(), Reads::Chars(reads));
            }
        }
    }

    fn hide(&mut self, range: Range<usize>) {
        self.seen.edit(range.clone(), Reads::Nothing);
        self.seen.hidden.push(range);
    }

    fn open(&mut self, name: &str, attributes: &[(String, String)], range: Range<usize>) {
        if DROPPED.contains(&name) {
            self.end_if_block(name, range.start);
            self.dropped = Some((name.to_owned(), 1, range.start));
            return;
        }
        self.end_if_block(name, range.start);
        self.ids
            .extend(value(attributes, "id").or_else(|| value(attributes, "name")));
        if CODE.contains(&name) && self.code.is_none() {
            self.code = Some((name.to_owned(), range.start));
        }
        match name {
            "br" => {
                self.seen.edit(range.clone(), Reads::Blank);
                self.end_line(range.start);
            }
            "a" => {
                self.end_link(range.start);
                let url = value(attributes, "href").unwrap_or_default();
                self.block.get_or_insert(range.start);
                self.line.get_or_insert(range.start);
                self.link = Some(Open {
                    start: range.start,
                    words: range.end,
                    url,
                });
            }
            "sup" => self.raised = Some(range.start),
            "ol" => {
                self.holders.push(("list".to_owned(), range.start));
                let start = value(attributes, "start").and_then(|start| start.parse().ok());
                self.lists.push(Some(start.unwrap_or(1)));
            }
            "ul" | "dl" | "menu" => {
                self.holders.push(("list".to_owned(), range.start));
                self.lists.push(None);
            }
            "li" => {
                self.hold(name, range.start);
                self.item(attributes);
            }
            "dt" | "dd" => self.hold(name, range.start),
            "blockquote" => {
                let cite = value(attributes, "cite").map(|url| (range.start, url));
                self.seen.cites.extend(cite);
                self.hold(name, range.start);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.heading = name.as_bytes().get(1).map(|digit| digit - b'0');
            }
            "table" => {
                self.table = Some(OpenTable {
                    is_head: true,
                    ..OpenTable::default()
                });
            }
            "tr" | "tbody" | "tfoot" => {
                if let Some(open) = &mut self.table {
                    open.end_row(range.start);
                }
            }
            "td" | "th" => {
                if let Some(open) = &mut self.table {
                    open.end_cell(range.start);
                    open.is_head &= name == "th";
                    let span = |name| value(attributes, name)?.trim().parse().ok();
                    let [wide, high] = ["colspan", "rowspan"].map(|name| span(name).unwrap_or(1));
                    open.cell = Some((range.end, wide, high));
                }
            }
            _ => {}
        }
        if name != "br" {
            self.seen.edit(range, Reads::Nothing);
        }
    }

    /// Begins an item or a quotation; an item ends the one before it.
    fn hold(&mut self, name: &str, at: usize) {
        let is_item = |name: &str| name != "blockquote";
        let last = self.holders.last();
        if last.is_some_and(|(last, _)| last != "list" && is_item(last) && is_item(name)) {
            self.let_go(at);
        }
        self.holders.push((name.to_owned(), at));
    }

    /// Ends the last item, quotation or list that is open.
    fn let_go(&mut self, end: usize) {
        let Some((name, start)) = self.holders.pop() else {
            return;
        };
        let kind = match name.as_str() {
            "list" => return,
            "blockquote" => BlockKind::Quotation,
            _ => BlockKind::Item,
        };
        self.seen.kinds.push((start..end, kind));
    }

    /// Ends what a tag ends, with all that was opened in it.
    fn end_holder(&mut self, name: &str, end: usize) {
        const DEPTH: usize = 64;
        let near = self.holders.iter().rev().take(DEPTH);
        let depth = near.map(|(open, _)| open == name).position(|is_own| is_own);
        for _ in 0..depth.map_or(0, |depth| depth + 1) {
            self.let_go(end);
        }
    }

    /// An item and its number.
    fn item(&mut self, attributes: &[(String, String)]) {
        let given = value(attributes, "value").and_then(|value| value.parse().ok());
        let Some(list) = self.lists.last_mut() else {
            return;
        };
        self.number = given.or(*list);
        if let (Some(next), Some(number)) = (list.as_mut(), self.number) {
            *next = number + 1;
        }
    }

    fn close(&mut self, name: &str, range: Range<usize>) {
        match name {
            "a" => self.end_link(range.end),
            "sup" => self.end_raised(range.end),
            _ => {}
        }
        if let Some((_, start)) = self.code.take_if(|(code, _)| code == name) {
            self.seen.code.push(start..range.end);
        }
        self.end_if_block(name, range.start);
        match name {
            "ol" | "ul" | "dl" | "menu" => {
                self.end_holder("list", range.start);
                self.lists.pop();
            }
            "li" | "dt" | "dd" | "blockquote" => self.end_holder(name, range.end),
            "td" | "th" => {
                if let Some(open) = &mut self.table {
                    open.end_cell(range.start);
                }
            }
            "tr" => {
                if let Some(open) = &mut self.table {
                    open.end_row(range.start);
                }
            }
            "table" => {
                let table = self.table.take().map(|open| open.end(range.start));
                self.seen.tables.extend(table);
            }
            _ => {}
        }
        self.seen.edit(range, Reads::Nothing);
    }

    fn end_raised(&mut self, end: usize) {
        let Some(start) = self.raised.take() else {
            return;
        };
        let words = plain(self.text.get(start..end).unwrap_or_default());
        let numbers = marks::numbers(&words);
        let is_linked = self
            .uses
            .last()
            .is_some_and(|(range, _)| range.start >= start);
        if numbers.is_empty() || is_exponent(self.text, start, words.trim()) {
            return;
        }
        self.seen.edit(start..end, Reads::Mark);
        if !is_linked {
            self.seen.marks.push((start..end, numbers));
        }
    }

    fn end_link(&mut self, end: usize) {
        let Some(open) = self.link.take() else {
            return;
        };
        let range = open.start..end;
        let words = self.text.get(open.words..self.tag).unwrap_or_default();
        let title = plain(words);
        let label = title
            .trim()
            .trim_matches(['[', ']', '^', ' ', '(', ')', '.']);
        let is_mark = is_number(label);
        if let Some(id) = open.url.strip_prefix('#') {
            if is_mark || matches!(label, "*" | "†" | "‡" | "§") {
                self.seen.edit(range.clone(), Reads::Mark);
                self.uses.push((range, id.to_owned()));
            }
            return;
        }
        if open.url.is_empty() {
            return;
        }
        if is_mark {
            self.seen.edit(range.clone(), Reads::Mark);
        }
        let inner = open.words..open.words + words.trim_end().len();
        let place = if is_mark || words.trim().is_empty() {
            last_char(self.text, &range)
        } else {
            last_char(self.text, &inner)
        };
        self.seen.links.push(Link {
            range,
            place,
            url: open.url,
            title,
            bare: false,
            is_mark_by_reference: false,
            is_mark,
        });
    }

    fn end_if_block(&mut self, name: &str, at: usize) {
        if !INLINE.contains(&name) {
            self.end_block(at);
        }
    }

    fn end_line(&mut self, at: usize) {
        let Some(start) = self.line.take().filter(|start| *start < at) else {
            return;
        };
        let number = self.number.take();
        if let Some(lines) = &mut self.seen.lines {
            lines.push(Line {
                range: start..at,
                number,
            });
        }
    }

    fn end_block(&mut self, at: usize) {
        self.end_link(at);
        self.end_line(at);
        let heading = self.heading.take_if(|_| self.block.is_some());
        let Some(start) = self.block.take().filter(|start| *start < at) else {
            return;
        };
        for id in self.ids.drain(..) {
            self.notes.entry(id).or_insert(start..at);
        }
        if let Some(level) = heading {
            self.seen.headings.push(Heading {
                range: start..at,
                level,
            });
        }
        self.seen.blocks.push(start..at);
        // Blocks are paragraphs of their own, however close they are.
        if let Some(lines) = &mut self.seen.lines {
            lines.push(Line {
                range: at..at,
                number: None,
            });
        }
    }

    /// Marks whose element follows them are notes; others lead back. Where no
    /// element has the name, the number counts.
    fn finish(self) {
        let mut used = HashSet::new();
        for (range, id) in self.uses {
            let note = self.notes.get(&id);
            if note.is_none() {
                let words = plain(self.text.get(range.clone()).unwrap_or_default());
                let numbers = marks::numbers(&words);
                if !numbers.is_empty() {
                    self.seen.marks.push((range.clone(), numbers));
                }
            }
            if let Some(note) = note.filter(|note| note.start > range.start) {
                if used.insert(id.clone()) {
                    self.seen.footnotes.push((note.clone(), id.clone()));
                }
                self.seen.footnote_uses.push((range, id));
            }
        }
    }
}

/// The words of a piece of HTML.
pub(super) fn plain(html: &str) -> String {
    let mut out = String::new();
    let mut cursor = 0;
    for (range, _) in tokens(html) {
        out.push_str(html.get(cursor..range.start).unwrap_or_default());
        cursor = range.end;
    }
    out.push_str(html.get(cursor..).unwrap_or_default());
    unescape(&out)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
