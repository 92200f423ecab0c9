//! `crosscheck done install`, `uninstall`, `status` and `last`.

use serde_json::{Value, json};

use crate::desk;
use crate::done::session;

const OTHERS: &str = r#"{
  "model": "x",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "./other.sh"
          }
        ]
      }
    ]
  }
}
"#;

#[test]
fn the_hook_is_merged_shown_and_taken_out_again() {
    let desk = desk();
    desk.file(".claude/settings.local.json", OTHERS);

    let seen = desk.crosscheck(["done", "install", "--scope", "local"]);
    assert_eq!(seen.code, 3, "without a terminal it must be told to write");
    assert_eq!(desk.read(".claude/settings.local.json"), OTHERS);

    let seen = desk.crosscheck(["done", "install", "--scope", "local", "--yes"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(
        seen.stdout.contains("+    \"SubagentStop\": ["),
        "{}",
        seen.stdout
    );
    let text = desk.read(".claude/settings.local.json");
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        settings["hooks"]["Stop"][0]["hooks"][0]["command"],
        "./other.sh"
    );
    let command = settings["hooks"]["Stop"][1]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    assert!(
        command.starts_with('/') && command.contains("done hook --harness claude-code"),
        "{command}"
    );
    assert_eq!(
        desk.read(".claude/settings.local.json.crosscheck-backup"),
        OTHERS
    );

    let again = desk.crosscheck(["done", "install", "--scope", "local", "--yes"]);
    assert!(
        again.stdout.contains("nothing to change"),
        "{}",
        again.stdout
    );
    assert_eq!(desk.read(".claude/settings.local.json"), text);
    assert_eq!(desk.crosscheck(["done", "status"]).code, 0);

    let seen = desk.crosscheck(["done", "uninstall", "--scope", "local", "--yes"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert_eq!(desk.read(".claude/settings.local.json"), OTHERS);
    assert_eq!(desk.crosscheck(["done", "status"]).code, 2);
}

#[test]
fn a_file_that_was_created_for_the_hook_goes_with_it() {
    let desk = desk();
    desk.crosscheck(["done", "install", "--scope", "local", "--yes"]);
    assert_eq!(desk.names(".claude"), ["settings.local.json"]);

    let seen = desk.crosscheck(["done", "uninstall", "--scope", "local", "--yes"]);

    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(seen.stdout.contains("removed"), "{}", seen.stdout);
    assert_eq!(desk.names(".claude"), Vec::<String>::new());

    // one that was there before stays, as empty as it was
    desk.file(".claude/settings.local.json", "{}\n");
    desk.crosscheck(["done", "install", "--scope", "local", "--yes"]);
    desk.crosscheck(["done", "uninstall", "--scope", "local", "--yes"]);
    assert_eq!(desk.read(".claude/settings.local.json"), "{}\n");
}

#[test]
fn the_installed_command_is_one_that_a_shell_can_run() {
    let desk = desk();
    desk.crosscheck(["done", "install", "--yes", "--harness", "codex"]);
    let text = std::fs::read_to_string(desk.home().join(".codex/hooks.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let event = json!({"hook_event_name": "Stop", "turn_id": "1", "cwd": desk.path(), "last_assistant_message": "hello"});

    let script = format!("printf '%s' '{event}' | {command}");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();

    assert_eq!(String::from_utf8_lossy(&output.stdout), "{}\n");
}

#[test]
fn shared_settings_name_the_program_and_those_of_the_user_its_path() {
    let desk = desk();
    let command = |text: &str| {
        let settings: Value = serde_json::from_str(text).unwrap();
        settings["hooks"]["Stop"][0]["hooks"][0]["command"].to_string()
    };
    let seen = desk.crosscheck(["done", "install", "--scope", "project", "--yes"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let shared = command(&desk.read(".claude/settings.json"));
    assert!(shared.starts_with("\"crosscheck done hook"), "{shared}");

    let seen = desk.crosscheck(["done", "install", "--yes"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let text = std::fs::read_to_string(desk.home().join(".claude/settings.json")).unwrap();
    let own = command(&text);
    assert!(own.starts_with("\"/") && own.contains("--listed"), "{own}");
    let text = std::fs::read_to_string(desk.home().join(".config/crosscheck/config.toml")).unwrap();
    assert!(text.contains("[done.projects."), "{text}");
    let again = desk.crosscheck(["done", "install", "--yes"]);
    assert_eq!(
        again.stdout.matches("nothing to change").count(),
        2,
        "{}",
        again.stdout
    );
}

#[test]
fn settings_that_cannot_be_read_are_left_alone() {
    let desk = desk();
    for text in ["{ // comment\n}", "[1]", "{\"hooks\": []}", "\u{0}"] {
        desk.file(".claude/settings.local.json", text);
        let seen = desk.crosscheck(["done", "install", "--scope", "local", "--yes"]);
        assert_eq!(seen.code, 3, "{text:?}: {}", seen.stdout);
        assert_eq!(desk.read(".claude/settings.local.json"), text);
        assert_eq!(desk.names(".claude"), ["settings.local.json"]);
    }
}

#[test]
fn the_newest_session_of_the_folder_is_judged() {
    let desk = desk();
    let root = std::fs::canonicalize(desk.path()).unwrap();
    let slug: String = root
        .to_string_lossy()
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let last = json!({"type": "assistant", "sessionId": "s1", "cwd": root, "uuid": "v", "message": {"id": "m9", "role": "assistant", "content": [{"type": "text", "text": "All tests pass."}]}});
    assert_eq!(desk.crosscheck(["done", "last"]).code, 3);
    desk.home_file(
        &format!(".claude/projects/{slug}/s1.jsonl"),
        format!(
            "{}{last}\n",
            session(&desk, "2 failed, 1 passed in 0.1s", 1)
        ),
    );

    let seen = desk.crosscheck(["done", "last"]);

    assert_eq!(seen.code, 1, "{} {}", seen.stdout, seen.stderr);
    assert!(seen.stdout.contains("All tests pass"), "{}", seen.stdout);
}

#[test]
fn a_dry_run_shows_what_would_be_written() {
    let desk = desk();
    desk.file(
        "Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
    );
    let limits = |words: &[&str]| {
        let seen = desk.crosscheck(words);
        let lines = seen.stdout.lines().map(str::to_owned);
        let limits = lines.filter(|line| line.contains("\"timeout\""));
        limits.collect::<Vec<String>>()
    };
    let shown = limits(&["done", "install", "--dry-run"]);
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert_eq!(limits(&["done", "install", "--yes"]), shown);
}

#[test]
fn a_configuration_that_cannot_be_read_ends_every_command_that_needs_it() {
    let desk = desk();
    desk.file("crosscheck.toml", "this is [not toml");
    desk.file("s.jsonl", "{}\n");
    for words in [
        "install --dry-run",
        "prove",
        "learn s.jsonl",
        "audit s.jsonl",
    ] {
        let seen = desk.crosscheck(["done"].into_iter().chain(words.split(' ')));
        assert_eq!(seen.code, 3, "{words}: {}", seen.summary());
        assert!(seen.stderr.contains("not valid TOML"), "{}", seen.summary());
    }
}
