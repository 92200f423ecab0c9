//! The processes below this one, as the kernel lists them.
//!
//! A child whose parent dies becomes the child of the nearest subreaper above
//! it in one step of the kernel. So the list of direct children alone tells
//! whether anything is left, and killing direct children again and again also
//! ends processes that keep replacing themselves.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How long killing may take before we give up.
pub(crate) const KILLING: Duration = Duration::from_secs(5);

/// The children that we started ourselves and that have not ended.
static OURS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The list of our own children; while it is held, none is started.
pub(crate) fn ours() -> MutexGuard<'static, BTreeSet<i32>> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends processes that became our children because their parent died: killing a
/// keeper does not set them free. `false` when some could not be ended.
pub(crate) fn end_adopted() -> bool {
    let end = Instant::now() + KILLING;
    loop {
        let adopted: Vec<Pid> = {
            let ours = ours();
            children()
                .filter(|pid| !ours.contains(&raw(*pid)))
                .collect()
        };
        if adopted.is_empty() {
            return true;
        }
        for pid in adopted {
            let _ = kill_process(pid, Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        if Instant::now() >= end {
            return false;
        }
    }
}

/// Kills every direct child. What they leave becomes a direct child in turn.
pub(crate) fn kill_children() {
    for pid in children() {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// The direct children of this process: of its first thread, which also gets
/// the orphans. Processes that have ended are among them until somebody
/// collects their status.
fn children() -> impl Iterator<Item = Pid> {
    let us = raw(getpid());
    let list = read(Path::new(&format!("/proc/self/task/{us}/children")));
    let listed = list.as_deref().map(|list| {
        let numbers = list.split_ascii_whitespace();
        numbers.filter_map(|number| number.parse().ok()).collect()
    });
    // not every kernel has the list
    let pids: Vec<i32> = listed.unwrap_or_else(|| {
        let all = processes().filter(|(_, parent)| *parent == us);
        all.map(|(pid, _)| pid).collect()
    });
    pids.into_iter().filter_map(Pid::from_raw)
}

/// Sends a signal to every process below this one.
pub(crate) fn signal_all(signal: Signal) {
    let mut below: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, parent) in processes() {
        below.entry(parent).or_default().push(pid);
    }
    let mut next = vec![raw(getpid())];
    while let Some(pid) = next.pop() {
        for child in below.remove(&pid).unwrap_or_default() {
            if let Some(pid) = Pid::from_raw(child) {
                let _ = kill_process(pid, signal);
            }
            next.push(child);
        }
    }
}

/// Whether a process was stopped by a signal.
pub(crate) fn is_stopped(pid: Pid) -> bool {
    let stat = read(Path::new(&format!("/proc/{}/stat", raw(pid))));
    stat.as_deref()
        .and_then(state_and_parent)
        .is_some_and(|(state, _)| matches!(state, "T" | "t"))
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
        let stat = read(&entry.path().join("stat"))?;
        let (state, parent) = state_and_parent(&stat)?;
        (!matches!(state, "Z" | "X")).then_some((pid, parent))
    })
}

fn state_and_parent(stat: &str) -> Option<(&str, i32)> {
    // the name may contain anything; it ends at the last bracket
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    Some((state, fields.next()?.parse().ok()?))
}

fn read(path: &Path) -> Option<String> {
    std::io::read_to_string(fs::File::open(path).ok()?).ok()
}

const fn raw(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}
