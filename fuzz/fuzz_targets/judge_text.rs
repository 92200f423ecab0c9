//! Any claim and snippet: an answer whose span is text of the snippet.
#![no_main]

use crosscheck_core::judge::{Kind, Question};
use crosscheck_judge::Lexical;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, bool)| {
    let (claim, snippet, web) = input;
    let answer = Lexical::answer(&Question {
        claim,
        snippet,
        kind: if web { Kind::Web } else { Kind::File },
        reference: Some("src/a.rs"),
        header: Some("Title"),
        ..Question::default()
    });
    assert!(answer.span.is_none_or(|span| snippet.contains(&span)));
    assert!(answer.score.is_none_or(|score| (0.0..=1.0).contains(&score)));
});
