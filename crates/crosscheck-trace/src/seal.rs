//! Seals a run: a manifest of all its files and a fingerprint of its trace
//! (trace 13). The files of the run are never changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::Digest;
use crosscheck_core::files::{Root, write_atomic};

use crate::canonical;
use crate::error::TraceError;
use crate::judge::seal::{FINGERPRINT, MANIFEST};
use crate::observe::artifacts::{self, Artifact, MAX_DOCUMENT, is_there};
use crate::observe::files::{FileJob, FileSeen, Files, look};
use crate::read::event::Body;
use crate::reader::TraceFile;
use crate::request::TraceRequest;
use crate::run::verify;

/// Files beside trace, plan and evidence that are sealed if they exist.
const OPTIONAL: [&str; 8] = [
    "spec.json",
    "run_meta.json",
    "verify.json",
    "provenance/chunks.jsonl",
    "provenance/corpus.jsonl",
    "provenance/index/bm25_index.json",
    "provenance/retrieval_provenance.json",
    FINGERPRINT,
];

/// The content of a seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// Hash of the trace file.
    pub fingerprint: Digest,
    /// The files that are sealed.
    pub files: Vec<String>,
    /// The manifest file.
    pub manifest: PathBuf,
}

/// Seals a run that is accepted and has no seal yet. The fingerprint is
/// written first and the manifest, which lists it, last: whenever sealing is
/// interrupted, the same call completes it.
pub fn seal(folder: &Path) -> Result<Seal, TraceError> {
    let root = Root::new(folder).map_err(|source| TraceError::Open {
        what: "artifacts directory",
        source,
    })?;
    let [fingerprint_path, manifest_path] = [FINGERPRINT, MANIFEST].map(|name| folder.join(name));
    if is_there(&root, MANIFEST) {
        return same_seal(folder, &root, &manifest_path);
    }
    let has_fingerprint = is_there(&root, FINGERPRINT);
    let fingerprint = accepted(&TraceRequest {
        hash_trace: true,
        ..TraceRequest::run_dir(folder)
    })?;
    if !has_fingerprint {
        write(&fingerprint_path, &format!("{fingerprint}\n"))?;
    }
    let sealed = manifest(folder, &root).and_then(|manifest| {
        write(&manifest_path, &text(&manifest))?;
        accepted(&TraceRequest {
            expect_trace_sha256: Some(fingerprint),
            ..sealed_run(folder)
        })?;
        Ok(manifest)
    });
    match sealed {
        Ok(manifest) => Ok(Seal {
            fingerprint,
            files: manifest.into_keys().collect(),
            manifest: manifest_path,
        }),
        Err(error) => {
            // half a seal is worse than none; only files written here are removed
            let _ = fs::remove_file(manifest_path);
            if !has_fingerprint {
                let _ = fs::remove_file(fingerprint_path);
            }
            Err(error)
        }
    }
}

fn sealed_run(folder: &Path) -> TraceRequest {
    TraceRequest {
        require_seal: true,
        ..TraceRequest::run_dir(folder)
    }
}

/// The seal of a run that was sealed by this program and has not changed
/// since: sealing was interrupted after the last write, or is repeated.
fn same_seal(folder: &Path, root: &Root, path: &Path) -> Result<Seal, TraceError> {
    let other = || TraceError::AlreadySealed {
        path: path.to_owned(),
    };
    let fingerprint = accepted(&sealed_run(folder)).map_err(|_| other())?;
    let manifest = manifest(folder, root).map_err(|_| other())?;
    match artifacts::read(Some(root), MANIFEST, MAX_DOCUMENT) {
        Artifact::Bytes(bytes) if bytes == text(&manifest).as_bytes() => Ok(Seal {
            fingerprint,
            files: manifest.into_keys().collect(),
            manifest: path.to_owned(),
        }),
        _ => Err(other()),
    }
}

/// The hash of the trace of a run that is accepted.
fn accepted(request: &TraceRequest) -> Result<Digest, TraceError> {
    let report = verify(request, &mut io::empty())?;
    let first = || match report.failures().first() {
        Some(failure) => format!("{} ({})", failure.message, failure.reason.wire()),
        None => report.summary(),
    };
    match report.trace_sha256() {
        Some(digest) if report.is_accepted() => Ok(digest),
        _ => Err(TraceError::Unsealable { first: first() }),
    }
}

fn write(path: &Path, content: &str) -> Result<(), TraceError> {
    write_atomic(path, content.as_bytes()).map_err(TraceError::Write)
}

fn manifest(folder: &Path, root: &Root) -> Result<BTreeMap<String, Digest>, TraceError> {
    let mut paths: BTreeSet<String> = evidence_paths(folder)?;
    paths.extend(["trace.jsonl", "plan.json"].map(str::to_owned));
    paths.extend(
        OPTIONAL
            .iter()
            .filter(|path| is_there(root, path))
            .map(|path| (*path).to_owned()),
    );
    let mut files = Files::default();
    for path in &paths {
        files.add(path);
    }
    let mut jobs = vec![FileJob::default(); paths.len()];
    let seen = look(root, &files, &mut jobs);
    paths
        .into_iter()
        .zip(seen)
        .map(|(path, seen)| match seen {
            FileSeen::Read { digest, .. } => Ok((path, digest)),
            FileSeen::Refused(refusal) => Err(TraceError::Unsealable {
                first: format!("`{path}`: {}", refusal.why()),
            }),
        })
        .collect()
}

fn evidence_paths(folder: &Path) -> Result<BTreeSet<String>, TraceError> {
    let mut trace = TraceFile::open(folder)?;
    trace.header()?;
    let mut paths = BTreeSet::new();
    while let Some((_, event)) = trace.next()? {
        if let Ok(event) = event
            && let Body::Registered(evidence) = &event.body
        {
            paths.insert(evidence.content_path.to_owned());
        }
    }
    Ok(paths)
}

fn text(manifest: &BTreeMap<String, Digest>) -> String {
    let mut out = String::from("{");
    for (path, digest) in manifest {
        if out.len() > 1 {
            out.push(',');
        }
        canonical::write_str(&mut out, path);
        out.push(':');
        canonical::write_str(&mut out, &digest.hex());
    }
    out.push_str("}\n");
    out
}
