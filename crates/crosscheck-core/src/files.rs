//! Reads files with limits and writes them atomically.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::{held, interrupt, outputs};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The file is larger than the limit for this input.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A directory, FIFO, socket or device.
    #[error("`{}` is not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
    },
    /// The path leads out of the folder that may be read.
    #[error("`{}` lies outside `{}`", path.display(), root.display())]
    OutsideRoot {
        /// The path.
        path: PathBuf,
        /// The folder.
        root: PathBuf,
    },
}

impl ReadError {
    fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// Reads a file that the user named, up to `limit` bytes. It may be a pipe.
pub fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::io(path, source))?;
    outputs::note_opened(|| file.metadata().ok());
    whole(file, path, limit)
}

/// All of an opened file, up to `limit` bytes.
fn whole(file: File, path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let bytes = drain_limited(file, limit).map_err(|source| ReadError::io(path, source))?;
    bytes.ok_or_else(|| ReadError::TooLarge {
        path: path.to_owned(),
        limit,
    })
}

/// Reads a regular file, up to `limit` bytes. Everything else is refused
/// without waiting.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    whole(open_regular(path)?, path, limit)
}

/// Reads a file that an earlier run wrote and this one is to replace, so that it
/// does not count as an input; `None` when it has more than `limit` bytes.
pub fn read_earlier(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    drain_limited(File::open(path)?, limit)
}

/// Reads a stream to its end; `None` when it has more than `limit` bytes, of
/// which at most one beyond the limit is read.
pub fn drain_limited(reader: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Opening a pipe this way does not wait for its other end.
const READ_WITHOUT_WAITING: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// Opens a regular file for reading. Directories, FIFOs, sockets and devices
/// are refused, and opening one of them never waits.
pub fn open_regular(path: &Path) -> Result<File, ReadError> {
    Ok(open_measured(path)?.0)
}

/// As [`open_regular`], with the current length of the file.
fn open_measured(path: &Path) -> Result<(File, u64), ReadError> {
    let fail = |source| ReadError::io(path, source);
    let file = File::from(
        rustix::fs::open(path, READ_WITHOUT_WAITING, Mode::empty())
            .map_err(|errno| fail(errno.into()))?,
    );
    let meta = file.metadata().map_err(fail)?;
    if !meta.is_file() {
        return Err(ReadError::NotRegular {
            path: path.to_owned(),
        });
    }
    let len = meta.len();
    outputs::note_opened(|| Some(meta));
    Ok((file, len))
}

/// How an [`open_owned`] file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owned {
    /// Every write goes to the end.
    Append,
    /// Written from the beginning.
    Rewrite,
}

/// Opens a file of the program in a folder that others can write to; creates it
/// if it does not exist. A link in its place is not followed, a FIFO, a device
/// or a file that has another name elsewhere is refused, and opening never
/// waits.
pub fn open_owned(path: &Path, purpose: Owned) -> io::Result<File> {
    held::check(path)?;
    let mut flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::CLOEXEC
        | OFlags::NONBLOCK
        | OFlags::NOCTTY;
    if purpose == Owned::Append {
        flags |= OFlags::APPEND;
    }
    let file = File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(0o666))?);
    let meta = file.metadata()?;
    let refuse = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    if !meta.is_file() {
        refuse("not a regular file")
    } else if meta.nlink() > 1 {
        refuse("the file has another name elsewhere (a hard link)")
    } else {
        Ok(file)
    }
}

/// A folder that reads cannot leave when an agent's text names the path.
#[derive(Debug, Clone)]
pub struct Root {
    real: PathBuf,
    /// The folder itself, to open relative paths below it in one step.
    #[cfg(target_os = "linux")]
    folder: Option<std::sync::Arc<rustix::fd::OwnedFd>>,
}

impl Root {
    /// Fixes the folder by its real path.
    pub fn new(folder: &Path) -> Result<Self, ReadError> {
        let real = fs::canonicalize(folder).map_err(|source| ReadError::io(folder, source))?;
        #[cfg(target_os = "linux")]
        let folder = rustix::fs::open(
            &real,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .ok()
        .map(std::sync::Arc::new);
        Ok(Self {
            real,
            #[cfg(target_os = "linux")]
            folder,
        })
    }

    /// The real path of the folder.
    pub fn path(&self) -> &Path {
        &self.real
    }

    /// Opens a regular file below the folder. `path` may be relative to the
    /// folder or absolute; symbolic links are followed, and the file that was
    /// actually opened must lie below the folder, so swapping a link at the
    /// last moment does not help.
    pub fn open(&self, path: &Path) -> Result<File, ReadError> {
        Ok(self.open_measured(path)?.0)
    }

    /// As [`Root::open`], with the current length of the file.
    pub fn open_measured(&self, path: &Path) -> Result<(File, u64), ReadError> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.open_beneath(path) {
            return Ok(opened);
        }
        let (file, len) = open_measured(&self.real.join(path))?;
        let real = real_path_of(&file).map_err(|source| ReadError::io(path, source))?;
        if real.starts_with(&self.real) {
            Ok((file, len))
        } else {
            Err(ReadError::OutsideRoot {
                path: path.to_owned(),
                root: self.real.clone(),
            })
        }
    }

    /// Opens a regular file by a path that the kernel keeps below the folder
    /// all the way. `None` when that is not possible: the path or a link on the
    /// way is absolute, or there is no such file; the slower way then finds out
    /// which.
    #[cfg(target_os = "linux")]
    fn open_beneath(&self, path: &Path) -> Option<(File, u64)> {
        use rustix::fs::{FileType, ResolveFlags};
        let file = File::from(
            rustix::fs::openat2(
                self.folder.as_ref()?,
                path,
                READ_WITHOUT_WAITING,
                Mode::empty(),
                ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
            )
            .ok()?,
        );
        let stat = rustix::fs::fstat(&file).ok()?;
        let len = u64::try_from(stat.st_size).ok()?;
        outputs::note_opened(|| file.metadata().ok());
        FileType::from_raw_mode(stat.st_mode)
            .is_file()
            .then_some((file, len))
    }

    /// Reads a regular file below the folder, up to `limit` bytes.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
        whole(self.open(path)?, path, limit)
    }
}

/// The real path of an opened file, all links resolved.
#[cfg(target_os = "linux")]
pub fn real_path_of(file: &File) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd as _;
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// The real path of an opened file, all links resolved.
#[cfg(target_vendor = "apple")]
pub fn real_path_of(file: &File) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let path = rustix::fs::getpath(file)?;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(
        path.into_bytes(),
    )))
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A step failed; nothing of the new content is visible.
    #[error("cannot {step} `{}`", path.display())]
    Io {
        /// What was attempted, as in "create the folder of".
        step: &'static str,
        /// The target.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The file does not contain what was written.
    #[error("`{}` reads back different from what was written", path.display())]
    ReadBack {
        /// The target.
        path: PathBuf,
    },
}

/// Writes a whole file: into a temporary file next to the target, synced,
/// renamed over the target and read back. A reader sees the old file or the new
/// one; on failure the temporary file is removed.
pub fn write_atomic(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    write_atomic_with(path, |file| file.write_all(content))?;
    let read_back = File::open(path)
        .and_then(|file| drain_limited(file, content.len() as u64))
        .map_err(|source| WriteError::Io {
            step: "read back",
            path: path.to_owned(),
            source,
        })?;
    if read_back.as_deref() == Some(content) {
        Ok(())
    } else {
        Err(WriteError::ReadBack {
            path: path.to_owned(),
        })
    }
}

/// The folder that is not there of a path that leads back out of it: which file
/// `new/../file` names is known only when `new` is there.
pub fn way_through_nothing(path: &Path, is_there: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut folder = PathBuf::new();
    for part in path.components() {
        let leads_back = part == Component::ParentDir && !folder.as_os_str().is_empty();
        if leads_back && !is_there(&folder) {
            return Some(folder);
        }
        folder.push(part);
    }
    None
}

/// The folder that a path is in; `.` for a name alone.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// As many links as the system follows.
const MOST_LINKS: usize = 40;

/// The path without links, also of a file that is not there yet.
pub fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(found) = path.canonicalize() {
            return found;
        }
        let parent = folder_of(&path).to_owned();
        match (fs::read_link(&path), path.file_name()) {
            (Ok(target), _) => path = parent.join(target),
            (Err(_), Some(name)) => return real(&parent).join(name),
            (Err(_), None) => return path,
        }
    }
    path
}

/// As [`write_atomic`], for content that is produced while writing and does not
/// fit into memory; it is not read back.
pub fn write_atomic_with(
    path: &Path,
    write: impl FnOnce(&mut io::BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let fail = |step| {
        move |source| WriteError::Io {
            step,
            path: path.to_owned(),
            source,
        }
    };
    let folder = folder_of(path);
    if way_through_nothing(path, Path::is_dir).is_some() {
        let why = "its way leads out of a folder that does not exist";
        return Err(fail("replace")(io::Error::other(why)));
    }
    held::check(path).map_err(fail("write"))?;
    fs::create_dir_all(folder).map_err(fail("create the folder of"))?;
    if is_special(path) {
        let why = "it is a device, a pipe or a socket";
        return Err(fail("replace")(io::Error::other(why)));
    }
    if leads_to_the_system(path) {
        let why = "it is in, or leads through, a folder of devices or processes";
        return Err(fail("replace")(io::Error::other(why)));
    }
    let prefix = temporary_prefix(path.file_name().unwrap_or_default());
    let mut staged = tempfile::Builder::new()
        .prefix(&prefix)
        .rand_bytes(RANDOM)
        .permissions(permissions_for(path))
        .tempfile_in(folder)
        .map_err(fail("create a temporary file beside"))?;
    let leftover = staged.path().to_owned();
    let _guard = interrupt::on_interrupt(move || {
        let _ = fs::remove_file(leftover);
    });
    let mut buffered = io::BufWriter::new(staged.as_file_mut());
    write(&mut buffered)
        .and_then(|()| buffered.flush())
        .map_err(fail("write"))?;
    drop(buffered);
    staged.as_file().sync_all().map_err(fail("sync"))?;
    staged
        .persist(path)
        .map_err(|error| fail("rename the new file to")(error.error))?;
    // The rename itself must survive a power failure; a folder that cannot be synced is not an
    // error.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// What is between the name of a file and the random end of its temporary
/// name.
const TEMPORARY: &str = ".tmp.crosscheck-";
/// The length of that end.
pub(crate) const RANDOM: usize = 12;

/// How the temporary name of a file or folder begins. A name may have 255 bytes.
pub(crate) fn temporary_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(if name.len() <= 200 {
        name
    } else {
        OsStr::new("crosscheck")
    });
    prefix.push(TEMPORARY);
    prefix
}

/// The name that was to be written, if this is a temporary name of ours.
pub fn written_as(temporary: &str) -> Option<&str> {
    let (name, end) = temporary.rsplit_once(TEMPORARY)?;
    let is_ours = end.len() == RANDOM && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_ours.then_some(name)
}

/// A rename would replace `/dev/null` with a plain file for everyone.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// Whether an entry is one of the system's own, or a link that leads there.
/// `/dev/stdout` may point to a plain file, and a rename would still replace
/// the link, for everyone.
fn leads_to_the_system(path: &Path) -> bool {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(folder) = fs::canonicalize(folder_of(&path)) else {
            return false;
        };
        if is_of_the_system(&folder) {
            return true;
        }
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return false,
        }
    }
    false
}

/// `/dev/shm` is a place for ordinary files.
fn is_of_the_system(folder: &Path) -> bool {
    let system = ["/dev", "/proc", "/sys"];
    system.iter().any(|root| folder.starts_with(root)) && !folder.starts_with("/dev/shm")
}

/// The mode of the file that is replaced, else what the umask allows.
fn permissions_for(path: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)
        .map_or(0o666, |meta| meta.permissions().mode() & 0o777);
    fs::Permissions::from_mode(mode)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests set the stage with plain file calls"
)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_written_file_appears_whole_with_its_folders() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("a/b/out.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn only_names_that_are_made_here_are_temporary() {
        let made = Path::new(&temporary_prefix(OsStr::new("a.json"))).to_owned();
        let made = format!("{}aB3dE6gH9jK2", made.display());
        assert_eq!(written_as(&made), Some("a.json"));
        for name in [
            "a.json",
            "a.json.tmp.backup",
            "a.tmp.crosscheck-backup",
            ".a.tmp.x",
        ] {
            assert_eq!(written_as(name), None, "{name}");
        }
    }

    #[test]
    fn the_longest_file_name_can_be_written() {
        let desk = tempfile::tempdir().unwrap();
        write_atomic(&desk.path().join("n".repeat(255)), b"one").unwrap();
        let error = write_atomic(&desk.path().join("n".repeat(256)), b"one").unwrap_err();
        assert!(error.to_string().starts_with("cannot"), "{error}");
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_no_temporary_file_and_keeps_the_target() {
        let desk = tempfile::tempdir().unwrap();
        let blocked = desk.path().join("taken");
        fs::create_dir(&blocked).unwrap();
        fs::write(blocked.join("inside"), "x").unwrap();
        assert!(matches!(
            write_atomic(&blocked, b"new"),
            Err(WriteError::Io {
                step: "rename the new file to",
                ..
            })
        ));
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_socket_or_a_device_is_never_replaced_by_a_file() {
        let desk = tempfile::tempdir().unwrap();
        let socket = desk.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = desk.path().join("null");
        symlink("/dev/null", &link).unwrap();
        for path in [&socket, &link] {
            let error = write_atomic(path, b"new").unwrap_err();
            assert!(error.to_string().starts_with("cannot replace"), "{error}");
        }
        assert!(!fs::symlink_metadata(&socket).unwrap().is_file());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_link_through_devices_or_processes_is_never_replaced_by_a_file() {
        use std::os::fd::AsRawFd as _;
        let desk = tempfile::tempdir().unwrap();
        let at = |name: &str| desk.path().join(name);
        // a stream of this process that leads to a plain file
        let file = File::create(at("stream")).unwrap();
        let stream = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        symlink(&stream, at("direct")).unwrap();
        symlink("direct", at("indirect")).unwrap();
        symlink("/proc/self/fd", at("folder")).unwrap();
        let inside = at("folder").join(stream.file_name().unwrap());
        for path in [at("direct"), at("indirect"), stream, inside] {
            let error = write_atomic(&path, b"new").unwrap_err();
            assert!(error.to_string().starts_with("cannot replace"), "{error}");
        }
        assert!(fs::symlink_metadata(at("direct")).unwrap().is_symlink());
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_link_to_an_ordinary_file_is_replaced_and_so_is_a_loop() {
        let desk = tempfile::tempdir().unwrap();
        let at = |name: &str| desk.path().join(name);
        fs::write(at("real"), "keep").unwrap();
        symlink("real", at("link")).unwrap();
        symlink("loop", at("loop")).unwrap();
        for name in ["link", "loop"] {
            write_atomic(&at(name), b"new").unwrap();
            assert!(fs::symlink_metadata(at(name)).unwrap().is_file(), "{name}");
        }
        assert_eq!(fs::read(at("real")).unwrap(), b"keep");
    }

    #[test]
    fn shared_memory_is_the_only_writable_device_folder() {
        for (folder, is_theirs) in [
            ("/dev", true),
            ("/dev/fd", true),
            ("/proc/1/fd", true),
            ("/sys/kernel", true),
            ("/dev/shm", false),
            ("/dev/shm/run", false),
            ("/device", false),
            ("/home/dev", false),
        ] {
            assert_eq!(is_of_the_system(Path::new(folder)), is_theirs, "{folder}");
        }
    }

    #[test]
    fn an_owned_file_is_never_a_link_or_a_device() {
        let desk = tempfile::tempdir().unwrap();
        let at = |name: &str| desk.path().join(name);
        fs::write(at("precious"), "keep").unwrap();
        symlink(at("precious"), at("link")).unwrap();
        fs::hard_link(at("precious"), at("hard")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("fifo"),
            rustix::fs::FileType::Fifo,
            Mode::RUSR | Mode::WUSR,
            0,
        )
        .unwrap();
        for purpose in [Owned::Append, Owned::Rewrite] {
            for name in ["link", "hard", "dangling", "fifo", "."] {
                assert!(open_owned(&at(name), purpose).is_err(), "{name}");
            }
        }
        assert_eq!(fs::read(at("precious")).unwrap(), b"keep");
        assert!(!at("nowhere").exists());
        for text in ["a", "b"] {
            open_owned(&at("log"), Owned::Append)
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
        }
        assert_eq!(fs::read(at("log")).unwrap(), b"ab");
    }

    #[test]
    fn reading_stops_one_byte_past_the_limit() {
        assert_eq!(
            drain_limited(&b"12345"[..], 5).unwrap().as_deref(),
            Some(&b"12345"[..])
        );
        assert_eq!(drain_limited(io::repeat(b'x'), 5).unwrap(), None);
    }

    #[test]
    fn nothing_outside_the_root_is_opened() {
        let desk = tempfile::tempdir().unwrap();
        let root_path = desk.path().join("root");
        fs::create_dir(&root_path).unwrap();
        fs::write(desk.path().join("secret"), "s").unwrap();
        fs::write(root_path.join("inside"), "i").unwrap();
        symlink("../secret", root_path.join("link-out")).unwrap();
        symlink("inside", root_path.join("link-in")).unwrap();
        symlink("loop", root_path.join("loop")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root_path.join("fifo"),
            rustix::fs::FileType::Fifo,
            Mode::RUSR,
            0,
        )
        .unwrap();
        let root = Root::new(&root_path).unwrap();

        assert_eq!(root.read(Path::new("link-in"), 10).unwrap(), b"i");
        assert_eq!(root.read(&root_path.join("inside"), 10).unwrap(), b"i");
        for path in ["../secret", "link-out", "/etc/passwd"] {
            assert!(
                matches!(
                    root.open(Path::new(path)),
                    Err(ReadError::OutsideRoot { .. })
                ),
                "{path}"
            );
        }
        for path in [".", "fifo", "/dev/null"] {
            assert!(
                matches!(
                    root.open(Path::new(path)),
                    Err(ReadError::NotRegular { .. })
                ),
                "{path}"
            );
        }
        assert!(matches!(
            root.open(Path::new("loop")),
            Err(ReadError::Io { .. })
        ));
    }
}
