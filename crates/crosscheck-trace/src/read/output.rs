//! The output of a step (trace 2.7).

use crosscheck_core::json::{Elements, Node};

use super::object::{Field, Flaw, Flaws, Object, Shape, Write, optional, required};
use crate::reasons::TraceReason;

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

/// The kinds of steps a plan can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StepKind {
    Understand,
    Gather,
    Derive,
    Verify,
    Finalize,
}

/// The tables of all outputs.
pub(super) fn tables() -> [&'static [Field]; 6] {
    [
        &UNDERSTAND,
        &GATHER,
        &DERIVE,
        &VERIFY,
        &FINALIZE,
        &INSUFFICIENT,
    ]
}

impl StepKind {
    pub(crate) const ALL: [Self; 5] = [
        Self::Understand,
        Self::Gather,
        Self::Derive,
        Self::Verify,
        Self::Finalize,
    ];
    pub(crate) const WORDS: &'static [&'static str] =
        &["understand", "gather", "derive", "verify", "finalize"];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Understand => "understand",
            Self::Gather => "gather",
            Self::Derive => "derive",
            Self::Verify => "verify",
            Self::Finalize => "finalize",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The output of a step.
pub(crate) enum Output<'j> {
    Understand(Object<'j, 4>),
    Gather(Object<'j, 4>),
    Derive(Object<'j, 2>),
    Verify(Object<'j, 4>),
    Finalize(Object<'j, 4>),
    Insufficient(Object<'j, 4>),
}

/// The strings of a list that may be absent.
pub(crate) struct Ids<'j>(Option<Elements<'j>>);

impl<'j> Iterator for Ids<'j> {
    type Item = &'j str;

    fn next(&mut self) -> Option<&'j str> {
        self.0.as_mut()?.next()?.as_str()
    }
}

fn ids(node: Option<Node<'_>>) -> Ids<'_> {
    Ids(node.and_then(Node::as_array))
}

impl<'j> Output<'j> {
    pub(crate) fn read(node: Node<'j>, path: &str, flaws: &mut Flaws) -> Option<Self> {
        let kind = node.get("type").or_else(|| node.get("kind"));
        Some(match kind.map(Node::as_str) {
            Some(Some("understand")) => {
                Self::Understand(Object::read(node, &UNDERSTAND, path, flaws)?)
            }
            Some(Some("gather")) => Self::Gather(Object::read(node, &GATHER, path, flaws)?),
            Some(Some("derive")) => Self::Derive(Object::read(node, &DERIVE, path, flaws)?),
            Some(Some("verify")) => Self::Verify(Object::read(node, &VERIFY, path, flaws)?),
            Some(Some("finalize")) => Self::Finalize(Object::read(node, &FINALIZE, path, flaws)?),
            Some(Some("insufficient_evidence")) => {
                Self::Insufficient(Object::read(node, &INSUFFICIENT, path, flaws)?)
            }
            other => {
                let reason = match other {
                    None => TraceReason::MissingField,
                    Some(_) => TraceReason::BadField,
                };
                flaws.push(Flaw::new(reason, format!("{path}.type")));
                return None;
            }
        })
    }

    /// The kind of step this is an output of.
    pub(crate) const fn step_kind(&self) -> StepKind {
        match self {
            Self::Understand(_) => StepKind::Understand,
            Self::Gather(_) => StepKind::Gather,
            Self::Derive(_) | Self::Insufficient(_) => StepKind::Derive,
            Self::Verify(_) => StepKind::Verify,
            Self::Finalize(_) => StepKind::Finalize,
        }
    }

    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Insufficient(_) => "insufficient_evidence",
            other => other.step_kind().word(),
        }
    }

    /// Evidence the output names.
    pub(crate) fn evidence_ids(&self) -> Ids<'j> {
        match self {
            Self::Gather(object) => ids(object.nodes[0]),
            _ => Ids(None),
        }
    }

    /// Claims the output names, list by list, each with the list's name.
    pub(crate) fn claim_lists(&self) -> Vec<(&'static str, Ids<'j>)> {
        match self {
            Self::Derive(object) => vec![("claim_ids", ids(object.nodes[0]))],
            Self::Verify(_) => vec![
                ("validated_claim_ids", self.validated()),
                ("rejected_claim_ids", self.rejected()),
                ("missing_support_claim_ids", self.missing_support()),
            ],
            Self::Finalize(_) => vec![("final_claim_ids", self.final_claims())],
            Self::Understand(_) | Self::Gather(_) | Self::Insufficient(_) => Vec::new(),
        }
    }

    pub(crate) fn missing_support(&self) -> Ids<'j> {
        match self {
            Self::Verify(object) => ids(object.nodes[0]),
            _ => Ids(None),
        }
    }

    pub(crate) fn rejected(&self) -> Ids<'j> {
        match self {
            Self::Verify(object) => ids(object.nodes[1]),
            _ => Ids(None),
        }
    }

    pub(crate) fn validated(&self) -> Ids<'j> {
        match self {
            Self::Verify(object) => ids(object.nodes[3]),
            _ => Ids(None),
        }
    }

    pub(crate) fn final_claims(&self) -> Ids<'j> {
        match self {
            Self::Finalize(object) => ids(object.nodes[1]),
            _ => Ids(None),
        }
    }

    pub(crate) fn final_answer(&self) -> Option<&'j str> {
        match self {
            Self::Finalize(object) => object.nodes[0].and_then(Node::as_str),
            _ => None,
        }
    }

    /// Whether a finalize output states an uncertainty.
    pub(crate) fn has_uncertainty(&self) -> bool {
        match self {
            Self::Finalize(object) => object.nodes[3]
                .and_then(Node::as_str)
                .is_some_and(|text| !text.is_empty()),
            _ => false,
        }
    }

    /// The normalised output.
    pub(crate) fn normalised(&self) -> String {
        match self {
            Self::Understand(object)
            | Self::Gather(object)
            | Self::Verify(object)
            | Self::Finalize(object)
            | Self::Insufficient(object) => object.normalised(|_, _| Write::Plain),
            Self::Derive(object) => object.normalised(|_, _| Write::Plain),
        }
    }
}
