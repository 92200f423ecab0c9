//! Answers that an earlier batch wrote into a file. Each is a whole line; half
//! a line at the end is what a killed process leaves, and goes.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;

use crosscheck::batch::{Head, Id};
use crosscheck::core::Verdict;
use crosscheck::core::digest::Digest;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::worker::exit_code;

/// What a file of answers holds.
#[derive(Default)]
pub(super) struct Earlier {
    ids: HashSet<Digest>,
    /// The lines of jobs that have no id.
    lines: HashSet<u64>,
    /// By exit code.
    pub(super) counts: [u64; 4],
}

#[derive(Deserialize)]
struct Answer {
    id: Option<Id>,
    line: Option<u64>,
    verdict: Option<Verdict>,
    error: Option<IgnoredAny>,
}

impl Earlier {
    /// Whether the file answers this job.
    pub(super) fn answers(&self, job: &[u8], number: u64) -> bool {
        self.jobs() > 0
            && match Head::of(job).id {
                Some(id) => self.ids.contains(&digest(&id)),
                None => self.lines.contains(&number),
            }
    }

    /// How many jobs it answers.
    pub(super) fn jobs(&self) -> usize {
        self.ids.len() + self.lines.len()
    }
}

fn digest(id: &Id) -> Digest {
    Digest::of(serde_json::to_string(id).unwrap_or_default())
}

/// Opens the file for more answers, behind the last whole one.
pub(super) fn open(path: &Path) -> io::Result<(File, Earlier)> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let mut earlier = Earlier::default();
    let mut end = 0;
    let mut lines = BufReader::new(&file);
    loop {
        let mut line = Vec::new();
        let length = lines.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            break;
        }
        let read: Answer = serde_json::from_slice(&line)
            .map_err(|_| io::Error::other("it holds something else than answers"))?;
        let exit = exit_code(read.error.is_some(), read.verdict);
        if let Some(count) = earlier.counts.get_mut(usize::from(exit)) {
            *count += 1;
        }
        match &read.id {
            Some(id) => _ = earlier.ids.insert(digest(id)),
            None => earlier.lines.extend(read.line),
        }
        end += u64::try_from(length).unwrap_or(0);
    }
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok((file, earlier))
}
