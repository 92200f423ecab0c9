//! Events of a run, for progress and diagnostics.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::Verdict;

/// Something that happens during a run. No verdict depends on the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'e> {
    /// This many units will be checked.
    Planned(usize),
    /// This many more units were observed; each of them is judged later.
    Observed(usize),
    /// A unit was judged.
    Judged {
        /// Its id; empty where naming it would cost more than judging it.
        unit: &'e str,
        /// The verdict on it.
        verdict: Verdict,
        /// What was found, in one line; empty where the verifier has no such line.
        /// Listeners that show it put a space between the parts.
        text: &'e [&'e str],
    },
    /// The remaining work.
    Queue {
        /// Units that wait.
        pending: usize,
        /// Units that are being checked.
        in_progress: usize,
    },
    /// This many more bytes were read.
    Read {
        /// Of what, for example `trace`.
        input: &'static str,
        /// How many.
        bytes: usize,
    },
    /// A warning; the run continues.
    Warning(&'e str),
    /// A remark for people at a terminal.
    Note(&'e str),
    /// A step of the work, for verbose output.
    Step(&'e str),
    /// Text that a contract puts on standard output.
    Text(&'e str),
    /// A child process wrote something.
    Output {
        /// To which of its streams.
        stream: Stream,
        /// What.
        bytes: &'e [u8],
    },
    /// A child process is running.
    Waiting {
        /// Since it was started.
        elapsed: Duration,
        /// Since it last wrote something.
        silent: Duration,
    },
}

/// The streams of a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Receives the events of a run. A closure that takes an [`Event`] is one.
pub trait Listener: Send {
    /// Something happened.
    fn hear(&mut self, event: Event<'_>);
}

impl<F: FnMut(Event<'_>) + Send> Listener for F {
    fn hear(&mut self, event: Event<'_>) {
        self(event);
    }
}

/// A listener that several threads share.
pub struct Shared<'l>(Mutex<&'l mut dyn Listener>);

impl<'l> Shared<'l> {
    /// Lets several threads send events to one listener.
    pub fn new(listener: &'l mut dyn Listener) -> Self {
        Self(Mutex::new(listener))
    }

    /// Something happened.
    pub fn hear(&self, event: Event<'_>) {
        let mut listener = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listener.hear(event);
    }
}

/// Ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoListener;

impl Listener for NoListener {
    fn hear(&mut self, _: Event<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_can_listen() {
        let mut units = 0;
        let listener: &mut dyn Listener = &mut |event: Event<'_>| {
            if let Event::Planned(count) = event {
                units += count;
            }
        };
        listener.hear(Event::Planned(2));
        listener.hear(Event::Step("looking"));
        assert_eq!(units, 2);
    }
}
