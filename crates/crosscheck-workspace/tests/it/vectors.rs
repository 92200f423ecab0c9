//! `vectors/workspace/report-parse`: every case, and the failing one by name.

use std::fs::{self, File};
use std::path::Path;

use crosscheck_workspace::judge::Report;
use serde_json::{Value, json};

#[test]
fn every_report_parses_as_its_vector_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/workspace/report-parse");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case: Value =
            serde_json::from_reader(File::open(entry.unwrap().path()).unwrap()).unwrap();
        let Some(text) = case["report"].as_str() else {
            continue; // bytes that are not UTF-8 have their own unit test
        };
        let report = Report::read(text.as_bytes());
        let parsed = &report.parsed;
        let got = json!({
            "status": parsed.status, "summary": parsed.summary, "issueCount": parsed.issues.len(),
            "issues": parsed.issues, "confidence": parsed.confidence, "recommendedAction": parsed.recommended_action,
        });
        assert_eq!(got, case["expected"], "{}", case["id"]);
        let findings: Vec<Value> = report
            .guards
            .iter()
            .map(|finding| json!({"code": finding.code.code(), "effect": finding.effect}))
            .collect();
        assert_eq!(
            json!({"status": report.guarded_status(), "findings": findings}),
            case["guarded"],
            "{}",
            case["id"]
        );
        seen += 1;
    }
    assert!(seen >= 50, "only {seen} vectors found");
}
