//! PostgreSQL: one read-only, repeatable-read transaction for the whole run.
//!
//! Values go out as untyped text, so that the server converts them to the
//! type of the column. They come back as the server's own text for their type
//! and are read by the column's kind. Nothing that users of the database
//! defined takes part in that: see `session` and `types`.

mod batch;
mod exact;
mod facts;
mod pool;
mod session;
mod survey;
mod types;

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bytes::BytesMut;
use crosscheck_core::advice::with_causes;
use crosscheck_core::redact::SecretUrl;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

pub use pool::PostgresPool;

use session::{SearchPath, begin};
use types::ColumnType;

use super::catalog::{Catalog, ColumnKind, Identifier, TableRef};
use super::sql::Dialect;
use super::tls::{Mode, Tls};
use super::{
    Cell, Limits, RelatedSeen, Row, RowSource, RowsSeen, SourceError, json_cell, moment,
    with_scheme,
};
use crate::plan::{Identity, RelatedRequest, RowRequest};

/// Ends a look. Views and the indexes of a table may run code of its owner,
/// which could change settings of the session: they are as before again.
const AS_BEFORE: &str = "ROLLBACK TO SAVEPOINT look; RELEASE SAVEPOINT look";

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
    /// Where unqualified names were to be looked for.
    path: SearchPath,
    types: survey::ColumnTypes,
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
        let mode = tls
            .mode(session::mode_of(&config))
            .map_err(|error| fail(&error))?;
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
            let client = session::open(config, mode, connector).await?;
            let path = begin(&client, limits.statement, snapshot).await?;
            Ok::<_, tokio_postgres::Error>((client, path))
        };
        let (client, path) = runtime
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
            path,
            types: HashMap::new(),
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
            Ok(Ok(name)) => Ok(name.filter(|name| session::is_snapshot_name(name))),
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
        if let Ok(Ok(path)) = adopted {
            self.path = path;
            return true;
        }
        false
    }

    /// Runs one look-up inside a savepoint, so that nothing of it is left.
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
            self.client.batch_execute(AS_BEFORE).await?;
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

    fn types_of(&self, table: &TableRef) -> &[(Identifier, ColumnType)] {
        self.types
            .get(&survey::place(table))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The columns that will be compared, each under the name it is compared
    /// by; of names that differ only in case the later column.
    fn wanted(&self, request: &RowRequest) -> Vec<(Identifier, ColumnType)> {
        let columns = self.types_of(&request.table);
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

    /// The conditions for an identity, whose values are bound in its order.
    fn conditions(&self, table: &TableRef, identity: &[Identity]) -> String {
        let columns = self.types_of(table);
        let equal = |(at, pair): (usize, &Identity)| {
            let found = columns.iter().find(|(column, _)| *column == pair.column);
            let held = found.map_or_else(ColumnType::unknown, |(_, held)| held.clone());
            let column = Dialect::Postgres.column(table, &pair.column);
            held.equals_key(&column, &format!("${}", at + 1))
        };
        let equal: Vec<String> = identity.iter().enumerate().map(equal).collect();
        equal.join(" AND ")
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
        let (catalog, types) = match self
            .runtime
            .block_on(async { timeout(limit, survey).await })
        {
            Ok(Ok(surveyed)) => surveyed,
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
        self.types = types;
        Ok(catalog)
    }

    fn row(&mut self, request: &RowRequest) -> RowsSeen {
        let wanted = self.wanted(request);
        let list: Vec<String> = wanted
            .iter()
            .map(|(column, held)| held.as_text(&Dialect::Postgres.column(&request.table, column)))
            .collect();
        let list = if list.is_empty() {
            "1".to_owned()
        } else {
            list.join(", ")
        };
        let conditions = self.conditions(&request.table, &request.identity);
        let sql = Dialect::Postgres.select_row_where(&list, &request.table, &conditions);
        let rows = match self.look(&sql, &request.identity) {
            Ok(rows) => rows,
            Err(message) => return RowsSeen::Failed(message),
        };
        match rows.as_slice() {
            [] => RowsSeen::None,
            [row] => {
                let cells = wanted.iter().enumerate().map(|(at, (column, held))| {
                    let text: Option<&str> =
                        row.try_get(at).map_err(|error| with_causes(&error))?;
                    Ok((
                        column.to_string(),
                        text.map_or(Cell::Null, |text| cell(text, held.kind)),
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
        let conditions = self.conditions(&request.child, &request.match_eq);
        let sql = Dialect::Postgres.select_exists_where(&request.child, &conditions);
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
