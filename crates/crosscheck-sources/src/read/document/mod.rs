//! Citations in any document: what is cited, for which sentence, and where.

mod adoc;
mod asides;
mod authors;
mod bib;
mod bibliography;
mod bind;
mod claims;
mod directives;
mod doubt;
mod grid;
mod html;
mod labels;
mod lines;
mod local;
mod markdown;
mod marks;
mod markup;
mod notebook;
mod plain;
mod raw;
mod rst;
mod shape;
mod silent;
mod spans;
mod structure;
mod structured;
mod tables;
mod tex;

use std::sync::Arc;

pub use local::{LocalLink, anchor, anchors, local_links};

/// How a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// One JSON value on each line.
    Jsonl,
    /// One JSON value.
    Json,
    /// HTML.
    Html,
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    Adoc,
    /// LaTeX.
    Tex,
    /// BibTeX.
    Bib,
    /// A notebook, by its cells of text.
    Notebook,
    /// Anything else.
    Text,
}

/// Whether the end of a file's name says that it is a document. Data and logs
/// are none: they are read where they are named.
pub fn is_document(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let known = matches!(
        name.rsplit('.').next(),
        Some("md" | "markdown" | "mdown" | "mkd" | "mdx" | "txt" | "text" | "org")
    );
    let format = Format::by_name(&name);
    known
        || !matches!(
            format,
            Format::Markdown | Format::Text | Format::Json | Format::Jsonl
        )
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
            "html" | "htm" | "xhtml" => Self::Html,
            "rst" | "rest" => Self::Rst,
            "adoc" | "asciidoc" | "asc" => Self::Adoc,
            "tex" | "latex" | "ltx" => Self::Tex,
            "bib" => Self::Bib,
            "ipynb" => Self::Notebook,
            "txt" | "text" | "log" | "org" => Self::Text,
            _ => Self::Markdown,
        }
    }

    /// By its word on the command line.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "markdown" => Some(Self::Markdown),
            "jsonl" => Some(Self::Jsonl),
            "json" => Some(Self::Json),
            "html" => Some(Self::Html),
            "rst" => Some(Self::Rst),
            "adoc" => Some(Self::Adoc),
            "tex" => Some(Self::Tex),
            "bib" => Some(Self::Bib),
            "notebook" => Some(Self::Notebook),
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
    pub claim: Option<Arc<str>>,
    /// The sentence with words that may only say something of the source. Where it
    /// has such words, the page must bear out both.
    pub whole: Option<Arc<str>>,
    /// What of the sentence is its own, where others are cited in it, too.
    pub part: Option<Part>,
    /// The title or link text.
    pub title: Option<String>,
    /// The text it belongs to, where that is not the whole document.
    pub context: Option<Arc<str>>,
    /// It stands in a list of sources, and nothing cites it.
    pub entry: Option<Entry>,
}

/// The words of a sentence around one of several citations in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// From the citation before it to its place.
    pub before: Arc<str>,
    /// From its place to the next citation.
    pub after: Arc<str>,
    /// No other source is cited at the same place.
    pub is_alone: bool,
}

/// An entry of a list of sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it says, without its number and its URL; all URLs of the entry share it.
    pub words: Arc<str>,
    /// Its heading or its form leave no doubt; else it is only in the place of one.
    pub is_certain: bool,
}

/// What a document holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The citations, in the order of the text.
    pub mentions: Vec<Mention>,
    /// Lines that are not what they should be, from 1.
    pub bad_lines: Vec<u64>,
    /// Lines of code fences that are never closed, from 1.
    pub unclosed: Vec<u64>,
    /// Marks that point to no entry of the list of sources, with their lines from 1.
    pub dangling: Vec<(u64, String)>,
}

/// A text begins without this many bytes that no text has.
const START: usize = 1024;

/// The text of a document: UTF-8, or UTF-16 that says so by its byte order mark.
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let pairs = bytes.chunks_exact(2);
        let units: Vec<u16> = pairs
            .filter_map(|pair| pair.try_into().ok().map(unit))
            .collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => Ok(units(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Ok(units(rest, u16::from_be_bytes)),
        _ if bytes.iter().take(START).any(|byte| *byte == 0) => Err(NotText),
        _ => {
            let rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            Ok(String::from_utf8_lossy(rest).into_owned())
        }
    }
}

/// The document is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the document is not text")]
pub struct NotText;

/// Reads the citations of a document.
pub fn read(text: &str, format: Format, options: ReadOptions) -> Result<Reading, DocumentError> {
    read_fields(text, format, options, &[])
}

/// Reads the citations of a document; in JSON only those of these fields.
pub fn read_fields(
    text: &str,
    format: Format,
    options: ReadOptions,
    fields: &[String],
) -> Result<Reading, DocumentError> {
    let format = match format {
        Format::Text => plain::format(text),
        other => other,
    };
    let mut reading = Reading::default();
    let dangling = &mut reading.dangling;
    reading.mentions = match format {
        Format::Markdown => markdown::mentions(text, options, &mut reading.unclosed, dangling),
        Format::Html => bind::mentions(text, html::parse(text), options, dangling),
        Format::Rst => bind::mentions(text, rst::parse(text), options, dangling),
        Format::Adoc => {
            let seen = adoc::parse(text);
            let mut walk = spans::Walk::new(text);
            reading
                .unclosed
                .extend(seen.unclosed.iter().map(|at| walk.place(*at).0));
            bind::mentions(text, seen, options, dangling)
        }
        Format::Tex => bind::mentions(text, tex::parse(text), options, dangling),
        Format::Bib => bind::mentions(text, bib::parse(text), options, dangling),
        Format::Notebook => notebook::mentions(text, options)?,
        Format::Text => plain::mentions(text, options, dangling),
        Format::Json => structured::json(text, options, fields)?,
        Format::Jsonl => structured::jsonl(text, options, fields, &mut reading.bad_lines),
    };
    let found = &mut reading.mentions;
    found.sort_by_key(|mention| (mention.line, mention.column));
    let mut seen = std::collections::HashSet::new();
    // only what stands at the same place can be the same
    let is_tied = |at: usize| {
        let place = |at: usize| found.get(at).map(|one| (one.line, one.column));
        place(at) == place(at + 1)
            || at
                .checked_sub(1)
                .is_some_and(|last| place(at) == place(last))
    };
    let is_new: Vec<bool> = found
        .iter()
        .enumerate()
        .map(|(at, one)| !is_tied(at) || seen.insert((one.line, one.column, &one.url, &one.claim)))
        .collect();
    let mut is_new = is_new.into_iter();
    found.retain(|_| is_new.next().unwrap_or(true));
    Ok(reading)
}

/// How many URLs stand anywhere in a text.
pub fn urls(text: &str) -> usize {
    crate::read::urls::urls_in(text).len()
}

/// The citations of a document, in the order of the text.
pub fn mentions(
    text: &str,
    format: Format,
    options: ReadOptions,
) -> Result<Vec<Mention>, DocumentError> {
    read(text, format, options).map(|reading| reading.mentions)
}

/// The document is not what its format says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the document is not JSON")]
pub struct DocumentError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_in_the_encoding_it_names() {
        let text = "[1]: https://a.example/1\n\nBäume grow tall [1].";
        let utf8 = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let low: Vec<u8> = [0xfeff]
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let high: Vec<u8> = [0xfeff]
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(u16::to_be_bytes)
            .collect();
        for bytes in [text.as_bytes(), &utf8, &low, &high] {
            assert_eq!(decode(bytes).as_deref(), Ok(text));
        }
        assert_eq!(decode(&low[2..]), Err(NotText), "nothing says what it is");
    }
}
