//! Configured commands, run now.
//!
//! Contract: done 6.1.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crosscheck_process::{Ending, Program};

use super::{confirmed, refuted, undecided};
use crate::kind::Work;
use crate::opinion::{Opinion, Trace};
use crate::reasons::{Caveat, DoneReason};
use crate::redact::redacted;
use crate::runner::{self, Reading, Table};
use crate::shell;

/// So much of the output is kept.
const KEEP: usize = 1 << 20;

/// Commands of a run, each of which is run once.
#[derive(Debug)]
pub struct Fresh<'f> {
    /// The commands, by what they show.
    pub commands: BTreeMap<Work, Vec<String>>,
    /// Where they run.
    pub root: &'f Path,
    /// How long one may take.
    pub time: Duration,
    /// Variables that they do not see.
    pub hidden: &'f [String],
    /// The table of runners, to read their output.
    pub table: &'f Table,
    seen: BTreeMap<Work, CommandSeen>,
}

/// How a command ended.
#[derive(Debug, Clone)]
struct CommandSeen {
    shown: String,
    status: Option<i64>,
    reading: Reading,
    how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Well,
    Badly,
    Empty,
    Unavailable,
    Timeout,
}

impl<'f> Fresh<'f> {
    /// Nothing was run so far.
    pub const fn new(
        commands: BTreeMap<Work, Vec<String>>,
        root: &'f Path,
        time: Duration,
        hidden: &'f [String],
        table: &'f Table,
    ) -> Self {
        Self {
            commands,
            root,
            time,
            hidden,
            table,
            seen: BTreeMap::new(),
        }
    }

    /// What a command for this work shows; `passed_before` says that the
    /// session shows success, so that one failure may be chance.
    pub fn look(&mut self, work: Work, passed_before: bool) -> Opinion {
        let Some(argv) = self
            .commands
            .get(&work)
            .filter(|argv| !argv.is_empty())
            .cloned()
        else {
            return undecided(DoneReason::NoCommand);
        };
        let known = self.seen.get(&work).cloned();
        let mut seen = known.unwrap_or_else(|| self.run(&argv));
        let mut flaky = false;
        if seen.how == How::Badly && passed_before && !self.seen.contains_key(&work) {
            let again = self.run(&argv);
            if again.how == How::Well {
                flaky = true;
                seen = again;
            }
        }
        self.seen.insert(work, seen.clone());
        let trace = Trace::Command {
            command: seen.shown.clone(),
            status: seen.status,
            summary: redacted(&seen.reading.line),
        };
        let opinion = match seen.how {
            How::Well => confirmed(DoneReason::CmdOk),
            How::Badly => refuted(DoneReason::CmdFailed),
            How::Empty => undecided(DoneReason::EmptyRun),
            How::Unavailable => undecided(DoneReason::CmdUnavailable),
            How::Timeout => undecided(DoneReason::CmdTimeout),
        };
        let opinion = opinion.with(trace);
        if flaky {
            opinion.but(Caveat::Flaky)
        } else {
            opinion
        }
    }

    fn run(&self, argv: &[String]) -> CommandSeen {
        let shown = redacted(&argv.join(" "));
        let failed = |how| CommandSeen {
            shown: shown.clone(),
            status: None,
            reading: Reading::default(),
            how,
        };
        let Some((program, rest)) = argv.split_first() else {
            return failed(How::Unavailable);
        };
        let ran = Program::new(program, self.root)
            .args(rest)
            .without(self.hidden)
            .variable("CI", "1")
            .time_limit(Some(self.time))
            .keep(KEEP)
            .run();
        let Ok(ran) = ran else {
            return failed(How::Unavailable);
        };
        let output = format!("{}\n{}", ran.stdout.text(), ran.stderr.text());
        let status = match ran.ending {
            Ending::Exited(code) => i64::from(code),
            Ending::Signalled(signal) => 128 + i64::from(signal),
            Ending::TimedOut | Ending::LeftRunning => return failed(How::Timeout),
        };
        let reading = self.read(argv, &output);
        let how = how(status, &output, &reading);
        CommandSeen {
            status: Some(status),
            reading,
            how,
            shown,
        }
    }

    /// Reads the output as that of the runner the command is, or of any.
    fn read(&self, argv: &[String], output: &str) -> Reading {
        let line = shell::line(&argv.join(" "));
        let matches = line
            .map(|line| {
                line.segments
                    .iter()
                    .flat_map(|segment| self.table.matches(&segment.run))
                    .collect::<Vec<_>>()
            })
            .unwrap_or_default();
        let rows = matches
            .iter()
            .filter_map(|found| self.table.row(found.row))
            .filter(|row| row.name != "exec");
        let mut best = Reading::default();
        let mut any = false;
        for row in rows {
            best = runner::read(self.table, row, output);
            any = true;
        }
        if !any && let Some(row) = self.table.rows().iter().find(|row| row.name == "make-test") {
            best = runner::read(self.table, row, output);
        }
        best
    }
}

fn how(status: i64, output: &str, reading: &Reading) -> How {
    if status == 0 {
        let failed = reading.failed.is_some_and(|failed| failed > 0);
        return match (failed, reading.is_empty) {
            (true, _) => How::Badly,
            (false, true) => How::Empty,
            (false, false) => How::Well,
        };
    }
    if matches!(status, 126 | 127) || is_missing(output) {
        return How::Unavailable;
    }
    if reading.is_empty && !reading.says_fail {
        return How::Empty;
    }
    // a failure needs a program that says what failed
    if reading.says_fail || counts_failures(output) || has_diagnostic(output) {
        How::Badly
    } else {
        How::Unavailable
    }
}

/// Whether something that the command needs is not there.
fn is_missing(output: &str) -> bool {
    const WORDS: [&str; 14] = [
        "command not found",
        "No module named",
        "is not recognized as an internal",
        "Missing script:",
        "Cannot find module",
        "ECONNREFUSED",
        "Connection refused",
        "could not connect to server",
        "Cannot connect to the Docker daemon",
        "error: toolchain",
        "no such command",
        "node_modules missing",
        "ERR_MODULE_NOT_FOUND",
        "could not determine executable",
    ];
    WORDS.iter().any(|word| output.contains(word))
}

/// Whether a line counts failures, whatever program wrote it.
fn counts_failures(output: &str) -> bool {
    let plain = runner::strip_ansi(output);
    plain.lines().any(|line| {
        let words: Vec<&str> = line
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        words.windows(2).any(|pair| match pair {
            [number, word] => {
                number.parse::<u64>().is_ok_and(|number| number > 0)
                    && matches!(
                        *word,
                        "failed" | "failing" | "failures" | "failure" | "errors" | "error"
                    )
            }
            _ => false,
        })
    })
}

/// Whether a compiler or linter says where something is wrong.
fn has_diagnostic(output: &str) -> bool {
    output.lines().any(|line| {
        let mut parts = line.splitn(3, ':');
        let (file, number) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        file.contains('.')
            && !file.contains(' ')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    }) || output.contains("error[E")
        || output.contains("error TS")
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
        assert_eq!(how(1, "1 failed", &says), How::Badly);
        assert_eq!(how(1, "", &Reading::default()), How::Unavailable);
        assert_eq!(
            how(1, "1 failed, 3 passed", &Reading::default()),
            How::Badly
        );
        assert_eq!(
            how(1, "0 failed, 0 errors", &Reading::default()),
            How::Unavailable
        );
        assert_eq!(how(127, "", &says), How::Unavailable);
        assert_eq!(
            how(1, "src/a.c:3:1: error: x", &Reading::default()),
            How::Badly
        );
        assert_eq!(
            how(1, "Error: Cannot find module 'x'", &says),
            How::Unavailable
        );
        assert_eq!(how(0, "", &Reading::default()), How::Well);
    }
}
