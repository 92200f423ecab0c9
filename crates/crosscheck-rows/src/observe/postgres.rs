//! PostgreSQL: one read-only, repeatable-read transaction for the whole run.
//!
//! Values go out as untyped text, so that the server converts them to the
//! type of the column. They come back as the server's own text for their type
//! and are read by the column's kind.

mod batch;
mod survey;

use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use bytes::BytesMut;
use crosscheck_core::advice::with_causes;
use crosscheck_core::json::{Json, Value};
use crosscheck_core::redact::SecretUrl;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

use super::catalog::{Catalog, ColumnKind, Identifier, TableRef};
use super::sql::Dialect;
use super::{
    Cell, RelatedSeen, Row, RowSource, RowsSeen, STATEMENT_TIMEOUT_SECONDS, SourceError, moment,
};
use crate::plan::{Identity, RelatedRequest, RowRequest};

const CONNECT_TIMEOUT: Duration = Duration::from_mins(1);

/// The server ends a slow statement; this is for a server that says nothing.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(STATEMENT_TIMEOUT_SECONDS + 5);

/// From the last of these on, everything happens in one read-only view. They
/// go out one after the other: statements sent together would share one
/// transaction, and its isolation would be fixed before it is named.
const BEGIN: [&str; 4] = [
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "SELECT 1",
    "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL statement_timeout = '60s'; SET LOCAL TIME ZONE 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL extra_float_digits = 1",
];

/// A PostgreSQL database.
pub struct PostgresSource {
    runtime: Runtime,
    client: Client,
    url: SecretUrl,
    schemas: Vec<String>,
    kinds: HashMap<(String, String), Vec<(Identifier, ColumnKind)>>,
    batches: batch::Batches,
}

impl PostgresSource {
    /// Connects and begins the read-only view. Without schemas only ordinary
    /// tables of `public` count; with them, also partitioned tables and views
    /// of those schemas.
    pub fn connect(url: SecretUrl, schemas: Vec<String>) -> Result<Self, SourceError> {
        let fail = |error: &dyn Error| SourceError::open(&url, &with_causes(error));
        let mut config: Config = url
            .expose()
            .parse()
            .map_err(|error: tokio_postgres::Error| fail(&error))?;
        config.application_name("crosscheck");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| fail(&error))?;
        let client = runtime.block_on(async {
            let (client, connection) = timeout(CONNECT_TIMEOUT, config.connect(NoTls))
                .await
                .map_err(|error| fail(&error))?
                .map_err(|error| fail(&error))?;
            tokio::spawn(connection);
            for statement in BEGIN {
                client
                    .batch_execute(statement)
                    .await
                    .map_err(|error| fail(&error))?;
            }
            Ok::<Client, SourceError>(client)
        })?;
        Ok(Self {
            runtime,
            client,
            url,
            schemas,
            kinds: HashMap::new(),
            batches: batch::Batches::default(),
        })
    }

    /// Runs one look-up inside a savepoint, so that a failure spoils nothing else.
    fn look(&self, sql: &str, identity: &[Identity]) -> Result<Vec<tokio_postgres::Row>, String> {
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
        match self
            .runtime
            .block_on(async { timeout(SILENCE_TIMEOUT, look).await })
        {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => Err(self.url.scrub(&with_causes(&error))),
            Err(_) => Err("the server did not answer in time".to_owned()),
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

impl RowSource for PostgresSource {
    fn survey(&mut self) -> Result<Catalog, SourceError> {
        let survey = survey::catalog(&self.client, &self.schemas);
        let catalog = match self
            .runtime
            .block_on(async { timeout(SILENCE_TIMEOUT, survey).await })
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
                    let text: Option<String> =
                        row.try_get(at).map_err(|error| with_causes(&error))?;
                    Ok((
                        column.to_string(),
                        text.map_or(Cell::Null, |text| cell(text, *kind)),
                    ))
                });
                match cells.collect::<Result<Vec<_>, String>>() {
                    Ok(cells) => RowsSeen::One(Row(cells)),
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

fn cell(text: String, kind: ColumnKind) -> Cell {
    match kind {
        ColumnKind::Plain | ColumnKind::Digits | ColumnKind::Padded => Cell::Text(text),
        ColumnKind::Boolean => Cell::Bool(text == "true"),
        ColumnKind::Number => text.parse().map_or(Cell::Text(text), Cell::Number),
        ColumnKind::Date => moment::date(&text),
        ColumnKind::Timestamp => moment::timestamp(&text),
        ColumnKind::Json => json_cell(&text),
        ColumnKind::Unreadable => Cell::Unreadable,
    }
}

fn json_cell(text: &str) -> Cell {
    let Ok(json) = Json::parse(text) else {
        return Cell::Unreadable;
    };
    match json.root().value() {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Bool(truth),
        Value::Number(digits) => Cell::Number(digits.to_f64()),
        Value::String(text) => Cell::Text(text.to_str_lossy().into_owned()),
        Value::Array(_) | Value::Object(_) => Cell::Unreadable,
    }
}
