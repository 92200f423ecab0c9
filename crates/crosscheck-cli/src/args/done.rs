//! `crosscheck done`

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use crosscheck::config::WORKS;
use crosscheck::done::config::Settings;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::talk::{PresentArgs, TalkArgs};

/// Check an agent's final message against its session and the project
///
/// Takes each statement such as "all tests pass" or "created `x.py`" out of
/// the message, looks for evidence in the log of the session and in the
/// project, and gives one verdict per statement. As a Stop hook it sends the
/// agent back when a statement is contradicted or was never shown.
#[derive(Debug, Args)]
pub(crate) struct DoneArgs {
    #[command(subcommand)]
    pub(crate) command: DoneCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DoneCommand {
    Hook(HookArgs),
    Check(CheckArgs),
    /// Judge one message and show how it was read; the same as `check --explain`
    ExplainCase(CheckArgs),
    Last(LastArgs),
    Audit(AuditArgs),
    Install(InstallArgs),
    Uninstall(UninstallArgs),
    Status(StatusArgs),
    Prove(ProveArgs),
    Learn(LearnArgs),
    Trust(TrustArgs),
    Log(LogArgs),
    Patterns(PatternsArgs),
}

/// Answer the event of an agent that wants to stop
///
/// Reads one hook event from standard input and prints the decision for the
/// harness. The exit code is always 0: a failure of the check itself lets the
/// agent stop.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Harness that calls; default by the fields of the event
    #[arg(long, value_enum)]
    pub(crate) harness: Option<HarnessArg>,
    /// Only answer in projects that --project or your own configuration names
    #[arg(long)]
    pub(crate) listed: bool,
    /// Project to answer in, with everything below it; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) project: Vec<PathBuf>,
    /// Version that installed the hook; for `done status`
    #[arg(long, value_name = "VERSION", hide = true)]
    pub(crate) installed: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HarnessArg {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
}

/// Judge one message
///
/// Without --transcript only the project can verify or refute. Without
/// --message the last message of the session is judged.
///
/// Exit codes: 0 every claim verified, or no claim; 1 a claim refuted; 2 a
/// claim unproven; 3 could not run.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Log of the session: Claude Code, Codex or `crosscheck.session/1`
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// Message to judge; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) message: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: JudgeArgs,
}

/// Judge the last message of the newest session in this folder
///
/// Looks for sessions of Claude Code first, then of Codex.
#[derive(Debug, Args)]
pub(crate) struct LastArgs {
    #[command(flatten)]
    pub(crate) common: JudgeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// Project; default the one that the session worked in, else the nearest folder with a crosscheck.toml or a repository
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// What to look at besides the session
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = ["fs", "git", "env", "http", "commands", "all", "none"])]
    pub(crate) reality: Vec<String>,
    #[command(flatten)]
    pub(crate) chosen: Chosen<Settings>,
    /// Show what was dropped, how commands were read and what was looked at
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
    /// Configuration file in place of those of the user and the project
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Replay past sessions and report how often "done" was wrong
///
/// Judges every stop of every session as the hook would have, and prints the
/// False-Done Rate with its interval. Of a project that is on this machine
/// only git is asked, about commits that a message names by their hash.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct AuditArgs {
    /// Session logs, or folders that hold them
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// All sessions of Claude Code
    #[arg(long)]
    pub(crate) claude_projects: bool,
    /// All sessions of Codex
    #[arg(long)]
    pub(crate) codex_sessions: bool,
    /// Only sessions since this day or time
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Exit with 1 when the False-Done Rate is higher
    #[arg(long, value_name = "RATE")]
    pub(crate) max_false_done_rate: Option<f64>,
    /// Compare the upper end of the interval instead of the rate
    #[arg(long, requires = "max_false_done_rate")]
    pub(crate) strict_interval: bool,
    /// Replace quotes, commands, paths and ids with salted hashes
    #[arg(long)]
    pub(crate) redact: bool,
    /// Verdicts made by hand, as `file,line,kind,verdict`, to measure this tool
    #[arg(long, value_name = "FILE")]
    pub(crate) label: Option<PathBuf>,
    /// What to look at besides the logs
    #[arg(long, value_name = "KIND", default_value = "git", value_parser = ["git", "none"])]
    pub(crate) reality: String,
    /// Parallel workers; default the number of cores
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
}

/// Run the commands that prove something, and print what they show
///
/// The commands are those that you accepted for this project. They run over a
/// copy of the project in which the files that steer them are those of the
/// commit before the newest session.
///
/// Exit codes: 0 all passed; 1 one failed; 2 one could not be run; 3 could not
/// run at all.
#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    /// What to prove; default everything that has a command
    #[arg(value_name = "KIND", value_parser = PossibleValuesParser::new(WORKS))]
    pub(crate) kinds: Vec<String>,
    /// Project; default the nearest folder with a crosscheck.toml or a repository
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

/// Propose commands of past sessions that look like checks
///
/// Prints `[[done.runner]]` entries for commands that ran often and that are
/// not known yet. Nothing is written.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// Session logs, or folders that hold them; default all sessions of Claude Code
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
}

/// Accept the project's crosscheck.toml as it is now
///
/// A file of the project may make the gate stricter, never looser, because an
/// agent may have written it. What you accept counts in full until the file
/// changes.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Accept without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Install the hook in the settings of a harness
///
/// Shows the difference and asks before it writes. Other hooks stay as they
/// are; a backup is kept beside the file. In your own settings, where the agent
/// of a project does not remove it, the hook works in the projects that you
/// name by installing it there. The commands that prove tests, lint, types and
/// build are proposed; the gate runs those that you accept.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Only warn, never send the agent back
    #[arg(long)]
    pub(crate) warn: bool,
    /// Propose no commands
    #[arg(long)]
    pub(crate) no_commands: bool,
    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Only show the difference
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// Remove the hook from the settings of a harness
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Only show the difference
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// Show where the hook is installed, and whether it works there
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {}

#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Which settings to change: yours for the projects that you name, those of the project, or yours in the project
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Harness whose settings are changed
    #[arg(long, value_enum, default_value = "claude-code")]
    pub(crate) harness: HarnessArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Shared with everybody who works on the project
    Project,
    /// Yours, in this project
    Local,
    /// Yours, in the projects that you name
    User,
}

/// Print what the gate decided, one line per decision
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

/// Print the phrases and runners that are known
#[derive(Debug, Args)]
pub(crate) struct PatternsArgs {
    /// Only this language
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<String>,
}
