//! Opens a ledger and appends to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::digest::Digest;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior};

use crate::record::{BYTES_MAX, FIRST, Record};
use crate::{Entry, LedgerError, Place, spool};

/// "cclg": the file says whose it is.
const APPLICATION_ID: i64 = 0x6363_6c67;
const FORMAT: i64 = 1;

/// The whole schema; a file with any other is not a ledger. The triggers keep
/// other programs from changing records by mistake.
const SCHEMA: [(&str, &str); 3] = [
    (
        "records",
        "CREATE TABLE records (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, body TEXT NOT NULL) STRICT",
    ),
    (
        "records_are_never_changed",
        "CREATE TRIGGER records_are_never_changed BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    ),
    (
        "records_are_never_removed",
        "CREATE TRIGGER records_are_never_removed BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    ),
];

/// How long appending may take, and what it is worth.
#[derive(Debug, Clone, Copy)]
pub struct Care {
    /// How long another writer is waited for.
    pub wait: Duration,
    /// Whether the record must survive a power failure. It survives the end of
    /// the process in any case.
    pub durable: bool,
    /// How many spool files are taken in.
    pub spooled: usize,
}

impl Care {
    /// For a hook, whose caller waits.
    pub const HOOK: Self = Self {
        wait: Duration::from_millis(15),
        durable: false,
        spooled: 8,
    };
    /// For every other command.
    pub const COMMAND: Self = Self {
        wait: Duration::from_secs(10),
        durable: true,
        spooled: 1000,
    };
}

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    connection: Connection,
    file: PathBuf,
    care: Care,
}

/// What was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The number of records.
    pub count: u64,
    /// The hash of the last one.
    pub head: String,
    /// Spool files that cannot be used.
    pub unusable: usize,
}

impl Ledger {
    /// Opens the ledger; creates it if no file is there. A file that is not a
    /// ledger is left as it is.
    pub fn open(place: &Place, care: Care) -> Result<Self, LedgerError> {
        let file = place.resolved(true)?;
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if place.is_confined() {
            flags |= OpenFlags::SQLITE_OPEN_NOFOLLOW;
        }
        refuse_special(&file)?;
        let fail = LedgerError::of(&file, true);
        let mut connection = Connection::open_with_flags(&file, flags).map_err(fail)?;
        connection.busy_timeout(care.wait).map_err(fail)?;
        harden(&connection).map_err(fail)?;
        if pages(&connection).map_err(fail)? == 0 {
            // SQLite takes a short text for an empty database
            let is_empty = file.metadata().map_or(0, |meta| meta.len()) == 0;
            if !is_empty && pages(&connection).map_err(fail)? == 0 {
                return Err(LedgerError::NotALedger {
                    path: file,
                    why: "it is not an SQLite database".to_owned(),
                });
            }
            create(&mut connection).map_err(fail)?;
        }
        check(&connection, &file)?;
        let synchronous = if care.durable { "FULL" } else { "NORMAL" };
        connection
            .pragma_update(None, "synchronous", synchronous)
            .map_err(fail)?;
        // Of several that begin at once one switches, and the others find it done.
        let _: Result<String, _> =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        Ok(Self {
            connection,
            file,
            care,
        })
    }

    /// Appends a run after the entries that wait in spool files. An entry whose
    /// id is recorded already is not recorded again.
    pub fn append(&mut self, entry: &Entry) -> Result<Appended, LedgerError> {
        self.add(Some(entry))
    }

    /// Takes in what waits in spool files.
    pub fn take_in(&mut self) -> Result<Appended, LedgerError> {
        self.add(None)
    }

    /// Lets the file grow no more, as a full disk does.
    #[cfg(test)]
    pub(crate) fn limit_pages(&self) {
        let most = pages(&self.connection).unwrap();
        let set = format!("PRAGMA max_page_count = {most}");
        self.connection.query_row(&set, [], |_| Ok(())).unwrap();
    }

    fn add(&mut self, entry: Option<&Entry>) -> Result<Appended, LedgerError> {
        let fail = LedgerError::of(&self.file, true);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        // read under the lock, so that one file is not taken in by two commands
        let waiting = spool::waiting(&self.file, self.care.spooled);
        let mut tail = Tail::of(&transaction).map_err(fail)?;
        for (_, entry) in &waiting.entries {
            tail.push(&transaction, entry, true).map_err(fail)?;
        }
        if let Some(entry) = entry {
            let entry = entry.clone().fitted();
            tail.push(&transaction, &entry, false).map_err(fail)?;
        }
        transaction.commit().map_err(fail)?;
        for (path, _) in &waiting.entries {
            // one that stays is known by its id the next time
            let _ = fs::remove_file(path);
        }
        Ok(Appended {
            count: tail.count,
            head: tail.head,
            unusable: waiting.unusable,
        })
    }
}

/// The end of the chain.
struct Tail {
    count: u64,
    head: String,
}

impl Tail {
    fn of(transaction: &Transaction<'_>) -> rusqlite::Result<Self> {
        let last = "SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1";
        let last = transaction
            .query_row(last, [], |row| {
                Ok(Self {
                    count: u64::try_from(row.get::<_, i64>(0)?).unwrap_or_default(),
                    head: row.get(1)?,
                })
            })
            .optional()?;
        Ok(last.unwrap_or_else(|| Self {
            count: 0,
            head: FIRST.to_owned(),
        }))
    }

    fn push(
        &mut self,
        transaction: &Transaction<'_>,
        entry: &Entry,
        spooled: bool,
    ) -> rusqlite::Result<()> {
        let known = "SELECT 1 FROM records WHERE id = ?1";
        let mut known = transaction.prepare_cached(known)?;
        if known.exists([&entry.id])? {
            return Ok(());
        }
        let record = Record::new(self.count + 1, self.head.clone(), entry.clone(), spooled);
        let body = record.text();
        let hash = Digest::of(&body).hex();
        transaction
            .prepare_cached("INSERT INTO records (seq, id, hash, body) VALUES (?1, ?2, ?3, ?4)")?
            .execute((
                i64::try_from(record.seq).unwrap_or(i64::MAX),
                &entry.id,
                &hash,
                &body,
            ))?;
        self.count = record.seq;
        self.head = hash;
        Ok(())
    }
}

/// Opening a pipe or a device would wait or do harm.
fn refuse_special(file: &Path) -> Result<(), LedgerError> {
    match file.metadata() {
        Ok(meta) if !meta.is_file() => Err(LedgerError::NotALedger {
            path: file.to_owned(),
            why: "it is not a regular file".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Nothing that the file defines is run, and nothing in it fills the memory.
pub(crate) fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "trusted_schema", false)?;
    let most = i32::try_from(BYTES_MAX + 1024).unwrap_or(i32::MAX);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, most)?;
    Ok(())
}

pub(crate) fn pages(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA page_count", [], |row| row.get(0))
}

/// All in one transaction: a file is empty, or a ledger.
fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // the lock itself has made the first page
    let is_empty = "SELECT NOT EXISTS (SELECT * FROM sqlite_schema)";
    if !transaction.query_row(is_empty, [], |row| row.get(0))? {
        return Ok(()); // another was faster
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    for (_, statement) in SCHEMA {
        transaction.execute_batch(statement)?;
    }
    transaction.commit()
}

/// Whether the file is a ledger of a known format.
pub(crate) fn check(connection: &Connection, file: &Path) -> Result<(), LedgerError> {
    let fail = LedgerError::of(file, false);
    let number = |name: &str| -> Result<i64, LedgerError> {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(fail)
    };
    let foreign = |why: &str| LedgerError::NotALedger {
        path: file.to_owned(),
        why: why.to_owned(),
    };
    if number("application_id")? != APPLICATION_ID {
        return Err(foreign("it is a database of another program"));
    }
    let found = number("user_version")?;
    if found > FORMAT {
        return Err(LedgerError::Newer {
            path: file.to_owned(),
            found,
            known: FORMAT,
        });
    }
    let mut list = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .map_err(fail)?;
    let rows = list
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(fail)?;
    let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>().map_err(fail)?;
    let is_ours = rows
        .iter()
        .map(|(name, sql)| (name.as_str(), sql.as_str()))
        .eq(SCHEMA);
    if is_ours {
        Ok(())
    } else {
        Err(foreign("its tables are not those of a ledger"))
    }
}
