//! Everything about judging sources that a user can choose.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

use crosscheck_config::tables::SourcesSettings;
use crosscheck_fetch::Url;
use regex::Regex;

use crate::reasons::Code;
use crate::status::SourceStatus;

/// How sources are judged: what was chosen, and what a run adds to it. The default is
/// what the documentation states.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The keys of `[sources]`.
    pub chosen: SourcesSettings,
    /// Other statuses for single codes.
    pub status_overrides: BTreeMap<Code, SourceStatus>,
    /// The site that local links belong to.
    pub base_url: Option<Url>,
    /// Addresses that are asked in place of the cited ones; the first that matches counts.
    pub remap: Vec<Remap>,
    /// Reads a PDF from standard input and writes its text to standard output.
    pub pdf_reader: Option<Vec<OsString>>,
    /// Work out the SHA-256 of pages; a debate's log tells it.
    pub digests: bool,
    /// Where child programs run.
    pub folder: PathBuf,
}

impl Deref for Settings {
    type Target = SourcesSettings;

    fn deref(&self) -> &SourcesSettings {
        &self.chosen
    }
}

impl DerefMut for Settings {
    fn deref_mut(&mut self) -> &mut SourcesSettings {
        &mut self.chosen
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::with(SourcesSettings::default())
    }
}

/// A value of the configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct ConfigError {
    /// The key it is about.
    key: &'static str,
    /// What is wrong with it.
    why: String,
}

impl ConfigError {
    /// The key it is about.
    pub const fn key(&self) -> &'static str {
        self.key
    }

    fn new(key: &'static str, why: &str) -> Self {
        Self {
            key,
            why: format!("`{key}`: {why}"),
        }
    }
}

/// One rule for addresses that are asked in place of the cited ones.
#[derive(Debug, Clone)]
pub struct Remap {
    from: Regex,
    to: String,
}

impl Remap {
    /// A regular expression, and what takes the place of what it matches;
    /// `$1` is the first group.
    pub fn new(from: &str, to: &str) -> Result<Self, ConfigError> {
        let wrong = || {
            let why = format!("`{from}` is not a regular expression and an address");
            ConfigError::new("remap", &why)
        };
        if from.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            from: Regex::new(from).map_err(|_| wrong())?,
            to: to.to_owned(),
        })
    }

    /// The address that is asked for a URL; none where the rule does not match,
    /// or makes something else of it than a web address.
    fn apply(&self, url: &Url) -> Option<Url> {
        let text = url.as_str();
        let replaced = self.from.replace(text, self.to.as_str());
        if replaced == text {
            return None;
        }
        let asked = Url::parse(&replaced).ok()?;
        matches!(asked.scheme(), "http" | "https").then_some(asked)
    }
}

impl Settings {
    fn with(chosen: SourcesSettings) -> Self {
        Self {
            chosen,
            status_overrides: BTreeMap::new(),
            base_url: None,
            remap: Vec::new(),
            pdf_reader: None,
            digests: true,
            folder: PathBuf::from("."),
        }
    }

    /// What was chosen, read and checked before anything runs.
    pub fn new(chosen: SourcesSettings) -> Result<Self, ConfigError> {
        let mut settings = Self::with(chosen);
        for rule in &settings.chosen.remap {
            let (from, to) = rule
                .trim()
                .split_once(char::is_whitespace)
                .unwrap_or_default();
            settings.remap.push(Remap::new(from, to.trim())?);
        }
        for (word, status) in settings.chosen.status_overrides.iter().flatten() {
            let unknown = || {
                let why = format!("unknown code or status at `{word}`");
                ConfigError::new("status_overrides", &why)
            };
            let code = Code::from_word(word).ok_or_else(unknown)?;
            let status = SourceStatus::from_word(status).ok_or_else(unknown)?;
            settings.status_overrides.insert(code, status);
        }
        let base = settings.chosen.base_url.as_deref().map(Url::parse);
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
        settings.base_url = match base {
            None => None,
            Some(Ok(url)) if is_web(&url) => Some(url),
            Some(_) => {
                let why = "write a web address such as https://example.org/docs/";
                return Err(ConfigError::new("base_url", why));
            }
        };
        settings.check()?;
        Ok(settings)
    }

    /// Whether places that cited URLs name (`#part`) and local files are looked for.
    pub fn checks_places(&self) -> bool {
        self.links == "all"
    }

    /// Refuses what could never work.
    fn check(&self) -> Result<(), ConfigError> {
        for (name, list) in [
            ("unreliable_domains", &self.unreliable_domains),
            ("self_published_domains", &self.self_published_domains),
            ("parked_hosts", &self.parked_hosts),
        ] {
            if let Some(odd) = list.iter().find(|domain| !is_domain(domain)) {
                let why = format!("`{odd}` is not a domain such as example.com");
                return Err(ConfigError::new(name, &why));
            }
        }
        let archive = self.archive.as_deref();
        let others = [
            (
                archive.is_some_and(|one| !is_template(one)),
                "archive",
                "write a web address with {url} or {url_encoded} in it",
            ),
            (
                self.language.trim().is_empty(),
                "language",
                "the language of the claims must be a tag such as en",
            ),
            (
                self.suggest && archive.is_none(),
                "suggest",
                "it needs an archive: name one with `--archive`",
            ),
        ];
        let wrong = others.into_iter().find(|(is_wrong, ..)| *is_wrong);
        wrong.map_or(Ok(()), |(_, key, why)| Err(ConfigError::new(key, why)))
    }

    /// The address that is asked for a cited URL.
    pub fn asked(&self, url: &Url) -> Url {
        let mapped = self.remap.iter().find_map(|rule| rule.apply(url));
        mapped.unwrap_or_else(|| url.clone())
    }
}

fn is_domain(text: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || matches!(c, '*' | '/' | '@' | '?' | '#');
    !text.trim().contains(odd)
}

fn is_template(text: &str) -> bool {
    let is_filled = text.contains("{url}") || text.contains("{url_encoded}");
    let filled = text.replace("{url_encoded}", "x").replace("{url}", "x");
    let is_web = |url: Url| matches!(url.scheme(), "http" | "https");
    is_filled && Url::parse(&filled).is_ok_and(is_web)
}

/// Whether the host is one of these domains or below one.
pub fn is_listed(host: &str, domains: &[String]) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    domains.iter().any(|domain| {
        let domain = domain.trim().trim_matches('.').to_lowercase();
        let domain = match idna::domain_to_ascii(&domain) {
            Ok(ascii) if !domain.is_ascii() => ascii,
            _ => domain,
        };
        !domain.is_empty()
            && (host == domain
                || host
                    .strip_suffix(&domain)
                    .is_some_and(|rest| rest.ends_with('.')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_can_never_work_are_refused() {
        let refused = |change: &dyn Fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.check().err().map(|error| error.to_string())
        };
        for domain in [
            "*.bad.example",
            "https://bad.example/",
            "bad.example/x",
            "a b",
        ] {
            let refusal = refused(&|one| one.unreliable_domains = vec![domain.to_owned()]);
            assert!(
                refusal.is_some_and(|refusal| refusal.contains(domain)),
                "{domain}"
            );
        }
        for archive in ["http://a.example/", "notaurl{url}", "ftp://a.example/{url}"] {
            assert!(
                refused(&|one| one.archive = Some(archive.to_owned())).is_some(),
                "{archive}"
            );
        }
        assert!(refused(&|one| one.language = " ".to_owned()).is_some());
        for archive in [
            "http://a.example/{url}",
            "https://a.example/?u={url_encoded}",
        ] {
            assert_eq!(refused(&|one| one.archive = Some(archive.to_owned())), None);
        }
        let listed = [
            "bad.example",
            ".bad.example",
            "127.0.0.1",
            "",
            "bäume.example",
        ];
        let listed: Vec<String> = listed.iter().map(|one| (*one).to_owned()).collect();
        assert_eq!(refused(&|one| one.parked_hosts = listed.clone()), None);
    }

    #[test]
    fn the_first_rule_that_matches_says_which_address_is_asked() {
        let settings = Settings {
            remap: vec![
                Remap::new(
                    r"^https://docs\.example/v(\d)/",
                    "http://127.0.0.1:8000/$1/",
                )
                .unwrap(),
                Remap::new("^https://docs", "https://other").unwrap(),
                Remap::new("^https://files", "file://").unwrap(),
            ],
            ..Settings::default()
        };
        for (cited, asked) in [
            (
                "https://docs.example/v2/a?b#c",
                "http://127.0.0.1:8000/2/a?b#c",
            ),
            ("https://docs.example/new", "https://other.example/new"),
            ("https://files.example/a", "https://files.example/a"),
            ("https://a.example/", "https://a.example/"),
        ] {
            let url = Url::parse(cited).unwrap();
            assert_eq!(settings.asked(&url).as_str(), asked, "{cited}");
        }
        assert!(Remap::new("(", "x").is_err());
    }

    #[test]
    fn a_listed_domain_covers_what_is_below_it() {
        let list = [
            "daily-rumour.fixture".to_owned(),
            ".other.example".to_owned(),
            "Bäume.example".to_owned(),
        ];
        for (host, expected) in [
            ("daily-rumour.fixture", true),
            ("www.Daily-Rumour.fixture.", true),
            ("notdaily-rumour.fixture", false),
            ("a.other.example", true),
            ("fixture", false),
            ("www.xn--bume-loa.example", true),
        ] {
            assert_eq!(is_listed(host, &list), expected, "{host}");
        }
    }
}
