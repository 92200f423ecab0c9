//! The sixteen checks of the contract, in its order (trace 6).

use serde::Serialize;

use crate::reasons::TraceReason;
use crate::words::words;

words! {
    /// One check of the contract.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum Check {
        /// Plan and trace have the required form.
        InputSchema = "input_schema",
        /// Versions, plan graph, positions, steps, call and claim ids.
        CoreInvariants = "core_invariants",
        /// Trace, plan and spec belong to the same run.
        RunBinding = "run_binding",
        /// Steps start, act and finish in the order of the plan.
        StepOrder = "step_order",
        /// Each call has one result, each result one call.
        ToolLinkage = "tool_linkage",
        /// Supports name earlier claims, evidence and results.
        ClaimJustifications = "claim_justifications",
        /// Derived claims have citations, and citations have supports.
        DerivedClaimGrounding = "derived_claim_grounding",
        /// The reasoning hash is that of a claim.
        ReasoningTrace = "reasoning_trace",
        /// A run has derived claims or declares insufficient evidence.
        InsufficientReasoning = "insufficient_reasoning",
        /// Step outputs name earlier claims and evidence.
        OutputLinkage = "output_linkage",
        /// A step finishes with the final answer.
        FinalizePresent = "finalize_present",
        /// All kinds of steps, and all planned steps, happened.
        RequiredSteps = "required_steps",
        /// Evidence files exist and match their registration.
        EvidenceHashes = "evidence_hashes",
        /// Cited bytes are inside the evidence and match the citation.
        SupportSpans = "support_spans",
        /// Ids that are hashes match their content.
        ContentIds = "content_ids",
        /// The seal is valid.
        SealedArtifacts = "sealed_artifacts",
    }
}

impl Check {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        self.word()
    }

    /// What a failure means, for people.
    pub const fn guards(self) -> &'static str {
        match self {
            Self::InputSchema => "a record that cannot be read cannot be trusted",
            Self::CoreInvariants => {
                "the run does not follow its plan, or events are missing or moved"
            }
            Self::RunBinding => "trace and plan do not belong to the same run",
            Self::StepOrder => "the steps did not happen in the order of the plan",
            Self::ToolLinkage => "tool calls and results do not belong together",
            Self::ClaimJustifications => {
                "a claim is supported by something that comes later or does not exist"
            }
            Self::DerivedClaimGrounding => "a claim is not grounded in cited evidence",
            Self::ReasoningTrace => "the recorded reasoning is not that of the claim",
            Self::InsufficientReasoning => "it is unclear whether the run had enough evidence",
            Self::OutputLinkage => "a step reports things that do not exist",
            Self::FinalizePresent => "the run has no end",
            Self::RequiredSteps => "a required step did not happen",
            Self::EvidenceHashes => "the evidence is not what was registered",
            Self::SupportSpans => "the cited bytes are not in the evidence",
            Self::ContentIds => "something was edited after its id was computed",
            Self::SealedArtifacts => "the run was changed after it was sealed",
        }
    }

    /// The id of the invariant that a failure breaks.
    pub const fn invariant(self, reason: TraceReason) -> &'static str {
        match (self, reason) {
            (_, TraceReason::TooFewSupports | TraceReason::BadSupportPolicy) => "INV-GRD-002",
            (_, TraceReason::InvariantChecksumMismatch) | (Self::ContentIds, _) => "INV-DET-001",
            (Self::InputSchema | Self::CoreInvariants, _) => "INV-SCH-001",
            (Self::RunBinding, _) => "INV-BND-001",
            (Self::StepOrder | Self::FinalizePresent | Self::RequiredSteps, _) => "INV-ORD-001",
            (Self::ToolLinkage, _) => "INV-TLK-001",
            (Self::ClaimJustifications | Self::OutputLinkage, _) => "INV-LNK-001",
            (Self::DerivedClaimGrounding, _) => "INV-GRD-001",
            (Self::ReasoningTrace, _) => "INV-RSN-001",
            (Self::InsufficientReasoning, _) => "INV-INS-001",
            (Self::EvidenceHashes | Self::SupportSpans, _) => "INV-EVD-001",
            (Self::SealedArtifacts, _) => "INV-ART-001",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_one_serde_writes() {
        for check in Check::ALL {
            assert_eq!(
                serde_json::to_string(&check).unwrap(),
                format!("\"{}\"", check.name())
            );
        }
    }
}
