//! How engines spell names and parameters. Identifiers are quoted, values are bound.
//!
//! Contract: check 6.1.

pub(super) mod batch;

use super::catalog::{Identifier, TableRef};

/// How an engine writes identifiers and parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
    Mysql,
}

impl Dialect {
    pub(super) fn quoted(self, name: &Identifier) -> String {
        match self {
            Self::Sqlite | Self::Postgres => name.double_quoted(),
            Self::Mysql => name.back_quoted(),
        }
    }

    pub(super) fn table(self, table: &TableRef) -> String {
        match &table.schema {
            Some(schema) => format!("{}.{}", self.quoted(schema), self.quoted(&table.name)),
            None => self.quoted(&table.name),
        }
    }

    fn parameter(self, number: usize) -> String {
        match self {
            Self::Sqlite => format!("?{number}"),
            Self::Postgres => format!("${number}"),
            Self::Mysql => "?".to_owned(),
        }
    }

    /// `"table"."column"`
    pub(super) fn column(self, table: &TableRef, column: &Identifier) -> String {
        format!("{}.{}", self.table(table), self.quoted(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Identifier {
        Identifier::from_catalog(text)
    }

    #[test]
    fn identifiers_are_quoted() {
        let table = TableRef::from("con\"tacts");
        let column = name("id\" OR 1=1 --");
        assert_eq!(
            Dialect::Sqlite.column(&table, &column),
            r#""con""tacts"."id"" OR 1=1 --""#
        );
        assert_eq!(
            Dialect::Mysql.column(&table, &name("a`b")),
            "`con\"tacts`.`a``b`"
        );
        let table = TableRef {
            schema: Some(name("public")),
            name: name("t"),
        };
        assert_eq!(Dialect::Postgres.table(&table), r#""public"."t""#);
    }
}
