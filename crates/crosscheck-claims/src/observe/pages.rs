//! Every page of a run, fetched once and shared by all claims as far as memory
//! allows, so that two claims about one page are judged by the same version.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{PageSeen, Pages};

/// Memory limit for all pages together; beyond it the oldest ones are dropped
/// and fetched again when needed.
const BUDGET: usize = 256 * 1024 * 1024;
/// Memory of a judged page as a multiple of its text.
const PREPARED: usize = 12;

type Slot = Arc<OnceLock<Arc<PageSeen>>>;

/// The pages of a run.
pub(crate) struct PageStore<'s> {
    pages: &'s dyn Pages,
    budget: usize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    by_url: HashMap<Box<str>, Slot>,
    /// In the order they were fetched, with their weight.
    fetched: VecDeque<(Box<str>, usize)>,
    weight: usize,
}

impl<'s> PageStore<'s> {
    pub(crate) fn new(pages: &'s dyn Pages) -> Self {
        Self {
            pages,
            budget: BUDGET,
            slots: Mutex::default(),
        }
    }

    /// The page at this address. A second caller waits while it is fetched.
    pub(crate) fn fetch(&self, url: &str) -> Arc<PageSeen> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.by_url.entry(url.into()).or_default())
        };
        let mut fresh = false;
        let seen = Arc::clone(slot.get_or_init(|| {
            fresh = true;
            Arc::new(self.pages.fetch(url))
        }));
        if fresh {
            self.account(url, weight(url, &seen));
        }
        seen
    }

    fn account(&self, url: &str, weight: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.weight += weight;
        slots.fetched.push_back((url.into(), weight));
        while slots.weight > self.budget && slots.fetched.len() > 1 {
            if let Some((url, weight)) = slots.fetched.pop_front() {
                slots.by_url.remove(&url);
                slots.weight -= weight;
            }
        }
    }
}

fn weight(url: &str, seen: &PageSeen) -> usize {
    let text = match seen {
        PageSeen::Page { text, header } => text.source().len() * PREPARED + header.len(),
        PageSeen::Blocked(why) | PageSeen::Failed(why) => why.len(),
    };
    2 * url.len() + text + 128
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts the requests; every answer is another version.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Pages for Counting {
        fn fetch(&self, url: &str) -> PageSeen {
            let version = self.0.fetch_add(1, Ordering::Relaxed);
            PageSeen::Failed(format!("{url} {version}"))
        }
    }

    #[test]
    fn equal_addresses_are_fetched_once() {
        let pages = Counting::default();
        let store = PageStore::new(&pages);
        let first = store.fetch("http://a/");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert!(Arc::ptr_eq(&store.fetch("http://a/"), &first)));
            }
        });
        store.fetch("http://a/?b");
        assert_eq!(pages.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn pages_beyond_the_budget_are_fetched_again() {
        let pages = Counting::default();
        let store = PageStore {
            budget: 300,
            ..PageStore::new(&pages)
        };
        for url in ["a", "b", "c", "c", "a"] {
            store.fetch(url);
        }
        assert_eq!(pages.0.load(Ordering::Relaxed), 4);
        assert!(store.slots.lock().unwrap().by_url.len() == 2);
    }
}
