//! Commands of past sessions that look like checks and are not known as such.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crosscheck_core::files::open_regular;
use crosscheck_transcript::session::{Body, By, Run, SessionReader};

use crate::kind::Work;
use crate::read::session::{each_line, head};
use crate::redact::redacted;
use crate::runner::Table;
use crate::shell;

/// A command that ran more seldom is not proposed.
const LEAST: u64 = 3;
/// So many words of a command name it.
const WORDS: usize = 3;

/// Counts commands over sessions.
#[derive(Debug)]
pub struct Learner<'l> {
    table: &'l Table,
    seen: BTreeMap<(Work, Vec<String>), Seen>,
}

/// How often a command ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    ran: u64,
    passed: u64,
}

impl<'l> Learner<'l> {
    /// Nothing was read so far.
    pub const fn new(table: &'l Table) -> Self {
        Self {
            table,
            seen: BTreeMap::new(),
        }
    }

    /// Reads one log; one that cannot be read teaches nothing.
    pub fn read(&mut self, path: &Path) -> Option<()> {
        let mut file = open_regular(path).ok()?;
        let harness = head(&mut file).ok()?.harness?;
        let mut reader = SessionReader::new(harness, false);
        each_line(&mut file, 0, |at, line| {
            if let Some(line) = line {
                reader.line(at, line);
            }
            for event in reader.take_events() {
                match event.body {
                    Body::Run(run) if event.by != By::User => self.count(&run),
                    _ => {}
                }
            }
        })
        .ok()
    }

    fn count(&mut self, run: &Run) {
        let Ok(line) = shell::line(&run.command) else {
            return;
        };
        for segment in &line.segments {
            let words = &segment.run.words;
            let named = words.iter().take(WORDS);
            let named: Vec<String> = named
                .take_while(|word| !word.starts_with('-') && !word.contains(['=', '$', '*']))
                .cloned()
                .collect();
            let is_known = self
                .table
                .matches(&segment.run)
                .iter()
                .any(|found| found.work.iter().any(|work| *work != Work::Exec));
            let Some(work) = looks_like(self.table, &named).filter(|_| !is_known) else {
                continue;
            };
            let seen = self.seen.entry((work, named)).or_default();
            seen.ran += 1;
            seen.passed += u64::from(run.status == Some(0));
        }
    }

    /// What could be added to the configuration, the most frequent first.
    pub fn proposals(&self) -> String {
        let mut found: Vec<_> = self
            .seen
            .iter()
            .filter(|(_, seen)| seen.ran >= LEAST)
            .collect();
        found.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.ran));
        let mut text = String::new();
        for ((work, argv), seen) in found {
            let argv: Vec<String> = argv
                .iter()
                .map(|word| format!("{:?}", redacted(word)))
                .collect();
            let _ = writeln!(
                text,
                "# ran {} times, {} of them with exit status 0\n[[done.runner]]\nkind = \"{}\"\nargv = [{}]\n",
                seen.ran,
                seen.passed,
                work.name(),
                argv.join(", ")
            );
        }
        text
    }
}

/// A script or task whose name says what it does; programs that only show or
/// find things are none.
fn looks_like(table: &Table, argv: &[String]) -> Option<Work> {
    let program = argv.first()?;
    let is_script = program.contains('/') || program.to_ascii_lowercase().ends_with(".sh");
    let is_tool = ["run", "exec", "task"]
        .iter()
        .any(|word| argv.iter().any(|one| one == word));
    if !is_script && !is_tool {
        return None;
    }
    match table.tasks.works_of(argv.last()?) {
        [work] => Some(*work),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscheck_transcript::session::State;

    #[test]
    fn a_command_that_ran_often_and_is_named_like_a_check_is_proposed() {
        let table = Table::new(&[]).unwrap();
        let mut learner = Learner::new(&table);
        let mut run = |command: &str, status| {
            learner.count(&Run {
                id: "r".into(),
                command: command.to_owned(),
                status: Some(status),
                state: State::Ended,
                output: None,
            });
        };
        for status in [0, 0, 1] {
            run("./scripts/lint-all.sh | tail -3", status);
            run("cat tests/a.py", status);
            run("pytest -q", status);
        }
        run("./scripts/test.sh", 0);
        let text = learner.proposals();
        assert_eq!(
            text,
            "# ran 3 times, 2 of them with exit status 0\n[[done.runner]]\nkind = \"lint\"\nargv = [\"./scripts/lint-all.sh\"]\n\n"
        );
    }
}
