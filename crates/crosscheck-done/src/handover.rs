//! Statements that belong to another verifier. They leave as data, and the
//! answer comes back as data: no verifier calls another.

use crosscheck_core::Verdict;

use crate::kind::Claim;
use crate::opinion::{Opinion, Source, Trace};
use crate::reasons::DoneReason;
use crate::report::receipt::HandoverOf;

/// A statement for another verifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// Its number within the report.
    pub id: usize,
    /// `rows`, `sources` or `claims`.
    pub verifier: String,
    /// What is asked: a row, a URL, a file and its lines.
    pub subject: String,
    /// The words of the message.
    pub quote: String,
    /// The claim it belongs to, by its place; `None` for one of its own.
    pub span: Option<[usize; 2]>,
    /// The answer, once there is one.
    pub answer: Option<Answer>,
}

/// What another verifier said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The verifier.
    pub verifier: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its own words, in one line.
    pub found: String,
}

impl Answer {
    /// An answer; secrets in its words are hidden.
    pub fn new(verifier: &str, verdict: Verdict, found: &str) -> Self {
        Self {
            verifier: verifier.to_owned(),
            verdict,
            found: crate::redact::redacted(found),
        }
    }
}

impl Handover {
    pub(crate) fn of_claim(id: usize, verifier: &str, claim: &Claim) -> Self {
        let subject = if claim.subject.is_empty() {
            crate::redact::redacted(&claim.quote)
        } else {
            claim.subject.clone()
        };
        Self {
            id,
            verifier: verifier.to_owned(),
            subject,
            quote: claim.quote.clone(),
            span: Some(claim.span),
            answer: None,
        }
    }
}

impl From<&Handover> for HandoverOf {
    fn from(handover: &Handover) -> Self {
        Self {
            verifier: handover.verifier.clone(),
            subject: handover.subject.clone(),
            verdict: handover
                .answer
                .as_ref()
                .map(|answer| answer.verdict.word().to_owned()),
            found: handover.answer.as_ref().map(|answer| answer.found.clone()),
        }
    }
}

/// The opinion that an answer leads to.
pub(crate) fn opinion(answer: &Answer) -> Opinion {
    let reason = match answer.verdict {
        Verdict::Confirmed => DoneReason::RowConfirmed,
        Verdict::Refuted => DoneReason::RowRefuted,
        Verdict::Undecided => DoneReason::HandedToRows,
    };
    Opinion::new(answer.verdict, reason, Source::Handover).with(Trace::Handover {
        verifier: answer.verifier.clone(),
        found: answer.found.clone(),
    })
}

/// So many URLs and line references of a message are handed on.
const MAX: usize = 32;

/// URLs for `sources` and line references for `claims`, as far as they are
/// wanted. Handing on is never on by itself: `sources` asks the web.
pub(crate) fn in_message(message: &str, wanted: &[String]) -> Vec<Handover> {
    let mut all: Vec<Handover> = Vec::new();
    let mut push = |verifier: &str, subject: String| {
        let known = all
            .iter()
            .any(|one| one.subject == subject && one.verifier == verifier);
        if !known && all.len() < MAX {
            all.push(Handover {
                id: 1000 + all.len(),
                verifier: verifier.to_owned(),
                quote: subject.clone(),
                subject,
                span: None,
                answer: None,
            });
        }
    };
    let has = |name: &str| wanted.iter().any(|one| one == name);
    for word in message.split(|c: char| {
        c.is_whitespace() || matches!(c, '`' | '(' | ')' | '<' | '>' | '"' | '[' | ']')
    }) {
        let word = word.trim_end_matches(['.', ',', ';', '!', '?', ':']);
        if has("sources") && (word.starts_with("https://") || word.starts_with("http://")) {
            push("sources", word.to_owned());
        } else if has("claims")
            && let Some((path, place)) = word.rsplit_once(':')
            && crate::read::message::has_extension(path)
            && place
                .split('-')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        {
            push("claims", word.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wanted_is_handed_on() {
        let message =
            "See https://example.com/doc. The bug is in `src/tok.py:12-14`, not in src/a.rs:3.";
        assert!(in_message(message, &[]).is_empty());
        let both = in_message(message, &["sources".to_owned(), "claims".to_owned()]);
        let shown: Vec<(&str, &str)> = both
            .iter()
            .map(|one| (one.verifier.as_str(), one.subject.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("sources", "https://example.com/doc"),
                ("claims", "src/tok.py:12-14"),
                ("claims", "src/a.rs:3")
            ]
        );
    }
}
