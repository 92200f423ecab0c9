//! One debate: its log, its jobs, its workers.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crosscheck_core::clock::Clock;
use crosscheck_core::listener::Shared;
use crosscheck_core::{Advice, Event, Listener, Reason};
use crosscheck_judge::JudgeSeen;

use super::agenda::Board;
use super::commit::{Gate, Judged};
use crate::check::Checker;
use crate::plan::queue::{Class, Job, State};
use crate::read::log::{LogPaths, LogReader};
use crate::report::append::{AppendError, LogWriter};
use crate::report::outbox::Outbox;
use crate::report::result::SourcesReport;

/// What a run over a debate log is asked to do.
#[derive(Debug, Clone)]
pub struct DebateRequest {
    /// The folder of the debate, or its log.
    pub log: PathBuf,
    /// Only these entries; all when empty.
    pub only: Vec<u64>,
    /// How long to wait for the lock.
    pub lock_timeout: Duration,
    /// Write four keys only.
    pub minimal_content: bool,
    /// Write lint findings into the log too.
    pub log_lint: bool,
    /// Follow the log.
    pub watch: Option<WatchOptions>,
}

/// How a log is followed.
#[derive(Debug, Clone, Copy)]
pub struct WatchOptions {
    /// How long an entry waits for a notification of the Chair.
    pub grace: Duration,
    /// The share of sources that is checked unasked.
    pub spot_check_rate: f64,
    /// End after the Chair's conclusion.
    pub exit_on_conclusion: bool,
}

/// Why a debate could not be run.
#[derive(Debug, thiserror::Error)]
pub enum DebateError {
    /// The log cannot be read.
    #[error("cannot read the debate log `{}`", path.display())]
    Read {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A result could not be appended.
    #[error("a result could not be written into the log")]
    Append(#[source] AppendError),
    /// A message did not get through.
    #[error("a message to the Chair did not get through")]
    Outbox(#[source] std::io::Error),
}

impl Advice for DebateError {
    fn reason(&self) -> &'static Reason {
        use crosscheck_core::advice::RunReason;
        match self {
            Self::Read { .. } => RunReason::CliUsage.reason(),
            Self::Append(_) | Self::Outbox(_) => RunReason::InternalError.reason(),
        }
    }

    fn help(&self) -> String {
        match self {
            Self::Read { .. } => {
                "name the debate's folder or its debate-log.jsonl with --log".to_owned()
            }
            Self::Append(_) => {
                "check who holds debate-log.lock and that the log is writable, then run again: \
                                what is missing is found by itself"
                    .to_owned()
            }
            Self::Outbox(_) => "check the channel named by --outbox".to_owned(),
        }
    }
}

/// A debate and what is known of it.
pub struct Debate {
    pub(super) checker: Checker,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) request: DebateRequest,
    pub(super) board: Mutex<Board>,
    pub(super) wake: Condvar,
    pub(super) gate: Mutex<Gate>,
}

/// A debate that is being checked, and those who hear of it.
pub(super) struct Running<'d> {
    debate: &'d Debate,
    pub(super) listener: Shared<'d>,
}

impl Deref for Running<'_> {
    type Target = Debate;

    fn deref(&self) -> &Debate {
        self.debate
    }
}

impl Debate {
    /// A debate that was not looked at yet.
    pub fn new(
        request: DebateRequest,
        checker: Checker,
        outbox: Outbox,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let paths = LogPaths::of(&request.log);
        let gate = Gate {
            outbox,
            writer: LogWriter::new(paths, request.lock_timeout),
        };
        Self {
            checker,
            clock,
            request,
            board: Mutex::new(Board::default()),
            wake: Condvar::new(),
            gate: Mutex::new(gate),
        }
    }

    /// Reads the log, checks what is not yet checked, and ends.
    pub fn once(&self, listener: &mut dyn Listener) -> Result<SourcesReport, DebateError> {
        self.heard_by(listener).once()
    }

    pub(super) fn heard_by<'d>(&'d self, listener: &'d mut dyn Listener) -> Running<'d> {
        Running {
            debate: self,
            listener: Shared::new(listener),
        }
    }

    pub(super) fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was found so far.
    pub fn report(&self) -> SourcesReport {
        let board = self.board();
        let skipped = board
            .queue
            .jobs()
            .iter()
            .filter(|job| job.state == State::Skipped)
            .count();
        let input = self.request.log.display().to_string();
        let report = SourcesReport::new(
            vec![input],
            board.rows.clone(),
            board.findings.clone(),
            skipped,
            JudgeSeen::of(&*self.checker.judge),
        );
        report.with_recorded(&board.recorded())
    }

    /// Waits for a result that is being written, and lets no other process write after it.
    pub fn close(&self) {
        std::mem::forget(self.gate());
    }
}

impl Running<'_> {
    fn once(&self) -> Result<SourcesReport, DebateError> {
        let mut reader = self.reader();
        let news = reader.look().map_err(|source| self.unreadable(source))?;
        let unknown = {
            let mut board = self.board();
            board.absorb(news, &self.request, std::time::Instant::now());
            board.fix_order();
            board.name_unknown(&self.request.only)
        };
        for seq in unknown {
            let text = format!("seq {seq} was asked for and is not in the log");
            self.listener.hear(Event::Warning(&text));
        }
        self.tell_progress();
        self.work_until(|| ());
        self.write_lint();
        self.finish()
    }

    pub(super) fn reader(&self) -> LogReader {
        LogReader::new(&LogPaths::of(&self.request.log).log)
    }

    pub(super) fn unreadable(&self, source: std::io::Error) -> DebateError {
        DebateError::Read {
            path: LogPaths::of(&self.request.log).log,
            source,
        }
    }

    /// Lets the workers work while `meanwhile` runs on this thread.
    pub(super) fn work_until(&self, meanwhile: impl FnOnce()) {
        let reserve = usize::from(self.request.watch.is_some());
        let jobs = self.checker.looker.settings.jobs.max(1);
        thread::scope(|scope| {
            for number in 0..jobs + reserve {
                scope.spawn(move || self.work(number >= jobs));
            }
            meanwhile();
        });
    }

    fn work(&self, reserve: bool) {
        while let Some((id, job)) = self.next_job(reserve) {
            let judged = self.judge(id, &job);
            self.board().ready.push(judged);
            self.commit_ready();
            self.tell_progress();
        }
    }

    fn next_job(&self, reserve: bool) -> Option<(usize, Job)> {
        let mut board = self.board();
        loop {
            if board.stopping {
                return None;
            }
            if let Some(id) = board.queue.take(reserve) {
                let job = board.queue.job(id)?.clone();
                return Some((id, job));
            }
            let (pending, in_progress, _) = board.queue.counts();
            if self.request.watch.is_none() && pending == 0 && in_progress == 0 {
                self.wake.notify_all();
                return None;
            }
            board = self
                .wake
                .wait_timeout(board, Duration::from_millis(200))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Looks at the page, or at what is known about it, and judges.
    fn judge(&self, id: usize, job: &Job) -> Judged {
        let key = &job.citation.source.cited.key;
        let (known, kept) = {
            let board = self.board();
            (board.known.url(key).cloned(), board.shelf.get(key).cloned())
        };
        if let Some(known) = known {
            return self.reconfirm(id, job, known, kept.as_ref());
        }
        let look = match kept.filter(|_| !job.afresh) {
            Some(kept) => kept.again(),
            None if job.class == Class::Urgent => self
                .checker
                .looker
                .look_urgently(&job.citation.source.cited),
            None => self.checker.looker.look(&job.citation.source.cited),
        };
        self.board().shelf.keep(key, &look);
        let ruling = self.checker.rule(&job.citation, &look);
        let asked = job
            .asked
            .as_ref()
            .map(|claim| self.checker.asked(claim, Some(&look)));
        Judged::fresh(id, job, ruling, &look, asked)
    }

    pub(super) fn tell_progress(&self) {
        let board = self.board();
        let (pending, in_progress, waiting) = board.queue.counts();
        drop(board);
        self.listener.hear(Event::Queue {
            pending: pending + waiting,
            in_progress,
        });
    }

    fn finish(&self) -> Result<SourcesReport, DebateError> {
        let error = self.board().error.take();
        error.map_or_else(|| Ok(self.report()), Err)
    }

    /// The end of a watch: what was found, or why it could not be kept.
    pub(super) fn finish_watch(&self) -> Result<SourcesReport, DebateError> {
        self.write_lint();
        self.finish()
    }
}
