//! Every reason a rows run can give.

crosscheck_core::reasons! {
    /// Why a rows unit, or the reading of a log, ended the way it did.
    pub enum RowReason {
        IngestInputTooLarge = "INGEST_INPUT_TOO_LARGE", Error,
            "the log is larger than 8 MiB, nothing of it was examined",
            help: "split the log and check the parts, or filter it down to the tool calls";
        IngestNoActions = "INGEST_NO_ACTIONS", Warning,
            "the log is blank",
            help: "check that the agent's tool calls are really written to this file";
        IngestNoStructuredToolActivity = "INGEST_NO_STRUCTURED_TOOL_ACTIVITY", Warning,
            "the log holds text but no tool call was found in it",
            help: "log each tool call as a JSON object with a tool name and its parameters; for transcripts of known agents try --format auto";
        MalformedLine = "MALFORMED_LINE", Warning,
            "a line of the log is not JSON, also not after a timestamp, level or bracket prefix",
            help: "log one JSON object per line";
        IngestActionCap = "INGEST_ACTION_CAP", Warning,
            "the log holds more than 50 tool calls, the further ones were not examined",
            help: "check the log in parts of at most 50 tool calls";
        DedupeDropped = "DEDUPE_DROPPED", Note,
            "an identical tool call came before, this one was not checked again",
            help: "nothing to do; identical calls expect identical rows";
        UnitCapExceeded = "UNIT_CAP_EXCEEDED", Warning,
            "more than 20 units were planned, the further ones were not checked",
            help: "check the log in smaller parts";
        MappingLowConfidence = "MAPPING_LOW_CONFIDENCE", Warning,
            "no table of the database matches the tool name or its parameters well enough",
            help: "check that this is the database the tool writes to, or write a registry entry for `crosscheck check`";
        MappingAmbiguous = "MAPPING_AMBIGUOUS", Warning,
            "two tables match equally well",
            help: "name the table in the tool name or the parameters, or write a registry entry for `crosscheck check`";
        MappingNoUniqueKey = "MAPPING_NO_UNIQUE_KEY", Warning,
            "the table has no primary key or unique constraint, or no parameter names the value of a key column",
            help: "log the key of the written row among the parameters, or write a registry entry for `crosscheck check`";
        RowAbsent = "ROW_ABSENT", Error,
            "no row has the identity named by the tool call",
            help: "check that the write was committed and that this is the database the agent used";
        DuplicateRows = "DUPLICATE_ROWS", Error,
            "more than one row has the identity named by the tool call",
            help: "remove the duplicates and add a unique constraint";
        ValueMismatch = "VALUE_MISMATCH", Error,
            "the row is there, but a column does not hold what the tool call said",
            help: "compare expected and actual value; the write may have failed, been overwritten, or been claimed only";
        RowShapeMismatch = "ROW_SHAPE_MISMATCH", Warning,
            "the row has no column for a value that should be compared",
            help: "check the name of the field against the columns of the table, and whether the table was changed meanwhile";
        UnreadableValue = "UNREADABLE_VALUE", Warning,
            "a column that should be compared holds bytes, an array, a JSON object or another value that is not a scalar",
            help: "check this column by hand, or leave it out of the contract";
        ConnectorError = "CONNECTOR_ERROR", Warning,
            "the database refused or did not answer the query of this unit",
            help: "check connection, rights and types, then run again with the same input";
        RelatedRowsAbsent = "RELATED_ROWS_ABSENT", Error,
            "the related row that the tool call implies is not there",
            help: "check that parent and child were written in one transaction and committed";
        RelationalScalarUnusable = "RELATIONAL_SCALAR_UNUSABLE", Warning,
            "the database answered the existence query with something that is neither true nor false",
            help: "check the connection and the engine's version, then run again";
    }
}
