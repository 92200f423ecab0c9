//! How far the project's file is believed: the one place that decides it.
//!
//! As it was when the session began it counts in full. A file that has
//! changed since then, by whatever means, and every file when no session is
//! known, may only tighten and names no program.

use std::path::Path;

use crosscheck_config::tables::DONE;
use crosscheck_config::{Config, ConfigError, Layer, PROJECT_FILE, Place, Trust};
use crosscheck_core::files::open_regular;

use super::{DoneError, Layers, Task, epoch};
use crate::config::{STARTER_KEYS, Settings};
use crate::observe::files::changed_at;
use crate::observe::git::Repository;
use crate::read::session::{self, Log};
use crate::tamper::Tampering;

/// The user alone sets these.
const AS_IT_WAS: Trust = Trust::Except(STARTER_KEYS);
/// The command line names the project: its programs may be run.
const PROGRAMS: Trust = Trust::Only(&["commands"]);

/// What holds, and what does not.
pub(super) struct Held {
    pub(super) settings: Settings,
    pub(super) tampering: Tampering,
    /// What of the files was ignored, and why.
    pub(super) notices: Vec<String>,
}

/// The settings that hold for a check.
pub(super) fn settings(
    task: &Task,
    mut tampering: Tampering,
    repository: &Repository<'_>,
) -> Result<Held, DoneError> {
    let mut config = task.layers.config.clone();
    let doubt = doubt(task, &tampering);
    match doubt {
        None => config.trust(&DONE, AS_IT_WAS),
        Some(Doubt::NoSession) if task.layers.names_project => config.trust(&DONE, PROGRAMS),
        Some(Doubt::NoSession) => {}
        Some(_) => go_back(&mut config, task, repository),
    }
    let broken = task.layers.broken.as_ref();
    // a file that may only tighten opens no gate by being broken
    if let Some(broken) = broken.filter(|_| doubt.is_none()) {
        return Err(broken.clone().into());
    }
    if tampering.user_config {
        config.distrust(Place::User);
    }
    if tampering.environment {
        config.distrust(Place::Environment);
    }
    let settings = task.layers.read(&config, tampering.environment)?;
    let mut notices = notices(&config, doubt, &mut tampering);
    if let Some((broken, doubt)) = broken.zip(doubt) {
        notices.push(format!("{broken}; the file is ignored ({})", doubt.why()));
    }
    Ok(Held {
        settings,
        tampering,
        notices,
    })
}

impl Layers {
    /// Leaves out a project's file with a value that cannot be used, as one
    /// that cannot be read at all.
    #[must_use]
    pub fn without_broken(mut self) -> Self {
        let read = self.settings().map(drop);
        let error = read.and_then(|()| self.named_runners().map(drop)).err();
        if let Some(error) = error.filter(|error| error.place == Place::Project) {
            self.config.leave_out(Place::Project);
            self.broken = Some(error);
        }
        self
    }

    /// The settings as long as nobody has looked who wrote the project's
    /// file: it may only tighten.
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        self.read(&self.config, false)
    }

    /// Runners that a message may speak of; what they prove is decided later.
    pub(super) fn named_runners(&self) -> Result<Vec<crate::runner::OwnRunner>, ConfigError> {
        let mut config = self.config.clone();
        config.trust(&DONE, AS_IT_WAS);
        Ok(self.read(&config, false)?.runners)
    }
}

/// Why the project's file may only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// The user wants it so.
    Asked,
    NoSession,
    NoStart,
    Written,
    Changed,
}

impl Doubt {
    const fn why(self) -> &'static str {
        match self {
            Self::Asked => "`project = \"tighten\"` is set",
            Self::NoSession => "no session is known, so nobody can say who wrote the file",
            Self::NoStart => "the log does not say when the session began",
            Self::Written => "the session wrote the file",
            Self::Changed => "the file has changed since the session began",
        }
    }
}

/// Whether the project's file may only tighten, and why.
fn doubt(task: &Task, tampering: &Tampering) -> Option<Doubt> {
    if task.layers.config.get(&DONE, "project") == "tighten" {
        return Some(Doubt::Asked);
    }
    let Some(log) = &task.log else {
        return Some(Doubt::NoSession);
    };
    if tampering.project_config {
        return Some(Doubt::Written);
    }
    let Some(start) = start(log) else {
        return Some(Doubt::NoStart);
    };
    let file = task.places.root.join(PROJECT_FILE);
    let is_old = changed_at(&file).is_none_or(|changed| changed < start);
    (!is_old).then_some(Doubt::Changed)
}

/// When a session began, by the first line of its log; a subagent's session
/// is that of its parent.
fn start(log: &Log) -> Option<i64> {
    let started = |path: &Path| {
        let mut file = open_regular(path).ok()?;
        epoch(session::head(&mut file).ok()?.started.as_deref()?)
    };
    if !log.own {
        return started(&log.path);
    }
    let home = log.path.parent()?.parent()?; // <session>/subagents/agent-….jsonl
    started(&home.with_extension("jsonl"))
}

/// What the file said before the session counts as well. Where the branch
/// has moved since, somebody may have put that commit there.
fn go_back(config: &mut Config, task: &Task, repository: &Repository<'_>) {
    config.distrust(Place::Project);
    let file = task.places.root.join(PROJECT_FILE);
    let shown = format!("{PROJECT_FILE} before the session");
    let before = repository.before(&file);
    let layer = before.and_then(|text| Layer::of_text(Place::Project, &text, shown, true).ok());
    if let Some(mut layer) = layer {
        let trusted = Some((DONE.name, AS_IT_WAS));
        layer.trusted = trusted.filter(|_| !repository.has_moved());
        config.insert(layer);
    }
}

fn notices(config: &Config, doubt: Option<Doubt>, tampering: &mut Tampering) -> Vec<String> {
    let mut all = Vec::new();
    for notice in config.notices() {
        let Some(key) = notice.key.as_ref().filter(|key| key.starts_with("done.")) else {
            continue;
        };
        let mut files = tampering.files.iter_mut();
        if let Some(file) = files.find(|file| notice.file.ends_with(&file.path)) {
            file.ignored.push(key.clone());
        }
        let is_project = notice.file.starts_with(PROJECT_FILE);
        let why = doubt.filter(|_| is_project).map(Doubt::why);
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        all.push(format!("{notice}{why}"));
    }
    all
}
