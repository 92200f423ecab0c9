//! The request line and headers of one hop.

use std::fmt::Write as _;

use http_body_util::Empty;
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue,
    PROXY_AUTHORIZATION, USER_AGENT,
};
use url::{Origin, Url};

use super::settings::{FetchSettings, Header};

const KINDS: &str =
    "text/html,application/xhtml+xml,application/pdf,text/plain,application/json;q=0.9,*/*;q=0.5";
const ENCODINGS: &str = "gzip, br, zstd, deflate";

/// Builds requests; the user's headers were checked once.
pub(super) struct Requests {
    base: HeaderMap,
    added: HeaderMap,
    by_host: Vec<(Origin, HeaderMap)>,
    send_credentials: bool,
}

/// How a request was reached from the cited URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// It is the cited URL.
    Cited,
    /// Through redirects within the cited site.
    Within,
    /// Another site was asked on the way and chose what is requested now.
    ThroughOther,
}

impl Hop {
    /// The hop after this one, to `next`.
    pub(super) fn then(self, cited: &Url, next: &Url) -> Self {
        if self != Self::ThroughOther && is_same_site(cited, next) {
            Self::Within
        } else {
            Self::ThroughOther
        }
    }
}

/// The same scheme, host and port, or one host on the usual ports of http and https.
fn is_same_site(one: &Url, other: &Url) -> bool {
    let is_usual = one.port().is_none() && other.port().is_none();
    one.origin() == other.origin() || one.host() == other.host() && is_usual
}

/// The name of an invalid header.
pub(super) struct SetupHeader(pub(super) String);

impl Requests {
    pub(super) fn new(settings: &FetchSettings) -> Result<Self, SetupHeader> {
        let mut base = HeaderMap::new();
        base.insert(ACCEPT, HeaderValue::from_static(KINDS));
        base.insert(ACCEPT_ENCODING, HeaderValue::from_static(ENCODINGS));
        let agent = HeaderValue::from_str(&settings.user_agent);
        base.insert(
            USER_AGENT,
            agent.map_err(|_| SetupHeader("User-Agent".to_owned()))?,
        );
        let by_host: Result<Vec<_>, _> = settings
            .host_headers
            .iter()
            .map(|(host, headers)| Ok((origin(host), checked(headers)?)))
            .collect();
        Ok(Self {
            base,
            added: checked(&settings.headers)?,
            by_host: by_host?,
            send_credentials: settings.send_url_credentials,
        })
    }

    /// The request for one hop; `None` if the URL cannot be requested.
    pub(super) fn build(&self, cited: &Url, url: &Url, hop: Hop) -> Option<Request<Empty<Bytes>>> {
        let mut request = Request::get(target(url)).body(Empty::new()).ok()?;
        let headers = request.headers_mut();
        headers.clone_from(&self.base);
        // The user's headers are for the cited site: not for the targets of its redirects, and not
        // for what another site asks of it.
        if hop == Hop::ThroughOther {
            return Some(request);
        }
        if url.origin() == cited.origin() {
            add(headers, &self.added);
        }
        if hop != Hop::Cited {
            for name in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
                headers.remove(name);
            }
        }
        // Headers for one host go only to its own scheme and port, but to every page there.
        for (origin, added) in &self.by_host {
            if url.origin() == *origin {
                add(headers, added);
            }
        }
        let has_login = !(url.username().is_empty() && url.password().is_none());
        if hop == Hop::Cited && self.send_credentials && has_login {
            headers.insert(AUTHORIZATION, basic(url)?);
        }
        Some(request)
    }
}

/// The site that `host`, `host:port` or a URL such as `http://host:8080` names; https by default.
fn origin(host: &str) -> Origin {
    let address = if host.contains("://") {
        host.to_owned()
    } else {
        format!("https://{host}")
    };
    Url::parse(&address).map_or_else(|_| Origin::new_opaque(), |url| url.origin())
}

fn checked(headers: &[Header]) -> Result<HeaderMap, SetupHeader> {
    let mut map = HeaderMap::new();
    for header in headers {
        let wrong = || SetupHeader(header.name.clone());
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(&header.value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        map.append(name, value);
    }
    Ok(map)
}

fn add(headers: &mut HeaderMap, added: &HeaderMap) {
    for (name, value) in added {
        headers.insert(name, value.clone());
    }
}

/// The URL without user information and fragment; characters that browsers send
/// unescaped but the HTTP library refuses are percent-encoded.
fn target(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    let mut text = String::with_capacity(url.as_str().len());
    for c in url.as_str().chars() {
        match c {
            '|' | '^' | '`' | '{' | '}' | '"' | '<' | '>' | '\\' => {
                let _ = write!(text, "%{:02X}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text
}

fn basic(url: &Url) -> Option<HeaderValue> {
    let decoded = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8_lossy()
            .into_owned()
    };
    let pair = format!(
        "{}:{}",
        decoded(url.username()),
        decoded(url.password().unwrap_or_default())
    );
    let mut value = HeaderValue::from_str(&format!("Basic {}", base64(pair.as_bytes()))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(settings: &FetchSettings) -> Requests {
        Requests::new(settings).unwrap_or_else(|_| panic!("the headers are valid"))
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn user_information_is_sent_only_on_request() {
        let cited = url("http://reader:s3cret@a.example/x#top");
        let request = requests(&FetchSettings::default())
            .build(&cited, &cited, Hop::Cited)
            .unwrap();
        assert_eq!(request.uri(), "http://a.example/x");
        assert!(!request.headers().contains_key(AUTHORIZATION));

        let settings = FetchSettings {
            send_url_credentials: true,
            ..FetchSettings::default()
        };
        let request = requests(&settings)
            .build(&cited, &cited, Hop::Cited)
            .unwrap();
        assert_eq!(
            request.headers()[AUTHORIZATION],
            "Basic cmVhZGVyOnMzY3JldA=="
        );
        let request = requests(&settings)
            .build(
                &cited,
                &url("http://reader:s3cret@a.example/y"),
                Hop::Within,
            )
            .unwrap();
        assert!(!request.headers().contains_key(AUTHORIZATION));
    }

    #[test]
    fn added_headers_go_to_the_cited_site_and_authorization_only_to_its_first_page() {
        let header = |name: &str, value: &str| Header {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let settings = FetchSettings {
            headers: vec![header("Authorization", "Bearer t"), header("X-Note", "n")],
            ..FetchSettings::default()
        };
        let cited = url("https://a.example/x");
        for (to, hop, authorized, noted) in [
            ("https://a.example/x", Hop::Cited, true, true),
            ("https://a.example/y", Hop::Within, false, true),
            ("https://b.example/", Hop::ThroughOther, false, false),
            ("https://a.example/y", Hop::ThroughOther, false, false),
        ] {
            let request = requests(&settings).build(&cited, &url(to), hop).unwrap();
            assert_eq!(
                request.headers().contains_key(AUTHORIZATION),
                authorized,
                "{to}"
            );
            assert_eq!(request.headers().contains_key("x-note"), noted, "{to}");
        }
    }

    #[test]
    fn the_login_of_one_host_goes_to_every_page_of_its_own_and_to_no_other() {
        let login = Header::basic("reader:s3cret").unwrap();
        let settings = FetchSettings {
            host_headers: [("a.example".to_owned(), vec![login])].into(),
            ..FetchSettings::default()
        };
        let cited = url("https://a.example/x");
        for (to, hop, authorized) in [
            ("https://a.example/x", Hop::Cited, true),
            ("https://a.example/y", Hop::Within, true),
            ("http://a.example/y", Hop::Within, false),
            ("https://a.example:8443/y", Hop::Within, false),
            ("https://b.example/", Hop::ThroughOther, false),
            ("https://a.example/y", Hop::ThroughOther, false),
        ] {
            let request = requests(&settings).build(&cited, &url(to), hop).unwrap();
            let is_sent = request.headers().contains_key(AUTHORIZATION);
            assert_eq!(is_sent, authorized, "{to} {hop:?}");
        }
    }

    #[test]
    fn headers_of_one_host_go_to_its_own_tls_and_port_only() {
        let note = |name: &str| {
            let header = Header {
                name: "X-Note".to_owned(),
                value: "n".to_owned(),
            };
            (name.to_owned(), vec![header])
        };
        let settings = FetchSettings {
            host_headers: [
                note("a.example"),
                note("b.example:8443"),
                note("http://c.example"),
            ]
            .into(),
            ..FetchSettings::default()
        };
        for (cited, to, noted) in [
            ("https://a.example/x", "https://a.example/x", true),
            ("https://A.example/x", "https://a.example/y", true),
            ("https://a.example/x", "http://a.example/x", false),
            ("https://a.example/x", "https://a.example:8443/x", false),
            ("https://other.example/x", "https://a.example/x", false),
            ("https://b.example:8443/", "https://b.example:8443/", true),
            ("https://b.example/", "https://b.example/", false),
            ("http://c.example/", "http://c.example/", true),
            ("https://c.example/", "https://c.example/", false),
        ] {
            let hop = Hop::Cited.then(&url(cited), &url(to));
            let request = requests(&settings)
                .build(&url(cited), &url(to), hop)
                .unwrap();
            assert_eq!(
                request.headers().contains_key("x-note"),
                noted,
                "{cited} {to}"
            );
        }
    }

    #[test]
    fn what_another_site_asks_for_carries_no_header_of_the_user() {
        let cited = url("https://a.example/x");
        let there = Hop::Cited.then(&cited, &url("https://b.example/"));
        assert_eq!(there, Hop::ThroughOther);
        assert_eq!(there.then(&cited, &url("https://a.example/y")), there);
        assert_eq!(
            Hop::Cited.then(&cited, &url("https://a.example/y")),
            Hop::Within
        );
        let header = || Header {
            name: "X-Note".to_owned(),
            value: "n".to_owned(),
        };
        let settings = FetchSettings {
            headers: vec![header()],
            host_headers: [("a.example".to_owned(), vec![header()])].into(),
            ..FetchSettings::default()
        };
        let request = requests(&settings).build(&cited, &cited, there).unwrap();
        assert!(!request.headers().contains_key("x-note"));
    }

    #[test]
    fn characters_the_library_refuses_are_encoded() {
        assert_eq!(
            target(&url("http://a.example/x?q={a}|b")),
            "http://a.example/x?q=%7Ba%7D%7Cb"
        );
    }
}
