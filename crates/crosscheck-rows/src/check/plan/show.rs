//! The exact texts of a request; they enter the hash that drift compares.

use std::sync::Arc;

use crosscheck_core::JsString;
use crosscheck_core::canonical::number_text;
use crosscheck_core::text::{make_one_line, one_line_js, push_one_line};
use serde_json::{Value, json};

use super::{Check, Pair, Request, RowRequest, Witness};
use crate::check::read::Op;
use crate::observe::batch::RowLookup;

/// The text around the key of a row, which is the same for all steps of a shape.
pub(crate) struct Frame {
    shape: Arc<RowLookup>,
    head: String,
    tail: String,
}

impl Frame {
    /// Of a row that is known by one column.
    fn of(row: &RowRequest) -> Option<Self> {
        let [column] = row.shape.identity.as_slice() else {
            return None;
        };
        Some(Self {
            shape: Arc::clone(&row.shape),
            head: format!("table={} identity=[{column}=", row.table()),
            tail: format!("] required_fields=[{}]", row.shape.fields.join(", ")),
        })
    }
}

/// `expectedOutcome`; `frame` is that of the step before, and then of this one.
pub(crate) fn write_expected(out: &mut JsString, request: &Request, frame: &mut Option<Frame>) {
    out.clear();
    if let Request::Row(row) = request {
        let is_same = |frame: &Frame| Arc::ptr_eq(&frame.shape, &row.shape);
        if !frame.as_ref().is_some_and(is_same) {
            *frame = Frame::of(row);
        }
        if let (Some(frame), [key]) = (frame, row.key.as_slice()) {
            out.push_str(&frame.head);
            push_one_line(out, key.as_js());
            out.push_str(&frame.tail);
            return make_one_line(out);
        }
    }
    match request {
        Request::Row(row) => {
            out.push_str("table=");
            out.push_str(row.table());
            out.push_str(" identity=[");
            pairs(out, row.identity());
            out.push_str("] required_fields=[");
            for (at, (name, _)) in row.fields().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                out.push_str(name);
            }
            out.push_str("]");
        }
        Request::Absent(absent) => {
            out.push_str(&format!("sql_row_absent table={} identity=[", absent.table));
            pairs(out, named(&absent.identity));
            out.push_str("] filter=[");
            pairs(out, named(&absent.filter));
            out.push_str("]");
        }
        Request::Effects(effects) => {
            out.push_str(&format!("sql_effects count={} ", effects.len()));
            for (at, (id, row)) in effects.iter().enumerate() {
                out.push_str(if at > 0 { "; " } else { "" });
                out.push(one_line_js(id.as_js()).as_js());
                out.push_str(&format!(":{} identity=[", row.table()));
                pairs(out, row.identity());
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
        Request::Witness(witness) => outside(out, witness),
    }
    make_one_line(out);
}

pub(super) fn named(pairs: &[Pair]) -> impl Iterator<Item = (&str, &JsString)> {
    pairs.iter().map(|pair| (pair.column.as_str(), &pair.value))
}

/// Something outside the database.
fn outside(out: &mut JsString, witness: &Witness) {
    out.push_str(match witness.kind {
        "object_storage_object" => "object_storage",
        kind => kind,
    });
    let is_http = witness.kind == "http_witness";
    if is_http {
        out.push_str(&format!(" {}", witness.method));
    }
    for (name, part) in &witness.parts {
        out.push_str(match *name {
            "url" => " ",
            "provider" => " provider=",
            "indexName" => " index=",
            "documentId" => " id=",
            "bucket" => " bucket=",
            "key" => " key=",
            _ => " collection=",
        });
        push_one_line(out, part.as_js());
    }
    if is_http {
        let status = number_text(witness.status.unwrap_or(200.0));
        out.push_str(&format!(" expect={status}"));
    }
}

fn pairs<'a>(out: &mut JsString, pairs: impl Iterator<Item = (&'a str, &'a JsString)>) {
    for (at, (column, value)) in pairs.enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        out.push_str(column);
        out.push_str("=");
        push_one_line(out, value.as_js());
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

/// A whole number without a fraction, as ECMAScript writes it.
#[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        json!(value as i64)
    } else {
        json!(value)
    }
}
