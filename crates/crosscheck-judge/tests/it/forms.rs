//! Honest figures in another form, and hedged ones (judge Q1 to Q4, D7, D8).

use crosscheck_judge::builtin::{normalise, quantities};
use crosscheck_judge::{Quantity, Text};

use super::verdict_of;

#[test]
fn a_figure_in_another_form_supports() {
    for (claim, text) in [
        (
            "The city has 2,800,000 people.",
            "The city has about 2.8m people.",
        ),
        (
            "The bridge opened on 3 May 2021.",
            "The bridge opened on 03.05.2021.",
        ),
        ("The race is 5 km long.", "The race is 5,000 metres long."),
        ("The race is 5km long.", "The race is five kilometres long."),
        (
            "The model has 7B parameters.",
            "The model has 7 billion parameters.",
        ),
        (
            "The population is 41\u{2009}000.",
            "The population is 41,000.",
        ),
        (
            "A 12-month study found no effect.",
            "A one-year study found no effect.",
        ),
        ("It grew by 1/3.", "It grew by a third."),
        (
            "The temperature fell to -5 °C.",
            "The temperature fell to minus 5 °C.",
        ),
        (
            "The temperature fell to minus 5 °C.",
            "The temperature fell to -5 °C.",
        ),
        ("The plant makes 1.21 GW.", "The plant makes 1,210 MW."),
    ] {
        assert_eq!(
            verdict_of(claim, text),
            "Supports lexical",
            "{claim} / {text}"
        );
    }
}

#[test]
fn another_figure_without_a_hedge_is_still_a_difference() {
    for (claim, text) in [
        ("The city has 41,000 trees.", "The city has 14,000 trees."),
        ("The city has 41 000 trees.", "The city has 43 000 trees."),
        ("The race is 5 km long.", "The race is 7,000 metres long."),
        (
            "The bridge opened on 03.05.2021.",
            "The bridge opened on 4 July 2021.",
        ),
        (
            "The temperature fell to -5 °C.",
            "The temperature fell to minus 7 °C.",
        ),
        (
            "More than 40 countries signed.",
            "Only 31 countries signed.",
        ),
    ] {
        let expected = "Contradicts quantity_conflict";
        assert_eq!(verdict_of(claim, text), expected, "{claim} / {text}");
    }
}

#[test]
fn a_hedged_figure_is_not_missing_where_the_text_has_one_that_it_allows() {
    for (claim, text, expected) in [
        (
            "More than 40 countries signed",
            "Some 43 countries signed it.",
            true,
        ),
        (
            "Nearly 100 countries signed",
            "In all 98 countries signed it.",
            true,
        ),
        (
            "About 40% of them agreed",
            "In the end 39.6% of them agreed.",
            true,
        ),
        (
            "Roughly 41,000 trees grow",
            "In the city 41,237 trees grow.",
            true,
        ),
        (
            "Exactly 41,000 trees grow",
            "In the city 41,237 trees grow.",
            false,
        ),
        (
            "More than 40 countries signed",
            "Some 31 countries signed it.",
            false,
        ),
        (
            "It costs 99 cents in the shop",
            "It costs $0.99 in the shop.",
            true,
        ),
    ] {
        let (claim, text) = (normalise(claim), Text::new(text));
        let figures: Vec<Quantity> = quantities(&claim);
        let has = !figures.is_empty() && figures.iter().all(|figure| text.has(figure));
        assert_eq!(has, expected, "{claim} / {}", text.source());
    }
}
