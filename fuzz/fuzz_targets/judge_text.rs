//! Any claim and text: an answer whose span is a part of the text.
#![no_main]

use crosscheck_judge::{Builtin, EvidenceKind, Question, Text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, bool)| {
    let (claim, source, web) = input;
    let text = Text::new(source);
    let answer = Builtin::answer(&Question {
        kind: if web { EvidenceKind::Web } else { EvidenceKind::File },
        reference: Some("src/a.rs"),
        header: Some("Title"),
        ..Question::new(claim, &text)
    });
    assert!(answer.span.is_none_or(|span| source.contains(&span)));
    assert!(answer.score.is_none_or(|score| (0.0..=1.0).contains(&score)));
});
