//! The phases that read files of the artifacts directory (trace 5): evidence
//! and seal.

use crosscheck_core::digest::Digest;
use crosscheck_core::files::Root;

use crate::finding::Findings;
use crate::judge::{Collected, binding, evidence, seal};
use crate::observe::artifacts::{self, Artifact, MAX_DOCUMENT};
use crate::observe::{chunks, files};
use crate::read::header::Header;
use crate::read::manifest::Manifest;
use crate::read::plan::Plan;
use crate::request::{Input, TraceRequest};

const MAX_FINGERPRINT: u64 = 4096;

/// The files of a seal that name the hash of the trace file.
pub(super) struct Sealed {
    manifest: Artifact,
    fingerprint: Artifact,
}

impl Sealed {
    pub(super) fn read(root: Option<&Root>) -> Self {
        Self {
            manifest: artifacts::read(root, seal::MANIFEST, MAX_DOCUMENT),
            fingerprint: artifacts::read(root, seal::FINGERPRINT, MAX_FINGERPRINT),
        }
    }

    /// Whether anything will be compared with the hash of the trace file.
    pub(super) const fn needs_trace_hash(&self, request: &TraceRequest) -> bool {
        !matches!(
            (
                &self.manifest,
                &self.fingerprint,
                request.expect_trace_sha256
            ),
            (Artifact::Absent, Artifact::Absent, None)
        )
    }
}

/// The artifacts directory and the hashes that are known already.
pub(super) struct Artifacts<'r> {
    pub(super) request: &'r TraceRequest,
    pub(super) root: Option<&'r Root>,
    pub(super) sealed: Sealed,
    /// Hash of the trace file, if anything is compared with it.
    pub(super) trace: Option<Digest>,
    pub(super) plan: Option<Digest>,
}

impl Artifacts<'_> {
    /// Reads the files once and judges everything that depends on them.
    pub(super) fn judge(
        &self,
        header: &Header,
        plan: &Plan,
        mut collected: Collected,
        judged: &mut Findings,
    ) -> Collected {
        let read = |path, limit| artifacts::read(self.root, path, limit);
        collected.metrics.opaque_ids +=
            binding::judge(header, plan, &read("spec.json", MAX_DOCUMENT), judged);

        let required = self.request.require_seal;
        let manifest = seal::manifest(&self.sealed.manifest, required, judged);
        let mut jobs = evidence::jobs(&collected);
        let evidence_files = jobs.len();
        collected.metrics.evidence_files = evidence_files as u64;
        for path in manifest.iter().flat_map(Manifest::safe_paths) {
            let number = collected.files.add(path) as usize;
            if number == jobs.len() {
                jobs.push(files::FileJob::default());
            }
            if let Some(job) = jobs.get_mut(number) {
                job.known = self.known(path);
            }
        }
        let files = self
            .root
            .map(|root| files::look(root, &collected.files, &mut jobs))
            .unwrap_or_default();
        let seen = evidence::FilesSeen {
            jobs: &jobs,
            files: &files,
        };

        if self.root.is_some() {
            let wanted = || {
                let ids = collected.evidence.iter().map(|evidence| evidence.chunk_id);
                ids.collect()
            };
            let chunks = chunks::read(self.root, wanted);
            evidence::judge(&mut collected, seen, &chunks, judged);
        } else {
            evidence::unavailable(&collected, judged);
        }
        collected.metrics.evidence_bytes = files
            .iter()
            .take(evidence_files)
            .map(files::FileSeen::len)
            .sum();
        if let Some(manifest) = &manifest {
            let verified = [("trace.jsonl", self.trace), ("plan.json", self.plan)];
            seal::judge_manifest(manifest, &collected, seen, verified, judged);
        }
        seal::fingerprint(&self.sealed.fingerprint, self.trace, required, judged);
        seal::expected_hash(self.request.expect_trace_sha256, self.trace, judged);
        seal::run_meta(
            &read(seal::RUN_META, MAX_DOCUMENT),
            header,
            plan,
            &collected,
            judged,
        );
        collected
    }

    /// Trace and plan of a run directory were already read; the hash of that
    /// read counts, not that of a second read.
    fn known(&self, path: &str) -> Option<Digest> {
        let Input::RunDir(folder) = &self.request.input else {
            return None;
        };
        if self.request.artifacts.as_ref() != Some(folder) {
            return None;
        }
        match path {
            "trace.jsonl" => self.trace,
            "plan.json" => self.plan,
            _ => None,
        }
    }
}
