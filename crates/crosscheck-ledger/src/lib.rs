//! The history of runs: an SQLite file, or a table in PostgreSQL, in which each
//! record carries the hash of the one before.
//!
//! The chain shows an edit, a removal in the middle and a changed order. A
//! removal at the end leaves a shorter chain that is whole; only a head or a
//! count that was noted elsewhere shows it ([`Expected`]).
#![warn(missing_docs)]

mod error;
mod export;
mod place;
mod record;
mod server;
mod spool;
mod store;
mod walk;

pub use error::{LedgerError, LedgerReason};
pub use export::{Signer, Statement, Verifier};
pub use place::Place;
pub use record::{Counts, Ground, Item, LedgerEntry, RECORD_MAX, Record, UNITS_MAX, Unit, new_id};
pub use server::Connect;
pub use store::{Appended, Care, Ledger};
pub use walk::{Expected, Found, PROBLEMS_MAX, Problem, Reader, Walk, Wanted};

#[cfg(test)]
mod tests;
