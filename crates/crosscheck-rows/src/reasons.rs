//! Every reason a rows run can give. Codes and words are in the tables beside this file: name, code, level, what it
//! means, and one thing to try.

crosscheck_core::reasons! {
    /// Why a rows unit, or the reading of a log, ended the way it did.
    pub enum RowReason from include_str!("reasons/units.tsv"); {
        IngestInputTooLarge, IngestNoActions, IngestNoStructuredToolActivity,
        MalformedLine, IngestActionCap, IngestUnreadableArguments, DedupeDropped,
        UnitCapExceeded, MappingLowConfidence, MappingAmbiguous, MappingNoUniqueKey,
        RowAbsent, DuplicateRows, ValueMismatch, RowShapeMismatch, UnreadableValue,
        ConnectorError, RelatedRowsAbsent, RelationalScalarUnusable,
    }
}

crosscheck_core::reasons! {
    /// Why `rows` says what it says about a call.
    pub enum CallReason from include_str!("reasons/calls.tsv"); {
        ValueMismatch, RowAbsent, ChildRowsAbsent, RowPresentWhenForbidden,
        AskedNotDone, ValueUnsure, RowNotFound, KeyUnlike, KeyType, NoTable, NoKey,
        TableAmbiguous, NothingCompared, PartlyCompared, ExtraRows, Overtaken,
        Superseded, DuplicateRows, ArgumentsUnreadable, SqlText, NotVisible,
        ConnectorError, FoundByValues, AbsentByValues, RowGone, MarkedDeleted, SaidOnly,
        SaidAgainst, RowExists,
    }
}

crosscheck_core::reasons! {
    /// Why `rows` could not run.
    pub enum RowsFailure from include_str!("reasons/failures.tsv"); {
        LogUnreadable, DatabaseUnreadable, ContractInvalid,
    }
}
