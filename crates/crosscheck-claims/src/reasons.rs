//! Every code an evidence item or a document can end with.

crosscheck_core::reasons! {
    /// Why evidence ended the way it did.
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
            help: "pass --allow-outside-root or --allow-path if the file may be read";
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
            help: "pass --allow-private or --allow-cidr if the address is meant";
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
            "the source of the evidence is no existing file",
            help: "name the file in the source of the evidence";
        InvalidSubResult = "invalid_sub_result", Error,
            "the document is not a SubResult.v1",
            help: "provide a valid SubResult.v1";
    }
}
