//! Files that this run is asked to write, and whether it reads them. No output
//! replaces something that the same run reads.
//!
//! Outputs are announced with [`expect`] before anything is read. Every file that is
//! opened through [`crate::files`] is compared with them; what is opened in
//! another way is announced with [`named`] or [`looked_at`].

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::files::{drain_limited, folder_of};

/// How a run uses a file besides writing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Nothing,
    /// Something that is checked led to it, and it was looked at.
    LookedAt,
    /// The user named it to be read.
    Named,
}

#[derive(Debug)]
struct Output {
    place: PathBuf,
    file: Option<(u64, u64)>,
    used: Use,
}

static OUTPUTS: Mutex<Vec<Output>> = Mutex::new(Vec::new());
/// Without outputs nothing needs to be compared.
static ANY: AtomicBool = AtomicBool::new(false);

/// An output of this run.
pub fn expect(path: &Path) {
    let Some(place) = place_of(path) else { return };
    let output = Output {
        place,
        file: file_at(path),
        used: Use::Nothing,
    };
    let mut outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    outputs.push(output);
    ANY.store(true, Ordering::Release);
}

/// A file that is read because the user named it.
pub fn named(path: &Path) {
    if ANY.load(Ordering::Acquire)
        && let Some(file) = file_at(path)
    {
        let place = place_of(path);
        mark(Use::Named, |output| {
            output.file == Some(file) || Some(&output.place) == place.as_ref()
        });
    }
}

/// The same for the files among the words of a command that runs in a folder.
pub fn named_words(folder: &Path, words: &[String]) {
    let files = words.iter().map(|word| folder.join(word));
    files
        .filter(|file| file.is_file())
        .for_each(|file| named(&file));
}

/// The same for what is open already, if it is a file.
pub fn named_open(meta: &Metadata) {
    if ANY.load(Ordering::Acquire) && meta.is_file() {
        let file = Some((meta.dev(), meta.ino()));
        mark(Use::Named, |output| output.file == file);
    }
}

/// A database file, and what SQLite keeps beside it. What was committed may
/// are in one of those alone, and one that is not there yet is missed.
pub fn named_database(path: &Path) {
    let real = path.canonicalize().ok();
    for path in [Some(path.to_owned()), real].into_iter().flatten() {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.clone().into_os_string();
            name.push(ending);
            let name = Path::new(&name);
            named(name);
            let place = place_of(name);
            mark(Use::Named, |output| Some(&output.place) == place.as_ref());
        }
    }
}

/// A file that something under check led to.
pub fn looked_at(path: &Path) {
    if ANY.load(Ordering::Acquire)
        && let Some(file) = file_at(path)
    {
        opened(file);
    }
}

/// The same for every file that is opened.
pub(crate) fn note_opened(meta: impl FnOnce() -> Option<Metadata>) {
    if ANY.load(Ordering::Acquire)
        && let Some(meta) = meta()
    {
        opened((meta.dev(), meta.ino()));
    }
}

fn opened(file: (u64, u64)) {
    mark(Use::LookedAt, |output| output.file == Some(file));
}

fn mark(used: Use, is_meant: impl Fn(&Output) -> bool) {
    let mut outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    for output in outputs.iter_mut().filter(|output| is_meant(output)) {
        output.used = output.used.max(used);
    }
}

/// Whether a file that was found in a folder is an earlier report that this run
/// replaces. Anything else that lies where an output goes is read, and kept.
pub fn is_output(path: &Path) -> bool {
    let (place, file) = (place_of(path), file_at(path));
    is_earlier_report(path)
        && used(|output| {
            Some(&output.place) == place.as_ref() || (file.is_some() && output.file == file)
        })
        .is_some()
}

/// Whether writing here would replace something that this run reads. An earlier
/// report that is merely mentioned by what is checked may be replaced:
/// otherwise a document could keep its own report from being written.
pub fn is_read(path: &Path) -> bool {
    let place = place_of(path);
    match used(|output| Some(&output.place) == place.as_ref()) {
        Some(Use::Named) => true,
        Some(Use::LookedAt) => !is_earlier_report(path),
        Some(Use::Nothing) | None => false,
    }
}

fn used(is_meant: impl Fn(&Output) -> bool) -> Option<Use> {
    let outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    let meant = outputs.iter().filter(|output| is_meant(output));
    meant.map(|output| output.used).max()
}

/// Whether two paths lead to one file, under any name.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = file_at(one);
    file.is_some() && file == file_at(other)
}

fn file_at(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

/// The entry that writing to this path replaces, all links before it resolved.
pub fn place_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let folder = folder_of(path);
    let folder = folder
        .canonicalize()
        .or_else(|_| std::path::absolute(folder)) // not there yet
        .ok()?;
    Some(folder.join(name))
}

/// How reports begin; a text is expected within the first bytes.
const OPENINGS: [&str; 18] = [
    "\"schema\":\"crosscheck.",
    "\"schema\": \"crosscheck.",
    "\"version\":\"VerifyReport.v1\"",
    "\"version\": \"VerifyReport.v1\"",
    "\"version\":\"CrosscheckSources.v1\"",
    "\"version\": \"CrosscheckSources.v1\"",
    "\"version\":\"CrosscheckDecisions.v1\"",
    "\"version\": \"CrosscheckDecisions.v1\"",
    "<testsuites name=\"crosscheck\"",
    "<title>crosscheck: ",
    "### crosscheck ",
    "title=crosscheck ",
    "unit,verdict,url,claim,expected,",
    "{\"type\":\"outcome\",\"",
    "CROSSCHECK  ",
    "\"id\":\"crosscheck/",
    "\"id\": \"crosscheck/",
    "\"report_version\": 1,",
];
const OPENING_MAX: u64 = 512;

/// Whether a file is empty or begins as reports of this program do. Where it
/// is JSON, the words that say so have to be its own and not those of a value.
pub fn is_earlier_report(path: &Path) -> bool {
    use std::io::Read as _;
    let head = fs::symlink_metadata(path)
        .ok()
        .filter(Metadata::is_file)
        .and_then(|_| fs::File::open(path).ok())
        .and_then(|file| drain_limited(file.take(OPENING_MAX), OPENING_MAX).ok()?);
    head.is_some_and(|head| {
        let head = String::from_utf8_lossy(&head);
        let first = head.lines().next().unwrap_or_default();
        let opening = OPENINGS.iter().find_map(|opening| head.find(opening));
        head.is_empty()
            || is_report_for_people(first)
            || opening.is_some_and(|at| is_own(&head, at))
    })
}

/// Whether a place of a JSON text belongs to the document itself: in no
/// string, and in no object or list of its own. Reports of other forms are no
/// JSON, and SARIF names us deep inside.
fn is_own(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    if !text.starts_with('{')
        || text
            .get(at..)
            .is_some_and(|rest| rest.starts_with("\"id\""))
    {
        return true;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for letter in before.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = in_string,
            '"' => in_string = !in_string,
            '{' | '[' if !in_string => depth += 1,
            '}' | ']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    !in_string && depth <= 1
}

/// Whether a report for people begins with this line.
fn is_report_for_people(line: &str) -> bool {
    let (word, rest) = line.split_once(' ').unwrap_or_default();
    let is_call = word.bytes().all(|byte| byte.is_ascii_uppercase()) && rest.contains(", call ");
    let verifiers = ["claims", "done", "rows", "sources", "trace"];
    let verdicts = [": confirmed", ": refuted", ": undecided"];
    is_call || verifiers.contains(&word) && verdicts.iter().any(|verdict| rest.ends_with(verdict))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write_atomic;

    #[test]
    fn reports_are_known_by_how_they_begin_and_settings_are_not() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("f");
        for (text, expected) in [
            ("", true),
            ("{\n  \"schema\": \"crosscheck.rows/1\",", true),
            ("{\"version\":\"VerifyReport.v1\"}", true),
            ("PROVEN      pay_order  (run.ndjson:1, call 1)\n", true),
            ("sources a.md: undecided\n", true),
            ("[core]\n\trepositoryformatversion = 0\n", false),
            ("#!/bin/sh\nexec crosscheck done hook\n", false),
            (
                "{\"hooks\":{\"Stop\":[{\"command\":\"crosscheck done hook\"}]}}",
                false,
            ),
            ("ref: refs/heads/main\n", false),
            ("{\"about\":{\"schema\":\"crosscheck.rows/1\"}}", false),
            (r#"{"note":"{\"schema\":\"crosscheck.rows/1\"}"}"#, false),
            ("{\"a\": [1], \"schema\":\"crosscheck.rows/1\"}", true),
            ("# mine\n", false),
        ] {
            write_atomic(&path, text.as_bytes()).unwrap();
            assert_eq!(is_earlier_report(&path), expected, "{text}");
        }
    }
}
