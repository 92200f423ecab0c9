//! Ids that are hashes (trace 3.3), and short keys for ids of any form.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use crosscheck_core::digest::Digest;
use siphasher::sip128::{Hash128, Hasher128, SipHasher13};

use crate::forms::is_hash;

/// A fixed-size key for an id of any length: 128 bits of a hash under a secret
/// of this process. The author of a trace does not know the secret and so
/// cannot construct two ids with the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64, u64);

pub(crate) type KeyMap<V> = HashMap<Key, V>;
pub(crate) type KeySet = HashSet<Key>;

static SECRET: LazyLock<SipHasher13> = LazyLock::new(|| {
    let random = RandomState::new();
    SipHasher13::new_with_keys(random.hash_one(0), random.hash_one(1))
});

pub(crate) fn key(id: &str) -> Key {
    made(SECRET.hash(id.as_bytes()))
}

/// A key for several parts that belong together.
pub(crate) fn key_of_parts(parts: &[&[u8]]) -> Key {
    let mut hasher = *SECRET;
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    made(hasher.finish128())
}

const fn made(hash: Hash128) -> Key {
    Key(hash.h1, hash.h2)
}

/// `<prefix>_v1_<hash>`.
pub(crate) fn stable(prefix: &str, digest: Digest) -> String {
    format!("{prefix}_v1_{digest}")
}

/// Whether an id is `<prefix>_v1_<hash>`.
pub(crate) fn is_stable(id: &str, prefix: &str, digest: Digest) -> bool {
    id.strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix("_v1_"))
        .is_some_and(|hash| is_hash(hash) && unhex(hash) == *digest.bytes())
}

/// The bytes of 64 lower-case hex digits.
pub(crate) fn unhex(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    let Some(digits) = text.as_bytes().first_chunk::<64>() else {
        return bytes;
    };
    for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks().0) {
        // both digits at once: '0'..='9' are 0x30 and up, 'a'..='f' 0x61 and up
        let pair = u16::from_le_bytes(*pair);
        let pair = (pair & 0x0F0F) + 9 * (pair >> 6 & 0x0101);
        [*byte, _] = (pair << 4 | pair >> 8).to_le_bytes();
    }
    bytes
}

/// The form of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The id is absent and will be computed.
    Absent,
    /// A hash of the object it names.
    Content,
    /// Any other text.
    Opaque,
}

/// The form of an id for these prefixes.
pub(crate) fn form<'p>(id: &str, mut prefixes: impl Iterator<Item = &'p str>) -> Form {
    if id.is_empty() {
        return Form::Absent;
    }
    let content = prefixes.any(|prefix| {
        id.strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix("_v"))
            .is_some_and(|rest| {
                let version = rest.bytes().take_while(u8::is_ascii_digit).count();
                let hash = rest.get(version..).and_then(|rest| rest.strip_prefix('_'));
                version > 0 && hash.is_some_and(is_hash)
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
            assert_eq!(form(&id, ["ev", "evidence"].into_iter()), expected, "{id}");
        }
    }

    #[test]
    fn hex_digits_are_read_back() {
        let digest = Digest::of("x");
        assert_eq!(unhex(&digest.hex()), *digest.bytes());
        let id = stable("ev", digest);
        assert!(is_stable(&id, "ev", digest));
        assert!(!is_stable(&id, "evidence", digest));
        assert!(!is_stable(&id, "ev", Digest::of("y")));
        assert!(!is_stable(&id.replace("_v1_", "_v01_"), "ev", digest));
        assert!(!is_stable(&id.to_uppercase(), "EV", digest));
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(key_of_parts(&[b"ab", b"c"]), key_of_parts(&[b"a", b"bc"]));
    }
}
