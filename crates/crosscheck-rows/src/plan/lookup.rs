//! What `quick`, `check` and `rows` ask of a database: a table, its columns, and
//! a key. Look-ups of the same shape are answered together.

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::observe::TableRef;

/// How a table is looked into for rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RowLookup {
    /// The table.
    pub table: TableRef,
    /// The columns of the identity.
    pub identity: Vec<String>,
    /// The names of the compared fields.
    pub fields: Vec<String>,
}

/// A number or truth value about tables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ScalarLookup {
    /// How many rows fulfil the conditions.
    Count {
        table: TableRef,
        columns: Vec<String>,
    },
    /// Whether there is such a row.
    Exists {
        table: TableRef,
        columns: Vec<String>,
    },
    /// The sum of a column over such rows.
    Sum {
        table: TableRef,
        column: String,
        columns: Vec<String>,
    },
    /// How many rows a join has; conditions name their side, `true` is left.
    Join {
        left: TableRef,
        right: TableRef,
        left_column: String,
        right_column: String,
        columns: Vec<(bool, String)>,
    },
    /// How many rows of the anchor have no partner; the keys of the partner
    /// come after those of the anchor.
    Orphans {
        anchor: TableRef,
        lookup: TableRef,
        anchor_column: String,
        lookup_column: String,
        presence: String,
        anchor_columns: Vec<String>,
        lookup_columns: Vec<String>,
    },
}

/// One key: a text for each condition.
pub type Key = SmallVec<[SmolStr; 1]>;
