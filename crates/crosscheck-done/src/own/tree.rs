//! What a working tree holds, as one digest.

use std::path::Path;
use std::time::Duration;

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::files::read_regular;
use crosscheck_process::git::Git;

const TIME: Duration = Duration::from_secs(10);
/// With more changed files than this a run costs less than reading them.
const MAX_FILES: usize = 2000;
const MAX_FILE: u64 = 8 << 20;

/// The last commit and everything that differs from it; files that git ignores
/// are left out. `None` without a repository.
pub(super) fn digest(root: &Path) -> Option<String> {
    let git = Git::without_filters(root).within(TIME);
    let status = git
        .ask(&[
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            "--no-renames",
        ])
        .ok()?;
    // a file with a mark in the index is not looked at: lower-case letters, `S`
    let marks = git.ask(&["ls-files", "-v", "-z"]).ok()?;
    let is_marked = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase() || c == 'S');
    if marks.split('\0').any(is_marked) {
        return None;
    }
    let top = git.ask(&["rev-parse", "--show-toplevel"]).ok()?;
    let top = Path::new(top.trim_end_matches(['\n', '\r']));
    let mut hasher = Hasher::new();
    let mut count = 0;
    for line in status.split('\0') {
        // how far the branch is from its remote changes no file
        if line.starts_with("# branch.") && !line.starts_with("# branch.oid") {
            continue;
        }
        hasher.update((line.len() as u64).to_le_bytes());
        hasher.update(line);
        let path = match line.get(..2) {
            Some("1 ") => line.splitn(9, ' ').nth(8),
            Some("u ") => line.splitn(11, ' ').nth(10),
            Some("? ") => line.get(2..),
            _ => None,
        };
        let Some(path) = path else {
            continue;
        };
        count += 1;
        if count > MAX_FILES {
            return None;
        }
        // a file that is gone differs by its line alone
        let content = read_regular(&top.join(path), MAX_FILE).unwrap_or_default();
        hasher.update(Digest::of(content).hex());
    }
    Some(hasher.finish().hex())
}
