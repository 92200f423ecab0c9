//! Resolves names, and distinguishes "no such name" from "no answer".

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use serde::Deserialize;
use tokio::sync::{Mutex, OnceCell};
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Host;

/// The result of a look-up.
pub type DnsAnswer = Result<Vec<IpAddr>, DnsFailure>;

/// Why a look-up has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DnsFailure {
    /// The name does not exist, according to the resolver.
    NotFound,
    /// The name exists and has no address.
    NoAddress,
    /// No answer, or an answer that may change.
    Temporary,
    /// Names that certainly exist got no address either: this machine has no
    /// network.
    NoNetwork,
}

/// Names that practically always exist. If none of them has an address, a
/// missing name proves nothing.
const CONTROLS: [&str; 3] = ["example.com", "iana.org", "wikipedia.org"];
/// How long a control look-up may take.
const CONTROL_TIME: Duration = Duration::from_secs(3);
/// How long its result is valid.
const CONTROL_AGE: Duration = Duration::from_secs(30);

type Lookup = dyn Fn(&str) -> DnsAnswer + Send + Sync;

/// Where names are looked up.
#[derive(Clone, Default)]
pub enum NameService {
    /// The system's name servers.
    #[default]
    System,
    /// A table, for tests.
    Fixture(DnsFixture),
    /// A function, for tests of what a hostile name server could answer.
    Scripted(Arc<Lookup>),
    /// Addresses for single hosts and ports, which take precedence over another
    /// service.
    Pinned(BTreeMap<(String, u16), IpAddr>, Box<NameService>),
}

impl fmt::Debug for NameService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Fixture(_) => "Fixture",
            Self::Scripted(_) => "Scripted",
            Self::Pinned(..) => "Pinned",
        })
    }
}

/// Host names and their look-up results; names that are not listed do not
/// exist.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct DnsFixture(BTreeMap<String, FixtureWord>);

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum FixtureWord {
    Loopback,
    Nxdomain,
    Servfail,
    Timeout,
}

/// The fixture is invalid.
#[derive(Debug, thiserror::Error)]
#[error(
    "the DNS fixture must be a JSON object of host names with LOOPBACK, NXDOMAIN, SERVFAIL or TIMEOUT"
)]
pub struct FixtureError(#[source] serde_json::Error);

impl DnsFixture {
    /// Reads the JSON object.
    pub fn parse(bytes: &[u8]) -> Result<Self, FixtureError> {
        let Self(names) = serde_json::from_slice(bytes).map_err(FixtureError)?;
        // Names are looked up in their ASCII form: `bäume.test` is `xn--bume-loa.test`.
        let spelled = |name: String| Host::parse(&name).map_or(name, |host| host.to_string());
        let names = names.into_iter();
        Ok(Self(
            names.map(|(name, word)| (spelled(name), word)).collect(),
        ))
    }

    fn look_up(&self, name: &str) -> DnsAnswer {
        match self.0.get(name) {
            Some(FixtureWord::Loopback) => Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]),
            Some(FixtureWord::Nxdomain) | None => Err(DnsFailure::NotFound),
            Some(FixtureWord::Servfail | FixtureWord::Timeout) => Err(DnsFailure::Temporary),
        }
    }
}

/// Looks names up; the system's resolver is created when it is first needed.
#[derive(Clone)]
pub(super) struct Resolver {
    service: NameService,
    system: Arc<OnceCell<Option<TokioResolver>>>,
    /// When the network was last tested, and the result.
    control: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Resolver {
    pub(super) fn new(service: NameService) -> Self {
        Self {
            service,
            system: Arc::new(OnceCell::new()),
            control: Arc::new(Mutex::new(None)),
        }
    }

    pub(super) async fn look_up(&self, name: &str, port: u16) -> DnsAnswer {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let mut service = &self.service;
        while let NameService::Pinned(table, behind) = service {
            if let Some(address) = table.get(&(name.clone(), port)) {
                return Ok(vec![*address]);
            }
            service = behind;
        }
        match service {
            NameService::Fixture(fixture) => fixture.look_up(&name),
            NameService::Scripted(look_up) => look_up(&name),
            NameService::System | NameService::Pinned(..) => self.ask_system(&name).await,
        }
    }

    async fn ask_system(&self, name: &str) -> DnsAnswer {
        let resolver = self
            .system
            .get_or_init(|| async { system_resolver() })
            .await;
        let Some(resolver) = resolver else {
            return Err(DnsFailure::NoNetwork);
        };
        let answer = ask(resolver, name).await;
        match answer {
            Ok(_) | Err(DnsFailure::NoAddress) => {
                *self.control.lock().await = Some((Instant::now(), true));
                answer
            }
            Err(_) if self.names_are_answered(resolver).await => answer,
            Err(_) => Err(DnsFailure::NoNetwork),
        }
    }

    /// Whether any name resolves; the result is kept for a while.
    async fn names_are_answered(&self, resolver: &TokioResolver) -> bool {
        let mut known = self.control.lock().await;
        if let Some((when, answered)) = *known
            && when.elapsed() < CONTROL_AGE
        {
            return answered;
        }
        let mut asked = JoinSet::new();
        for name in CONTROLS {
            let resolver = resolver.clone();
            asked.spawn(async move { ask(&resolver, name).await.is_ok() });
        }
        let any = async {
            while let Some(answer) = asked.join_next().await {
                if matches!(answer, Ok(true)) {
                    return true;
                }
            }
            false
        };
        let answered = tokio::time::timeout(CONTROL_TIME, any)
            .await
            .unwrap_or(false);
        *known = Some((Instant::now(), answered));
        answered
    }
}

async fn ask(resolver: &TokioResolver, name: &str) -> DnsAnswer {
    // The final dot disables search domains: `a.com` must not become `a.com.corp.example`.
    match resolver.lookup_ip(format!("{name}.")).await {
        Ok(found) => {
            let addresses: Vec<IpAddr> = found.iter().collect();
            if addresses.is_empty() {
                Err(DnsFailure::NoAddress)
            } else {
                Ok(addresses)
            }
        }
        Err(error) if error.is_nx_domain() => Err(DnsFailure::NotFound),
        Err(error) if error.is_no_records_found() => Err(DnsFailure::NoAddress),
        Err(_) => Err(DnsFailure::Temporary),
    }
}

fn system_resolver() -> Option<TokioResolver> {
    let mut builder = TokioResolver::builder_tokio().ok()?;
    // Both families are asked, because every address must pass the guard.
    builder.options_mut().ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_accepts_unicode_names() {
        let fixture = DnsFixture::parse("{\"bäume.fixture\":\"LOOPBACK\"}".as_bytes()).unwrap();
        assert!(fixture.look_up("xn--bume-loa.fixture").is_ok());
    }

    #[test]
    fn a_fixture_answers_only_the_names_it_lists() {
        let fixture = DnsFixture::parse(
            br#"{"a.fixture":"LOOPBACK","b.fixture":"SERVFAIL","c.fixture":"TIMEOUT"}"#,
        )
        .unwrap();
        assert_eq!(
            fixture.look_up("a.fixture"),
            Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])
        );
        assert_eq!(fixture.look_up("b.fixture"), Err(DnsFailure::Temporary));
        assert_eq!(fixture.look_up("c.fixture"), Err(DnsFailure::Temporary));
        assert_eq!(fixture.look_up("d.fixture"), Err(DnsFailure::NotFound));
        assert!(DnsFixture::parse(br#"{"a":"SOMETIMES"}"#).is_err());
    }
}
