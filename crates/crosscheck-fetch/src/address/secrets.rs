//! Which values in a URL are secrets, by their names.

use std::borrow::Cow;

use crosscheck_core::secrets::{
    is_mixed, is_secret_in_url, is_surely_secret, sounds_secret, without_keys,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Addresses to which anyone who knows what follows may write, one on each line.
const HOOKS: &str = include_str!("hooks.txt");

/// A shorter value behind a colon (`key:1`, `token:a`) is a word of a search, not a secret.
const NAMED_MIN: usize = 6;

/// So much of a value tells whether it can be a secret.
const VALUE_START: usize = 64;

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
/// are such a value; and for each key that is known by its shape.
pub(super) fn masked(text: &str) -> String {
    without_keys(&in_parts(text, true, DEPTH), "***")
}

/// Whether a text names a hook.
pub(super) fn has_hook(text: &str) -> bool {
    text.contains('/') && hook_in(text).is_some()
}

/// Where what is secret about a hook begins.
fn hook_in(text: &str) -> Option<usize> {
    // each of them has this word in it
    let is_word = |four: &[u8]| four.eq_ignore_ascii_case(b"hook");
    if !text.as_bytes().windows(4).any(is_word) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let hook = |hook: &str| Some(lower.find(hook)? + hook.len());
    let versions = || {
        let (_, after) = lower.split_once("discord.com/api/v")?;
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let secret = rest.strip_prefix("/webhooks/")?;
        Some(lower.len() - secret.len())
    };
    HOOKS.lines().find_map(hook).or_else(versions)
}

/// A URL without what makes a hook of it.
fn without_hook(text: &str) -> Cow<'_, str> {
    let Some((head, tail)) = hook_in(text).and_then(|at| text.split_at_checked(at)) else {
        return Cow::Borrowed(text);
    };
    let end = tail.find(['?', '#', '&', ';']).unwrap_or(tail.len());
    if tail.get(..end).is_none_or(str::is_empty) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{head}***{}", tail.get(end..).unwrap_or_default()))
}

/// Cut at everything that can come before a name. In the path, only what
/// is behind a separator has one, and a value ends with its segment.
fn in_parts(text: &str, mut is_path: bool, depth: usize) -> String {
    let text = without_hook(text);
    let mut result = String::with_capacity(text.len());
    let mut rest = &*text;
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
            None if is_path => result.push_str(&inside(&without_bot(part), depth)),
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

/// A value that is shown, without the secrets of a URL or of named values in it.
fn inside(value: &str, depth: usize) -> Cow<'_, str> {
    if depth == 0 || !value.contains('%') {
        return in_words(value);
    }
    let decoded = percent_decode_str(value).decode_utf8_lossy();
    let clean = in_parts(&without_users(&decoded), false, depth - 1);
    if clean == decoded {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(utf8_percent_encode(&clean, KEPT).to_string())
    }
}

/// Named values within one value: `a,token=…`, `token:…`, `{"token":"…"}`.
fn in_words(text: &str) -> Cow<'_, str> {
    without(text, |text| secret_in(text, false))
}

/// The same in prose, where `key=5` is none: `token=…`, `password: …`.
pub(super) fn in_prose(text: &str) -> Cow<'_, str> {
    without(text, |text| secret_in(text, true))
}

/// A text without what is found in it, again and again.
fn without(text: &str, find: impl Fn(&str) -> Option<(usize, usize)>) -> Cow<'_, str> {
    let mut result = String::new();
    let mut copied = 0;
    while let Some(at) = text
        .get(copied..)
        .and_then(|rest| find(rest).map(|(from, to)| (copied + from, copied + to)))
    {
        result.push_str(text.get(copied..at.0).unwrap_or_default());
        result.push_str("***");
        copied = at.1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    result.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(result)
}

/// Where the first secret value of a text begins and ends.
fn secret_in(text: &str, is_prose: bool) -> Option<(usize, usize)> {
    let is_quote = |c: char| {
        matches!(c, '"' | '\'' | '\\') || is_prose && matches!(c, '`' | '“' | '”' | '‘' | '’')
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_secret = if is_prose {
        is_secret_in_prose
    } else {
        is_secret
    };
    text.match_indices([':', '=']).find_map(|(at, sign)| {
        let head = text.get(..at)?;
        let head = if is_prose { head.trim_end() } else { head };
        let head = head.trim_end_matches(is_quote);
        let name = head.rsplit(|c: char| !is_name(c)).next()?;
        let tail = text.get(at + 1..)?;
        let blank = if is_prose || sign == ":" {
            tail.trim_start()
        } else {
            tail
        };
        let value = blank.trim_start_matches(is_quote);
        let is_quoted = value.len() < blank.len();
        // what a person writes behind a colon begins with a space and is a sentence
        let is_apart = tail.len() > blank.len() && !is_quoted;
        // a long text behind many names is not read to its end for each of them
        let start = value
            .char_indices()
            .nth(VALUE_START)
            .map_or(value.len(), |(at, _)| at);
        let start = value.get(..start)?;
        if is_apart && !is_prose || value.starts_with("//") || !is_secret(name, start) {
            return None;
        }
        let ends = |c: char| {
            let is_end = matches!(c, ',' | '|' | '}' | '+') || is_prose && matches!(c, ';' | ')');
            is_quote(c) || !is_quoted && (c.is_whitespace() || is_end)
        };
        let length = value.find(ends).unwrap_or(value.len());
        let shown = value.get(..length)?;
        let shown = if is_prose {
            shown.trim_end_matches(['.', '!', '?'])
        } else {
            shown
        };
        let min = if sign == ":" && !is_prose {
            NAMED_MIN
        } else {
            1
        };
        let is_value = shown.len() >= min && shown != "***";
        let is_word = || {
            let has_figure = shown.contains(|c: char| c.is_ascii_digit());
            let rest = value.get(shown.len()..).unwrap_or_default();
            let is_last = rest.is_empty() || rest.starts_with(['.', ')', ';', '!', '?', '\n']);
            !(has_figure || sign == ":" && is_last) || shown.contains('(')
        };
        (is_value && is_secret(name, shown) && !(is_apart && is_word())).then(|| {
            let from = text.len() - value.len();
            (from, from + shown.len())
        })
    })
}

/// Words such as `key` name other things in prose: then the value has to look like no word.
fn is_secret_in_prose(name: &str, value: &str) -> bool {
    let value = value.split(char::is_whitespace).next().unwrap_or_default();
    let is_code = || value.len() >= NAMED_MIN && is_mixed(value);
    is_surely_secret(name) || sounds_secret(name) && is_code()
}

/// A segment of a path such as `bot123456:…`, which signs in a chat bot.
fn without_bot(part: &str) -> Cow<'_, str> {
    let secret = part
        .strip_prefix("bot")
        .and_then(|rest| rest.split_once(':'))
        .filter(|(id, secret)| {
            !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()) && !secret.is_empty()
        });
    match secret {
        Some((id, _)) => Cow::Owned(format!("bot{id}:***")),
        None => Cow::Borrowed(part),
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
    is_secret_in_url(&name, value)
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
            "sigv4",
            "userpass",
            "dbPwd",
            "pswd",
            "db_creds",
            "passwordHash",
            "secretKeyBase",
            "apiKeyV2",
            "accessTokenValue",
            "compassToken",
            "secretarySecret",
            "monkeyApiKey",
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
            "compass",
            "secretary",
            "keys",
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
    fn keys_are_masked_under_any_name_and_in_the_path() {
        for key in [
            "ghp_abcdefghijklmnop1234",
            "AKIAIOSFODNN7EXAMPLE",
            "sk-proj-abc123DEF456",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        ] {
            for around in ["?q={}&b=2", "files/{}/b", "#{}", "?a=1,{}"] {
                let url =
                    |value: &str| format!("https://a.example/{}", around.replace("{}", value));
                assert_eq!(shown(&url(key)), url("***"), "{key}");
                let text = |value: &str| format!("See {} for it, or {value}.", url(value));
                let seen = super::super::shown_in_text(&text(key)).into_owned();
                assert_eq!(seen, text("***"), "{key}");
            }
        }
        for name in ["oauth", "csrf_token", "cookie", "cred", "webhook", "tok"] {
            let url = format!("https://a.example/x?{name}=s3cret");
            assert_eq!(shown(&url), format!("https://a.example/x?{name}=***"));
        }
    }

    #[test]
    fn many_names_in_a_value_cost_no_more_than_their_length() {
        let url = format!("https://a.example/?q={}", "hash:".repeat(40_000));
        let began = std::time::Instant::now();
        assert_eq!(shown(&url), url);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    #[test]
    fn tickets_and_hashes_are_masked_when_they_look_like_secrets() {
        for (value, masked) in [
            ("ticket=ST-1-s3cretX", "ticket=***"),
            ("login_ticket=a1b2c3d4e5", "login_ticket=***"),
            ("hash=5f4dcc3b5aa765d61d8327deb882cf99", "hash=***"),
            ("token[]=s3cret&token[]=t4", "token[]=***&token[]=***"),
            ("token%5B%5D=s3cret", "token%5B%5D=***"),
            ("ticket=4711", "ticket=4711"),
            ("ticket=SHOP-12345", "ticket=SHOP-12345"),
            ("ticket=INC0012345", "ticket=INC0012345"),
            ("ticket=weekend", "ticket=weekend"),
            ("hash=1a2b3c4d", "hash=1a2b3c4d"),
            ("hash=a-long-title-of-a-part", "hash=a-long-title-of-a-part"),
        ] {
            let url = |query: &str| format!("https://a.example/x?{query}&b=2");
            assert_eq!(shown(&url(value)), url(masked), "{value}");
        }
    }

    #[test]
    fn addresses_of_hooks_are_masked() {
        for (url, masked) in [
            (
                "https://hooks.slack.com/services/T000/B000/s3cret",
                "https://hooks.slack.com/services/***",
            ),
            (
                "HTTPS://Hooks.Slack.com/workflows/T0/A0/1/s3cret?a=1",
                "HTTPS://Hooks.Slack.com/workflows/***?a=1",
            ),
            (
                "https://discord.com/api/webhooks/123/s3cret",
                "https://discord.com/api/webhooks/***",
            ),
            (
                "https://ptb.discord.com/api/v10/webhooks/123/s3cret#x",
                "https://ptb.discord.com/api/v10/webhooks/***#x",
            ),
            (
                "https://a.webhook.office.com/webhookb2/g@h/IncomingWebhook/s3cret/i",
                "https://a.webhook.office.com/webhookb2/***",
            ),
            (
                "https://a.example/?to=https%3A%2F%2Fhooks.slack.com%2Fservices%2FT0%2FB0%2Fs3cret",
                "https://a.example/?to=https%3A%2F%2Fhooks.slack.com%2Fservices%2F***",
            ),
            (
                "https://hooks.slack.com/services/",
                "https://hooks.slack.com/services/",
            ),
            (
                "https://discord.com/developers/docs/resources/webhook",
                "https://discord.com/developers/docs/resources/webhook",
            ),
        ] {
            assert_eq!(shown(url), masked);
            let text = super::super::shown_in_text(url);
            assert_eq!(text, masked);
        }
    }

    #[test]
    fn a_secret_is_masked_wherever_a_name_can_be() {
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
            ("?a=1,token=s3cret,b=2", "?a=1,token=***,b=2"),
            ("?q=token:s3cret+b", "?q=token:***+b"),
            ("?q=token%3As3cret", "?q=token%3A***"),
            (
                "?d={\"token\":\"s3 cret\",\"b\":1}",
                "?d={\"token\":\"***\",\"b\":1}",
            ),
            (
                "?d=%7B%22api_key%22%3A%22s3cret%22%7D",
                "?d=%7B%22api_key%22%3A%22***%22%7D",
            ),
            ("bot123456:s3cret/getMe", "bot123456:***/getMe"),
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
            "?q=the+key:+a+token",
            "wiki/Key:Value?q=key:1",
            "#:~:text=The%20key%3A%20it%20works",
            "bottle:one/bot/x",
        ] {
            let url = format!("https://a.example/{text}");
            assert_eq!(shown(&url), url, "{text}");
        }
    }
}
