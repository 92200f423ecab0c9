//! HTML to paragraphs, straight from the tokens.
//!
//! No tree is built, so depth costs nothing: a page nested a hundred thousand
//! deep is read like any other.

mod raised;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::LazyLock;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::emitters::{Emitter, ForwardingEmitter};
use html5gum::{Span, State, Tokenizer};

use super::{BodyKind, HEADINGS_MAX, Page};

/// Their content is not read.
const DROPPED: &[&[u8]] = &[b"script", b"style", b"noscript", b"template", b"svg"];
/// Parts of an SVG that may contain HTML, which is still part of the SVG.
const HTML_IN_DRAWINGS: &[&[u8]] = &[b"foreignobject", b"desc", b"title"];
/// They may occur in the head; any other element ends it.
static OF_THE_HEAD: Names = Names::new(|| names("head"));
/// Inline elements; every other element ends a paragraph.
static INLINE: Names = Names::new(|| names("inline"));
type Names = LazyLock<HashSet<&'static [u8]>>;

/// What `names.txt` has behind this word.
fn names(kind: &str) -> HashSet<&'static [u8]> {
    let mut lines = include_str!("html/names.txt").lines();
    let own = lines.find_map(|line| line.strip_prefix(kind)?.strip_prefix(':'));
    own.into_iter()
        .flat_map(str::split_ascii_whitespace)
        .map(str::as_bytes)
        .collect()
}

/// The most that is kept of a title, heading or meta value.
const NAME_MAX: usize = 1000;

/// Reads a page.
pub(super) fn page(html: &str) -> Page {
    let mut reader = Reader::default();
    let empty = Cell::new(false);
    let mut inner = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<()> {
        empty.set(reader.is_empty_part(&event));
        reader.event(&event);
        None
    });
    inner.naively_switch_states(true);
    let emitter = Drawn {
        inner: Calm(inner),
        empty: &empty,
    };
    for Ok(()) in Tokenizer::new_with_emitter(html, emitter) {}
    reader.finish()
}

/// An emitter without error reporting: detecting errors costs more than all the rest.
pub(super) struct Calm<E>(pub(super) E);

impl<E: Emitter> ForwardingEmitter for Calm<E> {
    type Token = E::Token;

    fn inner(&mut self) -> &mut impl Emitter<Token = Self::Token> {
        &mut self.0
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }
}

/// Treats `<title/>` and `<style/>` of an SVG as empty: the tokenizer alone
/// would read the rest of the page as their content.
struct Drawn<'e, E> {
    inner: E,
    /// Whether the last tag was such a part.
    empty: &'e Cell<bool>,
}

impl<E: Emitter> ForwardingEmitter for Drawn<'_, E> {
    type Token = E::Token;

    fn inner(&mut self) -> &mut impl Emitter<Token = Self::Token> {
        &mut self.inner
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let next = self.inner.emit_current_tag();
        next.filter(|_| !self.empty.take())
    }
}

#[derive(Default)]
struct Reader {
    page: Page,
    text: Collapsed,
    row: Row,
    title: Option<Collapsed>,
    heading: Option<Collapsed>,
    /// Where the open heading begins in the text.
    headed: Option<usize>,
    /// The dropped element we are in, and how often it was opened.
    dropped: Option<(Vec<u8>, usize)>,
    /// How many open parts of an SVG may contain HTML.
    foreign: usize,
    in_head: bool,
    tag: Vec<u8>,
    attribute: Vec<u8>,
    /// Name and content of the current `<meta>`.
    meta: [String; 2],
    /// The current tag links to a note, or declares itself as the mark of one.
    notes: bool,
    /// The `<sup>` that is open.
    raised: Option<Raised>,
    /// Where a link to a note began.
    linked: Option<usize>,
    /// The mark of a note was removed here.
    parted: bool,
}

/// The open row of a table.
#[derive(Default)]
struct Row {
    /// How many columns it has.
    columns: usize,
    /// How many columns and rows the current tag spans.
    span: [usize; 2],
    /// Columns of the last cell behind its first.
    wide: usize,
    /// For each column how many rows a cell above it reaches down.
    above: Vec<usize>,
}

/// Cells that span more are drawings.
const SPAN_MAX: usize = 20;

impl Row {
    /// How many columns are between the last cell and the next one, or the end.
    fn passed(&mut self, ends: bool) -> usize {
        let mut passed = std::mem::take(&mut self.wide);
        self.columns += passed;
        while let Some(rows) = self.above.get_mut(self.columns)
            && (*rows > 0 || ends)
        {
            *rows = rows.saturating_sub(1);
            self.columns += 1;
            passed += 1;
        }
        passed
    }

    fn cell(&mut self) {
        let [wide, high] = self.span.map(|span| span.clamp(1, SPAN_MAX));
        if high > 1 && self.columns < SPAN_MAX {
            let end = self.columns + wide;
            self.above.resize(self.above.len().max(end), 0);
            let own = self.above.get_mut(self.columns..end);
            own.into_iter().flatten().for_each(|rows| *rows = high - 1);
        }
        self.columns += 1;
        self.wide = wide - 1;
    }
}

/// Raised text, from where it begins.
struct Raised {
    text: usize,
    heading: usize,
    /// The markup says that it is the mark of a note.
    declared: bool,
}

impl Reader {
    /// Whether this is the end of a self-closing tag in an SVG.
    fn is_empty_part(&self, event: &CallbackEvent<'_>) -> bool {
        let in_drawing = self
            .dropped
            .as_ref()
            .is_some_and(|(dropped, _)| dropped == b"svg");
        let closes = matches!(event, CallbackEvent::CloseStartTag { self_closing: true });
        closes && in_drawing && self.foreign == 0
    }

    fn event(&mut self, event: &CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag.clear();
                self.tag.extend_from_slice(name);
                self.meta = <[String; 2]>::default();
                self.notes = false;
                self.row.span = [1, 1];
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute.clear();
                self.attribute.extend_from_slice(name);
            }
            CallbackEvent::AttributeValue { value } => self.value(value),
            CallbackEvent::CloseStartTag { self_closing } => self.open(*self_closing),
            CallbackEvent::EndTag { name } => self.close(name),
            CallbackEvent::String { value } => self.string(value),
            CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => {}
        }
    }

    fn value(&mut self, value: &[u8]) {
        let text = || {
            String::from_utf8_lossy(value.get(..value.len().min(NAME_MAX)).unwrap_or_default())
                .into_owned()
        };
        match (self.tag.as_slice(), self.attribute.as_slice()) {
            (b"html", b"lang") if self.page.language.is_none() => {
                self.page.language = Some(text()).filter(|language| !language.trim().is_empty());
            }
            (b"meta", b"name" | b"property") => self.meta[0] = text().trim().to_ascii_lowercase(),
            (b"meta", b"content") => self.meta[1] = text(),
            (b"td" | b"th", b"colspan" | b"rowspan") => {
                let [wide, high] = &mut self.row.span;
                let span = if self.attribute == b"colspan" {
                    wide
                } else {
                    high
                };
                *span = text().trim().parse().unwrap_or(1);
            }
            (b"a", b"href") => self.notes |= value.starts_with(b"#"),
            (b"a" | b"sup", b"class" | b"role") if self.raised.is_some() || self.tag == b"sup" => {
                self.notes |= raised::names_a_note(value);
            }
            _ => {}
        }
    }

    fn open(&mut self, self_closing: bool) {
        let tag = std::mem::take(&mut self.tag);
        self.opened(&tag, self_closing);
        self.tag = tag;
    }

    fn opened(&mut self, tag: &[u8], self_closing: bool) {
        if let Some((dropped, depth)) = &mut self.dropped {
            if dropped == tag && !(self_closing && tag == b"svg") {
                *depth += 1;
            }
            self.foreign += usize::from(HTML_IN_DRAWINGS.contains(&tag) && !self_closing);
            // A block inside an SVG that was never closed: the page continues.
            if dropped != b"svg"
                || self.foreign > 0
                || INLINE.contains(tag)
                || !matches!(
                    tag,
                    b"p" | b"div" | b"body" | b"h1" | b"h2" | b"ul" | b"table"
                )
            {
                return;
            }
            self.dropped = None;
        }
        match tag {
            b"head" => self.in_head = true,
            b"meta" => self.take_meta(),
            b"title" if self.page.title.is_none() => self.title = Some(Collapsed::default()),
            b"h1" if self.page.heading.is_none() => self.heading = Some(Collapsed::default()),
            b"sup" => self.raise(),
            b"a" if self.notes => self.link_to_note(),
            _ => {}
        }
        if !OF_THE_HEAD.contains(tag) {
            self.in_head = false;
        }
        // Only SVG elements can be self-closing; `<script/>` lasts until
        // `</script>`.
        if DROPPED.contains(&tag) && !(self_closing && tag == b"svg") {
            self.dropped = Some((tag.to_vec(), 1));
            self.foreign = 0;
        } else if tag == b"br" {
            self.text.space();
        } else if matches!(tag, b"td" | b"th") {
            let begins = self.row.columns == 0 && self.text.begins();
            let passed = self.row.passed(false);
            self.text.cells(passed + usize::from(!begins));
            self.row.cell();
        } else if !INLINE.contains(tag) {
            self.end_row(tag);
            self.text.paragraph();
        }
        if is_heading(tag) {
            self.headed = Some(self.text.0.len());
        }
    }

    /// Ends the row of a table, if this tag begins or ends one.
    fn end_row(&mut self, tag: &[u8]) {
        if !matches!(tag, b"tr" | b"thead" | b"tbody" | b"tfoot" | b"table") {
            return;
        }
        if self.row.columns > 0 {
            let passed = self.row.passed(true);
            self.text.cells(passed);
            self.row.columns = 0;
        }
        if tag == b"table" {
            self.row.above.clear();
        }
    }

    /// The end of a heading.
    fn end_heading(&mut self) {
        let words = self
            .headed
            .take()
            .and_then(|start| self.text.0.get(start..));
        let words = words.map(str::trim).unwrap_or_default();
        if !words.is_empty() && words.len() <= NAME_MAX && self.page.headings.len() < HEADINGS_MAX {
            self.page.headings.push(words.to_owned());
        }
    }

    fn close(&mut self, tag: &[u8]) {
        if let Some((dropped, depth)) = &mut self.dropped {
            if HTML_IN_DRAWINGS.contains(&tag) {
                self.foreign = self.foreign.saturating_sub(1);
            }
            if dropped == tag {
                *depth -= 1;
                if *depth == 0 {
                    self.dropped = None;
                }
            }
            return;
        }
        match tag {
            b"head" => self.in_head = false,
            b"title" => {
                if let Some(title) = self.title.take() {
                    self.page.title = title.name();
                }
            }
            b"h1" => {
                if let Some(heading) = self.heading.take() {
                    self.page.heading = heading.name();
                }
            }
            b"sup" => self.lower(),
            b"a" => self.linked = None,
            _ => {}
        }
        if is_heading(tag) {
            self.end_heading();
        }
        if !matches!(tag, b"td" | b"th") && !INLINE.contains(tag) {
            self.end_row(tag);
            self.text.paragraph();
        }
    }

    fn raise(&mut self) {
        let text = self.text.0.len();
        let heading = self.heading.as_ref().map_or(0, |heading| heading.0.len());
        self.raised = Some(Raised {
            text,
            heading,
            declared: self.notes || self.linked == Some(text),
        });
    }

    fn link_to_note(&mut self) {
        match &mut self.raised {
            Some(raised) => raised.declared = true,
            None => self.linked = Some(self.text.0.len()),
        }
    }

    /// The end of raised text: the mark of a note is removed again.
    fn lower(&mut self) {
        let Some(raised) = self.raised.take() else {
            return;
        };
        let Some((before, inner)) = self.text.0.split_at_checked(raised.text) else {
            return;
        };
        if !raised::is_mark(inner, before, raised.declared) {
            return;
        }
        self.text.0.truncate(raised.text);
        if let Some(heading) = &mut self.heading
            && heading.0.is_char_boundary(raised.heading)
        {
            heading.0.truncate(raised.heading);
        }
        self.parted = true;
    }

    fn string(&mut self, value: &[u8]) {
        if self.dropped.is_some() {
            return;
        }
        let text = std::str::from_utf8(value)
            .map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed);
        if let Some(title) = &mut self.title {
            title.push(&text);
            return;
        }
        if self.in_head {
            if text.trim().is_empty() {
                return;
            }
            self.in_head = false; // text ends the head, as in browsers
        }
        // A mark separated the text around it.
        let parted = std::mem::take(&mut self.parted) && text.starts_with(char::is_alphanumeric);
        for place in [self.heading.as_mut(), Some(&mut self.text)] {
            let Some(place) = place else { continue };
            if parted {
                place.space();
            }
            place.push(&text);
        }
    }

    fn take_meta(&mut self) {
        let [name, meta] = &self.meta;
        let mut content = Collapsed::default();
        content.push(meta);
        let content = content.name();
        if name == "og:site_name" && self.page.site_name.is_none() {
            self.page.site_name = content;
        }
    }

    fn finish(mut self) -> Page {
        if let Some(title) = self.title.take() {
            self.page.title = title.name(); // never closed
        }
        if let Some(heading) = self.heading.take() {
            self.page.heading = heading.name();
        }
        // a row may begin and end with empty cells
        self.page.text = self.text.0.trim_matches([' ', '\n']).to_owned();
        self.page.kind = BodyKind::Html;
        self.page
    }
}

fn is_heading(tag: &[u8]) -> bool {
    matches!(tag, b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6")
}

/// Only single spaces, and no other kind of space. Without branches, so that
/// the compiler can vectorise it.
fn is_tidy(text: &str) -> bool {
    let bytes = text.as_bytes();
    let odd = |odd: u8, byte: &u8| odd | u8::from(!(b' '..0x7f).contains(byte));
    let double = |seen: u8, (a, b): (&u8, &u8)| seen | u8::from([*a, *b] == [b' ', b' ']);
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    bytes.iter().fold(0, odd) == 0 && pairs.fold(0, double) == 0
}

/// Text whose white space is collapsed while it is appended.
#[derive(Default)]
pub(super) struct Collapsed(String);

impl Collapsed {
    pub(super) fn push(&mut self, text: &str) {
        if is_tidy(text) {
            if text.starts_with(' ') {
                self.space();
            }
            self.0.push_str(text.trim_start_matches(' '));
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.space();
        }
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            self.0.push_str(word);
            if words.peek().is_some() {
                self.0.push(' ');
            }
        }
        if text.ends_with(char::is_whitespace) {
            self.space();
        }
    }

    pub(super) fn space(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with([' ', '\t', '\n']) {
            self.0.push(' ');
        }
    }

    /// A tab between the cells of a row, also of empty ones: a judge must not read them as one
    /// sentence, nor a figure below another head.
    fn cells(&mut self, passed: usize) {
        if self.0.ends_with(' ') {
            self.0.pop();
        }
        self.0.extend(std::iter::repeat_n('\t', passed));
    }

    fn begins(&self) -> bool {
        self.0.is_empty() || self.0.ends_with('\n')
    }

    /// Ends a paragraph or a row; a row may end with empty cells.
    fn paragraph(&mut self) {
        if self.0.ends_with(' ') {
            self.0.pop();
        }
        let full = self.0.trim_end_matches('\t').len();
        if full == 0 || self.0.get(..full).is_some_and(|text| text.ends_with('\n')) {
            self.0.truncate(full);
        }
        if !self.0.is_empty() && !self.0.ends_with('\n') {
            self.0.push_str("\n\n");
        }
    }

    pub(super) fn into_text(self) -> String {
        self.0.trim().to_owned()
    }

    fn name(self) -> Option<String> {
        let name: String = self.0.trim().chars().take(NAME_MAX).collect();
        Some(name).filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_paragraphs_and_its_metadata() {
        let html = "<!doctype html><html lang=en><head><meta charset=utf-8><title>City  trees &amp; more</title>\
            <meta property=og:site_name content='Urban Forest Review'><meta name=Description content='About trees'>\
            <meta name=author content='A. Oak'><style>p{}</style></head><body><nav>Home</nav><h1>City <em>trees</em></h1>\
            <p>A survey\n counted <b>41,000</b> trees.<script>var t = '<p>404</p>';</script></p>\
            <table><tr><td>one</td><td>two</td></tr></table><svg><text>drawn</text></svg>caf&eacute; &#x41;</body></html>";
        let page = page(html);
        assert_eq!(
            page.text,
            "Home\n\nCity trees\n\nA survey counted 41,000 trees.\n\none\ttwo\n\ncafé A"
        );
        assert_eq!(page.title.as_deref(), Some("City trees & more"));
        assert_eq!(page.heading.as_deref(), Some("City trees"));
        assert_eq!(page.site_name.as_deref(), Some("Urban Forest Review"));
        assert_eq!(page.language.as_deref(), Some("en"));
    }

    #[test]
    fn empty_cells_keep_the_columns_apart() {
        let html = "<p>a</p><table><tr><th></th><th>2020</th><th> </th><th>2022</th></tr>\
            <tr><td>Rate</td><td></td><td>5</td><td>6</td></tr><tr><td></td><td></td></tr></table><p>b</p>";
        assert_eq!(page(html).text, "a\n\n\t2020\t\t2022\n\nRate\t\t5\t6\n\nb");
        let html = "<table><tr><th>Model<th>Score<th><tr><td>Alpha<td>5<td></table>";
        assert_eq!(page(html).text, "Model\tScore\t\n\nAlpha\t5\t");
    }

    #[test]
    fn cells_that_span_columns_and_rows_keep_the_others_below_their_heads() {
        for (html, text) in [
            (
                "<table><tr><th rowspan=2>Model</th><th colspan=2>Score</th><th rowspan=2>Year</th></tr>\
                 <tr><th>Low</th><th>High</th></tr><tr><td>Alpha</td><td>5</td><td>6</td><td>2020</td></tr></table>",
                "Model\tScore\t\tYear\n\n\tLow\tHigh\t\n\nAlpha\t5\t6\t2020",
            ),
            (
                "<table><tr><th>Land</th><th>City</th><th>Height</th></tr><tr><td rowspan=2>Aven</td><td>Holt</td><td>12 m</td></tr>\
                 <tr><td>Lind</td><td>99 m</td></tr><tr><td colspan='2'>Orrin</td><td>7 m</td></tr></table><p>b</p>",
                "Land\tCity\tHeight\n\nAven\tHolt\t12 m\n\n\tLind\t99 m\n\nOrrin\t\t7 m\n\nb",
            ),
            (
                "<table><tr><td rowspan=99999>a</td><td colspan=x>b</td></tr></table><table><tr><td>c</td><td>d</td></tr></table>",
                "a\tb\n\nc\td",
            ),
        ] {
            assert_eq!(page(html).text, text, "{html}");
        }
        let html = format!("<table>{}", "<tr><td rowspan=9 colspan=9999>".repeat(9));
        assert!(page(&html).text.len() < 9 * 2 * SPAN_MAX, "{html}");
    }

    #[test]
    fn white_space_of_any_kind_becomes_one_blank() {
        for (html, text) in [
            ("<p> a  b\n\tc </p>", "a b c"),
            ("a <b>b</b> c<i> d</i>", "a b c d"),
            ("a\u{a0}\u{2003}b&nbsp;c", "a b c"),
            ("one <b> two", "one two"),
            ("x<p> </p>y", "x\n\ny"),
        ] {
            assert_eq!(page(html).text, text, "{html:?}");
        }
    }

    #[test]
    fn a_head_without_an_end_does_not_swallow_the_page() {
        assert_eq!(page("<head><title>T</title><p>Text").text, "Text");
        assert_eq!(
            page("<head>Text without a body").text,
            "Text without a body"
        );
    }

    #[test]
    fn marks_of_notes_are_not_text() {
        for (html, text) in [
            ("41,000<sup>3</sup> trees", "41,000 trees"),
            ("41,000.5<sup>3,4</sup> trees", "41,000.5 trees"),
            ("41<sup><a href='#r3'>3</a></sup> trees", "41 trees"),
            ("41<a href='#r3'><sup>3</sup></a> trees", "41 trees"),
            ("41<sup class='footnote'>3</sup> trees", "41 trees"),
            ("41<sup><a role=doc-noteref href=/n>3</a></sup>", "41"),
            ("counted<sup>[3]</sup> 41,000", "counted 41,000"),
            (
                "counted<sup>[3]</sup><sup>[4]</sup> 41,000",
                "counted 41,000",
            ),
            (
                "counted<sup id=c class=reference><a href='#n'><span>[</span>3<span>]</span></a></sup> 41",
                "counted 41",
            ),
            (
                "so<sup class=reference><a href='#n'>[note 3]</a></sup> on",
                "so on",
            ),
            ("so<sup>[a]</sup> on<sup><a href='#n'>*</a></sup>", "so on"),
            (
                "in 2024<sup>3</sup> and in 2024.<sup>12</sup>Next",
                "in 2024 and in 2024. Next",
            ),
            (
                "42%<sup>3</sup> of all trees<sup>4</sup>",
                "42% of all trees",
            ),
            ("<h1>Trees<sup>[1]</sup></h1>", "Trees"),
        ] {
            let seen = page(html);
            assert_eq!(seen.text, text, "{html}");
            let heading = seen.heading.unwrap_or(text.to_owned());
            assert_eq!(heading, text, "{html}");
        }
    }

    #[test]
    fn exponents_and_other_raised_text_stay() {
        for (html, text) in [
            ("10<sup>6</sup> cells", "106 cells"),
            ("1.5 × 10<sup>-6</sup> m", "1.5 × 10-6 m"),
            (
                "5 km<sup>2</sup> and 5 square metres<sup>2</sup>",
                "5 km2 and 5 square metres2",
            ),
            (
                "2048<sup>2</sup> and x<sup>2</sup> and (a)<sup>2</sup>",
                "20482 and x2 and (a)2",
            ),
            (
                "the 19<sup>th</sup> of May<sup>TM</sup>",
                "the 19th of MayTM",
            ),
            ("<a href='#x'>5 km<sup>2</sup></a>", "5 km2"),
            (
                "2<sup>n</sup> and 3<sup>never closed",
                "2n and 3never closed",
            ),
            ("a<sup><p>b</p></sup>c", "a\n\nb\n\nc"),
            ("10<sup><a href='#unit'>th</a></sup>", "10th"),
        ] {
            assert_eq!(page(html).text, text, "{html}");
        }
    }

    #[test]
    fn dropped_elements_nest_and_end() {
        assert_eq!(
            page("<template><template>a</template>b</template>c").text,
            "c"
        );
        assert_eq!(page("<noscript><p>no</p></noscript>yes").text, "yes");
        assert_eq!(
            page("<svg><g><p>after a drawing that never ends</p>").text,
            "after a drawing that never ends"
        );
    }

    #[test]
    fn a_slash_does_not_close_a_script_and_a_drawing_keeps_its_html() {
        for html in [
            "<script src=x />hidden</script>seen",
            "<style/>hidden</style>seen",
            "<noscript/>hidden</noscript>seen",
            "<svg><foreignObject><div>hidden</div></foreignObject></svg>seen",
            "<svg><title><p>hidden</p></title><desc><div>hidden</div></desc></svg>seen",
            "<svg/>seen",
            "<svg><title/><path/></svg>seen",
            "<svg><defs><style/><script/></defs></svg>seen",
            "<svg><style>hidden</style><script>hidden</script></svg>seen",
            "<svg><foreignObject><style/>hidden</style></foreignObject></svg>seen",
        ] {
            assert_eq!(page(html).text, "seen", "{html}");
        }
    }

    #[test]
    fn a_title_in_a_drawing_is_not_the_title_of_the_page() {
        assert_eq!(
            page("<svg><title>Icon</title></svg><title>Page</title>")
                .title
                .as_deref(),
            Some("Page")
        );
    }

    #[test]
    fn nesting_a_hundred_thousand_deep_is_nothing_special() {
        let html = format!(
            "{}deep{}",
            "<div>".repeat(100_000),
            "</div>".repeat(100_000)
        );
        assert_eq!(page(&html).text, "deep");
    }
}
