//! Claims beside texts, and what may be answered: one row each in `pairs.ndjson`. What is known to be
//! answered wrongly is in `limits.ndjson`; a row that is answered rightly leaves that file.

use crosscheck_judge::builtin::misses_a_quantity;
use crosscheck_judge::{Builtin, EvidenceKind, Opinion, Question, Text};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    about: String,
    claim: String,
    text: String,
    #[serde(default)]
    kind: EvidenceKind,
    header: Option<String>,
    expect: Expected,
}

/// What may be answered.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Expected {
    Supports,
    Contradicts,
    Unclear,
    NotSupports,
    NotContradicts,
    /// The text has every figure of the claim in some form.
    Has,
    Misses,
}

impl Pair {
    /// The answer, if it is not what is expected.
    fn wrong(&self) -> Option<String> {
        let text = Text::new(self.text.as_str());
        let answer = Builtin::answer(&Question {
            kind: self.kind,
            header: self.header.as_deref(),
            ..Question::new(&self.claim, &text)
        });
        let misses = || misses_a_quantity(&self.claim, &text);
        let is_right = match self.expect {
            Expected::Supports => answer.verdict == Opinion::Supports,
            Expected::Contradicts => answer.verdict == Opinion::Contradicts,
            Expected::Unclear => answer.verdict == Opinion::Unclear,
            Expected::NotSupports => answer.verdict != Opinion::Supports,
            Expected::NotContradicts => answer.verdict != Opinion::Contradicts,
            Expected::Has => !misses(),
            Expected::Misses => misses(),
        };
        (!is_right).then(|| {
            let Self {
                about,
                claim,
                text,
                expect,
                ..
            } = self;
            format!(
                "{about}: {expect:?}\n  {claim}\n  {text}\n  {:?} {:?}",
                answer.verdict, answer.explanation
            )
        })
    }
}

fn pairs(table: &str) -> serde_json::Result<Vec<Pair>> {
    let rows = table.lines().map(serde_json::from_str);
    rows.collect()
}

#[test]
fn every_pair_is_answered_as_it_may_be() {
    let pairs = pairs(include_str!("pairs.ndjson")).unwrap();
    let wrong: Vec<String> = pairs.iter().filter_map(Pair::wrong).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        pairs.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_limit_that_is_gone_leaves_the_list_of_limits() {
    let limits = pairs(include_str!("limits.ndjson")).unwrap();
    let gone = limits.iter().filter(|pair| pair.wrong().is_none());
    let gone: Vec<&str> = gone.map(|pair| pair.claim.as_str()).collect();
    assert!(gone.is_empty(), "{}", gone.join("\n"));
}
