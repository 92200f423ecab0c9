//! Not asking one host too much at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use super::settings::Politeness;

/// Hands out turns, host by host.
#[derive(Debug)]
pub(super) struct Turns {
    rules: Politeness,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    slots: Arc<Semaphore>,
    next: Mutex<Instant>,
}

impl Turns {
    pub(super) fn new(rules: Politeness) -> Self {
        Self {
            rules,
            hosts: Mutex::new(HashMap::new()),
        }
    }

    /// Waits until this host may be asked again; the turn ends with the permit.
    /// What is urgent has a place of its own and waits for the pause only.
    pub(super) async fn wait(&self, host: &str, urgent: bool) -> Option<OwnedSemaphorePermit> {
        let host = self.host(host);
        let permit = if urgent {
            None
        } else {
            Arc::clone(&host.slots).acquire_owned().await.ok()
        };
        let now = Instant::now();
        let start = {
            let mut next = host.next.lock().unwrap_or_else(PoisonError::into_inner);
            let start = (*next).max(now);
            *next = start + self.rules.interval;
            start
        };
        if start > now {
            sleep_until(start).await;
        }
        permit
    }

    /// The host asked for a pause; nobody asks it before that has passed.
    pub(super) fn pause(&self, host: &str, pause: Duration) {
        let host = self.host(host);
        let mut next = host.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(Instant::now() + pause);
    }

    fn host(&self, host: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = hosts.entry(host.to_ascii_lowercase()).or_insert_with(|| {
            Arc::new(Host {
                slots: Arc::new(Semaphore::new(self.rules.per_host.max(1))),
                next: Mutex::new(Instant::now()),
            })
        });
        Arc::clone(entry)
    }
}
