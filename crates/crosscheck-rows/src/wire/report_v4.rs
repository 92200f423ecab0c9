//! The quick report, version 4.

use crosscheck_core::JsString;
use schemars::JsonSchema;
use serde::Serialize;

use super::certificate_v3::{CorrectnessDefinition, EvidenceCompleteness, Projection};
use super::registry::RegistryEntry;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuickReportV4 {
    pub(crate) schema_version: u8,
    pub(crate) verdict: &'static str,
    pub(crate) summary: JsString,
    pub(crate) verification_mode: &'static str,
    pub(crate) scope: Scope,
    pub(crate) product_truth: ProductTruth,
    pub(crate) ingest: IngestV4,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ingest_warnings: Vec<IngestWarning>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) run_header_reason_codes: Vec<&'static str>,
    pub(crate) units: Vec<UnitV4>,
    pub(crate) exportable_registry: ExportableRegistry,
    pub(crate) evidence_completeness: EvidenceCompleteness,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scope {
    pub(crate) quick_verify_version: &'static str,
    pub(crate) capabilities: [&'static str; 2],
    pub(crate) limitations: [&'static str; 4],
    pub(crate) ingest_contract: &'static str,
    pub(crate) ground_truth: &'static str,
}

/// A.13
pub(crate) const SCOPE: Scope = Scope {
    quick_verify_version: "1.2.1",
    capabilities: ["inferred_row", "inferred_related_exists"],
    limitations: [
        "quick_verify_inferred_row_and_related_exists_only",
        "no_multi_effect_contract",
        "no_destructive_or_forbidden_row_contract",
        "contract_replay_export_row_and_eligible_related_exists_tools",
    ],
    ingest_contract: "structured_tool_activity",
    ground_truth: "read_only_sql",
};

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProductTruth {
    pub(crate) does_not_prove: [&'static str; 3],
    pub(crate) layers: Layers,
    pub(crate) quick_verify_provisional: bool,
    pub(crate) contract_replay_partial_coverage: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Layers {
    pub(crate) declared: &'static str,
    pub(crate) expected: &'static str,
    pub(crate) observed: &'static str,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IngestV4 {
    pub(crate) reason_codes: Vec<&'static str>,
    pub(crate) malformed_line_count: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IngestWarning {
    pub(crate) code: &'static str,
    pub(crate) action_key: JsString,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnitV4 {
    pub(crate) unit_id: String,
    pub(crate) kind: &'static str,
    pub(crate) verdict: &'static str,
    pub(crate) confidence: f64,
    pub(crate) reason_codes: Vec<&'static str>,
    pub(crate) source_action: SourceAction,
    pub(crate) contract_eligible: bool,
    pub(crate) inference: Inference,
    pub(crate) verification: VerificationV4,
    pub(crate) explanation: String,
    pub(crate) reconciliation: ReconciliationV4,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) correctness_definition: Option<CorrectnessDefinition<Projection>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceAction {
    pub(crate) tool_name: JsString,
    pub(crate) action_index: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Inference {
    pub(crate) table: String,
    pub(crate) rationale: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) alternates: Vec<Alternate>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Alternate {
    pub(crate) table: String,
    pub(crate) score: f64,
}

#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VerificationV4 {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) row_count: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) row_keys: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actual: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ReconciliationV4 {
    pub(crate) declared: JsString,
    pub(crate) expected: JsString,
    pub(crate) observed_database: JsString,
    pub(crate) verification_verdict: JsString,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ExportableRegistry {
    pub(crate) tools: Vec<RegistryEntry>,
}
