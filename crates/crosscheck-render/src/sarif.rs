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
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use self::rules::Rules;
use self::uri::artifact;
use crate::json::pretty;
use crate::story::{acceptance, facts, line, main_reason};

/// Fields are in alphabetical order, as is every object of the file.
#[derive(Serialize)]
struct Document<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    runs: Vec<Run<'r>>,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    automation_details: Value,
    column_kind: &'static str,
    properties: Value,
    results: Results<'r>,
    tool: Value,
}

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut runs: Vec<Run<'_>> = Vec::with_capacity(reports.len());
    for report in reports {
        let count = names.entry(report.verifier).or_default();
        *count += 1;
        runs.push(run(report, &category(report.verifier, *count)));
    }
    pretty(
        &Document {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            runs,
            version: "2.1.0",
        },
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

fn run<'r>(report: &'r Report, category: &str) -> Run<'r> {
    let rules = Rules::of(report);
    Run {
        automation_details: json!({ "id": category }),
        column_kind: "unicodeCodePoints",
        properties: json!({
            "subject": report.subject,
            "verdict": report.verdict.word(),
            "summary": report.summary,
            "notices": report.notices,
        }),
        tool: json!({ "driver": {
            "name": "crosscheck",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": rules.declarations(),
        }}),
        results: Results { report, rules },
    }
}

/// The results, made one after the other: a report may be large.
struct Results<'r> {
    report: &'r Report,
    rules: Rules,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut prints = Prints::default();
        let outcomes = self.report.outcomes.iter();
        serializer.collect_seq(outcomes.map(|outcome| self.result(outcome, &mut prints)))
    }
}

impl Results<'_> {
    fn result(&self, outcome: &Outcome, prints: &mut Prints) -> Value {
        let (kind, level) = match outcome.verdict {
            Verdict::Confirmed => ("pass", "none"),
            _ if acceptance(outcome).is_some() => ("fail", "note"),
            Verdict::Undecided => ("fail", level(outcome, Level::Warning)),
            Verdict::Refuted => ("fail", level(outcome, Level::Error)),
        };
        let rule = Rules::id(outcome);
        let reasons = outcome.reasons.iter().map(|grounds| grounds.reason.code);
        json!({
            "kind": kind,
            "level": level,
            "locations": [location(self.report, outcome)],
            "message": { "text": message(outcome) },
            // the name is that of the algorithm; both change together
            "partialFingerprints": { "crosscheckClaim/v1": prints.of(self.report, outcome) },
            "properties": {
                "reasons": reasons.collect::<Vec<_>>(),
                "unit": outcome.unit.as_str(),
                "verdict": outcome.verdict.word(),
            },
            "ruleId": rule,
            "ruleIndex": self.rules.index(rule),
        })
    }
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
    let place = outcome.place.as_ref();
    let path = place.map_or(&report.subject, |place| &place.path);
    let mut physical = Map::from_iter([("artifactLocation".to_owned(), artifact(path))]);
    let region = place.and_then(region);
    physical.extend(region.map(|region| ("region".to_owned(), region)));
    json!({
        "logicalLocations": [{ "fullyQualifiedName": line(outcome.unit.as_str()) }],
        "physicalLocation": physical,
    })
}

/// SARIF counts from 1, and refuses an end before the start.
fn region(place: &Place) -> Option<Value> {
    let start = place.line.filter(|line| *line > 0)?;
    let end = place.end_line.filter(|end| *end >= start);
    let column = place.column.filter(|column| *column > 0);
    let members = [
        ("startLine", Some(start)),
        ("endLine", end),
        ("startColumn", column),
    ];
    let members = members.into_iter();
    Some(
        members
            .filter_map(|(name, number)| Some((name.to_owned(), json!(number?))))
            .collect(),
    )
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
