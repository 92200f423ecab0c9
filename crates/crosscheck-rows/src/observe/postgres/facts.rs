//! What the catalog tells about a table, and how statements call it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_postgres::Error;

use super::survey::grouped;
use super::types::{ColumnType, Types};
use crate::observe::catalog::{Identifier, TableRef};
use crate::observe::source::{BatchError, ScalarKind, ScalarLookup};
use crate::observe::sql::Dialect;
use crate::observe::sql::batch::{Meets, Of, Terms};

/// Columns of the first table that is there, of those named in `$1`.
pub(super) const COLUMNS: &str = "\
    SELECT a.attname::text, a.atttypid, c.oid, n.nspname::text, c.relname::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid \
    WHERE c.oid = (SELECT to_regclass(p.name)::oid FROM unnest($1::text[]) WITH ORDINALITY AS p(name, place) \
                   WHERE to_regclass(p.name) IS NOT NULL ORDER BY p.place LIMIT 1) \
      AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";

/// A table that others inherit from shows their rows, too, which its indexes do
/// not know; those of a partitioned table do.
pub(super) const INDEXES: &str = "\
    SELECT i.indexrelid, i.indisunique AND (c.relkind = 'p' OR NOT c.relhassubclass), a.attname::text \
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum \
    WHERE i.indrelid = $1 AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL \
      AND k.place <= i.indnkeyatts ORDER BY i.indexrelid, k.place";

#[derive(Default)]
pub(super) struct TableFacts {
    /// The table with its schema, as SQL.
    table: String,
    pub(super) columns: Vec<(String, ColumnType)>,
    /// Unique or not, and its columns.
    indexes: Vec<(bool, Vec<String>)>,
}

impl TableFacts {
    pub(super) fn cast(&self, table: &TableRef, column: &str) -> Result<String, BatchError> {
        match self.column(column) {
            Some(held) => Ok(held.of_key().to_owned()),
            None => Err(BatchError::Statement(format!(
                "the table \"{}\" has no column \"{column}\"",
                table.name
            ))),
        }
    }

    pub(super) fn column(&self, column: &str) -> Option<&ColumnType> {
        let found = self.columns.iter().find(|(name, _)| name == column);
        found.map(|(_, held)| held)
    }

    /// A field by its name in any case; the later of two such columns.
    pub(super) fn field(&self, field: &str) -> Option<&(String, ColumnType)> {
        let name = field.to_lowercase();
        self.columns
            .iter()
            .rev()
            .find(|(column, _)| column.to_lowercase() == name)
    }

    pub(super) fn meets(&self, identity: &[String]) -> Meets {
        let is_key = |column: &str| identity.iter().any(|name| name == column);
        Meets::by(&self.indexes, &is_key)
    }
}

/// The tables of a statement by the names they were asked for.
#[derive(Default)]
pub(super) struct Known {
    pub(super) tables: HashMap<TableRef, Arc<TableFacts>>,
    pub(super) casts: Vec<String>,
}

impl Known {
    pub(super) fn one(table: &TableRef, facts: &Arc<TableFacts>) -> Self {
        Self {
            tables: HashMap::from([(table.clone(), Arc::clone(facts))]),
            casts: Vec::new(),
        }
    }

    fn held(&self, of: Of<'_>) -> ColumnType {
        let facts = self.tables.get(of.table);
        let held = facts.and_then(|facts| facts.column(of.column));
        held.map_or_else(ColumnType::unknown, ColumnType::clone)
    }

    /// Values that are compared by their texts only may be there in another
    /// spelling, so that they are not counted.
    pub(super) fn counts(&self, lookup: &ScalarLookup) -> Result<(), BatchError> {
        // what is found by its text is there
        if lookup.kind == ScalarKind::Exists {
            return Ok(());
        }
        let by_text = |(table, column): &(&TableRef, &str)| {
            let facts = self.tables.get(*table);
            let held = facts.and_then(|facts| facts.column(column));
            held.is_some_and(|held| !held.finds_all())
        };
        match lookup.equated().find(by_text) {
            Some((table, column)) => Err(BatchError::Statement(format!(
                "the column \"{column}\" of the table \"{}\" has a type without an operator of the server's own, so its values cannot be counted",
                table.name
            ))),
            None => Ok(()),
        }
    }

    /// A type of one's own has no sum but by a cast or function of its owner.
    pub(super) fn sums(&self, lookup: &ScalarLookup) -> Result<(), BatchError> {
        let summed = lookup.named().next();
        let Some((table, column)) = summed.filter(|_| lookup.kind == ScalarKind::Sum) else {
            return Ok(());
        };
        let facts = self.tables.get(table);
        match facts.and_then(|facts| facts.column(column)) {
            Some(held) if !held.may_be_summed() => Err(BatchError::Statement(format!(
                "the column \"{column}\" of the table \"{}\" is of no type of the server's own, so it has no sum",
                table.name
            ))),
            _ => Ok(()),
        }
    }
}

impl Terms for Known {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn table(&self, table: &TableRef) -> String {
        match self.tables.get(table) {
            Some(facts) => facts.table.clone(),
            None => Dialect::Postgres.table(table),
        }
    }

    fn equals_key(&self, of: Of<'_>, key: &str) -> String {
        self.held(of).equals_key(&self.column(of), key)
    }

    fn equals_column(&self, one: Of<'_>, other: Of<'_>) -> String {
        let (column, other_column) = (self.column(one), self.column(other));
        let held = self.held(one);
        held.equals_column(&column, &self.held(other), &other_column)
    }
}

pub(super) fn facts_of(
    types: &Types,
    columns: &[tokio_postgres::Row],
    indexes: &[tokio_postgres::Row],
) -> Result<TableFacts, Error> {
    let mut facts = TableFacts::default();
    for row in columns {
        let held = types.of_column(row.try_get(1)?);
        facts.columns.push((row.try_get(0)?, held));
        let table = TableRef {
            schema: Some(Identifier::from_catalog(row.try_get::<_, String>(3)?)),
            name: Identifier::from_catalog(row.try_get::<_, String>(4)?),
        };
        facts.table = Dialect::Postgres.table(&table);
    }
    for index in grouped(indexes, 0)? {
        let names: Result<Vec<String>, Error> = index.iter().map(|row| row.try_get(2)).collect();
        if let Some(first) = index.first() {
            facts.indexes.push((first.try_get(1)?, names?));
        }
    }
    Ok(facts)
}
