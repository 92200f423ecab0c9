//! One fetch from the cited URL to an answer: guard, queue, request, redirect,
//! body, and retries where they can help (sources 9).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crosscheck_core::clock::Clock;
use crosscheck_core::digest::Digest;
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, ConfigBuilder, WantsVerifier};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::time::timeout;
use url::Url;

use super::body;
use super::cache::Cache;
use super::connect::GuardedConnector;
use super::guard::Refusal;
use super::politeness::Turns;
use super::problem::Problem;
use super::request::{Hop, Requests, SetupHeader};
use super::resolve::Resolver;
use super::robots::RobotsFiles;
use super::settings::FetchSettings;
use super::{causes, tls, wall};

/// A server may ask for a longer pause; this is the longest that is respected.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(30);

/// Fetches pages for the whole run: one pool, one resolver.
pub struct Fetcher {
    runtime: Runtime,
    inner: Arc<Inner>,
}

/// Answers in the order of arrival; several threads may take them.
pub struct Arrivals(Mutex<mpsc::Receiver<(usize, Fetched)>>);

impl Arrivals {
    /// Waits for the next answer and returns it with the index of its URL; `None`
    /// after the last.
    pub fn next(&self) -> Option<(usize, Fetched)> {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.blocking_recv()
    }
}

pub(super) type Pool = Client<HttpsConnector<GuardedConnector>, Empty<Bytes>>;

pub(super) struct Inner {
    pub(super) settings: FetchSettings,
    /// Made with the first request.
    pool: LazyLock<Pool, Box<dyn FnOnce() -> Pool + Send>>,
    turns: Turns,
    requests: Requests,
    robots: RobotsFiles,
    cache: Option<Cache>,
    clock: Arc<dyn Clock>,
}

/// The fetcher could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The runtime did not start.
    #[error("cannot start the network runtime")]
    Runtime(#[source] std::io::Error),
    /// TLS is not usable.
    #[error("cannot set up TLS")]
    Tls(#[source] rustls::Error),
    /// A header of the user is invalid.
    #[error("`{0}` is not a valid header")]
    Header(String),
}

/// The result of requesting one URL.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The answer, or why there is none.
    pub outcome: Result<Response, Problem>,
    /// The last requested URL.
    pub final_url: Url,
    /// How many redirects were followed.
    pub redirects: usize,
    /// Total time, including waiting.
    pub elapsed: Duration,
    /// One, or two after a retry.
    pub attempts: u32,
    /// Taken from the disk cache.
    pub cached: bool,
}

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Status from the server.
    pub status: u16,
    /// `Content-Type` from the server.
    pub content_type: Option<String>,
    /// The answer had `cf-mitigated: challenge`.
    pub challenged: bool,
    /// `Retry-After`, at most half a minute.
    pub retry_after: Option<Duration>,
    /// Decoded body, or the first part of it.
    pub body: Vec<u8>,
    /// SHA-256 of the body, where pages are kept.
    pub sha256: Option<String>,
    /// Whether `body` is only the first part.
    pub truncated: bool,
}

/// The state of a fetch.
struct Way {
    url: Url,
    hop: Hop,
    redirects: usize,
    spent: Duration,
    urgent: bool,
}

impl Fetcher {
    /// Sets up runtime, pool and resolver; makes no connection yet.
    pub fn new(mut settings: FetchSettings, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        settings.limits.body = settings.limits.readable();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("fetch")
            .enable_all()
            .build()
            .map_err(SetupError::Runtime)?;
        let connector = GuardedConnector {
            guard: settings.guard.clone(),
            resolver: Resolver::new(settings.names.clone()),
            connect: settings.limits.connect,
            proxies: settings.proxies.clone(),
        };
        let tls = tls::builder().map_err(SetupError::Tls)?;
        let pool = {
            let (headers, per_host) = (settings.limits.headers, settings.politeness.per_host);
            LazyLock::new(Box::new(move || pool(connector, tls, headers, per_host)) as Box<_>)
        };
        let requests =
            Requests::new(&settings).map_err(|SetupHeader(name)| SetupError::Header(name))?;
        let inner = Inner {
            pool,
            turns: Turns::new(settings.politeness),
            requests,
            robots: RobotsFiles::default(),
            cache: settings.cache.clone().map(Cache::new),
            settings,
            clock,
        };
        Ok(Self {
            runtime,
            inner: Arc::new(inner),
        })
    }

    /// Fetches all of these, a limited number at once. The requests stay on the
    /// thread of the connections: one thread for each would mostly wake the
    /// others.
    pub fn fetch_each(&self, urls: Vec<Url>, at_once: usize) -> Arrivals {
        let tasks = at_once.max(1).min(urls.len());
        let waiting = Arc::new(Mutex::new(urls.into_iter().enumerate()));
        let (answers, arrivals) = mpsc::channel(tasks.max(1));
        for _ in 0..tasks {
            let (inner, waiting) = (Arc::clone(&self.inner), Arc::clone(&waiting));
            let answers = answers.clone();
            self.runtime.spawn(async move {
                let next = || {
                    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    waiting.next()
                };
                while let Some((number, url)) = next() {
                    let fetched = inner.fetch(&url, false).await;
                    if answers.send((number, fetched)).await.is_err() {
                        return;
                    }
                }
            });
        }
        Arrivals(Mutex::new(arrivals))
    }

    /// The settings of this fetcher.
    pub fn settings(&self) -> &FetchSettings {
        &self.inner.settings
    }

    /// Fetches one URL; blocks until the answer is complete or has failed.
    pub fn fetch(&self, url: &Url) -> Fetched {
        self.runtime.block_on(self.inner.fetch(url, false))
    }

    /// As [`Self::fetch`], without queueing behind other requests to the host.
    pub fn fetch_urgently(&self, url: &Url) -> Fetched {
        self.runtime.block_on(self.inner.fetch(url, true))
    }
}

fn pool(
    connector: GuardedConnector,
    tls: ConfigBuilder<ClientConfig, WantsVerifier>,
    headers: usize,
    per_host: usize,
) -> Pool {
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls::client_config(tls))
        .https_or_http()
        .enable_http1()
        .enable_http2()
        .wrap_connector(connector);
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        // A smaller pool would close connections that the next request needs
        // again.
        .pool_max_idle_per_host(per_host.max(16))
        .http1_max_buf_size(headers.max(8192))
        .http1_max_headers(256)
        .http1_ignore_invalid_headers_in_responses(true)
        .http2_max_header_list_size(u32::try_from(headers).unwrap_or(u32::MAX))
        .build(connector)
}

impl Inner {
    async fn fetch(&self, cited: &Url, urgent: bool) -> Fetched {
        let started = Instant::now();
        if let Some(kept) = self.kept(cited) {
            return Fetched {
                elapsed: started.elapsed(),
                ..kept
            };
        }
        if self.settings.offline {
            return Fetched::failed(cited, Problem::Offline, started);
        }
        let mut way = Way::new(cited, urgent);
        let mut outcome = self.attempt(cited, &mut way, true).await;
        let mut attempts = 1;
        while attempts <= self.settings.max_retries
            && let Some(pause) = self.pause_before_retry(&outcome)
        {
            tokio::time::sleep(pause).await;
            way = Way::new(cited, urgent);
            outcome = self.attempt(cited, &mut way, true).await;
            attempts += 1;
        }
        let mut fetched = Fetched {
            outcome,
            final_url: way.url,
            redirects: way.redirects,
            elapsed: started.elapsed(),
            attempts,
            cached: false,
        };
        self.keep(cited, &mut fetched);
        fetched
    }

    /// The cached answer, if it may still be used.
    fn kept(&self, cited: &Url) -> Option<Fetched> {
        let cache = self.cache.as_ref()?;
        self.check(cited).ok()?;
        let mut kept = cache.load(cited, self.clock.now())?;
        if let Ok(response) = &mut kept.outcome {
            let limit = self.settings.limits.body;
            response.truncated |= response.body.len() > limit;
            response.body.truncate(limit);
        }
        self.check(&kept.final_url).is_ok().then_some(kept)
    }

    /// A bot wall is a refusal that looks like a page; neither is cached.
    fn keep(&self, cited: &Url, fetched: &mut Fetched) {
        let Some(cache) = &self.cache else {
            return;
        };
        let wall = fetched.outcome.as_ref().is_ok_and(wall::is_bot_wall);
        if !self.settings.send_url_credentials && !wall {
            if let Ok(response) = &mut fetched.outcome {
                response.sha256 = Some(Digest::of(&response.body).hex());
            }
            cache.store(cited, fetched, self.clock.now());
        }
    }

    /// How long to wait before the retry; `None` if the outcome is final.
    fn pause_before_retry(&self, outcome: &Result<Response, Problem>) -> Option<Duration> {
        match outcome {
            Err(problem) => problem.is_passing().then_some(self.settings.retry_wait),
            Ok(response) => {
                let passing = response.status == 429 || (500..=599).contains(&response.status);
                let is_final =
                    self.settings.accept.contains(response.status) || wall::is_bot_wall(response);
                (passing && !is_final)
                    .then(|| response.retry_after.unwrap_or(self.settings.retry_wait))
            }
        }
    }

    /// Follows redirects from the cited URL to an answer.
    async fn attempt(&self, cited: &Url, way: &mut Way, obey: bool) -> Result<Response, Problem> {
        let mut seen = BTreeSet::new();
        loop {
            self.check(&way.url)?;
            if !seen.insert(without_fragment(&way.url)) {
                return Err(Problem::TooManyRedirects);
            }
            if obey && self.settings.robots && !self.robots_allow(&way.url).await {
                return Err(Problem::Robots);
            }
            let (head, response) = self.hop(cited, way).await?;
            let Some(next) = redirect_target(&way.url, response.status, &head) else {
                return Ok(response);
            };
            if way.redirects == self.settings.limits.redirects {
                return Err(Problem::TooManyRedirects);
            }
            if way.url.scheme() == "https"
                && next.scheme() == "http"
                && !self.settings.allow_downgrade
            {
                return Err(Problem::Refused(Refusal::Downgrade));
            }
            way.redirects += 1;
            way.hop = way.hop.then(cited, &next);
            way.url = next;
        }
    }

    fn check(&self, url: &Url) -> Result<(), Problem> {
        let fine =
            url.scheme() == "https" || (url.scheme() == "http" && !self.settings.require_https);
        if !fine {
            return Err(Problem::UnsupportedScheme(url.scheme().to_owned()));
        }
        let host = url.host_str().unwrap_or_default();
        if host.trim_matches('.').is_empty() {
            return Err(Problem::InvalidUrl);
        }
        self.settings.guard.check_url(url).map_err(Problem::Refused)
    }

    /// One request and its answer, in the host's queue and within the remaining time.
    async fn hop(&self, cited: &Url, way: &mut Way) -> Result<(HeaderMap, Response), Problem> {
        let host = way.url.host_str().unwrap_or_default().to_owned();
        let turn = self.turns.wait(&host, way.urgent).await;
        let left = self.settings.limits.total.saturating_sub(way.spent);
        let started = Instant::now();
        let has_begun = AtomicBool::new(false);
        let answer = timeout(left, self.exchange(cited, &way.url, way.hop, &has_begun)).await;
        way.spent += started.elapsed();
        drop(turn);
        // A body that trickles in would trickle again: only silence is worth a retry.
        let late = if has_begun.into_inner() {
            Problem::Slow
        } else {
            Problem::Timeout
        };
        let (head, response) = answer.unwrap_or(Err(late))?;
        if matches!(response.status, 429 | 503) || response.retry_after.is_some() {
            self.turns.slow_down(&host, response.retry_after);
        } else {
            self.turns.went_well(&host);
        }
        Ok((head, response))
    }

    async fn exchange(
        &self,
        cited: &Url,
        url: &Url,
        hop: Hop,
        has_begun: &AtomicBool,
    ) -> Result<(HeaderMap, Response), Problem> {
        let request = self
            .requests
            .build(cited, url, hop)
            .ok_or(Problem::InvalidUrl)?;
        let answer = self
            .pool
            .request(request)
            .await
            .map_err(|error| causes::problem(&error))?;
        has_begun.store(true, Ordering::Relaxed);
        let (parts, incoming) = answer.into_parts();
        let status = parts.status.as_u16();
        if header_bytes(&parts.headers) > self.settings.limits.headers {
            return Err(Problem::HeadersTooLarge);
        }
        let mut response = Response {
            status,
            content_type: text_of(&parts.headers, header::CONTENT_TYPE.as_str()),
            challenged: text_of(&parts.headers, "cf-mitigated")
                .is_some_and(|value| value.trim() == "challenge"),
            retry_after: self.retry_after(status, &parts.headers),
            body: Vec::new(),
            sha256: None,
            truncated: false,
        };
        if !is_redirect(status) {
            self.fill(&mut response, &parts.headers, incoming).await?;
        }
        Ok((parts.headers, response))
    }

    async fn fill(
        &self,
        response: &mut Response,
        head: &HeaderMap,
        incoming: Incoming,
    ) -> Result<(), Problem> {
        let limits = &self.settings.limits;
        let read = body::read(incoming, limits)
            .await
            .map_err(|error| causes::problem(&error))?;
        let encodings: Vec<&str> = head
            .get_all(header::CONTENT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        match body::decode(read, &encodings.join(","), limits) {
            Ok(body) => {
                response.body = body.bytes;
                response.truncated = body.truncated;
                Ok(())
            }
            // The text of an error page decides nothing, so it need not be
            // decodable.
            Err(problem) if self.settings.accept.contains(response.status) => Err(problem),
            Err(_) => Ok(()),
        }
    }

    fn retry_after(&self, status: u16, head: &HeaderMap) -> Option<Duration> {
        if status != 429 && !(500..=599).contains(&status) {
            return None;
        }
        let text = text_of(head, header::RETRY_AFTER.as_str())?;
        let wait = match text.trim().parse() {
            Ok(seconds) => Duration::from_secs(seconds),
            Err(_) => httpdate::parse_http_date(&text)
                .ok()?
                .duration_since(self.clock.now())
                .unwrap_or_default(),
        };
        Some(wait.min(RETRY_AFTER_MAX))
    }

    async fn robots_allow(&self, url: &Url) -> bool {
        let rules = self.robots.of(url, |file| async move {
            let mut way = Way::new(&file, false);
            Box::pin(self.attempt(&file, &mut way, false)).await
        });
        rules.await.allow(url, &self.settings.user_agent)
    }
}

impl Way {
    fn new(url: &Url, urgent: bool) -> Self {
        Self {
            url: url.clone(),
            hop: Hop::Cited,
            redirects: 0,
            spent: Duration::ZERO,
            urgent,
        }
    }
}

impl Fetched {
    fn failed(url: &Url, problem: Problem, started: Instant) -> Self {
        Self {
            outcome: Err(problem),
            final_url: url.clone(),
            redirects: 0,
            elapsed: started.elapsed(),
            attempts: 1,
            cached: false,
        }
    }
}

const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The text of a header; bytes that are not UTF-8 are escaped one by one, as
/// browsers do, so that the request matches the redirect exactly.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        text.push_str(part.valid());
        for byte in part.invalid() {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

fn redirect_target(base: &Url, status: u16, head: &HeaderMap) -> Option<Url> {
    if !is_redirect(status) {
        return None;
    }
    let location = head.get(header::LOCATION)?;
    base.join(&escaped(location.as_bytes())).ok()
}

fn without_fragment(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}

fn text_of(head: &HeaderMap, name: &str) -> Option<String> {
    head.get(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn header_bytes(head: &HeaderMap) -> usize {
    head.iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_is_not_utf_8_is_requested_as_named() {
        assert_eq!(escaped(b"/tr\xe9es?\xc3\xa9"), "/tr%E9es?\u{e9}");
    }
}
