//! The text of a page: what a reader would read, and what the page says about
//! itself (sources 5.2).

mod charset;
mod html;
pub mod tokens;
mod xml;

/// At most this many headings are kept.
pub const HEADINGS_MAX: usize = 200;

/// A page as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Paragraphs with a blank line between them; white space collapsed.
    pub text: String,
    /// `<title>`.
    pub title: Option<String>,
    /// The first `<h1>`.
    pub heading: Option<String>,
    /// The headings of all levels, each a paragraph of the text; at most [`HEADINGS_MAX`].
    pub headings: Vec<String>,
    /// `og:site_name`.
    pub site_name: Option<String>,
    /// `<html lang>`.
    pub language: Option<String>,
    /// What the text was made from.
    pub kind: BodyKind,
}

/// No rule about short pages looks further.
pub const LENGTH_MAX: usize = 4096;

impl Page {
    /// Length of the text in characters, counted up to [`LENGTH_MAX`]; white
    /// space between two words counts as one character.
    pub fn length(&self) -> usize {
        let mut in_space = true;
        let counted = self.text.chars().filter(|c| {
            let was_in_space = std::mem::replace(&mut in_space, c.is_whitespace());
            !(was_in_space && in_space)
        });
        counted.take(LENGTH_MAX).count()
    }
}

/// The type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// HTML or XHTML.
    Html,
    /// Any other text.
    #[default]
    Text,
    /// JSON.
    Json,
    /// XML.
    Xml,
    /// PDF, to be read by a child process.
    Pdf,
}

/// A body that cannot be read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoText {
    /// A PDF: its text is extracted elsewhere.
    Pdf,
    /// An image, a program, an archive.
    Unsupported,
}

/// The text of a body, by its content type.
pub fn extract(content_type: Option<&str>, body: &[u8]) -> Result<Page, NoText> {
    let kind = kind_of(content_type, body).ok_or(NoText::Unsupported)?;
    let decoded = |looks_for_meta| charset::decode(content_type, body, looks_for_meta);
    match kind {
        BodyKind::Html => Ok(html::page(&decoded(true))),
        BodyKind::Xml => Ok(Page {
            text: xml::text(&decoded(false)),
            kind,
            ..Page::default()
        }),
        BodyKind::Text | BodyKind::Json => Ok(Page {
            text: decoded(false),
            kind,
            ..Page::default()
        }),
        BodyKind::Pdf => Err(NoText::Pdf),
    }
}

/// The type of a body: from its content type, or from its first bytes if the
/// server names none.
pub fn kind_of(content_type: Option<&str>, body: &[u8]) -> Option<BodyKind> {
    let kind = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match kind.as_str() {
        "" => look_of(body),
        "text/html" | "application/xhtml+xml" => Some(BodyKind::Html),
        "application/pdf" | "application/x-pdf" => Some(BodyKind::Pdf),
        "application/json" | "text/json" => Some(BodyKind::Json),
        "application/xml" | "text/xml" => Some(BodyKind::Xml),
        other if other.starts_with("image/") => None,
        other if other.ends_with("+json") => Some(BodyKind::Json),
        other if other.ends_with("+xml") => Some(BodyKind::Xml),
        other if other.starts_with("text/") => Some(BodyKind::Text),
        _ => None,
    }
}

fn look_of(body: &[u8]) -> Option<BodyKind> {
    let start: Vec<u8> = body.trim_ascii_start().iter().take(512).copied().collect();
    let start = String::from_utf8_lossy(&start).to_ascii_lowercase();
    if start.starts_with("%pdf-") {
        Some(BodyKind::Pdf)
    } else if ["<!doctype html", "<html", "<head", "<body", "<title"]
        .iter()
        .any(|tag| start.starts_with(tag))
    {
        Some(BodyKind::Html)
    } else if start.starts_with("<?xml") {
        Some(BodyKind::Xml)
    } else if start.contains('\0') || start.contains('\u{fffd}') {
        None
    } else {
        Some(BodyKind::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_between_paragraphs_is_one_character_of_the_length() {
        for (text, length) in [
            ("tree", 4),
            ("a tree\n\na tree", 13),
            ("a\r\n\r\n \tb", 3),
            ("\n\na", 1),
            ("", 0),
        ] {
            let page = Page {
                text: text.to_owned(),
                ..Page::default()
            };
            assert_eq!(page.length(), length, "{text:?}");
        }
        let list = format!("<title>T</title>{}", "<li>tree</li>".repeat(34));
        let page = extract(Some("text/html"), list.as_bytes()).unwrap();
        assert_eq!(page.length(), 34 * 4 + 33);
    }

    #[test]
    fn content_types_decide_how_a_body_is_read() {
        for (kind, expected) in [
            ("text/html; charset=utf-8", Some(BodyKind::Html)),
            ("APPLICATION/XHTML+XML", Some(BodyKind::Html)),
            ("text/markdown", Some(BodyKind::Text)),
            ("application/ld+json", Some(BodyKind::Json)),
            ("application/rss+xml", Some(BodyKind::Xml)),
            ("application/pdf", Some(BodyKind::Pdf)),
            ("image/svg+xml", None),
            ("application/octet-stream", None),
            ("video/mp4", None),
        ] {
            assert_eq!(kind_of(Some(kind), b"x"), expected, "{kind}");
        }
    }

    #[test]
    fn a_body_without_a_type_is_known_by_its_look() {
        for (body, expected) in [
            (&b" <!DOCTYPE html><p>x"[..], Some(BodyKind::Html)),
            (b"%PDF-1.7", Some(BodyKind::Pdf)),
            (b"plain words", Some(BodyKind::Text)),
            (b"\x00\x01\x02", None),
        ] {
            assert_eq!(kind_of(None, body), expected, "{body:?}");
        }
    }
}
