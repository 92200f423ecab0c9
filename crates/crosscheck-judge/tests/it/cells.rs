//! Cells of tables, read with the heads of their row and their column.

use crosscheck_judge::Opinion;

use super::ask;

const YEARS: &str = "The figures of 2023 are not yet known.\n\n\t2020\t2021\t2022\n\n\
    Unemployment rate\t6.9%\t7.4%\t6.2%\n\nYouth unemployment rate\t11.0%\t12.5%\t\n\n\
    Average rent (EUR)\t9.80\t10.10\t10.60\n\nThe rest of the page is about trees and the people \
    who plant them along the streets of the town.";
const PLANS: &str = "All plans can be changed at the end of a month, and nothing is lost by it.\n\n\
    Plan\tPrice per month\tRequests per minute\tDiscount\n\nStarter\t$9\t60\t$1\n\n\
    Team\t$49\t600\t$5\n\nQuestions are answered by the people who wrote the program.";
const SIZES: &str = "The tower of the town can be seen from far away, also at night.\n\n\
    Height\t430 m (1,411 ft)\n\nLength\t62 m\n\nRent (EUR/m²)\t11.50\n\nThe stairs are steep and \
    narrow, so the people of the town seldom go there.";
const OTHER: &str = "The old lamp is sold out.\n\nLamp K3\n\nThis lamp is made for large rooms.\n\n\
    Weight\t1.9 kg\n\nThe lamps are made by the people of the town, who are proud of them.";
const TWO: &str = "Both districts are old and were built along the river by the same people.\n\n\
    Norr\n\n\t2022\t2023\n\nUnemployment rate\t4.1%\t4.3%\n\nSyd\n\n\t2022\t2023\n\n\
    Unemployment rate\t5.0%\t5.2%\n\nThe numbers are those of the last count of the town.";

#[test]
fn a_cell_says_what_its_heads_name() {
    for (text, claim, expected) in [
        (YEARS, "The unemployment rate was 7.4% in 2021.", true),
        (YEARS, "In 2022, the average rent was 10.60 EUR.", true),
        (
            YEARS,
            "The youth unemployment rate was 12.5% in 2021.",
            true,
        ),
        (YEARS, "The unemployment rate was 6.9% in 2021.", false),
        (YEARS, "The unemployment rate was 12.5% in 2021.", false),
        (
            YEARS,
            "The youth unemployment rate was 12.5% in 2022.",
            false,
        ),
        (YEARS, "The unemployment rate was not 7.4% in 2021.", false),
        (
            YEARS,
            "The unemployment rate was above 7.4% in 2021.",
            false,
        ),
        (
            YEARS,
            "The unemployment rate in Rome was 7.4% in 2021.",
            false,
        ),
        (PLANS, "The Team plan costs $49 per month.", true),
        (
            PLANS,
            "The Starter plan allows 60 requests per minute.",
            true,
        ),
        (PLANS, "The Starter plan costs $49 per month.", false),
        (PLANS, "The Team plan costs $5 per month.", false),
        (
            PLANS,
            "The Starter plan allows 600 requests per minute.",
            false,
        ),
        (SIZES, "The tower is 430 m high.", true),
        (SIZES, "The tower is about 1,400 feet high.", true),
        (SIZES, "The tower is 62 m high.", false),
        (SIZES, "The tower is 430 m long.", false),
        (SIZES, "The rent was 11.50 EUR per square metre.", true),
        (OTHER, "The Lamp K3 weighs 1.9 kg.", true),
        (OTHER, "The Lamp K2 weighs 1.9 kg.", false),
        (
            TWO,
            "The unemployment rate in Norr was 5.2% in 2023.",
            false,
        ),
    ] {
        let answer = ask(claim, text);
        let supports = answer.verdict == Opinion::Supports;
        assert_eq!(supports, expected, "{claim} {answer:?}");
    }
}
