//! What the commands that only look print.

use std::fmt::Write as _;

use crosscheck::core::files::read_limited;
use crosscheck::core::foreign;
use crosscheck::core::text::{one_line, terminal_safe};
use crosscheck::workspace::commands;
use crosscheck::workspace::config::Surroundings;
use crosscheck::workspace::judge::Report;
use crosscheck::workspace::read::metadata::{Metadata, RUN_STATES};
use crosscheck::workspace::read::status::{self, StatusSeen};
use crosscheck::workspace::report::{human, result::ParsedReport};
use crosscheck::workspace::{Workspace, WorkspaceError, WorkspaceStatus};
use serde_json::{Value, json};

use crate::args::workspace::{ListArgs, ParseReportArgs};

const REPORT_LIMIT: u64 = 16 << 20;

pub(super) fn parse_report(args: &ParseReportArgs) -> Result<String, WorkspaceError> {
    use crosscheck::core::files::ReadError;
    let bytes = read_limited(&args.file, REPORT_LIMIT).map_err(|error| match error {
        ReadError::TooLarge { path, .. } => WorkspaceError::too_large(&path),
        other => WorkspaceError::io(&other),
    })?;
    let report = Report::read(&bytes);
    Ok(if args.json {
        foreign::json_pretty(&ParsedReport::of(&report)) + "\n"
    } else {
        terminal_safe(&human::parsed(&report)).into_owned()
    })
}

pub(super) fn list(surroundings: &Surroundings, args: &ListArgs) -> Result<String, WorkspaceError> {
    if let Some(status) = args
        .status
        .as_deref()
        .filter(|status| !RUN_STATES.contains(status))
    {
        return Err(WorkspaceError::usage(format!(
            "Invalid status '{status}'. Use one of: {}",
            RUN_STATES.join(", ")
        )));
    }
    let mut found = commands::list(surroundings)?;
    let wanted = args.status.as_ref();
    found.retain(|(_, _, metadata)| wanted.is_none_or(|status| *status == metadata.status));
    if args.json {
        let all: Vec<Value> = found
            .iter()
            .map(|(name, folder, metadata)| {
                json!({
                    "name": name, "path": folder, "status": metadata.status, "mode": metadata.mode.word(),
                    "totalIterations": metadata.iterations[0], "verification": verification(metadata),
                })
            })
            .collect();
        return Ok(pretty(&json!(all)));
    }
    if found.is_empty() {
        return Ok(match &args.status {
            Some(status) => format!("No workspace has the status {status}\n"),
            None => format!(
                "No workspaces. Create one with: {} init <name>\n",
                surroundings.program
            ),
        });
    }
    let width = found.iter().map(|(name, _, _)| name.len()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for (name, _, metadata) in &found {
        let record = metadata.verification.as_ref();
        let verified = record.and_then(|record| record.last_status);
        let _ = writeln!(
            text,
            "{name:<width$}  {:<11}  {:<9}  {:>3} iterations  {}",
            metadata.status,
            metadata.mode.word(),
            metadata.iterations[0],
            verified.map_or("not verified", WorkspaceStatus::word)
        );
    }
    Ok(text)
}

/// An invalid status file is not the same as none.
fn warnings(seen: &StatusSeen) -> Vec<String> {
    match seen {
        StatusSeen::Absent => Vec::new(),
        StatusSeen::Valid(claim) => claim.warnings(),
        StatusSeen::Invalid(why) => vec![format!("the status file is not valid: {why}")],
    }
}

pub(super) fn show(workspace: &Workspace, as_json: bool) -> String {
    let metadata = &workspace.metadata;
    let seen = status::load(&workspace.folder);
    let claim = seen.claim();
    let [total, setup, execution] = metadata.iterations;
    if as_json {
        return pretty(&json!({
            "name": workspace.name, "path": workspace.folder, "status": metadata.status, "mode": metadata.mode.word(),
            "created": metadata.created, "lastRun": metadata.last_run,
            "totalIterations": total, "setupIterations": setup, "executionIterations": execution,
            "maxIterations": metadata.max_iterations, "delay": metadata.delay,
            "progress": {
                "valid": matches!(seen, StatusSeen::Valid(_)), "complete": claim.complete,
                "completed": claim.progress.map(|(completed, _)| completed), "total": claim.progress.map(|(_, total)| total),
                "summary": claim.summary, "warnings": warnings(&seen),
            },
            "verification": verification(metadata), "changedCriteria": commands::unaccepted(workspace),
        }));
    }
    let mut lines = vec![
        ("Workspace", workspace.name.clone()),
        ("Folder", workspace.folder.display().to_string()),
        ("Status", metadata.status.clone()),
        ("Mode", metadata.mode.word().to_owned()),
        ("Created", metadata.created.clone()),
        (
            "Last run",
            metadata
                .last_run
                .clone()
                .unwrap_or_else(|| "never".to_owned()),
        ),
        (
            "Iterations",
            format!(
                "{total} (setup {setup}, execution {execution}); at most {} per run",
                metadata.max_iterations
            ),
        ),
        ("Delay", format!("{} s", metadata.delay)),
        ("Progress", progress(&seen)),
    ];
    lines.extend(claim.summary.as_ref().map(|said| ("Says", one_line(said))));
    lines.extend(claim.warnings().into_iter().map(|text| ("Warning", text)));
    let verified = metadata.verification.as_ref().map(|record| {
        format!(
            "{} at {}; {} attempt(s), {} resume cycle(s)",
            record.last_status.map_or("not_run", WorkspaceStatus::word),
            record.last_time.as_deref().unwrap_or("an unknown time"),
            record.attempts,
            record.resume_cycles
        )
    });
    let verified = verified.unwrap_or_else(|| "not run".to_owned());
    lines.push(("Verification", verified));
    let changed = commands::unaccepted(workspace).join(", ");
    if !changed.is_empty() {
        let (program, name) = (&workspace.program, &workspace.name);
        let text = format!("{changed}; to accept: {program} accept-criteria {name}");
        lines.push(("Changed", text));
    }
    let mut text = String::new();
    for (label, value) in lines {
        let _ = writeln!(text, "{:<14} {value}", format!("{label}:"));
    }
    terminal_safe(&text).into_owned()
}

fn progress(seen: &StatusSeen) -> String {
    match seen {
        StatusSeen::Absent => "no status file".to_owned(),
        StatusSeen::Invalid(why) => format!("status file is not valid ({why})"),
        StatusSeen::Valid(claim) => {
            let counts = claim.progress;
            let counts = counts.map(|(completed, total)| format!(", {completed} of {total}"));
            let not = if claim.complete { "" } else { "not " };
            format!("{not}complete{}", counts.unwrap_or_default())
        }
    }
}

fn verification(metadata: &Metadata) -> Value {
    metadata
        .verification
        .as_ref()
        .map_or(Value::Null, |record| {
            json!({
                "lastVerificationStatus": record.last_status.map_or("not_run", WorkspaceStatus::word),
                "lastVerificationTime": record.last_time,
                "verificationAttempts": record.attempts,
                "verifyResumeCycles": record.resume_cycles,
            })
        })
}

fn pretty(value: &Value) -> String {
    foreign::json_pretty(value) + "\n"
}
