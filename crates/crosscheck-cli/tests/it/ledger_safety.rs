//! A ledger is not replaced by mistake, holds no secret, and says what is
//! wrong with it.

use std::os::unix::fs::symlink;

use crosscheck_testkit::{Desk, Seen};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::check;
use crate::config::about_configuration;
use crate::ledger::{LIE, hook, judge, records, with_session, without_hashes};

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
    let mut replaced = String::new();
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

        replaced += &seen.after(&words.join(" "));
        assert_eq!(std::fs::read(desk.path().join("h.db")).unwrap(), before);
        assert_eq!(desk.read("key.pem"), check::KEY);
        assert_eq!(desk.read("pub.pem"), check::PUBLIC);
        assert!(!desk.path().join("new.db").exists(), "{words:?}");
    }
    insta::assert_snapshot!(replaced);
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
        call("\u{202e}\u{9b} run --password Pa55w0rdX"),
    );
    desk.crosscheck(rows);
    let seen = desk.crosscheck(["ledger", "show", "h.db", "--format", "json", "--last", "99"]);
    let all: Vec<Value> = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(all.len(), 71);
    for secret in ["hun", "Pa55", "\u{202e}", "\u{9b}"] {
        assert!(!seen.stdout.contains(secret), "{secret}");
    }
    assert!(seen.stdout.contains("\\u202e"));
    let printed = ["ledger show h.db", "ledger show h.db --command nope"]
        .map(|line| desk.crosscheck(line.split(' ')).stderr);
    insta::assert_snapshot!(printed.concat());
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

    insta::assert_snapshot!(without_hashes(&desk.talk(["ledger verify h.db"])));
    let mut printed = String::new();
    for format in ["human", "json", "ndjson", "csv", "junit"] {
        let shown = desk.crosscheck(["ledger", "show", "h.db", "--format", format]);
        assert_eq!(shown.code, 1, "{}", shown.summary());
        assert!(
            shown.stdout.matches("All tests pass").count() >= 2,
            "{}",
            shown.stdout
        );
        printed += &shown.stderr;
        if format == "human" {
            printed += &without_hashes(&shown.summary());
        }
    }
    insta::assert_snapshot!(printed);
    let export = ["ledger", "export", "h.db", "--sign", "key.pem", "-o", "out"];
    insta::assert_snapshot!(desk.crosscheck(export).summary());
    assert!(!desk.path().join("out").exists());
    let seen = judge(&desk, &["--ledger", "h.db"]);
    assert_eq!(seen.code, 3, "{}", seen.summary());
    insta::assert_snapshot!(seen.stderr);
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
    insta::assert_snapshot!(without_hashes(&seen.stderr));
}

/// What the log of the hook and `doctor` say about the ledger.
fn printed(desk: &Desk) -> (String, Seen) {
    hook(desk, LIE);
    (
        desk.crosscheck(["done", "log"]).stdout,
        desk.crosscheck(["doctor"]),
    )
}

#[test]
fn a_record_that_the_hook_could_not_write_is_reported() {
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
    let mut broken = String::new();
    for (stage, expected) in stages {
        let tries = std::iter::repeat_with(|| {
            let desk = with_session();
            desk.user_config("[ledger]\nenabled = true\n");
            stage(&desk);
            printed(&desk)
        });
        // a slow machine does not open the file in the time that a hook has
        let mut tries = tries
            .take(20)
            .filter(|(log, _)| !log.contains("LEDGER_BUSY"));
        let (log, doctor) = tries.next().unwrap();
        assert!(log.contains(expected), "{expected}: {log}"); // a line of others is there, too
        broken += &without_hashes(&about_configuration(&doctor));
    }
    insta::assert_snapshot!(broken);
    let desk = with_session();
    desk.user_config("[ledger]\nenabled = true\n");
    hook(&desk, LIE);
    assert_eq!(records(&desk, None).len(), 1);
    insta::assert_snapshot!(without_hashes(&about_configuration(
        &desk.crosscheck(["doctor"])
    )));
}

#[test]
fn the_path_of_a_ledger_is_the_same_in_every_folder() {
    let mut all = String::new();
    for path in ["mine.db", "~/mine.db", "./mine.db"] {
        let desk = with_session();
        desk.user_config(&format!("[ledger]\npath = \"{path}\"\n"));
        let seen = judge(&desk, &[]);
        all += &seen.after("done check");
        let (log, doctor) = printed(&desk);
        all += &without_hashes(&about_configuration(&doctor));
        assert!(log.contains("lost "), "{log}"); // a line of others is there, too
    }
    insta::assert_snapshot!(all);
}
