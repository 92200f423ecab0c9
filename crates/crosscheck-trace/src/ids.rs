//! Ids that are hashes of what they name, and short keys for ids of any form.

use crosscheck_core::digest::{Digest, Hasher};

use crate::read::object::is_hash;

/// The first half of the SHA-256 of an id: ids of any length in fixed space.
/// Whoever wants two ids with one key must first break the hash.
pub(crate) type Key = [u8; 16];

pub(crate) fn key(id: &str) -> Key {
    shorten(Digest::of(id))
}

/// A key for several parts that belong together.
pub(crate) fn key_of_parts(parts: &[&[u8]]) -> Key {
    let mut hasher = Hasher::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    shorten(hasher.finish())
}

fn shorten(digest: Digest) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(digest.bytes().first_chunk::<16>().unwrap_or(&[0; 16]));
    key
}

/// `<prefix>_v1_<hash of the canonical text>`.
pub(crate) fn stable(prefix: &str, canonical: &str) -> String {
    stable_of(prefix, Digest::of(canonical))
}

pub(crate) fn stable_of(prefix: &str, digest: Digest) -> String {
    format!("{prefix}_v1_{digest}")
}

/// The bytes behind 64 hex digits.
pub(crate) fn unhex(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digit = |at: usize| {
            pair.get(at)
                .and_then(|digit| char::from(*digit).to_digit(16))
                .and_then(|digit| u8::try_from(digit).ok())
                .unwrap_or(0)
        };
        *byte = digit(0) << 4 | digit(1);
    }
    bytes
}

/// What the form of an id promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing is there; the id is computed.
    Absent,
    /// A hash of the object it names.
    Content,
    /// Any other text.
    Opaque,
}

/// The form of an id in a place with these prefixes.
pub(crate) fn form(id: &str, prefixes: &[&str]) -> Form {
    if id.is_empty() {
        return Form::Absent;
    }
    let content = prefixes.iter().any(|prefix| {
        id.strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix("_v"))
            .and_then(|rest| rest.split_once('_'))
            .is_some_and(|(version, hash)| {
                !version.is_empty()
                    && version.bytes().all(|byte| byte.is_ascii_digit())
                    && is_hash(hash)
            })
    });
    if content { Form::Content } else { Form::Opaque }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_tells_content_from_opaque() {
        let hash = "a".repeat(64);
        let table = [
            (String::new(), Form::Absent),
            (format!("ev_v1_{hash}"), Form::Content),
            (format!("evidence_v2_{hash}"), Form::Content),
            (format!("ev_v_{hash}"), Form::Opaque),
            (format!("claim_v1_{hash}"), Form::Opaque),
            (format!("ev_v1_{hash}a"), Form::Opaque),
            ("e1".to_owned(), Form::Opaque),
        ];
        for (id, expected) in table {
            assert_eq!(form(&id, &["ev", "evidence"]), expected, "{id}");
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(key_of_parts(&[b"ab", b"c"]), key_of_parts(&[b"a", b"bc"]));
    }
}
