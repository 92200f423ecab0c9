//! One verification, from the lock to the verdict: read what was asked for,
//! let the judge look, look ourselves, decide, record.

mod declared;
mod place;
mod record;
mod tamper;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crosscheck_core::clock::Clock;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::{drain_limited, open_regular, write_atomic};
use crosscheck_core::interrupt;

use crate::config::{Depth, Guards, OutputLevel};
use crate::console::Voice;
use crate::error::WorkspaceError;
use crate::judge::claims::PathClaim;
use crate::judge::findings::{Facts, final_status, findings};
use crate::judge::{Report, Status};
use crate::observe::criteria::{self, CriterionSeen};
use crate::observe::evidence::{self, ClaimSeen};
use crate::observe::fresh::{self, ReportPlace};
use crate::observe::llm::{Call, Llm};
use crate::observe::lock::{Lock, Purpose};
use crate::plan::prompt::{self, VerifyPrompt};
use crate::read::acceptance::Criterion;
use crate::read::{status, time};
use crate::report::human;
use crate::report::log;
use crate::report::offline::{self, OfflineFacts};
use crate::report::result::{Audit, ClaimCounts, JudgeSeen, VerificationResult};
use crate::workspace::Workspace;
pub(crate) use declared::preflight;
use place::ReportTarget;
pub(crate) use tamper::Inputs;
use tamper::project_snapshot;

const REPORT_LIMIT: u64 = 16 << 20;

/// What a verification is asked to do; `None` is whatever the settings say.
#[derive(Debug, Clone, Default)]
pub struct VerificationOptions {
    /// How thoroughly to look.
    pub depth: Option<Depth>,
    /// Where the report belongs: absolute, or relative to the workspace.
    pub report_path: Option<PathBuf>,
    /// Skip permission prompts, for this call only.
    pub skip_permissions: bool,
    /// Who judges.
    pub judge: Option<String>,
    /// How far a passing report is believed.
    pub guards: Option<Guards>,
    /// Another acceptance file, absolute.
    pub acceptance: Option<PathBuf>,
    /// Seconds for the LLM; 0 is no limit.
    pub timeout: Option<u64>,
    /// Wait for another verification to end.
    pub wait: bool,
}

/// What a run knew when it started, to be held against what is found later.
#[derive(Debug, Clone)]
pub struct RunStart {
    pub(crate) inputs: Inputs,
    pub(crate) base: Option<String>,
}

/// A finished verification.
#[derive(Debug)]
pub struct Verified {
    /// What is told.
    pub result: VerificationResult,
    /// The number of this attempt.
    pub attempt: u64,
}

/// The settings of one verification, settled.
struct Plan<'w> {
    workspace: &'w Workspace,
    options: &'w VerificationOptions,
    depth: Depth,
    guards: Guards,
    judge: String,
    time: Option<Duration>,
    run: Option<&'w RunStart>,
}

/// What the judge left, and what became of the world meanwhile.
struct Judged {
    bytes: Vec<u8>,
    seen: JudgeSeen,
    inputs_changed: Vec<String>,
    /// `None` when nobody could look.
    project_changed: Option<Vec<PathBuf>>,
}

/// Verifies a workspace. With a verdict, metadata and log are updated and a
/// notification is sent; without one only the log learns of it.
pub fn verify(
    workspace: &Workspace,
    options: &VerificationOptions,
    run: Option<&RunStart>,
    voice: &mut Voice<'_>,
    clock: &Arc<dyn Clock>,
) -> Result<Verified, WorkspaceError> {
    let instructions = workspace.instructions()?;
    let settings = &workspace.settings;
    let seconds = options
        .timeout
        .unwrap_or_else(|| settings.timeout_seconds());
    let plan = Plan {
        workspace,
        options,
        depth: options.depth.unwrap_or_else(|| settings.depth()),
        guards: options.guards.unwrap_or_else(|| settings.guards()),
        judge: options
            .judge
            .clone()
            .unwrap_or_else(|| settings.judge().to_owned()),
        time: (seconds > 0).then(|| Duration::from_secs(seconds)),
        run,
    };
    let now = time::stamp(clock.now());
    let _lock = Lock::take(
        Purpose::Verify,
        &workspace.folder,
        &workspace.name,
        options.wait || run.is_some(),
        &now,
    )?;
    for warning in settings.warnings() {
        voice.warn(&format!("Warning: {warning}"));
    }
    let started = Instant::now();
    let blank = plan.blank_record();
    let _on_interrupt = {
        let (folder, clock, blank) = (workspace.folder.clone(), Arc::clone(clock), blank.clone());
        interrupt::on_interrupt(move || {
            let record = blank.failed("interrupted", None, started, &*clock);
            let _ = log::append(&folder, &record);
        })
    };
    let verdict = plan.verdict(&instructions, voice);
    voice.idle();
    let (result, llm_exit) = match verdict {
        Ok(verdict) => verdict,
        Err(error) => {
            // what a run asks for has begun, whatever stops it
            if run.is_some() || error.belongs_in_log() {
                plan.log(
                    &blank.failed(error.log_code(), error.llm_exit(), started, &**clock),
                    voice,
                );
            }
            return Err(error);
        }
    };
    let attempt = match plan.record(&result, &time::stamp(clock.now())) {
        Ok(attempt) => attempt,
        Err(error) => {
            plan.log(&blank.failed("io", llm_exit, started, &**clock), voice);
            return Err(error);
        }
    };
    plan.log(
        &blank.finished(&result, llm_exit, attempt, started, &**clock),
        voice,
    );
    plan.warn_if_slow(started.elapsed(), voice);
    plan.notify(&result, attempt, voice);
    Ok(Verified { result, attempt })
}

impl Plan<'_> {
    fn verdict(
        &self,
        instructions: &[u8],
        voice: &mut Voice<'_>,
    ) -> Result<(VerificationResult, Option<i32>), WorkspaceError> {
        let (target, declared) = declared::settle(self.workspace, self.options)?;
        fresh::recover(&target.path);
        let (criteria, acceptance) = (&declared.criteria, declared.file.as_deref());
        let (judged, seen) = if self.judge == "none" {
            self.offline(&target, criteria, instructions)?
        } else {
            self.ask_the_judge(&target, acceptance, voice)?
        };
        Ok(self.decide(
            &judged,
            seen,
            criteria,
            acceptance,
            instructions,
            &target.shown,
        ))
    }

    fn ask_the_judge(
        &self,
        target: &ReportTarget,
        acceptance: Option<&Path>,
        voice: &mut Voice<'_>,
    ) -> Result<(Judged, Option<Vec<CriterionSeen>>), WorkspaceError> {
        let workspace = self.workspace;
        let llm = Llm::of(&workspace.settings, &self.judge)?;
        if self.run.is_none() && self.options.skip_permissions && !llm.skips_permissions() {
            voice.warn("⚠️  Using --dangerously-skip-permissions (runtime override)");
        }
        voice.say(&human::opening(&workspace.name));
        target.make_folder(voice);
        if self.run.is_none() {
            llm.probe(&workspace.project)?; // a run has asked already
        }
        let prompt = VerifyPrompt {
            name: &workspace.name,
            workspace: &workspace.folder,
            project: &workspace.project,
            report: &target.path,
            mode: workspace.metadata.mode,
            depth: self.depth,
            writes_file: llm.writes_file(),
        }
        .text();
        let system = prompt::system(&workspace.project, &workspace.folder);
        let looks = self.guards != Guards::Off;
        let before = looks.then(|| {
            (
                Inputs::take(workspace, acceptance),
                project_snapshot(workspace),
            )
        });
        let place = ReportPlace::clear(&target.path, target.was_typed)?;
        let call = Call {
            phase: "verify",
            prompt: &prompt,
            system: &system,
            project: &workspace.project,
            workspace: &workspace.folder,
            report: Some(&target.path),
            skip_permissions: self.options.skip_permissions,
            time: self.time,
        };
        let answer = llm.call(&call, voice)?;
        let bytes = collect(&llm, place, &target.shown, &answer)?;
        let (inputs_changed, project_changed) = match before {
            None => (Vec::new(), Some(Vec::new())),
            Some((inputs, project)) => (
                inputs.differences(&Inputs::take(workspace, acceptance)),
                tamper::project_differences(workspace, project, &target.path, acceptance),
            ),
        };
        Ok((
            Judged {
                bytes,
                seen: JudgeSeen {
                    profile: llm.profile.clone(),
                    command: Some(llm.command.clone()),
                    exit_code: Some(0),
                    duration_ms: u64::try_from(answer.duration.as_millis()).unwrap_or(u64::MAX),
                },
                inputs_changed,
                project_changed,
            },
            None,
        ))
    }

    /// Without an LLM: criteria decide, and we write the report.
    fn offline(
        &self,
        target: &ReportTarget,
        criteria: &[Criterion],
        instructions: &[u8],
    ) -> Result<(Judged, Option<Vec<CriterionSeen>>), WorkspaceError> {
        let started = Instant::now();
        let ground = self.workspace.ground();
        let seen = criteria::evaluate(criteria, ground);
        let named: Vec<(PathClaim, ClaimSeen)> =
            tamper::named_paths(&String::from_utf8_lossy(instructions))
                .into_iter()
                .map(|claim| {
                    let seen = evidence::look(&claim, ground);
                    (claim, seen)
                })
                .collect();
        let text = offline::report(&OfflineFacts {
            criteria: &seen,
            named: &named,
            status: &status::load(&self.workspace.folder),
            changed: crate::observe::changed_files(&self.workspace.project, "HEAD")
                .ok()
                .map(|files| files.len()),
        });
        write_atomic(&target.path, text.as_bytes()).map_err(|error| WorkspaceError::io(&error))?;
        let judged = Judged {
            bytes: text.into_bytes(),
            seen: JudgeSeen {
                profile: "none".to_owned(),
                command: None,
                exit_code: None,
                duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            },
            inputs_changed: Vec::new(),
            project_changed: Some(Vec::new()),
        };
        Ok((judged, Some(seen)))
    }

    fn decide(
        &self,
        judged: &Judged,
        seen: Option<Vec<CriterionSeen>>,
        criteria: &[Criterion],
        acceptance: Option<&Path>,
        instructions: &[u8],
        path: &Path,
    ) -> (VerificationResult, Option<i32>) {
        let report = Report::read(&judged.bytes);
        let report_status = report.parsed().status;
        let digest = Digest::of(&judged.bytes).hex();
        if self.guards == Guards::Off {
            return (
                VerificationResult::new(&report, report_status, path, None, digest),
                judged.seen.exit_code,
            );
        }
        let ground = self.workspace.ground();
        let criteria_seen = seen.unwrap_or_else(|| criteria::evaluate(criteria, ground));
        let claims: Vec<(PathClaim, ClaimSeen)> = if report_status == Status::Pass {
            report
                .claims()
                .iter()
                .map(|claim| (claim.clone(), evidence::look(claim, ground)))
                .collect()
        } else {
            Vec::new()
        };
        let criteria_changed = self.run.map_or_else(Vec::new, |run| {
            run.inputs
                .asked_for()
                .differences(&Inputs::take(self.workspace, acceptance).asked_for())
        });
        let facts = Facts {
            report: &report,
            criteria: &criteria_seen,
            claims: &claims,
            inputs_changed: &judged.inputs_changed,
            criteria_changed: &criteria_changed,
            project_changed: judged.project_changed.as_deref(),
            status: &status::load(&self.workspace.folder),
            no_changes: tamper::nothing_changed(self.workspace, self.run, criteria),
        };
        let findings = findings(&facts, self.guards);
        let status = final_status(report_status, &findings, self.guards);
        let looked_at = claims
            .iter()
            .filter(|(_, seen)| *seen != ClaimSeen::Outside);
        let audit = Audit {
            report_status,
            guards: self.guards,
            findings,
            claims: ClaimCounts {
                checked: looked_at.count(),
                missing: claims
                    .iter()
                    .filter(|(_, seen)| *seen == ClaimSeen::Missing)
                    .count(),
            },
            criteria: criteria_seen,
            report_sha256: digest.clone(),
            instructions_sha256: Digest::of(instructions).hex(),
            judge: judged.seen.clone(),
        };
        (
            VerificationResult::new(&report, status, path, Some(audit), digest),
            judged.seen.exit_code,
        )
    }
}

/// The fresh report, or why there is none.
fn collect(
    llm: &Llm,
    place: ReportPlace,
    shown: &Path,
    answer: &crate::observe::llm::Answer,
) -> Result<Vec<u8>, WorkspaceError> {
    let missing = |place: &ReportPlace| WorkspaceError::ReportMissing {
        path: shown.to_owned(),
        older: if place.had_older() {
            "\nAn earlier report exists at that location and was not used.\n".to_owned()
        } else {
            String::new()
        },
        output: {
            let text = answer.stdout.text();
            if text.trim().is_empty() {
                "(none)".to_owned()
            } else {
                text.trim_end().to_owned()
            }
        },
    };
    if !llm.writes_file() {
        if answer.text.trim().is_empty() {
            return Err(missing(&place));
        }
        write_atomic(place.path(), answer.text.as_bytes())
            .map_err(|error| WorkspaceError::io(&error))?;
    }
    if !place.has_new() {
        return Err(missing(&place));
    }
    let file = open_regular(place.path()).map_err(|error| WorkspaceError::io(&error))?;
    let bytes = drain_limited(file, REPORT_LIMIT)
        .map_err(|error| WorkspaceError::file("read", shown, &error))?
        .ok_or_else(|| WorkspaceError::ReportTooLarge(shown.to_owned()))?;
    place.accept();
    Ok(bytes)
}

/// Resolves the level of detail: typed over configured.
pub fn level(typed: Option<OutputLevel>, workspace: &Workspace) -> OutputLevel {
    typed.unwrap_or_else(|| workspace.settings.output_level())
}
