//! What we tell: one pass over the judged steps collects everything the
//! documents need, in bounded memory; then the documents are written.
//!
//! Contract: check 7.

pub(crate) mod analysis;
pub(crate) mod budget;
pub(crate) mod certificate;
mod correctness;
mod evidence;
mod findings;
mod human;
mod neutral;
mod resolved;
pub(crate) mod result;
pub(crate) mod spool;
mod status;
mod step;
pub(crate) mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;

use crosscheck_core::text::one_line as line;
use crosscheck_core::{JsString, Verdict, canonical};
use serde_json::json;

use super::error::ContractError;
use super::judge::StepStatus;
use super::plan::{Request, show};
use super::policy::Policy;
use super::read::Log;
use super::reasons::ContractReason;
use crate::certificate::{Trust, word};
use crate::quick::report::redaction::redact;
use analysis::{Analysis, is_failure};
use spool::Spool;
pub(crate) use status::{status_word, verdict_line};
pub(crate) use step::{Broken, Driver, Judged, Part, Unread};
use step::{Failing, observed};

const CLAIMS: usize = 24;
const CLAIM_MAX: usize = 160;
const ITEMS: usize = 32;

/// Collects the judged steps, in seq order.
#[derive(Default)]
pub(crate) struct Collector {
    steps: Spool,
    /// The step that is being written, and what it expects; kept for their memory.
    text: Vec<u8>,
    expected: JsString,
    frame: Option<show::Frame>,
    /// The tool of the step before, as JSON.
    tool: Option<(Arc<JsString>, String)>,
    details: Spool,
    human: human::Blocks,
    result: Option<result::Steps>,
    codes: BTreeSet<&'static str>,
    counts: BTreeMap<StepStatus, usize>,
    critical: Trust,
    kinds: BTreeMap<&'static str, bool>,
    failing: Vec<Failing>,
    verified: Vec<JsString>,
    unverified: Vec<JsString>,
    broken: Vec<Broken>,
    driver: Option<Driver>,
    first_failing_ingest: Option<usize>,
    findings: findings::StepFindings,
    unread: Option<Unread>,
}

impl Collector {
    /// `with_result` keeps what the run bundle needs.
    pub(crate) fn new(with_result: bool) -> Self {
        Self {
            result: with_result.then(result::Steps::default),
            ..Self::default()
        }
    }

    pub(crate) fn take(&mut self, part: &Part) -> Result<(), ContractError> {
        part.steps
            .iter()
            .try_for_each(|step| self.push(step, &part.lines))
    }

    fn push(&mut self, step: &Judged, lines: &[u8]) -> Result<(), ContractError> {
        if self.tell_routine(step)? {
            return Ok(());
        }
        let mut expected = std::mem::take(&mut self.expected);
        match &step.request {
            Some(request) => show::write_expected(&mut expected, request, &mut self.frame),
            None => expected.clone_from(&step.narrative),
        }
        let written = self.tell(step, lines, &expected);
        self.expected = expected;
        written
    }

    /// Tells a step whose text for people is not needed, as of nearly all
    /// steps of a long run. `false` when there is more to say about it.
    fn tell_routine(&mut self, step: &Judged) -> Result<bool, ContractError> {
        let is_routine = step.outcome.status == StepStatus::Verified
            && self.human.is_full()
            && self.result.is_none();
        let Some(request) = step.request.as_ref().filter(|_| is_routine) else {
            return Ok(false);
        };
        self.write_action(step);
        if !show::push_expected(&mut self.text, request, &mut self.frame) {
            return Ok(false);
        }
        self.write_rest(step, &observed(Some(request), &step.outcome))?;
        self.human.omit(step);
        self.sum(step);
        Ok(true)
    }

    fn tell(
        &mut self,
        step: &Judged,
        lines: &[u8],
        expected: &JsString,
    ) -> Result<(), ContractError> {
        let observed = observed(step.request.as_ref(), &step.outcome);
        self.write_action(step);
        canonical::push_string(&mut self.text, expected.as_js());
        self.write_rest(step, &observed)?;
        self.human.push(step, lines, expected, &observed);
        if let Some(result) = &mut self.result {
            result.push(step, lines, expected, &observed)?;
        }
        self.sum(step);
        if step.outcome.status != StepStatus::Verified {
            self.failing(step, expected, &observed)?;
        }
        Ok(())
    }

    /// Begins a step of the certificate, up to the expected outcome.
    fn write_action(&mut self, step: &Judged) {
        self.text.clear();
        self.text.extend_from_slice(b"{\"declaredAction\":");
        canonical::push_string(&mut self.text, step.narrative.as_js());
        self.text.extend_from_slice(b",\"expectedOutcome\":");
    }

    /// Ends it, from the observed outcome on.
    fn write_rest(&mut self, step: &Judged, observed: &str) -> Result<(), ContractError> {
        let out = &mut self.text;
        out.extend_from_slice(b",\"observedOutcome\":");
        canonical::push_string(out, observed.into());
        out.extend_from_slice(if step.release_critical {
            b",\"releaseCritical\":true,\"seq\":".as_slice()
        } else {
            b",\"releaseCritical\":false,\"seq\":"
        });
        let _ = write!(out, "{},\"toolId\":", step.seq); // memory takes everything
        match &self.tool {
            Some((tool, quoted)) if Arc::ptr_eq(tool, &step.tool_id) => {
                out.extend_from_slice(quoted.as_bytes());
            }
            _ => {
                let quoted = canonical::quoted(step.tool_id.as_js());
                out.extend_from_slice(quoted.as_bytes());
                self.tool = Some((Arc::clone(&step.tool_id), quoted));
            }
        }
        out.push(b'}');
        self.steps.push(&self.text)?;
        Ok(())
    }

    fn sum(&mut self, step: &Judged) {
        self.count(step);
        self.findings.push(step);
        self.claim(step);
    }

    fn count(&mut self, step: &Judged) {
        let status = step.outcome.status;
        *self.counts.entry(status).or_default() += 1;
        if let Some(request) = &step.request {
            let kind = match request {
                Request::Witness(witness) => witness.coverage_kind(),
                _ => "sql",
            };
            let satisfied = self.kinds.entry(kind).or_insert(true);
            *satisfied &= status == StepStatus::Verified;
        }
        if step.release_critical {
            self.critical = match (status, self.critical) {
                (StepStatus::Missing | StepStatus::Inconsistent, _) | (_, Trust::NotTrusted) => {
                    Trust::NotTrusted
                }
                (StepStatus::Verified, before) => before,
                _ => Trust::Unknown,
            };
        }
    }

    fn claim(&mut self, step: &Judged) {
        let (list, text) = match &step.outcome.ground {
            None => (&mut self.verified, "verified"),
            Some(ground) => (&mut self.unverified, ground.message.as_str()),
        };
        if list.len() < CLAIMS {
            let mut claim = JsString::clone(&step.tool_id);
            claim.push_str(&format!(":seq={}: {text}", step.seq));
            list.push(redact(claim.as_js(), CLAIM_MAX));
        }
    }

    fn failing(
        &mut self,
        step: &Judged,
        expected: &JsString,
        observed: &str,
    ) -> Result<(), ContractError> {
        let outcome = &step.outcome;
        if let Some(ground) = &outcome.ground {
            let all: usize = self.counts.values().sum();
            self.failing.push(Failing {
                at: all.saturating_sub(1),
                status: outcome.status,
                reason: ground.reason,
            });
            self.codes.insert(ground.code());
            let detail = json!({ "code": ground.code(), "message": redact(ground.message.as_str().into(), 2048).to_string() });
            self.details.push(detail.to_string().as_bytes())?;
        }
        self.note_unread(step);
        self.first_failing_ingest = Some(
            self.first_failing_ingest
                .map_or(step.ingest, |first| first.min(step.ingest)),
        );
        self.remediate(step, expected);
        let rank = |status: StepStatus, seq: u64, tool: &JsString| (status, seq, tool.clone());
        let key = rank(outcome.status, step.seq, &step.tool_id);
        let better = self
            .driver
            .as_ref()
            .is_none_or(|known| key < rank(known.outcome.status, known.seq, &known.tool_id));
        if better {
            self.driver = Some(Driver {
                seq: step.seq,
                tool_id: JsString::clone(&step.tool_id),
                outcome: outcome.clone(),
                request: step.request.clone(),
                expected: expected.clone(),
                observed: observed.to_owned(),
                narrative: step.narrative.clone(),
            });
        }
        Ok(())
    }

    fn note_unread(&mut self, step: &Judged) {
        let Some(failed) = step.outcome.failed_look_up() else {
            return;
        };
        let known = self.unread.as_ref();
        if known.is_none_or(|known| failed.is_unread && !known.is_silence) {
            let ground = failed.ground.as_ref();
            let message = ground.map_or("", |ground| ground.message.as_str());
            self.unread = Some(Unread {
                is_silence: failed.is_unread,
                message: format!("seq={}: {message}", step.seq),
            });
        }
    }

    fn remediate(&mut self, step: &Judged, expected: &JsString) {
        let mut add = |effect: Option<JsString>, ground: &super::judge::Ground| {
            if self.broken.len() < ITEMS {
                self.broken.push(Broken {
                    seq: step.seq,
                    tool_id: JsString::clone(&step.tool_id),
                    effect,
                    code: ground.code(),
                    message: ground.message.clone(),
                    expected: expected.clone(),
                });
            }
        };
        let failing = step
            .outcome
            .effects
            .iter()
            .filter_map(|effect| Some((effect.id.clone(), effect.outcome.ground.as_ref()?)));
        let mut any = false;
        for (id, ground) in failing {
            any = true;
            add(Some(id), ground);
        }
        if let (false, Some(ground)) = (any, &step.outcome.ground) {
            add(None, ground);
        }
    }

    fn has(&self, status: StepStatus) -> bool {
        self.counts.contains_key(&status)
    }

    /// How many steps are verified, and how many are not.
    fn totals(&self) -> (usize, usize) {
        let all: usize = self.counts.values().sum();
        let verified = self.counts.get(&StepStatus::Verified).copied();
        let verified = verified.unwrap_or_default();
        (verified, all - verified)
    }

    /// Sums up.
    pub(crate) fn finish(
        mut self,
        log: &Log,
        workflow_id: &str,
        policy: Policy,
    ) -> Result<Report, ContractError> {
        let run_level = run_level(log, self.counts.is_empty());
        for (code, message) in &run_level {
            self.codes.insert(code);
            let detail = json!({ "code": code, "message": message });
            self.details.push(detail.to_string().as_bytes())?;
        }
        let status = if !run_level.is_empty()
            || self.counts.is_empty()
            || self.has(StepStatus::Incomplete)
        {
            Verdict::Undecided
        } else if self.counts.keys().any(|status| is_failure(*status)) {
            Verdict::Refuted
        } else if self.has(StepStatus::Uncertain) {
            Verdict::Undecided
        } else {
            Verdict::Confirmed
        };
        let codes: Vec<&'static str> = run_level.iter().map(|(code, _)| *code).collect();
        let analysis = (status != Verdict::Confirmed).then(|| {
            analysis::analyse(&analysis::AnalysisFacts {
                run_level: &codes,
                sequence: &log.sequence,
                context: &log.context,
                driver: self.driver.as_ref(),
                first_failing_ingest: self.first_failing_ingest,
                any_failed: self.counts.keys().any(|status| is_failure(*status)),
            })
        });
        let findings = findings::all(
            log,
            !run_level.is_empty(),
            std::mem::take(&mut self.findings),
        );
        Report::build(
            self,
            log,
            Head {
                workflow_id: workflow_id.to_owned(),
                policy,
                status,
                run_level,
                analysis,
                findings,
            },
        )
    }
}

/// What is known about a run as a whole.
pub(crate) struct Head {
    pub(crate) workflow_id: String,
    pub(crate) policy: Policy,
    pub(crate) status: Verdict,
    pub(crate) run_level: Vec<(&'static str, String)>,
    pub(crate) analysis: Option<Analysis>,
    pub(crate) findings: Vec<findings::Finding>,
}

/// A finished run.
pub struct Report {
    pub(crate) head: Head,
    pub(crate) certificate: certificate::Certificate,
    pub(crate) steps: Spool,
    pub(crate) details: Spool,
    pub(crate) result: Option<result::Result>,
    pub(crate) reason_codes: Vec<&'static str>,
    pub(crate) satisfied: Vec<&'static str>,
    pub(crate) unread: Option<Unread>,
    critical: Trust,
    counts: BTreeMap<StepStatus, usize>,
    failing: Vec<Failing>,
}

impl Report {
    fn build(collected: Collector, log: &Log, head: Head) -> Result<Self, ContractError> {
        let certificate = certificate::certificate(&collected, log, &head)?;
        let result = match collected.result {
            Some(steps) => Some(result::Result::new(
                steps,
                log,
                &head,
                collected.driver.as_ref(),
            )?),
            None => None,
        };
        let satisfied = collected
            .kinds
            .iter()
            .filter(|(_, all)| **all)
            .map(|(kind, _)| *kind)
            .collect();
        Ok(Self {
            certificate,
            reason_codes: super::plan::order::unique(collected.codes.iter().copied()),
            steps: collected.steps,
            details: collected.details,
            result,
            satisfied,
            unread: collected.unread,
            critical: collected.critical,
            counts: collected.counts,
            failing: collected.failing,
            head,
        })
    }

    /// The verdict of the run.
    pub fn verdict(&self) -> Verdict {
        self.head.status
    }

    /// The human report.
    pub fn human(&self) -> &str {
        &self.certificate.human
    }

    /// How many steps ended each way, by the word of the contract.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.counts
            .iter()
            .map(|(status, count)| (status.word(), *count))
    }

    /// The two lines that begin standard error.
    pub fn verdict_lines(&self) -> String {
        format!(
            "{}release_critical_truth_check_verdict: {}\n",
            verdict_line(self.head.status),
            word(&self.critical)
        )
    }
}

/// Reasons of the file as a whole: one for each malformed line, one for no steps.
fn run_level(log: &Log, is_empty: bool) -> Vec<(&'static str, String)> {
    let mut reasons = Vec::new();
    let malformed = ContractReason::MalformedEventLine.reason();
    for at in 0..log.counts.malformed {
        let named = log.malformed.get(at).cloned();
        let text = named.unwrap_or_else(|| malformed.meaning.to_owned());
        reasons.push((malformed.code, text));
    }
    if is_empty {
        let reason = ContractReason::NoStepsForWorkflow.reason();
        let text = format!(
            "{}; event_file_non_empty_lines={} schema_valid_events={} tool_observed_for_workflow={} tool_observed_other_workflows={}",
            reason.meaning,
            log.counts.lines,
            log.counts.events,
            log.counts.observed,
            log.counts.others
        );
        reasons.push((reason.code, text));
    }
    reasons
}
