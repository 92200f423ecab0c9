//! The layout of a project: its packages, and where its tests are.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use super::files::{MAX_FILES, walk};
use crate::evidence::Layout;
use crate::place::Places;
use crate::relevance::is_test_file;

/// The layout as the disk has it; without the disk every folder is one
/// package.
#[derive(Debug)]
pub struct Disk<'p> {
    places: &'p Places,
    reads: bool,
    tests: OnceCell<Option<Vec<PathBuf>>>,
}

impl<'p> Disk<'p> {
    /// Looks at the disk only if it may.
    pub const fn new(places: &'p Places, reads: bool) -> Self {
        Self {
            places,
            reads,
            tests: OnceCell::new(),
        }
    }

    /// Test files of the project; `None` when there are too many files.
    fn tests(&self) -> Option<&Vec<PathBuf>> {
        let found = self.tests.get_or_init(|| {
            let mut tests = Vec::new();
            let mut count = 0;
            for entry in walk(&self.places.root).filter(|entry| entry.file_type().is_file()) {
                count += 1;
                if count > MAX_FILES {
                    return None;
                }
                let rel = self.places.below(entry.path())?;
                let name = entry.file_name().to_str().unwrap_or_default();
                let helper = matches!(
                    name,
                    "__init__.py" | "conftest.py" | "mod.rs" | "setup.ts" | "setup.js"
                );
                if is_test_file(rel) && !helper {
                    tests.push(entry.path().to_owned());
                }
            }
            Some(tests)
        });
        found.as_ref()
    }
}

const MANIFESTS: [&str; 12] = [
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
    "setup.py",
    "deno.json",
];

impl Layout for Disk<'_> {
    fn package(&self, path: &Path) -> PathBuf {
        if self.reads {
            for folder in path.ancestors() {
                if !folder.starts_with(&self.places.root) {
                    break;
                }
                let has_manifest = MANIFESTS.iter().any(|name| folder.join(name).is_file());
                if has_manifest || has_project(folder) {
                    return folder.to_owned();
                }
            }
        }
        self.places.root.clone()
    }

    fn is_workspace(&self) -> bool {
        let root = &self.places.root;
        let holds = |name: &str, word: &str| {
            let bytes =
                crosscheck_core::files::read_regular(&root.join(name), 1 << 20).unwrap_or_default();
            memchr::memmem::find(&bytes, word.as_bytes()).is_some()
        };
        self.reads
            && (root.join("pnpm-workspace.yaml").is_file()
                || root.join("go.work").is_file()
                || root.join("lerna.json").is_file()
                || root.join("turbo.json").is_file()
                || root.join("nx.json").is_file()
                || holds("Cargo.toml", "[workspace]")
                || holds("package.json", "\"workspaces\""))
    }

    fn covers_tests(&self, targets: &[PathBuf]) -> bool {
        if !self.reads || targets.iter().any(|target| !target.is_dir()) {
            return false;
        }
        let Some(tests) = self.tests() else {
            return false;
        };
        !tests.is_empty()
            && tests
                .iter()
                .all(|test| targets.iter().any(|target| test.starts_with(target)))
    }

    fn has_tests_beside(&self, folder: &Path) -> bool {
        let tests = self.tests().filter(|_| self.reads);
        tests.is_some_and(|tests| tests.iter().any(|test| !test.starts_with(folder)))
    }
}

fn has_project(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.take(512).filter_map(Result::ok).any(|entry| {
        let name = entry.file_name();
        name.to_str()
            .is_some_and(|name| name.ends_with(".csproj") || name.ends_with(".fsproj"))
    })
}
