//! The console texts. They are part of the contract, byte for byte
//! (workspace 11).

use std::fmt::Write as _;

use crosscheck_core::Listener;

use super::result::VerificationResult;
use crate::judge::Report;
use crate::judge::findings::Effect;
use crate::reasons::Finding;
use crate::status::WorkspaceStatus;
use crate::voice::Voice;

/// The first line, before the LLM is called.
pub fn opening(name: &str) -> String {
    format!("Verifying workspace: {name}\n")
}

/// Summary, status and the path of the report.
pub fn verdict(result: &VerificationResult, listener: &mut dyn Listener) {
    let mut voice = Voice::new(listener);
    voice.say(&format!("\n{}\n\n", result.summary));
    status_block(result, &mut voice);
    voice.say(&format!("\nFull report: {}\n", result.report_path));
    let unproven = result.findings().iter().find(|finding| {
        finding.code == Finding::NoMachineEvidence && finding.effect == Effect::Note
    });
    if let Some(finding) = unproven {
        voice.remark(&format!("Note: {}: {}", finding.code, finding.detail));
    }
}

/// The status, and the criteria and findings that prevent a pass.
fn status_block(result: &VerificationResult, voice: &mut Voice<'_>) {
    let line = match result.status {
        WorkspaceStatus::Pass => "✅ VERIFICATION PASSED",
        WorkspaceStatus::Fail => "❌ VERIFICATION FAILED",
        WorkspaceStatus::NeedsReview => "⚠\u{FE0F}  NEEDS REVIEW",
    };
    voice.status(&result.report_path, result.status, line);
    if result.status == WorkspaceStatus::Fail {
        voice.say(&format!("Issues found: {}\n", result.issue_count));
    }
    for finding in result.effective_findings() {
        voice.say(&format!("  - {}: {}\n", finding.code, finding.detail));
    }
}

/// The report itself, after everything else.
pub fn full_report(result: &VerificationResult) -> String {
    let end = if result.full_report.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("\n{}{end}", result.full_report)
}

/// `parse-report` for people.
pub fn parsed(report: &Report) -> String {
    let parsed = &report.parsed;
    let mut text = format!(
        "Status:             {}\nSummary:            {}\nIssues:             {}\n",
        parsed.status.word(),
        parsed.summary.replace('\n', "\n                    "),
        parsed.issues.len()
    );
    for (at, issue) in parsed.issues.iter().enumerate() {
        let _ = writeln!(text, "  {}. {issue}", at + 1);
    }
    let _ = writeln!(
        text,
        "Confidence:         {}",
        format!("{:?}", parsed.confidence).to_lowercase()
    );
    let _ = writeln!(text, "Recommended action: {}", parsed.recommended_action);
    let _ = writeln!(
        text,
        "Guarded status:     {}",
        report.guarded_status().word()
    );
    for finding in &report.guards {
        let _ = writeln!(text, "  - {}: {}", finding.code, finding.detail);
    }
    text
}
