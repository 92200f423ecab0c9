//! The statements of batches. docs/SCALE.md shows them; the snapshots below
//! keep the two the same.
//!
//! Contract: check 6.1.

use super::Dialect;
use crate::observe::catalog::TableRef;
use crate::observe::source::ScalarLookup;

/// A column of a table that is called something else inside a statement.
#[derive(Clone, Copy)]
pub(in crate::observe) struct Of<'n> {
    pub(in crate::observe) table: &'n TableRef,
    pub(in crate::observe) alias: &'n str,
    pub(in crate::observe) column: &'n str,
}

impl<'n> Of<'n> {
    pub(in crate::observe) fn new(table: &'n TableRef, alias: &'n str, column: &'n str) -> Self {
        Self {
            table,
            alias,
            column,
        }
    }
}

/// How an engine calls its tables and compares its columns.
pub(in crate::observe) trait Terms {
    fn dialect(&self) -> Dialect;

    fn table(&self, table: &TableRef) -> String {
        self.dialect().table(table)
    }

    fn column(&self, of: Of<'_>) -> String {
        format!("{}.{}", of.alias, quoted(self.dialect(), of.column))
    }

    /// The condition that a column equals a value of the keys.
    fn equals_key(&self, of: Of<'_>, key: &str) -> String {
        format!("{} = {key}", self.column(of))
    }

    fn equals_column(&self, one: Of<'_>, other: Of<'_>) -> String {
        format!("{} = {}", self.column(one), self.column(other))
    }
}

/// The plain terms of SQL.
impl Terms for Dialect {
    fn dialect(&self) -> Dialect {
        *self
    }
}

/// How many rows one key may meet, as far as the catalog tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::observe) enum Meets {
    /// A unique index covers the identity: one row at most.
    One,
    /// An index leads with a column of the identity.
    Indexed,
    /// Nothing is known; the table may have to be read as a whole.
    Unknown,
}

/// A `WITH` name hides a table of the same name. No table can be asked for
/// under this one, because a name of the contract holds no blank.
const SQLITE_KEYS: &str = "\"the keys\"";

/// The derived table of the keys.
pub(in crate::observe) fn keys(dialect: Dialect, casts: &[String], count: usize) -> String {
    match dialect {
        Dialect::Postgres => {
            let list = |make: &dyn Fn(usize, &String) -> String| -> String {
                let parts: Vec<String> = casts
                    .iter()
                    .enumerate()
                    .map(|(at, cast)| make(at + 1, cast))
                    .collect();
                parts.join(", ")
            };
            if casts.is_empty() {
                return "(SELECT n FROM generate_series(1, $1::bigint) AS u(n)) AS k".to_owned();
            }
            let values = list(&|at, cast| format!("v{at}::{cast} AS v{at}"));
            // Behind a SELECT the planner does not see how long they are. It would
            // else read a large table as a whole for each batch instead of
            // following its index.
            let arrays = list(&|at, _| format!("(SELECT ${at}::text[])"));
            let names = list(&|at, _| format!("v{at}"));
            format!(
                "(SELECT n, {values} FROM unnest({arrays}) WITH ORDINALITY AS u({names}, n)) AS k"
            )
        }
        Dialect::Mysql => mysql_keys(casts, count),
        Dialect::Sqlite => {
            let mut next = 0;
            let rows: Vec<String> = (1..=count)
                .map(|number| {
                    let values: Vec<String> = casts
                        .iter()
                        .map(|_| {
                            next += 1;
                            format!(", {}", dialect.parameter(next))
                        })
                        .collect();
                    format!("({number}{})", values.concat())
                })
                .collect();
            let names: Vec<String> = (1..=casts.len()).map(|at| format!(", v{at}")).collect();
            format!(
                "{SQLITE_KEYS}(n{}) AS (VALUES {})",
                names.concat(),
                rows.join(", ")
            )
        }
    }
}

/// Converts every value of PostgreSQL keys whose type may refuse some, without
/// looking at a table: inside a comparison the server converts a value only
/// when a row is there.
pub(in crate::observe) fn conversions(
    casts: &[String],
    may_fail: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let mut values = Vec::new();
    let mut arrays = Vec::new();
    let mut names = Vec::new();
    for (at, cast) in casts.iter().enumerate() {
        let at = at + 1;
        arrays.push(format!("${at}::text[]"));
        names.push(format!("v{at}"));
        if may_fail(cast) {
            values.push(format!("count(v{at}::{cast})"));
        }
    }
    let (arrays, names) = (arrays.join(", "), names.join(", "));
    (!values.is_empty()).then(|| {
        let values = values.join(", ");
        format!("SELECT {values} FROM unnest({arrays}) AS u({names})")
    })
}

/// `VALUES` is spelled differently by the two servers of this family; a union
/// of rows without a table is understood by every version. Each cast is
/// in every row, so that no row widens or narrows the type of another.
fn mysql_keys(casts: &[String], count: usize) -> String {
    let row = |number: usize| {
        let values: Vec<String> = casts.iter().map(|cast| format!(", {cast}")).collect();
        format!("SELECT {number}{}", values.concat())
    };
    let named: Vec<String> = casts
        .iter()
        .enumerate()
        .map(|(at, cast)| format!(", {cast} AS v{}", at + 1))
        .collect();
    let mut rows = vec![format!("SELECT 1 AS n{}", named.concat())];
    rows.extend((2..=count).map(row));
    format!("({}) AS k", rows.join(" UNION ALL "))
}

/// Rows by key, up to so many of each: number of the key, then the wanted columns.
pub(in crate::observe) fn rows(
    terms: &dyn Terms,
    table: &TableRef,
    identity: &[String],
    wanted: &[String],
    keys: &str,
    meets: Meets,
    most: usize,
) -> String {
    let t = terms.table(table);
    let on = equal(terms, table, identity);
    let list: Vec<String> = wanted.iter().map(|column| format!(", {column}")).collect();
    let list = list.concat();
    match (terms.dialect(), meets) {
        (Dialect::Postgres, Meets::Indexed) => {
            let inner = if wanted.is_empty() {
                "1".to_owned()
            } else {
                wanted.join(", ")
            };
            format!(
                "SELECT k.n, r.* FROM {keys} CROSS JOIN LATERAL (SELECT {inner} FROM {t} AS t WHERE {on} LIMIT {most}) AS r"
            )
        }
        (Dialect::Postgres | Dialect::Mysql, Meets::One) => {
            format!("SELECT k.n{list} FROM {keys} JOIN {t} AS t ON {on}")
        }
        (Dialect::Postgres, Meets::Unknown) | (Dialect::Mysql, Meets::Indexed | Meets::Unknown) => {
            format!(
                "SELECT * FROM (SELECT k.n{list}, row_number() OVER (PARTITION BY k.n) AS place FROM {keys} JOIN {t} AS t ON {on}) AS r WHERE r.place <= {most}"
            )
        }
        (Dialect::Sqlite, Meets::One | Meets::Indexed | Meets::Unknown) => {
            format!("WITH {keys} SELECT k.n{list} FROM {SQLITE_KEYS} AS k JOIN {t} AS t ON {on}")
        }
    }
}

/// Rows by the text of one column of PostgreSQL: that text, then the wanted
/// columns. The planner is shown the keys only where they are many for the
/// size of the table, as in [`keys`].
pub(in crate::observe) fn rows_by_text(
    terms: &dyn Terms,
    table: &TableRef,
    column: &str,
    cast: &str,
    wanted: &[String],
    is_shown: bool,
) -> String {
    let (t, column) = (terms.table(table), quoted(terms.dialect(), column));
    let list: Vec<String> = wanted.iter().map(|column| format!(", {column}")).collect();
    let list = list.concat();
    let keys = if is_shown {
        "$1::text[]"
    } else {
        "(SELECT $1::text[])"
    };
    format!("SELECT t.{column}::text{list} FROM {t} AS t WHERE t.{column} = ANY ({keys}::{cast}[])")
}

/// The values of a column from one end of its order, those without NULL.
pub(in crate::observe) fn end(
    terms: &dyn Terms,
    table: &TableRef,
    column: &str,
    shown: &str,
    descending: bool,
    most: usize,
) -> String {
    let t = terms.table(table);
    let column = terms.column(Of::new(table, "t", column));
    let order = if descending { " DESC" } else { "" };
    format!(
        "SELECT {shown} FROM {t} AS t WHERE {column} IS NOT NULL ORDER BY {column}{order} LIMIT {most}"
    )
}

/// One scalar by key: number of the key, then the scalar.
pub(in crate::observe) fn scalars(terms: &dyn Terms, lookup: &ScalarLookup, keys: &str) -> String {
    let scalar = scalar(terms, lookup);
    match terms.dialect() {
        Dialect::Postgres => format!("SELECT k.n, ({scalar})::text FROM {keys}"),
        Dialect::Sqlite => format!("WITH {keys} SELECT k.n, ({scalar}) FROM {SQLITE_KEYS} AS k"),
        Dialect::Mysql => format!("SELECT k.n, ({scalar}) FROM {keys}"),
    }
}

fn scalar(terms: &dyn Terms, lookup: &ScalarLookup) -> String {
    let t = |table: &TableRef| terms.table(table);
    match lookup {
        ScalarLookup::Count { table, columns } => {
            let filter = filter(terms, table, columns);
            format!("SELECT COUNT(*) FROM {} AS t{filter}", t(table))
        }
        ScalarLookup::Exists { table, columns } => {
            let filter = filter(terms, table, columns);
            format!("SELECT EXISTS (SELECT 1 FROM {} AS t{filter})", t(table))
        }
        ScalarLookup::Sum {
            table,
            column,
            columns,
        } => {
            let summed = terms.column(Of::new(table, "t", column));
            let filter = filter(terms, table, columns);
            format!(
                "SELECT COALESCE(SUM({summed}), 0) FROM {} AS t{filter}",
                t(table)
            )
        }
        ScalarLookup::Join { .. } => join(terms, lookup),
        ScalarLookup::Orphans { .. } => format!("SELECT COUNT(*) {}", orphans(terms, lookup)),
    }
}

fn join(terms: &dyn Terms, lookup: &ScalarLookup) -> String {
    let ScalarLookup::Join {
        left,
        right,
        left_column,
        right_column,
        columns,
    } = lookup
    else {
        return String::new();
    };
    let condition = |(at, (is_left, column)): (usize, &(bool, String))| {
        let of = if *is_left {
            Of::new(left, "l", column)
        } else {
            Of::new(right, "r", column)
        };
        terms.equals_key(of, &format!("k.v{}", at + 1))
    };
    let conditions: Vec<String> = columns.iter().enumerate().map(condition).collect();
    let filter = if conditions.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", conditions.join(" AND "))
    };
    let on = terms.equals_column(
        Of::new(left, "l", left_column),
        Of::new(right, "r", right_column),
    );
    let (left, right) = (terms.table(left), terms.table(right));
    format!("SELECT COUNT(*) FROM {left} AS l INNER JOIN {right} AS r ON {on}{filter}")
}

/// From where orphans come, with all conditions.
fn orphans(terms: &dyn Terms, lookup: &ScalarLookup) -> String {
    let ScalarLookup::Orphans {
        anchor,
        lookup,
        anchor_column,
        lookup_column,
        presence,
        anchor_columns,
        lookup_columns,
    } = lookup
    else {
        return String::new();
    };
    let and = |of: Of<'_>, number: usize| {
        let equal = terms.equals_key(of, &format!("k.v{number}"));
        format!(" AND {equal}")
    };
    let own = anchor_columns.iter().zip(1..);
    let own: Vec<String> = own
        .map(|(column, at)| and(Of::new(anchor, "a", column), at))
        .collect();
    let partner = lookup_columns.iter().zip(anchor_columns.len() + 1..);
    let partner: Vec<String> = partner
        .map(|(column, at)| and(Of::new(lookup, "l", column), at))
        .collect();
    format!(
        "FROM {} AS a LEFT JOIN {} AS l ON {}{} WHERE {} IS NULL{}",
        terms.table(anchor),
        terms.table(lookup),
        terms.equals_column(
            Of::new(anchor, "a", anchor_column),
            Of::new(lookup, "l", lookup_column)
        ),
        partner.concat(),
        terms.column(Of::new(lookup, "l", presence)),
        own.concat(),
    )
}

/// Up to three rows that a count is about: the columns that were asked for.
pub(in crate::observe) fn sample(
    terms: &dyn Terms,
    lookup: &ScalarLookup,
    keys: &str,
    shown: &dyn Fn(&str, &str) -> String,
) -> Option<(String, Vec<String>)> {
    let (columns, from) = match lookup {
        ScalarLookup::Count { table, columns } => {
            let on = equal(terms, table, columns);
            (columns.clone(), (terms.table(table), on))
        }
        ScalarLookup::Orphans {
            anchor_column,
            anchor_columns,
            ..
        } => {
            let mut columns = vec![anchor_column.clone()];
            columns.extend(
                anchor_columns
                    .iter()
                    .filter(|column| *column != anchor_column)
                    .cloned(),
            );
            (columns, (String::new(), String::new()))
        }
        ScalarLookup::Exists { .. } | ScalarLookup::Sum { .. } | ScalarLookup::Join { .. } => {
            return None;
        }
    };
    let alias = if from.0.is_empty() { "a" } else { "t" };
    let list: Vec<String> = columns.iter().map(|column| shown(alias, column)).collect();
    let list = list.join(", ");
    let lateral = matches!(terms.dialect(), Dialect::Postgres);
    let (keys_with, keys_from) = match terms.dialect() {
        Dialect::Postgres | Dialect::Mysql => (String::new(), keys.to_owned()),
        Dialect::Sqlite => (format!("WITH {keys} "), format!("{SQLITE_KEYS} AS k")),
    };
    let sql = if from.0.is_empty() {
        let inner = orphans(terms, lookup);
        // The keys are one row; conditions reach it from the inner query.
        if lateral {
            format!(
                "SELECT s.* FROM {keys_from} CROSS JOIN LATERAL (SELECT {list} {inner} LIMIT 3) AS s"
            )
        } else {
            let inner = inner.replacen("FROM ", &format!("FROM {keys_from} CROSS JOIN "), 1);
            format!("{keys_with}SELECT {list} {inner} LIMIT 3")
        }
    } else {
        format!(
            "{keys_with}SELECT {list} FROM {keys_from} JOIN {} AS t ON {} LIMIT 3",
            from.0, from.1
        )
    };
    Some((sql, columns))
}

fn quoted(dialect: Dialect, name: &str) -> String {
    dialect.quoted(&super::Identifier::from_catalog(name))
}

/// A table called `t`, by the values of the keys in their order.
fn equal(terms: &dyn Terms, table: &TableRef, columns: &[String]) -> String {
    let condition = |(at, column): (usize, &String)| {
        terms.equals_key(Of::new(table, "t", column), &format!("k.v{}", at + 1))
    };
    let parts: Vec<String> = columns.iter().enumerate().map(condition).collect();
    parts.join(" AND ")
}

fn filter(terms: &dyn Terms, table: &TableRef, columns: &[String]) -> String {
    if columns.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", equal(terms, table, columns))
    }
}

#[cfg(test)]
mod tests;
