//! One line of an events file. Strict: what the schema does not name is refused.
//!
//! Contract: check 5.

use std::borrow::Cow;

use crosscheck_core::JsStr;
use crosscheck_core::json::{FormId, Json, Members, Node, Place};

use super::moment::moment;

const ID_MAX: usize = 512;
/// The largest integer a double holds exactly.
const SEQ_MAX: f64 = 9_007_199_254_740_991.0;

/// What a line says.
#[derive(Debug)]
pub(crate) struct Event<'j> {
    pub(crate) version: u8,
    pub(crate) workflow_id: JsStr<'j>,
    pub(crate) run_event_id: Option<JsStr<'j>>,
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
    ModelTurn(&'static str),
    Retrieval {
        source: JsStr<'j>,
        status: &'static str,
        hits: Option<f64>,
    },
    Control {
        kind: &'static str,
        decision: Option<&'static str>,
        label: Option<JsStr<'j>>,
    },
    ToolSkipped {
        tool_id: JsStr<'j>,
        reason: JsStr<'j>,
    },
}

const TURNS: [&str; 4] = ["completed", "error", "aborted", "incomplete"];
const RETRIEVALS: [&str; 3] = ["ok", "empty", "error"];
const CONTROLS: [&str; 5] = ["branch", "loop", "interrupt", "gate", "run_completed"];
const DECISIONS: [&str; 2] = ["taken", "skipped"];

/// The names a member of an event may have.
#[derive(Debug, Clone, Copy)]
enum Name {
    SchemaVersion,
    WorkflowId,
    Type,
    Timestamp,
    Seq,
    ToolId,
    Params,
    RunEventId,
    ParentRunEventId,
    LanggraphCheckpoint,
    Status,
    Summary,
    Source,
    QuerySummary,
    HitCount,
    ControlKind,
    Label,
    Decision,
    Reason,
}

/// The same as events write them.
const NAMES: [&str; 19] = [
    "schemaVersion",
    "workflowId",
    "type",
    "timestamp",
    "seq",
    "toolId",
    "params",
    "runEventId",
    "parentRunEventId",
    "langgraphCheckpoint",
    "status",
    "summary",
    "source",
    "querySummary",
    "hitCount",
    "controlKind",
    "label",
    "decision",
    "reason",
];

impl Name {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The place of a member among the names.
fn number(key: JsStr<'_>) -> Option<usize> {
    NAMES.iter().position(|name| name.as_bytes() == key.bytes())
}

/// Whether some event has a member of this name.
pub(crate) fn is_name(key: JsStr<'_>) -> bool {
    number(key).is_some()
}

/// Where the members of an event are, found in one walk.
#[derive(Debug, Clone)]
struct Layout {
    places: [Option<Place>; NAMES.len()],
    /// A bit for each name that is there.
    present: u32,
}

impl Layout {
    /// `None` when there is a name that no event has.
    fn of(members: Members<'_>) -> Option<Self> {
        let (mut places, mut present) = ([None; NAMES.len()], 0);
        for (key, node) in members {
            let number = number(key)?;
            *places.get_mut(number)? = Some(node.place());
            present |= 1 << number;
        }
        Some(Self { places, present })
    }
}

/// The layout of the line before, which is that of all lines of its form.
#[derive(Debug, Default)]
pub(crate) struct Layouts(Option<(FormId, Layout)>);

impl Layouts {
    fn of(&mut self, root: Node<'_>) -> Option<Cow<'_, Layout>> {
        let members = root.as_object()?;
        match (&self.0, root.form()) {
            (Some((known, _)), Some(form)) if *known == form => {}
            (_, Some(form)) => self.0 = Some((form, Layout::of(members)?)),
            (_, None) => return Layout::of(members).map(Cow::Owned),
        }
        self.0.as_ref().map(|(_, layout)| Cow::Borrowed(layout))
    }
}

/// The members of an event by their names.
struct Fields<'j, 'l> {
    root: Node<'j>,
    layout: &'l Layout,
}

impl<'j> Fields<'j, '_> {
    #[inline]
    fn get(&self, name: Name) -> Option<Node<'j>> {
        let place = self.layout.places.get(name as usize).copied().flatten();
        place.map(|place| self.root.at(place))
    }

    /// A text that is not empty.
    fn filled(&self, name: Name) -> Option<JsStr<'j>> {
        filled(self.get(name)?)
    }

    fn word(&self, name: Name, words: &[&'static str]) -> Option<&'static str> {
        let said = self.get(name)?.as_str()?;
        words.iter().find(|word| **word == said).copied()
    }

    fn is_text_or_nothing(&self, name: Name) -> bool {
        self.get(name).is_none_or(|node| node.as_js().is_some())
    }

    /// Whether there is nothing beside these and what every event has.
    fn are_only(&self, own: &[Name]) -> bool {
        use Name::{SchemaVersion, Timestamp, Type, WorkflowId};
        let allowed = [SchemaVersion, WorkflowId, Type, Timestamp];
        let known = allowed.iter().chain(own);
        self.layout.present & !known.fold(0, |bits, name| bits | name.bit()) == 0
    }
}

/// The event of a line, or `None` when the line is malformed.
pub(crate) fn parse<'j>(line: &'j Json, layouts: &mut Layouts) -> Option<Event<'j>> {
    use Name::{LanggraphCheckpoint, Params, ParentRunEventId, RunEventId, Seq, ToolId};
    let root = line.root();
    let layout = layouts.of(root)?;
    let fields = Fields {
        root,
        layout: &layout,
    };
    let version = match fields.get(Name::SchemaVersion)?.as_f64()? {
        1.0 => 1,
        2.0 => 2,
        3.0 => 3,
        _ => return None,
    };
    let workflow_id = fields.filled(Name::WorkflowId)?;
    let kind = fields.get(Name::Type)?.as_js()?;
    if !fields.is_text_or_nothing(Name::Timestamp) {
        return None;
    }
    let run_event_id = if version == 1 {
        None
    } else {
        if let Some(parent) = fields.get(ParentRunEventId) {
            filled(parent)?;
        }
        Some(fields.filled(RunEventId)?)
    };
    let (body, own): (Body<'_>, &[Name]) = match (kind.bytes(), version) {
        (b"tool_observed", 1) => (tool_observed(&fields)?, &[Seq, ToolId, Params]),
        (b"tool_observed", 2) => (
            tool_observed(&fields)?,
            &[Seq, ToolId, Params, RunEventId, ParentRunEventId],
        ),
        (b"tool_observed", _) => {
            checkpoint(fields.get(LanggraphCheckpoint)?)?;
            (
                tool_observed(&fields)?,
                &[
                    Seq,
                    ToolId,
                    Params,
                    RunEventId,
                    ParentRunEventId,
                    LanggraphCheckpoint,
                ],
            )
        }
        (_, 2) => context(kind.as_str()?, &fields)?,
        _ => return None,
    };
    fields.are_only(own).then_some(Event {
        version,
        workflow_id,
        run_event_id,
        body,
    })
}

fn tool_observed<'j>(fields: &Fields<'j, '_>) -> Option<Body<'j>> {
    let seq = fields.get(Name::Seq)?.as_f64()?;
    let params = fields.get(Name::Params)?;
    params.as_object()?;
    let tool_id = fields.filled(Name::ToolId)?;
    if seq.fract() != 0.0 || !(0.0..=SEQ_MAX).contains(&seq) || tool_id.unit_len() > ID_MAX {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number between 0 and 2^53"
    )]
    let seq = seq as u64;
    let timestamp = fields
        .get(Name::Timestamp)
        .and_then(Node::as_str)
        .and_then(moment);
    Some(Body::ToolObserved {
        seq,
        tool_id,
        timestamp,
        params: params.start()?,
    })
}

fn checkpoint(node: Node<'_>) -> Option<()> {
    filled(node.get("threadId")?)?;
    filled(node.get("checkpointId")?)?;
    node.get("checkpointNs")?.as_js()?;
    let known =
        |key: JsStr<'_>| matches!(key.bytes(), b"threadId" | b"checkpointNs" | b"checkpointId");
    node.as_object()?.all(|(key, _)| known(key)).then_some(())
}

fn context<'j>(kind: &str, fields: &Fields<'j, '_>) -> Option<(Body<'j>, &'static [Name])> {
    use Name::{
        ControlKind, Decision, HitCount, Label, ParentRunEventId, QuerySummary, Reason, RunEventId,
        Source, Status, Summary, ToolId,
    };
    Some(match kind {
        "model_turn" if fields.is_text_or_nothing(Summary) => (
            Body::ModelTurn(fields.word(Status, &TURNS)?),
            &[RunEventId, ParentRunEventId, Status, Summary],
        ),
        "retrieval" if fields.is_text_or_nothing(QuerySummary) => (
            retrieval(fields)?,
            &[
                RunEventId,
                ParentRunEventId,
                Source,
                Status,
                QuerySummary,
                HitCount,
            ],
        ),
        "control" if fields.is_text_or_nothing(Label) => (
            control(fields)?,
            &[RunEventId, ParentRunEventId, ControlKind, Label, Decision],
        ),
        "tool_skipped" => {
            let body = Body::ToolSkipped {
                tool_id: fields.filled(ToolId)?,
                reason: fields.get(Reason)?.as_js()?,
            };
            (body, &[RunEventId, ParentRunEventId, ToolId, Reason])
        }
        _ => return None,
    })
}

fn retrieval<'j>(fields: &Fields<'j, '_>) -> Option<Body<'j>> {
    let hits = match fields.get(Name::HitCount) {
        None => None,
        Some(hits) => Some(
            hits.as_f64()
                .filter(|hits| *hits >= 0.0 && hits.fract() == 0.0)?,
        ),
    };
    Some(Body::Retrieval {
        source: fields.filled(Name::Source)?,
        status: fields.word(Name::Status, &RETRIEVALS)?,
        hits,
    })
}

fn control<'j>(fields: &Fields<'j, '_>) -> Option<Body<'j>> {
    let decision = match fields.get(Name::Decision) {
        None => None,
        Some(_) => Some(fields.word(Name::Decision, &DECISIONS)?),
    };
    Some(Body::Control {
        kind: fields.word(Name::ControlKind, &CONTROLS)?,
        decision,
        label: fields.get(Name::Label).and_then(Node::as_js),
    })
}

fn filled(node: Node<'_>) -> Option<JsStr<'_>> {
    node.as_js().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> bool {
        parse(&Json::parse(text).unwrap(), &mut Layouts::default()).is_some()
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
}
