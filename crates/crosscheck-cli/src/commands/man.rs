//! `crosscheck man`: manual pages from the same text as `--help`.

use std::io;

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use crate::output::Streams;

pub(crate) fn run(args: &ManArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if let Some(folder) = &args.folder {
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map_err(|error| refused(&error))?;
        return Ok(0);
    }
    let mut page = Vec::new();
    Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| refused(&error))?;
    streams.data(&page)?;
    Ok(0)
}

fn refused(error: &io::Error) -> Failure {
    Failure::usage(
        &format!("cannot write the manual: {error}"),
        "name a folder that can be written",
    )
}
