//! What holds for every claim and text.

use crosscheck_judge::builtin::normalise;
use crosscheck_judge::{Builtin, Opinion, Question, Text};
use proptest::prelude::*;

use super::ask;

/// Sentences of common shapes.
fn sentence() -> impl Strategy<Value = String> {
    let subject = prop::sample::select(vec![
        "The cache",
        "A worker",
        "The `pool`",
        "Rent",
        "The old gate",
        "Nobody",
        "No guest",
        "The 2019 report",
    ]);
    let verb = prop::sample::select(vec![
        "holds",
        "does not hold",
        "never opened",
        "opened",
        "is enabled for",
        "is not disabled for",
        "rose by",
        "failed to keep",
        "cannot keep",
        "lost only",
        "denied that it holds",
        "did not grow until",
    ]);
    let object = prop::sample::select(vec![
        "5 entries",
        "17 MB",
        "the door",
        "more than 30 percent of it",
        "4 May 2020",
        "the 1980s",
        "version 1.2.3",
        "two hundred boats",
        "2:30 PM",
        "all keys",
        "COVID-19",
        "about 40 carts",
        "every guest, but not the cook",
    ]);
    let end = prop::sample::select(vec![
        ".",
        "!",
        " in winter.",
        " without a token.",
        " - no doubt.",
        "?",
    ]);
    (subject, verb, object, end).prop_map(|(a, b, c, d)| format!("{a} {b} {c}{d}"))
}

/// Sentences that share no word with those above.
fn filler() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Blue whales sing under water.",
        "My uncle paints horses, not trees.",
        "Seven monks never spoke.",
        "Is tea cheap there?",
        "Copper bends; glass breaks.",
        "Ferries left at 6:45 from pier 9.",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn a_span_is_text_of_the_snippet_and_a_score_is_a_share(claim in ".{0,80}", text in "(.|\\n){0,200}") {
        let answer = ask(&claim, &text);
        if let Some(span) = &answer.span {
            prop_assert!(text.contains(span.as_str()), "{:?} in {:?}", span, text);
        }
        prop_assert!(answer.score.is_none_or(|score| (0.0..=1.0).contains(&score)));
        prop_assert!(!answer.reasons.is_empty());
        prop_assert!(answer.explanation.is_some());
    }

    #[test]
    fn words_and_numbers_in_any_order_are_judged(
        claim in "((the|not|cache|5 MB|v1.2.3|`a_b`|enabled|2021|two|3 May 2020|don't|é|日本|COVID-19|all|C\\+\\+|3rd)[ .,\n'?—-]){0,14}",
        text in "((the|not|cache|6 MB|v1.2.4|a_b = false|disabled|2022|three|4 May 2020|can't|É|日|covid-19|some|C|third)[ .,\n'=:?-]){0,24}",
    ) {
        let answer = ask(&claim, &text);
        if let Some(span) = &answer.span {
            prop_assert!(text.contains(span.as_str()), "{:?} in {:?}", span, text);
        }
    }

    #[test]
    fn a_sentence_of_the_text_is_never_contradicted(
        sentences in prop::collection::vec(sentence(), 1..6),
        picked in any::<prop::sample::Index>(),
        between in prop::sample::select(vec![" ", "\n", "\n\n", "  "]),
    ) {
        let claim = picked.get(&sentences);
        let answer = ask(claim, &sentences.join(between));
        prop_assert_ne!(answer.verdict, Opinion::Contradicts, "{} in {:?}: {:?}", claim, sentences, answer);
    }

    #[test]
    fn unrelated_sentences_turn_no_support_into_a_contradiction(
        claim in sentence(),
        sentences in prop::collection::vec(sentence(), 1..4),
        more in prop::collection::vec(filler(), 1..5),
        between in prop::sample::select(vec![" ", "\n\n"]),
    ) {
        let text = sentences.join(" ");
        if ask(&claim, &text).verdict == Opinion::Supports {
            let longer = format!("{text}{between}{}", more.join(" "));
            let answer = ask(&claim, &longer);
            prop_assert_ne!(answer.verdict, Opinion::Contradicts, "{} / {}: {:?}", claim, longer, answer);
        }
    }

    #[test]
    fn typography_changes_no_answer(claim in sentence(), sentences in prop::collection::vec(sentence(), 1..4)) {
        let text = sentences.join(" ");
        let typeset = |text: &str| {
            text.replace('\'', "’").replace(" - ", " – ").replace("fi", "ﬁ").replace("the", "t\u{ad}he\u{200b}")
        };
        let plain = ask(&claim, &text);
        for (claim, text) in [(typeset(&claim), text.clone()), (claim.clone(), typeset(&text)), (typeset(&claim), typeset(&text))] {
            let other = ask(&claim, &text);
            prop_assert_eq!((plain.verdict, &plain.reasons, plain.score), (other.verdict, &other.reasons, other.score));
        }
    }

    #[test]
    fn the_normal_form_is_judged_like_its_source(claim in sentence(), text in "(\\PC|[ \\n]){0,60}") {
        let text = format!("{text}. {claim} {text}");
        let (a, b) = (ask(&claim, &text), ask(&normalise(&claim), &normalise(&text)));
        prop_assert_eq!((a.verdict, a.reasons, a.score), (b.verdict, b.reasons, b.score));
    }

    #[test]
    fn a_text_that_served_other_claims_gives_the_same_answers(
        claims in prop::collection::vec(sentence(), 1..5),
        sentences in prop::collection::vec(sentence(), 0..6),
    ) {
        let source = sentences.join(" ");
        let shared = Text::new(source.as_str());
        for claim in &claims {
            let fresh = ask(claim, &source);
            prop_assert_eq!(Builtin::answer(&Question::new(claim, &shared)), fresh);
        }
    }
}
