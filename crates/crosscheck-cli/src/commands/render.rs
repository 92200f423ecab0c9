//! `crosscheck render`: one check in several formats.

use std::path::Path;

use crosscheck::Neutral;
use crosscheck::batch::{ReportError, reports};
use crosscheck::core::Advice as _;

use crate::args::batch::RenderArgs;
use crate::commands::spare::spare;
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::read_named;

/// The largest report that is read.
const MAX_REPORT: u64 = 1 << 30;

pub(crate) fn run(args: &RenderArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if let Some(output) = &args.presented.output {
        spare(output, std::slice::from_ref(&args.report), &[])?;
    }
    let read = read_named(&args.report, MAX_REPORT)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned()))
        .map_err(ReportError::Unreadable)
        .and_then(|text| reports(&text));
    let reports = read.map_err(|why| unread(&args.report, &why))?;
    let reports: Vec<&Neutral> = reports.iter().collect();
    args.presented.presenter().show(&reports, Ok(()), streams)?;
    Ok(0)
}

/// Why a report is not taken, and the way out.
pub(super) fn unread(report: &Path, why: &ReportError) -> Failure {
    let message = format!("cannot read the report `{}`: {why}", report.display());
    Failure::because(why.reason(), &message, &why.help())
}
