//! What people see on standard error while a run goes on: one live line on a
//! terminal, a plain line now and then elsewhere, and with `--verbose` what
//! happens. Every command hears its verifier through this.

use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crosscheck::core::interrupt::{Guard, on_interrupt};
use crosscheck::core::text::terminal_safe;
use crosscheck::core::{Event, Listener, Verdict};

use crate::output::Streams;

/// Fewer units are done before anyone could read the line.
const WORTH_SHOWING: usize = 1000;
/// Shorter work needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);
const LIVE: Duration = Duration::from_millis(100);
const NOW_AND_THEN: Duration = Duration::from_secs(10);
const LINE_MAX: usize = 200;
const CLEAR_LINE: &str = "\r\u{1b}[K";

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Loudness {
    /// Warnings and errors only.
    pub(crate) quiet: bool,
    /// Every step.
    pub(crate) verbose: bool,
    /// Whether a contract fixes standard error, so that only a terminal is
    /// told how far the run is.
    pub(crate) terminal_only: bool,
}

/// Tells how far a run is, until it is dropped.
pub(crate) struct Progress {
    shared: Arc<Shared>,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
    /// Takes the line away when the user interrupts the work.
    _wiper: Option<Guard>,
}

struct Shared {
    loudness: Loudness,
    terminal: bool,
    err: Arc<Mutex<Box<dyn Write + Send>>>,
    state: Mutex<State>,
}

struct State {
    began: Instant,
    /// When a line was last drawn or written.
    shown: Option<Instant>,
    /// A line is on the screen.
    drawn: bool,
    /// Something happened since.
    news: bool,
    planned: usize,
    observed: usize,
    /// Judged units: confirmed, undecided, refuted.
    judged: [usize; 3],
    queue: Option<(usize, usize)>,
    /// Bytes by input, in the order they were first heard of.
    read: Vec<(&'static str, usize)>,
    waiting: Option<(Duration, Duration)>,
}

impl Progress {
    pub(crate) fn new(loudness: Loudness, streams: &Streams) -> Self {
        let terminal = streams.talks_to_terminal();
        let shared = Arc::new(Shared {
            loudness,
            terminal,
            err: streams.err(),
            state: Mutex::new(State {
                began: Instant::now(),
                shown: None,
                drawn: false,
                news: false,
                planned: 0,
                observed: 0,
                judged: [0; 3],
                queue: None,
                read: Vec::new(),
                waiting: None,
            }),
        });
        let tells = !loudness.quiet && (terminal || !loudness.terminal_only);
        let ticker = tells.then(|| {
            let (stop, stopped) = mpsc::channel();
            let shared = Arc::clone(&shared);
            let tick = move || {
                while stopped.recv_timeout(LIVE) == Err(RecvTimeoutError::Timeout) {
                    shared.tell(&mut shared.state());
                }
            };
            (stop, thread::spawn(tick))
        });
        let wiper = (tells && terminal).then(|| {
            let shared = Arc::clone(&shared);
            on_interrupt(move || shared.wipe(&mut shared.state()))
        });
        Self {
            shared,
            ticker,
            _wiper: wiper,
        }
    }

    /// Takes the line away before something else is written.
    pub(crate) fn pause(&self) {
        self.shared.wipe(&mut self.shared.state());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
        self.pause();
    }
}

impl Listener for Progress {
    fn hear(&mut self, event: Event<'_>) {
        let shared = &self.shared;
        let mut state = shared.state();
        let loudness = shared.loudness;
        let was_shown = !state.news;
        state.news = true;
        match event {
            Event::Planned(units) => {
                state.planned += units;
                shared.tell(&mut state);
            }
            Event::Observed(units) => state.observed += units,
            Event::Judged { verdict, text, .. } => {
                let [confirmed, undecided, refuted] = &mut state.judged;
                *match verdict {
                    Verdict::Confirmed => confirmed,
                    Verdict::Undecided => undecided,
                    Verdict::Refuted => refuted,
                } += 1;
                let is_bad = verdict == Verdict::Refuted && shared.terminal;
                if !text.is_empty() && !loudness.quiet && (loudness.verbose || is_bad) {
                    let text: String = text.join(" ").chars().take(LINE_MAX).collect();
                    shared.say(&mut state, &text);
                }
            }
            Event::Queue {
                pending,
                in_progress,
            } => {
                let queue = Some((pending, in_progress));
                if was_shown && state.queue == queue {
                    state.news = false;
                }
                state.queue = queue;
            }
            Event::Read { input, bytes } => {
                match state.read.iter_mut().find(|(known, _)| *known == input) {
                    Some((_, sum)) => *sum += bytes,
                    None => state.read.push((input, bytes)),
                }
            }
            Event::Warning(text) => shared.say(&mut state, &format!("warning: {text}")),
            Event::Note(text) if !loudness.quiet && (shared.terminal || loudness.verbose) => {
                shared.say(&mut state, text);
            }
            Event::Step(text) if loudness.verbose => shared.say(&mut state, text),
            Event::Waiting { elapsed, silent } => state.waiting = Some((elapsed, silent)),
            Event::Note(_) | Event::Step(_) | Event::Text(_) | Event::Output { .. } => {}
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows how far the run is, if it is time to.
    fn tell(&self, state: &mut State) {
        let pause = if self.terminal { LIVE } else { NOW_AND_THEN };
        let is_due = match state.shown {
            Some(shown) => shown.elapsed() >= pause,
            None if self.terminal => state.is_long(),
            None => state.began.elapsed() >= NOW_AND_THEN,
        };
        let Some(line) = state.line().filter(|_| is_due && state.news) else {
            return;
        };
        state.shown = Some(Instant::now());
        state.news = false;
        if self.terminal {
            let line = fitting(&line, terminal_width());
            self.write(&format!("{CLEAR_LINE}{line}"));
            state.drawn = true;
        } else {
            self.write(&format!("{line}\n"));
        }
    }

    fn say(&self, state: &mut State, text: &str) {
        self.wipe(state);
        self.write(&format!("{}\n", terminal_safe(text)));
    }

    fn wipe(&self, state: &mut State) {
        if std::mem::take(&mut state.drawn) {
            self.write(CLEAR_LINE);
        }
    }

    /// A closed standard error is not an error.
    fn write(&self, text: &str) {
        let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

impl State {
    /// Whether the run takes long enough for a line about it.
    fn is_long(&self) -> bool {
        self.planned >= WORTH_SHOWING || self.queue.is_some() || self.began.elapsed() >= PATIENCE
    }

    fn line(&self) -> Option<String> {
        let [confirmed, undecided, refuted] = self.judged;
        if let Some((elapsed, silent)) = self.waiting {
            return Some(waiting(elapsed, silent));
        }
        if let Some((pending, in_progress)) = self.queue {
            return Some(format!(
                "{pending} pending, {in_progress} in progress, found: {confirmed} confirmed, {refuted} refuted, {undecided} undecided"
            ));
        }
        if self.planned >= WORTH_SHOWING {
            let done = self.observed.max(confirmed + undecided + refuted);
            return Some(bar(done, self.planned, self.began.elapsed()));
        }
        let read = |(input, bytes): &(&str, usize)| format!("{} MB of {input}", bytes / 1_000_000);
        let read: Vec<String> = self.read.iter().map(read).collect();
        (!read.is_empty()).then(|| format!("checking: {} read", read.join(" and ")))
    }
}

/// A narrower terminal would wrap the line, and only its last row is cleared.
fn terminal_width() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map_or(80, |(width, _)| usize::from(width.0))
}

/// The start of the line, one column short of this width: some terminals wrap
/// after the last one.
fn fitting(line: &str, width: usize) -> String {
    let most = width.saturating_sub(1);
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let start: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{start}…")
}

/// `[#####               ] 25% 2500 of 10000 steps, 5000/s, 1 s left`
fn bar(done: usize, total: usize, elapsed: Duration) -> String {
    let percent = done * 100 / total.max(1);
    let bar = "#".repeat(percent / 5);
    let millis = usize::try_from(elapsed.as_millis()).unwrap_or(usize::MAX);
    let bar = format!("[{bar:<20}] {percent}% {done} of {total} steps");
    if done == 0 {
        return bar; // nothing is known yet about rate and rest
    }
    let rate = done.saturating_mul(1000) / millis.max(1);
    let left = total.saturating_sub(done) / rate.max(1);
    format!("{bar}, {rate}/s, {left} s left")
}

fn waiting(elapsed: Duration, silent: Duration) -> String {
    let elapsed = clock_text(elapsed.as_secs());
    if silent > Duration::from_secs(5) {
        let silent = clock_text(silent.as_secs());
        return format!("… {elapsed} at work, no output for {silent}");
    }
    format!("… {elapsed} at work")
}

fn clock_text(seconds: u64) -> String {
    if seconds < 60 {
        format!("{seconds} s")
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_first_look_no_rate_is_made_up() {
        assert_eq!(
            bar(0, 10_000, Duration::from_millis(500)),
            "[                    ] 0% 0 of 10000 steps"
        );
    }

    #[test]
    fn the_line_fits_the_terminal() {
        assert_eq!(fitting("10 pending", 80), "10 pending");
        assert_eq!(fitting("10 pending", 11), "10 pending");
        assert_eq!(fitting("10 pending", 10), "10 pendi…");
        assert_eq!(fitting("10 pending", 2), "…");
    }

    #[test]
    fn the_bar_tells_share_rate_and_rest() {
        assert_eq!(
            bar(2500, 10_000, Duration::from_millis(500)),
            "[#####               ] 25% 2500 of 10000 steps, 5000/s, 1 s left"
        );
    }

    #[test]
    fn a_child_that_is_silent_for_long_is_said_to_be() {
        let seconds = Duration::from_secs;
        assert_eq!(waiting(seconds(7), seconds(1)), "… 7 s at work");
        assert_eq!(
            waiting(seconds(70), seconds(9)),
            "… 1 min 10 s at work, no output for 9 s"
        );
    }
}
