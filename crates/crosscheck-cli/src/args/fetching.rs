//! How pages are fetched: the options of every command that reads the web.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// How pages are fetched.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct FetchingArgs {
    /// Number of parallel requests to one host; default 4
    ///
    /// A host that answers 429 or 503 gets one request at a time, and fewer of
    /// them, until it recovers.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) host_concurrency: Option<usize>,
    /// Seconds between two requests to one host; default 0.05
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) host_request_interval: Option<Duration>,
    /// Seconds to fetch a page, and the same again to read and judge it (at most 1 MiB for each
    /// second); default 20
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// Retries after a time-out, a failed connection, 429 or 5xx; default 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_retries: Option<u32>,
    /// Seconds before a retry, unless the server names a time; default 5
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) retry_wait: Option<Duration>,
    /// Maximum number of redirects; default 5
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_redirects: Option<usize>,
    /// Maximum size of a decoded page, in bytes; default 5242880
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub(crate) max_body: Option<usize>,
    /// HTTP statuses treated as success, for example `200..=299,403`
    #[arg(long, value_name = "CODES")]
    pub(crate) accept: Option<String>,
    /// Allow private addresses and local names
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Allow addresses of this network
    #[arg(long, value_name = "NET")]
    pub(crate) allow_cidr: Vec<String>,
    /// Follow redirects from https to http
    #[arg(long)]
    pub(crate) allow_downgrade: bool,
    /// Refuse http
    #[arg(long)]
    pub(crate) require_https: bool,
    /// Obey robots.txt
    #[arg(long)]
    pub(crate) robots: bool,
    /// Header for all cited sites, as `Name: value`; never a secret
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// Header for one host, as `HOST Name: value`
    ///
    /// HOST is `example.org` for https, `example.org:8443`, or
    /// `http://example.org`. The header goes nowhere else, and is not sent after
    /// a redirect from another site.
    #[arg(long, value_name = "HOST HEADER")]
    pub(crate) host_header: Vec<String>,
    /// User and password for one host, as `HOST USER:PASSWORD` or `HOST env:VARIABLE`
    #[arg(long, value_name = "HOST LOGIN")]
    pub(crate) basic_auth: Vec<String>,
    /// The User-Agent header
    #[arg(long, value_name = "TEXT")]
    pub(crate) user_agent: Option<String>,
    /// Send `user:password@` of cited URLs
    #[arg(long)]
    pub(crate) send_url_credentials: bool,
    /// Use the proxies of the environment
    #[arg(long)]
    pub(crate) use_proxy_env: bool,
    /// Cache pages in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Maximum age of a cached page in seconds; default 86400
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) max_cache_age: Option<Duration>,
    /// Use no network
    #[arg(long)]
    pub(crate) offline: bool,
    /// Address for a host and port, as `host:port:address`
    #[arg(long, value_name = "HOST:PORT:ADDR", value_parser = pinned)]
    pub(crate) resolve: Vec<Pinned>,
    /// JSON file with answers of a name server, for tests
    #[arg(long, value_name = "FILE")]
    pub(crate) dns_fixture: Option<PathBuf>,
}

/// An address for a host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pinned {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) address: IpAddr,
}

/// `5`, `0.5`, `5s` or `500ms`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let (number, scale) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1000.0),
        (None, Some(number)) => (number, 1.0),
        (None, None) => (text, 1.0),
    };
    let value: f64 = number
        .trim()
        .parse()
        .map_err(|_| "a number of seconds is wanted".to_owned())?;
    Duration::try_from_secs_f64(value / scale).map_err(|error| error.to_string())
}

fn pinned(text: &str) -> Result<Pinned, String> {
    let mut parts = text.splitn(3, ':');
    let parsed = (|| {
        let host = parts.next()?.to_ascii_lowercase();
        let port = parts.next()?.parse().ok()?;
        let address = parts.next()?.trim_matches(['[', ']']).parse().ok()?;
        Some(Pinned {
            host,
            port,
            address,
        })
    })();
    parsed.ok_or_else(|| "host:port:address is wanted".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_say_what_they_are() {
        for (text, millis) in [
            ("5", 5000),
            ("0.5", 500),
            ("2s", 2000),
            ("250ms", 250),
            ("0", 0),
        ] {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "-1", "soon", "1e400"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pinned_addresses_name_host_port_and_address() {
        let pin = pinned("A.example:443:[::1]").unwrap();
        assert_eq!((pin.host.as_str(), pin.port), ("a.example", 443));
        assert!(pinned("a.example:443").is_err());
    }
}
