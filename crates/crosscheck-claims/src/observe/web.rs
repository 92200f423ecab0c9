//! Web access of a verification: the guarded fetcher, and a search command of
//! the user.

use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::outputs;
use crosscheck_fetch::{Fetcher, Problem, Url, text};
use crosscheck_judge::Text;
use crosscheck_process::{Ending, Program};
use serde::Deserialize;

/// The result of fetching a page.
#[derive(Debug)]
pub enum PageSeen {
    /// The page was read.
    Page {
        /// Its text, prepared once for all claims.
        text: Box<Text<'static>>,
        /// Title and site name.
        header: String,
    },
    /// The guard refused the address.
    Blocked(String),
    /// There was no page, or it could not be read.
    Failed(String),
}

/// Fetches pages, guarded.
pub trait Pages: Send + Sync {
    /// Fetches one page.
    fn fetch(&self, url: &str) -> PageSeen;
}

/// One search result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Found {
    /// Its address.
    pub url: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The excerpt that the search engine shows.
    #[serde(default)]
    pub snippet: String,
}

/// Searches the web.
pub trait Search: Send + Sync {
    /// Searches, or says why that failed.
    fn search(
        &self,
        query: &str,
        claim: &str,
        allowed: &[&str],
        blocked: &[&str],
    ) -> Result<Vec<Found>, String>;
}

/// Pages through the guarded fetcher.
pub struct FetchedPages(pub Fetcher);

impl Pages for FetchedPages {
    fn fetch(&self, url: &str) -> PageSeen {
        let Ok(url) = Url::parse(url.trim()) else {
            return PageSeen::Failed(Problem::InvalidUrl.to_string());
        };
        let response = match self.0.fetch(&url).outcome {
            Ok(response) => response,
            Err(problem @ Problem::Refused(_)) => return PageSeen::Blocked(problem.to_string()),
            Err(problem) => return PageSeen::Failed(problem.to_string()),
        };
        if !self.0.settings().accept.contains(response.status) {
            return PageSeen::Failed(format!("the page answered with status {}", response.status));
        }
        match text::extract(response.content_type.as_deref(), &response.body) {
            Ok(page) => PageSeen::Page {
                header: [page.title, page.site_name]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" "),
                text: Box::new(Text::new(page.text)),
            },
            Err(_) => PageSeen::Failed("the page is not text".to_owned()),
        }
    }
}

/// A search command: one JSON object in, a JSON array of results out.
#[derive(Debug, Clone)]
pub struct SearchCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
}

/// Time limit of a search.
const SEARCH_TIME: Duration = Duration::from_secs(20);

impl Search for SearchCommand {
    fn search(
        &self,
        query: &str,
        claim: &str,
        allowed: &[&str],
        blocked: &[&str],
    ) -> Result<Vec<Found>, String> {
        let command = self.argv.split_first();
        let (command, args) = command.ok_or("the search command is empty")?;
        outputs::named_words(&self.folder, &self.argv);
        let input = serde_json::json!({
            "query": query, "url": null, "claim": claim,
            "allowed_domains": allowed, "blocked_domains": blocked,
        });
        let ran = Program::new(command, &self.folder)
            .args(args)
            .input(input.to_string().into_bytes())
            .time_limit(Some(SEARCH_TIME))
            .keep(1 << 20)
            .run();
        match ran {
            Err(error) => Err(error.to_string()),
            Ok(ran) if ran.ending != Ending::Exited(0) => {
                Err(format!("the search command ended: {:?}", ran.ending))
            }
            Ok(ran) => serde_json::from_str(&ran.stdout.text())
                .map_err(|error| format!("the search results cannot be read: {error}")),
        }
    }
}
