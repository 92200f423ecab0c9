//! How much is said on standard error, and in which colours: the same
//! options wherever they are understood.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TalkArgs {
    /// Print only errors on standard error
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Explain each step on standard error
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorArg::Auto)]
    pub(crate) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal, unless `NO_COLOR` or `TERM=dumb` forbids it
    Auto,
    /// Also in pipes
    Always,
    /// Not at all
    Never,
}
