//! One text file, read line by line (claims 5.1).
//!
//! A small file is kept in memory. Of a large one only the offset of every
//! 256th line is kept, and the requested lines are read again from the open
//! file, so that memory does not grow with the file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;

use memchr::{memchr, memchr_iter, memmem};

use super::place::{Opened, missing_io};

/// A file up to this size is kept in memory.
const HELD_BYTES: u64 = 8 * 1024 * 1024;
/// UTF-16 is decoded as a whole, up to this size.
const MAX_UTF16_BYTES: u64 = 64 * 1024 * 1024;
/// A NUL among the first bytes means that the file is not text.
const BINARY_PROBE: usize = 8192;
/// Distance of the lines whose offset is kept in a large file.
const STRIDE: u64 = 256;
/// A large file is read in pieces of this size.
const PIECE: usize = 256 * 1024;

/// Takes a line and its number; returns whether to continue.
type TakeLine<'t> = dyn FnMut(u64, &[u8]) -> Result<bool, Missing> + 't;

/// Why a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    NotFound,
    NotAFile,
    OutsideRoot,
    Binary,
    TooLarge,
    Unreadable,
}

/// A text file.
#[derive(Debug)]
pub(crate) struct FileSeen {
    /// Where it really is.
    pub(crate) real: PathBuf,
    /// Its size in bytes, including marks.
    pub(crate) size: u64,
    /// Length of the byte order mark.
    mark: u64,
    lines: u64,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Held {
        text: Vec<u8>,
        starts: Vec<u32>,
        /// The bytes of the file, if they had to be decoded.
        raw: Option<Vec<u8>>,
    },
    OnDisk {
        file: File,
        /// Offsets of line 1, 1 + STRIDE, …
        index: Vec<u64>,
        stamp: (u64, i64, i64),
    },
}

impl FileSeen {
    /// Reads an opened file.
    pub(crate) fn look(opened: Opened, max_bytes: u64) -> Result<Self, Missing> {
        let Opened { mut file, real } = opened;
        let meta = file.metadata().map_err(|error| missing_io(&error))?;
        if meta.len() > max_bytes {
            return Err(Missing::TooLarge);
        }
        if meta.len() <= HELD_BYTES {
            // Most files are small: one call reads all of it, one more finds the end.
            let space = usize::try_from(meta.len()).unwrap_or(0).saturating_add(1);
            let bytes = Vec::with_capacity(space);
            return Self::held(&mut file, real, bytes, max_bytes);
        }
        let mut head = vec![0; BINARY_PROBE];
        let got = read_up_to(&mut file, &mut head).map_err(|_| Missing::Unreadable)?;
        head.truncate(got);
        match Encoding::of(&head)? {
            Encoding::Utf16 => Self::held(&mut file, real, head, max_bytes),
            Encoding::Utf8 => Self::on_disk(file, real, &meta, max_bytes),
        }
    }

    /// Keeps the whole file, which starts with `bytes`.
    fn held(
        file: &mut File,
        real: PathBuf,
        mut bytes: Vec<u8>,
        max_bytes: u64,
    ) -> Result<Self, Missing> {
        let begun = bytes.len() as u64;
        file.take(MAX_UTF16_BYTES.min(max_bytes).saturating_add(1) - begun)
            .read_to_end(&mut bytes)
            .map_err(|_| Missing::Unreadable)?;
        let encoding = Encoding::of(bytes.get(..BINARY_PROBE).unwrap_or(&bytes))?;
        let size = bytes.len() as u64;
        let limit = match encoding {
            Encoding::Utf16 => MAX_UTF16_BYTES,
            Encoding::Utf8 => HELD_BYTES,
        };
        if size > limit.min(max_bytes) {
            return Err(Missing::TooLarge);
        }
        let (text, raw, mark) = if encoding == Encoding::Utf16 {
            (decode_utf16(&bytes).into_bytes(), Some(bytes), 0)
        } else if bytes.starts_with(b"\xEF\xBB\xBF") {
            (bytes.split_off(3), None, 3)
        } else {
            (bytes, None, 0)
        };
        let starts = starts_of_lines(&text);
        Ok(Self {
            real,
            size,
            mark,
            lines: starts.len() as u64,
            body: Body::Held { text, starts, raw },
        })
    }

    fn on_disk(
        file: File,
        real: PathBuf,
        meta: &std::fs::Metadata,
        max: u64,
    ) -> Result<Self, Missing> {
        let mut bom = [0; 3];
        let has_mark = file.read_exact_at(&mut bom, 0).is_ok() && bom == *b"\xEF\xBB\xBF";
        let mark = if has_mark { 3 } else { 0 };
        let mut index = vec![mark];
        let mut piece = vec![0; PIECE];
        let (mut at, mut line, mut last) = (mark, 1u64, b'\n');
        loop {
            let got = file
                .read_at(&mut piece, at)
                .map_err(|_| Missing::Unreadable)?;
            let Some(chunk) = piece.get(..got).filter(|chunk| !chunk.is_empty()) else {
                break;
            };
            for end in memchr_iter(b'\n', chunk) {
                line += 1;
                if (line - 1).is_multiple_of(STRIDE) {
                    index.push(at + end as u64 + 1);
                }
            }
            last = chunk.last().copied().unwrap_or(last);
            at += got as u64;
            if at > max {
                return Err(Missing::TooLarge); // it grows while it is read
            }
        }
        let seen = Self {
            real,
            size: at,
            mark,
            lines: if last == b'\n' { line - 1 } else { line },
            body: Body::OnDisk {
                file,
                index,
                stamp: (meta.len(), meta.mtime(), meta.mtime_nsec()),
            },
        };
        seen.is_unchanged()
            .then_some(seen)
            .ok_or(Missing::Unreadable)
    }

    /// How many lines it has.
    pub(crate) const fn line_count(&self) -> u64 {
        self.lines
    }

    /// Memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        match &self.body {
            Body::Held { text, starts, raw } => {
                text.len() + starts.len() * 4 + raw.as_ref().map_or(0, Vec::len)
            }
            // Each also keeps a file open, and the number of open files is
            // limited.
            Body::OnDisk { index, .. } => index.len() * 8 + (2 << 20),
        }
    }

    /// Whether a large file is unchanged since it was indexed.
    fn is_unchanged(&self) -> bool {
        match &self.body {
            Body::Held { .. } => true,
            Body::OnDisk { file, stamp, .. } => file
                .metadata()
                .is_ok_and(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()) == *stamp),
        }
    }

    /// The lines from `start` to `end` (from 1, both included, cut at the end
    /// of the file), joined by LF; `None` if they take more than `max` bytes.
    pub(crate) fn lines(&self, start: u64, end: u64, max: u64) -> Result<Cow<'_, [u8]>, Missing> {
        let end = end.min(self.lines);
        if start > end {
            return Ok(Cow::Borrowed(&[]));
        }
        match &self.body {
            Body::Held { text, starts, .. } => {
                let at = |line: u64| {
                    let place = usize::try_from(line - 1).unwrap_or(usize::MAX);
                    starts.get(place).map_or(text.len(), |at| *at as usize)
                };
                let piece = text.get(at(start)..at(end + 1)).unwrap_or_default();
                let piece = piece.strip_suffix(b"\n").unwrap_or(piece);
                if piece.len() as u64 > max {
                    return Err(Missing::TooLarge);
                }
                Ok(Cow::Borrowed(piece))
            }
            Body::OnDisk { .. } => {
                let mut lines = Vec::new();
                self.each_line(
                    start,
                    &mut |number, line| {
                        if number > end {
                            return Ok(false);
                        }
                        if number > start {
                            lines.push(b'\n');
                        }
                        lines.extend_from_slice(line);
                        if lines.len() as u64 > max {
                            return Err(Missing::TooLarge);
                        }
                        Ok(number < end)
                    },
                    max,
                )?;
                Ok(Cow::Owned(lines))
            }
        }
    }

    /// Calls `take` with each line from `start` on until it returns false. Of a
    /// large file no line longer than `max` bytes is read.
    fn each_line(&self, start: u64, take: &mut TakeLine<'_>, max: u64) -> Result<(), Missing> {
        match &self.body {
            Body::Held { text, starts, .. } => {
                for number in start..=self.lines {
                    let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
                    let from = starts.get(place).map_or(text.len(), |at| *at as usize);
                    let to = starts.get(place + 1).map_or(text.len(), |at| *at as usize);
                    let line = text.get(from..to).unwrap_or_default();
                    if !take(number, line.strip_suffix(b"\n").unwrap_or(line))? {
                        break;
                    }
                }
                Ok(())
            }
            Body::OnDisk { file, index, .. } => {
                let slot = (start - 1) / STRIDE;
                let place = usize::try_from(slot).unwrap_or(usize::MAX);
                let at = index.get(place).copied().ok_or(Missing::Unreadable)?;
                let mut reader = Lines {
                    file,
                    at,
                    buffer: Vec::new(),
                    done: 0,
                    max,
                };
                let mut number = slot * STRIDE + 1;
                while number <= self.lines {
                    let skip = number < start;
                    let Some(line) = reader.next(skip)? else {
                        break;
                    };
                    if !skip && !take(number, line)? {
                        break;
                    }
                    number += 1;
                }
                self.is_unchanged().then_some(()).ok_or(Missing::Unreadable)
            }
        }
    }

    /// The first line with the symbol as a whole word, else the first line with it.
    pub(crate) fn find_symbol(&self, symbol: &str, max: u64) -> Result<Option<u64>, Missing> {
        if symbol.contains('\n') {
            return Ok(None);
        }
        let finder = memmem::Finder::new(symbol);
        if let Body::Held { text, starts, .. } = &self.body {
            let line_of = |at: usize| starts.partition_point(|start| *start as usize <= at) as u64;
            let mut first = None;
            for at in finder.find_iter(text) {
                first.get_or_insert(at);
                if is_whole_word(text, at, symbol.len()) {
                    return Ok(Some(line_of(at)));
                }
            }
            return Ok(first.map(line_of));
        }
        let (mut first, mut whole) = (None, None);
        self.each_line(
            1,
            &mut |number, line| {
                for at in finder.find_iter(line) {
                    first.get_or_insert(number);
                    if is_whole_word(line, at, symbol.len()) {
                        whole = Some(number);
                        return Ok(false);
                    }
                }
                Ok(true)
            },
            max,
        )?;
        Ok(whole.or(first))
    }

    /// The bytes `[start, end)` of the file as it is on the disk.
    pub(crate) fn bytes(&self, start: u64, end: u64, max: u64) -> Result<Vec<u8>, Missing> {
        let end = end.min(self.size);
        if end.saturating_sub(start) > max {
            return Err(Missing::TooLarge);
        }
        let len = usize::try_from(end.saturating_sub(start)).map_err(|_| Missing::TooLarge)?;
        match &self.body {
            Body::Held { text, raw, .. } => {
                let whole = match raw {
                    Some(raw) => Cow::Borrowed(raw),
                    None if self.mark == 3 => {
                        Cow::Owned([b"\xEF\xBB\xBF", text.as_slice()].concat())
                    }
                    None => Cow::Borrowed(text),
                };
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                Ok(whole
                    .get(start..start.saturating_add(len))
                    .unwrap_or_default()
                    .to_vec())
            }
            Body::OnDisk { file, .. } => {
                let mut bytes = vec![0; len];
                file.read_exact_at(&mut bytes, start)
                    .map_err(|_| Missing::Unreadable)?;
                self.is_unchanged()
                    .then_some(bytes)
                    .ok_or(Missing::Unreadable)
            }
        }
    }
}

/// The encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// From the beginning of a file; `None` if it is not text.
    fn of(head: &[u8]) -> Result<Self, Missing> {
        if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
            Ok(Self::Utf16)
        } else if memchr(0, head).is_some() {
            Err(Missing::Binary)
        } else {
            Ok(Self::Utf8)
        }
    }
}

fn starts_of_lines(text: &[u8]) -> Vec<u32> {
    // Assumes lines of 32 bytes; a wrong guess costs little.
    let mut starts = Vec::with_capacity(text.len() / 32 + 2);
    starts.push(0);
    starts.extend(memchr_iter(b'\n', text).filter_map(|at| u32::try_from(at + 1).ok()));
    if text.is_empty() || text.ends_with(b"\n") {
        starts.pop();
    }
    starts
}

/// Reads lines of a large file one after the other.
struct Lines<'f> {
    file: &'f File,
    /// Where the next piece is read from.
    at: u64,
    buffer: Vec<u8>,
    /// How much of the buffer was returned.
    done: usize,
    max: u64,
}

impl Lines<'_> {
    /// The next line; `None` at the end. A skipped line is not kept.
    fn next(&mut self, skip: bool) -> Result<Option<&[u8]>, Missing> {
        let mut searched = self.done;
        loop {
            let rest = self.buffer.get(searched..).unwrap_or_default();
            if let Some(end) = memchr(b'\n', rest) {
                let (from, to) = (self.done, searched + end);
                self.done = to + 1;
                return Ok(self.buffer.get(from..to));
            }
            searched = self.buffer.len();
            if skip {
                self.done = searched;
            } else if (searched - self.done) as u64 > self.max {
                return Err(Missing::TooLarge);
            }
            self.buffer.drain(..self.done);
            searched -= self.done;
            self.done = 0;
            let held = self.buffer.len();
            self.buffer.resize(held + PIECE / 4, 0);
            let space = self.buffer.get_mut(held..).unwrap_or_default();
            let got = self
                .file
                .read_at(space, self.at)
                .map_err(|_| Missing::Unreadable)?;
            self.buffer.truncate(held + got);
            self.at += got as u64;
            if got == 0 {
                let rest = self.buffer.len();
                self.done = rest;
                return Ok((rest > 0).then_some(self.buffer.as_slice()));
            }
        }
    }
}

fn is_whole_word(text: &[u8], at: usize, len: usize) -> bool {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    !is_name(at.checked_sub(1).and_then(|before| text.get(before))) && !is_name(text.get(at + len))
}

fn decode_utf16(bytes: &[u8]) -> String {
    let little = bytes.starts_with(&[0xFF, 0xFE]);
    let units = bytes
        .get(2..)
        .unwrap_or_default()
        .chunks_exact(2)
        .map(|pair| {
            let pair = [
                pair.first().copied().unwrap_or_default(),
                pair.last().copied().unwrap_or_default(),
            ];
            if little {
                u16::from_le_bytes(pair)
            } else {
                u16::from_be_bytes(pair)
            }
        });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

fn read_up_to(file: &mut File, space: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = space.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, Write as _};

    use super::*;

    fn file(bytes: &[u8]) -> Opened {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        Opened {
            file,
            real: PathBuf::from("x"),
        }
    }

    fn held(bytes: &[u8]) -> FileSeen {
        FileSeen::look(file(bytes), 1 << 30).unwrap()
    }

    fn on_disk(bytes: &[u8]) -> FileSeen {
        let Opened { file, real } = file(bytes);
        let meta = file.metadata().unwrap();
        FileSeen::on_disk(file, real, &meta, 1 << 30).unwrap()
    }

    #[test]
    fn lines_are_counted_and_read_alike_in_memory_and_on_disk() {
        let lines: Vec<String> = (1..=1000).map(|n| format!("line {n}\r\n")).collect();
        let long = lines.concat();
        let table: &[(&[u8], u64)] = &[
            (b"", 0),
            (b"a", 1),
            (b"a\n", 1),
            (b"a\n\n", 2),
            (b"\n", 1),
            (b"a\nb", 2),
            (b"\xEF\xBB\xBFa\nb\n", 2),
            (long.as_bytes(), 1000),
        ];
        for (bytes, count) in table {
            let (a, b) = (held(bytes), on_disk(bytes));
            assert_eq!(
                (a.line_count(), b.line_count()),
                (*count, *count),
                "{bytes:?}"
            );
            for (start, end) in [
                (1, 1),
                (1, 2),
                (2, 2),
                (2, 9),
                (255, 258),
                (999, 1000),
                (600, 601),
            ] {
                assert_eq!(
                    a.lines(start, end, 1 << 20).unwrap(),
                    b.lines(start, end, 1 << 20).unwrap(),
                    "{start} to {end}"
                );
            }
        }
        assert_eq!(held(b"a\nb\nc").lines(2, 3, 9).unwrap().as_ref(), b"b\nc");
        assert_eq!(
            held(b"a\nb\nc").lines(1, 3, 4).unwrap_err(),
            Missing::TooLarge
        );
        assert_eq!(
            on_disk(b"a\nb\nc").lines(1, 3, 4).unwrap_err(),
            Missing::TooLarge
        );
        assert_eq!(
            on_disk(long.as_bytes())
                .lines(257, 257, 99)
                .unwrap()
                .as_ref(),
            b"line 257\r"
        );
    }

    #[test]
    fn symbols_are_literals_and_whole_words_win() {
        for seen in [
            held(b"xfoo\nfoo_b\n(foo)\nfoo"),
            on_disk(b"xfoo\nfoo_b\n(foo)\nfoo"),
        ] {
            assert_eq!(seen.find_symbol("foo", 99).unwrap(), Some(3));
            assert_eq!(seen.find_symbol("fo", 99).unwrap(), Some(1));
            assert_eq!(seen.find_symbol("f.o", 99).unwrap(), None);
        }
    }

    #[test]
    fn utf16_is_decoded_and_nul_bytes_are_not_text() {
        let seen = held(b"\xFF\xFEh\0i\0\n\0y\0");
        assert_eq!(seen.lines(1, 2, 99).unwrap().as_ref(), b"hi\ny");
        let seen = held(b"\xFE\xFF\0h\0i");
        assert_eq!(seen.lines(1, 1, 99).unwrap().as_ref(), b"hi");
        assert_eq!(
            FileSeen::look(file(b"a\0b"), 99).unwrap_err(),
            Missing::Binary
        );
        assert_eq!(
            FileSeen::look(file(b"abc"), 2).unwrap_err(),
            Missing::TooLarge
        );
    }

    #[test]
    fn bytes_are_those_of_the_disk() {
        assert_eq!(
            held(b"\xEF\xBB\xBFabc").bytes(0, 4, 9).unwrap(),
            b"\xEF\xBB\xBFa"
        );
        assert_eq!(on_disk(b"\xEF\xBB\xBFabc").bytes(3, 99, 9).unwrap(), b"abc");
        assert_eq!(held(b"abc").bytes(0, 3, 2).unwrap_err(), Missing::TooLarge);
    }

    #[test]
    fn a_large_file_that_changes_is_not_trusted() {
        let Opened { file, real } = file(b"a\nb\nc\n");
        let mut writer = file.try_clone().unwrap();
        let meta = file.metadata().unwrap();
        let seen = FileSeen::on_disk(file, real, &meta, 99).unwrap();
        writer.write_all(b"more\n").unwrap();
        assert_eq!(seen.lines(1, 1, 99).unwrap_err(), Missing::Unreadable);
        assert_eq!(seen.bytes(0, 1, 99).unwrap_err(), Missing::Unreadable);
        assert_eq!(seen.find_symbol("b", 99).unwrap_err(), Missing::Unreadable);
    }

    #[test]
    fn a_large_file_that_shrinks_is_not_trusted() {
        let Opened { file, real } = file(b"a\nb\nc\n");
        let writer = file.try_clone().unwrap();
        let meta = file.metadata().unwrap();
        let seen = FileSeen::on_disk(file, real, &meta, 99).unwrap();
        writer.set_len(2).unwrap();
        assert_eq!(seen.lines(1, 3, 99).unwrap_err(), Missing::Unreadable);
        assert_eq!(seen.bytes(0, 6, 99).unwrap_err(), Missing::Unreadable);
        assert_eq!(seen.bytes(0, 1, 99).unwrap_err(), Missing::Unreadable);
    }

    #[test]
    fn a_file_that_was_read_whole_stays_as_it_was_read() {
        let Opened { file, real } = file(b"a\nb\n");
        let writer = file.try_clone().unwrap();
        let seen = FileSeen::look(Opened { file, real }, 99).unwrap();
        writer.set_len(0).unwrap();
        assert_eq!(seen.lines(1, 2, 99).unwrap().as_ref(), b"a\nb");
    }
}
