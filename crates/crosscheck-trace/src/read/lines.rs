//! The lines of a file, one at a time (trace 2.1), optionally with its hash.

use std::io::{self, BufRead, BufReader, Read};

use crosscheck_core::digest::{Digest, Hasher};

/// The longest line that is accepted.
pub(crate) const MAX_LINE: u64 = 256 << 20;

const BUFFER: usize = 1 << 16;

/// The result of reading one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line that is not empty, in the caller's buffer.
    Text,
    /// A line longer than the limit; it was skipped.
    TooLong,
    /// The end of the file.
    End,
}

/// Reads lines separated by LF, with one CR before it dropped.
pub(crate) struct Lines<R: Read> {
    reader: BufReader<Hashing<R>>,
    limit: u64,
    number: u64,
}

impl<R: Read> Lines<R> {
    /// Reads lines of up to `limit` bytes; `is_hashed` asks for the hash of
    /// the file.
    pub(crate) fn new(reader: R, limit: u64, is_hashed: bool) -> Self {
        let hasher = is_hashed.then(Hasher::new);
        Self {
            reader: BufReader::with_capacity(
                BUFFER,
                Hashing {
                    inner: reader,
                    hasher,
                    bytes: 0,
                },
            ),
            limit,
            number: 0,
        }
    }

    /// The number of the line read last, from 1; empty lines count.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Continues to the next line that is not empty.
    pub(crate) fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<Line> {
        loop {
            buffer.clear();
            // one for the line end, one for a CR that is dropped
            let room = self.limit.saturating_add(2);
            if self.read_line(room, buffer)? == 0 {
                return Ok(Line::End);
            }
            self.number += 1;
            let ended = buffer.pop_if(|byte| *byte == b'\n').is_some();
            if ended {
                let _ = buffer.pop_if(|byte| *byte == b'\r');
            }
            if buffer.len() as u64 > self.limit {
                if !ended {
                    self.skip_line()?;
                }
                buffer.clear();
                buffer.shrink_to(BUFFER);
                return Ok(Line::TooLong);
            }
            if !buffer.is_empty() {
                return Ok(Line::Text);
            }
        }
    }

    /// Appends at most `room` bytes up to a line end; returns how many.
    fn read_line(&mut self, room: u64, buffer: &mut Vec<u8>) -> io::Result<u64> {
        let mut read = 0;
        while read < room {
            let block = match self.reader.fill_buf() {
                Ok(block) => block,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let most = usize::try_from(room - read).unwrap_or(usize::MAX);
            let block = block.get(..most).unwrap_or(block);
            let end = memchr::memchr(b'\n', block);
            let taken = end.map_or(block.len(), |at| at + 1);
            buffer.extend_from_slice(block.get(..taken).unwrap_or_default());
            self.reader.consume(taken);
            read += taken as u64;
            if end.is_some() || taken == 0 {
                break;
            }
        }
        Ok(read)
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let block = self.reader.fill_buf()?;
            if block.is_empty() {
                return Ok(());
            }
            if let Some(at) = memchr::memchr(b'\n', block) {
                self.reader.consume(at + 1);
                return Ok(());
            }
            let all = block.len();
            self.reader.consume(all);
        }
    }

    /// Reads the rest; returns the hash of the file, if wanted, and its length.
    pub(crate) fn finish(mut self) -> io::Result<(Option<Digest>, u64)> {
        loop {
            let rest = self.reader.fill_buf()?.len();
            if rest == 0 {
                break;
            }
            self.reader.consume(rest);
        }
        let hashing = self.reader.into_inner();
        Ok((hashing.hasher.map(Hasher::finish), hashing.bytes))
    }
}

struct Hashing<R> {
    inner: R,
    hasher: Option<Hasher>,
    bytes: u64,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(buffer.get(..read).unwrap_or_default());
        }
        self.bytes += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], limit: u64) -> Vec<(u64, String)> {
        let mut lines = Lines::new(text, limit, true);
        let mut buffer = Vec::new();
        let mut seen = Vec::new();
        loop {
            let text = match lines.next(&mut buffer).unwrap() {
                Line::Text => String::from_utf8_lossy(&buffer).into_owned(),
                Line::TooLong => "<too long>".to_owned(),
                Line::End => break,
            };
            seen.push((lines.number(), text));
        }
        let (digest, bytes) = lines.finish().unwrap();
        assert_eq!((digest, bytes), (Some(Digest::of(text)), text.len() as u64));
        seen
    }

    #[test]
    fn empty_lines_are_skipped_but_counted_and_one_cr_is_dropped() {
        let seen = lines(b"\r\na\r\n\n \nb\r\r\nlast", 100);
        let expected = [(2, "a"), (4, " "), (5, "b\r"), (6, "last")];
        assert_eq!(seen, expected.map(|(line, text)| (line, text.to_owned())));
        assert!(lines(b"", 100).is_empty());
        assert!(lines(b"\n\r\n", 100).is_empty());
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_whole() {
        let seen = lines(b"12345\n123456\n1234567890123\nend\n", 5);
        let expected = [
            (1, "12345"),
            (2, "<too long>"),
            (3, "<too long>"),
            (4, "end"),
        ];
        assert_eq!(seen, expected.map(|(line, text)| (line, text.to_owned())));
        assert_eq!(lines(b"12345\r\n", 5).len(), 1);
        assert_eq!(lines(b"12345678", 5), [(1, "<too long>".to_owned())]);
    }
}
