//! Secrets that are kept but never shown.

mod line;
mod words;

use std::fmt;

use url::Url;

pub use self::line::{holds_secret, redacted, without_secrets};
use crate::secrets::{looks_secret, sounds_secret, without_keys};

const UNREADABLE: &str = "[unreadable URL]";

/// How many folders of a mistyped file name are looked for in a message.
const FOLDERS: usize = 32;

/// A URL that may carry a password. Printing it in any way hides the password
/// and every query value whose name sounds like a secret.
#[derive(Clone, PartialEq, Eq, serde::Deserialize)]
pub struct SecretUrl(String);

impl SecretUrl {
    /// Takes the URL as it was typed; it need not be valid.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The URL with its secrets, for the one caller that connects with it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The URL as it may be shown.
    pub fn shown(&self) -> String {
        let Ok(mut url) = Url::parse(&self.0) else {
            return UNREADABLE.to_owned();
        };
        if url.cannot_be_a_base() {
            return UNREADABLE.to_owned(); // `user:secret@host` parses, with the secret in the path
        }
        if holds_user(url.path()) {
            return UNREADABLE.to_owned(); // `postgres:/user:secret@host`: a slash is missing
        }
        if url.password().is_some() && url.set_password(Some("***")).is_err() {
            return UNREADABLE.to_owned();
        }
        if url.query().is_some() {
            let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
            url.query_pairs_mut()
                .clear()
                .extend_pairs(pairs.iter().map(|(name, value)| {
                    let is_secret = sounds_secret(name) || looks_secret(value);
                    let shown = if is_secret { "***" } else { value };
                    (name.as_str(), shown)
                }));
        }
        without_keys(url.as_str(), "***")
    }

    /// Host, port, path and user of the URL, if it is one.
    pub fn server(&self) -> Option<Server> {
        let url = Url::parse(&self.0).ok()?;
        Some(Server {
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port(),
            path: percent_decoded(url.path().trim_start_matches('/')),
            user: percent_decoded(url.username()),
            has_password: url.password().is_some()
                || url.query_pairs().any(|(name, _)| name == "password"),
        })
    }

    /// The same URL with this password.
    #[must_use]
    pub fn with_password(&self, password: &str) -> Self {
        let Ok(mut url) = Url::parse(&self.0) else {
            return self.clone();
        };
        match url.set_password(Some(password)) {
            Ok(()) => Self(url.into()),
            Err(()) => self.clone(),
        }
    }

    /// Replaces every occurrence of this URL's secrets in a foreign text, for
    /// example in a message of the database driver.
    pub fn scrub(&self, text: &str) -> String {
        let mut clean = text.replace(&self.0, &self.shown());
        for secret in self.secrets() {
            clean = clean.replace(&secret, "***");
        }
        clean
    }

    fn secrets(&self) -> Vec<String> {
        let Ok(url) = Url::parse(&self.0) else {
            return Vec::new();
        };
        let mut secrets = Vec::new();
        if let Some(password) = url.password() {
            secrets.push(password.to_owned());
            secrets.push(percent_decoded(password));
        }
        for (name, value) in url.query_pairs() {
            if sounds_secret(&name) || looks_secret(&value) {
                secrets.push(value.into_owned());
            }
        }
        // Replacing a one- or two-letter password would make the message
        // unreadable.
        secrets.retain(|secret| secret.len() > 2);
        secrets
    }
}

/// What a URL says about a server, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name or address.
    pub host: String,
    /// Its port, if one is named.
    pub port: Option<u16>,
    /// The rest, without the first slash.
    pub path: String,
    /// The user; empty where none is named.
    pub user: String,
    /// Whether the URL has a password of its own.
    pub has_password: bool,
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl fmt::Display for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

/// A text that should name a file, in a form that is safe to show: one that
/// looks like a mistyped URL or connection string shows no secret.
pub fn shown_file(text: &str) -> String {
    let assigns = text.split([' ', ';', '&', '?']).any(|part| {
        let name = part.split_once('=').map(|(name, _)| name);
        name.is_some_and(sounds_secret)
    });
    if assigns {
        UNREADABLE.to_owned()
    } else if text.contains("://") || holds_user(text) {
        SecretUrl::new(text).shown()
    } else {
        text.to_owned()
    }
}

/// A message that may repeat a word of a command line, in a form that is safe
/// to show: if the word, or the value behind its `=`, looks like a URL or
/// connection string with a secret, the secret is hidden. Words inside JSON are
/// found, too.
pub fn without_words_secrets(message: &str, words: &[&str]) -> String {
    let mut clean = message.to_owned();
    for word in words {
        let value = word.split_once('=').map_or("", |(_, value)| value);
        for text in [*word, value] {
            let shown = shown_file(text);
            // inline documents are not file names
            if shown == *text || text.starts_with(['/', '.', '{', '[']) {
                continue;
            }
            clean = clean.replace(text, &shown);
            // a message may name the folder of what was taken for a file
            let folders =
                std::iter::successors(text.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'));
            for (folder, _) in folders.take(FOLDERS) {
                let shown = shown_file(folder);
                if shown != *folder {
                    clean = clean.replace(folder, &shown);
                }
            }
            if let Ok(quoted) = serde_json::to_string(text) {
                clean = clean.replace(quoted.trim_matches('"'), &shown);
            }
        }
    }
    clean
}

/// Whether a text contains something like `user:secret@`.
fn holds_user(text: &str) -> bool {
    text.split_once('@')
        .is_some_and(|(before, _)| before.contains(':'))
}

fn percent_decoded(text: &str) -> String {
    url::form_urlencoded::parse(format!("v={}", text.replace('+', "%2B")).as_bytes())
        .next()
        .map_or_else(|| text.to_owned(), |(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_file_name_shows_no_password() {
        for text in [
            "pg://u:S3cretPw@h/x",
            "postgres:/u:S3cretPw@h/x",
            "u:S3cretPw@h/x",
            "host=127.0.0.1 password=S3cretPw",
            "pg://h/x?password=S3cretPw",
        ] {
            assert!(!shown_file(text).contains("S3cretPw"), "{text}");
            assert!(!SecretUrl::new(text).shown().contains("S3cretPw"), "{text}");
        }
        for text in ["shop.db", "/data/a=b/shop.db", "C:/shop.db", "me@home.db"] {
            assert_eq!(shown_file(text), text);
        }
    }

    #[test]
    fn a_message_that_repeats_words_shows_none_of_their_passwords() {
        let url = "postgres://u:S3cretPw@h/x";
        let odd = "postgres://u:S3cret\"Pw@h/x";
        for (message, word) in [
            (format!("unexpected argument '{url}' found"), url.to_owned()),
            (
                format!("unexpected value '{url}' for '--quiet'"),
                format!("--quiet={url}"),
            ),
            (format!("cannot read `={url}`"), format!("={url}")),
            (
                "cannot read `postgres://u:S3cretPw@h`".to_owned(),
                url.to_owned(),
            ),
            (
                "cannot read `postgres://u:S3cretPw@h/x`".to_owned(),
                format!("--plan={url}/y/z"),
            ),
            (
                format!("[\"{}\"]", odd.replace('"', "\\\"")),
                odd.to_owned(),
            ),
            (
                "no 'password=S3cretPw host=h'".to_owned(),
                "password=S3cretPw host=h".to_owned(),
            ),
        ] {
            let clean = without_words_secrets(&message, &["--input", &word]);
            assert!(!clean.contains("S3cret"), "{clean}");
        }
        for (message, word) in [
            ("cannot read `/a:b@c/log`", "/a:b@c/log"),
            ("no such tool as x:y@z", r#"{"tool":"x:y@z"}"#),
            ("cannot read `shop.db`", "--db=shop.db"),
        ] {
            assert_eq!(without_words_secrets(message, &[word]), message);
        }
    }

    #[test]
    fn no_way_of_printing_shows_the_password() {
        let url =
            SecretUrl::new("postgres://app:hunter2@db.example/shop?sslmode=require&token=abcdef");
        for text in [format!("{url}"), format!("{url:?}"), url.shown()] {
            assert!(
                !text.contains("hunter2") && !text.contains("abcdef"),
                "{text}"
            );
            assert!(
                text.contains("db.example/shop") && text.contains("sslmode=require"),
                "{text}"
            );
        }
        let foreign = "cannot log in with postgres://app:hunter2@db.example/shop?sslmode=require&token=abcdef (hunter2)";
        assert!(!url.scrub(foreign).contains("hunter2"));
    }

    #[test]
    fn an_escaped_password_is_scrubbed_in_both_spellings() {
        let url = SecretUrl::new("mysql://u:p%40ss+word@h/d");
        assert_eq!(
            url.scrub("said p@ss+word and p%40ss+word"),
            "said *** and ***"
        );
    }

    #[test]
    fn an_unreadable_url_is_not_echoed() {
        assert_eq!(
            SecretUrl::new("user:pw@host").shown(),
            "[unreadable URL]".to_owned()
        );
    }
}
