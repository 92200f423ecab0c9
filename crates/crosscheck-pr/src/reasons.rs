//! Why a claim about a change is judged as it is, and why a change could not be looked at.

crosscheck_core::reasons! {
    /// Why a claim is confirmed, refuted or undecided.
    pub enum PrReason from include_str!("reasons/pr_reason.tsv"); {
        DiffAgrees, FileNotChanged, FileMissing, FileNotNew, FileStillThere,
        OtherFileChanged, SymbolNotInDiff, CountDiffers, NoTestInDiff,
        ScriptMissing, CommitMissing, CheckFailed, ResultsMissing, Ambiguous,
        NotInDiff, PatchUnread,
    }
}

crosscheck_core::reasons! {
    /// Why a change could not be looked at.
    pub enum PrRunReason from include_str!("reasons/pr_run_reason.tsv"); {
        PrNoRepository, PrNoCommit, PrGitFailed, PrInputUnreadable,
    }
}
