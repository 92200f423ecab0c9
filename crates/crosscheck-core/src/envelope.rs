//! The machine-readable form of "the run could not be done" (check 2.1).
//!
//! One shape for every contract command (`cli-error-envelope.schema.json`):
//! one JSON object on one line on standard error.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Reason;
use crate::text::one_line;

/// One error of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorEnvelope {
    schema_version: u8,
    kind: &'static str,
    code: &'static str,
    message: String,
    failure_diagnosis: FailureDiagnosis,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FailureDiagnosis {
    summary: &'static str,
    primary_origin: &'static str,
    confidence: &'static str,
    evidence: [ReferenceCode; 1],
    actionable_failure: ActionableFailure,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReferenceCode {
    reference_code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ActionableFailure {
    category: &'static str,
    severity: &'static str,
    recommended_action: &'static str,
    automation_safe: bool,
}

/// What an envelope says about a code, besides the message.
struct Diagnosis {
    summary: &'static str,
    origin: &'static str,
    category: &'static str,
    severity: &'static str,
    action: &'static str,
}

impl ErrorEnvelope {
    /// An envelope for this code; the message is put on one line. For a code
    /// that the contract does not list the classification is a guess, with low
    /// confidence.
    pub fn new(reason: &'static Reason, message: &str) -> Self {
        let code = reason.code;
        let known = diagnosis(code);
        let confidence = if known.is_some() { "high" } else { "low" };
        let diagnosis = known.unwrap_or(Diagnosis {
            summary: "The run could not be finished; the message says why.",
            origin: "workflow_flow",
            category: "unclassified",
            severity: "medium",
            action: "manual_review",
        });
        Self {
            schema_version: 2,
            kind: "execution_truth_layer_error",
            code,
            message: one_line(message),
            failure_diagnosis: FailureDiagnosis {
                summary: diagnosis.summary,
                primary_origin: diagnosis.origin,
                confidence,
                evidence: [ReferenceCode {
                    reference_code: code,
                }],
                actionable_failure: ActionableFailure {
                    category: diagnosis.category,
                    severity: diagnosis.severity,
                    recommended_action: diagnosis.action,
                    automation_safe: false,
                },
            },
        }
    }
}

/// The contract's table (check 2.1).
fn diagnosis(code: &str) -> Option<Diagnosis> {
    let (summary, origin, category, severity, action) = match code {
        "CLI_USAGE" | "ENFORCE_USAGE" | "VERIFICATION_POLICY_INVALID" => (
            "The command line, or an input it names, cannot be used.",
            "inputs",
            "bad_input",
            "low",
            "fix_cli_usage",
        ),
        "VALIDATE_REGISTRY_USAGE" | "COMPARE_USAGE" => (
            "The command line cannot be used.",
            "workflow_flow",
            "bad_input",
            "low",
            "fix_cli_usage",
        ),
        "EVENTS_READ_FAILED" => (
            "The events file cannot be read.",
            "inputs",
            "bad_input",
            "high",
            "fix_registry_events_or_compare_files",
        ),
        "SQLITE_DATABASE_OPEN_FAILED" | "POSTGRES_CLIENT_SETUP_FAILED" => (
            "The database cannot be opened for reading.",
            "downstream_system_state",
            "downstream_execution_failure",
            "high",
            "fix_verification_database_connection",
        ),
        "COMPARE_WORKFLOW_ID_MISMATCH" => (
            "The certificates belong to different workflows.",
            "workflow_flow",
            "control_flow_problem",
            "medium",
            "fix_compare_workflow_inputs",
        ),
        "VERIFICATION_OUTPUT_LOCK_MISMATCH" => (
            "The run differs from the accepted baseline.",
            "workflow_flow",
            "state_inconsistency",
            "high",
            "reconcile_downstream_state",
        ),
        "TRACE_INPUT_UNREADABLE" | "INPUT_TOO_LARGE" => (
            "An input of the run cannot be read.",
            "inputs",
            "bad_input",
            "high",
            "fix_cli_usage",
        ),
        "INTERNAL_ERROR" => (
            "The run could not be finished; no verdict was reached.",
            "workflow_flow",
            "control_flow_problem",
            "high",
            "manual_review",
        ),
        code if code.starts_with("REGISTRY_") || code.starts_with("COMPARE_INPUT_") => (
            "An input file cannot be used.",
            "inputs",
            "bad_input",
            "medium",
            "fix_registry_events_or_compare_files",
        ),
        _ => return None,
    };
    Some(Diagnosis {
        summary,
        origin,
        category,
        severity,
        action,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::RunReason;

    #[test]
    fn a_code_that_the_contract_does_not_list_has_low_confidence() {
        let confidence = |reason: &'static Reason| {
            let envelope = ErrorEnvelope::new(reason, "a\nb");
            assert_eq!(envelope.message, "a b");
            envelope.failure_diagnosis.confidence
        };
        assert_eq!(confidence(RunReason::CliUsage.reason()), "high");
        assert_eq!(confidence(RunReason::OutputUnwritable.reason()), "low");
    }
}
