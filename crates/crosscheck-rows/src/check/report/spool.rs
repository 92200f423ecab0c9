//! Elements of a JSON array that may be too many to hold: small lists stay in
//! memory, large ones go to a nameless temporary file.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom, Write};

const IN_MEMORY: usize = 32 * 1024 * 1024;

/// Memory is taken in pieces, so that it never has to move.
const PIECE: usize = 256 * 1024;

const BUFFER: usize = 64 * 1024;

/// JSON texts, each with a line break behind it.
#[derive(Default)]
pub(crate) struct Spool {
    /// What did not fit the memory; it comes first.
    file: Option<File>,
    pieces: Vec<Vec<u8>>,
}

impl Spool {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds one JSON text; JSON texts on one line hold no line break.
    pub(crate) fn push(&mut self, json: &[u8]) -> io::Result<()> {
        let needed = json.len() + 1;
        let fits = |piece: &&mut Vec<u8>| piece.capacity() - piece.len() >= needed;
        if let Some(piece) = self.pieces.last_mut().filter(fits) {
            add(piece, json);
            return Ok(());
        }
        if self.pieces.len() >= IN_MEMORY / PIECE {
            self.put_aside()?;
        }
        let mut piece = Vec::with_capacity(PIECE.max(needed));
        add(&mut piece, json);
        self.pieces.push(piece);
        Ok(())
    }

    fn put_aside(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::End(0))?;
        for piece in self.pieces.drain(..) {
            file.write_all(&piece)?;
        }
        Ok(())
    }

    /// Everything, from its beginning.
    fn read(&self) -> io::Result<impl Read + '_> {
        let file = self.file.as_ref();
        if let Some(mut file) = file {
            file.seek(SeekFrom::Start(0))?;
        }
        Ok(Whole {
            file,
            pieces: &self.pieces,
            at: 0,
        })
    }

    /// Hands over every text in order.
    pub(crate) fn each(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(BUFFER, self.read()?);
        let mut line = Vec::new();
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            take(line.strip_suffix(b"\n").unwrap_or(&line))?;
        }
    }

    /// Writes the array, without its brackets.
    pub(crate) fn copy_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut whole = self.read()?;
        let mut buffer = vec![0; BUFFER];
        // whether a text ended right before the buffer
        let mut ended = false;
        loop {
            let read = whole.read(&mut buffer)?;
            let Some(part) = buffer.get_mut(..read).filter(|part| !part.is_empty()) else {
                return Ok(());
            };
            if ended {
                out.write_all(b",")?;
            }
            // no line break inside a JSON text, so that each of them is a border
            let mut rest = &mut *part;
            while let Some(at) = memchr::memchr(b'\n', rest) {
                let (before, after) = rest.split_at_mut(at + 1);
                if let Some(border) = before.last_mut() {
                    *border = b',';
                }
                rest = after;
            }
            ended = rest.is_empty();
            let len = part.len() - usize::from(ended);
            out.write_all(part.get(..len).unwrap_or_default())?;
        }
    }
}

fn add(piece: &mut Vec<u8>, json: &[u8]) {
    piece.extend_from_slice(json);
    piece.push(b'\n');
}

/// The file, then the pieces.
struct Whole<'s> {
    file: Option<&'s File>,
    pieces: &'s [Vec<u8>],
    /// How much of the first of them was read.
    at: usize,
}

impl Read for Whole<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(mut file) = self.file {
            match file.read(buffer)? {
                0 => self.file = None,
                read => return Ok(read),
            }
        }
        while let Some((piece, others)) = self.pieces.split_first() {
            let rest = piece.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                (self.pieces, self.at) = (others, 0);
                continue;
            }
            let len = rest.len().min(buffer.len());
            if let (Some(to), Some(from)) = (buffer.get_mut(..len), rest.get(..len)) {
                to.copy_from_slice(from);
            }
            self.at += len;
            return Ok(len);
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_one_by_one_and_as_a_list() {
        let mut spool = Spool::new();
        let mut whole = Vec::new();
        spool.copy_to(&mut whole).unwrap();
        assert_eq!(whole, b"");
        for text in ["1", "\"a\"", "[]"] {
            spool.push(text.as_bytes()).unwrap();
        }
        let mut one_by_one = Vec::new();
        spool
            .each(|text| {
                one_by_one.push(String::from_utf8_lossy(text).into_owned());
                Ok(())
            })
            .unwrap();
        spool.copy_to(&mut whole).unwrap();
        assert_eq!(one_by_one, ["1", "\"a\"", "[]"]);
        assert_eq!(whole, b"1,\"a\",[]");
    }

    #[test]
    fn a_spool_beyond_its_memory_comes_back_whole() {
        let mut spool = Spool::new();
        let text = format!("\"{}\"", "x".repeat(1000));
        let count = 2 * IN_MEMORY / text.len();
        for _ in 0..count {
            spool.push(text.as_bytes()).unwrap();
        }
        for _ in 0..2 {
            let mut out = Vec::new();
            spool.copy_to(&mut out).unwrap();
            assert_eq!(out.len(), count * (text.len() + 1) - 1);
        }
    }
}
