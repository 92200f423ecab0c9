//! The ids that a call holds, wherever they stand: it may change their rows,
//! too.

use crosscheck_core::json::{Node, Value as Kind};

use crate::compare::value::{Value, is_scalar};
use crate::plan::Vocabulary;
use crate::plan::names::is_id_word;

/// So deep ids are looked for.
const DEPTH: usize = 4;

/// Calls for every id in an object.
pub(super) fn each_id(vocabulary: &mut Vocabulary, node: Node<'_>, mut found: impl FnMut(&str)) {
    let mut open: Vec<(Node<'_>, bool, usize)> = vec![(node, false, DEPTH)];
    while let Some((node, is_id, depth)) = open.pop() {
        match node.value() {
            Kind::Object(members) if depth > 0 => {
                for (name, value) in members {
                    let is_id = holds_ids(vocabulary, &name.to_str_lossy());
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

/// Whether a field holds ids: by its name, or because a key is called so.
fn holds_ids(vocabulary: &mut Vocabulary, name: &str) -> bool {
    let field = vocabulary.field(name);
    let last = field.name.last();
    let is_key = || {
        field.tables().any(|table| {
            let column = field.column(table);
            column
                .is_some_and(|(column, _)| vocabulary.model.table(table).column(column).is_key_like)
        })
    };
    is_id_word(last)
        || last.strip_suffix('s').is_some_and(is_id_word)
        || !field.ids.is_empty()
        || !field.called.is_empty()
        || is_key()
}
