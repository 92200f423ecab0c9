//! Faults of a real server: always a named reason, never a pass. Needs
//! `CROSSCHECK_TEST_POSTGRES`, the URL of a throwaway server.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "the stage is a server of its own, named by the environment"
)]

use std::process::{Command, Stdio};
use std::time::Duration;

use crosscheck_testkit::{Desk, Engine, Seen, Server};

use crate::check::{INPUTS, event};

const REGISTRY: &str = r#"[
 {"toolId":"a","effectDescriptionTemplate":"a","verification":{"kind":"sql_row","table":{"pointer":"/table"},
   "identityEq":[{"column":{"const":"id"},"value":{"pointer":"/id"}}],"requiredFields":{"pointer":"/fields"}}}]"#;

struct Stage {
    desk: Desk,
    url: String,
    schema: String,
}

impl Stage {
    /// A schema of its own; `None`, with a word about it, without a server.
    fn new(name: &str) -> Option<Self> {
        let url = Server::named(Engine::Postgres)?.url().to_owned();
        let desk = Desk::new(env!("CARGO_BIN_EXE_crosscheck"));
        desk.file("registry.json", REGISTRY);
        let stage = Self {
            desk,
            url,
            schema: format!("faults_{name}"),
        };
        stage.sql(&format!(
            "DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}; CREATE TABLE {0}.items (id integer PRIMARY KEY, state text);
             INSERT INTO {0}.items SELECT n, 'open' FROM generate_series(1, 3000) n;",
            stage.schema
        ));
        Some(stage)
    }

    fn sql(&self, sql: &str) -> String {
        let ran = Command::new("psql")
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                &self.url,
                "-c",
                sql,
            ])
            .output()
            .expect("psql runs");
        assert!(
            ran.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    /// The URL with the schema of this stage first.
    fn own_url(&self) -> String {
        let join = if self.url.contains('?') { '&' } else { '?' };
        format!(
            "{}{join}options=-c%20search_path%3D{}",
            self.url, self.schema
        )
    }

    fn command(&self, url: &str, extra: &[&str]) -> Command {
        let database = ["--no-human-report", "--postgres-url", url];
        let words = [&["check"][..], &INPUTS, &database, extra].concat();
        self.desk.command(words)
    }

    fn check(&self, url: &str) -> Seen {
        let output = self.command(url, &[]).output().expect("the program runs");
        self.desk.seen(&output)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.sql(&format!("DROP SCHEMA {} CASCADE", self.schema));
        }
    }
}

fn step(seq: usize, table: &str, id: &str) -> String {
    event(
        seq,
        "a",
        &format!("{{\"table\":\"{table}\",\"id\":\"{id}\",\"fields\":{{\"state\":\"open\"}}}}"),
    )
}

#[test]
fn a_value_that_cannot_be_cast_fails_its_own_step_only() {
    let Some(stage) = Stage::new("cast") else {
        return;
    };
    let events: String = (0..2500)
        .map(|seq| {
            step(
                seq,
                "items",
                &if seq == 1777 {
                    "x".to_owned()
                } else {
                    (seq + 1).to_string()
                },
            )
        })
        .collect();
    stage.desk.file("events.ndjson", events);
    let seen = stage.check(&stage.own_url());
    assert_eq!(seen.code, 2);
    assert_eq!(
        seen.stdout
            .matches("\"observedOutcome\":\"rowCount=1\"")
            .count(),
        2499
    );
    assert_eq!(
        seen.stdout
            .matches("\"code\":\"CONNECTOR_ERROR\",\"message\"")
            .count(),
        1
    );
}

#[test]
fn a_missing_right_or_table_is_named_and_leaves_the_rest_alone() {
    let Some(stage) = Stage::new("rights") else {
        return;
    };
    stage.sql(&format!(
        "DROP ROLE IF EXISTS faults_reader; CREATE ROLE faults_reader LOGIN PASSWORD 'reader'; CREATE TABLE {0}.secret (id integer PRIMARY KEY, state text);
         GRANT USAGE ON SCHEMA {0} TO faults_reader; GRANT SELECT ON {0}.items TO faults_reader;",
        stage.schema
    ));
    stage.desk.file(
        "events.ndjson",
        step(0, "items", "1") + &step(1, "secret", "1") + &step(2, "gone", "1"),
    );
    let own = stage.own_url();
    let user = stage
        .url
        .split("://")
        .nth(1)
        .and_then(|rest| rest.split('@').next())
        .unwrap_or_default();
    let seen = stage.check(&own.replacen(&format!("//{user}@"), "//faults_reader:reader@", 1));
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert_eq!(
        seen.stdout
            .matches("\"observedOutcome\":\"rowCount=1\"")
            .count(),
        1
    );
    assert!(
        seen.stdout.contains("permission denied") && seen.stdout.contains("there is no table"),
        "{}",
        seen.stdout
    );
    stage.sql(&format!(
        "DROP OWNED BY faults_reader; DROP ROLE faults_reader; SELECT 1 FROM {}.items LIMIT 1",
        stage.schema
    ));
}

#[test]
fn a_connection_that_is_ended_in_the_middle_passes_nothing() {
    let Some(stage) = Stage::new("ended") else {
        return;
    };
    stage.desk.file(
        "events.ndjson",
        step(0, "items", "1") + &step(1, "items", "999999"),
    );
    let url = stage.own_url() + "&application_name=ignored";
    let child = stage
        .command(
            &url,
            &[
                "--consistency",
                "eventual",
                "--verification-window-ms",
                "60000",
                "--poll-interval-ms",
                "200",
            ],
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut ended = String::new();
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(100));
        ended = stage.sql(&format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'crosscheck' AND query NOT LIKE 'BEGIN%' AND datname = current_database() AND '{0}' = '{0}'",
            stage.schema
        ));
        if ended != "0" {
            break;
        }
    }
    assert_ne!(ended, "0", "the run was seen on the server");
    let seen = stage
        .desk
        .seen(&child.wait_with_output().expect("the program ends"));
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert!(seen.stdout.contains("CONNECTOR_ERROR"), "{}", seen.stdout);
}

#[test]
fn duplicates_are_found_with_and_without_an_index() {
    let Some(stage) = Stage::new("twice") else {
        return;
    };
    stage.sql(&format!(
        "CREATE TABLE {0}.plain (id integer, state text); INSERT INTO {0}.plain SELECT 1 + n % 2, 'open' FROM generate_series(1, 500) n; INSERT INTO {0}.plain VALUES (3, 'open');
         CREATE TABLE {0}.led (LIKE {0}.plain); CREATE INDEX ON {0}.led (id); INSERT INTO {0}.led SELECT * FROM {0}.plain;",
        stage.schema
    ));
    for table in ["plain", "led"] {
        stage.desk.file(
            "events.ndjson",
            (0..4)
                .map(|seq| step(seq, table, &(seq + 1).to_string()))
                .collect::<String>(),
        );
        let seen = stage.check(&stage.own_url());
        let counts: Vec<usize> = (0..3)
            .map(|rows| {
                seen.stdout
                    .matches(&format!("\"observedOutcome\":\"rowCount={rows}\""))
                    .count()
            })
            .collect();
        assert_eq!(
            (seen.code, counts),
            (1, vec![1, 1, 2]),
            "{table}: {}",
            seen.summary()
        );
    }
}
