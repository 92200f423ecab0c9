//! The real `codex` CLI with the hook installed, and a scripted model on
//! loopback behind it. Without the CLI the test says so and does nothing.

use std::process::{Command, Stdio};

use crosscheck_testkit::{Reply, Site};
use serde_json::json;

use crate::desk;
use crate::workspace_codex::{answer, real_codex};

#[test]
fn the_real_codex_is_sent_back_once_and_may_then_stop() {
    let Some(codex) = real_codex() else {
        eprintln!("skipped: no codex CLI here (npm install -g @openai/codex)");
        return;
    };
    let desk = desk();
    let says = |text: &str| {
        answer(&json!({"type": "message", "role": "assistant", "id": "m1",
            "content": [{"type": "output_text", "text": text}]}))
    };
    let lie = says("All tests pass.");
    let honest = says("I have not run anything yet.");
    let site = Site::start(move |asked| match asked.turn {
        _ if !asked.target.ends_with("/responses") => Reply::new(404),
        0 => lie.clone(),
        _ => honest.clone(),
    });
    let project = std::fs::canonicalize(desk.path()).unwrap();
    let project = project.display().to_string();
    desk.home_file(
        ".codex/config.toml",
        format!(
            "model = \"m\"\nmodel_provider = \"loop\"\n[model_providers.loop]\nname = \"loop\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n[projects.{project:?}]\ntrust_level = \"trusted\"\n",
            site.base()
        ),
    );
    desk.file(".git/HEAD", "ref: refs/heads/main\n");
    desk.user_config("[ledger]\nenabled = true\n");
    let seen = desk.crosscheck(["done", "install", "--yes", "--harness", "codex"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());

    let output = Command::new(codex)
        .args([
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust", // the hook is ours, the home a temporary one
            "Fix it.",
        ])
        .current_dir(desk.path())
        .env("HOME", desk.home())
        .env_remove("CODEX_HOME")
        .stdin(Stdio::null())
        .output()
        .unwrap();

    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let asked = site.asked();
    let asked: Vec<String> = asked
        .iter()
        .filter(|asked| asked.target.ends_with("/responses"))
        .map(|asked| String::from_utf8_lossy(&asked.body).into_owned())
        .collect();
    assert_eq!(asked.len(), 2, "sent back once: {said}");
    assert!(!asked[0].contains("crosscheck: 1 statement"), "{said}");
    assert!(asked[1].contains("crosscheck: 1 statement"), "{said}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("I have not run anything yet."),
        "{said}"
    );
    let shown = desk.crosscheck(["ledger", "show", "--format", "ndjson"]);
    let records: Vec<serde_json::Value> = shown
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records.len(), 1, "{}", shown.summary());
    let notes = &records[0]["record"]["entry"]["notes"];
    assert_eq!(
        (&notes["action"], &notes["harness"]),
        (&json!("block"), &json!("codex"))
    );
}
