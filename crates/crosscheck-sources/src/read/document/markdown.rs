//! Markdown, as its parser reads it.

use std::collections::HashMap;
use std::ops::Range;

use crosscheck_fetch::text::tokens::{Token, tokens};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::doc::{Doc, Kind, Writer};
use super::html;
use super::marks;
use crate::lists::list;

/// A quotation that lies deeper is one with the quotation around it.
const DEPTH_MAX: usize = 64;
/// How often a text is read again after a code fence that is never closed.
const FENCES_MAX: usize = 8;

list! {
    /// Fences with these names in braces hold text, not code.
    TEXT_DIRECTIVES, "text_directives"
}

/// Reads a text. What follows a code fence that is never closed is read too,
/// from the first blank line on.
pub(super) fn parse(text: &str) -> Doc {
    let mut unclosed = Vec::new();
    let mut repaired = without_directives(text);
    let front = front_matter(text);
    if !front.is_empty() {
        let blanks = blanked(text.get(front.clone()).unwrap_or_default());
        repaired.replace_range(front, &blanks);
    }
    let (mut doc, mut code) = read(&repaired);
    while let Some(fence) = unclosed_fence(&repaired, code) {
        unclosed.push(fence.start);
        let last = unclosed.len() == FENCES_MAX;
        hide(&mut repaired, fence.start, last);
        (doc, code) = read(&repaired);
        if last {
            break;
        }
    }
    doc.unclosed = unclosed;
    doc
}

/// As many blanks and ends of lines as a text has bytes.
fn blanked(text: &str) -> String {
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    text.bytes().map(blank).collect()
}

/// The fields in front of a text, between two lines `---`.
pub(super) fn front_matter(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let own = text.get(start..).unwrap_or_default();
    let mut end = 0;
    for (number, line) in own.split_inclusive('\n').enumerate() {
        end += line.len();
        let words = line.trim_end();
        let key = words.split(':').next().unwrap_or_default();
        let is_key = !key.contains(' ') && words.contains(':');
        let is_field = is_key || words.is_empty() || words.starts_with([' ', '\t', '#', '-']);
        match (number, words) {
            (0, "---") => {}
            (1.., "---" | "...") => return start..start + end,
            (1.., _) if is_field => {}
            _ => return 0..0,
        }
    }
    0..0
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
            let is_text = name.is_some_and(|name| TEXT_DIRECTIVES.contains(name));
            open.push((fence, is_text));
            is_text
        };
        if blank {
            out.push_str(&blanked(line));
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
fn unclosed_fence(text: &str, block: Option<Range<usize>>) -> Option<Range<usize>> {
    let block = block?;
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
    (!is_inline && !closes && is_last).then_some(block)
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
            out.push_str(&blanked(line));
        } else {
            out.push_str(line);
        }
    }
    *text = out;
}

/// What the parser finds, and the last block of code.
fn read(text: &str) -> (Doc, Option<Range<usize>>) {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_DEFINITION_LIST;
    let parser = Parser::new_ext(text, options);
    let defined = parser.reference_definitions().iter();
    let defined = defined.filter_map(|(label, definition)| {
        let number = marks::number(label.trim_start_matches('^'))?;
        let url = definition.dest.to_string();
        Some((number, (definition.span.start, url)))
    });
    let mut reader = Reader {
        text,
        writer: Writer::default(),
        defined: defined.collect(),
        lists: Vec::new(),
        images: 0,
        deep: 0,
        in_head: false,
        is_mark: false,
        raised: None,
        code: None,
        html: None,
    };
    for (event, range) in parser.into_offset_iter() {
        reader.event(event, range);
    }
    let mut doc = reader.writer.finish();
    let defined = reader.defined.into_iter();
    doc.defined = defined
        .map(|(number, (at, url))| (number, at, url))
        .collect();
    doc.defined.sort_unstable();
    (doc, reader.code)
}

struct Reader<'t> {
    text: &'t str,
    writer: Writer,
    /// Numbers that are defined to be links.
    defined: HashMap<usize, (usize, String)>,
    /// The next number of each list that is open.
    lists: Vec<Option<usize>>,
    /// How many images are open: their words are not read.
    images: usize,
    /// How many quotations are open that lie too deep.
    deep: usize,
    in_head: bool,
    /// The link that is open is a mark.
    is_mark: bool,
    /// Where the `<sup>` that is open begins.
    raised: Option<usize>,
    /// The last block of code.
    code: Option<Range<usize>>,
    /// A piece of HTML that is still going on.
    html: Option<Range<usize>>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        let writer = &mut self.writer;
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::FootnoteReference(name) => {
                let numbers = marks::numbers(&name);
                writer.point(range.start, Some(name.into_string()), numbers);
            }
            _ if self.images > 0 => {}
            Event::Code(words) => {
                let written = self.text.get(range.clone()).unwrap_or_default();
                let signs = written.find(|c| c != '`').unwrap_or(0);
                writer.code(range.start + signs, &words);
            }
            Event::Text(words) => writer.text(range.start, &words),
            Event::InlineHtml(tag) => self.inline_html(&tag, range.start),
            Event::Html(_) => {
                let html = self.html.get_or_insert(range.clone());
                html.end = html.end.max(range.end);
            }
            Event::SoftBreak | Event::HardBreak => writer.line(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let at = range.start;
        let writer = &mut self.writer;
        match tag {
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => {
                let at = self.first_of_two(link_type, &range).unwrap_or(at);
                if self.is_defined(link_type, &range) {
                    let url = dest_url.into_string();
                    self.writer.whole_link(at, url, (at, "1"));
                    self.images += 1; // its words are no words
                    self.is_mark = true;
                } else {
                    self.writer.link(at, dest_url.into_string());
                }
            }
            Tag::Image { .. } => self.images += 1,
            Tag::FootnoteDefinition(name) => {
                writer.open(Kind::Note, at);
                writer.note(name.into_string());
            }
            Tag::Heading { level, .. } => writer.open(Kind::Heading(level as u8), at),
            Tag::Paragraph => writer.open(Kind::Paragraph, at),
            Tag::List(start) => {
                let start = start.and_then(|start| usize::try_from(start).ok());
                self.lists.push(start);
            }
            Tag::Item => {
                let next = self.lists.last_mut().and_then(Option::as_mut);
                let number = next.map(|next| {
                    *next += 1;
                    *next - 1
                });
                writer.open(Kind::Item(number), at);
            }
            Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {
                writer.open(Kind::Item(None), at);
            }
            Tag::BlockQuote(_) if writer.depth() >= DEPTH_MAX => self.deep += 1,
            Tag::BlockQuote(_) => writer.open(Kind::Quote, at),
            Tag::CodeBlock(_) => {
                writer.open(Kind::Code, at);
                self.code = Some(range);
            }
            Tag::Table(_) => writer.open_table(),
            Tag::TableHead => self.in_head = true,
            Tag::TableCell => writer.open_cell(at, self.in_head, 1, 1),
            _ => {}
        }
    }

    /// Whether a link is the name of a source that is defined as one: `[S1]`.
    fn is_defined(&self, kind: LinkType, range: &Range<usize>) -> bool {
        let written = self.text.get(range.clone()).unwrap_or_default();
        let label = written.trim_matches(['[', ']']);
        let number = marks::number(label).filter(|_| kind == LinkType::Shortcut);
        number.is_some_and(|number| self.defined.contains_key(&number))
    }

    /// `[1][2]` are two marks: the parser reads the first one as words of the second.
    /// Where the second one begins.
    fn first_of_two(&mut self, kind: LinkType, range: &Range<usize>) -> Option<usize> {
        let written = self.text.get(range.clone()).unwrap_or_default();
        let both = written.strip_prefix('[')?.split_once("][");
        let (first, _) = both.filter(|_| kind == LinkType::Reference)?;
        let (_, url) = self.defined.get(&marks::number(first)?)?;
        self.writer
            .whole_link(range.start, url.clone(), (range.start, "1"));
        Some(range.start + first.len() + "[]".len())
    }

    fn end(&mut self, tag: TagEnd) {
        let writer = &mut self.writer;
        match tag {
            TagEnd::Link if std::mem::take(&mut self.is_mark) => self.images -= 1,
            TagEnd::Link => writer.end_link(),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::TableHead => {
                writer.end_row();
                self.in_head = false;
            }
            TagEnd::TableRow => writer.end_row(),
            TagEnd::Table => writer.end_table(),
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    html::add(self.text, html, writer);
                }
            }
            TagEnd::BlockQuote(_) if self.deep > 0 => self.deep -= 1,
            TagEnd::FootnoteDefinition
            | TagEnd::Heading(_)
            | TagEnd::Paragraph
            | TagEnd::Item
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::BlockQuote(_)
            | TagEnd::CodeBlock
            | TagEnd::TableCell => writer.close(),
            _ => {}
        }
    }

    /// Tags are not words; a raised number is the mark of a note.
    fn inline_html(&mut self, tag: &str, at: usize) {
        let token = tokens(tag).into_iter().next();
        match token {
            Some((_, Token::Open { name, attributes })) => match name.as_str() {
                "area" | "iframe" => {
                    let url = html::shown(&name, &attributes);
                    self.writer
                        .whole_link(at, url.unwrap_or_default(), (at, ""));
                }
                "a" => {
                    let url = html::value(&attributes, "href").unwrap_or_default();
                    self.writer.link(at, url);
                }
                "br" => self.writer.line(),
                "sup" => self.raised = Some(self.writer.written()),
                _ => {}
            },
            Some((_, Token::Close { name })) => match name.as_str() {
                "a" => self.writer.end_link(),
                "sup" => {
                    if let Some(start) = self.raised.take() {
                        self.writer.raised(start, at);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
}
