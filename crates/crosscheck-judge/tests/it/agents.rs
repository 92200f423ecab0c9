//! Who did it, what is compared with what, and words that add little.

use crosscheck_judge::{EvidenceKind, Opinion, Question, Text};

use super::ask;

fn verdicts(pairs: &[(&str, &str)], is_right: fn(Opinion) -> bool) {
    for (claim, text) in pairs {
        let answer = ask(claim, text);
        assert!(is_right(answer.verdict), "{claim} / {text}\n{answer:?}");
    }
}

const FIXED: &str =
    "A crash with large files was found. Reported by Petra Novak, fixed by Daniel Okafor.";
const REPORT: &str = "The report was commissioned by Ana Ruiz and written by Tom Beck.";
const AUDITED: &str = "Alder was audited by Kovac in May; Birch was audited by Deloitte.";

#[test]
fn what_another_one_did_is_not_confirmed() {
    verdicts(
        &[
            ("The crash was reported by Daniel Okafor.", FIXED),
            ("Petra Novak fixed the crash.", FIXED),
            ("The report was written by Ana Ruiz.", REPORT),
            ("Tom Beck commissioned the report.", REPORT),
            (
                "She taught Leonard Cockburn at the college.",
                "At the college she was taught by Leonard Cockburn.",
            ),
            ("Alder was audited by Deloitte.", AUDITED),
            (
                "Joao Mendes, a British surveyor, made the first ascent.",
                "Edward Whitcombe, a British surveyor, made the first ascent together with his guide Joao Mendes. \
                 The route of Edward Whitcombe is lost.",
            ),
            (
                "Model X lasted two hours longer than Model Y.",
                "Model Y lasted two hours longer than Model X in the test.",
            ),
            (
                "The Aero is cheaper than the Zenith Slim.",
                "The Zenith Slim is cheaper at $1,099 than it was. The Aero is new.",
            ),
        ],
        |verdict| verdict != Opinion::Supports,
    );
    verdicts(
        &[
            ("The crash was reported by Petra Novak.", FIXED),
            ("Ana Ruiz commissioned the report.", REPORT),
            ("Birch was audited by Deloitte.", AUDITED),
            (
                "Karl Ostrander designed the bridge.",
                "The bridge, designed by Karl Ostrander, was built of steel.",
            ),
            (
                "The Aero lasted two hours longer than the Zenith.",
                "The old Aero lasted two hours longer than the new Zenith.",
            ),
            (
                "Seohyun is a singer.",
                "Seo Ju-hyun, known as Seohyun, is a Korean singer. Fans of Seo like it.",
            ),
        ],
        |verdict| verdict == Opinion::Supports,
    );
}

#[test]
fn what_is_limited_missing_or_only_denied_is_not_confirmed() {
    verdicts(
        &[
            (
                "Photography is not permitted.",
                "It was visited by many people last year. Photography without flash is permitted.",
            ),
            (
                "Entry is not allowed.",
                "The gate is old. Entry without a ticket is not allowed.",
            ),
            (
                "The laptop has a card reader.",
                "A card reader is missing, and the laptop has two ports.",
            ),
            (
                "A normal ferritin value rules out iron deficiency.",
                "A low ferritin level suggests iron deficiency. But a normal value does not rule it out.",
            ),
        ],
        |verdict| verdict != Opinion::Supports,
    );
}

#[test]
fn little_words_endings_and_free_orders_make_no_difference() {
    verdicts(
        &[
            (
                "The ticket costs 15 euros.",
                "The ticket is 15 euros for adults.",
            ),
            (
                "The kit includes a cable and a bag.",
                "The kit has a cable and a small bag.",
            ),
            (
                "The volcano erupted in 1906.",
                "The eruption of the volcano in 1906 destroyed the village.",
            ),
            (
                "About 50,000 people visited the fair.",
                "The fair was visited by 49,620 people in June.",
            ),
            (
                "The 1815 eruption killed 10,000 people.",
                "The eruption of 10 April 1815 killed 10,000 people.",
            ),
            (
                "Nurses and young doctors protested in Lyon.",
                "Young doctors and nurses protested in Lyon on Monday.",
            ),
            (
                "The 8 GB of memory cannot be replaced.",
                "The memory of 8 GB cannot be replaced.",
            ),
            (
                "Last year the zoo was visited by 90,000 people.",
                "The zoo is old. It was visited by 90,000 people last year.",
            ),
            (
                "The plane takes photographs from 300 m.",
                "The plane takes photographs from a height of 300 m.",
            ),
            (
                "The tank holds 2 cubic metres.",
                "The tank holds 2,000 litres of water.",
            ),
        ],
        |verdict| verdict == Opinion::Supports,
    );
    verdicts(
        &[
            (
                "The ticket costs 25 euros.",
                "The ticket is 15 euros for adults.",
            ),
            (
                "About 50,000 people visited the fair.",
                "The fair was visited by 36,000 people in June.",
            ),
            (
                "The 1816 eruption killed 10,000 people.",
                "The eruption of 10 April 1815 killed 10,000 people.",
            ),
            (
                "A rope is climbed by a man.",
                "A man is roped by a climber.",
            ),
            (
                "A man is seeking a sign and is holding money.",
                "A man is holding a sign and is seeking money.",
            ),
        ],
        |verdict| verdict != Opinion::Supports,
    );
}

#[test]
fn a_difference_does_not_contradict_what_follows_from_it() {
    let text = "The base version costs 700 euros. The large version costs 200 euros more.";
    verdicts(&[("The large version costs 900 euros.", text)], |verdict| {
        verdict == Opinion::Unclear
    });
    verdicts(&[("The base version costs 950 euros.", text)], |verdict| {
        verdict == Opinion::Contradicts
    });
}

#[test]
fn a_number_in_a_name_is_known_from_the_title() {
    let text = Text::new("The pump is quiet. It has a rated power of 2.2 kW and two handles.");
    for (claim, title, expected) in [
        (
            "The Hydra 3200 has a rated power of 2.2 kW.",
            "Hydra 3200 pump",
            true,
        ),
        (
            "The Hydra 3200 has a rated power of 2.2 kW.",
            "Hydra 3100 pump",
            false,
        ),
        (
            "The Hydra 320 has a rated power of 2.2 kW.",
            "Hydra 3200 pump",
            false,
        ),
    ] {
        let answer = crosscheck_judge::Builtin::answer(&Question {
            kind: EvidenceKind::Web,
            header: Some(title),
            ..Question::new(claim, &text)
        });
        let is_supported = answer.verdict == Opinion::Supports;
        assert_eq!(is_supported, expected, "{claim} / {title}: {answer:?}");
    }
}

#[test]
fn figures_of_a_table_stay_in_their_rows_and_columns() {
    let rates = "The district of Oststadt grows. Its population is counted every year by the office.\n\n\
        Year\tPopulation\tRent\n2022\t86,455\t10.60\n2023\t88,130\t11.45\n2024\t89,002\t12.20\n\n\
        In 2024 foreign nationals made up 21 percent of the population of the district.";
    let sizes = "The pump is made of steel and is used in wells.\n\nHeight\t43 cm\nDiameter\t98 mm\n\n\
        It has a height and a diameter for every well.";
    let sales = "The group makes pumps and reports its sales every quarter.\n\n\
        Item\tQ3 2024\tQ3 2023\nSales\t412\t387\nEmployees\t6,310\t6,540\n\nThe group is old.";
    verdicts(
        &[
            ("In 2024 the district had a population of 88,130.", rates),
            (
                "The pump has a height of 98 mm and a diameter of 43 cm.",
                sizes,
            ),
            ("The group had 6,540 employees in 2024.", sales),
        ],
        |verdict| verdict != Opinion::Supports,
    );
    verdicts(
        &[(
            "The pump has a height of 43 cm and a diameter of 98 mm.",
            sizes,
        )],
        |verdict| verdict == Opinion::Supports,
    );
}
