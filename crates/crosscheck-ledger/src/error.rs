//! What can be wrong with a ledger, and with a file in its place.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;

use crosscheck_core::{Advice, Reason};
use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

crosscheck_core::reasons! {
    /// Why a ledger cannot be used, or what is wrong with its chain.
    pub enum LedgerReason from include_str!("reasons/ledger_reason.tsv"); {
        Missing, NotALedger, Newer, Damaged, Unwritable, Unreadable, Full, Busy, Empty,
        Changed, Broken, RecordEdited, RecordMissing, LinkBroken, HeadMissing,
        KeyUnusable, ExportInvalid, ExportGap, TooShort,
    }
}

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct LedgerError {
    reason: LedgerReason,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl LedgerError {
    pub(crate) const fn new(reason: LedgerReason, message: String) -> Self {
        Self {
            reason,
            message,
            source: None,
        }
    }

    /// No file is there.
    pub(crate) fn missing(path: &Path) -> Self {
        let message = format!("there is no ledger at `{}`", path.display());
        Self::new(LedgerReason::Missing, message)
    }

    /// Something else is there.
    pub(crate) fn not_a_ledger(path: &Path, why: impl Display) -> Self {
        let message = format!("`{}` is not a ledger of crosscheck: {why}", path.display());
        Self::new(LedgerReason::NotALedger, message)
    }

    /// A newer version wrote it.
    pub(crate) fn newer(path: &Path, found: i64, known: i64) -> Self {
        let message = format!(
            "the ledger `{}` has the format {found}, and this version knows {known}",
            path.display()
        );
        Self::new(LedgerReason::Newer, message)
    }

    /// Another program changed its tables or triggers.
    pub(crate) fn changed(path: &Path, why: &str) -> Self {
        let message = format!(
            "the ledger `{}` was changed by another program: {why}",
            path.display()
        );
        Self::new(LedgerReason::Changed, message)
    }

    /// A record cannot be read.
    pub(crate) fn damaged(path: &Path, why: impl Display) -> Self {
        let message = format!("the ledger `{}` is damaged: {why}", path.display());
        Self::new(LedgerReason::Damaged, message)
    }

    /// Whether no file is there.
    pub fn is_missing(&self) -> bool {
        self.reason == LedgerReason::Missing
    }

    /// It cannot be written or read, for another reason if there is a closer one.
    fn refused(
        path: &Path,
        writes: bool,
        closer: Option<LedgerReason>,
        source: impl Error + Send + Sync + 'static,
    ) -> Self {
        let (verb, usual) = if writes {
            ("write", LedgerReason::Unwritable)
        } else {
            ("read", LedgerReason::Unreadable)
        };
        Self {
            reason: closer.unwrap_or(usual),
            message: format!("cannot {verb} the ledger `{}`", path.display()),
            source: Some(Box::new(source)),
        }
    }

    /// SQLite refuses.
    pub(crate) fn of(path: &Path, writes: bool) -> impl Fn(rusqlite::Error) -> Self + Copy {
        use ErrorCode as Code;
        move |source| match source.sqlite_error_code() {
            Some(Code::NotADatabase) => Self::not_a_ledger(path, "it is not an SQLite database"),
            Some(Code::DatabaseCorrupt | Code::TooBig) => Self::damaged(path, source),
            Some(Code::DiskFull) => Self::refused(path, writes, Some(LedgerReason::Full), source),
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => {
                Self::refused(path, writes, Some(LedgerReason::Busy), source)
            }
            _ => Self::refused(path, writes, None, source),
        }
    }

    /// The system refuses.
    pub(crate) fn io(path: &Path, writes: bool) -> impl Fn(io::Error) -> Self + Copy {
        move |source| {
            let closer = match source.kind() {
                io::ErrorKind::StorageFull => Some(LedgerReason::Full),
                io::ErrorKind::ResourceBusy => Some(LedgerReason::Busy),
                _ => None,
            };
            Self::refused(path, writes, closer, source)
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
}

impl Advice for LedgerError {
    fn reason(&self) -> &'static Reason {
        self.reason.reason()
    }
}
