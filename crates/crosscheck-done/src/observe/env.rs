//! Whether an environment file has a key. The value is never read.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use crosscheck_core::files::Root;

use super::files::{Found, find};
use super::{confirmed, refuted, undecided};
use crate::opinion::{Opinion, Trace};
use crate::place::Places;
use crate::reasons::DoneReason;

/// An environment file is at most so long.
const MAX_BYTES: u64 = 4 << 20;

/// Looks for a key, `KEY@file` or `KEY` alone.
pub fn look(subject: &str, places: &Places, from: &[PathBuf]) -> Opinion {
    let (key, file) = subject
        .split_once('@')
        .map_or((subject, None), |(key, file)| (key, Some(file)));
    let Some(file) = file else {
        return anywhere(key, places);
    };
    match find(file, places, from) {
        Found::There(path, _) => one(key, &path, places),
        Found::Nowhere => refuted(DoneReason::EnvKeyAbsent).with(Trace::file(file, "not there")),
        Found::Outside | Found::Foreign => undecided(DoneReason::OutsideRoot),
        Found::Hidden(_) => undecided(DoneReason::Unreadable),
    }
}

fn one(key: &str, path: &Path, places: &Places) -> Opinion {
    let trace = |found: &str| Trace::file(&places.shown(path), found);
    match has_key(key, path, places) {
        Some(true) => confirmed(DoneReason::EnvKeyPresent).with(trace("has the key")),
        Some(false) => refuted(DoneReason::EnvKeyAbsent).with(trace("does not have the key")),
        None => undecided(DoneReason::Unreadable),
    }
}

/// No file was named: any `.env*` of the project will do.
fn anywhere(key: &str, places: &Places) -> Opinion {
    let Ok(entries) = std::fs::read_dir(&places.root) else {
        return undecided(DoneReason::NoEnvFile);
    };
    let is_env = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with(".env"))
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_env)
        .collect();
    files.sort();
    let found = files
        .iter()
        .take(64)
        .find(|path| has_key(key, path, places) == Some(true));
    match found {
        Some(path) => one(key, path, places),
        None => undecided(DoneReason::NoEnvFile),
    }
}

fn has_key(key: &str, path: &Path, places: &Places) -> Option<bool> {
    let (file, len) = Root::new(&places.root).ok()?.open_measured(path).ok()?;
    if len > MAX_BYTES {
        return None;
    }
    for line in std::io::BufReader::new(file).split(b'\n') {
        let line = line.ok()?;
        let line = line.trim_ascii_start();
        let line = line
            .strip_prefix(b"export ")
            .unwrap_or(line)
            .trim_ascii_start();
        if let Some(rest) = line.strip_prefix(key.as_bytes())
            && rest.trim_ascii_start().starts_with(b"=")
        {
            return Some(true);
        }
    }
    Some(false)
}
