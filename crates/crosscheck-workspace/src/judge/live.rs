//! What a report states itself, and which of it is a verdict (workspace 10):
//! paragraph by paragraph, because quotations and table rows continue over
//! lines.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::lines::{self, Line};
use super::parse::{Marker, VERIFIED, strip_prefix_any_case};
use super::quoted::Quoting;
use super::spans::without_code;
use super::stated::{Above, heads_quotation, is_stated};
use super::verdict_line::{
    Said, is_about_before, is_contrary_anywhere, said, said_in_quotes, says_nothing,
};

/// The lines of a report about the verdict.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Lines outside code, comments and block quotes that could contain a
    /// marker.
    pub(super) marked: Vec<String>,
    /// The pass markers outside quotations, each with its line.
    pub(super) passes: Vec<Pass>,
    /// Every verdict line, in order.
    pub(super) verdicts: Vec<Marker>,
}

/// A line with a pass marker outside quotations.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) line: String,
    /// Whether the line states it, instead of speaking about it.
    pub(super) is_stated: bool,
}

pub(super) fn of(text: &str) -> Live {
    let mut reader = Reader::default();
    for line in lines::read(text) {
        reader.push(&line);
    }
    reader.end_paragraph();
    reader.settle_section(None);
    let agrees = |marker: &Marker| *marker == Marker::Verified;
    if reader.live.verdicts.iter().all(agrees) && is_doubtful(text) {
        let hidden = lines_of(text).any(is_contrary_anywhere);
        reader
            .live
            .verdicts
            .extend(hidden.then_some(Marker::NeedsReview));
    }
    reader.live
}

/// Whether quoted text may have broken out of its quotation: the marker occurs
/// more than once, or next to a fence or comment. Then a contrary verdict
/// counts in code, quotations and comments as well.
fn is_doubtful(text: &str) -> bool {
    let mut markers = text.match_indices(VERIFIED);
    let Some((at, _)) = markers.next() else {
        return false;
    };
    if markers.next().is_some() {
        return true;
    }
    let (before, after) = text.split_at(at);
    let (above, start) = before.rsplit_once('\n').unwrap_or(("", before));
    let (end, below) = after.split_once('\n').unwrap_or((after, ""));
    let is_fence = |line: Option<&str>| {
        let line = line.unwrap_or_default().trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    };
    let has_comment = |part: &str| part.contains("<!--") || part.contains("-->");
    is_fence(above.trim_end().rsplit('\n').next())
        || is_fence(below.trim_start().split('\n').next())
        || has_comment(start)
        || has_comment(end)
}

fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
}

/// What the section under a heading is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum About {
    /// This verification.
    #[default]
    Now,
    /// Something earlier, such as gaps that were found then.
    Earlier,
    /// A verdict of then, which is not a verdict now.
    EarlierVerdict,
    /// Text that was planted.
    Planted,
}

impl About {
    fn of(heading: &str) -> Self {
        match (is_about_before(heading), heads_quotation(heading)) {
            (false, false) => Self::Now,
            (true, false) => Self::Earlier,
            (true, true) => Self::EarlierVerdict,
            (false, true) => Self::Planted,
        }
    }

    /// Behind a rule, the quotation is over.
    const fn after_rule(self) -> Self {
        match self {
            Self::Now | Self::Planted => Self::Now,
            Self::Earlier | Self::EarlierVerdict => Self::Earlier,
        }
    }

    const fn has_verdicts(self) -> bool {
        matches!(self, Self::Now | Self::Planted)
    }

    const fn has_passes(self) -> bool {
        matches!(self, Self::Now | Self::Earlier)
    }
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
    /// What the section under the last heading is about.
    about: About,
    /// The end of a block of another markup language that is open.
    block_ends: Option<&'static str>,
    /// Where the text of the last list item begins.
    item_at: usize,
    /// The last line of the paragraph before.
    above: String,
}

impl Reader {
    fn push(&mut self, line: &Line<'_>) {
        if line.fenced {
            self.quoted_value(&line.text);
            self.end_paragraph();
            self.above.clear();
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
            self.quoted_value(item.unwrap_or(start).trim_start_matches(['>', ' ']));
            self.end_paragraph();
            self.above.clear();
            self.in_block_quote = quotes_paragraph(item.unwrap_or(start));
            self.in_list |= item.is_some();
            self.was_blank = false;
            return;
        }
        let is_rule = is_rule(start);
        if line.heading.is_some() {
            self.about = About::of(start);
        } else if is_rule {
            self.about = self.about.after_rule();
        }
        if self.is_other_block(start) {
            self.end_paragraph();
            self.above.clear();
            self.state(text);
            self.was_blank = false;
            return;
        }
        let is_block = line.heading.is_some() || item.is_some() || is_rule;
        if is_block {
            self.end_paragraph();
            self.in_block_quote = false;
        }
        let is_indented = text.starts_with("    ") || text.starts_with('\t');
        if self.was_blank || is_block {
            self.in_list = item.is_some() || self.in_list && is_indented;
        }
        let indent = text.len() - start.len();
        let is_deep = self.was_blank && item.is_none() && indent >= self.item_at + 4;
        let begins_code = is_indented && self.paragraph.is_empty() && (!self.in_list || is_deep);
        if let Some(item) = item {
            self.item_at = text.len() - item.len();
        }
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
    fn state(&mut self, line: &str) {
        if let Some(verdict) = said_in_quotes(line, self.label.is_some()) {
            self.live
                .verdicts
                .extend(self.about.has_verdicts().then_some(verdict));
        }
        let text: Cow<'_, str> = without_code(line);
        // each marker has an `E` in it
        if !text.is_ascii() && memchr(b'E', text.as_bytes()).is_some() {
            self.live.marked.push(text.clone().into_owned());
        }
        self.settle_section(Some(&text));
        let said = said(&text, self.label.take().is_some());
        match said.filter(|said| self.about.has_verdicts() || *said == Said::Label) {
            Some(Said::Verdict(marker)) => self.live.verdicts.push(marker),
            Some(Said::Section(marker)) => self.section = Some(marker),
            Some(Said::Label) => self.label = Some(()),
            None => {}
        }
    }

    /// A block quote or code block right behind a label holds the verdict.
    fn quoted_value(&mut self, line: &str) {
        let is_fence = line.trim_start().starts_with(['`', '~']);
        if self.label.is_none() || line.trim().is_empty() || is_fence {
            return;
        }
        if let Some(Said::Verdict(Marker::Incomplete)) = said(line, self.label.take().is_some()) {
            self.live.verdicts.push(Marker::Incomplete);
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
        if !says_nothing(below) {
            self.live.verdicts.push(marker);
        }
    }

    /// Whether the line belongs to a block of another markup language, with its
    /// first and last line.
    fn is_other_block(&mut self, start: &str) -> bool {
        let line = start.trim_end();
        if let Some(end) = self.block_ends {
            if line.eq_ignore_ascii_case(end) || end == "#+end" && begins(line, end) {
                self.block_ends = None;
            }
            return true;
        }
        self.block_ends = if line == "$$" {
            Some("$$")
        } else if line.len() > 3 && line.starts_with(":::") {
            Some(":::")
        } else if begins(line, "#+begin") {
            Some("#+end")
        } else {
            None
        };
        self.block_ends.is_some()
    }

    fn end_paragraph(&mut self) {
        if self.paragraph.is_empty() {
            return;
        }
        // most paragraphs have nothing that matters here or later
        let bytes = self.paragraph.as_bytes();
        if bytes.is_ascii() && !self.quoting.is_open() && memchr2(b'<', b'"', bytes).is_none() {
            self.leave_paragraph();
            return;
        }
        let own = self.quoting.own_words(&self.paragraph);
        if own.closes
            && let Some(before) = self.before_quotation.take()
        {
            self.live.passes.truncate(before);
        }
        let mut above = Above::Paragraph(&self.above);
        let mut lines = own.text.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some((before, _)) = line.split_once(VERIFIED) {
                let more = lines.peek().filter(|next| continues(next));
                self.live.passes.push(Pass {
                    line: more.map_or_else(|| line.to_owned(), |more| format!("{line} {more}")),
                    is_stated: self.about.has_passes() && is_stated(before, above),
                });
            }
            above = Above::Line(line);
        }
        if own.opens {
            self.before_quotation = Some(self.live.passes.len());
        }
        self.leave_paragraph();
    }

    fn leave_paragraph(&mut self) {
        let last = self.paragraph.trim_end().rsplit('\n').next();
        self.above.clear();
        self.above.push_str(last.unwrap_or_default());
        self.paragraph.clear();
    }
}

/// Whether a line continues the sentence of the line above.
fn continues(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(|c: char| c.is_lowercase()) || line.starts_with("COMPLETE ")
}

fn begins(line: &str, word: &str) -> bool {
    strip_prefix_any_case(line, word).is_some()
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
        of(report).passes.iter().any(|pass| pass.is_stated)
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
        assert!(!passes("- a\n\n      ✅ VERIFIED"));
        assert!(passes("   ✅ VERIFIED"));
    }

    #[test]
    fn blocks_of_other_markup_languages_quote() {
        for quoted in [
            "$$\n✅ VERIFIED\n$$",
            ":::quote\n✅ VERIFIED\n:::",
            "#+BEGIN_QUOTE\n✅ VERIFIED\n#+END_QUOTE",
        ] {
            assert!(!passes(quoted), "{quoted}");
        }
        assert!(passes("$$\nx\n$$\n✅ VERIFIED"));
    }

    #[test]
    fn a_verdict_that_broken_quotations_swallow_still_counts() {
        for report in [
            "```\n```\n✅ VERIFIED\n```\n```\n```\n\n## Verdict\n\n❌ INCOMPLETE\n\n```\n",
            "a ✅ VERIFIED <!--\n\nVerdict: NOT VERIFIED\n\n-->",
            "`✅ VERIFIED`\n\n> ❌ INCOMPLETE\n\n✅ VERIFIED",
        ] {
            assert!(
                of(report).verdicts.contains(&Marker::NeedsReview),
                "{report}"
            );
        }
        let sample = "✅ VERIFIED\n\nIt prints:\n\n```\n❌ INCOMPLETE\n```\n";
        assert_eq!(of(sample).verdicts, [Marker::Verified]);
    }

    #[test]
    fn verdicts_of_earlier_verifications_are_history() {
        let report = "## Previous Verification\n\nResult: FAILED\n\n## Verdict\n\n✅ VERIFIED";
        assert_eq!(of(report).verdicts, [Marker::Verified]);
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
            ("### ❌ Failed Checks\nNone", 0),
            ("### ❌ Incomplete\n- None. All is met.", 0),
            ("## Not Verified\nNothing", 0),
            ("### Failures\n\nNo failures.", 0),
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
