//! Every page of a run, fetched once and shared by all claims as far as memory
//! allows, so that two claims about one page are judged by the same version.

use std::sync::Arc;

use super::kept::Kept;
use super::texts::PREPARED;
use super::{PageSeen, Pages};

/// Memory limit for all pages together.
const BUDGET: usize = 256 * 1024 * 1024;

/// The pages of a run.
pub(crate) struct PageStore<'s> {
    pages: Option<&'s dyn Pages>,
    seen: Kept<String, Arc<PageSeen>>,
}

impl<'s> PageStore<'s> {
    pub(crate) fn new(pages: Option<&'s dyn Pages>) -> Self {
        Self {
            pages,
            seen: Kept::new(BUDGET),
        }
    }

    /// The page at this address.
    pub(crate) fn fetch(&self, url: &str) -> Arc<PageSeen> {
        let none = || PageSeen::Failed("this run has no fetcher".to_owned());
        let fetch = || Arc::new(self.pages.map_or_else(none, |pages| pages.fetch(url)));
        self.seen.get(url, fetch, |seen| weight(url, seen))
    }
}

fn weight(url: &str, seen: &PageSeen) -> usize {
    let text = match seen {
        PageSeen::Page { text, header } => text.source().len() * PREPARED + header.len(),
        PageSeen::Blocked(why) | PageSeen::Failed(why) => why.len(),
    };
    2 * url.len() + text + 128
}
