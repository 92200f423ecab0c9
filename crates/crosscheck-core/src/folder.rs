//! Folders that are written beside their place and swapped in as a whole.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{Access, CWD, RenameFlags};
use tempfile::TempDir;

use crate::files::{RANDOM, folder_of, temporary_prefix, written_as};
use crate::interrupt;

/// Where no lock says whether its run still lives, a folder in the making that is
/// unchanged for so long is of a run that was killed.
const ABANDONED_AFTER: Duration = Duration::from_hours(1);
/// How often a folder is removed that is still written to.
const REMOVALS: u32 = 100;
/// How long another run may hold the lock of a folder.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// A temporary folder. Unless it is kept, it is removed, also by an interruption.
#[derive(Debug)]
pub struct Temporary {
    made: TempDir,
    guard: interrupt::Guard,
}

impl Temporary {
    /// A folder in the system's place for temporary files.
    pub fn new(prefix: &str) -> io::Result<Self> {
        Self::made(|| tempfile::Builder::new().prefix(prefix).tempdir())
    }

    fn made(folder: impl FnOnce() -> io::Result<TempDir>) -> io::Result<Self> {
        let (made, guard) = interrupt::made_with_removal(folder, |made| {
            let leftover = made.path().to_owned();
            Box::new(move || remove_whole(&leftover))
        })?;
        Ok(Self { made, guard })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.made.path()
    }

    /// Leaves the folder where it is.
    pub fn keep(self) {
        let _ = self.made.keep();
    }
}

/// Removes a folder into which another thread may still be writing.
fn remove_whole(folder: &Path) {
    for _ in 0..REMOVALS {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            break;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// A folder in the making. Unless it is put in its place, it is removed.
#[derive(Debug)]
pub struct Beside {
    place: PathBuf,
    made: Temporary,
    /// Locked as long as this run lives, see [`Beside::sweep`].
    _alive: Option<File>,
}

/// What became of a swap.
#[derive(Debug)]
pub enum Swapped {
    /// The new folder has its place. What was there before is in this folder.
    Whole(Option<PathBuf>),
    /// The system cannot move the folder itself, as with a mount point or the
    /// working directory; the new folder is still beside.
    Not(Beside),
}

impl Beside {
    /// An empty folder beside a place, with the owner and the mode of what is
    /// there. Where the parent cannot be written, it is a temporary folder.
    pub fn new(named: &Path) -> io::Result<Self> {
        let place = place_of(named)?;
        let mut prefix = OsString::from(".");
        prefix.push(temporary_prefix(place.file_name().unwrap_or_default()));
        let mut builder = tempfile::Builder::new();
        builder
            .prefix(&prefix)
            .rand_bytes(RANDOM)
            .permissions(fs::Permissions::from_mode(0o777));
        // nobody sweeps between the making of the folder and its lock
        let making = lock_parent(&place)?;
        let made = Temporary::made(|| {
            builder
                .tempdir_in(parent_of(&place))
                .or_else(|_| builder.tempdir())
        })?;
        let alive = File::open(made.path()).ok();
        let alive = alive.filter(|folder| folder.try_lock().is_ok());
        drop(making);
        if let Ok(there) = fs::metadata(&place) {
            fs::set_permissions(made.path(), there.permissions())?;
            // only root can give a folder away, and only root needs to
            let _ = std::os::unix::fs::chown(made.path(), Some(there.uid()), Some(there.gid()));
        }
        Ok(Self {
            place,
            made,
            _alive: alive,
        })
    }

    /// Where the files are written.
    pub fn path(&self) -> &Path {
        self.made.path()
    }

    /// Where the folder will be, all links resolved.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Removes what killed runs of this user left beside the place: folders in
    /// the making that no run has locked, and that hold nothing but files which
    /// this run makes, too. Not for who holds [`Beside::lock`].
    pub fn sweep(&self, now: SystemTime, is_ours: &dyn Fn(&str) -> bool) {
        let (Some(parent), Some(own)) = (self.path().parent(), self.path().file_name()) else {
            return;
        };
        let own = own.to_string_lossy();
        let Ok(_sweeping) = lock_parent(&self.place) else {
            return;
        };
        // a folder in the making is given to the owner of the one that it replaces
        let owner = fs::metadata(&self.place).ok().map(|meta| meta.uid());
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_sibling = written_as(&name).is_some() && written_as(&name) == written_as(&own);
            if is_sibling && name != own {
                remove_abandoned(&entry.path(), owner, now, is_ours);
            }
        }
    }

    /// Keeps other runs away from the place until the lock is dropped.
    pub fn lock(&self) -> io::Result<Option<File>> {
        lock_parent(&self.place)
    }

    /// Puts the folder in its place in one step.
    pub fn swap(self) -> io::Result<Swapped> {
        let guard = &self.made.guard;
        let old = if self.place.symlink_metadata().is_err() {
            guard.last_step(|| fs::rename(self.path(), &self.place))?;
            None
        } else if self.is_movable() && guard.last_step(|| self.exchange()).is_ok() {
            Some(self.path().to_owned())
        } else {
            return Ok(Swapped::Not(self));
        };
        if let Ok(parent) = File::open(parent_of(&self.place)) {
            let _ = parent.sync_all();
        }
        self.made.keep();
        Ok(Swapped::Whole(old))
    }

    fn exchange(&self) -> rustix::io::Result<()> {
        rustix::fs::renameat_with(CWD, self.path(), CWD, &self.place, RenameFlags::EXCHANGE)
    }

    /// Who works in a folder would be left in the old one; and what may not be
    /// written may not be moved out of the way either.
    fn is_movable(&self) -> bool {
        let is_here = fs::canonicalize(".").is_ok_and(|here| here.starts_with(&self.place));
        !is_here && rustix::fs::access(&self.place, Access::WRITE_OK).is_ok()
    }
}

/// A lock that all runs take which make, sweep or swap folders of one parent.
fn lock_parent(place: &Path) -> io::Result<Option<File>> {
    // a parent that cannot be opened has a folder in it that can
    let folder = File::open(parent_of(place)).or_else(|_| File::open(place));
    let Ok(folder) = folder else { return Ok(None) };
    let end = Instant::now() + LOCK_WAIT;
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => {
                let why = "another program holds the lock of its parent folder";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            // a file system without locks
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Whether a file belongs to the user that this program runs as.
pub fn is_own(meta: &fs::Metadata) -> bool {
    meta.uid() == rustix::process::geteuid().as_raw()
}

fn remove_abandoned(
    folder: &Path,
    owner: Option<u32>,
    now: SystemTime,
    is_ours: &dyn Fn(&str) -> bool,
) {
    let is_folder = folder
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_dir() && (is_own(&meta) || owner == Some(meta.uid())));
    let Some(entries) = fs::read_dir(folder).ok().filter(|_| is_folder) else {
        return;
    };
    let is_dead = match File::open(folder).map(|folder| folder.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock)) => false,
        Ok(Err(TryLockError::Error(_))) | Err(_) => is_old(folder, now),
    };
    let entries: Vec<_> = entries.flatten().collect();
    let is_made = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let meta = entry.metadata();
        meta.is_ok_and(|meta| (meta.is_file() || meta.is_dir()) && is_own(&meta))
            && is_ours(written_as(&name).unwrap_or(&name))
    };
    if is_dead && entries.iter().all(is_made) {
        for entry in &entries {
            // a folder goes only if it is empty
            let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir(entry.path()));
        }
        let _ = fs::remove_dir(folder);
    }
}

fn is_old(path: &Path, now: SystemTime) -> bool {
    let changed = path.symlink_metadata().and_then(|meta| meta.modified());
    let age = changed.ok().and_then(|at| now.duration_since(at).ok());
    age.is_some_and(|age| age > ABANDONED_AFTER)
}

/// The place that a path names. Its parents are created.
fn place_of(named: &Path) -> io::Result<PathBuf> {
    if let Ok(there) = fs::canonicalize(named) {
        return if there.is_dir() {
            Ok(there)
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        };
    }
    let name = named.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let parent = folder_of(named);
    fs::create_dir_all(parent)?;
    Ok(fs::canonicalize(parent)?.join(name))
}

fn parent_of(place: &Path) -> &Path {
    place.parent().unwrap_or(Path::new("/"))
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests set the stage with plain file calls"
)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_the_place_of_another_as_a_whole() {
        let desk = tempfile::tempdir().unwrap();
        let place = desk.path().join("a/out");
        for text in ["one", "two"] {
            let beside = Beside::new(&place).unwrap();
            fs::write(beside.path().join("f"), text).unwrap();
            let Swapped::Whole(old) = beside.swap().unwrap() else {
                panic!("an ordinary folder can be moved");
            };
            assert_eq!(fs::read_to_string(place.join("f")).unwrap(), text);
            if let Some(old) = old {
                assert_eq!(fs::read_to_string(old.join("f")).unwrap(), "one");
            }
        }
    }

    #[test]
    fn the_next_run_takes_away_what_a_killed_one_left_and_nothing_else() {
        let desk = tempfile::tempdir().unwrap();
        let place = desk.path().join("kb");
        let is_ours = |name: &str| matches!(name, "f" | "working");
        let now = SystemTime::UNIX_EPOCH;
        let left = |end: &str| desk.path().join(format!(".kb.tmp.crosscheck-{end}"));
        let (dead, foreign) = (left("aaaaaaaaaaaa"), left("bbbbbbbbbbbb"));
        for folder in [&dead, &foreign] {
            fs::create_dir_all(folder.join("working")).unwrap();
            fs::write(folder.join("f"), "x").unwrap();
        }
        fs::write(foreign.join("mine"), "keep").unwrap();
        let living = Beside::new(&place).unwrap();
        fs::write(living.path().join("f"), "x").unwrap();
        Beside::new(&place).unwrap().sweep(now, &is_ours);
        assert!(!dead.exists() && foreign.exists() && living.path().exists());
    }

    #[test]
    fn a_folder_that_is_not_swapped_in_is_removed() {
        let desk = tempfile::tempdir().unwrap();
        let beside = Beside::new(&desk.path().join("out")).unwrap();
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 1);
        drop(beside);
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_new_folder_has_the_mode_of_the_old_one() {
        let desk = tempfile::tempdir().unwrap();
        let place = desk.path().join("out");
        fs::create_dir(&place).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o2750)).unwrap();
        Beside::new(&place).unwrap().swap().unwrap();
        let mode = fs::metadata(&place).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o2750);
    }

    #[test]
    fn a_file_is_no_place_for_a_folder() {
        let desk = tempfile::tempdir().unwrap();
        let file = desk.path().join("out");
        fs::write(&file, "keep").unwrap();
        assert!(Beside::new(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "keep");
    }
}
