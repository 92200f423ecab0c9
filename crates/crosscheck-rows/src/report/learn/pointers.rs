//! Where a value stands: JSON Pointers.

use std::collections::{BTreeMap, HashMap};

use crosscheck_core::json::{Node, Value as Kind};

use crate::compare::value::{Print, Prints, Value};
use crate::plan::names::Name;
use crate::read::pointer::escaped;

/// Values deeper than this are not pointed to.
const DEPTH: usize = 4;
/// So many places of one call are remembered.
const MOST: usize = 64;

/// Pointers, with how often each of them led to the value.
#[derive(Default)]
pub(super) struct Best(BTreeMap<String, usize>);

impl Best {
    pub(super) fn add(&mut self, pointers: Vec<String>) {
        for pointer in pointers {
            *self.0.entry(pointer).or_default() += 1;
        }
    }

    /// The pointer that led there most often; of equals the shortest, and
    /// arguments before answers.
    pub(super) fn get(&self) -> Option<&str> {
        let steps = |pointer: &str| pointer.matches('/').count();
        let best = self.0.iter().max_by_key(|(pointer, count)| {
            let is_argument = pointer.starts_with("/args");
            (
                **count,
                is_argument,
                std::cmp::Reverse((steps(pointer), (*pointer).clone())),
            )
        });
        best.map(|(pointer, _)| pointer.as_str())
    }
}

/// Where each value below a root stands, found in one walk.
pub(super) struct Places(HashMap<Print, Vec<String>, foldhash::fast::RandomState>);

impl Places {
    pub(super) fn of(root: &str, node: Node<'_>, prints: &Prints) -> Self {
        let mut places: HashMap<Print, Vec<String>, _> = HashMap::default();
        walk(root, node, &mut |pointer, node| {
            let found = places.entry(prints.of(&Value::of(node))).or_default();
            if found.len() < MOST {
                found.push(pointer.to_owned());
            }
        });
        Self(places)
    }

    /// The places of a value.
    pub(super) fn get(&self, value: Print) -> Vec<String> {
        self.0.get(&value).cloned().unwrap_or_default()
    }
}

/// The places below a root whose value fits. Elements of arrays have no place
/// that would mean the same in the next call.
pub(super) fn with_value(
    root: &str,
    node: Node<'_>,
    fits: &dyn Fn(Node<'_>) -> bool,
) -> Vec<String> {
    let mut found = Vec::new();
    walk(root, node, &mut |pointer, node| {
        if fits(node) && found.len() < MOST {
            found.push(pointer.to_owned());
        }
    });
    found
}

/// The place with this last step whose value fits, the one that is nearest.
pub(super) fn named<'j>(
    root: &str,
    node: Node<'j>,
    last: &str,
    fits: &dyn Fn(Node<'j>) -> bool,
) -> Option<(String, Node<'j>)> {
    let mut found = None;
    let ending = format!("/{}", escaped(last));
    walk(root, node, &mut |pointer, node| {
        if found.is_none() && pointer.ends_with(&ending) && fits(node) {
            found = Some((pointer.to_owned(), node));
        }
    });
    found
}

/// The pointer whose last step is called like a field; else the first.
pub(super) fn nearest(pointers: Vec<String>, field: &str) -> Option<String> {
    let norm = Name::new(field).norm;
    let is_called = |pointer: &String| {
        let last = Name::new(pointer.rsplit('/').next().unwrap_or_default());
        last.norm == norm || last.norm.ends_with(norm.as_str())
    };
    let named = pointers.iter().find(|pointer| is_called(pointer)).cloned();
    named.or_else(|| pointers.into_iter().next())
}

fn walk<'j>(root: &str, node: Node<'j>, found: &mut dyn FnMut(&str, Node<'j>)) {
    let mut level: Vec<(String, Node<'j>)> = vec![(root.to_owned(), node)];
    for depth in 0..=DEPTH {
        let mut next = Vec::new();
        for (pointer, node) in &level {
            found(pointer, *node);
            if let Kind::Object(members) = node.value()
                && depth < DEPTH
            {
                let step = |(name, node): (crosscheck_core::text::JsStr<'j>, Node<'j>)| {
                    (format!("{pointer}/{}", escaped(&name.to_str_lossy())), node)
                };
                next.extend(members.map(step));
            }
        }
        level = next;
    }
}
