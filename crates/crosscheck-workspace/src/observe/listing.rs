//! The files that patterns of criteria match.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::read::pattern::FilePattern;

const MOST_FILES: usize = 500_000;
/// Links can make a small project large.
const MOST_ENTRIES: usize = 2_000_000;

/// The files below a project. A link to something inside it counts as its
/// target, as it does for criteria that name a path.
#[derive(Debug)]
pub(super) struct Listing<'p> {
    project: &'p Path,
    /// Regular files, relative to the project.
    files: Vec<PathBuf>,
    /// Whether some of them may be the same file.
    has_links: bool,
    /// Links to files outside the project.
    files_outside: Vec<PathBuf>,
    /// Links to folders outside the project.
    folders_outside: Vec<PathBuf>,
}

impl<'p> Listing<'p> {
    /// Every file below the project, by its real path, or why they cannot be
    /// listed. The contents of `.git` are not project files, nor is a report
    /// that was set aside.
    pub(super) fn of(project: &'p Path, set_aside: Option<&Path>) -> Result<Self, String> {
        let mut listing = Self {
            project,
            files: Vec::new(),
            has_links: false,
            files_outside: Vec::new(),
            folders_outside: Vec::new(),
        };
        let mut walk = WalkDir::new(project).follow_links(true).into_iter();
        let mut seen = 0;
        while let Some(entry) = walk.next() {
            seen += 1;
            if seen > MOST_ENTRIES || listing.files.len() > MOST_FILES {
                return Err(format!("the project has more than {MOST_FILES} files"));
            }
            match entry {
                Ok(entry) => {
                    let is_inside = entry.file_name() != ".git" && listing.add(&entry)?;
                    if !is_inside && entry.file_type().is_dir() {
                        walk.skip_current_dir();
                    }
                }
                Err(error) if leads_nowhere(&error) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        let is_ours = |path: &PathBuf| set_aside.is_some_and(|aside| project.join(path) == aside);
        listing.files.retain(|path| !is_ours(path));
        listing.files.sort();
        Ok(listing)
    }

    /// Whether it lies inside the project.
    fn add(&mut self, entry: &DirEntry) -> Result<bool, String> {
        let path = entry
            .path()
            .strip_prefix(self.project)
            .unwrap_or(entry.path());
        let is_folder = entry.file_type().is_dir();
        let is_file = entry.file_type().is_file();
        if entry.depth() > 0 && entry.path_is_symlink() && (is_file || is_folder) {
            let target = fs::canonicalize(entry.path())
                .map_err(|error| format!("{}: {error}", path.display()))?;
            if !target.starts_with(self.project) {
                let outside = if is_folder {
                    &mut self.folders_outside
                } else {
                    &mut self.files_outside
                };
                outside.push(path.to_owned());
                return Ok(false);
            }
            self.has_links = true;
        }
        if is_file {
            self.files.push(path.to_owned());
        }
        Ok(true)
    }

    /// The files that match one of the patterns, sorted.
    pub(super) fn matching(&self, patterns: &[&FilePattern]) -> Vec<&Path> {
        let files = self.files.iter().map(PathBuf::as_path);
        files
            .filter(|path| patterns.iter().any(|pattern| pattern.matches(path)))
            .collect()
    }

    /// Links out of the project that could have more matching files. They are
    /// not followed, so nothing can be said about all files.
    pub(super) fn unseen(&self, patterns: &[&FilePattern]) -> Option<String> {
        let fits = |path: &&PathBuf| patterns.iter().any(|pattern| pattern.matches(path));
        let reaches = |path: &&PathBuf| patterns.iter().any(|it| it.may_reach_into(path));
        let file = self.files_outside.iter().find(fits);
        file.or_else(|| self.folders_outside.iter().find(reaches))
            .map(|path| format!("{} leads outside the project", path.display()))
    }

    /// How many files match; a file and the links to it count once.
    pub(super) fn count(&self, pattern: &FilePattern) -> u64 {
        let paths = self.matching(&[pattern]);
        if !self.has_links {
            return paths.len() as u64;
        }
        let real: BTreeSet<PathBuf> = paths
            .into_iter()
            .map(|path| self.project.join(path))
            .map(|path| fs::canonicalize(&path).unwrap_or(path))
            .collect();
        real.len() as u64
    }
}

/// A link in a circle, or to nothing: there is no file.
fn leads_nowhere(error: &walkdir::Error) -> bool {
    error.loop_ancestor().is_some()
        || error.path().is_some_and(|path| {
            path.is_symlink() && fs::metadata(path).is_err_and(|error| is_nothing(&error))
        })
}

fn is_nothing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
        || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn pattern(text: &str) -> FilePattern {
        FilePattern::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_link_counts_as_its_target_and_a_file_counts_once() {
        let desk = tempfile::tempdir().unwrap();
        let project = fs::canonicalize(desk.path()).unwrap();
        fs::create_dir_all(project.join("src/deep")).unwrap();
        fs::write(project.join("src/a.rs"), "").unwrap();
        fs::write(project.join("src/deep/b.rs"), "").unwrap();
        symlink("src/a.rs", project.join("one.rs")).unwrap();
        symlink("src", project.join("all")).unwrap();
        symlink("..", project.join("src/deep/up")).unwrap();
        symlink("nowhere", project.join("gone.rs")).unwrap();
        symlink("self.rs", project.join("self.rs")).unwrap();
        let listing = Listing::of(&project, None).unwrap();
        for (text, expected) in [
            ("one.rs", 1),
            ("all/*.rs", 1),
            ("all/deep/*.rs", 1),
            ("**/*.rs", 2),
            ("gone.rs", 0),
            ("self.rs", 0),
        ] {
            assert_eq!(listing.count(&pattern(text)), expected, "{text}");
        }
    }

    #[test]
    fn nothing_is_said_about_links_to_the_outside() {
        let desk = tempfile::tempdir().unwrap();
        let project = fs::canonicalize(desk.path()).unwrap().join("p");
        fs::create_dir_all(project.join("src")).unwrap();
        fs::create_dir_all(desk.path().join("out")).unwrap();
        fs::write(desk.path().join("x.rs"), "").unwrap();
        symlink("../../x.rs", project.join("src/x.rs")).unwrap();
        symlink("../../out", project.join("src/out")).unwrap();
        let listing = Listing::of(&project, None).unwrap();
        for text in [
            "src/x.rs",
            "src/*.rs",
            "src/out/*.txt",
            "src/**/*.txt",
            "**/*.md",
        ] {
            let said = listing.unseen(&[&pattern(text)]).unwrap();
            assert!(
                said.ends_with("leads outside the project"),
                "{text}: {said}"
            );
        }
        for text in ["*.rs", "src/*.txt", "tests/**", "lib/*/*.rs"] {
            assert_eq!(listing.unseen(&[&pattern(text)]), None, "{text}");
        }
    }
}
