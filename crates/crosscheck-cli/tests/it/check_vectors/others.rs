//! The cases of the other commands.

use crosscheck_testkit::{Desk, Engine, Seen, Server};
use serde_json::{Value, json};

use super::facts::differences;
use super::{Store, check_words, pair, refusal, walk, words, write_inputs};
use crate::desk;

fn with_exit(wanted: &Value, seen: &Seen, rest: impl FnOnce() -> Vec<String>) -> Vec<String> {
    if wanted["exit"] != seen.code {
        vec![format!(
            "exit {} expected: {}",
            wanted["exit"],
            seen.summary()
        )]
    } else if wanted["exit"] == 3 {
        refusal(wanted, seen)
    } else {
        rest()
    }
}

fn wanted(case: &Value) -> &Value {
    case.get("expected").unwrap_or(&case["oracle"])
}

/// Messages are free.
fn without_messages(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "message");
            Value::Object(
                kept.map(|(name, value)| (name.clone(), without_messages(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(without_messages).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_registry_is_judged_as_the_contract_says() {
    walk(&["validate-registry"], 8, |case| {
        let desk = desk();
        write_inputs(&desk, case);
        let mut pairs = vec![pair("--registry", "registry.json")];
        if case["events"].is_string() {
            pairs.push(pair("--events", "events.ndjson"));
            pairs.push(pair("--workflow-id", case["workflow_id"].as_str().unwrap()));
        }
        let seen = desk.crosscheck(
            ["validate-registry".to_owned()]
                .into_iter()
                .chain(words(case, &pairs)),
        );
        let wanted = wanted(case);
        Some(with_exit(wanted, &seen, || {
            let document = without_messages(&serde_json::from_str(&seen.stdout).unwrap());
            let same = document == wanted["result"];
            let shown = || vec![format!("expected {}, got {document}", wanted["result"])];
            if same { Vec::new() } else { shown() }
        }))
    });
}

#[test]
fn every_pair_of_certificates_is_compared_as_the_contract_says() {
    walk(&["compare certificates"], 8, |case| {
        let desk = desk();
        desk.file("before.json", case["before"].to_string());
        desk.file("after.json", case["after"].to_string());
        let words = [
            "compare",
            "certificates",
            "--before",
            "before.json",
            "--after",
            "after.json",
        ];
        let seen = desk.crosscheck(words);
        let wanted = wanted(case);
        Some(with_exit(wanted, &seen, || {
            let document: Value = serde_json::from_str(&seen.stdout).unwrap();
            differences("diff", &wanted["diff"], &document)
        }))
    });
}

/// Writes the folder of a bundle case; the words that name its key.
fn bundle(desk: &Desk, case: &Value) -> Vec<String> {
    for (name, content) in case["files"].as_object().unwrap() {
        desk.file(&format!("bundle/{name}"), content.as_str().unwrap());
    }
    match case["public_key_pem"].as_str() {
        Some(pem) => {
            desk.file("key.pem", pem);
            pair("--public-key", "key.pem").to_vec()
        }
        None => Vec::new(),
    }
}

#[test]
fn every_decision_bundle_is_judged_as_the_contract_says() {
    walk(&["decision-bundle validate"], 9, |case| {
        let desk = desk();
        std::fs::create_dir(desk.path().join("bundle")).unwrap();
        let words = ["decision-bundle", "validate", "bundle"].map(str::to_owned);
        let seen = desk.crosscheck(words.into_iter().chain(bundle(&desk, case)));
        let wanted = wanted(case);
        Some(with_exit(wanted, &seen, || {
            let document: Value = serde_json::from_str(&seen.stdout).unwrap();
            let codes = |line: &Value| -> Vec<String> {
                let errors = line["errors"].as_array().unwrap().iter();
                errors
                    .map(|error| error["code"].as_str().unwrap().to_owned())
                    .collect()
            };
            let (expected, got) = (codes(&wanted["line"]), codes(&document));
            // on a bundle that is invalid anyway, more may be found
            let fits = if expected.is_empty() {
                got.is_empty()
            } else {
                expected.iter().all(|code| got.contains(code))
            };
            let shown = || vec![format!("expected {expected:?}: {document}")];
            if fits { Vec::new() } else { shown() }
        }))
    });
}

#[test]
fn every_signature_is_judged_as_the_contract_says() {
    walk(&["verify-bundle-signature"], 4, |case| {
        let desk = desk();
        let words = ["verify-bundle-signature", "--run-dir", "bundle"].map(str::to_owned);
        let seen = desk.crosscheck(words.into_iter().chain(bundle(&desk, case)));
        Some(with_exit(wanted(case), &seen, || {
            let silent = seen.stdout.is_empty() && seen.stderr.is_empty();
            if silent {
                Vec::new()
            } else {
                vec![seen.summary()]
            }
        }))
    });
}

fn mode(step: &Value, previous: &Value, baseline: &Value) -> Vec<String> {
    match step["mode"].as_str().unwrap() {
        "check" => return Vec::new(),
        "create-baseline" => return vec!["--create-baseline".to_owned()],
        _ => {}
    }
    let pins = match &step["pins"] {
        Value::String(_) => json!({
            "expected_projection_hash": previous["expected_projection_hash_for_accept"],
            "lifecycle_state_version": previous["lifecycle_state_version"],
        }),
        pins => pins.clone(),
    };
    let hash = match &pins["expected_projection_hash"] {
        named if *named == "baseline_hash" => baseline,
        hash => hash,
    };
    let values = [
        ("--expected-projection-hash", hash),
        (
            "--lifecycle-state-version",
            &pins["lifecycle_state_version"],
        ),
        ("--reason", &step["reason"]),
        ("--owner", &step["owner"]),
    ];
    let mut words = vec!["--accept-drift".to_owned()];
    for (flag, value) in values {
        if !value.is_null() {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            words.extend(pair(flag, &text));
        }
    }
    words
}

fn lifecycle(case: &Value, engine: &str, server: Option<&Server>) -> Option<Vec<String>> {
    let setup = case["setup_sql"].get(engine)?;
    let desk = desk();
    write_inputs(&desk, case);
    let store = Store::new(engine, server, setup, &desk);
    let (mut body, mut baseline, mut problems) = (Value::Null, Value::Null, Vec::new());
    for (number, step) in case["scenario"].as_array().unwrap().iter().enumerate() {
        store.run_all(&step["before_sql"]);
        let mut words = vec!["enforce".to_owned()];
        words.extend(check_words(case, &store));
        words.extend(pair("--state-dir", "state"));
        words.extend(mode(step, &body, &baseline));
        let extra = step["extra_args"].as_array().into_iter().flatten();
        words.extend(extra.map(|word| word.as_str().unwrap().to_owned()));
        let seen = desk.crosscheck(words);
        let expect = &step["expect"];
        let found = with_exit(expect, &seen, || {
            let document: Value = serde_json::from_str(&seen.stdout).unwrap();
            body = document["enforce"].clone();
            let mut fields = expect.as_object().unwrap().clone();
            for free in ["exit", "stdout_empty", "stderr_last_code"] {
                fields.remove(free);
            }
            let named = fields.get_mut("expected_projection_hash_for_accept");
            if let Some(hash) = named.filter(|hash| **hash == "baseline_hash") {
                *hash = baseline.clone();
            }
            differences("enforce", &fields.into(), &body)
        });
        problems.extend(
            found
                .into_iter()
                .map(|text| format!("run {}: {text}", number + 1)),
        );
        if step["mode"] == "create-baseline" && body.is_object() {
            baseline = body["actual_projection_hash"].clone();
        }
    }
    Some(problems)
}

#[test]
fn every_lifecycle_on_sqlite_goes_as_the_contract_says() {
    walk(&["enforce"], 6, |case| lifecycle(case, "sqlite", None));
}

#[test]
fn every_lifecycle_on_postgres_goes_as_the_contract_says() {
    let Some(server) = Server::named(Engine::Postgres) else {
        return;
    };
    walk(&["enforce"], 1, |case| {
        lifecycle(case, "postgres", Some(&server))
    });
}
