//! Gets a report: from the judge, or from the declared facts alone.

use std::path::Path;
use std::time::Instant;

use crosscheck_core::files::{drain_limited, open_regular, write_atomic};

use super::place::ReportTarget;
use super::tamper::{self, Inputs};
use super::{Judged, VerificationPlan};
use crate::config::Guards;
use crate::error::WorkspaceError;
use crate::judge::Report;
use crate::observe::criteria;
use crate::observe::evidence::{self, ClaimSeen};
use crate::observe::fresh::ReportPlace;
use crate::observe::llm::{Llm, LlmAnswer, LlmCall, VERIFY};
use crate::observe::snapshot::Snapshot;
use crate::plan::path_claim::PathClaim;
use crate::plan::prompt::{self, VerifyPrompt};
use crate::read::acceptance::Criterion;
use crate::read::status;
use crate::reasons::WorkspaceReason;
use crate::report::human;
use crate::report::offline::{self, OfflineFacts};
use crate::report::result::JudgeSeen;
use crate::voice::Voice;

/// The largest report that is read (workspace 17).
const REPORT_LIMIT: u64 = 16 << 20;

impl VerificationPlan<'_> {
    pub(super) fn ask_the_judge(
        &self,
        target: &ReportTarget,
        acceptance: Option<&Path>,
        voice: &mut Voice<'_>,
    ) -> Result<Judged, WorkspaceError> {
        let workspace = self.workspace;
        let llm = Llm::of(&workspace.settings, &self.judge)?;
        // a run has already said so
        llm.warn_of_skipping(self.run.is_none() && self.options.skip_permissions, voice);
        voice.say(&human::opening(&workspace.name));
        target.make_folder(voice);
        if self.run.is_none() {
            llm.probe(&workspace.project)?; // a run has already asked
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
                Snapshot::take(&workspace.project),
            )
        });
        let place = ReportPlace::clear(&target.path, target.was_typed)?;
        let call = LlmCall {
            phase: VERIFY,
            prompt: &prompt,
            system: &system,
            project: &workspace.project,
            workspace: &workspace.folder,
            report: Some(&target.path),
            skip_permissions: self.options.skip_permissions,
            time: self.time,
        };
        let answer = llm.call(&call, voice)?;
        let bytes = collect(&llm, &place, &target.shown, &answer)?;
        let (inputs_changed, project_changed) = match before {
            None => (Vec::new(), Some(Vec::new())),
            Some((inputs, project)) => (
                inputs.differences(&Inputs::take(workspace, acceptance)),
                tamper::project_differences(workspace, project, &target.path, acceptance),
            ),
        };
        Ok(Judged {
            report: Report::read(&bytes),
            bytes,
            place: Some(place),
            seen: JudgeSeen {
                profile: llm.profile.clone(),
                command: Some(llm.shape.command.clone()),
                exit_code: Some(0),
                duration_ms: u64::try_from(answer.duration.as_millis()).unwrap_or(u64::MAX),
            },
            criteria: None,
            inputs_changed,
            project_changed,
        })
    }

    /// Without an LLM: criteria decide, and we write the report.
    pub(super) fn offline(
        &self,
        target: &ReportTarget,
        criteria: &[Criterion],
        instructions: &[u8],
    ) -> Result<Judged, WorkspaceError> {
        let started = Instant::now();
        let ground = self.workspace.ground();
        let seen = criteria::evaluate(criteria, ground);
        let (named, more_named) = tamper::named_paths(&String::from_utf8_lossy(instructions));
        let named: Vec<(PathClaim, ClaimSeen)> = named
            .into_iter()
            .map(|claim| {
                let seen = evidence::look(&claim, ground);
                (claim, seen)
            })
            .collect();
        let changed = crate::observe::changed_files(&self.workspace.project, "HEAD").ok();
        let report = offline::report(&OfflineFacts {
            criteria: &seen,
            named: &named,
            more_named,
            status: &status::load(&self.workspace.folder),
            changed: changed.as_ref(),
        });
        let bytes = report.full.as_bytes().to_owned();
        write_atomic(&target.path, &bytes).map_err(|error| WorkspaceError::io(&error))?;
        Ok(Judged {
            bytes,
            report,
            place: None,
            seen: JudgeSeen {
                profile: "none".to_owned(),
                command: None,
                exit_code: None,
                duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            },
            criteria: Some(seen),
            inputs_changed: Vec::new(),
            project_changed: Some(Vec::new()),
        })
    }
}

/// The fresh report, or why there is none.
fn collect(
    llm: &Llm,
    place: &ReportPlace,
    location: &Path,
    answer: &LlmAnswer,
) -> Result<Vec<u8>, WorkspaceError> {
    let missing = || {
        let older = if place.had_older() {
            "\nAn earlier report exists at that location and was not used.\n"
        } else {
            ""
        };
        let text = answer.stdout.text();
        let output = match text.trim_end() {
            "" => "(none)",
            output => output,
        };
        let who = llm.name();
        let message = format!(
            "Verification report not generated\nExpected location: {}\n\nPossible causes:\n  \
             1. Permission prompts blocked execution\n     Try: --dangerously-skip-permissions\n  \
             2. {who} failed to understand instructions\n  \
             3. Path or permission issues preventing file write\n{older}\n{who} output:\n{output}",
            location.display()
        );
        WorkspaceError::new(WorkspaceReason::ReportMissing, message).after_exit(Some(0))
    };
    if !llm.writes_file() {
        let text = answer.stdout.text();
        if text.trim().is_empty() {
            return Err(missing());
        }
        write_atomic(place.path(), text.as_bytes()).map_err(|error| WorkspaceError::io(&error))?;
    }
    if !place.has_new() {
        return Err(missing());
    }
    let file = open_regular(place.path()).map_err(|error| WorkspaceError::io(&error))?;
    let bytes = drain_limited(file, REPORT_LIMIT)
        .map_err(|error| WorkspaceError::file("read", location, &error))?
        .ok_or_else(|| WorkspaceError::too_large(location))?;
    Ok(bytes)
}
