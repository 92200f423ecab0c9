//! What must hold from now on, for each unit that is not verified.

use std::collections::BTreeSet;

use crosscheck_core::text::one_line_js;
use crosscheck_core::{JsString, Verdict};

use super::UnitReport;
use crate::quick::plan::{Expectation, Identity};
use crate::reasons::RowReason;
use crate::wire::certificate_v3::{
    ColumnValue, CorrectnessDefinition, Projection, ProjectionDetails, ProjectionKind,
    RecommendedAction, RemediationAlignment, SqlRowRequest,
};

pub(super) fn definition(unit: &UnitReport) -> Option<CorrectnessDefinition<Projection>> {
    if unit.verdict() == Verdict::Confirmed {
        return None;
    }
    let kind = projection_kind(unit);
    Some(CorrectnessDefinition {
        schema_version: 1,
        enforcement_kind: kind,
        must_always_hold: must_always_hold(unit),
        enforce_as: [
            "Write this expectation into a registry entry of your own and check it with `crosscheck check` after every run of the tool.".to_owned(),
            format!("Keep it enforced in continuous integration; treat {} as a failed step until the codes are gone.", unit.id()),
        ],
        enforceable_projection: projection(unit, kind),
        remediation_alignment: RemediationAlignment { recommended_action: alignment(unit.reasons()), automation_safe: false },
    })
}

pub(super) fn projection_kind(unit: &UnitReport) -> ProjectionKind {
    match unit.expectation() {
        Expectation::Row(_) => ProjectionKind::QuickInferredSqlRow,
        Expectation::Related(_) => ProjectionKind::QuickInferredRelational,
        Expectation::Unmapped(_) => ProjectionKind::QuickMappingGap,
    }
}

/// The alignment table: decided by the alphabetically first code.
pub(super) fn alignment(codes: &[RowReason]) -> RecommendedAction {
    match codes.iter().min_by_key(|code| code.code()) {
        Some(RowReason::ConnectorError) => RecommendedAction::ImproveReadConnectivity,
        Some(
            RowReason::RowAbsent
            | RowReason::ValueMismatch
            | RowReason::DuplicateRows
            | RowReason::RelationalScalarUnusable,
        ) => RecommendedAction::ReconcileDownstreamState,
        _ => RecommendedAction::ManualReview,
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

fn projection(unit: &UnitReport, projection_kind: ProjectionKind) -> Projection {
    let unit_id = unit.id().to_owned();
    let details = match unit.expectation() {
        Expectation::Row(request) => ProjectionDetails::Row {
            unit_id,
            table: request.table.shown(),
            sql_row_request: SqlRowRequest {
                kind: "sql_row",
                table: request.table.shown(),
                identity_eq: column_values(&request.identity),
                required_fields: request
                    .fields
                    .iter()
                    .map(|(column, value)| (column.to_string(), value.clone()))
                    .collect(),
            },
        },
        Expectation::Related(request) => ProjectionDetails::Related {
            unit_id,
            child_table: request.child.shown(),
            check_id: request.check_id.clone(),
            match_eq: column_values(&request.match_eq),
        },
        Expectation::Unmapped(unmapped) => ProjectionDetails::Gap {
            reason_codes: sorted_codes(unmapped.codes.iter().copied()),
            table: unmapped.table.shown(),
        },
    };
    Projection {
        projection_kind,
        quick_provisional: true,
        tool_name: unit.tool.clone(),
        action_index: unit.finding.unit.action,
        details,
    }
}

fn column_values(pairs: &[Identity]) -> Vec<ColumnValue> {
    pairs
        .iter()
        .map(|pair| ColumnValue {
            column: pair.column.to_string(),
            value: pair.value.clone(),
        })
        .collect()
}
