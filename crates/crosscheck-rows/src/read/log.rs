//! From the bytes of logs to their calls, line by line where that is possible.

use std::io::{self, BufRead, Read as _};

use crosscheck_core::Json;
use crosscheck_transcript::{Format, Reader, detect};

use super::Call;
use super::pairs::Pairs;

/// The longest log that is one JSON document, and the longest line.
const LARGEST: u64 = 1 << 30;
/// A document and all its calls are in memory at once: about so many bytes for
/// each byte of it.
const HELD: usize = 12;
/// So much of a log is looked at to find out its format.
const GLANCE: usize = 1 << 20;
/// Calls are handed over in parts of about so many lines or bytes.
const LINES: usize = 1000;
const BYTES: usize = 4 << 20;

/// How a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InputFormat {
    /// By what is typical of its records.
    #[default]
    Auto,
    /// As this format.
    Is(Format),
}

/// What is known about the logs beside their calls.
#[derive(Debug, Default)]
pub struct Logs {
    /// How they are called, in the order they were read.
    pub names: Vec<String>,
    /// Which of them are one JSON document: their records are not lines.
    pub documents: Vec<usize>,
    /// Lines that are not JSON: the log, and the line.
    pub malformed: Vec<(usize, usize)>,
    /// How many such lines there are; only the first of them are listed.
    pub malformed_count: usize,
    /// Lines that may be calls of an unknown form: the log, and the line.
    pub unknown: Vec<(usize, usize)>,
    /// How many such lines there are; only the first of them are listed.
    pub unknown_count: usize,
    /// Records of unknown form in each log.
    pub ignored: Vec<usize>,
    /// The last message of the model, if the last log has one.
    pub closing: Option<String>,
    last_step: u32,
}

impl Logs {
    /// Reads one more log and hands over its calls, part by part and in order.
    pub fn read(
        &mut self,
        name: &str,
        format: InputFormat,
        log: &mut dyn BufRead,
        take: &mut dyn FnMut(Vec<Call>),
    ) -> io::Result<()> {
        let mut whole = glance(log)?;
        if is_lines(&whole) {
            let format = chosen(format, &whole);
            return self.lines(name, format, &mut io::Cursor::new(whole).chain(log), take);
        }
        let left = (LARGEST + 1).saturating_sub(whole.len() as u64);
        log.take(left).read_to_end(&mut whole)?;
        if whole.len() as u64 > LARGEST {
            return Err(io::Error::other(format!(
                "a log that is one JSON document may have {LARGEST} bytes"
            )));
        }
        has_room(whole.len())?;
        let text = whole.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&whole);
        let format = chosen(format, text);
        let document = std::str::from_utf8(text).ok().map(Json::parse);
        match document {
            Some(Ok(json)) => {
                drop(whole);
                let mut reader = Reader::new(format);
                reader.document(&json);
                drop(json);
                self.documents.push(self.names.len());
                self.finish(name, reader, self.pairs(format), take);
                Ok(())
            }
            _ => self.lines(name, format, &mut io::Cursor::new(&whole), take),
        }
    }

    fn lines(
        &mut self,
        name: &str,
        format: Format,
        log: &mut dyn BufRead,
        take: &mut dyn FnMut(Vec<Call>),
    ) -> io::Result<()> {
        let mut reader = Reader::new(format);
        let mut pairs = self.pairs(format);
        let mut line = Vec::new();
        let mut bytes = 0;
        loop {
            line.clear();
            let read = (&mut *log).take(LARGEST).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            let text = if reader.lines() == 0 {
                line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line)
            } else {
                &line
            };
            reader.line(text);
            hear(&mut reader, &mut pairs);
            bytes += read;
            if reader.lines().is_multiple_of(LINES) || bytes >= BYTES {
                bytes = 0;
                line.shrink_to(BYTES);
                let ready = pairs.ready(false, &|tool| reader.hints(tool));
                if !ready.is_empty() {
                    take(ready);
                }
            }
        }
        self.finish(name, reader, pairs, take);
        Ok(())
    }

    fn pairs(&self, format: Format) -> Pairs {
        let log = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        Pairs::new(format, log, self.last_step)
    }

    fn finish(
        &mut self,
        name: &str,
        mut reader: Reader,
        mut pairs: Pairs,
        take: &mut dyn FnMut(Vec<Call>),
    ) {
        hear(&mut reader, &mut pairs);
        let transcript = reader.finish();
        let log = self.names.len();
        self.names.push(name.to_owned());
        let lines = transcript.malformed.lines.iter();
        self.malformed.extend(lines.map(|line| (log, *line)));
        self.malformed_count += transcript.malformed.count;
        let lines = transcript.unknown.lines.iter();
        self.unknown.extend(lines.map(|line| (log, *line)));
        self.unknown_count += transcript.unknown.count;
        self.ignored.push(transcript.ignored);
        self.last_step = pairs.last_step();
        self.closing = pairs.closing.take();
        let ready = pairs.ready(true, &|tool| transcript.tools.get(tool).copied());
        if !ready.is_empty() {
            take(ready);
        }
    }
}

fn hear(reader: &mut Reader, pairs: &mut Pairs) {
    for event in reader.drain_events() {
        pairs.add(event);
    }
}

/// The beginning of a log: its first line at least, and what comes behind it.
fn glance(log: &mut dyn BufRead) -> io::Result<Vec<u8>> {
    let mut glance = Vec::new();
    log.take(GLANCE as u64).read_to_end(&mut glance)?;
    if glance.len() == GLANCE && !glance.trim_ascii_start().contains(&b'\n') {
        (&mut *log).take(LARGEST).read_until(b'\n', &mut glance)?;
        (&mut *log).take(GLANCE as u64).read_to_end(&mut glance)?;
    }
    Ok(glance)
}

/// Fails where the memory that a document takes cannot be had, as under
/// `ulimit -v`: later it could not be said.
fn has_room(bytes: usize) -> io::Result<()> {
    let wanted = bytes.saturating_mul(HELD);
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(wanted).map_err(|_| {
        let message = format!(
            "one JSON document of {bytes} bytes takes about {wanted} bytes of memory, which cannot be had; a log with one record per line takes less"
        );
        io::Error::new(io::ErrorKind::OutOfMemory, message)
    })
}

/// The format of a log by its beginning; one that is typical of nothing is
/// read as plain calls.
fn chosen(format: InputFormat, glance: &[u8]) -> Format {
    match format {
        InputFormat::Is(format) => format,
        InputFormat::Auto => detect(&String::from_utf8_lossy(glance)).unwrap_or(Format::Calls),
    }
}

/// Whether a log is one record per line: its first line is a JSON value, and
/// it is not the only one.
fn is_lines(glance: &[u8]) -> bool {
    let glance = glance.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(glance);
    let mut lines = glance.split(|byte| *byte == b'\n');
    let is_blank = |line: &&[u8]| line.iter().all(u8::is_ascii_whitespace);
    let Some(first) = lines.find(|line| !is_blank(line)) else {
        return true;
    };
    let has_more = lines.any(|line| !is_blank(&line));
    let is_json =
        |line: &[u8]| std::str::from_utf8(line).is_ok_and(|line| Json::parse(line).is_ok());
    has_more && is_json(first)
}

#[cfg(test)]
mod tests {
    use super::has_room;

    #[test]
    fn a_document_that_memory_cannot_hold_is_an_error_with_a_name() {
        assert!(has_room(1000).is_ok());
        let error = has_room(usize::MAX / 2).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::OutOfMemory);
        assert!(error.to_string().contains("one record per line"), "{error}");
    }
}
