//! Calls and results: each call has one result, no result comes from nowhere,
//! and the model was shown what the tool returned.

use std::cmp::Ordering;
use std::collections::HashMap;

use crosscheck_ground::transcript::{
    Body, Event, Format, ToolCall, ToolResult, Transcript, Witness,
};

use super::report::OpenCall;
use super::times::compare;
use super::turns::Turns;
use super::{is_ordered, shown, spot};
use crate::check::Check::{CoreInvariants, OutputLinkage, StepOrder, ToolLinkage};
use crate::finding::Findings;
use crate::reasons::TraceReason;

/// Everything the log says about one call id.
#[derive(Default)]
struct Thread<'t> {
    calls: Vec<(usize, &'t Event, &'t ToolCall)>,
    results: Vec<(usize, &'t Event, &'t ToolResult)>,
    /// What went wrong behind the call. A sandbox may refuse the first try, so
    /// there may be several ends; one without a fault is enough.
    fault: Option<String>,
    ended: bool,
}

impl<'t> Thread<'t> {
    fn call(&self, witness: Witness) -> Option<&(usize, &'t Event, &'t ToolCall)> {
        self.calls
            .iter()
            .find(|(_, _, call)| call.witness == witness)
    }

    fn result(&self, witness: Witness) -> Option<&(usize, &'t Event, &'t ToolResult)> {
        self.results
            .iter()
            .find(|(_, _, result)| result.witness == witness)
    }
}

/// Judges all calls; gives those that are still open, and how many they are.
pub(super) fn judge(
    transcript: &Transcript,
    subject: &str,
    cap: usize,
    findings: &mut Findings,
) -> (Vec<OpenCall>, u64) {
    nameless(transcript, subject, findings);
    let (threads, order) = threads(transcript);
    let has = |witness| {
        let of_witness = threads.values().filter_map(|thread| thread.call(witness));
        let mut of_calls = of_witness.filter(|(_, event, call)| !is_lookup(event, call));
        of_calls.next().is_some()
    };
    let both = has(Witness::Model) && has(Witness::Tool);
    let mut excuses = Excuses::of(transcript);
    let turns = Turns::of(transcript);
    let mut open = Vec::new();
    let mut open_count = 0;
    for id in order {
        let Some(thread) = threads.get(id) else {
            continue;
        };
        let case = Case {
            id,
            thread,
            subject,
            ordered: is_ordered(transcript.format),
        };
        case.once(findings);
        case.in_order(findings);
        if both {
            case.both_sides(&mut excuses, findings);
        }
        case.shown(findings);
        if let Some((at, event, call)) = thread.calls.first().filter(|_| thread.results.is_empty())
        {
            let went_on = if case.ordered {
                turns.went_on_after(*at)
            } else {
                call.witness == Witness::Model && went_on_beside(transcript, event)
            };
            if went_on && !excuses.answer(event) {
                case.fail(ToolLinkage, TraceReason::MissingToolResult, event, findings);
                continue;
            }
            open_count += 1;
            if open.len() < cap {
                open.push(OpenCall {
                    id: id.to_owned(),
                    tool: call.name.clone(),
                    line: event.position.record as u64,
                });
            }
        }
    }
    (open, open_count)
}

/// Results that name no call. Old logs name neither, so a call without a name
/// excuses one such result behind it.
fn nameless(transcript: &Transcript, subject: &str, findings: &mut Findings) {
    let mut calls = 0_u64;
    for event in &transcript.events {
        match &event.body {
            Body::ToolCall(call) if call.id.is_none() => calls += 1,
            Body::ToolResult(result) if result.call_id.is_none() => {
                if calls == 0 {
                    let spot = spot(subject, event.position.record);
                    findings.add(ToolLinkage, TraceReason::OrphanToolResult, spot, |_| {});
                }
                calls = calls.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// Whether the id of an execution is only that of its own record, because the
/// log did not keep the id of the call.
fn is_nameless(event: &Event, call: &ToolCall) -> bool {
    call.id.is_some() && call.id == event.entry.id
}

/// Whether this is a run of a retriever. Chains call those themselves, so it
/// never stands in for a call that the model asked for.
fn is_lookup(event: &Event, call: &ToolCall) -> bool {
    event.entry.kind == "retriever" && is_nameless(event, call)
}

/// Executions that do not say which call they answer, by trace. Each of them
/// can be that of one request, and no more.
#[derive(Default)]
struct Excuses<'t> {
    /// Runs with an id of their own, which may also be the missing answer.
    runs: HashMap<Option<&'t str>, usize>,
    /// Spans without any id.
    spans: HashMap<Option<&'t str>, usize>,
}

impl<'t> Excuses<'t> {
    fn of(transcript: &'t Transcript) -> Self {
        let mut excuses = Self::default();
        for (event, call) in transcript.calls() {
            let pool = if call.witness == Witness::Model || is_lookup(event, call) {
                continue;
            } else if call.id.is_none() {
                &mut excuses.spans
            } else if is_nameless(event, call) {
                &mut excuses.runs
            } else {
                continue;
            };
            *pool.entry(event.entry.group.as_deref()).or_default() += 1;
        }
        excuses
    }

    /// Uses up one execution that may have answered this request.
    fn answer(&mut self, asked: &'t Event) -> bool {
        take(&mut self.runs, asked)
    }

    /// Uses up one execution that may be that of this request.
    fn execution(&mut self, asked: &'t Event) -> bool {
        take(&mut self.runs, asked) || take(&mut self.spans, asked)
    }
}

fn take<'t>(pool: &mut HashMap<Option<&'t str>, usize>, asked: &'t Event) -> bool {
    match pool.get_mut(&asked.entry.group.as_deref()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}

/// Whether the model was told other results later, in the conversation that
/// this request belongs to. Records that are written when they end have no
/// order but their times.
fn went_on_beside(transcript: &Transcript, asked: &Event) -> bool {
    transcript.events.iter().any(|event| {
        matches!(&event.body, Body::ToolResult(result) if result.witness == Witness::Model)
            && event.entry.group == asked.entry.group
            && event.entry.parent.is_some()
            && event.entry.parent == asked.entry.parent
            && compare(
                event.entry.started.as_deref(),
                asked.entry.started.as_deref(),
            ) == Some(Ordering::Greater)
    })
}

/// Calls and results by id, and the ids in order of their first appearance.
fn threads(transcript: &Transcript) -> (HashMap<&str, Thread<'_>>, Vec<&str>) {
    let mut threads: HashMap<&str, Thread<'_>> = HashMap::new();
    let mut order = Vec::new();
    for (at, event) in transcript.events.iter().enumerate() {
        let id = match &event.body {
            Body::ToolCall(call) => call.id.as_deref(),
            Body::ToolResult(result) => result.call_id.as_deref(),
            Body::Message(_) | Body::Exit(_) => None,
        };
        let Some(id) = id else {
            continue;
        };
        let thread = threads.entry(id).or_insert_with(|| {
            order.push(id);
            Thread::default()
        });
        match &event.body {
            Body::ToolCall(call) => {
                let again = thread
                    .calls
                    .iter()
                    .any(|(_, first, _)| is_again(transcript.format, first, event));
                if !again {
                    thread.calls.push((at, event, call));
                }
            }
            Body::ToolResult(result) => {
                let again = thread
                    .results
                    .iter()
                    .any(|(_, first, _)| is_again(transcript.format, first, event));
                if !again {
                    thread.results.push((at, event, result));
                }
            }
            Body::Message(_) | Body::Exit(_) => {}
        }
    }
    for event in &transcript.events {
        if let Body::Exit(exit) = &event.body
            && let Some(thread) = exit.call_id.as_deref().and_then(|id| threads.get_mut(id))
        {
            let fault = exit.fault();
            let is_again = std::mem::replace(&mut thread.ended, true);
            let before = thread.fault.take();
            thread.fault = if is_again { before.and(fault) } else { fault };
        }
    }
    (threads, order)
}

/// Whether two events stand in one record that was written twice, as happens
/// while a message is streamed.
fn is_again(format: Format, first: &Event, event: &Event) -> bool {
    format == Format::ClaudeCode
        && first.entry.id.is_some()
        && first.entry.id == event.entry.id
        && first.entry.record != event.entry.record
}

struct Case<'t> {
    id: &'t str,
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
                failure.refers_to(self.id);
            },
        );
    }

    /// One call and one result from each witness, and no result alone.
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
            for (_, event, _) in results.skip(1) {
                self.fail(
                    ToolLinkage,
                    TraceReason::DuplicateToolResult,
                    event,
                    findings,
                );
            }
        }
        if self.thread.calls.is_empty() {
            for (_, event, _) in &self.thread.results {
                self.fail(ToolLinkage, TraceReason::OrphanToolResult, event, findings);
            }
        }
    }

    fn in_order(&self, findings: &mut Findings) {
        if self.ordered {
            let Some((first, _, _)) = self.thread.calls.first() else {
                return;
            };
            for (_, event, _) in self.thread.results.iter().filter(|(at, _, _)| at < first) {
                self.fail(StepOrder, TraceReason::ResultBeforeCall, event, findings);
            }
        } else if let (Some((_, asked, _)), Some((_, executed, _))) = (
            self.thread.call(Witness::Model),
            self.thread.call(Witness::Tool),
        ) && compare(
            executed.entry.started.as_deref(),
            asked.entry.started.as_deref(),
        ) == Some(Ordering::Less)
        {
            self.fail(StepOrder, TraceReason::ResultBeforeCall, executed, findings);
        } else if let (Some((_, told, _)), Some((_, executed, _))) = (
            self.thread.result(Witness::Model),
            self.thread.call(Witness::Tool),
        ) && compare(
            told.entry.started.as_deref(),
            executed.entry.started.as_deref(),
        ) == Some(Ordering::Less)
        {
            self.fail(StepOrder, TraceReason::ResultBeforeCall, told, findings);
        }
    }

    /// Where a log has both the conversation and the executions, each must
    /// know the other. A request that was refused is told as a failure, and
    /// needs no execution.
    fn both_sides(&self, excuses: &mut Excuses<'t>, findings: &mut Findings) {
        let asked = self.thread.call(Witness::Model);
        let executed = self.thread.call(Witness::Tool);
        match (asked, executed, self.thread.result(Witness::Model)) {
            (Some((_, asked, _)), None, Some((_, told, result))) => {
                if !result.is_error && !excuses.execution(asked) {
                    self.fail(ToolLinkage, TraceReason::RequestNotExecuted, told, findings);
                }
            }
            (None, Some((_, event, call)), _) if !is_nameless(event, call) => {
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
        let Some((_, event, told)) = self.thread.result(Witness::Model) else {
            return;
        };
        let returned = self.thread.result(Witness::Tool).map(|(_, _, one)| *one);
        let Some(breach) = shown::breach(returned, told, self.thread.fault.as_deref()) else {
            return;
        };
        findings.add(
            OutputLinkage,
            breach.reason,
            spot(self.subject, event.position.record),
            |failure| {
                failure.refers_to(self.id);
                failure.differs(breach.expected, breach.found);
            },
        );
    }
}
