//! What `quick`, `check` and `rows` ask of a database: a table, its columns, and
//! a key. Look-ups of the same shape are answered together.

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::observe::TableRef;
pub use crate::relation::ScalarKind;

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

/// A number or truth value about one table, or about two that are joined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ScalarLookup {
    /// What is asked.
    pub kind: ScalarKind,
    /// The table; of two, the first is the one whose rows are counted.
    pub tables: Vec<TableRef>,
    /// The summed column; or the joined column of each table, and then the one
    /// of the second that tells whether there is a partner.
    pub columns: Vec<String>,
    /// The columns that equal the values of a key, each with the place of its
    /// table.
    pub conditions: Vec<(usize, String)>,
}

impl ScalarLookup {
    /// A question about one table.
    pub fn of_one(kind: ScalarKind, table: &str, columns: &[&str], conditions: &[&str]) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let condition = |name: &&str| (0, (*name).to_owned());
        Self {
            kind,
            tables: vec![table.into()],
            columns: names(columns),
            conditions: conditions.iter().map(condition).collect(),
        }
    }

    /// The columns of its tables that its kind names, each with its table.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&TableRef, &str)> {
        let last = self.tables.last();
        let tables = self.tables.iter().chain(last);
        tables.zip(self.columns.iter().map(String::as_str))
    }

    /// The columns of its conditions, each with its table.
    pub(crate) fn compared(&self) -> impl Iterator<Item = (&TableRef, &str)> {
        let conditions = self.conditions.iter();
        conditions.filter_map(|(at, column)| Some((self.tables.get(*at)?, column.as_str())))
    }

    /// The columns whose values are compared with a key or with each other.
    pub(crate) fn equated(&self) -> impl Iterator<Item = (&TableRef, &str)> {
        let is_joined = matches!(self.kind, ScalarKind::Join | ScalarKind::Orphans);
        let joined = self.named().take(if is_joined { 2 } else { 0 });
        joined.chain(self.compared())
    }

    /// The table of which rows can be shown.
    pub(crate) fn sampled(&self) -> Option<&TableRef> {
        let has_rows = matches!(self.kind, ScalarKind::Count | ScalarKind::Orphans);
        self.tables.first().filter(|_| has_rows)
    }
}

/// One key: a text for each condition.
pub type Key = SmallVec<[SmolStr; 1]>;
