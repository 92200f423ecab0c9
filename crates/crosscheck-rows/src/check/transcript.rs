//! Logs of agents in place of an events file: the calls become events.

use std::io;

use crosscheck_core::advice::with_causes;

use super::error::ContractError;
use super::read::{CallEvents, Log, is_tool_id};
use super::reasons::ContractFailure;
use crate::plan::Vocabulary;
use crate::plan::classify::has_failed;
use crate::read::{Call, InputFormat, Logs};

/// Reads logs in the order given, as one run. A call that failed claims
/// nothing; one that cannot be read keeps the run from being complete.
pub fn events<'l>(
    logs: impl IntoIterator<Item = crate::Log<'l>>,
    format: InputFormat,
    workflow_id: &str,
) -> Result<Log, ContractError> {
    let mut events = CallEvents::new(workflow_id).map_err(|error| unreadable("log", &error))?;
    let mut read = Logs::default();
    let mut names = Vocabulary::default();
    for log in logs {
        let name = log.name.clone();
        let mut bytes = (log.open)().map_err(|error| unreadable(&name, &error))?;
        let mut written = Ok(());
        let mut take = |calls: Vec<Call>| {
            for call in calls {
                if written.is_ok() {
                    let failed = has_failed(&mut names, &call);
                    written = push(&mut events, &name, &call, failed);
                }
            }
        };
        let done = read.read(&name, format, bytes.as_mut(), &mut take);
        done.and(written)
            .map_err(|error| unreadable(&log.name, &error))?;
    }
    for at in 0..read.malformed_count {
        events.refuse(|| match read.malformed.get(at) {
            Some((log, line)) => {
                let name = read.names.get(*log).map_or("log", String::as_str);
                format!("{name}: line {line} is not JSON")
            }
            None => "further lines are not JSON".to_owned(),
        });
    }
    events.finish().map_err(|error| unreadable("log", &error))
}

fn push(events: &mut CallEvents<'_>, name: &str, call: &Call, has_failed: bool) -> io::Result<()> {
    events.counts.total += 1;
    if has_failed {
        events.counts.failed += 1;
        return Ok(());
    }
    let why = match &call.arguments {
        Ok(params) if is_tool_id(&call.tool) => {
            let seq = events.counts.total as u64;
            return events.push(seq, &call.tool, params.root(), call.answer.as_ref());
        }
        Ok(_) => "the tool has no name, or one that is too long",
        Err(why) => why,
    };
    let number = events.counts.total;
    events.counts.unreadable += 1;
    events.refuse(|| format!("call {number} ({name}:{}): {why}", call.place.record));
    Ok(())
}

fn unreadable(name: &str, error: &io::Error) -> ContractError {
    ContractError::new(
        ContractFailure::EventsReadFailed,
        format!("cannot read the log `{name}`: {}", with_causes(error)),
    )
}
