//! Evidence access: no way out, no waiting.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use crosscheck_trace::{Input, TraceRequest, verify};
use serde_json::{Value, json};

use crate::support::{Run, failures, set, sha256};

/// Makes a named pipe.
pub(crate) fn fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo")
        .arg(path)
        .status()
        .unwrap();
    assert!(made.success());
}

fn evidence_path(run: &mut Run) -> std::path::PathBuf {
    let path = run.first("evidence_registered")["evidence"]["content_path"]
        .as_str()
        .unwrap()
        .to_owned();
    run.path().join(path)
}

#[test]
fn a_link_that_stays_inside_is_followed() {
    let mut run = Run::of("valid-sealed-bm25");
    let path = evidence_path(&mut run);
    let store = run.path().join("store");
    fs::create_dir(&store).unwrap();
    fs::rename(&path, store.join("bytes")).unwrap();
    symlink("../store/bytes", &path).unwrap();
    assert_eq!(run.failures(), set(&[]));
    fs::remove_file(&path).unwrap();
    symlink(store.join("bytes"), &path).unwrap();
    assert_eq!(
        run.failures(),
        set(&[]),
        "an absolute link may lead inside, too"
    );
}

#[test]
fn every_path_out_of_the_directory_is_an_escape() {
    let outside = tempfile::tempdir().unwrap();
    let setups: [(&str, fn(&Path, &Path)); 4] = [
        ("a link to a file", |path, outside| {
            fs::rename(path, outside.join("spare")).unwrap();
            symlink(outside.join("spare"), path).unwrap();
        }),
        ("a link to a folder", |path, outside| {
            fs::remove_file(path).unwrap();
            symlink(outside, path).unwrap();
        }),
        ("a link to a device", |path, _| {
            fs::remove_file(path).unwrap();
            symlink("/dev/zero", path).unwrap();
        }),
        ("a linked parent folder", |path, outside| {
            let folder = path.parent().unwrap();
            fs::rename(folder, outside.join("moved")).unwrap();
            symlink(outside.join("moved"), folder).unwrap();
        }),
    ];
    for (name, set_up) in setups {
        let mut run = Run::of("valid-sealed-bm25");
        let path = evidence_path(&mut run);
        set_up(&path, outside.path());
        let expected = set(&[
            "evidence_hashes:evidence_path_escape",
            "support_spans:evidence_bytes_missing",
        ]);
        assert!(
            run.failures()
                .is_superset(&set(&["evidence_hashes:evidence_path_escape"])),
            "{name}"
        );
        assert!(run.failures().is_subset(&expected), "{name}");
        let _ = fs::remove_dir_all(outside.path().join("moved"));
        let _ = fs::remove_file(outside.path().join("spare"));
    }
}

#[test]
fn pipes_folders_and_sockets_are_refused_without_waiting() {
    let setups: [fn(&Path); 3] = [
        fifo,
        |path| fs::create_dir(path).unwrap(),
        |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    ];
    for set_up in setups {
        let mut run = Run::of("valid-sealed-bm25");
        let path = evidence_path(&mut run);
        fs::remove_file(&path).unwrap();
        set_up(&path);
        assert!(
            run.failures()
                .contains("evidence_hashes:evidence_not_regular_file")
        );
    }
}

#[test]
fn pipes_in_place_of_seal_files_fail_the_seal_without_waiting() {
    for (name, code) in [
        ("manifest.json", "sealed_artifacts:manifest_malformed"),
        ("fingerprint.txt", "sealed_artifacts:fingerprint_mismatch"),
        ("run_meta.json", "sealed_artifacts:run_meta_malformed"),
        ("spec.json", "run_binding:spec_malformed"),
        (
            "provenance/chunks.jsonl",
            "support_spans:chunk_manifest_malformed",
        ),
    ] {
        let run = Run::of("valid-sealed-bm25");
        let path = run.path().join(name);
        let _ = fs::remove_file(&path);
        fifo(&path);
        assert_eq!(run.failures(), set(&[code]), "{name}");
        fs::remove_file(&path).unwrap();
        symlink("nowhere", &path).unwrap();
        assert_eq!(run.failures(), set(&[code]), "{name} as a link to nowhere");
    }
}

#[test]
fn a_pipe_in_place_of_trace_or_plan_cannot_be_run() {
    for name in ["trace.jsonl", "plan.json"] {
        let run = Run::of("valid-sealed-bm25");
        fs::remove_file(run.path().join(name)).unwrap();
        fifo(&run.path().join(name));
        assert!(
            verify(&TraceRequest::run_dir(run.path()), &mut io::empty()).is_err(),
            "{name}"
        );
    }
}

#[test]
fn dangling_links_and_loops_are_missing_evidence() {
    for target in ["nowhere", "."] {
        let mut run = Run::of("valid-sealed-bm25");
        let path = evidence_path(&mut run);
        let target = if target == "." {
            path.clone()
        } else {
            target.into()
        };
        fs::remove_file(&path).unwrap();
        symlink(target, &path).unwrap();
        assert!(run.failures().contains("evidence_hashes:evidence_missing"));
    }
}

#[test]
fn two_evidence_ids_may_share_one_file() {
    let mut run = Run::of("valid-sealed-bm25");
    fs::remove_file(run.path().join("provenance/chunks.jsonl")).unwrap();
    let at = run.nth("evidence_registered", 0);
    let mut twin = run.events[at].clone();
    twin["evidence"]["uri"] = json!("corpus://twin");
    run.events.insert(at + 1, twin);
    run.events[at + 1]["evidence"]["id"] = json!("twin");
    run.reseal();
    assert_eq!(run.failures(), set(&[]));
    let report = run.verify();
    let document = serde_json::to_value(crosscheck_trace::report::VerificationReportV1::from(
        &report,
    ))
    .unwrap();
    let plain = Run::of("valid-sealed-bm25");
    let other = serde_json::to_value(crosscheck_trace::report::VerificationReportV1::from(
        &plain.write().verify(),
    ))
    .unwrap();
    let bytes = |value: &Value| value["summary_metrics"]["evidence_bytes"].clone();
    assert_eq!(
        bytes(&document),
        bytes(&other),
        "the shared file is read once"
    );
}

#[test]
fn without_a_directory_checks_that_need_one_fail() {
    let run = Run::of("valid-sealed-bm25");
    let request = TraceRequest::of(Input::Files {
        trace: Some(run.path().join("trace.jsonl")),
        plan: run.path().join("plan.json"),
    });
    let report = verify(&request, &mut io::empty()).unwrap();
    let expected = set(&[
        "evidence_hashes:artifacts_unavailable",
        "support_spans:artifacts_unavailable",
    ]);
    assert_eq!(failures(&report), expected);

    let run = Run::of("valid-insufficient-no-retrieval");
    let request = TraceRequest::of(Input::Files {
        trace: Some(run.path().join("trace.jsonl")),
        plan: run.path().join("plan.json"),
    });
    assert!(
        verify(&request, &mut io::empty()).unwrap().is_accepted(),
        "nothing to look at"
    );
}

#[test]
fn the_trace_can_come_as_a_stream() {
    let run = Run::of("valid-sealed-bm25");
    let bytes = fs::read(run.path().join("trace.jsonl")).unwrap();
    let request = TraceRequest {
        artifacts: Some(run.path().to_owned()),
        hash_trace: true,
        ..TraceRequest::of(Input::Files {
            trace: None,
            plan: run.path().join("plan.json"),
        })
    };
    let report = verify(&request, &mut bytes.as_slice()).unwrap();
    assert!(report.is_accepted());
    assert_eq!(report.trace_sha256().unwrap().hex(), sha256(&bytes));
}

#[test]
fn evidence_beyond_the_stated_size_is_refused_at_once() {
    let mut run = Run::of("valid-sealed-bm25");
    let path = run.first("evidence_registered")["evidence"]["content_path"].clone();
    let path = run.path().join(path.as_str().unwrap());
    // sparse: two terabytes that take no space
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    if file.set_len(2 << 40).is_err() {
        return; // this file system has no such files
    }
    let found = failures(&run.verify());
    assert!(
        found.contains("evidence_hashes:evidence_missing"),
        "{found:?}"
    );
    assert!(
        found.contains("support_spans:evidence_bytes_missing"),
        "{found:?}"
    );
}
