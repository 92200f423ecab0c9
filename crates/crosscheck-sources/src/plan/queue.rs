//! Jobs in the order in which they are done.
//!
//! Contract: sources 2.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use super::binding::Centrality;
use crate::check::Citation;
use crate::read::entry::LogEntry;

/// Where a job comes from; the first is done first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The Chair asked for it.
    Urgent,
    /// The Chair announced the entry.
    Notified,
    /// A challenge, or an entry that was challenged.
    Challenged,
    /// The URL looks made up.
    Candidate,
    /// Found by reading the log.
    Found,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Waits for a notification of the Chair until then.
    Waiting(Instant),
    /// Can be taken.
    Pending,
    /// A worker has it.
    InProgress,
    /// A result is in the log.
    Completed,
    /// Not part of the sample.
    Skipped,
    /// Its entry was struck.
    Struck,
}

/// One source of one entry.
#[derive(Debug, Clone)]
pub struct Job {
    /// The entry.
    pub entry: Arc<LogEntry>,
    /// The source and its text.
    pub citation: Citation,
    /// Where it comes from.
    pub class: Class,
    /// When the Chair's message came, in messages.
    pub arrival: u64,
    /// Its place inside the entry.
    pub centrality: Centrality,
    /// How far it is.
    pub state: State,
    /// How many results the log holds for it already.
    pub prior: usize,
    /// Fetch again although something is kept: the Chair asked after a suspect result.
    pub afresh: bool,
    /// What the Chair asked besides.
    pub asked: Option<String>,
    /// How often its message did not get through.
    pub failed: u32,
    /// The log it comes from was replaced while a worker had it.
    pub stale: bool,
}

type Order = (Class, u64, u64, Centrality, usize);

/// The jobs of a run.
#[derive(Debug, Default)]
pub struct Queue {
    jobs: Vec<Job>,
    index: HashMap<(u64, String), usize>,
    pending: BTreeSet<Order>,
    waiting: HashSet<usize>,
    busy: HashSet<String>,
    in_progress: usize,
}

impl Queue {
    /// Adds a job; its number, and whether it is new.
    pub fn add(&mut self, job: Job) -> (usize, bool) {
        let key = (job.entry.seq, job.citation.source.cited.key.clone());
        if let Some(known) = self.index.get(&key) {
            return (*known, false);
        }
        let id = self.jobs.len();
        self.index.insert(key, id);
        self.jobs.push(job);
        self.enlist(id);
        (id, true)
    }

    /// The job of an entry and a URL.
    pub fn find(&self, seq: u64, key: &str) -> Option<usize> {
        self.index.get(&(seq, key.to_owned())).copied()
    }

    /// A job.
    pub fn job(&self, id: usize) -> Option<&Job> {
        self.jobs.get(id)
    }

    /// All jobs, in the order in which they were added.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Changes a job, and with it its place.
    pub fn change(&mut self, id: usize, change: impl FnOnce(&mut Job)) {
        self.delist(id);
        if let Some(job) = self.jobs.get_mut(id) {
            change(job);
        }
        self.enlist(id);
    }

    /// Gives a job a better class; it never gets a worse one.
    pub fn promote(&mut self, id: usize, class: Class, arrival: u64) {
        self.change(id, |job| {
            if class < job.class {
                job.class = class;
                job.arrival = arrival;
            }
            let asked_for = class <= Class::Notified;
            if matches!(job.state, State::Waiting(_)) && asked_for
                || matches!(job.state, State::Skipped) && class < Class::Found
                || matches!(job.state, State::Struck) && asked_for
            {
                job.state = State::Pending;
            }
        });
    }

    /// Jobs whose wait is over.
    pub fn due(&self, now: Instant) -> Vec<usize> {
        let is_due = |id: &&usize| matches!(self.jobs.get(**id).map(|job| job.state), Some(State::Waiting(until)) if until <= now);
        let mut due: Vec<usize> = self.waiting.iter().filter(is_due).copied().collect();
        due.sort_unstable();
        due
    }

    /// Takes the next job whose URL is free; the reserve takes urgent ones only.
    pub fn take(&mut self, reserve: bool) -> Option<usize> {
        let id = self.pending.iter().find_map(|(class, .., id)| {
            let key = &self.jobs.get(*id)?.citation.source.cited.key;
            let fits = !reserve || *class == Class::Urgent;
            (fits && !self.busy.contains(key)).then_some(*id)
        })?;
        let key = self.jobs.get(id)?.citation.source.cited.key.clone();
        self.busy.insert(key);
        self.in_progress += 1;
        self.change(id, |job| job.state = State::InProgress);
        Some(id)
    }

    /// The result of a job is known; its URL is free again.
    pub fn complete(&mut self, id: usize) {
        if let Some(job) = self.jobs.get(id) {
            self.busy.remove(&job.citation.source.cited.key);
        }
        self.in_progress = self.in_progress.saturating_sub(1);
        self.change(id, |job| {
            job.state = State::Completed;
            job.afresh = false;
        });
    }

    /// The result of a job did not get out: it waits, to be done again.
    pub fn put_back(&mut self, id: usize, until: Instant) {
        self.complete(id);
        self.change(id, |job| {
            job.state = State::Waiting(until);
            job.failed += 1;
        });
    }

    /// Pending jobs in their order.
    pub fn order(&self) -> Vec<usize> {
        self.pending.iter().map(|(.., id)| *id).collect()
    }

    /// Jobs that can be taken, jobs a worker has, and jobs that wait.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.pending.len(), self.in_progress, self.waiting.len())
    }

    /// Forgets all jobs: the log was replaced. What a worker has is judged
    /// to its end, and its result belongs nowhere.
    pub fn forget(&mut self) {
        self.index.clear();
        for id in 0..self.jobs.len() {
            self.delist(id);
            if let Some(job) = self.jobs.get_mut(id) {
                if job.state == State::InProgress {
                    job.stale = true;
                } else {
                    job.state = State::Completed;
                }
            }
        }
    }

    fn order_of(job: &Job, id: usize) -> Order {
        let arrival = if job.class <= Class::Notified {
            job.arrival
        } else {
            0
        };
        (job.class, arrival, job.entry.seq, job.centrality, id)
    }

    fn enlist(&mut self, id: usize) {
        let Some(job) = self.jobs.get(id) else {
            return;
        };
        match job.state {
            State::Pending => {
                self.pending.insert(Self::order_of(job, id));
            }
            State::Waiting(_) => {
                self.waiting.insert(id);
            }
            State::InProgress | State::Completed | State::Skipped | State::Struck => {}
        }
    }

    fn delist(&mut self, id: usize) {
        self.waiting.remove(&id);
        if let Some(job) = self.jobs.get(id) {
            let order = Self::order_of(job, id);
            self.pending.remove(&order);
        }
    }
}

impl Job {
    /// A job found in the log.
    pub fn new(
        entry: Arc<LogEntry>,
        citation: Citation,
        index: usize,
        class: Class,
        state: State,
    ) -> Self {
        let centrality = citation.binding(None).centrality(index);
        Self {
            entry,
            citation,
            class,
            arrival: 0,
            centrality,
            state,
            prior: 0,
            afresh: false,
            asked: None,
            failed: 0,
            stale: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read::document::Firm;
    use crosscheck_core::Json;

    use super::*;
    use crate::read::cited::Cited;
    use crate::read::entry::Source;
    use crate::read::sentence::Sentence;

    fn job(seq: u64, url: &str, class: Class) -> Job {
        let json = Json::parse(&format!("{{\"seq\":{seq}}}")).unwrap();
        let entry = Arc::new(LogEntry::from_json(json.root(), seq).unwrap().0);
        let source = Source {
            cited: Cited::new(url).into(),
            title: None,
            claim: None,
            places: vec![1],
            at: None,
        };
        let citation = Citation {
            source,
            only: true,
            text: Arc::new(Sentence::all("A b c.").into()),
            bound: None,
            entry: None,
            firm: Firm::Yes,
            part: None,
        };
        Job::new(entry, citation, 0, class, State::Pending)
    }

    #[test]
    fn classes_come_before_arrival_and_arrival_before_seq() {
        let mut queue = Queue::default();
        let found = queue.add(job(1, "http://a.example/1", Class::Found)).0;
        let challenged = queue.add(job(5, "http://a.example/5", Class::Challenged)).0;
        let second = queue.add(job(2, "http://a.example/2", Class::Found)).0;
        let first = queue.add(job(3, "http://a.example/3", Class::Found)).0;
        queue.promote(second, Class::Notified, 2);
        queue.promote(first, Class::Notified, 1);
        assert_eq!(queue.order(), [first, second, challenged, found]);
        queue.promote(first, Class::Found, 0);
        assert_eq!(queue.order()[0], first, "a class never gets worse");
    }

    #[test]
    fn two_jobs_for_one_url_never_run_at_once() {
        let mut queue = Queue::default();
        let one = queue.add(job(1, "http://a.example/", Class::Found)).0;
        let two = queue.add(job(2, "http://a.example/#x", Class::Found)).0;
        let other = queue.add(job(3, "http://b.example/", Class::Found)).0;
        assert_eq!(queue.take(false), Some(one));
        assert_eq!(queue.take(false), Some(other));
        assert_eq!(queue.take(false), None);
        queue.complete(one);
        assert_eq!(queue.take(false), Some(two));
    }

    #[test]
    fn what_is_in_progress_when_the_log_is_replaced_belongs_nowhere() {
        let mut queue = Queue::default();
        let one = queue.add(job(1, "http://a.example/", Class::Found)).0;
        queue.add(job(2, "http://b.example/", Class::Found));
        assert_eq!(queue.take(false), Some(one));
        queue.forget();
        assert!(queue.job(one).unwrap().stale);
        assert_eq!(queue.counts(), (0, 1, 0));
        let (again, fresh) = queue.add(job(1, "http://a.example/", Class::Found));
        assert!(fresh && again != one);
        assert_eq!(queue.take(false), None, "two looks at one URL");
        queue.complete(one);
        assert_eq!(queue.take(false), Some(again));
    }

    #[test]
    fn the_reserve_takes_urgent_jobs_only() {
        let mut queue = Queue::default();
        let one = queue.add(job(1, "http://a.example/", Class::Found)).0;
        assert_eq!(queue.take(true), None);
        queue.promote(one, Class::Urgent, 1);
        assert_eq!(queue.take(true), Some(one));
    }

    #[test]
    fn a_job_is_in_the_queue_once() {
        let mut queue = Queue::default();
        assert!(queue.add(job(1, "http://a.example/", Class::Found)).1);
        assert!(!queue.add(job(1, "HTTP://a.example", Class::Found)).1);
    }
}
