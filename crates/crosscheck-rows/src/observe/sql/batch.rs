//! The statements of batches. docs/SCALE.md shows them; the snapshots below
//! keep the two the same.
//!
//! Contract: check 6.1.

use super::Dialect;
use crate::observe::catalog::TableRef;
use crate::observe::source::{ScalarKind, ScalarLookup};

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

impl Meets {
    /// By the indexes of the table: whether they are unique, and their columns.
    pub(in crate::observe) fn by(
        indexes: &[(bool, Vec<String>)],
        is_key: &dyn Fn(&str) -> bool,
    ) -> Self {
        let covers = |(is_unique, columns): &(bool, Vec<String>)| {
            *is_unique && !columns.is_empty() && columns.iter().all(|column| is_key(column))
        };
        let leads = |(_, columns): &(bool, Vec<String>)| columns.first().is_some_and(|c| is_key(c));
        if indexes.iter().any(covers) {
            Self::One
        } else if indexes.iter().any(leads) {
            Self::Indexed
        } else {
            Self::Unknown
        }
    }
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
    let from = from(terms, lookup);
    match lookup.kind {
        ScalarKind::Exists => format!("SELECT EXISTS (SELECT 1 {from})"),
        ScalarKind::Sum => {
            let summed = lookup.named().next();
            let summed = summed.map(|(table, column)| terms.column(Of::new(table, "t", column)));
            format!(
                "SELECT COALESCE(SUM({}), 0) {from}",
                summed.unwrap_or_default()
            )
        }
        ScalarKind::Count | ScalarKind::Join | ScalarKind::Orphans => {
            format!("SELECT COUNT(*) {from}")
        }
    }
}

/// What the tables of a scalar are called inside its statement.
const fn aliases(kind: ScalarKind) -> [&'static str; 2] {
    match kind {
        ScalarKind::Count | ScalarKind::Exists | ScalarKind::Sum => ["t", "t"],
        ScalarKind::Join => ["l", "r"],
        ScalarKind::Orphans => ["a", "l"],
    }
}

/// From where the rows come, with all conditions. A condition on a partner
/// that may be missing belongs to the join.
fn from(terms: &dyn Terms, lookup: &ScalarLookup) -> String {
    let [first, second] = aliases(lookup.kind);
    let (mut filter, mut partner) = (Vec::new(), String::new());
    let compared = lookup.compared().zip(&lookup.conditions).zip(1..);
    for (((table, column), (side, _)), at) in compared {
        let alias = if *side == 0 { first } else { second };
        let equal = terms.equals_key(Of::new(table, alias, column), &format!("k.v{at}"));
        if lookup.kind == ScalarKind::Orphans && *side == 1 {
            partner.push_str(" AND ");
            partner.push_str(&equal);
        } else {
            filter.push(equal);
        }
    }
    let mut named = lookup.named();
    let tables: Vec<String> = lookup
        .tables
        .iter()
        .map(|table| terms.table(table))
        .collect();
    let from = match (tables.as_slice(), named.next(), named.next()) {
        ([left, right], Some((one, joined)), Some((other, with))) => {
            let on = terms.equals_column(Of::new(one, first, joined), Of::new(other, second, with));
            let join = match lookup.kind {
                ScalarKind::Orphans => "LEFT",
                _ => "INNER",
            };
            format!("FROM {left} AS {first} {join} JOIN {right} AS {second} ON {on}{partner}")
        }
        _ => format!("FROM {} AS {first}", tables.concat()),
    };
    if let Some((table, column)) = named.next() {
        let presence = terms.column(Of::new(table, second, column));
        filter.insert(0, format!("{presence} IS NULL"));
    }
    if filter.is_empty() {
        from
    } else {
        format!("{from} WHERE {}", filter.join(" AND "))
    }
}

/// Up to three rows that a count is about: the columns that were asked for.
pub(in crate::observe) fn sample(
    terms: &dyn Terms,
    lookup: &ScalarLookup,
    keys: &str,
    shown: &dyn Fn(&str, &str) -> String,
) -> Option<(String, Vec<String>)> {
    lookup.sampled()?;
    let [alias, _] = aliases(lookup.kind);
    let joined = (lookup.kind == ScalarKind::Orphans).then(|| lookup.columns.first());
    let own = lookup.conditions.iter().filter(|(side, _)| *side == 0);
    let mut columns: Vec<String> = joined.flatten().cloned().into_iter().collect();
    columns.extend(
        own.map(|(_, column)| column.clone())
            .filter(|column| Some(column) != joined.flatten()),
    );
    let list: Vec<String> = columns.iter().map(|column| shown(alias, column)).collect();
    let (list, from) = (list.join(", "), from(terms, lookup));
    // the keys are one row; conditions reach it from the inner query
    let sql = match terms.dialect() {
        Dialect::Postgres => {
            format!("SELECT s.* FROM {keys} CROSS JOIN LATERAL (SELECT {list} {from} LIMIT 3) AS s")
        }
        Dialect::Mysql => {
            let from = from.replacen("FROM ", &format!("FROM {keys} CROSS JOIN "), 1);
            format!("SELECT {list} {from} LIMIT 3")
        }
        Dialect::Sqlite => {
            let from = from.replacen("FROM ", &format!("FROM {SQLITE_KEYS} AS k CROSS JOIN "), 1);
            format!("WITH {keys} SELECT {list} {from} LIMIT 3")
        }
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

#[cfg(test)]
mod tests;
