//! What a log records of each call, by conversation and id of the call.

use std::collections::{HashMap, HashSet};

use crosscheck_core::canonical;
use crosscheck_transcript::{
    Arguments, Body, Event, Exit, Format, LogEntry, Role, Telling, ToolCall, ToolResult,
    Transcript, Witness,
};

use super::is_ordered;
use super::names::Names;

/// A call with its position among the events.
pub(super) type Asked<'t> = (usize, &'t Event, &'t ToolCall);

/// Calls with the same id beyond this number are not compared.
const LOOK: usize = 64;

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
    /// Records that show the model the call as history.
    pub(super) asked_again: Vec<&'t LogEntry>,
    /// How the process or the server behind the call ended. A sandbox may
    /// refuse the first try, so there may be several ends.
    pub(super) ends: Vec<&'t Exit>,
}

impl<'t> Thread<'t> {
    const fn new(id: &'t str, conversation: usize) -> Self {
        Self {
            id,
            conversation,
            calls: Vec::new(),
            results: Vec::new(),
            shown_again: Vec::new(),
            asked_again: Vec::new(),
            ends: Vec::new(),
        }
    }

    pub(super) fn call(&self, witness: Witness) -> Option<&(usize, &'t Event, &'t ToolCall)> {
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
        let same = |(_, known, other): &&mut Asked<'t>| {
            let is_history = Telling::History == known.telling.max(event.telling);
            is_history && other.witness == call.witness && is_same(other, call)
        };
        let known = self.calls.iter_mut().take(LOOK);
        match known.filter(|_| !ordered).find(same) {
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

/// The calls of a log in order of their first appearance.
pub(super) fn threads<'t>(transcript: &'t Transcript, names: &Names<'t>) -> Vec<Thread<'t>> {
    let mut gathered = Gathered {
        homes: Homes::of(transcript),
        ..Gathered::default()
    };
    for (at, event) in transcript.events.iter().enumerate() {
        gathered.note(transcript.format, at, event, names);
    }
    for echoed in &transcript.echoed {
        let place = gathered.place(&echoed.entry, names.meant(&echoed.id));
        if let Some(thread) = place.and_then(|place| gathered.threads.get_mut(place)) {
            let again = if echoed.is_result {
                &mut thread.shown_again
            } else {
                &mut thread.asked_again
            };
            again.push(&echoed.entry);
        }
    }
    gathered.end(transcript);
    gathered.threads
}

#[derive(Default)]
struct Gathered<'t> {
    threads: Vec<Thread<'t>>,
    /// The thread of an id in a conversation.
    of: HashMap<(usize, &'t str), usize>,
    homes: Homes<'t>,
    /// The line that first mentions a call, by the id of its record.
    reported: HashMap<(usize, &'t str, bool), usize>,
}

impl<'t> Gathered<'t> {
    fn note(&mut self, format: Format, at: usize, event: &'t Event, names: &Names<'t>) {
        let (id, is_result) = match &event.body {
            Body::ToolCall(call) => (named(call.id.as_ref()), false),
            Body::ToolResult(result) => (named(result.call_id.as_ref()), true),
            _ => return,
        };
        let is_aside = is_misplaced(format, event) || event.telling == Telling::Summary;
        let Some(id) = id.filter(|_| !is_aside) else {
            return;
        };
        if self.homes.has_elsewhere(format, event, id) {
            return;
        }
        let id = names.meant(id);
        let next = self.threads.len();
        let conversation = self.homes.find(event, id);
        let place = *self.of.entry((conversation, id)).or_insert(next);
        if place == next {
            self.threads.push(Thread::new(id, conversation));
        }
        if format == Format::ClaudeCode && self.is_again(place, is_result, event) {
            return;
        }
        if let Some(thread) = self.threads.get_mut(place) {
            match &event.body {
                Body::ToolCall(call) => thread.ask(is_ordered(format), (at, event, call)),
                Body::ToolResult(result) => thread.results.push((at, event, result)),
                _ => {}
            }
        }
    }

    /// Adds the ends of processes, also to the calls that asked about a
    /// process that was still running. An end may be written before its call.
    fn end(&mut self, transcript: &'t Transcript) {
        let mut waits: HashMap<(usize, String), Vec<usize>> = HashMap::new();
        for (place, thread) in self.threads.iter().enumerate() {
            let process = thread.calls.iter().find_map(|(_, _, call)| awaited(call));
            if let Some(process) = process {
                waits
                    .entry((thread.conversation, process))
                    .or_default()
                    .push(place);
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
                if let Some(thread) = self.threads.get_mut(*place) {
                    thread.ends.push(exit);
                }
            }
        }
    }

    /// The index of the thread that something repeated belongs to.
    fn place(&self, entry: &LogEntry, id: &str) -> Option<usize> {
        let own = entry.conversation;
        let home = self.homes.any.get(id).copied();
        let place = |conversation| self.of.get(&(conversation, id)).copied();
        place(own).or_else(|| place(home?))
    }

    /// Whether this is in a record that was written twice, as happens while a
    /// message is streamed.
    fn is_again(&mut self, place: usize, is_result: bool, event: &'t Event) -> bool {
        event.entry.id.as_deref().is_some_and(|record| {
            let first = *self
                .reported
                .entry((place, record, is_result))
                .or_insert(event.entry.record);
            first != event.entry.record
        })
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
    fn of(transcript: &'t Transcript) -> Self {
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

/// Whether two records describe the same call.
fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    let words = |call: &ToolCall| match &call.arguments {
        Arguments::Json(json) => Some(canonical::of_node(json.root())),
        Arguments::Text(text) => Some(text.clone()),
        Arguments::Absent => None,
    };
    one.name == other.name && words(one) == words(other)
}

/// An id that is not empty.
pub(super) fn named(id: Option<&String>) -> Option<&str> {
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
