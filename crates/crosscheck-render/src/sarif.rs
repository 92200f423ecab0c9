//! SARIF 2.1.0: a run for each report, a result for each outcome.
//!
//! The rules are the declared reasons. An outcome is a result of its most
//! severe reason. An undecided outcome is also a result of kind `fail`: its
//! rule says that the check could not be done, which is a fact. Any other kind
//! would force the level `none` and hide it. Confirmed outcomes are of kind
//! `pass`.

mod rules;
mod uri;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use crosscheck_core::digest::Digest;
use crosscheck_core::{Level, Outcome, Place, Report, Verdict};
use serde_json::{Value, json};

use self::rules::Rules;
use crate::json::pretty;
use crate::story::{facts, line, main_reason};

/// Names the fingerprint algorithm; changes with it.
const FINGERPRINT: &str = "crosscheckClaim/v1";

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut runs: Vec<Value> = Vec::with_capacity(reports.len());
    for report in reports {
        let count = names.entry(report.verifier).or_default();
        *count += 1;
        runs.push(run(report, &category(report.verifier, *count)));
    }
    pretty(
        &json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": runs,
        }),
        out,
    )
}

/// Consumers refuse two runs of one category in one file.
fn category(verifier: &str, count: usize) -> String {
    match count {
        1 => format!("crosscheck/{verifier}/"),
        _ => format!("crosscheck/{verifier}-{count}/"),
    }
}

fn run(report: &Report, category: &str) -> Value {
    let rules = Rules::of(report);
    let mut prints = Prints::default();
    let results: Vec<Value> = report
        .outcomes
        .iter()
        .map(|outcome| result(report, outcome, &rules, &mut prints))
        .collect();
    json!({
        "tool": { "driver": {
            "name": "crosscheck",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": rules.declarations(),
        }},
        "automationDetails": { "id": category },
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "subject": report.subject,
            "verdict": report.verdict.word(),
            "summary": report.summary,
            "notices": report.notices,
        },
    })
}

fn result(report: &Report, outcome: &Outcome, rules: &Rules, prints: &mut Prints) -> Value {
    let (kind, level) = match outcome.verdict {
        Verdict::Confirmed => ("pass", "none"),
        Verdict::Undecided => ("fail", level(outcome, Level::Warning)),
        Verdict::Refuted => ("fail", level(outcome, Level::Error)),
    };
    let rule = Rules::id(outcome);
    json!({
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "kind": kind,
        "level": level,
        "message": { "text": message(outcome) },
        "locations": [location(report, outcome)],
        "partialFingerprints": { FINGERPRINT: prints.of(report, outcome) },
        "properties": {
            "unit": outcome.unit.as_str(),
            "verdict": outcome.verdict.word(),
            "reasons": outcome.reasons.iter().map(|grounds| grounds.reason.code).collect::<Vec<_>>(),
        },
    })
}

/// The severity of the most severe reason.
fn level(outcome: &Outcome, otherwise: Level) -> &'static str {
    rules::level_word(main_reason(outcome).map_or(otherwise, |grounds| grounds.reason.level))
}

fn message(outcome: &Outcome) -> String {
    let mut text = format!("{}: {}", outcome.verdict.word(), line(&outcome.claim));
    for (label, fact) in facts(outcome) {
        let _ = write!(text, "\n{label}: {fact}");
    }
    text
}

/// The location; an outcome without one points at the subject of the run,
/// because consumers refuse a whole file if one result has no location.
fn location(report: &Report, outcome: &Outcome) -> Value {
    let (path, region) = match &outcome.place {
        Some(place) => (place.path.as_str(), region(place)),
        None => (report.subject.as_str(), None),
    };
    let mut physical = json!({ "artifactLocation": uri::artifact(path) });
    if let (Some(region), Some(object)) = (region, physical.as_object_mut()) {
        object.insert("region".to_owned(), region);
    }
    json!({
        "physicalLocation": physical,
        "logicalLocations": [{ "fullyQualifiedName": line(outcome.unit.as_str()) }],
    })
}

/// SARIF counts from 1, and refuses an end before the start.
fn region(place: &Place) -> Option<Value> {
    let start = place.line.filter(|line| *line > 0)?;
    let mut region = json!({ "startLine": start });
    let object = region.as_object_mut()?;
    if let Some(column) = place.column.filter(|column| *column > 0) {
        object.insert("startColumn".to_owned(), column.into());
    }
    if let Some(end) = place.end_line.filter(|end| *end >= start) {
        object.insert("endLine".to_owned(), end.into());
    }
    Some(region)
}

/// Fingerprints do not change when lines move or units are renumbered: they
/// hash the claim and its file, and number equal claims.
#[derive(Default)]
struct Prints(HashMap<Digest, usize>);

impl Prints {
    fn of(&mut self, report: &Report, outcome: &Outcome) -> String {
        let path = outcome.place.as_ref().map_or("", |place| &place.path);
        let parts = [report.verifier, &outcome.claim, path];
        let digest = Digest::of(parts.join("\0"));
        let count = self.0.entry(digest).or_default();
        *count += 1;
        format!("{}:{count}", digest.hex())
    }
}
