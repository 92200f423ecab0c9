//! Paths, compared by their names alone: a session speaks of files that may
//! be gone.

use std::path::{Component, Path, PathBuf};

/// The folders that decide what a path means.
#[derive(Debug, Clone)]
pub struct Places {
    /// The project.
    pub root: PathBuf,
    /// Where the session began.
    pub cwd: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Folders for files that are thrown away.
    pub temporary: Vec<PathBuf>,
}

impl Places {
    /// A path as a session names it, from a folder; `~` is the home.
    pub fn absolute(&self, from: &Path, path: &str) -> PathBuf {
        if let Some(rest) = path.strip_prefix("~/")
            && let Some(home) = &self.home
        {
            return clean(&home.join(rest));
        }
        if path == "~"
            && let Some(home) = &self.home
        {
            return home.clone();
        }
        clean(&from.join(path))
    }

    /// The path below the root; `None` outside of it.
    pub fn below<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(&self.root).ok()
    }

    /// A path for people: from the root, where it is below that.
    pub fn shown(&self, path: &Path) -> String {
        self.below(path).unwrap_or(path).display().to_string()
    }

    /// Whether a path lies in a folder for files that are thrown away, and the
    /// project does not.
    pub fn is_temporary(&self, path: &Path) -> bool {
        self.temporary
            .iter()
            .any(|folder| path.starts_with(folder) && !self.root.starts_with(folder))
    }
}

/// A path without `.` and `..`.
pub fn clean(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// The root of the project around a folder: the nearest one with a
/// `crosscheck.toml` or a repository, not above the home; else the folder.
pub fn root_of(cwd: &Path, home: Option<&Path>) -> PathBuf {
    for folder in cwd.ancestors() {
        if folder.join("crosscheck.toml").is_file() || folder.join(".git").exists() {
            return folder.to_owned();
        }
        if Some(folder) == home {
            break;
        }
    }
    cwd.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_session_become_absolute_without_being_looked_for() {
        let places = Places {
            root: "/p".into(),
            cwd: "/p".into(),
            home: Some("/home/u".into()),
            temporary: vec!["/tmp".into()],
        };
        let of =
            |from: &str, path: &str| places.absolute(Path::new(from), path).display().to_string();
        assert_eq!(of("/p/a", "../b/./c.py"), "/p/b/c.py");
        assert_eq!(of("/p", "/x/y"), "/x/y");
        assert_eq!(of("/p", "~/.bashrc"), "/home/u/.bashrc");
        assert_eq!(of("/p", "../../../etc"), "/etc");
        assert!(places.is_temporary(Path::new("/tmp/x")));
        let inside = Places {
            root: "/tmp/p".into(),
            ..places
        };
        assert!(!inside.is_temporary(Path::new("/tmp/p/x")));
    }
}
