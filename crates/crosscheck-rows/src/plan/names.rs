//! Names as words (rows 4): `orderId`, `order_id` and `Order-ID` are one name.

use crosscheck_core::secrets::is_secret_field;
use smallvec::SmallVec;
use smol_str::SmolStr;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use super::words::words;

/// A name and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// As it was written.
    pub(crate) text: SmolStr,
    /// In lower case.
    pub(crate) words: Vec<SmolStr>,
    /// The words without separators.
    pub(crate) norm: SmolStr,
    /// The words with `_` between them, as the lists spell them.
    pub(crate) joined: SmolStr,
    /// Whether it is nothing but an id word.
    pub(crate) is_bare_id: bool,
    /// Whether it ends in an id word.
    pub(crate) ends_in_id: bool,
    /// Whether it ends in a word for a state.
    pub(crate) is_state: bool,
}

impl Name {
    pub(crate) fn new(text: &str) -> Self {
        let words = split(text);
        let norm: SmolStr = words.concat().into();
        Self {
            text: text.into(),
            joined: words.join("_").into(),
            is_bare_id: is_id_word(&norm),
            ends_in_id: words.last().is_some_and(|word| is_id_word(word)),
            is_state: super::words::words()
                .state_words
                .has(words.last().map_or("", SmolStr::as_str)),
            norm,
            words,
        }
    }

    pub(crate) fn last(&self) -> &str {
        self.words.last().map_or("", SmolStr::as_str)
    }

    pub(crate) fn first(&self) -> &str {
        self.words.first().map_or("", SmolStr::as_str)
    }

    /// Whether what it names should not be shown.
    pub(crate) fn looks_secret(&self) -> bool {
        words().secret.has(&self.joined) || is_secret_field(&self.text)
    }

    /// Whether it speaks of the small unit of money.
    pub(crate) fn is_minor(&self) -> bool {
        let list = &words().minor_words;
        self.words.iter().any(|word| list.has(word))
    }
}

pub(crate) fn is_id_word(word: &str) -> bool {
    words().id_words.has(word)
}

/// The words of a name: split at `aB`, at `ABc`, and at everything that is no
/// letter or digit; in lower case.
pub(crate) fn split(name: &str) -> Vec<SmolStr> {
    let text = joined(name);
    let words = text.split('_').filter(|word| !word.is_empty());
    words.map(SmolStr::from).collect()
}

/// The words of a name with `_` between them.
pub(crate) fn joined(name: &str) -> String {
    if name.is_ascii() || is_nfc(name) {
        return joined_chars(name);
    }
    joined_chars(&name.nfc().collect::<String>())
}

fn joined_chars(name: &str) -> String {
    let mut found = String::with_capacity(name.len() + 4);
    let mut is_inside = false;
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(here) = chars.next() {
        let begins = here.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase()
                        && chars.peek().is_some_and(|next| next.is_lowercase()))
            });
        let is_part = here.is_alphanumeric();
        is_inside &= !begins;
        if is_part && !is_inside && !found.is_empty() {
            found.push('_');
        }
        if here.is_ascii_alphanumeric() {
            found.push(here.to_ascii_lowercase());
        } else if is_part {
            found.extend(here.to_lowercase());
        }
        is_inside = is_part;
        before = Some(here);
    }
    found
}

/// The singular forms that a word may have, itself first.
pub(crate) type Forms = SmallVec<[SmolStr; 3]>;

pub(crate) fn forms(word: &str) -> Forms {
    let mut forms = Forms::new();
    forms.push(word.into());
    if let Some(singular) = words().irregular.get(word) {
        forms.push(singular.as_str().into());
        return forms;
    }
    let length = word.chars().count();
    if let Some(stem) = word.strip_suffix("ies").filter(|_| length > 4) {
        forms.push(format!("{stem}y").into());
    }
    let hissing = |stem: &&str| {
        let ends = ["s", "x", "z", "ch", "sh"];
        length > 4 && ends.iter().any(|end| stem.ends_with(end))
    };
    if let Some(stem) = word.strip_suffix("es").filter(hissing) {
        forms.push(stem.into());
    }
    let is_plural = length > 2 && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if let Some(stem) = word.strip_suffix('s').filter(|_| is_plural) {
        forms.push(stem.into());
    }
    forms
}

/// Whether two words are the same: some singular form of both is.
pub(crate) fn same(a: &str, b: &str) -> bool {
    a == b || forms(a).iter().any(|form| forms(b).contains(form))
}

/// Whether a list of words has one that is the same.
pub(crate) fn any_same(word: &str, list: &[SmolStr]) -> bool {
    list.iter().any(|other| same(word, other))
}

/// Whether two names have the same words in the same order.
pub(crate) fn same_words(a: &[SmolStr], b: &[SmolStr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_where_writers_of_code_split_them() {
        let table = [
            ("orderId", "order id"),
            ("order_id", "order id"),
            ("Order-ID", "order id"),
            ("HTTPServer", "http server"),
            ("parseJSON", "parse json"),
            ("address1", "address1"),
            ("line2Total", "line2 total"),
            ("loans.remove", "loans remove"),
            ("__x__", "x"),
            ("größeÄndern", "größe ändern"),
            ("cafe\u{301}_id", "café id"),
            ("ORDER", "order"),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(split(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn plural_and_singular_are_the_same_word() {
        let alike = [
            ("orders", "order"),
            ("boxes", "box"),
            ("branches", "branch"),
            ("categories", "category"),
            ("people", "person"),
            ("buses", "bus"),
            ("statuses", "status"),
            ("addresses", "address"),
        ];
        for (plural, singular) in alike {
            assert!(same(plural, singular), "{plural}");
        }
        for (a, b) in [
            ("status", "statu"),
            ("bus", "buse"),
            ("news", "new"),
            ("as", "a"),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
    }
}
