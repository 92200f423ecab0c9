//! Clean-up when the user interrupts a run.
//!
//! Code that holds something that outlives the process (a temporary file, a
//! child process) registers its removal here. The program's signal thread
//! calls [`clean_up`] once and then ends the process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

type Task = Box<dyn FnOnce() + Send>;

/// The registered clean-ups, in the order of registration.
struct Pending(Mutex<BTreeMap<u64, Task>>);

static PENDING: Pending = Pending::new();
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static URGENT: AtomicBool = AtomicBool::new(false);

/// Keeps a clean-up registered for as long as it lives.
#[must_use]
pub struct Guard {
    list: &'static Pending,
    key: u64,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guard").field(&self.key).finish()
    }
}

impl Guard {
    /// Takes the step after which nothing has to be removed. An interruption comes before it, and the
    /// step is not taken, or after it, and nothing is removed: what is half removed is never put in place.
    pub fn last_step<T, E>(&self, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut tasks = self.list.lock();
        if !tasks.contains_key(&self.key) {
            drop(tasks);
            wait_if_interrupted();
            tasks = self.list.lock();
        }
        let done = step()?;
        tasks.insert(self.key, Box::new(|| ()));
        Ok(done)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.list.lock().remove(&self.key);
    }
}

impl Pending {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Task>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&'static self, task: Task) -> Guard {
        let key = Self::insert(&mut self.lock(), task);
        Guard { list: self, key }
    }

    fn insert(tasks: &mut BTreeMap<u64, Task>, task: Task) -> u64 {
        let key = tasks.last_key_value().map_or(0, |(last, _)| last + 1);
        tasks.insert(key, task);
        key
    }

    fn run(&self) {
        let tasks = std::mem::take(&mut *self.lock());
        for (_, task) in tasks.into_iter().rev() {
            task();
        }
    }
}

/// Registers a clean-up that runs on an interruption.
pub fn on_interrupt(task: impl FnOnce() + Send + 'static) -> Guard {
    PENDING.add(Box::new(task))
}

/// Makes something that outlives the process and registers its removal, with no
/// moment in between at which an interruption would miss it.
pub fn made_with_removal<T, E>(
    make: impl FnOnce() -> Result<T, E>,
    removal: impl FnOnce(&T) -> Box<dyn FnOnce() + Send>,
) -> Result<(T, Guard), E> {
    let mut tasks = PENDING.lock();
    if INTERRUPTED.load(Ordering::SeqCst) {
        drop(tasks);
        wait_if_interrupted();
        tasks = PENDING.lock();
    }
    let thing = make()?;
    let key = Pending::insert(&mut tasks, removal(&thing));
    Ok((
        thing,
        Guard {
            list: &PENDING,
            key,
        },
    ))
}

/// Runs every registered clean-up, newest first.
pub fn clean_up() {
    PENDING.run();
}

/// Records that a signal is about to end the process, before the clean-ups run.
pub fn announce() {
    INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Blocks forever once an interruption is announced: the clean-ups are running,
/// and their thread ends the process with its own exit code. A run that
/// continued would report the death of a child that we are ending ourselves.
pub fn wait_if_interrupted() {
    while INTERRUPTED.load(Ordering::SeqCst) {
        thread::park();
    }
}

/// Records that the user interrupted a second time: clean-ups stop waiting.
pub fn hurry() {
    URGENT.store(true, Ordering::SeqCst);
}

/// Whether the user interrupted a second time.
pub fn is_urgent() -> bool {
    URGENT.load(Ordering::SeqCst)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn only_what_is_still_held_is_cleaned_up() {
        // a separate list: other tests register files at the same time
        static LIST: Pending = Pending::new();
        static CLEANED: AtomicU32 = AtomicU32::new(0);
        let add = |number| {
            LIST.add(Box::new(move || {
                CLEANED.fetch_add(number, Ordering::SeqCst);
            }))
        };
        let kept = add(1);
        drop(add(10));
        let unplaced = add(100);
        assert_eq!(unplaced.last_step(|| Err::<(), _>("full")), Err("full"));
        let placed = add(1000);
        assert_eq!(placed.last_step(|| Ok::<_, ()>(7)), Ok(7));
        LIST.run();
        assert_eq!(CLEANED.load(Ordering::SeqCst), 101);
        drop((kept, unplaced, placed));
    }
}
