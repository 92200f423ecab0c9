//! Which units become registry entries that `check` can replay, and how.

use crosscheck_core::json::{Json, Scalar};
use crosscheck_core::{JsStr, JsString, Verdict, canonical};

use super::Finding;
use crate::certificate::{Doc, object};
use crate::observe::Identifier;
use crate::quick::plan::names::is_plain_name;
use crate::quick::plan::{Expectation, Identity, RelatedRequest, RowRequest, T_COL, T_EXPORT};
use crate::quick::read::Action;
use crate::read::pointer::resolve_pointer;

const FIELDS_KEY: &str = "__qvFields";
const FIELDS_POINTER: &str = "/__qvFields";

/// An exported tool: its registry entry and the parameters of its event.
#[derive(Debug, Clone)]
pub(super) struct Export {
    pub(super) tool_id: String,
    pub(super) entry: Doc,
    /// JSON text.
    pub(super) params: String,
    /// Names that `check` will refuse with `INVALID_IDENTIFIER`.
    pub(super) refused_on_replay: bool,
}

/// The export of a unit, if its rules allow one. The id is unique because unit
/// ids are.
pub(super) fn export(finding: &Finding, action: &Action) -> Option<Export> {
    let tool_id = format!("quick:{}", finding.unit.id);
    let confidence = finding.unit.confidence;
    match &finding.unit.expectation {
        Expectation::Row(request) if is_nameless(request) => None,
        Expectation::Row(request) if confidence >= T_EXPORT => Some(const_row(tool_id, request)),
        Expectation::Row(request)
            if finding.judgement.verdict == Verdict::Confirmed && confidence >= T_COL =>
        {
            pointer_row(tool_id, request, action)
        }
        Expectation::Related(request) if finding.judgement.verdict == Verdict::Confirmed => {
            related(tool_id, request)
        }
        Expectation::Row(_) | Expectation::Related(_) | Expectation::Unmapped(_) => None,
    }
}

/// Whether a table or key column has the empty name that SQLite allows. No
/// registry can say it, so one such entry would make all others unreadable.
fn is_nameless(request: &RowRequest) -> bool {
    let mut columns = request.identity.iter().map(|pair| pair.column.as_str());
    request.table.name.as_str().is_empty() || columns.any(str::is_empty)
}

/// A.14, legacy rule: constants, whatever the verdict.
fn const_row(tool_id: String, request: &RowRequest) -> Export {
    let identity = request.identity.iter().map(const_pair).collect();
    Export {
        entry: row_entry(&tool_id, request, identity),
        tool_id,
        params: format!(
            "{{{}:{}}}",
            canonical::quoted(FIELDS_KEY.into()),
            fields_text(request)
        ),
        refused_on_replay: !names_resolve(request),
    }
}

/// `eligible_export_sql_row_param_pointer`
fn pointer_row(tool_id: String, request: &RowRequest, action: &Action) -> Option<Export> {
    let pointers = request
        .identity
        .iter()
        .map(|pair| flat_key_to_json_pointer(pair.path.as_js()))
        .collect::<Option<Vec<_>>>()?;
    let params = build_synthetic_row_params(&action.params, request)?;
    if !names_resolve(request) {
        return None;
    }
    for (pair, pointer) in request.identity.iter().zip(&pointers) {
        let resolved = resolve_pointer(params.root(), pointer.as_js()).and_then(Scalar::of)?;
        if resolved == Scalar::Null || resolved.text() != pair.value {
            return None;
        }
    }
    let identity = request
        .identity
        .iter()
        .zip(pointers)
        .map(|(column, pointer)| pair(column, object! { "pointer": pointer }))
        .collect();
    Some(Export {
        entry: row_entry(&tool_id, request, identity),
        tool_id,
        params: canonical::of_node(params.root()),
        refused_on_replay: false,
    })
}

/// `eligible_export_related_exists`
fn related(tool_id: String, request: &RelatedRequest) -> Option<Export> {
    let columns: Vec<&Identifier> = request.match_eq.iter().map(|pair| &pair.column).collect();
    let repeats = columns
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b));
    if repeats
        || !is_plain_name(&request.child.shown())
        || !columns.iter().all(|column| is_plain_name(column.as_str()))
    {
        return None;
    }
    let template = format!(
        "Inferred: the related row of {} is present",
        request.check_id
    );
    let check = object! {
        "checkKind": "related_exists", "id": request.check_id,
        "childTable": constant(&request.child.shown()),
        "matchEq": request.match_eq.iter().map(const_pair).collect::<Vec<_>>(),
    };
    Some(Export {
        entry: object! {
            "toolId": tool_id, "effectDescriptionTemplate": template,
            "verification": object! { "kind": "sql_relational", "checks": [check] },
        },
        tool_id,
        params: "{}".to_owned(),
        refused_on_replay: false,
    })
}

fn row_entry(tool_id: &str, request: &RowRequest, identity: Vec<Doc>) -> Doc {
    let table = request.table.shown();
    let template = format!("Inferred: the row of table {table} is present with the logged values");
    object! {
        "toolId": tool_id, "effectDescriptionTemplate": template,
        "verification": object! {
            "kind": "sql_row", "table": constant(&table), "identityEq": identity,
            "requiredFields": object! { "pointer": FIELDS_POINTER },
        },
    }
}

fn constant(value: impl serde::Serialize) -> Doc {
    object! { "const": value }
}

fn pair(of: &Identity, value: Doc) -> Doc {
    object! { "column": constant(of.column.as_str()), "value": value }
}

fn const_pair(of: &Identity) -> Doc {
    pair(of, constant(&of.value))
}

fn fields_text(request: &RowRequest) -> String {
    let members: Vec<String> = request
        .fields
        .iter()
        .map(|(column, value)| {
            let text = match value {
                Scalar::String(text) => canonical::quoted(text.as_js()),
                Scalar::Number(number) => canonical::number_text(*number),
                Scalar::Null | Scalar::Bool(_) => value.text().to_string(),
            };
            format!("{}:{text}", canonical::quoted(column.as_str().into()))
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

/// M1 and M2: a copy of the parameters with the compared fields on top.
fn build_synthetic_row_params(params: &Json, request: &RowRequest) -> Option<Json> {
    let fields = Json::parse(&fields_text(request)).ok()?;
    let kept = params
        .root()
        .as_object()?
        .filter(|(key, _)| *key != FIELDS_KEY);
    let merged = Json::object(kept.chain([(JsStr::from(FIELDS_KEY), fields.root())]));
    // M1 clones through JSON text, in which a number that is not finite is null
    Json::parse(&canonical::of_node(merged.root())).ok()
}

/// Whether `check` accepts the names of a row request.
fn names_resolve(request: &RowRequest) -> bool {
    let columns = request
        .identity
        .iter()
        .map(|pair| &pair.column)
        .chain(request.fields.iter().map(|(column, _)| column));
    is_plain_name(&request.table.shown())
        && columns
            .into_iter()
            .all(|column| is_plain_name(column.as_str()))
}

/// A flat path as a JSON Pointer. Fails where the path could mean two things.
fn flat_key_to_json_pointer(path: JsStr<'_>) -> Option<JsString> {
    let units: Vec<u16> = path.units().collect();
    let (dot, open, close) = (u16::from(b'.'), u16::from(b'['), u16::from(b']'));
    let mut pointer: Vec<u16> = Vec::new();
    let mut rest = units.as_slice();
    while let Some(first) = rest.first() {
        if *first == dot {
            return None;
        }
        pointer.push(u16::from(b'/'));
        let end;
        if *first == open {
            let inside = rest.get(1..)?;
            let len = inside.iter().position(|unit| *unit == close)?;
            let digits = inside.get(..len)?;
            if digits.is_empty() || !digits.iter().all(|unit| (0x30..=0x39).contains(unit)) {
                return None;
            }
            pointer.extend_from_slice(digits);
            end = len + 2;
        } else {
            end = rest
                .iter()
                .position(|unit| *unit == dot || *unit == open)
                .unwrap_or(rest.len());
            for unit in rest.get(..end)? {
                match char::from_u32(u32::from(*unit)) {
                    Some('~') => pointer.extend("~0".encode_utf16()),
                    Some('/') => pointer.extend("~1".encode_utf16()),
                    _ => pointer.push(*unit),
                }
            }
        }
        rest = rest.get(end..)?;
        if rest.first() == Some(&dot) {
            rest = rest.get(1..)?;
        }
    }
    (!pointer.is_empty()).then(|| JsString::from_units(pointer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_pointers_where_they_are_clear() {
        let table = [
            ("id", Some("/id")),
            ("order.id", Some("/order/id")),
            ("items[0].id", Some("/items/0/id")),
            ("a/b~c", Some("/a~1b~0c")),
            ("a[12]", Some("/a/12")),
            (".a", None),
            ("a..b", None),
            ("a[x]", None),
            ("a[]", None),
            ("a[1", None),
            ("a.", Some("/a")),
            ("", None),
        ];
        for (path, pointer) in table {
            assert_eq!(
                flat_key_to_json_pointer(path.into())
                    .map(|text| text.to_string())
                    .as_deref(),
                pointer,
                "{path}"
            );
        }
    }
}
