//! Limits the requests to each host.
//!
//! A few requests run at a time, and a new one starts after an interval. After
//! 429 or 503 only one request runs at a time and the interval grows;
//! successful responses restore the rate step by step.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::settings::Politeness;

/// Interval after the first 429 or 503, and the longest one.
const SLOW: Duration = Duration::from_millis(500);
const SLOWEST: Duration = Duration::from_secs(2);
/// Number of successful responses that restore the rate by one step.
const GOOD_ANSWERS: u32 = 10;

/// Grants turns for each host.
#[derive(Debug)]
pub(super) struct Turns {
    rules: Politeness,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    line: Mutex<Line>,
    /// A request ended or left the queue.
    moved: Notify,
}

/// The queue of a host. A turn is granted only when it comes, so that an urgent
/// request does not wait behind requests that are not ready yet.
#[derive(Debug)]
struct Line {
    /// The earliest time of the next request to the host.
    next: Instant,
    /// Current interval between two requests.
    interval: Duration,
    /// Current limit of parallel requests.
    allowed: usize,
    /// Running requests, without urgent ones.
    busy: usize,
    /// Successful responses since the last change of the rate.
    good: u32,
    urgent: VecDeque<u64>,
    others: VecDeque<u64>,
    tickets: u64,
}

/// A place in the queue, released when dropped.
struct Place<'h> {
    host: &'h Host,
    ticket: u64,
    urgent: bool,
}

/// A request to a host; the turn ends when it is dropped.
pub(super) struct Turn(Option<Arc<Host>>);

impl Turns {
    pub(super) fn new(rules: Politeness) -> Self {
        Self {
            rules,
            hosts: Mutex::new(HashMap::new()),
        }
    }

    /// Waits until this host may be contacted again. Urgent requests ignore the
    /// limit of parallel requests and take the next turn.
    pub(super) async fn wait(&self, host: &str, urgent: bool) -> Turn {
        let host = self.host(host);
        host.enter(urgent).turn().await;
        Turn((!urgent).then_some(host))
    }

    /// The host answered 429 or 503; `pause` is its `Retry-After`.
    pub(super) fn slow_down(&self, host: &str, pause: Option<Duration>) {
        let host = self.host(host);
        let mut line = host.line();
        line.interval = (line.interval * 2).clamp(SLOW, SLOWEST.max(self.rules.interval));
        line.allowed = 1;
        line.good = 0;
        let pause = pause.unwrap_or(line.interval);
        line.next = line.next.max(Instant::now() + pause);
    }

    /// The host answered successfully.
    pub(super) fn went_well(&self, host: &str) {
        let host = self.host(host);
        let mut line = host.line();
        line.good += 1;
        if line.good >= GOOD_ANSWERS {
            line.good = 0;
            line.allowed = (line.allowed + 1).min(self.rules.per_host.max(1));
            let halved = line.interval / 2;
            line.interval = halved.max(self.rules.interval);
        }
    }

    fn host(&self, host: &str) -> Arc<Host> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = hosts.entry(host.to_ascii_lowercase()).or_insert_with(|| {
            Arc::new(Host {
                line: Mutex::new(Line {
                    next: Instant::now(),
                    interval: self.rules.interval,
                    allowed: self.rules.per_host.max(1),
                    busy: 0,
                    good: 0,
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

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(host) = &self.0 {
            host.line().busy -= 1;
            host.moved.notify_waiters();
        }
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
        Place {
            host: self,
            ticket,
            urgent,
        }
    }
}

impl Line {
    fn is_first(&self, ticket: u64) -> bool {
        self.urgent.front().or_else(|| self.others.front()) == Some(&ticket)
    }
}

impl Place<'_> {
    /// Waits for the turn and uses it.
    async fn turn(&self) {
        loop {
            // subscribes before it checks, so that no change is missed
            let mut moved = std::pin::pin!(self.host.moved.notified());
            moved.as_mut().enable();
            let wake = {
                let mut line = self.host.line();
                let now = Instant::now();
                let is_free = self.urgent || line.busy < line.allowed;
                let can_go = line.is_first(self.ticket) && is_free;
                if can_go && line.next <= now {
                    line.next = now + line.interval;
                    line.busy += usize::from(!self.urgent);
                    return;
                }
                can_go.then_some(line.next)
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

    #[test]
    fn a_host_that_refuses_is_asked_one_at_a_time_until_it_answers_again() {
        run(async {
            let turns = turns(3);
            let line = |check: fn(&Line) -> (Duration, usize)| check(&turns.host("a").line());
            let pace = |line: &Line| (line.interval, line.allowed);
            assert_eq!(line(pace), (INTERVAL, 3));
            turns.slow_down("a", Some(Duration::ZERO));
            assert_eq!(line(pace), (SLOW, 1));
            turns.slow_down("a", Some(Duration::ZERO));
            assert_eq!(line(pace), (SLOW * 2, 1));
            for _ in 0..4 * GOOD_ANSWERS {
                turns.went_well("a");
            }
            assert_eq!(line(pace), (INTERVAL, 3));
            for _ in 0..40 {
                turns.slow_down("a", Some(Duration::ZERO));
            }
            assert_eq!(line(pace), (SLOWEST, 1));
        });
    }

    #[test]
    fn no_more_requests_run_at_once_than_are_allowed() {
        run(async {
            let turns = Arc::new(Turns::new(Politeness {
                per_host: 2,
                interval: Duration::ZERO,
            }));
            let first = turns.wait("a", false).await;
            let _second = turns.wait("a", false).await;
            let soon = Duration::from_millis(20);
            let third = tokio::time::timeout(soon, turns.wait("a", false)).await;
            assert!(third.is_err());
            let urgent = tokio::time::timeout(soon, turns.wait("a", true)).await;
            assert!(urgent.is_ok());
            drop(first);
            let third = tokio::time::timeout(soon, turns.wait("a", false)).await;
            assert!(third.is_ok());
        });
    }
}
