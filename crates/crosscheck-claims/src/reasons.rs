//! All codes of evidence items and documents (claims 8).

crosscheck_core::reasons! {
    /// Why evidence has its result.
    pub enum ClaimReason {
        Supported = "supported", Note,
            "the text at the locator supports the claim",
            help: "nothing to do";
        Consistent = "consistent", Note,
            "the quote is at the locator and nothing there contradicts the claim",
            help: "nothing to do; ask for a closer quote if you need proof rather than consistency";
        QuoteNotFound = "quote_not_found", Error,
            "the quoted text is not in the referenced lines",
            help: "compare the quote with the lines shown; rerun /cf-run with exact quotes";
        Contradicted = "contradicted", Error,
            "the text at the locator says something else than the claim",
            help: "read the lines; correct the claim, or rerun /cf-run";
        FileNotFound = "file_not_found", Error,
            "the file named by the locator does not exist",
            help: "check the path and --root; rerun /cf-run if the file was made up";
        NotAFile = "not_a_file", Error,
            "the path named by the locator is a folder, a device or a pipe",
            help: "name a regular file in the locator";
        InvalidRange = "invalid_range", Error,
            "the range ends before it starts",
            help: "give a range whose end is not before its start";
        RangeOutOfBounds = "range_out_of_bounds", Error,
            "the range starts after the end of the file",
            help: "check the line numbers; the file may have changed since";
        SymbolNotFound = "symbol_not_found", Error,
            "the symbol does not occur in the file",
            help: "check the spelling of the symbol and the path";
        QuoteHashMismatch = "quote_hash_mismatch", Error,
            "quote_hash is not the hash of the quote",
            help: "compute the SHA-256 of the quote, or drop --strict-hash";
        PathNoMatch = "path_no_match", Error,
            "the JSONPath query selects nothing in the document",
            help: "check the query against the document";
        StackNotFound = "stack_not_found", Error,
            "the frames of the signature do not follow each other in the file",
            help: "check the frames and their order";
        Unclear = "unclear", Warning,
            "the text at the locator neither supports nor contradicts the claim",
            help: "add a quote from the lines, or use a model judge with --judge";
        Unrelated = "unrelated", Warning,
            "the text at the locator shares nothing with the claim",
            help: "check the locator; it may point at the wrong lines";
        JudgeError = "judge_error", Warning,
            "the judge gave no usable answer",
            help: "read the details; try --judge-fallback builtin";
        UnsupportedLocator = "unsupported_locator", Warning,
            "this type of locator is not verified",
            help: "use line_range or symbol_range locators, or pass --extended";
        MalformedLocator = "malformed_locator", Warning,
            "a field of the locator is missing or has the wrong type",
            help: "check the locator against the SubResult.v1 schema";
        OutsideRoot = "outside_root", Warning,
            "the file lies outside the project root and was not opened",
            help: "pass --allow-outside-root or --allow-path to `crosscheck claims` if the file may be read; `cf-verify` never opens it";
        SecretFile = "secret_file", Warning,
            "the file holds secrets, so `cf-verify` compares nothing with it",
            help: "run `crosscheck claims` yourself if the claim must be checked";
        OwnDocument = "own_document", Warning,
            "the file is a document of this run, and nothing is evidence of itself",
            help: "name the file that the document speaks of";
        BinaryFile = "binary_file", Warning,
            "the file is not text",
            help: "point at a text file";
        FileTooLarge = "file_too_large", Warning,
            "the file or the snippet is larger than the limit",
            help: "raise --max-file-bytes or --max-snippet-bytes, or name a shorter range";
        Unreadable = "unreadable", Warning,
            "the file could not be read",
            help: "check the permissions of the file";
        RerunHintMissing = "rerun_hint_missing", Warning,
            "the tool call says nothing about how to repeat it",
            help: "ask for a typed rerun_hint";
        RerunHintInvalid = "rerun_hint_invalid", Warning,
            "the rerun_hint is not shaped as the schema says",
            help: "use one of the three shapes: web_fetch, web_search, unknown";
        RerunHintUnknown = "rerun_hint_unknown", Warning,
            "the tool call cannot be repeated",
            help: "add evidence that can be re-read: line_range or symbol_range";
        Offline = "offline", Warning,
            "the page was not fetched because of --offline",
            help: "run without --offline";
        FetchBlocked = "fetch_blocked", Warning,
            "the fetch guard refused the address",
            help: "if the address is meant, run `crosscheck claims` with --allow-private or --allow-cidr; `cf-verify` never opens it";
        FetchFailed = "fetch_failed", Warning,
            "the page could not be fetched or read",
            help: "check the URL; try again later";
        SearchUnconfigured = "search_unconfigured", Warning,
            "no search command is configured",
            help: "pass --search-command";
        SearchFailed = "search_failed", Warning,
            "the search command failed",
            help: "run the search command by hand and read its message";
        SourceNotFile = "source_not_file", Warning,
            "the evidence names a file that does not exist",
            help: "name the file in the source of the evidence";
        InvalidSubResult = "invalid_sub_result", Error,
            "the document is not a SubResult.v1",
            help: "provide a valid SubResult.v1";
        NoClaims = "no_claims", Warning,
            "the document has no claims, so there is nothing to verify",
            help: "ask for claims with evidence; an empty answer proves nothing";
    }
}

crosscheck_core::reasons! {
    /// What a warning of the details means.
    pub enum ClaimWarning {
        SettingsUnreadable = "settings_unreadable", Warning,
            "the settings file could not be read; defaults apply",
            help: "check its permissions and its size, at most 1 MiB";
        SettingsNoFrontMatter = "settings_no_front_matter", Warning,
            "the settings file has no front matter; defaults apply",
            help: "put YAML between two lines `---` at its beginning";
        SettingsNotAMap = "settings_not_a_map", Warning,
            "the front matter of the settings is not a map; defaults apply",
            help: "write keys and values";
        SettingsBadYaml = "settings_bad_yaml", Warning,
            "the front matter of the settings is not YAML; defaults apply",
            help: "correct the place the message names";
        SettingsDisabled = "settings_disabled", Warning,
            "the settings say `enabled: false`; a verification that is started runs all the same",
            help: "nothing to do, or do not start it";
        SettingsBadValue = "settings_bad_value", Warning,
            "a value of the settings has the wrong type or is out of range; its default applies",
            help: "correct the value";
        SettingsUnknownKey = "settings_unknown_key", Warning,
            "the settings have no such key",
            help: "check its spelling";
        SettingIgnored = "setting_ignored", Warning,
            "a file that the agent under check can write sets what it may not set",
            help: "set it on the command line or in your own configuration, or name the file with --config";
        DuplicateKey = "duplicate_key", Warning,
            "a key is repeated; its last value counts",
            help: "write every key once";
        UnknownKey = "unknown_key", Warning,
            "a key is not part of the contract",
            help: "check its spelling; --strict-schema refuses such documents";
        SchemaDeviation = "schema_deviation", Warning,
            "a field that no verdict needs does not match the schema",
            help: "correct the field; --strict-schema refuses such documents";
        ClaimIdIgnored = "claim_id_ignored", Warning,
            "the id of a claim is not a string; its position names it",
            help: "give a string";
        DuplicateClaimId = "duplicate_claim_id", Warning,
            "another claim has the same id",
            help: "give every claim an id of its own";
        QuoteHashMalformed = "quote_hash_malformed", Warning,
            "quote_hash is not a SHA-256 and was not compared",
            help: "write sha256: and 64 hexadecimal digits";
        RangeEndCut = "range_end_cut", Warning,
            "the range ends after the end of the file and was cut there",
            help: "check the line numbers; the file may have changed since";
        WarningsLeftOut = "warnings_left_out", Warning,
            "there were more warnings than are listed",
            help: "correct the listed ones and run again";
    }
}

crosscheck_core::reasons! {
    /// What a judge says about its answer.
    pub enum JudgeReason {
        Verbatim = "verbatim", Note,
            "the text says the claim word for word",
            help: "nothing to do";
        Lexical = "lexical", Note,
            "every word, figure and name of the claim is in one passage of the text",
            help: "nothing to do";
        Model = "model", Note,
            "the model said so and quoted the text",
            help: "nothing to do";
        QuantityConflict = "quantity_conflict", Error,
            "the text has another figure where the claim has its own",
            help: "compare the two figures";
        PolarityConflict = "polarity_conflict", Error,
            "the text says the opposite of the claim",
            help: "read the line; correct the claim";
        QuantityMissing = "quantity_missing", Warning,
            "a figure of the claim is not in the text, or not about the same",
            help: "point at the line that has the figure";
        QuantitySwapped = "quantity_swapped", Warning,
            "two figures of the claim seem to have changed places",
            help: "compare which figure belongs to what";
        IdentifierMissing = "identifier_missing", Warning,
            "a name of the claim is not in the text",
            help: "point at the line that has the name";
        PolarityUnsure = "polarity_unsure", Warning,
            "the text may say the opposite of the claim",
            help: "read the line";
        ExclusiveMissing = "exclusive_missing", Warning,
            "the claim says all, only, both or most, and the text does not",
            help: "read the line; correct the claim";
        LowOverlap = "low_overlap", Warning,
            "the text has few words of the claim",
            help: "check the locator, or quote the line";
        LexicalPartial = "lexical_partial", Warning,
            "some words of the claim are not in the text",
            help: "look for the missing words, or use a model judge with --judge both";
        NoCheckableContent = "no_checkable_content", Warning,
            "the claim has no words, figures or names to look for",
            help: "ask for a claim that says something";
        ClaimTooLong = "claim_too_long", Warning,
            "the claim is longer than the built-in judge reads",
            help: "ask for shorter claims";
        TextTooLong = "text_too_long", Warning,
            "the text is longer than the built-in judge reads",
            help: "point at a part of it";
        SpanNotFound = "span_not_found", Warning,
            "the words the model gave as its reason are not in the text",
            help: "read the line; the answer was not used";
        Biased = "biased", Warning,
            "the model finds the source biased",
            help: "look for a second source";
    }
}
