//! What the world shows: the only step that touches a database.
//!
//! Every source opens its database read-only, holds one consistent view for
//! the whole run, and sends nothing but catalog queries and the look-ups of
//! `sql.rs`. It returns data, not opinions; a look that failed is something
//! seen, too.

mod catalog;
pub(crate) mod ends;
pub(crate) mod groups;
mod moment;
mod mysql;
mod postgres;
#[cfg(test)]
mod server_tests;
pub mod source;
#[cfg(test)]
mod source_tests;
mod sql;
mod sqlite;
mod tls;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crosscheck_core::json::{Json, Value};
use crosscheck_core::redact::SecretUrl;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use tokio::runtime::Runtime;
use tokio::time::timeout;

pub use catalog::{
    Catalog, Column, ColumnKind, ForeignKey, Hides, Holds, Identifier, Table, TableRef,
};
pub use mysql::MysqlSource;
pub use postgres::{PostgresSource, client as postgres_client};
pub use source::{Scope, Source};
pub use sqlite::SqliteSource;

/// The longest value that is read, in bytes: as long as the longest line of an
/// events file, so that nothing longer could equal what was said.
const VALUE_MAX: usize = 64 * 1024 * 1024;

/// The most that is held of one answer, in bytes. A batch beyond it is halved.
const ANSWER_MAX: usize = 4 * VALUE_MAX;

fn too_much() -> source::BatchError {
    source::BatchError::Values(format!(
        "the answer is longer than {ANSWER_MAX} bytes, the most that is held"
    ))
}

/// In words.
fn too_long() -> String {
    format!("a value is longer than {VALUE_MAX} bytes, the most that is read")
}

/// How long a database may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Until a connection is open.
    pub connect: Duration,
    /// For one statement; the server itself ends it.
    pub statement: Duration,
    /// For an answer of any kind; beyond it the server is taken to be gone.
    pub silence: Duration,
}

impl Limits {
    /// A database that says nothing for so long is given up. A server that can
    /// end a statement itself does so a little earlier.
    pub fn of(timeout: Duration) -> Self {
        Self {
            connect: timeout,
            statement: timeout.mul_f32(0.9),
            silence: timeout,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::of(Duration::from_mins(1))
    }
}

/// What a server says was wrong when it did not answer.
const SILENT: &str = "the server did not answer in time";

/// The answer of a server; no error of its own when none came in time.
fn within<T, E>(
    runtime: &Runtime,
    limit: Duration,
    request: impl Future<Output = Result<T, E>>,
) -> Result<T, Option<E>> {
    let answer = runtime.block_on(async { timeout(limit, request).await });
    answer.map_or(Err(None), |answer| answer.map_err(Some))
}

/// What a look for a row showed.
#[derive(Debug, Clone)]
pub enum RowsSeen {
    /// No row.
    None,
    /// One row.
    One(Row),
    /// Two rows or more, as many as were wanted.
    Many(Vec<Row>),
    /// The query failed.
    Failed(source::BatchError),
}

impl RowsSeen {
    /// One more row, unless there are as many as are wanted.
    fn add<E>(&mut self, most: usize, row: impl FnOnce() -> Result<Row, E>) -> Result<(), E> {
        *self = match std::mem::replace(self, Self::None) {
            Self::None => Self::One(row()?),
            Self::One(first) => Self::Many(vec![first, row()?]),
            Self::Many(mut rows) => {
                if rows.len() < most {
                    rows.push(row()?);
                }
                Self::Many(rows)
            }
            failed @ Self::Failed(_) => failed,
        };
        Ok(())
    }
}

/// A row: its columns in order. The rows of one answer share their names.
#[derive(Debug, Clone)]
pub struct Row {
    names: Arc<[String]>,
    cells: Vec<Cell>,
}

impl Row {
    /// A row of columns with these names.
    pub fn new(names: Arc<[String]>, cells: Vec<Cell>) -> Self {
        Self { names, cells }
    }

    /// A row on its own.
    pub fn of(columns: impl IntoIterator<Item = (String, Cell)>) -> Self {
        let (names, cells): (Vec<String>, Vec<Cell>) = columns.into_iter().unzip();
        Self::new(names.into(), cells)
    }

    /// The columns with their values.
    pub fn columns(&self) -> impl DoubleEndedIterator<Item = (&str, &Cell)> {
        let names = self.names.iter().map(String::as_str);
        names.zip(&self.cells)
    }

    /// How many bytes of text it holds.
    fn size(&self) -> usize {
        let size = |cell: &Cell| match cell {
            Cell::Text(text) | Cell::Document(text) => text.len(),
            _ => 0,
        };
        self.cells.iter().map(size).sum()
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.cells.len()
    }

    /// The value of a field that was asked for at this place; a batch gives
    /// each field its own column, unless the table has none of that name.
    pub fn field(&self, at: usize, name: &str) -> Option<&Cell> {
        let named = self.names.get(at).is_some_and(|own| same_name(own, name));
        match self.cells.get(at) {
            Some(cell) if named => Some(cell),
            _ => self.get(name),
        }
    }

    /// The values of the fields that were asked for, in their order.
    pub(crate) fn into_fields(self, names: &[&str]) -> Vec<Cell> {
        let is_all = self.names.len() == names.len()
            && self.names.iter().zip(names).all(|(own, name)| own == name);
        if is_all {
            return self.cells;
        }
        let field = |(at, name): (usize, &&str)| {
            let cell = self.field(at, name);
            cell.cloned().unwrap_or(Cell::Unreadable)
        };
        names.iter().enumerate().map(field).collect()
    }

    /// The value under a name, ignoring case; the later of two such columns.
    pub fn get(&self, name: &str) -> Option<&Cell> {
        self.columns()
            .rev()
            .find(|(column, _)| same_name(column, name))
            .map(|(_, cell)| cell)
    }
}

/// Whether two names are the same in lower case.
fn same_name(a: &str, b: &str) -> bool {
    a == b
        || a.eq_ignore_ascii_case(b)
        || (!a.is_ascii() || !b.is_ascii()) && a.to_lowercase() == b.to_lowercase()
}

/// A value as the comparison sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// NULL, and JSON `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A double.
    Number(f64),
    /// Text, and numbers kept as their digits.
    Text(SmolStr),
    /// A moment in UTC, as `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    Moment(String),
    /// A day, as `YYYY-MM-DD`.
    Day(String),
    /// A JSON object or array, or a list of values, as the engine's text.
    Document(SmolStr),
    /// Bytes, and whatever else is not a scalar.
    Unreadable,
}

impl Cell {
    /// Whether it is one value, and not several or bytes.
    pub const fn is_scalar(&self) -> bool {
        !matches!(self, Self::Document(_) | Self::Unreadable)
    }
}

/// Why a database could not be looked at at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It could not be opened or connected to.
    #[error("cannot open the database {database}: {message}")]
    Open {
        /// The file, or the URL without its secrets.
        database: String,
        /// What went wrong.
        message: String,
    },
    /// Its catalog could not be read.
    #[error("cannot read the catalog of {database}: {message}")]
    Catalog {
        /// The file, or the URL without its secrets.
        database: String,
        /// What went wrong.
        message: String,
    },
    /// It changed under a view that should have been stable.
    #[error("the database {database} was changed while it was read; run again")]
    Changed {
        /// The file.
        database: String,
    },
}

impl SourceError {
    fn open(url: &SecretUrl, message: &str) -> Self {
        Self::Open {
            database: url.shown(),
            message: url.scrub(message),
        }
    }
}

/// A URL as its driver takes it: the scheme in the spelling that it knows, and
/// every `@` but the last one, which ends the password, encoded.
fn for_driver(url: &str, known: &[&str], spelled: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let is_known = known.iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let scheme = if is_known { spelled } else { scheme };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    match authority.rsplit_once('@') {
        Some((user, host)) => format!("{scheme}://{}@{host}{path}", user.replace('@', "%40")),
        None => format!("{scheme}://{rest}"),
    }
}

/// What a driver says about a URL that it cannot read, with what is mostly wrong.
fn misread(message: &str) -> String {
    format!(
        "{message}; the form is SCHEME://USER:PASSWORD@HOST:PORT/DATABASE, and in a password `/`, `?`, `#` and `%` are written as %2F, %3F, %23 and %25"
    )
}

/// A JSON document, as a scalar where it is one.
fn json_cell(text: &str) -> Cell {
    let Ok(json) = Json::parse(text) else {
        return Cell::Unreadable;
    };
    match json.root().value() {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Bool(truth),
        Value::Number(digits) => Cell::Number(digits.to_f64()),
        Value::String(text) => Cell::Text(text.to_str_lossy().into()),
        Value::Array(_) | Value::Object(_) => Cell::Document(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_spelled_as_its_driver_reads_it() {
        for (url, spelled) in [
            ("mysql://u@h/d", "mysql://u@h/d"),
            ("MySQL://u@h/d", "mysql://u@h/d"),
            ("mysql2://u:p@ss@h/d?x=@", "mysql://u:p%40ss@h/d?x=@"),
            ("host=h dbname=d", "host=h dbname=d"),
            ("other://h", "other://h"),
            ("", ""),
        ] {
            assert_eq!(for_driver(url, &["mysql", "mysql2"], "mysql"), spelled);
        }
    }
}
