//! The members of one object: the effective value of each key, and warnings
//! about the keys.

use std::collections::HashSet;

use crosscheck_core::json::{Members, Value};
use crosscheck_core::{JsStr, Node};

use crate::warning::Warnings;

/// The members of an object, looked up by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'j>(Members<'j>);

impl<'j> Fields<'j> {
    /// The members of a node, if it is an object.
    pub(crate) fn of(node: Node<'j>) -> Option<Self> {
        node.as_object().map(Self)
    }

    /// The effective value of this key.
    pub(crate) fn get(self, key: &str) -> Option<Node<'j>> {
        self.0.get(key.into())
    }

    /// Warns about repeated and unknown keys.
    pub(crate) fn look_over(
        self,
        known: &[&str],
        path: &dyn Fn() -> String,
        warnings: &mut Warnings,
    ) {
        let (repeated, unknown) = self.odd_keys(known);
        if repeated {
            warnings.add(
                path(),
                "duplicate_key",
                "a key is repeated; the last value counts",
            );
        }
        if let Some(key) = unknown {
            warnings.add(
                path(),
                "unknown_key",
                format!("`{key}` is not part of the contract"),
            );
        }
    }
}

impl<'j> Fields<'j> {
    /// Whether a key is repeated, and the first unknown key. Every object of a
    /// document passes here, so the usual case, in which every key is known and
    /// unique, allocates nothing.
    fn odd_keys(self, known: &[&str]) -> (bool, Option<JsStr<'j>>) {
        let (mut seen, mut repeated, mut unknown) = (0u32, false, None);
        for (key, _) in self.0 {
            let place = known.iter().position(|name| name.as_bytes() == key.bytes());
            match place.and_then(|place| 1u32.checked_shl(u32::try_from(place).ok()?)) {
                Some(bit) => {
                    repeated |= seen & bit != 0;
                    seen |= bit;
                }
                None => {
                    unknown.get_or_insert(key);
                }
            }
        }
        if !repeated && unknown.is_some() {
            let mut seen = HashSet::new();
            repeated = self.0.into_iter().any(|(key, _)| !seen.insert(key.bytes()));
        }
        (repeated, unknown)
    }
}

/// A non-negative integer in any spelling; too large ones are capped.
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
