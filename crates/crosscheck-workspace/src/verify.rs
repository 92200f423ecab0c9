//! One verification, from the lock to the verdict (workspace 2): read the
//! instructions, call the judge, check the facts, decide, record.

mod declared;
mod look;
mod place;
mod record;
pub(crate) mod remembered;
mod tamper;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crosscheck_core::clock::Clock;
use crosscheck_core::digest::Digest;
use crosscheck_core::interrupt;

use crate::config::{Depth, Guards};
use crate::error::WorkspaceError;
use crate::judge::Report;
use crate::judge::findings::{ReportFacts, final_status, findings};
use crate::observe::criteria::{self, CriterionSeen, Ground};
use crate::observe::evidence::{self, ClaimSeen};
use crate::observe::fresh::{self, ReportPlace};
use crate::observe::lock::{LockPurpose, WorkspaceLock};
use crate::plan::path_claim::PathClaim;
use crate::read::acceptance::Criterion;
use crate::read::{status, time};
use crate::report::log::{self, LogRecord};
use crate::report::result::{Audit, ClaimCounts, JudgeSeen, VerificationResult};
use crate::voice::Voice;
use crate::workspace::Workspace;
pub(crate) use declared::preflight;
use remembered::Remembered;
pub(crate) use tamper::Inputs;

/// The settings of a verification; `None` means the configured value.
#[derive(Debug, Clone, Default)]
pub struct VerificationOptions {
    /// How thorough the check is.
    pub depth: Option<Depth>,
    /// The path of the report: absolute, or relative to the workspace.
    pub report_path: Option<PathBuf>,
    /// Skip permission prompts, for this call only.
    pub skip_permissions: bool,
    /// Another acceptance file, absolute.
    pub acceptance: Option<PathBuf>,
    /// Wait for another verification to end.
    pub wait: bool,
}

/// The state at the start of a run, to compare with later.
#[derive(Debug)]
pub(crate) struct RunStart<'w> {
    pub(crate) inputs: Inputs,
    pub(crate) base: Option<String>,
    /// Instructions and criteria, of this run and of those before it.
    pub(crate) asked_for: Remembered<'w>,
}

/// The final settings of one verification.
struct VerificationPlan<'w> {
    workspace: &'w Workspace,
    options: &'w VerificationOptions,
    depth: Depth,
    guards: Guards,
    judge: String,
    time: Option<Duration>,
    run: Option<&'w RunStart<'w>>,
}

/// The result of the judge, and what changed meanwhile.
struct Judged {
    bytes: Vec<u8>,
    /// What the bytes say: read from the judge's words, or known because we
    /// wrote them.
    report: Report,
    /// Keeps the older report until the new one has its verdict.
    place: Option<ReportPlace>,
    seen: JudgeSeen,
    /// The criteria, if they were evaluated for the report.
    criteria: Option<Vec<CriterionSeen>>,
    inputs_changed: Vec<String>,
    /// `None` when the files could not be compared.
    project_changed: Option<Vec<PathBuf>>,
}

/// Verifies a workspace. With a verdict, metadata and log are updated and a
/// notification is sent; without one only the log is written.
pub(crate) fn verify(
    workspace: &Workspace,
    options: &VerificationOptions,
    run: Option<&RunStart<'_>>,
    voice: &mut Voice<'_>,
    clock: &Arc<dyn Clock>,
) -> Result<VerificationResult, WorkspaceError> {
    let instructions = workspace.instructions()?;
    let settings = &workspace.settings;
    let seconds = settings.chosen.timeout_seconds;
    let plan = VerificationPlan {
        workspace,
        options,
        depth: options.depth.unwrap_or_else(|| settings.depth()),
        guards: settings.guards(),
        judge: settings.chosen.judge.clone(),
        time: (seconds > 0).then(|| Duration::from_secs(seconds)),
        run,
    };
    let now = time::stamp(clock.now());
    let _lock = WorkspaceLock::take(
        LockPurpose::Verify,
        &workspace.folder,
        &workspace.name,
        options.wait || run.is_some(),
        &now,
    )?;
    // a run has already given them
    if run.is_none() {
        workspace.settings.tell(voice);
    }
    let started = Instant::now();
    let begun = plan.begun_record();
    let _on_interrupt = {
        let (folder, clock) = (workspace.folder.clone(), Arc::clone(clock));
        let record = begun.clone();
        interrupt::on_interrupt(move || {
            let record = record.failed("interrupted", started, &*clock);
            let _ = log::append(&folder, &record);
        })
    };
    let ended = |llm_exit| LogRecord { llm_exit, ..begun };
    let asked_for = plan.remember(&now)?;
    let changed_before = plan.changed_before(asked_for.as_ref());
    let verdict = plan.verdict(&instructions, changed_before, voice);
    drop(asked_for);
    let result = match verdict {
        Ok(result) => result,
        Err(error) => {
            // a verification of a run counts as begun, whatever stops it
            let code = error.log_code().or(run.is_some().then_some("io"));
            if let Some(code) = code {
                let record = ended(error.llm_exit).failed(code, started, &**clock);
                plan.log(&record, voice);
            }
            return Err(error);
        }
    };
    let ended = ended(result.llm_exit);
    let attempt = match plan.record(&result, &time::stamp(clock.now())) {
        Ok(attempt) => attempt,
        Err(error) => {
            plan.log(&ended.failed("io", started, &**clock), voice);
            return Err(error);
        }
    };
    let record = ended.finished(&result, attempt, started, &**clock);
    plan.log(&record, voice);
    plan.warn_if_slow(started.elapsed(), voice);
    plan.notify(&result, attempt, voice);
    Ok(result)
}

impl VerificationPlan<'_> {
    /// Keeps the hashes of instructions and criteria while the judge runs; a
    /// run does so for its whole duration.
    fn remember(&self, now: &str) -> Result<Option<Remembered<'_>>, WorkspaceError> {
        let looks = self.guards != Guards::Off && self.run.is_none() && self.judge != "none";
        looks
            .then(|| Remembered::start(self.workspace, now, false))
            .transpose()
    }

    /// Inputs that had already changed before the judge is called.
    fn changed_before(&self, asked_for: Option<&Remembered<'_>>) -> Vec<String> {
        let own = self.options.acceptance.is_none();
        let asked_for = asked_for.or(self.run.map(|run| &run.asked_for));
        let mut changes =
            asked_for.map_or_else(|| remembered::pending(self.workspace), Remembered::changes);
        changes.retain(|name| own || name != tamper::ACCEPTANCE);
        changes
    }

    fn verdict(
        &self,
        instructions: &[u8],
        changed_before: Vec<String>,
        voice: &mut Voice<'_>,
    ) -> Result<VerificationResult, WorkspaceError> {
        let (target, declared) = declared::settle(self.workspace, self.options)?;
        fresh::recover(&target.path);
        let (criteria, acceptance) = (&declared.criteria, declared.file.as_deref());
        let mut judged = if self.judge == "none" {
            self.offline(&target, criteria, instructions)?
        } else {
            self.ask_the_judge(&target, acceptance, voice)?
        };
        let decided = self.decide(
            &mut judged,
            criteria,
            &self.criteria_changed(changed_before, acceptance),
            instructions,
            &target.shown,
        );
        // Up to here an interruption restores the older report.
        if let Some(place) = judged.place {
            place.accept(&judged.bytes);
        }
        Ok(decided)
    }

    /// Changed inputs: found by an earlier command, or since this run began.
    fn criteria_changed(&self, before: Vec<String>, acceptance: Option<&Path>) -> Vec<String> {
        let mut changed = before;
        if let Some(run) = self.run {
            let now = Inputs::take(self.workspace, acceptance).asked_for();
            changed.extend(run.inputs.differences(&now));
        }
        changed.sort();
        changed.dedup();
        changed
    }

    fn decide(
        &self,
        judged: &mut Judged,
        criteria: &[Criterion],
        criteria_changed: &[String],
        instructions: &[u8],
        path: &Path,
    ) -> VerificationResult {
        let seen = judged.criteria.take();
        let report = &judged.report;
        let report_status = report.parsed.status;
        let digest = Digest::of(&judged.bytes).hex();
        if self.guards == Guards::Off {
            let exit = judged.seen.exit_code;
            return VerificationResult::new(report, report_status, path, None, digest, exit);
        }
        let set_aside = judged.place.as_ref().and_then(ReportPlace::set_aside);
        let ground = Ground {
            set_aside: set_aside.as_deref(),
            ..self.workspace.ground()
        };
        let criteria_seen = seen.unwrap_or_else(|| criteria::evaluate(criteria, ground));
        let claims: Vec<(PathClaim, ClaimSeen)> = report
            .claims
            .iter()
            .map(|claim| (claim.clone(), evidence::look(claim, ground)))
            .collect();
        let facts = ReportFacts {
            report,
            criteria: &criteria_seen,
            claims: &claims,
            inputs_changed: &judged.inputs_changed,
            criteria_changed,
            accept_with: &format!(
                "{} accept-criteria {}",
                self.workspace.program, self.workspace.name
            ),
            project_changed: judged.project_changed.as_deref(),
            status: &status::load(&self.workspace.folder),
            no_changes: tamper::nothing_changed(self.workspace, self.run, criteria),
        };
        let findings = findings(&facts, self.guards);
        let status = final_status(report_status, &findings, self.guards);
        let count = |is: &dyn Fn(&ClaimSeen) -> bool| {
            let claims = claims.iter().map(|(_, seen)| seen);
            claims.filter(|seen| is(seen)).count()
        };
        let audit = Audit {
            report_status,
            guards: self.guards,
            findings,
            claims: ClaimCounts {
                checked: count(&|seen| *seen != ClaimSeen::Outside),
                missing: count(&|seen| *seen == ClaimSeen::Missing),
            },
            criteria: criteria_seen,
            report_sha256: digest.clone(),
            instructions_sha256: Digest::of(instructions).hex(),
            judge: judged.seen.clone(),
        };
        let exit = judged.seen.exit_code;
        VerificationResult::new(report, status, path, Some(audit), digest, exit)
    }
}
