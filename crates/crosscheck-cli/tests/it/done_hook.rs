//! The hook under bad conditions, as a child process: it prints one document
//! or nothing, ends with 0, and in time.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crosscheck_testkit::Desk;
use serde_json::{Value, json};

use crate::desk;
use crate::done::{later, session};

fn event(desk: &Desk, log: &str) -> Vec<u8> {
    let event = json!({"session_id": "s1", "prompt_id": "p1", "transcript_path": desk.at(log), "cwd": desk.path(),
        "hook_event_name": "Stop", "last_assistant_message": "All 12 tests pass, see `src/a.py:3`."});
    event.to_string().into_bytes()
}

/// What a child prints; it must be a document or nothing, with exit code 0.
fn answer(mut command: Command, input: &[u8]) -> Value {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input); // it may have ended
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    // a turn that ends although something is refuted leaves a line
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_over = stderr.lines().count() == 1 && stderr.contains("refuted");
    assert!(stderr.is_empty() || is_over, "{stderr} {text}");
    assert!(started.elapsed() < Duration::from_secs(30), "{text}");
    assert!(text.is_empty() || text.lines().count() == 1, "{text}");
    if text.is_empty() {
        Value::Null
    } else {
        serde_json::from_str(&text).unwrap()
    }
}

fn hook(desk: &Desk) -> Command {
    desk.command(["done", "hook"])
}

#[test]
fn without_a_home_the_hook_answers_and_only_warns() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed, 10 passed in 0.3s", 1));
    let mut command = hook(&desk);
    for name in [
        "HOME",
        "XDG_STATE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
    ] {
        command.env_remove(name);
    }
    let said = answer(command, &event(&desk, "s1.jsonl"));
    assert_eq!(said["decision"], Value::Null, "{said}");
    assert!(said["systemMessage"].is_string(), "{said}");

    let mut command = hook(&desk);
    command.env("HOME", "relative").env_remove("XDG_STATE_HOME");
    answer(command, &event(&desk, "s1.jsonl"));
}

#[test]
fn lines_that_are_huge_deep_or_torn_do_not_hide_the_run_behind_them() {
    let desk = desk();
    let run = session(&desk, "12 passed in 0.30s", 0);
    let huge = format!(
        "{{\"type\":\"user\",\"message\":{{\"content\":\"{}\"}}}}\n",
        "x".repeat(6 << 20)
    );
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let torn = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\"\n";
    for odd in [
        huge.as_str(),
        &deep,
        torn,
        "\u{0}\u{0}\n",
        "\n\n\n",
        "{\"type\":\"other\"}\r\n",
    ] {
        let (first, rest) = run.split_once('\n').unwrap();
        desk.file("s1.jsonl", format!("{first}\n{odd}{rest}"));
        let said = answer(hook(&desk), &event(&desk, "s1.jsonl"));
        assert_eq!(said["decision"], Value::Null, "{odd:.80} {said}");
    }
}

#[test]
fn a_false_claim_is_refused_however_long_the_message_goes_on() {
    for filler in [
        ".", " .", "a/", "A.", "1,", "'a ", "`a` ", "and now ", "- a\n",
    ] {
        let desk = desk();
        desk.file("s1.jsonl", session(&desk, "2 failed, 10 passed in 0.3s", 1));
        let mut event: Value = serde_json::from_slice(&event(&desk, "s1.jsonl")).unwrap();
        let rest = filler.repeat(100_000 / filler.len());
        event["last_assistant_message"] = json!(format!("All 12 tests pass.\n\n{rest}"));
        let said = answer(hook(&desk), event.to_string().as_bytes());
        assert_eq!(said["decision"], "block", "{filler:?} {said}");
    }
}

#[test]
fn what_should_be_a_file_and_is_none_proves_nothing() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed, 10 passed in 0.3s", 1));
    let fifo = Command::new("mkfifo").arg(desk.at("pipe.jsonl")).status();
    assert!(fifo.unwrap().success());
    let said = answer(hook(&desk), &event(&desk, "pipe.jsonl"));
    assert!(
        said["decision"] == "block" && said["systemMessage"].is_string(),
        "{said}"
    );

    std::fs::create_dir(desk.path().join("crosscheck.toml")).unwrap();
    later(&desk, "s2.jsonl", &desk.read("s1.jsonl"));
    let said = answer(hook(&desk), &event(&desk, "s2.jsonl"));
    assert_eq!(said["decision"], Value::Null, "{said}");
}

#[test]
fn an_event_that_never_ends_is_answered_at_the_deadline() {
    let desk = desk();
    let started = Instant::now();
    let mut child = hook(&desk)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"hook_event_name\":").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        said["systemMessage"].as_str().unwrap().contains("too long"),
        "{said}"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
#[cfg(unix)]
fn a_claim_that_there_was_no_time_to_check_is_not_established() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "12 passed in 0.3s", 0));
    let tools = crate::desk(); // no program of the project itself is run
    tools.file("git", "#!/bin/sh\nexec sleep 60\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tools.path().join("git"), executable).unwrap();
    std::fs::create_dir(desk.path().join(".git")).unwrap();
    let late = |message: &str| {
        let mut event: Value = serde_json::from_slice(&event(&desk, "s1.jsonl")).unwrap();
        event["last_assistant_message"] = json!(message);
        let mut command = hook(&desk);
        let path = format!("{}:/usr/bin:/bin", tools.path().display());
        command.env("PATH", path);
        answer(command, event.to_string().as_bytes())
    };
    let said = late("I pushed the commits to origin.");
    assert_eq!(said["decision"], "block", "{said}");
    assert!(said["reason"].as_str().unwrap().contains("time"), "{said}");
    // the same again, and nothing was done: a warning for the user
    let said = late("I pushed the commits to origin.");
    assert!(said["systemMessage"].is_string(), "{said}");
}

#[test]
fn a_reader_that_is_gone_is_no_failure() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed, 10 passed in 0.3s", 1));
    let mut child = hook(&desk)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&event(&desk, "s1.jsonl"))
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn times_of_the_log_from_another_century_accuse_no_one() {
    let desk = desk();
    for (time, shown) in [
        ("1970-01-01T00:00:00Z", None),
        // no line is younger than the file that holds it
        ("2999-01-01T00:00:00Z", Some("block")),
        ("yesterday", None),
        ("", None),
    ] {
        for (output, status, word) in [
            ("12 passed in 0.3s", 0, shown),
            ("2 failed, 10 passed in 0.3s", 1, Some("block")),
        ] {
            let log = session(&desk, output, status).replace("2026-10-01T10:00:00Z", time);
            desk.file("s1.jsonl", log);
            let event = String::from_utf8(event(&desk, "s1.jsonl")).unwrap();
            let event = event.replace("\"p1\"", &format!("\"{time} {status}\""));
            let said = answer(hook(&desk), event.as_bytes());
            assert_eq!(said["decision"].as_str(), word, "{time} {said}");
        }
    }
}
