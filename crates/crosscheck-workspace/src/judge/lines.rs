//! The lines of a report with just enough Markdown: fences, comments and
//! headings (workspace 9, R4 and R5). Deliberately not a Markdown parser: the
//! contract lists these rules one by one, and a marker must count the same in
//! every rendering.

use std::borrow::Cow;

use memchr::memchr;

use super::parse::strip_prefix_any_case;

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
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        let begins = |word: &str| strip_prefix_any_case(text, word).is_some();
        if begins("incomplete requirements") || begins("requirements not met") {
            Self::OpenRequirements
        } else if is("summary") {
            Self::Summary
        } else if is("deliverables verified") {
            Self::Deliverables
        } else if is("files reviewed") {
            Self::FilesReviewed
        } else {
            Self::Other
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

    /// The body under the heading at `at`: up to the next heading of the same
    /// or a higher level.
    pub(super) fn body(&self, at: usize, level: u8) -> &[ReportLine<'t>] {
        self.until(at + 1, |line| {
            line.heading
                .as_ref()
                .is_some_and(|next| next.level <= level)
        })
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
        let rest = line.trim_start_matches(' ');
        if line.len() - rest.len() > 3 || !rest.starts_with('#') {
            return None;
        }
        let text = rest.trim_start_matches('#');
        let level = u8::try_from(rest.len() - text.len()).ok()?;
        if level > 6 || !(text.is_empty() || text.starts_with([' ', '\t'])) {
            return None;
        }
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
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let len = rest.len() - info.len();
        let is_fence =
            line.len() - rest.len() <= 3 && len >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then_some((Self { mark, len }, info.trim()))
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
    let start = body.len() - body.trim_start().len();
    let Some(first_start) = body
        .get(..start)
        .map(|blank| blank.rfind('\n').map_or(0, |at| at + 1))
    else {
        return text;
    };
    let from_first = body.get(first_start..).unwrap_or_default();
    let Some((first, rest)) = from_first.split_once('\n') else {
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

/// The first line that is not blank.
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
