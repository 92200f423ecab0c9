//! `quick` on database servers: which flags, and whole runs.

use crosscheck_testkit::{Desk, Engine, Seen, Server};

use crate::desk;

const LOG: &str = r#"
{"tool":"contacts.upsert","params":{"id":"c_1","status":"active","balance":12.5}}
{"tool":"orders.create","params":{"id":18446744073709551615,"total":19.9}}
{"tool":"orders.create","params":{"id":"18446744073709551615","total":19.9}}"#;

const LIE: &str = r#"{"tool":"contacts.upsert","params":{"id":"c_2","status":"archived"}}"#;

fn quick(desk: &Desk, database: &[&str]) -> Seen {
    let fixed = [
        "quick",
        "--input",
        "run.ndjson",
        "--export-registry",
        "tools.json",
    ];
    desk.crosscheck(fixed.iter().chain(database))
}

#[test]
fn exactly_one_database_must_be_named() {
    let desk = desk();
    desk.file("run.ndjson", LIE);
    let (db, postgres, mysql) = (
        ["--db", "a.db"],
        ["--postgres-url", "postgres://h/d"],
        ["--mysql-url", "mysql://h/d"],
    );
    let refused: [&[&str]; 8] = [
        &[],
        &["--mysql-url", ""],
        &[db, mysql].concat(),
        &[postgres, mysql].concat(),
        &[db, postgres].concat(),
        &[db, postgres, mysql].concat(),
        &[mysql, ["--schema", "s"]].concat(),
        &["--mysql-url", "mysql://h/d", "--mysql-url", "mysql://h/e"],
    ];
    for flags in refused {
        let seen = quick(&desk, flags);
        assert_eq!(seen.refusal(), "3 CLI_USAGE", "{flags:?}");
        assert_eq!(seen.stdout, "", "{flags:?}");
        assert_eq!(seen.stderr.lines().count(), 1, "{flags:?}: {}", seen.stderr);
    }
    assert_eq!(desk.names("."), ["run.ndjson"]);
}

#[test]
fn a_server_that_cannot_be_reached_is_one_envelope_without_the_password() {
    let desk = desk();
    desk.file("run.ndjson", LIE);
    let urls = [
        ("--mysql-url", "mysql://u:hunter2@127.0.0.1:1/d"),
        (
            "--mysql-url",
            "mysql://u:hunter2@127.0.0.1:1/d?sslmode=verify-full",
        ),
        (
            "--mysql-url",
            "mysql://u:hunter2@127.0.0.1:1/d?sslmode=strict",
        ),
        ("--mysql-url", "mysql://u:hunter2@127.0.0.1:1"),
        ("--mysql-url", "u:hunter2@127.0.0.1"),
        (
            "--postgres-url",
            "postgres://u:hunter2@127.0.0.1:1/d?sslmode=verify-ca",
        ),
        (
            "--postgres-url",
            "postgres://u:hunter2@127.0.0.1:1/d?sslmode=strict",
        ),
    ];
    for (flag, url) in urls {
        let seen = quick(&desk, &[flag, url]);
        assert_eq!(seen.refusal(), "3 INTERNAL_ERROR", "{url}");
        assert!(!seen.stderr.contains("hunter2"), "{}", seen.stderr);
        assert_eq!(seen.stderr.lines().count(), 1, "{url}: {}", seen.stderr);
    }
}

#[test]
fn a_run_on_mysql_confirms_what_is_there_and_catches_what_is_not() {
    let Some(server) = Server::named(Engine::Mysql) else {
        return;
    };
    let database = server.database(
        "CREATE TABLE contacts (id VARCHAR(20) PRIMARY KEY, status VARCHAR(20), balance DECIMAL(9,2));
         INSERT INTO contacts VALUES ('c_1', 'active', 12.5), ('c_2', 'active', 0);
         CREATE TABLE orders (id BIGINT UNSIGNED PRIMARY KEY, total DECIMAL(9,2));
         INSERT INTO orders VALUES (18446744073709551615, 19.90);",
    );
    let desk = desk();
    desk.file("run.ndjson", LIE);
    let seen = quick(&desk, &["--mysql-url", database.url()]);
    assert_eq!(seen.code, 1, "{}", seen.stderr);
    assert!(seen.stdout.contains("VALUE_MISMATCH"), "{}", seen.stdout);
    assert!(desk.read("tools.json").contains("contacts"));

    // a number of the log is a double, which names no 64-bit integer; its text does
    let truth: Vec<&str> = LOG.trim().lines().collect();
    desk.file("run.ndjson", [truth[0], truth[2]].join("\n"));
    let seen = quick(&desk, &["--mysql-url", database.url()]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    desk.file("run.ndjson", truth[1]);
    let seen = quick(&desk, &["--mysql-url", database.url()]);
    assert_ne!(seen.code, 0, "{}", seen.stderr);
}
