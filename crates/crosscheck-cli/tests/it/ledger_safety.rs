//! A ledger is not replaced by mistake, holds no secret, and says what is
//! wrong with it.

use std::os::unix::fs::symlink;

use crosscheck_testkit::{Desk, Seen};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::check;
use crate::ledger::{LIE, hook, judge, records, with_session};

/// A desk on which every command has something to check.
fn full_desk() -> Desk {
    let desk = with_session();
    let connection = Connection::open(desk.path().join("shop.db")).unwrap();
    let table = "CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT, note TEXT); INSERT INTO orders VALUES ('o_1', 'open', '');";
    connection.execute_batch(table).unwrap();
    desk.file("run.ndjson", call("x"));
    desk.file("a.md", "See https://a.example/x for more.\n");
    desk.file("result.json", "{}");
    desk.file("key.pem", check::KEY);
    desk.file("pub.pem", check::PUBLIC);
    desk
}

fn call(note: &str) -> String {
    json!({"tool": "pay_order", "params": {"order_id": "o_1", "note": note}, "result": {"id": "o_1", "status": "paid"}}).to_string() + "\n"
}

#[test]
fn no_output_replaces_the_ledger_or_the_key() {
    let done = ["done", "check", "--message", "message.md"];
    let rows = ["rows", "run.ndjson", "--db", "shop.db"];
    let sources = ["sources", "a.md", "--offline"];
    let with = |words: &[&'static str], more: &[&'static str]| [words, more].concat();
    for words in [
        with(&["ledger", "show", "h.db"], &["-o", "h.db"]),
        with(&["ledger", "verify", "h.db"], &["-oh.db"]),
        with(&["ledger", "verify", "h.db"], &["-o", "h.db-wal"]),
        with(&["ledger", "show", "h.db"], &["--output=link"]),
        with(
            &["ledger", "export", "h.db", "--sign", "key.pem"],
            &["-o", "h.db"],
        ),
        with(
            &["ledger", "export", "h.db", "--sign", "key.pem"],
            &["-o", "key.pem"],
        ),
        with(
            &["ledger", "verify-export", "out", "--public-key", "pub.pem"],
            &["-o", "pub.pem"],
        ),
        with(&done, &["--ledger", "h.db", "--output", "h.db"]),
        with(&done, &["--ledger", "new.db", "--output", "new.db"]),
        with(&done, &["--ledger", "new.db", "--output", "./new.db-shm"]),
        with(&rows, &["--ledger", "h.db", "--output", "h.db"]),
        with(&sources, &["--ledger", "h.db", "--output", "h.db"]),
        with(
            &sources,
            &["--ledger", "h.db", "--lint-out", "h.db.spool/x"],
        ),
        with(
            &["sources", "--log", "a.md"],
            &["--ledger", "h.db", "--outbox", "h.db"],
        ),
        with(
            &["trace", "linkage", "run.ndjson"],
            &["--ledger", "h.db", "--output", "h.db"],
        ),
        with(
            &["claims", "--result", "result.json"],
            &["--ledger", "new.db", "--out", "new.db"],
        ),
        with(
            &["claims", "--result", "result.json", "--root", "sub"],
            &["--ledger", "sub/new.db", "--out", "new.db"],
        ),
    ] {
        let desk = full_desk();
        desk.file("sub/x", "");
        judge(&desk, &["--ledger", "h.db"]);
        symlink("h.db", desk.path().join("link")).unwrap();
        desk.file("out", "");
        let before = std::fs::read(desk.path().join("h.db")).unwrap();

        let seen = desk.crosscheck(&words);

        assert_eq!(seen.code, 3, "{words:?}: {}", seen.summary());
        assert!(
            seen.stderr.contains("would replace"),
            "{words:?}: {}",
            seen.summary()
        );
        assert_eq!(std::fs::read(desk.path().join("h.db")).unwrap(), before);
        assert_eq!(desk.read("key.pem"), check::KEY);
        assert_eq!(desk.read("pub.pem"), check::PUBLIC);
        assert!(!desk.path().join("new.db").exists(), "{words:?}");
    }
}

#[test]
fn a_secret_at_the_place_where_a_claim_is_cut_is_not_recorded() {
    let desk = full_desk();
    let rows = ["rows", "run.ndjson", "--db", "shop.db", "--ledger", "h.db"];
    for fill in 0..70 {
        let note = format!("{} https://bob:hunterTWO22@host/x", "z".repeat(fill));
        desk.file("run.ndjson", call(&note));
        desk.crosscheck(rows);
    }
    desk.file(
        "run.ndjson",
        call("run --password Pa55w0rdX \u{202e}\u{9b}"),
    );
    desk.crosscheck(rows);
    let seen = desk.crosscheck(["ledger", "show", "h.db", "--format", "json", "--last", "99"]);
    let all: Vec<Value> = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(all.len(), 71);
    for secret in ["hun", "Pa55", "\u{202e}", "\u{9b}"] {
        assert!(!seen.stdout.contains(secret), "{secret}");
    }
    assert!(seen.stdout.contains("\\u202e"));
    let seen = desk.crosscheck(["ledger", "show", "h.db"]);
    assert!(seen.stderr.contains("50 of 71 records"), "{}", seen.stderr);
    let seen = desk.crosscheck(["ledger", "show", "h.db", "--command", "nope"]);
    assert!(seen.stderr.contains("no such record"), "{}", seen.stderr);
}

#[test]
fn a_ledger_that_was_changed_is_shown_and_never_signed() {
    let desk = full_desk();
    for _ in 0..3 {
        judge(&desk, &["--ledger", "h.db"]);
    }
    let connection = Connection::open(desk.path().join("h.db")).unwrap();
    let attack =
        "DROP TRIGGER records_are_never_changed; UPDATE records SET body = 'x' WHERE seq = 2";
    connection.execute_batch(attack).unwrap();
    drop(connection);

    let verified = desk.crosscheck(["ledger", "verify", "h.db"]);
    assert_eq!(verified.code, 1, "{}", verified.summary());
    for word in ["LEDGER_CHANGED", "records_are_never_changed", "record 2"] {
        assert!(verified.stdout.contains(word), "{}", verified.stdout);
    }
    for format in ["human", "json", "ndjson", "csv", "junit"] {
        let shown = desk.crosscheck(["ledger", "show", "h.db", "--format", format]);
        assert_eq!(shown.code, 1, "{}", shown.summary());
        assert!(
            shown.stdout.matches("All tests pass").count() >= 2,
            "{}",
            shown.stdout
        );
        assert!(
            shown.stderr.contains("the chain is broken"),
            "{}",
            shown.stderr
        );
        if format == "human" {
            assert!(shown.stdout.contains("2  this record cannot be read"));
        }
    }
    let export = ["ledger", "export", "h.db", "--sign", "key.pem", "-o", "out"];
    let seen = desk.crosscheck(export);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert!(seen.stderr.contains("LEDGER_BROKEN"), "{}", seen.stderr);
    assert!(!desk.path().join("out").exists());
    let seen = judge(&desk, &["--ledger", "h.db"]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    assert!(seen.stderr.contains("LEDGER_CHANGED"), "{}", seen.stderr);
}

#[test]
fn a_run_that_is_recorded_behind_a_bad_record_says_so() {
    let desk = full_desk();
    judge(&desk, &["--ledger", "h.db"]);
    let connection = Connection::open(desk.path().join("h.db")).unwrap();
    let sql = "SELECT sql FROM sqlite_schema WHERE name = 'records_are_never_changed'";
    let trigger: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    let attack =
        format!("DROP TRIGGER records_are_never_changed; UPDATE records SET body = 'x'; {trigger}");
    connection.execute_batch(&attack).unwrap();
    drop(connection);
    let seen = judge(&desk, &["--ledger", "h.db"]);
    assert_eq!(seen.code, 1, "{}", seen.summary());
    assert!(
        seen.stderr.contains("the chain of the ledger is broken"),
        "{}",
        seen.stderr
    );
}

/// What the log of the hook and `doctor` say about the ledger.
fn told(desk: &Desk) -> (String, Seen) {
    hook(desk, LIE);
    (
        desk.crosscheck(["done", "log"]).stdout,
        desk.crosscheck(["doctor"]),
    )
}

#[test]
fn a_record_that_the_hook_could_not_write_is_told() {
    type Stage = fn(&Desk);
    let stages: [(Stage, &str); 5] = [
        (
            |desk| {
                desk.file(".crosscheck/x", "");
                symlink("nowhere", desk.path().join(".crosscheck/ledger.db")).unwrap();
            },
            "lost LEDGER_NOT_A_LEDGER",
        ),
        (
            |desk| drop(desk.file(".crosscheck", "a file")),
            "lost LEDGER_UNWRITABLE",
        ),
        (
            |desk| symlink(desk.home(), desk.path().join(".crosscheck")).unwrap(),
            "lost LEDGER_NOT_A_LEDGER",
        ),
        (
            |desk| drop(desk.file(".crosscheck/ledger.db", "# mine\n".repeat(300))),
            "spooled LEDGER_NOT_A_LEDGER",
        ),
        (
            |desk| drop(desk.file(".crosscheck/ledger.db/x", "")),
            "spooled LEDGER_NOT_A_LEDGER",
        ),
    ];
    for (stage, expected) in stages {
        let desk = with_session();
        desk.user_config("[ledger]\nenabled = true\n");
        stage(&desk);
        let (log, doctor) = told(&desk);
        assert!(log.contains(expected), "{expected}: {log}");
        let line = doctor.stdout.lines().find(|line| line.contains(" ledger "));
        assert!(
            line.is_some_and(|line| line.contains("BROKEN")),
            "{expected}: {}",
            doctor.stdout
        );
    }
    let desk = with_session();
    desk.user_config("[ledger]\nenabled = true\n");
    hook(&desk, LIE);
    assert_eq!(records(&desk, None).len(), 1);
    let doctor = desk.crosscheck(["doctor"]).stdout;
    assert!(doctor.contains("1 record(s)"), "{doctor}");
}

#[test]
fn the_path_of_a_ledger_is_the_same_in_every_folder() {
    for path in ["mine.db", "~/mine.db", "./mine.db"] {
        let desk = with_session();
        desk.user_config(&format!("[ledger]\npath = \"{path}\"\n"));
        let seen = judge(&desk, &[]);
        assert_eq!(seen.code, 3, "{}", seen.summary());
        assert!(seen.stderr.contains("ledger.path"), "{}", seen.stderr);
        let (log, doctor) = told(&desk);
        assert!(log.contains("lost "), "{log}");
        assert!(
            doctor.stdout.contains("a path from the root"),
            "{}",
            doctor.stdout
        );
    }
}
