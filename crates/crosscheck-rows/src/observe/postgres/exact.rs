//! Columns whose values are told apart by their text.
//!
//! Where a value is equal to a key exactly when the server prints it as that
//! key, the rows need not be joined with the keys: `= ANY` finds them, and the
//! text of the identity tells which key each of them belongs to. Everything
//! else (other collations, padding, scales, domains) stays a join.

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::observe::RowsSeen;
use crate::observe::source::Key;

/// Collations that tell apart whatever differs: `default`, `C` and `POSIX`.
const BYTEWISE: [u32; 3] = [100, 950, 951];

/// Why a key and the text of a value equal to it are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exact {
    /// Text that is compared byte by byte.
    Text,
    /// Whole numbers, if the key is written as the server writes them.
    Whole,
    /// UUIDs, likewise.
    Uuid,
}

impl Exact {
    /// By the number of a built-in type and of the collation of the column.
    pub(super) fn of(type_number: u32, collation: u32) -> Option<Self> {
        match type_number {
            // text and varchar
            25 | 1043 if BYTEWISE.contains(&collation) => Some(Self::Text),
            // bigint, smallint and integer
            20 | 21 | 23 => Some(Self::Whole),
            2950 => Some(Self::Uuid),
            _ => None,
        }
    }

    /// Whether a key is written as the server would write it.
    pub(super) fn holds_for(self, key: &str) -> bool {
        match self {
            Self::Text => true,
            Self::Whole => {
                let digits = key.strip_prefix('-').unwrap_or(key);
                let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
                plain && (key == "0" || !digits.starts_with('0'))
            }
            Self::Uuid => {
                let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
                let fits = |(at, byte): (usize, u8)| match byte {
                    b'-' => dash(at),
                    b'0'..=b'9' | b'a'..=b'f' => !dash(at),
                    _ => false,
                };
                key.len() == 36 && key.bytes().enumerate().all(fits)
            }
        }
    }
}

/// Where each key is among the keys of a batch.
pub(super) struct Places<'k> {
    keys: &'k [Key],
    /// Made when it is needed: rows often come in the order of the keys.
    known: Option<Known<'k>>,
    next: usize,
}

#[derive(Default)]
struct Known<'k> {
    first: HashMap<&'k str, usize>,
    /// Keys that were asked for before, and where.
    repeats: Vec<(usize, usize)>,
}

impl<'k> Places<'k> {
    pub(super) fn new(keys: &'k [Key]) -> Self {
        Self {
            keys,
            known: None,
            next: 0,
        }
    }

    fn known(&mut self) -> &Known<'k> {
        let keys = self.keys;
        self.known.get_or_insert_with(|| {
            let mut first = HashMap::with_capacity(keys.len());
            let mut repeats = Vec::new();
            for (at, key) in keys.iter().enumerate() {
                let place = *first.entry(text(key)).or_insert(at);
                if place != at {
                    repeats.push((at, place));
                }
            }
            Known { first, repeats }
        })
    }

    /// Where a key was asked for first. While every row is that of the next
    /// key, nothing is searched.
    pub(super) fn of(&mut self, key: &str) -> Option<usize> {
        let next = self.next;
        let is_next = self.known.is_none() && self.keys.get(next).is_some_and(|k| text(k) == key);
        let at = if is_next {
            next
        } else {
            *self.known().first.get(key)?
        };
        self.next = at + 1;
        Some(at)
    }

    /// What was seen of a key holds wherever it was asked for. If there was a
    /// row for each key, in their order, none was asked for twice.
    pub(super) fn spread(&mut self, answers: &mut [RowsSeen]) {
        if self.known.is_none() && self.next == self.keys.len() {
            return;
        }
        for (at, first) in &self.known().repeats {
            let seen = answers.get(*first).cloned();
            if let (Some(seen), Some(slot)) = (seen, answers.get_mut(*at)) {
                *slot = seen;
            }
        }
    }
}

fn text(key: &Key) -> &str {
    key.first().map_or("", SmolStr::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_that_the_server_would_print_alike_are_exact() {
        let uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let table: [(Exact, &[&str], &[&str]); 3] = [
            (Exact::Text, &["", " a ", "\u{e9}"], &[]),
            (
                Exact::Whole,
                &["0", "7", "-7", "10", "9223372036854775807"],
                &[
                    "", "-", "-0", "+7", "07", "-07", " 7", "7 ", "7.0", "0x7", "1_000", "\u{0667}",
                ],
            ),
            (
                Exact::Uuid,
                &[uuid],
                &[
                    "",
                    "0F8FAD5B-d9cb-469f-a165-70867728950e",
                    "{0f8fad5b-d9cb-469f-a165-70867728950e}",
                    "0f8fad5bd9cb469fa16570867728950e",
                    "0f8fad5b-d9cb-469f-a165-70867728950g",
                ],
            ),
        ];
        for (exact, same, other) in table {
            assert!(same.iter().all(|key| exact.holds_for(key)), "{exact:?}");
            for key in other {
                assert!(!exact.holds_for(key), "{exact:?} {key:?}");
            }
        }
    }

    #[test]
    fn other_types_and_collations_are_not_exact() {
        assert_eq!(Exact::of(25, 100), Some(Exact::Text));
        // a collation of one's own, char(n), name, numeric, timestamp
        for (number, collation) in [
            (25, 16_400),
            (25, 0),
            (1042, 100),
            (19, 950),
            (1700, 0),
            (1114, 0),
        ] {
            assert_eq!(Exact::of(number, collation), None, "{number}");
        }
    }

    #[test]
    fn a_key_that_is_asked_for_twice_has_one_place_and_one_answer() {
        let keys: Vec<Key> = ["a", "b", "a", "c"].map(|key| [key.into()].into()).into();
        let mut places = Places::new(&keys);
        let found = ["c", "a", "a", "b", "d"].map(|key| places.of(key));
        assert_eq!(found, [Some(3), Some(0), Some(0), Some(1), None]);
        let mut answers = [
            RowsSeen::Many(Vec::new()),
            RowsSeen::None,
            RowsSeen::None,
            RowsSeen::None,
        ];
        places.spread(&mut answers);
        assert!(matches!(answers[2], RowsSeen::Many(_)));
    }
}
