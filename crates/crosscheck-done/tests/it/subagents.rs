//! The log of a subagent that is named by itself.

use std::path::Path;

use crosscheck_done::gate;
use crosscheck_done::read::session::Log;
use serde_json::json;

#[test]
fn the_last_words_of_a_subagent_are_read_from_its_own_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1/subagents/agent-a1.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let line = |number: u8, kind: &str, content: serde_json::Value| {
        json!({
            "type": kind, "isSidechain": true, "sessionId": "s1", "agentId": "a1",
            "cwd": folder.path(), "uuid": format!("u{number}"),
            "timestamp": format!("2090-10-01T10:00:0{number}.000Z"),
            "message": {"id": format!("m{number}"), "role": kind, "content": content},
        })
        .to_string()
    };
    let text = json!([{"type": "text", "text": "All tests pass."}]);
    let lines = [line(1, "user", json!("fix it")), line(2, "assistant", text)];
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let last = gate::last_words(&Log::at(path)).unwrap();
    assert_eq!(last.text.as_deref(), Some("All tests pass."));
    assert!(!Log::at(Path::new("s1.jsonl").to_owned()).own);
}
