//! The plan of a run and its problem spec (trace 2.8, 2.9).

use crosscheck_core::digest::Digest;
use crosscheck_core::json::Node;

use super::document::{self, Unwrapped};
use super::event::with_id;
use super::header::integer_text;
use super::named::Named;
use super::object::{Field, Flaw, Flaws, Object, Shape, Write, items, optional, required};
use super::output::StepKind;
use crate::canonical;

pub(super) static PLAN: [Field; 6] = [
    optional("edges", Shape::Pairs, "[]"),
    optional("id", Shape::Str, "\"\""),
    optional("nodes", Shape::Objects, "[]"),
    optional("problem", Shape::Str, "\"\""),
    optional("schema_version", Shape::Integer, "1"),
    required("spec_id", Shape::Str),
];
pub(super) static NODE: [Field; 5] = [
    optional("dependencies", Shape::Strings, "[]"),
    optional("id", Shape::Str, "\"\""),
    required("kind", Shape::OneOf(StepKind::WORDS)),
    optional("parameters", Shape::Object, "{}"),
    optional("step", Shape::Object, ""),
];
pub(super) static STEP: [Field; 3] = [
    required("kind", Shape::OneOf(StepKind::WORDS)),
    optional("notes", Shape::Str, "\"\""),
    optional("tool_requests", Shape::Objects, "[]"),
];
pub(super) static REQUEST: [Field; 2] = [
    optional("arguments", Shape::Object, "{}"),
    required("tool_name", Shape::Str),
];

/// The plan.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) name: Named<'static>,
    pub(crate) spec_id: String,
    pub(crate) nodes: Vec<PlanNode>,
    pub(crate) edges: Vec<(String, String)>,
    /// The normalised plan with its id.
    pub(crate) canonical: String,
}

/// One planned step.
#[derive(Debug, Clone)]
pub(crate) struct PlanNode {
    pub(crate) name: Named<'static>,
    pub(crate) kind: StepKind,
    pub(crate) step_kind: StepKind,
    pub(crate) dependencies: Vec<String>,
}

/// Why the plan cannot be used.
#[derive(Debug)]
pub(crate) enum NoPlan {
    Flawed(Flaws),
    /// The wrapper or the plan has another version.
    Version {
        expected: String,
        found: String,
    },
}

/// Reads a plan. `trace_version` is the schema version of the trace, if it
/// has a header.
pub(crate) fn plan(bytes: &[u8], trace_version: Option<&str>) -> Result<Plan, NoPlan> {
    let json = document::parse(bytes).map_err(|flaw| NoPlan::Flawed(vec![flaw]))?;
    let root = match document::unwrap(json.root()) {
        Unwrapped::Plain(node) => node,
        Unwrapped::Version(found) => {
            return Err(NoPlan::Version {
                expected: "canonical_version 1".to_owned(),
                found,
            });
        }
    };
    check_version(root, trace_version)?;
    let mut flaws = Flaws::new();
    match assemble(root, &mut flaws) {
        Some(plan) if flaws.is_empty() => Ok(plan),
        _ => Err(NoPlan::Flawed(flaws)),
    }
}

fn check_version(root: Node<'_>, trace_version: Option<&str>) -> Result<(), NoPlan> {
    let Some(found) = root.get("schema_version").and_then(integer_text) else {
        return Ok(()); // absent, or a bad field that reading will name
    };
    let expected = match trace_version {
        Some(version) => version.to_owned(),
        None if ["1", "2"].contains(&found.as_str()) => return Ok(()),
        None => "1 or 2".to_owned(),
    };
    if found == expected {
        Ok(())
    } else {
        Err(NoPlan::Version { expected, found })
    }
}

fn assemble(root: Node<'_>, flaws: &mut Flaws) -> Option<Plan> {
    let object = Object::read(root, &PLAN, "", flaws)?;
    let mut planned = Vec::new();
    let mut nodes_text = String::from("[");
    for (nth, node) in items(object.get("nodes")).enumerate() {
        if nth > 0 {
            nodes_text.push(',');
        }
        planned.extend(read_node(
            node,
            &format!("nodes[{nth}]"),
            &mut nodes_text,
            flaws,
        ));
    }
    nodes_text.push(']');
    if !flaws.is_empty() {
        return None;
    }
    let write = |id: Option<&str>| {
        let mut out = String::new();
        object.write(&mut out, |field, out| match (field, id) {
            ("schema_version", _) | ("id", None) => Write::Skip,
            ("id", Some(id)) => {
                canonical::write_str(out, id);
                Write::Done
            }
            ("nodes", _) => {
                out.push_str(&nodes_text);
                Write::Done
            }
            _ => Write::Plain,
        });
        out
    };
    let name = owned(Named::new(
        object.text("id"),
        &[("plan", &|| Digest::of(write(None)))],
    ));
    Some(Plan {
        canonical: write(Some(&name.id)),
        name,
        spec_id: object.text("spec_id").to_owned(),
        nodes: planned,
        edges: pairs(object.get("edges")),
    })
}

/// Reads one node and appends its normalised text.
fn read_node(node: Node<'_>, path: &str, out: &mut String, flaws: &mut Flaws) -> Option<PlanNode> {
    let object = Object::read(node, &NODE, path, flaws)?;
    let (dependencies, parameters) = (object.get("dependencies"), object.get("parameters"));
    let kind = StepKind::with_word(object.text("kind"))?;
    let (step_kind, step_text) = match object.get("step") {
        Some(step) => read_step(step, &format!("{path}.step"), flaws)?,
        None => (
            kind,
            format!(
                r#"{{"kind":"{}","notes":"","tool_requests":[]}}"#,
                kind.word()
            ),
        ),
    };
    let recipe = |step: Option<&str>| {
        let mut out = String::from("{\"deps\":");
        push_or(&mut out, dependencies, "[]");
        out.push_str(",\"kind\":\"");
        out.push_str(kind.word());
        out.push_str("\",\"params\":");
        push_or(&mut out, parameters, "{}");
        if let Some(step) = step {
            out.push_str(",\"step\":");
            out.push_str(step);
        }
        out.push('}');
        Digest::of(out)
    };
    let name = owned(Named::new(
        object.text("id"),
        &[
            ("node", &|| recipe(None)),
            ("node", &|| recipe(Some(&step_text))),
        ],
    ));
    let mut write_id = with_id(&name.id);
    object.write(out, |field, out| {
        if field == "step" {
            out.push_str(&step_text);
            return Write::Done;
        }
        write_id(field, out)
    });
    drop(write_id);
    Some(PlanNode {
        name,
        kind,
        step_kind,
        dependencies: items(dependencies)
            .filter_map(Node::as_str)
            .map(str::to_owned)
            .collect(),
    })
}

fn read_step(node: Node<'_>, path: &str, flaws: &mut Flaws) -> Option<(StepKind, String)> {
    let object = Object::read(node, &STEP, path, flaws)?;
    let mut list = String::from("[");
    let mut sound = true;
    for (nth, request) in items(object.get("tool_requests")).enumerate() {
        if nth > 0 {
            list.push(',');
        }
        match Object::read(
            request,
            &REQUEST,
            &format!("{path}.tool_requests[{nth}]"),
            flaws,
        ) {
            Some(request) => request.write(&mut list, |_, _| Write::Plain),
            None => sound = false,
        }
    }
    list.push(']');
    let mut out = String::new();
    object.write(&mut out, |field, out| {
        if field == "tool_requests" {
            out.push_str(&list);
            return Write::Done;
        }
        Write::Plain
    });
    Some((StepKind::with_word(object.text("kind"))?, out)).filter(|_| sound)
}

fn pairs(edges: Option<Node<'_>>) -> Vec<(String, String)> {
    items(edges)
        .filter_map(|pair| {
            let mut ends = pair.as_array()?.filter_map(Node::as_str).map(str::to_owned);
            Some((ends.next()?, ends.next()?))
        })
        .collect()
}

fn push_or(out: &mut String, node: Option<Node<'_>>, default: &str) {
    match node {
        Some(node) => canonical::write(out, node),
        None => out.push_str(default),
    }
}

fn owned(name: Named<'_>) -> Named<'static> {
    Named {
        id: name.id.into_owned().into(),
        key: name.key,
        form: name.form,
        should_be: name.should_be,
    }
}

/// The problem spec beside a run.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    pub(crate) name: Named<'static>,
}

static SPEC: [Field; 6] = [
    optional("constraints", Shape::Object, "{}"),
    required("description", Shape::Str),
    optional("expected", Shape::ObjectOrNull, "null"),
    optional("expected_output_type", Shape::Str, "\"Claim\""),
    optional("id", Shape::Str, "\"\""),
    optional("version", Shape::IntegerOrNull, "null"),
];

/// Reads `spec.json`, or says why it is not a spec.
pub(crate) fn spec(bytes: &[u8]) -> Result<Spec, String> {
    let json = document::parse(bytes).map_err(Flaw::why)?;
    let Unwrapped::Plain(root) = document::unwrap(json.root()) else {
        return Err("its wrapper is not of version 1".to_owned());
    };
    let mut flaws = Flaws::new();
    let object = Object::read(root, &SPEC, "", &mut flaws);
    let Some(object) = object else {
        return Err(flaws.first().map_or_else(String::new, |flaw| {
            format!("{}: `{}`", flaw.reason.wire(), flaw.field)
        }));
    };
    let recipe = || {
        Digest::of(object.normalised(|field, _| match field {
            "id" => Write::Skip,
            _ => Write::Plain,
        }))
    };
    Ok(Spec {
        name: owned(Named::new(object.text("id"), &[("spec", &recipe)])),
    })
}
