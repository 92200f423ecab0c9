//! Texts against texts.

use super::Comparison::{self, Different, Equal, Not};
use crate::compare::moment::Moment;
use crate::compare::number::Decimal;
use crate::plan::names::split;
use std::borrow::Cow;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Compares two texts that are neither two numbers nor a claimed date.
pub(super) fn compare(claim: &str, held: &str) -> Comparison {
    let (x, y) = (tidy(claim), tidy(held));
    if claim == held || x == y {
        return Equal("");
    }
    if Moment::parse(&y).is_some() && x.chars().any(|c| c.is_ascii_digit()) {
        return Not("date form");
    }
    if is_masked(&x) || is_masked(&y) {
        return Not("masked");
    }
    if folded(&x) == folded(&y) {
        return Equal("case");
    }
    let (p, q) = (bare(&x), bare(&y));
    if p.is_empty() || q.is_empty() {
        return Different("");
    }
    if p == q {
        return Equal("punctuation");
    }
    doubt(&x, &y, &p, &q).map_or(Different(""), Not)
}

/// Why two texts that differ may still be meant to be the same.
fn doubt(x: &str, y: &str, p: &str, q: &str) -> Option<&'static str> {
    let length = |text: &str| text.chars().count();
    let (short, long) = if length(x) <= length(y) {
        (x, y)
    } else {
        (y, x)
    };
    let begins = length(y) <= 2 && length(x) > 2 && p.starts_with(q);
    let is_code = length(short) <= 3
        && length(long) > 3
        && short.chars().all(|c| c.is_alphabetic() && c.is_uppercase());
    if begins || is_code {
        return Some("coded");
    }
    let (some, all) = (split(short), split(long));
    if some.len() < all.len() && all.starts_with(&some) {
        return Some("partial");
    }
    if is_phone(x) && is_phone(y) && (p.ends_with(q) || q.ends_with(p)) {
        return Some("phone");
    }
    if is_hash(y) && length(x) < length(y) {
        return Some("hashed");
    }
    (length(y) >= 16 && x.starts_with(y)).then_some("cut")
}

/// Digits that people write with or without what stands in front of them:
/// `01234` and `1234`, `+4930123456` and `030123456`.
pub(super) fn are_digits_of_people(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim(), b.trim());
    if a == b {
        return false;
    }
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let same_without_zeros = digits(a)
        && digits(b)
        && a.len() != b.len()
        && a.trim_start_matches('0') == b.trim_start_matches('0');
    let (p, q) = (bare(a), bare(b));
    same_without_zeros
        || (is_phone(a) && is_phone(b) && p != q && (p.ends_with(&q) || q.ends_with(&p)))
}

/// A number against a text with a currency around a number.
pub(super) fn currency(number: &Decimal, held: &str) -> Comparison {
    let held = held.replace(',', "");
    let around =
        |c: char| !c.is_ascii_digit() && !matches!(c, '-' | '+' | '.') && !c.is_whitespace();
    let trimmed = held.trim();
    let inner = trimmed.trim_start_matches(around).trim_start();
    let before = trimmed.len() - inner.len();
    let amount = inner.trim_end_matches(around).trim_end();
    let after = inner.len() - amount.len();
    // three letters or a sign of at most four bytes, and a blank
    if before > 6 || after > 6 {
        return Not("coded");
    }
    match Decimal::parse(amount) {
        Some(amount) if amount == *number => Equal("currency"),
        Some(_) => Not("text for a number"),
        None => Not("coded"),
    }
}

fn tidy(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) {
        return Cow::Borrowed(text.trim());
    }
    Cow::Owned(text.nfc().collect::<String>().trim().to_owned())
}

fn folded(text: &str) -> String {
    text.to_lowercase().replace('ß', "ss")
}

/// Letters and digits alone.
fn bare(text: &str) -> String {
    folded(text)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

fn is_masked(text: &str) -> bool {
    text.contains("***") || text.contains("\u{2022}\u{2022}\u{2022}") || text.ends_with('\u{2026}')
}

fn is_phone(text: &str) -> bool {
    let part = |c: char| c.is_ascii_digit() || c.is_whitespace() || "()+./-".contains(c);
    text.chars().count() >= 7 && text.chars().all(part)
}

/// Digests of the usual lengths, and `$algorithm$…` of passwords.
fn is_hash(text: &str) -> bool {
    let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    (matches!(text.len(), 32 | 40 | 64) && text.chars().all(hex))
        || text.strip_prefix('$').is_some_and(|rest| {
            let (name, hash) = rest.split_once('$').unwrap_or_default();
            !name.is_empty() && name.chars().all(char::is_alphanumeric) && !hash.is_empty()
        })
}
