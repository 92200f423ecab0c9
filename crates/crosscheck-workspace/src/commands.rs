//! The commands around verification: create, list and reset workspaces
//! (workspace 1).

use std::path::{Path, PathBuf};

use crosscheck_core::clock::{Clock as _, SystemClock};
use crosscheck_core::files::{read_limited, write_atomic};
use crosscheck_core::folder::{Beside, Swapped};

use crate::config::{Settings, Surroundings};
use crate::error::WorkspaceError;
use crate::observe::lock::{LockPurpose, WorkspaceLock};
use crate::read::OrderedJson;
use crate::read::layout::{self, INSTRUCTIONS_FILE};
use crate::read::metadata::{COUNTERS, METADATA_FILE, Metadata, Mode};
use crate::reasons::WorkspaceReason;
use crate::report::state;
use crate::verify::remembered;
use crate::workspace::{INSTRUCTIONS_LIMIT, Workspace};

/// The settings of `init`; `None` means the configured value.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    /// Budget of one run.
    pub max_iterations: Option<u64>,
    /// Seconds between iterations.
    pub delay: Option<u64>,
    /// `loop` or `iterative`, in any letter case.
    pub mode: Option<String>,
}

/// Creates a workspace; returns its folder.
pub fn init(
    surroundings: &Surroundings,
    name: &str,
    options: &InitOptions,
    now: &str,
) -> Result<PathBuf, WorkspaceError> {
    layout::check_name(name)?;
    let settings = Settings::load(surroundings)?;
    let document = fresh(name, options, &settings, now)?;
    let homes = layout::homes(surroundings, &settings);
    if homes.iter().any(|home| home.join(name).exists()) {
        return Err(exists(name));
    }
    let home = homes.first().map_or_else(PathBuf::new, Clone::clone);
    let folder = home.join(name);
    let fail = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| WorkspaceError::file("create", &path, &error)
    };
    // Created beside and moved into place as a whole: an interrupted `init` leaves nothing.
    let staging = Beside::new(&folder).map_err(fail(&folder))?;
    staging.sweep(SystemClock.now(), &|name| {
        ["TODO.md", METADATA_FILE, "working"].contains(&name)
    });
    let working = staging.path().join("working");
    std::fs::create_dir(&working).map_err(fail(&folder))?;
    let write = |name: &str, text: &str| {
        write_atomic(&staging.path().join(name), text.as_bytes())
            .map_err(|error| WorkspaceError::io(&error))
    };
    write(
        "TODO.md",
        &format!("# TODO - {name}\n\n_Setup has not been run yet._\n"),
    )?;
    write(METADATA_FILE, &document.pretty())?;
    match staging.swap().map_err(fail(&folder))? {
        Swapped::Whole(None) => Ok(folder),
        // somebody else made one meanwhile
        Swapped::Whole(Some(_)) | Swapped::Not(_) => Err(exists(name)),
    }
}

fn exists(name: &str) -> WorkspaceError {
    let message = format!("Workspace already exists: {name}");
    WorkspaceError::new(WorkspaceReason::Exists, message)
}

fn fresh(
    name: &str,
    options: &InitOptions,
    settings: &Settings,
    now: &str,
) -> Result<OrderedJson, WorkspaceError> {
    let mode = match options.mode.as_deref().map(str::to_lowercase).as_deref() {
        None | Some("loop") => Mode::Loop,
        Some("iterative") => Mode::Iterative,
        Some(other) => {
            return Err(WorkspaceError::usage(format!(
                "Invalid mode '{other}'. Use loop or iterative."
            )));
        }
    };
    let default_max = match mode {
        Mode::Loop => 50,
        Mode::Iterative => 20,
    };
    let max = options
        .max_iterations
        .or(settings.chosen.default_max_iterations)
        .unwrap_or(default_max);
    if max == 0 {
        return Err(WorkspaceError::usage("--max-iterations must be at least 1"));
    }
    let mut document = Metadata::fresh(name, now);
    for counter in COUNTERS {
        document.set(counter, 0);
    }
    document.set("mode", mode.word());
    document.set("maxIterations", max);
    let delay = options.delay.unwrap_or(settings.chosen.default_delay);
    document.set("delay", delay);
    Ok(document)
}

/// Copies the instructions from a file.
pub fn setup(workspace: &Workspace, from: &Path) -> Result<PathBuf, WorkspaceError> {
    let bytes =
        read_limited(from, INSTRUCTIONS_LIMIT).map_err(|error| WorkspaceError::io(&error))?;
    let path = workspace.folder.join(INSTRUCTIONS_FILE);
    write_atomic(&path, &bytes).map_err(|error| WorkspaceError::io(&error))?;
    state::update(&workspace.folder, |now, document| {
        let [total, setup, _] = now.iterations;
        document.set("totalIterations", total.saturating_add(1));
        document.set("setupIterations", setup.saturating_add(1));
    })?;
    Ok(path)
}

/// All workspaces, sorted by name.
pub fn list(
    surroundings: &Surroundings,
) -> Result<Vec<(String, PathBuf, Metadata)>, WorkspaceError> {
    let settings = Settings::load(surroundings)?;
    Ok(layout::list(&layout::homes(surroundings, &settings)))
}

/// Accepts instructions and criteria as they are after they were found changed.
/// Returns what had changed.
pub fn accept_criteria(workspace: &Workspace, now: &str) -> Result<Vec<String>, WorkspaceError> {
    // a running agent must not accept its own changes
    let take =
        |purpose| WorkspaceLock::take(purpose, &workspace.folder, &workspace.name, false, now);
    let _locks = (take(LockPurpose::Run)?, take(LockPurpose::Verify)?);
    remembered::accept(workspace)
}

/// Changes to instructions and criteria that were not accepted yet.
pub fn unaccepted(workspace: &Workspace) -> Vec<String> {
    remembered::pending(workspace)
}

/// Resets counters, status and the agent's own claim; the verification record only on request.
pub fn reset(workspace: &Workspace, verification: bool, now: &str) -> Result<(), WorkspaceError> {
    state::restart(&workspace.folder, now)?;
    state::update(&workspace.folder, |_, document| {
        for counter in COUNTERS {
            document.set(counter, 0);
        }
        document.set("status", "in_progress");
        if verification {
            document.remove("verification");
        }
    })
    .map(drop)
}
