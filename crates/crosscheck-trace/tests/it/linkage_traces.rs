//! Spans and runs: what each trace records, in any order of its records, and
//! chains of responses.

use std::collections::BTreeSet;

use crosscheck_trace::linkage::{LinkageReport, linkage};
use crosscheck_transcript::{Format, read};
use serde_json::{Value, json};

use crate::support::set;

fn look(format: Format, records: &[Value]) -> LinkageReport {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    linkage(&read(format, &text), "log.jsonl", 100)
}

#[track_caller]
fn assert_codes(report: &LinkageReport, expected: &[&str]) {
    let wire = |failure: &crosscheck_trace::Failure| failure.reason.wire();
    let codes: BTreeSet<String> = report.failures().iter().map(wire).collect();
    assert_eq!(codes, set(expected), "{}", report.human());
}

fn open(report: &LinkageReport) -> Vec<&str> {
    let calls = report.open_calls().iter();
    calls.map(|call| call.id.as_str()).collect()
}

fn span(trace: &str, id: &str, at: u32, operation: &str, more: Value) -> Value {
    let mut span = json!({"traceId": trace, "spanId": format!("{trace}-{id}"), "name": id,
        "startTimeUnixNano": (at * 10).to_string(), "endTimeUnixNano": (at * 10 + 9).to_string(),
        "attributes": {"gen_ai.operation.name": operation}});
    for (key, value) in more.as_object().unwrap() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        span["attributes"][format!("gen_ai.{key}")] = json!(value);
    }
    span
}

fn chat(trace: &str, id: &str, at: u32, printed: Value, said: Value) -> Value {
    let more = json!({"input.messages": printed, "output.messages": said});
    span(trace, id, at, "chat", more)
}

fn ran(trace: &str, at: u32, call: Option<&str>, result: &str) -> Value {
    let mut more = json!({"tool.name": "f", "tool.call.result": result});
    if let Some(call) = call {
        more["tool.call.id"] = json!(call);
    }
    span(trace, &format!("x{at}"), at, "execute_tool", more)
}

fn asks(ids: &[&str]) -> Value {
    let call = |id: &&str| json!({"type": "tool_call", "id": id, "name": "f", "arguments": {}});
    let parts: Vec<Value> = ids.iter().map(call).collect();
    json!({"role": "assistant", "parts": parts})
}

fn printed(id: &str, response: &str) -> Value {
    json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": id, "response": response}]})
}

fn words(role: &str, text: &str) -> Value {
    json!({"role": role, "parts": [{"type": "text", "content": text}]})
}

/// Requested, executed, shown, with the whole history.
fn whole(result: &str) -> [Value; 3] {
    let user = words("user", "q");
    let said = words("assistant", "done");
    [
        chat("t", "a", 1, json!([user]), json!([asks(&["A"])])),
        ran("t", 3, Some("A"), result),
        chat(
            "t",
            "b",
            5,
            json!([user, asks(&["A"]), printed("A", "42")]),
            json!([said]),
        ),
    ]
}

/// The same in every order.
fn orders(log: &[Value]) -> Vec<Vec<Value>> {
    let Some((first, rest)) = log.split_first() else {
        return vec![Vec::new()];
    };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, first.clone());
            all.push(order);
        }
    }
    all
}

#[test]
fn the_order_of_spans_in_the_file_decides_nothing() {
    for log in orders(&whole("42")) {
        let report = look(Format::Otel, &log);
        assert_codes(&report, &[]);
        let summary = report.summary();
        assert!(summary.contains("2 calls, 2 results, 0 open"), "{summary}");
    }
    for log in orders(&whole("41")) {
        assert_codes(&look(Format::Otel, &log), &["result_altered"]);
    }
    // shown twice, first before the execution
    let mut late = whole("42").to_vec();
    let history = json!([
        words("user", "q"),
        asks(&["A"]),
        printed("A", "42"),
        words("user", "w")
    ]);
    late.push(chat("t", "c", 7, history, json!([words("assistant", "x")])));
    late[1]["startTimeUnixNano"] = json!("60");
    late[1]["endTimeUnixNano"] = json!("65");
    for log in orders(&late) {
        assert_codes(&look(Format::Otel, &log), &["result_before_call"]);
    }
}

fn run(id: &str, kind: &str, second: u32, inputs: Value, outputs: Value) -> Value {
    let parent = (id != "r").then_some("r");
    json!({"id": id, "trace_id": "r", "parent_run_id": parent, "run_type": kind, "name": "f",
        "inputs": inputs, "outputs": outputs, "error": null,
        "start_time": format!("2026-01-01T00:00:{second:02}.000000"),
        "end_time": format!("2026-01-01T00:00:{:02}.500000", if id == "r" { 50 } else { second })})
}

fn runs() -> [Value; 4] {
    let human = json!({"type": "human", "content": "q"});
    let ai =
        json!({"type": "ai", "content": "", "tool_calls": [{"id": "A", "name": "f", "args": {}}]});
    let tool = json!({"type": "tool", "tool_call_id": "A", "content": "42"});
    let done = json!({"type": "ai", "content": "done"});
    [
        run("r", "chain", 0, json!({}), json!({})),
        run(
            "l1",
            "llm",
            1,
            json!({"messages": [[human]]}),
            json!({"messages": [ai]}),
        ),
        run(
            "t1",
            "tool",
            3,
            json!({"input": "{}"}),
            json!({"output": tool}),
        ),
        run(
            "l2",
            "llm",
            5,
            json!({"messages": [[human, ai, tool]]}),
            json!({"messages": [done]}),
        ),
    ]
}

#[test]
fn the_order_of_runs_in_the_file_decides_nothing() {
    for log in orders(&runs()) {
        assert_codes(&look(Format::LangSmith, &log), &[]);
    }
}

#[test]
fn a_request_known_only_from_a_history_has_no_time_and_may_lack_an_execution() {
    let spans = whole("42");
    assert_codes(&look(Format::Otel, &spans[1..]), &[]);
    let later = [
        spans[2].clone(),
        chat("t", "c", 6, json!([]), json!([asks(&["B"])])),
        ran("t", 7, Some("B"), "1"),
    ];
    assert_codes(&look(Format::Otel, &later), &[]);
    let [root, _, tool, last] = runs();
    assert_codes(&look(Format::LangSmith, &[root, tool, last]), &[]);
    let altered = whole("41");
    assert_codes(&look(Format::Otel, &altered[1..]), &["result_altered"]);
}

#[test]
fn the_span_of_an_agent_summarises_and_requests_nothing() {
    let story = json!([asks(&["A"]), printed("A", "42"), words("assistant", "done")]);
    let more = json!({"input.messages": [words("user", "q")], "output.messages": story});
    let agent = span("t", "agent", 0, "invoke_agent", more);
    for at in [0, 3] {
        let mut log = whole("42").to_vec();
        log.insert(at, agent.clone());
        assert_codes(&look(Format::Otel, &log), &[]);
        log[usize::from(at == 0) + 1] = ran("t", 3, Some("A"), "41");
        assert_codes(&look(Format::Otel, &log), &["result_altered"]);
    }
}

#[test]
fn a_span_without_the_id_of_its_call_proves_nothing() {
    for call in [None, Some("")] {
        let [asked, _, shown] = whole("42");
        let log = [asked, ran("t", 3, call, "41"), shown];
        assert_codes(&look(Format::Otel, &log), &[]);
    }
}

#[test]
fn an_execution_is_not_requested_where_its_own_trace_was_kept_whole() {
    let user = words("user", "q");
    let said = |text: &str| json!([words("assistant", text)]);
    let forged = [
        chat("t", "a", 1, json!([user]), said("no tool")),
        ran("t", 3, Some("A"), "42"),
        chat("t", "b", 5, json!([user, printed("A", "42")]), said("done")),
    ];
    assert_codes(&look(Format::Otel, &forged), &["execution_not_requested"]);
    // a log that begins behind the request
    assert_codes(&look(Format::Otel, &forged[1..]), &[]);
    // another trace, or another chat of the same one, was recorded without words
    let bare = |trace: &str| {
        [
            span(trace, "c", 6, "chat", json!({})),
            ran(trace, 7, Some("B"), "1"),
        ]
    };
    for trace in ["t", "other"] {
        let mut log = whole("42").to_vec();
        log.extend(bare(trace));
        assert_codes(&look(Format::Otel, &log), &[]);
    }
}

#[test]
fn a_request_is_not_executed_where_its_own_trace_has_executions() {
    let elsewhere = [
        chat(
            "u",
            "a",
            1,
            json!([words("user", "q")]),
            json!([asks(&["B"])]),
        ),
        chat(
            "u",
            "b",
            5,
            json!([printed("B", "7")]),
            json!([words("assistant", "x")]),
        ),
    ];
    let mut log = whole("42").to_vec();
    log.extend(elsewhere.clone());
    assert_codes(&look(Format::Otel, &log), &[]);
    log.push(chat("u", "c", 6, json!([]), json!([asks(&["C"])])));
    log.push(ran("u", 7, Some("C"), "8"));
    assert_codes(&look(Format::Otel, &log), &["request_not_executed"]);
}

#[test]
fn a_request_is_missing_its_result_when_the_model_is_asked_again_without_it() {
    let log = |history: Value| {
        let asked = chat(
            "t",
            "a",
            1,
            json!([words("user", "q")]),
            json!([asks(&["A", "B"])]),
        );
        let again = chat("t", "b", 5, history, json!([words("assistant", "done")]));
        look(Format::Otel, &[asked, ran("t", 3, Some("A"), "42"), again])
    };
    let missing = ["missing_tool_result"];
    let user = words("user", "q");
    assert_codes(
        &log(json!([user, asks(&["A", "B"]), printed("A", "42")])),
        &missing,
    );
    assert_codes(&log(json!([user, printed("A", "42")])), &missing);
    // without any result the conversation may be another one
    for history in [
        json!([user, asks(&["A", "B"])]),
        json!([words("user", "a title for this")]),
    ] {
        let other = log(history);
        assert_codes(&other, &[]);
        assert_eq!(open(&other), ["B"]);
    }
}

#[test]
fn an_execution_without_an_end_is_open_whatever_the_model_was_shown() {
    let mut log = runs().to_vec();
    log[2]["end_time"] = Value::Null;
    log[2]["outputs"] = Value::Null;
    log[2]["inputs"]["tool_call_id"] = json!("A");
    let report = look(Format::LangSmith, &log);
    assert_codes(&report, &[]);
    assert_eq!(open(&report), ["A"]);
}

#[test]
fn the_order_of_a_run_begins_with_its_start_also_at_the_root() {
    let mut log = runs().to_vec();
    log[0]["dotted_order"] = json!("20260101T000000000000Zr");
    assert_codes(&look(Format::LangSmith, &log), &[]);
    log[0]["dotted_order"] = json!("20270101T000000000000Zr");
    assert_codes(&look(Format::LangSmith, &log), &["child_outside_parent"]);
}

#[test]
fn in_anthropic_messages_only_the_model_calls_and_only_the_user_returns_results() {
    let call = json!([{"type": "tool_use", "id": "a", "name": "f", "input": {}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "a", "content": "1"}]);
    let log = |caller: &str, teller: &str| {
        let messages = json!([{"role": "user", "content": "q"}, {"role": caller, "content": call},
            {"role": teller, "content": result}]);
        look(
            Format::Anthropic,
            &[json!({"model": "m", "messages": messages})],
        )
    };
    assert_codes(&log("assistant", "user"), &[]);
    assert_codes(&log("assistant", "assistant"), &["orphan_tool_result"]);
    let forged = ["execution_not_requested", "orphan_tool_result"];
    assert_codes(&log("user", "user"), &forged);
    // tools that the vendor runs answer within the message of the model
    let search = json!([{"type": "server_tool_use", "id": "w", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "w", "content": []}]);
    let messages =
        json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": search}]);
    let report = look(
        Format::Anthropic,
        &[json!({"model": "m", "messages": messages})],
    );
    assert_codes(&report, &[]);
}

/// A response that calls `a`, one that calls nothing, and requests that follow.
fn chains(follow: &[(&str, &str)]) -> Vec<Value> {
    let call = json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"});
    let said = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]});
    let response = |id: &str, previous: Value, item: &Value| json!({"id": id, "object": "response", "previous_response_id": previous, "output": [item]});
    let mut log = vec![
        json!({"model": "m", "input": "hi"}),
        response("r1", Value::Null, &call),
        json!({"model": "m", "input": "other"}),
        response("q1", Value::Null, &said),
    ];
    for (nth, (previous, output)) in follow.iter().enumerate() {
        let item = json!({"type": "function_call_output", "call_id": "a", "output": output});
        log.push(json!({"model": "m", "previous_response_id": previous, "input": [item]}));
        log.push(response(&format!("s{nth}"), json!(previous), &said));
    }
    log
}

#[test]
fn an_output_belongs_to_the_chain_it_is_handed_to() {
    assert_codes(&look(Format::OpenAi, &chains(&[("r1", "1")])), &[]);
    let wrong = look(Format::OpenAi, &chains(&[("q1", "1")]));
    assert_codes(&wrong, &["orphan_tool_result"]);
}

#[test]
fn each_branch_of_a_chain_has_one_output_of_its_own() {
    let two = look(Format::OpenAi, &chains(&[("r1", "1"), ("r1", "2")]));
    assert_codes(&two, &[]);
    let mut twice = chains(&[("r1", "1"), ("r1", "2")]);
    let again = json!({"type": "function_call_output", "call_id": "a", "output": "3"});
    twice[6]["input"].as_array_mut().unwrap().push(again);
    assert_codes(&look(Format::OpenAi, &twice), &["duplicate_tool_result"]);
}
