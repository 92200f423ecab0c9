//! A row that must be there against the rows that were seen.
//!
//! Contract: check 6.2.

use crosscheck_core::canonical::quoted;
use serde_json::{Value, json};

use super::{Evidence, Ground, Outcome, SAFE, StepStatus, failed, pairs};
use crate::check::plan::RowRequest;
use crate::observe::{Cell, RowsSeen};
use crate::quick::judge::{display_cell, display_scalar, scalars_equal};
use crate::reasons::RowReason;

/// A row: how many, then field by field; the first problem ends it. `columns`
/// are those of the table, where a field is none of them.
pub(crate) fn row(request: &RowRequest, seen: &RowsSeen, columns: &[String]) -> Outcome {
    let place = || format!("{} where {}", request.table(), pairs(request.identity()));
    let row = match seen {
        RowsSeen::Failed(error) => {
            let about = format!("reading {}", place());
            return failed(&about, error, json!({ "rowCount": null, "error": true }));
        }
        RowsSeen::None => {
            let text = format!("there is no row of {}", place());
            let ground = Ground::new(RowReason::RowAbsent.reason(), &text);
            return Outcome::of(StepStatus::Missing, Some(ground), Evidence::Rows(0));
        }
        RowsSeen::Many(_) => {
            let text = format!("there is more than one row of {}", place());
            let ground = Ground::new(RowReason::DuplicateRows.reason(), &text);
            return Outcome::of(StepStatus::Inconsistent, Some(ground), Evidence::Rows(2));
        }
        RowsSeen::One(row) => row,
    };
    for (at, (field, expected)) in request.fields().enumerate() {
        let Some(actual) = row.field(at, field) else {
            let text = format!("the row of {} has no column `{field}`", place());
            let evidence = json!({ "rowCount": 1, "rowKeys": columns });
            return unreadable(RowReason::RowShapeMismatch, field, &text, evidence);
        };
        if !actual.is_scalar() {
            let text = format!("the column `{field}` of {} does not hold a scalar", place());
            let evidence = json!({ "rowCount": 1, "field": field });
            return unreadable(RowReason::UnreadableValue, field, &text, evidence);
        }
        if !scalars_equal(expected, actual) {
            let (expected, actual) = (display_scalar(expected), shown(actual));
            return mismatch(&place(), field, &expected, &actual);
        }
    }
    Outcome::of(StepStatus::Verified, None, Evidence::Rows(1))
}

fn unreadable(reason: RowReason, field: &str, text: &str, evidence: Value) -> Outcome {
    let ground = Ground {
        field: Some(field.to_owned()),
        ..Ground::new(reason.reason(), text)
    };
    Outcome::of(StepStatus::Incomplete, Some(ground), evidence)
}

fn mismatch(place: &str, field: &str, expected: &str, actual: &str) -> Outcome {
    let large = expected
        .parse::<f64>()
        .is_ok_and(|number| number.abs() > SAFE);
    let note = if large {
        " (numbers beyond 2^53 are compared as the nearest double)"
    } else {
        ""
    };
    let text = format!("`{field}` of {place}: expected {expected}, found {actual}{note}");
    let ground = Ground {
        field: Some(field.to_owned()),
        ..Ground::new(RowReason::ValueMismatch.reason(), &text)
    };
    let evidence = json!({ "rowCount": 1, "field": field, "expected": expected, "actual": actual });
    Outcome::of(StepStatus::Inconsistent, Some(ground), evidence)
}

/// A value as evidence shows it. A date is text here, not a moment.
fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Day(day) => quoted(day.as_str().into()),
        _ => display_cell(cell),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crosscheck_core::json::Scalar;

    use super::*;
    use crate::observe::Row;
    use crate::observe::source::{BatchError, RowLookup};

    fn request(fields: &[(&str, Scalar)]) -> RowRequest {
        let names = fields.iter().map(|(name, _)| (*name).to_owned());
        RowRequest {
            shape: Arc::new(RowLookup {
                table: "t".into(),
                identity: vec!["id".to_owned()],
                fields: names.collect(),
            }),
            key: ["1".into()].into(),
            values: fields.iter().map(|(_, value)| value.clone()).collect(),
        }
    }

    #[test]
    fn the_number_of_rows_decides_before_any_field() {
        let wanted = request(&[("a", Scalar::Number(1.0))]);
        let table = [
            (RowsSeen::None, StepStatus::Missing, "ROW_ABSENT"),
            (
                RowsSeen::Many(Vec::new()),
                StepStatus::Inconsistent,
                "DUPLICATE_ROWS",
            ),
            (
                RowsSeen::Failed(BatchError::Values("x".to_owned())),
                StepStatus::Incomplete,
                "CONNECTOR_ERROR",
            ),
        ];
        for (seen, status, code) in table {
            let outcome = row(&wanted, &seen, &[]);
            assert_eq!((outcome.status, outcome.code()), (status, Some(code)));
        }
    }

    type Case<'a> = (&'a [(&'a str, Scalar)], Option<&'a str>);

    #[test]
    fn the_first_field_with_a_problem_is_reported() {
        let seen = RowsSeen::One(Row::of(vec![
            ("A".to_owned(), Cell::Number(1.0)),
            ("b".to_owned(), Cell::Unreadable),
            ("c".to_owned(), Cell::Text("x".into())),
        ]));
        let one = Scalar::Number(1.0);
        let table: [Case<'_>; 5] = [
            (&[("a", one.clone())], None),
            (&[], None),
            (
                &[("a", one.clone()), ("b", one.clone()), ("c", one.clone())],
                Some("UNREADABLE_VALUE"),
            ),
            (
                &[("c", one.clone()), ("d", one.clone())],
                Some("VALUE_MISMATCH"),
            ),
            (&[("d", one)], Some("ROW_SHAPE_MISMATCH")),
        ];
        for (fields, code) in table {
            assert_eq!(
                row(&request(fields), &seen, &["a".to_owned()]).code(),
                code,
                "{fields:?}"
            );
        }
    }

    #[test]
    fn a_date_is_shown_as_its_text() {
        let seen = RowsSeen::One(Row::of(vec![(
            "a".to_owned(),
            Cell::Day("2024-02-03".to_owned()),
        )]));
        let wanted = request(&[("a", Scalar::String("2024-02-04".into()))]);
        let facts = row(&wanted, &seen, &[]).evidence.facts();
        assert_eq!(facts.get("actual"), Some(&json!("\"2024-02-03\"")));
    }
}
