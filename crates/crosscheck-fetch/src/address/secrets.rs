//! Which values in a URL are secrets, by their names.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Names that equal one of these words, as a whole or in their last word…
const NAMES: &[&str] = &[
    "sig",
    "auth",
    "pw",
    "pwd",
    "pass",
    "passwd",
    "otp",
    "totp",
    "hmac",
    "jwt",
    "bearer",
    "sas",
    "sid",
    "session",
    "sessionid",
    "authorization",
    "samlresponse",
];
/// …and names that end with one of these.
const ENDS: &[&str] = &[
    "key",
    "token",
    "secret",
    "password",
    "passphrase",
    "passcode",
    "signature",
    "credential",
    "credentials",
    "accesskeyid",
    "sessid",
    "jsessionid",
];
/// Words that end with `key` and are none.
const NO_KEYS: &[&str] = &[
    "monkey", "donkey", "turkey", "hockey", "jockey", "whiskey", "mickey", "lackey", "hotkey",
    "turnkey",
];
/// Names of secrets that are long, and of other things that are short:
/// countries, languages, requests of users.
const LONG: &[&str] = &["code", "authcode", "authorizationcode", "ticket"];
const LONG_MIN: usize = 16;

/// How often a value is decoded to look for a URL in it.
const DEPTH: usize = 4;

/// What is not escaped when a decoded value is put back.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'*');

/// A URL, or the part of one, with `***` for each value of a secret name: in
/// the query, the fragment and the parameters of the path, and in URLs that
/// are such a value.
pub(super) fn masked(text: &str) -> String {
    in_parts(text, true, DEPTH)
}

/// Cut at everything that can stand before a name. In the path, only what
/// stands behind a separator has one, and a value ends with its segment.
fn in_parts(text: &str, mut is_path: bool, depth: usize) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    loop {
        let ends: &[char] = if is_path {
            &['/', '&', ';', '?', '#']
        } else {
            &['&', ';', '?', '#']
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let (part, tail) = rest.split_at(end);
        rest = tail;
        match part
            .split_once('=')
            .filter(|_| before.is_some() || !is_path)
        {
            Some((name, value)) if is_secret(name, value) => {
                result.push_str(name);
                result.push_str("=***");
                if !is_path {
                    // a secret may contain the rarer separators
                    rest = rest.find(['&', '#']).map_or("", |at| rest.split_at(at).1);
                }
            }
            Some((name, value)) => {
                result.push_str(name);
                result.push('=');
                result.push_str(&inside(value, depth));
            }
            None => result.push_str(&inside(part, depth)),
        }
        let mut chars = rest.chars();
        before = chars.next();
        let Some(separator) = before else {
            return result;
        };
        result.push(separator);
        is_path &= !matches!(separator, '?' | '#');
        rest = chars.as_str();
    }
}

/// A value that is shown, without the secrets of a URL in it.
fn inside(value: &str, depth: usize) -> Cow<'_, str> {
    if depth == 0 || !value.contains('%') {
        return Cow::Borrowed(value);
    }
    let decoded = percent_decode_str(value).decode_utf8_lossy();
    let clean = in_parts(&without_users(&decoded), false, depth - 1);
    if clean == decoded {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(utf8_percent_encode(&clean, KEPT).to_string())
    }
}

fn without_users(text: &str) -> String {
    super::urls_of(text)
        .map(|part| {
            if part.contains("//") {
                super::mask_user(part)
            } else {
                Cow::Borrowed(part)
            }
        })
        .collect()
}

fn is_secret(name: &str, value: &str) -> bool {
    let name = percent_decode_str(name).decode_utf8_lossy();
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphabetic());
        letters.flat_map(char::to_lowercase).collect()
    };
    let is_name = |plain: &str| {
        NAMES.contains(&plain)
            || LONG.contains(&plain) && value.chars().count() >= LONG_MIN
            || ENDS.iter().any(|end| plain.ends_with(end))
                && !NO_KEYS.iter().any(|word| plain.ends_with(word))
    };
    // `user[password]`, `token[0]`, `connect.sid`
    is_name(&plain(&name))
        || name.split(['[', ']']).any(|word| is_name(&plain(word)))
        || name
            .rsplit(|c: char| !c.is_alphabetic())
            .find(|word| !word.is_empty())
            .is_some_and(|word| is_name(&plain(word)))
}

#[cfg(test)]
mod tests {
    use super::super::shown;

    #[test]
    fn secrets_of_every_common_name_are_masked() {
        for name in [
            "token",
            "access_token",
            "api_key",
            "apikey",
            "apiKey",
            "account_key",
            "AccountKey",
            "client_secret",
            "X-Amz-Signature",
            "X-Amz-Credential",
            "X-Amz-Security-Token",
            "X-Goog-Signature",
            "AWSAccessKeyId",
            "sig",
            "password",
            "pw",
            "passcode",
            "otp",
            "hmac",
            "PHPSESSID",
            "connect.sid",
            "refresh%5Ftoken",
            "Subscription-Key",
            "token[]",
            "token%5B0%5D",
            "token[a]",
            "user[password]",
            "key2",
        ] {
            let url = format!("https://a.example/x?a=1&{name}=s3cret&b=2");
            let expected = format!("https://a.example/x?a=1&{name}=***&b=2");
            assert_eq!(shown(&url), expected, "{name}");
        }
        for name in [
            "monkey",
            "signal",
            "author",
            "page",
            "passage",
            "keyword",
            "keywords",
            "turkey",
            "tokenizer",
            "tokens",
            "code",
            "ticket",
            "countrycode",
            "design",
        ] {
            let url = format!("https://a.example/x?{name}=plain");
            assert_eq!(shown(&url), url, "{name}");
        }
        assert_eq!(
            shown("https://a.example/cb?code=4/0AX4XfWh8b2c9d1e0f&lang=de"),
            "https://a.example/cb?code=***&lang=de"
        );
    }

    #[test]
    fn a_secret_is_masked_wherever_a_name_can_stand() {
        for (text, masked) in [
            ("#access_token=s3cret&a=1", "#access_token=***&a=1"),
            ("#/route?token=s3cret", "#/route?token=***"),
            ("?a=1;token=s3cret", "?a=1;token=***"),
            ("?a=1;token=s3;cret&b=2", "?a=1;token=***&b=2"),
            ("?a=1&amp;token=s3cret", "?a=1&amp;token=***"),
            (";jsessionid=s3cret/b?a=1", ";jsessionid=***/b?a=1"),
            ("x/token=s3cret/b", "x/token=***/b"),
            ("x&token=s3cret", "x&token=***"),
            ("?x=1?token=s3cret", "?x=1?token=***"),
            ("?to=http://h/?sig=s3cret", "?to=http://h/?sig=***"),
            ("?to=http://u:s3cret@h/", "?to=http://***@h/"),
            (
                "?to=http%3A%2F%2Fh%2F%3Ftoken%3Ds3cret&b=2",
                "?to=http%3A%2F%2Fh%2F%3Ftoken%3D***&b=2",
            ),
            (
                "?to=http%253A%252F%252Fh%252F%253Ftoken%253Ds3cret",
                "?to=http%253A%252F%252Fh%252F%253Ftoken%253D***",
            ),
            (
                "?to=http%3A%2F%2Fu%3As3cret%40h",
                "?to=http%3A%2F%2F***%40h",
            ),
            (
                "http%3A%2F%2Fh%3Fsig%3Ds3cret",
                "http%3A%2F%2Fh%3Fsig%3D***",
            ),
            ("?token=s3cret/http://s3cret", "?token=***"),
        ] {
            let url = format!("https://a.example/{text}");
            assert_eq!(shown(&url), format!("https://a.example/{masked}"), "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays_as_it_was_written() {
        for text in [
            "#:~:text=the%20key%2C,of%20a%20token&text=b",
            "#section-2.1",
            "#L10-L20",
            "a%2Fb;v=1/c?q=a%26b%3Dc&mail=a%40b.example#top",
            "?q=r%C3%A9sum%C3%A9+%22key+token%22",
            "?code=en-GB;lang=de",
            "wiki/Key_(cryptography)?title=A%3DB",
            "%FF%zz?x=%",
            "a/http://b.example/c?d=e",
        ] {
            let url = format!("https://a.example/{text}");
            assert_eq!(shown(&url), url, "{text}");
        }
    }
}
