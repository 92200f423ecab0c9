//! Passages that have every word of a claim, but in different statements.

use crosscheck_judge::Opinion;

use super::ask;

const MITES: &str =
    "Varroa mites were named as the main cause by 61 % of the respondents; starvation by 14 %.";
const HONEY: &str =
    "Colonies on roofs produced 24 kg of honey on average, colonies in parks 31 kg.";
const SPAN: &str =
    "It is an arch bridge with a main span of 312 metres and a total length of 1.2 kilometres.";
const BUILT: &str =
    "Construction began in April 1931 and the bridge opened to traffic on 14 September 1934.";
const POWER: &str = "Office energy use dropped from 940 MWh to 705 MWh in a year.";
const TRAFFIC: &str =
    "Summer traffic rose by 12 percent in 2021, while winter traffic fell by 4 percent.";
const LEAVE: &str =
    "Sick leave fell by 8 percent, while productivity, measured in closed cases, stayed the same.";
const CRANES: &str = "The ships burn diesel, but the harbour cranes run on electricity.";
const GRAZE: &str = "Cattle graze in the hills and sheep graze in the valley.";
const KEEP: &str = "Two thirds of the staff said that they wanted to keep the arrangement. \
                    Managers were more sceptical: only 41 % were in favour.";
const YEARS: &str =
    "Beekeepers with more than ten years of experience lost fewer colonies than beginners.";

#[test]
fn what_is_said_of_something_else_confirms_nothing() {
    for (claim, text, reason) in [
        (
            "Starvation was named as the main cause by 61 %.",
            MITES,
            "quantity_swapped",
        ),
        (
            "Varroa mites were named by 14 % of the respondents.",
            MITES,
            "quantity_swapped",
        ),
        (
            "Colonies on roofs produced 31 kg of honey.",
            HONEY,
            "quantity_swapped",
        ),
        (
            "Colonies in parks produced 24 kg of honey.",
            HONEY,
            "quantity_swapped",
        ),
        ("The main span is 1.2 kilometres.", SPAN, "quantity_swapped"),
        (
            "Construction began on 14 September 1934.",
            BUILT,
            "quantity_swapped",
        ),
        (
            "Office energy use dropped to 940 MWh.",
            POWER,
            "quantity_swapped",
        ),
        (
            "Summer traffic fell by 4 percent.",
            TRAFFIC,
            "quantity_swapped",
        ),
        ("Productivity fell.", LEAVE, "polarity_unsure"),
        ("Sick leave stayed the same.", LEAVE, "polarity_unsure"),
        ("The harbour cranes burn diesel.", CRANES, "polarity_unsure"),
        (
            "Two thirds of the managers wanted to keep the arrangement.",
            KEEP,
            "polarity_unsure",
        ),
        (
            "Only 41 % of the staff were in favour.",
            KEEP,
            "polarity_unsure",
        ),
        (
            "Beginners had more than ten years of experience.",
            YEARS,
            "polarity_unsure",
        ),
    ] {
        let answer = ask(claim, text);
        assert_eq!(
            answer.verdict,
            Opinion::Unclear,
            "{claim} / {text}\n{answer:?}"
        );
        assert_eq!(answer.reasons, [reason], "{claim} / {text}\n{answer:?}");
    }
}

#[test]
fn what_a_statement_says_is_confirmed_beside_another_one() {
    for (claim, text) in [
        ("Varroa mites were named as the main cause by 61 %.", MITES),
        ("Starvation was named by 14 % of the respondents.", MITES),
        ("Colonies on roofs produced 24 kg of honey.", HONEY),
        ("Colonies in parks produced 31 kg of honey.", HONEY),
        ("The bridge has a main span of 312 metres.", SPAN),
        ("The arch bridge has a length of 1.2 kilometres.", SPAN),
        ("Construction began in April 1931.", BUILT),
        ("The bridge opened to traffic on 14 September 1934.", BUILT),
        ("Office energy use dropped to 705 MWh.", POWER),
        ("Office energy use dropped from 940 MWh to 705 MWh.", POWER),
        ("Winter traffic fell by 4 percent.", TRAFFIC),
        ("Sick leave fell by 8 percent.", LEAVE),
        ("Productivity stayed the same.", LEAVE),
        ("The harbour cranes run on electricity.", CRANES),
        ("Sheep graze in the valley.", GRAZE),
        (
            "Two thirds of the staff wanted to keep the arrangement.",
            KEEP,
        ),
        ("Only 41 % of the managers were in favour.", KEEP),
        (
            "Rents rose in the north.",
            "Rents increased in the north, which pleased owners; rents rose.",
        ),
        (
            "The village has a school.",
            "The village (population 400; founded in 1200) is small but has a school.",
        ),
        (
            "The ferry carries 240 passengers.",
            "The ferry sails daily. It carries 240 passengers.",
        ),
    ] {
        let answer = ask(claim, text);
        assert_eq!(
            answer.verdict,
            Opinion::Supports,
            "{claim} / {text}\n{answer:?}"
        );
    }
}

#[test]
fn the_explanation_says_where_the_words_are() {
    for (claim, text, expected) in [
        (
            "The ferry carries 240 passengers.",
            "The ferry sails daily. It carries 240 passengers.",
            "Every word, name and figure of the claim is in the text, in sentences next to each other",
        ),
        (
            "Colonies in parks produced 31 kg of honey.",
            HONEY,
            "Every word, name and figure of the claim is in one passage of the text",
        ),
        (
            "The harbour cranes burn diesel.",
            CRANES,
            "The text has the words of the claim, but says them of something else",
        ),
    ] {
        let answer = ask(claim, text);
        assert_eq!(
            answer.explanation.as_deref(),
            Some(expected),
            "{claim} / {text}"
        );
    }
}
