//! The versions of the report while the judge runs. Code of the project that the
//! judge starts could replace what the judge wrote.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crosscheck_core::files::read_regular;

const LOOK_AGAIN: Duration = Duration::from_millis(2);
const LARGEST: u64 = 1 << 20;
const MOST: usize = 64;

/// Looks at a file until it is asked for the result.
pub(crate) struct Versions {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Vec<u8>>>>,
}

impl Versions {
    pub(crate) fn watch(path: &Path) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (asked, path) = (Arc::clone(&stop), path.to_owned());
        let thread = thread::spawn(move || look_until(&asked, &path));
        Self {
            stop,
            thread: Some(thread),
        }
    }

    /// Every version that was replaced, in order: neither the last one nor one
    /// that was only continued.
    pub(crate) fn replaced_by(mut self, last: &[u8]) -> Vec<Vec<u8>> {
        self.stop.store(true, Ordering::SeqCst);
        let joined = self.thread.take().and_then(|thread| thread.join().ok());
        let mut versions = joined.unwrap_or_default();
        versions.push(last.to_owned());
        let pairs = versions.windows(2);
        pairs
            .filter_map(|pair| match pair {
                [old, new] if !new.starts_with(old) => Some(old.clone()),
                _ => None,
            })
            .collect()
    }
}

/// Also when the result is not needed.
impl Drop for Versions {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

fn look_until(stop: &AtomicBool, path: &Path) -> Vec<Vec<u8>> {
    let mut versions: Vec<Vec<u8>> = Vec::new();
    let mut last = None;
    while !stop.load(Ordering::SeqCst) {
        let stamp = fs::symlink_metadata(path).ok().map(|seen| {
            let changed = (seen.mtime_nsec(), seen.ctime(), seen.ctime_nsec());
            (seen.ino(), seen.len(), changed)
        });
        if stamp.is_some() && stamp != last {
            let bytes = read_regular(path, LARGEST).unwrap_or_default();
            if !bytes.is_empty() && versions.last() != Some(&bytes) {
                versions.truncate(MOST);
                versions.push(bytes);
            }
            last = stamp;
        }
        thread::sleep(LOOK_AGAIN);
    }
    versions
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use super::*;

    #[test]
    fn only_a_version_that_another_text_replaced_counts() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("r.md");
        let versions = Versions::watch(&path);
        for text in ["a", "ab", "x", "xy"] {
            fs::write(&path, text).unwrap();
            thread::sleep(Duration::from_millis(60));
        }
        assert_eq!(versions.replaced_by(b"xy"), [b"ab".to_vec()]);
    }
}
