//! What should be true: the expectation of each step, resolved. Pure.

pub(crate) mod narrative;
pub(crate) mod order;
mod owners;
mod resolve;
mod shapes;
pub(crate) mod show;

use std::sync::Arc;

use crosscheck_core::JsString;
use crosscheck_core::json::Scalar;
use smallvec::SmallVec;

pub(crate) use owners::{Left, Owners};
pub(crate) use resolve::{Unresolved, request};
pub(crate) use shapes::Shapes;

use super::read::Op;
use crate::plan::lookup::RowLookup;

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
    pub(crate) table: String,
    pub(crate) identity: Vec<Pair>,
    pub(crate) filter: Vec<Pair>,
}

/// Column and value; the value travels as text.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) column: String,
    pub(crate) value: JsString,
}

/// One relation.
#[derive(Debug, Clone)]
pub(crate) enum Check {
    Exists {
        table: String,
        match_eq: Vec<Pair>,
    },
    Aggregate {
        table: String,
        sum: Option<String>,
        where_eq: Vec<Pair>,
        expect: Expect,
    },
    JoinCount {
        left: String,
        right: String,
        left_column: String,
        right_column: String,
        /// `true` for those on the left table.
        where_eq: Vec<(bool, Pair)>,
        expect: Expect,
    },
    AntiJoin {
        anchor: String,
        lookup: String,
        anchor_column: String,
        lookup_column: String,
        presence: String,
        anchor_filter: Vec<Pair>,
        lookup_filter: Vec<Pair>,
    },
}

impl Check {
    /// The word of the contract.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "related_exists",
            Self::Aggregate { .. } => "aggregate",
            Self::JoinCount { .. } => "join_count",
            Self::AntiJoin { .. } => "anti_join",
        }
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
