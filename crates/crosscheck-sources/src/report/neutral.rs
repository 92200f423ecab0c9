//! The report as renderers, the ledger and the gate read it.

use crosscheck_core::outcome::{Grounds, Place};
use crosscheck_core::{Outcome, Report, UnitId, Verdict};

use super::result::{FailOn, Row, SourcesReport};
use crate::finding::Finding;
use crate::words::without_stop;

/// At most this many lint findings are named in the headline.
const NAMED_MAX: usize = 5;

impl SourcesReport {
    /// The neutral report. Where lint findings fail the run, each of them is a
    /// unit, so that every format says why it failed.
    pub fn neutral(&self) -> Report {
        let rows = self.results.iter().enumerate();
        let mut outcomes: Vec<Outcome> = rows.map(|(at, row)| outcome(at, row)).collect();
        if self.fail_on == FailOn::Lint {
            let findings = self.lint.iter().enumerate();
            outcomes.extend(findings.map(|(at, finding)| self.broken_rule(at, finding)));
        }
        // Without any outcome: nothing to check, the contract's stated exception.
        let own = outcomes.iter().map(|outcome| outcome.verdict).max();
        let verdict = self
            .worst()
            .verdict()
            .max(own.unwrap_or(Verdict::Confirmed));
        Report {
            verifier: "sources",
            subject: self.inputs.join(", "),
            verdict,
            summary: match self.results.len() {
                0 => self.headline(),
                _ => format!("{}; {}", self.headline(), self.judge),
            },
            outcomes,
            notices: [self.undecided.clone(), self.notices.clone()].concat(),
        }
    }

    /// The counts in one sentence.
    pub fn headline(&self) -> String {
        let summary = &self.summary;
        let counts = if summary.total == 0 && summary.skipped == 0 {
            match (self.recorded, self.undecided.first()) {
                (Some(recorded), _) => format!(
                    "nothing new to check; the log holds {} verified, {} unreliable, {} fabricated, {} suspect",
                    recorded.verified, recorded.unreliable, recorded.fabricated, recorded.suspect
                ),
                (None, Some(_)) => "nothing was checked".to_owned(),
                (None, None) => "nothing to check".to_owned(),
            }
        } else {
            format!(
                "{} checked: {} confirmed, {} refuted ({} of them: no such page), {} undecided; {} skipped",
                summary.total,
                summary.verified,
                summary.unreliable + summary.fabricated,
                summary.fabricated,
                summary.suspect,
                summary.skipped,
            )
        };
        match self.lint.len() {
            0 if summary.total == 0 => counts,
            0 => format!("{counts}, 0 lint findings"),
            1 => format!("{counts}, 1 lint finding ({})", self.lint_names()),
            many => format!("{counts}, {many} lint findings ({})", self.lint_names()),
        }
    }

    fn lint_names(&self) -> String {
        let first = self.lint.iter().take(NAMED_MAX);
        let mut names: Vec<String> = first.map(Finding::name).collect();
        if self.lint.len() > NAMED_MAX {
            names.push(format!("and {} more", self.lint.len() - NAMED_MAX));
        }
        names.join(", ")
    }

    fn broken_rule(&self, at: usize, finding: &Finding) -> Outcome {
        let place = match self.inputs.as_slice() {
            [input] => Some(Place {
                path: input.clone(),
                line: finding.line,
                column: None,
                end_line: None,
            }),
            _ => None,
        };
        Outcome {
            unit: UnitId::numbered('l', at),
            claim: format!("lint {}", finding.name()),
            verdict: Verdict::Refuted,
            reasons: vec![Grounds {
                reason: finding.rule.reason(),
                message: finding.message.clone(),
            }],
            expected: None,
            observed: None,
            place,
            link: None,
        }
    }
}

fn outcome(at: usize, row: &Row) -> Outcome {
    let about = row.seq.map(|seq| format!("seq {seq}: "));
    let about = about.as_deref().unwrap_or_default();
    let claim = match row.claim.as_deref() {
        Some(claim) => [about, &row.url, " — ", claim].concat(),
        None => [about, &row.url].concat(),
    };
    Outcome {
        unit: UnitId::numbered('s', at),
        claim,
        verdict: row.status.verdict(),
        reasons: vec![Grounds {
            reason: row.reason.reason(),
            message: match &row.because {
                Some(because) => format!("{} ({because})", without_stop(&row.explanation)),
                None => String::from(&*row.explanation),
            },
        }],
        expected: None,
        observed: observed(row),
        place: Some(Place {
            path: String::from(&*row.input),
            line: row.line,
            column: row.column,
            end_line: None,
        }),
        link: Some(String::from(&*row.url)),
    }
}

/// The status of the answer, and what the page says nearest to the claim.
fn observed(row: &Row) -> Option<String> {
    let status = row.http_status.map(|status| format!("status {status}"));
    let near = row.nearest.as_ref();
    let near = near.map(|near| format!("nearest on the page ({}): “{}”", near.place(), near.text));
    let copy = row.suggestion.as_ref();
    let copy = copy.map(|copy| format!("an archived copy is at {copy}"));
    let parts: Vec<String> = status.into_iter().chain(near).chain(copy).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rule;

    fn report(lint: Vec<Finding>) -> SourcesReport {
        SourcesReport::new(
            vec!["log".to_owned()],
            vec![],
            lint,
            0,
            crosscheck_judge::JudgeSeen::default(),
        )
    }

    #[test]
    fn lint_findings_are_units_where_they_fail_the_run() {
        let mut report = report(vec![Finding::line(Rule::BadLine, 1, "no JSON")]);
        let calm = report.neutral();
        assert_eq!((calm.verdict, calm.outcomes.len()), (Verdict::Confirmed, 0));
        report.fail_on = FailOn::Lint;
        let failing = report.neutral();
        assert_eq!(failing.verdict, Verdict::Refuted);
        let unit = failing.outcomes.first().unwrap();
        assert_eq!(unit.claim, "lint bad_line line 2");
        assert_eq!(unit.reasons[0].reason.code, "BAD_LINE");
        assert_eq!(unit.place.as_ref().unwrap().line, Some(2));
    }

    #[test]
    fn the_headline_names_lint_findings_even_when_nothing_was_checked() {
        assert_eq!(report(vec![]).headline(), "nothing to check");
        let one = vec![Finding::line(Rule::BadLine, 1, "no JSON")];
        let expected = "nothing to check, 1 lint finding (bad_line line 2)";
        assert_eq!(report(one).headline(), expected);
        let many = (0..7)
            .map(|seq| Finding::entry(Rule::R9, seq, ""))
            .collect();
        let headline = report(many).headline();
        assert!(headline.ends_with("R9 seq 4, and 2 more)"), "{headline}");
    }
}
