//! The machine-readable form of "the run could not be done".
//!
//! One shape for every contract command (`cli-error-envelope.schema.json`):
//! one JSON object on one line on standard error.

use schemars::JsonSchema;
use serde::Serialize;

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

/// What an envelope says about a code, besides the message of the single case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Diagnosis {
    /// One sentence about the code.
    pub summary: &'static str,
    /// Where the failure comes from, for example `inputs`.
    pub origin: &'static str,
    /// For example `bad_input`.
    pub category: &'static str,
    /// `low`, `medium` or `high`.
    pub severity: &'static str,
    /// For example `fix_cli_usage`.
    pub action: &'static str,
}

impl ErrorEnvelope {
    /// An envelope for this code; the message is made to fit one line.
    pub fn new(code: &'static str, message: &str, diagnosis: &Diagnosis) -> Self {
        Self {
            schema_version: 2,
            kind: "execution_truth_layer_error",
            code,
            message: one_line(message),
            failure_diagnosis: FailureDiagnosis {
                summary: diagnosis.summary,
                primary_origin: diagnosis.origin,
                confidence: "high",
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

    /// The same for a code that is in no table: what it means is a guess.
    #[must_use]
    pub fn unsure(mut self) -> Self {
        self.failure_diagnosis.confidence = "low";
        self
    }
}
