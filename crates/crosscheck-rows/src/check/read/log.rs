//! The events file as an index of its lines.
//!
//! The file is read twice: once to find the lines of the workflow, and once
//! more, batch by batch, for their parameters. Only the index is held, so that
//! a file may be larger than the memory of the run.
//!
//! Contract: check 5.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use crosscheck_core::json::{Json, Node, Reader};
use crosscheck_core::text::is_ecma_space;
use crosscheck_core::{JsStr, JsString, advice::with_causes, canonical};
use serde_json::Value;

use super::event::{Body, Event, Events, fault};
use crate::check::error::ContractError;
use crate::check::reasons::{ContractFailure, ContractReason};

/// The longest line that is read; a longer one is malformed.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;
const WINDOW: usize = 1024 * 1024;
const JUMP: usize = 4096;
/// How many malformed lines are named; further ones are counted.
const NAMED_MAX: usize = 20;

/// The events of one workflow.
pub struct Log {
    lines: Lines,
    tools: Vec<Arc<JsString>>,
    observations: Vec<Observation>,
    /// What else the run logged.
    pub(crate) context: RunContext,
    /// What the file held.
    pub counts: Counts,
    /// What is wrong with the first lines that are not events.
    pub(crate) malformed: Vec<String>,
    /// Whether observations come as checkpoints, which this mode refuses.
    pub has_checkpoints: bool,
    /// What is odd about the order of the observations.
    pub(crate) sequence: Vec<ContractReason>,
}

/// What an events file held.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Lines that are not blank.
    pub lines: usize,
    /// Lines that are events.
    pub events: usize,
    /// Lines that are not.
    pub malformed: usize,
    /// Tool observations of the workflow.
    pub observed: usize,
    /// Tool observations of other workflows.
    pub others: usize,
}

#[derive(Debug, Clone, Copy)]
struct Observation {
    seq: u64,
    offset: u64,
    digest: u64,
    len: u32,
    /// Where in the line the parameters begin.
    params: u32,
    tool: u32,
    ingest: u32,
}

/// One logical step: all observations with one `seq`.
#[derive(Debug)]
pub(crate) struct Step<'l> {
    pub(crate) seq: u64,
    pub(crate) tool_id: &'l Arc<JsString>,
    /// The last observation, as it stands in the file.
    pub(crate) line: &'l [u8],
    /// Its parameters.
    pub(crate) params: Node<'l>,
    pub(crate) repeats: usize,
    pub(crate) diverges: bool,
    pub(crate) ingest: usize,
}

/// What a version 2 log says beside its tool observations.
#[derive(Debug, Default)]
pub(crate) struct RunContext {
    /// The newest version of its events; 0 when there is none.
    pub(crate) max_version: u8,
    /// Model turns, retrievals, controls and skipped tools, in file order.
    pub(crate) noted: Vec<Noted>,
    pub(crate) first_tool: Option<usize>,
    /// The ingest index of the last event.
    pub(crate) last: Option<usize>,
}

/// An event that is no tool observation, as far as reports need it: there may
/// be as many as observations.
#[derive(Debug)]
pub(crate) struct Noted {
    pub(crate) ingest: usize,
    members: Box<[(&'static str, Value)]>,
}

/// The members that are kept.
const NOTED: [&str; 10] = [
    "type",
    "runEventId",
    "status",
    "source",
    "hitCount",
    "controlKind",
    "decision",
    "label",
    "toolId",
    "reason",
];

impl Noted {
    fn new(ingest: usize, event: &mut Value) -> Self {
        let member = |name: &'static str| Some((name, event.get_mut(name)?.take()));
        let members = NOTED.into_iter().filter_map(member).collect();
        Self { ingest, members }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let mut members = self.members.iter();
        members
            .find(|(own, _)| *own == name)
            .map(|(_, value)| value)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn is(&self, kind: &str) -> bool {
        self.text("type") == kind
    }

    pub(crate) fn is_abnormal_turn(&self) -> bool {
        self.is("model_turn") && self.text("status") != "completed"
    }

    /// Whether a path was not taken: the controls that can explain a failure.
    pub(crate) fn is_skipped_path(&self) -> bool {
        matches!(self.text("controlKind"), "branch" | "gate") && self.text("decision") == "skipped"
    }
}

impl RunContext {
    pub(crate) fn run_completed(&self) -> bool {
        let mut noted = self.noted.iter();
        noted.any(|one| one.text("controlKind") == "run_completed")
    }

    /// Whether something other than success steered the run.
    pub(crate) fn is_disturbed(&self) -> bool {
        let disturbs = |one: &Noted| {
            one.is("tool_skipped") || one.text("decision") == "skipped" || one.is_abnormal_turn()
        };
        self.noted.iter().any(disturbs)
    }

    /// The last event, if it is no tool observation.
    pub(crate) fn last_noted(&self) -> Option<&Noted> {
        let last = self.noted.last();
        last.filter(|one| Some(one.ingest) == self.last)
    }
}

/// Reads the index of an events file.
pub fn load(path: &Path, workflow_id: &str) -> Result<Log, ContractError> {
    let fail = |error: io::Error| {
        ContractError::new(
            ContractFailure::EventsReadFailed,
            format!(
                "cannot read the events file `{}`: {}",
                path.display(),
                with_causes(&error)
            ),
        )
    };
    let file = open(path).map_err(fail)?;
    let mut index = Index {
        workflow_id,
        ..Index::default()
    };
    index.read(&file).map_err(fail)?;
    Ok(index.finish(file))
}

/// A pipe is kept in a nameless file, so that it can be read twice.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if meta.is_file() {
        return Ok(file);
    }
    let mut kept = tempfile::tempfile()?;
    io::copy(&mut BufReader::new(file), &mut kept)?;
    kept.seek(SeekFrom::Start(0))?;
    Ok(kept)
}

#[derive(Default)]
struct Index<'a> {
    workflow_id: &'a str,
    reader: Reader,
    events: Events,
    numbers: HashMap<Box<[u8]>, u32>,
    tools: Vec<Arc<JsString>>,
    observations: Vec<Observation>,
    times: Vec<i64>,
    context: RunContext,
    counts: Counts,
    /// The number of the line that is read, blank ones counted.
    number: u64,
    malformed: Vec<String>,
    has_checkpoints: bool,
    largest_seq: Option<u64>,
    out_of_order: bool,
    next_ingest: usize,
}

const NO_TIME: i64 = i64::MIN;

impl Index<'_> {
    fn read(&mut self, file: &File) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(WINDOW, file);
        let mut line = Vec::new();
        let mut offset = 0;
        loop {
            // a line that lies whole in the window is not copied
            let window = reader.fill_buf()?;
            if let Some(whole) = memchr::memchr(b'\n', window).and_then(|end| window.get(..=end)) {
                self.number += 1;
                self.line_at(whole, offset);
                let read = whole.len();
                offset += read as u64;
                reader.consume(read);
                continue;
            }
            line.clear();
            let read = (&mut reader)
                .take(MAX_LINE_BYTES)
                .read_until(b'\n', &mut line)? as u64;
            if read == 0 {
                return Ok(());
            }
            let start = offset;
            offset += read;
            self.number += 1;
            if read == MAX_LINE_BYTES && line.last() != Some(&b'\n') {
                offset += reader.skip_until(b'\n')? as u64;
                self.counts.lines += 1;
                self.refuse(|| format!("it is longer than {MAX_LINE_BYTES} bytes"));
                continue;
            }
            self.line_at(&line, start);
        }
    }

    /// A line of the file; the first may begin with a byte order mark.
    fn line_at(&mut self, line: &[u8], offset: u64) {
        match line.strip_prefix(b"\xEF\xBB\xBF") {
            Some(line) if offset == 0 => self.line(line, 3),
            _ => self.line(line, offset),
        }
    }

    fn line(&mut self, line: &[u8], offset: u64) {
        if is_blank(line) {
            return;
        }
        self.counts.lines += 1;
        // taken out and put back, so that the event may borrow from it
        let mut reader = std::mem::take(&mut self.reader);
        match parse_line(&mut reader, line) {
            None => self.refuse(|| "it is not JSON".to_owned()),
            Some(json) => match self.events.read(json) {
                Ok(event) => self.event(event, line, offset),
                Err(violations) => self.refuse(|| fault(&violations)),
            },
        }
        self.reader = reader;
    }

    fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.counts.malformed += 1;
        if self.malformed.len() < NAMED_MAX {
            let (number, why) = (self.number, why());
            let text = format!("line {number} of the events file is not an event: {why}");
            self.malformed.push(text);
        }
    }

    fn event(&mut self, event: Event<'_>, line: &[u8], offset: u64) {
        self.counts.events += 1;
        let ours = event.workflow_id.as_str() == Some(self.workflow_id);
        if let (Body::ToolObserved { .. }, false) = (&event.body, ours) {
            self.counts.others += 1;
        }
        if ours {
            self.note(event, line, offset);
        }
    }

    fn note(&mut self, event: Event<'_>, line: &[u8], offset: u64) {
        let ingest = self.next_ingest;
        self.next_ingest += 1;
        self.context.max_version = self.context.max_version.max(event.version);
        self.context.last = Some(ingest);
        match event.body {
            Body::ToolObserved {
                seq,
                tool_id,
                timestamp,
                params,
            } => {
                self.has_checkpoints |= event.version == 3;
                self.counts.observed += 1;
                self.context.first_tool.get_or_insert(ingest);
                self.out_of_order |= self.largest_seq.is_some_and(|largest| seq < largest);
                self.largest_seq = self.largest_seq.max(Some(seq));
                let tool = self.number(tool_id);
                self.times.push(timestamp.unwrap_or(NO_TIME));
                self.observations.push(Observation {
                    seq,
                    offset,
                    digest: digest(line),
                    len: u32::try_from(line.len()).unwrap_or(u32::MAX),
                    params: u32::try_from(params).unwrap_or(u32::MAX),
                    tool,
                    ingest: u32::try_from(ingest).unwrap_or(u32::MAX),
                });
            }
            Body::Noted(mut event) => self.context.noted.push(Noted::new(ingest, &mut event)),
        }
    }

    fn number(&mut self, tool_id: JsStr<'_>) -> u32 {
        // mostly the tool of the call before
        if let Some(before) = self.observations.last()
            && let Some(known) = self.tools.get(before.tool as usize)
            && known.as_js() == tool_id
        {
            return before.tool;
        }
        if let Some(number) = self.numbers.get(tool_id.bytes()) {
            return *number;
        }
        let number = u32::try_from(self.tools.len()).unwrap_or(u32::MAX);
        self.numbers.insert(tool_id.bytes().into(), number);
        self.tools.push(Arc::new(tool_id.to_owned()));
        number
    }

    fn finish(self, file: File) -> Log {
        let mut sequence = Vec::new();
        let mut order: Vec<usize> = Vec::new();
        if self.out_of_order {
            sequence.push(ContractReason::CaptureOrder);
            order = (0..self.observations.len()).collect();
            order.sort_by_key(|at| self.observations.get(*at).map(|seen| seen.seq));
        }
        let sorted = |at: usize| order.get(at).copied().unwrap_or(at);
        let time = |at: usize| self.times.get(sorted(at)).copied().unwrap_or(NO_TIME);
        let decreases = (1..self.times.len())
            .any(|at| time(at) != NO_TIME && time(at - 1) != NO_TIME && time(at) < time(at - 1));
        if decreases {
            sequence.push(ContractReason::TimestampOrder);
        }
        let mut observations = self.observations;
        observations.sort_by_key(|seen| seen.seq); // stable: file order within a seq
        Log {
            lines: Lines {
                file,
                window: Vec::new(),
                start: 0,
                ahead: JUMP,
                reader: Reader::default(),
            },
            tools: self.tools,
            observations,
            context: self.context,
            counts: self.counts,
            malformed: self.malformed,
            has_checkpoints: self.has_checkpoints,
            sequence,
        }
    }
}

impl Log {
    /// How many logical steps there are.
    pub fn step_count(&self) -> usize {
        self.observations.chunk_by(|a, b| a.seq == b.seq).count()
    }

    /// How many observations come next, at most `max`, and how long their lines are.
    pub(crate) fn ahead(&self, from: usize, max: usize) -> (usize, usize) {
        let rest = self.observations.get(from..).unwrap_or_default();
        let bytes = rest.iter().take(max).map(|seen| seen.len as usize).sum();
        (rest.len().min(max), bytes)
    }

    /// Hands over the next steps in seq order, at most `max`; `from` is moved on.
    pub(crate) fn next_steps(
        &mut self,
        from: &mut usize,
        max: usize,
        mut take: impl FnMut(Step<'_>),
    ) -> Result<(), ContractError> {
        let rest = self.observations.get(*from..).unwrap_or_default();
        for group in rest.chunk_by(|a, b| a.seq == b.seq).take(max) {
            take(step(&mut self.lines, &self.tools, group)?);
            *from += group.len();
        }
        Ok(())
    }

    /// The ingest index of the last observation of each seq.
    pub(crate) fn ingest_by_seq(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.observations
            .chunk_by(|a, b| a.seq == b.seq)
            .filter_map(|group| group.last().map(|last| (last.seq, last.ingest as usize)))
    }

    /// The bytes of the file, from its beginning.
    pub(crate) fn bytes(&self) -> io::Result<impl io::Read + '_> {
        let mut file = &self.lines.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

fn step<'l>(
    lines: &'l mut Lines,
    tools: &'l [Arc<JsString>],
    group: &[Observation],
) -> Result<Step<'l>, ContractError> {
    let (last, earlier) = group.split_last().ok_or_else(changed)?;
    let mut diverges = earlier.iter().any(|seen| seen.tool != last.tool);
    if !diverges && !earlier.is_empty() {
        let (line, params) = lines.read(last)?;
        let (line, params) = (line.to_owned(), canonical::of_node(params));
        for seen in earlier {
            let (other, others) = lines.read(seen)?;
            diverges |= other != line && canonical::of_node(others) != params;
        }
    }
    let (line, params) = lines.read(last)?;
    Ok(Step {
        seq: last.seq,
        tool_id: tools.get(last.tool as usize).ok_or_else(changed)?,
        line,
        params,
        repeats: group.len(),
        diverges,
        ingest: last.ingest as usize,
    })
}

fn changed() -> ContractError {
    ContractError::internal("the events file was changed while it was read; run again")
}

/// The parameters of an observation.
fn params(line: &Json) -> Option<Node<'_>> {
    line.root().get("params")
}

/// The canonical parameters of a line that was read before.
pub(crate) fn canonical_params(line: &[u8]) -> String {
    let line = std::str::from_utf8(without_end(line)).ok();
    let json = line.and_then(|line| Json::parse(line).ok());
    let params = json.as_ref().and_then(params);
    params.map_or_else(String::new, canonical::of_node)
}

/// Lines of the file by their place, mostly one after the other.
struct Lines {
    file: File,
    window: Vec<u8>,
    start: u64,
    /// How much is read at once.
    ahead: usize,
    reader: Reader,
}

impl Lines {
    /// The line of an observation again, and its parameters.
    fn read(&mut self, seen: &Observation) -> Result<(&[u8], Node<'_>), ContractError> {
        let place = self
            .place(seen.offset, seen.len as usize)
            .map_err(|_| changed())?;
        let line = self.window.get(place).ok_or_else(changed)?;
        if digest(line) != seen.digest {
            return Err(changed());
        }
        let params = line.get(seen.params as usize..).ok_or_else(changed)?;
        let (json, _) = self.reader.read_first(params).map_err(|_| changed())?;
        Ok((line, json.root()))
    }

    /// Where in the window a line is; the window is moved to it.
    fn place(&mut self, offset: u64, len: usize) -> io::Result<Range<usize>> {
        let inside =
            offset >= self.start && offset + len as u64 <= self.start + self.window.len() as u64;
        if !inside {
            // Far jumps are taken with little luggage: a file in another order
            // than that of the steps would else be read again for each of them.
            let goes_on = self.start + self.window.len() as u64;
            self.ahead = if (self.start..=goes_on).contains(&offset) {
                (self.ahead * 2).min(WINDOW)
            } else {
                JUMP
            };
            self.window.resize(len.max(self.ahead), 0);
            let mut filled = 0;
            while filled < self.window.len() {
                let place = offset + filled as u64;
                let Some(rest) = self.window.get_mut(filled..) else {
                    break;
                };
                match self.file.read_at(rest, place)? {
                    0 => break,
                    read => filled += read,
                }
            }
            self.window.truncate(filled);
            self.start = offset;
        }
        let from = usize::try_from(offset - self.start).unwrap_or(usize::MAX);
        Ok(from..from.saturating_add(len))
    }
}

fn parse_line<'r>(reader: &'r mut Reader, line: &[u8]) -> Option<&'r Json> {
    reader.read(without_end(line)).ok()
}

/// Whether nothing is left of a line that ECMAScript trims.
fn is_blank(line: &[u8]) -> bool {
    let is_space = |text: &str| text.chars().all(is_ecma_space);
    match line.first() {
        Some(b'{') => false,
        Some(_) => std::str::from_utf8(line).is_ok_and(is_space),
        None => true,
    }
}

fn without_end(mut line: &[u8]) -> &[u8] {
    while let [before @ .., b'\r' | b'\n'] = line {
        line = before;
    }
    line
}

/// Tells whether a line is still the one that was indexed: a check sum, not
/// a proof. No verdict depends on it.
fn digest(line: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = line.as_chunks::<8>();
    let mut sum = line.len() as u64;
    for word in words {
        sum = (sum.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
    }
    for byte in rest {
        sum = (sum.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(FACTOR);
    }
    sum ^ sum >> 32
}
