//! The file, and those that SQLite keeps beside it.
//!
//! Opening a database in the usual way may create a log or the index of a log
//! beside it, or delete one. Which files are there tells how to open it so that
//! nothing of that happens.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::observe::VALUE_MAX;

const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// An open database in one consistent view.
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// Set when the file is read without locks.
    pub(super) unlocked: Option<Unlocked>,
}

/// A file that is read without locks, and how it looked before.
pub(super) struct Unlocked {
    path: PathBuf,
    before: Fingerprint,
}

impl Unlocked {
    /// Whether it was written to since.
    pub(super) fn has_changed(&self) -> bool {
        Fingerprint::of(&self.path).ok().as_ref() != Some(&self.before)
    }
}

/// How a database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// With locks; there is no log.
    Locked,
    /// With locks, through a log, whose index stays as it is.
    ThroughTheLog,
    /// Without locks, through a log that no process has open; its index is made
    /// in memory.
    ThroughAnIdleLog,
    /// Without locks and without a log.
    Alone,
}

impl Way {
    fn options(self) -> &'static str {
        match self {
            Self::Locked => "",
            Self::ThroughTheLog => "?readonly_shm=1",
            Self::ThroughAnIdleLog => "?vfs=unix-none",
            Self::Alone => "?immutable=1",
        }
    }

    fn uses_locks(self) -> bool {
        matches!(self, Self::Locked | Self::ThroughTheLog)
    }
}

impl Opened {
    /// SQLite keeps its files beside the file that a link leads to, and takes
    /// some relative names for something else than a file.
    pub(super) fn new(path: &Path) -> Result<Self, String> {
        let path = path.canonicalize().map_err(|error| error.to_string())?;
        let before = Fingerprint::of(&path).map_err(|error| error.to_string())?;
        let way = before.way(fs::metadata(beside(&path, "-shm")).is_ok());
        let connection = connect(&path, way).map_err(|error| message_of(&error, &path))?;
        let unlocked = (!way.uses_locks()).then_some(Unlocked { path, before });
        Ok(Self {
            connection,
            unlocked,
        })
    }
}

/// What SQLite says; where a journal must be rolled back, which takes the right
/// to write, with what can be done.
fn message_of(error: &rusqlite::Error, path: &Path) -> String {
    let journal = beside(path, "-journal");
    let is_hot = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen)
    ) && fs::metadata(&journal).is_ok_and(|meta| meta.len() > 0);
    if !is_hot {
        return error.to_string();
    }
    format!(
        "a write to it was interrupted, and its journal `{}` is still to be rolled back; open the database once with a program that may write, for example `sqlite3 FILE .tables`, and run again",
        journal.display()
    )
}

/// What changes when the file is written to.
#[derive(Debug, PartialEq)]
struct Fingerprint {
    header: Vec<u8>,
    len: u64,
    modified: Option<SystemTime>,
    /// Length and time of a log that is not empty.
    log: Option<(u64, Option<SystemTime>)>,
}

impl Fingerprint {
    fn of(path: &Path) -> io::Result<Self> {
        let mut header = Vec::new();
        let file = File::open(path)?;
        let meta = file.metadata()?;
        file.take(100).read_to_end(&mut header)?;
        let log = fs::metadata(beside(path, "-wal")).ok();
        Ok(Self {
            header,
            len: meta.len(),
            modified: meta.modified().ok(),
            log: log
                .filter(|log| log.len() > 0)
                .map(|log| (log.len(), log.modified().ok())),
        })
    }

    /// By whether the log has an index, which also mere readers make.
    fn way(&self, has_index: bool) -> Way {
        match self.log {
            // SQLite would delete the log of an empty database
            _ if self.len == 0 => Way::Alone,
            // whatever the header says: SQLite reads a log that is there
            Some(_) if has_index => Way::ThroughTheLog,
            Some(_) => Way::ThroughAnIdleLog,
            // no process has the file open; opening it normally would create a log
            None if self.uses_write_ahead_log() => Way::Alone,
            None => Way::Locked,
        }
    }

    /// Bytes 18 and 19 of the header are 2 in this mode.
    fn uses_write_ahead_log(&self) -> bool {
        self.header.get(18..20) == Some(&[2, 2])
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

fn connect(path: &Path, way: Way) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("{}{}", file_uri(path), way.options());
    let connection = Connection::open_with_flags(uri, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let most = i32::try_from(VALUE_MAX).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most)?;
    if way == Way::ThroughAnIdleLog {
        // the index of the log is then kept in memory instead of in a file
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    connection.execute_batch("BEGIN")?;
    // The view is fixed by the first read; it also tells whether this is a database.
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
    Ok(connection)
}

/// A `file:` URI; everything that could mean something in a URI is escaped.
fn file_uri(path: &Path) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    // `file://x` would name a host
    if uri.starts_with("file://") {
        uri.replacen("file://", "file:///", 1)
    } else {
        uri
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_so_that_nothing_appears_or_disappears_beside_it() {
        let rollback = {
            let mut header = vec![0; 100];
            header[18..20].fill(1);
            header
        };
        let mut ahead = rollback.clone();
        ahead[18..20].fill(2);
        for (header, has_log, has_index, way) in [
            (&rollback, false, false, Way::Locked),
            (&rollback, false, true, Way::Locked),
            (&rollback, true, false, Way::ThroughAnIdleLog),
            (&rollback, true, true, Way::ThroughTheLog),
            (&ahead, false, false, Way::Alone),
            (&ahead, false, true, Way::Alone),
            (&ahead, true, false, Way::ThroughAnIdleLog),
            (&ahead, true, true, Way::ThroughTheLog),
            (&Vec::new(), false, false, Way::Alone),
            (&Vec::new(), true, true, Way::Alone),
        ] {
            let seen = Fingerprint {
                header: header.clone(),
                len: header.len() as u64,
                modified: None,
                log: has_log.then_some((1, None)),
            };
            assert_eq!(seen.way(has_index), way, "{has_log} {has_index}");
        }
    }
}
