//! How far files of settings are believed: the one place that decides it.
//!
//! The file of a project may only tighten and names no program, however old
//! it is: an earlier session may have written it. In full it counts with the
//! content that the person accepted with `done trust`, and no other.

use std::path::PathBuf;

use crosscheck_config::tables::DONE;
use crosscheck_config::{Config, ConfigError, Layer, PROJECT_FILE, Place, Trust};
use crosscheck_core::digest::Digest;
use crosscheck_core::files::{open_regular, read_regular};

use super::{DoneError, Layers, Task, epoch};
use crate::config::{STARTER_KEYS, Settings};
use crate::observe::files::{changed_at, settings_changed_at};
use crate::observe::git::Repository;
use crate::place::{Places, root_of};
use crate::read::session::{self, Head, Log};
use crate::state::Memory;
use crate::tamper::Tampering;

/// The user alone sets these.
const AS_IT_WAS: Trust = Trust::Except(STARTER_KEYS);
/// The command line names the project: its programs may be run.
const PROGRAMS: Trust = Trust::Only(&["commands"]);

/// Why a file of the user does not count.
const CHANGED: &str = "the file has changed since the session began";

/// Files of settings beyond this are not looked into.
const MAX_SETTINGS: u64 = 1 << 20;

/// What holds, and what does not.
pub(super) struct Held {
    pub(super) settings: Settings,
    pub(super) tampering: Tampering,
    /// What of the files was ignored, and why.
    pub(super) notices: Vec<String>,
    /// When the session began.
    pub(super) began: Option<i64>,
}

/// The settings that hold for a check.
pub(super) fn settings(
    task: &Task,
    mut tampering: Tampering,
    repository: &Repository<'_>,
) -> Result<Held, DoneError> {
    let mut config = task.layers.config.clone();
    let beginning = Beginning::of(task);
    let is_gate = task.identity.event != "check";
    let setter = beginning.setter(task).filter(|_| is_gate);
    let accepted = accepted(task, &beginning, setter.is_some());
    let task = &Task {
        accepted,
        ..task.clone()
    };
    let doubt = doubt(task, &beginning);
    match doubt {
        None => config.trust(&DONE, AS_IT_WAS),
        Some(Doubt::NoSession) if task.layers.names_project => config.trust(&DONE, PROGRAMS),
        Some(Doubt::NoSession) => {}
        Some(Doubt::Elsewhere) => begin_with(&mut config, task, &beginning),
        Some(Doubt::Asked | Doubt::Unaccepted) => go_back(&mut config, task, repository),
    }
    let broken = task.layers.broken.as_ref();
    // a file that may only tighten opens no gate by being broken
    if let Some(broken) = broken.filter(|_| doubt.is_none()) {
        return Err(broken.clone().into());
    }
    // who asks for a check may have written these files since
    if tampering.user_config || is_gate && beginning.is_before(&task.steering.config) {
        config.distrust(Place::User);
    }
    let distrusted = tampering.environment || setter.is_some();
    if distrusted {
        config.distrust(Place::Environment);
    }
    let settings = task.layers.read(&config, distrusted)?;
    let mut notices = notices(&config, doubt, &mut tampering);
    if let Some((broken, doubt)) = broken.zip(doubt) {
        notices.push(format!("{broken}; the file is ignored ({})", doubt.why()));
    }
    let is_asked = task.layers.mode.is_some_and(|mode| mode < settings.mode);
    if let Some(file) = setter.filter(|_| is_asked) {
        notices.push(format!(
            "CROSSCHECK_DONE is ignored: {} may set it",
            file.display()
        ));
    }
    Ok(Held {
        settings,
        tampering,
        notices,
        began: beginning.at,
    })
}

/// Pattern files of the user that are older than the session.
pub(super) fn patterns(task: &Task) -> Vec<(String, String)> {
    if task.patterns.is_empty() || task.identity.event == "check" {
        return task.patterns.clone();
    }
    let beginning = Beginning::of(task);
    let is_old = |name: &str| !beginning.is_before(&[PathBuf::from(name)]);
    let patterns = task.patterns.iter();
    patterns.filter(|(name, _)| is_old(name)).cloned().collect()
}

/// How a session began.
#[derive(Default)]
struct Beginning {
    /// When, in seconds since 1970; the first of all times when the log cannot
    /// be right.
    at: Option<i64>,
    /// The project around the folder that it was started in.
    root: Option<PathBuf>,
}

impl Beginning {
    /// By the first lines of the log; a subagent's session is that of its
    /// parent.
    fn of(task: &Task) -> Self {
        let read = |log: &Log| {
            let home = || log.path.parent()?.parent(); // <session>/subagents/agent-….jsonl
            let path = if log.own {
                home()?.with_extension("jsonl")
            } else {
                log.path.clone()
            };
            let head = session::head(&mut open_regular(&path).ok()?).ok()?;
            Some((path, head))
        };
        let Some((path, head)) = task.log.as_ref().and_then(read) else {
            return Self::default();
        };
        let Head { started, cwd, .. } = head;
        let at = started.and_then(|started| epoch(&started));
        // no line is younger than its file
        let is_ahead = |at: &i64| changed_at(&path).is_some_and(|written| written < *at);
        let cwd = cwd.and_then(|cwd| cwd.canonicalize().ok());
        Self {
            at: at.map(|at| if is_ahead(&at) { i64::MIN } else { at }),
            root: cwd.map(|cwd| root_of(&cwd, task.places.home.as_deref())),
        }
    }

    /// Whether one of these files has changed since.
    fn is_before(&self, files: &[PathBuf]) -> bool {
        let changed = |file: &PathBuf| settings_changed_at(file) >= self.at;
        self.at.is_some() && files.iter().any(changed)
    }

    /// A file that may set our variables: one of the project, however old it
    /// is, or one of the user that has changed since.
    fn setter<'f>(&self, task: &'f Task) -> Option<&'f PathBuf> {
        let names_us = |file: &&PathBuf| {
            let text = match read_regular(file, MAX_SETTINGS) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                // what is there and cannot be read may name anything
                Err(_) => return file.symlink_metadata().is_ok(),
            };
            // `\\u` hides letters
            let names = ["CROSSCHECK_", "XDG_", "\"HOME\"", "\\u"];
            names.iter().any(|name| text.contains(name))
        };
        let of_project = |file: &PathBuf| {
            let Places { root, cwd, .. } = &task.places;
            file.starts_with(root) || file.starts_with(cwd)
        };
        let counts =
            |file: &&PathBuf| of_project(file) || self.is_before(std::slice::from_ref(*file));
        let mut files = task.steering.settings.iter();
        files.find(|file| counts(file) && names_us(file))
    }
}

/// What the person accepted before the session; a session could accept its own
/// file. Variables that a file sets may name another place for the record.
fn accepted(task: &Task, beginning: &Beginning, has_setter: bool) -> Vec<String> {
    let record = task.memory.as_ref().map(Memory::accepted_file);
    let is_gate = task.identity.event != "check";
    let is_new = record.is_some_and(|record| beginning.is_before(&[record]));
    if is_gate && (is_new || has_setter) {
        return Vec::new();
    }
    task.accepted.clone()
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

    /// The settings before it is known who wrote the project's
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
    Elsewhere,
    Unaccepted,
}

impl Doubt {
    const fn why(self) -> &'static str {
        match self {
            Self::Asked => "`project = \"tighten\"` is set",
            Self::NoSession => "no session is known, so it is unknown who wrote the file",
            Self::Elsewhere => "the session began in another project",
            Self::Unaccepted => {
                "you had not accepted it when the session began; `crosscheck done trust` does"
            }
        }
    }
}

/// Whether the project's file may only tighten, and why.
fn doubt(task: &Task, beginning: &Beginning) -> Option<Doubt> {
    if task.layers.config.get(&DONE, "project") == "tighten" {
        return Some(Doubt::Asked);
    }
    if task.log.is_none() {
        return Some(Doubt::NoSession);
    }
    if is_elsewhere(task, beginning) {
        return Some(Doubt::Elsewhere);
    }
    let file = task.places.root.join(PROJECT_FILE);
    let text = read_regular(&file, MAX_SETTINGS);
    let is_accepted = text.map_or(true, |text| is_accepted(task, &text));
    (!is_accepted).then_some(Doubt::Unaccepted)
}

fn is_accepted(task: &Task, text: &[u8]) -> bool {
    task.accepted.contains(&Digest::of(text).hex())
}

/// Whether the agent went to another project, whose settings were not chosen
/// for this session. Who asks for a check chooses the project.
fn is_elsewhere(task: &Task, beginning: &Beginning) -> bool {
    let root = task.places.root.canonicalize();
    let is_other = beginning
        .root
        .as_ref()
        .zip(root.ok())
        .is_some_and(|(began, root)| *began != root);
    is_other && task.identity.event != "check" && !task.layers.names_project
}

/// The file of the project that the session began in counts instead.
fn begin_with(config: &mut Config, task: &Task, beginning: &Beginning) {
    config.distrust(Place::Project);
    let Some(file) = beginning.root.as_ref().map(|root| root.join(PROJECT_FILE)) else {
        return;
    };
    let text = read_regular(&file, MAX_SETTINGS).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    put(config, task, &text, file.display().to_string());
}

/// What the file said before the session counts as well.
fn go_back(config: &mut Config, task: &Task, repository: &Repository<'_>) {
    config.distrust(Place::Project);
    let file = task.places.root.join(PROJECT_FILE);
    if let Some(text) = repository.before(&file) {
        put(
            config,
            task,
            &text,
            format!("{PROJECT_FILE} before the session"),
        );
    }
}

fn put(config: &mut Config, task: &Task, text: &str, shown: String) {
    if let Ok(mut layer) = Layer::of_text(Place::Project, text, shown, true) {
        let trusted = Some((DONE.name, AS_IT_WAS));
        layer.trusted = trusted.filter(|_| is_accepted(task, text.as_bytes()));
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
        let why = if is_project {
            doubt.map(Doubt::why)
        } else {
            Some(CHANGED)
        };
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        all.push(format!("{notice}{why}"));
    }
    all
}
