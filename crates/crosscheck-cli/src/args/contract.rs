//! The commands around `check`: registries, certificates, bundles.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Check a registry, and events against it, without any database
///
/// Exit codes: 0 valid, 1 not valid, 3 could not run.
#[derive(Debug, Args)]
pub(crate) struct ValidateRegistryArgs {
    /// Registry to validate
    #[arg(long, value_name = "PATH")]
    pub(crate) registry: Option<PathBuf>,
    /// Events file to resolve against it
    #[arg(long, value_name = "PATH")]
    pub(crate) events: Option<PathBuf>,
    /// Workflow of the events
    #[arg(long, value_name = "ID")]
    pub(crate) workflow_id: Option<String>,
}

/// Compare two runs
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(subcommand)]
    pub(crate) command: CompareCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CompareCommand {
    /// Compare two outcome certificates of one workflow
    Certificates {
        /// The earlier certificate
        #[arg(long, value_name = "PATH")]
        before: Option<PathBuf>,
        /// The later certificate
        #[arg(long, value_name = "PATH")]
        after: Option<PathBuf>,
        /// Add what changed step by step
        #[arg(long)]
        steps: bool,
        /// Exit with 1 on these movements, for example `weakened,less_determinate`
        #[arg(long, value_name = "LIST", value_delimiter = ',')]
        fail_on: Vec<String>,
    },
}

/// Work with decision bundles
#[derive(Debug, Args)]
pub(crate) struct DecisionBundleArgs {
    #[command(subcommand)]
    pub(crate) command: DecisionBundleCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DecisionBundleCommand {
    /// Validate a decision bundle offline
    ///
    /// Exit codes: 0 complete, 1 valid but partial, 2 invalid, 3 could not run.
    Validate {
        /// Folder of the bundle
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Public key (SPKI PEM) of the signer
        #[arg(long, value_name = "PATH")]
        public_key: Option<PathBuf>,
    },
}

/// Verify the signature of a run bundle offline
///
/// Prints nothing and exits with 0 if the signature is valid, and with 3 if
/// anything is wrong. With `--explain` it says in words what the bundle is, and
/// a changed one ends with 1.
#[derive(Debug, Args)]
pub(crate) struct VerifyBundleSignatureArgs {
    /// Folder of the run bundle
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<PathBuf>,
    /// Public key (SPKI PEM) of the signer
    #[arg(long, value_name = "PATH")]
    pub(crate) public_key: Option<PathBuf>,
    /// Say what the bundle is, who signed it, when, and over which files
    #[arg(long)]
    pub(crate) explain: bool,
}
