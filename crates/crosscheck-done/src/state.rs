//! What the gate remembers: how often an agent was sent back, and what was
//! decided. It is kept in the user's own folder, signed, and never in the
//! project.
//!
//! Contract: done 9.3.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::files::{Owned, open_owned, read_regular, write_atomic};
use serde::{Deserialize, Serialize};

use crate::judge::policy::Bounces;
use crate::own::OwnRun;

const MAX_STATE: u64 = 64 * 1024;
const MAX_LOG: u64 = 1 << 20;
const OLD: Duration = Duration::from_hours(7 * 24);
const DAY: Duration = Duration::from_hours(24);

/// The folder in which the gate keeps what it knows.
#[derive(Debug, Clone)]
pub struct Memory {
    folder: PathBuf,
}

/// Which prompt is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(Digest);

impl Key {
    /// One prompt of one session, of one agent in it.
    pub fn new(session: &str, prompt: &str, agent: &str) -> Self {
        let mut hasher = Hasher::new();
        for part in [session, prompt, agent] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finish())
    }
}

/// One decision, without any text of the session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GateEntry {
    /// When.
    pub at: String,
    /// Hash of the session's id.
    pub session_sha256: String,
    /// Hash of the message.
    pub message_sha256: String,
    /// `Stop`, `SubagentStop`.
    pub event: String,
    /// What it led to.
    pub action: String,
    /// How often the agent was sent back.
    pub bounces: u32,
    /// Why not once more.
    pub gave_up: Option<String>,
    /// Kind, verdict and reason of each claim.
    pub claims: Vec<[String; 3]>,
    /// What was found besides.
    pub findings: Vec<String>,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// What went wrong, if the gate itself failed.
    pub failure: Option<String>,
    /// What became of its record, if it is not in the ledger: `spooled` or
    /// `lost`, and the code of the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
}

impl Memory {
    /// In this folder, which need not exist.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A text that this user's key signed for this purpose.
    fn signed(&self, file: &Path, purpose: &str) -> Option<String> {
        let bytes = read_regular(file, MAX_STATE).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (own, text) = text.split_once('\n')?;
        (mac(&self.secret()?, &format!("{purpose}\n{text}")) == own).then(|| text.to_owned())
    }

    fn sign(&self, file: &Path, purpose: &str, text: &str) -> io::Result<()> {
        let secret = self.secret().map_or_else(|| self.new_secret(), Ok)?;
        if let Some(parent) = file.parent() {
            private_folder(parent)?;
        }
        let mac = mac(&secret, &format!("{purpose}\n{text}"));
        write_atomic(file, format!("{mac}\n{text}").as_bytes()).map_err(io::Error::other)
    }

    fn state_file(&self, key: &Key) -> PathBuf {
        let name = format!("{}.json", key.0.hex());
        self.folder.join("state").join(name)
    }

    /// What was counted; a file that is missing, broken or not ours counts as
    /// nothing.
    pub fn bounces(&self, key: &Key) -> Bounces {
        let text = self.signed(&self.state_file(key), &key.0.hex());
        let counted = text.and_then(|text| serde_json::from_str(&text).ok());
        counted.unwrap_or_default()
    }

    /// Keeps what was counted.
    pub fn keep(&self, key: &Key, bounces: &Bounces) -> io::Result<()> {
        let text = serde_json::to_string(bounces)?;
        self.sign(&self.state_file(key), &key.0.hex(), &text)
    }

    /// The record of what the person accepted.
    pub fn accepted_file(&self) -> PathBuf {
        self.folder.join("accepted")
    }

    /// Digests of project files that the person accepted.
    pub fn accepted(&self) -> Vec<String> {
        let digests = self.signed(&self.accepted_file(), "accepted");
        let digests = digests.unwrap_or_default();
        digests.lines().map(str::to_owned).collect()
    }

    /// Remembers that the person accepts a project's file as it is.
    pub fn accept(&self, digest: &str) -> io::Result<()> {
        let mut all = self.accepted();
        all.retain(|known| known != digest);
        all.push(digest.to_owned());
        self.sign(&self.accepted_file(), "accepted", &all.join("\n"))
    }

    fn run_file(&self, key: &str) -> PathBuf {
        self.folder.join("runs").join(format!("{key}.json"))
    }

    /// What an own run over the same tree showed.
    pub fn kept_run(&self, key: &str) -> Option<OwnRun> {
        let text = self.signed(&self.run_file(key), key)?;
        let run: OwnRun = serde_json::from_str(&text).ok()?;
        Some(OwnRun {
            is_kept: true,
            ..run
        })
    }

    /// Keeps what an own run showed.
    pub fn keep_run(&self, key: &str, run: &OwnRun) -> io::Result<()> {
        self.sign(&self.run_file(key), key, &serde_json::to_string(run)?)
    }

    fn secret(&self) -> Option<[u8; 32]> {
        let bytes = read_regular(&self.folder.join("key"), 32).ok()?;
        bytes.try_into().ok()
    }

    /// Makes the key of this user, once; the first process wins.
    fn new_secret(&self) -> io::Result<[u8; 32]> {
        use std::os::unix::fs::OpenOptionsExt as _;
        private_folder(&self.folder)?;
        let secret: [u8; 32] = random()?;
        let path = self.folder.join("key");
        let made = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path);
        match made {
            Ok(mut file) => {
                file.write_all(&secret)?;
                file.sync_all()?;
                Ok(secret)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if let Some(secret) = self.secret() {
                    return Ok(secret);
                }
                // half a key, from a process that was ended: make it anew
                write_atomic(&path, &secret).map_err(io::Error::other)?;
                Ok(secret)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes what is older than a week, at most once a day. A clock that
    /// jumps removes nothing that was written after it.
    pub fn tidy(&self, now: SystemTime) {
        let marker = self.folder.join("tidied");
        let is_recent = |path: &Path, limit: Duration| {
            let changed = fs::metadata(path).and_then(|meta| meta.modified());
            changed.is_ok_and(|changed| now.duration_since(changed).map_or(true, |age| age < limit))
        };
        if !self.folder.is_dir() || is_recent(&marker, DAY) {
            return;
        }
        let _ = write_atomic(&marker, b"");
        let folders = ["state", "runs"].map(|name| fs::read_dir(self.folder.join(name)));
        let entries = folders.into_iter().flatten().flatten();
        for entry in entries.filter_map(Result::ok).take(10_000) {
            let path = entry.path();
            let ours = path
                .extension()
                .is_some_and(|extension| extension == "json");
            if ours && !is_recent(&path, OLD) {
                let _ = fs::remove_file(&path);
            }
        }
    }

    /// Notes a decision; a log that has grown large makes room for a new one.
    pub fn note(&self, entry: &GateEntry) -> io::Result<()> {
        private_folder(&self.folder)?;
        let path = self.folder.join("log.jsonl");
        if fs::metadata(&path).is_ok_and(|meta| meta.len() > MAX_LOG) {
            let _ = fs::rename(&path, self.folder.join("log.1.jsonl"));
        }
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        open_owned(&path, Owned::Append)?.write_all(&line)
    }

    /// The decisions that were noted, the oldest first.
    pub fn entries(&self) -> Vec<GateEntry> {
        let mut all = Vec::new();
        for name in ["log.1.jsonl", "log.jsonl"] {
            let Ok(file) = crosscheck_core::files::open_regular(&self.folder.join(name)) else {
                continue;
            };
            let mut text = Vec::new();
            if file.take(4 * MAX_LOG).read_to_end(&mut text).is_ok() {
                let lines = text.split(|byte| *byte == b'\n');
                all.extend(lines.filter_map(|line| serde_json::from_slice(line).ok()));
            }
        }
        all
    }
}

/// Bytes that cannot be guessed.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    if folder.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

/// HMAC-SHA-256 of a text.
fn mac(secret: &[u8; 32], text: &str) -> String {
    let pad = |byte: u8| {
        let mut block = [byte; 64];
        for (slot, secret) in block.iter_mut().zip(secret) {
            *slot ^= secret;
        }
        block
    };
    let mut inner = Hasher::new();
    inner.update(pad(0x36));
    inner.update(text);
    let mut outer = Hasher::new();
    outer.update(pad(0x5c));
    outer.update(inner.finish().bytes());
    outer.finish().hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(bounces: u32) -> Bounces {
        Bounces {
            bounces,
            last_signature: "a".to_owned(),
            seen: 3,
        }
    }

    #[test]
    fn what_was_counted_is_read_back_and_a_forged_count_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::new(folder.path().join("done"));
        let key = Key::new("s", "p", "");
        assert_eq!(memory.bounces(&key), Bounces::default());
        memory.keep(&key, &counted(2)).unwrap();
        assert_eq!(memory.bounces(&key), counted(2));

        let path = memory.state_file(&key);
        let forged = String::from_utf8(read_regular(&path, MAX_STATE).unwrap())
            .unwrap()
            .replace("\"bounces\":2", "\"bounces\":7");
        write_atomic(&path, forged.as_bytes()).unwrap();
        assert_eq!(memory.bounces(&key), Bounces::default());
        assert_eq!(memory.bounces(&Key::new("s", "p2", "")), Bounces::default());
    }

    #[test]
    fn keys_do_not_run_together() {
        assert_ne!(Key::new("ab", "c", ""), Key::new("a", "bc", ""));
    }

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        // test case 2 has a shorter key; ours is padded with zeros to the same block
        let mut secret = [0; 32];
        secret[..4].copy_from_slice(b"Jefe");
        let pad = |byte: u8| {
            let mut block = [byte; 64];
            for (slot, secret) in block.iter_mut().zip(&secret) {
                *slot ^= secret;
            }
            block
        };
        let mut inner = Hasher::new();
        inner.update(pad(0x36));
        inner.update("what do ya want for nothing?");
        let mut outer = Hasher::new();
        outer.update(pad(0x5c));
        outer.update(inner.finish().bytes());
        assert_eq!(
            outer.finish().hex(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_clock_that_jumps_removes_nothing_new() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::new(folder.path().join("done"));
        let key = Key::new("s", "p", "");
        memory.keep(&key, &counted(1)).unwrap();
        memory.tidy(SystemTime::UNIX_EPOCH);
        assert_eq!(memory.bounces(&key), counted(1));
        let changed = fs::metadata(memory.state_file(&key))
            .unwrap()
            .modified()
            .unwrap();
        memory.tidy(changed + 2 * OLD);
        assert_eq!(memory.bounces(&key), Bounces::default());
    }
}
