//! Citations in any document: what is cited, for which sentence, and where.

mod identifier;
mod markdown;
mod plain;
mod references;
mod structured;

use std::ops::Range;

use crate::plan::sentence::Sentence;

/// How a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// One JSON value on each line.
    Jsonl,
    /// One JSON value.
    Json,
    /// Anything else.
    Text,
}

impl Format {
    /// By the end of the file's name; Markdown where it says nothing.
    pub fn by_name(name: &str) -> Self {
        match name
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
            .as_str()
        {
            "jsonl" | "ndjson" => Self::Jsonl,
            "json" => Self::Json,
            "txt" | "text" | "log" => Self::Text,
            _ => Self::Markdown,
        }
    }

    /// By its name.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "markdown" => Some(Self::Markdown),
            "jsonl" => Some(Self::Jsonl),
            "json" => Some(Self::Json),
            "text" => Some(Self::Text),
            _ => None,
        }
    }
}

/// What is read besides the plain links.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions {
    /// Code blocks are read too.
    pub include_code: bool,
    /// DOI, arXiv and PMID forms become URLs.
    pub identifiers: bool,
}

/// One citation of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The URL as it was cited.
    pub url: String,
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1, in characters.
    pub column: u64,
    /// The sentence that carries it; none when nothing cites the list entry.
    pub claim: Option<String>,
    /// The title or link text.
    pub title: Option<String>,
}

/// The citations of a document, in the order of the text.
pub fn mentions(
    text: &str,
    format: Format,
    options: ReadOptions,
) -> Result<Vec<Mention>, DocumentError> {
    let mut found = match format {
        Format::Markdown => markdown::mentions(text, options),
        Format::Text => plain::mentions(text, options),
        Format::Json => structured::json(text, options)?,
        Format::Jsonl => structured::jsonl(text, options),
    };
    found.sort_by_key(|mention| (mention.line, mention.column));
    let mut seen = std::collections::HashSet::new();
    found.retain(|mention| {
        seen.insert((
            mention.line,
            mention.column,
            mention.url.clone(),
            mention.claim.clone(),
        ))
    });
    Ok(found)
}

/// The document is not what its format says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the document is not JSON")]
pub struct DocumentError;

/// A place in a text: line and column, both from 1.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { starts }
    }

    fn place(&self, text: &str, offset: usize) -> (u64, u64) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = text
            .get(start..offset)
            .map_or(0, |head| head.chars().count());
        (line as u64, column as u64 + 1)
    }
}

/// Ranges of a text, sorted by their start. Two of them lie apart or one
/// inside the other.
struct Spans(Vec<Range<usize>>);

impl Spans {
    /// Looking back further than this finds nothing a reader would call nested.
    const DEPTH: usize = 64;

    fn new(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        ranges.dedup();
        Self(ranges)
    }

    /// The smallest range around this one.
    fn around(&self, inner: &Range<usize>) -> Option<&Range<usize>> {
        let end = self.0.partition_point(|range| range.start <= inner.start);
        let before = self.0.get(..end).unwrap_or_default();
        before
            .iter()
            .rev()
            .take(Self::DEPTH)
            .find(|range| inner.end <= range.end)
    }

    fn covers(&self, offset: usize) -> bool {
        self.around(&(offset..offset + 1)).is_some()
    }
}

/// Stands for the place of a citation while the text around it is cut.
const PLACE: char = '\u{1}';

/// The sentence around a citation at this range of a block; where it is hardly
/// more than the URL, the one before it.
fn sentence_at(block: &str, range: &Range<usize>) -> Option<String> {
    // Inside the citation, not before it: there it could hide the beginning of a sentence.
    let last = block
        .get(range.clone())?
        .char_indices()
        .next_back()
        .map_or(0, |(at, _)| at);
    let (head, tail) = block.split_at_checked(range.start + last)?;
    let all = Sentence::all(&format!("{head}{PLACE}{tail}"));
    let at = all
        .iter()
        .position(|sentence| sentence.written.contains(PLACE))?;
    let own = all.get(at)?;
    let before = at
        .checked_sub(1)
        .and_then(|at| all.get(at))
        .filter(|before| before.paragraph == own.paragraph);
    let chosen = if own.says_something() {
        own
    } else {
        before.unwrap_or(own)
    };
    let text = chosen.text.replace(PLACE, "");
    let text = text
        .trim_start_matches(['|', '-', '*', '+', ' '])
        .trim_end_matches(['|', ' ']);
    Some(text.to_owned()).filter(|text| !text.is_empty())
}
