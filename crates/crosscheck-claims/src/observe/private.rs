//! Files whose text no agent may see: those that git ignores, and those whose
//! names suggest secrets (claims 5.2). A file that holds secrets and nothing
//! else is not compared at all: the answers to guessed quotes would give it
//! away, letter by letter.

use std::path::Path;

use crosscheck_core::secrets::{is_secret_file, names_secret_file};
use crosscheck_process::git;

/// What an agent may learn of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Everything.
    Open,
    /// Whether a claim holds, but no text.
    Hidden,
    /// Nothing.
    Secret,
}

impl Privacy {
    /// Of a file below the root.
    pub(crate) fn of(root: &Path, path: &Path) -> Self {
        let parts: Vec<String> = path
            .iter()
            .map(|part| part.to_string_lossy().to_lowercase())
            .collect();
        if is_secret_file(&parts) {
            Self::Secret
        } else if parts.iter().any(|part| names_secret_file(part)) || is_ignored(root, path) {
            Self::Hidden
        } else {
            Self::Open
        }
    }
}

/// Whether git ignores a file. What git cannot say is not shown: without a
/// repository nobody reads the `.gitignore` that is there.
fn is_ignored(root: &Path, path: &Path) -> bool {
    let whole = root.join(path);
    let has_above = |name: &str| {
        let mut folders = whole.ancestors().skip(1);
        folders.any(|folder| folder.join(name).exists())
    };
    if !has_above(".git") {
        return has_above(".gitignore");
    }
    let path = path.to_string_lossy();
    match git::ask(root, &["check-ignore", "-q", "--no-index", "--", &path]) {
        Err(why) => !why.is_empty(),
        Ok(_) => true,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use super::*;

    #[test]
    fn files_of_secrets_are_secret_and_code_about_them_is_hidden() {
        let none = Path::new("/nowhere");
        for (paths, expected) in [
            (
                &[
                    ".env",
                    "a/.env.local",
                    "deploy/server.pem",
                    "home/.ssh/config",
                    "my-secrets.yaml",
                    ".git/config",
                    "conf/Credentials.json",
                    "id_rsa",
                ][..],
                Privacy::Secret,
            ),
            (
                &["src/token.rs", "password_reset.py", "secrets/notes.md"],
                Privacy::Hidden,
            ),
            (
                &[
                    "src/main.rs",
                    "docs/environment.md",
                    "keyboard.c",
                    "a.env.md",
                ],
                Privacy::Open,
            ),
        ] {
            for path in paths {
                assert_eq!(Privacy::of(none, Path::new(path)), expected, "{path}");
            }
        }
    }

    #[test]
    fn what_git_ignores_is_hidden() {
        let desk = tempfile::tempdir().unwrap();
        let root = desk.path();
        std::fs::write(root.join(".gitignore"), "*.log\n!keep.log\n").unwrap();
        let hidden = |path: &str| Privacy::of(root, Path::new(path)) == Privacy::Hidden;
        assert!(hidden("x.log"), "nobody reads the list for this folder");
        git::ask(root, &["init", "-q"]).unwrap();
        assert!(hidden("x.log") && hidden("a/b/x.log"));
        assert!(!hidden("keep.log") && !hidden("src/main.rs"));
    }
}
