//! A process between us and a child whose descendants must all end.
//!
//! Programs that an agent starts can leave their process group and keep running
//! when the agent has ended. The keeper adopts every process below it that
//! loses its parent and ends all of them when the child ends or when it is
//! asked to. The kernel signals it when we die, so no process outlives us
//! either. It is our own program, started again under another name.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::descendants::{self, KILLING};

/// The name under which the keeper is started.
pub(crate) const NAME: &str = "crosscheck-keeper";
/// What the keeper prints, with the number of the error, when it cannot start the child.
const NOT_STARTED: &str = "crosscheck-keeper: cannot start the program: error ";
const EXIT_NOT_STARTED: u8 = 126;

/// How long the child may take after an interrupt, and then after the request
/// to end.
const AFTER_INTERRUPT: Duration = Duration::from_secs(1);
const AFTER_REQUEST: Duration = Duration::from_secs(5);
/// Processes that are left when the child has ended by itself get less time.
const LEFT_OVER: Duration = Duration::from_millis(250);

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Names the program that can be started as keeper: one that calls
/// [`run_as_keeper`] first. Without it, ending a child ends only its process
/// group.
pub fn set_keeper(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// The command that starts a program below a keeper, if there is one.
#[expect(
    clippy::disallowed_methods,
    reason = "part of the limited runner that everybody else goes through"
)]
pub(crate) fn command(program: &OsString) -> Option<Command> {
    let mut command = Command::new(PROGRAM.get()?);
    // if the keeper is killed, we adopt the processes below it
    let _ = set_child_subreaper(Some(getpid()));
    command
        .arg0(NAME)
        .arg(getpid().as_raw_nonzero().to_string())
        .arg(program);
    Some(command)
}

/// Why the keeper could not start the program, from its exit and output.
pub(crate) fn start_error(code: i32, stderr: &str) -> Option<std::io::Error> {
    let number = stderr.strip_prefix(NOT_STARTED)?.trim_end().parse().ok()?;
    (code == i32::from(EXIT_NOT_STARTED)).then(|| std::io::Error::from_raw_os_error(number))
}

/// Acts as the keeper if the program was started as one; returns the exit code
/// of the process.
pub fn run_as_keeper(words: &[OsString]) -> Option<ExitCode> {
    let [name, parent, program, args @ ..] = words else {
        return None;
    };
    if name != NAME {
        return None;
    }
    let parent = parent.to_str()?.parse().ok().and_then(Pid::from_raw)?;
    Some(keep(parent, program, args).unwrap_or_else(|error| {
        let number = error.raw_os_error().unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "{NOT_STARTED}{number}");
        ExitCode::from(EXIT_NOT_STARTED)
    }))
}

#[expect(
    clippy::disallowed_methods,
    reason = "part of the limited runner that everybody else goes through"
)]
fn keep(parent: Pid, program: &OsString, args: &[OsString]) -> std::io::Result<ExitCode> {
    // before anything is started, so that no signal is missed
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT])?;
    set_child_subreaper(Some(getpid()))?;
    set_parent_process_death_signal(Some(Signal::TERM))?;
    if getppid() != Some(parent) {
        return Ok(ExitCode::from(EXIT_NOT_STARTED)); // it died before we could ask
    }
    let child = Command::new(program).args(args).process_group(0).spawn()?;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let id = id.ok_or_else(|| std::io::Error::other("no process id"))?;
    let mut keeper = Keeper { id, status: None };
    for signal in signals.forever() {
        match signal {
            SIGCHLD => {
                keeper.collect();
                if keeper.status.is_some() {
                    keeper.end(LEFT_OVER, LEFT_OVER);
                    break;
                }
            }
            SIGQUIT => {
                keeper.end(Duration::ZERO, Duration::ZERO);
                break;
            }
            _ => {
                keeper.end(AFTER_INTERRUPT, AFTER_REQUEST);
                break;
            }
        }
    }
    Ok(keeper.answer())
}

struct Keeper {
    /// The child, and the leader of its group.
    id: Pid,
    status: Option<WaitStatus>,
}

impl Keeper {
    /// Collects every process that has ended. Returns whether no child is left,
    /// and then there is no process below us: an orphan would be our child.
    fn collect(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.id => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Ends everything below: interrupts the group, asks all, kills the rest.
    fn end(&mut self, after_interrupt: Duration, after_request: Duration) {
        let _ = kill_process_group(self.id, Signal::INT);
        if self.is_quiet_within(after_interrupt) {
            return;
        }
        descendants::signal_all(Signal::TERM);
        if self.is_quiet_within(after_request) {
            return;
        }
        // Without a pause, to be faster than a process that replaces itself.
        // What is left after that becomes a child of the program above.
        let end = Instant::now() + KILLING;
        while !self.collect() && Instant::now() < end {
            descendants::kill_children();
        }
    }

    /// Whether no process is left before the time is over.
    fn is_quiet_within(&mut self, time: Duration) -> bool {
        descendants::is_true_within(time, || self.collect())
    }

    /// Exits the way the child did.
    fn answer(mut self) -> ExitCode {
        self.collect();
        let status = self.status;
        if let Some(signal) = status.and_then(WaitStatus::terminating_signal) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
        let code = status.and_then(WaitStatus::exit_status);
        ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }
}
