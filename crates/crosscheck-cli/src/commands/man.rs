//! `crosscheck man`: manual pages from the same text as `--help`.

use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use crosscheck::core::advice::{RunReason, with_causes};

use super::together::write_together;
use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use crate::output::Streams;

pub(crate) fn run(args: &ManArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let Some(folder) = &args.folder else {
        let page = rendered(&Man::new(Cli::command())).map_err(|error| Failure::stdout(&error))?;
        streams.data(&page)?;
        return Ok(0);
    };
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages).map_err(|error| Failure::stdout(&error))?;
    write_together(folder, &pages).map_err(|error| {
        let reason = RunReason::OutputUnwritable.reason();
        Failure::because(reason, &with_causes(&error), reason.help)
    })?;
    Ok(0)
}

/// The pages of the commands below this one, then its own.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        collect(below, pages)?;
    }
    let man = Man::new(command.clone());
    pages.push((man.get_filename(), rendered(&man)?));
    Ok(())
}

fn rendered(man: &Man) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(page)
}
