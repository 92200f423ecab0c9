//! What the database has: tables, columns, keys. Plain data for the plan.

use std::fmt;

use crosscheck_core::text::utf16_order;

/// The name of a table or column as the catalog spells it. Only catalog
/// readers make one, so no text of a log ever becomes an identifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identifier(String);

impl Identifier {
    /// Takes a name from the catalog.
    pub fn from_catalog(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name, unquoted.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name between double quotes, as standard SQL and SQLite quote.
    pub fn double_quoted(&self) -> String {
        format!("\"{}\"", self.0.replace('"', "\"\""))
    }

    /// The name between back quotes, as MySQL and MariaDB quote.
    pub fn back_quoted(&self) -> String {
        format!("`{}`", self.0.replace('`', "``"))
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A table, by name and, where the engine has them, schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableRef {
    /// The schema, `None` where the engine needs none.
    pub schema: Option<Identifier>,
    /// The name.
    pub name: Identifier,
}

/// A table by its name alone, as a written contract names it.
impl From<&str> for TableRef {
    fn from(name: &str) -> Self {
        Self {
            schema: None,
            name: Identifier::from_catalog(name),
        }
    }
}

impl TableRef {
    /// How reports call it: the bare name, with the schema in front when that
    /// is not the usual one.
    pub fn shown(&self) -> String {
        match &self.schema {
            Some(schema) if schema.as_str() != "public" => format!("{schema}.{}", self.name),
            _ => self.name.to_string(),
        }
    }
}

/// How values of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// By what the engine hands over.
    #[default]
    Plain,
    /// `true` or `false`.
    Boolean,
    /// A number that fits a double.
    Number,
    /// Any number, kept as its digits: 64-bit integers and decimals.
    Digits,
    /// A day.
    Date,
    /// A moment, read as UTC where the type has no zone.
    Timestamp,
    /// A JSON document.
    Json,
    /// Text padded with blanks to a fixed width.
    Padded,
    /// An address of a host, or of a network with its length.
    Address,
    /// An array.
    List,
    /// Bytes and other values that are not scalars.
    Unreadable,
}

/// What a column can hold, as far as a value that somebody claims may or may
/// not be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holds {
    /// Whole numbers.
    Integer,
    /// Numbers, with so many digits behind the point where that is fixed.
    Number(Option<u8>),
    /// Numbers of single precision, seven digits or so.
    Single,
    /// Text.
    Text,
    /// UUIDs, in any spelling.
    Uuid,
    /// Truth values.
    Boolean,
    /// Days.
    Day,
    /// Moments; whether their offset is known.
    Moment(bool),
    /// JSON documents.
    Json,
    /// Lists of values.
    List,
    /// Bytes.
    Bytes,
    /// Anything: the engine does not say, or it is none of the above.
    #[default]
    Other,
}

impl Holds {
    /// What is in the column, for people.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Integer => "whole numbers",
            Self::Number(_) | Self::Single => "numbers",
            Self::Text => "text",
            Self::Uuid => "UUIDs",
            Self::Boolean => "truth values",
            Self::Day => "dates",
            Self::Moment(_) => "timestamps",
            Self::Json => "JSON",
            Self::List => "lists",
            Self::Bytes => "bytes",
            Self::Other => "other values",
        }
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: Identifier,
    /// How its values are read.
    pub kind: ColumnKind,
    /// What it can hold.
    pub holds: Holds,
}

/// The digits behind the point of `NUMERIC(8, 2)`.
pub(super) fn scale(declared: &str) -> Option<u8> {
    let (_, inside) = declared.split_once('(')?;
    let (_, scale) = inside.split_once(')')?.0.split_once(',')?;
    scale.trim().parse().ok()
}

/// A table that may be looked at.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub table: TableRef,
    /// Its columns in their own order.
    pub columns: Vec<Column>,
    /// The columns of the primary key, if there is one.
    pub primary_key: Vec<Identifier>,
    /// The columns of each unique constraint.
    pub unique: Vec<Vec<Identifier>>,
    /// Why rows that are there may not be seen, if something hides them.
    pub hides: Option<Hides>,
}

/// Why rows that are there may not be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hides {
    /// A policy shows this role some rows only.
    Policy,
    /// It is a view, which may show some rows only.
    View,
}

impl Table {
    /// The columns that tell one row from another: the primary key, else the
    /// unique constraint with the fewest columns, ties by the column list.
    pub fn identity(&self) -> Option<&[Identifier]> {
        if !self.primary_key.is_empty() {
            return Some(&self.primary_key);
        }
        let listed = |columns: &[Identifier]| -> String {
            let names: Vec<&str> = columns.iter().map(Identifier::as_str).collect();
            names.join(",")
        };
        self.unique
            .iter()
            .filter(|columns| !columns.is_empty())
            .min_by(|a, b| {
                a.len()
                    .cmp(&b.len())
                    .then_with(|| utf16_order(&listed(a), &listed(b)))
            })
            .map(Vec::as_slice)
    }
}

/// A foreign key: child columns point to parent columns, pair by pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// The table that points.
    pub child: TableRef,
    /// Its columns.
    pub child_columns: Vec<Identifier>,
    /// The table pointed to.
    pub parent: TableRef,
    /// The columns pointed to.
    pub parent_columns: Vec<Identifier>,
}

/// Orders keys by names alone, so that the order is the same on every server.
pub(super) fn foreign_key_order(mut keys: Vec<ForeignKey>) -> Vec<ForeignKey> {
    keys.sort_by_cached_key(|key| {
        (
            units(key.child.name.as_str()),
            sorted(&key.child_columns),
            units(key.parent.name.as_str()),
            sorted(&key.parent_columns),
        )
    });
    keys
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn sorted(columns: &[Identifier]) -> Vec<Vec<u16>> {
    let mut names: Vec<Vec<u16>> = columns
        .iter()
        .map(|column| units(column.as_str()))
        .collect();
    names.sort();
    names
}

/// Everything the plan needs to know about a database.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The tables in name order.
    pub tables: Vec<Table>,
    /// The foreign keys in the engine's order.
    pub foreign_keys: Vec<ForeignKey>,
    /// The names of tables that are there and may not be read.
    pub closed: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_stays_an_identifier() {
        let name = Identifier::from_catalog("id\" OR `1`=1 --");
        assert_eq!(name.double_quoted(), r#""id"" OR `1`=1 --""#);
        assert_eq!(name.back_quoted(), "`id\" OR ``1``=1 --`");
    }

    #[test]
    fn the_smallest_unique_constraint_replaces_a_missing_primary_key() {
        let names = |list: &[&str]| {
            list.iter()
                .map(|name| Identifier::from_catalog(*name))
                .collect::<Vec<_>>()
        };
        let mut table = Table {
            table: TableRef {
                schema: None,
                name: Identifier::from_catalog("t"),
            },
            columns: Vec::new(),
            primary_key: Vec::new(),
            unique: vec![names(&["x", "y"]), names(&["z"]), names(&["b"])],
            hides: None,
        };
        assert_eq!(table.identity(), Some(&names(&["b"])[..]));
        table.primary_key = names(&["k"]);
        assert_eq!(table.identity(), Some(&names(&["k"])[..]));
    }
}
