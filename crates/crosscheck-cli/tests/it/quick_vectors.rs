//! Every contract case of `quick`, as data under `vectors/rows-quick`.
//!
//! `SQLite` cases always run; PostgreSQL cases run when the variable
//! `CROSSCHECK_TEST_POSTGRES` holds the URL of a server that may create databases.

mod facts;
mod stage;

use std::fs;
use std::path::{Path, PathBuf};

use crosscheck_testkit::{Schema, Server};
use serde_json::{Value, json};

use crate::desk;
use facts::{certificate_facts, report_facts, with_free_texts};
use stage::{Engine, Postgres, Sqlite, log_bytes};

/// The documents a run writes, each with the schema the program prints for it.
struct Schemas {
    certificate: Schema,
    report: Schema,
    registry: Schema,
    event: Schema,
    envelope: Schema,
}

impl Schemas {
    fn new() -> Self {
        Self {
            certificate: schema("outcome-certificate"),
            report: schema("quick-report"),
            registry: schema("registry"),
            event: schema("event"),
            envelope: schema("error-envelope"),
        }
    }
}

fn schema(name: &str) -> Schema {
    let seen = desk().crosscheck(["schema", name]);
    assert_eq!(seen.code, 0, "{name}: {}", seen.stderr);
    Schema::new(serde_json::from_str(&seen.stdout).unwrap())
}

#[test]
fn every_sqlite_case_comes_out_as_the_contract_says() {
    let problems = walk(&mut Sqlite);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_postgres_case_comes_out_as_the_contract_says() {
    let Some(server) = Server::named(crosscheck_testkit::Engine::Postgres) else {
        return;
    };
    let problems = walk(&mut Postgres::new(server.url()));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn walk(engine: &mut dyn Engine) -> Vec<String> {
    let schemas = Schemas::new();
    let mut problems = Vec::new();
    let mut count = 0;
    for path in cases() {
        let case: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        if case["setup_sql"].get(engine.name()).is_none() {
            continue;
        }
        count += 1;
        for problem in run(&case, engine, &schemas) {
            problems.push(format!(
                "{}/{}: {problem}",
                path.file_stem().unwrap().display(),
                engine.name()
            ));
        }
    }
    assert!(count > 50, "only {count} cases were found");
    problems
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/rows-quick");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    paths
}

/// The oracle's facts, each replaced as a whole where the seed says otherwise.
fn expected(case: &Value, engine: &str) -> Value {
    let mut facts = case["oracle"][engine].clone();
    if let Some(rulings) = case["seed_says"][engine].as_object() {
        for (name, value) in rulings {
            facts[name] = value.clone();
        }
    }
    facts
}

fn run(case: &Value, engine: &mut dyn Engine, schemas: &Schemas) -> Vec<String> {
    let desk = desk();
    let wanted = expected(case, engine.name());
    let refused = wanted["exit_code"] == 3;
    let log = log_bytes(&case["input"]);
    desk.file("input", &log);
    for folder in ["out", "empty"] {
        fs::create_dir(desk.path().join(folder)).unwrap();
    }
    let statements: Vec<&str> = case["setup_sql"][engine.name()]
        .as_array()
        .unwrap()
        .iter()
        .map(|statement| statement.as_str().unwrap())
        .collect();
    let flags = engine.create(desk.path(), &statements, case["pg_user"].as_str());
    let mut args = stage::arguments(case, &flags, &desk);
    if !refused {
        args.extend(["--write-report".to_owned(), desk.at("report.json")]);
    }
    let before = engine.state(desk.path());

    let stdin = if case["stdin"] == true { &log[..] } else { b"" };
    let seen = desk.crosscheck_with_input(&args, stdin);

    let mut found = Problems(Vec::new());
    found.same("the database", &before, &engine.state(desk.path()));
    engine.forget();
    found.same("exit code", &wanted["exit_code"], &json!(seen.code));
    if refused || seen.code == 3 {
        check_refusal(&mut found, &wanted, &seen, &desk, schemas);
    } else {
        let emits = case["args"]
            .as_array()
            .unwrap()
            .iter()
            .any(|word| word == "--emit-events");
        check_run(&mut found, &wanted, &seen, &desk, schemas, emits);
    }
    found.0
}

fn check_refusal(
    found: &mut Problems,
    wanted: &Value,
    seen: &crosscheck_testkit::Seen,
    desk: &crosscheck_testkit::Desk,
    schemas: &Schemas,
) {
    found.same("stdout", &json!(""), &json!(seen.stdout));
    let envelope: Value = serde_json::from_str(&seen.stderr).unwrap_or_default();
    found.fits("envelope", &schemas.envelope, &envelope);
    found.same("error code", &wanted["error_code"], &envelope["code"]);
    let files = desk.names("out");
    let mut left = Vec::new();
    if wanted["events_written"] == true {
        left.push("events.ndjson");
    }
    if wanted["registry_written"] == true {
        left.push("registry.json");
    }
    found.same("files left", &json!(left), &json!(files));
}

fn check_run(
    found: &mut Problems,
    wanted: &Value,
    seen: &crosscheck_testkit::Seen,
    desk: &crosscheck_testkit::Desk,
    schemas: &Schemas,
    emits: bool,
) {
    let certificate = found.canonical("certificate", &seen.stdout, "\n");
    found.fits("certificate", &schemas.certificate, &certificate);
    let facts = certificate_facts(&certificate);
    found.same(
        "certificate",
        &with_free_texts(&wanted["certificate"], &facts, ""),
        &facts,
    );

    let mut registry = found.canonical("registry", &desk.read("out/registry.json"), "");
    // nothing to export is written down as such, but is not a registry to replay
    if registry != serde_json::json!([]) {
        found.fits("registry", &schemas.registry, &registry);
    }
    for tool in registry.as_array_mut().into_iter().flatten() {
        tool.as_object_mut()
            .unwrap()
            .remove("effectDescriptionTemplate");
    }
    found.same("registry", &wanted["registry"], &registry);

    if emits {
        let text = desk.read("out/events.ndjson");
        let lines: Vec<&str> = text.lines().collect();
        found.same("events", &wanted["events"], &json!(lines));
        for line in &lines {
            found.fits(
                "event",
                &schemas.event,
                &serde_json::from_str(line).unwrap_or_default(),
            );
        }
    }

    let report = found.canonical("report", &desk.read("report.json"), "\n");
    found.fits("report", &schemas.report, &report);
    let facts = report_facts(&report);
    for (name, value) in facts.as_object().unwrap() {
        found.same(name, &with_free_texts(&wanted[name], value, ""), value);
    }
    check_human(found, wanted, seen, &certificate);
}

fn check_human(
    found: &mut Problems,
    wanted: &Value,
    seen: &crosscheck_testkit::Seen,
    certificate: &Value,
) {
    if seen.stderr.is_empty() {
        return; // `--no-human-report`
    }
    let said = certificate["humanReport"].as_str().unwrap_or_default();
    found.same(
        "stderr is the human report and one line feed",
        &json!(format!("{}\n", said.trim_end_matches('\n'))),
        &json!(seen.stderr),
    );
    let mut lines = vec![
        "=== quick-verify human report ===".to_owned(),
        format!(
            "Rollup (inferred, provisional): {}",
            wanted["verdict"].as_str().unwrap_or_default()
        ),
        "=== end quick-verify human report ===".to_owned(),
    ];
    for unit in wanted["units"].as_array().into_iter().flatten() {
        for name in facts::RECONCILIATION {
            if let Some(text) = unit["reconciliation"][name].as_str() {
                lines.push(format!("  {name}: {text}"));
            }
        }
    }
    let mut said = seen.stderr.lines();
    for line in lines {
        if !said.any(|other| other == line) {
            found
                .0
                .push(format!("stderr lacks the line, or not in order: {line}"));
        }
    }
}

/// What was not as expected, in words.
struct Problems(Vec<String>);

impl Problems {
    fn same(&mut self, what: &str, expected: &Value, got: &Value) {
        if !facts::same_value(expected, got) {
            self.0
                .push(format!("{what}\n  expected {expected}\n  got      {got}"));
        }
    }

    fn fits(&mut self, what: &str, schema: &Schema, document: &Value) {
        for problem in schema.problems(document) {
            self.0.push(format!("{what} against its schema: {problem}"));
        }
    }

    /// Parses a document and asks the program itself whether it is canonical.
    fn canonical(&mut self, what: &str, text: &str, end: &str) -> Value {
        let Some(body) = text.strip_suffix(end) else {
            self.0.push(format!("{what} does not end as it must"));
            return Value::Null;
        };
        let answer = desk().crosscheck_with_input(
            ["canonical", "--stdin", "--profile", "rows"],
            format!("{body}\n").as_bytes(),
        );
        let answer: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
        self.same(
            &format!("canonical {what}"),
            &answer["canonical"],
            &json!(body),
        );
        serde_json::from_str(body).unwrap_or_default()
    }
}
