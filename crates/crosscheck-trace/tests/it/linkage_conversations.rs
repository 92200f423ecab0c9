//! Which calls, results and executions belong together when one log contains
//! several conversations, several agents, or executions without a name.

use crosscheck_trace::linkage::{LinkageReport, linkage};
use crosscheck_transcript::{Format, read};
use serde_json::{Value, json};

use crate::support::set;

fn look(format: Format, records: &[Value]) -> LinkageReport {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    linkage(&read(format, &text), "log.jsonl", 100)
}

fn assert_codes(report: &LinkageReport, expected: &[&str]) {
    let wire = |failure: &crosscheck_trace::Failure| failure.reason.wire();
    let codes: std::collections::BTreeSet<String> = report.failures().iter().map(wire).collect();
    assert_eq!(codes, set(expected), "{}", report.human());
}

fn open(report: &LinkageReport) -> Vec<&str> {
    let calls = report.open_calls().iter();
    calls.map(|call| call.id.as_str()).collect()
}

fn run(id: &str, kind: &str, second: u32, inputs: Value, outputs: Value) -> Value {
    let parent = (id != "root").then_some("root");
    json!({"id": id, "trace_id": "root", "parent_run_id": parent, "run_type": kind, "name": kind,
        "inputs": inputs, "outputs": outputs, "error": null,
        "start_time": format!("2026-03-01T08:00:{second:02}.000001"),
        "end_time": format!("2026-03-01T08:00:{:02}.000001", second + 1)})
}

/// The model requests A and B; then these runs; then it is shown some results.
fn runs(between: &[Value], printed: &[(&str, &str)]) -> Vec<Value> {
    let call = |id: &str| json!({"id": id, "name": "look", "args": {"of": id}});
    let asks = json!({"role": "assistant", "content": "", "tool_calls": [call("A"), call("B")]});
    let answer = |(id, status): &(&str, &str)| {
        json!({"role": "tool", "tool_call_id": id,
        "content": "7", "status": status})
    };
    let mut history = vec![asks.clone()];
    history.extend(printed.iter().map(answer));
    let says = json!({"role": "assistant", "content": "seven"});
    let mut log = vec![
        run("root", "chain", 0, json!({}), json!({})),
        run("m1", "llm", 1, json!({}), json!({"messages": [asks]})),
    ];
    log.extend(between.iter().cloned());
    log.push(run(
        "m2",
        "llm",
        8,
        json!({"messages": history}),
        json!({"messages": [says]}),
    ));
    log
}

fn executed(id: &str, call: Option<&str>) -> Value {
    let output = match call {
        Some(call) => json!({"content": "7", "tool_call_id": call, "status": "success"}),
        None => json!("7"),
    };
    run(id, "tool", 3, json!({}), json!({"output": output}))
}

const DONE: [(&str, &str); 2] = [("A", "success"), ("B", "success")];

#[test]
fn a_retriever_run_is_not_the_execution_of_a_call() {
    let documents = json!({"documents": [{"page_content": "x"}]});
    let retriever = run("v", "retriever", 2, json!({"query": "q"}), documents);
    let lookup = std::slice::from_ref(&retriever);
    let missing = look(Format::LangSmith, &runs(lookup, &DONE[..1]));
    assert_codes(&missing, &["missing_tool_result"]);
    let one = [retriever.clone(), executed("x", Some("A"))];
    let not_executed = look(Format::LangSmith, &runs(&one, &DONE));
    assert_codes(&not_executed, &["request_not_executed"]);
    let not_traced = look(Format::LangSmith, &runs(lookup, &DONE));
    assert_codes(&not_traced, &[]);
}

#[test]
fn a_run_that_names_no_call_may_be_that_of_any_request_of_its_trace() {
    let two = [executed("x", None), executed("y", None)];
    for some in [&two[..], &two[..1]] {
        assert_codes(&look(Format::LangSmith, &runs(some, &DONE)), &[]);
    }
    let spare = [executed("x", Some("A")), executed("y", None)];
    let unseen = look(Format::LangSmith, &runs(&spare, &DONE[..1]));
    assert_codes(&unseen, &[]);
    assert_eq!(open(&unseen), ["B"]);
    let mut elsewhere = two[1].clone();
    elsewhere["trace_id"] = json!("other");
    let other = runs(&[executed("x", Some("A")), elsewhere], &DONE);
    assert_codes(&look(Format::LangSmith, &other), &["request_not_executed"]);
}

#[test]
fn a_request_that_was_refused_needs_no_execution() {
    let printed = [("A", "success"), ("B", "error")];
    let log = runs(&[executed("x", Some("A"))], &printed);
    assert_codes(&look(Format::LangSmith, &log), &[]);
}

/// A line of a session of Claude Code.
fn line(uuid: &str, parent: Option<&str>, agent: &Value, role: &str, block: Value) -> Value {
    let mut line = json!({"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
        "message": {"id": uuid, "role": role, "content": [block]}});
    for (key, value) in agent.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

fn use_of(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Task", "input": {}})
}

fn result_of(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
}

fn words(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Two subagents at work. The first waits for S1; the second has S2, and
/// continues.
fn two_agents(first: &Value, second: &Value) -> Vec<Value> {
    let main = json!({});
    let mut second_block = line("m2", Some("m1"), &main, "assistant", use_of("T2"));
    second_block["message"]["id"] = json!("m1");
    vec![
        line("m0", None, &main, "user", words("both, please")),
        line("m1", Some("m0"), &main, "assistant", use_of("T1")),
        second_block,
        line("a0", None, first, "user", words("one")),
        line("b0", None, second, "user", words("two")),
        line("a1", Some("a0"), first, "assistant", use_of("S1")),
        line("b1", Some("b0"), second, "assistant", use_of("S2")),
        line("b2", Some("b1"), second, "user", result_of("S2")),
        line("b3", Some("b2"), second, "assistant", words("two done")),
    ]
}

#[test]
fn a_call_of_one_subagent_is_open_while_another_continues() {
    let side = |more: Value| {
        let mut side = json!({"isSidechain": true});
        side.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        side
    };
    for (first, second) in [
        (side(json!({})), side(json!({}))),
        (side(json!({"agentId": "x"})), side(json!({"agentId": "y"}))),
        (
            json!({"parent_tool_use_id": "T1"}),
            json!({"parent_tool_use_id": "T2"}),
        ),
    ] {
        let mut log = two_agents(&first, &second);
        let report = look(Format::ClaudeCode, &log);
        assert_codes(&report, &[]);
        assert_eq!(open(&report), ["T1", "T2", "S1"]);
        log.push(line("a2", Some("a1"), &first, "user", words("well?")));
        log.push(line(
            "a3",
            Some("a2"),
            &first,
            "assistant",
            words("gone on"),
        ));
        let report = look(Format::ClaudeCode, &log);
        if first == side(json!({})) {
            // agents without names cannot be told apart
            assert_codes(&report, &[]);
        } else {
            assert_codes(&report, &["missing_tool_result"]);
            assert_eq!(open(&report), ["T1", "T2"]);
        }
    }
}

#[test]
fn a_result_by_the_model_and_a_call_by_the_user_do_not_count() {
    let main = json!({});
    let log = |caller: &str, teller: &str| {
        look(
            Format::ClaudeCode,
            &[
                line("m0", None, &main, "user", words("go")),
                line("m1", Some("m0"), &main, caller, use_of("A")),
                line("m2", Some("m1"), &main, teller, result_of("A")),
            ],
        )
    };
    assert_codes(&log("assistant", "user"), &[]);
    assert_codes(&log("assistant", "assistant"), &["orphan_tool_result"]);
    let forged = ["execution_not_requested", "orphan_tool_result"];
    assert_codes(&log("user", "assistant"), &forged);
    assert_codes(&log("user", "user"), &forged);
}

/// Enough that comparing all pairs would take longer than everything else.
const MANY: usize = 20_000;

#[test]
fn one_id_on_every_line_takes_linear_time() {
    let main = json!({});
    let text: String = (0..MANY)
        .map(|nth| {
            let uuid = format!("u{nth}");
            format!("{}\n", line(&uuid, None, &main, "assistant", use_of("A")))
        })
        .collect();
    let report = linkage(&read(Format::ClaudeCode, &text), "log.jsonl", 10);
    // each line is a message of its own: the model spoke again without a result
    assert_codes(&report, &["duplicate_call_id", "missing_tool_result"]);
    let found = format!("{MANY} failures");
    assert!(report.summary().contains(&found), "{}", report.summary());
}

#[test]
fn requests_without_recorded_answers_take_linear_time() {
    let text: String = (0..MANY)
        .map(|nth| {
            let part = json!({"type": "tool_call", "id": format!("c{nth}"), "name": "f"});
            let messages = json!([{"role": "assistant", "parts": [part]}]).to_string();
            let span = json!({"traceId": "t", "spanId": format!("s{nth}"), "parentSpanId": "p",
                "startTimeUnixNano": nth.to_string(), "attributes": {
                    "gen_ai.operation.name": "chat", "gen_ai.output.messages": messages}});
            format!("{span}\n")
        })
        .collect();
    let report = linkage(&read(Format::Otel, &text), "log.jsonl", 10);
    assert_codes(&report, &[]);
    let open = format!("{MANY} open");
    assert!(report.summary().contains(&open), "{}", report.summary());
}

fn asks(id: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
}

fn tells(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn prompt(words: &str) -> Value {
    json!({"role": "user", "content": words})
}

/// Requests of a chat, each with the whole conversation.
fn requests(conversations: &[Value]) -> Vec<Value> {
    let request = |messages: &Value| json!({"model": "m", "messages": messages});
    conversations.iter().map(request).collect()
}

#[test]
fn conversations_may_number_their_calls_alike() {
    let whole =
        |words: &str, answer: &str| json!([prompt(words), asks("call_0"), tells("call_0", answer)]);
    let two = requests(&[whole("q", "1"), whole("w", "2")]);
    let report = look(Format::OpenAi, &two);
    assert_codes(&report, &[]);
    assert!(
        report.summary().contains("2 calls, 2 results"),
        "{}",
        report.summary()
    );
    let batch: Vec<Value> = two
        .iter()
        .enumerate()
        .map(|(nth, body)| json!({"custom_id": format!("c{nth}"), "url": "/v1/chat/completions", "body": body}))
        .collect();
    assert_codes(&look(Format::OpenAi, &batch), &[]);
    let twice = requests(&[
        whole("q", "1"),
        json!([prompt("q"), asks("call_0"), tells("call_0", "2")]),
    ]);
    let altered = look(Format::OpenAi, &twice);
    assert_codes(&altered, &["duplicate_tool_result"]);
    let orphan = requests(&[whole("q", "1"), json!([prompt("w"), tells("call_1", "2")])]);
    assert_codes(&look(Format::OpenAi, &orphan), &["orphan_tool_result"]);
}

#[test]
fn a_call_is_open_when_only_other_conversations_continue() {
    let says = json!({"role": "assistant", "content": "done"});
    let open_one = json!([prompt("q"), asks("c")]);
    let report = look(
        Format::OpenAi,
        &requests(&[open_one.clone(), json!([prompt("w"), says])]),
    );
    assert_codes(&report, &[]);
    assert_eq!(open(&report), ["c"]);
    let gone_on = json!([prompt("q"), asks("c"), prompt("well?"), says]);
    let report = look(Format::OpenAi, &requests(&[open_one, gone_on]));
    assert_codes(&report, &["missing_tool_result"]);
}

#[test]
fn a_history_that_was_cut_short_still_answers_its_call() {
    let says = json!({"choices": [{"message": asks("c1")}]});
    let mut log = requests(&[json!([prompt("a long story")])]);
    log.push(says);
    log.extend(requests(&[json!([
        prompt("the story so far, in short"),
        asks("c1"),
        tells("c1", "7")
    ])]));
    let report = look(Format::OpenAi, &log);
    assert_codes(&report, &[]);
    assert!(open(&report).is_empty(), "{}", report.human());
}

#[test]
fn an_answer_in_another_conversation_counts_only_in_a_mixed_log() {
    let says = json!({"role": "assistant", "content": "done"});
    let gone_on = json!([prompt("q"), asks("c"), prompt("well?"), says]);
    let other = json!([prompt("w"), asks("c"), tells("c", "1")]);
    let report = look(Format::OpenAi, &requests(&[gone_on, other]));
    assert_codes(&report, &["missing_tool_result"]);
    // two conversations at once: the first response belongs to the first request
    let answer =
        |message: Value| json!({"object": "chat.completion", "choices": [{"message": message}]});
    let mut mixed = requests(&[json!([prompt("q")]), json!([prompt("w")])]);
    mixed.push(answer(asks("c")));
    mixed.push(answer(says.clone()));
    mixed.extend(requests(&[
        json!([prompt("q"), asks("c"), tells("c", "1")]),
        json!([prompt("w"), says, prompt("more")]),
    ]));
    mixed.push(answer(says));
    assert_codes(&look(Format::OpenAi, &mixed), &[]);
}

#[test]
fn responses_belong_to_the_one_they_follow() {
    let response = |id: &str, previous: Value, item: Value| json!({"id": id, "object": "response", "previous_response_id": previous, "output": [item]});
    let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let says = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x", "annotations": []}]});
    let mut log = vec![
        json!({"model": "m", "input": "q"}),
        response("r1", Value::Null, call),
        json!({"model": "m", "input": "w"}),
        response("r2", Value::Null, says.clone()),
    ];
    let report = look(Format::OpenAi, &log);
    assert_codes(&report, &[]);
    assert_eq!(open(&report), ["c"]);
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "1"});
    let mut answered = log.clone();
    answered.push(json!({"model": "m", "previous_response_id": "r1", "input": [output]}));
    answered.push(response("r3", json!("r1"), says.clone()));
    let report = look(Format::OpenAi, &answered);
    assert_codes(&report, &[]);
    assert!(open(&report).is_empty(), "{}", report.human());
    log.push(json!({"model": "m", "previous_response_id": "r1", "input": "well?"}));
    log.push(response("r3", json!("r1"), says));
    assert_codes(&look(Format::OpenAi, &log), &["missing_tool_result"]);
}

#[test]
fn an_empty_id_names_no_call() {
    let log = json!([
        prompt("q"),
        asks(""),
        tells("", "1"),
        asks(""),
        tells("", "2")
    ]);
    assert_codes(&look(Format::OpenAi, &requests(&[log])), &[]);
    let forged = json!([prompt("q"), asks(""), tells("", "1"), tells("", "2")]);
    let report = look(Format::OpenAi, &requests(&[forged]));
    assert_codes(&report, &["orphan_tool_result"]);
}

#[test]
fn each_run_of_codex_exec_counts_its_items_anew() {
    let run = |command: &str, output: &str| {
        let item = json!({"id": "item_0", "type": "command_execution", "command": command,
            "aggregated_output": output, "exit_code": 0, "status": "completed"});
        [
            json!({"type": "thread.started", "thread_id": "t"}),
            json!({"type": "item.completed", "item": item}),
        ]
    };
    let mut log = run("ls", "a").to_vec();
    log.extend(run("pwd", "/"));
    let report = look(Format::Codex, &log);
    assert_codes(&report, &[]);
    assert!(
        report.summary().contains("2 calls, 2 results"),
        "{}",
        report.summary()
    );
    log.push(log[3].clone());
    assert_codes(&look(Format::Codex, &log), &["duplicate_tool_result"]);
    let mut unanswered = log[..4].to_vec();
    unanswered[1]["type"] = json!("item.started");
    unanswered[1]["item"]["type"] = json!("mcp_tool_call");
    let message = json!({"id": "item_1", "type": "agent_message", "text": "done"});
    let other = json!({"id": "item_2", "type": "web_search", "query": "q"});
    unanswered.insert(2, json!({"type": "item.completed", "item": other}));
    unanswered.insert(3, json!({"type": "item.completed", "item": message}));
    let report = look(Format::Codex, &unanswered);
    assert_codes(&report, &["missing_tool_result"]);
}

/// A chat span of a trace; `told` is its history, `asked` the call it makes.
fn chat(trace: &str, at: u32, printed: &Value, asked: Option<&str>) -> Value {
    let part = |id: &str| json!({"type": "tool_call", "id": id, "name": "f", "arguments": {}});
    let said = asked.map_or(json!({"type": "text", "content": "done"}), part);
    let output = json!([{"role": "assistant", "parts": [said]}]).to_string();
    json!({"traceId": trace, "spanId": format!("c{at}"), "parentSpanId": "p",
        "startTimeUnixNano": at.to_string(), "endTimeUnixNano": (at + 1).to_string(),
        "attributes": {"gen_ai.operation.name": "chat",
            "gen_ai.input.messages": printed.to_string(), "gen_ai.output.messages": output}})
}

fn execution(trace: &str, at: u32, id: &str, result: &str) -> Value {
    json!({"traceId": trace, "spanId": format!("e{at}"), "parentSpanId": "p",
        "startTimeUnixNano": at.to_string(), "endTimeUnixNano": (at + 1).to_string(),
        "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f",
            "gen_ai.tool.call.id": id, "gen_ai.tool.call.result": result}})
}

fn history(id: &str, response: &str) -> Value {
    json!([
        {"role": "assistant", "parts": [{"type": "tool_call", "id": id, "name": "f", "arguments": {}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": id, "response": response}]},
    ])
}

#[test]
fn traces_may_number_their_calls_alike_and_each_answers_its_own() {
    let trace = |name: &str, returned: &str, shown: &str| {
        [
            chat(name, 10, &json!([]), Some("call_0")),
            execution(name, 20, "call_0", returned),
            chat(name, 30, &history("call_0", shown), None),
        ]
    };
    for (second, expected) in [("1", &[][..]), ("2", &[]), ("x", &["result_altered"])] {
        let mut log = trace("t1", "1", "1").to_vec();
        log.extend(trace(
            "t2",
            if second == "x" { "2" } else { second },
            second,
        ));
        assert_codes(&look(Format::Otel, &log), expected);
    }
}

#[test]
fn a_trace_may_carry_the_history_of_an_earlier_one() {
    let printed = history("call_7", "1");
    let log = [
        chat("t1", 10, &json!([]), Some("call_7")),
        execution("t1", 20, "call_7", "1"),
        chat("t1", 30, &printed, None),
        chat("t2", 40, &printed, None),
    ];
    assert_codes(&look(Format::Otel, &log), &[]);
    let mut altered = log.clone();
    altered[3] = chat("t2", 40, &history("call_7", "2"), None);
    let report = look(Format::Otel, &altered);
    assert_codes(&report, &["duplicate_tool_result"]);
    let mut apart = log.clone();
    apart[1]["traceId"] = json!("t9"); // the tool begins a trace of its own
    assert_codes(&look(Format::Otel, &apart), &[]);
}
