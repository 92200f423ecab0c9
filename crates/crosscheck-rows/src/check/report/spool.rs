//! Elements of a JSON array that may be too many to hold: small lists stay in
//! memory, large ones go to a nameless temporary file.

use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write};

use tempfile::SpooledTempFile;

const IN_MEMORY: usize = 32 * 1024 * 1024;

const BUFFER: usize = 64 * 1024;

/// JSON texts, with a line break between them.
pub(crate) struct Spool {
    file: io::BufWriter<SpooledTempFile>,
    is_empty: bool,
}

impl Spool {
    pub(crate) fn new() -> Self {
        Self {
            file: io::BufWriter::with_capacity(BUFFER, SpooledTempFile::new(IN_MEMORY)),
            is_empty: true,
        }
    }

    /// Adds one JSON text; JSON texts on one line hold no line break.
    pub(crate) fn push(&mut self, json: &str) -> io::Result<()> {
        if !std::mem::take(&mut self.is_empty) {
            self.file.write_all(b"\n")?;
        }
        self.file.write_all(json.as_bytes())
    }

    fn rewind(&mut self) -> io::Result<&mut SpooledTempFile> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }

    /// Hands over every text in order.
    pub(crate) fn each(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(BUFFER, self.rewind()?);
        let mut line = Vec::new();
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            take(line.strip_suffix(b"\n").unwrap_or(&line))?;
        }
        self.file.get_mut().seek(SeekFrom::End(0))?;
        Ok(())
    }

    /// Writes the array, without its brackets.
    pub(crate) fn copy_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let file = self.rewind()?;
        let mut buffer = vec![0; BUFFER];
        loop {
            let read = file.read(&mut buffer)?;
            let Some(part) = buffer.get_mut(..read).filter(|part| !part.is_empty()) else {
                break;
            };
            // no line break inside a JSON text, so that each of them is a border
            let mut rest = &mut *part;
            while let Some(at) = memchr::memchr(b'\n', rest) {
                let (before, after) = rest.split_at_mut(at + 1);
                if let Some(border) = before.last_mut() {
                    *border = b',';
                }
                rest = after;
            }
            out.write_all(part)?;
        }
        self.file.get_mut().seek(SeekFrom::End(0))?;
        Ok(())
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
            spool.push(text).unwrap();
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
            spool.push(&text).unwrap();
        }
        for _ in 0..2 {
            let mut out = Vec::new();
            spool.copy_to(&mut out).unwrap();
            assert_eq!(out.len(), count * (text.len() + 1) - 1);
        }
    }
}
