//! A session whose tests failed, with any prompt and any lines behind it: that all tests pass is never
//! confirmed.
#![no_main]

use std::sync::LazyLock;

use crosscheck::batch::{Job, Runner};
use crosscheck::core::Verdict;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

static RUNNER: LazyLock<Runner> = LazyLock::new(|| Runner::new(".".as_ref()).unwrap());

fn line(at: usize, kind: &str, content: Value, result: Value) -> Value {
    let parent = (at > 0).then(|| format!("u{}", at - 1));
    json!({"type": kind, "uuid": format!("u{at}"), "parentUuid": parent, "sessionId": "s1", "cwd": "/p",
        "timestamp": format!("2026-10-01T10:00:{at:02}Z"), "isSidechain": false,
        "message": {"id": format!("m{at}"), "role": kind, "content": content}, "toolUseResult": result})
}

fuzz_target!(|input: (&str, &str, &str)| {
    let (prompt, command, tail) = input;
    let call = |id: &str, command: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]);
    let failed = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "Exit code 1\n2 failed, 10 passed in 0.30s", "is_error": true}]);
    let ended = json!([{"type": "tool_result", "tool_use_id": "t2", "content": ""}]);
    let lines = [
        line(0, "user", json!(prompt), Value::Null),
        line(1, "assistant", call("t1", "pytest -q"), Value::Null),
        line(2, "user", failed, Value::Null),
        line(3, "assistant", call("t2", command), Value::Null),
        line(
            4,
            "user",
            ended,
            json!({"stdout": "", "stderr": "", "interrupted": false}),
        ),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let log = format!("{}\n{tail}\n", lines.join("\n"));
    let job = json!({"id": 1, "task": "done", "transcript": {"text": log}, "message": "All 12 tests pass."});
    let answer = RUNNER.answer(Job::read(job.to_string().as_bytes()));
    assert_ne!(answer.verdict, Some(Verdict::Confirmed), "{log}");
});
