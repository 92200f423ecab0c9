//! Does it agree? What a step must have left behind against what was seen. Pure.
//!
//! Contract: check 6.5.

mod evidence;
mod number;
mod row;

use crosscheck_core::canonical::number_text;
use crosscheck_core::text::one_line;
use crosscheck_core::{JsString, Reason, Verdict};
use serde_json::{Value, json};

pub(crate) use evidence::Evidence;
pub(crate) use row::row;

use super::plan::order::locale_order;
use super::plan::show;
use super::plan::{AbsentRequest, Check, Expect, Request, Unresolved};
use super::read::Op;
use super::reasons::ContractReason;
use crate::observe::Cell;
use crate::observe::source::{BatchError, SampleRow, ScalarKind};
use crate::quick::judge::display_cell;
use crate::reasons::RowReason;

const SAFE: f64 = 9_007_199_254_740_991.0;

/// How a step, effect or check ended. The order is the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepStatus {
    /// not decided by looking
    Incomplete,
    /// not there
    Missing,
    /// there, but otherwise
    Inconsistent,
    /// partly there
    Partial,
    /// not there within the window
    Uncertain,
    /// as expected
    Verified,
}

impl StepStatus {
    /// The word of the contract.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Missing => "missing",
            Self::Inconsistent => "inconsistent",
            Self::Incomplete => "incomplete_verification",
            Self::Partial => "partially_verified",
            Self::Uncertain => "uncertain",
        }
    }

    /// The label of the reports.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Verified => "VERIFIED",
            Self::Missing => "FAILED_ROW_MISSING",
            Self::Inconsistent => "FAILED_VALUE_MISMATCH",
            Self::Incomplete => "INCOMPLETE_CANNOT_VERIFY",
            Self::Partial => "PARTIALLY_VERIFIED",
            Self::Uncertain => "UNCERTAIN_NOT_OBSERVED_WITHIN_WINDOW",
        }
    }
}

impl From<StepStatus> for Verdict {
    fn from(status: StepStatus) -> Self {
        match status {
            StepStatus::Verified => Self::Confirmed,
            StepStatus::Missing | StepStatus::Inconsistent | StepStatus::Partial => Self::Refuted,
            StepStatus::Incomplete | StepStatus::Uncertain => Self::Undecided,
        }
    }
}

/// Why, in this one case.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) reason: &'static Reason,
    pub(crate) message: String,
    pub(crate) field: Option<String>,
}

impl Ground {
    pub(crate) fn new(reason: &'static Reason, message: &str) -> Self {
        Self {
            reason,
            message: one_line(message),
            field: None,
        }
    }

    pub(crate) const fn code(&self) -> &'static str {
        self.reason.code
    }
}

/// What we make of a step, effect or check.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) status: StepStatus,
    pub(crate) ground: Option<Ground>,
    pub(crate) evidence: Evidence,
    pub(crate) effects: Vec<Effect>,
    /// Whether the database gave no answer, so that nothing was read.
    pub(crate) is_unread: bool,
}

/// One of several effects or checks.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    pub(crate) id: JsString,
    pub(crate) outcome: Outcome,
}

impl Outcome {
    fn of(status: StepStatus, ground: Option<Ground>, evidence: impl Into<Evidence>) -> Self {
        Self {
            status,
            ground,
            evidence: evidence.into(),
            effects: Vec::new(),
            is_unread: false,
        }
    }

    /// A step that nothing was read for.
    pub(crate) fn unread(reason: ContractReason, message: &str) -> Self {
        Self::of(
            StepStatus::Incomplete,
            Some(Ground::new(reason.reason(), message)),
            json!({}),
        )
    }

    /// A step that is still to be looked at.
    pub(crate) const fn open() -> Self {
        Self {
            status: StepStatus::Incomplete,
            ground: None,
            evidence: Evidence::Rows(0),
            effects: Vec::new(),
            is_unread: false,
        }
    }

    /// The first look-up that failed, its own or that of an effect.
    pub(crate) fn failed_look_up(&self) -> Option<&Self> {
        if self.code() == Some(RowReason::ConnectorError.code()) {
            return Some(self);
        }
        let effects = self.effects.iter();
        effects
            .filter_map(|effect| effect.outcome.failed_look_up())
            .max_by_key(|outcome| outcome.is_unread)
    }

    /// The code of its reason.
    pub(crate) fn code(&self) -> Option<&'static str> {
        self.ground.as_ref().map(Ground::code)
    }

    /// The failing effect whose id comes first, and its reason.
    pub(crate) fn first_failing_effect(&self) -> Option<(&JsString, &Ground)> {
        self.effects
            .iter()
            .filter_map(|effect| Some((&effect.id, effect.outcome.ground.as_ref()?)))
            .min_by(|a, b| locale_order(&a.0.to_str_lossy(), &b.0.to_str_lossy()))
    }

    /// Whether a later look may still find it.
    pub(crate) fn is_not_yet(&self) -> bool {
        if self.effects.is_empty() {
            return self.status == StepStatus::Missing
                || self.code() == Some(ContractReason::RowPresentWhenForbidden.code());
        }
        self.effects
            .iter()
            .all(|effect| effect.outcome.status == StepStatus::Missing)
    }

    /// `failureDiagnostic`
    pub(crate) fn category(&self) -> Option<&'static str> {
        Some(match self.status {
            StepStatus::Verified => return None,
            StepStatus::Missing | StepStatus::Inconsistent | StepStatus::Partial => {
                "workflow_execution"
            }
            StepStatus::Uncertain => "observation_uncertainty",
            StepStatus::Incomplete
                if self.code() == Some(ContractReason::RetryObservationsDiverge.code()) =>
            {
                "workflow_execution"
            }
            StepStatus::Incomplete => "verification_setup",
        })
    }
}

impl From<Unresolved> for Outcome {
    fn from(why: Unresolved) -> Self {
        Self::unread(why.code, &why.message)
    }
}

/// Rows that must be gone: their number, and a sample of what is there.
pub(crate) fn absent(
    request: &AbsentRequest,
    seen: &Result<Cell, BatchError>,
    sample: &[SampleRow],
) -> Outcome {
    let place = format!("{} where {}", request.table(), pairs(request.conditions()));
    match seen.as_ref().map(number::usable) {
        Err(error) => failed(
            &format!("counting rows of {place}"),
            error,
            json!({ "error": true }),
        ),
        Ok(None) => {
            let ground = Ground::new(
                RowReason::RelationalScalarUnusable.reason(),
                &format!("the count of {place} is not a number"),
            );
            Outcome::of(StepStatus::Incomplete, Some(ground), json!({}))
        }
        Ok(Some(count)) if count < 1.0 => {
            Outcome::of(StepStatus::Verified, None, json!({ "matchedRowCount": 0 }))
        }
        Ok(Some(count)) => {
            let text = format!("{} rows are left of {place}", number_text(count));
            let ground = Ground::new(ContractReason::RowPresentWhenForbidden.reason(), &text);
            let evidence = json!({ "matchedRowCount": show::number(count), "sampleRows": sample_rows(sample) });
            Outcome::of(StepStatus::Inconsistent, Some(ground), evidence)
        }
    }
}

/// One relation.
pub(crate) fn check(
    id: &JsString,
    check: &Check,
    seen: &Result<Cell, BatchError>,
    sample: &[SampleRow],
) -> Outcome {
    let mut outcome = relation(id, check, seen, sample);
    outcome.evidence.insert("checkId", json!(id.to_string()));
    outcome
        .evidence
        .insert("checkKind", json!(check.relation.word));
    outcome
}

fn relation(
    id: &JsString,
    check: &Check,
    seen: &Result<Cell, BatchError>,
    sample: &[SampleRow],
) -> Outcome {
    let about = format!("check {id} ({})", check.relation.word);
    let cell = match seen {
        Err(error) => return failed(&about, error, json!({ "error": true })),
        Ok(cell) => cell,
    };
    let found = match check.expect {
        Some(expect) => number::usable_beside(cell, expect.value),
        None => number::usable(cell),
    };
    let Some(actual) = found else {
        let text = format!(
            "{about} answered {}, which is not a usable number",
            display_cell(cell)
        );
        let ground = Ground::new(RowReason::RelationalScalarUnusable.reason(), &text);
        return Outcome::of(
            StepStatus::Incomplete,
            Some(ground),
            json!({ "raw": display_cell(cell) }),
        );
    };
    if let Some(expect) = check.expect {
        return expectation(&about, expect, actual);
    }
    let names: Vec<&str> = check
        .shape
        .tables
        .iter()
        .map(|table| table.name.as_str())
        .collect();
    match (check.shape.kind, actual < 1.0) {
        (ScalarKind::Orphans, true) => {
            Outcome::of(StepStatus::Verified, None, json!({ "orphanRowCount": 0 }))
        }
        (ScalarKind::Orphans, false) => {
            let names = names.join(" have no partner in ");
            let text = format!("{about}: {} rows of {names}", number_text(actual));
            let ground = Ground::new(ContractReason::OrphanRowDetected.reason(), &text);
            let evidence = json!({ "orphanRowCount": show::number(actual), "sampleRows": sample_rows(sample) });
            Outcome::of(StepStatus::Inconsistent, Some(ground), evidence)
        }
        (_, false) => Outcome::of(StepStatus::Verified, None, json!({ "v": true })),
        (_, true) => {
            let conditions = pairs(check.conditions(0));
            let text = format!(
                "{about}: there is no row of {} where {conditions}",
                names.concat()
            );
            let ground = Ground::new(RowReason::RelatedRowsAbsent.reason(), &text);
            Outcome::of(StepStatus::Missing, Some(ground), json!({ "v": false }))
        }
    }
}

#[expect(clippy::float_cmp, reason = "the contract compares numbers exactly")]
fn expectation(about: &str, expect: Expect, actual: f64) -> Outcome {
    let (holds, word) = match expect.op {
        Op::Eq => (actual == expect.value, "exactly"),
        Op::Gte => (actual >= expect.value, "at least"),
        Op::Lte => (actual <= expect.value, "at most"),
    };
    let evidence = json!({
        "actual": show::number(actual), "expected": show::number(expect.value), "op": show::op(expect.op),
    });
    if holds {
        return Outcome::of(StepStatus::Verified, None, evidence);
    }
    let text = format!(
        "{about}: expected {word} {}, found {}",
        number_text(expect.value),
        number_text(actual)
    );
    let ground = Ground::new(
        ContractReason::RelationalExpectationMismatch.reason(),
        &text,
    );
    Outcome::of(StepStatus::Inconsistent, Some(ground), evidence)
}

/// Several effects or checks become one step.
pub(crate) fn roll_up(effects: Vec<Effect>) -> Outcome {
    let count = |status: StepStatus| {
        effects
            .iter()
            .filter(|effect| effect.outcome.status == status)
            .count()
    };
    let (status, reason) = if count(StepStatus::Incomplete) > 0 {
        (
            StepStatus::Incomplete,
            ContractReason::MultiEffectIncomplete,
        )
    } else if count(StepStatus::Verified) == effects.len() {
        return Outcome {
            effects,
            ..Outcome::of(StepStatus::Verified, None, json!({}))
        };
    } else if count(StepStatus::Verified) == 0 {
        (
            StepStatus::Inconsistent,
            ContractReason::MultiEffectAllFailed,
        )
    } else {
        (StepStatus::Partial, ContractReason::MultiEffectPartial)
    };
    let names: Vec<String> = effects
        .iter()
        .map(|effect| match effect.outcome.code() {
            None => effect.id.to_string(),
            Some(code) => format!("{} ({code})", effect.id),
        })
        .collect();
    let text = format!("{}: {}", reason.reason().meaning, names.join(", "));
    let ground = Ground::new(reason.reason(), &text);
    Outcome {
        is_unread: effects.iter().all(|effect| effect.outcome.is_unread),
        effects,
        ..Outcome::of(status, Some(ground), json!({}))
    }
}

/// What is left when the window closes and a later look did not help.
pub(crate) fn uncertain(outcome: Outcome, request: &Request, waited: Value) -> Outcome {
    let reason = match request {
        Request::Absent(_) => ContractReason::ForbiddenRowsStillPresentWithinWindow,
        _ if !outcome.effects.is_empty() => ContractReason::MultiEffectUncertainWithinWindow,
        _ => ContractReason::RowNotObservedWithinWindow,
    };
    let before = outcome
        .ground
        .as_ref()
        .map_or("", |ground| ground.message.as_str());
    let ground = Ground::new(
        reason.reason(),
        &format!("{}: {before}", reason.reason().meaning),
    );
    let mut last = Outcome {
        effects: outcome.effects,
        ..Outcome::of(StepStatus::Uncertain, Some(ground), waited)
    };
    for key in ["matchedRowCount", "sampleRows"] {
        if let Some(value) = outcome.evidence.get(key) {
            last.evidence.insert(key, value.clone());
        }
    }
    last
}

/// The database could not be looked at again.
pub(crate) fn lost(message: &str) -> Outcome {
    let ground = Ground::new(RowReason::ConnectorError.reason(), message);
    let evidence = json!({ "rowCount": null, "error": true });
    Outcome {
        is_unread: true,
        ..Outcome::of(StepStatus::Incomplete, Some(ground), evidence)
    }
}

fn failed(about: &str, error: &BatchError, evidence: Value) -> Outcome {
    let text = format!("{about} failed: {}", error.message());
    let ground = Ground::new(RowReason::ConnectorError.reason(), &text);
    Outcome {
        is_unread: error.is_silence(),
        ..Outcome::of(StepStatus::Incomplete, Some(ground), evidence)
    }
}

fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, &'a JsString)>) -> String {
    let parts: Vec<String> = pairs
        .map(|(column, value)| format!("{column}={value}"))
        .collect();
    parts.join(" and ")
}

fn sample_rows(sample: &[SampleRow]) -> Value {
    let rows = sample.iter().map(|row| {
        let cells = row.iter().map(|(name, cell)| (name.clone(), value(cell)));
        Value::Object(cells.collect())
    });
    Value::Array(rows.collect())
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Bool(truth) => json!(truth),
        Cell::Number(number) => show::number(*number),
        Cell::Text(text) => json!(text.as_str()),
        Cell::Moment(text) | Cell::Day(text) => json!(text),
        Cell::Document(_) | Cell::Unreadable => json!("(not a scalar)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(status: StepStatus) -> Effect {
        let ground = (status != StepStatus::Verified)
            .then(|| Ground::new(RowReason::RowAbsent.reason(), "x"));
        Effect {
            id: "e".into(),
            outcome: Outcome::of(status, ground, json!({})),
        }
    }

    #[test]
    fn several_effects_roll_up() {
        use StepStatus::{Incomplete, Inconsistent, Missing, Partial, Verified};
        let table: [(&[StepStatus], StepStatus); 4] = [
            (&[Verified, Verified], Verified),
            (&[Verified, Missing], Partial),
            (&[Missing, Inconsistent], Inconsistent),
            (&[Incomplete, Missing], Incomplete),
        ];
        for (effects, expected) in table {
            let rolled = roll_up(effects.iter().map(|status| effect(*status)).collect());
            assert_eq!(rolled.status, expected, "{effects:?}");
        }
    }
}
