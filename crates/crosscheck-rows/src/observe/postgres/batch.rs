//! Batches on PostgreSQL: the keys travel as text arrays, are cast to the
//! types of their columns, and joined.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use smol_str::SmolStr;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error};

use super::facts::{COLUMNS, INDEXES, Known, TableFacts, facts_of};
use super::types::{ColumnType, Types, bounded};
use super::wanted::{Text, Wanted, unread};
use super::{AS_BEFORE, PostgresSource, begin, cell, message_of, not_open, survey};
use crate::observe::catalog::{Catalog, Identifier, TableRef};
use crate::observe::source::{
    BatchError, Key, RowLookup, SampleRow, ScalarLookup, Scope, Source, no_such_key,
};
use crate::observe::sql::Dialect;
use crate::observe::sql::batch as shapes;
use crate::observe::{ANSWER_MAX, Cell, RowsSeen, SILENT, SourceError, too_long, too_much, within};

/// What is kept between batches.
#[derive(Default)]
pub(super) struct Batches {
    types: Option<Types>,
    tables: HashMap<TableRef, Arc<TableFacts>>,
    lost: Option<String>,
}

/// What is done with each row of an answer.
type Take<'t> = &'t mut dyn FnMut(&tokio_postgres::Row) -> Result<(), BatchError>;

/// One round trip, and no statement that the server would have to keep.
/// Everything is read, also behind a row that cannot be taken.
async fn taken(
    client: &Client,
    sql: &str,
    values: Vec<(&(dyn ToSql + Sync), Type)>,
    take: Take<'_>,
) -> Result<Result<(), BatchError>, Error> {
    let mut rows = pin!(client.query_typed_raw(sql, values).await?);
    let mut read = Ok(());
    let mut len = 0;
    while let Some(row) = rows.try_next().await? {
        len += row.raw_size_bytes();
        read = read.and_then(|()| match len {
            0..=ANSWER_MAX => take(&row),
            _ => Err(too_much()),
        });
    }
    Ok(read)
}

impl PostgresSource {
    fn facts(&mut self, table: &TableRef) -> Result<Arc<TableFacts>, BatchError> {
        if let Some(message) = &self.batches.lost {
            return Err(BatchError::Lost(message.clone()));
        }
        if let Some(facts) = self.batches.tables.get(table) {
            return Ok(Arc::clone(facts));
        }
        let candidates = self.path.candidates(table);
        let read = async {
            let types = match self.batches.types.take() {
                Some(types) => types,
                None => Types::read(&self.client).await?,
            };
            let columns = self.client.query(COLUMNS, &[&candidates]).await?;
            let indexes = match columns.first() {
                Some(row) => {
                    let table: u32 = row.try_get(2)?;
                    self.client.query(INDEXES, &[&table]).await?
                }
                None => Vec::new(),
            };
            Ok::<_, Error>((types, columns, indexes))
        };
        let read = within(&self.runtime, self.limits.silence, read);
        let (types, columns, indexes) = read.map_err(|error| self.trouble(error))?;
        let facts = facts_of(&types, &columns, &indexes).map_err(|error| self.failed(&error));
        self.batches.types = Some(types);
        let facts = Arc::new(facts?);
        if facts.columns.is_empty() {
            let quoted = Dialect::Postgres.table(table);
            return Err(BatchError::Statement(format!(
                "there is no table {quoted} in the search path"
            )));
        }
        let known = Arc::clone(&facts);
        self.batches.tables.insert(table.clone(), known);
        Ok(facts)
    }

    fn lost(&mut self, message: &str) -> BatchError {
        let message = self.url.scrub(message);
        self.batches.lost = Some(message.clone());
        BatchError::Lost(message)
    }

    fn trouble(&mut self, error: Option<Error>) -> BatchError {
        match error {
            Some(error) => self.failed(&error),
            None => self.lost(SILENT),
        }
    }

    /// Class 42 is about the statement; a missing code about the connection.
    /// A statement that was ended for its time is not asked again in halves:
    /// behind a lock, every half would wait as long.
    fn failed(&mut self, error: &Error) -> BatchError {
        let mut message = self.url.scrub(&message_of(error));
        if message.contains(&too_long()) {
            message = too_long();
        }
        match error.code().map(tokio_postgres::error::SqlState::code) {
            Some("57014" | "55P03") => BatchError::Ended(message),
            Some(code) if code.starts_with("42") || code.starts_with("0A") => {
                BatchError::Statement(message)
            }
            Some(code)
                if !(code.starts_with("08")
                    || code.starts_with("57P")
                    || self.client.is_closed()) =>
            {
                BatchError::Values(message)
            }
            None if !self.client.is_closed() => BatchError::Values(message),
            _ => self.lost(&message),
        }
    }

    /// Hands over the rows of the answer as they come.
    fn answer(&mut self, sql: &str, keys: &[Key], take: Take<'_>) -> Result<(), BatchError> {
        let width = keys.first().map_or(0, Key::len);
        let arrays: Vec<Vec<&str>> = (0..width)
            .map(|at| {
                keys.iter()
                    .map(|key| key.get(at).map_or("", SmolStr::as_str))
                    .collect()
            })
            .collect();
        let answer = self.ask(sql, &arrays, keys.len(), take);
        let Err(BatchError::Statement(message)) = answer else {
            return answer;
        };
        // the cast of one key may fail in the same words as a statement; one
        // that works for no key at all is not at fault
        let nothing = vec![Vec::new(); width];
        let is_sound = width > 0 && self.ask(sql, &nothing, 0, &mut |_| Ok(())).is_ok();
        Err(if is_sound {
            BatchError::Values(message)
        } else {
            BatchError::Statement(message)
        })
    }

    /// Runs one statement inside a savepoint, so that nothing of it is left: no
    /// failure, and no setting that code behind a table changed.
    fn ask(
        &mut self,
        sql: &str,
        arrays: &[Vec<&str>],
        count: usize,
        take: Take<'_>,
    ) -> Result<(), BatchError> {
        if let Some(message) = &self.batches.lost {
            return Err(BatchError::Lost(message.clone()));
        }
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let mut values: Vec<(&(dyn ToSql + Sync), Type)> = arrays
            .iter()
            .map(|array| (array as &(dyn ToSql + Sync), Type::TEXT_ARRAY))
            .collect();
        if values.is_empty() {
            values.push((&count, Type::INT8));
        }
        let look = async {
            self.client.batch_execute("SAVEPOINT look").await?;
            let answer = taken(&self.client, sql, values, take).await;
            let ended = self.client.batch_execute(AS_BEFORE).await;
            match answer {
                Ok(read) => ended.map(|()| read),
                Err(error) => Err(error),
            }
        };
        let read = within(&self.runtime, self.limits.silence, look);
        read.map_err(|error| self.trouble(error))?
    }

    /// A value that cannot be converted to the type of its column is an error
    /// even where no row is there to be compared with it. A row that was found
    /// proves that its key can be converted; the others are asked for.
    fn converts_unseen(
        &mut self,
        casts: &[String],
        keys: &[Key],
        seen: &[RowsSeen],
    ) -> Result<(), BatchError> {
        if casts.iter().all(|cast| takes_any_text(cast)) {
            return Ok(());
        }
        let unseen =
            |(key, seen): (&Key, &RowsSeen)| matches!(seen, RowsSeen::None).then(|| key.clone());
        let unseen: Vec<Key> = keys.iter().zip(seen).filter_map(unseen).collect();
        if unseen.is_empty() {
            return Ok(());
        }
        self.converts(casts, &unseen)
    }

    /// Fails as the comparison would, for the values that cannot be converted.
    fn converts(&mut self, casts: &[String], keys: &[Key]) -> Result<(), BatchError> {
        match shapes::conversions(casts, &|cast| !takes_any_text(cast)) {
            Some(sql) => self.answer(&sql, keys, &mut |_| Ok(())),
            None => Ok(()),
        }
    }

    /// Counts must not pass over rows that a policy hides from this role: the
    /// server then refuses the statement instead. Rows that are looked for by
    /// their key need no such thing; what is found is there.
    fn hide_no_rows(&mut self, begins: bool) -> Result<(), BatchError> {
        // servers that only speak the protocol may not know the setting
        const BEGIN: &str = "SAVEPOINT counting; \
            SELECT set_config('row_security', 'off', true) \
            WHERE current_setting('row_security', true) IS NOT NULL";
        // the setting is then what it was before, whatever that is
        const END: &str = "ROLLBACK TO SAVEPOINT counting; RELEASE SAVEPOINT counting";
        let set = self.client.batch_execute(if begins { BEGIN } else { END });
        let set = within(&self.runtime, self.limits.silence, set);
        set.map_err(|error| self.trouble(error))
    }

    fn scalars_of(
        &mut self,
        lookup: &ScalarLookup,
        terms: &Known,
        keys: &[Key],
    ) -> Result<Vec<Cell>, BatchError> {
        let derived = shapes::keys(Dialect::Postgres, &terms.casts, keys.len());
        let sql = shapes::scalars(terms, lookup, &derived);
        let mut answers: Vec<Cell> = keys.iter().map(|_| Cell::Unreadable).collect();
        self.answer(&sql, keys, &mut |row| {
            let read =
                || -> Result<(usize, Option<&str>), Error> { Ok((number(row)?, row.try_get(1)?)) };
            let (at, text) = read().map_err(unread)?;
            let answer = answers.get_mut(at).ok_or_else(no_such_key)?;
            *answer = match text {
                None => Cell::Null,
                Some("true") => Cell::Bool(true),
                Some("false") => Cell::Bool(false),
                Some(text) => Cell::Text(text.into()),
            };
            Ok(())
        })?;
        Ok(answers)
    }

    /// The tables of a scalar, and the types its keys are cast to.
    fn known(&mut self, lookup: &ScalarLookup) -> Result<Known, BatchError> {
        let mut known = Known::default();
        for table in &lookup.tables {
            known.tables.insert(table.clone(), self.facts(table)?);
        }
        for (table, column) in lookup.compared() {
            known.casts.push(self.facts(table)?.cast(table, column)?);
        }
        known.sums(lookup)?;
        known.counts(lookup)?;
        Ok(known)
    }
}

/// Whether every text is a value of a type.
fn takes_any_text(cast: &str) -> bool {
    matches!(cast, "text" | "character varying" | "bpchar" | "name")
}

/// A column as text, where its own length counts.
fn shown_alone(held: &ColumnType, column: &str) -> String {
    let text = (held.as_text(column), held.may_be_long());
    bounded(&[text]).concat()
}

fn number(row: &tokio_postgres::Row) -> Result<usize, Error> {
    let number: i64 = row.try_get(0)?;
    Ok(usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX))
}

impl Source for PostgresSource {
    fn survey(&mut self, scope: Scope) -> Result<Catalog, SourceError> {
        let path = self.path.of_users();
        let survey = survey::catalog(&self.client, &self.schemas, &path, scope);
        let catalog = within(&self.runtime, self.limits.silence, survey);
        catalog.map_err(|error| SourceError::Catalog {
            database: self.url.shown(),
            message: error.map_or_else(
                || SILENT.to_owned(),
                |error| self.url.scrub(&message_of(&error)),
            ),
        })
    }

    /// Each statement is planned anew and waited for; with this many keys
    /// neither counts.
    fn batch(&self) -> usize {
        34_000
    }

    fn rows(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        most: usize,
    ) -> Result<Vec<RowsSeen>, BatchError> {
        let facts = self.facts(&lookup.table)?;
        let wanted = Wanted::of(&facts, lookup);
        let casts = lookup
            .identity
            .iter()
            .map(|column| facts.cast(&lookup.table, column))
            .collect::<Result<Vec<_>, _>>()?;
        let sql = shapes::rows(
            &Known::one(&lookup.table, &facts),
            &lookup.table,
            &lookup.identity,
            &wanted.sql,
            &shapes::keys(Dialect::Postgres, &casts, keys.len()),
            facts.meets(&lookup.identity),
            most,
        );
        let mut answers: Vec<RowsSeen> = keys.iter().map(|_| RowsSeen::None).collect();
        self.answer(&sql, keys, &mut |row| {
            let at = number(row).map_err(unread)?;
            let seen = answers.get_mut(at).ok_or_else(no_such_key)?;
            seen.add(most, || wanted.row(row).map_err(unread))
        })?;
        self.converts_unseen(&casts, keys, &answers)?;
        Ok(answers)
    }

    fn ends(
        &mut self,
        table: &TableRef,
        column: &str,
        most: usize,
    ) -> Result<Vec<Cell>, BatchError> {
        let facts = self.facts(table)?;
        let Some(held) = facts.column(column) else {
            return Err(BatchError::Statement(format!(
                "there is no column {column}"
            )));
        };
        let name = Identifier::from_catalog(column).double_quoted();
        let shown = shown_alone(held, &format!("t.{name}"));
        let terms = Known::one(table, &facts);
        let mut cells = Vec::new();
        for descending in [false, true] {
            let sql = shapes::end(&terms, table, column, &shown, descending, most);
            self.ask(&sql, &[], 0, &mut |row| {
                let text: Option<Text<'_>> = row.try_get(0).map_err(unread)?;
                cells.push(text.map_or(Cell::Null, |Text(text)| cell(text, held.kind)));
                Ok(())
            })?;
        }
        Ok(cells)
    }

    fn scalars(&mut self, lookup: &ScalarLookup, keys: &[Key]) -> Result<Vec<Cell>, BatchError> {
        let known = self.known(lookup)?;
        self.converts(&known.casts, keys)?;
        self.hide_no_rows(true)?;
        let answers = self.scalars_of(lookup, &known, keys);
        self.hide_no_rows(false)?;
        answers
    }

    fn sample(&mut self, lookup: &ScalarLookup, key: &Key) -> Result<Vec<SampleRow>, BatchError> {
        let known = self.known(lookup)?;
        let Some(table) = lookup.sampled() else {
            return Ok(Vec::new());
        };
        let facts = self.facts(table)?;
        let held = |column: &str| {
            let found = facts.column(column);
            found.map_or_else(ColumnType::unknown, ColumnType::clone)
        };
        let shown = |alias: &str, column: &str| {
            let name = Identifier::from_catalog(column).double_quoted();
            shown_alone(&held(column), &format!("{alias}.{name}"))
        };
        let derived = shapes::keys(Dialect::Postgres, &known.casts, 1);
        let Some((sql, columns)) = shapes::sample(&known, lookup, &derived, &shown) else {
            return Ok(Vec::new());
        };
        let read = |row: &tokio_postgres::Row| -> Result<SampleRow, Error> {
            columns
                .iter()
                .enumerate()
                .map(|(at, column)| {
                    let text: Option<&str> = row.try_get(at)?;
                    Ok((
                        column.to_lowercase(),
                        text.map_or(Cell::Null, |text| cell(text, held(column).kind)),
                    ))
                })
                .collect()
        };
        let mut sample = Vec::new();
        self.answer(&sql, std::slice::from_ref(key), &mut |row| {
            sample.push(read(row).map_err(unread)?);
            Ok(())
        })?;
        Ok(sample)
    }

    fn columns(&mut self, table: &TableRef) -> Result<Vec<String>, BatchError> {
        Ok(self
            .facts(table)?
            .columns
            .iter()
            .map(|(name, _)| name.to_lowercase())
            .collect())
    }

    fn is_file(&self) -> bool {
        false
    }

    fn pause(&mut self) {
        let end = self.client.batch_execute("ROLLBACK");
        let _ = within(&self.runtime, self.limits.silence, end);
    }

    fn refresh(&mut self) -> Result<(), SourceError> {
        let again = async {
            self.client.batch_execute("ROLLBACK").await?;
            begin(&self.client, self.limits.statement).await
        };
        let view = within(&self.runtime, self.limits.silence, again);
        self.batches.tables.clear();
        self.batches.types = None;
        self.path = view.map_err(|error| not_open(&self.url, error.as_ref()))?;
        Ok(())
    }

    /// The view was one transaction; there is nothing to doubt.
    fn close(&mut self) -> Result<(), SourceError> {
        if self.batches.lost.is_none() {
            let limit = self.limits.silence.min(Duration::from_secs(5));
            let end = self.client.batch_execute("ROLLBACK");
            let _ = within(&self.runtime, limit, end);
        }
        Ok(())
    }
}
