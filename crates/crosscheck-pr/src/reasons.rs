//! Why a claim about a change is judged as it is, and why a change could not be looked at.

crosscheck_core::reasons! {
    /// Why a claim is confirmed, refuted or undecided.
    pub enum PrReason {
        DiffAgrees = "PR_DIFF_AGREES", Note,
            "the diff shows what the text says",
            help: "nothing to do";
        FileNotChanged = "PR_FILE_NOT_CHANGED", Error,
            "the text names a file as changed, and the diff does not change it",
            help: "correct the path in the text, or add the missing change";
        FileMissing = "PR_FILE_MISSING", Error,
            "the text names a file that is in neither the old nor the new tree",
            help: "correct the path in the text, or add the missing file";
        FileNotNew = "PR_FILE_NOT_NEW", Error,
            "the text calls a file new that was there before",
            help: "say that the file was changed, or correct the path";
        FileStillThere = "PR_FILE_STILL_THERE", Error,
            "the text says that a file was removed or renamed, and it is still there",
            help: "remove the file, or correct the text";
        OtherFileChanged = "PR_OTHER_FILE_CHANGED", Error,
            "the diff changes a file that the text says it leaves alone",
            help: "take the change out, or name it in the text";
        SymbolNotInDiff = "PR_SYMBOL_NOT_IN_DIFF", Warning,
            "no added or removed line of the diff holds the name",
            help: "correct the name in the text, or add the missing change";
        CountDiffers = "PR_COUNT_DIFFERS", Error,
            "the diff has another number of files, lines or tests",
            help: "correct the number in the text";
        NoTestInDiff = "PR_NO_TEST_IN_DIFF", Error,
            "the text says that tests were added, and no added line or file is about a test",
            help: "add the tests, or take the sentence out";
        ScriptMissing = "PR_SCRIPT_MISSING", Error,
            "the test plan names a script that the new tree does not declare",
            help: "correct the name of the script, or declare it";
        CommitMissing = "PR_COMMIT_MISSING", Warning,
            "the repository has no commit of this id",
            help: "correct the commit id, or push the commit";
        CheckFailed = "PR_CHECK_FAILED", Error,
            "a check or test of the results did not pass",
            help: "read the log of the check that failed";
        ResultsMissing = "PR_RESULTS_MISSING", Warning,
            "no results of tests or checks were given that decide it",
            help: "pass the results of the checks with --checks FILE (GitHub check runs as JSON, or JUnit XML)";
        Ambiguous = "PR_AMBIGUOUS", Warning,
            "the words fit several files or changes, and not all of them agree",
            help: "write the whole path, or look at the diff";
        NotInDiff = "PR_NOT_DECIDED_BY_DIFF", Warning,
            "the diff does not decide it",
            help: "look at the diff, or write the sentence so that it names a file, a symbol or a number";
        PatchUnread = "PR_PATCH_UNREAD", Warning,
            "a part of the diff has no lines to look at: it is binary or too large",
            help: "look at these files yourself";
    }
}

crosscheck_core::reasons! {
    /// Why a change could not be looked at.
    pub enum PrRunReason {
        PrNoRepository = "PR_NO_REPOSITORY", Error,
            "there is no git repository to look at, or git is not installed",
            help: "run it inside a clone, or name one with --root DIR";
        PrNoCommit = "PR_NO_COMMIT", Error,
            "a commit that the comparison needs is not in the clone",
            help: "check the name; in CI fetch the whole history (`fetch-depth: 0` of actions/checkout)";
        PrGitFailed = "PR_GIT_FAILED", Error,
            "git did not answer, took too long or printed too much",
            help: "read the message; run `git fsck` if the clone may be damaged";
        PrInputUnreadable = "PR_INPUT_UNREADABLE", Error,
            "the event or the results of the checks are not in a known format",
            help: "pass the event file of GitHub Actions, and check runs as JSON or JUnit XML";
    }
}
