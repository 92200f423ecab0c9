//! The real `codex` CLI as the judge, with a scripted model on loopback behind
//! it. Without the CLI the test says so and does nothing.

use std::path::PathBuf;
use std::process::Command;

use crosscheck_testkit::{Reply, Site};
use serde_json::{Value, json};

const FOLDER: &str = "crosscheck/workspaces/demo";

/// `$CROSSCHECK_TEST_CODEX`, else `codex` on the path, if it answers.
fn real_codex() -> Option<PathBuf> {
    let program = std::env::var_os("CROSSCHECK_TEST_CODEX")
        .map_or_else(|| PathBuf::from("codex"), PathBuf::from);
    let answer = Command::new(&program).arg("--version").output().ok()?;
    answer.status.success().then_some(program)
}

/// One answer of the model, streamed.
fn answer() -> Reply {
    let message = json!({"type": "message", "role": "assistant", "id": "m1",
        "content": [{"type": "output_text", "text": "nothing to say"}]});
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let events = [
        json!({"type": "response.created", "response": {"id": "r1"}}),
        json!({"type": "response.output_item.done", "item": message}),
        json!({"type": "response.completed", "response": {"id": "r1", "usage": usage}}),
    ];
    let events = events.iter().map(|event| {
        let kind = event["type"].as_str().unwrap_or_default();
        format!("event: {kind}\ndata: {event}\n\n")
    });
    Reply::new(200)
        .header("content-type", "text/event-stream")
        .body(events.collect::<String>())
}

#[test]
fn the_real_codex_cli_reads_nothing_of_the_project_when_it_judges() {
    let Some(codex) = real_codex() else {
        eprintln!("skipped: no codex CLI here (npm install -g @openai/codex)");
        return;
    };
    let desk = crate::desk();
    let site = Site::start(|asked| {
        if asked.target.ends_with("/responses") {
            answer()
        } else {
            Reply::new(404)
        }
    });
    desk.file("AGENTS.md", "PLANTED-MEMORY\n");
    desk.file(
        ".codex/config.toml",
        "model = \"planted-model\"\ndeveloper_instructions = \"PLANTED-SETTINGS\"\n",
    );
    desk.file(".git/HEAD", "ref: refs/heads/main\n");
    desk.file(
        &format!("{FOLDER}/.metadata.json"),
        r#"{"name":"demo","created":"2025-10-15T10:00:00.000Z"}"#,
    );
    desk.file(
        &format!("{FOLDER}/INSTRUCTIONS.md"),
        "# Task\n\nWrite `README.md`.\n",
    );
    let project = desk.path().display().to_string();
    desk.home_file(
        ".codex/config.toml",
        format!(
            "model = \"user-model\"\nmodel_provider = \"loop\"\n[model_providers.loop]\nname = \"loop\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n[projects.{project:?}]\ntrust_level = \"trusted\"\n",
            site.base()
        ),
    );
    let folder = codex.parent().map(|folder| folder.display().to_string());
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        folder.unwrap_or_default()
    );
    let desk = desk.variable("PATH", &path);

    let seen = desk.crosscheck(["verify", "demo", "--judge", "codex", "--timeout", "120"]);

    assert!(
        seen.stderr.contains("Codex output:\nnothing to say"),
        "{}",
        seen.summary()
    );
    let asked = site.asked();
    let asked = asked
        .iter()
        .map(|asked| String::from_utf8_lossy(&asked.body));
    let asked: String = asked.collect();
    let request: Value =
        serde_json::from_str(asked.lines().next().unwrap_or_default()).unwrap_or_default();
    assert!(asked.contains("Verification depth: standard"), "{request}");
    assert!(asked.contains("user-model"));
    for planted in ["PLANTED-MEMORY", "PLANTED-SETTINGS", "planted-model"] {
        assert!(!asked.contains(planted), "{planted}");
    }
}
