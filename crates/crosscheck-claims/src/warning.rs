//! Warnings, which change no result; only the details show them.

use serde::Serialize;

use crate::reasons::{ClaimReason, ClaimWarning};

/// One warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Warning {
    /// Where in the document or the settings.
    pub path: String,
    /// Stable code.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// At most this many warnings are listed; one more says how many were left out.
const LIMIT: usize = 1000;

/// A bounded list of warnings.
#[derive(Debug, Default)]
pub struct Warnings {
    listed: Vec<Warning>,
    left_out: usize,
}

impl Warnings {
    pub(crate) fn add(
        &mut self,
        path: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        debug_assert!(is_declared(code), "`crosscheck explain` knows {code}");
        if self.listed.len() < LIMIT {
            self.listed.push(Warning {
                path: path.into(),
                code,
                message: message.into(),
            });
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn extend(&mut self, more: impl IntoIterator<Item = Warning>) {
        for warning in more {
            self.add(warning.path, warning.code, warning.message);
        }
    }

    /// The warnings, and one about those that were left out.
    pub fn into_list(mut self) -> Vec<Warning> {
        if self.left_out > 0 {
            self.listed.push(Warning {
                path: String::new(),
                code: "warnings_left_out",
                message: format!("{} further warnings are not listed", self.left_out),
            });
        }
        self.listed
    }
}

fn is_declared(code: &str) -> bool {
    let mut known = ClaimWarning::ALL.iter().chain(ClaimReason::ALL);
    known.any(|reason| reason.code == code)
}
