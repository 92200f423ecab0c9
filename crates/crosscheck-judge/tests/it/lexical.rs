//! The built-in judge: contract cases, rules one by one, hostile texts.

use crosscheck_core::judge::{Answer, Kind, Opinion, Question};
use crosscheck_judge::Lexical;
use proptest::prelude::*;

fn ask(claim: &str, snippet: &str) -> Answer {
    Lexical::answer(&Question {
        claim,
        snippet,
        ..Question::default()
    })
}

/// Verdict and reasons in one line.
fn told(claim: &str, snippet: &str) -> String {
    let answer = ask(claim, snippet);
    format!("{:?} {}", answer.verdict, answer.reasons.join(" "))
}

#[test]
fn the_contract_cases_are_answered_as_stated() {
    let cases = include_str!("../../../../vectors/claims/judge-cases.ndjson");
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let answer = ask(
            case["claim"].as_str().unwrap(),
            case["snippet"].as_str().unwrap(),
        );
        let verdict = serde_json::to_value(answer.verdict).unwrap();
        assert_eq!(verdict, case["verdict"], "{line}\n{answer:?}");
    }
}

#[test]
fn each_rule_decides_where_it_should() {
    let table = [
        ("Works", "other", "Unclear no_checkable_content"),
        ("It works!", "see: it works.", "Supports verbatim"),
        ("The cache is warm", "cache warm", "Supports lexical"),
        (
            "The cache is warm and shared",
            "The cache",
            "Unclear low_overlap",
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
            "Release v2.2.0 is out",
            "Contradicts quantity_conflict",
        ),
        (
            "Sales rose in 2019 in Spain",
            "Sales rose in 2020 in Spain",
            "Contradicts quantity_conflict",
        ),
        (
            "The door was opened in March 2024",
            "The door was opened on 4 May 2024 by us",
            "Contradicts quantity_conflict",
        ),
        (
            "The door was opened on 4 May 2024",
            "The door was opened in June 2024 by us",
            "Unclear quantity_missing",
        ),
        (
            "The cache is enabled",
            "disable_cache = true",
            "Contradicts polarity_conflict",
        ),
        (
            "The cache is enabled",
            "disable_cache = false",
            "Unclear low_overlap",
        ),
        (
            "Guests may open the garden gate",
            "Guests cannot open the garden gate",
            "Contradicts polarity_conflict",
        ),
        (
            "The old server never logs client addresses or names",
            "The old server logs addresses for some reason",
            "Unclear polarity_unsure",
        ),
        (
            "Access is allowed for guests at night in winter",
            "The access list denies many things to guests in the day",
            "Unclear polarity_unsure low_overlap",
        ),
    ];
    for (claim, snippet, expected) in table {
        assert_eq!(told(claim, snippet), expected, "{claim} / {snippet}");
    }
}

#[test]
fn a_number_cut_in_two_supports_no_figure() {
    for (claim, snippet, expected) in [
        (
            "The default port is 80",
            "The default port is 8080.",
            "Contradicts quantity_conflict",
        ),
        (
            "The retry count is 3",
            "the retry count is 3.5",
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
    ] {
        assert_eq!(told(claim, snippet), expected, "{claim} / {snippet}");
    }
}

/// docs/JUDGE.md tells these to its readers.
#[test]
fn the_known_false_supports_are_as_the_page_says() {
    for (claim, snippet) in [
        ("TLS is required", "TLS is not required."),
        ("Debug is enabled", "Debug is not enabled here."),
        (
            "It was published on March 3rd, 2025",
            "It was published on March 9th, 2025.",
        ),
        ("服务器端口是8080", "服务器端口是9090"),
        (
            "The service starts at 3pm",
            "The service starts at 5pm each day.",
        ),
        ("The limit is 1e6 rows", "The limit is 1e9 rows."),
    ] {
        assert_eq!(
            told(claim, snippet),
            "Supports lexical",
            "{claim} / {snippet}"
        );
    }
    for (claim, snippet) in [
        (
            "Debug is enabled by default",
            "Debug is not enabled here by default.",
        ),
        ("服务器端口是 8080", "服务器端口是 9090"),
        (
            "It was published on March 3, 2025",
            "It was published on March 9, 2025.",
        ),
    ] {
        assert!(
            told(claim, snippet).starts_with("Contradicts"),
            "{claim} / {snippet}"
        );
    }
}

#[test]
fn a_unit_letter_behind_a_blank_agrees_with_no_other_unit() {
    let table = [
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
        (
            "The cable is 5 m long",
            "The cable is 5 hours long, they say here.",
            "Unclear quantity_missing",
        ),
        (
            "100 is the limit",
            "the limit is 60 s",
            "Unclear quantity_missing",
        ),
    ];
    for (claim, snippet, expected) in table {
        assert_eq!(told(claim, snippet), expected, "{claim} / {snippet}");
    }
}

#[test]
fn a_range_in_data_keeps_its_own_unit_and_a_number_word_takes_that_of_its_name() {
    let table = [
        (
            "The limit is 3 to 5 days",
            "limit_hours: 3 to 5 days",
            "Supports lexical",
        ),
        (
            "Uptime is 99 to 100 percent",
            "uptime, days: 99 to 100 percent",
            "Supports lexical",
        ),
        (
            "The timeout limit is 5 minutes",
            "timeout limit seconds: five",
            "Contradicts quantity_conflict",
        ),
    ];
    for (claim, snippet, expected) in table {
        assert_eq!(told(claim, snippet), expected, "{claim} / {snippet}");
    }
}

#[test]
fn a_year_does_not_take_the_unit_of_another_figure() {
    let table = [
        (
            "Revenue grew by 12% in 2022",
            "Revenue grew 12 percent in 2022.",
            "Supports lexical",
        ),
        (
            "The timeout is 5 seconds in 2022",
            "Timeout seconds grew in 2022.",
            "Unclear quantity_missing",
        ),
        (
            "The timeout is 2 seconds",
            "TIMEOUT_MS = 2000",
            "Supports lexical",
        ),
    ];
    for (claim, snippet, expected) in table {
        assert_eq!(told(claim, snippet), expected, "{claim} / {snippet}");
    }
}

#[test]
fn a_place_in_the_claim_is_the_place_of_the_snippet() {
    let answer = Lexical::answer(&Question {
        claim: "src/server.rs sets the port to 8080",
        snippet: "port = 8080",
        reference: Some("src/server.rs"),
        ..Question::default()
    });
    assert_eq!(answer.verdict, Opinion::Supports, "{answer:?}");
}

#[test]
fn web_pages_are_read_through_a_window_and_know_their_title() {
    let page =
        "Alpha rises. Filler one is here. Filler two is here. Filler three is here. Beta wins.";
    let ask = |header, claim| {
        Lexical::answer(&Question {
            claim,
            snippet: page,
            kind: Kind::Web,
            header,
            ..Question::default()
        })
    };
    assert_eq!(ask(None, "Alpha beta").score, Some(0.5));
    assert_eq!(ask(Some("Alpha news"), "Alpha beta").score, Some(1.0));
    assert_eq!(super_file_score(page, "Alpha beta"), Some(1.0));
}

fn super_file_score(page: &str, claim: &str) -> Option<f64> {
    ask(claim, page).score
}

#[test]
fn an_endless_claim_is_not_judged() {
    let claim = "cache ".repeat(10_000);
    assert_eq!(told(&claim, "cache"), "Unclear claim_too_long");
    let numbers = "1 2 3 4 5 6 7 8 9 0 ".repeat(40);
    assert_eq!(told(&numbers, "cache"), "Unclear claim_too_long");
}

#[test]
fn large_hostile_snippets_are_answered_in_reasonable_time() {
    let claim = "The cache holds 5 entries and 7 doors, never less than `max_doors` of 9";
    for piece in [
        "a.",
        "1 ",
        "1. ",
        "`",
        "'",
        "not the cache holds 5 ",
        "\u{301}",
        "日",
        "_",
        "true=",
        "-",
        "\n",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let _ = ask(claim, &text);
        let _ = ask(text.get(..text.floor_char_boundary(16_000)).unwrap(), &text);
    }
}

proptest! {
    #[test]
    fn a_span_is_text_of_the_snippet_and_a_score_is_a_share(claim in ".{0,80}", snippet in "(.|\\n){0,200}") {
        let answer = ask(&claim, &snippet);
        if let Some(span) = &answer.span {
            prop_assert!(snippet.contains(span.as_str()), "{:?} in {:?}", span, snippet);
        }
        prop_assert!(answer.score.is_none_or(|score| (0.0..=1.0).contains(&score)));
        prop_assert!(!answer.reasons.is_empty());
    }

    #[test]
    fn words_and_numbers_in_any_order_are_judged(claim in "((the|not|cache|5 MB|v1.2.3|`a_b`|enabled|2021|two|3 May 2020|don't|é|日本)[ .,\n'-]){0,14}",
        snippet in "((the|not|cache|6 MB|v1.2.4|a_b = false|disabled|2022|three|4 May 2020|can't|É|日)[ .,\n'=:-]){0,24}") {
        let answer = ask(&claim, &snippet);
        if let Some(span) = &answer.span {
            prop_assert!(snippet.contains(span.as_str()), "{:?} in {:?}", span, snippet);
        }
    }
}
