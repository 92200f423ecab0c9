//! A progress line on a terminal, for runs that take a while.

use std::time::{Duration, Instant};

use crosscheck::core::{Listener, Verdict};

use crate::output::Streams;

/// Shorter runs need no progress.
const WORTH_SHOWING: usize = 1000;
const REFRESH: Duration = Duration::from_millis(200);

/// Shows how far a run is; says nothing where standard error is no terminal.
pub(crate) struct Progress<'s> {
    streams: &'s mut Streams,
    total: usize,
    done: usize,
    /// Looked at, and not judged yet.
    ahead: usize,
    began: Instant,
    shown: Option<Instant>,
}

impl<'s> Progress<'s> {
    pub(crate) fn new(streams: &'s mut Streams) -> Self {
        Self {
            streams,
            total: 0,
            done: 0,
            ahead: 0,
            began: Instant::now(),
            shown: None,
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            self.streams.talk("\r\u{1b}[K");
        }
    }
}

impl Progress<'_> {
    fn show(&mut self) {
        let due = self.shown.is_none_or(|last| last.elapsed() >= REFRESH);
        if self.total < WORTH_SHOWING || !due || !self.streams.talks_to_terminal() {
            return;
        }
        self.shown = Some(Instant::now());
        let line = line(self.done + self.ahead, self.total, self.began.elapsed());
        self.streams.talk(&format!("\r\u{1b}[K{line}"));
    }
}

impl Listener for Progress<'_> {
    fn planned(&mut self, total: usize) {
        self.total = total;
        self.show();
    }

    fn looked(&mut self, count: usize) {
        self.ahead += count;
        self.show();
    }

    fn judged(&mut self, _: &str, _: Verdict) {
        self.done += 1;
        self.ahead = self.ahead.saturating_sub(1);
        self.show();
    }
}

/// `[#####               ] 25% 2500 of 10000 steps, 5000/s, 1 s left`
fn line(done: usize, total: usize, elapsed: Duration) -> String {
    let percent = done * 100 / total.max(1);
    let bar = "#".repeat(percent / 5);
    let millis = usize::try_from(elapsed.as_millis())
        .unwrap_or(usize::MAX)
        .max(1);
    let bar = format!("[{bar:<20}] {percent}% {done} of {total} steps");
    if done == 0 {
        return bar; // nothing is known yet about rate and rest
    }
    let rate = done.saturating_mul(1000) / millis;
    let left = total.saturating_sub(done) / rate.max(1);
    format!("{bar}, {rate}/s, {left} s left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_first_look_no_rate_is_made_up() {
        assert_eq!(
            line(0, 10_000, Duration::from_millis(500)),
            "[                    ] 0% 0 of 10000 steps"
        );
    }

    #[test]
    fn the_line_tells_share_rate_and_rest() {
        assert_eq!(
            line(2500, 10_000, Duration::from_millis(500)),
            "[#####               ] 25% 2500 of 10000 steps, 5000/s, 1 s left"
        );
    }
}
