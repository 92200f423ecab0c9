//! Parses the report of the LLM and decides how far to trust it. Pure: no file,
//! no process, no clock.

pub mod claims;
mod finding;
pub mod findings;
pub mod guards;
mod lines;
mod parse;
mod spans;

use std::borrow::Cow;

pub use parse::ParsedFields;
use serde::Serialize;

use finding::FindingSeen;
use lines::ReportLines;

use crate::plan::path_claim::PathClaim;
use crate::status::WorkspaceStatus;

/// How sure the report is of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// "High"
    High,
    /// "Medium", or nothing readable
    Medium,
    /// "Low"
    Low,
}

/// A report that is parsed once and queried often.
#[derive(Debug)]
pub struct Report {
    /// The decoded text, unchanged.
    pub full: String,
    /// Its fields.
    pub parsed: ParsedFields,
    /// Why a passing report cannot be trusted.
    pub guards: Vec<FindingSeen>,
    /// The files it names as evidence.
    pub claims: Vec<PathClaim>,
    /// Whether it names more files than are checked.
    pub has_unread_claims: bool,
}

impl Report {
    /// Reads a report. Any bytes give a result.
    pub fn read(bytes: &[u8]) -> Self {
        // Validating first is much faster than lossy decoding, and reports are rarely
        // broken.
        let full = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(bytes).into_owned(),
        };
        let (parsed, guards, (claims, has_unread_claims)) = {
            let text = prepared(&full);
            let lines = ReportLines::of(&text);
            let parsed = parse::parse(&text, &lines);
            let guards = guards::look(&lines, &parsed);
            let claims = claims::paths(&lines);
            (parsed, guards, claims)
        };
        Self {
            full,
            parsed,
            guards,
            claims,
            has_unread_claims,
        }
    }

    /// A report that we wrote ourselves: its fields are known, and nothing in
    /// its words is read back.
    pub(crate) const fn stated(full: String, parsed: ParsedFields) -> Self {
        Self {
            full,
            parsed,
            guards: Vec::new(),
            claims: Vec::new(),
            has_unread_claims: false,
        }
    }

    /// The status after the guards.
    pub fn guarded_status(&self) -> WorkspaceStatus {
        self.guards
            .iter()
            .map(|finding| finding.effect.allows())
            .fold(self.parsed.status, WorkspaceStatus::max)
    }
}

/// Without a byte-order mark, and with one kind of line end.
fn prepared(full: &str) -> Cow<'_, str> {
    let text = full.strip_prefix('\u{FEFF}').unwrap_or(full);
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}
