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

fn assert_not_accused(pairs: &[Pair]) {
    let wrong = fails(pairs, |claim, page| {
        ask(claim, page).verdict != Opinion::Contradicts && !misses_a_figure(claim, page)
    });
    assert!(wrong.is_empty(), "accused:\n{}", wrong.join("\n"));
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
fn a_figure_in_another_form_is_confirmed() {
    assert_confirmed(&[
        (
            "The mine shipped 4.1 Mt of ore.",
            "Last year the mine shipped 4.1 million tonnes of ore.",
        ),
        (
            "The mine shipped 4.1 million tonnes of ore.",
            "Last year the mine shipped 4.1 Mt of ore.",
        ),
        (
            "The mill burned 12 kt of coal.",
            "That winter the mill burned 12,000 tonnes of coal.",
        ),
        (
            "The air held 421 ppm of carbon dioxide.",
            "In May the air held 421 parts per million of carbon dioxide.",
        ),
        (
            "The canton has 412'600 inhabitants.",
            "At the last count the canton has 412,600 inhabitants.",
        ),
        (
            "The canton has 412,600 inhabitants.",
            "At the last count the canton has 412’600 inhabitants.",
        ),
        (
            "The canton has 412 600 inhabitants.",
            "At the last count the canton has 412'600 inhabitants.",
        ),
        (
            "Half a million visitors came to the fair.",
            "In all 500,000 visitors came to the fair.",
        ),
        (
            "Over the week 500,000 visitors came to the fair.",
            "Over the week half a million visitors came to the fair.",
        ),
        (
            "The film runs 85 minutes.",
            "In the cinema the film runs 1 h 25 min.",
        ),
        (
            "The film runs 1 hour and 25 minutes.",
            "In the cinema the film runs 85 minutes.",
        ),
        (
            "The ferry leaves at 07:00.",
            "On weekdays the ferry leaves at 7 a.m. from the pier.",
        ),
        (
            "The ferry leaves at 7 a.m. each day.",
            "From the pier the ferry leaves at 07:00 each day.",
        ),
        (
            "The museum closes at 6pm.",
            "From May to October the museum closes at 18:00.",
        ),
        (
            "The flaw is fixed in v3.2 of the library.",
            "The flaw is fixed in version 3.2 of the library.",
        ),
        (
            "Version 3.2 of the library fixes the flaw.",
            "v3.2: this version of the library fixes the flaw.",
        ),
        (
            "The box holds a dozen eggs.",
            "The blue box holds 12 eggs in two rows.",
        ),
        (
            "The box holds 24 eggs.",
            "The blue box holds two dozen eggs in four rows.",
        ),
        (
            "The pause lasts two and a half hours.",
            "At noon the pause lasts 2.5 hours.",
        ),
        (
            "The screen has 1920x1080 pixels.",
            "The new screen has 1920 × 1080 pixels.",
        ),
        (
            "The park covers 12 km² of forest.",
            "The whole park covers 12 square kilometres of forest.",
        ),
    ]);
}

#[test]
fn an_honest_figure_in_another_form_is_not_accused() {
    assert_not_accused(&[
        (
            "The air held 421 ppm of carbon dioxide.",
            "In May the air held 420.9 ppm of carbon dioxide.",
        ),
        (
            "The air held 421 ppm of carbon dioxide.",
            "In May the air held 420.9 parts per million of carbon dioxide.",
        ),
        (
            "She scored in minute 112.",
            "She scored in the 112th minute of the match.",
        ),
        (
            "She scored in the 112th minute.",
            "She scored in minute 112 of the match.",
        ),
        (
            "Exports: −14 % in the spring.",
            "Exports fell by 14 % in the spring.",
        ),
        (
            "Exports fell by 14 % in the spring.",
            "Exports in the spring, against the year before: −14 %.",
        ),
        (
            "Rents changed by -3.5% in the city.",
            "In the city rents were down 3.5% from the year before.",
        ),
        (
            "Profit at the yard: -20 million euros",
            "Profit at the yard decreased by 20 million euros.",
        ),
        (
            "Two-thirds of the members voted.",
            "In the end two-thirds of the members voted.",
        ),
        (
            "Two-thirds of the members voted.",
            "In the end 66.7 % of the members voted.",
        ),
        (
            "The engine is 10x faster.",
            "The new engine is ten times faster.",
        ),
        (
            "Emissions reached 37.4 GtCO2 in the year.",
            "Emissions reached 37.4 billion tonnes of CO2 in the year.",
        ),
        (
            "The film runs 85 min.",
            "Length of the film: 1h25 with the credits.",
        ),
        (
            "The film runs 85 min.",
            "Length of the film: 1h 25m with the credits.",
        ),
    ]);
}

#[test]
fn another_figure_in_another_form_is_not_confirmed() {
    assert_not_confirmed(&[
        (
            "The mine shipped 4.1 Mt of ore.",
            "Last year the mine shipped 4.1 thousand tonnes of ore.",
        ),
        (
            "The mine shipped 4.1 Mt of ore.",
            "Last year the mine shipped 4.7 million tonnes of ore.",
        ),
        (
            "The air held 421 ppm of carbon dioxide.",
            "In May the air held 421 parts per billion of carbon dioxide.",
        ),
        (
            "The canton has 412'600 inhabitants.",
            "At the last count the canton has 416,200 inhabitants.",
        ),
        (
            "The canton has 412'600 inhabitants.",
            "At the last count the canton has 412 inhabitants.",
        ),
        (
            "Half a million visitors came to the fair.",
            "In all 300,000 visitors came to the fair.",
        ),
        (
            "A million visitors came to the fair.",
            "Half a million visitors came to the fair.",
        ),
        (
            "In all 1,000,000 visitors came to the fair.",
            "Half a million visitors came to the fair.",
        ),
        (
            "The film runs 95 minutes.",
            "In the cinema the film runs 1 h 25 min.",
        ),
        (
            "The film runs 25 minutes.",
            "In the cinema the film runs 1 h 25 min.",
        ),
        (
            "In the cinema the film runs for 1 hour.",
            "In the cinema the film runs 1 hour and 25 minutes.",
        ),
        (
            "The ferry leaves at 07:00.",
            "On weekdays the ferry leaves at 7 p.m. from the pier.",
        ),
        (
            "The ferry leaves at 7 a.m. each day.",
            "From the pier the ferry leaves at 08:00 each day.",
        ),
        (
            "She scored in minute 112.",
            "She scored in the 12th minute of the match.",
        ),
        (
            "She scored 3 goals.",
            "She scored the 3rd goal of all goals.",
        ),
        (
            "The flaw is fixed in v3.2 of the library.",
            "The flaw is fixed in version 3.3 of the library.",
        ),
        (
            "Exports: −14 % in the spring.",
            "Exports rose by 14 % in the spring.",
        ),
        (
            "Exports: −14 % in the spring.",
            "Exports fell to 14 % in the spring.",
        ),
        (
            "The temperature in the cellar was -5 degrees.",
            "The temperature in the cellar fell 5 degrees.",
        ),
        (
            "The box holds a dozen eggs.",
            "The blue box holds 15 eggs in three rows.",
        ),
        (
            "The box holds 2 eggs.",
            "The blue box holds two dozen eggs in four rows.",
        ),
        (
            "The pause lasts two and a half hours.",
            "At noon the pause lasts 3.5 hours.",
        ),
        (
            "The screen has 1920x1080 pixels.",
            "The new screen has 1920 × 1200 pixels.",
        ),
    ]);
}

#[test]
fn a_range_of_days_or_years_is_the_same_in_every_form() {
    assert_confirmed(&[
        (
            "The fair took place on 7–11 February 2022.",
            "The fair took place from 7 to 11 February 2022 in the old harbour.",
        ),
        (
            "The fair took place from 7 to 11 February 2022.",
            "The fair took place on February 7-11, 2022 in the old harbour.",
        ),
        (
            "The fair took place on February 7-11, 2022.",
            "The fair took place from 7 February to 11 February 2022 in the old harbour.",
        ),
        (
            "The fair took place on 7–11 February.",
            "The fair took place on February 7-11 in the old harbour.",
        ),
        (
            "The fair took place on 7–11 February.",
            "The fair took place from 7 to 11 February 2022 in the old harbour.",
        ),
        (
            "The strike ran from 28 February to 3 March 2022.",
            "The strike ran from February 28 to March 3, 2022 at both mills.",
        ),
        (
            "She was mayor in 1971–75.",
            "She was mayor from 1971 to 1975, and lost the next vote.",
        ),
        (
            "She was mayor from 1971 to 1975.",
            "In the years 1971-75 she was mayor of the town.",
        ),
        (
            "The bridge was painted in the season 1998/99.",
            "The bridge was painted in the season 1998–1999 by hand.",
        ),
        (
            "The survey ended in September 2021.",
            "After three rounds the survey ended in 09/2021.",
        ),
        (
            "The survey ended in 09/2021.",
            "After three rounds the survey ended in September 2021.",
        ),
        (
            "The survey ended in 2021-09.",
            "After three rounds the survey ended in September 2021.",
        ),
        (
            "The storm hit the coast on 3 March.",
            "The storm hit the coast on March 3, 2018, and stayed.",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "The fair took place on 7–11 February 2022.",
            "The fair took place from 7 to 12 February 2022 in the old harbour.",
        ),
        (
            "The fair took place from 7 to 11 February 2022.",
            "The fair took place on March 7-11, 2022 in the old harbour.",
        ),
        (
            "The fair took place on 7–11 February.",
            "The fair took place on March 7-11 in the old harbour.",
        ),
        (
            "The fair took place on 7–11 February 2022.",
            "The fair took place on February 7-11, 2023 in the old harbour.",
        ),
        (
            "She was mayor in 1971–75.",
            "She was mayor from 1971 to 1979, and lost the next vote.",
        ),
        (
            "She was mayor from 1971 to 1975.",
            "In the years 1961-65 she was mayor of the town.",
        ),
        (
            "The survey ended in 09/2021.",
            "After three rounds the survey ended in October 2021.",
        ),
        (
            "The survey ended in September 2021.",
            "After three rounds the survey ended in 09/2020.",
        ),
        (
            "The storm hit the coast on 3 March.",
            "The storm hit the coast on March 9, 2018, and stayed.",
        ),
        (
            "Of the boats 7 sank in the storm.",
            "Of the boats some sank in the storm on 7 February 2022.",
        ),
    ]);
}

#[test]
fn a_table_can_name_the_scale_of_its_figures_in_its_head() {
    assert_not_accused(&[
        (
            "Revenue was $412 million in 2023.",
            "| | 2022 | 2023 |\n|---|---|---|\n| Revenue (in millions) | 398 | 412 |",
        ),
        (
            "Revenue was $412 million in 2023.",
            "Consolidated statement (in millions of dollars)\n2022\t2023\nRevenue\t398\t412\nCosts\t300\t310",
        ),
        (
            "The city spent €1.25 million on roads.",
            "Spending in thousand euros\nRoads\t1,250\nSchools\t4,300",
        ),
        (
            "The group sold 3.2 million cars.",
            "Sales (thousands)\nCars\t3,200\nVans\t410",
        ),
        (
            "Net income was $7.3 billion.",
            "All amounts in millions of US dollars.\nNet income: 7,300\nTaxes: 1,100",
        ),
        (
            "Revenue was $412 million in 2023.",
            "Annual figures, $ in millions\nRevenue in 2023: 411.9",
        ),
        (
            "Revenue was $412 million in 2023.",
            "Annual figures ($m)\nRevenue in 2023: 412",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "Revenue was $512 million in 2023.",
            "| | 2022 | 2023 |\n|---|---|---|\n| Revenue (in millions) | 398 | 412 |",
        ),
        (
            "Revenue was $412 billion in 2023.",
            "Consolidated statement (in millions of dollars)\n2022\t2023\nRevenue\t398\t412\nCosts\t300\t310",
        ),
        (
            "The city spent €1.52 million on roads.",
            "Spending in thousand euros\nRoads\t1,250\nSchools\t4,300",
        ),
        (
            "The group sold 3.2 billion cars.",
            "Sales (thousands)\nCars\t3,200\nVans\t410",
        ),
        (
            "Net income was $7.3 billion.",
            "All amounts in millions of US dollars.\nNet income: 7,800\nTaxes: 1,100",
        ),
        (
            "Revenue was $412 million in 2023.",
            "Annual figures, $ in thousands\nRevenue in 2023: 411.9",
        ),
    ]);
}

#[test]
fn a_right_conversion_in_brackets_needs_one_of_the_two_figures() {
    assert_confirmed(&[
        (
            "The race is 26 miles (42 km) long.",
            "From start to end the race is 26 miles long.",
        ),
        (
            "The race is 26 miles (42 km) long.",
            "From start to end the race is 42 km long.",
        ),
        (
            "The tower is 300 metres (984 feet) high.",
            "With its mast the tower is 300 metres high.",
        ),
        (
            "The farm covers 50 hectares (124 acres) of land.",
            "In the valley the farm covers 124 acres of land.",
        ),
        (
            "The parcel weighs 10 kg (22 lb).",
            "With its box the parcel weighs 10 kg.",
        ),
        (
            "The train reached 125 mph (201 km/h).",
            "On the old line the train reached 125 mph.",
        ),
    ]);
    assert_not_accused(&[
        (
            "Water boils there at 95 °C (203 °F).",
            "In that town, high above the sea, water boils at 95 °C.",
        ),
        (
            "The engine makes 100 hp (75 kW).",
            "With the new pump the engine makes 100 hp.",
        ),
        (
            "The ticket costs 30 francs ($34).",
            "At the gate the ticket costs 30 francs.",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "The race is 26 miles (52 km) long.",
            "From start to end the race is 26 miles long.",
        ),
        (
            "The race is 36 miles (42 km) long.",
            "From start to end the race is 42 km long.",
        ),
        (
            "The race is 27 miles (43.5 km) long.",
            "From start to end the race is 26 miles long.",
        ),
        (
            "The tower is 300 metres (894 feet) high.",
            "With its mast the tower is 300 metres high.",
        ),
        (
            "The farm covers 50 hectares (12 acres) of land.",
            "In the valley the farm covers 50 hectares of land.",
        ),
        (
            "The parcel weighs 10 kg (44 lb).",
            "With its box the parcel weighs 10 kg.",
        ),
        (
            "The train reached 125 mph (180 km/h).",
            "On the old line the train reached 125 mph.",
        ),
        (
            "Water boils there at 95 °C (230 °F).",
            "In that town, high above the sea, water boils there at 95 °C.",
        ),
    ]);
}

#[test]
fn a_right_sum_is_left_open_and_a_wrong_one_is_never_confirmed() {
    assert_not_accused(&[
        (
            "The two halls seat a total of 100 guests.",
            "The north hall seats 40 guests. The south hall seats 60 guests.",
        ),
        (
            "The halls seat 100 guests in total.",
            "The halls seat 40 guests in the north and 60 guests in the south.",
        ),
        (
            "The halls seat 40 and 60 guests, together 100.",
            "The north hall seats 40 guests. It was built long ago. Nobody knows by whom. The south hall seats 60 guests.",
        ),
        (
            "Both mines shipped 7.5 tonnes of ore combined.",
            "The upper mine shipped 3 tonnes of ore. The lower mine shipped 4.5 tonnes of ore.",
        ),
        (
            "The three funds lost $60 million altogether.",
            "Funds that lost money:\nAlpha lost $10 million\nBeta lost $20 million\nGamma lost $30 million",
        ),
        (
            "In all, 1,050 birds were counted on the lakes.",
            "On the east lake 800 birds were counted. On the west lake 250 birds were counted.",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "The two halls seat a total of 110 guests.",
            "The north hall seats 40 guests. The south hall seats 60 guests.",
        ),
        (
            "The halls seat 90 guests in total.",
            "The halls seat 40 guests in the north and 60 guests in the south.",
        ),
        (
            "The halls seat 40 and 60 guests, together 120.",
            "The north hall seats 40 guests. The south hall seats 60 guests.",
        ),
        (
            "Both mines shipped 8.5 tonnes of ore combined.",
            "The upper mine shipped 3 tonnes of ore. The lower mine shipped 4.5 tonnes of ore.",
        ),
        (
            "The three funds lost $70 million altogether.",
            "Funds that lost money:\nAlpha lost $10 million\nBeta lost $20 million\nGamma lost $30 million",
        ),
        (
            "In all, 1,150 birds were counted on the lakes.",
            "On the east lake 800 birds were counted. On the west lake 250 birds were counted.",
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

#[test]
fn a_fraction_in_words_is_a_figure() {
    assert_confirmed(&[
        (
            "A third of the homes use gas.",
            "In the north a third of the homes use gas.",
        ),
        (
            "A quarter of the homes use gas.",
            "In the north one quarter of the homes use gas.",
        ),
        (
            "One-third of the homes use gas.",
            "In the north a third of the homes use gas.",
        ),
        (
            "Two thirds of the members voted.",
            "In the end two-thirds of the members voted.",
        ),
        (
            "Half of the members voted.",
            "In the end 50 % of the members voted.",
        ),
        (
            "Three quarters of the fish died.",
            "In the end 75 % of the fish died.",
        ),
    ]);
    assert_not_accused(&[
        (
            "A third of the homes use gas.",
            "In the north 33 % of the homes use gas.",
        ),
        (
            "A third of the homes use gas.",
            "In the north 31.5 % of the homes use gas.",
        ),
        (
            "Two-thirds of the homes use gas.",
            "In the north almost 65 % of the homes use gas.",
        ),
        (
            "The second half of the film was cut.",
            "The producers cut half of the second act of the film.",
        ),
        (
            "A quarter of an hour later the train left.",
            "The train left 15 minutes later.",
        ),
    ]);
    assert_refuted(&[
        (
            "A third of the homes use gas.",
            "In the north a quarter of the homes use gas.",
        ),
        (
            "A quarter of the homes use gas.",
            "In the north a third of the homes use gas.",
        ),
        (
            "Two-thirds of the members voted.",
            "In the end one third of the members voted.",
        ),
        (
            "Half of the members voted.",
            "In the end a fifth of the members voted.",
        ),
        (
            "A third of the homes use gas.",
            "In the north 60 % of the homes use gas.",
        ),
        (
            "In the north 60 % of the homes use gas.",
            "In the north a third of the homes use gas.",
        ),
        (
            "Two-thirds of the members voted.",
            "In the end three quarters of the members voted.",
        ),
    ]);
    assert_not_confirmed(&[
        (
            "A third of the homes use gas.",
            "A quarter of the homes use gas, the third year in a row.",
        ),
        (
            "A quarter of the homes use gas.",
            "A third of the homes use gas. That was so in each quarter of the year.",
        ),
    ]);
}

#[test]
fn a_figure_that_is_said_to_be_rounded_is_the_longer_one() {
    let text =
        "The probe has a mass of 1,260 kilograms. The firm was sold for $820 million in cash.";
    for (claim, expected) in [
        ("The probe has a mass of around 1,300 kg.", true),
        ("The probe has a mass of nearly 1,300 kg.", true),
        ("The probe has a mass of more than 1,200 kg.", true),
        ("The probe has a mass of 1,300 kg.", false),
        ("The probe has a mass of about 1,400 kg.", false),
        ("The probe has a mass of more than 1,300 kg.", false),
        ("The probe has a mass of less than 1,200 kg.", false),
        (
            "The firm was sold for more than $800 million in cash.",
            true,
        ),
        (
            "The firm was sold for less than $800 million in cash.",
            false,
        ),
        ("The firm was sold for nearly $800 million in cash.", false),
        ("The firm was sold for about $900 million in cash.", false),
        ("The firm was sold for exactly $800 million in cash.", false),
    ] {
        let verdict = ask(claim, text).verdict;
        assert_eq!(verdict == Opinion::Supports, expected, "{claim}");
    }
}
