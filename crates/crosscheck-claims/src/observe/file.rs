//! One text file, read line by line (claims 5.1).
//!
//! Of every file the offset of each 256th line is kept. The text of a small one
//! stays in memory; of a large one the requested lines are read again from the
//! open file, so that memory does not grow with the file.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;

use encoding_rs::{UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter, memmem};

use super::place::{Opened, missing_io};

/// A file up to this size is kept in memory.
const HELD_BYTES: u64 = 8 * 1024 * 1024;
/// UTF-16 is decoded as a whole, up to this size.
const MAX_UTF16_BYTES: u64 = 64 * 1024 * 1024;
/// A NUL among the first bytes means that the file is not text.
const BINARY_PROBE: usize = 8192;
/// Distance of the lines whose offset is kept.
const STRIDE: u64 = 256;
/// A large file is read in pieces of this size.
const PIECE: u64 = 256 * 1024;
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Why a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    NotFound,
    NotAFile,
    OutsideRoot,
    /// A document of the run.
    OwnDocument,
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
    body: Body,
    index: LineIndex,
}

#[derive(Debug)]
enum Body {
    Held {
        bytes: Vec<u8>,
        /// The text, if the bytes had to be decoded.
        decoded: Option<String>,
    },
    OnDisk {
        file: File,
        stamp: (u64, i64, i64),
    },
}

/// Where lines begin in a text.
#[derive(Debug)]
struct LineIndex {
    /// Offsets of line 1, 1 + STRIDE, …
    starts: Vec<u64>,
    lines: u64,
    /// Where the text ends.
    end: u64,
}

impl LineIndex {
    /// Of a text that begins behind a mark.
    fn new(mark: u64) -> Self {
        Self {
            starts: vec![mark],
            lines: 0,
            end: mark,
        }
    }

    /// Continues with the next piece of the text.
    fn extend(&mut self, piece: &[u8], open_line: &mut bool) {
        for at in memchr_iter(b'\n', piece) {
            self.lines += u64::from(!*open_line);
            *open_line = false;
            if self.lines.is_multiple_of(STRIDE) {
                self.starts.push(self.end + at as u64 + 1);
            }
        }
        let is_open = piece.last().is_some_and(|byte| *byte != b'\n');
        self.lines += u64::from(is_open && !*open_line);
        *open_line |= is_open;
        self.end += piece.len() as u64;
    }

    /// A line whose offset is kept at or before this one, and its offset.
    fn before(&self, line: u64) -> (u64, u64) {
        let slot = usize::try_from((line - 1) / STRIDE).unwrap_or(usize::MAX);
        match self.starts.get(slot) {
            Some(at) => (slot as u64 * STRIDE + 1, *at),
            None => (line, self.end),
        }
    }
}

impl FileSeen {
    /// Reads an opened file.
    pub(crate) fn look(opened: Opened, max_bytes: u64) -> Result<Self, Missing> {
        let Opened { mut file, real } = opened;
        let meta = file.metadata().map_err(|error| missing_io(&error))?;
        if meta.len() > max_bytes {
            return Err(Missing::TooLarge);
        }
        let mut head = Vec::with_capacity(usize::try_from(meta.len().min(HELD_BYTES)).unwrap_or(0));
        let mut read = |bytes: &mut Vec<u8>, up_to: u64| {
            let rest = (&mut file).take(up_to.saturating_sub(bytes.len() as u64));
            let mut rest = rest;
            rest.read_to_end(bytes).map_err(|_| Missing::Unreadable)
        };
        read(&mut head, BINARY_PROBE as u64)?;
        let utf16 = match &head[..] {
            [0xFF, 0xFE, ..] => Some(UTF_16LE),
            [0xFE, 0xFF, ..] => Some(UTF_16BE),
            _ if memchr(0, &head).is_some() => return Err(Missing::Binary),
            _ => None,
        };
        let limit = if utf16.is_some() {
            MAX_UTF16_BYTES
        } else {
            HELD_BYTES
        };
        if utf16.is_none() && meta.len() > HELD_BYTES {
            return Self::on_disk(file, real, &meta, max_bytes);
        }
        let limit = limit.min(max_bytes);
        read(&mut head, limit + 1)?;
        if head.len() as u64 > limit {
            return Err(Missing::TooLarge);
        }
        let decoded = utf16.map(|encoding| encoding.decode(&head).0.into_owned());
        let mut index = LineIndex::new(if decoded.is_none() { mark_of(&head) } else { 0 });
        let text = decoded.as_ref().map_or(&head[..], String::as_bytes);
        let from = usize::try_from(index.end).unwrap_or(0);
        index.extend(text.get(from..).unwrap_or_default(), &mut false);
        Ok(Self {
            real,
            size: head.len() as u64,
            index,
            body: Body::Held {
                bytes: head,
                decoded,
            },
        })
    }

    fn on_disk(
        file: File,
        real: PathBuf,
        meta: &std::fs::Metadata,
        max: u64,
    ) -> Result<Self, Missing> {
        let stamp = (meta.len(), meta.mtime(), meta.mtime_nsec());
        let mut seen = Self {
            real,
            size: u64::MAX,
            index: LineIndex::new(0),
            body: Body::OnDisk { file, stamp },
        };
        let mark = mark_of(&seen.read(0, MARK.len() as u64)?);
        let mut index = LineIndex::new(mark);
        let mut is_open = false;
        loop {
            let piece = seen.read(index.end, index.end + PIECE)?;
            if piece.is_empty() {
                break;
            }
            index.extend(&piece, &mut is_open);
            if index.end > max {
                return Err(Missing::TooLarge); // it grows while it is read
            }
        }
        seen.size = index.end;
        seen.index = index;
        Ok(seen)
    }

    /// How many lines it has.
    pub(crate) const fn line_count(&self) -> u64 {
        self.index.lines
    }

    /// Memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        let text = match &self.body {
            Body::Held { bytes, decoded } => bytes.len() + decoded.as_ref().map_or(0, String::len),
            // each keeps a file open, and the number of open files is limited
            Body::OnDisk { .. } => 2 << 20,
        };
        text + self.index.starts.len() * 8
    }

    /// A range of the text, cut at its end. A large file that has changed since
    /// it was indexed is not trusted.
    fn read(&self, from: u64, to: u64) -> Result<Cow<'_, [u8]>, Missing> {
        let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        match &self.body {
            Body::Held { bytes, decoded } => {
                let text = decoded.as_ref().map_or(&bytes[..], String::as_bytes);
                let range = at(from).min(text.len())..at(to).min(text.len());
                Ok(Cow::Borrowed(text.get(range).unwrap_or_default()))
            }
            Body::OnDisk { file, stamp } => {
                let mut piece = vec![0; at(to.min(self.size).saturating_sub(from))];
                let mut filled = 0;
                while let Some(space) = piece.get_mut(filled..).filter(|space| !space.is_empty()) {
                    let got = file.read_at(space, from + filled as u64);
                    match got.map_err(|_| Missing::Unreadable)? {
                        0 => break,
                        got => filled += got,
                    }
                }
                piece.truncate(filled);
                let meta = file.metadata().map_err(|error| missing_io(&error))?;
                let is_same = (meta.len(), meta.mtime(), meta.mtime_nsec()) == *stamp;
                is_same
                    .then_some(Cow::Owned(piece))
                    .ok_or(Missing::Unreadable)
            }
        }
    }

    /// Where a line begins; behind the last one, the end of the text.
    fn start_of(&self, line: u64) -> Result<u64, Missing> {
        let (mut known, mut at) = self.index.before(line);
        while known < line && at < self.index.end {
            let piece = self.read(at, at + PIECE)?;
            let wanted = usize::try_from(line - known).unwrap_or(usize::MAX);
            let mut ends = memchr_iter(b'\n', &piece);
            if let Some(end) = ends.nth(wanted - 1) {
                return Ok(at + end as u64 + 1);
            }
            known += memchr_iter(b'\n', &piece).count() as u64;
            at += piece.len() as u64;
        }
        Ok(at.min(self.index.end))
    }

    /// The lines from `start` to `end` (from 1, both included, cut at the end
    /// of the file), joined by LF.
    pub(crate) fn lines(&self, start: u64, end: u64, max: u64) -> Result<Cow<'_, [u8]>, Missing> {
        let (from, to) = (self.start_of(start)?, self.start_of(end.saturating_add(1))?);
        if to.saturating_sub(from) > max.saturating_add(1) {
            return Err(Missing::TooLarge);
        }
        let lines = match self.read(from, to)? {
            Cow::Borrowed(lines) => Cow::Borrowed(lines.strip_suffix(b"\n").unwrap_or(lines)),
            Cow::Owned(mut lines) => {
                let _ = lines.pop_if(|byte| *byte == b'\n');
                Cow::Owned(lines)
            }
        };
        if lines.len() as u64 > max {
            return Err(Missing::TooLarge);
        }
        Ok(lines)
    }

    /// The first line with the symbol as a whole word, else the first line with it.
    pub(crate) fn find_symbol(&self, symbol: &str, max: u64) -> Result<Option<u64>, Missing> {
        if symbol.contains('\n') {
            return Ok(None);
        }
        let finder = memmem::Finder::new(symbol);
        let mut first = None;
        let ends = self.index.starts.iter().skip(1);
        let ends = ends.copied().chain([self.index.end]);
        for (slot, (from, to)) in self.index.starts.iter().zip(ends).enumerate() {
            if to - from > max.saturating_mul(STRIDE) {
                return Err(Missing::TooLarge);
            }
            let block = self.read(*from, to)?;
            let line_of = |at: usize| {
                let before = memchr_iter(b'\n', block.get(..at).unwrap_or_default()).count();
                slot as u64 * STRIDE + before as u64 + 1
            };
            for at in finder.find_iter(&block) {
                first.get_or_insert_with(|| line_of(at));
                if is_whole_word(&block, at, symbol.len()) {
                    return Ok(Some(line_of(at)));
                }
            }
        }
        Ok(first)
    }

    /// The bytes `[start, end)` of the file as it is on the disk.
    pub(crate) fn bytes(&self, start: u64, end: u64, max: u64) -> Result<Vec<u8>, Missing> {
        let end = end.min(self.size);
        if end.saturating_sub(start) > max {
            return Err(Missing::TooLarge);
        }
        match &self.body {
            Body::Held { bytes, .. } => {
                let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
                Ok(bytes.get(at(start)..at(end)).unwrap_or_default().to_vec())
            }
            Body::OnDisk { .. } => Ok(self.read(start, end)?.into_owned()),
        }
    }
}

/// The length of a byte order mark of UTF-8.
fn mark_of(head: &[u8]) -> u64 {
    if head.starts_with(MARK) {
        MARK.len() as u64
    } else {
        0
    }
}

fn is_whole_word(text: &[u8], at: usize, len: usize) -> bool {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    !is_name(at.checked_sub(1).and_then(|before| text.get(before))) && !is_name(text.get(at + len))
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
