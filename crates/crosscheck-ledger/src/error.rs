//! What can be wrong with a ledger, and with a file in its place.

use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::{Advice, Reason};
use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

crosscheck_core::reasons! {
    /// Why a ledger cannot be used, or what is wrong with its chain.
    pub enum LedgerReason from include_str!("reasons/ledger_reason.tsv"); {
        Missing, NotALedger, Newer, Damaged, Unwritable, Unreadable, Full, Busy,
        Empty, Changed, Broken, RecordEdited, RecordMissing, LinkBroken,
        HeadMissing, KeyUnusable, ExportInvalid, ExportGap, TooShort,
    }
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// No file is there.
    #[error("there is no ledger at `{}`", .0.display())]
    Missing(PathBuf),
    /// Something else is there.
    #[error("`{}` is not a ledger of crosscheck: {why}", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// How that is known.
        why: String,
    },
    /// A newer version wrote it.
    #[error("the ledger `{}` has the format {found}, and this version knows {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest known format.
        known: i64,
    },
    /// Another program changed its tables or triggers.
    #[error("the ledger `{}` was changed by another program: {why}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What is other.
        why: String,
    },
    /// Its chain is broken.
    #[error("the chain of the ledger `{}` is broken: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The first break.
        why: String,
    },
    /// A record cannot be read.
    #[error("the ledger `{}` is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What cannot be read.
        why: String,
    },
    /// A key is not one.
    #[error("cannot use the key `{}`: {why}", path.display())]
    Key {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// SQLite refuses.
    #[error("cannot {} the ledger `{}`", if *.writes { "write" } else { "read" }, path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Whether it was to be written.
        writes: bool,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The system refuses.
    #[error("cannot {} the ledger `{}`", if *.writes { "write" } else { "read" }, path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Whether it was to be written.
        writes: bool,
        /// What the system says.
        source: io::Error,
    },
}

impl LedgerError {
    pub(crate) fn of(path: &Path, writes: bool) -> impl Fn(rusqlite::Error) -> Self + Copy {
        move |source| {
            let path = path.to_owned();
            match source.sqlite_error_code() {
                Some(ErrorCode::NotADatabase) => Self::NotALedger {
                    path,
                    why: "it is not an SQLite database".to_owned(),
                },
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::TooBig) => Self::Damaged {
                    path,
                    why: source.to_string(),
                },
                _ => Self::Database {
                    path,
                    writes,
                    source,
                },
            }
        }
    }

    pub(crate) fn io(path: &Path, writes: bool) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Io {
            path: path.to_owned(),
            writes,
            source,
        }
    }

    /// What a server says, or what is said about it.
    pub(crate) fn server(path: &Path, writes: bool, code: Option<&SqlState>, why: String) -> Self {
        let kind = match code {
            Some(&SqlState::DISK_FULL) => io::ErrorKind::StorageFull,
            Some(&SqlState::LOCK_NOT_AVAILABLE) => io::ErrorKind::ResourceBusy,
            _ => io::ErrorKind::Other,
        };
        Self::io(path, writes)(io::Error::new(kind, why))
    }

    const fn why(&self) -> LedgerReason {
        let writes = match self {
            Self::Missing(_) => return LedgerReason::Missing,
            Self::NotALedger { .. } => return LedgerReason::NotALedger,
            Self::Newer { .. } => return LedgerReason::Newer,
            Self::Damaged { .. } => return LedgerReason::Damaged,
            Self::Changed { .. } => return LedgerReason::Changed,
            Self::Broken { .. } => return LedgerReason::Broken,
            Self::Key { .. } => return LedgerReason::KeyUnusable,
            Self::Database { writes, .. } | Self::Io { writes, .. } => *writes,
        };
        if writes {
            LedgerReason::Unwritable
        } else {
            LedgerReason::Unreadable
        }
    }
}

impl Advice for LedgerError {
    fn reason(&self) -> &'static Reason {
        let special = match self {
            Self::Database { source, .. } => match source.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => Some(LedgerReason::Full),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    Some(LedgerReason::Busy)
                }
                _ => None,
            },
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull => Some(LedgerReason::Full),
                io::ErrorKind::ResourceBusy => Some(LedgerReason::Busy),
                _ => None,
            },
            _ => None,
        };
        special.unwrap_or(self.why()).reason()
    }
}
