//! Names as the scores compare them: UTF-16 units, folded or lower-cased.

use std::collections::BTreeSet;

use crosscheck_core::JsStr;

/// `^[a-zA-Z_][a-zA-Z0-9_]*$`
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A name in UTF-16 units.
pub(super) type Units = Vec<u16>;

/// The units of a text.
pub(super) fn units(text: JsStr<'_>) -> Units {
    text.units().collect()
}

/// A–Z become a–z, nothing else changes.
pub(super) fn fold(name: &[u16]) -> Units {
    name.iter()
        .map(|&unit| {
            if (0x41..=0x5A).contains(&unit) {
                unit + 0x20
            } else {
                unit
            }
        })
        .collect()
}

/// Full Unicode lower case. Halves of pairs stay as they are.
pub(super) fn lower(text: JsStr<'_>) -> Units {
    if let Some(text) = text.as_str() {
        return text.to_lowercase().encode_utf16().collect();
    }
    char::decode_utf16(text.units())
        .flat_map(|piece| match piece {
            Ok(c) => c
                .to_lowercase()
                .collect::<String>()
                .encode_utf16()
                .collect::<Units>(),
            Err(half) => vec![half.unpaired_surrogate()],
        })
        .collect()
}

/// A.9.1: the spellings under which a table is known.
pub(super) fn variants(table: JsStr<'_>) -> BTreeSet<Units> {
    let name = units(table);
    let folded = fold(&name);
    BTreeSet::from([singular(&folded), plural(&folded), folded, name])
}

fn singular(name: &[u16]) -> Units {
    let ends = |tail: &str| ends_with(name, tail);
    if ends("ies") && name.len() >= 4 {
        return replace_tail(name, 3, "y");
    }
    if ["ses", "xes", "ches", "shes"].iter().any(|tail| ends(tail)) {
        return replace_tail(name, 2, "");
    }
    if ends("s") && !ends("ss") && name.len() > 1 {
        return replace_tail(name, 1, "");
    }
    name.to_vec()
}

fn plural(name: &[u16]) -> Units {
    if name.is_empty() || ends_with(name, "s") {
        return name.to_vec();
    }
    let before_last = name.len().checked_sub(2).and_then(|at| name.get(at));
    let after_vowel =
        before_last.is_some_and(|unit| "aeiouAEIOU".encode_utf16().any(|vowel| vowel == *unit));
    if ends_with(name, "y") && before_last.is_some() && !after_vowel {
        return replace_tail(name, 1, "ies");
    }
    replace_tail(name, 0, "s")
}

fn ends_with(name: &[u16], tail: &str) -> bool {
    name.ends_with(&tail.encode_utf16().collect::<Units>())
}

fn replace_tail(name: &[u16], count: usize, tail: &str) -> Units {
    let keep = name.len().saturating_sub(count);
    name.iter()
        .take(keep)
        .copied()
        .chain(tail.encode_utf16())
        .collect()
}

/// A.9.2: the pieces of a tool name, folded.
pub(super) fn tokens(tool: JsStr<'_>) -> Vec<Units> {
    let is_word = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_alphanumeric());
    units(tool)
        .split(|unit| !is_word(unit))
        .filter(|token| !token.is_empty())
        .map(fold)
        .collect::<BTreeSet<Units>>() // a name of a million equal words is scored as one
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(units: &[u16]) -> String {
        String::from_utf16(units).unwrap()
    }

    #[test]
    fn singular_and_plural_follow_the_seed() {
        let word = |text: &str| units(text.into());
        let singulars = [
            ("companies", "company"),
            ("ies", "ie"),
            ("buses", "bus"),
            ("boxes", "box"),
            ("matches", "match"),
            ("dishes", "dish"),
            ("contacts", "contact"),
            ("glass", "glass"),
            ("s", "s"),
            ("order", "order"),
            ("houses", "hous"),
        ];
        for (from, to) in singulars {
            assert_eq!(text(&singular(&word(from))), to, "{from}");
        }
        let plurals = [
            ("company", "companies"),
            ("day", "days"),
            ("bus", "bus"),
            ("order", "orders"),
            ("y", "ys"),
            ("", ""),
        ];
        for (from, to) in plurals {
            assert_eq!(text(&plural(&word(from))), to, "{from}");
        }
    }

    #[test]
    fn variants_are_the_name_folded_and_both_numbers() {
        let all: Vec<String> = variants("Contacts".into())
            .iter()
            .map(|variant| text(variant))
            .collect();
        assert_eq!(all, ["Contacts", "contact", "contacts"]);
    }

    #[test]
    fn tokens_split_at_everything_but_letters_and_digits() {
        let all: Vec<String> = tokens("CRM.upsert_contact--v2 \u{e9}x".into())
            .iter()
            .map(|token| text(token))
            .collect();
        assert_eq!(all, ["contact", "crm", "upsert", "v2", "x"]);
    }
}
