//! Writing results into a log that others write into at the same time.
//!
//! Everything happens under the same `flock(2)` that the shell writer takes.
//! A kill at any moment leaves the complete line, or a torn one that the next
//! append closes; nothing that is there is ever changed.
//!
//! Contract: sources 1.5.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crosscheck_core::Json;
use serde::Serialize;

use super::message::timestamp;
use super::result::ResultContent;
use crate::read::cited::Cited;
use crate::read::entry::LogEntry;
use crate::read::log::LogPaths;
use crate::read::results::{Known, earlier};
use crate::read::tail::Growing;

const LOCK_POLL: Duration = Duration::from_millis(3);

/// Why an entry could not be appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Another process holds the lock.
    #[error("the lock `{}` was not free within {} s", path.display(), waited.as_secs())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
    /// The system refused.
    #[error("cannot append to the log `{}`", path.display())]
    Io {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What an append did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The entry is in the log under this number.
    Written {
        /// Its number.
        seq: u64,
        /// A torn line before it was closed first.
        repaired: bool,
    },
    /// Another process wrote this result in the meantime.
    AlreadyThere,
}

#[derive(Serialize)]
struct Line<'l> {
    seq: u64,
    timestamp: &'l str,
    phase: &'static str,
    speaker: &'static str,
    #[serde(rename = "type")]
    kind: &'l str,
    content: &'l str,
    sources: Option<()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_seq: Option<u64>,
}

/// Appends to one log; remembers how far it has counted.
#[derive(Debug)]
pub struct LogWriter {
    paths: LogPaths,
    patience: Duration,
    read: Growing,
    known: Known,
}

impl LogWriter {
    /// A writer that waits this long for the lock.
    pub fn new(paths: LogPaths, patience: Duration) -> Self {
        Self {
            paths,
            patience,
            read: Growing::default(),
            known: Known::default(),
        }
    }

    /// Appends a result, unless the log holds more results for this job than
    /// the `prior` ones that were known when the job began.
    pub fn result(
        &mut self,
        content: &ResultContent,
        prior: usize,
        now: SystemTime,
    ) -> Result<Appended, AppendError> {
        let key = Cited::new(&content.url).key;
        let text = serde_json::to_string(content).unwrap_or_default();
        let seq = content.verified_seq;
        self.append("verification_result", &text, Some(seq), now, |known| {
            known.job(seq, &key).map_or(0, |done| done.times) <= prior
        })
    }

    /// Appends a lint report.
    pub fn lint(&mut self, text: &str, now: SystemTime) -> Result<Appended, AppendError> {
        self.append("lint_report", text, None, now, |_| true)
    }

    fn append(
        &mut self,
        kind: &str,
        content: &str,
        target_seq: Option<u64>,
        now: SystemTime,
        wanted: impl FnOnce(&Known) -> bool,
    ) -> Result<Appended, AppendError> {
        let lock = self.lock()?;
        let done = self.append_locked(kind, content, target_seq, now, wanted);
        drop(lock); // closing the file gives the lock back
        done.map_err(|source| AppendError::Io {
            path: self.paths.log.clone(),
            source,
        })
    }

    fn append_locked(
        &mut self,
        kind: &str,
        content: &str,
        target_seq: Option<u64>,
        now: SystemTime,
        wanted: impl FnOnce(&Known) -> bool,
    ) -> io::Result<Appended> {
        let mut log = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.paths.log)?;
        let torn = self.count(&mut log)?;
        if !wanted(&self.known) {
            return Ok(Appended::AlreadyThere);
        }
        if torn {
            log.write_all(b"\n")?;
            self.take(b"\n");
        }
        let seq = self.read.lines;
        let line = Line {
            seq,
            timestamp: &timestamp(now),
            phase: "system",
            speaker: "verifier",
            kind,
            content,
            sources: None,
            target_seq,
        };
        let mut text = ascii(&serde_json::to_string(&line)?);
        text.push('\n');
        let begin = log.metadata()?.len();
        if let Err(error) = log.write_all(text.as_bytes()) {
            take_back(&mut log, begin, text.as_bytes());
            return Err(error);
        }
        log.sync_data()?;
        self.take(text.as_bytes());
        Ok(Appended::Written {
            seq,
            repaired: torn,
        })
    }

    fn lock(&self) -> Result<File, AppendError> {
        let path = &self.paths.lock;
        let failed = |source| AppendError::Io {
            path: path.clone(),
            source,
        };
        let lock = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        let started = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if started.elapsed() < self.patience => {
                    thread::sleep(LOCK_POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(AppendError::Locked {
                        path: path.clone(),
                        waited: self.patience,
                    });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }

    /// Counts the lines that were added since the last time; says whether the
    /// last one is torn.
    fn count(&mut self, log: &mut File) -> io::Result<bool> {
        if !self.read.is_same(log)? {
            *self = Self::new(self.paths.clone(), self.patience);
        }
        let Self { read, known, .. } = self;
        read.read(log, |number, line| learn(known, number, line))?;
        Ok(read.is_torn())
    }

    /// Takes note of what was written.
    fn take(&mut self, bytes: &[u8]) {
        let Self { read, known, .. } = self;
        read.add(bytes, |number, line| learn(known, number, line));
    }
}

fn learn(known: &mut Known, number: u64, line: Option<&[u8]>) {
    let text = String::from_utf8_lossy(line.unwrap_or_default());
    if !text.contains("verification_result") {
        return;
    }
    let json = Json::parse(text.trim()).ok();
    let entry = json
        .as_ref()
        .and_then(|json| LogEntry::from_json(json.root(), number));
    if let Some(result) = entry.and_then(|(entry, _)| earlier(&entry)) {
        known.learn(result);
    }
}

/// Every character outside ASCII as `\uXXXX`; in JSON they are in strings only.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    text.extend(char::from_digit(u32::from(*unit >> shift) & 15, 16));
                }
            }
        }
    }
    text
}

/// Removes the part of a line that fitted on a full disk, unless another process wrote behind it. What
/// cannot be removed is mended by the next append.
fn take_back(log: &mut File, begin: u64, line: &[u8]) {
    let mut part = Vec::new();
    let read = log
        .seek(SeekFrom::Start(begin))
        .and_then(|_| log.read_to_end(&mut part));
    if read.is_ok() && line.starts_with(&part) {
        let _ = log.set_len(begin);
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::disallowed_methods,
        reason = "tests set their stage with plain calls"
    )]

    use super::*;

    fn content(seq: u64, url: &str) -> ResultContent {
        ResultContent {
            verified_seq: seq,
            url: url.to_owned(),
            status: "verified",
            explanation: "Page content confirms: é — 😀".to_owned(),
            details: None,
        }
    }

    fn writer(folder: &std::path::Path) -> LogWriter {
        LogWriter::new(LogPaths::of(folder), Duration::from_millis(50))
    }

    fn log(folder: &std::path::Path) -> String {
        std::fs::read_to_string(folder.join("debate-log.jsonl")).unwrap()
    }

    #[test]
    fn a_result_is_one_ascii_line_with_the_next_number() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("debate-log.jsonl"), "{\"seq\":0}\n").unwrap();
        let done = writer(folder.path())
            .result(&content(0, "http://a.example/"), 0, SystemTime::UNIX_EPOCH)
            .unwrap();
        assert_eq!(
            done,
            Appended::Written {
                seq: 1,
                repaired: false
            }
        );
        assert_eq!(
            log(folder.path()),
            "{\"seq\":0}\n{\"seq\":1,\"timestamp\":\"1970-01-01T00:00:00Z\",\"phase\":\"system\",\"speaker\":\"verifier\",\
             \"type\":\"verification_result\",\"content\":\"{\\\"verified_seq\\\":0,\\\"url\\\":\\\"http://a.example/\\\",\
             \\\"status\\\":\\\"verified\\\",\\\"explanation\\\":\\\"Page content confirms: \\u00e9 \\u2014 \\ud83d\\ude00\\\"}\",\
             \"sources\":null,\"target_seq\":0}\n"
        );
    }

    #[test]
    fn a_torn_line_is_closed_first_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("debate-log.jsonl"),
            "{\"seq\":0}\n{\"seq\":1,\"ti",
        )
        .unwrap();
        let done = writer(folder.path())
            .result(&content(0, "u"), 0, SystemTime::UNIX_EPOCH)
            .unwrap();
        assert_eq!(
            done,
            Appended::Written {
                seq: 2,
                repaired: true
            }
        );
        assert!(log(folder.path()).starts_with("{\"seq\":0}\n{\"seq\":1,\"ti\n{\"seq\":2,"));
    }

    #[test]
    fn a_result_that_is_there_is_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = writer(folder.path());
        let mut second = writer(folder.path());
        let now = SystemTime::UNIX_EPOCH;
        first
            .result(&content(0, "http://a.example"), 0, now)
            .unwrap();
        assert_eq!(
            second
                .result(&content(0, "HTTP://A.example/#x"), 0, now)
                .unwrap(),
            Appended::AlreadyThere
        );
        assert_eq!(
            second
                .result(&content(0, "http://a.example/"), 1, now)
                .unwrap(),
            Appended::Written {
                seq: 1,
                repaired: false
            }
        );
        assert_eq!(
            first
                .result(&content(1, "http://a.example/"), 0, now)
                .unwrap(),
            Appended::Written {
                seq: 2,
                repaired: false
            }
        );
    }

    #[test]
    fn a_log_that_was_cut_is_counted_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = writer(folder.path());
        let now = SystemTime::UNIX_EPOCH;
        writer.result(&content(0, "a"), 0, now).unwrap();
        writer.result(&content(0, "b"), 0, now).unwrap();
        let path = folder.path().join("debate-log.jsonl");
        for (text, seq) in [("{}\n".to_owned(), 1), ("{\"x\":0}\n".repeat(400), 400)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(
                writer.result(&content(0, "a"), 0, now).unwrap(),
                Appended::Written {
                    seq,
                    repaired: false
                }
            );
        }
    }

    #[test]
    fn a_lock_that_is_held_ends_in_a_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let lock = File::create(folder.path().join("debate-log.lock")).unwrap();
        lock.lock().unwrap();
        let error = writer(folder.path())
            .result(&content(0, "a"), 0, SystemTime::UNIX_EPOCH)
            .unwrap_err();
        assert!(matches!(error, AppendError::Locked { .. }), "{error}");
    }

    #[test]
    fn a_line_that_fitted_only_in_part_is_taken_back_and_other_words_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (found, left) in [
            ("old\n{\"seq", "old\n"),
            ("old\n{\"seq{}\n", "old\n{\"seq{}\n"),
        ] {
            std::fs::write(&path, found).unwrap();
            let mut log = OpenOptions::new()
                .read(true)
                .append(true)
                .open(&path)
                .unwrap();
            take_back(&mut log, 4, b"{\"seq\": 1}\n");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), left);
        }
    }
}
