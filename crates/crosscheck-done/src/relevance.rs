//! Which changes make an earlier run stale.
//!
//! Contract: done 5.5.

use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::kind::ClaimKind;
use crate::place::Places;

/// Decides which files matter for which claims.
#[derive(Debug)]
pub struct Relevance<'p> {
    places: &'p Places,
    irrelevant: GlobSet,
}

impl<'p> Relevance<'p> {
    /// With further files that do not matter; a pattern that cannot be read
    /// leaves nothing out.
    pub fn new(places: &'p Places, irrelevant: &[String]) -> Self {
        let mut set = GlobSetBuilder::new();
        for pattern in irrelevant {
            if let Ok(glob) = Glob::new(pattern) {
                set.add(glob);
            }
        }
        Self {
            places,
            irrelevant: set.build().unwrap_or_else(|_| GlobSet::empty()),
        }
    }

    /// Whether a change of this file, or below this folder, is one of the
    /// project at all.
    pub fn is_change(&self, path: &Path) -> bool {
        let Some(rel) = self.places.below(path) else {
            return false;
        };
        let built = rel
            .iter()
            .any(|part| part.to_str().is_some_and(|part| BUILT.contains(&part)));
        !built
            && !self.places.is_temporary(path)
            && rel.extension().is_none_or(|extension| extension != "log")
    }

    /// Whether a change of this file can change the outcome of a check.
    pub fn matters(&self, path: &Path, kind: ClaimKind) -> bool {
        if !self.is_change(path) {
            return false;
        }
        let Some(rel) = self.places.below(path) else {
            return false;
        };
        !(is_documentation(rel, kind) || is_aside(rel) || self.irrelevant.is_match(rel))
    }
}

/// Folders that builds and tools fill.
const BUILT: [&str; 18] = [
    "node_modules",
    "target",
    "dist",
    ".next",
    "__pycache__",
    ".venv",
    "venv",
    "coverage",
    ".git",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".turbo",
    ".cache",
    ".gradle",
    ".nuxt",
    "htmlcov",
];

fn name_of(rel: &Path) -> &str {
    rel.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// Whether a file is documentation.
pub fn is_documentation(rel: &Path, kind: ClaimKind) -> bool {
    let name = name_of(rel);
    let extension = rel
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_text = extension == "txt"
        && !(name.starts_with("requirements")
            || name.starts_with("constraints")
            || name == "CMakeLists.txt");
    let is_prose = matches!(
        extension.as_str(),
        "md" | "markdown" | "rst" | "adoc" | "mdx"
    );
    let titles = ["LICENSE", "CHANGELOG", "NOTICE", "AUTHORS", "CODEOWNERS"];
    let in_docs = rel.starts_with("docs");
    (is_prose && kind != ClaimKind::LintClean)
        || is_text
        || in_docs
        || titles.iter().any(|title| name.starts_with(title))
}

/// Pictures, fonts, and files that only editors and tools read.
fn is_aside(rel: &Path) -> bool {
    let extension = rel
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_picture = matches!(
        extension.as_str(),
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "svg"
            | "ico"
            | "webp"
            | "bmp"
            | "woff"
            | "woff2"
            | "ttf"
            | "otf"
            | "eot"
            | "mp4"
            | "pdf"
    );
    let is_setting = matches!(
        name_of(rel),
        ".gitignore" | ".gitattributes" | ".editorconfig" | "crosscheck.toml"
    );
    let folders = [
        ".vscode",
        ".idea",
        ".claude",
        ".codex",
        ".crosscheck",
        ".github/ISSUE_TEMPLATE",
    ];
    is_picture || is_setting || folders.iter().any(|folder| rel.starts_with(folder))
}

/// Whether a file holds tests, by its name.
pub fn is_test_file(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let in_folder = path.iter().any(|part| {
        matches!(
            part.to_str(),
            Some("tests" | "test" | "__tests__" | "spec" | "specs" | "e2e")
        )
    });
    let named = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || stem.ends_with("Spec")
        || name.contains(".test.")
        || name.contains(".spec.");
    named || (in_folder && is_code(path))
}

pub(crate) fn is_code(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    matches!(
        extension,
        "py" | "rs"
            | "go"
            | "js"
            | "jsx"
            | "mjs"
            | "cjs"
            | "ts"
            | "tsx"
            | "vue"
            | "svelte"
            | "java"
            | "kt"
            | "scala"
            | "rb"
            | "php"
            | "cs"
            | "fs"
            | "c"
            | "h"
            | "cc"
            | "cpp"
            | "hpp"
            | "m"
            | "swift"
            | "dart"
            | "ex"
            | "exs"
            | "erl"
            | "hs"
            | "ml"
            | "clj"
            | "lua"
            | "pl"
            | "r"
            | "jl"
            | "zig"
            | "sh"
            | "bash"
            | "sql"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_makes_no_test_stale() {
        let places = Places {
            root: "/p".into(),
            cwd: "/p".into(),
            home: None,
            temporary: vec!["/tmp".into()],
        };
        let relevance = Relevance::new(&places, &["examples/**".to_owned()]);
        for (path, matters) in [
            ("/p/src/a.py", true),
            ("/p/README.md", false),
            ("/p/docs/x.py", false),
            ("/p/notes.txt", false),
            ("/p/requirements-dev.txt", true),
            ("/p/CMakeLists.txt", true),
            ("/p/logo.svg", false),
            ("/p/run.log", false),
            ("/p/.claude/settings.json", false),
            ("/p/node_modules/x/i.js", false),
            ("/p/examples/a.py", false),
            ("/p/package.json", true),
            ("/tmp/x.py", false),
            ("/q/a.py", false),
        ] {
            assert_eq!(
                relevance.matters(Path::new(path), ClaimKind::TestsPass),
                matters,
                "{path}"
            );
        }
        assert!(relevance.matters(Path::new("/p/README.md"), ClaimKind::LintClean));
    }
}
