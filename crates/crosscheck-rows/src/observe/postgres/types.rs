//! Types, and how their values are compared and read without running code
//! that somebody defined inside the database.
//!
//! Operators and functions come from `pg_catalog` alone (see
//! [`session`](super::session)). A cast, however, is found by its types, and
//! whoever owns a type may define one. So values of a type of one's own are
//! read by its output function, and compared by the operator of its operator
//! class, which only an administrator can define, or by their texts.

use std::collections::HashMap;

use tokio_postgres::{Client, Error};

use crate::observe::catalog::{ColumnKind, Holds};
use crate::observe::{VALUE_MAX, too_long};

const TYPES: &str = "\
    SELECT t.oid, t.typname::text, t.typcategory::text, t.typtype::text, t.typbasetype, \
           n.nspname::text = 'pg_catalog', format_type(t.oid, -1) \
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype <> 'c'";

/// The equality of operator classes of types. Functions in these languages are
/// those of the server and of extensions. The B-tree comes last, and counts.
const OPERATORS: &str = "\
    SELECT c.opcintype, s.nspname::text, o.oprname::text FROM pg_opclass c \
    JOIN pg_am m ON m.oid = c.opcmethod \
    JOIN pg_amop a ON a.amopfamily = c.opcfamily AND a.amoplefttype = c.opcintype AND a.amoprighttype = c.opcintype \
    JOIN pg_operator o ON o.oid = a.amopopr JOIN pg_namespace s ON s.oid = o.oprnamespace \
    JOIN pg_proc p ON p.oid = o.oprcode JOIN pg_language l ON l.oid = p.prolang \
    WHERE c.opcintype = ANY($1) AND c.opcdefault AND l.lanname IN ('c', 'internal') \
      AND (m.amname = 'btree' AND a.amopstrategy = 3 OR m.amname = 'hash' AND a.amopstrategy = 1) \
    ORDER BY m.amname DESC";

/// Types whose comparison with a key may be decided by a cast of their owner:
/// one from text, or one that is applied without being asked for. Anybody can
/// own an enumeration, and borrow a function of the server for its casts.
const CASTS: &str = "\
    SELECT t.oid FROM pg_cast x \
    JOIN pg_type t ON t.oid = ANY($1) AND (x.castsource = t.oid AND x.castcontext::text = 'i' \
                                           OR x.casttarget = t.oid AND x.castsource = 'text'::regtype) \
    LEFT JOIN pg_proc p ON p.oid = x.castfunc LEFT JOIN pg_language l ON l.oid = p.prolang \
    WHERE t.typtype::text = 'e' AND (x.castsource = t.oid OR p.oid IS NOT NULL) \
       OR l.lanname NOT IN ('c', 'internal')";

/// How a column is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Equality {
    /// By the server's own operator.
    Own,
    /// By the operator of this schema and name, written as SQL.
    Operator(String),
    /// By the texts of both sides.
    Texts,
}

/// The type of a column, for a domain that which it is based on: comparing
/// does not check the constraints of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnType {
    /// How values are read.
    pub(super) kind: ColumnKind,
    /// What values there can be.
    pub(super) holds: Holds,
    /// Its name as SQL, with the schema where that is needed.
    name: String,
    /// Whether it is one of the server's own.
    is_own: bool,
    equality: Equality,
}

impl ColumnType {
    /// A type of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self {
            kind: ColumnKind::Plain,
            holds: Holds::Other,
            name: "text".to_owned(),
            is_own: false,
            equality: Equality::Texts,
        }
    }

    /// The type that a key is cast to.
    pub(super) fn of_key(&self) -> &str {
        match self.equality {
            Equality::Own | Equality::Operator(_) => &self.name,
            Equality::Texts => "text",
        }
    }

    /// Whether equal values are found by any spelling of a key. By their texts
    /// they are not, so that nothing can be said to be absent.
    pub(super) fn finds_all(&self) -> bool {
        self.equality != Equality::Texts
    }

    /// Whether the server itself knows how to add its values up.
    pub(super) fn may_be_summed(&self) -> bool {
        self.is_own
    }

    /// A column as the server's own text. A cast would cut the blanks of a
    /// padded one; values that are not scalars are not transferred.
    pub(super) fn as_text(&self, column: &str) -> String {
        match self.kind {
            ColumnKind::Padded => column.to_owned(),
            ColumnKind::Unreadable => format!("CASE WHEN {column} IS NOT NULL THEN '' END"),
            _ => self.printed(column),
        }
    }

    /// Whether a value may be longer than is read.
    pub(super) fn may_be_long(&self) -> bool {
        let is_wide = matches!(
            self.kind,
            ColumnKind::Plain | ColumnKind::Padded | ColumnKind::Json | ColumnKind::List
        );
        is_wide && self.holds != Holds::Uuid
    }

    /// Every value as text, whatever its kind.
    fn printed(&self, column: &str) -> String {
        if self.is_own {
            format!("{column}::text")
        } else {
            // this test of a row is about the row, not about its columns
            format!("CASE WHEN {column} IS DISTINCT FROM NULL THEN format('%s', {column}) END")
        }
    }

    /// The condition that a column equals a key.
    pub(super) fn equals_key(&self, column: &str, key: &str) -> String {
        match &self.equality {
            Equality::Own => format!("{column} = {key}"),
            // both sides have exactly the type of the operator, so that no
            // other one of that name fits better
            Equality::Operator(operator) => {
                let name = &self.name;
                format!("{column}::{name} {operator} {key}::{name}")
            }
            Equality::Texts => format!("{} = {key}", self.printed(column)),
        }
    }

    /// The condition that two columns are equal.
    pub(super) fn equals_column(&self, column: &str, other: &Self, other_column: &str) -> String {
        match &self.equality {
            Equality::Own if self.is_own && other.is_own || self == other => {
                format!("{column} = {other_column}")
            }
            Equality::Operator(_) if self == other => self.equals_key(column, other_column),
            _ => {
                let (left, right) = (self.printed(column), other.printed(other_column));
                format!("{left} = {right}")
            }
        }
    }
}

/// Texts of columns, of which the first that may be long ends the statement
/// with [`too_long`] where those of a row are, together. Such a row is never
/// sent. The message is part of the row's own value for the planner, which
/// else would convert it beforehand, for any row.
pub(super) fn bounded(columns: &[(String, bool)]) -> Vec<String> {
    let long = columns.iter().filter(|(_, is_long)| *is_long);
    let lengths: Vec<String> = long
        .map(|(text, _)| format!("coalesce(octet_length({text}), 0)::bigint"))
        .collect();
    let first = columns.iter().position(|(_, is_long)| *is_long);
    let guard = |text: &str| {
        let (length, why) = (lengths.join(" + "), too_long());
        format!(
            "CASE WHEN {length} > {VALUE_MAX} THEN ('{why}' || left(({length})::text, 0))::bigint::text ELSE {text} END"
        )
    };
    let texts = columns.iter().enumerate();
    texts
        .map(|(at, (text, _))| {
            if Some(at) == first {
                guard(text)
            } else {
                text.clone()
            }
        })
        .collect()
}

struct KnownType {
    name: String,
    category: String,
    type_type: String,
    base: u32,
    is_own: bool,
    sql: String,
    equality: Equality,
}

/// Every type of the server, by its number; rows of tables are none of them.
pub(super) struct Types(HashMap<u32, KnownType>);

impl Types {
    pub(super) async fn read(client: &Client) -> Result<Self, Error> {
        let mut types = HashMap::new();
        for row in client.query(TYPES, &[]).await? {
            let is_own = row.try_get(5)?;
            let known = KnownType {
                name: row.try_get(1)?,
                category: row.try_get(2)?,
                type_type: row.try_get(3)?,
                base: row.try_get(4)?,
                is_own,
                sql: row.try_get(6)?,
                equality: if is_own {
                    Equality::Own
                } else {
                    Equality::Texts
                },
            };
            types.insert(row.try_get::<_, u32>(0)?, known);
        }
        choose_equality(client, &mut types).await?;
        Ok(Self(types))
    }

    /// The type of a column with the type of this number.
    pub(super) fn of_column(&self, mut number: u32) -> ColumnType {
        // domains over domains end, unless the answer of the server is damaged
        for _ in 0..self.0.len() {
            let Some(known) = self.0.get(&number) else {
                break;
            };
            if known.type_type == "d" && known.base != number {
                number = known.base;
                continue;
            }
            let (kind, holds) = known.values();
            return ColumnType {
                kind,
                holds,
                name: known.sql.clone(),
                is_own: known.is_own,
                equality: known.equality.clone(),
            };
        }
        ColumnType::unknown()
    }
}

impl KnownType {
    /// Enumerations, and types with functions of their own. Rows, arrays and
    /// ranges would bring the types and domains inside them along.
    fn may_have_an_operator(&self) -> bool {
        !self.is_own && matches!(self.type_type.as_str(), "b" | "e") && self.category != "A"
    }

    /// How values are read, and what values there can be; the scale of a number
    /// is that of its column.
    fn values(&self) -> (ColumnKind, Holds) {
        use ColumnKind as K;
        if self.category == "A" {
            return (K::List, Holds::List);
        }
        if !self.is_own {
            return (K::Plain, Holds::Other);
        }
        match self.name.as_str() {
            "bool" => (K::Boolean, Holds::Boolean),
            "int2" | "int4" | "oid" => (K::Number, Holds::Integer),
            "int8" => (K::Digits, Holds::Integer),
            "float4" => (K::Number, Holds::Single),
            "float8" => (K::Number, Holds::Number(None)),
            "numeric" => (K::Digits, Holds::Number(None)),
            "text" | "varchar" | "name" => (K::Plain, Holds::Text),
            "bpchar" => (K::Padded, Holds::Text),
            "uuid" => (K::Plain, Holds::Uuid),
            "date" => (K::Date, Holds::Day),
            "timestamp" => (K::Timestamp, Holds::Moment(false)),
            "timestamptz" => (K::Timestamp, Holds::Moment(true)),
            "json" | "jsonb" => (K::Json, Holds::Json),
            "inet" => (K::Address, Holds::Other),
            "bytea" => (K::Unreadable, Holds::Bytes),
            "interval" | "point" | "circle" => (K::Unreadable, Holds::Other),
            _ => (K::Plain, Holds::Other),
        }
    }
}

/// Asks only where there are such types, which most databases do not have.
async fn choose_equality(
    client: &Client,
    types: &mut HashMap<u32, KnownType>,
) -> Result<(), Error> {
    let candidates: Vec<u32> = types
        .iter()
        .filter_map(|(number, known)| known.may_have_an_operator().then_some(*number))
        .collect();
    if candidates.is_empty() {
        return Ok(());
    }
    for known in types.values_mut() {
        // the operator of enumerations is the server's own, for all of them
        if known.may_have_an_operator() && known.type_type == "e" {
            known.equality = Equality::Operator("OPERATOR(pg_catalog.=)".to_owned());
        }
    }
    for row in client.query(OPERATORS, &[&candidates]).await? {
        if let Some(known) = types.get_mut(&row.try_get(0)?) {
            let (schema, name): (String, String) = (row.try_get(1)?, row.try_get(2)?);
            let schema = schema.replace('"', "\"\"");
            known.equality = Equality::Operator(format!("OPERATOR(\"{schema}\".{name})"));
        }
    }
    for row in client.query(CASTS, &[&candidates]).await? {
        if let Some(known) = types.get_mut(&row.try_get(0)?) {
            known.equality = Equality::Texts;
        }
    }
    Ok(())
}
