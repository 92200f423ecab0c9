//! A figure with another bound or measure, a word of another clause, and digits of other scripts.

use crosscheck_judge::Opinion;

use super::ask;

/// A text with claims that it supports, and claims that it must not support.
pub(super) type Row<'t> = (&'t str, &'t [&'t str], &'t [&'t str]);

pub(super) fn check(rows: &[Row<'_>]) {
    for (text, honest, false_ones) in rows {
        for claim in *honest {
            let answer = ask(claim, text);
            assert_eq!(
                answer.verdict,
                Opinion::Supports,
                "{text} / {claim}: {answer:?}"
            );
        }
        for claim in *false_ones {
            let answer = ask(claim, text);
            assert_ne!(
                answer.verdict,
                Opinion::Supports,
                "{text} / {claim}: {answer:?}"
            );
        }
    }
}

#[test]
fn a_time_before_or_after_is_not_that_time() {
    for word in ["before", "since", "by", "until", "after"] {
        let (bounded, plain) = (
            format!("The mill in Ostby was closed {word} 1999."),
            "The mill in Ostby was closed in 1999.",
        );
        for (claim, text, supported) in [
            (plain, bounded.as_str(), false),
            (bounded.as_str(), plain, false),
            (bounded.as_str(), bounded.as_str(), true),
        ] {
            let verdict = ask(claim, text).verdict;
            assert_eq!(verdict == Opinion::Supports, supported, "{claim} / {text}");
            assert_ne!(verdict, Opinion::Contradicts, "{claim} / {text}");
        }
    }
    check(&[
        (
            "The war lasted from 1999 until 2005.",
            &["The war lasted from 1999 to 2005."],
            &[],
        ),
        (
            "Voting is open until 6 pm.",
            &["Voting is open until 6 pm."],
            &["Voting opens at 6 pm."],
        ),
    ]);
}

#[test]
fn a_bound_is_not_the_figure_and_about_is() {
    for word in [
        "over",
        "more than",
        "nearly",
        "almost",
        "up to",
        "at least",
        "fewer than",
        "at most",
    ] {
        let bounded = format!("Last year the city planted {word} 500 trees in parks.");
        let plain = "Last year the city planted 500 trees in parks.";
        for (claim, text, supported) in [
            (
                "The city planted 500 trees in parks last year.",
                &*bounded,
                false,
            ),
            (
                &*format!("The city planted {word} 500 trees in parks."),
                plain,
                false,
            ),
            (&*bounded, &*bounded, true),
        ] {
            let verdict = ask(claim, text).verdict;
            assert_eq!(verdict == Opinion::Supports, supported, "{claim} / {text}");
            assert_ne!(verdict, Opinion::Contradicts, "{claim} / {text}");
        }
    }
    check(&[
        (
            "Around 500 trees were planted in the park.",
            &[
                "500 trees were planted in the park.",
                "About 500 trees were planted in the park.",
            ],
            &["More than 500 trees were planted."],
        ),
        (
            "More than 500 trees were planted.",
            &["Over 500 trees were planted."],
            &[
                "500 trees were planted.",
                "Fewer than 500 trees were planted.",
            ],
        ),
        (
            "Files up to 10 MB can be uploaded; this is the upload limit.",
            &["The upload limit is 10 MB."],
            &[],
        ),
    ]);
}

#[test]
fn an_amount_for_each_is_not_the_whole() {
    check(&[
        (
            "The programme cost 500 euros per tree.",
            &["The programme cost 500 euros per tree."],
            &["The programme cost 500 euros."],
        ),
        (
            "The plant makes 70 cars per day.",
            &["The plant makes 70 cars a day."],
            &[
                "The plant makes 70 cars.",
                "The plant makes 70 cars per hour.",
            ],
        ),
        (
            "The city spent 40 million euros on trees in that year.",
            &["The city spent 40 million euros on trees."],
            &["The city spent 40 million euros per year on trees."],
        ),
        (
            "The annual costs of the park are 40,000 euros.",
            &["The costs of the park are 40,000 euros, the annual costs."],
            &[],
        ),
        (
            "Sales rose because of the heavy rain.",
            &["Sales rose because of the rain."],
            &["Sales rose despite the heavy rain."],
        ),
    ]);
}

#[test]
fn a_clause_about_something_else_lends_no_words() {
    check(&[
        (
            "The mayor praised the plan and the council rejected the budget.",
            &[
                "The mayor praised the plan.",
                "The council rejected the budget.",
            ],
            &[
                "The mayor praised the budget.",
                "The council rejected the plan.",
            ],
        ),
        (
            "Anna Holm leads the team in Oslo, and Erik Dahl leads the team in Bergen.",
            &[
                "Anna Holm leads the team in Oslo.",
                "Erik Dahl leads the team in Bergen.",
            ],
            &[
                "Anna Holm leads the team in Bergen.",
                "Erik Dahl leads the team in Oslo.",
            ],
        ),
        (
            "Otters were seen near the bridge and beavers were seen near the dam.",
            &[
                "Otters were seen near the bridge.",
                "Beavers were seen near the dam.",
            ],
            &[
                "Otters were seen near the dam.",
                "Beavers were seen near the bridge.",
            ],
        ),
        (
            "Trains leave at 6 am and buses leave at 7 am.",
            &["Trains leave at 6 am.", "Buses leave at 7 am."],
            &["Trains leave at 7 am."],
        ),
        (
            "Tom Hale and Mia Roth founded the company in Turin.",
            &["Tom Hale founded the company in Turin."],
            &[],
        ),
        (
            "The firm was founded in Lyon and moved to Paris.",
            &["The firm moved to Paris."],
            &[],
        ),
        (
            "The study covered 120 patients and found that the drug reduced pain.",
            &["The study found that the drug reduced pain."],
            &[],
        ),
    ]);
}

#[test]
fn digits_of_every_script_are_numbers() {
    for written in [
        "١٥٬٥٠٠",
        "۱۵٬۵۰۰",
        "१५,५००",
        "১৫,৫০০",
        "๑๕,๕๐๐",
        "１５，５００",
    ] {
        let text = format!("The city planted {written} trees in the park.");
        let plain = |figure: &str| format!("The city planted {figure} trees in the park.");
        for (claim, text, expected) in [
            (plain("15,500"), &text, Opinion::Supports),
            (plain("15,900"), &text, Opinion::Contradicts),
            (text.clone(), &plain("15,500"), Opinion::Supports),
            (text.clone(), &plain("15,900"), Opinion::Contradicts),
        ] {
            assert_eq!(ask(&claim, text).verdict, expected, "{claim} / {text}");
        }
    }
    let arabic = "تم زرع ١٥٬٥٠٠ شجرة في المدينة عام ٢٠١٩.";
    for (claim, expected) in [
        ("تم زرع 15500 شجرة في المدينة عام 2019.", true),
        ("تم زرع ١٦٬٥٠٠ شجرة في المدينة عام ٢٠١٩.", false),
        ("تم زرع ١٥٬٥٠٠ شجرة في المدينة عام ٢٠١٨.", false),
    ] {
        let verdict = ask(claim, arabic).verdict;
        assert_eq!(verdict == Opinion::Supports, expected, "{claim}");
    }
    assert_eq!(
        ask(
            "The rate was 3.5 percent in May.",
            "The rate was ٣٫٥ percent in May."
        )
        .verdict,
        Opinion::Supports
    );
}
