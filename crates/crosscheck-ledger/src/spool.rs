//! Entries that could not be appended in time. Each waits in a file of its own
//! beside the ledger until the next command takes it in.
//!
//! A file is data found on disk: anybody who can write the folder can put one
//! there. It is taken in only if it is what this program writes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crosscheck_core::canonical;
use crosscheck_core::files::{read_regular, write_atomic};

use crate::record::{BYTES_MAX, Entry, is_id};
use crate::{LedgerError, Place};

/// File names that are looked at; more wait for another time.
const NAMES_MAX: usize = 10_000;

/// The files that were found.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// Entries with their files, the oldest first.
    pub(crate) entries: Vec<(PathBuf, Entry)>,
    /// Files that are not entries.
    pub(crate) unusable: usize,
}

fn folder(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".spool");
    name.into()
}

impl Place {
    /// Whether spool files may wait beside the ledger.
    pub fn has_spool(&self) -> bool {
        let file = self.resolved(false);
        file.is_ok_and(|file| {
            fs::read_dir(folder(&file)).is_ok_and(|mut entries| entries.next().is_some())
        })
    }

    /// Leaves an entry for the next command.
    pub fn spool(&self, entry: &Entry) -> Result<(), LedgerError> {
        let fail = |error: String| LedgerError::Io {
            path: self.file().to_owned(),
            writes: true,
            source: std::io::Error::other(error),
        };
        let folder = folder(&self.resolved(true)?);
        if folder.is_symlink() {
            return Err(fail("the folder of its spool files is a link".to_owned()));
        }
        let text = canonical::of(entry).map_err(|error| fail(error.to_string()))?;
        let path = folder.join(format!("{}.json", entry.id));
        write_atomic(&path, text.as_bytes())
            .map_err(|error| fail(crosscheck_core::advice::with_causes(&error)))
    }
}

/// Up to this many entries beside a ledger.
pub(crate) fn waiting(file: &Path, most: usize) -> Waiting {
    let folder = folder(file);
    let mut waiting = Waiting::default();
    if most == 0 || folder.is_symlink() {
        return waiting;
    }
    let Ok(found) = fs::read_dir(&folder) else {
        return waiting;
    };
    for path in found.flatten().take(NAMES_MAX).map(|one| one.path()) {
        // others are temporary files of a writer that was killed
        let id = path.file_stem().and_then(|stem| stem.to_str());
        let is_json = path.extension().is_some_and(|end| end == "json");
        let Some(id) = id.filter(|id| is_json && is_id(id)) else {
            continue;
        };
        match read(&path).filter(|entry| entry.id == id) {
            Some(entry) => waiting.entries.push((path, entry)),
            None => waiting.unusable += 1,
        }
        if waiting.entries.len() >= most {
            break;
        }
    }
    waiting
        .entries
        .sort_by(|(_, a), (_, b)| (&a.at, &a.id).cmp(&(&b.at, &b.id)));
    waiting
}

fn read(path: &Path) -> Option<Entry> {
    if path.is_symlink() {
        return None;
    }
    let bytes = read_regular(path, BYTES_MAX as u64).ok()?;
    let entry: Entry = serde_json::from_slice(&bytes).ok()?;
    entry.is_sound().then_some(entry)
}
