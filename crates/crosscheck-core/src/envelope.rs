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

/// The contract's table (check 2.1): codes, or how they begin, and what is said about them.
fn diagnosis(code: &str) -> Option<Diagnosis> {
    let is_meant = |known: &str| match known.strip_suffix('*') {
        Some(start) => code.starts_with(start),
        None => known == code,
    };
    include_str!("envelope.tsv").lines().find_map(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        next()?.split(' ').any(is_meant).then_some(())?;
        Some(Diagnosis {
            summary: next()?,
            origin: next()?,
            category: next()?,
            severity: next()?,
            action: next()?,
        })
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
