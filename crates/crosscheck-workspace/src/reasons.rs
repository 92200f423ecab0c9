//! Every code of this verifier, declared once.

crosscheck_core::reasons! {
    /// Findings against a report, in the order of the contract (workspace 18).
    pub enum Finding {
        MarkerOnlyQuoted = "MARKER_ONLY_QUOTED", Warning,
            "the pass marker occurs only in code, quotations, comments, table rows or inside sentences of the report",
            help: "read the report; the judge has not given a verdict of its own";
        MarkerConflict = "MARKER_CONFLICT", Warning,
            "the report carries a pass marker and a verdict that contradicts it",
            help: "read the report; verify again if the verdict cannot be seen";
        PassQualified = "PASS_QUALIFIED", Warning,
            "the pass marker is negated or limited by the words around it",
            help: "read the line with the marker, and settle what it leaves open";
        PassWithIssues = "PASS_WITH_ISSUES", Warning,
            "the report passes although it lists incomplete requirements",
            help: "finish the listed items, or verify again";
        CriterionFailed = "CRITERION_FAILED", Error,
            "a declared acceptance criterion is not met",
            help: "do what the criterion asks for, then verify again";
        CriterionError = "CRITERION_ERROR", Warning,
            "a declared acceptance criterion could not be evaluated",
            help: "read the detail: a program is missing, a file unreadable, or time was up";
        ClaimedFileMissing = "CLAIMED_FILE_MISSING", Warning,
            "the report names a file as evidence that does not exist",
            help: "look for the file; a report that invents evidence proves nothing";
        ClaimedLineOutOfRange = "CLAIMED_LINE_OUT_OF_RANGE", Warning,
            "the report names a line beyond the end of the file",
            help: "open the file; a report that invents evidence proves nothing";
        JudgeModifiedInputs = "JUDGE_MODIFIED_INPUTS", Warning,
            "instructions, status, metadata or criteria changed while the judge was looking",
            help: "restore the file, make sure nothing else is running, and verify again";
        CriteriaChanged = "CRITERIA_CHANGED", Warning,
            "instructions or criteria are not the ones the work began with",
            help: "compare them with what you asked for; restore them, or accept them with `crosscheck workspace accept-criteria NAME`";
        JudgeModifiedProject = "JUDGE_MODIFIED_PROJECT", Note,
            "project files changed while the judge was looking",
            help: "check the changes; use a judge without write permission (report_via = \"stdout\")";
        StatusDisagrees = "STATUS_DISAGREES", Note,
            "the agent's own status file does not agree with a passing report, or with itself",
            help: "compare .status.json with the report";
        CountMismatch = "COUNT_MISMATCH", Note,
            "the counts in the summary differ from those in the status file",
            help: "compare .status.json with the report";
        LowConfidencePass = "LOW_CONFIDENCE_PASS", Note,
            "the report passes with low confidence",
            help: "verify again with --depth deep, or declare acceptance criteria";
        NoMachineEvidence = "NO_MACHINE_EVIDENCE", Note,
            "nothing but the report's own word supports the pass",
            help: "declare acceptance criteria in ACCEPTANCE.json";
        NoChanges = "NO_CHANGES", Note,
            "nothing outside the workspaces folder differs from the base commit",
            help: "check whether the work was saved in this project at all";
    }
}

crosscheck_core::reasons! {
    /// Why a workspace command failed.
    pub enum WorkspaceReason {
        Usage = "WORKSPACE_USAGE", Error,
            "the options contradict each other or a value is not allowed",
            help: "run the command with --help";
        Name = "WORKSPACE_NAME", Error,
            "the workspace name has characters or a length that are not allowed",
            help: "use 1 to 100 letters, numbers, hyphens and underscores";
        NotFound = "WORKSPACE_NOT_FOUND", Error,
            "there is no such workspace",
            help: "run `crosscheck workspace list`, or create it with `crosscheck workspace init`";
        Exists = "WORKSPACE_EXISTS", Error,
            "a workspace of this name exists already",
            help: "choose another name, or use `crosscheck workspace reset`";
        InstructionsMissing = "WORKSPACE_INSTRUCTIONS_MISSING", Error,
            "the workspace has no INSTRUCTIONS.md",
            help: "run `crosscheck workspace setup NAME`";
        Metadata = "WORKSPACE_METADATA", Error,
            "the file .metadata.json is not what it should be",
            help: "correct the key that the message names";
        Config = "WORKSPACE_CONFIG", Error,
            "a setting has a value that is not allowed",
            help: "correct the key that the message names, in the layer that it names";
        Acceptance = "WORKSPACE_ACCEPTANCE", Error,
            "the acceptance file is not what it should be",
            help: "correct the criterion that the message names";
        LlmUnavailable = "WORKSPACE_LLM_UNAVAILABLE", Error,
            "the LLM command does not answer its version call",
            help: "install the command, or name another one with claude.command or --judge";
        LlmFailed = "WORKSPACE_LLM_FAILED", Error,
            "the LLM command ended with an error",
            help: "read what it said; check login, quota and network";
        LlmTimeout = "WORKSPACE_LLM_TIMEOUT", Error,
            "the LLM command did not end in time and was stopped",
            help: "raise --timeout, or use a smaller --depth";
        LeftRunning = "WORKSPACE_LEFT_RUNNING", Error,
            "processes that an agent or a judge started could not be ended",
            help: "end them yourself, then verify again";
        ReportMissing = "WORKSPACE_REPORT_MISSING", Error,
            "the LLM ended without writing a report",
            help: "give the judge permission to write, or use a judge with report_via = \"stdout\"";
        ReportTooLarge = "WORKSPACE_REPORT_TOO_LARGE", Error,
            "the report is larger than 16 MiB",
            help: "look at what the judge wrote there; verify again";
        WorkOpen = "WORKSPACE_WORK_OPEN", Error,
            "by the report of the judge, parts of the work are open",
            help: "finish what the report lists, then verify again";
        Locked = "WORKSPACE_LOCKED", Error,
            "another process works on this workspace",
            help: "wait for it to end, or pass --wait";
        Io = "WORKSPACE_IO", Error,
            "a file of the workspace could not be read or written",
            help: "check the path and its permissions";
    }
}
