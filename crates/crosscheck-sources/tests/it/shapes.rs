//! Shapes of documents: which sentence a source is cited for, and which entries
//! of lists of sources claim nothing.

use crosscheck_sources::read::document::Format;
use crosscheck_sources::status::SourceStatus;
use crosscheck_testkit::{Asked, Reply, Site};

use crate::desk::{self, claims};

const OAKS: &str = "Oaks grow in every valley of the land";
const ELMS: &str = "Elms stand along the river";

#[test]
fn marks_of_many_spellings_point_to_their_entries() {
    let list = "\n\n## Sources\n\n1. Oaks, https://a.example/1\n2. Elms, https://a.example/2\n";
    for (first, second) in [
        (
            "<sup><a href=\"#r1\">1</a></sup>",
            "<sup><a href=\"#r2\">[2]</a></sup>",
        ),
        ("［1］", "［2］"),
        (" [^1^]", " [^2^]"),
        (" [source 1]", " [Source 2]"),
        (" [ref 1]", " [ref. 2]"),
        (" [#1]", " [#2]"),
    ] {
        let text = format!("{OAKS}{first}. {ELMS}{second}.{list}");
        let one =
            |number: u8, claim: &str| (format!("https://a.example/{number}"), format!("{claim}."));
        let expected = [one(1, OAKS), one(2, ELMS)];
        assert_eq!(claims(&text, Format::Markdown), expected, "{text}");
    }
}

#[test]
fn a_framed_mark_between_two_sentences_belongs_to_the_first() {
    let list = "\n\n**Sources**\n\n1. https://a.example/1 2. https://a.example/2\n";
    for (first, second) in [("[[1]]", "[[2]]"), ("^[1]^", "^[2]^"), ("⁽¹⁾", "⁽²⁾")] {
        let text = format!("{OAKS}.{first} {ELMS}.{second}{list}");
        let one =
            |number: u8, claim: &str| (format!("https://a.example/{number}"), format!("{claim}."));
        let expected = [one(1, OAKS), one(2, ELMS)];
        assert_eq!(claims(&text, Format::Markdown), expected, "{text}");
    }
}

#[test]
fn a_numbered_link_to_the_web_cites_what_it_leads_to() {
    let list = "<h2>References</h2><ol><li><a href='https://a.example/1'>Oaks</a></li><li id=two>https://a.example/2</li></ol>";
    let text = format!(
        "<p>{OAKS} <a href='https://b.example/'>[1]</a>. {ELMS}<sup><a href='#none'>2</a></sup>.</p>{list}"
    );
    let one = |url: &str, claim: &str| (url.to_owned(), claim.to_owned());
    let expected = [
        one("https://b.example/", &format!("{OAKS}.")),
        one("https://a.example/2", &format!("{ELMS}.")),
        one("https://a.example/1", "-"),
    ];
    assert_eq!(claims(&text, Format::Html), expected);
    let same = text.replace("b.example/", "a.example/1");
    let expected = [
        one("https://a.example/1", &format!("{OAKS}.")),
        one("https://a.example/2", &format!("{ELMS}.")),
    ];
    assert_eq!(claims(&same, Format::Html), expected);
}

#[test]
fn links_and_footnotes_of_restructuredtext_are_read_in_plain_text() {
    let text = format!(
        "{OAKS} as `every forester\nknows <https://a.example/1>`_. {ELMS} [1]_.\n\nA call::\n\n    get https://a.example/code\n\n.. [1] Elms, https://a.example/2\n"
    );
    let found = claims(&text, Format::by_name("a.rst"));
    let urls: Vec<&str> = found.iter().map(|(url, _)| url.as_str()).collect();
    assert_eq!(urls, ["https://a.example/1", "https://a.example/2"]);
    let says = |at: usize, words: &str| found.get(at).is_some_and(|one| one.1.starts_with(words));
    assert!(says(0, OAKS) && says(1, ELMS), "{found:?}");
}

/// A page that has other figures than every entry below.
fn site() -> Site {
    Site::start(|_: &Asked| {
        Reply::html(
            "<html lang=en><title>Lake Orrin</title><h1>Lake Orrin</h1><p>Lake Orrin was described by Huber Press in 1988 on pages 3 to 9. \
             Last modified May 9, 2021. The lake covers 18 square kilometres, and many people visit it each summer with their families.</p>\
             <p>Journal of Towns 14, no. 7 (1999): 5-9. Accessed on 1 January 1999 by the editors. London: Huber Press, 1988.</p></html>"
                .to_owned(),
        )
    })
}

#[test]
fn an_entry_that_begins_with_its_title_accuses_no_one() {
    let site = site();
    for entry in [
        "“Lake Orrin.” *Town of Orrin*, 2019, URL/x. Accessed 12 June 2020.",
        "“Lake Orrin.” Town of Orrin. Last modified May 4, 2019. URL/x.",
        "\"Towns of the lake,\" Journal of Towns 12, no. 3 (2004): 44–59. URL/x",
    ] {
        for heading in [
            "",
            "---\n\n",
            "## Sources and further information\n\n",
            "# Lakes\n\n",
        ] {
            let text = format!("Towns have lakes.\n\n{heading}{entry}\n");
            let rows = desk::rows(&site, "d.md", &text);
            let status = rows.first().unwrap().status;
            let is_accused = matches!(status, SourceStatus::Unreliable | SourceStatus::Fabricated);
            assert!(!is_accused, "{text}");
        }
    }
}
