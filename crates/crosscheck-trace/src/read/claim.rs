//! Claims and their supports (trace 2.6).

use crosscheck_core::canonical::double_text;
use crosscheck_core::digest::Digest;
use crosscheck_core::json::Node;

use super::named::Named;
use super::object::{
    Field, Flaws, Object, Shape, Write, is_integer, items, optional, required, span,
};
use crate::canonical;
use crate::ids::{self, Key};

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

/// The type of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimType {
    Derived,
    Observed,
    Assumed,
}

/// The status of a claim when it was emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimStatus {
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
    pub(crate) name: Named<'j>,
    pub(crate) statement: &'j str,
    pub(crate) origin: ClaimType,
    pub(crate) status: ClaimStatus,
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

impl ClaimStatus {
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
    /// The claim and its normalised text.
    pub(crate) fn read(node: Node<'j>, path: &str, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &CLAIM, path, flaws)?;
        let [_, confidence, .., structured, supports] = object.nodes;
        let (supports, supports_text) = read_supports(supports, path, flaws)?;
        let write = |id: Option<&str>| {
            object.normalised(|name, out| match (name, id, confidence) {
                ("id", None, _) => Write::Skip,
                ("id", Some(id), _) => {
                    canonical::write_str(out, id);
                    Write::Done
                }
                // an integer is a confidence, too, and hashed as a double
                ("confidence", _, Some(number)) if is_integer(number) => {
                    out.push_str(&double_text(number.as_f64().unwrap_or_default()));
                    Write::Done
                }
                ("supports", ..) => {
                    out.push_str(&supports_text);
                    Write::Done
                }
                _ => Write::Plain,
            })
        };
        let name = Named::new(object.text(2), &[("claim", &|| Digest::of(write(None)))]);
        let text = write(Some(&name.id));
        let claim = Self {
            name,
            statement: object.text(3),
            origin: ClaimType::of(object.text(0)).unwrap_or(ClaimType::Derived),
            status: ClaimStatus::of(object.text(4)).unwrap_or(ClaimStatus::Proposed),
            structured,
            supports,
        };
        Some((claim, text))
    }

    pub(crate) fn is_derived(&self) -> bool {
        self.origin == ClaimType::Derived
    }

    /// A key of the structured part.
    pub(crate) fn structured(&self, key: &str) -> Option<Node<'j>> {
        self.structured?.get(key)
    }

    /// Whether the claim itself says that evidence is insufficient.
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

/// The supports of a claim and their normalised text.
fn read_supports<'j>(
    list: Option<Node<'j>>,
    path: &str,
    flaws: &mut Flaws,
) -> Option<(Vec<Support<'j>>, String)> {
    let mut supports = Vec::new();
    let mut text = String::from("[");
    let mut is_sound = true;
    for (nth, node) in items(list).enumerate() {
        if nth > 0 {
            text.push(',');
        }
        let path = format!("{path}.supports[{nth}]");
        match Object::read(node, &SUPPORT, &path, flaws) {
            Some(object) => {
                object.write(&mut text, |_, _| Write::Plain);
                supports.push(Support::of(&object)?);
            }
            None => is_sound = false,
        }
    }
    text.push(']');
    is_sound.then_some((supports, text))
}

impl<'j> Support<'j> {
    fn of(object: &Object<'j, 5>) -> Option<Self> {
        let [.., range] = object.nodes;
        let ref_id = object.text(2);
        Some(Self {
            kind: SupportKind::of(object.text(1))?,
            ref_id,
            key: ids::key(ref_id),
            span: range.and_then(span)?,
            hash: object.text(3),
        })
    }
}
