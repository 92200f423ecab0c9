//! What people are told while a run is checked: how far it is, and with
//! `--verbose` what happens.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crosscheck::core::Verdict;
use crosscheck::core::interrupt::{Guard, on_interrupt};
use crosscheck::core::text::terminal_safe;
use crosscheck::trace::Meter;

use crate::args::talk::{ColorArg, TalkArgs};
use crate::output::Streams;

/// Shorter work needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);
const LIVE: Duration = Duration::from_millis(200);
const NOW_AND_THEN: Duration = Duration::from_secs(10);

/// Explains a step to whoever asked for it.
pub(super) fn explain(args: TalkArgs, streams: &mut Streams, text: &str) {
    if args.verbose {
        streams.talk(&terminal_safe(&format!("{text}\n")));
    }
}

/// Whether the result for people has colours.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate alone reads the environment"
)]
pub(super) fn colours(args: TalkArgs, streams: &Streams) -> bool {
    match args.color {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
            let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            streams.shows_to_terminal() && !is_set("NO_COLOR") && !is_dumb
        }
    }
}

/// A text that begins with the word of its verdict, with that word painted.
pub(super) fn painted(text: &str, verdict: Verdict, colours: bool) -> String {
    let stop = text.find([':', ' ']).filter(|_| colours);
    let Some((word, rest)) = stop.map(|stop| text.split_at(stop)) else {
        return text.to_owned();
    };
    let colour = match verdict {
        Verdict::Confirmed => 32,
        Verdict::Refuted => 31,
        Verdict::Undecided => 33,
    };
    format!("\u{1b}[{colour}m{word}\u{1b}[0m{rest}")
}

/// Tells how far a run is, from a thread of its own, until it is dropped.
pub(super) struct Watch {
    teller: Option<(Sender<()>, JoinHandle<()>)>,
    /// Takes the line away when the user interrupts the work.
    wiper: Option<Guard>,
}

impl Watch {
    /// `for_machines` says that a program reads standard error: then only a
    /// terminal is told anything.
    pub(super) fn begin(
        args: TalkArgs,
        streams: &Streams,
        for_machines: bool,
        meter: &Arc<Meter>,
    ) -> Self {
        let terminal = streams.talks_to_terminal();
        if args.quiet || (for_machines && !terminal) {
            return Self {
                teller: None,
                wiper: None,
            };
        }
        let (stop, stopped) = mpsc::channel();
        let meter = Arc::clone(meter);
        let tell = move || {
            let mut pause = if terminal { PATIENCE } else { NOW_AND_THEN };
            let mut drawn = false;
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let line = line(meter.trace_bytes(), meter.evidence_bytes());
                if terminal {
                    say(&format!("\r\u{1b}[K{line}"));
                    (pause, drawn) = (LIVE, true);
                } else {
                    say(&format!("{line}\n"));
                }
            }
            if drawn {
                say("\r\u{1b}[K");
            }
        };
        Self {
            teller: Some((stop, thread::spawn(tell))),
            wiper: terminal.then(|| on_interrupt(|| say("\r\u{1b}[K"))),
        }
    }

    /// Takes the line away before something else is written.
    pub(super) fn end(&mut self) {
        if let Some((stop, thread)) = self.teller.take() {
            drop(stop);
            let _ = thread.join();
            self.wiper = None;
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}

fn line(trace: u64, evidence: u64) -> String {
    format!(
        "checking: {} MB of trace and {} MB of files read",
        trace / 1_000_000,
        evidence / 1_000_000
    )
}

/// Nobody listening is fine.
fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_verdict_is_painted_and_nothing_else() {
        let text = "rejected: 1 of 16\n  run\n";
        assert_eq!(painted(text, Verdict::Refuted, false), text);
        assert_eq!(
            painted(text, Verdict::Refuted, true),
            "\u{1b}[31mrejected\u{1b}[0m: 1 of 16\n  run\n"
        );
        assert_eq!(
            painted("linkage_holds (x)", Verdict::Undecided, true),
            "\u{1b}[33mlinkage_holds\u{1b}[0m (x)"
        );
    }

    #[test]
    fn the_line_tells_what_was_read() {
        assert_eq!(
            line(12_345_678, 999),
            "checking: 12 MB of trace and 0 MB of files read"
        );
    }
}
