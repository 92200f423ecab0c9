//! Files that this run is asked to write, and whether it reads them. No output
//! replaces something that the same run reads.
//!
//! Outputs are announced with [`expect`] before anything is read. Every file that is
//! opened through [`crate::files`] is compared with them; what is read in
//! another way is announced with [`named`].

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::files::folder_of;

#[derive(Debug)]
struct Output {
    place: PathBuf,
    file: Option<(u64, u64)>,
    is_read: bool,
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
        is_read: false,
    };
    let mut outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    outputs.push(output);
    ANY.store(true, Ordering::Release);
}

/// A file that is read, or that something under check led to.
pub fn named(path: &Path) {
    if ANY.load(Ordering::Acquire)
        && let Some(file) = file_at(path)
    {
        let place = place_of(path);
        mark(|output| output.file == Some(file) || Some(&output.place) == place.as_ref());
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
        mark(|output| output.file == file);
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
            mark(|output| Some(&output.place) == place.as_ref());
        }
    }
}

/// The same for every file that is opened.
pub(crate) fn note_opened(meta: impl FnOnce() -> Option<Metadata>) {
    if ANY.load(Ordering::Acquire)
        && let Some(meta) = meta()
    {
        named_open(&meta);
    }
}

fn mark(is_meant: impl Fn(&Output) -> bool) {
    let mut outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    for output in outputs.iter_mut().filter(|output| is_meant(output)) {
        output.is_read = true;
    }
}

/// Whether writing here would replace something that this run reads.
pub fn is_read(path: &Path) -> bool {
    let place = place_of(path);
    let outputs = OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut meant = outputs.iter().filter(|output| output.is_read);
    meant.any(|output| Some(&output.place) == place.as_ref())
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
