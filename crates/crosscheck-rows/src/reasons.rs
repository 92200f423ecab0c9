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
        IngestUnreadableArguments = "INGEST_UNREADABLE_ARGUMENTS", Warning,
            "a tool call of the transcript has arguments that are not a JSON object; it was not checked",
            help: "repair the logging of the tool, then check again";
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

crosscheck_core::reasons! {
    /// Why `rows` says what it says about a call.
    pub enum CallReason {
        ValueMismatch = "VALUE_MISMATCH", Error,
            "the row is there, but a column does not hold what the call said",
            help: "compare what was claimed with what was found; the write was lost, or wrote another value";
        RowAbsent = "ROW_ABSENT", Error,
            "no row has the key that the call named",
            help: "check that the write was committed, and that this is the database the agent used";
        ChildRowsAbsent = "CHILD_ROWS_ABSENT", Error,
            "an element of an array has no row in the table it belongs to",
            help: "look for the element that the message names";
        RowPresentWhenForbidden = "ROW_PRESENT_WHEN_FORBIDDEN", Error,
            "a row that was deleted is still there",
            help: "check that the deletion was committed";
        AskedNotDone = "ASKED_NOT_DONE", Warning,
            "the tool answered with another value than it was asked for, and the row holds that one",
            help: "read the answer: the tool changed or ignored an argument";
        ValueUnsure = "VALUE_UNSURE", Warning,
            "something differs, but it is not certain that the call meant this row or column",
            help: "look at the row yourself, or write a contract entry for the tool";
        RowNotFound = "ROW_NOT_FOUND", Warning,
            "no such row was found, but it is not certain that the call meant this table or key",
            help: "look yourself, or write a contract entry for the tool";
        KeyUnlike = "KEY_UNLIKE", Warning,
            "no such row was found, and no key of the table looks like this value",
            help: "name the right key column in a contract entry";
        KeyType = "KEY_TYPE", Warning,
            "the key cannot be a value of its column",
            help: "name the right key column in a contract entry";
        NoTable = "NO_TABLE", Warning,
            "neither the tool nor its arguments name a table of the database",
            help: "write a contract entry for the tool, or set its class to \"ignore\"";
        NoKey = "NO_KEY", Warning,
            "the key of the row is neither among the arguments nor in the answer",
            help: "let the tool answer with the id of the row, or name the key in a contract entry";
        TableAmbiguous = "TABLE_AMBIGUOUS", Warning,
            "two tables fit the call equally well",
            help: "write a contract entry for the tool";
        NothingCompared = "NOTHING_COMPARED", Warning,
            "the row exists, but nothing shows that the call wrote to it: what agrees may have been there before",
            help: "let the tool answer with the row, or say in a contract entry what it writes";
        PartlyCompared = "PARTLY_COMPARED", Warning,
            "what could be compared agrees, but the named arguments were not compared",
            help: "map these arguments in a contract entry, or list them under `ignore`";
        ExtraRows = "EXTRA_ROWS", Warning,
            "there are more rows than the answer lists",
            help: "check whether the answer was cut into pages, or rows were not removed";
        Overtaken = "OVERTAKEN", Warning,
            "a later read of the log shows that the value changed again",
            help: "nothing to do; check sooner after the run to see the value itself";
        Superseded = "SUPERSEDED", Note,
            "a later write of the log replaced what this call wrote",
            help: "look at the later call";
        DuplicateRows = "DUPLICATE_ROWS", Warning,
            "several rows have the key",
            help: "remove the duplicates and add a unique index";
        ArgumentsUnreadable = "ARGUMENTS_UNREADABLE", Warning,
            "the arguments of the call are not a JSON object",
            help: "repair the logging of the tool";
        SqlText = "SQL_TEXT", Warning,
            "the call carries an SQL statement, whose effect cannot be planned",
            help: "check its effect with `crosscheck check`";
        NotVisible = "NOT_VISIBLE", Warning,
            "row security or a view may hide rows from this role, so that absence proves nothing",
            help: "use a role that sees all rows";
        ConnectorError = "CONNECTOR_ERROR", Warning,
            "the database did not answer the look-up of this call",
            help: "read the message; check connection, rights and types, then run again";
        FoundByValues = "FOUND_BY_VALUES", Note,
            "without a key, rows that hold all values were found",
            help: "nothing to do; a key in the answer would make it certain";
        AbsentByValues = "ABSENT_BY_VALUES", Note,
            "without a key, no row that holds all values is left",
            help: "nothing to do; a key among the arguments would make it certain";
        RowGone = "ROW_GONE", Note,
            "the deleted row is gone",
            help: "nothing to do";
        MarkedDeleted = "MARKED_DELETED", Note,
            "the row is still there, marked as deleted",
            help: "nothing to do";
        SaidOnly = "SAID_ONLY", Warning,
            "the agent says at the end that it did something, and no proven call bears it out",
            help: "look at the sentence: was it done by a call of another log, or only said?";
        SaidAgainst = "SAID_AGAINST", Error,
            "the agent says at the end that it did something, and the call for it is refuted",
            help: "look at the call that the message names";
        RowExists = "ROW_EXISTS", Note,
            "the created row exists; the call said nothing else about it",
            help: "nothing to do; an answer with the row would prove more";
    }
}

crosscheck_core::reasons! {
    /// Why `rows` could not run.
    pub enum RowsFailure {
        LogUnreadable = "LOG_UNREADABLE", Error,
            "a log cannot be read",
            help: "name files, or `-` for standard input; for several logs let the shell expand a pattern";
        DatabaseUnreadable = "DATABASE_UNREADABLE", Error,
            "the database cannot be opened or its catalogue not read",
            help: "check the file or URL, and that the database may be read";
        ContractInvalid = "CONTRACT_INVALID", Error,
            "the contract cannot be used",
            help: "repair the place that the message names; `crosscheck schema rows-contract` prints what is allowed";
    }
}
