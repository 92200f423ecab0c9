//! Wrong verdicts that were met in the world, each with the verdict it should have.

use crosscheck_sources::read::document::{Format, NotText, decode};
use crosscheck_sources::report::result::Row;
use crosscheck_sources::status::SourceStatus::{Suspect, Verified};
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk;

const REST: &str = "The page explains how the work was organised, who took part and which records were kept for later \
    readers. Everything was checked by a second clerk before it was printed, and doubtful entries were left out.";

fn page(title: &str, said: &str) -> Reply {
    Reply::html(format!(
        "<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{said}</p><p>{REST}</p></body></html>"
    ))
}

fn site() -> Site {
    Site::start(|asked: &Asked| {
        match asked.target.as_str() {
        "/bridge" => page(
            "The bridge over the river - The New York Times",
            "The bridge was opened in 1901. The work was done in Leiden over a period of several years. It is still in use.",
        ),
        "/hives" => page("Rooftop census", "Volunteers registered 312 rooftop hives in the old town. The hives are well known."),
        "/banner" => Reply::html(
            "<html lang=en><head><title>City news</title></head><body><h1>City news</h1>\
             <p>We use cookies to make this site better. Accept all. Reject all. Cookie settings.</p>\
             <p>Emergency departments in the city recorded 212 injuries of riders in the year after the new lanes were opened to traffic.</p>\
             <p>The council said that it would look at the crossings with the most accidents first, and that it had asked for money to do so.</p>\
             </body></html>"
                .to_owned(),
        ),
        _ => Reply::new(404),
    }
    })
}

fn first(site: &Site, text: &str) -> Row {
    let rows = desk::rows(site, "a.md", text);
    assert!(!rows.is_empty(), "nothing is cited in {text:?}");
    rows.into_iter().next().unwrap()
}

#[test]
fn nothing_is_confirmed_by_halves() {
    let site = site();
    let quote = "\"The work was done in Leiden over a period of several years\"";
    for (text, expected) in [
        // a true quotation proves only itself
        (format!("Smith was convicted of fraud ({quote}) ([study](URL/bridge))."), Suspect),
        (format!("The company lied to its investors, concealing that {quote} ([study](URL/bridge))."), Suspect),
        (format!("The drug was withdrawn after several deaths, and {quote} ([study](URL/bridge))."), Suspect),
        (format!("The report says {quote} ([study](URL/bridge))."), Verified),
        (format!("{quote} ([study](URL/bridge))."), Verified),
        // a fragment is written by programs: it is a note
        (
            "The hives are well known ([census](URL/hives#:~:text=every%20hive%20was%20sold%20to%20a%20bakery)).".to_owned(),
            Verified,
        ),
        // a banner is no wall where the page has text of its own
        ("Hospitals counted injured cyclists ([news](URL/banner)).".to_owned(), Suspect),
    ] {
        let row = first(&site, &text);
        assert_eq!(row.status, expected, "{text}: {} {:?}", row.code, row.because);
        assert_ne!(row.code, "blocked_unconfirmed", "{text}");
    }
}

#[test]
fn a_sentence_that_begins_like_an_author_is_no_entry() {
    let site = site();
    for sentence in [
        "The U.S. economy grew by 90% in 2021",
        "The U.K. economy grew by 90% in 2021",
        "The E.U. banned the sale of bread",
        "The F.B.I. arrested the mayor of Leiden",
        "Washington D.C. has nine million people",
        "George W. Bush won the Nobel prize",
        "The J. P. Morgan bank lost its licence",
        "In E. coli, the gene regulates growth",
    ] {
        for label in ["The New York Times", "World Bank", "BBC News"] {
            let row = first(&site, &format!("{sentence} ([{label}](URL/bridge)).\n"));
            assert_ne!(row.status, Verified, "{sentence} {label}: {}", row.code);
        }
    }
}

#[test]
fn entries_of_lists_in_many_languages_accuse_no_one() {
    let site = site();
    for (title, accessed) in [
        (
            "#### **Referências citadas**",
            "acessado em fevereiro 22, 2026",
        ),
        ("## Fuentes citadas", "fecha de acceso: febrero 22, 2026"),
        ("## Geciteerd werk", "geopend op februari 22, 2026"),
        ("## Cytowane prace", "otwierano: lutego 22, 2026"),
        ("## 참고 자료", "2월 22, 2026에 액세스"),
        (
            "## Opere citate",
            "accesso eseguito il giorno febbraio 22, 2026",
        ),
        (
            "## Источники",
            "дата последнего обращения: февраля 22, 2026",
        ),
    ] {
        let text = format!(
            "Oaks grow.\n\n{title}\n\n1. Report no. 17 of 2025 - Town, {accessed}, [URL/bridge](URL/bridge)\n2. Census 48 - Town, {accessed}, URL/hives\n"
        );
        for row in desk::rows(&site, "a.md", &text) {
            assert!(
                row.status <= Suspect,
                "{title}: {} {:?}",
                row.code,
                row.claim.as_deref()
            );
        }
    }
}

#[test]
fn citations_are_bound_as_a_reader_would() {
    let one = |url: &str, claim: &str| (format!("https://a.example/{url}"), claim.to_owned());
    let list = "\n## Sources\n\n[1] https://a.example/1\n\n[2] https://a.example/2\n";
    for (text, expected) in [
        // marks and labels on the next line belong to the line before
        (
            format!("The lane cost 412,000 euros.\n[1] The fare fell to 2.35 euros.\n[2]\n{list}"),
            vec![one("1", "The lane cost 412,000 euros."), one("2", "The fare fell to 2.35 euros.")],
        ),
        (
            "The lane cost 412,000 euros.\n[(source)](https://a.example/1) The fare fell to 2.35 euros.\n[(source)](https://a.example/2)\n".to_owned(),
            vec![one("1", "The lane cost 412,000 euros."), one("2", "The fare fell to 2.35 euros.")],
        ),
        // the words of a link are not cut out of their sentence
        ("He won [Wimbledon 2019](https://a.example/1).\n".to_owned(), vec![one("1", "He won Wimbledon 2019.")]),
        ("They met in [May 2021](https://a.example/1).\n".to_owned(), vec![one("1", "They met in May 2021.")]),
        // signs of our own in the text delete nothing
        (
            "Oaks (see the report\u{2}) are old trees (https://a.example/1).\n".to_owned(),
            vec![one("1", "Oaks (see the report ) are old trees.")],
        ),
        // the number of a version names a page
        (
            "* [4.2.3](https://a.example/1)\n* [4.2.2](https://a.example/2)\n".to_owned(),
            vec![one("1", "-"), one("2", "-")],
        ),
        // front matter is no prose
        (
            format!("---\nprovider: falcon\nduration_seconds: 1087.2\n---\n\nOaks are old trees [1].\n{list}"),
            vec![one("1", "Oaks are old trees."), one("2", "-")],
        ),
        // a quotation beside an identifier is no part of the sentence
        (
            "PI15 binds its receptor [PMID:123, \"PI15 binds the receptor\"]. Oaks grow.\n".to_owned(),
            vec![(
                "https://pubmed.ncbi.nlm.nih.gov/123".to_owned(),
                "PI15 binds its receptor.".to_owned(),
            )],
        ),
    ] {
        assert_eq!(desk::claims(&text, Format::Markdown), expected, "{text}");
    }
}

#[test]
fn bytes_that_hide_a_text_are_refused() {
    let text = "Oaks are old (https://a.example/).\n";
    let utf_32: Vec<u8> = text
        .chars()
        .flat_map(|c| u32::from(c).to_le_bytes())
        .collect();
    for bytes in [
        [b"\xff\xfe", text.as_bytes()].concat(),
        [b"\xfe\xff", text.as_bytes()].concat(),
        [b"\xff\xfe\x00\x00", utf_32.as_slice()].concat(),
        [b"\xff\xfe", &text.as_bytes()[1..]].concat(),
        b"\xff\xfedoi:10.1000/abc\nOaks.\n\n".to_vec(),
    ] {
        assert_eq!(decode(&bytes), Err(NotText::Encoding));
    }
    assert_eq!(decode(&utf_32), Err(NotText::Bytes));
}
