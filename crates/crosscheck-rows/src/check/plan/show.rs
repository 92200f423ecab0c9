//! The exact texts of a request; they enter the hash that drift compares.
//!
//! Contract: check 11.

use std::sync::Arc;

use crosscheck_core::JsString;
use crosscheck_core::canonical::{number_text, plain_one_line, quoted};
use crosscheck_core::text::{ONE_LINE_MAX, make_one_line, one_line, one_line_js, push_one_line};
use serde_json::{Value, json};

use super::{Request, RowRequest, Witness};
use crate::check::read::Op;
use crate::plan::lookup::{RowLookup, ScalarKind};

/// The text around the key of a row, which is the same for all steps of a shape.
pub(crate) struct Frame {
    shape: Arc<RowLookup>,
    head: String,
    tail: String,
    /// Both as JSON, without the quotes at their ends; only if they fit one line.
    json: Option<(String, String)>,
}

impl Frame {
    /// Of a row that is known by one column.
    fn of(row: &RowRequest) -> Option<Self> {
        let [column] = row.shape.identity.as_slice() else {
            return None;
        };
        let head = format!("table={} identity=[{column}=", row.table());
        let tail = format!("] required_fields=[{}]", row.shape.fields.join(", "));
        let fits = [&head, &tail].iter().all(|part| one_line(part) == **part);
        let inside = |text: &str| {
            let mut inside = quoted(text.into());
            inside.pop();
            inside.remove(0);
            inside
        };
        Some(Self {
            shape: Arc::clone(&row.shape),
            json: fits.then(|| (inside(&head), inside(&tail))),
            head,
            tail,
        })
    }
}

/// The frame of a row with one key; `frame` is that of the step before, and
/// then of this one.
fn framed<'f, 'r>(
    row: &'r RowRequest,
    frame: &'f mut Option<Frame>,
) -> Option<(&'f Frame, &'r JsString)> {
    let is_same = |frame: &Frame| Arc::ptr_eq(&frame.shape, &row.shape);
    if !frame.as_ref().is_some_and(is_same) {
        *frame = Frame::of(row);
    }
    match row.key.as_slice() {
        [key] => Some((frame.as_ref()?, key)),
        _ => None,
    }
}

/// `expectedOutcome` as JSON, where that is quickly written: the same as what
/// [`write_expected`] writes. Says whether it was.
pub(crate) fn push_expected(
    out: &mut Vec<u8>,
    request: &Request,
    frame: &mut Option<Frame>,
) -> bool {
    let Request::Row(row) = request else {
        return false;
    };
    let Some((
        Frame {
            json, head, tail, ..
        },
        key,
    )) = framed(row, frame)
    else {
        return false;
    };
    let (Some((before, after)), Some(plain)) = (json, plain_one_line(key.as_js())) else {
        return false;
    };
    if head.len() + plain.len() + tail.len() > ONE_LINE_MAX {
        return false;
    }
    for part in [b"\"", before.as_bytes(), plain, after.as_bytes(), b"\""] {
        out.extend_from_slice(part);
    }
    true
}

/// `expectedOutcome`; `frame` is that of the step before, and then of this one.
pub(crate) fn write_expected(out: &mut JsString, request: &Request, frame: &mut Option<Frame>) {
    out.clear();
    if let Request::Row(row) = request
        && let Some((frame, key)) = framed(row, frame)
    {
        out.push_str(&frame.head);
        push_one_line(out, key.as_js());
        out.push_str(&frame.tail);
        return make_one_line(out);
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
            let table = absent.table();
            out.push_str(&format!("sql_row_absent table={table} identity=["));
            pairs(out, absent.conditions().take(absent.identities));
            out.push_str("] filter=[");
            pairs(out, absent.conditions().skip(absent.identities));
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
                out.push_str(&format!(":{}", check.relation.word));
                if check.shape.kind == ScalarKind::Exists && check.key.len() > 1 {
                    out.push_str(&format!(":m{}", check.key.len()));
                }
            }
        }
        Request::Witness(witness) => outside(out, witness),
    }
    make_one_line(out);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use smallvec::smallvec;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_quickly_is_what_is_written(
            keys in prop::collection::vec(prop::collection::vec(
                prop_oneof![any::<u16>(), 0x20u16..0x7F, Just(0x20), Just(0x22), 0xD7F0u16..0xE010], 0..12,
            ), 1..8),
            long in 0_usize..2100,
            table in prop::sample::select(vec!["t", "a  b", "q\"", " x"]),
        ) {
            let shape = Arc::new(RowLookup {
                table: table.into(),
                identity: vec!["id".to_owned()],
                fields: vec!["a".to_owned(), "b".to_owned()],
            });
            let (mut frame, mut other) = (None, None);
            for units in keys {
                let mut key = JsString::from_units(units);
                key.push_str(&"y".repeat(long));
                let request = Request::Row(RowRequest {
                    shape: Arc::clone(&shape),
                    key: smallvec![key],
                    values: Vec::new(),
                });
                let mut expected = JsString::default();
                write_expected(&mut expected, &request, &mut other);
                let mut quick = Vec::new();
                if push_expected(&mut quick, &request, &mut frame) {
                    prop_assert_eq!(quick, quoted(expected.as_js()).into_bytes());
                }
            }
        }
    }
}
