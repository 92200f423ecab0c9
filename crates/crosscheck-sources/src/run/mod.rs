//! Runs: a debate log once, a debate log followed, documents.

mod agenda;
mod answers;
mod commit;
pub mod debate;
pub mod decisions;
pub mod documents;
pub mod inbox;
pub mod listing;
mod local;
mod places;
mod shelf;
pub mod watch;

use crosscheck_core::Event;
use crosscheck_core::listener::Shared;

use crate::report::result::Row;

/// Says that a citation was judged.
fn tell_judged(listener: &Shared<'_>, row: &Row) {
    listener.hear(Event::Judged {
        unit: &row.url,
        verdict: row.status.verdict(),
        text: &[row.status.word(), &row.url, &row.explanation],
    });
}
