//! How a fetch behaves against ordinary sites.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crosscheck_core::clock::SystemClock;
use crosscheck_fetch::{
    AcceptList, CacheSettings, DnsFixture, FetchSettings, Fetcher, Guard, NameService, Politeness,
    Problem, Refusal, Url,
};
use crosscheck_testkit::{Reply, Site};

fn settings() -> FetchSettings {
    FetchSettings {
        guard: Guard {
            allow_private: true,
            ..Guard::default()
        },
        retry_wait: Duration::ZERO,
        politeness: Politeness {
            per_host: 4,
            interval: Duration::ZERO,
        },
        ..FetchSettings::default()
    }
}

fn fetcher(settings: FetchSettings) -> Fetcher {
    Fetcher::new(settings, Arc::new(SystemClock)).unwrap()
}

fn url(site: &Site, path: &str) -> Url {
    Url::parse(&format!("{}{path}", site.base())).unwrap()
}

#[test]
fn a_page_is_requested_with_the_documented_headers() {
    let site = Site::start(|_| Reply::html("<p>x</p>"));
    let fetched = fetcher(settings()).fetch(&url(&site, "/a?b=c#d"));
    assert_eq!(fetched.outcome.unwrap().body, b"<p>x</p>");
    let asked = &site.asked()[0];
    assert_eq!(
        (asked.method.as_str(), asked.target.as_str()),
        ("GET", "/a?b=c")
    );
    assert_eq!(
        asked.header("accept"),
        Some(
            "text/html,application/xhtml+xml,application/pdf,text/plain,application/json;q=0.9,*/*;q=0.5"
        )
    );
    assert!(
        asked
            .header("user-agent")
            .unwrap()
            .starts_with("crosscheck/")
    );
    assert_eq!(asked.header("cookie"), None);
}

#[test]
fn connections_are_reused() {
    let site = Site::start(|_| Reply::html("x"));
    let web = fetcher(settings());
    for number in 0..5 {
        web.fetch(&url(&site, &format!("/{number}")))
            .outcome
            .unwrap();
    }
    assert_eq!(site.asked().len(), 5);
    // a connection may not be back in the pool when the next request begins
    assert!(site.connections() <= 3, "{}", site.connections());
}

#[test]
fn passing_failures_are_retried_exactly_once() {
    for (status, requests) in [
        (503, 2),
        (500, 2),
        (429, 2),
        (404, 1),
        (403, 1),
        (410, 1),
        (200, 1),
    ] {
        let site = Site::start(move |_| Reply::new(status));
        let fetched = fetcher(settings()).fetch(&url(&site, "/"));
        assert_eq!(
            (fetched.outcome.unwrap().status, site.asked().len()),
            (status, requests)
        );
    }
    let wall = Site::start(|_| {
        Reply::new(503)
            .header("content-type", "text/html")
            .body("<title>Just a moment...</title>")
    });
    fetcher(settings()).fetch(&url(&wall, "/")).outcome.unwrap();
    assert_eq!(
        wall.asked().len(),
        1,
        "a bot wall is an answer, not a failure"
    );
}

#[test]
fn an_accepted_status_is_not_retried() {
    let site = Site::start(|_| Reply::new(503));
    let accept = AcceptList::parse("503").unwrap();
    fetcher(FetchSettings {
        accept,
        ..settings()
    })
    .fetch(&url(&site, "/"))
    .outcome
    .unwrap();
    assert_eq!(site.asked().len(), 1);
}

#[test]
fn the_servers_pause_is_respected() {
    let site = Site::start(|asked| match asked.turn {
        0 => Reply::new(429).header("retry-after", "1"),
        _ => Reply::html("x"),
    });
    let started = Instant::now();
    let fetched = fetcher(settings()).fetch(&url(&site, "/"));
    assert_eq!(
        (fetched.outcome.unwrap().status, fetched.attempts),
        (200, 2)
    );
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[test]
fn one_host_gets_few_requests_at_a_time_and_at_intervals() {
    let site = Site::start(|_| Reply::html("x"));
    let politeness = Politeness {
        per_host: 2,
        interval: Duration::from_millis(100),
    };
    let web = fetcher(FetchSettings {
        politeness,
        ..settings()
    });
    let started = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (web, url) = (&web, url(&site, &format!("/{number}")));
            scope.spawn(move || web.fetch(&url).outcome.unwrap());
        }
    });
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_name_that_does_not_exist_differs_from_one_without_an_answer() {
    let fixture = DnsFixture::parse(br#"{"slow.fixture":"SERVFAIL"}"#).unwrap();
    let web = fetcher(FetchSettings {
        names: NameService::Fixture(fixture),
        ..settings()
    });
    let ask = |text: &str| web.fetch(&Url::parse(text).unwrap());
    assert_eq!(
        ask("http://gone.fixture/").outcome,
        Err(Problem::NameNotFound)
    );
    let slow = ask("http://slow.fixture/");
    assert_eq!(
        (slow.outcome, slow.attempts),
        (Err(Problem::DnsTemporary), 2)
    );
}

#[test]
fn a_closed_port_is_a_failed_connection() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let fetched =
        fetcher(settings()).fetch(&Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap());
    assert_eq!(
        fetched.outcome,
        Err(Problem::Connection("refused".to_owned()))
    );
    assert_eq!(fetched.attempts, 2);
}

#[test]
fn plain_http_where_tls_was_asked_for_is_a_tls_failure() {
    let site = Site::start(|_| Reply::html("x"));
    let fetched = fetcher(settings())
        .fetch(&Url::parse(&format!("https://127.0.0.1:{}/", site.port())).unwrap());
    assert!(
        matches!(
            fetched.outcome,
            Err(Problem::Tls(_) | Problem::Connection(_))
        ),
        "{:?}",
        fetched.outcome
    );
}

#[test]
fn https_can_be_required_and_nothing_can_be_contacted() {
    let site = Site::start(|_| Reply::html("x"));
    let strict = fetcher(FetchSettings {
        require_https: true,
        ..settings()
    });
    assert_eq!(
        strict.fetch(&url(&site, "/")).outcome,
        Err(Problem::UnsupportedScheme("http".to_owned()))
    );
    let offline = fetcher(FetchSettings {
        offline: true,
        ..settings()
    });
    assert_eq!(
        offline.fetch(&url(&site, "/")).outcome,
        Err(Problem::Offline)
    );
    assert_eq!(site.connections(), 0);
}

#[test]
fn a_cached_page_is_not_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start(|_| Reply::html("<p>x</p>"));
    let cache = Some(CacheSettings {
        folder: folder.path().to_owned(),
        max_age: Duration::from_mins(1),
    });
    for cached in [false, true] {
        let fetched = fetcher(FetchSettings {
            cache: cache.clone(),
            ..settings()
        })
        .fetch(&url(&site, "/a"));
        assert_eq!(
            (fetched.cached, fetched.outcome.unwrap().body),
            (cached, b"<p>x</p>".to_vec())
        );
    }
    assert_eq!(site.count("/a"), 1);
}

#[test]
fn robots_txt_is_obeyed_on_request() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/robots.txt" => Reply::new(200)
            .header("content-type", "text/plain")
            .body("User-agent: *\nDisallow: /no"),
        _ => Reply::html("x"),
    });
    let web = fetcher(FetchSettings {
        robots: true,
        ..settings()
    });
    assert_eq!(
        web.fetch(&url(&site, "/no/x")).outcome,
        Err(Problem::Robots)
    );
    assert!(web.fetch(&url(&site, "/yes")).outcome.is_ok());
    assert_eq!((site.count("/robots.txt"), site.count("/no/x")), (1, 0));
}

#[test]
fn a_guard_refusal_says_what_it_refused() {
    let strict = fetcher(FetchSettings {
        guard: Guard::default(),
        ..settings()
    });
    let outcome = strict
        .fetch(&Url::parse("http://127.0.0.1/").unwrap())
        .outcome;
    assert_eq!(
        outcome,
        Err(Problem::Refused(Refusal::Address(
            "127.0.0.1".parse().unwrap()
        )))
    );
}

#[test]
fn many_urls_arrive_in_any_order_and_each_once() {
    let site = Site::start(|_| Reply::html("<p>x</p>"));
    let urls: Vec<Url> = (0..50).map(|n| url(&site, &format!("/{n}"))).collect();
    let web = fetcher(settings());
    let arrivals = web.fetch_each(urls, 8);
    let mut numbers: Vec<usize> = std::iter::from_fn(|| arrivals.next())
        .map(|(number, fetched)| {
            assert_eq!(fetched.final_url, url(&site, &format!("/{number}")));
            number
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..50).collect::<Vec<_>>());
    assert!(site.connections() <= 8, "connections are reused");
    assert!(web.fetch_each(Vec::new(), 8).next().is_none());
}

#[test]
fn an_urgent_fetch_does_not_wait_behind_slow_pages() {
    let site = Site::start(|asked| {
        let slow = asked.target.starts_with("/slow");
        Reply::html("x").after(Duration::from_millis(if slow { 3000 } else { 0 }))
    });
    let web = fetcher(FetchSettings {
        politeness: Politeness {
            per_host: 1,
            interval: Duration::ZERO,
        },
        ..settings()
    });
    let arrivals = web.fetch_each(vec![url(&site, "/slow1"), url(&site, "/slow2")], 2);
    while site.asked().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let started = Instant::now();
    assert!(web.fetch_urgently(&url(&site, "/now")).outcome.is_ok());
    assert!(started.elapsed() < Duration::from_secs(2));
    drop(arrivals);
}

#[test]
fn neither_a_wall_nor_a_refused_url_comes_from_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start(|asked| match asked.target.as_str() {
        "/wall" => Reply::html("<title>Just a moment...</title>"),
        _ => Reply::html("<p>x</p>"),
    });
    let kept = |settings: FetchSettings| {
        fetcher(FetchSettings {
            cache: Some(CacheSettings {
                folder: folder.path().to_owned(),
                max_age: Duration::from_mins(1),
            }),
            ..settings
        })
    };
    for _ in 0..2 {
        assert!(!kept(settings()).fetch(&url(&site, "/wall")).cached);
    }
    assert_eq!(site.count("/wall"), 2);
    assert!(kept(settings()).fetch(&url(&site, "/a")).outcome.is_ok());
    let refused = kept(FetchSettings {
        guard: Guard::default(),
        ..settings()
    })
    .fetch(&url(&site, "/a"));
    assert!(matches!(refused.outcome, Err(Problem::Refused(_))));
    let secure = kept(FetchSettings {
        require_https: true,
        ..settings()
    })
    .fetch(&url(&site, "/a"));
    assert!(secure.outcome.is_err());
}

#[test]
fn a_host_of_dots_is_invalid_and_refused_http_is_reported() {
    let dots = fetcher(settings()).fetch(&"https://.../".parse().unwrap());
    assert_eq!(dots.outcome, Err(Problem::InvalidUrl));
    assert_eq!(dots.attempts, 1, "and it is not tried again");
    let plain = Problem::UnsupportedScheme("http".to_owned());
    assert_eq!(plain.to_string(), "not contacted: only https is allowed");
}

/// A site that counts how many requests it serves at once; each takes a moment.
fn counting(answer: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (Site, Arc<AtomicUsize>) {
    let (now, most, all) = (
        AtomicUsize::new(0),
        Arc::new(AtomicUsize::new(0)),
        AtomicUsize::new(0),
    );
    let seen = Arc::clone(&most);
    let site = Site::start(move |_| {
        let busy = now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.fetch_max(busy, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(15));
        now.fetch_sub(1, Ordering::SeqCst);
        answer(all.fetch_add(1, Ordering::SeqCst))
    });
    (site, most)
}

fn fetch_all(fetcher: &Fetcher, site: &Site, count: usize) -> usize {
    let urls = (0..count).map(|n| url(site, &format!("/{n}"))).collect();
    let arrivals = fetcher.fetch_each(urls, 32);
    let mut good = 0;
    while let Some((_, fetched)) = arrivals.next() {
        good += usize::from(fetched.outcome.is_ok_and(|response| response.status == 200));
    }
    good
}

#[test]
fn one_host_is_asked_by_as_many_requests_as_allowed_and_no_more() {
    let (site, most) = counting(|_| Reply::html("<p>x</p>"));
    let quick = Politeness {
        interval: Duration::from_millis(1),
        ..Politeness::default()
    };
    let fetcher = fetcher(FetchSettings {
        politeness: quick,
        ..settings()
    });
    assert_eq!(fetch_all(&fetcher, &site, 40), 40);
    assert_eq!(most.load(Ordering::SeqCst), Politeness::default().per_host);
}

#[test]
fn the_default_asks_one_host_2816_times_in_minutes() {
    let rules = Politeness::default();
    let minutes = rules.interval * 2816 / 60;
    assert!(
        minutes < Duration::from_secs(3),
        "{minutes:?} seconds to the minute"
    );
}

#[test]
fn a_host_that_says_429_is_asked_more_slowly_and_every_page_still_comes() {
    let (site, _) = counting(|number| {
        if (4..6).contains(&number) {
            Reply::new(429)
        } else {
            Reply::html("<p>x</p>")
        }
    });
    let begun = Instant::now();
    assert_eq!(fetch_all(&fetcher(settings()), &site, 12), 12);
    assert!(begun.elapsed() >= Duration::from_millis(500));
}

#[test]
fn a_request_is_tried_again_as_often_as_the_user_says() {
    for (retries, requests, status) in [(0, 1, 500), (1, 2, 500), (3, 3, 200)] {
        let site = Site::start(|asked| {
            if asked.turn < 2 {
                Reply::new(500)
            } else {
                Reply::html("x")
            }
        });
        let patient = fetcher(FetchSettings {
            max_retries: retries,
            ..settings()
        });
        let fetched = patient.fetch(&url(&site, "/a"));
        assert_eq!(fetched.outcome.unwrap().status, status, "{retries}");
        assert_eq!(site.count("/a"), requests, "{retries}");
    }
}
