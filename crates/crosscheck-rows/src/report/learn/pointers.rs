//! Where a value is: JSON Pointers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crosscheck_core::json::{Node, Value as Kind};

use crate::compare::value::{Print, Prints, Value};
use crate::plan::names::Name;
use crate::read::pointer::escaped;

/// Values deeper than this are not pointed to.
const DEPTH: usize = 4;
/// At most this many places of one call are remembered.
const MOST: usize = 64;

/// Pointers, with how often each of them led to the value.
#[derive(Default)]
pub(super) struct Best {
    counts: BTreeMap<String, usize>,
    /// Those of one call each.
    together: BTreeSet<Vec<String>>,
}

impl Best {
    pub(super) fn add(&mut self, pointers: Vec<String>) {
        for pointer in &pointers {
            *self.counts.entry(pointer.clone()).or_default() += 1;
        }
        if self.together.len() < MOST {
            self.together.insert(pointers);
        }
    }

    /// The best pointer, and others with a name for it that lead to the value
    /// in calls in which it does not.
    pub(super) fn all(&self, is_named: impl Fn(&Name) -> bool) -> Vec<&str> {
        let mut chosen: Vec<&str> = self.get(&is_named).into_iter().collect();
        let mut left: Vec<&Vec<String>> = self.together.iter().collect();
        while let Some(last) = chosen.last().copied() {
            left.retain(|pointers| !pointers.iter().any(|pointer| pointer == last));
            let named = left.iter().flat_map(|pointers| pointers.iter());
            let named = named.filter(|pointer| is_named(&last_step(pointer)));
            match named.max_by_key(|pointer| self.counts.get(*pointer)) {
                Some(next) => chosen.push(next),
                None => break,
            }
        }
        chosen
    }

    /// The pointer whose last step is a name for it, and of those the one that
    /// led there most often; of equals arguments before answers, and the shortest.
    pub(super) fn get(&self, is_named: impl Fn(&Name) -> bool) -> Option<&str> {
        let steps = |pointer: &str| pointer.matches('/').count();
        let best = self.counts.iter().max_by_key(|(pointer, count)| {
            let is_argument = pointer.starts_with("/args");
            (
                is_named(&last_step(pointer)),
                **count,
                is_argument,
                std::cmp::Reverse((steps(pointer), (*pointer).clone())),
            )
        });
        best.map(|(pointer, _)| pointer.as_str())
    }
}

/// The place of a pointer, as reports name it: `/args/a/b` is `a.b`.
pub(super) fn spoken(pointer: &str) -> String {
    let path = pointer.splitn(3, '/').nth(2).unwrap_or_default();
    path.replace('/', ".").replace("~1", "/").replace("~0", "~")
}

fn last_step(pointer: &str) -> Name {
    Name::new(pointer.rsplit('/').next().unwrap_or_default())
}

/// Where each value below a root is, found in one walk.
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

/// The pointer to a field: the one that is its path, else the first whose last
/// step is called like it, or ends so (`new_title`). Another place that holds the
/// same value does so by chance.
pub(super) fn nearest(pointers: &[String], field: &str) -> Option<String> {
    let steps: Vec<String> = field.split('.').map(escaped).collect();
    let path = format!("/{}", steps.join("/"));
    let norm = Name::new(field.rsplit('.').next().unwrap_or_default()).norm;
    let is_path = |pointer: &&String| pointer.ends_with(&path);
    let is_called = |pointer: &&String| last_step(pointer).norm == norm;
    let ends_so = |pointer: &&String| last_step(pointer).norm.ends_with(norm.as_str());
    let mut all = pointers.iter();
    let found = all
        .clone()
        .find(is_path)
        .or_else(|| all.clone().find(is_called));
    found.or_else(|| all.find(ends_so)).cloned()
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
