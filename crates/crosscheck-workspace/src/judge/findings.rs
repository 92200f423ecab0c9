//! The findings after all checks, and the resulting status (workspace 18).

use std::path::PathBuf;

use super::claims::MAX_CLAIMS;
pub use super::finding::{Effect, FindingSeen};
use super::{Confidence, Report, WorkspaceStatus};
use crate::config::Guards;
use crate::observe::criteria::{CriterionOutcome, CriterionSeen};
use crate::observe::evidence::ClaimSeen;
use crate::plan::path_claim::PathClaim;
use crate::read::status::StatusSeen;
use crate::reasons::Finding;

/// More findings of one kind are not listed.
const MAX_OF_A_KIND: usize = 50;

/// The observations besides the report.
#[derive(Debug)]
pub struct ReportFacts<'f> {
    /// The report.
    pub report: &'f Report,
    /// Declared criteria with their results.
    pub criteria: &'f [CriterionSeen],
    /// Named files with their results.
    pub claims: &'f [(PathClaim, ClaimSeen)],
    /// Inputs that changed while the judge ran.
    pub inputs_changed: &'f [String],
    /// Inputs that differ from those at the start of the run, or that an
    /// earlier command found changed.
    pub criteria_changed: &'f [String],
    /// The command with which a person accepts them.
    pub accept_with: &'f str,
    /// Other project files that changed while the judge ran; `None` when there
    /// were too many files.
    pub project_changed: Option<&'f [PathBuf]>,
    /// The agent's own claim.
    pub status: &'f StatusSeen,
    /// Nothing differs from the base commit.
    pub no_changes: bool,
}

/// All findings, in the order of the contract.
pub fn findings(facts: &ReportFacts<'_>, guards: Guards) -> Vec<FindingSeen> {
    if guards == Guards::Off {
        return Vec::new();
    }
    let mut all: Vec<FindingSeen> = facts.report.guards().to_vec();
    let passes = facts.report.parsed().status == WorkspaceStatus::Pass;
    criteria(facts, &mut all);
    if passes {
        missing_claims(facts, &mut all);
    }
    short_claims(facts, &mut all);
    changes(facts, &mut all);
    disagreement(facts, passes, &mut all);
    count_mismatch(facts, &mut all);
    if passes {
        doubts(facts, &mut all);
    }
    if facts.no_changes {
        all.push(note(
            Finding::NoChanges,
            "nothing outside the workspaces folder differs from the base commit".to_owned(),
        ));
    }
    if guards == Guards::Strict {
        for finding in &mut all {
            if finding.effect == Effect::Note {
                finding.effect = Effect::NeedsReview;
            }
        }
    }
    all
}

/// The resulting status.
pub fn final_status(
    report: WorkspaceStatus,
    findings: &[FindingSeen],
    guards: Guards,
) -> WorkspaceStatus {
    match guards {
        Guards::Off | Guards::Warn => report,
        Guards::Enforce | Guards::Strict => findings.iter().fold(report, |status, finding| {
            status.max(finding.effect.allows())
        }),
    }
}

fn note(code: Finding, detail: String) -> FindingSeen {
    FindingSeen {
        code,
        effect: Effect::Note,
        detail,
    }
}

fn review(code: Finding, detail: String) -> FindingSeen {
    FindingSeen {
        code,
        effect: Effect::NeedsReview,
        detail,
    }
}

fn criteria(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    for (outcome, code, effect) in [
        (
            CriterionOutcome::Fail,
            Finding::CriterionFailed,
            Effect::Fail,
        ),
        (
            CriterionOutcome::Error,
            Finding::CriterionError,
            Effect::NeedsReview,
        ),
    ] {
        let with_outcome = facts.criteria.iter().filter(|seen| seen.outcome == outcome);
        all.extend(with_outcome.map(|seen| FindingSeen {
            code,
            effect,
            detail: format!("{}: {}", seen.id, seen.detail),
        }));
    }
}

/// Files that a passing report names and that do not exist. A report that does
/// not pass may name them for exactly that reason.
fn missing_claims(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    let missing = facts
        .claims
        .iter()
        .filter(|(_, seen)| *seen == ClaimSeen::Missing);
    if facts.report.has_unread_claims() {
        all.push(review(
            Finding::ClaimedFileMissing,
            format!("only the first {MAX_CLAIMS} files that the report names were looked for"),
        ));
    }
    all.extend(missing.take(MAX_OF_A_KIND).map(|(claim, _)| {
        review(
            Finding::ClaimedFileMissing,
            format!("{} does not exist", claim.path),
        )
    }));
}

/// Lines beyond the end of a file, for any verdict.
fn short_claims(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    let short = facts.claims.iter().filter_map(|(claim, seen)| match seen {
        ClaimSeen::TooShort { lines } => Some((claim, lines)),
        ClaimSeen::Confirmed | ClaimSeen::Missing | ClaimSeen::Outside => None,
    });
    all.extend(short.take(MAX_OF_A_KIND).map(|(claim, lines)| {
        let line = claim.line.unwrap_or_default();
        review(
            Finding::ClaimedLineOutOfRange,
            format!("{}:{line} is beyond the end ({lines} lines)", claim.path),
        )
    }));
}

fn changes(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    if !facts.inputs_changed.is_empty() {
        all.push(review(
            Finding::JudgeModifiedInputs,
            format!(
                "changed while the judge was looking: {}",
                facts.inputs_changed.join(", ")
            ),
        ));
    }
    if !facts.criteria_changed.is_empty() {
        all.push(review(
            Finding::CriteriaChanged,
            format!(
                "not as they were when the work began: {}; if you want them so: {}",
                facts.criteria_changed.join(", "),
                facts.accept_with
            ),
        ));
    }
    let Some(changed) = facts.project_changed else {
        all.push(note(
            Finding::JudgeModifiedProject,
            "not looked at: the project has too many files".to_owned(),
        ));
        return;
    };
    if let Some(first) = changed.first() {
        let more = changed.len() - 1;
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        all.push(note(
            Finding::JudgeModifiedProject,
            format!(
                "changed while the judge was looking: {}{more}",
                first.display()
            ),
        ));
    }
}

/// The agent's own status compared with a passing report, and with itself.
fn disagreement(facts: &ReportFacts<'_>, passes: bool, all: &mut Vec<FindingSeen>) {
    let StatusSeen::Valid(claim) = facts.status else {
        return;
    };
    let counts = claim
        .progress
        .filter(|(completed, total)| completed != total);
    let detail = match counts {
        _ if passes && !claim.complete => {
            "the report passes but .status.json says not complete".to_owned()
        }
        Some((completed, total)) if passes => {
            format!("the report passes but .status.json says {completed} of {total}")
        }
        _ if passes => return,
        _ => match claim.warnings().as_slice() {
            [] => return,
            warnings => format!(".status.json contradicts itself: {}", warnings.join("; ")),
        },
    };
    all.push(note(Finding::StatusDisagrees, detail));
}

/// The counts of the report compared with those of the agent, for any verdict.
fn count_mismatch(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    let StatusSeen::Valid(claim) = facts.status else {
        return;
    };
    if let (Some(said), Some(counted)) = (fraction(&facts.report.parsed().summary), claim.progress)
        && said != counted
    {
        all.push(note(
            Finding::CountMismatch,
            format!(
                "the summary says {}/{}, .status.json {}/{}",
                said.0, said.1, counted.0, counted.1
            ),
        ));
    }
}

fn doubts(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    let parsed = facts.report.parsed();
    if parsed.confidence == Confidence::Low {
        all.push(note(
            Finding::LowConfidencePass,
            "the report passes with low confidence".to_owned(),
        ));
    }
    let has_evidence = facts
        .claims
        .iter()
        .any(|(_, seen)| *seen == ClaimSeen::Confirmed);
    if facts.criteria.is_empty() && !has_evidence {
        all.push(note(
            Finding::NoMachineEvidence,
            "no criterion is declared and no named file was confirmed".to_owned(),
        ));
    }
}

/// The first separate `N/M` of a text.
fn fraction(text: &str) -> Option<(u64, u64)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    text.split(|c: char| !is_part(c)).find_map(|word| {
        let (n, m) = word.trim_end_matches('.').split_once('/')?;
        let number = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_digit())
                .then(|| text.parse().ok())
                .flatten()
        };
        Some((number(n)?, number(m)?))
    })
}

#[cfg(test)]
mod tests;
