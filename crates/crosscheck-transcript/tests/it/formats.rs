//! Each format, as one line per event.

use std::fmt::Write as _;

use crosscheck_core::canonical;
use crosscheck_transcript::{Arguments, Body, Format, ToolCall, Transcript, Witness, detect, read};

/// The fixture logs and their formats.
pub(crate) const LOGS: [(Format, &str); 11] = [
    (
        Format::ClaudeCode,
        include_str!("../logs/claude-code.jsonl"),
    ),
    (Format::Codex, include_str!("../logs/codex-rollout.jsonl")),
    (Format::Codex, include_str!("../logs/codex-exec.jsonl")),
    (Format::OpenAi, include_str!("../logs/openai-chat.json")),
    (
        Format::OpenAi,
        include_str!("../logs/openai-responses.jsonl"),
    ),
    (Format::Anthropic, include_str!("../logs/anthropic.jsonl")),
    (Format::Otel, include_str!("../logs/otel.json")),
    (Format::Otel, include_str!("../logs/otel-console.jsonl")),
    (Format::LangSmith, include_str!("../logs/langsmith.json")),
    (Format::Mcp, include_str!("../logs/mcp.jsonl")),
    (Format::Calls, include_str!("../logs/calls.jsonl")),
];

fn log((format, text): (Format, &str)) -> Transcript {
    read(format, text)
}

/// The calls, with their steps.
fn calls(transcript: &Transcript) -> Vec<(usize, &ToolCall)> {
    let events = transcript.events.iter();
    let calls = events.filter_map(|event| match &event.body {
        Body::ToolCall(call) => Some((event.step, call)),
        _ => None,
    });
    calls.collect()
}

/// One line per event: position, then content.
fn story(transcript: &Transcript) -> String {
    let mut story = String::new();
    for event in &transcript.events {
        let _ = write!(story, "{} ", event.record);
        let by = |witness| match witness {
            Witness::Model => "",
            Witness::Tool => " (tool)",
        };
        let id = |id: &Option<String>| id.clone().unwrap_or_else(|| "-".to_owned());
        let _ = match &event.body {
            Body::ToolCall(call) => {
                let arguments = match &call.arguments {
                    Arguments::Json(json) => canonical::of_node(json.root()),
                    Arguments::Text(text) => format!("text {text:?}"),
                    Arguments::Absent => "absent".to_owned(),
                };
                writeln!(
                    story,
                    "call {} {} {arguments}{}",
                    id(&call.id),
                    call.name,
                    by(call.witness)
                )
            }
            Body::ToolResult(result) => {
                let failed = if result.is_error { " failed" } else { "" };
                let data = result
                    .structured
                    .as_ref()
                    .map(|json| canonical::of_node(json.root()));
                let data = data.map(|data| format!(" data {data}")).unwrap_or_default();
                writeln!(
                    story,
                    "result {} {:?}{failed}{data}{}",
                    id(&result.call_id),
                    result.content,
                    by(result.witness)
                )
            }
            Body::Message(message) => {
                let mark = if message.synthetic { " synthetic" } else { "" };
                writeln!(story, "{:?}{mark} {:?}", message.role, message.text)
            }
            Body::Exit(exit) => writeln!(story, "exit {} {:?}", id(&exit.call_id), exit.code),
            Body::TurnEnd => writeln!(story, "turn ends"),
        };
    }
    story
}

#[test]
fn every_log_is_recognised() {
    for (format, text) in LOGS {
        assert_eq!(
            detect(text),
            Some(format),
            "{}",
            text.lines().next().unwrap()
        );
    }
    assert_eq!(detect("hello\nworld"), None);
    assert_eq!(detect(r#"{"name":"x","level":"info"}"#), None);
    assert_eq!(
        detect(r#"[{"role":"user","content":"hi"}]"#),
        Some(Format::OpenAi)
    );
}

#[test]
fn the_words_of_a_message_do_not_decide_the_format() {
    let text = r#"{"role":"user","content":"{\"resourceSpans\":[],\"run_type\":\"tool\"}"}"#;
    assert_eq!(detect(text), Some(Format::OpenAi));
}

#[test]
fn a_claude_code_session_is_read_in_order() {
    let session = log(LOGS[0]);
    assert_eq!(
        story(&session),
        r#"2 User "Archive contact c_1."
3 Assistant "I archive it."
4 call toolu_1 Bash {"command":"sqlite3 app.db 'UPDATE contacts SET status=1'"}
5 result toolu_1 "Exit code 1\nno such table" failed data {"interrupted":false,"stderr":"no such table","stdout":""}
7 call toolu_2 Read {"file_path":"/srv/shop/a"}
8 User "and c_2, too"
9 User synthetic "Caveat: notice"
11 User synthetic "Stop hook feedback:\nlook again"
"#
    );
    assert_eq!(session.malformed.lines, [6]);
    assert_eq!(session.ignored, 2);
    let steps: Vec<usize> = calls(&session).into_iter().map(|(step, _)| step).collect();
    assert_eq!(steps, [1, 2]);
    assert!(
        !format!("{session:?}").contains("secret plans"),
        "reasoning is never read"
    );
}

#[test]
fn a_codex_rollout_has_calls_exits_and_answers() {
    let rollout = log(LOGS[1]);
    assert_eq!(
        story(&rollout),
        r#"3 User "Run the tests."
5 call call_1 exec_command {"cmd":"cargo test","workdir":"/srv/shop"}
6 exit call_1 Some(101)
7 result call_1 "Process exited with code 101\nOutput:\nboom"
8 call call_2 apply_patch text "*** Begin Patch\n*** Delete File: a\n*** End Patch"
9 result call_2 "denied" failed data {"content":"denied","success":false}
10 call call_3 local_shell {"command":["ls"],"type":"exec","working_directory":"/srv"}
11 Assistant "All green."
12 turn ends
"#
    );
}

#[test]
fn a_codex_rollout_with_completed_items_reads_as_one_with_an_event_for_each_kind() {
    let rollout = log((
        Format::Codex,
        include_str!("../logs/codex-rollout-items.jsonl"),
    ));
    assert_eq!(
        story(&rollout),
        r#"2 User "Save it."
3 call call_1 save_order {"id":"bad"}
4 exit call_1 None
5 result call_1 "Wall time: 0.0017 seconds\nOutput:\nno such order" data [{"text":"Wall time: 0.0017 seconds\nOutput:","type":"input_text"},{"text":"no such order","type":"input_text"}]
6 call call_2 exec_command {"cmd":"exit 3"}
7 exit call_2 Some(3)
8 result call_2 "Wall time: 0.0 seconds\nProcess exited with code 3\nOutput:\n"
9 call call_3 apply_patch text "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
10 exit call_3 None
11 result call_3 "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."
12 call call_4 exec_command {"cmd":"sleep 99"}
13 result call_4 "Wall time: 0.3 seconds\nProcess running with session ID 7\nOutput:\n"
14 Assistant "Saved."
16 turn ends
17 exit call_4 None
"#
    );
    let events = rollout.events.iter();
    let failed: Vec<bool> = events
        .filter_map(|event| match &event.body {
            Body::Exit(exit) => Some(exit.has_failed),
            _ => None,
        })
        .collect();
    assert_eq!(failed, [true, false, false, false]);
    assert_eq!(rollout.ignored, 2);
}

#[test]
fn a_codex_exec_stream_reports_a_call_once_and_leaves_it_open_without_end() {
    assert_eq!(
        story(&log(LOGS[2])),
        r#"4 call item_1 command_execution {"command":"bash -lc 'cargo test'"}
5 result item_1 "boom" failed
5 exit item_1 Some(101)
6 call item_2 upsert {"id":"c_1"}
6 result item_2 "ok" data {"content":[{"text":"ok","type":"text"}],"structured_content":null}
7 call item_3 command_execution {"command":"sleep 9"}
8 Assistant "Done."
9 turn ends
"#
    );
}

#[test]
fn chat_completions_messages_are_read_from_one_document() {
    assert_eq!(
        story(&log(LOGS[3])),
        r#"1 System "Be brief."
1 User "Archive c_1."
1 call call_1 contacts.upsert {"id":"c_1","status":"archived"}
1 call call_2 note text "free text"
1 result call_1 "{\"ok\":true}"
1 Assistant "Archived."
"#
    );
}

#[test]
fn responses_that_repeat_their_history_are_reported_once() {
    let responses = log(LOGS[4]);
    assert_eq!(
        story(&responses),
        r#"1 System "Be brief."
1 User "Archive c_1."
1 call call_1 contacts.upsert {"id":"c_1"}
2 result call_1 "ok"
2 call ws_1 web_search {"query":"x","type":"search"}
2 result ws_1 ""
2 call mcp_1 lookup {}
2 result mcp_1 "timed out" failed
2 Assistant "Archived, see site."
"#
    );
}

#[test]
fn anthropic_messages_that_repeat_their_history_are_reported_once() {
    let messages = log(LOGS[5]);
    assert_eq!(
        story(&messages),
        r#"1 System "Be brief."
1 User "Archive c_1."
1 Assistant "On it."
1 call toolu_1 contacts_upsert {"id":"c_1"}
2 result toolu_1 "locked" failed data [{"text":"locked","type":"text"}]
2 call srv_1 web_search {"query":"x"}
2 result srv_1 "{\"error_code\":\"unavailable\",\"type\":\"web_search_tool_result_error\"}" failed data {"error_code":"unavailable","type":"web_search_tool_result_error"}
2 Assistant "It is locked."
"#
    );
}

#[test]
fn spans_distinguish_records_of_the_model_and_of_the_tool() {
    let spans = log(LOGS[6]);
    assert_eq!(
        story(&spans),
        r#"1 System "Be brief."
1 User "Archive c_1."
1 call call_1 contacts.upsert {"id":9007199254740992}
1 call call_1 contacts.upsert {"id":9007199254740992} (tool)
1 result call_1 "locked" failed (tool)
1 result call_1 "fine"
1 Assistant "Archived."
"#
    );
    assert_eq!(spans.ignored, 2);
}

#[test]
fn spans_printed_one_by_one_are_read_and_an_unfinished_one_stays_open() {
    assert_eq!(
        story(&log(LOGS[7])),
        r#"1 call call_1 lookup text "not json" (tool)
1 result call_1 "{\"rows\":2}" data {"rows":2} (tool)
2 call call_2 lookup absent (tool)
"#
    );
}

#[test]
fn runs_are_read_with_their_children() {
    let runs = log(LOGS[8]);
    assert_eq!(
        story(&runs),
        r#"1 User "Archive c_1."
1 call call_1 upsert {"id":"c_1"}
1 call call_1 upsert {"id":"c_1"} (tool)
1 result call_1 "ok" data {"id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"ok","status":"success","tool_call_id":"call_1"},"lc":1,"type":"constructor"} (tool)
1 call r3 docs {"query":"x"} (tool)
1 result r3 "{\"documents\":[{\"page_content\":\"d\"}]}" data {"documents":[{"page_content":"d"}]} (tool)
1 call r4 mail text "{'to': 'x'}" (tool)
1 result r4 "refused" failed (tool)
1 call r5 slow {"n":1} (tool)
1 result call_1 "ok"
1 Assistant "Archived."
"#
    );
}

#[test]
fn mcp_answers_belong_to_calls_of_tools_only_and_prefer_structured_content() {
    let shown = [
        r#"5 call 2 get_order {"id":7}"#,
        r#"6 result 2 "{\"id\":7,\"state\":\"open\"}" data {"id":7,"state":"open"}"#,
        r#"7 call 3 close_order {"id":7}"#,
        r#"7 call 4 close_order {"id":8}"#,
        r#"8 result 4 "{\"code\":-32602,\"message\":\"no such order\"}" failed data {"code":-32602,"message":"no such order"}"#,
        r#"9 result 3 "closed" failed data [{"text":"closed","type":"text"}]"#,
    ];
    assert_eq!(story(&log(LOGS[9])).lines().collect::<Vec<_>>(), shown);
}

#[test]
fn mcp_failures_may_be_marked_by_text_and_an_empty_response_answers_nothing() {
    let call = |id: u8| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{{}}}}}}"#
        )
    };
    let lines = [
        call(1),
        call(2),
        call(3),
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":"no such order"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":"false"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":3}"#.to_owned(),
    ];
    let shown = [
        "1 call 1 t {}",
        "2 call 2 t {}",
        "3 call 3 t {}",
        r#"4 result 1 "[]" failed data []"#,
        r#"5 result 2 "[]" data []"#,
    ];
    let log = lines.join("\n");
    assert_eq!(
        story(&read(Format::Mcp, &log)).lines().collect::<Vec<_>>(),
        shown
    );
}

#[test]
fn lists_of_tools_say_which_of_them_only_read() {
    let tools = log(LOGS[9]).tools;
    let hints: Vec<_> = tools
        .iter()
        .map(|(name, hints)| (name.as_str(), hints.read_only, hints.destructive))
        .collect();
    assert_eq!(
        hints,
        [
            ("close_order", Some(false), Some(true)),
            ("get_order", Some(true), None)
        ]
    );
}

#[test]
fn plain_calls_carry_their_answers_and_the_rest_is_counted() {
    let transcript = log(LOGS[10]);
    let shown = [
        r#"1 call - orders.update {"id":7,"state":"closed"}"#,
        r#"1 result - "{\"id\":7,\"state\":\"closed\"}" data {"id":7,"state":"closed"}"#,
        r#"2 call 12 orders.get {"id":7}"#,
        r#"2 result 12 "{\"id\":7}""#,
        r#"3 call - orders.close {"id":8}"#,
        r#"3 result - "no such order" failed"#,
        r#"4 call - orders.note {"id":7}"#,
    ];
    assert_eq!(story(&transcript).lines().collect::<Vec<_>>(), shown);
    assert_eq!(transcript.ignored, 1);
    assert_eq!(transcript.malformed.lines, [6]);
    let calls = calls(&transcript).into_iter();
    let calls: Vec<_> = calls
        .map(|(step, call)| (step, call.hints.read_only))
        .collect();
    assert_eq!(calls, [(5, None), (0, Some(true)), (0, None), (0, None)]);
}

#[test]
fn a_plain_line_that_gives_no_call_is_counted_as_not_understood() {
    let call = r#"{"tool":"update_note","params":{"id":"n1"},"result":{"ok":true}}"#;
    for (line, unknown, malformed) in [
        (r#"{"calls":[{"tool":"t","params":{}}]}"#, 1, 0),
        (r#"[[{"tool":"t","params":{}}]]"#, 1, 0),
        (r#""hello""#, 1, 0),
        ("42", 1, 0),
        (r#"{"tool":"a","tool":"b","params":{}}"#, 0, 1),
        (r#"{"tool":"a","result":1,"result":2}"#, 0, 1),
        (r#"{"role":"user","content":["hi"]}"#, 0, 0),
        (r#"{"level":"info","msg":"done"}"#, 0, 0),
    ] {
        let transcript = read(Format::Calls, &format!("{call}\n{line}\n"));
        let counts = (transcript.unknown.count, transcript.malformed.count);
        assert_eq!(counts, (unknown, malformed), "{line}");
    }
}

#[test]
fn a_message_of_a_tool_may_say_itself_that_it_failed() {
    let text = r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":"x","status":"error"}]"#;
    let transcript = read(Format::OpenAi, text);
    let is_failed = |body: &Body| !matches!(body, Body::ToolResult(result) if !result.is_error);
    assert!(transcript.events.iter().all(|event| is_failed(&event.body)));
}

/// `LangChain` writes messages with a type, flat or wrapped; benchmarks put them
/// under names of their own, and one leaves the id of a call under `id`.
#[test]
fn messages_of_frameworks_and_benchmarks_keep_their_answers() {
    let flat = r#"{"type":"ai","content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"c1"}]},
        {"type":"tool","content":"no","tool_call_id":"c1","status":"error"}"#;
    let wrapped = r#"{"type":"ai","data":{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"c1"}]}},
        {"type":"tool","data":{"content":"no","tool_call_id":"c1","status":"error"}}"#;
    let dumped = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],
        "kwargs":{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"c1"}]}},
        {"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],
        "kwargs":{"content":"no","tool_call_id":"c1","status":"error"}}"#;
    let bare = r#"{"role":"assistant","tool_calls":[{"id":"c1","name":"f","arguments":{"a":1}}]},
        {"role":"tool","id":"c1","content":"no","error":true}"#;
    for log in [
        format!(r#"{{"messages":[{flat}]}}"#),
        format!(r#"{{"messages":[{wrapped}]}}"#),
        format!("[{dumped}]"),
        format!(r#"[{{"task_id":1,"traj":[{bare}]}}]"#),
        format!(r#"{{"simulations":[{{"id":"s","messages":[{bare}]}}]}}"#),
    ] {
        assert_eq!(detect(&log), Some(Format::OpenAi), "{log}");
        let transcript = read(Format::OpenAi, &log);
        assert_eq!(calls(&transcript).len(), 1, "{log}");
        let events = transcript.events.iter();
        let failed: Vec<bool> = events
            .filter_map(|event| match &event.body {
                Body::ToolResult(result) => {
                    Some(result.is_error && result.call_id.as_deref() == Some("c1"))
                }
                _ => None,
            })
            .collect();
        assert_eq!(failed, [true], "{log}");
    }
}
