//! Every contract case: exact sets of failing checks, codes and invariants.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use crosscheck_core::Verdict;
use crosscheck_trace::{Check, Input, TraceReport, TraceRequest, verify};
use serde_json::Value;

use crate::support::{copy, vectors};

fn set_up(run: &Path, outside: &Path, steps: &Value) {
    for step in steps.as_array().into_iter().flatten() {
        let path = run.join(step["path"].as_str().unwrap());
        let spare = outside.join("spare");
        if step["op"] == "symlink_outside" {
            fs::copy(&path, &spare).unwrap();
        }
        let _ = fs::remove_file(&path);
        match step["op"].as_str().unwrap() {
            "symlink" => symlink(step["target"].as_str().unwrap(), &path).unwrap(),
            "symlink_outside" => symlink(&spare, &path).unwrap(),
            "mkdir" => fs::create_dir(&path).unwrap(),
            "fifo" => crate::access::fifo(&path),
            other => panic!("unknown setup {other}"),
        }
    }
}

fn names<T: ToString>(
    report: &TraceReport,
    name: impl Fn(&crosscheck_trace::Failure) -> T,
) -> BTreeSet<String> {
    report
        .failures()
        .iter()
        .map(|failure| name(failure).to_string())
        .collect()
}

fn expected(case: &Value, key: &str) -> BTreeSet<String> {
    let all = case["expected"][key].as_array().unwrap();
    all.iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_vector_has_exactly_the_expected_failures() {
    let mut count = 0;
    for entry in fs::read_dir(vectors()).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(case) = fs::read_to_string(folder.join("case.json")) else {
            continue;
        };
        let case: Value = serde_json::from_str(&case).unwrap();
        let name = case["case"].as_str().unwrap();
        let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let run = home.path().join("run");
        copy(&folder, &run);
        fs::remove_file(run.join("case.json")).unwrap();
        set_up(&run, outside.path(), &case["setup"]);
        let request = if case["inputs"]["artifacts"].is_null() {
            TraceRequest::of(Input::Files {
                trace: Some(run.join("trace.jsonl")),
                plan: run.join("plan.json"),
            })
        } else {
            TraceRequest::run_dir(&run)
        };

        let report = verify(&request, &mut io::empty()).unwrap();

        let verdict = match case["expected"]["verdict"].as_str().unwrap() {
            "accepted" => Verdict::Confirmed,
            _ => Verdict::Refuted,
        };
        assert_eq!(report.verdict(), verdict, "{name}: {:?}", report.failures());
        let checks = names(&report, |failure| failure.check.name());
        assert_eq!(checks, expected(&case, "failing_checks"), "{name}");
        let codes = names(&report, |failure| failure.reason.wire());
        assert_eq!(codes, expected(&case, "codes"), "{name}");
        let invariants = names(&report, |failure| {
            Check::invariant(failure.check, failure.reason)
        });
        assert_eq!(invariants, expected(&case, "invariant_ids"), "{name}");
        count += 1;
    }
    assert!(count >= 106, "{count} cases");
}
