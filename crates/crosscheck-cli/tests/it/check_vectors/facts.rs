//! The machine-readable facts of a run, named as in the vectors.

use serde_json::{Map, Value, json};

const EVIDENCE: [&str; 7] = [
    "field",
    "expected",
    "actual",
    "rowCount",
    "matchedRowCount",
    "orphanRowCount",
    "sampleRows",
];

pub(super) fn sha256(text: &str) -> String {
    crosscheck::core::digest::Digest::of(text).hex()
}

fn each(items: &Value, fact: impl Fn(&Value) -> Value) -> Value {
    items.as_array().into_iter().flatten().map(fact).collect()
}

fn pick(document: &Value, names: &[&str]) -> Map<String, Value> {
    let found = names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), document.get(*name)?.clone())));
    found.collect()
}

fn codes(reasons: &Value) -> Value {
    each(reasons, |reason| reason["code"].clone())
}

/// Where the seen value differs; what the wanted one does not name is free.
pub(super) fn differences(place: &str, wanted: &Value, seen: &Value) -> Vec<String> {
    match (wanted, seen) {
        (Value::Object(wanted), Value::Object(seen)) => wanted
            .iter()
            .filter(|(name, _)| place != "result" || seen.contains_key(*name))
            .flat_map(|(name, value)| {
                let got = seen.get(name).unwrap_or(&Value::Null);
                differences(&format!("{place}.{name}"), value, got)
            })
            .collect(),
        (Value::Array(wanted), Value::Array(seen)) if wanted.len() == seen.len() => wanted
            .iter()
            .zip(seen)
            .enumerate()
            .flat_map(|(at, (wanted, seen))| differences(&format!("{place}[{at}]"), wanted, seen))
            .collect(),
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => Vec::new(),
        (Value::Null, _) if place == "certificate" => Vec::new(),
        _ if wanted == seen => Vec::new(),
        _ => vec![format!("{place}: expected {wanted}, got {seen}")],
    }
}

pub(super) fn certificate_facts(certificate: &Value) -> Value {
    let (evidence, spine) = (
        &certificate["evidenceCompleteness"],
        &certificate["failureSpine"],
    );
    let mut facts = pick(
        certificate,
        &[
            "schemaVersion",
            "workflowId",
            "runKind",
            "stateRelation",
            "highStakesReliance",
            "releaseCriticalVerdict",
            "steps",
        ],
    );
    let items = each(&evidence["remediationItems"], |item| {
        let mut facts = pick(
            item,
            &["id", "scope", "primary", "reasonCodes", "recommendedAction"],
        );
        facts.insert("automation".into(), item["automation"]["class"].clone());
        facts.into()
    });
    let named = [
        ("detailCodes", codes(&certificate["explanation"]["details"])),
        ("blockerCategory", evidence["blockerCategory"].clone()),
        (
            "witnessSupportLabel",
            evidence["witnessCoverage"]["supportLabel"].clone(),
        ),
        ("missingInputCodes", codes(&evidence["missingInputs"])),
        (
            "nextActionIds",
            each(&evidence["nextActions"], |action| action["id"].clone()),
        ),
        ("trustDecision", spine["trustDecision"].clone()),
        ("primaryCodes", spine["primaryCodes"].clone()),
        ("actionableFailure", spine["actionableFailure"].clone()),
        ("rerunReadiness", evidence["rerunReadiness"].clone()),
        ("rerunPathType", evidence["rerunPath"]["type"].clone()),
        ("remediation", items),
        (
            "correctnessEnforcementKind",
            certificate["correctnessDefinition"]["enforcementKind"].clone(),
        ),
    ];
    facts.extend(named.map(|(name, value)| (name.to_owned(), value)));
    facts.into()
}

pub(super) fn result_facts(result: &Value) -> Value {
    let steps = each(&result["steps"], |step| {
        let mut facts = pick(step, &["seq", "toolId", "status", "repeatObservationCount"]);
        let summary = &step["evidenceSummary"];
        facts.insert("reasonCodes".into(), codes(&step["reasons"]));
        facts.insert("evidence".into(), pick(summary, &EVIDENCE).into());
        let effects = each(
            &summary["effects"],
            |effect| json!({"id": effect["id"], "status": effect["status"], "reasonCodes": codes(&effect["reasons"])}),
        );
        facts.insert("effects".into(), effects);
        facts.into()
    });
    let sequence = &result["eventSequenceIntegrity"];
    json!({
        "workflowStatus": result["status"],
        "steps": steps,
        "runLevelCodes": codes(&result["runLevelReasons"]),
        "eventSequence": {"kind": sequence["kind"], "codes": codes(&sequence["reasons"])},
        "executionPathFindings": codes(&result["workflowTruthReport"]["executionPathFindings"]),
    })
}

/// What drift compares, made from the certificate once more.
pub(super) fn material_truth(certificate: &Value) -> String {
    let mut steps: Vec<Value> = certificate["steps"].as_array().unwrap().clone();
    for step in &mut steps {
        step.as_object_mut().unwrap().remove("releaseCritical");
    }
    let mut reasons: Vec<String> = certificate["explanation"]["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|detail| detail["code"].as_str().unwrap().to_owned())
        .collect();
    reasons.sort();
    reasons.dedup();
    let truth = json!({
        "schemaVersion": 2,
        "workflowId": certificate["workflowId"],
        "runKind": certificate["runKind"],
        "stateRelation": certificate["stateRelation"],
        "reasonCodes": reasons,
        "evidenceGapPrimary": certificate["evidenceCompleteness"]["blockerCategory"],
        "steps": steps,
        "checkpointVerdicts": [],
    });
    crosscheck::core::canonical::of(&truth).unwrap()
}
