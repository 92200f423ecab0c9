//! Hostile URLs, redirects and name servers against canaries that must never be
//! contacted.
//!
//! 127.0.0.2 plays the public internet (one allowed network); 127.0.0.1 and
//! `::1` play the inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crosscheck_core::clock::SystemClock;
use crosscheck_fetch::{
    DnsAnswer, DnsFailure, FetchSettings, Fetcher, Guard, NameService, Politeness, Problem, Url,
};
use crosscheck_testkit::{Reply, Site};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
const INSIDE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Spellings of places that must not be contacted; `{P}` is the canaries' port.
const HOSTILE: &[&str] = &[
    // loopback, spelled in every way browsers understand
    "http://127.0.0.1:{P}/",
    "http://127.0.0.1.:{P}/",
    "http://127.1:{P}/",
    "http://127.0.1:{P}/",
    "http://127.127.127.127:{P}/",
    "http://127.255.255.254:{P}/",
    "http://2130706433:{P}/",
    "http://0x7f000001:{P}/",
    "http://0x7F.0x00.0x00.0x01:{P}/",
    "http://0177.0.0.1:{P}/",
    "http://017700000001:{P}/",
    "http://0x7f.1:{P}/",
    "http://127.0x0.0.01:{P}/",
    "http://0:{P}/",
    "http://0.0.0.0:{P}/",
    "http://%31%32%37.0.0.1:{P}/",
    "http://①②⑦.⓪.⓪.①:{P}/",
    "http://１２７.０.０.１:{P}/",
    "http://127。0。0。1:{P}/",
    "http://user:pw@127.0.0.1:{P}/",
    "http://public.fixture@127.0.0.1:{P}/",
    "http:\\\\127.0.0.1:{P}\\",
    "http:127.0.0.1:{P}/",
    "http:///127.0.0.1:{P}/",
    "HTTP://127.0.0.1:{P}/",
    "http://127.0.0.1:{P}/#@public.fixture",
    "http://127.0.0.1:{P}\\@public.fixture/",
    "http://127.\t0.0.1:{P}/",
    // IPv6 and IPv4 inside IPv6
    "http://[::1]:{P}/",
    "http://[0:0:0:0:0:0:0:1]:{P}/",
    "http://[::]:{P}/",
    "http://[::ffff:127.0.0.1]:{P}/",
    "http://[::ffff:7f00:1]:{P}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{P}/",
    "http://[::127.0.0.1]:{P}/",
    "http://[64:ff9b::127.0.0.1]:{P}/",
    "http://[64:ff9b:1::7f00:1]:{P}/",
    "http://[2002:7f00:1::]:{P}/",
    "http://[2001:0:7f00:1::]:{P}/",
    "http://[fe80::1]:{P}/",
    "http://[fec0::1]:{P}/",
    "http://[fc00::1]:{P}/",
    "http://[fd00:ec2::254]:{P}/",
    "http://[ff02::1]:{P}/",
    "http://[100::1]:{P}/",
    "http://[2001:db8::1]:{P}/",
    // private, shared, reserved, metadata
    "http://10.0.0.1:{P}/",
    "http://172.16.0.1:{P}/",
    "http://172.31.255.255:{P}/",
    "http://192.168.0.1:{P}/",
    "http://100.64.0.1:{P}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/v2/credentials",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://192.0.0.192/",
    "http://192.0.2.1:{P}/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.51.100.7/",
    "http://203.0.113.9/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    // names that look local
    "http://localhost:{P}/",
    "http://LOCALHOST.:{P}/",
    "http://a.localhost:{P}/",
    "http://printer.local:{P}/",
    "http://metadata.google.internal/",
    "http://db.internal.:{P}/",
    "http://intranet:{P}/",
    "http://lₒcalhost:{P}/",
    // names that resolve to internal addresses
    "http://inside.fixture:{P}/",
    "http://mixed.fixture:{P}/",
    "http://mixed-late.fixture:{P}/",
    "http://mapped.fixture:{P}/",
    "http://six.fixture:{P}/",
    "http://metadata.fixture/",
    "http://INSIDE.fixture.:{P}/",
    // ports of other services
    "http://public.fixture:22/",
    "http://public.fixture:25/",
    "http://public.fixture:6379@127.0.0.1:{P}/",
];

struct Canaries {
    port: u16,
    heard: Arc<AtomicUsize>,
}

/// Listeners on the same port of 127.0.0.1 and `::1` that count connections.
fn canaries() -> Canaries {
    let four = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = four.local_addr().unwrap().port();
    let six = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).ok(); // not every machine has IPv6
    let heard = Arc::new(AtomicUsize::new(0));
    for listener in [Some(four), six].into_iter().flatten() {
        let heard = Arc::clone(&heard);
        std::thread::spawn(move || {
            for _ in listener.incoming() {
                heard.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    Canaries { port, heard }
}

fn name_server(name: &str) -> DnsAnswer {
    match name {
        "public.fixture" => Ok(vec![PUBLIC]),
        "inside.fixture" | "localhost" | "a.localhost" | "intranet" | "printer.local" => {
            Ok(vec![INSIDE])
        }
        "mixed.fixture" => Ok(vec![INSIDE, PUBLIC]),
        "mixed-late.fixture" => Ok(vec![PUBLIC, PUBLIC, INSIDE]),
        "mapped.fixture" => Ok(vec!["::ffff:127.0.0.1".parse().unwrap()]),
        "six.fixture" => Ok(vec!["::1".parse().unwrap()]),
        "metadata.fixture" | "metadata.google.internal" => {
            Ok(vec!["169.254.169.254".parse().unwrap()])
        }
        _ => Err(DnsFailure::NotFound),
    }
}

fn fetcher(names: NameService) -> Fetcher {
    let guard = Guard {
        allow_private: false,
        allow_networks: vec!["127.0.0.2/32".parse().unwrap()],
    };
    let settings = FetchSettings {
        guard,
        names,
        retry_wait: Duration::ZERO,
        politeness: Politeness {
            per_host: 100,
            interval: Duration::ZERO,
        },
        ..FetchSettings::default()
    };
    Fetcher::new(settings, Arc::new(SystemClock)).unwrap()
}

fn hostile(port: u16) -> Vec<String> {
    HOSTILE
        .iter()
        .map(|url| url.replace("{P}", &port.to_string()))
        .collect()
}

#[test]
fn no_hostile_url_reaches_the_inside() {
    let canaries = canaries();
    let web = fetcher(NameService::Scripted(Arc::new(name_server)));
    assert!(HOSTILE.len() >= 60);
    for text in hostile(canaries.port) {
        let url = Url::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let outcome = web.fetch(&url).outcome;
        assert!(
            matches!(outcome, Err(Problem::Refused(_))),
            "{text}: {outcome:?}"
        );
    }
    assert_eq!(canaries.heard.load(Ordering::SeqCst), 0);
}

#[test]
fn no_redirect_leads_inside() {
    // `http:127.0.0.1` in a redirect is a path of the same site, so it is left out.
    let canaries = canaries();
    let targets = hostile(canaries.port);
    let served = targets.clone();
    let site = Site::start_on(PUBLIC, 0, move |asked| {
        let number: usize = asked.target.trim_start_matches('/').parse().unwrap();
        Reply::redirect(&served[number])
    });
    let web = fetcher(NameService::Scripted(Arc::new(name_server)));
    for (number, target) in targets.iter().enumerate().filter(|(_, target)| {
        target.is_ascii() && !target.contains('\t') && !target.starts_with("http:1")
    }) {
        let url = Url::parse(&format!("{}/{number}", site.base())).unwrap();
        let fetched = web.fetch(&url);
        assert!(
            matches!(fetched.outcome, Err(Problem::Refused(_))),
            "{target}: {:?}",
            fetched.outcome
        );
    }
    assert_eq!(canaries.heard.load(Ordering::SeqCst), 0);
}

#[test]
fn a_redirect_after_allowed_redirects_is_checked_too() {
    let canaries = canaries();
    let port = canaries.port;
    let site = Site::start_on(PUBLIC, 0, move |asked| match asked.target.as_str() {
        "/1" => Reply::redirect("/2"),
        "/2" => Reply::redirect("//public.fixture/3"),
        _ => Reply::redirect(&format!("http://inside.fixture:{port}/")),
    });
    let pinned = site.port();
    let names = NameService::Scripted(Arc::new(name_server));
    let web = fetcher(names);
    let outcome = web
        .fetch(&Url::parse(&format!("http://public.fixture:{pinned}/3")).unwrap())
        .outcome;
    assert!(matches!(outcome, Err(Problem::Refused(_))), "{outcome:?}");
    assert_eq!(canaries.heard.load(Ordering::SeqCst), 0);
}

#[test]
fn a_name_that_changes_its_answer_is_not_contacted() {
    let canaries = canaries();
    let site = Site::start_on(PUBLIC, canaries.port, |_| {
        Reply::html("<p>outside</p>").header("connection", "close")
    });
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    // First the public address, then an internal one: a second look-up would connect to it.
    let names = NameService::Scripted(Arc::new(move |_: &str| {
        let turn = counted.fetch_add(1, Ordering::SeqCst);
        Ok(vec![if turn == 0 { PUBLIC } else { INSIDE }])
    }));
    let web = fetcher(names);
    let url = Url::parse(&format!("http://rebind.fixture:{}/", canaries.port)).unwrap();

    let first = web.fetch(&url).outcome.unwrap();
    assert_eq!((first.status, turns.load(Ordering::SeqCst)), (200, 1));

    drop(site);
    let second = web.fetch(&url).outcome;
    assert!(
        matches!(second, Err(Problem::Refused(_) | Problem::Connection(_))),
        "{second:?}"
    );
    assert_eq!(canaries.heard.load(Ordering::SeqCst), 0);
}

#[test]
fn only_web_schemes_are_followed() {
    let site = Site::start_on(PUBLIC, 0, |asked| {
        Reply::redirect(match asked.target.as_str() {
            "/file" => "file:///etc/passwd",
            "/gopher" => "gopher://127.0.0.1:70/_x",
            "/data" => "data:text/html,hello",
            _ => "ftp://127.0.0.1/",
        })
    });
    let web = fetcher(NameService::Scripted(Arc::new(name_server)));
    for path in ["file", "gopher", "data", "ftp"] {
        let outcome = web
            .fetch(&Url::parse(&format!("{}/{path}", site.base())).unwrap())
            .outcome;
        assert!(
            matches!(outcome, Err(Problem::UnsupportedScheme(_))),
            "{path}: {outcome:?}"
        );
    }
}
