//! Word documents: a zip of XML, turned into the HTML of the same text, one
//! line for each paragraph, which the reader of HTML takes from there.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{Cursor, Read as _};

use crosscheck_fetch::text::tokens::{Token, tokens, unescape};
use zip::ZipArchive;

use super::NotText;
use super::written::quoted;

/// No part of a document is larger unpacked.
const PART_MAX: u64 = 64 * 1024 * 1024;
const CHUNKED: NotText = NotText::Kind("a Word document with another document in it");
const REFUSED: NotText = NotText::Kind("a zip that holds no Word document");

/// The text of a Word document as HTML.
pub(super) fn html(bytes: &[u8]) -> Result<String, NotText> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| REFUSED)?;
    let document = part(&mut archive, "document.xml").ok_or(REFUSED)?;
    let targets = relations(&mut archive, "document.xml");
    let mut out = String::from("<html><body>");
    let mut writer = Writer::new(&targets);
    out.push_str(&writer.text(&document));
    for name in others(&archive)? {
        let Some(notes) = part(&mut archive, &name) else {
            continue;
        };
        let targets = relations(&mut archive, &name);
        out.push_str(&Writer::new(&targets).text(&notes));
    }
    out.push_str("</body></html>\n");
    Ok(out)
}

/// The parts with text beside the document itself: notes, heads and feet of the pages. One that is
/// another document is not read.
fn others(archive: &ZipArchive<Cursor<&[u8]>>) -> Result<Vec<String>, NotText> {
    let mut found: Vec<String> = Vec::new();
    for name in archive.file_names() {
        let name = name.map_err(|_| REFUSED)?;
        let own = name.strip_prefix("word/").unwrap_or(&name);
        let is_text = ["footnotes", "endnotes", "header", "footer", "comments"]
            .iter()
            .any(|kind| own.starts_with(kind));
        let end = own.rsplit('.').next().unwrap_or_default();
        match end.to_ascii_lowercase().as_str() {
            "xml" if is_text => found.push(own.to_owned()),
            "htm" | "html" | "mht" | "mhtml" | "txt" | "rtf" | "docx" => return Err(CHUNKED),
            _ => {}
        }
    }
    found.sort_unstable_by_key(|name| !name.starts_with("footnotes"));
    Ok(found)
}

/// One file of the archive.
fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Option<String> {
    let file = archive.by_name(&format!("word/{name}")).ok()?;
    let mut bytes = Vec::new();
    let read = file.take(PART_MAX + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= PART_MAX).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Where the links of a part lead, by their ids.
fn relations(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> HashMap<String, String> {
    let xml = part(archive, &format!("_rels/{name}.rels")).unwrap_or_default();
    let mut found = HashMap::new();
    for (_, token) in tokens(&xml) {
        if let Token::Open { name, attributes } = token
            && name == "relationship"
            && let (Some(id), Some(target)) =
                (value(&attributes, "id"), value(&attributes, "target"))
        {
            found.insert(id.to_owned(), target.to_owned());
        }
    }
    found
}

fn value<'a>(attributes: &'a [(String, String)], wanted: &str) -> Option<&'a str> {
    let mut found = attributes.iter().filter(|(name, _)| name == wanted);
    found.next().map(|(_, value)| value.as_str())
}

/// Writes the paragraphs of a part.
struct Writer<'t> {
    targets: &'t HashMap<String, String>,
    /// The paragraph that is open: its tag and its words.
    tag: &'static str,
    words: String,
    /// The note that is open; its first paragraph is named after it.
    note: Option<String>,
    /// Text is read here, and not the text of formulas and deleted words.
    is_text: bool,
    /// The code of a field, and whether its words have begun.
    field: Option<(String, bool)>,
    /// Links that are open, with whether they lead to the web.
    links: Vec<bool>,
}

impl<'t> Writer<'t> {
    fn new(targets: &'t HashMap<String, String>) -> Self {
        Self {
            targets,
            tag: "p",
            words: String::new(),
            note: None,
            is_text: false,
            field: None,
            links: Vec::new(),
        }
    }

    fn text(&mut self, xml: &str) -> String {
        let mut out = String::new();
        let mut cursor = 0;
        for (range, token) in tokens(xml) {
            let words = xml.get(cursor..range.start).unwrap_or_default();
            cursor = range.end;
            match &mut self.field {
                Some((code, false)) => code.push_str(&unescape(words)),
                _ if self.is_text => self.words.push_str(words), // escaped as HTML is
                _ => {}
            }
            // `<w:p/>` has no end of its own
            let is_empty = xml.get(range).is_some_and(|tag| tag.ends_with("/>"));
            match token {
                Token::Open { name, attributes } => {
                    self.open(&name, &attributes, &mut out);
                    if is_empty {
                        self.close(&name, &mut out);
                    }
                }
                Token::Close { name } => self.close(&name, &mut out),
                Token::Hidden => {}
            }
        }
        out
    }

    fn open(&mut self, name: &str, attributes: &[(String, String)], out: &mut String) {
        match name {
            "w:t" => self.is_text = true,
            "w:br" | "w:cr" => self.words.push_str("<br>"),
            "w:tab" => self.words.push(' '),
            "w:nobreakhyphen" => self.words.push('-'),
            "w:pstyle" => self.tag = tag_of(value(attributes, "w:val").unwrap_or_default()),
            "w:numpr" if self.tag == "p" => self.tag = "li",
            "w:hyperlink" => {
                let url = value(attributes, "r:id").and_then(|id| self.targets.get(id));
                self.open_link(url.cloned().as_deref());
            }
            "w:fldsimple" => {
                let url = value(attributes, "w:instr").and_then(link_of_field);
                self.open_link(url.as_deref());
            }
            "w:fldchar" => self.field_sign(value(attributes, "w:fldchartype").unwrap_or_default()),
            "w:footnotereference" | "w:endnotereference" => {
                let id = value(attributes, "w:id").unwrap_or_default();
                let kind = name.get(2..3).unwrap_or_default();
                if is_number(id) {
                    let _ = write!(self.words, "<sup><a href=\"#{kind}{id}\">{id}</a></sup>");
                }
            }
            "w:footnote" | "w:endnote" => {
                let id = value(attributes, "w:id").filter(|id| is_number(id));
                let kind = name.get(2..3).unwrap_or_default();
                self.note = id.map(|id| format!("{kind}{id}"));
            }
            "w:tbl" => out.push_str("<table>"),
            "w:tr" => out.push_str("<tr>"),
            "w:tc" => out.push_str("<td>"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, out: &mut String) {
        match name {
            "w:t" => self.is_text = false,
            "w:hyperlink" | "w:fldsimple" => self.close_link(),
            "w:p" => self.paragraph(out),
            "w:tbl" => out.push_str("</table>\n"),
            "w:tr" => out.push_str("</tr>\n"),
            "w:tc" => out.push_str("</td>"),
            _ => {}
        }
    }

    /// Ends a paragraph: one line of the HTML.
    fn paragraph(&mut self, out: &mut String) {
        while !self.links.is_empty() {
            self.close_link();
        }
        let tag = std::mem::replace(&mut self.tag, "p");
        let id = self.note.take().map(|id| format!(" id=\"{id}\""));
        let id = id.unwrap_or_default();
        let words = std::mem::take(&mut self.words).replace(['\n', '\r'], " ");
        let line = match tag {
            "li" => format!("<ul><li{id}>{words}</li></ul>\n"),
            _ => format!("<{tag}{id}>{words}</{tag}>\n"),
        };
        out.push_str(&line);
    }

    fn field_sign(&mut self, kind: &str) {
        match (kind, self.field.take()) {
            ("begin", _) => self.field = Some((String::new(), false)),
            ("separate", Some((code, _))) => {
                self.open_link(link_of_field(&code).as_deref());
                self.field = Some((code, true));
            }
            ("end", Some((_, true))) => self.close_link(),
            _ => {}
        }
    }

    fn open_link(&mut self, url: Option<&str>) {
        let url = url.filter(|url| url.contains("://"));
        if let Some(url) = url {
            let _ = write!(self.words, "<a href=\"{}\">", quoted(url));
        }
        self.links.push(url.is_some());
    }

    fn close_link(&mut self) {
        if self.links.pop() == Some(true) {
            self.words.push_str("</a>");
        }
    }
}

fn is_number(id: &str) -> bool {
    (1..=6).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// The tag of a paragraph by the name of its style.
fn tag_of(style: &str) -> &'static str {
    let style = style.to_ascii_lowercase().replace(' ', "");
    match style.as_str() {
        "title" | "heading1" | "berschrift1" | "titre1" => "h1",
        "heading2" | "berschrift2" | "titre2" => "h2",
        "heading3" | "berschrift3" | "titre3" => "h3",
        "heading4" | "heading5" | "heading6" => "h4",
        "quote" | "intensequote" => "blockquote",
        _ => "p",
    }
}

/// Where a field leads: `HYPERLINK "https://…"`.
fn link_of_field(code: &str) -> Option<String> {
    let rest = code.trim_start().strip_prefix("HYPERLINK")?;
    let (_, rest) = rest.split_once('"')?;
    rest.split('"').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::super::Format;
    use super::super::tests::{claims, one};
    use super::*;

    fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn paragraphs_links_and_notes_of_a_word_document_are_read() {
        let run = |words: &str| format!("<w:r><w:t xml:space=\"preserve\">{words}</w:t></w:r>");
        let document = format!(
            "<w:document><w:body>\
             <w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr>{}</w:p>\
             <w:p>{}<w:hyperlink r:id=\"rId7\">{}</w:hyperlink>{}</w:p>\
             <w:p>{}<w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
             <w:p>{}<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> HYPERLINK \"https://a.example/3\" </w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>{}</w:p>\
             </w:body></w:document>",
            run("Trees"),
            run("Rome planted 41,000 trees &amp; shrubs ("),
            run("source"),
            run("). Oaks are old."),
            run("Elms were cut in 2019."),
            run("Yews are soft ("),
            run("link"),
            run(")."),
        );
        let notes = format!(
            "<w:footnotes><w:footnote w:id=\"2\"><w:p>{}<w:hyperlink r:id=\"rId1\">{}</w:hyperlink></w:p></w:footnote></w:footnotes>",
            run("See "),
            run("the survey"),
        );
        let relation = |id: &str, url: &str| {
            format!("<Relationships><Relationship Id=\"{id}\" Target=\"{url}\"/></Relationships>")
        };
        let bytes = zipped(&[
            ("word/document.xml", &document),
            (
                "word/_rels/document.xml.rels",
                &relation("rId7", "https://a.example/1"),
            ),
            ("word/footnotes.xml", &notes),
            (
                "word/_rels/footnotes.xml.rels",
                &relation("rId1", "https://a.example/2"),
            ),
        ]);
        let text = html(&bytes).unwrap();
        assert_eq!(
            claims(&text, Format::Html),
            [
                one("https://a.example/1", "Rome planted 41,000 trees & shrubs."),
                one("https://a.example/2", "Elms were cut in 2019."),
                one("https://a.example/3", "Yews are soft."),
            ],
            "{text}"
        );
        assert_eq!(html(&zipped(&[("a.txt", "x")])), Err(REFUSED));
        assert_eq!(html(b"PK\x03\x04 broken"), Err(REFUSED));
    }

    #[test]
    fn every_part_with_text_is_read_or_the_document_is_refused() {
        let cited =
            |words: &str, url: &str| format!("<w:p><w:r><w:t>{words} ({url}).</w:t></w:r></w:p>");
        let own = format!(
            "<w:document><w:body>{}</w:body></w:document>",
            cited("Oaks are old", "https://a.example/1")
        );
        let other = |tag: &str| {
            format!(
                "<w:{tag}>{}</w:{tag}>",
                cited("Elms are tall", "https://a.example/2")
            )
        };
        for (name, tag, is_read) in [
            ("word/header1.xml", "hdr", true),
            ("word/footer2.xml", "ftr", true),
            ("word/comments.xml", "comments", true),
            ("word/footnotes.xml", "footnotes", true),
            ("word/styles.xml", "styles", false),
            ("customXml/item1.xml", "x", false),
        ] {
            let bytes = zipped(&[("word/document.xml", &own), (name, &other(tag))]);
            let urls: Vec<String> = claims(&html(&bytes).unwrap(), Format::Html)
                .into_iter()
                .map(|(url, _)| url)
                .collect();
            let mut expected = vec!["https://a.example/1"];
            expected.extend(is_read.then_some("https://a.example/2"));
            assert_eq!(urls, expected, "{name}");
        }
        for chunk in [
            "word/afchunk.mht",
            "word/part.html",
            "word/inner.docx",
            "word/a.rtf",
        ] {
            let bytes = zipped(&[("word/document.xml", &own), (chunk, "Elms")]);
            assert_eq!(html(&bytes), Err(CHUNKED), "{chunk}");
        }
    }
}
