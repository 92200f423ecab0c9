//! Files whose text no agent may see: those that git ignores, and those whose
//! names suggest secrets (claims 5.2). A file that holds secrets and nothing
//! else is not compared at all: the answers to guessed quotes would give it
//! away, letter by letter.

use std::path::Path;

use crosscheck_core::files::read_regular;
use crosscheck_core::secrets::names_secret_file;
use globset::{GlobBuilder, GlobMatcher};

const LIMIT: u64 = 1 << 20;
const EXCLUDES: &str = ".git/info/exclude";

const SECRET_NAMES: [&str; 9] = [
    ".env",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".dockercfg",
    "kubeconfig",
];
const SECRET_ENDINGS: [&str; 10] = [
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "asc", "tfstate",
];
const SECRET_FOLDERS: [&str; 6] = [".ssh", ".aws", ".gnupg", ".kube", ".azure", ".git"];
/// Endings of data. `secrets.yaml` holds secrets, `secrets.py` handles them.
const DATA_ENDINGS: [&str; 12] = [
    "",
    "cfg",
    "conf",
    "csv",
    "env",
    "ini",
    "json",
    "properties",
    "toml",
    "txt",
    "yaml",
    "yml",
];

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
        let name = parts.last().map_or("", String::as_str);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let in_secret_folder = || {
            let mut parts = parts.iter();
            parts.any(|part| SECRET_FOLDERS.contains(&part.as_str()))
        };
        if SECRET_NAMES.contains(&name)
            || name.starts_with(".env.")
            || SECRET_ENDINGS.contains(&ending)
            || in_secret_folder()
            || (names_secret_file(name) && DATA_ENDINGS.contains(&ending))
        {
            Self::Secret
        } else if parts.iter().any(|part| names_secret_file(part)) || is_ignored(root, path) {
            Self::Hidden
        } else {
            Self::Open
        }
    }
}

/// Reads the ignore files from the root down to the file; the last matching
/// rule decides, and everything in an ignored folder is ignored.
fn is_ignored(root: &Path, path: &Path) -> bool {
    let mut rules: Vec<Rule> = rules_of(root, EXCLUDES, Path::new(""));
    let mut folder = Path::new("").to_owned();
    for part in path {
        rules.extend(rules_of(&root.join(&folder), ".gitignore", &folder));
        folder.push(part);
        let is_folder = folder.as_path() != path;
        let last = rules
            .iter()
            .rev()
            .find(|rule| rule.matches(&folder, is_folder));
        if last.is_some_and(|rule| !rule.is_exception) {
            return true;
        }
    }
    false
}

struct Rule {
    glob: GlobMatcher,
    is_exception: bool,
    folders_only: bool,
}

impl Rule {
    /// One line of an ignore file in this folder.
    fn of(line: &str, folder: &Path) -> Option<Self> {
        let line = line.trim_end_matches(['\r', '\n', ' ']);
        let is_exception = line.starts_with('!');
        let pattern = line.strip_prefix('!').unwrap_or(line);
        let pattern = pattern.strip_prefix('\\').unwrap_or(pattern);
        let folders_only = pattern.ends_with('/');
        let bare = pattern.trim_end_matches('/');
        if bare.is_empty() || line.starts_with('#') {
            return None;
        }
        let whole = if bare.contains('/') {
            bare.trim_start_matches('/').to_owned()
        } else {
            format!("**/{bare}")
        };
        let glob = GlobBuilder::new(&folder.join(whole).to_string_lossy())
            .literal_separator(true)
            .build()
            .ok()?;
        Some(Self {
            glob: glob.compile_matcher(),
            is_exception,
            folders_only,
        })
    }

    fn matches(&self, path: &Path, is_folder: bool) -> bool {
        (is_folder || !self.folders_only) && self.glob.is_match(path)
    }
}

fn rules_of(folder: &Path, name: &str, below: &Path) -> Vec<Rule> {
    let Ok(bytes) = read_regular(&folder.join(name), LIMIT) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .filter_map(|line| Rule::of(line, below))
        .collect()
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests set the stage with plain file calls"
)]
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
    fn ignore_files_are_read_from_the_root_down() {
        let desk = tempfile::tempdir().unwrap();
        let root = desk.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir_all(root.join(".git/info")).unwrap();
        std::fs::write(root.join(".git/info/exclude"), "local.txt\n").unwrap();
        std::fs::write(
            root.join(".gitignore"),
            "# note\n*.log\n!keep.log\nbuild/\n/top.txt\na/*.tmp\n",
        )
        .unwrap();
        std::fs::write(root.join("a/.gitignore"), "inner.txt\n!x.log\n").unwrap();
        for (path, expected) in [
            ("x.log", true),
            ("a/b/x.log", false),
            ("keep.log", false),
            ("build/out.txt", true),
            ("a/build/out.txt", true),
            ("top.txt", true),
            ("a/top.txt", false),
            ("a/x.tmp", true),
            ("a/b/x.tmp", false),
            ("a/b/inner.txt", true),
            ("inner.txt", false),
            ("a/local.txt", true),
            ("src/main.rs", false),
        ] {
            assert_eq!(is_ignored(root, Path::new(path)), expected, "{path}");
        }
    }
}
