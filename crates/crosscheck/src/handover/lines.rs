//! References to lines of files, for `claims`.

use std::path::Path;

use crosscheck_claims::plan::Selection;
use crosscheck_claims::{ClaimReason, QuoteLevel};
use crosscheck_core::advice::with_causes;
use crosscheck_core::{NoListener, Outcome, Verdict};
use crosscheck_done::handover::{Answer, LinesAsked};
use serde_json::{Value, json};

use crate::claims::Task;

/// More than any file has.
const LAST_LINE: u64 = 1 << 31;
/// Larger files are not read.
const MAX_FILE: u64 = 16 << 20;

/// One answer for each question.
pub(super) fn answers(root: &Path, asked: &[LinesAsked]) -> Vec<Answer> {
    let claims = asked
        .iter()
        .map(|lines| claim(lines, (lines.start, lines.end)));
    let units = match checked(root, claims.collect()) {
        Ok(units) => units,
        Err(why) => return vec![Answer::none(&why); asked.len()],
    };
    let answer = |(lines, unit): (&LinesAsked, &Outcome)| answer(root, lines, unit);
    asked.iter().zip(&units).map(answer).collect()
}

fn claim(asked: &LinesAsked, (start, end): (u64, u64)) -> Value {
    let path = asked.path.to_string_lossy();
    let mut evidence = json!({
        "source": path,
        "locator": {"type": "line_range", "path": path, "start": start, "end": end},
    });
    if let (Some(text), Some(fields)) = (&asked.text, evidence.as_object_mut()) {
        fields.insert("quote".to_owned(), Value::from(text.as_str()));
    }
    json!({"claim": shown(asked), "confidence": 1, "evidence": [evidence]})
}

/// What `claims` says, in the order of the claims.
fn checked(root: &Path, mut claims: Vec<Value>) -> Result<Vec<Outcome>, String> {
    for (at, claim) in claims.iter_mut().enumerate() {
        if let Some(fields) = claim.as_object_mut() {
            fields.insert("claim_id".to_owned(), Value::from(format!("r{at}")));
        }
    }
    let count = claims.len();
    let document = json!({
        "version": "SubResult.v1", "task_id": "done", "status": "ok",
        "answers": [{"question": "references", "summary": "references", "claims": claims}],
        "coverage": {"inputs_scanned": [{"source": "message", "method": "read", "scope": "all"}]},
    });
    let mut task = Task::new(document.to_string().into_bytes(), root);
    task.options.selection = Selection::All;
    task.options.quote_level = QuoteLevel::Whitespace;
    task.options.confined = true;
    task.options.hides_private = true;
    task.options.offline = true;
    task.options.read_settings = false;
    task.options.max_file_bytes = MAX_FILE;
    let report = task
        .run(&mut NoListener)
        .map_err(|error| with_causes(&error))?;
    let units = report.units().to_vec();
    if units.len() == count {
        Ok(units)
    } else {
        Err(report.neutral().summary.clone())
    }
}

fn answer(root: &Path, asked: &LinesAsked, unit: &Outcome) -> Answer {
    let Some(grounds) = unit.reasons.first() else {
        return Answer::none("`claims` gave no reason");
    };
    let code = grounds.reason.code;
    let is = |reason: ClaimReason| reason.code() == code;
    let refuted = |decides: bool| {
        let verdict = if decides {
            Verdict::Refuted
        } else {
            Verdict::Undecided
        };
        Answer::new(verdict, &grounds.message)
    };
    // the lines are there: what a judge makes of them is not asked here
    let was_read = [
        ClaimReason::Supported,
        ClaimReason::Consistent,
        ClaimReason::Contradicted,
        ClaimReason::Unclear,
        ClaimReason::Unrelated,
        ClaimReason::JudgeError,
    ];
    if was_read.into_iter().any(is) {
        let with = asked.text.as_ref().map_or("", |_| ", with the quoted text");
        return Answer::new(
            Verdict::Confirmed,
            &format!("{} is there{with}", shown(asked)),
        );
    }
    if is(ClaimReason::QuoteNotFound) {
        return refuted(asked.text_decides && is_nowhere(root, asked));
    }
    if is(ClaimReason::FileNotFound) || is(ClaimReason::RangeOutOfBounds) {
        return refuted(asked.decides);
    }
    Answer::none(&grounds.message)
}

/// Whether the quoted text is in no line of the file.
fn is_nowhere(root: &Path, asked: &LinesAsked) -> bool {
    let units = checked(root, vec![claim(asked, (1, LAST_LINE))]).unwrap_or_default();
    let reason = units.first().and_then(|unit| unit.reasons.first());
    reason.is_some_and(|grounds| grounds.reason.code == ClaimReason::QuoteNotFound.code())
}

fn shown(asked: &LinesAsked) -> String {
    let path = asked.path.display();
    if asked.start == asked.end {
        format!("line {} of {path}", asked.start)
    } else {
        format!("lines {}-{} of {path}", asked.start, asked.end)
    }
}
