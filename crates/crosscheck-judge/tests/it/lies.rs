//! Claims with one change: a figure, a unit, a date, a name, a negation, an
//! opposite, a column. None of them may be called supported.

use crosscheck_judge::Opinion;

use super::ask;

const PAIRS: &[(&str, &str)] = &[
    (
        "Hepatitis B is spread by water",
        "Hepatitis A is spread by water. Hepatitis B is not.",
    ),
    (
        "World War I ended the monarchy",
        "World War II ended the monarchy.",
    ),
    (
        "The class A shares pay a dividend",
        "The class B shares pay a dividend.",
    ),
    (
        "The bridge was renovated in 1989",
        "The bridge opened in 1989 and was renovated in 1998.",
    ),
    (
        "The bug was fixed in 2.4.1",
        "The bug was introduced in 2.4.1 and fixed in 2.5.0.",
    ),
    (
        "The novel was written by Emily Bronte",
        "The novel was written by Charlotte Bronte. Her sister Emily Bronte wrote another one.",
    ),
    (
        "The drug lowers the risk of stroke",
        "Critics doubt the claim that the drug lowers the risk of stroke.",
    ),
    (
        "The study found that coffee lowers the risk of cancer",
        "The study found that coffee lowers the risk of cancer – retracted.",
    ),
    (
        "The treaty was signed in Geneva",
        "The treaty was expected to be signed in Geneva.",
    ),
    (
        "Taxes will rise in April",
        "If the bill passes, taxes will rise in April.",
    ),
    (
        "The drug cures cancer",
        "The drug might cure cancer, the authors speculate.",
    ),
    (
        "The version of the runtime may match the version of the compiler",
        "The version of the runtime must match the version of the compiler.",
    ),
    (
        "Optional Pfizer or brotlicffi for brotli (7932) client compression support",
        "Features\n========\n\n- Optional Brotli or `brotlicffi` for brotli (:rfc:`7932`) client compression support.\n- x = {1, 2}; y = [3]",
    ),
    (
        "The tunnel is 58 kilometres long",
        "The tunnel is 57 kilometres long.",
    ),
    (
        "Sales increased by 5 % in 2020",
        "Sales increased by 5 % in 2019 and by 7 % in 2020.",
    ),
    (
        "Sales increased by 7 % in 2019",
        "Sales increased by 5 % in 2019 and by 7 % in 2020.",
    ),
    (
        "In 2021 revenue was $30 million",
        "Revenue was $20 million in 2021 and $30 million in 2022.",
    ),
    ("Anna is 30 and Ben is 25", "Anna is 25 and Ben is 30."),
    (
        "The server listens on port 9090",
        "server:\n  port: 8080\nadmin:\n  port: 9090",
    ),
    (
        "The default timeout is 300 seconds",
        "| option | default | maximum |\n|---|---|---|\n| timeout | 30 s | 300 s |\n| retries | 3 | 10 |",
    ),
    (
        "The default of retries is 10",
        "| option | default | maximum |\n|---|---|---|\n| timeout | 30 s | 300 s |\n| retries | 3 | 10 |",
    ),
    (
        "The cache is disabled",
        "cache:\n  enabled: true\nlogging:\n  enabled: false",
    ),
    (
        "Few members voted for the plan",
        "Most members voted for the plan.",
    ),
    ("Only adults get the drug", "Not only adults get the drug."),
    ("Not only adults get the drug", "Only adults get the drug."),
    (
        "The car carries up to 40 boxes",
        "The car carries at least 40 boxes.",
    ),
    (
        "Almost 40 people came to the meeting",
        "More than 40 people came to the meeting.",
    ),
    (
        "More than 40 people came to the meeting",
        "Almost 40 people came to the meeting.",
    ),
    ("The ban holds until 2025", "The ban holds from 2025."),
    ("The ban holds from 2025", "The ban holds until 2025."),
    (
        "The law holds from May 2020",
        "The law holds until May 2020.",
    ),
    (
        "The bridge was rebuilt by 2020",
        "The bridge was rebuilt after 2020.",
    ),
    (
        "The bridge was rebuilt after 2020",
        "The bridge was rebuilt by 2020.",
    ),
    (
        "The shop is open since 2010",
        "The shop was open until 2010.",
    ),
    (
        "Sales rose in Q1 of the year",
        "Sales rose in Q2 of the year.",
    ),
    ("Sales rose in H1 2020", "Sales rose in H2 2020."),
    (
        "Sales rose in 2019 and fell in 2020",
        "Sales fell in 2019 and rose in 2020.",
    ),
    (
        "Rome can not simply pay the fine",
        "Rome can simply pay the fine.",
    ),
    ("Rome can pay the fine", "Rome can not simply pay the fine."),
    (
        "The drug causes weight loss",
        "The drug does not necessarily cause weight loss.",
    ),
    (
        "The minister Anna Holm opened the school",
        "The former minister Anna Holm opened the school.",
    ),
    (
        "The mayor signed the law",
        "The deputy mayor signed the law.",
    ),
    (
        "The city was rebuilt during the war",
        "The city was rebuilt after the war.",
    ),
    (
        "The pump is turned on at night",
        "The pump is turned off at night.",
    ),
    (
        "The bridge is made of wood rather than steel",
        "The bridge is made of steel rather than wood.",
    ),
    (
        "The server stores sessions in Redis, not in memory",
        "The server stores sessions in memory, not in Redis.",
    ),
    (
        "The drug does not cure but lowers the risk",
        "The drug cures but does not lower the risk.",
    ),
    (
        "The drug does not cure, but it lowers the risk of stroke",
        "The drug does not really cure or lower the risk of stroke.",
    ),
    (
        "The drug does not cure, but it lowers the risk of stroke",
        "The drug cures, but it lowers the risk of stroke.",
    ),
    ("The tower is 84 metres high", "The tower is 84 feet high."),
    ("The race is 5 km long", "The race is 5 kg long."),
    ("The city has 41 trees", "The city has 41 000 trees in all."),
    ("The city has 41 trees", "The city has 41,000 trees."),
    ("TLS is required", "TLS is not required."),
    ("TLS is not required", "TLS is required."),
    ("The key is required", "key not required"),
    (
        "The service starts at 3pm",
        "The service starts at 5pm each day.",
    ),
    ("The limit is 1e6 rows", "The limit is 1e9 rows."),
    ("服务器端口是8080", "服务器端口是9090"),
    ("东京人口约1400万", "东京人口约1300万人。"),
    ("服务器端口是 8080", "服务器端口是 9090"),
    (
        "Die Höhe beträgt 3,50 Meter",
        "Die Höhe beträgt 3,80 Meter.",
    ),
    (
        "Der Preis beträgt 1.200 Euro",
        "Der Preis beträgt 1.300 Euro.",
    ),
    (
        "Der Dienst ist nicht verfügbar",
        "Der Dienst ist verfügbar.",
    ),
    (
        "Der Dienst ist verfügbar",
        "Der Dienst ist nicht verfügbar.",
    ),
    (
        "Le service est disponible",
        "Le service n'est pas disponible.",
    ),
    (
        "El servicio está disponible",
        "El servicio no está disponible.",
    ),
    (
        "All users may delete files",
        "Only admins may delete files; users may read files.",
    ),
    ("Every test passed", "Some tests passed."),
    ("Most tests passed", "Few tests passed."),
    ("The river is 650 miles long", "The river is 650 km long."),
    ("The dose is 5 mg", "The dose is 5 µg."),
    ("It weighs 5 pounds", "It weighs 5 kilograms."),
    ("The price is 5 dollars", "The price is 5 euros."),
    ("The price is $5", "The price is €5."),
    ("It happened in March 2020", "It happened in May 2020."),
    ("It happened on March 3", "It happened on March 9."),
    ("It happened on 3 March", "It happened on 9 March."),
    ("It happened on Monday", "It happened on Tuesday."),
    (
        "The 3rd edition appeared in 2001",
        "The 4th edition appeared in 2001.",
    ),
    (
        "The third edition appeared in 2001",
        "The fourth edition appeared in 2001.",
    ),
    ("He won in the 1980s", "He won in the 1990s."),
    (
        "The meeting starts at 14:30",
        "The meeting starts at 15:30.",
    ),
    (
        "The meeting starts at 2:30 pm",
        "The meeting starts at 2:30 am.",
    ),
    (
        "The program is written in C",
        "The program is written in C++.",
    ),
    (
        "The program is written in C#",
        "The program is written in C.",
    ),
    ("Version 2.4.1 fixes it", "Version 2.4.2 fixes it."),
    ("Requires Python 3.8", "Requires Python 3.9"),
    (
        "The spread of COVID-19 slowed",
        "The spread of COVID-20 slowed.",
    ),
    ("The plane is a Boeing 737", "The plane is a Boeing 747."),
    (
        "The temperature was 5 degrees",
        "The temperature was -5 degrees.",
    ),
    (
        "The temperature was -5 degrees",
        "The temperature was 5 degrees.",
    ),
    ("The ratio is 3:1", "The ratio is 4:1."),
    ("The score was 3-1", "The score was 3-2."),
    ("The score was 3-1", "The score was 1-3."),
    ("The final score was 2:0", "The final score was 0:2."),
    ("A quarter of users left", "A third of users left."),
    ("Half of users left", "A third of users left."),
    ("Profit doubled", "Profit tripled."),
    ("A single person died", "Several persons died."),
    ("No person died", "One person died."),
    ("The bank raised rates", "The bank cut rates."),
    ("The index rose 2 percent", "The index lost 2 percent."),
    ("The door opens inward", "The door opens outward."),
    ("He left before the vote", "He left after the vote."),
    ("He voted for the bill", "He voted against the bill."),
    ("The north gate is open", "The south gate is open."),
    ("It increases the risk", "It decreases the risk."),
    ("It is legal in Spain", "It is illegal in Spain."),
    ("The claim is true", "The claim is untrue."),
    ("It is possible to undo it", "It is impossible to undo it."),
    ("The file is encrypted", "The file is unencrypted."),
    ("The file is readable", "The file is unreadable."),
    (
        "The patient survived the operation",
        "The patient died in the operation.",
    ),
    ("The vote was unanimous", "The vote was not unanimous."),
    (
        "The rumour that he resigned is true",
        "The rumour that he resigned is false.",
    ),
    (
        "He resigned in 2010",
        "It is not true that he resigned in 2010.",
    ),
    ("He resigned in 2010", "He denied that he resigned in 2010."),
    (
        "He resigned in 2010",
        "If he resigned in 2010, nobody noticed.",
    ),
    ("He will resign in 2010", "He refused to resign in 2010."),
    (
        "The minister resigned in 2010",
        "The minister almost resigned in 2010.",
    ),
    (
        "Water boils at 100 degrees Fahrenheit",
        "Water boils at 100 degrees Celsius.",
    ),
    ("The wall is 2 m high", "The wall is 2 m wide."),
    ("max_retries is 5", "min_retries = 5\nmax_retries = 3"),
    ("`max_retries` is 5", "min_retries = 5\nmax_retries = 3"),
    ("The min value is 10", "min: 1\nmax: 10"),
    ("The buffer is 4 KB", "The buffer is 4 MB."),
    ("The buffer is 4 KB", "BUFFER_SIZE = 4 * 1024 * 1024"),
    ("It returns true on success", "return False  # success"),
    (
        "The flag --force is accepted",
        "The flag --force is rejected.",
    ),
    (
        "Passwords are stored in plain text",
        "Passwords are never stored in plain text.",
    ),
    (
        "Passwords are hashed with SHA-256",
        "Passwords are hashed with SHA-1.",
    ),
    (
        "The function is synchronous",
        "The function is asynchronous.",
    ),
    (
        "The list is sorted ascending",
        "The list is sorted descending.",
    ),
    (
        "Errors are logged and retried",
        "Errors are logged but not retried.",
    ),
    ("Errors are retried", "Errors are logged, never retried."),
    (
        "The fund lost money in 2020",
        "The fund made money in 2020.",
    ),
];

#[test]
fn no_changed_claim_is_supported() {
    for (claim, text) in PAIRS {
        let answer = ask(claim, text);
        assert_ne!(
            answer.verdict,
            Opinion::Supports,
            "{claim} / {text}: {answer:?}"
        );
    }
}
