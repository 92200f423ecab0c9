//! What can be typed. One file for each command; this one is their index.

pub(crate) mod asking;
pub(crate) mod attest;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod chosen;
pub(crate) mod ci;
pub(crate) mod claims;
pub(crate) mod done;
mod examples;
pub(crate) mod ledger;
mod options;
mod outputs;
pub(crate) mod pr;
pub(crate) mod rows;
pub(crate) mod sources;
pub(crate) mod talk;
pub(crate) mod trace;
pub(crate) mod workspace;

use std::path::PathBuf;

use clap::builder::EnumValueParser;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use self::check::{
    CheckArgs, CompareArgs, DecisionBundleArgs, EnforceArgs, QuickArgs, ValidateRegistryArgs,
    VerifyBundleSignatureArgs,
};
pub(crate) use self::examples::with_examples;
pub(crate) use self::options::time;
use self::options::{options, values};
pub(crate) use self::outputs::{
    given_options, hashed_inputs, is_stream, is_url, note_inputs, note_paths, written,
};
use self::rows::RowsArgs;
use self::workspace::{TopVerifyArgs, WorkspaceArgs};

pub(crate) const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("CROSSCHECK_COMMIT"),
    ")"
);

/// Check what AI agents say against the facts
///
/// Agents end with "row saved", "see line 42", "all tests pass". crosscheck
/// checks each claim and prints a verdict.
///
/// Exit codes: 0 confirmed, 1 refuted, 2 undecided, 3 could not run, 4 drift
/// against an accepted baseline, 129, 130, 131 or 143 interrupted.
#[derive(Debug, Parser)]
#[command(name = "crosscheck", version = VERSION, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Say on standard error what happens inside, before the command: `error` to `trace`, which names every rule that is asked
    #[arg(long, value_name = "LEVEL")]
    log: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The program as far as `rows` and `quick` are concerned. Describing all the other
/// commands would cost a small run more than the check itself.
#[derive(Debug, Parser)]
#[command(name = "crosscheck")]
pub(crate) struct QuickCli {
    #[command(subcommand)]
    pub(crate) command: QuickCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuickCommand {
    Quick(Box<QuickArgs>),
    Rows(Box<RowsArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Rows(Box<RowsArgs>),
    Quick(Box<QuickArgs>),
    Check(Box<CheckArgs>),
    Enforce(Box<EnforceArgs>),
    Compare(CompareArgs),
    ValidateRegistry(ValidateRegistryArgs),
    DecisionBundle(DecisionBundleArgs),
    VerifyBundleSignature(VerifyBundleSignatureArgs),
    #[command(visible_alias = "cf-verify")]
    Claims(Box<claims::ClaimsArgs>),
    Sources(Box<sources::SourcesArgs>),
    Done(Box<done::DoneArgs>),
    Pr(Box<pr::PrArgs>),
    Trace(Box<trace::TraceArgs>),
    Verify(TopVerifyArgs),
    Workspace(WorkspaceArgs),
    Ci(Box<ci::CiArgs>),
    Init(InitArgs),
    Attest(attest::AttestArgs),
    Batch(Box<batch::BatchArgs>),
    Mcp(Box<batch::McpArgs>),
    Render(batch::RenderArgs),
    Ledger(ledger::LedgerArgs),
    Doctor(DoctorArgs),
    Explain(ExplainArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    #[command(hide = true)]
    Canonical(CanonicalArgs),
    #[command(hide = true)]
    Judge(JudgeArgs),
    #[cfg(feature = "pdf")]
    #[command(hide = true)]
    PdfText(PdfTextArgs),
}

options! {
    "pdf-text" PdfTextArgs {
        html: bool,
    }
    "demo" DemoArgs {
        folder: Option<PathBuf>,
    }
    "init" InitArgs {
        print: bool,
    }
    "doctor" DoctorArgs {
        format: PlainFormat,
    }
    "explain" ExplainArgs {
        code: Option<String>,
        format: PlainFormat,
    }
    "schema" SchemaArgs {
        name: Option<String>,
    }
    "completions" CompletionsArgs {
        shell: Shell,
    }
    "man" ManArgs {
        folder: Option<PathBuf>,
    }
    "canonical" CanonicalArgs {
        stdin: bool,
        profile: Profile,
    }
    "judge" JudgeArgs {
        stdin: bool,
    }
}

values! {
    PlainFormat => EnumValueParser::<PlainFormat>::new();
    Profile => EnumValueParser::<Profile>::new();
    Shell => EnumValueParser::<Shell>::new();
}

/// Formats of commands that report no verdict
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// Lines for people
    Human,
    /// One JSON document
    Json,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Profile {
    /// UTF-16 key order, ECMAScript numbers
    Rows,
    /// Code point key order, integers and doubles kept apart
    Trace,
}
