//! Commands of a message and of a session may hold secrets; no report does.

use crosscheck_done::gate::{self, Task, canonical_receipt};
use crosscheck_done::read::session::Log;
use crosscheck_done::report::{neutral, words};

const SECRET: &str = "S3cr3tS3cr3t";

/// Command lines with a secret at `{}`.
const COMMANDS: [&str; 12] = [
    "pytest --token {}",
    "pytest --password={}",
    "pytest --api-key={} -q",
    "mysql -u root -p{} shop",
    "PGPASSWORD={} pytest -q",
    "DB_PASS={} npm test",
    "curl -H 'Authorization: Bearer {}' localhost:8080",
    "curl -u me:{} localhost:8080",
    "curl http://me:{}@localhost:8080/x",
    "curl 'http://localhost:8080/x?access_token={}'",
    "pytest --pass {}",
    "psql postgres://me:{}@localhost/shop",
];

fn task(message: &str, log: &str) -> (tempfile::TempDir, Task) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    std::fs::write(&path, log).unwrap();
    let root = folder.path().join("project");
    std::fs::create_dir(&root).unwrap();
    let task = Task {
        log: Some(Log {
            path,
            harness: None,
            own: false,
        }),
        explain: true,
        ..Task::message(message, root)
    };
    (folder, task)
}

#[test]
fn no_report_shows_a_secret_of_a_command() {
    for command in COMMANDS {
        let command = command.replace("{}", SECRET);
        let message = format!(
            "I ran `{command}`. `{command}` passes. All tests pass in `{command}`. Created `{command}`. I think `{command}` passes."
        );
        let events = [
            serde_json::json!({"t": "prompt", "seq": 1, "text": "go"}),
            serde_json::json!({"t": "run", "seq": 2, "command": command, "status": 1, "output": format!("1 failed in 0.1s\n{command}")}),
        ];
        let log = events.map(|event| format!("{event}\n")).concat();
        let (_folder, task) = task(&message, &log);
        let mut report = gate::check(&task).unwrap();
        report.decide();
        assert!(!report.claims.is_empty(), "{message}");
        let receipt = report.receipt("test", "now");
        let shown = [
            canonical_receipt(&receipt),
            words::till(&receipt),
            words::for_agent(&receipt),
            words::for_user(&receipt),
            format!("{:?}", neutral::report(&receipt, report.subject())),
            format!("{:?} {:?}", report.dropped, report.commands),
        ];
        for text in shown {
            assert!(!text.contains(SECRET), "{command}\n{text}");
        }
    }
}
