//! A run in parts, side by side, against the same run in one piece.

use crosscheck_core::clock::SystemClock;
use crosscheck_core::{Advice as _, NoListener};
use serde_json::json;

use super::enforce::{EnforceRequest, Mode, enforce};
use super::read::{self, Log, Registry};
use super::{CHUNK, CheckRequest, Policy, Report, run};
use crate::observe::source::{BatchError, Key, RowLookup, SampleRow, ScalarLookup};
use crate::observe::{Catalog, Cell, Row, RowsSeen, Scope, Source, SourceError, TableRef};

/// Rows of which every fifth is otherwise, double or unreadable.
#[derive(Default)]
struct Mixed {
    /// The connection was cut.
    is_gone: bool,
}

impl Source for Mixed {
    fn survey(&mut self, _: Scope) -> Result<Catalog, SourceError> {
        Ok(Catalog::default())
    }

    fn ends(&mut self, _: &TableRef, _: &str, _: usize) -> Result<Vec<Cell>, BatchError> {
        Ok(Vec::new())
    }

    fn rows(
        &mut self,
        lookup: &RowLookup,
        keys: &[Key],
        _: usize,
    ) -> Result<Vec<RowsSeen>, BatchError> {
        if self.is_gone {
            return Err(BatchError::Lost("connection closed".to_owned()));
        }
        let seen = |key: &Key| {
            let number: u32 = key[0].parse().unwrap();
            let cell = |shift: u32| Cell::Number(f64::from(number + shift));
            let row = |cell: Cell| RowsSeen::One(Row::of([(lookup.fields[0].clone(), cell)]));
            match number % 15 {
                0 => row(cell(1)),
                5 => RowsSeen::Many(Vec::new()),
                10 => RowsSeen::Failed(BatchError::Values("gone".to_owned())),
                _ => row(cell(0)),
            }
        };
        Ok(keys.iter().map(seen).collect())
    }

    fn scalars(&mut self, _: &ScalarLookup, _: &[Key]) -> Result<Vec<Cell>, BatchError> {
        Ok(Vec::new())
    }

    fn sample(&mut self, _: &ScalarLookup, _: &Key) -> Result<Vec<SampleRow>, BatchError> {
        Ok(Vec::new())
    }

    fn columns(&mut self, _: &TableRef) -> Result<Vec<String>, BatchError> {
        Ok(Vec::new())
    }

    fn is_file(&self) -> bool {
        true
    }

    fn pause(&mut self) {}

    fn refresh(&mut self) -> Result<(), SourceError> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), SourceError> {
        Ok(())
    }
}

/// Steps in descending order, with two tools, an unknown one, and retries.
fn staged(steps: usize) -> (Log, Registry) {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = String::new();
    for at in (0..steps).rev() {
        let tool = ["a", "b", "c"][usize::from(at % 2 == 1) + usize::from(at % 1001 == 1)];
        let event = json!({ "schemaVersion": 1, "workflowId": "w", "seq": at, "type": "tool_observed",
            "toolId": tool, "params": { "id": at, "fields": { tool: at } } });
        for _ in 0..=usize::from(at % 777 == 0) {
            lines.push_str(&event.to_string());
            lines.push('\n');
        }
    }
    let entry = |tool: &str| {
        json!({ "toolId": tool, "effectDescriptionTemplate": "save {/id}", "verification": {
            "kind": "sql_row", "table": { "const": "items" },
            "identityEq": [{ "column": { "const": "id" }, "value": { "pointer": "/id" } }],
            "requiredFields": { "pointer": "/fields" } } })
    };
    let registry = json!([entry("a"), entry("b")]).to_string();
    let (events, tools) = (folder.path().join("events"), folder.path().join("tools"));
    crosscheck_core::files::write_atomic(&events, lines.as_bytes()).unwrap();
    crosscheck_core::files::write_atomic(&tools, registry.as_bytes()).unwrap();
    let log = read::events(&events, "w").unwrap();
    (log, read::registry_for_run(&tools).unwrap())
}

fn checked(steps: usize, policy: Policy, mut source: Mixed) -> Report {
    let (mut log, registry) = staged(steps);
    let request = CheckRequest {
        workflow_id: "w".to_owned(),
        policy,
        with_result: false,
    };
    run(&request, &mut log, &registry, &mut source, &mut NoListener).unwrap()
}

fn certificate(report: &Report) -> String {
    let mut out = Vec::new();
    report.write_certificate(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn parts_side_by_side_tell_the_same_as_one_piece() {
    for steps in [CHUNK + 1, 2 * CHUNK + 17] {
        let parts = certificate(&checked(steps, Policy::Strong, Mixed::default()));
        // nothing is waited for: no row is absent
        let patient = Policy::eventual("1", "1").unwrap();
        let whole = certificate(&checked(steps, patient, Mixed::default()));
        let whole = whole.replace(&patient.fragment(), &Policy::Strong.fragment());
        assert!(parts == whole, "{steps} steps");
        let document: serde_json::Value = serde_json::from_str(&parts).unwrap();
        let listed = document["steps"].as_array().unwrap();
        assert!(
            listed
                .iter()
                .enumerate()
                .all(|(at, step)| step["seq"] == at)
        );
        assert_eq!(listed.len(), steps);
    }
}

#[test]
fn the_neutral_view_has_an_outcome_with_its_reason_for_each_step() {
    let steps = CHUNK + 1017;
    let report = checked(steps, Policy::Strong, Mixed::default());
    let neutral = report.neutral("w");
    assert_eq!(
        (neutral.outcomes.len(), neutral.verdict),
        (steps, report.verdict())
    );
    for (at, outcome) in neutral.outcomes.iter().enumerate() {
        assert_eq!(outcome.unit.as_str(), format!("s{at}"));
        let is_known = outcome.claim == format!("save {at}");
        assert!(is_known || outcome.claim == "Unknown tool: c", "{at}");
        let is_open = outcome.verdict != crosscheck_core::Verdict::Confirmed;
        assert_eq!(outcome.reasons.len(), usize::from(is_open), "{at}");
        if let Some(ground) = outcome.reasons.first() {
            assert_eq!(is_known, ground.reason.code != "UNKNOWN_TOOL", "{at}");
            assert_eq!(
                is_known,
                !ground.message.contains("no entry for the tool c"),
                "{at}"
            );
        }
    }
    let counts: usize = report.counts().map(|(_, count)| count).sum();
    assert_eq!(counts, steps);
}

#[test]
fn a_cut_connection_is_no_evidence_no_drift_and_no_baseline() {
    let cut = || checked(4, Policy::Strong, Mixed { is_gone: true });
    let text = certificate(&cut());
    assert!(!text.contains("SQL evidence present"), "{text}");
    assert!(text.contains("Not read: the database gave no answer."));

    let folder = tempfile::tempdir().unwrap();
    let lead = |report: Report, mode: Mode| {
        let request = EnforceRequest {
            folder: folder.path().to_owned(),
            mode,
            write: true,
            run_id: "r".to_owned(),
            clock: &SystemClock,
        };
        enforce(&report, &request)
    };
    let create = || Mode::CreateBaseline { replace: true };
    let stored = || {
        let files = std::fs::read_dir(folder.path()).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let mut read: Vec<Vec<u8>> = paths
            .map(|path| crosscheck_core::files::read_limited(&path, 1 << 20).unwrap())
            .collect();
        read.sort();
        read
    };
    assert!(lead(cut(), create()).is_err() && stored().is_empty());
    lead(checked(4, Policy::Strong, Mixed::default()), create()).unwrap();
    let before = stored();
    for mode in [Mode::Check, create()] {
        let error = lead(cut(), mode).unwrap_err();
        assert_eq!(error.reason().code, "ENFORCE_RUN_UNREAD");
    }
    assert_eq!(stored(), before);
}
