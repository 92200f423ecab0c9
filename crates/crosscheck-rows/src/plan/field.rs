//! Names of a log, each looked up once: what a field may mean in this
//! database, and what the name of a tool says.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crosscheck_core::text::JsStr;
use smol_str::SmolStr;

use super::classify::{self, Verb};
use super::means::{Promise, means, participle};
use super::model::{ColumnId, Model, TableId, TableModel};
use super::names::{Name, any_same, is_id_word};
use super::words::words;

/// At most this many names are remembered; then all are forgotten and learnt again.
const REMEMBERED: usize = 20_000;
/// Longer names belong to no column.
const LONGEST: usize = 256;

/// What a field may mean.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(crate) struct Field {
    pub(crate) name: Name,
    /// The name in lower case, as the lists of envelopes and filters have it.
    pub(crate) lower: SmolStr,
    /// The name without what looks like a key in it.
    pub(crate) shown: SmolStr,
    /// The columns, one for each table at most, by table.
    meanings: Vec<super::model::Meaning>,
    /// The tables whose id it is, such as `order_id` of `orders`.
    pub(crate) ids: Vec<TableId>,
    /// The tables that it is called like.
    pub(crate) called: Vec<TableId>,
    /// The tables that its words name.
    pub(crate) names: Vec<TableId>,
    /// The tables that explain it if it holds one value: those with a column
    /// for it, and those whose id it is.
    pub(crate) explained_by: Box<[TableId]>,
    /// Whether it holds something only when a call failed.
    pub(crate) tells_failure: bool,
    /// Whether it holds ids: by its name, or because a key is called so.
    pub(crate) holds_ids: bool,
    /// Whether what it holds should not be shown.
    pub(crate) looks_secret: bool,
    /// Whether it is an old value, a switch of the tool, or a secret.
    pub(crate) is_beside_the_point: bool,
}

impl Field {
    /// The column of a table, and whether that is certain.
    pub(crate) fn column(&self, table: TableId) -> Option<(ColumnId, bool)> {
        let at = self
            .meanings
            .binary_search_by_key(&table, |meaning| meaning.table)
            .ok()?;
        let meaning = self.meanings.get(at)?;
        Some((meaning.column, meaning.firm))
    }

    /// Every table that has a column for it.
    pub(crate) fn tables(&self) -> impl Iterator<Item = TableId> {
        self.meanings.iter().map(|meaning| meaning.table)
    }

    pub(crate) fn is_id_of(&self, table: TableId) -> bool {
        self.ids.contains(&table)
    }

    pub(crate) fn is_envelope(&self) -> bool {
        words().envelope.has(&self.lower)
    }

    pub(crate) fn is_filter(&self) -> bool {
        words().filter.has(&self.lower)
    }
}

/// What the name of a tool says.
#[derive(Debug, Default)]
pub(crate) struct Tool {
    /// As the log has it.
    pub(crate) name: SmolStr,
    /// What follows the last `__`.
    pub(crate) words: Vec<SmolStr>,
    /// The words without separators.
    pub(crate) norm: SmolStr,
    /// The tables it names, with the number of their words.
    named: Vec<(TableId, usize)>,
    pub(crate) verb: Verb,
    /// Tables of which it names a part: `orders`, where it names `order_items`.
    outdone: Vec<SmolStr>,
    /// What its verb makes of something: `created`.
    done: SmolStr,
    /// Whether it may make the very row whose key it is given.
    pub(crate) may_make: bool,
    /// Whether what it is given may be a secret: `set_password`.
    pub(crate) is_about_secrets: bool,
    /// Whether it adds to numbers instead of setting them: the word, and
    /// whether that is `add`.
    pub(crate) relative: Option<Relative>,
    /// What its name says of each table, once that is asked for.
    promises: Box<[OnceLock<Box<Promise>>]>,
}

/// How a tool changes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relative {
    /// A word such as `deposit` or `increase`.
    Always,
    /// `add`, which adds to what the tool names.
    Add,
}

impl Tool {
    /// How many words of a table the tool names: all or none.
    pub(crate) fn names(&self, table: TableId) -> Option<usize> {
        let at = self
            .named
            .binary_search_by_key(&table, |(id, _)| *id)
            .ok()?;
        self.named.get(at).map(|(_, count)| *count)
    }

    /// What its name says of the rows of a table.
    pub(crate) fn promise(&self, table: &TableModel) -> &Promise {
        static NOTHING: OnceLock<Promise> = OnceLock::new();
        match self.promises.get(table.id.0 as usize) {
            Some(promise) => promise.get_or_init(|| Box::new(Promise::new(self, table))),
            None => NOTHING.get_or_init(Promise::default),
        }
    }

    /// Whether its object is a table.
    pub(crate) fn is_about(&self, table: &TableModel) -> bool {
        self.promise(table).is_about
    }

    /// Whether its object is a table, and not a part of it or something that
    /// hangs on it: `delete_customer_order` is about orders, and
    /// `remove_order_coupon` and `remove_item_from_order` are not.
    pub(super) fn has_object(&self, table: &TableModel) -> bool {
        if self.outdone.contains(&table.shown) {
            return false;
        }
        let is_verb = |word: &SmolStr| *word == self.verb.word;
        let at = self.words.iter().position(is_verb);
        let (before, after) = self.words.split_at(at.unwrap_or_default());
        let after = after.get(1..).unwrap_or_default();
        let relates = |word: &SmolStr| means().turns_away.has(word);
        let object = after.split(relates).next().unwrap_or_default();
        let object = if object.is_empty() { before } else { object };
        let is_filler = |word: &SmolStr| means().fillers.has(word) || is_id_word(word);
        let end = object.iter().rposition(|word| !is_filler(word));
        let Some(object) = end.and_then(|end| object.get(..=end)) else {
            return true;
        };
        // a table of one word may be written in several (`work order`)
        (1..=object.len().min(4)).any(|length| {
            let tail = object.get(object.len() - length..).unwrap_or_default();
            let own = if length == 1 || table.words.len() == 1 {
                &table.words[..]
            } else {
                &[]
            };
            any_same(&tail.concat(), own) || (length == 1 && any_same(&tail.concat(), &table.alias))
        })
    }

    /// The tables it names.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (TableId, usize)> {
        self.named.iter().copied()
    }

    /// Whether a member of its answer holds what it did: `created` that of
    /// `bulk_create_orders`, and not `skipped` or `rejected`.
    pub(crate) fn has_done(&self, member: &Field) -> bool {
        let makes = |verb: Option<&str>| verb.is_some_and(|verb| means().makes.has(verb));
        let word = member.lower.as_str();
        self.verb.says != classify::Says::Delete
            && (word == self.done
                || (self.verb.creates
                    && (makes(word.strip_suffix('d')) || makes(word.strip_suffix("ed")))))
    }
}

/// The names of a run.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) model: Model,
    /// Whether values are left out of what is reported.
    pub(crate) redacts: bool,
    fields: HashMap<Box<[u8]>, Arc<Field>, foldhash::fast::RandomState>,
    tools: HashMap<SmolStr, Arc<Tool>, foldhash::fast::RandomState>,
}

/// Old values, switches of the tool, and secrets.
fn is_beside_the_point(name: &Name) -> bool {
    let lists = words();
    lists.old_prefix.has(name.first())
        || lists.control.has(&name.joined)
        || lists.secret.has(&name.joined)
        || lists.dry.has(&name.joined)
}

impl Vocabulary {
    pub(crate) fn new(model: Model) -> Self {
        Self {
            model,
            ..Self::default()
        }
    }

    pub(crate) fn field(&mut self, name: &str) -> Arc<Field> {
        self.member(name.into())
    }

    /// The field of a member of an object.
    pub(crate) fn member(&mut self, name: JsStr<'_>) -> Arc<Field> {
        let bytes = name.bytes();
        if let Some(field) = self.fields.get(bytes) {
            return Arc::clone(field);
        }
        let field = Arc::new(self.resolve(&name.to_str_lossy()));
        if self.fields.len() >= REMEMBERED {
            self.fields.clear();
        }
        if bytes.len() <= LONGEST {
            self.fields.insert(bytes.into(), Arc::clone(&field));
        }
        field
    }

    fn resolve(&self, text: &str) -> Field {
        let name = if text.len() <= LONGEST {
            Name::new(text)
        } else {
            Name {
                text: text.into(),
                ..Name::new("")
            }
        };
        let index = &self.model.index;
        let (meanings, ids) = (index.meanings(&name.norm), index.ids(&name.words));
        let of_columns = meanings.iter().map(|meaning| meaning.table);
        let mut explained_by: Vec<TableId> = of_columns.chain(ids.iter().copied()).collect();
        explained_by.sort_unstable();
        explained_by.dedup();
        let lower: SmolStr = text.to_lowercase().into();
        let called = index.called(&name.words);
        let is_key = |meaning: &super::model::Meaning| {
            let table = self.model.table(meaning.table);
            table.column(meaning.column).is_key_like
        };
        let last = name.last();
        let holds_ids = is_id_word(last)
            || means().public.has(last)
            || last.strip_suffix('s').is_some_and(is_id_word)
            || !ids.is_empty()
            || !called.is_empty()
            || meanings.iter().any(is_key);
        Field {
            holds_ids,
            meanings,
            ids,
            explained_by: explained_by.into(),
            looks_secret: name.looks_secret(),
            shown: crosscheck_core::secrets::without_keys(text, "<secret>").into(),
            is_beside_the_point: is_beside_the_point(&name),
            called,
            names: index
                .named(&name.words)
                .into_iter()
                .map(|(table, _)| table)
                .collect(),
            tells_failure: words().failed_fields.has(&lower),
            lower,
            name,
        }
    }

    pub(crate) fn tool(&mut self, name: &str) -> Arc<Tool> {
        if let Some(tool) = self.tools.get(name) {
            return Arc::clone(tool);
        }
        let base = name.rsplit("__").next().unwrap_or(name);
        let words = super::names::split(base);
        let list = &super::words::words().relative;
        let mut relative = words.iter().filter_map(|word| match word.as_str() {
            "add" => Some(Relative::Add),
            word => list.has(word).then_some(Relative::Always),
        });
        let verb = classify::verb(&words, &self.model);
        let named = self.model.index.named(&words);
        let table = |id: &TableId| self.model.table(*id);
        let is_outdone = |id: &TableId| {
            let own = &table(id).words;
            let has_all = |other: &[SmolStr]| own.iter().all(|word| any_same(word, other));
            let mut others = named.iter().map(|(other, _)| &table(other).words);
            others.any(|other| other.len() > own.len() && has_all(other))
        };
        let outdone = named.iter().map(|(id, _)| id).filter(|id| is_outdone(id));
        let outdone = outdone.map(|id| table(id).shown.clone()).collect();
        let tool = Arc::new(Tool {
            name: name.into(),
            outdone,
            named,
            may_make: means().may_make(&verb.word, &words),
            is_about_secrets: crosscheck_core::secrets::is_secret_field(base),
            done: participle(&verb.word),
            verb,
            relative: relative.next(),
            promises: self.model.tables().map(|_| OnceLock::new()).collect(),
            norm: words.concat().into(),
            words,
        });
        if self.tools.len() >= REMEMBERED {
            self.tools.clear();
        }
        self.tools.insert(name.into(), Arc::clone(&tool));
        tool
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::vocabulary;

    #[test]
    fn a_tool_is_about_its_object_and_not_about_what_that_hangs_on() {
        let mut vocabulary = vocabulary(&["orders: id*", "order_items: id*", "workorders: id*"]);
        for (tool, table, is_about) in [
            ("delete_order", "orders", true),
            ("delete_customer_order", "orders", true),
            ("orders.remove", "orders", true),
            ("order_delete", "orders", true),
            ("deleteOrderById", "orders", true),
            ("delete_order_record", "orders", true),
            ("delete_orders_by_customer", "orders", true),
            ("shop__delete_work_order", "workorders", true),
            ("delete_order_item", "order_items", true),
            ("remove_order_coupon", "orders", false),
            ("remove_item_from_order", "orders", false),
            ("delete_order_note", "orders", false),
        ] {
            let tool = vocabulary.tool(tool);
            let table = vocabulary.model.named(table).unwrap();
            let table = vocabulary.model.table(table);
            assert_eq!(tool.is_about(table), is_about, "{}", tool.name);
        }
    }
}
