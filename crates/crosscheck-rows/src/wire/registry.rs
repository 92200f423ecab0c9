//! One entry of an exported registry (`tools-registry-export.schema.json`).

use crosscheck_core::JsString;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegistryEntry {
    pub(crate) tool_id: String,
    pub(crate) effect_description_template: String,
    pub(crate) verification: Verification,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Verification {
    #[serde(rename_all = "camelCase")]
    SqlRow {
        table: Const,
        identity_eq: Vec<Pair>,
        required_fields: Pointer,
    },
    SqlRelational {
        checks: Vec<RelatedCheck>,
    },
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RelatedCheck {
    pub(crate) check_kind: &'static str,
    pub(crate) id: String,
    pub(crate) child_table: Const,
    pub(crate) match_eq: Vec<Pair>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Pair {
    pub(crate) column: Const,
    pub(crate) value: ValueSpec,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ValueSpec {
    Const(Const),
    Pointer(Pointer),
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Const {
    #[serde(rename = "const")]
    pub(crate) value: JsString,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Pointer {
    pub(crate) pointer: JsString,
}

impl From<&str> for Const {
    fn from(value: &str) -> Self {
        Self {
            value: value.into(),
        }
    }
}
