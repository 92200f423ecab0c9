//! Files that a pattern names.

use std::path::{Path, PathBuf};

/// Folders below one another that are visited.
const DEPTH_MAX: usize = 64;

/// The files and folders that a pattern names, sorted by the bytes of their paths. A path
/// without a wildcard names itself.
pub(super) fn matching(pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let glob = globset::GlobBuilder::new(&pattern.to_string_lossy())
        .literal_separator(true)
        .build()
        .map_err(|error| error.to_string())?
        .compile_matcher();
    let mut found = Vec::new();
    walk(&fixed_part(pattern), 0, &mut |path| {
        if glob.is_match(&path) {
            found.push(path);
        }
    });
    found.sort_by(|one, other| {
        let bytes = |path: &PathBuf| path.as_os_str().as_encoded_bytes().to_vec();
        bytes(one).cmp(&bytes(other))
    });
    Ok(found)
}

/// Whether a part of a path stands for several names.
pub(super) fn is_wild(part: &str) -> bool {
    part.contains(['*', '?', '[', '{'])
}

/// The folder before the first part with a wildcard.
fn fixed_part(pattern: &Path) -> PathBuf {
    let mut folder = PathBuf::new();
    for part in pattern.components() {
        if is_wild(&part.as_os_str().to_string_lossy()) {
            return folder;
        }
        folder.push(part);
    }
    folder.parent().unwrap_or(Path::new("/")).to_owned()
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
