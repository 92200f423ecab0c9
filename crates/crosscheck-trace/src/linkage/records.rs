//! Records are ordered (trace 14): ids are unique, parents exist, children lie
//! within their parents.

use std::collections::HashMap;

use crosscheck_transcript::{Format, LogEntry, Transcript};

use super::spot;
use super::times::{is_backwards, is_before, is_of_another_time};
use crate::check::Check::{CoreInvariants, StepOrder};
use crate::finding::Findings;
use crate::reasons::TraceReason::{
    ChildOutsideParent, DuplicateRecordId, ResultBeforeCall, UnknownParent,
};

#[expect(
    clippy::indexing_slicing,
    reason = "the indices are those of the entries themselves"
)]
pub(super) fn judge(transcript: &Transcript, subject: &str, findings: &mut Findings) {
    let format = transcript.format;
    if !matches!(
        format,
        Format::ClaudeCode | Format::Otel | Format::LangSmith
    ) {
        return; // the others number their records by line only
    }
    // a span is known by its id in its trace only
    let trace_of = |entry: &LogEntry| entry.group.clone().filter(|_| format == Format::Otel);
    let mut known: HashMap<(Option<String>, &str), usize> = HashMap::new();
    for (nth, entry) in transcript.entries.iter().enumerate() {
        let Some(id) = entry.id.as_deref() else {
            continue;
        };
        // the first one keeps the id, so that its children still find it
        let first = *known.entry((trace_of(entry), id)).or_insert(nth);
        if first != nth {
            let spot = spot(subject, entry.record);
            let line = transcript.entries[first].record;
            let text = format!("the record has the id of the record at line {line}");
            findings
                .add(CoreInvariants, DuplicateRecordId, spot)
                .refers_to(id)
                .says(text);
        }
    }
    let mut parents = Vec::with_capacity(transcript.entries.len());
    for (nth, entry) in transcript.entries.iter().enumerate() {
        let parent = entry.parent.as_deref();
        let found = parent.and_then(|id| known.get(&(trace_of(entry), id)).copied());
        parents.push(found);
        check_times(entry, subject, findings);
        if let Some(id) = parent {
            let parent = found.map(|nth| &*transcript.entries[nth]);
            check_parent(format, nth == 0, entry, (id, parent), subject, findings);
        }
    }
    // the order of a session already excludes cycles
    if format != Format::ClaudeCode {
        for nth in cycles(&parents) {
            let entry = &transcript.entries[nth];
            let spot = spot(subject, entry.record);
            findings
                .add(CoreInvariants, UnknownParent, spot)
                .refers_to(entry.parent.as_deref().unwrap_or_default())
                .says("the record is its own ancestor");
        }
    }
}

/// No record ends before it begins, and the time in a run's `dotted_order` is
/// that of its start.
fn check_times(entry: &LogEntry, subject: &str, findings: &mut Findings) {
    let spot = spot(subject, entry.record);
    let id = entry.id.as_deref().unwrap_or_default();
    let started = entry.started.as_deref();
    let mut fail = |reason, words: &str, found: Option<&str>| {
        findings
            .add(StepOrder, reason, spot)
            .refers_to(id)
            .says(words)
            .differs(started.unwrap_or_default(), found.unwrap_or_default());
    };
    if is_backwards(started, entry.ended.as_deref()) {
        let words = "the record ended before it began";
        fail(ResultBeforeCall, words, entry.ended.as_deref());
    }
    let order = entry.order.as_deref();
    if order.is_some_and(|order| is_of_another_time(order, started)) {
        let words = "its dotted_order names another moment than its start";
        fail(ChildOutsideParent, words, order);
    }
}

fn check_parent(
    format: Format,
    is_first: bool,
    entry: &LogEntry,
    (id, parent): (&str, Option<&LogEntry>),
    subject: &str,
    findings: &mut Findings,
) {
    let spot = spot(subject, entry.record);
    let Some(parent) = parent else {
        // a log may begin in the middle, and a span may have its parent elsewhere
        if !(is_first && format == Format::ClaudeCode || format == Format::Otel) {
            findings
                .add(CoreInvariants, UnknownParent, spot)
                .refers_to(id);
        }
        return;
    };
    let begins_early = is_before(entry.started.as_deref(), parent.started.as_deref());
    let ends_late = is_before(parent.ended.as_deref(), entry.ended.as_deref());
    let is_disordered = match (&entry.order, &parent.order) {
        (Some(child), Some(above)) => {
            let below = child.strip_prefix(above.as_str());
            !below.is_some_and(|rest| rest.starts_with('.'))
        }
        _ => false,
    };
    let (check, reason, is_wrong) = match format {
        Format::ClaudeCode => (CoreInvariants, UnknownParent, parent.record >= entry.record),
        Format::Otel => (StepOrder, ChildOutsideParent, begins_early || ends_late),
        _ => (StepOrder, ChildOutsideParent, begins_early || is_disordered),
    };
    if is_wrong {
        findings.add(check, reason, spot).refers_to(id);
    }
}

/// One member of each cycle. `parents` gives the index of each record's parent.
#[expect(
    clippy::indexing_slicing,
    reason = "parents are indices of the same list"
)]
fn cycles(parents: &[Option<usize>]) -> Vec<usize> {
    let mut found = Vec::new();
    // the walk that reached the record first, counted from 1
    let mut walks = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(here) = at {
            if walks[here] != 0 {
                found.extend((walks[here] == walk).then_some(here));
                break;
            }
            walks[here] = walk;
            at = parents[here];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cycle_is_found_once_and_a_chain_is_not_one() {
        let table: [(&[Option<usize>], &[usize]); 6] = [
            (&[], &[]),
            (&[None, Some(0), Some(1), Some(1)], &[]),
            (&[Some(1), Some(2), None], &[]),
            (&[Some(0)], &[0]),
            (&[Some(1), Some(2), Some(1), Some(0)], &[1]),
            (&[Some(1), Some(0), Some(3), Some(2), None], &[0, 2]),
        ];
        for (parents, expected) in table {
            assert_eq!(cycles(parents), expected, "{parents:?}");
        }
    }
}
