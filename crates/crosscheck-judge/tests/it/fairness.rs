//! Claims that their texts bear out, in the words of news, dialogues, studies,
//! tables and configuration. None of them may be called a contradiction.

use crosscheck_judge::Opinion;

use super::ask;

const PAIRS: &[(&str, &str)] = &[
    ("Sales did not fall in 2020", "Sales rose in 2020."),
    (
        "The court refused to hear the appeal",
        "The court would not hear the appeal.",
    ),
    (
        "Few people attended the event",
        "Not many people attended the event.",
    ),
    (
        "The song peaked at number one",
        "The song did not peak until May, when it reached number one.",
    ),
    (
        "The team lost only 2 games",
        "The team has not lost more than 2 games.",
    ),
    (
        "The API does not allow anonymous access",
        "The API allows access only with a token; anonymous access is rejected.",
    ),
    (
        "The law does not apply to companies with fewer than 50 employees",
        "The law applies to companies with 50 or more employees.",
    ),
    (
        "Smith was not elected",
        "Smith lost the election to Jones, who was elected with 54 percent.",
    ),
    (
        "Einstein did not fail mathematics",
        "The story that Einstein failed mathematics is a myth.",
    ),
    (
        "The storm killed 42 people",
        "The storm killed 12 people in Haiti and 30 people in Cuba.",
    ),
    (
        "The company cut 300 jobs outside Germany",
        "The company will cut 500 jobs, 200 of them in Germany.",
    ),
    (
        "The population was 13,100 in 2000",
        "The population was 12,300 at the 2010 census, down from 13,100 in 2000.",
    ),
    (
        "Prices increased by less than 2 percent",
        "Prices increased by 1.8 percent.",
    ),
    (
        "The mean age was 54 years",
        "The mean age was 54.3 years (SD 12.1) and 40% were women.",
    ),
    (
        "The battery lasts 10 hours",
        "The battery lasts up to 12 hours.",
    ),
    (
        "Net income was $3.2 billion in 2021",
        "Net income (in millions): 2021: $3,200; 2020: $2,900",
    ),
    (
        "The maximum number of connections is 10",
        "pool:\n  min_connections: 2\n  max_connections: 10",
    ),
    (
        "The cache expires after 1 hour",
        "CACHE_TTL = 60 * 60  # one hour",
    ),
    (
        "SSL verification is disabled in tests",
        "verify_ssl: true\ntest:\n  verify_ssl: false",
    ),
    ("Anonymous login is not allowed", "allow_anonymous = false"),
    (
        "Vaccines do not cause autism",
        "There is no link between vaccines and autism.",
    ),
    (
        "The treatment was unsuccessful",
        "The treatment was not successful in most patients.",
    ),
    (
        "Lucy does not eat meat",
        "Lucy: I'm a vegetarian, I don't eat meat. Ben: I do eat meat.",
    ),
    (
        "The bridge did not close in April",
        "The bridge, which did not close in April as planned, will close in May.",
    ),
    (
        "The city lacks an airport",
        "The city does not have an airport.",
    ),
    ("The bill failed", "The bill did not pass the senate."),
    (
        "Antibiotics do not work against viruses",
        "Antibiotics work against bacteria but not against viruses.",
    ),
    (
        "The tower is about 300 metres tall",
        "The Eiffel Tower is 324 metres tall.",
    ),
    (
        "The museum is open on Sundays",
        "The museum is closed on Mondays and open on Sundays.",
    ),
    (
        "The 2012 team won 5 medals",
        "Team 2012: medals 5. Team 2016: medals 7.",
    ),
];

#[test]
fn nobody_is_accused_of_what_the_text_bears_out() {
    for (claim, text) in PAIRS {
        let answer = ask(claim, text);
        assert_ne!(
            answer.verdict,
            Opinion::Contradicts,
            "{claim} / {text}: {answer:?}"
        );
    }
}
