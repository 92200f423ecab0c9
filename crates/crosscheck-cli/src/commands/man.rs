//! `crosscheck man`: manual pages from the same text as `--help`.

use std::io;
use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::files::write_atomic;

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
    write(&command, folder)?;
    Ok(0)
}

/// Writes the pages of the commands below this one, then its own.
fn write(command: &Command, folder: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        write(below, folder)?;
    }
    let man = Man::new(command.clone());
    let page = rendered(&man).map_err(|error| Failure::stdout(&error))?;
    write_atomic(&folder.join(man.get_filename()), &page).map_err(|error| {
        let reason = RunReason::OutputUnwritable.reason();
        Failure::because(reason, &with_causes(&error), reason.help)
    })
}

fn rendered(man: &Man) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(page)
}
