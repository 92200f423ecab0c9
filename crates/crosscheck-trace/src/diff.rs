//! `trace diff`: the first difference between two traces (trace 13).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crosscheck_core::digest::{Digest, of_reader};
use crosscheck_core::files::folder_of;
use crosscheck_core::foreign;
use crosscheck_core::redact::redacted;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::TraceError;
use crate::observe::artifacts;
use crate::observe::inputs::open_root;
use crate::read::event::Body;
use crate::read::header::Header;
use crate::reader::TraceFile;

/// The first difference between two traces. Events are compared in normalised form: spelling,
/// order of keys, aliases and written-out defaults make no difference.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TraceDiff {
    /// Whether headers, events and the bytes of the evidence are the same.
    pub identical: bool,
    /// Position of the first event that differs, or the length of the shorter
    /// trace; `None` when the events are the same.
    pub first_difference: Option<u64>,
    /// Header fields that differ.
    pub header_fields: Vec<&'static str>,
    /// Evidence files whose bytes differ, or that one run lacks.
    pub evidence_files: Vec<String>,
    /// The first trace from there on.
    pub a: DiffSide,
    /// The second trace from there on.
    pub b: DiffSide,
}

/// One trace from the first difference on.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct DiffSide {
    /// Number of events.
    pub events: u64,
    /// The event at the difference; `None` when the trace ended before.
    #[schemars(with = "Option<serde_json::Value>")]
    pub event: Option<Box<RawValue>>,
    /// Line of that event.
    pub line: Option<u64>,
    /// Kinds of events from the difference on.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// Compares two traces, each a run directory or a trace file; the evidence of two
/// run directories as well.
pub fn diff(first_path: &Path, second_path: &Path) -> Result<TraceDiff, TraceError> {
    let (mut first, mut second) = (TraceFile::open(first_path)?, TraceFile::open(second_path)?);
    let mut evidence = BTreeSet::new();
    let header_fields = header_fields(&first.header()?, &second.header()?);
    let (mut a, mut b) = (DiffSide::default(), DiffSide::default());
    let mut first_difference = None;
    loop {
        let (left, right) = (
            normalised(&mut first, &mut evidence)?,
            normalised(&mut second, &mut evidence)?,
        );
        let position = a.events;
        if left.is_none() && right.is_none() {
            break;
        }
        let differ =
            left.as_ref().map(|event| &event.text) != right.as_ref().map(|event| &event.text);
        if differ && first_difference.is_none() {
            first_difference = Some(position.min(b.events));
            a.keep(left.as_ref());
            b.keep(right.as_ref());
        }
        let parted = first_difference.is_some();
        a.count(left.as_ref(), parted);
        b.count(right.as_ref(), parted);
    }
    let evidence_files = evidence_files(evidence, first_path, second_path)?;
    Ok(TraceDiff {
        identical: first_difference.is_none()
            && header_fields.is_empty()
            && evidence_files.is_empty(),
        first_difference,
        header_fields,
        evidence_files,
        a,
        b,
    })
}

struct Normalised {
    line: u64,
    kind: &'static str,
    text: String,
}

/// The files of this evidence that are not the same in both runs.
fn evidence_files(
    paths: BTreeSet<String>,
    first: &Path,
    second: &Path,
) -> Result<Vec<String>, TraceError> {
    let (Some(first), Some(second)) = (run_dir(first), run_dir(second)) else {
        return Ok(Vec::new());
    };
    if paths.is_empty() || first == second {
        return Ok(Vec::new());
    }
    let (first, second) = (open_root(first)?, open_root(second)?);
    let content =
        |root, path: &str| -> Option<Digest> { of_reader(artifacts::open(root, path).ok()?).ok() };
    Ok(paths
        .into_iter()
        .filter(|path| content(&first, path) != content(&second, path))
        .collect())
}

/// The run directory that a path names; a trace file on its own has none.
fn run_dir(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return Some(path);
    }
    let is_of_run = path.file_name().is_some_and(|name| name == "trace.jsonl");
    is_of_run.then(|| folder_of(path))
}

fn normalised(
    trace: &mut TraceFile,
    evidence: &mut BTreeSet<String>,
) -> Result<Option<Normalised>, TraceError> {
    let (line, why) = match trace.next()? {
        None => return Ok(None),
        Some((line, Ok(event))) => {
            if let Body::Registered(registered) = &event.body {
                evidence.insert(registered.content_path.to_owned());
            }
            return Ok(Some(Normalised {
                line,
                kind: event.kind(),
                text: event.text,
            }));
        }
        Some((line, Err(why))) => (line, why),
    };
    Err(trace.broken(line, why))
}

impl DiffSide {
    fn keep(&mut self, event: Option<&Normalised>) {
        self.line = event.map(|event| event.line);
        let hidden = || RawValue::from_string("\"[redacted]\"".to_owned());
        let shown = |event: &Normalised| {
            let shown = RawValue::from_string(redacted(&event.text));
            shown.or_else(|_| hidden()).ok()
        };
        self.event = event.and_then(shown);
    }

    fn count(&mut self, event: Option<&Normalised>, parted: bool) {
        let Some(event) = event else {
            return;
        };
        self.events += 1;
        if parted {
            *self.kinds.entry(event.kind).or_default() += 1;
        }
    }

    fn write(&self, name: &str, text: &mut String) {
        let _ = write!(text, "  {name}: {} events", self.events);
        match (self.line, &self.event) {
            (Some(line), Some(event)) => {
                let _ = write!(text, ", line {line}\n     {}", event.get());
            }
            _ => text.push_str(", ended before"),
        }
        let kinds: Vec<String> = self
            .kinds
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        if !kinds.is_empty() {
            let _ = write!(text, "\n     from there: {}", kinds.join(", "));
        }
        text.push('\n');
    }
}

impl TraceDiff {
    /// The text for people, safe for a terminal.
    pub fn human(&self) -> String {
        let mut text = match (self.identical, self.first_difference) {
            (true, _) => format!("identical: {} events\n", self.a.events),
            (false, None) if self.header_fields.is_empty() => {
                format!(
                    "the {} events are the same, the evidence differs\n",
                    self.a.events
                )
            }
            (false, None) => format!(
                "the {} events are the same, the headers differ\n",
                self.a.events
            ),
            (false, Some(at)) => format!("the traces differ from event {at} on\n"),
        };
        if !self.header_fields.is_empty() {
            let _ = writeln!(
                text,
                "  header fields that differ: {}",
                self.header_fields.join(", ")
            );
        }
        for path in &self.evidence_files {
            let _ = writeln!(text, "  evidence that differs: {path}");
        }
        if self.first_difference.is_some() {
            self.a.write("a", &mut text);
            self.b.write("b", &mut text);
        }
        foreign::terminal(&text).into_owned()
    }
}

fn header_fields(a: &Header, b: &Header) -> Vec<&'static str> {
    let differ = [
        ("id", a.id != b.id),
        ("metadata", a.metadata_text() != b.metadata_text()),
        ("plan_id", a.plan_id != b.plan_id),
        ("schema_version", a.schema_version != b.schema_version),
        ("spec_id", a.spec_id != b.spec_id),
    ];
    differ
        .into_iter()
        .filter(|(_, differ)| *differ)
        .map(|(field, _)| field)
        .collect()
}
