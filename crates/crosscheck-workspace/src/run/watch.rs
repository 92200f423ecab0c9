//! Watches the status file while the LLM runs, and notifies the address when
//! the progress changes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::events;
use crate::read::status::{self, AgentStatus, StatusSeen};
use crate::workspace::Workspace;

const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Watches until it is dropped.
pub(super) struct StatusWatch {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StatusWatch {
    /// Starts watching, if progress is sent anywhere.
    pub(super) fn start(workspace: &Workspace) -> Option<Self> {
        let settings = &workspace.settings;
        let key = |name: &str| format!("notification.status_watch.{name}");
        let is_wanted = settings.wants_event("status_update") && settings.flag(&key("enabled"));
        let address = settings.text("notify_url").filter(|_| is_wanted)?;
        let debounce = settings.number(&key("debounce_ms")).unwrap_or(2000);
        let stop = Arc::new(AtomicBool::new(false));
        let watcher = Watcher {
            folder: workspace.folder.clone(),
            name: workspace.name.clone(),
            address,
            debounce: Duration::from_millis(debounce),
            only_meaningful: settings.flag(&key("notify_only_meaningful")),
        };
        let asked = Arc::clone(&stop);
        let thread = thread::spawn(move || watcher.watch(&asked));
        Some(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for StatusWatch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

struct Watcher {
    folder: PathBuf,
    name: String,
    address: String,
    debounce: Duration,
    only_meaningful: bool,
}

impl Watcher {
    /// A change is reported when the file has been unchanged for a while.
    fn watch(&self, stop: &AtomicBool) {
        let mut reported = self.look();
        let mut changed: Option<(AgentStatus, Instant)> = None;
        while !stop.load(Ordering::SeqCst) {
            thread::park_timeout(LOOK_AGAIN);
            let now = self.look();
            match &changed {
                Some((seen, since)) if *seen == now => {
                    if since.elapsed() >= self.debounce {
                        self.tell(&now);
                        reported = now;
                        changed = None;
                    }
                }
                _ if self.differs(&reported, &now) => changed = Some((now, Instant::now())),
                _ => changed = None,
            }
        }
        if let Some((seen, _)) = changed {
            self.tell(&seen);
        }
    }

    fn look(&self) -> AgentStatus {
        match status::load(&self.folder) {
            StatusSeen::Valid(claim) => claim,
            StatusSeen::Absent | StatusSeen::Invalid(_) => AgentStatus::default(),
        }
    }

    fn differs(&self, reported: &AgentStatus, now: &AgentStatus) -> bool {
        if self.only_meaningful {
            (reported.complete, reported.progress) != (now.complete, now.progress)
        } else {
            reported != now
        }
    }

    /// Delivery failures do not affect the run.
    fn tell(&self, claim: &AgentStatus) {
        let counts = claim.progress.map_or_else(String::new, |(done, all)| {
            format!("Progress: {done} of {all}\n")
        });
        let detail = format!("{counts}Complete: {}\n", claim.complete);
        let _ = events::post(&self.address, &self.name, "status_update", &detail);
    }
}
