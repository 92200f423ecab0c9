//! SQLite: the file is opened so that not a byte of it, nor beside it, changes.

mod batch;
mod file;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crosscheck_core::files::open_regular;
use crosscheck_core::redact::shown_file;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

use file::{Opened, Unlocked};

use super::catalog::{
    Catalog, Column, ColumnKind, ForeignKey, Holds, Identifier, Table, TableRef, scale,
};
use super::source::Scope;
use super::{Cell, Limits, SourceError, too_long};

const SAFE_INTEGER: i64 = 9_007_199_254_740_991;

/// A SQLite database file.
pub struct SqliteSource {
    connection: Connection,
    path: PathBuf,
    limits: Limits,
    /// Set when the file is read without locks: how it looked before.
    unlocked: Option<Unlocked>,
    /// The statements of the batches before.
    asked: Vec<Arc<batch::Ask>>,
    /// How large batches are best.
    size: batch::Size,
    /// Whether a key may also be a number where the column has no type.
    spells_numbers: bool,
}

impl SqliteSource {
    /// Opens the file and takes one consistent view of it. A missing file is
    /// an error; it is never created.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        Self::open_within(path, Limits::default())
    }

    /// The same with limits of one's own.
    pub fn open_within(path: &Path, limits: Limits) -> Result<Self, SourceError> {
        let (written, shown) = (
            path.display().to_string(),
            shown_file(&path.display().to_string()),
        );
        let fail = |message: String| SourceError::Open {
            database: shown.clone(),
            message: message.replace(&written, &shown),
        };
        open_regular(path).map_err(|error| fail(crosscheck_core::advice::with_causes(&error)))?;
        let opened = Opened::new(path).map_err(fail)?;
        Ok(Self {
            connection: opened.connection,
            path: path.to_owned(),
            limits,
            unlocked: opened.unlocked,
            asked: Vec::new(),
            size: batch::Size::default(),
            spells_numbers: false,
        })
    }

    fn deadline(&mut self) {
        let end = Instant::now() + self.limits.statement;
        let _ = self
            .connection
            .progress_handler(100_000, Some(move || Instant::now() > end));
    }

    fn catalog(&self, scope: Scope) -> rusqlite::Result<Catalog> {
        let mut names = self
            .connection
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
        let names: Vec<String> = names
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut catalog = Catalog::default();
        for name in names.into_iter().filter(|name| !is_internal(name)) {
            catalog.tables.push(self.table(name, scope)?);
        }
        for at in 0..catalog.tables.len() {
            let keys = self.foreign_keys(at, &catalog)?;
            catalog.foreign_keys.extend(keys);
        }
        Ok(catalog)
    }

    fn table(&self, name: String, scope: Scope) -> rusqlite::Result<Table> {
        let mut columns = Vec::new();
        let mut primary_key: Vec<(i64, Identifier)> = Vec::new();
        // A virtual table whose module is not built in shows no columns; it then has no key.
        let mut info: Vec<rusqlite::Result<(String, String, i64)>> = Vec::new();
        let asked = self.connection.pragma(None, "table_xinfo", &name, |row| {
            let read = || {
                let declared: Option<String> = row.get(2)?;
                Ok((row.get(1)?, declared.unwrap_or_default(), row.get(5)?))
            };
            // 1 marks the hidden columns of virtual tables, 2 and 3 generated ones
            if row.get::<_, i64>(6)? != 1 {
                info.push(read());
            }
            Ok(())
        });
        drop(asked);
        for read in info {
            let (column, declared, place) = read?;
            let column = Identifier::from_catalog(column);
            if place > 0 {
                primary_key.push((place, column.clone()));
            }
            columns.push(Column {
                name: column,
                kind: ColumnKind::Plain,
                holds: holds(&declared),
            });
        }
        primary_key.sort_by_key(|(place, _)| *place);
        let unique = if columns.is_empty() {
            Vec::new()
        } else {
            self.unique(&name, scope)?
        };
        Ok(Table {
            table: TableRef {
                schema: None,
                name: Identifier::from_catalog(name),
            },
            columns,
            primary_key: primary_key.into_iter().map(|(_, column)| column).collect(),
            unique,
            hides: None,
        })
    }

    /// Unique constraints; plain unique indexes are not constraints.
    fn unique(&self, table: &str, scope: Scope) -> rusqlite::Result<Vec<Vec<Identifier>>> {
        let counts = |origin: &str| origin == "u" || (origin == "c" && scope == Scope::Visible);
        let indexes = self.indexes(table)?.into_iter();
        let unique = indexes.filter(|index| index.is_unique && counts(&index.origin));
        Ok(unique
            .filter_map(|index| index.columns)
            .map(|columns| columns.into_iter().map(Identifier::from_catalog).collect())
            .collect())
    }

    /// The indexes over all rows of a table.
    fn indexes(&self, table: &str) -> rusqlite::Result<Vec<Index>> {
        let list: Vec<(String, bool, String, bool)> =
            pragma(&self.connection, "index_list", table, |row| {
                Ok((row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            })?;
        let mut indexes = Vec::new();
        for (name, is_unique, origin, is_partial) in list {
            if !is_partial {
                let columns: Vec<Option<String>> =
                    pragma(&self.connection, "index_info", &name, |row| row.get(2))?;
                indexes.push(Index {
                    is_unique,
                    origin,
                    columns: columns.into_iter().collect(),
                });
            }
        }
        Ok(indexes)
    }

    /// In the pragma's own order: the constraint declared last comes first.
    fn foreign_keys(&self, child: usize, catalog: &Catalog) -> rusqlite::Result<Vec<ForeignKey>> {
        let Some(child) = catalog.tables.get(child) else {
            return Ok(Vec::new());
        };
        let child_name = child.table.name.as_str();
        let mut rows = pragma(&self.connection, "foreign_key_list", child_name, |row| {
            Ok((
                (row.get::<_, i64>(0)?, row.get::<_, i64>(1)?),
                (row.get(0)?, row.get(2)?, row.get(3)?, row.get(4)?),
            ))
        })?;
        rows.sort_by_key(|(place, _)| *place);
        let rows: Vec<(i64, String, String, Option<String>)> =
            rows.into_iter().map(|(_, row)| row).collect();
        let mut keys = Vec::new();
        for part in rows.chunk_by(|a, b| a.0 == b.0) {
            let Some((_, parent, _, _)) = part.first() else {
                continue;
            };
            let named: Option<Vec<Identifier>> = part
                .iter()
                .map(|(_, _, _, to)| to.as_ref().map(Identifier::from_catalog))
                .collect();
            let parent_columns = named.unwrap_or_else(|| primary_key_of(catalog, parent));
            if parent_columns.is_empty() {
                continue;
            }
            keys.push(ForeignKey {
                child: child.table.clone(),
                child_columns: part
                    .iter()
                    .map(|(_, _, from, _)| Identifier::from_catalog(from))
                    .collect(),
                parent: table_of(catalog, parent)
                    .map_or_else(|| parent.as_str().into(), |known| known.table.clone()),
                parent_columns,
            });
        }
        Ok(keys)
    }
}

/// An index over all rows.
struct Index {
    is_unique: bool,
    origin: String,
    /// `None` where one of them is an expression.
    columns: Option<Vec<String>>,
}

/// What SQLite says; where a limit of ours is met, in words that name it.
fn message_of(error: &rusqlite::Error) -> String {
    if error.sqlite_error_code() == Some(ErrorCode::TooBig) {
        return too_long();
    }
    error.to_string()
}

fn is_internal(table: &str) -> bool {
    table
        .get(..7)
        .is_some_and(|head| head.eq_ignore_ascii_case("sqlite_"))
}

/// The rows of a pragma about something. The statement is used and not the
/// table function of the same name, which a table of the user can hide.
fn pragma<T>(
    connection: &Connection,
    name: &str,
    about: &str,
    read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut rows = Vec::new();
    connection.pragma(None, name, about, |row| {
        rows.push(read(row)?);
        Ok(())
    })?;
    Ok(rows)
}

fn table_of<'c>(catalog: &'c Catalog, name: &str) -> Option<&'c Table> {
    let mut tables = catalog.tables.iter();
    tables.find(|known| known.table.name.as_str().eq_ignore_ascii_case(name))
}

fn primary_key_of(catalog: &Catalog, table: &str) -> Vec<Identifier> {
    table_of(catalog, table)
        .map(|known| known.primary_key.clone())
        .unwrap_or_default()
}

/// What a column holds by its declared type, mostly by the rules that SQLite
/// itself applies to it.
fn holds(declared: &str) -> Holds {
    let declared = declared.to_ascii_uppercase();
    let has = |part: &str| declared.contains(part);
    if has("INT") {
        Holds::Integer
    } else if has("UUID") || has("CHAR") || has("CLOB") || has("TEXT") {
        Holds::Text
    } else if has("BOOL") {
        Holds::Boolean
    } else if has("BLOB") {
        Holds::Bytes
    } else if has("REAL") || has("FLOA") || has("DOUB") || has("NUM") || has("DEC") {
        Holds::Number(scale(&declared))
    } else if has("DATETIME") || has("TIMESTAMP") {
        Holds::Moment(false)
    } else {
        Holds::Other
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "only integers that a double holds exactly"
)]
fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) if (-SAFE_INTEGER..=SAFE_INTEGER).contains(&number) => {
            Cell::Number(number as f64)
        }
        ValueRef::Integer(number) => Cell::Text(number.to_string().into()),
        ValueRef::Real(number) => Cell::Number(number),
        // replacement characters would make it equal to a text that holds them
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Cell::Text(text.into()),
            Err(_) => Cell::Unreadable,
        },
        ValueRef::Blob(_) => Cell::Unreadable,
    }
}
