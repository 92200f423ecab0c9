//! LangSmith runs: one object, a list, `{"runs": […]}`, or one on each line,
//! with children inside (`child_runs`) or beside.

use crosscheck_core::Node;
use crosscheck_core::json::Value;

use super::content::{arguments, is_recorded, list, present, readable, said, structured, text};
use super::message::{inner, message};
use super::model::{Arguments, Body, Hints, Role, ToolCall, ToolResult, Witness};
use super::sink::{Sink, Telling};

pub(super) fn record(sink: &mut Sink, record: Node<'_>) {
    // a stack, not recursion: children may nest as deep as the text is long
    let mut waiting = vec![record];
    while let Some(one) = waiting.pop() {
        let before = waiting.len();
        if one.get("run_type").is_some() {
            run(sink, one);
        } else if one.get("runs").is_none() {
            sink.ignore();
        }
        waiting.extend(list(one, "runs"));
        waiting.extend(list(one, "child_runs"));
        // the first child is the next to be read
        if let Some(added) = waiting.get_mut(before..) {
            added.reverse();
        }
    }
}

fn run(sink: &mut Sink, run: Node<'_>) {
    let kind = text(run, "run_type").unwrap_or_default();
    sink.enter_trace(text(run, "trace_id"));
    match kind.as_str() {
        "tool" | "retriever" => tool(sink, run),
        "llm" => model(sink, run),
        _ => sink.ignore(),
    }
}

/// The tool's own record; without an end there is no answer yet.
fn tool(sink: &mut Sink, run: Node<'_>) {
    let outputs = present(run, "outputs");
    // a tool that returns nothing is logged as `{"output": null}`
    let output = outputs
        .map(|outputs| outputs.get("output").unwrap_or(outputs))
        .filter(|output| !output.is_null());
    let body = output.map(inner);
    let id = body
        .and_then(|body| text(body, "tool_call_id"))
        .or_else(|| {
            run.get("inputs")
                .and_then(|inputs| text(inputs, "tool_call_id"))
        })
        .or_else(|| text(run, "id"));
    sink.tell(Body::ToolCall(ToolCall {
        id: id.clone(),
        name: text(run, "name").unwrap_or_default(),
        arguments: tool_arguments(run),
        witness: Witness::Tool,
        hints: Hints::default(),
    }));
    let error = text(run, "error").filter(|error| !error.is_empty());
    if error.is_none() && outputs.is_none() && present(run, "end_time").is_none() {
        return;
    }
    let status = body.and_then(|body| text(body, "status"));
    let content = body.map(|body| body.get("content").unwrap_or(body));
    sink.tell(Body::ToolResult(ToolResult {
        call_id: id,
        tool: None,
        recorded: error.is_some() || content.is_some_and(is_recorded),
        is_error: error.is_some() || status.as_deref() == Some("error"),
        content: error.unwrap_or_else(|| content.map(readable).unwrap_or_default()),
        structured: output.and_then(structured),
        witness: Witness::Tool,
    }));
}

/// A tool with one text input is logged as `{"input": "…"}`.
fn tool_arguments(run: Node<'_>) -> Arguments {
    let Some(inputs) = present(run, "inputs") else {
        return Arguments::Absent;
    };
    let only = inputs
        .as_object()
        .is_some_and(|members| members.count() == 1);
    match inputs.get("input").filter(|_| only) {
        Some(input) => match arguments(Some(input)) {
            Arguments::Json(json) if json.root().as_object().is_some() => Arguments::Json(json),
            Arguments::Text(text) => Arguments::Text(text),
            Arguments::Json(_) | Arguments::Absent => arguments(Some(inputs)),
        },
        None => arguments(Some(inputs)),
    }
}

fn model(sink: &mut Sink, run: Node<'_>) {
    if let Some(messages) = run.get("inputs").and_then(|inputs| inputs.get("messages")) {
        each(messages, |one| message(sink, one, Telling::History));
    }
    let Some(outputs) = run.get("outputs") else {
        return;
    };
    for key in ["generations", "choices"] {
        if let Some(generations) = outputs.get(key) {
            each(generations, |one| {
                if let Some(said) = one.get("message") {
                    message(sink, said, Telling::New);
                } else if let Some(words) = text(one, "text")
                    && let Some(body) = said(Role::Assistant, words)
                {
                    sink.tell(body);
                }
            });
        }
    }
    for key in ["messages", "message", "output"] {
        if let Some(messages) = outputs.get(key) {
            each(messages, |one| message(sink, one, Telling::New));
        }
    }
    if outputs.get("role").is_some() {
        message(sink, outputs, Telling::New);
    }
}

/// Lists come plain or, for batches, as lists of lists.
fn each<'j>(node: Node<'j>, mut tell: impl FnMut(Node<'j>)) {
    match node.value() {
        Value::Array(items) => {
            for item in items {
                match item.as_array() {
                    Some(batch) => batch.for_each(&mut tell),
                    None => tell(item),
                }
            }
        }
        Value::Object(_) => tell(node),
        _ => {}
    }
}
