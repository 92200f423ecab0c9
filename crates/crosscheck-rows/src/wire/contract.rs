//! What a contract run says must hold: `correctnessEnforceableProjection` of
//! `workflow-truth-report.schema.json`, and the resolved requests in it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContractProjection {
    pub(crate) workflow_id: String,
    pub(crate) verification_policy_fragment: String,
    #[serde(flatten)]
    pub(crate) rule: ContractRule,
}

#[derive(Debug, Clone, Serialize)]
#[serde(
    tag = "projectionKind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum ContractRule {
    RunIngestIntegrity {
        primary_failure_codes: Vec<&'static str>,
        ingest_contract_requirement: &'static str,
    },
    EventCaptureIntegrity {
        forbidden_event_sequence_codes: Vec<&'static str>,
    },
    RunContextFairness {
        ingest_index: usize,
        required_upstream_contract: &'static str,
        primary_run_context_codes: Vec<&'static str>,
    },
    StepRegistryExpectation {
        seq: u64,
        tool_id: String,
        verification_request: Option<VerificationRequest>,
    },
}

/// What was looked for, with every pointer of the registry followed.
#[derive(Debug, Clone, Serialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum VerificationRequest {
    SqlRow(ResolvedRow),
    SqlRowAbsent {
        table: String,
        identity_eq: Vec<ResolvedPair>,
        filter_eq: Vec<ResolvedPair>,
    },
    SqlEffects {
        effects: Vec<ResolvedEffect>,
    },
    SqlRelational {
        checks: Vec<ResolvedCheck>,
    },
    VectorDocument {
        #[serde(flatten)]
        parts: WitnessParts,
    },
    ObjectStorageObject {
        #[serde(flatten)]
        parts: WitnessParts,
    },
    HttpWitness {
        #[serde(flatten)]
        parts: WitnessParts,
        method: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        expected_status: Option<Value>,
    },
    MongoDocument {
        #[serde(flatten)]
        parts: WitnessParts,
        filter: Map<String, Value>,
        required_fields: Map<String, Value>,
    },
}

/// Texts of a request outside the database, by the names of its registry entry.
pub(crate) type WitnessParts = BTreeMap<&'static str, String>;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolvedRow {
    pub(crate) table: String,
    pub(crate) identity_eq: Vec<ResolvedPair>,
    pub(crate) required_fields: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ResolvedPair {
    pub(crate) column: String,
    pub(crate) value: String,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ResolvedEffect {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    #[serde(flatten)]
    pub(crate) row: ResolvedRow,
}

#[derive(Debug, Clone, Serialize)]
#[serde(
    tag = "checkKind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub(crate) enum ResolvedCheck {
    RelatedExists {
        id: String,
        child_table: String,
        match_eq: Vec<ResolvedPair>,
    },
    Aggregate {
        id: String,
        table: String,
        #[serde(rename = "fn")]
        function: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        sum_column: Option<String>,
        where_eq: Vec<ResolvedPair>,
        #[serde(flatten)]
        expect: ResolvedExpect,
    },
    JoinCount {
        id: String,
        left_table: String,
        right_table: String,
        left_join_column: String,
        right_join_column: String,
        where_eq: Vec<ResolvedSide>,
        #[serde(flatten)]
        expect: ResolvedExpect,
    },
    AntiJoin {
        id: String,
        anchor_table: String,
        lookup_table: String,
        anchor_column: String,
        lookup_column: String,
        lookup_presence_column: String,
        filter_eq_anchor: Vec<ResolvedPair>,
        filter_eq_lookup: Vec<ResolvedPair>,
    },
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolvedExpect {
    pub(crate) expect_op: &'static str,
    pub(crate) expect_value: Value,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ResolvedSide {
    pub(crate) side: &'static str,
    #[serde(flatten)]
    pub(crate) pair: ResolvedPair,
}
