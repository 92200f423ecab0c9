//! Checks `evidence_hashes` (trace 6.13) and `support_spans` (trace 6.14): the
//! evidence files are the registered ones, and contain the cited bytes.

use crosscheck_core::digest::Digest;

use super::{Collected, EvidenceRecord, SupportRecord};
use crate::check::Check::{EvidenceHashes, SupportSpans};
use crate::finding::{Findings, Spot};
use crate::observe::artifacts::Refusal;
use crate::observe::chunks::{self, CHUNKS, ChunkRow, Chunks};
use crate::observe::files::{FileJob, FileSeen, Span};
use crate::reasons::TraceReason;

/// What to hash of each evidence file, by its number.
pub(crate) fn jobs(collected: &Collected) -> Vec<FileJob> {
    let evidence = FileJob {
        is_evidence: true,
        ..FileJob::default()
    };
    let mut jobs = vec![evidence; collected.files.paths().len()];
    for support in &collected.supports {
        if let Some(job) = latest(collected, support)
            .and_then(|(_, evidence)| jobs.get_mut(evidence.file as usize))
        {
            job.spans.push(Span {
                range: support.span,
                digest: None,
            });
        }
    }
    for job in &mut jobs {
        job.spans
            .sort_unstable_by_key(|span| Span::order(span.range));
        job.spans.dedup_by_key(|span| span.range);
    }
    jobs
}

/// The evidence that a support cites, and its number.
fn latest<'h>(
    collected: &'h Collected,
    support: &SupportRecord,
) -> Option<(u32, &'h EvidenceRecord)> {
    let number = *collected.latest.get(&support.evidence)?;
    Some((number, collected.evidence.get(number as usize)?))
}

/// Without a directory nothing can be checked.
pub(crate) fn unavailable(collected: &Collected, findings: &mut Findings) {
    if collected.evidence.is_empty() && collected.supports.is_empty() {
        return;
    }
    for check in [EvidenceHashes, SupportSpans] {
        findings.add(check, TraceReason::ArtifactsUnavailable, Spot::End).says(format!(
                "{} evidence files and {} citations cannot be checked without an artifacts directory",
                collected.evidence.len(),
                collected.supports.len()
            ));
    }
}

/// The result of reading each file, by its number.
#[derive(Clone, Copy)]
pub(crate) struct FilesSeen<'s> {
    pub(crate) jobs: &'s [FileJob],
    pub(crate) files: &'s [FileSeen],
}

impl<'s> FilesSeen<'s> {
    pub(crate) fn get(self, file: u32) -> Option<(&'s FileJob, &'s FileSeen)> {
        self.jobs
            .get(file as usize)
            .zip(self.files.get(file as usize))
    }
}

/// Judges all evidence and all citations.
pub(crate) fn judge(
    collected: &mut Collected,
    seen: FilesSeen<'_>,
    chunks: &Chunks,
    findings: &mut Findings,
) {
    if let Chunks::Malformed { line, why } = chunks {
        let spot = Spot::File {
            path: CHUNKS,
            line: *line,
        };
        findings
            .add(SupportSpans, TraceReason::ChunkManifestMalformed, spot)
            .says(format!("the chunk manifest cannot be read: {why}"));
    }
    for (evidence, id) in collected.evidence.iter().zip(collected.evidence_ids.iter()) {
        let file = seen.get(evidence.file).map(|(_, file)| file);
        let path = collected.files.path(evidence.file);
        let digest = registered(evidence, (id, path), file, findings);
        chunk(evidence, id, digest, chunks, findings);
    }
    let mut verified = 0;
    for support in &collected.supports {
        let evidence = latest(collected, support);
        match cited(support, evidence.map(|(_, evidence)| evidence), seen) {
            Ok(()) => verified += 1,
            Err(broken) => report(&broken, support, evidence, collected, findings),
        }
    }
    collected.metrics.supports_verified = verified;
}

/// Judges one registration; returns the hash of the file if it was read.
fn registered(
    evidence: &EvidenceRecord,
    (id, path): (&str, &str),
    file: Option<&FileSeen>,
    findings: &mut Findings,
) -> Option<Digest> {
    let spot = Spot::Event {
        line: evidence.line,
        idx: evidence.idx,
        step: "",
    };
    let mut fail = |check, reason, expected: Option<String>, found: Option<String>| {
        findings
            .add(check, reason, spot)
            .refers_to(id)
            .path(path)
            .with(|failure| {
                failure.expected = expected;
                failure.found = found;
            });
    };
    match file {
        None => {
            fail(EvidenceHashes, TraceReason::EvidenceMissing, None, None);
            None
        }
        Some(FileSeen::Refused(refusal)) => {
            let reason = match refusal {
                Refusal::Missing(_) => TraceReason::EvidenceMissing,
                Refusal::Escape => TraceReason::EvidencePathEscape,
                Refusal::NotRegular => TraceReason::EvidenceNotRegularFile,
            };
            fail(EvidenceHashes, reason, None, Some(refusal.why().to_owned()));
            None
        }
        Some(FileSeen::Read { digest, len, .. }) => {
            if *digest.bytes() != evidence.sha256 {
                let expected = Some(hex(evidence.sha256));
                fail(
                    EvidenceHashes,
                    TraceReason::EvidenceHashMismatch,
                    expected,
                    Some(digest.hex()),
                );
            }
            if frame(evidence.span, *len).is_none() {
                let (start, end) = evidence.span;
                let expected = Some(format!("{} bytes, or at least {end}", end - start));
                let found = Some(format!("{len} bytes"));
                fail(
                    SupportSpans,
                    TraceReason::EvidenceSpanOutOfBounds,
                    expected,
                    found,
                );
            }
            Some(*digest)
        }
    }
}

/// The bytes of a file that may be cited: all of it if the file is the
/// excerpt, the registered span if the file is the whole document.
pub(crate) fn frame((start, end): (u64, u64), len: u64) -> Option<(u64, u64)> {
    if len == end - start {
        Some((0, len))
    } else if end <= len {
        Some((start, end))
    } else {
        None
    }
}

fn chunk(
    evidence: &EvidenceRecord,
    id: &str,
    digest: Option<Digest>,
    manifest: &Chunks,
    findings: &mut Findings,
) {
    let Chunks::Rows(rows) = manifest else {
        return;
    };
    let rows = rows.get(&evidence.chunk_id).map_or(&[][..], Vec::as_slice);
    let here = chunks::at(rows, evidence.span);
    let differs = |row: &ChunkRow| match (row.sha256, digest) {
        (Some(named), Some(seen)) => named != *seen.bytes(),
        _ => false,
    };
    let reason = if rows.is_empty() {
        TraceReason::ChunkUnknown
    } else if here.is_empty() {
        TraceReason::ChunkSpanMismatch
    } else if here.iter().any(differs) {
        TraceReason::ChunkHashMismatch
    } else {
        return;
    };
    let spot = Spot::Event {
        line: evidence.line,
        idx: evidence.idx,
        step: "",
    };
    findings
        .add(SupportSpans, reason, spot)
        .refers_to(id)
        .path(CHUNKS);
}

/// Why a citation does not hold.
struct Broken {
    reason: TraceReason,
    expected: Option<String>,
    found: Option<String>,
}

/// Judges one citation; the first error counts.
fn cited(
    support: &SupportRecord,
    evidence: Option<&EvidenceRecord>,
    seen: FilesSeen<'_>,
) -> Result<(), Broken> {
    let broken = |reason, expected: Option<String>, found: Option<String>| {
        Err(Broken {
            reason,
            expected,
            found,
        })
    };
    let file = evidence.and_then(|evidence| Some((evidence, seen.get(evidence.file)?)));
    let Some((evidence, (job, FileSeen::Read { len, .. }))) = file else {
        return broken(TraceReason::EvidenceBytesMissing, None, None);
    };
    let (start, end) = support.span;
    let found = || Some(format!("{start}-{end}"));
    if end > *len {
        return broken(
            TraceReason::SpanOutOfBounds,
            Some(format!("an end of at most {len}")),
            found(),
        );
    }
    if let Some((from, to)) = frame(evidence.span, *len)
        && (start < from || end > to)
    {
        return broken(
            TraceReason::SpanOutsideEvidenceSpan,
            Some(format!("inside {from}-{to}")),
            found(),
        );
    }
    let digest = job
        .spans
        .binary_search_by_key(&Span::order(support.span), |span| Span::order(span.range))
        .ok()
        .and_then(|at| job.spans.get(at)?.digest);
    match digest {
        Some(digest) if *digest.bytes() == support.hash => Ok(()),
        other => broken(
            TraceReason::SnippetHashMismatch,
            Some(hex(support.hash)),
            other.map(|digest| digest.hex()),
        ),
    }
}

fn report(
    broken: &Broken,
    support: &SupportRecord,
    evidence: Option<(u32, &EvidenceRecord)>,
    collected: &Collected,
    findings: &mut Findings,
) {
    let spot = Spot::Event {
        line: support.line,
        idx: support.idx,
        step: "",
    };
    let mut noted = findings
        .add(SupportSpans, broken.reason, spot)
        .of_claim(named(&collected.claims, support.claim))
        .field(format!("event.claim.supports[{}]", support.nth));
    if let Some((number, evidence)) = evidence {
        noted = noted.refers_to(named(&collected.evidence_ids, number));
        noted = noted.path(collected.files.path(evidence.file));
    } else if let Some(id) = collected.unregistered.get(&support.evidence) {
        noted = noted.refers_to(id);
    }
    noted.with(|failure| {
        failure.expected.clone_from(&broken.expected);
        failure.found.clone_from(&broken.found);
    });
}

fn named(ids: &[Box<str>], number: u32) -> &str {
    ids.get(number as usize).map_or("", |id| id)
}

fn hex(bytes: [u8; 32]) -> String {
    Digest::from(bytes).hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_is_the_excerpt_or_the_registered_part_of_the_document() {
        assert_eq!(frame((100, 110), 10), Some((0, 10)));
        assert_eq!(frame((0, 10), 10), Some((0, 10)));
        assert_eq!(frame((3, 7), 10), Some((3, 7)));
        assert_eq!(frame((3, 11), 10), None);
        assert_eq!(frame((0, 1), 0), None);
    }
}
