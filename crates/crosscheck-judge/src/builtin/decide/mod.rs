//! The decision (judge D0 to D11): verbatim, overlap, figures, polarity, reasons.

mod align;
mod compare;
mod conflict;
mod explain;
mod figures;
mod held;
mod overlap;
mod passage;
mod polarity;
mod qualified;
mod reasons;
mod spared;
mod statement;
mod swapped;
mod table;
mod unit;
mod verbatim;

use super::claim::Claim;
use super::prepared::{MAX_TEXT_BYTES, Text};
use crate::answer::{Answer, Basis, Opinion};
use crate::question::Question;
use crosscheck_language::lexicon::{LEXICON, Thresholds};
use crosscheck_language::text::{is_normal, normalise};
use held::Held;
pub(super) use passage::{nearest, passage};
pub(super) use statement::codes;

/// A longer text is not one claim, and comparing it would take too long.
const MAX_CLAIM_BYTES: usize = 16 * 1024;
/// A text with this many quantities or names is not one claim either.
const MAX_CLAIM_PARTS: usize = 256;

pub(super) fn decide(question: &Question<'_>) -> Answer {
    let answer = compare_with(question);
    Answer {
        explanation: answer.explanation.map(explain::sentence),
        ..answer
    }
}

fn compare_with(question: &Question<'_>) -> Answer {
    if question.claim.len() > MAX_CLAIM_BYTES {
        return explain::refused("claim_too_long");
    }
    if question.text.source().len() > MAX_TEXT_BYTES {
        return explain::refused("text_too_long");
    }
    let verbatim = verbatim::find(&normalise(question.claim), question.text);
    if let verbatim::WordForWord::Said(range) = verbatim {
        return Answer {
            span: Some(question.text.source_of_lower(range).to_owned()),
            score: Some(1.0),
            explanation: Some(format!(
                "the {} says it word for word",
                question.kind.noun()
            )),
            ..Answer::new(Opinion::Supports, "verbatim", Basis::Verbatim)
        };
    }
    let normal = with_dashes_apart(question.claim);
    let claim = Claim::of(&normal);
    // judge D0
    if claim.plain < 2 && claim.names.is_empty() && claim.quantities.is_empty() {
        return explain::refused("no_checkable_content");
    }
    if claim.quantities.len().max(claim.names.len()) > MAX_CLAIM_PARTS {
        return explain::refused("claim_too_long");
    }
    let case = Case::of(question, &claim, verbatim == verbatim::WordForWord::Denied);
    case.answer()
}

/// Judge T1: a dash separates clauses in a claim.
fn with_dashes_apart(claim: &str) -> String {
    if is_normal(claim) {
        return claim.to_owned();
    }
    let mut parts = claim.split(['\u{2014}', '\u{2015}']);
    let mut apart = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        apart.truncate(apart.trim_end().len());
        apart.push_str(" - ");
        apart.push_str(part.trim_start());
    }
    normalise(&apart)
}

/// A claim and the text it is compared with.
struct Case<'c> {
    question: &'c Question<'c>,
    text: &'c Text<'c>,
    claim: &'c Claim<'c>,
    held: Held<'c>,
    thresholds: &'c Thresholds,
    /// The claim is in the text, but only where the text denies it.
    denied: bool,
}

impl<'c> Case<'c> {
    fn of(question: &'c Question<'c>, claim: &'c Claim<'c>, denied: bool) -> Self {
        Self {
            question,
            text: question.text,
            claim,
            held: Held::of(claim, question),
            thresholds: &LEXICON.thresholds,
            denied,
        }
    }

    fn prose(&self) -> bool {
        self.text.index().prose
    }
}

/// Whether `part` is at least this percentage of `whole`.
const fn reaches(part: usize, whole: usize, hundredths: usize) -> bool {
    part * 100 >= whole * hundredths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_in_a_claim_separates_and_a_hyphen_does_not() {
        for (claim, expected) in [
            ("free—planting", "free - planting"),
            ("free — planting", "free - planting"),
            ("free ―", "free - "),
            ("well–known", "well-known"),
            ("plain - claim", "plain - claim"),
        ] {
            assert_eq!(with_dashes_apart(claim), expected);
        }
    }
}
