//! Endless and strange texts.

use std::fs;
use std::time::{Duration, Instant};

use crosscheck_judge::{Builtin, Opinion, Question, Text};

use super::{ask, verdict_of};

#[test]
fn an_endless_claim_is_not_judged() {
    let claim = "cache ".repeat(10_000);
    assert_eq!(verdict_of(&claim, "cache"), "Unclear claim_too_long");
    let numbers = "1 2 3 4 5 6 7 8 9 0 ".repeat(40);
    assert_eq!(verdict_of(&numbers, "cache"), "Unclear claim_too_long");
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

/// Texts without blanks, of one mark or of one word, besides the pieces above.
const MORE: [&str; 64] = [
    "城市种植树木1999年",
    "城市的蜜蜂，",
    "蜜蜂在屋顶上生产了24公斤。",
    "都市の屋上で24キロ",
    "꿀벌은24kg을생산했다",
    "ผึ้งผลิต24กก",
    "1界",
    "1é",
    "é1",
    "十",
    "٢",
    "１５",
    "a",
    "A",
    "aB",
    "9",
    "aGVs1bG8",
    "{\"id\":5,\"doors\":7},",
    ".",
    ".!?",
    ",",
    ", ",
    "\"",
    "\"a\" ",
    "“a”",
    "(",
    "(a",
    "( ",
    ")",
    "[1",
    "and ",
    "not ",
    "no 5 ",
    "cache ",
    "cache and ",
    "doors, and ",
    "more than ",
    "more than 5 ",
    "before 1999 ",
    "1999, ",
    "4 May ",
    "May ",
    "2:30",
    "1:",
    "1.",
    "1,",
    "1,000,",
    "1-",
    "-1",
    "$",
    "$5",
    "two hundred ",
    "hundred ",
    "per ",
    "5 doors and 7 entries and ",
    "the cache 5, the doors 7, ",
    "Bees go. ",
    "| 5 ",
    "| cache | 5 |\n",
    "\t5",
    " - ",
    "a::",
    "a/",
    "Petra Malik and Jon Weber ",
];

const CLAIMS: [&str; 2] = [
    "The cache holds 5 entries and 7 doors, never less than `max_doors` of 9 since 1998",
    "城市在1999年种植了12500棵树木",
];

/// CPU time of this thread, in nanoseconds.
#[expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a helper of tests may fail like the tests themselves"
)]
fn cpu() -> u64 {
    let seen = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    seen.split(' ').next().unwrap().parse().unwrap()
}

/// The least time of some questions; a busy machine measures too much, never too little.
fn taken(claim: &str, text: &str) -> u64 {
    let before = cpu();
    let _ = ask(claim, text);
    cpu() - before
}

/// Whether four times the size takes less than eight times as long: between the four of linear work
/// and the sixteen of its square.
fn is_linear(small: &(String, String), large: &(String, String)) -> bool {
    const NOISE: u64 = 20_000_000;
    let mut best = (u64::MAX, u64::MAX);
    (0..4).any(|_| {
        best.0 = best.0.min(taken(&small.0, &small.1));
        best.1 = best.1.min(taken(&large.0, &large.1));
        best.1 < 8 * best.0 + NOISE
    })
}

#[test]
#[cfg(target_os = "linux")]
fn four_times_the_text_takes_about_four_times_as_long() {
    let mut wrong = Vec::new();
    for piece in PIECES.iter().chain(&MORE) {
        for claim in CLAIMS {
            let of = |size: usize| (claim.to_owned(), piece.repeat(size / piece.len()));
            if !is_linear(&of(10_000), &of(40_000)) {
                wrong.push((piece, claim));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A claim of the greatest length, which is its bound.
#[test]
#[cfg(target_os = "linux")]
fn four_times_the_claim_takes_about_four_times_as_long() {
    let text = "The cache holds 5 entries and 7 doors since 1998. ".repeat(40);
    let mut wrong = Vec::new();
    for piece in PIECES.iter().chain(&MORE) {
        let of = |size: usize| (piece.repeat(size / piece.len()), text.clone());
        if !is_linear(&of(4_000), &of(16_000)) {
            wrong.push(piece);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
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
