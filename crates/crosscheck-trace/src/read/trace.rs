//! A trace, read line by line (trace 2.1).

use std::io::{self, Read};

use crosscheck_core::digest::Digest;
use crosscheck_core::json::{Reader, Rules};

use super::document;
use super::event::{self, Event};
use super::header::{self, Header, NoHeader};
use super::lines::{Line, Lines, MAX_LINE};
use super::object::{Flaw, Flaws};
use crate::reasons::TraceReason;

/// A trace that is read from its first line to its last.
pub(crate) struct TraceReader<R: Read> {
    lines: Lines<R>,
    buffer: Vec<u8>,
    line: Reader,
}

/// One line of a trace: its number, and its event or why it is not one.
pub(crate) type Record<'j> = (u64, Result<Event<'j>, Flaws>);

impl<R: Read> TraceReader<R> {
    /// Reads a trace; `is_hashed` asks for the hash of the file.
    pub(crate) fn new(reader: R, is_hashed: bool) -> Self {
        Self {
            lines: Lines::new(reader, MAX_LINE, is_hashed),
            buffer: Vec::new(),
            line: Reader::new(Rules::STRICT),
        }
    }

    /// Reads the header, which everything else depends on.
    pub(crate) fn header(&mut self) -> io::Result<Result<Header, NoHeader>> {
        let flawed = |flaw| Ok(Err(NoHeader::Flawed(flaw)));
        match self.lines.next(&mut self.buffer)? {
            Line::End => return flawed(Flaw::new(TraceReason::EmptyTrace, "")),
            Line::TooLong => return flawed(too_long()),
            Line::Text => {}
        }
        match document::parse(&self.buffer) {
            Err(flaw) => flawed(flaw),
            Ok(json) => Ok(header::header(json.root(), self.number())),
        }
    }

    /// The next line, if there is one.
    pub(crate) fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        let event = match self.lines.next(&mut self.buffer)? {
            Line::End => return Ok(None),
            Line::TooLong => Err(vec![too_long()]),
            Line::Text => read_event(&mut self.line, &self.buffer),
        };
        Ok(Some((self.lines.number(), event)))
    }

    /// The number of the line read last, from 1.
    pub(crate) const fn number(&self) -> u64 {
        self.lines.number()
    }

    /// Reads the rest; returns the hash of the file, if requested, and its
    /// length.
    pub(crate) fn finish(self) -> io::Result<(Option<Digest>, u64)> {
        self.lines.finish()
    }
}

fn too_long() -> Flaw {
    Flaw {
        found: Some(format!("a line longer than {MAX_LINE} bytes")),
        ..Flaw::new(TraceReason::BadRecord, "")
    }
}

/// Reads the event of one line.
fn read_event<'j>(reader: &'j mut Reader, line: &[u8]) -> Result<Event<'j>, Flaws> {
    std::str::from_utf8(line).map_err(|error| vec![document::bad_utf8(error)])?;
    let json = reader
        .read(line)
        .map_err(|error| vec![document::refused(error)])?;
    let mut flaws = Flaws::new();
    match event::event(json.root(), &mut flaws) {
        Some(event) if flaws.is_empty() => Ok(event),
        _ => Err(flaws),
    }
}
