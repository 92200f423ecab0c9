//! Reads the files of a session: its log, line by line, and the logs of its
//! subagents.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::files::open_regular;
use crosscheck_transcript::session::{self as log, Harness, SessionReader, Span};
use jiff::{SignedDuration, Timestamp};

use super::{Folder, LogDoubt, Order, OwnLog, Session};
use crate::place::Places;
use crate::runner::Table;

/// Of a longer log only the end is read.
pub const MAX_LOG: u64 = 512 << 20;
/// A longer line is passed over.
const MAX_LINE: usize = 4 << 20;
/// So much of a log is read to learn who wrote it, and where: a first prompt
/// may be long.
const MAX_HEAD: u64 = 2 * MAX_LINE as u64;

/// Calls `each` with every line of a file and where it begins; `None` for a
/// line that is too long.
pub fn each_line(
    file: &mut File,
    from: u64,
    mut each: impl FnMut(u64, Option<&[u8]>),
) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    let mut buffer: Vec<u8> = Vec::new();
    let mut chunk = vec![0; 256 * 1024];
    let mut at = from;
    let mut too_long = false;
    loop {
        let count = match file.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        let mut rest = chunk.get(..count).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, behind) = rest.split_at(end);
            let length = buffer.len() + line.len();
            if too_long {
                each(at, None);
            } else if buffer.is_empty() {
                each(at, Some(line));
            } else {
                buffer.extend_from_slice(line);
                each(at, Some(&buffer));
            }
            at += length as u64 + 1;
            buffer.clear();
            buffer.shrink_to(MAX_LINE / 4);
            too_long = false;
            rest = behind.get(1..).unwrap_or_default();
        }
        if buffer.len() + rest.len() > MAX_LINE {
            // what is kept of it no longer matters, only its length does
            at += (buffer.len() + rest.len()) as u64;
            buffer.clear();
            too_long = true;
        } else if too_long {
            at += rest.len() as u64;
        } else {
            buffer.extend_from_slice(rest);
        }
    }
    if too_long {
        each(at, None);
    } else if !buffer.is_empty() {
        each(at, Some(&buffer));
    }
    Ok(())
}

/// Reads one line of a file again.
pub fn line_at(file: &mut File, span: Span) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(span.at)).ok()?;
    let mut bytes = vec![0; span.len.min(MAX_LINE)];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// A log that is to be read.
#[derive(Debug, Clone)]
pub struct Log {
    /// The file.
    pub path: PathBuf,
    /// Who wrote it; found out when it is not said.
    pub harness: Option<Harness>,
    /// Whether it is a subagent's own log.
    pub own: bool,
}

impl Log {
    /// A log that the user names: that of a subagent is known by its name.
    pub fn at(path: PathBuf) -> Self {
        let name = path.file_name().and_then(|name| name.to_str());
        let own = name.is_some_and(|name| name.starts_with("agent-"));
        Self {
            path,
            harness: None,
            own,
        }
    }
}

/// Why a log could not be read as a session.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be read.
    #[error("cannot read the session `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing in it is known.
    #[error("`{}` is not a session log that can be read", path.display())]
    Unrecognised {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a session with the logs of its subagents.
pub fn read(
    log: &Log,
    skip_agents: &[String],
    table: &Table,
    places: &Places,
) -> Result<Session, LogError> {
    let fail = |source: io::Error| LogError::Unreadable {
        path: log.path.clone(),
        source,
    };
    let mut file = open_regular(&log.path).map_err(|error| fail(io::Error::other(error)))?;
    let harness = match log.harness {
        Some(harness) => harness,
        None => head(&mut file)
            .map_err(fail)?
            .harness
            .ok_or_else(|| LogError::Unrecognised {
                path: log.path.clone(),
            })?,
    };
    let mut stream = SessionStream::new(log, harness, table, places);
    stream.read(&mut file, &mut |_, _| ()).map_err(fail)?;
    let session = stream.so_far(skip_agents, &mut AgentLogs::default());
    if session.facts.known == 0 && session.facts.lines > 50 {
        return Err(LogError::Unrecognised {
            path: log.path.clone(),
        });
    }
    Ok(session)
}

/// A session while its log is read.
#[derive(Debug)]
pub struct SessionStream<'s> {
    reader: SessionReader,
    folder: Folder<'s>,
    path: PathBuf,
    /// When the file was written last.
    written: Option<Timestamp>,
}

impl<'s> SessionStream<'s> {
    /// Before the first line.
    pub fn new(log: &Log, harness: Harness, table: &'s Table, places: &'s Places) -> Self {
        Self {
            reader: SessionReader::new(harness, log.own),
            folder: Folder::new(table, places, harness).of_log(&log.path),
            path: log.path.clone(),
            written: None,
        }
    }

    /// Reads the whole log, of a long one its end. `before` sees each event
    /// before it is taken.
    pub fn read(
        &mut self,
        file: &mut File,
        before: &mut dyn FnMut(&Self, &log::Event),
    ) -> io::Result<()> {
        let meta = file.metadata()?;
        let bytes = meta.len();
        self.folder.session.bytes = bytes;
        let written = meta.modified().ok();
        self.written = written.and_then(|time| Timestamp::try_from(time).ok());
        let is_document = self.folder.session.harness.is_document();
        let from = if is_document { 0 } else { start(file, bytes)? };
        self.folder.session.is_cut = from > 0;
        let mut each = |at: u64, line: Option<&[u8]>| {
            match line {
                Some(line) => {
                    if !is_document {
                        self.folder.note_line(0, at, line);
                    }
                    self.reader.line(at, line);
                }
                None => self.reader.skip(),
            }
            if self.reader.has_events() {
                for event in self.reader.take_events() {
                    before(self, &event);
                    self.folder.take(event);
                }
            }
        };
        if is_document {
            each(0, Some(&whole(file)?));
            return Ok(());
        }
        each_line(file, from, each)
    }

    /// What was read so far.
    pub const fn session(&self) -> &Session {
        &self.folder.session
    }

    /// The session as it would be if the log ended here: calls without an
    /// answer are unanswered, and subagents are read as far as they are known.
    pub fn so_far(&self, skip_agents: &[String], agents: &mut AgentLogs) -> Session {
        let mut reader = self.reader.clone();
        let mut folder = self.folder.clone();
        reader.flush();
        for event in reader.take_events() {
            folder.take(event);
        }
        folder.session.facts = reader.facts().clone();
        if let Some(line) = reader.facts().unchained {
            folder.doubt(LogDoubt::Unchained(line));
        }
        // what was logged is not still to come
        let last = reader.facts().last.as_ref();
        let last: Option<Timestamp> = last.and_then(|time| time.parse().ok());
        if let (Some(last), Some(written)) = (last, self.written)
            && written.duration_until(last) > SignedDuration::from_mins(1)
        {
            folder.doubt(LogDoubt::Unchained(reader.facts().lines));
        }
        agents.place(&mut folder, &self.path, skip_agents);
        folder.finish()
    }
}

/// A log that is one document.
fn whole(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MAX_LOG).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What the first lines of a log say about it.
#[derive(Debug, Default)]
pub struct Head {
    /// Who wrote it; `None` when no harness is known.
    pub harness: Option<Harness>,
    /// The folder that the session was started in.
    pub cwd: Option<PathBuf>,
    /// When it began, as the log spells it; `None` where the log begins in
    /// the middle of a session.
    pub started: Option<String>,
    /// The session's own id.
    pub session: Option<String>,
}

/// Reads the first lines of a log, up to the one that names its folder.
pub fn head(file: &mut File) -> io::Result<Head> {
    file.seek(SeekFrom::Start(0))?;
    let mut first = Vec::new();
    file.by_ref().take(4096).read_to_end(&mut first)?;
    if let Some(harness) = log::recognise(&first).filter(|harness| harness.is_document()) {
        let mut reader = SessionReader::new(harness, false);
        reader.line(0, &whole(file)?);
        return Ok(Head::of(harness, &reader));
    }
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::new(file.by_ref().take(MAX_HEAD));
    let mut line = Vec::new();
    let mut known = None;
    while lines.read_until(b'\n', &mut line)? > 0 {
        if known.is_none() {
            let harness = log::recognise(&line);
            known = harness.map(|harness| (harness, SessionReader::new(harness, false)));
        }
        if let Some((_, reader)) = &mut known {
            reader.line(0, &line);
            if reader.facts().cwd.is_some() {
                break;
            }
        }
        line.clear();
    }
    let Some((harness, reader)) = known else {
        return Ok(Head::default());
    };
    Ok(Head::of(harness, &reader))
}

impl Head {
    fn of(harness: Harness, reader: &SessionReader) -> Self {
        let facts = reader.facts();
        Self {
            harness: Some(harness),
            cwd: facts.cwd.as_deref().map(PathBuf::from),
            started: facts.started.clone().filter(|_| !facts.begins_midway),
            session: facts.session.clone(),
        }
    }
}

/// What was said last.
#[derive(Debug, Clone, Default)]
pub struct LastText {
    /// What a subagent handed back.
    pub handback: Option<String>,
    /// The last text of the agent.
    pub text: Option<String>,
    /// The message of the model that it is of; 0 is unknown.
    pub(super) step: usize,
}

impl LastText {
    /// Takes the next event: one message of the model may be on several lines,
    /// and what is handed back counts as long as nothing comes behind it.
    pub(super) fn hear(&mut self, event: &log::Event) {
        if event.by != log::By::Agent {
            return;
        }
        match &event.body {
            log::Body::Text(words) => {
                match &mut self.text {
                    Some(text) if event.step != 0 && event.step == self.step => {
                        text.push('\n');
                        text.push_str(words);
                    }
                    text => *text = Some(words.clone()),
                }
                self.step = event.step;
                self.handback = None;
            }
            log::Body::Tool(tool) => self.handback.clone_from(&tool.handback),
            log::Body::Run(_) | log::Body::Edit(_) | log::Body::Subagent(_) => {
                self.handback = None;
            }
            _ => {}
        }
    }
}

/// Reads the last message of the agent from the end of a log: a long log costs
/// no more than a short one.
pub fn last_text(file: &mut File, harness: Harness, own: bool) -> io::Result<LastText> {
    let bytes = file.metadata()?.len();
    let all = harness.is_document();
    for size in [256 << 10, 4 << 20, 64 << 20, MAX_LOG] {
        let from = if all {
            0
        } else {
            start_of_end(file, bytes, size)?
        };
        let mut reader = SessionReader::new(harness, own);
        let mut last = LastText::default();
        let mut each = |at: u64, line: Option<&[u8]>| {
            if let Some(line) = line {
                reader.line(at, line);
            }
            reader
                .take_events()
                .iter()
                .for_each(|event| last.hear(event));
        };
        if all {
            each(0, Some(&whole(file)?));
        } else {
            each_line(file, from, each)?;
        }
        // the first message of a piece may have begun before it
        if from == 0 || last.handback.is_some() || (last.text.is_some() && last.step > 1) {
            return Ok(last);
        }
    }
    Ok(LastText::default())
}

/// Where to begin: of a long log at the first whole line of its end.
fn start(file: &mut File, bytes: u64) -> io::Result<u64> {
    start_of_end(file, bytes, MAX_LOG)
}

fn start_of_end(file: &mut File, bytes: u64, size: u64) -> io::Result<u64> {
    if bytes <= size {
        return Ok(0);
    }
    let from = bytes - size;
    file.seek(SeekFrom::Start(from))?;
    let mut piece = vec![0; MAX_LINE];
    let count = file.read(&mut piece)?;
    let end = memchr::memchr(b'\n', piece.get(..count).unwrap_or_default());
    Ok(from + end.map_or(0, |end| end as u64 + 1))
}

/// Logs of subagents, each read once.
#[derive(Debug, Default)]
pub struct AgentLogs {
    read: HashMap<PathBuf, AgentLog>,
}

#[derive(Debug)]
struct AgentLog {
    events: Vec<log::Event>,
    /// Lines that write the name of the log into a file.
    naming: Vec<u64>,
    doubt: Option<LogDoubt>,
    is_readable: bool,
}

impl AgentLogs {
    /// Adds what subagents did, each placed where its answer is.
    fn place(&mut self, folder: &mut Folder<'_>, main: &Path, skip: &[String]) {
        let agents = std::mem::take(&mut folder.session.agents);
        let Some(home) = agents_folder(main) else {
            return;
        };
        for (order, agent) in agents {
            // an agent that should only look can still do anything
            let is_trusted = skip.contains(&agent.kind) && !agent.kind.is_empty();
            let Some(path) = agent_log(&home, &agent) else {
                let opaque = (!is_trusted).then_some(order);
                folder.session.opaque.extend(opaque);
                continue;
            };
            let log = self
                .read
                .entry(path.clone())
                .or_insert_with(|| AgentLog::read(&path, &folder.own_log));
            let file = folder.session.files.len();
            folder.session.files.push(path);
            folder
                .naming
                .extend(log.naming.iter().map(|at| (file, *at)));
            if let Some(doubt) = log.doubt {
                folder.doubt(doubt);
            }
            for (nth, event) in log.events.iter().enumerate() {
                let place = Order {
                    line: order.line,
                    sub: nth + 1,
                };
                folder.take_of_agent(event.clone(), place, file);
            }
            if !log.is_readable && !is_trusted {
                folder.session.opaque.push(order);
            }
        }
    }
}

impl AgentLog {
    fn read(path: &Path, own_log: &OwnLog) -> Self {
        let mut naming = Vec::new();
        let mut reader = SessionReader::new(Harness::ClaudeCode, true);
        let read = open_regular(path)
            .map_err(io::Error::other)
            .and_then(|mut file| {
                each_line(&mut file, 0, |at, line| match line {
                    Some(line) => {
                        naming.extend(own_log.is_written_in(line).then_some(at));
                        reader.line(at, line);
                    }
                    None => reader.skip(),
                })
            });
        reader.flush();
        let mut events = reader.take_events();
        events.sort_by_key(|event| event.line);
        let unchained = reader.facts().unchained.map(LogDoubt::Unchained);
        Self {
            events,
            naming,
            doubt: path.is_symlink().then_some(LogDoubt::Link).or(unchained),
            is_readable: read.is_ok() && reader.facts().known > 0,
        }
    }
}

/// `<session>/subagents` beside `<session>.jsonl`.
fn agents_folder(main: &Path) -> Option<PathBuf> {
    let stem = main.file_stem()?;
    Some(main.parent()?.join(stem).join("subagents"))
}

/// The log of a subagent, by its own name or by the call that `meta` names.
fn agent_log(home: &Path, agent: &log::Subagent) -> Option<PathBuf> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    if let Some(name) = agent.agent.as_deref().filter(|name| is_name(name)) {
        let path = home.join(format!("agent-{name}.jsonl"));
        return path.is_file().then_some(path);
    }
    let entries = std::fs::read_dir(home).ok()?;
    let mut metas: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".meta.json"))
        .take(4096)
        .collect();
    metas.sort();
    let of_call = |meta: &PathBuf| {
        let bytes = crosscheck_core::files::read_regular(meta, 1 << 20).ok()?;
        let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        (value.get("toolUseId")?.as_str()? == &*agent.id)
            .then(|| PathBuf::from(meta.to_string_lossy().replace(".meta.json", ".jsonl")))
    };
    metas.iter().find_map(of_call).filter(|path| path.is_file())
}

/// The hash of a file.
pub fn hash(path: &Path) -> Option<Digest> {
    let mut file = open_regular(path).ok()?;
    let mut hasher = Hasher::new();
    let mut chunk = vec![0; 256 * 1024];
    loop {
        let count = file.read(&mut chunk).ok()?;
        if count == 0 {
            return Some(hasher.finish());
        }
        hasher.update(chunk.get(..count)?);
    }
}
