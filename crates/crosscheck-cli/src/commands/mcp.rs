//! `crosscheck mcp`: an agent asks before it speaks.
//!
//! A call becomes a job of `batch` and runs in a process of its own, so that a
//! call that fails ends no server. No argument of a tool widens what the
//! person who started the server allows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use crosscheck::core::advice::EXIT_COULD_NOT_RUN;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Map, Value, json};

use super::batch::MAX_LINE;
use super::batch::pool::{Pool, Reply};
use super::batch::worker::{self, Allowed};
use crate::args::batch::McpArgs;
use crate::failure::Failure;
use crate::output::Streams;

/// Calls at the same time.
const CALLS: usize = 2;

const INSTRUCTIONS: &str = "Check your own statements before you make them. A verdict is confirmed, refuted or \
    undecided; correct what is refuted, and say of what is undecided that it was not verified.";

pub(crate) fn run(args: &McpArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let runner = worker::runner(&args.runner, &Allowed::default())?;
    if args.runner.worker {
        return worker::serve(&runner, &args.runner);
    }
    let databases: Vec<String> = runner.databases.keys().cloned().collect();
    drop(runner);
    let server = Server {
        pool: Arc::new(Pool::start(CALLS, args.runner.limit)?),
        tools: tools(&databases),
        count: AtomicU64::new(0),
    };
    let failed = |why: String| Failure::usage(&why, "start the server from an MCP client");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let ended = runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio();
        // a longer message would be dropped without an answer; what is too long for a job is refused
        let both = AsyncRwTransport::new_server(input, output).with_max_line_length(usize::MAX);
        let running = server.serve(both).await;
        let running = running.map_err(|error| error.to_string())?;
        running.waiting().await.map_err(|error| error.to_string())
    });
    // a thread still waits on standard input
    runtime.shutdown_background();
    match ended {
        Ok(_) => Ok(0),
        Err(error) => {
            streams.talk(&format!("the client ended the conversation: {error}\n"));
            Ok(EXIT_COULD_NOT_RUN)
        }
    }
}

struct Server {
    pool: Arc<Pool>,
    tools: Vec<Tool>,
    count: AtomicU64,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("crosscheck", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let seq = self.count.fetch_add(1, Ordering::Relaxed);
        let schema = self.get_tool(&request.name).map(|tool| tool.input_schema);
        let line = job(seq, &request, schema.as_deref())?.to_string();
        if line.len() > MAX_LINE {
            let message = "the call is larger than 64 MiB; name large inputs by their path";
            return Err(ErrorData::invalid_params(message, None));
        }
        let pool = Arc::clone(&self.pool);
        let (replies, answered) = mpsc::channel::<Reply>();
        let reply = tokio::task::spawn_blocking(move || {
            pool.push(seq, seq, line.into_bytes(), &replies);
            drop(replies);
            let reply = answered.recv();
            pool.finished(reply.as_ref().map_or(0, |reply| reply.cost));
            reply
        });
        let gone = || ErrorData::internal_error("the check was ended", None);
        let reply = reply.await.map_err(|_| gone())?.map_err(|_| gone())?;
        let answer: Value = serde_json::from_slice(&reply.line).map_err(|_| gone())?;
        let result = if reply.exit == EXIT_COULD_NOT_RUN {
            CallToolResult::structured_error(answer)
        } else {
            CallToolResult::structured(answer)
        };
        Ok(result.into())
    }
}

/// The job of a call. What the schema of its tool does not list is refused.
fn job(
    seq: u64,
    request: &CallToolRequestParams,
    schema: Option<&JsonObject>,
) -> Result<Value, ErrorData> {
    let mut given = request.arguments.clone().unwrap_or_default();
    let Some(offer) = OFFERS.iter().find(|offer| offer.name == request.name) else {
        let message = format!("unknown tool `{}`", request.name);
        return Err(ErrorData::invalid_params(message, None));
    };
    let mut job = Map::new();
    for (name, _, _) in offer.arguments {
        if let Some(value) = given.remove(*name) {
            let allowed = schema.and_then(|schema| schema.get("properties")?.get(*name));
            if let Some(wanted) = allowed.and_then(|allowed| wanted_instead(allowed, &value)) {
                let message = format!("`{name}` of `{}` must be {wanted}", request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
            let (member, value) = member(name, value);
            if job.insert(member.to_owned(), value).is_some() {
                let message = format!("`{member}` and `{name}` are the same: give one of them");
                return Err(ErrorData::invalid_params(message, None));
            }
        }
    }
    if let Some(name) = given.keys().next() {
        let message = format!("`{}` takes no argument `{name}`", request.name);
        return Err(ErrorData::invalid_params(message, None));
    }
    job.insert("id".to_owned(), seq.into());
    job.insert("task".to_owned(), offer.task.into());
    Ok(Value::Object(job))
}

/// What an argument must be when it is not that: one of some names, or of another kind.
fn wanted_instead(allowed: &Value, value: &Value) -> Option<String> {
    if let Some(names) = allowed.get("enum").and_then(Value::as_array) {
        let is_one = names.contains(value);
        return (!is_one).then(|| format!("one of {}", Value::from(names.clone())));
    }
    let kind = match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        _ => "other",
    };
    let kinds = allowed.get("type")?;
    let is_one = kinds == kind
        || kinds
            .as_array()
            .is_some_and(|kinds| kinds.contains(&kind.into()));
    (!is_one).then(|| format!("of type {kinds}"))
}

/// An argument as a member of a job.
fn member(name: &str, value: Value) -> (&str, Value) {
    match (name, value) {
        ("log_path", path) => ("log", json!({ "path": path })),
        ("transcript_path", path) => ("transcript", json!({ "path": path })),
        ("log" | "document" | "text", Value::String(text)) => {
            let member = if name == "text" { "document" } else { name };
            (member, json!({ "text": text }))
        }
        ("log" | "document", value) => (name, json!({ "text": value.to_string() })),
        (name, value) => (name, value),
    }
}

/// A tool: its task, and its arguments with whether they are needed.
struct Offer {
    name: &'static str,
    task: &'static str,
    about: &'static str,
    arguments: &'static [(&'static str, bool, &'static str)],
}

const OFFERS: [Offer; 5] = [
    Offer {
        name: "check_claims",
        task: "claims",
        about: "Check claims with evidence (file, lines, quote or URL) before you report them. Reads files below the \
            project root and public web pages.",
        arguments: &[(
            "document",
            true,
            "A SubResult.v1: {\"version\":\"SubResult.v1\",\"task_id\":\"…\",\"status\":\"ok\",\"coverage\":{\"inputs_scanned\":[…]},\
             \"answers\":[{\"question\":\"…\",\"summary\":\"…\",\"claims\":[{\"claim\":\"…\",\"confidence\":0.9,\
             \"evidence\":[{\"source\":\"src/main.rs\",\"locator\":{\"type\":\"line_range\",\"path\":\"src/main.rs\",\"start\":1,\"end\":3},\
             \"quote\":\"…\"}]}]}]}",
        )],
    },
    Offer {
        name: "check_sources",
        task: "sources",
        about: "Check that the URLs a text cites exist and support what it says, before you send it.",
        arguments: &[
            (
                "text",
                true,
                "The text with its citations, Markdown unless `name` says otherwise",
            ),
            (
                "name",
                false,
                "A file name that says the format, for example `answer.html`",
            ),
        ],
    },
    Offer {
        name: "check_rows",
        task: "rows",
        about: "Check that the writes of a tool-call log really happened in a database. The databases are those that \
            the server was started with.",
        arguments: &[
            ("db", true, "The name of the database"),
            (
                "log",
                false,
                "The log itself: one JSON object per line, or a list of messages",
            ),
            (
                "log_path",
                false,
                "A log file below the project root, instead of `log`",
            ),
        ],
    },
    Offer {
        name: "check_done",
        task: "done",
        about: "Check a final message (\"all tests pass\", \"created x.py\", \"committed\") against the project and the \
            session before you send it.",
        arguments: &[
            ("message", true, "The message"),
            (
                "transcript_path",
                false,
                "The session's log, a file below the project root",
            ),
        ],
    },
    Offer {
        name: "explain",
        task: "explain",
        about: "Explain a reason or error code of a check.",
        arguments: &[("code", true, "The code, for example `VALUE_MISMATCH`")],
    },
];

fn tools(databases: &[String]) -> Vec<Tool> {
    let output = Arc::new(output_schema());
    let tool = |offer: &Offer| {
        let mut input = input_schema(offer);
        if let Some(names) = input.pointer_mut("/properties/db") {
            names["enum"] = json!(databases);
        }
        let input = match input {
            Value::Object(input) => input,
            _ => JsonObject::new(),
        };
        let hints = ToolAnnotations::new().read_only(true).destructive(false);
        Tool::new(offer.name, offer.about, Arc::new(input))
            .with_raw_output_schema(Arc::clone(&output))
            .with_annotations(hints)
    };
    // without a database there is nothing to ask about rows
    let offered = OFFERS
        .iter()
        .filter(|offer| offer.task != "rows" || !databases.is_empty());
    offered.map(tool).collect()
}

fn input_schema(offer: &Offer) -> Value {
    let mut properties = Map::new();
    for (name, _, about) in offer.arguments {
        let kind = match *name {
            "document" => json!(["object", "string"]),
            "log" => json!(["string", "array"]),
            _ => json!("string"),
        };
        properties.insert(
            (*name).to_owned(),
            json!({ "type": kind, "description": about }),
        );
    }
    let needed = offer.arguments.iter().filter(|(_, needed, _)| *needed);
    let needed: Vec<&str> = needed.map(|(name, _, _)| *name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    })
}

fn output_schema() -> JsonObject {
    let documents = crosscheck::catalogue::DOCUMENTS.iter();
    let mut documents = documents.filter(|document| document.name == "batch-answer");
    let schema = documents.next().map(|document| (document.schema)());
    match schema.map(rmcp::schemars::Schema::to_value) {
        Some(Value::Object(schema)) => schema,
        _ => JsonObject::new(),
    }
}
