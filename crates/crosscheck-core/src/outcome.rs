//! The neutral report: what every renderer, the ledger and the gate can read.
//!
//! It is derived from a verifier's own report and has less detail. Contract
//! documents are never built from it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::redact::without_secrets;
use crate::{Reason, UnitId, Verdict};

/// The result of one run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The command that made it, for example `trace`.
    pub verifier: &'static str,
    /// What was checked: a file, a folder, a workflow.
    pub subject: String,
    /// The verdict of the run.
    pub verdict: Verdict,
    /// One sentence for people.
    pub summary: String,
    /// One entry for each thing that was checked, in a stated order.
    pub outcomes: Vec<Outcome>,
    /// Notes about the run itself, for example which settings of the project
    /// were ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The result of checking one thing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Names the thing within the run.
    pub unit: UnitId,
    /// What was claimed, in one line.
    pub claim: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The reasons, with the message of this case.
    pub reasons: Vec<Grounds>,
    /// What should have been there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// Where to look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The web address it is about, as it may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl Outcome {
    /// An outcome without anything else to show.
    pub fn new(unit: UnitId, claim: String, verdict: Verdict, reasons: Vec<Grounds>) -> Self {
        Self {
            unit,
            claim,
            verdict,
            reasons,
            expected: None,
            observed: None,
            place: None,
            link: None,
        }
    }
}

/// A declared reason, and its message in this case.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Grounds {
    /// The declaration: code, level, meaning, help.
    #[serde(serialize_with = "code_only")]
    #[schemars(with = "String")]
    pub reason: &'static Reason,
    /// The message of this case, in one line; the declared meaning if there is none.
    pub message: String,
}

impl Grounds {
    /// A reason without a message of its own.
    pub fn plain(reason: &'static Reason) -> Self {
        Self {
            reason,
            message: reason.meaning.to_owned(),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature serde asks for"
)]
fn code_only<S: serde::Serializer>(
    reason: &&'static Reason,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.code)
}

/// A place a person or an editor can open. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// A path relative to the project, or a URL.
    pub path: String,
    /// First line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// First column, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// Last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
}

impl Report {
    /// The report as it may be shown: no text of it holds a secret, whichever verifier wrote it.
    #[must_use]
    pub fn masked(mut self) -> Self {
        let own = [&mut self.subject, &mut self.summary];
        own.into_iter().chain(&mut self.notices).for_each(mask);
        for outcome in &mut self.outcomes {
            let texts = [
                &mut outcome.expected,
                &mut outcome.observed,
                &mut outcome.link,
            ];
            texts.into_iter().flatten().for_each(mask);
            mask(&mut outcome.claim);
            let reasons = outcome.reasons.iter_mut();
            reasons.for_each(|grounds| mask(&mut grounds.message));
        }
        self
    }

    /// How many outcomes have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| outcome.verdict == verdict)
            .count()
    }
}

fn mask(text: &mut String) {
    if let Cow::Owned(clean) = without_secrets(text, "[redacted]") {
        *text = clean;
    }
}
