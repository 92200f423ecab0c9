//! How a report is presented, and how much is said on standard error: the same options
//! wherever they are understood.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::EnumValueParser;
use crosscheck::render::Format;

use super::options::{options, values};
use crate::present::Presenter;

options! {
    "presenting" PresentArgs {
        format: Option<Format>,
        output: Option<PathBuf>,
    }
    "talking" TalkArgs {
        quiet: bool,
        verbose: bool,
        color: ColorArg,
    }
}

values! {
    ColorArg => EnumValueParser::<ColorArg>::new();
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal, unless `NO_COLOR` or `TERM=dumb` forbids it
    Auto,
    /// Also in pipes
    Always,
    /// Not at all
    Never,
}
