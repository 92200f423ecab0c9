//! Ranges of a text, and where an offset stands for a reader.

use std::ops::Range;

/// Ranges of a text, sorted by their start. Two of them lie apart or one
/// inside the other.
#[derive(Default)]
pub(super) struct Spans(pub(super) Vec<Range<usize>>);

impl Spans {
    /// Looking back further than this finds nothing a reader would call nested.
    const DEPTH: usize = 64;

    pub(super) fn new(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        ranges.dedup();
        Self(ranges)
    }

    /// The smallest range around this one.
    pub(super) fn around(&self, inner: &Range<usize>) -> Option<&Range<usize>> {
        let end = self.0.partition_point(|range| range.start <= inner.start);
        let before = self.0.get(..end).unwrap_or_default();
        before
            .iter()
            .rev()
            .take(Self::DEPTH)
            .find(|range| inner.end <= range.end)
    }

    pub(super) fn covers(&self, offset: usize) -> bool {
        self.around(&(offset..offset + 1)).is_some()
    }
}

/// Turns growing offsets into lines and columns, in one walk over the text.
pub(super) struct Walk<'t> {
    text: &'t str,
    offset: usize,
    line: u64,
    column: u64,
}

impl<'t> Walk<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// Line and column of an offset that is not before the last one asked for.
    pub(super) fn place(&mut self, offset: usize) -> (u64, u64) {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        for c in passed.chars() {
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.offset = self.offset.max(offset);
        (self.line, self.column)
    }
}

/// Brackets of a text that are closed; they are matched once.
pub(super) struct Pairs {
    /// Where each opens and where it closes, in order.
    all: Vec<(usize, usize)>,
}

impl Pairs {
    /// An escape before a bracket makes it a sign like others.
    pub(super) fn new(text: &str, [open, close]: [u8; 2], escape: Option<u8>) -> Self {
        let mut all = Vec::new();
        let mut opened = Vec::new();
        let mut is_escaped = false;
        for (at, byte) in text.bytes().enumerate() {
            let was_escaped = is_escaped;
            is_escaped = Some(byte) == escape && !was_escaped;
            if was_escaped {
                continue;
            }
            if byte == open {
                opened.push(at);
            } else if byte == close {
                all.extend(opened.pop().map(|start| (start, at)));
            }
        }
        all.sort_unstable();
        Self { all }
    }

    /// The pairs with what is between them.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        self.all
            .iter()
            .map(|(open, close)| *open..close + 1)
            .collect()
    }

    /// Where the bracket closes that comes right before a place.
    pub(super) fn closing(&self, place: usize) -> Option<usize> {
        let found = self.all.binary_search_by_key(&place, |(open, _)| open + 1);
        let pair = found.ok().and_then(|at| self.all.get(at));
        pair.map(|(_, close)| *close)
    }
}
