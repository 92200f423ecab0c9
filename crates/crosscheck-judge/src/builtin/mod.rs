//! The built-in judge: offline, no model, the same answer everywhere.
//!
//! It measures whether the words, names and numbers of a claim are in a text,
//! and whether something there says the opposite. It does not understand either
//! of them. The rule numbers (T1, Q3, D6 …) are those of
//! docs/contracts/judge.md.

mod claim;
mod decide;
mod prepared;

use std::ops::Range;

use crosscheck_language::lexicon::LEXICON;
pub use crosscheck_language::quantity::{Origin, Quantity, has_figure, has_quantity, quantities};
use crosscheck_language::text::{Style, each_word};
pub use crosscheck_language::text::{collapse, normalise, sentences, stems};
pub use prepared::{MAX_TEXT_BYTES, Text};

use crate::answer::Answer;
use crate::question::{Judge, NoAnswer, Question};
use claim::names_and_quantities;

/// The built-in judge.
#[derive(Debug, Clone, Copy, Default)]
pub struct Builtin;

impl Builtin {
    /// The version of its rules and lists.
    pub fn version() -> &'static str {
        &LEXICON.version
    }

    /// Answers one question; this judge never fails.
    pub fn answer(question: &Question<'_>) -> Answer {
        decide::decide(question)
    }
}

impl Judge for Builtin {
    fn id(&self) -> &str {
        Self::version()
    }

    fn is_model(&self) -> bool {
        false
    }

    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer> {
        Ok(Self::answer(question))
    }
}

/// The part of the text, in whole sentences or lines and up to a number of
/// characters, that shares most with the claim or contains the quote.
pub fn passage<'t>(question: &Question<'t>, most: usize) -> &'t str {
    let range = decide::passage(question, most);
    question.text.source().get(range).unwrap_or_default()
}

/// Where in the text the sentence or line is that shares most words with the
/// claim; none where no word of it is there, or the claim is too long.
pub fn nearest(question: &Question<'_>) -> Option<Range<usize>> {
    decide::nearest(question)
}

/// Whether some figure of the claim (a number, date or version, also spelled as
/// a word) does not occur in the text. Back-quotes make no difference: only a
/// figure inside a name that is itself in the text needs no match.
pub fn misses_a_quantity(claim: &str, text: &Text<'_>) -> bool {
    let claim = normalise(claim);
    let (mut names, _) = names_and_quantities(&claim);
    names.retain(|name| name.is_in(text, None));
    let mut claimed = quantities(&claim);
    claimed.retain(|quantity| !names.iter().any(|name| name.overlaps(quantity)));
    claimed.iter().any(|wanted| !text.has(wanted))
}

/// Whether words that a model quotes can be what it says they are: they have the identifiers of the claim,
/// half of its names (the page's title may have them), and a word or figure of it. Figures are asked for by
/// [`misses_a_quantity`].
pub fn is_about(claim: &str, span: &str, header: Option<&str>) -> bool {
    let claim = normalise(claim);
    let text = Text::new(span);
    let (identifiers, figures) = names_and_quantities(&claim);
    let its = stems(&normalise(span));
    let titled = stems(&normalise(header.unwrap_or_default()));
    let own = stems(&claim);
    let names = capitalised(&claim);
    let known = names
        .iter()
        .filter(|name| its.contains(name) || titled.contains(name));
    let shares = !figures.is_empty() || own.iter().any(|stem| its.contains(stem));
    (shares || own.is_empty())
        && 2 * known.count() >= names.len()
        && identifiers.iter().all(|name| name.is_in(&text, None))
}

/// The stems of words with a capital inside a sentence.
fn capitalised(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_word(text, Style::Claim, &mut |_, range| {
        let head = text.get(..range.start).unwrap_or_default().trim_end();
        let word = text.get(range).unwrap_or_default();
        let begins = head.is_empty() || head.ends_with(['.', '!', '?', ':']);
        if word.starts_with(char::is_uppercase) && !begins {
            found.extend(stems(word));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_figure_is_noticed_in_any_spelling() {
        for (claim, text, misses) in [
            ("It waits 30 seconds", "TIMEOUT_MS = 30000", false),
            ("Three workers run", "3 workers", false),
            ("It waits 30 seconds", "It waits.", true),
            ("It waits `30` seconds", "It waits 60 s.", true),
            ("It waits `30 seconds`", "It waits 60 s.", true),
            ("`pool_4` waits 30 s", "pool_4: 30 s", false),
            ("The cache size is 1 MiB", "The cache size is 2 MiB", true),
        ] {
            assert_eq!(
                misses_a_quantity(claim, &Text::new(text)),
                misses,
                "{claim} / {text}"
            );
        }
    }

    #[test]
    fn the_judge_names_its_version() {
        assert_eq!(Builtin.id(), "builtin/2");
    }
}
