//! The rules one by one.

use crosscheck_judge::{Basis, Builtin, EvidenceKind, Opinion, Question, Text};

use super::{ask, verdict_of};

fn table(rows: &[(&str, &str, &str)]) {
    for (claim, text, expected) in rows {
        assert_eq!(verdict_of(claim, text), *expected, "{claim} / {text}");
    }
}

#[test]
fn words_names_and_figures_decide() {
    table(&[
        ("Works", "other", "Unclear no_checkable_content"),
        ("It works!", "see: it works.", "Supports verbatim"),
        ("The cache is warm", "cache warm", "Supports lexical"),
        (
            "The cache is warm and shared",
            "The cache",
            "Unclear low_overlap",
        ),
        (
            "The cache is warm and shared",
            "The shared cache",
            "Unclear lexical_partial",
        ),
        (
            "The cache is warm",
            "nothing of the kind here",
            "Unclear low_overlap unrelated",
        ),
        (
            "`load` opens the cache",
            "the cache opens",
            "Unclear identifier_missing",
        ),
        (
            "The cache holds 5 MB",
            "the cache holds much",
            "Unclear quantity_missing",
        ),
        (
            "The cache holds 5 MB",
            "the cache holds 6 MB",
            "Contradicts quantity_conflict",
        ),
        (
            "The cache holds 5 MB",
            "the cache holds 6 weeks",
            "Unclear quantity_missing",
        ),
        (
            "The cache holds 5 entries",
            "cache = [] # entries 6",
            "Contradicts quantity_conflict",
        ),
        (
            "Release v2.1.0 is out now",
            "Release v2.2.0 is out now",
            "Contradicts quantity_conflict",
        ),
        (
            "Sales rose in 2019 in Spain",
            "Sales rose in 2020 in Spain",
            "Contradicts quantity_conflict",
        ),
        (
            "100 is the limit",
            "the limit is 60 s",
            "Unclear quantity_missing",
        ),
    ]);
}

#[test]
fn a_number_cut_in_two_supports_no_figure() {
    table(&[
        (
            "The default port is 80",
            "The default port is 8080.",
            "Contradicts quantity_conflict",
        ),
        (
            "The price is $1",
            "The price is $1,500",
            "Contradicts quantity_conflict",
        ),
        (
            "The limit is 30",
            "The limit is 300 MB.",
            "Unclear quantity_missing",
        ),
        (
            "The default port is 80",
            "The default port is 80.",
            "Supports verbatim",
        ),
        (
            "The timeout is 30",
            "The timeout is 30s",
            "Supports lexical",
        ),
    ]);
}

#[test]
fn a_unit_letter_behind_a_blank_agrees_with_no_other_unit() {
    table(&[
        (
            "The request timeout is 30 s",
            "The request timeout is always 30 minutes for everything.",
            "Unclear quantity_missing",
        ),
        (
            "The request timeout is 30 s",
            "request_timeout_minutes = 30",
            "Unclear quantity_missing",
        ),
        (
            "The request timeout is 30 s",
            "request_timeout_ms = 30000",
            "Supports lexical",
        ),
        (
            "The request timeout is 30 s",
            "The request timeout is always 60 s for everything.",
            "Contradicts quantity_conflict",
        ),
    ]);
}

#[test]
fn a_unit_behind_its_number_is_not_a_name() {
    table(&[
        (
            "The cache size is 1 MiB",
            "The cache size is 2 MiB by default.",
            "Contradicts quantity_conflict",
        ),
        (
            "Throughput is 100 MB/s on reads",
            "Throughput is 50 MB/s on reads.",
            "Contradicts quantity_conflict",
        ),
        (
            "The cache size is 1 MiB",
            "cache_size_bytes = 1048576",
            "Supports lexical",
        ),
        (
            "Revenue was $5 Million in the quarter",
            "Revenue in the quarter was $5,000,000.",
            "Supports lexical",
        ),
    ]);
}

#[test]
fn a_figure_must_be_about_the_same() {
    let text =
        "The mill grinds 4 tons a day. A baker came. He sang. The bridge bears 9 tons a day.";
    table(&[
        ("The mill grinds 4 tons a day", text, "Supports verbatim"),
        (
            "The old mill grinds 9 tons a day",
            text,
            "Unclear quantity_missing lexical_partial",
        ),
        (
            "The mill grinds 7 tons a day",
            text,
            "Contradicts quantity_conflict",
        ),
    ]);
}

#[test]
fn swapped_figures_confirm_nothing() {
    table(&[
        (
            "12 percent of boats and 40 percent of carts were sold",
            "At the fair 40 percent of boats and 12 percent of carts were sold.",
            "Unclear quantity_swapped",
        ),
        (
            "12 boats and 40 carts were sold",
            "At the fair 40 boats and 12 carts were sold.",
            "Unclear quantity_missing",
        ),
        (
            "12 boats and 40 carts were sold",
            "At the fair, 40 carts and 12 boats were sold.",
            "Supports lexical",
        ),
    ]);
}

#[test]
fn a_figure_that_may_differ_never_contradicts() {
    table(&[
        (
            "The choir has more than 30 singers",
            "The choir has 34 singers now.",
            "Unclear quantity_missing",
        ),
        (
            "The choir has no more than 33 singers",
            "The choir has 26 singers now.",
            "Unclear quantity_missing",
        ),
        (
            "The choir has no more than 33 singers",
            "The choir has 36 singers now.",
            "Contradicts quantity_conflict",
        ),
        (
            "The choir was founded around 1950",
            "The choir was founded in 1953 here.",
            "Unclear quantity_missing",
        ),
        (
            "The choir won before May 2010",
            "The choir won on 4 April 2010 here.",
            "Unclear quantity_missing",
        ),
        (
            "The choir sang for 2 hours",
            "The choir sang for 2.4 hours here.",
            "Unclear quantity_missing",
        ),
        (
            "The choir has 42 singers",
            "The choir has 12 singers here and 30 singers there.",
            "Unclear quantity_missing",
        ),
        (
            "Income was $3.2 billion",
            "Income (in millions) in the year: $3,200 in all",
            "Unclear quantity_missing",
        ),
        (
            "The cache lives for 3600 seconds",
            "CACHE_SECONDS = 60 * 60",
            "Unclear quantity_missing low_overlap",
        ),
    ]);
}

#[test]
fn a_sentence_inside_code_is_read_as_a_sentence() {
    let text = "| a | b | c |\n|---|---|---|\n* x = {y}\nThe soldiers of the north removed old mines on December 21,";
    table(&[(
        "They removed 40 mines in the north",
        text,
        "Unclear quantity_missing",
    )]);
}

#[test]
fn negations_and_opposites_decide() {
    table(&[
        (
            "The cache is enabled",
            "disable_cache = true",
            "Contradicts polarity_conflict",
        ),
        (
            "The cache is enabled",
            "disable_cache = false",
            "Supports lexical",
        ),
        (
            "Guests may open the garden gate",
            "Guests cannot open the garden gate",
            "Contradicts polarity_conflict",
        ),
        (
            "Debug logging is enabled",
            "Debug logging is not enabled here.",
            "Contradicts polarity_conflict",
        ),
        (
            "The treatment was unsuccessful",
            "The treatment was not successful at all.",
            "Unclear polarity_unsure low_overlap",
        ),
        (
            "Access is allowed for guests at night in winter",
            "The access list denies many things to guests in the day",
            "Unclear polarity_unsure low_overlap",
        ),
        (
            "The maximum number of open connections is 10",
            "min_open_connections: 2\nmax_open_connections: 10",
            "Supports lexical",
        ),
        (
            "Verification is disabled in tests",
            "verification = true\n[tests]\nverification = false",
            "Unclear polarity_unsure lexical_partial",
        ),
    ]);
}

#[test]
fn a_limit_on_one_side_makes_a_negation_unsure() {
    table(&[
        (
            "The gate closed in May",
            "The gate of the park did not close until May of that year.",
            "Unclear polarity_unsure",
        ),
        (
            "Children under 12 cannot enter the park alone",
            "Children aged 12 and over can enter the park alone.",
            "Unclear polarity_unsure",
        ),
        (
            "The office declined to comment on the fire",
            "The office did not comment on the fire today.",
            "Unclear polarity_unsure lexical_partial",
        ),
        (
            "Radio masts do not spread the flu",
            "The claim that radio masts spread the flu is false.",
            "Unclear polarity_unsure",
        ),
        (
            "Not all members voted for it",
            "All members of the club voted for it.",
            "Contradicts polarity_conflict",
        ),
        (
            "Members of the club voted for it",
            "Not all members of the club voted for it.",
            "Unclear polarity_unsure",
        ),
    ]);
}

#[test]
fn a_claim_that_is_a_sentence_of_the_text_is_not_contradicted() {
    table(&[
        (
            "The gate is open.",
            "The gate is not open. The gate is open.",
            "Unclear polarity_unsure",
        ),
        (
            "Debug logs are noisy when not enabled",
            "Debug logs are very noisy when not enabled.",
            "Supports lexical",
        ),
    ]);
}

#[test]
fn names_with_numbers_are_whole() {
    table(&[
        (
            "GPT-4 passed the bar exam",
            "GPT-4o passed the whole bar exam.",
            "Unclear identifier_missing",
        ),
        (
            "log4j-2.17.1 has the old bug",
            "log4j-2.14.0 still has the old bug.",
            "Unclear identifier_missing",
        ),
        (
            "log4j-2.17.1 has the old bug",
            "log4j-2.17.1 still has the old bug.",
            "Supports lexical",
        ),
    ]);
}

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
