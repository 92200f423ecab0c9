//! The steps of a run (workspace 13).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crosscheck_core::clock::Clock;

use super::watch::StatusWatch;
use super::{RunOptions, events};
use crate::error::WorkspaceError;
use crate::journal::Journal;
use crate::observe::left_over;
use crate::observe::llm::{Answer, Call, ITERATE, Llm};
use crate::observe::lock::{Lock, Purpose};
use crate::observe::snapshot::Snapshot;
use crate::plan::prompt;
use crate::read::metadata::{self, Mode};
use crate::read::status::{self, AgentStatus, STATUS_FILE, StatusSeen};
use crate::read::time;
use crate::report::{human, state};
use crate::status::WorkspaceStatus;
use crate::verify::remembered::{self, Remembered};
use crate::verify::{Inputs, RunStart, VerificationOptions, Verified, preflight, verify};
use crate::voice::Voice;
use crate::workspace::Workspace;

const AUTO_VERIFY: &str = "verification.auto_verify";
const MAX_ATTEMPTS: &str = "verification.max_attempts";

pub(super) struct Run<'r, 'v> {
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
    idle: u64,
    attempts: u64,
    last_gaps: Option<(BTreeSet<String>, Option<Snapshot>)>,
    _lock: Lock,
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
        verbose: options.verbose,
        ..VerificationOptions::default()
    }
}

impl<'r, 'v> Run<'r, 'v> {
    pub(super) fn start(
        workspace: &'r Workspace,
        options: &'r RunOptions,
        voice: &'r mut Voice<'v>,
        clock: &'r Arc<dyn Clock>,
    ) -> Result<Self, WorkspaceError> {
        let instructions = String::from_utf8_lossy(&workspace.instructions()?).into_owned();
        let now = clock.now();
        let lock = Lock::take(
            Purpose::Run,
            &workspace.folder,
            &workspace.name,
            false,
            &time::stamp(now),
        )?;
        remembered::expect_record(workspace, &lock, Purpose::Verify, &time::stamp(now))?;
        left_over::end(&workspace.folder, Purpose::Verify)?;
        workspace.tell(voice);
        let judge = workspace.settings.judge();
        let llm = Llm::of(
            &workspace.settings,
            if judge == "none" { "claude" } else { &judge },
        )?;
        llm.warn_of_skipping(options.skip_permissions, voice);
        if workspace.settings.flag(AUTO_VERIFY) && !options.no_verify {
            preflight(workspace, &verification(options))?;
        }
        llm.probe(&workspace.project)?;
        voice.keep(Journal::open(&workspace.folder, now));
        let budget = options
            .max_iterations
            .unwrap_or(workspace.metadata.max_iterations);
        voice.note("run", || {
            format!(
                "workspace: {}\nmode: {}\nmax iterations: {budget}",
                workspace.name,
                workspace.metadata.mode.word()
            )
        });
        voice.note("instructions", || instructions.clone());
        Ok(Self {
            start: RunStart {
                inputs: Inputs::take(workspace, None),
                base: crate::observe::head(&workspace.project),
                asked_for: Remembered::in_run(workspace, &time::stamp(now))?,
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
            idle: 0,
            attempts: 0,
            last_gaps: None,
            _lock: lock,
        })
    }

    pub(super) fn finish(mut self) -> Result<bool, WorkspaceError> {
        self.voice.say(&format!(
            "Running workspace: {} (at most {} iterations)\n",
            self.workspace.name, self.budget
        ));
        events::send(self.workspace, "execution_start", self.voice);
        loop {
            let is_complete = self.iterate_until_complete()?;
            if !is_complete {
                self.say_budget_is_spent();
                return Ok(self.attempts == 0);
            }
            let settings = &self.workspace.settings;
            let auto_verify = settings.flag(AUTO_VERIFY) && !self.options.no_verify;
            if !auto_verify || Some(self.attempts) >= settings.number(MAX_ATTEMPTS) {
                self.closing_lines();
                return Ok(true);
            }
            let verified = self.verify()?;
            match verified.result.status {
                WorkspaceStatus::Pass => {
                    self.closing_lines();
                    return Ok(true);
                }
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
        self.voice
            .note("iteration", || format!("{number} of {}", self.budget));
        let before = (number == 1).then(|| Snapshot::take(&workspace.project, false));
        let watch = StatusWatch::start(workspace);
        let answer = self.llm.call(
            &Call {
                phase: ITERATE,
                prompt: &prompt,
                system: &prompt::iteration_system(&workspace.project, &workspace.folder, mode),
                project: &workspace.project,
                workspace: &workspace.folder,
                report: None,
                skip_permissions: self.options.skip_permissions,
                verbose: self.options.verbose,
                time: None,
            },
            self.voice,
        );
        drop(watch);
        self.start.asked_for.keep()?;
        let answer = answer.map_err(|error| self.failed(error))?;
        if let Some(Some(before)) = before {
            self.warn_if_nothing_changed(&before, &answer);
        }
        self.done = number;
        let now = time::stamp(self.clock.now());
        state::update(&workspace.folder, |old, document| {
            let [total, _, execution] = old.iterations;
            document.set("totalIterations", total.saturating_add(1));
            document.set("executionIterations", execution.saturating_add(1));
            document.set("lastRun", &now);
        })?;
        let claim = self.read_status();
        if claim.complete || self.is_stagnant(&claim, mode) {
            self.complete()?;
            return Ok(Turn::Complete);
        }
        self.keep_in_progress()?;
        self.tell_iteration(&claim);
        Ok(Turn::Goes)
    }

    /// An agent without write permission at best says so in its answer, and
    /// would continue until the budget is used up.
    fn warn_if_nothing_changed(&mut self, before: &Snapshot, answer: &Answer) {
        let folder = &self.workspace.folder;
        let is_ours = |path: &std::path::PathBuf| {
            let path = self.workspace.project.join(path);
            path.parent() == Some(folder) && !path.ends_with(STATUS_FILE)
        };
        let after = Snapshot::take(&self.workspace.project, false);
        let changed = after.map(|after| before.differences(&after));
        if changed.is_none_or(|changed| !changed.iter().all(is_ours)) {
            return;
        }
        let why = if answer.denied.is_empty() {
            "If it was not allowed to write".to_owned()
        } else {
            format!("It was not allowed to use {}", answer.denied.join(", "))
        };
        self.voice.warn(&format!(
            "Warning: the first iteration changed no file. {why}: set claude.args to [\"--permission-mode\", \"acceptEdits\"] in your own configuration. A judge needs no write permission in a profile with report_via = \"stdout\"."
        ));
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
        self.voice.note("iteration: error", || error.to_string());
        if let Err(error) = self.mark("error") {
            self.voice.warn(&format!("Warning: {error}"));
        }
        events::send(self.workspace, "error", self.voice);
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

    fn is_stagnant(&mut self, claim: &AgentStatus, mode: Mode) -> bool {
        if mode != Mode::Iterative || claim.worked != Some(false) {
            self.idle = 0;
            return false;
        }
        self.idle += 1;
        let threshold = self
            .options
            .stagnation_threshold
            .unwrap_or(self.workspace.metadata.stagnation_threshold);
        let is_stagnant = threshold > 0 && self.idle >= threshold;
        if is_stagnant {
            self.voice.warn(&format!(
                "Warning: no work in {} iterations in a row; counting the task as complete",
                self.idle
            ));
        }
        is_stagnant
    }

    fn complete(&mut self) -> Result<(), WorkspaceError> {
        self.mark("completed")?;
        self.voice.say(&format!(
            "✓ Task completed successfully after {} iterations\n",
            self.done
        ));
        events::send_with(
            self.workspace,
            "completion",
            &format!("Iterations: {}\n", self.done),
            self.voice,
        );
        Ok(())
    }

    fn tell_iteration(&mut self, claim: &AgentStatus) {
        let remaining = claim
            .remaining()
            .map_or_else(String::new, |left| format!(" ({left} items remaining)"));
        self.voice
            .say(&format!("✓ Iteration {} complete{remaining}\n", self.done));
        let detail = format!("Iteration: {} of {}\n", self.done, self.budget);
        events::send_with(self.workspace, "iteration", &detail, self.voice);
        if self.done.is_multiple_of(10) {
            events::send_with(self.workspace, "iteration_milestone", &detail, self.voice);
        }
    }

    fn verify(&mut self) -> Result<Verified, WorkspaceError> {
        self.attempts += 1;
        let options = verification(self.options);
        let fresh = self.workspace.reread()?;
        let verified = verify(&fresh, &options, Some(&self.start), self.voice, self.clock)
            .inspect_err(|error| self.voice.note("verification: error", || error.to_string()))?;
        self.voice.note("verification: report", || {
            verified.result.full_report.clone()
        });
        human::verdict(&verified.result, self.voice.listener);
        Ok(verified)
    }

    /// Continues with the gaps; `false` when the run ends here.
    fn resume(&mut self, verified: &Verified) -> Result<bool, WorkspaceError> {
        let settings = &self.workspace.settings;
        let why_not = if !settings.flag("verification.resume_on_fail") {
            Some("verification.resumeOnFail is off")
        } else if Some(self.attempts) >= settings.number(MAX_ATTEMPTS) {
            Some("all verification attempts of this run are used")
        } else if self.done >= self.budget {
            Some("no iteration is left in this run")
        } else {
            None
        };
        let gaps = verified.result.gaps();
        // without a resume, only a second cycle has something to compare
        let is_stuck =
            (why_not.is_none() || self.last_gaps.is_some()) && self.is_without_progress(&gaps);
        if let Some(why) = why_not {
            self.say_no_resume(why);
        }
        if is_stuck {
            return Err(WorkspaceError::NoProgress);
        }
        if why_not.is_some() {
            return Ok(false);
        }
        self.task = crate::plan::resume::text(
            &gaps,
            std::path::Path::new(&verified.result.report_path),
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
        self.idle = 0;
        self.voice
            .say(&format!("\nResuming with {} gap(s) to close\n", gaps.len()));
        Ok(true)
    }

    /// The same gaps twice, and not one byte of the project changed in between.
    fn is_without_progress(&mut self, gaps: &[String]) -> bool {
        let gaps: BTreeSet<String> = gaps.iter().cloned().collect();
        let project = &self.workspace.project;
        let files = Snapshot::take(project, true);
        let is_aside = |path: &std::path::PathBuf| {
            path.starts_with(".git") || project.join(path).starts_with(&self.workspace.home)
        };
        let is_same = |before: &Option<Snapshot>| {
            let both = before.as_ref().zip(files.as_ref());
            both.is_some_and(|(before, now)| before.differences(now).iter().all(is_aside))
        };
        let last = self.last_gaps.as_ref();
        let is_stuck = last.is_some_and(|(last, before)| *last == gaps && is_same(before));
        self.last_gaps = Some((gaps, files));
        is_stuck
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

    fn closing_lines(&mut self) {
        if let Ok(now) = metadata::Metadata::load(&self.workspace.folder) {
            let [_, _, execution] = now.iterations;
            self.voice
                .say(&format!("Execution iterations: {execution}\n"));
        }
    }
}
