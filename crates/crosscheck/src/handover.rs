//! Statements of a final message that another verifier checks.

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

/// Their shells; a command can write rows that its log does not show.
const SHELLS: &[&str] = &[
    "Bash",
    "container.exec",
    "exec_command",
    "local_shell_call",
    "shell",
];

/// Whether the rows that the calls of a session wrote are in the database:
/// confirmed when all are, refuted when one is not.
pub fn rows(log: PathBuf, database: Database) -> Answer {
    let shown = database.shown();
    let task = Task {
        logs: vec![Log::Path(log)],
        format: InputFormat::Auto,
        database,
        contract: None,
        redact: false,
    };
    let answer = |verdict, found: &str| Answer::new("rows", verdict, found);
    let report = match task.run(&mut NoListener) {
        Ok(report) => report,
        Err(error) => return answer(Verdict::Undecided, &with_causes(&error)),
    };
    // a line that was not read, or a database that seems to be a different one
    if let Some(notice) = report.neutral().notices.first() {
        return answer(Verdict::Undecided, notice);
    }
    let writes: Vec<&Outcome> = report.units().iter().filter(|unit| counts(unit)).collect();
    let worst = |verdict| writes.iter().find(|unit| verdict_of(unit) == verdict);
    if let Some(unit) = worst(Verdict::Refuted) {
        return answer(Verdict::Refuted, &told(unit));
    }
    if let Some(unit) = worst(Verdict::Undecided) {
        return answer(Verdict::Undecided, &told(unit));
    }
    match writes.len() {
        0 => answer(
            Verdict::Undecided,
            "no call of the session is known to write rows",
        ),
        1 => answer(Verdict::Confirmed, &format!("the write is in {shown}")),
        count => answer(
            Verdict::Confirmed,
            &format!("all {count} writes are in {shown}"),
        ),
    }
}

fn tool(unit: &Outcome) -> &str {
    unit.claim.split('(').next().unwrap_or_default()
}

fn is_shell(unit: &Outcome) -> bool {
    SHELLS.contains(&tool(unit))
}

/// Calls of the harness itself do not count, except a shell that runs SQL.
fn counts(unit: &Outcome) -> bool {
    let said = || unit.claim.to_ascii_lowercase();
    if is_shell(unit) {
        return ["sql", "insert", "mariadb"]
            .iter()
            .any(|word| said().contains(word));
    }
    !HARNESS_TOOLS.contains(&tool(unit))
}

/// A shell command makes no claim about a row, so it refutes nothing.
fn verdict_of(unit: &Outcome) -> Verdict {
    if is_shell(unit) {
        Verdict::Undecided
    } else {
        unit.verdict
    }
}

fn told(unit: &Outcome) -> String {
    let why = unit.reasons.first().map_or("", |why| why.message.as_str());
    format!("{}: {why}", tool(unit))
}
