//! The inputs of jobs: texts, and files below the root.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use crosscheck_core::advice::{RunReason, with_causes};
use crosscheck_core::files::{ReadError, Root, real_path_of, write_atomic};
use crosscheck_core::folder::Temporary;

use super::answer::Refusal;
use super::job::Input;
use crate::report::Neutral;

/// The largest text that a job may name.
const MAX_INPUT: u64 = 256 << 20;

/// What a job is answered with, before its answer is made.
pub(super) type Done = Result<Neutral, Refusal>;

/// Files below the root.
pub(super) struct Files(pub(super) Root);

impl Files {
    pub(super) fn bytes(&self, input: &Input) -> Result<Vec<u8>, Refusal> {
        match input {
            Input::Text(text) => Ok(text.clone().into_bytes()),
            Input::Path(path) => {
                let read = self.0.read(Path::new(path), MAX_INPUT);
                read.map_err(|error| self.unreadable(path, &error))
            }
        }
    }

    pub(super) fn text(&self, input: &Input) -> Result<String, Refusal> {
        let bytes = self.bytes(input)?;
        String::from_utf8(bytes)
            .map_err(|_| usage(format!("`{}` is not UTF-8 text", name_of(input, "input"))))
    }

    /// The input as a file; an inline one is written to the desk.
    pub(super) fn file(&self, input: &Input, desk: &Desk, name: &str) -> Result<PathBuf, Refusal> {
        match input {
            Input::Path(path) => self.real(path),
            Input::Text(text) => {
                let path = desk.folder()?.join(name);
                write_atomic(&path, text.as_bytes())
                    .map_err(|error| broken(with_causes(&error)))?;
                Ok(path)
            }
        }
    }

    /// The real path of a file below the root.
    pub(super) fn real(&self, path: &str) -> Result<PathBuf, Refusal> {
        let opened = self.0.open(Path::new(path));
        let file = opened.map_err(|error| self.unreadable(path, &error))?;
        real_path_of(&file).map_err(|error| broken(error.to_string()))
    }

    /// The real path of a folder below the root; without one the root.
    pub(super) fn folder(&self, path: Option<&str>) -> Result<PathBuf, Refusal> {
        let (root, path) = (self.0.path(), path.unwrap_or_default());
        let real = std::fs::canonicalize(root.join(path));
        let real = real.map_err(|source| {
            let path = PathBuf::from(path);
            self.unreadable(&path.display().to_string(), &ReadError::Io { path, source })
        })?;
        if real.starts_with(root) && real.is_dir() {
            return Ok(real);
        }
        let (path, root) = (path.into(), root.to_owned());
        Err(self.unreadable("", &ReadError::OutsideRoot { path, root }))
    }

    /// Whether no link and no `..` can lead a path out of the root.
    fn stays(&self, path: &Path) -> bool {
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        let mut above = path.ancestors().map(|part| self.0.path().join(part));
        path.components().all(is_plain) && !above.any(|part| part.is_symlink())
    }

    /// Why a file cannot be used. Whether there is one outside of the root is not said: a path
    /// that may lead there has one answer.
    fn unreadable(&self, path: &str, error: &ReadError) -> Refusal {
        let help = "name a file that is there, below the root of the project, or of the batch";
        let reason = RunReason::CliUsage.reason();
        match error {
            ReadError::Io { source, .. } if source.kind() == ErrorKind::OutOfMemory => {
                let help = "give jobs more memory with --memory, or name a smaller input";
                Refusal::new(RunReason::InputTooLarge.reason(), with_causes(error), help)
            }
            ReadError::TooLarge { .. } => Refusal::new(reason, with_causes(error), help),
            _ if self.stays(Path::new(path)) && !matches!(error, ReadError::OutsideRoot { .. }) => {
                Refusal::new(reason, with_causes(error), help)
            }
            _ => Refusal::new(reason, "a path leads out of the root, or to nothing", help),
        }
    }
}

/// A temporary folder for inline texts of one job, made when it is needed.
#[derive(Default)]
pub(super) struct Desk(OnceLock<Temporary>);

impl Desk {
    fn folder(&self) -> Result<&Path, Refusal> {
        if self.0.get().is_none() {
            let made = Temporary::new("crosscheck-batch-");
            let _ = self
                .0
                .set(made.map_err(|error| broken(format!("cannot make a folder: {error}")))?);
        }
        let folder = self.0.get().map(Temporary::path);
        folder.ok_or_else(|| broken("cannot make a folder".to_owned()))
    }

    /// The same without the name of the folder, which is another one each time.
    pub(super) fn hidden(&self, done: Done) -> Done {
        let Some(folder) = self.0.get() else {
            return done;
        };
        let prefix = format!("{}/", folder.path().display());
        let hide = |text: &mut String| *text = text.replace(&prefix, "");
        let mut report = done.map_err(|mut refusal| {
            hide(&mut refusal.message);
            refusal
        })?;
        hide(&mut report.subject);
        hide(&mut report.summary);
        report.notices.iter_mut().for_each(hide);
        for unit in &mut report.outcomes {
            let grounds = unit.reasons.iter_mut().map(|one| &mut one.message);
            let seen = unit.expected.iter_mut().chain(&mut unit.observed);
            let place = unit.place.iter_mut().map(|place| &mut place.path);
            grounds.chain(seen).chain(place).for_each(hide);
        }
        Ok(report)
    }
}

pub(super) fn name_of(input: &Input, inline: &str) -> String {
    match input {
        Input::Path(path) => path.clone(),
        Input::Text(_) => inline.to_owned(),
    }
}

pub(super) fn usage(message: String) -> Refusal {
    let help = "`crosscheck schema batch-job` prints what a job is";
    Refusal::new(RunReason::CliUsage.reason(), message, help)
}

pub(super) fn broken(message: String) -> Refusal {
    let reason = RunReason::InternalError.reason();
    Refusal::new(reason, message, reason.help)
}
