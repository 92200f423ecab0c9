//! Batches on SQLite: one join per batch. Where an index leads to many rows
//! per key, or there are only a few keys, one prepared look-up per key
//! instead; in-process there is no round trip to save, and the second row
//! ends it.

use std::sync::Arc;

use rusqlite::params_from_iter;
use smol_str::SmolStr;

use super::file::Unlocked;
use super::{SqliteSource, cell, pragma};
use crate::observe::catalog::{Catalog, Identifier, TableRef};
use crate::observe::source::{BatchError, Key, RowLookup, SampleRow, ScalarLookup, Scope, Source};
use crate::observe::sql::Dialect;
use crate::observe::sql::batch::{self as shapes, Meets, Of, Terms};
use crate::observe::{ANSWER_MAX, Cell, Row, RowsSeen, SourceError, too_much};

/// SQLite takes 32,766 parameters.
const MAX_VALUES: usize = 32_000;
const SAMPLE: usize = 3;
/// Keys of one statement where an index leads to every row: few enough that
/// all that belongs to them stays close at hand.
const CLOSE: usize = 250;
/// Keys of one statement that may have to read a whole table.
const MANY: usize = 2000;
/// Statements that are kept; as many as the connection keeps prepared.
const ASKED: usize = 16;

/// How large batches are best, by what was asked so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Size {
    /// Nothing was asked yet.
    #[default]
    Unknown,
    /// An index led to every row.
    Close,
    /// Something may have been read as a whole.
    Many,
}

impl Size {
    fn add(&mut self, meets: Meets) {
        *self = match (meets, *self) {
            (Meets::Unknown, _) | (_, Self::Many) => Self::Many,
            (Meets::One | Meets::Indexed, _) => Self::Close,
        };
    }
}

impl SqliteSource {
    fn statement(&self, sql: &str) -> Result<rusqlite::CachedStatement<'_>, BatchError> {
        self.connection
            .prepare_cached(sql)
            .map_err(|error| BatchError::Statement(error.to_string()))
    }

    fn column_names(&self, table: &TableRef) -> Result<Vec<String>, BatchError> {
        let name = Dialect::Sqlite.table(table);
        let statement = self.statement(&format!("SELECT * FROM {name} LIMIT 0"))?;
        Ok(statement.column_names().map(str::to_owned).collect())
    }

    /// How the columns of an identity are compared.
    fn terms(&self, table: &TableRef, identity: &[String]) -> OwnTerms {
        if !self.spells_numbers {
            return OwnTerms::default();
        }
        let columns = pragma(
            &self.connection,
            "table_xinfo",
            table.name.as_str(),
            |row| {
                let declared: Option<String> = row.get(2)?;
                Ok((row.get::<_, String>(1)?, declared.unwrap_or_default()))
            },
        );
        let untyped = columns
            .into_iter()
            .flatten()
            .filter_map(|(name, declared)| {
                let is_asked = identity.iter().any(|own| own.eq_ignore_ascii_case(&name));
                (is_asked && takes_values_as_they_are(&declared)).then_some(name)
            });
        OwnTerms {
            untyped: untyped.collect(),
        }
    }

    /// What the indexes tell about an identity. Only the speed depends on it.
    fn meets(&self, table: &TableRef, identity: &[String]) -> Meets {
        let table = table.name.as_str();
        let is_key = |column: &str| identity.iter().any(|own| own.eq_ignore_ascii_case(column));
        let key = pragma(&self.connection, "table_info", table, |row| {
            let is_key = row.get::<_, i64>(5)? > 0;
            Ok(is_key.then_some(row.get::<_, String>(1)?))
        });
        let mut indexes = vec![(true, key.into_iter().flatten().flatten().collect())];
        let listed = self.indexes(table).into_iter().flatten();
        indexes.extend(listed.filter_map(|index| Some((index.is_unique, index.columns?))));
        Meets::by(&indexes, &is_key)
    }

    fn ask(&mut self, lookup: &RowLookup, count: usize) -> Result<Arc<Ask>, BatchError> {
        let known = |ask: &&Arc<Ask>| ask.count == count && ask.lookup == *lookup;
        if let Some(ask) = self.asked.iter().find(known) {
            return Ok(Arc::clone(ask));
        }
        let wanted = Wanted::of(&self.column_names(&lookup.table)?, &lookup.fields);
        let terms = self.terms(&lookup.table, &lookup.identity);
        let meets = self.meets(&lookup.table, &lookup.identity);
        self.size.add(meets);
        let derived = shapes::keys(Dialect::Sqlite, &lookup.identity, count);
        let sql = shapes::rows(
            &terms,
            &lookup.table,
            &lookup.identity,
            &wanted.sql,
            &derived,
            meets,
            0, // rows beyond those that are wanted are not read
        );
        let ask = Arc::new(Ask {
            one: one(&terms, lookup, &wanted),
            lookup: lookup.clone(),
            count,
            wanted,
            meets,
            sql,
        });
        if self.asked.len() >= ASKED {
            self.asked.clear();
        }
        self.asked.push(Arc::clone(&ask));
        Ok(ask)
    }

    /// Hands over the rows of each key with the place of the key, about as
    /// many as are wanted of one key, perhaps more.
    fn each(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        most: usize,
        take: &mut Take<'_>,
    ) -> Result<(), BatchError> {
        self.deadline();
        if keys.len() * lookup.identity.len() > MAX_VALUES && keys.len() > 1 {
            return Err(BatchError::Values("too many values".to_owned()));
        }
        // a statement for just so many keys is worth its making only if it is
        // needed again
        let is_small = keys.len() < CLOSE;
        let mut ask = self.ask(lookup, if is_small { 1 } else { keys.len() })?;
        let one_by_one = ask.meets == Meets::Indexed || (is_small && ask.meets == Meets::One);
        if !one_by_one && ask.count != keys.len() {
            ask = self.ask(lookup, keys.len())?;
        }
        let mut take = |at, row: &rusqlite::Row<'_>| take(at, &ask.wanted, row).map_err(values);
        if one_by_one || keys.len() == 1 {
            let mut statement = self.statement(&ask.one)?;
            for (at, key) in keys.iter().enumerate() {
                let key = params_from_iter(texts(key));
                let mut rows = statement.query(key).map_err(values)?;
                for _ in 0..most {
                    match rows.next().map_err(values)? {
                        Some(row) => take(at, row)?,
                        None => break,
                    }
                }
            }
            return Ok(());
        }
        let mut statement = self.statement(&ask.sql)?;
        let mut rows = statement
            .query(params_from_iter(keys.iter().flat_map(texts)))
            .map_err(values)?;
        while let Some(row) = rows.next().map_err(values)? {
            let number: u32 = row.get(0).map_err(values)?;
            take(number.wrapping_sub(1) as usize, row)?;
        }
        Ok(())
    }
}

/// What is done with a row: the place of its key, and the columns to read.
type Take<'t> = dyn FnMut(usize, &Wanted, &rusqlite::Row<'_>) -> rusqlite::Result<()> + 't;

/// The statement that looks for the rows of one key.
fn one(terms: &OwnTerms, lookup: &RowLookup, wanted: &Wanted) -> String {
    let table = terms.table(&lookup.table);
    let condition = |(at, column): (usize, &String)| {
        terms.equals_key(Of::new(&lookup.table, "t", column), &format!("?{}", at + 1))
    };
    let conditions: Vec<String> = lookup.identity.iter().enumerate().map(condition).collect();
    let list: Vec<String> = wanted.sql.iter().map(|name| format!(", {name}")).collect();
    format!(
        "SELECT 0{} FROM {table} AS t WHERE {}",
        list.concat(),
        conditions.join(" AND ")
    )
}

/// SQLite converts a key to the type of its column, unless the column has
/// none: then a number and its text are two values. The contracts of `quick`
/// and `check` ask for the text alone; `rows` takes either.
#[derive(Default)]
struct OwnTerms {
    untyped: Vec<String>,
}

impl Terms for OwnTerms {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn equals_key(&self, of: Of<'_>, key: &str) -> String {
        let column = self.column(of);
        let is_untyped = |name: &String| name.eq_ignore_ascii_case(of.column);
        if !self.untyped.iter().any(is_untyped) {
            return format!("{column} = {key}");
        }
        let number = format!("CAST({key} AS NUMERIC)");
        format!("{column} IN ({key}, CASE WHEN CAST({number} AS TEXT) = {key} THEN {number} END)")
    }
}

/// Whether a column of this declared type has no affinity.
fn takes_values_as_they_are(declared: &str) -> bool {
    let declared = declared.to_ascii_uppercase();
    let typed = ["INT", "CHAR", "CLOB", "TEXT"];
    declared.is_empty()
        || declared == "ANY"
        || declared.contains("BLOB") && !typed.iter().any(|part| declared.contains(part))
}

/// How many rows are looked up: found out once, not for every batch.
pub(super) struct Ask {
    lookup: RowLookup,
    count: usize,
    wanted: Wanted,
    meets: Meets,
    /// The statement for one key.
    one: String,
    /// The statement for so many keys.
    sql: String,
}

/// The columns that will be compared, each under its own name.
struct Wanted {
    names: Arc<[String]>,
    sql: Vec<String>,
}

impl Wanted {
    fn of(columns: &[String], fields: &[String]) -> Self {
        let names: Vec<String> = fields
            .iter()
            .filter_map(|field| {
                let name = field.to_lowercase();
                columns
                    .iter()
                    .rev()
                    .find(|column| column.to_lowercase() == name)
                    .cloned()
            })
            .collect();
        let sql = names
            .iter()
            .map(|name| {
                format!(
                    "t.{}",
                    Identifier::from_catalog(name.as_str()).double_quoted()
                )
            })
            .collect();
        Self {
            names: names.into(),
            sql,
        }
    }

    /// The first column is the number of the key.
    fn row(&self, row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
        let mut cells = Vec::with_capacity(self.names.len());
        for at in 0..self.names.len() {
            cells.push(cell(row.get_ref(at + 1)?));
        }
        Ok(Row::new(Arc::clone(&self.names), cells))
    }
}

fn texts(key: &Key) -> impl Iterator<Item = &str> {
    key.iter().map(SmolStr::as_str)
}

impl Source for SqliteSource {
    fn batch(&self) -> usize {
        match self.size {
            Size::Close => CLOSE,
            Size::Unknown | Size::Many => MANY,
        }
    }

    fn survey(&mut self, scope: Scope) -> Result<Catalog, SourceError> {
        self.deadline();
        self.spells_numbers = scope == Scope::Visible;
        self.catalog(scope).map_err(|error| SourceError::Catalog {
            database: self.path.display().to_string(),
            message: error.to_string(),
        })
    }

    fn rows(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        most: usize,
    ) -> Result<Vec<RowsSeen>, BatchError> {
        let mut answers: Vec<RowsSeen> = keys.iter().map(|_| RowsSeen::None).collect();
        let mut held = 0;
        self.each(lookup, keys, most, &mut |at, wanted, row| {
            let Some(seen) = answers.get_mut(at).filter(|_| held <= ANSWER_MAX) else {
                return Ok(());
            };
            seen.add(most, || {
                let row = wanted.row(row)?;
                held += row.size();
                Ok(row)
            })
        })?;
        if held > ANSWER_MAX {
            return Err(too_much());
        }
        Ok(answers)
    }

    fn ends(
        &mut self,
        table: &TableRef,
        column: &str,
        most: usize,
    ) -> Result<Vec<Cell>, BatchError> {
        self.deadline();
        let shown = Terms::column(&Dialect::Sqlite, Of::new(table, "t", column));
        let mut cells = Vec::new();
        for descending in [false, true] {
            let sql = shapes::end(&Dialect::Sqlite, table, column, &shown, descending, most);
            let mut statement = self.statement(&sql)?;
            let mut rows = statement.query([]).map_err(values)?;
            while let Some(row) = rows.next().map_err(values)? {
                cells.push(cell(row.get_ref(0).map_err(values)?));
            }
        }
        Ok(cells)
    }

    fn scalars(&mut self, lookup: &ScalarLookup, keys: &[Key]) -> Result<Vec<Cell>, BatchError> {
        self.deadline();
        self.size.add(Meets::Unknown);
        let width = keys.first().map_or(0, Key::len);
        if keys.len() * width > MAX_VALUES && keys.len() > 1 {
            return Err(BatchError::Values("too many values".to_owned()));
        }
        let derived = shapes::keys(Dialect::Sqlite, &vec![String::new(); width], keys.len());
        let mut statement = self.statement(&shapes::scalars(&Dialect::Sqlite, lookup, &derived))?;
        let mut answers: Vec<Cell> = keys.iter().map(|_| Cell::Unreadable).collect();
        let mut rows = statement
            .query(params_from_iter(keys.iter().flat_map(texts)))
            .map_err(values)?;
        while let Some(row) = rows.next().map_err(values)? {
            let number: u32 = row.get(0).map_err(values)?;
            if let Some(answer) = answers.get_mut(number.wrapping_sub(1) as usize) {
                *answer = cell(row.get_ref(1).map_err(values)?);
            }
        }
        Ok(answers)
    }

    fn sample(&mut self, lookup: &ScalarLookup, key: &Key) -> Result<Vec<SampleRow>, BatchError> {
        self.deadline();
        let derived = shapes::keys(Dialect::Sqlite, &vec![String::new(); key.len()], 1);
        let shown = |alias: &str, column: &str| {
            format!(
                "{alias}.{}",
                Identifier::from_catalog(column).double_quoted()
            )
        };
        let Some((sql, columns)) = shapes::sample(&Dialect::Sqlite, lookup, &derived, &shown)
        else {
            return Ok(Vec::new());
        };
        let mut statement = self.statement(&sql)?;
        let mut rows = statement
            .query(params_from_iter(texts(key)))
            .map_err(values)?;
        let mut sample = Vec::new();
        while let Some(row) = rows.next().map_err(values)? {
            let cells: rusqlite::Result<SampleRow> = columns
                .iter()
                .enumerate()
                .map(|(at, column)| Ok((column.to_lowercase(), cell(row.get_ref(at)?))))
                .collect();
            sample.push(cells.map_err(values)?);
            if sample.len() == SAMPLE {
                break;
            }
        }
        Ok(sample)
    }

    fn columns(&mut self, table: &TableRef) -> Result<Vec<String>, BatchError> {
        Ok(self
            .column_names(table)?
            .iter()
            .map(|name| name.to_lowercase())
            .collect())
    }

    fn is_file(&self) -> bool {
        true
    }

    /// A reader that sleeps inside its transaction would keep writers out.
    fn pause(&mut self) {
        let _ = self.connection.execute_batch("COMMIT");
    }

    fn refresh(&mut self) -> Result<(), SourceError> {
        *self = Self::open_within(&self.path, self.limits)?;
        Ok(())
    }

    fn close(&mut self) -> Result<(), SourceError> {
        if self.unlocked.as_ref().is_some_and(Unlocked::has_changed) {
            return Err(SourceError::Changed {
                database: self.path.display().to_string(),
            });
        }
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err asks for")]
fn values(error: rusqlite::Error) -> BatchError {
    BatchError::Values(super::message_of(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_small_only_where_indexes_lead_to_every_row() {
        let table: [(&[Meets], Size); 4] = [
            (&[], Size::Unknown),
            (&[Meets::One, Meets::Indexed], Size::Close),
            (&[Meets::One, Meets::Unknown, Meets::One], Size::Many),
            (&[Meets::Unknown], Size::Many),
        ];
        for (asked, expected) in table {
            let mut size = Size::default();
            for meets in asked {
                size.add(*meets);
            }
            assert_eq!(size, expected, "{asked:?}");
        }
    }
}
