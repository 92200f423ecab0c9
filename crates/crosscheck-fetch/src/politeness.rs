//! Limits the requests to each host.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::settings::Politeness;

/// Grants turns for each host.
#[derive(Debug)]
pub(super) struct Turns {
    rules: Politeness,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    slots: Arc<Semaphore>,
    line: Mutex<Line>,
    /// A request left the queue.
    moved: Notify,
}

/// The queue of a host. A turn is granted only when it comes, so that an urgent
/// request does not wait behind requests that are not ready yet.
#[derive(Debug)]
struct Line {
    /// The earliest time of the next request to the host.
    next: Instant,
    urgent: VecDeque<u64>,
    others: VecDeque<u64>,
    tickets: u64,
}

/// A place in the queue, released when dropped.
struct Place<'h> {
    host: &'h Host,
    ticket: u64,
}

impl Turns {
    pub(super) fn new(rules: Politeness) -> Self {
        Self {
            rules,
            hosts: Mutex::new(HashMap::new()),
        }
    }

    /// Waits until this host may be contacted again; the turn ends when the
    /// permit is dropped. Urgent requests have their own place and take the
    /// next turn.
    pub(super) async fn wait(&self, host: &str, urgent: bool) -> Option<OwnedSemaphorePermit> {
        let host = self.host(host);
        let permit = if urgent {
            None
        } else {
            Arc::clone(&host.slots).acquire_owned().await.ok()
        };
        host.enter(urgent).turn(self.rules.interval).await;
        permit
    }

    /// The host asked for a pause; no request is sent before it ends.
    pub(super) fn pause(&self, host: &str, pause: Duration) {
        let host = self.host(host);
        let mut line = host.line();
        line.next = line.next.max(Instant::now() + pause);
    }

    fn host(&self, host: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = hosts.entry(host.to_ascii_lowercase()).or_insert_with(|| {
            Arc::new(Host {
                slots: Arc::new(Semaphore::new(self.rules.per_host.max(1))),
                line: Mutex::new(Line {
                    next: Instant::now(),
                    urgent: VecDeque::new(),
                    others: VecDeque::new(),
                    tickets: 0,
                }),
                moved: Notify::new(),
            })
        });
        Arc::clone(entry)
    }
}

impl Host {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, urgent: bool) -> Place<'_> {
        let mut line = self.line();
        line.tickets += 1;
        let ticket = line.tickets;
        if urgent {
            line.urgent.push_back(ticket);
        } else {
            line.others.push_back(ticket);
        }
        drop(line);
        Place { host: self, ticket }
    }
}

impl Line {
    fn is_first(&self, ticket: u64) -> bool {
        self.urgent.front().or_else(|| self.others.front()) == Some(&ticket)
    }
}

impl Place<'_> {
    /// Waits for the turn and uses it.
    async fn turn(&self, interval: Duration) {
        loop {
            // subscribes before it checks, so that no change is missed
            let mut moved = std::pin::pin!(self.host.moved.notified());
            moved.as_mut().enable();
            let wake = {
                let mut line = self.host.line();
                let now = Instant::now();
                let is_first = line.is_first(self.ticket);
                if is_first && line.next <= now {
                    line.next = now + interval;
                    return;
                }
                is_first.then_some(line.next)
            };
            match wake {
                Some(at) => {
                    let _ = timeout_at(at, moved).await;
                }
                None => moved.await,
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = self.host.line();
        line.urgent.retain(|ticket| *ticket != self.ticket);
        line.others.retain(|ticket| *ticket != self.ticket);
        drop(line);
        self.host.moved.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Duration = Duration::from_millis(120);

    fn turns(per_host: usize) -> Arc<Turns> {
        Arc::new(Turns::new(Politeness {
            per_host,
            interval: INTERVAL,
        }))
    }

    fn run(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().build().unwrap().block_on(test);
    }

    #[test]
    fn an_urgent_request_takes_the_next_turn_and_pauses_are_kept() {
        run(async {
            let (turns, order) = (turns(2), Arc::new(Mutex::new(Vec::new())));
            let begun = Instant::now();
            let ask = |name: &'static str, urgent: bool| {
                let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
                tokio::spawn(async move {
                    let permit = turns.wait("a.example", urgent).await;
                    order.lock().unwrap().push((name, begun.elapsed()));
                    drop(permit);
                })
            };
            let mut asked = vec![ask("a", false), ask("b", false), ask("c", false)];
            tokio::time::sleep(INTERVAL / 4).await;
            asked.push(ask("urgent", true));
            for one in asked {
                one.await.unwrap();
            }
            let order = order.lock().unwrap();
            let names: Vec<&str> = order.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, ["a", "urgent", "b", "c"]);
            for pair in order.windows(2) {
                assert!(pair[1].1 + Duration::from_millis(5) >= pair[0].1 + INTERVAL);
            }
        });
    }

    #[test]
    fn a_request_that_stops_waiting_leaves_the_queue() {
        run(async {
            let turns = turns(2);
            turns.wait("a.example", false).await;
            let given_up = tokio::time::timeout(INTERVAL / 8, turns.wait("a.example", false)).await;
            assert!(given_up.is_err());
            turns.wait("a.example", false).await;
        });
    }
}
