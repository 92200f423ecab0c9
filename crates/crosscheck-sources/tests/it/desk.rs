//! Documents checked against a loopback site.

use std::sync::Arc;
use std::time::Duration;

use crosscheck_core::NoListener;
use crosscheck_core::clock::SystemClock;
use crosscheck_fetch::{FetchSettings, Fetcher, Guard, Politeness};
use crosscheck_judge::Builtin;
use crosscheck_sources::check::Checker;
use crosscheck_sources::observe::Looker;
use crosscheck_sources::read::document::{Format, ReadOptions, mentions, read};
use crosscheck_sources::report::result::Row;
use crosscheck_sources::run::documents::{CitingDocument, check};
use crosscheck_sources::settings::Settings;
use crosscheck_testkit::Site;

/// What came of each citation of a document; `URL` in it is the site.
pub(crate) fn rows(site: &Site, name: &str, text: &str) -> Vec<Row> {
    let fetch = FetchSettings {
        guard: Guard {
            allow_private: true,
            ..Guard::default()
        },
        retry_wait: Duration::ZERO,
        politeness: Politeness {
            per_host: 8,
            interval: Duration::ZERO,
        },
        ..FetchSettings::default()
    };
    let fetcher = Fetcher::new(fetch, Arc::new(SystemClock)).unwrap();
    let checker = Checker {
        looker: Looker::new(fetcher, Settings::default()),
        judge: Arc::new(Builtin),
    };
    let text = text.replace("URL", &site.base());
    let options = ReadOptions {
        include_code: false,
        identifiers: true,
    };
    let reading = read(&text, Format::by_name(name), options).unwrap();
    let document = CitingDocument {
        name: name.to_owned(),
        text,
        mentions: reading.mentions,
        ignored: Vec::new(),
        bad_lines: Vec::new(),
        unclosed: Vec::new(),
        dangling: Vec::new(),
        links: Vec::new(),
        excluded: 0,
        unread: 0,
    };
    check(&[document], &checker, &mut NoListener).results
}

/// URL and claim of each citation of a document.
pub(crate) fn claims(text: &str, format: Format) -> Vec<(String, String)> {
    let options = ReadOptions {
        include_code: false,
        identifiers: true,
    };
    let found = mentions(text, format, options).unwrap();
    let claim = |claim: Option<Arc<str>>| claim.as_deref().unwrap_or("-").to_owned();
    let found = found.into_iter().map(|one| (one.url, claim(one.claim)));
    found.collect()
}
