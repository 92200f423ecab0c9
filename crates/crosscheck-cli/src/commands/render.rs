//! `crosscheck render`: one check in several formats.

use std::io;
use std::path::Path;

use crosscheck::Neutral;
use crosscheck::batch::reports;
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::{drain_limited, read_limited};

use crate::args::batch::RenderArgs;
use crate::commands::spare::{present, rendered, spare};
use crate::failure::Failure;
use crate::output::Streams;

/// The largest report that is read.
const MAX_REPORT: u64 = 1 << 30;

pub(crate) fn run(args: &RenderArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if let Some(output) = &args.output {
        spare(output, std::slice::from_ref(&args.report), &[])?;
    }
    let read = text(&args.report).and_then(|text| reports(&text));
    let reports = read.map_err(|why| {
        Failure::usage(
            &format!("cannot read the report `{}`: {why}", args.report.display()),
            "name a file that a check wrote with --format ndjson",
        )
    })?;
    let views: Vec<&Neutral> = reports.iter().collect();
    let page = rendered(&views, args.format)?;
    let page = String::from_utf8_lossy(&page);
    present(&page, args.format, args.output.as_deref(), streams)?;
    Ok(0)
}

fn text(path: &Path) -> Result<String, String> {
    let bytes = if path.as_os_str() == "-" {
        let read = drain_limited(io::stdin().lock(), MAX_REPORT);
        read.map_err(|error| error.to_string())?
            .ok_or("it is larger than 1 GiB")?
    } else {
        read_limited(path, MAX_REPORT).map_err(|error| with_causes(&error))?
    };
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}
