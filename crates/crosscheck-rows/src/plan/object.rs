//! Objects of a log with their fields looked up, and how much of an object a
//! table explains.

use std::collections::HashMap;
use std::sync::Arc;

use crosscheck_core::json::{Node, Value as Kind};
use smallvec::SmallVec;

use super::field::{Field, Tool, Vocabulary};
use super::model::TableId;
use super::words::words;
use crate::compare::value::is_scalar;

/// A member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member<'j> {
    pub(crate) field: Arc<Field>,
    pub(crate) node: Node<'j>,
}

/// The members of an object, each name once.
pub(crate) type Object<'j> = Vec<Member<'j>>;

/// Tables, seldom many.
pub(crate) type Tables = SmallVec<[TableId; 32]>;

/// How many fields of an object each table explains.
#[derive(Debug, Default)]
pub(crate) struct Explained {
    /// Each table once for each field, in order.
    fields: Tables,
}

impl Explained {
    pub(crate) fn by(&self, table: TableId) -> usize {
        let up_to = |bound: u32| self.fields.partition_point(|known| known.0 < bound);
        up_to(table.0.saturating_add(1)) - up_to(table.0)
    }

    /// The tables that explain something, in order.
    pub(crate) fn tables(&self) -> Tables {
        let mut tables = self.fields.clone();
        tables.dedup();
        tables
    }
}

/// Most objects have at most this many members.
const LIKELY: usize = 8;

/// More members are told apart by a table instead of one by one.
const FEW: usize = 12;

impl Vocabulary {
    /// The members of an object; of a repeated name the last value counts.
    pub(crate) fn object<'j>(&mut self, node: Node<'j>) -> Object<'j> {
        let mut object = Object::with_capacity(LIKELY);
        let mut places: HashMap<String, usize> = HashMap::new();
        for (name, node) in node.as_object().into_iter().flatten() {
            let field = self.member(name);
            let name = &field.name.text;
            let known = if object.len() < FEW {
                object
                    .iter()
                    .position(|member| member.field.name.text == *name)
            } else {
                if places.is_empty() {
                    let names = object
                        .iter()
                        .map(|member| member.field.name.text.to_string());
                    places = names.zip(0..).collect();
                }
                places.get(name.as_str()).copied()
            };
            if let Some(member) = known.and_then(|at| object.get_mut(at)) {
                member.node = node;
            } else {
                if !places.is_empty() {
                    places.insert(name.to_string(), object.len());
                }
                object.push(Member { field, node });
            }
        }
        object
    }

    /// The arguments of a call (rows 8.1): what is under an envelope or
    /// the name of a table is lifted up, conditions are dropped.
    pub(crate) fn arguments<'j>(&mut self, node: Node<'j>, tool: &Tool) -> Object<'j> {
        let mut own = Object::with_capacity(LIKELY);
        let mut lifted = Vec::new();
        for member in self.object(node) {
            let Some(inner) = member.node.as_object() else {
                own.push(member);
                continue;
            };
            let field = &member.field;
            let names_table = || field.names.iter().any(|table| tool.names(*table).is_some());
            if field.is_filter() {
                continue;
            }
            if !inner.is_empty() && (field.is_envelope() || names_table()) {
                lifted.push(member.node);
            } else {
                own.push(member);
            }
        }
        for node in lifted {
            for member in self.object(node) {
                if !has(&own, &member.field.name.text) {
                    own.push(member);
                }
            }
        }
        own
    }

    /// How many fields of an object each table explains: those that have a
    /// column there or are its id, and the leaves of nested objects.
    pub(crate) fn explained(&mut self, object: &[Member<'_>]) -> Explained {
        let mut fields = Tables::new();
        for member in object {
            match member.node.value() {
                Kind::Null => {}
                Kind::Array(_) => fields.extend(member.field.tables()),
                Kind::Object(inner) => {
                    fields.extend(member.field.tables());
                    let leaves = inner.filter(|(_, node)| is_scalar(*node));
                    for (name, _) in leaves {
                        self.add_inner(member, &name.to_str_lossy(), &mut fields);
                    }
                }
                Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {
                    fields.extend_from_slice(&member.field.explained_by);
                    if member.field.explained_by.is_empty() {
                        fields.extend(self.renewed(&member.field));
                    }
                }
            }
        }
        fields.sort_unstable();
        Explained { fields }
    }

    /// The tables that have a column for what `new_status` is the new value of.
    fn renewed(&mut self, field: &Field) -> Tables {
        match &field.name.words[..] {
            [first, rest @ ..] if words().new_prefix.has(first) && !rest.is_empty() => {
                self.field(&rest.join("_")).tables().collect()
            }
            _ => Tables::new(),
        }
    }

    fn add_inner(&mut self, outer: &Member<'_>, inner: &str, fields: &mut Tables) {
        let joined = self.inner(&outer.field, inner);
        let alone = self.field(inner);
        let mut tables: Vec<TableId> = joined.tables().chain(alone.tables()).collect();
        tables.sort_unstable();
        tables.dedup();
        fields.extend(
            tables
                .into_iter()
                .filter(|table| outer.field.column(*table).is_none()),
        );
    }

    /// The field that `inner` inside `outer` is, written as one name.
    pub(crate) fn inner(&mut self, outer: &Field, inner: &str) -> Arc<Field> {
        self.field(&format!("{}_{inner}", outer.name.text))
    }
}

/// Whether an object has a member of exactly this name.
pub(crate) fn has(object: &[Member<'_>], name: &str) -> bool {
    object.iter().any(|member| member.field.name.text == name)
}
