//! Other sources for a page that could not be read: an archive and a search
//! command, both only when the user configured them.
//!
//! Contract: sources 6.

use std::sync::Arc;
use std::time::Duration;

use crosscheck_fetch::Url;
use crosscheck_fetch::address::mask_user;
use crosscheck_fetch::text::Page;
use crosscheck_process::{Ending, Program};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use super::page::{Looker, PageSeen};
use crate::read::cited::{Cited, host_of, registrable_domain};

const SEARCH_TIME: Duration = Duration::from_secs(20);
const SEARCH_OUTPUT_MAX: usize = 1024 * 1024;
const HITS_MAX: usize = 5;
const QUERY_MAX: usize = 200;

/// A text from somewhere else that may confirm the claim.
#[derive(Debug, Clone)]
pub struct Secondary {
    /// The archive, or the site of a search result.
    pub origin: Origin,
    /// Its text.
    pub page: Arc<PageSeen>,
    /// Whether the text is a whole page.
    pub whole: bool,
}

/// Where a secondary text comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The archived copy.
    Archive,
    /// A site, by its registrable domain.
    Site(String),
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the words of the contract")]
struct Query<'q> {
    query: &'q str,
    url: &'q str,
    claim: &'q str,
    allowed_domains: [&'q str; 0],
    blocked_domains: [&'q str; 1],
}

#[derive(Deserialize)]
struct Hit {
    url: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    snippet: Option<String>,
}

impl Looker {
    /// The archived copy of a URL, if there is one and it can be read.
    pub fn archived(&self, cited: &Cited) -> Option<Secondary> {
        let look = self.look_at(&self.archive_url(cited)?);
        let page = Arc::clone(look.page()?);
        Some(Secondary {
            origin: Origin::Archive,
            page,
            whole: true,
        })
    }

    /// The address of the archived copy of a URL, if the archive answers 200.
    pub fn archived_at(&self, cited: &Cited) -> Option<Url> {
        let look = self.look_at(&self.archive_url(cited)?);
        look.final_url.filter(|_| look.http_status == Some(200))
    }

    fn archive_url(&self, cited: &Cited) -> Option<Url> {
        let mut url = cited.url()?.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let encoded: String = percent_encode(url.as_str());
        let address = self
            .settings
            .archive
            .as_ref()?
            .replace("{url_encoded}", &encoded)
            .replace("{url}", url.as_str());
        Url::parse(&address).ok()
    }

    /// What the search command finds about a claim, elsewhere than on the
    /// cited site; the error says why there is no answer.
    pub fn searched(&self, cited: &Cited, claim: &str) -> Result<Vec<Secondary>, &'static str> {
        let own = cited
            .host()
            .map(|host| registrable_domain(&host))
            .unwrap_or_default();
        let archive = self.archive_url(cited).and_then(|url| host_of(&url));
        let archive = archive.map(|host| registrable_domain(&host));
        let hits = self.run_search(cited, claim, &own)?;
        let elsewhere = hits.into_iter().filter_map(|hit| {
            let url = Url::parse(&hit.url).ok().filter(is_web)?;
            let domain = registrable_domain(&host_of(&url)?);
            (domain != own).then_some((url, domain, hit))
        });
        let mut found = Vec::new();
        for (url, domain, hit) in elsewhere.take(HITS_MAX) {
            if let Some(page) = self.hit_page(&url, hit) {
                found.push(Secondary {
                    // The archive says the same thing twice, it is not a second source.
                    origin: if archive.as_ref() == Some(&domain) {
                        Origin::Archive
                    } else {
                        Origin::Site(domain)
                    },
                    page,
                    whole: self.settings.search_fetch,
                });
            }
        }
        Ok(found)
    }

    fn hit_page(&self, url: &Url, hit: Hit) -> Option<Arc<PageSeen>> {
        if self.settings.search_fetch {
            return self.look_at(url).page().map(Arc::clone);
        }
        let text = format!(
            "{}\n\n{}",
            hit.title.clone().unwrap_or_default(),
            hit.snippet.unwrap_or_default()
        );
        let page = Page {
            text,
            title: hit.title,
            ..Page::default()
        };
        Some(Arc::new(PageSeen::new(page, false, None)))
    }

    fn run_search(&self, cited: &Cited, claim: &str, own: &str) -> Result<Vec<Hit>, &'static str> {
        let words = self.settings.search_command.as_deref().unwrap_or_default();
        let Some((command, args)) = words.split_first() else {
            return Ok(Vec::new());
        };
        let query: String = claim.chars().take(QUERY_MAX).collect();
        let question = Query {
            query: &query,
            url: &without_user(cited),
            claim,
            allowed_domains: [],
            blocked_domains: [own],
        };
        let ran = Program::new(command, &self.settings.folder)
            .args(args)
            .input(serde_json::to_vec(&question).unwrap_or_default())
            .time_limit(Some(SEARCH_TIME))
            .keep(SEARCH_OUTPUT_MAX)
            .run()
            .map_err(|_| "the search command could not be started")?;
        if ran.ending != Ending::Exited(0) {
            return Err("the search command failed");
        }
        // One bad item says nothing about the others.
        let items: Vec<serde_json::Value> = serde_json::from_str(&ran.stdout.text())
            .map_err(|_| "the search command printed no JSON list")?;
        let hits = items
            .into_iter()
            .filter_map(|item| serde_json::from_value(item).ok());
        Ok(hits.collect())
    }
}

/// The cited text; without user information where it has some.
fn without_user(cited: &Cited) -> String {
    match cited.url() {
        Some(url) if !url.username().is_empty() || url.password().is_some() => {
            let mut url = url.clone();
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.into()
        }
        _ => mask_user(&cited.text).into_owned(),
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn percent_encode(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}
