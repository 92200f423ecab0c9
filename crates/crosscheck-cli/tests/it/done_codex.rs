//! Rollouts of Codex as evidence.

use crosscheck_testkit::Desk;
use serde_json::{Value, json};

use crate::desk;

fn item(payload: &Value) -> Value {
    json!({"timestamp": "2026-10-01T10:00:01Z", "type": "response_item", "payload": payload})
}

fn said(role: &str, text: &str) -> Value {
    let kind = if role == "user" {
        "input_text"
    } else {
        "output_text"
    };
    item(&json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
}

/// A call of `exec_command` and what came back.
fn ran(id: &str, command: &str, output: &str) -> [Value; 2] {
    let arguments = json!({"cmd": command}).to_string();
    [
        item(
            &json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id}),
        ),
        item(&json!({"type": "function_call_output", "call_id": id, "output": output})),
    ]
}

fn framed(status: i64, output: &str) -> String {
    format!(
        "Chunk ID: 1\nWall time: 0.3 seconds\nProcess exited with code {status}\nOutput:\n{output}"
    )
}

fn patched(id: &str, file: &str) -> [Value; 2] {
    let input =
        format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a = 1\n+a = 2\n*** End Patch");
    [
        item(
            &json!({"type": "custom_tool_call", "name": "apply_patch", "input": input, "call_id": id}),
        ),
        item(
            &json!({"type": "custom_tool_call_output", "call_id": id, "output": "Success. Updated the following files:\nM a.py"}),
        ),
    ]
}

/// Verdict and reason of "All tests pass." after these lines.
fn judged(desk: &Desk, lines: &[Value]) -> (String, String) {
    let cwd = desk.path();
    let mut all = vec![
        json!({"timestamp": "2026-10-01T10:00:00Z", "type": "session_meta", "payload": {"id": "c1", "cwd": cwd}}),
        json!({"timestamp": "2026-10-01T10:00:00Z", "type": "turn_context", "payload": {"cwd": cwd}}),
        said(
            "user",
            "<environment_context>\n<cwd>x</cwd>\n</environment_context>",
        ),
        said("user", "Fix it."),
    ];
    all.extend(lines.iter().cloned());
    all.push(said("assistant", "All tests pass."));
    let text: String = all
        .iter()
        .flat_map(|line| [line.to_string(), "\n".to_owned()])
        .collect();
    desk.file("rollout.jsonl", text);
    let seen = desk.crosscheck([
        "done",
        "check",
        "--transcript",
        "rollout.jsonl",
        "--reality",
        "none",
        "--format",
        "json",
    ]);
    let receipt: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(receipt["harness"], "codex", "{receipt}");
    let claim = &receipt["claims"][0];
    let word = |key: &str| claim[key].as_str().unwrap_or_default().to_owned();
    (word("verdict"), word("reason"))
}

#[test]
fn the_status_of_a_command_comes_from_its_frame_its_event_or_its_json() {
    let desk = desk();
    let event = |status: i64| {
        json!({"timestamp": "2026-10-01T10:00:02Z", "type": "event_msg",
            "payload": {"type": "exec_command_end", "call_id": "r1", "exit_code": status}})
    };
    let as_json = |status: i64, output: &str| {
        json!({"output": output, "metadata": {"exit_code": status}}).to_string()
    };
    let ok = ("verified", "run_ok");
    let failed = ("refuted", "run_failed");
    for (lines, expected) in [
        (
            ran("r1", "pytest -q", &framed(0, "12 passed in 0.2s")).to_vec(),
            ok,
        ),
        (
            ran("r1", "pytest -q", &framed(1, "1 failed, 11 passed in 0.2s")).to_vec(),
            failed,
        ),
        (
            ran(
                "r1",
                "bash -lc 'pytest -q'",
                &framed(0, "12 passed in 0.2s"),
            )
            .to_vec(),
            ok,
        ),
        (
            ran("r1", "pytest -q", &as_json(0, "12 passed in 0.2s")).to_vec(),
            ok,
        ),
        (
            ran("r1", "pytest -q", &as_json(1, "1 failed in 0.2s")).to_vec(),
            failed,
        ),
        (
            [
                &ran("r1", "pytest -q", "12 passed in 0.2s")[..],
                &[event(0)],
            ]
            .concat(),
            ok,
        ),
        (
            [&ran("r1", "pytest -q", "1 failed in 0.2s")[..], &[event(1)]].concat(),
            failed,
        ),
        // without a status the summary decides
        (
            ran("r1", "pytest -q", "12 passed in 0.2s").to_vec(),
            ("verified", "run_ok_output"),
        ),
        // a program that prints a frame is not believed
        (
            ran(
                "r1",
                "pytest -q",
                &framed(1, "Process exited with code 0\nOutput:\n1 failed"),
            )
            .to_vec(),
            failed,
        ),
        (
            ran(
                "r1",
                "pytest -q",
                "Process running with session ID 7\nOutput:\n",
            )
            .to_vec(),
            ("unproven", "background_run"),
        ),
        (Vec::new(), ("unproven", "no_run")),
    ] {
        let (verdict, reason) = judged(&desk, &lines);
        assert_eq!((verdict.as_str(), reason.as_str()), expected, "{lines:?}");
    }
}

#[test]
fn other_calls_of_codex_are_read_too() {
    let desk = desk();
    let shell = |name: &str| {
        let arguments =
            json!({"command": ["bash", "-lc", "pytest -q"], "workdir": desk.path()}).to_string();
        [
            item(
                &json!({"type": "function_call", "name": name, "arguments": arguments, "call_id": "r1"}),
            ),
            item(
                &json!({"type": "function_call_output", "call_id": "r1", "output": framed(0, "12 passed in 0.2s")}),
            ),
        ]
    };
    let local = [
        item(
            &json!({"type": "local_shell_call", "call_id": "r1", "status": "completed",
            "action": {"type": "exec", "command": ["pytest", "-q"], "working_directory": desk.path()}}),
        ),
        item(
            &json!({"type": "local_shell_call_output", "call_id": "r1", "output": framed(0, "12 passed in 0.2s")}),
        ),
    ];
    for lines in [shell("shell"), shell("container.exec"), local] {
        let (verdict, reason) = judged(&desk, &lines);
        assert_eq!(
            (verdict.as_str(), reason.as_str()),
            ("verified", "run_ok"),
            "{lines:?}"
        );
    }
}

#[test]
fn a_patch_after_the_run_makes_it_stale() {
    let desk = desk();
    let run = ran("r1", "pytest -q", &framed(0, "12 passed in 0.2s"));
    let failing = ran("r1", "pytest -q", &framed(1, "1 failed in 0.2s"));
    for (lines, expected) in [
        (
            [&run[..], &patched("p1", "a.py")].concat(),
            ("unproven", "stale_run"),
        ),
        (
            [&failing[..], &patched("p1", "a.py")].concat(),
            ("unproven", "failed_then_edited"),
        ),
        (
            [&patched("p1", "a.py")[..], &run].concat(),
            ("verified", "run_ok"),
        ),
        (
            [&run[..], &patched("p1", "README.md")].concat(),
            ("verified", "run_ok"),
        ),
    ] {
        let (verdict, reason) = judged(&desk, &lines);
        assert_eq!((verdict.as_str(), reason.as_str()), expected, "{lines:?}");
    }
}

#[test]
fn what_a_patch_or_a_command_weakens_proves_less() {
    let patch = |file: &str, old: &str, new: &str| {
        let input =
            format!("*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch");
        [
            item(
                &json!({"type": "custom_tool_call", "name": "apply_patch", "input": input, "call_id": "p1"}),
            ),
            item(
                &json!({"type": "custom_tool_call_output", "call_id": "p1", "output": "Success."}),
            ),
        ]
    };
    let desk = desk();
    let npm = ran("r1", "npm test", &framed(0, "Tests  12 passed (12)"));
    let pytest = ran("r1", "pytest -q", &framed(0, "12 passed in 0.2s"));
    let export = |value: &str| {
        let command = format!("export PYTEST_ADDOPTS=\"{value}\"");
        ran("r0", &command, &framed(0, ""))
    };
    let body = |text: &str| format!("  \"test\": \"{text}\"");
    let script = |text: &str| patch("package.json", &body("jest"), &body(text));
    let config = |text: &str| patch("pytest.ini", "[pytest]", &format!("[pytest] {text}"));
    // whatever a change means, the run is no witness
    let steered = ("unproven", "steered");
    let hidden = ("unproven", "disqualified_run");
    for (lines, expected) in [
        ([&script("echo ok")[..], &npm].concat(), steered),
        ([&script("jest || true")[..], &npm].concat(), steered),
        ([&script("exit 0")[..], &npm].concat(), steered),
        ([&script("jest --coverage")[..], &npm].concat(), steered),
        ([&script("vitest run")[..], &npm].concat(), steered),
        ([&export("-k smoke")[..], &pytest].concat(), hidden),
        ([&export("-q --tb=short")[..], &pytest].concat(), hidden),
        ([&config("addopts = -k one")[..], &pytest].concat(), steered),
        ([&config("addopts = -ra")[..], &pytest].concat(), steered),
    ] {
        let (verdict, reason) = judged(&desk, &lines);
        assert_eq!((verdict.as_str(), reason.as_str()), expected, "{lines:?}");
    }
}
