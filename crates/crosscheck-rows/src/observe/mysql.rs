//! MySQL and MariaDB: one read-only transaction over a consistent snapshot.
//!
//! These servers compare values of different types by converting both, often
//! to doubles: the text `c_1` equals the number 0, and large integers equal
//! their neighbours. So every identity value is converted here, by the type
//! of its column, before it goes out.
//!
//! Contract: check 20.

mod batch;
mod keys;
mod survey;
mod value;

use std::time::Duration;

use crosscheck_core::redact::SecretUrl;
use mysql_async::prelude::{FromRow, Queryable as _};
use mysql_async::{Conn, DriverError, Error, IoError, Opts, OptsBuilder, Params, Value};
use tokio::runtime::{Builder, Runtime};

use super::tls::{Mode, Tls, TlsError};
use super::{ANSWER_MAX, Limits, SILENT, SourceError, VALUE_MAX, for_driver, misread, within};

/// A row beyond this is refused by the driver; the statements ask for no
/// longer values than [`VALUE_MAX`].
const PACKET_MAX_BYTES: usize = VALUE_MAX + 1024 * 1024;

/// How long a server keeps an idle connection by default.
const IDLE_SECONDS: usize = 28_800;

/// `ER_UNKNOWN_SYSTEM_VARIABLE`
const UNKNOWN_VARIABLE: u16 = 1193;

/// TLS settings of the driver that would contradict ours.
const FOREIGN_PARAMETERS: [&str; 4] = [
    "require_ssl",
    "verify_ca",
    "verify_identity",
    "built_in_roots",
];

/// What a session needs before its view begins. [`AS_BEFORE`] takes it back,
/// because a pooler may give this very session to the next program.
const PREPARE: [&str; 4] = [
    "SET NAMES utf8mb4",
    "SET SESSION time_zone = '+00:00'",
    "SET SESSION sql_mode = ''",
    "SET SESSION sql_select_limit = 18446744073709551615",
];

/// Ends the view, and every setting is again what a new session has.
const AS_BEFORE: [&str; 3] = [
    "ROLLBACK",
    "SET SESSION time_zone = DEFAULT, sql_mode = DEFAULT, sql_select_limit = DEFAULT, lock_wait_timeout = DEFAULT",
    "SET NAMES DEFAULT",
];

/// One of these is unknown, depending on the server.
const TIME_AS_BEFORE: [&str; 2] = [
    "SET SESSION max_statement_time = DEFAULT",
    "SET SESSION max_execution_time = DEFAULT",
];

/// Holds for the next transaction alone.
const ISOLATION: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";

const BEGIN: &str = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";

/// A database of a MySQL or MariaDB server.
pub struct MysqlSource {
    runtime: Runtime,
    /// `None` once the server went away or fell silent.
    connection: Option<Conn>,
    url: SecretUrl,
    limits: Limits,
    batches: batch::Batches,
}

impl MysqlSource {
    /// Connects and begins the read-only view of the database the URL names.
    pub fn connect(url: SecretUrl) -> Result<Self, SourceError> {
        Self::connect_within(url, Limits::default())
    }

    /// The same with limits of one's own.
    pub fn connect_within(url: SecretUrl, limits: Limits) -> Result<Self, SourceError> {
        let fail = |message: String| SourceError::open(&url, &message);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fail(error.to_string()))?;
        let connecting = async {
            let mut connection = open(&url).await?;
            let begun = begin(&mut connection, limits.statement).await;
            begun.map_err(|error| error.to_string())?;
            Ok::<Conn, String>(connection)
        };
        let connection = within(&runtime, limits.connect, connecting)
            .map_err(|why| fail(why.unwrap_or_else(|| SILENT.to_owned())))?;
        Ok(Self {
            runtime,
            connection: Some(connection),
            url,
            limits,
            batches: batch::Batches::default(),
        })
    }
}

/// The rows of an answer; nothing when they are more than is held. All of
/// them are read, so that the connection can be used again.
async fn taken(
    connection: &mut Conn,
    sql: &str,
    values: Params,
) -> Result<Option<Vec<mysql_async::Row>>, Error> {
    let mut answer = connection.exec_iter(sql, values).await?;
    let (mut rows, mut len) = (Vec::new(), 0);
    while let Some(row) = answer.next().await? {
        len += size_of(&row);
        if len <= ANSWER_MAX {
            rows.push(row);
        }
    }
    answer.drop_result().await?;
    Ok((len <= ANSWER_MAX).then_some(rows))
}

fn size_of(row: &mysql_async::Row) -> usize {
    let size = |at: usize| match row.as_ref(at) {
        Some(Value::Bytes(bytes)) => bytes.len(),
        _ => 0,
    };
    (0..row.len()).map(size).sum()
}

/// The rows of an answer as values of these types. Those that are none, as a
/// damaged answer has them, are an error.
async fn typed<T: FromRow>(
    connection: &mut Conn,
    sql: &str,
    values: impl Into<Params> + Send,
) -> Result<Vec<T>, Error> {
    let rows: Vec<mysql_async::Row> = connection.exec(sql, values.into()).await?;
    let typed = |row| mysql_async::from_row_opt(row).map_err(|_| unexpected());
    rows.into_iter().map(typed).collect()
}

fn unexpected() -> Error {
    Error::Other("the server's answer has another form than was asked for".into())
}

/// A log names bytes in some spelling (hex, UUID, Base64); that they were not
/// found as written does not mean that they are not there.
const OVER_BYTES: &str = "a key column holds bytes, and the log may spell them differently";

#[cfg(test)]
impl MysqlSource {
    /// Sends anything through our own session.
    pub(super) fn send(&mut self, sql: &str) -> Result<(), String> {
        let connection = self.connection.as_mut().ok_or("no connection")?;
        let sent = self.runtime.block_on(connection.query_drop(sql));
        sent.map_err(|error| error.to_string())
    }

    /// The last value of an answer through our own session.
    pub(super) fn ask(&mut self, sql: &str) -> Option<String> {
        let connection = self.connection.as_mut()?;
        let asked = connection.query_first::<mysql_async::Row, _>(sql);
        let mut row = self.runtime.block_on(asked).ok()??;
        row.take(row.len() - 1)
    }
}

/// Connects with the protection the URL asks for.
async fn open(url: &SecretUrl) -> Result<Conn, String> {
    let whole = for_driver(url.expose(), &["mysql", "mysql2", "mariadb"], "mysql");
    let (tls, rest) = Tls::split(&whole).map_err(|error| message_of(&error))?;
    refuse_foreign_parameters(&rest).map_err(|error| message_of(&error))?;
    let options = Opts::from_url(&rest).map_err(|error| misread(&error.to_string()))?;
    if options.db_name().is_none_or(str::is_empty) {
        return Err("the URL names no database; write mysql://user@host/database".to_owned());
    }
    let host = options.ip_or_hostname().to_owned();
    let builder = OptsBuilder::from_opts(options)
        // what was connected to is what was asked for, not a socket the server names
        .prefer_socket(false)
        .stmt_cache_size(0)
        // the driver would ask for it and panic over a damaged answer; no connection is kept that long
        .wait_timeout(Some(IDLE_SECONDS))
        .max_allowed_packet(Some(PACKET_MAX_BYTES));
    let mode = tls.mode(Mode::Prefer).map_err(|error| message_of(&error))?;
    let secured = tls.mysql(mode, &host).map_err(|error| message_of(&error))?;
    match Conn::new(builder.clone().ssl_opts(secured)).await {
        Err(error) if mode == Mode::Prefer && is_about_tls(&error) => {
            Conn::new(builder.ssl_opts(None)).await
        }
        answer => answer,
    }
    .map_err(|error| error.to_string())
}

fn message_of(error: &TlsError) -> String {
    crosscheck_core::advice::with_causes(error)
}

fn refuse_foreign_parameters(url: &str) -> Result<(), TlsError> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let foreign = query
        .split('&')
        .filter_map(|pair| pair.split('=').next())
        .find(|name| FOREIGN_PARAMETERS.contains(name));
    match foreign {
        Some(name) => Err(TlsError::ForeignParameter(name.to_owned())),
        None => Ok(()),
    }
}

/// Whether the server has no TLS, or none that we can speak.
fn is_about_tls(error: &Error) -> bool {
    match error {
        Error::Driver(DriverError::NoClientSslFlagFromServer) | Error::Io(IoError::Tls(_)) => true,
        Error::Io(IoError::Io(error)) => match error.get_ref() {
            Some(inner) => inner.is::<rustls::Error>(),
            None => false,
        },
        _ => false,
    }
}

/// From here on, everything happens in one read-only view.
async fn begin(connection: &mut Conn, statement: Duration) -> Result<(), Error> {
    for sql in PREPARE {
        connection.query_drop(sql).await?;
    }
    limit_statements(connection, statement).await?;
    connection.query_drop(ISOLATION).await?;
    connection.query_drop(BEGIN).await
}

/// Leaves the session as it was found.
async fn end(mut connection: Conn) -> Result<(), Error> {
    for sql in AS_BEFORE {
        connection.query_drop(sql).await?;
    }
    for sql in TIME_AS_BEFORE {
        let _: Result<(), Error> = connection.query_drop(sql).await;
    }
    connection.disconnect().await
}

async fn limit_statements(connection: &mut Conn, statement: Duration) -> Result<(), Error> {
    let version: Vec<(String,)> = typed(connection, "SELECT VERSION()", ()).await?;
    let is_mariadb = version
        .first()
        .is_some_and(|(text,)| text.to_lowercase().contains("mariadb"));
    let limit = if is_mariadb {
        format!(
            "SET SESSION max_statement_time = {}",
            statement.as_secs_f64()
        )
    } else {
        format!("SET SESSION max_execution_time = {}", statement.as_millis())
    };
    match connection.query_drop(limit).await {
        // an older server: our own patience still ends
        Err(Error::Server(error)) if error.code == UNKNOWN_VARIABLE => {}
        answer => answer?,
    }
    let seconds = statement.as_secs().max(1);
    connection
        .query_drop(format!("SET SESSION lock_wait_timeout = {seconds}"))
        .await
}
