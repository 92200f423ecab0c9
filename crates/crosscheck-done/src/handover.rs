//! Statements about rows, which `rows` answers. They leave as data, and the
//! answer comes back as data: no verifier calls another.
//!
//! Contract: done 6.2.

use crosscheck_core::Verdict;

use crate::kind::Claim;
use crate::opinion::{Opinion, Source, Trace};
use crate::reasons::DoneReason;

/// The verifier that is asked.
pub const ROWS: &str = "rows";

/// A statement about rows that the session wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// Whether a shell may have written some, which the log does not show.
    pub by_shell: bool,
    /// What is asked about, for people.
    pub subject: String,
    /// The claim it belongs to, by its place.
    pub span: [usize; 2],
    /// The answer, once there is one.
    pub answer: Option<Answer>,
}

/// What another verifier said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its own words, in one line.
    pub found: String,
}

impl Answer {
    /// An answer; secrets in its words are hidden.
    pub fn new(verdict: Verdict, found: &str) -> Self {
        Self {
            verdict,
            found: crate::redact::redacted(&crosscheck_core::text::one_line(found)),
        }
    }

    /// No answer: looking failed.
    pub fn none(why: &str) -> Self {
        Self::new(Verdict::Undecided, why)
    }
}

impl Handover {
    pub(crate) fn of_claim(claim: &Claim, by_shell: bool) -> Self {
        let subject = if claim.subject.is_empty() {
            crate::redact::redacted(&claim.quote)
        } else {
            claim.subject.clone()
        };
        Self {
            by_shell,
            subject,
            span: claim.span,
            answer: None,
        }
    }
}

/// The opinion that an answer about rows leads to.
pub(crate) fn opinion(answer: &Answer) -> Opinion {
    let reason = match answer.verdict {
        Verdict::Confirmed => DoneReason::RowConfirmed,
        Verdict::Refuted => DoneReason::RowRefuted,
        Verdict::Undecided => DoneReason::HandedToRows,
    };
    Opinion::new(answer.verdict, reason, Source::Handover).with(Trace::Handover {
        verifier: ROWS.to_owned(),
        found: answer.found.clone(),
    })
}
