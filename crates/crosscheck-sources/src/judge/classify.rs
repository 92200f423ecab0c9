//! From what was seen to a status: the table of the contract, first row wins.
//!
//! Contract: sources 5.4.

use crosscheck_fetch::address::{shown, shown_in_text};
use crosscheck_fetch::{Problem, Url};

use super::claim::{ClaimSeen, Outcome};
use super::detect::{self, Subject};
use super::nearest::Nearest;
use super::ruling::{Confidence, Ruling};
use crate::observe::local::LocalSeen;
use crate::observe::secondary::Origin;
use crate::observe::{Look, PageSeen, UrlSeen};
use crate::plan::binding::Binding;
use crate::read::cited::{Cited, host_of};
use crate::read::document::SourceEntry;
use crate::reasons::Code;
use crate::settings::{Settings, is_listed};
use crate::status::SourceStatus;
use crate::words::{cut, one_line};

const THIN_TEXT_MAX: usize = 200;
const BECAUSE_MAX: usize = 300;

/// What one citation was judged on.
pub struct Case<'c> {
    /// The citation.
    pub cited: &'c Cited,
    /// What was seen.
    pub look: &'c Look,
    /// What it is cited for.
    pub binding: &'c Binding,
    /// What the page says about that; only with a page.
    pub claim: Option<&'c ClaimSeen>,
    /// The entry of a list of sources, where that is all there is.
    pub entry: Option<&'c SourceEntry>,
    /// What the page should be about.
    pub subject: &'c Subject<'c>,
    /// What the site shows for pages that cannot exist, where it was asked.
    pub missing: Option<&'c PageSeen>,
    /// How sources are judged.
    pub settings: &'c Settings,
}

/// What the secondary sources said about a page behind a wall.
#[derive(Debug, Clone, Default)]
pub struct Indirect {
    /// Those that confirm the claim, with their text.
    pub supporting: Vec<(Origin, ClaimSeen)>,
    /// How many were asked.
    pub asked: usize,
    /// Whether any is configured.
    pub configured: bool,
    /// Why the search brought nothing, where it should have.
    pub search_failed: Option<&'static str>,
}

impl Case<'_> {
    /// The ruling; `indirect` is asked only for pages behind a wall, `archived`
    /// only for pages that are gone.
    pub fn rule(
        &self,
        indirect: impl FnOnce() -> Indirect,
        archived: impl FnOnce() -> Option<Url>,
    ) -> Ruling {
        let ruling = match &self.look.seen {
            UrlSeen::Page(page) if self.is_walled(page) => self.blocked(200, &indirect()),
            UrlSeen::Page(page) => self.page(page),
            UrlSeen::Blocked(status) => self.blocked(*status, &indirect()),
            _ => without_page(self.look),
        };
        let gone = matches!(ruling.code, Code::Http404 | Code::Http410);
        let lost = matches!(
            ruling.code,
            Code::DnsNxdomain | Code::Soft404 | Code::ParkedDomain
        );
        let settings = self.settings;
        let copy = if gone && settings.archive_404 || (gone || lost) && settings.suggest {
            archived()
        } else {
            None
        };
        let mut ruling = if gone && settings.archive_404 && copy.is_some() {
            gone_archived(&ruling)
        } else {
            ruling
        };
        ruling.suggestion = copy
            .filter(|_| settings.suggest)
            .map(|url| shown(url.as_str()));
        self.dressed(ruling)
    }

    /// What the user makes of a code, and what was judged.
    fn dressed(&self, mut ruling: Ruling) -> Ruling {
        if let Some(status) = self.settings.status_overrides.get(&ruling.code) {
            ruling.status = *status;
        }
        if ruling.claim.is_none() {
            let decided = self.claim.and_then(|claim| claim.sentence.clone());
            let central = || self.binding.central().map(|sentence| sentence.text.clone());
            ruling.claim = decided.or_else(central).map(|claim| one_line(&claim));
        }
        ruling.binding = Some(self.binding.strength);
        let judged = self.claim.filter(|claim| claim.code == ruling.code);
        let because = judged.and_then(|claim| claim.because.as_deref());
        ruling.because = because.map(|words| cut(&one_line(&shown_in_text(words)), BECAUSE_MAX));
        ruling.nearest = self
            .nearest()
            .filter(|_| ruling.status != SourceStatus::Verified);
        ruling
    }

    /// What the page says nearest to the claim, or in its favour.
    fn nearest(&self) -> Option<Nearest> {
        let claim = self.claim?;
        let in_favour = || {
            let sentence = claim.sentence.as_deref()?;
            Nearest::of(self.look.page()?, claim.span.as_deref(), &[sentence])
        };
        claim.nearest.clone().or_else(in_favour)
    }

    fn page(&self, page: &PageSeen) -> Ruling {
        let Some(claim) = self.claim else {
            return suspect(Code::NoClaim, "There is nothing to judge the page against");
        };
        if claim.code == Code::MachineLimit {
            return undecided(claim.code);
        }
        if claim.outcome != Outcome::Yes
            && let Some(ruling) = self.replaces_program(page)
        {
            return ruling;
        }
        if self.is_unreliable() {
            return Ruling::plain(
                SourceStatus::Unreliable,
                Code::UnreliableDomain,
                "Known unreliable domain",
            );
        }
        if let Some(entry) = self.entry.filter(|_| claim.outcome != Outcome::Yes) {
            return listed(entry, page);
        }
        let mut ruling = match claim.outcome {
            Outcome::Yes if claim.biased && self.settings.judge_bias => Ruling::plain(
                SourceStatus::Unreliable,
                Code::Biased,
                "Heavily biased source",
            ),
            Outcome::Yes => self.supported(claim),
            Outcome::No if page.truncated && claim.code != Code::Contradicted => suspect(
                Code::TooLarge,
                "Only the first part of the page was read, and the claim is not in it",
            ),
            Outcome::No => Ruling::denied(claim.code, claim.sentence.as_deref()),
            // Where nothing was judged, nothing is held against the page.
            Outcome::Unclear
                if self.led_home() && !matches!(claim.code, Code::NoClaim | Code::JudgeError) =>
            {
                Ruling::denied(Code::RedirectedHome, claim.sentence.as_deref())
            }
            Outcome::Unclear => undecided(claim.code),
        };
        ruling.figure_missing =
            claim.code == Code::FigureMissing && ruling.status == SourceStatus::Unreliable;
        ruling
    }

    /// A page that asks for consent or a login comes before the cited one.
    fn is_walled(&self, page: &PageSeen) -> bool {
        let is_shown =
            |claim: &ClaimSeen| claim.outcome == Outcome::Yes || claim.code == Code::Contradicted;
        if page.truncated || self.claim.is_none_or(is_shown) {
            return false;
        }
        let path = |url: Option<&Url>| url.map(|url| url.path().to_lowercase());
        let is_door = |path: &str| {
            let doors = [
                "login", "signin", "sign-in", "sign_in", "log-in", "sso", "consent", "captcha",
            ];
            path.split(['/', '.']).any(|part| doors.contains(&part))
        };
        let led = path(self.look.final_url.as_ref()).is_some_and(|path| is_door(&path));
        let asked = path(self.cited.url()).is_some_and(|path| is_door(&path));
        self.look.redirects > 0 && led && !asked || detect::is_wall(page, &self.binding.sentences)
    }

    /// Another page is where the cited one should be.
    fn replaces_program(&self, page: &PageSeen) -> Option<Ruling> {
        if page.truncated {
            return None; // how much text it has, and what about, is not known
        }
        let fabricated = |code| {
            // sites lead to their home page from pages that they moved, too
            Some(if self.led_home() {
                let text = "The cited page led to the home page of a site";
                suspect(Code::RedirectedHome, text)
            } else {
                Ruling::plain(SourceStatus::Fabricated, code, "Content unrelated")
            })
        };
        let host = self.look.final_url.as_ref().and_then(host_of);
        if detect::is_parked(page, host.as_deref(), &self.settings.parked_hosts) {
            return Some(Ruling::plain(
                SourceStatus::Fabricated,
                Code::ParkedDomain,
                "Content unrelated",
            ));
        }
        if let Some(title) = detect::removed_title(page) {
            let title = cut(&one_line(title), 200);
            let text = format!("Page returned 410 in effect: status 200, title \"{title}\"");
            return Some(Ruling::plain(SourceStatus::Unreliable, Code::Http410, text));
        }
        let twin = self
            .missing
            .is_some_and(|missing| detect::is_same(page, missing));
        if twin || detect::is_soft_404(page) {
            return fabricated(Code::Soft404);
        }
        if page.page.kind == crosscheck_fetch::text::BodyKind::Html && page.length() < THIN_TEXT_MAX
        {
            return Some(suspect(Code::ThinContent, "The page has almost no text"));
        }
        if let Some(language) = self.other_language(page) {
            let text = format!(
                "The page says that it is in another language ({language}) than the claims ({}), so it was not judged; \
                 --lang {language} judges it",
                self.settings.language
            );
            return Some(suspect(Code::OtherLanguage, &text));
        }
        // Of an entry that nothing cites only the existence is checked.
        if self.entry.is_none() && detect::is_unrelated(page, self.subject) {
            return fabricated(Code::UnrelatedPage);
        }
        None
    }

    fn other_language(&self, page: &PageSeen) -> Option<String> {
        let primary = |tag: &str| {
            tag.trim()
                .split(['-', '_'])
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase()
        };
        let language = primary(page.page.language.as_deref()?);
        let plain = !language.is_empty() && language.chars().all(|c| c.is_ascii_alphanumeric());
        (plain && language != primary(&self.settings.language)).then_some(language)
    }

    fn is_unreliable(&self) -> bool {
        let cited = self.cited.host();
        let last = self.look.final_url.as_ref().and_then(host_of);
        [cited, last]
            .iter()
            .flatten()
            .any(|host| is_listed(host, &self.settings.unreliable_domains))
    }

    /// A deeper page was cited, and the home page of a site came.
    fn led_home(&self) -> bool {
        let deep = self.cited.url().is_some_and(|url| url.path() != "/");
        let home = self
            .look
            .final_url
            .as_ref()
            .is_some_and(|url| url.path() == "/");
        deep && home && self.look.redirects > 0
    }

    fn supported(&self, claim: &ClaimSeen) -> Ruling {
        let firm = self.binding.strength.can_accuse();
        if firm && claim.holding == claim.judged {
            return Ruling::confirmed(Code::Supported, claim, Confidence::High, None);
        }
        let basis = if firm {
            format!(
                "the page confirms {} of {} judged sentences",
                claim.holding, claim.judged
            )
        } else {
            format!(
                "the page confirms {} of {} sentences, and none of them names this source",
                claim.holding, claim.judged
            )
        };
        Ruling::confirmed(Code::Supported, claim, Confidence::Medium, Some(basis))
    }

    fn blocked(&self, status: u16, indirect: &Indirect) -> Ruling {
        let (confidence, basis) = rate(status, indirect);
        if self.is_unreliable() {
            return Ruling::plain(
                SourceStatus::Unreliable,
                Code::UnreliableDomain,
                "Known unreliable domain",
            )
            .rated(confidence, basis);
        }
        if let Some((_, claim)) = indirect.supporting.first() {
            Ruling::confirmed(Code::SupportedIndirect, claim, confidence, Some(basis))
        } else {
            let text = match status {
                200 | 503 => "Access refused: the site shows a wall instead of the page".to_owned(),
                _ => format!("Access refused: the server answered {status}"),
            };
            suspect(Code::BlockedUnconfirmed, &text).rated(confidence, basis)
        }
    }
}

/// An entry that nothing cites: its page exists, and bears its title or not.
fn listed(entry: &SourceEntry, page: &PageSeen) -> Ruling {
    if entry.is_certain && detect::bears_title(page, &entry.words) {
        let text = "The page of this entry exists and bears its title";
        return Ruling::plain(SourceStatus::Verified, Code::EntryExists, text).rated(
            Confidence::Medium,
            "no sentence cites this entry, so only its existence was checked",
        );
    }
    let text = if entry.words.is_empty() {
        "The page exists, but no sentence cites it"
    } else {
        "The page of this entry exists, but no sentence cites it and its title is not that of the entry"
    };
    suspect(Code::ClaimNotLocated, text)
}

/// A linked page of which only the existence is checked.
pub fn reached(look: &Look) -> Ruling {
    match &look.seen {
        UrlSeen::Page(_) | UrlSeen::Unreadable => exists("The linked page exists"),
        _ => without_page(look),
    }
}

/// What is said where no page was read.
fn without_page(look: &Look) -> Ruling {
    match &look.seen {
        UrlSeen::Page(_) | UrlSeen::Unreadable => {
            suspect(Code::UnsupportedContent, "The page is not readable text")
        }
        UrlSeen::Blocked(status) => suspect(
            Code::BlockedUnconfirmed,
            &format!("Access refused: the server answered {status}"),
        ),
        UrlSeen::Status(status) => of_status(*status),
        UrlSeen::Problem(problem) => of_problem(problem, look),
        UrlSeen::NoUrl => suspect(Code::InvalidUrl, NO_URL),
        UrlSeen::Scheme(scheme) => suspect(
            Code::UnsupportedScheme,
            &format!("The scheme `{scheme}` is neither http nor https"),
        ),
    }
}

/// A link to a file of this machine.
pub fn reached_file(seen: LocalSeen) -> Ruling {
    match seen {
        LocalSeen::There => exists("The linked file exists"),
        LocalSeen::NoFile => Ruling::plain(
            SourceStatus::Fabricated,
            Code::LinkMissing,
            "The linked file does not exist",
        ),
        LocalSeen::NoPlace => Ruling::plain(
            SourceStatus::Unreliable,
            Code::PlaceMissing,
            "The linked file has no heading or element of this name",
        ),
        LocalSeen::Unknown(why) => suspect(Code::LinkUnknown, why),
    }
}

fn exists(text: &str) -> Ruling {
    Ruling::plain(SourceStatus::Verified, Code::LinkExists, text)
}

fn of_status(status: u16) -> Ruling {
    match status {
        404 => Ruling::plain(SourceStatus::Fabricated, Code::Http404, "Page returned 404"),
        410 => Ruling::plain(SourceStatus::Unreliable, Code::Http410, "Page returned 410"),
        429 => suspect(
            Code::RateLimited,
            "After every retry, the server last answered 429",
        ),
        500..=599 => suspect(
            Code::ServerError,
            &format!("After every retry, the server last answered {status}"),
        ),
        _ => suspect(Code::HttpOther, &format!("The server answered {status}")),
    }
}

/// The cited name does not exist, or the one that the cited page redirects to.
fn no_such_name(look: &Look) -> Ruling {
    let asked = look.final_url.as_ref().and_then(host_of);
    let text = match asked.filter(|_| look.redirects > 0) {
        Some(host) => format!(
            "Domain not found: the page redirects to {}",
            one_line(&host)
        ),
        None => "Domain not found".to_owned(),
    };
    Ruling::plain(SourceStatus::Fabricated, Code::DnsNxdomain, &text)
}

const NO_URL: &str = "The cited text is not a full URL: it lacks a host, is cut short, or holds a placeholder or an invisible sign";

fn of_problem(problem: &Problem, look: &Look) -> Ruling {
    let text = || one_line(&problem.to_string());
    match problem {
        Problem::NameNotFound => no_such_name(look),
        Problem::InvalidUrl => suspect(Code::InvalidUrl, NO_URL),
        Problem::UnsupportedScheme(_) => suspect(Code::UnsupportedScheme, &text()),
        Problem::Refused(_) => suspect(Code::GuardBlocked, &text()),
        Problem::NoNetwork => suspect(Code::NoNetwork, &text()),
        Problem::Machine(_) => suspect(Code::MachineLimit, &text()),
        Problem::DnsTemporary => suspect(Code::DnsTemporary, &text()),
        Problem::Connection(_) => suspect(Code::ConnectionFailed, &text()),
        Problem::Tls(_) => suspect(Code::TlsError, &text()),
        Problem::Timeout => suspect(Code::Timeout, "No answer in time, after every retry"),
        Problem::Slow => suspect(Code::Timeout, &text()),
        Problem::TooManyRedirects => suspect(Code::TooManyRedirects, &text()),
        Problem::HeadersTooLarge => suspect(Code::TooLarge, &text()),
        Problem::Undecodable => suspect(Code::UnsupportedContent, &text()),
        Problem::Robots => suspect(Code::Robots, &text()),
        Problem::Offline => suspect(
            Code::Offline,
            "Offline: nothing was contacted, and no copy of the page is in the cache",
        ),
    }
}

fn suspect(code: Code, text: &str) -> Ruling {
    let mut text = text.to_owned();
    if let Some(first) = text.get(..1).map(str::to_ascii_uppercase) {
        text.replace_range(..1, &first);
    }
    Ruling::plain(SourceStatus::Suspect, code, text)
}

fn undecided(code: Code) -> Ruling {
    suspect(
        code,
        match code {
            Code::NoClaim => "The entry claims nothing that this source could be cited for",
            Code::ClaimNotLocated => {
                "No sentence that names this source, and none that the page confirms"
            }
            Code::JudgeError => "The judge gave no answer",
            Code::OtherLanguage => {
                "The page is in another language than the claim, so it neither confirms nor refutes it"
            }
            Code::MachineLimit => "This machine has run out of what the judge needs to run",
            _ => "The page neither confirms the claim nor shows that it is wrong",
        },
    )
}

fn gone_archived(ruling: &Ruling) -> Ruling {
    suspect(
        Code::GoneArchived,
        &format!("{}, but an archived copy exists", ruling.text),
    )
    .rated(
        Confidence::Low,
        "the page is gone and only its archived copy was found",
    )
}

/// Independent means other registrable domains; the archive counts as one.
fn rate(status: u16, indirect: &Indirect) -> (Confidence, String) {
    let mut origins: Vec<&Origin> = indirect
        .supporting
        .iter()
        .map(|(origin, _)| origin)
        .collect();
    origins.sort();
    origins.dedup();
    let names: Vec<String> = origins
        .iter()
        .map(|origin| match origin {
            Origin::Archive => "the archived copy".to_owned(),
            Origin::Site(domain) => one_line(domain),
        })
        .collect();
    let mut blocked = format!("direct fetch blocked (status {status})");
    if let Some(why) = indirect.search_failed {
        blocked.push_str(", ");
        blocked.push_str(why);
    }
    match names.len() {
        0 if !indirect.configured => (
            Confidence::Low,
            format!("{blocked}, no secondary source configured"),
        ),
        0 => (
            Confidence::Low,
            format!(
                "{blocked}, none of {} secondary sources confirms the claim",
                indirect.asked
            ),
        ),
        1 => (
            Confidence::Medium,
            format!("{blocked}, confirmed by {}", names.join("")),
        ),
        count => (
            Confidence::MediumHigh,
            format!(
                "{blocked}, confirmed by {count} independent sources: {}",
                names.join(", ")
            ),
        ),
    }
}
