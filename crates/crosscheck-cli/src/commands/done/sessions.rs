//! Finds the logs of sessions on this machine.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crosscheck::core::files::open_regular;
use crosscheck::done::read::session::head;

use super::place::{claude_home, codex_home, slug};

/// Codex keeps rollouts by year, month and day.
pub(super) const CODEX_DEPTH: usize = 4;
/// At most this many rollouts are opened to find one of this folder.
const MAX_OPENED: usize = 200;

/// A log and when it was last written to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) changed: SystemTime,
    pub(super) path: PathBuf,
}

/// All `.jsonl` files below a folder, in the order of their names. Links are
/// not followed.
pub(super) fn below(folder: &Path, depth: usize) -> Vec<Found> {
    let mut all = Vec::new();
    let mut folders = vec![(folder.to_owned(), depth)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_dir() && depth > 1 {
                folders.push((path, depth - 1));
            } else if kind.is_file() && path.extension().is_some_and(|end| end == "jsonl") {
                let changed = entry.metadata().and_then(|meta| meta.modified());
                let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
                all.push(Found { changed, path });
            }
        }
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

/// The newest session of a folder: Claude Code first, then Codex.
pub(super) fn newest(cwd: &Path, root: &Path) -> Option<PathBuf> {
    let claude = claude_home().map(|home| home.join("projects"));
    let own = |folder: &Path| {
        below(&claude.as_ref()?.join(slug(folder)), 1)
            .into_iter()
            .max()
    };
    if let Some(found) = own(cwd).or_else(|| own(root)) {
        return Some(found.path);
    }
    let mut rollouts = below(&codex_home()?.join("sessions"), CODEX_DEPTH);
    rollouts.sort();
    let newest = rollouts.into_iter().rev().take(MAX_OPENED);
    newest
        .map(|found| found.path)
        .find(|path| cwd_of(path).is_some_and(|cwd| cwd.starts_with(root)))
}

/// The folder that a session was started in.
fn cwd_of(path: &Path) -> Option<PathBuf> {
    head(&mut open_regular(path).ok()?).ok()?.cwd
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_found_to_the_given_depth_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("b/c");
        std::fs::create_dir_all(&deep).unwrap();
        for name in ["z.jsonl", "b/a.jsonl", "b/c/d.jsonl", "b/other.txt"] {
            crosscheck::core::files::write_atomic(&folder.path().join(name), b"{}\n").unwrap();
        }
        let names = |depth| {
            let found = below(folder.path(), depth).into_iter();
            let name = |one: Found| one.path.strip_prefix(folder.path()).unwrap().to_owned();
            found.map(name).collect::<Vec<_>>()
        };
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(names(1), paths(&["z.jsonl"]));
        assert_eq!(names(3), paths(&["b/a.jsonl", "b/c/d.jsonl", "z.jsonl"]));
    }
}
