//! Child processes with limits.
//!
//! A child runs without a shell, in its own process group, with a time limit
//! and a bound on the output that is kept. In every case (time limit,
//! interrupt, panic) the whole group ends. With [`Program::leaves_nothing`],
//! processes that left the group end as well, even when we are killed.
#![warn(missing_docs)]

#[cfg(target_os = "linux")]
mod descendants;
pub mod git;
mod group;
#[cfg(target_os = "linux")]
mod keeper;
mod kept;
mod search;

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_core::listener::Stream;
use crosscheck_core::{Event, Listener, NoListener, interrupt, outputs};
use group::Group;
#[cfg(target_os = "linux")]
pub use keeper::{run_as_keeper, set_keeper};
pub use kept::Kept;
pub use search::{absolute as search_folders, found, set_search_path};

/// How long a group may take to end after it was asked to.
pub const GRACE: Duration = Duration::from_secs(5);

/// How long a stream may stay silent and open after its process has ended. Then
/// a background process holds it, and we stop reading.
const LINGER: Duration = Duration::from_secs(5);

/// How long we keep reading after the group was killed: only a process that
/// left the group can still hold the streams open then.
const AFTER_KILL: Duration = Duration::from_secs(1);

/// Pause between two checks of the clock when nothing arrives.
const TICK: Duration = Duration::from_millis(250);

/// A program to run, with its limits.
#[derive(Debug, Clone)]
pub struct Program {
    command: OsString,
    args: Vec<OsString>,
    folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
    removed: Vec<OsString>,
    input: Option<Vec<u8>>,
    time: Option<Duration>,
    keep: usize,
    is_kept: bool,
    is_private: bool,
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that we did not send.
    Signalled(i32),
    /// The time limit was reached, and we ended it.
    TimedOut,
    /// Somehow, but processes that it started could not be ended.
    LeftRunning,
}

/// The result of a child process.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Kept,
    /// Its standard error.
    pub stderr: Kept,
    /// From start to end.
    pub duration: Duration,
}

/// The child could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start `{}`", command.to_string_lossy())]
pub struct StartError {
    /// The command as it was named.
    pub command: OsString,
    /// What the system said.
    pub source: io::Error,
}

impl Program {
    /// A program that runs in this folder, without input and without a time limit.
    pub fn new(command: impl AsRef<OsStr>, folder: &Path) -> Self {
        Self {
            command: command.as_ref().to_owned(),
            args: Vec::new(),
            folder: folder.to_owned(),
            variables: Vec::new(),
            removed: Vec::new(),
            input: None,
            time: None,
            keep: 16 << 20,
            is_kept: false,
            is_private: false,
        }
    }

    /// Standard output is a socket: unlike a pipe, no other process can open it
    /// through `/proc` and write to it.
    #[must_use]
    pub fn private_output(mut self) -> Self {
        self.is_private = true;
        self
    }

    /// When the program ends, also ends everything it started, even outside its
    /// process group, and all of it when we die. Needs Linux and a keeper
    /// ([`set_keeper`]).
    #[must_use]
    pub fn leaves_nothing(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable besides the inherited ones.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Leaves these variables out of the inherited environment.
    #[must_use]
    pub fn without<N: AsRef<OsStr>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| name.as_ref().to_owned());
        self.removed.extend(names);
        self
    }

    /// Feeds these bytes to standard input, which is empty otherwise.
    #[must_use]
    pub fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Some(bytes);
        self
    }

    /// Ends the child after this time; `None` means no limit.
    #[must_use]
    pub fn time_limit(mut self, time: Option<Duration>) -> Self {
        self.time = time;
        self
    }

    /// Keeps at most this many bytes of each stream: the beginning and the end.
    #[must_use]
    pub fn keep(mut self, bytes: usize) -> Self {
        self.keep = bytes;
        self
    }

    /// Runs the program until it has ended and both of its streams are closed.
    pub fn run(self) -> Result<Ran, StartError> {
        self.run_with(&mut NoListener)
    }

    /// As [`Self::run`]; the listener receives the output ([`Event::Output`])
    /// and signs of life ([`Event::Waiting`]).
    pub fn run_with(self, listener: &mut dyn Listener) -> Result<Ran, StartError> {
        let started = Instant::now();
        let (mut child, socket, is_kept) = self.spawn()?;
        let (events, inbox) = mpsc::sync_channel(64);
        match socket {
            Some(socket) => listen(Some(socket), &events, News::Stdout),
            None => listen(child.stdout.take(), &events, News::Stdout),
        }
        listen(child.stderr.take(), &events, News::Stderr);
        if let (Some(mut stdin), Some(bytes)) = (child.stdin.take(), self.input.clone()) {
            // The child may close it early, which is not an error.
            thread::spawn(move || drop(stdin.write_all(&bytes)));
        }
        let group = Group::of(&child, is_kept);
        wait_in_background(child, events);
        let mut run = Running {
            inbox,
            started,
            heard: Instant::now(),
            looked: Instant::now(),
            open: 2,
            status: None,
            stdout: Kept::new(self.keep),
            stderr: Kept::new(self.keep),
        };
        let end = self.time.map(|time| started + time);
        let in_time = run.listen_until(listener, &group, end);
        if !in_time {
            group.ask();
            if !run.listen_until(listener, &group, Some(Instant::now() + group.grace())) {
                group.insist();
                run.listen_until(listener, &group, Some(Instant::now() + AFTER_KILL));
            }
        }
        group.end();
        interrupt::wait_if_interrupted();
        let is_quiet = leave(&group, is_kept);
        let mut ran = run.into_ran(in_time);
        if !is_quiet {
            ran.ending = Ending::LeftRunning;
        }
        match not_started(&ran, is_kept) {
            Some(source) => Err(self.failed(source)),
            None => Ok(ran),
        }
    }

    /// The child, our end of the socket if its output is private, and whether it
    /// is a keeper.
    fn spawn(&self) -> Result<(Child, Option<UnixStream>, bool), StartError> {
        let input = match self.input {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        };
        let (output, socket) = self.output().map_err(|source| self.failed(source))?;
        let keeper = self.keeper();
        let is_kept = keeper.is_some();
        #[cfg(target_os = "linux")]
        let mut ours = descendants::ours();
        let child = keeper
            .map_or_else(|| self.command(), |keeper| self.fitted(keeper))
            .stdin(input)
            .stdout(output)
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|source| self.failed(source))?;
        #[cfg(target_os = "linux")]
        ours.extend(i32::try_from(child.id()));
        Ok((child, socket, is_kept))
    }

    fn output(&self) -> io::Result<(Stdio, Option<UnixStream>)> {
        if !self.is_private {
            return Ok((Stdio::piped(), None));
        }
        let (ours, theirs) = UnixStream::pair()?;
        ours.shutdown(Shutdown::Write)?; // no process reads from it
        Ok((OwnedFd::from(theirs).into(), Some(ours)))
    }

    #[cfg(target_os = "linux")]
    fn keeper(&self) -> Option<Command> {
        self.is_kept
            .then(|| keeper::command(&self.command))
            .flatten()
    }

    #[cfg(not(target_os = "linux"))]
    fn keeper(&self) -> Option<Command> {
        None
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the limited runner that everybody else goes through"
    )]
    fn command(&self) -> Command {
        self.fitted(Command::new(&self.command))
    }

    /// No output of this run may replace the program.
    fn spare(&self) {
        let is_path = self.command.as_encoded_bytes().contains(&b'/');
        let file = if is_path {
            Some(self.folder.join(&self.command))
        } else {
            found(&self.command)
        };
        if let Some(file) = file {
            outputs::named(&file);
        }
    }

    fn fitted(&self, mut command: Command) -> Command {
        self.spare();
        for name in &self.removed {
            command.env_remove(name);
        }
        if let Some(path) = search::path() {
            command.env("PATH", path);
        }
        command
            .args(&self.args)
            .current_dir(&self.folder)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn failed(&self, source: io::Error) -> StartError {
        StartError {
            command: self.command.clone(),
            source,
        }
    }
}

/// Ends what a keeper could not; returns whether nothing is left.
#[cfg(target_os = "linux")]
fn leave(group: &Group, is_kept: bool) -> bool {
    if let Some(id) = group.id() {
        descendants::ours().remove(&id);
    }
    !is_kept || descendants::end_adopted()
}

/// Other systems have no keeper.
#[cfg(not(target_os = "linux"))]
const fn leave(_: &Group, _: bool) -> bool {
    true
}

/// Why a keeper could not start the program.
fn not_started(ran: &Ran, is_kept: bool) -> Option<io::Error> {
    match ran.ending {
        #[cfg(target_os = "linux")]
        Ending::Exited(code) if is_kept => keeper::start_error(code, &ran.stderr.text()),
        _ => {
            let _ = is_kept;
            None
        }
    }
}

enum News {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Closed,
    Ended(ExitStatus),
}

/// Reads a stream to its end in a thread. The channel is bounded, so a child
/// that writes faster than we read has to wait.
fn listen(
    stream: Option<impl Read + Send + 'static>,
    events: &SyncSender<News>,
    wrap: fn(Vec<u8>) -> News,
) {
    let events = events.clone();
    thread::spawn(move || {
        if let Some(mut stream) = stream {
            let mut buffer = vec![0; 64 << 10];
            loop {
                match stream.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(count) if count > 0 => {
                        let bytes = buffer.get(..count).unwrap_or_default().to_vec();
                        if events.send(wrap(bytes)).is_err() {
                            return;
                        }
                    }
                    Ok(_) | Err(_) => break,
                }
            }
        }
        let _ = events.send(News::Closed);
    });
}

fn wait_in_background(mut child: Child, events: SyncSender<News>) {
    thread::spawn(move || {
        if let Ok(status) = child.wait() {
            let _ = events.send(News::Ended(status));
        }
    });
}

struct Running {
    inbox: Receiver<News>,
    started: Instant,
    /// When output last arrived.
    heard: Instant,
    /// When we last looked after the keeper.
    looked: Instant,
    /// How many of the two streams are open.
    open: u8,
    status: Option<ExitStatus>,
    stdout: Kept,
    stderr: Kept,
}

impl Running {
    /// Reads until the child has ended and its streams are closed (or silent
    /// for too long); `false` when the deadline came first.
    fn listen_until(
        &mut self,
        listener: &mut dyn Listener,
        group: &Group,
        deadline: Option<Instant>,
    ) -> bool {
        while !self.is_over() {
            let now = Instant::now();
            if now.duration_since(self.looked) >= TICK {
                self.looked = now;
                #[cfg(target_os = "linux")]
                group.wake();
            }
            let left = deadline.map_or(TICK, |end| end.saturating_duration_since(now));
            if left.is_zero() {
                return false;
            }
            match self.inbox.recv_timeout(left.min(TICK)) {
                Ok(news) => self.take(news, listener),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return true,
            }
            listener.hear(Event::Waiting {
                elapsed: self.started.elapsed(),
                silent: self.heard.elapsed(),
            });
        }
        true
    }

    fn is_over(&self) -> bool {
        self.status.is_some() && (self.open == 0 || self.heard.elapsed() > LINGER)
    }

    fn take(&mut self, news: News, listener: &mut dyn Listener) {
        self.heard = Instant::now();
        match news {
            News::Stdout(bytes) => {
                listener.hear(Event::Output {
                    stream: Stream::Stdout,
                    bytes: &bytes,
                });
                self.stdout.push(&bytes);
            }
            News::Stderr(bytes) => {
                listener.hear(Event::Output {
                    stream: Stream::Stderr,
                    bytes: &bytes,
                });
                self.stderr.push(&bytes);
            }
            News::Closed => self.open = self.open.saturating_sub(1),
            News::Ended(status) => self.status = Some(status),
        }
    }

    fn into_ran(self, in_time: bool) -> Ran {
        Ran {
            ending: match self.status {
                Some(status) if in_time => ending_of(status),
                _ => Ending::TimedOut,
            },
            stdout: self.stdout,
            stderr: self.stderr,
            duration: self.started.elapsed(),
        }
    }
}

fn ending_of(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or_default()),
    }
}
