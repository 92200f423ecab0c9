//! The human report. Three anchor lines, the four lines under each unit and
//! the evidence anchors are fixed; everything else is our own wording.

use std::fmt::Write as _;

use crosscheck_core::text::{cut_units, one_line};

use super::{QuickReport, UnitReport, evidence, texts};
use crate::certificate::{EVIDENCE_BEGIN, EVIDENCE_END, Evidence, word};

/// At most this many lines are between the evidence anchors.
const EVIDENCE_LINES: usize = 48;

pub(super) fn report(report: &QuickReport) -> String {
    let mut lines = vec![
        texts::HUMAN_REPORT_BEGIN.to_owned(),
        texts::verdict_line(report.verdict),
        texts::HUMAN_REPORT_END.to_owned(),
        texts::QUICK_VERIFY_BANNER_LINE_1.to_owned(),
        texts::QUICK_VERIFY_BANNER_LINE_2.to_owned(),
        texts::QUICK_VERIFY_BANNER_LINE_3.to_owned(),
        report.summary.to_string(),
    ];
    lines.extend(
        report
            .ingest
            .distinct_codes()
            .into_iter()
            .map(texts::human_line_for_ingest_reason_code),
    );
    if report.ingest.malformed_lines > 0 {
        lines.push(format!(
            "Lines that are not JSON: {}",
            report.ingest.malformed_lines
        ));
    }
    if report.ingest.unreadable_calls > 0 {
        lines.push(format!(
            "Tool calls whose arguments cannot be read: {}",
            report.ingest.unreadable_calls
        ));
    }
    for code in report.header_codes() {
        lines.push(format!(
            "{code}: {}; {}.",
            code.reason().meaning,
            code.reason().help
        ));
    }
    for unit in &report.units {
        unit_lines(&mut lines, unit);
    }
    lines.extend(replay_hint(report));
    evidence_block(&mut lines, &evidence::completeness(report));
    spine_block(&mut lines, report);
    unchecked_block(&mut lines, report);
    lines.join("\n")
}

fn unit_lines(lines: &mut Vec<String>, unit: &UnitReport) {
    let exported = if unit.export.is_some() {
        "exported"
    } else {
        "not exported"
    };
    lines.push(one_line(&format!(
        "- {} {} table={} tool={} action#={} verdict={} confidence={} {exported}",
        unit.id(),
        unit.kind(),
        // the whole line must not reach the length at which one is cut
        cut_units(&unit.table(), 1000),
        cut_units(&unit.tool.to_str_lossy(), 200),
        unit.finding.unit.action,
        texts::unit_word(unit.verdict()),
        crate::quick::decimals::three_decimals(unit.finding.unit.confidence),
    )));
    let said = &unit.reconciliation;
    lines.push(format!("  declared: {}", said.declared));
    lines.push(format!("  expected: {}", said.expected));
    lines.push(format!("  observed_database: {}", said.observed));
    lines.push(format!("  verification_verdict: {}", said.verdict));
    lines.push(format!("  {}", unit.explanation()));
    for code in unit.reasons() {
        lines.push(format!(
            "  {code}: {}. To do: {}.",
            texts::human_fragment_for_reason_code(*code),
            code.reason().help
        ));
    }
}

fn replay_hint(report: &QuickReport) -> Option<String> {
    let tools = report.tools();
    if tools.is_empty() {
        return None;
    }
    let mut hint = format!(
        "Replay: {} tool(s) were exported; check them with `crosscheck check --registry <registry> --events <events> --workflow-id <id>` and the same database.",
        tools.len()
    );
    let refused: Vec<&str> = tools
        .iter()
        .filter(|tool| tool.refused_on_replay)
        .map(|tool| tool.tool_id.as_str())
        .collect();
    if !refused.is_empty() {
        let _ = write!(
            hint,
            " It will answer INVALID_IDENTIFIER for {}: their tables or columns have names it does not accept.",
            refused.join(", ")
        );
    }
    Some(hint)
}

fn evidence_block(lines: &mut Vec<String>, evidence: &Evidence) {
    lines.push(EVIDENCE_BEGIN.to_owned());
    let mut block = vec![
        format!("blocker: {}", word(&evidence.blocker)),
        format!("signal: {}", evidence.signal),
    ];
    let claims = [
        ("verified", &evidence.verified),
        ("not verified", &evidence.unverified),
    ];
    for (title, claims) in claims {
        block.extend(claims.iter().map(|claim| format!("{title}: {claim}")));
    }
    let missing = evidence.missing.iter();
    block.extend(missing.map(|(code, hint)| format!("missing input: {code} ({hint})")));
    let next = evidence.actions.iter();
    block.extend(next.map(|(action, text)| format!("next: {} - {text}", word(action))));
    for item in evidence.items.iter().flatten() {
        let (id, action) = (&item.id, word(&item.action));
        block.push(format!("remediation {id}: {action} - {}", item.action_text));
    }
    block.truncate(EVIDENCE_LINES);
    lines.extend(block.iter().map(|line| one_line(line)));
    lines.push(EVIDENCE_END.to_owned());
}

fn spine_block(lines: &mut Vec<String>, report: &QuickReport) {
    let spine = evidence::failure_spine(report);
    let failure = spine.failure;
    lines.push("failure_spine:".to_owned());
    lines.push(format!("  trust decision: {}", spine.trust_decision));
    lines.push(format!("  summary: {}", spine.summary));
    lines.push(format!(
        "  actionable failure: {}, severity {}, {}, automation safe: {}",
        failure.category,
        failure.severity,
        word(&failure.recommended_action),
        failure.automation_safe
    ));
    lines.push(format!("  primary codes: {}", spine.codes.join(", ")));
    lines.push(format!("  rerun guidance: {}", spine.guidance));
    lines.push(format!("  source: {}", spine.source));
}

fn unchecked_block(lines: &mut Vec<String>, report: &QuickReport) {
    lines.push(texts::NOT_CHECKED.to_owned());
    lines.extend(report.unchecked.iter().map(|one| format!("- {one}")));
    lines.push(texts::SEE_ROWS.to_owned());
}
