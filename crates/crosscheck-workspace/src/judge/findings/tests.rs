//! Which findings there are, and their effect on the status.

use super::*;

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
    fn codes(&self, guards: Guards) -> (Vec<(&'static str, Effect)>, WorkspaceStatus) {
        let facts = ReportFacts {
            report: &self.report,
            criteria: &self.criteria,
            claims: &self.claims,
            inputs_changed: &self.changed,
            criteria_changed: &[],
            accept_with: "crosscheck workspace accept-criteria demo",
            project_changed: Some(&[]),
            status: &self.status,
            no_changes: false,
        };
        let found = findings(&facts, guards);
        let status = final_status(self.report.parsed.status, &found, guards);
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
        (
            vec![("CRITERION_FAILED", Effect::Fail)],
            WorkspaceStatus::Fail
        )
    );
    let (_, status) = world(PASS)
        .criterion(CriterionOutcome::Error)
        .codes(Guards::Enforce);
    assert_eq!(status, WorkspaceStatus::NeedsReview);
    assert_eq!(
        world(PASS)
            .criterion(CriterionOutcome::Pass)
            .codes(Guards::Strict),
        (vec![], WorkspaceStatus::Pass)
    );
}

#[test]
fn a_bare_pass_is_noted_and_strict_refuses_it() {
    assert_eq!(
        world(PASS).codes(Guards::Enforce),
        (
            vec![("NO_MACHINE_EVIDENCE", Effect::Note)],
            WorkspaceStatus::Pass
        )
    );
    assert_eq!(
        world(PASS).codes(Guards::Strict),
        (
            vec![("NO_MACHINE_EVIDENCE", Effect::NeedsReview)],
            WorkspaceStatus::NeedsReview
        )
    );
    assert_eq!(
        world(PASS).codes(Guards::Off),
        (vec![], WorkspaceStatus::Pass)
    );
}

#[test]
fn warnings_leave_the_status_alone() {
    let (found, status) = world(PASS)
        .criterion(CriterionOutcome::Fail)
        .codes(Guards::Warn);
    assert_eq!((found.len(), status), (1, WorkspaceStatus::Pass));
}

#[test]
fn named_files_are_compared_with_the_report() {
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
    assert_eq!(status, WorkspaceStatus::NeedsReview);
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
                WorkspaceStatus::Fail
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
            WorkspaceStatus::Fail
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
            WorkspaceStatus::Fail
        )
    );
}

#[test]
fn a_fraction_is_two_numbers_and_not_a_date_or_path() {
    assert_eq!(fraction("all 58/60 done."), Some((58, 60)));
    assert_eq!(fraction("Done 3/3."), Some((3, 3)));
    for text in ["1/2/2025", "a/b", "src/3", "/", "3 of 4"] {
        assert_eq!(fraction(text), None, "{text}");
    }
}
