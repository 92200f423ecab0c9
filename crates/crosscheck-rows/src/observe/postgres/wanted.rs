//! The columns of a row that are wanted, and how they come.

use std::sync::Arc;

use tokio_postgres::Error;
use tokio_postgres::types::{FromSql, Type};

use super::facts::TableFacts;
use super::types::{ColumnType, bounded};
use super::{cell, message_of};
use crate::observe::catalog::{ColumnKind, Identifier};
use crate::observe::source::{BatchError, RowLookup};
use crate::observe::{Cell, Row};

/// The columns that will be compared.
pub(super) struct Wanted {
    names: Arc<[String]>,
    kinds: Vec<ColumnKind>,
    pub(super) sql: Vec<String>,
}

impl Wanted {
    pub(super) fn of(facts: &TableFacts, lookup: &RowLookup) -> Self {
        let columns = lookup.fields.iter().filter_map(|field| facts.field(field));
        let columns: Vec<&(String, ColumnType)> = columns.collect();
        let text = |(column, held): &&(String, ColumnType)| {
            let column = Identifier::from_catalog(column.as_str()).double_quoted();
            (held.as_text(&format!("t.{column}")), held.may_be_long())
        };
        let texts: Vec<(String, bool)> = columns.iter().map(text).collect();
        let sql = |(at, text): (usize, String)| format!("{text} AS f{at}");
        Self {
            names: columns.iter().map(|(name, _)| name.clone()).collect(),
            kinds: columns.iter().map(|(_, held)| held.kind).collect(),
            sql: bounded(&texts).into_iter().enumerate().map(sql).collect(),
        }
    }

    /// The first column tells the key.
    pub(super) fn row(&self, row: &tokio_postgres::Row) -> Result<Row, Error> {
        let mut cells = Vec::with_capacity(self.kinds.len());
        for (at, kind) in self.kinds.iter().enumerate() {
            let text: Option<Text<'_>> = row.try_get(at + 1)?;
            cells.push(text.map_or(Cell::Null, |Text(text)| cell(text, *kind)));
        }
        Ok(Row::new(Arc::clone(&self.names), cells))
    }
}

/// A column that the statement casts to text, so that its type is not asked again.
pub(super) struct Text<'r>(pub(super) &'r str);

impl<'r> FromSql<'r> for Text<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(std::str::from_utf8(raw)?))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err asks for")]
pub(super) fn unread(error: Error) -> BatchError {
    BatchError::Values(message_of(&error))
}
