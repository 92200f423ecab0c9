//! Whether the model was called again without the result of a call (trace 14),
//! in logs whose records are written when they end and are ordered only by
//! their times.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crosscheck_transcript::{Event, LogEntry, Telling, Transcript, Witness};

use super::threads::Thread;
use super::times::{Clock, Moment, compare};

pub(super) struct Beside<'t> {
    /// When the model last got a result, in each part of each trace.
    reported: HashMap<Part<'t>, i128>,
    /// Records with requests that got a result.
    answered: HashSet<*const LogEntry>,
}

/// The records below one record of one trace, by one clock.
type Part<'t> = (Option<&'t str>, &'t str, Clock);

impl<'t> Beside<'t> {
    pub(super) fn of(transcript: &'t Transcript, threads: &[Thread<'t>]) -> Self {
        let mut reported = HashMap::new();
        let results = transcript.results();
        let results = results.filter(|(event, result)| {
            result.witness == Witness::Model && event.telling != Telling::Summary
        });
        let results = results.map(|(event, _)| &*event.entry);
        let again = transcript.echoed.iter().filter(|echoed| echoed.is_result);
        for entry in results.chain(again.map(|echoed| &*echoed.entry)) {
            if let Some((part, at)) = part(entry) {
                let last = reported.entry(part).or_insert(at);
                *last = at.max(*last);
            }
        }
        let answered = threads
            .iter()
            .filter(|thread| thread.result(Witness::Model).is_some());
        let requests = answered.filter_map(|thread| thread.call(Witness::Model));
        let made = requests.filter(|(_, event, _)| event.telling == Telling::New);
        Self {
            reported,
            answered: made.map(|(_, event, _)| &raw const *event.entry).collect(),
        }
    }

    /// Whether the model was called again: with this call in its history, with
    /// the result of another call of the same message, or with other results
    /// in the same part of the trace.
    pub(super) fn went_on_after(&self, thread: &Thread<'t>, asked: &'t Event) -> bool {
        let entry = &*asked.entry;
        let is_behind = |other: &&LogEntry| {
            compare(other.started.as_deref(), entry.started.as_deref()) == Some(Ordering::Greater)
        };
        let is_made = asked.telling == Telling::New;
        is_made
            && (self.answered.contains(&(&raw const *entry))
                || thread.asked_again.iter().any(is_behind))
            || part(entry)
                .is_some_and(|(part, at)| self.reported.get(&part).is_some_and(|last| *last > at))
    }
}

fn part(entry: &LogEntry) -> Option<(Part<'_>, i128)> {
    let moment = Moment::of(entry.started.as_deref()?)?;
    let part = (
        entry.group.as_deref(),
        entry.parent.as_deref()?,
        moment.clock,
    );
    Some((part, moment.at))
}
