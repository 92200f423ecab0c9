//! Which addresses, names and ports may be contacted (sources 9).

use std::fmt::{self, Debug};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::LazyLock;

use ipnet::IpNet;
use url::{Host, Url};

/// What `guard.txt` has behind this word.
#[expect(
    clippy::expect_used,
    reason = "the table is part of the program, and every test of the guard reads it"
)]
fn listed<T: FromStr<Err: Debug>>(kind: &str) -> Vec<T> {
    let mut lines = include_str!("guard.txt").lines();
    let own = lines.find_map(|line| line.strip_prefix(kind)?.strip_prefix(": "));
    let own = own.expect("the table has this line");
    let parsed = own
        .split(' ')
        .map(|one| one.parse().expect("the table can be read"));
    parsed.collect()
}

/// Networks that are not the public internet. `::/96` contains `::`, `::1` and the old
/// "IPv4-compatible" addresses.
static DENIED: LazyLock<Vec<IpNet>> = LazyLock::new(|| listed("denied"));

/// Addresses of cloud services that hand out metadata and credentials, which
/// only the machine itself should query. Not even `--allow-private` opens these,
/// and `--allow-cidr` only where it names the very address.
static METADATA: LazyLock<Vec<IpAddr>> = LazyLock::new(|| listed("metadata"));

/// The bad ports of the Fetch standard: services that could misread a web
/// request as something else.
static BAD_PORTS: LazyLock<Vec<u16>> = LazyLock::new(|| listed("ports"));

/// What the guard refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The address is in a network that is not the public internet.
    Address(IpAddr),
    /// The name belongs to the local machine or network.
    Name(String),
    /// The port belongs to another kind of service.
    Port(u16),
    /// A redirect would have left TLS.
    Downgrade,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => {
                let opened = Guard {
                    allow_private: true,
                    ..Guard::default()
                };
                let remedy = if opened.check_address(*address).is_ok() {
                    "--allow-private permits it"
                } else {
                    "--allow-private does not permit it"
                };
                write!(f, "the address {address} is not public; {remedy}")
            }
            Self::Name(name) => write!(f, "the name {name} is local; --allow-private permits it"),
            Self::Port(port) => write!(f, "port {port} is not for web pages"),
            Self::Downgrade => {
                f.write_str("a redirect leads from https to http; --allow-downgrade permits it")
            }
        }
    }
}

/// Decides what may be contacted; strict by default.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// Private, loopback and reserved addresses and local names are allowed;
    /// link-local and metadata addresses are not.
    pub allow_private: bool,
    /// Networks that are allowed; of a metadata service, only an address that
    /// is named on its own.
    pub allow_networks: Vec<IpNet>,
}

impl Guard {
    /// Checks the URL itself: port, name, literal address.
    pub fn check_url(&self, url: &Url) -> Result<(), Refusal> {
        if let Some(port) = url
            .port_or_known_default()
            .filter(|port| BAD_PORTS.contains(port))
        {
            return Err(Refusal::Port(port));
        }
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_address(address.into()),
            Some(Host::Ipv6(address)) => self.check_address(address.into()),
            Some(Host::Domain(name)) => self.check_name(name),
            None => Err(Refusal::Name(String::new())),
        }
    }

    /// Checks a name before it is resolved.
    pub fn check_name(&self, name: &str) -> Result<(), Refusal> {
        let plain = name.trim_end_matches('.').to_ascii_lowercase();
        let local = !plain.contains('.')
            || [".localhost", ".local", ".internal"]
                .iter()
                .any(|end| plain.ends_with(end));
        if local && !self.allow_private {
            return Err(Refusal::Name(plain));
        }
        Ok(())
    }

    /// Checks one address before connecting to it.
    pub fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        let named = |network: &IpNet| {
            let is_alone = network.prefix_len() == network.max_prefix_len();
            network.contains(&address) && (is_alone || !is_metadata(address))
        };
        let allowed = self.allow_networks.iter().any(named)
            || match address {
                IpAddr::V4(address) => self.allows_v4(address),
                IpAddr::V6(address) => self.allows_v6(address),
            };
        if allowed {
            Ok(())
        } else {
            Err(Refusal::Address(address))
        }
    }

    fn allows_v4(&self, address: Ipv4Addr) -> bool {
        if is_metadata(address.into()) {
            false
        } else if self.allow_private {
            !address.is_link_local()
        } else {
            !DENIED
                .iter()
                .any(|one| one.contains(&IpAddr::from(address)))
        }
    }

    fn allows_v6(&self, address: Ipv6Addr) -> bool {
        let is_open = if self.allow_private {
            !address.is_unicast_link_local()
        } else {
            !DENIED
                .iter()
                .any(|one| one.contains(&IpAddr::from(address)))
        };
        is_open
            && !is_metadata(address.into())
            && inner_v4(address)
                .into_iter()
                .all(|inner| self.allows_v4(inner))
    }
}

/// Whether the address is one of a metadata service, or one that a translator
/// with any prefix would turn into it.
fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V6(own) if !METADATA.contains(&address) => inner_v4(own)
            .into_iter()
            .chain(embedded_v4(own))
            .any(|inner| METADATA.contains(&inner.into())),
        _ => METADATA.contains(&address),
    }
}

/// The IPv4 addresses inside a translated or tunnelled IPv6 address: mapped,
/// "compatible", translated, NAT64 (also a local one), ISATAP, 6to4, and Teredo
/// (server and client).
fn inner_v4(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low]
        | [0x2002, high, low, ..] => vec![join(high, low)],
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            vec![join(server_high, server_low), join(!high, !low)]
        }
        _ => Vec::new(),
    }
}

/// The IPv4 addresses that the address would have inside behind a prefix of any
/// length (RFC 6052, section 2.2); bits 64 to 71 are skipped.
fn embedded_v4(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let octets = address.octets().into_iter().enumerate();
    let octets: Vec<u8> = octets
        .filter_map(|(at, octet)| (at != 8).then_some(octet))
        .collect();
    let behind_prefix = octets.windows(4).skip(4);
    behind_prefix
        .filter_map(|four| <[u8; 4]>::try_from(four).ok())
        .map(Ipv4Addr::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict() -> Guard {
        Guard::default()
    }

    fn private() -> Guard {
        Guard {
            allow_private: true,
            ..Guard::default()
        }
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn every_denied_network_is_refused_at_its_first_and_last_address() {
        assert_eq!((DENIED.len(), METADATA.len()), (29, 12));
        for network in &*DENIED {
            for address in [network.network(), network.broadcast()] {
                assert!(strict().check_address(address).is_err(), "{address}");
            }
        }
    }

    #[test]
    fn neighbours_of_denied_networks_are_public() {
        for text in [
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:db7::1",
            "2001:1::1",
            "2001:3::1",
            "2001:4:111::1",
            "2001:4:113::1",
            "2001:30::1",
            "3ffe:ffff::1",
            "4000::1",
            "5eff::1",
            "5f01::1",
            "2606:4700::1111",
            "2a00:1450:4001::1",
        ] {
            assert_eq!(
                strict().check_address(text.parse().unwrap()),
                Ok(()),
                "{text}"
            );
        }
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_address_is_judged_as_itself() {
        for (text, fine) in [
            ("::ffff:127.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::10.0.0.1", false),
            ("64:ff9b::8.8.8.8", true),
            ("2002:7f00:1::", false),
            ("2002:808:808::1", true),
            ("2001:0:808:808::f5ff:fffe", false),
            ("2001:0:808:808:0:0:f7f7:f7f7", true),
            ("2001:0:7f00:1:0:0:f7f7:f7f7", false),
            ("::127.0.0.1", false),
            ("::ffff:0:127.0.0.1", false),
            ("::ffff:0:8.8.8.8", true),
            ("64:ff9b:1::8.8.8.8", false),
            ("2a00:1450::5efe:10.0.0.1", false),
            ("2a00:1450::200:5efe:192.168.0.1", false),
            ("2a00:1450::5efe:8.8.8.8", true),
        ] {
            assert_eq!(
                strict().check_address(text.parse().unwrap()).is_ok(),
                fine,
                "{text}"
            );
        }
    }

    #[test]
    fn allowing_private_networks_leaves_link_local_and_metadata_closed() {
        for text in [
            "127.0.0.1",
            "10.0.0.1",
            "::1",
            "fd12::1",
            "::ffff:127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b:1::10.0.0.1",
            "fd12::5efe:10.0.0.1",
            "fd00:ec2::1",
        ] {
            assert_eq!(
                private().check_address(text.parse().unwrap()),
                Ok(()),
                "{text}"
            );
        }
        for text in [
            "169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::",
            "::169.254.169.254",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "fd20:ce::254",
            "::ffff:168.63.129.16",
            "64:ff9b::100.100.100.200",
            "fd00:ec2::23",
            "fd00:42::42",
            "::ffff:0:169.254.169.254",
            "::ffff:0:169.254.1.1",
            "64:ff9b:1::a9fe:a9fe",
            "64:ff9b:1::169.254.1.1",
            "64:ff9b:1:a9fe:a9:fe00::",
            "64:ff9b:1:12a9:fe:a9fe::",
            "64:ff9b:1:1:a9:fea9:fe00:0",
            "fd00::5efe:169.254.169.254",
            "fd00::200:5efe:169.254.169.254",
            "fd00:64::168.63.129.16",
            "fd00:64:a9fe:a9fe::",
            "fd00:64:a9:fea9:fe::",
        ] {
            assert!(
                private().check_address(text.parse().unwrap()).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn an_allowed_network_opens_itself_and_nothing_else() {
        let guard = Guard {
            allow_networks: vec!["10.1.0.0/16".parse().unwrap()],
            ..Guard::default()
        };
        assert_eq!(guard.check_address("10.1.2.3".parse().unwrap()), Ok(()));
        assert!(guard.check_address("10.2.0.1".parse().unwrap()).is_err());
        assert!(guard.check_url(&url("http://localhost/")).is_err());
    }

    #[test]
    fn only_its_very_address_opens_a_metadata_service() {
        let with = |network: &str| Guard {
            allow_networks: vec![network.parse().unwrap()],
            ..Guard::default()
        };
        for (wide, address) in [
            ("0.0.0.0/0", "168.63.129.16"),
            ("0.0.0.0/0", "169.254.169.254"),
            ("169.254.0.0/16", "169.254.169.254"),
            ("168.63.129.16/31", "168.63.129.16"),
            ("::/0", "fd00:ec2::254"),
            ("fd00:ec2::/32", "fd00:ec2::23"),
            ("::/0", "64:ff9b::a9fe:a9fe"),
            ("::/0", "::ffff:169.254.169.254"),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert!(with(wide).check_address(address).is_err(), "{address}");
            let alone = IpNet::from(address).to_string();
            assert_eq!(with(&alone).check_address(address), Ok(()), "{address}");
        }
        for address in ["10.0.0.1", "169.254.1.1"] {
            assert_eq!(
                with("0.0.0.0/0").check_address(address.parse().unwrap()),
                Ok(())
            );
        }
    }

    #[test]
    fn local_names_are_refused_in_every_spelling() {
        for text in [
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://printer.local/",
            "http://db.internal./",
            "http://intranet/",
            "http://intranet:8080/x",
        ] {
            assert!(strict().check_url(&url(text)).is_err(), "{text}");
            assert_eq!(private().check_url(&url(text)), Ok(()), "{text}");
        }
        assert_eq!(
            strict().check_url(&url("http://localhost.example.org/")),
            Ok(())
        );
    }

    #[test]
    fn odd_spellings_of_loopback_are_loopback() {
        for text in [
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://0x7f.1/",
            "http://127.0.0.1./",
            "http://①②⑦.0.0.1/",
            "http://[::ffff:7f00:1]/",
            "http://%31%32%37.0.0.1/",
        ] {
            assert!(
                matches!(strict().check_url(&url(text)), Err(Refusal::Address(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn ports_of_other_services_are_refused() {
        for port in [0, 22, 25, 6000, 6667, 10080] {
            assert_eq!(
                private().check_url(&url(&format!("http://192.0.2.1:{port}/"))),
                Err(Refusal::Port(port))
            );
        }
        assert_eq!(private().check_url(&url("http://192.0.2.1:8080/")), Ok(()));
    }
}
