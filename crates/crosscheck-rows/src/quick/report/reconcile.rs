//! The four strings that hold declaration, expectation, observation and
//! verdict of a unit side by side.

use crosscheck_core::JsString;
use crosscheck_core::text::one_line_js;

use super::Finding;
use super::texts::{
    NOT_RESOLVED, NOTHING_OBSERVED, QUERY_FAILED, RELATED_ABSENT, RELATED_PRESENT, unit_word,
};
use crate::certificate::{Doc, object};
use crate::observe::RowsSeen;
use crate::quick::decimals::three_decimals;
use crate::quick::judge::LookedUp;
use crate::quick::plan::{Expectation, RowRequest};

#[derive(Debug, Clone)]
pub(super) struct Reconciliation {
    pub(super) declared: JsString,
    pub(super) expected: JsString,
    pub(super) observed: JsString,
    pub(super) verdict: JsString,
}

impl Reconciliation {
    pub(super) fn of(finding: &Finding, tool: &JsString, parameters: &str) -> Self {
        let line = |text: JsString| one_line_js(text.as_js());
        Self {
            declared: line(declared(finding.unit.action, tool, parameters)),
            expected: line(expected(&finding.unit.expectation)),
            observed: line(observed(finding).into()),
            verdict: line(
                format!(
                    "outcome={}; confidence={}",
                    unit_word(finding.judgement.verdict),
                    three_decimals(finding.unit.confidence)
                )
                .into(),
            ),
        }
    }

    pub(super) fn doc(&self) -> Doc {
        object! {
            "declared": self.declared, "expected": self.expected,
            "observed_database": self.observed, "verification_verdict": self.verdict,
        }
    }
}

fn declared(index: usize, tool: &JsString, parameters: &str) -> JsString {
    let mut text = JsString::from("tool=");
    text.push(tool.as_js());
    text.push_str(&format!(
        "; action#={index}; parameters_digest={parameters}"
    ));
    text
}

fn expected(expectation: &Expectation) -> JsString {
    match expectation {
        Expectation::Row(request) => row_expected(request),
        Expectation::Related(request) => format!("related_exists; id={}", request.check_id).into(),
        Expectation::Unmapped(_) => NOT_RESOLVED.into(),
    }
}

fn row_expected(request: &RowRequest) -> JsString {
    let table = request.table.shown();
    let mut text = JsString::from(format!("table={table}; table={table} identity=["));
    for (at, pair) in request.identity.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&format!("{}=", pair.column));
        text.push(pair.value.as_js());
    }
    let fields: Vec<&str> = request
        .fields
        .iter()
        .map(|(column, _)| column.as_str())
        .collect();
    text.push_str(&format!("] required_fields=[{}]", fields.join(", ")));
    text
}

fn observed(finding: &Finding) -> String {
    let is_related = matches!(finding.unit.expectation, Expectation::Related(_));
    match (&finding.seen, &finding.judgement.facts) {
        (None, _) => NOTHING_OBSERVED.to_owned(),
        (Some(RowsSeen::Failed(error)), _) => format!("{QUERY_FAILED}: {}", error.message()),
        (Some(RowsSeen::None), _) if is_related => RELATED_ABSENT.to_owned(),
        (Some(_), _) if is_related => RELATED_PRESENT.to_owned(),
        (
            Some(_),
            LookedUp::Mismatch {
                field,
                expected,
                actual,
            },
        ) => format!("rowCount=1 field={field} expected={expected} actual={actual}"),
        (Some(RowsSeen::None), _) => "rowCount=0".to_owned(),
        (Some(RowsSeen::Many(_)), _) => "rowCount=2".to_owned(),
        (Some(RowsSeen::One(_)), _) => "rowCount=1".to_owned(),
    }
}
