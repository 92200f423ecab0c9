//! Sentences that have every word of a claim, but in other places, of somebody else, or denied.

use crosscheck_judge::Opinion;

use super::ask;

fn verdicts(pairs: &[(&str, &str)], is_right: fn(Opinion) -> bool) {
    for (claim, text) in pairs {
        let answer = ask(claim, text);
        assert!(is_right(answer.verdict), "{claim} / {text}\n{answer:?}");
    }
}

#[test]
fn two_parts_that_changed_places_confirm_nothing() {
    verdicts(
        &[
            (
                "The brown cat chased the dog",
                "The dog chased the brown cat in the yard.",
            ),
            (
                "Oakline bought Fernway.",
                "In spring Oakline grew fast. Fernway bought Oakline for cash.",
            ),
            (
                "Sales in Peru rose, while sales in Chile sank by 4 percent.",
                "Sales in Chile rose, while sales in Peru sank by 4 percent.",
            ),
            (
                "Fishing is banned in Norr but allowed in Syd.",
                "Fishing is allowed in Norr but banned in Syd.",
            ),
            (
                "The school moved from the old mill to Hill Street.",
                "The school moved from Hill Street to the old mill.",
            ),
            (
                "You can replace the rice flour with starch.",
                "You can replace the starch with rice flour.",
            ),
            ("Horses ate more than cows.", "Cows ate more than horses."),
            (
                "The hall was planned by Ole Lund and painted by Ida Berg.",
                "The hall was planned by Ida Berg and painted by Ole Lund.",
            ),
            (
                "Tea is kept for two years, coffee for six years.",
                "Tea is kept for six years, coffee for two years.",
            ),
            (
                "Bulbs are sold in boxes of ten for 3 euros.",
                "Bulbs are sold in boxes of three for 10 euros.",
            ),
            (
                "On x64 the build takes longer than on RISC.",
                "On RISC the build takes longer than on x64.",
            ),
            (
                "It was made of steel; oak was refused because it rots.",
                "It was made of oak; steel was refused because it rots.",
            ),
        ],
        |verdict| verdict != Opinion::Supports,
    );
}

#[test]
fn what_another_person_did_confirms_nothing() {
    verdicts(
        &[
            (
                "The county sold the tower in 1950.",
                "The village of Rode sold the tower in 1950, after the county had hesitated.",
            ),
            (
                "The walls were rebuilt from the old drawings.",
                "The old drawings were lost, so the walls were rebuilt from memory.",
            ),
            (
                "Lund trained Berg from 2001 to 2009.",
                "Lund was born in Oslo. Berg trained him from 2001 to 2009.",
            ),
            (
                "Holm said the roof had leaked twice since May.",
                "\"The roof has leaked twice since May,\" she said. The baker Nils Holm was angry.",
            ),
            (
                "Weekly copies are kept for 30 days.",
                "Daily copies are kept for 30 days; before, only weekly copies were possible.",
            ),
        ],
        |verdict| verdict != Opinion::Supports,
    );
}

#[test]
fn the_same_words_in_an_order_that_says_the_same_support() {
    verdicts(
        &[
            (
                "Oakline was bought by Fernway.",
                "Fernway bought Oakline in spring.",
            ),
            (
                "In 1950 the village of Rode sold the tower.",
                "The village of Rode sold the tower in 1950.",
            ),
            (
                "12 boats and 40 carts were sold",
                "At the fair, 40 carts and 12 boats were sold.",
            ),
            (
                "The drug lowers the risk of death, though it does not cure.",
                "Though it does not cure, the drug lowers the risk of death.",
            ),
            (
                "Cows and horses ate hay.",
                "On that farm horses and cows ate hay.",
            ),
            (
                "Ida Berg worked as a nurse until 2018.",
                "Ida Berg was born in Oslo. She worked as a nurse until 2018.",
            ),
        ],
        |verdict| verdict == Opinion::Supports,
    );
}

#[test]
fn a_denied_sentence_does_not_support_the_plain_one() {
    verdicts(
        &[
            (
                "There is a 3D scanner.",
                "Copies are free. There is no 3D scanner.",
            ),
            (
                "The bill was disputed by Oakline.",
                "The office sent Oakline a bill in 2020. That bill was never disputed.",
            ),
            (
                "Moving from 7.x requires a new key.",
                "Moving from 6.x requires a new key; moving from 7.x does not.",
            ),
            (
                "The writers declare conflicts of interest.",
                "The writers declare no conflicts of interest.",
            ),
            (
                "Lund will travel along to Rome in June.",
                "Berg plans to go to Rome in June. Lund will not travel along.",
            ),
        ],
        |verdict| verdict != Opinion::Supports,
    );
    verdicts(
        &[
            (
                "The lock expires after 3 hours",
                "The lock expires after 180 minutes without a sign of life.",
            ),
            (
                "There is a 3D scanner.",
                "There is a 3D scanner in the hall. Dogs are not allowed.",
            ),
        ],
        |verdict| verdict == Opinion::Supports,
    );
}

#[test]
fn a_calculated_difference_is_not_refuted_by_the_figures_it_comes_from() {
    let text = "Ferry traffic fell from 312,000 cars in 2015 to 287,000 in 2019.";
    for (claim, refuted) in [
        (
            "Ferry traffic fell by 25,000 cars between 2015 and 2019.",
            false,
        ),
        ("Ferry traffic fell to 278,000 cars in 2019.", true),
    ] {
        let verdict = ask(claim, text).verdict;
        assert_eq!(verdict == Opinion::Contradicts, refuted, "{claim}");
    }
    let text = "A court ordered Oakline to pay 3.7 million euros to 412 former workers.";
    for (claim, refuted) in [
        ("Oakline must pay €3.7m to 412 former workers.", false),
        (
            "The court ordered Oakline to pay 4.7 million euros to 412 former workers.",
            true,
        ),
    ] {
        let verdict = ask(claim, text).verdict;
        assert_eq!(verdict == Opinion::Contradicts, refuted, "{claim}");
    }
    assert!(!crosscheck_judge::builtin::misses_a_quantity(
        "Oakline must pay €3.7m to 412 former workers.",
        &crosscheck_judge::builtin::Text::new(text)
    ));
}

#[test]
fn what_ends_is_not_refuted_by_a_sentence_that_says_so() {
    let text = "The night bus between Rode and Syd will stop running on 3 May, the town said.";
    let verdict = ask(
        "From 3 May there will be no night bus between Rode and Syd.",
        text,
    )
    .verdict;
    assert_ne!(verdict, Opinion::Contradicts);
    let text = "The night bus between Rode and Syd will run from 3 May, the town said.";
    let verdict = ask(
        "From 3 May no night bus will run between Rode and Syd.",
        text,
    )
    .verdict;
    assert_eq!(verdict, Opinion::Contradicts);
}
