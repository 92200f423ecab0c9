//! Many questions of few shapes: the keys of each shape are asked together.

use std::collections::HashMap;
use std::hash::Hash;

use super::source::Key;

/// Keys by what is asked about them, each with its place among all.
pub(crate) struct Groups<N, L> {
    places: HashMap<N, usize>,
    /// The group of the key before, which is mostly that of the next.
    last: Option<(N, usize)>,
    members: Vec<(L, Vec<usize>, Vec<Key>)>,
    count: usize,
}

impl<N, L> Default for Groups<N, L> {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
            last: None,
            members: Vec::new(),
            count: 0,
        }
    }
}

impl<N: Eq + Hash + Clone, L> Groups<N, L> {
    pub(crate) fn add(&mut self, name: N, lookup: impl FnOnce() -> L, key: Key) {
        let at = match &self.last {
            Some((last, at)) if *last == name => *at,
            _ => {
                let next = self.members.len();
                let at = *self.places.entry(name.clone()).or_insert(next);
                if at == next {
                    self.members.push((lookup(), Vec::new(), Vec::new()));
                }
                self.last = Some((name, at));
                at
            }
        };
        if let Some((_, places, keys)) = self.members.get_mut(at) {
            places.push(self.count);
            keys.push(key);
        }
        self.count += 1;
    }

    /// The answers in the order the keys were added.
    pub(crate) fn answer<T>(self, mut ask: impl FnMut(&L, &[Key]) -> Vec<T>) -> Vec<T> {
        if let [(lookup, _, keys)] = self.members.as_slice() {
            return ask(lookup, keys);
        }
        let mut answers: Vec<Option<T>> = (0..self.count).map(|_| None).collect();
        for (lookup, places, keys) in &self.members {
            for (place, answer) in places.iter().zip(ask(lookup, keys)) {
                if let Some(slot) = answers.get_mut(*place) {
                    *slot = Some(answer);
                }
            }
        }
        answers.into_iter().flatten().collect()
    }
}
