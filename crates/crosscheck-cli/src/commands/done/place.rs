//! Where things are on this machine: homes of harnesses, the state of the
//! gate, folders for temporary files.

use std::path::{Path, PathBuf};

use crosscheck::config::lies_outside;
use crosscheck::done::place::Places;
use crosscheck::done::state::Memory;
use crosscheck::done::tamper::Steering;

use crate::settings::{places, variable};

/// Files of a harness that can set variables of its hooks.
const HARNESS_SETTINGS: [&str; 4] = [
    "settings.json",
    "settings.local.json",
    "hooks.json",
    "config.toml",
];

pub(super) fn home() -> Option<PathBuf> {
    variable("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
}

/// Where Claude Code keeps its settings and sessions.
pub(super) fn claude_home() -> Option<PathBuf> {
    let named = variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    named.or_else(|| home().map(|home| home.join(".claude")))
}

/// Where Codex keeps its settings and sessions.
pub(super) fn codex_home() -> Option<PathBuf> {
    let named = variable("CODEX_HOME").map(PathBuf::from);
    named.or_else(|| home().map(|home| home.join(".codex")))
}

/// The gate's own memory, unless the agent under check could write there
/// as part of its project.
pub(super) fn memory(root: &Path) -> Option<Memory> {
    let base = variable("XDG_STATE_HOME")
        .map(PathBuf::from)
        .or_else(|| home().map(|home| home.join(".local/state")))?;
    let folder = base.join("crosscheck/done");
    lies_outside(root, &folder).then(|| Memory::new(folder))
}

/// Digests of project files that the person accepted.
pub(super) fn accepted(root: &Path) -> Vec<String> {
    memory(root).map_or_else(Vec::new, |memory| memory.accepted())
}

/// The folders around a project; `scratch` is one that the harness names.
pub(super) fn places_of(root: PathBuf, cwd: PathBuf, scratch: Option<PathBuf>) -> Places {
    let mut temporary: Vec<PathBuf> = vec![
        "/tmp".into(),
        "/var/tmp".into(),
        "/private/tmp".into(),
        "/dev/shm".into(),
    ];
    temporary.extend(
        variable("TMPDIR")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute()),
    );
    temporary.extend(scratch);
    Places {
        root,
        cwd,
        home: home(),
        temporary,
    }
}

/// Files that steer the gate; `patterns` are those that the user's own names.
pub(super) fn steering(root: &Path, cwd: &Path, patterns: &[String]) -> Steering {
    let user = places(root, None)
        .user_folder
        .map(|folder| folder.join(crosscheck::config::USER_FILE));
    let homes = [claude_home(), codex_home()].into_iter().flatten();
    let projects = [root, cwd]
        .into_iter()
        .flat_map(|folder| [folder.join(".claude"), folder.join(".codex")]);
    let named = |folder: PathBuf| HARNESS_SETTINGS.map(|name| folder.join(name));
    Steering {
        config: user
            .into_iter()
            .chain(patterns.iter().map(PathBuf::from))
            .collect(),
        settings: homes.chain(projects).flat_map(named).collect(),
        state: memory(root)
            .map(|memory| memory.folder().to_owned())
            .into_iter()
            .collect(),
        program: std::env::current_exe().ok(),
    }
}

/// Variables that configured commands do not see.
pub(super) fn hidden() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names
        .filter(|name| name.starts_with("CROSSCHECK_"))
        .collect()
}

/// `~` in a path that a harness names.
pub(super) fn expanded(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// The name that Claude Code gives to the folder of a project's sessions.
pub(super) fn slug(folder: &Path) -> String {
    let letters = folder.to_string_lossy();
    letters
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '-'
            }
        })
        .collect()
}
