//! Statements about rows, which `done` hands to `rows` when a database is
//! named by whoever starts it.

use crosscheck_testkit::{Desk, Seen};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::desk;
use crate::done::later;

const SHOP: &str = "
    CREATE TABLE orders (id TEXT PRIMARY KEY, item TEXT, status TEXT);
    CREATE TABLE todos (id TEXT PRIMARY KEY, content TEXT);
    INSERT INTO orders VALUES ('o_1', 'lamp', 'paid'), ('o_2', 'book', 'paid');";

const PAID: (&str, &str, &str) = (
    "mcp__shop__pay_order",
    r#"{"order_id":"o_1"}"#,
    r#"{"id":"o_1","status":"paid"}"#,
);
const REFUNDED: (&str, &str, &str) = (
    "mcp__shop__refund_order",
    r#"{"order_id":"o_2"}"#,
    r#"{"id":"o_2","status":"refunded"}"#,
);
const SHIPPED: (&str, &str, &str) = (
    "mcp__shop__ship_order",
    r#"{"order_id":"o_1","carrier":"DHL"}"#,
    "ok",
);
const WROTE: (&str, &str, &str) = (
    "Write",
    r#"{"file_path":"/x/notes.md","content":"x"}"#,
    "File created successfully at: /x/notes.md",
);
const LISTED: (&str, &str, &str) = ("Bash", r#"{"command":"ls"}"#, "notes.md");
const PLANNED: (&str, &str, &str) = (
    "TodoWrite",
    r#"{"todos":[{"id":"1","content":"pay","status":"pending"}]}"#,
    "Todos have been modified successfully",
);
const BY_SHELL: (&str, &str, &str) = (
    "Bash",
    r#"{"command":"sqlite3 shop.db \"insert into orders values ('o_9')\""}"#,
    "",
);

/// A folder with a shop and a session of Claude Code that called these tools.
fn shop(calls: &[(&str, &str, &str)]) -> Desk {
    let desk = desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    connection.execute_batch(SHOP).unwrap();
    let base = |kind: &str, message: Value| json!({"type": kind, "sessionId": "s1", "cwd": desk.path(), "uuid": "u", "parentUuid": null, "timestamp": "2026-10-01T10:00:00Z", "message": message});
    let mut lines = vec![base(
        "user",
        json!({"role": "user", "content": "Look after the orders."}),
    )];
    for (at, (tool, arguments, answer)) in calls.iter().enumerate() {
        let id = format!("t{at}");
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": arguments});
        lines.push(base(
            "assistant",
            json!({"id": format!("m{at}"), "role": "assistant", "content": [call]}),
        ));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": answer});
        lines.push(base("user", json!({"role": "user", "content": [result]})));
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    desk.file("s1.jsonl", lines.join("\n") + "\n");
    desk.file("message.md", "I saved the order to the database.");
    desk
}

fn check(desk: &Desk, more: &[&str]) -> Seen {
    let words = [
        "done",
        "check",
        "--transcript",
        "s1.jsonl",
        "--message",
        "message.md",
    ];
    desk.crosscheck(words.iter().chain(more))
}

/// Verdict, reason and verifier of the only claim.
fn judged(seen: &Seen) -> (String, String, Value) {
    let receipt: Value = serde_json::from_str(&seen.stdout).unwrap();
    let claim = &receipt["claims"][0];
    assert_eq!(claim["kind"], "row_written", "{receipt}");
    let word = |key: &str| claim[key].as_str().unwrap_or_default().to_owned();
    (word("verdict"), word("reason"), claim["handover"].clone())
}

#[test]
fn rows_decides_by_all_writes_of_the_session() {
    let verified = ("verified", "row_confirmed", 0);
    let refuted = ("refuted", "row_refuted", 1);
    let unproven = ("unproven", "handed_to_rows", 2);
    for (calls, (verdict, reason, code)) in [
        (vec![PAID], verified),
        (vec![PAID, REFUNDED], refuted),
        (vec![PAID, SHIPPED], unproven),
        // the tools of the harness write no rows
        (vec![WROTE, LISTED, PLANNED, PAID], verified),
        (vec![WROTE, LISTED, PLANNED], unproven),
        // what the shell wrote is not seen
        (vec![PAID, BY_SHELL], unproven),
        (vec![], unproven),
    ] {
        let seen = check(&shop(&calls), &["--db", "shop.db", "--format", "json"]);
        let expected = (verdict.to_owned(), reason.to_owned(), json!("rows"));
        assert_eq!(
            (judged(&seen), seen.code),
            (expected, code),
            "{calls:?}: {}",
            seen.stdout
        );
    }
}

#[test]
fn the_receipt_names_who_answered_and_what_was_found() {
    let seen = check(&shop(&[PAID, REFUNDED]), &["--db", "shop.db"]);
    insta::assert_snapshot!(seen.summary(), @r#"
    exit 1
    --- stdout
    CROSSCHECK  check  [TIME]
    session s1
    ----------------------------------------------------------------
    ✗ "saved the order to the database" ................... refuted
        row_written: `rows` looked in the database and found a contradiction (rows: mcp__shop__refund_order: orders id=o_2: status is paid, claimed refunded).
    ✗ rows on saved the order to the database: mcp__shop__refund_order: orders id=o_2: status is paid, claimed refunded
    ----------------------------------------------------------------
    0 verified, 1 refuted, 0 unproven
    --- stderr
    "#);
}

#[test]
fn without_a_database_or_a_log_the_statement_stays_unproven() {
    let desk = shop(&[PAID]);
    let seen = check(&desk, &["--format", "json"]);
    assert_eq!(
        judged(&seen),
        (
            "unproven".to_owned(),
            "no_rows_check".to_owned(),
            Value::Null
        )
    );

    let seen = desk.crosscheck([
        "done",
        "check",
        "--message",
        "message.md",
        "--db",
        "shop.db",
        "--format",
        "json",
    ]);
    assert_eq!(
        judged(&seen),
        (
            "unproven".to_owned(),
            "no_transcript".to_owned(),
            Value::Null
        )
    );

    // a database that is named and not there is a slip
    let seen = check(&desk, &["--db", "missing.db", "--format", "json"]);
    assert_eq!(
        (seen.code, seen.stdout.as_str()),
        (3, ""),
        "{}",
        seen.stderr
    );
    assert!(seen.stderr.contains("missing.db"), "{}", seen.stderr);
    assert!(!desk.path().join("missing.db").exists());
}

#[test]
fn a_migration_is_not_settled_by_rows_that_were_written() {
    let desk = shop(&[PAID]);
    desk.file("message.md", "I applied the migration.");
    let seen = check(&desk, &["--db", "shop.db", "--format", "json"]);
    assert_eq!(seen.code, 2, "{}", seen.stdout);
}

#[test]
fn the_user_names_the_database_and_the_project_does_not() {
    let desk = shop(&[PAID, REFUNDED]);
    let table = format!("[done]\ndatabase = \"{}\"\n", desk.at("shop.db"));
    desk.file("crosscheck.toml", &table);
    let seen = check(&desk, &["--format", "json"]);
    assert_eq!(judged(&seen).1, "no_rows_check");

    desk.user_config(&table);
    let seen = check(&desk, &["--format", "json"]);
    assert_eq!(judged(&seen).1, "row_refuted");
}

#[test]
fn the_hook_sends_the_agent_back_for_a_row_that_is_otherwise() {
    let desk = shop(&[PAID, REFUNDED]);
    let event = json!({"session_id": "s1", "prompt_id": "p1", "transcript_path": desk.at("s1.jsonl"), "cwd": desk.path(),
        "hook_event_name": "Stop", "last_assistant_message": "I saved the order to the database."});
    let hook =
        |desk: &Desk| desk.crosscheck_with_input(["done", "hook"], event.to_string().as_bytes());
    let said: Value = serde_json::from_str(&hook(&desk).stdout).unwrap();
    assert_eq!(said["decision"], Value::Null, "{said}");

    desk.user_config(&format!("[done]\ndatabase = \"{}\"\n", desk.at("shop.db")));
    later(&desk, "s1.jsonl", &desk.read("s1.jsonl"));
    let said: Value = serde_json::from_str(&hook(&desk).stdout).unwrap();
    assert_eq!(said["decision"], "block", "{said}");
    insta::assert_snapshot!(said["reason"].as_str().unwrap());
}
