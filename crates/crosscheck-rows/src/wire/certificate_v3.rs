//! Outcome Certificate v3 (`outcome-certificate-v3.schema.json`).
//!
//! Contract: check 11.

use crosscheck_core::json::Scalar;
use crosscheck_core::{JsString, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CertificateV3 {
    pub(crate) schema_version: u8,
    pub(crate) workflow_id: String,
    pub(crate) run_kind: RunKind,
    pub(crate) state_relation: StateRelation,
    pub(crate) high_stakes_reliance: Reliance,
    pub(crate) release_critical_verdict: Trust,
    pub(crate) reliance_rationale: String,
    pub(crate) intent_summary: JsString,
    pub(crate) explanation: Explanation,
    pub(crate) steps: Vec<Step>,
    pub(crate) human_report: String,
    pub(crate) evidence_completeness: EvidenceCompleteness,
    pub(crate) failure_spine: FailureSpine,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) correctness_definition: Option<CorrectnessDefinition<EnforceableProjection>>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunKind {
    QuickPreview,
    ContractSql,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateRelation {
    MatchesExpectations,
    DoesNotMatch,
    NotEstablished,
}

impl From<Verdict> for StateRelation {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Confirmed => Self::MatchesExpectations,
            Verdict::Undecided => Self::NotEstablished,
            Verdict::Refuted => Self::DoesNotMatch,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reliance {
    Permitted,
    Prohibited,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trust {
    Trusted,
    NotTrusted,
    Unknown,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Explanation {
    pub(crate) headline: JsString,
    pub(crate) details: Vec<Detail>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Detail {
    pub(crate) code: String,
    pub(crate) message: JsString,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    pub(crate) seq: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_id: Option<JsString>,
    pub(crate) release_critical: bool,
    pub(crate) declared_action: JsString,
    pub(crate) expected_outcome: JsString,
    pub(crate) observed_outcome: JsString,
}

/// `evidence-completeness-v1.schema.json`
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EvidenceCompleteness {
    pub(crate) schema_version: u8,
    pub(crate) blocker_category: BlockerCategory,
    pub(crate) quick_signal: QuickSignal,
    pub(crate) verified_claims: Vec<JsString>,
    pub(crate) unverified_claims: Vec<JsString>,
    pub(crate) missing_inputs: Vec<MissingInput>,
    pub(crate) next_actions: Vec<NextAction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) witness_coverage: Option<WitnessCoverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rerun_readiness: Option<RerunReadiness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rerun_path: Option<RerunPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remediation_items: Option<Vec<RemediationItem>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BlockerCategory {
    None,
    PreviewLane,
    IngestEmpty,
    IngestUnstructured,
    RegistryUnknownTool,
    RegistryResolution,
    DatabaseAccess,
    TimingOrWindow,
    WitnessUnavailable,
    StateMismatch,
    VerificationIncomplete,
    EventSequence,
    ControlFlowContext,
}

/// `witnessCoverageV1`
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WitnessCoverage {
    pub(crate) schema_version: u8,
    pub(crate) exercised_kinds: Vec<&'static str>,
    pub(crate) fully_satisfied_kinds: Vec<&'static str>,
    pub(crate) not_fully_satisfied_kinds: Vec<&'static str>,
    pub(crate) support_label: &'static str,
    pub(crate) summary_line: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuickSignal {
    Na,
    NoActions,
    NoStructuredActivity,
    NoSqlCandidates,
    SqlRanUncertain,
    SqlRanFailed,
    SqlRanPassed,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MissingInput {
    pub(crate) code: String,
    pub(crate) hint: JsString,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct NextAction {
    pub(crate) id: RecommendedAction,
    pub(crate) text: &'static str,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RerunReadiness {
    RerunReadySameInputs,
    FixInputsBeforeRerun,
    FixRegistryBeforeRerun,
    ReconcileStateBeforeRerun,
    ManualReviewBeforeRerun,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RerunPath {
    #[serde(rename = "type")]
    pub(crate) kind: RerunKind,
    pub(crate) same_inputs: bool,
    pub(crate) prerequisite: &'static str,
    pub(crate) meaningful_when: &'static str,
    pub(crate) readiness_label: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "the words of the contract")]
pub(crate) enum RerunKind {
    SameInputVerify,
    AfterInputFixVerify,
    AfterStateFixVerify,
    AfterManualReviewVerify,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemediationItem {
    pub(crate) id: String,
    pub(crate) scope: RemediationScope,
    pub(crate) primary: bool,
    pub(crate) failed_check: JsString,
    pub(crate) reason_codes: Vec<&'static str>,
    pub(crate) reason: String,
    pub(crate) recommended_action: RecommendedAction,
    pub(crate) action_text: &'static str,
    pub(crate) expected_state: ExpectedState,
    pub(crate) automation: Automation,
    pub(crate) human_review: HumanReview,
    pub(crate) rerun_path: RerunPath,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RemediationScope {
    RunLevel,
    EventSequence,
    RunContext,
    Step,
    Effect,
    QuickIngest,
    QuickUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecommendedAction {
    None,
    ManualReview,
    Deduplicate,
    ReconcileDownstreamState,
    CorrectVerificationInputs,
    ImproveReadConnectivity,
    ResolveMultiEffectFailures,
    AlignToolObservations,
    FixEventIngestAndSteps,
    FixEventSequenceOrder,
    FixRunContextControls,
    FixRegistryEventsOrCompareFiles,
    FixVerificationDatabaseConnection,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpectedState {
    pub(crate) summary: JsString,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) projection_kind: Option<ProjectionKind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProjectionKind {
    RunIngestIntegrity,
    EventCaptureIntegrity,
    RunContextFairness,
    StepRegistryExpectation,
    QuickInferredSqlRow,
    QuickInferredRelational,
    QuickMappingGap,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Automation {
    pub(crate) class: AutomationClass,
    pub(crate) label: &'static str,
    pub(crate) boundary: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AutomationClass {
    ReadOnlyRetry,
    InputRegenerationCandidate,
    HumanWriteRequired,
    NeverAutoMutate,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HumanReview {
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision_prompt: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hypotheses: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known_facts: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence_to_inspect: Option<Vec<String>>,
}

/// `failure-spine-v1.schema.json`
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailureSpine {
    pub(crate) schema_version: u8,
    pub(crate) trust_decision: &'static str,
    pub(crate) summary: JsString,
    pub(crate) actionable_failure: ActionableFailure,
    pub(crate) primary_codes: Vec<String>,
    pub(crate) rerun_guidance: &'static str,
    pub(crate) source: &'static str,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ActionableFailure {
    pub(crate) category: FailureCategory,
    pub(crate) severity: Severity,
    pub(crate) recommended_action: RecommendedAction,
    pub(crate) automation_safe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureCategory {
    DecisionError,
    BadInput,
    RetrievalFailure,
    ControlFlowProblem,
    StateInconsistency,
    DownstreamExecutionFailure,
    Ambiguous,
    Unclassified,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Severity {
    High,
    Medium,
    Low,
}

/// `correctnessDefinitionV1` of `workflow-truth-report.schema.json`
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CorrectnessDefinition<P> {
    pub(crate) schema_version: u8,
    pub(crate) enforcement_kind: ProjectionKind,
    pub(crate) must_always_hold: JsString,
    pub(crate) enforce_as: [String; 2],
    pub(crate) enforceable_projection: P,
    pub(crate) remediation_alignment: RemediationAlignment,
}

impl From<CorrectnessDefinition<Projection>> for CorrectnessDefinition<EnforceableProjection> {
    fn from(quick: CorrectnessDefinition<Projection>) -> Self {
        Self {
            schema_version: quick.schema_version,
            enforcement_kind: quick.enforcement_kind,
            must_always_hold: quick.must_always_hold,
            enforce_as: quick.enforce_as,
            enforceable_projection: EnforceableProjection::Quick(quick.enforceable_projection),
            remediation_alignment: quick.remediation_alignment,
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemediationAlignment {
    pub(crate) recommended_action: RecommendedAction,
    pub(crate) automation_safe: bool,
}

/// What `quick` says must hold, or what `check` does.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum EnforceableProjection {
    Quick(Projection),
    Contract(serde_json::Value),
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the words of the contract")]
pub(crate) struct Projection {
    pub(crate) projection_kind: ProjectionKind,
    pub(crate) quick_provisional: bool,
    pub(crate) tool_name: JsString,
    pub(crate) action_index: usize,
    #[serde(flatten)]
    pub(crate) details: ProjectionDetails,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ProjectionDetails {
    #[serde(rename_all = "camelCase")]
    Row {
        unit_id: String,
        table: String,
        sql_row_request: SqlRowRequest,
    },
    #[serde(rename_all = "camelCase")]
    Gap {
        reason_codes: Vec<&'static str>,
        table: String,
    },
    #[serde(rename_all = "camelCase")]
    Related {
        unit_id: String,
        child_table: String,
        check_id: String,
        match_eq: Vec<ColumnValue>,
    },
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SqlRowRequest {
    pub(crate) kind: &'static str,
    pub(crate) table: String,
    pub(crate) identity_eq: Vec<ColumnValue>,
    pub(crate) required_fields: BTreeMap<String, Scalar>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ColumnValue {
    pub(crate) column: String,
    pub(crate) value: JsString,
}
