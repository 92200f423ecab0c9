//! Row images: objects of an answer that are rows (rows 8.2).

use crosscheck_core::json::{Node, Value as Kind};
use std::sync::Arc;

use super::field::{Field, Tool, Vocabulary};
use super::key::{self, FoundKey};
use super::model::TableId;
use super::names::any_same;
use super::object::Object;

/// So deep an answer is searched.
const DEPTH: usize = 3;

/// An object that is a row of a table.
#[derive(Debug)]
pub(crate) struct Image<'j> {
    pub(crate) table: TableId,
    pub(crate) key: FoundKey,
    pub(crate) object: Object<'j>,
    /// The object as it stands in the answer.
    pub(crate) node: Node<'j>,
    /// Whether the tool or the member around it names the table.
    pub(crate) is_named: bool,
    /// Whether the member around it does.
    pub(crate) is_wrapped: bool,
}

/// The row images of an answer, in its order.
pub(crate) fn all<'j>(
    vocabulary: &mut Vocabulary,
    answer: Node<'j>,
    tool: &Tool,
) -> Vec<Image<'j>> {
    let mut images = Vec::new();
    search(vocabulary, answer, tool, 0, None, &mut images);
    images
}

fn search<'j>(
    vocabulary: &mut Vocabulary,
    node: Node<'j>,
    tool: &Tool,
    depth: usize,
    wrapper: Option<&Arc<Field>>,
    images: &mut Vec<Image<'j>>,
) {
    match node.value() {
        Kind::Array(items) => {
            for item in items.filter(|item| item.as_object().is_some()) {
                search(vocabulary, item, tool, depth, wrapper, images);
            }
        }
        Kind::Object(_) => {
            let object = vocabulary.object(node);
            if let Some((table, key, is_named)) = of_object(vocabulary, &object, tool, wrapper) {
                images.push(Image {
                    table,
                    key,
                    object,
                    node,
                    is_named,
                    is_wrapped: wrapper
                        .is_some_and(|wrapper| is_called(wrapper, table, tool, vocabulary)),
                });
            } else if depth < DEPTH {
                for member in &object {
                    search(
                        vocabulary,
                        member.node,
                        tool,
                        depth + 1,
                        Some(&member.field),
                        images,
                    );
                }
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {}
    }
}

/// The table that explains most of an object, if the object holds its key.
fn of_object(
    vocabulary: &mut Vocabulary,
    object: &Object<'_>,
    tool: &Tool,
    wrapper: Option<&Arc<Field>>,
) -> Option<(TableId, FoundKey, bool)> {
    let explained = vocabulary.explained(object);
    let vocabulary = &*vocabulary;
    // other things may be made along with the row, and have an id, too
    let is_deed = wrapper.is_some_and(|wrapper| tool.has_done(wrapper));
    let is_at_top = is_deed || wrapper.is_none_or(|wrapper| wrapper.is_envelope());
    let is_named = |table: TableId| {
        (is_at_top && tool.names(table).is_some())
            || wrapper.is_some_and(|wrapper| is_called(wrapper, table, tool, vocabulary))
    };
    let mut candidates = explained.tables();
    candidates.extend(tool.tables().map(|(table, _)| table));
    candidates.extend(
        wrapper
            .into_iter()
            .flat_map(|wrapper| wrapper.names.iter().copied()),
    );
    candidates.sort_unstable();
    candidates.dedup();
    let mut best: Vec<(usize, bool, TableId, FoundKey)> = Vec::new();
    for table in candidates {
        let named = is_named(table);
        let explains = explained.by(table);
        // it would have to explain more than a key of one column
        if !named && explains < 2 {
            continue;
        }
        let Some(key) = key::find(&vocabulary.model, table, object, named) else {
            continue;
        };
        let counts = key.is_fitting() && (key.is_primary || named) && (named || key.is_own);
        if counts && ((named && !is_deed) || explains > key.columns.len()) {
            best.push((explains, named, table, key));
        }
    }
    // stable: of equals the first table by name stays first
    best.sort_by_key(|(explains, named, _, _)| std::cmp::Reverse((*explains, *named)));
    let mut best = best.into_iter();
    let (explains, named, table, key) = best.next()?;
    let is_tie = best
        .next()
        .is_some_and(|next| (next.0, next.1) == (explains, named));
    (!is_tie).then_some((table, key, named))
}

/// Whether a member names a table: by all its words, or by some of them where
/// the tool has them all (`item` in the answer of `update_checklist_item`).
fn is_called(wrapper: &Field, table: TableId, tool: &Tool, vocabulary: &Vocabulary) -> bool {
    let words = &vocabulary.model.table(table).words;
    let own = &wrapper.name.words;
    wrapper.names.contains(&table)
        || (tool.names(table).is_some()
            && !own.is_empty()
            && own.iter().all(|word| any_same(word, words)))
}
