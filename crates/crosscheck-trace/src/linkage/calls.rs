//! Calls and results (trace 14): each call has one result, each result a call,
//! and the model was shown what the tool returned.

use std::collections::{HashMap, HashSet};

use crosscheck_transcript::{Body, Event, Format, LogEntry, Role, Telling, Transcript, Witness};

use super::report::OpenCall;
use super::threads::{Asked, Gathered, Thread, is_misplaced};
use super::times::is_before;
use super::turns::Turns;
use super::{is_ordered, shown, spot};
use crate::check::Check::{self, CoreInvariants, OutputLinkage, StepOrder, ToolLinkage};
use crate::finding::Findings;
use crate::reasons::TraceReason;

/// The number of calls and results, and the open calls.
pub(super) struct Judged {
    pub(super) calls: u64,
    pub(super) results: u64,
    /// The first of them.
    pub(super) open: Vec<OpenCall>,
    pub(super) open_count: u64,
}

/// Judges all calls.
pub(super) fn judge(
    transcript: &Transcript,
    subject: &str,
    cap: usize,
    findings: &mut Findings,
) -> Judged {
    let gathered = Gathered::from_log(transcript);
    let mut calls = Calls {
        subject,
        ordered: is_ordered(transcript.format),
        turns: Turns::from_log(transcript),
        recorded: Recorded::from_log(transcript, &gathered),
        findings,
        open: Vec::new(),
    };
    calls.unnamed(&gathered);
    calls.misplaced(transcript);
    for thread in &gathered.threads {
        calls.once(thread);
        calls.in_order(thread);
        calls.both_sides(thread);
        calls.shown(thread);
        calls.has_result(thread);
    }
    let mut open = calls.open;
    open.sort_by_key(|call| call.line);
    let open_count = open.len() as u64;
    open.truncate(cap);
    let (calls, results) = counts(transcript, &gathered);
    Judged {
        calls,
        results,
        open,
        open_count,
    }
}

/// The number of calls and results in the log. Where records have no order,
/// repeats in histories and summaries are not counted.
fn counts(transcript: &Transcript, gathered: &Gathered<'_>) -> (u64, u64) {
    if is_ordered(transcript.format) {
        let calls = transcript.calls().count() as u64;
        return (calls, transcript.results().count() as u64);
    }
    let sum = |count: fn(&Thread<'_>) -> usize| gathered.threads.iter().map(count).sum::<usize>();
    let calls = gathered.unnamed_calls.len() + sum(|thread| thread.calls.len());
    let results = gathered.unnamed_results.len() + sum(|thread| thread.results.len());
    (calls as u64, results as u64)
}

/// What a log records beside the calls themselves. What a conversation does not
/// record is not judged.
struct Recorded<'t> {
    /// Conversations with executions that a model may have requested.
    executed: HashSet<usize>,
    /// Conversations with calls of a model: whether all were kept whole, and
    /// the record of the first of them.
    heard: HashMap<usize, (bool, &'t LogEntry)>,
    /// Traces with executions that do not name their call.
    unsure: HashSet<Option<&'t str>>,
    /// Records with a request that the model got a result for.
    answered: HashSet<*const LogEntry>,
    /// Ids of calls that are repeated in the history of another conversation and
    /// have a result there.
    echoed: HashSet<&'t str>,
}

impl<'t> Recorded<'t> {
    fn from_log(transcript: &'t Transcript, gathered: &Gathered<'t>) -> Self {
        let mut heard: HashMap<usize, (bool, &LogEntry)> = HashMap::new();
        for entry in &transcript.entries {
            if let Some(is_heard) = entry.heard {
                let (is_whole, first) = heard.entry(entry.conversation).or_insert((true, entry));
                *is_whole &= is_heard;
                if is_earlier(entry, first) {
                    *first = entry;
                }
            }
        }
        let threads = || gathered.threads.iter();
        let executed = threads().filter(|thread| thread.call(Witness::Tool).is_some());
        let answered = threads().filter(|thread| thread.result(Witness::Model).is_some());
        let requests = answered.filter_map(|thread| thread.call(Witness::Model));
        let made = requests.filter(|(_, event, _)| event.telling == Telling::New);
        // the other formats repeat histories only within their trace, or not at all
        let has_histories = matches!(transcript.format, Format::OpenAi | Format::Anthropic);
        let is_copy = |thread: &&Thread<'_>| {
            let is_repeated = thread.calls.iter().any(|(_, event, _)| event.repeats);
            has_histories && is_repeated && !thread.results.is_empty()
        };
        Self {
            executed: executed.map(|thread| thread.conversation).collect(),
            heard,
            unsure: gathered.unsure.clone(),
            answered: made.map(|(_, event, _)| &raw const *event.entry).collect(),
            echoed: threads().filter(is_copy).map(|thread| thread.id).collect(),
        }
    }

    /// Whether the request of an execution would be recorded. What was executed
    /// before all recorded model calls was requested before the log began.
    fn has_request_of(&self, conversation: usize, executed: &LogEntry) -> bool {
        let heard = self.heard.get(&conversation);
        heard.is_some_and(|(is_whole, first)| *is_whole && !is_earlier(executed, first))
    }

    fn is_unsure(&self, event: &Event) -> bool {
        self.unsure.contains(&event.entry.group.as_deref())
    }
}

/// Whether a record began before another.
fn is_earlier(one: &LogEntry, other: &LogEntry) -> bool {
    is_before(one.started.as_deref(), other.started.as_deref())
}

/// Whether a call is in a response logged without its request, whose
/// conversation is uncertain when several are logged at once.
fn is_response_alone(event: &Event) -> bool {
    matches!(
        event.entry.kind.as_str(),
        "response" | "chat.completion" | "message"
    )
}

/// Judges calls one after the other.
struct Calls<'c, 't> {
    subject: &'c str,
    ordered: bool,
    turns: Turns,
    recorded: Recorded<'t>,
    findings: &'c mut Findings,
    open: Vec<OpenCall>,
}

impl<'t> Calls<'_, 't> {
    fn fail(&mut self, check: Check, reason: TraceReason, id: &str, entry: &LogEntry) {
        let spot = spot(self.subject, entry.record);
        self.findings.add(check, reason, spot).refers_to(id);
    }

    fn leave_open(&mut self, id: &str, (_, event, call): Asked<'t>) {
        self.open.push(OpenCall {
            id: id.to_owned(),
            tool: call.name.clone(),
            line: event.position.record as u64,
        });
    }

    /// Calls and results without an id belong together in their order.
    fn unnamed(&mut self, gathered: &Gathered<'t>) {
        let is_asked = |asked: &&Asked<'t>| asked.2.witness == Witness::Model || !self.ordered;
        let calls: Vec<Asked<'t>> = gathered
            .unnamed_calls
            .iter()
            .filter(is_asked)
            .copied()
            .collect();
        let results = &gathered.unnamed_results;
        for (event, _) in results.iter().skip(calls.len()) {
            let spot = spot(self.subject, event.position.record);
            self.findings
                .add(ToolLinkage, TraceReason::OrphanToolResult, spot);
        }
        for asked in calls.into_iter().skip(results.len()) {
            let (at, event, _) = asked;
            if !self.ordered {
                continue;
            }
            if self.turns.went_on_after(at, event) {
                self.fail(
                    ToolLinkage,
                    TraceReason::MissingToolResult,
                    "",
                    &event.entry,
                );
            } else {
                self.leave_open("", asked);
            }
        }
    }

    /// Calls outside the message of a model, and results outside that of a tool.
    fn misplaced(&mut self, transcript: &Transcript) {
        let events = transcript.events.iter();
        for event in events.filter(|event| is_misplaced(transcript.format, event)) {
            let (id, reason) = match &event.body {
                Body::ToolCall(call) => (&call.id, TraceReason::ExecutionNotRequested),
                Body::ToolResult(result) => (&result.call_id, TraceReason::OrphanToolResult),
                _ => continue,
            };
            let spot = spot(self.subject, event.position.record);
            self.findings
                .add(ToolLinkage, reason, spot)
                .refers_to(id.as_deref().unwrap_or_default())
                .says(match event.writer {
                    Some(Role::User) => "it is in a message of the user".to_owned(),
                    Some(_) => "it is in a message of the model".to_owned(),
                    None => format!("it is in a record of type {}", event.entry.kind),
                });
        }
    }

    /// One call and one result from each witness, and no result without a call.
    fn once(&mut self, thread: &Thread<'t>) {
        for witness in [Witness::Model, Witness::Tool] {
            let calls = thread.calls.iter();
            let calls = calls.filter(|(_, _, call)| call.witness == witness);
            for (_, event, _) in calls.skip(1) {
                let reason = TraceReason::DuplicateCallId;
                self.fail(CoreInvariants, reason, thread.id, &event.entry);
            }
            // each branch of a conversation has a result of its own
            let mut branches = HashSet::new();
            let results = thread.results.iter();
            for (_, event, _) in results.filter(|(_, _, result)| result.witness == witness) {
                let branch = event.entry.fork_of.map(|_| event.entry.conversation);
                if !branches.insert(branch) {
                    let reason = TraceReason::DuplicateToolResult;
                    self.fail(ToolLinkage, reason, thread.id, &event.entry);
                }
            }
        }
        if thread.calls.is_empty() {
            for (_, event, _) in &thread.results {
                let reason = TraceReason::OrphanToolResult;
                self.fail(ToolLinkage, reason, thread.id, &event.entry);
            }
        }
    }

    /// No result comes before its request, and none is shown before the
    /// execution. A request that is only known from a history has no time.
    fn in_order(&mut self, thread: &Thread<'t>) {
        let reason = TraceReason::ResultBeforeCall;
        if self.ordered {
            let first = thread.calls.first().map(|(at, _, _)| *at);
            for (_, event, _) in thread.results.iter().filter(|(at, _, _)| Some(*at) < first) {
                self.fail(StepOrder, reason, thread.id, &event.entry);
            }
            return;
        }
        let Some((_, executed, _)) = thread.call(Witness::Tool) else {
            return;
        };
        let asked = thread.call(Witness::Model);
        let made = asked.filter(|(_, event, _)| event.telling == Telling::New);
        if made.is_some_and(|(_, asked, _)| is_earlier(&executed.entry, &asked.entry)) {
            self.fail(StepOrder, reason, thread.id, &executed.entry);
            return;
        }
        let reported = thread.result(Witness::Model);
        let reported = reported.map(|(_, event, _)| &*event.entry);
        let mut shown = reported
            .into_iter()
            .chain(thread.shown_again.iter().copied());
        if let Some(early) = shown.find(|shown| is_earlier(shown, &executed.entry)) {
            self.fail(StepOrder, reason, thread.id, early);
        }
    }

    /// Where a conversation records both messages and executions, they must
    /// match. A request answered with a failure needs no execution; one that is
    /// only known from a history may have been executed before the log began.
    fn both_sides(&mut self, thread: &Thread<'t>) {
        let home = thread.conversation;
        let asked = thread.call(Witness::Model);
        let executed = thread.call(Witness::Tool);
        match (asked, executed, thread.result(Witness::Model)) {
            (Some((_, asked, _)), None, Some((_, reported, result)))
                if !result.is_error
                    && asked.telling == Telling::New
                    && self.recorded.executed.contains(&home)
                    && !self.recorded.is_unsure(asked) =>
            {
                let reason = TraceReason::RequestNotExecuted;
                self.fail(ToolLinkage, reason, thread.id, &reported.entry);
            }
            (None, Some((_, event, _)), _) if self.recorded.has_request_of(home, &event.entry) => {
                let reason = TraceReason::ExecutionNotRequested;
                self.fail(ToolLinkage, reason, thread.id, &event.entry);
            }
            _ => {}
        }
    }

    /// What the tool returned is what the model was shown.
    fn shown(&mut self, thread: &Thread<'t>) {
        let Some((_, event, reported)) = thread.result(Witness::Model) else {
            return;
        };
        let returned = thread.result(Witness::Tool).map(|(_, _, one)| *one);
        if let Some(breach) = shown::breach(returned, reported, thread) {
            let spot = spot(self.subject, event.position.record);
            self.findings
                .add(OutputLinkage, breach.reason, spot)
                .refers_to(thread.id)
                .differs(breach.expected, breach.found);
        }
    }

    /// A call has a result, or it may still come.
    fn has_result(&mut self, thread: &Thread<'t>) {
        let first = thread.calls.first().copied();
        let Some(asked) = first.filter(|_| thread.results.is_empty()) else {
            // an execution without an end, although the model was shown a result
            let execution = thread.call(Witness::Tool).copied();
            let is_ended = thread.result(Witness::Tool).is_some();
            if let Some(execution) = execution.filter(|_| !is_ended) {
                self.leave_open(thread.id, execution);
            }
            return;
        };
        let (at, event, _) = asked;
        // `codex exec --json` reports a command when its process has ended, and
        // the turn may be over before that
        let runs_beside = event.entry.kind == "command_execution";
        let went_on = if self.ordered {
            !runs_beside && self.turns.went_on_after(at, event)
        } else {
            // another call of the same message was answered
            let record: *const LogEntry = &raw const *event.entry;
            self.recorded.answered.contains(&record) && !self.recorded.is_unsure(event)
        };
        let is_echoed = self.recorded.echoed.contains(thread.id);
        if is_echoed && (!went_on || is_response_alone(event)) {
            return; // answered where another record repeats the same call
        }
        if went_on {
            let reason = TraceReason::MissingToolResult;
            self.fail(ToolLinkage, reason, thread.id, &event.entry);
        } else {
            self.leave_open(thread.id, asked);
        }
    }
}
