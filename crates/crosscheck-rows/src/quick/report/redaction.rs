//! Claims on a certificate travel far: keys that look like credentials are
//! taken out and the rest is kept short.

use std::sync::LazyLock;

use crosscheck_core::text::one_line_js;
use crosscheck_core::{JsStr, JsString};
use regex::Regex;

use crate::quick::read::patterns::{SPACE, pattern};

/// The three shapes of the contract.
static CREDENTIAL: LazyLock<Regex> = LazyLock::new(|| {
    let secret = "(?i-u:sk_(?:live|test)_)[a-zA-Z0-9]{8,}";
    let bearer = format!("(?i-u:Bearer)[{SPACE}]+[a-zA-Z0-9._\\-+/=]{{20,}}");
    pattern(&format!(
        r"(?-u:\b)(?:{secret}|AKIA[0-9A-Z]{{16}}|{bearer})(?-u:\b)"
    ))
});

/// At most `max` UTF-16 units, without credentials, on one line.
pub(crate) fn redact(text: JsStr<'_>, max: usize) -> JsString {
    let plain = text.to_str_lossy();
    let clean = if may_hold_a_credential(plain.as_bytes()) && CREDENTIAL.is_match(&plain) {
        CREDENTIAL.replace_all(&plain, "[redacted]").as_ref().into()
    } else {
        text.to_owned()
    };
    if clean.as_js().unit_len() <= max {
        return one_line_js(clean.as_js());
    }
    let mut cut = JsString::from_units(clean.as_js().units().take(max - 1));
    cut.push_str("\u{2026}");
    one_line_js(cut.as_js())
}

/// Most texts hold none, and the pattern takes time to make.
fn may_hold_a_credential(text: &[u8]) -> bool {
    let heads = [b"sk_".as_slice(), b"akia", b"bear"];
    heads.iter().any(|head| {
        let mut windows = text.windows(head.len());
        windows.any(|window| window.eq_ignore_ascii_case(head))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        redact(text.into(), 400).to_string()
    }

    #[test]
    fn credentials_are_taken_out() {
        let table = [
            ("key sk_live_abcdefgh1 end", "key [redacted] end"),
            ("SK_TEST_ABCDEFGH", "[redacted]"),
            ("sk_live_short", "sk_live_short"),
            ("xsk_live_abcdefgh", "xsk_live_abcdefgh"),
            ("sk_live_abcdefgh_", "sk_live_abcdefgh_"),
            ("AKIA0123456789ABCDEF", "[redacted]"),
            ("AKIA0123456789ABCDEFG", "AKIA0123456789ABCDEFG"),
            ("akia0123456789abcdef", "akia0123456789abcdef"),
            (
                "Authorization: Bearer abcdefghijklmnopqrstuvwxyz==",
                "Authorization: [redacted]==",
            ),
            ("bearer  aaaaaaaaaaaaaaaaaaaa", "[redacted]"),
            ("Bearer short", "Bearer short"),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_survives_where_nothing_is_taken_out() {
        let mut text = JsString::from("a ");
        text.push(JsString::from_units([0xD800]).as_js());
        assert_eq!(redact(text.as_js(), 400), text);
        text.push_str(" AKIA0123456789ABCDEF");
        assert_eq!(
            redact(text.as_js(), 400).to_string(),
            "a \u{fffd} [redacted]"
        );
    }

    #[test]
    fn long_claims_are_cut_with_an_ellipsis() {
        let cut = redact("x".repeat(200).as_str().into(), 160);
        assert_eq!(cut.as_js().unit_len(), 160);
        assert!(cut.to_string().ends_with("x\u{2026}"));
    }
}
