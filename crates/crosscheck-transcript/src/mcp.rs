//! The Model Context Protocol: JSON-RPC messages between a client and a
//! server, as proxies and inspectors log them.

use std::collections::HashMap;

use crosscheck_core::Node;

use super::content::{answered, arguments, asked, list, marks_failure, present, scalar_text, text};
use super::model::{Body, Hints};
use super::sink::Sink;

/// Where loggers put the message beside their own fields.
const INSIDE: [&str; 5] = ["message", "payload", "data", "msg", "rpc"];

/// Requests that wait for their answer, by the text of their id.
#[derive(Debug, Default)]
pub(super) struct Requests(HashMap<String, usize>);

pub(super) fn record(sink: &mut Sink, record: Node<'_>) {
    let Some(rpc) = rpc(record) else {
        sink.ignore();
        return;
    };
    let id = scalar_text(rpc, &["id"]);
    match text(rpc, "method").as_deref() {
        Some("tools/call") => call(sink, rpc, id),
        // a new session restarts its request ids
        Some("initialize") => {
            sink.conversations.begin();
            sink.requests = Requests::default();
        }
        Some(_) => sink.ignore(),
        None => response(sink, rpc, id),
    }
}

/// The JSON-RPC message of a record, if there is one.
pub(super) fn rpc(record: Node<'_>) -> Option<Node<'_>> {
    let is_rpc = |node: &Node<'_>| node.get("jsonrpc").is_some();
    let inside = || INSIDE.iter().filter_map(|key| record.get(key));
    Some(record)
        .filter(is_rpc)
        .or_else(|| inside().find(is_rpc))
}

fn call(sink: &mut Sink, rpc: Node<'_>, id: Option<String>) {
    let params = rpc.get("params");
    let name = params.and_then(|params| text(params, "name"));
    let given = params.and_then(|params| params.get("arguments"));
    if let Some(id) = &id {
        *sink.requests.0.entry(id.clone()).or_default() += 1;
    }
    sink.tell(asked(id, name, arguments(given)));
}

fn response(sink: &mut Sink, rpc: Node<'_>, id: Option<String>) {
    let result = present(rpc, "result");
    let error = present(rpc, "error");
    if rpc.get("result").is_none() && error.is_none() {
        sink.ignore();
        return;
    }
    if let Some(tools) = result.filter(|result| result.get("tools").is_some()) {
        describe(sink, tools);
        return;
    }
    let waits = id.as_ref().and_then(|id| sink.requests.0.get_mut(id));
    match waits {
        Some(count) if *count > 0 => *count -= 1,
        _ => {
            sink.ignore();
            return;
        }
    }
    let answer = error.or_else(|| {
        let result = result?;
        present(result, "structuredContent").or_else(|| present(result, "content"))
    });
    let failed = error.is_some() || result.is_some_and(|result| marks_failure(result, "isError"));
    let mut body = answered(id, answer, failed);
    // a result without content is still one
    if let Body::ToolResult(tool_result) = &mut body {
        tool_result.recorded |= result.is_some();
    }
    sink.tell(body);
}

/// The annotations in a list of tools.
pub(super) fn describe(sink: &mut Sink, holder: Node<'_>) {
    for tool in list(holder, "tools") {
        if let (Some(name), Some(notes)) = (text(tool, "name"), tool.get("annotations")) {
            sink.transcript.tools.insert(name, Hints::of(notes));
        }
    }
}
