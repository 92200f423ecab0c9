//! SIGINT and SIGTERM: clean up, then end with 130 or 143. A second signal
//! makes the clean-up impatient.

use std::thread;

use crosscheck::core::interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Starts the thread that waits for the end. If that is impossible the
/// system's own handling stays, which ends the process without cleaning up.
#[expect(clippy::exit, reason = "a signal ends the process from its own thread")]
pub(crate) fn end_cleanly() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
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
