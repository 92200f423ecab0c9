//! What a debater or author wrote where a URL should be.
//!
//! Contract: sources 1.4, sources 1.6.

use std::borrow::Cow;

use crosscheck_fetch::Url;
use crosscheck_fetch::address::{mask_user, url_key};

use super::urls::is_invisible;
use crate::pattern::pattern;

/// A cited text and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Exactly as it was written.
    pub text: String,
    /// The key under which the same URL is known.
    pub key: String,
    /// Where it leads.
    pub target: Target,
}

/// Where a cited text leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To the web.
    Web(Url),
    /// To something that is not the web.
    Scheme(String),
    /// Nowhere: no URL, or no host.
    Nowhere,
}

pattern! {
    HOST_NAME,
    r"^(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,}\.?(?::\d{1,5})?(?:[/?#]|$)"
}

impl Cited {
    /// Reads a cited text.
    pub fn new(text: &str) -> Self {
        let full = full(text);
        let (key, target) = (url_key(&full), target(&full));
        Self {
            text: text.to_owned(),
            key,
            target,
        }
    }

    /// The key of a cited text, where nothing else is asked.
    pub fn key_of(text: &str) -> String {
        url_key(&full(text))
    }

    /// The URL, if it leads to the web.
    pub fn url(&self) -> Option<&Url> {
        match &self.target {
            Target::Web(url) => Some(url),
            Target::Scheme(_) | Target::Nowhere => None,
        }
    }

    /// The host in lower case, without a final dot.
    pub fn host(&self) -> Option<String> {
        self.url().and_then(host_of)
    }
}

/// Where programs that share documents keep the URL that was written: host, path and name in the query.
const WRAPPERS: [(&str, &str, &str); 6] = [
    ("www.google.com", "/url", "q"),
    ("www.google.com", "/url", "url"),
    ("safelinks.protection.outlook.com", "/", "url"),
    ("l.facebook.com", "/l.php", "u"),
    ("slack-redir.net", "/link", "url"),
    ("www.youtube.com", "/redirect", "q"),
];

/// The URL that an exported document was given, where a program put its own
/// around it: `https://www.google.com/url?q=https://…`.
pub fn unwrapped(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("://")?;
    let (host, _) = rest.split_once('/')?;
    let is_host = |known: &str| {
        let before = host.strip_suffix(known);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let wrappers = || WRAPPERS.iter().filter(|(known, ..)| is_host(known));
    wrappers().next()?;
    let url = Url::parse(text).ok()?;
    let value = wrappers()
        .filter(|(_, path, _)| url.path() == *path)
        .find_map(|(.., name)| url.query_pairs().find(|(key, _)| key == name))?
        .1;
    let is_web = value.starts_with("http://") || value.starts_with("https://");
    is_web.then(|| value.into_owned())
}

/// The host of a URL in lower case, without a final dot.
pub fn host_of(url: &Url) -> Option<String> {
    url.host_str()
        .map(|host| host.trim_end_matches('.').to_ascii_lowercase())
}

/// A cited text as a URL, if it can be one.
fn full(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    resolved(trimmed).map_or(Cow::Borrowed(trimmed), Cow::Owned)
}

/// The full URL of a text that starts with a host name, or of a DOI.
fn resolved(text: &str) -> Option<String> {
    if text.starts_with("https://") || text.starts_with("http://") {
        return None;
    }
    let doi = text
        .get(..4)
        .filter(|start| start.eq_ignore_ascii_case("doi:"));
    if doi.is_some() {
        let name = text.get(4..).unwrap_or_default().trim();
        return (!name.is_empty()).then(|| format!("https://doi.org/{name}"));
    }
    starts_with_host(text).then(|| format!("https://{text}"))
}

fn starts_with_host(text: &str) -> bool {
    // What comes before an `@` is somebody's name, however much it looks like a host.
    let authority = text.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority.contains('@') || text.contains(char::is_whitespace) {
        return false;
    }
    if text
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("www."))
    {
        return text.len() > 4;
    }
    if !HOST_NAME.is_match(text) {
        return false;
    }
    let host = text
        .split(['/', '?', '#', ':'])
        .next()
        .unwrap_or_default()
        .trim_end_matches('.')
        .to_lowercase();
    psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
}

pattern! {
    /// A name that stands for what somebody has to put there: `{id}`, `${VERSION}`,
    /// `$VERSION`, `<name>`, `%s`, `/:owner`, `YOUR_KEY`.
    PLACEHOLDER,
    concat!(
            r"(?:\{|%7B)+[?&/#+.;$ ]*(?:%20)*([A-Za-z_][\w .,*:|%-]*)(?:\}|%7D)",
            r"|\$[A-Z][A-Z0-9_]{2,}(?:[^A-Za-z0-9_]|$)",
            r"|(?:<|&lt;|%3C)[A-Za-z_][\w -]*(?:>|&gt;|%3E)",
            r"|\|[A-Za-z][\w-]*\||%s|%d(?:[^0-9A-Fa-f]|$)|%\(\w+\)[sd]",
            r"|[^/]/:[a-z][A-Za-z_]*(?:[/?]|$)|\bYOUR[_-][A-Z]",
        )
}

/// Whether a text shows only a part of a URL, or a form of many: nobody can
/// ask for what its author left out.
fn is_incomplete(text: &str) -> bool {
    let address = text.split('#').next().unwrap_or_default();
    let is_cut = [("...", "/.../"), ("…", "/…/"), ("%E2%80%A6", "/%E2%80%A6/")]
        .iter()
        .any(|(end, part)| address.ends_with(end) || address.contains(part));
    let is_guid =
        |name: &str| name.len() == 36 && name.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    // the signs that every such name has
    let may_be_form = address
        .bytes()
        .any(|byte| matches!(byte, b'{' | b'%' | b'$' | b'<' | b'&' | b'|'))
        || address.contains("/:")
        || address.contains("YOUR");
    let is_form = may_be_form
        && PLACEHOLDER
            .captures_iter(address)
            .any(|one| one.get(1).is_none_or(|name| !is_guid(name.as_str())));
    let host = address.split("://").nth(1).unwrap_or(address);
    let host = host.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    is_cut || is_form || host.contains('*') || text.contains(is_invisible)
}

/// Blanks end a URL: with one inside, the text is several URLs, or prose, and
/// whatever a parser makes of it was not cited.
fn target(text: &str) -> Target {
    // a third slash ends the host before it began; browsers take the path for one
    if text.contains(char::is_whitespace) || text.contains(":///") || is_incomplete(text) {
        return Target::Nowhere;
    }
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => {
            let host = url.host_str().unwrap_or_default();
            if host.trim_matches('.').is_empty() {
                Target::Nowhere
            } else {
                Target::Web(url)
            }
        }
        // `user:password@host` parses as a scheme, which would tell the user's name.
        Ok(_) if !text.contains("//") && mask_user(text) != text => Target::Nowhere,
        Ok(url) => Target::Scheme(url.scheme().to_owned()),
        Err(_) => Target::Nowhere,
    }
}

/// The name under which a site's pages belong together: `news.bbc.co.uk` → `bbc.co.uk`.
pub fn registrable_domain(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    if host.parse::<std::net::IpAddr>().is_ok() || host.starts_with('[') {
        return host;
    }
    psl::domain_str(&host).map_or_else(|| host.clone(), str::to_owned)
}

/// The label that carries a site's name, as a reader writes it:
/// `www.nature.com` → `nature`, `xn--bume-loa.de` → `bäume`.
pub fn site_label(host: &str) -> Option<String> {
    let domain = registrable_domain(host);
    if domain.parse::<std::net::IpAddr>().is_ok() || domain.starts_with('[') {
        return None;
    }
    let suffix = psl::suffix_str(&domain)?;
    let label = domain.strip_suffix(suffix)?.trim_end_matches('.');
    let (label, _) = idna::domain_to_unicode(label);
    Some(label).filter(|label| !label.is_empty() && label != "www")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lead_where_a_reader_would_go() {
        for (text, expected) in [
            ("https://a.example/x", "web https://a.example/x"),
            (
                "www.treefacts.fixture/a",
                "web https://www.treefacts.fixture/a",
            ),
            ("bbc.co.uk/news", "web https://bbc.co.uk/news"),
            ("example.com:8080/x", "web https://example.com:8080/x"),
            ("doi:10.1000/182", "web https://doi.org/10.1000/182"),
            ("DOI: 10.1000/182", "web https://doi.org/10.1000/182"),
            ("Municipal forestry yearbook, volume 12", "nowhere"),
            ("Yearbook: volume 12", "nowhere"),
            ("https://a.example/x, https://a.example/y", "nowhere"),
            ("https://a.example/x\nhttps://a.example/y", "nowhere"),
            ("https://a.example/a b", "nowhere"),
            ("bob:s3cret@a.example/x", "nowhere"),
            ("www.nature.com@evil.example/x", "nowhere"),
            ("nature.com@evil.example/x", "nowhere"),
            ("medium.com/@user", "web https://medium.com/@user"),
            ("https://?q=oaks", "nowhere"),
            ("https://", "nowhere"),
            ("https:///path", "nowhere"),
            ("https://...", "nowhere"),
            ("https://a.example/rome-plants-...", "nowhere"),
            ("https://a.example/milan-fol…", "nowhere"),
            ("https://a.example/.../oaks", "nowhere"),
            ("https://a.example/users/{id}", "nowhere"),
            ("https://a.example/users/%7Bid%7D/x", "nowhere"),
            ("https://a.example/{?page,limit}", "nowhere"),
            ("https://a.example/{{%20slug%20}}/x", "nowhere"),
            ("https://a.example/${version}/x", "nowhere"),
            ("https://a.example/$VERSION/x", "nowhere"),
            ("https://a.example/v1/<name>/items", "nowhere"),
            ("https://a.example/repos/:owner/:repo", "nowhere"),
            ("https://a.example/?q=%s", "nowhere"),
            ("https://a.example/|version|/x", "nowhere"),
            ("https://a.example/YOUR_NAME/x", "nowhere"),
            ("https://*.a.example/x", "nowhere"),
            (
                "https://a.example/compare/v1...v2",
                "web https://a.example/compare/v1...v2",
            ),
            (
                "https://a.example/$metadata?x=%d0%b0",
                "web https://a.example/$metadata?x=%d0%b0",
            ),
            (
                "https://a.example/x?f={%22a%22:1}",
                "web https://a.example/x?f={%22a%22:1}",
            ),
            (
                "https://a.example/x#:~:text=so%20on...",
                "web https://a.example/x#:~:text=so%20on...",
            ),
            (
                "https://a.example/x?id={ABCDEF01-2345-6789-ABCD-EF0123456789}",
                "web https://a.example/x?id={ABCDEF01-2345-6789-ABCD-EF0123456789}",
            ),
            ("mailto:a@b.example", "scheme mailto"),
            ("ftp://a.example/x", "scheme ftp"),
            ("", "nowhere"),
            ("chapter.twelve", "nowhere"),
        ] {
            let seen = match Cited::new(text).target {
                Target::Web(url) => format!("web {url}"),
                Target::Scheme(scheme) => format!("scheme {scheme}"),
                Target::Nowhere => "nowhere".to_owned(),
            };
            assert_eq!(seen, expected, "{text}");
        }
    }

    #[test]
    fn a_host_name_and_its_url_have_one_key() {
        assert_eq!(
            Cited::new("www.a.com/x").key,
            Cited::new("HTTPS://www.a.com/x#y").key
        );
    }

    #[test]
    fn a_hidden_user_changes_no_key() {
        for text in [
            "http://u:p@a.example/x",
            "bob:s3cret@a.example/x",
            "www.bob:s3cret@a.example/x",
            "www.nature.com@evil.example/x",
            "https:u:p@a.example/x",
        ] {
            assert_eq!(
                Cited::new(&mask_user(text)).key,
                Cited::new(text).key,
                "{text}"
            );
        }
    }

    #[test]
    fn sites_are_named_by_the_label_before_the_suffix() {
        for (host, domain, label) in [
            ("www.nature.com", "nature.com", Some("nature")),
            ("news.bbc.co.uk", "bbc.co.uk", Some("bbc")),
            ("othernews.fixture", "othernews.fixture", Some("othernews")),
            ("127.0.0.1", "127.0.0.1", None),
            ("www.xn--bume-loa.de", "xn--bume-loa.de", Some("bäume")),
        ] {
            assert_eq!(registrable_domain(host), domain);
            assert_eq!(site_label(host).as_deref(), label);
        }
    }

    #[test]
    fn a_url_that_a_program_wrapped_is_the_one_that_was_written() {
        for (text, expected) in [
            (
                "https://www.google.com/url?q=https://a.example/pop&sa=D&source=editors",
                Some("https://a.example/pop"),
            ),
            (
                "https://www.google.com/url?sa=t&url=https%3A%2F%2Fa.example%2Fx%3Fb%3D1",
                Some("https://a.example/x?b=1"),
            ),
            (
                "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2F&data=1",
                Some("https://a.example/"),
            ),
            ("https://www.google.com/search?q=https://a.example/", None),
            ("https://www.google.com/url?q=oaks", None),
            ("https://evil.example/url?q=https://a.example/", None),
        ] {
            assert_eq!(unwrapped(text).as_deref(), expected, "{text}");
        }
    }
}
