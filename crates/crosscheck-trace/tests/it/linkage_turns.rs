//! When the turn of a call is over, and when its result may still come.

use crosscheck_trace::linkage::{LinkageReport, linkage};
use crosscheck_transcript::{Format, read};
use serde_json::{Value, json};

use crate::support::set;

fn look(format: Format, records: &[Value]) -> LinkageReport {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    linkage(&read(format, &text), "log.jsonl", 100)
}

/// The calls that are missing their result, or that are open.
#[track_caller]
fn assert_missing(report: &LinkageReport, missing: bool, open: &[&str]) {
    let wire = |failure: &crosscheck_trace::Failure| failure.reason.wire();
    let codes: std::collections::BTreeSet<String> = report.failures().iter().map(wire).collect();
    let expected: &[&str] = if missing {
        &["missing_tool_result"]
    } else {
        &[]
    };
    assert_eq!(codes, set(expected), "{}", report.human());
    let calls = report.open_calls().iter();
    let ids: Vec<&str> = calls.map(|call| call.id.as_str()).collect();
    assert_eq!(ids, open, "{}", report.human());
}

/// A line of a session: the record, the message it is part of, one block.
fn line(uuid: &str, message: &str, role: &str, block: Value) -> Value {
    json!({"type": role, "uuid": uuid, "parentUuid": null, "sessionId": "s", "message":
        {"id": message, "role": role, "content": [block]}})
}

fn asks(uuid: &str, message: &str, call: &str) -> Value {
    let block = json!({"type": "tool_use", "id": call, "name": "Bash", "input": {}});
    line(uuid, message, "assistant", block)
}

fn says(uuid: &str, message: &str) -> Value {
    let block = json!({"type": "text", "text": "well"});
    line(uuid, message, "assistant", block)
}

fn tells(uuid: &str, call: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": call, "content": "ok"});
    let mut line = line(uuid, "", "user", block);
    line["message"].as_object_mut().unwrap().remove("id");
    line
}

fn types(uuid: &str, words: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": null, "sessionId": "s",
        "message": {"role": "user", "content": words}})
}

#[test]
fn a_message_that_is_still_streaming_is_the_same_turn() {
    let log = [
        types("u", "go"),
        asks("a", "M", "t1"),
        asks("b", "M", "t2"),
        tells("c", "t1"),
        asks("d", "M", "t3"),
    ];
    let report = look(Format::ClaudeCode, &log);
    assert_missing(&report, false, &["t2", "t3"]);
}

#[test]
fn another_message_of_the_assistant_ends_the_turn_of_a_call() {
    let log = [types("u", "go"), asks("a", "M", "t1"), says("b", "N")];
    assert_missing(&look(Format::ClaudeCode, &log), true, &[]);
    let second = [asks("a", "M", "t1"), asks("b", "N", "t2"), tells("c", "t2")];
    assert_missing(&look(Format::ClaudeCode, &second), true, &[]);
    // and so it does for a subagent, whatever the main conversation does
    let side = |mut line: Value| {
        line["isSidechain"] = json!(true);
        line["agentId"] = json!("x");
        line
    };
    let log = [
        asks("m", "P", "T"),
        side(asks("a", "M", "t1")),
        side(says("b", "N")),
        tells("n", "T"),
        says("o", "Q"),
    ];
    assert_missing(&look(Format::ClaudeCode, &log), true, &[]);
}

#[test]
fn a_message_of_the_harness_in_place_of_the_model_ends_no_turn() {
    let mut failed = says("b", "N");
    failed["isApiErrorMessage"] = json!(true);
    let mut synthetic = says("b", "N");
    synthetic["message"]["model"] = json!("<synthetic>");
    for notice in [failed, synthetic] {
        let log = [types("u", "go"), asks("a", "M", "t1"), notice];
        assert_missing(&look(Format::ClaudeCode, &log), false, &["t1"]);
    }
}

#[test]
fn words_under_the_name_of_the_user_end_no_turn() {
    let after = |line: Value| look(Format::ClaudeCode, &[asks("a", "M", "t1"), line]);
    let mut echo = types("b", "also look there");
    echo["isReplay"] = json!(true);
    let mut meta = types("b", "Stop hook feedback:");
    meta["isMeta"] = json!(true);
    let queued = json!({"type": "attachment", "uuid": "b", "sessionId": "s",
        "attachment": {"type": "queued_command", "prompt": "also look there"}});
    for notice in [
        types("b", "and now?"),
        echo,
        meta,
        queued,
        types("b", "<local-command-stdout>m</local-command-stdout>"),
        types("b", "[Request interrupted by user for tool use]"),
    ] {
        assert_missing(&after(notice), false, &["t1"]);
    }
    // a text beside a result is part of that result
    let mut both = tells("c", "t1");
    let text = json!({"type": "text", "text": "mind the weather"});
    let blocks = both["message"]["content"].as_array_mut().unwrap();
    blocks.push(text);
    let log = [asks("a", "M", "t1"), asks("b", "M", "t2"), both];
    assert_missing(&look(Format::ClaudeCode, &log), false, &["t2"]);
}

#[test]
fn a_run_that_was_completed_leaves_no_call_open_and_one_that_was_cut_does() {
    let stream = |subtype: &str, is_error: bool| {
        let mut call = asks("a", "M", "t1");
        call["session_id"] = json!("s");
        [
            json!({"type": "system", "subtype": "init", "session_id": "s"}),
            call,
            json!({"type": "result", "subtype": subtype, "is_error": is_error, "session_id": "s"}),
        ]
    };
    let done = look(Format::ClaudeCode, &stream("success", false));
    assert_missing(&done, true, &[]);
    for (subtype, is_error) in [("error_during_execution", true), ("success", true)] {
        let cut = look(Format::ClaudeCode, &stream(subtype, is_error));
        assert_missing(&cut, false, &["t1"]);
    }
}

#[test]
fn a_session_that_was_cut_does_not_continue_in_the_next_one() {
    let mut next = [types("u", "go"), says("b", "N")];
    for line in &mut next {
        line["sessionId"] = json!("another");
    }
    let [prompt, answer] = next;
    let log = [asks("a", "M", "t1"), prompt, answer];
    assert_missing(&look(Format::ClaudeCode, &log), false, &["t1"]);
}

fn rollout(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-05-05T10:00:00Z", "type": kind, "payload": payload})
}

#[test]
fn a_completed_task_of_codex_leaves_no_call_open_and_an_aborted_one_does() {
    let call = json!({"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"});
    let user = |text: &str| json!({"type": "message", "role": "user", "content": text});
    let after = |kind: &str, payload: Value| {
        let call = rollout("response_item", call.clone());
        look(Format::Codex, &[call, rollout(kind, payload)])
    };
    let complete = json!({"type": "task_complete", "last_agent_message": "done"});
    assert_missing(&after("event_msg", complete), true, &[]);
    assert_missing(&after("response_item", user("and now?")), false, &["c"]);
    let aborted = json!({"type": "turn_aborted", "reason": "interrupted"});
    assert_missing(&after("event_msg", aborted), false, &["c"]);
    let notice = user("<turn_aborted>the user interrupted</turn_aborted>");
    assert_missing(&after("response_item", notice), false, &["c"]);
}

#[test]
fn a_completed_turn_of_codex_exec_leaves_only_commands_open_and_a_failed_one_anything() {
    let log = |kind: &str, end: &str| {
        let item = json!({"id": "i", "type": kind, "command": "ls", "tool": "t"});
        let started = json!({"type": "item.started", "item": item});
        look(Format::Codex, &[started, json!({"type": end})])
    };
    assert_missing(&log("mcp_tool_call", "turn.completed"), true, &[]);
    assert_missing(&log("mcp_tool_call", "turn.failed"), false, &["i"]);
    // a server that keeps running is reported when it ends
    assert_missing(&log("command_execution", "turn.completed"), false, &["i"]);
}

fn chat_call(id: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
}

#[test]
fn a_chat_that_continues_without_the_result_is_missing_it() {
    let user = |words: &str| json!({"role": "user", "content": words});
    let chat = |more: &[Value]| {
        let mut messages = vec![user("q"), chat_call("a")];
        messages.extend(more.iter().cloned());
        look(
            Format::OpenAi,
            &[json!({"model": "m", "messages": messages})],
        )
    };
    let says = json!({"role": "assistant", "content": "done"});
    assert_missing(&chat(&[]), false, &["a"]);
    assert_missing(&chat(&[says]), true, &[]);
    assert_missing(&chat(&[user("well?")]), false, &["a"]);
    // calls of one turn are sometimes spread over several messages
    assert_missing(&chat(&[chat_call("b")]), false, &["a", "b"]);
}

#[test]
fn a_history_without_a_call_lacks_its_result_and_responses_alone_prove_nothing() {
    let response = |id: &str, previous: Value, item: Value| json!({"id": id, "object": "response", "previous_response_id": previous, "output": [item]});
    let call = json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"});
    let said = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
    let user = json!({"role": "user", "content": "hi"});
    let dropped = [
        json!({"model": "m", "input": [user]}),
        response("r1", Value::Null, call.clone()),
        json!({"model": "m", "input": [user, said("I did nothing")]}),
        response("r2", Value::Null, said("b")),
    ];
    assert_missing(&look(Format::OpenAi, &dropped), true, &[]);
    let alone = [
        response("r1", Value::Null, call),
        response("r2", json!("r1"), said("b")),
    ];
    assert_missing(&look(Format::OpenAi, &alone), false, &["a"]);
}

#[test]
fn a_call_without_an_id_is_open_or_missing_its_result_like_any_other() {
    let user = json!({"role": "user", "content": "q"});
    let call = json!({"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}});
    let says = json!({"role": "assistant", "content": "done"});
    let shown = |name: &str| json!({"role": "function", "name": name, "content": "1"});
    let chat = |messages: Value| {
        look(
            Format::OpenAi,
            &[json!({"model": "m", "messages": messages})],
        )
    };
    assert_missing(&chat(json!([user, call, shown("f"), says])), false, &[]);
    assert_missing(&chat(json!([user, call])), false, &[""]);
    assert_missing(&chat(json!([user, call, user, says])), true, &[]);
    assert_missing(&chat(json!([user, chat_call(""), user, says])), true, &[]);
    let mut nameless = asks("a", "M", "t1");
    let block = nameless["message"]["content"][0].as_object_mut().unwrap();
    block.remove("id");
    let log = [nameless, types("b", "and?"), self::says("c", "N")];
    assert_missing(&look(Format::ClaudeCode, &log), true, &[]);
}
