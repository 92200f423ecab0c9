//! What a project looked like at a moment, to notice changes: every file with
//! its length and time. Files that git ignores are left out in a repository.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::{self, Digest};
use crosscheck_core::files::open_regular;
use walkdir::WalkDir;

use super::git;

/// Beyond this many files a snapshot is not taken.
const MAX_FILES: usize = 50_000;
/// Beyond this many bytes contents are not compared.
const MAX_BYTES: u64 = 1 << 30;

/// The files of a project at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, Stamp>);

/// Length, and the time of the last change of content or place.
type Stamp = (u64, i64, i64, u64);

impl Snapshot {
    /// Looks at every file but those below the folders left out. `None` when
    /// there are too many.
    pub fn take(project: &Path, leave_out: &[&Path]) -> Option<Self> {
        let stamps = paths(project, leave_out)?
            .into_iter()
            .filter_map(|path| {
                let seen = fs::symlink_metadata(project.join(&path)).ok()?;
                Some((
                    path,
                    (seen.len(), seen.mtime(), seen.mtime_nsec(), seen.ino()),
                ))
            })
            .collect();
        Some(Self(stamps))
    }

    /// The first few paths that are new, gone or different.
    pub fn differences(&self, later: &Self) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let changed = later
            .0
            .iter()
            .filter(|(path, stamp)| self.0.get(*path) != Some(stamp));
        let mut paths: Vec<PathBuf> = gone.chain(changed.map(|(path, _)| path)).cloned().collect();
        paths.sort();
        paths
    }
}

/// The bytes of a project at a moment: a file that was written again with the
/// same content is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents(BTreeMap<PathBuf, Option<Digest>>);

impl Contents {
    /// Reads every file but those below the folders left out, also those that
    /// git ignores: they may be what was asked for. `None` when there are too
    /// many, or too much in them.
    pub fn take(project: &Path, leave_out: &[&Path]) -> Option<Self> {
        let mut left = MAX_BYTES;
        let mut digests = BTreeMap::new();
        for path in walk(project, leave_out)? {
            let digest = match fs::symlink_metadata(project.join(&path)) {
                Ok(seen) if seen.is_file() => {
                    left = left.checked_sub(seen.len())?;
                    let file = open_regular(&project.join(&path)).ok();
                    file.and_then(|file| digest::of_reader(file).ok())
                }
                Ok(seen) if seen.is_symlink() => fs::read_link(project.join(&path))
                    .ok()
                    .map(|target| Digest::of(target.as_os_str().as_encoded_bytes())),
                _ => None,
            };
            digests.insert(path, digest);
        }
        Some(Self(digests))
    }
}

/// The files that belong to a project, relative to it.
fn paths(project: &Path, leave_out: &[&Path]) -> Option<Vec<PathBuf>> {
    let known = if project.join(".git").exists() {
        git::known_files(project).ok()
    } else {
        None
    };
    let mut paths = match known {
        Some(paths) => paths,
        None => walk(project, leave_out)?,
    };
    if paths.len() > MAX_FILES {
        return None;
    }
    paths.retain(|path| {
        !leave_out
            .iter()
            .any(|folder| project.join(path).starts_with(folder))
    });
    Some(paths)
}

/// Every file below the project, relative to it; `None` beyond the limit.
fn walk(project: &Path, leave_out: &[&Path]) -> Option<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let entries = WalkDir::new(project).into_iter().filter_entry(|entry| {
        entry.file_name() != ".git"
            && !leave_out
                .iter()
                .any(|folder| entry.path().starts_with(folder))
    });
    for entry in entries
        .flatten()
        .filter(|entry| !entry.file_type().is_dir())
    {
        if paths.len() >= MAX_FILES {
            return None;
        }
        paths.push(entry.path().strip_prefix(project).ok()?.to_owned());
    }
    Some(paths)
}
