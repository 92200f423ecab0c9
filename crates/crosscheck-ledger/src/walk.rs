//! Reads a ledger, record by record, and verifies its chain.

use std::fmt::Debug;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crosscheck_core::digest::Digest;
use rusqlite::{Connection, OpenFlags, Row, ToSql};

use crate::record::{BYTES_MAX, FIRST, Record};
use crate::server::Server;
use crate::store::{changes, check, harden, is_blank};
use crate::{LedgerError, LedgerReason, Place};

/// Breaks that are listed; all are counted.
pub const PROBLEMS_MAX: usize = 100;

/// A ledger that is only read.
#[derive(Debug)]
pub struct Reader {
    /// `None` for a file in which no ledger has begun.
    rows: Option<Box<dyn Rows>>,
    file: PathBuf,
}

/// The records of one moment, in a file or on a server.
pub(crate) trait Rows: Debug {
    /// The table, and the function that says where a text is in another.
    fn words(&self) -> (&'static str, &'static str);
    /// What the table has or lacks.
    fn changes(&self) -> Result<Vec<String>, LedgerError>;
    /// The one number that a query about a command gives.
    fn count(&self, query: &str, command: Option<&str>) -> Result<i64, LedgerError>;
    /// Hands over rows as they come.
    fn each(
        &self,
        query: &str,
        command: Option<&str>,
        last: Option<i64>,
        take: Taker<'_>,
    ) -> Result<(), LedgerError>;
}

/// Who is handed one row after the other.
pub(crate) type Taker<'t> = &'t mut dyn FnMut(Stored) -> Result<(), LedgerError>;

#[derive(Debug)]
struct FileRows {
    connection: Connection,
    file: PathBuf,
    /// What the file looked like, where no lock guards what is read.
    unguarded: Option<Still>,
}

impl Rows for FileRows {
    fn words(&self) -> (&'static str, &'static str) {
        ("records", "instr")
    }

    fn changes(&self) -> Result<Vec<String>, LedgerError> {
        changes(&self.connection).map_err(LedgerError::of(&self.file, false))
    }

    fn count(&self, query: &str, command: Option<&str>) -> Result<i64, LedgerError> {
        let values = rusqlite::params_from_iter(command);
        let count = self.connection.query_row(query, values, |row| row.get(0));
        count.map_err(LedgerError::of(&self.file, false))
    }

    fn each(
        &self,
        query: &str,
        command: Option<&str>,
        last: Option<i64>,
        take: Taker<'_>,
    ) -> Result<(), LedgerError> {
        let values = command.iter().map(|one| one as &dyn ToSql);
        let values = values.chain(last.iter().map(|one| one as &dyn ToSql));
        let fail = LedgerError::of(&self.file, false);
        let mut statement = self.connection.prepare(query).map_err(fail)?;
        let rows = statement.query(rusqlite::params_from_iter(values));
        let mut rows = rows.map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            take(Stored::of(row).map_err(fail)?)?;
        }
        match self.unguarded {
            Some(before) if still(&self.file) != before => {
                let why = "it was written while it was read; run again";
                Err(LedgerError::io(&self.file, false)(io::Error::other(why)))
            }
            _ => Ok(()),
        }
    }
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
                rows: Some(Box::new(Server::reader(place, remote)?)),
                file: place.file().to_owned(),
            });
        }
        let file = place.resolved(false)?;
        match file.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(LedgerError::missing(place.file()));
            }
            Err(error) => return Err(LedgerError::io(&file, false)(error)),
            Ok(meta) if !meta.is_file() => {
                return Err(LedgerError::not_a_ledger(&file, "it is not a regular file"));
            }
            Ok(_) => {}
        }
        let (connection, unguarded) = connect(&file).map_err(LedgerError::of(&file, false))?;
        if is_blank(&connection, &file)? {
            return Ok(Self { rows: None, file });
        }
        check(&connection, &file)?;
        let rows = FileRows {
            connection,
            file: file.clone(),
            unguarded,
        };
        Ok(Self {
            rows: Some(Box::new(rows)),
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
        let Some(rows) = &self.rows else {
            return Ok(chain.end(expected));
        };
        for change in rows.changes()? {
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
        let walk = self.verify(&Expected::default())?;
        walk.problems.first().map_or(Ok(()), |first| {
            let (file, why) = (self.file.display(), &first.message);
            Err(LedgerError::new(
                LedgerReason::Broken,
                format!("the chain of the ledger `{file}` is broken: {why}"),
            ))
        })
    }

    /// How many records there are.
    pub fn count(&self, command: Option<&str>) -> Result<u64, LedgerError> {
        let Some(rows) = &self.rows else {
            return Ok(0);
        };
        let command = command.map(as_written);
        // without a condition SQLite counts the small index of the ids
        let only = command
            .as_ref()
            .map_or_else(String::new, |_| of_command(&**rows));
        let query = format!("SELECT count(*) FROM {}{only}", rows.words().0);
        let count = rows.count(&query, command.as_deref())?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Hands over records with their hashes, the oldest first.
    pub fn records(
        &self,
        wanted: Wanted<'_>,
        take: &mut dyn FnMut(Found) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        self.each(wanted.command, Some(wanted.last), &mut |row| {
            take(Found {
                seq: row.seq,
                record: Record::parse(&row.body),
                hash: row.hash,
            })
        })
    }

    /// Rows in their order: all, or the last ones of a command or of all.
    fn each(
        &self,
        command: Option<&str>,
        last: Option<u64>,
        take: Taker<'_>,
    ) -> Result<(), LedgerError> {
        let Some(rows) = &self.rows else {
            return Ok(());
        };
        let (table, _) = rows.words();
        let command = command.map(as_written);
        let last = last.map(|last| i64::try_from(last).unwrap_or(i64::MAX));
        let (only, number, joined) = match &command {
            Some(_) => (of_command(&**rows), "$2", "AND"),
            None => (String::new(), "$1", "WHERE"),
        };
        // only numbers are sorted, so that one record at a time is in memory
        let end = last.map_or_else(String::new, |_| {
            format!(
                " {joined} seq >= (SELECT min(seq) FROM (SELECT seq FROM {table}{only} ORDER BY seq DESC LIMIT {number}) AS last)"
            )
        });
        let query = format!("SELECT {COLUMNS} FROM {table}{only}{end} ORDER BY seq");
        rows.each(&query, command.as_deref(), last, take)
    }
}

/// The condition that a row is of the command `$1`, as it is written in a record.
fn of_command(rows: &dyn Rows) -> String {
    let (_, place) = rows.words();
    format!(" WHERE octet_length(body) <= 8388608 AND {place}(body, $1) > 0")
}

/// The name of a command as it is written in a record, where nothing else has
/// this form: in texts quotes are escaped, and a note is a text.
fn as_written(command: &str) -> String {
    let name = serde_json::Value::from(command);
    format!(",\"command\":{name},\"counts\":{{")
}

/// What a file looks like while no one writes to it: its length, its time, and no log beside it.
type Still = (u64, Option<SystemTime>, bool);

fn still(file: &Path) -> Still {
    let meta = file.metadata().ok();
    let mut log = file.to_owned().into_os_string();
    log.push("-wal");
    (
        meta.as_ref().map_or(0, Metadata::len),
        meta.and_then(|meta| meta.modified().ok()),
        Path::new(&log).metadata().is_ok_and(|log| log.len() > 0),
    )
}

/// Opens a file for reading. Who reads takes part as a writer does, so that SQLite removes its
/// helper files again. Who may not write it reads it without locks while nobody writes to it:
/// what it looked like then is noted.
fn connect(file: &Path) -> rusqlite::Result<(Connection, Option<Still>)> {
    let shared = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let before = still(file);
    let is_refused = shared.as_ref().is_err_and(|error| {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
        matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly))
    });
    let Some(name) = file.to_str().filter(|_| is_refused && !before.2) else {
        return Ok((shared?, None));
    };
    let name = name.replace('%', "%25").replace('?', "%3f");
    let name = format!("file:{}?immutable=1", name.replace('#', "%23"));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Ok((open(Path::new(&name), flags)?, Some(before)))
}

fn open(file: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    harden(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema;")?;
    Ok(connection)
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
