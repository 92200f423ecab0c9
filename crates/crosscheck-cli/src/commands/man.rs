//! `crosscheck man`: manual pages from the same text as `--help`.

use std::io;
use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::files::read_regular;

use super::spare::write_files;
use crate::args::{Cli, ManArgs, with_examples};
use crate::failure::Failure;
use crate::output::Streams;

/// The longest page that is read.
const MAX_BYTES: u64 = 1024 * 1024;

pub(crate) fn run(args: &ManArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let Some(folder) = &args.folder else {
        let page = rendered(&Man::new(with_examples(Cli::command())))
            .map_err(|error| Failure::stdout(&error))?;
        streams.data(&page)?;
        return Ok(0);
    };
    let mut command = with_examples(Cli::command()).disable_help_subcommand(true);
    command.build();
    let named = folder
        .to_str()
        .and_then(|name| command.find_subcommand(name));
    if let Some(one) = named.filter(|_| !folder.is_dir()) {
        let page = rendered(&Man::new(one.clone())).map_err(|error| Failure::stdout(&error))?;
        streams.data(&page)?;
        return Ok(0);
    }
    if !folder.is_dir() {
        return Err(Failure::usage(
            &format!("`{}` is no command and no folder", folder.display()),
            "name a command of `crosscheck --help`, or a folder that exists",
        ));
    }
    let mut pages = Vec::new();
    collect(&command, &mut pages).map_err(|error| Failure::stdout(&error))?;
    for (name, page) in &pages {
        spare(&folder.join(name), page)?;
    }
    write_files(folder, &pages).map_err(|error| {
        let reason = RunReason::OutputUnwritable.reason();
        Failure::because(reason, &with_causes(&error), reason.help)
    })?;
    Ok(0)
}

/// Refuses to replace what is not a page of the same command: ours begin alike up
/// to the version.
fn spare(place: &Path, page: &[u8]) -> Result<(), Failure> {
    let Ok(there) = place.symlink_metadata() else {
        return Ok(());
    };
    let quote = page.iter().position(|byte| *byte == b'"').unwrap_or(0);
    let mut rest = page.iter().skip(quote);
    let end = rest.position(|byte| *byte == b' ').unwrap_or(0) + quote;
    let opening = page.get(..=end).unwrap_or_default();
    let found = read_regular(place, MAX_BYTES).unwrap_or_default();
    if there.is_file() && found.starts_with(opening) {
        return Ok(());
    }
    let message = format!(
        "the manual would replace `{}`, which is not a manual page of this program",
        place.display()
    );
    Err(Failure::usage(
        &message,
        "name another folder, or remove this file",
    ))
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
