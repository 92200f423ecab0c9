//! The verdicts as OpenTelemetry events `gen_ai.evaluation.result`, each with a reference to
//! the reports that show the evidence.

use std::fs::File;
use std::time::{SystemTime, UNIX_EPOCH};

use crosscheck::core::Verdict;
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::digest::of_reader;
use crosscheck::render::Format;
use serde_json::{Value, json};

use super::outcome::Finished;
use crate::args::VERSION;
use crate::args::ci::Output;
use crate::settings::fixed_time;

/// One OTLP log document in JSON, with one event for each run.
pub(super) fn document(finished: &[Finished<'_>], outputs: &[Output]) -> String {
    let now: SystemTime = fixed_time().unwrap_or_else(|| SystemClock.now());
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let evidence = evidence(outputs);
    let event = |one: &Finished<'_>| {
        let mut attributes = vec![
            text("gen_ai.evaluation.name", &one.name()),
            text("gen_ai.evaluation.score.label", one.word()),
            text("gen_ai.evaluation.explanation", &one.report.summary),
        ];
        let score = match one.report.verdict {
            Verdict::Confirmed => Some(1.0),
            Verdict::Refuted if one.word() == "refuted" => Some(0.0),
            _ => None,
        };
        let score = score.map(|score| json!({"doubleValue": score}));
        attributes.extend(score.map(|score| pair("gen_ai.evaluation.score.value", &score)));
        attributes.extend(evidence.iter().cloned());
        json!({"timeUnixNano": since.as_nanos().to_string(), "eventName": "gen_ai.evaluation.result",
            "attributes": attributes})
    };
    let records: Vec<Value> = finished.iter().map(event).collect();
    let scope = json!({"name": "crosscheck", "version": VERSION});
    let resource = json!({"attributes": [text("service.name", "crosscheck")]});
    let logs =
        json!({"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": records}]});
    json!({"resourceLogs": [logs]}).to_string() + "\n"
}

/// Where the reports are, what they are, and their hashes, in the same order.
fn evidence(outputs: &[Output]) -> Vec<Value> {
    let (mut places, mut hashes, mut types) = (Vec::new(), Vec::new(), Vec::new());
    for output in outputs {
        let file = output
            .file
            .as_ref()
            .and_then(|path| path.canonicalize().ok());
        let url = file
            .as_ref()
            .and_then(|path| crosscheck::fetch::Url::from_file_path(path).ok());
        let hash = file.and_then(|path| of_reader(File::open(path).ok()?).ok());
        if let (Some(url), Some(hash)) = (url, hash) {
            places.push(json!({"stringValue": url.as_str()}));
            hashes.push(json!({"stringValue": format!("sha256:{}", hash.hex())}));
            types.push(json!({"stringValue": media_type(output.format)}));
        }
    }
    let list = |key, values: Vec<Value>| pair(key, &json!({"arrayValue": {"values": values}}));
    let lists = [
        ("crosscheck.evidence.uri", places),
        ("crosscheck.evidence.digest", hashes),
        ("crosscheck.evidence.media_type", types),
    ];
    let lists = lists.into_iter().filter(|(_, values)| !values.is_empty());
    lists.map(|(key, values)| list(key, values)).collect()
}

const fn media_type(format: Format) -> &'static str {
    match format {
        Format::Human | Format::Github => "text/plain",
        Format::Json => "application/json",
        Format::Ndjson => "application/x-ndjson",
        Format::Junit => "application/xml",
        Format::Sarif => "application/sarif+json",
        Format::Markdown => "text/markdown",
        Format::Html => "text/html",
        Format::Csv => "text/csv",
    }
}

fn text(key: &str, value: &str) -> Value {
    pair(key, &json!({"stringValue": value}))
}

fn pair(key: &str, value: &Value) -> Value {
    json!({"key": key, "value": value})
}
