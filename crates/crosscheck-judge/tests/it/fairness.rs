//! Claims that their texts support, in the words of news, dialogues, studies,
//! tables and configuration. None of them may be called a contradiction.

use crosscheck_judge::Opinion;

use super::ask;

const PAIRS: &[(&str, &str)] = &[
    (
        "The feature is disabled by default",
        "The feature is off by default; once enabled, it stays enabled.",
    ),
    (
        "The upper limit decreased from 50 to 40 mg",
        "The upper limit is 40 mg (previously 50 mg). The lower limit increased.",
    ),
    (
        "Vaccination does not cause autism",
        "There is no link between vaccination and autism. Some parents believe that vaccination does cause autism.",
    ),
    (
        "The population of Oslo exceeded 700,000 in 2022",
        "Oslo had 702,543 inhabitants in 2022. The population of Oslo was 600,000 in 2011.",
    ),
    (
        "Germany added roughly 15-17 GW of solar capacity in 2024",
        "Germany added 16.2 GW of solar capacity in 2024.",
    ),
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
    (
        "The tunnel is 57 kilometres long",
        "At 57.1 km, the Gotthard Base Tunnel is the longest railway tunnel in the world. The older tunnel is 15 km long.",
    ),
    (
        "The company employs 1,200 people",
        "The company employs 1.2 thousand people.",
    ),
    (
        "The company employs 1,200 people",
        "The company, which employed 900 people in 2010, now employs 1,200 people.",
    ),
    (
        "The company employs 1,200 people",
        "In 2010 the company employed 900 people. Today it has 1,200 on its payroll.",
    ),
    (
        "The population grew to 8 million in 2020",
        "The population grew from 6 million in 2000 to 8 million in 2020.",
    ),
    ("The price is $20", "The price is $25, or $20 for members."),
    ("Members pay $20", "The price is $25. Members pay $20."),
    ("The flight takes 90 minutes", "The flight takes 1.5 hours."),
    (
        "The flight takes one and a half hours",
        "The flight takes 90 minutes.",
    ),
    (
        "The film runs for two hours",
        "The film runs for 120 minutes.",
    ),
    (
        "The trial ran for 6 months",
        "The trial ran from January to June 2019.",
    ),
    (
        "The law was passed in May 2019",
        "The law was passed on 14 May 2019.",
    ),
    (
        "The law was passed in 2019",
        "The law was passed on 14 May 2019 and took effect in 2020.",
    ),
    (
        "It was founded in the 19th century",
        "It was founded in 1878.",
    ),
    ("It was founded in the 1870s", "It was founded in 1878."),
    (
        "The song reached number 3 in the UK",
        "The song reached number 12 in the US and number 3 in the UK.",
    ),
    (
        "The team scored 3 goals",
        "The team scored 3 goals in the first half and 2 in the second.",
    ),
    (
        "The team scored five goals",
        "The team scored 3 goals in the first half and 2 goals in the second.",
    ),
    (
        "Half of the participants were women",
        "50% of the participants were women.",
    ),
    ("A third of users left", "33% of users left."),
    ("The rate doubled", "The rate rose from 4 % to 8 %."),
    (
        "The rate rose by 4 percentage points",
        "The rate rose from 4 % to 8 %.",
    ),
    (
        "Unemployment fell to 5 percent",
        "Unemployment did not rise: it fell to 5 percent.",
    ),
    (
        "The drug does not cause headaches",
        "In the trial the drug did not cause more headaches than placebo.",
    ),
    ("The drug is safe", "The drug is not unsafe."),
    (
        "The museum is free on Sundays",
        "The museum is not free except on Sundays.",
    ),
    (
        "No one was hurt in the accident",
        "Nobody was hurt in the accident.",
    ),
    ("No one was injured", "The accident caused no injuries."),
    ("There were no survivors", "All 120 people on board died."),
    (
        "The bridge is closed to cars",
        "The bridge is open to pedestrians but closed to cars.",
    ),
    ("Only members may vote", "Non-members may not vote."),
    (
        "Guests cannot upload files",
        "Guests can read files. Uploading files is not possible for guests.",
    ),
    (
        "The function never returns null",
        "The function returns an empty list, not null.",
    ),
    (
        "The cache is enabled by default",
        "cache:\n  enabled: true\nlogging:\n  enabled: false",
    ),
    (
        "Logging is disabled",
        "cache:\n  enabled: true\nlogging:\n  enabled: false",
    ),
    (
        "The default timeout is 30 seconds",
        "| option | default | maximum |\n|---|---|---|\n| timeout | 30 s | 300 s |\n| retries | 3 | 10 |",
    ),
    (
        "The maximum timeout is 300 seconds",
        "| option | default | maximum |\n|---|---|---|\n| timeout | 30 s | 300 s |\n| retries | 3 | 10 |",
    ),
    (
        "Retries default to 3",
        "| option | default | maximum |\n|---|---|---|\n| timeout | 30 s | 300 s |\n| retries | 3 | 10 |",
    ),
    (
        "The server listens on port 8080",
        "server:\n  port: 8080\nadmin:\n  port: 9090",
    ),
    (
        "The admin interface listens on port 9090",
        "server:\n  port: 8080\nadmin:\n  port: 9090",
    ),
    (
        "max_size is 1 MiB",
        "pub const MAX_SIZE: usize = 1024 * 1024;",
    ),
    ("The buffer holds 1 MiB", "const BUFFER: usize = 1 << 20;"),
    (
        "The retry delay is 2 seconds",
        "retry_delay: Duration::from_millis(2000),",
    ),
    (
        "The timeout is five minutes",
        "TIMEOUT = timedelta(minutes=5)",
    ),
    (
        "The index has three columns",
        "CREATE INDEX i ON t (a, b, c);",
    ),
    (
        "The app requires Python 3.8 or newer",
        "requires-python = \">=3.8\"",
    ),
    (
        "The app requires Node 18",
        "\"engines\": { \"node\": \">=18\" }",
    ),
    (
        "Version 2.4.1 fixes the bug",
        "## 2.4.1\n- fix the bug\n## 2.4.0\n- add feature",
    ),
    (
        "The release was made on 3 June 2024",
        "## [1.2.0] - 2024-06-03",
    ),
    ("The meeting starts at 3 pm", "The meeting starts at 15:00."),
    (
        "The meeting starts at 14:30",
        "The meeting starts at 2:30 p.m. in room 4.",
    ),
    (
        "The temperature was -5 degrees",
        "The temperature was 5 degrees below zero.",
    ),
    ("Profit fell 20 percent", "Profit fell by a fifth."),
    (
        "Revenue was $1.5 billion",
        "Revenue came to 1,500 million dollars.",
    ),
    (
        "Revenue was $1.5 billion",
        "Revenue: $1,500M (2022: $1,300M)",
    ),
    ("The file has 10 lines", "lines: 10, words: 55"),
    (
        "The library does not support Windows",
        "Supported platforms: Linux, macOS. Windows is not supported.",
    ),
    ("Windows is unsupported", "Windows is not supported."),
    ("The key is optional", "The key is not required."),
    ("The key is not required", "The key is optional."),
    ("Writes are not allowed", "The database is read-only."),
    (
        "The endpoint does not require authentication",
        "Authentication is required for all endpoints except this endpoint, which does not require it.",
    ),
    (
        "The court did not find him guilty",
        "The court found him not guilty.",
    ),
    (
        "The court found him not guilty",
        "The court acquitted him. It did not find him guilty.",
    ),
    (
        "Sales rose in Europe",
        "Sales fell in Asia but rose in Europe.",
    ),
    (
        "Sales fell in Asia",
        "Sales rose in Europe. In Asia, sales fell.",
    ),
    (
        "Exports increased",
        "Imports decreased while exports increased.",
    ),
    (
        "The species is not endangered",
        "The species was endangered until 1990 but is no longer endangered.",
    ),
    (
        "Water does not boil at 90 degrees at sea level",
        "At sea level water boils at 100 degrees.",
    ),
    (
        "The vaccine was not tested on children",
        "The vaccine was tested on adults only.",
    ),
    (
        "The team has never lost a final",
        "The team has won all five finals.",
    ),
    (
        "The parcel arrived late",
        "The parcel did not arrive on time.",
    ),
    (
        "The parcel did not arrive on time",
        "The parcel arrived two days late.",
    ),
    ("He left before noon", "He left at 11 am."),
    ("More than 50 people died", "The death toll is 53."),
    ("At least 50 people died", "Officials say 53 people died."),
    ("Up to 10 users can join", "The limit is 10 users."),
    ("Nearly 100 schools closed", "97 schools closed."),
    ("About 400 guests came", "412 guests came."),
    (
        "The tower is 300 m tall",
        "The tower is 984 feet (300 m) tall.",
    ),
    (
        "The tower is 984 feet tall",
        "The tower is 984 feet (300 m) tall.",
    ),
    (
        "The tank holds 50 litres",
        "The tank holds 13 gallons (50 litres).",
    ),
    ("She was 34 when she won", "Born in 1950, she won in 1984."),
    (
        "The battle took place in 1415",
        "The Battle of Agincourt (25 October 1415) took place near Calais. In 1420 peace was made.",
    ),
    (
        "The museum opened in 1995 and closed in 2010",
        "The museum opened in 1995. It closed in 2010.",
    ),
    (
        "Chapter 3 covers testing",
        "Chapter 2 covers design. Chapter 3 covers testing.",
    ),
    (
        "Das Unternehmen beschäftigt 1.200 Menschen",
        "Das Unternehmen beschäftigt rund 1200 Menschen.",
    ),
    (
        "L'entreprise emploie 1 200 personnes",
        "L'entreprise emploie 1200 personnes.",
    ),
    (
        "Der Preis beträgt 3,50 Euro",
        "Der Preis beträgt 3,50 Euro.",
    ),
    (
        "Der Preis beträgt 3,50 Euro",
        "Beim Händler beträgt der Preis 3,50 €.",
    ),
    ("东京人口约1400万", "东京人口约1400万人。"),
    (
        "Москва основана в 1147 году",
        "Город Москва основана в 1147 году.",
    ),
    (
        "The stadium seats 52,000",
        "The stadium seats 52 000 spectators.",
    ),
    ("The loan is for EUR 5,000", "The loan is for €5,000."),
    ("The loan is 5000 euros", "The loan is EUR 5,000."),
    (
        "Ten of the 12 jurors agreed",
        "Twelve jurors sat; ten agreed.",
    ),
    (
        "The study had 200 participants",
        "Of 250 volunteers, 200 participants completed the study.",
    ),
    (
        "The dose is 5 mg",
        "The dose is 5 mg twice a day (10 mg a day).",
    ),
    (
        "The daily dose is 10 mg",
        "The dose is 5 mg twice a day (10 mg a day).",
    ),
    (
        "CO2 emissions fell by 8% in 2020",
        "Emissions of CO2 fell by 8% in 2020 after rising by 1% in 2019.",
    ),
    (
        "Article 5 forbids it",
        "Article 5 of the treaty forbids it; Article 6 allows exceptions.",
    ),
    (
        "The API returns 404 for unknown users",
        "GET /users/{id}\n200: the user\n404: unknown user",
    ),
    (
        "The command exits with 2 on errors",
        "Exit codes: 0 success, 1 findings, 2 errors",
    ),
    (
        "`retries` defaults to 3",
        "#[arg(long, default_value_t = 3)]\nretries: u32,",
    ),
    (
        "He did not attend because he was ill",
        "He was ill and did not attend.",
    ),
    ("The plan was not without critics", "The plan had critics."),
    ("Neither side won", "No side won the war."),
    (
        "The road is not open in winter",
        "The road is open in summer only.",
    ),
    (
        "It is impossible to delete entries",
        "Entries cannot be deleted.",
    ),
    (
        "The feature was removed in 3.0.0",
        "3.0.0: removed the feature. 2.0.0: added the feature.",
    ),
];

#[test]
fn a_claim_that_the_text_supports_is_never_contradicted() {
    for (claim, text) in PAIRS {
        let answer = ask(claim, text);
        assert_ne!(
            answer.verdict,
            Opinion::Contradicts,
            "{claim} / {text}: {answer:?}"
        );
    }
}
