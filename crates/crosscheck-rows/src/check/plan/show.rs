//! The exact texts of a request; they enter the hash that drift compares.

use crosscheck_core::canonical::number_text;
use crosscheck_core::text::{into_one_line, one_line_js, push_one_line};
use crosscheck_core::{JsString, json::Scalar};
use serde_json::{Value, json};

use super::{Check, Pair, Request, RowRequest};
use crate::check::read::Op;

/// `expectedOutcome`
pub(crate) fn expected(request: &Request) -> JsString {
    let mut out = JsString::with_capacity(96);
    match request {
        Request::Row(row) => {
            out.push_str("table=");
            out.push_str(row.table());
            out.push_str(" identity=[");
            pairs(&mut out, row.identity());
            out.push_str("] required_fields=[");
            for (at, (name, _)) in row.fields().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                out.push_str(name);
            }
            out.push_str("]");
        }
        Request::Absent(absent) => {
            out.push_str(&format!("sql_row_absent table={} identity=[", absent.table));
            pairs(&mut out, named(&absent.identity));
            out.push_str("] filter=[");
            pairs(&mut out, named(&absent.filter));
            out.push_str("]");
        }
        Request::Effects(effects) => {
            out.push_str(&format!("sql_effects count={} ", effects.len()));
            for (at, (id, row)) in effects.iter().enumerate() {
                out.push_str(if at > 0 { "; " } else { "" });
                out.push(one_line_js(id.as_js()).as_js());
                out.push_str(&format!(":{} identity=[", row.table()));
                pairs(&mut out, row.identity());
                out.push_str("]");
            }
        }
        Request::Relational(checks) => {
            out.push_str(&format!("sql_relational count={} ", checks.len()));
            for (at, (id, check)) in checks.iter().enumerate() {
                out.push_str(if at > 0 { "; " } else { "" });
                out.push(one_line_js(id.as_js()).as_js());
                out.push_str(&format!(":{}", check.kind()));
                if let Check::Exists { match_eq, .. } = check
                    && match_eq.len() > 1
                {
                    out.push_str(&format!(":m{}", match_eq.len()));
                }
            }
        }
        Request::Witness(witness) => {
            out.push_str(witness.kind);
            if witness.kind == "http_witness" {
                out.push_str(&format!(" {}", witness.method));
            }
            for (_, part) in &witness.parts {
                out.push_str(" ");
                out.push(part.as_js());
            }
            if witness.kind == "http_witness" {
                out.push_str(&format!(
                    " expect={}",
                    number_text(witness.status.unwrap_or(200.0))
                ));
            }
        }
    }
    into_one_line(out)
}

fn named(pairs: &[Pair]) -> impl Iterator<Item = (&str, &JsString)> {
    pairs.iter().map(|pair| (pair.column.as_str(), &pair.value))
}

fn pairs<'a>(out: &mut JsString, pairs: impl Iterator<Item = (&'a str, &'a JsString)>) {
    for (at, (column, value)) in pairs.enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        out.push_str(column);
        out.push_str("=");
        push_one_line(out, value.as_js());
    }
}

/// `verificationRequest`
pub(crate) fn wire(request: &Request) -> Value {
    match request {
        Request::Row(row) => row_wire(row, None),
        Request::Absent(absent) => json!({
            "kind": "sql_row_absent", "table": absent.table,
            "identityEq": pairs_wire(named(&absent.identity)), "filterEq": pairs_wire(named(&absent.filter)),
        }),
        Request::Effects(effects) => {
            let list: Vec<Value> = effects
                .iter()
                .map(|(id, row)| row_wire(row, Some(id)))
                .collect();
            json!({ "kind": "sql_effects", "effects": list })
        }
        Request::Relational(checks) => {
            let list: Vec<Value> = checks
                .iter()
                .map(|(id, check)| check_wire(id, check))
                .collect();
            json!({ "kind": "sql_relational", "checks": list })
        }
        Request::Witness(witness) => {
            let mut object = json!({ "kind": witness.kind });
            for (name, value) in &witness.parts {
                set(&mut object, name, json!(value.to_string()));
            }
            match witness.kind {
                "http_witness" => {
                    set(&mut object, "method", json!(witness.method));
                    if let Some(status) = witness.status {
                        set(&mut object, "expectedStatus", number(status));
                    }
                }
                "mongo_document" => {
                    set(&mut object, "filter", json!({}));
                    set(&mut object, "requiredFields", json!({}));
                }
                _ => {}
            }
            object
        }
    }
}

fn row_wire(row: &RowRequest, effect: Option<&JsString>) -> Value {
    let fields: serde_json::Map<String, Value> = row
        .fields()
        .map(|(name, value)| (name.to_owned(), scalar(value)))
        .collect();
    let mut object = json!({
        "kind": "sql_row", "table": row.table(),
        "identityEq": pairs_wire(row.identity()), "requiredFields": fields,
    });
    if let Some(id) = effect {
        set(&mut object, "id", json!(id.to_string()));
    }
    object
}

fn check_wire(id: &JsString, check: &Check) -> Value {
    let id = id.to_string();
    match check {
        Check::Exists { table, match_eq } => json!({
            "checkKind": "related_exists", "id": id, "childTable": table, "matchEq": pairs_wire(named(match_eq)),
        }),
        Check::Aggregate {
            table,
            sum,
            where_eq,
            expect,
        } => {
            let mut object = json!({
                "checkKind": "aggregate", "id": id, "table": table,
                "fn": if sum.is_some() { "SUM" } else { "COUNT_STAR" },
                "whereEq": pairs_wire(named(where_eq)), "expectOp": op(expect.op), "expectValue": number(expect.value),
            });
            if let Some(column) = sum {
                set(&mut object, "sumColumn", json!(column));
            }
            object
        }
        Check::JoinCount {
            left,
            right,
            left_column,
            right_column,
            where_eq,
            expect,
        } => {
            let conditions: Vec<Value> = where_eq
                .iter()
                .map(|(is_left, pair)| {
                    json!({ "side": if *is_left { "left" } else { "right" },
                            "column": pair.column, "value": pair.value.to_string() })
                })
                .collect();
            json!({
                "checkKind": "join_count", "id": id, "leftTable": left, "rightTable": right,
                "leftJoinColumn": left_column, "rightJoinColumn": right_column, "whereEq": conditions,
                "expectOp": op(expect.op), "expectValue": number(expect.value),
            })
        }
        Check::AntiJoin {
            anchor,
            lookup,
            anchor_column,
            lookup_column,
            presence,
            anchor_filter,
            lookup_filter,
        } => json!({
            "checkKind": "anti_join", "id": id, "anchorTable": anchor, "lookupTable": lookup,
            "anchorColumn": anchor_column, "lookupColumn": lookup_column, "lookupPresenceColumn": presence,
            "filterEqAnchor": pairs_wire(named(anchor_filter)), "filterEqLookup": pairs_wire(named(lookup_filter)),
        }),
    }
}

/// The word of the contract.
pub(crate) const fn op(op: Op) -> &'static str {
    match op {
        Op::Eq => "eq",
        Op::Gte => "gte",
        Op::Lte => "lte",
    }
}

fn pairs_wire<'a>(pairs: impl Iterator<Item = (&'a str, &'a JsString)>) -> Vec<Value> {
    pairs
        .map(|(column, value)| json!({ "column": column, "value": value.to_string() }))
        .collect()
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Null => Value::Null,
        Scalar::Bool(truth) => json!(truth),
        Scalar::Number(value) => number(*value),
        Scalar::String(text) => json!(text.to_string()),
    }
}

/// A whole number without a fraction, as ECMAScript writes it.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}
