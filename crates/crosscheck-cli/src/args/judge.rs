//! `crosscheck judge`.

use clap::Args;

/// Ask the built-in judge, one question per line; for conformance tests
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// Read questions from standard input, one JSON object per line
    #[arg(long, required = true)]
    pub(crate) stdin: bool,
}
