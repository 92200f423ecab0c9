//! The board: everything the threads of a debate share, and how the log and
//! the Chair change it.
//!
//! Contract: sources 2.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::commit::Judged;
use super::debate::{DebateError, DebateRequest};
use super::shelf::Shelf;
use crate::check::{Citation, Passage};
use crate::finding::{Finding, Rule};
use crate::judge::lint::Linter;
use crate::plan::candidate::is_candidate;
use crate::plan::queue::{Class, Job, Queue, State};
use crate::read::cited::Cited;
use crate::read::document::Firm;
use crate::read::entry::{CHAIR, LogEntry, Source};
use crate::read::inbox::Urgent;
use crate::read::log::News;
use crate::read::results::{Earlier, Known, earlier};
use crate::read::sentence::Sentence;
use crate::read::urls::urls_in;
use crate::report::result::Row;
use crate::status::SourceStatus;

#[derive(Default)]
pub(super) struct Board {
    pub(super) queue: Queue,
    pub(super) known: Known,
    pub(super) shelf: Shelf,
    pub(super) findings: Vec<Finding>,
    pub(super) rows: Vec<Row>,
    /// Where in the rows the jobs are that may run again.
    again: HashMap<(Option<u64>, Arc<str>), usize>,
    pub(super) ready: Vec<Judged>,
    /// One-shot runs write in this order.
    pub(super) order: Option<VecDeque<usize>>,
    pub(super) error: Option<DebateError>,
    pub(super) stopping: bool,
    pub(super) concluded: bool,
    entries: HashMap<u64, Vec<Arc<Talk>>>,
    /// The numbers of all entries, results included.
    numbers: HashSet<u64>,
    struck: HashSet<u64>,
    challenged: HashSet<u64>,
    linter: Linter,
    arrivals: u64,
}

/// An entry and its sentences.
struct Talk {
    entry: Arc<LogEntry>,
    text: Arc<Passage>,
}

/// What an urgent request leads to besides work.
pub(super) enum Answer {
    /// The job is done: this is what is known.
    Known {
        seq: u64,
        url: String,
        first: Earlier,
        asked: Option<String>,
    },
    /// The entry does not cite this.
    NotCited,
}

impl Board {
    /// Notes a result. A job that ran again counts once, with its last one.
    pub(super) fn note(&mut self, row: Row) {
        let job = (row.seq, row.key.clone());
        let at = self.again.remove(&job).unwrap_or(self.rows.len());
        if row.status == SourceStatus::Suspect {
            self.again.insert(job, at);
        }
        match self.rows.get_mut(at) {
            Some(before) => *before = row,
            None => self.rows.push(row),
        }
    }

    /// What the log says about sources that were not checked in this run.
    pub(super) fn recorded(&self) -> Vec<SourceStatus> {
        let own: HashSet<(Option<u64>, &str)> =
            self.rows.iter().map(|row| (row.seq, &*row.key)).collect();
        let jobs = self.queue.jobs().iter();
        jobs.filter_map(|job| {
            let key = &job.citation.source.cited.key;
            let is_own = own.contains(&(Some(job.entry.seq), key.as_str()));
            let done = self.known.job(job.entry.seq, key).filter(|_| !is_own)?;
            Some(done.last)
        })
        .collect()
    }

    /// Takes in what the log brought.
    pub(super) fn absorb(&mut self, news: News, request: &DebateRequest, now: Instant) {
        if news.restarted {
            self.queue.forget();
            self.known = Known::default();
            self.entries.clear();
            self.numbers.clear();
            self.struck.clear();
            self.challenged.clear();
            self.linter = Linter::default();
            self.findings.clear();
        }
        self.findings.extend(news.findings);
        for entry in news.entries {
            self.entry(entry, request, now);
        }
    }

    fn entry(&mut self, entry: LogEntry, request: &DebateRequest, now: Instant) {
        self.findings.extend(self.linter.look(&entry));
        self.numbers.insert(entry.seq);
        if entry.is_result() {
            if let Some(result) = earlier(&entry) {
                self.learn(result);
            }
            return;
        }
        for seq in entry.strikes() {
            // An entry named on the command line is checked, struck or not.
            if !request.only.contains(&seq) {
                self.strike(seq);
            }
        }
        self.concluded |= entry.kind == "conclusion" && entry.speaker == CHAIR;
        let target = entry.challenged();
        let text = Arc::new(Passage::from(Sentence::of_entry(&entry.content)));
        let talk = Arc::new(Talk {
            entry: Arc::new(entry),
            text,
        });
        self.entries
            .entry(talk.entry.seq)
            .or_default()
            .push(Arc::clone(&talk));
        if request.only.is_empty() || request.only.contains(&talk.entry.seq) {
            self.add_jobs(&talk, request, now);
        }
        if let Some(target) = target {
            self.challenged.insert(target);
            self.promote_entry(target, Class::Challenged);
            self.promote_entry(talk.entry.seq, Class::Challenged);
        }
    }

    fn add_jobs(&mut self, talk: &Arc<Talk>, request: &DebateRequest, now: Instant) {
        let seq = talk.entry.seq;
        for (index, source) in talk.entry.sources.iter().enumerate() {
            let class = if talk.entry.kind == "source_challenge" || self.challenged.contains(&seq) {
                Class::Challenged
            } else if is_candidate(&source.cited, &talk.entry.timestamp) {
                Class::Candidate
            } else {
                Class::Found
            };
            let state = if self.struck.contains(&seq) && request.only.is_empty() {
                State::Struck
            } else if let Some(watch) = request.watch {
                State::Waiting(now + watch.grace)
            } else {
                State::Pending
            };
            self.add_job(talk, source, index, class, state);
        }
    }

    fn add_job(
        &mut self,
        talk: &Arc<Talk>,
        source: &Source,
        index: usize,
        class: Class,
        state: State,
    ) -> usize {
        let citation = Citation {
            source: source.clone(),
            only: talk.entry.sources.len() == 1,
            text: Arc::clone(&talk.text),
            bound: None,
            entry: None,
            firm: Firm::Yes,
            part: None,
        };
        let mut job = Job::new(Arc::clone(&talk.entry), citation, index, class, state);
        if let Some(done) = self.known.job(talk.entry.seq, &source.cited.key) {
            job.state = State::Completed;
            job.prior = done.times;
        }
        self.queue.add(job).0
    }

    /// A result is in the log.
    pub(super) fn learn(&mut self, result: Earlier) {
        let (seq, key) = (result.verified_seq, result.key.clone());
        self.known.learn(result);
        let times = self.known.job(seq, &key).map_or(0, |done| done.times);
        if let Some(id) = self.queue.find(seq, &key) {
            self.queue.change(id, |job| {
                if matches!(
                    job.state,
                    State::Pending | State::Waiting(_) | State::Skipped
                ) && times > job.prior
                {
                    job.state = State::Completed;
                    job.prior = times;
                }
            });
        }
    }

    fn strike(&mut self, seq: u64) {
        self.struck.insert(seq);
        for id in self.jobs_of(seq) {
            self.queue.change(id, |job| {
                let open = matches!(
                    job.state,
                    State::Pending | State::Waiting(_) | State::Skipped
                );
                if open && job.class > Class::Notified {
                    job.state = State::Struck;
                }
            });
        }
    }

    fn promote_entry(&mut self, seq: u64, class: Class) {
        for id in self.jobs_of(seq) {
            self.queue.promote(id, class, 0);
        }
    }

    fn jobs_of(&self, seq: u64) -> Vec<usize> {
        let talks = self.entries.get(&seq).into_iter().flatten();
        let sources = talks.flat_map(|talk| &talk.entry.sources);
        sources
            .filter_map(|source| self.queue.find(seq, &source.cited.key))
            .collect()
    }

    /// Results are written in the order in which the jobs are now.
    pub(super) fn fix_order(&mut self) {
        self.order = Some(self.queue.order().into());
    }

    /// Whether the log has brought this entry.
    pub(super) fn has(&self, seq: u64) -> bool {
        self.numbers.contains(&seq)
    }

    /// Entries that were asked for and are not in the log; each is a finding.
    pub(super) fn name_unknown(&mut self, only: &[u64]) -> Vec<u64> {
        let mut unknown = only.to_vec();
        unknown.retain(|seq| !self.numbers.contains(seq));
        let message = "an entry was asked for that is not in the log";
        let findings = unknown
            .iter()
            .map(|seq| Finding::entry(Rule::UnknownSeq, *seq, message));
        self.findings.extend(findings);
        unknown
    }

    /// The Chair announced an entry.
    pub(super) fn notify(&mut self, seq: u64) {
        self.arrivals += 1;
        for id in self.jobs_of(seq) {
            self.queue.promote(id, Class::Notified, self.arrivals);
        }
    }

    /// The Chair wants something checked now.
    pub(super) fn urgent(&mut self, urgent: &Urgent) -> Vec<Answer> {
        self.arrivals += 1;
        let arrival = self.arrivals;
        let talks: Vec<Arc<Talk>> = self
            .entries
            .get(&urgent.seq)
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let mut answers = Vec::new();
        if talks
            .iter()
            .all(|talk| wanted(&talk.entry, urgent.url.as_deref()).is_empty())
        {
            answers.push(Answer::NotCited);
        }
        for talk in talks {
            for (index, source) in wanted(&talk.entry, urgent.url.as_deref()) {
                let id = self
                    .queue
                    .find(urgent.seq, &source.cited.key)
                    .unwrap_or_else(|| {
                        self.add_job(&talk, &source, index, Class::Found, State::Pending)
                    });
                answers.extend(self.ask(id, urgent, arrival));
            }
        }
        answers
    }

    fn ask(&mut self, id: usize, urgent: &Urgent, arrival: u64) -> Option<Answer> {
        let job = self.queue.job(id)?;
        let cited = job.citation.source.cited.clone();
        if job.state != State::Completed {
            self.queue
                .change(id, |job| job.asked.clone_from(&urgent.claim));
            self.queue.promote(id, Class::Urgent, arrival);
            return None;
        }
        let done = self.known.job(urgent.seq, &cited.key);
        let suspect = done.is_none_or(|done| done.last == SourceStatus::Suspect);
        if let Some(first) = self.known.url(&cited.key).filter(|_| !suspect) {
            let (seq, asked) = (urgent.seq, urgent.claim.clone());
            return Some(Answer::Known {
                seq,
                url: cited.text.clone(),
                first: first.clone(),
                asked,
            });
        }
        self.queue.change(id, |job| {
            job.state = State::Pending;
            job.class = Class::Urgent;
            job.arrival = arrival;
            job.afresh = true;
            job.prior = done.map_or(0, |done| done.times);
            job.asked.clone_from(&urgent.claim);
        });
        None
    }

    /// Lets jobs go whose wait is over: those of the Chair's interest in full,
    /// of the rest a sample in central order.
    pub(super) fn release(&mut self, now: Instant, rate: f64) {
        for id in self.queue.due(now) {
            let Some(job) = self.queue.job(id) else {
                continue;
            };
            let known = self.known.url(&job.citation.source.cited.key).is_some();
            let chosen = job.class < Class::Found
                || known
                || self.rank(id) < sample(rate, job.entry.sources.len());
            self.queue.change(id, |job| {
                job.state = if chosen {
                    State::Pending
                } else {
                    State::Skipped
                }
            });
        }
    }

    /// How many sources of the same entry are more central.
    fn rank(&self, id: usize) -> usize {
        let Some(job) = self.queue.job(id) else {
            return 0;
        };
        let mates = self.jobs_of(job.entry.seq);
        mates
            .iter()
            .filter_map(|mate| self.queue.job(*mate))
            .filter(|mate| mate.centrality < job.centrality)
            .count()
    }

    /// Nothing is left to do, and nothing waits.
    pub(super) fn is_idle(&self) -> bool {
        self.queue.counts() == (0, 0, 0) && self.ready.is_empty()
    }
}

/// The sources an urgent request is about: all of the entry, or the one with
/// this URL. A URL that is only in the text is cited too; any other is not
/// the entry's, and its speaker must not be accused of it.
fn wanted(entry: &LogEntry, url: Option<&str>) -> Vec<(usize, Source)> {
    let all = entry.sources.iter().cloned().enumerate();
    let Some(url) = url else {
        return all.collect();
    };
    let cited = Cited::new(url);
    let found: Vec<(usize, Source)> = all
        .filter(|(_, source)| {
            source.cited.key == cited.key || source.cited.text.trim() == url.trim()
        })
        .collect();
    let in_text = || {
        urls_in(&entry.content)
            .into_iter()
            .filter_map(|range| entry.content.get(range))
            .any(|text| Cited::new(text).key == cited.key)
    };
    if found.is_empty() && in_text() {
        return vec![(
            entry.sources.len(),
            Source {
                cited: Arc::new(cited),
                title: None,
                claim: None,
                places: Vec::new(),
                at: None,
            },
        )];
    }
    found
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share between 0 and 1 of a short list"
)]
fn sample(rate: f64, sources: usize) -> usize {
    ((rate.clamp(0.0, 1.0) * sources as f64).ceil() as usize).max(1)
}
