//! The output documents; they mirror their contracts and do nothing else.
//!
//! Contract: claims 3.1.

use crosscheck_core::json::Value;
use crosscheck_core::{JsString, Json, Node};
use crosscheck_judge::{Answer, JudgeSeen};
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use crate::Warning;
use crate::judge::{ClaimStatus, Hints};

/// VerifyReport.v1.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyReportV1 {
    pub(crate) version: &'static str,
    pub(crate) task_id: JsString,
    pub(crate) status: StatusV1,
    pub(crate) checked: usize,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) failures: Vec<FailureV1>,
    pub(crate) recommendation: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusV1 {
    Ok,
    Failed,
    Partial,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct FailureV1 {
    pub(crate) claim_id: JsString,
    pub(crate) reason: String,
    pub(crate) evidence: FailedEvidenceV1,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct FailedEvidenceV1 {
    pub(crate) source: Echo,
    pub(crate) locator: Echo,
    pub(crate) evidence_index: usize,
    pub(crate) code: &'static str,
    #[serde(skip_serializing_if = "Hints::is_empty")]
    pub(crate) hint: Hints,
}

/// A value of the input, written as it was there.
#[derive(Debug, Clone)]
pub(crate) struct Echo(Json);

impl Echo {
    pub(crate) fn of(node: Node<'_>) -> Self {
        Self(node.to_json())
    }
}

impl Serialize for Echo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EchoNode(self.0.root()).serialize(serializer)
    }
}

/// The reader allows 128 levels, so the recursion is bounded.
struct EchoNode<'j>(Node<'j>);

impl Serialize for EchoNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.value() {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(truth) => serializer.serialize_bool(truth),
            Value::Number(digits) => {
                serde_json::value::RawValue::from_string(digits.text().to_owned())
                    .map_err(serde::ser::Error::custom)?
                    .serialize(serializer)
            }
            Value::String(text) => text.serialize(serializer),
            Value::Array(elements) => {
                let mut seq = serializer.serialize_seq(None)?;
                for element in elements {
                    seq.serialize_element(&EchoNode(element))?;
                }
                seq.end()
            }
            Value::Object(members) => {
                let mut map = serializer.serialize_map(None)?;
                let mut kept: Vec<(crosscheck_core::JsStr<'_>, Node<'_>)> = members.collect();
                // The last value of a repeated key counts.
                let last = |key: crosscheck_core::JsStr<'_>, at: usize| {
                    !members
                        .skip(at + 1)
                        .any(|(other, _)| other.bytes() == key.bytes())
                };
                let mut at = 0;
                kept.retain(|(key, _)| {
                    at += 1;
                    last(*key, at - 1)
                });
                for (key, value) in kept {
                    map.serialize_entry(&key.to_str_lossy(), &EchoNode(value))?;
                }
                map.end()
            }
        }
    }
}

/// `CrosscheckClaimsDetails.v1`.
#[derive(Debug, Serialize)]
pub(crate) struct DetailsV1 {
    pub(crate) version: &'static str,
    pub(crate) report: VerifyReportV1,
    pub(crate) selection: Option<SelectionV1>,
    pub(crate) confidence: Option<ConfidenceV1>,
    pub(crate) judge: Option<JudgeSeen>,
    pub(crate) claims: Vec<ClaimV1>,
    pub(crate) warnings: Vec<Warning>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SelectionV1 {
    pub(crate) mode: &'static str,
    pub(crate) rate: String,
    pub(crate) total: usize,
    pub(crate) n: usize,
    pub(crate) seed: String,
    pub(crate) indices: Vec<usize>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ConfidenceV1 {
    pub(crate) level: f64,
    pub(crate) upper_bound_share_bad: Option<f64>,
    pub(crate) statement: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ClaimV1 {
    pub(crate) claim_id: JsString,
    pub(crate) index: usize,
    pub(crate) status: ClaimStatus,
    pub(crate) evidence: Vec<EvidenceV1>,
}

#[derive(Debug, Serialize)]
pub(crate) struct EvidenceV1 {
    pub(crate) evidence_index: usize,
    pub(crate) status: ClaimStatus,
    pub(crate) code: &'static str,
    pub(crate) judge: Option<Answer>,
    pub(crate) quote: QuoteV1,
    pub(crate) ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trouble: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct QuoteV1 {
    #[serde(rename = "match")]
    pub(crate) matched: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_keeps_order_digits_and_the_last_of_repeated_keys() {
        let json = Json::parse(r#"{"b":1.50,"a":[1e2,null,"\ud800x"],"b":2.0}"#).unwrap();
        let text = serde_json::to_string(&Echo::of(json.root())).unwrap();
        assert_eq!(text, r#"{"a":[1e2,null,"\ud800x"],"b":2.0}"#);
    }
}
