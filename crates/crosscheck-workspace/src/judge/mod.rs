//! What the report of the LLM says, and how far it can be believed. Pure: no
//! file, no process, no clock.

pub mod claims;
pub mod findings;
pub mod guards;
mod lines;
mod live;
mod parse;
mod quoted;
mod spans;
mod verdict_line;

use std::borrow::Cow;

pub use parse::Parsed;
pub(crate) use parse::means_none;
use serde::Serialize;

use lines::Lines;

use crate::plan::path_claim::PathClaim;
use crate::status::Status;

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

/// A report, taken apart once and asked many questions.
#[derive(Debug)]
pub struct Report {
    full: String,
    parsed: Parsed,
    guards: Vec<guards::GuardFinding>,
    claims: Vec<PathClaim>,
    has_unread_claims: bool,
}

impl Report {
    /// Reads a report. Any bytes give a result.
    pub fn read(bytes: &[u8]) -> Self {
        // Checking first is much faster than the lossy way, and reports are rarely broken.
        let full = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(bytes).into_owned(),
        };
        let (parsed, guards, (claims, has_unread_claims)) = {
            let text = prepared(&full);
            let lines = Lines::of(&text);
            let parsed = parse::parse(&text, &lines);
            let guards = guards::look(&text, &parsed);
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

    /// The decoded text, unchanged.
    pub fn full(&self) -> &str {
        &self.full
    }

    /// What the report says.
    pub const fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// Why a passing report cannot be taken at its word.
    pub fn guards(&self) -> &[guards::GuardFinding] {
        &self.guards
    }

    /// The files it names as evidence.
    pub fn claims(&self) -> &[PathClaim] {
        &self.claims
    }

    /// Whether it names more files than are looked for.
    pub const fn has_unread_claims(&self) -> bool {
        self.has_unread_claims
    }

    /// The status after the guards have had their say.
    pub fn guarded_status(&self) -> Status {
        self.guards
            .iter()
            .map(|finding| finding.effect)
            .fold(self.parsed.status, Status::max)
    }
}

/// Without a byte-order mark, and with one kind of line end.
fn prepared(full: &str) -> Cow<'_, str> {
    let text = full.strip_prefix('\u{FEFF}').unwrap_or(full);
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    // Byte by byte: a report may hold nothing but line ends.
    let mut bytes = Vec::with_capacity(text.len());
    let mut after_return = false;
    for byte in text.bytes() {
        match byte {
            b'\n' if after_return => {}
            b'\r' => bytes.push(b'\n'),
            other => bytes.push(other),
        }
        after_return = byte == b'\r';
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}
