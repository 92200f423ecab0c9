//! The contract cases.

use std::collections::HashMap;

use crosscheck_judge::{Answer, Builtin, EvidenceKind, Question, Text};
use serde_json::Value;

fn asked(case: &Value) -> Answer {
    let text = |key: &str| case[key].as_str();
    let snippet = Text::new(text("snippet").unwrap_or_default());
    Builtin::answer(&Question {
        kind: match text("kind") {
            Some("web") => EvidenceKind::Web,
            _ => EvidenceKind::File,
        },
        header: text("header"),
        ..Question::new(text("claim").unwrap_or_default(), &snippet)
    })
}

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
}

#[test]
fn every_case_is_answered_as_stated() {
    let first = include_str!("../../../../vectors/claims/judge-cases.ndjson");
    let second = include_str!("../../../../vectors/claims/judge-cases-2.ndjson");
    assert_eq!(lines(first).chain(lines(second)).count(), 40 + 103);
    for case in lines(first).chain(lines(second)) {
        let answer = asked(&case);
        let verdict = serde_json::to_value(answer.verdict).unwrap();
        assert_eq!(verdict, case["verdict"], "{case}\n{answer:?}");
    }
}

#[test]
fn every_case_is_answered_for_the_stated_reasons() {
    let cases = include_str!("../../../../vectors/claims/judge-cases-2.ndjson");
    let reasons = include_str!("../../../../vectors/claims/judge-cases-2-reasons.ndjson");
    let reasons: HashMap<String, Value> = lines(reasons)
        .map(|line| (line["id"].to_string(), line))
        .collect();
    for case in lines(cases) {
        let answer = asked(&case);
        let expected = &reasons[&case["id"].to_string()];
        assert_eq!(
            serde_json::json!(answer.reasons),
            expected["reasons"],
            "{case}"
        );
        // Missing words are named only where the text does not decide.
        if case["verdict"] == "unclear" {
            assert_eq!(
                serde_json::json!(answer.missing),
                expected["missing"],
                "{case}"
            );
        } else {
            assert_eq!(answer.missing, [""; 0], "{case}");
        }
    }
}
