//! Everything about judging sources that a user can choose.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crosscheck_fetch::Url;
use regex::Regex;

use crate::config::ConfigError;
use crate::reasons::Code;
use crate::status::SourceStatus;

/// How sources are judged. The default is what the documentation states.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub struct Settings {
    /// What the debate or document is about.
    pub topic: Option<String>,
    /// The language of the claims.
    pub language: String,
    /// Checks at the same time.
    pub jobs: usize,
    /// Domains the user calls unreliable.
    pub unreliable_domains: Vec<String>,
    /// Domains where anyone can publish; only a finding.
    pub self_published_domains: Vec<String>,
    /// Hosts that only show parking pages.
    pub parked_hosts: Vec<String>,
    /// Where archived copies are found: `{url}`, `{url_encoded}`.
    pub archive: Option<String>,
    /// A missing page with an archived copy is suspect, not fabricated.
    pub archive_404: bool,
    /// A program that searches.
    pub search_command: Option<Vec<String>>,
    /// Search results are judged on their page, not on their snippet.
    pub search_fetch: bool,
    /// Other statuses for single codes.
    pub status_overrides: BTreeMap<Code, SourceStatus>,
    /// Write suspect results as unreliable, for readers that know three words.
    pub suspect_as_unreliable: bool,
    /// Believe a model judge that calls a source biased.
    pub judge_bias: bool,
    /// Judge a known URL again against a new claim.
    pub rejudge: bool,
    /// Ask for a page that cannot exist, to know a site's way of saying so.
    pub probe_soft_404: bool,
    /// Reads a PDF from standard input and writes its text to standard output.
    pub pdf_reader: Option<Vec<OsString>>,
    /// Work out the SHA-256 of pages; a debate's log tells it.
    pub digests: bool,
    /// The site that local links belong to.
    pub base_url: Option<Url>,
    /// Look for the places that cited URLs name (`#part`).
    pub places: bool,
    /// Addresses that are asked in place of the cited ones; the first that matches counts.
    pub remap: Vec<Remap>,
    /// Name the archived copy of a page that is gone.
    pub suggest: bool,
    /// A run without anything to check is fine.
    pub allow_empty: bool,
    /// Where child programs run.
    pub folder: PathBuf,
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
        let wrong = || ConfigError::Remap(from.to_owned());
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

impl Default for Settings {
    fn default() -> Self {
        Self {
            topic: None,
            language: "en".to_owned(),
            jobs: 4,
            unreliable_domains: Vec::new(),
            self_published_domains: Vec::new(),
            parked_hosts: Vec::new(),
            archive: None,
            archive_404: false,
            search_command: None,
            search_fetch: false,
            status_overrides: BTreeMap::new(),
            suspect_as_unreliable: false,
            judge_bias: false,
            rejudge: false,
            probe_soft_404: false,
            pdf_reader: None,
            digests: true,
            base_url: None,
            places: false,
            remap: Vec::new(),
            suggest: false,
            allow_empty: false,
            folder: PathBuf::from("."),
        }
    }
}

impl Settings {
    /// Refuses what could never work, before anything runs.
    pub fn check(&self) -> Result<(), ConfigError> {
        for (name, list) in [
            ("unreliable_domains", &self.unreliable_domains),
            ("self_published_domains", &self.self_published_domains),
            ("parked_hosts", &self.parked_hosts),
        ] {
            if let Some(odd) = list.iter().find(|domain| !is_domain(domain)) {
                return Err(ConfigError::Domain(name, odd.clone()));
            }
        }
        if self.archive.as_deref().is_some_and(|one| !is_template(one)) {
            return Err(ConfigError::Archive);
        }
        if self.jobs == 0 {
            return Err(ConfigError::Jobs);
        }
        if self.language.trim().is_empty() {
            return Err(ConfigError::Language);
        }
        if self.suggest && self.archive.is_none() {
            return Err(ConfigError::Suggest);
        }
        Ok(())
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
        assert!(refused(&|one| one.jobs = 0).is_some());
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
