//! `crosscheck pdf-text`: the text of one PDF, in a process of its own.
//!
//! PDF parsers panic, loop and eat memory on broken files. Here that ends a
//! child with limits, and the check goes on without its text.

use std::io;

use crosscheck::core::files::drain_limited;
use pdf_extract::{
    Dictionary, Document, MediaBox, Object, ObjectId, OutputDev, OutputError, Transform,
    output_doc_page,
};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::args::PdfTextArgs;
use crate::failure::Failure;
use crate::output::Streams;

const PDF_MAX: u64 = 64 * 1024 * 1024;
/// Address space, of which the program itself takes about a third.
const MEMORY_MAX: u64 = 384 * 1024 * 1024;
const CPU_SECONDS: u64 = 15;
/// A wider gap between two glyphs is a blank, in parts of their size; kerning is narrower.
const BLANK: f64 = 0.17;
/// So wide a gap is one between columns, whatever the widths of the glyphs before it are.
const COLUMN: f64 = 2.5;
/// A text that writes its blanks has one among so many glyphs, or more.
const BLANKS_SHARE: usize = 20;

pub(crate) fn run(args: &PdfTextArgs, streams: &mut Streams) -> Result<u8, Failure> {
    limit(Resource::As, MEMORY_MAX);
    limit(Resource::Cpu, CPU_SECONDS);
    limit(Resource::Core, 0);
    let unreadable = || {
        Failure::usage(
            "standard input holds no PDF that can be read",
            "send one PDF of at most 64 MiB",
        )
    };
    let bytes = drain_limited(io::stdin().lock(), PDF_MAX)
        .ok()
        .flatten()
        .ok_or_else(unreadable)?;
    let text = if args.html {
        linked(&bytes).ok_or_else(unreadable)?
    } else {
        let pages =
            pdf_extract::extract_text_from_mem_by_pages(&bytes).map_err(|_| unreadable())?;
        pages.join("\n\n")
    };
    streams.data(text.as_bytes())?;
    Ok(0)
}

/// A limit that cannot be set leaves the one that was there.
fn limit(resource: Resource, most: u64) {
    let _ = setrlimit(
        resource,
        Rlimit {
            current: Some(most),
            maximum: Some(most),
        },
    );
}

/// The text of all pages as HTML, with links where the PDF has them.
fn linked(bytes: &[u8]) -> Option<String> {
    let mut document = Document::load_mem(bytes).ok()?;
    if document.is_encrypted() {
        document.decrypt("").ok()?;
    }
    let mut out = String::from("<html><body>");
    for (number, page) in document.get_pages() {
        let mut writer = PageWriter::new(links(&document, page));
        output_doc_page(&document, &mut writer, number).ok()?;
        out.push_str(&paragraphs(&writer.finish()));
    }
    out.push_str("</body></html>\n");
    Some(out)
}

/// An area of a page that leads to the web.
struct LinkArea {
    left: f64,
    bottom: f64,
    right: f64,
    top: f64,
    url: String,
}

/// The links of a page.
fn links(document: &Document, page: ObjectId) -> Vec<LinkArea> {
    let annotations = document.get_page_annotations(page).unwrap_or_default();
    let found = annotations
        .into_iter()
        .filter_map(|annotation| area(document, annotation));
    found.collect()
}

fn area(document: &Document, annotation: &Dictionary) -> Option<LinkArea> {
    let resolved = |object: &Object| -> Option<Object> {
        match object {
            Object::Reference(id) => document.get_object(*id).ok().cloned(),
            other => Some(other.clone()),
        }
    };
    let action = resolved(annotation.get(b"A").ok()?)?;
    let url = resolved(action.as_dict().ok()?.get(b"URI").ok()?)?;
    let url = String::from_utf8_lossy(url.as_str().ok()?).into_owned();
    let rect = resolved(annotation.get(b"Rect").ok()?)?;
    let number = |object: &Object| object.as_float().ok().map(f64::from);
    let sides: Vec<f64> = rect.as_array().ok()?.iter().filter_map(number).collect();
    let [x, y, other_x, other_y] = *sides.as_slice() else {
        return None;
    };
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    is_web.then(|| LinkArea {
        left: x.min(other_x),
        bottom: y.min(other_y),
        right: x.max(other_x),
        top: y.max(other_y),
        url,
    })
}

/// Writes the characters of a page as lines of HTML; a blank line ends a paragraph.
struct PageWriter {
    links: Vec<LinkArea>,
    /// The link that is open.
    open: Option<usize>,
    out: String,
    /// Where the last character ended, and its line.
    last: Option<(f64, f64)>,
    is_word_start: bool,
    /// Where a gap between two glyphs may be a blank.
    gaps: Vec<usize>,
    glyphs: usize,
    /// How many of them are blanks.
    blanks: usize,
}

impl PageWriter {
    const fn new(links: Vec<LinkArea>) -> Self {
        Self {
            links,
            open: None,
            out: String::new(),
            last: None,
            is_word_start: false,
            gaps: Vec::new(),
            glyphs: 0,
            blanks: 0,
        }
    }

    /// The text. Where the page writes its blanks itself, a gap is none: widths of glyphs
    /// that are not known would cut words.
    fn finish(mut self) -> String {
        self.lead_to(None);
        if self.blanks * BLANKS_SHARE < self.glyphs {
            for gap in self.gaps.iter().rev() {
                self.out.insert(*gap, ' ');
            }
        }
        self.out
    }

    /// Ends the link that is open, and begins another one.
    fn lead_to(&mut self, link: Option<usize>) {
        if self.open == link {
            return;
        }
        if self.open.is_some() {
            self.out.push_str("</a>");
        }
        self.open = link;
        if let Some(area) = link.and_then(|link| self.links.get(link)) {
            self.out.push_str("<a href=\"");
            self.out.push_str(&escaped(&area.url));
            self.out.push_str("\">");
        }
    }
}

impl OutputDev for PageWriter {
    fn begin_page(
        &mut self,
        _: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _: f64,
        font_size: f64,
        words: &str,
    ) -> Result<(), OutputError> {
        let (x, y) = (place.m31, place.m32);
        let wide = font_size * (place.m11 + place.m21);
        let high = font_size * (place.m12 + place.m22);
        let size = (wide * high).abs().sqrt();
        if let Some((end, line)) = self.last.filter(|_| self.is_word_start) {
            let step = (y - line).abs();
            if step > size * 1.5 {
                self.lead_to(None);
                self.out.push_str("\n\n");
            } else if x < end && step > size * 0.5 {
                self.out.push('\n');
            } else if x > end + size * COLUMN {
                self.out.push(' ');
            } else if x > end + size * BLANK {
                self.gaps.push(self.out.len());
            }
        }
        // a glyph stands on its base line, a little above the lower side of the area
        let middle = x + width * size / 2.0;
        let holds = |area: &LinkArea| {
            (area.left..area.right - size * 0.05).contains(&middle)
                && (area.bottom - size * 0.3..=area.top).contains(&y)
        };
        let link = self.links.iter().position(holds);
        self.lead_to(link);
        self.out.push_str(&escaped(words));
        self.glyphs += 1;
        self.blanks += usize::from(words.trim().is_empty());
        self.is_word_start = false;
        self.last = Some((x + width * size, y));
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.is_word_start = true;
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Lines as paragraphs: words that a line end breaks are whole again, and what
/// begins an entry of a list begins a line.
fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for block in text.split("\n\n").filter(|block| !block.trim().is_empty()) {
        let mut words = String::new();
        for line in block.lines().map(str::trim) {
            let is_small = line.starts_with(|c: char| c.is_lowercase());
            let ends_in_word = words
                .strip_suffix('-')
                .is_some_and(|word| word.ends_with(char::is_alphabetic));
            if ends_in_word && is_small {
                words.pop();
            } else if !words.is_empty() {
                words.push_str(if begins_entry(line) { "<br>" } else { " " });
            }
            words.push_str(line);
        }
        out.push_str("<p>");
        out.push_str(&words);
        out.push_str("</p>\n");
    }
    out
}

/// Whether a line begins like an entry: `[1] `, `1. `, `• `.
fn begins_entry(line: &str) -> bool {
    let rest = line.trim_start_matches('[');
    let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.len() - number.len();
    let is_counted = (1..=3).contains(&digits)
        && (number.starts_with("] ") || number.starts_with(". ") || number.starts_with(") "));
    is_counted || line.starts_with("• ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_page_become_paragraphs() {
        for (text, expected) in [
            (
                "Oaks are\nold trees.\n\nElms.",
                "<p>Oaks are old trees.</p>\n<p>Elms.</p>\n",
            ),
            (
                "hyphen-\nated and E-\nMail",
                "<p>hyphenated and E- Mail</p>\n",
            ),
            ("[1] Oaks\n[2] Elms", "<p>[1] Oaks<br>[2] Elms</p>\n"),
        ] {
            assert_eq!(paragraphs(text), expected, "{text}");
        }
    }
}
