//! Claims and their supports.

use crosscheck_core::digest::Digest;

use super::named::Named;
use super::object::{Field, Flaws, Object, Shape, Write, optional, required, span};
use crate::canonical;
use crate::ids::{self, Form, Key};
use crate::tape::Node;

pub(super) static CLAIM: [Field; 7] = [
    optional(
        "claim_type",
        Shape::OneOf(&["derived", "observed", "assumed"]),
        "\"derived\"",
    ),
    optional("confidence", Shape::Number, "0.0"),
    optional("id", Shape::Str, "\"\""),
    required("statement", Shape::Str),
    optional(
        "status",
        Shape::OneOf(&["proposed", "validated", "rejected"]),
        "\"proposed\"",
    ),
    optional("structured", Shape::ObjectOrNull, "null"),
    optional("supports", Shape::Objects, "[]").or("support_refs"),
];

pub(super) static SUPPORT: [Field; 5] = [
    optional("hash_algo", Shape::OneOf(&["sha256"]), "\"sha256\""),
    required("kind", Shape::OneOf(&["claim", "evidence", "tool_call"])),
    required("ref_id", Shape::Str),
    required("snippet_sha256", Shape::Hash),
    required("span", Shape::Span),
];

/// Where a claim comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimType {
    Derived,
    Observed,
    Assumed,
}

/// What the run thought of a claim when it emitted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Proposed,
    Validated,
    Rejected,
}

/// What a support points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SupportKind {
    Claim,
    Evidence,
    ToolCall,
}

/// One claim.
pub(crate) struct Claim<'j> {
    /// Its fields, unless it was read directly.
    pub(super) object: Option<Box<Object<'j, 7>>>,
    pub(crate) name: Named<'j>,
    pub(crate) statement: &'j str,
    pub(crate) origin: ClaimType,
    pub(crate) status: Status,
    pub(super) structured: Option<Node<'j>>,
    pub(crate) supports: Vec<Support<'j>>,
}

/// One support of a claim.
pub(crate) struct Support<'j> {
    pub(crate) kind: SupportKind,
    pub(crate) ref_id: &'j str,
    pub(crate) key: Key,
    pub(crate) span: (u64, u64),
    pub(crate) hash: &'j str,
    /// It stands in the trace in its normalised form.
    pub(super) is_normal: bool,
}

impl ClaimType {
    pub(super) fn of(word: &str) -> Option<Self> {
        match word {
            "derived" => Some(Self::Derived),
            "observed" => Some(Self::Observed),
            "assumed" => Some(Self::Assumed),
            _ => None,
        }
    }
}

impl Status {
    pub(super) fn of(word: &str) -> Option<Self> {
        match word {
            "proposed" => Some(Self::Proposed),
            "validated" => Some(Self::Validated),
            "rejected" => Some(Self::Rejected),
            _ => None,
        }
    }
}

impl SupportKind {
    pub(super) fn of(word: &str) -> Option<Self> {
        match word {
            "claim" => Some(Self::Claim),
            "evidence" => Some(Self::Evidence),
            "tool_call" => Some(Self::ToolCall),
            _ => None,
        }
    }
}

impl<'j> Claim<'j> {
    pub(crate) fn read(node: Node<'j>, path: &str, flaws: &mut Flaws) -> Option<Self> {
        let object = Object::read(node, &CLAIM, path, flaws)?;
        let [claim_type, _, id, statement, status, structured, supports] = object.nodes;
        let mut read = Vec::new();
        let mut sound = true;
        for (nth, node) in supports
            .and_then(Node::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            match Support::read(node, &format_args!("{path}.supports[{nth}]"), flaws) {
                Some(support) => read.push(support),
                None => sound = false,
            }
        }
        if !sound {
            return None;
        }
        let text = |node: Option<Node<'j>>| node.and_then(Node::as_str).unwrap_or_default();
        let recipe = || {
            let mut out = String::with_capacity(object.room());
            object.write(&mut out, |name, out| {
                if name == "id" {
                    Write::Skip
                } else {
                    write_own(&object, &read, name, out)
                }
            });
            Digest::of(out)
        };
        let name = Named::new(text(id), &[("claim", &recipe)]);
        Some(Self {
            name,
            statement: text(statement),
            origin: ClaimType::of(text(claim_type)).unwrap_or(ClaimType::Derived),
            status: Status::of(text(status)).unwrap_or(Status::Proposed),
            structured,
            object: Some(Box::new(object)),
            supports: read,
        })
    }

    /// Appends the normalised claim.
    pub(crate) fn write(&self, out: &mut String) {
        let Some(object) = &self.object else {
            return; // read directly, so the event that holds it is written as it stands
        };
        object.write(out, |name, out| {
            if name == "id" {
                canonical::write_str(out, &self.name.id);
                Write::Done
            } else {
                write_own(object, &self.supports, name, out)
            }
        });
    }

    /// Whether the claim stands in the trace in its normalised form.
    pub(crate) fn is_normal(&self) -> bool {
        let is_normal = |object: &Object<'_, 7>| {
            let [_, confidence, ..] = object.nodes;
            object.whole.is_some() && confidence.is_some_and(Node::is_double)
        };
        self.name.form != Form::Absent
            && self.object.as_deref().is_none_or(is_normal)
            && are_normal(&self.supports)
    }

    pub(crate) fn is_derived(&self) -> bool {
        self.origin == ClaimType::Derived
    }

    /// A key of the structured part.
    pub(crate) fn structured(&self, key: &str) -> Option<Node<'j>> {
        self.structured?.get(key)
    }

    /// Whether the claim says of itself that evidence is insufficient.
    pub(crate) fn is_marked_insufficient(&self) -> bool {
        self.structured("insufficient_evidence")
            .and_then(Node::as_bool)
            == Some(true)
    }

    /// The supports that can ground: those by evidence.
    pub(crate) fn evidence(&self) -> impl Iterator<Item = &Support<'j>> {
        self.supports
            .iter()
            .filter(|support| support.kind == SupportKind::Evidence)
    }
}

/// Whether supports stand in the trace in their normalised form.
fn are_normal(supports: &[Support<'_>]) -> bool {
    supports.iter().all(|support| support.is_normal)
}

fn write_own(
    object: &Object<'_, 7>,
    supports: &[Support<'_>],
    name: &str,
    out: &mut String,
) -> Write {
    let [_, confidence, .., list] = object.nodes;
    match name {
        "confidence" if confidence.is_some_and(Node::is_double) => Write::Plain,
        "confidence" => {
            canonical::write_double(out, confidence.and_then(Node::as_f64).unwrap_or(0.0));
            Write::Done
        }
        "supports" if are_normal(supports) => Write::Plain,
        "supports" => {
            out.push('[');
            let nodes = list.and_then(Node::as_array).into_iter().flatten();
            for (nth, node) in nodes.enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                // not flawed: it was read before
                if let Ok((support, _)) = Object::sort(node, &SUPPORT) {
                    support.write(out, |_, _| Write::Plain);
                }
            }
            out.push(']');
            Write::Done
        }
        _ => Write::Plain,
    }
}

impl<'j> Support<'j> {
    fn read(node: Node<'j>, path: &dyn std::fmt::Display, flaws: &mut Flaws) -> Option<Self> {
        let first = flaws.len();
        let Some(object) = Object::read(node, &SUPPORT, "", flaws) else {
            for flaw in flaws.iter_mut().skip(first) {
                flaw.field = format!("{path}.{}", flaw.field);
            }
            return None;
        };
        let [_, kind, ref_id, hash, range] = object.nodes;
        let text = |node: Option<Node<'j>>| node.and_then(Node::as_str).unwrap_or_default();
        Some(Self {
            kind: SupportKind::of(text(kind))?,
            ref_id: text(ref_id),
            key: ids::key(text(ref_id)),
            span: range.and_then(span)?,
            hash: text(hash),
            is_normal: object.whole.is_some(),
        })
    }
}
