//! One line of an events file. Strict: what the schema does not name is refused.

use crosscheck_core::json::{Json, Members, Node, Value};
use crosscheck_core::{JsStr, JsString};

const ID_MAX: usize = 512;
/// The largest integer a double holds exactly.
const SEQ_MAX: f64 = 9_007_199_254_740_991.0;

/// What a line says.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) version: u8,
    pub(crate) workflow_id: JsString,
    pub(crate) run_event_id: Option<JsString>,
    pub(crate) body: Body,
}

/// The kinds of events.
#[derive(Debug)]
pub(crate) enum Body {
    ToolObserved {
        seq: u64,
        tool_id: JsString,
        timestamp: Option<i64>,
    },
    ModelTurn(&'static str),
    Retrieval {
        source: JsString,
        status: &'static str,
        hits: Option<f64>,
    },
    Control {
        kind: &'static str,
        decision: Option<&'static str>,
        label: Option<JsString>,
    },
    ToolSkipped {
        tool_id: JsString,
        reason: JsString,
    },
}

const TOOL: &[&str] = &[
    "schemaVersion",
    "workflowId",
    "seq",
    "type",
    "toolId",
    "params",
    "timestamp",
];
const LATER: &[&str] = &["runEventId", "parentRunEventId"];
const TURNS: [&str; 4] = ["completed", "error", "aborted", "incomplete"];
const RETRIEVALS: [&str; 3] = ["ok", "empty", "error"];
const CONTROLS: [&str; 5] = ["branch", "loop", "interrupt", "gate", "run_completed"];
const DECISIONS: [&str; 2] = ["taken", "skipped"];

/// The event of a line, or `None` when the line is malformed.
pub(crate) fn parse(line: &Json) -> Option<Event> {
    let node = line.root();
    let members = node.as_object()?;
    let version = match node.get("schemaVersion")?.as_f64()? {
        1.0 => 1,
        2.0 => 2,
        3.0 => 3,
        _ => return None,
    };
    let workflow_id = filled(node, "workflowId")?;
    let kind = node.get("type")?.as_str()?;
    if node
        .get("timestamp")
        .is_some_and(|time| time.as_js().is_none())
    {
        return None;
    }
    let run_event_id = if version == 1 {
        None
    } else {
        if node.get("parentRunEventId").is_some() {
            filled(node, "parentRunEventId")?;
        }
        Some(filled(node, "runEventId")?)
    };
    let (body, own): (Body, &[&str]) = match (kind, version) {
        ("tool_observed", 1) => (tool_observed(node)?, &[]),
        ("tool_observed", 2) => (tool_observed(node)?, LATER),
        ("tool_observed", _) => {
            checkpoint(node.get("langgraphCheckpoint")?)?;
            (
                tool_observed(node)?,
                &["runEventId", "parentRunEventId", "langgraphCheckpoint"],
            )
        }
        (_, 2) => context(kind, node)?,
        _ => return None,
    };
    let allowed = |name: &str| {
        own.contains(&name) || (TOOL.contains(&name) && kind == "tool_observed") || is_common(name)
    };
    known_only(members, allowed)?;
    Some(Event {
        version,
        workflow_id,
        run_event_id,
        body,
    })
}

fn is_common(name: &str) -> bool {
    matches!(name, "schemaVersion" | "workflowId" | "type" | "timestamp")
}

fn known_only(mut members: Members<'_>, allowed: impl Fn(&str) -> bool) -> Option<()> {
    members
        .all(|(key, _)| key.as_str().is_some_and(&allowed))
        .then_some(())
}

fn tool_observed(node: Node<'_>) -> Option<Body> {
    let seq = node.get("seq")?.as_f64()?;
    node.get("params")?.as_object()?;
    let tool_id = filled(node, "toolId")?;
    if seq.fract() != 0.0 || !(0.0..=SEQ_MAX).contains(&seq) || tool_id.as_js().unit_len() > ID_MAX
    {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number between 0 and 2^53"
    )]
    let seq = seq as u64;
    let timestamp = node
        .get("timestamp")
        .and_then(Node::as_str)
        .and_then(moment);
    Some(Body::ToolObserved {
        seq,
        tool_id,
        timestamp,
    })
}

fn checkpoint(node: Node<'_>) -> Option<()> {
    filled(node, "threadId")?;
    filled(node, "checkpointId")?;
    node.get("checkpointNs")?.as_js()?;
    known_only(node.as_object()?, |name| {
        matches!(name, "threadId" | "checkpointNs" | "checkpointId")
    })
}

fn context(kind: &str, node: Node<'_>) -> Option<(Body, &'static [&'static str])> {
    let optional_text = |key: &str| node.get(key).is_none_or(|value| value.as_js().is_some());
    Some(match kind {
        "model_turn" => {
            if !optional_text("summary") {
                return None;
            }
            let status = word(node, "status", &TURNS)?;
            (
                Body::ModelTurn(status),
                &["runEventId", "parentRunEventId", "status", "summary"],
            )
        }
        "retrieval" => {
            let hits = match node.get("hitCount") {
                None => None,
                Some(hits) => Some(
                    hits.as_f64()
                        .filter(|hits| *hits >= 0.0 && hits.fract() == 0.0)?,
                ),
            };
            if !optional_text("querySummary") {
                return None;
            }
            let body = Body::Retrieval {
                source: filled(node, "source")?,
                status: word(node, "status", &RETRIEVALS)?,
                hits,
            };
            (
                body,
                &[
                    "runEventId",
                    "parentRunEventId",
                    "source",
                    "status",
                    "querySummary",
                    "hitCount",
                ],
            )
        }
        "control" => {
            let decision = match node.get("decision") {
                None => None,
                Some(_) => Some(word(node, "decision", &DECISIONS)?),
            };
            if !optional_text("label") {
                return None;
            }
            let body = Body::Control {
                kind: word(node, "controlKind", &CONTROLS)?,
                decision,
                label: node.get("label").and_then(Node::as_js).map(JsStr::to_owned),
            };
            (
                body,
                &[
                    "runEventId",
                    "parentRunEventId",
                    "controlKind",
                    "label",
                    "decision",
                ],
            )
        }
        "tool_skipped" => {
            let body = Body::ToolSkipped {
                tool_id: filled(node, "toolId")?,
                reason: node.get("reason")?.as_js()?.to_owned(),
            };
            (
                body,
                &["runEventId", "parentRunEventId", "toolId", "reason"],
            )
        }
        _ => return None,
    })
}

fn filled(node: Node<'_>, key: &str) -> Option<JsString> {
    match node.get(key)?.value() {
        Value::String(text) if !text.is_empty() => Some(text.to_owned()),
        _ => None,
    }
}

fn word(node: Node<'_>, key: &str, words: &[&'static str]) -> Option<&'static str> {
    let said = node.get(key)?.as_str()?;
    words.iter().find(|word| **word == said).copied()
}

/// Milliseconds after 1970 of a timestamp with date and, if it has one, time
/// and zone; without a zone it is UTC.
fn moment(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some(stamp.as_millisecond());
    }
    let civil = text.parse::<jiff::civil::DateTime>().ok().or_else(|| {
        let date = text.parse::<jiff::civil::Date>().ok()?;
        Some(date.at(0, 0, 0, 0))
    })?;
    let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> bool {
        parse(&Json::parse(text).unwrap()).is_some()
    }

    #[test]
    fn events_with_their_own_fields_are_read() {
        for text in [
            r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":3.0,"type":"tool_observed","toolId":"t","params":{},"timestamp":"x"}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"model_turn","status":"aborted"}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"retrieval","source":"kb","status":"ok","hitCount":2}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"control","controlKind":"gate","decision":"skipped"}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"tool_skipped","toolId":"t","reason":""}"#,
        ] {
            assert!(reads(text), "{text}");
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        for text in [
            "[]",
            r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t"}"#,
            r#"{"schemaVersion":1,"workflowId":"","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":-1,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":0.5,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":[]}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{},"runEventId":"r"}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{},"timestamp":5}"#,
            r#"{"schemaVersion":2,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":1,"workflowId":"w","type":"model_turn","status":"completed"}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"model_turn","status":"done"}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"model_turn","status":"error","seq":1}"#,
            r#"{"schemaVersion":4,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
        ] {
            assert!(!reads(text), "{text}");
        }
    }

    #[test]
    fn timestamps_are_read_with_and_without_a_zone() {
        assert_eq!(moment("1970-01-01T00:00:01Z"), Some(1000));
        assert_eq!(moment("1970-01-01T01:00:01+01:00"), Some(1000));
        assert_eq!(moment("1970-01-02"), Some(86_400_000));
        assert_eq!(moment("yesterday"), None);
    }
}
