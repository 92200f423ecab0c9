//! The record of a verification: metadata, log, warnings, a notification
//! (workspace 4, 15).

use std::time::Duration;

use super::VerificationPlan;
use crate::config::Depth;
use crate::error::WorkspaceError;
use crate::observe::notify;
use crate::read::metadata::VerificationRecord;
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
            let record = VerificationRecord {
                last_status: Some(result.status),
                last_time: Some(now.to_owned()),
                attempts: attempt,
                ..old
            };
            state::set_record(document, &record);
        })?;
        Ok(attempt)
    }

    pub(super) fn log(&self, record: &LogRecord, voice: &mut Voice<'_>) {
        let (folder, name) = (&self.workspace.folder, &self.workspace.name);
        if let Err(error) = log::append(folder, record) {
            voice.warn(&format!("Warning: cannot write {}: {error}", log::LOG_FILE));
        }
        if let Some(warning) = log::repeated_trouble(&log::latest(folder), name) {
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
        let body = format!(
            "{line}\n\nWorkspace: {}\nDepth: {}\nIssues: {}\nAttempt: {attempt}\nReport: {}\n",
            self.workspace.name,
            self.depth.word(),
            result.issue_count,
            result.report_path
        );
        if let Err(why) = notify::send(address, title, priority, &body) {
            voice.warn(&format!("Warning: notification not sent: {why}"));
        }
    }

    /// The record of a verification that has not ended: until it does, an error.
    pub(super) fn begun_record(&self) -> LogRecord {
        let metadata = &self.workspace.metadata;
        let before = metadata.verification.as_ref();
        LogRecord {
            workspace: self.workspace.name.clone(),
            depth: self.depth.word().to_owned(),
            mode: metadata.mode.word().to_owned(),
            trigger: if self.run.is_some() { "auto" } else { "manual" }.to_owned(),
            judge: self.judge.clone(),
            outcome: "error".to_owned(),
            guards: self.guards.word().to_owned(),
            attempt: before.map_or(0, |record| record.attempts),
            ..LogRecord::default()
        }
    }
}
