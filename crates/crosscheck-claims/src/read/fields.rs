//! The members of one object: the value that counts for each key, and what
//! is odd about them.

use std::collections::HashSet;

use crosscheck_core::Node;
use crosscheck_core::json::{Members, Value};

use crate::warning::Warnings;

/// The members of an object, looked up by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'j>(Members<'j>);

impl<'j> Fields<'j> {
    /// The members of a node, if it is an object.
    pub(crate) fn of(node: Node<'j>) -> Option<Self> {
        node.as_object().map(Self)
    }

    /// The value that counts for this key.
    pub(crate) fn get(self, key: &str) -> Option<Node<'j>> {
        self.0.get(key.into())
    }

    /// Warns of repeated and unknown keys.
    pub(crate) fn look_over(
        self,
        known: &[&str],
        path: &dyn Fn() -> String,
        warnings: &mut Warnings,
    ) {
        let keys: Vec<&[u8]> = self.0.map(|(key, _)| key.bytes()).collect();
        let repeated = if keys.len() <= 16 {
            keys.iter()
                .enumerate()
                .any(|(at, key)| keys.get(..at).is_some_and(|before| before.contains(key)))
        } else {
            let mut seen = HashSet::new();
            keys.iter().any(|key| !seen.insert(*key))
        };
        if repeated {
            warnings.add(
                path(),
                "duplicate_key",
                "a key comes twice; the last value counts",
            );
        }
        if let Some((key, _)) = self
            .0
            .into_iter()
            .find(|(key, _)| !known.iter().any(|name| name.as_bytes() == key.bytes()))
        {
            warnings.add(
                path(),
                "unknown_key",
                format!("`{key}` is not part of the contract"),
            );
        }
    }
}

/// A whole number that is not negative, however it is written; too large ones are cut.
pub(crate) fn whole_number(node: Node<'_>) -> Option<u64> {
    let Value::Number(digits) = node.value() else {
        return None;
    };
    if digits.is_integer() {
        let text = digits.text();
        return if text.starts_with('-') {
            (text.trim_start_matches(['-', '0']).is_empty()).then_some(0)
        } else {
            Some(text.parse().unwrap_or(u64::MAX))
        };
    }
    let number = digits.to_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, as wanted"
    )]
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use crosscheck_core::Json;

    use super::*;

    #[test]
    fn whole_numbers_are_read_in_every_spelling() {
        let table = [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("3e2", Some(300)),
            ("-0", Some(0)),
            ("-1", None),
            ("2.5", None),
            ("\"3\"", None),
            ("99999999999999999999999", Some(u64::MAX)),
        ];
        for (text, expected) in table {
            let json = Json::parse(text).unwrap();
            assert_eq!(whole_number(json.root()), expected, "{text}");
        }
    }
}
