//! From a path in a document to an opened file, by the path policy
//! (claims 5.2).
//!
//! A `SubResult` is untrusted agent output. Under confinement the real path of
//! the opened file must lie below the root or an allowed folder; this is
//! decided before everything else, existence included.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crosscheck_core::files::{ReadError, Root, open_regular, real_path_of};

use super::private::Privacy;
use super::{Kept, Missing};
use crate::error::ClaimsError;

/// Where files may be.
pub(crate) struct Policy {
    root: Root,
    /// Under confinement: the root and the folders allowed besides it.
    allowed: Option<Vec<Root>>,
    /// What git said before, by the path in a document.
    privacy: Kept<String, Privacy>,
}

/// An opened file and where it really is.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) real: PathBuf,
}

impl Policy {
    pub(crate) fn new(root: &Path, confined: bool, allow: &[PathBuf]) -> Result<Self, ClaimsError> {
        let root = Root::new(root).map_err(|source| ClaimsError::Root {
            path: root.to_owned(),
            source,
        })?;
        let allowed = if confined {
            let mut roots = vec![root.clone()];
            for folder in allow {
                let allowed = Root::new(&root.path().join(folder));
                roots.push(allowed.map_err(|source| ClaimsError::AllowedFolder {
                    path: folder.clone(),
                    source,
                })?);
            }
            Some(roots)
        } else {
            None
        };
        Ok(Self {
            root,
            allowed,
            privacy: Kept::new(1 << 20),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// Opens a regular file; the path may be relative to the root or absolute.
    pub(crate) fn open(&self, path: &str) -> Result<Opened, Missing> {
        if path.contains('\0') {
            return Err(Missing::NotFound);
        }
        let joined = self.root().join(path);
        let Some(allowed) = &self.allowed else {
            let file = open_regular(&joined).map_err(|error| missing(&error))?;
            // The real path of an open file takes one system call; resolving a path takes one for
            // each part.
            let real = real_path_of(&file).unwrap_or(joined);
            return Ok(Opened { file, real });
        };
        let real = real_path(&joined).map_err(|error| missing_io(&error))?;
        let home = allowed
            .iter()
            .find(|root| real.starts_with(root.path()))
            .ok_or(Missing::OutsideRoot)?;
        let file = home.open(&joined).map_err(|error| missing(&error))?;
        Ok(Opened { file, real })
    }

    /// Whether a path that could not be opened leads out of the root, where
    /// that is allowed.
    pub(crate) fn leads_outside(&self, path: &str) -> bool {
        self.allowed.is_none()
            && !path.contains('\0')
            && real_path(&self.root().join(path)).is_ok_and(|real| !self.is_inside(&real))
    }

    /// What an agent may learn of a file.
    pub(crate) fn privacy(&self, path: &str) -> Privacy {
        let look = || match real_path(&self.root().join(path)) {
            Ok(real) => real
                .strip_prefix(self.root())
                .map_or(Privacy::Hidden, |inside| Privacy::of(self.root(), inside)),
            // whether a secret exists is part of it
            Err(_) => Privacy::of(self.root(), Path::new(path)),
        };
        self.privacy.get(path, look, |_| path.len())
    }

    /// Whether this real path lies below the root.
    pub(crate) fn is_inside(&self, real: &Path) -> bool {
        real.starts_with(self.root())
    }

    /// A real path as reports show it: relative to the root, absolute outside.
    pub(crate) fn shown(&self, real: &Path) -> String {
        real.strip_prefix(self.root())
            .unwrap_or(real)
            .display()
            .to_string()
    }
}

/// The canonical form, also of a path that does not exist: the existing part is
/// resolved by the system, the rest lexically.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if is_absence(error.kind()) => {}
        other => return other,
    }
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            Component::CurDir => {}
            part => {
                real.push(part);
                match fs::canonicalize(&real) {
                    Ok(resolved) => real = resolved,
                    Err(error) if is_absence(error.kind()) => real = followed(real),
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(real)
}

/// A dangling link leads to its target.
fn followed(path: PathBuf) -> PathBuf {
    match fs::read_link(&path) {
        Ok(target) => {
            let joined = path.parent().unwrap_or(Path::new("/")).join(target);
            let mut real = PathBuf::new();
            for part in joined.components() {
                match part {
                    Component::ParentDir => {
                        real.pop();
                    }
                    Component::CurDir => {}
                    part => real.push(part),
                }
            }
            fs::canonicalize(&real).unwrap_or(real)
        }
        Err(_) => path,
    }
}

fn is_absence(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

fn missing(error: &ReadError) -> Missing {
    match error {
        ReadError::NotRegular { .. } => Missing::NotAFile,
        ReadError::OutsideRoot { .. } => Missing::OutsideRoot,
        ReadError::TooLarge { .. } => Missing::TooLarge,
        ReadError::Io { source, .. } => missing_io(source),
    }
}

pub(super) fn missing_io(error: &io::Error) -> Missing {
    match error.kind() {
        kind if is_absence(kind) => Missing::NotFound,
        ErrorKind::IsADirectory => Missing::NotAFile,
        // A socket or a device without a driver cannot be opened at all.
        _ if error.raw_os_error() == Some(6) => Missing::NotAFile,
        _ => Missing::Unreadable,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn confinement_is_decided_before_existence() {
        let desk = tempfile::tempdir().unwrap();
        let root = desk.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir(desk.path().join("other")).unwrap();
        fs::write(root.join("in.txt"), "x").unwrap();
        fs::write(desk.path().join("out.txt"), "x").unwrap();
        fs::write(desk.path().join("other/o.txt"), "x").unwrap();
        symlink("../out.txt", root.join("link")).unwrap();
        symlink("../gone.txt", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();

        let open = Policy::new(&root, false, &[]).unwrap();
        let confined = Policy::new(&root, true, &[]).unwrap();
        let wider = Policy::new(&root, true, &[PathBuf::from("../other")]).unwrap();
        let seen = |policy: &Policy, path: &str| policy.open(path).err();
        let absolute = root.join("in.txt").display().to_string();
        let table = [
            ("in.txt", None, None),
            (absolute.as_str(), None, None),
            ("sub/../in.txt", None, None),
            ("../out.txt", None, Some(Missing::OutsideRoot)),
            ("link", None, Some(Missing::OutsideRoot)),
            (
                "../gone.txt",
                Some(Missing::NotFound),
                Some(Missing::OutsideRoot),
            ),
            (
                "dangling",
                Some(Missing::NotFound),
                Some(Missing::OutsideRoot),
            ),
            (
                "no/../../gone.txt",
                Some(Missing::NotFound),
                Some(Missing::OutsideRoot),
            ),
            ("gone.txt", Some(Missing::NotFound), Some(Missing::NotFound)),
            ("in.txt/x", Some(Missing::NotFound), Some(Missing::NotFound)),
            ("sub", Some(Missing::NotAFile), Some(Missing::NotAFile)),
            ("", Some(Missing::NotAFile), Some(Missing::NotAFile)),
            ("loop", Some(Missing::Unreadable), Some(Missing::Unreadable)),
            ("a\0b", Some(Missing::NotFound), Some(Missing::NotFound)),
            (
                "/dev/null",
                Some(Missing::NotAFile),
                Some(Missing::OutsideRoot),
            ),
        ];
        for (path, plain, under) in table {
            assert_eq!(seen(&open, path), plain, "{path}");
            assert_eq!(seen(&confined, path), under, "{path} confined");
        }
        assert_eq!(seen(&wider, "../other/o.txt"), None);
        assert_eq!(seen(&wider, "../out.txt"), Some(Missing::OutsideRoot));
        assert!(!open.is_inside(&open.open("../out.txt").unwrap().real));
        assert_eq!(open.shown(&open.open("in.txt").unwrap().real), "in.txt");
    }

    #[test]
    fn a_pipe_is_refused_without_waiting() {
        let desk = tempfile::tempdir().unwrap();
        let pipe = desk.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        let policy = Policy::new(desk.path(), true, &[]).unwrap();
        assert_eq!(policy.open("pipe").err(), Some(Missing::NotAFile));
    }
}
