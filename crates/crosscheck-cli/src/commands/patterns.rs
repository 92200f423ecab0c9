//! Files that a pattern names.

use std::path::{Path, PathBuf};

/// Folders below one another that are visited.
const DEPTH_MAX: usize = 64;

/// The files and folders that a pattern names from this folder, sorted by the bytes of their
/// paths. What the folder itself is called is no pattern.
pub(super) fn matching(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let pattern = pattern.trim_start_matches("./");
    let is_whole = Path::new(pattern).is_absolute();
    let folder = if is_whole { Path::new("") } else { folder };
    let glob = globset::GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| error.to_string())?
        .compile_matcher();
    let mut found = Vec::new();
    walk(
        &folder.join(fixed_part(Path::new(pattern))),
        0,
        &mut |path| {
            if glob.is_match(path.strip_prefix(folder).unwrap_or(&path)) {
                found.push(path);
            }
        },
    );
    found.sort_by(|one: &PathBuf, other| {
        let (one, other) = (one.as_os_str(), other.as_os_str());
        one.as_encoded_bytes().cmp(other.as_encoded_bytes())
    });
    Ok(found)
}

/// Whether a part of a path stands for several names.
pub(super) fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '[', '{'])
}

/// The folder before the first part with a wildcard.
pub(super) fn fixed_part(pattern: &Path) -> PathBuf {
    let mut folder = PathBuf::new();
    for part in pattern.components() {
        if is_wild(&part.as_os_str().to_string_lossy()) {
            return folder;
        }
        folder.push(part);
    }
    folder.parent().unwrap_or(Path::new("")).to_owned()
}

/// Visits everything below; links to folders are not followed.
fn walk(folder: &Path, depth: usize, visit: &mut dyn FnMut(PathBuf)) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        visit(entry.path());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth < DEPTH_MAX && entry.file_name() != ".git" {
            walk(&entry.path(), depth + 1, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_begins_before_the_first_part_with_a_wildcard() {
        for (pattern, folder) in [
            ("*.md", ""),
            ("docs/*.md", "docs"),
            ("docs/**/a?.md", "docs"),
            ("/a/b/{c,d}/*.md", "/a/b"),
            ("./docs/*.md", "./docs"),
            ("docs/a.md", "docs"),
        ] {
            let fixed = fixed_part(Path::new(pattern));
            assert_eq!(fixed, Path::new(folder), "{pattern}");
        }
    }

    #[test]
    fn patterns_match_below_a_folder_of_any_name_in_the_order_of_bytes() {
        let desk = tempfile::tempdir().unwrap();
        let folder = desk.path().join("a[1] {x}");
        for name in [
            "logs/b.x",
            "logs/a.x",
            "logs/B.x",
            "logs/deep/c.x",
            "logs/a.y",
            ".git/a.x",
        ] {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap();
        }
        for (pattern, expected) in [
            ("logs/*.x", &["logs/B.x", "logs/a.x", "logs/b.x"][..]),
            ("./logs/a.?", &["logs/a.x", "logs/a.y"]),
            ("**/c.x", &["logs/deep/c.x"]),
            ("*", &[".git", "logs"]),
            ("logs/a.x", &["logs/a.x"]),
            ("none/*", &[]),
        ] {
            let found = matching(&folder, pattern).unwrap();
            let found: Vec<&Path> = found
                .iter()
                .map(|path| path.strip_prefix(&folder).unwrap())
                .collect();
            assert_eq!(
                found,
                expected.iter().map(Path::new).collect::<Vec<_>>(),
                "{pattern}"
            );
        }
        assert!(matching(&folder, "a[").is_err());
    }
}
