//! Flags over environment over configuration over defaults.

pub(crate) mod asking;
pub(crate) mod database;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crosscheck::config::{ConfigError, Place, Places, lies_outside};
use crosscheck::core::account;
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::{drain_limited, folder_of, read_limited};
use crosscheck::done::place::root_of;

use crate::failure::Failure;
use crate::output::Streams;

/// A variable of the environment that is not empty.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate alone reads the environment"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The time that reproducible builds fix, so that a page made twice is the same.
pub(crate) fn fixed_time() -> Option<SystemTime> {
    let seconds = variable("SOURCE_DATE_EPOCH")?.parse().ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// The working directory; the error says that there is none.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate alone knows the working directory"
)]
pub(crate) fn current_dir() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let message = format!("there is no working directory: {error}");
        Failure::usage(&message, "change to a folder that exists")
    })
}

/// What a path names, up to a limit; `-` is standard input. The error says why not.
pub(crate) fn read_named(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    if path != Path::new("-") {
        return read_limited(path, limit).map_err(|error| with_causes(&error));
    }
    let read = drain_limited(std::io::stdin().lock(), limit);
    let read = read.map_err(|error| format!("standard input: {error}"))?;
    read.ok_or_else(|| format!("standard input is larger than {} MiB", limit >> 20))
}

/// The project around the working directory.
pub(crate) fn project_root() -> Result<PathBuf, Failure> {
    Ok(root_of(&current_dir()?, search_end().as_deref()))
}

/// What is said about a configuration that cannot be used.
pub(crate) fn misconfigured(error: &ConfigError) -> Failure {
    let help = match error.place {
        Place::CommandLine => "correct the option",
        _ => "correct the configuration; `crosscheck doctor` checks all of it",
    };
    Failure::usage(&error.to_string(), help)
}

/// Where the configuration for this folder comes from; `named` is `--config`.
pub(crate) fn places(root: &Path, named: Option<&Path>) -> Places {
    Places {
        root: root.to_owned(),
        documents: Vec::new(),
        named: named.map(Path::to_owned),
        user_folder: user_folder(),
        variables: variables(),
    }
}

/// The program itself reads PDFs, in a process of its own.
pub(crate) fn pdf_reader() -> Option<Vec<OsString>> {
    let program = std::env::current_exe().ok()?;
    cfg!(feature = "pdf").then(|| vec![program.into_os_string(), OsString::from("pdf-text")])
}

/// The folders that these documents lie in; one that is a folder is itself.
pub(crate) fn folders_of<'p>(documents: impl IntoIterator<Item = &'p Path>) -> Vec<PathBuf> {
    let folder = |path: &Path| {
        let folder = if path.is_dir() { path } else { folder_of(path) };
        folder.to_owned()
    };
    let folders: BTreeSet<PathBuf> = documents.into_iter().map(folder).collect();
    folders.into_iter().collect()
}

/// The user's configuration folder, as the environment names it.
fn user_folder() -> Option<PathBuf> {
    let home = variable("HOME").map(PathBuf::from);
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support"));
    }
    let named = variable("XDG_CONFIG_HOME").map(PathBuf::from);
    named.or_else(|| home.map(|home| home.join(".config")))
}

/// Where the search for the project around a folder ends: at the home, if it is
/// the one of the account. `HOME` may name any folder, and what tightens a check
/// above such a one still counts.
pub(crate) fn search_end() -> Option<PathBuf> {
    let home = PathBuf::from(variable("HOME")?);
    let is_own = home
        .canonicalize()
        .is_ok_and(|real| account::home() == Some(real));
    is_own.then_some(home)
}

/// The variables that may configure something.
fn variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            name.starts_with("CROSSCHECK_")
                .then(|| (name, value.to_string_lossy().into_owned()))
        })
        .collect()
}

/// The user's cache folder, unless the agent under check could write there.
pub(crate) fn cache_folder(root: &Path) -> Option<PathBuf> {
    let base = variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
    let folder = base.join("crosscheck");
    lies_outside(root, &folder).then_some(folder)
}

/// Says on standard error what of the configuration does not count.
pub(crate) fn tell(notices: &[String], streams: &mut Streams) {
    for notice in notices {
        streams.talk(&format!("warning: {notice}\n"));
    }
}
