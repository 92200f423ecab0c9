//! The one gate through which results leave: message first, then the log.
//!
//! Contract: sources 2, sources 7.

use std::time::{Duration, Instant, SystemTime};

use crosscheck_core::Event;

use super::debate::{DebateError, Running};
use super::tell_judged;
use crate::finding::{Finding, Rule};
use crate::judge::ruling::Ruling;
use crate::observe::Look;
use crate::plan::binding::Strength;
use crate::plan::queue::Job;
use crate::read::results::Earlier;
use crate::reasons::Code;
use crate::report::append::{AppendError, Appended, LogWriter};
use crate::report::message::{Message, reconfirmed_text};
use crate::report::outbox::Outbox;
use crate::report::result::{Asked, Details, ResultContent, Row, Shown, entry_url, shown_claim};
use crate::settings::is_listed;
use crate::status::SourceStatus;
use crate::words::shown_url;

/// How often a message is tried again while a log is followed.
const RESENDS: u32 = 3;
const RESEND_AFTER: Duration = Duration::from_secs(1);

/// The holder may write.
pub(super) struct Gate {
    pub(super) outbox: Outbox,
    pub(super) writer: LogWriter,
}

/// A job that was judged and not yet written.
#[derive(Clone)]
pub(super) struct Judged {
    id: usize,
    job: Job,
    ruling: Ruling,
    shown: Shown,
    asked: Option<Asked>,
    /// The first finding, when the URL was known.
    first: Option<Earlier>,
    findings: Vec<Finding>,
}

impl Judged {
    pub(super) fn fresh(
        id: usize,
        job: &Job,
        ruling: Ruling,
        look: &Look,
        asked: Option<Asked>,
    ) -> Self {
        let mut findings = Vec::new();
        if ruling.figure_missing && ruling.binding == Some(Strength::Strong) {
            let url = shown_url(&job.citation.source.cited.text);
            findings.push(Finding::entry(
                Rule::R24,
                job.entry.seq,
                &format!("a figure is not on the cited page {url}"),
            ));
        }
        findings.extend(verdict_finding(job, ruling.status));
        Self {
            id,
            job: job.clone(),
            ruling,
            shown: Shown::of(look),
            asked,
            first: None,
            findings,
        }
    }

    fn message(&self, now: SystemTime) -> Message {
        let (seq, url) = (self.job.entry.seq, &self.job.citation.source.cited.text);
        let message = match &self.first {
            Some(first) => Message::reconfirmed(seq, url, first.verified_seq, first.status, now),
            None => Message::result(seq, &self.job.entry.speaker, url, &self.ruling, now),
        };
        message.with_asked(self.asked.clone())
    }

    fn is_fabricated(&self) -> bool {
        self.ruling.status == SourceStatus::Fabricated
    }
}

/// What the verdict on a source says about the rules of the debate.
fn verdict_finding(job: &Job, status: SourceStatus) -> Option<Finding> {
    let url = shown_url(&job.citation.source.cited.text);
    let (rule, message) = match status {
        SourceStatus::Fabricated => (Rule::R12, format!("fabricated source {url}")),
        SourceStatus::Unreliable => (
            Rule::R13,
            format!("the source does not support its claim: {url}"),
        ),
        SourceStatus::Verified | SourceStatus::Suspect => return None,
    };
    Some(Finding::entry(rule, job.entry.seq, &message))
}

impl Running<'_> {
    /// A known URL: no fetch, the status of the first finding.
    pub(super) fn reconfirm(
        &self,
        id: usize,
        job: &Job,
        first: Earlier,
        kept: Option<&Look>,
    ) -> Judged {
        let (seq, url) = (job.entry.seq, &job.citation.source.cited.text);
        let asked = job
            .asked
            .as_ref()
            .map(|claim| self.checker.asked(claim, kept));
        let mut findings = Vec::new();
        if let Some(kept) = kept {
            let again = self.checker.rule(&job.citation, kept);
            if again.status != first.status && self.checker.looker.settings.rejudge {
                return Judged::fresh(id, job, again, &kept.again(), asked);
            }
            if again.status > first.status {
                let message = format!(
                    "{} was judged {} for this claim: {}",
                    shown_url(url),
                    again.status.word(),
                    again.code.word()
                );
                findings.push(Finding::entry(Rule::ReusedSource, seq, &message));
            }
        }
        findings.extend(verdict_finding(job, first.status));
        let text = reconfirmed_text(seq, &shown_url(url), first.verified_seq, first.status);
        let ruling = Ruling::plain(first.status, Code::Reconfirmed, text);
        let shown = Shown {
            cached: true,
            ..Shown::default()
        };
        Judged {
            id,
            job: job.clone(),
            ruling,
            shown,
            asked,
            first: Some(first),
            findings,
        }
    }

    /// Writes everything that may be written now, fabricated sources first.
    pub(super) fn commit_ready(&self) {
        loop {
            let mut gate = self.gate();
            let Some(mut judged) = self.next_ready() else {
                return;
            };
            self.hear_late(&mut judged);
            self.commit(&mut gate, &judged);
            drop(gate);
            self.wake.notify_all();
        }
    }

    fn next_ready(&self) -> Option<Judged> {
        let mut board = self.board();
        let at = board
            .ready
            .iter()
            .position(Judged::is_fabricated)
            .or_else(|| match &board.order {
                Some(order) => {
                    let next = *order.front()?;
                    board.ready.iter().position(|judged| judged.id == next)
                }
                None => (!board.ready.is_empty()).then_some(0),
            })?;
        let judged = board.ready.remove(at);
        if let Some(order) = &mut board.order {
            order.retain(|id| *id != judged.id);
        }
        Some(judged)
    }

    /// What the Chair asked while the job was being worked on.
    fn hear_late(&self, judged: &mut Judged) {
        let (asked, kept) = {
            let board = self.board();
            let asked = board.queue.job(judged.id).and_then(|job| job.asked.clone());
            if asked == judged.job.asked {
                return;
            }
            let key = &judged.job.citation.source.cited.key;
            (asked, board.shelf.get(key).cloned())
        };
        judged.asked = asked
            .as_ref()
            .map(|claim| self.checker.asked(claim, kept.as_ref()));
        judged.job.asked = asked;
    }

    /// Tells the Chair, then the log. What the Chair did not get is not written
    /// down either: a result in the log would never be reported again.
    fn commit(&self, gate: &mut Gate, judged: &Judged) {
        let now = self.clock.now();
        if self.is_stale(judged) {
            return;
        }
        if judged.ruling.code == Code::MachineLimit {
            self.not_looked_at(judged);
            return;
        }
        if let Err(error) = gate.outbox.send(&judged.message(now)) {
            self.undelivered(judged, error);
            return;
        }
        let appended = gate
            .writer
            .result(&self.content(judged), judged.job.prior, now);
        self.written(judged, appended);
        // A question that came while the result was being written is answered after it.
        let mut late = judged.clone();
        self.hear_late(&mut late);
        if late.job.asked != judged.job.asked
            && let Err(error) = gate.outbox.send(&late.message(now))
        {
            self.board().error = Some(DebateError::Outbox(error));
        }
    }

    /// The entry was part of a log that is gone: its result would be about another one's.
    fn is_stale(&self, judged: &Judged) -> bool {
        let mut board = self.board();
        let stale = board.queue.job(judged.id).is_some_and(|job| job.stale);
        if stale {
            board.queue.complete(judged.id);
        }
        stale
    }

    /// A limit of this machine is not a result: neither the Chair nor the log is told, and the next
    /// run looks again; while a log is followed, this one does.
    fn not_looked_at(&self, judged: &Judged) {
        let mut board = self.board();
        if self.request.watch.is_some() && judged.job.failed < RESENDS && !board.stopping {
            let until = Instant::now() + RESEND_AFTER * (judged.job.failed + 1);
            board.queue.put_back(judged.id, until);
            return;
        }
        board.queue.complete(judged.id);
        drop(board);
        let seq = judged.job.entry.seq;
        let why = format!("seq {seq} is not recorded: {}", judged.ruling.explanation());
        self.listener.hear(Event::Warning(&why));
        self.report_row(judged);
    }

    /// While a log is followed the job is done again a little later, a few times.
    fn undelivered(&self, judged: &Judged, error: std::io::Error) {
        let again = self.request.watch.is_some() && judged.job.failed < RESENDS;
        let mut board = self.board();
        if again && !board.stopping {
            let until = Instant::now() + RESEND_AFTER * (judged.job.failed + 1);
            board.queue.put_back(judged.id, until);
            drop(board);
            let why = format!("a message to the Chair did not get through: {error}");
            self.listener.hear(Event::Warning(&why));
            return;
        }
        board.error = Some(DebateError::Outbox(error));
        board.queue.complete(judged.id);
        drop(board);
        self.report_row(judged);
    }

    fn written(&self, judged: &Judged, appended: Result<Appended, AppendError>) {
        let Judged {
            id, job, ruling, ..
        } = judged;
        let (seq, cited) = (job.entry.seq, &job.citation.source.cited);
        let mut board = self.board();
        match appended {
            Ok(Appended::Written {
                seq: result_seq,
                repaired,
            }) => {
                if repaired {
                    let message = "a missing line feed was added to the last line";
                    board.findings.push(Finding::entry(
                        Rule::TornLineRepaired,
                        result_seq,
                        message,
                    ));
                }
                board.known.learn(Earlier {
                    verified_seq: seq,
                    key: cited.key.clone(),
                    status: ruling.status,
                    result_seq,
                });
            }
            Ok(Appended::AlreadyThere) => {}
            Err(error) => board.error = Some(DebateError::Append(error)),
        }
        board.queue.complete(*id);
        drop(board);
        self.report_row(judged);
    }

    /// What was found is in the report, whether or not it could be reported.
    fn report_row(&self, judged: &Judged) {
        let row = self.row(judged);
        let mut board = self.board();
        board.findings.extend(judged.findings.clone());
        board.findings.extend(self.self_published(judged));
        board.note(row.clone());
        drop(board);
        tell_judged(&self.listener, &row);
    }

    fn content(&self, judged: &Judged) -> ResultContent {
        let Judged {
            job,
            ruling,
            shown,
            asked,
            first,
            ..
        } = judged;
        let disguised = ruling.status == SourceStatus::Suspect
            && self.checker.looker.settings.suspect_as.is_some();
        let explanation = ruling.explanation();
        let details = Details {
            code: ruling.code.word().to_owned(),
            confidence: ruling.confidence,
            http_status: shown.http_status,
            final_url: shown.final_url.as_deref().map(str::to_owned),
            claim: shown_claim(ruling).as_deref().map(str::to_owned),
            binding: ruling.binding.map(Strength::word),
            prev_result_seq: first.as_ref().map(|first| first.result_seq),
            content_sha256: shown.sha256.clone(),
            judge: shown
                .sha256
                .as_ref()
                .map(|_| self.checker.judge.id().to_owned()),
            asked: asked.clone(),
        };
        ResultContent {
            verified_seq: job.entry.seq,
            url: entry_url(&job.citation.source.cited.text),
            status: if disguised {
                SourceStatus::Unreliable.word()
            } else {
                ruling.status.word()
            },
            explanation: if disguised {
                format!("SUSPECT: {explanation}")
            } else {
                explanation
            },
            details: (!self.request.minimal_content).then_some(details),
        }
    }

    fn row(&self, judged: &Judged) -> Row {
        let input = self.request.log.display().to_string().into();
        let cited = &judged.job.citation.source.cited;
        Row {
            seq: Some(judged.job.entry.seq),
            ..Row::new(input, cited, &judged.ruling, judged.shown.clone())
        }
    }

    fn self_published(&self, judged: &Judged) -> Option<Finding> {
        let host = judged.job.citation.source.cited.host()?;
        let listed = is_listed(&host, &self.checker.looker.settings.self_published_domains);
        listed.then(|| {
            Finding::entry(
                Rule::SelfPublished,
                judged.job.entry.seq,
                &format!("{host} is self-published"),
            )
        })
    }

    /// Writes the findings into the log, when asked for.
    pub(super) fn write_lint(&self) {
        let findings = self.board().findings.clone();
        if !self.request.log_lint || findings.is_empty() {
            return;
        }
        let text = serde_json::to_string(&findings).unwrap_or_default();
        let mut gate = self.gate();
        if let Err(error) = gate.writer.lint(&text, self.clock.now()) {
            self.board().error = Some(DebateError::Append(error));
        }
    }
}
