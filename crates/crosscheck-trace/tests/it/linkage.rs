//! The reduced profile on realistic logs.

use std::collections::BTreeSet;

use crosscheck_core::Verdict;
use crosscheck_trace::linkage::{LinkageReport, LinkageReportV1, linkage};
use crosscheck_transcript::{Format, read};
use serde_json::{Value, json};

fn look(format: Format, lines: &[Value]) -> LinkageReport {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    linkage(&read(format, &text), "log.jsonl", 100)
}

fn codes(report: &LinkageReport) -> BTreeSet<String> {
    report
        .failures()
        .iter()
        .map(|failure| failure.reason.wire())
        .collect()
}

fn set(codes: &[&str]) -> BTreeSet<String> {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

fn call(uuid: &str, parent: Option<&str>, id: &str) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"id": uuid, "role": "assistant",
        "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}]}})
}

fn answer(uuid: &str, parent: Option<&str>, id: &str) -> Value {
    json!({"type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": id, "content": "done", "is_error": false}]}})
}

fn word(uuid: &str, parent: Option<&str>) -> Value {
    json!({"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"id": uuid, "role": "assistant",
        "content": [{"type": "text", "text": "All done."}]}})
}

#[test]
fn a_log_that_holds_is_undecided_and_never_accepted() {
    let report = look(
        Format::ClaudeCode,
        &[
            call("a", None, "t1"),
            answer("b", Some("a"), "t1"),
            word("c", Some("b")),
        ],
    );
    assert_eq!(report.verdict(), Verdict::Undecided);
    let document = serde_json::to_value(LinkageReportV1::from(&report)).unwrap();
    assert_eq!(document["verdict"], "linkage_holds");
    assert_eq!(document["profile"], "linkage");
    assert_eq!(document["checks"].as_array().unwrap().len(), 16);
    let grounding = &document["checks"][6];
    assert_eq!(grounding["details"], "not_applicable");
    assert_eq!(grounding["passed"], false);
    assert!(!document.to_string().contains("accepted"));
}

#[test]
fn a_call_of_the_last_turn_is_open_and_an_earlier_one_is_missing_its_result() {
    let open = look(Format::ClaudeCode, &[call("a", None, "t1")]);
    assert_eq!(open.verdict(), Verdict::Undecided);
    assert_eq!(open.open_calls()[0].id, "t1");
    let missing = look(
        Format::ClaudeCode,
        &[
            call("a", None, "t1"),
            call("b", Some("a"), "t2"),
            answer("c", Some("b"), "t2"),
            word("d", Some("c")),
        ],
    );
    assert_eq!(codes(&missing), set(&["missing_tool_result"]));
    assert_eq!(missing.verdict(), Verdict::Refuted);
}

#[test]
fn orphans_duplicates_and_results_before_calls_are_rejected() {
    let orphan = look(Format::ClaudeCode, &[answer("a", None, "t9")]);
    assert_eq!(codes(&orphan), set(&["orphan_tool_result"]));
    let twice = look(
        Format::ClaudeCode,
        &[
            call("a", None, "t1"),
            answer("b", Some("a"), "t1"),
            answer("c", Some("b"), "t1"),
        ],
    );
    assert_eq!(codes(&twice), set(&["duplicate_tool_result"]));
    let early = look(
        Format::ClaudeCode,
        &[answer("a", None, "t1"), call("b", Some("a"), "t1")],
    );
    assert_eq!(codes(&early), set(&["result_before_call"]));
}

#[test]
fn records_must_follow_existing_records() {
    let lost = look(
        Format::ClaudeCode,
        &[call("a", None, "t1"), answer("b", Some("nobody"), "t1")],
    );
    assert_eq!(codes(&lost), set(&["unknown_parent"]));
    let cut = look(
        Format::ClaudeCode,
        &[
            call("a", Some("before the cut"), "t1"),
            answer("b", Some("a"), "t1"),
        ],
    );
    assert_eq!(codes(&cut), set(&[]), "a log may begin in the middle");
}

#[test]
fn a_line_that_is_not_json_is_rejected() {
    let text = format!(
        "{}\nnope\n{}\n",
        call("a", None, "t1"),
        answer("b", Some("a"), "t1")
    );
    let report = linkage(&read(Format::ClaudeCode, &text), "log", 10);
    assert_eq!(codes(&report), set(&["bad_json"]));
    assert_eq!(report.failures()[0].location.line, Some(2));
    assert_eq!(
        codes(&linkage(&read(Format::Codex, ""), "log", 10)),
        set(&["empty_trace"])
    );
}

fn chat(id: &str, started: u64, input: Value, output: Value) -> Value {
    json!({"traceId": "t", "spanId": id, "name": "chat", "startTimeUnixNano": started.to_string(), "endTimeUnixNano": (started + 10).to_string(),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.input.messages", "value": {"stringValue": input.to_string()}},
            {"key": "gen_ai.output.messages", "value": {"stringValue": output.to_string()}}]})
}

fn executed(id: &str, started: u64, result: &str) -> Value {
    json!({"traceId": "t", "spanId": format!("x-{id}"), "name": "execute_tool", "startTimeUnixNano": started.to_string(), "endTimeUnixNano": (started + 5).to_string(),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "search"}},
            {"key": "gen_ai.tool.call.id", "value": {"stringValue": id}},
            {"key": "gen_ai.tool.call.result", "value": {"stringValue": result}}]})
}

fn asks(id: &str) -> Value {
    json!([{"role": "assistant", "parts": [{"type": "tool_call", "id": id, "name": "search", "arguments": {"q": "x"}}]}])
}

fn printed(id: &str, response: &str) -> Value {
    json!([{"role": "tool", "parts": [{"type": "tool_call_response", "id": id, "response": response}]}])
}

#[test]
fn what_the_model_was_shown_is_compared_with_what_the_tool_returned() {
    let says = json!([{"role": "assistant", "parts": [{"type": "text", "content": "ok"}]}]);
    let spans = |shown: &str| {
        json!({"resourceSpans": [{"scopeSpans": [{"spans": [
            chat("a", 100, json!([]), asks("c1")),
            executed("c1", 120, "3 rows"),
            chat("b", 130, printed("c1", shown), says.clone()),
        ]}]}]})
    };
    assert_eq!(codes(&look(Format::Otel, &[spans("3 rows")])), set(&[]));
    assert_eq!(
        codes(&look(Format::Otel, &[spans("5 rows")])),
        set(&["result_altered"])
    );
}

#[test]
fn executions_and_requests_must_match() {
    let spans = json!({"resourceSpans": [{"scopeSpans": [{"spans": [
        chat("a", 100, json!([]), asks("c1")),
        executed("c2", 120, "3 rows"),
        chat("b", 130, printed("c1", "made up"), json!([])),
    ]}]}]});
    let expected = set(&["execution_not_requested", "request_not_executed"]);
    assert_eq!(codes(&look(Format::Otel, &[spans])), expected);
}

#[test]
fn every_format_names_the_failure() {
    let report = look(Format::ClaudeCode, &[answer("a", None, "t9")]);
    let neutral = report.neutral();
    assert_eq!(neutral.verdict, Verdict::Refuted);
    assert!(
        neutral
            .outcomes
            .iter()
            .any(|outcome| outcome.verdict == Verdict::Refuted)
    );
    assert!(
        report.human().contains("orphan_tool_result"),
        "{}",
        report.human()
    );
}
