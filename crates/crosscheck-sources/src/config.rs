//! The `[sources]` table of the configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use crosscheck_fetch::{AcceptList, CacheSettings, FetchSettings, Header};
use serde::Deserialize;

use crate::reasons::Code;
use crate::settings::{Remap, Settings};
use crate::status::SourceStatus;

/// `[sources]` as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawSources {
    /// Checks at the same time.
    pub jobs: Option<usize>,
    /// Requests to one host at the same time.
    pub host_concurrency: Option<usize>,
    /// Seconds between two requests to one host.
    pub host_request_interval: Option<f64>,
    /// Seconds for one request.
    pub timeout: Option<f64>,
    /// Retries where they can help.
    pub max_retries: Option<u32>,
    /// Seconds before a retry.
    pub retry_wait: Option<f64>,
    /// At most this many redirects are followed.
    pub max_redirects: Option<usize>,
    /// HTTP statuses treated as success.
    pub accept: Option<String>,
    /// Only URLs that match one of these.
    pub include: Vec<String>,
    /// No URLs that match one of these.
    pub exclude: Vec<String>,
    /// Folder for pages kept between runs.
    pub cache: Option<String>,
    /// Seconds a kept page is good.
    pub max_cache_age: Option<f64>,
    /// The `User-Agent` header.
    pub user_agent: Option<String>,
    /// Headers for single hosts.
    pub headers: BTreeMap<String, BTreeMap<String, String>>,
    /// Logins for single hosts, as `HOST USER:PASSWORD`.
    pub basic_auth: Vec<String>,
    /// Addresses asked in place of the cited ones, as `FROM TO`.
    pub remap: Vec<String>,
    /// Domains the user calls unreliable.
    pub unreliable_domains: Vec<String>,
    /// Domains where anyone can publish.
    pub self_published_domains: Vec<String>,
    /// Hosts that only show parking pages.
    pub parked_hosts: Vec<String>,
    /// Where archived copies are found.
    pub archive: Option<String>,
    /// A missing page with an archived copy is suspect.
    pub archive_404: Option<bool>,
    /// A program that searches.
    pub search_command: Option<Vec<String>>,
    /// The share of sources that is checked unasked.
    pub spot_check_rate: Option<f64>,
    /// Other statuses for single codes.
    pub status_overrides: BTreeMap<String, SourceStatus>,
}

/// A value of the configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Not a number of seconds.
    #[error("`{0}` must be a number of seconds that is not negative")]
    Seconds(&'static str),
    /// Not a list of statuses.
    #[error("`accept` must be a list of statuses such as `200..=299,403`")]
    Accept,
    /// An unknown code.
    #[error("`status_overrides`: unknown code `{0}`")]
    Code(String),
    /// A list of domains with something else in it.
    #[error("`{0}`: `{1}` is not a domain such as example.com")]
    Domain(&'static str, String),
    /// A template that leads nowhere.
    #[error("`archive` must be a web address with {{url}} or {{url_encoded}} in it")]
    Archive,
    /// Nothing could ever be checked.
    #[error("`jobs` must be at least 1")]
    Jobs,
    /// A login that cannot be read; it is a secret, so it is not shown.
    #[error("`basic_auth` must be a list of `HOST USER:PASSWORD`")]
    Login,
    /// A rule for addresses that cannot be read.
    #[error("`remap`: `{0}` is not a regular expression and an address")]
    Remap(String),
    /// Archived copies without an archive.
    #[error("`--suggest` needs an archive: name one with `--archive`")]
    Suggest,
    /// An empty language.
    #[error("the language of the claims must be a tag such as en")]
    Language,
}

impl ConfigError {
    /// The key it is about.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Seconds(key) | Self::Domain(key, _) => key,
            Self::Accept => "accept",
            Self::Code(_) => "status_overrides",
            Self::Archive => "archive",
            Self::Jobs => "jobs",
            Self::Language => "language",
            Self::Remap(_) => "remap",
            Self::Login => "basic_auth",
            Self::Suggest => "suggest",
        }
    }
}

/// Two words.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (first, second) = text.trim().split_once(char::is_whitespace)?;
    Some((first, second.trim()))
}

/// A number of seconds as a time.
pub fn seconds(name: &'static str, value: f64) -> Result<Duration, ConfigError> {
    Duration::try_from_secs_f64(value).map_err(|_| ConfigError::Seconds(name))
}

impl RawSources {
    /// Puts the table over the defaults.
    pub fn apply(
        &self,
        settings: &mut Settings,
        fetch: &mut FetchSettings,
    ) -> Result<(), ConfigError> {
        let time = |name, value: Option<f64>| value.map(|value| seconds(name, value)).transpose();
        settings.jobs = self.jobs.unwrap_or(settings.jobs);
        fetch.politeness.per_host = self.host_concurrency.unwrap_or(fetch.politeness.per_host);
        let interval = time("host_request_interval", self.host_request_interval)?;
        fetch.politeness.interval = interval.unwrap_or(fetch.politeness.interval);
        fetch.limits.total = time("timeout", self.timeout)?.unwrap_or(fetch.limits.total);
        fetch.max_retries = self.max_retries.unwrap_or(fetch.max_retries);
        fetch.retry_wait = time("retry_wait", self.retry_wait)?.unwrap_or(fetch.retry_wait);
        fetch.limits.redirects = self.max_redirects.unwrap_or(fetch.limits.redirects);
        if let Some(accept) = &self.accept {
            fetch.accept = AcceptList::parse(accept).ok_or(ConfigError::Accept)?;
        }
        let age = time("max_cache_age", self.max_cache_age)?.unwrap_or(Duration::from_hours(24));
        if let Some(folder) = &self.cache {
            fetch.cache = Some(CacheSettings {
                folder: folder.into(),
                max_age: age,
            });
        }
        if let Some(agent) = &self.user_agent {
            fetch.user_agent.clone_from(agent);
        }
        for (host, headers) in &self.headers {
            let list = headers.iter().map(|(name, value)| Header {
                name: name.clone(),
                value: value.clone(),
            });
            fetch
                .host_headers
                .insert(host.to_ascii_lowercase(), list.collect());
        }
        for login in &self.basic_auth {
            let (host, login) = pair(login).ok_or(ConfigError::Login)?;
            let header = Header::basic(login).ok_or(ConfigError::Login)?;
            fetch.add_host_header(host, header);
        }
        for rule in &self.remap {
            let (from, to) = pair(rule).ok_or_else(|| ConfigError::Remap(rule.clone()))?;
            settings.remap.push(Remap::new(from, to)?);
        }
        settings
            .unreliable_domains
            .extend(self.unreliable_domains.iter().cloned());
        settings
            .self_published_domains
            .extend(self.self_published_domains.iter().cloned());
        settings
            .parked_hosts
            .extend(self.parked_hosts.iter().cloned());
        settings.archive = self.archive.clone().or_else(|| settings.archive.clone());
        settings.archive_404 = self.archive_404.unwrap_or(settings.archive_404);
        settings.search_command = self
            .search_command
            .clone()
            .or_else(|| settings.search_command.clone());
        for (word, status) in &self.status_overrides {
            let code = Code::from_word(word).ok_or_else(|| ConfigError::Code(word.clone()))?;
            settings.status_overrides.insert(code, *status);
        }
        Ok(())
    }
}
