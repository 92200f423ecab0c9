//! The table of the contract, row by row, against a loopback site.

use std::time::Duration;

use crosscheck_core::NoListener;
use crosscheck_fetch::{DnsFixture, FetchSettings, Limits, NameService};
use crosscheck_sources::check::Checker;
use crosscheck_sources::read::document::Firm;
use crosscheck_sources::read::document::Mention;
use crosscheck_sources::reasons::Code;
use crosscheck_sources::run::documents::{CitingDocument, check};
use crosscheck_sources::settings::Settings;
use crosscheck_sources::status::SourceStatus;
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk;

const CLAIM: &str = "A city survey counted 41,000 street trees in 2024.";

fn html(title: &str, lang: &str, text: &str) -> Reply {
    Reply::html(format!(
        "<html lang={lang}><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
    ))
}

fn long(text: &str) -> String {
    format!(
        "{text} {}",
        "Oaks, elms and limes grow along many quiet roads of the town. ".repeat(6)
    )
}

fn site() -> Site {
    Site::start(|asked: &Asked| match asked.target.as_str() {
        "/good" | "/archive/403" => html("Study", "en", CLAIM),
        "/401" | "/402" | "/403" | "/407" | "/451" | "/404" | "/410" | "/429" | "/500" | "/418"
        | "/204" => Reply::new(asked.target.trim_start_matches('/').parse().unwrap()),
        "/wall" => html("Just a moment...", "en", "Checking your browser."),
        "/image" => Reply::new(200)
            .header("content-type", "image/png")
            .body("x"),
        "/parked" => html("x", "en", "This domain is for sale."),
        "/removed" => html("This page has been removed", "en", "Sorry, not found."),
        "/soft" => html("Page not found", "en", "Sorry."),
        "/thin" => html("App", "en", "Loading"),
        "/german" => html(
            "Bäume",
            "de",
            &long("Die Stadt zählte viele Bäume an den Straßen."),
        ),
        "/casino" => html(
            "Casino",
            "en",
            &"Spin the reels tonight and claim a welcome bonus. ".repeat(8),
        ),
        "/other" => html(
            "Trees",
            "en",
            &long("A city survey counted 58,000 street trees in 2024."),
        ),
        "/nothing" => html("Trees", "en", &long("A city survey counted street trees.")),
        "/home" => Reply::redirect("/"),
        "/" => html(
            "Trees of the city",
            "en",
            &long(
                "Our city has street trees and a survey, which counted in 2024 41,000 of something else entirely.",
            ),
        ),
        "/moved" => Reply::redirect("http://nowhere.fixture/"),
        "/loop" => Reply::redirect("/loop"),
        "/inside" => Reply::redirect("http://169.254.169.254/"),
        "/large" => html(
            "Trees",
            "en",
            &long(&"A city has street trees. ".repeat(400)),
        ),
        _ => Reply::new(404),
    })
}

fn checker(_site: &Site, change: impl FnOnce(&mut Settings, &mut FetchSettings)) -> Checker {
    let mut settings = Settings::default();
    settings.chosen.topic = Some("Street trees".to_owned());
    let mut fetch = FetchSettings {
        limits: Limits {
            total: Duration::from_secs(5),
            body: 8 * 1024,
            ..Limits::default()
        },
        ..desk::loopback()
    };
    change(&mut settings, &mut fetch);
    desk::checker(fetch, settings)
}

fn judged(checker: &Checker, url: &str, claim: &str) -> (SourceStatus, Code, String) {
    let mention = Mention {
        url: url.to_owned(),
        line: 1,
        column: 1,
        claim: Some(claim.into()),
        firm: Firm::Yes,
        part: None,
        title: Some("City trees".to_owned()),
        context: None,
        entry: None,
    };
    let document = CitingDocument {
        name: "d".to_owned(),
        text: claim.to_owned(),
        mentions: vec![mention],
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
    let report = check(&[document], checker, &mut NoListener);
    let row = report.results.first().unwrap();
    (row.status, row.reason, row.explanation.to_string())
}

#[test]
fn every_row_of_the_table_is_met() {
    use SourceStatus::{Fabricated, Suspect, Unreliable, Verified};
    let site = site();
    let checker = checker(&site, |_, _| ());
    for (path, status, code) in [
        ("/good", Verified, Code::Supported),
        ("/404", Fabricated, Code::Http404),
        ("/410", Unreliable, Code::Http410),
        ("/401", Suspect, Code::BlockedUnconfirmed),
        ("/402", Suspect, Code::BlockedUnconfirmed),
        ("/403", Suspect, Code::BlockedUnconfirmed),
        ("/407", Suspect, Code::BlockedUnconfirmed),
        ("/451", Suspect, Code::BlockedUnconfirmed),
        ("/wall", Suspect, Code::BlockedUnconfirmed),
        ("/429", Suspect, Code::RateLimited),
        ("/500", Suspect, Code::ServerError),
        ("/418", Suspect, Code::HttpOther),
        ("/204", Suspect, Code::HttpOther),
        ("/image", Suspect, Code::UnsupportedContent),
        ("/parked", Fabricated, Code::ParkedDomain),
        ("/removed", Unreliable, Code::Http410),
        ("/soft", Fabricated, Code::Soft404),
        ("/thin", Suspect, Code::ThinContent),
        ("/german", Suspect, Code::OtherLanguage),
        ("/casino", Fabricated, Code::UnrelatedPage),
        ("/other", Unreliable, Code::Contradicted),
        ("/nothing", Unreliable, Code::FigureMissing),
        ("/loop", Suspect, Code::TooManyRedirects),
        ("/inside", Suspect, Code::GuardBlocked),
        ("/large", Suspect, Code::ClaimUnclear),
    ] {
        let (seen, reason, words) = judged(&checker, &format!("{}{path}", site.base()), CLAIM);
        assert_eq!((seen, reason), (status, code), "{path}: {words}");
    }
    for (url, code) in [
        ("a yearbook", Code::InvalidUrl),
        ("ftp://a.example/x", Code::UnsupportedScheme),
        ("http://[::1]:9/x", Code::GuardBlocked),
    ] {
        assert_eq!(judged(&checker, url, CLAIM).1, code, "{url}");
    }
}

#[test]
fn a_home_page_in_place_of_the_cited_one_is_unreliable_when_it_leaves_the_claim_open() {
    let site = site();
    let claim = "The city survey of street trees recommends a new department for shade and water.";
    let (status, code, words) = judged(
        &checker(&site, |_, _| ()),
        &format!("{}/home", site.base()),
        claim,
    );
    assert!(
        matches!(code, Code::RedirectedHome | Code::NotSupported),
        "{words}"
    );
    assert_eq!(status, SourceStatus::Unreliable);
}

#[test]
fn an_archive_confirms_what_a_wall_hides_and_says_how_sure_that_is() {
    let site = site();
    let archive = format!("{}/archive", site.base());
    let with = checker(&site, |settings, _| {
        settings.archive = Some(format!("{archive}/403?u={{url_encoded}}"));
    });
    let (status, code, words) = judged(&with, &format!("{}/403", site.base()), CLAIM);
    assert_eq!(
        (status, code),
        (SourceStatus::Suspect, Code::BlockedUnconfirmed),
        "{words}"
    );
    let with = checker(&site, |settings, _| {
        settings.archive = Some(format!("{archive}/403"));
    });
    let (status, code, words) = judged(&with, &format!("{}/403", site.base()), CLAIM);
    assert_eq!(
        (status, code),
        (SourceStatus::Verified, Code::SupportedIndirect)
    );
    assert!(
        words.starts_with("Confirmed indirectly: ")
            && words.contains(". NOTE: Confidence: medium. Reason: "),
        "{words}"
    );
    let gone = checker(&site, |settings, _| {
        settings.archive = Some(format!("{archive}/403"));
        settings.archive_404 = true;
    });
    let (status, code, words) = judged(&gone, &format!("{}/404", site.base()), CLAIM);
    assert_eq!((status, code), (SourceStatus::Suspect, Code::GoneArchived));
    assert!(words.contains("NOTE: Confidence: low. Reason: "), "{words}");
}

#[test]
fn the_archive_is_no_second_source_and_only_the_web_is_one() {
    let site = site();
    let port = site.port();
    for (found, rating) in [
        ("http://arch.fixture/zz", "medium. "),
        ("http://www.arch.fixture/zz", "medium. "),
        ("ftp://elsewhere.fixture/zz", "medium. "),
        ("http://elsewhere.fixture/zz", "medium-high. "),
    ] {
        let hit = format!(r#"[{{"url":"{found}","title":"Trees","snippet":"{CLAIM}"}}]"#);
        let with = checker(&site, |settings, fetch| {
            settings.archive = Some(format!("http://arch.fixture:{port}/archive/403"));
            settings.search_command = Some(vec!["echo".to_owned(), hit]);
            let names = DnsFixture::parse(br#"{"arch.fixture":"LOOPBACK"}"#).unwrap();
            fetch.names = NameService::Fixture(names);
        });
        let (_, code, words) = judged(&with, &format!("{}/403", site.base()), CLAIM);
        assert_eq!(code, Code::SupportedIndirect, "{found}: {words}");
        assert!(
            words.contains(&format!("Confidence: {rating}")),
            "{found}: {words}"
        );
    }
}

#[test]
fn a_redirect_to_a_domain_that_does_not_exist_is_reported_as_one() {
    let site = site();
    let with = checker(&site, |_, fetch| {
        fetch.names = NameService::Fixture(DnsFixture::default());
    });
    let (_, code, words) = judged(&with, &format!("{}/moved", site.base()), CLAIM);
    let shown = "Domain not found: the page redirects to nowhere.fixture";
    assert_eq!((code, words.as_str()), (Code::DnsNxdomain, shown));
    let (_, _, words) = judged(&with, "http://nowhere.fixture/", CLAIM);
    assert_eq!(words, "Domain not found");
}

#[test]
fn the_users_own_list_and_overrides_decide() {
    let site = site();
    let listed = checker(&site, |settings, _| {
        settings.unreliable_domains = vec!["127.0.0.1".to_owned()];
    });
    assert_eq!(
        judged(&listed, &format!("{}/good", site.base()), CLAIM).1,
        Code::UnreliableDomain
    );
    assert_eq!(
        judged(&listed, &format!("{}/404", site.base()), CLAIM).1,
        Code::Http404,
        "absence precedes the list"
    );
    let walled = judged(&listed, &format!("{}/403", site.base()), CLAIM);
    assert_eq!(
        (walled.0, walled.1),
        (SourceStatus::Unreliable, Code::UnreliableDomain)
    );
    assert!(walled.2.contains("NOTE: Confidence: low. Reason: "));
    let mild = checker(&site, |settings, _| {
        settings
            .status_overrides
            .insert(Code::Http404, SourceStatus::Suspect);
    });
    assert_eq!(
        judged(&mild, &format!("{}/404", site.base()), CLAIM).0,
        SourceStatus::Suspect
    );
}

#[test]
fn a_site_that_answers_everything_alike_is_found_out_by_a_probe() {
    let site = Site::start(|_| {
        html(
            "Shop",
            "en",
            &long("Street trees of the city, all in one catalogue."),
        )
    });
    let url = format!("{}/a/b", site.base());
    let claim = "Watering robots visit each playground before dawn.";
    let plain = judged(&checker(&site, |_, _| ()), &url, claim);
    assert_ne!(plain.1, Code::Soft404);
    let probing = checker(&site, |settings, _| settings.probe_soft_404 = true);
    assert_eq!(judged(&probing, &url, claim).1, Code::Soft404);
}
