//! The answers for many URLs, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crosscheck_fetch::{Fetched, Url};

use crate::observe::Looker;

/// Calls `take` with the number of every URL and its answer: first with those that an earlier run
/// kept, which need no thread but their own, then with the others as they come.
pub(super) fn each_answer(
    looker: &Looker,
    urls: &[Url],
    threads: usize,
    take: impl Fn(usize, Fetched) + Sync,
) {
    let threads = threads.min(urls.len());
    let missing = if looker.fetcher.settings().cache.is_some() {
        each_kept(looker, urls, threads, &take)
    } else {
        (0..urls.len()).collect()
    };
    let asked: Vec<Url> = missing
        .iter()
        .filter_map(|number| urls.get(*number).cloned())
        .collect();
    let arrivals = looker.look_at_each(&asked);
    on_each(threads.min(asked.len()), || {
        while let Some((at, fetched)) = arrivals.next() {
            if let Some(number) = missing.get(at) {
                take(*number, fetched);
            }
        }
    });
}

/// The numbers of the URLs of which nothing was kept.
fn each_kept(
    looker: &Looker,
    urls: &[Url],
    threads: usize,
    take: &(impl Fn(usize, Fetched) + Sync),
) -> Vec<usize> {
    let next = AtomicUsize::new(0);
    let missing = Mutex::new(Vec::new());
    on_each(threads, || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(url) = urls.get(number) else {
                return;
            };
            if let Some(fetched) = looker.kept(url) {
                take(number, fetched);
            } else {
                let mut all = missing.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(number);
            }
        }
    });
    let mut missing = missing.into_inner().unwrap_or_else(PoisonError::into_inner);
    missing.sort_unstable();
    missing
}

/// Works on several threads, this one among them: where the machine gives no more, it goes on with
/// those that it has.
fn on_each(threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        if threads > 0 {
            work();
        }
    });
}
