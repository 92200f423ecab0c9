//! What should be true: the expectation of each step, resolved. Pure.

pub(crate) mod narrative;
pub(crate) mod order;
mod resolve;
mod shapes;
pub(crate) mod show;

use std::sync::Arc;

use crosscheck_core::JsString;
use crosscheck_core::json::Scalar;
use smallvec::SmallVec;

pub(crate) use resolve::{Unresolved, request};
pub(crate) use shapes::Shapes;

use super::read::{Op, Relation};
use crate::plan::lookup::{RowLookup, ScalarLookup};

/// What a step must have left behind.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    Row(RowRequest),
    Absent(AbsentRequest),
    Effects(Vec<(JsString, RowRequest)>),
    Relational(Vec<(JsString, Check)>),
    Witness(Witness),
}

/// A row that must be there.
#[derive(Debug, Clone)]
pub(crate) struct RowRequest {
    /// Table, columns and fields, shared by all steps that ask for the same.
    pub(crate) shape: Arc<RowLookup>,
    /// A value for each column of the identity; it travels as text.
    pub(crate) key: SmallVec<[JsString; 1]>,
    /// A value for each field.
    pub(crate) values: Vec<Scalar>,
}

impl RowRequest {
    pub(crate) fn table(&self) -> &str {
        self.shape.table.name.as_str()
    }

    /// Columns and values, in column order.
    pub(crate) fn identity(&self) -> impl Iterator<Item = (&str, &JsString)> {
        let columns = self.shape.identity.iter().map(String::as_str);
        columns.zip(&self.key)
    }

    /// Names and expected values, in field order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Scalar)> {
        let names = self.shape.fields.iter().map(String::as_str);
        names.zip(&self.values)
    }
}

/// Rows that must be gone.
#[derive(Debug, Clone)]
pub(crate) struct AbsentRequest {
    /// How many there are.
    pub(crate) shape: ScalarLookup,
    /// A value for each condition; it travels as text.
    pub(crate) key: Vec<JsString>,
    /// How many of the conditions are the identity; the others filter.
    pub(crate) identities: usize,
}

impl AbsentRequest {
    pub(crate) fn table(&self) -> &str {
        let table = self.shape.tables.first();
        table.map_or("", |table| table.name.as_str())
    }

    /// Columns and values of the identity, in column order, then of the filter.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = (&str, &JsString)> {
        let columns = self.shape.conditions.iter();
        columns.map(|(_, column)| column.as_str()).zip(&self.key)
    }
}

/// One relation.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    /// How the contract names its parts.
    pub(crate) relation: &'static Relation,
    pub(crate) shape: ScalarLookup,
    /// A value for each condition; it travels as text.
    pub(crate) key: Vec<JsString>,
    pub(crate) expect: Option<Expect>,
}

impl Check {
    /// Its conditions on one table.
    pub(crate) fn conditions(&self, side: usize) -> impl Iterator<Item = (&str, &JsString)> {
        let all = self.shape.conditions.iter().zip(&self.key);
        let own = all.filter(move |((at, _), _)| *at == side);
        own.map(|((_, column), value)| (column.as_str(), value))
    }
}

/// An expected number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Expect {
    pub(crate) op: Op,
    pub(crate) value: f64,
}

/// Something outside the database, as far as reports show it.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub(crate) kind: &'static str,
    pub(crate) parts: Vec<(&'static str, JsString)>,
    pub(crate) method: &'static str,
    pub(crate) status: Option<f64>,
    /// The filter and the fields of a document.
    pub(crate) objects: Vec<(&'static str, serde_json::Map<String, serde_json::Value>)>,
}

impl Witness {
    /// How coverage counts it.
    pub(crate) fn coverage_kind(&self) -> &'static str {
        match self.kind {
            "object_storage_object" => "object_storage",
            other => other,
        }
    }
}
