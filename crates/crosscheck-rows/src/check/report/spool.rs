//! Elements of a JSON array that may be too many to hold: small lists stay in
//! memory, large ones go to a nameless temporary file.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write};

const IN_MEMORY: usize = 32 * 1024 * 1024;

/// Memory is taken in pieces, so that it never has to move.
const PIECE: usize = 256 * 1024;

const BUFFER: usize = 64 * 1024;

/// JSON texts, each with a comma behind it.
#[derive(Default)]
pub(crate) struct Spool {
    /// What did not fit the memory; it comes first.
    file: Option<File>,
    pieces: Vec<Vec<u8>>,
    /// How long each text is, with its comma.
    lengths: Vec<u32>,
}

impl Spool {
    /// Adds one JSON text.
    pub(crate) fn push(&mut self, json: &[u8]) -> io::Result<()> {
        let needed = json.len() + 1;
        let length = u32::try_from(needed).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let fits = |piece: &&mut Vec<u8>| piece.capacity() - piece.len() >= needed;
        if !self.pieces.last_mut().is_some_and(|piece| fits(&piece)) {
            if self.pieces.len() >= IN_MEMORY / PIECE {
                self.put_aside()?;
            }
            self.pieces.push(Vec::with_capacity(PIECE.max(needed)));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.extend_from_slice(json);
            piece.push(b',');
            self.lengths.push(length);
        }
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

    /// What was put aside, from its beginning.
    fn aside(&self) -> io::Result<Option<&File>> {
        let file = self.file.as_ref();
        if let Some(mut file) = file {
            file.seek(SeekFrom::Start(0))?;
        }
        Ok(file)
    }

    /// Hands over every text in order.
    pub(crate) fn each(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let whole = Whole {
            file: self.aside()?,
            pieces: &self.pieces,
            at: 0,
        };
        let mut reader = BufReader::with_capacity(BUFFER, whole);
        let mut text = Vec::new();
        for length in &self.lengths {
            text.resize(*length as usize, 0);
            reader.read_exact(&mut text)?;
            take(text.strip_suffix(b",").unwrap_or(&text))?;
        }
        Ok(())
    }

    /// Writes the array, without its brackets.
    pub(crate) fn copy_to(&self, out: &mut dyn Write) -> io::Result<()> {
        // the last text is always in memory
        let Some((last, others)) = self.pieces.split_last() else {
            return Ok(());
        };
        if let Some(mut file) = self.aside()? {
            let mut buffer = vec![0; BUFFER];
            loop {
                match file.read(&mut buffer)? {
                    0 => break,
                    read => out.write_all(buffer.get(..read).unwrap_or_default())?,
                }
            }
        }
        for piece in others {
            out.write_all(piece)?;
        }
        out.write_all(last.strip_suffix(b",").unwrap_or(last))
    }
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
        let mut spool = Spool::default();
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
        let mut spool = Spool::default();
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
