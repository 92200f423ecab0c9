//! JSON Pointers into the arguments and the answer of a call.

use crosscheck_core::json::{Node, Value};

/// Follows the steps of a pointer.
pub(crate) fn follow<'j>(node: Node<'j>, steps: &[String]) -> Option<Node<'j>> {
    steps
        .iter()
        .try_fold(node, |node, step| match node.value() {
            Value::Object(_) => node.get(step),
            Value::Array(mut items) => items.nth(step.parse().ok()?),
            _ => None,
        })
}

/// The steps behind the first word of a pointer such as `/args/order/id`.
pub(crate) fn steps(pointer: &str) -> Vec<String> {
    let steps = pointer.split('/').skip(2);
    steps
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .collect()
}

/// A member of a pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
