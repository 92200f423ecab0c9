//! `crosscheck attest`.

use std::path::PathBuf;

use clap::Subcommand;

use super::options::{options, subcommands};
use super::talk::PresentArgs;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AttestCommand {
    Verify(AttestVerifyArgs),
}

subcommands!(AttestCommand);

options! {
    "attest" AttestArgs {
        command: Option<AttestCommand>,
        report: Option<PathBuf>,
        files: Vec<PathBuf>,
        sign: Option<PathBuf>,
        output: Option<PathBuf>,
    }
    "attest verify" AttestVerifyArgs {
        envelope: PathBuf,
        files: Vec<PathBuf>,
        public_key: PathBuf,
        presented: PresentArgs,
    }
}
