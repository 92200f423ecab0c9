//! Entries that could not be appended in time. Each waits in a file of its own
//! beside the ledger until the next command takes it in.
//!
//! A file is data found on disk: anyone who can write the folder can put one
//! there. It is taken in only if it is what this program writes.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::advice::with_causes;
use crosscheck_core::canonical;
use crosscheck_core::files::{read_regular, write_atomic};

use crate::record::{BYTES_MAX, LedgerEntry, is_id};
use crate::{LedgerError, Place};

/// Files that are looked at; more wait for another time.
const NAMES_MAX: usize = 10_000;
/// A temporary file of this age has no writer any more.
const KILLED_AFTER: Duration = Duration::from_mins(1);

/// The files that were found.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// Entries with their files, the oldest first.
    pub(crate) entries: Vec<(PathBuf, LedgerEntry)>,
    /// Files that are not entries; they are moved aside.
    pub(crate) unusable: usize,
}

/// The folder of the spool files of a ledger.
pub(crate) fn folder(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".spool");
    name.into()
}

impl Place {
    /// How many spool files wait beside the ledger.
    pub fn spooled(&self) -> usize {
        let Ok(file) = self.resolved(false) else {
            return 0;
        };
        let folder = folder(&file);
        if folder.is_symlink() {
            return 1; // it is reported as one that cannot be used
        }
        fs::read_dir(folder).map_or(0, |found| found.take(NAMES_MAX).count())
    }

    /// Leaves an entry for the next command.
    pub fn spool(&self, entry: &LedgerEntry) -> Result<(), LedgerError> {
        let fail = LedgerError::io(self.file(), true);
        let folder = folder(&self.resolved(true)?);
        if folder.is_symlink() {
            let why = "the folder of its spool files is a link";
            return Err(fail(io::Error::other(why)));
        }
        private_folder(&folder).map_err(fail)?;
        let text = canonical::of(entry).map_err(|error| fail(io::Error::other(error)))?;
        let path = folder.join(format!("{}.json", entry.id));
        write_atomic(&path, text.as_bytes())
            .map_err(|error| fail(io::Error::other(with_causes(&error))))
    }
}

/// Up to this many entries beside a ledger.
pub(crate) fn waiting(file: &Path, most: usize) -> Waiting {
    let folder = folder(file);
    let mut waiting = Waiting::default();
    if most == 0 {
        return waiting;
    }
    if folder.is_symlink() {
        waiting.unusable = 1;
        return waiting;
    }
    let Ok(found) = fs::read_dir(&folder) else {
        return waiting;
    };
    for path in found.flatten().map(|one| one.path()).take(NAMES_MAX) {
        let name = path.file_name().and_then(|name| name.to_str());
        let parts = name.and_then(|name| name.split_once(".json"));
        let known = parts.filter(|(id, _)| is_id(id));
        let rest = known.map(|(_, rest)| rest);
        let entry = match rest {
            Some("") => read(&path),
            // a writer that was killed leaves this; one that lives renames it
            Some(rest) if rest.starts_with(".tmp.") => {
                if !is_old(&path) {
                    continue;
                }
                read(&path)
            }
            _ => None,
        };
        let id = known.map(|(id, _)| id);
        if let Some(entry) = entry.filter(|entry| Some(entry.id.as_str()) == id) {
            waiting.entries.push((path, entry));
        } else {
            waiting.unusable += 1;
            set_aside(&folder, &path);
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

/// Moves what is not an entry out of the way of those that come later.
fn set_aside(folder: &Path, path: &Path) {
    let mut aside = OsString::from(folder);
    aside.push(".rejected");
    let aside = PathBuf::from(aside);
    if let Some(name) = path.file_name().filter(|_| !aside.is_symlink()) {
        let _ = private_folder(&aside);
        let _ = fs::rename(path, aside.join(name));
    }
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)
}

fn is_old(path: &Path) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|meta| meta.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KILLED_AFTER))
}

fn read(path: &Path) -> Option<LedgerEntry> {
    if path.is_symlink() {
        return None;
    }
    let bytes = read_regular(path, BYTES_MAX as u64).ok()?;
    let entry: LedgerEntry = serde_json::from_slice(&bytes).ok()?;
    entry.is_sound().then_some(entry)
}
