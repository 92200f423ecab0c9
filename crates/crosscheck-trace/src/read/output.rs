//! The output of a step (trace 2.7).

use crosscheck_core::json::Node;

use super::object::{Field, Flaw, Flaws, Object, Shape, Write, items, optional, required};
use crate::reasons::TraceReason;
use crate::words::words;

const fn kind(word: &'static [&'static str]) -> Field {
    required("type", Shape::OneOf(word)).or("kind")
}

const fn strings(name: &'static str) -> Field {
    optional(name, Shape::Strings, "[]")
}

static UNDERSTAND: [Field; 4] = [
    strings("assumptions"),
    required("normalized_question", Shape::Str),
    optional("task_type", Shape::Str, "\"generic\""),
    kind(&["understand"]),
];
static GATHER: [Field; 4] = [
    strings("evidence_ids").or("evidence_refs"),
    optional("retrieval_provenance", Shape::Object, "{}"),
    strings("retrieval_queries"),
    kind(&["gather"]),
];
static DERIVE: [Field; 2] = [
    strings("claim_ids").or("emitted_claim_ids"),
    kind(&["derive"]),
];
static VERIFY: [Field; 4] = [
    strings("missing_support_claim_ids").or("insufficient_support"),
    strings("rejected_claim_ids"),
    kind(&["verify"]),
    strings("validated_claim_ids"),
];
static FINALIZE: [Field; 4] = [
    optional("final_answer", Shape::StrOrNull, "null"),
    strings("final_claim_ids"),
    kind(&["finalize"]),
    optional("uncertainty", Shape::StrOrNull, "null"),
];
static INSUFFICIENT: [Field; 4] = [
    optional("reason", Shape::Str, "\"insufficient_evidence\""),
    optional("required", Shape::Integer, "0"),
    optional("retrieved", Shape::Integer, "0"),
    kind(&["insufficient_evidence"]),
];

words! {
    /// The kinds of steps a plan can have.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum StepKind {
        Understand = "understand",
        Gather = "gather",
        Derive = "derive",
        Verify = "verify",
        Finalize = "finalize",
    }
}

/// The tables of all outputs, by the word of their type.
pub(super) static TABLES: [(&str, &[Field]); 6] = [
    ("understand", &UNDERSTAND),
    ("gather", &GATHER),
    ("derive", &DERIVE),
    ("verify", &VERIFY),
    ("finalize", &FINALIZE),
    ("insufficient_evidence", &INSUFFICIENT),
];

/// The output of a step.
pub(crate) struct Output<'j> {
    word: &'static str,
    object: Object<'j>,
}

/// The lists of claims that outputs have.
const CLAIM_LISTS: [&str; 5] = [
    "claim_ids",
    "validated_claim_ids",
    "rejected_claim_ids",
    "missing_support_claim_ids",
    "final_claim_ids",
];

impl<'j> Output<'j> {
    pub(crate) fn read(node: Node<'j>, path: &str, flaws: &mut Flaws) -> Option<Self> {
        let kind = node.get("type").or_else(|| node.get("kind"));
        let word = kind.and_then(Node::as_str);
        let Some((word, table)) = TABLES.iter().find(|(known, _)| Some(*known) == word) else {
            let reason = match kind {
                None => TraceReason::MissingField,
                Some(_) => TraceReason::BadField,
            };
            flaws.push(Flaw::new(reason, format!("{path}.type")));
            return None;
        };
        let object = Object::read(node, table, path, flaws)?;
        Some(Self { word, object })
    }

    /// The kind of step this is an output of; insufficient evidence is one of
    /// deriving.
    pub(crate) fn step_kind(&self) -> StepKind {
        StepKind::with_word(self.word).unwrap_or(StepKind::Derive)
    }

    pub(crate) const fn word(&self) -> &'static str {
        self.word
    }

    pub(crate) fn is_insufficient(&self) -> bool {
        self.word == "insufficient_evidence"
    }

    /// The ids in a list; none where the output has no such list.
    pub(crate) fn ids(&self, list: &str) -> impl Iterator<Item = &'j str> + use<'j> {
        items(self.object.get(list)).filter_map(Node::as_str)
    }

    /// Claims the output names, list by list, each with the list's name.
    pub(crate) fn claim_lists(
        &self,
    ) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'j str> + use<'j>)> {
        CLAIM_LISTS.into_iter().map(|list| (list, self.ids(list)))
    }

    pub(crate) fn final_answer(&self) -> Option<&'j str> {
        self.object.get("final_answer").and_then(Node::as_str)
    }

    /// Whether a finalize output states an uncertainty.
    pub(crate) fn has_uncertainty(&self) -> bool {
        !self.object.text("uncertainty").is_empty()
    }

    /// The normalised output.
    pub(crate) fn normalised(&self) -> String {
        self.object.normalised(|_, _| Write::Plain)
    }
}
