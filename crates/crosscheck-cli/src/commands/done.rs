//! `crosscheck done`: the completion gate.

mod audit;
mod check;
pub(crate) mod hook;
mod install;
mod log;
mod place;
mod prove;
mod sessions;
mod settings;

use crate::args::done::{DoneArgs, DoneCommand};
use crate::failure::Failure;
use crate::output::Streams;

/// The program as receipts name it.
const TOOL: &str = concat!("crosscheck ", env!("CARGO_PKG_VERSION"));

pub(crate) fn run(args: &DoneArgs, streams: &mut Streams) -> Result<u8, Failure> {
    match &args.command {
        DoneCommand::Hook(args) => Ok(hook::run(args.harness, args.listed, args.project.clone())),
        DoneCommand::Check(args) => check::one(args, args.common.explain, streams),
        DoneCommand::ExplainCase(args) => check::one(args, true, streams),
        DoneCommand::Last(args) => check::last(args, streams),
        DoneCommand::Audit(args) => audit::run(args, streams),
        DoneCommand::Install(args) => install::install(args, streams),
        DoneCommand::Uninstall(args) => install::uninstall(args, streams),
        DoneCommand::Status(_) => install::status(streams),
        DoneCommand::Prove(args) => prove::prove(args, streams),
        DoneCommand::Learn(args) => prove::learn(args, streams),
        DoneCommand::Trust(args) => prove::trust(args, streams),
        DoneCommand::Log(args) => log::run(args, streams),
        DoneCommand::Patterns(args) => log::patterns(args, streams),
    }
}
