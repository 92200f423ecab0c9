//! SIGINT and SIGTERM: clean up, then end with 130 or 143. A second signal
//! makes the clean-up impatient. SIGXFSZ ends nothing: the write that exceeds
//! the limit fails, and its error has a name.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use crosscheck::core::interrupt;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// Starts the thread that waits for the end. If that is impossible the
/// system's own handling stays, which ends the process without cleaning up.
#[expect(clippy::exit, reason = "a signal ends the process from its own thread")]
pub(crate) fn end_cleanly() {
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
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
