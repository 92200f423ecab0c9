//! `crosscheck attest`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::talk::PresentArgs;

/// Sign a report as an in-toto statement
///
/// The statement names the report and the other files by their SHA-256, and
/// holds the verdict of each run. It is printed as one DSSE envelope, which
/// anyone with the public key can verify offline.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct AttestArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AttestCommand>,
    #[command(flatten)]
    pub(crate) sign: Option<SignArgs>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AttestCommand {
    Verify(AttestVerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// Report that a check wrote with --format ndjson
    #[arg(value_name = "REPORT", required = true)]
    pub(crate) report: PathBuf,
    /// Further files that belong to it, such as its page
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Ed25519 private key in PKCS#8 PEM form
    #[arg(long, value_name = "KEY", required = true)]
    pub(crate) sign: PathBuf,
    /// Write the envelope to this file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// Verify a signed report
///
/// Exit codes: 0 the key signed it and every named file is one that it names,
/// 1 not, 3 could not run. What the report itself found does not matter here.
#[derive(Debug, Args)]
pub(crate) struct AttestVerifyArgs {
    /// Envelope; `-` reads standard input
    #[arg(value_name = "ENVELOPE")]
    pub(crate) envelope: PathBuf,
    /// Files that must be among those that were signed
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Ed25519 public key in SPKI PEM form
    #[arg(long, value_name = "KEY")]
    pub(crate) public_key: PathBuf,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
}
