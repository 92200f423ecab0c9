//! The machine-readable facts of a run, named as in the vectors.

use serde_json::{Map, Value, json};

pub(super) const RECONCILIATION: [&str; 4] = [
    "declared",
    "expected",
    "observed_database",
    "verification_verdict",
];

/// Puts the seen text where a vector leaves it open: there, null stands for
/// any text that is not empty.
pub(super) fn with_free_texts(expected: &Value, got: &Value, key: &str) -> Value {
    let free =
        RECONCILIATION.contains(&key) || key == "expectedOutcome" || key == "observedOutcome";
    match (expected, got) {
        (Value::Null, Value::String(text)) if free && !text.is_empty() => got.clone(),
        (Value::Object(members), Value::Object(_)) => members
            .iter()
            .map(|(name, value)| {
                let seen = got.get(name).unwrap_or(&Value::Null);
                (name.clone(), with_free_texts(value, seen, name))
            })
            .collect::<Map<String, Value>>()
            .into(),
        (Value::Array(items), Value::Array(seen)) if items.len() == seen.len() => items
            .iter()
            .zip(seen)
            .map(|(one, other)| with_free_texts(one, other, ""))
            .collect(),
        _ => expected.clone(),
    }
}

/// Equal as JSON documents: 1 and 1.0 are the same number.
pub(super) fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, value)| b.get(name).is_some_and(|other| same_value(value, other)))
        }
        _ => one == other,
    }
}

fn pick(document: &Value, names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), document.get(*name)?.clone())))
        .collect()
}

fn each(items: &Value, fact: impl Fn(&Value) -> Value) -> Value {
    items.as_array().into_iter().flatten().map(fact).collect()
}

pub(super) fn certificate_facts(certificate: &Value) -> Value {
    let mut facts = pick(
        certificate,
        &[
            "schemaVersion",
            "workflowId",
            "runKind",
            "stateRelation",
            "highStakesReliance",
            "releaseCriticalVerdict",
        ],
    );
    let details = &certificate["explanation"]["details"];
    facts.insert(
        "detailCodes".into(),
        each(details, |one| one["code"].clone()),
    );
    facts.insert(
        "steps".into(),
        each(&certificate["steps"], |step| {
            let names = [
                "seq",
                "releaseCritical",
                "expectedOutcome",
                "observedOutcome",
            ];
            pick(step, &names).into()
        }),
    );
    facts.insert(
        "evidenceCompleteness".into(),
        evidence_facts(&certificate["evidenceCompleteness"]),
    );
    let spine = [
        "trustDecision",
        "actionableFailure",
        "primaryCodes",
        "source",
    ];
    facts.insert(
        "failureSpine".into(),
        pick(&certificate["failureSpine"], &spine).into(),
    );
    let definition = match certificate.get("correctnessDefinition") {
        Some(definition) => pick(
            definition,
            &[
                "enforcementKind",
                "enforceableProjection",
                "remediationAlignment",
            ],
        )
        .into(),
        None => Value::Null,
    };
    facts.insert("correctnessDefinition".into(), definition);
    facts.into()
}

fn evidence_facts(evidence: &Value) -> Value {
    let mut facts = pick(
        evidence,
        &[
            "blockerCategory",
            "quickSignal",
            "verifiedClaims",
            "unverifiedClaims",
            "rerunReadiness",
        ],
    );
    facts.insert(
        "missingInputCodes".into(),
        each(&evidence["missingInputs"], |one| one["code"].clone()),
    );
    facts.insert(
        "nextActionIds".into(),
        each(&evidence["nextActions"], |one| one["id"].clone()),
    );
    if let Some(path) = evidence.get("rerunPath") {
        facts.insert(
            "rerunPath".into(),
            pick(path, &["type", "sameInputs"]).into(),
        );
    }
    if let Some(items) = evidence.get("remediationItems") {
        facts.insert("remediationItems".into(), each(items, remediation_facts));
    }
    facts.into()
}

fn remediation_facts(item: &Value) -> Value {
    let names = ["id", "scope", "primary", "reasonCodes", "recommendedAction"];
    let mut facts = pick(item, &names);
    for (name, value) in [
        ("projectionKind", &item["expectedState"]["projectionKind"]),
        ("automationClass", &item["automation"]["class"]),
        ("humanReviewRequired", &item["humanReview"]["required"]),
        ("rerunType", &item["rerunPath"]["type"]),
    ] {
        facts.insert(name.into(), value.clone());
    }
    facts.into()
}

pub(super) fn report_facts(report: &Value) -> Value {
    let list = |name: &str| report.get(name).cloned().unwrap_or_else(|| json!([]));
    json!({
        "verdict": report["verdict"],
        "ingest": report["ingest"],
        "ingestWarnings": list("ingestWarnings"),
        "runHeaderReasonCodes": list("runHeaderReasonCodes"),
        "units": each(&report["units"], unit_facts),
        "contractReplayPartialCoverage": report["productTruth"]["contractReplayPartialCoverage"],
    })
}

fn unit_facts(unit: &Value) -> Value {
    let mut facts = pick(
        unit,
        &[
            "unitId",
            "kind",
            "verdict",
            "confidence",
            "reasonCodes",
            "contractEligible",
            "verification",
            "reconciliation",
        ],
    );
    facts.extend(pick(&unit["sourceAction"], &["toolName", "actionIndex"]));
    facts.extend(pick(&unit["inference"], &["table", "alternates"]));
    facts.into()
}
