//! The report as renderers, the ledger and the gate read it.

use crosscheck_core::outcome::{Grounds, Place};
use crosscheck_core::{Outcome, Report, UnitId, Verdict};

use super::result::{Row, SourcesReport};

impl SourcesReport {
    /// The neutral report.
    pub fn neutral(&self) -> Report {
        let outcomes: Vec<Outcome> = self
            .results
            .iter()
            .enumerate()
            .map(|(at, row)| outcome(at, row))
            .collect();
        let verdict = if outcomes.is_empty() {
            Verdict::Confirmed // nothing to check: the contract's stated exception
        } else {
            Verdict::roll_up(outcomes.iter().map(|outcome| outcome.verdict))
        };
        Report {
            verifier: "sources",
            subject: self.inputs.join(", "),
            verdict,
            summary: self.headline(),
            outcomes,
        }
    }

    /// The counts in one sentence.
    pub fn headline(&self) -> String {
        let summary = &self.summary;
        if summary.total == 0 && summary.skipped == 0 {
            return "nothing to check".to_owned();
        }
        format!(
            "{} checked: {} verified, {} unreliable, {} fabricated, {} suspect; {} skipped, {} lint findings",
            summary.total,
            summary.verified,
            summary.unreliable,
            summary.fabricated,
            summary.suspect,
            summary.skipped,
            self.lint.len()
        )
    }
}

fn outcome(at: usize, row: &Row) -> Outcome {
    let about = row
        .seq
        .map(|seq| format!("seq {seq}: "))
        .unwrap_or_default();
    let claim = row
        .claim
        .as_deref()
        .map(|claim| format!(" — {claim}"))
        .unwrap_or_default();
    Outcome {
        unit: UnitId::numbered('s', at),
        claim: format!("{about}{}{claim}", row.url),
        verdict: row.status.verdict(),
        reasons: vec![Grounds {
            reason: row.reason.reason(),
            message: row.explanation.clone(),
        }],
        expected: None,
        observed: row.http_status.map(|status| format!("status {status}")),
        place: Some(Place {
            path: row.input.clone(),
            line: row.line,
            column: row.column,
            end_line: None,
        }),
    }
}
