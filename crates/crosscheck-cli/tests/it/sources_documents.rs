//! Documents that are no plain text, and what a person decides about the rest.

use std::fmt::Write as _;

use crosscheck_testkit::{Desk, Reply, Seen, Site};
use serde_json::Value;

use crate::desk;

const PAGE: &str = "<!doctype html><html lang=\"en\"><head><title>City trees study</title></head><body><h1>City trees study</h1>\
    <p>A city survey counted 41,000 street trees in 2024.</p><p>Researchers found that shaded streets were 3.2 degrees \
    cooler on summer afternoons than streets without trees.</p><p>The report recommends planting two thousand trees every \
    year.</p></body></html>";
const CLAIM: &str = "A city survey counted 41,000 street trees in 2024.";
const OPEN: &str =
    "Planting two thousand trees each year was advised by the authors of the report.";

fn sources(desk: &Desk, args: &[&str]) -> Seen {
    let quick = [
        "sources",
        "--allow-private",
        "--retry-wait",
        "0",
        "--host-request-interval",
        "0",
    ];
    desk.crosscheck([&quick[..], args].concat())
}

/// A PDF of one page with a sentence, and a link behind it.
fn pdf(sentence: &str, url: &str) -> Vec<u8> {
    let words =
        format!("BT /F1 10 Tf 1 0 0 1 50 700 Tm ({sentence}) Tj 1 0 0 1 400 700 Tm (source) Tj ET");
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Annots[6 0 R]/Resources<</Font<</F1 5 0 R>>>>>>".to_owned(),
        format!("<</Length {}>>stream\n{words}\nendstream", words.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        format!("<</Type/Annot/Subtype/Link/Rect[395 695 440 715]/A<</S/URI/URI({url})>>>>"),
    ];
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(out.len());
        let _ = write!(out, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = out.len();
    let _ = write!(out, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(out, "{place:010} 00000 n ");
    }
    let _ = write!(
        out,
        "trailer<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    out.into_bytes()
}

#[test]
fn the_links_of_a_pdf_cite_its_sentences() {
    let (desk, site) = (desk(), Site::start(|_| Reply::html(PAGE)));
    let url = format!("{}/trees", site.base());
    desk.file("paper.pdf", pdf(CLAIM, &url));
    let seen = sources(&desk, &["--format", "json", "paper.pdf"]);
    let rows = seen.json()["results"].clone();
    assert_eq!(
        (&rows[0]["url"], &rows[0]["claim"], &rows[0]["status"]),
        (
            &Value::from(url),
            &Value::from(CLAIM),
            &Value::from("verified")
        ),
        "{}",
        seen.summary()
    );
}

#[test]
fn a_person_decides_once_what_stays_open() {
    let (desk, site) = (desk(), Site::start(|_| Reply::html(PAGE)));
    let base = site.base();
    desk.file("a.md", format!("{OPEN} ([report]({base}/trees))\n"));
    let args = ["--decisions", "read.json", "a.md"];
    let seen = sources(&desk, &args);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    for shown in [
        "To read: 1 undecided",
        "you wrote",
        "the page says",
        "#:~:text=",
        "--judge",
    ] {
        assert!(seen.stdout.contains(shown), "{shown}: {}", seen.stdout);
    }
    let open = desk.read("read.json");
    assert!(open.contains("\"decision\": null"), "{open}");
    for (answer, code, word) in [("yes", 0, "read_yes"), ("no", 1, "read_no")] {
        desk.file("read.json", open.replace("null", &format!("\"{answer}\"")));
        let seen = sources(&desk, &["--format", "json", args[0], args[1], args[2]]);
        assert_eq!(seen.code, code, "{}", seen.summary());
        assert_eq!(seen.json()["results"][0]["code"], word);
    }
    // another claim is open again
    let other = OPEN.replace("authors", "editors");
    desk.file("a.md", format!("{other} ([report]({base}/trees))\n"));
    let seen = sources(&desk, &args);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    desk.file("read.json", "{}");
    assert_eq!(sources(&desk, &args).code, 3);
}

#[test]
fn a_document_without_anything_to_check_is_undecided() {
    let desk = desk();
    desk.file("a.md", "Oaks grow (Solberg 2021; Lee et al., 2019).\n");
    let seen = sources(&desk, &["a.md"]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert!(seen.stdout.contains("--allow-empty"), "{}", seen.summary());
    assert_eq!(sources(&desk, &["--allow-empty", "a.md"]).code, 0);
    desk.file(
        "b.md",
        "---\nbibliography: refs.bib\n---\n\nOaks are old [@smith2020].\n",
    );
    let seen = sources(&desk, &["b.md"]);
    assert_eq!(seen.code, 2, "{}", seen.summary());
    assert!(seen.stdout.contains("smith2020"), "{}", seen.summary());
    desk.file(
        "c.md",
        [b"\xff\xfe", "Oaks https://a.example/.\n".as_bytes()].concat(),
    );
    assert_eq!(sources(&desk, &["c.md"]).code, 3);
}

#[test]
fn without_a_network_the_cache_answers() {
    let (desk, site) = (desk(), Site::start(|_| Reply::html(PAGE)));
    desk.file(
        "a.md",
        format!("{CLAIM} ([report]({}/trees))\n", site.base()),
    );
    let args = ["--cache-dir", "kept", "a.md"];
    assert_eq!(sources(&desk, &args).code, 0);
    let seen = sources(&desk, &["--offline", args[0], args[1], args[2]]);
    assert_eq!(seen.code, 0, "{}", seen.summary());
    assert_eq!(site.count("/trees"), 1);
    assert_eq!(sources(&desk, &["--offline", "a.md"]).code, 2);
}
