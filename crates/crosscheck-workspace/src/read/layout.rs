//! Where workspaces are (workspace 3).

use std::fs;
use std::path::{Component, Path, PathBuf};

use crosscheck_core::files::written_as;

use super::metadata::{METADATA_FILE, Metadata};
use crate::config::{Settings, Surroundings, resolve};
use crate::error::WorkspaceError;
use crate::reasons::WorkspaceReason;

/// The requested workspace.
pub const INSTRUCTIONS_FILE: &str = "INSTRUCTIONS.md";

const CANDIDATES: [&str; 2] = ["crosscheck/workspaces", "claude-iterate/workspaces"];
const SUGGESTIONS: usize = 5;

/// The folders that may contain workspaces, absolute; at least one.
pub fn homes(surroundings: &Surroundings, settings: &Settings) -> Vec<PathBuf> {
    let named = surroundings.workspaces_dir.clone();
    let named = named.or_else(|| settings.chosen.workspaces_dir.clone().map(PathBuf::from));
    if let Some(named) = named {
        return vec![normal(&resolve(surroundings, &named))];
    }
    let [own, compatible] = CANDIDATES.map(|folder| surroundings.project.join(folder));
    match (own.is_dir(), compatible.is_dir()) {
        (true, true) => vec![own, compatible],
        (false, true) => vec![compatible],
        (_, false) => vec![own],
    }
}

/// Checks a name; it cannot be a path.
pub fn check_name(name: &str) -> Result<(), WorkspaceError> {
    let is_good = (1..=100).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if is_good {
        Ok(())
    } else {
        Err(WorkspaceError::new(
            WorkspaceReason::Name,
            format!(
                "Invalid workspace name '{name}'. Use 1-100 letters, numbers, hyphens, and underscores."
            ),
        ))
    }
}

/// The folder of a workspace, and the folder of workspaces it lies in.
pub fn find(
    surroundings: &Surroundings,
    settings: &Settings,
    name: &str,
) -> Result<(PathBuf, PathBuf), WorkspaceError> {
    let homes = homes(surroundings, settings);
    for home in &homes {
        let folder = home.join(name);
        if folder.join(METADATA_FILE).is_file() {
            return Ok((folder, home.clone()));
        }
    }
    let mut places = homes.iter().map(|home| home.join(name));
    let first = places.clone().next().unwrap_or_default();
    let (path, detail) = match places.find(|folder| folder.is_dir()) {
        Some(folder) => (folder, " (missing metadata file)"),
        None => (first, ""),
    };
    Err(WorkspaceError::new(
        WorkspaceReason::NotFound,
        format!(
            "Workspace '{name}' not found at: {}{detail}\n{}",
            path.display(),
            advice(surroundings, &homes)
        ),
    ))
}

fn advice(surroundings: &Surroundings, homes: &[PathBuf]) -> String {
    let names: Vec<String> = list(homes).into_iter().map(|(name, _, _)| name).collect();
    let program = &surroundings.program;
    if names.is_empty() {
        return format!(
            "There are no workspaces yet. Create one with: {program} init <name> (see also: {program} list)"
        );
    }
    let more = if names.len() > SUGGESTIONS {
        ", …"
    } else {
        ""
    };
    let shown: Vec<&str> = names.iter().take(SUGGESTIONS).map(String::as_str).collect();
    format!(
        "Available workspaces: {}{more}. See all with: {program} list",
        shown.join(", ")
    )
}

/// Every folder with readable metadata, sorted by name, without the remains of an interrupted
/// `init`.
pub fn list(homes: &[PathBuf]) -> Vec<(String, PathBuf, Metadata)> {
    let mut found: Vec<(String, PathBuf, Metadata)> = Vec::new();
    for home in homes {
        let Ok(entries) = fs::read_dir(home) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let folder = entry.path();
            let is_left_over = written_as(&name).is_some();
            if is_left_over || found.iter().any(|(known, _, _)| *known == name) {
                continue;
            }
            if let Ok(metadata) = Metadata::load(&folder) {
                found.push((name, folder, metadata));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Removes `.` and `..` lexically.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for good in ["a", "A-b_9", &"x".repeat(100)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "a/b", "..", "demo/", "a b", "ä", &"x".repeat(101)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_is_normalised_by_its_text() {
        assert_eq!(normal(Path::new("/a/./b/../../../c")), Path::new("/c"));
    }
}
