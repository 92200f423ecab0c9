//! How a site says "not found" when it answers 200 to everything.

use std::sync::Arc;

use crosscheck_fetch::Url;

use super::page::{Looker, PageSeen};
use crate::read::cited::host_of;

impl Looker {
    /// The page a site shows for a path that cannot exist, asked for once for
    /// each host; `None` when the site says so by its status, as it should.
    pub fn missing_page(&self, url: &Url) -> Option<Arc<PageSeen>> {
        let host = host_of(url)?;
        let known = self.probes.lock().ok()?.get(&host).cloned();
        if let Some(known) = known {
            return known;
        }
        let mut name = [0; 8];
        getrandom::fill(&mut name).ok()?;
        let sibling = url
            .join(&format!("./crosscheck-{:016x}", u64::from_le_bytes(name)))
            .ok()?;
        let page = self.look_at(&sibling).page().map(Arc::clone);
        self.probes.lock().ok()?.insert(host, page.clone());
        page
    }
}
