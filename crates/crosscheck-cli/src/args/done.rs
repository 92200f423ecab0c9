//! `crosscheck done`

use std::path::PathBuf;

use clap::builder::EnumValueParser;
use clap::{Subcommand, ValueEnum};
use crosscheck::done::config::Settings;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::{options, subcommands, values};
use super::talk::{PresentArgs, TalkArgs};

#[derive(Debug, Clone, Subcommand)]
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

subcommands!(DoneCommand);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HarnessArg {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
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

values! {
    HarnessArg => EnumValueParser::<HarnessArg>::new();
    ScopeArg => EnumValueParser::<ScopeArg>::new();
}

options! {
    "done" DoneArgs {
        command: DoneCommand,
    }
    "done hook" HookArgs {
        harness: Option<HarnessArg>,
        listed: bool,
        project: Vec<PathBuf>,
    }
    "done check" CheckArgs {
        transcript: Option<PathBuf>,
        message: Option<PathBuf>,
        common: JudgeArgs,
    }
    "done last" LastArgs {
        common: JudgeArgs,
    }
    "a message" JudgeArgs {
        root: Option<PathBuf>,
        reality: Vec<String>,
        chosen: Chosen<Settings>,
        explain: bool,
        presented: PresentArgs,
        config: Option<PathBuf>,
        record: LedgerOption,
        talk: TalkArgs,
    }
    "done audit" AuditArgs {
        paths: Vec<PathBuf>,
        claude_projects: bool,
        codex_sessions: bool,
        since: Option<String>,
        max_false_done_rate: Option<f64>,
        strict_interval: bool,
        redact: bool,
        label: Option<PathBuf>,
        reality: String,
        jobs: Option<usize>,
        presented: PresentArgs,
    }
    "done prove" ProveArgs {
        kinds: Vec<String>,
        root: Option<PathBuf>,
    }
    "done learn" LearnArgs {
        paths: Vec<PathBuf>,
    }
    "done trust" TrustArgs {
        yes: bool,
    }
    "done install" InstallArgs {
        place: PlaceArgs,
        warn: bool,
        no_commands: bool,
        yes: bool,
        dry_run: bool,
    }
    "done uninstall" UninstallArgs {
        place: PlaceArgs,
        yes: bool,
        dry_run: bool,
    }
    "done status" StatusArgs {
    }
    "settings of a harness" PlaceArgs {
        scope: ScopeArg,
        harness: HarnessArg,
    }
    "done log" LogArgs {
        session: Option<String>,
    }
    "done patterns" PatternsArgs {
        lang: Option<String>,
    }
}
