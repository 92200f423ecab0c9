//! robots.txt (RFC 9309), fetched only when the user wants it obeyed.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use url::{Position, Url};

use super::fetch::Response;
use super::problem::Problem;

/// The least size that RFC 9309 requires a reader to accept.
const FILE_MAX: usize = 500 * 1024;

/// The rules of the hosts so far; each file is fetched once.
#[derive(Default)]
pub(super) struct RobotsFiles(Mutex<HashMap<String, Arc<OnceCell<Arc<Robots>>>>>);

impl RobotsFiles {
    pub(super) async fn of<F, A>(&self, url: &Url, fetch: F) -> Arc<Robots>
    where
        F: FnOnce(Url) -> A,
        A: Future<Output = Result<Response, Problem>>,
    {
        let origin = url.origin().ascii_serialization();
        let cell = {
            let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(files.entry(origin).or_default())
        };
        let rules = cell.get_or_init(|| async {
            let Ok(file) = url.join("/robots.txt") else {
                return Arc::new(Robots::Closed);
            };
            Arc::new(Robots::from_answer(&fetch(file).await))
        });
        Arc::clone(rules.await)
    }
}

/// The rules of a host.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Robots {
    /// No file: everything may be fetched.
    Open,
    /// The file could not be fetched: nothing may be fetched.
    Closed,
    /// Groups of user agents with their rules.
    Groups(Vec<Group>),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    agents: Vec<String>,
    rules: Vec<(bool, String)>,
}

impl Robots {
    fn from_answer(answer: &Result<Response, Problem>) -> Self {
        match answer {
            Ok(response) if response.status == 200 => {
                let end = response.body.len().min(FILE_MAX);
                Self::parse(&String::from_utf8_lossy(
                    response.body.get(..end).unwrap_or_default(),
                ))
            }
            Ok(response) if (400..500).contains(&response.status) => Self::Open,
            _ => Self::Closed,
        }
    }

    fn parse(text: &str) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let text = text.trim_start_matches('\u{feff}');
        for line in text.split(['\r', '\n']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim().to_owned();
            match key.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    if groups.last().is_none_or(|group| !group.rules.is_empty()) {
                        groups.push(Group::default());
                    }
                    if let Some(group) = groups.last_mut() {
                        group.agents.push(value.to_ascii_lowercase());
                    }
                }
                word @ ("allow" | "disallow") => {
                    if let Some(group) = groups.last_mut() {
                        group.rules.push((word == "allow", spelled(&value)));
                    }
                }
                _ => {}
            }
        }
        Self::Groups(groups)
    }

    /// Whether this page may be fetched by this user agent.
    pub(super) fn allow(&self, url: &Url, agent: &str) -> bool {
        let groups = match self {
            Self::Open => return true,
            Self::Closed => return false,
            Self::Groups(groups) => groups,
        };
        let product = agent
            .split(['/', ' '])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let named: Vec<&Group> = groups
            .iter()
            .filter(|group| group.agents.contains(&product))
            .collect();
        let chosen = if named.is_empty() {
            groups
                .iter()
                .filter(|group| group.agents.iter().any(|name| name == "*"))
                .collect()
        } else {
            named
        };
        let path = spelled(&url[Position::BeforePath..Position::AfterQuery]);
        let best = chosen
            .iter()
            .flat_map(|group| &group.rules)
            .filter(|(_, pattern)| !pattern.is_empty() && matches(pattern, &path))
            .max_by_key(|(allow, pattern)| (pattern.len(), *allow));
        best.is_none_or(|(allow, _)| *allow)
    }
}

/// The canonical spelling of a path: unescaped where possible, otherwise with
/// upper-case escapes.
fn spelled(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .filter(|digits| byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = after.get(escaped.map_or(0, |_| 2)..).unwrap_or_default();
        match escaped {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                out.push(char::from(byte));
            }
            None if byte.is_ascii() => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{:02X}", escaped.unwrap_or(byte));
            }
        }
    }
    out
}

/// `*` matches any text, a final `$` the end of the path.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = pattern
        .strip_suffix('$')
        .map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let last = if anchored { parts.pop() } else { None };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => !anchored || rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_of_the_right_group_decides() {
        let robots = Robots::parse(
            "# hello\nUser-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: crosscheck\nDisallow: /*.pdf$\n",
        );
        let allow = |path: &str, agent: &str| {
            robots.allow(
                &Url::parse(&format!("http://a.example{path}")).unwrap(),
                agent,
            )
        };
        assert!(!allow("/private/x", "other/1.0"));
        assert!(allow("/private/open/x", "other/1.0"));
        assert!(allow("/private/x", "crosscheck/0.1"));
        assert!(!allow("/a/b.pdf", "crosscheck/0.1"));
        assert!(allow("/a/b.pdf?x=1", "crosscheck/0.1"));
    }

    #[test]
    fn rules_are_read_whatever_the_file_looks_like() {
        let url = |path: &str| Url::parse(&format!("http://a.example{path}")).unwrap();
        for file in [
            "\u{feff}User-agent: *\nDisallow: /a/x",
            "User-agent: *\rDisallow: /a/x\r",
            "User-agent: *\r\n\r\nDisallow: /a/x\r\n",
            "User-agent: *\nDisallow: /%61/x",
            "User-agent: *\nDisallow: /b\u{e4}ume\nDisallow: /a%2fb\nDisallow: /a/x",
        ] {
            let robots = Robots::parse(file);
            assert!(!robots.allow(&url("/a/x"), "crosscheck"), "{file:?}");
            assert!(!robots.allow(&url("/%61/x"), "crosscheck"), "{file:?}");
            assert!(robots.allow(&url("/b"), "crosscheck"), "{file:?}");
        }
        let robots = Robots::parse("User-agent: *\nDisallow: /b\u{e4}ume\nDisallow: /a%2fb");
        assert!(!robots.allow(&url("/b\u{e4}ume"), "crosscheck"));
        assert!(!robots.allow(&url("/a%2Fb"), "crosscheck"));
        assert!(
            robots.allow(&url("/a/b"), "crosscheck"),
            "an escaped slash is not a slash"
        );
        assert!(robots.allow(&url("/100%"), "crosscheck"));
    }

    #[test]
    fn without_a_file_all_is_allowed_and_without_an_answer_nothing() {
        let url = Url::parse("http://a.example/x").unwrap();
        assert!(Robots::Open.allow(&url, "crosscheck"));
        assert_eq!(Robots::from_answer(&Err(Problem::Timeout)), Robots::Closed);
        assert!(Robots::parse("Disallow: /").allow(&url, "crosscheck"));
    }
}
