//! Does it agree? Compares what should be true with what was seen. Pure.

mod scalar;

use crosscheck_core::Verdict;

pub use scalar::{display_cell, display_scalar, scalars_equal};

use crate::observe::RowsSeen;
use crate::quick::plan::{Expectation, RowRequest};
use crate::reasons::RowReason;

/// What we make of a unit.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, if it is not confirmed.
    pub reasons: Vec<RowReason>,
    /// What the look-up showed, for the report.
    pub facts: LookedUp,
}

/// What a look-up showed, as far as the contract reports it.
#[derive(Debug, Clone, PartialEq)]
pub enum LookedUp {
    /// No row look-up took place, or it failed.
    None,
    /// This many rows (two means two or more).
    Rows(u8),
    /// The row has no such column.
    Shape(Vec<String>),
    /// The value of this field is not a scalar.
    Unreadable(String),
    /// This field differs.
    Mismatch {
        /// The column.
        field: String,
        /// What the log said, as a literal.
        expected: String,
        /// What the row holds, as a literal.
        actual: String,
    },
}

/// Judges one unit.
pub fn unit(expectation: &Expectation, seen: Option<&RowsSeen>) -> Judgement {
    match (expectation, seen) {
        (Expectation::Unmapped(unmapped), _) => Judgement {
            verdict: Verdict::Undecided,
            reasons: unmapped.codes.clone(),
            facts: LookedUp::None,
        },
        (Expectation::Row(request), Some(seen)) => row(request, seen),
        (Expectation::Related(_), Some(seen)) => related(seen),
        // A look that did not take place decides nothing.
        (Expectation::Row(_) | Expectation::Related(_), None) => {
            undecided(RowReason::ConnectorError, LookedUp::None)
        }
    }
}

/// A.12: how many rows, then field by field; the first problem ends the check.
fn row(request: &RowRequest, seen: &RowsSeen) -> Judgement {
    let row = match seen {
        RowsSeen::Failed(_) => return undecided(RowReason::ConnectorError, LookedUp::None),
        RowsSeen::None => return refuted(RowReason::RowAbsent, LookedUp::Rows(0)),
        RowsSeen::Many(_) => return refuted(RowReason::DuplicateRows, LookedUp::Rows(2)),
        RowsSeen::One(row) => row,
    };
    for (field, expected) in &request.fields {
        let name = field.as_str();
        let Some(actual) = row.get(name) else {
            let keys = row
                .columns()
                .map(|(column, _)| column.to_lowercase())
                .collect();
            return undecided(RowReason::RowShapeMismatch, LookedUp::Shape(keys));
        };
        if !actual.is_scalar() {
            return undecided(
                RowReason::UnreadableValue,
                LookedUp::Unreadable(name.to_owned()),
            );
        }
        if !scalars_equal(expected, actual) {
            let facts = LookedUp::Mismatch {
                field: name.to_owned(),
                expected: display_scalar(expected),
                actual: display_cell(actual),
            };
            return refuted(RowReason::ValueMismatch, facts);
        }
    }
    Judgement {
        verdict: Verdict::Confirmed,
        reasons: Vec::new(),
        facts: LookedUp::Rows(1),
    }
}

fn related(seen: &RowsSeen) -> Judgement {
    match seen {
        RowsSeen::One(_) | RowsSeen::Many(_) => Judgement {
            verdict: Verdict::Confirmed,
            reasons: Vec::new(),
            facts: LookedUp::None,
        },
        RowsSeen::None => refuted(RowReason::RelatedRowsAbsent, LookedUp::None),
        RowsSeen::Failed(_) => undecided(RowReason::ConnectorError, LookedUp::None),
    }
}

fn refuted(reason: RowReason, facts: LookedUp) -> Judgement {
    Judgement {
        verdict: Verdict::Refuted,
        reasons: vec![reason],
        facts,
    }
}

fn undecided(reason: RowReason, facts: LookedUp) -> Judgement {
    Judgement {
        verdict: Verdict::Undecided,
        reasons: vec![reason],
        facts,
    }
}

#[cfg(test)]
mod tests {
    use crosscheck_core::json::Scalar;

    use super::*;
    use crate::observe::source::BatchError;
    use crate::observe::{Cell, Identifier, Row, TableRef};

    fn request(fields: &[(&str, Scalar)]) -> RowRequest {
        RowRequest {
            table: TableRef {
                schema: None,
                name: Identifier::from_catalog("t"),
            },
            identity: Vec::new(),
            fields: fields
                .iter()
                .map(|(name, value)| (Identifier::from_catalog(*name), value.clone()))
                .collect(),
        }
    }

    fn one(cells: &[(&str, Cell)]) -> RowsSeen {
        RowsSeen::One(Row::of(
            cells
                .iter()
                .map(|(name, cell)| ((*name).to_owned(), cell.clone())),
        ))
    }

    #[test]
    fn a_row_that_is_absent_or_double_is_refuted() {
        assert_eq!(
            row(&request(&[]), &RowsSeen::None).reasons,
            [RowReason::RowAbsent]
        );
        assert_eq!(
            row(&request(&[]), &RowsSeen::Many(Vec::new())).facts,
            LookedUp::Rows(2)
        );
    }

    #[test]
    fn a_look_that_failed_is_undecided() {
        let judged = row(
            &request(&[]),
            &RowsSeen::Failed(BatchError::Lost("gone".into())),
        );
        assert_eq!(
            (judged.verdict, judged.facts),
            (Verdict::Undecided, LookedUp::None)
        );
    }

    #[test]
    fn the_first_problem_ends_the_check() {
        let wanted = request(&[
            ("a", Scalar::Number(1.0)),
            ("b", Scalar::Number(2.0)),
            ("c", Scalar::Null),
        ]);
        let judged = row(
            &wanted,
            &one(&[
                ("A", Cell::Number(1.0)),
                ("b", Cell::Unreadable),
                ("c", Cell::Number(3.0)),
            ]),
        );
        assert_eq!(judged.facts, LookedUp::Unreadable("b".into()));
        let judged = row(
            &wanted,
            &one(&[("a", Cell::Number(1.0)), ("c", Cell::Null)]),
        );
        assert_eq!(judged.facts, LookedUp::Shape(vec!["a".into(), "c".into()]));
        let judged = row(
            &wanted,
            &one(&[
                ("a", Cell::Number(1.0)),
                ("b", Cell::Text("x".into())),
                ("c", Cell::Null),
            ]),
        );
        assert_eq!(
            judged.facts,
            LookedUp::Mismatch {
                field: "b".into(),
                expected: "2".into(),
                actual: "\"x\"".into()
            }
        );
    }

    #[test]
    fn of_two_columns_that_differ_in_case_the_later_is_seen() {
        let wanted = request(&[("status", Scalar::Number(2.0))]);
        let judged = row(
            &wanted,
            &one(&[("status", Cell::Number(1.0)), ("Status", Cell::Number(2.0))]),
        );
        assert_eq!(judged.verdict, Verdict::Confirmed);
    }
}
