//! Databases with something unusual in them: compared like any other, or
//! refused with a named error and a way out.

use std::process::{Command, Stdio};

use crosscheck_testkit::{Desk, Engine, Seen, Server};
use rusqlite::Connection;

use crate::check::event;

fn desk(sql: &str) -> Desk {
    let desk = crate::desk();
    let database = Connection::open(desk.path().join("app.db")).unwrap();
    database.execute_batch(sql).unwrap();
    desk
}

/// One claim about a column, as each command reads it.
fn claim(desk: &Desk, column: &str, value: i64) {
    let call = format!(
        r#"{{"tool":"orders.upsert","params":{{"id":"o_1","{column}":{value}}},"result":{{"id":"o_1","{column}":{value}}}}}"#
    );
    desk.file("calls.ndjson", call + "\n");
    let params = format!(r#"{{"id":"o_1","fields":{{"{column}":{value}}}}}"#);
    desk.file("events.ndjson", event(0, "a", &params));
    desk.file(
        "registry.json",
        r#"[{"toolId":"a","effectDescriptionTemplate":"a","verification":{"kind":"sql_row","table":{"const":"orders"},
        "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}}]"#,
    );
}

const QUICK: [&str; 5] = [
    "quick",
    "--input",
    "calls.ndjson",
    "--export-registry",
    "out.json",
];
const CHECK: [&str; 8] = [
    "check",
    "--workflow-id",
    "wf",
    "--events",
    "events.ndjson",
    "--registry",
    "registry.json",
    "--no-human-report",
];
const ROWS: [&str; 2] = ["rows", "calls.ndjson"];

fn ask(desk: &Desk, command: &[&str], database: [&str; 2]) -> Seen {
    desk.crosscheck(command.iter().chain(&database))
}

#[test]
fn generated_columns_of_sqlite_are_compared() {
    let desk = desk(
        "CREATE TABLE orders (id TEXT PRIMARY KEY, price INT, total INT GENERATED ALWAYS AS (price * 2) VIRTUAL,
             tax INT GENERATED ALWAYS AS (price / 2) STORED);
         INSERT INTO orders (id, price) VALUES ('o_1', 10)",
    );
    for (column, value) in [("total", 20), ("tax", 5)] {
        for (said, code) in [(value, 0), (value + 1, 1)] {
            claim(&desk, column, said);
            for command in [&QUICK[..], &CHECK, &ROWS] {
                let seen = ask(&desk, command, ["--db", "app.db"]);
                assert_eq!(seen.code, code, "{column} {said}: {}", seen.summary());
            }
        }
    }
}

/// Ends inside a transaction whose pages are partly in the file already.
const INTERRUPTED: &str = "
import os, sqlite3
database = sqlite3.connect('app.db', isolation_level=None)
database.execute('pragma cache_size = 1')
database.execute('begin')
for number in range(2000):
    database.execute('insert into orders values (?, ?)', (f'x{number}', 'y' * 300))
os.kill(os.getpid(), 9)
";

#[test]
fn a_journal_that_must_be_rolled_back_is_named_with_a_way_out() {
    let desk = desk(
        "CREATE TABLE orders (id TEXT PRIMARY KEY, total TEXT); INSERT INTO orders VALUES ('o_1', 5)",
    );
    claim(&desk, "total", 5);
    let ended = Command::new("python3")
        .args(["-c", INTERRUPTED])
        .current_dir(desk.path())
        .stderr(Stdio::null())
        .status();
    if ended.is_err() || !desk.path().join("app.db-journal").exists() {
        eprintln!("skipped: no python3 with sqlite3 to interrupt a write");
        return;
    }
    let before = desk.names(".");
    let mut shown = String::new();
    for command in [&QUICK[..], &CHECK, &ROWS] {
        let seen = ask(&desk, command, ["--db", "app.db"]);
        assert_eq!(
            (seen.code, seen.stdout.as_str()),
            (3, ""),
            "{}",
            seen.summary()
        );
        shown += &seen.neutral(&seen.stderr);
    }
    insta::assert_snapshot!(shown);
    assert_eq!(desk.names("."), before, "nothing was rolled back");
    let mended = Connection::open(desk.path().join("app.db")).unwrap();
    let count = mended.query_row("SELECT count(*) FROM orders", [], |row| {
        row.get::<_, i64>(0)
    });
    assert_eq!(count, Ok(1));
    assert_eq!(ask(&desk, &ROWS, ["--db", "app.db"]).code, 0);
}

#[test]
fn a_name_that_is_no_utf_8_is_named_with_a_way_out() {
    let Some(server) = Server::named(Engine::Postgres) else {
        return;
    };
    let whole = server.database("");
    let name = format!("{}_ascii", whole.name());
    whole.session().run(&format!(
        "CREATE DATABASE {name} ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'"
    ));
    let url = whole.url().replace(whole.name(), &name);
    let statement = b"CREATE TABLE \"b\xffd\" (id INT PRIMARY KEY); CREATE TABLE orders (id TEXT PRIMARY KEY, total INT)\n";
    let desk = crate::desk();
    desk.file("odd.sql", statement);
    let ran = Command::new("psql")
        .args(["-X", "-q", &url, "-f", "odd.sql"])
        .env("PGCLIENTENCODING", "SQL_ASCII")
        .current_dir(desk.path())
        .status();
    assert!(ran.unwrap().success());
    claim(&desk, "total", 5);
    for command in [&QUICK[..], &ROWS] {
        let seen = ask(&desk, command, ["--postgres-url", &url]);
        assert_eq!(
            (seen.code, seen.stdout.as_str()),
            (3, ""),
            "{}",
            seen.summary()
        );
        assert!(seen.stderr.contains("is not UTF-8"), "{}", seen.stderr);
    }
    let seen = ask(&desk, &CHECK, ["--postgres-url", &url]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert!(seen.stdout.contains("is not UTF-8"), "{}", seen.stdout);
    whole
        .session()
        .run(&format!("DROP DATABASE {name} WITH (FORCE)"));
}

#[test]
fn a_url_where_a_file_is_written_is_refused_without_its_password() {
    let url = "postgres://u:hunter2@h/d";
    for line in [
        &["claims", "--result", "r.json", "--out", url][..],
        &["claims", "--result", "r.json", "--details", url],
        &["cf-verify", "--result", "r.json", "--out", url],
        &["sources", "d.md", "--output", url],
        &[
            "quick",
            "--input",
            "l",
            "--db",
            "a.db",
            "--export-registry",
            url,
        ],
        &["rows", "l", "--db", "a.db", "--output", url],
        &[
            "check",
            "--workflow-id",
            "w",
            "--events",
            "e",
            "--registry",
            "r",
            "--db",
            "d",
            "--proof",
            url,
        ],
        &[
            "enforce",
            "--workflow-id",
            "w",
            "--events",
            "e",
            "--registry",
            "r",
            "--db",
            "d",
            "--state-dir",
            url,
        ],
        &["trace", "runs/1", "--out", url],
        &["done", "check", "-o", url],
        &["demo", url],
        &["man", url],
    ] {
        let desk = crate::desk();
        let seen = desk.crosscheck(line);
        assert_eq!(seen.code, 3, "{line:?}: {}", seen.summary());
        let whole = seen.stdout + &seen.stderr;
        assert!(!whole.contains("hunter2"), "{line:?}: {whole}");
        assert_eq!(desk.names("."), Vec::<String>::new(), "{line:?}");
    }
}
