//! The built-in judge: offline, no model, the same answer everywhere.
//!
//! It measures whether the words, names and numbers of a claim are in a text,
//! and whether something there says the opposite. It does not understand
//! either of them.

mod decide;
mod identifier;
mod lexicon;
mod pairs;
mod plain;
mod polarity;
mod quantity;
mod survey;
mod text;
mod units;
mod verbatim;

use crosscheck_core::judge::{Answer, Judge, NoAnswer, Question};

pub use plain::holds;
pub use quantity::{Quantity, quantities};
pub use text::{collapse, lowered, normalise, stems};
pub use units::sentences;

use text::Normal;

/// The built-in judge.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lexical;

impl Lexical {
    /// Answers one question; this judge always does.
    pub fn answer(question: &Question<'_>) -> Answer {
        decide::decide(question)
    }
}

impl Judge for Lexical {
    fn id(&self) -> &str {
        &lexicon::LEXICON.version
    }

    fn is_model(&self) -> bool {
        false
    }

    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer> {
        Ok(Self::answer(question))
    }
}

/// Calls `take` with every stem of a normal text, in order, with repetitions.
pub fn each_stem(text: &str, take: &mut dyn FnMut(&str)) {
    text::each_stem(text, &mut |stem, _| take(stem));
}

/// Whether some figure of the claim (a number, date or version, also spelled
/// as a word) stands nowhere in the snippet. Back-quotes hide none: only a
/// figure inside a name that is itself in the snippet needs no match.
pub fn misses_a_quantity(claim: &str, snippet: &str) -> bool {
    let claim = Normal::of(claim);
    let snippet = Normal::of(snippet);
    let (mut names, _) = survey::names_and_quantities(&claim.text);
    names.retain(|name| name.is_in(&snippet.text, None));
    let mut claimed = quantity::scan(&claim.text, false);
    claimed.retain(|quantity| !names.iter().any(|name| name.overlaps(quantity)));
    let prose = text::is_prose(&snippet.text);
    let seen: Vec<Quantity> = units::units(&snippet.text, prose)
        .into_iter()
        .filter_map(|unit| snippet.text.get(unit))
        .flat_map(|unit| quantity::scan(&collapse(unit), !prose))
        .collect();
    claimed
        .iter()
        .any(|wanted| !seen.iter().any(|one| wanted.matches(one)))
}

#[cfg(test)]
mod tests {
    use crosscheck_core::judge::Opinion;

    use super::*;

    #[test]
    fn a_missing_figure_is_noticed_in_any_spelling() {
        assert!(!misses_a_quantity(
            "It waits 30 seconds",
            "TIMEOUT_MS = 30000"
        ));
        assert!(!misses_a_quantity("Three workers run", "3 workers"));
        assert!(misses_a_quantity("It waits 30 seconds", "It waits."));
        assert!(misses_a_quantity("It waits `30` seconds", "It waits 60 s."));
        assert!(misses_a_quantity("It waits `30 seconds`", "It waits 60 s."));
        assert!(!misses_a_quantity("`pool_4` waits 30 s", "pool_4: 30 s"));
        assert!(misses_a_quantity(
            "The cache size is 1 MiB",
            "The cache size is 2 MiB"
        ));
    }

    #[test]
    fn a_unit_behind_its_number_is_no_name() {
        let verdict = |claim, snippet| {
            Lexical::answer(&Question {
                claim,
                snippet,
                ..Question::default()
            })
            .verdict
        };
        for (claim, snippet, expected) in [
            (
                "The cache size is 1 MiB",
                "The cache size is 2 MiB by default.",
                Opinion::Contradicts,
            ),
            (
                "The read buffer is 64 kB",
                "The read buffer is 128 kB long.",
                Opinion::Contradicts,
            ),
            (
                "Throughput is 100 MB/s on reads",
                "Throughput is 50 MB/s on reads.",
                Opinion::Contradicts,
            ),
            (
                "It takes 5 ms/op on reads",
                "It takes 9 ms/op on reads.",
                Opinion::Contradicts,
            ),
            (
                "The cache size is 1 MiB",
                "cache_size_bytes = 1048576",
                Opinion::Supports,
            ),
            (
                "The cache size is 1 MiB",
                "The cache size is 1024 KiB by default.",
                Opinion::Supports,
            ),
            (
                "Revenue was $5 Million in the quarter",
                "Revenue in the quarter was $5,000,000.",
                Opinion::Supports,
            ),
        ] {
            assert_eq!(verdict(claim, snippet), expected, "{claim} / {snippet}");
        }
    }

    #[test]
    fn the_judge_names_its_version() {
        assert_eq!(Lexical.id(), "builtin/1");
        let answer = Lexical
            .judge(&Question {
                claim: "It works",
                snippet: "ok",
                ..Question::default()
            })
            .unwrap();
        assert_eq!(answer.verdict, Opinion::Unclear);
    }
}
