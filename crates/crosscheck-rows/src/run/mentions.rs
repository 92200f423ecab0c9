//! The ids that a call holds, wherever they are: it may change their rows,
//! too.

use crosscheck_core::json::{Node, Value as Kind};
use smallvec::{SmallVec, smallvec};

use crate::compare::value::{Value, is_scalar};
use crate::plan::Vocabulary;

/// So deep ids are looked for.
const DEPTH: usize = 4;

/// Calls for every id in an object.
pub(super) fn each_id(vocabulary: &mut Vocabulary, node: Node<'_>, mut found: impl FnMut(&str)) {
    let mut open: SmallVec<[(Node<'_>, bool, usize); 16]> = smallvec![(node, false, DEPTH)];
    while let Some((node, is_id, depth)) = open.pop() {
        match node.value() {
            Kind::Object(members) if depth > 0 => {
                for (name, value) in members {
                    let is_id = vocabulary.member(name).holds_ids;
                    if is_id || !is_scalar(value) {
                        open.push((value, is_id, depth - 1));
                    }
                }
            }
            Kind::Array(items) if depth > 0 => {
                open.extend(items.map(|item| (item, is_id, depth - 1)));
            }
            Kind::Number(_) | Kind::String(_) if is_id => found(Value::of(node).plain().trim()),
            _ => {}
        }
    }
}
