//! Guards (workspace 10): reasons not to trust a passing report. They use only
//! the report and can only make the status worse.

use std::borrow::Cow;

use crosscheck_core::rules::Rule;

use super::WorkspaceStatus;
use super::finding::{Effect, FindingSeen};
use super::lines::{ReportLine, ReportLines};
use super::parse::{
    INCOMPLETE, ParsedFields, VERIFIED, VerdictMarker, asks_for_review, strip_prefix_any_case,
    verdict_line,
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
/// Verdicts in words that contradict a pass, alone on a line or behind a label.
const CONTRARY: [&str; 6] = [
    "NOT VERIFIED",
    "NOT COMPLETE",
    "INCOMPLETE",
    "FAIL",
    "FAILED",
    "VERIFICATION FAILED",
];

/// Labels of a verdict; under one of them anything but a pass contradicts it.
const VERDICT_LABELS: [&str; 6] = [
    "Verdict",
    "Final Verdict",
    "Final Status",
    "Overall Status",
    "Overall Result",
    "Final Result",
];

static OWN_VERDICT: Rule = Rule::new(
    "workspace.own_verdict",
    "a pass marker counts at the beginning of a line, behind a label or `is`, not inside a sentence, in a table or as a claimed or earlier verdict",
);
static CONTRARY_VERDICT: Rule = Rule::new(
    "workspace.contrary_verdict",
    "a verdict in words (FAILED, NOT VERIFIED, a label with anything but a pass) contradicts a pass marker",
);
static PAST_SECTION: Rule = Rule::new(
    "workspace.past_section",
    "a section whose heading speaks of an earlier verification states no verdict",
);
static PART_MET: Rule = Rule::new(
    "workspace.part_met",
    "a report that says that n of m are met, n below m, does not pass",
);

pub(super) fn look(lines: &ReportLines<'_>, parsed: &ParsedFields) -> Vec<FindingSeen> {
    if parsed.status != WorkspaceStatus::Pass {
        return Vec::new();
    }
    let mut past = None;
    let own = lines.iter().filter(|line| !is_past(line, &mut past));
    let live: Vec<Cow<'_, str>> = own.filter_map(live).collect();
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

/// Whether a line belongs to a section about an earlier verification; `past` is
/// the level of its heading.
fn is_past(line: &ReportLine<'_>, past: &mut Option<u8>) -> bool {
    if let Some(heading) = line.heading {
        let speaks_of_past = PAST_SECTION.is_on() && names_other_verdict(&line.text);
        *past = past.filter(|level| heading.level > *level);
        *past = past.or(speaks_of_past.then_some(heading.level));
    }
    past.is_some()
}

/// Whether a line says that only some of all are met: `1 of 3 requirements is
/// met`.
fn says_part(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<u64>().ok();
    let is_part = words.windows(3).any(|three| match three {
        [some, "of", all] => number(some).zip(number(all)).is_some_and(|(n, m)| n < m),
        _ => false,
    });
    let line = line.to_lowercase();
    let mut done = [" met", "complete", "done", "pass", "verified"].iter();
    PART_MET.is_on() && is_part && done.any(|word| line.contains(word))
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
    let conflicts = fails
        || live.iter().any(|line| {
            let is_contrary = || is_contrary_label(line) || values(line).any(is_contrary);
            asks_for_review(line) || CONTRARY_VERDICT.is_on() && is_contrary()
        });
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
    } else if live.iter().any(|line| says_part(line)) {
        (
            Finding::PassQualified,
            Effect::NeedsReview,
            "the report passes but says that only a part is met",
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

/// What may be before a verdict on its line: signs of lists, headings and
/// emphasis.
fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '#' | '*' | '_' | '-' | '+' | '•')
}

/// A line without its signs, and what is behind each label on it.
fn values(line: &str) -> impl Iterator<Item = &str> {
    let labels = line.match_indices(':').map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(labels)
        .filter_map(|from| Some(line.get(from..)?.trim_start_matches(is_decoration)))
}

fn is_contrary(value: &str) -> bool {
    let bare = value.trim_start_matches(['❌', '⚠', '\u{FE0F}', ' ']);
    let has_sign = bare.len() < value.len();
    CONTRARY.iter().any(|word| {
        let rest = bare.strip_prefix(word);
        rest.is_some_and(|rest| {
            let is_alone = rest.trim_matches(|c| is_decoration(c) || matches!(c, '.' | '!'));
            is_alone.is_empty() || has_sign && !rest.starts_with(char::is_alphanumeric)
        })
    })
}

/// Whether a line states its marker instead of speaking about it: the marker
/// begins it or follows a label or `is`, which do not speak of somebody else's
/// verdict, and what comes behind it does not continue the sentence ("… is what
/// the file asks for", "… if …", "…?"). The rows of a table are about parts.
fn is_stated(line: &str) -> bool {
    let Some((before, after)) = line.split_once(VERIFIED) else {
        return false;
    };
    let before = before.trim_matches(is_decoration);
    let number = before.trim_end_matches(['.', ')']);
    let begins = number.bytes().all(|byte| byte.is_ascii_digit());
    let leads = before.ends_with(':') || before.rsplit(char::is_whitespace).next() == Some("is");
    let after = after.strip_prefix(" COMPLETE").unwrap_or(after);
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_'));
    let is_item = begins && !number.is_empty();
    let ends = after.is_empty()
        || is_item
        || after.starts_with(['.', ',', ';', ':', '!', '(', ')', '-', '–', '—'])
        || after.starts_with("and ");
    let is_own = begins || leads && !names_other_verdict(before);
    !OWN_VERDICT.is_on() || !line.contains('|') && ends && is_own
}

/// Whether words speak of a verdict that is not this report's.
fn names_other_verdict(words: &str) -> bool {
    let words = words.to_lowercase();
    ["claimed", "previous", "earlier", "prior"]
        .iter()
        .any(|word| words.contains(word))
}

/// Whether a line gives a verdict under its label, and not a pass.
fn is_contrary_label(line: &str) -> bool {
    let Some((label, value)) = line.split_once(':') else {
        return false;
    };
    let label = label.trim_matches(is_decoration);
    let value = value.trim_matches(is_decoration);
    let is_verdict = VERDICT_LABELS
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known));
    is_verdict && !value.is_empty() && !value.starts_with(VERIFIED)
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
            "1 of 3 requirements is met.\n✅ VERIFIED",
        ] {
            assert_eq!(found(report), qualified, "{report}");
        }
        for report in [
            "✅ VERIFIED, butter included",
            "Result is ✅ VERIFIED and nothing is open.",
            "No, this is not at all bad: ✅ VERIFIED",
            "not ✅ VERIFIED\n✅ VERIFIED",
            "3 of 3 requirements are met.\n✅ VERIFIED",
            "## Previous verification\n✅ VERIFIED\n## Verdict\n**Status**: ✅ VERIFIED",
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
            "✅ VERIFIED COMPLETE is what NOTES.md asks for",
            "✅ VERIFIED COMPLETE? Not yet.",
            "✅ VERIFIED COMPLETE if the tests are added",
            "Claimed verdict: ✅ VERIFIED",
            "## Previous verification\n\n✅ VERIFIED COMPLETE",
        ] {
            assert_eq!(found(report), quoted, "{report}");
        }
        let conflict = [("MARKER_CONFLICT", WorkspaceStatus::NeedsReview)];
        for report in [
            "✅ VERIFIED\n**Final Status**: ❌ NOT VERIFIED",
            "✅ VERIFIED\nVerdict: INCOMPLETE",
            "✅ VERIFIED\nVerdict: the task cannot be considered complete",
            "## VERIFICATION FAILED\n✅ VERIFIED",
        ] {
            assert_eq!(found(report), conflict, "{report}");
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
