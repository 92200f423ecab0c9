//! What a run looks with: judge, fetcher, search, as the settings ask.

use std::path::Path;
use std::sync::Arc;

use crosscheck::claims::observe::{FetchedPages, NoPages, NoSearch, Pages, Search, SearchCommand};
use crosscheck::core::clock::SystemClock;
use crosscheck::core::judge::Judge;
use crosscheck::fetch::{FetchSettings, Fetcher};

/// Everything a run looks with besides files.
pub(super) struct Tools {
    pub(super) judge: Box<dyn Judge>,
    pub(super) pages: Box<dyn Pages>,
    pub(super) search: Box<dyn Search>,
}

impl Tools {
    pub(super) fn new(
        judge: Box<dyn Judge>,
        fetch: FetchSettings,
        search_command: Vec<String>,
        root: &Path,
    ) -> Self {
        let pages: Box<dyn Pages> = if fetch.offline {
            Box::new(NoPages)
        } else {
            Box::new(LazyPages {
                settings: fetch,
                fetcher: std::sync::OnceLock::new(),
            })
        };
        let search: Box<dyn Search> = if search_command.is_empty() {
            Box::new(NoSearch)
        } else {
            Box::new(SearchCommand {
                argv: search_command,
                folder: root.to_owned(),
            })
        };
        Self {
            judge,
            pages,
            search,
        }
    }
}

/// Most documents name no page; the fetcher is set up when one does.
struct LazyPages {
    settings: FetchSettings,
    fetcher: std::sync::OnceLock<Result<FetchedPages, String>>,
}

impl Pages for LazyPages {
    fn fetch(&self, url: &str) -> crosscheck::claims::observe::PageSeen {
        let fetcher = self.fetcher.get_or_init(|| {
            Fetcher::new(self.settings.clone(), Arc::new(SystemClock))
                .map(FetchedPages)
                .map_err(|error| crosscheck::core::advice::with_causes(&error))
        });
        match fetcher {
            Ok(pages) => pages.fetch(url),
            Err(why) => crosscheck::claims::observe::PageSeen::Failed(why.clone()),
        }
    }
}
