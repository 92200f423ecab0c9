//! Everything that is declared once and shown in many places: reason codes
//! and document schemas of all verifiers.

use crosscheck_core::Reason;
use crosscheck_core::advice::RunReason;
use crosscheck_core::envelope::ErrorEnvelope;
use crosscheck_rows::check::reasons::{ContractFailure, ContractReason};
use crosscheck_rows::reasons::RowReason;
use schemars::{Schema, schema_for};

/// The reasons one part of crosscheck can give.
#[derive(Debug, Clone, Copy)]
pub struct ReasonSection {
    /// The part, for example `rows`.
    pub part: &'static str,
    /// Its reasons in declaration order.
    pub reasons: &'static [&'static Reason],
}

/// All reasons, by part, in a fixed order.
pub const REASONS: &[ReasonSection] = &[
    ReasonSection {
        part: "run",
        reasons: RunReason::ALL,
    },
    ReasonSection {
        part: "rows",
        reasons: RowReason::ALL,
    },
    ReasonSection {
        part: "check",
        reasons: ContractReason::ALL,
    },
    ReasonSection {
        part: "contract",
        reasons: ContractFailure::ALL,
    },
];

/// A document whose JSON Schema is generated from its Rust type.
#[derive(Debug, Clone, Copy)]
pub struct Document {
    /// The name `crosscheck schema` takes.
    pub name: &'static str,
    /// What the document is, in one line.
    pub about: &'static str,
    /// Generates the schema.
    pub schema: fn() -> Schema,
}

/// All documents, in a fixed order.
pub const DOCUMENTS: &[Document] = &[Document {
    name: "error-envelope",
    about: "the one line on standard error when a contract command could not run",
    schema: || schema_for!(ErrorEnvelope),
}];

/// Every declaration of a code; a code may mean something in several parts.
pub fn explain(code: &str) -> Vec<(&'static str, &'static Reason)> {
    REASONS
        .iter()
        .flat_map(|section| section.reasons.iter().map(|reason| (section.part, *reason)))
        .filter(|(_, reason)| reason.code.eq_ignore_ascii_case(code))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_code_is_declared_once_in_each_part() {
        for section in REASONS {
            let codes: BTreeSet<_> = section.reasons.iter().map(|reason| reason.code).collect();
            assert_eq!(codes.len(), section.reasons.len(), "part {}", section.part);
        }
    }

    #[test]
    fn explain_finds_a_code_in_any_case() {
        assert_eq!(explain("cli_usage").len(), 1);
        assert!(explain("NO_SUCH_CODE").is_empty());
    }
}
