//! The catalog queries.
//!
//! Keys are read from `STATISTICS`: the views of constraints hide everything
//! from a user who may only read.

use std::collections::{BTreeSet, HashMap};

use crosscheck_core::text::utf16_order;
use mysql_async::prelude::{FromRow, Queryable as _};
use mysql_async::{Conn, Error};

use super::super::catalog::{
    Catalog, Column, ColumnKind, ForeignKey, Holds, Identifier, Table, foreign_key_order, scale,
};
use super::typed;

const TABLES: &str = "\
    SELECT t.TABLE_NAME, t.TABLE_TYPE FROM information_schema.TABLES t \
    WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')";

/// `{own}` is the place where a table may be named.
const COLUMNS: &str = "\
    SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, PRIVILEGES, CHARACTER_SET_NAME, COLLATION_NAME \
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() {own} ORDER BY ORDINAL_POSITION";

/// Names of indexes and columns ignore case, those of tables perhaps.
const INDEXES: &str = "\
    SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE <> 0, COLUMN_NAME FROM information_schema.STATISTICS \
    WHERE TABLE_SCHEMA = DATABASE() {own} ORDER BY BINARY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

const FOREIGN_KEYS: &str = "\
    SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME \
    FROM information_schema.KEY_COLUMN_USAGE k \
    WHERE k.TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_NAME IS NOT NULL \
    ORDER BY k.ORDINAL_POSITION";

const PRIMARY: &str = "PRIMARY";

/// The types of columns, as far as values are sent and read differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MysqlType {
    Integer,
    Year,
    Decimal,
    Float,
    Double,
    Date,
    DateTime,
    Time,
    Text,
    Json,
    /// A number on the way in, bytes on the way out.
    Bits,
    Bytes,
    /// Types of one server only, such as `uuid` and `inet6`: text both ways.
    Other,
}

/// The columns of each table.
type Columns = HashMap<String, Vec<KnownColumn>>;

/// A column, with all that decides how a key is compared with it.
#[derive(Debug, Clone)]
pub(super) struct KnownColumn {
    pub(super) name: String,
    pub(super) kind: MysqlType,
    /// What values there can be.
    pub(super) holds: Holds,
    /// Its character set and collation, if it has any.
    pub(super) collation: Option<(String, String)>,
    pub(super) may_be_read: bool,
}

/// What one table is like.
#[derive(Debug, Clone, Default)]
pub(super) struct TableFacts {
    /// The columns that may be read.
    pub(super) columns: Vec<KnownColumn>,
    /// Unique or not, and its columns.
    pub(super) indexes: Vec<(bool, Vec<String>)>,
}

impl MysqlType {
    /// Kinds of different families would be compared in the server's lenient way.
    pub(super) const fn family(self) -> u8 {
        match self {
            Self::Integer
            | Self::Year
            | Self::Decimal
            | Self::Float
            | Self::Double
            | Self::Bits => 0,
            Self::Date | Self::DateTime => 1,
            Self::Time => 2,
            Self::Text | Self::Json => 3,
            Self::Bytes => 4,
            Self::Other => 5,
        }
    }
}

/// Reads the tables of the connected database that may be read.
pub(super) async fn catalog(connection: &mut Conn) -> Result<Catalog, Error> {
    let listed: Vec<(String, String)> = typed(connection, TABLES, ()).await?;
    let found = columns(connection, None).await?;
    // a table with a column that may be written but not read is one that may not be read
    let is_open = |columns: &&Vec<KnownColumn>| columns.iter().all(|column| column.may_be_read);
    let closed = found.iter().filter(|(_, columns)| !is_open(columns));
    let closed: BTreeSet<String> = closed.map(|(name, _)| name.clone()).collect();
    let mut tables: HashMap<String, Table> = listed
        .iter()
        .filter_map(|(name, _)| {
            let columns = found.get(name).filter(is_open)?;
            Some((name.clone(), table(name, columns)))
        })
        .collect();
    keys(connection, &listed, &mut tables).await?;
    let foreign_keys = foreign_keys(connection, &tables).await?;
    let mut tables: Vec<Table> = tables.into_values().collect();
    tables.sort_by(|a, b| utf16_order(a.table.name.as_str(), b.table.name.as_str()));
    Ok(Catalog {
        tables,
        foreign_keys,
        closed: closed.into_iter().collect(),
    })
}

fn table(name: &str, columns: &[KnownColumn]) -> Table {
    let columns = columns.iter().map(|column| Column {
        name: Identifier::from_catalog(column.name.as_str()),
        kind: ColumnKind::Plain,
        holds: column.holds,
    });
    Table {
        table: name.into(),
        columns: columns.collect(),
        primary_key: Vec::new(),
        unique: Vec::new(),
        hides: None,
    }
}

/// The rows of a catalog query about one table, or about all of them.
async fn rows<T: FromRow>(
    connection: &mut Conn,
    sql: &str,
    table: Option<&str>,
) -> Result<Vec<T>, Error> {
    match table {
        Some(table) => {
            let sql = sql.replace("{own}", "AND TABLE_NAME = ?");
            typed(connection, &sql, (table,)).await
        }
        None => typed(connection, &sql.replace("{own}", ""), ()).await,
    }
}

/// MariaDB keeps JSON as text that a constraint checks. The constraint shows
/// only in the statement of the table to a user who may only read; who may read
/// some columns alone sees it nowhere, and gets text.
async fn columns(connection: &mut Conn, table: Option<&str>) -> Result<Columns, Error> {
    let read: Vec<ColumnRow> = rows(connection, COLUMNS, table).await?;
    let mut found = Columns::new();
    let mut long = BTreeSet::new();
    for (table, name, data_type, declared, privileges, set, collation) in read {
        if data_type == "longtext" {
            long.insert(table.clone());
        }
        found.entry(table).or_default().push(KnownColumn {
            name,
            kind: kind(&data_type),
            holds: holds(&data_type, &declared),
            collation: set.zip(collation),
            may_be_read: may_read(&privileges),
        });
    }
    for table in long {
        let create = shown(connection, &table).await?;
        let columns = found.get_mut(&table).into_iter().flatten();
        for column in columns.filter(|column| checks_json(&create, &column.name)) {
            column.kind = MysqlType::Json;
            column.holds = Holds::Json;
        }
    }
    Ok(found)
}

/// The statement that would create a table; empty for users who may not see it.
async fn shown(connection: &mut Conn, table: &str) -> Result<String, Error> {
    let quoted = Identifier::from_catalog(table).back_quoted();
    let shown: Option<mysql_async::Row> = match connection
        .query_first(format!("SHOW CREATE TABLE {quoted}"))
        .await
    {
        Err(Error::Server(_)) => None,
        answer => answer?,
    };
    // a view has more columns than a table
    Ok(shown
        .and_then(|mut row| row.take_opt::<String, _>(1)?.ok())
        .unwrap_or_default())
}

/// The columns and indexes of one table. Names of tables ignore case here, so
/// that the exact one is picked; whether another spelling is accepted is the
/// server's to say when it is asked.
pub(super) async fn facts(connection: &mut Conn, table: &str) -> Result<TableFacts, Error> {
    let mut found = columns(connection, Some(table)).await?;
    let own = found.remove(table);
    let is_spelled = own.is_some();
    let mut columns = own.unwrap_or_else(|| found.into_values().flatten().collect());
    columns.retain(|column| column.may_be_read);
    let read: Vec<IndexRow> = rows(connection, INDEXES, Some(table)).await?;
    let mut indexes: Vec<(bool, Vec<String>)> = Vec::new();
    for index in read.chunk_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1)) {
        let names: Option<Vec<String>> = index.iter().map(|row| row.3.clone()).collect();
        if let (Some((of_table, _, repeats, _)), Some(names)) = (index.first(), names)
            && (of_table == table || !is_spelled)
        {
            indexes.push((!repeats, names));
        }
    }
    Ok(TableFacts { columns, indexes })
}

/// Table, column, type, declared type, rights, character set and collation.
type ColumnRow = (
    String,
    String,
    String,
    String,
    String,
    Option<String>,
    Option<String>,
);

/// Table, index, whether values may repeat, and a column.
type IndexRow = (String, String, bool, Option<String>);

fn may_read(privileges: &str) -> bool {
    privileges
        .split(',')
        .any(|right| right.trim().eq_ignore_ascii_case("select"))
}

fn checks_json(create_table: &str, column: &str) -> bool {
    let quoted = Identifier::from_catalog(column).back_quoted();
    create_table.lines().any(|line| {
        line.trim_start().starts_with(&format!("{quoted} longtext"))
            && line.contains(&format!("(json_valid({quoted}))"))
    })
}

/// The primary key and the unique keys of every table.
async fn keys(
    connection: &mut Conn,
    listed: &[(String, String)],
    tables: &mut HashMap<String, Table>,
) -> Result<(), Error> {
    let read: Vec<IndexRow> = rows(connection, INDEXES, None).await?;
    for rows in read.chunk_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1)) {
        let Some((name, key, false, _)) = rows.first() else {
            continue;
        };
        let Some(table) = tables.get_mut(name) else {
            continue;
        };
        // an entry over an expression has no column name
        let Some(mut columns) = rows
            .iter()
            .map(|(.., column)| column.as_ref().map(Identifier::from_catalog))
            .collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let is_versioned = listed
            .iter()
            .any(|(table, of_type)| table == name && of_type == "SYSTEM VERSIONED");
        if is_versioned {
            // every key also names the hidden end of a version; of the current rows it is the same
            columns.retain(|name| table.columns.iter().any(|column| column.name == *name));
        }
        if key == PRIMARY {
            table.primary_key = columns;
        } else {
            table.unique.push(columns);
        }
    }
    Ok(())
}

/// One entry per constraint whose two tables may be read.
async fn foreign_keys(
    connection: &mut Conn,
    tables: &HashMap<String, Table>,
) -> Result<Vec<ForeignKey>, Error> {
    let mut rows: Vec<(String, String, String, String, String)> =
        typed(connection, FOREIGN_KEYS, ()).await?;
    rows.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut keys = Vec::new();
    for rows in rows.chunk_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1)) {
        let Some((child, _, _, parent, _)) = rows.first() else {
            continue;
        };
        let (Some(child), Some(parent)) = (tables.get(child), named(tables, parent)) else {
            continue;
        };
        keys.push(ForeignKey {
            child: child.table.clone(),
            child_columns: rows.iter().map(|row| spelled(child, &row.2)).collect(),
            parent: parent.table.clone(),
            parent_columns: rows.iter().map(|row| spelled(parent, &row.4)).collect(),
        });
    }
    Ok(foreign_key_order(keys))
}

/// A constraint keeps the spelling in which it was written, which may differ
/// in case from the table it means.
fn named<'t>(tables: &'t HashMap<String, Table>, name: &str) -> Option<&'t Table> {
    tables.get(name).or_else(|| {
        let mut alike = tables
            .values()
            .filter(|table| table.table.name.as_str().to_lowercase() == name.to_lowercase());
        alike.next().filter(|_| alike.next().is_none())
    })
}

/// The same for a column, whose name never depends on case.
fn spelled(table: &Table, name: &str) -> Identifier {
    table
        .columns
        .iter()
        .find(|column| column.name.as_str().to_lowercase() == name.to_lowercase())
        .map_or_else(
            || Identifier::from_catalog(name),
            |column| column.name.clone(),
        )
}

/// What values of a type there can be; `declared` has its length and scale.
fn holds(data_type: &str, declared: &str) -> Holds {
    match kind(data_type) {
        MysqlType::Integer => Holds::Integer,
        MysqlType::Decimal => Holds::Number(scale(declared)),
        MysqlType::Float => Holds::Single,
        MysqlType::Double => Holds::Number(None),
        MysqlType::Date => Holds::Day,
        // a TIMESTAMP is kept in UTC, and so is the session
        MysqlType::DateTime => Holds::Moment(data_type.eq_ignore_ascii_case("timestamp")),
        MysqlType::Text => Holds::Text,
        MysqlType::Json => Holds::Json,
        MysqlType::Bits | MysqlType::Bytes => Holds::Bytes,
        MysqlType::Other if data_type.eq_ignore_ascii_case("uuid") => Holds::Uuid,
        MysqlType::Year | MysqlType::Time | MysqlType::Other => Holds::Other,
    }
}

fn kind(data_type: &str) -> MysqlType {
    match data_type.to_ascii_lowercase().as_str() {
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" => MysqlType::Integer,
        "year" => MysqlType::Year,
        "decimal" | "numeric" => MysqlType::Decimal,
        "float" => MysqlType::Float,
        "double" | "real" => MysqlType::Double,
        "date" => MysqlType::Date,
        "datetime" | "timestamp" => MysqlType::DateTime,
        "time" => MysqlType::Time,
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set" => {
            MysqlType::Text
        }
        "json" => MysqlType::Json,
        "bit" => MysqlType::Bits,
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" | "vector"
        | "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geometrycollection" | "geomcollection" => MysqlType::Bytes,
        _ => MysqlType::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_known_by_its_constraint_and_by_nothing_else() {
        let create = "CREATE TABLE `t` (\n  `a` longtext CHARACTER SET utf8mb4 DEFAULT NULL CHECK (json_valid(`a`)),\n  `b` longtext DEFAULT NULL,\n  `c``d` longtext CHECK (json_valid(`c``d`))\n)";
        let is_json = |name: &str| checks_json(create, name);
        assert!(is_json("a") && is_json("c`d"));
        assert!(!is_json("b") && !is_json("c"));
    }
}
