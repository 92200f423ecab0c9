//! What an object says about a row (rows 8.4).

use crosscheck_core::json::{Node, Value as Kind};
use smol_str::SmolStr;
use std::sync::Arc;

use super::field::{Field, Relative, Tool, Vocabulary};
use super::means::{means, participle};
use super::model::{ColumnId, TableId};
use super::names::Name;
use super::object::{Member, Object, has};
use super::related;
use super::words::words;
use crate::compare::value::{Value, is_scalar};
use crate::fact::{Claim, Fact, From, Target};

/// Most objects have at most this many facts.
const LIKELY: usize = 8;

/// What is known while the facts of an object are gathered.
pub(crate) struct About<'a> {
    pub(crate) table: TableId,
    /// The columns of the key, which are not facts.
    pub(crate) key: &'a [ColumnId],
    /// The fields that hold the key.
    pub(crate) key_fields: &'a [Arc<Field>],
    pub(crate) tool: &'a Tool,
    pub(crate) from: From,
    /// Whether the object is certainly about this row.
    pub(crate) is_firm: bool,
}

/// The facts of an object, in its order; of several about one thing the first
/// firm one.
pub(crate) fn of_object(
    vocabulary: &mut Vocabulary,
    object: &Object<'_>,
    about: &About<'_>,
) -> Vec<Fact> {
    let renamed = without_old_values(vocabulary, object, about.table);
    let object = renamed.as_ref().unwrap_or(object);
    let mut facts = FactReader {
        vocabulary,
        about,
        found: Vec::with_capacity(object.len().min(LIKELY)),
    };
    for member in object {
        let is_key = about
            .key_fields
            .iter()
            .any(|field| field.name.text == member.field.name.text);
        let is_unset = member.node.is_null() && about.from == From::Argument;
        if !is_key && !is_unset {
            facts.member(member, object);
        }
    }
    facts.found
}

/// With `new_title` beside it and no column of that name, `title` is the old
/// value and says nothing; `None` when there is no such name.
fn without_old_values<'j>(
    vocabulary: &mut Vocabulary,
    object: &Object<'j>,
    table: TableId,
) -> Option<Object<'j>> {
    let bare_name = |member: &Member<'_>| -> Option<String> {
        let words = &member.field.name.words;
        let is_new = words.len() > 1
            && super::words::words()
                .new_prefix
                .has(member.field.name.first());
        (is_new && member.field.column(table).is_none())
            .then(|| words.get(1..).unwrap_or_default().join("_"))
    };
    let renamed: Vec<(String, &Member<'j>)> = object
        .iter()
        .filter_map(|member| bare_name(member).map(|name| (name, member)))
        .collect();
    if renamed.is_empty() {
        return None;
    }
    let is_new = |member: &Member<'_>| {
        let mut renamed = renamed.iter();
        renamed.any(|(_, new)| new.field.name.text == member.field.name.text)
    };
    let is_old = |member: &Member<'_>| {
        renamed
            .iter()
            .any(|(name, _)| *name == member.field.name.joined)
    };
    let mut kept: Object<'j> = object
        .iter()
        .filter(|member| !is_new(member) && !is_old(member))
        .cloned()
        .collect();
    for (name, member) in &renamed {
        let field = vocabulary.field(name);
        if field.column(table).is_some() {
            kept.push(Member {
                field,
                node: member.node,
            });
        }
    }
    Some(kept)
}

struct FactReader<'v, 'a> {
    vocabulary: &'v mut Vocabulary,
    about: &'a About<'a>,
    found: Vec<Fact>,
}

impl FactReader<'_, '_> {
    fn member(&mut self, member: &Member<'_>, object: &Object<'_>) {
        let (table, node) = (self.about.table, member.node);
        let field = &member.field;
        let column = field.column(table);
        let is_single = !matches!(node.value(), Kind::Array(_) | Kind::Object(_));
        if let Some((column, firm)) = column.filter(|(_, firm)| is_single || *firm) {
            let firm = firm && !self.is_ambiguous(column);
            self.column_fact(column, node, &field.name.text, &field.name, firm);
            return;
        }
        if is_scalar(node) && column.is_none() {
            if let Some((child, column)) = related::beside(&self.vocabulary.model, table, field) {
                let target = Target::Beside { child, column };
                self.push(
                    target,
                    Claim::Value(Value::of(node)),
                    &field.name.text,
                    false,
                );
            }
            return;
        }
        match node.value() {
            Kind::Object(members) if !members.is_empty() => self.nested(member, object),
            Kind::Array(items) => {
                let rows: Option<Vec<Node<'_>>> =
                    items.map(|item| item.as_object().map(|_| item)).collect();
                match rows {
                    Some(rows) => self.rows(field, &rows),
                    None => self.list(field, node),
                }
            }
            _ => {}
        }
    }

    /// Whether an argument may mean the column of another table, which the
    /// tool names at least as precisely.
    fn is_ambiguous(&self, column: ColumnId) -> bool {
        let About { table, tool, .. } = *self.about;
        let norm = &self.column(column).norm;
        let own = tool.names(table).unwrap_or_default();
        let mut rivals = tool
            .tables()
            .filter(|(other, count)| *other != table && *count >= own);
        self.about.from == From::Argument
            && rivals.any(|(other, _)| {
                let mut columns = self.vocabulary.model.table(other).columns.iter();
                columns.any(|column| column.name.norm == *norm)
            })
    }

    fn nested(&mut self, outer: &Member<'_>, object: &Object<'_>) {
        let inside = self.vocabulary.object(outer.node);
        if inside
            .iter()
            .all(|member| member.node.as_object().is_some())
        {
            let rows: Vec<Node<'_>> = inside.iter().map(|member| member.node).collect();
            self.rows(&outer.field, &rows);
            return;
        }
        let table = self.about.table;
        let is_other_row = outer.field.names.iter().any(|named| *named != table)
            || inside.iter().any(|member| member.field.name.is_bare_id)
            || outer.field.is_filter();
        if is_other_row {
            return;
        }
        for member in &inside {
            let is_nothing = member.node.is_null() && self.about.from == From::Argument;
            if is_nothing || matches!(member.node.value(), Kind::Array(_) | Kind::Object(_)) {
                continue;
            }
            let inner = &member.field.name.text;
            let joined = self.vocabulary.inner(&outer.field, inner);
            let alone = || {
                (!has(object, inner))
                    .then(|| member.field.column(table))
                    .flatten()
            };
            let Some((column, firm)) = joined.column(table).or_else(alone) else {
                continue;
            };
            let firm = firm && self.column(column).norm == joined.name.norm;
            let path = format!("{}.{inner}", outer.field.name.text);
            self.column_fact(column, member.node, &path, &joined.name, firm);
        }
    }

    fn column_fact(
        &mut self,
        column: ColumnId,
        node: Node<'_>,
        path: &str,
        field: &Name,
        firm: bool,
    ) {
        let table = self.vocabulary.model.table(self.about.table);
        let model = table.column(column);
        let from = self.about.from;
        let skipped = self.about.key.contains(&column)
            || model.is_secret
            || (from == From::Result && model.is_volatile);
        if skipped {
            return;
        }
        let value = Value::of(node);
        let is_relative = from == From::Argument && value.is_number() && self.adds_to(&model.name);
        let is_transitional = firm
            && from == From::Result
            && !matches!(value, Value::Number(_))
            && words().transitional.has_spelt(&value.plain());
        // a version that is given is the one that the row had, unless it is new
        let is_precondition =
            from == From::Argument && model.is_volatile && !self.about.tool.verb.creates;
        let is_outcome = is_precondition
            || from == From::Result
                && words().outcome_fields.has(&field.joined)
                && is_outcome(self.about.tool, field, &value.plain());
        let is_kept_elsewhere = model.name.is_state && table.has_history;
        let firm = firm && !(is_relative || is_transitional || is_kept_elsewhere);
        let target = Target::Column(column);
        let known = self.found.iter_mut().find(|fact| fact.about == target);
        if known.as_ref().is_some_and(|known| !firm || known.is_firm) {
            return;
        }
        let fact = Fact {
            is_firm: firm && self.about.is_firm && !is_outcome,
            is_outcome,
            ..Fact::new(target, Claim::Value(value), from, path.into())
        };
        match known {
            Some(known) => *known = fact,
            None => self.found.push(fact),
        }
    }

    /// Whether the tool changes numbers of this column by what it is given.
    fn adds_to(&self, column: &Name) -> bool {
        let named = |word: &SmolStr| self.about.tool.words.contains(word);
        match self.about.tool.relative {
            Some(Relative::Always) => true,
            Some(Relative::Add) => column.words.iter().all(named),
            None => false,
        }
    }

    fn rows(&mut self, field: &Field, rows: &[Node<'_>]) {
        if rows.is_empty() {
            return;
        }
        let elements: Vec<Object<'_>> = rows
            .iter()
            .map(|row| self.vocabulary.object(*row))
            .collect();
        let table = self.about.table;
        let Some(found) = related::rows(&self.vocabulary.model, table, &field.name, &elements)
        else {
            return;
        };
        let firm = match self.about.from {
            From::Argument => found.is_named && found.columns >= 2,
            _ => found.is_named || found.columns >= 2,
        };
        let target = Target::Rows { child: found.child };
        self.push(target, Claim::Rows(found.elements), &field.name.text, firm);
    }

    fn list(&mut self, field: &Field, node: Node<'_>) {
        let items = node.as_array().into_iter().flatten();
        let values: Option<Vec<Value>> = items
            .map(|item| is_scalar(item).then(|| Value::of(item)))
            .collect();
        let Some(values) = values.filter(|values| !values.is_empty()) else {
            return;
        };
        let is_shown = self.about.from == From::Result;
        let Some((child, column, firm)) =
            related::list(&self.vocabulary.model, self.about.table, &field.name)
        else {
            return;
        };
        let target = Target::List { child, column };
        let firm = firm && is_shown;
        self.push(target, Claim::Values(values.into()), &field.name.text, firm);
    }

    fn push(&mut self, target: Target, claim: Claim, field: &str, firm: bool) {
        let fact = Fact {
            is_firm: firm && self.about.is_firm,
            is_complete: self.about.from == From::Result,
            ..Fact::new(target, claim, self.about.from, field.into())
        };
        match self
            .found
            .iter_mut()
            .find(|known| known.about == fact.about)
        {
            Some(known) => *known = fact,
            None => self.found.push(fact),
        }
    }

    fn column(&self, column: ColumnId) -> &Name {
        &self
            .vocabulary
            .model
            .table(self.about.table)
            .column(column)
            .name
    }
}

/// Whether a state tells how the call went and not what the row holds: a word of
/// the list, a sentence, or what a tool of a vague verb did (`processed`).
fn is_outcome(tool: &Tool, field: &Name, state: &str) -> bool {
    let state = state.trim().to_lowercase();
    let is_sentence =
        field.is_state && (state.ends_with(['.', '!']) || state.split_whitespace().count() > 3);
    let is_listed = words().outcome_words.has(&state) && !brings_about(tool, &state);
    let is_deed = means().vague.has(&tool.verb.word) && state == participle(&tool.verb.word);
    is_sentence || is_listed || is_deed
}

/// Whether a state is what the tool is there for, and not only how it went:
/// `sent` after `send_invoice`, but not `updated` after `update_invoice`.
fn brings_about(tool: &Tool, state: &str) -> bool {
    let verb = tool.verb.word.as_str();
    let stem = verb.get(..3).unwrap_or(verb);
    stem.len() >= 3 && state.starts_with(stem) && !tool.verb.is_setter
}
