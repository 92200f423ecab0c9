//! A request as reports show it: `verificationRequest`.

use crosscheck_core::JsString;
use crosscheck_core::json::Scalar;
use serde_json::{Map, Value, json};

use crate::check::plan::show::{number, op};
use crate::check::plan::{Check, Request, RowRequest, Witness};
use crate::plan::lookup::ScalarKind;

/// `verificationRequest`
pub(crate) fn request(request: &Request) -> Value {
    match request {
        Request::Row(row) => of_row(row),
        Request::Absent(absent) => json!({
            "kind": "sql_row_absent", "table": absent.table(),
            "identityEq": pairs(absent.conditions().take(absent.identities)),
            "filterEq": pairs(absent.conditions().skip(absent.identities)),
        }),
        Request::Effects(effects) => {
            let effects = effects.iter().map(|(id, row)| with_id(id, of_row(row)));
            json!({ "kind": "sql_effects", "effects": effects.collect::<Vec<_>>() })
        }
        Request::Relational(checks) => {
            let checks = checks
                .iter()
                .map(|(id, check)| with_id(id, of_check(check)));
            json!({ "kind": "sql_relational", "checks": checks.collect::<Vec<_>>() })
        }
        Request::Witness(witness) => of_witness(witness),
    }
}

fn with_id(id: &JsString, mut value: Value) -> Value {
    set(&mut value, "id", json!(id.to_string()));
    value
}

fn of_row(row: &RowRequest) -> Value {
    let fields = row.fields();
    let fields = fields.map(|(name, value)| (name.to_owned(), scalar(value)));
    json!({
        "kind": "sql_row", "table": row.table(), "identityEq": pairs(row.identity()),
        "requiredFields": fields.collect::<Map<_, _>>(),
    })
}

fn of_witness(witness: &Witness) -> Value {
    let mut shown = json!({ "kind": witness.kind });
    for (name, value) in &witness.parts {
        set(&mut shown, name, json!(value.to_string()));
    }
    for (name, object) in &witness.objects {
        set(&mut shown, name, json!(object));
    }
    if witness.kind == "http_witness" {
        set(&mut shown, "method", json!(witness.method));
        if let Some(status) = witness.status {
            set(&mut shown, "expectedStatus", number(status));
        }
    }
    shown
}

fn of_check(check: &Check) -> Value {
    let (relation, shape) = (check.relation, &check.shape);
    let mut shown = json!({ "checkKind": relation.word });
    for (name, table) in relation.tables.iter().zip(&shape.tables) {
        set(&mut shown, name, json!(table.name.as_str()));
    }
    for ((_, name), column) in relation.columns.iter().zip(&shape.columns) {
        set(&mut shown, name, json!(column));
    }
    for (name, side, _) in relation.lists {
        let list = match side {
            Some(side) => pairs(check.conditions(*side)),
            None => sided(check),
        };
        set(&mut shown, name, json!(list));
    }
    match shape.kind {
        ScalarKind::Sum => set(&mut shown, "fn", json!("SUM")),
        ScalarKind::Count => set(&mut shown, "fn", json!("COUNT_STAR")),
        ScalarKind::Exists | ScalarKind::Join | ScalarKind::Orphans => {}
    }
    if let Some(expect) = check.expect {
        set(&mut shown, "expectOp", json!(op(expect.op)));
        set(&mut shown, "expectValue", number(expect.value));
    }
    shown
}

/// Conditions that say which table they are about.
fn sided(check: &Check) -> Vec<Value> {
    let all = check.shape.conditions.iter().zip(&check.key);
    let one = |((at, column), value): (&(usize, String), &JsString)| {
        let side = if *at == 0 { "left" } else { "right" };
        json!({ "side": side, "column": column, "value": value.to_string() })
    };
    all.map(one).collect()
}

fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a JsString)>) -> Vec<Value> {
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

/// Adds a member to an object.
pub(super) fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}
