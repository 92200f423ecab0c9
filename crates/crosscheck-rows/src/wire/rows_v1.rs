//! The report of `rows`, `crosscheck.rows/1` (rows 11).

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// Everything but the outcomes, which are written one by one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowsHeadV1 {
    pub(crate) schema: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) verifier: &'static str,
    pub(crate) subject: String,
    pub(crate) verdict: &'static str,
    pub(crate) exit_code: u8,
    pub(crate) summary: String,
    pub(crate) counts: CountsV1,
    pub(crate) calls: CallsV1,
    pub(crate) coverage: CoverageV1,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contract: Option<ContractV1>,
    /// Whether values and keys were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) redacted: bool,
    /// What the agent says at the end and no proven call bears out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub(crate) claims: Vec<ClaimV1>,
    pub(crate) warnings: Vec<String>,
}

/// Something that the agent only says.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimV1 {
    pub(crate) unit: String,
    pub(crate) claim: String,
    pub(crate) verdict: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

/// The whole document, for its schema.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowsReportV1 {
    #[serde(flatten)]
    pub(crate) head: RowsHeadV1,
    pub(crate) outcomes: Vec<OutcomeV1>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CountsV1 {
    pub(crate) refuted: usize,
    pub(crate) undecided: usize,
    pub(crate) confirmed: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallsV1 {
    pub(crate) total: usize,
    pub(crate) writes: usize,
    pub(crate) proven: usize,
    pub(crate) refuted: usize,
    pub(crate) unproven: usize,
    pub(crate) superseded: usize,
    pub(crate) reads: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoverageV1 {
    pub(crate) checked: usize,
    pub(crate) writes: usize,
}

/// The contract that decided.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ContractV1 {
    pub(crate) path: String,
    pub(crate) sha256: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutcomeV1 {
    pub(crate) unit: String,
    pub(crate) claim: String,
    pub(crate) verdict: &'static str,
    pub(crate) state: &'static str,
    pub(crate) reasons: Vec<ReasonV1>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) observed: Option<String>,
    pub(crate) place: PlaceV1,
    pub(crate) call: CallV1,
    pub(crate) rows: Vec<RowV1>,
    pub(crate) uncompared: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReasonV1 {
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlaceV1 {
    pub(crate) path: String,
    pub(crate) line: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallV1 {
    pub(crate) index: u32,
    pub(crate) id: Option<String>,
    pub(crate) tool: String,
    pub(crate) step: u32,
    pub(crate) class: &'static str,
    pub(crate) class_from: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowV1 {
    pub(crate) table: String,
    pub(crate) key: BTreeMap<String, String>,
    pub(crate) key_from: &'static str,
    pub(crate) looked: &'static str,
    pub(crate) sure: bool,
    pub(crate) why: String,
    pub(crate) facts: Vec<FactV1>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FactV1 {
    pub(crate) column: Option<String>,
    pub(crate) child_table: Option<String>,
    pub(crate) claimed: AnyJson,
    pub(crate) found: AnyJson,
    pub(crate) asked: AnyJson,
    pub(crate) source: &'static str,
    pub(crate) field: String,
    pub(crate) firm: bool,
    pub(crate) state: &'static str,
    pub(crate) tolerance: &'static str,
}

/// Any JSON value, as its text.
#[derive(Debug)]
pub(crate) struct AnyJson(pub(crate) String);

impl Serialize for AnyJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0)
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl JsonSchema for AnyJson {
    fn schema_name() -> Cow<'static, str> {
        "AnyJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}
