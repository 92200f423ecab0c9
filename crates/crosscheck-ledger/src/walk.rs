//! Reads a ledger, record by record, and verifies its chain.

use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::digest::Digest;
use rusqlite::{Connection, OpenFlags, Row};

use crate::record::{FIRST, Record};
use crate::store::{check, harden, pages};
use crate::{LedgerError, LedgerReason, Place};

/// Breaks that are listed; all are counted.
pub const PROBLEMS_MAX: usize = 100;

/// A ledger that is only read.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    file: PathBuf,
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

impl Reader {
    /// Opens a ledger without changing it.
    pub fn open(place: &Place) -> Result<Self, LedgerError> {
        let file = place.resolved(false)?;
        let fail = LedgerError::of(&file, false);
        match file.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
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
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = |name: &std::path::Path, flags| {
            let connection = Connection::open_with_flags(name, flags)?;
            connection.busy_timeout(Duration::from_secs(10))?;
            harden(&connection)?;
            pages(&connection).map(|pages| (connection, pages))
        };
        let opened = open(&file, flags).or_else(|error| {
            // Reading beside a writer needs a file of its own; in a folder that
            // cannot be written there is no writer.
            let mut wal = file.clone().into_os_string();
            wal.push("-wal");
            let is_refused = matches!(
                error.sqlite_error_code(),
                Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
            );
            let name = file.to_str().filter(|_| is_refused);
            match name.filter(|_| !PathBuf::from(wal).exists()) {
                Some(name) => open(
                    std::path::Path::new(&immutable(name)),
                    flags | OpenFlags::SQLITE_OPEN_URI,
                ),
                None => Err(error),
            }
        });
        let (connection, pages) = opened.map_err(fail)?;
        if pages == 0 {
            return Err(LedgerError::NotALedger {
                path: file,
                why: "it is empty".to_owned(),
            });
        }
        check(&connection, &file)?;
        Ok(Self { connection, file })
    }

    /// Walks the whole chain, one record at a time.
    pub fn verify(&self, expected: &Expected) -> Result<Walk, LedgerError> {
        let mut chain = Chain::new(expected);
        let all = "SELECT seq, id, hash, body FROM records ORDER BY seq";
        self.each(all, [], &mut |row| {
            chain.take(&row);
            Ok(())
        })?;
        Ok(chain.end(expected))
    }

    /// Hands over records with their hashes, the oldest first.
    pub fn records(
        &self,
        wanted: Wanted<'_>,
        take: &mut dyn FnMut(Record, String) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let chosen = "SELECT * FROM (SELECT seq, id, hash, body FROM records \
             WHERE ?2 IS NULL OR (json_valid(body) AND json_extract(body, '$.entry.command') = ?2) \
             ORDER BY seq DESC LIMIT ?1) ORDER BY seq";
        let last = i64::try_from(wanted.last).unwrap_or(i64::MAX);
        self.each(chosen, (last, wanted.command), &mut |row| {
            let record = Record::parse(&row.body).ok_or_else(|| LedgerError::Damaged {
                path: self.file.clone(),
                why: format!("record {} cannot be read", row.seq),
            })?;
            take(record, row.hash)
        })
    }

    fn each(
        &self,
        query: &str,
        values: impl rusqlite::Params,
        take: &mut dyn FnMut(Stored) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let fail = LedgerError::of(&self.file, false);
        let mut statement = self.connection.prepare(query).map_err(fail)?;
        let mut rows = statement.query(values).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            take(Stored::of(row).map_err(fail)?)?;
        }
        Ok(())
    }
}

/// The name of a file that nobody writes, as SQLite takes it.
fn immutable(name: &str) -> String {
    let mut uri = String::from("file:");
    for c in name.chars() {
        match c {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            other => uri.push(other),
        }
    }
    uri + "?immutable=1"
}

/// One row as it is stored.
struct Stored {
    seq: i64,
    id: String,
    hash: String,
    body: String,
}

impl Stored {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get(0)?,
            id: row.get(1)?,
            hash: row.get(2)?,
            body: row.get(3)?,
        })
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
        let is_whole = Digest::of(&row.body).hex() == row.hash;
        let is_in_place = record
            .as_ref()
            .is_some_and(|record| Some(record.seq) == seq && record.entry.id == row.id);
        if !is_whole || record.is_none() {
            let message = format!("the text of record {} does not have its hash", row.seq);
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
