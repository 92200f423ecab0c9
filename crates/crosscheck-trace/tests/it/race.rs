//! Evidence whose path changes during the check. The bytes outside are the
//! registered ones, so a single read of them would be accepted; the bytes
//! inside never match.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::support::Run;

const ROUNDS: usize = 150;

/// Stops the swapping, also when an assertion fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Verifies repeatedly while `swap` runs in a loop; returns the codes of the
/// evidence.
fn verify_while(run: &Run, swap: impl Fn() + Sync) -> Vec<String> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let _end = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                swap();
            }
        });
        let mut seen = Vec::new();
        for _ in 0..ROUNDS {
            let report = run.verify();
            assert!(!report.is_accepted(), "bytes from outside were read");
            seen.extend(
                report
                    .failures()
                    .iter()
                    .filter(|failure| failure.check.name() == "evidence_hashes")
                    .map(|failure| failure.reason.wire()),
            );
        }
        seen
    })
}

fn assert_only_refusals(seen: &[String]) {
    let known = [
        "evidence_hash_mismatch",
        "evidence_path_escape",
        "evidence_missing",
    ];
    for code in seen {
        assert!(known.contains(&code.as_str()), "{code}");
    }
    assert!(seen.len() >= ROUNDS, "each round has something to say");
}

/// Replaces `path` with `made` in one step.
fn replace(path: &Path, made: &Path) {
    fs::rename(made, path).unwrap();
}

#[test]
fn a_file_that_is_swapped_for_a_link_never_lets_bytes_from_outside_pass() {
    let mut run = Run::of("valid-sealed-bm25");
    assert!(run.verify().is_accepted());
    let evidence = run.first("evidence_registered")["evidence"]["content_path"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = run.path().join(evidence);
    let outside = tempfile::tempdir().unwrap();
    let fitting = outside.path().join("bytes");
    fs::rename(&path, &fitting).unwrap();
    fs::write(&path, "something else").unwrap();

    let spare = run.path().join("spare");
    let seen = verify_while(&run, || {
        symlink(&fitting, &spare).unwrap();
        replace(&path, &spare);
        fs::write(&spare, "something else").unwrap();
        replace(&path, &spare);
    });

    assert_only_refusals(&seen);
}

#[test]
fn a_folder_that_is_swapped_for_a_link_never_lets_bytes_from_outside_pass() {
    let run = Run::of("valid-sealed-bm25");
    let folder = run.path().join("evidence");
    let outside = tempfile::tempdir().unwrap();
    let fitting = outside.path().join("evidence");
    crate::support::copy(&folder, &fitting);
    for entry in fs::read_dir(&folder).unwrap() {
        fs::write(entry.unwrap().path(), "something else").unwrap();
    }

    let (aside, link) = (run.path().join("aside"), run.path().join("link"));
    let seen = verify_while(&run, || {
        symlink(&fitting, &link).unwrap();
        fs::rename(&folder, &aside).unwrap();
        replace(&folder, &link);
        fs::remove_file(&folder).unwrap();
        replace(&folder, &aside);
    });

    assert_only_refusals(&seen);
}

#[test]
fn a_file_that_grows_and_shrinks_is_judged_by_what_was_read() {
    let mut run = Run::of("valid-sealed-bm25");
    let evidence = run.first("evidence_registered")["evidence"]["content_path"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = run.path().join(evidence);
    let fitting = fs::read(&path).unwrap();
    let longer = [fitting.as_slice(), b" and more"].concat();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let _end = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for content in [&longer[..], &fitting, b""] {
                    fs::write(&path, content).unwrap();
                }
            }
        });
        for _ in 0..ROUNDS {
            let report = run.verify();
            let bytes = report.failures().iter().filter(|failure| {
                !["evidence_hashes", "support_spans"].contains(&failure.check.name())
            });
            assert_eq!(bytes.count(), 0, "nothing else is touched by it");
        }
    });
}
