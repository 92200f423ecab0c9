//! Ends a process group reliably.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_core::interrupt;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

use super::GRACE;

const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// A keeper first interrupts, then asks to end.
const KEPT_GRACE: Duration = Duration::from_secs(7);
/// How long a keeper may take to kill.
const AFTER_LAST_WORD: Duration = Duration::from_secs(6);

/// A process group that does not outlive this value.
#[derive(Debug)]
pub(super) struct Group {
    id: Option<Pid>,
    /// A keeper needs time, and is asked to kill instead of being killed.
    is_kept: bool,
    _on_interrupt: Option<interrupt::Guard>,
}

impl Group {
    /// The group that this child leads.
    pub(super) fn of(child: &Child, is_kept: bool) -> Self {
        let id = pid_of(child);
        let end = move |id| {
            ask(id);
            end_within(grace(is_kept), || test_kill_process_group(id).is_ok());
            last_word(id, is_kept);
        };
        Self {
            id,
            is_kept,
            _on_interrupt: id.map(|id| interrupt::on_interrupt(move || end(id))),
        }
    }

    /// The id of its leader.
    #[cfg(target_os = "linux")]
    pub(super) fn id(&self) -> Option<i32> {
        self.id.map(|id| id.as_raw_nonzero().get())
    }

    /// How long it may take to end after it was asked to.
    pub(super) const fn grace(&self) -> Duration {
        grace(self.is_kept)
    }

    /// Asks every member to end.
    pub(super) fn ask(&self) {
        if let Some(id) = self.id {
            ask(id);
        }
    }

    /// Continues a keeper that was stopped: it must be able to act.
    #[cfg(target_os = "linux")]
    pub(super) fn wake(&self) {
        if let Some(id) = self.id.filter(|_| self.is_kept)
            && super::descendants::is_stopped(id)
        {
            let _ = kill_process(id, Signal::CONT);
        }
    }

    /// Ends what is left of the group: asks, waits a little, kills. The id
    /// cannot be reused as long as a member lives, and an empty group is
    /// noticed at once.
    pub(super) fn end(&self) {
        let Some(id) = self.id else { return };
        let alive = || test_kill_process_group(id).is_ok();
        if !alive() {
            return;
        }
        self.ask();
        end_within(self.grace(), alive);
        self.insist();
    }

    /// Kills what is left of the group.
    pub(super) fn insist(&self) {
        if let Some(id) = self.id
            && test_kill_process_group(id).is_ok()
        {
            last_word(id, self.is_kept);
        }
    }
}

const fn grace(is_kept: bool) -> Duration {
    if is_kept { KEPT_GRACE } else { GRACE }
}

/// A stopped process does not hear the request before it continues.
fn ask(id: Pid) {
    let _ = kill_process_group(id, Signal::TERM);
    let _ = kill_process_group(id, Signal::CONT);
}

/// A keeper kills everything below it and exits; it is killed itself only if it
/// does not.
fn last_word(id: Pid, is_kept: bool) {
    let alive = || test_kill_process_group(id).is_ok();
    if is_kept {
        let _ = kill_process_group(id, Signal::QUIT);
        let _ = kill_process_group(id, Signal::CONT);
        let end = Instant::now() + AFTER_LAST_WORD;
        while alive() && Instant::now() < end {
            thread::sleep(LOOK_AGAIN);
        }
    }
    let _ = kill_process_group(id, Signal::KILL);
    #[cfg(target_os = "linux")]
    if is_kept {
        super::descendants::ours().remove(&id.as_raw_nonzero().get());
        super::descendants::end_adopted();
    }
}

/// Normally the group is gone by now; after a panic it is not.
impl Drop for Group {
    fn drop(&mut self) {
        if thread::panicking()
            && let Some(id) = self.id
        {
            last_word(id, self.is_kept);
        }
    }
}

fn pid_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Waits until no process is alive, the time is over, or the user interrupts
/// again.
fn end_within(time: Duration, alive: impl Fn() -> bool) {
    let end = Instant::now() + time;
    while alive() && Instant::now() < end && !interrupt::is_urgent() {
        thread::sleep(LOOK_AGAIN);
    }
}
