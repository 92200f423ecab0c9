//! What a text says as possible, of a part, or of the other side of a comparison.

use super::qualified::check;

#[test]
fn what_may_be_does_not_prove_what_is_or_will_be() {
    check(&[
        (
            "The tunnel could open in April and may be widened later.",
            &[
                "The tunnel could open in April",
                "The tunnel may open in April",
            ],
            &[
                "The tunnel will open in April.",
                "The tunnel opened in April.",
            ],
        ),
        (
            "The bank has offered to lend the club half of the sum.",
            &["The bank has offered to lend half of the sum."],
            &["The bank will lend the club half of the sum."],
        ),
        (
            "The firm plans to hire forty welders in Lund.",
            &["The firm plans to hire forty welders."],
            &["The firm hired forty welders in Lund."],
        ),
        (
            "The ferry will stop in Oban if the islanders agree.",
            &["The ferry will stop in Oban if the islanders agree"],
            &["The ferry will stop in Oban."],
        ),
        (
            "Without new pumps, the mine would flood within a year.",
            &[],
            &[
                "The mine will flood within a year.",
                "The mine flooded within a year.",
            ],
        ),
        (
            "The director said the museum would close on Mondays.",
            &["The museum will close on Mondays."],
            &[],
        ),
        (
            "The club met in May and elected a new chair.",
            &["The club elected a new chair."],
            &[],
        ),
        (
            "The old kiln could not fire large tiles.",
            &["The old kiln did not fire large tiles."],
            &[],
        ),
    ]);
}

#[test]
fn one_end_of_a_range_is_not_the_amount() {
    check(&[(
        "The roof will cost between 40,000 and 55,000 euros.",
        &["The roof will cost 40,000 to 55,000 euros."],
        &[
            "The roof will cost 40,000 euros.",
            "The roof will cost 55,000 euros.",
        ],
    )]);
}

#[test]
fn the_other_side_of_a_comparison_is_not_what_is_said() {
    check(&[
        (
            "Farms with the fewest hedges lost 12 tonnes of soil more than farms with the most hedges.",
            &["Farms with the fewest hedges lost 12 tonnes of soil more."],
            &["Farms with the most hedges lost 12 tonnes of soil more."],
        ),
        (
            "The Corvo tram is 32 metres long, much longer than the Merlo tram.",
            &["The Corvo tram is 32 metres long."],
            &["The Merlo tram is 32 metres long."],
        ),
        (
            "More than doubled in price, the flour is sold in Umea.",
            &["The flour is sold in Umea."],
            &[],
        ),
        (
            "The varnish is better than oil on oak, but worse on pine.",
            &["The varnish is better than oil on oak."],
            &["The varnish is better than oil on pine."],
        ),
    ]);
}

#[test]
fn what_is_said_of_a_part_or_of_another_is_not_said_of_the_whole() {
    check(&[
        (
            "The choir has 60 singers, of whom 12 are from Malmo.",
            &[
                "The choir has 60 singers.",
                "The choir has 60 singers, of whom 12 are from Malmo.",
            ],
            &["The choir has 60 singers from Malmo."],
        ),
        (
            "Vesta won the cup in Bergen. Ida Moen had scored for Brann in the first half.",
            &["Ida Moen had scored for Brann."],
            &["Ida Moen had scored for Vesta."],
        ),
        (
            "The mill was founded in 1803. It is old. The road is 3 km long. Cows graze there. The school, founded in 1921, has many pupils.",
            &["The mill was founded in 1803."],
            &["The school was founded in 1803."],
        ),
        (
            "The chapel was founded in 1340 by weavers from Ghent, who had the stone from the abbey of Saint Bavo.",
            &["The chapel was founded in 1340 by weavers from Ghent."],
            &["The chapel was founded by the abbey of Saint Bavo in 1340."],
        ),
    ]);
}

#[test]
fn a_comparison_from_its_other_side_is_no_contradiction() {
    let text = "The new stable is larger than the oldest stable.";
    let turned = super::ask("The oldest stable is smaller than the new one.", text);
    assert_ne!(turned.verdict, crosscheck_judge::Opinion::Contradicts);
    let false_one = super::ask("The new stable is smaller than the oldest stable.", text);
    assert_eq!(false_one.verdict, crosscheck_judge::Opinion::Contradicts);
}
