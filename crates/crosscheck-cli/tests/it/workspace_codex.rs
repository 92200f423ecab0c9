//! The real `codex` CLI as the judge, with a scripted model on loopback behind
//! it. Without the CLI the test says so and does nothing.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crosscheck_testkit::{Asked, Desk, Reply, Site};
use serde_json::{Value, json};

const FOLDER: &str = "crosscheck/workspaces/demo";

/// `$CROSSCHECK_TEST_CODEX`, else `codex` on the path, if it answers.
pub(crate) fn real_codex() -> Option<PathBuf> {
    let program = std::env::var_os("CROSSCHECK_TEST_CODEX")
        .map_or_else(|| PathBuf::from("codex"), PathBuf::from);
    let answer = Command::new(&program).arg("--version").output().ok()?;
    answer.status.success().then_some(program)
}

/// The words with which the model ends.
fn last_words() -> Value {
    json!({"type": "message", "role": "assistant", "id": "m1",
        "content": [{"type": "output_text", "text": "nothing to say"}]})
}

/// One answer of the model, streamed.
pub(crate) fn answer(item: &Value) -> Reply {
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let events = [
        json!({"type": "response.created", "response": {"id": "r1"}}),
        json!({"type": "response.output_item.done", "item": item}),
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
            answer(&last_words())
        } else {
            Reply::new(404)
        }
    });
    for file in [
        "AGENTS.md",
        "AGENTS.override.md",
        ".codex/AGENTS.md",
        ".codex/prompts/planted.md",
        &format!("{FOLDER}/AGENTS.md"),
    ] {
        desk.file(file, "PLANTED-MEMORY\n");
    }
    let ran = desk.at("planted-ran");
    let settings = format!(
        "model = \"planted-model\"\ndeveloper_instructions = \"PLANTED-SETTINGS\"\nnotify = [\"touch\", \"{ran}\"]\n\
         [mcp_servers.planted]\ncommand = \"touch\"\nargs = [\"{ran}\"]\n\
         [features]\nhooks = true\ncodex_hooks = true\n"
    );
    desk.file(".codex/config.toml", &settings);
    let hook = json!({"hooks": [{"type": "command", "command": format!("touch {ran}")}]});
    desk.file(
        ".codex/hooks.json",
        json!({"hooks": {"SessionStart": [hook], "Stop": [hook]}}).to_string(),
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
    assert!(!desk.path().join("planted-ran").exists());
}

/// A server of the Model Context Protocol whose one tool always refuses.
const REFUSES: &str = r#"
while read -r line; do
  id=$(printf %s "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),.*/\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"db","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"save_order","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"no such order"}],"isError":true}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Lets a command fail, one run on, and the tool refuse; then it ends.
fn works(asked: &Asked) -> Reply {
    let request: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    let inputs = request["input"].as_array().into_iter().flatten();
    let answered = inputs.filter(|input| input["type"] == "function_call_output");
    let command = |id: &str, command: &str| {
        json!({"type": "function_call", "call_id": id, "name": "exec_command",
            "arguments": json!({"cmd": command, "yield_time_ms": 300}).to_string()})
    };
    match answered.count() {
        0 => answer(&command("c1", "exit 3")),
        1 => answer(&command("c2", "sleep 20")),
        2 => answer(
            &json!({"type": "function_call", "call_id": "c3", "namespace": "mcp__db",
            "name": "save_order", "arguments": r#"{"id": 7}"#}),
        ),
        _ => answer(&last_words()),
    }
}

#[test]
fn both_logs_of_the_real_codex_cli_hold_and_claim_no_refused_call() {
    let Some(codex) = real_codex() else {
        eprintln!("skipped: no codex CLI here (npm install -g @openai/codex)");
        return;
    };
    let desk = crate::desk();
    let site = Site::start(|asked| {
        if asked.target.ends_with("/responses") {
            works(asked)
        } else {
            Reply::new(404)
        }
    });
    let server = desk.file("server.sh", REFUSES);
    desk.home_file(
        ".codex/config.toml",
        format!(
            "model = \"user-model\"\nmodel_provider = \"loop\"\n[model_providers.loop]\nname = \"loop\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n[mcp_servers.db]\ncommand = \"sh\"\nargs = [{server:?}]\n",
            site.base()
        ),
    );
    let run = Command::new(codex)
        .args(["exec", "--json", "--skip-git-repo-check"])
        .args(["--dangerously-bypass-approvals-and-sandbox", "save it"])
        .current_dir(desk.path())
        .env("HOME", desk.home())
        .env_remove("CODEX_HOME")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stream = String::from_utf8_lossy(&run.stdout);
    let ends = |id: &str| {
        stream
            .matches(&format!(r#""id":"{id}","type":"command_execution""#))
            .count()
    };
    assert_eq!(
        (ends("item_1"), ends("item_2")),
        (2, 1),
        "the second command runs on: {stream}"
    );
    desk.file("stream.jsonl", &run.stdout);
    desk.file("rollout.jsonl", std::fs::read(rollout(&desk)).unwrap());
    rusqlite::Connection::open(desk.path().join("shop.db"))
        .and_then(|shop| shop.execute_batch("CREATE TABLE orders (id INTEGER PRIMARY KEY)"))
        .unwrap();

    for log in ["stream.jsonl", "rollout.jsonl"] {
        let rows = desk.crosscheck(["rows", log, "--db", "shop.db"]);
        let registry = format!("{log}.registry.json");
        let quick = [
            "quick",
            "--input",
            log,
            "--db",
            "shop.db",
            "--export-registry",
        ];
        let quick = desk.crosscheck(quick.into_iter().chain([registry.as_str()]));
        for seen in [rows, quick] {
            assert_ne!(seen.code, 1, "{log}: {}", seen.summary());
        }
    }
}

/// The newest log below the user's `.codex/sessions`.
fn rollout(desk: &Desk) -> PathBuf {
    let mut folders = vec![desk.home().join(".codex/sessions")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                &mut folders
            } else {
                &mut files
            }
            .push(entry.path());
        }
    }
    files.into_iter().max().unwrap()
}
