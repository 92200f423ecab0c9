//! Following a debate until it ends.
//!
//! Contract: sources 3.3.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::agenda::Answer;
use super::debate::{Debate, DebateError, Running, WatchOptions};
use crate::finding::{Finding, Rule};
use crate::read::inbox::{Request, Urgent, request};
use crate::report::message::{Message, READY};
use crate::report::result::SourcesReport;
use crate::words::shown_url;
use crosscheck_core::{Event, Listener};

/// How often the log is looked at; the contract says at least once a second.
const LOG_POLL: Duration = Duration::from_millis(150);
const TICK: Duration = Duration::from_millis(25);
/// A request waits at least this long for the line of its entry, whatever the grace.
const LINE_WAIT: Duration = Duration::from_secs(1);

/// A request for an entry that is not there yet.
struct Early {
    request: Request,
    seq: u64,
    until: Instant,
}

impl Debate {
    /// Follows the log and answers the Chair; `inbox` brings the Chair's lines.
    pub fn follow(
        &self,
        options: WatchOptions,
        inbox: &Receiver<String>,
        listener: &mut dyn Listener,
    ) -> Result<SourcesReport, DebateError> {
        self.heard_by(listener).follow(options, inbox)
    }
}

impl Running<'_> {
    fn follow(
        &self,
        options: WatchOptions,
        inbox: &Receiver<String>,
    ) -> Result<SourcesReport, DebateError> {
        let mut reader = self.reader();
        let mut log_error = None;
        self.say(&Message::plain("ready", READY, self.clock.now()));
        self.work_until(|| {
            let mut early: Vec<Early> = Vec::new();
            let mut looked: Option<Instant> = None;
            let mut open = true;
            loop {
                let now = Instant::now();
                if looked.is_none_or(|then| now.duration_since(then) >= LOG_POLL) {
                    looked = Some(now);
                    match reader.look() {
                        Ok(news) => self.board().absorb(news, &self.request, now),
                        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {} // not begun yet
                        Err(error) => {
                            log_error = Some(error);
                            break;
                        }
                    }
                }
                let lines = next_lines(inbox, &mut open);
                if self.hear(&lines, &mut early, options.grace) {
                    break;
                }
                self.retry_early(&mut early);
                self.board()
                    .release(Instant::now(), options.spot_check_rate);
                self.wake.notify_all();
                self.tell_progress();
                let board = self.board();
                if options.exit_on_conclusion
                    && board.concluded
                    && board.is_idle()
                    && early.is_empty()
                {
                    break;
                }
            }
            self.board().stopping = true;
            self.wake.notify_all();
        });
        self.commit_ready();
        match log_error {
            Some(error) => Err(self.unreadable(error)),
            None => self.finish_watch(),
        }
    }

    /// Answers what the Chair said; true when it was time to stop.
    fn hear(&self, lines: &[String], early: &mut Vec<Early>, grace: Duration) -> bool {
        for line in lines.iter().filter(|line| !line.trim().is_empty()) {
            match request(line) {
                Ok(Request::Stop) => return true,
                Ok(Request::Status) => self.say_status(),
                Ok(asked) => {
                    let seq = seq_of(&asked);
                    if self.board().has(seq) {
                        self.act(asked);
                    } else {
                        early.push(Early {
                            request: asked,
                            seq,
                            until: Instant::now() + grace.max(LINE_WAIT),
                        });
                    }
                }
                Err(why) => self.warn(&format!(
                    "the inbox has a line that is not understood: {why}"
                )),
            }
        }
        false
    }

    /// Requests that came before their entry was there.
    fn retry_early(&self, early: &mut Vec<Early>) {
        let now = Instant::now();
        for waiting in std::mem::take(early) {
            if self.board().has(waiting.seq) {
                self.act(waiting.request);
            } else if waiting.until <= now {
                let message = "the Chair named an entry that is not in the log";
                self.board()
                    .findings
                    .push(Finding::entry(Rule::UnknownSeq, waiting.seq, message));
                self.warn(&format!("{message}: seq {}", waiting.seq));
            } else {
                early.push(waiting);
            }
        }
    }

    fn act(&self, asked: Request) {
        match asked {
            Request::Notify(seq) => self.board().notify(seq),
            Request::Urgent(urgent) => {
                let answers = self.board().urgent(&urgent);
                self.wake.notify_all();
                for answer in answers {
                    let Answer::Known {
                        seq,
                        url,
                        first,
                        asked,
                    } = answer
                    else {
                        self.warn_not_cited(&urgent);
                        continue;
                    };
                    let kept = self.board().shelf.get(&first.key).cloned();
                    let asked = asked.map(|claim| self.checker.asked(&claim, kept.as_ref()));
                    let message = Message::reconfirmed(
                        seq,
                        &url,
                        first.verified_seq,
                        first.status,
                        self.clock.now(),
                    );
                    self.say(&message.with_asked(asked));
                }
            }
            Request::Status | Request::Stop => {}
        }
        self.wake.notify_all();
    }

    fn warn_not_cited(&self, urgent: &Urgent) {
        let seq = urgent.seq;
        self.warn(&match urgent.url.as_deref().map(shown_url) {
            Some(url) => format!("the Chair asked about {url}, but seq {seq} does not cite it"),
            None => format!("the Chair asked about seq {seq}, which cites nothing"),
        });
    }

    fn warn(&self, text: &str) {
        self.listener.hear(Event::Warning(text));
    }

    fn say_status(&self) {
        let (pending, in_progress, waiting, completed) = {
            let board = self.board();
            let (pending, in_progress, waiting) = board.queue.counts();
            (pending, in_progress, waiting, board.rows.len())
        };
        let text = format!(
            "Status: {} pending, {in_progress} in progress, {completed} completed.",
            pending + waiting
        );
        self.say(&Message::plain("status", text, self.clock.now()));
    }

    fn say(&self, message: &Message) {
        let mut gate = self.gate();
        if let Err(error) = gate.outbox.send(message) {
            self.board().error = Some(DebateError::Outbox(error));
        }
    }
}

const fn seq_of(asked: &Request) -> u64 {
    match asked {
        Request::Notify(seq) => *seq,
        Request::Urgent(urgent) => urgent.seq,
        Request::Status | Request::Stop => 0,
    }
}

/// What has come in, waiting a moment for the first line.
fn next_lines(inbox: &Receiver<String>, open: &mut bool) -> Vec<String> {
    let mut lines = Vec::new();
    if !*open {
        std::thread::sleep(TICK);
        return lines;
    }
    match inbox.recv_timeout(TICK) {
        Ok(line) => lines.push(line),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => *open = false,
    }
    lines.extend(inbox.try_iter());
    lines
}
