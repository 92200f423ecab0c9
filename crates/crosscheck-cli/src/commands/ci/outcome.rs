//! What came of the steps, and what that means for the whole run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crosscheck::Neutral;
use crosscheck::batch::{BatchReason, Refusal};
use crosscheck::catalogue;
use crosscheck::config::Check;
use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, RunReason};
use crosscheck::core::outcome::{Grounds, Outcome, Place};
use crosscheck::core::{UnitId, Verdict};

use crate::ledger::CHECK_NOTE;

/// A step that was done, or could not be.
pub(super) struct Finished<'c> {
    check: &'c Check,
    pub(super) report: Neutral,
    exit: u8,
}

impl<'c> Finished<'c> {
    pub(super) fn new(
        check: &'c Check,
        input: &str,
        is_in_time: bool,
        done: Result<Neutral, Refusal>,
    ) -> Self {
        let has_run = done.is_ok();
        let mut report = done.unwrap_or_else(|refusal| could_not_run(check, input, &refusal));
        for outcome in &mut report.outcomes {
            outcome.place.get_or_insert_with(|| Place {
                path: input.to_owned(),
                line: None,
                column: None,
                end_line: None,
            });
        }
        report.subject = format!("{}: {}", check.name, report.subject);
        report.notices.extend(exception(check, is_in_time));
        let accepted = accepted(check).filter(|_| is_in_time);
        let exit = if !has_run {
            EXIT_COULD_NOT_RUN
        } else if report.verdict <= accepted.unwrap_or(Verdict::Confirmed) {
            0
        } else {
            report.verdict.exit_code()
        };
        if exit == 0 && report.verdict != Verdict::Confirmed {
            accept(check, &mut report);
        }
        Self {
            check,
            report,
            exit,
        }
    }

    /// Verifier and check.
    pub(super) fn name(&self) -> String {
        format!(
            "crosscheck.{}.{}",
            self.check.verifier.name, self.check.name
        )
    }

    /// One line while the run goes on.
    pub(super) fn line(&self) -> String {
        let word = match self.exit {
            EXIT_COULD_NOT_RUN => "could not run",
            _ => self.word(),
        };
        format!("{word}: {}", self.report.subject)
    }

    /// The verdict, or that it is accepted.
    pub(super) fn word(&self) -> &'static str {
        match self.exit {
            0 if self.report.verdict != Verdict::Confirmed => "accepted",
            _ => self.report.verdict.word(),
        }
    }
}

/// Says with each unit that is not confirmed that it is accepted; of a run without one, too.
fn accept(check: &Check, report: &mut Neutral) {
    let grounds = Grounds {
        reason: BatchReason::Accepted.reason(),
        message: exception(check, true).unwrap_or_default(),
    };
    let is_open = |outcome: &Outcome| outcome.verdict != Verdict::Confirmed;
    if !report.outcomes.iter().any(is_open) {
        let (unit, claim) = (UnitId::numbered('x', 0), report.summary.clone());
        let whole = Outcome::new(unit, claim, report.verdict, Vec::new());
        report.outcomes.push(whole);
    }
    for outcome in &mut report.outcomes {
        if is_open(outcome) {
            outcome.reasons.push(grounds.clone());
        }
    }
}

/// The worst verdict that passes, if the check is an exception.
fn accepted(check: &Check) -> Option<Verdict> {
    match check.text("accept")? {
        "refuted" => Some(Verdict::Refuted),
        "undecided" => Some(Verdict::Undecided),
        _ => None,
    }
}

/// What is said about an exception.
fn exception(check: &Check, is_in_time: bool) -> Option<String> {
    let accepted = accepted(check)?.word();
    let why = check.text("why").map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    Some(match (check.text("expires"), is_in_time) {
        (Some(day), false) => {
            format!("`{accepted}` was accepted until {day} and counts again{why}")
        }
        (Some(day), true) => format!("`{accepted}` is accepted until {day}{why}"),
        (None, _) => format!("`{accepted}` is accepted{why}"),
    })
}

/// The report of a check that did not run.
fn could_not_run(check: &Check, input: &str, refusal: &Refusal) -> Neutral {
    let declared = catalogue::explain(refusal.code);
    let reason = declared
        .first()
        .map_or(RunReason::CliUsage.reason(), |(_, reason)| reason);
    Neutral {
        verifier: check.verifier.name,
        subject: input.to_owned(),
        verdict: Verdict::Undecided,
        summary: format!("the check could not run: {}", refusal.message),
        outcomes: vec![Outcome {
            place: Some(Place {
                path: check.file.clone(),
                line: u64::try_from(check.line).ok(),
                column: None,
                end_line: None,
            }),
            ..Outcome::new(
                UnitId::numbered('c', 0),
                format!("the check `{}` runs", check.name),
                Verdict::Undecided,
                vec![Grounds {
                    reason,
                    message: format!("{}; {}", refusal.message, refusal.help),
                }],
            )
        }],
        notices: Vec::new(),
    }
}

/// The files of the project that units point at: they decided claims, and no check names them.
pub(super) fn evidence(finished: &[Finished<'_>], root: &Path) -> BTreeSet<PathBuf> {
    let outcomes = finished.iter().flat_map(|one| &one.report.outcomes);
    let places = outcomes.filter_map(|outcome| outcome.place.as_ref());
    let is_inside = |path: &&Path| {
        let mut parts = path.components();
        parts.all(|part| matches!(part, Component::Normal(_)))
    };
    let paths = places.map(|place| Path::new(&place.path)).filter(is_inside);
    let files = paths.map(|path| root.join(path));
    // no link leads out of the project
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let is_ours = |path: &PathBuf| {
        path.canonicalize()
            .is_ok_and(|path| path.starts_with(&real) && path.is_file())
    };
    files.filter(is_ours).collect()
}

/// What is reported of checks that were not asked for, because nothing of them has changed.
pub(super) fn left_out(names: &[String], policy: &str) -> Option<Neutral> {
    let first = names.first()?;
    let summary = match names.len() {
        1 => format!("not run, because its files have not changed: {first}"),
        _ => format!(
            "not run, because their files have not changed: {}",
            names.join(", ")
        ),
    };
    Some(Neutral {
        verifier: "ci",
        subject: policy.to_owned(),
        verdict: Verdict::Confirmed,
        summary,
        outcomes: Vec::new(),
        notices: Vec::new(),
    })
}

/// The exit code of the whole run: the worst of its parts.
pub(super) fn exit_code(finished: &[Finished<'_>]) -> u8 {
    let worst = [EXIT_COULD_NOT_RUN, 1, 2].into_iter();
    let mut worst = worst.filter(|code| finished.iter().any(|one| one.exit == *code));
    worst.next().unwrap_or(0)
}

/// The verdict of each check, for the ledger.
pub(super) fn verdicts(finished: &[Finished<'_>]) -> BTreeMap<String, String> {
    let mut worst: BTreeMap<&str, Verdict> = BTreeMap::new();
    for one in finished {
        let held = worst.entry(&one.check.name).or_insert(Verdict::Confirmed);
        *held = (*held).max(one.report.verdict);
    }
    let note =
        |(name, verdict): (&str, Verdict)| (format!("{CHECK_NOTE}{name}"), verdict.word().into());
    worst.into_iter().map(note).collect()
}

/// All reports as one, for the ledger.
pub(super) fn merged(finished: &[Finished<'_>], policy: String) -> Neutral {
    let reports = || finished.iter().map(|one| &one.report);
    let unit = |one: &Finished<'_>, outcome: &Outcome| {
        let name = format!("{}/{}", one.check.name, outcome.unit);
        Outcome {
            unit: UnitId::try_from(name).unwrap_or_else(|_| outcome.unit.clone()),
            ..outcome.clone()
        }
    };
    let failed = finished.iter().filter(|one| one.exit != 0).count();
    Neutral {
        verifier: "ci",
        subject: policy,
        verdict: Verdict::roll_up(reports().map(|report| report.verdict)),
        summary: format!("{} runs, {failed} did not pass", finished.len()),
        outcomes: finished
            .iter()
            .flat_map(|one| one.report.outcomes.iter().map(|outcome| unit(one, outcome)))
            .collect(),
        notices: reports()
            .flat_map(|report| report.notices.clone())
            .collect(),
    }
}
