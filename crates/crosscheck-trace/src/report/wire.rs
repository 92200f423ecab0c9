//! The report as a document (trace 8). Field names and order are those of the
//! contract.

use std::collections::BTreeMap;

use crosscheck_core::digest::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CheckState, TraceReport};
use crate::canonical;
use crate::finding::{Failure, Location};
use crate::judge::Metrics;
use crate::request::Policy;

/// The document that `crosscheck trace --json` prints.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "VerificationReport")]
pub struct VerificationReportV1 {
    report_version: u8,
    verdict: VerdictV1,
    /// Fingerprint of `checks` and `failures` in this report.
    id: String,
    trace_id: Option<String>,
    plan_id: Option<String>,
    policy: &'static str,
    checks: Vec<CheckV1>,
    failures: Vec<FailureV1>,
    summary_metrics: SummaryMetricsV1,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum VerdictV1 {
    Accepted,
    Rejected,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct CheckV1 {
    name: &'static str,
    passed: bool,
    details: Option<&'static str>,
    metrics: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FailureV1 {
    severity: &'static str,
    check: &'static str,
    invariant_id: &'static str,
    code: String,
    message: String,
    location: Location,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct SummaryMetricsV1 {
    failures: u64,
    checks_failed: u64,
    checks_total: u64,
    failures_truncated: u64,
    #[serde(flatten)]
    metrics: Metrics,
    #[serde(flatten)]
    audit: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Identified<'r> {
    checks: &'r [CheckV1],
    failures: &'r [FailureV1],
}

impl From<&TraceReport> for VerificationReportV1 {
    fn from(report: &TraceReport) -> Self {
        let audit = report.policy == Policy::Audit;
        let checks: Vec<CheckV1> = report
            .checks()
            .zip(report.checks)
            .map(|((check, state), (_, count))| CheckV1 {
                name: check.name(),
                passed: state == CheckState::Passed,
                details: (state == CheckState::NotRun).then_some("not_run"),
                metrics: audit.then_some(("failures", count)).into_iter().collect(),
            })
            .collect();
        let failures: Vec<FailureV1> = report.failures.iter().map(FailureV1::from).collect();
        Self {
            report_version: 1,
            verdict: if report.is_accepted() {
                VerdictV1::Accepted
            } else {
                VerdictV1::Rejected
            },
            id: id(&checks, &failures),
            trace_id: report.trace_id.clone(),
            plan_id: report.plan_id.clone(),
            policy: report.policy.word(),
            summary_metrics: summary(report, &checks),
            checks,
            failures,
        }
    }
}

impl From<&Failure> for FailureV1 {
    fn from(failure: &Failure) -> Self {
        Self {
            severity: "error",
            check: failure.check.name(),
            invariant_id: failure.check.invariant(failure.reason),
            code: failure.reason.wire(),
            message: failure.full_message(),
            location: failure.location.clone(),
        }
    }
}

fn summary(report: &TraceReport, checks: &[CheckV1]) -> SummaryMetricsV1 {
    let metrics = &report.metrics;
    SummaryMetricsV1 {
        failures: report.failures.len() as u64,
        checks_failed: checks.iter().filter(|check| !check.passed).count() as u64,
        checks_total: checks.len() as u64,
        failures_truncated: report.truncated,
        metrics: metrics.clone(),
        audit: match report.policy {
            Policy::Strict => BTreeMap::new(),
            Policy::Audit => BTreeMap::from([
                ("evidence_files", metrics.evidence_files),
                ("markers", metrics.markers),
                ("plan_nodes", report.plan_nodes),
                ("trace_bytes", report.trace_bytes),
            ]),
        },
    }
}

fn id(checks: &[CheckV1], failures: &[FailureV1]) -> String {
    let text = serde_json::to_string(&Identified { checks, failures }).unwrap_or_default();
    match canonical::parse(&text) {
        Ok(json) => Digest::of(canonical::of_node(json.root())).hex(),
        Err(_) => String::new(), // serde_json writes JSON
    }
}
