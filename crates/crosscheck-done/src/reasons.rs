//! Why a claim ended the way it did, declared once.

use crosscheck_core::{Reason, Verdict};

crosscheck_core::reasons! {
    /// Why a claim is verified, refuted or unproven.
    pub enum DoneReason {
        RunOk = "DONE_RUN_OK", Note,
            "a command that shows it ran after the last change and succeeded",
            help: "nothing to do";
        RunOkOutput = "DONE_RUN_OK_OUTPUT", Note,
            "a command that shows it ran after the last change, and its own summary says that it succeeded",
            help: "nothing to do; without a pipe behind the command its exit status would say the same";
        RunMatchesException = "DONE_RUN_MATCHES_EXCEPTION", Note,
            "everything that failed is what the statement leaves out",
            help: "nothing to do";
        RunNotNeeded = "DONE_RUN_NOT_NEEDED", Note,
            "only documentation was changed, so no command has to run",
            help: "nothing to do";
        CmdOk = "DONE_CMD_OK", Note,
            "the configured command was run now and succeeded",
            help: "nothing to do";
        FilePresent = "DONE_FILE_PRESENT", Error,
            "the file is there",
            help: "if it should be gone, delete it";
        FileAbsent = "DONE_FILE_ABSENT", Error,
            "the file is not there",
            help: "if it should exist, create it, or check the path in the message";
        FileChanged = "DONE_FILE_CHANGED", Note,
            "the file was changed in this session",
            help: "nothing to do";
        SymbolPresent = "DONE_SYMBOL_PRESENT", Error,
            "the name occurs in the code",
            help: "if it should be gone, remove it";
        SymbolAbsent = "DONE_SYMBOL_ABSENT", Error,
            "the name does not occur in the code",
            help: "if it should be there, add it, or check the spelling in the message";
        GitCommitted = "DONE_GIT_COMMITTED", Note,
            "a commit of this session holds the files that the session changed",
            help: "nothing to do";
        GitRemoteMatches = "DONE_GIT_REMOTE_MATCHES", Note,
            "the remote branch, as git last saw it, has every local commit",
            help: "nothing to do";
        EnvKeyPresent = "DONE_ENV_KEY_PRESENT", Note,
            "the file has the key; its value was not read",
            help: "nothing to do";
        HttpOk = "DONE_HTTP_OK", Note,
            "the address answered as the statement says",
            help: "nothing to do";
        RowConfirmed = "DONE_ROW_CONFIRMED", Note,
            "`rows` found the row in the database",
            help: "nothing to do";
        RunFailed = "DONE_RUN_FAILED", Error,
            "the last command that could show it failed, and nothing was changed since",
            help: "repair what fails and run the command again";
        RunFailedOutput = "DONE_RUN_FAILED_OUTPUT", Error,
            "the summary of the last command that could show it says that something failed",
            help: "repair what fails and run the command again, without hiding its exit status";
        Superseded = "DONE_SUPERSEDED", Error,
            "a run of everything failed, and only a part of it was run again without a change between",
            help: "run everything again";
        CountMismatch = "DONE_COUNT_MISMATCH", Error,
            "no command or edit shows this number",
            help: "take the number from the output";
        CmdFailed = "DONE_CMD_FAILED", Error,
            "the configured command was run now and failed",
            help: "run it and repair what fails";
        FileUnchanged = "DONE_FILE_UNCHANGED", Error,
            "the session was to change the file, and it is the same as before",
            help: "make the change, or take the statement back";
        GitUncommitted = "DONE_GIT_UNCOMMITTED", Error,
            "a file that the session changed differs from the last commit, or is not tracked",
            help: "commit it";
        GitNoCommit = "DONE_GIT_NO_COMMIT", Error,
            "no commit is newer than the session",
            help: "commit the changes";
        GitNoSuchCommit = "DONE_GIT_NO_SUCH_COMMIT", Error,
            "the named commit does not exist, or is part of no branch",
            help: "check the hash in the message";
        GitAhead = "DONE_GIT_AHEAD", Error,
            "the local branch has commits that the remote one, as git last saw it, has not",
            help: "push them";
        EnvKeyAbsent = "DONE_ENV_KEY_ABSENT", Error,
            "the file does not have the key",
            help: "add the key to the file";
        HttpError = "DONE_HTTP_ERROR", Error,
            "the address answered with an error, or with another status than the statement says",
            help: "repair the server";
        RowRefuted = "DONE_ROW_REFUTED", Error,
            "`rows` looked in the database and found a contradiction",
            help: "check that the write was committed, and that it is the database the agent used";
        NoTranscript = "DONE_NO_TRANSCRIPT", Warning,
            "there is no log of the session to look at; `--transcript FILE` names one",
            help: "pass --transcript FILE, or let a configured command be run";
        NoRun = "DONE_NO_RUN", Warning,
            "no command of the session could show it",
            help: "run the command, or take the statement back; list a script of your own under `[[done.runner]]` in your configuration";
        DisqualifiedRun = "DONE_DISQUALIFIED_RUN", Warning,
            "the command that was run only lists, plans or watches, or could not be started",
            help: "run it for real";
        StaleRun = "DONE_STALE_RUN", Warning,
            "the command ran before the last change of a file that matters",
            help: "run it again";
        FailedThenEdited = "DONE_FAILED_THEN_EDITED", Warning,
            "the last run failed, files were changed since, and it was not run again",
            help: "run it again";
        Masked = "DONE_MASKED", Warning,
            "the exit status does not decide: the command line hides it, or the output names failures",
            help: "run it without a pipe, `|| true` or an option that ignores failures";
        EmptyRun = "DONE_EMPTY_RUN", Warning,
            "the command ran nothing: there were no tests",
            help: "check the path and the name of the tests";
        PartialRun = "DONE_PARTIAL_RUN", Warning,
            "only a part was run, and the statement speaks of all",
            help: "run everything, or say what was run";
        WrongDir = "DONE_WRONG_DIR", Warning,
            "the command ran in another package than the one that was changed",
            help: "run it in the package that was changed";
        WrongTarget = "DONE_WRONG_TARGET", Warning,
            "the command did not include what the statement names",
            help: "run what the statement names";
        NotReached = "DONE_NOT_REACHED", Warning,
            "a command before it in the same line failed, so it never ran",
            help: "repair what failed first, then run it";
        BackgroundRun = "DONE_BACKGROUND_RUN", Warning,
            "the command is still running in the background, as far as the session tells",
            help: "wait for its end";
        Interrupted = "DONE_INTERRUPTED", Warning,
            "the command was interrupted",
            help: "run it again";
        TimedOut = "DONE_TIMED_OUT", Warning,
            "the command was ended because its time was up",
            help: "run it again with more time";
        NoResult = "DONE_NO_RESULT", Warning,
            "the session has no answer to the command",
            help: "run it again";
        ShadowedTool = "DONE_SHADOWED_TOOL", Warning,
            "the session put something in front of the program, so its answer proves nothing",
            help: "remove the function, alias, folder on PATH or file of that name, and run it again";
        SubagentOpaque = "DONE_SUBAGENT_OPAQUE", Warning,
            "a subagent may have changed files after the run, and its log cannot be read",
            help: "run the command again";
        HistoryIncomplete = "DONE_HISTORY_INCOMPLETE", Warning,
            "the log begins in the middle of the session",
            help: "run the command again";
        OutsideRoot = "DONE_OUTSIDE_ROOT", Warning,
            "the path lies outside of the project",
            help: "nothing is looked at outside of the project";
        Unreadable = "DONE_UNREADABLE", Warning,
            "the file cannot be read",
            help: "check its permissions";
        NoBaseline = "DONE_NO_BASELINE", Warning,
            "there is nothing to compare the file with",
            help: "a repository would show whether it changed";
        SymbolAmbiguous = "DONE_SYMBOL_AMBIGUOUS", Warning,
            "the name occurs elsewhere, or there is too much to search",
            help: "name the file in the message";
        NotARepo = "DONE_NOT_A_REPO", Warning,
            "the project is not a git repository",
            help: "nothing to do";
        GitOtherCommit = "DONE_GIT_OTHER_COMMIT", Warning,
            "this session is not known to have made the named commit",
            help: "name the commit that holds the work, as `git log -1` prints it";
        GitUnreadable = "DONE_GIT_UNREADABLE", Warning,
            "git did not answer, or a filter of the repository would have to run",
            help: "run `git status` yourself";
        GitOwnRemote = "DONE_GIT_OWN_REMOTE", Warning,
            "the session itself made the remote, or wrote what git knows of it",
            help: "push to the remote that others use, or say where the commits are";
        NoUpstream = "DONE_NO_UPSTREAM", Warning,
            "the branch has no remote one to compare with",
            help: "push with `-u`";
        NoEnvFile = "DONE_NO_ENV_FILE", Warning,
            "no environment file was found or named",
            help: "name the file in the message";
        HttpUnreachable = "DONE_HTTP_UNREACHABLE", Warning,
            "nothing answers at the address",
            help: "start the server, then say so";
        HttpTimeout = "DONE_HTTP_TIMEOUT", Warning,
            "the address did not answer in time",
            help: "try again when the server is ready";
        NotLoopback = "DONE_NOT_LOOPBACK", Warning,
            "the address is not on this machine, and nothing else is asked",
            help: "show the answer in the session, for example with curl";
        CmdUnavailable = "DONE_CMD_UNAVAILABLE", Warning,
            "the configured command, or something it needs, is not installed here",
            help: "install it, or correct [done.commands]";
        CmdTimeout = "DONE_CMD_TIMEOUT", Warning,
            "the configured command took too long",
            help: "raise done.timeout_s";
        NoCommand = "DONE_NO_COMMAND", Warning,
            "no command is configured that could be run now",
            help: "name one in [done.commands]";
        CallOk = "DONE_CALL_OK", Note,
            "a call of such a tool succeeded in this session",
            help: "nothing to do";
        NoCall = "DONE_NO_CALL", Warning,
            "no call of the session did it",
            help: "do it, or take the statement back";
        Steered = "DONE_STEERED", Warning,
            "a file that steers this check was changed in the session, so that the run proves nothing",
            help: "run `crosscheck done prove`, which uses the file as it was before the session";
        NotRequired = "DONE_NOT_REQUIRED", Warning,
            "nothing was asked for that could show it",
            help: "name what must be shown: `--require tests,lint`";
        NoProbe = "DONE_NO_PROBE", Warning,
            "nothing in the project could show it now",
            help: "show it in the session";
        HandedToRows = "DONE_HANDED_TO_ROWS", Warning,
            "the statement was handed to `rows`, which could neither confirm nor refute it",
            help: "run `crosscheck rows` on the log to see each call";
        NoRowsCheck = "DONE_NO_ROWS_CHECK", Warning,
            "nothing looks it up: a row without a configured database, or a migration",
            help: "name the database with `database` in `[done]` of your own configuration, or with --db";
        CountUnknown = "DONE_COUNT_UNKNOWN", Warning,
            "the number cannot be counted in this session",
            help: "nothing to do";
        ShellUnparsed = "DONE_SHELL_UNPARSED", Warning,
            "a command line could not be understood, so it proves nothing",
            help: "run the command on a line of its own";
        LogUnreadable = "DONE_LOG_UNREADABLE", Warning,
            "the log of the session cannot be read, so that nothing shows it",
            help: "let the harness write its log again, or run the command once more and say what happens";
        LogWritten = "DONE_LOG_WRITTEN", Warning,
            "the session touched its own log, so that the log proves nothing",
            help: "set up a command with `crosscheck done install`, which the gate then runs itself";
        OutOfTime = "DONE_OUT_OF_TIME", Warning,
            "the hook did not have the time to look",
            help: "show it again in a short command; if it goes on, raise `deadline_ms` in `[done]` and install the hook again";
    }
}

impl DoneReason {
    /// The word in receipts: the code in lower case, without its prefix.
    pub fn word(self) -> String {
        let code = self.code();
        code.strip_prefix("DONE_")
            .unwrap_or(code)
            .to_ascii_lowercase()
    }

    /// The declaration of the reason that receipts spell so.
    pub fn of_word(word: &str) -> Option<&'static Reason> {
        let code = format!("DONE_{}", word.to_ascii_uppercase());
        Self::ALL.iter().find(|reason| reason.code == code).copied()
    }

    /// Whether an unproven claim is only warned about, whatever its kind.
    pub const fn is_soft(self) -> bool {
        matches!(
            self,
            Self::NoResult
                | Self::HistoryIncomplete
                | Self::SubagentOpaque
                | Self::ShellUnparsed
                | Self::HandedToRows
                | Self::NoRowsCheck
                | Self::NotLoopback
                | Self::HttpUnreachable
                | Self::NoProbe
                | Self::GitUncommitted
                | Self::NoCall
                | Self::Steered
                | Self::NotRequired
                | Self::NotARepo
                | Self::NoUpstream
                | Self::GitOwnRemote
                | Self::NoTranscript
        )
    }
}

/// The word of a verdict in receipts.
pub const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "verified",
        Verdict::Refuted => "refuted",
        Verdict::Undecided => "unproven",
    }
}

/// What limits a verdict without changing it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Caveat {
    /// It failed once and passed when it was run again.
    Flaky,
    /// Tests were weakened in the session.
    TestsWeakened,
    /// The file is empty.
    EmptyFile,
    /// A subagent ran it.
    BySubagent,
    /// The user ran it.
    ByUser,
    /// The session shows a failure, and the world shows success.
    TranscriptFailed,
    /// The configured command could not be started.
    CmdUnavailable,
    /// The configured command took too long.
    CmdTimeout,
    /// The address answered with a redirect.
    RedirectNotFollowed,
    /// The file is a link that leads out of the project.
    SymlinkOutside,
    /// Only a part of the output was there to read.
    OutputTruncated,
    /// Only the end of the session was read.
    PartialHistory,
    /// Since the last prompt nothing of the project was changed or checked.
    EarlierWork,
    /// After the change a program ran that is none of the known ones.
    UnknownRun,
}
