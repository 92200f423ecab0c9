//! Opens a ledger and appends to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::digest::Digest;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior};

use crate::record::{BYTES_MAX, FIRST, Record};
use crate::server::{LOCK, Server};
use crate::walk::{COLUMNS, Stored};
use crate::{LedgerEntry, LedgerError, Place, spool};

/// "cclg": the file says whose it is.
const APPLICATION_ID: i64 = 0x6363_6c67;
const FORMAT: i64 = 1;
/// No true ledger has so many records; there is room for those that wait.
const LAST: u64 = 1 << 62;

/// The whole schema. The triggers keep other programs from changing records by
/// mistake.
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
    store: Store,
    /// The file, or that beside which entries for a server wait.
    file: PathBuf,
    care: Care,
    clean: fn(&str) -> String,
}

#[derive(Debug)]
enum Store {
    File(Connection),
    Server(Server),
}

/// A transaction in which records are appended.
pub(crate) trait Append {
    /// The last record.
    fn last(&mut self) -> Result<Option<Stored>, LedgerError>;
    /// Adds a record; false if its id is there already.
    fn put(&mut self, row: &Stored) -> Result<bool, LedgerError>;
}

/// What was appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The number of records.
    pub count: u64,
    /// The hash of the last one.
    pub head: String,
    /// Spool files that cannot be used; they were moved aside.
    pub unusable: usize,
    /// What is wrong with the record that the new ones follow.
    pub broken: Option<String>,
}

impl Ledger {
    /// Opens the ledger; creates it if no file is there. A file that is not a
    /// ledger is left as it is. What is found in spool files passes `clean`,
    /// which takes secrets out.
    pub fn open(place: &Place, care: Care, clean: fn(&str) -> String) -> Result<Self, LedgerError> {
        let file = place.resolved(true)?;
        if let Some(remote) = place.remote() {
            let server = Server::writer(place, remote, care)?;
            return Ok(Self {
                store: Store::Server(server),
                file,
                care,
                clean,
            });
        }
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        if place.is_confined() {
            flags |= OpenFlags::SQLITE_OPEN_NOFOLLOW;
        }
        refuse_special(&file, place.is_confined())?;
        refuse_long_names(&file)?;
        make_private(&file);
        let fail = LedgerError::of(&file, true);
        let mut connection = Connection::open_with_flags(&file, flags).map_err(fail)?;
        connection.busy_timeout(care.wait).map_err(fail)?;
        harden(&connection).map_err(fail)?;
        if is_blank(&connection, &file)? {
            create(&mut connection).map_err(fail)?;
        }
        check(&connection, &file)?;
        if let Some(why) = changes(&connection).map_err(fail)?.pop() {
            return Err(LedgerError::changed(&file, &why));
        }
        let synchronous = if care.durable { "FULL" } else { "NORMAL" };
        connection
            .pragma_update(None, "synchronous", synchronous)
            .map_err(fail)?;
        // Of several that begin at once one switches, and the others find it done.
        let _: Result<String, _> =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        Ok(Self {
            store: Store::File(connection),
            file,
            care,
            clean,
        })
    }

    /// Appends a run after the entries that wait in spool files. An entry whose
    /// id is recorded already is not recorded again.
    pub fn append(&mut self, entry: &LedgerEntry) -> Result<Appended, LedgerError> {
        self.add(Some(entry))
    }

    /// Takes in what waits in spool files.
    pub fn take_in(&mut self) -> Result<Appended, LedgerError> {
        self.add(None)
    }

    /// Lets the file grow no more, as a full disk does.
    #[cfg(test)]
    pub(crate) fn limit_pages(&self) {
        let Store::File(connection) = &self.store else {
            return;
        };
        let most = pages(connection).unwrap();
        let set = format!("PRAGMA max_page_count = {most}");
        connection.query_row(&set, [], |_| Ok(())).unwrap();
    }

    fn add(&mut self, entry: Option<&LedgerEntry>) -> Result<Appended, LedgerError> {
        let taking = Taking {
            file: &self.file,
            care: self.care,
            clean: self.clean,
            entry,
        };
        let (appended, taken) = match &mut self.store {
            Store::File(connection) => {
                let fail = LedgerError::of(&self.file, true);
                let mut transaction = connection
                    .transaction_with_behavior(TransactionBehavior::Immediate)
                    .map_err(fail)?;
                let added = taking.add_to(&mut FileAppend(&mut transaction, &self.file))?;
                transaction.commit().map_err(fail)?;
                added
            }
            Store::Server(server) => {
                server.begin(self.care)?;
                // what fails here is undone by the next, or with the connection
                server.execute(LOCK)?;
                let added = taking.add_to(server)?;
                server.execute("COMMIT")?;
                added
            }
        };
        for path in taken {
            // one that stays is known by its id the next time
            let _ = fs::remove_file(path);
        }
        Ok(appended)
    }
}

/// What is to be appended.
struct Taking<'t> {
    file: &'t Path,
    care: Care,
    clean: fn(&str) -> String,
    entry: Option<&'t LedgerEntry>,
}

impl Taking<'_> {
    /// Appends; also names the spool files that are no longer needed.
    fn add_to(&self, store: &mut dyn Append) -> Result<(Appended, Vec<PathBuf>), LedgerError> {
        // read under the lock, so that one file is not taken in by two commands
        let waiting = spool::waiting(self.file, self.care.spooled);
        let mut tail = Tail::of(store.last()?);
        if tail.count >= LAST {
            let why = format!("no record can follow record {}", tail.count);
            return Err(LedgerError::damaged(self.file, why));
        }
        let mut taken = Vec::new();
        for (path, entry) in waiting.entries {
            tail.push(store, entry.cleaned(self.clean), true)?;
            taken.push(path);
        }
        if let Some(entry) = self.entry {
            tail.push(store, entry.clone().fitted(), false)?;
        }
        let appended = Appended {
            count: tail.count,
            head: tail.head,
            unusable: waiting.unusable,
            broken: tail.broken,
        };
        Ok((appended, taken))
    }
}

struct FileAppend<'t, 'c>(&'t mut Transaction<'c>, &'t Path);

impl Append for FileAppend<'_, '_> {
    fn last(&mut self) -> Result<Option<Stored>, LedgerError> {
        let last = format!("SELECT {COLUMNS} FROM records ORDER BY seq DESC LIMIT 1");
        let last = self.0.query_row(&last, [], Stored::of).optional();
        last.map_err(LedgerError::of(self.1, true))
    }

    fn put(&mut self, row: &Stored) -> Result<bool, LedgerError> {
        let insert = "INSERT INTO records (seq, id, hash, body) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (id) DO NOTHING";
        let fail = LedgerError::of(self.1, true);
        let mut insert = self.0.prepare_cached(insert).map_err(fail)?;
        let added = insert.execute((row.seq, &row.id, &row.hash, &row.body));
        Ok(added.map_err(fail)? > 0)
    }
}

/// The end of the chain.
struct Tail {
    count: u64,
    head: String,
    broken: Option<String>,
}

impl Tail {
    fn of(last: Option<Stored>) -> Self {
        match last {
            None => Self {
                count: 0,
                head: FIRST.to_owned(),
                broken: None,
            },
            Some(row) => Self {
                count: u64::try_from(row.seq).unwrap_or_default(),
                broken: (!row.is_whole())
                    .then(|| format!("the text of record {} does not have its hash", row.seq)),
                head: row.hash,
            },
        }
    }

    fn push(
        &mut self,
        store: &mut dyn Append,
        entry: LedgerEntry,
        spooled: bool,
    ) -> Result<(), LedgerError> {
        let id = entry.id.clone();
        let record = Record::new(self.count + 1, self.head.clone(), entry, spooled);
        let body = record.text();
        let row = Stored {
            seq: i64::try_from(record.seq).unwrap_or(i64::MAX),
            id,
            hash: Digest::of(&body).hex(),
            body,
        };
        if store.put(&row)? {
            self.count = record.seq;
            self.head = row.hash;
        }
        Ok(())
    }
}

/// Opening a pipe or a device would wait or do harm. In a project a file that
/// has another name elsewhere is refused: the agent can link a file of the user.
fn refuse_special(file: &Path, is_confined: bool) -> Result<(), LedgerError> {
    use std::os::unix::fs::MetadataExt as _;
    let refuse = |why: &str| Err(LedgerError::not_a_ledger(file, why));
    match file.metadata() {
        Ok(meta) if !meta.is_file() => refuse("it is not a regular file"),
        Ok(meta) if is_confined && meta.nlink() > 1 => {
            refuse("it has another name elsewhere (a hard link)")
        }
        _ => Ok(()),
    }
}

/// SQLite would create the file and then fail at the longer names beside it.
fn refuse_long_names(file: &Path) -> Result<(), LedgerError> {
    let mut beside = file.as_os_str().to_owned();
    beside.push("-journal");
    match fs::symlink_metadata(beside) {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            Err(LedgerError::io(file, true)(error))
        }
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

fn pages(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA page_count", [], |row| row.get(0))
}

/// A new file is for its owner alone; the files that SQLite puts beside it are
/// like it.
fn make_private(file: &Path) {
    use std::os::unix::fs::OpenOptionsExt as _;
    // what is there already stays, and what cannot be made is reported by SQLite
    let mut options = fs::OpenOptions::new();
    let _ = options.write(true).create_new(true).mode(0o600).open(file);
}

/// Whether a ledger can begin in this file: it is empty, or a writer was killed
/// before its first transaction.
pub(crate) fn is_blank(connection: &Connection, file: &Path) -> Result<bool, LedgerError> {
    let fail = LedgerError::of(file, false);
    if pages(connection).map_err(fail)? == 0 {
        // SQLite takes a short text for an empty database
        let is_empty = file.metadata().map_or(0, |meta| meta.len()) == 0;
        if !is_empty && pages(connection).map_err(fail)? == 0 {
            let why = "it is not an SQLite database";
            return Err(LedgerError::not_a_ledger(file, why));
        }
        if is_empty {
            return Ok(true);
        }
    }
    let owner = number(connection, "application_id").map_err(fail)?;
    let nothing = "SELECT NOT EXISTS (SELECT * FROM sqlite_schema)";
    let has_nothing: bool = connection
        .query_row(nothing, [], |row| row.get(0))
        .map_err(fail)?;
    Ok(has_nothing && matches!(owner, 0 | APPLICATION_ID))
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

/// All in one transaction: a file is empty, or a ledger.
fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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

/// Whether the file is a ledger of a known format, with records to read.
pub(crate) fn check(connection: &Connection, file: &Path) -> Result<(), LedgerError> {
    let fail = LedgerError::of(file, false);
    let foreign = |why: &str| LedgerError::not_a_ledger(file, why);
    if number(connection, "application_id").map_err(fail)? != APPLICATION_ID {
        return Err(foreign("it is a database of another program"));
    }
    let found = number(connection, "user_version").map_err(fail)?;
    if found > FORMAT {
        return Err(LedgerError::newer(file, found, FORMAT));
    }
    // a table with pages of its own, not a view or what a module makes
    let columns = "SELECT count(*) FROM sqlite_schema AS s, pragma_table_info(s.name) AS c \
         WHERE s.name = 'records' AND s.type = 'table' AND s.rootpage > 0 \
         AND c.name IN ('seq', 'id', 'hash', 'body')";
    let columns: i64 = connection
        .query_row(columns, [], |row| row.get(0))
        .map_err(fail)?;
    if columns == 4 {
        Ok(())
    } else {
        Err(foreign("its tables are not those of a ledger"))
    }
}

/// What the file has or lacks against the schema.
pub(crate) fn changes(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut list = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")?;
    let rows = list.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
    let is_there = |wanted: &str| found.iter().find(|(name, _)| name == wanted);
    let lacking = SCHEMA.iter().filter_map(|(name, sql)| {
        Some(match is_there(name) {
            None => format!("`{name}` is missing"),
            Some((_, other)) if other != sql => format!("`{name}` is not what it was"),
            Some(_) => return None,
        })
    });
    let is_ours = |name: &str| SCHEMA.iter().any(|(own, _)| *own == name);
    let added = found
        .iter()
        .filter(|(name, _)| !is_ours(name))
        .map(|(name, _)| format!("`{name}` was added"));
    Ok(lacking.chain(added).collect())
}
