//! The questions about whole tables that a contract can ask, and that are planned and looked up.

/// What is asked about tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// How many rows fulfil the conditions.
    Count,
    /// Whether there is such a row.
    Exists,
    /// The sum of a column over such rows.
    Sum,
    /// How many rows a join has.
    Join,
    /// How many rows of the first table have no partner in the second.
    Orphans,
}
