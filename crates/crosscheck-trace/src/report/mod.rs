//! The result of a run: the verdict, sixteen checks, failures, numbers.

mod human;
mod neutral;
mod wire;

use crosscheck_core::Verdict;
use crosscheck_core::digest::Digest;

pub use wire::VerificationReportV1;

use crate::check::Check;
use crate::finding::{Failure, Findings};
use crate::judge::{Collected, Metrics};
use crate::read::header::Header;
use crate::read::plan::Plan;
use crate::request::{Input, Policy, TraceRequest};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// It ran and found nothing.
    Passed,
    /// It found a failure.
    Failed,
    /// It could not run; that is not a pass.
    NotRun,
}

/// The result of verifying one run.
#[derive(Debug, Clone)]
pub struct TraceReport {
    subject: String,
    trace_path: String,
    plan_path: String,
    artifacts: Option<String>,
    trace_id: Option<String>,
    plan_id: Option<String>,
    policy: Policy,
    checks: [(CheckState, u64); 16],
    failures: Vec<Failure>,
    truncated: u64,
    metrics: Metrics,
    trace_bytes: u64,
    plan_nodes: u64,
    trace_sha256: Option<Digest>,
}

impl TraceReport {
    /// The report of a run; `read` is what was collected of it, with hash and length of the trace. Without
    /// that the run could not be read to its end: a check that did not fail did not run.
    pub(crate) fn new(
        request: &TraceRequest,
        header: Option<&Header>,
        plan: Option<&Plan>,
        read: Option<(Collected, Option<Digest>, u64)>,
        findings: Findings,
    ) -> Self {
        let (subject, trace_path, plan_path) = names(&request.input);
        let unfailed = match read {
            Some(_) => CheckState::Passed,
            None => CheckState::NotRun,
        };
        let checks = Check::ALL.map(|check| match findings.count(check) {
            0 => (unfailed, 0),
            count => (CheckState::Failed, count),
        });
        let (metrics, trace_sha256, trace_bytes) = read
            .map(|(collected, hash, bytes)| (collected.metrics, hash, bytes))
            .unwrap_or_default();
        let total = findings.total();
        let failures = findings.into_failures();
        let artifacts = request.artifacts.as_ref();
        Self {
            subject,
            trace_path,
            plan_path,
            artifacts: artifacts.map(|path| path.display().to_string()),
            trace_id: header.map(|header| header.id.clone()),
            plan_id: plan.map(|plan| plan.name.id.to_string()),
            policy: request.policy,
            checks,
            truncated: total - failures.len() as u64,
            failures,
            metrics,
            trace_bytes,
            plan_nodes: plan.map_or(0, |plan| plan.nodes.len() as u64),
            trace_sha256,
        }
    }

    /// Whether the run is accepted: every check ran, and none failed.
    pub fn is_accepted(&self) -> bool {
        self.checks
            .iter()
            .all(|(state, _)| *state == CheckState::Passed)
    }

    /// The neutral verdict. Fail-closed: never undecided.
    pub fn verdict(&self) -> Verdict {
        if self.is_accepted() {
            Verdict::Confirmed
        } else {
            Verdict::Refuted
        }
    }

    /// All checks in the order of the contract.
    pub fn checks(&self) -> impl Iterator<Item = (Check, CheckState)> {
        Check::ALL
            .into_iter()
            .zip(self.checks.map(|(state, _)| state))
    }

    /// The listed failures, in order.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// The id of the trace in the header.
    pub fn trace_id(&self) -> Option<&str> {
        self.trace_id.as_deref()
    }

    /// Hash of the trace file, if it was read to its end and the request or a
    /// seal needs it.
    pub fn trace_sha256(&self) -> Option<Digest> {
        self.trace_sha256
    }

    /// All failures, listed or not.
    pub fn failure_count(&self) -> u64 {
        self.failures.len() as u64 + self.truncated
    }
}

fn names(input: &Input) -> (String, String, String) {
    match input {
        Input::RunDir(folder) => (
            folder.display().to_string(),
            folder.join("trace.jsonl").display().to_string(),
            folder.join("plan.json").display().to_string(),
        ),
        Input::Files { trace, plan } => {
            let trace = trace
                .as_ref()
                .map_or_else(|| "<stdin>".to_owned(), |path| path.display().to_string());
            (trace.clone(), trace, plan.display().to_string())
        }
    }
}
