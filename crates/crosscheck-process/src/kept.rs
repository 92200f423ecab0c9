//! Keeps a whole output stream, or its beginning and its end.

use std::collections::VecDeque;

/// The bytes of a stream, bounded.
#[derive(Debug, Clone)]
pub struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    dropped: u64,
}

impl Kept {
    /// Keeps at most this many bytes.
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            half: limit / 2,
            dropped: 0,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.half);
        if surplus > 0 {
            self.tail.drain(..surplus);
            self.dropped += surplus as u64;
        }
    }

    /// How many bytes of the middle were dropped.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The stream as text, with a note where bytes were dropped.
    pub fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.dropped > 0 {
            let note = format!("\n[... {} bytes left out ...]\n", self.dropped);
            bytes.extend_from_slice(note.as_bytes());
        }
        bytes.extend(&self.tail);
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// At most the last `limit` bytes as text, from a whole character on.
    pub fn end(&self, limit: usize) -> String {
        let held = self.head.len() + self.tail.len();
        let all = self.head.iter().chain(&self.tail);
        let bytes: Vec<u8> = all
            .skip(held.saturating_sub(limit))
            .skip_while(|byte| held > limit && **byte & 0xC0 == 0x80)
            .copied()
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(limit: usize, pieces: &[&str]) -> Kept {
        let mut kept = Kept::new(limit);
        for piece in pieces {
            kept.push(piece.as_bytes());
        }
        kept
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let kept = kept(10, &["abc", "defg", "hij"]);
        assert_eq!((kept.text().as_str(), kept.dropped()), ("abcdefghij", 0));
    }

    #[test]
    fn of_a_long_stream_the_middle_is_dropped_and_counted() {
        let kept = kept(4, &["abcdef", "gh", "ij"]);
        assert_eq!(kept.text(), "ab\n[... 6 bytes left out ...]\nij");
    }

    #[test]
    fn the_end_starts_at_a_whole_character() {
        assert_eq!(kept(100, &["aäö"]).end(3), "ö");
        assert_eq!(kept(100, &["aäö"]).end(100), "aäö");
        assert_eq!(kept(100, &["aäö"]).end(0), "");
    }
}
