//! Evidence in folders: what a run found, signed if a key is given, and how
//! such a folder is checked later without the database.

mod decision;
mod inventory;
mod run;
mod sign;
mod staged;
mod validate;
mod verify;

use std::io::{self, Write};
use std::path::Path;

use crosscheck_core::clock::Clock;
use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::files::{ReadError, Root};

pub use decision::{Decision, stage as stage_decision};
pub use run::{base_name, stage as stage_run};
pub use sign::Signer;
pub use staged::Staged;
pub use validate::{Validated, validate as validate_decision};
pub use verify::{is_refuted, verify as verify_run};

use super::error::ContractError;
use super::reasons::ContractFailure;

/// Reads a file of a bundle: a regular one that lies in its folder.
fn read_inside(folder: &Path, name: &str, limit: u64) -> Result<Vec<u8>, ReadError> {
    Root::new(folder)?.read(Path::new(name), limit)
}

/// Who made a bundle, when, and from what.
#[derive(Clone, Copy)]
pub struct Maker<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// The clock.
    pub clock: &'a dyn Clock,
    /// The files that the run read; a bundle never replaces or removes them.
    pub inputs: &'a [std::path::PathBuf],
}

/// The time as documents write it.
pub(crate) fn timestamp(clock: &dyn Clock) -> String {
    crosscheck_core::clock::utc_millis(clock.now())
}

fn failed(path: &Path, error: &dyn std::error::Error) -> ContractError {
    ContractError::new(
        ContractFailure::BundleWriteFailed,
        format!(
            "`{}`: {}",
            path.display(),
            crosscheck_core::advice::with_causes(error)
        ),
    )
}

/// Counts and hashes what passes through.
struct Counted<'a> {
    out: &'a mut dyn Write,
    hasher: Hasher,
    len: u64,
}

impl<'a> Counted<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        let hasher = Hasher::new();
        Self {
            out,
            hasher,
            len: 0,
        }
    }

    fn finish(self) -> (Digest, u64) {
        (self.hasher.finish(), self.len)
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// `\r\n` as `\n`, which is what hashes and signatures are over.
fn normalised(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
