//! Comparing and sealing runs.

use std::fs;

use crosscheck_trace::{TraceError, diff, seal};
use serde_json::json;

use crate::support::{Run, failures, sha256};

const BASE: &str = "valid-sealed-bm25";

#[test]
fn spelling_makes_no_difference_to_a_comparison() {
    let (a, b) = (Run::of(BASE), Run::of("valid-all-aliases"));
    let found = diff(a.path(), b.path()).unwrap();
    assert!(found.identical, "{}", found.human());
    assert_eq!(found.first_difference, None);
}

#[test]
fn a_comparison_names_the_first_event_that_differs() {
    let (a, mut b) = (Run::of(BASE), Run::of(BASE));
    b.first("claim_emitted")["claim"]["confidence"] = json!(0.123);
    b.write();
    let found = diff(a.path(), b.path()).unwrap();
    assert_eq!(
        found.first_difference,
        Some(b.nth("claim_emitted", 0) as u64)
    );
    assert!(!found.identical && found.header_fields.is_empty());
    assert_eq!(found.a.kinds, found.b.kinds);
    assert_eq!(found.a.kinds["claim_emitted"], 1);
    assert!(found.b.event.unwrap().get().contains("0.123"));
}

#[test]
fn a_trace_that_ends_early_differs_where_it_ends() {
    let (a, mut b) = (Run::of(BASE), Run::of(BASE));
    b.events.truncate(3);
    b.header["id"] = json!("other");
    b.write();
    let found = diff(a.path(), &b.path().join("trace.jsonl")).unwrap();
    assert_eq!((found.first_difference, found.b.events), (Some(3), 3));
    assert!(found.b.event.is_none() && found.b.kinds.is_empty() && found.a.event.is_some());
    assert_eq!(found.header_fields, ["id"]);
    assert!(found.human().contains("ended before"), "{}", found.human());
}

#[test]
fn runs_with_the_same_events_and_other_evidence_are_not_identical() {
    let (a, b) = (Run::of(BASE), Run::of(BASE));
    assert!(diff(a.path(), b.path()).unwrap().identical);
    let folder = b.path().join("evidence");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap();
    let mut bytes = fs::read(file.path()).unwrap();
    bytes[0] ^= 1;
    let change = |bytes: Option<&[u8]>| {
        match bytes {
            Some(bytes) => fs::write(file.path(), bytes).unwrap(),
            None => fs::remove_file(file.path()).unwrap(),
        }
        diff(a.path(), b.path()).unwrap()
    };
    for found in [change(Some(&bytes)), change(None)] {
        assert!(!found.identical && found.first_difference.is_none());
        let name = file.file_name().into_string().unwrap();
        assert_eq!(found.evidence_files, [format!("evidence/{name}")]);
        assert!(found.human().contains("the evidence differs"));
    }
}

#[test]
fn a_broken_trace_cannot_be_compared() {
    let (a, b) = (Run::of(BASE), Run::of(BASE));
    fs::write(b.path().join("trace.jsonl"), "{}\n").unwrap();
    assert!(matches!(
        diff(a.path(), b.path()),
        Err(TraceError::Broken { line: 1, .. })
    ));
}

#[test]
fn a_seal_covers_every_file_and_touches_none() {
    let run = Run::of(BASE);
    let trace = fs::read(run.path().join("trace.jsonl")).unwrap();
    let sealed = seal(run.path()).unwrap();
    assert_eq!(sealed.fingerprint.hex(), sha256(&trace));
    assert_eq!(fs::read(run.path().join("trace.jsonl")).unwrap(), trace);
    for name in [
        "trace.jsonl",
        "plan.json",
        "spec.json",
        "fingerprint.txt",
        "provenance/chunks.jsonl",
    ] {
        assert!(sealed.files.iter().any(|file| file == name), "{name}");
    }
    assert_eq!(
        sealed
            .files
            .iter()
            .filter(|file| file.starts_with("evidence/"))
            .count(),
        3
    );
    assert!(run.verify().is_accepted());
    let spec = run.path().join("spec.json");
    fs::write(&spec, fs::read_to_string(&spec).unwrap() + " ").unwrap();
    assert_eq!(
        failures(&run.verify()),
        crate::support::set(&["sealed_artifacts:manifest_hash_mismatch"])
    );
}

#[test]
fn sealing_that_was_interrupted_at_any_point_can_be_repeated() {
    let whole = Run::of(BASE);
    let expected = seal(whole.path()).unwrap();
    let written = ["fingerprint.txt", "manifest.json"];
    let bytes = written.map(|name| fs::read(whole.path().join(name)).unwrap());
    // both files are written whole or not at all, the manifest last
    for count in 0..written.len() {
        let run = Run::of(BASE);
        fs::write(run.path().join(".tmpA1b2C3"), "half a file").unwrap();
        for (name, bytes) in written.iter().zip(&bytes).take(count) {
            fs::write(run.path().join(name), bytes).unwrap();
        }
        let sealed = seal(run.path()).unwrap();
        assert_eq!(sealed.files, expected.files, "{count} files were written");
        for (name, bytes) in written.iter().zip(&bytes) {
            assert_eq!(fs::read(run.path().join(name)).unwrap(), *bytes, "{name}");
        }
    }
}

#[test]
fn sealing_removes_only_what_it_wrote_itself() {
    let run = Run::of(BASE);
    let fingerprint = run.path().join("fingerprint.txt");
    fs::write(&fingerprint, "0".repeat(64)).unwrap();
    let refused = seal(run.path());
    assert!(matches!(refused, Err(TraceError::Unsealable { .. })));
    assert_eq!(fs::read_to_string(&fingerprint).unwrap(), "0".repeat(64));
    assert!(!run.path().join("manifest.json").exists());
}

#[test]
fn a_seal_is_never_replaced_and_never_put_on_a_rejected_run() {
    let run = Run::sealed(BASE);
    fs::write(run.path().join("note.txt"), "mine").unwrap();
    let manifest = run.path().join("manifest.json");
    let sealed = fs::read_to_string(&manifest).unwrap();
    let note = format!(",\"note.txt\":\"{}\"}}", sha256(b"mine"));
    let sealed = sealed.replace('}', &note);
    fs::write(&manifest, &sealed).unwrap();
    assert!(run.verify().is_accepted());
    assert!(matches!(
        seal(run.path()),
        Err(TraceError::AlreadySealed { .. })
    ));
    assert_eq!(fs::read_to_string(&manifest).unwrap(), sealed);
    let mut run = Run::of(BASE);
    run.events.swap(0, 1);
    run.write();
    assert!(matches!(
        seal(run.path()),
        Err(TraceError::Unsealable { .. })
    ));
    assert!(!run.path().join("fingerprint.txt").exists());
    assert!(!run.path().join("manifest.json").exists());
}

#[test]
fn no_value_of_a_run_begins_a_line_of_ours() {
    let mut run = Run::of("valid-sealed-bm25");
    let forged = "x\naccepted: all 16 checks hold\r\n::warning::y";
    run.first("evidence_registered")["evidence"]["uri"] = json!(forged);
    run.first("tool_called")["call"]["tool_name"] = json!(forged);
    run.first("evidence_registered")["step_id"] = json!(forged);
    run.header["id"] = json!(forged);
    run.write();
    for line in run.verify().human().lines() {
        assert!(
            !line.starts_with("accepted") && !line.starts_with("::"),
            "{line}"
        );
    }
}
