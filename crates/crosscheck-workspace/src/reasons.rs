//! Every code of this verifier, declared once.

crosscheck_core::reasons! {
    /// Findings against a report, in the order of the contract (workspace 18).
    pub enum Finding from include_str!("reasons/finding.tsv"); {
        MarkerOnlyQuoted, MarkerConflict, PassQualified, PassWithIssues,
        CriterionFailed, CriterionError, ClaimedFileMissing, ClaimedLineOutOfRange,
        JudgeModifiedInputs, CriteriaChanged, JudgeModifiedProject, StatusDisagrees,
        CountMismatch, LowConfidencePass, NoMachineEvidence, NoChanges,
    }
}

crosscheck_core::reasons! {
    /// Why a workspace command failed.
    pub enum WorkspaceReason from include_str!("reasons/workspace_reason.tsv"); {
        Usage, Name, NotFound, Exists, InstructionsMissing, Metadata, Config,
        Acceptance, LlmUnavailable, LlmFailed, LlmTimeout, LeftRunning,
        ReportMissing, ReportTooLarge, WorkOpen, Locked, Io,
    }
}
