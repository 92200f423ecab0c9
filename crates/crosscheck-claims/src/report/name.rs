//! The file name of a kept report, from an untrusted task id (claims 3.5).

use std::fmt::Write as _;

use crosscheck_core::digest::Digest;

/// A longer id is cut.
const MAX_ID_BYTES: usize = 128;
/// How much of a cut or encoded id stays readable.
const MAX_BEGINNING_BYTES: usize = 100;

/// `<task_id>.json` where that is safe, else a readable beginning and a hash.
pub(super) fn file_name(task_id: &str) -> String {
    let encoded = encode(task_id);
    if encoded == task_id && task_id.len() <= MAX_ID_BYTES {
        return format!("{task_id}.json");
    }
    let mut end = encoded.len().min(MAX_BEGINNING_BYTES);
    while !encoded.is_char_boundary(end) {
        end -= 1;
    }
    let hash = Digest::of(task_id).hex();
    format!(
        "{}-{}.json",
        encoded.get(..end).unwrap_or_default(),
        hash.get(..16).unwrap_or_default()
    )
}

fn encode(task_id: &str) -> String {
    let mut out = String::with_capacity(task_id.len());
    for (at, c) in task_id.char_indices() {
        let unsafe_char = c.is_control()
            || matches!(
                c,
                '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '%'
            )
            || (at == 0 && c == '.');
        if unsafe_char {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_readable_and_cannot_leave_the_folder() {
        let table = [
            ("t-1", "t-1.json"),
            ("../../escape", "%2E.%2F..%2Fescape-efbf103bcec54b37.json"),
            (
                ".nightly: 50% done",
                "%2Enightly%3A 50%25 done-e0e93b75a7e46f9b.json",
            ),
            ("März 2026", "März 2026.json"),
            ("a..b", "a..b.json"),
        ];
        for (task_id, expected) in table {
            assert_eq!(file_name(task_id), expected);
        }
        assert!(file_name("a\u{85}b").starts_with("a%C2%85b-"));
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(file_name(&"x".repeat(128)).len(), 128 + 5);
        let name = file_name(&"é".repeat(100));
        assert_eq!(name.chars().filter(|c| *c == 'é').count(), 50);
        let name = file_name(&format!("x{}", "é".repeat(100)));
        assert_eq!(name.chars().filter(|c| *c == 'é').count(), 49);
        assert_eq!(name.len(), 99 + 1 + 16 + 5);
    }
}
