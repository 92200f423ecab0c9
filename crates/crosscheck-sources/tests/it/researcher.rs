//! The report of a researcher with 44 citations, and a model that is always right: what is honest
//! is confirmed, and nothing that is false.

use std::sync::Arc;

use crosscheck_core::NoListener;
use crosscheck_judge::{Answer, Basis, Builtin, Judge, NoAnswer, Opinion, Question};
use crosscheck_sources::check::Checker;
use crosscheck_sources::read::document::{Format, ReadOptions, read};
use crosscheck_sources::run::documents::{CitingDocument, check};
use crosscheck_sources::settings::Settings;
use crosscheck_sources::status::SourceStatus::{Suspect, Verified};
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk;

/// Pages: address, title, text. All have a banner and a menu.
const PAGES: &[(&str, &str, &str)] = &[
    (
        "/lanes",
        "Bicycle lanes in Harrow",
        "The city built 38 kilometres of bicycle lanes between 2019 and 2023. The lanes cost 412,000 euros per kilometre. A spokeswoman said: “We would build every one of them again.”",
    ),
    (
        "/falls",
        "Injuries of riders",
        "Emergency departments recorded 212 injuries of riders in the year after the opening. Falls made up 57 percent of them, collisions with cars 24 percent.",
    ),
    (
        "/freight",
        "Freight on cargo bikes",
        "A parcel costs 1.85 euros by cargo bike and 2.60 euros by van. Couriers made 61 percent of their tours by bike in 2022.",
    ),
    (
        "/shops",
        "Shops on the high street",
        "Turnover of the shops rose by 4 percent in the first year. Two of the ninety shops closed. Owners had feared a loss of customers.",
    ),
    (
        "/air",
        "Air in the valley",
        "The concentration of nitrogen dioxide fell from 41 to 33 micrograms per cubic metre. Fine dust did not change. The stations stand beside main roads.",
    ),
    (
        "/school",
        "Ways to school",
        "In 2018 every third child was driven to school, in 2023 every fifth. Parents named safe crossings as the main reason.",
    ),
    (
        "/noise",
        "Noise at night",
        "Residents of the ring road reported fewer sleepless nights. The limit of 30 kilometres an hour holds from 10 p.m. to 6 a.m. Buses are exempt from the rule.",
    ),
    (
        "/bus",
        "Buses and their passengers",
        "The bus line 12 carried 9,400 passengers a day before the change and 10,100 after it. Delays became shorter by two minutes.",
    ),
    (
        "/trees",
        "Trees along the roads",
        "The city planted 4,200 trees along its main roads in 2021. Nine in ten survived their first summer.",
    ),
    (
        "/poll",
        "What residents think",
        "In the poll 54 percent of the residents wanted more lanes and 31 percent fewer. A resident said: “I would give up my second car for a safe way to work.”",
    ),
    (
        "/cost",
        "Costs and benefits",
        "The study puts the benefits at 2.3 times the costs. Most of the benefits are saved costs of health care. The authors did not count saved time.",
    ),
    (
        "/winter",
        "Winter service",
        "The lanes are cleared of snow before 6 a.m. Salt is not used on them. In the winter of 2022 the service failed on three days.",
    ),
    (
        "/law",
        "The new law",
        "The council passed the law with 31 to 20 votes on 4 June 2019. It obliges the city to report on its progress every year.",
    ),
    (
        "/share",
        "Hired bicycles",
        "Hired bicycles were used 1.3 million times in 2023. One station in eight is in the suburbs.",
    ),
];

/// What is cited: whether it is honest, the sentence, its page.
const CITED: &[(bool, &str, &str)] = &[
    (
        true,
        "The city built 38 kilometres of bicycle lanes between 2019 and 2023",
        "/lanes",
    ),
    (
        true,
        "Each kilometre of the new lanes came at a price of 412,000 euros",
        "/lanes",
    ),
    (
        true,
        "A spokeswoman said \"We would build every one of them again\"",
        "/lanes",
    ),
    (
        true,
        "Hospitals counted 212 injured cyclists in the year after the opening",
        "/falls",
    ),
    (
        true,
        "Falls made up 57 percent of the injuries of riders",
        "/falls",
    ),
    (true, "A parcel costs 1.85 euros by cargo bike", "/freight"),
    (
        true,
        "Six in ten tours of couriers were made by bike in 2022",
        "/freight",
    ),
    (
        true,
        "Turnover of the shops rose by 4 percent in the first year",
        "/shops",
    ),
    (
        true,
        "Hardly any shop on the high street had to give up",
        "/shops",
    ),
    (
        true,
        "The concentration of nitrogen dioxide fell from 41 to 33 micrograms per cubic metre",
        "/air",
    ),
    (true, "There was no improvement for fine dust", "/air"),
    (
        true,
        "Fewer children are taken to school by car than five years before",
        "/school",
    ),
    (
        true,
        "Parents named safe crossings as the main reason",
        "/school",
    ),
    (
        true,
        "People who live on the ring road sleep better",
        "/noise",
    ),
    (true, "Buses are exempt from the rule", "/noise"),
    (
        true,
        "After the change the bus line 12 carried 10,100 passengers a day",
        "/bus",
    ),
    (true, "Passengers wait two minutes less than before", "/bus"),
    (
        true,
        "The city planted 4,200 trees along its main roads in 2021",
        "/trees",
    ),
    (
        true,
        "Nearly all of the young trees lived through their first summer",
        "/trees",
    ),
    (
        true,
        "A resident said \"I would give up my second car for a safe way to work\"",
        "/poll",
    ),
    (
        true,
        "The study puts the benefits at 2.3 times the costs",
        "/cost",
    ),
    (true, "Saved time is not part of the sum", "/cost"),
    (
        true,
        "The lanes are cleared of snow before 6 a.m.",
        "/winter",
    ),
    (
        true,
        "The council passed the law with 31 to 20 votes on 4 June 2019",
        "/law",
    ),
    (
        true,
        "Hired bicycles were used 1.3 million times in 2023",
        "/share",
    ),
    // wrong figures
    (
        false,
        "The lanes cost 214,000 euros per kilometre",
        "/lanes",
    ),
    (
        false,
        "Emergency departments recorded 312 injuries of riders in the year after the opening",
        "/falls",
    ),
    (
        false,
        "Collisions with cars made up 57 percent of the injuries",
        "/falls",
    ),
    (
        false,
        "Turnover of the shops rose by 14 percent in the first year",
        "/shops",
    ),
    (
        false,
        "The bus line 12 carried 11,400 passengers a day before the change",
        "/bus",
    ),
    (
        false,
        "The city planted 2,400 trees along its main roads in 2021",
        "/trees",
    ),
    // quotations that nobody said
    (
        false,
        "A spokeswoman said \"We would never build a single one of them again\"",
        "/lanes",
    ),
    (
        false,
        "A resident said \"I would rather give up my bicycle than my second car\"",
        "/poll",
    ),
    // turned round
    (false, "Fine dust fell as well", "/air"),
    (false, "Buses must obey the rule", "/noise"),
    (false, "Salt is used on the lanes", "/winter"),
    (false, "The authors counted saved time", "/cost"),
    // more than the page says
    (
        false,
        "The lanes alone made the air of the whole country cleaner",
        "/air",
    ),
    (
        false,
        "All residents wanted more lanes in the poll",
        "/poll",
    ),
    // another page, and pages that are not there
    (
        false,
        "Hired bicycles were used 1.3 million times in 2023",
        "/law",
    ),
    (false, "The harbour was closed for a year", "/gone"),
    (false, "The museum was moved to the old port", "/lost"),
    (false, "Members pay 40 euros a year", "/members"),
    (false, "The map shows every lane of the city", "/script"),
];

fn site() -> Site {
    Site::start(|asked: &Asked| {
        let path = asked.target.as_str();
        match path {
            "/lost" => {
                return Reply::html(
                    "<html lang=en><title>Page not found</title><h1>Page not found</h1></html>"
                        .to_owned(),
                );
            }
            "/members" => return Reply::new(403),
            "/script" => {
                return Reply::html(
                    "<html lang=en><title>Map</title><div id=app></div></html>".to_owned(),
                );
            }
            _ => {}
        }
        let Some((_, title, text)) = PAGES.iter().find(|(known, ..)| *known == path) else {
            return Reply::new(404);
        };
        Reply::html(format!(
            "<html lang=en><head><title>{title}</title></head><body><nav><a href=/>Home</a> <a href=/news>News</a></nav>\
             <p>We use cookies. Accept all or reject all.</p><h1>{title}</h1><p>{text}</p>\
             <p>This page was written by the office of the city for everybody who wants to know how the plan was carried out, \
             and it is read again by a second person before it is published.</p></body></html>"
        ))
    })
}

/// A model that has read the table: it confirms what is honest on its own page, refutes the
/// rest, and is asked only where the built-in judge does not know.
struct Oracle;

impl Judge for Oracle {
    fn id(&self) -> &'static str {
        "oracle/1"
    }

    fn is_model(&self) -> bool {
        true
    }

    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer> {
        let answer = Builtin::answer(question);
        if answer.verdict != Opinion::Unclear {
            return Ok(answer);
        }
        let words = question.claim.trim_end_matches('.');
        let reference = question.reference.unwrap_or_default();
        let is_honest = CITED.iter().any(|(is_true, said, page)| {
            *is_true && said.contains(words) && reference.ends_with(page)
        });
        let verdict = if is_honest {
            Opinion::Supports
        } else {
            Opinion::Contradicts
        };
        let page = PAGES.iter().find(|(page, ..)| reference.ends_with(page));
        Ok(Answer {
            verdict,
            basis: Basis::Model,
            span: page.map(|(.., text)| (*text).to_owned()),
            ..answer
        })
    }
}

#[test]
fn a_perfect_model_confirms_the_honest_and_nothing_else() {
    assert_eq!(CITED.len(), 44);
    let site = site();
    let mut text = String::from("# Bicycles in the city\n\n");
    for (number, (_, said, page)) in CITED.iter().enumerate() {
        let url = format!("{}{page}", site.base());
        // links before and behind the full stop, marks of notes, and lines that are broken anywhere
        let cited = match number % 3 {
            0 => format!("{said} ([source]({url}))."),
            1 => format!("{said}. [(source)]({url})"),
            _ => format!("{said}.[^{number}]"),
        };
        text.push_str(&cited.replacen(" the ", "\nthe ", 1));
        text.push_str(if number % 4 == 3 { "\n\n" } else { " " });
    }
    text.push('\n');
    let notes = CITED.iter().enumerate();
    let notes = notes.filter(|(number, _)| number % 3 == 2);
    let base = site.base();
    let notes = notes.map(|(number, (.., page))| format!("\n[^{number}]: {base}{page}\n"));
    text.extend(notes);
    let options = ReadOptions {
        include_code: false,
        identifiers: true,
    };
    let mentions = read(&text, Format::Markdown, options).unwrap().mentions;
    let checker = Checker {
        judge: Arc::new(Oracle),
        ..desk::checker(desk::loopback(), Settings::default())
    };
    let document = CitingDocument {
        name: "report.md".to_owned(),
        text,
        mentions,
        ignored: Vec::new(),
        bad_lines: Vec::new(),
        unclosed: Vec::new(),
        dangling: Vec::new(),
        keys: Vec::new(),
        bibliographies: 0,
        links: Vec::new(),
        excluded: 0,
        unread: 0,
    };
    let rows = check(&[document], &checker, &mut NoListener).results;
    assert_eq!(rows.len(), CITED.len(), "each citation is one");
    let mut confirmed = 0;
    for ((is_honest, said, page), row) in CITED.iter().zip(&rows) {
        let is_confirmed = row.status == Verified;
        if *is_honest {
            confirmed += usize::from(is_confirmed);
            assert!(
                row.status <= Suspect,
                "{said}: {} {:?}",
                row.code,
                row.because
            );
        } else {
            assert!(!is_confirmed, "{said} ({page}): {}", row.code);
        }
    }
    println!("honest citations confirmed: {confirmed} of 25");
    assert!(confirmed >= 23, "{confirmed} of 25");
}
