//! Reading a trace from outside the verifier: event by event, for people who
//! want to compare or to look.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crosscheck_core::files::open_regular;

use crate::error::TraceError;
use crate::read::document;
use crate::read::event::{self, Event};
use crate::read::header::{self, Header, NoHeader};
use crate::read::lines::{Line, Lines, MAX_LINE};
use crate::read::object::Flaws;
use crate::tape::Document;

/// A trace that is read from its first line to its last.
pub(crate) struct TraceReader<R: Read> {
    name: String,
    lines: Lines<R>,
    buffer: Vec<u8>,
}

/// One line of a trace.
pub(crate) enum Record {
    /// An event, to be read with [`with_event`].
    Event { line: u64, json: Document },
    /// A line that is none, and why.
    Broken { line: u64, why: String },
}

impl TraceReader<File> {
    /// Opens `trace.jsonl` of a run directory, or a trace file itself.
    pub(crate) fn open(path: &Path) -> Result<Self, TraceError> {
        let path = trace_file(path);
        let file = open_regular(&path).map_err(|source| TraceError::Open {
            what: "trace",
            source,
        })?;
        Ok(Self {
            name: path.display().to_string(),
            lines: Lines::new(file, MAX_LINE),
            buffer: Vec::new(),
        })
    }
}

/// The trace file that a path means.
pub(crate) fn trace_file(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("trace.jsonl")
    } else {
        path.to_owned()
    }
}

impl<R: Read> TraceReader<R> {
    /// Reads the header, without which nothing else means anything.
    pub(crate) fn header(&mut self) -> Result<Header, TraceError> {
        let line = self.step()?;
        let number = self.lines.number();
        let why = match line {
            Line::End => "the trace has no line".to_owned(),
            Line::TooLong => "the line is too long".to_owned(),
            Line::Text => match document::parse(&self.buffer) {
                Err((reason, why)) => format!("{}: {why}", reason.wire()),
                Ok(json) => match header::header(json.root(), number) {
                    Ok(header) => return Ok(header),
                    Err(NoHeader::Flawed(flaw) | NoHeader::Unknown(_, flaw)) => {
                        format!("{} {}", flaw.reason.wire(), flaw.field)
                    }
                    Err(NoHeader::Unsupported(all)) => {
                        let words: Vec<String> = all.iter().map(|one| one.reason.wire()).collect();
                        words.join(", ")
                    }
                },
            },
        };
        Err(self.broken(number, why))
    }

    /// The next record, or the end.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, TraceError> {
        let step = self.step()?;
        let line = self.lines.number();
        Ok(match step {
            Line::End => None,
            Line::TooLong => Some(Record::Broken {
                line,
                why: "the line is too long".to_owned(),
            }),
            Line::Text => Some(match document::parse(&self.buffer) {
                Ok(json) => Record::Event { line, json },
                Err((reason, why)) => Record::Broken {
                    line,
                    why: format!("{}: {why}", reason.wire()),
                },
            }),
        })
    }

    /// An error that names a line of this trace.
    pub(crate) fn broken(&self, line: u64, why: String) -> TraceError {
        TraceError::Broken {
            name: self.name.clone(),
            line,
            why,
        }
    }

    fn step(&mut self) -> Result<Line, TraceError> {
        let line = self.lines.number();
        self.lines
            .next(&mut self.buffer)
            .map_err(|source| TraceError::Read { line, source })
    }
}

/// Reads the event of a record and gives it to `hear`; the text says why it
/// is none.
pub(crate) fn with_event<T>(
    json: &Document,
    hear: impl FnOnce(&Event<'_>) -> T,
) -> Result<T, String> {
    let mut flaws = Flaws::new();
    match event::event(json.root(), &mut flaws) {
        Some(event) if flaws.is_empty() => Ok(hear(&event)),
        _ => Err(flaws.first().map_or_else(String::new, |flaw| {
            format!("{} {}", flaw.reason.wire(), flaw.field)
                .trim_end()
                .to_owned()
        })),
    }
}
