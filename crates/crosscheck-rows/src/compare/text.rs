//! Texts against texts.

use super::Comparison::{self, Different, Equal, Not};
use super::{CASE, CUT, MASKED, PARTIAL};
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
    if Moment::parse(&y).is_some() {
        return Not("date form");
    }
    if is_clock(&y) && x.contains(|c: char| c.is_ascii_digit()) {
        return Not("time form");
    }
    if let Some(word) = masked(&x, &y) {
        return Not(word);
    }
    if folded(&x) == folded(&y) {
        return Equal(CASE);
    }
    let (p, q) = (bare(&x), bare(&y));
    if p.is_empty() || q.is_empty() {
        return Different("");
    }
    if p == q {
        return if are_signs_alike(&x, &y) {
            Equal("punctuation")
        } else {
            Not("punctuation")
        };
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
    if x.ends_with("...") && q.starts_with(p) {
        return Some(MASKED);
    }
    if is_phone(x) && is_phone(y) && are_ends(p, q) {
        return Some("phone");
    }
    let (some, all) = (split(short), split(long));
    if some.len() < all.len() && (all.starts_with(&some) || all.ends_with(&some)) {
        return Some(PARTIAL);
    }
    let is_entity = |(_, rest): (&str, &str)| rest.contains(';');
    let has_markup = |text: &str| text.contains('<') || text.split_once('&').is_some_and(is_entity);
    if has_markup(x) || has_markup(y) || spelt_out(p) == spelt_out(q) {
        return Some("spelling");
    }
    if y.contains("://") && !x.contains("://") {
        return Some("stored elsewhere");
    }
    if is_hash(y) && length(x) < length(y) {
        return Some("hashed");
    }
    (length(y) >= 16 && x.starts_with(y)).then_some(CUT)
}

/// Digits that people write with or without what is in front of them:
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
    same_without_zeros || (is_phone(a) && is_phone(b) && p != q && are_ends(&p, &q))
}

/// Whether one number ends the other, apart from zeros in front.
fn are_ends(p: &str, q: &str) -> bool {
    let (p, q) = (p.trim_start_matches('0'), q.trim_start_matches('0'));
    p.len().min(q.len()) >= 5 && (p.ends_with(q) || q.ends_with(p))
}

/// Signs that people do not add or leave out at will.
const SIGNS: &str = "+#*%<>=@&$€/\\|~^";

/// A picture can be all the difference: `✅ sent` and `❌ sent`.
fn is_sign(c: char) -> bool {
    let is_picture = matches!(c, '¬' | '±' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}');
    is_picture || SIGNS.contains(c)
}

/// Texts with the same letters and digits: whether what is between them is
/// only how people write. `1.11.1.1` is not `11.1.1.1`, and `A+` is not `A-`.
fn are_signs_alike(x: &str, y: &str) -> bool {
    let is_number = |text: &str| is_phone(text) && text.matches('.').count() != 3;
    if is_number(x) && is_number(y) {
        return true;
    }
    let words = |text: &str| split(text).len();
    let signs = |text: &str| -> String {
        let mut signs: Vec<char> = text.chars().filter(|c| is_sign(*c)).collect();
        signs.extend(text.chars().next().filter(|c| matches!(c, '-' | '!')));
        signs.extend(text.ends_with('-').then_some('-'));
        signs.sort_unstable();
        signs.into_iter().collect()
    };
    let is_one = words(x) == 1 || words(y) == 1;
    (is_one || split(&folded(x)) == split(&folded(y))) && signs(x) == signs(y)
}

/// Letters as people write them who lack some: `koeln` for `köln`.
fn spelt_out(text: &str) -> String {
    let mut spelt = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ä' | 'æ' => spelt.push_str("ae"),
            'ö' | 'ø' | 'œ' => spelt.push_str("oe"),
            'ü' => spelt.push_str("ue"),
            'å' => spelt.push_str("aa"),
            c => spelt.extend(std::iter::once(c).nfd().next()),
        }
    }
    spelt
}

/// `14:30`, `09:00:00`, `2:30 PM`: a time of the day is written in many ways.
fn is_clock(text: &str) -> bool {
    let time = text.to_ascii_lowercase().replace('.', "");
    let time = time.trim_end_matches(['a', 'p', 'm', ' ']);
    let is_part = |part: &str| {
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    time.contains(':') && time.split(':').all(is_part)
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
    let text = text.to_lowercase().replace('ß', "ss");
    text.replace("cancelled", "canceled")
}

/// Letters and digits alone.
fn bare(text: &str) -> String {
    folded(text)
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

const ELLIPSIS: char = '\u{2026}';

/// The signs that hide a part of a text: `j**n@x.test`, `•••• 1234`,
/// `XXX-XX-6789`, or `…` at its end.
fn mask_of(text: &str) -> Option<&'static [char]> {
    let has_stars = text.contains("***") || (text.contains("**") && !text.contains(' '));
    if has_stars || text.contains("\u{2022}\u{2022}\u{2022}") || text.ends_with(ELLIPSIS) {
        return Some(&['*', '\u{2022}', ELLIPSIS]);
    }
    let hides = |c: char| matches!(c, 'x' | 'X' | '#');
    let is_number = text.chars().any(|c| c.is_ascii_digit())
        && !text.contains(|c: char| c.is_alphabetic() && !hides(c));
    let has_run = ["xxx", "XXX", "###"].iter().any(|run| text.contains(run));
    (has_run && is_number).then_some(&['x', 'X', '#'])
}

/// Why two texts of which one hides a part are not comparable: what is left of
/// it fits the other one or not. A column that was cut does not hold the claim.
fn masked(claim: &str, held: &str) -> Option<&'static str> {
    let (mask, whole, signs) = match (mask_of(claim), mask_of(held)) {
        (None, None) => return None,
        (Some(_), Some(_)) => return Some(PARTIAL),
        (Some(signs), None) => (claim, held, signs),
        (None, Some(signs)) => (held, claim, signs),
    };
    let whole = bare(whole);
    let mut rest = whole.as_str();
    let mut parts = mask.split(signs).map(bare).peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let at = match (is_first, is_last && !part.is_empty()) {
            (true, _) => rest.starts_with(&part).then_some(0),
            (false, true) => rest.ends_with(&part).then(|| rest.len() - part.len()),
            (false, false) => rest.find(&part),
        };
        let Some(left) = at.and_then(|at| rest.get(at + part.len()..)) else {
            return Some(PARTIAL);
        };
        (rest, is_first) = (left, false);
    }
    Some(if held.ends_with(ELLIPSIS) {
        CUT
    } else {
        MASKED
    })
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
