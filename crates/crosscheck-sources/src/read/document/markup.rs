//! What a Markdown parser sees in a text: links, notes, blocks, code, and what
//! of it is markup and not words.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::claims::{Reads, last_char};
use super::html;
use super::marks;
use super::structure::{DocumentParts, Heading, Link, Table, is_number};
use super::tree::BlockKind;

/// A unit is not longer than this, in characters.
const UNIT_MAX: usize = 16;

/// How often a text is read again after a code fence that is never closed.
const FENCES_MAX: usize = 8;

/// Fences with these names in braces hold text, not code.
const TEXT_DIRECTIVES: &[&str] = &[
    "admonition",
    "attention",
    "caution",
    "danger",
    "error",
    "hint",
    "important",
    "note",
    "tip",
    "warning",
    "seealso",
    "deprecated",
    "versionadded",
    "versionchanged",
    "versionremoved",
    "dropdown",
    "epigraph",
    "margin",
    "sidebar",
    "topic",
    "card",
    "tab-item",
    "list-table",
];

/// Reads the structure of a text. What follows a code fence that is never
/// closed is read too, from the first blank line on.
pub(super) fn parse(text: &str) -> DocumentParts {
    let mut unclosed = Vec::new();
    let mut repaired = without_directives(text);
    let mut seen = read(&repaired);
    while let Some(fence) = unclosed_fence(&repaired, &seen) {
        unclosed.push(fence.start);
        let last = unclosed.len() == FENCES_MAX;
        hide(&mut repaired, fence.start, last);
        seen = read(&repaired);
        if last {
            break;
        }
    }
    seen.unclosed = unclosed;
    seen
}

/// The text with the fences of directives blanked whose content is text. No
/// place in it moves.
fn without_directives(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // the fences that are open, and whether each is blanked
    let mut open: Vec<(&str, bool)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let (fence, rest) = fence_of(line);
        let closes = |(own, _): &(&str, bool)| fence.starts_with(own) && rest.is_empty();
        let in_code = open.last().is_some_and(|(_, blanked)| !blanked);
        let blank = if fence.is_empty() {
            false
        } else if open.last().is_some_and(closes) {
            open.pop().is_some_and(|(_, blanked)| blanked)
        } else if in_code {
            false
        } else {
            let name = rest
                .strip_prefix('{')
                .and_then(|rest| rest.split('}').next());
            let is_text = name.is_some_and(|name| TEXT_DIRECTIVES.contains(&name));
            open.push((fence, is_text));
            is_text
        };
        if blank {
            let blanks = line
                .bytes()
                .map(|byte| if byte == b'\n' { '\n' } else { ' ' });
            out.extend(blanks);
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The signs that fence code at the start of a line, and what follows them.
fn fence_of(line: &str) -> (&str, &str) {
    let words = line.trim();
    let rest = words.trim_start_matches('`');
    let rest = if rest.len() == words.len() {
        words.trim_start_matches('~')
    } else {
        rest
    };
    let fence = words.get(..words.len() - rest.len()).unwrap_or_default();
    if fence.len() < 3 {
        ("", rest)
    } else {
        (fence, rest)
    }
}

/// The last block of code, where its fence is never closed.
fn unclosed_fence(text: &str, seen: &DocumentParts) -> Option<Range<usize>> {
    let block = seen.code.iter().max_by_key(|code| code.end)?;
    let code = text.get(block.clone())?;
    let sign = code
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    let length = code.chars().take_while(|c| *c == sign).count();
    let (first, rest) = code.split_once('\n')?;
    let is_inline = length < 3 || first.trim_start_matches(sign).contains('`');
    let last = rest.trim_end().lines().next_back().unwrap_or_default();
    let last = last.trim_start_matches([' ', '\t', '>']).trim_end();
    let closes = last.len() >= length && last.chars().all(|c| c == sign);
    let is_last = text.get(block.end..)?.trim().is_empty();
    (!is_inline && !closes && is_last).then(|| block.clone())
}

/// Blanks the fence and what follows it up to the first blank line; with
/// `all`, every further fence as well. No place in the text moves.
fn hide(text: &mut String, start: usize, all: bool) {
    let mut out = text.get(..start).unwrap_or_default().to_owned();
    let mut in_code = true;
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        in_code &= !line.trim().is_empty();
        let is_fence =
            all && (line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~"));
        if in_code || is_fence {
            out.extend(
                line.bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            );
        } else {
            out.push_str(line);
        }
    }
    *text = out;
}

/// What the parser finds.
fn read(text: &str) -> DocumentParts {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_DEFINITION_LIST;
    let mut state = State {
        text,
        seen: DocumentParts::default(),
        open: Vec::new(),
        notes: Vec::new(),
        line_end: None,
        raised: None,
        words_end: None,
        table: None,
        html: None,
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        state.event(event, range);
    }
    state.seen.sort();
    state.seen
}

/// Whether a raised number belongs to what comes before it: `10<sup>6</sup>`, `km<sup>2</sup>`.
pub(super) fn is_exponent(text: &str, at: usize, number: &str) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let word = head
        .chars()
        .rev()
        .take(UNIT_MAX)
        .take_while(|c| c.is_alphanumeric());
    let length: usize = word.map(char::len_utf8).sum();
    let before = head.get(at - length..).unwrap_or_default();
    let unit = before.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = matches!(unit, "m" | "cm" | "mm" | "km" | "ft" | "in" | "mi" | "s");
    before == "10" || (is_unit && matches!(number, "2" | "3"))
}

/// A link whose end was not seen yet, and where its words are.
struct Open {
    link: Link,
    inner: Option<Range<usize>>,
}

struct State<'t> {
    text: &'t str,
    seen: DocumentParts,
    open: Vec<Open>,
    table: Option<Table>,
    /// A piece of HTML that is still going on.
    html: Option<Range<usize>>,
    notes: Vec<(usize, String)>,
    line_end: Option<usize>,
    /// The `<sup>` that is open.
    raised: Option<Range<usize>>,
    /// Where the last words ended.
    words_end: Option<usize>,
}

impl State<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        // What is between a line's end and its next word belongs to the quotation or list around it.
        if let Some(end) = self.line_end.take()
            && end < range.start
        {
            self.seen.edit(end..range.start, Reads::Nothing);
        }
        let is_link = matches!(
            event,
            Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link)
        );
        if let Some(open) = self.open.last_mut().filter(|_| !is_link) {
            let inner = open.inner.get_or_insert(range.clone());
            inner.start = inner.start.min(range.start);
            inner.end = inner.end.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::FootnoteReference(name) => {
                self.seen.edit(range.clone(), Reads::Mark);
                self.seen.footnote_uses.push((range, name.into_string()));
            }
            Event::Code(words) => {
                self.title(&words);
                self.seen.code.push(range);
            }
            Event::Text(words) => self.words(&words, range),
            Event::InlineHtml(tag) => self.inline_html(&tag, range),
            Event::Html(_) => {
                let html = self.html.get_or_insert(range.clone());
                html.end = html.end.max(range.end);
            }
            Event::SoftBreak => self.line_end = Some(range.end),
            Event::HardBreak => {
                self.line_end = Some(range.end);
                self.seen.edit(range, Reads::Blank);
            }
            _ => {}
        }
    }

    /// Words that are written otherwise than they read: after a backslash, or as a reference.
    fn words(&mut self, words: &str, range: Range<usize>) {
        self.title(words);
        let follows = self.words_end.replace(range.end) == Some(range.start);
        let before = self.text.get(..range.start).unwrap_or_default();
        if !follows && before.ends_with('\\') {
            self.seen
                .edit(range.start - 1..range.start, Reads::Chars(String::new()));
        }
        let written = self.text.get(range.clone()).unwrap_or_default();
        if written.starts_with('&') && written != words {
            self.seen.edit(range, Reads::Chars(words.to_owned()));
        }
    }

    /// Tags are not words; a raised number is the mark of a note.
    fn inline_html(&mut self, tag: &str, range: Range<usize>) {
        if tag.starts_with("<!--") {
            self.seen.hidden.push(range.clone());
            self.seen.edit(range, Reads::Nothing);
            return;
        }
        if tag.starts_with("<a") || tag.starts_with("</a") {
            self.html_link(tag, range);
            return;
        }
        if tag.starts_with("<br") {
            self.seen.edit(range, Reads::Blank);
            return;
        }
        if tag.starts_with("<sup") {
            self.raised = Some(range.clone());
        } else if tag.starts_with("</sup")
            && let Some(open) = self.raised.take()
        {
            let words = self.text.get(open.end..range.start).unwrap_or_default();
            // a link to the web cites what it leads to
            let words = if words.contains("://") {
                String::new()
            } else {
                html::plain(words)
            };
            let words = words.trim_matches(['[', ']', ' ']);
            let numbers = marks::numbers(words);
            if !numbers.is_empty() && !is_exponent(self.text, open.start, words) {
                self.seen.edit(open.start..range.end, Reads::Mark);
                self.seen.marks.push((open.start..range.end, numbers));
            }
        }
        self.seen.edit(range, Reads::Nothing);
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => self.open.push(Open {
                link: Link {
                    place: last_char(self.text, &range),
                    range: self.with_empty_label(range, link_type),
                    url: dest_url.into_string(),
                    title: String::new(),
                    is_mark_by_reference: link_type != LinkType::Inline,
                    is_mark: false,
                    bare: matches!(link_type, LinkType::Autolink | LinkType::Email),
                },
                inner: None,
            }),
            Tag::Image { .. } => {
                self.seen.edit(range.clone(), Reads::Nothing);
                self.seen.images.push(range);
            }
            Tag::FootnoteDefinition(name) => self.notes.push((range.start, name.into_string())),
            Tag::Heading { level, .. } => {
                self.seen.blocks.push(range.clone());
                let level = level as u8;
                self.seen.headings.push(Heading { range, level });
            }
            Tag::Table(_) => self.table = Some(Table::default()),
            Tag::TableHead => {
                if let Some(table) = &mut self.table {
                    table.head.push(Vec::new());
                }
            }
            Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                if let Some(table) = &mut self.table {
                    let row = table.rows.last_mut().or(table.head.last_mut());
                    if let Some(row) = row {
                        row.push(range.clone());
                    }
                }
                self.seen.blocks.push(range);
            }
            Tag::Paragraph => self.seen.blocks.push(range),
            Tag::Item | Tag::DefinitionListTitle => {
                self.seen.kinds.push((range.clone(), BlockKind::Item));
                self.seen.blocks.push(range);
            }
            Tag::DefinitionListDefinition => {
                let own = self.text.get(range.clone()).unwrap_or_default();
                let sign = own.len() - own.trim_start_matches([':', ' ']).len();
                self.seen
                    .edit(range.start..range.start + sign, Reads::Nothing);
                self.seen.kinds.push((range.clone(), BlockKind::Item));
                self.seen.blocks.push(range);
            }
            Tag::BlockQuote(_) => self.seen.kinds.push((range, BlockKind::Quotation)),
            Tag::CodeBlock(_) => self.seen.code.push(range),
            Tag::Emphasis => self.frame(&range, 1),
            Tag::Strong => self.frame(&range, 2),
            _ => {}
        }
    }

    /// The parser leaves the brackets of `[words][]` outside.
    fn with_empty_label(&self, range: Range<usize>, kind: LinkType) -> Range<usize> {
        let after = self.text.get(range.end..).unwrap_or_default();
        let is_collapsed = matches!(kind, LinkType::Collapsed | LinkType::CollapsedUnknown);
        if is_collapsed && after.starts_with("[]") {
            range.start..range.end + "[]".len()
        } else {
            range
        }
    }

    /// The signs around emphasised words are not words.
    fn frame(&mut self, range: &Range<usize>, signs: usize) {
        if range.len() > 2 * signs {
            self.seen.strip(range, signs);
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        let is_block = matches!(
            tag,
            TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::Heading(_)
        );
        // A link written as HTML that is never closed ends with its block.
        while let Some(mut open) = self.open.pop_if(|_| is_block) {
            let inner = open
                .inner
                .take()
                .map(|inner| open.link.range.end..inner.end);
            open.link.range.end = inner
                .as_ref()
                .map_or(open.link.range.end, |inner| inner.end);
            self.close(Open { inner, ..open });
        }
        match tag {
            TagEnd::Link => {
                if let Some(open) = self.open.pop() {
                    self.close(open);
                }
            }
            TagEnd::Table => self.seen.tables.extend(self.table.take()),
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    html::add(self.text, html, &mut self.seen);
                }
            }
            TagEnd::FootnoteDefinition => {
                if let Some((start, name)) = self.notes.pop() {
                    self.seen.footnotes.push((start..range.end, name));
                }
            }
            _ => {}
        }
    }

    /// Of a link only its words are read; a link whose words are a number is a mark.
    fn close(&mut self, Open { mut link, inner }: Open) {
        let words = link.title.trim_matches(['[', ']', '^', ' ', '(', ')']);
        let is_lettered = || link.is_mark_by_reference && marks::number(words).is_some();
        link.is_mark = is_number(words) || is_lettered();
        link.is_mark_by_reference &= link.is_mark;
        if link.is_mark {
            self.seen.edit(link.range.clone(), Reads::Mark);
        } else if !link.bare {
            match inner.filter(|inner| !inner.is_empty()) {
                Some(inner) => {
                    self.seen
                        .edit(link.range.start..inner.start, Reads::Nothing);
                    self.seen.edit(inner.end..link.range.end, Reads::Nothing);
                    link.place = last_char(self.text, &inner);
                }
                None => self.seen.edit(link.range.clone(), Reads::Nothing),
            }
        }
        self.seen.links.push(link);
    }

    /// A link written as HTML in a line of text.
    fn html_link(&mut self, tag: &str, range: Range<usize>) {
        if let Some(url) = html::target(tag) {
            self.open.push(Open {
                link: Link {
                    place: range.start,
                    range,
                    url,
                    title: String::new(),
                    is_mark_by_reference: false,
                    is_mark: false,
                    bare: false,
                },
                inner: None,
            });
            return;
        }
        let is_end = tag.starts_with("</");
        if let Some(mut open) = self.open.pop_if(|_| is_end) {
            // The tag that ends it is not part of its words.
            let words = open.link.range.end..range.start;
            open.link.range.end = range.end;
            let inner = open.inner.map(|_| words);
            self.close(Open { inner, ..open });
            return;
        }
        self.seen.edit(range, Reads::Nothing);
    }

    fn title(&mut self, words: &str) {
        if let Some(open) = self.open.last_mut() {
            open.link.title.push_str(words);
        }
    }
}
