//! One line of an events file. Strict: what the schema does not name is refused.
//!
//! Nearly every line is a tool observation, which is read by the places of its
//! members. Any other line is held against the schema.
//!
//! Contract: check 5.

use crosscheck_core::JsStr;
use crosscheck_core::json::{FormId, Json, Members, Node, Place};
use serde_json::Value;

use super::moment::moment;
use crate::check::schema::{Compiled, Schema, Violation, meant, violations_in};

const ID_MAX: usize = 512;
/// The largest integer a double holds exactly.
const SEQ_MAX: f64 = 9_007_199_254_740_991.0;

/// What a line says.
#[derive(Debug)]
pub(crate) struct Event<'j> {
    pub(crate) version: u8,
    pub(crate) workflow_id: JsStr<'j>,
    pub(crate) body: Body<'j>,
}

/// The kinds of events.
#[derive(Debug)]
pub(crate) enum Body<'j> {
    ToolObserved {
        seq: u64,
        tool_id: JsStr<'j>,
        timestamp: Option<i64>,
        /// Where in the line the parameters begin.
        params: usize,
    },
    /// Anything else that the run logged, whole.
    Noted(Value),
}

/// The names a member of an observation may have.
const NAMES: [&str; 9] = [
    "schemaVersion",
    "workflowId",
    "type",
    "timestamp",
    "seq",
    "toolId",
    "params",
    "runEventId",
    "parentRunEventId",
];

/// The members of an observation in the order of [`NAMES`].
type Places = [Option<Place>; NAMES.len()];

/// Where the members of an observation are, found in one walk; `None` when
/// there is a name that no observation has.
fn places(members: Members<'_>) -> Option<Places> {
    let mut places = [None; NAMES.len()];
    for (key, node) in members {
        let mut names = NAMES.iter();
        let number = names.position(|name| name.as_bytes() == key.bytes())?;
        *places.get_mut(number)? = Some(node.place());
    }
    Some(places)
}

/// Reads one line after the other.
#[derive(Default)]
pub(crate) struct Events {
    /// The places in the line before, which are those of all lines of its form.
    known: Option<(FormId, Places)>,
    /// Made for the first line that is no plain observation.
    schema: Option<Compiled>,
}

impl Events {
    /// The event of a line, or what is wrong with a line that is none.
    pub(crate) fn read<'j>(&mut self, line: &'j Json) -> Result<Event<'j>, Vec<Violation>> {
        let root = line.root();
        if let Some(event) = self.places(root).and_then(|places| plain(root, &places)) {
            return Ok(event);
        }
        let schema = self.schema.get_or_insert_with(|| Schema::Event.compile());
        let (violations, value) = violations_in(schema, root);
        if violations.is_empty() {
            event(root, value).ok_or(violations)
        } else {
            Err(violations)
        }
    }

    fn places(&mut self, root: Node<'_>) -> Option<Places> {
        let members = root.as_object()?;
        match (&self.known, root.form()) {
            (Some((known, places)), Some(form)) if *known == form => Some(*places),
            (_, form) => {
                let places = places(members)?;
                self.known = form.map(|form| (form, places));
                Some(places)
            }
        }
    }
}

/// What is to be repaired in a line, in words.
pub(crate) fn fault(violations: &[Violation]) -> String {
    let say = |one: &&Violation| match one.path.as_str() {
        "/" => one.message.clone(),
        path => format!("at {path}: {}", one.message),
    };
    let said: Vec<String> = meant(violations).iter().map(say).collect();
    if said.is_empty() {
        return format!(
            "its toolId is longer than {ID_MAX} characters, or its seq is no number that is counted"
        );
    }
    said.join("; ")
}

/// A plain observation of version 1 or 2. `None` is not yet an answer.
fn plain<'j>(root: Node<'j>, places: &Places) -> Option<Event<'j>> {
    let [
        version,
        workflow,
        kind,
        timestamp,
        seq,
        tool,
        params,
        own,
        parent,
    ] = places.map(|place| place.map(|place| root.at(place)));
    let version = match (version?.as_f64()?, own, parent) {
        (1.0, None, None) => 1,
        (2.0, Some(own), parent) => {
            filled(own)?;
            parent.map_or(Some(own), |parent| filled(parent).map(|_| own))?;
            2
        }
        _ => return None,
    };
    if timestamp.is_some_and(|node| node.as_js().is_none()) || kind?.as_js()? != "tool_observed" {
        return None;
    }
    Some(Event {
        version,
        workflow_id: filled(workflow?)?,
        body: observed(seq?, tool?, params?, timestamp)?,
    })
}

/// The event of a line that fits the schema.
fn event(root: Node<'_>, value: Value) -> Option<Event<'_>> {
    let get = |name: &str| root.get(name);
    let version = get("schemaVersion")?.as_f64()?;
    let body = if get("type")?.as_str()? == "tool_observed" {
        observed(
            get("seq")?,
            get("toolId")?,
            get("params")?,
            get("timestamp"),
        )?
    } else {
        Body::Noted(value)
    };
    Some(Event {
        version: [1, 2, 3]
            .into_iter()
            .find(|known| f64::from(*known) >= version)?,
        workflow_id: filled(get("workflowId")?)?,
        body,
    })
}

fn observed<'j>(
    seq: Node<'_>,
    tool: Node<'j>,
    params: Node<'_>,
    timestamp: Option<Node<'_>>,
) -> Option<Body<'j>> {
    let (seq, tool_id) = (seq.as_f64()?, filled(tool)?);
    params.as_object()?;
    if seq.fract() != 0.0 || !(0.0..=SEQ_MAX).contains(&seq) || tool_id.unit_len() > ID_MAX {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number between 0 and 2^53"
    )]
    let seq = seq as u64;
    Some(Body::ToolObserved {
        seq,
        tool_id,
        timestamp: timestamp.and_then(Node::as_str).and_then(moment),
        params: params.start()?,
    })
}

fn filled(node: Node<'_>) -> Option<JsStr<'_>> {
    node.as_js().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> bool {
        Events::default().read(&Json::parse(text).unwrap()).is_ok()
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
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"control","controlKind":"gate","label":1}"#,
            r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"tool_skipped","toolId":"t","reason":"","status":"ok"}"#,
            r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{},"x":1}"#,
            r#"{"schemaVersion":3,"workflowId":"w","runEventId":"r","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
            r#"{"schemaVersion":4,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","params":{}}"#,
        ] {
            assert!(!reads(text), "{text}");
        }
    }

    #[test]
    fn what_is_to_be_repaired_is_named() {
        for (text, said) in [
            ("[]", "want object, but got array"),
            (
                r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observd","toolId":"t","params":{}}"#,
                "at /type: there is no kind \"tool_observd\". Did you mean `tool_observed`? Known are tool_observed, model_turn, retrieval, control, tool_skipped",
            ),
            (
                r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","parms":{}}"#,
                "there is no property `parms` here; the property `params` is missing",
            ),
            (
                r#"{"schemaVersion":2,"workflowId":"w","seq":1,"type":"tool_observed","toolId":"t","params":{}}"#,
                "at /schemaVersion: value must be 1",
            ),
        ] {
            let json = Json::parse(text).unwrap();
            let violations = Events::default().read(&json).unwrap_err();
            assert_eq!(fault(&violations), said, "{text}");
        }
    }
}
