//! How a report is presented, and how much is said on standard error: the same options
//! wherever they are understood.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use crosscheck::render::Format;

use super::report_format;
use crate::present::Presenter;

/// How a report is presented, and where.
#[derive(Debug, Args)]
pub(crate) struct PresentArgs {
    /// Output format; default human
    #[arg(long, alias = "report-format", value_name = "FORMAT", value_parser = report_format())]
    format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

impl PresentArgs {
    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or(Format::Human)
    }

    /// Whether a format or a file was asked for.
    pub(crate) const fn is_chosen(&self) -> bool {
        self.format.is_some() || self.output.is_some()
    }

    pub(crate) fn presenter(&self) -> Presenter<'_> {
        Presenter::new(self.format(), self.output.as_deref())
    }
}

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
