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
    if is_inside(claim, held.root()) {
        return Equal("json");
    }
    match (elements, held.root().value()) {
        (Some(claimed), Kind::Array(all)) if contains_all(claimed, all) => Not(PARTIAL),
        _ => Different(""),
    }
}

/// Whether an object's members are all in another one, arrays and scalars
/// being equal. Depth costs no stack.
fn is_inside(claim: Node<'_>, held: Node<'_>) -> bool {
    let mut open = vec![(claim, held)];
    while let Some((a, b)) = open.pop() {
        match (a.value(), b.value()) {
            (Kind::Object(a), Kind::Object(b)) => {
                let theirs = b.sorted();
                for (name, value) in a.sorted() {
                    match theirs.binary_search_by(|(own, _)| own.order(name)) {
                        Ok(at) => open.extend(theirs.get(at).map(|(_, held)| (value, *held))),
                        Err(_) => return false,
                    }
                }
            }
            (Kind::Array(a), Kind::Array(b)) => {
                if a.count() != b.count() {
                    return false;
                }
                open.extend(a.zip(b));
            }
            (Kind::Object(_) | Kind::Array(_), _) | (_, Kind::Object(_) | Kind::Array(_)) => {
                return false;
            }
            (Kind::Null, Kind::Null) => {}
            (Kind::Null, _) | (_, Kind::Null) => return false,
            _ if are_equal(a, b) => {}
            _ => return false,
        }
    }
    true
}

fn are_equal(a: Node<'_>, b: Node<'_>) -> bool {
    let held = match Value::of(b) {
        Value::Bool(truth) => Cell::Bool(truth),
        Value::Number(digits) => digits.parse().map_or(Cell::Text(digits), Cell::Number),
        Value::Text(text) => Cell::Text(text),
        Value::Null => Cell::Null,
        Value::Json(_) => Cell::Unreadable,
    };
    compare_cells(&Value::of(a), &held, Sides::default()).is_equal()
}

fn contains_all(claimed: Elements<'_>, all: Elements<'_>) -> bool {
    claimed.count().saturating_mul(all.count()) <= PAIRS
        && claimed
            .into_iter()
            .all(|one| all.into_iter().any(|held| is_inside(one, held)))
}

/// An array of scalars against a comma list, in braces or not, in any order.
fn listed(elements: Elements<'_>, text: &str) -> Comparison {
    if !elements.into_iter().all(is_scalar) {
        return Not("no JSON");
    }
    let mut claimed: Vec<String> = elements
        .map(|element| Value::of(element).plain().into_owned())
        .collect();
    let inner = text.trim().trim_matches(['{', '}']);
    let mut held: Vec<String> = inner
        .split(',')
        .map(|part| part.trim().trim_matches('"').to_owned())
        .collect();
    claimed.sort();
    held.sort();
    if claimed == held {
        Equal("list")
    } else {
        Not("list")
    }
}
