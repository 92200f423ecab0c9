//! Texts that have the words of a claim in other roles, under a negation or with more said around
//! them; and texts that say the same with a negation. The false claim is never supported, the
//! honest one never contradicted.

use crosscheck_judge::Opinion;
use crosscheck_judge::builtin::misses_a_quantity;

use super::ask;

/// A text, claims that it bears out, and claims that it does not.
type Row<'r> = (&'r str, &'r [&'r str], &'r [&'r str]);

fn check(rows: &[Row<'_>]) {
    let mut wrong = Vec::new();
    for (text, honest, lies) in rows {
        for claim in *honest {
            let answer = ask(claim, text);
            if answer.verdict == Opinion::Contradicts {
                wrong.push(format!(
                    "accused: {claim} / {text}: {:?}",
                    answer.explanation
                ));
            }
        }
        for claim in *lies {
            if ask(claim, text).verdict == Opinion::Supports {
                wrong.push(format!("supported: {claim} / {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The honest figures are not missing, the false ones are.
fn check_figures(rows: &[Row<'_>]) {
    check(rows);
    let mut wrong = Vec::new();
    for (text, honest, lies) in rows {
        let text = crosscheck_judge::Text::new(*text);
        for (claims, misses) in [(honest, false), (lies, true)] {
            for claim in *claims {
                if misses_a_quantity(claim, &text) != misses {
                    let said = if misses { "not missed" } else { "missed" };
                    wrong.push(format!("{said}: {claim} / {}", text.source()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn supported(claim: &str, text: &str) {
    let answer = ask(claim, text);
    assert_eq!(answer.verdict, Opinion::Supports, "{claim} / {text}");
}

fn contradicted(claim: &str, text: &str) {
    let answer = ask(claim, text);
    assert_eq!(answer.verdict, Opinion::Contradicts, "{claim} / {text}");
}

#[test]
fn two_figures_of_a_vote_or_a_result_keep_their_sides() {
    check(&[
        (
            "The senate passed the water bill on Friday by 57 votes to 43, with two abstentions.",
            &[
                "The senate passed the water bill by 57 votes to 43.",
                "The senate passed the water bill 57-43.",
            ],
            &[
                "The senate passed the water bill by 43 votes to 57.",
                "The senate passed the water bill 43-57.",
            ],
        ),
        (
            "Exports were revised from growth of 0.4% to a decline of 0.4%.",
            &["Exports were revised from growth of 0.4% to a decline of 0.4%."],
            &["Exports were revised from a decline of 0.4% to growth of 0.4%."],
        ),
        (
            "Karsten United beat Delby Town 4-2 after extra time on Sunday.",
            &["Karsten United beat Delby Town 4-2 after extra time."],
            &[
                "Karsten United beat Delby Town 4-4 after extra time.",
                "Karsten United beat Delby Town 2-2 after extra time.",
            ],
        ),
        (
            "The price fell from 80 euros to 60 euros.",
            &["The price fell from 80 to 60 euros."],
            &["The price fell from 60 euros to 80 euros."],
        ),
    ]);
    supported(
        "The senate passed the water bill by 57 votes to 43.",
        "The senate passed the water bill on Friday by 57 votes to 43.",
    );
}

#[test]
fn who_does_something_to_whom_is_compared() {
    check(&[
        (
            "Norda sued Velt in 2018 over a licence and lost.",
            &[
                "Norda sued Velt in 2018 over a licence.",
                "In 2018 Norda sued Velt over a licence and lost.",
                "Velt was sued by Norda in 2018.",
            ],
            &[
                "Velt sued Norda in 2018 over a licence.",
                "In 2018 Velt sued Norda over a licence and lost.",
                "Norda was sued by Velt in 2018.",
            ],
        ),
        (
            "Norda acquired Velt in 2018.",
            &["Velt was acquired by Norda in 2018."],
            &[
                "Norda was acquired by Velt in 2018.",
                "Velt acquired Norda in 2018.",
            ],
        ),
        (
            "In the final Ilse Rahn defeated Kari Moen in three sets.",
            &["Ilse Rahn defeated Kari Moen in the final."],
            &["Kari Moen defeated Ilse Rahn in the final."],
        ),
        (
            "Harbour Foods bought the brand Pell from Omnia in 2016.",
            &[
                "Harbour Foods bought the brand Pell from Omnia in 2016.",
                "In 2016 Harbour Foods bought Pell from Omnia.",
            ],
            &["Omnia bought the brand Pell from Harbour Foods in 2016."],
        ),
        (
            "A court in Lyon ordered the brewery Marl on Monday to pay its rival Dorn 3 million euros.",
            &["A Lyon court ordered Marl to pay Dorn 3 million euros."],
            &["A Lyon court ordered Dorn to pay Marl 3 million euros."],
        ),
        (
            "Karsten United beat Delby Town 2-0 on Sunday.",
            &["Karsten United beat Delby Town 2-0."],
            &["Delby Town beat Karsten United 2-0."],
        ),
        (
            "Judge Ine Vos dismissed Marl's request for a delay; she granted Dorn's request for costs.",
            &["Judge Ine Vos granted Dorn's request for costs."],
            &[
                "Judge Ine Vos granted Marl's request for a delay.",
                "Judge Ine Vos dismissed Dorn's request for costs.",
            ],
        ),
        (
            "Marl's shares closed 4% lower at 20 euros; Dorn's were 3% higher at 55 euros.",
            &["Marl's shares closed 4% lower at 20 euros."],
            &["Dorn's shares closed 4% lower at 20 euros."],
        ),
        (
            "The prince, whose uncle died childless, was patient. In 1433 he beat the northern lords at \
             the Battle of Hest, in which about 900 men fell. The Treaty of Brill of 1441 ended the war.",
            &["About 900 men fell in the Battle of Hest in 1433."],
            &["Some 900 men died in the Battle of Brill in 1433."],
        ),
        (
            "Ines the Tall (c. 1410 - 9 May 1470) was queen of Marn from 1431, and succeeded her sister \
             Oda, who died childless. In 1433 she beat the lords of the north at the Battle of Hest, in \
             which about 900 men fell. The Treaty of Brill of 2 March 1441 ended the war.",
            &["Some 900 men died in the Battle of Hest in 1433."],
            &["Some 900 men died in the Battle of Brill in 1433."],
        ),
        (
            "The rainiest month was April (88 mm), the sunniest July (12 mm).",
            &["April was the rainiest month (88 mm) and July the sunniest (12 mm)."],
            &["July was the rainiest month (88 mm) and April the sunniest (12 mm)."],
        ),
    ]);
    supported(
        "Norda sued Velt in 2018.",
        "Norda sued Velt in 2018 over a licence.",
    );
    supported(
        "In 2018 Norda sued Velt.",
        "Norda sued Velt in 2018 over a licence.",
    );
}

#[test]
fn an_opposite_in_the_same_sentence_is_not_the_claims_own_word() {
    check(&[
        (
            "The town has banned fireworks on the beach; sparklers remain allowed everywhere.",
            &["Sparklers remain allowed everywhere."],
            &["Sparklers are banned everywhere."],
        ),
        (
            "Snowfall was 210 cm, 15% below average.",
            &["Snowfall was 15% below average."],
            &["Snowfall was 15% above average."],
        ),
        (
            "Rents rose by 6% while wages fell by 1%.",
            &["Rents rose by 6%.", "Wages fell by 1%."],
            &["Rents fell by 6%.", "Wages rose by 1%."],
        ),
        (
            "Guided walks in the crater have been suspended since May 2020.",
            &[
                "There have been no guided walks in the crater since May 2020.",
                "Guided walks in the crater have been suspended since May 2020.",
            ],
            &["There have been guided walks in the crater since May 2020."],
        ),
    ]);
    supported(
        "Rents rose by 6%.",
        "Rents rose by 6% while wages fell by 1%.",
    );
    contradicted("Rents fell by 6%.", "Rents rose by 6%.");
}

#[test]
fn a_denied_rumour_is_not_what_the_text_says() {
    check(&[
        (
            "Harbour Foods denied that it plans to sell the brand Pell.",
            &["Harbour Foods denied that it plans to sell the brand Pell."],
            &[
                "Harbour Foods plans to sell the brand Pell.",
                "It plans to sell the brand Pell.",
            ],
        ),
        (
            "Harbour Foods denied reports on Monday that it plans to sell the brand Pell.",
            &["Harbour Foods denied reports that it plans to sell the brand Pell."],
            &[
                "Harbour Foods plans to sell the brand Pell.",
                "It plans to sell the brand Pell.",
            ],
        ),
        (
            "Reports that three swimmers drowned are untrue, the coast guard said.",
            &["Reports that three swimmers drowned are untrue."],
            &[
                "Three swimmers drowned, the coast guard said.",
                "Three swimmers drowned.",
            ],
        ),
        (
            "A spokesman called reports that Norda will close the mill in Brill unfounded.",
            &["A spokesman called reports that Norda will close the mill in Brill unfounded."],
            &["Norda will close the mill in Brill."],
        ),
        (
            "According to a flyer, the leak had been known since 2017; Norda denies this.",
            &["According to a flyer, the leak had been known since 2017."],
            &["The leak had been known since 2017, Norda said."],
        ),
        (
            "Posts shared thousands of times claim that the city of Brill has closed all pools.",
            &["Posts claim that the city of Brill has closed all pools."],
            &["The city of Brill has closed all pools."],
        ),
    ]);
    supported(
        "Norda plans to sell the brand.",
        "The chairwoman said that Norda plans to sell the brand.",
    );
}

#[test]
fn another_code_or_part_of_the_year_is_another_one() {
    check(&[
        (
            "The recall concerns the lots K4410 and K4411.",
            &["The recall concerns the lots K4410 and K4411."],
            &[
                "The recall concerns the lots K9999 and K4411.",
                "The recall concerns the lot K9999.",
            ],
        ),
        (
            "The partners expect the merger to close in the second quarter of 2027.",
            &[
                "The merger is expected to close in Q2 2027.",
                "The merger is expected to close in the second quarter of 2027.",
            ],
            &[
                "The merger is expected to close in Q4 2027.",
                "The merger is expected to close in the fourth quarter of 2027.",
            ],
        ),
    ]);
    supported(
        "The recall concerns the lot K4410.",
        "The recall concerns the lots K4410 and K4411.",
    );
}

#[test]
fn a_time_of_the_next_sentence_is_not_this_ones() {
    check(&[
        (
            "Ranger Lia Stone said the first call had reached her at 21:30. The weather office said it \
             had called at 16:05.",
            &["Ranger Lia Stone said the first call had reached her at 9:30 p.m."],
            &[
                "Ranger Lia Stone said the first call had reached her at 4:05 p.m.",
                "Ranger Lia Stone said the first call had reached her at 16:05.",
            ],
        ),
        (
            "Storms in the hills: 4 dead, many roofs lost. Ranger Lia Stone said the first call had \
             reached her at 21:30. The weather office said it had called at 16:05.",
            &[
                "Storms in the hills: Ranger Lia Stone said the first call had reached her at 21:30.",
            ],
            &[
                "Storms in the hills: 4 dead, many roofs lost: Ranger Lia Stone said the first call \
                 had reached her at 16:05.",
            ],
        ),
        (
            "Otto III was duke of Marn from 1436 until his death. He founded the College of Brill in \
             1463.",
            &["The College of Brill was founded by him in 1463. - Otto III"],
            &["The College of Brill was founded by him in 1436. - Otto III"],
        ),
        (
            "The duke founded the college in 1512. He became duke in 1502.",
            &["The duke founded the college in 1512."],
            &["The duke founded the college in 1502."],
        ),
    ]);
    supported(
        "Ranger Lia Stone said the first call had reached her at 21:30.",
        "Ranger Lia Stone said the first call had reached her at 21:30. It was dark.",
    );
}

#[test]
fn a_quotation_belongs_to_the_speaker_of_its_sentence() {
    check(&[
        (
            "\"We are one family,\" said the chairwoman, Mina Falk. The head of the union, Jon Reed, \
             called it \"a long goodbye\".",
            &["Jon Reed called it \"a long goodbye\"."],
            &[
                "Mina Falk called it \"a long goodbye\".",
                "The chairwoman, Mina Falk, called it \"a long goodbye\".",
            ],
        ),
        (
            "The harbour office rescued 40 people. The weather office says it warned at 16:05.",
            &["The weather office says it warned at 16:05."],
            &["The harbour office says it warned at 16:05."],
        ),
    ]);
}

#[test]
fn a_negation_without_a_verb_negates() {
    check(&[
        (
            "Not suitable for children.",
            &["The toy is not suitable for children."],
            &[
                "Suitable for children.",
                "It is suitable for children.",
                "The toy is suitable for use by children.",
            ],
        ),
        (
            "Light and warm.\n\nNot suitable for frost.\n\nWeight 900 g.",
            &["It is not suitable for frost."],
            &["It is suitable for frost.", "Suitable for frost"],
        ),
        (
            "Never left outside in winter.",
            &[],
            &["Left outside in winter."],
        ),
    ]);
}

#[test]
fn a_part_of_an_amount_is_not_the_amount() {
    check(&[
        (
            "The hike took 2 hours and 40 minutes.",
            &[
                "The hike took 2 hours and 40 minutes.",
                "The hike took 160 minutes.",
            ],
            &["The hike took 2 hours.", "The hike took 2 hours"],
        ),
        (
            "Less than half of the members voted.",
            &["Less than half of the members voted."],
            &["Half of the members voted."],
        ),
        (
            "Not even a third of the shops had opened.",
            &["Not even a third of the shops had opened."],
            &["A third of the shops had opened."],
        ),
        (
            "With its stand it weighs 900 g.",
            &["It weighs 900 g with its stand."],
            &[
                "Without its stand it weighs 900 g.",
                "It weighs 900 g without its stand.",
            ],
        ),
        (
            "Fewer than a third of the shops had opened.",
            &["Fewer than a third of the shops had opened."],
            &["A third of the shops had opened."],
        ),
        (
            "He owned a dozen more than the others.",
            &["He owned a dozen more than the others."],
            &["He owned a dozen"],
        ),
        (
            "Nearly 300 people came to the market.",
            &["Nearly 300 people came to the market."],
            &["More than 300 people came to the market."],
        ),
        (
            "It lost more than 300 people in one year.",
            &["It lost more than 300 people in one year."],
            &["300 people in one year"],
        ),
        (
            "The tank holds 40 litres more than the old one.",
            &["The tank holds 40 litres more than the old one."],
            &["The tank holds 40 litres", "The tank holds 40 litres."],
        ),
    ]);
    supported(
        "The hike took 2 hours.",
        "The hike took 2 hours and the way back 3.",
    );
    supported(
        "He owned a dozen boats.",
        "He owned a dozen boats and more than 10 cars.",
    );
}

#[test]
fn the_same_in_other_words_is_not_contradicted() {
    check(&[
        (
            "The growth of the seedlings did not differ between the two soils.",
            &["The growth of the seedlings was the same in the two soils."],
            &[
                "The growth of the seedlings differed between the two soils.",
                "The growth of the seedlings was different in the two soils.",
            ],
        ),
        (
            "The growth of the seedlings was the same in the two soils.",
            &["The growth of the seedlings did not differ between the two soils."],
            &[],
        ),
        (
            "Beavers have not yet returned to the valley.",
            &[
                "Beavers have yet to return to the valley.",
                "Beavers have not yet returned to the valley.",
            ],
            &["Beavers have returned to the valley."],
        ),
        (
            "Beavers have yet to return to the valley.",
            &["Beavers have not yet returned to the valley."],
            &["Beavers have returned to the valley."],
        ),
        (
            "Seven forest fires were still burning on Sunday, three of them out of control.",
            &["Of the seven forest fires still burning on Sunday, 3 were not under control."],
            &[],
        ),
        (
            "It won the Leaf Prize in 1962 but lost the Harbour Medal to another book.",
            &["It won the Leaf Prize in 1962, but not the Harbour Medal."],
            &["It won the Leaf Prize and the Harbour Medal in 1962."],
        ),
        (
            "Only three of the studies were judged to be at low risk of bias.",
            &["Most of the studies were not at low risk of bias; only three were."],
            &[],
        ),
        (
            "Without the grants, the fund would have lost 4 million euros.",
            &["Without the grants the fund would have lost 4 million euros."],
            &["The fund lost 4 million euros."],
        ),
    ]);
    contradicted(
        "Beavers have returned to the valley.",
        "Beavers have not returned to the valley.",
    );
    contradicted(
        "The growth of the seedlings differed between the two soils.",
        "The growth of the seedlings did not differ between the two soils.",
    );
}

#[test]
fn a_share_in_words_is_a_percentage() {
    check_figures(&[
        (
            "The minister said that three out of five tenants would pay less.",
            &[
                "The minister said that 60% of tenants would pay less.",
                "Three in five tenants would pay less.",
            ],
            &["The minister said that 70% of tenants would pay less."],
        ),
        (
            "Even then, another quarter would be lost.",
            &["Even then, another 25% would be lost."],
            &["Even then, another 35% would be lost."],
        ),
    ]);
}

#[test]
fn a_figure_that_follows_from_others_is_not_missing() {
    check_figures(&[
        (
            "The Tern 3 costs $420. The Tern 2 cost $380.",
            &["The Tern 3 costs $420, $40 more than the Tern 2."],
            &["The Tern 3 costs $420, $70 more than the Tern 2."],
        ),
        (
            "Oda IV was queen of Marn from 1501 until her death in 1544.",
            &["Oda IV reigned for 43 years, from 1501 to 1544."],
            &["Oda IV reigned for 53 years, from 1501 to 1544."],
        ),
        (
            "She won 450 of 600 games.",
            &[
                "She won 450 of her 600 games, or 75%.",
                "She won about 75% of her 600 games.",
            ],
            &["She won 450 of her 600 games, or 85%."],
        ),
        (
            "The mean age rose from 31.5 to 35.9 years.",
            &["The mean age rose by 4.4 years to 35.9."],
            &["The mean age rose by 6.4 years to 35.9."],
        ),
        (
            "Until then they play in a barn with 640 seats; the theatre has 900.",
            &["The barn has 640 seats, 260 fewer than the theatre."],
            &["The barn has 640 seats, 230 fewer than the theatre."],
        ),
        (
            "NordBus carried 8.2 million passengers, 0.7 million more than the year before.",
            &["NordBus carried 8.2 million passengers, up from 7.5 million."],
            &["NordBus carried 8.2 million passengers, up from 6.5 million."],
        ),
    ]);
}

#[test]
fn an_amount_in_another_unit_or_rounded_is_not_missing() {
    check_figures(&[
        (
            "The lens resolves lines down to 250 nanometres.",
            &[
                "The lens resolves lines down to 0.25 micrometres.",
                "The lens resolves lines down to 0.25 µm.",
                "The lens resolves lines down to 0.00025 mm.",
                "The lens resolves lines down to 250 nm.",
            ],
            &["The lens resolves lines down to 0.35 micrometres."],
        ),
        (
            "In Brill 95 litres of rain per square metre fell in a day.",
            &[
                "In Brill 95 mm of rain fell in a day.",
                "In Brill 95 millimetres of rain fell in a day.",
                "In Brill 9.5 cm of rain fell in a day.",
            ],
            &["In Brill 75 mm of rain fell in a day."],
        ),
        (
            "Members: 312 teachers (mean age 41.3 years, 70% women).",
            &[
                "The mean age was 41.",
                "The mean age of the teachers was about 41.",
            ],
            &["The mean age was 44."],
        ),
        (
            "The ice covers 63.7 km².",
            &[
                "The ice covers just under 64 km².",
                "The ice covers nearly 64 km².",
                "The ice covers roughly 64 square kilometres.",
                "The ice covers about 60 km².",
            ],
            &["The ice covers 84 km²."],
        ),
    ]);
}

#[test]
fn a_figure_of_another_row_is_not_this_rows() {
    let models =
        "Model\tPower\tCapacity\tPrice\nT1\t900 W\t1.2 l\t€19.90\nT2\t1,500 W\t1.6 l\t€34.90\n";
    let phones = "\tTern 3\tTern 2\nDisplay\t5.9 inches, 90 Hz\t5.5 inches, 60 Hz\n\
                  Battery\t4,100 mAh\t3,500 mAh\nWeight\t160 g\t155 g\nStorage\t128 GB\t32 GB\nDust\tIP65\tIP54\n";
    check(&[
        (
            models,
            &[
                "T1, Power 900 W, Capacity 1.2 l, Price €19.90",
                "The T2 has 1,500 W and costs €34.90.",
            ],
            &[
                "T1, Power 1,500 W, Capacity 1.2 l, Price €19.90",
                "T1, Power 900 W, Capacity 1.2 l, Price €34.90",
                "The T1 has a power of 1,500 W.",
            ],
        ),
        (
            phones,
            &[
                "Display, 5.9 inches, 90 Hz",
                "Battery, 4,100 mAh, 3,500 mAh",
                "The display has 5.9 inches and the battery 4,100 mAh.",
            ],
            &[
                "Display, 5.9 inches, 90 Hz, 3,500 mAh",
                "Battery, 160 g, 3,500 mAh",
                "Weight, 160 g, 32 GB",
                "Storage, 128 GB, IP54",
            ],
        ),
    ]);
    supported("Battery, 4,100 mAh, 3,500 mAh", phones);
}
