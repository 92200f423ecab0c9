//! The record of a verification: metadata, log, warnings, a notification
//! (workspace 4, 15).

use std::time::{Duration, Instant};

use crosscheck_core::clock::Clock;

use super::VerificationPlan;
use crate::config::Depth;
use crate::error::WorkspaceError;
use crate::observe::notify::{self, NotifyMessage};
use crate::plan::resume::short_issue;
use crate::read::metadata::VerificationRecord;
use crate::read::time;
use crate::report::log::{self, LogRecord};
use crate::report::result::VerificationResult;
use crate::report::state;
use crate::status::WorkspaceStatus;
use crate::voice::Voice;

impl VerificationPlan<'_> {
    /// Updates the metadata; returns the number of this attempt.
    pub(super) fn record(
        &self,
        result: &VerificationResult,
        now: &str,
    ) -> Result<u64, WorkspaceError> {
        let mut attempt = 0;
        state::update(&self.workspace.folder, |current, document| {
            let old = current.verification.clone().unwrap_or_default();
            attempt = old.attempts.saturating_add(1);
            state::set_record(
                document,
                &VerificationRecord {
                    last_status: Some(result.status),
                    last_time: Some(now.to_owned()),
                    attempts: attempt,
                    resume_cycles: old.resume_cycles,
                },
            );
        })?;
        Ok(attempt)
    }

    pub(super) fn log(&self, record: &LogRecord, voice: &mut Voice<'_>) {
        if let Err(error) = log::append(&self.workspace.folder, record) {
            voice.warn(&format!("Warning: cannot write {}: {error}", log::LOG_FILE));
        }
        if let Some(warning) =
            log::repeated_trouble(&log::latest(&self.workspace.folder), &self.workspace.name)
        {
            voice.warn(&warning);
        }
    }

    pub(super) fn warn_if_slow(&self, took: Duration, voice: &mut Voice<'_>) {
        let bound = match self.depth {
            Depth::Quick => 60,
            Depth::Standard => 120,
            Depth::Deep => 300,
        };
        if self.judge != "none" && took > Duration::from_secs(bound) {
            voice.warn(&format!(
                "Warning: this {} verification took {} s; more than {bound} s is too slow for its depth",
                self.depth.word(),
                took.as_secs()
            ));
        }
    }

    pub(super) fn notify(&self, result: &VerificationResult, attempt: u64, voice: &mut Voice<'_>) {
        let chosen = &self.workspace.settings.chosen;
        let address = chosen.notify_url.as_ref();
        let Some(address) = address.filter(|_| chosen.notify_on_verification) else {
            return;
        };
        let (title, priority, line) = match result.status {
            WorkspaceStatus::Pass => ("Verification Passed", "default", "VERIFICATION PASSED ✅"),
            WorkspaceStatus::Fail => ("Verification Failed", "high", "VERIFICATION FAILED ❌"),
            WorkspaceStatus::NeedsReview => (
                "Verification Needs Review",
                "high",
                "VERIFICATION NEEDS REVIEW ⚠\u{FE0F}",
            ),
        };
        let message = NotifyMessage {
            title,
            priority,
            tags: "crosscheck,verification",
            body: format!(
                "{line}\n\nWorkspace: {}\nDepth: {}\nIssues: {}\nAttempt: {attempt}\nReport: {}\n",
                self.workspace.name,
                self.depth.word(),
                result.issue_count,
                result.report_path
            ),
        };
        if let Err(why) = notify::send(address, &message) {
            voice.warn(&format!("Warning: notification not sent: {why}"));
        }
    }

    pub(super) fn blank_record(&self) -> BlankRecord {
        BlankRecord(LogRecord {
            time: String::new(),
            workspace: self.workspace.name.clone(),
            depth: self.depth.word().to_owned(),
            mode: self.workspace.metadata.mode.word().to_owned(),
            trigger: if self.run.is_some() { "auto" } else { "manual" }.to_owned(),
            judge: self.judge.clone(),
            outcome: "error".to_owned(),
            report_status: None,
            error_code: None,
            issue_count: 0,
            issues: Vec::new(),
            duration_ms: 0,
            llm_exit: None,
            report_sha256: None,
            guards: self.guards.word().to_owned(),
            findings: Vec::new(),
            attempt: self
                .workspace
                .metadata
                .verification
                .as_ref()
                .map_or(0, |record| record.attempts),
        })
    }
}

/// A log record without its result.
#[derive(Clone)]
pub(super) struct BlankRecord(LogRecord);

impl BlankRecord {
    fn ended(&self, started: Instant, clock: &dyn Clock) -> LogRecord {
        LogRecord {
            time: time::stamp(clock.now()),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..self.0.clone()
        }
    }

    pub(super) fn failed(
        &self,
        code: &str,
        llm_exit: Option<i32>,
        started: Instant,
        clock: &dyn Clock,
    ) -> LogRecord {
        LogRecord {
            error_code: Some(code.to_owned()),
            llm_exit,
            ..self.ended(started, clock)
        }
    }

    pub(super) fn finished(
        &self,
        result: &VerificationResult,
        llm_exit: Option<i32>,
        attempt: u64,
        started: Instant,
        clock: &dyn Clock,
    ) -> LogRecord {
        let audit = result.audit.as_ref();
        LogRecord {
            outcome: result.status.word().to_owned(),
            report_status: Some(
                audit
                    .map_or(result.status, |audit| audit.report_status)
                    .word()
                    .to_owned(),
            ),
            issue_count: result.issue_count,
            issues: result
                .issues
                .iter()
                .map(|issue| short_issue(issue))
                .collect(),
            llm_exit,
            report_sha256: Some(result.report_digest.clone()),
            findings: audit.map_or_else(Vec::new, |audit| {
                audit
                    .findings
                    .iter()
                    .map(|finding| finding.code.code().to_owned())
                    .collect()
            }),
            attempt,
            ..self.ended(started, clock)
        }
    }
}
