//! `run` (workspace 13): iterations until the agent says complete, then a
//! verification, then more iterations if it found gaps.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crosscheck_core::Listener;
use crosscheck_core::clock::{Clock, SystemClock};

use crate::error::WorkspaceError;
use crate::observe::llm::{ITERATE, Llm, LlmCall};
use crate::observe::lock::{LockPurpose, WorkspaceLock};
use crate::plan::prompt;
use crate::read::metadata::Metadata;
use crate::read::status::{self, AgentStatus, StatusSeen};
use crate::read::time;
use crate::report::result::VerificationResult;
use crate::report::{human, state};
use crate::status::WorkspaceStatus;
use crate::verify::remembered::Remembered;
use crate::verify::{Inputs, RunStart, VerificationOptions, preflight, verify};
use crate::voice::Voice;
use crate::workspace::Workspace;

const IN_PROGRESS: &str = "in_progress";

/// The settings of a run; `None` means the value of the workspace or the
/// configuration.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// At most this many iterations, at least 1.
    pub max_iterations: Option<u64>,
    /// Seconds between iterations.
    pub delay: Option<u64>,
    /// Skip permission prompts, for this run only.
    pub skip_permissions: bool,
    /// Do not verify at the end.
    pub no_verify: bool,
}

/// Runs a workspace; `false` when a verification of this run did not pass.
pub fn run(
    workspace: &Workspace,
    options: &RunOptions,
    listener: &mut dyn Listener,
) -> Result<bool, WorkspaceError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut voice = Voice::new(listener);
    WorkspaceRun::start(workspace, options, &mut voice, &clock)?.finish()
}

struct WorkspaceRun<'r, 'v> {
    workspace: &'r Workspace,
    options: &'r RunOptions,
    /// The settings of its verifications; `None` when there are none.
    verification: Option<VerificationOptions>,
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

impl<'r, 'v> WorkspaceRun<'r, 'v> {
    fn start(
        workspace: &'r Workspace,
        options: &'r RunOptions,
        voice: &'r mut Voice<'v>,
        clock: &'r Arc<dyn Clock>,
    ) -> Result<Self, WorkspaceError> {
        let instructions = String::from_utf8_lossy(&workspace.instructions()?).into_owned();
        let now = time::stamp(clock.now());
        let (folder, name) = (&workspace.folder, &workspace.name);
        let lock = WorkspaceLock::take(LockPurpose::Run, folder, name, false, &now)?;
        workspace.settings.tell(voice);
        let llm = Llm::of(&workspace.settings, workspace.settings.agent())?;
        llm.warn_of_skipping(options.skip_permissions, voice);
        let verifies = workspace.settings.chosen.auto_verify && !options.no_verify;
        let verification = verifies.then(|| VerificationOptions {
            skip_permissions: options.skip_permissions,
            ..VerificationOptions::default()
        });
        if let Some(options) = &verification {
            preflight(workspace, options)?;
        }
        llm.probe(&workspace.project)?;
        let budget = options.max_iterations;
        Ok(Self {
            start: RunStart {
                inputs: Inputs::take(workspace, None).asked_for(),
                base: crate::observe::head(&workspace.project),
                asked_for: Remembered::start(workspace, &now, true)?,
            },
            workspace,
            options,
            verification,
            voice,
            clock,
            llm,
            task: instructions.clone(),
            instructions,
            budget: budget.unwrap_or(workspace.metadata.max_iterations),
            done: 0,
            attempts: 0,
            _lock: lock,
        })
    }

    fn finish(mut self) -> Result<bool, WorkspaceError> {
        self.voice.say(&format!(
            "Running workspace: {} (at most {} iterations)\n",
            self.workspace.name, self.budget
        ));
        loop {
            if !self.iterate_until_complete()? {
                self.say_budget_is_spent();
                return Ok(self.attempts == 0);
            }
            let most = self.workspace.settings.chosen.max_attempts;
            let options = self.verification.clone();
            let Some(options) = options.filter(|_| self.attempts < most) else {
                return Ok(true);
            };
            let verified = self.verify(&options)?;
            if verified.status == WorkspaceStatus::Pass {
                return Ok(true);
            }
            if let Some(why) = self.why_not_resume(verified.status) {
                self.voice.say(&format!("\nNot resuming: {why}\n"));
                return Ok(false);
            }
            self.resume(&verified)?;
        }
    }

    /// `false` when the budget is spent first.
    fn iterate_until_complete(&mut self) -> Result<bool, WorkspaceError> {
        while self.done < self.budget {
            if self.iterate()? {
                return Ok(true);
            }
            let delay = self.options.delay.unwrap_or(self.workspace.metadata.delay);
            if self.done < self.budget && delay > 0 {
                thread::sleep(Duration::from_secs(delay)); // a signal ends the process from its own thread
            }
        }
        Ok(false)
    }

    /// Whether the agent says complete.
    fn iterate(&mut self) -> Result<bool, WorkspaceError> {
        let workspace = self.workspace;
        let (folder, mode) = (&workspace.folder, workspace.metadata.mode);
        let number = self.done + 1;
        self.voice
            .say(&format!("Iteration {number} of {}\n", self.budget));
        let answer = self.llm.call(
            &LlmCall {
                phase: ITERATE,
                prompt: &prompt::iteration(&self.task, folder, mode),
                system: &prompt::iteration_system(&workspace.project, folder, mode),
                project: &workspace.project,
                workspace: folder,
                report: None,
                skip_permissions: self.options.skip_permissions,
                time: None,
            },
            self.voice,
        );
        self.start.asked_for.keep()?;
        if let Err(error) = answer {
            if let Err(error) = self.mark("error") {
                self.voice.warn(&format!("Warning: {error}"));
            }
            return Err(error);
        }
        self.done = number;
        let now = time::stamp(self.clock.now());
        let counted = state::update(folder, |old, document| {
            let [total, _, execution] = old.iterations;
            document.set("totalIterations", total.saturating_add(1));
            document.set("executionIterations", execution.saturating_add(1));
            document.set("lastRun", &now);
        })?;
        let claim = self.read_status();
        if claim.complete {
            self.mark("completed")?;
            self.voice.say(&format!(
                "✓ Task completed successfully after {number} iterations\n"
            ));
        } else {
            self.keep_in_progress(&counted)?;
            let left = claim.remaining();
            let left = left.map_or_else(String::new, |left| format!(" ({left} items remaining)"));
            self.voice
                .say(&format!("✓ Iteration {number} complete{left}\n"));
        }
        Ok(claim.complete)
    }

    /// The result of an earlier run no longer counts once this one finds work
    /// left.
    fn keep_in_progress(&self, now: &Metadata) -> Result<(), WorkspaceError> {
        if now.status != IN_PROGRESS {
            state::update(&self.workspace.folder, |_, document| {
                document.set("status", IN_PROGRESS);
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

    fn read_status(&mut self) -> AgentStatus {
        let seen = status::load(&self.workspace.folder);
        let problem = match &seen {
            StatusSeen::Valid(_) => None,
            StatusSeen::Absent => Some("the agent left no .status.json".to_owned()),
            StatusSeen::Invalid(why) => Some(format!(".status.json is not valid ({why})")),
        };
        if let Some(problem) = problem {
            self.voice.warn(&format!(
                "Warning: {problem}; counting this iteration as not complete"
            ));
        }
        seen.claim()
    }

    fn verify(
        &mut self,
        options: &VerificationOptions,
    ) -> Result<VerificationResult, WorkspaceError> {
        self.attempts += 1;
        let fresh = self.workspace.reread()?;
        let verified = verify(&fresh, options, Some(&self.start), self.voice, self.clock)?;
        human::verdict(&verified, self.voice.listener);
        Ok(verified)
    }

    fn why_not_resume(&self, status: WorkspaceStatus) -> Option<&'static str> {
        let chosen = &self.workspace.settings.chosen;
        if status == WorkspaceStatus::NeedsReview {
            Some("the verification needs a review by a person")
        } else if !chosen.resume_on_fail {
            Some("verification.resumeOnFail is off")
        } else if self.attempts >= chosen.max_attempts {
            Some("all verification attempts of this run are used")
        } else if self.done >= self.budget {
            Some("no iteration is left in this run")
        } else {
            None
        }
    }

    /// Continues with the gaps.
    fn resume(&mut self, verified: &VerificationResult) -> Result<(), WorkspaceError> {
        let gaps = verified.gaps();
        let report = Path::new(&verified.report_path);
        self.task = crate::plan::resume::text(&gaps, report, &self.instructions);
        let now = time::stamp(self.clock.now());
        state::update(&self.workspace.folder, |old, document| {
            document.set("status", IN_PROGRESS);
            let mut record = old.verification.clone().unwrap_or_default();
            record.resume_cycles = record.resume_cycles.saturating_add(1);
            state::set_record(document, &record);
        })?;
        state::reopen(&self.workspace.folder, &now)?;
        self.voice
            .say(&format!("\nResuming with {} gap(s) to close\n", gaps.len()));
        Ok(())
    }

    fn say_budget_is_spent(&mut self) {
        let (program, name) = (&self.workspace.program, &self.workspace.name);
        self.voice.warn(&format!(
            "Warning: {} iterations done without completion. To continue: {program} run {name}, or with more at once: {program} run {name} --max-iterations N",
            self.done
        ));
    }
}
