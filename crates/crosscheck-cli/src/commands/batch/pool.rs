//! The processes that do jobs. Each is fed a few jobs ahead and answers them in
//! order, so one that ends early was at the first job without an answer.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crosscheck::batch::{Answer, BatchReason, Head, Refusal};
use crosscheck::core::advice::EXIT_COULD_NOT_RUN;

use super::not_started;
use crate::failure::Failure;

/// Jobs that may be under way for each process: waiting, at work, or answered
/// but not written because an earlier one is not.
const JOBS_AHEAD: usize = 64;
/// Bytes of jobs and answers that may be under way.
const BYTES_AHEAD: usize = 128 << 20;
/// The most jobs that a process is fed at once.
const FED: usize = 16;

/// How an answer begins to which no id belongs.
const NO_ID: &[u8] = b"{\"id\":null,";

/// One answer line, without its end.
pub(in crate::commands) struct Reply {
    pub(in crate::commands) seq: u64,
    pub(in crate::commands) line: Vec<u8>,
    /// The exit code that the job would have as a run of its own.
    pub(in crate::commands) exit: u8,
    /// How many bytes of job and answer were counted.
    pub(in crate::commands) cost: usize,
}

struct Ticket {
    seq: u64,
    /// The line of the input that it is.
    number: u64,
    line: Vec<u8>,
    replies: Sender<Reply>,
    shared: Arc<Shared>,
}

impl Ticket {
    fn answer(self, mut line: Vec<u8>, exit: u8) {
        if line.starts_with(NO_ID) {
            let number = format!("\"line\":{},", self.number);
            line.splice(NO_ID.len()..NO_ID.len(), number.into_bytes());
        }
        self.shared.state().bytes += line.len();
        let reply = Reply {
            seq: self.seq,
            cost: self.line.len() + line.len(),
            line,
            exit,
        };
        let _ = self.replies.send(reply); // nobody may wait any more
    }

    fn refuse(self, refusal: Refusal) {
        let answer = Answer::refused(Head::of(&self.line), refusal);
        self.answer(answer.line().into_bytes(), EXIT_COULD_NOT_RUN);
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<Ticket>,
    is_closed: bool,
    is_stopped: bool,
    jobs: usize,
    bytes: usize,
}

/// The queue, and how much is under way.
#[derive(Default)]
pub(in crate::commands) struct Shared {
    state: Mutex<State>,
    work: Condvar,
    room: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many answers are out, which were counted with so many bytes.
    pub(super) fn written(&self, jobs: usize, bytes: usize) {
        let mut state = self.state();
        state.jobs = state.jobs.saturating_sub(jobs);
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        self.room.notify_all();
    }

    /// No answer can be written any more.
    pub(super) fn stop(&self) {
        self.state().is_stopped = true;
        self.room.notify_all();
    }

    /// Some jobs for one of several processes; `None` when there will be none.
    fn take(&self, processes: usize) -> Option<VecDeque<Ticket>> {
        let mut state = self.state();
        loop {
            if !state.queue.is_empty() {
                let share = state.queue.len().div_ceil(processes).min(FED);
                return Some(state.queue.drain(..share).collect());
            }
            if state.is_closed {
                return None;
            }
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Processes that do jobs.
pub(in crate::commands) struct Pool {
    shared: Arc<Shared>,
    processes: usize,
    drivers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Up to so many processes, each started with its first job, and the time
    /// that one job may take.
    pub(in crate::commands) fn start(processes: usize, limit: Duration) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::usage(
                &format!("cannot find the program itself: {error}"),
                "start it by its path",
            )
        })?;
        let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
        let command = if words.first().is_some_and(|word| word == "--log") {
            3 // behind the level
        } else {
            1
        };
        words.insert(command.min(words.len()), OsString::from("--worker"));
        let shared = Arc::new(Shared::default());
        let drive = |_| {
            let (shared, program, words) = (Arc::clone(&shared), program.clone(), words.clone());
            thread::spawn(move || {
                let mut driver = Driver {
                    program: program.into_os_string(),
                    words,
                    limit,
                    process: None,
                };
                while let Some(tickets) = shared.take(processes) {
                    driver.work(tickets);
                }
            })
        };
        Ok(Self {
            drivers: (0..processes).map(drive).collect(),
            shared,
            processes,
        })
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Adds a job when there is room for it; `false` if no answer is wanted.
    pub(in crate::commands) fn push(
        &self,
        seq: u64,
        number: u64,
        line: Vec<u8>,
        replies: &Sender<Reply>,
    ) -> bool {
        let mut state = self.wait_for_room();
        if state.is_stopped {
            return false;
        }
        state.jobs += 1;
        state.bytes += line.len();
        state.queue.push_back(Ticket {
            seq,
            number,
            line,
            replies: replies.clone(),
            shared: Arc::clone(&self.shared),
        });
        drop(state);
        self.shared.work.notify_one();
        true
    }

    /// Adds an answer that needs no process.
    pub(super) fn answered(&self, seq: u64, answer: &Answer, replies: &Sender<Reply>) {
        self.wait_for_room().jobs += 1;
        let line = answer.line().into_bytes();
        let _ = replies.send(Reply {
            seq,
            line,
            exit: EXIT_COULD_NOT_RUN,
            cost: 0,
        });
    }

    /// A job that was answered to someone else than the writer of the batch.
    pub(in crate::commands) fn finished(&self, cost: usize) {
        self.shared.written(1, cost);
    }

    fn wait_for_room(&self) -> MutexGuard<'_, State> {
        let most = self.processes * JOBS_AHEAD;
        let mut state = self.shared.state();
        while !state.is_stopped
            && (state.jobs >= most || (state.bytes > BYTES_AHEAD && state.jobs > 0))
        {
            state = self
                .shared
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    /// Ends the processes when every job is done.
    pub(super) fn close(self) {
        self.shared.state().is_closed = true;
        self.shared.work.notify_all();
        for driver in self.drivers {
            let _ = driver.join();
        }
    }
}

/// Feeds one process, and replaces it when it ends.
struct Driver {
    program: OsString,
    words: Vec<OsString>,
    limit: Duration,
    process: Option<Process>,
}

impl Driver {
    fn work(&mut self, mut tickets: VecDeque<Ticket>) {
        while !tickets.is_empty() {
            // a process that ended while it had nothing to do is not lost by the next job
            if self.process.as_mut().is_some_and(Process::has_ended) {
                self.process = None;
            }
            if self.process.is_none() {
                match Process::start(&self.program, &self.words) {
                    Ok(process) => self.process = Some(process),
                    Err(error) => {
                        for ticket in tickets.drain(..) {
                            ticket.refuse(not_started(&error));
                        }
                        return;
                    }
                }
            }
            if let Some(process) = &self.process {
                process.feed(&tickets);
                let Some(refusal) = process.answers(&mut tickets, self.limit) else {
                    continue;
                };
                self.process = None;
                if let Some(ticket) = tickets.pop_front() {
                    ticket.refuse(refusal);
                }
            }
        }
    }
}

/// A process that does jobs.
struct Process {
    child: Child,
    /// A thread of its own writes: a process that is stuck does not read.
    jobs: Sender<Vec<u8>>,
    answers: Receiver<Vec<u8>>,
}

impl Process {
    #[expect(
        clippy::disallowed_methods,
        reason = "the program starts itself, for as long as there are jobs"
    )]
    fn start(program: &OsString, words: &[OsString]) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (jobs, fed) = mpsc::channel::<Vec<u8>>();
        if let Some(mut input) = child.stdin.take() {
            thread::spawn(move || {
                for lines in fed {
                    if input.write_all(&lines).is_err() {
                        break; // the process has ended, which its answers show
                    }
                }
            });
        }
        let (said, answers) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let mut output = BufReader::with_capacity(1 << 16, output);
                loop {
                    let mut line = Vec::new();
                    let read = output.read_until(b'\n', &mut line);
                    if read.is_err() || line.pop() != Some(b'\n') || said.send(line).is_err() {
                        break; // half a line is no answer
                    }
                }
            });
        }
        Ok(Self {
            child,
            jobs,
            answers,
        })
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    fn feed(&self, tickets: &VecDeque<Ticket>) {
        let mut lines = Vec::new();
        for ticket in tickets {
            lines.extend_from_slice(&ticket.line);
            lines.push(b'\n');
        }
        let _ = self.jobs.send(lines); // who is not there any more gives no answers
    }

    /// Takes the answers to these jobs; says why the first one has none.
    fn answers(&self, tickets: &mut VecDeque<Ticket>, limit: Duration) -> Option<Refusal> {
        while !tickets.is_empty() {
            match self.answers.recv_timeout(limit) {
                Ok(mut line) => {
                    // the first letter is the exit code, for who counts them
                    let exit = line.first().map_or(EXIT_COULD_NOT_RUN, |code| code - b'0');
                    line.drain(..1.min(line.len()));
                    if let Some(ticket) = tickets.pop_front() {
                        ticket.answer(line, exit);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    let message = format!("the job took longer than {limit:?}");
                    let reason = BatchReason::JobTimedOut.reason();
                    return Some(Refusal::new(reason, message, reason.help));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = BatchReason::WorkerLost.reason();
                    return Some(Refusal::new(reason, reason.meaning, reason.help));
                }
            }
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
