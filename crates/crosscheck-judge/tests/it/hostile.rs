//! Endless and strange texts.

use std::time::{Duration, Instant};

use crosscheck_judge::{Builtin, Opinion, Question, Text};

use super::{ask, told};

#[test]
fn an_endless_claim_is_not_judged() {
    let claim = "cache ".repeat(10_000);
    assert_eq!(told(&claim, "cache"), "Unclear claim_too_long");
    let numbers = "1 2 3 4 5 6 7 8 9 0 ".repeat(40);
    assert_eq!(told(&numbers, "cache"), "Unclear claim_too_long");
}

const PIECES: [&str; 22] = [
    "a.",
    "1 ",
    "1. ",
    "1\n",
    "`",
    "'",
    "not the cache holds 5 ",
    "Not the cache holds 5 entries? ",
    "\u{301}",
    "日",
    "_",
    "true=",
    "cache: false, ",
    "-",
    "\n",
    "[1] ",
    "x; ",
    "a, but ",
    "3rd C++ ",
    "1 to ",
    "the cache holds 5 entries. ",
    "ﬁ\u{200b}",
];

/// Doubling the text must not quadruple the time; the limit is generous, because tests share the
/// machine.
#[test]
fn the_time_grows_linearly_with_the_text() {
    let claim = "The cache holds 5 entries and 7 doors, never less than `max_doors` of 9";
    for piece in PIECES {
        let text = piece.repeat(150_000 / piece.len());
        let started = Instant::now();
        let _ = ask(claim, &text);
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(20), "{piece:?}: {taken:?}");
    }
}

#[test]
fn hostile_claims_are_compared_in_bounded_time() {
    for piece in PIECES {
        let text = Text::new(piece.repeat(40_000 / piece.len()));
        let long = piece.repeat(16_000 / piece.len());
        let claims = [
            long.as_str(),
            &"x1 ".repeat(5_000),
            &"cache; door ".repeat(1_300),
        ];
        for claim in claims {
            let started = Instant::now();
            let _ = Builtin::answer(&Question::new(claim, &text));
            let taken = started.elapsed();
            assert!(taken < Duration::from_secs(20), "{piece:?}: {taken:?}");
        }
    }
}

#[test]
fn a_long_claim_in_another_order_is_answered_by_the_first_exchange() {
    let words: Vec<String> = ('b'..='x').map(|c| format!("w{c}rd w{c}ll")).collect();
    let claim = format!("The {}.", words.join(" "));
    let turned: Vec<&str> = words.iter().rev().map(String::as_str).collect();
    let answer = ask(&claim, &format!("The {} are here.", turned.join(" ")));
    assert_eq!(answer.verdict, Opinion::Unclear, "{answer:?}");
}

#[test]
fn a_long_claim_without_a_telling_exchange_is_answered_soon() {
    let words: Vec<String> = ('b'..='v').map(|c| format!("w{c}rd w{c}ll")).collect();
    let claim = format!("Odin met {}.", words.join(" "));
    // each word beside its neighbour, and the name only as a pronoun
    let turned = words.iter().filter_map(|pair| pair.split_once(' '));
    let turned: Vec<String> = turned.map(|(a, b)| format!("{b} he {a}")).collect();
    let text = format!("Odin came. Then he met {}.", turned.join(" "));
    let start = Instant::now();
    ask(&claim, &text);
    assert!(start.elapsed() < Duration::from_secs(1));
}
