//! The commands around verification: create, list and reset workspaces
//! (workspace 1).

use std::path::{Path, PathBuf};

use crosscheck_config::tables::NOTIFY_EVENTS;
use crosscheck_core::Listener;
use crosscheck_core::clock::{Clock as _, SystemClock};
use crosscheck_core::files::{read_limited, write_atomic};
use crosscheck_core::folder::{Beside, Swapped};

use crate::config::{Settings, Surroundings};
use crate::error::WorkspaceError;
use crate::observe::llm::{Call, Llm};
use crate::observe::lock::{Lock, Purpose};
use crate::plan::prompt;
use crate::read::OrderedJson;
use crate::read::layout::{self, INSTRUCTIONS_FILE};
use crate::read::metadata::{COUNTERS, METADATA_FILE, Metadata, Mode};
use crate::report::state;
use crate::verify::remembered;
use crate::voice::Voice;
use crate::workspace::Workspace;

const INSTRUCTIONS_LIMIT: u64 = 64 << 20;

/// The settings of `init`; `None` means the configured value.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    /// Budget of one run.
    pub max_iterations: Option<u64>,
    /// Seconds between iterations.
    pub delay: Option<u64>,
    /// Idle iterations that end a run.
    pub stagnation_threshold: Option<u64>,
    /// `loop` or `iterative`, in any letter case.
    pub mode: Option<String>,
    /// The notification address.
    pub notify_url: Option<String>,
    /// Which events are sent.
    pub notify_events: Option<Vec<String>>,
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
        return Err(WorkspaceError::Exists(name.to_owned()));
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
        Swapped::Whole(Some(_)) | Swapped::Not(_) => Err(WorkspaceError::Exists(name.to_owned())),
    }
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
            return Err(WorkspaceError::Usage(format!(
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
        .or_else(|| settings.number("default_max_iterations"))
        .unwrap_or(default_max);
    if max == 0 {
        return Err(WorkspaceError::Usage(
            "--max-iterations must be at least 1".to_owned(),
        ));
    }
    let mut document = Metadata::fresh(name, now);
    for counter in COUNTERS {
        document.set(counter, 0);
    }
    document.set("mode", mode.word());
    document.set("maxIterations", max);
    for (key, typed, default) in [
        ("delay", options.delay, "default_delay"),
        (
            "stagnationThreshold",
            options.stagnation_threshold,
            "default_stagnation_threshold",
        ),
    ] {
        let number = typed.or_else(|| settings.number(default));
        document.set(key, number.unwrap_or_default());
    }
    if let Some(address) = &options.notify_url {
        if url::Url::parse(address).is_err() {
            return Err(WorkspaceError::Usage(format!(
                "--notify-url must be an absolute URL, got '{address}'"
            )));
        }
        document.set("notifyUrl", address);
    }
    if let Some(events) = &options.notify_events {
        document.set("notifyEvents", checked_events(events)?);
    }
    Ok(document)
}

fn checked_events(events: &[String]) -> Result<&[String], WorkspaceError> {
    let is_known = |event: &&String| NOTIFY_EVENTS.contains(&event.as_str());
    match events.iter().find(|event| !is_known(event)) {
        Some(unknown) => Err(WorkspaceError::Usage(format!(
            "Unknown event '{unknown}' in --notify-events. Known events: {}",
            NOTIFY_EVENTS.join(", ")
        ))),
        None => Ok(events),
    }
}

/// Writes the instructions: from a file, or in a dialogue with the LLM.
pub fn setup(
    workspace: &Workspace,
    from: Option<&Path>,
    skip_permissions: bool,
    listener: &mut dyn Listener,
) -> Result<(), WorkspaceError> {
    let voice = &mut Voice::new(listener);
    match from {
        Some(path) => {
            let bytes = read_limited(path, INSTRUCTIONS_LIMIT)
                .map_err(|error| WorkspaceError::io(&error))?;
            write_atomic(&workspace.folder.join(INSTRUCTIONS_FILE), &bytes)
                .map_err(|error| WorkspaceError::io(&error))?;
        }
        None => converse(workspace, skip_permissions, voice)?,
    }
    state::update(&workspace.folder, |now, document| {
        let [total, setup, _] = now.iterations;
        document.set("totalIterations", total.saturating_add(1));
        document.set("setupIterations", setup.saturating_add(1));
    })?;
    if !workspace.folder.join(INSTRUCTIONS_FILE).is_file() {
        voice.warn(&format!(
            "Warning: the conversation ended without {INSTRUCTIONS_FILE}; run setup again"
        ));
        return Ok(());
    }
    crate::run::events::send(workspace, "setup_complete", voice);
    voice.say(&format!(
        "Setup complete: {}\nNext: {} run {}\n",
        workspace.folder.join(INSTRUCTIONS_FILE).display(),
        workspace.program,
        workspace.name
    ));
    Ok(())
}

fn converse(
    workspace: &Workspace,
    skip_permissions: bool,
    voice: &mut Voice<'_>,
) -> Result<(), WorkspaceError> {
    let judge = workspace.settings.judge();
    let llm = Llm::of(
        &workspace.settings,
        if judge == "none" { "claude" } else { &judge },
    )?;
    llm.warn_of_skipping(skip_permissions, voice);
    llm.probe(&workspace.project)?;
    llm.converse(&Call {
        phase: "setup",
        prompt: &prompt::setup(&workspace.name, &workspace.folder, workspace.metadata.mode),
        system: &prompt::system(&workspace.project, &workspace.folder),
        project: &workspace.project,
        workspace: &workspace.folder,
        report: None,
        skip_permissions,
        verbose: false,
        time: None,
    })
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
    let take = |purpose| Lock::take(purpose, &workspace.folder, &workspace.name, false, now);
    let _locks = (take(Purpose::Run)?, take(Purpose::Verify)?);
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
