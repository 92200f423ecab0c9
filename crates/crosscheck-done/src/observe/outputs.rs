//! Outputs and edits of a session, read again from its log when they are
//! asked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crosscheck_core::files::open_regular;
use crosscheck_transcript::session::{self as log, Harness, Replacement, Span};

use crate::read::session::{Edit, Run, line_at};

/// So much of each end of a kept output is read.
const MAX_END: u64 = 64 * 1024;
/// At most this many texts are remembered.
const MAX_CACHE: usize = 64;

/// The logs of a session, and where long outputs are kept.
#[derive(Debug)]
pub struct Logs {
    files: Vec<PathBuf>,
    harness: Harness,
    /// The log that was read last: edits are asked for one after the other.
    open: RefCell<Option<(usize, File)>>,
    outputs: RefCell<HashMap<Wanted, Option<Text>>>,
}

/// The output of a command.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// The text; of a long one both ends.
    pub text: String,
    /// Whether something is missing.
    pub is_cut: bool,
}

/// An output: which log, which line, which call.
type Wanted = (usize, Span, Box<str>);

impl Logs {
    /// The logs that a session was read from.
    pub fn new(files: &[PathBuf], harness: Harness) -> Self {
        Self {
            files: files.to_vec(),
            harness,
            open: RefCell::default(),
            outputs: RefCell::default(),
        }
    }

    fn line(&self, file: usize, span: Span) -> Option<Vec<u8>> {
        let mut open = self.open.borrow_mut();
        if open.as_ref().is_none_or(|(known, _)| *known != file) {
            *open = Some((file, open_regular(self.files.get(file)?).ok()?));
        }
        let (_, file) = open.as_mut()?;
        line_at(file, span)
    }

    /// When the answer of a command was logged.
    pub fn answered_at(&self, answer: Option<(usize, Span)>) -> Option<jiff::Timestamp> {
        #[derive(serde::Deserialize)]
        struct Stamp {
            timestamp: String,
        }
        let (file, span) = answer?;
        let line = self.line(file, span)?;
        let stamp: Stamp = serde_json::from_slice(&line).ok()?;
        stamp.timestamp.parse().ok()
    }

    fn read(&self, run: &Run) -> Option<Text> {
        let (file, span) = run.output?;
        let line = self.line(file, span)?;
        let output = log::output(self.harness, &line, &run.id)?;
        let kept = output
            .file
            .as_deref()
            .and_then(|kept| self.kept(file, kept));
        Some(match kept {
            Some(text) => text,
            None => Text {
                text: output.text,
                is_cut: output.is_cut,
            },
        })
    }

    /// A long output that the harness keeps: in the session's own folder, and
    /// nowhere else.
    fn kept(&self, file: usize, named: &str) -> Option<Text> {
        let log = self.files.get(file)?;
        let own = session_folder(log)?;
        let own = std::fs::canonicalize(own).ok()?;
        let named = Path::new(named);
        let inside = std::fs::canonicalize(named)
            .ok()
            .filter(|real| real.starts_with(&own));
        let path = match inside {
            Some(path) => path,
            None => std::fs::canonicalize(own.join("tool-results").join(named.file_name()?))
                .ok()
                .filter(|real| real.starts_with(&own))?,
        };
        ends(&path)
    }
}

/// `<session>` beside `<session>.jsonl`; of a subagent's log the folder above.
fn session_folder(log: &Path) -> Option<PathBuf> {
    let parent = log.parent()?;
    if parent.ends_with("subagents") {
        return parent.parent().map(Path::to_owned);
    }
    Some(parent.join(log.file_stem()?))
}

fn ends(path: &Path) -> Option<Text> {
    let mut file: File = open_regular(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut bytes = Vec::new();
    if length <= 2 * MAX_END {
        file.read_to_end(&mut bytes).ok()?;
    } else {
        file.by_ref().take(MAX_END).read_to_end(&mut bytes).ok()?;
        bytes.push(b'\n');
        file.seek(SeekFrom::Start(length - MAX_END)).ok()?;
        file.take(MAX_END).read_to_end(&mut bytes).ok()?;
    }
    Some(Text {
        text: String::from_utf8_lossy(&bytes).into_owned(),
        is_cut: length > 2 * MAX_END,
    })
}

impl Logs {
    /// The output of a command.
    pub fn output(&self, run: &Run) -> Option<Text> {
        let (file, span) = run.output?;
        let key = (file, span, run.id.clone());
        if let Some(known) = self.outputs.borrow().get(&key) {
            return known.clone();
        }
        let text = self.read(run);
        let mut cache = self.outputs.borrow_mut();
        if cache.len() >= MAX_CACHE {
            cache.clear();
        }
        cache.insert(key, text.clone());
        text
    }

    /// What an edit replaced.
    pub fn replaced(&self, edit: &Edit) -> Vec<Replacement> {
        let Some((file, tool)) = &edit.tool else {
            return Vec::new();
        };
        let [call, answer] = tool.lines;
        let Some(call) = call.and_then(|span| self.line(*file, span)) else {
            return Vec::new();
        };
        let answer = answer.and_then(|span| self.line(*file, span));
        log::edits(self.harness, tool, &call, answer.as_deref())
    }
}
