//! The progress of each step, and the checks that need it at the end:
//! `unfinished_step` (trace 6.2), `finalize_present` (6.11) and
//! `required_steps` (6.12).

use super::{EventCase, output};
use crate::check::Check::{CoreInvariants, FinalizePresent, RequiredSteps};
use crate::finding::{Findings, Spot};
use crate::ids::{self, KeyMap};
use crate::plan::Steps;
use crate::read::event::Body;
use crate::read::output::StepKind;
use crate::reasons::TraceReason;

/// The progress of one step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StepState {
    /// Line and position of the first start.
    started: Option<(u64, u64)>,
    pub(crate) finished: bool,
}

impl StepState {
    pub(crate) const fn is_started(self) -> bool {
        self.started.is_some()
    }
}

/// The progress of all steps.
#[derive(Debug)]
pub(crate) struct Progress {
    planned: Vec<StepState>,
    /// Steps that are not in the plan; they must finish, too.
    unplanned: KeyMap<(Box<str>, StepState)>,
    finished: Vec<StepKind>,
}

impl Progress {
    pub(crate) fn new(planned: usize) -> Self {
        Self {
            planned: vec![StepState::default(); planned],
            unplanned: KeyMap::default(),
            finished: Vec::new(),
        }
    }

    pub(crate) fn of(&self, number: usize) -> StepState {
        self.planned.get(number).copied().unwrap_or_default()
    }

    /// How many steps started.
    pub(crate) fn started(&self) -> u64 {
        let unplanned = self.unplanned.values().map(|(_, state)| state);
        self.planned
            .iter()
            .chain(unplanned)
            .filter(|state| state.is_started())
            .count() as u64
    }

    pub(crate) fn event(&mut self, case: &EventCase<'_>, line: u64, idx: u64) {
        let id = case.event.step_id;
        let starts = matches!(case.event.body, Body::Started);
        let output = output(case.event);
        if !starts && output.is_none() {
            return;
        }
        let state = match case.step.and_then(|number| self.planned.get_mut(number)) {
            Some(state) => state,
            None => {
                &mut self
                    .unplanned
                    .entry(ids::key(id))
                    .or_insert_with(|| (id.into(), StepState::default()))
                    .1
            }
        };
        if starts {
            state.started.get_or_insert((line, idx));
        }
        if let Some(output) = output {
            state.finished = true;
            let kind = output.step_kind();
            if !self.finished.contains(&kind) {
                self.finished.push(kind);
            }
        }
    }

    pub(crate) fn finish(&self, steps: &Steps, findings: &mut Findings) {
        let planned = steps.iter().map(|step| step.id.as_str()).zip(&self.planned);
        let unplanned = self
            .unplanned
            .values()
            .map(|(id, state)| (id.as_ref(), state));
        for (step, state) in planned.clone().chain(unplanned) {
            if let (Some((line, idx)), false) = (state.started, state.finished) {
                let spot = Spot::Event { line, idx, step };
                findings.add(CoreInvariants, TraceReason::UnfinishedStep, spot);
            }
        }
        if !self.finished.contains(&StepKind::Finalize) {
            findings.add(FinalizePresent, TraceReason::FinalizeMissing, Spot::End);
        }
        for kind in StepKind::ALL {
            if !self.finished.contains(&kind) {
                findings
                    .add(RequiredSteps, TraceReason::RequiredStepMissing, Spot::End)
                    .differs(format!("a finished step of kind {}", kind.word()), "none")
                    .says(format!(
                        "no step finished with an output of kind `{}`",
                        kind.word()
                    ));
            }
        }
        for (step, state) in planned {
            if !state.is_started() && !state.finished {
                findings
                    .add(RequiredSteps, TraceReason::PlanStepAbsent, Spot::End)
                    .step(step);
            }
        }
    }
}
