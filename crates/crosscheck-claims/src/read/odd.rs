//! Deviations from the schema that change no result: each is a warning
//! (claims 2).

use crosscheck_core::Node;
use crosscheck_core::json::Elements;

use super::Fields;
use crate::warning::Warnings;

const CODE: &str = "schema_deviation";
/// The keys of one follow-up; both are texts.
const FOLLOWUP: [&str; 2] = ["need", "suggested_next_task"];

/// The members of `coverage`.
pub(super) fn coverage(fields: Fields<'_>, scanned: Elements<'_>, warnings: &mut Warnings) {
    let path = || "coverage".to_owned();
    fields.look_over(&["inputs_scanned", "known_gaps"], &path, warnings);
    for (index, node) in scanned.enumerate() {
        let path = || format!("coverage.inputs_scanned[{index}]");
        let Some(item) = object(node, &path, warnings) else {
            continue;
        };
        item.look_over(&["source", "method", "scope", "counts"], &path, warnings);
        strings(item, &["source", "method", "scope"], &path, warnings);
        if item
            .get("counts")
            .is_some_and(|node| node.as_object().is_none())
        {
            warnings.add(format!("{}.counts", path()), CODE, "it is not an object");
        }
    }
    if let Some(gaps) = array(fields, "known_gaps", "coverage.known_gaps", warnings) {
        for (index, node) in gaps.enumerate() {
            if node.as_js().is_none() {
                let path = format!("coverage.known_gaps[{index}]");
                warnings.add(path, CODE, "it is not a string");
            }
        }
    }
}

/// The members of `followups`.
pub(super) fn followups(top: Fields<'_>, warnings: &mut Warnings) {
    let Some(items) = array(top, "followups", "followups", warnings) else {
        return;
    };
    for (index, node) in items.enumerate() {
        let path = || format!("followups[{index}]");
        if let Some(item) = object(node, &path, warnings) {
            item.look_over(&FOLLOWUP, &path, warnings);
            strings(item, &FOLLOWUP, &path, warnings);
        }
    }
}

/// `notes` of a claim.
pub(super) fn notes(claim: Fields<'_>, path: &dyn Fn() -> String, warnings: &mut Warnings) {
    if claim
        .get("notes")
        .is_some_and(|node| node.as_js().is_none())
    {
        warnings.add(format!("{}.notes", path()), CODE, "it is not a string");
    }
}

/// Keys that a locator of this type must not have.
pub(super) fn locator(
    fields: Fields<'_>,
    kind: Option<&str>,
    path: &dyn Fn() -> String,
    warnings: &mut Warnings,
) {
    let known: &[&str] = match kind {
        Some("line_range" | "byte_range") => &["type", "path", "start", "end"],
        Some("symbol_range") => &["type", "path", "symbol", "kind", "signature_hint"],
        Some("tool_call") => &["type", "tool", "args_hash", "rerun_hint"],
        Some("json_path") => &["type", "source", "path"],
        Some("stack_signature") => &["type", "signature"],
        // An item of an unknown type is unverified as a whole.
        _ => return,
    };
    fields.look_over(known, &|| format!("{}.locator", path()), warnings);
}

fn object<'j>(
    node: Node<'j>,
    path: &dyn Fn() -> String,
    warnings: &mut Warnings,
) -> Option<Fields<'j>> {
    let fields = Fields::of(node);
    if fields.is_none() {
        warnings.add(path(), CODE, "it is not an object");
    }
    fields
}

fn array<'j>(
    fields: Fields<'j>,
    key: &str,
    path: &str,
    warnings: &mut Warnings,
) -> Option<Elements<'j>> {
    let node = fields.get(key)?;
    let elements = node.as_array();
    if elements.is_none() {
        warnings.add(path, CODE, "it is not an array");
    }
    elements
}

fn strings(fields: Fields<'_>, keys: &[&str], path: &dyn Fn() -> String, warnings: &mut Warnings) {
    for key in keys {
        match fields.get(key) {
            Some(node) if node.as_js().is_some() => {}
            Some(_) => warnings.add(format!("{}.{key}", path()), CODE, "it is not a string"),
            None => warnings.add(format!("{}.{key}", path()), CODE, "it is missing"),
        }
    }
}
