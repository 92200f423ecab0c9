//! `crosscheck done`: one message, and the hook. Whatever a harness sends,
//! the hook prints one JSON document or nothing and ends with 0.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crosscheck_testkit::{Desk, Seen};
use serde_json::{Value, json};

use crate::desk;

/// Lines of a session of Claude Code in which `pytest` ended like this.
pub(crate) fn session(desk: &Desk, output: &str, status: i64) -> String {
    let cwd = desk.path().display().to_string();
    let base = |kind: &str, message: Value| json!({"type": kind, "sessionId": "s1", "cwd": cwd, "uuid": "u", "parentUuid": null, "timestamp": "2026-10-01T10:00:00Z", "message": message});
    let call = json!({"id": "m1", "role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}]});
    let text = if status == 0 {
        output.to_owned()
    } else {
        format!("Exit code {status}\n{output}")
    };
    let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": status != 0});
    let mut answer = base("user", json!({"role": "user", "content": [block]}));
    answer["toolUseResult"] = if status == 0 {
        json!({"stdout": output, "stderr": "", "interrupted": false})
    } else {
        json!(format!("Error: {text}"))
    };
    let lines = [
        base("user", json!({"role": "user", "content": "Fix it."})),
        base("assistant", call),
        answer,
    ];
    let lines = lines.map(|line| line.to_string());
    lines.join("\n") + "\n"
}

fn event(desk: &Desk, message: &str) -> Value {
    json!({"session_id": "s1", "prompt_id": "p1", "transcript_path": desk.at("s1.jsonl"), "cwd": desk.path(),
        "permission_mode": "default", "hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": message})
}

fn hook(desk: &Desk, event: &Value) -> Seen {
    answered(desk.crosscheck_with_input(["done", "hook"], event.to_string().as_bytes()))
}

/// What holds for every call of the hook.
fn answered(seen: Seen) -> Seen {
    // a turn that ends although something is refuted leaves a line
    let is_over = seen.stderr.lines().count() == 1 && seen.stderr.contains("refuted");
    assert!(seen.stderr.is_empty() || is_over, "{}", seen.stderr);
    assert_eq!(seen.code, 0, "{}", seen.stdout);
    if !seen.stdout.is_empty() {
        let document: Value = serde_json::from_str(&seen.stdout).unwrap();
        assert!(
            document.is_object() && seen.stdout.ends_with('\n'),
            "{document}"
        );
        assert!(document.get("continue").is_none(), "{document}");
    }
    seen
}

fn said(seen: &Seen, key: &str) -> String {
    let document: Value = serde_json::from_str(&seen.stdout).unwrap_or_default();
    document[key].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_claim_that_a_run_contradicts_sends_the_agent_back_at_most_three_times() {
    let desk = desk();
    desk.file(
        "s1.jsonl",
        session(&desk, "2 failed, 10 passed in 0.30s", 1),
    );

    let mut actions = Vec::new();
    for round in 0..5 {
        // something is done between the rounds
        let run =
            session(&desk, "2 failed, 10 passed in 0.30s", 1).replace("t1", &format!("r{round}"));
        let log = desk.read("s1.jsonl") + &run;
        desk.file("s1.jsonl", log);
        let seen = hook(&desk, &event(&desk, "All tests pass."));
        let word = if seen.stdout.contains("\"block\"") {
            "block"
        } else {
            "warn"
        };
        actions.push(word);
    }

    assert_eq!(actions, ["block", "block", "block", "warn", "warn"]);
}

#[test]
fn a_claim_that_a_run_shows_and_a_message_without_a_claim_say_nothing() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "12 passed in 0.30s", 0));
    for message in ["All 12 tests pass.", "Which of the two do you prefer?"] {
        let seen = hook(&desk, &event(&desk, message));
        assert_eq!(seen.stdout, "", "{message}");
    }
}

#[test]
fn the_hook_answers_whatever_it_is_fed() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed", 1));
    let good = event(&desk, "All tests pass.");
    let inputs: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        vec![b'['; 200_000],
        good.to_string().into_bytes()[..40].to_vec(),
        vec![b' '; 5 << 20],
        json!({"hook_event_name": "Stop"}).to_string().into_bytes(),
        json!({"hook_event_name": 5, "cwd": [], "transcript_path": {}, "last_assistant_message": 7}).to_string().into_bytes(),
        json!({"hook_event_name": "Stop", "cwd": "/no/such/folder", "last_assistant_message": "All tests pass."}).to_string().into_bytes(),
        json!({"hook_event_name": "Stop", "cwd": "relative", "transcript_path": "~/none", "last_assistant_message": "All tests pass."}).to_string().into_bytes(),
    ];
    for input in &inputs {
        answered(desk.crosscheck_with_input(["done", "hook"], input));
        answered(desk.crosscheck_with_input(["done", "hook", "--harness", "codex"], input));
        answered(desk.crosscheck_with_input(["done", "hook", "--no-such-option"], input));
    }
}

#[test]
fn every_prefix_of_a_log_gives_an_answer_and_no_wrong_accusation() {
    let desk = desk();
    let log = session(&desk, "12 passed in 0.30s", 0).into_bytes();
    let event = event(&desk, "All 12 tests pass.");
    for length in (0..log.len()).step_by(97) {
        desk.file("s1.jsonl", &log[..length]);
        hook(&desk, &event);
        let args = [
            "done",
            "check",
            "--transcript",
            "s1.jsonl",
            "--message",
            "-",
            "--format",
            "json",
        ];
        let seen = desk.crosscheck_with_input(args, b"All 12 tests pass.");
        assert!(matches!(seen.code, 0 | 2 | 3), "{length}: {}", seen.stdout);
    }
}

#[test]
fn a_log_that_cannot_be_read_or_has_another_form_proves_nothing() {
    let desk = desk();
    fs::create_dir(desk.path().join("folder.jsonl")).unwrap();
    desk.file("binary.jsonl", [0_u8, 159, 146, 150, b'\n'].repeat(1000));
    desk.file("other.jsonl", "{\"kind\":\"something else\"}\n".repeat(100));
    let mut shown = String::new();
    for name in ["folder.jsonl", "binary.jsonl", "other.jsonl", "none.jsonl"] {
        let mut event = event(&desk, "All tests pass.");
        event["transcript_path"] = json!(desk.at(name));
        event["prompt_id"] = json!(name);
        let seen = hook(&desk, &event);
        assert_eq!(said(&seen, "decision"), "block", "{name}: {}", seen.stdout);
        shown += &format!("{name}: {}\n", seen.neutral(&said(&seen, "systemMessage")));
    }
    insta::assert_snapshot!(shown);
}

/// The same session in another year; files are written today.
fn in_year(year: u16, session: &str) -> String {
    session.replace("2026-10-01", &format!("{year}-10-01"))
}

/// A log of the year 2090, as old as its lines: every other file is older.
pub(crate) fn later(desk: &Desk, name: &str, session: &str) {
    let path = desk.file(name, in_year(2090, session));
    let file = File::options().write(true).open(path).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    file.set_modified(time).unwrap();
}

#[test]
fn a_configuration_younger_than_the_session_switches_nothing_off() {
    let off = "[done]\nenabled = false\nmode = \"off\"\nskip_token = \"Fix\"\n";
    let failing = "[done]\nmode = \"off\"\nno_such_key = true\n";
    let mut shown = String::new();
    for text in [off, failing, "[done", "[done]\nmode = \"warn\"\n"] {
        let desk = desk();
        let log = session(&desk, "2 failed, 1 passed in 0.1s", 1);
        desk.file("s1.jsonl", in_year(2001, &log));
        desk.file("crosscheck.toml", text);
        let seen = hook(&desk, &event(&desk, "All tests pass."));
        assert_eq!(said(&seen, "decision"), "block", "{text}: {}", seen.stdout);
        shown += &seen.neutral(&said(&seen, "systemMessage"));
        shown += "\n";
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_configuration_that_was_accepted_has_its_rights() {
    let desk = desk();
    let log = session(&desk, "2 failed, 1 passed in 0.1s", 1);
    later(&desk, "s1.jsonl", &log);
    desk.file("crosscheck.toml", "[done]\nmode = \"warn\"\n");
    assert_eq!(desk.crosscheck(["done", "trust", "--yes"]).code, 0);
    let seen = hook(&desk, &event(&desk, "All tests pass."));
    assert_eq!(said(&seen, "decision"), "", "{}", seen.stdout);
    insta::assert_snapshot!(said(&seen, "systemMessage"));
}

#[test]
fn settings_that_are_younger_than_the_session_switch_nothing_off() {
    let log = |desk: &Desk| session(desk, "2 failed, 1 passed in 0.1s", 1);
    let off = "[done]\nmode = \"off\"\n";
    let desk = desk();
    desk.user_config(off);
    desk.file("s1.jsonl", log(&desk));
    let seen = hook(&desk, &event(&desk, "All tests pass."));
    assert_eq!(said(&seen, "decision"), "block", "{}", seen.stdout);
    later(&desk, "s1.jsonl", &log(&desk));
    let seen = hook(&desk, &event(&desk, "All tests pass."));
    assert_eq!(said(&seen, "decision"), "", "{}", seen.stdout);
    // who asks for a check may have written the file since
    desk.file("s1.jsonl", log(&desk));
    let seen = desk.crosscheck([
        "done",
        "check",
        "--transcript",
        "s1.jsonl",
        "--format",
        "json",
    ]);
    let receipt: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(receipt["mode"], "off", "{receipt}");
}

#[test]
fn without_a_session_a_program_of_the_project_runs_only_if_the_command_line_says_so() {
    let desk = desk();
    desk.file("m.md", "All tests pass.");
    // what it writes in the project is gone after it
    let elsewhere = tempfile::tempdir().unwrap();
    let made = elsewhere.path().join("ran");
    desk.file(
        "crosscheck.toml",
        format!(
            "[done.reality]\ncommands = true\n[done.commands]\ntests = [\"touch\", \"{}\"]\n",
            made.display()
        ),
    );
    let ran = || made.exists();
    let seen = desk.crosscheck(["done", "check", "--message", "m.md"]);
    assert!(!ran(), "{}", seen.stdout);
    insta::assert_snapshot!(seen.summary());
    let seen = desk.crosscheck([
        "done",
        "check",
        "--message",
        "m.md",
        "--reality",
        "commands",
    ]);
    assert!(ran(), "{}", seen.stdout);
}

#[test]
fn a_broken_configuration_opens_no_gate_and_is_told() {
    let mut shown = String::new();
    for text in [
        "[done",
        "[done]\nmode = 5\n",
        "[done]\nno_such_key = true\n",
        "\u{0}",
    ] {
        let desk = desk();
        later(&desk, "s1.jsonl", &session(&desk, "2 failed", 1));
        desk.file("crosscheck.toml", text);
        let seen = hook(&desk, &event(&desk, "All tests pass."));
        assert_eq!(
            said(&seen, "decision"),
            "block",
            "{text:?}: {}",
            seen.stdout
        );
        shown += &seen.neutral(&said(&seen, "systemMessage"));
        shown += "\n";
        let seen = hook(&desk, &event(&desk, "Which one do you prefer?"));
        assert_eq!(
            seen.stdout, "",
            "without a claim nothing of the project is opened"
        );
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn without_a_place_to_count_rounds_the_agent_is_sent_back_once() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed, 1 passed in 0.1s", 1));
    desk.home_file(".local/state", "a file where a folder should be");
    let mut event = event(&desk, "All tests pass.");
    for (is_again, decision) in [(false, "block"), (true, "")] {
        event["stop_hook_active"] = json!(is_again);
        let seen = hook(&desk, &event);
        assert_eq!(said(&seen, "decision"), decision, "{}", seen.stdout);
        assert!(!said(&seen, "systemMessage").is_empty(), "{}", seen.stdout);
    }
}

#[test]
fn a_clock_that_jumps_neither_fails_nor_forgets() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed, 1 passed in 0.1s", 1));
    let event = event(&desk, "All tests pass.");
    assert_eq!(said(&hook(&desk, &event), "decision"), "block");

    // everything that was kept is from the future, then from long ago
    let kept = desk.home().join(".local/state/crosscheck/done");
    let year = Duration::from_hours(366 * 24);
    for time in [SystemTime::now() + year, SystemTime::now() - year] {
        for entry in walk(&kept) {
            File::options()
                .write(true)
                .open(&entry)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        let seen = hook(&desk, &event);
        assert!(
            seen.stdout.contains("systemMessage") || seen.stdout.contains("block"),
            "{}",
            seen.stdout
        );
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn plan_mode_and_other_events_are_let_through() {
    let desk = desk();
    desk.file("s1.jsonl", session(&desk, "2 failed", 1));
    for (key, value) in [
        ("permission_mode", "plan"),
        ("hook_event_name", "PostToolUse"),
    ] {
        let mut event = event(&desk, "All tests pass.");
        event[key] = json!(value);
        assert_eq!(hook(&desk, &event).stdout, "", "{key}");
    }
}

#[test]
fn codex_gets_an_object_in_every_case() {
    let desk = desk();
    let event = json!({"session_id": "s1", "turn_id": "1", "transcript_path": null, "cwd": desk.path(), "hook_event_name": "Stop",
        "last_assistant_message": "Which one?", "model": "m", "permission_mode": "default", "stop_hook_active": false});
    assert_eq!(hook(&desk, &event).stdout, "{}\n");
}

#[test]
fn one_message_is_judged_with_a_receipt() {
    let desk = desk();
    desk.file(
        "s1.jsonl",
        session(&desk, "2 failed, 10 passed in 0.30s", 1),
    );
    desk.file("message.md", "All tests pass and I created `notes.txt`.");

    let seen = desk.crosscheck([
        "done",
        "check",
        "--transcript",
        "s1.jsonl",
        "--message",
        "message.md",
    ]);

    insta::assert_snapshot!(seen.summary(), @r#"
    exit 1
    --- stdout
    CROSSCHECK  check  [TIME]
    session s1
    ----------------------------------------------------------------
    ✗ "All tests pass" .................................... refuted
        tests_pass: the last command that could show it failed, and nothing was changed since (`pytest -q`).
        `pytest -q`  exit 1 | 2 failed, 10 passed in 0.30s
        run: pytest -q
    ✗ "created `notes.txt`" ............................... refuted
        file_created: the file is not there (notes.txt: not there).
    ! the last check of this turn failed, and nothing was changed since
    ----------------------------------------------------------------
    0 verified, 2 refuted, 0 unproven
    --- stderr
    "#);
}

#[test]
fn the_project_is_the_folder_that_the_session_worked_in() {
    let desk = desk();
    desk.file("project/notes.txt", "x");
    let folder = desk.at("project");
    let here = desk.path().display().to_string();
    let log = session(&desk, "12 passed in 0.30s", 0).replace(&here, &folder);
    desk.file("s1.jsonl", &log);
    desk.file("message.md", "All tests pass. I created `notes.txt`.");
    let words = "done check --transcript s1.jsonl --message message.md";
    let seen = desk.crosscheck(words.split(' '));
    assert_ne!(seen.code, 1, "the file is there: {}", seen.stdout);

    desk.file("s1.jsonl", log.replace(&folder, "/no/such/project"));
    let seen = desk.crosscheck(words.split(' '));
    assert!(seen.stderr.contains("which is not here"), "{}", seen.stderr);
    assert_ne!(
        seen.code, 1,
        "what is not here refutes nothing: {}",
        seen.stdout
    );
}

#[test]
fn the_exit_code_is_that_of_the_worst_claim() {
    let desk = desk();
    desk.file("notes.txt", "x");
    for (message, code) in [
        ("I created `notes.txt`.", 0),
        ("Which one?", 0),
        ("I created `missing.txt`.", 1),
        ("All tests pass.", 2),
    ] {
        let seen =
            desk.crosscheck_with_input(["done", "check", "--message", "-"], message.as_bytes());
        assert_eq!(
            seen.code, code,
            "{message}: {} {}",
            seen.stdout, seen.stderr
        );
    }
    assert_eq!(desk.crosscheck(["done", "check"]).code, 3);
}

#[test]
fn explain_case_shows_what_was_dropped_and_by_which_rule() {
    let desk = desk();
    let message = b"The tests should pass. I created `notes.txt`.";
    let same = [
        &["done", "explain-case"][..],
        &["done", "check", "--explain"],
    ];
    let shown = same.map(|args| {
        let args = [args, &["--message", "-"]].concat();
        desk.crosscheck_with_input(&args, message)
            .after(&args.join(" "))
    });
    insta::assert_snapshot!(shown.concat());
}

#[test]
fn a_file_with_another_time_and_the_same_text_is_unchanged_and_the_index_stays() {
    let desk = desk();
    desk.file("src/tok.py", "x = 1\n");
    for args in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-q", "-m", "x", "--date", "2026-09-01T10:00:00Z"],
    ] {
        let ran = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(args)
            .env("GIT_COMMITTER_DATE", "2026-09-01T10:00:00Z")
            .current_dir(desk.path())
            .status();
        assert!(ran.unwrap().success());
    }
    let file = File::options()
        .write(true)
        .open(desk.path().join("src/tok.py"));
    file.unwrap()
        .set_modified(std::time::UNIX_EPOCH + Duration::from_hours(400_000))
        .unwrap();
    // an edit that failed
    let call = json!({"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": desk.at("src/tok.py"), "old_string": "y", "new_string": "z"}});
    let answer = json!({"type": "tool_result", "tool_use_id": "t1", "content": "<tool_use_error>String to replace not found in file.</tool_use_error>", "is_error": true});
    let line = |kind: &str, content: Value| json!({"type": kind, "sessionId": "s1", "cwd": desk.path(), "timestamp": "2026-10-01T10:00:00Z", "message": {"id": "m1", "role": kind, "content": content}});
    let lines = [
        line("user", json!("Fix it.")),
        line("assistant", json!([call])),
        line("user", json!([answer])),
    ];
    desk.file(
        "s1.jsonl",
        lines.map(|line| line.to_string()).join("\n") + "\n",
    );
    desk.file("m.md", "Updated `src/tok.py` to keep empty fields.");
    let index = || fs::read(desk.path().join(".git/index")).unwrap();
    let before = index();

    let words = [
        "--transcript",
        "s1.jsonl",
        "--message",
        "m.md",
        "--format",
        "json",
    ];
    let seen = desk.crosscheck(["done", "check"].iter().chain(&words));

    let receipt: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(
        receipt["claims"][0]["reason"], "file_unchanged",
        "{receipt}"
    );
    assert!(index() == before, "the index was written");
}
