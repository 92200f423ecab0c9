//! Markdown to statements: paragraphs, headings and items of lists with their names masked.
//! Code blocks, quotations, comments, struck-out text, tables and open tasks are not statements.

use std::fmt::Write as _;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::grammar::GRAMMAR;
use super::names::{self, Name};

/// The longest statement that is read, in bytes.
const MAX_STATEMENT: usize = 8 << 10;

/// One paragraph, heading or item.
#[derive(Debug)]
pub(super) struct Statement {
    /// The text with a mark for every name.
    pub(super) masked: String,
    pub(super) line: u64,
    pub(super) is_item: bool,
    /// The line above the list, without its colon.
    pub(super) intro: Option<String>,
    names: Vec<Name>,
}

impl Statement {
    /// The names whose marks are in this part of the text.
    pub(super) fn names_in(&self, part: &str) -> Vec<Name> {
        let marks = part.split('<').filter_map(|tail| tail.split_once('>'));
        let index = |(mark, _): (&str, &str)| mark.get(1..)?.parse::<usize>().ok();
        let known = marks.filter_map(index);
        known.filter_map(|at| self.names.get(at).cloned()).collect()
    }

    /// The text as it was written, on one line.
    pub(super) fn unmasked(&self, masked: &str) -> String {
        let mut text = String::new();
        for (at, part) in masked.split('<').enumerate() {
            let name = part.split_once('>').and_then(|(mark, tail)| {
                let name = self.names.get(mark.get(1..)?.parse::<usize>().ok()?)?;
                Some((name, tail))
            });
            match name {
                None if part.starts_with("q>") => {
                    text.push('…');
                    text.push_str(part.trim_start_matches("q>"));
                }
                Some((name, tail)) if at > 0 => {
                    text.push_str(&name.written);
                    text.push_str(tail);
                }
                _ => text.push_str(part),
            }
        }
        text
    }
}

enum Piece {
    Text(String),
    Code(String),
}

#[derive(Default)]
struct Walk {
    pieces: Vec<Piece>,
    /// Where the block began.
    offset: Option<usize>,
    /// How many things around are not read.
    skipped: usize,
    /// The line above each list that is open.
    lists: Vec<Option<String>>,
    /// For each item that is open, whether it is a task that is not done.
    items: Vec<bool>,
    is_section_skipped: bool,
    last_block: Option<String>,
    found: Vec<(usize, Statement)>,
}

/// The statements of a text, in its order.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let options =
        Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut walk = Walk::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let source = text.get(range.clone()).unwrap_or_default();
        walk.take(event, range.start, source);
    }
    walk.flush();
    let mut line = 1;
    let mut counted = 0;
    let mut found = walk.found;
    for (offset, statement) in &mut found {
        let between = text.get(counted..*offset).unwrap_or_default();
        line += between.bytes().filter(|byte| *byte == b'\n').count() as u64;
        counted = *offset;
        statement.line = line;
    }
    found.into_iter().map(|(_, statement)| statement).collect()
}

impl Walk {
    fn take(&mut self, event: Event<'_>, offset: usize, source: &str) {
        match event {
            Event::Start(tag) => self.open(&tag, source),
            Event::End(tag) => self.close(tag, source),
            Event::Text(text) if self.skipped == 0 => self.text(&text, offset),
            Event::Code(code) if self.skipped == 0 => {
                self.offset.get_or_insert(offset);
                self.pieces.push(Piece::Code(code.into_string()));
            }
            Event::SoftBreak | Event::HardBreak if self.skipped == 0 => self.text(" ", offset),
            Event::TaskListMarker(is_done) => {
                if let Some(item) = self.items.last_mut() {
                    *item = !is_done;
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>, source: &str) {
        match tag {
            Tag::Paragraph | Tag::Heading { .. } => self.flush(),
            Tag::List(_) => {
                self.flush();
                self.lists.push(self.last_block.take());
            }
            Tag::Item => {
                self.flush();
                self.items.push(false);
            }
            Tag::Emphasis | Tag::Strong => self.underscores(source),
            Tag::Link { .. } => {}
            _ => self.skipped += 1,
        }
    }

    fn close(&mut self, tag: TagEnd, source: &str) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                let heading = self.last_block.as_deref().unwrap_or_default();
                self.is_section_skipped = GRAMMAR.skipped_section.is_match(heading);
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.last_block = None;
            }
            TagEnd::Item => {
                self.flush();
                self.items.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong => self.underscores(source),
            TagEnd::Link => {}
            _ => self.skipped = self.skipped.saturating_sub(1),
        }
    }

    /// `__init__.py` is a name and not bold.
    fn underscores(&mut self, source: &str) {
        if let (true, Some(Piece::Text(text))) = (source.starts_with('_'), self.pieces.last_mut()) {
            text.push_str(if source.starts_with("__") { "__" } else { "_" });
        }
    }

    fn text(&mut self, text: &str, offset: usize) {
        self.offset.get_or_insert(offset);
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Ends the block that is open.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let Some(offset) = self.offset.take() else {
            return;
        };
        let (masked, names) = masked(&pieces);
        // bots put a zero-width space into the mentions of release notes that they quote
        let is_quoted = masked.contains('\u{200b}');
        if masked.is_empty() || masked.len() > MAX_STATEMENT || is_quoted {
            return;
        }
        let plain = masked.trim_end_matches(':').trim();
        self.last_block = Some(plain.to_owned());
        let is_off = |intro: &String| {
            // a test plan is not about the future: it says what was run
            let intro = &intro.to_lowercase().replace("test plan", "tests");
            GRAMMAR.skipped_section.is_match(intro)
                || GRAMMAR.not_plain.iter().any(|words| words.is_match(intro))
        };
        let is_list_off = self.lists.iter().flatten().any(is_off);
        if self.is_section_skipped || is_list_off || self.items.contains(&true) {
            return;
        }
        let statement = Statement {
            masked,
            line: 1,
            is_item: !self.items.is_empty(),
            intro: self.lists.last().cloned().flatten(),
            names,
        };
        self.found.push((offset, statement));
    }
}

/// The text of a block with marks, and the names that they stand for.
fn masked(pieces: &[Piece]) -> (String, Vec<Name>) {
    let mut text = String::new();
    let mut all = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Code(code) => mark(names::in_code(code), &mut text, &mut all),
            Piece::Text(prose) => mask_prose(prose, &mut text, &mut all),
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    (words.join(" "), all)
}

fn mark(name: Name, text: &mut String, names: &mut Vec<Name>) {
    let _ = write!(text, "<{}{}>", name.form.mark(), names.len());
    names.push(name);
}

fn mask_prose(prose: &str, text: &mut String, names: &mut Vec<Name>) {
    let prose = prose.replace("->", " → ").replace("=>", " → ");
    let mut is_quoted = false;
    for word in prose.split_inclusive(char::is_whitespace) {
        let core = word.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | ':' | '!' | '?' | '\'')
        });
        let core = core.trim_end_matches('.');
        let quotes = word.matches(['"', '“', '”']).count();
        if quotes > 0 || is_quoted {
            text.push_str("<q> ");
            is_quoted ^= quotes % 2 == 1;
            continue;
        }
        match (names::in_prose(core), word.split_once(core)) {
            (Some(name), Some((before, behind))) => {
                text.push_str(before);
                mark(name, text, names);
                text.push_str(behind);
            }
            _ => text.extend(word.chars().filter(|c| !matches!(c, '<' | '>'))),
        }
    }
}
