//! Statements that belong to another verifier. They leave as data, and the
//! answer comes back as data: no verifier calls another.
//!
//! Contract: done 6.2.

use std::path::PathBuf;

use crosscheck_core::Verdict;

use crate::kind::Claim;
use crate::opinion::{Opinion, Source, Trace};
use crate::reasons::DoneReason;

/// A verifier that statements can be handed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verifier {
    /// Rows of a database.
    Rows,
    /// Lines of files.
    Claims,
    /// Pages of the web.
    Sources,
}

impl Verifier {
    /// Its command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Claims => "claims",
            Self::Sources => "sources",
        }
    }
}

/// A statement for another verifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// What is asked.
    pub question: Question,
    /// What is asked about, for people: a row, a URL, a file and its lines.
    pub subject: String,
    /// The claim it belongs to, by its place; `None` for a reference.
    pub span: Option<[usize; 2]>,
    /// The answer, once there is one.
    pub answer: Option<Answer>,
}

/// What another verifier is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Whether the rows that the session wrote are in the database.
    Rows {
        /// Whether a shell may have written some, which the log does not show.
        by_shell: bool,
    },
    /// Whether this page is there and says what the message says.
    Page(String),
    /// Whether a file has these lines.
    Lines(LinesAsked),
}

/// Lines of a file that a message points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesAsked {
    /// The file, from the root.
    pub path: PathBuf,
    /// The first line.
    pub start: u64,
    /// The last line.
    pub end: u64,
    /// A text that should be in them.
    pub text: Option<String>,
    /// Whether a missing text contradicts the message.
    pub text_decides: bool,
    /// Whether missing lines contradict the message: they cannot be those of
    /// another time or place.
    pub decides: bool,
}

impl Question {
    /// Who answers it.
    pub const fn verifier(&self) -> Verifier {
        match self {
            Self::Rows { .. } => Verifier::Rows,
            Self::Page(_) => Verifier::Sources,
            Self::Lines(_) => Verifier::Claims,
        }
    }
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
    pub(crate) fn of_claim(question: Question, claim: &Claim) -> Self {
        let subject = if claim.subject.is_empty() {
            crate::redact::redacted(&claim.quote)
        } else {
            claim.subject.clone()
        };
        Self {
            question,
            subject,
            span: Some(claim.span),
            answer: None,
        }
    }

    pub(crate) fn of_reference(question: Question, subject: &str) -> Self {
        Self {
            question,
            subject: crate::redact::redacted(subject),
            span: None,
            answer: None,
        }
    }

    /// Whether the answer contradicts the message.
    pub fn is_refuted(&self) -> bool {
        self.answer
            .as_ref()
            .is_some_and(|answer| answer.verdict == Verdict::Refuted)
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
        verifier: Verifier::Rows.name().to_owned(),
        found: answer.found.clone(),
    })
}
