//! Every reason a contract run can give beyond those it shares with `quick`. Codes and words are in
//! `reasons.tsv`: name, code, level, what it means, and one thing to try.

crosscheck_core::reasons! {
    /// Why a contract step, or the run around it, ended the way it did.
    pub enum ContractReason from include_str!("reasons.tsv"); {
        RowPresentWhenForbidden, RelationalExpectationMismatch, OrphanRowDetected,
        MultiEffectIncomplete, MultiEffectAllFailed, MultiEffectPartial,
        RowNotObservedWithinWindow, ForbiddenRowsStillPresentWithinWindow,
        MultiEffectUncertainWithinWindow, UnknownTool, RetryObservationsDiverge,
        ConnectorUnsupportedInScope, StateWitnessUnavailable, StateWitnessSetupError,
        TablePointerInvalid, TableSpecInvalid, InvalidIdentifier, ConstStringEmpty,
        StringSpecPointerMissing, StringSpecType, StringSpecEmpty, KeyValuePointerMissing,
        KeyValueNotScalar, KeyValueSpecInvalid, EqualityDuplicateColumn, FilterEqOverlapsIdentity,
        RequiredFieldsPointerMissing, RequiredFieldsNotObject, RequiredFieldsValueNotScalar,
        RequiredFieldsValueUndefined, DuplicateEffectId,
        RelationalSumColumnRequired, RelationalExpectValueInvalid, RelationalUnsupportedDialect,
        UnsupportedVerificationKind, MalformedEventLine, NoStepsForWorkflow, CaptureOrder,
        TimestampOrder, RetrievalError, RetrievalEmpty, RetrievalThinHits, NoRetrievalEvents,
        ModelTurnError, ModelTurnAborted, ModelTurnIncomplete, ModelTurnAbnormal, ControlInterrupt,
        ControlBranchSkipped, ControlGateSkipped, BranchOrGateSkipped, ToolSkipped,
        RunLevelIngestIssues, EventSequenceIrregular, ActionInputResolutionFailed,
        LogicalStepRetries, MissingRunCompleted, LastEventModelAbnormal,
    }
}

crosscheck_core::reasons! {
    /// Why a contract command could not run, or what a bundle has wrong.
    pub enum ContractFailure from include_str!("reasons.tsv"); {
        VerificationPolicyInvalid, RegistryReadFailed, RegistryJsonSyntax, RegistrySchemaInvalid,
        RegistryDuplicateToolId, EventsReadFailed, SqliteDatabaseOpenFailed,
        PostgresClientSetupFailed, VerificationConnectorNotShipped, LanggraphConflict,
        BundleWriteFailed, BundleSignaturePrivateKeyInvalid, BundleSignatureMissingArtifact,
        BundleSignatureManifestInvalid, BundleSignatureUnsignedManifest,
        BundleSignatureManifestUnsupportedVersion, BundleSignatureArtifactIntegrity,
        BundleSignatureSidecarInvalid, BundleSignatureSignedHashMismatch,
        BundleSignaturePublicKeyMismatch, BundleSignatureCryptoInvalid, ManifestSchema,
        DecisionCertFingerprint, DecisionTruthMissing, DecisionTruthFingerprint,
        DecisionTruthSchema, DecisionKeyRequired, DecisionSignatureInvalid, CompletenessMismatch,
        CertificateInvalid, ExitMismatch, FileHashMismatch, ValidateRegistryUsage, CompareUsage,
        CompareInputReadFailed, CompareInputJsonSyntax, CompareInputSchemaInvalid,
        CompareWorkflowIdMismatch, OutputLockMismatch, EnforceBaselineRequired,
        EnforceInvalidTransition, EnforceRemediationAckRequired, EnforceStaleStateVersion,
        EnforceExpectedHashMismatch, EnforceBaselineRebaseRequired, EnforceRunUnread,
        EnforceStateLocked, EnforceStateCorrupt, EnforceStateWriteFailed,
    }
}

crosscheck_core::reasons! {
    /// How `enforce` decided, and what became of a coverage budget.
    pub enum DecisionReason from include_str!("reasons.tsv"); {
        BaselineEstablished, BaselineMissing, CheckMatch, DriftDetected, RemediationAckRequired,
        RerunPass, RerunFail, BudgetPass, BudgetUnderfull, BudgetNoEntry, BudgetNoWitness,
    }
}
