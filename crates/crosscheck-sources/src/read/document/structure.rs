//! What the reader of a format sees in a text, in the places of that text.
//!
//! Every format is read into this one shape; what cites what is worked out
//! from it once, in `bind`.

use std::ops::Range;

use super::claims::{self, Edit, Reads, last_char};
use super::lines::{blocks, holders};
use super::spans::Spans;
use super::tree::BlockKind;

/// A link.
pub(super) struct Link {
    /// From its first sign to its last.
    pub(super) range: Range<usize>,
    /// Where in it a citation is placed.
    pub(super) place: usize,
    /// Where it leads.
    pub(super) url: String,
    /// Its words.
    pub(super) title: String,
    /// It is the URL itself, without words of its own.
    pub(super) bare: bool,
    /// Its words are a number, and where it leads is given elsewhere: `[1]`, `[1][2]`.
    pub(super) is_mark_by_reference: bool,
    /// Its words are a number: `[[1]](https://…)`.
    pub(super) is_mark: bool,
}

/// A heading and how deep it lies; 1 is the title of the document.
pub(super) struct Heading {
    pub(super) range: Range<usize>,
    pub(super) level: u8,
}

/// Deeper than every real heading: a line that only looks like one.
pub(super) const LINE_HEADING: u8 = 7;

/// A table: the rows of its head, then the others. A cell that spans columns or
/// rows is in each of them.
#[derive(Default)]
pub(super) struct Table {
    pub(super) head: Vec<Vec<Range<usize>>>,
    pub(super) rows: Vec<Vec<Range<usize>>>,
}

impl Table {
    pub(super) fn cells(&self) -> impl Iterator<Item = &Range<usize>> {
        self.head.iter().chain(&self.rows).flatten()
    }
}

/// A line of the text as its reader sees it, where that is not a line of the file.
pub(super) struct Line {
    pub(super) range: Range<usize>,
    /// The number in front of it, if the format counts by itself.
    pub(super) number: Option<usize>,
}

/// What a text holds.
#[derive(Default)]
pub(super) struct DocumentParts {
    /// In the order of the text.
    pub(super) links: Vec<Link>,
    /// Paragraphs, list items, table cells, headings.
    pub(super) blocks: Vec<Range<usize>>,
    /// Quotations whose tag names their source, by where they begin: `<blockquote cite="u">`.
    pub(super) cites: Vec<(usize, String)>,
    /// Blocks that hold others, and what they are.
    pub(super) kinds: Vec<(Range<usize>, BlockKind)>,
    pub(super) code: Vec<Range<usize>>,
    pub(super) images: Vec<Range<usize>>,
    /// Comments: no reader sees them.
    pub(super) hidden: Vec<Range<usize>>,
    pub(super) footnote_uses: Vec<(Range<usize>, String)>,
    pub(super) footnotes: Vec<(Range<usize>, String)>,
    /// Raised numbers.
    pub(super) marks: Vec<(Range<usize>, Vec<usize>)>,
    pub(super) headings: Vec<Heading>,
    pub(super) tables: Vec<Table>,
    /// None: the lines of the file.
    pub(super) lines: Option<Vec<Line>>,
    pub(super) edits: Vec<Edit>,
    /// The places of code fences that are never closed.
    pub(super) unclosed: Vec<usize>,
}

impl DocumentParts {
    /// Says how a piece of the text reads; an empty one says nothing.
    pub(super) fn edit(&mut self, range: Range<usize>, with: Reads) {
        if !range.is_empty() {
            self.edits.push(Edit { range, with });
        }
    }

    /// Takes signs away on both sides of words.
    pub(super) fn strip(&mut self, words: &Range<usize>, signs: usize) {
        self.edit(words.start..words.start + signs, Reads::Nothing);
        self.edit(words.end - signs..words.end, Reads::Nothing);
    }

    /// Adds a link whose words are a part of it; without words it is bare.
    pub(super) fn link(
        &mut self,
        text: &str,
        range: Range<usize>,
        words: Range<usize>,
        url: String,
    ) {
        let title = text.get(words.clone()).unwrap_or_default().to_owned();
        self.edit(range.start..words.start, Reads::Nothing);
        self.edit(words.end..range.end, Reads::Nothing);
        self.links.push(Link {
            place: last_char(text, if words.is_empty() { &range } else { &words }),
            range,
            url,
            bare: title.is_empty(),
            title,
            is_mark_by_reference: false,
            is_mark: false,
        });
    }

    /// Finds the blocks between headings, code and what is hidden, and the cells of tables.
    pub(super) fn find_blocks(&mut self, text: &str, is_rst: bool) {
        let headings = self.headings.iter().map(|heading| &heading.range);
        let skip = self.hidden.iter().chain(&self.code).chain(headings);
        self.blocks = blocks(text, &Spans::new(skip.cloned().collect()));
        self.kinds = holders(text, &self.blocks, is_rst);
        let cells = self.tables.iter().flat_map(Table::cells).cloned();
        let mut cells: Vec<Range<usize>> = cells.collect();
        cells.sort_by_key(|cell| (cell.start, cell.end));
        cells.dedup();
        self.blocks.extend(cells);
    }

    /// Puts links and edits into the order of the text.
    pub(super) fn sort(&mut self) {
        self.links.sort_by_key(|link| link.range.start);
        claims::sort(&mut self.edits);
    }

    /// A piece of the text as its reader sees it, on one line.
    pub(super) fn read(&self, text: &str, range: &Range<usize>) -> String {
        claims::read(text, range.clone(), &self.edits)
    }
}

/// Whether a label is a number of a source.
pub(super) fn is_number(words: &str) -> bool {
    (1..=3).contains(&words.len()) && words.bytes().all(|byte| byte.is_ascii_digit())
}
