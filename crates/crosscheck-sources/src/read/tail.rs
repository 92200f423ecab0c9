//! A file that others append to, read from where the last look ended.
//!
//! A file can be written anew without becoming another file or shorter than it
//! was; what was read last then no longer is where it stood.
//!
//! Contract: sources 1.3.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;

/// Two logs of one debate differ in fewer bytes than this: each line has its own number and time.
const KEPT: usize = 1024;
/// A longer line is not an entry.
const LINE_MAX: usize = 8 * 1024 * 1024;
const PIECE: usize = 256 * 1024;

/// How far a file was read.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    offset: u64,
    /// How many lines were read.
    pub(crate) lines: u64,
    /// The last bytes that were read.
    tail: Vec<u8>,
    /// What was read of the next line; none where it is too long.
    rest: Option<Vec<u8>>,
    is_torn: bool,
    identity: Option<(u64, u64)>,
}

impl Growing {
    /// Whether the file was read before.
    pub(crate) const fn is_known(&self) -> bool {
        self.identity.is_some()
    }

    /// Whether the last line has no end yet.
    pub(crate) const fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Whether a file is still the one that was read, with the same bytes before the place where
    /// that ended.
    pub(crate) fn is_same(&self, file: &mut File) -> io::Result<bool> {
        let about = file.metadata()?;
        let identity = (about.dev(), about.ino());
        if about.len() < self.offset || self.identity.is_some_and(|known| known != identity) {
            return Ok(false);
        }
        let start = self.offset.saturating_sub(self.tail.len() as u64);
        file.seek(SeekFrom::Start(start))?;
        let mut now = Vec::with_capacity(self.tail.len());
        file.take(self.tail.len() as u64).read_to_end(&mut now)?;
        Ok(now == self.tail)
    }

    /// Reads what was added: every complete line with its number, none where it is too long.
    pub(crate) fn read(
        &mut self,
        file: &mut File,
        mut take: impl FnMut(u64, Option<&[u8]>),
    ) -> io::Result<()> {
        let about = file.metadata()?;
        self.identity = Some((about.dev(), about.ino()));
        file.seek(SeekFrom::Start(self.offset))?;
        let mut piece = vec![0; PIECE];
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                return Ok(());
            }
            self.add(piece.get(..count).unwrap_or(&piece), &mut take);
        }
    }

    /// Takes note of bytes behind the last ones.
    pub(crate) fn add(&mut self, bytes: &[u8], mut take: impl FnMut(u64, Option<&[u8]>)) {
        self.offset += bytes.len() as u64;
        let (_, fresh) = bytes.split_at(bytes.len().saturating_sub(KEPT));
        self.tail.extend_from_slice(fresh);
        let spare = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..spare);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let rest = if self.is_torn {
                self.rest.take()
            } else {
                Some(Vec::new())
            };
            let fits = rest.filter(|rest| rest.len() + part.len() <= LINE_MAX);
            let line = fits.map(|mut rest| {
                rest.extend_from_slice(part);
                rest
            });
            self.is_torn = !part.ends_with(b"\n");
            if self.is_torn {
                self.rest = line;
            } else {
                take(self.lines, line.as_deref());
                self.lines += 1;
            }
        }
    }
}
