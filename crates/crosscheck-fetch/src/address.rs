//! URLs as people and logs write them: which are equal, and how one may be
//! shown (sources 1.6, 9).

mod secrets;

use std::borrow::Cow;

use crosscheck_core::redact::without_secrets;
use crosscheck_core::secrets::has_key;
use url::Url;

/// The key of a cited URL (sources 1.6): scheme and host in lower case; no user
/// information, final dot of the host, default port or fragment; an empty path
/// is `/`; percent-escapes in upper case. Nothing else is merged. A text that
/// is not a URL is its own key, without user information.
pub fn url_key(text: &str) -> String {
    let text = text.trim();
    plain_key(text).unwrap_or_else(|| parsed_key(text))
}

/// The key of a URL that needs no parser, as nearly all do: a scheme and a
/// host in lower case, and printable ASCII behind them. Otherwise `None`.
fn plain_key(text: &str) -> Option<String> {
    let after = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))?;
    let host = after.split(['/', '?', '#']).next().unwrap_or_default();
    let is_label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let edge = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'-');
        let bytes = label.as_bytes();
        label.len() < 64
            && bytes.iter().all(|byte| inner(*byte))
            && (edge(bytes.first()) && edge(bytes.last()))
            && !label.starts_with("xn--")
    };
    // a last label of digits would be part of an address
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_plain = host.len() < 254
        && last.starts_with(|c: char| c.is_ascii_lowercase())
        && host.split('.').all(is_label)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let written = text.split('#').next().filter(|_| is_plain)?;
    let head = text.len() - after.len() + host.len();
    let rest = written.get(head..).unwrap_or_default();
    let slash = if rest.starts_with('/') { "" } else { "/" };
    let head = text.get(..head).unwrap_or_default();
    Some(format!("{head}{slash}{}", upper_escapes(rest)))
}

fn parsed_key(text: &str) -> String {
    let Some(url) = Url::parse(text).ok().filter(Url::has_host) else {
        return mask_user(text).into_owned();
    };
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let rest = written_path(text).map_or_else(|| parsed_path(&url), str::to_owned);
    let rest = rest.split('#').next().unwrap_or_default();
    let slash = if rest.starts_with('/') { "" } else { "/" };
    format!(
        "{}://{host}{port}{slash}{}",
        url.scheme(),
        upper_escapes(rest)
    )
}

/// Path and query as written: the parser would merge `a/../b`.
fn written_path(text: &str) -> Option<&str> {
    if text.contains(['\\', '\t', '\n', '\r']) {
        return None; // spellings that only the parser understands
    }
    let after = text.split_once("://")?.1;
    match after.find(['/', '?', '#']) {
        Some(start) => after.get(start..),
        None => Some(""),
    }
}

fn parsed_path(url: &Url) -> String {
    let query = url
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    format!("{}{query}", url.path())
}

fn upper_escapes(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut hex_left = 0;
    for c in text.chars() {
        if hex_left > 0 && c.is_ascii_hexdigit() {
            result.push(c.to_ascii_uppercase());
            hex_left -= 1;
        } else {
            hex_left = if c == '%' { 2 } else { 0 };
            result.push(c);
        }
    }
    result
}

/// The URL as messages and reports show it: user information as `***@` and
/// the values of secret-sounding names as `***`, also in URLs inside it.
pub fn shown(text: &str) -> String {
    let after = text.split_once("://").map_or(text, |(_, after)| after);
    let has_name = after.contains(['@', '=', '%', ':']);
    if !has_name && !secrets::has_hook(after) && !has_key(after) {
        return text.to_owned(); // neither a user nor a name with a value nor a hook nor a key
    }
    let mut masked = String::with_capacity(text.len());
    let mut hidden = false;
    for part in urls_of(text) {
        if std::mem::take(&mut hidden) {
            continue; // the value of a secret name
        }
        masked.push_str(&secrets::masked(&mask_user(part)));
        hidden = masked.ends_with("=***");
    }
    masked
}

/// The URL as a log entry keeps it: only user information is hidden.
pub fn mask_user(text: &str) -> Cow<'_, str> {
    if !text.contains('@') {
        return Cow::Borrowed(text); // no user without it, and no need to parse
    }
    if let Some((scheme, rest)) = text.split_once("//") {
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        if let Some((_, host)) = authority.rsplit_once('@') {
            return Cow::Owned(format!("{scheme}//***@{host}{tail}"));
        }
    }
    // Browsers accept `https:user:pw@host` as a URL although the slashes are
    // missing.
    match Url::parse(text) {
        Ok(mut url)
            if url.has_host() && !(url.username().is_empty() && url.password().is_none()) =>
        {
            let _ = url.set_password(None);
            let _ = url.set_username("***");
            Cow::Owned(url.as_str().replacen("%2A%2A%2A@", "***@", 1))
        }
        _ => mask_bare_user(text),
    }
}

/// `user:pw@host/x` and `www.known.example@host/x`: without a scheme, but with a user name or the
/// name of another site.
fn mask_bare_user(text: &str) -> Cow<'_, str> {
    let end = text.find(['/', '?', '#', '\\']).unwrap_or(text.len());
    let (authority, tail) = text.split_at(end);
    let address = ["mailto:", "acct:", "sip:", "xmpp:"]
        .iter()
        .any(|scheme| authority.to_ascii_lowercase().starts_with(scheme));
    match authority.rsplit_once('@') {
        Some((user, host))
            if !address
                && !user.is_empty()
                && !host.is_empty()
                && !authority.contains(char::is_whitespace) =>
        {
            Cow::Owned(format!("***@{host}{tail}"))
        }
        _ => Cow::Borrowed(text),
    }
}

/// A word cut before each scheme in it: URLs can follow each other directly, or be
/// nested.
fn urls_of(word: &str) -> impl Iterator<Item = &str> {
    let starts = word.match_indices("://").map(|(at, _)| {
        let head = word.get(..at).unwrap_or_default();
        head.rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
            .map_or(0, |before| {
                before
                    + head
                        .get(before..)
                        .and_then(|tail| tail.chars().next())
                        .map_or(1, char::len_utf8)
            })
    });
    let mut cuts: Vec<usize> = std::iter::once(0)
        .chain(starts)
        .chain([word.len()])
        .collect();
    cuts.dedup();
    let pairs: Vec<(usize, usize)> = cuts
        .windows(2)
        .filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)))
        .collect();
    pairs
        .into_iter()
        .filter_map(|(from, to)| word.get(from..to))
}

/// A text in which every URL has the form of [`shown`], without keys and
/// without values of secret-sounding names.
pub fn shown_in_text(text: &str) -> Cow<'_, str> {
    let prose = match without_urls_secrets(text) {
        Cow::Borrowed(text) => secrets::in_prose(text),
        Cow::Owned(text) => Cow::Owned(secrets::in_prose(&text).into_owned()),
    };
    // commands are quoted in prose, too
    match prose {
        Cow::Borrowed(text) => without_secrets(text, "***"),
        Cow::Owned(text) => Cow::Owned(without_secrets(&text, "***").into_owned()),
    }
}

fn without_urls_secrets(text: &str) -> Cow<'_, str> {
    let may_be_url = |text: &str| {
        let has_sign = text.contains("//") || text.contains(['?', '#']);
        has_sign || secrets::has_hook(text) || has_key(text)
    };
    if !may_be_url(text) {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if may_be_url(word) {
            masked.push_str(&shown(word));
        } else {
            masked.push_str(word);
        }
        masked.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spellings_of_one_url_have_one_key() {
        for (text, key) in [
            ("HTTP://WWW.Example.COM", "http://www.example.com/"),
            ("http://example.com:80/a#top", "http://example.com/a"),
            (
                "https://user:pw@example.com./a%2fb?x=%c3%a4",
                "https://example.com/a%2Fb?x=%C3%A4",
            ),
            (
                "https://example.com:8443?q=1",
                "https://example.com:8443/?q=1",
            ),
            ("http://example.com/a/../b", "http://example.com/a/../b"),
            ("https://example.com/A", "https://example.com/A"),
            (
                "Municipal yearbook, volume 12",
                "Municipal yearbook, volume 12",
            ),
            ("https://?q=oaks", "https://?q=oaks"),
        ] {
            assert_eq!(url_key(text), key, "{text}");
        }
        assert_eq!(url_key("u:p@a.example/x"), url_key("***@a.example/x"));
        assert_ne!(
            url_key("http://example.com/a"),
            url_key("http://example.com/a/")
        );
    }

    #[test]
    fn a_key_without_the_parser_is_the_same_key() {
        let mut plain = 0;
        for host in [
            "a.example",
            "a-b.example",
            "a..example",
            ".a.example",
            "a.example.",
            "A.example",
            "1.2.3.4",
            "a.1",
            "a.0x1",
            "a.x1",
            "1a.example",
            "-a.example",
            "a-.example",
            "xn--a.example",
            "xn--bume-loa.de",
            "a_b.example",
            "a",
            "localhost",
            "a.example:80",
            "a.example:443",
            "a.example:8080",
            "u@a.example",
            "[::1]",
            "bäume.de",
            "",
            "a%41.example",
        ] {
            for rest in [
                "",
                "/",
                "/x",
                "?q=1",
                "#f",
                "/x#f",
                "/a/../b",
                "/%2f%c3",
                "/x?y#z?",
                "/ä",
                "/a b",
                "/a\\b",
                "//x",
                "/a@b",
                "/|^`{}\"<>",
            ] {
                for scheme in ["http", "https", "HTTP", "ftp"] {
                    let text = format!("{scheme}://{host}{rest}");
                    if let Some(key) = plain_key(&text) {
                        assert_eq!(key, parsed_key(&text), "{text}");
                        plain += 1;
                    }
                }
            }
        }
        assert!(plain > 100, "{plain}");
    }

    #[test]
    fn secrets_in_urls_are_hidden() {
        for (text, masked) in [
            (
                "http://reader:s3cret@a.example/x?Token=abc&n=1#f",
                "http://***@a.example/x?Token=***&n=1#f",
            ),
            ("http://reader@a.example", "http://***@a.example"),
            (
                "http://a.example/?tokens=1&KEY=v&%6bey=w",
                "http://a.example/?tokens=1&KEY=***&%6bey=***",
            ),
            (
                "https://a.example/@user/post",
                "https://a.example/@user/post",
            ),
            ("https:reader:s3cret@a.example/x", "https://***@a.example/x"),
            ("http://a@b:s3cret@c.example/", "http://***@c.example/"),
            ("bob:s3cret@127.0.0.1:80/t", "***@127.0.0.1:80/t"),
            ("www.nature.com@evil.example/x", "***@evil.example/x"),
            ("medium.example/@user", "medium.example/@user"),
            ("mailto:a@b.example", "mailto:a@b.example"),
            ("write to a@b", "write to a@b"),
            ("@user", "@user"),
            ("plain text", "plain text"),
        ] {
            assert_eq!(shown(text), masked, "{text}");
        }
        assert_eq!(
            mask_user("http://u:p@a.example/?token=abc"),
            "http://***@a.example/?token=abc"
        );
        assert_eq!(
            shown_in_text("See (http://u:p@a.example/?key=1) now?"),
            "See (http://***@a.example/?key=*** now?"
        );
        assert_eq!(
            shown_in_text("a http://u:p@a.example,ftp://v:q@b.example/https://w:r@c.example/ b"),
            "a http://***@a.example,ftp://***@b.example/https://***@c.example/ b"
        );
        assert_eq!(
            shown_in_text("http://a.example/?token=http://b.example/ x"),
            "http://a.example/?token=*** x"
        );
        assert_eq!(
            shown_in_text("/cb#access_token=abc, see #12, a;key=5; and `let key = 5;`"),
            "/cb#access_token=*** see #12, a;key=5; and `let key = 5;`"
        );
    }

    #[test]
    fn secrets_in_prose_are_hidden() {
        for (text, masked) in [
            ("It is open (token=abc) now.", "It is open (token=***) now."),
            (
                "Log in with password: hunter2.",
                "Log in with password: ***.",
            ),
            ("The password: swordfish", "The password: ***"),
            (
                "Use api_key = 'abc def', please",
                "Use api_key = '***', please",
            ),
            ("Set “API_KEY”: “abc”.", "Set “API_KEY”: “***”."),
            ("The key: a1b2c3d4e5 opens it.", "The key: *** opens it."),
            (
                "client_secret=x;y and PASSWORD=z",
                "client_secret=***;y and PASSWORD=***",
            ),
            ("t\u{43e}ken=abc", "t\u{43e}ken=***"),
            (
                "see http://a.example/?assertion=abc",
                "see http://a.example/?assertion=***",
            ),
            (
                "see http://a.example/?t%D0%BEken=abc",
                "see http://a.example/?t%D0%BEken=***",
            ),
        ] {
            assert_eq!(shown_in_text(text), masked, "{text}");
        }
        for text in [
            "The secret: patience and time.",
            "The password: it is never sent.",
            "The key: a word that opens doors.",
            "The session: 12 people came.",
            "The author: Anna Holt; tokens: 1234.",
            "let token = next_token();",
            "max_tokens=4096, key=5, ratio a:b = 2",
            "https://a.example/key:value",
        ] {
            assert_eq!(shown_in_text(text), text);
        }
        let text = "password: ".repeat(40_000);
        let began = std::time::Instant::now();
        assert_eq!(shown_in_text(&text).len(), text.len());
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
