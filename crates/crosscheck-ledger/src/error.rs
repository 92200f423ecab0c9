//! What can be wrong with a ledger, and with a file in its place.

use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::{Advice, Reason};
use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

crosscheck_core::reasons! {
    /// Why a ledger cannot be used, or what is wrong with its chain.
    pub enum LedgerReason {
        Missing = "LEDGER_MISSING", Error,
            "there is no ledger where one was looked for",
            help: "name the ledger, or record runs with --ledger PLACE or `[ledger] enabled = true`";
        NotALedger = "LEDGER_NOT_A_LEDGER", Error,
            "the file is not a ledger, and is left as it is",
            help: "name another file for the ledger";
        Newer = "LEDGER_NEWER", Error,
            "the ledger was written by a newer version of crosscheck",
            help: "update crosscheck, or name another file for the ledger";
        Damaged = "LEDGER_DAMAGED", Error,
            "the file of the ledger is damaged",
            help: "restore it from a backup, or move it away so that a new one begins";
        Unwritable = "LEDGER_UNWRITABLE", Error,
            "the run could not be recorded: the ledger cannot be written",
            help: "check that the file and its folder are writable, or that the server can be reached and its role may add rows";
        Unreadable = "LEDGER_UNREADABLE", Error,
            "the ledger cannot be read",
            help: "check the permissions of the file and its folder, or that the server can be reached and its role may read";
        Full = "LEDGER_FULL", Error,
            "the run could not be recorded: no space is left for the ledger",
            help: "free some space, or name a file on another disk";
        Busy = "LEDGER_BUSY", Error,
            "the ledger was locked by another program for too long",
            help: "end the program that holds it, and run again";
        Empty = "LEDGER_EMPTY", Warning,
            "the ledger has no record, so that nothing can be verified",
            help: "record a run first; if there were records, restore the file from a backup";
        Changed = "LEDGER_CHANGED", Error,
            "the ledger has other tables or triggers than crosscheck gave it: another program changed it",
            help: "see `crosscheck ledger verify`; restore the ledger from a backup, or move it away so that a new one begins";
        Broken = "LEDGER_BROKEN", Error,
            "the chain of the ledger is broken, so that nothing of it is signed",
            help: "see `crosscheck ledger verify`; restore the ledger from a backup";
        RecordEdited = "LEDGER_RECORD_EDITED", Error,
            "a record is not what was recorded: its text does not have its hash",
            help: "restore the ledger from a backup; do not rely on this record";
        RecordMissing = "LEDGER_RECORD_MISSING", Error,
            "records were removed from the middle of the ledger",
            help: "restore the ledger from a backup";
        LinkBroken = "LEDGER_LINK_BROKEN", Error,
            "a record does not follow the one before it: a record was replaced, or the order changed",
            help: "restore the ledger from a backup; do not rely on the records before the break";
        HeadMissing = "LEDGER_HEAD_MISSING", Error,
            "no record of the ledger has the expected hash: records were removed from its end, or the chain was written anew",
            help: "restore the ledger from a backup";
        KeyUnusable = "LEDGER_KEY_UNUSABLE", Error,
            "the key cannot be used to sign or to verify an export",
            help: "pass an Ed25519 key as PEM: PKCS#8 to sign (`openssl genpkey -algorithm ed25519`), SPKI to verify (`openssl pkey -pubout`)";
        ExportInvalid = "LEDGER_EXPORT_INVALID", Error,
            "a line of an export is not a record that the key has signed, or an attestation or a file of it is not what the key has signed",
            help: "do not rely on it; check that the public key belongs to the one that signed";
        ExportGap = "LEDGER_EXPORT_GAP", Warning,
            "numbers are missing between the records of an export: it is of one command alone, or lines were removed",
            help: "ask for an export of all commands, or compare with the ledger itself";
        TooShort = "LEDGER_TOO_SHORT", Error,
            "the ledger has fewer records than expected: records were removed from its end",
            help: "restore the ledger from a backup";
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
