//! Variants of what a log records about one call: some are breaks, others only
//! the way people log.

use std::collections::BTreeSet;

use crosscheck_trace::linkage::linkage;
use crosscheck_transcript::{Format, read};
use serde_json::{Value, json};

use crate::support::set;

fn codes(format: Format, records: &[Value]) -> BTreeSet<String> {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let report = linkage(&read(format, &text), "log.jsonl", 100);
    let wire = |failure: &crosscheck_trace::Failure| failure.reason.wire();
    report.failures().iter().map(wire).collect()
}

fn cited(text: &str, annotation: Value) -> BTreeSet<String> {
    let block = json!({"type": "output_text", "text": text, "annotations": [annotation]});
    let message = json!({"type": "message", "role": "assistant", "content": [block]});
    codes(
        Format::OpenAi,
        &[json!({"id": "r", "object": "response", "output": [message]})],
    )
}

#[test]
fn a_file_citation_is_a_position_in_the_text() {
    for (index, expected) in [
        (json!(0), set(&[])),
        (json!(3), set(&[])),
        (json!(5), set(&[])),
        (json!(6), set(&["span_out_of_bounds"])),
        (json!(-1), set(&["span_out_of_bounds"])),
        (json!(1.5), set(&["span_out_of_bounds"])),
        (json!("3"), set(&["span_out_of_bounds"])),
        (Value::Null, set(&[])),
    ] {
        let annotation =
            json!({"type": "file_citation", "file_id": "f", "filename": "x", "index": index});
        assert_eq!(cited("hello", annotation), expected, "{index}");
    }
    let without = json!({"type": "file_citation", "file_id": "f", "filename": "x"});
    assert_eq!(cited("hello", without), set(&[]));
}

#[test]
fn a_range_of_any_annotation_lies_inside_the_text() {
    for (start, end, expected) in [
        (json!(0), json!(5), set(&[])),
        (json!(3), json!(2), set(&["span_out_of_bounds"])),
        (json!(0), json!(6), set(&["span_out_of_bounds"])),
        (json!(-3), json!(2), set(&["span_out_of_bounds"])),
    ] {
        let annotation = json!({"type": "container_file_citation", "file_id": "f",
            "container_id": "c", "start_index": start, "end_index": end});
        assert_eq!(cited("hello", annotation), expected, "{start}-{end}");
    }
}

/// Two turns; the first one contains this item.
fn with_item(item: &Value) -> [Value; 2] {
    let says = |text: &str| {
        json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}]})
    };
    [
        json!({"id": "r1", "object": "response", "input": [{"role": "user", "content": "a"}],
            "output": [item, says("one")]}),
        json!({"id": "r2", "object": "response", "previous_response_id": "r1",
            "input": [{"role": "user", "content": "b"}], "output": [says("two")]}),
    ]
}

#[test]
fn tools_that_the_vendor_runs_need_no_output_item() {
    for item in [
        json!({"type": "web_search_call", "id": "w", "status": "completed",
            "action": {"type": "search", "query": "q"}}),
        json!({"type": "file_search_call", "id": "w", "status": "completed", "queries": ["q"],
            "results": null}),
        json!({"type": "code_interpreter_call", "id": "w", "status": "completed", "code": "1",
            "container_id": "c", "outputs": null}),
        json!({"type": "image_generation_call", "id": "w", "status": "completed"}),
        json!({"type": "mcp_call", "id": "w", "name": "f", "arguments": "{}", "error": "no"}),
        json!({"type": "web_search_call", "status": "completed", "action": {}}),
    ] {
        assert_eq!(codes(Format::OpenAi, &with_item(&item)), set(&[]), "{item}");
        let line = |payload: Value| json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload});
        let says = |role: &str| line(json!({"type": "message", "role": role, "content": "x"}));
        let rollout = [
            says("user"),
            line(item.clone()),
            says("assistant"),
            says("user"),
            says("assistant"),
        ];
        assert_eq!(codes(Format::Codex, &rollout), set(&[]), "{item}");
    }
}

#[test]
fn a_request_that_repeats_a_vendor_call_without_its_result_is_not_a_second_result() {
    let call = |outputs: Value| {
        json!({"type": "code_interpreter_call", "id": "w",
            "status": "completed", "code": "1", "container_id": "c", "outputs": outputs})
    };
    let mut log = with_item(&call(json!([{"type": "logs", "logs": "1"}])));
    log[1]["input"] = json!([call(Value::Null), {"role": "user", "content": "b"}]);
    assert_eq!(codes(Format::OpenAi, &log), set(&[]));
}

#[test]
fn a_vendor_call_in_progress_and_a_function_call_still_wait_for_a_result() {
    for item in [
        json!({"type": "web_search_call", "id": "w", "status": "in_progress", "action": {}}),
        json!({"type": "function_call", "call_id": "w", "name": "f", "arguments": "{}",
            "status": "completed"}),
        json!({"type": "computer_call", "call_id": "w", "status": "completed", "action": {}}),
    ] {
        assert_eq!(
            codes(Format::OpenAi, &with_item(&item)),
            set(&["missing_tool_result"]),
            "{item}"
        );
    }
}

/// One call as spans: requested, executed, shown.
fn spans(status: u8, attributes: &[(&str, &str)], response: Value) -> Vec<Value> {
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let messages = |key: &str, role: &str, part: Value| {
        text(key, &json!([{"role": role, "parts": [part]}]).to_string())
    };
    let span = |id: &str, at: u32, attributes: Value| {
        json!({"traceId": "t", "spanId": id, "name": id, "startTimeUnixNano": at.to_string(),
            "endTimeUnixNano": (at + 5).to_string(), "attributes": attributes})
    };
    let chat = text("gen_ai.operation.name", "chat");
    let call = json!({"type": "tool_call", "id": "A", "name": "f", "arguments": {}});
    let mut part = json!({"type": "tool_call_response", "id": "A"});
    part["response"] = response;
    let mut executed = vec![
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "f"),
        text("gen_ai.tool.call.id", "A"),
    ];
    executed.extend(attributes.iter().map(|(key, value)| text(key, value)));
    let mut tool = span("e", 30, json!(executed));
    tool["status"] = json!({"code": status});
    let asked = messages("gen_ai.output.messages", "assistant", call);
    let shown = messages("gen_ai.input.messages", "tool", part);
    vec![json!({"resourceSpans": [{"scopeSpans": [{"spans": [
        span("c", 10, json!([chat, asked])), tool, span("d", 50, json!([chat, shown])),
    ]}]}]})]
}

#[test]
fn an_empty_answer_is_an_answer() {
    const RESULT: &str = "gen_ai.tool.call.result";
    for (returned, shown, expected) in [
        (Some(""), json!("42"), set(&["result_altered"])),
        (Some("42"), json!(""), set(&["result_altered"])),
        (Some(""), json!(""), set(&[])),
        (Some("42"), json!("42"), set(&[])),
        (Some("42"), Value::Null, set(&[])),
        (None, json!("42"), set(&[])),
        (Some("42"), json!([{"type": "image"}]), set(&[])),
    ] {
        let recorded: Vec<_> = returned.map(|text| (RESULT, text)).into_iter().collect();
        let log = spans(1, &recorded, shown.clone());
        assert_eq!(
            codes(Format::Otel, &log),
            expected,
            "{returned:?} and {shown}"
        );
    }
}

#[test]
fn data_and_its_text_are_the_same_answer_whatever_the_spelling_of_numbers() {
    const RESULT: &str = "gen_ai.tool.call.result";
    for (returned, shown, expected) in [
        (r#"{"t": 21.0}"#, r#"{"t":21.0}"#, set(&[])),
        (r#"{"t": 21.0}"#, r#"{"t":21}"#, set(&[])),
        (r#"{"t": 21.0}"#, r#"{"t":21.5}"#, set(&["result_altered"])),
        ("[1, 2.0]", "[1,2.0]", set(&[])),
        ("21.0", "21.0", set(&[])),
        (
            "12345678901234567890",
            "12345678901234567891",
            set(&["result_altered"]),
        ),
        ("12345678901234567890", "12345678901234567890", set(&[])),
    ] {
        // the part is data here, and its digits must reach the reader as they are
        let log = spans(1, &[(RESULT, returned)], json!("SHOWN"));
        let text = log[0].to_string();
        let text = text.replace(r#"\"SHOWN\""#, &shown.replace('"', r#"\""#));
        assert!(!text.contains("SHOWN"), "{text}");
        let report = linkage(&read(Format::Otel, &text), "log.jsonl", 100);
        let wire = |failure: &crosscheck_trace::Failure| failure.reason.wire();
        let codes: BTreeSet<String> = report.failures().iter().map(wire).collect();
        assert_eq!(codes, expected, "{returned} and {shown}");
    }
}

#[test]
fn a_failure_without_text_must_be_shown_as_a_failure() {
    for (shown, expected) in [
        ("42", set(&["error_shown_as_success"])),
        ("", set(&["error_shown_as_success"])),
        ("Error: no connection", set(&[])),
        ("The tool failed.", set(&[])),
        ("TimedOut", set(&[])),
    ] {
        let log = spans(2, &[("error.type", "TimedOut")], json!(shown));
        assert_eq!(codes(Format::Otel, &log), expected, "{shown:?}");
    }
    let log = spans(2, &[], json!("42"));
    assert_eq!(codes(Format::Otel, &log), set(&["error_shown_as_success"]));
}

fn failed_run(status: Option<&str>, content: &str) -> BTreeSet<String> {
    let run = |id: &str, kind: &str, second: u32, more: Value| {
        let mut run = json!({"id": id, "trace_id": "r0", "parent_run_id": "r0", "run_type": kind,
            "name": "f", "inputs": {}, "outputs": null, "error": null,
            "start_time": format!("2026-01-01T00:00:0{second}.000000"),
            "end_time": "2026-01-01T00:00:09.000000"});
        for (key, value) in more.as_object().unwrap() {
            run[key] = value.clone();
        }
        run
    };
    let call = json!({"role": "assistant", "content": "", "tool_calls": [{"id": "A", "name": "f", "args": {}}]});
    let mut printed = json!({"role": "tool", "tool_call_id": "A", "content": content});
    if let Some(status) = status {
        printed["status"] = json!(status);
    }
    let log = [
        run("r0", "chain", 0, json!({"parent_run_id": null})),
        run("l1", "llm", 1, json!({"outputs": {"messages": [call]}})),
        run(
            "t1",
            "tool",
            2,
            json!({"inputs": {"tool_call_id": "A"}, "error": "boom"}),
        ),
        run("l2", "llm", 4, json!({"inputs": {"messages": [printed]}})),
    ];
    codes(Format::LangSmith, &log)
}

#[test]
fn a_failure_in_other_words_is_not_a_success() {
    let hidden = set(&["error_shown_as_success"]);
    assert_eq!(failed_run(Some("success"), "boom"), hidden);
    assert_eq!(failed_run(Some("success"), "all fine"), hidden);
    assert_eq!(failed_run(None, "all fine"), hidden);
    assert_eq!(failed_run(None, "boom"), set(&[]));
    assert_eq!(failed_run(None, "Error: boom"), set(&[]));
    assert_eq!(failed_run(Some("error"), "it did not work"), set(&[]));
}

#[test]
fn an_exit_code_is_compared_with_what_the_model_was_shown() {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload});
    for (code, output, expected) in [
        (
            1,
            json!({"content": "fine", "success": true}),
            set(&["error_shown_as_success"]),
        ),
        (1, json!({"content": "no", "success": false}), set(&[])),
        (0, json!({"content": "fine", "success": true}), set(&[])),
        (1, json!("Exit code: 1"), set(&[])),
    ] {
        let log = [
            line(
                "response_item",
                json!({"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"}),
            ),
            line(
                "event_msg",
                json!({"type": "exec_command_end", "call_id": "c", "exit_code": code}),
            ),
            line(
                "response_item",
                json!({"type": "function_call_output", "call_id": "c", "output": output}),
            ),
        ];
        assert_eq!(codes(Format::Codex, &log), expected, "{code} and {output}");
    }
}

/// A rollout with one call: how the harness reports its end, and what the model is
/// shown.
fn rollout(ends: &[Value], output: &Value) -> Vec<Value> {
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload});
    let mut log = vec![line(
        "response_item",
        json!({"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"}),
    )];
    log.extend(ends.iter().map(|end| line("event_msg", end.clone())));
    let shown = json!({"type": "function_call_output", "call_id": "c", "output": output});
    log.push(line("response_item", shown));
    log
}

#[test]
fn an_exit_code_of_0_is_a_failure_for_a_process_that_ended_with_1() {
    let end = |code: i64| json!({"type": "exec_command_end", "call_id": "c", "exit_code": code});
    let data = |code: i64| {
        json!(
            json!({"output": "x", "metadata": {"exit_code": code, "duration_seconds": 0.1}})
                .to_string()
        )
    };
    let header = |code: i64| {
        json!(format!(
            "Exit code: {code}\nWall time: 0.1 seconds\nOutput:\nx"
        ))
    };
    let exited = |code: i64| {
        json!(format!(
            "Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\nx"
        ))
    };
    for printed in [data, header, exited] {
        let hidden = codes(Format::Codex, &rollout(&[end(1)], &printed(0)));
        assert_eq!(hidden, set(&["error_shown_as_success"]), "{}", printed(0));
        for (ends, code) in [
            (vec![end(1)], 1),
            (vec![end(0)], 0),
            (vec![end(1), end(0)], 0), // refused by the sandbox, then allowed
            (vec![], 0),
        ] {
            let log = rollout(&ends, &printed(code));
            assert_eq!(codes(Format::Codex, &log), set(&[]), "{}", printed(code));
        }
    }
    for output in ["Exit code: 0", "Output:\nExit code: 0\nWall time: 1", "x"] {
        // the words of the command itself
        let log = rollout(&[end(1)], &json!(output));
        assert_eq!(codes(Format::Codex, &log), set(&[]), "{output}");
    }
}

#[test]
fn a_failed_mcp_call_or_patch_must_not_be_shown_as_a_success() {
    let mcp =
        |result: Value| json!({"type": "mcp_tool_call_end", "call_id": "c", "result": result});
    let patch =
        |success: bool| json!({"type": "patch_apply_end", "call_id": "c", "success": success});
    let fine = json!({"content": "all fine", "success": true});
    for failed in [
        mcp(json!({"Err": "boom"})),
        mcp(json!({"Ok": {"content": [], "isError": true}})),
        patch(false),
    ] {
        let printed = |output: &Value| {
            codes(
                Format::Codex,
                &rollout(std::slice::from_ref(&failed), output),
            )
        };
        assert_eq!(printed(&fine), set(&["error_shown_as_success"]), "{failed}");
        assert_eq!(
            printed(&json!({"content": "no", "success": false})),
            set(&[])
        );
        assert_eq!(printed(&json!("err: boom")), set(&[]));
    }
    for done in [mcp(json!({"Ok": {"content": []}})), patch(true)] {
        assert_eq!(codes(Format::Codex, &rollout(&[done], &fine)), set(&[]));
    }
}

#[test]
fn a_span_is_identified_by_its_id_in_its_trace() {
    let span = |trace: &str, id: &str, parent: &str, at: u32| {
        json!({"traceId": trace, "spanId": id, "parentSpanId": parent, "name": "x",
            "startTimeUnixNano": at.to_string(), "endTimeUnixNano": (at + 5).to_string(),
            "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]})
    };
    let log = |spans: Value| [json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})];
    let two = log(json!([
        span("t1", "s", "", 1),
        span("t2", "s", "", 100),
        span("t2", "u", "s", 100)
    ]));
    assert_eq!(codes(Format::Otel, &two), set(&[]));
    let twice = log(json!([span("t1", "s", "", 1), span("t1", "s", "", 1)]));
    assert_eq!(codes(Format::Otel, &twice), set(&["duplicate_record_id"]));
}
