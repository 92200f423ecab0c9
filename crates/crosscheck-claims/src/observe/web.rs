//! The web as a verification needs it; who supplies it decides how it is reached.

/// What fetching a page showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageSeen {
    /// The page, read.
    Page {
        /// Its text.
        text: String,
        /// Title and site name.
        header: String,
    },
    /// The guard refused the address.
    Blocked(String),
    /// No page was got, or not one that can be read.
    Failed(String),
}

/// Fetches pages, guarded.
pub trait Pages: Send + Sync {
    /// Fetches one page.
    fn fetch(&self, url: &str) -> PageSeen;
}

/// One search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub url: String,
    /// What it is called.
    pub title: String,
    /// What the search engine shows of it.
    pub snippet: String,
}

/// The search could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFailed(pub String);

/// Searches the web.
pub trait Search: Send + Sync {
    /// Searches; `None` when no search is configured.
    fn search(
        &self,
        query: &str,
        claim: &str,
        allowed: &[&str],
        blocked: &[&str],
    ) -> Option<Result<Vec<Found>, SearchFailed>>;
}

/// There is no way to the web.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPages;

impl Pages for NoPages {
    fn fetch(&self, _: &str) -> PageSeen {
        PageSeen::Failed("this run has no fetcher".to_owned())
    }
}

/// There is no search.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSearch;

impl Search for NoSearch {
    fn search(
        &self,
        _: &str,
        _: &str,
        _: &[&str],
        _: &[&str],
    ) -> Option<Result<Vec<Found>, SearchFailed>> {
        None
    }
}
