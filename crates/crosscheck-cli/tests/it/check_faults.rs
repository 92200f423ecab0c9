//! Faults of the world under `check`, on every engine: always a named reason,
//! never a pass, and nothing left behind.

mod clock;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crosscheck_testkit::{Authority, Engine, Seen, Server, Session, TlsServer};
use serde_json::Value;

use crate::check::event;
use crate::check_engines::stage::{ENGINES, Kind, Stage};

pub(crate) const REGISTRY: &str = r#"[{"toolId":"a","effectDescriptionTemplate":"a","verification":{"kind":"sql_row","table":{"pointer":"/table"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}}]"#;

const SETUP: &str = "
    CREATE TABLE items (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO items VALUES (1, 'open');
    CREATE TABLE late (id INT PRIMARY KEY, state VARCHAR(9)); INSERT INTO late VALUES (1, 'open')";

const PATIENT: [&str; 6] = [
    "--consistency",
    "eventual",
    "--verification-window-ms",
    "60000",
    "--poll-interval-ms",
    "100",
];

fn step(seq: usize, table: &str, id: &str) -> String {
    let params = format!(r#"{{"table":"{table}","id":"{id}","fields":{{"state":"open"}}}}"#);
    event(seq, "a", &params)
}

fn staged(kind: Kind, events: &str) -> Option<Stage> {
    let stage = Stage::new(kind, SETUP)?;
    stage.desk.file("registry.json", REGISTRY);
    stage.desk.file("events.ndjson", events);
    Some(stage)
}

fn codes(stage: &Stage) -> Vec<String> {
    let code = |step: &Value| step["reasons"][0]["code"].as_str().unwrap_or("").to_owned();
    stage.steps().iter().map(code).collect()
}

/// How many sessions of the program the server still has.
fn sessions(stage: &Stage) -> String {
    let Some(database) = stage.database() else {
        return "0".to_owned();
    };
    let sql = match stage.kind() {
        Kind::Postgres => "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'crosscheck' AND datname = current_database()".to_owned(),
        _ => format!("SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.PROCESSLIST WHERE DB = '{}' AND ID <> CONNECTION_ID()", database.name()),
    };
    database.session().text(&sql).unwrap()
}

/// Sessions may take a moment to end on the server's side.
fn assert_nobody_is_left(stage: &Stage) {
    let until = Instant::now() + Duration::from_secs(10);
    while sessions(stage) != "0" {
        assert!(
            Instant::now() < until,
            "{:?}: a session is left",
            stage.kind()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until the run under way has opened its connection.
fn wait_until_seen(stage: &Stage) {
    if stage.kind() == Kind::Sqlite {
        std::thread::sleep(Duration::from_millis(500));
        return;
    }
    let until = Instant::now() + Duration::from_secs(20);
    while sessions(stage) == "0" && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn a_table_that_is_dropped_while_it_is_waited_for_is_named() {
    for kind in ENGINES {
        let Some(stage) = staged(kind, &(step(0, "items", "1") + &step(1, "late", "2"))) else {
            continue;
        };
        let child = stage.spawn(&PATIENT);
        wait_until_seen(&stage);
        stage.run("DROP TABLE late");
        let seen = stage.desk.seen(&child.wait_with_output().unwrap());
        assert_eq!(seen.code, 2, "{kind:?}: {}", seen.summary());
        assert_eq!(codes(&stage), ["", "CONNECTOR_ERROR"], "{kind:?}");
        assert!(seen.stdout.contains("late"), "{kind:?}: {}", seen.stdout);
        assert_nobody_is_left(&stage);
    }
}

#[test]
fn a_missing_right_on_one_table_leaves_the_rest_alone() {
    for kind in [Kind::Postgres, Kind::Mysql] {
        let events = step(0, "items", "1") + &step(1, "late", "1") + &step(2, "items", "1");
        let Some(stage) = staged(kind, &events) else {
            continue;
        };
        let database = stage.database().unwrap();
        let reader = format!("reader_{}", database.name());
        let (create, drop) = match kind {
            Kind::Postgres => (
                format!(
                    "CREATE ROLE {reader} LOGIN PASSWORD 'reader'; GRANT SELECT ON items TO {reader}"
                ),
                format!("DROP OWNED BY {reader}; DROP ROLE {reader}"),
            ),
            _ => (
                format!(
                    "CREATE USER '{reader}'@'%' IDENTIFIED BY 'reader'; GRANT SELECT ON {}.items TO '{reader}'@'%'",
                    database.name()
                ),
                format!("DROP USER '{reader}'@'%'"),
            ),
        };
        stage.run(&create);
        let seen = stage.check_at(&database.url_for(&reader, "reader"), &[]);
        stage.run(&drop);
        assert_eq!(seen.code, 2, "{kind:?}: {}", seen.summary());
        assert_eq!(codes(&stage), ["", "CONNECTOR_ERROR", ""], "{kind:?}");
        assert!(seen.stdout.contains("denied"), "{kind:?}: {}", seen.stdout);
    }
}

#[test]
fn a_run_that_is_killed_leaves_no_session_and_no_file() {
    for kind in ENGINES {
        let Some(stage) = staged(kind, &step(0, "late", "2")) else {
            continue;
        };
        let before = stage.desk.names(".");
        std::fs::create_dir(stage.desk.path().join("tmp")).unwrap();
        let mut child = stage
            .command("check", &PATIENT)
            .env("TMPDIR", stage.desk.path().join("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until_seen(&stage);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_nobody_is_left(&stage);
        assert!(stage.desk.names("tmp").is_empty(), "{kind:?}");
        std::fs::remove_dir(stage.desk.path().join("tmp")).unwrap();
        assert_eq!(stage.desk.names("."), before, "{kind:?}");
        // whoever was watched is not locked out
        stage.run("INSERT INTO late VALUES (2, 'open')");
        assert_eq!(stage.check(&[]).code, 0, "{kind:?}");
        assert_nobody_is_left(&stage);
    }
}

#[test]
fn a_refused_connection_is_one_envelope_and_no_verdict() {
    for (flag, url) in [
        ("--postgres-url", "postgres://u:hunter22@127.0.0.1:1/d"),
        ("--mysql-url", "mysql://u:hunter22@127.0.0.1:1/d"),
        ("--db", "MySQL://u:hunter22@127.0.0.1:1/d"),
        ("--db", "mysql2://u:hunter22@127.0.0.1:1/d"),
        ("--db", "PostgreSQL://u:hunter22@127.0.0.1:1/d"),
    ] {
        let Some(stage) = staged(Kind::Sqlite, &step(0, "items", "1")) else {
            return;
        };
        let words = stage.words("check", &[flag.to_owned(), url.to_owned()], &[]);
        let seen = stage.desk.crosscheck(words);
        assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{url}");
        assert_eq!(seen.stderr.lines().count(), 1, "{url}: {}", seen.stderr);
        assert!(
            seen.stderr.contains("POSTGRES_CLIENT_SETUP_FAILED"),
            "{}",
            seen.stderr
        );
        assert!(
            seen.stderr.to_lowercase().contains("refused"),
            "{url}: {}",
            seen.stderr
        );
        assert!(!seen.stderr.contains("hunter22"), "{}", seen.stderr);
    }
}

fn disturbed(engine: Engine, disturb: impl Fn(&TlsServer)) -> Option<Seen> {
    Server::named(engine)?;
    let (certificate, key) = Authority::new("ours").issue(&["localhost"]);
    let server = TlsServer::start(engine, &certificate, &key);
    Session::open(engine, server.url()).run(SETUP);
    let desk = crate::desk();
    desk.file("registry.json", REGISTRY);
    desk.file(
        "events.ndjson",
        step(0, "items", "1") + &step(1, "late", "2"),
    );
    let flag = match engine {
        Engine::Postgres => "--postgres-url",
        Engine::Mysql => "--mysql-url",
    };
    let words = [
        "check",
        "--workflow-id",
        "wf",
        "--events",
        "events.ndjson",
        "--registry",
        "registry.json",
        "--no-human-report",
        flag,
        server.url(),
    ];
    let child = desk
        .command(words.iter().chain(&PATIENT))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    disturb(&server);
    Some(desk.seen(&child.wait_with_output().unwrap()))
}

#[test]
fn a_server_that_dies_in_the_middle_passes_nothing() {
    for (engine, signal, name) in [
        // what an immediate shutdown sends; the other one is simply gone
        (Engine::Postgres, "-QUIT", "postgres.pid"),
        (Engine::Mysql, "-KILL", "mysql.pid"),
    ] {
        let seen = disturbed(engine, |server| {
            let pid = std::fs::read_to_string(server.folder().join(name)).unwrap();
            let sent = Command::new("kill").args([signal, pid.trim()]).status();
            assert!(sent.unwrap().success());
        });
        let Some(seen) = seen else { continue };
        assert_eq!(seen.code, 2, "{engine:?}: {}", seen.summary());
        assert!(
            seen.stdout.contains("CONNECTOR_ERROR"),
            "{engine:?}: {}",
            seen.stdout
        );
        assert!(
            seen.stderr.contains("truth_check_verdict: unknown"),
            "{}",
            seen.stderr
        );
    }
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    for kind in ENGINES {
        let mut events = String::new();
        for seq in 0..9000 {
            let id = match seq {
                4321 => "x",
                7000..7100 => "2",
                _ => "1",
            };
            events += &step(seq, if seq % 3 == 0 { "items" } else { "late" }, id);
        }
        let Some(stage) = staged(kind, &events) else {
            continue;
        };
        let alone = stage.check(&[]);
        let facts = stage.desk.read("bundle/workflow-result.json");
        assert_ne!(alone.code, 0, "{kind:?}");
        for jobs in ["1", "2", "5"] {
            let seen = stage.check(&["--jobs", jobs]);
            assert_eq!(seen.code, alone.code, "{kind:?} {jobs}");
            assert!(seen.stdout == alone.stdout, "{kind:?} {jobs}");
            assert_eq!(seen.stderr, alone.stderr, "{kind:?} {jobs}");
            assert!(
                stage.desk.read("bundle/workflow-result.json") == facts,
                "{kind:?} {jobs}"
            );
            assert_nobody_is_left(&stage);
        }
    }
}

#[test]
fn jobs_are_connections_where_the_server_lets_them_share_a_view() {
    for (kind, wanted) in [(Kind::Postgres, "4"), (Kind::Mysql, "1")] {
        let Some(stage) = staged(kind, &step(0, "late", "2")) else {
            continue;
        };
        let child = stage.spawn(&[&PATIENT[..], &["--jobs", "4"]].concat());
        let until = Instant::now() + Duration::from_secs(20);
        while sessions(&stage) != wanted && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(sessions(&stage), wanted, "{kind:?}");
        stage.run("INSERT INTO late VALUES (2, 'open')");
        let seen = stage.desk.seen(&child.wait_with_output().unwrap());
        assert_eq!(seen.code, 0, "{kind:?}: {}", seen.summary());
        assert_nobody_is_left(&stage);
    }
}

#[test]
fn a_server_that_refuses_more_connections_is_used_through_those_it_gives() {
    let events: String = (0..4500).map(|seq| step(seq, "items", "1")).collect();
    let Some(stage) = staged(Kind::Postgres, &events) else {
        return;
    };
    let database = stage.database().unwrap();
    let reader = format!("few_{}", database.name());
    stage.run(&format!(
        "CREATE ROLE {reader} LOGIN PASSWORD 'reader' CONNECTION LIMIT 2; GRANT SELECT ON items TO {reader}"
    ));
    let seen = stage.check_at(&database.url_for(&reader, "reader"), &["--jobs", "6"]);
    stage.run(&format!("DROP OWNED BY {reader}; DROP ROLE {reader}"));
    assert_eq!(seen.code, 0, "{}", seen.summary());
}

#[test]
fn a_number_of_jobs_that_is_none_is_refused() {
    let Some(stage) = staged(Kind::Sqlite, &step(0, "items", "1")) else {
        return;
    };
    for jobs in ["0", "65", "-1", "two", ""] {
        let seen = stage.check(&["--jobs", jobs]);
        assert!(
            seen.code == 3 && seen.stderr.contains("CLI_USAGE"),
            "{jobs}: {}",
            seen.summary()
        );
    }
}
