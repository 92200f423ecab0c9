//! The lines of a report with just enough Markdown: fences, comments and
//! headings (workspace 9, R4 and R5). Deliberately not a Markdown parser: the
//! contract lists these rules one by one, and a marker must count the same in
//! every rendering.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr;
use regex::Regex;

use super::parse::fixed;

static HEADING: LazyLock<Regex> = LazyLock::new(|| fixed(r"^ {0,3}(#{1,6})(?:[ \t](.*))?$"));
static FENCE: LazyLock<Regex> = LazyLock::new(|| fixed(r"^ {0,3}(`{3,}|~{3,})(.*)$"));

/// One line.
#[derive(Debug)]
pub(super) struct ReportLine<'t> {
    /// Without comments, unless fenced.
    pub(super) text: Cow<'t, str>,
    /// Whether it belongs to a code block, its fence lines included.
    pub(super) fenced: bool,
    pub(super) heading: Option<ReportHeading>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReportHeading {
    pub(super) level: u8,
    pub(super) topic: HeadingTopic,
}

/// The meaning of a heading, from its text without decoration and in any letter
/// case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingTopic {
    Summary,
    OpenRequirements,
    Deliverables,
    FilesReviewed,
    Other,
}

impl HeadingTopic {
    fn of(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let begins = |word: &str| text.starts_with(word);
        match text.as_str() {
            "summary" => Self::Summary,
            "deliverables verified" => Self::Deliverables,
            "files reviewed" => Self::FilesReviewed,
            _ if begins("incomplete requirements") || begins("requirements not met") => {
                Self::OpenRequirements
            }
            _ => Self::Other,
        }
    }
}

/// The lines of a report. A run of blank lines becomes one.
#[derive(Debug)]
pub(super) struct ReportLines<'t>(Vec<ReportLine<'t>>);

/// Every line of a report, one after the other.
fn read(text: &str) -> impl Iterator<Item = ReportLine<'_>> {
    let mut fence: Option<CodeFence> = None;
    let mut in_comment = false;
    unwrapped(text).split('\n').map(move |line| {
        if step(&mut fence, line) {
            return ReportLine {
                text: Cow::Borrowed(line),
                fenced: true,
                heading: None,
            };
        }
        let text = without_comments(line, &mut in_comment);
        let heading = ReportHeading::of(&text);
        ReportLine {
            text,
            fenced: false,
            heading,
        }
    })
}

impl<'t> ReportLines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut lines: Vec<ReportLine<'t>> = Vec::new();
        for line in read(text) {
            // A report can be one long run of blank lines, which counts as one.
            let is_again = |last: &ReportLine<'_>| {
                last.is_blank() && line.is_blank() && last.fenced == line.fenced
            };
            if !lines.last().is_some_and(is_again) {
                lines.push(line);
            }
        }
        Self(lines)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, ReportLine<'t>> {
        self.0.iter()
    }

    /// The lines from `start` up to the first one that ends them.
    pub(super) fn until(
        &self,
        start: usize,
        ends: impl Fn(&ReportLine<'t>) -> bool,
    ) -> &[ReportLine<'t>] {
        let rest = self.0.get(start..).unwrap_or_default();
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        rest.get(..len).unwrap_or_default()
    }

    /// The sections that begin at such headings, up to a heading that ends them. One inside
    /// another is not read twice.
    pub(super) fn sections(
        &self,
        begins: impl Fn(ReportHeading) -> bool,
        ends: impl Fn(ReportHeading, ReportHeading) -> bool,
    ) -> Vec<(ReportHeading, &[ReportLine<'t>])> {
        let mut sections = Vec::new();
        let mut read_up_to = 0;
        for (at, line) in self.iter().enumerate() {
            let heading = line.heading.filter(|heading| begins(*heading));
            if let Some(heading) = heading.filter(|_| at >= read_up_to) {
                let is_end =
                    |line: &ReportLine<'_>| line.heading.is_some_and(|next| ends(heading, next));
                let body = self.until(at + 1, is_end);
                read_up_to = at + 1 + body.len();
                sections.push((heading, body));
            }
        }
        sections
    }
}

impl ReportLine<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

impl ReportHeading {
    fn of(line: &str) -> Option<Self> {
        if !line.starts_with([' ', '#']) {
            return None;
        }
        let parts = HEADING.captures(line)?;
        let level = u8::try_from(parts.get(1)?.len()).ok()?;
        let text = parts.get(2).map_or("", |text| text.as_str());
        let text = text.trim().trim_end_matches('#');
        let bare: Cow<'_, str> = if text.contains(['*', '_']) {
            Cow::Owned(text.replace(['*', '_'], ""))
        } else {
            Cow::Borrowed(text)
        };
        let topic = HeadingTopic::of(bare.trim_end().trim_end_matches(':').trim());
        Some(Self { level, topic })
    }
}

#[derive(Clone, Copy)]
struct CodeFence {
    mark: char,
    len: usize,
}

impl CodeFence {
    /// The fence this line opens, and its info string.
    fn opened_by(line: &str) -> Option<(Self, &str)> {
        if !line.starts_with([' ', '`', '~']) {
            return None;
        }
        let parts = FENCE.captures(line)?;
        let (fence, info) = (parts.get(1)?.as_str(), parts.get(2)?.as_str());
        let mark = fence.chars().next()?;
        let len = fence.len();
        (mark == '~' || !info.contains('`')).then_some((Self { mark, len }, info.trim()))
    }

    fn is_closed_by(self, line: &str) -> bool {
        Self::opened_by(line).is_some_and(|(fence, info)| {
            fence.mark == self.mark && fence.len >= self.len && info.is_empty()
        })
    }
}

/// Whether the line belongs to a code block.
fn step(open: &mut Option<CodeFence>, line: &str) -> bool {
    if let Some(fence) = *open {
        if fence.is_closed_by(line) {
            *open = None;
        }
        return true;
    }
    *open = CodeFence::opened_by(line).map(|(fence, _)| fence);
    open.is_some()
}

/// Some models put the whole report into one code block; then the report is
/// what is inside.
fn unwrapped(text: &str) -> &str {
    let body = text.trim_end();
    let Some((first, rest)) = first_line(body).split_once('\n') else {
        return text;
    };
    let Some((fence, info)) = CodeFence::opened_by(first) else {
        return text;
    };
    let (inside, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let is_report = matches!(info.to_lowercase().as_str(), "markdown" | "md")
        || (info.is_empty() && first_line(inside).starts_with('#'));
    if is_report && fence.is_closed_by(last) {
        inside
    } else {
        text
    }
}

/// A text from its first line on that is not blank.
fn first_line(text: &str) -> &str {
    let start = text.len() - text.trim_start().len();
    let blank = text.get(..start).unwrap_or_default();
    let start = blank.rfind('\n').map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

const OPENS: &str = "<!--";
const CLOSES: &str = "-->";

fn without_comments<'t>(line: &'t str, in_comment: &mut bool) -> Cow<'t, str> {
    // Searching for one byte first is much cheaper, and few lines have it.
    if !*in_comment && memchr(b'<', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let mut kept = String::new();
    let mut rest = line;
    loop {
        let mark = if *in_comment { CLOSES } else { OPENS };
        let found = rest.find(mark);
        if !*in_comment {
            if found.is_none() && rest.len() == line.len() {
                return Cow::Borrowed(line);
            }
            kept.push_str(rest.get(..found.unwrap_or(rest.len())).unwrap_or_default());
        }
        let Some(at) = found else {
            return Cow::Owned(kept);
        };
        *in_comment = !*in_comment;
        rest = rest.get(at + mark.len()..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a summary.
    fn texts(summary: &str) -> Vec<(String, bool)> {
        ReportLines::of(&format!("# Summary\n{summary}"))
            .iter()
            .skip(1)
            .map(|line| (line.text.to_string(), line.fenced))
            .collect()
    }

    #[test]
    fn an_unclosed_fence_runs_to_the_end_and_a_shorter_one_does_not_close_it() {
        let fenced: Vec<bool> = texts("a\n````\nb\n```\nc")
            .into_iter()
            .map(|(_, fenced)| fenced)
            .collect();
        assert_eq!(fenced, [false, true, true, true, true]);
    }

    #[test]
    fn a_backtick_in_the_info_string_or_four_spaces_is_not_a_fence() {
        for line in ["``` a`b", "    ```", "``"] {
            assert_eq!(
                texts(&format!("{line}\nx")),
                [(line.to_owned(), false), ("x".to_owned(), false)]
            );
        }
        assert!(texts("~~~ a`b\nx").iter().all(|(_, fenced)| *fenced));
    }

    #[test]
    fn comments_are_removed_across_lines_but_not_inside_fences() {
        assert_eq!(
            texts("a<!--b-->c<!--\nd\ne-->f\n```\n<!--g-->\n```"),
            [
                ("ac".to_owned(), false),
                (String::new(), false),
                ("f".to_owned(), false),
                ("```".to_owned(), true),
                ("<!--g-->".to_owned(), true),
                ("```".to_owned(), true)
            ]
        );
    }

    #[test]
    fn headings_lose_their_decoration() {
        let table = [
            ("## Summary", Some((2, HeadingTopic::Summary))),
            (
                "   ###   **Summary**: ###",
                Some((3, HeadingTopic::Summary)),
            ),
            (
                "## _FILES reviewed_",
                Some((2, HeadingTopic::FilesReviewed)),
            ),
            ("## Summary of it", Some((2, HeadingTopic::Other))),
            (
                "#### Requirements Not Met (2)",
                Some((4, HeadingTopic::OpenRequirements)),
            ),
            ("#", Some((1, HeadingTopic::Other))),
            ("    # no", None),
            ("#no", None),
            ("####### no", None),
        ];
        for (line, expected) in table {
            let heading = ReportHeading::of(line);
            let got = heading
                .as_ref()
                .map(|heading| (heading.level, heading.topic));
            assert_eq!(got, expected, "{line}");
        }
    }

    #[test]
    fn only_a_report_in_a_whole_fence_is_unwrapped() {
        assert_eq!(unwrapped("\n```MD\nx\n```\n"), "x");
        assert_eq!(unwrapped("```\n\n# x\n```"), "\n# x");
        for whole in [
            "```\nx\n```",
            "```\n    # x\n```",
            "```md\nx\n```\nafter",
            "```md",
        ] {
            assert_eq!(unwrapped(whole), whole);
        }
    }

    #[test]
    fn a_run_of_blank_lines_is_one() {
        assert_eq!(ReportLines::of(&"\n".repeat(1000)).iter().count(), 1);
    }
}
