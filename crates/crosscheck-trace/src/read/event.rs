//! The events of a trace (trace 2.3 to 2.5), read by their tables.

use std::borrow::Cow;

use crosscheck_core::digest::Digest;
use crosscheck_core::json::{Node, Value};

use super::claim::Claim;
use super::named::Named;
use super::object::{Field, Flaw, Flaws, Object, Shape, Write, optional, required, span};
use super::output::Output;
use crate::canonical;
use crate::forms::natural;
use crate::ids::{self, Key};
use crate::reasons::TraceReason;

pub(super) static RECORD: [Field; 2] = [
    required("event", Shape::Object),
    required("record", Shape::OneOf(&["trace_event"])),
];

const KIND: Field = required("kind", Shape::Str);
const IDX: Field = optional("idx", Shape::IntegerOrNull, "null");
const OWN_STEP: Field = required("step_id", Shape::NonEmptyStr);
const ANY_STEP: Field = optional("step_id", Shape::Str, "\"\"");

pub(super) static STARTED: [Field; 3] = [IDX, KIND, OWN_STEP];
pub(super) static FINISHED: [Field; 4] = [IDX, KIND, required("output", Shape::Object), OWN_STEP];
pub(super) static CALLED: [Field; 4] = [
    required("call", Shape::Object).or("tool_call"),
    IDX,
    KIND,
    OWN_STEP,
];
pub(super) static RETURNED: [Field; 4] = [
    IDX,
    KIND,
    required("result", Shape::Object).or("tool_result"),
    OWN_STEP,
];
pub(super) static REGISTERED: [Field; 4] =
    [required("evidence", Shape::Object), IDX, KIND, ANY_STEP];
pub(super) static CLAIMED: [Field; 4] = [required("claim", Shape::Object), IDX, KIND, ANY_STEP];

pub(super) static CALL: [Field; 5] = [
    optional("arguments", Shape::Object, "{}"),
    required("call_idx", Shape::Integer),
    optional("id", Shape::Str, "\"\""),
    required("step_id", Shape::Str),
    required("tool_name", Shape::Str),
];
pub(super) static RESULT: [Field; 4] = [
    required("call_id", Shape::Str),
    optional("error", Shape::StrOrNull, "null"),
    optional("result", Shape::Any, "null"),
    required("success", Shape::Bool).or("ok"),
];
pub(super) static EVIDENCE: [Field; 6] = [
    required("chunk_id", Shape::Hash),
    required("content_path", Shape::Path),
    optional("id", Shape::Str, "\"\""),
    required("sha256", Shape::Hash),
    required("span", Shape::Span),
    required("uri", Shape::Str),
];

/// One event.
pub(crate) struct Event<'j> {
    pub(super) idx: Idx<'j>,
    pub(crate) step_id: &'j str,
    pub(crate) body: Body<'j>,
    /// The normalised event, of which the trace id is a hash (trace 3.3).
    pub(crate) text: Cow<'j, str>,
}

/// The position that an event gives itself.
#[derive(Clone, Copy, Default)]
pub(super) struct Idx<'j> {
    /// If it is present.
    pub(super) digits: Option<&'j str>,
    /// If it is from 0 below 2^63.
    pub(super) number: Option<u64>,
}

/// What happened.
pub(crate) enum Body<'j> {
    Started,
    Finished(Output<'j>),
    Called(Call<'j>),
    Returned(ToolResult<'j>),
    Registered(Evidence<'j>),
    Claimed(Claim<'j>),
}

/// A tool call.
pub(crate) struct Call<'j> {
    pub(crate) name: Named<'j>,
    /// Canonical text.
    pub(crate) arguments: Cow<'j, str>,
    pub(crate) tool_name: &'j str,
    pub(crate) step_id: &'j str,
}

/// What a tool returned.
pub(crate) struct ToolResult<'j> {
    pub(crate) call_id: &'j str,
    pub(crate) call_key: Key,
    pub(crate) success: bool,
    pub(crate) error: Option<&'j str>,
}

/// A registered piece of evidence.
pub(crate) struct Evidence<'j> {
    pub(crate) name: Named<'j>,
    pub(crate) sha256: &'j str,
    pub(crate) span: (u64, u64),
    pub(crate) chunk_id: &'j str,
    pub(crate) content_path: &'j str,
    pub(crate) uri: &'j str,
}

/// The event of a record.
fn record<'j>(node: Node<'j>, flaws: &mut Flaws) -> Option<Node<'j>> {
    let is_record = node.get("record").and_then(Node::as_str) == Some("trace_event");
    if is_record && node.get("event").is_some() {
        let [event, _] = Object::read(node, &RECORD, "", flaws)?.nodes;
        return event;
    }
    flaws.push(Flaw::new(TraceReason::BadRecord, ""));
    None
}

/// Reads one event record.
pub(super) fn event<'j>(node: Node<'j>, flaws: &mut Flaws) -> Option<Event<'j>> {
    let event = record(node, flaws)?;
    match event.get("kind").map(Node::as_str) {
        Some(Some("step_started")) => {
            let object = Object::read(event, &STARTED, "event", flaws)?;
            let [idx, _, _] = object.nodes;
            Some(assemble(&object, idx, Body::Started, ""))
        }
        Some(Some("step_finished")) => {
            let object = Object::read(event, &FINISHED, "event", flaws)?;
            let [idx, _, inner, _] = object.nodes;
            let output = Output::read(inner?, "event.output", flaws)?;
            let text = output.normalised();
            Some(assemble(&object, idx, Body::Finished(output), &text))
        }
        Some(Some("tool_called")) => {
            let object = Object::read(event, &CALLED, "event", flaws)?;
            let [inner, idx, _, _] = object.nodes;
            let (call, text) = Call::read(inner?, flaws)?;
            Some(assemble(&object, idx, Body::Called(call), &text))
        }
        Some(Some("tool_returned")) => {
            let object = Object::read(event, &RETURNED, "event", flaws)?;
            let [idx, _, inner, _] = object.nodes;
            let (result, text) = ToolResult::read(inner?, flaws)?;
            Some(assemble(&object, idx, Body::Returned(result), &text))
        }
        Some(Some("evidence_registered")) => {
            let object = Object::read(event, &REGISTERED, "event", flaws)?;
            let [inner, idx, _, _] = object.nodes;
            let (evidence, text) = Evidence::read(inner?, flaws)?;
            Some(assemble(&object, idx, Body::Registered(evidence), &text))
        }
        Some(Some("claim_emitted")) => {
            let object = Object::read(event, &CLAIMED, "event", flaws)?;
            let [inner, idx, _, _] = object.nodes;
            let (claim, text) = Claim::read(inner?, "event.claim", flaws)?;
            Some(assemble(&object, idx, Body::Claimed(claim), &text))
        }
        other => {
            let reason = match other {
                None => TraceReason::MissingField,
                Some(None) => TraceReason::BadField,
                Some(Some(_)) => TraceReason::UnknownEventKind,
            };
            flaws.push(Flaw::new(reason, "event.kind"));
            None
        }
    }
}

/// `inner` is the normalised text of the object that the event carries.
fn assemble<'j, const N: usize>(
    object: &Object<'j, N>,
    idx: Option<Node<'j>>,
    body: Body<'j>,
    inner: &str,
) -> Event<'j> {
    let digits = idx.and_then(|node| match node.value() {
        Value::Number(digits) => Some(digits.text()),
        _ => None,
    });
    let text = object.normalised(|name, out| match name {
        "call" | "claim" | "evidence" | "output" | "result" => {
            out.push_str(inner);
            Write::Done
        }
        _ => Write::Plain,
    });
    Event {
        idx: Idx {
            digits,
            number: digits.and_then(natural),
        },
        step_id: object.text(N - 1), // the last name of every table
        body,
        text: text.into(),
    }
}

impl<'j> Event<'j> {
    /// The digits of `idx`, if it is present.
    pub(crate) const fn idx(&self) -> Option<&'j str> {
        self.idx.digits
    }

    /// Whether `idx` is this position.
    pub(crate) fn is_at(&self, position: u64) -> bool {
        self.idx.number == Some(position)
    }

    pub(crate) const fn kind(&self) -> &'static str {
        match self.body {
            Body::Started => "step_started",
            Body::Finished(_) => "step_finished",
            Body::Called(_) => "tool_called",
            Body::Returned(_) => "tool_returned",
            Body::Registered(_) => "evidence_registered",
            Body::Claimed(_) => "claim_emitted",
        }
    }
}

impl<'j> Call<'j> {
    /// The call and its normalised text.
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &CALL, "event.call", flaws)?;
        let [arguments, call_idx, ..] = object.nodes;
        let [id, step_id, tool_name] = [2, 3, 4].map(|at| object.text(at));
        let arguments = arguments.map_or_else(|| "{}".to_owned(), canonical::of_node);
        let call_idx = call_idx.map(canonical::of_node).unwrap_or_default();
        let recipe = |index: &str| {
            let mut out = format!("{{\"args\":{arguments},\"{index}\":{call_idx},\"step_id\":");
            canonical::write_str(&mut out, step_id);
            out.push_str(",\"tool\":");
            canonical::write_str(&mut out, tool_name);
            out.push('}');
            Digest::of(out)
        };
        let name = Named::new(
            id,
            &[("call", &|| recipe("i")), ("call", &|| recipe("call_idx"))],
        );
        let text = object.normalised(with_id(&name.id));
        let call = Self {
            name,
            arguments: arguments.into(),
            tool_name,
            step_id,
        };
        Some((call, text))
    }
}

impl<'j> ToolResult<'j> {
    /// The result and its normalised text.
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &RESULT, "event.result", flaws)?;
        let [_, error, _, success] = object.nodes;
        let call_id = object.text(0);
        let result = Self {
            call_key: ids::key(call_id),
            call_id,
            success: success.and_then(Node::as_bool).unwrap_or_default(),
            error: error.and_then(Node::as_str),
        };
        Some((result, object.normalised(|_, _| Write::Plain)))
    }
}

impl<'j> Evidence<'j> {
    /// The evidence and its normalised text.
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &EVIDENCE, "event.evidence", flaws)?;
        let [_, _, _, _, range, _] = object.nodes;
        let recipe = |with_path: bool| {
            Digest::of(object.normalised(|name, _| match name {
                "id" => Write::Skip,
                "content_path" if !with_path => Write::Skip,
                _ => Write::Plain,
            }))
        };
        let name = Named::new(
            object.text(2),
            &[("ev", &|| recipe(false)), ("evidence", &|| recipe(true))],
        );
        let text = object.normalised(with_id(&name.id));
        let evidence = Self {
            name,
            sha256: object.text(3),
            span: range.and_then(span)?,
            chunk_id: object.text(0),
            content_path: object.text(1),
            uri: object.text(5),
        };
        Some((evidence, text))
    }
}

/// Writes this id in place of the one in the text.
pub(super) fn with_id(id: &str) -> impl FnMut(&str, &mut String) -> Write {
    move |name, out| {
        if name == "id" {
            canonical::write_str(out, id);
            Write::Done
        } else {
            Write::Plain
        }
    }
}
