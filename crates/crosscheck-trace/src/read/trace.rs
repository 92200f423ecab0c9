//! A trace, read line by line (trace 2.1).

use std::io::{self, Read};

use crosscheck_core::digest::Digest;
use crosscheck_core::json::{Reader, Rules};

use super::direct;
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
    events: EventReader,
}

/// One line of a trace: its number, and its event or why it is not one.
pub(crate) type Record<'j> = (u64, Result<Event<'j>, Flaws>);

impl<R: Read> TraceReader<R> {
    /// Reads a trace; `is_hashed` asks for the hash of the file.
    pub(crate) fn new(reader: R, is_hashed: bool) -> Self {
        Self {
            lines: Lines::new(reader, MAX_LINE, is_hashed),
            buffer: Vec::new(),
            events: EventReader::default(),
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
            Line::Text => self.events.read(&self.buffer),
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

/// Reads events one after the other in the same memory.
#[derive(Debug)]
pub(crate) struct EventReader {
    payload: Reader,
    line: Reader,
}

impl Default for EventReader {
    fn default() -> Self {
        Self {
            payload: direct::payload_reader(),
            line: Reader::new(Rules::STRICT),
        }
    }
}

impl EventReader {
    /// Reads one line: directly, if it has the form its producer writes,
    /// otherwise by the tables.
    pub(crate) fn read<'j>(&'j mut self, line: &'j [u8]) -> Result<Event<'j>, Flaws> {
        let text = std::str::from_utf8(line).map_err(|error| vec![document::bad_utf8(error)])?;
        if let Some(event) = direct::event(text, &mut self.payload) {
            return Ok(event);
        }
        Self::by_tables(&mut self.line, line)
    }

    fn by_tables<'j>(reader: &'j mut Reader, line: &[u8]) -> Result<Event<'j>, Flaws> {
        let json = reader
            .read(line)
            .map_err(|error| vec![document::refused(error)])?;
        let mut flaws = Flaws::new();
        match event::event(json.root(), &mut flaws) {
            Some(event) if flaws.is_empty() => Ok(event),
            _ => Err(flaws),
        }
    }
}

#[cfg(test)]
mod tests;
