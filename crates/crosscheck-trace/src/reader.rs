//! Trace files for the commands that compare, seal and show runs.

use std::fs::File;
use std::path::{Path, PathBuf};

use crosscheck_core::files::open_regular;

use crate::error::TraceError;
use crate::read::event::Event;
use crate::read::header::{Header, NoHeader};
use crate::read::object::Flaw;
use crate::read::trace::TraceReader;

/// A trace file and its name.
pub(crate) struct TraceFile {
    name: String,
    reader: TraceReader<File>,
}

impl TraceFile {
    /// Opens `trace.jsonl` of a run directory, or a trace file itself.
    pub(crate) fn open(path: &Path) -> Result<Self, TraceError> {
        let path = trace_file(path);
        let file = open_regular(&path).map_err(|source| TraceError::Open {
            what: "trace",
            source,
        })?;
        Ok(Self {
            name: path.display().to_string(),
            reader: TraceReader::new(file, false),
        })
    }

    /// Reads the header, which everything else depends on.
    pub(crate) fn header(&mut self) -> Result<Header, TraceError> {
        let header = self.reader.header();
        let line = self.reader.number();
        let why = match header.map_err(|source| TraceError::Read { line, source })? {
            Ok(header) => return Ok(header),
            Err(NoHeader::Flawed(flaw) | NoHeader::Unknown(_, flaw)) => words(&flaw),
            Err(NoHeader::Unsupported(all)) => {
                let words: Vec<String> = all.iter().map(|one| one.reason.wire()).collect();
                words.join(", ")
            }
        };
        Err(self.broken(line, why))
    }

    /// The next line, if there is one: its number, and its event or why it is
    /// not one.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'_>>, TraceError> {
        let line = self.reader.number();
        let record = self
            .reader
            .next()
            .map_err(|source| TraceError::Read { line, source })?;
        Ok(record.map(|(line, event)| {
            let why = |flaws: Vec<Flaw>| flaws.first().map(words).unwrap_or_default();
            (line, event.map_err(why))
        }))
    }

    /// An error that names a line of this trace.
    pub(crate) fn broken(&self, line: u64, why: String) -> TraceError {
        TraceError::Broken {
            name: self.name.clone(),
            line,
            why,
        }
    }
}

/// One line of a trace.
pub(crate) type Record<'j> = (u64, Result<Event<'j>, String>);

/// The trace file that a path names.
pub(crate) fn trace_file(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("trace.jsonl")
    } else {
        path.to_owned()
    }
}

fn words(flaw: &Flaw) -> String {
    let code = flaw.reason.wire();
    match (&flaw.found, flaw.field.as_str()) {
        (Some(found), _) => format!("{code}: {found}"),
        (None, "") => code,
        (None, field) => format!("{code} {field}"),
    }
}
