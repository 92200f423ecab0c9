//! Why a run is rejected, and why a run could not be checked.

use crosscheck_core::Reason;

crosscheck_core::reasons! {
    /// Why a run is rejected. On the wire the codes are written in lower case.
    pub enum TraceReason {
        BadUtf8 = "BAD_UTF8", Error,
            "a line or file is not UTF-8",
            help: "write the file again as UTF-8; if it was cut or patched, use the original";
        BadJson = "BAD_JSON", Error,
            "a line or file is not strict JSON (cut short, NaN, half a surrogate pair, too deep, or text after the value)",
            help: "write the record again with a JSON library that refuses NaN";
        DuplicateKey = "DUPLICATE_KEY", Error,
            "an object has the same key twice, so readers may see different values",
            help: "remove one of the two";
        EmptyTrace = "EMPTY_TRACE", Error,
            "the trace has no line",
            help: "check that the run was written completely";
        HeaderMissing = "HEADER_MISSING", Error,
            "the first line of the trace is not a trace_header record",
            help: "write the header record as the first line";
        BadRecord = "BAD_RECORD", Error,
            "a line of the trace is not a trace_event record",
            help: "write one trace_event object per line";
        UnknownEventKind = "UNKNOWN_EVENT_KIND", Error,
            "the event has a kind the contract does not know",
            help: "use one of the six kinds of the trace format";
        MissingField = "MISSING_FIELD", Error,
            "a required field is absent",
            help: "write the field named in the location";
        BadField = "BAD_FIELD", Error,
            "a field has the wrong type or a value that is not allowed",
            help: "write the field with the type of the format; integers are not strings";
        UnknownField = "UNKNOWN_FIELD", Error,
            "an object has a field the contract does not know, or one field under two names",
            help: "remove the field, or put it into metadata or parameters";

        UnsupportedSchemaVersion = "UNSUPPORTED_SCHEMA_VERSION", Error,
            "the trace has a schema version this verifier does not know",
            help: "check it with a verifier that knows this version; 1 and 2 are known here";
        UnsupportedRuntimeProtocolVersion = "UNSUPPORTED_RUNTIME_PROTOCOL_VERSION", Error,
            "the trace has a runtime protocol version other than 1",
            help: "check it with a verifier that knows this version";
        UnsupportedCanonicalizationVersion = "UNSUPPORTED_CANONICALIZATION_VERSION", Error,
            "the trace has a canonicalization version other than 1, so no id can be recomputed",
            help: "check it with a verifier that knows this version";
        UnsupportedFingerprintAlgo = "UNSUPPORTED_FINGERPRINT_ALGO", Error,
            "the trace names a hash other than sha256",
            help: "produce the run with sha256";
        PlanVersionMismatch = "PLAN_VERSION_MISMATCH", Error,
            "plan and trace are not of the same supported version",
            help: "use the plan that was written with this trace";
        PlanMissing = "PLAN_MISSING", Error,
            "the run directory has no plan.json, so nothing says what should have happened",
            help: "put the plan of the run beside its trace";
        PlanEmpty = "PLAN_EMPTY", Error,
            "the plan has no nodes",
            help: "use the plan the run was made with";
        PlanDuplicateNode = "PLAN_DUPLICATE_NODE", Error,
            "two nodes of the plan have the same id",
            help: "give each node its own id";
        PlanMissingDependency = "PLAN_MISSING_DEPENDENCY", Error,
            "a node depends on a node that is not in the plan",
            help: "add the node or remove the dependency";
        PlanBadEdge = "PLAN_BAD_EDGE", Error,
            "an edge leads to or from a node that is not in the plan",
            help: "add the node or remove the edge";
        PlanCycle = "PLAN_CYCLE", Error,
            "dependencies and edges of the plan form a cycle",
            help: "remove one of the dependencies";
        PlanStepKindMismatch = "PLAN_STEP_KIND_MISMATCH", Error,
            "a node and its step have different kinds",
            help: "write the same kind in both places";
        IdxMissing = "IDX_MISSING", Error,
            "an event has no idx",
            help: "number the events from 0";
        IdxNotSequential = "IDX_NOT_SEQUENTIAL", Error,
            "the idx of an event is not its position, so events are lost, added or moved",
            help: "use the trace as the run wrote it";
        UnknownStep = "UNKNOWN_STEP", Error,
            "an event belongs to a step that is not in the plan",
            help: "use the plan the run was made with";
        EventMissingStep = "EVENT_MISSING_STEP", Error,
            "an evidence or claim event names no step",
            help: "write the step_id of the step that made it";
        UnfinishedStep = "UNFINISHED_STEP", Error,
            "a step was started and never finished",
            help: "check whether the run was interrupted";
        DuplicateCallId = "DUPLICATE_CALL_ID", Error,
            "two tool calls have the same id",
            help: "give each call its own id";
        ResultUnknownCall = "RESULT_UNKNOWN_CALL", Error,
            "a tool result names a call that does not come before it",
            help: "check that no call was removed or moved";
        MissingToolResult = "MISSING_TOOL_RESULT", Error,
            "a tool call has no result",
            help: "check that no result was removed and that the run ended";
        DuplicateEvidenceId = "DUPLICATE_EVIDENCE_ID", Error,
            "an evidence id was registered twice",
            help: "give each evidence its own id";
        DuplicateClaimId = "DUPLICATE_CLAIM_ID", Error,
            "a claim id was emitted twice",
            help: "give each claim its own id";

        PlanUnbound = "PLAN_UNBOUND", Error,
            "the trace does not name the plan it follows",
            help: "write plan_id into the header";
        PlanIdMismatch = "PLAN_ID_MISMATCH", Error,
            "the trace names another plan than the one given",
            help: "use the plan the run was made with";
        SpecIdMismatch = "SPEC_ID_MISMATCH", Error,
            "trace, plan and spec do not name the same problem",
            help: "use plan and spec the run was made with";
        SpecMalformed = "SPEC_MALFORMED", Error,
            "spec.json is not a problem spec",
            help: "write spec.json again, or remove it";

        StepNotStarted = "STEP_NOT_STARTED", Error,
            "an event of a step, or its finish, comes before its start",
            help: "use the trace as the run wrote it";
        StepAlreadyFinished = "STEP_ALREADY_FINISHED", Error,
            "an event of a step comes after its finish",
            help: "use the trace as the run wrote it";
        StepRestarted = "STEP_RESTARTED", Error,
            "a step was started twice",
            help: "give a second attempt a node of its own";
        StepFinishedTwice = "STEP_FINISHED_TWICE", Error,
            "a step was finished twice",
            help: "check that no event was repeated";
        DependencyNotFinished = "DEPENDENCY_NOT_FINISHED", Error,
            "a step started before a step it depends on had finished",
            help: "run the steps in the order of the plan";
        StepKindMismatch = "STEP_KIND_MISMATCH", Error,
            "the output of a step is of another kind than its node",
            help: "check that plan and trace belong together";

        OrphanToolResult = "ORPHAN_TOOL_RESULT", Error,
            "a tool result has no call before it",
            help: "check that no call was removed or moved";
        DuplicateToolResult = "DUPLICATE_TOOL_RESULT", Error,
            "a tool call has a second result",
            help: "check which of the two was really returned";
        ToolStepMismatch = "TOOL_STEP_MISMATCH", Error,
            "a call, its event and its result do not belong to one step",
            help: "check that no event was moved to another step";

        UnknownClaimRef = "UNKNOWN_CLAIM_REF", Error,
            "a claim rests on a claim that was not emitted before it",
            help: "emit the supporting claim first";
        UnknownEvidenceRef = "UNKNOWN_EVIDENCE_REF", Error,
            "a claim rests on evidence that was not registered before it",
            help: "register the evidence first";
        UnknownToolRef = "UNKNOWN_TOOL_REF", Error,
            "a claim rests on a tool call that has no result before it",
            help: "check the call id";

        MarkerMalformed = "MARKER_MALFORMED", Error,
            "a citation marker is not of the form [evidence:id:start-end:sha256]",
            help: "write the marker exactly in that form, numbers without leading zeros, hash in lower case";
        MarkerMissing = "MARKER_MISSING", Error,
            "a support of the claim is not cited in its text",
            help: "cite it with a marker of the same id, span and hash";
        MarkerWithoutSupport = "MARKER_WITHOUT_SUPPORT", Error,
            "a citation marker has no support behind it",
            help: "add the support or remove the marker";
        NoEvidenceSupport = "NO_EVIDENCE_SUPPORT", Error,
            "a derived claim has no evidence",
            help: "cite evidence, or mark the claim as observed or assumed";
        TooFewSupports = "TOO_FEW_SUPPORTS", Error,
            "a derived claim has fewer distinct citations than the policy demands",
            help: "cite more evidence; the same citation counts once";
        BadSupportPolicy = "BAD_SUPPORT_POLICY", Error,
            "the support policy in the header is not a positive integer",
            help: "write metadata.reasoning_policy.min_supports_per_claim as an integer of at least 1";

        ReasoningMetadataMissing = "REASONING_METADATA_MISSING", Error,
            "the header has no reasoning_trace although the run derives claims",
            help: "write metadata.reasoning_trace";
        ReasoningHashMissing = "REASONING_HASH_MISSING", Error,
            "the header has no reasoning_trace_sha256",
            help: "write 64 lower-case hex digits";
        ClaimResultHashMissing = "CLAIM_RESULT_HASH_MISSING", Error,
            "a derived claim has no result_sha256",
            help: "write structured.result_sha256";
        ResultHashWrong = "RESULT_HASH_WRONG", Error,
            "the result hash of a claim is not that of its statement and supports",
            help: "check whether the statement was edited after the reasoning";
        ReasoningHashMismatch = "REASONING_HASH_MISMATCH", Error,
            "the reasoning hash of the header is that of no derived claim",
            help: "check that header and claims come from one run";

        NoClaimNoInsufficiency = "NO_CLAIM_NO_INSUFFICIENCY", Error,
            "the run neither derives a claim nor says that evidence is insufficient",
            help: "check whether the run was cut short";
        AmbiguousInsufficiency = "AMBIGUOUS_INSUFFICIENCY", Error,
            "the run says that evidence is insufficient and yet derives a claim that is not clearly marked so",
            help: "mark the claim (structured.insufficient_evidence), do not validate it, and finalize it with an uncertainty";

        UnknownOutputRef = "UNKNOWN_OUTPUT_REF", Error,
            "a step output names evidence or a claim that does not come before it",
            help: "check the id";
        RejectedClaimFinal = "REJECTED_CLAIM_FINAL", Error,
            "a claim that was rejected or lacks support is part of the final answer",
            help: "leave it out of final_claim_ids";
        ClaimValidatedAndRejected = "CLAIM_VALIDATED_AND_REJECTED", Error,
            "one verify output lists a claim both as validated and as rejected",
            help: "list it once";
        FinalizeMissing = "FINALIZE_MISSING", Error,
            "no step finished with a finalize output",
            help: "check whether the run was cut short";
        RequiredStepMissing = "REQUIRED_STEP_MISSING", Error,
            "a required kind of step never finished",
            help: "a run understands, gathers, derives, verifies and finalizes";
        PlanStepAbsent = "PLAN_STEP_ABSENT", Error,
            "a planned step neither started nor finished",
            help: "check that no events were removed and that the plan is the right one";

        ArtifactsUnavailable = "ARTIFACTS_UNAVAILABLE", Error,
            "evidence is registered or cited, and there is no artifacts directory to check it against",
            help: "name the directory with --artifacts";
        EvidenceMissing = "EVIDENCE_MISSING", Error,
            "an evidence file is missing or cannot be read",
            help: "put the file back under its content_path";
        EvidencePathEscape = "EVIDENCE_PATH_ESCAPE", Error,
            "an evidence path leads out of the artifacts directory",
            help: "copy the file into the run directory instead of linking to it";
        EvidenceNotRegularFile = "EVIDENCE_NOT_REGULAR_FILE", Error,
            "an evidence path is a directory, pipe or device",
            help: "put a regular file there";
        EvidenceHashMismatch = "EVIDENCE_HASH_MISMATCH", Error,
            "an evidence file is not the one that was registered",
            help: "put the original file back";
        EvidenceBytesMissing = "EVIDENCE_BYTES_MISSING", Error,
            "a citation cannot be checked: its evidence is unknown or could not be read",
            help: "see the failure of the evidence itself";
        SpanOutOfBounds = "SPAN_OUT_OF_BOUNDS", Error,
            "a citation ends after the end of its evidence file",
            help: "cite a byte range of the file";
        SpanOutsideEvidenceSpan = "SPAN_OUTSIDE_EVIDENCE_SPAN", Error,
            "a citation leaves the range that was registered as evidence",
            help: "cite inside the registered span, or register the wider one";
        SnippetHashMismatch = "SNIPPET_HASH_MISMATCH", Error,
            "the cited bytes do not have the cited hash",
            help: "compare the bytes of the span with what was cited";
        EvidenceSpanOutOfBounds = "EVIDENCE_SPAN_OUT_OF_BOUNDS", Error,
            "the registered span is neither the whole file nor a part of it",
            help: "check the file for truncation and the span for a slip";
        ChunkManifestMalformed = "CHUNK_MANIFEST_MALFORMED", Error,
            "provenance/chunks.jsonl is not a chunk manifest",
            help: "write chunk_id, start_byte and end_byte in each row";
        ChunkUnknown = "CHUNK_UNKNOWN", Error,
            "the chunk of an evidence is not in the chunk manifest",
            help: "check that manifest and trace come from one run";
        ChunkSpanMismatch = "CHUNK_SPAN_MISMATCH", Error,
            "the chunk manifest has the chunk with another span",
            help: "check that manifest and trace come from one run";
        ChunkHashMismatch = "CHUNK_HASH_MISMATCH", Error,
            "the chunk manifest has the chunk with another hash than the evidence file",
            help: "put the original file back";

        IdMismatch = "ID_MISMATCH", Error,
            "an id is not the hash of what it names: one of them was edited",
            help: "use the original; if the edit is intended, let the program that wrote the run compute its ids again";
        TraceIdMissing = "TRACE_ID_MISSING", Error,
            "the trace has no id",
            help: "write the id of the trace into the header";

        SealMissing = "SEAL_MISSING", Error,
            "a seal is required, and manifest.json or fingerprint.txt is absent",
            help: "seal the run with `crosscheck trace seal`";
        ManifestMalformed = "MANIFEST_MALFORMED", Error,
            "manifest.json is not an object of paths and hashes",
            help: "seal the run again";
        ManifestPathUnsafe = "MANIFEST_PATH_UNSAFE", Error,
            "the manifest names a path that is absolute or leads upwards",
            help: "seal the run again";
        ManifestFileMissing = "MANIFEST_FILE_MISSING", Error,
            "a sealed file is missing, leads out of the run or is not a regular file",
            help: "put the original file back";
        ManifestHashMismatch = "MANIFEST_HASH_MISMATCH", Error,
            "a file was changed after the run was sealed",
            help: "put the original file back";
        ManifestIncomplete = "MANIFEST_INCOMPLETE", Error,
            "the manifest does not list the trace, the plan or an evidence file",
            help: "seal the run again";
        FingerprintMismatch = "FINGERPRINT_MISMATCH", Error,
            "fingerprint.txt is not the hash of the trace file",
            help: "the trace was changed after sealing: use the original";
        RunMetaMalformed = "RUN_META_MALFORMED", Error,
            "run_meta.json is not a JSON object",
            help: "put the original file back";
        RunMetaVersionUnsupported = "RUN_META_VERSION_UNSUPPORTED", Error,
            "run_meta.json has a version this verifier does not know",
            help: "check it with a verifier that knows this version";
        RunMetaMismatch = "RUN_META_MISMATCH", Error,
            "run_meta.json names another trace, plan or spec",
            help: "put the run_meta.json of this run back";
        InvariantChecksumMismatch = "INVARIANT_CHECKSUM_MISMATCH", Error,
            "the checksum over plan, evidence order and runtime is not the recorded one",
            help: "something the run depends on was changed: use the original files";
        TraceSha256Unexpected = "TRACE_SHA256_UNEXPECTED", Error,
            "the trace file does not have the expected hash",
            help: "compare with the hash you trust; anyone can recompute ids and seals, but not this hash";
    }
}

crosscheck_core::reasons! {
    /// Why a run could not be checked, or only in part.
    pub enum TraceRunReason {
        TraceInputUnreadable = "TRACE_INPUT_UNREADABLE", Error,
            "trace, plan or artifacts directory cannot be read",
            help: "check the path and its permissions";
        TraceOutputUnwritable = "TRACE_OUTPUT_UNWRITABLE", Error,
            "a file could not be written",
            help: "check the folder, its permissions and the free space";
        TraceAlreadySealed = "TRACE_ALREADY_SEALED", Error,
            "the run already has a seal, and a seal is never replaced",
            help: "verify the run instead, or seal a copy without its seal files";
        TraceUnsealable = "TRACE_UNSEALABLE", Error,
            "a run that is rejected cannot be sealed",
            help: "run `crosscheck trace` on it first and see why";
        CheckNotRun = "CHECK_NOT_RUN", Warning,
            "a check did not run because the input could not be read far enough; a run is accepted only when all ran",
            help: "repair what is listed first, then check again";
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
