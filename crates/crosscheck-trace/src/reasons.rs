//! Why a run is rejected, and why a run could not be checked.

use crosscheck_core::Reason;

crosscheck_core::reasons! {
    /// Why a run is rejected. On the wire the codes are written in lower case.
    pub enum TraceReason from include_str!("reasons/trace_reason.tsv"); {
        BadUtf8, BadJson, DuplicateKey, EmptyTrace, HeaderMissing, BadRecord,
        UnknownEventKind, MissingField, BadField, UnknownField,
        UnsupportedSchemaVersion, UnsupportedRuntimeProtocolVersion,
        UnsupportedCanonicalizationVersion, UnsupportedFingerprintAlgo,
        PlanVersionMismatch, PlanMissing, PlanEmpty, PlanDuplicateNode,
        PlanMissingDependency, PlanBadEdge, PlanCycle, PlanStepKindMismatch,
        IdxMissing, IdxNotSequential, UnknownStep, EventMissingStep, UnfinishedStep,
        DuplicateCallId, ResultUnknownCall, MissingToolResult, DuplicateEvidenceId,
        DuplicateClaimId, PlanUnbound, PlanIdMismatch, SpecIdMismatch,
        SpecMalformed, StepNotStarted, StepAlreadyFinished, StepRestarted,
        StepFinishedTwice, DependencyNotFinished, StepKindMismatch,
        OrphanToolResult, DuplicateToolResult, ToolStepMismatch, UnknownClaimRef,
        UnknownEvidenceRef, UnknownToolRef, MarkerMalformed, MarkerMissing,
        MarkerWithoutSupport, NoEvidenceSupport, TooFewSupports, BadSupportPolicy,
        ReasoningMetadataMissing, ReasoningHashMissing, ClaimResultHashMissing,
        ResultHashWrong, ReasoningHashMismatch, NoClaimNoInsufficiency,
        AmbiguousInsufficiency, UnknownOutputRef, RejectedClaimFinal,
        ClaimValidatedAndRejected, FinalizeMissing, RequiredStepMissing,
        PlanStepAbsent, ArtifactsUnavailable, EvidenceMissing, EvidencePathEscape,
        EvidenceNotRegularFile, EvidenceHashMismatch, EvidenceBytesMissing,
        SpanOutOfBounds, SpanOutsideEvidenceSpan, SnippetHashMismatch,
        EvidenceSpanOutOfBounds, ChunkManifestMalformed, ChunkUnknown,
        ChunkSpanMismatch, ChunkHashMismatch, IdMismatch, TraceIdMissing,
        SealMissing, ManifestMalformed, ManifestPathUnsafe, ManifestFileMissing,
        ManifestHashMismatch, ManifestIncomplete, FingerprintMismatch,
        RunMetaMalformed, RunMetaVersionUnsupported, RunMetaMismatch,
        InvariantChecksumMismatch, TraceSha256Unexpected,
    }
}

crosscheck_core::reasons! {
    /// Why a run could not be checked, or only in part.
    pub enum TraceRunReason from include_str!("reasons/trace_run_reason.tsv"); {
        TraceInputUnreadable, TraceOutputUnwritable, TraceAlreadySealed,
        TraceUnsealable, CheckNotRun,
    }
}

impl TraceReason {
    /// The code in the spelling of the report.
    pub fn wire(self) -> String {
        wire(self.reason())
    }
}

fn wire(reason: &Reason) -> String {
    reason.code.to_ascii_lowercase()
}
