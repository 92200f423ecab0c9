//! A ledger in PostgreSQL, for a team: the same records in the same chain.
//!
//! Every name is written with its schema and the search path is narrowed, so
//! that nothing which another user defined is run with our rights.

use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::advice::with_causes;
use crosscheck_core::redact::SecretUrl;
use futures_util::StreamExt as _;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row};

use crate::place::Remote;
use crate::store::{Append, Care};
use crate::walk::{COLUMNS, Rows, Stored, Taker};
use crate::{LedgerError, Place};

/// Opens a connection, with the protection that the URL asks for.
pub type Connect = fn(&SecretUrl, Duration) -> Result<(Runtime, Client), String>;

/// Until a connection is open.
const CONNECT: Duration = Duration::from_secs(10);
/// A server that says nothing for so long is given up.
const SILENCE: Duration = Duration::from_mins(1);

/// What the comment of the table says, before the number of the format.
const OWNER: &str = "crosscheck.ledger/";
const FORMAT: i64 = 1;
pub(crate) const TABLE: &str = "crosscheck_ledger.records";

/// Writers wait for each other here. The number is ours: "cclg".
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(1667460199)";
const NARROW: &str = "SET LOCAL search_path = pg_catalog, pg_temp";

const CREATE: &str = include_str!("create.sql");

/// What the table is made of, one line for each part, whatever the version of
/// the server. Constraints that say the same as a column are left out.
const PARTS: &str = include_str!("parts.sql");

/// What they are in a table of ours. The trigger is before each statement that updates, deletes or
/// truncates, and enabled.
const OWN_PARTS: &str = include_str!("parts.txt");

/// A connection to the server of a ledger.
#[derive(Debug)]
pub(crate) struct Server {
    runtime: Runtime,
    client: Client,
    url: SecretUrl,
    shown: PathBuf,
    writes: bool,
}

impl Server {
    fn connect(place: &Place, remote: &Remote, writes: bool) -> Result<Self, LedgerError> {
        let shown = place.file().to_owned();
        let opened = (remote.connect)(&remote.url, CONNECT);
        let (runtime, client) =
            opened.map_err(|why| LedgerError::server(&shown, writes, None, why))?;
        Ok(Self {
            runtime,
            client,
            url: remote.url.clone(),
            shown,
            writes,
        })
    }

    /// All that is read is of one moment.
    pub(crate) fn reader(place: &Place, remote: &Remote) -> Result<Self, LedgerError> {
        let server = Self::connect(place, remote, false)?;
        let begin =
            format!("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; {NARROW}");
        server.execute(&begin)?;
        if server.is_there()? {
            Ok(server)
        } else {
            Err(LedgerError::missing(&server.shown))
        }
    }

    /// The ledger begins when the first run is recorded.
    pub(crate) fn writer(place: &Place, remote: &Remote, care: Care) -> Result<Self, LedgerError> {
        let server = Self::connect(place, remote, true)?;
        server.begin(care)?;
        if !server.is_there()? {
            server.execute(LOCK)?;
            // another may have been faster
            if !server.is_there()? {
                server.execute(CREATE)?;
            }
        }
        if let Some(why) = server.changes()?.pop() {
            return Err(LedgerError::changed(&server.shown, &why));
        }
        server.execute("COMMIT")?;
        Ok(server)
    }

    /// Begins a transaction, after one that failed, too. A lock is waited for as long as this care says.
    pub(crate) fn begin(&self, care: Care) -> Result<(), LedgerError> {
        let durable = if care.durable { "on" } else { "off" };
        let begin = format!(
            "ROLLBACK; BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE; {NARROW}; \
             SET LOCAL lock_timeout = {}; SET LOCAL synchronous_commit = {durable}",
            care.wait.as_millis().max(1)
        );
        self.execute(&begin)
    }

    pub(crate) fn execute(&self, statement: &str) -> Result<(), LedgerError> {
        self.run(self.client.batch_execute(statement))
    }

    /// Whether the table is there, and of a known format.
    fn is_there(&self) -> Result<bool, LedgerError> {
        let comment = "SELECT coalesce(obj_description(c.oid, 'pg_class'), '') FROM pg_class c \
             JOIN pg_namespace n ON n.oid = relnamespace \
             WHERE nspname = 'crosscheck_ledger' AND relname = 'records'";
        let Some(row) = self.run(self.client.query_opt(comment, &[]))? else {
            return Ok(false);
        };
        let comment: String = row.try_get(0).map_err(|error| self.failed(&error))?;
        let format = comment.strip_prefix(OWNER);
        match format.and_then(|format| format.parse::<i64>().ok()) {
            Some(FORMAT) => Ok(true),
            Some(found) => Err(LedgerError::newer(&self.shown, found, FORMAT)),
            None => Err(LedgerError::not_a_ledger(
                &self.shown,
                format_args!("the table `{TABLE}` is of another program"),
            )),
        }
    }

    fn run<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, LedgerError> {
        let answer = self
            .runtime
            .block_on(async { timeout(SILENCE, work).await });
        let silent = || "the server did not answer in time".to_owned();
        let answer =
            answer.map_err(|_| LedgerError::server(&self.shown, self.writes, None, silent()))?;
        answer.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &Error) -> LedgerError {
        let why = self.url.scrub(&with_causes(error));
        LedgerError::server(&self.shown, self.writes, error.code(), why)
    }
}

impl Rows for Server {
    fn words(&self) -> (&'static str, &'static str) {
        (TABLE, "strpos")
    }

    fn changes(&self) -> Result<Vec<String>, LedgerError> {
        let rows = self.run(self.client.query(PARTS, &[]))?;
        let parts = rows.iter().map(|row| row.try_get(0));
        let found: Vec<String> = parts
            .collect::<Result<_, _>>()
            .map_err(|error| self.failed(&error))?;
        let own: Vec<&str> = OWN_PARTS.lines().collect();
        let is_there = |part: &str| found.iter().any(|one| one == part);
        let lacking = own.iter().filter(|part| !is_there(part));
        let lacking = lacking.map(|part| format!("`{part}` is missing"));
        let added = found.iter().filter(|part| !own.contains(&part.as_str()));
        let added = added.map(|part| format!("`{part}` was added"));
        Ok(lacking.chain(added).collect())
    }

    fn count(&self, query: &str, command: Option<&str>) -> Result<i64, LedgerError> {
        let values = command.iter().map(|one| one as &(dyn ToSql + Sync));
        let values: Vec<_> = values.collect();
        let row = self.run(self.client.query_one(query, &values))?;
        row.try_get(0).map_err(|error| self.failed(&error))
    }

    fn each(
        &self,
        query: &str,
        command: Option<&str>,
        last: Option<i64>,
        take: Taker<'_>,
    ) -> Result<(), LedgerError> {
        let values = command.iter().map(|one| one as &(dyn ToSql + Sync));
        let values = values.chain(last.iter().map(|one| one as &(dyn ToSql + Sync)));
        let values: Vec<_> = values.collect();
        let rows = self.run(self.client.query_raw(query, values))?;
        let mut rows = std::pin::pin!(rows);
        while let Some(row) = self.run(async { rows.next().await.transpose() })? {
            take(stored(&row).map_err(|error| self.failed(&error))?)?;
        }
        Ok(())
    }
}

impl Append for Server {
    fn last(&mut self) -> Result<Option<Stored>, LedgerError> {
        let last = format!("SELECT {COLUMNS} FROM {TABLE} ORDER BY seq DESC LIMIT 1");
        let row = self.run(self.client.query_opt(&last, &[]))?;
        let row = row.as_ref().map(stored).transpose();
        row.map_err(|error| self.failed(&error))
    }

    fn put(&mut self, row: &Stored) -> Result<bool, LedgerError> {
        let insert = "INSERT INTO crosscheck_ledger.records (seq, id, hash, body) \
             VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING";
        let Stored {
            seq,
            id,
            hash,
            body,
        } = row;
        let put = async { self.client.execute(insert, &[seq, id, hash, body]).await };
        Ok(self.run(put)? > 0)
    }
}

fn stored(row: &Row) -> Result<Stored, Error> {
    let text = |at| Ok::<_, Error>(row.try_get::<_, Option<String>>(at)?.unwrap_or_default());
    Ok(Stored {
        seq: row.try_get(0)?,
        id: text(1)?,
        hash: text(2)?,
        body: text(3)?,
    })
}
