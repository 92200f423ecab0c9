//! All settings of the fetcher.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::guard::Guard;
use super::resolve::NameService;

/// How the fetcher behaves. The defaults are those of the documentation.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub struct FetchSettings {
    /// What may be contacted.
    pub guard: Guard,
    /// http is refused too.
    pub require_https: bool,
    /// A redirect may lead from https to http.
    pub allow_downgrade: bool,
    /// Bytes, seconds, hops.
    pub limits: Limits,
    /// How often a host is asked.
    pub politeness: Politeness,
    /// How often a request is tried again where that can help.
    pub max_retries: u32,
    /// Wait before a retry, unless the server names a time.
    pub retry_wait: Duration,
    /// HTTP statuses treated as success.
    pub accept: AcceptList,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// Headers for every cited host.
    pub headers: Vec<Header>,
    /// Headers for single hosts.
    pub host_headers: BTreeMap<String, Vec<Header>>,
    /// `user:password@` of a URL is sent.
    pub send_url_credentials: bool,
    /// robots.txt is obeyed.
    pub robots: bool,
    /// No network requests.
    pub offline: bool,
    /// Where names are looked up.
    pub names: NameService,
    /// Where pages are kept between runs.
    pub cache: Option<CacheSettings>,
    /// Proxies, when the user asked for them.
    pub proxies: Option<Proxies>,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            guard: Guard::default(),
            require_https: false,
            allow_downgrade: false,
            limits: Limits::default(),
            politeness: Politeness::default(),
            max_retries: 1,
            retry_wait: Duration::from_secs(5),
            accept: AcceptList::default(),
            user_agent: concat!("crosscheck/", env!("CARGO_PKG_VERSION")).to_owned(),
            headers: Vec::new(),
            host_headers: BTreeMap::new(),
            send_url_credentials: false,
            robots: false,
            offline: false,
            names: NameService::System,
            cache: None,
            proxies: None,
        }
    }
}

/// Limits of a fetch.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// To reach the host.
    pub connect: Duration,
    /// For everything, including redirects, excluding the pauses between
    /// requests.
    pub total: Duration,
    /// Bytes of the body after decoding.
    pub body: usize,
    /// Decoded bytes for each encoded byte.
    pub ratio: usize,
    /// Bytes of all response headers.
    pub headers: usize,
    /// At most this many redirects are followed.
    pub redirects: usize,
}

/// What is read and judged of a page for each second of its time limit, so that
/// the limit holds for the whole of it. The slowest known page takes 0.7 s.
const BYTES_PER_SECOND: u64 = 1024 * 1024;

impl Limits {
    /// Bytes of a body that can be read and judged in the time for it.
    pub(crate) fn readable(&self) -> usize {
        let millis = u64::try_from(self.total.as_millis()).unwrap_or(u64::MAX);
        let bytes = millis.saturating_mul(BYTES_PER_SECOND) / 1000;
        usize::try_from(bytes).unwrap_or(usize::MAX).min(self.body)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(20),
            body: 5 * 1024 * 1024,
            ratio: 100,
            headers: 64 * 1024,
            redirects: 5,
        }
    }
}

/// Request rate for a single host; after 429 or 503 it is lower.
#[derive(Debug, Clone, Copy)]
pub struct Politeness {
    /// Requests to one host at the same time.
    pub per_host: usize,
    /// Least time between the starts of two requests to one host.
    pub interval: Duration,
}

impl Default for Politeness {
    fn default() -> Self {
        Self {
            per_host: 4,
            interval: Duration::from_millis(50),
        }
    }
}

impl FetchSettings {
    /// Adds a header for one host: `host`, `host:port` or `http://host`.
    pub fn add_host_header(&mut self, host: &str, header: Header) {
        let host = host.trim_end_matches('/').to_ascii_lowercase();
        self.host_headers.entry(host).or_default().push(header);
    }
}

/// A header the user adds. Its value may be a secret, so it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Name.
    pub name: String,
    /// Value; may be a secret.
    pub value: String,
}

impl Header {
    /// The header of a login, as `user:password`.
    pub fn basic(login: &str) -> Option<Self> {
        use base64::Engine as _;
        let encoded = base64::engine::general_purpose::STANDARD.encode(login);
        login.contains(':').then(|| Self {
            name: "Authorization".to_owned(),
            value: format!("Basic {encoded}"),
        })
    }

    /// Whether its name says that the value is for one site alone.
    pub fn is_secret(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let known = [
            "authorization",
            "proxy-authorization",
            "cookie",
            "x-api-key",
        ];
        known.contains(&name.as_str()) || name.ends_with("-token")
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ***", self.name)
    }
}

/// Where pages are kept between runs.
#[derive(Debug, Clone)]
pub struct CacheSettings {
    /// Folder.
    pub folder: PathBuf,
    /// How long a page is valid.
    pub max_age: Duration,
}

/// Proxies taken from the environment.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// For http URLs.
    pub http: Option<Url>,
    /// For https URLs.
    pub https: Option<Url>,
    /// Hosts and domains that are reached directly.
    pub bypass: Vec<String>,
}

/// Statuses that are treated as 200, as in `200..=299,403`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptList(Vec<RangeInclusive<u16>>);

impl AcceptList {
    /// Reads `200..=299,403`; also `200..300` (open) and single statuses.
    pub fn parse(text: &str) -> Option<Self> {
        let ranges: Option<Vec<_>> = text
            .split(',')
            .map(|part| parse_range(part.trim()))
            .collect();
        ranges.map(Self)
    }

    /// Whether this status counts as 200.
    pub fn contains(&self, status: u16) -> bool {
        status == 200 || self.0.iter().any(|range| range.contains(&status))
    }
}

fn parse_range(text: &str) -> Option<RangeInclusive<u16>> {
    let status = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|status| (100..=599).contains(status))
    };
    if let Some((first, last)) = text.split_once("..=") {
        return Some(status(first)?..=status(last)?);
    }
    if let Some((first, end)) = text.split_once("..") {
        let end: u16 = end
            .trim()
            .parse()
            .ok()
            .filter(|end| (101..=600).contains(end))?;
        return Some(status(first)?..=end.checked_sub(1)?);
    }
    status(text).map(|status| status..=status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_becomes_a_header_that_is_never_shown() {
        let header = Header::basic("reader:s3cret").unwrap();
        assert_eq!(header.value, "Basic cmVhZGVyOnMzY3JldA==");
        assert_eq!(format!("{header:?}"), "Authorization: ***");
        assert!(header.is_secret());
        assert_eq!(Header::basic("reader"), None);
    }

    #[test]
    fn accept_lists_take_ranges_and_single_statuses() {
        let list = AcceptList::parse("200..=299, 403,500..502").unwrap();
        for (status, expected) in [
            (200, true),
            (204, true),
            (300, false),
            (403, true),
            (501, true),
            (502, false),
        ] {
            assert_eq!(list.contains(status), expected, "{status}");
        }
        for text in ["", "abc", "99", "200..=", "700"] {
            assert_eq!(AcceptList::parse(text), None, "{text}");
        }
        assert!(AcceptList::default().contains(200));
    }
}
