//! Whether a file that grows is still the one that was read.
//!
//! A file can be written anew without becoming another file or shorter than it
//! was; what was read last then no longer is where it stood.
//!
//! Contract: sources 1.3.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// Two logs of one debate differ in fewer bytes than this: each line has its own number and time.
const KEPT: usize = 1024;

/// The last bytes that were read.
#[derive(Debug, Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    /// Takes note of what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let fresh = bytes.len().saturating_sub(KEPT);
        self.0
            .extend_from_slice(bytes.get(fresh..).unwrap_or_default());
        let spare = self.0.len().saturating_sub(KEPT);
        self.0.drain(..spare);
    }

    /// Whether the same bytes still come before `offset`.
    pub(crate) fn is_unchanged(&self, file: &mut File, offset: u64) -> io::Result<bool> {
        let start = offset.saturating_sub(self.0.len() as u64);
        file.seek(SeekFrom::Start(start))?;
        let mut now = Vec::with_capacity(self.0.len());
        file.take(self.0.len() as u64).read_to_end(&mut now)?;
        Ok(now == self.0)
    }
}
