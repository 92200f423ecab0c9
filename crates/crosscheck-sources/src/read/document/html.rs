//! HTML: documents, and pieces of it in other formats.

use std::ops::Range;

use crosscheck_fetch::Url;
use crosscheck_fetch::text::tokens::{Token, tokens, unescape};

use super::doc::{Doc, Kind, Writer};
use crate::lists::list;

list! {
    /// Their content is not read.
    DROPPED, "html_dropped"
}
list! {
    /// Their content is code.
    CODE, "html_code"
}
list! {
    /// They are inside a line of text; every other element ends a block.
    INLINE, "html_inline"
}

/// Reads a document.
pub(super) fn parse(text: &str) -> Doc {
    let mut writer = Writer::default();
    add(text, 0..text.len(), &mut writer);
    writer.finish()
}

/// The value of an attribute.
pub(super) fn value(attributes: &[(String, String)], wanted: &str) -> Option<String> {
    let found = attributes.iter().find(|(name, _)| name == wanted);
    found
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// Where an element without words of its own leads.
pub(super) fn shown(name: &str, attributes: &[(String, String)]) -> Option<String> {
    match name {
        "area" => value(attributes, "href"),
        "iframe" => value(attributes, "src"),
        _ => None,
    }
}

/// Adds what a piece of HTML holds.
pub(super) fn add(text: &str, piece: Range<usize>, writer: &mut Writer) {
    let html = text.get(piece.clone()).unwrap_or_default();
    let depth = writer.depth();
    let mut reader = Reader {
        text,
        writer,
        cursor: piece.start,
        open: Vec::new(),
        lists: Vec::new(),
        in_paragraph: false,
        dropped: None,
        code: None,
        raised: None,
        ids: Vec::new(),
        gap: false,
        base: None,
    };
    for (range, token) in tokens(html) {
        reader.token(piece.start + range.start..piece.start + range.end, token);
    }
    reader.words(piece.end);
    reader.end_all();
    writer.close_to(depth);
}

struct Reader<'t, 'w> {
    text: &'t str,
    writer: &'w mut Writer,
    /// Behind the last tag.
    cursor: usize,
    /// Elements that are open, and how many blocks were open before them.
    open: Vec<(String, usize)>,
    /// The next number of each list that is open; none where it does not count.
    lists: Vec<Option<usize>>,
    /// The block that is open was begun by its words.
    in_paragraph: bool,
    /// The element that is not read, and how often it was opened.
    dropped: Option<(String, usize)>,
    /// The element of code that is open.
    code: Option<String>,
    /// Where the raised words begin.
    raised: Option<usize>,
    /// Names of elements that began since the last words.
    ids: Vec<String>,
    /// A blank comes before the next word.
    gap: bool,
    /// What links without a host begin with.
    base: Option<Url>,
}

impl Reader<'_, '_> {
    fn token(&mut self, range: Range<usize>, token: Token) {
        if let Some((name, depth)) = &mut self.dropped {
            match &token {
                Token::Open { name: own, .. } if own == name => *depth += 1,
                Token::Close { name: own } if own == name => *depth -= 1,
                _ => {}
            }
            if *depth == 0 {
                self.dropped = None;
            }
            self.cursor = range.end;
            return;
        }
        self.words(range.start);
        self.cursor = range.end;
        match token {
            Token::Hidden => {}
            Token::Open { name, attributes } => self.open(&name, &attributes, range.start),
            Token::Close { name } => self.close(&name, range.start),
        }
    }

    /// Words up to here.
    fn words(&mut self, end: usize) {
        let start = self.cursor;
        let words = self.text.get(start..end).unwrap_or_default();
        if self.dropped.is_some() {
            return;
        }
        let mut at = start;
        for piece in words.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            if !word.is_empty() {
                self.begin(at);
                let word = unescape(word);
                if self.code.is_some() {
                    self.writer.code(at, &word);
                } else {
                    self.writer.text(at, &word);
                }
            }
            self.gap |= word.len() < piece.len();
            at += piece.len();
        }
    }

    /// Begins a paragraph where none is open, and writes the blank before its next word.
    fn begin(&mut self, at: usize) {
        let is_leaf = self.open.last().is_some_and(|(name, _)| is_leaf(name));
        if !self.in_paragraph && !is_leaf {
            self.writer.open(Kind::Paragraph, at);
            self.in_paragraph = true;
        }
        let gap = std::mem::take(&mut self.gap);
        if gap && self.writer.written() > 0 {
            self.writer.text(at, " ");
        }
        let own = self.writer.current(at);
        for id in self.ids.drain(..) {
            self.writer.doc.notes.entry(id).or_insert(own);
        }
    }

    fn end_paragraph(&mut self) {
        self.gap = false;
        let is_leaf = self.open.last().is_some_and(|(name, _)| is_leaf(name));
        if std::mem::take(&mut self.in_paragraph) {
            self.writer.close();
        } else if is_leaf {
            self.writer.line();
        }
    }

    fn open(&mut self, name: &str, attributes: &[(String, String)], at: usize) {
        if !INLINE.contains(name) {
            self.end_paragraph();
        }
        if let Some(url) = shown(name, attributes) {
            self.begin(at);
            self.writer.whole_link(at, self.based(url), (at, ""));
        }
        if DROPPED.contains(name) {
            self.dropped = Some((name.to_owned(), 1));
            return;
        }
        self.ids
            .extend(value(attributes, "id").or_else(|| value(attributes, "name")));
        if CODE.contains(name) && self.code.is_none() {
            self.code = Some(name.to_owned());
        }
        match name {
            "br" => self.writer.line(),
            "base" => {
                let url = value(attributes, "href").and_then(|url| Url::parse(&url).ok());
                self.base = self.base.take().or(url);
            }
            "a" => {
                self.begin(at);
                self.writer.end_link();
                let url = value(attributes, "href").or_else(|| value(attributes, "xlink:href"));
                self.writer.link(at, self.based(url.unwrap_or_default()));
            }
            "sup" => self.raised = Some(self.writer.written()),
            "ol" | "ul" | "dl" | "menu" => {
                self.push("list");
                let start = value(attributes, "start").and_then(|start| start.parse().ok());
                self.lists.push((name == "ol").then(|| start.unwrap_or(1)));
            }
            "li" | "dt" | "dd" => {
                self.end_to(&["li", "dt", "dd"], &["list", "table"]);
                self.push(name);
                let number = self.number(value(attributes, "value"));
                self.writer.open(Kind::Item(number), at);
            }
            "blockquote" => {
                self.push(name);
                self.writer.open(Kind::Quote, at);
                if let Some(url) = value(attributes, "cite") {
                    self.writer.cite(url);
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes().get(1).map_or(1, |digit| digit - b'0');
                self.push(name);
                self.writer.open(Kind::Heading(level), at);
            }
            "table" => {
                self.push(name);
                self.writer.open_table();
            }
            "tr" | "tbody" | "tfoot" => {
                self.end_to(&["td", "th"], &["table"]);
                self.writer.end_row();
            }
            "td" | "th" => {
                self.end_to(&["td", "th"], &["table"]);
                self.push(name);
                let span = |name| value(attributes, name)?.parse().ok();
                let [wide, high] = ["colspan", "rowspan"].map(|name| span(name).unwrap_or(1));
                self.writer.open_cell(at, name == "th", wide, high);
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, at: usize) {
        if self.code.as_deref() == Some(name) {
            self.code = None;
        }
        match name {
            "a" => self.writer.end_link(),
            "sup" => {
                if let Some(start) = self.raised.take() {
                    self.writer.raised(start, at);
                }
            }
            _ => {}
        }
        if INLINE.contains(name) {
            return;
        }
        self.end_paragraph();
        match name {
            "ol" | "ul" | "dl" | "menu" => {
                self.end_to(&["list"], &["table"]);
                self.lists.pop();
            }
            "table" => self.end_to(&[name], &[]),
            "tr" => {
                self.end_to(&["td", "th"], &["table"]);
                self.writer.end_row();
            }
            _ => self.end_to(&[name], &["table"]),
        }
    }

    /// Where a link leads from the address that the document names as its own.
    fn based(&self, url: String) -> String {
        let is_inside = url.is_empty() || url.starts_with('#');
        let base = self.base.as_ref().filter(|_| !is_inside);
        let full = base.and_then(|base| base.join(&url).ok());
        full.map_or(url, String::from)
    }

    fn push(&mut self, name: &str) {
        self.open.push((name.to_owned(), self.writer.depth()));
    }

    /// Ends the last element of these names with all that was opened in it;
    /// nothing where one of the others comes first.
    fn end_to(&mut self, names: &[&str], stops: &[&str]) {
        const DEPTH: usize = 64;
        let near = self.open.iter().rev().take(DEPTH);
        let found = near
            .take_while(|(name, _)| !stops.contains(&name.as_str()))
            .position(|(name, _)| names.contains(&name.as_str()));
        for _ in 0..found.map_or(0, |found| found + 1) {
            if let Some((name, depth)) = self.open.pop() {
                self.in_paragraph = false;
                self.writer.close_to(depth);
                if name == "table" {
                    self.writer.end_table();
                }
            }
        }
    }

    fn end_all(&mut self) {
        self.end_paragraph();
        while let Some((name, depth)) = self.open.pop() {
            self.writer.close_to(depth);
            if name == "table" {
                self.writer.end_table();
            }
        }
    }

    /// The number of an item.
    fn number(&mut self, given: Option<String>) -> Option<usize> {
        let given = given.and_then(|value| value.parse().ok());
        let list = self.lists.last_mut()?;
        let number = given.or(*list);
        if let (Some(next), Some(number)) = (list.as_mut(), number) {
            *next = number + 1;
        }
        number
    }
}

/// Whether the words of an element are its own block.
fn is_leaf(name: &str) -> bool {
    let is_heading = name.len() == 2 && name.starts_with('h');
    is_heading || matches!(name, "td" | "th")
}
