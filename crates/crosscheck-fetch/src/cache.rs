//! Keeps pages between runs, if the user names a folder for them.
//!
//! One file for each URL key: a line of JSON, then the body. A file that cannot
//! be read counts as absent.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crosscheck_core::digest::Digest;
use crosscheck_core::files::write_atomic;
use serde::{Deserialize, Serialize};
use url::Url;

use super::address::{shown, url_key};
use super::fetch::{Fetched, Response};
use super::settings::CacheSettings;

const GONE_MAX_AGE: Duration = Duration::from_hours(1);
const FILE_MAX: u64 = 64 * 1024 * 1024;

pub(super) struct Cache(CacheSettings);

#[derive(Serialize, Deserialize)]
struct Kept {
    stored: u64,
    status: u16,
    content_type: Option<String>,
    challenged: bool,
    truncated: bool,
    final_url: String,
    redirects: usize,
    /// Length and SHA-256 of the body.
    #[serde(default)]
    body: Option<(usize, String)>,
}

impl Cache {
    pub(super) const fn new(settings: CacheSettings) -> Self {
        Self(settings)
    }

    pub(super) fn load(&self, url: &Url, now: SystemTime) -> Option<Fetched> {
        let mut bytes = read(&self.path(url))?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let kept: Kept = serde_json::from_slice(bytes.get(..end)?).ok()?;
        let most = if kept.status == 200 {
            self.0.max_age
        } else {
            self.0.max_age.min(GONE_MAX_AGE)
        };
        let stored = UNIX_EPOCH.checked_add(Duration::from_secs(kept.stored))?;
        if now.duration_since(stored).ok()? > most {
            return None;
        }
        bytes.drain(..=end);
        let body = bytes;
        let known = kept.body.filter(|(length, _)| *length == body.len());
        Some(Fetched {
            outcome: Ok(Response {
                status: kept.status,
                sha256: known.map(|(_, sha256)| sha256),
                content_type: kept.content_type,
                challenged: kept.challenged,
                retry_after: None,
                body,
                truncated: kept.truncated,
            }),
            final_url: Url::parse(&kept.final_url).ok()?,
            redirects: kept.redirects,
            elapsed: Duration::ZERO,
            attempts: 0,
            cached: true,
        })
    }

    /// Stores what may be cached; on a full disk only the cache is lost.
    pub(super) fn store(&self, url: &Url, fetched: &Fetched, now: SystemTime) {
        let Ok(response) = &fetched.outcome else {
            return;
        };
        if !matches!(response.status, 200 | 404 | 410) {
            return;
        }
        // Secrets in the address are not kept on disk.
        let mut final_url = fetched.final_url.clone();
        let _ = final_url.set_username("");
        let _ = final_url.set_password(None);
        let final_url = shown(final_url.as_str());
        let kept = Kept {
            stored: now
                .duration_since(UNIX_EPOCH)
                .map_or(0, |age| age.as_secs()),
            status: response.status,
            content_type: response.content_type.clone(),
            challenged: response.challenged,
            truncated: response.truncated,
            final_url,
            redirects: fetched.redirects,
            body: response
                .sha256
                .clone()
                .map(|sha256| (response.body.len(), sha256)),
        };
        if let Ok(mut bytes) = serde_json::to_vec(&kept) {
            bytes.push(b'\n');
            bytes.extend_from_slice(&response.body);
            let _ = write_atomic(&self.path(url), &bytes);
        }
    }

    fn path(&self, url: &Url) -> std::path::PathBuf {
        self.0
            .folder
            .join("pages")
            .join(Digest::of(url_key(url.as_str())).hex())
    }
}

/// A whole file, in one piece: its length is known, and thousands of them are read.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if length > FILE_MAX {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()? + 1);
    let read = file.by_ref().take(FILE_MAX).read_to_end(&mut bytes).ok()?;
    (read as u64 == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(status: u16) -> Fetched {
        Fetched {
            outcome: Ok(Response {
                status,
                content_type: Some("text/plain".to_owned()),
                challenged: false,
                retry_after: None,
                sha256: None,
                body: b"one\ntwo".to_vec(),
                truncated: false,
            }),
            final_url: Url::parse("http://u:p@a.example/z").unwrap(),
            redirects: 1,
            elapsed: Duration::ZERO,
            attempts: 1,
            cached: false,
        }
    }

    #[test]
    fn pages_and_missing_pages_are_kept_for_their_time_and_failures_never() {
        let folder = tempfile::tempdir().unwrap();
        let day = Duration::from_hours(24);
        let cache = Cache::new(CacheSettings {
            folder: folder.path().to_owned(),
            max_age: day,
        });
        let then = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (status, after, kept) in [
            (200, 86_000, true),
            (200, 87_000, false),
            (404, 3000, true),
            (410, 4000, false),
            (403, 1, false),
            (503, 1, false),
        ] {
            let url = Url::parse(&format!("http://a.example/{status}/{after}")).unwrap();
            cache.store(&url, &fetched(status), then);
            let found = cache.load(&url, then + Duration::from_secs(after));
            assert_eq!(found.is_some(), kept, "{status} after {after} s");
        }
        let url = Url::parse("http://other@a.example/200/86000#part").unwrap();
        let found = cache.load(&url, then).unwrap();
        assert_eq!(found.outcome.unwrap().body, b"one\ntwo");
        assert_eq!(found.final_url.as_str(), "http://a.example/z");
    }
}
