//! Guards (workspace 10): reasons not to trust a passing report. They use only
//! the report and can only make the status worse.

use super::WorkspaceStatus;
use super::limits::{counts_open, is_qualified};
use super::live::{self, Live};
use super::parse::{INCOMPLETE, Marker, Parsed, VERIFIED, asks_for_review};
use crate::reasons::Finding;

/// One reason, with the status it requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardFinding {
    /// Which guard.
    pub code: Finding,
    /// The best status that is still possible.
    pub effect: WorkspaceStatus,
    /// The message of this case, in one line.
    pub detail: String,
}

pub(super) fn look(text: &str, parsed: &Parsed) -> Vec<GuardFinding> {
    if parsed.status != WorkspaceStatus::Pass {
        return Vec::new();
    }
    let mut findings: Vec<GuardFinding> = markers(&live::of(text)).into_iter().collect();
    if findings.is_empty() && counts_open(&parsed.summary) {
        findings.push(GuardFinding {
            code: Finding::PassQualified,
            effect: WorkspaceStatus::NeedsReview,
            detail: "the summary counts only a part of the requirements as met".to_owned(),
        });
    }
    if !parsed.issues.is_empty() {
        findings.push(GuardFinding {
            code: Finding::PassWithIssues,
            effect: WorkspaceStatus::NeedsReview,
            detail: format!(
                "the report passes but lists {} open item(s)",
                parsed.issues.len()
            ),
        });
    }
    findings
}

fn markers(live: &Live) -> Option<GuardFinding> {
    let is_marked = |mark: &str| live.marked.iter().any(|line| line.contains(mark));
    let fails = is_marked(INCOMPLETE) || live.verdicts.contains(&Marker::Incomplete);
    let doubts = live.marked.iter().any(|line| asks_for_review(line))
        || live.verdicts.contains(&Marker::NeedsReview);
    let only_quoted = |effect| {
        (
            Finding::MarkerOnlyQuoted,
            effect,
            "the pass marker occurs only in code, quotations, table rows or comments",
        )
    };
    let (code, effect, detail) = if !is_marked(VERIFIED) {
        only_quoted(if fails {
            WorkspaceStatus::Fail
        } else {
            WorkspaceStatus::NeedsReview
        })
    } else if fails || doubts {
        (
            Finding::MarkerConflict,
            verdict_of_conflict(live),
            "the report carries a pass marker and a verdict that contradicts it",
        )
    } else if live.passes.is_empty() {
        only_quoted(WorkspaceStatus::NeedsReview)
    } else if live.passes.iter().all(|pass| is_qualified(&pass.line)) {
        (
            Finding::PassQualified,
            WorkspaceStatus::NeedsReview,
            "the pass marker is negated or limited by the words around it",
        )
    } else if live
        .passes
        .iter()
        .all(|pass| !pass.is_stated || is_qualified(&pass.line))
    {
        (
            Finding::MarkerOnlyQuoted,
            WorkspaceStatus::NeedsReview,
            "the pass marker occurs only inside sentences about something else",
        )
    } else {
        return None;
    };
    Some(GuardFinding {
        code,
        effect,
        detail: detail.to_owned(),
    })
}

/// A conflict is decided only if all verdict lines agree.
fn verdict_of_conflict(live: &Live) -> WorkspaceStatus {
    let mut verdicts = live.verdicts.iter();
    if !live.verdicts.is_empty() && verdicts.all(|marker| *marker == Marker::Incomplete) {
        WorkspaceStatus::Fail
    } else {
        WorkspaceStatus::NeedsReview
    }
}

#[cfg(test)]
mod tests {
    use super::super::Report;
    use super::*;

    fn found(report: &str) -> Vec<(&'static str, WorkspaceStatus)> {
        Report::read(report.as_bytes())
            .guards()
            .iter()
            .map(|finding| (finding.code.code(), finding.effect))
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
            "No, this is not at all bad: ✅ VERIFIED",
            "✅ VERIFIED butter",
            "✅ VERIFIED with issuesome",
            "not ✅ VERIFIED\n✅ VERIFIED",
        ] {
            assert_eq!(found(report), [], "{report}");
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
