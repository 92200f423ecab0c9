//! Guards (workspace 10): reasons not to trust a passing report. They use only
//! the report and can only make the status worse.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::WorkspaceStatus;
use super::finding::{Effect, FindingSeen};
use super::lines::{ReportLine, ReportLines};
use super::parse::{
    INCOMPLETE, ParsedFields, VERIFIED, VerdictMarker, asks_for_review, fixed, refuses,
    verdict_line,
};
use super::spans::without_code;
use crate::reasons::Finding;

/// A word that takes a pass back, if it is among the last three before its marker.
static NEGATED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?i)(?:^|[^a-z'’])(?:not|cannot|can['’]t|isn['’]t|never|unless|until|would|should)(?:[^a-z'’]+[a-z'’]+){0,2}[^a-z'’]*$",
    )
});
/// A word that limits a pass, right behind its marker.
static LIMITED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?i)^(?: COMPLETE)?[\s,:;.()*_\-–—]*(?:with\s+issues|except|but|partially|partly|pending|however|incomplete)(?:[^\p{Alphabetic}\p{N}_]|$)",
    )
});

pub(super) fn look(lines: &ReportLines<'_>, parsed: &ParsedFields) -> Vec<FindingSeen> {
    if parsed.status != WorkspaceStatus::Pass {
        return Vec::new();
    }
    let live: Vec<Cow<'_, str>> = lines.iter().filter_map(live).collect();
    let open = (!parsed.issues.is_empty()).then(|| {
        let count = parsed.issues.len();
        let detail = format!("the report passes but lists {count} open item(s)");
        FindingSeen::new(Finding::PassWithIssues, detail)
    });
    markers(&live).into_iter().chain(open).collect()
}

/// A line without its code, if the report states it itself: outside fences and
/// block quotes.
fn live<'l>(line: &'l ReportLine<'_>) -> Option<Cow<'l, str>> {
    let is_live = !line.fenced && !line.text.trim_start().starts_with('>');
    is_live.then(|| without_code(&line.text))
}

fn markers(live: &[Cow<'_, str>]) -> Option<FindingSeen> {
    let passes: Vec<&str> = live
        .iter()
        .map(AsRef::as_ref)
        .filter(|line: &&str| line.contains(VERIFIED))
        .collect();
    let fails = live.iter().any(|line| line.contains(INCOMPLETE));
    let is_contrary = |line: &Cow<'_, str>| asks_for_review(line) || refuses(line);
    let conflicts = fails || live.iter().any(is_contrary);
    let is_clear = |line: &&str| is_stated(line) && !is_qualified(line);
    let (code, detail) = if passes.is_empty() {
        let detail = "the pass marker occurs only in code, quotations or comments";
        (Finding::MarkerOnlyQuoted, detail)
    } else if conflicts {
        let detail = "the report carries a pass marker and a verdict that contradicts it";
        (Finding::MarkerConflict, detail)
    } else if passes.iter().all(|line| is_qualified(line)) {
        let detail = "the pass marker is negated or limited by the words around it";
        (Finding::PassQualified, detail)
    } else if !passes.iter().any(is_clear) {
        let detail = "the pass marker occurs only in tables or inside sentences";
        (Finding::MarkerOnlyQuoted, detail)
    } else {
        return None;
    };
    let mut finding = FindingSeen::new(code, detail);
    if fails && (passes.is_empty() || all_say_incomplete(live)) {
        finding.effect = Effect::Fail;
    }
    Some(finding)
}

/// A conflict is decided only if all verdict lines agree.
fn all_say_incomplete(live: &[Cow<'_, str>]) -> bool {
    let mut verdicts = live.iter().filter_map(|line| verdict_line(line)).peekable();
    verdicts.peek().is_some() && verdicts.all(|marker| marker == VerdictMarker::Incomplete)
}

/// Whether a line states its marker instead of speaking about it: only list and
/// emphasis signs are before it, a label, or `is`. A table row is about a part.
fn is_stated(line: &str) -> bool {
    let Some((before, _)) = line.split_once(VERIFIED) else {
        return false;
    };
    let is_sign = |c: char| c.is_whitespace() || c.is_ascii_digit() || "#*_-+•.)".contains(c);
    let before = before.trim_matches(is_sign);
    let leads = before.is_empty() || before.ends_with(':') || before.ends_with(" is");
    leads && !line.contains('|')
}

/// Whether the first pass marker of a line is negated or limited there.
fn is_qualified(line: &str) -> bool {
    let parts = line.split_once(VERIFIED);
    parts.is_some_and(|(before, after)| NEGATED.is_match(before) || LIMITED.is_match(after))
}

#[cfg(test)]
mod tests {
    use super::super::Report;
    use super::*;

    fn found(report: &str) -> Vec<(&'static str, WorkspaceStatus)> {
        Report::read(report.as_bytes())
            .guards
            .iter()
            .map(|finding| (finding.code.code(), finding.effect.allows()))
            .collect()
    }

    #[test]
    fn guards_apply_only_to_a_pass() {
        assert_eq!(
            found("❌ INCOMPLETE\n### Incomplete Requirements\n1. x"),
            []
        );
        assert_eq!(found("✅ VERIFIED"), []);
    }

    #[test]
    fn a_quoted_marker_is_not_a_verdict() {
        let quoted = ("MARKER_ONLY_QUOTED", WorkspaceStatus::NeedsReview);
        for report in [
            "> ✅ VERIFIED",
            "`✅ VERIFIED`",
            "```\n✅ VERIFIED\n```",
            "<!--\n✅ VERIFIED\n-->",
        ] {
            assert_eq!(found(report), [quoted], "{report}");
        }
        assert_eq!(
            found("> ✅ VERIFIED\nx ❌ INCOMPLETE"),
            [("MARKER_ONLY_QUOTED", WorkspaceStatus::Fail)]
        );
    }

    #[test]
    fn a_conflict_fails_only_when_all_verdict_lines_say_so() {
        let table = [
            ("1. ✅ VERIFIED a\n❌ INCOMPLETE", WorkspaceStatus::Fail),
            (
                "1. ✅ VERIFIED a\n**Overall Result:** **❌ INCOMPLETE** (2 open)",
                WorkspaceStatus::Fail,
            ),
            (
                "1. ✅ VERIFIED a\nall ❌ INCOMPLETE",
                WorkspaceStatus::NeedsReview,
            ),
            ("✅ VERIFIED\n❌ INCOMPLETE", WorkspaceStatus::NeedsReview),
            (
                "1. ✅ VERIFIED a\n❌ INCOMPLETE\n⚠ NEEDS REVIEW",
                WorkspaceStatus::NeedsReview,
            ),
            (
                "✅ VERIFIED a\n⚠️ NEEDS REVIEW",
                WorkspaceStatus::NeedsReview,
            ),
            (
                "✅ VERIFIED\n**Final Status**: ❌ NOT VERIFIED",
                WorkspaceStatus::NeedsReview,
            ),
        ];
        for (report, effect) in table {
            assert_eq!(found(report), [("MARKER_CONFLICT", effect)], "{report}");
        }
    }

    #[test]
    fn a_pass_that_its_line_limits_is_qualified() {
        let qualified = [("PASS_QUALIFIED", WorkspaceStatus::NeedsReview)];
        for report in [
            "not ✅ VERIFIED",
            "This can't be called ✅ VERIFIED",
            "✅ VERIFIED WITH  ISSUES",
            "✅ VERIFIED COMPLETE — except docs",
            "**✅ VERIFIED**, but",
            "✅ VERIFIED (partially)",
        ] {
            assert_eq!(found(report), qualified, "{report}");
        }
        for report in [
            "✅ VERIFIED, butter included",
            "**Status**: ✅ VERIFIED and nothing is open.",
            "Result is ✅ VERIFIED and nothing is open.",
            "No, this is not at all bad: ✅ VERIFIED",
            "not ✅ VERIFIED\n✅ VERIFIED",
        ] {
            assert_eq!(found(report), [], "{report}");
        }
    }

    #[test]
    fn a_marker_that_is_only_spoken_of_is_not_a_verdict() {
        let quoted = [("MARKER_ONLY_QUOTED", WorkspaceStatus::NeedsReview)];
        for report in [
            "A comment wants \"✅ VERIFIED\" in every review.",
            "the diary closes with its own verdict (✅ VERIFIED).",
            "| parser | ✅ VERIFIED |",
        ] {
            assert_eq!(found(report), quoted, "{report}");
        }
    }

    #[test]
    fn open_items_prevent_a_pass() {
        assert_eq!(
            found("✅ VERIFIED\n## Incomplete Requirements\n1. x"),
            [("PASS_WITH_ISSUES", WorkspaceStatus::NeedsReview)]
        );
    }
}
