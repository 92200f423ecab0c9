//! What a Markdown parser sees in a text: links, notes, blocks, code, and what
//! of it is markup and not words.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::claims::{self, Edit, Reads, last_char};

/// A link as the parser saw it.
pub(super) struct Link {
    pub(super) range: Range<usize>,
    /// Where in it a citation is placed.
    pub(super) place: usize,
    /// Its words are a number, and where it leads stands elsewhere: `[1]`, `[1][2]`.
    pub(super) is_mark_by_reference: bool,
    pub(super) url: String,
    pub(super) title: String,
    bare: bool,
    inner: Option<Range<usize>>,
}

/// What the parser found.
#[derive(Default)]
pub(super) struct Seen {
    /// In the order of the text.
    pub(super) links: Vec<Link>,
    /// Paragraphs, list items, table cells, headings.
    pub(super) blocks: Vec<Range<usize>>,
    pub(super) code: Vec<Range<usize>>,
    pub(super) images: Vec<Range<usize>>,
    /// Comments: no reader sees them.
    pub(super) hidden: Vec<Range<usize>>,
    pub(super) footnote_uses: Vec<(Range<usize>, String)>,
    pub(super) footnotes: Vec<(Range<usize>, String)>,
    pub(super) edits: Vec<Edit>,
}

/// Reads the structure of a text.
pub(super) fn parse(text: &str) -> Seen {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut state = State {
        text,
        seen: Seen::default(),
        open: Vec::new(),
        notes: Vec::new(),
        line_end: None,
        raised: None,
        words_end: None,
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        state.event(event, range);
    }
    state.seen.links.sort_by_key(|link| link.range.start);
    claims::sort(&mut state.seen.edits);
    state.seen
}

fn is_number(words: &str) -> bool {
    (1..=3).contains(&words.len()) && words.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a raised number belongs to what stands before it: `10<sup>6</sup>`, `km<sup>2</sup>`.
fn is_exponent(text: &str, at: usize, number: &str) -> bool {
    let head = text.get(..at).unwrap_or_default();
    let start = head.rfind(|c: char| !c.is_alphanumeric()).unwrap_or(0);
    let before = head.get(start..).unwrap_or_default();
    let before = before.trim_start_matches(|c: char| !c.is_alphanumeric());
    let unit = before.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = matches!(unit, "m" | "cm" | "mm" | "km" | "ft" | "in" | "mi" | "s");
    before == "10" || (is_unit && matches!(number, "2" | "3"))
}

struct State<'t> {
    text: &'t str,
    seen: Seen,
    open: Vec<Link>,
    notes: Vec<(usize, String)>,
    line_end: Option<usize>,
    /// The `<sup>` that is open.
    raised: Option<Range<usize>>,
    /// Where the last words ended.
    words_end: Option<usize>,
}

impl State<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        // What stands between a line's end and its next word belongs to the quotation or list around it.
        if let Some(end) = self.line_end.take()
            && end < range.start
        {
            self.edit(end..range.start, Reads::Nothing);
        }
        let is_link = matches!(
            event,
            Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link)
        );
        if let Some(link) = self.open.last_mut().filter(|_| !is_link) {
            let inner = link.inner.get_or_insert(range.clone());
            inner.start = inner.start.min(range.start);
            inner.end = inner.end.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, &range),
            Event::FootnoteReference(name) => {
                self.edit(range.clone(), Reads::Mark);
                self.seen.footnote_uses.push((range, name.into_string()));
            }
            Event::Code(words) => {
                self.title(&words);
                self.seen.code.push(range);
            }
            Event::Text(words) => self.words(&words, range),
            Event::InlineHtml(tag) => self.inline_html(&tag, range),
            Event::SoftBreak => self.line_end = Some(range.end),
            Event::HardBreak => {
                self.line_end = Some(range.end);
                self.edit(range, Reads::Blank);
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
            self.edit(range.start - 1..range.start, Reads::Chars(String::new()));
        }
        let written = self.text.get(range.clone()).unwrap_or_default();
        if written.starts_with('&') && written != words {
            self.edit(range, Reads::Chars(words.to_owned()));
        }
    }

    /// The comments of a piece of HTML; one that is never closed hides the rest.
    fn hide_comments(&mut self, html: Range<usize>) {
        let mut start = html.start;
        while let Some(rest) = self.text.get(start..html.end)
            && let Some(at) = rest.find("<!--")
        {
            let end = rest.get(at..).and_then(|rest| rest.find("-->"));
            let end = end.map_or(html.end, |end| start + at + end + "-->".len());
            self.seen.hidden.push(start + at..end);
            self.edit(start + at..end, Reads::Nothing);
            start = end;
        }
    }

    /// Tags are not words; a raised number is the mark of a note.
    fn inline_html(&mut self, tag: &str, range: Range<usize>) {
        if tag.starts_with("<!--") {
            self.hide_comments(range);
            return;
        }
        if tag.starts_with("<br") {
            self.edit(range, Reads::Blank);
            return;
        }
        if tag.starts_with("<sup") {
            self.raised = Some(range.clone());
        } else if tag.starts_with("</sup")
            && let Some(open) = self.raised.take()
        {
            let words = self.text.get(open.end..range.start).unwrap_or_default();
            let words = words.trim_matches(['[', ']', ' ']);
            if is_number(words) && !is_exponent(self.text, open.start, words) {
                self.edit(open.start..range.end, Reads::Mark);
            }
        }
        self.edit(range, Reads::Nothing);
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => self.open.push(Link {
                place: last_char(self.text, &range),
                range: self.with_empty_label(range, link_type),
                url: dest_url.into_string(),
                title: String::new(),
                is_mark_by_reference: link_type != LinkType::Inline,
                bare: matches!(link_type, LinkType::Autolink | LinkType::Email),
                inner: None,
            }),
            Tag::Image { .. } => {
                self.edit(range.clone(), Reads::Nothing);
                self.seen.images.push(range);
            }
            Tag::FootnoteDefinition(name) => self.notes.push((range.start, name.into_string())),
            Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::Item => {
                self.seen.blocks.push(range);
            }
            Tag::HtmlBlock => self.hide_comments(range),
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
            self.edit(range.start..range.start + signs, Reads::Nothing);
            self.edit(range.end - signs..range.end, Reads::Nothing);
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Link => {
                if let Some(link) = self.open.pop() {
                    self.close(link);
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
    fn close(&mut self, mut link: Link) {
        let words = link.title.trim_matches(['[', ']', '^', ' ', '(', ')']);
        let is_mark = is_number(words);
        link.is_mark_by_reference &= is_mark;
        if is_mark {
            self.edit(link.range.clone(), Reads::Mark);
        } else if !link.bare {
            match link.inner.clone().filter(|inner| !inner.is_empty()) {
                Some(inner) => {
                    self.edit(link.range.start..inner.start, Reads::Nothing);
                    self.edit(inner.end..link.range.end, Reads::Nothing);
                    link.place = last_char(self.text, &inner);
                }
                None => self.edit(link.range.clone(), Reads::Nothing),
            }
        }
        self.seen.links.push(link);
    }

    fn title(&mut self, words: &str) {
        if let Some(link) = self.open.last_mut() {
            link.title.push_str(words);
        }
    }

    fn edit(&mut self, range: Range<usize>, with: Reads) {
        if !range.is_empty() {
            self.seen.edits.push(Edit { range, with });
        }
    }
}
