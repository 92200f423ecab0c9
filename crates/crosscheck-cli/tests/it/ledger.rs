//! The history of runs: recorded by every verifier, shown, and verified.

use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

use crosscheck::render::Format;
use crosscheck_testkit::{Desk, Seen};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::done::session;
use crate::{check, claims, desk, workspace};

/// A message that the session refutes.
pub(crate) const LIE: &str = "All tests pass.";

pub(crate) fn with_session() -> Desk {
    let desk = desk();
    desk.file(
        "s1.jsonl",
        session(&desk, "1 failed, 11 passed in 0.30s", 1),
    );
    desk.file("message.md", LIE);
    desk
}

/// Judges the lie, with more arguments.
pub(crate) fn judge(desk: &Desk, more: &[&str]) -> Seen {
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

pub(crate) fn hook(desk: &Desk, message: &str) -> Seen {
    let event = json!({"session_id": "s1", "prompt_id": "p1", "transcript_path": desk.at("s1.jsonl"), "cwd": desk.path(),
        "hook_event_name": "Stop", "last_assistant_message": message});
    let seen = desk.crosscheck_with_input(["done", "hook"], event.to_string().as_bytes());
    // a second, equal ending is let through with a line for whoever reads no answer of a hook
    let is_quiet = seen.stderr.is_empty() || seen.stderr.starts_with("crosscheck: ");
    assert!(seen.code == 0 && is_quiet, "{}{}", seen.stdout, seen.stderr);
    seen
}

/// A text in which ids and hashes, which differ from run to run, are words.
pub(crate) fn without_hashes(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_ascii_hexdigit());
    let word = |word: &str| {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_hexdigit());
        if digits.len() < 16 {
            word.to_owned()
        } else {
            word.replace(digits, "[HASH]")
        }
    };
    words.map(word).collect()
}

/// The records of a ledger; the default one without a name.
pub(crate) fn records(desk: &Desk, file: Option<&str>) -> Vec<Value> {
    let words = ["ledger", "show", "--format", "ndjson"];
    let seen = desk.crosscheck(words.into_iter().chain(file));
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let lines = seen.stdout.lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["record"].take())
        .collect()
}

#[test]
fn a_stop_is_recorded_with_its_claims_and_the_hash_of_its_receipt() {
    let desk = with_session();
    let seen = judge(&desk, &["--ledger", "h.db", "--format", "json"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());

    let records = records(&desk, Some("h.db"));

    let entry = &records[0]["entry"];
    assert_eq!(records[0]["seq"], 1);
    assert_eq!(entry["command"], "done");
    assert_eq!(entry["verdict"], "refuted");
    assert_eq!(entry["units"][0]["claim"], "All tests pass");
    assert_eq!(entry["units"][0]["reasons"][0]["code"], "DONE_RUN_FAILED");
    let hash = |text: &[u8]| crosscheck::core::digest::Digest::of(text).hex();
    assert_eq!(entry["inputs"][0]["sha256"], hash(LIE.as_bytes()));
    assert_eq!(
        entry["inputs"][1]["sha256"],
        hash(desk.read("s1.jsonl").as_bytes())
    );
    assert_eq!(
        entry["outputs"][0]["sha256"],
        hash(seen.stdout.trim_end().as_bytes())
    );
}

#[test]
fn a_message_without_a_claim_leaves_no_record() {
    let desk = with_session();
    desk.file("message.md", "I looked around.");
    judge(&desk, &["--ledger", "h.db"]);
    assert!(!desk.path().join("h.db").exists());
}

#[test]
fn every_verifier_records_its_runs_in_the_one_way() {
    let desk = check::desk();
    desk.file(
        "events.ndjson",
        check::event(
            0,
            "guest.save",
            "{\"id\":\"g1\",\"fields\":{\"name\":\"Mira\"}}",
        ),
    );
    let words = [&["check"][..], &check::FLAGS].concat();
    recorded(&desk, &words, "check", 0);

    let desk = claims::with_file();
    recorded(
        &desk,
        &["claims", "--result", "bad.json", "--select", "all"],
        "claims",
        1,
    );

    let desk = workspace::stage("report pass");
    recorded(&desk, &["workspace", "check", "demo"], "workspace", 1);

    let desk = super::desk();
    desk.file("a.md", "See https://a.example/x for more.\n");
    recorded(&desk, &["sources", "a.md", "--offline"], "sources", 2);

    let desk = super::desk();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    let table = "CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT); INSERT INTO orders VALUES ('o_1', 'open');";
    connection.execute_batch(table).unwrap();
    desk.file("run.ndjson", "{\"tool\":\"pay_order\",\"params\":{\"order_id\":\"o_1\"},\"result\":{\"id\":\"o_1\",\"status\":\"paid\"}}\n");
    recorded(&desk, &["rows", "run.ndjson", "--db", "shop.db"], "rows", 1);
}

/// Runs a command with and without a ledger: the same answer, and a record.
fn recorded(desk: &Desk, words: &[&str], command: &str, code: i32) {
    let plain = desk.crosscheck(words);
    let seen = desk.crosscheck(words.iter().chain(&["--ledger", "h.db"]));
    assert_eq!(seen.code, plain.code, "{command}: {}", seen.summary());
    assert!(
        code < 0 || seen.code == code,
        "{command}: {}",
        seen.summary()
    );
    if !matches!(command, "claims" | "sources" | "workspace") {
        assert_eq!(seen.stdout, plain.stdout, "{command}");
    }
    let records = records(desk, Some("h.db"));
    let entry = &records.last().unwrap()["entry"];
    assert_eq!(entry["command"], command);
    let words = ["confirmed", "refuted", "undecided"];
    assert!(
        words.iter().any(|word| entry["verdict"] == *word),
        "{entry}"
    );
    assert!(
        entry["units"]
            .as_array()
            .is_some_and(|units| !units.is_empty()),
        "{entry}"
    );
    assert!(
        entry["inputs"]
            .as_array()
            .is_some_and(|inputs| !inputs.is_empty()),
        "{entry}"
    );
    assert_eq!(desk.crosscheck(["ledger", "verify", "h.db"]).code, 0);
}

#[test]
fn quick_has_no_such_option() {
    let desk = desk();
    desk.file("run.ndjson", "");
    let seen = desk.crosscheck([
        "quick",
        "--input",
        "run.ndjson",
        "--db",
        "a.db",
        "--ledger",
        "h.db",
    ]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert!(!desk.path().join("h.db").exists());
}

#[test]
fn every_format_shows_every_unit() {
    let desk = with_session();
    judge(&desk, &["--ledger", "h.db"]);
    for format in Format::NAMES {
        let seen = desk.crosscheck(["ledger", "show", "h.db", "--format", format]);
        assert_eq!(seen.code, 0, "{}", seen.summary());
        for word in ["All tests pass", "DONE_RUN_FAILED"] {
            assert!(seen.stdout.contains(word), "{format}: {}", seen.stdout);
        }
    }
    let seen = desk.crosscheck(["ledger", "show", "h.db", "--command", "rows"]);
    assert_eq!((seen.code, seen.stdout.as_str()), (0, ""));
}

#[test]
fn a_broken_chain_is_found_and_the_place_is_named() {
    let desk = with_session();
    for _ in 0..3 {
        judge(&desk, &["--ledger", "h.db"]);
    }
    let whole = desk.crosscheck(["ledger", "verify", "h.db"]);
    assert_eq!(whole.code, 0, "{}", whole.summary());
    let head = whole.stdout.split("head ").nth(1).unwrap();
    let head: String = head.chars().take_while(char::is_ascii_hexdigit).collect();
    assert_eq!(head.len(), 64, "{}", whole.stdout);
    let noted = [
        "ledger",
        "verify",
        "h.db",
        "--expect-head",
        &head,
        "--expect-count",
        "3",
    ];
    assert_eq!(desk.crosscheck(noted).code, 0);

    change(
        &desk,
        "records_are_never_removed",
        "DELETE FROM records WHERE seq = 3",
    );
    assert_eq!(
        desk.crosscheck(["ledger", "verify", "h.db"]).code,
        0,
        "a shorter chain"
    );
    insta::assert_snapshot!(without_hashes(&desk.crosscheck(noted).summary()));

    change(
        &desk,
        "records_are_never_changed",
        "UPDATE records SET body = replace(body, 'refuted', 'confirmed') WHERE seq = 1",
    );
    let shown = desk.talk(["ledger verify h.db", "ledger show h.db"]);
    insta::assert_snapshot!(without_hashes(&shown));
}

/// Changes a ledger past its trigger, which is put back.
fn change(desk: &Desk, trigger: &str, statement: &str) {
    let connection = Connection::open(desk.path().join("h.db")).unwrap();
    let by_name = "SELECT sql FROM sqlite_schema WHERE name = ?1";
    let back: String = connection
        .query_row(by_name, [trigger], |row| row.get(0))
        .unwrap();
    let all = format!("DROP TRIGGER {trigger}; {statement}; {back}");
    connection.execute_batch(&all).unwrap();
}

#[test]
fn a_ledger_that_fails_is_an_error_after_the_result() {
    let desk = with_session();
    let mut shown = String::new();
    for (file, content) in [
        ("notes.md", Some("# mine\n".repeat(200))),
        ("no/such/folder/h.db", None),
    ] {
        if let Some(content) = &content {
            desk.file(file, content);
        }
        shown += &judge(&desk, &["--ledger", file]).summary();
        if let Some(content) = &content {
            assert_eq!(desk.read(file), *content);
        }
    }
    insta::assert_snapshot!(shown + &desk.talk(["ledger verify none.db"]));
    let seen = judge(&desk, &["--ledger", "postgres://u:hunter2@h/d"]);
    assert_eq!(seen.code, 3);
    assert!(!seen.stderr.contains("hunter2"), "{}", seen.stderr);
}

#[test]
fn the_hook_records_what_it_decided_after_it_has_answered() {
    let desk = with_session();
    desk.user_config("[ledger]\nenabled = true\n");

    let seen = hook(&desk, LIE);

    assert_eq!(seen.json()["decision"], "block");
    let records = records(&desk, None);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["entry"]["notes"]["action"], "block");
    assert_eq!(records[0]["entry"]["notes"]["event"], "Stop");
    hook(&desk, "I looked around.");
    assert_eq!(self::records(&desk, None).len(), 1, "no claim, no record");
}

#[test]
fn a_ledger_that_is_held_by_another_does_not_hold_the_hook() {
    let desk = with_session();
    desk.user_config("[ledger]\nenabled = true\n");
    hook(&desk, LIE);
    assert_eq!(records(&desk, None).len(), 1); // on a slow machine this takes in a spool file, too
    let other = Connection::open(desk.path().join(".crosscheck/ledger.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let seen = hook(&desk, LIE);

    assert_eq!(seen.stdout.lines().count(), 1, "{}", seen.stdout);
    let spool = ".crosscheck/ledger.db.spool";
    assert_eq!(desk.names(spool).len(), 1);
    drop(other);
    // the next command takes it in
    let records = records(&desk, None);
    assert_eq!(records.len(), 2);
    assert_eq!(records[1]["spooled"], true);
    assert_eq!(desk.names(spool), Vec::<String>::new());
    assert_eq!(desk.crosscheck(["ledger", "verify"]).code, 0);
}

#[test]
fn a_broken_ledger_does_not_break_the_hook() {
    let desk = with_session();
    desk.user_config("[ledger]\nenabled = true\n");
    for content in ["# mine\n".repeat(500), String::new()] {
        desk.file(".crosscheck/ledger.db", content);
        let seen = hook(&desk, LIE);
        assert!(!seen.stdout.is_empty(), "it answers");
    }
    let other = desk;
    other.user_config("[ledger]\npath = \"postgres://u:p@h/d\"\n");
    assert!(!hook(&other, LIE).stdout.contains("not checked"));
}

#[test]
fn the_project_can_switch_its_ledger_on_and_nothing_off() {
    let desk = with_session();
    desk.file("crosscheck.toml", "[ledger]\nenabled = true\n");
    judge(&desk, &[]);
    assert_eq!(records(&desk, None).len(), 1);

    let desk = with_session();
    let kept = desk.home().join("mine.db").display().to_string();
    desk.user_config(&format!("[ledger]\npath = \"{kept}\"\n"));
    desk.file(
        "crosscheck.toml",
        "[ledger]\nenabled = false\npath = \"elsewhere.db\"\n",
    );
    let seen = judge(&desk, &[]);
    insta::assert_snapshot!(seen.stderr);
    hook(&desk, LIE);
    assert_eq!(records(&desk, Some(&kept)).len(), 2);
    assert!(!desk.path().join("elsewhere.db").exists());
    assert!(!desk.path().join(".crosscheck").exists());

    // the user can
    let desk = desk.variable("CROSSCHECK_LEDGER_ENABLED", "false");
    judge(&desk, &[]);
    assert_eq!(records(&desk, Some(&kept)).len(), 2);
}

#[test]
fn no_secret_reaches_the_ledger() {
    let desk = with_session();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    desk.file("message.md", format!("I committed the fix with TOKEN={token} and created `src/new.py`. All tests pass at https://u:hunter22@h.example/x."));
    judge(&desk, &["--ledger", "h.db"]);
    assert_eq!(records(&desk, Some("h.db")).len(), 1);
    for name in desk
        .names("")
        .iter()
        .filter(|name| name.starts_with("h.db"))
    {
        let bytes = std::fs::read(desk.path().join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains(token) && !text.contains("hunter22"),
            "{name}"
        );
    }
}

#[test]
fn a_kill_at_any_moment_leaves_the_chain_whole() {
    let desk = with_session();
    desk.user_config("[ledger]\nenabled = true\n");
    let event = json!({"session_id": "s1", "transcript_path": desk.at("s1.jsonl"), "cwd": desk.path(),
        "hook_event_name": "Stop", "last_assistant_message": LIE});
    let mut finished = 0;
    for round in 0..60_u64 {
        let mut child = desk
            .command(["done", "hook"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let _ = child
            .stdin
            .take()
            .unwrap()
            .write_all(event.to_string().as_bytes());
        std::thread::sleep(Duration::from_micros(1500 * round));
        let ended = child.try_wait().unwrap().is_some();
        finished += usize::from(ended);
        let _ = child.kill();
        child.wait().unwrap();
    }
    hook(&desk, LIE);
    let seen = desk.crosscheck(["ledger", "verify"]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let records = records(&desk, None);
    assert!(records.len() > finished, "{} of {finished}", records.len());
    let mut ids: Vec<&str> = records
        .iter()
        .filter_map(|one| one["entry"]["id"].as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), records.len());
}

#[test]
fn an_export_is_verified_without_the_ledger() {
    let desk = with_session();
    judge(&desk, &["--ledger", "h.db"]);
    judge(&desk, &["--ledger", "h.db"]);
    desk.file("key.pem", check::KEY);
    desk.file("pub.pem", check::PUBLIC);
    let seen = desk.crosscheck([
        "ledger",
        "export",
        "h.db",
        "--sign",
        "key.pem",
        "-o",
        "out.jsonl",
    ]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    let verify = [
        "ledger",
        "verify-export",
        "out.jsonl",
        "--public-key",
        "pub.pem",
    ];
    let mut shown = desk.crosscheck(verify).summary();

    let text = desk.read("out.jsonl");
    desk.file(
        "out.jsonl",
        text.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1),
    );
    shown += &desk.crosscheck(verify).summary();
    desk.file("out.jsonl", "");
    shown += &desk.crosscheck(verify).summary();
    shown += &desk.talk(["ledger export h.db --sign pub.pem"]);
    insta::assert_snapshot!(without_hashes(&shown));
}
