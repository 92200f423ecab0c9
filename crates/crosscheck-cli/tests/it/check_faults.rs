//! Faults of the world under `check`, on every engine: always a named reason,
//! never a pass, and nothing left behind.

mod clock;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crosscheck_testkit::{Authority, Engine, Seen, Server, Session, TlsServer};
use serde_json::Value;

use crate::check::{INPUTS, event};
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

/// Counts the sessions of the program on its server, through a session of its own.
struct Watch(Option<(Session, String)>);

impl Watch {
    fn new(stage: &Stage) -> Self {
        Self(stage.database().map(|database| {
            let sql = match stage.kind() {
                Kind::Postgres => "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'crosscheck' AND datname = current_database()".to_owned(),
                _ => format!("SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.PROCESSLIST WHERE DB = '{}' AND ID <> CONNECTION_ID()", database.name()),
            };
            (database.session(), sql)
        }))
    }

    /// A file has no sessions.
    fn count(&mut self) -> usize {
        match &mut self.0 {
            Some((session, sql)) => session.text(sql).unwrap().parse().unwrap(),
            None => 0,
        }
    }

    /// Waits until there are as many; sessions may take a moment to end on the
    /// server's side.
    fn wait_for(&mut self, wanted: usize) {
        let until = Instant::now() + Duration::from_secs(20);
        while self.count() != wanted {
            assert!(
                Instant::now() < until,
                "{} sessions, {wanted} expected",
                self.count()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the run under way looks for what is not there.
    fn wait_until_seen(&mut self) {
        if self.0.is_some() {
            self.wait_for(1);
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn a_table_that_is_dropped_while_it_is_waited_for_is_named() {
    for kind in ENGINES {
        let Some(stage) = staged(kind, &(step(0, "items", "1") + &step(1, "late", "2"))) else {
            continue;
        };
        let mut watch = Watch::new(&stage);
        watch.wait_for(0);
        let child = stage.spawn(&PATIENT);
        watch.wait_until_seen();
        stage.run("DROP TABLE late");
        let seen = stage.desk.seen(&child.wait_with_output().unwrap());
        assert_eq!(seen.code, 2, "{kind:?}: {}", seen.summary());
        assert_eq!(codes(&stage), ["", "CONNECTOR_ERROR"], "{kind:?}");
        assert!(seen.stdout.contains("late"), "{kind:?}: {}", seen.stdout);
        watch.wait_for(0);
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
fn a_row_that_a_policy_hides_does_not_pass_as_absent() {
    let Some(stage) = staged(Kind::Postgres, &step(0, "items", "1")) else {
        return;
    };
    let gone = REGISTRY
        .replace("sql_row", "sql_row_absent")
        .replace(r#","requiredFields":{"pointer":"/fields"}"#, "");
    let database = stage.database().unwrap();
    let reader = format!("hidden_{}", database.name());
    stage.run(&format!(
        "CREATE ROLE {reader} LOGIN PASSWORD 'reader'; GRANT SELECT ON items TO {reader}; \
         ALTER TABLE items ENABLE ROW LEVEL SECURITY; \
         CREATE POLICY open_ones ON items FOR SELECT TO {reader} USING (state = 'open')"
    ));
    let url = database.url_for(&reader, "reader");
    let visible = stage.check_at(&url, &[]);
    stage.run("UPDATE items SET state = 'shut'");
    stage.desk.file("registry.json", gone);
    let hidden = stage.check_at(&url, &[]);
    let shown = codes(&stage);
    stage.run(&format!("DROP OWNED BY {reader}; DROP ROLE {reader}"));
    assert_eq!(visible.code, 0, "{}", visible.summary());
    assert_eq!(hidden.code, 2, "{}", hidden.summary());
    assert_eq!(shown, ["CONNECTOR_ERROR"]);
}

#[test]
fn a_run_that_is_killed_leaves_no_session_and_no_file() {
    for kind in ENGINES {
        let Some(stage) = staged(kind, &step(0, "late", "2")) else {
            continue;
        };
        let before = stage.desk.names(".");
        std::fs::create_dir(stage.desk.path().join("tmp")).unwrap();
        let mut watch = Watch::new(&stage);
        watch.wait_for(0);
        let mut child = stage
            .command("check", &PATIENT)
            .env("TMPDIR", stage.desk.path().join("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        watch.wait_until_seen();
        child.kill().unwrap();
        child.wait().unwrap();
        watch.wait_for(0);
        assert!(stage.desk.names("tmp").is_empty(), "{kind:?}");
        std::fs::remove_dir(stage.desk.path().join("tmp")).unwrap();
        assert_eq!(stage.desk.names("."), before, "{kind:?}");
        // whoever was watched is not locked out
        stage.run("INSERT INTO late VALUES (2, 'open')");
        assert_eq!(stage.check(&[]).code, 0, "{kind:?}");
        watch.wait_for(0);
    }
}

#[test]
fn a_file_that_is_locked_or_no_database_is_named() {
    let Some(stage) = staged(Kind::Sqlite, &step(0, "items", "1")) else {
        return;
    };
    let path = stage.desk.path().join("app.db");
    let writer = rusqlite::Connection::open(&path).unwrap();
    writer
        .execute_batch("BEGIN EXCLUSIVE; UPDATE items SET state = 'x'")
        .unwrap();
    let locked = stage.check(&[]);
    writer.execute_batch("ROLLBACK").unwrap();
    drop(writer);
    assert_eq!(stage.check(&[]).code, 0);
    std::fs::write(&path, "no database at all".repeat(100)).unwrap();
    let shown = [locked, stage.check(&[])].map(|seen| seen.summary());
    insta::assert_snapshot!(shown.join("\n"));
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
        let words = Stage::words("check", &[flag.to_owned(), url.to_owned()], &[]);
        let seen = stage.desk.crosscheck(words);
        assert_eq!((seen.code, seen.stdout.as_str()), (3, ""), "{url}");
        assert_eq!(seen.stderr.lines().count(), 1, "{url}: {}", seen.stderr);
        assert_eq!(seen.refusal(), "3 POSTGRES_CLIENT_SETUP_FAILED");
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
    let database = ["--no-human-report", flag, server.url()];
    let words = [&["check"][..], &INPUTS, &database].concat();
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
        let verdict = seen.stderr.lines().next();
        assert_eq!(verdict, Some("truth_check_verdict: unknown"), "{engine:?}");
        assert_ne!(seen.stdout.find("CONNECTOR_ERROR"), None, "{engine:?}");
    }
}
