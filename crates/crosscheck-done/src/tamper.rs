//! Files that steer the gate, and whether the session wrote one of them.

use std::path::PathBuf;

use crosscheck_transcript::session::Change;

use crate::claim::listed;
use crate::observe::outputs::Logs;
use crate::place::Places;
use crate::read::session::{Edit, Session};
use crate::report::receipt::TamperOf;

/// Files that steer the gate besides those that every project has.
#[derive(Debug, Clone, Default)]
pub struct Steering {
    /// The user's configuration, and files that it names.
    pub config: Vec<PathBuf>,
    /// Settings of harnesses, which can set variables of the hook.
    pub settings: Vec<PathBuf>,
    /// Where the gate keeps what it counts.
    pub state: Vec<PathBuf>,
    /// The program itself.
    pub program: Option<PathBuf>,
}

/// What the session wrote of what steers the gate.
#[derive(Debug, Clone, Default)]
pub struct Tampering {
    /// Each file once, at the first time.
    pub files: Vec<TamperOf>,
    /// Whether the user's configuration is one of them.
    pub user_config: bool,
    /// Whether a file is one of them that can set variables of the hook.
    pub environment: bool,
}

/// Looks through the changes of a session.
pub fn look(session: &Session, places: &Places, steering: &Steering, outputs: &Logs) -> Tampering {
    let mut seen = Tampering::default();
    for edit in session.edits.iter().filter(|edit| edit.done) {
        let path = edit.path.as_path();
        let is_environment = sets_variables(edit, outputs);
        // with the folder its old file goes away, and another one may come
        let is_moved = edit.change == Change::Delete && places.root.starts_with(path);
        let is_project = is_moved || path == places.root.join("crosscheck.toml");
        let is_user = steering.config.iter().any(|file| path == file);
        let is_other = steering.state.iter().any(|folder| path.starts_with(folder))
            || path.starts_with(places.root.join(".crosscheck"))
            || steering.program.as_deref() == Some(path);
        if !(is_project || is_user || is_environment || is_other) {
            continue;
        }
        seen.user_config |= is_user;
        seen.environment |= is_environment;
        let below = places.below(path);
        let shown = below.filter(|path| !path.as_os_str().is_empty());
        let shown = shown.unwrap_or(path).display().to_string();
        if !seen.files.iter().any(|file| file.path == shown) && seen.files.len() < 32 {
            seen.files.push(TamperOf {
                path: shown,
                step: edit.order.line,
                ignored: Vec::new(),
            });
        }
    }
    seen
}

/// Whether an edit is of a file that can set variables of the hook: settings of a harness, or a profile
/// of the shell with one of ours.
fn sets_variables(edit: &Edit, outputs: &Logs) -> bool {
    let path = edit.path.as_path();
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default();
    let in_folder = |folder: &str| path.iter().any(|part| part == folder);
    let is_hooks = name == "hooks.json" || in_folder("hooks") || in_folder("plugins");
    let is_json = path.extension().is_some_and(|end| end == "json");
    in_folder(".claude") && (name.starts_with("settings") && is_json || is_hooks)
        || in_folder(".codex") && matches!(name, "hooks.json" | "config.toml")
        || in_folder(".claude-plugin") && name == "hooks.json"
        || listed("profiles", name) && names_us(edit, outputs)
}

fn names_us(edit: &Edit, outputs: &Logs) -> bool {
    let by_command = edit
        .command
        .as_deref()
        .is_some_and(|command| command.contains("CROSSCHECK_"));
    by_command
        || outputs
            .replaced(edit)
            .iter()
            .any(|replaced| replaced.new.contains("CROSSCHECK_"))
}
