//! OpenTelemetry spans that follow the GenAI conventions: OTLP JSON, and
//! spans as single objects the way SDK exporters print them.
//!
//! Exporters write a span when it ends, so children come before parents; the
//! events keep the order of the log, and `LogEntry` has the times.

mod value;

use crosscheck_core::{Json, Node};

use self::value::Attributes;
use super::content::{first_text, list, present, readable, said, scalar_text, text};
use super::model::{Body, Hints, Role, ToolCall, ToolResult, Witness};
use super::sink::{Sink, Telling};

/// When a span ended.
const ENDS: [&str; 4] = [
    "endTimeUnixNano",
    "end_time_unix_nano",
    "end_time",
    "endTime",
];

pub(super) fn record(sink: &mut Sink, record: Node<'_>) {
    let resources = ["resourceSpans", "resource_spans"]
        .into_iter()
        .find(|key| record.get(key).is_some());
    if let Some(key) = resources {
        for resource in list(record, key) {
            scopes(sink, resource);
        }
    } else if record.get("scopeSpans").is_some() {
        scopes(sink, record);
    } else if record.get("attributes").is_some() {
        span(sink, record);
    } else {
        sink.ignore();
    }
}

fn scopes(sink: &mut Sink, resource: Node<'_>) {
    for key in ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"] {
        for scope in list(resource, key) {
            for one in list(scope, "spans") {
                span(sink, one);
            }
        }
    }
}

fn span(sink: &mut Sink, span: Node<'_>) {
    let attributes = Attributes::of(span);
    let operation = attributes.text("gen_ai.operation.name").unwrap_or_default();
    let tool = attributes.text("gen_ai.tool.name");
    let context = present(span, "context").unwrap_or(span);
    sink.enter_trace(first_text(context, &["traceId", "trace_id"]));
    if operation == "execute_tool" || (operation.is_empty() && tool.is_some()) {
        executed(sink, span, &attributes, tool);
        return;
    }
    // repeats what the spans below it report
    let is_sum = matches!(
        operation.as_str(),
        "invoke_agent" | "create_agent" | "invoke_workflow"
    );
    let mut words = vec![Words::of(&attributes)];
    words.extend(list(span, "events").map(|event| Words::of(&Attributes::of(event))));
    for words in &words {
        conversation(sink, words, is_sum);
    }
    if words.iter().all(Words::is_none) {
        sink.ignore();
    }
}

/// The tool's own record: the call, and the answer when the span has ended.
fn executed(sink: &mut Sink, span: Node<'_>, attributes: &Attributes, tool: Option<String>) {
    let context = present(span, "context").unwrap_or(span);
    let own = || first_text(context, &["spanId", "span_id"]);
    let id = attributes.text("gen_ai.tool.call.id");
    let id = id.filter(|id| !id.is_empty()).or_else(own);
    // an unset time is written as zero
    let ended = scalar_text(span, &ENDS).is_some_and(|time| time != "0");
    sink.tell(Body::ToolCall(ToolCall {
        id: id.clone(),
        name: tool.unwrap_or_default(),
        arguments: attributes.arguments("gen_ai.tool.call.arguments"),
        witness: Witness::Tool,
        hints: Hints::default(),
    }));
    let result = attributes.json("gen_ai.tool.call.result");
    let text = attributes.text("gen_ai.tool.call.result");
    let error = attributes.text("error.type");
    let is_error = error.is_some() || status_is_error(span);
    if !ended && result.is_none() && text.is_none() && !is_error {
        return;
    }
    let recorded = text.is_some() || result.is_some();
    let said = text
        .or_else(|| result.as_ref().map(|json| readable(json.root())))
        .or(error)
        .unwrap_or_default();
    sink.tell(Body::ToolResult(ToolResult {
        call_id: id,
        tool: None,
        content: said,
        structured: result,
        recorded,
        is_error,
        witness: Witness::Tool,
    }));
}

fn status_is_error(span: Node<'_>) -> bool {
    let Some(status) = span.get("status") else {
        return false;
    };
    matches!(
        scalar_text(status, &["code", "status_code"]).as_deref(),
        Some("2" | "STATUS_CODE_ERROR" | "ERROR")
    )
}

/// The input and output of the model, as far as recorded.
struct Words {
    system: Option<Json>,
    input: Option<Json>,
    output: Option<Json>,
}

impl Words {
    fn of(attributes: &Attributes) -> Self {
        Self {
            system: attributes.parsed("gen_ai.system_instructions"),
            input: attributes.parsed("gen_ai.input.messages"),
            output: attributes.parsed("gen_ai.output.messages"),
        }
    }

    const fn is_none(&self) -> bool {
        self.system.is_none() && self.input.is_none() && self.output.is_none()
    }
}

fn conversation(sink: &mut Sink, words: &Words, is_sum: bool) {
    let unless_sum = |telling| if is_sum { Telling::Summary } else { telling };
    if let Some(system) = &words.system
        && let Some(body) = said(Role::System, parts_text(system.root()))
    {
        sink.put(unless_sum(Telling::History), body);
    }
    for (messages, telling) in [
        (&words.input, Telling::History),
        (&words.output, Telling::New),
    ] {
        let telling = unless_sum(telling);
        let messages = messages.as_ref().and_then(|json| json.root().as_array());
        for message in messages.into_iter().flatten() {
            super::message::message(sink, message, telling);
        }
    }
}

fn parts_text(parts: Node<'_>) -> String {
    let texts = parts.as_array().into_iter().flatten();
    let texts: Vec<String> = texts.filter_map(|part| text(part, "content")).collect();
    if texts.is_empty() {
        readable(parts)
    } else {
        texts.join("\n")
    }
}
