//! The events of a trace (trace 2.3 to 2.5), read by their tables.

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

static RECORD: [Field; 2] = [
    required("event", Shape::Object),
    required("record", Shape::OneOf(&["trace_event"])),
];

const KIND: Field = required("kind", Shape::Str);
const IDX: Field = optional("idx", Shape::IntegerOrNull, "null");
const OWN_STEP: Field = required("step_id", Shape::NonEmptyStr);
const ANY_STEP: Field = optional("step_id", Shape::Str, "\"\"");

static STARTED: [Field; 3] = [IDX, KIND, OWN_STEP];
static FINISHED: [Field; 4] = [IDX, KIND, required("output", Shape::Object), OWN_STEP];
static CALLED: [Field; 4] = [
    required("call", Shape::Object).or("tool_call"),
    IDX,
    KIND,
    OWN_STEP,
];
static RETURNED: [Field; 4] = [
    IDX,
    KIND,
    required("result", Shape::Object).or("tool_result"),
    OWN_STEP,
];
static REGISTERED: [Field; 4] = [required("evidence", Shape::Object), IDX, KIND, ANY_STEP];
static CLAIMED: [Field; 4] = [required("claim", Shape::Object), IDX, KIND, ANY_STEP];

static CALL: [Field; 5] = [
    optional("arguments", Shape::Object, "{}"),
    required("call_idx", Shape::Integer),
    optional("id", Shape::Str, "\"\""),
    required("step_id", Shape::Str),
    required("tool_name", Shape::Str),
];
static RESULT: [Field; 4] = [
    required("call_id", Shape::Str),
    optional("error", Shape::StrOrNull, "null"),
    optional("result", Shape::Any, "null"),
    required("success", Shape::Bool).or("ok"),
];
static EVIDENCE: [Field; 6] = [
    required("chunk_id", Shape::Hash),
    required("content_path", Shape::Path),
    optional("id", Shape::Str, "\"\""),
    required("sha256", Shape::Hash),
    required("span", Shape::Span),
    required("uri", Shape::Str),
];

/// One event.
pub(crate) struct Event<'j> {
    /// The digits of the position that it gives itself.
    pub(crate) idx: Option<&'j str>,
    pub(crate) step_id: &'j str,
    pub(crate) body: Body<'j>,
    /// The normalised event, of which the trace id is a hash (trace 3.3).
    pub(crate) text: String,
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
    pub(crate) step_id: &'j str,
}

/// What a tool returned.
pub(crate) struct ToolResult<'j> {
    pub(crate) call_id: &'j str,
    pub(crate) call_key: Key,
    pub(crate) success: bool,
}

/// A registered piece of evidence.
pub(crate) struct Evidence<'j> {
    pub(crate) name: Named<'j>,
    pub(crate) sha256: &'j str,
    pub(crate) span: (u64, u64),
    pub(crate) chunk_id: &'j str,
    pub(crate) content_path: &'j str,
}

/// The event of a record.
fn record<'j>(node: Node<'j>, flaws: &mut Flaws) -> Option<Node<'j>> {
    let is_record = node.get("record").and_then(Node::as_str) == Some("trace_event");
    if is_record && node.get("event").is_some() {
        return Object::read(node, &RECORD, "", flaws)?.get("event");
    }
    flaws.push(Flaw::new(TraceReason::BadRecord, ""));
    None
}

/// Reads one event record.
pub(super) fn event<'j>(node: Node<'j>, flaws: &mut Flaws) -> Option<Event<'j>> {
    let event = record(node, flaws)?;
    let kind = event.get("kind");
    let word = kind.and_then(Node::as_str);
    let (table, inner): (&[Field], &str) = match word {
        Some("step_started") => (&STARTED, ""),
        Some("step_finished") => (&FINISHED, "output"),
        Some("tool_called") => (&CALLED, "call"),
        Some("tool_returned") => (&RETURNED, "result"),
        Some("evidence_registered") => (&REGISTERED, "evidence"),
        Some("claim_emitted") => (&CLAIMED, "claim"),
        _ => {
            let reason = match (kind, word) {
                (None, _) => TraceReason::MissingField,
                (Some(_), None) => TraceReason::BadField,
                (Some(_), Some(_)) => TraceReason::UnknownEventKind,
            };
            flaws.push(Flaw::new(reason, "event.kind"));
            return None;
        }
    };
    let object = Object::read(event, table, "event", flaws)?;
    let Some(node) = object.get(inner) else {
        return Some(assemble(&object, Body::Started, ("", "")));
    };
    let (body, text) = match inner {
        "output" => {
            let output = Output::read(node, "event.output", flaws)?;
            let text = output.normalised();
            (Body::Finished(output), text)
        }
        "call" => map_first(Call::read(node, flaws)?, Body::Called),
        "result" => map_first(ToolResult::read(node, flaws)?, Body::Returned),
        "evidence" => map_first(Evidence::read(node, flaws)?, Body::Registered),
        _ => map_first(Claim::read(node, "event.claim", flaws)?, Body::Claimed),
    };
    Some(assemble(&object, body, (inner, &text)))
}

fn map_first<A, B, T>((first, second): (A, T), map: impl FnOnce(A) -> B) -> (B, T) {
    (map(first), second)
}

/// `inner` names the object that the event carries, with its normalised text.
fn assemble<'j>(object: &Object<'j>, body: Body<'j>, inner: (&str, &str)) -> Event<'j> {
    let digits = object.get("idx").and_then(|node| match node.value() {
        Value::Number(digits) => Some(digits.text()),
        _ => None,
    });
    let text = object.normalised(|name, out| {
        if name == inner.0 {
            out.push_str(inner.1);
            return Write::Done;
        }
        Write::Plain
    });
    Event {
        idx: digits,
        step_id: object.text("step_id"),
        body,
        text,
    }
}

impl Event<'_> {
    /// Whether `idx` is this position.
    pub(crate) fn is_at(&self, position: u64) -> bool {
        self.idx.and_then(natural) == Some(position)
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
        let [id, step_id, tool_name] = ["id", "step_id", "tool_name"].map(|name| object.text(name));
        let arguments = object.get("arguments");
        let arguments = arguments.map_or_else(|| "{}".to_owned(), canonical::of_node);
        let call_idx = object.get("call_idx").map(canonical::of_node);
        let call_idx = call_idx.unwrap_or_default();
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
        Some((Self { name, step_id }, text))
    }
}

impl<'j> ToolResult<'j> {
    /// The result and its normalised text.
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &RESULT, "event.result", flaws)?;
        let call_id = object.text("call_id");
        let success = object.get("success").and_then(Node::as_bool);
        let result = Self {
            call_key: ids::key(call_id),
            call_id,
            success: success.unwrap_or_default(),
        };
        Some((result, object.normalised(|_, _| Write::Plain)))
    }
}

impl<'j> Evidence<'j> {
    /// The evidence and its normalised text.
    fn read(node: Node<'j>, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &EVIDENCE, "event.evidence", flaws)?;
        let recipe = |with_path: bool| {
            Digest::of(object.normalised(|name, _| match name {
                "id" => Write::Skip,
                "content_path" if !with_path => Write::Skip,
                _ => Write::Plain,
            }))
        };
        let name = Named::new(
            object.text("id"),
            &[("ev", &|| recipe(false)), ("evidence", &|| recipe(true))],
        );
        let text = object.normalised(with_id(&name.id));
        let evidence = Self {
            name,
            sha256: object.text("sha256"),
            span: object.get("span").and_then(span)?,
            chunk_id: object.text("chunk_id"),
            content_path: object.text("content_path"),
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
