//! The session: how it is protected, and the read-only view it works in.
//!
//! Who may create objects in a schema of the search path could put operators
//! and functions there that fit better than the server's own, and they would
//! run with our rights and decide what is found. So the path is read once, to
//! find tables by it, and then narrowed to what belongs to the server.

use std::time::Duration;

use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, NoTls, SimpleQueryMessage, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::observe::catalog::{Identifier, TableRef};
use crate::observe::sql::Dialect;
use crate::observe::tls::Mode;

/// From here on, everything happens in one read-only view. Nothing is set
/// beyond it: behind a pooler, the next program gets this very session.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Functions and operators are never looked for in `pg_temp`, only tables.
const NARROW: &str = "SELECT pg_catalog.unnest(pg_catalog.current_schemas(true)); SET LOCAL search_path = pg_catalog, pg_temp";

const SETTINGS: &str =
    "SET LOCAL TIME ZONE 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL extra_float_digits = 1";

/// The schemas in which a name without one is looked for, in this order.
#[derive(Debug, Default)]
pub(super) struct SearchPath(Vec<String>);

impl SearchPath {
    /// The places where a table may be, quoted. Where the path could not be
    /// narrowed, the server still looks along its own.
    pub(super) fn candidates(&self, table: &TableRef) -> Vec<String> {
        let is_placed = table.schema.is_some();
        let table = Dialect::Postgres.table(table);
        if is_placed || self.0.is_empty() {
            return vec![table];
        }
        let quoted = |schema: &String| Identifier::from_catalog(schema.as_str()).double_quoted();
        let schemas = self.0.iter();
        schemas
            .map(|schema| format!("{}.{table}", quoted(schema)))
            .collect()
    }

    /// The schemas in which people keep tables.
    pub(super) fn of_users(&self) -> Vec<String> {
        let is_own = |schema: &&String| schema.starts_with("pg_");
        self.0
            .iter()
            .filter(|schema| !is_own(schema))
            .cloned()
            .collect()
    }
}

/// What the driver itself understood of the protection that is wanted.
pub(super) fn mode_of(config: &Config) -> Mode {
    match config.get_ssl_mode() {
        SslMode::Disable => Mode::Disable,
        SslMode::Prefer => Mode::Prefer,
        _ => Mode::Require,
    }
}

/// Connects with the protection the URL asks for; only `prefer` may end in
/// the clear.
pub(super) async fn open(
    mut config: Config,
    mode: Mode,
    connector: Option<MakeRustlsConnect>,
) -> Result<Client, Error> {
    if let Some(connector) = connector {
        config.ssl_mode(match mode {
            Mode::Disable | Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        });
        match connect(&config, connector).await {
            Err(error) if mode == Mode::Prefer && is_about_tls(&error) => {}
            answer => return answer,
        }
    }
    config.ssl_mode(SslMode::Disable);
    connect(&config, NoTls).await
}

async fn connect<T>(config: &Config, tls: T) -> Result<Client, Error>
where
    T: MakeTlsConnect<Socket>,
    T::TlsConnect: Send,
    T::Stream: Send + 'static,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, connection) = config.connect(tls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Whether the handshake failed, or the server wants this user in the clear.
fn is_about_tls(error: &Error) -> bool {
    error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
        || error
            .to_string()
            .starts_with("error performing TLS handshake")
}

/// Begins the view. A server that only speaks the protocol may not know how to narrow its path,
/// and then knows no operators of its users either.
pub(super) async fn begin(client: &Client, statement: Duration) -> Result<SearchPath, Error> {
    let settings = format!(
        "{SETTINGS}; SET LOCAL statement_timeout = {}",
        statement.as_millis()
    );
    client.batch_execute(BEGIN).await?;
    // the time of a statement is set first: narrowing must not fail for it
    match client.simple_query(&format!("{settings}; {NARROW}")).await {
        Ok(answer) => schemas(&answer).map(SearchPath),
        Err(error) if is_not_known(&error) && !client.is_closed() => {
            client.batch_execute("ROLLBACK").await?;
            client.batch_execute(BEGIN).await?;
            client.batch_execute(&settings).await?;
            Ok(SearchPath::default())
        }
        Err(error) => Err(error),
    }
}

/// Whether the server does not know what it was asked, or not for this role.
fn is_not_known(error: &Error) -> bool {
    let code = error.code().map(SqlState::code);
    code.is_some_and(|code| code.starts_with("42") || matches!(code, "0A000" | "22023"))
}

fn schemas(answer: &[SimpleQueryMessage]) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for message in answer {
        if let SimpleQueryMessage::Row(row) = message {
            names.extend(row.try_get(0)?.map(str::to_owned));
        }
    }
    Ok(names)
}
