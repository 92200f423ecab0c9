//! The lines of a report with just enough Markdown: fences, comments and
//! headings (workspace 9, R4 and R5). Deliberately not a Markdown parser: the
//! contract lists these rules one by one, and a marker must count the same in
//! every rendering.

use std::borrow::Cow;

use memchr::memchr;

use super::parse::strip_prefix_any_case;

/// One line.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// Without comments, unless fenced.
    pub(super) text: Cow<'t, str>,
    /// Whether it belongs to a code block, its fence lines included.
    pub(super) fenced: bool,
    pub(super) heading: Option<Heading>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: u8,
    pub(super) topic: Topic,
}

/// The meaning of a heading, from its text without decoration and in any letter
/// case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Summary,
    OpenRequirements,
    Deliverables,
    FilesReviewed,
    Other,
}

impl Topic {
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

/// The lines of a report that can matter: those of sections that are read, and
/// elsewhere those that count everywhere. A run of blank lines becomes one.
#[derive(Debug)]
pub(super) struct Lines<'t>(Vec<Line<'t>>);

/// Every line of a report, one after the other.
pub(super) fn read(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut fence: Option<Fence> = None;
    let mut in_comment = false;
    unwrapped(text).split('\n').map(move |line| {
        if step(&mut fence, line) {
            return Line {
                text: Cow::Borrowed(line),
                fenced: true,
                heading: None,
            };
        }
        let text = without_comments(line, &mut in_comment);
        let heading = Heading::of(&text);
        Line {
            text,
            fenced: false,
            heading,
        }
    })
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut sections = Sections::default();
        let mut lines: Vec<Line<'t>> = Vec::new();
        let mut last_blank = None;
        for line in read(text) {
            // A report can be one long run of blank lines, which counts as one.
            let blank = line.is_blank().then_some(line.fenced);
            let is_repeated = blank.is_some() && blank == last_blank;
            last_blank = blank;
            if !is_repeated && (sections.pass(&line) || line.speaks_for_itself()) {
                lines.push(line);
            }
        }
        Self(lines)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Line<'t>> {
        self.0.iter()
    }

    /// The lines from `start` up to the first one that ends them.
    pub(super) fn until(&self, start: usize, ends: impl Fn(&Line<'t>) -> bool) -> &[Line<'t>] {
        let rest = self.0.get(start..).unwrap_or_default();
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        rest.get(..len).unwrap_or_default()
    }

    /// The body under the heading at `at`: up to the next heading of the same
    /// or a higher level.
    pub(super) fn body(&self, at: usize, level: u8) -> &[Line<'t>] {
        self.until(at + 1, |line| {
            line.heading
                .as_ref()
                .is_some_and(|next| next.level <= level)
        })
    }
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Whether it counts everywhere: a heading, or a possible field (all of
    /// them are bold) or marker (all of them begin with an emoji).
    fn speaks_for_itself(&self) -> bool {
        self.heading.is_some()
            || (!self.fenced
                && (memchr(b'*', self.text.as_bytes()).is_some() || !self.text.is_ascii()))
    }
}

/// Whether a section is open whose lines are read.
#[derive(Default)]
struct Sections {
    /// The level of heading that ends the last of them.
    ended_by: Option<u8>,
}

impl Sections {
    /// Advances past a line; returns whether it belongs to such a section.
    fn pass(&mut self, line: &Line<'_>) -> bool {
        if let Some(heading) = line.heading {
            self.ended_by = self.ended_by.filter(|level| heading.level > *level);
            let ended_by = match heading.topic {
                Topic::Other => None,
                Topic::Summary => Some(heading.level.max(2)),
                Topic::OpenRequirements | Topic::Deliverables | Topic::FilesReviewed => {
                    Some(heading.level)
                }
            };
            self.ended_by = match (self.ended_by, ended_by) {
                (Some(open), Some(new)) => Some(open.min(new)),
                (open, new) => open.or(new),
            };
        }
        self.ended_by.is_some()
    }
}

impl Heading {
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
        let topic = Topic::of(bare.trim_end().trim_end_matches(':').trim());
        Some(Self { level, topic })
    }
}

#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    len: usize,
}

impl Fence {
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
fn step(open: &mut Option<Fence>, line: &str) -> bool {
    if let Some(fence) = *open {
        if fence.is_closed_by(line) {
            *open = None;
        }
        return true;
    }
    *open = Fence::opened_by(line).map(|(fence, _)| fence);
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
    let Some((fence, info)) = Fence::opened_by(first) else {
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
        Lines::of(&format!("# Summary\n{summary}"))
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
            ("## Summary", Some((2, Topic::Summary))),
            ("   ###   **Summary**: ###", Some((3, Topic::Summary))),
            ("## _FILES reviewed_", Some((2, Topic::FilesReviewed))),
            ("## Summary of it", Some((2, Topic::Other))),
            (
                "#### Requirements Not Met (2)",
                Some((4, Topic::OpenRequirements)),
            ),
            ("#", Some((1, Topic::Other))),
            ("    # no", None),
            ("#no", None),
            ("####### no", None),
        ];
        for (line, expected) in table {
            let heading = Heading::of(line);
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
    fn only_lines_that_can_matter_are_kept() {
        let kept = |report: &str| -> Vec<String> {
            let lines = Lines::of(report);
            lines.iter().map(|line| line.text.to_string()).collect()
        };
        assert_eq!(kept(&"\n".repeat(1000)), [""; 0]);
        assert_eq!(
            kept(
                "a\n**b**\n✅\n```\n**c**\n```\n## Summary\nd\n\n \n\n### e\nf\n## g\nh\n#### Files Reviewed\ni\n##### j\nk\n# l\nm"
            ),
            [
                "**b**",
                "✅",
                "## Summary",
                "d",
                "",
                "### e",
                "f",
                "## g",
                "#### Files Reviewed",
                "i",
                "##### j",
                "k",
                "# l"
            ]
        );
        assert!(
            size_of::<Line<'_>>() <= 32,
            "a report can have millions of lines"
        );
    }

    #[test]
    fn the_longest_section_keeps_its_lines_whatever_is_nested_in_it() {
        let count = |report: &str| Lines::of(report).iter().count();
        assert_eq!(
            count("# Summary\n### Incomplete Requirements\n### x\ny\n"),
            5
        );
        assert_eq!(
            count("## Incomplete Requirements\n#### Summary\n#### x\ny"),
            4
        );
        assert_eq!(
            count("#### Summary\n## Requirements Not Met\n### x\ny\n## z\nw"),
            5
        );
    }
}
