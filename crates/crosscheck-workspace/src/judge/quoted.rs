//! What a paragraph states itself, and what it only quotes (workspace 10).
//!
//! If in doubt a text counts as quoted: this view decides whether a pass marker
//! is a verdict of the report, and a missed one only asks for a review.

use std::ops::Range;

use super::spans::code_spans;

/// HTML elements whose content is quoted, shown as code, struck out or a table
/// cell. Block elements continue over blank lines.
const INLINE: [&str; 9] = [
    "q", "code", "kbd", "samp", "tt", "s", "del", "strike", "cite",
];
const BLOCKS: [&str; 9] = [
    "blockquote",
    "details",
    "pre",
    "table",
    "textarea",
    "template",
    "script",
    "style",
    "xmp",
];

/// Elements without an end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "meta", "link"];

/// An element that is still open.
#[derive(Debug, Clone)]
struct Element {
    name: String,
    depth: usize,
    is_block: bool,
}

/// Visits the paragraphs of a report and keeps the block that is open from one
/// to the next.
#[derive(Debug, Default)]
pub(super) struct Quoting {
    open: Option<Element>,
    /// The mark of a quotation that no paragraph has closed yet.
    mark: Option<char>,
}

/// A paragraph without its quotations.
pub(super) struct OwnWords {
    /// With spaces in place of quotations; line ends stay.
    pub(super) text: String,
    /// It closes a quotation that an earlier paragraph opened.
    pub(super) closes: bool,
    /// It opens a quotation that it does not close.
    pub(super) opens: bool,
}

impl Quoting {
    /// Whether something is open from an earlier paragraph.
    pub(super) const fn is_open(&self) -> bool {
        self.open.is_some() || self.mark.is_some()
    }

    /// Takes the next paragraph.
    pub(super) fn own_words(&mut self, paragraph: &str) -> OwnWords {
        let mut text = paragraph.to_owned();
        let code: Vec<Range<usize>> = code_spans(&text).into_iter().map(|(it, _)| it).collect();
        blank(&mut text, &code);
        let html = self.html(&text);
        blank(&mut text, &html);
        let struck = pairs_of(&text, "~~");
        blank(&mut text, &struck);
        let table = table_rows(&text);
        blank(&mut text, &table);
        let closes = self.mark.is_some_and(|mark| is_closed_by(mark, &text));
        let (quotations, unclosed) = quotations(&text);
        blank(&mut text, &quotations);
        if closes {
            self.mark = None;
        }
        let opens = unclosed.filter(|_| !closes);
        self.mark = opens.or(self.mark);
        OwnWords {
            text,
            closes,
            opens: opens.is_some(),
        }
    }

    /// A heading ends every quotation.
    pub(super) const fn end_quotation(&mut self) {
        self.mark = None;
    }

    /// Tags, and the content of elements that quote.
    fn html(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut from = self.open.as_ref().map(|_| 0);
        for tag in tags(text) {
            match &mut self.open {
                None if tag.is_closing => ranges.push(tag.place),
                None => {
                    self.open = tag.opens();
                    match self.open {
                        Some(_) => from = Some(tag.place.start),
                        None => ranges.push(tag.place),
                    }
                }
                Some(open) if tag.name.eq_ignore_ascii_case(&open.name) => {
                    if tag.is_closing {
                        open.depth -= 1;
                    } else {
                        open.depth += 1;
                    }
                    if open.depth == 0 {
                        self.open = None;
                        ranges.push(from.take().unwrap_or(0)..tag.place.end);
                    }
                }
                Some(_) => {}
            }
        }
        if let Some(from) = from {
            ranges.push(from..text.len());
        }
        // only a block continues after a blank line
        self.open = self.open.take().filter(|open| open.is_block);
        ranges
    }
}

struct Tag<'t> {
    name: &'t str,
    is_closing: bool,
    is_hidden: bool,
    place: Range<usize>,
}

impl Tag<'_> {
    fn opens(&self) -> Option<Element> {
        let is_in = |names: &[&str]| names.iter().any(|it| self.name.eq_ignore_ascii_case(it));
        let is_inline = is_in(&INLINE);
        let opens = is_inline || is_in(&BLOCKS) || self.is_hidden && !is_in(&VOID);
        opens.then(|| Element {
            name: self.name.to_owned(),
            depth: 1,
            is_block: !is_inline,
        })
    }
}

/// Everything that looks like an HTML tag.
fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text.get(at..)?.find('<')?;
            at = start + 1;
            let inside = text.get(at..)?;
            let is_closing = inside.starts_with('/');
            let name = inside.strip_prefix('/').unwrap_or(inside);
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            let length = name
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(name.len());
            let end = at + inside.find('>')? + 1;
            at = end;
            let tag = text.get(start..end)?.to_ascii_lowercase();
            return Some(Tag {
                name: name.get(..length)?,
                is_closing,
                is_hidden: [
                    " hidden",
                    "display:",
                    "visibility:",
                    "opacity:",
                    "font-size:0",
                ]
                .iter()
                .any(|style| tag.contains(style)),
                place: start..end,
            });
        }
    })
}

/// From every mark to its partner, both included.
fn pairs_of(text: &str, mark: &str) -> Vec<Range<usize>> {
    let marks: Vec<usize> = text.match_indices(mark).map(|(at, _)| at).collect();
    let pairs = marks.chunks_exact(2);
    pairs
        .filter_map(|pair| match pair {
            [open, close] => Some(*open..close + mark.len()),
            _ => None,
        })
        .collect()
}

/// Lines that begin with a bar, and the rows around a line of dashes between
/// bars: the line above it and all lines below.
fn table_rows(text: &str) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut at = 0;
    let mut above = 0;
    for line in text.split_inclusive('\n') {
        if is_delimiter(line) {
            rows.push(above..text.len());
            break;
        }
        if line.trim_start().starts_with('|') {
            rows.push(at..at + line.len());
        }
        above = at;
        at += line.len();
    }
    rows
}

fn is_delimiter(line: &str) -> bool {
    let line = line.trim();
    line.contains('|')
        && line.contains('-')
        && line
            .chars()
            .all(|c| matches!(c, '|' | '-' | ':') || c.is_whitespace())
}

/// The closing mark for this opening character.
const fn closers(opener: char) -> &'static [char] {
    match opener {
        '"' => &['"'],
        '\'' => &['\''],
        '“' => &['”', '“', '"'],
        '”' => &['”'],
        '„' | '‟' => &['“', '”', '"'],
        '‘' => &['’', '‘'],
        '’' => &['’'],
        '‚' | '‛' => &['‘', '’'],
        '«' => &['»'],
        '»' => &['«', '»'],
        '‹' => &['›'],
        '›' => &['‹', '›'],
        '「' => &['」'],
        '『' => &['』'],
        '｢' => &['｣'],
        '《' => &['》'],
        '〈' => &['〉'],
        '〝' => &['〞', '〟'],
        '＂' => &['＂'],
        '＇' => &['＇'],
        '❝' => &['❞'],
        '❛' => &['❜'],
        '⹂' => &['⹂', '”'],
        _ => &[],
    }
}

/// Between two words these are an apostrophe or a unit sign.
const fn is_ambiguous(c: char) -> bool {
    matches!(c, '"' | '\'' | '’')
}

/// Quotations, from the opening to the closing mark. A mark without a partner
/// opens none.
fn quotations(text: &str) -> (Vec<Range<usize>>, Option<char>) {
    let mut last_of: Vec<(char, usize)> = Vec::new();
    let marks: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| !closers(*c).is_empty() || is_closer(*c))
        .collect();
    for (at, c) in &marks {
        match last_of.iter_mut().find(|(known, _)| known == c) {
            Some((_, last)) => *last = *at,
            None => last_of.push((*c, *at)),
        }
    }
    let mut ranges = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut unclosed = None;
    for (at, c) in marks {
        match open {
            None => {
                let is_closed = last_of
                    .iter()
                    .any(|(closer, last)| closers(c).contains(closer) && *last > at);
                if is_closed && may_open(text, at, c) {
                    open = Some((at, c));
                } else if goes_on(text, at, c) {
                    unclosed = Some(c);
                }
            }
            Some((start, opener)) if closers(opener).contains(&c) && may_close(text, at, c) => {
                ranges.push(start..at + c.len_utf8());
                open = None;
            }
            Some(_) => {}
        }
    }
    (ranges, unclosed)
}

/// Whether a mark without a partner may open a quotation of several paragraphs:
/// one with no other use, before a word.
fn goes_on(text: &str, at: usize, c: char) -> bool {
    let after = text
        .get(at + c.len_utf8()..)
        .and_then(|text| text.chars().next());
    let is_before_word = after.is_some_and(char::is_alphanumeric);
    !matches!(c, '\'' | '’' | '‘' | '‚' | '‛' | '＇' | '”' | '»' | '›')
        && !closers(c).is_empty()
        && (c != '"' || is_before_word)
        && may_open(text, at, c)
}

/// Whether the first mark of a paragraph closes a quotation that an earlier
/// one opened.
fn is_closed_by(mark: char, text: &str) -> bool {
    let first = text
        .char_indices()
        .find(|(_, c)| closers(mark).contains(c) || *c == mark);
    first.is_some_and(|(at, c)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + c.len_utf8()..)
            .and_then(|text| text.chars().next());
        let is_behind_word = before.is_some_and(|c| !c.is_whitespace())
            && after.is_none_or(|c| !c.is_alphanumeric());
        closers(mark).contains(&c) && (c != '"' || is_behind_word)
    })
}

const fn is_closer(c: char) -> bool {
    matches!(c, '」' | '』' | '｣' | '》' | '〉' | '〞' | '〟' | '❞' | '❜')
}

fn may_open(text: &str, at: usize, c: char) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    !is_ambiguous(c) || before.is_none_or(|c| !c.is_alphanumeric())
}

fn may_close(text: &str, at: usize, c: char) -> bool {
    let after = text
        .get(at + c.len_utf8()..)
        .and_then(|text| text.chars().next());
    !matches!(c, '\'' | '’') || after.is_none_or(|c| !c.is_alphanumeric())
}

/// Replaces these ranges, which are in order, with spaces.
fn blank(text: &mut String, ranges: &[Range<usize>]) {
    if ranges.is_empty() {
        return;
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        let gone = text.get(range.clone()).unwrap_or_default();
        kept.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        from = range.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    *text = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(paragraph: &str) -> bool {
        Quoting::default().own_words(paragraph).text.contains('M')
    }

    #[test]
    fn quotation_marks_of_every_script_quote() {
        for quoted in [
            "say \"M\" now",
            "say 'M' now",
            "“M”",
            "„M“",
            "„M”",
            "”M”",
            "«M»",
            "»M«",
            "»M»",
            "‹M›",
            "‘M’",
            "‚M‘",
            "「M」",
            "『M』",
            "《M》",
            "〝M〟",
            "＂M＂",
            "❝M❞",
            "it is \"good, ‘inner’ and M too\".",
            "first \"\nM\n\" last",
            "'\nM\n'",
        ] {
            assert!(!says(quoted), "{quoted}");
        }
        for own in [
            "M",
            "the \"login\" page: M, and the \"logout\" page",
            "it's done: M, isn't it",
            "a 5\" disk: M and a 3\" pipe",
            "the users' own M",
            "\"M",
            "M\"",
            "“a” M “b”",
        ] {
            assert!(says(own), "{own}");
        }
    }

    #[test]
    fn code_html_and_struck_out_text_quote() {
        for quoted in [
            "`M`",
            "`a\nM`",
            "<q>M</q>",
            "<Q lang=de>M",
            "<code>M</code>",
            "<blockquote>\nM",
            "<pre>a<pre>b</pre>M</pre>",
            "~~M~~",
            "<del>M</del>",
            "<div title=M>",
            "<div hidden>\nM\n</div>",
            "<details><summary>a</summary>M</details>",
            "<td>x</td><table><tr><td>M</td></tr></table>",
        ] {
            assert!(!says(quoted), "{quoted}");
        }
        for own in [
            "<b>M</b>",
            "a < b and M > c",
            "<q>a</q> M",
            "<q>a</q> M <q>b</q>",
            "~~a~~ M ~~b~~",
            "~~ M",
        ] {
            assert!(says(own), "{own}");
        }
    }

    #[test]
    fn a_block_continues_after_a_blank_line_and_an_inline_element_does_not() {
        let mut quoting = Quoting::default();
        assert_eq!(quoting.own_words("a<blockquote>b").text, "a             ");
        assert_eq!(quoting.own_words("M</blockquote>c").text, "              c");
        assert_eq!(quoting.own_words("<q>M").text, "    ");
        assert_eq!(quoting.own_words("M").text, "M");
    }

    #[test]
    fn table_rows_do_not_count() {
        for quoted in [
            "| a | M |",
            "a | b\n--|--\nc | M",
            "a | M\n:-:|---\nb",
            "a|b\n-|-\nM",
        ] {
            assert!(!says(quoted), "{quoted}");
        }
        for own in ["a | M", "M | b\nc | d", "M\n---\nb"] {
            assert!(says(own), "{own}");
        }
    }

    #[test]
    fn many_marks_take_linear_time() {
        let text = "“ ‘ « „ ' \" <q ~~ ` ".repeat(100_000) + "M";
        assert!(!text.is_empty() && Quoting::default().own_words(&text).text.len() <= text.len());
    }
}
