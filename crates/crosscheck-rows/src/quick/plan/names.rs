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

/// Full Unicode lower case.
pub(super) fn lower(text: JsStr<'_>) -> Units {
    text.to_str_lossy().to_lowercase().encode_utf16().collect()
}

/// A.9.1: the spellings under which a table is known.
pub(super) fn variants(table: &str) -> BTreeSet<Units> {
    let folded = table.to_ascii_lowercase();
    let names = [singular(&folded), plural(&folded), folded, table.to_owned()];
    names
        .iter()
        .map(|name| name.encode_utf16().collect())
        .collect()
}

fn singular(name: &str) -> String {
    let without = |tail: &str| name.strip_suffix(tail).filter(|rest| !rest.is_empty());
    if let Some(rest) = without("ies") {
        return format!("{rest}y");
    }
    let is_hissing = ["ses", "xes", "ches", "shes"]
        .iter()
        .any(|tail| name.ends_with(tail));
    let rest = if is_hissing {
        name.strip_suffix("es")
    } else if name.ends_with("ss") {
        None
    } else {
        without("s")
    };
    rest.unwrap_or(name).to_owned()
}

fn plural(name: &str) -> String {
    if name.is_empty() || name.ends_with('s') {
        return name.to_owned();
    }
    let rest = name.strip_suffix('y');
    let last = rest.and_then(|rest| rest.chars().next_back());
    match (rest, last) {
        (Some(rest), Some(last)) if !"aeiou".contains(last) => format!("{rest}ies"),
        _ => format!("{name}s"),
    }
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
        let singulars = [
            ("companies", "company"),
            ("ies", "ie"),
            ("es", "e"),
            ("ses", "s"),
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
            assert_eq!(singular(from), to, "{from}");
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
            assert_eq!(plural(from), to, "{from}");
        }
    }

    #[test]
    fn variants_are_the_name_folded_and_both_numbers() {
        let all: Vec<String> = variants("Contacts")
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
