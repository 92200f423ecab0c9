//! The events of a trace, each borrowed from its line.

use crosscheck_core::digest::Digest;

use super::claim::Claim;
use super::forms::natural;
use super::named::Named;
use super::object::{Field, Flaw, Flaws, Object, Shape, Write, optional, required, span};
use super::output::Output;
use crate::canonical;
use crate::ids::{self, Form, Key};
use crate::reasons::TraceReason;
use crate::tape::{Node, Value};

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
    /// The event as it stands, if that is its normalised form.
    pub(super) whole: Option<&'j str>,
}

/// The position that an event gives itself.
#[derive(Clone, Copy, Default)]
pub(super) struct Idx<'j> {
    /// If it is there.
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
    /// Its fields, unless it was read directly.
    pub(super) object: Option<Box<Object<'j, 5>>>,
    pub(crate) name: Named<'j>,
    pub(super) arguments: Option<Node<'j>>,
    pub(crate) tool_name: &'j str,
    pub(crate) step_id: &'j str,
}

/// What a tool returned.
pub(crate) struct ToolResult<'j> {
    /// Its fields, unless it was read directly.
    pub(super) object: Option<Box<Object<'j, 4>>>,
    pub(crate) call_id: &'j str,
    pub(crate) call_key: Key,
    pub(crate) success: bool,
    pub(crate) error: Option<&'j str>,
}

/// A registered piece of evidence.
pub(crate) struct Evidence<'j> {
    /// Its fields, unless it was read directly.
    pub(super) object: Option<Box<Object<'j, 6>>>,
    pub(crate) name: Named<'j>,
    pub(crate) sha256: &'j str,
    pub(crate) span: (u64, u64),
    pub(crate) chunk_id: &'j str,
    pub(crate) content_path: &'j str,
    pub(crate) uri: &'j str,
}

/// What stands in the record of an event.
fn record<'j>(node: Node<'j>, flaws: &mut Flaws) -> Option<Node<'j>> {
    if let Ok((object, None)) = Object::sort(node, &RECORD) {
        let [event, _] = object.nodes;
        return event;
    }
    let is_record = node.get("record").and_then(Node::as_str) == Some("trace_event");
    if is_record && node.get("event").is_some() {
        let _ = Object::read(node, &RECORD, "", flaws);
    } else {
        flaws.push(Flaw {
            reason: TraceReason::BadRecord,
            field: String::new(),
        });
    }
    None
}

/// Reads one event record.
pub(crate) fn event<'j>(node: Node<'j>, flaws: &mut Flaws) -> Option<Event<'j>> {
    let event = record(node, flaws)?;
    match event.get("kind").map(Node::as_str) {
        Some(Some("step_started")) => {
            let object = Object::read(event, &STARTED, "event", flaws)?;
            let [idx, _, step] = object.nodes;
            Some(assemble(idx, step, Body::Started, object.whole))
        }
        Some(Some("step_finished")) => {
            let object = Object::read(event, &FINISHED, "event", flaws)?;
            let [idx, _, inner, step] = object.nodes;
            let output = Output::read(inner?, "event.output", flaws)?;
            Some(assemble(idx, step, Body::Finished(output), object.whole))
        }
        Some(Some("tool_called")) => {
            let object = Object::read(event, &CALLED, "event", flaws)?;
            let [inner, idx, _, step] = object.nodes;
            let call = Call::read(inner?, flaws)?;
            Some(assemble(idx, step, Body::Called(call), object.whole))
        }
        Some(Some("tool_returned")) => {
            let object = Object::read(event, &RETURNED, "event", flaws)?;
            let [idx, _, inner, step] = object.nodes;
            let result = ToolResult::read(inner?, flaws)?;
            Some(assemble(idx, step, Body::Returned(result), object.whole))
        }
        Some(Some("evidence_registered")) => {
            let object = Object::read(event, &REGISTERED, "event", flaws)?;
            let [inner, idx, _, step] = object.nodes;
            let evidence = Evidence::read(inner?, flaws)?;
            Some(assemble(
                idx,
                step,
                Body::Registered(evidence),
                object.whole,
            ))
        }
        Some(Some("claim_emitted")) => {
            let object = Object::read(event, &CLAIMED, "event", flaws)?;
            let [inner, idx, _, step] = object.nodes;
            let claim = Claim::read(inner?, "event.claim", flaws)?;
            Some(assemble(idx, step, Body::Claimed(claim), object.whole))
        }
        other => {
            let reason = match other {
                None => TraceReason::MissingField,
                Some(None) => TraceReason::BadField,
                Some(Some(_)) => TraceReason::UnknownEventKind,
            };
            flaws.push(Flaw {
                reason,
                field: "event.kind".to_owned(),
            });
            None
        }
    }
}

fn assemble<'j>(
    idx: Option<Node<'j>>,
    step: Option<Node<'j>>,
    body: Body<'j>,
    whole: Option<&'j str>,
) -> Event<'j> {
    let inside = match &body {
        Body::Started => true,
        Body::Finished(output) => output.is_normal(),
        Body::Called(call) => is_whole(call.object.as_deref()) && call.name.form != Form::Absent,
        Body::Returned(result) => is_whole(result.object.as_deref()),
        Body::Registered(evidence) => {
            is_whole(evidence.object.as_deref()) && evidence.name.form != Form::Absent
        }
        Body::Claimed(claim) => claim.is_normal(),
    };
    let digits = idx.and_then(|node| match node.value() {
        Value::Number(digits) => Some(digits.text()),
        _ => None,
    });
    Event {
        idx: Idx {
            digits,
            number: digits.and_then(natural),
        },
        step_id: step.and_then(Node::as_str).unwrap_or_default(),
        body,
        whole: whole.filter(|_| inside),
    }
}

/// Whether an object stands in the trace in its normalised form.
fn is_whole<const N: usize>(object: Option<&Object<'_, N>>) -> bool {
    object.is_none_or(|object| object.whole.is_some())
}

impl<'j> Event<'j> {
    /// The digits of `idx`, if it is there.
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

    /// The normalised event, if it stands in the trace as such.
    pub(crate) const fn whole(&self) -> Option<&'j str> {
        self.whole
    }

    /// Appends the normalised event.
    pub(crate) fn write(&self, out: &mut String) {
        if let Some(whole) = self.whole {
            out.push_str(whole);
            return;
        }
        out.push('{');
        match &self.body {
            Body::Called(call) => {
                out.push_str("\"call\":");
                call.write(out);
                out.push(',');
            }
            Body::Registered(evidence) => {
                out.push_str("\"evidence\":");
                evidence.write(out);
                out.push(',');
            }
            Body::Claimed(claim) => {
                out.push_str("\"claim\":");
                claim.write(out);
                out.push(',');
            }
            Body::Started | Body::Finished(_) | Body::Returned(_) => {}
        }
        out.push_str("\"idx\":");
        match self.idx.digits {
            Some(digits) => canonical::write_integer(out, digits),
            None => out.push_str("null"),
        }
        out.push_str(",\"kind\":\"");
        out.push_str(self.kind());
        out.push_str("\",");
        match &self.body {
            Body::Finished(output) => {
                out.push_str("\"output\":");
                output.write(out);
                out.push(',');
            }
            Body::Returned(result) => {
                out.push_str("\"result\":");
                result.write(out);
                out.push(',');
            }
            Body::Started | Body::Called(_) | Body::Registered(_) | Body::Claimed(_) => {}
        }
        out.push_str("\"step_id\":");
        canonical::write_str(out, self.step_id);
        out.push('}');
    }
}

impl<'j> Call<'j> {
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<Self> {
        let object = Object::read(node, &CALL, "event.call", flaws)?;
        let [arguments, call_idx, id, step_id, tool_name] = object.nodes;
        let recipe = |index: &str| {
            let mut out = String::with_capacity(object.room());
            out.push_str("{\"args\":");
            match arguments {
                Some(arguments) => canonical::write_node(&mut out, arguments),
                None => out.push_str("{}"),
            }
            for (key, node) in [(index, call_idx), ("step_id", step_id), ("tool", tool_name)] {
                out.push_str(",\"");
                out.push_str(key);
                out.push_str("\":");
                if let Some(node) = node {
                    canonical::write_node(&mut out, node);
                }
            }
            out.push('}');
            Digest::of(out)
        };
        let text = |node: Option<Node<'j>>| node.and_then(Node::as_str).unwrap_or_default();
        let name = Named::new(
            text(id),
            &[("call", &|| recipe("i")), ("call", &|| recipe("call_idx"))],
        );
        Some(Self {
            object: Some(Box::new(object)),
            name,
            arguments,
            tool_name: text(tool_name),
            step_id: text(step_id),
        })
    }

    fn write(&self, out: &mut String) {
        if let Some(object) = &self.object {
            object.write(out, with_id(&self.name.id));
        }
    }

    /// The arguments as canonical text.
    pub(crate) fn arguments(&self) -> String {
        self.arguments
            .map_or_else(|| "{}".to_owned(), canonical::of_node)
    }
}

impl<'j> ToolResult<'j> {
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<Self> {
        let object = Object::read(node, &RESULT, "event.result", flaws)?;
        let [call_id, error, _, success] = object.nodes;
        Some(Self {
            object: Some(Box::new(object)),
            call_key: ids::key(call_id.and_then(Node::as_str).unwrap_or_default()),
            call_id: call_id.and_then(Node::as_str).unwrap_or_default(),
            success: success.and_then(Node::as_bool).unwrap_or_default(),
            error: error.and_then(Node::as_str),
        })
    }

    fn write(&self, out: &mut String) {
        if let Some(object) = &self.object {
            object.write(out, |_, _| Write::Plain);
        }
    }
}

impl<'j> Evidence<'j> {
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<Self> {
        let object = Object::read(node, &EVIDENCE, "event.evidence", flaws)?;
        let [chunk_id, content_path, id, sha256, span_node, uri] = object.nodes;
        let recipe = |with_path: bool| {
            let mut out = String::with_capacity(object.room());
            object.write(&mut out, |name, _| match name {
                "id" => Write::Skip,
                "content_path" if !with_path => Write::Skip,
                _ => Write::Plain,
            });
            Digest::of(out)
        };
        let text = |node: Option<Node<'j>>| node.and_then(Node::as_str).unwrap_or_default();
        let name = Named::new(
            text(id),
            &[("ev", &|| recipe(false)), ("evidence", &|| recipe(true))],
        );
        Some(Self {
            object: Some(Box::new(object)),
            name,
            sha256: text(sha256),
            span: span_node.and_then(span)?,
            chunk_id: text(chunk_id),
            content_path: text(content_path),
            uri: text(uri),
        })
    }

    fn write(&self, out: &mut String) {
        if let Some(object) = &self.object {
            object.write(out, with_id(&self.name.id));
        }
    }
}

/// Writes the id that counts in place of the one that was given.
pub(crate) fn with_id(id: &str) -> impl FnMut(&str, &mut String) -> Write {
    move |name, out| {
        if name == "id" {
            canonical::write_str(out, id);
            Write::Done
        } else {
            Write::Plain
        }
    }
}
