//! The answers for many URLs, on several threads.

use std::thread;

use crosscheck_fetch::{Fetched, Url};

use crate::observe::Looker;

/// Calls `take` with the number of every URL and its answer as they come, on several threads, this
/// one among them: where the machine gives no more, it goes on with those that it has.
pub(super) fn each_answer(
    looker: &Looker,
    urls: &[Url],
    threads: usize,
    take: impl Fn(usize, Fetched) + Sync,
) {
    let arrivals = looker.look_at_each(urls);
    let work = || {
        while let Some((number, fetched)) = arrivals.next() {
            take(number, fetched);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(urls.len()) {
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}
