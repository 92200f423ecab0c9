//! Pages that were read in this run, kept for other claims, within bounds.

use std::collections::{HashMap, VecDeque};

use crate::observe::Look;

/// What all kept pages may take together, in bytes.
const SHELF_MAX: usize = 192 * 1024 * 1024;
/// A page that was judged takes so many times its text.
const PREPARED: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Shelf {
    looks: HashMap<String, Look>,
    order: VecDeque<String>,
    bytes: usize,
}

impl Shelf {
    /// Keeps a page; the oldest ones make room.
    pub(super) fn keep(&mut self, key: &str, look: &Look) {
        let size = size(look);
        if look.page().is_none() || size > SHELF_MAX {
            return;
        }
        if let Some(old) = self.looks.insert(key.to_owned(), look.clone()) {
            self.bytes -= self::size(&old);
        } else {
            self.order.push_back(key.to_owned());
        }
        self.bytes += size;
        while self.bytes > SHELF_MAX {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            if let Some(look) = self.looks.remove(&oldest) {
                self.bytes -= self::size(&look);
            }
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Look> {
        self.looks.get(key)
    }
}

/// What a page and what is worked out from it may take.
fn size(look: &Look) -> usize {
    look.page()
        .map_or(0, |page| page.text.source().len() * PREPARED + 1024)
}
