//! Reads a ledger, record by record, and verifies its chain.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crosscheck_core::digest::Digest;
use rusqlite::{Connection, OpenFlags, Row};
use tokio_postgres::types::ToSql;

use crate::record::{BYTES_MAX, FIRST, Record};
use crate::server::{self, Server};
use crate::store::{changes, check, harden, is_blank};
use crate::{LedgerError, LedgerReason, Place};

/// Breaks that are listed; all are counted.
pub const PROBLEMS_MAX: usize = 100;

/// A ledger that is only read.
#[derive(Debug)]
pub struct Reader {
    store: Store,
    file: PathBuf,
    /// A file in which no ledger has begun.
    is_blank: bool,
}

#[derive(Debug)]
enum Store {
    File {
        connection: Connection,
        /// The state at the beginning, where SQLite does not guard it.
        unguarded: Option<State>,
    },
    Server(Server),
}

/// What the user noted when the chain was whole.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The hash of the last record then. It must still be in the chain.
    pub head: Option<Digest>,
    /// The number of records then. There must be at least as many.
    pub count: Option<u64>,
}

/// Which records are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// The last ones.
    pub last: u64,
    /// Those of this command.
    pub command: Option<&'w str>,
}

/// What the walk along the chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// The number of records.
    pub count: u64,
    /// The hash of the last record; none in an empty ledger.
    pub head: Option<String>,
    /// The first breaks, in order.
    pub problems: Vec<Problem>,
    /// All breaks.
    pub problem_count: u64,
}

/// One break of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The record; none for the ledger as a whole.
    pub seq: Option<u64>,
    /// What is wrong.
    pub reason: LedgerReason,
    /// In words.
    pub message: String,
}

/// One record as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its number.
    pub seq: i64,
    /// The hash beside it.
    pub hash: String,
    /// The record; none if it cannot be read.
    pub record: Option<Record>,
}

impl Reader {
    /// Opens a ledger. All that is read is of one moment, and no file stays
    /// behind that was not there.
    pub fn open(place: &Place) -> Result<Self, LedgerError> {
        if let Some(remote) = place.remote() {
            return Ok(Self {
                store: Store::Server(Server::reader(place, remote)?),
                file: place.file().to_owned(),
                is_blank: false,
            });
        }
        let file = place.resolved(false)?;
        let fail = LedgerError::of(&file, false);
        match file.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(LedgerError::Missing(place.file().to_owned()));
            }
            Err(error) => return Err(LedgerError::io(&file, false)(error)),
            Ok(meta) if !meta.is_file() => {
                return Err(LedgerError::NotALedger {
                    path: file,
                    why: "it is not a regular file".to_owned(),
                });
            }
            Ok(_) => {}
        }
        let (connection, unguarded) = connect(&file).map_err(fail)?;
        let is_blank = is_blank(&connection, &file)?;
        if !is_blank {
            check(&connection, &file)?;
        }
        Ok(Self {
            is_blank,
            store: Store::File {
                connection,
                unguarded,
            },
            file,
        })
    }

    /// Walks the whole chain, one record at a time.
    pub fn verify(&self, expected: &Expected) -> Result<Walk, LedgerError> {
        self.walk(expected, None)
    }

    /// Walks the last records of the chain, and the one before them.
    pub fn verify_last(&self, count: u64) -> Result<Walk, LedgerError> {
        self.walk(&Expected::default(), Some(count.saturating_add(1)))
    }

    fn walk(&self, expected: &Expected, last: Option<u64>) -> Result<Walk, LedgerError> {
        let mut chain = Chain::new(expected);
        if self.is_blank {
            return Ok(chain.end(expected));
        }
        let changes = match &self.store {
            Store::File { connection, .. } => {
                changes(connection).map_err(LedgerError::of(&self.file, false))?
            }
            Store::Server(server) => server.changes()?,
        };
        for change in changes {
            chain.problem(None, LedgerReason::Changed, change);
        }
        self.each(None, last, &mut |row| {
            if last.is_some() && chain.count == 0 && row.seq > 1 {
                chain.begin_behind(&row);
            } else {
                chain.take(&row);
            }
            Ok(())
        })?;
        Ok(chain.end(expected))
    }

    /// The same for those who rely on it: an error if the chain is broken.
    pub fn insist(&self) -> Result<(), LedgerError> {
        match self.verify(&Expected::default())?.problems.first() {
            None => Ok(()),
            Some(first) => Err(LedgerError::Broken {
                path: self.file.clone(),
                why: first.message.clone(),
            }),
        }
    }

    /// How many records there are.
    pub fn count(&self, command: Option<&str>) -> Result<u64, LedgerError> {
        if self.is_blank {
            return Ok(0);
        }
        let command = command.map(as_written);
        // without a condition SQLite counts the small index of the ids
        let only = if command.is_some() {
            self.of_command()
        } else {
            ""
        };
        let query = format!("SELECT count(*) FROM {}{only}", self.table());
        let count: i64 = match &self.store {
            Store::Server(server) => server.count(&query, command.as_ref())?,
            Store::File { connection, .. } => connection
                .query_row(&query, rusqlite::params_from_iter(&command), |row| {
                    row.get(0)
                })
                .map_err(LedgerError::of(&self.file, false))?,
        };
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Hands over records with their hashes, the oldest first.
    pub fn records(
        &self,
        wanted: Wanted<'_>,
        take: &mut dyn FnMut(Found) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        if self.is_blank {
            return Ok(());
        }
        self.each(wanted.command, Some(wanted.last), &mut |row| {
            take(Found {
                seq: row.seq,
                record: Record::parse(&row.body),
                hash: row.hash,
            })
        })
    }

    const fn table(&self) -> &'static str {
        match self.store {
            Store::File { .. } => "records",
            Store::Server(_) => server::TABLE,
        }
    }

    /// The condition that a row is of the command `$1`, as it is written in a record.
    const fn of_command(&self) -> &'static str {
        match self.store {
            Store::File { .. } => " WHERE octet_length(body) <= 8388608 AND instr(body, $1) > 0",
            Store::Server(_) => " WHERE octet_length(body) <= 8388608 AND strpos(body, $1) > 0",
        }
    }

    /// Rows in their order: all, or the last ones of a command or of all.
    fn each(
        &self,
        command: Option<&str>,
        last: Option<u64>,
        take: &mut dyn FnMut(Stored) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let table = self.table();
        let command = command.map(as_written);
        let last = last.map(|last| i64::try_from(last).unwrap_or(i64::MAX));
        let (only, number) = match &command {
            Some(_) => (self.of_command(), "$2"),
            None => ("", "$1"),
        };
        // only numbers are sorted, so that one record at a time is in memory
        let end = match last {
            Some(_) => format!(
                "{} seq >= (SELECT min(seq) FROM (SELECT seq FROM {table}{only} ORDER BY seq DESC LIMIT {number}) AS last)",
                if only.is_empty() { " WHERE" } else { " AND" }
            ),
            None => String::new(),
        };
        let query = format!("SELECT {COLUMNS} FROM {table}{only}{end} ORDER BY seq");
        match &self.store {
            Store::File {
                connection,
                unguarded,
            } => {
                let values = command.iter().map(|one| one as &dyn rusqlite::ToSql);
                let values = values.chain(last.iter().map(|one| one as &dyn rusqlite::ToSql));
                let fail = LedgerError::of(&self.file, false);
                let mut statement = connection.prepare(&query).map_err(fail)?;
                let mut rows = statement
                    .query(rusqlite::params_from_iter(values))
                    .map_err(fail)?;
                while let Some(row) = rows.next().map_err(fail)? {
                    take(Stored::of(row).map_err(fail)?)?;
                }
                match unguarded {
                    Some(before) if State::of(&self.file) != *before => {
                        let why = "it was written while it was read; run again";
                        Err(LedgerError::io(&self.file, false)(io::Error::other(why)))
                    }
                    _ => Ok(()),
                }
            }
            Store::Server(server) => {
                let command = command.iter().map(|one| one as &(dyn ToSql + Sync));
                let last = last.iter().map(|one| one as &(dyn ToSql + Sync));
                let values: Vec<_> = command.chain(last).collect();
                server.each(&query, &values, take)
            }
        }
    }
}

/// The name of a command as it is written in a record, where nothing else has
/// this form: in texts quotes are escaped, and a note is a text.
fn as_written(command: &str) -> String {
    let name = serde_json::Value::from(command);
    format!(",\"command\":{name},\"counts\":{{")
}

/// What a file looks like while no one writes to it.
#[derive(Debug, PartialEq, Eq)]
struct State {
    length: u64,
    changed: Option<SystemTime>,
    has_writer: bool,
}

impl State {
    fn of(file: &Path) -> Self {
        let meta = file.metadata().ok();
        let log = beside(file, "-wal");
        Self {
            length: meta.as_ref().map_or(0, std::fs::Metadata::len),
            changed: meta.and_then(|meta| meta.modified().ok()),
            has_writer: log.metadata().is_ok_and(|log| log.len() > 0),
        }
    }
}

/// Opens a file for reading. Who may write it takes part as a writer does, so
/// that SQLite removes its helper files again; anybody else makes none. Without
/// them nothing guards against a writer, so that the state before is noted.
fn connect(file: &Path) -> rusqlite::Result<(Connection, Option<State>)> {
    let open = |name: &Path, flags: OpenFlags| -> rusqlite::Result<Connection> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        harden(&connection)?;
        Ok(connection)
    };
    let begin = |connection: Connection| -> rusqlite::Result<Connection> {
        connection.pragma_update(None, "query_only", true)?;
        connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
        Ok(connection)
    };
    let own = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if !own.is_readonly("main")? {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
        match begin(own) {
            // the file may be written, and its folder not
            Err(error) if matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly)) => {}
            result => return Ok((result?, None)),
        }
    }
    let uri = |how: &str| {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let name = file
            .to_str()
            .ok_or(rusqlite::Error::InvalidPath(file.to_owned()))?;
        begin(open(Path::new(&named(name, how)), flags)?)
    };
    let before = State::of(file);
    // SQLite makes the log if it is not there, also for who only reads
    let has_helpers = beside(file, "-wal").exists() && beside(file, "-shm").exists();
    if before.has_writer || has_helpers {
        return Ok((uri("readonly_shm=1")?, None));
    }
    Ok((uri("immutable=1")?, Some(before)))
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(end);
    name.into()
}

/// The name of a file with a parameter, as SQLite takes it.
fn named(name: &str, parameter: &str) -> String {
    let mut uri = String::from("file:");
    for c in name.chars() {
        match c {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            other => uri.push(other),
        }
    }
    format!("{uri}?{parameter}")
}

/// What is read of a row. A text that is too large is left where it is.
pub(crate) const COLUMNS: &str = "seq, \
     CASE WHEN octet_length(id) <= 1024 THEN id END, \
     CASE WHEN octet_length(hash) <= 1024 THEN hash END, \
     CASE WHEN octet_length(body) <= 8388608 THEN body END";

const _: () = assert!(BYTES_MAX == 8_388_608, "the queries say so");

/// One row as it is stored; what is not text is empty.
pub(crate) struct Stored {
    pub(crate) seq: i64,
    pub(crate) id: String,
    pub(crate) hash: String,
    pub(crate) body: String,
}

impl Stored {
    pub(crate) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |at| -> rusqlite::Result<String> {
            let text = row.get_ref(at)?.as_str();
            Ok(text.map(str::to_owned).unwrap_or_default())
        };
        Ok(Self {
            // a table without its key may have anything here
            seq: row.get_ref(0)?.as_i64().unwrap_or(-1),
            id: text(1)?,
            hash: text(2)?,
            body: text(3)?,
        })
    }

    /// Whether the text has its hash.
    pub(crate) fn is_whole(&self) -> bool {
        Digest::of(&self.body).hex() == self.hash
    }
}

struct Chain {
    last: i64,
    head: Option<String>,
    awaited: Option<String>,
    count: u64,
    problems: Vec<Problem>,
    problem_count: u64,
}

impl Chain {
    fn new(expected: &Expected) -> Self {
        Self {
            last: 0,
            head: None,
            awaited: expected.head.map(|head| head.hex()),
            count: 0,
            problems: Vec::new(),
            problem_count: 0,
        }
    }

    /// Takes a record for what it says, as the place that the next one follows.
    fn begin_behind(&mut self, row: &Stored) {
        self.last = row.seq;
        self.head = Some(row.hash.clone());
        self.count += 1;
    }

    fn take(&mut self, row: &Stored) {
        let seq = u64::try_from(row.seq).ok();
        let before = self.last;
        let next = before.saturating_add(1);
        if row.seq != next {
            let gone = row.seq.saturating_sub(1);
            let which = match gone.cmp(&next) {
                std::cmp::Ordering::Equal => format!("record {next} is missing"),
                std::cmp::Ordering::Greater => format!("records {next} to {gone} are missing"),
                std::cmp::Ordering::Less => format!("record {} has no place", row.seq),
            };
            self.problem(seq, LedgerReason::RecordMissing, which);
        }
        let record = Record::parse(&row.body);
        let is_whole = row.is_whole();
        let is_in_place = record
            .as_ref()
            .is_some_and(|record| Some(record.seq) == seq && record.entry.id == row.id);
        if !is_whole || record.is_none() {
            let number = row.seq;
            let message = if row.body.is_empty() {
                format!("record {number} cannot be read: it is not text, or too large")
            } else if is_whole {
                format!("record {number} is not what crosscheck writes")
            } else {
                format!("the text of record {number} does not have its hash")
            };
            self.problem(seq, LedgerReason::RecordEdited, message);
        } else if !is_in_place {
            let message = format!("record {} was recorded at another place", row.seq);
            self.problem(seq, LedgerReason::LinkBroken, message);
        }
        let head = self.head.as_deref().unwrap_or(FIRST);
        if row.seq == next && record.is_some_and(|record| record.previous != head) {
            let message = match before {
                0 => "the first record follows one that is not there".to_owned(),
                _ => format!("record {} does not follow record {before}", row.seq),
            };
            self.problem(seq, LedgerReason::LinkBroken, message);
        }
        if self.awaited.as_ref() == Some(&row.hash) && is_whole {
            self.awaited = None;
        }
        self.last = row.seq;
        self.head = Some(row.hash.clone());
        self.count += 1;
    }

    fn problem(&mut self, seq: Option<u64>, reason: LedgerReason, message: String) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem {
                seq,
                reason,
                message,
            });
        }
    }

    fn end(mut self, expected: &Expected) -> Walk {
        if let Some(head) = self.awaited.take() {
            let message = format!("no record has the hash {head}");
            self.problem(None, LedgerReason::HeadMissing, message);
        }
        if let Some(least) = expected.count.filter(|least| self.count < *least) {
            let message = format!("{} records are there, {least} were expected", self.count);
            self.problem(None, LedgerReason::TooShort, message);
        }
        Walk {
            count: self.count,
            head: self.head,
            problems: self.problems,
            problem_count: self.problem_count,
        }
    }
}
