//! Formats that are written line by line: paragraphs, items, and the parts
//! between them that a format reads in its own way.

use std::ops::Range;

use super::doc::{Kind, Writer};
use crate::pattern::{Pattern, pattern};

pattern! {
    ITEM, r"^\s*([-+•]|\*{1,5}|\.{1,5}|#\.|\(?\d{1,3}[.)]|\\item(?:\[[^\]]*\])?)(?:\s+|$)"
}

/// What some lines of a text are.
pub(super) enum Part {
    Heading(u8),
    /// A note and its name.
    Note(String),
    Code,
    Hidden,
    /// Lines of a table: no one is accused for them.
    Drawing,
}

/// Writes the words of a range, and gives the notes in it that are read behind it.
pub(super) type Inline<'f> =
    dyn FnMut(&mut Writer, Range<usize>) -> Vec<(String, Range<usize>)> + 'f;

/// The lines of a text without their ends.
pub(super) fn physical(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        start..start + line.trim_end().len()
    })
}

/// How far a line is set in.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Words as they are, line by line.
pub(super) fn words(writer: &mut Writer, text: &str, range: Range<usize>) {
    let mut at = range.start;
    for line in text.get(range).unwrap_or_default().split_inclusive('\n') {
        let own = line.trim_end_matches(['\n', '\r']);
        writer.text(at, own);
        if own.len() < line.len() {
            writer.line();
        }
        at += line.len();
    }
}

/// Writes a range: what a pattern finds by `take`, which says where it ends, the
/// rest as it is.
pub(super) fn inline(
    writer: &mut Writer,
    text: &str,
    range: Range<usize>,
    form: &Pattern,
    mut take: impl FnMut(&mut Writer, &regex::Captures<'_>) -> usize,
) {
    let own = text.get(..range.end).unwrap_or_default();
    let mut cursor = range.start;
    let mut from = range.start;
    while let Some(found) = form.captures_at(own, from) {
        let Some(whole) = found.get(0) else {
            break;
        };
        words(writer, text, cursor..whole.start());
        cursor = take(writer, &found).clamp(whole.start(), range.end);
        from = cursor.max(whole.start() + 1);
        while from < own.len() && !own.is_char_boundary(from) {
            from += 1;
        }
        if from >= own.len() {
            break;
        }
    }
    words(writer, text, cursor..range.end);
}

/// A text whose parts are known; they are in its order.
pub(super) struct Flow<'t, 'f> {
    pub(super) text: &'t str,
    pub(super) writer: Writer,
    pub(super) inline: &'f mut Inline<'f>,
}

impl Flow<'_, '_> {
    /// Writes all lines.
    pub(super) fn write(mut self, mut parts: Vec<(Range<usize>, Part)>) -> Writer {
        parts.sort_by_key(|(range, _)| range.start);
        let mut parts = parts.into_iter().peekable();
        let mut open: Vec<usize> = Vec::new();
        let mut paragraph: Option<Range<usize>> = None;
        let mut until = 0;
        for line in physical(self.text) {
            let words = self.text.get(line.clone()).unwrap_or_default();
            let first = line.start + indent(words);
            let is_part = parts
                .peek()
                .is_some_and(|(range, _)| range.start < line.end);
            let is_speaker = ["-- ", "— ", "― "]
                .iter()
                .any(|dash| words.trim_start().starts_with(dash));
            let is_new = is_speaker || ITEM.is_match(words);
            if words.is_empty() || first < until || is_part || is_new {
                self.paragraph(&mut open, paragraph.take());
            }
            while let Some((range, part)) = parts.next_if(|(range, _)| range.start < line.end) {
                if range.start >= until {
                    until = range.end;
                    self.part(&mut open, range, part);
                }
            }
            let start = if until > first { until } else { line.start };
            if start >= line.end || words.is_empty() {
                continue;
            }
            match &mut paragraph {
                Some(own) => own.end = line.end,
                None => paragraph = Some(start..line.end),
            }
        }
        self.paragraph(&mut open, paragraph);
        self.writer.close_to(0);
        self.writer
    }

    /// Ends the items that a line set in so far is not in.
    fn end_items(&mut self, open: &mut Vec<usize>, depth: usize) {
        while open.pop_if(|own| *own >= depth).is_some() {
            self.writer.close();
        }
    }

    fn paragraph(&mut self, open: &mut Vec<usize>, range: Option<Range<usize>>) {
        let Some(range) = range else {
            return;
        };
        let words = self.text.get(range.clone()).unwrap_or_default();
        let sign = ITEM.captures(words);
        let sign = sign
            .as_ref()
            .and_then(|form| Some((form.get(0)?, form.get(1)?)));
        let at = range.start + indent(words);
        let Some((whole, sign)) = sign else {
            let depth = indent(words);
            self.end_items(open, depth);
            return self.block(Kind::Paragraph, at..range.end);
        };
        let sign = sign.as_str();
        let is_nested = sign.bytes().all(|byte| matches!(byte, b'*' | b'.'));
        let depth = indent(words) + if is_nested { sign.len() } else { 1 };
        self.end_items(open, depth);
        let number = sign.trim_matches(['(', ')', '.']).parse().ok();
        self.writer.open(Kind::Item(number), at);
        open.push(depth);
        self.block(Kind::Paragraph, range.start + whole.end()..range.end);
    }

    fn block(&mut self, kind: Kind, range: Range<usize>) {
        self.writer.open(kind, range.start);
        let notes = (self.inline)(&mut self.writer, range);
        self.writer.close();
        for (name, range) in notes {
            self.note(name, range);
        }
    }

    fn note(&mut self, name: String, range: Range<usize>) {
        self.writer.open(Kind::Note, range.start);
        self.writer.note(name);
        let notes = (self.inline)(&mut self.writer, range);
        self.writer.close();
        for (name, range) in notes {
            self.note(name, range);
        }
    }

    fn part(&mut self, open: &mut Vec<usize>, range: Range<usize>, part: Part) {
        if !matches!(part, Part::Hidden | Part::Code) {
            self.end_items(open, 0);
        }
        match part {
            Part::Hidden => {}
            Part::Heading(level) => self.block(Kind::Heading(level), range),
            Part::Note(name) => self.note(name, range),
            Part::Code => {
                self.writer.open(Kind::Code, range.start);
                words(&mut self.writer, self.text, range);
                self.writer.close();
            }
            Part::Drawing => {
                let own = self.text.get(range.clone()).unwrap_or_default();
                for line in physical(own) {
                    let line = range.start + line.start..range.start + line.end;
                    self.writer.open(Kind::Paragraph, line.start);
                    self.writer.loosen();
                    (self.inline)(&mut self.writer, line);
                    self.writer.close();
                }
            }
        }
    }
}
