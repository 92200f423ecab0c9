//! The result object: eight keys of the seed, then the audit (workspace 11).

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Guards;
use crate::judge::findings::{Effect, FindingSeen};
use crate::judge::{Confidence, ParsedFields, Report};
use crate::observe::criteria::{CriterionOutcome, CriterionSeen};
use crate::reasons::Finding;
use crate::status::WorkspaceStatus;

/// The result of a verification.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerificationResult {
    /// The final status.
    pub status: WorkspaceStatus,
    /// The summary of the report.
    pub summary: String,
    /// The report.
    pub full_report: String,
    /// Where it lies, absolute.
    pub report_path: String,
    /// Number of issues.
    pub issue_count: usize,
    /// Names of the open requirements.
    pub issues: Vec<String>,
    /// The confidence of the report.
    pub confidence: Confidence,
    /// Its recommended action.
    pub recommended_action: String,
    /// How far the report could be checked; absent with `--guards off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
    /// SHA-256 of the report as it lies in the file, for the log.
    #[serde(skip)]
    pub(crate) report_digest: String,
    /// The exit code of the LLM, for the log.
    #[serde(skip)]
    pub(crate) llm_exit: Option<i32>,
}

/// How far the report could be checked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// From the markers of the report alone.
    pub report_status: WorkspaceStatus,
    /// How far it is trusted.
    pub guards: Guards,
    /// The findings against it, in contract order.
    pub findings: Vec<FindingSeen>,
    /// Declared criteria, in order of declaration.
    pub criteria: Vec<CriterionSeen>,
    /// Files that the report names.
    pub claims: ClaimCounts,
    /// SHA-256 of the report.
    pub report_sha256: String,
    /// SHA-256 of the instructions.
    pub instructions_sha256: String,
    /// The judge.
    pub judge: JudgeSeen,
}

/// Files that the report names.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimCounts {
    /// Checked.
    pub checked: usize,
    /// Missing.
    pub missing: usize,
}

/// The judge.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgeSeen {
    /// The profile; `none` for no LLM.
    pub profile: String,
    /// The program.
    pub command: Option<String>,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
}

impl VerificationResult {
    pub(crate) fn new(
        report: &Report,
        status: WorkspaceStatus,
        path: &std::path::Path,
        audit: Option<Audit>,
        report_digest: String,
        llm_exit: Option<i32>,
    ) -> Self {
        let fields = report.parsed.clone();
        Self {
            status,
            summary: fields.summary,
            full_report: report.full.clone(),
            report_path: path.display().to_string(),
            issue_count: fields.issue_count,
            issues: fields.issues,
            confidence: fields.confidence,
            recommended_action: fields.recommended_action,
            audit,
            report_digest,
            llm_exit,
        }
    }

    /// One JSON document, indented by two spaces, with a final newline.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Findings that ask for a worse status than pass.
    pub fn effective_findings(&self) -> impl Iterator<Item = &FindingSeen> {
        let findings = self.findings().iter();
        findings.filter(|finding| finding.effect != Effect::Note)
    }

    /// All findings; none with `--guards off`.
    pub(crate) fn findings(&self) -> &[FindingSeen] {
        let audit = self.audit.as_ref();
        audit.map_or(&[], |audit| &audit.findings)
    }

    /// What a resumed run has to do: the issues, then failed criteria and
    /// findings that counted.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = self.issues.clone();
        let Some(audit) = &self.audit else {
            return gaps;
        };
        if matches!(audit.guards, Guards::Off | Guards::Warn) {
            return gaps;
        }
        if audit.judge.profile == "none" {
            gaps.clear(); // that report lists its criteria as issues, without their details
        }
        let failed = audit
            .criteria
            .iter()
            .filter(|seen| seen.outcome == CriterionOutcome::Fail);
        gaps.extend(failed.map(|seen| format!("{}: {}", seen.id, seen.detail)));
        let others = self
            .effective_findings()
            .filter(|finding| finding.code != Finding::CriterionFailed);
        gaps.extend(others.map(|finding| format!("{}: {}", finding.code, finding.detail)));
        gaps
    }
}

/// The output of `parse-report`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParsedReport {
    /// What it says.
    #[serde(flatten)]
    pub fields: ParsedFields,
    /// After the guards.
    pub guarded: GuardedReport,
}

/// A report after the guards.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GuardedReport {
    /// The resulting status.
    pub status: WorkspaceStatus,
    /// Why.
    pub findings: Vec<FindingSeen>,
}

impl ParsedReport {
    /// The fields of a report, and its status after the guards.
    pub fn of(report: &Report) -> Self {
        Self {
            fields: report.parsed.clone(),
            guarded: GuardedReport {
                status: report.guarded_status(),
                findings: report.guards.clone(),
            },
        }
    }
}
