//! Records are ordered (trace 14): ids are unique, parents exist, children lie
//! within their parents.

use std::cmp::Ordering;
use std::collections::HashMap;

use crosscheck_transcript::{Format, LogEntry, Transcript};

use super::cycles::cycles;
use super::spot;
use super::times::{compare, is_backwards, is_of_another_time};
use crate::check::Check::{CoreInvariants, StepOrder};
use crate::finding::Findings;
use crate::reasons::TraceReason;

pub(super) fn judge(transcript: &Transcript, subject: &str, findings: &mut Findings) {
    if !matches!(
        transcript.format,
        Format::ClaudeCode | Format::Otel | Format::LangSmith
    ) {
        return; // the others number their records by line only
    }
    // a span is known by its id in its trace only
    let trace_of = |entry| match transcript.format {
        Format::Otel => group(entry),
        _ => None,
    };
    let mut known: HashMap<(Option<&str>, &str), (usize, &LogEntry)> = HashMap::new();
    for (nth, entry) in transcript.entries.iter().enumerate() {
        let Some(id) = entry.id.as_deref() else {
            continue;
        };
        // the first one keeps the id, so that its children still find it
        let (earlier, first) = *known.entry((trace_of(entry), id)).or_insert((nth, entry));
        if earlier != nth {
            findings.add(
                CoreInvariants,
                TraceReason::DuplicateRecordId,
                spot(subject, entry.record),
                |failure| {
                    failure.refers_to(id);
                    failure.says(format!(
                        "the record has the id of the record at line {}",
                        first.record
                    ));
                },
            );
        }
    }
    let mut parents = Vec::with_capacity(transcript.entries.len());
    for (nth, entry) in transcript.entries.iter().enumerate() {
        check_end(entry, subject, findings);
        let found = entry
            .parent
            .as_deref()
            .and_then(|parent| known.get(&(trace_of(entry), parent)));
        parents.push(found.map(|(nth, _)| *nth));
        check_order(entry, subject, findings);
        if let Some(parent) = entry.parent.as_deref() {
            follows(
                transcript.format,
                nth == 0,
                entry,
                (parent, found.map(|(_, entry)| *entry)),
                subject,
                findings,
            );
        }
    }
    // the order of a session already excludes cycles
    if transcript.format != Format::ClaudeCode {
        report_cycles(transcript, &parents, subject, findings);
    }
}

/// Records that are their own ancestors, reported once for each cycle.
fn report_cycles(
    transcript: &Transcript,
    parents: &[Option<usize>],
    subject: &str,
    findings: &mut Findings,
) {
    let members = cycles(parents);
    for entry in members
        .iter()
        .filter_map(|nth| transcript.entries.get(*nth))
    {
        let place = spot(subject, entry.record);
        findings.add(
            CoreInvariants,
            TraceReason::UnknownParent,
            place,
            |failure| {
                failure.refers_to(entry.parent.as_deref().unwrap_or_default());
                failure.says(if entry.parent == entry.id {
                    "the record is its own parent".to_owned()
                } else {
                    "the record is its own ancestor".to_owned()
                });
            },
        );
    }
}

/// No record ends before it begins.
fn check_end(entry: &LogEntry, subject: &str, findings: &mut Findings) {
    if is_backwards(entry.started.as_deref(), entry.ended.as_deref()) {
        let place = spot(subject, entry.record);
        findings.add(StepOrder, TraceReason::ResultBeforeCall, place, |failure| {
            failure.refers_to(entry.id.as_deref().unwrap_or_default());
            failure.says("the record ended before it began".to_owned());
            failure.differs(
                entry.started.clone().unwrap_or_default(),
                entry.ended.clone().unwrap_or_default(),
            );
        });
    }
}

/// The time in a run's `dotted_order` is that of its start.
fn check_order(entry: &LogEntry, subject: &str, findings: &mut Findings) {
    let Some(order) = entry.order.as_deref() else {
        return;
    };
    if is_of_another_time(order, entry.started.as_deref()) {
        let place = spot(subject, entry.record);
        let reason = TraceReason::ChildOutsideParent;
        findings.add(StepOrder, reason, place, |failure| {
            failure.refers_to(entry.id.as_deref().unwrap_or_default());
            failure.says("its dotted_order names another moment than its start");
            failure.differs(entry.started.clone().unwrap_or_default(), order);
        });
    }
}

fn group(entry: &LogEntry) -> Option<&str> {
    entry.group.as_deref()
}

fn follows(
    format: Format,
    is_first: bool,
    entry: &LogEntry,
    (id, parent): (&str, Option<&LogEntry>),
    subject: &str,
    findings: &mut Findings,
) {
    let place = spot(subject, entry.record);
    let is_there = match (format, parent) {
        // a log may begin in the middle, and a span may have its parent elsewhere
        (Format::ClaudeCode, None) => is_first,
        (Format::Otel, None) => true,
        (_, None) => false,
        (Format::ClaudeCode, Some(parent)) => parent.record < entry.record,
        (_, Some(_)) => true,
    };
    if !is_there {
        findings.add(
            CoreInvariants,
            TraceReason::UnknownParent,
            place,
            |failure| failure.refers_to(id),
        );
        return;
    }
    let Some(parent) = parent else {
        return;
    };
    let outside = match format {
        Format::Otel => {
            compare(entry.started.as_deref(), parent.started.as_deref()) == Some(Ordering::Less)
                || compare(entry.ended.as_deref(), parent.ended.as_deref())
                    == Some(Ordering::Greater)
        }
        Format::LangSmith => {
            let is_disordered = match (&entry.order, &parent.order) {
                (Some(child), Some(above)) => {
                    let below = child.strip_prefix(above.as_str());
                    !below.is_some_and(|rest| rest.starts_with('.'))
                }
                _ => false,
            };
            is_disordered
                || compare(entry.started.as_deref(), parent.started.as_deref())
                    == Some(Ordering::Less)
        }
        Format::ClaudeCode
        | Format::Codex
        | Format::OpenAi
        | Format::Anthropic
        | Format::Mcp
        | Format::Calls => false,
    };
    if outside {
        findings.add(
            StepOrder,
            TraceReason::ChildOutsideParent,
            place,
            |failure| failure.refers_to(id),
        );
    }
}
