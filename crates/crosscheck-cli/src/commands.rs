//! What the commands do. One file each; this one sends each to its own.

mod attest;
mod batch;
mod canonical;
mod check;
pub(crate) mod ci;
pub(crate) mod claims;
mod contract;
mod demo;
mod doctor;
pub(crate) mod done;
mod enforce;
mod explain;
mod init;
mod judge;
mod ledger;
mod man;
mod mcp;
mod patterns;
#[cfg(feature = "pdf")]
mod pdf_text;
mod pr;
pub(crate) mod quick;
mod render;
mod rows;
mod schema;
mod sources;
pub(crate) mod spare;
mod trace;
pub(crate) mod workspace;

use clap::CommandFactory as _;

use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::output::Streams;

/// Runs a command; the number is the exit code.
pub(crate) fn run(command: Command, streams: &mut Streams) -> Result<u8, Failure> {
    match command {
        Command::Rows(args) => rows::run(&args, streams),
        Command::Quick(args) => quick::run(&args, streams),
        Command::Verify(args) => workspace::top_verify(&args, streams),
        Command::Workspace(args) => workspace::run(&args, streams),
        Command::Sources(args) => sources::run(&args, streams),
        Command::Check(args) => check::run(&args, streams),
        Command::Enforce(args) => enforce::run(&args, streams),
        Command::Compare(args) => contract::compare(&args, streams),
        Command::ValidateRegistry(args) => contract::validate_registry(&args, streams),
        Command::DecisionBundle(args) => contract::decision_bundle(&args, streams),
        Command::VerifyBundleSignature(args) => contract::verify_bundle_signature(&args, streams),
        Command::Demo(args) => demo::run(&args, streams),
        Command::Claims(args) => claims::run(&args, streams),
        Command::Done(args) => done::run(&args, streams),
        Command::Doctor(args) => doctor::run(&args, streams),
        Command::Ledger(args) => ledger::run(&args, streams),
        Command::Pr(args) => pr::run(&args, streams),
        Command::Trace(args) => trace::run(&args, streams),
        Command::Batch(args) => batch::run(&args, streams),
        Command::Ci(args) => ci::run(&args, streams),
        Command::Init(args) => init::run(&args, streams),
        Command::Attest(args) => attest::run(&args, streams),
        Command::Mcp(args) => mcp::run(&args, streams),
        Command::Render(args) => render::run(&args, streams),
        Command::Explain(args) => explain::run(&args, streams),
        Command::Schema(args) => schema::run(&args, streams),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "crosscheck", &mut script);
            streams.data(&script)?;
            Ok(0)
        }
        Command::Man(args) => man::run(&args, streams),
        Command::Canonical(args) => canonical::run(&args, streams),
        Command::Judge(args) => judge::run(&args, streams),
        #[cfg(feature = "pdf")]
        Command::PdfText(args) => pdf_text::run(&args, streams),
    }
}
