//! What the reader of a format sees in a text, in the places of that text.
//!
//! Every format is read into this one shape; what cites what is worked out
//! from it once, in `bind`.

use std::ops::Range;

use super::claims::{self, Edit};

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

/// A table: the cells of its first row, then those of the others.
#[derive(Default)]
pub(super) struct Table {
    pub(super) head: Vec<Range<usize>>,
    pub(super) rows: Vec<Vec<Range<usize>>>,
}

/// A line of the text as its reader sees it, where that is not a line of the file.
pub(super) struct Line {
    pub(super) range: Range<usize>,
    /// The number in front of it, if the format counts by itself.
    pub(super) number: Option<usize>,
}

/// What a text holds.
#[derive(Default)]
pub(super) struct Seen {
    /// In the order of the text.
    pub(super) links: Vec<Link>,
    /// Paragraphs, list items, table cells, headings.
    pub(super) blocks: Vec<Range<usize>>,
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

impl Seen {
    /// A piece of the text as its reader sees it, on one line.
    pub(super) fn read(&self, text: &str, range: &Range<usize>) -> String {
        claims::read(text, range.clone(), &self.edits)
    }
}

/// Whether a label is a number of a source.
pub(super) fn is_number(words: &str) -> bool {
    (1..=3).contains(&words.len()) && words.bytes().all(|byte| byte.is_ascii_digit())
}
