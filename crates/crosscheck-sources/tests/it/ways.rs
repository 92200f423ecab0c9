//! Three ways by which false statements were once confirmed, each counted: a true quotation beside any
//! statement, a name exchanged for another one of the page, a sentence that begins like an author.

use crosscheck_sources::status::SourceStatus::Verified;
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk;

/// What pages say, each with a quotation.
const QUOTED: [(&str, &str); 10] = [
    (
        "The ferry has run since 1954.",
        "We count on the tide more than on the clock",
    ),
    (
        "The museum keeps 3,100 maps.",
        "Every map is a promise that somebody once made",
    ),
    (
        "The orchard lies above the lake.",
        "The frost of that night took half of the blossom",
    ),
    (
        "The bakery opens at five.",
        "Nobody bakes well who has not slept well",
    ),
    (
        "The library lends 40,000 books a year.",
        "Children ask for the books that others hide",
    ),
    (
        "The dam was finished in 1971.",
        "The river found its way before we did",
    ),
    (
        "The choir has sixty singers.",
        "We sing for the people who stand outside",
    ),
    (
        "The station measures wind and rain.",
        "The hills make their own weather each morning",
    ),
    (
        "The factory makes bicycle chains.",
        "A chain is tested by its weakest buyer",
    ),
    (
        "The school teaches in two languages.",
        "They learn the second one on the playground",
    ),
];
/// Statements that none of the pages makes.
const ANY: [&str; 10] = [
    "The director was convicted of fraud",
    "Two workers died in the accident",
    "The town has sold the building to a bank",
    "The drug was withdrawn after several deaths",
    "The minister resigned over the affair",
    "Prices rose by 30 percent in one year",
    "The company hid the losses from its investors",
    "The study was retracted by its authors",
    "The bridge will be closed until 2031",
    "Half of the staff has left since May",
];
/// Two names of a page and what it says of the first and of the second.
const NAMES: [(&str, &str, &str, &str); 20] = [
    (
        "GPT-4",
        "GPT-3.5",
        "solves 67 of the tasks",
        "solves 48 of the tasks",
    ),
    (
        "BRCA1",
        "BRCA2",
        "lies on chromosome 17",
        "lies on chromosome 13",
    ),
    (
        "iPhone 14",
        "iPhone 13",
        "has a brighter display",
        "has a smaller battery",
    ),
    (
        "`--force`",
        "`--dry-run`",
        "overwrites the file",
        "prints the plan",
    ),
    (
        "Python 3.12",
        "Python 3.11",
        "removes the old module",
        "keeps the old module",
    ),
    (
        "x86",
        "ARM64",
        "needs the large image",
        "needs the small image",
    ),
    (
        "Claude 2",
        "Claude 3",
        "reads long documents",
        "reads images",
    ),
    (
        "TP53",
        "KRAS",
        "stops the cell cycle",
        "drives the growth of tumours",
    ),
    (
        "PostgreSQL 15",
        "PostgreSQL 16",
        "adds the merge command",
        "adds parallel joins",
    ),
    ("HTTP/2", "HTTP/3", "runs over TCP", "runs over QUIC"),
    (
        "`max_retries`",
        "`retry_wait`",
        "limits the attempts",
        "sets the pause",
    ),
    (
        "Boeing 737",
        "Boeing 787",
        "carries 189 passengers",
        "carries 330 passengers",
    ),
    (
        "Type 1",
        "Type 2",
        "begins in childhood",
        "begins in later life",
    ),
    (
        "World War I",
        "World War II",
        "ended in November",
        "ended in September",
    ),
    (
        "USB 2.0",
        "USB 3.0",
        "moves 480 megabits",
        "moves 5 gigabits",
    ),
    ("MacBook Air", "MacBook Pro", "has no fan", "has two fans"),
    (
        "Apollo 11",
        "Apollo 13",
        "landed on the moon",
        "turned back to Earth",
    ),
    (
        "Windows 10",
        "Windows 11",
        "supports old processors",
        "needs a security chip",
    ),
    ("RFC 2616", "RFC 9110", "is obsolete", "is the standard"),
    (
        "Llama 2",
        "Llama 3",
        "was trained on two trillion tokens",
        "was trained on fifteen trillion tokens",
    ),
];
/// False sentences that begin like an author.
const AUTHORS: [&str; 17] = [
    "The U.S. economy shrank by 9% in 2021",
    "The U.K. left the treaty in 2020",
    "The E.U. banned the sale of bread",
    "The U.N. closed its office in Leiden",
    "The F.B.I. arrested the mayor",
    "The C.I.A. built the ferry",
    "Washington D.C. has nine million people",
    "George W. Bush won the Nobel prize",
    "John F. Kennedy wrote the report",
    "The J. P. Morgan bank lost its licence",
    "In E. coli, the gene stops growth",
    "The St. Louis museum burned down",
    "Dr. No was filmed on the ferry",
    "The U.S.S.R. paid for the maps",
    "Mt. Etna erupted beside the orchard",
    "The A. B. Dick company makes chains",
    "Samuel L. Jackson leads the choir",
];

fn page(said: &str) -> Reply {
    let rest =
        "The text of this page is long enough to be read as one, and says nothing else of note.";
    Reply::html(format!(
        "<html lang=en><head><title>Local news</title></head><body><p>{said}</p><p>{rest} {rest} {rest}</p></body></html>"
    ))
}

fn site() -> Site {
    Site::start(|asked: &Asked| {
        let asked = asked.target.trim_start_matches('/');
        let (is_quoted, number) = match asked.strip_prefix('q') {
            Some(number) => (true, number),
            None => (false, asked.trim_start_matches(char::is_alphabetic)),
        };
        let number: usize = number.parse().unwrap_or_default();
        if is_quoted {
            let (said, quote) = QUOTED.iter().cycle().nth(number).unwrap();
            page(&format!("{said} “{quote},” said the warden."))
        } else {
            let (a, b, first, second) = NAMES.iter().cycle().nth(number).unwrap();
            page(&format!("{a} {first}. {b} {second}.").replace('`', ""))
        }
    })
}

/// How many of these documents, each with one citation, are confirmed.
fn confirmed(site: &Site, texts: impl Iterator<Item = String>) -> Vec<String> {
    let is_confirmed = |text: &String| {
        let rows = desk::rows(site, "a.md", text);
        assert!(!rows.is_empty(), "nothing is cited in {text:?}");
        rows.iter().all(|row| row.status == Verified)
    };
    texts.filter(is_confirmed).collect()
}

#[test]
fn false_statements_are_hardly_confirmed_in_any_of_three_ways() {
    let site = site();
    let beside = QUOTED.iter().enumerate().flat_map(|(at, (_, quote))| {
        ANY.map(|any| format!("{any}: \"{quote}\" ([source](URL/q{at})).\n"))
    });
    let seen = confirmed(&site, beside);
    assert!(seen.len() <= 2, "{} of 100: {seen:#?}", seen.len());
    let exchanged = NAMES
        .iter()
        .enumerate()
        .map(|(at, (_, b, first, _))| format!("{b} {first} ([source](URL/n{at})).\n"));
    let seen = confirmed(&site, exchanged);
    // judge T7 does not cut before `iPhone` and `retry_wait`, so that two sentences are one
    assert!(seen.len() <= 2, "{} of 20: {seen:#?}", seen.len());
    let authors = AUTHORS
        .iter()
        .map(|sentence| format!("{sentence} ([Local news](URL/q0)).\n"));
    let seen = confirmed(&site, authors);
    assert!(seen.is_empty(), "{} of 17: {seen:#?}", seen.len());
}

#[test]
fn what_the_page_says_is_confirmed() {
    let site = site();
    let own = NAMES
        .iter()
        .enumerate()
        .map(|(at, (a, _, first, _))| format!("{a} {first} ([source](URL/n{at})).\n"));
    let seen = confirmed(&site, own);
    assert!(seen.len() >= 16, "{} of 20: {seen:#?}", seen.len());
}
