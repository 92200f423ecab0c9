//! Where a report may be kept (claims 3.5): below the root, never through a
//! link, and never over a file that is not an earlier report. The agent under
//! check wrote the settings and the task id that name the place.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crosscheck_core::files::{WriteError, read_earlier, write_atomic};
use crosscheck_core::held;

const VERSION: &str = "VerifyReport.v1";
/// Larger files are not read to see whether they are an earlier report.
const LIMIT: u64 = 64 << 20;

/// Writes a report at a place below the root.
pub(super) fn write_below(root: &Path, place: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let path = below(root, place)?;
    write_atomic(&path, bytes)
}

/// The real path of a place below the root, if a report may be written there.
pub fn below(root: &Path, place: &Path) -> Result<PathBuf, WriteError> {
    let refuse = |why: &str| WriteError::Io {
        step: "keep a report at",
        path: place.to_owned(),
        source: io::Error::other(why.to_owned()),
    };
    held::check(root).map_err(|error| refuse(&error.to_string()))?;
    let root = fs::canonicalize(root).map_err(|error| refuse(&error.to_string()))?;
    let joined = root.join(place);
    let inside = joined
        .strip_prefix(&root)
        .map_err(|_| refuse("it lies outside the project"))?;
    let mut path = root.clone();
    for part in inside.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            _ => return Err(refuse("it may lead outside the project")),
        }
        if fs::symlink_metadata(&path).is_ok_and(|seen| seen.is_symlink()) {
            return Err(refuse("a link is on the way"));
        }
    }
    match fs::symlink_metadata(&path) {
        Ok(_) if !is_report(&path) => Err(refuse("a file is there that is not an earlier report")),
        _ => Ok(path),
    }
}

/// Whether a file is a report of ours, or has one per line.
pub fn is_report(path: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Head {
        version: String,
    }
    let Ok(Some(bytes)) = read_earlier(path, LIMIT) else {
        return false;
    };
    let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Head>();
    matches!(values.next(), Some(Ok(head)) if head.version == VERSION)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_report_stays_below_the_root_and_replaces_nothing_else() {
        let desk = tempfile::tempdir().unwrap();
        let root = desk.path().join("p");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::create_dir(desk.path().join("out")).unwrap();
        symlink("../out", root.join("link")).unwrap();
        symlink("a/real.json", root.join("file.json")).unwrap();
        fs::write(root.join("a/notes.json"), "{\"version\": 1}").unwrap();
        fs::write(root.join("a/text"), "text").unwrap();
        fs::write(
            root.join("a/old.json"),
            "{\"version\":\"VerifyReport.v1\"}\n{}",
        )
        .unwrap();
        let why = |place: &str| match below(&root, Path::new(place)) {
            Ok(_) => String::new(),
            Err(error) => crosscheck_core::advice::with_causes(&error),
        };
        for (place, expected) in [
            ("a/new.json", ""),
            ("deep/er/new.json", ""),
            ("a/old.json", ""),
            ("link/x.json", "a link is on the way"),
            ("file.json", "a link is on the way"),
            ("../out/x.json", "outside the project"),
            ("a/../../out/x.json", "outside the project"),
            ("a/notes.json", "not an earlier report"),
            ("a/text", "not an earlier report"),
            ("a", "not an earlier report"),
        ] {
            let said = why(place);
            assert_eq!(said.is_empty(), expected.is_empty(), "{place}: {said}");
            assert!(said.contains(expected), "{place}: {said}");
        }
        assert!(why(&desk.path().join("out/x.json").display().to_string()).contains("outside"));
        let absolute = fs::canonicalize(&root).unwrap().join("a/new.json");
        assert_eq!(why(&absolute.display().to_string()), "");
    }
}
