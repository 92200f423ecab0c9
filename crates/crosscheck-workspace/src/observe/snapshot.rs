//! The state of a project, to detect changes: every file, also those that git
//! ignores, and the files that configure git.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::{self, Digest};
use crosscheck_core::files::{open_regular, read_limited};
use walkdir::WalkDir;

/// Beyond this many files a snapshot is not taken.
const MAX_FILES: usize = 250_000;
/// Beyond this many bytes contents are not compared.
const MAX_BYTES: u64 = 1 << 30;

/// The files of a project at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot(BTreeMap<PathBuf, FileStamp>);

/// The known facts of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileStamp {
    length: u64,
    mode: u32,
    /// Hash of the content, if it was read.
    digest: Option<Digest>,
    /// Times of the last change of the content and of the inode, and the inode.
    /// A program can set the first time, not the second.
    changed: (i64, i64, i64, i64, u64),
}

impl FileStamp {
    /// Contents decide if both are known: writing the same bytes again is not a
    /// change.
    fn is_same(&self, other: &Self) -> bool {
        let is_alike = self.length == other.length && self.mode == other.mode;
        is_alike
            && match (&self.digest, &other.digest) {
                (Some(mine), Some(theirs)) => mine == theirs,
                _ => self.changed == other.changed,
            }
    }
}

impl Snapshot {
    /// Reads every file; with `contents` also the contents up to a limit.
    /// `None` when there are too many files.
    pub fn take(project: &Path, contents: bool) -> Option<Self> {
        let mut left = if contents { MAX_BYTES } else { 0 };
        let mut stamps = BTreeMap::new();
        let mut nested = Vec::new();
        let mut paths = walk(project, &mut nested)?;
        paths.extend(steering_files(project, nested));
        for path in paths {
            let whole = project.join(&path);
            let Ok(seen) = fs::symlink_metadata(&whole) else {
                continue;
            };
            let is_read = seen.is_file() && seen.len() <= left;
            let digest = if seen.is_symlink() {
                link_digest(&whole)
            } else if is_read {
                left -= seen.len();
                let file = open_regular(&whole).ok();
                file.and_then(|file| digest::of_reader(file).ok())
            } else {
                None
            };
            let stamp = FileStamp {
                length: seen.len(),
                mode: seen.mode(),
                digest,
                changed: (
                    seen.mtime(),
                    seen.mtime_nsec(),
                    seen.ctime(),
                    seen.ctime_nsec(),
                    seen.ino(),
                ),
            };
            stamps.insert(path, stamp);
        }
        if contents && let Some(flagged) = hidden_from_git(project) {
            let stamp = FileStamp {
                length: 0,
                mode: 0,
                digest: Some(Digest::of(flagged.as_bytes())),
                changed: (0, 0, 0, 0, 0),
            };
            stamps.insert(PathBuf::from(".git/index"), stamp);
        }
        Some(Self(stamps))
    }

    /// The paths that are new, gone or different.
    pub fn differences(&self, later: &Self) -> Vec<PathBuf> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let is_same = |path: &PathBuf, stamp: &FileStamp| {
            let before = self.0.get(path);
            before.is_some_and(|before| before.is_same(stamp))
        };
        let changed = later.0.iter().filter(|(path, stamp)| !is_same(path, stamp));
        let mut paths: Vec<PathBuf> = gone.chain(changed.map(|(path, _)| path)).cloned().collect();
        paths.sort();
        paths
    }
}

fn link_digest(path: &Path) -> Option<Digest> {
    let target = fs::read_link(path).ok()?;
    Some(Digest::of(target.as_os_str().as_encoded_bytes()))
}

/// The tracked files whose changes git does not look for. The index itself also
/// changes when git only reads.
fn hidden_from_git(project: &Path) -> Option<String> {
    let list = crosscheck_process::git::ask(project, &["ls-files", "-v", "-z"]).ok()?;
    let hidden = list.split('\0').filter(|entry| {
        entry.starts_with(|c: char| c.is_ascii_lowercase()) || entry.starts_with('S')
    });
    Some(hidden.collect::<Vec<_>>().join("\0"))
}

/// The files that configure git in the project's repository and in those inside
/// it: settings, hooks, ignore lists, borrowed objects, and branches. The rest
/// of `.git` changes even on read access.
fn steering_files(project: &Path, nested: Vec<PathBuf>) -> Vec<PathBuf> {
    let own = project.ancestors().map(|folder| folder.join(".git"));
    let own = own.skip(1).find(|git| git.exists());
    let mut folders = nested;
    if !folders.contains(&project.join(".git")) {
        folders.extend(own);
    }
    let elsewhere: Vec<PathBuf> = folders
        .iter()
        .filter_map(|git| pointer(git, "gitdir: "))
        .collect();
    folders.extend(elsewhere);
    let common: Vec<PathBuf> = folders
        .iter()
        .filter_map(|git| pointer(&git.join("commondir"), ""))
        .collect();
    folders.extend(common);
    folders
        .iter()
        .flat_map(|git| {
            const NAMES: [&str; 9] = [
                "config",
                "config.worktree",
                "HEAD",
                "info",
                "hooks",
                "refs",
                "modules",
                "worktrees",
                "objects/info/alternates",
            ];
            NAMES
                .into_iter()
                .flat_map(|name| files_below(git.join(name)))
        })
        .chain(folders.iter().filter(|git| git.is_file()).cloned())
        .map(|path| match path.strip_prefix(project) {
            Ok(inside) => inside.to_owned(),
            Err(_) => path,
        })
        .collect()
}

/// The folder named in a small file.
fn pointer(file: &Path, prefix: &str) -> Option<PathBuf> {
    const LIMIT: u64 = 8 << 10;
    let is_file = fs::metadata(file).is_ok_and(|seen| seen.is_file());
    let bytes = is_file.then(|| read_limited(file, LIMIT).ok()).flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    let target = text.trim_end().strip_prefix(prefix)?;
    Some(file.parent()?.join(target))
}

fn files_below(path: PathBuf) -> impl Iterator<Item = PathBuf> {
    const MOST: usize = 20_000;
    // what git writes while it reads, below `modules` and `worktrees`
    let changes =
        |name: &std::ffi::OsStr| ["objects", "logs", "index"].iter().any(|it| name == *it);
    WalkDir::new(path)
        .into_iter()
        .filter_entry(move |entry| entry.depth() == 0 || !changes(entry.file_name()))
        .flatten()
        .filter(|entry| !entry.file_type().is_dir())
        .map(walkdir::DirEntry::into_path)
        .take(MOST)
}

/// Every file below the project, relative to it; `None` beyond the limit. Each
/// `.git` is added to `repositories` instead.
fn walk(project: &Path, repositories: &mut Vec<PathBuf>) -> Option<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let entries = WalkDir::new(project).into_iter().filter_entry(|entry| {
        let is_git = entry.file_name() == ".git";
        repositories.extend(is_git.then(|| entry.path().to_owned()));
        !is_git
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

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use super::*;

    fn changed(setup: &[&str], contents: bool, act: impl Fn(&Path)) -> Vec<String> {
        let desk = tempfile::tempdir().unwrap();
        for name in setup {
            let path = desk.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "A").unwrap();
        }
        let before = Snapshot::take(desk.path(), contents).unwrap();
        act(desk.path());
        let after = Snapshot::take(desk.path(), contents).unwrap();
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
        for contents in [false, true] {
            let seen = changed(&["a"], contents, |desk| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                with_old_time(&desk.join("a"), "B");
            });
            assert_eq!(seen, ["a"], "{contents}");
        }
    }

    #[test]
    fn the_same_bytes_again_are_not_a_change() {
        let rewrite = |desk: &Path| {
            fs::remove_file(desk.join("a")).unwrap();
            fs::write(desk.join("a"), "A").unwrap();
        };
        assert_eq!(changed(&["a"], true, rewrite), [""; 0]);
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
        let seen = changed(&files, true, |desk| {
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
        let seen = changed(&["sub/.git/HEAD", ".git/HEAD"], true, |desk| {
            for name in [
                "sub/.git/hooks/post-checkout",
                "sub/.git/config",
                ".git/modules/m/hooks/post-checkout",
                ".git/modules/m/index",
                ".git/worktrees/w/config.worktree",
                ".git/objects/info/alternates",
            ] {
                let path = desk.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "x").unwrap();
            }
        });
        assert_eq!(
            seen,
            [
                ".git/modules/m/hooks/post-checkout",
                ".git/objects/info/alternates",
                ".git/worktrees/w/config.worktree",
                "sub/.git/config",
                "sub/.git/hooks/post-checkout"
            ]
        );
    }

    #[test]
    fn a_file_that_git_overlooks_on_request_is_a_change() {
        let git = |desk: &Path, args: &[&str]| crosscheck_process::git::ask(desk, args).unwrap();
        let desk = tempfile::tempdir().unwrap();
        fs::write(desk.path().join("a"), "A").unwrap();
        git(desk.path(), &["init", "-q"]);
        git(desk.path(), &["add", "a"]);
        let before = Snapshot::take(desk.path(), true).unwrap();
        git(desk.path(), &["update-index", "--assume-unchanged", "a"]);
        let after = Snapshot::take(desk.path(), true).unwrap();
        assert_eq!(before.differences(&after), [PathBuf::from(".git/index")]);
    }

    #[test]
    fn a_work_tree_is_configured_from_elsewhere() {
        let desk = tempfile::tempdir().unwrap();
        let (tree, git) = (desk.path().join("tree"), desk.path().join("main/.git"));
        fs::create_dir_all(git.join("worktrees/tree")).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(git.join("config"), "a").unwrap();
        fs::write(git.join("worktrees/tree/commondir"), "../..\n").unwrap();
        let pointer = format!("gitdir: {}\n", git.join("worktrees/tree").display());
        fs::write(tree.join(".git"), pointer).unwrap();
        let before = Snapshot::take(&tree, true).unwrap();
        fs::write(git.join("config"), "b").unwrap();
        let changed = before.differences(&Snapshot::take(&tree, true).unwrap());
        assert_eq!(changed.len(), 1);
        assert!(changed.iter().all(|path| path.ends_with("config")));
    }
}
