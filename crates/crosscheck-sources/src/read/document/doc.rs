//! One model of every document: blocks of *read* text, each with what is
//! linked, marked and quoted in it. Readers of formats write it through
//! [`Writer`]; nothing behind it knows any markup.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::marks;
use super::tables::Head;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading and how deep it lies; 1 is the title of the document.
    Heading(u8),
    Paragraph,
    /// An item of a list and its number.
    Item(Option<usize>),
    /// Words of others.
    Quote,
    /// What a footnote says.
    Note,
    /// A cell of a table.
    Cell,
    /// A block of code.
    Code,
}

impl Kind {
    /// Whether other blocks can be in it.
    const fn holds_blocks(self) -> bool {
        matches!(self, Self::Item(_) | Self::Quote | Self::Note)
    }
}

/// A link and where its words are in the text of its block.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) words: Range<usize>,
    /// Where it is in the file.
    pub(super) at: usize,
    pub(super) url: String,
    /// Its words are the number of a source, and are not read: `[[1]](https://…)`.
    pub(super) is_number: bool,
}

/// A place that points to a note or to numbers of a list.
#[derive(Debug)]
pub(super) struct Pointer {
    /// Where in the text of its block.
    pub(super) place: usize,
    /// Where it is in the file.
    pub(super) at: usize,
    /// The name of a note or an element; the numbers count where none has it.
    pub(super) name: Option<String>,
    pub(super) numbers: Vec<usize>,
}

/// One block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// The item, quotation or note that it is in.
    pub(super) parent: Option<usize>,
    pub(super) text: String,
    /// Places of the text and where they are in the file, both growing.
    places: Vec<(usize, usize)>,
    pub(super) links: Vec<Link>,
    pub(super) pointers: Vec<Pointer>,
    /// What of the text is code.
    pub(super) code: Vec<Range<usize>>,
    /// Table, row and first column of a cell.
    pub(super) cell: Option<(usize, usize, usize)>,
    /// The source that the markup names for the whole block.
    pub(super) cite: Option<String>,
}

impl Block {
    /// Where a place of its text is in the file.
    pub(super) fn at(&self, place: usize) -> usize {
        let next = self.places.partition_point(|(text, _)| *text <= place);
        let last = next.checked_sub(1).and_then(|last| self.places.get(last));
        last.map_or(0, |(text, file)| file + (place - text))
    }

    pub(super) fn is_code(&self, place: usize) -> bool {
        let next = self.code.partition_point(|code| code.start <= place);
        let last = next.checked_sub(1).and_then(|last| self.code.get(last));
        self.kind == Kind::Code || last.is_some_and(|code| code.contains(&place))
    }

    /// Takes back what was written behind a place.
    fn take_back(&mut self, place: usize) {
        self.text.truncate(place);
        while self.places.pop_if(|(text, _)| *text > place).is_some() {}
    }
}

/// The rows of a table. A cell that spans columns or rows is in each of them.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Rows that head the others.
    pub(super) heads: usize,
    pub(super) rows: Vec<Vec<usize>>,
    /// What heads each column, read when it is first asked for.
    pub(super) columns: OnceCell<Vec<Head>>,
}

/// A document.
#[derive(Debug, Default)]
pub(super) struct Doc {
    pub(super) blocks: Vec<Block>,
    pub(super) tables: Vec<Table>,
    /// Notes by their names.
    pub(super) notes: HashMap<String, usize>,
    /// Numbers that are defined to be links: number, place in the file, URL.
    pub(super) defined: Vec<(usize, usize, String)>,
    /// The places of code fences that are never closed.
    pub(super) unclosed: Vec<usize>,
}

impl Doc {
    /// The blocks that lie in a block, and it itself.
    pub(super) fn inside(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let behind = self.blocks.iter().enumerate().skip(at + 1);
        let inside = behind.take_while(move |(_, one)| one.parent.is_some_and(|up| up >= at));
        std::iter::once(at).chain(inside.map(|(at, _)| at))
    }
}

/// A table whose end was not seen yet.
#[derive(Default)]
struct OpenTable {
    /// Its number in the document.
    number: usize,
    table: Table,
    row: Vec<usize>,
    /// All cells of the row head their columns.
    is_head: bool,
    /// For each column a cell of a row above that reaches down, and how many rows.
    above: Vec<(usize, usize)>,
}

impl OpenTable {
    /// Cells that span more columns, or reach down in more of them, are drawings.
    const SPAN_MAX: usize = 8;

    /// Takes the cells that reach into the next columns of the row.
    fn inherit(&mut self) {
        while let Some((rows, cell)) = self.above.get_mut(self.row.len())
            && *rows > 0
        {
            *rows -= 1;
            self.row.push(*cell);
        }
    }

    fn cell(&mut self, block: usize, wide: usize, high: usize) -> usize {
        self.inherit();
        let column = self.row.len();
        for at in column..column + wide.clamp(1, Self::SPAN_MAX) {
            if high > 1 && at < Self::SPAN_MAX {
                self.above.resize(self.above.len().max(at + 1), (0, 0));
                if let Some(above) = self.above.get_mut(at) {
                    *above = (high - 1, block);
                }
            }
            self.row.push(block);
        }
        column
    }

    fn end_row(&mut self) {
        if self.row.is_empty() {
            return;
        }
        self.inherit();
        if self.is_head && self.table.heads == self.table.rows.len() {
            self.table.heads += 1;
        }
        self.table.rows.push(std::mem::take(&mut self.row));
    }
}

/// Writes a document, block by block.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) doc: Doc,
    /// Blocks that are open, the innermost last; one that took in its first paragraph is there twice.
    open: Vec<usize>,
    /// A paragraph that nothing opened: words behind a block in an item.
    implied: Option<usize>,
    /// Links that are open: block, where their words begin, place in the file, URL.
    links: Vec<(usize, usize, usize, String)>,
    tables: Vec<OpenTable>,
}

impl Writer {
    /// How many blocks are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Begins a block.
    pub(super) fn open(&mut self, kind: Kind, at: usize) {
        self.implied = None;
        let top = self.open.last().copied();
        let takes_in = top.filter(|top| {
            let is_free = self.doc.blocks.len() == top + 1;
            self.doc.blocks.get(*top).is_some_and(|block| {
                let is_empty = is_free && block.text.trim().is_empty();
                kind == Kind::Paragraph
                    && (block.kind == Kind::Cell || block.kind.holds_blocks() && is_empty)
            })
        });
        if let Some(top) = takes_in {
            self.line();
            self.open.push(top);
            return;
        }
        let own = self.add(kind, at);
        self.open.push(own);
    }

    fn add(&mut self, kind: Kind, at: usize) -> usize {
        // what holds the open block holds a new one, unless the open one does itself
        let parent = self.open.last().and_then(|top| {
            let block = self.doc.blocks.get(*top)?;
            let holds = block.kind.holds_blocks();
            if holds { Some(*top) } else { block.parent }
        });
        self.doc.blocks.push(Block {
            kind,
            parent,
            text: String::new(),
            places: vec![(0, at)],
            links: Vec::new(),
            pointers: Vec::new(),
            code: Vec::new(),
            cell: None,
            cite: None,
        });
        self.doc.blocks.len() - 1
    }

    /// Ends the last block that is open.
    pub(super) fn close(&mut self) {
        self.implied = None;
        let Some(own) = self.open.pop() else {
            return;
        };
        let is_done = self.open.last() != Some(&own);
        while let Some((_, start, at, url)) = self.links.pop_if(|link| is_done && link.0 == own) {
            self.linked(own, start, at, url);
        }
    }

    /// Ends all blocks that were opened since there were so many.
    pub(super) fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }

    /// The number of the block that words are written to.
    pub(super) fn current(&mut self, at: usize) -> usize {
        if let Some(implied) = self.implied {
            return implied;
        }
        let last = self.doc.blocks.len().checked_sub(1);
        let fits = |top: &&usize| {
            let block = self.doc.blocks.get(**top);
            block.is_some_and(|block| !block.kind.holds_blocks() || Some(**top) == last)
        };
        if let Some(top) = self.open.last().filter(fits) {
            return *top;
        }
        let own = self.add(Kind::Paragraph, at);
        self.implied = Some(own);
        own
    }

    fn block(&mut self, at: usize) -> Option<&mut Block> {
        let own = self.current(at);
        self.doc.blocks.get_mut(own)
    }

    /// Words as they are read, and where they are in the file.
    pub(super) fn text(&mut self, at: usize, words: &str) {
        let is_out = self.open.is_empty() && self.implied.is_none();
        if words.is_empty() || is_out && words.trim().is_empty() {
            return;
        }
        if let Some(block) = self.block(at) {
            block.places.push((block.text.len(), at));
            block.text.push_str(words);
        }
    }

    pub(super) fn code(&mut self, at: usize, words: &str) {
        let start = self.written();
        self.text(at, words);
        let end = self.written();
        if let Some(block) = self.block(at) {
            block.code.push(start..end);
        }
    }

    /// How much of the block is written.
    pub(super) fn written(&self) -> usize {
        let own = self.implied.or_else(|| self.open.last().copied());
        let block = own.and_then(|own| self.doc.blocks.get(own));
        block.map_or(0, |block| block.text.len())
    }

    /// Ends a line of the block.
    pub(super) fn line(&mut self) {
        let own = self.implied.or_else(|| self.open.last().copied());
        let block = own.and_then(|own| self.doc.blocks.get_mut(own));
        if let Some(block) = block.filter(|block| !block.text.is_empty()) {
            block.text.push('\n');
        }
    }

    /// Begins a link.
    pub(super) fn link(&mut self, at: usize, url: String) {
        let own = self.current(at);
        let start = self.written();
        self.links.push((own, start, at, url));
    }

    /// Ends the last link that is open.
    pub(super) fn end_link(&mut self) {
        if let Some((own, start, at, url)) = self.links.pop() {
            self.linked(own, start, at, url);
        }
    }

    /// A link with its words.
    pub(super) fn whole_link(&mut self, at: usize, url: String, words: (usize, &str)) {
        self.link(at, url);
        self.text(words.0, words.1);
        self.end_link();
    }

    fn linked(&mut self, own: usize, start: usize, at: usize, url: String) {
        let Some(block) = self.doc.blocks.get_mut(own) else {
            return;
        };
        let words = block.text.get(start..).unwrap_or_default();
        let label = words
            .trim()
            .trim_matches(['[', ']', '^', ' ', '(', ')', '.']);
        let numbers = Some(marks::numbers(label)).filter(|numbers| numbers.len() == 1);
        let is_sign = matches!(label, "*" | "†" | "‡" | "§");
        let numbers = numbers.unwrap_or_default();
        let is_number = !numbers.is_empty();
        let name = url.strip_prefix('#').map(str::to_owned);
        if is_number || is_sign && name.is_some() {
            block.take_back(start);
        }
        let end = block.text.len();
        if name.is_some() && (is_number || is_sign) {
            block.pointers.push(Pointer {
                place: end,
                at,
                name,
                numbers,
            });
            return;
        }
        let trimmed = block.text.get(start..).unwrap_or_default();
        let lead = trimmed.len() - trimmed.trim_start().len();
        let words = start + lead..(start + trimmed.trim_end().len()).max(start + lead);
        block.links.push(Link {
            words,
            at,
            url,
            is_number,
        });
    }

    /// A use of a note, or numbers that point to a list.
    pub(super) fn point(&mut self, at: usize, name: Option<String>, numbers: Vec<usize>) {
        let place = self.written();
        if let Some(block) = self.block(at) {
            block.pointers.push(Pointer {
                place,
                at,
                name,
                numbers,
            });
        }
    }

    /// Takes back what was written since, where that is a raised number: then
    /// it points to a list. `10<sup>6</sup>` is none.
    pub(super) fn raised(&mut self, start: usize, at: usize) {
        let own = self.current(at);
        let Some(block) = self.doc.blocks.get_mut(own) else {
            return;
        };
        let words = block.text.get(start..).unwrap_or_default();
        let numbers = marks::numbers(words.trim().trim_matches(['[', ']', ' ']));
        let is_linked = block
            .links
            .last()
            .is_some_and(|link| link.words.end > start);
        if !numbers.is_empty() && !is_linked && !marks::is_exponent(&block.text, start, words) {
            block.take_back(start);
            self.point(at, None, numbers);
        }
    }

    /// Names the note that is open.
    pub(super) fn note(&mut self, name: String) {
        if let Some(own) = self.open.last() {
            self.doc.notes.entry(name).or_insert(*own);
        }
    }

    /// Says who is quoted.
    pub(super) fn cite(&mut self, url: String) {
        let own = self
            .open
            .last()
            .and_then(|own| self.doc.blocks.get_mut(*own));
        if let Some(block) = own {
            block.cite = Some(url);
        }
    }

    pub(super) fn open_table(&mut self) {
        let number = self.doc.tables.len();
        self.doc.tables.push(Table::default());
        self.tables.push(OpenTable {
            number,
            ..OpenTable::default()
        });
    }

    pub(super) fn end_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.end_row();
        }
    }

    /// Begins a cell, which is closed like any block.
    pub(super) fn open_cell(&mut self, at: usize, is_head: bool, wide: usize, high: usize) {
        self.open(Kind::Cell, at);
        let own = self.doc.blocks.len() - 1;
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        table.is_head = is_head && (table.is_head || table.row.is_empty());
        let (number, row) = (table.number, table.table.rows.len());
        let column = table.cell(own, wide, high);
        if let Some(block) = self.doc.blocks.get_mut(own) {
            block.cell = Some((number, row, column));
        }
    }

    pub(super) fn end_table(&mut self) {
        self.end_row();
        let Some(open) = self.tables.pop() else {
            return;
        };
        if let Some(table) = self.doc.tables.get_mut(open.number) {
            *table = open.table;
        }
    }

    /// The document.
    pub(super) fn finish(mut self) -> Doc {
        self.close_to(0);
        while !self.tables.is_empty() {
            self.end_table();
        }
        self.doc
    }
}
