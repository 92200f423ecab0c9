//! Pairs of a claim and a page, by the form of their figures. An honest claim is neither
//! contradicted, nor is one of its figures missing; a changed one is never supported.

use crosscheck_judge::builtin::{Quantity, normalise, quantities};
use crosscheck_judge::{Opinion, Text};

use super::ask;

/// A claim and the text of a page.
type Pair = (&'static str, &'static str);

fn misses_a_figure(claim: &str, page: &str) -> bool {
    let (claim, page) = (normalise(claim), Text::new(page));
    let mut figures = quantities(&claim).into_iter().filter(Quantity::is_figure);
    figures.any(|figure| !page.has(&figure))
}

/// The pairs for which this does not hold.
fn fails(pairs: &[Pair], holds: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let wrong = pairs.iter().filter(|(claim, page)| !holds(claim, page));
    wrong
        .map(|(claim, page)| {
            let (answer, misses) = (ask(claim, page), misses_a_figure(claim, page));
            let why = answer.explanation.unwrap_or_default();
            format!(
                "{claim} / {page}\n    {:?} {:?} {why} misses: {misses}",
                answer.verdict, answer.reasons
            )
        })
        .collect()
}

fn assert_confirmed(pairs: &[Pair]) {
    let wrong = fails(pairs, |claim, page| {
        ask(claim, page).verdict == Opinion::Supports && !misses_a_figure(claim, page)
    });
    assert!(wrong.is_empty(), "not confirmed:\n{}", wrong.join("\n"));
}

fn assert_not_confirmed(pairs: &[Pair]) {
    let wrong = fails(pairs, |claim, page| {
        ask(claim, page).verdict != Opinion::Supports
    });
    assert!(wrong.is_empty(), "confirmed:\n{}", wrong.join("\n"));
}

fn assert_refuted(pairs: &[Pair]) {
    let wrong = fails(pairs, |claim, page| {
        ask(claim, page).verdict == Opinion::Contradicts
    });
    assert!(wrong.is_empty(), "not refuted:\n{}", wrong.join("\n"));
}

#[test]
fn both_ends_of_a_range_have_its_unit_and_its_scale() {
    assert_confirmed(&[
        (
            "The company expects sales of $5.0–5.2 billion.",
            "The company expects sales of between $5.0 billion and $5.2 billion this year.",
        ),
        (
            "The company expects sales of between $5.0 billion and $5.2 billion.",
            "For the year the company expects sales of $5.0–5.2 billion.",
        ),
        (
            "The bank cut 3–5 % of its jobs.",
            "Over the year the bank cut between 3 % and 5 % of its jobs.",
        ),
        (
            "The trail is 10 to 12 km long.",
            "In winter the trail is 10 km to 12 km long.",
        ),
        (
            "The repair costs €2 to 3 million.",
            "According to the council the repair costs €2 million to €3 million.",
        ),
        (
            "The herd has 40 to 50 thousand animals.",
            "In a good year the herd has between 40,000 and 50,000 animals.",
        ),
        (
            "The dose is 5 mg to 10 mg a day.",
            "For adults the dose is 5–10 mg a day.",
        ),
        (
            "The plant makes 1.2 GW to 1.4 GW.",
            "At full load the plant makes 1.2-1.4 GW.",
        ),
        (
            "The repair costs 2 to 3 million euros.",
            "According to the council the repair costs €2m–€3m.",
        ),
        (
            "Prices rose from $40 to $55.",
            "Within a month prices rose from $40 to 55.",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "The company expects sales of $5.0–5.2 billion.",
            "The company expects sales of between $5.0 billion and $5.8 billion this year.",
        ),
        (
            "The company expects sales of $5.0–5.2 billion.",
            "The company expects sales of between $5.0 million and $5.2 million this year.",
        ),
        (
            "The bank cut 3–5 % of its jobs.",
            "Over the year the bank cut between 3 % and 9 % of its jobs.",
        ),
        (
            "The trail is 10 to 12 km long.",
            "In winter the trail is 10 miles to 12 miles long.",
        ),
        (
            "The repair costs €2 to 3 million.",
            "According to the council the repair costs $2 million to $3 million.",
        ),
        (
            "The herd has 40 to 50 thousand animals.",
            "In a good year the herd has between 40 and 50 animals.",
        ),
        (
            "The dose is 5 mg to 10 mg a day.",
            "For adults the dose is 50–100 mg a day.",
        ),
        (
            "The plant makes 1.2 GW to 1.4 GW.",
            "At full load the plant makes 1.2-1.4 MW.",
        ),
    ]);
}

#[test]
fn a_figure_with_an_unknown_unit_behind_it_counts() {
    assert_confirmed(&[
        (
            "The phone has a 5000mAh battery.",
            "In its case the phone has a 5000mAh battery.",
        ),
        (
            "The phone has a 5000mAh battery.",
            "In its case the phone has a battery of 5,000 mAh.",
        ),
        (
            "The lamp gives 800lm of light.",
            "In the hall the lamp gives 800lm of light.",
        ),
        (
            "The panel shows 1080p video.",
            "On the wall the panel shows 1080p video.",
        ),
        (
            "The network uses 5G masts.",
            "In the city the network uses 5G masts.",
        ),
        (
            "The tyre holds 36psi of air.",
            "When cold the tyre holds 36psi of air.",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "The phone has a 7200mAh battery.",
            "In its case the phone has a 5000mAh battery.",
        ),
        (
            "The phone has a 7200mAh battery.",
            "In its case the phone has a battery of 5,000 mAh.",
        ),
        (
            "The lamp gives 900lm of light.",
            "In the hall the lamp gives 800lm of light.",
        ),
        (
            "The panel shows 2160p video.",
            "On the wall the panel shows 1080p video.",
        ),
        (
            "The network uses 5G masts.",
            "In the city the network uses 4G masts.",
        ),
        (
            "The tyre holds 46psi of air.",
            "When cold the tyre holds 36psi of air.",
        ),
        (
            "The wire carries 400V to the house.",
            "Under the street the wire carries 230V to the house.",
        ),
        (
            "The commit 3f2a9c1 broke the build.",
            "The commit 7d2a9c1 broke the build.",
        ),
    ]);
    assert_refuted(&[(
        "The phone has a 7200mAh battery.",
        "In its case the phone has a 5000mAh battery.",
    )]);
}
