//! Elements of a JSON array that may be too many to hold: small lists stay in
//! memory, large ones go to a nameless temporary file.

use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write};

use tempfile::SpooledTempFile;

const IN_MEMORY: usize = 8 * 1024 * 1024;

/// JSON texts, one per line.
pub(crate) struct Spool {
    file: io::BufWriter<SpooledTempFile>,
}

impl Spool {
    pub(crate) fn new() -> Self {
        Self {
            file: io::BufWriter::with_capacity(64 * 1024, SpooledTempFile::new(IN_MEMORY)),
        }
    }

    /// Adds one JSON text; JSON texts on one line hold no line break.
    pub(crate) fn push(&mut self, json: &str) -> io::Result<()> {
        self.file.write_all(json.as_bytes())?;
        self.file.write_all(b"\n")
    }

    /// Hands over every text in order.
    pub(crate) fn each(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::with_capacity(64 * 1024, file);
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
        let mut first = true;
        self.each(|text| {
            if !std::mem::take(&mut first) {
                out.write_all(b",")?;
            }
            out.write_all(text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
