//! The coverage budget: which kinds of witnesses a workflow must satisfy.
//!
//! Contract: check 12.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crosscheck_core::advice::with_causes;
use crosscheck_core::files::read_limited;
use serde::Deserialize;
use serde_json::Value;

use super::Report;
use crate::check::error::ContractError;
use crate::check::schema::Schema;

const MAX_BYTES: u64 = 1024 * 1024;

/// A budget file, read and checked.
#[derive(Debug, Clone)]
pub struct Budget {
    path: PathBuf,
    /// What this workflow must satisfy; `None` when the file does not name it.
    required: Option<Vec<String>>,
}

/// A budget file.
#[derive(Deserialize)]
struct Rows {
    workflows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    workflow_id: String,
    minimum_fully_satisfied_kinds: BTreeSet<String>,
}

/// What the budget says about a run.
#[derive(Debug, Clone)]
pub struct BudgetVerdict {
    /// Two lines for machines.
    pub lines: String,
    /// A block for people.
    pub block: String,
    /// Whether the budget is missed.
    pub missed: bool,
}

impl Budget {
    /// Reads a budget file for one workflow.
    pub fn load(path: &Path, workflow_id: &str) -> Result<Self, ContractError> {
        let fail = |why: String| {
            ContractError::usage(format!("--coverage-budget `{}`: {why}", path.display()))
        };
        let bytes = read_limited(path, MAX_BYTES).map_err(|error| fail(with_causes(&error)))?;
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| fail(format!("not JSON: {error}")))?;
        if let Some(first) = Schema::CoverageBudget.violations(&value).first() {
            return Err(fail(format!("at {}: {}", first.path, first.message)));
        }
        let file: Rows = serde_json::from_value(value).map_err(|error| fail(error.to_string()))?;
        let mut seen = BTreeSet::new();
        let mut required = None;
        for row in file.workflows {
            if row.workflow_id == workflow_id {
                required = Some(row.minimum_fully_satisfied_kinds.into_iter().collect());
            }
            if let Some(twice) = seen.replace(row.workflow_id) {
                return Err(fail(format!("the workflow `{twice}` is listed twice")));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            required,
        })
    }

    /// What it says about a run.
    pub fn judge(&self, report: &Report) -> BudgetVerdict {
        let csv = |list: &[String]| {
            if list.is_empty() {
                "-".to_owned()
            } else {
                list.join(",")
            }
        };
        let satisfied: Vec<String> = report
            .satisfied
            .iter()
            .map(|kind| (*kind).to_owned())
            .collect();
        let required = self.required.clone().unwrap_or_default();
        let missing: Vec<String> = required
            .iter()
            .filter(|kind| !satisfied.contains(kind))
            .cloned()
            .collect();
        let (verdict, code, shown) = match &self.required {
            None => ("skipped", "SKIP_NO_ENTRY", Vec::new()),
            Some(_) if missing.is_empty() => ("pass", "PASS", satisfied),
            Some(_) => ("fail", "FAIL_UNDERFULL", satisfied),
        };
        let workflow = percent_encoded(&report.head.workflow_id);
        BudgetVerdict {
            lines: format!(
                "coverage_budget_verdict: {verdict}\ncoverage_budget_detail: workflow={workflow} verdict={verdict} required={} satisfied={} missing={} code={code}\n",
                csv(&required),
                csv(&shown),
                csv(&missing)
            ),
            block: format!(
                "=== coverage_budget ===\npolicy_path: {}\nrequired_kinds: {}\nobserved_fully_satisfied: {}\nresult: {verdict}\n=== end coverage_budget ===\n",
                self.path.display(),
                csv(&required),
                csv(&shown)
            ),
            missed: verdict == "fail",
        }
    }
}

/// As `encodeURIComponent` writes it.
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
