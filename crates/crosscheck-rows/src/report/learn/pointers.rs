//! Where a value is: JSON Pointers.

use crosscheck_core::json::{Node, Value as Kind};
use crosscheck_core::text::JsStr;

use crate::plan::names::Name;
use crate::read::pointer::escaped;

/// Values deeper than this are not pointed to.
const DEPTH: usize = 4;
/// At most this many places of one call are remembered.
const MOST: usize = 64;

/// The places below a root whose value fits, the nearest first.
pub(super) fn all(
    root: &str,
    node: Option<Node<'_>>,
    fits: &dyn Fn(Node<'_>) -> bool,
) -> Vec<String> {
    let places = walk(root, node).into_iter();
    let fitting = places.filter(|(_, node)| fits(*node));
    fitting.map(|(pointer, _)| pointer).take(MOST).collect()
}

/// The nearest place whose last step is called like a field, or ends so
/// (`new_title`), and whose value fits. Another place that holds the same value
/// does so by chance.
pub(super) fn called<'j>(
    root: &str,
    node: Option<Node<'j>>,
    field: &str,
    fits: &dyn Fn(Node<'j>) -> bool,
) -> Option<(String, Node<'j>)> {
    let norm = Name::new(field.rsplit('.').next().unwrap_or_default()).norm;
    let mut places = walk(root, node);
    places.retain(|(_, node)| fits(*node));
    let is_called = |(pointer, _): &&(String, Node<'j>)| last_step(pointer).norm == norm;
    let ends_so = |(pointer, _): &&(String, Node<'j>)| last_step(pointer).norm.ends_with(&*norm);
    let found = places.iter().find(is_called);
    found.or_else(|| places.iter().find(ends_so)).cloned()
}

/// The place of a pointer, as reports name it: `/args/a/b` is `a.b`.
pub(super) fn spoken(pointer: &str) -> String {
    let path = pointer.splitn(3, '/').nth(2).unwrap_or_default();
    path.replace('/', ".").replace("~1", "/").replace("~0", "~")
}

pub(super) fn last_step(pointer: &str) -> Name {
    Name::new(pointer.rsplit('/').next().unwrap_or_default())
}

/// All places below a root, level by level. Elements of arrays have no place that
/// would mean the same in the next call.
fn walk<'j>(root: &str, node: Option<Node<'j>>) -> Vec<(String, Node<'j>)> {
    let mut found: Vec<(String, Node<'j>)> = node
        .map(|node| (root.to_owned(), node))
        .into_iter()
        .collect();
    let mut start = 0;
    for _ in 0..DEPTH {
        let level = found.split_off(start);
        start += level.len();
        let mut next = Vec::new();
        for (pointer, node) in &level {
            if let Kind::Object(members) = node.value() {
                let step = |(name, node): (JsStr<'j>, Node<'j>)| {
                    (format!("{pointer}/{}", escaped(&name.to_str_lossy())), node)
                };
                next.extend(members.map(step));
            }
        }
        found.extend(level);
        found.extend(next);
    }
    found
}
