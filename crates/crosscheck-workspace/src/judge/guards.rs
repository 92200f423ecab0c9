//! Guards (workspace 10): reasons not to trust a passing report. They use only
//! the report and can only make the status worse.

use std::borrow::Cow;

use super::WorkspaceStatus;
use super::finding::{Effect, FindingSeen};
use super::lines::{ReportLine, ReportLines};
use super::parse::{
    INCOMPLETE, ParsedFields, VERIFIED, VerdictMarker, asks_for_review, refuses,
    strip_prefix_any_case, verdict_line,
};
use super::spans::without_code;
use crate::reasons::Finding;

/// Words that take a pass back when one of them is among the last three before
/// its marker.
const NEGATING: [&str; 9] = [
    "not", "cannot", "can't", "isn't", "never", "unless", "until", "would", "should",
];
/// Words that limit a pass right behind its marker.
const LIMITING: [&str; 8] = [
    "with issues",
    "except",
    "but",
    "partially",
    "partly",
    "pending",
    "however",
    "incomplete",
];
pub(super) fn look(lines: &ReportLines<'_>, parsed: &ParsedFields) -> Vec<FindingSeen> {
    if parsed.status != WorkspaceStatus::Pass {
        return Vec::new();
    }
    let live: Vec<Cow<'_, str>> = lines.iter().filter_map(live).collect();
    let mut findings: Vec<FindingSeen> = markers(&live).into_iter().collect();
    if !parsed.issues.is_empty() {
        findings.push(FindingSeen {
            code: Finding::PassWithIssues,
            effect: Effect::NeedsReview,
            detail: format!(
                "the report passes but lists {} open item(s)",
                parsed.issues.len()
            ),
        });
    }
    findings
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
    let (code, effect, detail) = if passes.is_empty() {
        let effect = if fails {
            Effect::Fail
        } else {
            Effect::NeedsReview
        };
        let detail = "the pass marker occurs only in code, quotations or comments";
        (Finding::MarkerOnlyQuoted, effect, detail)
    } else if conflicts {
        (
            Finding::MarkerConflict,
            verdict_of_conflict(live),
            "the report carries a pass marker and a verdict that contradicts it",
        )
    } else if passes.iter().all(|line| is_qualified(line)) {
        (
            Finding::PassQualified,
            Effect::NeedsReview,
            "the pass marker is negated or limited by the words around it",
        )
    } else if !passes
        .iter()
        .any(|line| is_stated(line) && !is_qualified(line))
    {
        (
            Finding::MarkerOnlyQuoted,
            Effect::NeedsReview,
            "the pass marker occurs only in tables or inside sentences",
        )
    } else {
        return None;
    };
    Some(FindingSeen {
        code,
        effect,
        detail: detail.to_owned(),
    })
}

/// A conflict is decided only if all verdict lines agree.
fn verdict_of_conflict(live: &[Cow<'_, str>]) -> Effect {
    let mut verdicts = live.iter().filter_map(|line| verdict_line(line)).peekable();
    let has_any = verdicts.peek().is_some();
    if has_any && verdicts.all(|marker| marker == VerdictMarker::Incomplete) {
        Effect::Fail
    } else {
        Effect::NeedsReview
    }
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
    let Some((before, after)) = line.split_once(VERIFIED) else {
        return false;
    };
    let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, '\'' | '’');
    let words = before
        .rsplit(|c| !is_word(c))
        .filter(|word| !word.is_empty());
    let is_negating = |word: &str| {
        let word = word.replace('’', "'");
        NEGATING
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
    };
    let after = after.strip_prefix(" COMPLETE").unwrap_or(after);
    let is_between = |c: char| c.is_whitespace() || ",:;.()*_-–—".contains(c);
    let after = after.trim_start_matches(is_between);
    let after = after
        .split_whitespace()
        .take(2)
        .collect::<Vec<_>>()
        .join(" ");
    let limits = |word: &&str| {
        let rest = strip_prefix_any_case(&after, word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    words.take(3).any(is_negating) || LIMITING.iter().any(limits)
}

#[cfg(test)]
mod tests {
    use super::super::Report;
    use super::*;

    fn found(report: &str) -> Vec<(&'static str, WorkspaceStatus)> {
        Report::read(report.as_bytes())
            .guards()
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
