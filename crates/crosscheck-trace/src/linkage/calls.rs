//! Calls and results (trace 14): each call has one result, each result a call,
//! and the model was shown what the tool returned.

use std::cmp::Ordering;
use std::collections::HashSet;

use crosscheck_transcript::{
    Body, Event, Format, LogEntry, Role, Telling, ToolCall, Transcript, Witness,
};

use super::beside::Beside;
use super::nameless::{Excuses, is_nameless};
use super::names::Names;
use super::recorded::Recorded;
use super::report::OpenCall;
use super::threads::{Thread, is_misplaced, named, threads};
use super::times::compare;
use super::turns::Turns;
use super::unnamed::Unnamed;
use super::{is_ordered, shown, spot};
use crate::check::Check::{CoreInvariants, OutputLinkage, StepOrder, ToolLinkage};
use crate::finding::Findings;
use crate::reasons::TraceReason;

/// The number of calls and results, and the open calls.
pub(super) struct Judged {
    pub(super) calls: u64,
    pub(super) results: u64,
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
    let names = Names::of(transcript);
    let threads = threads(transcript, &names);
    let ground = Ground {
        turns: Turns::of(transcript),
        beside: Beside::of(transcript, &threads),
        recorded: Recorded::of(transcript, &threads),
        echoed: echoed(transcript.format, &threads),
    };
    let mut excuses = Excuses::of(transcript, &names);
    let mut open = Open::new(cap);
    unnamed(transcript, subject, &ground.turns, &mut open, findings);
    misplaced(transcript, subject, findings);
    for thread in &threads {
        let case = Case {
            thread,
            subject,
            ordered: is_ordered(transcript.format),
        };
        case.once(findings);
        case.in_order(findings);
        case.both_sides(&ground.recorded, &mut excuses, findings);
        case.shown(findings);
        case.has_result(&ground, &mut excuses, &mut open, findings);
    }
    open.calls.sort_by_key(|call| call.line);
    let (calls, results) = counts(transcript, &threads);
    Judged {
        calls,
        results,
        open: open.calls,
        open_count: open.count,
    }
}

/// What the whole log says about its calls.
struct Ground<'t> {
    turns: Turns,
    beside: Beside<'t>,
    recorded: Recorded,
    echoed: HashSet<&'t str>,
}

/// The number of calls and results in the log. Where records have no order,
/// repeats in histories and summaries are not counted.
fn counts(transcript: &Transcript, threads: &[Thread<'_>]) -> (u64, u64) {
    if is_ordered(transcript.format) {
        let calls = transcript.calls().count() as u64;
        return (calls, transcript.results().count() as u64);
    }
    let is_unnamed = |event: &&Event| {
        let id = match &event.body {
            Body::ToolCall(call) => &call.id,
            Body::ToolResult(result) => &result.call_id,
            _ => return false,
        };
        named(id.as_ref()).is_none() && event.telling != Telling::Summary
    };
    let unnamed = transcript.events.iter().filter(is_unnamed);
    let (calls, results): (Vec<_>, Vec<_>) =
        unnamed.partition(|event| matches!(event.body, Body::ToolCall(_)));
    let of = |count: fn(&Thread<'_>) -> usize| threads.iter().map(count).sum::<usize>();
    let calls = calls.len() + of(|thread| thread.calls.len());
    let results = results.len() + of(|thread| thread.results.len());
    (calls as u64, results as u64)
}

/// Calls without a result yet; all are counted, the first are listed.
struct Open {
    calls: Vec<OpenCall>,
    count: u64,
    cap: usize,
}

impl Open {
    const fn new(cap: usize) -> Self {
        Self {
            calls: Vec::new(),
            count: 0,
            cap,
        }
    }

    fn add(&mut self, id: &str, event: &Event, call: &ToolCall) {
        self.count += 1;
        if self.calls.len() < self.cap {
            self.calls.push(OpenCall {
                id: id.to_owned(),
                tool: call.name.clone(),
                line: event.position.record as u64,
            });
        }
    }
}

/// Ids of calls that are repeated in the history of another conversation and
/// have a result there.
fn echoed<'t>(format: Format, threads: &[Thread<'t>]) -> HashSet<&'t str> {
    match format {
        Format::OpenAi | Format::Anthropic => {}
        // the others repeat histories only within their trace, or not at all
        Format::ClaudeCode
        | Format::Codex
        | Format::Otel
        | Format::LangSmith
        | Format::Mcp
        | Format::Calls => {
            return HashSet::new();
        }
    }
    let is_answered = |thread: &&Thread<'_>| !thread.results.is_empty();
    let is_copy = |thread: &&Thread<'_>| thread.calls.iter().any(|(_, event, _)| event.repeats);
    let copies = threads.iter().filter(is_answered).filter(is_copy);
    copies.map(|thread| thread.id).collect()
}

/// Whether a call is in a response logged without its request, whose
/// conversation is uncertain when several are logged at once.
fn is_response_alone(event: &Event) -> bool {
    matches!(
        event.entry.kind.as_str(),
        "response" | "chat.completion" | "message"
    )
}

/// Whether the model may continue while this runs: `codex exec --json` reports
/// a command when its process has ended, and the turn may be over before that.
fn runs_beside(event: &Event) -> bool {
    event.entry.kind == "command_execution"
}

/// Calls outside the message of a model, and results outside that of a tool.
fn misplaced(transcript: &Transcript, subject: &str, findings: &mut Findings) {
    for event in &transcript.events {
        let (id, reason) = match &event.body {
            Body::ToolCall(call) => (&call.id, TraceReason::ExecutionNotRequested),
            Body::ToolResult(result) => (&result.call_id, TraceReason::OrphanToolResult),
            _ => continue,
        };
        if is_misplaced(transcript.format, event) {
            let spot = spot(subject, event.position.record);
            findings.add(ToolLinkage, reason, spot, |failure| {
                failure.refers_to(id.as_deref().unwrap_or_default());
                failure.says(match event.writer {
                    Some(Role::User) => "it is in a message of the user".to_owned(),
                    Some(_) => "it is in a message of the model".to_owned(),
                    None => format!("it is in a record of type {}", event.entry.kind),
                });
            });
        }
    }
}

/// Calls and results without an id. Where the log has no order, only results
/// are checked.
fn unnamed(
    transcript: &Transcript,
    subject: &str,
    turns: &Turns,
    open: &mut Open,
    findings: &mut Findings,
) {
    let unnamed = Unnamed::of(transcript);
    for event in &unnamed.orphans {
        let spot = spot(subject, event.position.record);
        findings.add(ToolLinkage, TraceReason::OrphanToolResult, spot, |_| {});
    }
    if !is_ordered(transcript.format) {
        return;
    }
    for (at, event, call) in unnamed.unanswered() {
        if turns.went_on_after(at, event) {
            let spot = spot(subject, event.position.record);
            let reason = TraceReason::MissingToolResult;
            findings.add(ToolLinkage, reason, spot, |failure| {
                failure.says(format!(
                    "a call of {} without an id has no result",
                    call.name
                ));
            });
        } else {
            open.add("", event, call);
        }
    }
}

/// Whether a record began before another.
fn is_earlier(one: &LogEntry, other: &LogEntry) -> bool {
    compare(one.started.as_deref(), other.started.as_deref()) == Some(Ordering::Less)
}

struct Case<'t> {
    thread: &'t Thread<'t>,
    subject: &'t str,
    ordered: bool,
}

impl<'t> Case<'t> {
    fn fail(
        &self,
        check: crate::Check,
        reason: TraceReason,
        event: &Event,
        findings: &mut Findings,
    ) {
        findings.add(
            check,
            reason,
            spot(self.subject, event.position.record),
            |failure| {
                failure.refers_to(self.thread.id);
            },
        );
    }

    /// The first record of a call without a result.
    fn unanswered(&self) -> Option<(usize, &'t Event, &'t ToolCall)> {
        let first = self.thread.calls.first().copied();
        first.filter(|_| self.thread.results.is_empty())
    }

    /// A call has a result, or it may still come.
    fn has_result(
        &self,
        ground: &Ground<'t>,
        excuses: &mut Excuses<'t>,
        open: &mut Open,
        findings: &mut Findings,
    ) {
        let Some((at, event, call)) = self.unanswered() else {
            if let Some((_, event, call)) = self.unfinished() {
                open.add(self.thread.id, event, call);
            }
            return;
        };
        let went_on = if runs_beside(event) {
            false
        } else if self.ordered {
            ground.turns.went_on_after(at, event)
        } else {
            call.witness == Witness::Model && ground.beside.went_on_after(self.thread, event)
        };
        let is_echoed = ground.echoed.contains(self.thread.id);
        if is_echoed && (!went_on || is_response_alone(event)) {
            return; // answered where another record repeats the same call
        }
        if went_on && !excuses.answer(event) {
            self.fail(ToolLinkage, TraceReason::MissingToolResult, event, findings);
        } else {
            open.add(self.thread.id, event, call);
        }
    }

    /// An execution without an end, although the model was shown a result.
    fn unfinished(&self) -> Option<&(usize, &'t Event, &'t ToolCall)> {
        let execution = self.thread.call(Witness::Tool);
        execution.filter(|_| self.thread.result(Witness::Tool).is_none())
    }

    /// One call and one result from each witness, and no result without a call.
    fn once(&self, findings: &mut Findings) {
        for witness in [Witness::Model, Witness::Tool] {
            let calls = self
                .thread
                .calls
                .iter()
                .filter(|(_, _, call)| call.witness == witness);
            for (_, event, _) in calls.skip(1) {
                self.fail(
                    CoreInvariants,
                    TraceReason::DuplicateCallId,
                    event,
                    findings,
                );
            }
            let results = self
                .thread
                .results
                .iter()
                .filter(|(_, _, result)| result.witness == witness);
            // each branch of a conversation has a result of its own
            let mut branches = HashSet::new();
            for (_, event, _) in results {
                let branch = event.entry.fork_of.map(|_| event.entry.conversation);
                if !branches.insert(branch) {
                    self.fail(
                        ToolLinkage,
                        TraceReason::DuplicateToolResult,
                        event,
                        findings,
                    );
                }
            }
        }
        if self.thread.calls.is_empty() {
            for (_, event, _) in &self.thread.results {
                self.fail(ToolLinkage, TraceReason::OrphanToolResult, event, findings);
            }
        }
    }

    /// No result comes before its request, and none is shown before the
    /// execution. A request that is only known from a history has no time.
    fn in_order(&self, findings: &mut Findings) {
        if self.ordered {
            let Some((first, _, _)) = self.thread.calls.first() else {
                return;
            };
            for (_, event, _) in self.thread.results.iter().filter(|(at, _, _)| at < first) {
                self.fail(StepOrder, TraceReason::ResultBeforeCall, event, findings);
            }
            return;
        }
        let Some((_, executed, _)) = self.thread.call(Witness::Tool) else {
            return;
        };
        let asked = self.thread.call(Witness::Model);
        let made = asked.filter(|(_, event, _)| event.telling == Telling::New);
        if made.is_some_and(|(_, asked, _)| is_earlier(&executed.entry, &asked.entry)) {
            self.fail(StepOrder, TraceReason::ResultBeforeCall, executed, findings);
            return;
        }
        let reported = self.thread.result(Witness::Model);
        let reported = reported.map(|(_, event, _)| &*event.entry);
        let mut shown = reported
            .into_iter()
            .chain(self.thread.shown_again.iter().copied());
        if let Some(early) = shown.find(|shown| is_earlier(shown, &executed.entry)) {
            let spot = spot(self.subject, early.record);
            findings.add(StepOrder, TraceReason::ResultBeforeCall, spot, |failure| {
                failure.refers_to(self.thread.id);
            });
        }
    }

    /// Where a conversation records both messages and executions, they must
    /// match. A request answered with a failure needs no execution; one that is
    /// only known from a history may have been executed before the log began.
    fn both_sides(&self, recorded: &Recorded, excuses: &mut Excuses<'t>, findings: &mut Findings) {
        let home = self.thread.conversation;
        let asked = self.thread.call(Witness::Model);
        let executed = self.thread.call(Witness::Tool);
        match (asked, executed, self.thread.result(Witness::Model)) {
            (Some((_, asked, _)), None, Some((_, reported, result)))
                if !result.is_error
                    && asked.telling == Telling::New
                    && recorded.executions(home)
                    && !excuses.execution(asked) =>
            {
                self.fail(
                    ToolLinkage,
                    TraceReason::RequestNotExecuted,
                    reported,
                    findings,
                );
            }
            (None, Some((_, event, call)), _)
                if recorded.requests(home, &event.entry) && !is_nameless(event, call) =>
            {
                self.fail(
                    ToolLinkage,
                    TraceReason::ExecutionNotRequested,
                    event,
                    findings,
                );
            }
            _ => {}
        }
    }

    /// What the tool returned is what the model was shown.
    fn shown(&self, findings: &mut Findings) {
        let Some((_, event, reported)) = self.thread.result(Witness::Model) else {
            return;
        };
        let returned = self.thread.result(Witness::Tool).map(|(_, _, one)| *one);
        let Some(breach) = shown::breach(returned, reported, self.thread) else {
            return;
        };
        findings.add(
            OutputLinkage,
            breach.reason,
            spot(self.subject, event.position.record),
            |failure| {
                failure.refers_to(self.thread.id);
                failure.differs(breach.expected, breach.found);
            },
        );
    }
}
