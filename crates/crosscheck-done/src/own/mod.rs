//! Our own run: the one witness that does not depend on what a session tells.
//!
//! The command comes from the person's configuration. It runs over a copy of
//! the project in which the files that steer it are those of the commit before
//! the session, so that what the session wrote neither chooses nor bends it.
//! The result is kept under the digest of the tree, so that asking again costs
//! nothing.
//!
//! Contract: done 6.1.

mod aside;
mod proposal;
mod steering;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::digest::Digest;
use crosscheck_process::{Ending, Ran};
use serde::{Deserialize, Serialize};

pub use proposal::{Proposal, at_commit, in_folder};

use crate::kind::Work;
use crate::observe::{confirmed, refuted, undecided};
use crate::opinion::{Opinion, Trace};
use crate::reasons::{Caveat, DoneReason};
use crate::redact::redacted;
use crate::runner::{self, Reading, Table};
use crate::shell;
use crate::state::Memory;
use aside::Aside;
use steering::Steered;

/// Commands of a check, each of which is run at most once.
#[derive(Debug)]
pub struct OwnRuns<'o> {
    /// The commands, by what they show.
    pub commands: BTreeMap<Work, Vec<String>>,
    /// The project.
    pub root: &'o Path,
    /// The last commit before the session.
    pub base: Option<String>,
    /// Files that the session wrote, where no commit says how they were.
    pub written: Vec<PathBuf>,
    /// When the session began.
    pub began: Option<i64>,
    /// How long one may take.
    pub time: Duration,
    /// Variables that they do not see.
    pub hidden: &'o [String],
    /// The table of runners, to read their output.
    pub table: &'o Table,
    /// Where results are kept.
    pub memory: Option<&'o Memory>,
    /// Results of this check.
    pub seen: BTreeMap<Work, OwnRun>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnRun {
    /// The command, secrets aside.
    pub command: String,
    /// Its exit status.
    pub status: Option<i64>,
    /// The line of the output that decides.
    pub summary: String,
    /// What that means.
    pub how: How,
    /// Files that were taken from the commit before the session.
    pub steered: Vec<String>,
    /// Whether the network was off.
    pub is_offline: bool,
    /// Whether an earlier run over the same tree is told again.
    #[serde(skip)]
    pub is_kept: bool,
}

/// What the end of a command means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It passed.
    Passed,
    /// It failed, and says what.
    Failed,
    /// It had nothing to do.
    Empty,
    /// It could not be run.
    Unavailable,
    /// It took too long.
    TimedOut,
}

impl OwnRun {
    fn unavailable(command: &[String], why: impl Into<String>) -> Self {
        Self {
            command: redacted(&command.join(" ")),
            status: None,
            summary: why.into(),
            how: How::Unavailable,
            steered: Vec::new(),
            is_offline: false,
            is_kept: false,
        }
    }

    fn opinion(&self) -> Opinion {
        let opinion = match self.how {
            How::Passed => confirmed(DoneReason::CmdOk),
            // with other files than those of the session a failure may be ours
            How::Failed if !self.steered.is_empty() => undecided(DoneReason::Steered),
            How::Failed => refuted(DoneReason::CmdFailed),
            How::Empty => undecided(DoneReason::EmptyRun),
            How::Unavailable => undecided(DoneReason::CmdUnavailable),
            How::TimedOut => undecided(DoneReason::CmdTimeout),
        };
        opinion.with(Trace::Command {
            command: self.command.clone(),
            status: self.status,
            summary: redacted(&self.summary),
        })
    }
}

impl OwnRuns<'_> {
    /// What our own run shows; `passed_before` says that the session shows
    /// success, so that one failure may be chance.
    pub fn look(&mut self, work: Work, passed_before: bool) -> Opinion {
        let Some(first) = self.run(work) else {
            return undecided(DoneReason::NoCommand);
        };
        if first.how != How::Failed || !passed_before || first.is_kept {
            return first.opinion();
        }
        self.seen.remove(&work);
        match self.run_anew(work) {
            Some(again) if again.how == How::Passed => again.opinion().but(Caveat::Flaky),
            _ => first.opinion(),
        }
    }

    /// Runs the command for this work, or tells what an earlier run over the
    /// same tree showed; `None` without a command.
    pub fn run(&mut self, work: Work) -> Option<OwnRun> {
        if let Some(seen) = self.seen.get(&work) {
            return Some(seen.clone());
        }
        let argv = self.commands.get(&work).filter(|argv| !argv.is_empty())?;
        let key = self.key(argv);
        let kept = key.as_ref().zip(self.memory);
        let kept = kept.and_then(|(key, memory)| memory.kept_run(key));
        match kept {
            Some(kept) => {
                self.seen.insert(work, kept.clone());
                Some(kept)
            }
            None => self.run_anew(work),
        }
    }

    fn run_anew(&mut self, work: Work) -> Option<OwnRun> {
        let argv = self.commands.get(&work).cloned()?;
        let run = self.start(&argv)?;
        let is_firm = matches!(run.how, How::Passed | How::Failed | How::Empty);
        if let Some((memory, key)) = self.memory.zip(self.key(&argv)).filter(|_| is_firm) {
            // what cannot be kept is only run again
            let _ = memory.keep_run(&key, &run);
        }
        self.seen.insert(work, run.clone());
        Some(run)
    }

    /// The tree, the command and what steers it as one digest.
    fn key(&self, argv: &[String]) -> Option<String> {
        let tree = tree::digest(self.root)?;
        let base = self.base.as_deref().unwrap_or_default();
        let text = format!("{tree}\n{base}\n{}\n{:?}", self.root.display(), argv);
        Some(Digest::of(text).hex())
    }

    /// `None` where the session wrote the command's own files and no commit
    /// says how they were.
    fn start(&self, argv: &[String]) -> Option<OwnRun> {
        let steered = Steered::find(self, argv)?;
        let aside = match Aside::new(self.root, &steered) {
            Ok(aside) => aside,
            Err(why) => return Some(OwnRun::unavailable(argv, why)),
        };
        let run = match aside.run(argv, self.time, self.hidden) {
            Ok((ran, is_offline)) => OwnRun {
                steered: steered.names(),
                is_offline,
                ..self.read(argv, &ran)
            },
            Err(why) => OwnRun::unavailable(argv, why),
        };
        Some(run)
    }

    fn read(&self, argv: &[String], ran: &Ran) -> OwnRun {
        let output = format!("{}\n{}", ran.stdout.text(), ran.stderr.text());
        let status = match ran.ending {
            Ending::Exited(code) => i64::from(code),
            Ending::Signalled(signal) => 128 + i64::from(signal),
            Ending::TimedOut | Ending::LeftRunning => {
                return OwnRun {
                    how: How::TimedOut,
                    ..OwnRun::unavailable(argv, "it took too long")
                };
            }
        };
        let reading = self.reading(argv, &output);
        OwnRun {
            status: Some(status),
            how: how(status, &output, &reading),
            ..OwnRun::unavailable(argv, redacted(&reading.line))
        }
    }

    /// Reads the output as that of the runner the command is, or of any.
    fn reading(&self, argv: &[String], output: &str) -> Reading {
        let line = shell::line(&argv.join(" "));
        let segments = line.map(|line| line.segments).unwrap_or_default();
        let matches = segments
            .iter()
            .flat_map(|segment| self.table.matches(&segment.run));
        let known = matches
            .filter_map(|found| self.table.row(found.row))
            .rfind(|row| row.name != "exec");
        let any = || self.table.rows().iter().find(|row| row.name == "make-test");
        known
            .or_else(any)
            .map(|row| runner::read(self.table, row, output))
            .unwrap_or_default()
    }
}

fn how(status: i64, output: &str, reading: &Reading) -> How {
    let counted = reading.failed.is_some_and(|failed| failed > 0);
    if status == 0 {
        return match (counted, reading.is_empty) {
            (true, _) => How::Failed,
            (false, true) => How::Empty,
            (false, false) => How::Passed,
        };
    }
    // what counts failures has run, whatever else is missing
    let counted = counted || counts_failures(output);
    if matches!(status, 126 | 127) || (!counted && is_missing(output)) {
        return How::Unavailable;
    }
    if reading.is_empty && !reading.says_fail {
        return How::Empty;
    }
    // a failure needs a program that says what failed
    if counted || reading.says_fail || has_diagnostic(output) {
        How::Failed
    } else {
        How::Unavailable
    }
}

/// Whether something that the command needs is not there.
fn is_missing(output: &str) -> bool {
    let mut words = include_str!("../../patterns/missing.txt").lines();
    words.any(|word| output.contains(word))
}

/// Whether a line counts failures, whatever program wrote it.
fn counts_failures(output: &str) -> bool {
    const FAILURES: [&str; 6] = [
        "failed", "failing", "failures", "failure", "errors", "error",
    ];
    let plain = runner::strip_ansi(output);
    plain.lines().any(|line| {
        let words: Vec<&str> = line
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        words.windows(2).any(|pair| match pair {
            [number, word] => {
                FAILURES.contains(word) && number.parse::<u64>().is_ok_and(|number| number > 0)
            }
            _ => false,
        })
    })
}

/// Whether a compiler or linter says where something is wrong.
fn has_diagnostic(output: &str) -> bool {
    let names_line = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let file = parts.next().unwrap_or_default();
        let number = parts.next().unwrap_or_default();
        file.contains('.')
            && !file.contains(' ')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    output.lines().any(names_line) || output.contains("error[E") || output.contains("error TS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_needs_a_program_that_says_what_failed() {
        let says = Reading {
            says_fail: true,
            ..Reading::default()
        };
        let counted = Reading {
            says_fail: true,
            failed: Some(1),
            ..Reading::default()
        };
        let none = Reading::default();
        let cases = [
            (1, "1 failed", &says, How::Failed),
            (1, "", &none, How::Unavailable),
            (1, "1 failed, 3 passed", &none, How::Failed),
            (1, "0 failed, 0 errors", &none, How::Unavailable),
            (127, "", &says, How::Unavailable),
            (1, "src/a.c:3:1: error: x", &none, How::Failed),
            (1, "Error: Cannot find module 'x'", &says, How::Unavailable),
            (
                1,
                "sh: x: command not found\n1 failed",
                &counted,
                How::Failed,
            ),
            (1, "sh: x: command not found\n1 failed", &none, How::Failed),
            (0, "", &none, How::Passed),
        ];
        for (status, output, reading, expected) in cases {
            assert_eq!(how(status, output, reading), expected, "{status} {output}");
        }
    }
}
