//! Logs in the shapes that agents and exporters write, one format after the
//! other: the unchanged log holds, and each fault in it has its own code.

use std::collections::BTreeSet;

use crosscheck_core::Verdict;
use crosscheck_trace::linkage::{LinkageReport, linkage};
use crosscheck_transcript::{Format, detect, read};
use serde_json::{Value, json};

use crate::support::set;

fn look(format: Format, records: &[Value]) -> LinkageReport {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    linkage(&read(format, &text), "log.jsonl", 100)
}

fn codes(report: &LinkageReport) -> BTreeSet<String> {
    let wire = |failure: &crosscheck_trace::Failure| failure.reason.wire();
    report.failures().iter().map(wire).collect()
}

/// The unchanged log holds, is recognised by its content, and each change gives
/// exactly these codes.
fn assert_cases(format: Format, log: &[Value], cases: &[(&str, fn(&mut Vec<Value>))]) {
    let text: String = log.iter().map(|record| format!("{record}\n")).collect();
    assert_eq!(detect(&text), Some(format), "found out from the content");
    let whole = look(format, log);
    assert_eq!(codes(&whole), set(&[]), "{}", whole.human());
    assert_eq!(whole.verdict(), Verdict::Undecided, "never accepted");
    for (code, change) in cases {
        let mut changed = log.to_vec();
        change(&mut changed);
        let report = look(format, &changed);
        assert_eq!(codes(&report), set(&[code]), "{}", report.human());
        assert_eq!(report.verdict(), Verdict::Refuted);
    }
}

fn claude_line(kind: &str, uuid: &str, parent: Option<&str>, message: Value) -> Value {
    json!({"parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/srv/app",
        "sessionId": "0b1f2c9e-8a51-4d6e-9f65-2f3f6f0f9a10", "version": "2.1.40", "gitBranch": "main",
        "type": kind, "message": message, "uuid": uuid, "timestamp": "2026-05-05T10:00:00.000Z"})
}

fn claude_says(uuid: &str, parent: &str, id: &str, block: Value) -> Value {
    claude_line(
        "assistant",
        uuid,
        Some(parent),
        json!({"id": id, "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": null, "usage": {"input_tokens": 4, "output_tokens": 20}}),
    )
}

fn claude_result(uuid: &str, parent: &str, call: &str, content: &str, failed: bool) -> Value {
    let block =
        json!({"tool_use_id": call, "type": "tool_result", "content": content, "is_error": failed});
    let mut line = claude_line(
        "user",
        uuid,
        Some(parent),
        json!({"role": "user", "content": [block]}),
    );
    line["toolUseResult"] = json!({"stdout": content, "stderr": "", "interrupted": false});
    line
}

fn claude_session() -> Vec<Value> {
    let bash = |id: &str, command: &str| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
    vec![
        json!({"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"trackedFileBackups": {}}, "isSnapshotUpdate": false}),
        claude_line(
            "user",
            "u1",
            None,
            json!({"role": "user", "content": "run the tests"}),
        ),
        claude_says(
            "u2",
            "u1",
            "msg_1",
            json!({"type": "text", "text": "I will run them."}),
        ),
        claude_says("u3", "u2", "msg_1", bash("toolu_1", "cargo test")),
        claude_result("u4", "u3", "toolu_1", "error: test failed", true),
        claude_says(
            "u5",
            "u4",
            "msg_2",
            bash("toolu_2", "cargo test -- --nocapture"),
        ),
        claude_result("u6", "u5", "toolu_2", "ok. 12 passed", false),
        claude_says(
            "u7",
            "u6",
            "msg_3",
            json!({"type": "text", "text": "All tests pass."}),
        ),
    ]
}

#[test]
fn a_claude_code_session_holds_and_each_fault_in_it_is_named() {
    assert_cases(
        Format::ClaudeCode,
        &claude_session(),
        &[
            ("missing_tool_result", |log| {
                log[5]["parentUuid"] = json!("u3");
                log.remove(4);
            }),
            ("orphan_tool_result", |log| {
                log[4]["parentUuid"] = json!("u2");
                log.remove(3);
            }),
            ("duplicate_tool_result", |log| {
                let mut again = log[6].clone();
                again["uuid"] = json!("u6b");
                log.insert(7, again);
            }),
            ("duplicate_call_id", |log| {
                let mut again = log[5].clone();
                again["uuid"] = json!("u5b");
                log.insert(6, again);
            }),
            ("result_before_call", |log| {
                log[4]["parentUuid"] = json!("u2");
                log[3]["parentUuid"] = json!("u4");
                log[5]["parentUuid"] = json!("u3");
                log.swap(3, 4);
            }),
            ("unknown_parent", |log| log[6]["parentUuid"] = json!("gone")),
            ("unknown_parent", |log| log[7]["parentUuid"] = json!("u7")),
            ("orphan_tool_result", |log| {
                let mut forged = log[6].clone();
                forged["uuid"] = json!("u6b");
                let block = &mut forged["message"]["content"][0];
                block.as_object_mut().unwrap().remove("tool_use_id");
                log.insert(7, forged);
            }),
            ("duplicate_record_id", |log| log[7]["uuid"] = json!("u2")),
        ],
    );
}

#[test]
fn the_same_block_written_again_while_streaming_is_one_block() {
    let mut log = claude_session();
    let again = log[3].clone();
    log.insert(4, again);
    assert!(
        codes(&look(Format::ClaudeCode, &log)).is_subset(&set(&["duplicate_record_id"])),
        "a line with the same uuid is not a second call"
    );
}

fn codex_line(at: u32, kind: &str, payload: Value) -> Value {
    json!({"timestamp": format!("2026-05-05T10:00:{at:02}.000Z"), "ordinal": at, "type": kind, "payload": payload})
}

fn codex_rollout() -> Vec<Value> {
    let shell = r#"{"command":["bash","-lc","ls"],"workdir":"/srv/app"}"#;
    let words = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
    vec![
        codex_line(
            0,
            "session_meta",
            json!({"id": "0199-aa", "cwd": "/srv/app", "originator": "codex_cli_rs", "cli_version": "0.60.0"}),
        ),
        codex_line(
            1,
            "turn_context",
            json!({"cwd": "/srv/app", "approval_policy": "on-request", "model": "m"}),
        ),
        codex_line(
            2,
            "response_item",
            words("user", "input_text", "list the files"),
        ),
        codex_line(3, "event_msg", json!({"type": "task_started"})),
        codex_line(
            4,
            "response_item",
            json!({"type": "reasoning", "summary": [], "encrypted_content": "x"}),
        ),
        codex_line(
            5,
            "response_item",
            json!({"type": "function_call", "name": "shell", "arguments": shell, "call_id": "call_1"}),
        ),
        codex_line(
            6,
            "response_item",
            json!({"type": "function_call_output", "call_id": "call_1", "output": "{\"output\":\"a\\nb\\n\",\"metadata\":{\"exit_code\":0}}"}),
        ),
        codex_line(
            7,
            "response_item",
            json!({"type": "custom_tool_call", "status": "completed", "call_id": "call_2", "name": "apply_patch", "input": "*** Begin Patch"}),
        ),
        codex_line(
            8,
            "response_item",
            json!({"type": "custom_tool_call_output", "call_id": "call_2", "output": "Success."}),
        ),
        codex_line(
            9,
            "response_item",
            words("assistant", "output_text", "There are a and b."),
        ),
        codex_line(
            10,
            "event_msg",
            json!({"type": "task_complete", "last_agent_message": "There are a and b."}),
        ),
    ]
}

#[test]
fn a_codex_rollout_holds_and_each_fault_in_it_is_named() {
    assert_cases(
        Format::Codex,
        &codex_rollout(),
        &[
            ("missing_tool_result", |log| drop(log.remove(6))),
            ("orphan_tool_result", |log| drop(log.remove(7))),
            ("duplicate_tool_result", |log| log.insert(9, log[8].clone())),
            ("duplicate_call_id", |log| log.insert(6, log[5].clone())),
            ("result_before_call", |log| log.swap(5, 6)),
        ],
    );
}

/// The events of 0.166 when a tool has ended.
fn codex_item(at: u32, item: Value) -> Value {
    codex_line(
        at,
        "event_msg",
        json!({"type": "item_completed", "turn_id": "t", "item": item}),
    )
}

/// A command that fails, one that keeps running in the background, and calls of
/// an MCP server, as 0.166 writes them.
fn codex_rollout_of_0_166() -> Vec<Value> {
    let call = |at: u32, id: &str, name: &str, arguments: &str| {
        let call =
            json!({"type": "function_call", "name": name, "arguments": arguments, "call_id": id});
        codex_line(at, "response_item", call)
    };
    let shown = |at: u32, id: &str, output: Value| {
        let shown = json!({"type": "function_call_output", "call_id": id, "output": output});
        codex_line(at, "response_item", shown)
    };
    let text = |text: &str| json!([{"type": "input_text", "text": "Wall time: 0.1 seconds\nOutput:"}, {"type": "input_text", "text": text}]);
    vec![
        codex_line(0, "session_meta", json!({"id": "0199-ab", "cwd": "/srv"})),
        call(1, "call_1", "exec_command", r#"{"cmd":"exit 3"}"#),
        codex_item(
            2,
            json!({"type": "CommandExecution", "id": "call_1", "process_id": "17", "status": "failed", "aggregated_output": "", "exit_code": 3}),
        ),
        shown(
            3,
            "call_1",
            json!("Chunk ID: 8\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n"),
        ),
        call(4, "call_2", "exec_command", r#"{"cmd":"sleep 9; exit 4"}"#),
        shown(
            5,
            "call_2",
            json!("Wall time: 0.3 seconds\nProcess running with session ID 18\nOutput:\n"),
        ),
        call(
            6,
            "call_3",
            "write_stdin",
            r#"{"session_id":18,"chars":""}"#,
        ),
        codex_item(
            7,
            json!({"type": "CommandExecution", "id": "call_2", "process_id": "18", "status": "failed", "aggregated_output": "", "exit_code": 4}),
        ),
        shown(
            8,
            "call_3",
            json!("Wall time: 1.4 seconds\nProcess exited with code 4\nOutput:\n"),
        ),
        call(9, "call_4", "save", r#"{"id":"bad"}"#),
        codex_item(
            10,
            json!({"type": "McpToolCall", "id": "call_4", "tool": "save", "status": "failed", "result": {"content": [], "isError": true}}),
        ),
        shown(11, "call_4", text("cannot save")),
        codex_item(
            12,
            json!({"type": "AgentMessage", "id": "m", "content": []}),
        ),
        codex_line(13, "event_msg", json!({"type": "task_complete"})),
    ]
}

#[test]
fn a_rollout_of_codex_0_166_holds_and_each_fault_in_it_is_named() {
    fn retell(log: &mut [Value], at: usize, from: &str, to: &str) {
        let output = &mut log[at]["payload"]["output"];
        *output = json!(output.as_str().unwrap().replace(from, to));
    }
    assert_cases(
        Format::Codex,
        &codex_rollout_of_0_166(),
        &[
            ("error_shown_as_success", |log| {
                retell(log, 3, "code 3", "code 0");
            }),
            ("result_altered", |log| retell(log, 3, "code 3", "code 1")),
            ("error_shown_as_success", |log| {
                retell(log, 8, "code 4", "code 0");
            }),
            ("error_shown_as_success", |log| {
                log[11]["payload"]["output"] = json!({"content": "saved", "success": true});
            }),
            ("missing_tool_result", |log| drop(log.remove(5))),
            ("orphan_tool_result", |log| drop(log.remove(9))),
        ],
    );
}

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn span(
    id: &str,
    parent: &str,
    (from, to): (u64, u64),
    name: &str,
    attributes: Vec<Value>,
) -> Value {
    let nanos = |second: u64| (1_777_975_200_000_000_000 + second * 1_000_000_000).to_string();
    json!({"traceId": "5b8efff798038103d269b633813fc60c", "spanId": id, "parentSpanId": parent, "name": name, "kind": 1,
        "startTimeUnixNano": nanos(from), "endTimeUnixNano": nanos(to), "attributes": attributes, "status": {}})
}

fn chat_span(id: &str, times: (u64, u64), input: Value, output: Value) -> Value {
    let mut attributes = vec![
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.provider.name", "openai"),
        attribute("gen_ai.input.messages", &input.to_string()),
    ];
    attributes.push(attribute("gen_ai.output.messages", &output.to_string()));
    span(id, "eee19b7ec3c1b174", times, "chat m", attributes)
}

fn otel_spans() -> Vec<Value> {
    let question =
        json!({"role": "user", "parts": [{"type": "text", "content": "Weather in Paris?"}]});
    let asks = json!({"role": "assistant", "parts": [{"type": "tool_call", "id": "call_W", "name": "get_weather", "arguments": {"location": "Paris"}}], "finish_reason": "tool_call"});
    let shown = json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_W", "response": "rainy, 57F"}]});
    let answer = json!({"role": "assistant", "parts": [{"type": "text", "content": "Rain."}], "finish_reason": "stop"});
    let tool = vec![
        attribute("gen_ai.operation.name", "execute_tool"),
        attribute("gen_ai.tool.name", "get_weather"),
        attribute("gen_ai.tool.call.id", "call_W"),
        attribute("gen_ai.tool.call.arguments", r#"{"location":"Paris"}"#),
        attribute("gen_ai.tool.call.result", "rainy, 57F"),
    ];
    let agent = vec![attribute("gen_ai.operation.name", "invoke_agent")];
    let spans = vec![
        // exporters write a span when it ends
        chat_span("a000000000000001", (1, 2), json!([question]), json!([asks])),
        span(
            "a000000000000002",
            "eee19b7ec3c1b174",
            (3, 4),
            "execute_tool get_weather",
            tool,
        ),
        chat_span(
            "a000000000000003",
            (5, 6),
            json!([question, asks, shown]),
            json!([answer]),
        ),
        span("eee19b7ec3c1b174", "", (0, 7), "invoke_agent", agent),
    ];
    vec![
        json!({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "s"}, "spans": spans}]}]}),
    ]
}

fn spans(log: &mut [Value]) -> &mut Vec<Value> {
    let spans = &mut log[0]["resourceSpans"][0]["scopeSpans"][0]["spans"];
    spans.as_array_mut().unwrap()
}

#[test]
fn opentelemetry_spans_hold_and_each_fault_in_them_is_named() {
    assert_cases(
        Format::Otel,
        &otel_spans(),
        &[
            ("child_outside_parent", |log| {
                spans(log)[1]["endTimeUnixNano"] = json!("1777975299000000000");
            }),
            ("child_outside_parent", |log| {
                spans(log)[0]["startTimeUnixNano"] = json!("1777975199000000000");
            }),
            ("result_before_call", |log| {
                spans(log)[1]["startTimeUnixNano"] = json!("1777975200500000000");
            }),
            ("result_before_call", |log| {
                // shown from the fifth second on, and executed in the sixth
                spans(log)[1]["startTimeUnixNano"] = json!("1777975206000000000");
                spans(log)[1]["endTimeUnixNano"] = json!("1777975206500000000");
            }),
            ("missing_tool_result", |log| {
                let asks = |id: &str| json!({"type": "tool_call", "id": id, "name": "get_weather", "arguments": {"location": "Paris"}});
                let two = json!([{"role": "assistant", "parts": [asks("call_R"), asks("call_W")], "finish_reason": "tool_call"}]);
                spans(log)[0]["attributes"][3] =
                    attribute("gen_ai.output.messages", &two.to_string());
            }),
            ("request_not_executed", |log| {
                // another call keeps both sides of the log
                let mut other = spans(log)[1].clone();
                other["spanId"] = json!("a000000000000009");
                other["attributes"][2] = attribute("gen_ai.tool.call.id", "call_X");
                let mut asked = spans(log)[0].clone();
                asked["spanId"] = json!("a000000000000008");
                let text = asked.to_string().replace("call_W", "call_X");
                spans(log).remove(1);
                spans(log).insert(1, other);
                spans(log).insert(1, serde_json::from_str(&text).unwrap());
            }),
            ("execution_not_requested", |log| {
                let mut other = spans(log)[1].clone();
                other["spanId"] = json!("a000000000000009");
                other["attributes"][2] = attribute("gen_ai.tool.call.id", "call_X");
                spans(log).insert(2, other);
            }),
            ("result_altered", |log| {
                spans(log)[1]["attributes"][4] = attribute("gen_ai.tool.call.result", "sunny, 70F");
            }),
            ("error_shown_as_success", |log| {
                spans(log)[1]["status"] = json!({"code": 2, "message": "timeout"});
                spans(log)[1]["attributes"][4] = attribute("error.type", "timeout");
            }),
            ("duplicate_record_id", |log| {
                spans(log)[2]["spanId"] = json!("a000000000000001");
            }),
        ],
    );
}

fn responses_log() -> Vec<Value> {
    let user = json!({"role": "user", "content": "Weather in Paris?"});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather", "arguments": "{\"location\":\"Paris\"}", "status": "completed"});
    let output = json!({"type": "function_call_output", "call_id": "call_1", "output": "{\"temperature\":14}"});
    let text = "It is 14 degrees in Paris.";
    let note = json!({"type": "url_citation", "url": "https://example.org/w", "title": "W", "start_index": 6, "end_index": 16});
    let said = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": [note]}]});
    vec![
        json!({"request": {"model": "m", "input": [user], "tools": []},
            "response": {"id": "resp_1", "object": "response", "created_at": 1_777_975_200, "status": "completed", "previous_response_id": null, "output": [call]}}),
        json!({"request": {"model": "m", "previous_response_id": "resp_1", "input": [output]},
            "response": {"id": "resp_2", "object": "response", "created_at": 1_777_975_202, "status": "completed", "previous_response_id": "resp_1", "output": [said]}}),
    ]
}

#[test]
fn openai_responses_hold_and_each_fault_in_them_is_named() {
    assert_cases(
        Format::OpenAi,
        &responses_log(),
        &[
            ("missing_tool_result", |log| {
                log[1]["request"]["input"][0] = json!({"role": "user", "content": "Well?"});
            }),
            ("orphan_tool_result", |log| {
                log[0]["response"]["output"] = json!([])
            }),
            ("duplicate_tool_result", |log| {
                let again = json!({"type": "function_call_output", "call_id": "call_1", "output": "{\"temperature\":30}"});
                log[1]["request"]["input"]
                    .as_array_mut()
                    .unwrap()
                    .push(again);
            }),
            ("result_before_call", |log| log.swap(0, 1)),
            ("span_out_of_bounds", |log| {
                log[1]["response"]["output"][0]["content"][0]["annotations"][0]["end_index"] =
                    json!(27);
            }),
            ("span_out_of_bounds", |log| {
                log[1]["response"]["output"][0]["content"][0]["annotations"][0]["start_index"] =
                    json!(17);
            }),
            ("span_out_of_bounds", |log| {
                log[1]["response"]["output"][0]["content"][0]["annotations"][0]["start_index"] =
                    json!(-3);
            }),
            ("span_out_of_bounds", |log| {
                log[1]["response"]["output"][0]["content"][0]["annotations"][0]["end_index"] =
                    json!("16");
            }),
        ],
    );
}

fn anthropic_log() -> Vec<Value> {
    let user = json!({"role": "user", "content": "Weather in Paris?"});
    let call = json!({"role": "assistant", "content": [{"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"location": "Paris"}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "14 degrees"}]});
    let response = |id: &str, content: Value| json!({"id": id, "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}});
    vec![
        json!({"request": {"model": "m", "max_tokens": 64, "messages": [user]}, "response": response("msg_1", call["content"].clone())}),
        json!({"request": {"model": "m", "max_tokens": 64, "messages": [user, call, result]},
            "response": response("msg_2", json!([{"type": "text", "text": "14 degrees."}]))}),
    ]
}

#[test]
fn anthropic_messages_hold_and_each_fault_in_them_is_named() {
    assert_cases(
        Format::Anthropic,
        &anthropic_log(),
        &[
            ("missing_tool_result", |log| {
                log[1]["request"]["messages"][2] = json!({"role": "user", "content": "Well?"});
            }),
            ("orphan_tool_result", |log| {
                log[0]["response"]["content"] = json!([{"type": "text", "text": "Looking."}]);
                log[1]["request"]["messages"][1]["content"] = json!("Looking.");
            }),
            ("duplicate_tool_result", |log| {
                let again = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "30 degrees"});
                log[1]["request"]["messages"][2]["content"]
                    .as_array_mut()
                    .unwrap()
                    .push(again);
            }),
        ],
    );
}

fn run(id: &str, kind: &str, second: u32, order: &str, more: Value) -> Value {
    let mut run = json!({"id": id, "trace_id": "r1", "run_type": kind, "name": kind, "session_id": "p1", "error": null,
        "parent_run_id": if id == "r1" { Value::Null } else { json!("r1") },
        "start_time": format!("2026-05-05T10:00:{second:02}.571809"), "end_time": format!("2026-05-05T10:00:{:02}.000000", second + 1),
        "dotted_order": order, "inputs": {}, "outputs": {}});
    for (key, value) in more.as_object().unwrap() {
        run[key] = value.clone();
    }
    run
}

fn langsmith_runs() -> Vec<Value> {
    let order = |second: u32, id: &str| {
        let root = "20260505T100000571809Zr1";
        if id == "r1" {
            root.to_owned()
        } else {
            format!("{root}.20260505T1000{second:02}571809Z{id}")
        }
    };
    let human = json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"], "kwargs": {"content": "Weather?", "type": "human"}});
    let calls = json!([{"name": "get_weather", "args": {"location": "Paris"}, "id": "call_1", "type": "tool_call"}]);
    let ai = json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "", "type": "ai", "tool_calls": calls}});
    let tool = json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"], "kwargs": {"content": "14 degrees", "type": "tool", "tool_call_id": "call_1", "status": "success"}});
    let done = json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "14 degrees.", "type": "ai"}});
    vec![
        run(
            "r1",
            "chain",
            0,
            &order(0, "r1"),
            json!({"end_time": "2026-05-05T10:00:09.000000"}),
        ),
        run(
            "r2",
            "llm",
            1,
            &order(1, "r2"),
            json!({"inputs": {"messages": [[human]]}, "outputs": {"generations": [[{"message": ai}]]}}),
        ),
        run(
            "r3",
            "tool",
            3,
            &order(3, "r3"),
            json!({"name": "get_weather", "inputs": {"input": "{'location': 'Paris'}"}, "outputs": {"output": tool["kwargs"]}}),
        ),
        run(
            "r4",
            "llm",
            5,
            &order(5, "r4"),
            json!({"inputs": {"messages": [[human, ai, tool]]}, "outputs": {"generations": [[{"message": done}]]}}),
        ),
    ]
}

#[test]
fn langsmith_runs_hold_and_each_fault_in_them_is_named() {
    assert_cases(
        Format::LangSmith,
        &langsmith_runs(),
        &[
            ("unknown_parent", |log| {
                log[2]["parent_run_id"] = json!("gone")
            }),
            ("child_outside_parent", |log| {
                log[2]["dotted_order"] = json!("20260505T100000571809Zr9.20260505T100003571809Zr3");
            }),
            ("child_outside_parent", |log| {
                // the parent's text and something behind it is not the parent
                log[2]["dotted_order"] =
                    json!("20260505T100000571809Zr1x.20260505T100003571809Zr3");
            }),
            ("child_outside_parent", |log| {
                log[2]["dotted_order"] = json!("20260505T100000571809Zr1.20260505T100004571809Zr3");
            }),
            ("result_altered", |log| {
                log[2]["outputs"]["output"]["content"] = json!("30 degrees");
            }),
            ("error_shown_as_success", |log| {
                log[2]["error"] = json!("ConnectionError('refused')");
                log[2]["outputs"] = Value::Null;
                log[2]["inputs"]["tool_call_id"] = json!("call_1");
            }),
            ("execution_not_requested", |log| {
                log[2]["outputs"]["output"]["tool_call_id"] = json!("call_9");
                // the model is not asked again with the call that was left out
                log[3]["inputs"]["messages"][0]
                    .as_array_mut()
                    .unwrap()
                    .truncate(1);
            }),
            ("duplicate_record_id", |log| {
                log[3]["id"] = json!("r3");
                log[3]["dotted_order"] = log[3]["dotted_order"]
                    .as_str()
                    .unwrap()
                    .replace("r4", "r3")
                    .into();
            }),
        ],
    );
}

#[test]
fn times_are_compared_whatever_their_zone_and_precision() {
    let child = |started: &str, ended: &str| {
        let span = |id: &str, parent: Value, from: &str, to: &str| {
            json!({"context": {"trace_id": "t", "span_id": id}, "parent_id": parent,
            "name": id, "start_time": from, "end_time": to, "attributes": {"gen_ai.operation.name": "invoke_agent"}})
        };
        let parent = span(
            "p",
            Value::Null,
            "2026-02-01T12:00:00-05:00",
            "2026-02-01T20:00:00-05:00",
        );
        codes(&look(
            Format::Otel,
            &[span("c", json!("p"), started, ended), parent],
        ))
    };
    let inside = child("2026-02-01T10:00:00-08:00", "2026-02-01T18:30:00.5Z");
    assert_eq!(inside, set(&[]));
    let late = child("2026-02-01T17:00:00.000001Z", "2026-02-02T01:00:00.000001Z");
    assert_eq!(late, set(&["child_outside_parent"]));
    let early = child("2025-02-01T17:00:00.000001Z", "2026-02-01T18:00:00Z");
    assert_eq!(early, set(&["child_outside_parent"]));
    let backwards = child("2026-02-01T18:00:00Z", "2026-02-01T17:30:00Z");
    assert_eq!(backwards, set(&["result_before_call"]));
}

#[test]
fn a_run_starts_after_its_parent_and_ends_after_its_start() {
    let mut log = langsmith_runs();
    for run in &mut log {
        run.as_object_mut().unwrap().remove("dotted_order");
    }
    assert_eq!(codes(&look(Format::LangSmith, &log)), set(&[]));
    // a whole second is written without its zeros
    log[2]["start_time"] = json!("2026-05-05T09:59:59");
    let early = codes(&look(Format::LangSmith, &log));
    assert_eq!(
        early,
        set(&["child_outside_parent", "result_before_call"]),
        "before its parent, and before it was asked for"
    );
    let mut log = langsmith_runs();
    log[1]["end_time"] = json!("2020-05-05T10:00:02.000000");
    let backwards = codes(&look(Format::LangSmith, &log));
    assert_eq!(backwards, set(&["result_before_call"]));
}

#[test]
fn a_failed_run_may_lack_the_id_of_its_call() {
    let mut log = langsmith_runs();
    log[2]["error"] = json!("ValueError('boom')");
    log[2]["outputs"] = Value::Null;
    let shown = &mut log[3]["inputs"]["messages"][0][2]["kwargs"];
    shown["content"] = json!("Error: boom");
    shown["status"] = json!("error");
    let report = look(Format::LangSmith, &log);
    assert_eq!(codes(&report), set(&[]), "{}", report.human());
    log[2]["inputs"]["tool_call_id"] = json!("call_1");
    let report = look(Format::LangSmith, &log);
    assert_eq!(codes(&report), set(&[]), "{}", report.human());
}

#[test]
fn open_calls_are_counted_beyond_the_cap() {
    let calls: String = (0..3)
        .map(|nth| format!("{}\n", codex_line(nth, "response_item", json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": format!("call_{nth}")}))))
        .collect();
    let report = linkage(&read(Format::Codex, &calls), "log", 1);
    assert_eq!(report.open_calls().len(), 1);
    assert!(report.summary().contains("3 open"), "{}", report.summary());
}

#[test]
fn a_run_without_an_end_is_open() {
    let mut log = langsmith_runs();
    log.truncate(3);
    log[2]["end_time"] = Value::Null;
    log[2]["outputs"] = Value::Null;
    log[2]["inputs"]["tool_call_id"] = json!("call_1");
    let report = look(Format::LangSmith, &log);
    assert_eq!(codes(&report), set(&[]), "{}", report.human());
    assert_eq!(report.open_calls()[0].id, "call_1");
}

#[test]
fn an_empty_log_and_a_broken_line_are_rejected() {
    for format in [
        Format::ClaudeCode,
        Format::Codex,
        Format::Otel,
        Format::OpenAi,
        Format::Anthropic,
        Format::LangSmith,
    ] {
        let empty = linkage(&read(format, ""), "log", 10);
        assert_eq!(codes(&empty), set(&["empty_trace"]), "{format:?}");
    }
    let mut text = codex_rollout()[0].to_string();
    text.push_str("\n{\"timestamp\":");
    let broken = linkage(&read(Format::Codex, &text), "log", 10);
    assert_eq!(codes(&broken), set(&["bad_json"]));
}

#[test]
fn records_that_are_their_own_parents_are_found_in_every_format_with_parents() {
    let of_agent = || vec![attribute("gen_ai.operation.name", "invoke_agent")];
    let mut ring = otel_spans();
    spans(&mut ring).extend([
        span("b1", "b2", (1, 2), "invoke_agent", of_agent()),
        span("b2", "b1", (1, 2), "invoke_agent", of_agent()),
    ]);
    let mut own = otel_spans();
    spans(&mut own)[3]["parentSpanId"] = json!("eee19b7ec3c1b174");
    let mut runs = langsmith_runs();
    for (id, parent) in [("x1", "x2"), ("x2", "x3"), ("x3", "x1")] {
        let above = json!({"parent_run_id": parent, "dotted_order": null});
        runs.push(run(id, "chain", 1, "", above));
    }
    for (format, log) in [
        (Format::Otel, &ring),
        (Format::Otel, &own),
        (Format::LangSmith, &runs),
    ] {
        let report = look(format, log);
        assert_eq!(
            codes(&report),
            set(&["unknown_parent"]),
            "{}",
            report.human()
        );
        assert_eq!(report.failures().len(), 1, "{}", report.human());
    }
}
