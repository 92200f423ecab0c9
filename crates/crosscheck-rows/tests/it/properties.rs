//! What holds for every log and every database.

use std::collections::BTreeSet;

use crosscheck_core::NoListener;
use crosscheck_core::{Json, canonical};
use crosscheck_rows::observe::SqliteSource;
use crosscheck_rows::quick::read;
use crosscheck_rows::quick::report::Documents;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generated::{Table, fill, log, tables};

fn run(log: &[u8], tables: &[Table]) -> Documents {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA synchronous=OFF").unwrap();
    fill(&connection, tables);
    connection.close().unwrap();
    let log = read::log(Some(log)).unwrap();
    let mut source = SqliteSource::open(&path).unwrap();
    let report = crosscheck_rows::quick::run(&log, &mut source, &mut NoListener).unwrap();
    report.documents("generated", true).unwrap()
}

fn texts<'a>(items: &'a Value, name: &str) -> Vec<&'a str> {
    let items = items.as_array().unwrap();
    items
        .iter()
        .map(|item| item[name].as_str().unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_run_ends_in_documents_that_agree(log in log(), tables in tables()) {
        let documents = run(&log, &tables);
        let report: Value = serde_json::from_str(&documents.report).unwrap();
        let certificate: Value = serde_json::from_str(&documents.certificate).unwrap();
        let registry: Value = serde_json::from_str(&documents.registry).unwrap();
        let units = report["units"].as_array().unwrap();

        // roll-up
        let verdicts = texts(&report["units"], "verdict");
        let capped = report["ingest"]["reasonCodes"].as_array().unwrap().contains(&json!("INGEST_ACTION_CAP"));
        let all = !verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == "verified");
        let (verdict, relation) = if verdicts.contains(&"fail") {
            ("fail", "does_not_match")
        } else if all && !capped {
            ("pass", "matches_expectations")
        } else {
            ("uncertain", "not_established")
        };
        prop_assert_eq!(&report["verdict"], verdict);
        prop_assert_eq!(&certificate["stateRelation"], relation);

        // units
        prop_assert!(units.len() <= 20);
        for (at, unit) in units.iter().enumerate() {
            prop_assert_eq!(&unit["unitId"], &json!(format!("u{at}")));
            let confidence = unit["confidence"].as_f64().unwrap();
            prop_assert!((0.0..=1.0).contains(&confidence));
            let verified = unit["verdict"] == "verified";
            prop_assert_eq!(verified, unit["reasonCodes"].as_array().unwrap().is_empty());
            prop_assert_eq!(verified, unit.get("correctnessDefinition").is_none());
            if unit["kind"] == "related_exists" {
                prop_assert_eq!(confidence.to_bits(), 0.8f64.to_bits());
            }
        }
        prop_assert_eq!(certificate["steps"].as_array().unwrap().len(), units.len());

        // export
        let exported: BTreeSet<String> = units
            .iter()
            .filter(|unit| unit["contractEligible"] == true)
            .map(|unit| format!("quick:{}", unit["unitId"].as_str().unwrap()))
            .collect();
        let ids = texts(&registry, "toolId");
        prop_assert_eq!(&ids, &exported.iter().map(String::as_str).collect::<Vec<_>>());
        prop_assert_eq!(&report["exportableRegistry"]["tools"], &registry);
        let events: Vec<Value> = documents.events.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
        prop_assert_eq!(events.len(), ids.len());
        prop_assert!(documents.events.is_empty() || documents.events.ends_with('\n'));
        prop_assert_eq!(
            &report["productTruth"]["contractReplayPartialCoverage"],
            &json!(!ids.is_empty() && ids.len() < units.len())
        );
    }

    #[test]
    fn what_is_written_is_its_own_canonical_form(log in log(), tables in tables()) {
        let documents = run(&log, &tables);
        for text in [documents.registry.as_str(), documents.report.trim_end_matches('\n'), documents.certificate.trim_end_matches('\n')] {
            prop_assert_eq!(canonical::of_node(Json::parse(text).unwrap().root()), text);
        }
    }

    #[test]
    fn the_same_input_gives_the_same_bytes(log in log(), tables in tables()) {
        let (one, two) = (run(&log, &tables), run(&log, &tables));
        prop_assert_eq!(one.registry, two.registry);
        prop_assert_eq!(one.events, two.events);
        prop_assert_eq!(one.report, two.report);
        prop_assert_eq!(one.certificate, two.certificate);
        prop_assert_eq!(one.human, two.human);
    }

    #[test]
    fn a_repeated_log_only_adds_warnings(log in log()) {
        let once = read::log(Some(&log)).unwrap();
        let mut twice = log.clone();
        twice.push(b'\n');
        twice.extend_from_slice(&log);
        let twice = read::log(Some(&twice)).unwrap();
        // Only where both were read line by line to the same calls.
        let calls = once.actions.len() + once.repeated.len();
        if twice.actions.len() + twice.repeated.len() == 2 * calls && calls <= 25 {
            prop_assert_eq!(twice.actions.len(), once.actions.len());
            prop_assert_eq!(twice.repeated.len(), once.repeated.len() + calls);
        }
        let keys: BTreeSet<_> = once.repeated.iter().map(ToString::to_string).collect();
        prop_assert!(keys.len() <= once.actions.len());
    }
}
