//! Check `step_order` (trace 6.4): steps start, act and finish in the order of
//! the plan. Events of unknown steps are left to `core_invariants`.

use super::EventCase;
use super::steps::Progress;
use crate::check::Check::StepOrder;
use crate::finding::Findings;
use crate::plan::Steps;
use crate::read::event::Body;
use crate::reasons::TraceReason;

pub(crate) fn event(
    case: &EventCase<'_>,
    steps: &Steps,
    progress: &Progress,
    findings: &mut Findings,
) {
    let Some((number, step)) = case
        .step
        .and_then(|number| Some((number, steps.get(number)?)))
    else {
        return;
    };
    let state = progress.of(number);
    let mut fail = |reason| {
        findings.add(StepOrder, reason, case.spot);
    };
    match &case.event.body {
        Body::Started if state.is_started() => fail(TraceReason::StepRestarted),
        Body::Started => {
            for &before in step
                .before
                .iter()
                .filter(|&&before| !progress.of(before).finished)
            {
                let id = steps.get(before).map_or("", |step| &step.id);
                findings
                    .add(StepOrder, TraceReason::DependencyNotFinished, case.spot)
                    .refers_to(id);
            }
        }
        Body::Finished(output) => {
            if !state.is_started() {
                fail(TraceReason::StepNotStarted);
            }
            if state.finished {
                fail(TraceReason::StepFinishedTwice);
            }
            if !step.kinds.contains(&output.step_kind()) {
                let planned = step.kinds.first().map_or("", |kind| kind.word());
                findings
                    .add(StepOrder, TraceReason::StepKindMismatch, case.spot)
                    .differs(planned, output.word());
            }
        }
        Body::Called(_) | Body::Returned(_) | Body::Registered(_) | Body::Claimed(_) => {
            if !state.is_started() {
                fail(TraceReason::StepNotStarted);
            } else if state.finished {
                fail(TraceReason::StepAlreadyFinished);
            }
        }
    }
}
