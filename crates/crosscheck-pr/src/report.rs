//! Sums up, as the neutral report.

use crosscheck_core::outcome::Grounds;
use crosscheck_core::redact::redacted;
use crosscheck_core::text::one_line;
use crosscheck_core::{Outcome, Place, Report, UnitId, Verdict};

use crate::judge::Finding;
use crate::observe::Range;
use crate::read::Claim;

/// The result of a run.
#[derive(Debug)]
pub struct PrReport {
    range: String,
    allow_empty: bool,
    outcomes: Vec<Outcome>,
    notices: Vec<String>,
}

impl PrReport {
    pub(crate) fn new(range: &Range, allow_empty: bool) -> Self {
        Self {
            range: range.shown(),
            allow_empty,
            outcomes: Vec::new(),
            notices: Vec::new(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.outcomes.len()
    }

    pub(crate) fn leave_out(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.notices
                .push(format!("{count} more {what} were not checked"));
        }
    }

    /// Text of the pull request and of its diff is shown without secrets, on one line.
    pub(crate) fn push(&mut self, claim: &Claim, finding: Finding) {
        let safe = |text: &str| redacted(&one_line(text));
        let place = finding.place.map(|place| Place {
            path: safe(&place.path),
            ..place
        });
        self.outcomes.push(Outcome {
            unit: UnitId::numbered('p', self.outcomes.len() + 1),
            claim: safe(&format!("{} ({}:{})", claim.quote, claim.text, claim.line)),
            verdict: finding.verdict,
            reasons: vec![Grounds::plain(finding.reason.reason())],
            expected: Some(safe(&finding.expected)),
            observed: Some(safe(&finding.observed)),
            place,
            link: None,
        });
    }

    /// The worst verdict of the claims. Silence is not agreement: without a claim it is
    /// undecided, unless the user allows that.
    pub fn verdict(&self) -> Verdict {
        if self.outcomes.is_empty() && (self.allow_empty && self.notices.is_empty()) {
            return Verdict::Confirmed;
        }
        Verdict::roll_up(self.outcomes.iter().map(|outcome| outcome.verdict))
    }

    /// The neutral view.
    pub fn neutral(&self) -> Report {
        let summary = match self.outcomes.len() {
            0 => "the text says nothing that can be checked against the diff".to_owned(),
            1 => "1 claim was checked against the diff".to_owned(),
            count => format!("{count} claims were checked against the diff"),
        };
        Report {
            verifier: "pr",
            subject: self.range.clone(),
            verdict: self.verdict(),
            summary,
            outcomes: self.outcomes.clone(),
            notices: self.notices.clone(),
        }
    }
}
