//! Which changes make an earlier run stale.
//!
//! Contract: done 5.5.

use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::claim::{listed, words};
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
        let built = rel.iter().any(|part| part.to_str().is_some_and(is_built));
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
        // what only tests read is in no build
        let is_apart = kind == ClaimKind::BuildOk && is_test_file(rel);
        !(is_apart || is_documentation(rel, kind) || is_aside(rel) || self.irrelevant.is_match(rel))
    }
}

fn name_of(rel: &Path) -> &str {
    let name = rel.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

fn extension_of(rel: &Path) -> String {
    let extension = rel.extension().and_then(|extension| extension.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// Whether a file or folder of this name is one that builds and tools fill.
pub(crate) fn is_built(name: &str) -> bool {
    listed("built", name)
}

/// Whether a file is prose.
pub(crate) fn is_prose(path: &Path) -> bool {
    listed("prose", &extension_of(path)) || extension_of(path) == "txt"
}

/// Whether a file is documentation.
pub fn is_documentation(rel: &Path, kind: ClaimKind) -> bool {
    let name = name_of(rel);
    let extension = extension_of(rel);
    let is_list = ["requirements", "constraints", "CMakeLists.txt"]
        .iter()
        .any(|list| name.starts_with(list));
    (listed("prose", &extension) && kind != ClaimKind::LintClean)
        || extension == "txt" && !is_list
        || rel.starts_with("docs")
        || words("titles").any(|title| name.starts_with(title))
}

/// Pictures, fonts, and files that only editors and tools read.
fn is_aside(rel: &Path) -> bool {
    listed("pictures", &extension_of(rel))
        || listed("editors", name_of(rel))
        || words("editor_folders").any(|folder| rel.starts_with(folder))
}

/// Whether a file holds tests, by its name.
pub fn is_test_file(path: &Path) -> bool {
    let name = name_of(path);
    let stem = name.split('.').next().unwrap_or_default();
    let in_folder = path.iter().any(|part| {
        part.to_str()
            .is_some_and(|part| listed("test_folders", part))
    });
    let ends = ["_test", "_spec", "Test", "Tests", "Spec"];
    let named = stem.starts_with("test_")
        || ends.iter().any(|end| stem.ends_with(end))
        || name.contains(".test.")
        || name.contains(".spec.");
    named || (in_folder && is_code(path))
}

/// Whether a file is the source of a program.
pub(crate) fn is_code(path: &Path) -> bool {
    listed("code", &extension_of(path))
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
