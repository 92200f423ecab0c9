//! SIGINT, SIGTERM, SIGHUP and SIGQUIT: clean up, then end with 128 and the
//! number of the signal. A second signal shortens the clean-up. SIGXFSZ
//! ends nothing: the write that exceeds the limit fails, and its error has a
//! name.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use crosscheck::core::interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// Starts the thread that waits for the end. If that is impossible the
/// system's own handling stays, which ends the process without cleaning up.
#[expect(clippy::exit, reason = "a signal ends the process from its own thread")]
pub(crate) fn end_cleanly() {
    outlive_file_limit();
    let mut ends = vec![SIGINT, SIGTERM, SIGQUIT];
    if !is_hang_up_ignored() {
        ends.push(SIGHUP);
    }
    let Ok(mut signals) = Signals::new(ends) else {
        return;
    };
    thread::spawn(move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            interrupt::announce();
            thread::spawn(move || {
                interrupt::clean_up();
                std::process::exit(128 + signal);
            });
        }
        if signals.next().is_some() {
            interrupt::hurry();
        }
    });
}

/// A write beyond the limit of the file size fails and ends nothing.
pub(crate) fn outlive_file_limit() {
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Whether the user asked us to outlive the terminal (`nohup`).
fn is_hang_up_ignored() -> bool {
    const HANG_UP: u64 = 1 << (SIGHUP - 1);
    let Ok(status) = std::fs::File::open("/proc/self/status").and_then(std::io::read_to_string)
    else {
        return false;
    };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & HANG_UP != 0)
}
