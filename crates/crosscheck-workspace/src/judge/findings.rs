//! The findings after all checks, and the resulting status (workspace 18).

use std::path::PathBuf;

use super::claims::MAX_CLAIMS;
pub use super::finding::{Effect, FindingSeen};
use super::{Confidence, Report, WorkspaceStatus};
use crate::config::Guards;
use crate::observe::criteria::{CriterionOutcome, CriterionSeen};
use crate::observe::evidence::ClaimSeen;
use crate::plan::path_claim::PathClaim;
use crate::read::status::{AgentStatus, StatusSeen};
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
    let mut all: Vec<FindingSeen> = facts.report.guards.clone();
    let passes = facts.report.parsed.status == WorkspaceStatus::Pass;
    criteria(facts, &mut all);
    claims(facts, passes, &mut all);
    all.extend(changes(facts));
    if let StatusSeen::Valid(claim) = facts.status {
        all.extend(disagreement(claim, passes));
        all.extend(count_mismatch(facts, claim));
    }
    if passes {
        all.extend(doubts(facts));
    }
    if facts.no_changes {
        all.push(FindingSeen::new(
            Finding::NoChanges,
            "nothing outside the workspaces folder differs from the base commit",
        ));
    }
    if guards == Guards::Strict {
        let notes = all.iter_mut().filter(|one| one.effect == Effect::Note);
        notes.for_each(|one| one.effect = Effect::NeedsReview);
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

fn criteria(facts: &ReportFacts<'_>, all: &mut Vec<FindingSeen>) {
    for (outcome, code) in [
        (CriterionOutcome::Fail, Finding::CriterionFailed),
        (CriterionOutcome::Error, Finding::CriterionError),
    ] {
        let with_outcome = facts.criteria.iter().filter(|seen| seen.outcome == outcome);
        all.extend(
            with_outcome
                .map(|seen| FindingSeen::new(code, format!("{}: {}", seen.id, seen.detail))),
        );
    }
}

/// Files that a passing report names and that do not exist: a report that does not pass may name
/// them for exactly that reason. And lines beyond the end of a file, for any verdict.
fn claims(facts: &ReportFacts<'_>, passes: bool, all: &mut Vec<FindingSeen>) {
    if passes {
        let code = Finding::ClaimedFileMissing;
        if facts.report.has_unread_claims {
            let detail =
                format!("only the first {MAX_CLAIMS} files that the report names were looked for");
            all.push(FindingSeen::new(code, detail));
        }
        let missing = facts
            .claims
            .iter()
            .filter(|(_, seen)| *seen == ClaimSeen::Missing)
            .map(|(claim, _)| FindingSeen::new(code, format!("{} does not exist", claim.path)));
        all.extend(missing.take(MAX_OF_A_KIND));
    }
    let short = facts.claims.iter().filter_map(|(claim, seen)| {
        let ClaimSeen::TooShort { lines } = seen else {
            return None;
        };
        let line = claim.line.unwrap_or_default();
        Some(FindingSeen::new(
            Finding::ClaimedLineOutOfRange,
            format!("{}:{line} is beyond the end ({lines} lines)", claim.path),
        ))
    });
    all.extend(short.take(MAX_OF_A_KIND));
}

fn changes(facts: &ReportFacts<'_>) -> impl Iterator<Item = FindingSeen> {
    let inputs = facts.inputs_changed.join(", ");
    let inputs = (!inputs.is_empty()).then(|| {
        let detail = format!("changed while the judge was looking: {inputs}");
        FindingSeen::new(Finding::JudgeModifiedInputs, detail)
    });
    let criteria = facts.criteria_changed.join(", ");
    let criteria = (!criteria.is_empty()).then(|| {
        let detail = format!(
            "not as they were when the work began: {criteria}; if you want them so: {}",
            facts.accept_with
        );
        FindingSeen::new(Finding::CriteriaChanged, detail)
    });
    let project = match facts.project_changed {
        None => Some("not looked at: the project has too many files".to_owned()),
        Some([]) => None,
        Some([first, rest @ ..]) => {
            let first = first.display();
            let more = match rest.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Some(format!(
                "changed while the judge was looking: {first}{more}"
            ))
        }
    };
    let project = project.map(|detail| FindingSeen::new(Finding::JudgeModifiedProject, detail));
    inputs.into_iter().chain(criteria).chain(project)
}

/// The agent's own status compared with a passing report, and with itself.
fn disagreement(claim: &AgentStatus, passes: bool) -> Option<FindingSeen> {
    let detail = match claim.progress {
        _ if passes && !claim.complete => {
            "the report passes but .status.json says not complete".to_owned()
        }
        Some((completed, total)) if passes && completed != total => {
            format!("the report passes but .status.json says {completed} of {total}")
        }
        _ => {
            let warnings = claim.warnings().join("; ");
            if passes || warnings.is_empty() {
                return None;
            }
            format!(".status.json contradicts itself: {warnings}")
        }
    };
    Some(FindingSeen::new(Finding::StatusDisagrees, detail))
}

/// The counts of the report compared with those of the agent, for any verdict.
fn count_mismatch(facts: &ReportFacts<'_>, claim: &AgentStatus) -> Option<FindingSeen> {
    let said = fraction(&facts.report.parsed.summary)?;
    let counted = claim.progress.filter(|counted| *counted != said)?;
    let detail = format!(
        "the summary says {}/{}, .status.json {}/{}",
        said.0, said.1, counted.0, counted.1
    );
    Some(FindingSeen::new(Finding::CountMismatch, detail))
}

/// Why a pass may not be worth much.
fn doubts(facts: &ReportFacts<'_>) -> impl Iterator<Item = FindingSeen> {
    let is_unsure = facts.report.parsed.confidence == Confidence::Low;
    let mut claims = facts.claims.iter();
    let has_evidence =
        !facts.criteria.is_empty() || claims.any(|(_, seen)| *seen == ClaimSeen::Confirmed);
    let unsure = is_unsure.then_some((
        Finding::LowConfidencePass,
        "the report passes with low confidence",
    ));
    let unproven = (!has_evidence).then_some((
        Finding::NoMachineEvidence,
        "no criterion is declared and no named file was confirmed",
    ));
    let doubts = unsure.into_iter().chain(unproven);
    doubts.map(|(code, detail)| FindingSeen::new(code, detail))
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
