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
use serde::Deserialize;
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
        offers: offers(&databases),
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
    offers: Vec<Offer>,
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
        Ok(ListToolsResult::with_all_items(
            self.offers.iter().map(tool).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offers
            .iter()
            .find(|offer| offer.name == name)
            .map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let seq = self.count.fetch_add(1, Ordering::Relaxed);
        let line = job(seq, &request, &self.offers)?.to_string();
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
fn job(seq: u64, request: &CallToolRequestParams, offers: &[Offer]) -> Result<Value, ErrorData> {
    let refused = |message: String| Err(ErrorData::invalid_params(message, None));
    let Some(offer) = offers.iter().find(|offer| offer.name == request.name) else {
        return refused(format!("unknown tool `{}`", request.name));
    };
    let properties = offer.input_schema.get("properties");
    let mut job = Map::new();
    for (name, value) in request.arguments.clone().unwrap_or_default() {
        let Some(allowed) = properties.and_then(|properties| properties.get(&name)) else {
            return refused(format!("`{}` takes no argument `{name}`", request.name));
        };
        if let Some(wanted) = wanted_instead(allowed, &value) {
            return refused(format!("`{name}` of `{}` must be {wanted}", request.name));
        }
        let (member, value) = member(&name, value);
        if job.insert(member.to_owned(), value).is_some() {
            let other = format!("{member}_path");
            return refused(format!(
                "`{member}` and `{other}` are the same: give one of them"
            ));
        }
    }
    job.insert("id".to_owned(), seq.into());
    job.insert("task".to_owned(), offer.task.as_str().into());
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

/// A tool of `mcp_tools.json`: a check of `batch`, and the JSON Schema of what it is given.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    name: String,
    task: String,
    description: String,
    input_schema: JsonObject,
}

/// What is offered; without a database there is nothing to ask about rows.
#[expect(
    clippy::expect_used,
    reason = "the data is part of the program, and a test reads it"
)]
fn offers(databases: &[String]) -> Vec<Offer> {
    let offers = serde_json::from_str::<Vec<Offer>>(include_str!("mcp_tools.json"));
    let mut offers = offers.expect("mcp_tools.json is as the types say");
    offers.retain(|offer| offer.task != "rows" || !databases.is_empty());
    for offer in &mut offers {
        let properties = offer.input_schema.get_mut("properties");
        if let Some(names) = properties.and_then(|properties| properties.get_mut("db")) {
            names["enum"] = json!(databases);
        }
    }
    offers
}

fn tool(offer: &Offer) -> Tool {
    let hints = ToolAnnotations::new().read_only(true).destructive(false);
    let input = Arc::new(offer.input_schema.clone());
    Tool::new(offer.name.clone(), offer.description.clone(), input)
        .with_raw_output_schema(Arc::new(output_schema()))
        .with_annotations(hints)
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
