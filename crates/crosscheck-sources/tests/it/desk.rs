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

const OPTIONS: ReadOptions = ReadOptions {
    include_code: false,
    identifiers: true,
};

/// Fetches from this machine, without pauses.
pub(crate) fn loopback() -> FetchSettings {
    FetchSettings {
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
    }
}

pub(crate) fn checker(fetch: FetchSettings, settings: Settings) -> Checker {
    let fetcher = Fetcher::new(fetch, Arc::new(SystemClock)).unwrap();
    Checker {
        looker: Looker::new(fetcher, settings),
        judge: Arc::new(Builtin),
    }
}

/// What came of each citation of a document; `URL` in it is the site.
pub(crate) fn rows(site: &Site, name: &str, text: &str) -> Vec<Row> {
    let checker = checker(loopback(), Settings::default());
    let text = text.replace("URL", &site.base());
    let reading = read(&text, Format::by_name(name), OPTIONS).unwrap();
    let document = CitingDocument {
        name: name.to_owned(),
        text,
        mentions: reading.mentions,
        ignored: Vec::new(),
        bad_lines: Vec::new(),
        unclosed: Vec::new(),
        dangling: Vec::new(),
        keys: Vec::new(),
        bibliographies: 0,
        links: Vec::new(),
        excluded: 0,
        unread: 0,
    };
    check(&[document], &checker, &mut NoListener).results
}

/// URL and claim of each citation of a document.
pub(crate) fn claims(text: &str, format: Format) -> Vec<(String, String)> {
    let found = mentions(text, format, OPTIONS).unwrap();
    let claim = |claim: Option<Arc<str>>| claim.as_deref().unwrap_or("-").to_owned();
    let found = found.into_iter().map(|one| (one.url, claim(one.claim)));
    found.collect()
}
