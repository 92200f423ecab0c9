//! Every contract case of `check`, `enforce` and the commands around them, as
//! data under `vectors/rows-check`.
//!
//! `SQLite` cases always run; PostgreSQL cases run when the variable
//! `CROSSCHECK_TEST_POSTGRES` holds the URL of a server that may create databases.

mod facts;
mod others;
mod schema;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crosscheck_testkit::{Database, Desk, Engine, Seen, Server};
use serde_json::Value;

use crate::desk;
use facts::{certificate_facts, differences, material_truth, result_facts};

/// A database of one case.
enum Store {
    File(PathBuf),
    Server(Database),
    /// Nobody is there.
    Nowhere(&'static str),
}

impl Store {
    fn new(engine: &str, server: Option<&Server>, setup: &Value, desk: &Desk) -> Self {
        if !setup.is_array() {
            let is_file = engine == "sqlite";
            return Self::Nowhere(if is_file {
                "nowhere.db"
            } else {
                "postgres://u@127.0.0.1:1/d"
            });
        }
        let store = match server {
            Some(server) => Self::Server(server.database("")),
            None => Self::File(desk.path().join("db.sqlite")),
        };
        store.run_all(setup);
        store
    }

    fn run(&self, sql: &str) {
        match self {
            Self::File(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.busy_timeout(Duration::from_secs(20)).unwrap();
                connection.execute_batch(sql).unwrap();
            }
            Self::Server(database) => database.session().run(sql),
            Self::Nowhere(_) => {}
        }
    }

    /// Runs each statement of a list.
    fn run_all(&self, list: &Value) {
        for sql in list.as_array().into_iter().flatten() {
            self.run(sql.as_str().unwrap());
        }
    }

    fn flags(&self) -> [String; 2] {
        match self {
            Self::File(path) => ["--db".into(), path.display().to_string()],
            Self::Server(database) => ["--postgres-url".into(), database.url().into()],
            Self::Nowhere(name) if name.starts_with("postgres") => {
                ["--postgres-url".into(), (*name).into()]
            }
            Self::Nowhere(name) => ["--db".into(), (*name).into()],
        }
    }
}

fn cases() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/rows-check");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        .collect()
}

/// Walks the cases of some commands; every problem is reported with its case.
fn walk(commands: &[&str], least: usize, run: impl Fn(&Value) -> Option<Vec<String>>) {
    let mut problems = Vec::new();
    let mut count = 0;
    for case in cases() {
        if !commands.contains(&case["command"].as_str().unwrap()) {
            continue;
        }
        let Some(found) = run(&case) else { continue };
        count += 1;
        problems.extend(
            found
                .into_iter()
                .map(|text| format!("{}: {text}", case["name"])),
        );
    }
    assert!(count >= least, "only {count} cases were found");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn write_inputs(desk: &Desk, case: &Value) {
    if case.get("registry").is_some() {
        desk.file("registry.json", case["registry"].to_string());
    } else if let Some(text) = case["registry_text"].as_str() {
        desk.file("registry.json", text);
    }
    if let Some(text) = case["events"].as_str() {
        desk.file("events.ndjson", text);
    }
    for (name, content) in case["files"].as_object().into_iter().flatten() {
        desk.file(name, content.to_string());
    }
}

/// The words of a command line, without the flags the case leaves out.
fn words(case: &Value, pairs: &[[String; 2]]) -> Vec<String> {
    let omitted: Vec<&str> = case["omit"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let kept = pairs
        .iter()
        .filter(|[flag, _]| !omitted.contains(&flag.as_str()));
    let args = case["args"].as_array().into_iter().flatten();
    kept.flatten()
        .cloned()
        .chain(args.map(|word| word.as_str().unwrap().to_owned()))
        .collect()
}

fn pair(flag: &str, value: &str) -> [String; 2] {
    [flag.to_owned(), value.to_owned()]
}

fn check_words(case: &Value, store: &Store) -> Vec<String> {
    let pairs = [
        pair("--workflow-id", case["workflow_id"].as_str().unwrap()),
        pair("--events", "events.ndjson"),
        pair("--registry", "registry.json"),
        store.flags(),
    ];
    words(case, &pairs)
}

/// Codes that a refusal must have: nothing on standard output, one envelope.
fn refusal(wanted: &Value, seen: &Seen) -> Vec<String> {
    let mut problems = Vec::new();
    let last = seen.stderr.lines().last().unwrap_or_default();
    let envelope: Value = serde_json::from_str(last).unwrap_or_default();
    if envelope["code"] != wanted["error_code"] {
        problems.push(format!(
            "expected {}, got {}",
            wanted["error_code"],
            seen.summary()
        ));
    }
    if !seen.stdout.is_empty() || seen.stderr.lines().count() != 1 {
        problems.push(format!("a refusal says one line: {}", seen.summary()));
    }
    problems
}

fn run_check(case: &Value, store: &Store, desk: &Desk) -> Seen {
    write_inputs(desk, case);
    let bundles = [
        "--write-run-bundle",
        "run",
        "--write-decision-bundle",
        "decision",
    ];
    // signing without a bundle is a case of its own
    let may_write = !case["args"].to_string().contains("--sign-ed25519");
    let bundles = bundles
        .iter()
        .filter(|_| may_write)
        .map(|word| (*word).to_owned());
    let words = check_words(case, store).into_iter().chain(bundles);
    let child = desk
        .command(["check".to_owned()].into_iter().chain(words))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    if let Some(later) = case["during"].as_object() {
        std::thread::sleep(Duration::from_millis(later["after_ms"].as_u64().unwrap()));
        store.run_all(&later["sql"]);
    }
    desk.seen(&child.wait_with_output().unwrap())
}

fn checked(case: &Value, engine: &str, server: Option<&Server>) -> Option<Vec<String>> {
    let setup = case["setup_sql"].get(engine)?;
    let desk = desk();
    let wanted = match &case["expected"][engine] {
        Value::Null => &case["oracle"][engine],
        ruled => ruled,
    };
    let store = Store::new(engine, server, setup, &desk);
    let seen = run_check(case, &store, &desk);
    if wanted["exit"] != seen.code {
        return Some(vec![format!(
            "exit {} expected: {}",
            wanted["exit"],
            seen.summary()
        )]);
    }
    if wanted["exit"] == 3 {
        return Some(refusal(wanted, &seen));
    }
    let certificate: Value = serde_json::from_str(&seen.stdout).unwrap();
    let mut problems = differences(
        "certificate",
        &wanted["certificate"],
        &certificate_facts(&certificate),
    );
    if let Some(hash) = wanted["materialTruthSha256"].as_str() {
        let truth = desk.read("decision/material-truth.json");
        if facts::sha256(&truth) != hash || truth != material_truth(&certificate) {
            problems.push(format!("material truth {truth}"));
        }
    }
    let result: Value = serde_json::from_str(&desk.read("run/workflow-result.json")).unwrap();
    problems.extend(differences("result", wanted, &result_facts(&result)));
    let said: Vec<&str> = seen.stderr.lines().collect();
    for line in wanted["stderr_verdict_lines"]
        .as_array()
        .into_iter()
        .flatten()
    {
        if !said.contains(&line.as_str().unwrap()) {
            problems.push(format!("standard error lacks {line}: {}", seen.stderr));
        }
    }
    Some(problems)
}

#[test]
fn every_sqlite_case_of_check_comes_out_as_the_contract_says() {
    walk(&["check"], 100, |case| checked(case, "sqlite", None));
}

#[test]
fn every_postgres_case_of_check_comes_out_as_the_contract_says() {
    let Some(server) = Server::named(Engine::Postgres) else {
        return;
    };
    walk(&["check"], 80, |case| {
        checked(case, "postgres", Some(&server))
    });
}
