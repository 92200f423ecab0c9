//! Fetching a cited page and reading its text.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crosscheck_core::digest::Digest;
use crosscheck_fetch::text::{self, BodyKind, NoText, Page};
use crosscheck_fetch::{
    Arrivals, Fetched, Fetcher, Problem, Response, Url, is_bot_wall_page, is_machine_limit,
};
use crosscheck_judge::Text;
use crosscheck_judge::builtin::{Quantity, normalise, quantities, stems};
use crosscheck_process::{Ending, Program, StartError};

use super::language::differ;
use super::quotation;
use crate::read::cited::{Cited, Target};
use crate::settings::Settings;

const PDF_TIME: Duration = Duration::from_secs(20);
const PDF_TEXT_MAX: usize = 8 * 1024 * 1024;

/// A page that was read.
#[derive(Debug, Default)]
pub struct PageSeen {
    /// What it says about itself; its text is moved to `text`.
    pub page: Page,
    /// Its text, prepared once for all claims.
    pub text: Text<'static>,
    /// Only the first part was read.
    pub truncated: bool,
    /// SHA-256 of the body.
    pub sha256: Option<String>,
    length: usize,
    body: OnceLock<HashSet<String>>,
}

/// What looking at a cited URL brought.
#[derive(Debug, Clone)]
pub struct Look {
    /// What was there.
    pub seen: UrlSeen,
    /// Where the last redirect led.
    pub final_url: Option<Url>,
    /// Status, if there was an answer.
    pub http_status: Option<u16>,
    /// Redirects followed.
    pub redirects: usize,
    /// How long it took.
    pub elapsed: Duration,
    /// From the disk cache.
    pub cached: bool,
}

/// What was there.
#[derive(Debug, Clone)]
pub enum UrlSeen {
    /// The text leads nowhere.
    NoUrl,
    /// The text leads somewhere else than the web.
    Scheme(String),
    /// No answer.
    Problem(Problem),
    /// Access refused, or a wall in front of the page.
    Blocked(u16),
    /// A status that decides by itself.
    Status(u16),
    /// A body that cannot be read.
    Unreadable,
    /// A page.
    Page(Arc<PageSeen>),
}

impl PageSeen {
    /// A page from its text.
    pub fn new(mut page: Page, truncated: bool, sha256: Option<String>) -> Self {
        Self {
            length: page.length(),
            text: Text::new(std::mem::take(&mut page.text)),
            page,
            truncated,
            sha256,
            body: OnceLock::new(),
        }
    }

    /// Title and site name: what every part of the page is about.
    pub fn header(&self) -> String {
        let parts: Vec<&str> = [&self.page.title, &self.page.site_name]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        parts.join(" ")
    }

    /// Whether a quotation is in the title or the text, as it stands or as
    /// scholars shorten and adapt it: `[w]e plant … trees`.
    pub fn quotes(&self, quotation: &str) -> bool {
        let title = self.page.title.as_deref().unwrap_or_default();
        if self.text.quotes(quotation) || Text::new(title).quotes(quotation) {
            return true;
        }
        let parts = quotation::parts(quotation);
        !parts.is_empty() && self.text.quotes_in_order(&parts)
    }

    /// Whether a figure is in the title, the name of the site or the text.
    pub fn has(&self, figure: &Quantity) -> bool {
        let header = || quantities(&normalise(&self.header()));
        self.text.has(figure) || header().iter().any(|one| figure.matches(one))
    }

    /// Whether a claim is written in another language than the page.
    pub fn differs_from(&self, claim: &str) -> bool {
        differ(self.text.source(), self.page.language.as_deref(), claim)
    }

    /// The stems of title and text.
    pub fn stems(&self) -> HashSet<String> {
        let mut all: HashSet<String> = self.text.stems().map(str::to_owned).collect();
        all.extend(stems(&self.header()));
        all
    }

    /// The stems of the text without its headings.
    pub fn body_stems(&self) -> &HashSet<String> {
        self.body.get_or_init(|| {
            let headings: HashSet<&str> = self.page.headings.iter().map(String::as_str).collect();
            let mut all = HashSet::new();
            for part in self.text.source().split("\n\n") {
                if !headings.contains(part.trim()) {
                    all.extend(stems(part));
                }
            }
            all
        })
    }

    /// How much text it has, in characters.
    pub const fn length(&self) -> usize {
        self.length
    }
}

/// Looks at pages for a whole run.
pub struct Looker {
    /// The way out.
    pub fetcher: Fetcher,
    /// How sources are judged.
    pub settings: Settings,
    /// What sites show for pages that cannot exist.
    pub(super) probes: Mutex<HashMap<String, Option<Arc<PageSeen>>>>,
}

impl Looker {
    /// Fetches with these settings.
    pub fn new(fetcher: Fetcher, settings: Settings) -> Self {
        Self {
            fetcher,
            settings,
            probes: Mutex::new(HashMap::new()),
        }
    }

    /// Looks at a cited URL.
    pub fn look(&self, cited: &Cited) -> Look {
        self.look_for(cited, false)
    }

    /// Looks at a cited URL whose result is waited for.
    pub fn look_urgently(&self, cited: &Cited) -> Look {
        self.look_for(cited, true)
    }

    fn look_for(&self, cited: &Cited, urgent: bool) -> Look {
        match &cited.target {
            Target::Nowhere => Look::without_web(UrlSeen::NoUrl),
            Target::Scheme(scheme) => Look::without_web(UrlSeen::Scheme(scheme.clone())),
            Target::Web(url) if urgent => {
                let url = self.settings.asked(url);
                self.seen(self.fetcher.fetch_urgently(&url))
            }
            Target::Web(url) => self.look_at(&self.settings.asked(url)),
        }
    }

    /// Looks at a URL.
    pub fn look_at(&self, url: &Url) -> Look {
        self.seen(self.fetcher.fetch(url))
    }

    /// Whether no page is asked for.
    pub fn is_offline(&self) -> bool {
        self.fetcher.settings().offline
    }

    /// Looks at many URLs, as many at once as there are jobs; they come as they come.
    pub fn look_at_each(&self, urls: &[Url]) -> Arrivals {
        let asked = urls.iter().map(|url| self.settings.asked(url)).collect();
        self.fetcher.fetch_each(asked, self.settings.jobs)
    }

    /// What an answer shows.
    pub fn seen(&self, fetched: Fetched) -> Look {
        let http_status = fetched
            .outcome
            .as_ref()
            .ok()
            .map(|response| response.status);
        let Fetched {
            outcome,
            final_url,
            redirects,
            elapsed,
            cached,
            ..
        } = fetched;
        let seen = match outcome {
            Ok(response) => self.read(&response),
            Err(Problem::InvalidUrl) => UrlSeen::NoUrl,
            Err(Problem::UnsupportedScheme(scheme)) => UrlSeen::Scheme(scheme),
            Err(problem) => UrlSeen::Problem(problem),
        };
        Look {
            seen,
            final_url: Some(final_url),
            http_status,
            redirects,
            elapsed,
            cached,
        }
    }

    fn read(&self, response: &Response) -> UrlSeen {
        let status = response.status;
        let accepted = self.fetcher.settings().accept.contains(status);
        if !accepted && status != 503 {
            return match status {
                401 | 402 | 403 | 407 | 451 => UrlSeen::Blocked(status),
                _ => UrlSeen::Status(status),
            };
        }
        let page = match text::extract(response.content_type.as_deref(), &response.body) {
            Ok(page) => Some(page),
            Err(NoText::Pdf) => match self.pdf_text(&response.body) {
                Ok(page) => page,
                Err(problem) => return UrlSeen::Problem(problem),
            },
            Err(NoText::Unsupported) => None,
        };
        if page
            .as_ref()
            .is_some_and(|page| is_bot_wall_page(response, page))
        {
            return UrlSeen::Blocked(status);
        }
        if !accepted {
            return UrlSeen::Status(status);
        }
        let sha256 = self
            .settings
            .digests
            .then(|| Digest::of(&response.body).hex());
        page.map_or(UrlSeen::Unreadable, |page| {
            let seen = PageSeen::new(page, response.truncated, sha256);
            UrlSeen::Page(Arc::new(seen))
        })
    }

    /// The text of a PDF, made by a child process: PDF parsers crash.
    fn pdf_text(&self, body: &[u8]) -> Result<Option<Page>, Problem> {
        let reader = self.settings.pdf_reader.as_ref();
        let Some((command, args)) = reader.and_then(|reader| reader.split_first()) else {
            return Ok(None);
        };
        let ran = Program::new(command, &self.settings.folder)
            .args(args)
            .input(body.to_vec())
            .time_limit(Some(PDF_TIME.min(self.fetcher.settings().limits.total)))
            .keep(PDF_TEXT_MAX)
            .run();
        let ran = match ran {
            Ok(ran) if ran.ending == Ending::Exited(0) => ran,
            Err(StartError { source, .. })
                if is_machine_limit(&source) || source.kind() == io::ErrorKind::WouldBlock =>
            {
                return Err(Problem::Machine(source.to_string()));
            }
            Ok(_) | Err(_) => return Ok(None),
        };
        let text = ran.stdout.text();
        Ok((!text.trim().is_empty()).then(|| Page {
            text,
            kind: BodyKind::Pdf,
            ..Page::default()
        }))
    }
}

impl Look {
    fn without_web(seen: UrlSeen) -> Self {
        Self {
            seen,
            final_url: None,
            http_status: None,
            redirects: 0,
            elapsed: Duration::ZERO,
            cached: false,
        }
    }

    /// The page, if one was read.
    pub fn page(&self) -> Option<&Arc<PageSeen>> {
        match &self.seen {
            UrlSeen::Page(page) => Some(page),
            _ => None,
        }
    }

    /// A page that was read before in this run, looked at for another claim.
    #[must_use]
    pub fn again(&self) -> Self {
        Self {
            elapsed: Duration::ZERO,
            cached: true,
            ..self.clone()
        }
    }
}
