//! Hashing files: each one read once, in blocks, for the hash of the whole
//! and of every span asked for, several files at the same time.

use std::io::{self, Read};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::files::Root;

use super::artifacts::{Refusal, open};

const BLOCK: usize = 256 << 10;
const MAX_WORKERS: usize = 8;

/// One file to look at.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileJob {
    pub(crate) path: String,
    /// Byte ranges to hash: distinct, sorted by start, then end.
    pub(crate) spans: Vec<(u64, u64)>,
    /// The hash is known already; only look whether the file can be opened.
    pub(crate) known: Option<Digest>,
}

/// What a file showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileSeen {
    Refused(Refusal),
    Read {
        digest: Digest,
        len: u64,
        /// In the order asked; nothing for a span that ends behind the file.
        spans: Vec<Option<Digest>>,
    },
}

/// Looks at all files; the answers stand in the order of the jobs.
pub(crate) fn look(root: &Root, jobs: &[FileJob]) -> Vec<FileSeen> {
    let workers = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_WORKERS)
        .min(jobs.len());
    if workers <= 1 {
        let mut block = vec![0; BLOCK];
        return jobs
            .iter()
            .map(|job| look_at(root, job, &mut block))
            .collect();
    }
    let next = AtomicUsize::new(0);
    let mut seen: Vec<(usize, FileSeen)> = thread::scope(|scope| {
        let work = || {
            let mut block = vec![0; BLOCK];
            let mut mine = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(number) else {
                    return mine;
                };
                mine.push((number, look_at(root, job, &mut block)));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|handle| match handle.join() {
                Ok(mine) => mine,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    seen.sort_unstable_by_key(|(number, _)| *number);
    seen.into_iter().map(|(_, seen)| seen).collect()
}

fn look_at(root: &Root, job: &FileJob, block: &mut [u8]) -> FileSeen {
    let file = match open(root, &job.path) {
        Ok(file) => file,
        Err(refusal) => return FileSeen::Refused(refusal),
    };
    if let (Some(digest), true) = (job.known, job.spans.is_empty()) {
        return FileSeen::Read {
            digest,
            len: 0,
            spans: Vec::new(),
        };
    }
    match hash(file, &job.spans, block) {
        Ok(seen) => seen,
        Err(error) => FileSeen::Refused(Refusal::Missing(error.to_string())),
    }
}

/// A span whose end has not been reached.
struct Open {
    number: usize,
    end: u64,
    hasher: Hasher,
}

/// Hashes a stream and spans of it. A span that begins where the stream does
/// costs nothing: it is a moment of the hash of the whole.
fn hash(mut reader: impl Read, spans: &[(u64, u64)], block: &mut [u8]) -> io::Result<FileSeen> {
    let mut whole = Hasher::new();
    let mut digests = vec![None; spans.len()];
    let prefixes = spans.iter().take_while(|(start, _)| *start == 0).count();
    let mut next_prefix = 0;
    let mut next_span = prefixes;
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0_u64;
    loop {
        let read = match reader.read(block) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if read == 0 {
            break;
        }
        let bytes = block.get(..read).unwrap_or_default();
        let stop = at + read as u64;
        let mut fed = at;
        while let Some(&(_, end)) = spans
            .get(next_prefix)
            .filter(|(_, end)| next_prefix < prefixes && *end <= stop)
        {
            whole.update(piece(bytes, at, fed, end));
            fed = end;
            if let Some(digest) = digests.get_mut(next_prefix) {
                *digest = Some(whole.clone().finish());
            }
            next_prefix += 1;
        }
        whole.update(piece(bytes, at, fed, stop));
        while let Some(&(_, end)) = spans.get(next_span).filter(|(start, _)| *start < stop) {
            open.push(Open {
                number: next_span,
                end,
                hasher: Hasher::new(),
            });
            next_span += 1;
        }
        for one in &mut open {
            let (start, end) = spans.get(one.number).copied().unwrap_or_default();
            one.hasher
                .update(piece(bytes, at, start.max(at), end.min(stop)));
        }
        open.retain_mut(|one| {
            if one.end > stop {
                return true;
            }
            if let Some(digest) = digests.get_mut(one.number) {
                *digest = Some(std::mem::take(&mut one.hasher).finish());
            }
            false
        });
        at = stop;
    }
    Ok(FileSeen::Read {
        digest: whole.finish(),
        len: at,
        spans: digests,
    })
}

/// The bytes from `start` to `end` of a block that begins at `base`.
fn piece(bytes: &[u8], base: u64, start: u64, end: u64) -> &[u8] {
    let offset = |at: u64| usize::try_from(at.saturating_sub(base)).unwrap_or(usize::MAX);
    bytes.get(offset(start)..offset(end)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spans_hash_as_if_cut_out(
            content in proptest::collection::vec(any::<u8>(), 0..200),
            mut spans in proptest::collection::vec((0_u64..220, 1_u64..220), 0..12),
            block in 1_usize..50,
        ) {
            for (start, end) in &mut spans {
                *end += *start;
            }
            spans.sort_unstable();
            spans.dedup();
            let seen = hash(content.as_slice(), &spans, &mut vec![0; block]).unwrap();
            let cut = spans.iter().map(|(start, end)| {
                content
                    .get(usize::try_from(*start).unwrap()..usize::try_from(*end).unwrap())
                    .map(Digest::of)
            });
            prop_assert_eq!(seen, FileSeen::Read {
                digest: Digest::of(&content),
                len: content.len() as u64,
                spans: cut.collect(),
            });
        }
    }
}
