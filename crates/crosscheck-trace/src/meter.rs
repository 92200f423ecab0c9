//! How far a run is, for whoever watches from another thread.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts bytes as they are read.
#[derive(Debug, Default)]
pub struct Meter {
    trace: AtomicU64,
    evidence: AtomicU64,
}

impl Meter {
    /// Bytes of the trace read so far.
    pub fn trace_bytes(&self) -> u64 {
        self.trace.load(Ordering::Relaxed)
    }

    /// Bytes of evidence and sealed files read so far.
    pub fn evidence_bytes(&self) -> u64 {
        self.evidence.load(Ordering::Relaxed)
    }

    pub(crate) fn add_evidence(&self, bytes: usize) {
        self.evidence.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// The trace on its way through the meter.
pub(crate) struct Metered<'m, R> {
    reader: R,
    meter: &'m Meter,
}

impl<'m, R> Metered<'m, R> {
    pub(crate) const fn new(reader: R, meter: &'m Meter) -> Self {
        Self { reader, meter }
    }
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(block)?;
        self.meter.trace.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
