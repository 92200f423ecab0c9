//! `crosscheck enforce`: a contract run against an accepted baseline.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::CheckRunArgs;

/// Compare a contract run with an accepted baseline, for CI
///
/// Runs the same verification as `check` and compares what was found with the
/// baseline kept in a local state file. No network, no key. Standard output
/// gets one line of canonical JSON.
///
/// Exit codes: as `check`, and 4 when the run drifted from the baseline.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct EnforceArgs {
    #[command(flatten)]
    pub(crate) check: CheckRunArgs,
    /// Make this run the baseline
    #[arg(long)]
    pub(crate) create_baseline: bool,
    /// Make this run the baseline even if there is one
    #[arg(long)]
    pub(crate) replace_baseline: bool,
    /// Accept the drift that the last check found
    #[arg(long)]
    pub(crate) accept_drift: bool,
    /// Folder of the state files; default `.crosscheck/enforce`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) state_dir: Option<PathBuf>,
    /// Compare only, store nothing; for builds of pull requests
    #[arg(long)]
    pub(crate) no_state_write: bool,
    /// `expected_projection_hash_for_accept` of the drift answer (not `actual_projection_hash`)
    #[arg(long, value_name = "HEX", help_heading = "Accepting a drift")]
    pub(crate) expected_projection_hash: Option<String>,
    /// `lifecycle_state_version` of the drift answer
    #[arg(long, value_name = "N", help_heading = "Accepting a drift")]
    pub(crate) lifecycle_state_version: Option<String>,
    /// Why the drift is accepted
    #[arg(long, value_name = "TEXT", help_heading = "Accepting a drift")]
    pub(crate) reason: Option<String>,
    /// Who accepts it
    #[arg(long, value_name = "TEXT", help_heading = "Accepting a drift")]
    pub(crate) owner: Option<String>,
    /// When the acceptance must be reviewed, as an RFC 3339 time
    #[arg(long, value_name = "TIME", help_heading = "Accepting a drift")]
    pub(crate) review_by: Option<String>,
    /// HTTPS link to supporting evidence; may be repeated
    #[arg(long, value_name = "URL", help_heading = "Accepting a drift")]
    pub(crate) evidence_link: Vec<String>,
}
