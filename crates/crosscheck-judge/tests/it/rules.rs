//! The rules one by one.

use crosscheck_judge::{Basis, Builtin, EvidenceKind, Opinion, Question, Text};

use super::ask;

#[test]
fn a_place_in_the_claim_is_the_place_of_the_snippet() {
    let text = Text::new("port = 8080");
    let answer = Builtin::answer(&Question {
        reference: Some("src/server.rs"),
        ..Question::new("src/server.rs sets the port to 8080", &text)
    });
    assert_eq!(answer.verdict, Opinion::Supports, "{answer:?}");
}

#[test]
fn texts_are_read_through_a_window_and_pages_know_their_title() {
    let page = Text::new(
        "Alpha rises. Filler one is here. Filler two is here. Filler three is here. Beta wins.",
    );
    let score = |kind, header| {
        Builtin::answer(&Question {
            kind,
            header,
            ..Question::new("Alpha beta", &page)
        })
        .score
    };
    assert_eq!(score(EvidenceKind::Web, None), Some(0.5));
    assert_eq!(score(EvidenceKind::Web, Some("Alpha news")), Some(1.0));
    assert_eq!(score(EvidenceKind::File, Some("Alpha news")), Some(0.5));
    assert_eq!(
        ask("Alpha beta", "alpha = 1\n\n\nbeta = 2").score,
        Some(1.0)
    );
}

#[test]
fn an_answer_names_its_basis() {
    let rows: &[(&str, &str, Basis, &str)] = &[
        (
            "The gate is open",
            "Now the gate is open.",
            Basis::Verbatim,
            "The text says it word for word",
        ),
        (
            "The old gate is open",
            "The gate, an old one, is open.",
            Basis::AllWords,
            "Every word, name and figure of the claim is in one passage of the text",
        ),
        (
            "The old gate in Madrid is open",
            "The gate, an old one, is open.",
            Basis::SomeWords,
            "The passage of the text that comes nearest lacks: madrid",
        ),
        (
            "The hedge cuts the noise by 15 decibels",
            "A hedge cuts the noise by 5 decibels there.",
            Basis::Figure,
            "The text says 5 decibels, the claim 15",
        ),
        (
            "The lock waits 30 seconds",
            "The lock waits 2 minutes there, they say.",
            Basis::Figure,
            "The text says 2 minutes, the claim 30 seconds",
        ),
        (
            "The lock waits 30 seconds",
            "The lock waits there, they say.",
            Basis::Figure,
            "Figure not found: 30 seconds",
        ),
        (
            "Rents rose in the north",
            "Rents fell in the north again.",
            Basis::Polarity,
            "The text says “fell”, the claim “rose”",
        ),
        (
            "Guests pay for the garden",
            "Guests do not pay for the garden.",
            Basis::Polarity,
            "The text negates it: “not”",
        ),
        (
            "Guests do not pay for the garden",
            "Guests pay for the garden today.",
            Basis::Polarity,
            "The text says it without the “not” of the claim",
        ),
        (
            "`flush_all` writes the index",
            "fn flush_one(&self) { self.index.write() }",
            Basis::Name,
            "Name not found: `flush_all`",
        ),
        (
            "All guests pay for the garden",
            "Guests pay for the garden today.",
            Basis::SomeWords,
            "The claim says “All”, the text does not",
        ),
        (
            "东京人口约1400万",
            "东京人口约1300万人。",
            Basis::Figure,
            "The text says 1300万, the claim 1400",
        ),
        (
            "The herd has 40 to 50 thousand animals",
            "In a good year the herd has many animals.",
            Basis::Figure,
            "Figure not found: 40, 50 thousand animals",
        ),
        (
            "It works",
            "x",
            Basis::Nothing,
            "The claim says too little to be looked for: it has fewer than two words of content, no name and no figure",
        ),
    ];
    for (claim, text, basis, explanation) in rows {
        let answer = ask(claim, text);
        assert_eq!(answer.basis, *basis, "{claim} / {text}: {answer:?}");
        assert_eq!(
            answer.explanation.as_deref(),
            Some(*explanation),
            "{claim} / {text}"
        );
    }
}
