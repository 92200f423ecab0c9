//! A statement that was found in a clause, before it is known whether it is
//! meant as one.

use crate::kind::{ClaimKind, Scope};

/// Some tokens of a clause in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Place {
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub(crate) const fn has(self, at: usize) -> bool {
        self.start <= at && at < self.end
    }
}

/// A statement and where it is in its clause.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) kind: ClaimKind,
    pub(crate) quote: Place,
    /// The words that say it; filters look before them.
    pub(crate) predicate: Place,
    pub(crate) subject: String,
    pub(crate) scope: Scope,
    pub(crate) count: Option<u64>,
    /// Whether it says that something is absent.
    pub(crate) negative: bool,
}

impl Found {
    pub(crate) fn new(kind: ClaimKind, quote: Place, predicate: Place) -> Self {
        Self {
            kind,
            quote,
            predicate,
            subject: String::new(),
            scope: Scope::Plain,
            count: None,
            negative: false,
        }
    }
}
