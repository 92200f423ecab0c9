//! A request as reports show it: `verificationRequest`.

use crosscheck_core::JsString;
use crosscheck_core::json::Scalar;
use serde_json::{Value, json};

use crate::check::plan::show::{named, number, op};
use crate::check::plan::{Check, Expect, Pair, Request, RowRequest, Witness};
use crate::wire::contract::{
    ResolvedCheck, ResolvedEffect, ResolvedExpect, ResolvedPair, ResolvedRow, ResolvedSide,
    VerificationRequest,
};

/// `verificationRequest`
pub(crate) fn request(request: &Request) -> VerificationRequest {
    match request {
        Request::Row(row) => VerificationRequest::SqlRow(resolved_row(row)),
        Request::Absent(absent) => VerificationRequest::SqlRowAbsent {
            table: absent.table.clone(),
            identity_eq: pairs(named(&absent.identity)),
            filter_eq: pairs(named(&absent.filter)),
        },
        Request::Effects(effects) => VerificationRequest::SqlEffects {
            effects: effects
                .iter()
                .map(|(id, row)| ResolvedEffect {
                    id: id.to_string(),
                    kind: "sql_row",
                    row: resolved_row(row),
                })
                .collect(),
        },
        Request::Relational(checks) => VerificationRequest::SqlRelational {
            checks: checks
                .iter()
                .map(|(id, check)| resolved_check(id.to_string(), check))
                .collect(),
        },
        Request::Witness(witness) => resolved_witness(witness),
    }
}

fn resolved_row(row: &RowRequest) -> ResolvedRow {
    ResolvedRow {
        table: row.table().to_owned(),
        identity_eq: pairs(row.identity()),
        required_fields: row
            .fields()
            .map(|(name, value)| (name.to_owned(), scalar(value)))
            .collect(),
    }
}

fn resolved_witness(witness: &Witness) -> VerificationRequest {
    let parts = witness
        .parts
        .iter()
        .map(|(name, value)| (*name, value.to_string()))
        .collect();
    let object = |name: &str| {
        let mut found = witness.objects.iter().filter(|(known, _)| *known == name);
        found
            .next()
            .map(|(_, object)| object.clone())
            .unwrap_or_default()
    };
    match witness.kind {
        "http_witness" => VerificationRequest::HttpWitness {
            parts,
            method: witness.method,
            expected_status: witness.status.map(number),
        },
        "mongo_document" => VerificationRequest::MongoDocument {
            parts,
            filter: object("filter"),
            required_fields: object("requiredFields"),
        },
        "object_storage_object" => VerificationRequest::ObjectStorageObject { parts },
        _ => VerificationRequest::VectorDocument { parts },
    }
}

fn resolved_check(id: String, check: &Check) -> ResolvedCheck {
    match check {
        Check::Exists { table, match_eq } => ResolvedCheck::RelatedExists {
            id,
            child_table: table.clone(),
            match_eq: pairs(named(match_eq)),
        },
        Check::Aggregate {
            table,
            sum,
            where_eq,
            expect,
        } => ResolvedCheck::Aggregate {
            id,
            table: table.clone(),
            function: if sum.is_some() { "SUM" } else { "COUNT_STAR" },
            sum_column: sum.clone(),
            where_eq: pairs(named(where_eq)),
            expect: expected(*expect),
        },
        Check::JoinCount {
            left,
            right,
            left_column,
            right_column,
            where_eq,
            expect,
        } => ResolvedCheck::JoinCount {
            id,
            left_table: left.clone(),
            right_table: right.clone(),
            left_join_column: left_column.clone(),
            right_join_column: right_column.clone(),
            where_eq: where_eq.iter().map(side).collect(),
            expect: expected(*expect),
        },
        Check::AntiJoin {
            anchor,
            lookup,
            anchor_column,
            lookup_column,
            presence,
            anchor_filter,
            lookup_filter,
        } => ResolvedCheck::AntiJoin {
            id,
            anchor_table: anchor.clone(),
            lookup_table: lookup.clone(),
            anchor_column: anchor_column.clone(),
            lookup_column: lookup_column.clone(),
            lookup_presence_column: presence.clone(),
            filter_eq_anchor: pairs(named(anchor_filter)),
            filter_eq_lookup: pairs(named(lookup_filter)),
        },
    }
}

fn side((is_left, condition): &(bool, Pair)) -> ResolvedSide {
    ResolvedSide {
        side: if *is_left { "left" } else { "right" },
        pair: pair((&condition.column, &condition.value)),
    }
}

fn expected(expect: Expect) -> ResolvedExpect {
    ResolvedExpect {
        expect_op: op(expect.op),
        expect_value: number(expect.value),
    }
}

fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a JsString)>) -> Vec<ResolvedPair> {
    pairs.map(pair).collect()
}

fn pair((column, value): (&str, &JsString)) -> ResolvedPair {
    ResolvedPair {
        column: column.to_owned(),
        value: value.to_string(),
    }
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Null => Value::Null,
        Scalar::Bool(truth) => json!(truth),
        Scalar::Number(value) => number(*value),
        Scalar::String(text) => json!(text.to_string()),
    }
}
