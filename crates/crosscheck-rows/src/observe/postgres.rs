//! PostgreSQL: one read-only, repeatable-read transaction for the whole run.
//!
//! Values go out as untyped text, so that the server converts them to the
//! type of the column. They come back as the server's own text for their type
//! and are read by the column's kind.

mod batch;
mod exact;
mod pool;
mod survey;

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bytes::BytesMut;
use crosscheck_core::advice::with_causes;
use crosscheck_core::redact::SecretUrl;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use pool::PostgresPool;

use super::catalog::{Catalog, ColumnKind, Identifier, TableRef};
use super::sql::Dialect;
use super::tls::{Mode, Tls};
use super::{
    Cell, Limits, RelatedSeen, Row, RowSource, RowsSeen, SourceError, json_cell, moment,
    with_scheme,
};
use crate::plan::{Identity, RelatedRequest, RowRequest};

/// From the last of these on, everything happens in one read-only view. They
/// go out one after the other: statements sent together would share one
/// transaction, and its isolation would be fixed before it is named.
const BEGIN: [&str; 3] = [
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "SELECT 1",
    "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
];

const SETTINGS: &str =
    "SET LOCAL TIME ZONE 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL extra_float_digits = 1";

const SILENT: &str = "the server did not answer in time";

/// A PostgreSQL database.
pub struct PostgresSource {
    runtime: Runtime,
    client: Client,
    url: SecretUrl,
    limits: Limits,
    /// Set when the server did not answer at all; it is not asked again.
    is_silent: bool,
    schemas: Vec<String>,
    kinds: HashMap<(String, String), Vec<(Identifier, ColumnKind)>>,
    batches: batch::Batches,
}

impl PostgresSource {
    /// Connects and begins the read-only view. Without schemas only ordinary
    /// tables of `public` count; with them, also partitioned tables and views
    /// of those schemas.
    pub fn connect(url: SecretUrl, schemas: Vec<String>) -> Result<Self, SourceError> {
        Self::connect_within(url, schemas, Limits::default())
    }

    /// The same with limits of one's own.
    pub fn connect_within(
        url: SecretUrl,
        schemas: Vec<String>,
        limits: Limits,
    ) -> Result<Self, SourceError> {
        Self::open(url, schemas, limits, None)
    }

    /// A further connection, with the view that another one exported.
    fn connect_to_view(
        url: SecretUrl,
        limits: Limits,
        snapshot: &str,
    ) -> Result<Self, SourceError> {
        Self::open(url, Vec::new(), limits, Some(snapshot))
    }

    fn open(
        url: SecretUrl,
        schemas: Vec<String>,
        limits: Limits,
        snapshot: Option<&str>,
    ) -> Result<Self, SourceError> {
        let fail = |error: &dyn Error| SourceError::open(&url, &with_causes(error));
        let (tls, rest) = Tls::split(url.expose()).map_err(|error| fail(&error))?;
        let mut config: Config = with_scheme(&rest, &["postgres", "postgresql"], "postgres")
            .parse()
            .map_err(|error: tokio_postgres::Error| fail(&error))?;
        config.application_name("crosscheck");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(limits.connect);
        }
        let mode = tls.mode(mode_of(&config)).map_err(|error| fail(&error))?;
        let connector = match mode {
            Mode::Disable => None,
            _ => Some(tls.client_config(mode).map_err(|error| fail(&error))?),
        };
        let connector = connector.map(MakeRustlsConnect::new);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fail(&error))?;
        let connecting = async {
            let client = open(config, mode, connector).await?;
            begin(&client, limits.statement, snapshot).await?;
            Ok::<Client, tokio_postgres::Error>(client)
        };
        let client = runtime
            .block_on(async { timeout(limits.connect, connecting).await })
            .map_err(|error| fail(&error))?
            .map_err(|error| fail(&error))?;
        Ok(Self {
            runtime,
            client,
            url,
            limits,
            is_silent: false,
            schemas,
            kinds: HashMap::new(),
            batches: batch::Batches::default(),
        })
    }

    /// The name under which others may adopt this view; `None` where the
    /// server allows no such thing. The view begins anew then.
    fn exported_view(&mut self) -> Result<Option<String>, SourceError> {
        let limit = self.limits.silence;
        let export = async {
            let asked = self.client.query_one("SELECT pg_export_snapshot()", &[]);
            if let Ok(row) = asked.await {
                return row.try_get::<_, String>(0).map(Some);
            }
            self.client.batch_execute("ROLLBACK").await?;
            begin(&self.client, self.limits.statement, None).await?;
            Ok::<_, tokio_postgres::Error>(None)
        };
        match self
            .runtime
            .block_on(async { timeout(limit, export).await })
        {
            Ok(Ok(name)) => Ok(name.filter(|name| is_snapshot_name(name))),
            Ok(Err(error)) => Err(SourceError::open(&self.url, &with_causes(&error))),
            Err(_) => Err(SourceError::open(&self.url, SILENT)),
        }
    }

    /// Lets go of the own view and adopts another one.
    fn adopt(&mut self, snapshot: &str) -> bool {
        let limit = self.limits.silence;
        let again = async {
            self.client.batch_execute("ROLLBACK").await?;
            begin(&self.client, self.limits.statement, Some(snapshot)).await
        };
        let adopted = self.runtime.block_on(async { timeout(limit, again).await });
        self.batches = batch::Batches::default();
        matches!(adopted, Ok(Ok(())))
    }

    /// Runs one look-up inside a savepoint, so that a failure spoils nothing else.
    fn look(
        &mut self,
        sql: &str,
        identity: &[Identity],
    ) -> Result<Vec<tokio_postgres::Row>, String> {
        if self.is_silent {
            return Err(SILENT.to_owned());
        }
        let values: Vec<Untyped> = identity
            .iter()
            .map(|pair| Untyped(pair.value.to_str_lossy().into_owned()))
            .collect();
        let values: Vec<&(dyn ToSql + Sync)> = values
            .iter()
            .map(|value| value as &(dyn ToSql + Sync))
            .collect();
        let look = async {
            self.client.batch_execute("SAVEPOINT look").await?;
            let answer = self.client.query(sql, &values).await;
            let end = if answer.is_ok() {
                "RELEASE SAVEPOINT look"
            } else {
                "ROLLBACK TO SAVEPOINT look"
            };
            self.client.batch_execute(end).await?;
            answer
        };
        let limit = self.limits.silence;
        match self.runtime.block_on(async { timeout(limit, look).await }) {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => Err(self.url.scrub(&with_causes(&error))),
            Err(_) => {
                self.is_silent = true;
                Err(SILENT.to_owned())
            }
        }
    }

    fn kinds_of(&self, table: &TableRef) -> &[(Identifier, ColumnKind)] {
        let schema = table.schema.as_ref().map_or("public", Identifier::as_str);
        self.kinds
            .get(&(schema.to_owned(), table.name.as_str().to_owned()))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The columns that will be compared, each under the name it is compared
    /// by; of names that differ only in case the later column.
    fn wanted(&self, request: &RowRequest) -> Vec<(Identifier, ColumnKind)> {
        let columns = self.kinds_of(&request.table);
        request
            .fields
            .iter()
            .filter_map(|(field, _)| {
                let name = field.as_str().to_lowercase();
                columns
                    .iter()
                    .rev()
                    .find(|(column, _)| column.as_str().to_lowercase() == name)
                    .cloned()
            })
            .collect()
    }
}

#[cfg(test)]
impl PostgresSource {
    /// Sends anything through our own session.
    pub(super) fn send(&mut self, sql: &str) -> Result<(), String> {
        let sent = self.runtime.block_on(self.client.batch_execute(sql));
        sent.map_err(|error| with_causes(&error))
    }

    /// The first value of an answer through our own session.
    pub(super) fn first_value(&mut self, sql: &str) -> Option<String> {
        let rows = self.runtime.block_on(self.client.query(sql, &[])).ok()?;
        rows.first()?.try_get(0).ok()
    }
}

impl RowSource for PostgresSource {
    fn survey(&mut self) -> Result<Catalog, SourceError> {
        let limit = self.limits.silence;
        let survey = survey::catalog(&self.client, &self.schemas);
        let catalog = match self
            .runtime
            .block_on(async { timeout(limit, survey).await })
        {
            Ok(Ok(catalog)) => catalog,
            Ok(Err(error)) => {
                return Err(SourceError::Catalog {
                    database: self.url.shown(),
                    message: self.url.scrub(&with_causes(&error)),
                });
            }
            Err(error) => {
                return Err(SourceError::Catalog {
                    database: self.url.shown(),
                    message: error.to_string(),
                });
            }
        };
        for table in &catalog.tables {
            let schema = table
                .table
                .schema
                .as_ref()
                .map_or("public", Identifier::as_str);
            let columns = table
                .columns
                .iter()
                .map(|column| (column.name.clone(), column.kind))
                .collect();
            self.kinds.insert(
                (schema.to_owned(), table.table.name.as_str().to_owned()),
                columns,
            );
        }
        Ok(catalog)
    }

    fn row(&mut self, request: &RowRequest) -> RowsSeen {
        let wanted = self.wanted(request);
        let list: Vec<String> = wanted
            .iter()
            .map(|(column, kind)| as_text(&request.table, column, *kind))
            .collect();
        let list = if list.is_empty() {
            "1".to_owned()
        } else {
            list.join(", ")
        };
        let sql = Dialect::Postgres.select_row(
            &list,
            &request.table,
            request.identity.iter().map(|pair| &pair.column),
        );
        let rows = match self.look(&sql, &request.identity) {
            Ok(rows) => rows,
            Err(message) => return RowsSeen::Failed(message),
        };
        match rows.as_slice() {
            [] => RowsSeen::None,
            [row] => {
                let cells = wanted.iter().enumerate().map(|(at, (column, kind))| {
                    let text: Option<&str> =
                        row.try_get(at).map_err(|error| with_causes(&error))?;
                    Ok((
                        column.to_string(),
                        text.map_or(Cell::Null, |text| cell(text, *kind)),
                    ))
                });
                match cells.collect::<Result<Vec<_>, String>>() {
                    Ok(cells) => RowsSeen::One(Row::of(cells)),
                    Err(message) => RowsSeen::Failed(message),
                }
            }
            _ => RowsSeen::Many,
        }
    }

    fn related(&mut self, request: &RelatedRequest) -> RelatedSeen {
        let sql = Dialect::Postgres.select_exists(
            &request.child,
            request.match_eq.iter().map(|pair| &pair.column),
        );
        match self.look(&sql, &request.match_eq) {
            Ok(rows) => match rows
                .first()
                .and_then(|row| row.try_get::<_, Option<bool>>(0).ok().flatten())
            {
                Some(true) => RelatedSeen::Present,
                Some(false) => RelatedSeen::Absent,
                None => RelatedSeen::Unusable,
            },
            Err(message) => RelatedSeen::Failed(message),
        }
    }

    /// The view was one transaction; there is nothing to doubt.
    fn finish(&mut self) -> Result<(), SourceError> {
        let end = self.client.simple_query("ROLLBACK");
        let _: Result<Result<Vec<SimpleQueryMessage>, _>, _> = self
            .runtime
            .block_on(async { timeout(Duration::from_secs(5), end).await });
        Ok(())
    }
}

/// What the driver itself understood of the protection that is wanted.
fn mode_of(config: &Config) -> Mode {
    match config.get_ssl_mode() {
        SslMode::Disable => Mode::Disable,
        SslMode::Prefer => Mode::Prefer,
        _ => Mode::Require,
    }
}

/// Connects with the protection the URL asks for; only `prefer` may end in
/// the clear.
async fn open(
    mut config: Config,
    mode: Mode,
    connector: Option<MakeRustlsConnect>,
) -> Result<Client, tokio_postgres::Error> {
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

async fn connect<T>(config: &Config, tls: T) -> Result<Client, tokio_postgres::Error>
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
fn is_about_tls(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION)
        || error
            .to_string()
            .starts_with("error performing TLS handshake")
}

/// Begins the view; with the name of a snapshot, the one that was exported.
async fn begin(
    client: &Client,
    statement: Duration,
    snapshot: Option<&str>,
) -> Result<(), tokio_postgres::Error> {
    for sql in BEGIN {
        client.batch_execute(sql).await?;
    }
    if let Some(name) = snapshot {
        client
            .batch_execute(&format!("SET TRANSACTION SNAPSHOT '{name}'"))
            .await?;
    }
    let milliseconds = statement.as_millis();
    client
        .batch_execute(&format!(
            "{SETTINGS}; SET LOCAL statement_timeout = {milliseconds}"
        ))
        .await
}

/// A name is put into a statement, so it holds what such names hold.
fn is_snapshot_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    !name.is_empty() && name.bytes().all(plain)
}

/// A value whose type the server chooses: it travels as text.
#[derive(Debug)]
struct Untyped(String);

impl ToSql for Untyped {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    fn to_sql_checked(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(ty, out)
    }
}

/// A column as the server's own text. A cast would cut the blanks of a padded
/// one; values that are not scalars are not transferred.
fn as_text(table: &TableRef, column: &Identifier, kind: ColumnKind) -> String {
    let name = Dialect::Postgres.column(table, column);
    match kind {
        ColumnKind::Padded => name,
        ColumnKind::Unreadable => format!("CASE WHEN {name} IS NOT NULL THEN '' END"),
        _ => format!("{name}::text"),
    }
}

/// A cast names the length of the network also where it is a single host; the
/// server itself prints that without.
fn host_or_network(text: &str) -> &str {
    let single = if text.contains(':') { "/128" } else { "/32" };
    text.strip_suffix(single).unwrap_or(text)
}

fn cell(text: &str, kind: ColumnKind) -> Cell {
    match kind {
        ColumnKind::Plain | ColumnKind::Digits | ColumnKind::Padded => Cell::Text(text.into()),
        ColumnKind::Boolean => Cell::Bool(text == "true"),
        ColumnKind::Number => text
            .parse()
            .map_or_else(|_| Cell::Text(text.into()), Cell::Number),
        ColumnKind::Address => Cell::Text(host_or_network(text).into()),
        ColumnKind::Date => moment::date(text),
        ColumnKind::Timestamp => moment::timestamp(text),
        ColumnKind::Json => json_cell(text),
        ColumnKind::Unreadable => Cell::Unreadable,
    }
}
