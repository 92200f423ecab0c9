//! Which answer belongs to which call.
//!
//! Answers name the id of their call. Ids mean something in their conversation
//! only, and some logs use one twice: then the n-th answer belongs to the n-th
//! call. A call is handed over when its answer is there or the log has ended,
//! and never before the calls that are in front of it. Sessions and traces
//! say things about a call long after it was answered: their calls are handed
//! over at the end.

use std::collections::{HashMap, VecDeque};

use crosscheck_core::{Json, canonical};
use crosscheck_transcript::{
    Arguments, Body, Event, Exit, Format, Hints, Role, ToolCall, ToolResult, Witness,
};

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::{Answer, Call, Place};

/// How far back the call of an answer without an id is looked for.
const NAMELESS: usize = 64;

/// A conversation, and the id of a call in it.
type Name = (usize, SmolStr);

/// The calls of one log that are not handed over yet.
#[derive(Debug)]
pub(super) struct Pairs {
    format: Format,
    log: u32,
    waiting: VecDeque<Waiting>,
    /// How many calls were handed over; numbers of calls count on.
    gone: usize,
    /// Calls by conversation and id, oldest first, and how many of them have
    /// their answer.
    named: HashMap<Name, (usize, SmallVec<[usize; 1]>), foldhash::fast::RandomState>,
    /// Calls without id or answer, by conversation.
    nameless: HashMap<usize, Vec<usize>>,
    steps: Steps,
    /// The last message of the model.
    pub(super) closing: Option<String>,
}

#[derive(Debug)]
struct Waiting {
    call: Call,
    witness: Witness,
    /// Who gave the last answer.
    answered_by: Option<Witness>,
    has_ended: bool,
}

/// Which calls were made at once: those that nothing else is between, or
/// that the log puts into one message.
#[derive(Debug, Default)]
struct Steps {
    last: u32,
    /// Whether the next call of a conversation continues its step.
    continues: HashMap<usize, u32>,
    /// Steps that the log numbers itself.
    numbers: HashMap<(usize, usize), u32>,
}

impl Steps {
    fn of(&mut self, format: Format, event: &Event) -> u32 {
        let conversation = event.conversation;
        if matches!(format, Format::ClaudeCode | Format::Calls) && event.step > 0 {
            let next = self.last + 1;
            let step = *self
                .numbers
                .entry((conversation, event.step))
                .or_insert(next);
            self.last = self.last.max(step);
            return step;
        }
        // plain calls stand for themselves
        if format != Format::Calls
            && let Some(step) = self.continues.get(&conversation)
        {
            return *step;
        }
        self.last += 1;
        self.continues.insert(conversation, self.last);
        self.last
    }

    fn interrupt(&mut self, conversation: usize) {
        self.continues.remove(&conversation);
    }
}

impl Pairs {
    pub(super) fn new(format: Format, log: u32, first_step: u32) -> Self {
        Self {
            format,
            log,
            waiting: VecDeque::new(),
            gone: 0,
            named: HashMap::default(),
            nameless: HashMap::new(),
            steps: Steps {
                last: first_step,
                ..Steps::default()
            },
            closing: None,
        }
    }

    pub(super) fn last_step(&self) -> u32 {
        self.steps.last
    }

    pub(super) fn add(&mut self, event: Event) {
        if event.repeats {
            return;
        }
        let conversation = event.conversation;
        match event.body {
            Body::ToolCall(_) => self.call(event),
            Body::ToolResult(result) => {
                self.steps.interrupt(conversation);
                self.result(conversation, result);
            }
            Body::Exit(exit) => self.exit(conversation, &exit),
            Body::Message(message) => {
                self.steps.interrupt(conversation);
                if message.role == Role::Assistant && !message.synthetic {
                    self.closing = Some(message.text);
                }
            }
            Body::TurnEnd => self.steps.interrupt(conversation),
        }
    }

    fn call(&mut self, event: Event) {
        let step = self.steps.of(self.format, &event);
        let Event {
            record,
            conversation,
            body: Body::ToolCall(tool_call),
            ..
        } = event
        else {
            return;
        };
        if self.is_repeat(conversation, &tool_call) {
            return;
        }
        let at = self.gone + self.waiting.len();
        match &tool_call.id {
            Some(id) => {
                let name = (conversation, SmolStr::from(id));
                self.named.entry(name).or_default().1.push(at);
            }
            None => self.nameless.entry(conversation).or_default().push(at),
        }
        self.waiting.push_back(Waiting {
            witness: tool_call.witness,
            answered_by: None,
            has_ended: false,
            call: Call {
                id: tool_call.id,
                tool: tool_call.name,
                arguments: arguments(tool_call.arguments),
                answer: None,
                failed: false,
                hints: tool_call.hints,
                step,
                place: Place {
                    log: self.log,
                    record: u32::try_from(record).unwrap_or(u32::MAX),
                },
            },
        });
    }

    /// Traces tell a call twice: what the model asked for, and the run of the
    /// tool. Sessions that were resumed may hold a line twice.
    fn is_repeat(&mut self, conversation: usize, tool_call: &ToolCall) -> bool {
        let format = self.format;
        let Some(id) = &tool_call.id else {
            return false;
        };
        let Some(at) = self.last(conversation, id) else {
            return false;
        };
        let Some(known) = self.get(at) else {
            return false;
        };
        // a message of Claude Code is written again as it grows
        let is_repeated = || match (&known.call.arguments, &tool_call.arguments) {
            (Ok(known), Arguments::Json(tool_call)) => {
                canonical::of_node(known.root()) == canonical::of_node(tool_call.root())
            }
            _ => true,
        };
        let is_same = known.call.tool == tool_call.name
            && (known.witness != tool_call.witness
                || (format == Format::ClaudeCode && is_repeated()));
        if is_same && known.call.arguments.is_err() {
            known.call.arguments = arguments(tool_call.arguments.clone());
        }
        is_same
    }

    fn result(&mut self, conversation: usize, result: ToolResult) {
        let Some(at) = self.called(conversation, &result) else {
            return;
        };
        let (is_error, witness) = (result.is_error, result.witness);
        let (answer, says_error) = Answer::of(result);
        let Some(waiting) = self.get(at) else { return };
        // a tool that was tried again has the last word
        if waiting.answered_by.replace(witness) == Some(witness) {
            waiting.call.answer = None;
            waiting.call.failed = false;
        }
        // the tool's own record says at least as much as what the model was told
        let is_better = waiting.call.answer.is_none()
            || matches!(waiting.call.answer, Some(Answer::Nothing))
            || (witness == Witness::Tool && !matches!(answer, Answer::Nothing));
        if is_better {
            waiting.call.answer = Some(answer);
        }
        waiting.call.failed |= is_error || says_error;
        waiting.has_ended = true;
    }

    /// The call that a result answers.
    fn called(&mut self, conversation: usize, result: &ToolResult) -> Option<usize> {
        // the record of a plain call holds its answer
        if self.format == Format::Calls {
            return (self.gone + self.waiting.len()).checked_sub(1);
        }
        let Some(id) = &result.call_id else {
            return self.nameless_call(conversation, result.tool.as_deref());
        };
        let name = (conversation, SmolStr::from(id));
        let (answered, calls) = self.named.get_mut(&name)?;
        let open = calls.get(*answered);
        *answered += usize::from(open.is_some());
        open.or(calls.last()).copied()
    }

    /// The last call of this id, answered or not.
    fn last(&self, conversation: usize, id: &str) -> Option<usize> {
        let (_, calls) = self.named.get(&(conversation, id.into()))?;
        calls.last().copied()
    }

    fn nameless_call(&mut self, conversation: usize, tool: Option<&str>) -> Option<usize> {
        let (gone, waiting) = (self.gone, &self.waiting);
        let places = self.nameless.get_mut(&conversation)?;
        let found = places.iter().rev().take(NAMELESS).position(|at| {
            let waiting = at.checked_sub(gone).and_then(|at| waiting.get(at));
            waiting.is_some_and(|waiting| tool.is_none_or(|tool| waiting.call.tool == tool))
        })?;
        Some(places.remove(places.len() - 1 - found))
    }

    /// The harness knows how the process or server behind a call ended.
    fn exit(&mut self, conversation: usize, exit: &Exit) {
        let has_failed = exit.has_failed || exit.code.is_some_and(|code| code != 0);
        let Some(id) = exit.call_id.as_ref().filter(|_| has_failed) else {
            return;
        };
        if let Some(at) = self.last(conversation, id)
            && let Some(waiting) = self.get(at)
        {
            waiting.call.failed = true;
        }
    }

    fn get(&mut self, at: usize) -> Option<&mut Waiting> {
        self.waiting.get_mut(at.checked_sub(self.gone)?)
    }

    /// The calls that are complete, up to the first that still waits; all of
    /// them when the log has ended.
    pub(super) fn ready(
        &mut self,
        has_ended: bool,
        hints: &dyn Fn(&str) -> Option<Hints>,
    ) -> Vec<Call> {
        let mut ready = Vec::new();
        let streams = matches!(
            self.format,
            Format::OpenAi | Format::Anthropic | Format::Mcp | Format::Calls
        );
        // a plain call has its answer beside it, or none
        let is_alone = self.format == Format::Calls;
        let held = |waiting: &Waiting| !has_ended && (!streams || !(waiting.has_ended || is_alone));
        while let Some(mut waiting) = self.waiting.pop_front() {
            if held(&waiting) {
                self.waiting.push_front(waiting);
                break;
            }
            self.gone += 1;
            if waiting.call.hints == Hints::default() {
                waiting.call.hints = hints(&waiting.call.tool).unwrap_or_default();
            }
            ready.push(waiting.call);
        }
        if self.waiting.is_empty() {
            // whatever comes later can only be about calls that come later, too
            self.named.clear();
            self.nameless.clear();
        }
        ready
    }
}

fn arguments(tool_call: Arguments) -> Result<Json, &'static str> {
    let nothing = || Json::object([]);
    match tool_call {
        Arguments::Absent => Ok(nothing()),
        Arguments::Text(text) if text.trim().is_empty() => Ok(nothing()),
        Arguments::Text(_) => Err("the arguments are not JSON"),
        Arguments::Json(json) if json.root().as_object().is_some() => Ok(json),
        Arguments::Json(json) if json.root().is_null() => Ok(nothing()),
        Arguments::Json(_) => Err("the arguments are not an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{InputFormat, Logs};

    /// The answers of the calls of a log, in their order.
    fn answers(lines: &[&str]) -> Vec<String> {
        let log = lines.join("\n");
        let mut said = Vec::new();
        let format = InputFormat::Is(Format::OpenAi);
        let take = &mut |calls: Vec<Call>| {
            said.extend(calls.into_iter().map(|call| match call.answer {
                Some(Answer::Text(text)) => text,
                other => format!("{other:?}"),
            }));
        };
        let mut logs = Logs::default();
        logs.read("log", format, &mut log.as_bytes(), take).unwrap();
        said
    }

    #[test]
    fn of_calls_with_one_id_each_gets_its_own_answer() {
        let call = r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"close","arguments":"{}"}}]}"#;
        let one = r#"{"role":"tool","tool_call_id":"c","content":"one"}"#;
        let two = r#"{"role":"tool","tool_call_id":"c","content":"two"}"#;
        let three = r#"{"role":"tool","tool_call_id":"c","content":"three"}"#;
        assert_eq!(answers(&[call, one, call, two]), ["one", "two"]);
        assert_eq!(answers(&[call, call, one, two]), ["one", "two"]);
        // an answer too many is that of the last call, and moves no other
        assert_eq!(answers(&[call, one, two]), ["two"]);
        let again = [call, one, one, call, call, two, three];
        assert_eq!(answers(&again), ["one", "two", "three"]);
        let nobody = r#"{"role":"tool","tool_call_id":"x","content":"two"}"#;
        assert_eq!(answers(&[call, nobody]), ["None"]);
    }
}
