//! Batches on MySQL and MariaDB: the keys are rows of a derived table, each of
//! the type and collation of its column, and joined.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Error, Params, Value};

use super::keys::{self, BoundKeys};
use super::survey::{self, KnownColumn, MysqlType, TableFacts};
use super::{BEGIN, MysqlSource, OVER_BYTES, taken, value};
use crate::observe::catalog::{Catalog, Identifier, TableRef};
use crate::observe::source::{
    BatchError, Key, RowLookup, SampleRow, ScalarKind, ScalarLookup, Scope, Source, no_such_key,
};
use crate::observe::sql::Dialect;
use crate::observe::sql::batch::{self as shapes, Meets};
use crate::observe::{
    Cell, Row, RowsSeen, SILENT, SourceError, VALUE_MAX, too_long, too_much, within,
};

/// A batch takes up to this much of the largest packet the server accepts.
const PACKET_SHARE: usize = 2;

/// Errors that a smaller batch would meet as well: rights, names, syntax,
/// changed definitions, and a server that ended the statement.
const ABOUT_THE_STATEMENT: [u16; 24] = [
    1044, 1046, 1049, 1051, 1054, 1060, 1064, 1109, 1142, 1143, 1146, 1205, 1227, 1235, 1267, 1271,
    1305, 1317, 1356, 1370, 1412, 1428, 1969, 3024,
];

/// Errors after which the view is gone: shutdown, killed, rolled back.
const ABOUT_THE_CONNECTION: [u16; 7] = [1053, 1077, 1152, 1153, 1180, 1213, 1927];

/// What is kept between batches.
#[derive(Default)]
pub(super) struct Batches {
    tables: HashMap<TableRef, TableFacts>,
    max_packet: Option<usize>,
}

impl TableFacts {
    fn column(&self, table: &TableRef, column: &str) -> Result<&KnownColumn, BatchError> {
        let name = column.to_lowercase();
        self.columns
            .iter()
            .find(|known| known.name.to_lowercase() == name)
            .ok_or_else(|| {
                BatchError::Statement(format!(
                    "the table `{}` has no column `{column}` that may be read",
                    table.name
                ))
            })
    }

    fn meets(&self, identity: &[String]) -> Meets {
        let same = |name: &String, column: &str| name.to_lowercase() == column.to_lowercase();
        let is_key = |column: &str| identity.iter().any(|name| same(name, column));
        Meets::by(&self.indexes, &is_key)
    }
}

impl MysqlSource {
    fn facts(&mut self, table: &TableRef) -> Result<TableFacts, BatchError> {
        if let Some(facts) = self.batches.tables.get(table) {
            return Ok(facts.clone());
        }
        let Some(connection) = self.connection.as_mut() else {
            return Err(lost_before());
        };
        let read = survey::facts(connection, table.name.as_str());
        let facts = within(&self.runtime, self.limits.silence, read);
        let facts = facts.map_err(|error| self.trouble(error))?;
        if facts.columns.is_empty() {
            // the server itself says whether it is missing or may not be read
            let quoted = Dialect::Mysql.table(table);
            self.answer(&format!("SELECT 1 FROM {quoted} LIMIT 0"), Vec::new())?;
            return Err(BatchError::Statement(format!(
                "no column of the table {quoted} may be read"
            )));
        }
        self.batches.tables.insert(table.clone(), facts.clone());
        Ok(facts)
    }

    fn lost(&mut self, message: &str) -> BatchError {
        self.connection = None;
        BatchError::Lost(self.url.scrub(message))
    }

    fn trouble(&mut self, error: Option<Error>) -> BatchError {
        match error {
            Some(error) => self.failed(&error),
            None => self.lost(SILENT),
        }
    }

    fn failed(&mut self, error: &Error) -> BatchError {
        let message = self.url.scrub(&error.to_string());
        match error {
            Error::Server(server) if ABOUT_THE_CONNECTION.contains(&server.code) => {
                self.lost(&message)
            }
            Error::Server(server) if ABOUT_THE_STATEMENT.contains(&server.code) => {
                BatchError::Statement(message)
            }
            _ if error.is_fatal() => self.lost(&message),
            _ => BatchError::Values(message),
        }
    }

    fn answer(
        &mut self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Vec<mysql_async::Row>, BatchError> {
        let Some(connection) = self.connection.as_mut() else {
            return Err(lost_before());
        };
        let values = if values.is_empty() {
            Params::Empty
        } else {
            Params::Positional(values)
        };
        let rows = taken(connection, sql, values);
        let rows = within(&self.runtime, self.limits.silence, rows);
        let rows = rows.map_err(|error| self.trouble(error))?;
        rows.ok_or_else(too_much)
    }

    /// Sends what cannot be prepared.
    fn command(&mut self, sql: &str) -> Result<(), BatchError> {
        let Some(connection) = self.connection.as_mut() else {
            return Err(lost_before());
        };
        let sent = connection.query_drop(sql);
        let sent = within(&self.runtime, self.limits.silence, sent);
        sent.map_err(|error| self.trouble(error))
    }

    fn max_packet(&mut self) -> Result<usize, BatchError> {
        if let Some(bytes) = self.batches.max_packet {
            return Ok(bytes);
        }
        let rows = self.answer("SELECT CAST(@@max_allowed_packet AS UNSIGNED)", Vec::new())?;
        let bytes = rows
            .first()
            .and_then(|row| row.get_opt::<u64, _>(0)?.ok())
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(usize::MAX);
        self.batches.max_packet = Some(bytes);
        Ok(bytes)
    }

    fn bound(&mut self, columns: &[&KnownColumn], keys: &[Key]) -> Result<BoundKeys, BatchError> {
        let max_packet = self.max_packet()?;
        keys::bind(columns, keys, max_packet / PACKET_SHARE)
    }

    /// The columns that the keys of a scalar are compared with.
    fn key_columns(&mut self, lookup: &ScalarLookup) -> Result<Vec<KnownColumn>, BatchError> {
        let mut known = |(table, column): (&TableRef, &str)| {
            let facts = self.facts(table)?;
            facts.column(table, column).cloned()
        };
        let named = lookup.named().map(&mut known);
        let named = named.collect::<Result<Vec<KnownColumn>, BatchError>>()?;
        match (lookup.kind, named.as_slice()) {
            (ScalarKind::Sum, [summed, ..]) => summable(summed)?,
            (_, [one, other, ..]) => comparable(lookup, one, other)?,
            _ => {}
        }
        lookup.compared().map(known).collect()
    }
}

/// Two columns of one kind. Of different kinds the server would compare
/// doubles, in which the text `c_1` equals the number 0.
fn comparable(
    lookup: &ScalarLookup,
    one: &KnownColumn,
    other: &KnownColumn,
) -> Result<(), BatchError> {
    if one.kind.family() == other.kind.family() {
        return Ok(());
    }
    let named = lookup.named().take(2);
    let named: Vec<String> = named
        .map(|(table, column)| format!("`{}`.`{column}`", table.name))
        .collect();
    Err(BatchError::Statement(format!(
        "{} are of different types, which this server compares inexactly",
        named.join(" and ")
    )))
}

const LOST_BEFORE: &str = "the connection was lost before";

fn lost_before() -> BatchError {
    BatchError::Lost(LOST_BEFORE.to_owned())
}

/// A sum over text would count what looks like a number and leave out the rest.
fn summable(column: &KnownColumn) -> Result<(), BatchError> {
    if column.kind.family() == MysqlType::Integer.family() {
        return Ok(());
    }
    Err(BatchError::Statement(format!(
        "the column `{}` does not hold numbers",
        column.name
    )))
}

/// The number of the key that comes first in every answer.
fn place(seen: Option<Value>) -> Option<usize> {
    match seen? {
        Value::Int(number) => usize::try_from(number).ok()?.checked_sub(1),
        Value::UInt(number) => usize::try_from(number).ok()?.checked_sub(1),
        _ => None,
    }
}

/// Bytes that were not found may still be there in another spelling.
fn doubted(lookup: &ScalarLookup, cell: &Cell) -> bool {
    match lookup.kind {
        ScalarKind::Count | ScalarKind::Exists => *cell == Cell::Number(0.0),
        ScalarKind::Sum | ScalarKind::Join | ScalarKind::Orphans => true,
    }
}

impl Source for MysqlSource {
    fn survey(&mut self, _: Scope) -> Result<Catalog, SourceError> {
        let catalog = match self.connection.as_mut() {
            Some(connection) => {
                let survey = survey::catalog(connection);
                let catalog = within(&self.runtime, self.limits.silence, survey);
                catalog.map_err(|error| error.map_or_else(|| SILENT.to_owned(), |e| e.to_string()))
            }
            None => Err(LOST_BEFORE.to_owned()),
        };
        catalog.map_err(|message| SourceError::Catalog {
            database: self.url.shown(),
            message: self.url.scrub(&message),
        })
    }

    fn rows(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        most: usize,
    ) -> Result<Vec<RowsSeen>, BatchError> {
        let facts = self.facts(&lookup.table)?;
        let identity = lookup
            .identity
            .iter()
            .map(|column| facts.column(&lookup.table, column))
            .collect::<Result<Vec<_>, _>>()?;
        let wanted: Vec<&KnownColumn> = lookup
            .fields
            .iter()
            .filter_map(|field| facts.column(&lookup.table, field).ok())
            .collect();
        let bound = self.bound(&identity, keys)?;
        let shown = |column: &&KnownColumn| {
            let name = Identifier::from_catalog(column.name.as_str());
            let selected = value::selected(&"t".into(), &name, column.kind);
            (selected, column.kind)
        };
        let list: Vec<(String, MysqlType)> = wanted.iter().map(shown).collect();
        let sql = shapes::rows(
            &Dialect::Mysql,
            &lookup.table,
            &lookup.identity,
            &value::bounded(&list),
            &shapes::keys(Dialect::Mysql, &bound.casts, keys.len()),
            facts.meets(&lookup.identity),
            most,
        );
        let names: Arc<[String]> = wanted.iter().map(|column| column.name.clone()).collect();
        let mut answers: Vec<RowsSeen> = keys.iter().map(|_| RowsSeen::None).collect();
        for row in self.answer(&sql, bound.values)? {
            let mut values = row.unwrap_raw();
            let is_long = values.get_mut(wanted.len() + 1).and_then(Option::take);
            if !matches!(is_long, Some(Value::Int(0))) {
                return Err(BatchError::Values(too_long()));
            }
            let mut values = values.into_iter();
            let at = place(values.next().flatten());
            let seen = at.and_then(|at| answers.get_mut(at));
            let row = || Ok(Row::new(Arc::clone(&names), cells(values, &wanted)));
            seen.ok_or_else(no_such_key)?.add(most, row)?;
        }
        if bound.over_bytes {
            let absent = answers
                .iter_mut()
                .filter(|seen| matches!(seen, RowsSeen::None));
            absent.for_each(|seen| {
                *seen = RowsSeen::Failed(BatchError::Values(OVER_BYTES.to_owned()));
            });
        }
        Ok(answers)
    }

    fn ends(
        &mut self,
        table: &TableRef,
        column: &str,
        most: usize,
    ) -> Result<Vec<Cell>, BatchError> {
        let facts = self.facts(table)?;
        let known = facts.column(table, column)?;
        let name = Identifier::from_catalog(known.name.as_str());
        let shown = value::selected(&"t".into(), &name, known.kind);
        // nothing that long is an identity
        let shown = format!("IF(LENGTH({shown}) > {VALUE_MAX}, NULL, {shown})");
        let mut cells = Vec::new();
        for descending in [false, true] {
            let sql = shapes::end(&Dialect::Mysql, table, column, &shown, descending, most);
            for row in self.answer(&sql, Vec::new())? {
                let seen = row.unwrap_raw().into_iter().next().flatten();
                cells.push(value::cell(seen.unwrap_or(Value::NULL), known.kind));
            }
        }
        Ok(cells)
    }

    fn scalars(&mut self, lookup: &ScalarLookup, keys: &[Key]) -> Result<Vec<Cell>, BatchError> {
        let columns = self.key_columns(lookup)?;
        let columns: Vec<&KnownColumn> = columns.iter().collect();
        let bound = self.bound(&columns, keys)?;
        let derived = shapes::keys(Dialect::Mysql, &bound.casts, keys.len());
        let sql = shapes::scalars(&Dialect::Mysql, lookup, &derived);
        let kind = match lookup.kind {
            ScalarKind::Sum => MysqlType::Decimal,
            _ => MysqlType::Integer,
        };
        let mut answers: Vec<Cell> = keys.iter().map(|_| Cell::Unreadable).collect();
        for row in self.answer(&sql, bound.values)? {
            let mut values = row.unwrap_raw().into_iter();
            let at = place(values.next().flatten());
            let answer = at.and_then(|at| answers.get_mut(at));
            let seen = values.next().flatten().unwrap_or(Value::NULL);
            *answer.ok_or_else(no_such_key)? = value::cell(seen, kind);
        }
        if bound.over_bytes && answers.iter().any(|cell| doubted(lookup, cell)) {
            return Err(BatchError::Values(OVER_BYTES.to_owned()));
        }
        Ok(answers)
    }

    fn sample(&mut self, lookup: &ScalarLookup, key: &Key) -> Result<Vec<SampleRow>, BatchError> {
        let Some(table) = lookup.sampled() else {
            return Ok(Vec::new());
        };
        let columns = self.key_columns(lookup)?;
        let columns: Vec<&KnownColumn> = columns.iter().collect();
        let bound = self.bound(&columns, std::slice::from_ref(key))?;
        let facts = self.facts(table)?;
        let kind = |column: &str| {
            let known = facts.column(table, column);
            known.map_or(MysqlType::Other, |known| known.kind)
        };
        let shown = |name: &str, column: &str| {
            value::selected(
                &name.into(),
                &Identifier::from_catalog(column),
                kind(column),
            )
        };
        let derived = shapes::keys(Dialect::Mysql, &bound.casts, 1);
        let Some((sql, names)) = shapes::sample(&Dialect::Mysql, lookup, &derived, &shown) else {
            return Ok(Vec::new());
        };
        let rows = self.answer(&sql, bound.values)?;
        let read = |row: mysql_async::Row| -> SampleRow {
            row.unwrap_raw()
                .into_iter()
                .zip(&names)
                .map(|(seen, name)| {
                    let cell = value::cell(seen.unwrap_or(Value::NULL), kind(name));
                    (name.to_lowercase(), cell)
                })
                .collect()
        };
        Ok(rows.into_iter().map(read).collect())
    }

    fn columns(&mut self, table: &TableRef) -> Result<Vec<String>, BatchError> {
        Ok(self
            .facts(table)?
            .columns
            .iter()
            .map(|column| column.name.to_lowercase())
            .collect())
    }

    fn is_file(&self) -> bool {
        false
    }

    fn pause(&mut self) {
        let _ = self.command("ROLLBACK");
    }

    fn refresh(&mut self) -> Result<(), SourceError> {
        self.batches.tables.clear();
        for sql in ["ROLLBACK", BEGIN] {
            if let Err(
                BatchError::Lost(message)
                | BatchError::Ended(message)
                | BatchError::Statement(message)
                | BatchError::Values(message),
            ) = self.command(sql)
            {
                return Err(SourceError::open(&self.url, &message));
            }
        }
        Ok(())
    }

    /// The view was one transaction; there is nothing to doubt.
    fn close(&mut self) -> Result<(), SourceError> {
        if let Some(connection) = self.connection.take() {
            let end = super::end(connection);
            let limit = self.limits.silence.min(Duration::from_secs(5));
            let _ = within(&self.runtime, limit, end);
        }
        Ok(())
    }
}

fn cells(values: impl Iterator<Item = Option<Value>>, wanted: &[&KnownColumn]) -> Vec<Cell> {
    let cells = values.zip(wanted);
    cells
        .map(|(seen, column)| value::cell(seen.unwrap_or(Value::NULL), column.kind))
        .collect()
}
