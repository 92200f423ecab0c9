//! The two look-ups, as SQL. Identifiers come from the catalog, values are bound.

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

    fn conditions<'c>(
        self,
        table: &TableRef,
        columns: impl IntoIterator<Item = &'c Identifier>,
    ) -> String {
        let equal: Vec<String> = columns
            .into_iter()
            .enumerate()
            .map(|(at, column)| {
                format!(
                    "{} = {}",
                    self.column(table, column),
                    self.parameter(at + 1)
                )
            })
            .collect();
        equal.join(" AND ")
    }

    /// A row by its identity. Two rows are enough to know that there are too many.
    pub(super) fn select_row<'c>(
        self,
        wanted: &str,
        table: &TableRef,
        identity: impl IntoIterator<Item = &'c Identifier>,
    ) -> String {
        self.select_row_where(wanted, table, &self.conditions(table, identity))
    }

    /// The same with conditions that are SQL already.
    pub(super) fn select_row_where(
        self,
        wanted: &str,
        table: &TableRef,
        conditions: &str,
    ) -> String {
        let table = self.table(table);
        format!("SELECT {wanted} FROM {table} WHERE {conditions} LIMIT 2")
    }

    /// Whether a related row is there.
    pub(super) fn select_exists<'c>(
        self,
        child: &TableRef,
        columns: impl IntoIterator<Item = &'c Identifier>,
    ) -> String {
        self.select_exists_where(child, &self.conditions(child, columns))
    }

    /// The same with conditions that are SQL already.
    pub(super) fn select_exists_where(self, child: &TableRef, conditions: &str) -> String {
        let child = self.table(child);
        format!("SELECT EXISTS (SELECT 1 FROM {child} WHERE {conditions} LIMIT 1) AS v")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Identifier {
        Identifier::from_catalog(text)
    }

    #[test]
    fn identifiers_are_quoted_and_values_bound() {
        let table = TableRef {
            schema: None,
            name: name("con\"tacts"),
        };
        let columns = [name("id\" OR 1=1 --"), name("b")];
        assert_eq!(
            Dialect::Sqlite.select_row("*", &table, &columns),
            r#"SELECT * FROM "con""tacts" WHERE "con""tacts"."id"" OR 1=1 --" = ?1 AND "con""tacts"."b" = ?2 LIMIT 2"#
        );
        assert_eq!(
            Dialect::Mysql.select_row("1", &table, &[name("a`b")]),
            r#"SELECT 1 FROM `con"tacts` WHERE `con"tacts`.`a``b` = ? LIMIT 2"#
        );
        let table = TableRef {
            schema: Some(name("public")),
            name: name("t"),
        };
        assert_eq!(
            Dialect::Postgres.select_exists(&table, &[name("c")]),
            r#"SELECT EXISTS (SELECT 1 FROM "public"."t" WHERE "public"."t"."c" = $1 LIMIT 1) AS v"#
        );
    }
}
