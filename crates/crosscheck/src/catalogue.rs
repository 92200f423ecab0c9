//! Declarations that are shown in many places: reason codes and document
//! schemas of all verifiers.

use crosscheck_claims::{ClaimReason, ClaimWarning, JudgeReason};
use crosscheck_core::Reason;
use crosscheck_core::advice::RunReason;
use crosscheck_core::envelope::ErrorEnvelope;
use crosscheck_done::audit::Audit;
use crosscheck_done::reasons::DoneReason;
use crosscheck_done::report::receipt::Receipt;
use crosscheck_ledger::{LedgerReason, Record};
use crosscheck_pr::reasons::{PrReason, PrRunReason};
use crosscheck_rows::check::reasons::{ContractFailure, ContractReason, DecisionReason};
use crosscheck_rows::reasons::{CallReason, RowReason, RowsFailure};
use crosscheck_rows::schemas as rows;
use crosscheck_sources::reasons::{Code as SourceCode, LintCode};
use crosscheck_sources::report::result::SourcesReport;
use crosscheck_trace::report::VerificationReportV1;
use crosscheck_trace::{TraceReason, TraceRunReason};
use crosscheck_workspace::VerificationResult;
use crosscheck_workspace::reasons::{Finding, WorkspaceReason};
use crosscheck_workspace::report::result::ParsedReport;
use schemars::{Schema, schema_for};

use crate::batch::BatchReason;

/// The reasons of one part of crosscheck.
#[derive(Debug, Clone, Copy)]
pub struct ReasonSection {
    /// The part, for example `rows`.
    pub part: &'static str,
    /// When its reasons are given.
    pub occurs: &'static str,
    /// Its reasons in declaration order.
    pub reasons: &'static [&'static Reason],
}

/// Declares the sections: the part, its codes, and when they are given.
macro_rules! reasons_of {
    ($($part:literal, $reasons:ty, $occurs:literal;)+) => {
        /// All reasons, by part, in a fixed order.
        pub const REASONS: &[ReasonSection] = &[
            $(ReasonSection { part: $part, occurs: $occurs, reasons: <$reasons>::ALL },)+
        ];
    };
}

reasons_of! {
    "run", RunReason,
        "when this keeps a command from running or from finishing";
    "rows call", CallReason,
        "when `rows` finds this about a call of a log";
    "rows run", RowsFailure,
        "when this keeps `rows` from doing its work";
    "rows", RowReason,
        "when `quick` or `check` finds this about a log, or about one of its tool calls";
    "check", ContractReason,
        "when `check` or `enforce` finds this about a step, or about the run around it";
    "contract", ContractFailure,
        "when this keeps `check`, `enforce` or another contract command from running, or is wrong with a bundle";
    "decision", DecisionReason,
        "when `enforce` decides about a run, or a coverage budget is applied, and this is the outcome";
    "claims", ClaimReason,
        "when `claims` or `cf-verify` finds this about an evidence item, or about the document";
    "claims warning", ClaimWarning,
        "when `claims` or `cf-verify` finds this in a document or in the settings; the file of --details has it";
    "judge", JudgeReason,
        "when a judge is asked about a claim and a text, and this is why it answers as it does";
    "sources", SourceCode,
        "when `sources` finds this about a cited URL";
    "sources lint", LintCode,
        "when `sources` finds this in a log or document; it changes no verdict about a URL";
    "trace", TraceReason,
        "when `trace` finds this in a run";
    "trace run", TraceRunReason,
        "when this keeps `trace` from doing its work, or a part of it";
    "workspace", Finding,
        "when `verify` or `workspace parse-report` looks at the report of a judge, or at what it is about, and finds this";
    "workspace command", WorkspaceReason,
        "when this keeps `verify` or a `workspace` command from doing its work";
    "done", DoneReason,
        "when `done` judges a statement of a final message and this is why it is verified, refuted or unproven";
    "pr", PrReason,
        "when `pr` compares a claim of a text with the diff and this is why it is confirmed, refuted or undecided";
    "pr run", PrRunReason,
        "when this keeps `pr` from looking at a change";
    "ledger", LedgerReason,
        "when a run cannot be recorded, or `ledger verify` finds this in the chain of records";
    "batch", BatchReason,
        "when a job of `batch` or a call of `mcp` gets no answer from the process that does it";
}

/// A document with its JSON Schema: the contract where there is one, else
/// generated from the Rust type.
#[derive(Debug, Clone, Copy)]
pub struct SchemaDocument {
    /// The name that `crosscheck schema` takes.
    pub name: &'static str,
    /// What the document is, in one line.
    pub about: &'static str,
    /// The schema.
    pub schema: fn() -> Schema,
}

/// Declares the documents: name, meaning, schema.
macro_rules! documents {
    ($($name:literal, $about:literal, $schema:expr;)+) => {
        /// All documents, in a fixed order.
        pub const DOCUMENTS: &[SchemaDocument] = &[
            $(SchemaDocument { name: $name, about: $about, schema: $schema },)+
        ];
    };
}

documents! {
    "error-envelope", "the one line on standard error when a contract command could not run",
        || schema_for!(ErrorEnvelope);
    "config", "the configuration file `crosscheck.toml`",
        || Schema::try_from(crate::config::schema()).unwrap_or_default();
    "outcome-certificate", "the certificate `quick` and `check` print",
        rows::outcome_certificate;
    "quick-report", "the file of `quick --write-report`",
        rows::quick_report;
    "registry", "the registry that `check` reads and `quick --export-registry` writes",
        rows::registry;
    "event", "one line of the file that `check --events` reads and `quick --emit-events` writes",
        rows::event;
    "rows-report", "the report of `rows --format json`",
        rows::rows_report;
    "rows-contract", "the contract of `rows --contract`, as JSON",
        rows::rows_contract;
    "sub-result", "the SubResult.v1 that `crosscheck claims` reads",
        || contract(include_str!("../../../schemas/context-firewall/sub-result.v1.schema.json"));
    "verify-report", "the VerifyReport.v1 of `crosscheck claims`",
        || contract(include_str!("../../../schemas/context-firewall/verify-report.v1.schema.json"));
    "sources-report", "the CrosscheckSources.v1 of `crosscheck sources --format json` and --report",
        || schema_for!(SourcesReport);
    "trace-report", "the report of `crosscheck trace --json`",
        || schema_for!(VerificationReportV1);
    "workspace-result", "what `verify --json` prints",
        || schema_for!(VerificationResult);
    "workspace-parsed-report", "what `workspace parse-report --json` prints",
        || schema_for!(ParsedReport);
    "done-receipt", "the crosscheck.done.receipt/1 of `crosscheck done check --format json`",
        || schema_for!(Receipt);
    "done-audit", "the crosscheck.done.audit/1 of `crosscheck done audit --format json`",
        || schema_for!(Audit);
    "ledger-record", "the crosscheck.ledger.record/1 of `crosscheck ledger show --format ndjson`",
        || schema_for!(Record);
    "batch-job", "one line of standard input of `crosscheck batch`",
        || schema_for!(crate::batch::Work);
    "batch-answer", "one line of standard output of `crosscheck batch`",
        || schema_for!(crate::batch::Answer);
}

#[expect(clippy::expect_used, reason = "see the message")]
fn contract(text: &str) -> Schema {
    serde_json::from_str(text).expect("a schema of the program is JSON")
}

/// Every declaration with the part it belongs to.
pub fn all() -> Vec<(&'static ReasonSection, &'static Reason)> {
    REASONS
        .iter()
        .flat_map(|section| section.reasons.iter().map(move |reason| (section, *reason)))
        .collect()
}

/// Every declaration of a code; a code may belong to several parts. Reports
/// print some codes without their first word: `run_failed`.
pub fn explain(code: &str) -> Vec<(&'static ReasonSection, &'static Reason)> {
    let is_it = |name: &str| name.eq_ignore_ascii_case(code);
    let by = |fits: &dyn Fn(&Reason) -> bool| {
        let mut found = all();
        found.retain(|(_, reason)| fits(reason));
        found
    };
    let whole = by(&|reason| is_it(reason.code));
    if !whole.is_empty() {
        return whole;
    }
    by(&|reason| {
        reason
            .code
            .split_once('_')
            .is_some_and(|(_, short)| is_it(short))
    })
}

/// The code that is spelt most like this one, unless it is another word.
pub fn nearest(code: &str) -> Option<&'static str> {
    let codes = all().into_iter().map(|(_, reason)| reason.code);
    near(&code.to_ascii_uppercase(), codes)
}

/// The same among other words.
pub fn near(word: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let distance = |known: &str| {
        let short = known.split_once('_').map_or(known, |(_, short)| short);
        let whole = strsim::damerau_levenshtein(word, known);
        whole.min(strsim::damerau_levenshtein(word, short))
    };
    let near = known.min_by_key(|known| distance(known))?;
    (distance(near) <= word.len().div_ceil(4)).then_some(near)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_misspelt_code_has_a_nearest_one_and_another_word_has_none() {
        for (code, near) in [
            ("VALUE_MISMTCH", Some("VALUE_MISMATCH")),
            ("row_absnt", Some("ROW_ABSENT")),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(nearest(code), near, "{code}");
        }
    }

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
        let short = explain("run_failed");
        assert!(
            short
                .iter()
                .any(|(_, reason)| reason.code == "DONE_RUN_FAILED")
        );
    }
}
