//! What speaks against the report, once the world has been looked at, and the
//! status that remains.

use std::path::PathBuf;

use serde::Serialize;

use super::claims::{MAX_CLAIMS, PathClaim};
use super::{Confidence, Report, Status};
use crate::config::Guards;
use crate::observe::criteria::{CriterionOutcome, CriterionSeen};
use crate::observe::evidence::ClaimSeen;
use crate::read::status::StatusSeen;
use crate::reasons::Finding;

/// A long list of the same finding says no more than a short one.
const MAX_OF_A_KIND: usize = 50;

/// What a finding does to the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The work is not complete.
    Fail,
    /// A person has to look.
    NeedsReview,
    /// Worth knowing.
    Note,
}

/// One finding.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct FindingSeen {
    /// The code.
    #[serde(serialize_with = "as_code")]
    #[schemars(with = "String")]
    pub code: Finding,
    /// What it does.
    pub effect: Effect,
    /// The single case, in one line.
    pub detail: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn as_code<S: serde::Serializer>(code: &Finding, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.code())
}

/// What was seen besides the report.
#[derive(Debug)]
pub struct Facts<'f> {
    /// The report.
    pub report: &'f Report,
    /// Declared criteria, looked at.
    pub criteria: &'f [CriterionSeen],
    /// Named files, looked for.
    pub claims: &'f [(PathClaim, ClaimSeen)],
    /// Inputs that changed while the judge worked.
    pub inputs_changed: &'f [String],
    /// Inputs that are not those the run started with.
    pub criteria_changed: &'f [String],
    /// Other project files that changed while the judge worked; `None` when
    /// there were too many files to tell.
    pub project_changed: Option<&'f [PathBuf]>,
    /// The agent's own claim.
    pub status: &'f StatusSeen,
    /// Nothing differs from the base commit.
    pub no_changes: bool,
}

/// All findings, in the order of the contract.
pub fn findings(facts: &Facts<'_>, guards: Guards) -> Vec<FindingSeen> {
    if guards == Guards::Off {
        return Vec::new();
    }
    let mut all: Vec<FindingSeen> = facts
        .report
        .guards()
        .iter()
        .map(|finding| FindingSeen {
            code: finding.code,
            effect: Effect::of(finding.effect),
            detail: finding.detail.clone(),
        })
        .collect();
    let passes = facts.report.parsed().status == Status::Pass;
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

/// The status that remains.
pub fn final_status(report: Status, findings: &[FindingSeen], guards: Guards) -> Status {
    match guards {
        Guards::Off | Guards::Warn => report,
        Guards::Enforce | Guards::Strict => findings.iter().fold(report, |status, finding| {
            status.max(match finding.effect {
                Effect::Fail => Status::Fail,
                Effect::NeedsReview => Status::NeedsReview,
                Effect::Note => Status::Pass,
            })
        }),
    }
}

impl Effect {
    /// The effect that leaves at best this status.
    pub(crate) const fn of(status: Status) -> Self {
        match status {
            Status::Fail => Self::Fail,
            Status::NeedsReview => Self::NeedsReview,
            Status::Pass => Self::Note,
        }
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

fn criteria(facts: &Facts<'_>, all: &mut Vec<FindingSeen>) {
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

/// Files that a passing report names and that are not there. A report that
/// does not pass may name them for that very reason.
fn missing_claims(facts: &Facts<'_>, all: &mut Vec<FindingSeen>) {
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

/// Lines that no report can have seen, whatever its verdict.
fn short_claims(facts: &Facts<'_>, all: &mut Vec<FindingSeen>) {
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

fn changes(facts: &Facts<'_>, all: &mut Vec<FindingSeen>) {
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
                "changed since the run started: {}",
                facts.criteria_changed.join(", ")
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

/// The agent's own word against a passing report, or against itself.
fn disagreement(facts: &Facts<'_>, passes: bool, all: &mut Vec<FindingSeen>) {
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

/// The counts of the report against those of the agent, whatever the verdict.
fn count_mismatch(facts: &Facts<'_>, all: &mut Vec<FindingSeen>) {
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

fn doubts(facts: &Facts<'_>, all: &mut Vec<FindingSeen>) {
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

/// The first `N/M` of a text that stands on its own.
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
mod tests {
    use super::*;
    use crate::read::status::AgentStatus;

    struct World {
        report: Report,
        criteria: Vec<CriterionSeen>,
        claims: Vec<(PathClaim, ClaimSeen)>,
        status: StatusSeen,
        changed: Vec<String>,
    }

    fn world(report: &str) -> World {
        World {
            report: Report::read(report.as_bytes()),
            criteria: Vec::new(),
            claims: Vec::new(),
            status: StatusSeen::Absent,
            changed: Vec::new(),
        }
    }

    impl World {
        fn codes(&self, guards: Guards) -> (Vec<(&'static str, Effect)>, Status) {
            let facts = Facts {
                report: &self.report,
                criteria: &self.criteria,
                claims: &self.claims,
                inputs_changed: &self.changed,
                criteria_changed: &[],
                project_changed: Some(&[]),
                status: &self.status,
                no_changes: false,
            };
            let found = findings(&facts, guards);
            let status = final_status(self.report.parsed().status, &found, guards);
            (
                found
                    .iter()
                    .map(|one| (one.code.code(), one.effect))
                    .collect(),
                status,
            )
        }

        fn criterion(mut self, outcome: CriterionOutcome) -> Self {
            self.criteria.push(CriterionSeen {
                id: "c".to_owned(),
                kind: "file_exists".to_owned(),
                outcome,
                detail: "d".to_owned(),
                exit_code: None,
                duration_ms: 0,
            });
            self
        }
    }

    const PASS: &str = "## Summary\n3/3 done\n✅ VERIFIED\n";

    #[test]
    fn a_failed_criterion_beats_any_report() {
        let (found, status) = world(PASS)
            .criterion(CriterionOutcome::Fail)
            .codes(Guards::Enforce);
        assert_eq!(
            (found, status),
            (vec![("CRITERION_FAILED", Effect::Fail)], Status::Fail)
        );
        let (_, status) = world(PASS)
            .criterion(CriterionOutcome::Error)
            .codes(Guards::Enforce);
        assert_eq!(status, Status::NeedsReview);
        assert_eq!(
            world(PASS)
                .criterion(CriterionOutcome::Pass)
                .codes(Guards::Strict),
            (vec![], Status::Pass)
        );
    }

    #[test]
    fn a_bare_pass_is_noted_and_strict_refuses_it() {
        assert_eq!(
            world(PASS).codes(Guards::Enforce),
            (vec![("NO_MACHINE_EVIDENCE", Effect::Note)], Status::Pass)
        );
        assert_eq!(
            world(PASS).codes(Guards::Strict),
            (
                vec![("NO_MACHINE_EVIDENCE", Effect::NeedsReview)],
                Status::NeedsReview
            )
        );
        assert_eq!(world(PASS).codes(Guards::Off), (vec![], Status::Pass));
    }

    #[test]
    fn warnings_leave_the_status_alone() {
        let (found, status) = world(PASS)
            .criterion(CriterionOutcome::Fail)
            .codes(Guards::Warn);
        assert_eq!((found.len(), status), (1, Status::Pass));
    }

    #[test]
    fn named_files_are_held_against_the_report() {
        let mut world = world(PASS);
        let claim = |line| PathClaim {
            path: "a.rs".to_owned(),
            line,
        };
        world.claims = vec![
            (claim(None), ClaimSeen::Missing),
            (claim(Some(9)), ClaimSeen::TooShort { lines: 2 }),
            (claim(None), ClaimSeen::Confirmed),
        ];
        let (found, status) = world.codes(Guards::Enforce);
        assert_eq!(
            found,
            [
                ("CLAIMED_FILE_MISSING", Effect::NeedsReview),
                ("CLAIMED_LINE_OUT_OF_RANGE", Effect::NeedsReview)
            ]
        );
        assert_eq!(status, Status::NeedsReview);
    }

    #[test]
    fn the_agents_own_claim_is_compared() {
        let mut world = world(PASS).criterion(CriterionOutcome::Pass);
        world.status = StatusSeen::Valid(AgentStatus {
            complete: true,
            progress: Some((2, 3)),
            ..AgentStatus::default()
        });
        let (found, _) = world.codes(Guards::Enforce);
        assert_eq!(
            found,
            [
                ("STATUS_DISAGREES", Effect::Note),
                ("COUNT_MISMATCH", Effect::Note)
            ]
        );
    }

    #[test]
    fn a_status_file_that_contradicts_itself_is_noted_whatever_the_report_says() {
        let mut world = world("❌ INCOMPLETE");
        for (complete, counts, expected) in [
            (true, (4, 3), 1),
            (true, (2, 3), 1),
            (false, (4, 3), 1),
            (false, (2, 3), 0),
            (true, (3, 3), 0),
        ] {
            world.status = StatusSeen::Valid(AgentStatus {
                complete,
                progress: Some(counts),
                ..AgentStatus::default()
            });
            let (found, status) = world.codes(Guards::Enforce);
            assert_eq!(
                (found, status),
                (
                    vec![("STATUS_DISAGREES", Effect::Note); expected],
                    Status::Fail
                ),
                "{complete} {counts:?}"
            );
        }
    }

    #[test]
    fn a_line_out_of_range_counts_for_any_report_and_a_missing_file_for_a_pass() {
        let mut world = world("❌ INCOMPLETE");
        let claim = PathClaim {
            path: "a.rs".to_owned(),
            line: Some(9),
        };
        world.claims = vec![
            (claim.clone(), ClaimSeen::Missing),
            (claim, ClaimSeen::TooShort { lines: 2 }),
        ];
        assert_eq!(
            world.codes(Guards::Enforce),
            (
                vec![("CLAIMED_LINE_OUT_OF_RANGE", Effect::NeedsReview)],
                Status::Fail
            )
        );
    }

    #[test]
    fn tampering_counts_for_any_report() {
        let mut world = world("❌ INCOMPLETE");
        world.changed = vec!["INSTRUCTIONS.md".to_owned()];
        let (found, status) = world.codes(Guards::Enforce);
        assert_eq!(
            (found, status),
            (
                vec![("JUDGE_MODIFIED_INPUTS", Effect::NeedsReview)],
                Status::Fail
            )
        );
    }

    #[test]
    fn a_fraction_is_two_numbers_and_no_date_or_path() {
        assert_eq!(fraction("all 58/60 done."), Some((58, 60)));
        assert_eq!(fraction("Done 3/3."), Some((3, 3)));
        for text in ["1/2/2025", "a/b", "src/3", "/", "3 of 4"] {
            assert_eq!(fraction(text), None, "{text}");
        }
    }
}
