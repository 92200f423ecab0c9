//! Answers designed to exhaust the reader: bounded time, bounded memory, no
//! crash.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crosscheck_core::clock::SystemClock;
use crosscheck_fetch::text::extract;
use crosscheck_fetch::{FetchSettings, Fetched, Fetcher, Guard, Limits, Politeness, Problem, Url};
use crosscheck_testkit::{Reply, Site};

/// One MiB for each of the two seconds.
const LIMIT: usize = 2 * 1024 * 1024;

fn fetch(site: &Site, path: &str) -> Fetched {
    let settings = FetchSettings {
        guard: Guard {
            allow_private: true,
            ..Guard::default()
        },
        limits: Limits {
            total: Duration::from_secs(2),
            ..Limits::default()
        },
        retry_wait: Duration::ZERO,
        politeness: Politeness {
            per_host: 4,
            interval: Duration::ZERO,
        },
        ..FetchSettings::default()
    };
    let fetcher = Fetcher::new(settings, Arc::new(SystemClock)).unwrap();
    fetcher.fetch(&Url::parse(&format!("{}{path}", site.base())).unwrap())
}

fn serve(reply: Reply) -> Site {
    Site::start(move |_| reply.clone())
}

fn packed(encoding: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    match encoding {
        "gzip" => {
            let piece = vec![b'a'; 1 << 20];
            for _ in 0..200 {
                gzip.write_all(&piece).unwrap();
            }
            gzip.finish().unwrap()
        }
        // 64 blocks of 128 KiB of one repeated byte, written by hand: magic, header, RLE blocks.
        "zstd" => {
            let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
            for number in 0..400_u32 {
                let last = u32::from(number == 399);
                let header = last | (1 << 1) | ((128 * 1024) << 3);
                frame.extend_from_slice(&header.to_le_bytes()[..3]);
                frame.push(b'a');
            }
            frame
        }
        _ => include_bytes!("../../../../vectors/sources-bombs/zeros.br").to_vec(),
    }
}

#[test]
fn decompression_bombs_stop_at_the_ratio_and_the_size() {
    for encoding in ["gzip", "br", "zstd"] {
        let body = packed(encoding);
        let most = LIMIT.min(body.len() * 100);
        let site = serve(Reply::html(body).header("content-encoding", encoding));
        let started = Instant::now();
        let response = fetch(&site, "/")
            .outcome
            .unwrap_or_else(|problem| panic!("{encoding}: {problem}"));
        assert!(response.truncated, "{encoding}");
        assert!(
            response.body.len() <= most && !response.body.is_empty(),
            "{encoding}: {}",
            response.body.len()
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{encoding}");
    }
}

#[test]
fn an_endless_body_is_cut() {
    let site = serve(Reply::html(vec![b'x'; 64 * 1024]).endless());
    let response = fetch(&site, "/").outcome.unwrap();
    assert!(response.truncated);
    assert_eq!(response.body.len(), LIMIT);
}

#[test]
fn a_body_or_head_that_never_comes_ends_with_the_time() {
    for (reply, problem) in [
        (
            Reply::html("late").after(Duration::from_mins(1)),
            Problem::Timeout,
        ),
        (Reply::html("").endless(), Problem::Slow),
    ] {
        let site = serve(reply);
        let started = Instant::now();
        let outcome = fetch(&site, "/").outcome;
        assert_eq!(outcome, Err(problem));
        assert!(started.elapsed() < Duration::from_secs(6));
    }
}

#[test]
fn redirect_loops_and_chains_end() {
    let site = Site::start(|asked| match asked.target.as_str() {
        "/a" => Reply::redirect("/b"),
        "/b" => Reply::redirect("/a"),
        "/self" => Reply::redirect("/self"),
        other => {
            let number: usize = other.trim_start_matches('/').parse().unwrap_or(0);
            if number == 0 {
                Reply::html("end")
            } else {
                Reply::redirect(&format!("/{}", number - 1))
            }
        }
    });
    for (path, expected) in [
        ("/a", None),
        ("/self", None),
        ("/5", Some(5)),
        ("/6", None),
        ("/100000", None),
    ] {
        let fetched = fetch(&site, path);
        let followed = fetched.outcome.is_ok().then_some(fetched.redirects);
        assert_eq!(followed, expected, "{path}");
        if expected.is_none() {
            assert_eq!(fetched.outcome, Err(Problem::TooManyRedirects), "{path}");
        }
    }
}

#[test]
fn headers_over_the_limit_are_refused() {
    let one = serve(Reply::html("x").header("x-long", &"a".repeat(70 * 1024)));
    assert_eq!(fetch(&one, "/").outcome, Err(Problem::HeadersTooLarge));
    let mut many = Reply::html("x");
    for number in 0..2000 {
        many = many.header(&format!("x-{number}"), "a");
    }
    assert_eq!(
        fetch(&serve(many), "/").outcome,
        Err(Problem::HeadersTooLarge)
    );
}

#[test]
fn fifty_megabytes_of_html_are_read_to_the_limit() {
    let site = serve(Reply::html(
        "<p>word word word</p>".repeat(50 * 1024 * 1024 / 21),
    ));
    let response = fetch(&site, "/").outcome.unwrap();
    assert!(response.truncated);
    let started = Instant::now();
    let page = extract(response.content_type.as_deref(), &response.body).unwrap();
    assert!(page.text.starts_with("word word word\n\nword"));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn answers_that_are_not_http_are_failed_connections() {
    for bytes in [
        &b""[..],
        b"hello\r\n\r\n",
        b"HTTP/9.9 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
    ] {
        let site = serve(Reply::raw(bytes));
        let outcome = fetch(&site, "/").outcome;
        assert!(
            matches!(outcome, Err(Problem::Connection(_))),
            "{bytes:?}: {outcome:?}"
        );
    }
}
