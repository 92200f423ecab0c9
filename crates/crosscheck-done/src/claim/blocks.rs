//! Markdown as far as it matters: what is quoted or code is left out, and of
//! the rest it is known whether it is in a list of plans.

use std::ops::Range;
use std::rc::Rc;

/// A piece of text that is read together.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) shape: Shape,
    /// The pieces of its lines.
    pub(super) lines: Vec<Range<usize>>,
    /// Words of the heading and of the line that leads in, when it is in
    /// a list.
    pub(super) above: Vec<Rc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Paragraph,
    Heading,
    Item,
    /// A task that is not ticked off.
    OpenTask,
    /// A task that is.
    DoneTask,
    /// A row of a table.
    Row,
}

/// Cuts a text into blocks.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader {
        after_blank: true,
        ..Reader::default()
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches('\n');
        reader.line(text, at..at + body.len());
        at += line.len();
    }
    reader.close();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    open: Option<Block>,
    /// The fence that ends the code we are in.
    fence: Option<(char, usize)>,
    heading: Option<Rc<str>>,
    lead_in: Option<Rc<str>>,
    after_blank: bool,
    /// Whether the quote we are in is a note of the writer's own.
    in_note: bool,
    in_list: bool,
}

impl Reader {
    fn line(&mut self, text: &str, range: Range<usize>) {
        let line = text.get(range.clone()).unwrap_or_default();
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if self.in_fence(bare) {
            self.result(bare, range);
            return;
        }
        if bare.is_empty() {
            self.close();
            self.after_blank = true;
            return;
        }
        let was_blank = std::mem::take(&mut self.after_blank);
        if let Some(quoted) = bare.strip_prefix('>') {
            self.quote(quoted, range.end);
            return;
        }
        self.in_note = false;
        let is_code = (indent >= 4 || line.starts_with('\t')) && was_blank && !self.in_list;
        if is_code {
            self.close();
            self.after_blank = true; // the next line of the same code
            return;
        }
        let start = range.start + indent;
        self.text_line(bare, start, range.end, indent);
    }

    /// A ticked line of code below "Test results" is the writer's own word.
    fn result(&mut self, bare: &str, line: Range<usize>) {
        let is_ticked = bare.starts_with(['✅', '✔', '✓']);
        let heading = self.heading.as_deref().unwrap_or_default();
        if is_ticked && heading.split(' ').any(|word| word == "results") {
            self.push(Shape::Item, line);
            self.close();
        }
    }

    /// A line of a quote: only `> [!NOTE]` and its like are the writer's own.
    fn quote(&mut self, quoted: &str, end: usize) {
        let bare = quoted.trim_start();
        let is_mark = bare.starts_with("[!") && bare.trim_end().ends_with(']');
        if is_mark || !self.in_note || bare.is_empty() {
            self.close();
            self.in_note |= is_mark;
            return;
        }
        self.text_line(bare, end - bare.len(), end, 0);
    }

    /// Whether the line is code between fences, or such a fence.
    fn in_fence(&mut self, bare: &str) -> bool {
        let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| bare.chars().take_while(|c| *c == mark).count());
        if let Some((open, least)) = self.fence {
            let is_end =
                mark == Some(open) && length >= least && bare.trim_end().chars().all(|c| c == open);
            if is_end {
                self.fence = None;
            }
            return true;
        }
        let Some(mark) = mark.filter(|_| length >= 3) else {
            return false;
        };
        // ```code``` on one line is not a fence
        if mark == '`' && bare.get(length..).is_some_and(|rest| rest.contains('`')) {
            return false;
        }
        self.close();
        self.fence = Some((mark, length));
        true
    }

    fn text_line(&mut self, bare: &str, start: usize, end: usize, indent: usize) {
        if let Some((from, title)) = heading(bare) {
            self.close();
            self.in_list = false;
            self.lead_in = None;
            self.heading = Some(words(title));
            self.push(Shape::Heading, start + from..start + from + title.len());
            self.close();
        } else if let Some((shape, skip)) = item(bare) {
            self.close();
            self.in_list = true;
            self.push(shape, start + skip..end);
        } else if is_row(bare) {
            self.close();
            self.in_list = false;
            let is_rule = bare
                .chars()
                .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '='));
            if !is_rule {
                self.push(Shape::Row, start..end);
                self.close();
            }
        } else if bare.len() >= 3
            && bare
                .chars()
                .all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
        {
            self.close(); // a rule, or the line below a heading
        } else {
            self.paragraph(bare, start..end, indent);
        }
    }

    fn paragraph(&mut self, bare: &str, range: Range<usize>, indent: usize) {
        if let Some(open) = &mut self.open {
            open.lines.push(range);
        } else {
            if indent == 0 {
                self.in_list = false;
            }
            self.push(Shape::Paragraph, range);
        }
        let title = bare.trim_end_matches(['*', '_', ' ']);
        let is_bold = bare.starts_with("**") && bare.trim_end().ends_with("**");
        let is_lead = title.ends_with(':') || bare.trim_end().ends_with(':');
        if is_bold && bare.len() < 80 {
            self.heading = Some(words(title));
            self.lead_in = None;
        } else {
            self.lead_in = is_lead.then(|| words(title));
        }
    }

    fn push(&mut self, shape: Shape, range: Range<usize>) {
        let above = match shape {
            Shape::Heading => Vec::new(),
            Shape::Paragraph => self.heading.iter().cloned().collect(),
            _ => self.heading.iter().chain(&self.lead_in).cloned().collect(),
        };
        self.open = Some(Block {
            shape,
            lines: vec![range],
            above,
        });
    }

    fn close(&mut self) {
        self.blocks.extend(self.open.take());
    }
}

/// The text of a heading, and where it begins.
fn heading(bare: &str) -> Option<(usize, &str)> {
    let rest = bare.trim_start_matches('#');
    let level = bare.len() - rest.len();
    if !(1..=6).contains(&level) || !rest.starts_with(' ') {
        return None;
    }
    let title = rest.trim_start();
    let from = bare.len() - title.len();
    Some((from, title.trim_end_matches(['#', ' '])))
}

/// Whether a line is a row of a table.
fn is_row(bare: &str) -> bool {
    bare.starts_with('|') || bare.matches('|').count() >= 2
}

/// The mark of a list item and how many bytes it takes.
fn item(bare: &str) -> Option<(Shape, usize)> {
    let mark = bare.chars().next()?;
    let after = if matches!(mark, '-' | '*' | '+' | '•' | '–' | '·' | '◦' | '▪' | '‣') {
        mark.len_utf8()
    } else {
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let ends = matches!(bare.as_bytes().get(digits), Some(b'.' | b')'));
        if !(1..=3).contains(&digits) || !ends {
            return None;
        }
        digits + 1
    };
    let rest = bare.get(after..)?;
    let text = rest.trim_start();
    let blanks = rest.len() - text.len();
    if blanks == 0 {
        return None;
    }
    let skip = after + blanks;
    Some(match text.get(..3) {
        Some("[ ]") => (Shape::OpenTask, skip + 3),
        Some("[x]" | "[X]") => (Shape::DoneTask, skip + 3),
        _ => (Shape::Item, skip),
    })
}

/// The words of a title, for comparing: lower case, without signs.
fn words(title: &str) -> Rc<str> {
    let letters = title.chars().map(|c| {
        if c.is_alphanumeric() || matches!(c, '\'' | '-') {
            c.to_ascii_lowercase()
        } else {
            ' '
        }
    });
    let text: String = letters.collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(text: &str) -> Vec<(Shape, String, Vec<String>)> {
        blocks(text)
            .into_iter()
            .map(|block| {
                let lines = block
                    .lines
                    .iter()
                    .filter_map(|range| text.get(range.clone()));
                (
                    block.shape,
                    lines.collect::<Vec<_>>().join("/"),
                    block.above.iter().map(ToString::to_string).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn code_and_quotes_are_left_out() {
        let text =
            "a\n\n```\nb\n```\n> c\n~~~ sh\nd\n~~~\n\n    e\n    f\n\ng\n```\nopen to the end\n";
        let texts: Vec<String> = shapes(text).into_iter().map(|(_, text, _)| text).collect();
        assert_eq!(texts, ["a", "g"]);
    }

    #[test]
    fn lists_know_their_heading() {
        let text = "## Next steps\n- one\n  two\n\n1. three\n\nDone:\n- [x] four\n- [ ] five\n";
        assert_eq!(
            shapes(text),
            [
                (Shape::Heading, "Next steps".into(), vec![]),
                (Shape::Item, "one/two".into(), vec!["next steps".into()]),
                (Shape::Item, "three".into(), vec!["next steps".into()]),
                (Shape::Paragraph, "Done:".into(), vec!["next steps".into()]),
                (
                    Shape::DoneTask,
                    " four".into(),
                    vec!["next steps".into(), "done".into()]
                ),
                (
                    Shape::OpenTask,
                    " five".into(),
                    vec!["next steps".into(), "done".into()]
                ),
            ]
        );
    }

    #[test]
    fn rows_of_a_table_are_blocks_and_its_rule_is_none() {
        let text = "| Check | Result |\n|---|---|\n| Tests | pass |\n";
        let texts: Vec<String> = shapes(text).into_iter().map(|(_, text, _)| text).collect();
        assert_eq!(texts, ["| Check | Result |", "| Tests | pass |"]);
    }

    #[test]
    fn the_heads_of_a_long_table_are_no_labels() {
        let text = "| a | b |\n|---|---|\n| c | d |\n| e | f |\n";
        assert_eq!(shapes(text).len(), 3);
    }

    #[test]
    fn a_heading_may_be_closed() {
        for text in ["# one", "###### one ######", "  ## one ##"] {
            assert_eq!(shapes(text)[0].1, "one", "{text}");
        }
    }
}
