//! All codes of evidence items and documents (claims 8).

crosscheck_core::reasons! {
    /// Why evidence has its result.
    pub enum ClaimReason from include_str!("reasons/claim_reason.tsv"); {
        Supported, Consistent, QuoteNotFound, Contradicted, FileNotFound, NotAFile,
        InvalidRange, RangeOutOfBounds, SymbolNotFound, QuoteHashMismatch,
        PathNoMatch, StackNotFound, Unclear, Unrelated, JudgeError,
        UnsupportedLocator, MalformedLocator, OutsideRoot, SecretFile, OwnDocument,
        BinaryFile, FileTooLarge, Unreadable, RerunHintMissing, RerunHintInvalid,
        RerunHintUnknown, Offline, FetchBlocked, FetchFailed, SearchUnconfigured,
        SearchFailed, SourceNotFile, InvalidSubResult, NoClaims,
    }
}

crosscheck_core::reasons! {
    /// What a warning of the details means.
    pub enum ClaimWarning from include_str!("reasons/claim_warning.tsv"); {
        SettingsUnreadable, SettingsNoFrontMatter, SettingsNotAMap, SettingsBadYaml,
        SettingsDisabled, SettingsBadValue, SettingsUnknownKey, SettingIgnored,
        DuplicateKey, UnknownKey, SchemaDeviation, ClaimIdIgnored, DuplicateClaimId,
        QuoteHashMalformed, RangeEndCut, WarningsLeftOut,
    }
}

crosscheck_core::reasons! {
    /// What a judge says about its answer.
    pub enum JudgeReason from include_str!("reasons/judge_reason.tsv"); {
        Verbatim, Lexical, Model, QuantityConflict, PolarityConflict,
        QuantityMissing, QuantitySwapped, IdentifierMissing, PolarityUnsure,
        ExclusiveMissing, LowOverlap, LexicalPartial, NoCheckableContent,
        ClaimTooLong, TextTooLong, SpanNotFound, Biased,
    }
}
