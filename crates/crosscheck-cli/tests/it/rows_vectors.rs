//! The rules of `rows` as data under `vectors/rows`, on every engine.
//!
//! A file fills one database, unless a case fills its own; each case is a log
//! of plain calls and what becomes of them, in order: `read`, `failed`, `ignored`, or the state
//! with its reason codes.

use std::fs;
use std::path::Path;

use crosscheck_testkit::Schema;
use serde_json::Value;

use crate::check_engines::stage::{ENGINES, Kind, Stage};
use crate::desk;

#[test]
fn every_case_comes_out_as_its_rule_says_on_every_engine() {
    let schema = desk().crosscheck(["schema", "rows-report"]).stdout;
    let schema = Schema::new(serde_json::from_str(&schema).unwrap());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/rows");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut problems = Vec::new();
    let mut count = 0;
    for path in files {
        let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for kind in ENGINES {
            let Some(stage) = Stage::new(kind, file["sql"].as_str().unwrap()) else {
                continue;
            };
            for case in cases(&file, kind) {
                count += 1;
                let own = case["sql"].as_str().and_then(|sql| Stage::new(kind, sql));
                if let Err(problem) = run(own.as_ref().unwrap_or(&stage), case, &schema) {
                    let name = path.file_stem().unwrap().display();
                    problems.push(format!("{name} on {kind:?}, {}: {problem}", case["name"]));
                }
            }
        }
    }
    assert!(count > 40, "only {count} cases were found");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn cases(file: &Value, kind: Kind) -> impl Iterator<Item = &Value> {
    let name = format!("{kind:?}").to_lowercase();
    file["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(move |case| {
            let engines = case["engines"].as_array();
            engines.is_none_or(|engines| engines.iter().any(|engine| engine == name.as_str()))
        })
}

fn run(stage: &Stage, case: &Value, schema: &Schema) -> Result<(), String> {
    let lines = case["log"].as_array().unwrap().iter().map(|line| {
        let text = line.as_str();
        text.map_or_else(|| line.to_string(), str::to_owned)
    });
    let log: String = lines.map(|line| line + "\n").collect();
    stage.desk.file("log.ndjson", log);
    let mut extra = vec!["log.ndjson", "--format", "json"];
    if let Some(contract) = case["contract"].as_str() {
        stage.desk.file("contract.toml", contract);
        extra.extend(["--contract", "contract.toml"]);
    }
    let seen = stage.rows(&extra);
    let report: Value = serde_json::from_str(&seen.stdout)
        .map_err(|_| format!("exit {}: {}", seen.code, seen.stderr))?;
    if let Some(error) = schema.problems(&report).first() {
        return Err(format!("the report breaks its schema: {error}"));
    }
    let expected: Vec<&str> = case["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call.as_str().unwrap())
        .collect();
    let found = calls(&report, &expected);
    if found == expected && seen.code == case["exit"] {
        return Ok(());
    }
    Err(format!("{found:?}, exit {}", seen.code))
}

/// What became of each call. Which of the unjudged calls is of which kind
/// the report does not say, only how many; so they are taken as expected if
/// the counts are right.
fn calls(report: &Value, expected: &[&str]) -> Vec<String> {
    let total = usize::try_from(report["calls"]["total"].as_u64().unwrap()).unwrap();
    let mut found = vec![String::new(); total];
    for outcome in report["outcomes"].as_array().unwrap() {
        let index = usize::try_from(outcome["call"]["index"].as_u64().unwrap()).unwrap();
        let mut words = vec![outcome["state"].as_str().unwrap()];
        let reasons = outcome["reasons"].as_array().unwrap().iter();
        let mut codes: Vec<&str> = reasons
            .map(|reason| reason["reason"].as_str().unwrap())
            .collect();
        codes.sort_unstable();
        codes.dedup();
        words.extend(codes);
        found[index - 1] = words.join(" ");
    }
    let kinds = [
        ("read", "reads"),
        ("failed", "failed"),
        ("ignored", "ignored"),
    ];
    let is_counted = kinds.iter().all(|(word, member)| {
        let count = expected.iter().filter(|call| call == &word).count();
        report["calls"][member] == count
    });
    for (call, expected) in found.iter_mut().zip(expected) {
        let is_other = kinds.iter().any(|(word, _)| word == expected);
        if call.is_empty() && is_other && is_counted {
            (*expected).clone_into(call);
        }
    }
    found
}
