//! The state of a project, to detect changes: every file, also those that git
//! ignores, and the files that configure git.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Beyond this many files a snapshot is not taken.
const MAX_FILES: usize = 250_000;
/// What configures a repository. The rest of `.git` changes even when git only
/// reads.
const STEERING: [&str; 5] = ["HEAD", "config", "config.worktree", "hooks", "info"];

/// The files of a project at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, FileStamp>);

/// The known facts of one file. A program can set the time of the content, not
/// that of the inode.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStamp {
    length: u64,
    mode: u32,
    inode: u64,
    content_time: (i64, i64),
    inode_time: (i64, i64),
}

impl Snapshot {
    /// Looks at every file; `None` when there are too many.
    pub fn take(project: &Path) -> Option<Self> {
        let mut stamps = BTreeMap::new();
        for entry in WalkDir::new(project).into_iter().filter_entry(is_watched) {
            let Ok(entry) = entry else { continue };
            let Some(seen) = entry.metadata().ok().filter(|seen| !seen.is_dir()) else {
                continue;
            };
            if stamps.len() >= MAX_FILES {
                return None;
            }
            stamps.insert(
                entry.path().strip_prefix(project).ok()?.to_owned(),
                FileStamp::of(&seen),
            );
        }
        Some(Self(stamps))
    }

    /// The paths that are new, gone or different.
    pub fn differences(&self, later: &Self) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let is_changed = |(path, stamp): &(&PathBuf, &FileStamp)| self.0.get(*path) != Some(stamp);
        let changed = later.0.iter().filter(is_changed).map(|(path, _)| path);
        let mut paths: Vec<PathBuf> = gone.chain(changed).cloned().collect();
        paths.sort();
        paths
    }
}

impl FileStamp {
    fn of(seen: &fs::Metadata) -> Self {
        Self {
            length: seen.len(),
            mode: seen.mode(),
            inode: seen.ino(),
            content_time: (seen.mtime(), seen.mtime_nsec()),
            inode_time: (seen.ctime(), seen.ctime_nsec()),
        }
    }
}

fn is_watched(entry: &DirEntry) -> bool {
    let folder = entry.path().parent().and_then(Path::file_name);
    let is_of_git = entry.depth() > 0 && folder.is_some_and(|folder| folder == ".git");
    !is_of_git || STEERING.iter().any(|name| entry.file_name() == *name)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use super::*;

    fn changed(setup: &[&str], act: impl Fn(&Path)) -> Vec<String> {
        let desk = tempfile::tempdir().unwrap();
        for name in setup {
            let path = desk.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "A").unwrap();
        }
        let before = Snapshot::take(desk.path()).unwrap();
        act(desk.path());
        let after = Snapshot::take(desk.path()).unwrap();
        let paths = before.differences(&after);
        paths.iter().map(|it| it.display().to_string()).collect()
    }

    fn with_old_time(path: &Path, text: &str) {
        let time = fs::metadata(path).unwrap().modified().unwrap();
        let mut file = fs::File::options().write(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        file.set_modified(time).unwrap();
    }

    #[test]
    fn an_edit_of_equal_length_with_the_old_time_is_detected() {
        let seen = changed(&["a"], |desk| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            with_old_time(&desk.join("a"), "B");
        });
        assert_eq!(seen, ["a"]);
    }

    #[test]
    fn ignored_files_and_those_that_configure_git_are_included() {
        let files = [
            ".git/HEAD",
            ".git/config",
            ".git/index",
            ".git/info/exclude",
            ".gitignore",
        ];
        let seen = changed(&files, |desk| {
            fs::write(desk.join(".env"), "x").unwrap();
            fs::create_dir_all(desk.join(".git/hooks")).unwrap();
            fs::write(desk.join(".git/hooks/pre-commit"), "x").unwrap();
            for name in ["config", "index", "info/exclude"] {
                fs::write(desk.join(".git").join(name), "more").unwrap();
            }
        });
        assert_eq!(
            seen,
            [
                ".env",
                ".git/config",
                ".git/hooks/pre-commit",
                ".git/info/exclude"
            ]
        );
    }

    #[test]
    fn repositories_inside_the_project_are_included() {
        let seen = changed(&["sub/.git/HEAD", ".git/HEAD"], |desk| {
            for name in ["sub/.git/hooks/post-checkout", "sub/.git/config"] {
                let path = desk.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "x").unwrap();
            }
        });
        assert_eq!(seen, ["sub/.git/config", "sub/.git/hooks/post-checkout"]);
    }
}
