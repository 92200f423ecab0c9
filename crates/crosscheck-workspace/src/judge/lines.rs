//! The lines of a report with just enough Markdown: fences, comments and
//! headings. Not a Markdown parser on purpose: the contract names these rules
//! one by one, and a marker must count the same whoever rendered the text.

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
    pub(super) level: usize,
    pub(super) topic: Topic,
}

/// What a heading announces, by its text without decoration and in any case.
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

#[derive(Debug)]
pub(super) struct Lines<'t>(Vec<Line<'t>>);

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let text = unwrapped(text);
        let mut fence: Option<Fence> = None;
        let mut in_comment = false;
        // Reports are long or many, so the list is made in one piece.
        let mut lines = Vec::with_capacity(memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1);
        lines.extend(split(text).map(|line| {
            let fenced = step(&mut fence, line);
            if fenced {
                return Line {
                    text: Cow::Borrowed(line),
                    fenced,
                    heading: None,
                };
            }
            let text = without_comments(line, &mut in_comment);
            let heading = Heading::of(&text);
            Line {
                text,
                fenced,
                heading,
            }
        }));
        Self(lines)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Line<'t>> {
        self.0.iter()
    }

    /// The lines from `start` on, up to the first one that ends them.
    pub(super) fn until(&self, start: usize, ends: impl Fn(&Line<'t>) -> bool) -> &[Line<'t>] {
        let rest = self.0.get(start..).unwrap_or_default();
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        rest.get(..len).unwrap_or_default()
    }

    /// The body under the heading that stands at `at`: up to the next heading
    /// of the same or a higher level.
    pub(super) fn body(&self, at: usize, level: usize) -> &[Line<'t>] {
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
        let level = rest.len() - text.len();
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
        || (info.is_empty() && inside.trim_start().starts_with('#'));
    if is_report && fence.is_closed_by(last) {
        inside
    } else {
        text
    }
}

const OPENS: &str = "<!--";
const CLOSES: &str = "-->";

fn without_comments<'t>(line: &'t str, in_comment: &mut bool) -> Cow<'t, str> {
    // Looking for one byte first is much cheaper, and few lines have it.
    if !*in_comment && memchr(b'<', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let mut kept = String::new();
    let mut rest = line;
    loop {
        let mark = if *in_comment { CLOSES } else { OPENS };
        let found = find(rest, mark);
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

/// Where a mark stands: found by its first byte, which is rare, so that no
/// search has to be prepared for every short line.
pub(super) fn find(text: &str, mark: &str) -> Option<usize> {
    let first = *mark.as_bytes().first()?;
    memchr::memchr_iter(first, text.as_bytes()).find(|at| {
        text.as_bytes()
            .get(*at..)
            .is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    })
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let mut from = 0;
    ends.map(move |end| {
        let line = text.get(from..end).unwrap_or_default();
        from = end + 1;
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(report: &str) -> Vec<(String, bool)> {
        Lines::of(report)
            .iter()
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
    fn a_backtick_in_the_info_string_or_four_spaces_is_no_fence() {
        for line in ["``` a`b", "    ```", "``"] {
            assert_eq!(
                texts(&format!("{line}\nx")),
                [(line.to_owned(), false), ("x".to_owned(), false)]
            );
        }
        assert!(texts("~~~ a`b\nx").iter().all(|(_, fenced)| *fenced));
    }

    #[test]
    fn comments_go_also_across_lines_but_not_inside_fences() {
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
        assert_eq!(texts("\n```MD\nx\n```\n").len(), 1);
        assert_eq!(texts("```\n# x\n```").len(), 1);
        assert_eq!(texts("```\nx\n```").len(), 3);
        assert_eq!(texts("```md\nx\n```\nafter").len(), 4);
        assert_eq!(texts("```md").len(), 1);
    }
}
