//! The seal, and what happens when a single byte changes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::Digest;
use crosscheck_trace::{Check, Input, TraceRequest, verify};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Run, failures, set, sha256};

const SEALED: &str = "valid-sealed-bm25";

fn change(run: &Run, name: &str, change: impl FnOnce(&mut Value)) {
    let path = run.path().join(name);
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string() + "\n").unwrap();
}

#[test]
fn the_manifest_is_compared_with_the_files() {
    let table: [(&str, fn(&mut Value)); 7] = [
        ("manifest_malformed", |manifest| *manifest = json!([])),
        ("manifest_malformed", |manifest| {
            manifest["plan.json"] = json!("short")
        }),
        ("manifest_path_unsafe", |manifest| {
            manifest["../x"] = json!("0".repeat(64))
        }),
        ("manifest_file_missing", |manifest| {
            manifest["absent"] = json!("0".repeat(64))
        }),
        ("manifest_file_missing", |manifest| {
            manifest["evidence"] = json!("0".repeat(64))
        }),
        ("manifest_hash_mismatch", |manifest| {
            manifest["spec.json"] = json!("0".repeat(64))
        }),
        ("manifest_incomplete", |manifest| {
            manifest.as_object_mut().unwrap().remove("plan.json");
        }),
    ];
    for (code, edit) in table {
        let run = Run::sealed(SEALED);
        change(&run, "manifest.json", edit);
        assert_eq!(
            failures(&run.verify()),
            set(&[&format!("sealed_artifacts:{code}")]),
            "{code}"
        );
    }
}

#[test]
fn the_plan_may_be_evidence_of_a_sealed_run() {
    let mut run = Run::of(SEALED);
    fs::remove_file(run.path().join("provenance/chunks.jsonl")).unwrap();
    run.write(); // the plan keeps its bytes from here on
    let plan = fs::read(run.path().join("plan.json")).unwrap();
    let at = run.nth("evidence_registered", 0);
    let mut twin = run.events[at].clone();
    twin["evidence"]["id"] = json!("the plan");
    twin["evidence"]["content_path"] = json!("plan.json");
    twin["evidence"]["sha256"] = json!(sha256(&plan));
    twin["evidence"]["span"] = json!([0, plan.len()]);
    run.events.insert(at + 1, twin);
    run.reseal_trace();
    assert_eq!(run.failures(), set(&[]));
    crosscheck_trace::seal(run.path()).unwrap();
    assert_eq!(failures(&run.verify()), set(&[]));
}

#[test]
fn run_meta_is_compared_with_trace_and_plan() {
    let table: [(&[&str], fn(&mut Value)); 10] = [
        (&["run_meta_malformed"], |meta| *meta = json!([])),
        (&["run_meta_version_unsupported"], |meta| {
            meta["schema_version"] = json!(3)
        }),
        (&["run_meta_version_unsupported"], |meta| {
            *meta = json!({"canonical_version": 2, "data": {}})
        }),
        (&["run_meta_mismatch"], |meta| {
            meta["trace_id"] = json!("other")
        }),
        (&["run_meta_mismatch"], |meta| {
            meta["plan_id"] = json!("other")
        }),
        (&["run_meta_mismatch"], |meta| meta["spec_id"] = json!(7)),
        (&["run_meta_mismatch"], |meta| {
            meta["trace_id"] = json!(null)
        }),
        (&["run_meta_mismatch"], |meta| meta["plan_id"] = json!(null)),
        (&["invariant_checksum_mismatch"], |meta| {
            meta["runtime_descriptor"] = json!(null)
        }),
        (&["invariant_checksum_mismatch"], |meta| {
            meta["invariant_checksum"] = json!("0".repeat(64))
        }),
    ];
    for (codes, edit) in table {
        let run = Run::sealed(SEALED);
        change(&run, "run_meta.json", edit);
        fs::remove_file(run.path().join("manifest.json")).unwrap();
        let expected: Vec<String> = codes
            .iter()
            .map(|code| format!("sealed_artifacts:{code}"))
            .collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let report = run.verify();
        assert_eq!(failures(&report), set(&expected));
        let invariant = if codes[0] == "invariant_checksum_mismatch" {
            "INV-DET-001"
        } else {
            "INV-ART-001"
        };
        assert_eq!(
            Check::SealedArtifacts.invariant(report.failures()[0].reason),
            invariant
        );
    }
}

#[test]
fn a_required_seal_must_exist() {
    let run = Run::of(SEALED);
    let request = TraceRequest {
        require_seal: true,
        ..TraceRequest::run_dir(run.path())
    };
    let report = verify(&request, &mut io::empty()).unwrap();
    assert_eq!(failures(&report), set(&["sealed_artifacts:seal_missing"]));
    assert_eq!(report.failures().len(), 2, "manifest and fingerprint");
    let run = Run::sealed(SEALED);
    let request = TraceRequest {
        require_seal: true,
        ..TraceRequest::run_dir(run.path())
    };
    assert!(verify(&request, &mut io::empty()).unwrap().is_accepted());
}

#[test]
fn the_hash_the_caller_trusts_decides_even_when_all_else_was_recomputed() {
    let run = Run::sealed(SEALED);
    let trusted = Digest::of(fs::read(run.path().join("trace.jsonl")).unwrap());
    let with = |expected| TraceRequest {
        expect_trace_sha256: Some(expected),
        ..TraceRequest::run_dir(run.path())
    };
    assert!(
        verify(&with(trusted), &mut io::empty())
            .unwrap()
            .is_accepted()
    );
    let report = verify(&with(Digest::of("other")), &mut io::empty()).unwrap();
    assert_eq!(
        failures(&report),
        set(&["sealed_artifacts:trace_sha256_unexpected"])
    );
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The checks of which at least one must fail when this file changes.
fn triggers(name: &str) -> &'static [Check] {
    if name.starts_with("evidence/") {
        return &[Check::EvidenceHashes];
    }
    match name {
        "trace.jsonl" | "plan.json" => &[
            Check::SealedArtifacts,
            Check::InputSchema,
            Check::CoreInvariants,
        ],
        _ => &[Check::SealedArtifacts],
    }
}

fn mutate(
    vector: &str,
    file: prop::sample::Index,
    at: prop::sample::Index,
    flip: u8,
) -> Result<(), TestCaseError> {
    let run = Run::sealed(vector);
    let files = files(run.path());
    let path = file.get(&files);
    let name = path
        .strip_prefix(run.path())
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let mut bytes = fs::read(path).unwrap();
    let position = at.index(bytes.len());
    let before: Option<Value> = serde_json::from_slice(&bytes).ok();
    bytes[position] ^= flip;
    // another blank in the manifest lists the same files
    if name == "manifest.json" && before == serde_json::from_slice(&bytes).ok() {
        return Ok(());
    }
    fs::write(path, &bytes).unwrap();
    let report = run.verify();
    prop_assert!(
        !report.is_accepted(),
        "{} byte {} ^ {}",
        name,
        position,
        flip
    );
    let hit = report
        .failures()
        .iter()
        .any(|failure| triggers(&name).contains(&failure.check));
    prop_assert!(
        hit,
        "{} byte {} ^ {}: {:?}",
        name,
        position,
        flip,
        failures(&report)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_changed_byte_anywhere_in_a_sealed_run_is_always_found(
        vector in prop::sample::select(&["valid-sealed-bm25", "valid-sealed-fake-runtime", "valid-floats-sealed"][..]),
        file in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        flip in 1_u8..=255,
    ) {
        mutate(vector, file, at, flip)?;
    }

    #[test]
    fn an_unsealed_trace_cut_anywhere_is_never_accepted(at in any::<prop::sample::Index>()) {
        let run = Run::of(SEALED);
        let path = run.path().join("trace.jsonl");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..at.index(bytes.len() - 1)]).unwrap();
        prop_assert!(!run.verify().is_accepted());
    }
}

#[test]
fn the_report_is_the_same_bytes_on_every_run() {
    let mut run = Run::of(SEALED);
    run.events.reverse();
    let text = |run: &Run| {
        let report = run.write().verify();
        serde_json::to_string(&crosscheck_trace::report::VerificationReportV1::from(
            &report,
        ))
        .unwrap()
    };
    let first = text(&run);
    for _ in 0..5 {
        assert_eq!(sha256(text(&run)), sha256(&first));
    }
}

#[test]
fn a_seal_is_that_of_the_trace_and_the_plan_that_were_verified() {
    let run = Run::sealed(SEALED);
    let files = |trace: &Path, plan: &Path| {
        let request = TraceRequest {
            artifacts: Some(run.path().to_owned()),
            require_seal: true,
            ..TraceRequest::of(Input::Files {
                trace: Some(trace.to_owned()),
                plan: plan.to_owned(),
            })
        };
        failures(&verify(&request, &mut io::empty()).unwrap())
    };
    let (trace, plan) = (run.path().join("trace.jsonl"), run.path().join("plan.json"));
    assert_eq!(files(&trace, &plan), set(&[]));

    let elsewhere = tempfile::tempdir().unwrap();
    let other_plan = elsewhere.path().join("plan.json");
    fs::write(&other_plan, fs::read_to_string(&plan).unwrap() + " ").unwrap();
    let mismatch = set(&["sealed_artifacts:manifest_hash_mismatch"]);
    assert_eq!(files(&trace, &other_plan), mismatch);

    let other_trace = elsewhere.path().join("trace.jsonl");
    fs::write(&other_trace, fs::read_to_string(&trace).unwrap() + "\n").unwrap();
    fs::remove_file(run.path().join("fingerprint.txt")).unwrap();
    let found = files(&other_trace, &plan);
    assert!(found.is_superset(&mismatch), "{found:?}");

    // the sealed file itself must still be there and whole
    let kept = elsewhere.path().join("kept.json");
    fs::copy(&plan, &kept).unwrap();
    fs::write(&plan, "{}").unwrap();
    assert!(files(&trace, &kept).is_superset(&mismatch));
}

#[test]
fn a_checksum_that_is_null_is_not_the_checksum() {
    let run = Run::sealed(SEALED);
    change(&run, "run_meta.json", |meta| {
        let holder = if meta.get("data").is_some() {
            &mut meta["data"]
        } else {
            meta
        };
        assert!(holder["invariant_checksum"].is_string());
        holder["invariant_checksum"] = Value::Null;
    });
    let bytes = fs::read(run.path().join("run_meta.json")).unwrap();
    change(&run, "manifest.json", |manifest| {
        let holder = if manifest.get("data").is_some() {
            &mut manifest["data"]
        } else {
            manifest
        };
        if holder.get("run_meta.json").is_some() {
            holder["run_meta.json"] = json!(sha256(&bytes));
        }
    });
    assert_eq!(
        failures(&run.verify()),
        set(&["sealed_artifacts:invariant_checksum_mismatch"])
    );
}
