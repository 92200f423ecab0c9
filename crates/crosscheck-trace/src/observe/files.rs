//! Hashes files: each is read once, in blocks, for the hash of the whole and of
//! every requested span; several files in parallel.
//!
//! Contract: trace 12.

use std::io::{self, Read};
use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::files::Root;

use super::artifacts::{Refusal, open_measured};
use crate::ids::{self, KeyMap};

const BLOCK: usize = 256 << 10;
const MAX_WORKERS: usize = 8;
/// The largest file that is hashed. A sparse file costs its author nothing and
/// would take too long.
pub(crate) const MAX_FILE: u64 = 64 << 30;
/// Number of files that a worker takes at a time; many are small.
const BATCH: usize = 16;

/// One file to read.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileJob {
    /// Byte ranges to hash: distinct, sorted by start, then end.
    pub(crate) spans: Vec<Span>,
    /// The hash, if it is already known. A file that is not evidence then only
    /// needs to open; evidence must still be the same file.
    pub(crate) known: Option<Digest>,
    /// Its length and its spans count, too.
    pub(crate) is_evidence: bool,
}

/// A byte range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) range: (u64, u64),
    /// Its hash, once the file was read; `None` if it ends after the file.
    pub(crate) digest: Option<Digest>,
}

impl Span {
    /// The order of ranges as one number, which is compared without an
    /// unpredictable branch.
    pub(crate) const fn order((start, end): (u64, u64)) -> u128 {
        (start as u128) << 64 | end as u128
    }
}

/// The result of reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileSeen {
    Refused(Refusal),
    Read { digest: Digest, len: u64 },
}

impl FileSeen {
    /// How many bytes were read.
    pub(crate) const fn len(&self) -> u64 {
        match self {
            Self::Refused(_) => 0,
            Self::Read { len, .. } => *len,
        }
    }
}

/// Files named in the run, each once.
#[derive(Debug, Default)]
pub(crate) struct Files {
    numbers: KeyMap<u32>,
    paths: Vec<Box<str>>,
}

impl Files {
    /// The number of a path; a new path gets a new number.
    pub(crate) fn add(&mut self, path: &str) -> u32 {
        *self.numbers.entry(ids::key(path)).or_insert_with(|| {
            self.paths.push(path.into());
            u32::try_from(self.paths.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The number of a file that was named.
    pub(crate) fn number(&self, path: &str) -> Option<u32> {
        self.numbers.get(&ids::key(path)).copied()
    }

    pub(crate) fn path(&self, number: u32) -> &str {
        let path = self.paths.get(number as usize);
        path.map_or("", |path| path)
    }

    /// All paths, by number.
    pub(crate) fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.paths.iter().map(|path| &**path)
    }
}

/// Reads all files; the results are in the order of the jobs. Span hashes are
/// stored in the jobs, so that the workers need no memory of their own.
pub(crate) fn look(root: &Root, files: &Files, jobs: &mut [FileJob]) -> Vec<FileSeen> {
    let unseen = FileSeen::Refused(Refusal::Missing(String::new()));
    let mut seen = vec![unseen; jobs.len()];
    let mut all: Vec<(&str, &mut FileJob)> = files.paths().zip(jobs).collect();
    let workers = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_WORKERS)
        .min(all.len().div_ceil(BATCH));
    let batches = Mutex::new(all.chunks_mut(BATCH).zip(seen.chunks_mut(BATCH)));
    let work = || {
        let mut block = vec![0; BLOCK];
        let next = || batches.lock().ok().and_then(|mut rest| rest.next());
        while let Some((batch, answers)) = next() {
            for ((path, job), answer) in batch.iter_mut().zip(answers) {
                *answer = look_at(root, path, job, &mut block);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    seen
}

fn look_at(root: &Root, path: &str, job: &mut FileJob, block: &mut [u8]) -> FileSeen {
    let (file, length) = match open_measured(root, path) {
        Ok(opened) => opened,
        Err(refusal) => return FileSeen::Refused(refusal),
    };
    if let (Some(digest), false) = (job.known, job.is_evidence) {
        return FileSeen::Read { digest, len: 0 };
    }
    let too_large = || FileSeen::Refused(Refusal::Missing("it is larger than 64 GiB".to_owned()));
    if length > MAX_FILE {
        return too_large();
    }
    // it may grow while it is read
    let rest = file.take(MAX_FILE + 1);
    match hash(rest, length, &mut job.spans, block) {
        Ok((_, len)) if len > MAX_FILE => too_large(),
        Ok((digest, _)) if job.known.is_some_and(|known| known != digest) => {
            FileSeen::Refused(Refusal::Missing("it changed while it was read".to_owned()))
        }
        Ok((digest, len)) => FileSeen::Read { digest, len },
        Err(error) => FileSeen::Refused(Refusal::Missing(error.to_string())),
    }
}

/// A span whose end has not been reached.
struct OpenSpan {
    number: usize,
    end: u64,
    hasher: Hasher,
}

/// Hashes a file and spans of it. A span that begins at the start of the file
/// costs nothing extra: it is a prefix of the whole hash. `length` is the
/// length when the file was opened: a partly filled block that ends there is
/// the last one, without another read.
fn hash(
    mut reader: impl Read,
    length: u64,
    spans: &mut [Span],
    block: &mut [u8],
) -> io::Result<(Digest, u64)> {
    let room = block.len();
    let mut whole = Hasher::new();
    let prefixes = spans.iter().take_while(|span| span.range.0 == 0).count();
    let (prefixes, spans) = spans.split_at_mut(prefixes);
    let mut next_prefix = 0;
    let mut next_span = 0;
    let mut open: Vec<OpenSpan> = Vec::new();
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
        while let Some(prefix) = prefixes
            .get_mut(next_prefix)
            .filter(|prefix| prefix.range.1 <= stop)
        {
            let (_, end) = prefix.range;
            whole.update(piece(bytes, at, fed, end));
            fed = end;
            prefix.digest = Some(whole.clone().finish());
            next_prefix += 1;
        }
        whole.update(piece(bytes, at, fed, stop));
        while let Some(span) = spans.get_mut(next_span).filter(|span| span.range.0 < stop) {
            let (start, end) = span.range;
            if end <= stop {
                // begins and ends here, as usual, since most files are small
                span.digest = Some(Digest::of(piece(bytes, at, start, end)));
            } else {
                open.push(OpenSpan {
                    number: next_span,
                    end,
                    hasher: Hasher::new(),
                });
            }
            next_span += 1;
        }
        for one in &mut open {
            let (start, end) = (spans.get(one.number)).map_or((0, 0), |span| span.range);
            one.hasher
                .update(piece(bytes, at, start.max(at), end.min(stop)));
        }
        open.retain_mut(|one| {
            if one.end > stop {
                return true;
            }
            if let Some(span) = spans.get_mut(one.number) {
                span.digest = Some(std::mem::take(&mut one.hasher).finish());
            }
            false
        });
        at = stop;
        if at == length && read < room {
            break;
        }
    }
    Ok((whole.finish(), at))
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
            length in 0_u64..220,
            is_known in any::<bool>(),
        ) {
            // a file may grow or shrink while it is read
            let length = if is_known { content.len() as u64 } else { length.max(content.len() as u64 + 1) };
            for (start, end) in &mut spans {
                *end += *start;
            }
            spans.sort_unstable();
            spans.dedup();
            let mut asked: Vec<Span> = spans.iter().map(|range| Span { range: *range, digest: None }).collect();
            let seen = hash(content.as_slice(), length, &mut asked, &mut vec![0; block]).unwrap();
            prop_assert_eq!(seen, (Digest::of(&content), content.len() as u64));
            for Span { range: (start, end), digest } in asked {
                let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
                prop_assert_eq!(digest, content.get(range).map(Digest::of));
            }
        }
    }
}
