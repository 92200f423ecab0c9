//! The layout of a project: its packages, and where its tests are.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::files::{MAX_FILES, walk};
use super::git::Repository;
use crate::place::Places;
use crate::relevance::is_test_file;

/// So long is a text that is looked into.
const MAX_TEXT: u64 = 1 << 20;

/// The layout as the disk has it; without the disk every folder is one
/// package.
#[derive(Debug)]
pub struct Disk<'p> {
    places: &'p Places,
    reads: bool,
    /// The repository that knows what files held before the session.
    repository: Option<&'p Repository<'p>>,
    tests: OnceCell<Option<Vec<PathBuf>>>,
    /// What files held before the session, as far as it was asked for.
    before: RefCell<HashMap<PathBuf, Option<String>>>,
}

impl<'p> Disk<'p> {
    /// Looks at the disk only if it may.
    pub fn new(places: &'p Places, reads: bool, repository: Option<&'p Repository<'p>>) -> Self {
        Self {
            places,
            reads,
            repository,
            tests: OnceCell::new(),
            before: RefCell::default(),
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

impl Disk<'_> {
    /// The folder of the nearest manifest above a path, within the root.
    pub fn package(&self, path: &Path) -> PathBuf {
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

    /// Whether the project is a workspace of several packages.
    pub fn is_workspace(&self) -> bool {
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

    /// Whether no test lies outside of these files and folders.
    pub fn covers_tests(&self, targets: &[PathBuf]) -> bool {
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

    /// Whether a test is known to lie outside of this folder.
    pub fn has_tests_beside(&self, folder: &Path) -> bool {
        let tests = self.tests().filter(|_| self.reads);
        tests.is_some_and(|tests| tests.iter().any(|test| !test.starts_with(folder)))
    }

    /// What a file of the project holds now.
    pub fn now(&self, path: &Path) -> Option<String> {
        self.places.below(path).filter(|_| self.reads)?;
        let bytes = crosscheck_core::files::read_regular(path, MAX_TEXT).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// What it held in the commit before the session.
    pub fn before(&self, path: &Path) -> Option<String> {
        let repository = self.repository?;
        let mut known = self.before.borrow_mut();
        let text = known.entry(path.to_owned());
        text.or_insert_with(|| repository.before(path)).clone()
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
