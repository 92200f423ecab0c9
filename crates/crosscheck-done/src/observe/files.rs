//! Whether a file is there.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::outputs;
use jiff::Timestamp;
use walkdir::WalkDir;

use super::{confirmed, refuted, undecided};
use crate::claim as message;
use crate::kind::ClaimKind;
use crate::opinion::{Opinion, Trace};
use crate::place::{Places, clean};
use crate::reasons::{Caveat, DoneReason};
use crate::relevance::is_built;

/// At most this many files are looked at when a name alone is known.
pub const MAX_FILES: usize = 20_000;
/// At most this many links are followed, as the system does.
const MAX_LINKS: usize = 40;

/// When a file last changed, in seconds since 1970: its contents, its name or
/// its rights. `None` when there is none; what is unknown counts as now.
pub fn changed_at(path: &Path) -> Option<i64> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(_) => return Some(i64::MAX),
    };
    // what a link leads to can change without it
    Some(if meta.is_symlink() {
        i64::MAX
    } else {
        seconds(&meta)
    })
}

/// The same for a file of the user, which may be a link: the newest of the
/// file and of every link on the way to it.
pub fn settings_changed_at(path: &Path) -> Option<i64> {
    let mut newest = None;
    let mut next = Some(path.to_owned());
    for _ in 0..MAX_LINKS {
        let Some(path) = next.take() else {
            return newest;
        };
        let mut way: Vec<&Path> = path.ancestors().collect();
        way.reverse();
        for part in way {
            let Ok(meta) = fs::symlink_metadata(part) else {
                return newest.or_else(|| changed_at(&path));
            };
            let is_link = meta.is_symlink();
            if is_link || part == path {
                newest = newest.max(Some(seconds(&meta)));
            }
            if is_link {
                let folder = part.parent().unwrap_or(part);
                let target = fs::read_link(part).ok()?;
                let rest = path.strip_prefix(part).unwrap_or(Path::new(""));
                next = Some(clean(&folder.join(target).join(rest)));
                break;
            }
        }
    }
    Some(i64::MAX)
}

fn seconds(meta: &Metadata) -> i64 {
    newest_time(meta).map_or(i64::MAX, Timestamp::as_second)
}

/// When a file was written, or changed in any way: `touch -d` sets the first time, and cannot set the
/// other one.
pub(super) fn newest_time(meta: &Metadata) -> Option<Timestamp> {
    let written = Timestamp::try_from(meta.modified().ok()?).ok()?;
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt as _;
        let nanoseconds = i32::try_from(meta.ctime_nsec()).ok()?;
        Timestamp::new(meta.ctime(), nanoseconds).ok()?
    };
    #[cfg(not(unix))]
    let changed = Timestamp::try_from(meta.created().ok()?).ok()?;
    Some(written.max(changed))
}

/// Where a path of a message is.
#[derive(Debug)]
pub enum Found {
    /// There, with what the system says of it.
    There(PathBuf, Metadata),
    /// Nowhere below the root.
    Nowhere,
    /// Outside of the root.
    Outside,
    /// It does not look like a path of this project.
    Foreign,
    /// The system does not tell.
    Hidden(PathBuf),
}

/// Looks for the path that a message names: from the root, from the folders
/// the session worked in, and by the end of the path.
pub fn find(subject: &str, places: &Places, from: &[PathBuf]) -> Found {
    let found = looked_for(subject, places, from);
    if let Found::There(path, _) = &found {
        outputs::named(path);
    }
    found
}

fn looked_for(subject: &str, places: &Places, from: &[PathBuf]) -> Found {
    let name = subject.trim_end_matches('/');
    let mut inside = false;
    for folder in std::iter::once(&places.root).chain(from) {
        let path = places.absolute(folder, name);
        if places.below(&path).is_none() {
            continue;
        }
        inside = true;
        match fs::symlink_metadata(&path) {
            Ok(meta) => return Found::There(path, meta),
            Err(error)
                if (error.kind() == io::ErrorKind::NotFound
                    || error.kind() == io::ErrorKind::NotADirectory)
                    && !is_behind_a_link_away(&path, &places.root) => {}
            Err(_) => return Found::Hidden(path),
        }
    }
    if !inside {
        return Found::Outside;
    }
    if let Some((path, meta)) = by_end(Path::new(name.trim_start_matches("./")), places) {
        return Found::There(path, meta);
    }
    let first = name
        .trim_start_matches("./")
        .split('/')
        .next()
        .unwrap_or_default();
    let known = message::has_extension(name)
        || message::is_known_name(name)
        || subject.ends_with('/')
        || places.root.join(first).exists();
    if known {
        Found::Nowhere
    } else {
        Found::Foreign
    }
}

/// Whether a path that is not there leads through a link out of the root, or
/// to nowhere: what it means is not in the project.
fn is_behind_a_link_away(path: &Path, root: &Path) -> bool {
    let mut above = path.ancestors().skip(1);
    let nearest = above.find(|folder| folder.symlink_metadata().is_ok());
    let nearest = nearest.filter(|folder| folder.starts_with(root));
    match (nearest.map(Path::canonicalize), root.canonicalize()) {
        (Some(Ok(real)), Ok(root)) => !real.starts_with(root),
        (Some(Err(_)), _) => true,
        _ => false,
    }
}

/// A file below the root whose path ends so.
fn by_end(end: &Path, places: &Places) -> Option<(PathBuf, Metadata)> {
    if end.is_absolute() || end.as_os_str().is_empty() {
        return None;
    }
    let walk = walk(&places.root).take(MAX_FILES);
    for entry in walk {
        // `README` is `README.md`
        let titled = end.extension().is_none()
            && message::is_known_name(&end.to_string_lossy())
            && entry.path().with_extension("").ends_with(end);
        if entry.path().ends_with(end) || titled {
            let meta = fs::symlink_metadata(entry.path()).ok()?;
            return Some((entry.into_path(), meta));
        }
    }
    None
}

/// The files and folders below the root, without those that tools fill.
pub fn walk(root: &Path) -> impl Iterator<Item = walkdir::DirEntry> {
    let all = WalkDir::new(root).sort_by_file_name().into_iter();
    all.filter_entry(|entry| !entry.file_name().to_str().is_some_and(is_built))
        .filter_map(Result::ok)
}

/// What the disk says about a file that was created or deleted.
pub fn look(kind: ClaimKind, subject: &str, places: &Places, from: &[PathBuf]) -> Opinion {
    let found = find(subject, places, from);
    let trace = Trace::file;
    match found {
        Found::There(path, meta) => {
            let shown = places.shown(&path);
            if kind == ClaimKind::FileCreated
                && let Some(what) = no_file(subject, &path, &meta)
            {
                return undecided(DoneReason::FileAbsent).with(trace(&shown, what));
            }
            let is_empty = is_void(&path, &meta);
            let mut opinion = match kind {
                ClaimKind::FileDeleted => refuted(DoneReason::FilePresent),
                ClaimKind::FileCreated if is_empty => undecided(DoneReason::FilePresent),
                _ => confirmed(DoneReason::FilePresent),
            };
            if is_empty && kind == ClaimKind::FileCreated {
                opinion = opinion.but(Caveat::EmptyFile);
            }
            if meta.is_symlink() && leads_out(&path, places) {
                opinion = opinion.but(Caveat::SymlinkOutside);
            }
            let what = if meta.is_dir() {
                "folder".to_owned()
            } else {
                format!("{} bytes", meta.len())
            };
            opinion.with(trace(&shown, &what))
        }
        Found::Nowhere => {
            let opinion = match kind {
                ClaimKind::FileDeleted => confirmed(DoneReason::FileAbsent),
                _ => refuted(DoneReason::FileAbsent),
            };
            opinion.with(trace(subject, "not there"))
        }
        // a path that was never one of the project cannot be missing from it
        Found::Outside | Found::Foreign => undecided(DoneReason::OutsideRoot),
        Found::Hidden(_) => undecided(DoneReason::Unreadable),
    }
}

/// What is there in place of a file that is said to be created.
fn no_file(subject: &str, path: &Path, meta: &Metadata) -> Option<&'static str> {
    let is_nowhere =
        || fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    if meta.is_symlink() && is_nowhere() {
        return Some("a link that leads nowhere");
    }
    let is_file = message::has_extension(subject) && !subject.ends_with('/');
    (meta.is_dir() && is_file).then_some("a folder")
}

/// What is thought of a file that is said to be created, when it is older
/// than the session and nothing in it wrote the file.
pub fn older(opinion: Opinion, began: i64, places: &Places) -> Opinion {
    let path = opinion.proof.iter().find_map(|trace| match trace {
        Trace::File { path, .. } => Some(places.root.join(path)),
        _ => None,
    });
    if path
        .and_then(|path| changed_at(&path))
        .is_none_or(|changed| changed >= began)
    {
        return opinion;
    }
    Opinion {
        proof: opinion.proof,
        ..undecided(DoneReason::FileUnchanged)
    }
}

/// What is thought of a file that is said to be deleted, when nothing shows
/// that it was ever there.
pub fn never_there(subject: &str) -> Opinion {
    let found = "not there, and nothing shows that it was";
    undecided(DoneReason::NoBaseline).with(Trace::file(subject, found))
}

/// Whether a file holds nothing, although its mere presence has no purpose.
pub(super) fn is_void(path: &Path, meta: &Metadata) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_mark = name.is_some_and(|name| message::listed("empty", name));
    meta.is_file() && meta.len() == 0 && !is_mark
}

fn leads_out(path: &Path, places: &Places) -> bool {
    let root = fs::canonicalize(&places.root).unwrap_or_else(|_| places.root.clone());
    fs::canonicalize(path).map_or(true, |real| !real.starts_with(&root))
}
