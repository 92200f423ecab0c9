//! The six fields of a report (workspace 9). Never fails: a missing field has a
//! stated default.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{HeadingTopic, ReportHeading, ReportLine, ReportLines};
use super::spans::code_spans;
use super::{Confidence, WorkspaceStatus};

pub(super) const VERIFIED: &str = "✅ VERIFIED";
pub(super) const INCOMPLETE: &str = "❌ INCOMPLETE";
const NEEDS_REVIEW: [&str; 2] = ["⚠\u{FE0F} NEEDS REVIEW", "⚠ NEEDS REVIEW"];

const NO_SUMMARY: &str = "See report for details";
const NO_ACTION: &str = "Manual review";

/// The fields of a report.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParsedFields {
    /// From the markers alone, before any guard (workspace 9, R1).
    pub status: WorkspaceStatus,
    /// The summary section without markers and fields.
    pub summary: String,
    /// Number of issues.
    pub issue_count: usize,
    /// Names of the open requirements.
    pub issues: Vec<String>,
    /// The confidence of the report.
    pub confidence: Confidence,
    /// Its recommended action.
    pub recommended_action: String,
}

pub(super) fn parse(text: &str, lines: &ReportLines<'_>) -> ParsedFields {
    let issues = issues(lines);
    ParsedFields {
        status: status(text),
        summary: summary(lines).unwrap_or_else(|| NO_SUMMARY.to_owned()),
        issue_count: issues.len(),
        issues,
        confidence: match field(lines, &CONFIDENCE).map(|word| word.to_lowercase()) {
            Some(word) if word == "high" => Confidence::High,
            Some(word) if word == "low" => Confidence::Low,
            _ => Confidence::Medium,
        },
        recommended_action: field(lines, &ACTION).unwrap_or_else(|| NO_ACTION.to_owned()),
    }
}

/// The seed's rule (R1): a marker anywhere counts, and pass wins.
fn status(text: &str) -> WorkspaceStatus {
    if text.contains(VERIFIED) {
        WorkspaceStatus::Pass
    } else if text.contains(INCOMPLETE) {
        WorkspaceStatus::Fail
    } else {
        WorkspaceStatus::NeedsReview
    }
}

fn summary(lines: &ReportLines<'_>) -> Option<String> {
    let headings = || {
        lines.iter().enumerate().filter_map(|(at, line)| {
            let heading = line
                .heading
                .as_ref()
                .filter(|heading| heading.topic == HeadingTopic::Summary)?;
            Some((at, heading.level))
        })
    };
    let (at, level) = headings()
        .find(|(_, level)| *level == 2)
        .or_else(|| headings().next())?;
    let last_level = level.max(2);
    let section = lines.until(at + 1, |line| {
        line.heading
            .is_some_and(|next| next.level <= last_level || is_issue_heading(next))
    });
    let mut text = String::new();
    let mut was_blank = false;
    for line in section {
        if !line.fenced && (marker_line(&line.text).is_some() || is_field_line(&line.text)) {
            continue;
        }
        let line = line.text.trim_end();
        if !(line.is_empty() && was_blank) {
            text.push_str(line);
            text.push('\n');
        }
        was_blank = line.is_empty();
    }
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

pub(super) fn is_issue_heading(heading: ReportHeading) -> bool {
    heading.level >= 2 && heading.topic == HeadingTopic::OpenRequirements
}

fn issues(lines: &ReportLines<'_>) -> Vec<String> {
    let mut issues = Vec::new();
    let sections = lines.sections(is_issue_heading, |above, next| next.level <= above.level);
    for (_, body) in sections {
        collect_issues(body, &mut issues);
    }
    issues
}

fn collect_issues(body: &[ReportLine<'_>], issues: &mut Vec<String>) {
    for (at, line) in body.iter().enumerate() {
        let Some(text) = item_text(line) else {
            continue;
        };
        let text = match text {
            "" => text_below(body.get(at + 1..).unwrap_or_default()),
            text => Some(text),
        };
        let Some(text) = text.filter(|text| !means_none(text)) else {
            continue;
        };
        let name = issue_name(text);
        if !name.is_empty() && !means_none(&name) {
            issues.push(name);
        }
    }
}

/// What follows `1.` or `1)` on a line that starts a list item.
fn item_text<'l>(line: &'l ReportLine<'_>) -> Option<&'l str> {
    if line.fenced {
        return None;
    }
    let rest = line.text.trim_start_matches(' ');
    if line.text.len() - rest.len() > 2 {
        return None;
    }
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.len() - after.len();
    let text = after.strip_prefix(['.', ')'])?;
    let is_item = (1..=9).contains(&digits) && !text.starts_with(|c: char| c.is_ascii_digit());
    is_item.then(|| text.trim())
}

/// An item may have its text on the next line that has any.
fn text_below<'l>(rest: &'l [ReportLine<'_>]) -> Option<&'l str> {
    let line = rest.iter().find(|line| !line.is_blank())?;
    let is_text = !line.fenced && line.heading.is_none() && item_text(line).is_none();
    is_text.then(|| line.text.trim())
}

fn issue_name(text: &str) -> String {
    let bold = text
        .strip_prefix("**")
        .and_then(|rest| rest.get(..rest.find("**")?))
        .map(|span| span.trim().trim_end_matches(':').trim())
        .filter(|name| !name.is_empty());
    if let Some(name) = bold {
        return name.to_owned();
    }
    let plain = |text: &str| text.replace("**", "").trim().to_owned();
    let name = plain(before_colon(text));
    if name.is_empty() { plain(text) } else { name }
}

/// The text before the first colon that ends a word outside code.
fn before_colon(text: &str) -> &str {
    let spans = code_spans(text);
    let mut spans = spans.iter().map(|(whole, _)| whole).peekable();
    for (at, _) in text.match_indices(':') {
        while spans.next_if(|span| span.end <= at).is_some() {}
        let in_code = spans.peek().is_some_and(|span| span.contains(&at));
        let after = text.get(at + 1..).unwrap_or_default();
        if !in_code && (after.is_empty() || after.starts_with(char::is_whitespace)) {
            return text.get(..at).unwrap_or(text);
        }
    }
    text
}

fn means_none(text: &str) -> bool {
    let plain = text.replace(['*', '_'], "");
    let plain = plain.trim().trim_end_matches(['.', '!']).trim();
    matches!(
        plain.to_lowercase().as_str(),
        "none"
            | "n/a"
            | "na"
            | "nothing"
            | "no issues"
            | "no issues found"
            | "none found"
            | "no incomplete requirements"
            | "-"
    )
}

/// R7. A `|` behind the word is the template line, echoed.
static CONFIDENCE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"(?i)\*\*confidence level(?:\*\*:|:\*\*)\s*\**(high|medium|low)\b[^|]*$")
});
/// R8.
static ACTION: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\*\*Recommended Action(?:\*\*:|:\*\*)(.*\S.*)$"));

#[expect(clippy::expect_used, reason = "the patterns are fixed and tested")]
pub(super) fn fixed(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// What the pattern captures in the first line that has it.
fn field(lines: &ReportLines<'_>, pattern: &Regex) -> Option<String> {
    // searching for the stars first is much cheaper, and few lines have them
    let is_possible = |line: &&ReportLine<'_>| !line.fenced && line.text.contains("**");
    lines.iter().filter(is_possible).find_map(|line| {
        let value = pattern.captures(&line.text)?.get(1)?;
        Some(value.as_str().trim().to_owned())
    })
}

/// A marker alone on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VerdictMarker {
    Verified,
    Incomplete,
    NeedsReview,
}

/// A marker with nothing behind it but its full stop.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    fixed("^(?:✅ VERIFIED(?: COMPLETE)?|❌ INCOMPLETE|⚠\u{FE0F}? NEEDS REVIEW)[.!]?$")
});
/// A line with a field of the report: its value, if the field is a verdict.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?i)^\s*\*\*(?:Confidence Level|Recommended Action|(?P<verdict>Final Status|Overall Result|Status))\s*(?::\s*\*\*|\*\*\s*:)[*\s]*(?P<value>.*)",
    )
});

fn marker_line(line: &str) -> Option<VerdictMarker> {
    if line.is_ascii() {
        return None;
    }
    let plain = line.replace(['*', '_'], "");
    let marker = leading_marker(plain.trim())?;
    ALONE.is_match(plain.trim()).then_some(marker)
}

/// The marker a text begins with.
fn leading_marker(text: &str) -> Option<VerdictMarker> {
    if text.starts_with(VERIFIED) {
        Some(VerdictMarker::Verified)
    } else if text.starts_with(INCOMPLETE) {
        Some(VerdictMarker::Incomplete)
    } else if NEEDS_REVIEW.iter().any(|mark| text.starts_with(mark)) {
        Some(VerdictMarker::NeedsReview)
    } else {
        None
    }
}

/// The verdict of a line that is a marker, or a field with one (workspace 10).
pub(super) fn verdict_line(line: &str) -> Option<VerdictMarker> {
    marker_line(line).or_else(|| leading_marker(verdict_of(line)?))
}

/// Whether a verdict field has a cross, whatever words follow it.
pub(super) fn refuses(line: &str) -> bool {
    verdict_of(line).is_some_and(|value| value.starts_with('❌'))
}

pub(super) fn asks_for_review(text: &str) -> bool {
    NEEDS_REVIEW.iter().any(|mark| text.contains(mark))
}

fn is_field_line(line: &str) -> bool {
    line.contains("**") && FIELD.is_match(line)
}

/// The value of a verdict field.
fn verdict_of(line: &str) -> Option<&str> {
    let field = line.contains("**").then(|| FIELD.captures(line))??;
    field.name("verdict")?;
    field.name("value").map(|value| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::Report;
    use super::*;

    fn parsed(report: &str) -> ParsedFields {
        Report::read(report.as_bytes()).parsed.clone()
    }

    fn issues_of(list: &str) -> Vec<String> {
        parsed(&format!("### Incomplete Requirements\n{list}")).issues
    }

    #[test]
    fn fields_are_found_behind_any_star_in_their_letter_case() {
        let read = |text: &str| {
            let report = Report::read(text.as_bytes());
            let parsed = &report.parsed;
            (parsed.confidence, parsed.recommended_action.clone())
        };
        assert_eq!(
            read("***Confidence Level**: High*\n***Recommended Action**: go*\n"),
            (Confidence::High, "go*".to_owned())
        );
        assert_eq!(
            read("**confidence level**: low\n**recommended action**: go\n"),
            (Confidence::Low, "Manual review".to_owned())
        );
        assert_eq!(
            read("a | b **Confidence Level**: High\n").0,
            Confidence::High
        );
    }

    #[test]
    fn only_the_words_for_nothing_are_not_an_issue() {
        let report = Report::read(b"### Incomplete Requirements\n1. ...\n2. !\n3. None.\n4. -\n");
        assert_eq!(report.parsed.issues, ["...", "!"]);
    }

    #[test]
    fn one_long_line_of_fields_is_read_once() {
        let text = "**Confidence Level**: x ".repeat(400_000); // quadratic work would take hours
        let report = Report::read(text.as_bytes());
        assert_eq!(report.parsed.confidence, Confidence::Medium);
    }

    #[test]
    fn the_level_two_summary_wins_over_an_earlier_one() {
        assert_eq!(parsed("# Summary\na\n## Summary\nb\n").summary, "b");
        assert_eq!(
            parsed("#### summary:\na\n##### x\nb\n#### c\n").summary,
            "a\n##### x\nb"
        );
    }

    #[test]
    fn a_summary_ends_at_the_issue_heading_and_keeps_fences() {
        let report =
            "## Summary\na  \n\n\n```\n✅ VERIFIED\n```\n### Incomplete Requirements\n1. x\n";
        assert_eq!(parsed(report).summary, "a\n\n```\n✅ VERIFIED\n```");
    }

    #[test]
    fn fields_and_markers_are_not_part_of_the_summary() {
        let report = "## Summary\n__✅ VERIFIED__!\n**status :** fine\n**Final Status** : x\n⚠ NEEDS REVIEW.\n";
        assert_eq!(parsed(report).summary, NO_SUMMARY);
    }

    #[test]
    fn issue_names_are_read_as_the_contract_says() {
        let table: &[(&str, &[&str])] = &[
            ("1. **a: b**: c", &["a: b"]),
            ("1. **Name:** c", &["Name"]),
            ("1. `x: y` is gone: really", &["`x: y` is gone"]),
            (
                "1. see https://a.example/b today",
                &["see https://a.example/b today"],
            ),
            ("1. src/x.rs:40 is empty", &["src/x.rs:40 is empty"]),
            ("  2) two\n   3. nested\n\t4. nested", &["two"]),
            ("1.5 s is slow", &[]),
            ("1234567890. long", &[]),
            ("1.\n\nbelow: it\n2.\n3. x", &["below", "x"]),
            ("1.\n```\nfenced\n```", &[]),
            ("1. None.\n2. **N/A**: ok\n3. -\n4. _Nothing_!", &[]),
            ("1. ****", &[]),
            ("1. a **b** c", &["a b c"]),
            ("```\n1. x\n```", &[]),
            ("#### Sub\n1. x\n### Other\n2. y", &["x"]),
        ];
        for (list, expected) in table {
            assert_eq!(issues_of(list), *expected, "{list}");
        }
    }

    #[test]
    fn sections_are_joined_and_none_is_read_twice() {
        let report = "## Incomplete Requirements\n1. a\n### Requirements Not Met (2)\n2. b\n## X\n3. c\n## REQUIREMENTS NOT MET\n4. d";
        assert_eq!(parsed(report).issues, ["a", "b", "d"]);
    }

    #[test]
    fn confidence_needs_a_whole_word_and_no_choice() {
        let table = [
            ("**Confidence Level**: High", Confidence::High),
            ("- **confidence level:** **low**", Confidence::Low),
            ("**Confidence Level**: Highest", Confidence::Medium),
            (
                "**Confidence Level**: Low | High\n**Confidence Level**: high",
                Confidence::High,
            ),
            ("```\n**Confidence Level**: High\n```", Confidence::Medium),
            ("Confidence Level: High", Confidence::Medium),
        ];
        for (report, expected) in table {
            assert_eq!(parsed(report).confidence, expected, "{report}");
        }
    }

    #[test]
    fn an_action_is_on_its_own_line() {
        assert_eq!(
            parsed("**Recommended Action**:\nnext\n").recommended_action,
            NO_ACTION
        );
        assert_eq!(
            parsed("x **Recommended Action:**  go on ").recommended_action,
            "go on"
        );
    }

    #[test]
    fn near_markers_do_not_count() {
        for text in [
            "✅ **VERIFIED**",
            "✅VERIFIED",
            "✅  VERIFIED",
            "✅\u{A0}VERIFIED",
            "✅\u{FE0F} VERIFIED",
            "✅ Verified",
        ] {
            assert_eq!(parsed(text).status, WorkspaceStatus::NeedsReview, "{text}");
        }
    }

    #[test]
    fn any_bytes_give_a_result() {
        let report = Report::read(b"\xff\xfe## Summary\r\rx\xc3\r\n");
        assert_eq!(report.parsed.status, WorkspaceStatus::NeedsReview);
        assert!(report.full.ends_with("x\u{FFFD}\r\n"));
    }
}
