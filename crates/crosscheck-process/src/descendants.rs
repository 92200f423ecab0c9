//! The processes below this one, as the kernel lists them.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The children that we started ourselves and that have not ended.
static OURS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The list of our own children; while it is held, none is started.
pub(crate) fn ours() -> MutexGuard<'static, BTreeSet<i32>> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends processes that became our children because their parent died: killing a
/// keeper does not set them free.
pub(crate) fn end_adopted() {
    const TRIES: usize = 200;
    for _ in 0..TRIES {
        let ours = ours().clone();
        let adopted = below_us(|pid| !ours.contains(&pid));
        if adopted.is_empty() {
            return;
        }
        for pid in adopted {
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Every process below this one that has not ended, parents before children.
pub(crate) fn of_us() -> Vec<Pid> {
    below_us(|_| true)
}

/// The given children and every process below them.
fn below_us(is_wanted: impl Fn(i32) -> bool) -> Vec<Pid> {
    let us = getpid().as_raw_nonzero().get();
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, parent) in processes() {
        if parent != us || is_wanted(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![us];
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        let below = children.remove(pid).unwrap_or_default();
        found.extend(below);
        next += 1;
    }
    found
        .into_iter()
        .skip(1)
        .filter_map(Pid::from_raw)
        .collect()
}

/// Sends a signal to every process below this one.
pub(crate) fn signal_all(signal: Signal) {
    for pid in of_us() {
        let _ = kill_process(pid, signal);
    }
}

/// Whether the condition becomes true before the deadline.
pub(crate) fn is_true_within(time: Duration, mut is_true: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + time;
    loop {
        if is_true() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Id and parent of every process. A zombie is left out: it does nothing any
/// more, and its children already have another parent.
fn processes() -> impl Iterator<Item = (i32, i32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::File::open(entry.path().join("stat")).ok()?;
        let stat = std::io::read_to_string(stat).ok()?;
        // the name may contain anything; it ends at the last bracket
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some((pid, parent))
    })
}
