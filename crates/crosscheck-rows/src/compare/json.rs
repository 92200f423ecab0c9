//! Objects and arrays against what a column holds.

use crosscheck_core::json::{Elements, Json, Node, Value as Kind};

use super::Comparison::{self, Different, Equal, Not};
use super::{PARTIAL, Sides, compare as compare_cells};
use crate::compare::value::{Value, is_scalar};
use crate::observe::Cell;

/// More pairs than this are not tried.
const PAIRS: usize = 10_000;

/// Compares an object or array, or a text that no database can hold.
pub(super) fn compare(claim: Node<'_>, cell: &Cell) -> Comparison {
    let (Cell::Text(text) | Cell::Document(text)) = cell else {
        return Not("no JSON");
    };
    let elements = match claim.value() {
        Kind::Array(elements) => Some(elements),
        Kind::Object(_) => None,
        _ => return Not("half of a surrogate pair"),
    };
    let Ok(held) = Json::parse(text) else {
        return elements.map_or(Not("no JSON"), |elements| listed(elements, text));
    };
    let is_empty =
        |node: Node<'_>| matches!(node.value(), Kind::Object(members) if members.is_empty());
    if is_empty(claim) && !is_empty(held.root()) {
        return Not(PARTIAL);
    }
    let said = inside(claim, held.root());
    match (said, elements, held.root().value()) {
        (Different(_), Some(claimed), Kind::Array(all)) if contains_all(claimed, all) => {
            Not(PARTIAL)
        }
        _ => said,
    }
}

/// Whether an object's members are all in another one, arrays and scalars
/// being equal; a member that is not comparable leaves all of it open. Depth
/// costs no stack.
fn inside(claim: Node<'_>, held: Node<'_>) -> Comparison {
    let mut said = Equal("json");
    let mut open = vec![(claim, held)];
    while let Some((a, b)) = open.pop() {
        let part = match (a.value(), b.value()) {
            (Kind::Object(a), Kind::Object(b)) => {
                let theirs = b.sorted();
                for (name, value) in a.sorted() {
                    match theirs.binary_search_by(|(own, _)| own.order(name)) {
                        Ok(at) => open.extend(theirs.get(at).map(|(_, held)| (value, *held))),
                        // many programs leave out what holds nothing
                        Err(_) if is_nothing(value) => {}
                        Err(_) => return Different(""),
                    }
                }
                continue;
            }
            (Kind::Array(a), Kind::Array(b)) if a.count() == b.count() => {
                open.extend(a.zip(b));
                continue;
            }
            (Kind::Object(_) | Kind::Array(_), _) | (_, Kind::Object(_) | Kind::Array(_)) => {
                Different("")
            }
            _ => compared(a, b),
        };
        match part {
            Equal(_) => {}
            Different(_) => return part,
            Not(_) => said = part,
        }
    }
    said
}

fn is_nothing(node: Node<'_>) -> bool {
    match node.value() {
        Kind::Null => true,
        Kind::String(text) => text.is_empty(),
        Kind::Array(mut items) => items.next().is_none(),
        Kind::Object(members) => members.is_empty(),
        Kind::Bool(_) | Kind::Number(_) => false,
    }
}

fn compared(a: Node<'_>, b: Node<'_>) -> Comparison {
    let held = match Value::of(b) {
        Value::Bool(truth) => Cell::Bool(truth),
        Value::Number(digits) => digits.parse().map_or(Cell::Text(digits), Cell::Number),
        Value::Text(text) => Cell::Text(text),
        Value::Null => Cell::Null,
        Value::Json(_) => Cell::Unreadable,
    };
    match compare_cells(&Value::of(a), &held, Sides::default()) {
        Different(super::NULL) => Not(PARTIAL),
        said => said,
    }
}

fn contains_all(claimed: Elements<'_>, all: Elements<'_>) -> bool {
    claimed.count().saturating_mul(all.count()) <= PAIRS
        && claimed
            .into_iter()
            .all(|one| all.into_iter().any(|held| inside(one, held).is_equal()))
}

/// An array of scalars against a list in a text, in braces or not, in any
/// order. A text that holds some of them only is not all that was claimed.
fn listed(elements: Elements<'_>, text: &str) -> Comparison {
    if !elements.into_iter().all(is_scalar) {
        return Not("no JSON");
    }
    let mut claimed: Vec<String> = elements
        .map(|element| Value::of(element).plain().into_owned())
        .collect();
    claimed.sort();
    let inner = text.trim().trim_matches(['{', '}']);
    let mut some = false;
    for separator in [',', ';', '|', '\n', ' '] {
        let parts = inner.split(separator);
        let mut held: Vec<&str> = parts.map(|part| part.trim().trim_matches('"')).collect();
        held.sort_unstable();
        if claimed == held {
            return Equal("list");
        }
        some |= claimed.iter().any(|one| held.contains(&one.as_str()));
    }
    Not(if some { PARTIAL } else { "list" })
}
