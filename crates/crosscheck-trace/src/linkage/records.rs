//! Records follow each other: ids are unique, parents are there, children lie
//! inside their parents.

use std::cmp::Ordering;
use std::collections::HashMap;

use crosscheck_ground::transcript::{Entry, Format, Transcript};

use super::spot;
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
    let mut known: HashMap<(Option<&str>, &str), (usize, &Entry)> = HashMap::new();
    for (nth, entry) in transcript.entries.iter().enumerate() {
        let Some(id) = entry.id.as_deref() else {
            continue;
        };
        // the first one keeps the name, so that what follows it still does
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
    for (nth, entry) in transcript.entries.iter().enumerate() {
        if let Some(parent) = entry.parent.as_deref() {
            follows(
                transcript.format,
                nth == 0,
                entry,
                (
                    parent,
                    known
                        .get(&(trace_of(entry), parent))
                        .map(|(_, entry)| *entry),
                ),
                subject,
                findings,
            );
        }
    }
}

fn group(entry: &Entry) -> Option<&str> {
    entry.group.as_deref()
}

fn follows(
    format: Format,
    is_first: bool,
    entry: &Entry,
    (id, parent): (&str, Option<&Entry>),
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
        Format::LangSmith => match (&entry.order, &parent.order) {
            (Some(child), Some(above)) => {
                let below = child.strip_prefix(above.as_str());
                !below.is_some_and(|rest| rest.starts_with('.'))
                    || is_of_another_time(child, entry.started.as_deref())
                    || compare(entry.started.as_deref(), parent.started.as_deref())
                        == Some(Ordering::Less)
            }
            _ => false,
        },
        Format::ClaudeCode | Format::Codex | Format::OpenAi | Format::Anthropic => false,
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

/// Whether the last part of a dotted order, which begins with the moment a run
/// started, names another moment than the run does.
fn is_of_another_time(order: &str, started: Option<&str>) -> bool {
    let moment = |text: &str| {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        format!("{digits:0<20}")
            .chars()
            .take(20)
            .collect::<String>() // to the microsecond
    };
    let last = order.rsplit('.').next().unwrap_or_default();
    let (Some((stamp, _)), Some(started)) = (last.split_once('Z'), started) else {
        return false;
    };
    let utc = started
        .strip_suffix('Z')
        .or_else(|| started.strip_suffix("+00:00"))
        .unwrap_or(started);
    let is_moment = |text: &str| text.len() >= 15 && !text.contains('+') && text.contains('T');
    is_moment(stamp) && is_moment(utc) && moment(stamp) != moment(utc)
}

/// Compares two times as far as their spelling allows: counts of nanoseconds,
/// or ISO 8601 texts of one shape.
pub(super) fn compare(a: Option<&str>, b: Option<&str>) -> Option<Ordering> {
    let (a, b) = (a?, b?);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits(a) && digits(b) {
        return Some(a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    }
    let zone = |text: &str| {
        text.trim_start_matches(|c: char| !matches!(c, 'Z' | '+'))
            .to_owned()
    };
    (a.len() == b.len() && zone(a) == zone(b)).then(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_shape_compare_and_others_do_not() {
        let less = Some(Ordering::Less);
        assert_eq!(compare(Some("999"), Some("1000")), less);
        assert_eq!(
            compare(
                Some("2026-01-01T00:00:00.1Z"),
                Some("2026-01-01T00:00:00.2Z")
            ),
            less
        );
        assert_eq!(
            compare(
                Some("2026-01-01T00:00:00+01:00"),
                Some("2026-01-01T00:00:00+02:00")
            ),
            None
        );
        assert_eq!(compare(Some("1000"), Some("2026")), less);
        assert_eq!(compare(Some("yesterday"), Some("1")), None);
        assert_eq!(compare(None, Some("1")), None);
    }
}
