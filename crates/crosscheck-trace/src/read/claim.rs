//! Claims and their supports.

use crosscheck_core::digest::Digest;

use super::event::Named;
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
    object: Object<'j, 7>,
    pub(crate) name: Named<'j>,
    pub(crate) statement: &'j str,
    pub(crate) origin: ClaimType,
    pub(crate) status: Status,
    pub(crate) supports: Vec<Support<'j>>,
}

/// One support of a claim.
pub(crate) struct Support<'j> {
    object: Object<'j, 5>,
    pub(crate) kind: SupportKind,
    pub(crate) ref_id: &'j str,
    pub(crate) key: Key,
    pub(crate) span: (u64, u64),
    pub(crate) hash: &'j str,
}

impl<'j> Claim<'j> {
    pub(crate) fn read(node: Node<'j>, path: &str, flaws: &mut Flaws) -> Option<Self> {
        let object = Object::read(node, &CLAIM, path, flaws)?;
        let [claim_type, _, id, statement, status, _, supports] = object.nodes;
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
            origin: match text(claim_type) {
                "observed" => ClaimType::Observed,
                "assumed" => ClaimType::Assumed,
                _ => ClaimType::Derived,
            },
            status: match text(status) {
                "validated" => Status::Validated,
                "rejected" => Status::Rejected,
                _ => Status::Proposed,
            },
            object,
            supports: read,
        })
    }

    /// Appends the normalised claim.
    pub(crate) fn write(&self, out: &mut String) {
        self.object.write(out, |name, out| {
            if name == "id" {
                canonical::write_str(out, &self.name.id);
                Write::Done
            } else {
                write_own(&self.object, &self.supports, name, out)
            }
        });
    }

    /// Whether the claim stands in the trace in its normalised form.
    pub(crate) fn is_normal(&self) -> bool {
        let [_, confidence, ..] = self.object.nodes;
        self.object.whole.is_some()
            && self.name.form != Form::Absent
            && confidence.is_some_and(Node::is_double)
            && are_normal(&self.supports)
    }

    pub(crate) fn is_derived(&self) -> bool {
        self.origin == ClaimType::Derived
    }

    /// A key of the structured part.
    pub(crate) fn structured(&self, key: &str) -> Option<Node<'j>> {
        let [_, _, _, _, _, structured, _] = self.object.nodes;
        structured?.get(key)
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
    supports
        .iter()
        .all(|support| support.object.whole.is_some())
}

fn write_own(
    object: &Object<'_, 7>,
    supports: &[Support<'_>],
    name: &str,
    out: &mut String,
) -> Write {
    let [_, confidence, ..] = object.nodes;
    match name {
        "confidence" if confidence.is_some_and(Node::is_double) => Write::Plain,
        "confidence" => {
            canonical::write_double(out, confidence.and_then(Node::as_f64).unwrap_or(0.0));
            Write::Done
        }
        "supports" if are_normal(supports) => Write::Plain,
        "supports" => {
            out.push('[');
            for (nth, support) in supports.iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                support.object.write(out, |_, _| Write::Plain);
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
            object,
            kind: match text(kind) {
                "claim" => SupportKind::Claim,
                "tool_call" => SupportKind::ToolCall,
                _ => SupportKind::Evidence,
            },
            ref_id: text(ref_id),
            key: ids::key(text(ref_id)),
            span: range.and_then(span)?,
            hash: text(hash),
        })
    }
}
