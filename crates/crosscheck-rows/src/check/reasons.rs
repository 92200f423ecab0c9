//! Every reason a contract run can give beyond those it shares with `quick`.

crosscheck_core::reasons! {
    /// Why a contract step, or the run around it, ended the way it did.
    pub enum ContractReason {
        RowPresentWhenForbidden = "ROW_PRESENT_WHEN_FORBIDDEN", Error,
            "rows are there that the contract says must be gone",
            help: "check that the deletion was committed, then check again";
        RelationalExpectationMismatch = "RELATIONAL_EXPECTATION_MISMATCH", Error,
            "a count or sum is not what the contract expects",
            help: "compare the expected and the actual number; rows may be missing, doubled or left over";
        OrphanRowDetected = "ORPHAN_ROW_DETECTED", Error,
            "rows point to a partner that is not there",
            help: "write the missing partner, or remove the orphans";
        MultiEffectIncomplete = "MULTI_EFFECT_INCOMPLETE", Warning,
            "at least one of several effects could not be checked",
            help: "look at the effects of the step; repair the one that could not be read";
        MultiEffectAllFailed = "MULTI_EFFECT_ALL_FAILED", Error,
            "none of several effects is in the database",
            help: "check that the transaction of the tool was committed at all";
        MultiEffectPartial = "MULTI_EFFECT_PARTIAL", Error,
            "some of several effects are in the database, others are not",
            help: "the tool may have stopped half way; complete or undo what it did";
        RowNotObservedWithinWindow = "ROW_NOT_OBSERVED_WITHIN_WINDOW", Warning,
            "the row did not appear before the window closed",
            help: "lengthen --verification-window-ms, or find out why the write is late";
        ForbiddenRowsStillPresentWithinWindow = "FORBIDDEN_ROWS_STILL_PRESENT_WITHIN_WINDOW", Warning,
            "the rows were still there when the window closed",
            help: "lengthen --verification-window-ms, or find out why the deletion is late";
        MultiEffectUncertainWithinWindow = "MULTI_EFFECT_UNCERTAIN_WITHIN_WINDOW", Warning,
            "none of several effects appeared before the window closed",
            help: "lengthen --verification-window-ms, or find out why the writes are late";
        UnknownTool = "UNKNOWN_TOOL", Warning,
            "the registry has no entry for this tool",
            help: "add an entry with this toolId to the registry";
        RetryObservationsDiverge = "RETRY_OBSERVATIONS_DIVERGE", Warning,
            "several observations of one step differ in tool or parameters",
            help: "give each logical step its own seq, or repeat retries with the same parameters";
        ConnectorUnsupportedInScope = "CONNECTOR_UNSUPPORTED_IN_SCOPE", Warning,
            "this kind of witness cannot be read by this version",
            help: "check this step by hand, or express it as rows of a database";
        StateWitnessUnavailable = "STATE_WITNESS_UNAVAILABLE_IN_SQLITE_FILE_MODE", Warning,
            "a witness outside the database cannot be asked while a SQLite file is checked",
            help: "run this step against the system that holds its state";
        StateWitnessSetupError = "STATE_WITNESS_SETUP_ERROR", Warning,
            "a witness outside the database could not be set up",
            help: "check the configuration of the witness";
        TablePointerInvalid = "TABLE_POINTER_INVALID", Warning,
            "the pointer to the table name leads to nothing, or not to a name",
            help: "log the table name at that place, or write the table as a constant";
        TableSpecInvalid = "TABLE_SPEC_INVALID", Warning,
            "the table is neither a constant nor a pointer",
            help: "write {\"const\": NAME} or {\"pointer\": PATH}";
        InvalidIdentifier = "INVALID_IDENTIFIER", Warning,
            "a table, column or field name is not a plain identifier",
            help: "only letters, digits and underscores, not starting with a digit, are names here; check this row by other means";
        ConstStringEmpty = "CONST_STRING_EMPTY", Warning,
            "a constant name is empty",
            help: "write the name";
        StringSpecPointerMissing = "STRING_SPEC_POINTER_MISSING", Warning,
            "the pointer to a column name leads to nothing",
            help: "log the column name at that place, or write it as a constant";
        StringSpecType = "STRING_SPEC_TYPE", Warning,
            "the pointer to a column name leads to something that is not text",
            help: "log the column name as text, or write it as a constant";
        StringSpecEmpty = "STRING_SPEC_EMPTY", Warning,
            "the pointer to a column name leads to an empty text",
            help: "log the column name, or write it as a constant";
        KeyValuePointerMissing = "KEY_VALUE_POINTER_MISSING", Warning,
            "the pointer to a key value leads to nothing or to null",
            help: "log the key of the row among the parameters";
        KeyValueNotScalar = "KEY_VALUE_NOT_SCALAR", Warning,
            "a key value is an object or an array",
            help: "point to a text, number or truth value";
        KeyValueSpecInvalid = "KEY_VALUE_SPEC_INVALID", Warning,
            "a key value is neither a constant nor a pointer",
            help: "write {\"const\": VALUE} or {\"pointer\": PATH}";
        EqualityDuplicateColumn = "EQUALITY_DUPLICATE_COLUMN", Warning,
            "one list of equalities names a column twice",
            help: "name every column once";
        FilterEqOverlapsIdentity = "FILTER_EQ_OVERLAPS_IDENTITY", Warning,
            "a filter names a column that the identity names already",
            help: "remove the column from the filter";
        RequiredFieldsPointerMissing = "REQUIRED_FIELDS_POINTER_MISSING", Warning,
            "the pointer to the required fields leads to nothing or to null",
            help: "log the written fields as an object at that place; {} asks for presence only";
        RequiredFieldsNotObject = "REQUIRED_FIELDS_NOT_OBJECT", Warning,
            "the required fields are not an object",
            help: "log them as an object of column and value";
        RequiredFieldsValueNotScalar = "REQUIRED_FIELDS_VALUE_NOT_SCALAR", Warning,
            "a required field is an object or an array",
            help: "compare scalar columns only";
        RequiredFieldsValueUndefined = "REQUIRED_FIELDS_VALUE_UNDEFINED", Warning,
            "a required field has no value",
            help: "log a value, or null";
        ForEachNotArray = "FOR_EACH_NOT_ARRAY", Warning,
            "the pointer of forEach does not lead to an array",
            help: "point to the array whose elements were written";
        ForEachEmpty = "FOR_EACH_EMPTY", Warning,
            "the lists of forEach have no element, so that nothing would be looked at",
            help: "check that the call wrote something, or check it by a relation";
        DuplicateEffectId = "DUPLICATE_EFFECT_ID", Warning,
            "one registry entry uses an effect or check id twice",
            help: "give each effect and each check its own id";
        RelationalSumColumnRequired = "RELATIONAL_SUM_COLUMN_REQUIRED", Warning,
            "a SUM names no column",
            help: "add sumColumn";
        RelationalExpectValueInvalid = "RELATIONAL_EXPECT_VALUE_INVALID", Warning,
            "the expected number is missing or not a number",
            help: "log a JSON number at that place, or write it as a constant";
        RelationalUnsupportedDialect = "RELATIONAL_UNSUPPORTED_DIALECT", Warning,
            "this database cannot answer relational checks",
            help: "check relations on a database that can";
        UnsupportedVerificationKind = "UNSUPPORTED_VERIFICATION_KIND", Warning,
            "the kind of verification is not known",
            help: "use sql_row, sql_row_absent, sql_effects or sql_relational";
        MalformedEventLine = "MALFORMED_EVENT_LINE", Warning,
            "a line of the events file is not an event",
            help: "write one event object per line, with the fields of its schema version and no others";
        NoStepsForWorkflow = "NO_STEPS_FOR_WORKFLOW", Warning,
            "the events file holds no tool observation of this workflow",
            help: "check the workflow id, and that the agent's events go to this file";
        CaptureOrder = "CAPTURE_ORDER_NOT_MONOTONIC_IN_SEQ", Note,
            "observations are not in the order of their seq",
            help: "write events in the order of their seq; the verdict does not depend on it";
        TimestampOrder = "TIMESTAMP_NOT_MONOTONIC_WITH_SEQ_SORT_ORDER", Note,
            "timestamps decrease from one seq to the next",
            help: "check the clocks of the capturing side; the verdict does not depend on it";
        RetrievalError = "RETRIEVAL_ERROR", Warning,
            "a retrieval before the failing step ended in an error",
            help: "repair the retrieval, then run the workflow again";
        RetrievalEmpty = "RETRIEVAL_EMPTY", Note,
            "a retrieval found nothing",
            help: "check the query and the index";
        RetrievalThinHits = "RETRIEVAL_THIN_HITS", Note,
            "a retrieval reports success with no hit",
            help: "check the query and the index";
        NoRetrievalEvents = "NO_RETRIEVAL_EVENTS", Note,
            "tools ran without any retrieval being logged",
            help: "log retrievals if the workflow has them";
        ModelTurnError = "MODEL_TURN_ERROR", Warning,
            "a model turn before the failing step ended in an error",
            help: "look at the model's answer, then run the workflow again";
        ModelTurnAborted = "MODEL_TURN_ABORTED", Warning,
            "a model turn before the failing step was aborted",
            help: "find out who aborted it, then run the workflow again";
        ModelTurnIncomplete = "MODEL_TURN_INCOMPLETE", Warning,
            "a model turn before the failing step was left incomplete",
            help: "raise the limit it ran into, then run the workflow again";
        ModelTurnAbnormal = "MODEL_TURN_ABNORMAL", Note,
            "a model turn did not complete",
            help: "look at the model's answer";
        ControlInterrupt = "CONTROL_INTERRUPT", Warning,
            "the run was interrupted",
            help: "find out why, then run the workflow again";
        ControlBranchSkipped = "CONTROL_BRANCH_SKIPPED", Warning,
            "a branch before the failing step was skipped",
            help: "check the condition of the branch";
        ControlGateSkipped = "CONTROL_GATE_SKIPPED", Warning,
            "a gate before the failing step was skipped",
            help: "check the condition of the gate";
        BranchOrGateSkipped = "BRANCH_OR_GATE_SKIPPED", Note,
            "a branch or gate was skipped",
            help: "check its condition";
        ToolSkipped = "TOOL_SKIPPED", Warning,
            "a tool was skipped",
            help: "check the reason the event names";
        RunLevelIngestIssues = "RUN_LEVEL_INGEST_ISSUES", Note,
            "the events file as a whole has problems",
            help: "see the reasons at run level";
        EventSequenceIrregular = "EVENT_SEQUENCE_IRREGULAR", Note,
            "the order of the events is irregular",
            help: "see the reasons of the event sequence";
        ActionInputResolutionFailed = "ACTION_INPUT_RESOLUTION_FAILED", Note,
            "the expectation of a step could not be resolved from registry and parameters",
            help: "see the reason of the step";
        LogicalStepRetries = "LOGICAL_STEP_RETRIES", Note,
            "a step was observed more than once",
            help: "nothing to do; the last observation was checked";
        MissingRunCompleted = "MISSING_RUN_COMPLETED", Note,
            "no event says that the run was completed",
            help: "log a run_completed control event at the end";
        LastEventModelAbnormal = "LAST_EVENT_MODEL_ABNORMAL", Note,
            "the last event is a model turn that did not complete",
            help: "the run may have been cut off; check its end";
    }
}

crosscheck_core::reasons! {
    /// Why a contract command could not run, or what a bundle has wrong.
    pub enum ContractFailure {
        VerificationPolicyInvalid = "VERIFICATION_POLICY_INVALID", Error,
            "invalid window or poll interval",
            help: "give whole milliseconds of at least 1, with the poll interval at most the window";
        RegistryReadFailed = "REGISTRY_READ_FAILED", Error,
            "the registry cannot be read",
            help: "check the path given as --registry";
        RegistryJsonSyntax = "REGISTRY_JSON_SYNTAX", Error,
            "the registry is not JSON",
            help: "repair the file at the place the message names";
        RegistrySchemaInvalid = "REGISTRY_SCHEMA_INVALID", Error,
            "the registry is not a list of registry entries",
            help: "run `crosscheck validate-registry --registry FILE` to see every problem";
        RegistryDuplicateToolId = "REGISTRY_DUPLICATE_TOOL_ID", Error,
            "two registry entries have the same toolId",
            help: "give every entry its own toolId";
        EventsReadFailed = "EVENTS_READ_FAILED", Error,
            "the events file cannot be read",
            help: "check the path given as --events";
        SqliteDatabaseOpenFailed = "SQLITE_DATABASE_OPEN_FAILED", Error,
            "the SQLite file cannot be opened for reading",
            help: "check the path given as --db; the file must exist";
        PostgresClientSetupFailed = "POSTGRES_CLIENT_SETUP_FAILED", Error,
            "the database server cannot be reached, refuses the login, or cannot be made read-only",
            help: "check host, port, user, password and database of the URL";
        VerificationConnectorNotShipped = "VERIFICATION_CONNECTOR_NOT_SHIPPED", Error,
            "this kind of database is not supported",
            help: "use SQLite, PostgreSQL, MySQL or MariaDB";
        LanggraphConflict = "LANGGRAPH_CHECKPOINT_TRUST_GENERIC_MODE_CONFLICT", Error,
            "the events are checkpoint events (schema version 3), which this mode does not check",
            help: "log tool observations with schema version 1 or 2";
        BundleWriteFailed = "BUNDLE_WRITE_FAILED", Error,
            "an evidence bundle could not be written",
            help: "check that the folder can be written";
        BundleSignaturePrivateKeyInvalid = "BUNDLE_SIGNATURE_PRIVATE_KEY_INVALID", Error,
            "the signing key cannot be read or is not an Ed25519 key in PKCS#8 PEM form",
            help: "make one with: openssl genpkey -algorithm ed25519";
        BundleSignatureMissingArtifact = "BUNDLE_SIGNATURE_MISSING_ARTIFACT", Error,
            "a file of the run bundle, or the public key, is missing",
            help: "check the folder and the key file";
        BundleSignatureManifestInvalid = "BUNDLE_SIGNATURE_MANIFEST_INVALID", Error,
            "the manifest of the run bundle is not a manifest",
            help: "write the bundle again";
        BundleSignatureUnsignedManifest = "BUNDLE_SIGNATURE_UNSIGNED_MANIFEST", Error,
            "the run bundle is not signed",
            help: "write it with --sign-ed25519-private-key";
        BundleSignatureManifestUnsupportedVersion = "BUNDLE_SIGNATURE_MANIFEST_UNSUPPORTED_VERSION", Error,
            "the manifest has a version that is not known",
            help: "use a newer crosscheck";
        BundleSignatureArtifactIntegrity = "BUNDLE_SIGNATURE_ARTIFACT_INTEGRITY", Error,
            "a file of the run bundle is not the one the manifest names",
            help: "do not rely on this bundle; get an unchanged copy";
        BundleSignatureSidecarInvalid = "BUNDLE_SIGNATURE_SIDECAR_INVALID", Error,
            "the signature file is not a signature file",
            help: "write the bundle again";
        BundleSignatureSignedHashMismatch = "BUNDLE_SIGNATURE_SIGNED_HASH_MISMATCH", Error,
            "the signature is over other content than the manifest names",
            help: "do not rely on this bundle; get an unchanged copy";
        BundleSignaturePublicKeyMismatch = "BUNDLE_SIGNATURE_PUBLIC_KEY_MISMATCH", Error,
            "the bundle was signed with another key",
            help: "use the public key of the signer you trust";
        BundleSignatureCryptoInvalid = "BUNDLE_SIGNATURE_CRYPTO_INVALID", Error,
            "the signature does not fit content and key",
            help: "do not rely on this bundle; get an unchanged copy";
        ManifestSchema = "MANIFEST_SCHEMA", Error,
            "the decision bundle has no readable manifest",
            help: "write the bundle again";
        DecisionCertFingerprint = "DECISION_BUNDLE_CERT_FINGERPRINT_MISMATCH", Error,
            "the certificate is missing or not the one the manifest names",
            help: "do not rely on this bundle; get an unchanged copy";
        DecisionTruthMissing = "DECISION_BUNDLE_MATERIAL_TRUTH_MISSING", Error,
            "the material truth is missing",
            help: "get a whole copy of the bundle";
        DecisionTruthFingerprint = "DECISION_BUNDLE_MATERIAL_TRUTH_FINGERPRINT_MISMATCH", Error,
            "the material truth is not the one the manifest names or the certificate implies",
            help: "do not rely on this bundle; get an unchanged copy";
        DecisionTruthSchema = "DECISION_BUNDLE_MATERIAL_TRUTH_SCHEMA", Error,
            "the material truth does not have its form",
            help: "write the bundle again";
        DecisionKeyRequired = "DECISION_BUNDLE_SIGNATURE_KEY_REQUIRED", Error,
            "the bundle is signed and no public key was given",
            help: "name the key with --public-key";
        DecisionSignatureInvalid = "DECISION_BUNDLE_SIGNATURE_INVALID", Error,
            "the signature does not fit the manifest and the key",
            help: "do not rely on this bundle; get an unchanged copy";
        CompletenessMismatch = "COMPLETENESS_MISMATCH", Error,
            "the manifest calls the bundle complete or partial and the files say otherwise",
            help: "write the bundle again";
        CertificateInvalid = "CERTIFICATE_INVALID", Error,
            "the certificate does not have the form of a certificate",
            help: "write the bundle again";
        ExitMismatch = "EXIT_MISMATCH", Error,
            "exit.json does not agree with the certificate",
            help: "do not rely on this bundle; get an unchanged copy";
        FileHashMismatch = "BUNDLE_FILE_HASH_MISMATCH", Error,
            "a file of the bundle is not the one the list of hashes names",
            help: "do not rely on this bundle; get an unchanged copy";
        ValidateRegistryUsage = "VALIDATE_REGISTRY_USAGE", Error,
            "the command line of validate-registry is not understood",
            help: "run `crosscheck validate-registry --help`";
        CompareUsage = "COMPARE_USAGE", Error,
            "the command line of compare is not understood",
            help: "run `crosscheck compare certificates --help`";
        CompareInputReadFailed = "COMPARE_INPUT_READ_FAILED", Error,
            "a certificate cannot be read",
            help: "check the paths";
        CompareInputJsonSyntax = "COMPARE_INPUT_JSON_SYNTAX", Error,
            "a certificate is not JSON",
            help: "give the file as `check` printed it";
        CompareInputSchemaInvalid = "COMPARE_INPUT_SCHEMA_INVALID", Error,
            "a file is not an outcome certificate version 3",
            help: "give the file as `check` printed it";
        CompareWorkflowIdMismatch = "COMPARE_WORKFLOW_ID_MISMATCH", Error,
            "the certificates belong to different workflows",
            help: "compare two runs of one workflow";
        OutputLockMismatch = "VERIFICATION_OUTPUT_LOCK_MISMATCH", Error,
            "the run differs from the accepted baseline",
            help: "look at the drift; repair it, or accept it with --accept-drift";
        EnforceBaselineRequired = "ENFORCE_BASELINE_REQUIRED", Error,
            "there is no baseline to compare with",
            help: "run `crosscheck enforce ... --create-baseline` once";
        EnforceInvalidTransition = "ENFORCE_INVALID_TRANSITION", Error,
            "this is not possible in the present state of the workflow",
            help: "look at lifecycle_state; a baseline is replaced with --replace-baseline, drift is accepted only after it was found";
        EnforceRemediationAckRequired = "ENFORCE_REMEDIATION_ACK_REQUIRED", Error,
            "the run matches the baseline again, but the drift before it was never accepted or answered",
            help: "accept with --accept-drift, or set a new baseline with --replace-baseline";
        EnforceStaleStateVersion = "ENFORCE_STALE_STATE_VERSION", Error,
            "the state has moved on since the version that was named",
            help: "run the check again and accept what it shows now";
        EnforceExpectedHashMismatch = "ENFORCE_EXPECTED_HASH_MISMATCH", Error,
            "the hash that was named is not the one that waits for acceptance",
            help: "take expected_projection_hash_for_accept from the last check";
        EnforceBaselineRebaseRequired = "ENFORCE_BASELINE_REBASE_REQUIRED", Error,
            "the review date of the acceptance has passed",
            help: "set a new baseline with --replace-baseline";
        EnforceRunUnread = "ENFORCE_RUN_UNREAD", Error,
            "a step could not be read from the database, so the run says nothing about drift; the state was left as it is",
            help: "check the connection, the rights and that the tables exist, then run again; --replace-baseline accepts look-ups that the database refuses for good";
        EnforceReportInvalid = "ENFORCE_REPORT_INVALID", Error,
            "the report is not one that `rows --contract` wrote, or was changed afterwards",
            help: "write it with `crosscheck rows LOG --contract FILE --format json --output REPORT`, without --redact";
        EnforceStateLocked = "ENFORCE_STATE_LOCKED", Error,
            "another run holds the state file",
            help: "wait for it; if none is running, remove the lock file the message names";
        EnforceStateCorrupt = "ENFORCE_STATE_CORRUPT", Error,
            "the state file cannot be read or is not a state file; it was left as it is",
            help: "restore it from version control, or remove it and set a new baseline";
        EnforceStateWriteFailed = "ENFORCE_STATE_WRITE_FAILED", Error,
            "the state file cannot be written",
            help: "check that the state folder can be written, or use --no-state-write";
    }
}

crosscheck_core::reasons! {
    /// How `enforce` decided, and what became of a coverage budget.
    pub enum DecisionReason {
        BaselineEstablished = "BASELINE_ESTABLISHED", Note,
            "this run is the baseline now",
            help: "commit the state file and run `crosscheck enforce` on every change";
        BaselineMissing = "BASELINE_MISSING", Error,
            "there is no baseline to decide by",
            help: "run `crosscheck enforce ... --create-baseline` once";
        CheckMatch = "CHECK_MATCH", Note,
            "the run is as the baseline says",
            help: "nothing to do";
        DriftDetected = "DRIFT_DETECTED", Error,
            "the run differs from the baseline",
            help: "look at the drift; repair it, or accept it with --accept-drift";
        RemediationAckRequired = "REMEDIATION_ACK_REQUIRED", Error,
            "the run matches again, but the drift before it was never answered",
            help: "accept with --accept-drift, or set a new baseline with --replace-baseline";
        RerunPass = "RERUN_PASS", Note,
            "the first run after an acceptance is as accepted",
            help: "nothing to do";
        RerunFail = "RERUN_FAIL", Error,
            "the first run after an acceptance differs from what was accepted",
            help: "look at the drift; repair it, or accept it with --accept-drift";
        BudgetPass = "PASS", Note,
            "every kind of witness that the coverage budget asks for is fully satisfied",
            help: "nothing to do";
        BudgetUnderfull = "FAIL_UNDERFULL", Error,
            "a kind of witness that the coverage budget asks for is not fully satisfied",
            help: "add steps of the missing kind, or make the failing ones hold";
        BudgetNoEntry = "SKIP_NO_ENTRY", Note,
            "the coverage budget says nothing about this workflow",
            help: "add the workflow to the budget file if it should count";
        BudgetNoWitness = "UNEVAL_NO_WITNESS", Warning,
            "the certificate does not say which witnesses were asked",
            help: "check the workflow again with this version";
    }
}
