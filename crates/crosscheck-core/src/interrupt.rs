//! What must be cleaned up when the user interrupts a run.
//!
//! Whoever holds something that outlives the process (a temporary file, a
//! child process) registers its removal here. The program's signal thread
//! calls [`clean_up`] once and then ends the process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

type Task = Box<dyn FnOnce() + Send>;

static PENDING: Mutex<BTreeMap<u64, Task>> = Mutex::new(BTreeMap::new());
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static URGENT: AtomicBool = AtomicBool::new(false);

/// Keeps a clean-up registered for as long as it lives.
#[derive(Debug)]
#[must_use]
pub struct Guard(u64);

/// Registers a clean-up for the case of an interruption.
pub fn on_interrupt(task: impl FnOnce() + Send + 'static) -> Guard {
    let mut pending = pending();
    let key = pending.last_key_value().map_or(0, |(last, _)| last + 1);
    pending.insert(key, Box::new(task));
    Guard(key)
}

/// Runs every registered clean-up, newest first.
pub fn clean_up() {
    let tasks = std::mem::take(&mut *pending());
    for (_, task) in tasks.into_iter().rev() {
        task();
    }
}

/// Notes that the process is about to be ended by a signal, before the
/// clean-ups run.
pub fn announce() {
    INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Stands still for good once an interruption is announced: the clean-ups are
/// running, and the thread that runs them ends the process with its own exit
/// code. A run that went on would report the death of a child that we
/// ourselves are ending.
pub fn wait_if_interrupted() {
    while INTERRUPTED.load(Ordering::SeqCst) {
        thread::park();
    }
}

/// Notes that the user asked a second time: clean-ups stop waiting politely.
pub fn hurry() {
    URGENT.store(true, Ordering::SeqCst);
}

/// Whether the user asked a second time.
pub fn is_urgent() -> bool {
    URGENT.load(Ordering::SeqCst)
}

impl Drop for Guard {
    fn drop(&mut self) {
        pending().remove(&self.0);
    }
}

fn pending() -> MutexGuard<'static, BTreeMap<u64, Task>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn only_what_is_still_held_is_cleaned_up() {
        static CLEANED: AtomicU32 = AtomicU32::new(0);
        let kept = on_interrupt(|| {
            CLEANED.fetch_add(1, Ordering::SeqCst);
        });
        drop(on_interrupt(|| {
            CLEANED.fetch_add(10, Ordering::SeqCst);
        }));
        clean_up();
        assert_eq!(CLEANED.load(Ordering::SeqCst), 1);
        drop(kept);
    }
}
