//! The requests of executions that do not name their call.
//!
//! A failed run often keeps only its own id. It still belongs to one request of
//! the same trace, and if only one is possible, it is compared with that one.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crosscheck_core::canonical;
use crosscheck_transcript::{Arguments, Body, Event, Telling, ToolCall, Transcript, Witness};

use super::nameless::{is_lookup, is_nameless};
use super::times::compare;

/// The requests that nameless executions belong to, by the id of the execution.
#[derive(Debug, Default)]
pub(super) struct Names<'t>(HashMap<&'t str, &'t str>);

/// Calls of one tool in one trace beyond this number are not matched.
const RIVALS_MAX: usize = 64;

type Call<'t> = (&'t Event, &'t ToolCall);

/// What may belong together: the same tool in the same trace.
#[derive(Default)]
struct Bucket<'t> {
    nameless: Vec<Call<'t>>,
    waiting: Vec<Call<'t>>,
}

impl<'t> Names<'t> {
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let mut names = Self::default();
        for bucket in buckets(transcript) {
            if bucket.nameless.len().max(bucket.waiting.len()) <= RIVALS_MAX {
                names.learn(&bucket);
            }
        }
        names
    }

    /// Takes the pairs in which each can only match the other.
    fn learn(&mut self, bucket: &Bucket<'t>) {
        for execution in &bucket.nameless {
            let requests = bucket.waiting.iter();
            let request = only(requests.filter(|request| may_answer(execution, request)));
            let Some(request) = request else { continue };
            let rivals = bucket.nameless.iter();
            let rivals = rivals.filter(|other| may_answer(other, request));
            if only(rivals).is_some()
                && let (Some(own), Some(asked)) = (&execution.1.id, &request.1.id)
            {
                self.0.insert(own.as_str(), asked.as_str());
            }
        }
    }

    /// The call id that an id refers to.
    pub(super) fn meant(&self, id: &'t str) -> &'t str {
        self.0.get(id).copied().unwrap_or(id)
    }

    /// Whether it is known which call an execution answers.
    pub(super) fn knows(&self, execution: &ToolCall) -> bool {
        let id = execution.id.as_deref();
        id.is_some_and(|id| self.0.contains_key(id))
    }
}

fn buckets(transcript: &Transcript) -> Vec<Bucket<'_>> {
    let calls = || {
        let events = transcript.events.iter();
        events.filter_map(|event| match &event.body {
            Body::ToolCall(call) => Some((event, call)),
            _ => None,
        })
    };
    let of = |witness| calls().filter(move |(_, call)| call.witness == witness);
    let executed: HashSet<&str> = of(Witness::Tool)
        .filter(|(event, call)| !is_nameless(event, call))
        .filter_map(|(_, call)| call.id.as_deref())
        .collect();
    let mut buckets: HashMap<(Option<&str>, &str), Bucket<'_>> = HashMap::new();
    let is_open = |(event, call): &Call<'_>| is_nameless(event, call) && !is_lookup(event, call);
    for call in of(Witness::Tool).filter(is_open) {
        buckets.entry(key(call)).or_default().nameless.push(call);
    }
    for call in requests(of(Witness::Model)) {
        let is_waiting = call
            .1
            .id
            .as_deref()
            .is_some_and(|id| !executed.contains(id));
        if let Some(bucket) = buckets.get_mut(&key(call)).filter(|_| is_waiting) {
            bucket.waiting.push(call);
        }
    }
    buckets.into_values().collect()
}

/// Each request once, from the record that made it if the log has that.
fn requests<'t>(calls: impl Iterator<Item = Call<'t>>) -> impl Iterator<Item = Call<'t>> {
    let mut made = HashMap::new();
    for call in calls.filter(|(event, _)| event.telling != Telling::Summary) {
        let known = made
            .entry((key(call), call.1.id.as_deref()))
            .or_insert(call);
        if known.0.telling == Telling::History {
            *known = call;
        }
    }
    made.into_values()
}

/// The trace and the tool.
fn key((event, call): Call<'_>) -> (Option<&str>, &str) {
    (event.entry.group.as_deref(), call.name.as_str())
}

/// Whether an execution can belong to a request of its bucket: not earlier, and
/// not with other arguments as far as both are data.
fn may_answer(execution: &Call<'_>, request: &Call<'_>) -> bool {
    let ((ran, execution), (asked, request)) = (execution, request);
    // a history is older than the record that contains it
    let is_earlier = asked.telling == Telling::New
        && compare(ran.entry.started.as_deref(), asked.entry.started.as_deref())
            == Some(Ordering::Less);
    let differs = match (&execution.arguments, &request.arguments) {
        (Arguments::Json(ran), Arguments::Json(asked)) => {
            canonical::of_node(ran.root()) != canonical::of_node(asked.root())
        }
        _ => false,
    };
    !is_earlier && !differs
}

/// The only one.
fn only<T>(mut list: impl Iterator<Item = T>) -> Option<T> {
    let first = list.next()?;
    list.next().is_none().then_some(first)
}
