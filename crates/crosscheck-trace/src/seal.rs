//! Seals a run: a manifest of all its files and a fingerprint of its trace
//! (trace 13). The files of the run are never changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crosscheck_core::digest::Digest;
use crosscheck_core::files::{Root, write_atomic};

use crate::canonical;
use crate::error::TraceError;
use crate::judge::seal::{FINGERPRINT, MANIFEST};
use crate::observe::artifacts::is_there;
use crate::observe::files::{FileJob, FileSeen, Files, look};
use crate::observe::inputs::open_root;
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

/// Seals a run that is accepted and has no seal yet. The manifest, which lists
/// the fingerprint, is written last: an interrupted call can be repeated.
pub fn seal(folder: &Path) -> Result<Seal, TraceError> {
    let root = open_root(folder)?;
    let path = folder.join(MANIFEST);
    if is_there(&root, MANIFEST) {
        return Err(TraceError::AlreadySealed { path });
    }
    let request = TraceRequest {
        hash_trace: true,
        ..TraceRequest::run_dir(folder)
    };
    let fingerprint = accepted(&request)?;
    if !is_there(&root, FINGERPRINT) {
        write(&folder.join(FINGERPRINT), &format!("{fingerprint}\n"))?;
    }
    let manifest = manifest(folder, &root)?;
    write(&path, &text(&manifest))?;
    Ok(Seal {
        fingerprint,
        files: manifest.into_keys().collect(),
        manifest: path,
    })
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
