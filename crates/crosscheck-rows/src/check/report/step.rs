//! The steps of a run, as the reports need them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crosscheck_core::{JsString, Reason};

use super::{line, texts};
use crate::check::judge::{Outcome, StepStatus};
use crate::check::plan::Request;
use crate::check::read::canonical_params;

/// One step, planned and then judged.
pub(crate) struct Judged {
    /// Whether it is still to be looked at.
    pub(crate) open: bool,
    pub(crate) seq: u64,
    pub(crate) tool_id: Arc<JsString>,
    pub(crate) release_critical: bool,
    pub(crate) narrative: JsString,
    /// Where among the lines of its part its last observation is.
    pub(crate) line: Range<usize>,
    pub(crate) request: Option<Request>,
    pub(crate) outcome: Outcome,
    pub(crate) repeats: usize,
    pub(crate) ingest: usize,
}

impl Judged {
    /// Its canonical parameters. Only few steps are shown with them.
    pub(super) fn params(&self, lines: &[u8]) -> String {
        canonical_params(lines.get(self.line.clone()).unwrap_or_default())
    }
}

/// Steps that are checked together.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) steps: Vec<Judged>,
    /// Their last observations, as they stand in the file.
    pub(crate) lines: Vec<u8>,
}

/// The failing step that reports begin with.
#[derive(Debug, Clone)]
pub(crate) struct Driver {
    pub(crate) seq: u64,
    pub(crate) tool_id: JsString,
    pub(crate) outcome: Outcome,
    pub(crate) request: Option<Request>,
    pub(crate) expected: JsString,
    pub(crate) observed: String,
    pub(crate) narrative: JsString,
}

impl Driver {
    /// The code that names its failure, and the effect it belongs to.
    pub(crate) fn primary(&self) -> (&'static str, Option<JsString>) {
        let code = self.outcome.code().unwrap_or_default();
        match self.outcome.first_failing_effect() {
            Some((id, ground)) if code.starts_with("MULTI_EFFECT_") => {
                (ground.code(), Some(id.clone()))
            }
            _ => (code, None),
        }
    }
}

/// A failing step or effect, as the remediation list shows it.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    pub(crate) seq: u64,
    pub(crate) tool_id: JsString,
    pub(crate) effect: Option<JsString>,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) expected: JsString,
}

/// A failing step, by its place among all; its message is in the details.
pub(super) struct Failing {
    pub(super) at: usize,
    pub(super) status: StepStatus,
    pub(super) reason: &'static Reason,
}

/// A look-up that failed. Of several, one without any answer counts.
#[derive(Debug, Clone)]
pub(crate) struct Unread {
    /// Whether the database gave no answer at all.
    pub(crate) is_silence: bool,
    pub(crate) message: String,
}

/// `observedOutcome`
pub(super) fn observed(request: Option<&Request>, outcome: &Outcome) -> Cow<'static, str> {
    let text = |key: &str| outcome.evidence.get(key).and_then(|value| value.as_str());
    match request {
        None => texts::NO_REQUEST.into(),
        Some(_) if outcome.is_unread => texts::NOT_READ.into(),
        Some(_) if !outcome.effects.is_empty() => {
            format!("multi_effect effect_rows={}", outcome.effects.len()).into()
        }
        Some(Request::Relational(_)) => match (text("checkId"), text("checkKind")) {
            (Some(id), Some(kind)) => {
                line(&format!("sql_relational check={id} kind={kind}")).into()
            }
            _ => "sql_relational (single check)".into(),
        },
        Some(_) => match outcome.evidence.row_count() {
            None => texts::NO_ROW_COUNT.into(),
            Some(count) => match (text("field"), text("expected"), text("actual")) {
                (Some(field), Some(expected), Some(actual)) => line(&format!(
                    "rowCount={count} field={field} expected={expected} actual={actual}"
                ))
                .into(),
                _ if count == 1 => "rowCount=1".into(),
                _ => format!("rowCount={count}").into(),
            },
        },
    }
}
