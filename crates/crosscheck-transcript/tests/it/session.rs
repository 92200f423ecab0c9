//! Sessions as events: what ran, what changed, who said what.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::too_many_lines,
    clippy::needless_pass_by_value,
    reason = "helpers of tests may fail like the tests themselves"
)]

use std::fmt::Write as _;

use crosscheck_transcript::session::{
    self, Body, By, Event, Harness, LogFacts, SessionReader, Span,
};
use serde_json::{Value, json};

/// A session and its lines.
struct Read {
    events: Vec<Event>,
    facts: LogFacts,
    text: String,
    harness: Harness,
}

fn read(harness: Harness, lines: &[Value]) -> Read {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    read_text(harness, &lines.join("\n"))
}

fn read_text(harness: Harness, text: &str) -> Read {
    let mut reader = SessionReader::new(harness, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        reader.line(at, line.as_bytes());
        at += line.len() as u64;
    }
    reader.flush();
    let mut events = reader.take_events();
    events.sort_by_key(|event| event.line);
    Read {
        events,
        facts: reader.facts().clone(),
        text: text.to_owned(),
        harness,
    }
}

impl Read {
    fn piece(&self, span: Span) -> &[u8] {
        let at = usize::try_from(span.at).unwrap();
        &self.text.as_bytes()[at..at + span.len]
    }

    /// One line for each event.
    fn story(&self) -> String {
        let mut story = String::new();
        for event in &self.events {
            let by = match event.by {
                By::Agent => "",
                By::User => "user ",
                By::Subagent => "subagent ",
            };
            let what = match &event.body {
                Body::Prompt(words) => format!("prompt {words:?}"),
                Body::Feedback => "feedback".to_owned(),
                Body::Text(words) => format!("text {words:?}"),
                Body::Run(run) => {
                    let output = run
                        .output
                        .and_then(|span| session::output(self.harness, self.piece(span), &run.id));
                    let text = output.map(|output| output.text);
                    format!(
                        "run {:?} {:?} {:?} {text:?}",
                        run.command, run.status, run.state
                    )
                }
                Body::Edit(edit) => {
                    let lines = edit.lines.map(|span| span.map(|span| self.piece(span)));
                    let texts = session::edits(self.harness, edit, lines[0].unwrap(), lines[1]);
                    let texts: Vec<String> = texts
                        .iter()
                        .map(|text| format!("{:?}->{:?}", text.old, text.new))
                        .collect();
                    let failed = if edit.done { "" } else { " failed" };
                    format!(
                        "edit {} {:?}{failed} {}",
                        edit.path,
                        edit.change,
                        texts.join(" ")
                    )
                }
                Body::Subagent(agent) => format!(
                    "subagent {} {:?} background {}",
                    agent.kind, agent.agent, agent.in_background
                ),
                Body::Ended(ended) => format!("ended {} {:?}", ended.id, ended.status),
                Body::Tool(tool) => format!("tool {} {}", tool.name, tool.failed),
            };
            writeln!(story, "{}/{} {by}{what}", event.line, event.step).unwrap();
        }
        story
    }
}

fn assistant(message: &str, blocks: Value) -> Value {
    json!({"type": "assistant", "uuid": "u", "cwd": "/p", "isSidechain": false, "timestamp": "2026-10-01T10:00:00Z",
        "message": {"id": message, "role": "assistant", "model": "m", "content": blocks}})
}

fn uses(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn answers(id: &str, content: &str, failed: bool, data: Value) -> Value {
    json!({"type": "user", "uuid": "v", "cwd": "/p", "toolUseResult": data,
        "message": {"role": "user", "content": [{"tool_use_id": id, "type": "tool_result", "content": content, "is_error": failed}]}})
}

fn typed(words: &str) -> Value {
    json!({"type": "user", "uuid": "w", "parentUuid": null, "cwd": "/p", "sessionId": "s", "message": {"role": "user", "content": words}})
}

#[test]
fn a_claude_session_is_what_ran_and_what_changed() {
    let lines = [
        typed("Fix it"),
        assistant(
            "m1",
            json!([{"type": "thinking", "thinking": "secret"}, {"type": "text", "text": "Looking."}]),
        ),
        assistant(
            "m1",
            json!([uses(
                "a",
                "Edit",
                json!({"file_path": "/p/x.py", "old_string": "1", "new_string": "2"})
            )]),
        ),
        assistant(
            "m1",
            json!([uses("b", "Bash", json!({"command": "pytest -q"}))]),
        ),
        answers(
            "b",
            "Exit code 1\n1 failed",
            true,
            json!("Error: Exit code 1\n1 failed"),
        ),
        answers(
            "a",
            "The file has been updated.",
            false,
            json!({"filePath": "/p/x.py"}),
        ),
        assistant(
            "m2",
            json!([uses(
                "c",
                "Bash",
                json!({"command": "pytest -q", "run_in_background": true})
            )]),
        ),
        answers(
            "c",
            "Command running in background with ID: b1",
            false,
            json!({"stdout": "", "backgroundTaskId": "b1"}),
        ),
        json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "<task-notification>\n<tool-use-id>c</tool-use-id>\n<status>failed</status>\n<summary>Background command \"t\" failed with exit code 3</summary>\n</task-notification>"}}),
        assistant(
            "m3",
            json!([
                uses("d", "Bash", json!({"command": "sleep 9"})),
                uses("e", "Write", json!({"file_path": "n.py", "content": "x"})),
                uses("f", "Bash", json!({"command": "rm -rf /"}))
            ]),
        ),
        answers(
            "d",
            "Exit code 143\nCommand timed out after 2m 0.0s",
            true,
            json!("Error"),
        ),
        answers(
            "e",
            "File created successfully",
            false,
            json!({"type": "create", "filePath": "n.py", "originalFile": null}),
        ),
        answers(
            "f",
            "<tool_use_error>Permission to use Bash has been denied.</tool_use_error>",
            true,
            json!("Error"),
        ),
        assistant(
            "m4",
            json!([
                uses("g", "Bash", json!({"command": "ls"})),
                uses(
                    "h",
                    "Agent",
                    json!({"subagent_type": "general-purpose", "prompt": "p"})
                ),
                uses("i", "mcp__x__y", json!({}))
            ]),
        ),
        answers(
            "g",
            "..",
            false,
            json!({"stdout": "out", "stderr": "err", "interrupted": true}),
        ),
        answers(
            "h",
            "done",
            false,
            json!({"agentId": "a1", "isAsync": true, "status": "async_launched"}),
        ),
        answers("i", "no", true, json!("Error")),
        assistant(
            "m5",
            json!([uses(
                "j",
                "Edit",
                json!({"file_path": "/p/x.py", "old_string": "no", "new_string": "yes"})
            )]),
        ),
        answers(
            "j",
            "<tool_use_error>String to replace not found in file.</tool_use_error>",
            true,
            json!("Error"),
        ),
        assistant("m6", json!([uses("k", "Bash", json!({"command": "make"}))])),
        assistant("m7", json!([{"type": "text", "text": "All done."}])),
    ];
    let read = read(Harness::ClaudeCode, &lines);
    assert_eq!(
        read.story(),
        r#"1/0 user prompt "Fix it"
2/1 text "Looking."
3/1 edit /p/x.py Modify Some("1")->"2"
4/1 run "pytest -q" Some(1) Ended Some("Exit code 1\n1 failed")
7/2 run "pytest -q" None Background Some("")
9/2 ended c Some(3)
10/3 run "sleep 9" Some(143) TimedOut Some("Exit code 143\nCommand timed out after 2m 0.0s")
10/3 edit n.py Write Some("")->"x"
14/4 run "ls" None Interrupted Some("out\nerr")
14/4 subagent general-purpose Some("a1") background true
14/4 tool mcp__x__y true
18/5 edit /p/x.py Modify failed Some("no")->"yes"
20/6 run "make" None Unanswered None
21/7 text "All done."
"#
    );
    assert_eq!(read.facts.session.as_deref(), Some("s"));
    assert_eq!(read.facts.model.as_deref(), Some("m"));
    assert!(!read.facts.begins_midway);
}

#[test]
fn only_what_a_person_typed_is_a_prompt() {
    let mut lines = vec![typed("first"), typed("Stop hook feedback:\nnot shown")];
    for words in [
        "<local-command-stdout>x</local-command-stdout>",
        "Caveat: The messages below",
        "[Request interrupted by user]",
        "This session is being continued from a previous conversation",
        "<task-notification>\n<status>running</status></task-notification>",
    ] {
        lines.push(typed(words));
    }
    for (key, value) in [
        ("isMeta", json!(true)),
        ("isCompactSummary", json!(true)),
        ("isSidechain", json!(true)),
        ("turnOrigin", json!("sdk")),
        ("origin", json!({"kind": "task-notification"})),
    ] {
        let mut line = typed("#no-crosscheck");
        line[key] = value;
        lines.push(line);
    }
    lines.push(json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "typed meanwhile"}}));
    lines.push(json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x", "origin": {"kind": "coordinator"}}}));
    lines.push(typed("<bash-input>make test</bash-input>"));
    lines.push(typed(
        "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>",
    ));
    assert_eq!(
        read(Harness::ClaudeCode, &lines).story(),
        r#"1/0 user prompt "first"
2/0 feedback
13/0 user prompt "typed meanwhile"
15/0 user run "make test" None Ended Some("ok\n")
"#
    );
}

#[test]
fn a_log_that_was_cut_or_has_unknown_lines_is_read_as_far_as_possible() {
    let whole = assistant("m", json!([uses("a", "Bash", json!({"command": "ls"}))])).to_string();
    let mut text = format!("{{\"type\":\"progress\"}}\nnot json\n{whole}\n\n");
    text.push_str(&whole[..whole.len() / 2]);
    let read = read_text(Harness::ClaudeCode, &text);
    assert_eq!(read.events.len(), 1);
    let facts = read.facts;
    assert_eq!((facts.lines, facts.broken, facts.known), (4, 2, 1));
    assert_eq!(facts.unknown.get("progress"), Some(&1));

    let mut first = typed("go on");
    first["parentUuid"] = json!("gone");
    assert!(
        self::read(Harness::ClaudeCode, &[first])
            .facts
            .begins_midway
    );
}

fn rollout(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-10-01T10:00:00Z", "ordinal": 1, "type": kind, "payload": payload})
}

fn shell(id: &str, name: &str, arguments: &Value) -> Value {
    rollout(
        "response_item",
        json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}),
    )
}

fn gives(id: &str, output: Value) -> Value {
    rollout(
        "response_item",
        json!({"type": "function_call_output", "call_id": id, "output": output}),
    )
}

#[test]
fn a_codex_session_says_in_each_generation_how_a_command_ended() {
    let patch = "*** Begin Patch\n*** Update File: src/lib.rs\n*** Move to: src/new.rs\n@@\n fn a\n-1\n+2\n*** Delete File: old.rs\n*** End Patch";
    let lines = [
        rollout("session_meta", json!({"id": "c", "cwd": "/p"})),
        rollout("turn_context", json!({"cwd": "/p", "model": "gpt"})),
        rollout(
            "response_item",
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x"}]}),
        ),
        rollout(
            "response_item",
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}),
        ),
        shell(
            "a",
            "shell",
            &json!({"command": ["bash", "-lc", "cargo test"], "workdir": "sub"}),
        ),
        shell("b", "exec_command", &json!({"cmd": "cargo build"})),
        gives(
            "a",
            json!("{\"output\":\"ok\\n\",\"metadata\":{\"exit_code\":2}}"),
        ),
        rollout(
            "event_msg",
            json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "b", "exit_code": 7}}),
        ),
        gives(
            "b",
            json!("Wall time: 1\nProcess exited with code 0\nOutput:\nbuilt"),
        ),
        rollout(
            "response_item",
            json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "p", "input": patch}),
        ),
        rollout(
            "response_item",
            json!({"type": "custom_tool_call_output", "call_id": "p", "output": "Exit code: 0\nOutput:\nSuccess."}),
        ),
        shell("c", "exec_command", &json!({"cmd": "cargo test"})),
        gives(
            "c",
            json!("Process running with session ID 5\nWall time: 1\nOutput:\n"),
        ),
        shell("c2", "write_stdin", &json!({"session_id": 5, "chars": ""})),
        gives("c2", json!("Process running with session ID 5\nOutput:\n")),
        shell("d", "write_stdin", &json!({"session_id": 5, "chars": ""})),
        gives(
            "d",
            json!("Process exited with code 0\nOutput:\ntest result: ok"),
        ),
        shell("e", "nothing", &json!({})),
        gives("e", json!("unsupported call: nothing")),
        shell("f", "exec_command", &json!({"cmd": "sleep 1"})),
        gives("f", json!("no frame at all")),
        rollout(
            "response_item",
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}),
        ),
        rollout("world_state", json!({})),
    ];
    let read = read(Harness::Codex, &lines);
    assert_eq!(
        read.story(),
        r#"4/0 user prompt "Go"
5/0 run "cargo test" Some(2) Ended Some("ok\n")
6/0 run "cargo build" Some(7) Ended Some("built")
10/1 edit src/lib.rs Delete Some("fn a\n1")->"fn a\n2"
10/1 edit src/new.rs Write Some("fn a\n1")->"fn a\n2"
10/1 edit old.rs Delete 
12/2 run "cargo test" None Background Some("")
16/4 ended c Some(0)
20/6 run "sleep 1" None Ended Some("no frame at all")
22/7 text "Done."
"#
    );
    assert_eq!(read.events[1].cwd.as_deref(), Some("/p/sub"));
    assert_eq!(read.facts.unknown.get("world_state"), Some(&1));
}

#[test]
fn the_neutral_form_has_the_same_events() {
    let lines = [
        json!({"t": "prompt", "seq": 1, "cwd": "/p", "text": "Go"}),
        json!({"t": "edit", "seq": 2, "path": "a.py", "op": "modify", "old": "1", "new": "2"}),
        json!({"t": "run", "seq": 3, "command": "pytest", "status": 0, "output": "1 passed", "by": "subagent"}),
        json!({"t": "run", "seq": 4, "command": "make", "status": null, "background": true}),
        json!({"t": "text", "seq": 5, "text": "Done."}),
        json!({"t": "surprise"}),
    ];
    assert_eq!(
        read(Harness::Neutral, &lines).story(),
        r#"1/1 user prompt "Go"
2/2 edit a.py Modify Some("1")->"2"
3/3 subagent run "pytest" Some(0) Ended Some("1 passed")
4/4 run "make" None Background None
5/5 text "Done."
"#
    );
}

#[test]
fn the_harness_is_recognised_by_its_first_lines() {
    for (line, expected) in [
        (typed("x"), Some(Harness::ClaudeCode)),
        (rollout("session_meta", json!({})), Some(Harness::Codex)),
        (json!({"t": "run"}), Some(Harness::Neutral)),
        (json!({"role": "user"}), None),
    ] {
        let text = format!("garbage\n{line}\n");
        assert_eq!(session::recognise(text.as_bytes()), expected, "{line}");
    }
}

#[test]
fn exports_of_other_harnesses_tell_the_same_story() {
    let opencode = json!({"info": {"id": "ses_1", "directory": "/p", "time": {"created": 1_772_924_668_472_i64}}, "messages": [
        {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Fix it."}, {"type": "text", "text": "hidden", "synthetic": true}]},
        {"info": {"role": "assistant", "modelID": "m"}, "parts": [
            {"type": "reasoning", "text": "no"},
            {"type": "tool", "callID": "c1", "tool": "edit", "state": {"status": "completed", "input": {"filePath": "/p/a.py", "oldString": "a", "newString": "b"}}},
            {"type": "tool", "callID": "c2", "tool": "bash", "state": {"status": "completed", "input": {"command": "pytest -q"}, "output": "1 failed", "metadata": {"exit": 1}}},
            {"type": "tool", "callID": "c3", "tool": "apply_patch", "state": {"status": "completed", "input": {"patchText": "*** Update File: /p/b.py\n@@\n-x\n+y\n"}}},
            {"type": "text", "text": "Done."}]}]});
    let gemini = json!({"sessionId": "g", "projectHash": "h", "startTime": "2026-10-01T10:00:00Z", "messages": [
        {"type": "user", "content": "Fix it."},
        {"type": "gemini", "content": "Done.", "model": "m", "toolCalls": [
            {"id": "c1", "name": "replace", "args": {"file_path": "/p/a.py", "old_string": "a", "new_string": "b"}, "status": "success"},
            {"id": "c2", "name": "run_shell_command", "args": {"command": "pytest -q"}, "status": "success",
             "result": [{"functionResponse": {"response": {"output": "1 failed\nExit Code: 1"}}}]}]}]});
    for (harness, document) in [(Harness::OpenCode, opencode), (Harness::Gemini, gemini)] {
        let text = serde_json::to_string_pretty(&document).unwrap();
        assert_eq!(session::recognise(text.as_bytes()), Some(harness));
        let mut reader = SessionReader::new(harness, false);
        reader.line(0, text.as_bytes());
        let read = Read {
            events: reader.take_events(),
            facts: reader.facts().clone(),
            text,
            harness,
        };
        let story = read.story();
        for part in [
            "prompt \"Fix it.\"",
            "/p/a.py",
            "run \"pytest -q\" Some(1) Ended",
            "1 failed",
            "text \"Done.\"",
        ] {
            assert!(story.contains(part), "{harness:?} lacks {part}: {story}");
        }
        assert!(!story.contains("hidden"), "{story}");
        assert!(read.facts.started.is_some() && read.facts.model.as_deref() == Some("m"));
    }

    let copilot = [
        json!({"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/p"}}, "timestamp": "2026-10-01T10:00:00Z"}),
        json!({"type": "user.message", "data": {"content": "Fix it."}}),
        json!({"type": "assistant.message", "data": {"content": "", "toolRequests": []}}),
        json!({"type": "tool.execution_start", "data": {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "pytest -q"}}}),
        json!({"type": "tool.execution_complete", "data": {"toolCallId": "c1", "success": true, "result": {"content": "3 passed\n<exited with exit code 0>"}}}),
        json!({"type": "tool.execution_start", "data": {"toolCallId": "c2", "toolName": "edit", "arguments": {"path": "/p/a.py", "old_str": "a", "new_str": "b"}}}),
        json!({"type": "assistant.message", "data": {"content": "Done."}}),
    ];
    let first = copilot[0].to_string();
    assert_eq!(session::recognise(first.as_bytes()), Some(Harness::Copilot));
    let read = read(Harness::Copilot, &copilot);
    let story = read.story();
    for part in [
        "prompt \"Fix it.\"",
        "run \"pytest -q\" Some(0) Ended",
        "/p/a.py",
        "text \"Done.\"",
    ] {
        assert!(story.contains(part), "lacks {part}: {story}");
    }
}

#[test]
fn the_stream_of_cursor_has_its_calls_in_records_of_their_own() {
    let call = |subtype: &str, id: &str, call: Value| json!({"type": "tool_call", "subtype": subtype, "call_id": id, "tool_call": call, "session_id": "s"});
    let write = json!({"args": {"path": "a.py", "fileText": "x"}});
    let mut ended = write.clone();
    ended["result"] = json!({"success": {"path": "a.py", "linesCreated": 1}});
    let shell = json!({"args": {"command": "pytest -q"}, "result": {"success": {"exitCode": 1, "stdout": "1 failed", "stderr": ""}}});
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/p", "model": "m"}),
        json!({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "Fix it."}]}, "session_id": "s"}),
        call("started", "c1", json!({"writeToolCall": write})),
        call("completed", "c1", json!({"writeToolCall": ended})),
        call(
            "started",
            "c2",
            json!({"shellToolCall": {"args": {"command": "pytest -q"}}}),
        ),
        call("completed", "c2", json!({"shellToolCall": shell})),
        call(
            "started",
            "c3",
            json!({"function": {"name": "lookup", "arguments": "{}"}}),
        ),
        call(
            "completed",
            "c3",
            json!({"function": {"name": "lookup", "arguments": "{}"}, "result": {"error": "no"}}),
        ),
        json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}, "session_id": "s"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "Done.", "session_id": "s"}),
    ];
    let first = lines[0].to_string();
    assert_eq!(
        session::recognise(first.as_bytes()),
        Some(Harness::ClaudeCode)
    );
    assert_eq!(
        read(Harness::ClaudeCode, &lines).story(),
        r#"2/0 user prompt "Fix it."
3/0 edit a.py Write None->"x"
5/1 run "pytest -q" Some(1) Ended Some("1 failed\n")
7/2 tool lookup true
9/3 text "Done."
"#
    );
}

#[test]
fn what_an_agent_or_a_task_queues_is_no_prompt() {
    let typed = json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Fix it."}});
    let mut of_agent = typed.clone();
    of_agent["agentId"] = json!("a1");
    let queued = |mode: &str| json!({"type": "attachment", "sessionId": "s", "attachment": {"type": "queued_command", "prompt": "Fix it.", "commandMode": mode}});
    for (line, is_prompt) in [
        (typed, true),
        (of_agent, false),
        (queued("prompt"), true),
        (queued("task-notification"), false),
    ] {
        let story = read(Harness::ClaudeCode, std::slice::from_ref(&line)).story();
        assert_eq!(story.contains("prompt"), is_prompt, "{line} {story}");
    }
}

#[test]
fn a_line_that_the_harness_did_not_write_breaks_the_chain() {
    let line = |id: &str, parent: Value| json!({"type": "user", "uuid": id, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-10-01T10:00:00Z", "message": {"role": "user", "content": "x"}});
    let progress = json!({"type": "progress", "uuid": "p", "parentUuid": null, "sessionId": "s", "timestamp": "2026-10-01T10:00:00Z"});
    let bare = json!({"type": "user", "message": {"role": "user", "content": "x"}});
    let chain = [progress, line("a", json!("p")), line("b", json!("a"))];
    let facts = |more: &[Value]| read(Harness::ClaudeCode, &[&chain, more].concat()).facts;

    let whole = facts(&[line("c", json!("b"))]);
    assert!(whole.unchained.is_none() && !whole.begins_midway);
    let with = |key: &str, value: Value| {
        let mut line = line("c", json!("b"));
        line[key] = value;
        line
    };
    assert!(
        facts(&[with("timestamp", json!("2026-10-01T09:59:30Z"))])
            .unchained
            .is_none()
    );
    for odd in [
        bare,
        line("c", json!("nobody")),
        line("c", Value::Null),
        with("sessionId", json!("other")),
        with("agentId", json!("a1")),
        with("timestamp", json!("2020-10-01T10:00:00Z")),
    ] {
        assert_eq!(
            facts(std::slice::from_ref(&odd)).unchained,
            Some(4),
            "{odd}"
        );
    }
    let call = |id: &str, parent: &str| {
        let call =
            json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]);
        let mut line = line(id, json!(parent));
        line["message"]["content"] = call;
        line
    };
    let twice = facts(&[call("c", "b"), call("d", "c")]);
    assert_eq!(twice.unchained, Some(5), "one id for two calls");
    let mut reader = SessionReader::new(Harness::ClaudeCode, false);
    reader.line(0, br#"{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": true, "is_error": false}]}}"#);
    assert_eq!(reader.facts().broken, 1, "a key that is repeated");
    let cut = read(
        Harness::ClaudeCode,
        &[line("b", json!("a")), line("c", json!("b"))],
    )
    .facts;
    assert!(cut.begins_midway && cut.unchained.is_none());
}
