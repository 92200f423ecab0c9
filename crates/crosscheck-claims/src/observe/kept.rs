//! What a run has read or found out once and keeps for the claims that follow, as far as memory
//! allows.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Values by their keys. Beyond the budget the oldest ones are dropped and made again when needed.
pub(crate) struct Kept<K, V> {
    budget: usize,
    slots: Mutex<Slots<K, V>>,
}

struct Slots<K, V> {
    by_key: HashMap<K, Arc<OnceLock<V>>>,
    /// In the order they were made, with their weight.
    made: VecDeque<(K, usize)>,
    weight: usize,
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// Keeps values up to this weight in bytes.
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            budget,
            slots: Mutex::new(Slots {
                by_key: HashMap::new(),
                made: VecDeque::new(),
                weight: 0,
            }),
        }
    }

    /// The value of this key. A second caller waits while it is made.
    pub(crate) fn get<Q: ?Sized + Eq + Hash + ToOwned<Owned = K>>(
        &self,
        key: &Q,
        make: impl FnOnce() -> V,
        weigh: impl FnOnce(&V) -> usize,
    ) -> V
    where
        K: Borrow<Q>,
    {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            match slots.by_key.get(key) {
                Some(slot) => Arc::clone(slot),
                None => Arc::clone(slots.by_key.entry(key.to_owned()).or_default()),
            }
        };
        let mut fresh = false;
        let value = slot.get_or_init(|| {
            fresh = true;
            make()
        });
        if fresh {
            self.account(key.to_owned(), weigh(value));
        }
        value.clone()
    }

    fn account(&self, key: K, weight: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.weight += weight;
        slots.made.push_back((key, weight));
        while slots.weight > self.budget && slots.made.len() > 1 {
            if let Some((key, weight)) = slots.made.pop_front() {
                slots.by_key.remove(&key);
                slots.weight -= weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts what is made; every value is another version.
    fn versions(kept: &Kept<String, usize>, made: &AtomicUsize, key: &str) -> usize {
        kept.get(key, || made.fetch_add(1, Ordering::Relaxed), |_| 100)
    }

    #[test]
    fn equal_keys_are_made_once() {
        let (kept, made) = (Kept::new(1000), AtomicUsize::new(0));
        let first = versions(&kept, &made, "a");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(versions(&kept, &made, "a"), first));
            }
        });
        versions(&kept, &made, "b");
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn what_is_beyond_the_budget_is_made_again() {
        let (kept, made) = (Kept::new(200), AtomicUsize::new(0));
        for key in ["a", "b", "c", "c", "a"] {
            versions(&kept, &made, key);
        }
        assert_eq!(made.load(Ordering::Relaxed), 4);
        assert_eq!(kept.slots.lock().unwrap().by_key.len(), 2);
    }
}
