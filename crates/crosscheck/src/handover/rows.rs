//! Statements about rows, for `rows`.

use std::path::PathBuf;

use crosscheck_core::advice::with_causes;
use crosscheck_core::{NoListener, Outcome, Verdict};
use crosscheck_done::handover::Answer;

use crate::Database;
use crate::rows::{InputFormat, Log, Task};

/// Tools of coding agents that write files, plans and processes, never rows.
const HARNESS_TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillShell",
    "MultiEdit",
    "NotebookEdit",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "Write",
    "apply_patch",
    "update_plan",
    "write_stdin",
];

/// Their shells.
const SHELLS: &[&str] = &[
    "Bash",
    "container.exec",
    "exec_command",
    "local_shell_call",
    "shell",
];

/// Whether the rows that the calls of a session wrote are in the database:
/// confirmed when all are, refuted when one is not. What a shell wrote is not
/// in the log, so that it leaves the answer open.
pub(super) fn answer(log: PathBuf, database: Database, by_shell: bool) -> Answer {
    let shown = database.shown();
    let task = Task {
        logs: vec![Log::Path(log)],
        format: InputFormat::Auto,
        database,
        contract: None,
        redact: false,
        claims: false,
        timeout: None,
    };
    let report = match task.run(&mut NoListener) {
        Ok(report) => report,
        Err(error) => return Answer::none(&with_causes(&error)),
    };
    // a line that was not read, or a database that seems to be another one
    if let Some(doubt) = report.doubts().first() {
        return Answer::new(Verdict::Undecided, doubt);
    }
    let writes: Vec<&Outcome> = report.units().iter().filter(|unit| counts(unit)).collect();
    let worst = |verdict| writes.iter().find(|unit| unit.verdict == verdict);
    if let Some(unit) = worst(Verdict::Refuted) {
        return Answer::new(Verdict::Refuted, &sentence_about(unit));
    }
    if let Some(unit) = worst(Verdict::Undecided) {
        return Answer::new(Verdict::Undecided, &sentence_about(unit));
    }
    if by_shell {
        return Answer::none(
            "a command of the session may have written rows that its log does not show",
        );
    }
    match writes.len() {
        0 => Answer::new(
            Verdict::Undecided,
            "no call of the session is known to write rows",
        ),
        1 => Answer::new(Verdict::Confirmed, &format!("the write is in {shown}")),
        count => Answer::new(
            Verdict::Confirmed,
            &format!("all {count} writes are in {shown}"),
        ),
    }
}

fn tool(unit: &Outcome) -> &str {
    unit.claim.split('(').next().unwrap_or_default()
}

/// Calls of the harness itself write no rows, or none that the log shows.
fn counts(unit: &Outcome) -> bool {
    !HARNESS_TOOLS.contains(&tool(unit)) && !SHELLS.contains(&tool(unit))
}

fn sentence_about(unit: &Outcome) -> String {
    let why = unit.reasons.first().map_or("", |why| why.message.as_str());
    format!("{}: {why}", tool(unit))
}
