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
use crate::words::words;

pub(super) static CLAIM: [Field; 7] = [
    optional("claim_type", Shape::OneOf(ClaimType::WORDS), "\"derived\""),
    optional("confidence", Shape::Number, "0.0"),
    optional("id", Shape::Str, "\"\""),
    required("statement", Shape::Str),
    optional("status", Shape::OneOf(ClaimStatus::WORDS), "\"proposed\""),
    optional("structured", Shape::ObjectOrNull, "null"),
    optional("supports", Shape::Objects, "[]").or("support_refs"),
];

pub(super) static SUPPORT: [Field; 5] = [
    optional("hash_algo", Shape::OneOf(&["sha256"]), "\"sha256\""),
    required("kind", Shape::OneOf(SupportKind::WORDS)),
    required("ref_id", Shape::Str),
    required("snippet_sha256", Shape::Hash),
    required("span", Shape::Span),
];

words! {
    /// The type of a claim.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum ClaimType {
        Derived = "derived",
        Observed = "observed",
        Assumed = "assumed",
    }
}

words! {
    /// The status of a claim when it was emitted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum ClaimStatus {
        Proposed = "proposed",
        Validated = "validated",
        Rejected = "rejected",
    }
}

words! {
    /// What a support points to.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum SupportKind {
        Claim = "claim",
        Evidence = "evidence",
        ToolCall = "tool_call",
    }
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

impl<'j> Claim<'j> {
    /// The claim and its normalised text.
    pub(crate) fn read(node: Node<'j>, path: &str, flaws: &mut Flaws) -> Option<(Self, String)> {
        let object = Object::read(node, &CLAIM, path, flaws)?;
        let confidence = object.get("confidence");
        let (supports, supports_text) = read_supports(object.get("supports"), path, flaws)?;
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
        let name = Named::new(object.text("id"), &[("claim", &|| Digest::of(write(None)))]);
        let text = write(Some(&name.id));
        let claim = Self {
            name,
            statement: object.text("statement"),
            origin: ClaimType::with_word(object.text("claim_type")).unwrap_or(ClaimType::Derived),
            status: ClaimStatus::with_word(object.text("status")).unwrap_or(ClaimStatus::Proposed),
            structured: object.get("structured"),
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
    fn of(object: &Object<'j>) -> Option<Self> {
        let ref_id = object.text("ref_id");
        Some(Self {
            kind: SupportKind::with_word(object.text("kind"))?,
            ref_id,
            key: ids::key(ref_id),
            span: object.get("span").and_then(span)?,
            hash: object.text("snippet_sha256"),
        })
    }
}
