//! What should be true: one unit for each thing to look up.
//!
//! Pure. The catalog comes from the survey of the database; nothing here
//! touches it again.

mod bucket;
mod explain;
pub(crate) mod names;
mod related;
mod row;
mod score;

use crosscheck_core::json::Scalar;
use crosscheck_core::{JsString, UnitId};

pub(crate) use explain::explain;
pub use score::{T_COL, T_EXPORT};

use crate::observe::{Catalog, Identifier, TableRef};
use crate::quick::read::{Action, Log};
use crate::reasons::RowReason;
use score::TableName;

/// At most this many units are checked in a run.
pub const MAX_UNITS: usize = 20;

/// The confidence of every relational unit.
const RELATED_CONFIDENCE: f64 = 0.8;

/// One thing to check.
#[derive(Debug, Clone)]
pub struct Unit {
    /// `u0`, `u1`, … in order of planning.
    pub id: UnitId,
    /// Index of the tool call among the checked ones.
    pub action: usize,
    /// How sure the mapping is, 0 to 1.
    pub confidence: f64,
    /// What should be found.
    pub expectation: Expectation,
    /// The parameters that are compared with nothing.
    pub unused: Unused,
    /// How the mapping came about, for people.
    pub rationale: Vec<String>,
}

/// Parameters of a row that fit none of its columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unused {
    /// The paths of the first few.
    pub first: Vec<JsString>,
    /// How many there are.
    pub count: usize,
}

/// What should be found.
#[derive(Debug, Clone)]
pub enum Expectation {
    /// A row.
    Row(RowRequest),
    /// A row that points to a parent.
    Related(RelatedRequest),
    /// Nothing that could be looked up.
    Unmapped(Unmapped),
}

/// A table, the columns by which a row is found, and what it should hold.
type LookedUp<'u> = (&'u TableRef, &'u [Identity], &'u [(Identifier, Scalar)]);

impl Expectation {
    /// Where a row is looked for, by which columns, and what it should hold.
    pub(crate) fn looked_up(&self) -> Option<LookedUp<'_>> {
        match self {
            Self::Row(request) => Some((&request.table, &request.identity, &request.fields)),
            Self::Related(request) => Some((&request.child, &request.match_eq, &[])),
            Self::Unmapped(_) => None,
        }
    }

    /// The table it is about, if only by its name.
    pub(crate) fn table(&self) -> &TableRef {
        match self {
            Self::Row(request) => &request.table,
            Self::Related(request) => &request.child,
            Self::Unmapped(unmapped) => &unmapped.table,
        }
    }
}

/// A row with an identity, and values it should hold.
#[derive(Debug, Clone)]
pub struct RowRequest {
    /// Where.
    pub table: TableRef,
    /// Key columns in UTF-16 order, with the value as text.
    pub identity: Vec<Identity>,
    /// Compared columns in UTF-16 order.
    pub fields: Vec<(Identifier, Scalar)>,
}

/// A key column and the value it should have.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The column.
    pub column: Identifier,
    /// The value as text.
    pub value: JsString,
    /// The flat path the value came from; empty for relational units.
    pub path: JsString,
}

/// A child row that should be there because a tool call names both ends.
#[derive(Debug, Clone)]
pub struct RelatedRequest {
    /// `fk:<child table>.<child columns>`.
    pub check_id: String,
    /// The child table.
    pub child: TableRef,
    /// Child columns in UTF-16 order, with the value as text.
    pub match_eq: Vec<Identity>,
}

/// A bucket of parameters that leads to no row.
#[derive(Debug, Clone)]
pub struct Unmapped {
    /// The best table, for what it is worth.
    pub table: TableRef,
    /// Why.
    pub codes: Vec<RowReason>,
    /// Two tables that match equally well, with their scores.
    pub alternates: Vec<(TableRef, f64)>,
}

/// What a run will check.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// At most [`MAX_UNITS`] units.
    pub units: Vec<Unit>,
    /// There would have been more.
    pub capped: bool,
}

/// Plans the units of all tool calls: for each, rows first, then relations.
pub fn units(log: &Log, catalog: &Catalog) -> Plan {
    let mut plan = Plan::default();
    if catalog.tables.is_empty() {
        return plan;
    }
    let names = table_names(catalog);
    for (index, action) in log.actions.iter().enumerate() {
        let rows = bucket::of(action, catalog, &names)
            .into_iter()
            .map(|bucket| row::unit(&bucket, action, catalog, &names));
        for planned in rows {
            if !plan.push(index, planned) {
                return plan;
            }
        }
        for planned in related::units(action, catalog) {
            if !plan.push(index, planned) {
                return plan;
            }
        }
    }
    plan
}

fn table_names(catalog: &Catalog) -> Vec<TableName> {
    catalog
        .tables
        .iter()
        .map(|table| TableName::new(table.table.name.as_str()))
        .collect()
}

/// A unit before it has its number.
struct Planned {
    confidence: f64,
    expectation: Expectation,
    unused: Unused,
    rationale: Vec<String>,
}

impl Plan {
    /// Numbers a unit; `false` when the cap is reached.
    fn push(&mut self, action: usize, planned: Planned) -> bool {
        if self.units.len() == MAX_UNITS {
            self.capped = true;
            return false;
        }
        self.units.push(Unit {
            id: UnitId::numbered('u', self.units.len()),
            action,
            confidence: planned.confidence,
            expectation: planned.expectation,
            unused: planned.unused,
            rationale: planned.rationale,
        });
        true
    }
}

/// The tool call a unit belongs to.
pub fn action_of<'l>(log: &'l Log, unit: &Unit) -> Option<&'l Action> {
    log.actions.get(unit.action)
}

#[cfg(test)]
mod tests;
