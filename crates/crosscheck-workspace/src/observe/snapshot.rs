//! What a project looked like at a moment, to notice changes: every file with
//! its length and time. Files that git ignores are left out in a repository.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::git;

/// Beyond this many files a snapshot is not taken.
const MAX_FILES: usize = 50_000;

/// The files of a project at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, Stamp>);

/// Length, and the time of the last change of content or place.
type Stamp = (u64, i64, i64, u64);

impl Snapshot {
    /// Looks at every file but those below the folders left out. `None` when
    /// there are too many.
    pub fn take(project: &Path, leave_out: &[&Path]) -> Option<Self> {
        let paths = if project.join(".git").exists() {
            git::known_files(project).ok()
        } else {
            None
        };
        let paths = match paths {
            Some(paths) => paths,
            None => walk(project, leave_out)?,
        };
        if paths.len() > MAX_FILES {
            return None;
        }
        let stamps = paths
            .into_iter()
            .filter(|path| {
                !leave_out
                    .iter()
                    .any(|folder| project.join(path).starts_with(folder))
            })
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

/// Every regular file below the project, relative to it and sorted, or why
/// they cannot be listed. The insides of `.git` are not project files.
pub(super) fn project_files(project: &Path) -> Result<Vec<PathBuf>, String> {
    const MOST: usize = 500_000;
    let mut paths = Vec::new();
    let entries = WalkDir::new(project)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.file_type().is_file() {
            if paths.len() >= MOST {
                return Err(format!("the project has more than {MOST} files"));
            }
            paths.extend(entry.path().strip_prefix(project).map(Path::to_owned));
        }
    }
    paths.sort();
    Ok(paths)
}
