//! The judged calls of a run. The first of them stay in memory, the others go
//! to a nameless temporary file, so that a long log needs little more memory
//! than a short one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Deref;
use std::sync::Arc;

use crate::judge::seen::SeenCall;
use crate::plan::Tool;

/// At most this many bytes are written or read at once.
const PIECE: usize = 128 * 1024;

#[derive(Debug)]
pub(crate) struct Calls {
    /// At most this many stay in memory…
    most: usize,
    /// …as long as they have no more bytes than are left of this.
    left: usize,
    here: Vec<SeenCall>,
    /// The number of each among all calls of the logs.
    numbers: Vec<u32>,
    /// Where each of the others begins, and the number of its tool.
    places: Vec<(u64, u32)>,
    tools: Vec<Arc<Tool>>,
    /// Their numbers, by where they are.
    tool_numbers: HashMap<usize, u32, foldhash::fast::RandomState>,
    /// What was written, and how much of it the file has.
    file: Option<File>,
    filed: u64,
    /// What comes behind.
    rest: Vec<u8>,
    /// A piece of the file, and where it begins.
    piece: RefCell<(u64, Vec<u8>)>,
    /// Whether the file could not be written.
    is_full: bool,
    /// Whether it could not be read.
    has_failed: Cell<bool>,
}

/// A call, in memory or read again.
pub(crate) enum Kept<'c> {
    Here(&'c SeenCall),
    Again(Box<SeenCall>),
}

impl Deref for Kept<'_> {
    type Target = SeenCall;

    fn deref(&self) -> &SeenCall {
        match self {
            Self::Here(call) => call,
            Self::Again(call) => call,
        }
    }
}

impl Calls {
    /// Calls of which the first so many stay in memory, with so many bytes.
    pub(crate) fn new(most: usize, left: usize) -> Self {
        Self {
            most,
            left,
            here: Vec::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            tools: Vec::new(),
            tool_numbers: HashMap::default(),
            file: None,
            filed: 0,
            rest: Vec::new(),
            piece: RefCell::default(),
            is_full: false,
            has_failed: Cell::new(false),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The numbers of the calls among all calls of the logs.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    pub(crate) fn push(&mut self, call: SeenCall) {
        self.numbers.push(call.index);
        // those behind the first in the file are there, too
        if self.here.len() < self.most && self.places.is_empty() {
            self.left = self.left.saturating_sub(call.weight());
            if self.left > 0 {
                self.here.push(call);
                return;
            }
        }
        let tool = self.number(&call.tool);
        let place = self.filed + self.rest.len() as u64;
        self.places.push((place, tool));
        match postcard::to_extend(&call, std::mem::take(&mut self.rest)) {
            Ok(rest) => self.rest = rest,
            Err(_) => self.has_failed.set(true),
        }
        if self.rest.len() >= PIECE && !self.is_full {
            // where the file takes no more, the memory does
            self.is_full = self.put_aside().is_err();
        }
    }

    fn number(&mut self, tool: &Arc<Tool>) -> u32 {
        let number = self.tool_numbers.entry(Arc::as_ptr(tool).addr());
        *number.or_insert_with(|| {
            self.tools.push(Arc::clone(tool));
            u32::try_from(self.tools.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn put_aside(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.filed))?;
        file.write_all(&self.rest)?;
        self.filed += self.rest.len() as u64;
        self.rest.clear();
        Ok(())
    }

    /// The call at a place.
    pub(crate) fn get(&self, at: usize) -> Option<Kept<'_>> {
        if let Some(call) = self.here.get(at) {
            return Some(Kept::Here(call));
        }
        let at = at - self.here.len();
        let (start, tool) = *self.places.get(at)?;
        let end = self.places.get(at + 1).map(|(end, _)| *end);
        let end = end.unwrap_or(self.filed + self.rest.len() as u64);
        let call = self.again(start, end);
        let Some((call, tool)) = call.zip(self.tools.get(tool as usize)) else {
            self.has_failed.set(true);
            return None;
        };
        let tool = Arc::clone(tool);
        Some(Kept::Again(Box::new(SeenCall { tool, ..call })))
    }

    fn again(&self, start: u64, end: u64) -> Option<SeenCall> {
        let within = |bytes: &[u8], begins: u64| {
            let from = usize::try_from(start.checked_sub(begins)?).ok()?;
            let to = usize::try_from(end.checked_sub(begins)?).ok()?;
            Some(postcard::from_bytes(bytes.get(from..to)?).ok())
        };
        if start >= self.filed {
            return within(&self.rest, self.filed)?;
        }
        let (begins, piece) = &mut *self.piece.borrow_mut();
        if let Some(call) = within(piece, *begins) {
            return call;
        }
        let len = usize::try_from(end - start).ok()?.max(PIECE);
        let mut file = self.file.as_ref()?;
        file.seek(SeekFrom::Start(start)).ok()?;
        piece.clear();
        file.take(len as u64).read_to_end(piece).ok()?;
        *begins = start;
        within(piece, start)?
    }

    /// All calls in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Kept<'_>> {
        (0..self.len()).map_while(|at| self.get(at))
    }

    /// Fails if a call could not be read again.
    pub(crate) fn intact(&self) -> io::Result<()> {
        if self.has_failed.get() {
            return Err(io::Error::other("a temporary file could not be read"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::testing::{LOG, report};

    fn shown(call: &SeenCall) -> String {
        format!("{call:?}")
    }

    #[test]
    fn calls_come_back_from_the_file_as_they_were() {
        let report = report(LOG, false, true);
        let calls = report.known.calls.iter();
        let known: Vec<String> = calls.map(|call| shown(&again(&call))).collect();
        assert!(known.len() > 5);
        for (most, left) in [(0, usize::MAX), (3, usize::MAX), (9, 40)] {
            let mut calls = Calls::new(most, left);
            let mut pushed = 0;
            while calls.filed < 3 * PIECE as u64 {
                for call in report.known.calls.iter() {
                    calls.push(again(&call));
                    pushed += 1;
                }
            }
            assert_eq!(calls.len(), pushed);
            for (at, call) in calls.iter().enumerate() {
                assert_eq!(shown(&call), known[at % known.len()]);
            }
            for at in (0..pushed).rev().step_by(7) {
                let call = calls.get(at).unwrap();
                assert_eq!(shown(&call), known[at % known.len()]);
            }
            assert!(calls.get(pushed).is_none());
            calls.intact().unwrap();
        }
    }

    fn again(call: &SeenCall) -> SeenCall {
        let bytes = postcard::to_extend(call, Vec::new()).unwrap();
        let tool = Arc::clone(&call.tool);
        SeenCall {
            tool,
            ..postcard::from_bytes(&bytes).unwrap()
        }
    }

    #[test]
    fn what_cannot_be_read_again_is_reported() {
        let report = report(LOG, false, false);
        let mut calls = Calls::new(0, 0);
        while calls.filed == 0 {
            for call in report.known.calls.iter() {
                calls.push(again(&call));
            }
        }
        calls.file.as_ref().unwrap().set_len(10).unwrap();
        assert!(calls.get(0).is_none());
        assert!(calls.intact().is_err());
    }
}
