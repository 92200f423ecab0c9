//! Files whose text no agent may see: those that git ignores, and those whose
//! names suggest secrets (claims 5.2).

use std::path::Path;

use crosscheck_core::files::read_regular;
use globset::{GlobBuilder, GlobMatcher};

const LIMIT: u64 = 1 << 20;
const EXCLUDES: &str = ".git/info/exclude";

/// Parts of names, in lower case.
const SECRET_PARTS: [&str; 8] = [
    "secret",
    "credential",
    "password",
    "passwd",
    "private",
    "token",
    "id_rsa",
    "id_ed25519",
];
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

/// Whether the text of this file, relative to the root, is private.
pub(crate) fn is_private(root: &Path, path: &Path) -> bool {
    looks_secret(path) || is_ignored(root, path)
}

fn looks_secret(path: &Path) -> bool {
    let parts = || {
        path.iter()
            .map(|part| part.to_string_lossy().to_lowercase())
    };
    let name = parts().next_back().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    parts().any(|part| SECRET_FOLDERS.contains(&part.as_str()))
        || parts().any(|part| SECRET_PARTS.iter().any(|secret| part.contains(secret)))
        || SECRET_NAMES.contains(&name.as_str())
        || name.starts_with(".env.")
        || SECRET_ENDINGS.contains(&ending)
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
    fn names_that_sound_like_secrets_are_private() {
        for path in [
            ".env",
            "a/.env.local",
            "deploy/server.pem",
            "home/.ssh/config",
            "my-secrets.yaml",
            ".git/config",
            "conf/Credentials.json",
            "id_rsa.pub",
        ] {
            assert!(looks_secret(Path::new(path)), "{path}");
        }
        for path in [
            "src/main.rs",
            "docs/environment.md",
            "keyboard.c",
            "a.env.md",
        ] {
            assert!(!looks_secret(Path::new(path)), "{path}");
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
