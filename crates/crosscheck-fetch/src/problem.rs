//! Why a page could not be fetched.

use std::fmt;

use super::guard::Refusal;

/// A fetch that ended without a usable HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The text is not a URL, or has no host.
    InvalidUrl,
    /// Neither http nor https.
    UnsupportedScheme(String),
    /// The guard refused an address, a name, a port or a redirect.
    Refused(Refusal),
    /// The name does not exist: the resolver proved it.
    NameNotFound,
    /// No name resolves, not even names that certainly exist: this machine has no network.
    NoNetwork,
    /// A limit of this machine: no more open files, memory or buffers.
    Machine(String),
    /// The resolver did not answer, or only temporarily failed.
    DnsTemporary,
    /// Refused, reset, unreachable, closed early.
    Connection(String),
    /// Certificate expired, untrusted, for another name; handshake failed.
    Tls(String),
    /// No answer came in time.
    Timeout,
    /// The answer began, but its body was not complete in time.
    Slow,
    /// More redirects than allowed, or a loop.
    TooManyRedirects,
    /// The headers exceed the limit.
    HeadersTooLarge,
    /// The body has an encoding that cannot be decoded.
    Undecodable,
    /// The site's robots.txt forbids this page.
    Robots,
    /// This run makes no network requests.
    Offline,
}

impl Problem {
    /// Whether a retry could help.
    pub const fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Timeout | Self::Connection(_) | Self::DnsTemporary | Self::Machine(_)
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidUrl => f.write_str("the text is not a URL"),
            Self::UnsupportedScheme(scheme) if scheme == "http" => {
                f.write_str("not contacted: only https is allowed")
            }
            Self::UnsupportedScheme(scheme) => write!(f, "{scheme} is neither http nor https"),
            Self::Refused(refusal) => write!(f, "not contacted: {refusal}"),
            Self::NameNotFound => f.write_str("the domain does not exist"),
            Self::NoNetwork => f.write_str("no name is answered: this machine has no network"),
            Self::Machine(cause) => write!(f, "a limit of this machine: {cause}"),
            Self::DnsTemporary => f.write_str("the name could not be resolved for now"),
            Self::Connection(cause) => write!(f, "the connection failed: {cause}"),
            Self::Tls(cause) => write!(f, "the secure connection failed: {cause}"),
            Self::Timeout => f.write_str("no answer in time"),
            Self::Slow => f.write_str("the page was not complete in time"),
            Self::TooManyRedirects => f.write_str("too many redirects"),
            Self::HeadersTooLarge => f.write_str("the headers are too large"),
            Self::Undecodable => f.write_str("the content encoding cannot be undone"),
            Self::Robots => f.write_str("robots.txt asks not to fetch this page"),
            Self::Offline => f.write_str("offline: nothing was contacted"),
        }
    }
}
