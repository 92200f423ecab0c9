//! What `quick` exports, `check` replays with the same verdict.

use std::path::Path;

use crosscheck_core::{Event, Listener, Verdict};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{CheckRequest, Policy, read};
use crate::observe::SqliteSource;

/// Hears the verdict of each step, in seq order.
#[derive(Default)]
struct Heard(Vec<Verdict>);

impl Listener for Heard {
    fn hear(&mut self, event: Event<'_>) {
        if let Event::Judged { verdict, .. } = event {
            self.0.push(verdict);
        }
    }
}

#[derive(Debug, Clone)]
struct World {
    table: &'static str,
    columns: Vec<(&'static str, &'static str)>,
    stored: Vec<Value>,
    said: Vec<Value>,
    key: i64,
    key_said: i64,
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|truth| json!(truth)),
        (-5i64..1000).prop_map(|number| json!(number)),
        (-4i32..40).prop_map(|quarter| json!(f64::from(quarter) / 4.0)),
        "[ a-c0-3.]{0,4}".prop_map(|text| json!(text)),
    ]
}

fn world() -> impl Strategy<Value = World> {
    let table = prop::sample::select(vec!["orders", "invoices", "customers"]);
    let kinds = prop::collection::vec(
        prop::sample::select(vec!["TEXT", "INTEGER", "REAL", "NUMERIC", ""]),
        3,
    );
    let values = prop::collection::vec((value(), value(), any::<bool>()), 3);
    (table, kinds, values, 1i64..4, 1i64..4).prop_map(|(table, kinds, values, key, key_said)| {
        World {
            table,
            columns: ["status", "amount", "note"]
                .into_iter()
                .zip(kinds)
                .collect(),
            stored: values.iter().map(|(stored, _, _)| stored.clone()).collect(),
            said: values
                .into_iter()
                .map(|(stored, other, honest)| if honest { stored } else { other })
                .collect(),
            key,
            key_said,
        }
    })
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Bool(truth) => u8::from(*truth).to_string(),
        other => other.to_string(),
    }
}

impl World {
    fn build(&self, path: &Path) {
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect();
        let values: Vec<String> = self.stored.iter().map(literal).collect();
        Connection::open(path)
            .unwrap()
            .execute_batch(&format!(
                "CREATE TABLE {0} (id INTEGER PRIMARY KEY, {1}); INSERT INTO {0} VALUES ({2}, {3});",
                self.table,
                columns.join(", "),
                self.key,
                values.join(", ")
            ))
            .unwrap();
    }

    fn log(&self) -> String {
        let mut params = serde_json::Map::new();
        params.insert("id".to_owned(), json!(self.key_said));
        for ((name, _), said) in self.columns.iter().zip(&self.said) {
            params.insert((*name).to_owned(), said.clone());
        }
        json!({ "tool": format!("{}.update", self.table), "params": params }).to_string()
    }
}

fn verdict(word: &str) -> Verdict {
    match word {
        "verified" => Verdict::Confirmed,
        "fail" => Verdict::Refuted,
        _ => Verdict::Undecided,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn an_exported_unit_replays_with_its_verdict(world in world()) {
        let desk = tempfile::tempdir().unwrap();
        let at = |name: &str| desk.path().join(name);
        world.build(&at("db"));

        let log = crate::quick::read::log(Some(world.log().as_bytes())).unwrap();
        let mut source = SqliteSource::open(&at("db")).unwrap();
        let quick = crate::quick::run(&log, &mut source, &mut Heard::default()).unwrap();
        let documents = quick.documents("wf", true).unwrap();
        let units: Value = serde_json::from_str(&documents.report).unwrap();
        let tools: Value = serde_json::from_str(&documents.registry).unwrap();
        let expected: Vec<Verdict> = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| {
                let id = tool["toolId"].as_str().unwrap().strip_prefix("quick:").unwrap();
                let unit = units["units"].as_array().unwrap().iter().find(|unit| unit["unitId"] == id).unwrap();
                verdict(unit["verdict"].as_str().unwrap())
            })
            .collect();
        prop_assume!(!expected.is_empty());

        crosscheck_core::files::write_atomic(&at("registry.json"), documents.registry.as_bytes()).unwrap();
        crosscheck_core::files::write_atomic(&at("events.ndjson"), documents.events.as_bytes()).unwrap();
        let mut events = read::events(&at("events.ndjson"), "wf").unwrap();
        let registry = read::registry_for_run(&at("registry.json")).unwrap();
        let request = CheckRequest { workflow_id: "wf".to_owned(), policy: Policy::Strong, with_result: false };
        let mut source = SqliteSource::open(&at("db")).unwrap();
        let mut heard = Heard::default();
        super::run(&request, &mut events, &registry, &mut source, &mut heard).unwrap();
        prop_assert_eq!(heard.0, expected);
    }
}
