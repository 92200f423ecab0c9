//! The steps of a run (workspace 13).

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crosscheck_core::clock::Clock;

use super::RunOptions;
use crate::error::WorkspaceError;
use crate::observe::llm::{ITERATE, Llm, LlmCall};
use crate::observe::lock::{LockPurpose, WorkspaceLock};
use crate::plan::prompt;
use crate::read::metadata;
use crate::read::status::{self, AgentStatus, StatusSeen};
use crate::read::time;
use crate::report::result::VerificationResult;
use crate::report::{human, state};
use crate::status::WorkspaceStatus;
use crate::verify::remembered::Remembered;
use crate::verify::{Inputs, RunStart, VerificationOptions, preflight, verify};
use crate::voice::Voice;
use crate::workspace::Workspace;

pub(super) struct WorkspaceRun<'r, 'v> {
    workspace: &'r Workspace,
    options: &'r RunOptions,
    voice: &'r mut Voice<'v>,
    clock: &'r Arc<dyn Clock>,
    llm: Llm,
    start: RunStart<'r>,
    /// The instructions at the start, or the resume text.
    task: String,
    instructions: String,
    budget: u64,
    done: u64,
    attempts: u64,
    _lock: WorkspaceLock,
}

/// The state of the loop after an iteration.
enum Turn {
    Goes,
    Complete,
}

/// The settings of verifications in a run.
fn verification(options: &RunOptions) -> VerificationOptions {
    VerificationOptions {
        skip_permissions: options.skip_permissions,
        ..VerificationOptions::default()
    }
}

impl<'r, 'v> WorkspaceRun<'r, 'v> {
    pub(super) fn start(
        workspace: &'r Workspace,
        options: &'r RunOptions,
        voice: &'r mut Voice<'v>,
        clock: &'r Arc<dyn Clock>,
    ) -> Result<Self, WorkspaceError> {
        let instructions = String::from_utf8_lossy(&workspace.instructions()?).into_owned();
        let now = clock.now();
        let lock = WorkspaceLock::take(
            LockPurpose::Run,
            &workspace.folder,
            &workspace.name,
            false,
            &time::stamp(now),
        )?;
        workspace.settings.tell(voice);
        let llm = Llm::of(&workspace.settings, workspace.settings.agent())?;
        llm.warn_of_skipping(options.skip_permissions, voice);
        if workspace.settings.chosen.auto_verify && !options.no_verify {
            preflight(workspace, &verification(options))?;
        }
        llm.probe(&workspace.project)?;
        let budget = options
            .max_iterations
            .unwrap_or(workspace.metadata.max_iterations);
        Ok(Self {
            start: RunStart {
                inputs: Inputs::take(workspace, None).asked_for(),
                base: crate::observe::head(&workspace.project),
                asked_for: Remembered::start(workspace, &time::stamp(now), true)?,
            },
            workspace,
            options,
            voice,
            clock,
            llm,
            task: instructions.clone(),
            instructions,
            budget,
            done: 0,
            attempts: 0,
            _lock: lock,
        })
    }

    pub(super) fn finish(mut self) -> Result<bool, WorkspaceError> {
        self.voice.say(&format!(
            "Running workspace: {} (at most {} iterations)\n",
            self.workspace.name, self.budget
        ));
        loop {
            let is_complete = self.iterate_until_complete()?;
            if !is_complete {
                self.say_budget_is_spent();
                return Ok(self.attempts == 0);
            }
            let chosen = &self.workspace.settings.chosen;
            let auto_verify = chosen.auto_verify && !self.options.no_verify;
            if !auto_verify || self.attempts >= chosen.max_attempts {
                return Ok(true);
            }
            let verified = self.verify()?;
            match verified.status {
                WorkspaceStatus::Pass => return Ok(true),
                WorkspaceStatus::NeedsReview => {
                    self.say_no_resume("the verification needs a review by a person");
                    return Ok(false);
                }
                WorkspaceStatus::Fail => {
                    if !self.resume(&verified)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// `false` when the budget is spent first.
    fn iterate_until_complete(&mut self) -> Result<bool, WorkspaceError> {
        while self.done < self.budget {
            if let Turn::Complete = self.iterate()? {
                return Ok(true);
            }
            let delay = self.options.delay.unwrap_or(self.workspace.metadata.delay);
            if self.done < self.budget && delay > 0 {
                thread::sleep(Duration::from_secs(delay)); // a signal ends the process from its own thread
            }
        }
        Ok(false)
    }

    fn iterate(&mut self) -> Result<Turn, WorkspaceError> {
        let workspace = self.workspace;
        let mode = workspace.metadata.mode;
        let prompt = prompt::iteration(&self.task, &workspace.folder, mode);
        let number = self.done + 1;
        self.voice
            .say(&format!("Iteration {number} of {}\n", self.budget));
        let answer = self.llm.call(
            &LlmCall {
                phase: ITERATE,
                prompt: &prompt,
                system: &prompt::iteration_system(&workspace.project, &workspace.folder, mode),
                project: &workspace.project,
                workspace: &workspace.folder,
                report: None,
                skip_permissions: self.options.skip_permissions,
                time: None,
            },
            self.voice,
        );
        self.start.asked_for.keep()?;
        answer.map_err(|error| self.failed(error))?;
        self.done = number;
        let now = time::stamp(self.clock.now());
        state::update(&workspace.folder, |old, document| {
            let [total, _, execution] = old.iterations;
            document.set("totalIterations", total.saturating_add(1));
            document.set("executionIterations", execution.saturating_add(1));
            document.set("lastRun", &now);
        })?;
        let claim = self.read_status();
        if claim.complete {
            self.complete()?;
            return Ok(Turn::Complete);
        }
        self.keep_in_progress()?;
        self.tell_iteration(&claim);
        Ok(Turn::Goes)
    }

    /// The result of an earlier run no longer counts once this one finds work
    /// left.
    fn keep_in_progress(&self) -> Result<(), WorkspaceError> {
        const WORD: &str = "in_progress";
        let folder = &self.workspace.folder;
        if metadata::Metadata::load(folder)?.status != WORD {
            state::update(folder, |_, document| {
                document.set("status", WORD);
            })?;
        }
        Ok(())
    }

    /// Notes how the run stands, and that it ran now.
    fn mark(&self, status: &str) -> Result<(), WorkspaceError> {
        let now = time::stamp(self.clock.now());
        state::update(&self.workspace.folder, |_, document| {
            document.set("status", status);
            document.set("lastRun", &now);
        })
        .map(drop)
    }

    fn failed(&mut self, error: WorkspaceError) -> WorkspaceError {
        if let Err(error) = self.mark("error") {
            self.voice.warn(&format!("Warning: {error}"));
        }
        error
    }

    fn read_status(&mut self) -> AgentStatus {
        let seen = status::load(&self.workspace.folder);
        match &seen {
            StatusSeen::Valid(_) => {}
            StatusSeen::Absent => self.voice.warn("Warning: the agent left no .status.json; counting this iteration as not complete"),
            StatusSeen::Invalid(why) => self.voice.warn(&format!("Warning: .status.json is not valid ({why}); counting this iteration as not complete")),
        }
        seen.claim()
    }

    fn complete(&mut self) -> Result<(), WorkspaceError> {
        self.mark("completed")?;
        self.voice.say(&format!(
            "✓ Task completed successfully after {} iterations\n",
            self.done
        ));
        Ok(())
    }

    fn tell_iteration(&mut self, claim: &AgentStatus) {
        let remaining = claim
            .remaining()
            .map_or_else(String::new, |left| format!(" ({left} items remaining)"));
        self.voice
            .say(&format!("✓ Iteration {} complete{remaining}\n", self.done));
    }

    fn verify(&mut self) -> Result<VerificationResult, WorkspaceError> {
        self.attempts += 1;
        let options = verification(self.options);
        let fresh = self.workspace.reread()?;
        let verified = verify(&fresh, &options, Some(&self.start), self.voice, self.clock)?;
        human::verdict(&verified, self.voice.listener);
        Ok(verified)
    }

    /// Continues with the gaps; `false` when the run ends here.
    fn resume(&mut self, verified: &VerificationResult) -> Result<bool, WorkspaceError> {
        let chosen = &self.workspace.settings.chosen;
        let why_not = if !chosen.resume_on_fail {
            Some("verification.resumeOnFail is off")
        } else if self.attempts >= chosen.max_attempts {
            Some("all verification attempts of this run are used")
        } else if self.done >= self.budget {
            Some("no iteration is left in this run")
        } else {
            None
        };
        if let Some(why) = why_not {
            self.say_no_resume(why);
            return Ok(false);
        }
        let gaps = verified.gaps();
        self.task = crate::plan::resume::text(
            &gaps,
            std::path::Path::new(&verified.report_path),
            &self.instructions,
        );
        let now = time::stamp(self.clock.now());
        state::update(&self.workspace.folder, |old, document| {
            document.set("status", "in_progress");
            let mut record = old.verification.clone().unwrap_or_default();
            record.resume_cycles = record.resume_cycles.saturating_add(1);
            state::set_record(document, &record);
        })?;
        state::reopen(&self.workspace.folder, &now)?;
        self.voice
            .say(&format!("\nResuming with {} gap(s) to close\n", gaps.len()));
        Ok(true)
    }

    fn say_no_resume(&mut self, why: &str) {
        self.voice.say(&format!("\nNot resuming: {why}\n"));
    }

    fn say_budget_is_spent(&mut self) {
        let (program, name) = (&self.workspace.program, &self.workspace.name);
        self.voice.warn(&format!(
            "Warning: {} iterations done without completion. To continue: {program} run {name}, or with more at once: {program} run {name} --max-iterations N",
            self.done
        ));
    }
}
