//! What must hold from now on, for each unit that is not verified.

use std::collections::{BTreeMap, BTreeSet};

use crosscheck_core::text::one_line_js;
use crosscheck_core::{JsString, Verdict};

use super::UnitReport;
use crate::certificate::{self, Action, Doc, object};
use crate::quick::plan::{Expectation, Identity};
use crate::reasons::RowReason;

pub(super) fn definition(unit: &UnitReport) -> Option<Doc> {
    if unit.verdict() == Verdict::Confirmed {
        return None;
    }
    let kind = projection_kind(unit);
    let keep = format!(
        "Keep it enforced in continuous integration; treat {} as a failed step until the codes are gone.",
        unit.id()
    );
    Some(certificate::definition(
        kind,
        &must_always_hold(unit),
        &[
            "Write this expectation into a registry entry of your own and check it with `crosscheck check` after every run of the tool.",
            &keep,
        ],
        projection(unit, kind),
        (alignment(unit.reasons()), false),
    ))
}

pub(super) fn projection_kind(unit: &UnitReport) -> &'static str {
    match unit.expectation() {
        Expectation::Row(_) => "quick_inferred_sql_row",
        Expectation::Related(_) => "quick_inferred_relational",
        Expectation::Unmapped(_) => "quick_mapping_gap",
    }
}

/// The alignment table: decided by the alphabetically first code.
pub(super) fn alignment(codes: &[RowReason]) -> Action {
    match codes.iter().min_by_key(|code| code.code()) {
        Some(RowReason::ConnectorError) => Action::ImproveReadConnectivity,
        Some(
            RowReason::RowAbsent
            | RowReason::ValueMismatch
            | RowReason::DuplicateRows
            | RowReason::RelationalScalarUnusable,
        ) => Action::ReconcileDownstreamState,
        _ => Action::ManualReview,
    }
}

/// Each code once, sorted.
pub(super) fn sorted_codes(codes: impl IntoIterator<Item = RowReason>) -> Vec<&'static str> {
    codes
        .into_iter()
        .map(RowReason::code)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

fn must_always_hold(unit: &UnitReport) -> JsString {
    let mut text = match unit.expectation() {
        Expectation::Row(_) | Expectation::Related(_) => {
            JsString::from("After this tool call the database must show: ")
        }
        Expectation::Unmapped(_) => JsString::from(
            "This tool call must map to exactly one keyed table before it can be checked: ",
        ),
    };
    let what = if matches!(unit.expectation(), Expectation::Unmapped(_)) {
        &unit.reconciliation.declared
    } else {
        &unit.reconciliation.expected
    };
    text.push(what.as_js());
    one_line_js(text.as_js())
}

fn projection(unit: &UnitReport, kind: &str) -> Doc {
    let details = match unit.expectation() {
        Expectation::Row(request) => {
            let fields = request.fields.iter();
            let fields = fields.map(|(column, value)| (column.to_string(), value));
            object! {
                "unitId": unit.id(), "table": request.table.shown(),
                "sqlRowRequest": object! {
                    "kind": "sql_row", "table": request.table.shown(),
                    "identityEq": column_values(&request.identity),
                    "requiredFields": fields.collect::<BTreeMap<_, _>>(),
                },
            }
        }
        Expectation::Related(request) => object! {
            "unitId": unit.id(), "childTable": request.child.shown(),
            "checkId": request.check_id, "matchEq": column_values(&request.match_eq),
        },
        Expectation::Unmapped(unmapped) => object! {
            "reasonCodes": sorted_codes(unmapped.codes.iter().copied()),
            "table": unmapped.table.shown(),
        },
    };
    details
        .with("projectionKind", kind)
        .with("quickProvisional", true)
        .with("toolName", &unit.tool)
        .with("actionIndex", unit.finding.unit.action)
}

fn column_values(pairs: &[Identity]) -> Vec<Doc> {
    pairs
        .iter()
        .map(|pair| object! { "column": pair.column.to_string(), "value": pair.value })
        .collect()
}
