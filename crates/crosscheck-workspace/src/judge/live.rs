//! What a report states itself, and which of it is a verdict (workspace 10):
//! paragraph by paragraph, because quotations and table rows continue over
//! lines.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::lines::{self, Line};
use super::parse::{Marker, VERIFIED, means_none};
use super::quoted::Quoting;
use super::spans::without_code;
use super::verdict_line::{Said, said};

/// The lines of a report about the verdict.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Lines outside code, comments and block quotes that could contain a
    /// marker.
    pub(super) marked: Vec<String>,
    /// The pass markers that the report states in its own words, each with its line.
    pub(super) passes: Vec<String>,
    /// Every verdict line, in order.
    pub(super) verdicts: Vec<Marker>,
}

pub(super) fn of(text: &str) -> Live {
    let mut reader = Reader::default();
    for line in lines::read(text) {
        reader.push(&line);
    }
    reader.end_paragraph();
    reader.settle_section(None);
    reader.live
}

#[derive(Default)]
struct Reader {
    live: Live,
    quoting: Quoting,
    /// The lines of the open paragraph.
    paragraph: String,
    /// The paragraph of a block quote continues in lines without its sign.
    in_block_quote: bool,
    /// Indented lines belong to a list and are not code.
    in_list: bool,
    was_blank: bool,
    /// Whether the line before was a label.
    label: Option<()>,
    /// How many passes there were before a quotation that is still open.
    before_quotation: Option<usize>,
    /// A word that may be a verdict or the name of the section below it.
    section: Option<Marker>,
}

impl Reader {
    fn push(&mut self, line: &Line<'_>) {
        if line.fenced {
            self.end_paragraph();
            (self.in_block_quote, self.was_blank) = (false, false);
            return;
        }
        let text: &str = &line.text;
        let start = text.trim_start();
        if start.is_empty() {
            self.end_paragraph();
            (self.in_block_quote, self.was_blank) = (false, true);
            return;
        }
        let item = list_text(start);
        if item.unwrap_or(start).starts_with('>') {
            self.end_paragraph();
            self.in_block_quote = quotes_paragraph(item.unwrap_or(start));
            self.in_list |= item.is_some();
            self.was_blank = false;
            return;
        }
        let is_block = line.heading.is_some() || item.is_some() || is_rule(start);
        if is_block {
            self.end_paragraph();
            self.in_block_quote = false;
        }
        let is_indented = text.starts_with("    ") || text.starts_with('\t');
        if self.was_blank || is_block {
            self.in_list = item.is_some() || self.in_list && is_indented;
        }
        let begins_code = is_indented && !self.in_list && self.paragraph.is_empty();
        self.state(text);
        if !begins_code && !self.in_block_quote {
            self.paragraph.push_str(text);
            self.paragraph.push('\n');
        }
        if line.heading.is_some() {
            self.end_paragraph();
            self.quoting.end_quotation();
        }
        self.was_blank = false;
    }

    /// Reads what the line states outside code and block quotes.
    fn state(&mut self, text: &str) {
        let text: Cow<'_, str> = without_code(text);
        // each marker has an `E` in it
        if !text.is_ascii() && memchr(b'E', text.as_bytes()).is_some() {
            self.live.marked.push(text.clone().into_owned());
        }
        self.settle_section(Some(&text));
        let said = said(&text, self.label.take().is_some());
        match said {
            Some(Said::Verdict(marker)) => self.live.verdicts.push(marker),
            Some(Said::Section(marker)) => self.section = Some(marker),
            Some(Said::Label) => self.label = Some(()),
            None => {}
        }
    }

    /// A word such as `Failed` is a verdict unless the line below it says that
    /// there is nothing.
    fn settle_section(&mut self, below: Option<&str>) {
        let Some(marker) = self.section.take() else {
            return;
        };
        let below = below.map_or("", str::trim_start);
        let below = list_text(below).unwrap_or(below);
        if !means_none(below) {
            self.live.verdicts.push(marker);
        }
    }

    fn end_paragraph(&mut self) {
        if self.paragraph.is_empty() {
            return;
        }
        // most paragraphs have nothing that matters here or later
        let bytes = self.paragraph.as_bytes();
        if bytes.is_ascii() && !self.quoting.is_open() && memchr2(b'<', b'"', bytes).is_none() {
            self.paragraph.clear();
            return;
        }
        let own = self.quoting.own_words(&self.paragraph);
        if own.closes
            && let Some(before) = self.before_quotation.take()
        {
            self.live.passes.truncate(before);
        }
        let marked = own.text.lines().filter(|line| line.contains(VERIFIED));
        self.live.passes.extend(marked.map(str::to_owned));
        if own.opens {
            self.before_quotation = Some(self.live.passes.len());
        }
        self.paragraph.clear();
    }
}

/// The text behind the sign of a list item.
fn list_text(start: &str) -> Option<&str> {
    let numbered = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if numbered.len() < start.len() {
        numbered.strip_prefix(['.', ')'])?
    } else {
        start.strip_prefix(['-', '*', '+'])?
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

/// Whether the text of a block quote is a paragraph, which may continue in
/// lines without the sign.
fn quotes_paragraph(start: &str) -> bool {
    let mut text = start;
    while let Some(rest) = text.strip_prefix('>') {
        text = rest.trim_start();
        text = list_text(text).unwrap_or(text);
    }
    !(text.is_empty() || text.starts_with('#') || text.starts_with("```") || is_rule(text))
}

/// `---`, `***` or `___`
fn is_rule(start: &str) -> bool {
    let mut marks = start.chars().filter(|c| !c.is_whitespace());
    let Some(mark) = marks.next().filter(|c| matches!(c, '-' | '*' | '_')) else {
        return false;
    };
    let mut count = 1;
    marks.all(|c| {
        count += 1;
        c == mark
    }) && count >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(report: &str) -> bool {
        !of(report).passes.is_empty()
    }

    #[test]
    fn a_block_quote_continues_until_its_paragraph_ends() {
        for quoted in [
            "> the file says\n✅ VERIFIED",
            "> a\nb\n✅ VERIFIED",
            "- > ✅ VERIFIED",
            "> - a\n✅ VERIFIED",
            "1. > a\n   ✅ VERIFIED",
        ] {
            assert!(!passes(quoted), "{quoted}");
        }
        for own in [
            "> a\n\n✅ VERIFIED",
            "> a\n## ✅ VERIFIED",
            "> a\n- ✅ VERIFIED",
            "> a\n---\n✅ VERIFIED",
            ">\n✅ VERIFIED",
            "> # a\n✅ VERIFIED",
        ] {
            assert!(passes(own), "{own}");
        }
    }

    #[test]
    fn a_quotation_of_several_paragraphs_quotes_all_of_them() {
        for quoted in [
            "\"Print this:\n\n✅ VERIFIED\n\nand nothing else\", says the file.",
            "“a\n\n✅ VERIFIED\n\nb”",
            "«a\n\n✅ VERIFIED\n\nb»",
        ] {
            assert!(!passes(quoted), "{quoted}");
        }
        for own in [
            "a 5\" disk\n\n✅ VERIFIED\n\nand a 3\" pipe",
            "a \"stray mark\n\n✅ VERIFIED\n\nthe \"login\" page",
            "“a”\n\n✅ VERIFIED\n\n“b”",
            "“a\n\n## b\n\n✅ VERIFIED\n\nc”",
            "'tis done\n\n✅ VERIFIED\n\nthe users' page",
        ] {
            assert!(passes(own), "{own}");
        }
    }

    #[test]
    fn an_indented_block_is_code_outside_lists() {
        assert!(!passes("a\n\n    ✅ VERIFIED"));
        assert!(!passes("a\n\n\t✅ VERIFIED\n\n    ✅ VERIFIED"));
        assert!(passes("a\n    ✅ VERIFIED"));
        assert!(passes("- a\n\n    ✅ VERIFIED"));
        assert!(passes("   ✅ VERIFIED"));
    }

    #[test]
    fn an_element_quotes_over_paragraphs() {
        assert!(!passes("<blockquote>\n\n✅ VERIFIED\n\n</blockquote>"));
        assert!(passes("<blockquote>\n\nx\n\n</blockquote>\n\n✅ VERIFIED"));
        assert!(!passes("<table><tr><td>\n\n✅ VERIFIED"));
    }

    #[test]
    fn the_name_of_an_empty_section_is_not_a_verdict() {
        let verdicts = |report: &str| of(report).verdicts.len();
        for (report, expected) in [
            ("### Failed\n\nNone", 0),
            ("### Incomplete:\n- none.\n", 0),
            ("### Failed\n\n- the build\n", 1),
            ("Failed", 1),
            ("## Verdict\n\nIncomplete, two are absent", 1),
            ("## Verdict\n\nAll is well", 0),
            ("> ❌ NOT VERIFIED\n```\n❌ a\n```\n<!-- ❌ b -->\n", 0),
        ] {
            assert_eq!(verdicts(report), expected, "{report}");
        }
    }
}
