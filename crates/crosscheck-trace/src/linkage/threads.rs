//! What a log records of each call, by conversation and id of the call.

use std::collections::{HashMap, HashSet};

use crosscheck_core::canonical;
use crosscheck_transcript::{
    Arguments, Body, Event, Exit, Format, LogEntry, Role, Telling, ToolCall, ToolResult,
    Transcript, Witness,
};

use super::is_ordered;

/// A call with its position among the events.
pub(super) type Asked<'t> = (usize, &'t Event, &'t ToolCall);

/// Number of branches that are followed back to a call.
const FORKS_MAX: usize = 256;

/// All that the log records of one call.
pub(super) struct Thread<'t> {
    pub(super) id: &'t str,
    /// The conversation it belongs to.
    pub(super) conversation: usize,
    /// Each with its position among the events.
    pub(super) calls: Vec<Asked<'t>>,
    pub(super) results: Vec<(usize, &'t Event, &'t ToolResult)>,
    /// Records that show the model the result once more.
    pub(super) shown_again: Vec<&'t LogEntry>,
    /// How the process or the server behind the call ended. A sandbox may
    /// refuse the first try, so there may be several ends.
    pub(super) ends: Vec<&'t Exit>,
}

impl<'t> Thread<'t> {
    pub(super) fn call(&self, witness: Witness) -> Option<&Asked<'t>> {
        self.calls
            .iter()
            .find(|(_, _, call)| call.witness == witness)
    }

    pub(super) fn result(&self, witness: Witness) -> Option<&(usize, &'t Event, &'t ToolResult)> {
        self.results
            .iter()
            .find(|(_, _, result)| result.witness == witness)
    }

    /// Records a call. Where records have no order, the history of one may come
    /// before the record itself.
    fn ask(&mut self, ordered: bool, asked: Asked<'t>) {
        let (_, event, call) = asked;
        let known = self.calls.iter_mut().find(|(_, known, other)| {
            let is_history = known.telling.max(event.telling) == Telling::History;
            !ordered && is_history && other.witness == call.witness
        });
        match known {
            Some(known) if event.telling == Telling::New => *known = asked,
            Some(_) => {}
            None => self.calls.push(asked),
        }
    }

    /// What went wrong behind the call; one end without a fault is enough.
    pub(super) fn fault(&self) -> Option<String> {
        let faults: Option<Vec<String>> = self.ends.iter().map(|end| end.fault()).collect();
        faults?.pop()
    }
}

/// The calls of a log.
#[derive(Default)]
pub(super) struct Gathered<'t> {
    /// In order of their first appearance.
    pub(super) threads: Vec<Thread<'t>>,
    /// Calls and results without an id, as in old logs.
    pub(super) unnamed_calls: Vec<Asked<'t>>,
    pub(super) unnamed_results: Vec<(&'t Event, &'t ToolResult)>,
    /// Traces with executions that do not name their call: each may belong to
    /// any request, so nothing can be said about a missing one.
    pub(super) unsure: HashSet<Option<&'t str>>,
    /// The thread of an id in a conversation.
    of: HashMap<(usize, &'t str), usize>,
    homes: Homes<'t>,
    /// The line that first mentions a call, by the id of its record.
    reported: HashMap<(usize, &'t str, bool), usize>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "places are indices of threads, which are never removed"
)]
impl<'t> Gathered<'t> {
    pub(super) fn from_log(transcript: &'t Transcript) -> Self {
        let mut gathered = Self {
            homes: Homes::from_log(transcript),
            ..Self::default()
        };
        for (at, event) in transcript.events.iter().enumerate() {
            let is_aside =
                is_misplaced(transcript.format, event) || event.telling == Telling::Summary;
            match &event.body {
                _ if is_aside => {}
                Body::ToolCall(call) => gathered.call(transcript.format, (at, event, call)),
                Body::ToolResult(result) => gathered.result(transcript.format, at, event, result),
                _ => {}
            }
        }
        for echoed in transcript.echoed.iter().filter(|echoed| echoed.is_result) {
            if let Some(place) = gathered.place_of_echo(&echoed.entry, &echoed.id) {
                gathered.threads[place].shown_again.push(&echoed.entry);
            }
        }
        gathered.add_ends(transcript);
        gathered
    }

    fn call(&mut self, format: Format, asked: Asked<'t>) {
        let (_, event, call) = asked;
        // the id is only that of its own record, because the log did not keep the id of the call
        let is_nameless = call.id.is_some() && call.id == event.entry.id;
        if call.witness == Witness::Tool && (is_nameless || named(call.id.as_ref()).is_none()) {
            // chains call retrievers themselves: such a run answers no request
            if event.entry.kind != "retriever" {
                self.unsure.insert(event.entry.group.as_deref());
            }
            if is_nameless {
                return;
            }
        }
        match named(call.id.as_ref()) {
            None => self.unnamed_calls.push(asked),
            Some(id) => {
                if let Some(place) = self.place(format, event, id, false) {
                    self.threads[place].ask(is_ordered(format), asked);
                }
            }
        }
    }

    fn result(&mut self, format: Format, at: usize, event: &'t Event, result: &'t ToolResult) {
        let is_nameless = result.call_id.is_some() && result.call_id == event.entry.id;
        match named(result.call_id.as_ref()) {
            _ if is_nameless && result.witness == Witness::Tool => {}
            None => self.unnamed_results.push((event, result)),
            Some(id) => {
                if let Some(place) = self.place(format, event, id, true) {
                    self.threads[place].results.push((at, event, result));
                }
            }
        }
    }

    /// The thread of an event; `None` if another record already told of it.
    fn place(
        &mut self,
        format: Format,
        event: &'t Event,
        id: &'t str,
        is_result: bool,
    ) -> Option<usize> {
        if self.homes.has_elsewhere(format, event, id) {
            return None;
        }
        let next = self.threads.len();
        let conversation = self.homes.find(event, id);
        let place = *self.of.entry((conversation, id)).or_insert(next);
        if place == next {
            self.threads.push(Thread {
                id,
                conversation,
                calls: Vec::new(),
                results: Vec::new(),
                shown_again: Vec::new(),
                ends: Vec::new(),
            });
        }
        // a record may be written twice while its message is streamed
        let record = event.entry.id.as_deref();
        let record = record.filter(|_| format == Format::ClaudeCode);
        let is_again = record.is_some_and(|record| {
            let first = self.reported.entry((place, record, is_result));
            *first.or_insert(event.entry.record) != event.entry.record
        });
        (!is_again).then_some(place)
    }

    fn place_of_echo(&self, entry: &LogEntry, id: &str) -> Option<usize> {
        let place = |conversation| self.of.get(&(conversation, id)).copied();
        place(entry.conversation).or_else(|| place(*self.homes.any.get(id)?))
    }

    /// Adds the ends of processes, also to the calls that asked about a
    /// process that was still running. An end may be written before its call.
    fn add_ends(&mut self, transcript: &'t Transcript) {
        let mut waits: HashMap<(usize, String), Vec<usize>> = HashMap::new();
        for (place, thread) in self.threads.iter().enumerate() {
            if let Some(process) = thread.calls.iter().find_map(|(_, _, call)| awaited(call)) {
                let waiting = waits.entry((thread.conversation, process));
                waiting.or_default().push(place);
            }
        }
        for event in &transcript.events {
            let Body::Exit(exit) = &event.body else {
                continue;
            };
            let home = event.entry.conversation;
            let own = named(exit.call_id.as_ref()).and_then(|id| self.of.get(&(home, id)));
            let process = exit.process.clone();
            let waiting = process.and_then(|process| waits.get(&(home, process)));
            for place in own.into_iter().chain(waiting.into_iter().flatten()) {
                self.threads[*place].ends.push(exit);
            }
        }
    }
}

/// Where the model requested each id. What has no request in its own
/// conversation belongs to the one that has: turns of one conversation may be
/// traces of their own, and executions are sometimes traced apart.
#[derive(Default)]
struct Homes<'t> {
    asked: HashSet<(usize, &'t str)>,
    /// The last one so far, at first the first.
    any: HashMap<&'t str, usize>,
    /// From which conversation one branched off.
    forks: HashMap<usize, usize>,
}

impl<'t> Homes<'t> {
    fn from_log(transcript: &'t Transcript) -> Self {
        let mut homes = Self::default();
        for entry in &transcript.entries {
            if let Some(from) = entry.fork_of {
                homes.forks.insert(entry.conversation, from);
            }
        }
        for (event, call) in transcript.calls() {
            if call.witness == Witness::Model
                && event.telling != Telling::Summary
                && let Some(id) = named(call.id.as_ref())
            {
                homes.asked.insert((event.entry.conversation, id));
                homes.any.entry(id).or_insert(event.entry.conversation);
            }
        }
        homes
    }

    /// Whether this repeats the history of an earlier trace and was not
    /// requested here.
    fn has_elsewhere(&self, format: Format, event: &Event, id: &str) -> bool {
        let is_own = self.asked.contains(&(event.entry.conversation, id));
        !is_ordered(format) && event.repeats && !is_own
    }

    fn find(&mut self, event: &Event, id: &'t str) -> usize {
        let own = event.entry.conversation;
        if self.asked.contains(&(own, id)) {
            self.any.insert(id, own);
            return own;
        }
        let mut conversation = own;
        for _ in 0..FORKS_MAX {
            match self.forks.get(&conversation).copied() {
                Some(from) if self.asked.contains(&(from, id)) => return from,
                Some(from) => conversation = from,
                None if event.entry.chained => return own,
                None => break,
            }
        }
        self.any.get(id).copied().unwrap_or(own)
    }
}

/// The running process that a call of Codex asks about.
fn awaited(call: &ToolCall) -> Option<String> {
    match &call.arguments {
        Arguments::Json(json) if call.name == "write_stdin" => {
            json.root().get("session_id").map(canonical::of_node)
        }
        _ => None,
    }
}

/// An id that is not empty.
fn named(id: Option<&String>) -> Option<&str> {
    id.map(String::as_str).filter(|id| !id.is_empty())
}

/// Whether a call is in a message of the user, or a result in one of the
/// model: then it is neither.
pub(super) fn is_misplaced(format: Format, event: &Event) -> bool {
    let (writer, other) = match &event.body {
        Body::ToolCall(_) => ("assistant", Role::User),
        Body::ToolResult(_) => ("user", Role::Assistant),
        _ => return false,
    };
    match format {
        Format::ClaudeCode => event.entry.kind != writer,
        _ => event.writer == Some(other),
    }
}
