//! `check`: a registry and an events file against a database.
//!
//! Written contracts, checked in the same five steps. The registry says what
//! each tool call must leave behind; the events say which calls there were;
//! nothing an event says about success is believed.

pub mod bundle;
pub mod compare;
pub mod enforce;
pub mod error;
mod judge;
mod look;
mod plan;
mod policy;
pub mod read;
pub mod reasons;
pub(crate) mod report;
#[cfg(test)]
mod round_trip;
pub(crate) mod schema;
#[cfg(test)]
mod side_by_side;
pub mod validate;

use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_core::{Event, JsString, Listener};
use serde_json::json;

pub use error::ContractError;
pub use policy::Policy;
pub use report::Report;
pub use report::budget::{Budget, BudgetVerdict};

use crate::observe::source::Source;
use judge::Outcome;
use plan::narrative::Narrator;
use plan::{Request, Shapes};
use read::{Log, Registry, Step, Template, ToolEntry};
use reasons::ContractReason;
use report::{Collector, Judged, Part};

/// Up to so many steps a run is done in one piece.
const CHUNK: usize = 4_000;
/// The least that progress is told about.
const SMALLEST: usize = 4_000;

/// What one run is asked to do.
#[derive(Debug)]
pub struct CheckRequest {
    /// The workflow.
    pub workflow_id: String,
    /// How long to wait for rows.
    pub policy: Policy,
    /// Whether everything the run bundle needs is kept.
    pub with_result: bool,
}

/// Checks a workflow: plan, observe, judge, sum up.
pub fn run(
    request: &CheckRequest,
    log: &mut Log,
    registry: &Registry,
    source: &mut dyn Source,
    listener: &mut dyn Listener,
) -> Result<Report, ContractError> {
    let steps = log.step_count();
    listener.hear(Event::Planned(steps));
    let mut plan = Plan::new(log, registry);
    let mut collector = Collector::new(request.with_result);
    // Steps that are waited for together are held together.
    let is_one = steps <= CHUNK || request.policy != Policy::Strong;
    let mut part = Part::default();
    loop {
        let most = if is_one { usize::MAX } else { source.batch() };
        if !plan.fill(&mut part, most)? {
            break;
        }
        settle(&mut part.steps, source, request.policy, listener);
        for step in &part.steps {
            listener.hear(Event::Judged {
                unit: "",
                verdict: step.outcome.status.into(),
                text: &[],
            });
        }
        collector.take(&part)?;
    }
    source
        .close()
        .map_err(|error| ContractError::internal(error.to_string()))?;
    collector.finish(log, &request.workflow_id, request.policy)
}

/// The steps that are still to be planned.
struct Plan<'a> {
    log: &'a mut Log,
    registry: &'a Registry,
    shapes: Shapes,
    narrator: Narrator,
    /// The tool of the step before and its entry; mostly that of the next.
    last: Option<(Arc<JsString>, Option<&'a ToolEntry>)>,
    from: usize,
}

impl<'a> Plan<'a> {
    fn new(log: &'a mut Log, registry: &'a Registry) -> Self {
        Self {
            log,
            registry,
            shapes: Shapes::default(),
            narrator: Narrator::default(),
            last: None,
            from: 0,
        }
    }

    /// The next steps take the place of those in the part, and their memory.
    /// `false` when there are none left.
    fn fill(&mut self, part: &mut Part, max: usize) -> Result<bool, ContractError> {
        let Part { steps, lines } = part;
        steps.clear();
        lines.clear();
        let (count, bytes) = self.log.ahead(self.from, max);
        steps.reserve(count);
        lines.reserve(bytes);
        self.log.next_steps(&mut self.from, max, |step| {
            let entry = match &self.last {
                Some((tool, entry)) if Arc::ptr_eq(tool, step.tool_id) => *entry,
                _ => {
                    self.narrator.turn();
                    let entry = self.registry.get(step.tool_id);
                    self.last = Some((Arc::clone(step.tool_id), entry));
                    entry
                }
            };
            let start = lines.len();
            lines.extend_from_slice(step.line);
            let tools = (&mut self.shapes, &mut self.narrator);
            steps.push(planned(&step, start..lines.len(), entry, tools));
        })?;
        Ok(count > 0)
    }
}

/// A step with its expectation, or why there is none.
fn planned(
    step: &Step<'_>,
    line: Range<usize>,
    entry: Option<&ToolEntry>,
    (shapes, narrator): (&mut Shapes, &mut Narrator),
) -> Judged {
    let params = step.params;
    let narrative = if let Some(entry) = entry {
        narrator.tell(&entry.template, params)
    } else {
        let mut said: JsString = "Unknown tool: ".into();
        said.push(step.tool_id.as_js());
        narrator.tell(&Template::new(said.as_js()), params)
    };
    let resolved = match entry {
        _ if step.diverges => Err(Outcome::unread(
            ContractReason::RetryObservationsDiverge,
            &format!(
                "the {} observations of seq={} differ in tool or parameters",
                step.repeats, step.seq
            ),
        )),
        None => Err(Outcome::unread(
            ContractReason::UnknownTool,
            &format!("the registry has no entry for the tool {}", step.tool_id),
        )),
        Some(entry) => plan::request(&entry.verification, params, shapes).map_err(Outcome::from),
    };
    let (request, outcome) = match resolved {
        Ok(request) => (Some(request), None),
        Err(outcome) => (None, Some(outcome)),
    };
    Judged {
        open: outcome.is_none(),
        seq: step.seq,
        tool_id: Arc::clone(step.tool_id),
        release_critical: entry.is_some_and(|entry| entry.release_critical),
        narrative,
        line,
        request,
        // replaced by the first look
        outcome: outcome.unwrap_or_else(Outcome::open),
        repeats: step.repeats,
        ingest: step.ingest,
    }
}

/// Looks, and looks again while the policy allows it.
fn settle(
    steps: &mut [Judged],
    source: &mut dyn Source,
    policy: Policy,
    listener: &mut dyn Listener,
) {
    let began = Instant::now();
    // as many as the source takes at once, so that a user who waits sees progress
    for some in steps.chunks_mut(source.batch().max(SMALLEST)) {
        look(some, source);
        listener.hear(Event::Observed(some.len()));
    }
    if let Policy::Eventual { window, poll } = policy {
        wait(steps, source, began, window, poll);
    }
}

/// Looks at every open step; a step that is settled is closed.
fn look(steps: &mut [Judged], source: &mut dyn Source) {
    let mut outcomes = {
        let requests: Vec<&Request> = steps
            .iter()
            .filter(|step| step.open)
            .filter_map(|step| step.request.as_ref())
            .collect();
        look::outcomes(source, &requests).into_iter()
    };
    for step in steps.iter_mut().filter(|step| step.open) {
        if let Some(outcome) = outcomes.next() {
            step.open = outcome.is_not_yet();
            step.outcome = outcome;
        }
    }
}

/// One window for all steps, from the first look on. The last look happens
/// at or after its end.
fn wait(
    steps: &mut [Judged],
    source: &mut dyn Source,
    began: Instant,
    window: Duration,
    poll: Duration,
) {
    let mut attempts: u64 = 1;
    while steps.iter().any(|step| step.open) {
        let closed = began.elapsed() >= window;
        if closed && attempts > 1 {
            break;
        }
        source.pause();
        thread::sleep(poll);
        let fresh = source.refresh();
        attempts += 1;
        let last = began.elapsed() >= window;
        match fresh {
            Ok(()) => look(steps, source),
            Err(error) => {
                for step in steps.iter_mut().filter(|step| step.open) {
                    step.outcome = judge::lost(&error.to_string());
                    step.open = false;
                }
            }
        }
        if last {
            break;
        }
    }
    let (_, window, poll) = Policy::Eventual { window, poll }.parts();
    for step in steps.iter_mut().filter(|step| step.open) {
        let waited = json!({
            "attempts": attempts,
            "elapsedMs": u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "verificationWindowMs": u64::try_from(window).unwrap_or(u64::MAX),
            "pollIntervalMs": u64::try_from(poll).unwrap_or(u64::MAX),
        });
        if let Some(request) = &step.request {
            step.outcome = judge::uncertain(step.outcome.clone(), request, waited);
        }
    }
}
