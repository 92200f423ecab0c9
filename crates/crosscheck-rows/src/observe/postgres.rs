//! PostgreSQL: one read-only, repeatable-read transaction for the whole run.
//!
//! Values go out as untyped text, so that the server converts them to the
//! type of the column. They come back as the server's own text for their type
//! and are read by the column's kind. Nothing that users of the database
//! defined takes part in that: see `session` and `types`.

mod batch;
mod facts;
mod session;
mod survey;
mod types;
mod wanted;

use std::error::Error;
use std::str::Utf8Error;
use std::time::Duration;

use crosscheck_core::advice::with_causes;
use crosscheck_core::redact::SecretUrl;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use session::{SearchPath, begin};

use super::catalog::ColumnKind;
use super::tls::{Mode, Tls};
use super::{Cell, Limits, SILENT, SourceError, for_driver, json_cell, misread, moment, within};

/// Ends a look. Views and the indexes of a table may run code of its owner,
/// which could change settings of the session: they are as before again.
const AS_BEFORE: &str = "ROLLBACK TO SAVEPOINT look; RELEASE SAVEPOINT look";

/// Connects with the protection that the URL asks for, and does nothing yet.
/// The connection lives in the runtime.
pub fn client(url: &SecretUrl, limit: Duration) -> Result<(Runtime, Client), SourceError> {
    let fail = |error: &dyn Error| SourceError::open(url, &with_causes(error));
    let whole = for_driver(url.expose(), &["postgres", "postgresql"], "postgres");
    let (tls, rest) = Tls::split(&whole).map_err(|error| fail(&error))?;
    let mut config: Config = rest.parse().map_err(|error: tokio_postgres::Error| {
        SourceError::open(url, &misread(&with_causes(&error)))
    })?;
    config.application_name("crosscheck");
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(limit);
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
    let connecting = session::open(config, mode, connector);
    let client =
        within(&runtime, limit, connecting).map_err(|error| not_open(url, error.as_ref()))?;
    Ok((runtime, client))
}

fn not_open(url: &SecretUrl, error: Option<&tokio_postgres::Error>) -> SourceError {
    let message = error.map_or_else(|| SILENT.to_owned(), message_of);
    SourceError::open(url, &message)
}

/// A PostgreSQL database.
pub struct PostgresSource {
    runtime: Runtime,
    client: Client,
    url: SecretUrl,
    limits: Limits,
    schemas: Vec<String>,
    /// Where unqualified names were to be looked for.
    path: SearchPath,
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
        let (runtime, client) = client(&url, limits.connect)?;
        let beginning = begin(&client, limits.statement);
        let path = within(&runtime, limits.connect, beginning);
        let path = path.map_err(|error| not_open(&url, error.as_ref()))?;
        Ok(Self {
            runtime,
            client,
            url,
            limits,
            schemas,
            path,
            batches: batch::Batches::default(),
        })
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

/// What the driver says; where something is not UTF-8 text, as in a database
/// with the encoding `SQL_ASCII`, with what can be done.
fn message_of(error: &tokio_postgres::Error) -> String {
    let mut text = with_causes(error);
    let mut cause = error.source();
    while let Some(inner) = cause.filter(|inner| !inner.is::<Utf8Error>()) {
        cause = inner.source();
    }
    if cause.is_some() || error.code() == Some(&SqlState::CHARACTER_NOT_IN_REPERTOIRE) {
        text.push_str(
            "; a name or text in this database is not UTF-8, which its encoding (such as SQL_ASCII) allows: rename it, or give this user no right to read it",
        );
    }
    text
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
        ColumnKind::List => Cell::Document(text.into()),
        ColumnKind::Unreadable => Cell::Unreadable,
    }
}
