//! Citations in any document: what is cited, for which sentence, and where.

mod authors;
mod bib;
mod bind;
mod claims;
mod doc;
mod docx;
mod html;
mod json;
mod keys;
mod labels;
mod lists;
mod local;
mod markdown;
mod marks;
mod plain;
mod shape;
mod spans;
mod tables;
#[cfg(test)]
mod tests;
mod tex;
mod written;

use std::collections::HashSet;
use std::sync::Arc;

pub use keys::bibliographies;
pub use local::{LocalLink, anchor, anchors, local_links};
pub(crate) use marks::numbers;

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
    /// LaTeX.
    Tex,
    /// BibTeX.
    Bib,
    /// A notebook, by its cells of text.
    Notebook,
    /// Anything else.
    Text,
}

/// The ends of names with the format that they say, and whether a file of such a name is a document.
/// Data and logs are none: they are read where they are named.
const NAMES: [(&str, Format, bool); 9] = [
    ("md markdown mdown mkd mdx", Format::Markdown, true),
    ("jsonl ndjson", Format::Jsonl, false),
    ("json", Format::Json, false),
    ("html htm xhtml docx", Format::Html, true),
    ("tex latex ltx", Format::Tex, true),
    ("bib", Format::Bib, true),
    ("ipynb", Format::Notebook, true),
    ("txt text org adoc asciidoc rst rest", Format::Text, true),
    ("log asc", Format::Text, false),
];

fn named(name: &str) -> Option<(Format, bool)> {
    let (_, end) = name.rsplit_once('.')?;
    let end = end.to_ascii_lowercase();
    let mut all = NAMES.iter();
    let own = all.find(|(ends, ..)| ends.split(' ').any(|known| known == end));
    own.map(|(_, format, is_document)| (*format, *is_document))
}

/// Whether the end of a file's name says that it is a document.
pub fn is_document(name: &str) -> bool {
    named(name).is_some_and(|(_, is_document)| is_document)
}

impl Format {
    /// By the end of the file's name; Markdown where it says nothing.
    pub fn by_name(name: &str) -> Self {
        named(name).map_or(Self::Markdown, |(format, _)| format)
    }

    /// By its word on the command line.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "markdown" => Some(Self::Markdown),
            "jsonl" => Some(Self::Jsonl),
            "json" => Some(Self::Json),
            "html" => Some(Self::Html),
            "tex" => Some(Self::Tex),
            "bib" => Some(Self::Bib),
            "notebook" => Some(Self::Notebook),
            "text" | "rst" => Some(Self::Text),
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
    /// Who may be accused for it.
    pub firm: Firm,
    /// The words around it, where others are cited for the rest of the sentence.
    pub part: Option<Arc<Part>>,
    /// The title or link text.
    pub title: Option<String>,
    /// The text of the object that lists it, where no sentence carries it.
    pub context: Option<Arc<str>>,
    /// Nothing cites it: it is in a list of sources, or by itself.
    pub entry: Option<SourceEntry>,
}

impl Mention {
    /// A citation of which no more is known.
    fn of(url: String) -> Self {
        Self {
            url,
            line: 1,
            column: 1,
            claim: None,
            firm: Firm::Yes,
            part: None,
            title: None,
            context: None,
            entry: None,
        }
    }
}

/// Whether a source may be accused for what it is cited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Firm {
    /// It is.
    #[default]
    Yes,
    /// Others are cited at the same place: what is missing here may be on their pages.
    Shared,
    /// It is not: it may be cited for something else, or for a part of it, or some of the words
    /// may only describe the source.
    No,
}

/// The words of a sentence around one of several citations in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// From the citation before it to its place.
    pub before: String,
    /// From its place to the next citation.
    pub after: String,
    /// No other source is cited at the same place.
    pub is_alone: bool,
}

/// An entry of a list of sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
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
    /// Keys of a bibliography that lead to no page, with their lines from 1.
    pub keys: Vec<(u64, String)>,
}

/// A text begins without this many bytes that no text has.
const START: usize = 1024;

/// So many letters of ASCII side by side are in no text of UTF-16.
const ASCII_MIN: usize = 16;

/// The text of a document: UTF-8, or UTF-16 that says so by its byte order mark.
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        _ if bytes.starts_with(b"PK\x03\x04") => docx::html(bytes),
        _ if bytes.starts_with(b"%PDF-") => Err(NotText::Kind("a PDF")),
        _ if bytes.starts_with(b"{\\rtf") => Err(NotText::Kind("an RTF file")),
        _ if bytes.iter().take(START).any(|byte| *byte == 0) => Err(NotText::Bytes),
        _ => Ok(eight_bit(
            bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
        )),
    }
}

/// UTF-16. Two bytes in front of another text make nonsense of it, in which no
/// citation is found: such a text is refused, not read.
fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, NotText> {
    let pairs = bytes.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty();
    let units: Vec<u16> = pairs
        .filter_map(|pair| pair.try_into().ok().map(unit))
        .collect();
    // letters of ASCII one after the other are not of UTF-16
    let is_letter = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    let mut runs = bytes.split(|byte| !is_letter(byte));
    let is_other =
        runs.any(|run| run.len() >= ASCII_MIN || run.windows(3).any(|one| one == b"://"));
    // every second byte of a Latin text is none, and about half of those of others are
    let ascii = bytes
        .iter()
        .filter(|byte| is_letter(byte) || byte.is_ascii_whitespace());
    let is_other = is_other || ascii.count() * 10 >= bytes.len() * 9 && !bytes.is_empty();
    match String::from_utf16(&units) {
        Ok(text) if is_whole && !text.contains('\0') && !is_other => Ok(text),
        _ => Err(NotText::Encoding),
    }
}

/// UTF-8; where no sign beyond ASCII is, Latin-1.
fn eight_bit(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let is_latin = bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii());
    if is_latin {
        bytes.iter().map(|byte| char::from(*byte)).collect()
    } else {
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// Kinds of files that are not documents of text, by the ends of their names.
const KINDS: [(&str, &str); 10] = [
    ("pdf", "a PDF"),
    ("rtf", "an RTF file"),
    ("eml msg", "an e-mail"),
    ("mbox", "a mailbox"),
    ("srt vtt", "a file of subtitles"),
    ("doc", "an old Word document"),
    ("odt", "an OpenDocument text"),
    ("epub", "an e-book"),
    ("pptx", "a presentation"),
    ("xlsx xls", "a spreadsheet"),
];

/// Why a file is not read, by its name.
pub fn refused(name: &str) -> Option<NotText> {
    let end = name.rsplit_once('.')?.1.to_ascii_lowercase();
    let mut kinds = KINDS.iter();
    let kind = kinds.find(|(ends, _)| ends.split(' ').any(|known| known == end));
    kind.map(|(_, kind)| NotText::Kind(kind))
}

/// The document is not text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// Its bytes are none.
    #[error("the document is not text")]
    Bytes,
    /// It says that it is UTF-16, and is not.
    #[error("the document begins like UTF-16, and what follows is another encoding")]
    Encoding,
    /// It is something else.
    #[error("the document is {0}, which is not read; convert it to text, Markdown or HTML")]
    Kind(&'static str),
}

/// Reads the citations of a document.
pub fn read(text: &str, format: Format, options: ReadOptions) -> Result<Reading, DocumentError> {
    read_with(text, format, options, &[], &[])
}

/// Reads the citations of a document with the bibliographies that it names, see
/// [`bibliographies`]; in JSON only those of these fields, if any are named.
pub fn read_with(
    text: &str,
    format: Format,
    options: ReadOptions,
    fields: &[String],
    bibliographies: &[String],
) -> Result<Reading, DocumentError> {
    let format = match format {
        Format::Text => plain::format(text),
        other => other,
    };
    let mut found = Found::default();
    let mut bad_lines = Vec::new();
    match format {
        Format::Notebook => found.mentions = json::notebook(text, options)?,
        Format::Json => found.mentions = json::value(text, options, fields)?,
        Format::Jsonl => found.mentions = json::lines(text, options, fields, &mut bad_lines),
        _ => found.read(text, format, options, bibliographies),
    }
    let Found {
        mut mentions,
        unclosed,
        dangling,
        keys,
    } = found;
    mentions.sort_by_key(|(at, _)| *at);
    // only what is at the same place can be the same
    let pairs = mentions.iter().zip(mentions.iter().skip(1));
    let tied = pairs.filter(|((at, _), (next, _))| at == next);
    let tied: HashSet<usize> = tied.map(|((at, _), _)| *at).collect();
    let mut seen = HashSet::new();
    mentions.retain(|(at, one)| {
        !tied.contains(at) || seen.insert((*at, one.url.clone(), one.claim.clone()))
    });
    let mut walk = spans::Walk::new(text);
    let mentions = mentions.into_iter().map(|(at, mut one)| {
        (one.line, one.column) = walk.place(at);
        one
    });
    Ok(Reading {
        mentions: mentions.collect(),
        bad_lines,
        unclosed: on_lines(text, unclosed.into_iter().map(|at| (at, ())))
            .map(|(line, ())| line)
            .collect(),
        dangling: on_lines(text, dangling).collect(),
        keys: on_lines(text, keys).collect(),
    })
}

/// What was noted at places of a text, in their order, by its lines.
fn on_lines<T: Ord>(
    text: &str,
    noted: impl IntoIterator<Item = (usize, T)>,
) -> impl Iterator<Item = (u64, T)> {
    let mut noted: Vec<(usize, T)> = noted.into_iter().collect();
    noted.sort_unstable();
    let mut walk = spans::Walk::new(text);
    noted
        .into_iter()
        .map(move |(at, one)| (walk.place(at).0, one))
}

/// The citations of a text and where they are in it.
fn at_places(text: &str, format: Format, options: ReadOptions) -> json::Placed {
    let mut found = Found::default();
    found.read(text, format, options, &[]);
    found.mentions
}

/// What was found in a text, with the places where it is.
#[derive(Default)]
struct Found {
    mentions: json::Placed,
    unclosed: Vec<usize>,
    dangling: Vec<(usize, String)>,
    keys: Vec<(usize, String)>,
}

impl Found {
    /// Reads a text that is not JSON.
    fn read(
        &mut self,
        text: &str,
        format: Format,
        options: ReadOptions,
        bibliographies: &[String],
    ) {
        let mut keys = keys::Keys::new(text, format, options, bibliographies);
        let (doc, written) = doc_of(text, format);
        self.mentions = bind::mentions(&doc, options, &mut keys, &mut self.dangling);
        self.unclosed = doc.unclosed;
        self.keys = keys.unread;
        if let Some(written) = written {
            let mentions = self.mentions.iter_mut().map(|(at, _)| at);
            let noted = self.dangling.iter_mut().chain(&mut self.keys);
            let places = mentions.chain(noted.map(|(at, _)| at));
            places.for_each(|at| *at = written.at(*at));
        }
    }
}

/// The one model of a text; formats other than Markdown and HTML become HTML first.
fn doc_of(text: &str, format: Format) -> (doc::Doc, Option<written::Written>) {
    let written = match format {
        Format::Markdown => return (markdown::parse(text), None),
        Format::Tex => tex::html(text),
        Format::Bib => bib::html(text),
        Format::Text => plain::html(text),
        _ => return (html::parse(text), None),
    };
    (html::parse(&written.text), Some(written))
}

/// How many URLs are anywhere in a text.
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
pub enum DocumentError {
    /// An object has one key several times: readers differ in which of them counts.
    #[error("the document has one key twice in an object, so that a part of it would not be read")]
    Repeated,
    /// JSON is expected, and it is none.
    #[error("the document is not JSON")]
    Json,
    /// A notebook is expected, and it has no cells.
    #[error("the document is not a notebook: it has no list of cells")]
    Notebook,
}
