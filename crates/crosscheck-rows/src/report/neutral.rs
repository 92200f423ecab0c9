//! The neutral step: what all formats tell of a call.

use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Outcome, Place, UnitId, Verdict};

use super::Report;
use super::closing::Told;
use crate::fact::RowSeen;
use crate::judge::call::CallVerdict;
use crate::judge::seen::SeenCall;
use crate::judge::subject::{FactState, State};
use crate::plan::Looked;

pub(super) const fn verdict(state: State) -> Verdict {
    match state {
        State::Refuted => Verdict::Refuted,
        State::Unproven => Verdict::Undecided,
        State::Proven | State::Superseded => Verdict::Confirmed,
    }
}

/// What was claimed, what should be there, what is, and what we make of it.
pub(super) fn step(report: &Report, call: &SeenCall, judged: &CallVerdict) -> Outcome {
    let (expected, observed) = sides(report, call, judged);
    Outcome {
        unit: UnitId::numbered('c', call.index as usize),
        claim: claim(report, call),
        verdict: verdict(judged.state),
        reasons: judged
            .grounds
            .iter()
            .map(|(reason, message)| Grounds {
                reason: reason.reason(),
                message: message.clone(),
            })
            .collect(),
        expected,
        observed,
        place: Some(Place {
            path: report.log(call).to_owned(),
            line: report.line(call).map(u64::from),
            column: None,
            end_line: None,
        }),
        link: None,
    }
}

/// What the agent only says.
pub(super) fn said(report: &Report, at: usize, told: &Told) -> Outcome {
    let claim = if report.redacts { "…" } else { &told.text };
    Outcome {
        unit: UnitId::numbered('s', at + 1),
        claim: claim.to_owned(),
        verdict: verdict(told.state),
        reasons: vec![Grounds {
            reason: told.ground.0.reason(),
            message: told.ground.1.clone(),
        }],
        expected: None,
        observed: None,
        place: None,
        link: None,
    }
}

/// The call as a person would write it.
fn claim(report: &Report, call: &SeenCall) -> String {
    let said = if report.redacts { "…" } else { &call.said };
    [&call.tool.name, "(", said, ")"].concat()
}

/// What should be there and what is, where they differ.
fn sides(
    report: &Report,
    call: &SeenCall,
    verdict: &CallVerdict,
) -> (Option<String>, Option<String>) {
    let texts = report.texts();
    let mut expected = Vec::new();
    let mut observed = Vec::new();
    for (subject, row) in call.subjects.iter().zip(&verdict.rows) {
        let name = || texts.row(subject);
        match (&subject.seen, subject.looked, row.state) {
            (RowSeen::None, Looked::Row, State::Refuted | State::Unproven) => {
                expected.push(format!("a row {}", name()));
                observed.push("no such row".to_owned());
            }
            (RowSeen::There(_), _, State::Refuted | State::Unproven) => {
                expected.push(format!("no row {}", name()));
                observed.push("the row is there".to_owned());
            }
            _ => {}
        }
        let facts = subject.facts.iter().zip(&row.facts);
        for (fact, judged) in facts {
            let target = report.known.targets.get(fact.target);
            let wanted = match (&fact.asked, judged.state) {
                (Some(asked), FactState::AskedNotDone) => texts.value(&asked.0),
                (_, FactState::Differs) => texts.missing(fact, target),
                _ => continue,
            };
            let what = texts.target(target);
            expected.push(format!("{}: {what} {wanted}", name()));
            observed.push(format!("{what} {}", texts.found(fact)));
        }
    }
    let joined = |parts: Vec<String>| (!parts.is_empty()).then(|| parts.join("; "));
    (joined(expected), joined(observed))
}
